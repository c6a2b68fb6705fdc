/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Closed-form queries on a bound nest: how many accesses, which one is the n-th, where a given one
 * is, and which access of a thread touched a line last. Cost depends on the text of the nest,
 * not on its trip counts. This is the static sampling of PACT'24 without any walking.
 *
 * A thread's sequence is its accesses in program order, over all phases. Phases are separated by
 * barriers and numbered from 0 by the number of barriers passed; empty ones count, so that the
 * numbers can be computed. (plussi_walk_phase numbers those with accesses alone.)
 *
 * A cursor is a place in the program: a leaf (a reference, or the barrier that ends a phase), the
 * values of the loops around it, and for references that touch several lines which of them.
 *
 * single: executed by thread 0, who comes first when threads run one after the other, unless the
 * source of iteration sets says otherwise. Refused (PLUSS_EUNSUPPORTED, with the name and the
 * place): branches with a probability, subscripts or bounds that load from memory, unknown nodes,
 * swaps whose number depends on induction variables, and iteration sets that are not static where
 * no source of them is given.
 */
#ifndef PLUSSI_SAMPLER_ENGINE_H
#define PLUSSI_SAMPLER_ENGINE_H

#include "bound/bound.h"
#include "team/iterset.h"

enum {
    PLUSSI_CURSOR_REPEAT = PLUSSI_MAX_SLOTS, /* slot of the region's repetition */
    PLUSSI_CURSOR_SINGLE,                    /* of a single that is a loop of one iteration */
    PLUSSI_CURSOR_SLOTS
};

typedef struct plussi_cursor {
    uint32_t leaf;  /* see plussi_engine_ref */
    uint32_t touch; /* < touches of the reference */
    int64_t
        iv[PLUSSI_CURSOR_SLOTS]; /* [0]: the thread; only the slots of the leaf's loops are set */
} plussi_cursor;

/* A thread's iteration set of one instance of a worksharing loop. */
typedef struct plussi_thread_set {
    plussi_iterset set;
    const uint64_t *accesses; /* SEGMENTS: the thread's accesses in the segments before each,
                                 n_segments + 1 of them; borrowed; NULL: the engine adds them up */
    /* A PATTERN is for loops alone of which plussi_engine_is_even says that every iteration makes
     * as many accesses. */
} plussi_thread_set;

/* Where iteration sets come from that are not static. iv holds the loops around (and the repetition
 * in PLUSSI_CURSOR_REPEAT), 0 elsewhere: with the loop's id they name the instance. Asked again for
 * an instance, the same answer must come. The answer stays valid while the engine lives. false: no
 * memory; the engine then takes the iteration set as empty, and the source knows that it failed. */
typedef struct plussi_iterset_source {
    bool (*set)(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                uint64_t chunk, uint32_t team, uint32_t thread, plussi_thread_set *out);
    void *user;
    bool ascending; /* all but work stealing's sets ascend: searches can be cut to what is
                       before the cursor */
    bool singles;   /* a single to which threads come when they come, or after which they do not
                       wait, counts too: as a dynamic loop of one iteration, whose id is
                       above those of the nest's loops. Else thread 0 executes it */
} plussi_iterset_source;

/* Immutable once made, but for what the source of iteration sets does; any number of threads may
 * use it, each with a workspace of its own. */
typedef struct plussi_engine plussi_engine;

/* bound and source are borrowed; source NULL: static iteration sets only. O(nodes * depth). */
PLUSS_NODISCARD pluss_status plussi_engine_new(plussi_ctx *ctx, const plussi_bound *bound,
                                               const plussi_iterset_source *source,
                                               plussi_engine **out);
/* The same with a team of one in every parallel region: what is executed, in the text's order,
 * whoever does it. Where threads are alike, its lines are those of any team. */
PLUSS_NODISCARD pluss_status plussi_engine_new_serial(plussi_ctx *ctx, const plussi_bound *bound,
                                                      plussi_engine **out);
void plussi_engine_free(plussi_engine *engine);
/* No subscript, bound or condition reads the thread's number, and no memory is private. */
bool plussi_engine_is_alike(const plussi_engine *engine);

/* Some iteration sets are not static and come from the source. */
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

/* Accesses of a leaf, whole program, all threads; 0 where they depend on the thread's number. */
uint64_t plussi_engine_leaf_accesses(const plussi_engine *engine, uint32_t leaf);
/* Accesses that iterations [a, b) of an instance of a worksharing loop are, by whichever thread. */
uint64_t plussi_engine_work(const plussi_engine *engine, const plussi_bound_node *loop,
                            const int64_t *iv, uint64_t a, uint64_t b);

/* All iterations of the worksharing loop make as many accesses, in an instance. */
bool plussi_engine_is_even(const plussi_engine *engine, const plussi_bound_node *loop);

/* Scratch memory and caches of one thread of the analysis. */
typedef struct plussi_workspace plussi_workspace;
PLUSS_NODISCARD pluss_status plussi_workspace_new(plussi_ctx *ctx, const plussi_engine *engine,
                                                  plussi_workspace **out);
void plussi_workspace_free(plussi_workspace *workspace);
/* Memory ran out in a query: its answer and later ones do not hold. */
bool plussi_workspace_failed(const plussi_workspace *workspace);

/* ---- counting and positions: position.c ---------------------------------------------------------
 */

/* The n-th access, n < plussi_engine_accesses, in an order that keeps together what the threads
 * execute alike; a bijection, so that a uniform n is a uniform access. out->iv[0] is its thread. */
void plussi_engine_nth(plussi_workspace *workspace, uint64_t n, plussi_cursor *out);

/* The first phase of the parallel region's instance that the phase belongs to; of serial code, the
 * phase. */
uint64_t plussi_engine_region(plussi_workspace *workspace, uint64_t phase);
uint64_t plussi_engine_phase(plussi_workspace *workspace, const plussi_cursor *cursor);
/* Accesses of all threads in the phases before this one; phase <= plussi_engine_phases. */
uint64_t plussi_engine_before(plussi_workspace *workspace, uint64_t phase);
/* Accesses of a thread in a phase; the phase of a cursor and its position there; the cursor at a
 * position (pos == length: the barrier that ends the phase; pos > length is not allowed). */
uint64_t plussi_engine_length(plussi_workspace *workspace, uint32_t thread, uint64_t phase);
void plussi_engine_locate(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t *phase,
                          uint64_t *pos);
void plussi_engine_unrank(plussi_workspace *workspace, uint32_t thread, uint64_t phase,
                          uint64_t pos, plussi_cursor *out);
/* The barrier that ends a phase, as the thread's. */
void plussi_engine_end(plussi_workspace *workspace, uint32_t thread, uint64_t phase,
                       plussi_cursor *out);
/* The threads that have accesses in a phase, bit t of (*bits)[t / 64]; the fewest that one of them
 * has. *bits is valid until the next query. */
uint64_t plussi_engine_busy(plussi_workspace *workspace, uint64_t phase, const uint64_t **bits);
/* From an access to the next one of its thread in the phase; pos is its position there, and becomes
 * the next one's. Beyond the last: the barrier that ends the phase. A few nanoseconds as a rule. */
void plussi_engine_step(plussi_workspace *workspace, uint64_t phase, uint64_t *pos,
                        plussi_cursor *cursor);
/* Accesses of the cursor's thread before it in the whole program: private reuse intervals are
 * differences of these. Closed where iteration sets do not change from instance to instance, else
 * one step an instance. */
uint64_t plussi_engine_thread_rank(plussi_workspace *workspace, const plussi_cursor *cursor);

/* ---- loops that are dispatched on demand (not static, not as recorded): phase.c -----------------
 */

/* A phase has such loops. */
bool plussi_engine_on_demand(plussi_workspace *workspace, uint64_t phase);
/* The phase of an instance; iv as a source of iteration sets gets it. */
uint64_t plussi_engine_loop_phase(const plussi_engine *engine, const plussi_bound_node *loop,
                                  const int64_t *iv);
/* What the threads of a team do in a phase, in the order in which each of them does it: accesses of
 * a thread that are not dispatched on demand (several times, 0 too), and such loops, as a source of
 * iteration sets gets them, where the team is of more than one. loop: false ends the visit.
 * O(instances * team). */
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

/* The parts of the program: its outermost pieces without a barrier inside, in text order, as a rule
 * one a worksharing loop. Which one holds a leaf; how far it has come at a cursor, in [0, 1):
 * iterations of the outermost loop around the part, else the position among the thread's accesses
 * of the phase. */
uint32_t plussi_engine_parts(const plussi_engine *engine);
uint32_t plussi_engine_part(const plussi_engine *engine, uint32_t leaf);
double plussi_engine_progress(plussi_workspace *workspace, const plussi_cursor *cursor,
                              uint64_t phase, uint64_t pos);

/* -1, 0, 1: which of two cursors of one thread comes first in its sequence. */
int plussi_engine_order(plussi_workspace *workspace, const plussi_cursor *a,
                        const plussi_cursor *b);

/* ---- lines: array_ranges.c, prev.c
 * --------------------------------------------------------------------
 */

uint64_t plussi_engine_line(plussi_workspace *workspace, const plussi_cursor *cursor);
uint32_t plussi_engine_line_bytes(const plussi_engine *engine);
/* Its first byte there. */
uint64_t plussi_engine_address(plussi_workspace *workspace, const plussi_cursor *cursor);
/* A superset of the threads that touch the line at some time: bit t of bits[t / 64], for as many
 * words as the engine's team takes. */
void plussi_engine_touchers(const plussi_engine *engine, uint64_t line, uint64_t *bits);
/* The same in one phase: fewer as a rule. */
void plussi_engine_touchers_in(plussi_workspace *workspace, uint64_t line, uint64_t phase,
                               uint64_t *bits);

/* The latest access of cursor->iv[0] strictly before the cursor that touches the line; after
 * `after`, strictly, where that is not NULL (of the same thread, before the cursor). false: none.
 */
bool plussi_engine_prev(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t line,
                        const plussi_cursor *after, plussi_cursor *out);
/* Whether any reference that writes may touch the line, if the thread executes it. */
bool plussi_engine_is_written(const plussi_engine *engine, uint32_t thread, uint64_t line);
/* The latest write, else as plussi_engine_prev, to a byte of first ... last, which are of one line.
 */
bool plussi_engine_prev_write(plussi_workspace *workspace, const plussi_cursor *cursor,
                              uint64_t first, uint64_t last, const plussi_cursor *after,
                              plussi_cursor *out);
/* References with equal subscripts in one body, numbered in the order of the text (group.h). */
uint32_t plussi_engine_groups(const plussi_engine *engine);
/* Whether an access of cursor->iv[0] before the cursor touches the line, by a reference of groups
 * first, first + 1, ... last - 1. *searches grows by the groups that were searched. */
bool plussi_engine_touched(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t line,
                           uint32_t first, uint32_t last, uint32_t *searches);

#endif
