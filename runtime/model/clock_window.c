/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The window of an access: who touched its line last, and how far every thread had come then. With
 * the clocks of uniform interleaving all of it is drawn from its exact distribution.
 */
#include "model/clock_state.h"

static double beta_time(plussi_clock_run *run, uint64_t y, uint64_t n)
{
    return plussi_draw_beta(&run->rng, (double)y + 1, (double)(n - y));
}

static void find_touch(plussi_clock_run *run, uint32_t k)
{
    plussi_clock_thread *t = &run->thread[k];
    t->touched = plussi_engine_holds(run->engine, k, run->line) &&
                 plussi_engine_prev(run->scan, &t->cursor, run->line, NULL, &t->touch);
    if (t->touched)
        plussi_engine_locate(run->scan, &t->touch, &t->phase, &t->pos);
}

void plussi_clock_window(plussi_clock_run *run)
{
    uint32_t own = (uint32_t)run->spot.iv[0];
    plussi_engine_locate(run->scan, &run->spot, &run->phase, &run->pos);
    run->line = plussi_engine_line(run->scan, &run->spot);
    double now = plussi_draw_gamma(&run->rng, (double)run->pos + 1);
    run->cold = true;
    double latest = 0;
    for (uint32_t k = 0; k < run->team; k++) {
        plussi_clock_thread *t = &run->thread[k];
        t->n = k == own ? run->pos : plussi_draw_poisson(&run->rng, now);
        uint64_t length = plussi_engine_length(run->scan, k, run->phase);
        t->end = t->n < length ? t->n : length;
        if (k == own)
            t->cursor = run->spot;
        else
            plussi_engine_unrank(run->scan, k, run->phase, t->end, &t->cursor);
        find_touch(run, k);
        if (!t->touched)
            continue;
        t->time = t->phase == run->phase ? now * beta_time(run, t->pos, t->n)
                                         : plussi_draw_gamma(&run->rng, (double)t->pos + 1);
        if (run->cold || t->phase > run->source_phase ||
            (t->phase == run->source_phase && t->time > latest)) {
            run->cold = false;
            run->source = k;
            run->source_phase = t->phase;
            latest = t->time;
        }
    }
    if (run->cold)
        return;
    bool same = run->source_phase == run->phase;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < run->team; k++) {
        plussi_clock_thread *t = &run->thread[k];
        bool here = t->touched && t->phase == run->source_phase;
        uint64_t from = here ? t->pos + 1 : 0;
        double since = here ? t->time : 0;
        if (k == run->source)
            t->start = from;
        else if (same)
            t->start = from + plussi_draw_binomial(&run->rng, t->n - from,
                                                   (latest - since) / (now - since));
        else
            t->start = from + plussi_draw_poisson(&run->rng, latest - since);
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
