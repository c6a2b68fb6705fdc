/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Runs that have ended are added up, and what came of all is written when the process ends.
 */
#include "rt/run_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

plussi_open_runs plussi_runs = {.lock = PTHREAD_MUTEX_INITIALIZER};

char *plussi_record_path(void)
{
    const char *path = getenv("PLUSS_RECORD");
    size_t room = path ? strlen(path) + 24 : 0;
    char *own = path && *path ? malloc(room) : NULL;
    if (own && plussi_runs.forked)
        snprintf(own, room, "%s.%ld", path, (long)getpid());
    else if (own)
        strcpy(own, path);
    return own;
}

/* What a run's sampler found, under the values that are known by now. lock is held. */
static void add_sampled(const pluss_rt_run *run, plussi_sampled *s)
{
    plussi_sum *sum = plussi_sums_find(&plussi_runs.sums, run->region, run->symbols, run->bases,
                                       s->team, PLUSSI_BY_SAMPLE);
    if (!sum) {
        plussi_runs.sums.lost_runs++;
        return;
    }
    if (sum->runs == 0 && plussi_sums_picks(&plussi_runs.sums, sum, s->picks))
        s->picks = NULL;
    sum->runs++;
    sum->lost += s->lost;
    sum->schedule = s->schedule;
    sum->chunk = s->chunk;
    for (uint32_t k = 0; k < s->team; k++)
        if (s->thread[k])
            plussi_collector_merge(sum->thread[k], s->thread[k]);
}

/* A run's stamps, whole or not at all. lock is held. */
static void write_stamps(const pluss_rt_run *run, uint32_t team, uint32_t number)
{
    char *path = plussi_record_path();
    bool wanted = plussi_stamps_wanted(path), lost = false;
    free(path);
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
    plussi_stamps_run(run->number, lost ? UINT32_MAX : number, team, run->began,
                      plussi_trace_now());
}

void plussi_run_add_up(pluss_rt_run *run, bool live)
{
    uint32_t team = atomic_load(&run->team);
    for (uint32_t i = 0; i < run->region->n_symbols; i++)
        if (run->symbols[i] == PLUSS_RT_UNDECIDED)
            run->symbols[i] = 0;
    plussi_collector **thread = calloc(team, sizeof *thread);
    plussi_sum *sum = thread ? plussi_sums_find(&plussi_runs.sums, run->region, run->symbols,
                                                run->bases, team, run->by)
                             : NULL;
    if (run->timed)
        write_stamps(run, team, sum ? sum->number : UINT32_MAX);
    if (!sum) {
        plussi_runs.sums.lost_runs++;
        free(thread);
        return;
    }
    for (uint32_t k = 0; k < team; k++) {
        plussi_member *m = atomic_load_explicit(&run->thread[k], memory_order_acquire);
        thread[k] = m ? m->collector : NULL;
        if (m && m->trace && !live)
            plussi_trace_cut(m->trace);
        if (m && m->n_chunks && !plussi_sum_chunks(sum, k, m->chunk, m->n_chunks))
            sum->lost++;
    }
    for (plussi_sampled *s = run->sampled; s; s = s->next)
        add_sampled(run, s);
    plussi_collect_shared(thread, team);
    plussi_sums_ran(&plussi_runs.sums, sum, run->bases);
    sum->runs++;
    for (uint32_t k = 0; k < team; k++)
        if (thread[k] && live)
            plussi_collector_merge_live(sum->thread[k], thread[k]);
        else if (thread[k])
            plussi_collector_merge(sum->thread[k], thread[k]);
    sum->lost += atomic_load(&run->lost);
    if (!run->timed)
        plussi_trace_run(run->number, sum->number, team, run->began, plussi_trace_now());
    free(thread);
}

/* The last that happens in the process, behind functions registered by atexit. */
__attribute__((destructor)) static void write_at_exit(void)
{
    char *path = atomic_load(&plussi_runs.started) ? plussi_record_path() : NULL;
    if (!path)
        return;
    pthread_mutex_lock(&plussi_runs.lock);
    if (plussi_runs.open) {
        plussi_collectors_stop();
        pluss_rt_run *oldest = plussi_runs.open;
        while (oldest->next)
            oldest = oldest->next;
        for (pluss_rt_run *run = oldest; run; run = run->prev)
            plussi_run_add_up(run, true);
        plussi_runs.open = NULL; /* what still runs there is past recording */
    }
    if (!plussi_runs.forked || plussi_runs.sums.n || plussi_runs.sums.lost_runs)
        plussi_sums_write(&plussi_runs.sums, path);
    plussi_trace_finish();
    plussi_stamps_finish();
    pthread_mutex_unlock(&plussi_runs.lock);
    free(path);
}
