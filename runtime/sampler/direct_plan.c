/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Groups with a direct form: nothing is conditional but on affine inequalities, and bounds and
 * subscripts are affine in the induction variables (bounds: or the greatest, or least, of several
 * such, or quotients by a constant). Where only two loops are in a bound, each with the factor 1,
 * their difference is bounded: the system of these is closed (Floyd and Warshall's shortest paths,
 * over the inner loops made while planning). All others are bounded sums.
 */
#include "bound/cexpr.h"
#include "sampler/maker.h"
#include "sampler/search.h"

/* Farther apart than any two values that are taken, of levels or of differences that follow. */
static const int64_t far = INT64_MAX / 8;
static const int64_t near = INT64_MAX / 1024;

typedef struct maker {
    const plussi_group *g;
    plussi_arena *arena;
    plussi_direct_level *level;
    int64_t *apart; /* [a * n_levels + b]: by how much a's value exceeds b's at least; -far: any */
    plussi_direct_sum *sum;
    uint32_t n_sums;
} maker;

static bool is_near(int64_t v)
{
    return v > -near && v < near;
}

/* ---- bounds ------------------------------------------------------------------------------------
 */

static bool has_fixed_bounds(const plussi_plan_node *loop)
{
    return plussi_cexpr_is_const(loop->lo) && plussi_cexpr_is_const(loop->hi);
}

/* A bound that is no guard. false: it depends on the thread's number. */
static bool bound_level(const plussi_cexpr *x, int64_t c, int64_t *low, int64_t *high)
{
    if (plussi_cexpr_is_const(x)) {
        if (!is_near(x->c))
            return false;
        if (low)
            *low = plussi_max64(*low, x->c + c);
        else
            *high = plussi_min64(*high, x->c + c);
        return true;
    }
    return (plussi_cexpr_slots(x) & ~UINT32_C(1)) != 0;
}

static bool find_ranges(maker *m)
{
    for (uint32_t l = 0; l < m->g->n_levels; l++) {
        const plussi_plan_node *loop = m->g->level[l].loop;
        const bool rising = loop->step > 0;
        int64_t low = loop->range.lo, high = loop->range.hi;
        if (!is_near(low) || !is_near(high))
            return false;
        if (!has_fixed_bounds(loop) &&
            ((loop->step != 1 && loop->step != -1) ||
             !bound_level(loop->lo, 0, rising ? &low : NULL, &high) ||
             !bound_level(loop->hi, rising ? -1 : 1, rising ? NULL : &low, &high)))
            return false;
        m->level[l] =
            (plussi_direct_level){.step = 1, .low = low, .high = high, .slot = loop->slot};
    }
    return true;
}

/* Whether a guard bounds the difference of two levels. */
static bool is_difference(const maker *m, const plussi_constraint *q)
{
    return q->n_terms == 2 && q->term[0].k + q->term[1].k == 0 &&
           (q->term[0].k == 1 || q->term[0].k == -1) && is_near(q->c) &&
           m->g->level[q->term[0].level].loop->step == 1 &&
           m->g->level[q->term[1].level].loop->step == 1;
}

/* What guards say of one level, and of two that are apart. */
static void apply_guards(maker *m)
{
    const plussi_group *g = m->g;
    for (uint32_t i = 0; i < g->n_levels * g->n_levels; i++)
        m->apart[i] = -far;
    for (uint32_t i = 0; i < g->n_guards; i++) {
        const plussi_constraint *q = &g->guard[i];
        const plussi_term *t = q->term;
        if (q->n_terms == 1) {
            plussi_direct_level *x = &m->level[t->level];
            if (t->k > 0)
                x->low = plussi_max64(x->low, plussi_ceildiv(-q->c, t->k));
            else
                x->high = plussi_min64(x->high, plussi_floordiv(q->c, -t->k));
        } else if (is_difference(m, q)) {
            const bool up = t[0].k > 0;
            int64_t *apart = &m->apart[t[up ? 0 : 1].level * g->n_levels + t[up ? 1 : 0].level];
            *apart = plussi_max64(*apart, -q->c);
        }
    }
}

/* In place of its value, the number of an iteration: for constant bounds that no other level is
 * apart from; the value's negative where it descends otherwise. */
static void number_iterations(maker *m)
{
    const uint32_t n = m->g->n_levels;
    for (uint32_t l = 0; l < n; l++) {
        const plussi_plan_node *loop = m->g->level[l].loop;
        plussi_direct_level *x = &m->level[l];
        bool alone = has_fixed_bounds(loop);
        for (uint32_t k = 0; k < n; k++)
            alone = alone && m->apart[l * n + k] == -far && m->apart[k * n + l] == -far;
        if (!alone && loop->step == 1)
            continue;
        const int64_t lo = alone ? loop->lo->c : 0;
        const plussi_interval v = plussi_multiples(x->low - lo, x->high - lo, loop->step);
        x->base = lo;
        x->step = loop->step;
        x->divides = loop->step > 1 || loop->step < -1;
        x->low = v.lo;
        x->high = v.hi;
    }
}

/* The greatest bounds on differences that follow; false: they contradict each other, and nothing is
 * executed. */
static bool close_differences(const maker *m)
{
    const uint32_t n = m->g->n_levels;
    for (uint32_t via = 0; via < n; via++) {
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) {
                const int64_t x = m->apart[a * n + via], y = m->apart[via * n + b];
                if (x > -far && y > -far)
                    m->apart[a * n + b] = plussi_max64(m->apart[a * n + b], x + y);
            }
        for (uint32_t a = 0; a < n; a++)
            if (m->apart[a * n + a] > 0)
                return false;
    }
    return true;
}

/* Lists the bounded differences, by the inner level. */
static const plussi_direct_gap *list_gaps(const maker *m, uint32_t *n_gaps)
{
    const uint32_t n = m->g->n_levels;
    plussi_direct_gap *gap = plussi_arena_alloc(m->arena, (size_t)n * n / 2 + 1, sizeof *gap);
    *n_gaps = 0;
    for (uint32_t l = 0; gap && l < n; l++) {
        m->level[l].first = *n_gaps;
        for (uint32_t k = 0; k < l; k++) {
            const int64_t least = m->apart[l * n + k], most = -m->apart[k * n + l];
            if (least > -far || most < far)
                gap[(*n_gaps)++] = (plussi_direct_gap){least, most, k};
        }
        m->level[l].last = *n_gaps;
    }
    return gap;
}

/* ---- sums --------------------------------------------------------------------------------------
 */

/* The terms of a condition on the levels' values, as one on what stands for them; *c: the constant.
 * false: an overflow. */
static bool translate_terms(const maker *m, const plussi_constraint *q, plussi_direct_term *out,
                            int64_t *c)
{
    *c = q->c;
    for (uint32_t i = 0; i < q->n_terms; i++) {
        const plussi_direct_level *x = &m->level[q->term[i].level];
        int64_t more;
        out[i].level = q->term[i].level;
        if (plussi_mul_over(q->term[i].k, x->base, &more) || plussi_add_over(*c, more, c) ||
            plussi_mul_over(q->term[i].k, x->step, &out[i].k))
            return false;
    }
    return is_near(*c / 64);
}

/* least <= what the terms of q add up to, without its constant, which goes to *c. */
static pluss_status add_sum(maker *m, const plussi_constraint *q, uint32_t dim, bool *can,
                            int64_t *c)
{
    plussi_direct_term *term = plussi_arena_alloc(m->arena, q->n_terms, sizeof *term);
    if (!term)
        return PLUSS_ENOMEM;
    *can = translate_terms(m, q, term, c);
    m->sum[m->n_sums++] = (plussi_direct_sum){-*c, far, term, q->n_terms, dim};
    return PLUSS_OK;
}

/* How a dimension follows from the levels that it reads. */
static pluss_status relate_dim(maker *m, uint32_t j, plussi_direct_dim *out, bool *can)
{
    const plussi_constraint *q = &m->g->constraint[j];
    out->level = UINT32_MAX;
    if (q->first > q->last)
        return PLUSS_OK;
    if (q->n_terms > 1)
        return add_sum(m, q, j, can, &out->c);
    plussi_direct_term term;
    *can = translate_terms(m, q, &term, &out->c);
    out->level = term.level;
    out->k = term.k;
    return PLUSS_OK;
}

static pluss_status add_sums(maker *m, plussi_direct_dim *dim, bool *can)
{
    const plussi_group *g = m->g;
    pluss_status status = PLUSS_OK;
    int64_t c;
    for (uint32_t j = 0; j < g->n_dims && *can && !status; j++)
        status = relate_dim(m, j, &dim[j], can);
    for (uint32_t i = 0; i < g->n_guards && *can && !status; i++)
        if (g->guard[i].n_terms > 1 && !is_difference(m, &g->guard[i]))
            status = add_sum(m, &g->guard[i], UINT32_MAX, can, &c);
    return status;
}

/* By their innermost levels, of which each notes its own. */
static void sort_sums(maker *m)
{
    for (uint32_t i = 1; i < m->n_sums; i++)
        for (uint32_t k = i; k > 0 && m->sum[k - 1].term->level > m->sum[k].term->level; k--) {
            const plussi_direct_sum s = m->sum[k];
            m->sum[k] = m->sum[k - 1];
            m->sum[k - 1] = s;
        }
    for (uint32_t l = 0, at = 0; l < m->g->n_levels; l++) {
        m->level[l].first_sum = at;
        while (at < m->n_sums && m->sum[at].term->level == l)
            at++;
        m->level[l].last_sum = at;
    }
}

/* ---- the group ---------------------------------------------------------------------------------
 */

/* Whether all checks of a level are conditions, for which guards stand. */
static bool are_conditions(const plussi_level *level)
{
    for (uint32_t i = 0; i < level->n_checks; i++)
        if (level->check[i]->parent->kind != PLUSSI_P_IF)
            return false;
    return true;
}

static bool is_direct(const plussi_maker *m)
{
    const plussi_group *g = m->g;
    bool plain = m->exact && g->affine && g->n_before == 0 && g->swap_level == -2 &&
                 g->n_dims <= PLUSSI_DIRECT_DIMS;
    for (uint32_t l = 0; l < g->n_levels && plain; l++) {
        const plussi_plan_node *loop = g->level[l].loop;
        const bool can_ascend = loop->schedule == PLUSSI_SCHED_STATIC ||
                                loop->schedule == PLUSSI_SCHED_DYNAMIC ||
                                loop->schedule == PLUSSI_SCHED_GUIDED;
        plain = are_conditions(&g->level[l]) &&
                (!loop->ws_head ||
                 (loop->collapse == 1 && can_ascend && (!loop->par || loop->par->team_fixed) &&
                  (!loop->begin || plussi_cexpr_is_const(loop->lo))));
    }
    return plain;
}

static bool is_box(const maker *m, const plussi_direct *s)
{
    bool box = s->n_gaps == 0 && s->n_sums == 0 && (!s->loop || s->begin);
    for (uint32_t l = 0; l < m->g->n_levels; l++)
        box = box && m->level[l].low <= m->level[l].high;
    return box;
}

pluss_status plussi_make_direct(plussi_maker *of)
{
    plussi_arena *arena = &of->e->arena;
    plussi_group *g = of->g;
    const uint32_t n = g->n_levels;
    if (!is_direct(of))
        return PLUSS_OK;
    plussi_direct *s = plussi_arena_alloc(arena, 1, sizeof *s);
    plussi_direct_dim *dim = plussi_arena_alloc(arena, g->n_dims + 1, sizeof *dim);
    maker m = {.g = g, .arena = arena};
    m.level = plussi_arena_alloc(arena, n + 1, sizeof *m.level);
    m.apart = plussi_arena_alloc(arena, (size_t)n * n + 1, sizeof *m.apart);
    m.sum = plussi_arena_alloc(arena, (size_t)g->n_dims + g->n_guards + 1, sizeof *m.sum);
    if (!s || !dim || !m.level || !m.apart || !m.sum)
        return PLUSS_ENOMEM;
    bool can = find_ranges(&m);
    pluss_status status = PLUSS_OK;
    if (can) {
        apply_guards(&m);
        number_iterations(&m);
        status = add_sums(&m, dim, &can);
    }
    if (status || !can || !close_differences(&m))
        return status;
    sort_sums(&m);
    *s = (plussi_direct){
        .level = m.level, .dim = dim, .sum = m.sum, .n_sums = m.n_sums, .ws = UINT32_MAX};
    for (uint32_t l = 0; l < n; l++) {
        const plussi_plan_node *loop = g->level[l].loop;
        if (!loop->ws)
            continue;
        s->ws = l;
        s->loop = loop;
        s->begin = loop->begin;
        s->shift = loop->begin ? loop->lo->c - m.level[l].base : 0;
    }
    s->gap = list_gaps(&m, &s->n_gaps);
    s->box = is_box(&m, s);
    g->direct = s;
    return s->gap ? PLUSS_OK : PLUSS_ENOMEM;
}
