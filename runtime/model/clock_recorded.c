/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/clock_state.h"

/* The engine counts empty phases, a timeline does not. */
pluss_status plussi_clock_recorded_new(plussi_clock_run *run)
{
    enum { MOST = 1 << 24 };
    uint64_t n = plussi_engine_phases(run->engine), before = 0;
    if (n > MOST)
        return plussi_fail(run->ctx, PLUSS_ELIMIT, NULL,
                           "model clock: more than %d phases of a recorded timeline", MOST);
    run->phases = plussi_calloc(&run->ctx->mem, n + 1, sizeof *run->phases);
    if (!run->phases)
        return PLUSS_ENOMEM;
    for (uint64_t phase = 0; phase < n; phase++) {
        uint64_t next = plussi_engine_before(run->scan, phase + 1);
        run->phases[phase + 1] = run->phases[phase] + (next > before);
        before = next;
    }
    return PLUSS_OK;
}

/* NULL: nothing is known of the thread. */
static const plussi_timeline_thread *timeline_of(const plussi_clock_run *run, uint64_t phase,
                                                 uint32_t k)
{
    const plussi_timeline_phase *p =
        &run->timeline->phase[run->phases[phase] % run->timeline->n_phases];
    return k < p->team && p->thread[k].n ? &p->thread[k] : NULL;
}

double plussi_clock_recorded_time(const plussi_clock_run *run, uint64_t phase, uint32_t k,
                                  uint64_t pos)
{
    const plussi_timeline_thread *timeline = timeline_of(run, phase, k);
    return timeline ? plussi_timeline_time(timeline, (double)pos) : 0;
}

uint64_t plussi_clock_recorded_count(const plussi_clock_run *run, uint64_t phase, uint32_t k,
                                     double time, uint32_t own)
{
    const plussi_timeline_thread *timeline = timeline_of(run, phase, k);
    uint64_t all = plussi_engine_length(run->scan, k, phase), step = 1;
    if (!timeline || all == 0)
        return time > 0 || k < own ? all : 0;
    /* the first access that is not before it: from a guess, in growing steps, then by halves */
    double guess = plussi_timeline_done(timeline, time);
    uint64_t lo = 0, hi = all, at = guess < (double)all ? (uint64_t)guess : all - 1;
    while (lo < hi) {
        double t = plussi_timeline_time(timeline, (double)at);
        if (t < time || (t == time && k < own))
            lo = at + 1;
        else
            hi = at;
        if (lo < hi) {
            if (hi == all)
                at = hi - lo > step ? lo + step - 1 : lo + (hi - lo) / 2;
            else if (lo == 0)
                at = hi > step ? hi - step : hi / 2;
            else
                at = lo + (hi - lo) / 2;
            step *= 2;
        }
    }
    return lo;
}
