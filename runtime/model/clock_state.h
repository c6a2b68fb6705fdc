/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Internals of the model clock.
 */
#ifndef PLUSSI_MODEL_CLOCK_STATE_H
#define PLUSSI_MODEL_CLOCK_STATE_H

#include <pthread.h>

#include "base/effort.h"
#include "base/quasi.h"
#include "base/variates.h"
#include "model/clock.h"
#include "model/clock_classes.h"
#include "sampler/engine.h"
#include "sampler/footprint.h"
#include "team/law.h"

enum {
    PLUSSI_CLOCK_PROGRESS = 8,        /* parts into which a worksharing loop is divided */
    PLUSSI_CLOCK_LISTED = 200,        /* windows of at most that many accesses are listed */
    PLUSSI_CLOCK_LISTED_AGAIN = 1000, /* of accesses that several runs evaluate */
    PLUSSI_CLOCK_LAST_TOUCHES = 16,   /* that are remembered */
    PLUSSI_CLOCK_MOST_DRAWS = 16,     /* accesses drawn of a longer window */
    PLUSSI_CLOCK_DRAW = 80,           /* accesses that can be listed for the cost of one draw */
    PLUSSI_CLOCK_SWEPT_DRAW = 250,    /* of one thread, many at a time: plussi_engine_sweep */
    PLUSSI_CLOCK_MOST_QUERIES = 4096  /* lines of a set that are looked up, of a window */
};

/* ---- one access under one draw of the clocks: clock_window.c ------------------------------------
 */

/* A write, by its place among the thread's accesses. */
typedef struct plussi_clock_write {
    uint64_t phase, pos;
    double time; /* on the clock of the phase, if that is the source's */
} plussi_clock_write;

/* State of a thread in a window. Positions are in phases. */
typedef struct plussi_clock_thread {
    uint64_t stamp;      /* window that the rest belongs to */
    uint64_t n;          /* ticks of its clock at the access; its accesses end at `end` */
    uint64_t start, end; /* its window, from the source's phase to the access's */
    bool has_cursor;     /* at `end`; see plussi_clock_cursor */
    plussi_cursor cursor;
    bool touched;                /* it touched the line before, */
    uint64_t phase, pos;         /* in this phase, at this position, */
    double time;                 /* at this time of the phase's clock */
    uint64_t known_phase, known; /* clock_free.c: its accesses by a time of a phase */
    double known_time;
    plussi_cursor touch;
    uint64_t looked_at;       /* clock_writes.c: the window that n, end and this are of: */
    plussi_clock_write write; /* its latest write to the line; phase UINT64_MAX: none */
    bool has_edge, edge_any;  /* clock_distance.c: what is just before the window */
    plussi_cursor edge;
} plussi_clock_thread;

/* Touches of the line in a phase in which all threads touch it at the same positions: the last one
 * before positions first ... last is at first - 1; first 0: there is none. */
typedef struct plussi_clock_last_touch {
    uint64_t first, last;
    plussi_cursor touch; /* by some thread */
} plussi_clock_last_touch;

/* An access of the pilot sample and its previous touch by its own thread. */
typedef struct plussi_clock_known {
    uint64_t line, phase, pos, prev_phase, prev_pos;
    bool any; /* there is one */
} plussi_clock_known;

typedef struct plussi_clock_pilot_sample {
    plussi_clock_known *known;
    int64_t *words; /* of each: the two cursors, packed */
    uint32_t packed;
} plussi_clock_pilot_sample;

/* One replication. */
typedef struct plussi_clock_run {
    plussi_ctx *ctx;
    const plussi_clock_options *options;
    const plussi_bound *bound;
    const plussi_engine *engine;
    const struct plussi_clock_engine *shared; /* with the other replications */
    plussi_workspace *workspace;
    struct plussi_clock_itersets *sets; /* of dynamic loops */
    bool handed_out;                    /* there are dynamic loops */
    struct plussi_clock_paths *paths;   /* of the replication; NULL: clocks are the access's own */
    plussi_rng rng;
    struct { /* accesses of a thread by the access's time, by the source's, within the window */
        plussi_poisson now, latest, span;
    } made;          /* clock_free.c */
    uint32_t number; /* of this replication */
    uint64_t seed;   /* its own */
    uint32_t team;
    uint32_t first, last;       /* the threads [first, last) share the access's cache */
    uint32_t threads_per_cache; /* of the windows: the options', or a level's */
    /* not 0: only what level number `filter` - 1, of caches of one thread, misses begins a window
     */
    uint32_t filter;
    /* NULL, or where such a cache evicts the access's line, which begins the window: lines that are
     * evicted written count, too. untouched: accesses since the line was touched there */
    const plussi_cursor *evicted;
    uint64_t untouched;
    plussi_quasi point;   /* of the access that is evaluated: its stratum's have a sequence */
    bool repeats;         /* what is asked again of the sample is answered as before */
    uint64_t sample_seed; /* then */
    plussi_clock_thread *thread;
    uint64_t *toucher, *other; /* threads that can touch the access's line, a line of the window */
    uint64_t *more;            /* workspace for these */
    uint64_t *except;          /* alike: threads that are not */
    uint64_t narrowings, narrowed; /* clock_distance.c: how often these were looked for phase by
                                      phase, and how many threads that left out */
    plussi_clocks clocks;          /* of the team, under the law of thread progress */
    uint32_t *phases;     /* RECORDED: phases with accesses before each of the engine's, + 1 */
    uint64_t most_listed; /* largest window that is listed, accesses */
    struct plussi_clock_lines *lines;      /* workspace for its lines */
    struct plussi_clock_lines *more_lines; /* the same where they are counted by lists */
    /* for each shape, lines of one set: marked UINT32_MAX if the window has them, with a thread's
     * number if its part has not */
    struct plussi_clock_lines *set_lines[PLUSSI_LEVELS_MOST];
    bool ranked;    /* there is a table of ranks, if one is made: phase by phase, the accesses of */
    uint64_t *rank; /* each thread before it */
    bool failed;    /* memory ran out */
    bool one_by_one; /* every thread's part of the window has to be known */
    plussi_clock_pilot_sample pilot;
    const plussi_clock_known *known; /* of the access that is evaluated; NULL: nothing is. The
                                        thread has its previous touch, then */
    bool alike; /* threads, but for `except`, touch the line alike in the phase that is searched */
    plussi_clock_last_touch last_touch[PLUSSI_CLOCK_LAST_TOUCHES];
    uint32_t n_last_touches;
    uint64_t stamp;         /* number of this window */
    uint32_t *seen, n_seen; /* threads whose parts of the window are known; the others' are empty,
                               apart from `crowd` */
    uint64_t crowd;         /* accesses of threads that cannot touch the line */
    /* the window of the access evaluated last */
    plussi_cursor cursor;
    uint64_t line;
    uint64_t phase, pos; /* position of the access */
    double now;          /* its time on the clock of its phase */
    bool cold;
    uint32_t source; /* thread that touched the line last */
    uint64_t source_phase;
    double latest;     /* its time, on the clock of its phase */
    uint64_t interval; /* concurrent reuse interval, >= 1 */
    uint64_t between;  /* accesses of the interval that are in whole phases between the two */
} plussi_clock_run;

/* The cursor at the end of thread k's part of the window. */
const plussi_cursor *plussi_clock_cursor(plussi_clock_run *run, uint32_t k);
/* The latest write to any byte of a line by the cursor's thread before it; false: none. */
static inline bool plussi_clock_prev_write(plussi_clock_run *run, const plussi_cursor *before,
                                           uint64_t line, plussi_cursor *out)
{
    const uint64_t bytes = plussi_engine_line_bytes(run->engine), start = line * bytes;
    return plussi_engine_prev_write(run->workspace, before, start, start + bytes - 1, NULL, out);
}

/* Draws the clocks for run->cursor and finds the window, of its line or of run->line. */
void plussi_clock_window(plussi_clock_run *run);
void plussi_clock_window_of_line(plussi_clock_run *run);
/* The same without `between`, for clocks that run free: clock_free.c. now: time of the access, as
 * plussi_clock_time_free draws it. */
double plussi_clock_time_free(plussi_clock_run *run);
void plussi_clock_window_free(plussi_clock_run *run, double now);
/* The window of an access in a team of one, which no clock changes. */
void plussi_clock_window_alone(plussi_clock_run *run);
/* The last touch of a line before position n of thread k, at which its part of the window ends (its
 * length in an earlier phase), in a phase in which all threads touch the line alike. Remembered in
 * run->last_touch, which is of one line and phase: whoever asks for another empties it before. */
const plussi_clock_last_touch *plussi_clock_find_last_touch(plussi_clock_run *run, uint64_t line,
                                                            uint32_t k, uint64_t phase, uint64_t n);

/* ---- threads that share a cache: clock_cache_threads.c --------------------------------------- */

/* Sets first and last for an access of thread `own`. */
void plussi_clock_choose_cache_threads(plussi_clock_run *run, uint32_t own);
/* Number of accesses of these threads in the whole phases between the access and its source. */
uint64_t plussi_clock_between(plussi_clock_run *run);
/* The cursor of number u of them. */
void plussi_clock_nth_between(plussi_clock_run *run, uint64_t u, plussi_cursor *out);
/* Number of accesses of the cursor's thread before it in the whole program. */
uint64_t plussi_clock_rank_of(plussi_clock_run *run, const plussi_cursor *cursor);
/* Access number n of the cursor's thread in the whole program, which is before the cursor. */
void plussi_clock_access_before(plussi_clock_run *run, const plussi_cursor *cursor, uint64_t n,
                                plussi_cursor *out);
/* The window is short enough for its lines to be listed. */
bool plussi_clock_is_listed(const plussi_clock_run *run);
/* To list its lines costs no more than so many draws: they are listed in place of these. */
bool plussi_clock_is_counted(const plussi_clock_run *run, uint32_t draws);

/* ---- clocks: clock_progress.c ---------------------------------------------------------------- */

/* Answers as the law does, except in phases with dynamic loops and in runs whose clocks are kept.
 */

PLUSS_NODISCARD pluss_status plussi_clock_progress_new(plussi_clock_run *run,
                                                       const plussi_timeline *timeline);
void plussi_clock_progress_free(plussi_clock_run *run);
/* Begins a phase; `which`: 0 for the access's, 1 for the source's. */
void plussi_clock_begin(plussi_clock_run *run, int which, uint64_t phase);
/* As plussi_law has time, count, time_before and count_between. */
double plussi_clock_time(plussi_clock_run *run, int which, uint64_t phase, uint32_t k,
                         uint64_t pos);
uint64_t plussi_clock_count(plussi_clock_run *run, uint64_t phase, uint32_t k, double now);
double plussi_clock_time_before(plussi_clock_run *run, uint64_t phase, uint32_t k, uint64_t y,
                                uint64_t n, double now);
uint64_t plussi_clock_count_between(plussi_clock_run *run, int which, uint64_t phase, uint32_t k,
                                    uint64_t from, double since, uint64_t n, double now,
                                    double time);

/* ---- loops that are dispatched: clock_itersets.c, clock_moments.c ---------------------------- */

typedef struct plussi_clock_itersets plussi_clock_itersets;

/* Times of some of a thread's accesses in a phase. Those in between are uniformly distributed. */
typedef struct plussi_clock_moments {
    size_t n;
    /* a list: number access[i] at time[i] */
    const uint64_t *access; /* ascending; the last may be one past the thread's last access */
    const double *time;
    /* or the first accesses of a pattern's chunks, and the time at which the last one ends */
    const struct plussi_pattern *pattern; /* NULL: a list */
    uint32_t row;                         /* the pattern's thread */
    double scale;                         /* factor of the pattern's times */
    uint64_t each, all;                   /* accesses of a chunk, accesses of the thread */
    double end;
} plussi_clock_moments;

/* Moment i < n. */
uint64_t plussi_clock_moment_access(const plussi_clock_moments *m, size_t i);
double plussi_clock_moment_time(const plussi_clock_moments *m, size_t i);
/* The first moment of an access above pos; the first after a time. n: none. */
size_t plussi_clock_moment_above(const plussi_clock_moments *m, uint64_t pos);
size_t plussi_clock_moment_after(const plussi_clock_moments *m, double time);

/* A dynamic loop that is alone in its phase, of so many chunks, and so many for each thread, whose
 * accesses are a polynomial of the iteration, but not even: clock_many_chunks.c. */
enum { PLUSSI_MANY_CHUNKS = 1 << 18, PLUSSI_MANY_ROUNDS = 512 };
typedef struct plussi_many_chunks {
    const plussi_engine *engine;
    const plussi_bound_node *node;
    const int64_t *iv;
    plussi_dispatch loop;
    const uint64_t *ahead; /* by thread: accesses before the loop; NULL: none */
    uint64_t seed;
} plussi_many_chunks;
/* after: accesses after the loop, by thread; NULL: none. O(T) memory and engine queries. */
PLUSS_NODISCARD pluss_status plussi_clock_many_chunks(plussi_ctx *ctx,
                                                      const plussi_many_chunks *law,
                                                      const uint64_t *after, plussi_itersets *sets,
                                                      plussi_moments *moments);

/* progress: POOL simulates Rayon's loops with its costs; NULL: uniform. singles: see
 * plussi_iterset_source. */
PLUSS_NODISCARD pluss_status plussi_clock_itersets_new(plussi_ctx *ctx, const plussi_bound *bound,
                                                       const plussi_progress *progress,
                                                       uint64_t seed, bool singles,
                                                       plussi_clock_itersets **out);
void plussi_clock_itersets_free(plussi_clock_itersets *sets);
const plussi_iterset_source *plussi_clock_itersets_source(plussi_clock_itersets *sets);
PLUSS_NODISCARD pluss_status plussi_clock_itersets_engine(plussi_clock_itersets *sets,
                                                          const plussi_engine *engine);
/* PLUSS_OK, or why an iteration set could not be made. */
pluss_status plussi_clock_itersets_status(const plussi_clock_itersets *sets);
/* false: the phase has no dynamic loop, or the thread no access: its clock runs free. */
bool plussi_clock_pinned(plussi_clock_run *run, uint64_t phase, uint32_t k,
                         plussi_clock_moments *out);

/* POOL: the pieces of the phase's only loop; NULL: it has none, or they could not be made. */
const plussi_itersets *plussi_clock_pieces(plussi_clock_run *run, uint64_t phase);

/* The moments of a phase with dynamic loops; false: thread k runs free. */
bool plussi_clock_is_pinned(plussi_clock_run *run, uint64_t phase, uint32_t k,
                            plussi_clock_moments *m);

/* ---- the clocks of one run: clock_paths.c ---------------------------------------------------- */

typedef struct plussi_clock_paths plussi_clock_paths;

PLUSS_NODISCARD pluss_status plussi_clock_paths_new(const plussi_mem *mem, uint32_t team,
                                                    plussi_clock_paths **out);
void plussi_clock_paths_free(plussi_clock_paths *paths);
/* Time of access pos of a phase by thread k; number of accesses that it has made by a time, which
 * may exceed what it has. O(log of the earlier questions + number of later positions already asked
 * for). */
double plussi_clock_path_time(plussi_clock_run *run, uint64_t phase, uint32_t k, uint64_t pos);
uint64_t plussi_clock_path_count(plussi_clock_run *run, uint64_t phase, uint32_t k, double time);

/* ---- distinct lines of the window: clock_distance.c ------------------------------------------ */

typedef struct plussi_clock_lines plussi_clock_lines;
/* Allocates space for that many lines. The caller frees it (plussi_free). */
PLUSS_NODISCARD pluss_status plussi_clock_lines_new(const plussi_mem *mem, uint64_t most,
                                                    plussi_clock_lines **out);
/* Empties them; whether a line is there with this mark, or UINT32_MAX; adds one, or gives it
 * another mark: true where it is new, or the mark UINT32_MAX. Room is the caller's care. */
void plussi_clock_lines_empty(plussi_clock_lines *lines);
bool plussi_clock_lines_have(const plussi_clock_lines *lines, uint64_t line, uint32_t mark);
bool plussi_clock_lines_add(plussi_clock_lines *lines, uint64_t line, uint32_t mark);
/* The access just before thread k's part of the window; NULL: the part begins with the program. */
const plussi_cursor *plussi_clock_edge(plussi_clock_run *run, uint32_t k);
/* Whether thread k's part of the window, as far as before the cursor, touches the line. */
bool plussi_clock_touched(plussi_clock_run *run, uint32_t k, const plussi_cursor *before,
                          uint64_t line);
/* Notes a line that is met: one of those that are, at random. */
void plussi_clock_meet(uint64_t *met, uint64_t line);
/* Other lines of the access's set in a window that is listed; one of them in *met. */
uint64_t plussi_clock_list_set(plussi_clock_run *run, uint64_t sets, uint64_t *met);
/* Exact if the window is listed or counted (*variance 0), else an unbiased estimate from `draws`
 * accesses, with an estimate of its variance. */
double plussi_clock_distance(plussi_clock_run *run, uint32_t draws, double *variance);

/* ---- writes by threads with other caches: clock_writes.c --------------------------- */

typedef enum plussi_clock_loss {
    PLUSSI_CLOCK_KEPT,
    PLUSSI_CLOCK_FALSE_SHARING, /* of the line, not of the bytes that the access touches */
    PLUSSI_CLOCK_TRUE_SHARING
} plussi_clock_loss;
/* For the access evaluated last, which is not cold. */
plussi_clock_loss plussi_clock_find_writes(plussi_clock_run *run);
/* Whether such threads can touch the line of the access evaluated last; whether they do between an
 * earlier access of its thread and itself; after it. */
bool plussi_clock_has_others(const plussi_clock_run *run);
bool plussi_clock_others_touch(plussi_clock_run *run, const plussi_cursor *since);
bool plussi_clock_others_touch_later(plussi_clock_run *run);
/* Whether such threads have touched it before the access, which is cold. */
bool plussi_clock_others_touch_earlier(plussi_clock_run *run);

/* ---- sets and ways: clock_sets.c ----------------------------------------------------------- */

struct plussi_clock_sample;
struct plussi_clock_plan;
/* Of the access evaluated last, all threads of the window seen: for the levels with as many threads
 * per cache as the window is of; then for the others, whose windows replace it. */
void plussi_clock_find_sets(plussi_clock_run *run, struct plussi_clock_sample *x);
void plussi_clock_find_shared(plussi_clock_run *run, struct plussi_clock_sample *x);
/* Whether the set of the line of the access evaluated last has room for all memory at once: a line
 * that was there is there, unless another cache writes to it. */
bool plussi_clock_replaces_none(const plussi_clock_run *run, uint32_t level);
/* Whether the window brings fewer other lines to a set of the level than it has ways, and `more`:
 * 1, 0, or -1: the queries did not suffice. *met: one of them. */
int plussi_clock_holds(plussi_clock_run *run, uint32_t level, uint64_t more, uint64_t *met);
/* The level before may miss the access: it does, or it is not known yet. */
bool plussi_clock_comes_to(const plussi_clock_options *options, const struct plussi_clock_sample *x,
                           uint32_t level);
/* Whether a level of caches of one thread, after another one or without allocation, holds the line
 * of the access evaluated last: 1, 0, or -1: the queries did not suffice. *met: a line that took
 * its place. These levels are searched. clock_filter.c */
int plussi_clock_holds_filtered(plussi_clock_run *run, uint32_t level, uint64_t *met);
/* Lines of one set of a level that a level before can hold: those that it need not miss. */
uint64_t plussi_clock_most_in_both(const plussi_clock_run *run, uint32_t before, uint32_t level);
/* Moves *touch, which touches the line of the access evaluated last before an access of the same
 * thread, back to the latest access that misses the line in a level of caches of one thread; false:
 * that is not after `after`, if that is not NULL, and *touch is undefined. */
bool plussi_clock_find_request(plussi_clock_run *run, uint32_t level, const plussi_cursor *before,
                               const plussi_cursor *after, plussi_cursor *touch);
/* Whether such a level misses a line strictly between two accesses of a thread; from may be NULL:
 * since the program's start. *queries grows. */
bool plussi_clock_requests(plussi_clock_run *run, uint32_t level, uint64_t line,
                           const plussi_cursor *from, const plussi_cursor *to, uint32_t *queries);
/* Whether it evicts a written line in such a window, as far as its sets tell. */
bool plussi_clock_writes_back(plussi_clock_run *run, uint32_t level, uint64_t line,
                              const plussi_cursor *from, const plussi_cursor *to,
                              uint32_t *queries);
/* About when a level loses a line that it has after `from`, but not before `to`, accesses of one
 * thread: to one in `few` of those between, by bisection. lacks: whether it does just before one.
 */
plussi_cursor plussi_clock_find_loss(plussi_clock_run *run, const plussi_cursor *from,
                                     const plussi_cursor *to, uint64_t few,
                                     bool (*lacks)(void *user, const plussi_cursor *at),
                                     void *user);
/* About when such a level evicts the line of the access evaluated last, which it has at `touch`,
 * but not at `to`. */
void plussi_clock_find_eviction(plussi_clock_run *run, uint32_t level, const plussi_cursor *touch,
                                const plussi_cursor *to, plussi_cursor *out);
/* Whether a level of caches of one thread, which is searched, has the line of the access evaluated
 * last just before another access of the thread, if it sees all accesses; and whether it misses it
 * strictly between two accesses of the thread, the first of which touches it. */
bool plussi_clock_has(plussi_clock_run *run, uint32_t level, const plussi_cursor *at);
bool plussi_clock_evicts(plussi_clock_run *run, uint32_t level, const plussi_cursor *from,
                         const plussi_cursor *to);
/* Notes in which levels the access evaluated last, whose misses are known, makes a line dirty that
 * is written back later; of those whose lines written back are counted. clock_dirty.c */
bool plussi_clock_counts_dirty(const plussi_clock_options *options, uint32_t team, uint32_t level);
void plussi_clock_find_dirty(plussi_clock_run *run, struct plussi_clock_sample *x);
/* Scales the weights of accesses that are first in their own caches: of these that many are first
 * in a cache that all threads share, if there is one. */
void plussi_clock_weigh_firsts(struct plussi_clock_plan *plan, const plussi_clock_options *options,
                               double lines);
/* Fills in the estimate's levels, numbered as the shapes are. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_clock_count_misses(struct plussi_clock_plan *plan,
                                                       const plussi_bound *bound,
                                                       const plussi_clock_options *options,
                                                       uint32_t replications, plussi_estimate *out);

/* ---- where the weight is: clock_pilot.c ------------------------------------------------------ */

/* What a sample says of the levels of one hierarchy. Bit i: of cache i of options->shape. */
typedef struct plussi_clock_outcome {
    uint64_t missed, unsure;          /* unsure: too many queries to know */
    uint64_t dirtied;                 /* the line is written back, and was clean */
    uint64_t first, full;             /* no thread of the cache touched the line before; it has
                                         fewer lines than the window */
    uint64_t met[PLUSSI_LEVELS_MOST]; /* a line of the window in the same set; UINT64_MAX: none */
    uint8_t loss[PLUSSI_LEVELS_MOST]; /* plussi_clock_loss */
    bool alone;                       /* dirtied, and only its thread can touch the line */
} plussi_clock_outcome;

/* An access of the sample. */
typedef struct plussi_clock_sample {
    uint64_t number;         /* as of plussi_engine_nth */
    uint64_t stratum, group; /* strata of a group share the pilot sample from which their weights
                                are estimated; the group's own is known */
    uint32_t turn, turns;    /* its number among the samples of the stratum in its replication */
    double pilot;            /* accesses that one of the pilot sample stands for */
    double drawn;            /* accesses that it represents in its replication's sample */
    double weight;           /* the same, scaled */
    uint32_t part;           /* part of the program: AET is applied to each */
    uint32_t replication;
    uint32_t
        place; /* in the pilot sample; by time, among the accesses that several runs evaluate */
    /* results of the evaluation */
    uint64_t phase, pos;
    bool cold, cross; /* the window crosses a barrier */
    bool exact;       /* lines is */
    uint32_t draws;   /* accesses drawn for lines, or in whose place they were listed; 0: the window
                         is short, or lines is not set */
    uint64_t interval;
    double lines, variance; /* distinct lines of the window */
    double distance;        /* stack distance */
    double doubt;           /* squared error of lines after calibration, octaves squared */
    plussi_clock_loss loss; /* of caches of as many threads as the options' */
    bool after_other;       /* another thread touched the line last; of those that may miss */
    size_t row;             /* its outcomes, of the plan */
    plussi_clock_outcome levels;
    /* for the attribution */
    bool other_thread;
    plussi_carrier carrier;
    const plussi_bound_node *ref, *source;
    const plussi_bound_node *loop;
} plussi_clock_sample;

/* What an attempt used, or the maximum over several. */
typedef struct plussi_clock_used {
    uint64_t steps;
    size_t bytes; /* at one time */
} plussi_clock_used;

typedef struct plussi_clock_plan {
    plussi_clock_sample *sample;
    size_t n;
    plussi_clock_outcome *outcome; /* by row of the sample and hierarchy; NULL: there is one */
    uint32_t n_parts;
    double accesses;
    uint64_t pilot;          /* accesses in the pilot samples */
    plussi_clock_used used;  /* by one replication */
    plussi_footprint firsts; /* first touches by the threads of a cache */
} plussi_clock_plan;

/* Finds an access's line and its previous touch by the same thread: *prev, if there is one. */
void plussi_clock_look(plussi_workspace *workspace, const plussi_cursor *cursor,
                       plussi_clock_known *out, plussi_cursor *prev);
/* What that tells: the source, as a number, and the length: log2 of the private interval; 128 +
 * log2 of the phases between; 255: there is no previous touch. */
void plussi_clock_tell_reuse(const plussi_cursor *cursor, const plussi_clock_known *known,
                             const plussi_cursor *prev, uint64_t *source, uint8_t *length);

/* clock_classes.c. PLUSS_OK with none where there are no boxes, or where they would take more than
 * a replication's part of the effort; PLUSS_ENOMEM. The caller frees out->class. */
PLUSS_NODISCARD pluss_status plussi_clock_find_classes(plussi_ctx *ctx, const plussi_bound *bound,
                                                       const plussi_clock_options *options,
                                                       plussi_clock_classes *out);

/* Samples of one replication; their weights add up to the program's accesses. The caller owns them.
 */
PLUSS_NODISCARD pluss_status plussi_clock_pilot(plussi_clock_run *run,
                                                const plussi_clock_classes *classes, uint32_t pilot,
                                                uint32_t samples, plussi_clock_plan *out);
/* Makes access `index` of the pilot sample the one that is evaluated. */
void plussi_clock_recall(plussi_clock_run *run, uint32_t index);

/* ---- several hierarchies: clock_hierarchies.c --------------------------------------------------
 */

struct plussi_clock_draws;
/* Outcomes of a sample that are kept; 0: there is one hierarchy, whose the sample itself has. */
size_t plussi_clock_outcomes(const plussi_clock_options *options,
                             const struct plussi_clock_draws *draws);
/* For the access evaluated last, whose window and loss are known: which levels of each hierarchy
 * miss it, and where it makes a line dirty. outcome: by hierarchy, or NULL. */
void plussi_clock_find_levels(plussi_clock_run *run, plussi_clock_sample *x,
                              plussi_clock_outcome *outcome);
/* Then for the levels that more threads share. */
void plussi_clock_find_shared_levels(plussi_clock_run *run, plussi_clock_sample *x,
                                     plussi_clock_outcome *outcome);
/* Whether another thread, of any cache, touched the line of the access evaluated last before it:
 * for one that a level may miss. Its draws are its own: those of other samples stay as they are. */
void plussi_clock_find_toucher(plussi_clock_run *run, plussi_clock_sample *x);
/* Copies the outcomes of samples that are appended to the plan, which has room; n: of a sample. */
void plussi_clock_append_outcomes(plussi_clock_plan *plan, const plussi_clock_plan *from, size_t n);
/* plussi_clock_count_misses for each hierarchy. */
PLUSS_NODISCARD pluss_status plussi_clock_count_levels(plussi_clock_plan *plan,
                                                       const plussi_bound *bound,
                                                       const plussi_clock_options *options,
                                                       uint32_t replications, plussi_estimate *out);

/* ---- evaluation: clock_replica.c ------------------------------------------------------------- */

/* Number of accesses drawn of windows that are not listed: n in one of `every` windows; least not
 * 0: of the windows of a stratum, and in up to one of `few` where there are fewer than `least`
 * such. */
typedef struct plussi_clock_draws {
    uint32_t n, every, few, least;
    const plussi_clock_plan *again; /* evaluates these, in one run; NULL: a pilot's */
} plussi_clock_draws;

/* Whether to go on: the calling thread asks the caller, the others read `stopped`. */
typedef struct plussi_clock_watch {
    const plussi_clock_options *options;
    struct plussi_clock_engine *engine; /* of all replications */
    pthread_t caller;
    double done, error; /* so far */
    bool stopped;       /* atomic */
} plussi_clock_watch;
bool plussi_clock_goes_on(plussi_clock_watch *watch);
/* Reports that the nest makes no access and returns PLUSS_EEMPTY. */
PLUSS_NODISCARD pluss_status plussi_clock_no_access(plussi_ctx *ctx);
/* Steps that each replication, and the footprint, may take; 0: no bound. */
uint64_t plussi_clock_share_of_effort(const plussi_clock_options *options);
/* plussi_attempt with this part of the effort. An error names what took more, and its place. used
 * may be NULL. */
PLUSS_NODISCARD pluss_status plussi_clock_attempt(plussi_ctx *ctx, const plussi_bound *bound,
                                                  const plussi_clock_options *options,
                                                  plussi_attempt_fn body, void *user,
                                                  plussi_clock_used *used);
/* Runs replication number `replication` of the seed. Everything in out is allocated from ctx->mem.
 */
PLUSS_NODISCARD pluss_status plussi_clock_replica(
    plussi_ctx *ctx, const plussi_bound *bound, const plussi_clock_options *options,
    const plussi_clock_classes *classes, uint32_t replication, const plussi_clock_draws *draws,
    plussi_clock_watch *watch, plussi_clock_plan *out);

/* ---- the engine of all replications: clock_engine.c ------------------------------------------ */

/* Any number of threads may use it at once. */
typedef struct plussi_clock_engine plussi_clock_engine;
PLUSS_NODISCARD pluss_status plussi_clock_engine_new(const plussi_mem *mem,
                                                     plussi_clock_engine **out);
void plussi_clock_engine_free(plussi_clock_engine *engine);
/* Makes it, if it is not there yet and replications can share one; outside of attempts. */
void plussi_clock_engine_prepare(plussi_clock_engine *engine, const plussi_bound *bound,
                                 const plussi_clock_options *options,
                                 const plussi_clock_classes *classes);
/* After that: an engine of ctx's that the caller frees, the team's or that of one thread (serial);
 * *out NULL: it has to make its own. */
PLUSS_NODISCARD pluss_status plussi_clock_engine_share(const plussi_clock_engine *engine,
                                                       plussi_ctx *ctx, bool serial,
                                                       plussi_engine **out);
bool plussi_clock_has_dynamic_loop(const plussi_bound *bound);

/* ---- what is kept between predictions: clock_kept.c ------------------------------------------ */

/* The footprints, if they are known; any_team: those of all teams and schedules. */
bool plussi_clock_take_footprint(plussi_ctx *ctx, const plussi_bound *bound,
                                 const plussi_clock_options *options, plussi_footprint *lines,
                                 plussi_footprint *firsts);
void plussi_clock_keep_footprint(plussi_ctx *ctx, const plussi_bound *bound,
                                 const plussi_clock_options *options, bool any_team, uint64_t steps,
                                 const plussi_footprint *lines, const plussi_footprint *firsts);
/* The classes, in ctx's memory, and the steps that finding them took; false: they are not known. */
bool plussi_clock_take_classes(plussi_ctx *ctx, const plussi_clock_options *options,
                               plussi_clock_classes *out);
void plussi_clock_keep_classes(plussi_ctx *ctx, const plussi_clock_options *options, uint64_t steps,
                               const plussi_clock_classes *classes);
/* The key of a replication's pilot sample; false: none is kept. The caller frees it. */
bool plussi_clock_begin_pilot_key(plussi_ctx *ctx, const plussi_clock_options *options,
                                  const plussi_clock_classes *classes, uint32_t number,
                                  plussi_kept_key *key);
/* steps: that it took. recall: makes the run, and the plan, as they were after it. */
void plussi_clock_keep_pilot(plussi_clock_run *run, const plussi_kept_key *key, uint64_t steps,
                             const plussi_clock_plan *plan);
PLUSS_NODISCARD pluss_status plussi_clock_recall_pilot(plussi_clock_run *run, const void *value,
                                                       plussi_clock_plan *out);
/* A replication's samples, in ctx's memory; false: they are not known, and out is as before. */
bool plussi_clock_take_replica(plussi_ctx *ctx, const plussi_bound *bound,
                               const plussi_clock_options *options,
                               const plussi_clock_classes *classes, uint32_t number,
                               const plussi_clock_draws *draws, plussi_clock_plan *out);
void plussi_clock_keep_replica(plussi_ctx *ctx, const plussi_bound *bound,
                               const plussi_clock_options *options,
                               const plussi_clock_classes *classes, uint32_t number,
                               const plussi_clock_draws *draws, const plussi_clock_plan *plan);

/* ---- orders of samples: clock_order.c ---------------------------------------------------------
 */

typedef uint64_t (*plussi_clock_key)(const plussi_clock_sample *sample);
/* Sorts the plan's samples by these keys, the most important one first; O(n) for each byte. */
PLUSS_NODISCARD pluss_status plussi_clock_order(plussi_ctx *ctx, plussi_clock_plan *plan,
                                                const plussi_clock_key *key, uint32_t n_keys);
uint64_t plussi_clock_key_number(const plussi_clock_sample *sample);
uint64_t plussi_clock_key_part(const plussi_clock_sample *sample);
uint64_t plussi_clock_key_group(const plussi_clock_sample *sample);
uint64_t plussi_clock_key_stratum(const plussi_clock_sample *sample);
uint64_t plussi_clock_key_replication(const plussi_clock_sample *sample);

/* ---- intervals to distances: clock_aet.c, clock_misfit.c, clock_calibrate.c ------------------ */

/* Sets the distances. Sorts the samples. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_clock_aet(plussi_ctx *ctx, plussi_clock_plan *plan);
/* Estimated error of the miss ratio, averaged over the sizes, that AET causes. */
PLUSS_NODISCARD pluss_status plussi_clock_misfit(plussi_ctx *ctx, const plussi_clock_plan *plan,
                                                 double footprint, double *out);
/* Corrects AET's distances by the counts, if there are any. */
PLUSS_NODISCARD pluss_status plussi_clock_calibrate(plussi_ctx *ctx, plussi_clock_plan *plan);

/* ---- how far the curve may be off: clock_error.c
 * -----------------------------------------------------------------------------------------------
 */

/* Sets mean_error and, at the n_points sizes, error. Sorts the samples. */
PLUSS_NODISCARD pluss_status plussi_clock_error(plussi_ctx *ctx, plussi_clock_plan *plan,
                                                uint32_t replications, plussi_clock_result *out);

/* ---- from one draw to another: clock_spread.c ------------------------------------------------ */

/* Standard deviations over draws at n sizes. Sorts the samples. */
PLUSS_NODISCARD pluss_status plussi_clock_spread(plussi_ctx *ctx, plussi_clock_plan *plan,
                                                 uint32_t draws, const double *size, size_t n,
                                                 double *out);

/* ---- from one run to another, uniform progress: clock_single_runs.c -------------------------- */

/* Accesses to be evaluated in several runs: those of replication 0. The caller frees the samples.
 */
PLUSS_NODISCARD pluss_status plussi_clock_positions(plussi_ctx *ctx, const plussi_clock_plan *plan,
                                                    plussi_clock_plan *out);
/* Standard deviations over runs at n sizes. plan: the curve's samples, with distances, and the
 * evaluations of the repeated accesses, in replications first, first + 1, ...: one for each of at
 * least two runs. */
PLUSS_NODISCARD pluss_status plussi_clock_single_runs(plussi_ctx *ctx,
                                                      const plussi_clock_plan *plan, uint32_t first,
                                                      uint32_t runs, size_t accesses,
                                                      const double *size, size_t n, double *out);

/* ---- the same, from whole runs: clock_walked_runs.c ------------------------------------------ */

/* accesses: of the program; out: n zeros. O(accesses * runs). */
PLUSS_NODISCARD pluss_status plussi_clock_walked_runs(plussi_ctx *ctx, const plussi_bound *bound,
                                                      const plussi_clock_options *options,
                                                      plussi_clock_watch *watch, double accesses,
                                                      const double *size, size_t n, double *out);

/* ---- the lines of the program: clock_footprint.c --------------------------------------------- */

/* Number of distinct lines. firsts: the same, counted once for each cache that a line comes into if
 * threads_per_cache threads share one (0: all). alike: these are the lines of any team.
 * PLUSS_EEMPTY if there is no access. */
PLUSS_NODISCARD pluss_status plussi_clock_footprint(plussi_ctx *ctx, const plussi_bound *bound,
                                                    const plussi_clock_options *options,
                                                    plussi_footprint *lines,
                                                    plussi_footprint *firsts, bool *alike);
/* The same in an attempt with bounded effort, or as it is kept. */
PLUSS_NODISCARD pluss_status plussi_clock_find_footprint(plussi_ctx *ctx, const plussi_bound *bound,
                                                         const plussi_clock_options *options,
                                                         plussi_footprint *lines,
                                                         plussi_footprint *firsts);

/* ---- attribution: clock_attribution.c -------------------------------------------------------- */

PLUSS_NODISCARD pluss_status plussi_clock_attribute(plussi_ctx *ctx, const plussi_clock_plan *plan,
                                                    plussi_clock_result *out);

#endif
