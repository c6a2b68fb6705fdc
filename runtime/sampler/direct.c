/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The previous touch without a search, where every loop's bounds are constant or differ by a
 * constant from one outer induction variable (or are the greatest, or least, of several such), each
 * subscript holds one induction variable, and nothing is conditional. The points that touch a line
 * then are the integers of a system of differences: low <= x <= high, least <= x - y <= most. Once
 * the system is closed (Floyd and Warshall's shortest paths, over the inner loops made while
 * planning), any value that it leaves to a loop, given the values of the loops outside, can be
 * completed by values of the loops inside: so the last point before the cursor is the cursor's own
 * values as far in as they can be kept, an earlier value of the next loop, and the last values of
 * those inside. Only the thread's own iterations are not of such a system where their bounds move
 * with outer loops, or where they are chunks: a few values are then tried, and after these the
 * search decides.
 */
#include "bound/cexpr.h"
#include "sampler/search.h"

/* Farther apart than any two values that are taken, of levels or of differences that follow. */
static const int64_t far = INT64_MAX / 8;
static const int64_t near = INT64_MAX / 1024;

/* ---- making it ------------------------------------------------------------------------------- */

typedef struct maker {
    const plussi_group *g;
    plussi_direct_level *level;
    int64_t *apart; /* [a * n_levels + b]: by how much a's value exceeds b's at least; -far: any */
} maker;

static uint32_t level_of(const plussi_group *g, uint32_t slot)
{
    uint32_t l = 0;
    while (l < g->n_levels && g->level[l].loop->slot != slot)
        l++;
    return l;
}

static bool is_near(int64_t v)
{
    return v > -near && v < near;
}

/* sign 1: the values of level l are at least x; -1: at most. false: not of this kind. */
static bool bound_level(maker *m, uint32_t l, const plussi_cexpr *x, int64_t c, int sign)
{
    const plussi_cexpr_kind several = sign > 0 ? PLUSSI_CEXPR_MAX : PLUSSI_CEXPR_MIN;
    if (x->kind == several)
        return bound_level(m, l, x->a[0], c, sign) && bound_level(m, l, x->a[1], c, sign);
    if (x->kind != PLUSSI_CEXPR_AFFINE || !is_near(x->c) || !is_near(c))
        return false;
    plussi_direct_level *own = &m->level[l];
    c += x->c;
    if (x->n == 0) {
        if (sign > 0)
            own->low = plussi_max64(own->low, c);
        else
            own->high = plussi_min64(own->high, c);
        return true;
    }
    const uint32_t other = x->n == 1 && x->coef[0] == 1 ? level_of(m->g, x->slot[0]) : l;
    if (other >= l) /* the thread's number, or several variables */
        return false;
    int64_t *apart =
        sign > 0 ? &m->apart[l * m->g->n_levels + other] : &m->apart[other * m->g->n_levels + l];
    *apart = plussi_max64(*apart, sign > 0 ? c : -c);
    return true;
}

/* Values of the levels, and how they are apart. */
static bool find_bounds(maker *m)
{
    const uint32_t n = m->g->n_levels;
    for (uint32_t i = 0; i < n * n; i++)
        m->apart[i] = -far;
    for (uint32_t l = 0; l < n; l++) {
        const plussi_plan_node *loop = m->g->level[l].loop;
        const plussi_interval v = loop->range;
        if (!is_near(v.lo) || !is_near(v.hi))
            return false;
        m->level[l] =
            (plussi_direct_level){.step = 1, .low = v.lo, .high = v.hi, .slot = loop->slot};
        const bool plain = plussi_cexpr_is_const(loop->lo) && plussi_cexpr_is_const(loop->hi);
        if (!plain && (loop->step != 1 || !bound_level(m, l, loop->lo, 0, 1) ||
                       !bound_level(m, l, loop->hi, -1, -1)))
            return false;
    }
    return true;
}

/* In place of its value, the number of an iteration: for constant bounds that no other level is
 * apart from. false: a step that is not 1, elsewhere. */
static bool number_iterations(maker *m)
{
    const uint32_t n = m->g->n_levels;
    for (uint32_t l = 0; l < n; l++) {
        const plussi_plan_node *loop = m->g->level[l].loop;
        bool alone = plussi_cexpr_is_const(loop->lo) && plussi_cexpr_is_const(loop->hi);
        for (uint32_t k = 0; k < n; k++)
            alone = alone && m->apart[l * n + k] == -far && m->apart[k * n + l] == -far;
        if (!alone && loop->step != 1)
            return false;
        if (!alone)
            continue;
        plussi_direct_level *x = &m->level[l];
        const int64_t lo = loop->lo->c;
        const plussi_interval v = plussi_multiples(x->low - lo, x->high - lo, loop->step);
        x->base = lo;
        x->step = loop->step;
        x->divides = loop->step > 1 || loop->step < -1;
        x->low = v.lo;
        x->high = v.hi;
    }
    return true;
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
static const plussi_direct_gap *list_gaps(const maker *m, plussi_arena *arena, uint32_t *n_gaps)
{
    const uint32_t n = m->g->n_levels;
    plussi_direct_gap *gap = plussi_arena_alloc(arena, (size_t)n * n / 2 + 1, sizeof *gap);
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

static bool is_direct(const plussi_group *g)
{
    bool plain = g->affine && g->n_before == 0 && g->swap_level == -2;
    for (uint32_t j = 0; j < g->n_dims && plain; j++)
        plain = g->constraint[j].first >= g->constraint[j].last;
    for (uint32_t l = 0; l < g->n_levels && plain; l++) {
        const plussi_plan_node *loop = g->level[l].loop;
        const bool can_ascend = loop->schedule == PLUSSI_SCHED_STATIC ||
                                loop->schedule == PLUSSI_SCHED_DYNAMIC ||
                                loop->schedule == PLUSSI_SCHED_GUIDED;
        plain = g->level[l].n_checks == 0 &&
                (!loop->ws_head ||
                 (loop->collapse == 1 && can_ascend && (!loop->par || loop->par->team_fixed) &&
                  (!loop->begin || plussi_cexpr_is_const(loop->lo))));
    }
    return plain;
}

/* How a dimension follows from the level that it reads; false: an overflow. */
static bool relate_dim(const plussi_constraint *q, const plussi_direct_level *level,
                       plussi_direct_dim *out)
{
    out->level = UINT32_MAX;
    if (q->first > q->last)
        return true;
    out->level = q->first;
    return !plussi_mul_over(q->k[q->first], level[q->first].base, &out->c) &&
           !plussi_add_over(out->c, q->c, &out->c) &&
           !plussi_mul_over(q->k[q->first], level[q->first].step, &out->k);
}

pluss_status plussi_make_direct(plussi_arena *arena, plussi_group *g)
{
    const uint32_t n = g->n_levels;
    if (!is_direct(g))
        return PLUSS_OK;
    plussi_direct *s = plussi_arena_alloc(arena, 1, sizeof *s);
    plussi_direct_dim *dim = plussi_arena_alloc(arena, g->n_dims + 1, sizeof *dim);
    maker m = {.g = g};
    m.level = plussi_arena_alloc(arena, n + 1, sizeof *m.level);
    m.apart = plussi_arena_alloc(arena, (size_t)n * n + 1, sizeof *m.apart);
    if (!s || !dim || !m.level || !m.apart)
        return PLUSS_ENOMEM;
    bool can = find_bounds(&m) && number_iterations(&m);
    for (uint32_t j = 0; j < g->n_dims && can; j++)
        can = relate_dim(&g->constraint[j], m.level, &dim[j]);
    if (!can || !close_differences(&m))
        return PLUSS_OK;
    *s = (plussi_direct){.level = m.level, .dim = dim, .ws = UINT32_MAX};
    for (uint32_t l = 0; l < n; l++) {
        const plussi_plan_node *loop = g->level[l].loop;
        if (!loop->ws)
            continue;
        s->ws = l;
        s->loop = loop;
        s->begin = loop->begin;
        s->shift = loop->begin ? loop->lo->c - m.level[l].base : 0;
    }
    s->gap = list_gaps(&m, arena, &s->n_gaps);
    g->direct = s;
    return s->gap ? PLUSS_OK : PLUSS_ENOMEM;
}

/* ---- the points that touch a line ------------------------------------------------------------ */

/* What the system leaves to each level, if no other has a value yet; the chosen values. */
typedef struct system {
    int64_t low[PLUSSI_MAX_LEVELS], high[PLUSSI_MAX_LEVELS], x[PLUSSI_MAX_LEVELS];
} system;

/* Narrows the levels to values that touch the bytes. */
static plussi_found narrow_levels(const plussi_search *f, int64_t offset, system *of)
{
    const plussi_group *g = f->g;
    const plussi_direct *s = g->direct;
    int64_t a = offset - g->c - g->thread_coef * f->iv[0], b = a + f->span;
    for (uint32_t l = 0; l < g->n_levels; l++) {
        of->low[l] = s->level[l].low;
        of->high[l] = s->level[l].high;
    }
    if (g->n_dims == 0)
        return a <= 0 && b >= 0 ? PLUSSI_FOUND : PLUSSI_NOT_FOUND;
    for (uint32_t j = 0; j < g->n_dims; j++) {
        const plussi_dim *d = &g->dim[j];
        const plussi_direct_dim *x = &s->dim[j];
        plussi_interval q = plussi_interval_meet(
            d->range, plussi_divide_interval(a - d->inner.hi, b - d->inner.lo, d));
        if (plussi_interval_empty(q))
            return PLUSSI_NOT_FOUND;
        if (j + 1 < g->n_dims) {
            if (q.lo != q.hi) /* the line covers several rows: a condition on their sum */
                return PLUSSI_UNDECIDED;
            a -= d->stride * q.lo;
            b -= d->stride * q.lo;
        }
        if (x->level == UINT32_MAX)
            continue;
        const plussi_interval v = plussi_multiples(q.lo - x->c, q.hi - x->c, x->k);
        int64_t *low = &of->low[x->level], *high = &of->high[x->level];
        *low = plussi_max64(*low, v.lo);
        *high = plussi_min64(*high, v.hi);
        if (*low > *high)
            return PLUSSI_NOT_FOUND;
    }
    return PLUSSI_FOUND;
}

/* Narrows the divided level to the thread's block, if that does not move; false: nothing is left.
 */
static inline bool narrow_to_block(const plussi_search *f, system *of)
{
    const plussi_direct *s = f->g->direct;
    if (!s->begin)
        return true;
    const uint64_t *begin = &s->begin[f->iv[0]];
    int64_t *low = &of->low[s->ws], *high = &of->high[s->ws];
    *low = plussi_max64(*low, s->shift + (int64_t)begin[0]);
    *high = plussi_min64(*high, s->shift + (int64_t)begin[1] - 1);
    return *low <= *high;
}

/* Closes the system: bounds that follow from those of other levels. false: it has no solution. */
static bool close_system(const plussi_group *g, system *of)
{
    const plussi_direct *s = g->direct;
    for (uint32_t l = 0; l < g->n_levels; l++) {
        for (uint32_t i = s->level[l].first; i < s->level[l].last; i++) {
            const plussi_direct_gap *gap = &s->gap[i];
            const uint32_t k = gap->outer;
            of->low[l] = plussi_max64(of->low[l], of->low[k] + gap->least);
            of->high[l] = plussi_min64(of->high[l], of->high[k] + gap->most);
            of->low[k] = plussi_max64(of->low[k], of->low[l] - gap->most);
            of->high[k] = plussi_min64(of->high[k], of->high[l] - gap->least);
        }
    }
    bool any = true;
    for (uint32_t l = 0; l < g->n_levels; l++)
        any &= of->low[l] <= of->high[l];
    return any;
}

/* What the values of the loops outside leave to level l. */
static inline plussi_interval left_to(const plussi_direct *s, const system *of, uint32_t l)
{
    plussi_interval v = {of->low[l], of->high[l]};
    const plussi_direct_gap *gap = &s->gap[s->level[l].first];
    const plussi_direct_gap *end = &s->gap[s->level[l].last];
    for (; gap < end; gap++) {
        v.lo = plussi_max64(v.lo, of->x[gap->outer] + gap->least);
        v.hi = plussi_min64(v.hi, of->x[gap->outer] + gap->most);
    }
    return v;
}

/* ---- the last one ---------------------------------------------------------------------------- */

/* The thread's last value of the divided level in v, whose outer loops have values; false: none. */
static bool find_own(const plussi_search *f, plussi_interval v, int64_t *out)
{
    const plussi_direct *s = f->g->direct;
    const plussi_direct_level *level = &s->level[s->ws];
    const plussi_plan_node *loop = s->loop;
    plussi_thread_set own;
    uint64_t n;
    const int64_t lo = plussi_value(loop->lo, f->iv), first = (lo - level->base) / level->step;
    if (loop->set_fixed)
        plussi_thread_set_at(f->e, loop, f->iv, (uint32_t)f->iv[0], &own);
    else
        plussi_thread_set_of(f->e, loop, f->iv,
                             plussi_trips(lo, plussi_value(loop->hi, f->iv), loop->step), &own);
    if (!plussi_own_latest(loop, &own, (uint64_t)(v.lo - first), (uint64_t)(v.hi - first), &n))
        return false;
    *out = first + (int64_t)n;
    return true;
}

/* Level l, at most at `most`, and those inside get their last values. NOT_FOUND: the thread has
 * none. */
static plussi_found set_last(plussi_search *f, system *of, uint32_t l, int64_t most)
{
    enum { PATIENCE = 6 };
    const plussi_direct *s = f->g->direct;
    const uint32_t n = f->g->n_levels;
    uint32_t at = l, misses = 0;
    while (at < n) {
        plussi_interval v = left_to(s, of, at);
        int64_t x = v.hi = plussi_min64(v.hi, most);
        if (v.lo <= v.hi && (at != s->ws || s->begin || find_own(f, v, &x))) {
            of->x[at] = x;
            f->iv[s->level[at].slot] = s->level[at].base + s->level[at].step * x;
            at++;
            most = INT64_MAX;
            continue;
        }
        if (at == l)
            return PLUSSI_NOT_FOUND;
        if (++misses == PATIENCE)
            return PLUSSI_UNDECIDED;
        most = of->x[--at] - 1;
    }
    return PLUSSI_FOUND;
}

/* Sets the IVs to the last point before the cursor, if that can be after the lower fence: it keeps
 * the values of loops in which both fences have the same. *tied: it has the cursor's values in all
 * loops around both. */
static plussi_found find_point(plussi_search *f, system *of, bool *tied)
{
    const plussi_direct *s = f->g->direct;
    const uint32_t common = f->up.levels, fenced = f->low.cursor ? f->low.levels : 0;
    const int64_t *up = f->up.cursor->iv, *low = f->low.cursor ? f->low.cursor->iv : up;
    uint32_t l = 0, kept = 0;
    bool later = false;
    for (; l < common; l++) {
        const plussi_direct_level *level = &s->level[l];
        const plussi_interval v = left_to(s, of, l);
        const int64_t value = up[level->slot];
        kept += kept == l && l < fenced && value == low[level->slot];
        int64_t top = value - level->base;
        if (level->divides) /* GCC drops a test of the step itself */
            top /= level->step;
        else if (level->step < 0)
            top = -top;
        if (top < v.lo || top > v.hi) {
            later = top > v.hi;
            break;
        }
        of->x[l] = top;
        f->iv[level->slot] = value;
    }
    if (l < kept)
        return PLUSSI_NOT_FOUND;
    *tied = l == common && f->up.equal;
    plussi_found found = *tied || later ? set_last(f, of, l, INT64_MAX) : PLUSSI_NOT_FOUND;
    while (found == PLUSSI_NOT_FOUND && l-- > kept) { /* earlier as far in as there is a value */
        *tied = false;
        found = set_last(f, of, l, of->x[l] - 1);
    }
    return found;
}

/* Whether the point is after the lower fence; -1, 0, 1: by its values in the common loops. */
static int compare_low(const plussi_search *f)
{
    for (uint32_t l = 0; l < f->low.levels; l++) {
        const uint32_t slot = f->g->slot[l];
        int64_t v = f->iv[slot], w = f->low.cursor->iv[slot];
        if (v != w)
            return (v < w) == (f->g->level[l].loop->step > 0) ? -1 : 1;
    }
    return 0;
}

plussi_found plussi_search_directly(plussi_search *f, int64_t offset)
{
    const plussi_group *g = f->g;
    system of;
    bool tied;
    const plussi_plan_node *ws = g->direct->loop;
    if (ws && ws->schedule != PLUSSI_SCHED_STATIC && !f->e->source->ascending)
        return PLUSSI_UNDECIDED;
    plussi_effort_take(f->e->effort, 2 + g->n_levels);
    plussi_found found = narrow_levels(f, offset, &of);
    if (found != PLUSSI_FOUND)
        return found;
    if (!narrow_to_block(f, &of) || (g->direct->n_gaps && !close_system(g, &of)))
        return PLUSSI_NOT_FOUND;
    found = find_point(f, &of, &tied);
    if (found != PLUSSI_FOUND)
        return found;
    uint32_t i = g->n_members;
    while (tied && i > 0 &&
           (g->member[i - 1]->order > f->up.leaf->order ||
            (g->member[i - 1] == f->up.leaf && g->touch >= f->up.cursor->touch)))
        i--;
    if (i == 0)
        return PLUSSI_NOT_FOUND;
    f->found = g->member[i - 1];
    int after = f->low.cursor ? compare_low(f) : 1;
    bool later =
        after > 0 || (after == 0 && (f->found->order > f->low.leaf->order ||
                                     (f->found == f->low.leaf && g->touch > f->low.cursor->touch)));
    return later ? PLUSSI_FOUND : PLUSSI_NOT_FOUND;
}
