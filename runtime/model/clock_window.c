/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The window of an access: which thread touched its line last, and how far every thread had come
 * then. Under uniform interleaving all of it is drawn from its exact distribution.
 */
#include "model/clock_state.h"

const plussi_cursor *plussi_clock_cursor(plussi_clock_run *run, uint32_t k)
{
    plussi_clock_thread *t = &run->thread[k];
    if (!t->has_cursor)
        plussi_engine_unrank(run->workspace, k, run->phase, t->end, &t->cursor);
    t->has_cursor = true;
    return &t->cursor;
}

/* Finds how far every thread has come at `now`, jointly: of all threads, in order. */
static void look_around(plussi_clock_run *run, uint32_t own, double now)
{
    bool all = run->clocks.law->jointly;
    for (uint32_t k = all ? 0 : run->first; k < (all ? run->team : run->last); k++) {
        plussi_clock_thread *t = &run->thread[k];
        bool sharer = k >= run->first && k < run->last;
        t->stamp = sharer ? run->stamp : 0;
        t->n = k == own ? run->pos : plussi_clock_count(run, run->phase, k, now);
        uint64_t length = plussi_engine_length(run->workspace, k, run->phase);
        t->end = t->n < length ? t->n : length;
        t->has_cursor = k == own;
        t->has_edge = false;
        if (sharer)
            run->seen[run->n_seen++] = k;
    }
    run->thread[own].cursor = run->cursor;
}

/* The latest touch by thread k, unless it is in an earlier phase than the latest known one. */
static void look_back(plussi_clock_run *run, uint32_t k)
{
    plussi_clock_thread *t = &run->thread[k];
    plussi_cursor fence;
    bool fenced = !run->cold && run->source_phase > 0;
    t->touched = false;
    if (!(run->toucher[k / 64] >> k % 64 & 1))
        return;
    const bool known = run->known && !fenced && k == (uint32_t)run->cursor.iv[0];
    if (fenced)
        plussi_engine_end(run->workspace, k, run->source_phase - 1, &fence);
    if (known ? !run->known->any
              : !plussi_engine_prev(run->workspace, plussi_clock_cursor(run, k), run->line,
                                    fenced ? &fence : NULL, &t->touch))
        return;
    if (run->evicted && run->evicted->iv[0] == (int64_t)k)
        t->touch = *run->evicted;
    else if (run->filter &&
             !plussi_clock_find_request(run, run->filter - 1, plussi_clock_cursor(run, k),
                                        fenced ? &fence : NULL, &t->touch))
        return;
    plussi_engine_locate(run->workspace, &t->touch, &t->phase, &t->pos);
    t->touched = run->cold || t->phase >= run->source_phase;
    if (t->touched)
        run->source_phase = t->phase;
    run->cold = false;
}

/* Finds the latest of the touches and its time on the clock of its phase. */
static void find_source(plussi_clock_run *run, uint32_t own, double now)
{
    look_back(run, own);
    for (uint32_t k = run->first; k < run->last; k++)
        if (k != own)
            look_back(run, k);
    if (run->cold)
        return;
    bool same = run->source_phase == run->phase, any = false;
    if (!same)
        plussi_clock_begin(run, 1, run->source_phase);
    for (uint32_t k = run->first; k < run->last; k++) {
        plussi_clock_thread *t = &run->thread[k];
        if (!t->touched || t->phase != run->source_phase)
            continue;
        t->time = same ? plussi_clock_time_before(run, run->phase, k, t->pos, t->n, now)
                       : plussi_clock_time(run, 1, run->source_phase, k, t->pos);
        /* without drawn times, of equal times the lower thread's comes first */
        if (!any || t->time > run->latest || (t->time == run->latest && run->clocks.law->timed)) {
            run->latest = t->time;
            run->source = run->clocks.source = k;
            run->clocks.source_pos = t->pos;
        }
        any = true;
    }
}

static void find_window(plussi_clock_run *run, uint32_t own, double now)
{
    enum { THREAD = 10 }; /* steps: two draws from its clock, a cursor */
    if (run->team > 1)
        plussi_engine_touchers(run->engine, run->line, run->toucher);
    else
        run->toucher[0] = 1;
    plussi_effort_take(plussi_effort_of(run->ctx), THREAD * (run->last - run->first));
    look_around(run, own, now);
    find_source(run, own, now);
    if (run->cold)
        return;
    bool same = run->source_phase == run->phase;
    run->interval = 1;
    for (uint32_t k = run->first; k < run->last; k++) {
        plussi_clock_thread *t = &run->thread[k];
        bool here = t->touched && t->phase == run->source_phase;
        uint64_t from = here ? t->pos + 1 : 0;
        double since = here ? t->time : 0;
        t->start = from;
        if (k != run->source)
            t->start = plussi_clock_count_between(run, !same, run->source_phase, k, from, since,
                                                  same ? t->n : UINT64_MAX, now, run->latest);
        uint64_t length =
            same ? t->end : plussi_engine_length(run->workspace, k, run->source_phase);
        if (t->start > length)
            t->start = length;
        run->interval += length - t->start + (same ? 0 : t->end);
    }
}

static void find_window_of_team(plussi_clock_run *run, uint32_t own)
{
    const bool free = run->options->progress.law == PLUSSI_PROGRESS_UNIFORM && !run->handed_out &&
                      !run->paths && run->last - run->first == run->team && !run->filter;
    plussi_clock_begin(run, 0, run->phase);
    const double now =
        free ? plussi_clock_time_free(run) : plussi_clock_time(run, 0, run->phase, own, run->pos);
    run->now = now;
    if (free)
        plussi_clock_window_free(run, now);
    else
        find_window(run, own, now);
}

void plussi_clock_window(plussi_clock_run *run)
{
    run->line = run->known ? run->known->line : plussi_engine_line(run->workspace, &run->cursor);
    plussi_clock_window_of_line(run);
}

void plussi_clock_window_of_line(plussi_clock_run *run)
{
    uint32_t own = (uint32_t)run->cursor.iv[0];
    if (run->known) {
        run->phase = run->known->phase;
        run->pos = run->known->pos;
    } else {
        plussi_engine_locate(run->workspace, &run->cursor, &run->phase, &run->pos);
    }
    run->stamp++;
    run->n_seen = 0;
    run->crowd = 0;
    run->cold = true;
    plussi_clock_choose_cache_threads(run, own);
    run->clocks.own = own;
    if (run->team == 1 && !run->filter && !run->evicted)
        plussi_clock_window_alone(run);
    else
        find_window_of_team(run, own);
    if (run->cold)
        return;
    run->between = plussi_clock_between(run);
    run->interval += run->between;
}
