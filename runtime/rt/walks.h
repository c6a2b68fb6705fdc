/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * One simulated thread's walk through a sampler: the teams and worksharing loops that it is in, and
 * what it has collected. Private to the walker's system thread.
 */
#ifndef PLUSSI_RT_WALKS_H
#define PLUSSI_RT_WALKS_H

#include "rt/collect.h"
#include "rt/sampled_thread.h"
#include "rt/sampler.h"
#include "team/dispatch.h"

enum { PLUSSI_WALK_DEPTH = 16, PLUSSI_MAX_TEAM = 4096 };

/* Which thread takes which chunk of the loops that are dispatched on demand, in the order in which
 * a walk meets them. Written by the planning pass, then only read. */
typedef struct plussi_plan {
    uint32_t *owner; /* of all chunks of all loops, one after another */
    size_t n_owners, cap_owners;
    struct plussi_plan_loop {
        uint64_t trips;
        size_t first; /* of its owners */
    } * loop;
    size_t n_loops, cap_loops;
    size_t *parallel; /* the outer parallel regions: number of loops before each */
    size_t n_parallels, cap_parallels;
    bool failed; /* no memory: chunks go round in turn, and the run is counted as lost */
} plussi_plan;

void plussi_plan_free(plussi_plan *plan);

/* A schedule that the environment asks for; kind is PLUSS_RT_WALK_..., chunk 0: none given. */
typedef struct plussi_walk_schedule {
    bool given;
    uint32_t kind;
    int64_t chunk;
} plussi_walk_schedule;

typedef struct plussi_walk_team {
    uint32_t team, me;
    bool member;
} plussi_walk_team;

typedef struct plussi_walk_loop {
    bool is_static, nowait, planned, plan_holds;
    uint32_t me;
    uint32_t stride;          /* from one chunk that is looked at to the next */
    uint64_t number;          /* of the next one */
    plussi_dispatch dispatch; /* static: its iterations, chunk (0: none) and team alone */
    plussi_segment left;      /* of the chunk that it is at */
    size_t plan_first;        /* where its owners are in the plan */
} plussi_walk_loop;

struct pluss_rt_walk {
    plussi_collector *collector;
    const pluss_rt_ref *shape;
    bool plain;         /* every access goes to the collector */
    uint32_t me;        /* number in the innermost team; in serial code that in the outer one */
    uint64_t threshold; /* lines whose hash is not above are followed */
    uint64_t *made;     /* accesses by reference, where not all are followed */
    plussi_sampled_thread *sampled; /* NULL: not wanted */
    uint64_t phase;                 /* its key */
    uint64_t phase_from;            /* the clock when it began */

    pluss_rt_sample *sample;
    void *entry; /* the sample's team that it belongs to */
    uint32_t thread, team, seen;
    plussi_walk_schedule schedule;

    uint32_t depth, loops; /* of parallel regions and of loops that are open */
    uint64_t first;        /* of the last chunk that was given */
    bool ragged;           /* the range whose trips were counted last is no multiple of its step */

    plussi_plan *plan;
    bool plans;
    size_t parallels, meetings; /* met so far */
    uint64_t *clock;            /* planning pass: each thread's accesses since the last barrier */
    uint64_t mark;              /* planning pass: its own clock when the chunk began */
    uint32_t owner;             /* planning pass: who has the chunk it is at */
    bool holds_chunk;

    struct pluss_rt_walk *next; /* of those that wait for another use */
    /* below `depth` and `loops` */
    plussi_walk_team teams[PLUSSI_WALK_DEPTH];
    plussi_walk_loop loop[PLUSSI_WALK_DEPTH];
};

/* NULL: no memory. rate in (0, 1]; most: accesses of its sampled trace, 0:
 * none are kept. */
pluss_rt_walk *plussi_rt_walk_new(const pluss_rt_region *region, uint32_t team, uint32_t thread,
                                  bool plans, double rate, size_t most, plussi_plan *plan,
                                  plussi_walk_schedule schedule);
/* Gives the collector away, its counts scaled to all accesses, and the sampled trace (NULL: none).
 */
plussi_collector *plussi_rt_walk_finish(pluss_rt_walk *walk, plussi_sampled_thread **sampled);
/* How many threads share the lines that were touched first, scaled as those touches were: after
 * plussi_collect_shared. */
void plussi_rt_scale_shared(plussi_collector *collector);
void plussi_rt_walks_forget(void); /* in a child process */

#endif
