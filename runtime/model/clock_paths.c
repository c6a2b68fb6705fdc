/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks of one run under uniform progress. The answer to a question about a thread is drawn
 * from its exact distribution given all earlier answers, and kept, so that all accesses that a
 * replication evaluates are of the same run. Between two moments with known counts a Poisson
 * process is that many uniform draws; after the last one it starts anew.
 */
#include <math.h>
#include <string.h>

#include "base/bisect.h"
#include "base/map.h"
#include "model/clock_state.h"

enum { FIRST_TABLE = 64 };

/* The thread has made that many accesses of a phase by this time. */
typedef struct point {
    double time;
    uint64_t made;
    bool exact; /* the last of them at exactly this time */
} point;

/* A thread in a phase; points ascend. */
typedef struct path {
    point *point;
    size_t n, room;
} path;

typedef struct paths_phase {
    uint64_t number;
    path *thread;
} paths_phase;

struct plussi_clock_paths {
    plussi_mem mem;
    uint32_t team;
    paths_phase *table; /* base/map.h; thread NULL: empty */
    size_t n, size;
    paths_phase *last;
};

/* ---- the phases ------------------------------------------------------------------------------ */

pluss_status plussi_clock_paths_new(const plussi_mem *mem, uint32_t team, plussi_clock_paths **out)
{
    plussi_clock_paths *p = plussi_calloc(mem, 1, sizeof *p);
    if (!p)
        return PLUSS_ENOMEM;
    p->mem = *mem;
    p->team = team;
    *out = p;
    return PLUSS_OK;
}

void plussi_clock_paths_free(plussi_clock_paths *paths)
{
    if (!paths)
        return;
    const plussi_mem mem = paths->mem;
    for (size_t i = 0; i < paths->size; i++) {
        for (uint32_t k = 0; paths->table[i].thread && k < paths->team; k++)
            plussi_free(&mem, paths->table[i].thread[k].point);
        plussi_free(&mem, paths->table[i].thread);
    }
    plussi_free(&mem, paths->table);
    plussi_free(&mem, paths);
}

PLUSSI_NUMBER_MAP(phases, paths_phase, number, thread)

/* NULL: memory ran out. */
static path *path_of(plussi_clock_run *run, uint64_t phase, uint32_t k)
{
    plussi_clock_paths *p = run->paths;
    if (p->last && p->last->number == phase)
        return &p->last->thread[k];
    if (!phases_reserve(&p->mem, &p->table, &p->size, FIRST_TABLE, p->n + 1)) {
        run->failed = true;
        return NULL;
    }
    paths_phase *x = phases_find(p->table, p->size, phase, phase);
    if (!x->thread) {
        x->thread = plussi_calloc(&p->mem, p->team, sizeof *x->thread);
        if (!x->thread) {
            run->failed = true;
            return NULL;
        }
        x->number = phase;
        p->n++;
    }
    p->last = x;
    return &x->thread[k];
}

static void insert_point(plussi_clock_run *run, path *p, size_t at, point x)
{
    if (p->n == p->room) {
        size_t room = p->room ? 2 * p->room : 8;
        point *more = plussi_realloc(&run->paths->mem, p->point, room, sizeof *more);
        if (!more) {
            run->failed = true;
            return;
        }
        p->point = more;
        p->room = room;
    }
    memmove(p->point + at + 1, p->point + at, (p->n - at) * sizeof *p->point);
    p->point[at] = x;
    p->n++;
}

/* ---- between which points -------------------------------------------------------------------- */

/* The neighbours among the points and the moments of dispatch. to.time HUGE_VAL: no next one. */
typedef struct gap {
    point from, to;
    size_t at; /* index in the path's points of one that falls between the two */
} gap;

static size_t after_time(const path *p, double time)
{
    PLUSSI_BISECT(size_t, i, 0, p->n, p->point[i].time > time);
    return i;
}

static size_t above_count(const path *p, uint64_t made)
{
    PLUSSI_BISECT(size_t, i, 0, p->n, p->point[i].made > made);
    return i;
}

static point moment_at(const plussi_clock_moments *moments, size_t i)
{
    return (point){plussi_clock_moment_time(moments, i), plussi_clock_moment_access(moments, i) + 1,
                   true};
}

/* m: the first moment after the gap. */
static gap gap_at(const path *p, size_t at, const plussi_clock_moments *moments, size_t m)
{
    gap g = {.to.time = HUGE_VAL, .at = at};
    if (at > 0)
        g.from = p->point[at - 1];
    if (at < p->n)
        g.to = p->point[at];
    if (m > 0 && plussi_clock_moment_time(moments, m - 1) >= g.from.time)
        g.from = moment_at(moments, m - 1);
    if (m < moments->n && plussi_clock_moment_time(moments, m) <= g.to.time)
        g.to = moment_at(moments, m);
    return g;
}

/* Number of accesses that are uniformly distributed in the gap. */
static uint64_t draw_within(const gap *g)
{
    return g->to.made - g->to.exact - g->from.made;
}

/* ---- the questions --------------------------------------------------------------------------- */

double plussi_clock_path_time(plussi_clock_run *run, uint64_t phase, uint32_t k, uint64_t pos)
{
    plussi_clock_moments m = {0};
    path *p = path_of(run, phase, k);
    if (!p)
        return 0;
    plussi_clock_is_pinned(run, phase, k, &m);
    size_t next = plussi_clock_moment_above(&m, pos);
    next -= next > 0 && plussi_clock_moment_access(&m, next - 1) == pos;
    gap g = gap_at(p, above_count(p, pos), &m, next);
    if (g.to.exact && g.to.made == pos + 1)
        return g.to.time;
    double before = (double)(pos - g.from.made), time = g.from.time;
    if (g.to.time == HUGE_VAL)
        time += plussi_draw_gamma(&run->rng, before + 1);
    else
        time += (g.to.time - time) *
                plussi_draw_beta(&run->rng, before + 1, (double)draw_within(&g) - before);
    insert_point(run, p, g.at, (point){time, pos + 1, true});
    return time;
}

uint64_t plussi_clock_path_count(plussi_clock_run *run, uint64_t phase, uint32_t k, double time)
{
    plussi_clock_moments m = {0};
    path *p = path_of(run, phase, k);
    if (!p)
        return 0;
    plussi_clock_is_pinned(run, phase, k, &m);
    gap g = gap_at(p, after_time(p, time), &m, plussi_clock_moment_after(&m, time));
    if (time <= g.from.time)
        return g.from.made;
    uint64_t made = g.from.made;
    if (g.to.time == HUGE_VAL)
        made += plussi_draw_poisson(&run->rng, time - g.from.time);
    else
        made += plussi_draw_binomial(&run->rng, draw_within(&g),
                                     (time - g.from.time) / (g.to.time - g.from.time));
    insert_point(run, p, g.at, (point){time, made, false});
    return made;
}
