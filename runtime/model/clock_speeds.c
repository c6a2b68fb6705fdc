/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "model/clock_state.h"

enum { MOST_STALLS = 1 << 20 /* of a thread in a phase; beyond, it runs through */ };

pluss_status plussi_clock_speeds_new(plussi_clock_run *run)
{
    const plussi_mem *mem = &run->ctx->mem;
    run->drift[0] = plussi_calloc(mem, 2 * (size_t)run->team, sizeof *run->drift[0]);
    run->draw = plussi_calloc(mem, 2 * (size_t)run->team, sizeof *run->draw);
    if (!run->drift[0] || !run->draw)
        return PLUSS_ENOMEM;
    run->drift[1] = run->drift[0] + run->team;
    run->drifted[0] = run->drifted[1] = UINT64_MAX;
    for (uint32_t i = 0; i < 2 * run->team; i++) {
        plussi_clock_drift *d = &run->drift[0][i];
        d->ticks.point = plussi_calloc(mem, 1, sizeof *d->ticks.point);
        if (!d->ticks.point)
            return PLUSS_ENOMEM;
        d->room = d->ticks.n = 1;
    }
    return PLUSS_OK;
}

void plussi_clock_speeds_free(plussi_clock_run *run)
{
    const plussi_mem *mem = &run->ctx->mem;
    for (uint32_t i = 0; run->drift[0] && i < 2 * run->team; i++)
        plussi_free(mem, run->drift[0][i].ticks.point);
    plussi_free(mem, run->drift[0]);
    plussi_free(mem, run->draw);
}

static bool make_room(plussi_clock_run *run, plussi_clock_drift *d)
{
    if (d->ticks.n + 2 <= d->room)
        return true;
    size_t room = 2 * d->room + 2;
    plussi_timeline_point *p = plussi_realloc(&run->ctx->mem, d->ticks.point, room, sizeof *p);
    if (!p)
        return !(run->failed = true);
    d->ticks.point = p;
    d->room = room;
    return true;
}

/* As many stalls as the thread can meet; it makes `length` accesses. */
static void add_stalls(plussi_clock_run *run, uint64_t phase, uint32_t k, double length,
                       plussi_clock_drift *d)
{
    plussi_stalls stalls;
    double running, stall;
    /* ticks scatter about what is expected: some more than are needed */
    double enough = length + 10 * sqrt(length) + 10;
    plussi_stalls_begin(&stalls, &run->options->speeds, run->seed, phase, k);
    for (size_t n = 0; n < MOST_STALLS; n++) {
        plussi_stalls_next(&stalls, &running, &stall);
        plussi_timeline_point last = d->ticks.point[d->ticks.n - 1];
        double done = last.done + running * d->speed;
        if (done > enough || !make_room(run, d))
            return;
        d->ticks.point[d->ticks.n++] = (plussi_timeline_point){last.time + running, done};
        d->ticks.point[d->ticks.n++] = (plussi_timeline_point){last.time + running + stall, done};
    }
}

void plussi_clock_speeds_begin(plussi_clock_run *run, int which, uint64_t phase)
{
    const plussi_speeds *speeds = &run->options->speeds;
    uint64_t region = plussi_engine_region(run->scan, phase);
    bool stalls = speeds->stall_rate > 0 && speeds->stall > 0;
    if (run->drifted[which] == phase ||
        (plussi_speeds_steady(speeds) && run->drifted[which] == region))
        return;
    double *speed = run->draw, *start = run->draw + run->team;
    plussi_speeds_draw(speeds, run->seed, region, run->team, speed);
    plussi_speeds_start(speeds, run->seed, phase, run->team, start);
    for (uint32_t k = 0; k < run->team; k++) {
        plussi_clock_drift *d = &run->drift[which][k];
        d->speed = speed[k];
        d->ticks.n = 1;
        d->ticks.point[0] = (plussi_timeline_point){start[k], 0};
        if (stalls)
            add_stalls(run, phase, k, (double)plussi_engine_length(run->scan, k, phase), d);
    }
    run->drifted[which] = plussi_speeds_steady(speeds) ? region : phase;
}

double plussi_clock_ticks(const plussi_clock_drift *drift, double time)
{
    const plussi_timeline_point *last = &drift->ticks.point[drift->ticks.n - 1];
    if (time >= last->time)
        return last->done + (time - last->time) * drift->speed;
    return plussi_timeline_done(&drift->ticks, time);
}

double plussi_clock_when(const plussi_clock_drift *drift, double ticks)
{
    const plussi_timeline_point *last = &drift->ticks.point[drift->ticks.n - 1];
    if (ticks >= last->done)
        return last->time + (ticks - last->done) / drift->speed;
    return plussi_timeline_time(&drift->ticks, ticks);
}
