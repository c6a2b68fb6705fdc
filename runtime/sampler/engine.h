/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Closed-form queries on a bound nest: the number of accesses, the n-th access, the position of an
 * access, and the previous touch of a line by a thread. The cost depends on the text of the nest,
 * not on its trip counts. This is the static sampling of PACT'24, without any walking.
 *
 * A thread's sequence is its accesses in program order, over all phases. Phases are separated by
 * barriers and numbered from 0 by the number of barriers passed; empty ones count, so that the
 * numbers can be computed. (plussi_walk_phase numbers those with accesses alone.)
 *
 * A cursor is a point of the program: a leaf (a reference, or the barrier that ends a phase), the
 * values of the loops around it and, for references that touch several lines, the index of the
 * line.
 *
 * single: thread 0 executes it, which comes first when threads run one after the other, unless the
 * source of iteration sets says otherwise. Refused (PLUSS_EUNSUPPORTED, with name and place):
 * branches with a probability, subscripts or bounds that load from memory, unknown nodes, swaps
 * whose number depends on induction variables, and dynamic loops without a source of iteration
 * sets.
 */
#ifndef PLUSSI_SAMPLER_ENGINE_H
#define PLUSSI_SAMPLER_ENGINE_H

#include "bound/bound.h"
#include "team/iterset.h"

enum {
    PLUSSI_CURSOR_REPEAT = PLUSSI_MAX_SLOTS, /* slot of the region's repetition */
    PLUSSI_CURSOR_SINGLE, /* slot of a single treated as a loop of one iteration */
    PLUSSI_CURSOR_SLOTS
};

typedef struct plussi_cursor {
    uint32_t leaf;                   /* see plussi_engine_ref */
    uint32_t touch;                  /* < touches of the reference */
    int64_t iv[PLUSSI_CURSOR_SLOTS]; /* [0]: the thread; set for the leaf's loops only */
} plussi_cursor;

/* A thread's iteration set of one instance of a worksharing loop. */
typedef struct plussi_thread_set {
    plussi_iterset set;
    const uint64_t *accesses; /* SEGMENTS: the thread's accesses before each segment, n_segments + 1
                                 values; borrowed; NULL: the engine counts them */
    /* PATTERN: only for loops whose iterations all make the same number of accesses
     * (plussi_engine_is_even). */
} plussi_thread_set;

/* Source of the iteration sets that are not static. iv holds the values of the outer loops (and the
 * repetition in PLUSSI_CURSOR_REPEAT), 0 elsewhere: together with the loop's id they name the
 * instance. The answer for an instance is always the same and stays valid while the engine lives.
 * false: out of memory; the engine then uses an empty iteration set, and the source records the
 * failure. */
typedef struct plussi_iterset_source {
    bool (*set)(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                uint64_t chunk, uint32_t team, uint32_t thread, plussi_thread_set *out);
    void *user;
    bool ascending; /* all sets ascend (work stealing's do not): searches can stop at the cursor */
    bool singles;   /* a single without a barrier before or after it is treated as a dynamic loop of
                       one iteration, whose id is above those of the nest's loops; else thread 0
                       executes it */
} plussi_iterset_source;

/* Immutable once made, apart from the source of iteration sets; any number of threads may use it,
 * each with its own workspace. */
typedef struct plussi_engine plussi_engine;
/* Memory and caches of the queries of one analysis thread. */
typedef struct plussi_workspace plussi_workspace;

/* bound and source are borrowed; source NULL: static iteration sets only. O(nodes * depth). */
PLUSS_NODISCARD pluss_status plussi_engine_new(plussi_ctx *ctx, const plussi_bound *bound,
                                               const plussi_iterset_source *source,
                                               plussi_engine **out);
/* The same with a team of one in every parallel region: everything in text order, whichever thread
 * executes it. If threads are alike, its lines are those of any team. */
PLUSS_NODISCARD pluss_status plussi_engine_new_serial(plussi_ctx *ctx, const plussi_bound *bound,
                                                      plussi_engine **out);
/* The same engine with the effort of another context: shares what it is made of with `engine`,
 * which must outlive it and must not use its source. O(1). */
PLUSS_NODISCARD pluss_status plussi_engine_share(plussi_ctx *ctx, const plussi_engine *engine,
                                                 plussi_engine **out);
void plussi_engine_free(plussi_engine *engine);
/* Whether no subscript, bound or condition reads the thread's number, and no memory is private. */
bool plussi_engine_is_alike(const plussi_engine *engine);

/* Whether some iteration sets come from the source. */
bool plussi_engine_uses_source(const plussi_engine *engine);
uint32_t plussi_engine_team(const plussi_engine *engine);     /* the largest team */
uint64_t plussi_engine_accesses(const plussi_engine *engine); /* of all threads, whole program */
uint64_t plussi_engine_phases(const plussi_engine *engine);
/* The reference of a leaf; NULL: a barrier. */
const plussi_bound_node *plussi_engine_ref(const plussi_engine *engine, uint32_t leaf);
uint32_t plussi_engine_leaves(const plussi_engine *engine);
/* The loops around a leaf, outermost first (a repeated region: bound_node NULL). */
uint32_t plussi_engine_depth(const plussi_engine *engine, uint32_t leaf);
const plussi_bound_node *plussi_engine_loop(const plussi_engine *engine, uint32_t leaf,
                                            uint32_t level);

/* Accesses of a leaf in the whole program, all threads; 0 if they depend on the thread's number. */
uint64_t plussi_engine_leaf_accesses(const plussi_engine *engine, uint32_t leaf);
/* Counts them all, for an engine that is shared afterwards. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_engine_count_leaves(plussi_engine *engine);
/* Access n of these, in the order of plussi_engine_nth. */
void plussi_engine_nth_of_leaf(plussi_workspace *workspace, uint32_t leaf, uint64_t n,
                               plussi_cursor *out);
/* Accesses of iterations [a, b) of an instance of a worksharing loop, whichever thread executes
 * them. */
uint64_t plussi_engine_work(const plussi_engine *engine, const plussi_bound_node *loop,
                            const int64_t *iv, uint64_t a, uint64_t b);

/* Whether the accesses of its iterations are a polynomial of their number, so that those of a
 * static set are counted in O(1). */
bool plussi_engine_is_smooth(const plussi_engine *engine, const plussi_bound_node *loop);
/* Accesses of a static set's thread in its iterations before position pos of the set. */
uint64_t plussi_engine_own_work(const plussi_engine *engine, const plussi_bound_node *loop,
                                const int64_t *iv, const plussi_iterset *set, uint64_t pos);

/* Whether all iterations in an instance of the worksharing loop make the same number of accesses.
 */
bool plussi_engine_is_even(const plussi_engine *engine, const plussi_bound_node *loop);

PLUSS_NODISCARD pluss_status plussi_workspace_new(plussi_ctx *ctx, const plussi_engine *engine,
                                                  plussi_workspace **out);
void plussi_workspace_free(plussi_workspace *workspace);
/* Whether a query ran out of memory: its answer and later ones are invalid. */
bool plussi_workspace_failed(const plussi_workspace *workspace);

/* ---- counting and positions: position.c ---------------------------------------------------------
 */

/* The n-th access, n < plussi_engine_accesses, in an order that groups what threads execute alike;
 * a bijection, so that a uniform n gives a uniform access. out->iv[0] is its thread. */
void plussi_engine_nth(plussi_workspace *workspace, uint64_t n, plussi_cursor *out);
/* The number of an access in that order; false: it is not known, as counts around it depend on the
 * thread's number. */
bool plussi_engine_number(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t *out);

/* The first phase of the instance of the parallel region that the phase belongs to; in serial code,
 * the phase itself. */
uint64_t plussi_engine_region(plussi_workspace *workspace, uint64_t phase);
uint64_t plussi_engine_phase(plussi_workspace *workspace, const plussi_cursor *cursor);
/* Accesses of all threads in the phases before this one; phase <= plussi_engine_phases. */
uint64_t plussi_engine_before(plussi_workspace *workspace, uint64_t phase);
/* Accesses of a thread in a phase; the phase and position of a cursor; the cursor at a position
 * (pos == length: the barrier that ends the phase; pos <= length). */
uint64_t plussi_engine_length(plussi_workspace *workspace, uint32_t thread, uint64_t phase);
void plussi_engine_locate(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t *phase,
                          uint64_t *pos);
void plussi_engine_unrank(plussi_workspace *workspace, uint32_t thread, uint64_t phase,
                          uint64_t pos, plussi_cursor *out);
/* The access of the cursor's thread n accesses before it, n <= its position in the phase, where
 * both are in one iteration of the worksharing loop, in one of the innermost loops: without a
 * search from the phase's start on. false: they are not, and *out is untouched. */
bool plussi_engine_back(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t n,
                        plussi_cursor *out);
/* The barrier that ends a phase, as the thread's. */
void plussi_engine_end(plussi_workspace *workspace, uint32_t thread, uint64_t phase,
                       plussi_cursor *out);
/* The threads with accesses in a phase, bit t of (*bits)[t / 64]; returns the least number of
 * accesses of one of them. *bits is valid until the next query. */
uint64_t plussi_engine_busy(plussi_workspace *workspace, uint64_t phase, const uint64_t **bits);
/* Moves to the thread's next access in the phase; pos is the position in it. After the last one:
 * the barrier that ends the phase. Usually takes a few nanoseconds. */
void plussi_engine_step(plussi_workspace *workspace, uint64_t phase, uint64_t *pos,
                        plussi_cursor *cursor);
/* Moves to the thread's next access where that is found without counting, which is nearly always;
 * false: it is not, and the cursor is undefined. A few nanoseconds. */
bool plussi_engine_follow(const plussi_engine *engine, plussi_cursor *cursor);
/* What references make in iterations of an innermost loop: in iteration i each one touches the line
 * of address + i * step, i < iterations. */
enum { PLUSSI_SWEEP_REFS = 16 };
typedef struct plussi_swept {
    uint64_t iterations;
    uint32_t n;
    struct {
        uint64_t address;
        int64_t step;
    } ref[PLUSSI_SWEEP_REFS];
} plussi_swept;
/* The accesses from the cursor's on of whole iterations of a loop that makes nothing but references
 * to affine addresses, at most `most` accesses: returns how many, and moves the cursor to the last
 * one. 0: it is not at the start of two such iterations. O(references). */
uint64_t plussi_engine_sweep(plussi_workspace *workspace, plussi_cursor *cursor, uint64_t most,
                             plussi_swept *out);
/* Whether a leaf is in such a loop. */
bool plussi_engine_is_flat(const plussi_engine *engine, uint32_t leaf);
/* Number of accesses of the cursor's thread before it in the whole program: private reuse intervals
 * are differences of these. In closed form if iteration sets are the same in every instance, else
 * one step an instance. */
uint64_t plussi_engine_thread_rank(plussi_workspace *workspace, const plussi_cursor *cursor);

/* ---- dynamic loops (neither static nor recorded): phase.c -----------------
 */

/* Whether a phase has such loops. */
bool plussi_engine_on_demand(plussi_workspace *workspace, uint64_t phase);
/* The phase of an instance; iv as for a source of iteration sets. */
uint64_t plussi_engine_loop_phase(const plussi_engine *engine, const plussi_bound_node *loop,
                                  const int64_t *iv);
/* Visits what the threads of a team do in a phase, in each thread's order: accesses that are not
 * dispatched (several times, 0 included), and dynamic loops, as a source of iteration sets gets
 * them, if the team has more than one thread. loop: false ends the visit. O(instances * team). */
typedef struct plussi_visitor {
    void (*work)(void *user, uint32_t thread, uint64_t accesses);
    bool (*loop)(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                 uint64_t chunk, uint32_t team);
    void *user;
} plussi_visitor;
void plussi_engine_visit(plussi_workspace *workspace, uint64_t phase,
                         const plussi_visitor *visitor);

/* ---- parts --------------------------------------------------------------------------------------
 */

/* The parts of the program: its outermost pieces without a barrier inside, in text order, usually
 * one a worksharing loop. The part of a leaf; how far the part has advanced at a cursor, in [0, 1):
 * by the outermost loop around the part, else by the position among the thread's accesses of the
 * phase. */
uint32_t plussi_engine_parts(const plussi_engine *engine);
uint32_t plussi_engine_part(const plussi_engine *engine, uint32_t leaf);
double plussi_engine_progress(plussi_workspace *workspace, const plussi_cursor *cursor,
                              uint64_t phase, uint64_t pos);

/* A cursor in few words: plussi_engine_packed_words of them. */
uint32_t plussi_engine_packed_words(const plussi_engine *engine);
void plussi_engine_pack(const plussi_engine *engine, const plussi_cursor *cursor, int64_t *words);
void plussi_engine_unpack(const plussi_engine *engine, const int64_t *words, plussi_cursor *out);

/* -1, 0, 1: the order of two cursors of one thread. */
int plussi_engine_order(plussi_workspace *workspace, const plussi_cursor *a,
                        const plussi_cursor *b);

/* ---- lines: array_ranges.c, prev.c
 * --------------------------------------------------------------------
 */

uint64_t plussi_engine_line(plussi_workspace *workspace, const plussi_cursor *cursor);
uint32_t plussi_engine_line_bytes(const plussi_engine *engine);
/* Its first byte there. */
uint64_t plussi_engine_address(plussi_workspace *workspace, const plussi_cursor *cursor);
/* A superset of the threads that ever touch the line: bit t of bits[t / 64], for as many words as
 * the engine's team needs. */
void plussi_engine_touchers(const plussi_engine *engine, uint64_t line, uint64_t *bits);
/* The same for one phase: usually fewer. */
void plussi_engine_touchers_in(plussi_workspace *workspace, uint64_t line, uint64_t phase,
                               uint64_t *bits);

/* alike.c: whether it is known that all threads touch the line at the same positions of a phase, as
 * far as each has accesses there, and that these are static; but for the threads in `except` (as
 * many words as above), which may touch it at other positions, too, and are few. The cursor at such
 * a position, of another thread. */
bool plussi_engine_touched_alike(plussi_workspace *workspace, uint64_t line, uint64_t phase,
                                 uint64_t *except);
void plussi_engine_move_to_thread(plussi_workspace *workspace, uint64_t phase, uint64_t pos,
                                  uint32_t thread, plussi_cursor *cursor);

/* Previous touch: the latest access by cursor->iv[0] strictly before the cursor that touches the
 * line; and strictly after `after`, if that is not NULL (same thread, before the cursor). false:
 * none. */
bool plussi_engine_prev(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t line,
                        const plussi_cursor *after, plussi_cursor *out);
/* No fewer than the lines of memory whose number modulo `sets` is `set`, of all threads. O(arrays).
 */
uint64_t plussi_engine_lines_in_set(const plussi_engine *engine, uint64_t sets, uint64_t set);
/* Whether any reference that writes may touch the line, if the thread executes it. */
bool plussi_engine_is_written(const plussi_engine *engine, uint32_t thread, uint64_t line);
/* The latest write, else as plussi_engine_prev, to a byte of first ... last, which are of one line.
 */
bool plussi_engine_prev_write(plussi_workspace *workspace, const plussi_cursor *cursor,
                              uint64_t first, uint64_t last, const plussi_cursor *after,
                              plussi_cursor *out);
/* Number of groups: references with equal subscripts in one body, in text order (group.h). */
uint32_t plussi_engine_groups(const plussi_engine *engine);
/* Whether an access by cursor->iv[0] before the cursor touches the line, through groups first ...
 * last - 1. *searches grows by the number of groups searched. */
bool plussi_engine_touched(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t line,
                           uint32_t first, uint32_t last, uint32_t *searches);

#endif
