/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The progress of the threads of a real run: access n of a thread comes at its time in the
 * timeline. After the timeline's last phase it repeats from the first; a thread without a timeline
 * makes its accesses when the phase begins.
 */
#include "team/law.h"

/* A thread's cursor: the last phase asked about, and the point found there. */
typedef struct cursor {
    const plussi_timeline_thread *thread;
    size_t point;
} cursor;

static pluss_status new (plussi_clocks *c)
{
    c->state = plussi_arena_alloc(&c->arena, c->team, sizeof(cursor));
    return c->state ? PLUSS_OK : PLUSS_ENOMEM;
}

/* NULL: unknown thread. */
static const plussi_timeline_thread *thread_of(const plussi_clocks *c, uint64_t phase, uint32_t k)
{
    uint64_t number = c->phases.recorded(c->phases.user, phase);
    const plussi_timeline_phase *p = &c->timeline->phase[number % c->timeline->n_phases];
    return k < p->team && p->thread[k].n ? &p->thread[k] : NULL;
}

static bool is_at(const plussi_timeline_thread *t, size_t point, double done)
{
    return t->point[point].done <= done && (point + 1 == t->n || t->point[point + 1].done > done);
}

static double time_of(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos)
{
    (void)which;
    const plussi_timeline_thread *thread = thread_of(c, phase, k);
    cursor *at = (cursor *)c->state + k;
    if (!thread)
        return 0;
    if (at->thread != thread || !is_at(thread, at->point, (double)pos))
        *at = (cursor){thread, plussi_timeline_find(thread, (double)pos)};
    return plussi_timeline_at(thread, at->point, (double)pos);
}

static double guess_position(plussi_clocks *c, uint64_t phase, uint32_t k, double time)
{
    const plussi_timeline_thread *thread = thread_of(c, phase, k);
    return thread ? plussi_timeline_done(thread, time) : 0;
}

static const char *check_parameters(const plussi_progress *p)
{
    return p->timelines && p->timelines->n ? NULL : "there is no recorded progress";
}

const plussi_law plussi_law_recorded = {
    .name = "recorded",
    .syntax = "recorded",
    .summary = "as in a real run, from its time stamps",
    .check = check_parameters,
    .timed = true,
    .new = new,
    .time = time_of,
    .guess = guess_position,
    .new_order = new,
};
