/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Internals of the closed-form engine: the state of a search for a touch of a line.
 */
#ifndef PLUSSI_SAMPLER_SEARCH_H
#define PLUSSI_SAMPLER_SEARCH_H

#include "sampler/group.h"
#include "sampler/workspace.h"

enum { PLUSSI_MAX_CONSTRAINTS = 2 * PLUSSI_MAX_LEVELS + PLUSSI_MAX_RANK + 8 };

/* Limit of the result: the cursor, or the best one so far. */
typedef struct plussi_fence {
    const plussi_cursor *cursor;
    const plussi_plan_node *leaf;
    uint32_t levels; /* loops around both it and the group */
    bool equal;      /* points with its values at all of these are allowed */
} plussi_fence;

typedef struct plussi_search {
    const plussi_engine *e;
    const plussi_group *g;
    uint32_t root;        /* whose memory is looked for */
    int64_t span;         /* bytes that are looked for, after the first */
    uint64_t width;       /* by a write of elements of this width alone; 0: by any access */
    plussi_fence up, low; /* low.cursor NULL: none */
    uint32_t n_constraints;
    const plussi_constraint *constraint[PLUSSI_MAX_CONSTRAINTS];
    plussi_interval target[PLUSSI_MAX_CONSTRAINTS];
    bool coupled; /* some condition reads several levels */
    plussi_interval box[PLUSSI_CURSOR_SLOTS];
    int64_t iv[PLUSSI_CURSOR_SLOTS];
    plussi_thread_set own;           /* of the worksharing loop on the path */
    uint64_t row[PLUSSI_MAX_LEVELS]; /* collapsed: number of the row's first iteration */
    const plussi_plan_node *found;
} plussi_search;

static inline int64_t plussi_line_span(const plussi_engine *e)
{
    return (INT64_C(1) << e->line_shift) - 1;
}

/* { v : k v in [lo, hi] } */
static inline plussi_interval plussi_multiples(int64_t lo, int64_t hi, int64_t k)
{
    if (k == 1)
        return (plussi_interval){lo, hi};
    if (k == -1)
        return (plussi_interval){-hi, -lo};
    if (k > 0)
        return (plussi_interval){plussi_ceildiv(lo, k), plussi_floordiv(hi, k)};
    return (plussi_interval){plussi_ceildiv(-hi, -k), plussi_floordiv(-lo, -k)};
}

/* Values of level l that leave a solution, with the other levels as in box. */
static inline plussi_interval plussi_search_tighten(const plussi_search *f, uint32_t l,
                                                    plussi_interval v)
{
    for (uint32_t i = 0; i < f->n_constraints; i++) {
        const plussi_constraint *q = f->constraint[i];
        if (!q->k || !q->k[l])
            continue;
        int64_t lo = q->c, hi = q->c;
        for (uint32_t j = 0; j < q->n_terms; j++) {
            const plussi_term *t = &q->term[j];
            if (t->level == l)
                continue;
            plussi_interval r = plussi_interval_scale(f->box[t->slot], t->k);
            lo += r.lo;
            hi += r.hi;
        }
        v = plussi_interval_meet(
            v, plussi_multiples(f->target[i].lo - hi, f->target[i].hi - lo, q->k[l]));
        if (plussi_interval_empty(v))
            return v;
    }
    return v;
}

/* constraints.c */
/* Sets the constraints under which the group touches one of f->span + 1 bytes (a line, as a rule),
 * the first of them `offset` bytes after the group's zero, and the box to the ranges of its loops.
 * false: it cannot. */
bool plussi_search_constrain(plussi_search *f, int64_t offset);
/* Narrows the box by the constraints; false: no solution in it. */
bool plussi_search_solve(plussi_search *f);
/* The same for levels from, from + 1, ... */
bool plussi_search_propagate(plussi_search *f, uint32_t from);
/* Narrows levels from, from + 1, ... to values that a static block can give the thread in the box.
 */
bool plussi_search_block(plussi_search *f, uint32_t from);

/* direct.c: searches a group that has a direct form, between the fences. Sets the IVs
 * and `found`. UNDECIDED: the group has to be searched as others are. offset: as for
 * plussi_search_constrain. */
typedef enum plussi_found { PLUSSI_NOT_FOUND, PLUSSI_FOUND, PLUSSI_UNDECIDED } plussi_found;
plussi_found plussi_search_directly(plussi_search *f, int64_t offset);

/* { q : stride q in [a, b] } */
static inline plussi_interval plussi_divide_interval(int64_t a, int64_t b, const plussi_dim *d)
{
    if (d->shift >= 0)
        return (plussi_interval){-(-a >> d->shift), b >> d->shift};
    int64_t hi = plussi_floordiv(b, d->stride);
    if ((hi - 1) * d->stride < a) /* usually one row */
        return (plussi_interval){hi * d->stride < a ? hi + 1 : hi, hi};
    return (plussi_interval){plussi_ceildiv(a, d->stride), hi};
}

/* prev.c */
/* The greatest own iteration in [a, b] of an ascending set; false: none. */
bool plussi_own_latest(const plussi_plan_node *head, const plussi_thread_set *own, uint64_t a,
                       uint64_t b, uint64_t *out);
/* The least s >= 0 for which a s mod m lies in [l, r], 0 <= a, l <= r < m, by Euclid's algorithm;
 * UINT64_MAX: none. O(log m). */
uint64_t plussi_first_within(uint64_t a, uint64_t m, uint64_t l, uint64_t r);

/* array_ranges.c */
/* Adds the threads that may touch a line by the search's group within an item of a phase, in which
 * the loops around the item have fixed values. offset: as for plussi_search_constrain. */
void plussi_add_touchers_in(plussi_search *f, const plussi_item *item, int64_t offset,
                            uint64_t *bits);
/* The next range that may hold the line; start with *i = UINT32_MAX. */
const plussi_array_range *plussi_next_range(const plussi_engine *e, uint32_t thread, uint64_t line,
                                            uint32_t *i);
/* Steps for a test of n groups: some tens or more do not fit the processor's caches. */
static inline void plussi_pay_groups(const plussi_engine *e, uint64_t n)
{
    enum { CACHED = 64 };
    plussi_effort_take(e->effort, n > CACHED ? 3 * n : n / 4);
}
/* Bytes from a group's zero in a thread's copy of the range to the line. */
static inline int64_t plussi_range_offset(const plussi_engine *e, const plussi_array_range *range,
                                          const plussi_group *g, int64_t thread, uint64_t line)
{
    const plussi_bound_array *array = &e->bound->array[range->root];
    int64_t base = array->base + (range->copy_lines ? thread * array->copy_bytes : 0);
    return (int64_t)(line << e->line_shift) - base - g->shift;
}

#endif
