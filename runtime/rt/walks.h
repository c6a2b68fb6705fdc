/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * One simulated thread's walk through a sampler: its current teams and worksharing loops, and its
 * collector. Private to the walker's system thread.
 */
#ifndef PLUSSI_RT_WALKS_H
#define PLUSSI_RT_WALKS_H

#include "rt/collect.h"
#include "rt/sampled_thread.h"
#include "rt/sampler.h"
#include "team/dispatch.h"

enum { PLUSSI_WALK_DEPTH = 16, PLUSSI_MAX_TEAM = 4096 };

/* The thread that each chunk of dynamic loops is dispatched to, in the order in which a walk meets
 * them. The planning pass writes it; afterwards it is only read. */
typedef struct plussi_plan {
    uint32_t *owner; /* of all chunks of all loops, one after another */
    size_t n_owners, cap_owners;
    struct plussi_plan_loop {
        uint64_t trips;
        size_t first; /* index of its first owner */
    } * loop;
    size_t n_loops, cap_loops;
    size_t *parallel; /* number of loops before each outer parallel region */
    size_t n_parallels, cap_parallels;
    bool failed; /* out of memory: chunks are dispatched round robin, and the run counts as lost */
} plussi_plan;

void plussi_plan_free(plussi_plan *plan);

/* A schedule from the environment; kind is PLUSS_RT_WALK_..., chunk 0: none. */
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
    uint32_t stride;          /* from one chunk to examine to the next */
    uint64_t number;          /* of the next chunk */
    plussi_dispatch dispatch; /* static: only its iterations, chunk (0: none) and team */
    plussi_segment left;      /* rest of the current chunk */
    size_t plan_first;        /* index of its first owner in the plan */
} plussi_walk_loop;

struct pluss_rt_walk {
    plussi_collector *collector;
    const pluss_rt_ref *shape;
    bool plain;         /* every access goes to the collector */
    uint32_t me;        /* number in the innermost team; in serial code in the outer one */
    uint64_t threshold; /* lines with a hash up to this are followed */
    uint64_t *made;     /* accesses by reference, if not all are followed */
    plussi_sampled_thread *sampled; /* NULL: not wanted */
    uint64_t phase;                 /* its key */
    uint64_t phase_from;            /* clock at its start */

    pluss_rt_sample *sample;
    void *entry; /* the team size of the sample that it is part of */
    uint32_t thread, team, seen;
    plussi_walk_schedule schedule;

    uint32_t depth, loops; /* number of open parallel regions and loops */
    uint64_t first;        /* of the last chunk */
    bool ragged;           /* the last counted range is not a multiple of its step */

    plussi_plan *plan;
    bool plans;
    size_t parallels, meetings; /* number met so far */
    uint64_t *clock;            /* planning pass: each thread's accesses since the last barrier */
    uint64_t mark;              /* planning pass: its own clock at the start of the chunk */
    uint32_t owner;             /* planning pass: owner of the current chunk */
    bool holds_chunk;

    struct pluss_rt_walk *next; /* next free one */
    /* below `depth` and `loops` */
    plussi_walk_team teams[PLUSSI_WALK_DEPTH];
    plussi_walk_loop loop[PLUSSI_WALK_DEPTH];
};

/* NULL: out of memory. rate in (0, 1]; most: limit of its sampled trace, accesses; 0: no trace. */
pluss_rt_walk *plussi_rt_walk_new(const pluss_rt_region *region, uint32_t team, uint32_t thread,
                                  bool plans, double rate, size_t most, plussi_plan *plan,
                                  plussi_walk_schedule schedule);
/* Returns the collector, with counts scaled to all accesses, and the sampled trace (NULL: none). */
plussi_collector *plussi_rt_walk_finish(pluss_rt_walk *walk, plussi_sampled_thread **sampled);
/* After plussi_collect_shared: scales the numbers of threads that share first-touched lines as the
 * touches were scaled. */
void plussi_rt_scale_shared(plussi_collector *collector);
void plussi_rt_walks_forget(void); /* in a child process */

#endif
