/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Levels that more threads share than those before them: they see what the caches of single threads
 * miss, and the written lines that these evict. docs/models.md, "Sets and ways".
 */
#include "model/clock_state.h"

/* A thread's latest stay of the line in its own caches. */
typedef struct stay {
    plussi_cursor request, touch; /* begins with; the latest touch */
    bool any, written, ended;     /* by the time of the access */
} stay;

/* Of a thread whose part of the window is known. */
static stay find_stay(plussi_clock_run *run, uint32_t k)
{
    const plussi_cursor *now = plussi_clock_cursor(run, k);
    stay s = {0};
    plussi_cursor write;
    s.any = plussi_engine_prev(run->workspace, now, run->line, NULL, &s.touch);
    if (!s.any)
        return s;
    s.request = s.touch;
    (void)plussi_clock_find_request(run, run->filter - 1, now, NULL, &s.request);
    s.written = plussi_clock_prev_write(run, now, run->line, &write) &&
                plussi_engine_order(run->workspace, &write, &s.request) >= 0;
    s.ended = !plussi_clock_has(run, run->filter - 1, now);
    return s;
}

/* Whether a line that the level has evicted, if only what is asked for counts, came back since: as
 * these caches evicted it later, written. */
static int came_back(plussi_clock_run *run, uint32_t level, const stay *s,
                     const plussi_cursor *until)
{
    const plussi_cursor access = run->cursor;
    uint64_t met = UINT64_MAX;
    plussi_cursor evicted;
    plussi_clock_find_eviction(run, run->filter - 1, &s->touch, until, &evicted);
    if (!plussi_engine_ref(run->engine, evicted.leaf)) /* at a barrier */
        return 0;
    run->cursor = evicted;
    plussi_clock_window_of_line(run);
    bool gone = !run->cold && plussi_clock_holds(run, level, 0, &met) == 0;
    run->cursor = access;
    if (!gone)
        return 0;
    run->evicted = &evicted;
    run->untouched = plussi_clock_rank_of(run, &evicted) - plussi_clock_rank_of(run, &s->touch);
    plussi_clock_window_of_line(run);
    int back = plussi_clock_holds(run, level, 0, &met);
    run->evicted = NULL;
    return back;
}

/* Whether its own caches brought a line back that the level has evicted otherwise: those of the
 * thread that touched it last, the only ones that can have it written. They do, so that the access
 * makes them write it back, or evicted it later. */
static int is_written_back(plussi_clock_run *run, uint32_t level, uint32_t toucher)
{
    const plussi_cache_shape *shape = run->options->shape;
    if (shape[level].no_write_allocate || shape[run->filter - 1].write_through ||
        !plussi_engine_is_written(run->engine, toucher, run->line))
        return 0;
    const stay s = find_stay(run, toucher);
    const plussi_cursor until = *plussi_clock_cursor(run, toucher);
    if (!s.any || !s.written)
        return 0;
    return s.ended ? came_back(run, level, &s, &until) : toucher != (uint32_t)run->cursor.iv[0];
}

/* The window is that of the latest touch. By then a thread's caches evict a line after as many
 * lines of its set as they can hold, and do not miss as many: more than twice those of all threads,
 * and the level has evicted the line, whatever they asked for. */
static int holds(plussi_clock_run *run, uint32_t level, uint32_t own_levels, uint64_t *met)
{
    if (!own_levels)
        return plussi_clock_holds(run, level, 0, met);
    uint64_t most = plussi_clock_most_in_both(run, own_levels - 1, level);
    if (plussi_clock_holds(run, level, 2 * (run->last - run->first) * most, met) == 0)
        return 0;
    const uint32_t toucher = run->source;
    *met = UINT64_MAX;
    run->filter = own_levels;
    plussi_clock_window(run);
    int held = plussi_clock_holds(run, level, 0, met);
    if (held == 0)
        held = is_written_back(run, level, toucher);
    run->filter = 0;
    return held;
}

/* A level that has the line since one of the thread's accesses, or since a request by another
 * thread after that. */
typedef struct tenure {
    plussi_clock_run *run;
    uint32_t level;
    plussi_cursor since;
} tenure;

/* Whether it has lost the line by another of the thread's accesses. Each call has the same draws.
 */
static bool lacks(void *user, const plussi_cursor *by)
{
    const tenure *h = user;
    plussi_clock_run *run = h->run;
    const plussi_cursor access = run->cursor;
    const plussi_rng drawn = run->rng;
    uint64_t met;
    run->cursor = *by;
    run->evicted = &h->since;
    run->untouched = 0;
    plussi_clock_window_of_line(run);
    bool lost = !run->cold && plussi_clock_holds(run, h->level, 0, &met) == 0;
    run->evicted = NULL;
    run->cursor = access;
    run->rng = drawn;
    return lost;
}

/* Whether an inclusive level has evicted the line, which the thread's own caches hold, since the
 * latest touch: it does so again after each touch that has to request it since. */
static bool is_taken(plussi_clock_run *run, uint32_t level)
{
    enum { TIMES = 8, CHAIN = 64, FEW = 16 /* one in 16 */ };
    const plussi_cursor now = run->cursor;
    uint64_t met;
    plussi_cursor latest, touch;
    plussi_clock_window(run);
    const plussi_cursor *edge = plussi_clock_edge(run, (uint32_t)now.iv[0]);
    if (run->cold || !edge || plussi_clock_holds(run, level, 0, &met) != 0 ||
        !plussi_engine_prev(run->workspace, &now, run->line, NULL, &latest))
        return false;
    tenure h = {run, level, *edge};
    for (int n = 0; n < TIMES && lacks(&h, &now); n++) {
        if (plussi_engine_order(run->workspace, &latest, &h.since) <= 0 || !lacks(&h, &latest))
            return true;
        const plussi_cursor lost = plussi_clock_find_loss(run, &h.since, &latest, FEW, lacks, &h);
        h.since = latest;
        for (int i = 0;
             i < CHAIN && plussi_engine_prev(run->workspace, &h.since, run->line, &lost, &touch);
             i++)
            h.since = touch;
    }
    return false;
}

void plussi_clock_find_shared(plussi_clock_run *run, plussi_clock_sample *x)
{
    enum { DRAWS = 8 };
    const plussi_clock_options *o = run->options;
    uint32_t own_levels, i = 0;
    while (i < o->n_shapes && o->shape[i].threads_per_cache == o->threads_per_cache)
        i++;
    own_levels = i && o->threads_per_cache == 1 && o->shape[i - 1].searched ? i : 0;
    for (; i < o->n_shapes; i++) {
        const plussi_cache_shape *shape = &o->shape[i];
        double variance;
        /* the same draws for each level: what is first in one is first in the next */
        plussi_rng_seed(&run->rng, run->seed, x->number);
        run->threads_per_cache = shape->threads_per_cache;
        if (!plussi_clock_comes_to(o, x, i)) {
            run->filter = own_levels;
            if (shape->inclusive && own_levels && is_taken(run, i)) {
                x->levels.missed |= (UINT64_C(2) << i) - 1;
                x->levels.full |= UINT64_C(1) << i;
            }
            run->filter = 0;
            continue;
        }
        plussi_clock_window(run);
        x->levels.met[i] = UINT64_MAX;
        x->levels.first |= (uint64_t)run->cold << i;
        if (run->cold)
            continue;
        x->levels.loss[i] = (uint8_t)plussi_clock_find_writes(run);
        if (plussi_clock_replaces_none(run, i))
            continue;
        double lines = plussi_clock_distance(run, DRAWS, &variance);
        x->levels.full |= (uint64_t)(lines >= (double)(shape->sets * shape->ways)) << i;
        int held = holds(run, i, own_levels, &x->levels.met[i]);
        x->levels.missed |= (uint64_t)(held == 0) << i;
        x->levels.unsure |= (uint64_t)(held < 0) << i;
    }
    run->threads_per_cache = o->threads_per_cache;
}
