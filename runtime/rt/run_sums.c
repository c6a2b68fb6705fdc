/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Adds up the runs that have ended, and writes the record when the process ends.
 */
#include "rt/follow.h"
#include "rt/own_memory.h"
#include "rt/run_state.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 64 /* threads */ };

plussi_open_runs plussi_runs = {.lock = PLUSSI_RUNS_LOCK};

static uint64_t accesses_of(plussi_collector *const *thread, uint32_t n)
{
    uint64_t accesses = 0;
    for (uint32_t k = 0; k < n; k++)
        accesses += thread[k] ? thread[k]->clock + thread[k]->lost : 0;
    return accesses;
}

/* Adds what a run's sampler found, under the values known by then. lock is held. */
static void add_sampled(const pluss_rt_run *run, plussi_sampled *s)
{
    plussi_sum *sum = plussi_sums_find(&plussi_runs.sums, run->known, run->symbols, run->bases,
                                       (plussi_teams){s->team, s->default_team}, PLUSSI_BY_SAMPLE);
    if (!sum) {
        plussi_sums_leave_out(&plussi_runs.sums, run->known, s->team, PLUSSI_BY_SAMPLE,
                              accesses_of(s->thread, s->team));
        return;
    }
    if (sum->runs == 0 && plussi_sums_sampled(&plussi_runs.sums, sum, s->trace))
        s->trace = NULL;
    sum->runs++;
    sum->lost += s->lost;
    sum->schedule = s->schedule;
    sum->chunk = s->chunk;
    for (uint32_t k = 0; k < s->team; k++)
        if (s->thread[k])
            plussi_sums_add(&plussi_runs.sums, sum, k, s->thread[k], false);
}

/* Writes a run's stamps, completely or not at all. lock is held. */
static void write_stamps(const pluss_rt_run *run, uint32_t team, uint32_t number)
{
    bool wanted = plussi_stamps_enabled(), lost = false;
    for (uint32_t k = 0; k < team; k++) {
        const plussi_stamps *s = plussi_run_stamps(run, k);
        lost |= s && s->lost;
    }
    plussi_stops_end(run, run->number, team, wanted && !lost);
    if (!wanted)
        return;
    for (uint32_t k = 0; k < team && !lost; k++) {
        const plussi_member *m = atomic_load_explicit(&run->thread[k], memory_order_acquire);
        if (!m || !m->stamps)
            continue;
        plussi_stamps_write(m->stamps);
        plussi_stamps_chunks(run->number, k, m->chunk, m->n_chunks);
    }
    plussi_sidecar_run(run->number, team, run->began,
                       (plussi_run_entry){lost ? UINT32_MAX : number, true});
}

/* Of the run whose record is kept, the first; what others accessed is counted alone. */
static void keep_fill(const pluss_rt_run *run, plussi_sum *sum, uint32_t team)
{
    plussi_fill **fill = plussi_calloc(&plussi_own, team, sizeof *fill);
    if (!fill)
        return;
    for (uint32_t k = 0; k < team; k++) {
        plussi_member *m = atomic_load_explicit(&run->thread[k], memory_order_acquire);
        fill[k] = m ? m->fill : NULL;
    }
    plussi_sums_fill(&plussi_runs.sums, sum, fill);
    for (uint32_t k = 0; k < team; k++) {
        plussi_member *m = atomic_load_explicit(&run->thread[k], memory_order_acquire);
        if (m)
            m->fill = fill[k];
    }
    plussi_free(&plussi_own, fill);
}

/* Runs of a region differ: the next one begins with a rate that would have done for the smallest of
 * all, and lowers it where it touches more lines. */
static void fit_rate(plussi_known *known, plussi_collector *const *thread, uint32_t n)
{
    uint64_t lines = 0;
    unsigned shift = 0;
    for (uint32_t k = 0; k < n; k++)
        if (thread[k] && thread[k]->follow) {
            const uint64_t own = (uint64_t)thread[k]->follow->followed << thread[k]->follow->shift;
            lines = own > lines ? own : lines;
        }
    while (lines >> shift > PLUSSI_FOLLOWED_LINES)
        shift++;
    known->shift = known->ran && known->shift < shift ? known->shift : shift;
    known->ran = true;
}

/* The threads' collectors, in `few` if they fit; NULL: no memory. */
static plussi_collector **list_collectors(const pluss_rt_run *run, uint32_t team,
                                          plussi_collector *few[FEW])
{
    plussi_collector **thread =
        team <= FEW ? few : plussi_calloc(&plussi_own, team, sizeof *thread);
    for (uint32_t k = 0; thread && k < team; k++) {
        const plussi_member *m = atomic_load_explicit(&run->thread[k], memory_order_acquire);
        thread[k] = m ? m->collector : NULL;
    }
    return thread;
}

void plussi_run_surround(pluss_rt_run *run, bool known)
{
    run->around = run->around || (run->counted && run->by != PLUSSI_BY_PROFILE);
    run->parted = run->parted || (run->around && (run->shared || !known));
}

/* Its description tells what it did until now. */
static void pause_described(pluss_rt_run *run)
{
    plussi_run_order *order = &plussi_runs.sums.order;
    if (run->teams == run->teams_before)
        return;
    if (!run->paused)
        run->pieces_from = order->n_runs;
    run->paused = true;
    run->teams_before = run->teams;
    plussi_order_described_piece(order, run->number, run->teams);
}

void plussi_run_pause(pluss_rt_run *run)
{
    const uint32_t team = atomic_load(&run->team);
    plussi_sums *sums = &plussi_runs.sums;
    bool any = false;
    if (run->serial || run->shared || !run->counted)
        return;
    if (run->by != PLUSSI_BY_PROFILE) {
        pause_described(run);
        return;
    }
    plussi_collector *few[FEW] = {0}, **thread = list_collectors(run, team, few);
    for (uint32_t k = 0; thread && k < team; k++)
        any = any || (thread[k] && thread[k]->clock > thread[k]->paused);
    if (any) {
        if (!run->paused) {
            run->pieces_from = sums->order.n_runs;
            run->found.known = true;
        }
        run->paused = true;
        plussi_sums_carry_piece(sums, run->number, thread, team,
                                plussi_collectors_pause(thread, team), &run->found, &run->seen);
        for (uint32_t k = 0; k < team; k++)
            if (thread[k]) {
                thread[k]->paused = thread[k]->clock;
                thread[k]->n_again = 0;
            }
    }
    if (thread != few)
        plussi_free(&plussi_own, thread);
}

/* Did its walks take the iterations that the run's threads may have had? */
static bool has_own_schedule(const plussi_sampled *s)
{
    return !s->schedule || s->team == 1;
}

/* A run of which values are recorded: a sampler's walks tell its lines, of the same team if there
 * is one, or its description does; what it did between runs that are nested in it, its description.
 */
static void put_in_order(const pluss_rt_run *run, const plussi_sum *sum, uint32_t place)
{
    plussi_run_order *order = &plussi_runs.sums.order;
    const plussi_sampled *best = NULL;
    if (!sum) {
        plussi_order_lose(order);
        return;
    }
    if (run->parted) {
        plussi_order_around(order, sum->number);
        return;
    }
    if (run->paused) {
        plussi_order_described_rest(order, sum->number, place, run->teams);
        plussi_order_join(order, run->pieces_from, run->number);
        return;
    }
    for (const plussi_sampled *s = run->sampled; s; s = s->next)
        if (s->all_lines && !s->lost && has_own_schedule(s) && (!best || s->team == sum->team))
            best = s;
    if (best)
        plussi_carry_walked(order, best->thread, best->team, sum->number, place);
    else
        plussi_order_described(order, sum->number, place);
}

void plussi_run_add_up(pluss_rt_run *run, bool live)
{
    uint32_t team = atomic_load(&run->team);
    for (uint32_t i = 0; i < run->region->n_symbols; i++)
        if (run->symbols[i] == PLUSS_RT_UNDECIDED)
            run->symbols[i] = 0;
    plussi_sums *sums = &plussi_runs.sums;
    plussi_collector *few[FEW] = {0}, **thread = list_collectors(run, team, few);
    const plussi_teams teams = {
        team, run->default_team > 0 && run->default_team < team ? run->default_team : team};
    plussi_sum *sum = plussi_sums_find(sums, run->known, run->symbols, run->bases, teams, run->by);
    if (run->timed)
        write_stamps(run, team, sum ? sum->number : UINT32_MAX);
    for (uint32_t k = 0; k < team; k++) {
        plussi_member *m = atomic_load_explicit(&run->thread[k], memory_order_acquire);
        if (m && m->touches && !live)
            plussi_touch_log_cut(m->touches);
        if (sum && m && m->n_chunks && !plussi_sum_chunks(sum, k, m->chunk, m->n_chunks))
            sum->lost++;
    }
    for (plussi_sampled *s = run->sampled; s; s = s->next)
        add_sampled(run, s);
    const uint32_t place =
        run->serial ? PLUSSI_PLACE_UNKNOWN : plussi_sums_ran(sums, sum, run->bases);
    sums->around += run->around;
    if (run->counted && run->by != PLUSSI_BY_PROFILE)
        put_in_order(run, sum, place);
    run->known->recorded += thread ? accesses_of(thread, team) : 0;
    const unsigned shift = !thread ? 0
                           : live  ? plussi_collectors_settle_live(thread, team)
                                   : plussi_collectors_settle(thread, team);
    if (run->counted && thread)
        fit_rate(run->known, thread, team);
    if (run->counted && run->by == PLUSSI_BY_PROFILE)
        plussi_sums_carry(sums, thread && !live ? sum : NULL, thread, shift,
                          run->paused ? &run->seen : NULL);
    if (run->paused && run->by == PLUSSI_BY_PROFILE)
        plussi_sums_join(sums, sum, run->pieces_from, run->number, &run->found);
    if (!sum || !thread) {
        plussi_sums_leave_out(sums, run->known, team, run->by,
                              thread ? accesses_of(thread, team) : 0);
    } else {
        plussi_collect_shared(thread, team, shift);
        sum->counted = run->counted && (sum->counted || sum->runs == 0);
        if (run->filled && !live)
            keep_fill(run, sum, team);
        sum->outside += atomic_load(&run->outside);
        sum->took += run->took;
        sum->runs++;
        for (uint32_t k = 0; k < team; k++)
            if (thread[k])
                plussi_sums_add(sums, sum, k, thread[k], live);
        sum->lost += atomic_load(&run->lost);
    }
    if (!run->timed)
        plussi_sidecar_run(run->number, team, run->began,
                           (plussi_run_entry){sum ? sum->number : UINT32_MAX, false});
    if (thread != few)
        plussi_free(&plussi_own, thread);
}

/* Runs last in the process, after functions registered by atexit. */
__attribute__((destructor)) static void write_at_exit(void)
{
    char *path = atomic_load(&plussi_runs.started) ? plussi_record_path() : NULL;
    if (!path)
        return;
    plussi_run_end_serial();
    if (plussi_run_records() ||
        pthread_mutex_lock(&plussi_runs.lock) != 0) { /* exit in a signal handler */
        plussi_tell("the program ended while it recorded: there is no %s", path);
        return;
    }
    plussi_run_settle();
    plussi_run_clock_total(&plussi_runs.sums);
    if (plussi_runs.open) {
        plussi_collectors_stop();
        for (pluss_rt_run *run = plussi_runs.open; run; run = run->next)
            plussi_run_clock_end(run);
        pluss_rt_run *oldest = plussi_runs.open;
        while (oldest->next)
            oldest = oldest->next;
        for (pluss_rt_run *run = oldest; run; run = run->prev)
            plussi_run_add_up(run, true);
        plussi_runs.open = NULL; /* threads that still run are no longer recorded */
    }
    plussi_stamps_clock();
    plussi_outfile sidecar = plussi_sidecar_take();
    int error = 0;
    if (!plussi_runs.forked || plussi_runs.sums.n || plussi_runs.sums.lost_runs)
        error = plussi_sums_write(&plussi_runs.sums, path, &sidecar);
    else
        plussi_outfile_drop(&sidecar);
    if (error)
        plussi_tell("%s cannot be written: %s: what was recorded is lost", path, strerror(error));
    pthread_mutex_unlock(&plussi_runs.lock);
    plussi_free(&plussi_own, path);
}
