/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The previous touch without a search, for groups with a direct form (direct_plan.c): the points
 * that touch a line are the integers of a system, low <= x <= high, least <= x - y <= most, least
 * <= sum of k x <= most. The last point before the cursor is the cursor's own values as far in as
 * they can be kept, an earlier value of the next loop, and the last values of those inside.
 * Differences are closed, so that what they leave to a loop, given the values of the loops outside,
 * can be completed by values of the loops inside. What sums leave need not, and the thread's own
 * iterations are not of such a system where their bounds move with outer loops, or where they are
 * chunks: a few values are then tried, and after these the search decides.
 */
#include "sampler/search.h"

/* ---- the points that touch a line ------------------------------------------------------------ */

/* What the system leaves to each level, if no other has a value yet; the chosen values; what the
 * line leaves to dimensions. */
typedef struct system {
    int64_t low[PLUSSI_MAX_LEVELS], high[PLUSSI_MAX_LEVELS], x[PLUSSI_MAX_LEVELS];
    plussi_interval dim[PLUSSI_DIRECT_DIMS];
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
        if (s->n_sums)
            of->dim[j] = (plussi_interval){q.lo - x->c, q.hi - x->c};
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

/* The same for blocks that move with outer loops: narrows to what they can be while these have any
 * value that is left. */
static bool narrow_to_moving_block(plussi_search *f, system *of)
{
    const plussi_group *g = f->g;
    const plussi_direct *s = g->direct;
    const plussi_direct_level *ws = &s->level[s->ws];
    f->box[0] = (plussi_interval){f->iv[0], f->iv[0]};
    for (uint32_t l = 0; l < g->n_levels; l++) {
        const plussi_direct_level *x = &s->level[l];
        const int64_t a = x->base + x->step * of->low[l], b = x->base + x->step * of->high[l];
        f->box[x->slot] = (plussi_interval){plussi_min64(a, b), plussi_max64(a, b)};
    }
    if (!plussi_search_block(f, 0))
        return false;
    const plussi_interval left = f->box[ws->slot];
    const plussi_interval v = plussi_multiples(left.lo - ws->base, left.hi - ws->base, ws->step);
    of->low[s->ws] = plussi_max64(of->low[s->ws], v.lo);
    of->high[s->ws] = plussi_min64(of->high[s->ws], v.hi);
    return of->low[s->ws] <= of->high[s->ws];
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

static inline plussi_interval bounds_of(const plussi_direct_sum *sum, const system *of)
{
    return sum->dim == UINT32_MAX ? (plussi_interval){sum->least, sum->most} : of->dim[sum->dim];
}

/* Narrows the levels to what each sum leaves while the others have any value. false: nothing. */
static bool narrow_by_sums(const plussi_group *g, system *of)
{
    for (uint32_t i = 0; i < g->direct->n_sums; i++) {
        const plussi_direct_sum *sum = &g->direct->sum[i];
        const plussi_interval all = bounds_of(sum, of);
        int64_t lo = 0, hi = 0;
        for (uint32_t t = 0; t < sum->n_terms; t++) {
            const plussi_direct_term *x = &sum->term[t];
            lo += x->k * (x->k > 0 ? of->low : of->high)[x->level];
            hi += x->k * (x->k > 0 ? of->high : of->low)[x->level];
        }
        if (lo > all.hi || hi < all.lo)
            return false;
        if (lo >= all.lo && hi <= all.hi)
            continue;
        for (uint32_t t = 0; t < sum->n_terms; t++) {
            const plussi_direct_term *x = &sum->term[t];
            int64_t *low = &of->low[x->level], *high = &of->high[x->level];
            const int64_t least = x->k * (x->k > 0 ? *low : *high);
            const int64_t most = x->k * (x->k > 0 ? *high : *low);
            const plussi_interval v =
                plussi_multiples(all.lo - (hi - most), all.hi - (lo - least), x->k);
            *low = plussi_max64(*low, v.lo);
            *high = plussi_min64(*high, v.hi);
            if (*low > *high)
                return false;
            lo += x->k * (x->k > 0 ? *low : *high) - least;
            hi += x->k * (x->k > 0 ? *high : *low) - most;
        }
    }
    return true;
}

/* What a level's sums leave to it, given the values of the loops outside. */
static plussi_interval meet_sums(const plussi_direct *s, const system *of, uint32_t l,
                                 plussi_interval v)
{
    for (uint32_t i = s->level[l].first_sum; i < s->level[l].last_sum; i++) {
        const plussi_direct_sum *sum = &s->sum[i];
        const plussi_interval all = bounds_of(sum, of);
        int64_t outside = 0;
        for (uint32_t t = 1; t < sum->n_terms; t++)
            outside += sum->term[t].k * of->x[sum->term[t].level];
        v = plussi_interval_meet(
            v, plussi_multiples(all.lo - outside, all.hi - outside, sum->term->k));
    }
    return v;
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
    return s->n_sums ? meet_sums(s, of, l, v) : v;
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
    enum { PATIENCE = 6, LONGER = 12 };
    const plussi_direct *s = f->g->direct;
    const uint32_t n = f->g->n_levels, patience = s->n_sums ? LONGER : PATIENCE;
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
        do { /* a value of a loop that nothing inside depends on is as good as another */
            if (at == l)
                return PLUSSI_NOT_FOUND;
        } while (f->g->level[--at].tries == 1);
        if (++misses == patience)
            return PLUSSI_UNDECIDED;
        most = of->x[at] - 1;
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

/* The same in a box: its points keep the cursor's values up to some level and have the last ones
 * from there on, or an iteration less at the innermost level that leaves one. */
static plussi_found find_in_box(plussi_search *f, const system *of, bool *tied)
{
    const plussi_direct *s = f->g->direct;
    const uint32_t common = f->up.levels, n = f->g->n_levels;
    const int64_t *up = f->up.cursor->iv;
    uint32_t l = 0, from = UINT32_MAX; /* the first level that does not keep its value */
    bool later = false;
    for (; l < common; l++) {
        const plussi_direct_level *level = &s->level[l];
        const int64_t value = up[level->slot];
        int64_t top = value - level->base;
        if (level->divides)
            top /= level->step;
        else if (level->step < 0)
            top = -top;
        if (top < of->low[l] || top > of->high[l]) {
            later = top > of->high[l];
            break;
        }
        f->iv[level->slot] = value;
        from = top > of->low[l] ? l : from;
    }
    *tied = l == common && f->up.equal;
    if (*tied || later) {
        from = l;
    } else if (from == UINT32_MAX) {
        return PLUSSI_NOT_FOUND;
    } else {
        const plussi_direct_level *level = &s->level[from++];
        f->iv[level->slot] = up[level->slot] - level->step;
    }
    for (l = from; l < n; l++)
        f->iv[s->level[l].slot] = s->level[l].base + s->level[l].step * of->high[l];
    return PLUSSI_FOUND;
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
    if (!narrow_to_block(f, &of) || (g->direct->n_sums && !narrow_by_sums(g, &of)) ||
        (g->direct->n_gaps && !close_system(g, &of)) ||
        (g->direct->n_sums && g->moving && !narrow_to_moving_block(f, &of)))
        return PLUSSI_NOT_FOUND;
    found = g->direct->box ? find_in_box(f, &of, &tied) : find_point(f, &of, &tied);
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
