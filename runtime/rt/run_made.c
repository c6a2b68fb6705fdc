/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Runs and their members, made and freed.
 */
#include "rt/run_state.h"

#include <stdlib.h>

static void member_free(plussi_member *m)
{
    if (!m)
        return;
    plussi_collector_free(m->collector);
    free(m->trace);
    plussi_stamps_free(m->stamps);
    free(m->chunk);
    free(m->times);
    free(m);
}

static void sampled_free(plussi_sampled *s)
{
    for (uint32_t k = 0; k < s->team; k++) {
        plussi_collector_free(s->thread[k]);
        plussi_picks_free(s->picks ? s->picks[k] : NULL);
    }
    free(s->thread);
    free(s->picks);
    free(s);
}

void plussi_run_free(pluss_rt_run *run)
{
    while (run->sampled) {
        plussi_sampled *next = run->sampled->next;
        sampled_free(run->sampled);
        run->sampled = next;
    }
    uint32_t team = atomic_load(&run->team);
    for (uint32_t k = 0; k < team; k++)
        member_free(atomic_load_explicit(&run->thread[k], memory_order_relaxed));
    free(run->symbols);
    free(run->bases);
    free(run);
}

static plussi_member *member_new(const pluss_rt_run *run, uint32_t thread)
{
    plussi_member *m = calloc(1, sizeof *m);
    if (!m || (run->by == PLUSSI_BY_BIND && !run->timed))
        return m;
    char *path = plussi_record_path();
    if (run->timed) {
        if (plussi_stamps_wanted(path))
            m->stamps = plussi_stamps_new(run->number, thread);
    } else {
        m->collector = plussi_collector_new(run->region->n_refs);
        if (m->collector && plussi_trace_wanted(path))
            m->trace = plussi_trace_new(run->number, thread);
    }
    free(path);
    if (!run->timed && !m->collector) {
        member_free(m);
        return NULL;
    }
    if (m->collector)
        m->collector->shape = run->region->ref;
    return m;
}

plussi_member *plussi_run_member(pluss_rt_run *run, uint32_t thread)
{
    plussi_member *m = atomic_load_explicit(&run->thread[thread], memory_order_acquire);
    if (!m) {
        m = member_new(run, thread);
        atomic_store_explicit(&run->thread[thread], m, memory_order_release);
    }
    return m;
}

/* In a signal handler. */
const plussi_stamps *plussi_run_stamps(const void *run, uint32_t k)
{
    const plussi_member *m =
        atomic_load_explicit(&((const pluss_rt_run *)run)->thread[k], memory_order_acquire);
    return m ? m->stamps : NULL;
}

/* lock is held */
pluss_rt_run *plussi_run_new(const pluss_rt_region *region, const int64_t *symbols,
                             const void *const *bases, uint32_t how)
{
    pluss_rt_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    run->region = region;
    run->by = how == PLUSS_RT_PROFILE ? PLUSSI_BY_PROFILE : PLUSSI_BY_BIND;
    run->timed = how == PLUSS_RT_TIME;
    run->symbols = calloc(region->n_symbols + 1u, sizeof *run->symbols);
    run->bases = calloc(region->n_arrays + 1u, sizeof *run->bases);
    if (!run->symbols || !run->bases) {
        plussi_run_free(run);
        return NULL;
    }
    for (uint32_t i = 0; symbols && i < region->n_symbols; i++)
        run->symbols[i] = symbols[i];
    for (uint32_t i = 0; bases && i < region->n_arrays; i++)
        run->bases[i] = (uint64_t)(uintptr_t)bases[i];
    atomic_store(&run->team, 1);
    run->number = plussi_runs.n_began++;
    run->began = plussi_trace_now();
    run->next = plussi_runs.open;
    if (plussi_runs.open)
        plussi_runs.open->prev = run;
    plussi_runs.open = run;
    if (run->timed)
        plussi_stops_begin(run, plussi_run_stamps, &run->team);
    return run;
}

void plussi_run_unlink(pluss_rt_run *run)
{
    if (run->next)
        run->next->prev = run->prev;
    if (run->prev)
        run->prev->next = run->next;
    else
        plussi_runs.open = run->next;
}
