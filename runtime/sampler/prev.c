/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The previous touch of a line before a cursor. For every group that can touch the line: the
 * greatest point of the group's iteration space, in execution order, that is before the cursor and
 * whose address is in the line. The search is depth first from the outermost loop in, latest value
 * first. At each level it keeps only values for which interval arithmetic leaves a solution at
 * inner levels, the thread's own iterations if the loop is divided, and values up to the cursor's
 * as long as all outer values are the cursor's ("tied"). A level that no inner level reads is tried
 * only once below the cursor's value. After three consecutive failures the rest is halved, and each
 * half is tested by the same arithmetic.
 */
#include <string.h>

#include "sampler/search.h"

enum { PATIENCE = 3, FEW = 4 };

static bool search_level(plussi_search *f, uint32_t l, bool up, bool low);

/* Which iterations of a level are tied to the fences. */
typedef struct tie {
    bool up, low; /* all, if the level is inside the fence's loops */
    bool held;    /* low: this iteration only */
    int64_t edge;
} tie;

/* ---- own iterations -------------------------------------------------------------------------- */

bool plussi_own_latest(const plussi_plan_node *head, const plussi_thread_set *own, uint64_t a,
                       uint64_t b, uint64_t *out)
{
    const plussi_iterset *s = &own->set;
    uint64_t pos;
    if (head->begin) {
        uint64_t from = head->begin[s->thread], end = head->begin[s->thread + 1];
        *out = b < end ? b : end - 1;
        return end > from && *out >= a && *out >= from;
    }
    switch (s->kind) {
    case PLUSSI_ITERSET_BLOCK: {
        if (s->team == 1) {
            *out = b < s->n ? b : s->n - 1;
            return s->n > 0 && *out >= a;
        }
        uint64_t q = s->n / s->team, r = s->n - q * s->team, t = s->thread;
        uint64_t begin = q * t + (t < r ? t : r), end = begin + q + (t < r);
        *out = b < end ? b : end - 1;
        return *out >= a && *out >= begin && end > begin;
    }
    case PLUSSI_ITERSET_CYCLIC: {
        uint64_t j = b / s->chunk, owner = j % s->team;
        if (owner == s->thread) {
            *out = b;
            return true;
        }
        uint64_t back = owner > s->thread ? owner - s->thread : owner + s->team - s->thread;
        if (back > j)
            return false;
        *out = (j - back) * s->chunk + (s->chunk - 1);
        return *out >= a;
    }
    case PLUSSI_ITERSET_PATTERN:
    case PLUSSI_ITERSET_SEGMENTS:
        break;
    }
    if (!plussi_iterset_latest(s, UINT64_MAX, a, b, &pos))
        return false;
    *out = plussi_iterset_nth(s, pos);
    return true;
}

/* Backwards from iteration b of level l, the first one in which the thread has an inner iteration
 * that the box allows; these move by a fixed number from iteration to iteration. false: none from a
 * on. */
static bool leap_back(plussi_search *f, uint32_t l, int64_t a, int64_t b, int64_t *out)
{
    const plussi_level *level = &f->g->level[l];
    const plussi_plan_node *loop = level->loop, *cyclic = f->g->level[level->cyclic].loop;
    plussi_interval v = f->box[cyclic->slot];
    int64_t chunk = cyclic->chunk->c < 1 ? 1 : cyclic->chunk->c, team = cyclic->par->team;
    int64_t round = chunk * team, begin = chunk * f->iv[0], lo = plussi_value(loop->lo, f->iv);
    /* of the numbers, from an iteration to the previous one */
    int64_t move = cyclic->step > 0 ? level->leap : -level->leap;
    for (;;) {
        plussi_effort_take(f->e->effort, 2);
        if (b < a)
            return false;
        f->iv[loop->slot] = lo + loop->step * b;
        int64_t first = plussi_value(cyclic->lo, f->iv);
        int64_t low = cyclic->step > 0 ? v.lo - first : first - v.hi;
        int64_t high = cyclic->step > 0 ? v.hi - first : first - v.lo, iterations;
        low = plussi_max64(low, 0);
        /* the thread's numbers up to high end at `last`, those from low on begin at `next` */
        int64_t r = plussi_floordiv(high - begin, round) * round + begin;
        int64_t last = plussi_min64(high, r + chunk - 1);
        if (high >= low && last >= low) {
            *out = b;
            return true;
        }
        if (move > 0) {
            int64_t next = plussi_max64(r + round, begin);
            iterations = (next - high + move - 1) / move;
        } else {
            if (last < 0) /* and earlier ones are smaller still */
                return false;
            iterations = (low - last - move - 1) / -move;
        }
        b -= iterations < 1 ? 1 : iterations;
    }
}

uint64_t plussi_first_within(uint64_t a, uint64_t m, uint64_t l, uint64_t r)
{
    if (l == 0)
        return 0;
    if (a == 0)
        return UINT64_MAX;
    uint64_t s = (l - 1) / a + 1;
    if (s <= r / a)
        return s;
    /* none before the first turn around m: k turns leave m k mod a in [-r, -l] */
    uint64_t k = plussi_first_within(m % a, a, (a - r % a) % a, (a - l % a) % a);
    if (k == UINT64_MAX)
        return k;
    return (uint64_t)(((unsigned __int128)m * k + l - 1) / a) + 1;
}

/* The latest iteration in [a, *b] of level l for which the constraint has an integer at the inner
 * level. */
static bool find_whole_iteration(const plussi_search *f, uint32_t l, int64_t a, int64_t *b)
{
    const plussi_constraint *q = f->g->level[l].sparse;
    const plussi_plan_node *loop = f->g->level[l].loop;
    uint32_t i = 0;
    while (i < f->n_constraints && f->constraint[i] != q)
        i++;
    if (i == f->n_constraints)
        return a <= *b;
    /* k v at the inner level is in [top - span, top] */
    __int128 top = (__int128)f->target[i].hi - q->c;
    uint64_t span = (uint64_t)f->target[i].hi - (uint64_t)f->target[i].lo;
    int64_t inner = q->term[0].k, m = inner < 0 ? -inner : inner, k = q->term[1].k;
    if (a > *b || span >= (uint64_t)m)
        return a <= *b;
    for (uint32_t j = 2; j < q->n_terms; j++)
        top -= (__int128)q->term[j].k * f->iv[q->term[j].slot];
    top -= (__int128)k * (plussi_value(loop->lo, f->iv) + loop->step * *b);
    int64_t over = (int64_t)((top % m + m) % m);
    if ((uint64_t)over <= span)
        return true;
    int64_t back = (int64_t)(((__int128)k * loop->step % m + m) % m);
    uint64_t s = plussi_first_within((uint64_t)back, (uint64_t)m, (uint64_t)(m - over),
                                     (uint64_t)(m - over) + span);
    if (s > (uint64_t)(*b - a))
        return false;
    *b -= (int64_t)s;
    return true;
}

/* The latest iteration in [a, b] of level l that can be the thread's. */
static bool find_own_iteration(plussi_search *f, uint32_t l, int64_t a, int64_t b, int64_t *out)
{
    const plussi_plan_node *loop = f->g->level[l].loop, *head = loop->ws_head;
    if (a > b)
        return false;
    if (!head && f->g->level[l].leap)
        return leap_back(f, l, a, b, out);
    if (!head) {
        *out = b;
        return true;
    }
    uint64_t n;
    if (head->collapse == 1) {
        if (!plussi_own_latest(head, &f->own, (uint64_t)a, (uint64_t)b, &n))
            return false;
        *out = (int64_t)n;
        return true;
    }
    uint64_t row = f->row[loop->ws_level];
    if (loop == head->ws_last) {
        if (!plussi_own_latest(head, &f->own, row + (uint64_t)a, row + (uint64_t)b, &n))
            return false;
        *out = (int64_t)(n - row);
        return true;
    }
    uint64_t from = plussi_ws_before(f->e, loop, f->iv, (uint64_t)a);
    uint64_t to = plussi_ws_before(f->e, loop, f->iv, (uint64_t)b + 1);
    if (from == to || !plussi_own_latest(head, &f->own, row + from, row + to - 1, &n))
        return false;
    n -= row;
    *out = (int64_t)plussi_ws_iteration_at(f->e, loop, f->iv, &n);
    return true;
}

/* The same, if all constraints can have a solution, as far as a cheap test tells. */
static bool find_latest_iteration(plussi_search *f, uint32_t l, int64_t a, int64_t b, int64_t *out)
{
    if (!f->g->level[l].sparse)
        return find_own_iteration(f, l, a, b, out);
    while (find_whole_iteration(f, l, a, &b) && find_own_iteration(f, l, a, b, out)) {
        plussi_effort_take(f->e->effort, 8);
        if (*out == b)
            return true;
        b = *out;
    }
    return false;
}

/* ---- the search ------------------------------------------------------------------------------ */

static bool passes_checks(const plussi_search *f, plussi_plan_node *const *check, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const plussi_plan_node *p = check[i]->parent;
        if (p->kind == PLUSSI_P_IF) {
            if ((plussi_value(p->cond, f->iv) != 0) == check[i]->in_else)
                return false;
        } else if (f->iv[0] >= plussi_team_at(f->e, p, f->iv)) {
            return false;
        }
    }
    return true;
}

static bool has_memory(const plussi_search *f)
{
    return plussi_memory_of(f->e, f->g->member[0], f->iv, f->g->root) == f->root;
}

/* Tries one iteration of level l, with all inner levels. */
static bool try_iteration(plussi_search *f, uint32_t l, int64_t lo, int64_t iteration, bool up,
                          bool low)
{
    const plussi_level *level = &f->g->level[l];
    const plussi_plan_node *loop = level->loop;
    int64_t v = lo + loop->step * iteration;
    plussi_effort_take(f->e->effort, 2 + f->n_constraints);
    f->iv[loop->slot] = v;
    if (!passes_checks(f, level->check, level->n_checks) ||
        (f->g->swap_level == (int)l && !has_memory(f)))
        return false;
    if (loop->ws_head && loop->ws_head->collapse > 1 && loop != loop->ws_head->ws_last) {
        uint64_t row = f->row[loop->ws_level];
        f->row[loop->ws_level + 1] = row + plussi_ws_before(f->e, loop, f->iv, (uint64_t)iteration);
        f->iv[loop->slot] = v;
    }
    plussi_interval old = f->box[loop->slot];
    f->box[loop->slot] = (plussi_interval){v, v};
    bool ok = search_level(f, l + 1, up, low);
    f->box[loop->slot] = old;
    return ok;
}

/* Iterations [a, b] of level l without the cursor's. up, low: still tied at loops inside the
 * fences'; edge: the only iteration tied to the lower fence, if `held`. */
static bool halve_range(plussi_search *f, uint32_t l, int64_t lo, int64_t a, int64_t b,
                        const tie *t)
{
    const plussi_plan_node *loop = f->g->level[l].loop;
    plussi_interval *box = &f->box[loop->slot];
    while (b - a >= FEW) {
        plussi_interval saved[PLUSSI_CURSOR_SLOTS];
        plussi_effort_take(f->e->effort, 2 + f->n_constraints);
        memcpy(saved, f->box, sizeof saved);
        int64_t v = lo + loop->step * a, w = lo + loop->step * b;
        *box = (plussi_interval){plussi_min64(v, w), plussi_max64(v, w)};
        bool can = plussi_search_propagate(f, l) && plussi_search_block(f, l + 1) &&
                   plussi_search_propagate(f, l);
        plussi_interval left = *box;
        memcpy(f->box, saved, sizeof saved);
        if (!can)
            return false;
        if (loop->step > 0) {
            a = plussi_max64(a, plussi_ceildiv(left.lo - lo, loop->step));
            b = plussi_min64(b, plussi_floordiv(left.hi - lo, loop->step));
        } else {
            a = plussi_max64(a, plussi_ceildiv(lo - left.hi, -loop->step));
            b = plussi_min64(b, plussi_floordiv(lo - left.lo, -loop->step));
        }
        if (b - a < FEW)
            break;
        int64_t mid = a + (b - a) / 2;
        if (halve_range(f, l, lo, mid + 1, b, t))
            return true;
        b = mid;
    }
    for (int64_t iteration; find_latest_iteration(f, l, a, b, &iteration); b = iteration - 1)
        if (try_iteration(f, l, lo, iteration, t->up, t->low && (!t->held || iteration == t->edge)))
            return true;
    return false;
}

/* For iteration sets without an order (work stealing): by position in the iteration set. */
static bool go_unordered(plussi_search *f, uint32_t l, int64_t lo, int64_t a, int64_t b, bool up,
                         bool low, int64_t top, int64_t edge)
{
    const plussi_iterset *s = &f->own.set;
    const plussi_level *level = &f->g->level[l];
    uint64_t before = plussi_iterset_count(s), pos, bottom = 0, used = 0;
    if (up && l < f->up.levels) {
        if (!plussi_iterset_position(s, (uint64_t)top, &before))
            return false;
        before += l + 1 < f->up.levels || f->up.equal;
    }
    if (low && l < f->low.levels) {
        if (!plussi_iterset_position(s, (uint64_t)edge, &bottom))
            return false;
        bottom += l + 1 == f->low.levels && !f->low.equal;
    }
    while (plussi_iterset_latest(s, before, (uint64_t)a, (uint64_t)b, &pos) && pos >= bottom) {
        int64_t iteration = (int64_t)plussi_iterset_nth(s, pos);
        bool tied = up && (l >= f->up.levels || iteration == top);
        bool held = low && (l >= f->low.levels || iteration == edge);
        if (try_iteration(f, l, lo, iteration, tied, held))
            return true;
        if (!(tied && l < f->up.levels) && level->tries && ++used == level->tries)
            return false;
        before = pos;
    }
    return false;
}

static bool is_write(const plussi_plan_node *leaf, uint64_t width)
{
    return leaf->ref->write && leaf->ref->width == width;
}

static bool finish_point(plussi_search *f, bool up, bool low)
{
    const plussi_group *g = f->g;
    for (uint32_t k = 0; k < f->n_constraints && !g->affine; k++) {
        if (f->constraint[k]->k)
            continue;
        int64_t value = plussi_value(f->constraint[k]->expr, f->iv);
        if (value < f->target[k].lo || value > f->target[k].hi)
            return false;
    }
    uint32_t i = g->n_members;
    if (up) {
        while (i > 0 && (g->member[i - 1]->order > f->up.leaf->order ||
                         (g->member[i - 1] == f->up.leaf && g->touch >= f->up.cursor->touch)))
            i--;
    }
    while (f->width && i > 0 && !is_write(g->member[i - 1], f->width))
        i--;
    if (i == 0)
        return false;
    f->found = g->member[i - 1];
    return !low || f->found->order > f->low.leaf->order ||
           (f->found == f->low.leaf && g->touch > f->low.cursor->touch);
}

static bool search_level(plussi_search *f, uint32_t l, bool up, bool low)
{
    const plussi_group *g = f->g;
    if (l == g->n_levels)
        return finish_point(f, up, low);
    const plussi_level *level = &g->level[l];
    const plussi_plan_node *loop = level->loop;
    int64_t lo = plussi_value(loop->lo, f->iv), hi = plussi_value(loop->hi, f->iv);
    plussi_interval v =
        loop->step > 0 ? (plussi_interval){lo, hi - 1} : (plussi_interval){hi + 1, lo};
    v = plussi_interval_meet(v, f->box[loop->slot]);
    if (plussi_interval_empty(v))
        return false;
    if (f->coupled) {
        if (!g->affine) { /* the trees narrow the whole box: keep the rest */
            plussi_interval saved[PLUSSI_CURSOR_SLOTS];
            memcpy(saved, f->box, sizeof saved);
            f->box[loop->slot] = v;
            bool can = plussi_search_propagate(f, l);
            v = f->box[loop->slot];
            memcpy(f->box, saved, sizeof saved);
            if (!can)
                return false;
        } else {
            v = plussi_search_tighten(f, l, v);
            if (plussi_interval_empty(v))
                return false;
        }
    }
    int64_t a, b, top = 0, edge = 0;
    if (loop->step == 1) {
        a = v.lo - lo;
        b = v.hi - lo;
    } else if (loop->step > 0) {
        a = plussi_ceildiv(v.lo - lo, loop->step);
        b = plussi_floordiv(v.hi - lo, loop->step);
    } else {
        a = plussi_ceildiv(lo - v.hi, -loop->step);
        b = plussi_floordiv(lo - v.lo, -loop->step);
    }
    if (loop->ws) {
        if (loop->collapse == 1 && !loop->ws_fixed) /* the bounds are known here */
            plussi_thread_set_of(f->e, loop, f->iv, plussi_trips(lo, hi, loop->step), &f->own);
        else
            plussi_thread_set_at(f->e, loop, f->iv, (uint32_t)f->iv[0], &f->own);
        f->row[0] = 0;
    }
    bool up_here = up && l < f->up.levels, low_here = low && l < f->low.levels;
    if (up_here)
        top = (f->up.cursor->iv[loop->slot] - lo) / loop->step;
    if (low_here)
        edge = (f->low.cursor->iv[loop->slot] - lo) / loop->step;
    if (loop->ws && !f->own.set.ascending)
        return go_unordered(f, l, lo, a, b, up, low, top, edge);
    if (up_here)
        b = plussi_min64(b, top - (l + 1 == f->up.levels && !f->up.equal));
    if (low_here)
        a = plussi_max64(a, edge + (l + 1 == f->low.levels && !f->low.equal));
    uint32_t used = 0, misses = 0;
    for (int64_t iteration; find_latest_iteration(f, l, a, b, &iteration); b = iteration - 1) {
        bool tied = up_here && iteration == top;
        if (try_iteration(f, l, lo, iteration, up && (tied || !up_here),
                          low && (!low_here || iteration == edge)))
            return true;
        if (!tied && level->tries && ++used == level->tries)
            return false;
        if (!tied && ++misses == PATIENCE && !level->tries && !level->sparse)
            return halve_range(f, l, lo, a, iteration - 1,
                               &(tie){up && !up_here, low, low_here, edge});
    }
    return false;
}

/* What is returned is in variables: fields that were just stored are slow to load as one. */
static bool fence_above(plussi_search *f, const plussi_cursor *cursor)
{
    const plussi_group *g = f->g;
    const plussi_plan_node *x = g->member[0], *leaf = f->e->leaf[cursor->leaf];
    const uint32_t levels = plussi_common_loops(x, leaf);
    const bool equal = x->order < leaf->order || (x == leaf && g->touch < cursor->touch);
    f->up = (plussi_fence){cursor, leaf, levels, equal};
    return levels > 0 || equal;
}

static bool fence_below(plussi_search *f, const plussi_cursor *after)
{
    const plussi_group *g = f->g;
    const plussi_plan_node *x = g->member[g->n_members - 1];
    f->low.cursor = after;
    if (!after)
        return true;
    const plussi_plan_node *leaf = f->e->leaf[after->leaf];
    const uint32_t levels = plussi_common_loops(x, leaf);
    const bool equal = x->order > leaf->order || (x == leaf && g->touch > after->touch);
    f->low = (plussi_fence){after, leaf, levels, equal};
    return levels > 0 || equal;
}

/* Whether both fences are in one iteration of the loops around them and the group, so that what is
 * between them is, too, and the group is before or after all of it. */
static bool is_outside(const plussi_search *f)
{
    if (!f->low.cursor)
        return false;
    const uint32_t up = f->up.levels, low = f->low.levels;
    if (!((low <= up && !f->low.equal) || (up <= low && !f->up.equal)))
        return false;
    for (uint32_t l = 0; l < up && l < low; l++) {
        const uint32_t slot = f->g->slot[l];
        if (f->up.cursor->iv[slot] != f->low.cursor->iv[slot])
            return false;
    }
    return true;
}

/* Cuts the box to what is between the fences: the outermost level to their values there and, as
 * long as these are equal, the next level, too. */
static bool cut_to_fences(plussi_search *f)
{
    const plussi_group *g = f->g;
    bool low = f->low.cursor != NULL;
    for (uint32_t l = 0; l < f->up.levels; l++) {
        const plussi_plan_node *loop = g->level[l].loop;
        if (loop->ws && loop->schedule != PLUSSI_SCHED_STATIC &&
            (loop->schedule == PLUSSI_SCHED_RAYON || loop->schedule == PLUSSI_SCHED_RECORDED ||
             !f->e->source->ascending))
            break;
        bool rising = loop->step > 0;
        int64_t last = f->up.cursor->iv[loop->slot];
        plussi_interval *v = &f->box[loop->slot];
        int64_t *end = rising ? &v->hi : &v->lo, *begin = rising ? &v->lo : &v->hi;
        *end = rising ? plussi_min64(*end, last) : plussi_max64(*end, last);
        low = low && l < f->low.levels;
        if (low) {
            int64_t first = f->low.cursor->iv[loop->slot];
            *begin = rising ? plussi_max64(*begin, first) : plussi_min64(*begin, first);
            low = first == last;
        }
        if (plussi_interval_empty(*v))
            return false;
        if (v->lo != v->hi)
            break;
    }
    return true;
}

static bool start_search(plussi_search *f)
{
    const plussi_group *g = f->g;
    return passes_checks(f, g->before, g->n_before) && (g->swap_level != -1 || has_memory(f)) &&
           cut_to_fences(f) && plussi_search_solve(f) && (!g->moving || plussi_search_block(f, 0));
}

static bool search_group(plussi_search *f, int64_t offset, const plussi_cursor *cursor,
                         const plussi_cursor *after)
{
    const plussi_group *g = f->g;
    const plussi_plan_node *x = g->member[0];
    plussi_effort_take(f->e->effort, 2);
    if (f->e->effort)
        f->e->effort->at = x->decl;
    if (offset + f->span < g->bytes.lo || offset > g->bytes.hi)
        return false;
    if (g->swap_level == -2 && g->root != f->root)
        return false;
    if (x->zero ? f->iv[0] != 0 : x->par->team_fixed && f->iv[0] >= x->par->team)
        return false;
    if (!fence_above(f, cursor) || !fence_below(f, after) || is_outside(f))
        return false;
    if (g->direct && !f->width) {
        plussi_found found = plussi_search_directly(f, offset);
        if (found != PLUSSI_UNDECIDED)
            return found == PLUSSI_FOUND;
    }
    return plussi_search_constrain(f, offset) && start_search(f) &&
           search_level(f, 0, true, after != NULL);
}

static void keep_point(const plussi_search *f, plussi_cursor *out)
{
    out->leaf = f->found->leaf;
    out->touch = f->g->touch;
    out->iv[0] = f->iv[0];
    for (uint32_t l = 0; l < f->g->n_levels; l++)
        out->iv[f->g->slot[l]] = f->iv[f->g->slot[l]];
}

static bool has_group(const plussi_array_range *range, const plussi_group *group)
{
    for (uint32_t i = 0; i < range->n_groups; i++)
        if (range->group[i] == group)
            return true;
    return false;
}

/* ---- queries --------------------------------------------------------------------------------- */

/* Searches one group of a range for a touch after *after; what is found is in *out. */
static inline bool search_in_range(plussi_search *f, const plussi_array_range *range,
                                   const plussi_group *group, uint64_t line,
                                   const plussi_cursor *cursor, const plussi_cursor *after,
                                   plussi_cursor *out)
{
    f->g = group;
    const int64_t offset = plussi_range_offset(f->e, range, group, f->iv[0], line);
    if (!search_group(f, offset, cursor, after))
        return false;
    keep_point(f, out);
    return true;
}

/* Searches the groups of a range for a touch after *after, which becomes *out where there is one.
 */
static bool search_range(plussi_search *f, const plussi_array_range *range, uint64_t line,
                         const plussi_cursor *cursor, const plussi_group **hint,
                         const plussi_cursor *after, plussi_cursor *out)
{
    const plussi_engine *e = f->e;
    f->root = range->root;
    plussi_pay_groups(e, range->n_groups);
    if (range->n_groups == 1)
        return search_in_range(f, range, range->group[0], line, cursor, after, out);
    /* first the group that was the latest before, then those of the cursor's part of the program:
     * what they find excludes most others */
    const plussi_plan_node *item = e->leaf[cursor->leaf]->item;
    const plussi_group *first = *hint;
    bool any = false, tried = first && has_group(range, first);
    if (tried && search_in_range(f, range, first, line, cursor, after, out)) {
        after = out;
        any = true;
    }
    const bool one = tried && range->n_groups == 2; /* is left */
    for (uint32_t i = 0; i < (one ? 2 : 2 * range->n_groups); i++) {
        bool near = i < range->n_groups;
        const plussi_group *group = range->group[near ? i : i - range->n_groups];
        if ((tried && group == first) || (!one && (group->member[0]->item == item) != near))
            continue;
        if (search_in_range(f, range, group, line, cursor, after, out)) {
            after = out;
            any = true;
            *hint = group;
        }
    }
    return any;
}

bool plussi_engine_prev(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t line,
                        const plussi_cursor *after, plussi_cursor *out)
{
    const plussi_engine *e = workspace->engine;
    plussi_search f;
    f.e = e;
    f.iv[0] = cursor->iv[0];
    f.span = plussi_line_span(e);
    f.width = 0;
    const plussi_group **hint = &workspace->hint[cursor->leaf];
    const plussi_array_range *own = e->leaf_range[cursor->leaf];
    if (own && line >= own->first && line <= own->last)
        return search_range(&f, own, line, cursor, hint, after, out);
    bool any = false;
    uint32_t at = UINT32_MAX;
    for (const plussi_array_range *range;
         (range = plussi_next_range(e, (uint32_t)f.iv[0], line, &at));)
        if (search_range(&f, range, line, cursor, hint, after, out)) {
            after = out;
            any = true;
        }
    return any;
}

bool plussi_engine_is_written(const plussi_engine *e, uint32_t thread, uint64_t line)
{
    uint32_t at = UINT32_MAX;
    for (const plussi_array_range *range; (range = plussi_next_range(e, thread, line, &at));)
        for (uint32_t i = 0; i < range->n_groups; i++)
            if (range->group[i]->writes)
                return true;
    return false;
}

/* The bytes [*from, *to] of a line in which the group's touch of an element begins, or ends where
 * it is the last one, if bytes first ... last are touched. */
static void find_touch_bytes(const plussi_group *g, uint64_t width, uint64_t line_bytes,
                             uint64_t first, uint64_t last, uint64_t *from, uint64_t *to)
{
    uint64_t start = first & ~(line_bytes - 1), end = start + line_bytes - 1;
    *from = start;
    *to = end;
    if (g->touch > 0) {
        if (g->touch + 1 == g->member[0]->ref->touches)
            *from = first;
        return;
    }
    *to = last;
    if (first - start >= width)
        *from = first - (width - 1);
}

/* Whether member i is the group's first that writes elements of its width. */
static bool is_first_of_width(const plussi_group *g, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (is_write(g->member[k], g->member[i]->ref->width))
            return false;
    return g->member[i]->ref->write;
}

static bool search_writes(plussi_search *f, const plussi_array_range *range, uint64_t first,
                          uint64_t last, const plussi_cursor *cursor, const plussi_cursor *after,
                          plussi_cursor *out)
{
    const plussi_group *g = f->g;
    uint64_t line = first >> f->e->line_shift, from, to;
    bool any = false;
    for (uint32_t i = 0; g->writes && i < g->n_members; i++) {
        if (!is_first_of_width(g, i))
            continue;
        f->width = g->member[i]->ref->width;
        find_touch_bytes(g, f->width, UINT64_C(1) << f->e->line_shift, first, last, &from, &to);
        int64_t offset = plussi_range_offset(f->e, range, g, f->iv[0], line);
        f->span = (int64_t)(to - from);
        offset += (int64_t)(from - (line << f->e->line_shift));
        if (search_group(f, offset, cursor, after)) {
            keep_point(f, out);
            after = out;
            any = true;
        }
    }
    return any;
}

bool plussi_engine_prev_write(plussi_workspace *workspace, const plussi_cursor *cursor,
                              uint64_t first, uint64_t last, const plussi_cursor *after,
                              plussi_cursor *out)
{
    const plussi_engine *e = workspace->engine;
    plussi_search f;
    f.e = e;
    f.iv[0] = cursor->iv[0];
    bool any = false;
    uint32_t at = UINT32_MAX;
    for (const plussi_array_range *range;
         (range = plussi_next_range(e, (uint32_t)f.iv[0], first >> e->line_shift, &at));) {
        f.root = range->root;
        plussi_pay_groups(e, range->n_groups);
        for (uint32_t i = 0; i < range->n_groups; i++) {
            f.g = range->group[i];
            if (search_writes(&f, range, first, last, cursor, after, out)) {
                after = out;
                any = true;
            }
        }
    }
    return any;
}

uint32_t plussi_engine_groups(const plussi_engine *engine)
{
    return engine->n_groups;
}

bool plussi_engine_touched(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t line,
                           uint32_t first, uint32_t last, uint32_t *searches)
{
    const plussi_engine *e = workspace->engine;
    plussi_search f;
    f.e = e;
    f.iv[0] = cursor->iv[0];
    f.span = plussi_line_span(e);
    f.width = 0;
    uint32_t at = UINT32_MAX;
    for (const plussi_array_range *range;
         (range = plussi_next_range(e, (uint32_t)f.iv[0], line, &at));) {
        f.root = range->root;
        for (uint32_t i = 0; i < range->n_groups; i++) {
            f.g = range->group[i];
            if (f.g < e->group + first || f.g >= e->group + last)
                continue;
            ++*searches;
            if (search_group(&f, plussi_range_offset(e, range, f.g, f.iv[0], line), cursor, NULL))
                return true;
        }
    }
    return false;
}
