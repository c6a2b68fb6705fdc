/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampler/lattice.h"

#include <stdlib.h>
#include <string.h>

#include "sampler/maker.h"

enum { MAX_TERMS = PLUSSI_MAX_AXES - 2, MAX_PLACES = 1024 };

/* Larger sets are not counted: sums of two stay within 64 bits. */
static const int64_t most = INT64_C(1) << 61;

typedef struct term {
    int64_t stride;
    uint64_t count;
} term;

typedef struct sum {
    const plussi_engine *e;
    const plussi_plan_node *leaf;
    bool by_iteration, failed, exact; /* exact: every combination of the terms' values occurs */
    int64_t base;
    int64_t coef[PLUSSI_CURSOR_SLOTS];
    plussi_interval box[PLUSSI_CURSOR_SLOTS];
    term term[MAX_TERMS];
    uint32_t n;
} sum;

/* ---- terms --------------------------------------------------------------------------------------
 */

static void add_base(sum *s, int64_t k, int64_t value)
{
    int64_t part;
    if (plussi_mul_over(k, value, &part) || plussi_add_over(s->base, part, &s->base))
        s->failed = true;
}

static void add_coef(sum *s, uint32_t slot, int64_t k, int64_t coef)
{
    int64_t part;
    if (plussi_mul_over(k, coef, &part) || plussi_add_over(s->coef[slot], part, &s->coef[slot]))
        s->failed = true;
}

/* stride * v, v = 0 ... count - 1. */
static void add_term(sum *s, int64_t stride, uint64_t count)
{
    int64_t length;
    if (count <= 1 || stride == 0)
        return;
    if (s->n == MAX_TERMS || count > (uint64_t)most || stride == INT64_MIN ||
        plussi_mul_over(stride, (int64_t)count - 1, &length) || length > most || length < -most) {
        s->failed = true;
        return;
    }
    if (stride < 0)
        add_base(s, 1, length);
    s->term[s->n++] = (term){stride < 0 ? -stride : stride, count};
}

static uint64_t width_of(plussi_interval v)
{
    return plussi_interval_empty(v) ? 0 : (uint64_t)v.hi - (uint64_t)v.lo + 1;
}

/* k times the expression; what is not affine counts as one value in its range. */
static void add_expression(sum *s, const plussi_cexpr *x, int64_t k)
{
    if (x->kind == PLUSSI_CEXPR_AFFINE) {
        add_base(s, k, x->c);
        for (uint32_t i = 0; i < x->n; i++)
            add_coef(s, x->slot[i], k, x->coef[i]);
    } else if (x->kind == PLUSSI_CEXPR_ADD) {
        add_expression(s, x->a[0], k);
        add_expression(s, x->a[1], k);
    } else if (x->kind == PLUSSI_CEXPR_SCALE && !plussi_mul_over(k, x->k, &k)) {
        add_expression(s, x->a[0], k);
    } else {
        plussi_interval v = plussi_cexpr_range(x, s->box);
        s->exact = false;
        add_base(s, k, v.lo);
        add_term(s, k, width_of(v));
    }
}

/* Bounds of hi - lo. */
static plussi_interval length_of(const sum *s, const plussi_cexpr *lo, const plussi_cexpr *hi)
{
    if (hi->kind == PLUSSI_CEXPR_MIN || hi->kind == PLUSSI_CEXPR_MAX) {
        plussi_interval a = length_of(s, lo, hi->a[0]), b = length_of(s, lo, hi->a[1]);
        if (hi->kind == PLUSSI_CEXPR_MIN)
            return (plussi_interval){plussi_min64(a.lo, b.lo), plussi_min64(a.hi, b.hi)};
        return (plussi_interval){plussi_max64(a.lo, b.lo), plussi_max64(a.hi, b.hi)};
    }
    plussi_interval a = plussi_cexpr_range(lo, s->box), b = plussi_cexpr_range(hi, s->box);
    if (lo->kind == PLUSSI_CEXPR_AFFINE && hi->kind == PLUSSI_CEXPR_AFFINE) {
        int64_t k[PLUSSI_CURSOR_SLOTS] = {0};
        for (uint32_t i = 0; i < hi->n; i++)
            k[hi->slot[i]] += hi->coef[i];
        for (uint32_t i = 0; i < lo->n; i++)
            k[lo->slot[i]] -= lo->coef[i];
        plussi_interval v = {hi->c - lo->c, hi->c - lo->c};
        for (uint32_t slot = 0; slot < PLUSSI_CURSOR_SLOTS; slot++) {
            if (!k[slot])
                continue;
            plussi_interval part = plussi_interval_scale(s->box[slot], k[slot]);
            v.lo += part.lo;
            v.hi += part.hi;
        }
        return v;
    }
    return (plussi_interval){b.lo - a.hi, b.hi - a.lo};
}

/* Range of the trip count. */
static plussi_interval range_of_trips(const sum *s, const plussi_plan_node *loop)
{
    int64_t step = loop->step;
    plussi_interval v = length_of(s, loop->lo, loop->hi);
    if (step < 0)
        v = (plussi_interval){-v.hi, -v.lo};
    step = step < 0 ? -step : step;
    return (plussi_interval){plussi_max64(plussi_ceildiv(v.lo, step), 0),
                             plussi_max64(plussi_ceildiv(v.hi, step), 0)};
}

/* Loops from the innermost out; by iteration: a loop's first value is added to the outer loops. */
static void add_loops(sum *s)
{
    for (uint32_t l = s->leaf->depth; l-- > 0;) {
        const plussi_plan_node *loop = s->leaf->loops[l];
        plussi_interval iterations = range_of_trips(s, loop);
        int64_t k = s->coef[loop->slot];
        if (iterations.lo != iterations.hi || iterations.lo < 1)
            s->exact = false;
        if (k == 0)
            continue;
        bool fixed = loop->lo->kind == PLUSSI_CEXPR_AFFINE && loop->lo->n == 0;
        if (fixed || (s->by_iteration && loop->lo->kind == PLUSSI_CEXPR_AFFINE)) {
            int64_t stride;
            add_expression(s, loop->lo, k);
            if (plussi_mul_over(k, loop->step, &stride))
                s->failed = true;
            else
                add_term(s, stride, (uint64_t)iterations.hi);
        } else {
            s->exact = false;
            add_base(s, k, loop->range.lo);
            add_term(s, k, width_of(loop->range));
        }
    }
    int64_t k = s->coef[0];
    if (k) {
        s->exact = false;
        add_term(s, k, width_of(s->box[0]));
    }
}

static int by_stride(const void *a, const void *b)
{
    const term *x = a, *y = b;
    return x->stride < y->stride ? -1 : x->stride > y->stride;
}

/* ---- segments and their places ------------------------------------------------------------------
 */

/* Bytes from the first one to the last one. */
static uint64_t extent_of(const plussi_lattice *out)
{
    uint64_t extent = out->span;
    for (uint32_t i = 0; i < out->n; i++)
        extent += (uint64_t)out->axis[i].stride * (out->axis[i].count - 1);
    return extent;
}

/* Adds a term whose stride is not below the earlier ones; axes are in ascending order here. */
static void take_up(plussi_lattice *out, const term *t, uint64_t line)
{
    uint64_t stride = (uint64_t)t->stride, extent = extent_of(out);
    plussi_axis *top = out->n ? &out->axis[out->n - 1] : NULL;
    if (!top && stride <= out->span + line) { /* every line in between is touched */
        out->span += stride * (t->count - 1);
        return;
    }
    if (stride >= extent + line) {
        out->axis[out->n++] = (plussi_axis){t->count, t->stride};
        return;
    }
    if (stride % (uint64_t)top->stride == 0) { /* more steps of the same stride */
        uint64_t times = stride / (uint64_t)top->stride;
        out->full &= times <= top->count;
        top->count += times * (t->count - 1);
        return;
    }
    out->full = false;
    out->span = extent + stride * (t->count - 1);
    out->n = 0;
}

/* Lines of a segment that begins at byte b of a line. */
static uint64_t lines_at(const plussi_lattice *l, uint64_t b, unsigned shift)
{
    return ((b + l->span) >> shift) + 1;
}

/* Counts the segments that begin at each byte of a line, over all sums of a multiple of every
 * stride. */
static bool count_lines(plussi_lattice *l, unsigned shift, uint64_t *longest)
{
    const uint64_t line = UINT64_C(1) << shift, start = (uint64_t)l->first & (line - 1);
    uint64_t unit = line;
    for (uint32_t i = 0; i < l->n; i++)
        unit = plussi_gcd(unit, plussi_magnitude(l->axis[i].stride));
    uint64_t places = line / unit, count[2][MAX_PLACES] = {{1}}, now = 0;
    if (places > MAX_PLACES)
        return false;
    for (uint32_t i = 0; i < l->n; i++, now = !now) {
        uint64_t n = l->axis[i].count,
                 step = (uint64_t)(l->axis[i].stride / (int64_t)unit) % places;
        uint64_t period = step ? places / plussi_gcd(places, step) : 1;
        memset(count[!now], 0, sizeof count[0]);
        for (uint64_t k = 0; k < period && k < n; k++)
            for (uint64_t p = 0; p < places; p++)
                count[!now][(p + k * step) % places] +=
                    count[now][p] * (n / period + (k < n % period));
    }
    l->lines = *longest = 0;
    for (uint64_t p = 0; p < places; p++) {
        if (!count[now][p])
            continue;
        uint64_t each = lines_at(l, (start + p * (uint64_t)unit) & (line - 1), shift);
        l->lines += count[now][p] * each;
        *longest = each > *longest ? each : *longest;
    }
    return true;
}

static void finish_lattice(plussi_lattice *out, uint64_t copies, uint64_t copy_lines,
                           unsigned shift, uint64_t longest)
{
    out->axis[out->n++] = (plussi_axis){copies, (int64_t)(copy_lines << shift)};
    out->axis[out->n++] = (plussi_axis){longest, 0};
    out->lines *= copies;
}

void plussi_lattice_range(const plussi_engine *e, uint64_t first, uint64_t last, uint64_t copies,
                          uint64_t stride_lines, plussi_lattice *out)
{
    uint64_t n = last - first + 1;
    *out = (plussi_lattice){
        .first = (int64_t)(first << e->line_shift), .span = (n << e->line_shift) - 1, .lines = n};
    finish_lattice(out, copies, stride_lines, e->line_shift, n);
}

bool plussi_lattice_of(const plussi_engine *e, const plussi_group *g,
                       const plussi_array_range *range, bool by_iteration, plussi_lattice *out)
{
    const plussi_plan_node *leaf = g->member[0];
    const plussi_bound_array *array = &e->bound->array[range->root];
    sum s = {.e = e, .leaf = leaf, .by_iteration = by_iteration, .exact = g->n_before == 0};
    uint64_t last = leaf->ref->width - 1, byte = (uint64_t)g->touch << e->line_shift, longest;
    s.box[0] = (plussi_interval){0, (int64_t)e->team - 1};
    for (uint32_t l = 0; l < leaf->depth; l++) {
        s.box[leaf->loops[l]->slot] = leaf->loops[l]->range;
        s.exact &= g->level[l].n_checks == 0;
    }
    const plussi_bound_array *root = leaf->ref->array;
    while (root->over)
        root = root->over;
    s.base =
        leaf->ref->array->base - root->base + array->base + (int64_t)(byte < last ? byte : last);
    add_expression(&s, leaf->ref->offset, 1);
    add_loops(&s);
    if (s.failed)
        return false;
    *out = (plussi_lattice){.first = s.base, .full = s.exact && g->swap_level == -2};
    qsort(s.term, s.n, sizeof *s.term, by_stride);
    uint64_t length = 0;
    for (uint32_t i = 0; i < s.n; i++) {
        length += (uint64_t)s.term[i].stride * (s.term[i].count - 1);
        if (length > (uint64_t)most)
            return false;
        take_up(out, &s.term[i], UINT64_C(1) << e->line_shift);
    }
    if (!count_lines(out, e->line_shift, &longest))
        return false;
    finish_lattice(out, range->copy_lines ? e->team : 1, range->copy_lines, e->line_shift, longest);
    return true;
}

bool plussi_lattice_line(const plussi_engine *e, const plussi_lattice *lattice, const uint64_t *at,
                         uint64_t *line)
{
    uint64_t address = (uint64_t)lattice->first;
    for (uint32_t i = 0; i + 1 < lattice->n; i++)
        address += at[i] * (uint64_t)lattice->axis[i].stride;
    uint64_t b = address & ((UINT64_C(1) << e->line_shift) - 1);
    *line = (address >> e->line_shift) + at[lattice->n - 1];
    return at[lattice->n - 1] < lines_at(lattice, b, e->line_shift);
}
