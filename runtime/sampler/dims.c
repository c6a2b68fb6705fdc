/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The byte offset of a group as a sum of independent dimensions.
 */
#include <stdlib.h>
#include <string.h>

#include "sampler/maker.h"

typedef struct term {
    int64_t coef; /* bytes */
    uint32_t level;
} term;

static plussi_interval term_range(const plussi_maker *m, const term *t)
{
    return plussi_interval_scale(m->g->level[t->level].loop->range, t->coef);
}

static plussi_interval sum_range(const plussi_maker *m, const term *t, uint32_t n)
{
    plussi_interval r = {0, 0};
    for (uint32_t i = 0; i < n; i++) {
        plussi_interval one = term_range(m, &t[i]);
        r.lo += one.lo;
        r.hi += one.hi;
    }
    return r;
}

int64_t *plussi_maker_levels(plussi_maker *m)
{
    return plussi_arena_alloc(&m->e->arena, m->g->n_levels + 1, sizeof(int64_t));
}

static pluss_status add_affine_dim(plussi_maker *m, int64_t stride, const term *t, uint32_t n)
{
    plussi_group *g = m->g;
    plussi_constraint *q = &g->constraint[g->n_dims];
    plussi_dim *dim = &g->dim[g->n_dims++];
    q->k = plussi_maker_levels(m);
    if (!q->k)
        return PLUSS_ENOMEM;
    q->first = g->n_levels;
    for (uint32_t i = 0; i < n; i++) {
        q->k[t[i].level] = t[i].coef / stride;
        q->first = t[i].level < q->first ? t[i].level : q->first;
        q->last = t[i].level > q->last ? t[i].level : q->last;
    }
    plussi_interval bytes = sum_range(m, t, n);
    dim->stride = stride;
    dim->range = (plussi_interval){bytes.lo / stride, bytes.hi / stride};
    return PLUSS_OK;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = ((const term *)a)->coef, y = ((const term *)b)->coef;
    x = x < 0 ? -x : x;
    y = y < 0 ? -y : y;
    if (x != y)
        return x < y ? 1 : -1;
    uint32_t p = ((const term *)a)->level, q = ((const term *)b)->level;
    return p < q ? -1 : p > q;
}

/* Splits the terms of one declared dimension where the terms below a stride cannot reach it. */
static pluss_status split_terms(plussi_maker *m, term *t, uint32_t n)
{
    qsort(t, n, sizeof *t, by_size);
    while (n > 0) {
        int64_t most = t[0].coef < 0 ? -t[0].coef : t[0].coef;
        uint64_t all = 0;
        uint32_t outer = 0;
        term low[PLUSSI_MAX_LEVELS];
        uint32_t n_low = 0;
        for (uint32_t i = 0; i < n; i++) {
            all = plussi_gcd(all, plussi_magnitude(t[i].coef));
            if (t[i].coef % most == 0)
                t[outer++] = t[i];
            else
                low[n_low++] = t[i];
        }
        memcpy(t + outer, low, n_low * sizeof *t);
        plussi_interval r = sum_range(m, low, n_low);
        if (n_low > 0 && r.hi - r.lo >= most)
            return add_affine_dim(m, all, t, n);
        pluss_status status = add_affine_dim(m, most, t, outer);
        if (status)
            return status;
        memmove(t, t + outer, n_low * sizeof *t);
        n = n_low;
    }
    return PLUSS_OK;
}

/* Adds stride * x to the terms; the constant and the thread's coefficient go to the group. */
static void add_terms(plussi_maker *m, const plussi_cexpr *x, int64_t stride, term *t, uint32_t *n)
{
    m->g->c += stride * x->c;
    for (uint32_t i = 0; i < x->n; i++) {
        int64_t coef = stride * x->coef[i];
        if (x->slot[i] == 0) {
            m->g->thread_coef += coef;
            continue;
        }
        uint32_t level = m->level_of[x->slot[i]], k = 0;
        while (k < *n && t[k].level != level)
            k++;
        if (k == *n)
            t[(*n)++] = (term){0, level};
        t[k].coef += coef;
        if (t[k].coef == 0)
            t[k] = t[--*n];
    }
}

static void add_opaque_dim(plussi_maker *m, const plussi_cexpr *x, int64_t stride)
{
    plussi_group *g = m->g;
    g->constraint[g->n_dims] = (plussi_constraint){
        .expr = x, .weight = plussi_cexpr_weight(x), .first = 0, .last = g->n_levels};
    g->dim[g->n_dims++] = (plussi_dim){.stride = stride, .range = plussi_cexpr_range(x, m->box)};
    g->affine = false;
}

/* What the ranges of the dimensions add up to. */
static void sum_inner(plussi_maker *m)
{
    plussi_group *g = m->g;
    plussi_interval inner = {0, 0};
    for (uint32_t i = g->n_dims; i-- > 0;) {
        g->dim[i].inner = inner;
        plussi_interval r = plussi_interval_scale(g->dim[i].range, g->dim[i].stride);
        inner.lo += r.lo;
        inner.hi += r.hi;
    }
    int64_t threads = (int64_t)m->e->team - 1;
    plussi_interval shifts = plussi_interval_scale((plussi_interval){0, threads}, g->thread_coef);
    g->bytes = (plussi_interval){g->c + inner.lo + shifts.lo, g->c + inner.hi + shifts.hi};
}

/* The factor by which a dimension's terms are a guard's; 0: they are not. */
static int64_t find_factor(const plussi_constraint *dim, const plussi_constraint *guard)
{
    const plussi_term *a = dim->term, *b = guard->term;
    if (dim->n_terms != guard->n_terms || b->k % a->k)
        return 0;
    const int64_t factor = b->k / a->k;
    for (uint32_t t = 0; t < dim->n_terms; t++)
        if (a[t].level != b[t].level || b[t].k % a[t].k || b[t].k / a[t].k != factor)
            return 0;
    return factor;
}

void plussi_cut_dims(plussi_maker *m)
{
    plussi_group *g = m->g;
    for (uint32_t j = 0; j < g->n_dims && g->affine; j++)
        for (uint32_t i = 0; i < g->n_guards && g->constraint[j].n_terms > 1; i++) {
            const plussi_constraint *guard = &g->guard[i];
            const int64_t factor = find_factor(&g->constraint[j], guard);
            plussi_interval *range = &g->dim[j].range; /* guard->c + factor * Q_j >= 0 */
            if (factor > 0)
                range->lo = plussi_max64(range->lo, plussi_ceildiv(-guard->c, factor));
            else if (factor < 0)
                range->hi = plussi_min64(range->hi, plussi_floordiv(guard->c, -factor));
        }
    sum_inner(m);
}

/* Sorts by stride, the largest first; the flat sum comes last. */
static pluss_status order_dims(plussi_maker *m)
{
    plussi_group *g = m->g;
    for (uint32_t i = 1; i < g->n_dims; i++) {
        plussi_dim d = g->dim[i];
        plussi_constraint q = g->constraint[i];
        uint32_t k = i;
        for (; k > 0 && g->dim[k - 1].stride < d.stride; k--) {
            g->dim[k] = g->dim[k - 1];
            g->constraint[k] = g->constraint[k - 1];
        }
        g->dim[k] = d;
        g->constraint[k] = q;
    }
    for (uint32_t i = 0; i < g->n_dims; i++) {
        uint64_t stride = (uint64_t)g->dim[i].stride;
        g->dim[i].shift = stride & (stride - 1) ? -1 : __builtin_ctzll(stride);
    }
    sum_inner(m);
    plussi_constraint *sum = &g->constraint[g->n_dims];
    if (!g->affine) {
        *sum = (plussi_constraint){.expr = g->member[0]->ref->offset,
                                   .weight = plussi_cexpr_weight(g->member[0]->ref->offset),
                                   .first = 0,
                                   .last = g->n_levels};
        return PLUSS_OK;
    }
    sum->k = plussi_maker_levels(m);
    if (!sum->k)
        return PLUSS_ENOMEM;
    sum->first = g->n_levels;
    for (uint32_t i = 0; i < g->n_dims; i++)
        for (uint32_t l = 0; l < g->n_levels; l++)
            sum->k[l] += g->dim[i].stride * g->constraint[i].k[l];
    for (uint32_t l = 0; l < g->n_levels; l++) {
        if (!sum->k[l])
            continue;
        sum->first = l < sum->first ? l : sum->first;
        sum->last = l;
    }
    return PLUSS_OK;
}

pluss_status plussi_make_dims(plussi_maker *m)
{
    plussi_group *g = m->g;
    const plussi_bound_ref *ref = g->member[0]->ref;
    uint32_t rank = ref->array->rank, most = rank + PLUSSI_MAX_LEVELS + 1;
    g->dim = plussi_arena_alloc(&m->e->arena, most, sizeof *g->dim);
    g->constraint = plussi_arena_alloc(&m->e->arena, most + 1, sizeof *g->constraint);
    if (!g->dim || !g->constraint)
        return PLUSS_ENOMEM;
    g->affine = true;
    g->c = g->member[0]->decl->decl->u.ref.offset;
    bool odd = false; /* a dimension is not affine or its stride not positive */
    for (uint32_t d = 0; d < rank; d++)
        odd |= ref->sub[d]->kind != PLUSSI_CEXPR_AFFINE && ref->array->stride[d] <= 0;
    if (odd) {
        g->c = 0;
        add_opaque_dim(m, ref->offset, 1);
        return order_dims(m);
    }
    for (uint32_t d = 0; d < rank; d++) {
        int64_t stride = ref->array->stride[d];
        if (stride == 0)
            continue;
        if (ref->sub[d]->kind != PLUSSI_CEXPR_AFFINE) {
            add_opaque_dim(m, ref->sub[d], stride);
            continue;
        }
        term t[PLUSSI_MAX_LEVELS];
        uint32_t n = 0;
        add_terms(m, ref->sub[d], stride, t, &n);
        pluss_status status = split_terms(m, t, n);
        if (status)
            return status;
    }
    return order_dims(m);
}
