/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks of a replication. In phases with dynamic loops the first access of every chunk comes
 * at the moment at which the simulation dispatched the chunk; between these moments the law of the
 * threads' progress holds.
 */
#include <math.h>

#include "model/clock_state.h"

/* ---- what a law asks of the program ---------------------------------------------------------- */

static uint64_t region_of(void *user, uint64_t phase)
{
    const plussi_clock_run *run = user;
    return plussi_engine_region(run->workspace, phase);
}

static uint64_t length_of(void *user, uint64_t phase, uint32_t k)
{
    const plussi_clock_run *run = user;
    return plussi_engine_length(run->workspace, k, phase);
}

static uint64_t recorded_of(void *user, uint64_t phase)
{
    const plussi_clock_run *run = user;
    return run->phases[phase];
}

static const plussi_itersets *pieces_of(void *user, uint64_t phase)
{
    return plussi_clock_pieces(user, phase);
}

/* The engine counts empty phases, a timeline does not. */
static pluss_status count_phases(plussi_clock_run *run)
{
    enum { MOST = 1 << 24 };
    uint64_t n = plussi_engine_phases(run->engine), before = 0;
    if (n > MOST)
        return plussi_fail(run->ctx, PLUSS_ELIMIT, NULL,
                           "model clock: more than %d phases of recorded progress", MOST);
    run->phases = plussi_calloc(&run->ctx->mem, n + 1, sizeof *run->phases);
    if (!run->phases)
        return PLUSS_ENOMEM;
    for (uint64_t phase = 0; phase < n; phase++) {
        uint64_t next = plussi_engine_before(run->workspace, phase + 1);
        run->phases[phase + 1] = run->phases[phase] + (next > before);
        before = next;
    }
    return PLUSS_OK;
}

pluss_status plussi_clock_progress_new(plussi_clock_run *run, const plussi_timeline *timeline)
{
    pluss_status status = timeline ? count_phases(run) : PLUSS_OK;
    run->clocks = (plussi_clocks){.progress = &run->options->progress,
                                  .timeline = timeline,
                                  .phases = {region_of, recorded_of, length_of, pieces_of, run},
                                  .rng = &run->rng,
                                  .seed = run->seed,
                                  .team = run->team};
    return status ? status : plussi_clocks_new(run->ctx, &run->clocks, false);
}

void plussi_clock_progress_free(plussi_clock_run *run)
{
    plussi_clocks_free(&run->clocks);
    plussi_free(&run->ctx->mem, run->phases);
}

/* ---- phases that are dispatched -------------------------------------------------------------- */

bool plussi_clock_is_pinned(plussi_clock_run *run, uint64_t phase, uint32_t k,
                            plussi_clock_moments *m)
{
    return run->handed_out && run->clocks.law->poisson && plussi_clock_pinned(run, phase, k, m);
}

/* The time between two moments. */
typedef struct stretch {
    uint64_t first, end; /* its accesses */
    double since, until; /* its ends. since: time of access first - 1, or of the barrier; until:
                            HUGE_VAL if there is no later moment */
} stretch;

/* Before moment i. */
static stretch stretch_before(const plussi_clock_moments *m, size_t i)
{
    stretch s = {0, 0, 0, HUGE_VAL};
    if (i > 0) {
        s.first = plussi_clock_moment_access(m, i - 1) + 1;
        s.since = plussi_clock_moment_time(m, i - 1);
    }
    s.end = s.first;
    if (i < m->n) {
        s.end = plussi_clock_moment_access(m, i);
        s.until = plussi_clock_moment_time(m, i);
    }
    return s;
}

/* Time of access pos, given that `end` accesses are made by `until`, or by the end of the stretch
 * if that is later. */
static double pinned_time(plussi_clock_run *run, const plussi_clock_moments *m, uint64_t pos,
                          uint64_t end, double until)
{
    stretch s = stretch_before(m, plussi_clock_moment_above(m, pos));
    if (pos < s.first || s.until == HUGE_VAL) /* the access at the moment itself */
        return s.since;
    if (until < s.until) {
        s.end = end;
        s.until = until;
    }
    return s.since + (s.until - s.since) * plussi_draw_beta(&run->rng, (double)(pos - s.first) + 1,
                                                            (double)(s.end - pos));
}

static uint64_t pinned_between(plussi_clock_run *run, const plussi_clock_moments *m, uint64_t from,
                               double since, uint64_t n, double now, double time)
{
    stretch s = stretch_before(m, plussi_clock_moment_after(m, time));
    if (from > s.first) {
        s.first = from;
        s.since = since;
    }
    if (n != UINT64_MAX && now < s.until) {
        s.end = n;
        s.until = now;
    }
    if (s.end <= s.first || time <= s.since)
        return s.first;
    return s.first +
           plussi_draw_binomial(&run->rng, s.end - s.first, (time - s.since) / (s.until - s.since));
}

/* ---- the questions --------------------------------------------------------------------------- */

/* Where some threads share a level that others do not, each answer has draws of its own: to ask for
 * a level what was asked for another one gives the same answer. */
static void choose_draws(plussi_clock_run *run, uint64_t phase, uint32_t k, uint64_t pos)
{
    if (run->repeats)
        plussi_rng_seed(&run->rng, plussi_mix(plussi_mix(run->sample_seed, phase), k), pos);
}

void plussi_clock_begin(plussi_clock_run *run, int which, uint64_t phase)
{
    plussi_clocks_begin(&run->clocks, which, phase);
}

double plussi_clock_time(plussi_clock_run *run, int which, uint64_t phase, uint32_t k, uint64_t pos)
{
    plussi_clock_moments m;
    if (run->paths)
        return plussi_clock_path_time(run, phase, k, pos);
    choose_draws(run, phase, k, pos);
    if (plussi_clock_is_pinned(run, phase, k, &m))
        return pinned_time(run, &m, pos, 0, HUGE_VAL);
    return run->clocks.law->time(&run->clocks, which, phase, k, pos);
}

uint64_t plussi_clock_count(plussi_clock_run *run, uint64_t phase, uint32_t k, double now)
{
    plussi_clock_moments m;
    if (run->paths)
        return plussi_clock_path_count(run, phase, k, now);
    choose_draws(run, phase, k, UINT64_MAX);
    if (plussi_clock_is_pinned(run, phase, k, &m))
        return pinned_between(run, &m, 0, 0, UINT64_MAX, 0, now);
    return plussi_clocks_count(&run->clocks, phase, k, now);
}

double plussi_clock_time_before(plussi_clock_run *run, uint64_t phase, uint32_t k, uint64_t y,
                                uint64_t n, double now)
{
    plussi_clock_moments m;
    if (run->paths)
        return plussi_clock_path_time(run, phase, k, y);
    choose_draws(run, phase, k, y);
    if (plussi_clock_is_pinned(run, phase, k, &m))
        return pinned_time(run, &m, y, n, now);
    return plussi_clocks_time_before(&run->clocks, phase, k, y, n, now);
}

uint64_t plussi_clock_count_between(plussi_clock_run *run, int which, uint64_t phase, uint32_t k,
                                    uint64_t from, double since, uint64_t n, double now,
                                    double time)
{
    plussi_clock_moments m;
    if (run->paths)
        return plussi_clock_path_count(run, phase, k, time);
    choose_draws(run, phase, k, UINT64_MAX - 1);
    if (plussi_clock_is_pinned(run, phase, k, &m))
        return pinned_between(run, &m, from, since, n, now, time);
    return plussi_clocks_count_between(&run->clocks, which, phase, k, from, since, n, now, time);
}
