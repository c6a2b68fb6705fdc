/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The window of an access: who touched its line last, and how far every thread had come then. With
 * the clocks of uniform interleaving all of it is drawn from its exact distribution.
 */
#include "model/clock_state.h"

const plussi_spot *plussi_clock_cursor(plussi_clock_run *run, uint32_t k)
{
    plussi_clock_thread *t = &run->thread[k];
    if (!t->has_cursor)
        plussi_engine_unrank(run->scan, k, run->phase, t->end, &t->cursor);
    t->has_cursor = true;
    return &t->cursor;
}

/* Thread k's state at `now`, and its latest touch of the line. */
static void look_back(plussi_clock_run *run, uint32_t k, uint32_t own, double now)
{
    plussi_clock_thread *t = &run->thread[k];
    t->n = k == own ? run->pos : plussi_clock_count(run, run->phase, k, now);
    uint64_t length = plussi_engine_length(run->scan, k, run->phase);
    t->end = t->n < length ? t->n : length;
    t->has_cursor = k == own;
    if (k == own)
        t->cursor = run->spot;
    t->touched =
        (run->toucher[k / 64] >> k % 64 & 1) &&
        plussi_engine_prev(run->scan, plussi_clock_cursor(run, k), run->line, NULL, &t->touch);
    if (t->touched)
        plussi_engine_locate(run->scan, &t->touch, &t->phase, &t->pos);
}

/* The latest of the touches: its time on the clock of its phase. */
static double find_source(plussi_clock_run *run, double now)
{
    double latest = 0;
    run->cold = true;
    for (uint32_t k = 0; k < run->team; k++) {
        const plussi_clock_thread *t = &run->thread[k];
        if (t->touched && (run->cold || t->phase > run->source_phase)) {
            run->cold = false;
            run->source_phase = t->phase;
        }
    }
    if (run->cold)
        return 0;
    bool same = run->source_phase == run->phase, any = false;
    if (!same)
        plussi_clock_begin(run, 1, run->source_phase);
    for (uint32_t k = 0; k < run->team; k++) {
        plussi_clock_thread *t = &run->thread[k];
        if (!t->touched || t->phase != run->source_phase)
            continue;
        t->time = same ? plussi_clock_time_before(run, run->phase, k, t->pos, t->n, now)
                       : plussi_clock_time(run, 1, run->source_phase, k, t->pos);
        if (!any || t->time > latest) {
            latest = t->time;
            run->source = k;
        }
        any = true;
    }
    return latest;
}

void plussi_clock_window(plussi_clock_run *run)
{
    uint32_t own = (uint32_t)run->spot.iv[0];
    plussi_engine_locate(run->scan, &run->spot, &run->phase, &run->pos);
    run->line = plussi_engine_line(run->scan, &run->spot);
    plussi_engine_touchers(run->engine, run->line, run->toucher);
    plussi_clock_begin(run, 0, run->phase);
    double now = plussi_clock_time(run, 0, run->phase, own, run->pos);
    for (uint32_t k = 0; k < run->team; k++)
        look_back(run, k, own, now);
    double latest = find_source(run, now);
    if (run->cold)
        return;
    bool same = run->source_phase == run->phase;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < run->team; k++) {
        plussi_clock_thread *t = &run->thread[k];
        bool here = t->touched && t->phase == run->source_phase;
        uint64_t from = here ? t->pos + 1 : 0;
        double since = here ? t->time : 0;
        t->start = from;
        if (k != run->source)
            t->start = plussi_clock_count_between(run, !same, run->source_phase, k, from, since,
                                                  same ? t->n : UINT64_MAX, now, latest);
        uint64_t length = same ? t->end : plussi_engine_length(run->scan, k, run->source_phase);
        if (t->start > length)
            t->start = length;
        sum += length - t->start + (same ? 0 : t->end);
    }
    run->between = same ? 0
                        : plussi_engine_before(run->scan, run->phase) -
                              plussi_engine_before(run->scan, run->source_phase + 1);
    run->interval = sum + run->between + 1;
}
