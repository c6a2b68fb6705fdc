/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A bound nest: every symbol has a value, every array an address, and every expression is compiled
 * over the values of the enclosing loops. All engines take this form.
 *
 * Slots: an expression sees an array iv[] of int64_t. iv[0] is $thread; iv[1 + d] is the induction
 * variable of the d-th loop on the path from the region to the expression (d = 0 the outermost).
 * $team needs no slot: it is a constant, or an expression over the loops around its region.
 */
#ifndef PLUSSI_BOUND_BOUND_H
#define PLUSSI_BOUND_BOUND_H

#include "base/arith.h"
#include "nest/nest.h"

enum { PLUSSI_MAX_SLOTS = PLUSSI_MAX_LOOPS + 1 };

/* ---- compiled expressions ----------------------------------------------------------------------
 *
 * Affine if possible: c + sum of coef[k] * iv[slot[k]], slots ascending, coef not 0. Else a tree
 * over affine leaves. Conditions are trees with the value 0 or 1. */
typedef enum plussi_cexpr_kind {
    PLUSSI_CEXPR_AFFINE,
    PLUSSI_CEXPR_ADD,   /* a[0] + a[1]: a sum with a part that is not affine */
    PLUSSI_CEXPR_SCALE, /* k * a[0] */
    PLUSSI_CEXPR_MUL,   /* a[0] * a[1]; a varying $team times an IV; never two IVs */
    PLUSSI_CEXPR_DIV,   /* floor(a[0] / k), k >= 1 */
    PLUSSI_CEXPR_MOD,   /* a[0] mod k, k >= 1 */
    PLUSSI_CEXPR_MIN,
    PLUSSI_CEXPR_MAX,
    PLUSSI_CEXPR_SELECT, /* a[0] ? a[1] : a[2] */
    PLUSSI_CEXPR_LOAD,   /* load->array at load->sub */
    PLUSSI_CEXPR_GE0,    /* a[0] >= 0: <, <=, >, >= all become this */
    PLUSSI_CEXPR_EQ0,
    PLUSSI_CEXPR_NE0,
    PLUSSI_CEXPR_AND,
    PLUSSI_CEXPR_OR,
    PLUSSI_CEXPR_NOT
} plussi_cexpr_kind;

typedef struct plussi_cexpr plussi_cexpr;
typedef struct plussi_bound_array plussi_bound_array;
typedef struct plussi_bound_node plussi_bound_node;

struct plussi_cexpr {
    plussi_cexpr_kind kind;
    int64_t c;  /* AFFINE */
    uint32_t n; /* AFFINE: terms */
    uint32_t *slot;
    int64_t *coef;
    int64_t k; /* SCALE, DIV, MOD */
    const plussi_cexpr *a[3];
    const plussi_bound_array *array; /* LOAD */
    const plussi_cexpr **sub;        /* LOAD: array->rank of them */
};

/* Value at iv. No overflow check: binding proved that none can happen within the loops' bounds (or
 * refused). LOAD reads array->values; out of range sets *fault and gives 0. */
int64_t plussi_cexpr_eval(const plussi_cexpr *x, const int64_t *iv, bool *fault);

/* The value of an affine expression. */
static inline int64_t plussi_affine(const plussi_cexpr *x, const int64_t *iv)
{
    int64_t value = x->c;
    for (uint32_t i = 0; i < x->n; i++)
        value += x->coef[i] * iv[x->slot[i]];
    return value;
}

/* The LOAD that sets *fault; NULL: none. */
const plussi_cexpr *plussi_cexpr_faulty(const plussi_cexpr *x, const int64_t *iv);

/* Bounds of the value while iv[s] is in box[s] for every slot s (interval arithmetic; exact for
 * affine, min, max; an enclosure for the rest; saturating). LOAD: the least and greatest of the
 * contents. */
plussi_interval plussi_cexpr_range(const plussi_cexpr *x, const plussi_interval *box);

/* The slots that the value depends on: bit s for slot s. */
uint32_t plussi_cexpr_slots(const plussi_cexpr *x);

/* Number of nodes: the cost of evaluation. */
uint32_t plussi_cexpr_weight(const plussi_cexpr *x);

/* ---- arrays ---------------------------------------------------------------------------------- */

struct plussi_bound_array {
    const plussi_array *decl;
    uint32_t id; /* = decl->id */
    uint64_t elem_bytes;
    uint32_t rank;
    int64_t *extent;                /* -1: unknown */
    int64_t *stride;                /* bytes from one value of a subscript to the next */
    bool is_private;                /* a view is private if its array is */
    const plussi_bound_array *over; /* a view of that array, over_bytes after its base; or NULL */
    int64_t over_bytes;
    int64_t base;       /* byte address of element 0...0 (of thread 0's copy if private) */
    int64_t copy_bytes; /* private: thread t's copy is at base + t * copy_bytes; a multiple of the
                           line */
    int64_t lo_byte, hi_byte; /* [lo, hi) from base: bytes that references can touch */
    int64_t room_lo, room_hi; /* the same of views and of arrays that it swaps memory with, too; not
                                 of views */
    uint64_t n_values;        /* contents, for LOAD; NULL: none */
    const int64_t *values;
    plussi_interval contents; /* their least and greatest; without contents: all of int64_t */
};

/* ---- the tree -------------------------------------------------------------------------------- */

/* touches: 1, or more if the strides allow the access to straddle a line boundary: then the lines
 * of its bytes 0, L, 2 L, ..., width - 1 in this order and always all of them (the last may repeat
 * one), each counted as one access, so that every execution of a reference has the same number of
 * accesses: 1 + ceil((width - 1) / L). It can straddle if (base + byte offset in the element) mod g
 * + width > g, g = gcd(L, the array's strides in bytes, and the differences between its base and
 * those of the arrays that it swaps memory with). */
typedef struct plussi_bound_ref {
    const plussi_bound_array *array; /* its base before swaps: see plussi_bound_swap */
    const plussi_cexpr **sub;        /* array->rank of them, in subscripts as written */
    const plussi_cexpr *offset; /* bytes from the array's base: sum of stride * sub, plus the offset
                                in the element; AFFINE whenever all subscripts are */
    uint64_t width;             /* bytes, >= 1 */
    bool write, atomic;
    uint32_t touches;
} plussi_bound_ref;

/* kind is never NONE or AUTO (these become static), nor RUNTIME (the options give it). */
typedef struct plussi_bound_schedule {
    plussi_schedule_kind kind;
    const plussi_cexpr *chunk;  /* NULL: one block a thread; only if static */
    const plussi_cexpr *chunk2; /* RAYON, NULL: no limit */
} plussi_bound_schedule;

typedef struct plussi_bound_loop {
    uint32_t slot;
    const plussi_cexpr *lo, *hi;
    int64_t step;
    plussi_interval range; /* contains every value of the IV; empty: the body is never executed */
    bool workshare, nowait;
    uint32_t collapse;
    plussi_bound_schedule schedule; /* workshare only */
} plussi_bound_loop;

/* OPS, CRITICAL, ORDERED and an IF without else that is always true are dissolved. */
struct plussi_bound_node {
    plussi_node_kind kind;
    const plussi_node *decl;
    uint32_t id;    /* REF and LOOP: decl->id; BRANCH: 0, 1, ... in text order */
    uint32_t depth; /* loops around it */
    uint32_t n_body, n_orelse;
    const plussi_bound_node **body, **orelse;
    const plussi_bound_node *parent;
    union {
        plussi_bound_loop loop;
        plussi_bound_ref ref;
        struct {
            const plussi_cexpr *num_threads, *cond; /* NULL: not given; see plussi_bparallel_team */
            bool nested;                            /* inside another: a team of one, $thread 0 */
        } parallel;
        struct {
            const plussi_cexpr *cond; /* IF: tree of conditions */
            double probability;       /* BRANCH */
        } branch;
        struct {
            bool nowait;
        } single;
        struct {
            uint32_t a, b; /* array ids */
        } swap;
    } u;
};

typedef struct plussi_bound_region {
    const plussi_region *decl;
    int64_t repeat; /* >= 0 */
    uint32_t n_body;
    const plussi_bound_node **body;
} plussi_bound_region;

/* Iterations [lo, hi) of a worksharing loop that a thread executed in a recorded run. Iterations
 * are numbered from 0 in the order of the sequential loop (collapsed loops: the product, row by
 * row). */
typedef struct plussi_chunk {
    uint32_t loop, thread; /* loop: the node's id */
    uint64_t time;         /* number of the loop's execution, from 0, in the whole program */
    uint64_t lo, hi;
} plussi_chunk;

typedef struct plussi_bound {
    plussi_arena arena;
    const plussi_nest *nest; /* borrowed: outlives the bound nest */
    uint32_t team;           /* T */
    uint32_t max_team;       /* the largest team, including num_threads clauses; >= team */
    uint32_t line_bytes;
    int64_t *symbol; /* value of symbol id */
    uint32_t n_arrays, n_regions, n_refs, n_loops;
    plussi_bound_array *array; /* by id */
    plussi_bound_region *region;
    uint32_t n_branches;
    const plussi_bound_node **ref; /* by id */
    const plussi_bound_node **loop;
    bool has_unknown, has_branch, has_load, has_swap; /* constructs that some engines refuse */
    bool has_view;                                    /* some array is a view of another */
    const plussi_chunk *chunk;                        /* of RECORDED loops; borrowed */
    size_t n_chunks;
} plussi_bound;

/* ---- binding --------------------------------------------------------------------------------- */

typedef struct plussi_binding {
    const char *name; /* "name": all symbols of that name; "region.name": the one of that region,
                         with precedence. Overrides the value in the text */
    int64_t value;
} plussi_binding;

typedef struct plussi_bind_options {
    uint32_t team;       /* T >= 1 */
    uint32_t line_bytes; /* power of two, 1 to 4096; usually 64 */
    const plussi_binding *binding;
    size_t n_bindings;
    /* Schedule of schedule(runtime) loops or, with force, of every worksharing loop. kind NONE:
     * none, so that runtime loops are dynamic,1, libgomp's default. chunk <= 0: none. */
    plussi_schedule_kind schedule;
    int64_t chunk;
    bool force_schedule;
    /* Loops with chunks here become RECORDED, whatever their schedule; borrowed, and outlives the
     * bound nest. RECORDED loops without chunks here have no iteration sets. */
    const plussi_chunk *recorded;
    size_t n_recorded;
} plussi_bind_options;

/* Binds a validated nest. Errors: PLUSS_EINVAL (team or line_bytes out of range), PLUSS_EUNBOUND
 * (one diagnostic that lists every symbol that is used and has no value), PLUSS_ENOTFOUND (a
 * binding that names no symbol), PLUSS_EINVALID (a name bound twice; a swap of arrays that differ
 * in size), PLUSS_ERANGE (extents, addresses, counts or values of expressions that can overflow,
 * num_threads or chunk < 1, a divisor < 1), PLUSS_ELIMIT (a team above PLUSSI_MAX_TEAM),
 * PLUSS_EUNSUPPORTED (a divisor that is not constant). One warning for each reference that can
 * leave a known extent.
 *
 * Placement. The room of an array is [lo, hi) in bytes from its base: what its extents and strides
 * span (at least one byte; where the slowest extent is not known, one value of it), joined with
 * what references can touch, its own and those of views over it; arrays that are swapped with each
 * other have the joined room of all. Private: max_team copies, copy_bytes apart (all lines of the
 * room). ADDRESS arrays are where they say. The others follow one another in order of declaration
 * from PLUSSI_PLACE_START: the base is the first multiple of the line plus OFFSET's bytes for which
 * all of the room's lines are above those of the array placed before and none of them belongs to
 * the room of an ADDRESS array. So the same description always gives the same lines, and no two
 * arrays share one unless they are told to.
 *
 * O(nodes * depth). The caller frees with plussi_bound_free. */
enum { PLUSSI_MAX_TEAM = 1 << 16, PLUSSI_PLACE_START = 1 << 16 };
PLUSS_NODISCARD pluss_status plussi_bind(plussi_ctx *ctx, const plussi_nest *nest,
                                         const plussi_bind_options *options, plussi_bound **out);
void plussi_bound_free(plussi_bound *bound);

/* Trip count of a loop at iv (slots of the enclosing loops set); 0 if empty. */
int64_t plussi_bloop_trips(const plussi_bound_loop *loop, const int64_t *iv);

/* Size of the team that executes a PARALLEL node at iv: 1 if nested or if the if clause is false,
 * else num_threads or the default. */
uint32_t plussi_bparallel_team(const plussi_bound *bound, const plussi_bound_node *parallel,
                               const int64_t *iv);

/* Whether every thread of the team waits at its end. */
static inline bool plussi_ends_in_barrier(const plussi_bound_node *node)
{
    return node->kind == PLUSSI_N_BARRIER ||
           (node->kind == PLUSSI_N_SINGLE && !node->u.single.nowait) ||
           (node->kind == PLUSSI_N_LOOP && node->u.loop.workshare && !node->u.loop.nowait);
}

/* Place of a node in the source, with its region's file; in the nest's text if the source is
 * unknown. O(depth + nodes of the regions' outermost level). */
plussi_loc plussi_bound_node_loc(const plussi_bound *bound, const plussi_bound_node *node);

/* Executes a SWAP node on base[], the current base of every array by id (initially array[].base):
 * the two arrays exchange their bases, and views of them follow. */
void plussi_bound_swap(const plussi_bound *bound, const plussi_bound_node *swap, int64_t *base);

#endif
