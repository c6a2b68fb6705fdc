/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Makes and frees runs and their members.
 */
#include "rt/follow.h"
#include "rt/own_memory.h"
#include "rt/run_state.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SPARE = 16, USUALLY_RECORDED = 20000000 };

static void member_free(plussi_member *m)
{
    if (!m)
        return;
    plussi_collector_give(m->collector);
    plussi_free(&plussi_own, m->touches);
    plussi_stamps_free(m->stamps);
    plussi_fill_free(m->fill);
    plussi_free(&plussi_own, m->chunk);
    plussi_free(&plussi_own, m->times);
    plussi_free(&plussi_own, m);
}

static void sampled_free(plussi_sampled *s)
{
    for (uint32_t k = 0; k < s->team; k++) {
        plussi_collector_give(s->thread[k]);
        plussi_sampled_thread_free(s->trace ? s->trace[k] : NULL);
    }
    plussi_free(&plussi_own, s->thread);
    plussi_free(&plussi_own, s->trace);
    plussi_free(&plussi_own, s);
}

static pluss_rt_run *spare; /* guarded by the runs' lock */
static unsigned n_spare;

static void free_whole(pluss_rt_run *run)
{
    plussi_free(&plussi_own, run->room.symbols);
    plussi_free(&plussi_own, run->room.bases);
    plussi_free(&plussi_own, run);
}

void plussi_run_free(pluss_rt_run *run)
{
    while (run->sampled) {
        plussi_sampled *next = run->sampled->next;
        sampled_free(run->sampled);
        run->sampled = next;
    }
    uint32_t team = atomic_load(&run->team);
    for (uint32_t k = 0; k < team; k++) {
        member_free(atomic_load_explicit(&run->thread[k], memory_order_relaxed));
        atomic_store_explicit(&run->thread[k], NULL, memory_order_relaxed);
        atomic_store_explicit(&run->busy[k], false, memory_order_relaxed);
    }
    plussi_carried_free(&run->found);
    plussi_tally_free(&run->seen);
    struct plussi_room room = run->room;
    memset(run, 0, offsetof(pluss_rt_run, thread));
    run->room = room;
    pthread_mutex_lock(&plussi_runs.lock);
    bool keep = n_spare < MOST_SPARE;
    if (keep) {
        run->next = spare;
        spare = run;
        n_spare++;
    }
    pthread_mutex_unlock(&plussi_runs.lock);
    if (!keep)
        free_whole(run);
}

void plussi_runs_forget(void)
{
    spare = NULL; /* another thread may have been changing it */
    n_spare = 0;
}

/* Of a region, one by one; from then on only some lines are followed. Of programs that count what
 * is not described, which have the cheapest recording that will do. */
static uint64_t accesses_to_record(void)
{
    static uint64_t most;
    if (!most) {
        const char *text = getenv("PLUSS_RECORD_ACCESSES");
        char *end = NULL;
        unsigned long long n = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
        most = n && !*end ? n : USUALLY_RECORDED;
        if (text && most != n)
            plussi_tell("PLUSS_RECORD_ACCESSES=%s is not understood: it is a number from 1 on",
                        text);
    }
    return most;
}

static plussi_member *member_new(const pluss_rt_run *run, uint32_t thread)
{
    plussi_member *m = plussi_calloc(&plussi_own, 1, sizeof *m);
    if (m && run->filled && !(m->fill = plussi_fill_new())) {
        plussi_free(&plussi_own, m);
        return NULL;
    }
    if (!m || (run->by == PLUSSI_BY_BIND && !run->timed))
        return m;
    if (run->timed) {
        if (plussi_stamps_enabled())
            m->stamps = plussi_stamps_new(run->number, thread);
    } else {
        m->collector = plussi_collector_take(run->region->n_refs);
        if (m->collector && plussi_sidecar_enabled(PLUSSI_SIDECAR_TOUCHES))
            m->touches = plussi_touch_log_new(run->number, thread);
    }
    if (!run->timed && !m->collector) {
        member_free(m);
        return NULL;
    }
    if (m->collector)
        m->collector->shape = run->region->ref;
    if (m->collector && run->counted &&
        !plussi_collector_follow(m->collector, run->follow_from, PLUSSI_FOLLOWED_LINES,
                                 run->follow_shift)) {
        member_free(m);
        return NULL;
    }
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

/* From a signal handler. */
const plussi_stamps *plussi_run_stamps(const void *run, uint32_t k)
{
    const plussi_member *m =
        atomic_load_explicit(&((const pluss_rt_run *)run)->thread[k], memory_order_acquire);
    return m ? m->stamps : NULL;
}

/* Makes room for at least n values, n = 0 included. */
static bool room_for(void *ptr_to_array, size_t *cap, size_t n)
{
    while (n >= *cap)
        if (plussi_grow(&plussi_own, ptr_to_array, cap, n, sizeof(int64_t)) != PLUSS_OK)
            return false;
    return true;
}

/* lock is held */
pluss_rt_run *plussi_run_new(const pluss_rt_region *region, const int64_t *symbols,
                             const void *const *bases, uint32_t how)
{
    plussi_known *known = plussi_known_region(region);
    pluss_rt_run *run = spare;
    if (!known)
        return NULL;
    if (run) {
        spare = run->next;
        n_spare--;
    } else if (!(run = plussi_calloc(&plussi_own, 1, sizeof *run))) {
        return NULL;
    }
    if (!room_for(&run->room.symbols, &run->room.cap_symbols, region->n_symbols) ||
        !room_for(&run->room.bases, &run->room.cap_bases, region->n_arrays)) {
        free_whole(run);
        return NULL;
    }
    run->symbols = run->room.symbols;
    run->bases = run->room.bases;
    run->known = known;
    run->region = &known->region;
    run->serial = how & PLUSSI_RUN_SERIAL;
    run->counted = how & PLUSS_RT_COUNTED;
    plussi_runs.sums.counted |= run->counted;
    run->filled = (how & PLUSS_RT_FILLED) && plussi_runs.sums.n_filled < PLUSSI_FILL_MOST;
    run->called = (how & PLUSS_RT_CALLED) && region->n_refs > 0;
    how &= ~(uint32_t)(PLUSS_RT_COUNTED | PLUSS_RT_CALLED | PLUSS_RT_FILLED | PLUSSI_RUN_SERIAL);
    run->by = how == PLUSS_RT_PROFILE ? PLUSSI_BY_PROFILE : PLUSSI_BY_BIND;
    if (run->counted) {
        const uint64_t most = accesses_to_record();
        run->follow_from = known->recorded < most ? most - known->recorded : 0;
        run->follow_shift = run->follow_from ? 0 : known->shift;
    }
    run->timed = how == PLUSS_RT_TIME;
    run->next = NULL;
    memset(run->symbols, 0, region->n_symbols * sizeof *run->symbols);
    memset(run->bases, 0, region->n_arrays * sizeof *run->bases);
    for (uint32_t i = 0; symbols && i < region->n_symbols; i++)
        run->symbols[i] = symbols[i];
    for (uint32_t i = 0; bases && i < region->n_arrays; i++)
        run->bases[i] = (uint64_t)(uintptr_t)bases[i];
    atomic_store(&run->team, 1);
    run->default_team = 0;
    run->number = plussi_runs.n_began++;
    run->began = plussi_ticks();
    plussi_run_clock_begin(run);
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
