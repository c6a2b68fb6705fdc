/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The record of a run (docs/record-format.md) in memory: written by libpluss-rt, read back.
 */
#ifndef PLUSSI_TRACE_RECORDED_H
#define PLUSSI_TRACE_RECORDED_H

#include "bound/bound.h"
#include "trace/trace_reader.h"

enum {
    PLUSSI_RECORD_LINE_BYTES = 4096, /* largest line size */
    PLUSSI_RECORD_REFS = 1 << 20,    /* of a region */
    PLUSSI_RECORD_NESTED = 64,       /* depth of nested repeats */
    PLUSSI_RECORD_UNKNOWN = -1       /* a placement that was not kept */
};

#define PLUSSI_RECORD_NO_VALUE INT64_MIN        /* a symbol's value is unknown */
#define PLUSSI_RECORD_UNREACHED (INT64_MIN + 2) /* nothing that depends on it was executed */
enum { PLUSSI_RECORD_UNTOUCHED = 1 };           /* an array's address: as UNREACHED */
#define PLUSSI_RECORD_OF_ANOTHER_VERSION "made by another version of pluss: record it again"

typedef enum plussi_recorded_by {
    PLUSSI_RECORDED_PROFILE, /* every access */
    PLUSSI_RECORDED_BIND,    /* values and addresses only */
    PLUSSI_RECORDED_SAMPLE   /* by a sampler, for simulated threads */
} plussi_recorded_by;

/* Number of accesses by key: a private reuse interval, or a number of threads. Keys ascend. */
typedef struct plussi_record_bin {
    uint64_t key, count;
} plussi_record_bin;

/* One reference of one thread. */
typedef struct plussi_record_pri {
    uint32_t thread, ref;
    uint64_t first; /* first touches of lines by the thread in that run */
    plussi_record_bin *interval;
    size_t n_intervals;
    plussi_record_bin *shared; /* `first`, by number of threads that touched the line, from 2 */
    size_t n_shared;
} plussi_record_pri;

typedef struct plussi_record_thread {
    uint64_t accesses, lost;
} plussi_record_thread;

/* When a chunk was executed, in nanoseconds since any one moment of the run. */
typedef struct plussi_chunk_time {
    uint64_t from, to;
} plussi_chunk_time;

/* What one iteration of a worksharing loop did, in order, of what the region's description has as
 * unknowns. */
typedef struct plussi_fill_entry {
    enum { PLUSSI_FILL_DONE, PLUSSI_FILL_READ, PLUSSI_FILL_WRITE } kind;
    uint32_t of;    /* DONE: the number of a loop in the worksharing loop; else of the unknown */
    uint64_t value; /* DONE: that many iterations ended; else the address, in one line */
} plussi_fill_entry;

typedef struct plussi_fill_iteration {
    uint32_t loop;         /* its number in the region */
    uint64_t time, number; /* of the loop's execution; of the iteration in sequential order */
    size_t first, n;       /* entries */
} plussi_fill_iteration;

/* All runs of a region with the same values, addresses modulo the line size, team and kind of
 * recording; counts are sums over them, except for the chunks, which are the first run's. */
typedef struct plussi_record_block {
    const char *region, *file;
    uint32_t line;
    uint32_t team;         /* the largest: the rows below are of that many threads */
    uint32_t default_team; /* of constructs without num_threads: the nest is bound with it */
    uint32_t line_bytes;   /* the record's */
    uint64_t runs, lost;
    bool counted; /* accesses that the region's description does not have are: */
    uint64_t outside;
    uint64_t filled;                  /* of these, those that `iteration` has, in all runs */
    plussi_fill_iteration *iteration; /* of the first run */
    size_t n_iterations;
    plussi_fill_entry *entry; /* of all of them */
    size_t n_entries;
    uint64_t one_in;       /* one line in so many was followed at the least; 0: all were */
    uint64_t passed;       /* accesses of all runs whose intervals are those of followed lines */
    uint64_t passed_error; /* the standard error of how many of these have a long interval */
    uint64_t took;         /* nanoseconds, all runs; 0: not known */
    bool carries;          /* it tells what its runs find in the cache: */
    uint64_t touched;      /* different lines, run by run */
    plussi_record_bin *carried; /* those that earlier runs touched, by different lines since */
    size_t n_carried;
    uint64_t carried_one_in; /* one line in so many was followed for them; 0: all were */
    uint64_t carried_error;  /* the standard error of how many of `touched` are far back */
    plussi_recorded_by by;
    plussi_loc loc; /* of the block in the record */
    plussi_binding *symbol;
    size_t n_symbols;
    const char **array;
    size_t n_arrays;
    uint64_t *address; /* n_places times n_arrays; 0: unknown; UNTOUCHED */
    size_t n_places;   /* >= 1 */
    plussi_record_thread *thread;
    size_t n_threads;
    plussi_record_pri *pri;
    size_t n_pri;
    plussi_chunk *chunk; /* loop: number of the loop in its region */
    size_t n_chunks;
    plussi_chunk_time *time;       /* of each chunk; NULL: none are recorded */
    plussi_schedule_kind schedule; /* a sampler's, for all loops; NONE: as in the source */
    int64_t schedule_chunk;        /* 0: none */
    uint64_t lines;                /* accesses in its sampled trace (trace/sampled_trace.h) */
} plussi_record_block;

typedef struct plussi_record_node {
    uint64_t times;
    uint32_t block;
    int64_t place; /* or UNKNOWN */
    struct plussi_record_node *body;
    size_t n; /* nodes in the body; 0: it is a run */
} plussi_record_node;

typedef struct plussi_record {
    plussi_arena arena; /* owns everything below */
    const char *path;   /* of the file that was read; NULL: none */
    uint32_t line_bytes;
    uint64_t lost_runs;
    bool counted; /* accesses outside of regions are: */
    uint64_t serial;
    uint64_t took, took_serial; /* nanoseconds: the program, of them those without a region; 0: not
                                   known */
    const char **object;
    size_t n_objects;
    plussi_record_block *block;
    size_t n_blocks;
    plussi_record_node *sequence;
    size_t n_sequence;
    uint64_t sequence_lost;
    /* entries of the order of all runs in the sidecar file (trace/ordered_runs.h), 0: there is
     * none; runs at its end that are not in it; entries that are pieces of runs with others inside
     */
    uint64_t ordered_runs, ordered_lines, ordered_lost, ordered_pieces;
    uint64_t around; /* runs without a place in an order: others are nested in them */
} plussi_record;

/* ---- recorded.c, record_file.c ---------------------------------------------------------------
 *
 * `file` names the text in messages; may be NULL. PLUSS_EFORMAT with the place, what was found and
 * what was expected; the first fault ends it. The caller frees. O(length). */
PLUSS_NODISCARD pluss_status plussi_record_parse(plussi_ctx *ctx, const char *text, size_t length,
                                                 const char *file, plussi_record **out);
/* The same from a file; PLUSS_EIO if it cannot be read. */
PLUSS_NODISCARD pluss_status plussi_record_read(plussi_ctx *ctx, const char *path,
                                                plussi_record **out);
void plussi_record_free(plussi_record *record); /* NULL is allowed */
/* Opens its sidecar file. PLUSS_ENOTFOUND if the record is not from a file; else as
 * plussi_trace_open. */
PLUSS_NODISCARD pluss_status plussi_record_trace(plussi_ctx *ctx, const plussi_record *record,
                                                 plussi_trace_reader **out);

/* Whether a run computed the symbol, and the record tells its value. */
static inline bool plussi_record_has_value(const plussi_binding *symbol)
{
    return symbol->value != PLUSSI_RECORD_NO_VALUE && symbol->value != PLUSSI_RECORD_UNREACHED;
}

/* ---- record_program.c: nests with what the record knows put in
 * ----------------------------------------
 */

/* Was it recorded for what is outside of regions, by one thread? */
bool plussi_record_is_serial(const plussi_record_block *block);
/* Finds the region that a block was recorded for; NULL if no nest has it. *nest is its nest. */
const plussi_region *plussi_record_region(const plussi_record_block *block,
                                          const plussi_nest *const *nests, size_t n,
                                          const plussi_nest **nest);
/* The region as a nest of its own, with the block's values and with the addresses of a placement
 * (UNKNOWN: without). PLUSS_ENOTFOUND if no nest has the region, or there is no such block or
 * placement. The caller frees. O(nodes of the nest). */
PLUSS_NODISCARD pluss_status plussi_record_nest(plussi_ctx *ctx, const plussi_record *record,
                                                size_t block, int64_t place,
                                                const plussi_nest *const *nests, size_t n,
                                                plussi_nest **out);
/* A region of the block's name and place that has nothing but an unknown, `reason`: for a block
 * whose region cannot be bound, and whose recorded accesses are then all that is known of it. The
 * caller owns *out. */
PLUSS_NODISCARD pluss_status plussi_record_bare_nest(plussi_ctx *ctx,
                                                     const plussi_record_block *block,
                                                     const char *reason, plussi_nest **out);
/* The whole sequence as one program: arrays of different regions share memory if their addresses
 * do. Warns of arrays with unknown addresses, which get their own memory in each region, and of
 * regions that are left out. PLUSS_ENOTFOUND if nothing is left; PLUSS_ELIMIT: more regions or
 * nodes than a nest holds. */
PLUSS_NODISCARD pluss_status plussi_record_program(plussi_ctx *ctx, const plussi_record *record,
                                                   const plussi_nest *const *nests, size_t n,
                                                   plussi_nest **out);

#endif
