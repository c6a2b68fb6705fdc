/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a machine takes for operations and for lines of its caches and memory, in cycles.
 */
#ifndef PLUSSI_COST_MACHINE_COSTS_H
#define PLUSSI_COST_MACHINE_COSTS_H

#include "cost/operation_counts.h"

/* What a machine file may have: nanoseconds a cycle, cycles of a cost, a part of a
 * level, bytes of a page. */
#define PLUSSI_CYCLE_LEAST 1e-3
#define PLUSSI_CYCLE_MOST 1e6
#define PLUSSI_CYCLES_MOST 1e9
#define PLUSSI_HELD_LEAST 1e-3
enum { PLUSSI_PAGE_MOST = 4096 };

/* spread: half of the range in which two thirds of the measurements are; 0: not known. */
typedef struct plussi_measured {
    double value, spread;
} plussi_measured;

/* How an innermost loop goes over lines. */
typedef enum plussi_access_pattern {
    PLUSSI_PATTERN_STREAM,    /* one line after another, by steps of a line or less */
    PLUSSI_PATTERN_STRIDED,   /* by larger steps, always the same */
    PLUSSI_PATTERN_SCATTERED, /* in no order that is known */
    PLUSSI_PATTERNS
} plussi_access_pattern;

/* "stream" */
const char *plussi_access_pattern_name(plussi_access_pattern pattern);

enum {
    PLUSSI_SERVER_NAME = 16,
    PLUSSI_SERVERS_MOST = 9,
    PLUSSI_PAGE_STEPS_MOST = 8,
    PLUSSI_BURSTS_MOST = 8,
    PLUSSI_TEAM_COSTS_MOST = 16
};

/* What a line costs where strided accesses miss so many one after the other, and then come back to
 * them: meanwhile the processor does not see later misses, which it could wait for at once. */
typedef struct plussi_burst_cost {
    uint32_t lines;
    plussi_measured cycles;
} plussi_burst_cost;

/* What a line costs that a level, or memory, gives. */
typedef struct plussi_server_cost {
    char name[PLUSSI_SERVER_NAME];         /* "L2"; the last one is "memory" */
    plussi_measured latency;               /* of an access that has to wait for the one before it */
    plussi_measured line[PLUSSI_PATTERNS]; /* a line, of accesses that do not wait for each other */
    plussi_measured written; /* a line that is written back to it, beside those that it gives */
    double held; /* part of its bytes that programs get, as others use it, too; in (0, 1] */
    plussi_measured shared; /* a line, when all threads that share it ask at once, of all of them
                               together; 0: they do not slow each other down */
    size_t n_bursts;        /* 0: as strided */
    plussi_burst_cost burst[PLUSSI_BURSTS_MOST]; /* their lines grow */
} plussi_server_cost;

/* What a line costs that another thread has written since, and has in a cache of its own. */
typedef struct plussi_transfer_cost {
    plussi_measured latency;               /* 0: as a line of the next level */
    plussi_measured line[PLUSSI_PATTERNS]; /* a line, of accesses that do not wait for each other */
    plussi_measured
        upgrade; /* what the next write takes more that makes the reader's copy invalid */
} plussi_transfer_cost;

/* An access to a page takes so much more, where at least `reach` other pages were accessed since
 * its last access: the translation of its address is then found in no nearer table. */
typedef struct plussi_page_step {
    uint64_t reach; /* pages */
    plussi_measured cycles;
} plussi_page_step;

/* Threads of a parallel construct: each of them takes so much, from its beginning to the first
 * iteration and from the last one to its end, and for a barrier. */
typedef struct plussi_team_cost {
    uint32_t threads;
    plussi_measured start, barrier;
} plussi_team_cost;

typedef struct plussi_machine_costs {
    double cycle_ns;
    plussi_measured issue;                          /* any operation, at least; 0: nothing */
    plussi_measured operation[PLUSSI_N_OPERATIONS]; /* one of many that are independent */
    plussi_measured latency[PLUSSI_N_OPERATIONS];   /* one that waits for the one before */
    double
        serial; /* part of the shorter of operations and lines that does not overlap, in [0, 1] */
    double window; /* operations that are executed out of order at once; 0: no overlap of loops */
    size_t n; /* levels, the first one nearest to a thread, and memory; 0: costs are not known */
    plussi_server_cost server[PLUSSI_SERVERS_MOST];
    plussi_transfer_cost transfer;
    uint32_t page_bytes; /* a power of two; 0: translations cost nothing */
    size_t n_page_steps;
    plussi_page_step page_step[PLUSSI_PAGE_STEPS_MOST]; /* reach and cycles grow */
    size_t n_team_costs;                                /* 0: they cost nothing */
    plussi_team_cost team_cost[PLUSSI_TEAM_COSTS_MOST]; /* their threads grow */
} plussi_machine_costs;

#endif
