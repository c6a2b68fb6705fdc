/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_GROUPS = 1 << 16, LOOK_BACK = 64, MAX_TRIES = 1024 };

typedef struct maker {
    plussi_ctx *ctx;
    plussi_engine *e;
    plussi_group *g;
    uint8_t level_of[PLUSSI_SPOT_SLOTS]; /* of g's path; 255: not on it */
    plussi_interval box[PLUSSI_SPOT_SLOTS];
    size_t given_cap;
} maker;

static const plussi_pnode *first(const plussi_group *g)
{
    return g->member[0];
}

/* ---- dimensions ---------------------------------------------------------------------------------
 */

typedef struct term {
    int64_t coef; /* bytes */
    uint32_t level;
} term;

static plussi_interval term_range(const maker *m, const term *t)
{
    return plussi_interval_scale(m->g->level[t->level].loop->range, t->coef);
}

static plussi_interval sum_range(const maker *m, const term *t, uint32_t n)
{
    plussi_interval r = {0, 0};
    for (uint32_t i = 0; i < n; i++) {
        plussi_interval one = term_range(m, &t[i]);
        r.lo += one.lo;
        r.hi += one.hi;
    }
    return r;
}

static int64_t *level_array(maker *m)
{
    return plussi_arena_alloc(&m->e->arena, m->g->n_levels + 1, sizeof(int64_t));
}

static pluss_status add_affine_dim(maker *m, int64_t stride, const term *t, uint32_t n)
{
    plussi_group *g = m->g;
    plussi_condition *q = &g->asked[g->n_dims];
    plussi_dim *dim = &g->dim[g->n_dims++];
    q->k = level_array(m);
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

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
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

/* Terms of one declared dimension, taken apart while the part below a stride cannot reach it. */
static pluss_status split_terms(maker *m, term *t, uint32_t n)
{
    qsort(t, n, sizeof *t, by_size);
    while (n > 0) {
        int64_t most = t[0].coef < 0 ? -t[0].coef : t[0].coef, all = 0;
        uint32_t outer = 0;
        term low[PLUSSI_MAX_LEVELS];
        uint32_t n_low = 0;
        for (uint32_t i = 0; i < n; i++) {
            all = gcd(all, t[i].coef);
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

/* Adds stride * x to the terms; the constant and what depends on the thread go to the group. */
static void add_terms(maker *m, const plussi_bx *x, int64_t stride, term *t, uint32_t *n)
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

static void add_opaque_dim(maker *m, const plussi_bx *x, int64_t stride)
{
    plussi_group *g = m->g;
    g->asked[g->n_dims] = (plussi_condition){.bx = x, .first = 0, .last = g->n_levels};
    g->dim[g->n_dims++] = (plussi_dim){.stride = stride, .range = plussi_bx_range(x, m->box)};
    g->affine = false;
}

/* The largest stride first; the flat sum behind the dimensions. */
static pluss_status order_dims(maker *m)
{
    plussi_group *g = m->g;
    for (uint32_t i = 1; i < g->n_dims; i++) {
        plussi_dim d = g->dim[i];
        plussi_condition q = g->asked[i];
        uint32_t k = i;
        for (; k > 0 && g->dim[k - 1].stride < d.stride; k--) {
            g->dim[k] = g->dim[k - 1];
            g->asked[k] = g->asked[k - 1];
        }
        g->dim[k] = d;
        g->asked[k] = q;
    }
    plussi_interval inner = {0, 0};
    for (uint32_t i = g->n_dims; i-- > 0;) {
        uint64_t stride = (uint64_t)g->dim[i].stride;
        g->dim[i].shift = stride & (stride - 1) ? -1 : __builtin_ctzll(stride);
        g->dim[i].inner = inner;
        plussi_interval r = plussi_interval_scale(g->dim[i].range, g->dim[i].stride);
        inner.lo += r.lo;
        inner.hi += r.hi;
    }
    int64_t threads = (int64_t)m->e->team - 1;
    plussi_interval shifts = plussi_interval_scale((plussi_interval){0, threads}, g->thread_coef);
    g->bytes = (plussi_interval){g->c + inner.lo + shifts.lo, g->c + inner.hi + shifts.hi};
    plussi_condition *sum = &g->asked[g->n_dims];
    if (!g->affine) {
        *sum = (plussi_condition){.bx = first(g)->ref->offset, .first = 0, .last = g->n_levels};
        return PLUSS_OK;
    }
    sum->k = level_array(m);
    if (!sum->k)
        return PLUSS_ENOMEM;
    sum->first = g->n_levels;
    for (uint32_t i = 0; i < g->n_dims; i++)
        for (uint32_t l = 0; l < g->n_levels; l++)
            sum->k[l] += g->dim[i].stride * g->asked[i].k[l];
    for (uint32_t l = 0; l < g->n_levels; l++) {
        if (!sum->k[l])
            continue;
        sum->first = l < sum->first ? l : sum->first;
        sum->last = l;
    }
    return PLUSS_OK;
}

static pluss_status make_dims(maker *m)
{
    plussi_group *g = m->g;
    const plussi_bref *ref = first(g)->ref;
    uint32_t rank = ref->array->rank, most = rank + PLUSSI_MAX_LEVELS + 1;
    g->dim = plussi_arena_alloc(&m->e->arena, most, sizeof *g->dim);
    g->asked = plussi_arena_alloc(&m->e->arena, most + 1, sizeof *g->asked);
    if (!g->dim || !g->asked)
        return PLUSS_ENOMEM;
    g->affine = true;
    g->c = first(g)->decl->decl->u.ref.offset;
    bool odd = false; /* a dimension that is neither affine nor of a positive stride */
    for (uint32_t d = 0; d < rank; d++)
        odd |= ref->sub[d]->kind != PLUSSI_BX_AFFINE && ref->array->stride[d] <= 0;
    if (odd) {
        g->c = 0;
        add_opaque_dim(m, ref->offset, 1);
        return order_dims(m);
    }
    for (uint32_t d = 0; d < rank; d++) {
        int64_t stride = ref->array->stride[d];
        if (stride == 0)
            continue;
        if (ref->sub[d]->kind != PLUSSI_BX_AFFINE) {
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

/* ---- conditions that cut the search short
 * -------------------------------------------------------- */

typedef struct linear {
    int64_t c, k[PLUSSI_SPOT_SLOTS];
} linear;

/* a * s + x * t; false: x is not affine, or an overflow. */
static bool combine(linear *a, int64_t s, const plussi_bx *x, int64_t t)
{
    if (plussi_mul_over(a->c, s, &a->c))
        return false;
    for (int i = 0; i < PLUSSI_SPOT_SLOTS; i++)
        if (plussi_mul_over(a->k[i], s, &a->k[i]))
            return false;
    if (!x)
        return !plussi_add_over(a->c, t, &a->c);
    int64_t p;
    if (x->kind != PLUSSI_BX_AFFINE || plussi_mul_over(x->c, t, &p) ||
        plussi_add_over(a->c, p, &a->c))
        return false;
    for (uint32_t i = 0; i < x->n; i++) {
        int64_t *k = &a->k[x->slot[i]];
        if (plussi_mul_over(x->coef[i], t, &p) || plussi_add_over(*k, p, k))
            return false;
    }
    return true;
}

/* f >= 0 for every point that is searched. */
static pluss_status give(maker *m, const linear *f)
{
    plussi_group *g = m->g;
    uint32_t levels = 0;
    double size = fabs((double)f->c);
    plussi_condition q = {.c = f->c, .first = g->n_levels};
    for (uint32_t s = 1; s < PLUSSI_SPOT_SLOTS; s++) {
        if (!f->k[s])
            continue;
        uint32_t l = m->level_of[s];
        levels++;
        plussi_interval v = g->level[l].loop->range;
        size += fabs((double)f->k[s]) * fmax(fabs((double)v.lo), fabs((double)v.hi));
        q.first = l < q.first ? l : q.first;
        q.last = l > q.last ? l : q.last;
    }
    if (levels == 0 || f->k[0] || size > 1e18) /* says nothing, or not safely */
        return PLUSS_OK;
    q.k = level_array(m);
    if (!q.k || plussi_grow(&m->ctx->mem, &g->given, &m->given_cap, g->n_given, sizeof *g->given))
        return PLUSS_ENOMEM;
    for (uint32_t s = 1; s < PLUSSI_SPOT_SLOTS; s++)
        if (f->k[s])
            q.k[m->level_of[s]] = f->k[s];
    g->given[g->n_given++] = q;
    return PLUSS_OK;
}

/* sign 1: f >= x; sign -1: x >= f. What has no affine form is left out. */
static pluss_status give_bound(maker *m, const linear *f, const plussi_bx *x, int sign)
{
    linear h = *f;
    pluss_status status = PLUSS_OK;
    switch (x->kind) {
    case PLUSSI_BX_AFFINE:
        return combine(&h, sign, x, -sign) ? give(m, &h) : PLUSS_OK;
    case PLUSSI_BX_MIN:
    case PLUSSI_BX_MAX:
        if ((x->kind == PLUSSI_BX_MAX) != (sign > 0))
            return PLUSS_OK;
        status = give_bound(m, f, x->a[0], sign);
        return status ? status : give_bound(m, f, x->a[1], sign);
    case PLUSSI_BX_ADD:
        for (int i = 0; i < 2; i++)
            if (combine(&h, 1, x->a[i], -1))
                return give_bound(m, &h, x->a[1 - i], sign);
            else
                h = *f;
        return PLUSS_OK;
    case PLUSSI_BX_DIV: /* f >= floor(y/k): k f + k - 1 >= y;  floor(y/k) >= f: y >= k f */
        if (!combine(&h, x->k, NULL, sign > 0 ? x->k - 1 : 0))
            return PLUSS_OK;
        return give_bound(m, &h, x->a[0], sign);
    default:
        return PLUSS_OK;
    }
}

static pluss_status give_condition(maker *m, const plussi_bx *cond, bool truth)
{
    linear zero = {0}, minus = {.c = -1};
    pluss_status status = PLUSS_OK;
    switch (cond->kind) {
    case PLUSSI_BX_GE0:
        return truth ? give_bound(m, &zero, cond->a[0], -1) : give_bound(m, &minus, cond->a[0], 1);
    case PLUSSI_BX_EQ0:
    case PLUSSI_BX_NE0:
        if (truth != (cond->kind == PLUSSI_BX_EQ0))
            return PLUSS_OK;
        status = give_bound(m, &zero, cond->a[0], 1);
        return status ? status : give_bound(m, &zero, cond->a[0], -1);
    case PLUSSI_BX_AND:
    case PLUSSI_BX_OR:
        if (truth != (cond->kind == PLUSSI_BX_AND))
            return PLUSS_OK;
        status = give_condition(m, cond->a[0], truth);
        return status ? status : give_condition(m, cond->a[1], truth);
    case PLUSSI_BX_NOT:
        return give_condition(m, cond->a[0], !truth);
    default:
        return PLUSS_OK;
    }
}

static pluss_status give_loop_bounds(maker *m, const plussi_pnode *loop)
{
    const plussi_bx *low = loop->step > 0 ? loop->lo : loop->hi;
    const plussi_bx *high = loop->step > 0 ? loop->hi : loop->lo;
    int64_t out = loop->step > 0 ? 0 : -1; /* v + out >= low, high >= v + 1 + out */
    linear f = {.c = out};
    f.k[loop->slot] = 1;
    pluss_status status = PLUSS_OK;
    if (plussi_bx_slots(low) & ~UINT32_C(1))
        status = give_bound(m, &f, low, 1);
    f.c = out + 1;
    if (!status && (plussi_bx_slots(high) & ~UINT32_C(1)))
        status = give_bound(m, &f, high, -1);
    return status;
}

/* ---- what a level must look at
 * -------------------------------------------------------------------- */

static uint32_t lcm(uint32_t a, uint32_t b)
{
    uint64_t v = (uint64_t)a / (uint64_t)gcd(a, b) * b;
    return v > MAX_TRIES ? 0 : (uint32_t)v;
}

/* After how many values of the slot x repeats: 1: does not read it, 0: never. */
static uint32_t repeats(const plussi_bx *x, uint32_t slot)
{
    if (!(plussi_bx_slots(x) >> slot & 1))
        return 1;
    if (x->kind == PLUSSI_BX_AFFINE)
        return 0;
    if (x->kind == PLUSSI_BX_MOD && x->a[0]->kind == PLUSSI_BX_AFFINE)
        return x->k > MAX_TRIES ? 0 : (uint32_t)x->k;
    uint32_t all = 1;
    for (int i = 0; i < 3 && x->a[i]; i++) {
        uint32_t one = repeats(x->a[i], slot);
        all = one && all ? lcm(all, one) : 0;
    }
    return all;
}

static uint32_t count_tries(const maker *m, uint32_t l)
{
    const plussi_group *g = m->g;
    const plussi_pnode *loop = g->level[l].loop;
    uint32_t all = 1, slot = loop->slot;
    for (uint32_t i = 0; i < g->n_dims && all; i++) {
        if (g->asked[i].k)
            all = g->asked[i].k[l] ? 0 : all;
        else
            all = lcm(all, repeats(g->asked[i].bx, slot));
    }
    for (uint32_t i = l + 1; i < g->n_levels && all; i++) {
        const plussi_pnode *inner = g->level[i].loop;
        uint32_t lo = repeats(inner->lo, slot), hi = repeats(inner->hi, slot);
        all = lo && hi ? lcm(all, lo) : 0;
        all = all ? lcm(all, hi) : 0;
        if (inner->ws && (inner->schedule != PLUSSI_SCHED_STATIC ||
                          (inner->chunk && (plussi_bx_slots(inner->chunk) >> slot & 1))))
            all = 0;
    }
    for (const plussi_pnode *x = first(g)->parent; x && all; x = x->parent) {
        if (x->kind == PLUSSI_P_IF) {
            uint32_t p = repeats(x->cond, slot);
            all = p ? lcm(all, p) : 0;
        }
        if (x->kind == PLUSSI_P_PAR && (x->reads >> slot & 1))
            all = 0;
    }
    if (all && m->e->has_swap && m->e->turn[loop->order].order > 1)
        all = lcm(all, m->e->turn[loop->order].order);
    if (loop->ws_head && (all > 1 || loop != loop->ws_head->ws_last))
        all = 0; /* a thread's own values do not come in a row */
    return all;
}

static pluss_status add_check(maker *m, plussi_pnode *node, int level)
{
    plussi_group *g = m->g;
    plussi_pnode ***list = level < 0 ? &g->before : &g->level[level].check;
    uint32_t *n = level < 0 ? &g->n_before : &g->level[level].n_checks;
    if (!*list)
        *list = plussi_arena_alloc(&m->e->arena, PLUSSI_MAX_DEPTH + 2, sizeof **list);
    if (!*list)
        return PLUSS_ENOMEM;
    (*list)[(*n)++] = node;
    return PLUSS_OK;
}

static int known_at(const maker *m, plussi_slots slots)
{
    int level = -1;
    for (uint32_t s = 1; s < PLUSSI_SPOT_SLOTS; s++)
        if (slots >> s & 1)
            level = m->level_of[s] > level ? m->level_of[s] : level;
    return level;
}

static pluss_status add_checks(maker *m)
{
    plussi_group *g = m->g;
    pluss_status status = PLUSS_OK;
    g->swap_level = -2;
    for (plussi_pnode *x = g->member[0]; x->parent && !status; x = x->parent) {
        plussi_pnode *p = x->parent;
        if (p->kind == PLUSSI_P_IF) {
            status = add_check(m, x, known_at(m, p->reads));
            if (!status)
                status = give_condition(m, p->cond, !x->in_else);
        } else if (p->kind == PLUSSI_P_PAR && !p->team_fixed) {
            status = add_check(m, x, known_at(m, p->reads));
        }
    }
    if (!m->e->has_swap || status)
        return status;
    int level = -1;
    bool moved = false;
    for (plussi_pnode *x = g->member[0]; x->parent; x = x->parent) {
        moved |= m->e->before[x->order] != NULL;
        if (x->kind == PLUSSI_P_LOOP && m->e->turn[x->order].order > 1) {
            moved = true;
            level = m->level_of[x->slot] > level ? m->level_of[x->slot] : level;
        }
    }
    g->swap_level = moved ? level : -2;
    return PLUSS_OK;
}

/* ---- groups
 * -------------------------------------------------------------------------------------- */

static bool is_plain(const plussi_group *g)
{
    uint32_t seen = 0;
    if (!g->affine || g->n_given)
        return false;
    for (uint32_t i = 0; i < g->n_dims; i++) {
        if (g->asked[i].first != g->asked[i].last || (seen >> g->asked[i].first & 1))
            return false;
        seen |= UINT32_C(1) << g->asked[i].first;
    }
    return true;
}

static pluss_status make_group(maker *m, plussi_pnode *leaf, uint32_t touch, plussi_group *g)
{
    const plussi_barray *array = leaf->ref->array, *root = array;
    while (root->over)
        root = root->over;
    *g = (plussi_group){.n_members = 1, .touch = touch, .par = leaf->par, .root = root->id};
    m->g = g;
    g->member = plussi_arena_alloc(&m->e->arena, 1, sizeof *g->member);
    g->n_levels = leaf->depth;
    g->level = plussi_arena_alloc(&m->e->arena, leaf->depth + 1, sizeof *g->level);
    if (!g->member || !g->level)
        return PLUSS_ENOMEM;
    g->member[0] = leaf;
    memset(m->level_of, 255, sizeof m->level_of);
    m->box[0] = (plussi_interval){0, (int64_t)m->e->team - 1};
    for (uint32_t l = 0; l < leaf->depth; l++) {
        g->level[l].loop = leaf->loops[l];
        m->level_of[leaf->loops[l]->slot] = (uint8_t)l;
        m->box[leaf->loops[l]->slot] = leaf->loops[l]->range;
    }
    uint64_t last = leaf->ref->width - 1, byte = (uint64_t)touch << m->e->line_shift;
    g->shift = array->base - root->base + (int64_t)(byte < last ? byte : last);
    m->given_cap = 0;
    pluss_status status = make_dims(m);
    for (uint32_t l = 1; l < leaf->depth && !status; l++)
        status = give_loop_bounds(m, leaf->loops[l]);
    if (!status)
        status = add_checks(m);
    plussi_condition *given = NULL; /* into the arena */
    if (!status && g->n_given) {
        given = plussi_arena_alloc(&m->e->arena, g->n_given, sizeof *given);
        if (given)
            memcpy(given, g->given, g->n_given * sizeof *given);
        else
            status = PLUSS_ENOMEM;
    }
    plussi_free(&m->ctx->mem, g->given);
    g->given = given;
    if (status)
        return status;
    for (uint32_t l = 0; l < leaf->depth; l++)
        g->level[l].tries = count_tries(m, l);
    g->plain = is_plain(g);
    return PLUSS_OK;
}

static bool same_affine(const plussi_bx *a, const plussi_bx *b)
{
    if (a->kind != PLUSSI_BX_AFFINE || b->kind != PLUSSI_BX_AFFINE || a->c != b->c || a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->slot[i] != b->slot[i] || a->coef[i] != b->coef[i])
            return false;
    return true;
}

/* Whether the leaf does what a group of the same body does. */
static bool joins(const plussi_group *g, const plussi_pnode *leaf)
{
    const plussi_pnode *x = first(g);
    return x->parent == leaf->parent && x->in_else == leaf->in_else && x->zero == leaf->zero &&
           x->ref->touches == 1 && x->ref->array == leaf->ref->array &&
           same_affine(x->ref->offset, leaf->ref->offset);
}

static pluss_status add_member(plussi_engine *e, plussi_group *g, plussi_pnode *leaf)
{
    plussi_pnode **more = plussi_arena_alloc(&e->arena, g->n_members + 1, sizeof *more);
    if (!more)
        return PLUSS_ENOMEM;
    memcpy(more, g->member, g->n_members * sizeof *more);
    more[g->n_members++] = leaf;
    g->member = more;
    return PLUSS_OK;
}

static pluss_status make_groups(maker *m)
{
    plussi_engine *e = m->e;
    uint64_t n = 0;
    for (uint32_t i = 0; i < e->n_leaves; i++)
        n += e->leaf[i]->kind == PLUSSI_P_REF ? e->leaf[i]->ref->touches : 0;
    if (n > MAX_GROUPS)
        return plussi_fail(m->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "closed-form sampling cannot take more than 65536 references (those "
                           "that span lines count once a line)");
    e->group = plussi_arena_alloc(&e->arena, n + 1, sizeof *e->group);
    if (!e->group)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < e->n_leaves; i++) {
        plussi_pnode *leaf = e->leaf[i];
        if (leaf->kind != PLUSSI_P_REF)
            continue;
        plussi_group *joined = NULL;
        uint32_t from = e->n_groups > LOOK_BACK ? e->n_groups - LOOK_BACK : 0;
        for (uint32_t k = e->n_groups; k-- > from && !joined && leaf->ref->touches == 1;)
            joined = joins(&e->group[k], leaf) ? &e->group[k] : NULL;
        if (joined) {
            pluss_status status = add_member(e, joined, leaf);
            if (status)
                return status;
            continue;
        }
        for (uint32_t touch = 0; touch < leaf->ref->touches; touch++) {
            pluss_status status = make_group(m, leaf, touch, &e->group[e->n_groups++]);
            if (status)
                return status;
        }
    }
    return PLUSS_OK;
}

/* ---- homes
 * ---------------------------------------------------------------------------------------- */

/* Whether array a can have b's memory: swaps connect them, in any number of steps. */
static void connect(uint32_t *part, const plussi_pnode *node)
{
    for (uint32_t i = 0; i < node->n_body; i++)
        connect(part, node->body[i]);
    for (uint32_t i = 0; i < node->n_orelse; i++)
        connect(part, node->orelse[i]);
    if (node->kind != PLUSSI_P_SWAP)
        return;
    uint32_t a = node->decl->u.swap.a, b = node->decl->u.swap.b;
    while (part[a] != a)
        a = part[a];
    while (part[b] != b)
        b = part[b];
    part[a] = b;
}

static uint32_t part_of(const uint32_t *part, uint32_t a)
{
    while (part[a] != a)
        a = part[a];
    return a;
}

static int by_line(const void *a, const void *b)
{
    const plussi_home *x = a, *y = b;
    if (!x->copy_lines != !y->copy_lines)
        return x->copy_lines ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static pluss_status make_homes(plussi_engine *e)
{
    const plussi_bound *bound = e->bound;
    uint32_t *part = plussi_arena_alloc(&e->arena, bound->n_arrays + 1, sizeof *part);
    e->home = plussi_arena_alloc(&e->arena, bound->n_arrays + 1, sizeof *e->home);
    if (!part || !e->home)
        return PLUSS_ENOMEM;
    for (uint32_t a = 0; a < bound->n_arrays; a++)
        part[a] = a;
    connect(part, e->root);
    for (uint32_t a = 0; a < bound->n_arrays; a++) {
        const plussi_barray *array = &bound->array[a];
        plussi_home *home = &e->home[e->n_homes];
        *home = (plussi_home){.root = a, .first = UINT64_MAX};
        for (int pass = 0; pass < 2; pass++) {
            uint32_t n = 0;
            for (uint32_t i = e->n_groups; i-- > 0;) {
                plussi_group *g = &e->group[i];
                if (part_of(part, g->root) != part_of(part, a))
                    continue;
                if (pass) {
                    uint64_t low =
                        (uint64_t)(array->base + g->shift + g->bytes.lo) >> e->line_shift;
                    uint64_t high =
                        (uint64_t)(array->base + g->shift + g->bytes.hi) >> e->line_shift;
                    home->first = low < home->first ? low : home->first;
                    home->last = high > home->last ? high : home->last;
                    home->group[n] = g;
                }
                n++;
            }
            home->n_groups = n;
            if (n == 0)
                break;
            if (!pass) {
                home->group = plussi_arena_alloc(&e->arena, n, sizeof(plussi_group *));
                if (!home->group)
                    return PLUSS_ENOMEM;
            }
        }
        if (array->is_private)
            home->copy_lines = (uint64_t)array->copy_bytes >> e->line_shift;
        e->n_homes += home->n_groups > 0;
        e->n_shared += home->n_groups > 0 && !home->copy_lines;
    }
    qsort(e->home, e->n_homes, sizeof *e->home, by_line);
    uint64_t furthest = 0;
    for (uint32_t i = 0; i < e->n_shared; i++) {
        furthest = e->home[i].last > furthest ? e->home[i].last : furthest;
        e->home[i].furthest = furthest;
    }
    return PLUSS_OK;
}

pluss_status plussi_plan_groups(plussi_ctx *ctx, plussi_engine *e)
{
    maker m = {.ctx = ctx, .e = e};
    pluss_status status = make_groups(&m);
    return status ? status : make_homes(e);
}
