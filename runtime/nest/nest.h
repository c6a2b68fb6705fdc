/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop-nest description: the plugin emits it, the command reads it, a Rust nest becomes one,
 * and every engine starts from it. docs/nest-format.md has the text form and the meaning of each
 * construct.
 *
 * A nest is a program: a sequence of regions that share symbols and arrays. A region is a tree of
 * nodes. The nest's arena owns all objects; pointers between them are borrowed. Symbols have no
 * values yet: see bound.h.
 */
#ifndef PLUSSI_NEST_NEST_H
#define PLUSSI_NEST_NEST_H

#include <stdbool.h>

#include "base/ctx.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PLUSSI_NEST_VERSION = 1,
    PLUSSI_MAX_DEPTH = 64,       /* nodes on a path from a region to a leaf */
    PLUSSI_MAX_LOOPS = 24,       /* of these, loops */
    PLUSSI_MAX_RANK = 16,        /* dimensions of an array */
    PLUSSI_MAX_EXPR_DEPTH = 64,  /* levels of an expression */
    PLUSSI_MAX_SYMBOLS = 4096,   /* a nest */
    PLUSSI_MAX_ARRAYS = 4096,    /* a nest */
    PLUSSI_MAX_REGIONS = 4096,   /* a nest */
    PLUSSI_MAX_NODES = 1 << 20,  /* a nest */
    PLUSSI_MAX_VALUES = 1 << 24, /* literal contents of an array */
    PLUSSI_MAX_ACCESS = 1 << 24, /* bytes of one access */
    PLUSSI_MAX_NAME = 255,       /* bytes of a name */
    PLUSSI_MAX_TEXT = 1 << 28    /* bytes of a nest's text */
};

typedef struct plussi_nest plussi_nest;
typedef struct plussi_region plussi_region;
typedef struct plussi_symbol plussi_symbol;
typedef struct plussi_array plussi_array;
typedef struct plussi_node plussi_node;
typedef struct plussi_expr plussi_expr;

/* ---- expressions -----------------------------------------------------------------------------
 *
 * Integers of 64 bits. Division is floor division and % the modulus that goes with it; the divisor
 * is positive. Comparisons and && || ! are allowed in guards and in the condition of SELECT only.
 */
typedef enum plussi_expr_kind {
    PLUSSI_E_INT,    /* value */
    PLUSSI_E_SYMBOL, /* symbol */
    PLUSSI_E_IV,     /* loop: the induction variable of an enclosing LOOP node */
    PLUSSI_E_THREAD, /* $thread: the number of the executing thread in its team */
    PLUSSI_E_TEAM,   /* $team: the team's size */
    PLUSSI_E_NEG,    /* -a[0] */
    PLUSSI_E_ADD,
    PLUSSI_E_SUB,
    PLUSSI_E_MUL,
    PLUSSI_E_DIV, /* floor(a[0] / a[1]) */
    PLUSSI_E_MOD, /* a[0] - a[1] * floor(a[0] / a[1]) */
    PLUSSI_E_MIN,
    PLUSSI_E_MAX,
    PLUSSI_E_SELECT, /* a[0] ? a[1] : a[2] */
    PLUSSI_E_LOAD, /* array[subscripts]: the value stored there (an indirect subscript or bound) */
    PLUSSI_E_LT,
    PLUSSI_E_LE,
    PLUSSI_E_GT,
    PLUSSI_E_GE,
    PLUSSI_E_EQ,
    PLUSSI_E_NE,
    PLUSSI_E_AND,
    PLUSSI_E_OR,
    PLUSSI_E_NOT
} plussi_expr_kind;

struct plussi_expr {
    plussi_expr_kind kind;
    plussi_loc loc; /* in the parsed text; for messages only */
    int64_t value;
    plussi_symbol *symbol;
    plussi_node *loop;
    plussi_array *array;
    uint32_t n_subs;
    plussi_expr **subs; /* LOAD */
    plussi_expr *a[3];
};

/* ---- symbols and arrays ---------------------------------------------------------------------- */

/* A named integer. Unbound if value is NULL; bound if value is a constant expression; derived
 * otherwise (only from symbols declared before it). */
struct plussi_symbol {
    const char *name;
    const char *origin; /* the source expression that it represents ("p->n"), or NULL */
    plussi_expr *value;
    int64_t least;         /* the nest is known to hold from this value on; INT64_MIN: for all */
    plussi_region *region; /* NULL: nest-wide */
    plussi_symbol *next;   /* in order of declaration */
    plussi_loc loc;
    uint32_t id; /* 0, 1, ... over the whole nest, in order of declaration */
};

/* Whether it is a condition of the whole nest or region, used or not: derived, with a least value.
 */
static inline bool plussi_symbol_is_condition(const plussi_symbol *s)
{
    return s->value && s->least != INT64_MIN;
}

typedef enum plussi_elem {
    PLUSSI_ELEM_F32,
    PLUSSI_ELEM_F64,
    PLUSSI_ELEM_F80, /* 16 bytes */
    PLUSSI_ELEM_C64, /* complex of two f32 */
    PLUSSI_ELEM_C128,
    PLUSSI_ELEM_I8,
    PLUSSI_ELEM_I16,
    PLUSSI_ELEM_I32,
    PLUSSI_ELEM_I64,
    PLUSSI_ELEM_I128,
    PLUSSI_ELEM_BYTES /* any other size: structs, unions; written b48 */
} plussi_elem;

typedef enum plussi_base_kind {
    PLUSSI_BASE_FREE,    /* engines place it on separate lines */
    PLUSSI_BASE_OFFSET,  /* base = bytes from the start of a line; the line is free */
    PLUSSI_BASE_ADDRESS, /* base = byte address */
    PLUSSI_BASE_OVER     /* base = bytes after the start of array `over` (a view of it) */
} plussi_base_kind;

struct plussi_array {
    const char *name;
    plussi_elem elem;
    uint64_t elem_bytes;   /* >= 1 */
    uint32_t rank;         /* 0: a scalar */
    plussi_expr **extents; /* rank of them; extents[0] (row order) or the last (column order) may be
                              NULL: unknown */
    plussi_expr **strides; /* elements between values of a subscript; NULL: from extents */
    bool column_order;     /* Fortran: the first subscript varies fastest */
    bool is_private;       /* every thread has its own */
    plussi_base_kind base_kind;
    plussi_expr *base; /* OFFSET, ADDRESS, OVER; NULL means 0 */
    plussi_array *over;
    int64_t *lower;    /* rank of them: what Fortran's source calls 0; for texts; NULL: not told */
    const char *alias; /* may share memory with others of this group; NULL: none */
    bool has_values;   /* literal contents (index arrays), row by row */
    uint64_t n_values;
    int64_t *values;
    plussi_region *region; /* NULL: nest-wide */
    plussi_array *next;
    plussi_loc loc;
    uint32_t id; /* 0, 1, ... over the whole nest, in order of declaration */
};

/* ---- nodes ----------------------------------------------------------------------------------- */

typedef enum plussi_node_kind {
    PLUSSI_N_LOOP,
    PLUSSI_N_PARALLEL, /* a parallel region: fork, body by every thread of the team, join */
    PLUSSI_N_REF,
    PLUSSI_N_IF,     /* guard: cond, body, orelse */
    PLUSSI_N_BRANCH, /* probability, body, orelse */
    PLUSSI_N_BARRIER,
    PLUSSI_N_SINGLE,   /* body by one thread; a barrier after it unless nowait */
    PLUSSI_N_MASTER,   /* body by thread 0; no barrier */
    PLUSSI_N_CRITICAL, /* body by every thread; exclusion is not modelled */
    PLUSSI_N_ORDERED,  /* the same */
    PLUSSI_N_SWAP,     /* two arrays exchange their memory; outside parallel regions */
    PLUSSI_N_OPS,      /* operation counts of the code at this place */
    PLUSSI_N_UNKNOWN
} plussi_node_kind;

typedef enum plussi_schedule_kind {
    PLUSSI_SCHED_NONE, /* no clause: static, no chunk, as libgomp does */
    PLUSSI_SCHED_STATIC,
    PLUSSI_SCHED_DYNAMIC,
    PLUSSI_SCHED_GUIDED,
    PLUSSI_SCHED_AUTO,
    PLUSSI_SCHED_RUNTIME,
    PLUSSI_SCHED_RAYON,   /* work stealing: a piece has chunk to chunk2 iterations */
    PLUSSI_SCHED_RECORDED /* iteration sets of a recorded run */
} plussi_schedule_kind;

typedef enum plussi_sched_modifier {
    PLUSSI_SCHED_PLAIN,
    PLUSSI_SCHED_MONOTONIC,
    PLUSSI_SCHED_NONMONOTONIC
} plussi_sched_modifier;

typedef struct plussi_schedule {
    plussi_schedule_kind kind;
    plussi_sched_modifier modifier;
    plussi_expr *chunk;  /* NULL: none */
    plussi_expr *chunk2; /* RAYON only */
} plussi_schedule;

typedef enum plussi_unknown_kind {
    PLUSSI_UNKNOWN_LOOP,      /* a whole loop */
    PLUSSI_UNKNOWN_REFERENCE, /* an access whose address is not described */
    PLUSSI_UNKNOWN_CALL,
    PLUSSI_UNKNOWN_CONTROL,  /* a branch, an exit */
    PLUSSI_UNKNOWN_CONSTRUCT /* an OpenMP or language construct */
} plussi_unknown_kind;

typedef struct plussi_body {
    plussi_node *first, *last; /* in execution order */
} plussi_body;

typedef struct plussi_op {
    const char *group; /* "fadd", "fmul", "int", ... : any names */
    uint64_t count;
} plussi_op;

struct plussi_node {
    plussi_node_kind kind;
    plussi_loc loc;             /* source location; file NULL: the region's file; line 0: unknown */
    plussi_loc text_loc;        /* place in the nest's text; for messages only */
    plussi_node *next, *parent; /* parent NULL: a child of the region */
    uint32_t id;                /* REF and LOOP: 0, 1, ... of their kind over the whole nest */
    plussi_body body, orelse;
    union {
        struct { /* lo, lo + step, ... while < hi (step > 0) or > hi (step < 0) */
            const char *iv;
            plussi_expr *lo, *hi;
            int64_t step;   /* not 0 */
            bool workshare; /* its iterations are divided among the team */
            plussi_schedule schedule;
            uint32_t collapse; /* >= 1: this loop and the collapse - 1 loops nested in it */
            bool nowait, ordered;
            bool added; /* in the place of an unknown: numbered after all others */
        } loop;
        struct {
            plussi_expr *num_threads; /* NULL: the default team */
            plussi_expr *cond;        /* if clause, NULL: none; false: a team of one */
        } parallel;
        struct {
            plussi_array *array;
            uint32_t n_subs; /* = array->rank */
            plussi_expr **subs;
            int64_t offset; /* bytes from the element's start */
            uint64_t width; /* bytes accessed; 0: from offset to the element's end */
            bool write, atomic;
        } ref;
        struct {
            plussi_expr *cond;  /* IF */
            double probability; /* BRANCH: of body, in [0, 1] */
        } branch;
        struct {
            bool nowait;
        } single;
        struct {
            plussi_array *a, *b;
        } swap;
        struct {
            uint32_t n;
            plussi_op *op;
        } ops;
        struct {
            plussi_unknown_kind kind;
            plussi_array *array; /* or NULL */
            const char *reason;
        } unknown;
    } u;
};

struct plussi_region {
    const char *name;
    plussi_loc loc;      /* of the source; file may be NULL */
    plussi_expr *repeat; /* number of consecutive runs; NULL: one */
    plussi_body body;
    plussi_region *next;
    plussi_loc text_loc;
    uint32_t id;
};

struct plussi_nest {
    plussi_arena arena;
    plussi_symbol *first_symbol, *last_symbol; /* the nest's and all regions', in text order */
    plussi_array *first_array, *last_array;
    plussi_region *first_region, *last_region;
    uint32_t n_symbols, n_arrays, n_regions, n_refs, n_loops, n_nodes;
    bool out_of_memory; /* a builder call failed: validate and print then return PLUSS_ENOMEM */
};

/* ---- life ------------------------------------------------------------------------------------ */

PLUSS_NODISCARD pluss_status plussi_nest_new(plussi_ctx *ctx, plussi_nest **out);
void plussi_nest_free(plussi_nest *nest); /* NULL is allowed */

/* ---- building: build.c -------------------------------------------------------------------------
 *
 * All return NULL only if out of memory (a builder may continue: NULL arguments give NULL, and the
 * nest remembers it in out_of_memory). Strings are copied. Nodes are appended to `body` in
 * execution order; loops start with step 1 and collapse 1. plussi_nest_number assigns ids. expr_op
 * folds the negation of a literal, as the parser does. */
plussi_symbol *plussi_nest_add_symbol(plussi_nest *nest, plussi_region *region, const char *name,
                                      plussi_expr *value);
plussi_array *plussi_nest_add_array(plussi_nest *nest, plussi_region *region, const char *name,
                                    plussi_elem elem, uint64_t elem_bytes, uint32_t rank);
plussi_region *plussi_nest_add_region(plussi_nest *nest, const char *name, plussi_loc loc);
plussi_node *plussi_nest_add_node(plussi_nest *nest, plussi_body *body, plussi_node *parent,
                                  plussi_node_kind kind, plussi_loc loc);
plussi_expr *plussi_expr_int(plussi_nest *nest, int64_t value);
plussi_expr *plussi_expr_symbol(plussi_nest *nest, plussi_symbol *symbol);
plussi_expr *plussi_expr_iv(plussi_nest *nest, plussi_node *loop);
plussi_expr *plussi_expr_op(plussi_nest *nest, plussi_expr_kind kind, plussi_expr *a,
                            plussi_expr *b, plussi_expr *c);
plussi_expr *plussi_expr_load(plussi_nest *nest, plussi_array *array,
                              uint32_t n_subs);       /* set subs */
uint32_t plussi_expr_arity(plussi_expr_kind kind);    /* number of operands in a[] */
bool plussi_expr_is_condition(plussi_expr_kind kind); /* a comparison, && || or ! */
/* Allocates n expression pointers, cleared (extents, subs, strides). */
plussi_expr **plussi_expr_vec(plussi_nest *nest, uint32_t n);
const char *plussi_nest_string(plussi_nest *nest, const char *s); /* a copy in the arena */
/* Does a symbol or an array have this name? O(declarations). */
bool plussi_nest_declares(const plussi_nest *nest, const char *name);

/* Numbers symbols, arrays, regions, loops and references in text order, and sorts the lists of
 * symbols and arrays into that order (the nest's own first, then region by region); added loops
 * after all others. Parse and
 * validate call it; call it again after a change of the tree. O(nodes + declarations log). */
void plussi_nest_number(plussi_nest *nest);

/* Next node of a pre-order walk below `root_body`; start with node NULL; NULL at the end. The
 * branches of an IF or BRANCH: body, then orelse. */
plussi_node *plussi_nest_walk(const plussi_body *root_body, plussi_node *node);

/* Where a node is for messages: in the source, whose file is the region's where the node has none,
 * or in the nest's text, where its line is not known. region: or NULL. */
plussi_loc plussi_node_place(const plussi_node *node, const plussi_region *region);

uint64_t plussi_elem_bytes(plussi_elem elem); /* 0 for BYTES */
const char *plussi_elem_name(plussi_elem elem);

/* ---- text: parse.c, print.c --------------------------------------------------------------------
 *
 * parse: text of `length` bytes (NUL bytes are errors); `file` names it in messages, may be NULL.
 * All errors of a text are reported (up to PLUSSI_MAX_DIAGS), each with file:line:col, what was
 * found and what was expected. On success the nest is validated and numbered; the caller owns it.
 * O(length). */
PLUSS_NODISCARD pluss_status plussi_nest_parse(plussi_ctx *ctx, const char *text, size_t length,
                                               const char *file, plussi_nest **out);

/* The canonical text: NUL-terminated, *out owned by the caller (plussi_free), *length without the
 * NUL. parse(print(n)) equals n, and print(parse(print(n))) is print(n) to the byte. */
PLUSS_NODISCARD pluss_status plussi_nest_print(plussi_ctx *ctx, const plussi_nest *nest, char **out,
                                               size_t *length);
/* One region as a separate nest (with the declarations that it uses), for display. The nest is
 * numbered. */
PLUSS_NODISCARD pluss_status plussi_nest_print_region(plussi_ctx *ctx, const plussi_nest *nest,
                                                      const plussi_region *region, char **out,
                                                      size_t *length);
/* The loop-annotated trace (annotate.c): a line for each region, as docs/nest-format.md describes
 * it; *out and *length as of plussi_nest_print. The nest is valid. O(nodes and expressions). */
PLUSS_NODISCARD pluss_status plussi_nest_annotate(plussi_ctx *ctx, const plussi_nest *nest,
                                                  char **out, size_t *length);
/* One expression or one reference as text, for messages and reports: "A[i][k]", or as the source
 * writes it, "a(i, k + 1)", where the array's lower bounds are known. */
PLUSS_NODISCARD pluss_status plussi_expr_print(plussi_ctx *ctx, const plussi_expr *expr,
                                               char **out);
PLUSS_NODISCARD pluss_status plussi_ref_print(plussi_ctx *ctx, const plussi_node *ref, char **out);

/* ---- checks: validate.c, equal.c ---------------------------------------------------------------
 *
 * validate: everything that docs/nest-format.md calls an error and that the grammar alone does not
 * exclude (scopes, ranks, affinity, places, limits). Reports every fault; PLUSS_EINVALID or
 * PLUSS_ELIMIT if any. Numbers the nest. */
PLUSS_NODISCARD pluss_status plussi_nest_validate(plussi_ctx *ctx, plussi_nest *nest);

/* Sets the contents of the arrays called `name`, or REGION.NAME, of a valid nest: as values(...) in
 * its text, replacing any others, but without the limit on literals (such a large nest can be bound
 * and walked, but not validated again or parsed). Copied. PLUSS_ENOTFOUND if there is no such
 * array; PLUSS_EINVALID if it has no integers, literal extents that need more or fewer, or if a
 * value does not fit: the nest is then unchanged. O(n). */
PLUSS_NODISCARD pluss_status plussi_nest_give_values(plussi_ctx *ctx, plussi_nest *nest,
                                                     const char *name, const int64_t *values,
                                                     uint64_t n);

/* Structural equality of two valid nests (or of two built and numbered alike). Source locations
 * count only when with_locations; text locations never. O(nodes). */
bool plussi_nest_equal(const plussi_nest *a, const plussi_nest *b, bool with_locations);

/* Appends copies of all of src's regions and declarations to dst, for programs joined from several
 * texts; both are valid. Nest-wide symbols and arrays of the same name must agree, and the result
 * must be valid (else PLUSS_EINVALID, PLUSS_ELIMIT). O(nodes of both). */
PLUSS_NODISCARD pluss_status plussi_nest_append(plussi_ctx *ctx, plussi_nest *dst,
                                                const plussi_nest *src);

#ifdef __cplusplus
}
#endif
#endif
