/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks. Uniform interleaving is a Poisson process of unit rate a thread, so that times are
 * gammas, counts Poisson, and what is known to lie between two moments lies there uniformly: beta
 * and binomial. The other kinds of progress answer the same questions. Where loops of a phase are
 * handed out, the first access of every chunk comes at the moment at which the simulation
 * dispatched it, and the same laws hold between these moments.
 */
#include <math.h>

#include "model/clock_state.h"

void plussi_clock_begin(plussi_clock_run *run, int which, uint64_t phase)
{
    if (run->options->progress == PLUSSI_CLOCK_SLICES)
        plussi_clock_slices_begin(run, which, phase);
    if (run->options->progress == PLUSSI_CLOCK_SPEEDS)
        plussi_clock_speeds_begin(run, which, phase);
}

/* ---- bursts -------------------------------------------------------------------------------------
 *
 * A thread's accesses come in bursts of geometric length, mean q, at the times of a Poisson process
 * of rate 1/q; all of a burst at once. Every access but the first begins a burst with probability
 * 1/q, so that the boundaries lie anywhere among the accesses, and what is known to lie between two
 * moments or between two accesses lies there uniformly. How many bursts a thread has begun is kept
 * with it. */

/* Accesses of so many bursts. */
static uint64_t burst_accesses(plussi_clock_run *run, uint64_t bursts)
{
    double q = run->options->param;
    if (bursts == 0 || q <= 1)
        return bursts;
    return bursts +
           plussi_draw_poisson(&run->rng, plussi_draw_gamma(&run->rng, (double)bursts) * (q - 1));
}

/* The time of access pos: that of the last of the bursts begun by then. */
static double burst_time(plussi_clock_run *run, uint32_t k, uint64_t pos)
{
    double q = run->options->param;
    uint64_t bursts = 1 + plussi_draw_binomial(&run->rng, pos, 1 / q);
    run->thread[k].bursts = bursts;
    return q * plussi_draw_gamma(&run->rng, (double)bursts);
}

static uint64_t burst_count(plussi_clock_run *run, uint32_t k, double time)
{
    uint64_t bursts = plussi_draw_poisson(&run->rng, time / run->options->param);
    run->thread[k].bursts = bursts;
    return burst_accesses(run, bursts);
}

/* own: access n itself is made at `now`, by the last burst; else the bursts lie before it. */
static double burst_time_before(plussi_clock_run *run, uint32_t k, uint64_t y, uint64_t n,
                                double now, bool own)
{
    plussi_clock_thread *t = &run->thread[k];
    uint64_t others = own ? n : n - 1; /* accesses that may begin a burst: all but the first */
    uint64_t begun = t->bursts - 1 < others ? t->bursts - 1 : others;
    t->burst = 1 + plussi_draw_marked(&run->rng, others, begun, y < others ? y : others);
    if (own && t->burst == t->bursts)
        return now;
    uint64_t after = t->bursts - t->burst + !own;
    return now * plussi_draw_beta(&run->rng, (double)t->burst, (double)after);
}

static uint64_t burst_between(plussi_clock_run *run, uint32_t k, uint64_t from, double since,
                              uint64_t n, double now, double time, bool own)
{
    const plussi_clock_thread *t = &run->thread[k];
    double q = run->options->param, span = now - since;
    if (n == UINT64_MAX) {
        uint64_t at_once = 0; /* what is left of the burst that `from` ends in */
        if (from && q > 1)
            at_once = (uint64_t)(plussi_draw_exponential(&run->rng) / -log1p(-1 / q));
        return from + at_once +
               burst_accesses(run, plussi_draw_poisson(&run->rng, (time - since) / q));
    }
    uint64_t left = t->bursts - (from ? t->burst : 0), free = left - (own && left);
    if (left == 0 || span <= 0 || n == from)
        return n;
    uint64_t begun = plussi_draw_binomial(&run->rng, free, (time - since) / span);
    if (begun == left)
        return n;
    if (from == 0 && begun == 0)
        return 0;
    /* up to the next boundary */
    double a = (double)(begun + (from > 0)), b = (double)(left - begun);
    return from + (uint64_t)((double)(n - from) * plussi_draw_beta(&run->rng, a, b));
}

/* ---- lock step ----------------------------------------------------------------------------------
 */

static uint64_t turns_before(const plussi_clock_run *run, uint32_t k, double time)
{
    return time > k ? (uint64_t)((time - k - 1) / run->team) + 1 : 0;
}

/* ---- phases that are handed out
 * ------------------------------------------------------------------ */

bool plussi_clock_is_pinned(plussi_clock_run *run, uint64_t phase, uint32_t k,
                            plussi_clock_moments *m)
{
    return run->handed_out && run->options->progress <= PLUSSI_CLOCK_SPEEDS &&
           plussi_clock_pinned(run, phase, k, m);
}

/* Between two moments. */
typedef struct stretch {
    uint64_t first, end; /* the accesses in it, */
    double since, until; /* and its ends. since: made by access first - 1, or the barrier; until:
                            HUGE_VAL, there is no later moment */
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

/* When access pos is made, if `until`, or where the stretch ends later, `end` accesses are. */
static double pinned_time(plussi_clock_run *run, const plussi_clock_moments *m, uint64_t pos,
                          uint64_t end, double until)
{
    stretch s = stretch_before(m, plussi_clock_moment_above(m, pos));
    if (pos < s.first || s.until == HUGE_VAL) /* it is the one at the moment */
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

/* ---- the questions
 * -------------------------------------------------------------------------------- */

double plussi_clock_time(plussi_clock_run *run, int which, uint64_t phase, uint32_t k, uint64_t pos)
{
    plussi_clock_moments m;
    if (run->paths)
        return plussi_clock_path_time(run, phase, k, pos);
    if (plussi_clock_is_pinned(run, phase, k, &m))
        return pinned_time(run, &m, pos, 0, HUGE_VAL);
    switch (run->options->progress) {
    case PLUSSI_CLOCK_LOCKSTEP:
        return (double)pos * run->team + k;
    case PLUSSI_CLOCK_BURST:
        return burst_time(run, k, pos);
    case PLUSSI_CLOCK_SLICES:
        return plussi_clock_slice_time(run, which, k, pos);
    case PLUSSI_CLOCK_RECORDED:
        return plussi_clock_recorded_time(run, phase, k, pos);
    case PLUSSI_CLOCK_SPEEDS:
        return plussi_clock_when(&run->drift[which][k],
                                 plussi_draw_gamma(&run->rng, (double)pos + 1));
    default:
        return plussi_draw_gamma(&run->rng, (double)pos + 1);
    }
}

uint64_t plussi_clock_count(plussi_clock_run *run, uint64_t phase, uint32_t k, double time)
{
    plussi_clock_moments m;
    if (run->paths)
        return plussi_clock_path_count(run, phase, k, time);
    if (plussi_clock_is_pinned(run, phase, k, &m))
        return pinned_between(run, &m, 0, 0, UINT64_MAX, 0, time);
    switch (run->options->progress) {
    case PLUSSI_CLOCK_LOCKSTEP:
        return turns_before(run, k, time);
    case PLUSSI_CLOCK_BURST:
        return burst_count(run, k, time);
    case PLUSSI_CLOCK_SLICES:
        return plussi_clock_slice_count(run, k, time);
    case PLUSSI_CLOCK_MIXED:
        return plussi_rng_below(&run->rng, plussi_engine_length(run->scan, k, phase) + 1);
    case PLUSSI_CLOCK_RECORDED:
        return plussi_clock_recorded_count(run, phase, k, time, (uint32_t)run->spot.iv[0]);
    case PLUSSI_CLOCK_SPEEDS:
        return plussi_draw_poisson(&run->rng, plussi_clock_ticks(&run->drift[0][k], time));
    default:
        return plussi_draw_poisson(&run->rng, time);
    }
}

double plussi_clock_time_before(plussi_clock_run *run, uint64_t phase, uint32_t k, uint64_t y,
                                uint64_t n, double now)
{
    plussi_clock_moments m;
    if (run->paths)
        return plussi_clock_path_time(run, phase, k, y);
    if (plussi_clock_is_pinned(run, phase, k, &m))
        return pinned_time(run, &m, y, n, now);
    switch (run->options->progress) {
    case PLUSSI_CLOCK_LOCKSTEP:
        return (double)y * run->team + k;
    case PLUSSI_CLOCK_BURST:
        return burst_time_before(run, k, y, n, now, k == (uint32_t)run->spot.iv[0]);
    case PLUSSI_CLOCK_SLICES:
        return plussi_clock_slice_before(run, k, y, now);
    case PLUSSI_CLOCK_MIXED:
        return now - plussi_draw_gamma(&run->rng, (double)(n - y));
    case PLUSSI_CLOCK_RECORDED:
        return plussi_clock_recorded_time(run, phase, k, y);
    case PLUSSI_CLOCK_SPEEDS: {
        const plussi_clock_drift *d = &run->drift[0][k];
        return plussi_clock_when(d,
                                 plussi_clock_ticks(d, now) *
                                     plussi_draw_beta(&run->rng, (double)y + 1, (double)(n - y)));
    }
    default:
        return now * plussi_draw_beta(&run->rng, (double)y + 1, (double)(n - y));
    }
}

uint64_t plussi_clock_count_between(plussi_clock_run *run, int which, uint64_t phase, uint32_t k,
                                    uint64_t from, double since, uint64_t n, double now,
                                    double time)
{
    plussi_clock_moments m;
    if (run->paths)
        return plussi_clock_path_count(run, phase, k, time);
    if (plussi_clock_is_pinned(run, phase, k, &m))
        return pinned_between(run, &m, from, since, n, now, time);
    bool after = n == UINT64_MAX;
    switch (run->options->progress) {
    case PLUSSI_CLOCK_LOCKSTEP: {
        uint64_t done = turns_before(run, k, time);
        return done > from ? done : from;
    }
    case PLUSSI_CLOCK_BURST:
        return burst_between(run, k, from, since, n, now, time, k == (uint32_t)run->spot.iv[0]);
    case PLUSSI_CLOCK_SLICES:
        return plussi_clock_slice_between(run, which, k, from, since, n, now, time);
    case PLUSSI_CLOCK_MIXED:
        if (!after && from == 0) { /* backwards from now: where it began is not known */
            uint64_t back = plussi_draw_poisson(&run->rng, now - time);
            return back < n ? n - back : 0;
        }
        break;
    case PLUSSI_CLOCK_RECORDED: {
        uint64_t done = plussi_clock_recorded_count(run, phase, k, time, run->source);
        return done > from ? done : from;
    }
    case PLUSSI_CLOCK_SPEEDS: /* on the clock of its ticks, which may stand still */
        time = plussi_clock_ticks(&run->drift[which][k], time);
        since = plussi_clock_ticks(&run->drift[which][k], since);
        now = after ? now : plussi_clock_ticks(&run->drift[which][k], now);
        time = time > since ? time : since;
        break;
    default:
        break;
    }
    if (after)
        return from + plussi_draw_poisson(&run->rng, time - since);
    double span = now - since; /* 0: bursts make accesses at one time */
    return span > 0 ? from + plussi_draw_binomial(&run->rng, n - from, (time - since) / span) : n;
}
