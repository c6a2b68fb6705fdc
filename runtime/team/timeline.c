/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/timeline.h"

void plussi_timelines_free(plussi_timelines *timelines)
{
    if (!timelines)
        return;
    plussi_mem mem = timelines->arena.mem;
    plussi_arena_free(&timelines->arena);
    plussi_free(&mem, timelines);
}

double plussi_timeline_at(const plussi_timeline_thread *thread, size_t i, double done)
{
    const plussi_timeline_point *p = &thread->point[i];
    if (i + 1 < thread->n)
        return p->time + (done - p->done) * ((p[1].time - p->time) / (p[1].done - p->done));
    double span = p->time - thread->point[0].time;
    return p->done > 0 ? p->time + (done - p->done) * (span / p->done) : p->time;
}

size_t plussi_timeline_find(const plussi_timeline_thread *thread, double done)
{
    size_t lo = 0, hi = thread->n;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (thread->point[mid].done <= done)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

double plussi_timeline_time(const plussi_timeline_thread *thread, double done)
{
    return plussi_timeline_at(thread, plussi_timeline_find(thread, done), done);
}

double plussi_timeline_done(const plussi_timeline_thread *thread, double time)
{
    size_t lo = 0, hi = thread->n; /* the last point at or before it */
    if (hi == 0 || time < thread->point[0].time)
        return 0;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (thread->point[mid].time <= time)
            lo = mid;
        else
            hi = mid;
    }
    const plussi_timeline_point *p = &thread->point[lo];
    if (hi == thread->n)
        return p->done;
    return p->done + (time - p->time) * ((p[1].done - p->done) / (p[1].time - p->time));
}
