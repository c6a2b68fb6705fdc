/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of the reader of several threads' traces share: fold_team.c reads events and
 * gives them, fold_stretches.c finds the order of those of a phase.
 */
#ifndef PLUSSI_TRACE_FOLD_TEAM_STATE_H
#define PLUSSI_TRACE_FOLD_TEAM_STATE_H

#include "trace/fold_team.h"

typedef struct plussi_team_slot {
    uint64_t pc;
    uint32_t site; /* + 1; 0: free */
} plussi_team_slot;

enum { PLUSSI_TEAM_BLOCK = 256 }; /* events that are kept together */

/* A site is of the stretch of its root, whose members the others are. */
typedef struct plussi_team_site {
    uint64_t pc;
    uint32_t parent;    /* union-find */
    bool is_repeated;   /* a thread accesses a site of it more than once in a phase */
    uint32_t rank;      /* in the phase: its place among the stretches */
    uint64_t unit;      /* accesses of an iteration; 0: not known, UINT64_MAX: different */
    uint64_t chunk;     /* accesses of a static schedule's chunk; the same */
    size_t stamp, last; /* the latest phase and thread, and its last event in them */
} plussi_team_site;

/* An access, or the mark of a chunk. */
typedef struct plussi_kept {
    uint64_t address;
    uint32_t site; /* its number; of a chunk: how many iterations */
    uint16_t bytes;
    uint8_t kind;
} plussi_kept;

typedef struct plussi_kept_block {
    struct plussi_kept_block *next;
    plussi_kept event[PLUSSI_TEAM_BLOCK];
} plussi_kept_block;

/* Where a thread is, and its events of the phase. */
typedef struct plussi_member {
    bool entered, inside;
    uint64_t phase;
    plussi_kept_block *first, *last;
    uint32_t n;
} plussi_member;

/* Consecutive events of a thread, of one stretch and one chunk. */
typedef struct plussi_stretch {
    uint64_t chunk; /* its first iteration; its number, where it is cut out of a share */
    uint32_t root, rank, thread;
    uint32_t from, to;
    bool is_cut;
} plussi_stretch;

struct plussi_team_reader {
    plussi_ctx *ctx;
    char *path;
    plussi_team_sites *sites;
    uint32_t threads;
    plussi_foreign *trace;
    plussi_team_fn visit;
    void *user;
    bool finds; /* stretches are being found: nothing is given */
    plussi_event in[256];
    size_t at, n;
    bool ended;
    plussi_member *member; /* by thread */
    bool active;           /* a region is being executed, */
    uint64_t number, region, phase;
    uint32_t n_kept; /* events of the phase */
    bool dispatched; /* with chunks among them */
    plussi_kept_block *unused;
    /* all events of the phase, by thread: the numbers of a thread's begin with a block */
    plussi_kept_block **block;
    size_t n_blocks, cap_blocks;
    uint32_t *first; /* of a thread */
    uint64_t *done;  /* by a thread */
    plussi_stretch *stretch;
    size_t n_stretches, cap_stretches;
    uint32_t *order; /* roots of the phase's stretches */
    size_t n_order, cap_order;
    size_t stamp;
    /* what is to be given: marks before, stretches, marks after */
    plussi_event mark[4];
    size_t n_marks;
    uint64_t barriers;
    size_t at_stretch, at_event;
};

static inline uint32_t plussi_team_root(plussi_team_sites *sites, uint32_t site)
{
    while (sites->site[site].parent != site)
        site = sites->site[site].parent = sites->site[sites->site[site].parent].parent;
    return site;
}

static inline const plussi_kept *plussi_team_kept(const plussi_team_reader *r, size_t i)
{
    return &r->block[i / PLUSSI_TEAM_BLOCK]->event[i % PLUSSI_TEAM_BLOCK];
}

static inline bool plussi_kept_is_chunk(const plussi_kept *event)
{
    return event->kind == PLUSSI_EVENT_CHUNK;
}

/* The number after those of a thread's events. */
static inline uint32_t plussi_team_end(const plussi_team_reader *r, uint32_t thread)
{
    return r->first[thread] + r->member[thread].n;
}

/* ---- fold_team.c */
PLUSS_NODISCARD pluss_status plussi_team_refuse(const plussi_team_reader *r, const char *why);

/* ---- fold_stretches.c */
/* Joins the stretches that no cut tells apart in events [from, to) of a thread. */
void plussi_team_join(plussi_team_reader *r, size_t from, size_t to);
/* Finds the stretches of the phase, in the order in which one thread would execute them. */
PLUSS_NODISCARD pluss_status plussi_team_order(plussi_team_reader *r);

#endif
