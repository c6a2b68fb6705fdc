/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of a merge. Inside of the walker only.
 */
#ifndef PLUSSI_TRACE_MERGE_STATE_H
#define PLUSSI_TRACE_MERGE_STATE_H

#include <math.h>

#include "base/rng.h"
#include "team/speeds.h"
#include "trace/state.h"

/* Accesses of one thread that were fetched ahead. */
typedef struct merge_lane {
    uint32_t thread;
    uint32_t at, n; /* in its part of ahead[] */
    bool waits;     /* SLICES: at the barrier */
    double weight;  /* SPEEDS: while it runs */
    double next;    /* SPEEDS: when it next starts or stalls; RECORDED: makes its next access */
    double pause;   /* SPEEDS: how long it stalls then; < 0: it does not run, and starts */
    /* RECORDED */
    const plussi_timeline_thread *timeline; /* NULL: it is not known; all at once */
    size_t point;                           /* the last with no more accesses than were made */
    uint64_t made;
} merge_lane;

/* SLICES: whose turn it is, and what is left of it. */
typedef struct merge_core {
    uint32_t number, thread;
    uint64_t left;
} merge_core;

struct plussi_merge {
    plussi_trace trace;
    plussi_mem mem;
    plussi_walk *walk;
    plussi_interleave kind;
    double param;
    uint64_t seed;
    plussi_rng rng;
    bool begun, ended;

    merge_lane *lane; /* those of the present phase that still have accesses */
    uint32_t n_lanes;
    uint32_t room;        /* accesses fetched ahead for a thread */
    plussi_access *ahead; /* thread k's from k * room */
    uint32_t turn;        /* ROUND_ROBIN, SEQUENTIAL, BURST: the present lane */
    uint64_t burst;       /* accesses left of the burst */
    merge_core *core;     /* SLICES: those whose threads have accesses left */
    uint32_t n_cores, cores;
    /* SPEEDS */
    plussi_speeds speeds;
    double *weight, *start;          /* by thread, of the present instance and phase */
    plussi_stalls *stalls;           /* by thread; NULL: none */
    uint64_t instance;               /* that the weights were drawn for */
    double most, sum;                /* the greatest weight of the lanes that run; all of them */
    bool steady;                     /* nothing will change but by lanes that end */
    double now, event;               /* event: when the next lane starts or stalls */
    const plussi_timeline *timeline; /* RECORDED; lane[] is then a heap, the next one first */
};

/* merge.c. refill: false: the lane's thread waits at the barrier; remove: it is then taken out. */
bool plussi_lane_refill(plussi_merge *m, merge_lane *l);
void plussi_lane_remove(plussi_merge *m, uint32_t i);

static inline plussi_access *plussi_lane_ahead(const plussi_merge *m, const merge_lane *l)
{
    return m->ahead + (size_t)l->thread * m->room + l->at;
}

/* merge_speeds.c. begin: of a phase. look: at what runs and when that changes, after lanes are
 * removed. next: the lane that makes the next access; n_lanes > 0. */
PLUSS_NODISCARD pluss_status plussi_merge_speeds_new(plussi_merge *m, uint32_t threads);
void plussi_merge_speeds_begin(plussi_merge *m, uint32_t team);
uint32_t plussi_merge_speeds_next(plussi_merge *m);
void plussi_merge_speeds_look(plussi_merge *m);

/* merge_recorded.c */
void plussi_merge_recorded_begin(plussi_merge *m, uint32_t team);
size_t plussi_merge_recorded(plussi_merge *m, plussi_access *buf, size_t cap);

#endif
