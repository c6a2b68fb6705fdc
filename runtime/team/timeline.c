/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/timeline.h"
#include "base/bisect.h"

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
    PLUSSI_BISECT(size_t, next, 1, thread->n, thread->point[next].done > done);
    return next - 1;
}

double plussi_timeline_time(const plussi_timeline_thread *thread, double done)
{
    return plussi_timeline_at(thread, plussi_timeline_find(thread, done), done);
}

double plussi_timeline_done(const plussi_timeline_thread *thread, double time)
{
    if (thread->n == 0 || time < thread->point[0].time)
        return 0;
    PLUSSI_BISECT(size_t, next, 1, thread->n, thread->point[next].time > time);
    const plussi_timeline_point *p = &thread->point[next - 1];
    if (next == thread->n)
        return p->done;
    return p->done + (time - p->time) * ((p[1].done - p->done) / (p[1].time - p->time));
}
