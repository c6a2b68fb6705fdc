/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random valid nests, made with the builder: input for property tests and for comparisons between
 * engines. All references lie inside of their arrays' extents.
 *
 *     plussi_rng rng; plussi_rng_seed(&rng, 1, k);
 *     nest_gen_options options = nest_gen_defaults(NEST_GEN_AFFINE);
 *     nest_gen gen;
 *     ck_assert_int_eq(nest_gen_make(&ctx, &rng, &options, &gen), PLUSS_OK);
 *     ... gen.nest, gen.binding ...
 *     nest_gen_free(&gen);
 *
 * The same seed and options give the same nest.
 */
#ifndef TESTS_ORACLE_NEST_GEN_H
#define TESTS_ORACLE_NEST_GEN_H

#include "base/rng.h"
#include "bound/bound.h"

/* Constructs that may occur. Nothing set: rectangular loops of step 1 with constant bounds in one
 * parallel for, static schedule, affine references to arrays of f64. */
#define NEST_GEN_STEP (1ull << 0)       /* steps above 1 */
#define NEST_GEN_DESCENDING (1ull << 1) /* negative steps */
#define NEST_GEN_TRIANGULAR (1ull << 2) /* bounds that hold outer induction variables */
#define NEST_GEN_MINMAX (1ull << 3)     /* min and max in bounds */
#define NEST_GEN_DIVMOD (1ull << 4)     /* / and % in bounds and subscripts */
#define NEST_GEN_CLAMP (1ull << 5)      /* min and max in subscripts */
#define NEST_GEN_SELECT (1ull << 6)     /* ?: in subscripts */
#define NEST_GEN_GUARD (1ull << 7)      /* if */
#define NEST_GEN_BRANCH (1ull << 8)     /* branch */
#define NEST_GEN_IMPERFECT                                                                         \
    (1ull << 9)                         /* references before and behind inner loops, sibling loops \
                                         */
#define NEST_GEN_TIME_LOOP (1ull << 10) /* a serial loop around parallel regions */
#define NEST_GEN_SWAP (1ull << 11)      /* with swaps at its end (with TIME_LOOP) */
#define NEST_GEN_BLOCK (1ull << 12)     /* parallel blocks of several statements */
#define NEST_GEN_NOWAIT (1ull << 13)
#define NEST_GEN_BARRIER (1ull << 14)
#define NEST_GEN_MASTER (1ull << 15)
#define NEST_GEN_SINGLE (1ull << 16)
#define NEST_GEN_CRITICAL (1ull << 17)   /* and ordered */
#define NEST_GEN_REPLICATED (1ull << 18) /* loops and references that every thread executes */
#define NEST_GEN_SERIAL (1ull << 19)     /* loops and references outside of parallel */
#define NEST_GEN_COLLAPSE (1ull << 20)
#define NEST_GEN_SKEWED (1ull << 21) /* collapsed loops that are not rectangular */
#define NEST_GEN_CHUNK (1ull << 22)  /* static with chunks */
#define NEST_GEN_DYNAMIC (1ull << 23)
#define NEST_GEN_GUIDED (1ull << 24)
#define NEST_GEN_OTHER_SCHEDULES (1ull << 25) /* auto, runtime, rayon, recorded */
#define NEST_GEN_NUM_THREADS (1ull << 26)
#define NEST_GEN_IF_CLAUSE (1ull << 27)
#define NEST_GEN_NESTED (1ull << 28)    /* parallel inside of parallel */
#define NEST_GEN_THREAD_ID (1ull << 29) /* $thread in subscripts and bounds */
#define NEST_GEN_REGIONS (1ull << 30)   /* several regions */
#define NEST_GEN_REPEAT (1ull << 31)
#define NEST_GEN_SYMBOLS (1ull << 32)     /* bound and derived symbols in bounds and extents */
#define NEST_GEN_UNBOUND (1ull << 33)     /* some without a value: see binding */
#define NEST_GEN_ELEMENTS (1ull << 34)    /* elements of 1 to 48 bytes */
#define NEST_GEN_FIELDS (1ull << 35)      /* parts of elements */
#define NEST_GEN_COLUMN (1ull << 36)      /* column order */
#define NEST_GEN_STRIDE (1ull << 37)      /* padded rows */
#define NEST_GEN_OFFSET (1ull << 38)      /* arrays that start inside of a line */
#define NEST_GEN_ADDRESS (1ull << 39)     /* fixed addresses */
#define NEST_GEN_OVER (1ull << 40)        /* views of other arrays */
#define NEST_GEN_PRIVATE (1ull << 41)     /* arrays of each thread */
#define NEST_GEN_OPEN_EXTENT (1ull << 42) /* slowest extent not known */
#define NEST_GEN_SCALAR (1ull << 43)      /* arrays of rank 0 */
#define NEST_GEN_LOAD (1ull << 44)        /* subscripts loaded from index arrays with contents */
#define NEST_GEN_ATOMIC (1ull << 45)
#define NEST_GEN_NOTES (1ull << 46)     /* ops, alias groups: no accesses */
#define NEST_GEN_LOCATIONS (1ull << 47) /* source locations */
#define NEST_GEN_UNKNOWN (1ull << 48)
#define NEST_GEN_NAMES (1ull << 49) /* names that need backquotes, origins that need escapes */

/* Everything that the format has. */
#define NEST_GEN_ALL ((1ull << 50) - 1)
/* What an exact walk takes: no unknown accesses, no recorded shares, every order determined by the
 * merged order and the seed. */
#define NEST_GEN_WALK (NEST_GEN_ALL & ~(NEST_GEN_UNKNOWN | NEST_GEN_OTHER_SCHEDULES))
/* And no data-dependent branch, no indirect subscript, no code that differs by thread number, one
 * level of parallelism: what closed forms can hope to take. Take more away with & ~. */
#define NEST_GEN_AFFINE                                                                            \
    (NEST_GEN_WALK & ~(NEST_GEN_BRANCH | NEST_GEN_LOAD | NEST_GEN_THREAD_ID | NEST_GEN_NESTED |    \
                       NEST_GEN_SELECT | NEST_GEN_NAMES | NEST_GEN_LOCATIONS))
/* Static schedules only, on top of it. */
#define NEST_GEN_STATIC (NEST_GEN_AFFINE & ~(NEST_GEN_DYNAMIC | NEST_GEN_GUIDED))

typedef struct nest_gen_options {
    unsigned long long allow; /* NEST_GEN_ bits */
    uint32_t max_loops;       /* within each other, 1 to 6 */
    uint32_t max_trips;       /* of one loop, about; >= 1 */
    uint32_t max_arrays;      /* 1 to 8 (twins for swap and index arrays come on top) */
    uint32_t max_team;     /* subscripts are inside of extents for teams up to this; num_threads */
    uint64_t max_accesses; /* of the whole program with max_team threads and 64-byte lines */
} nest_gen_options;

nest_gen_options nest_gen_defaults(unsigned long long allow); /* 4, 8, 4, 8, 20000 */

enum { NEST_GEN_MAX_BINDINGS = 16 };

typedef struct nest_gen {
    plussi_nest *nest;                             /* valid and numbered */
    plussi_binding binding[NEST_GEN_MAX_BINDINGS]; /* for unbound symbols; names live in the nest */
    size_t n_bindings;
    uint64_t accesses; /* upper bound, <= max_accesses; at least 1 reference is executed */
} nest_gen;

/* PLUSS_ENOMEM, or PLUSS_EINTERNAL with a diagnostic if the nest were not valid. */
PLUSS_NODISCARD pluss_status nest_gen_make(plussi_ctx *ctx, plussi_rng *rng,
                                           const nest_gen_options *options, nest_gen *out);
void nest_gen_free(nest_gen *gen);

#endif
