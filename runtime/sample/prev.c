/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The latest touch of a line before a cursor. For every group that can touch it: the greatest
 * point of the group's iteration space, in execution order, that lies before the cursor and whose
 * address lies in the line. The search goes depth first from the outermost loop in, latest value
 * first; at every level the values are cut to those for which interval arithmetic leaves a
 * solution further in, to the thread's own iterations where the loop is shared out, and to the
 * cursor's value as long as all values further out are the cursor's ("tied"). A level that nothing
 * further in reads is tried once only below the cursor's value. Where three values in a row have
 * failed the rest is halved, each half checked by the same arithmetic.
 */
#include <string.h>

#include "sample/group.h"
#include "sample/scan.h"

enum { MAX_WANTS = 2 * PLUSSI_MAX_LEVELS + PLUSSI_MAX_RANK + 8, PATIENCE = 3, FEW = 4 };

/* Where the result must not lie beyond: the cursor, or the best so far. */
typedef struct fence {
    const plussi_spot *spot;
    const plussi_pnode *leaf;
    uint32_t levels; /* loops that it shares with the group */
    bool equal;      /* points with its values at all of these lie on the allowed side */
} fence;

typedef struct search {
    const plussi_engine *e;
    const plussi_group *g;
    uint32_t root; /* whose memory is looked for */
    fence up, low; /* low.spot NULL: none */
    uint32_t n_wants;
    const plussi_condition *cond[MAX_WANTS];
    plussi_interval want[MAX_WANTS];
    bool coupled; /* some condition reads several levels */
    plussi_interval box[PLUSSI_SPOT_SLOTS];
    int64_t iv[PLUSSI_SPOT_SLOTS];
    plussi_own own;                  /* of the worksharing loop on the path */
    uint64_t row[PLUSSI_MAX_LEVELS]; /* collapsed: number of the first iteration of the row */
    const plussi_pnode *found;
} search;

static bool go(search *f, uint32_t l, bool up, bool low);

/* Which turns of a level are tied to the fences. */
typedef struct tie {
    bool up, low; /* all, where the level lies further in than the fence's loops */
    bool held;    /* low: only this turn */
    int64_t edge;
} tie;

/* ---- intervals
 * ----------------------------------------------------------------------------------- */

/* { v : k v in [lo, hi] } */
static inline plussi_interval divide(int64_t lo, int64_t hi, int64_t k)
{
    if (k == 1)
        return (plussi_interval){lo, hi};
    if (k == -1)
        return (plussi_interval){-hi, -lo};
    if (k > 0)
        return (plussi_interval){plussi_ceildiv(lo, k), plussi_floordiv(hi, k)};
    return (plussi_interval){plussi_ceildiv(-hi, -k), plussi_floordiv(-lo, -k)};
}

/* Values of level l that leave a solution, the levels in box as they are. */
static inline plussi_interval tighten(const search *f, uint32_t l, plussi_interval v)
{
    const plussi_level *level = f->g->level;
    for (uint32_t i = 0; i < f->n_wants; i++) {
        const plussi_condition *q = f->cond[i];
        if (!q->k || !q->k[l])
            continue;
        int64_t lo = q->c, hi = q->c;
        for (uint32_t j = q->first; j <= q->last; j++) {
            if (j == l || !q->k[j])
                continue;
            plussi_interval r = plussi_interval_scale(f->box[level[j].loop->slot], q->k[j]);
            lo += r.lo;
            hi += r.hi;
        }
        v = plussi_interval_meet(v, divide(f->want[i].lo - hi, f->want[i].hi - lo, q->k[l]));
        if (plussi_interval_empty(v))
            return v;
    }
    return v;
}

/* The same for conditions of one level each. */
static bool cut_box(search *f)
{
    for (uint32_t i = 0; i < f->n_wants; i++) {
        const plussi_condition *q = f->cond[i];
        plussi_interval *v = &f->box[f->g->level[q->first].loop->slot];
        *v = plussi_interval_meet(
            *v, divide(f->want[i].lo - q->c, f->want[i].hi - q->c, q->k[q->first]));
        if (plussi_interval_empty(*v))
            return false;
    }
    return true;
}

/* Narrows the box of levels from, from + 1, ...; false: no solution in it. */
static bool propagate(search *f, uint32_t from)
{
    const plussi_group *g = f->g;
    for (int pass = 0; pass < 2; pass++) {
        bool changed = false;
        for (uint32_t i = 0; i < f->n_wants; i++)
            if (!f->cond[i]->k && !plussi_bx_narrow(f->cond[i]->bx, f->want[i], f->box))
                return false;
        for (uint32_t l = g->n_levels; l-- > from;) {
            plussi_interval *v = &f->box[g->level[l].loop->slot], old = *v;
            *v = tighten(f, l, *v);
            if (plussi_interval_empty(*v))
                return false;
            changed |= v->lo != old.lo || v->hi != old.hi;
        }
        if (!changed)
            break;
    }
    return true;
}

/* Values that a static block can give the thread while the box holds; the trip count may vary. */
static bool block_reaches(search *f, uint32_t from)
{
    const plussi_group *g = f->g;
    for (uint32_t l = from; l < g->n_levels; l++) {
        const plussi_pnode *loop = g->level[l].loop;
        if (!loop->ws || loop->collapse > 1 || loop->schedule != PLUSSI_SCHED_STATIC ||
            loop->chunk || !loop->par || !loop->par->team_fixed)
            continue;
        plussi_interval lo = plussi_bx_range(loop->lo, f->box);
        plussi_interval hi = plussi_bx_range(loop->hi, f->box);
        bool rising = loop->step > 0;
        uint64_t least = rising ? plussi_trips(lo.hi, hi.lo, loop->step)
                                : plussi_trips(lo.lo, hi.hi, loop->step);
        uint64_t most = rising ? plussi_trips(lo.lo, hi.hi, loop->step)
                               : plussi_trips(lo.hi, hi.lo, loop->step);
        uint64_t t = (uint64_t)f->iv[0], team = loop->par->team;
        uint64_t begin = least / team * t + (t < least % team ? t : least % team);
        uint64_t end = most / team * (t + 1) + (t + 1 < most % team ? t + 1 : most % team);
        if (begin >= end)
            return false;
        int64_t a = loop->step * (int64_t)begin, b = loop->step * (int64_t)(end - 1);
        plussi_interval v = rising ? (plussi_interval){lo.lo + a, lo.hi + b}
                                   : (plussi_interval){lo.lo + b, lo.hi + a};
        plussi_interval *box = &f->box[loop->slot];
        *box = plussi_interval_meet(*box, v);
        if (plussi_interval_empty(*box))
            return false;
    }
    return true;
}

/* ---- own iterations
 * ------------------------------------------------------------------------------- */

/* The greatest own iteration in [a, b] of an ascending share; false: none. */
static inline bool own_latest(const plussi_pnode *head, const plussi_own *own, uint64_t a,
                              uint64_t b, uint64_t *out)
{
    const plussi_share *s = &own->share;
    uint64_t pos;
    if (head->begin) {
        uint64_t from = head->begin[s->thread], end = head->begin[s->thread + 1];
        *out = b < end ? b : end - 1;
        return end > from && *out >= a && *out >= from;
    }
    switch (s->kind) {
    case PLUSSI_SHARE_BLOCK: {
        if (s->team == 1) {
            *out = b < s->n ? b : s->n - 1;
            return s->n > 0 && *out >= a;
        }
        uint64_t q = s->n / s->team, r = s->n - q * s->team, t = s->thread;
        uint64_t begin = q * t + (t < r ? t : r), end = begin + q + (t < r);
        *out = b < end ? b : end - 1;
        return *out >= a && *out >= begin && end > begin;
    }
    case PLUSSI_SHARE_CYCLIC: {
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
    case PLUSSI_SHARE_SEGMENTS:
        break;
    }
    if (!plussi_share_latest(s, UINT64_MAX, a, b, &pos))
        return false;
    *out = plussi_share_nth(s, pos);
    return true;
}

/* The latest turn in [a, b] of level l in which the thread can have an iteration. */
static bool latest_turn(search *f, uint32_t l, int64_t a, int64_t b, int64_t *out)
{
    const plussi_pnode *loop = f->g->level[l].loop, *head = loop->ws_head;
    if (a > b)
        return false;
    if (!head) {
        *out = b;
        return true;
    }
    uint64_t n;
    if (head->collapse == 1) {
        if (!own_latest(head, &f->own, (uint64_t)a, (uint64_t)b, &n))
            return false;
        *out = (int64_t)n;
        return true;
    }
    uint64_t row = f->row[loop->ws_level];
    if (loop == head->ws_last) {
        if (!own_latest(head, &f->own, row + (uint64_t)a, row + (uint64_t)b, &n))
            return false;
        *out = (int64_t)(n - row);
        return true;
    }
    uint64_t from = plussi_ws_before(f->e, loop, f->iv, (uint64_t)a);
    uint64_t to = plussi_ws_before(f->e, loop, f->iv, (uint64_t)b + 1);
    if (from == to || !own_latest(head, &f->own, row + from, row + to - 1, &n))
        return false;
    n -= row;
    *out = (int64_t)plussi_ws_turn_at(f->e, loop, f->iv, &n);
    return true;
}

/* ---- the search
 * ---------------------------------------------------------------------------------- */

static bool passes(const search *f, plussi_pnode *const *check, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const plussi_pnode *p = check[i]->parent;
        if (p->kind == PLUSSI_P_IF) {
            if ((plussi_value(p->cond, f->iv) != 0) == check[i]->in_else)
                return false;
        } else if (f->iv[0] >= plussi_team_at(f->e, p, f->iv)) {
            return false;
        }
    }
    return true;
}

static bool has_memory(const search *f)
{
    return plussi_memory_of(f->e, f->g->member[0], f->iv, f->g->root) == f->root;
}

/* One turn of level l, and all further in. */
static bool attempt(search *f, uint32_t l, int64_t lo, int64_t turn, bool up, bool low)
{
    const plussi_level *level = &f->g->level[l];
    const plussi_pnode *loop = level->loop;
    int64_t v = lo + loop->step * turn;
    f->iv[loop->slot] = v;
    if (!passes(f, level->check, level->n_checks) || (f->g->swap_level == (int)l && !has_memory(f)))
        return false;
    if (loop->ws_head && loop->ws_head->collapse > 1 && loop != loop->ws_head->ws_last) {
        uint64_t row = f->row[loop->ws_level];
        f->row[loop->ws_level + 1] = row + plussi_ws_before(f->e, loop, f->iv, (uint64_t)turn);
        f->iv[loop->slot] = v;
    }
    plussi_interval old = f->box[loop->slot];
    f->box[loop->slot] = (plussi_interval){v, v};
    bool ok = go(f, l + 1, up, low);
    f->box[loop->slot] = old;
    return ok;
}

/* Turns [a, b] of level l, none of them the cursor's. up, low: still tied at loops further in than
 * the fences'; edge: the only turn that is tied to the lower fence, if `held`. */
static bool halve(search *f, uint32_t l, int64_t lo, int64_t a, int64_t b, const tie *t)
{
    const plussi_pnode *loop = f->g->level[l].loop;
    plussi_interval *box = &f->box[loop->slot];
    while (b - a >= FEW) {
        plussi_interval saved[PLUSSI_SPOT_SLOTS];
        memcpy(saved, f->box, sizeof saved);
        int64_t v = lo + loop->step * a, w = lo + loop->step * b;
        *box = (plussi_interval){plussi_min64(v, w), plussi_max64(v, w)};
        bool can = propagate(f, l) && block_reaches(f, l + 1) && propagate(f, l);
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
        if (halve(f, l, lo, mid + 1, b, t))
            return true;
        b = mid;
    }
    for (int64_t turn; latest_turn(f, l, a, b, &turn); b = turn - 1)
        if (attempt(f, l, lo, turn, t->up, t->low && (!t->held || turn == t->edge)))
            return true;
    return false;
}

/* Shares in no order (work stealing): by position in the share. */
static bool go_unordered(search *f, uint32_t l, int64_t lo, int64_t a, int64_t b, bool up, bool low,
                         int64_t top, int64_t edge)
{
    const plussi_share *s = &f->own.share;
    const plussi_level *level = &f->g->level[l];
    uint64_t before = plussi_share_count(s), pos, bottom = 0, used = 0;
    if (up && l < f->up.levels) {
        if (!plussi_share_position(s, (uint64_t)top, &before))
            return false;
        before += l + 1 < f->up.levels || f->up.equal;
    }
    if (low && l < f->low.levels) {
        if (!plussi_share_position(s, (uint64_t)edge, &bottom))
            return false;
        bottom += l + 1 == f->low.levels && !f->low.equal;
    }
    while (plussi_share_latest(s, before, (uint64_t)a, (uint64_t)b, &pos) && pos >= bottom) {
        int64_t turn = (int64_t)plussi_share_nth(s, pos);
        bool tied = up && (l >= f->up.levels || turn == top);
        bool held = low && (l >= f->low.levels || turn == edge);
        if (attempt(f, l, lo, turn, tied, held))
            return true;
        if (!(tied && l < f->up.levels) && level->tries && ++used == level->tries)
            return false;
        before = pos;
    }
    return false;
}

static bool finish(search *f, bool up, bool low)
{
    const plussi_group *g = f->g;
    for (uint32_t k = 0; k < f->n_wants && !g->affine; k++) {
        if (f->cond[k]->k)
            continue;
        int64_t value = plussi_value(f->cond[k]->bx, f->iv);
        if (value < f->want[k].lo || value > f->want[k].hi)
            return false;
    }
    uint32_t i = g->n_members;
    if (up) {
        while (i > 0 && (g->member[i - 1]->order > f->up.leaf->order ||
                         (g->member[i - 1] == f->up.leaf && g->touch >= f->up.spot->touch)))
            i--;
        if (i == 0)
            return false;
    }
    f->found = g->member[i - 1];
    return !low || f->found->order > f->low.leaf->order ||
           (f->found == f->low.leaf && g->touch > f->low.spot->touch);
}

static bool go(search *f, uint32_t l, bool up, bool low)
{
    const plussi_group *g = f->g;
    if (l == g->n_levels)
        return finish(f, up, low);
    const plussi_level *level = &g->level[l];
    const plussi_pnode *loop = level->loop;
    int64_t lo = plussi_value(loop->lo, f->iv), hi = plussi_value(loop->hi, f->iv);
    plussi_interval v =
        loop->step > 0 ? (plussi_interval){lo, hi - 1} : (plussi_interval){hi + 1, lo};
    v = plussi_interval_meet(v, f->box[loop->slot]);
    if (plussi_interval_empty(v))
        return false;
    if (f->coupled) {
        if (!g->affine) { /* the trees narrow all of the box: keep the rest */
            plussi_interval saved[PLUSSI_SPOT_SLOTS];
            memcpy(saved, f->box, sizeof saved);
            f->box[loop->slot] = v;
            bool can = propagate(f, l);
            v = f->box[loop->slot];
            memcpy(f->box, saved, sizeof saved);
            if (!can)
                return false;
        } else {
            v = tighten(f, l, v);
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
    if (loop->ws)
        plussi_own_at(f->e, loop, f->iv, (uint32_t)f->iv[0], &f->own);
    if (loop->ws)
        f->row[0] = 0;
    bool up_here = up && l < f->up.levels, low_here = low && l < f->low.levels;
    if (up_here)
        top = (f->up.spot->iv[loop->slot] - lo) / loop->step;
    if (low_here)
        edge = (f->low.spot->iv[loop->slot] - lo) / loop->step;
    if (loop->ws && !f->own.share.ascending)
        return go_unordered(f, l, lo, a, b, up, low, top, edge);
    if (up_here)
        b = plussi_min64(b, top - (l + 1 == f->up.levels && !f->up.equal));
    if (low_here)
        a = plussi_max64(a, edge + (l + 1 == f->low.levels && !f->low.equal));
    uint32_t used = 0, misses = 0;
    for (int64_t turn; latest_turn(f, l, a, b, &turn); b = turn - 1) {
        bool tied = up_here && turn == top;
        if (attempt(f, l, lo, turn, up && (tied || !up_here), low && (!low_here || turn == edge)))
            return true;
        if (!tied && level->tries && ++used == level->tries)
            return false;
        if (!tied && ++misses == PATIENCE && !level->tries)
            return halve(f, l, lo, a, turn - 1, &(tie){up && !up_here, low, low_here, edge});
    }
    return false;
}

/* ---- what a line asks of a group
 * ------------------------------------------------------------------ */

static void ask(search *f, const plussi_condition *q, plussi_interval want)
{
    f->cond[f->n_wants] = q;
    f->want[f->n_wants++] = want;
    f->coupled |= !q->k || q->first != q->last;
}

/* { q : stride q in [a, b] } */
static inline plussi_interval within(int64_t a, int64_t b, const plussi_dim *d)
{
    if (d->shift >= 0)
        return (plussi_interval){-(-a >> d->shift), b >> d->shift};
    int64_t hi = plussi_floordiv(b, d->stride);
    if ((hi - 1) * d->stride < a) /* as a rule: one row */
        return (plussi_interval){hi * d->stride < a ? hi + 1 : hi, hi};
    return (plussi_interval){plussi_ceildiv(a, d->stride), hi};
}

/* The line's bytes [a, b], from where C + sum S_j Q_j is 0 at C; false: the group cannot touch it.
 */
static bool ask_line(search *f, int64_t a, int64_t b)
{
    const plussi_group *g = f->g;
    int64_t whole_a = a, whole_b = b;
    bool several = false;
    if (g->n_dims == 0)
        return a <= 0 && b >= 0;
    for (uint32_t j = 0; j < g->n_dims; j++) {
        const plussi_dim *d = &g->dim[j];
        plussi_interval q = d->range;
        if (!several) {
            q = plussi_interval_meet(q, within(a - d->inner.hi, b - d->inner.lo, d));
            if (plussi_interval_empty(q))
                return false;
            if (q.lo == q.hi) {
                a -= d->stride * q.lo;
                b -= d->stride * q.lo;
            } else if (j + 1 < g->n_dims) {
                several = true;
            }
        }
        if (g->asked[j].bx || g->asked[j].first <= g->asked[j].last)
            ask(f, &g->asked[j], q);
    }
    if (several) {
        if (!g->affine) { /* of the whole offset */
            whole_a += g->c + g->thread_coef * f->iv[0];
            whole_b += g->c + g->thread_coef * f->iv[0];
        }
        ask(f, &g->asked[g->n_dims], (plussi_interval){whole_a, whole_b});
    }
    return true;
}

static bool fence_above(search *f, const plussi_spot *cursor)
{
    const plussi_group *g = f->g;
    const plussi_pnode *x = g->member[0];
    f->up.spot = cursor;
    f->up.leaf = f->e->leaf[cursor->leaf];
    f->up.levels = plussi_common_loops(x, f->up.leaf);
    f->up.equal = x->order < f->up.leaf->order || (x == f->up.leaf && g->touch < cursor->touch);
    return f->up.levels > 0 || f->up.equal;
}

static bool fence_below(search *f, const plussi_spot *after)
{
    const plussi_group *g = f->g;
    const plussi_pnode *x = g->member[g->n_members - 1];
    f->low.spot = after;
    if (!after)
        return true;
    f->low.leaf = f->e->leaf[after->leaf];
    f->low.levels = plussi_common_loops(x, f->low.leaf);
    f->low.equal = x->order > f->low.leaf->order || (x == f->low.leaf && g->touch > after->touch);
    return f->low.levels > 0 || f->low.equal;
}

/* Cuts the box to what lies between the fences: the outermost level to their values there, and as
 * long as these are equal the next level too. */
static bool cut_to_fences(search *f)
{
    const plussi_group *g = f->g;
    bool low = f->low.spot != NULL;
    for (uint32_t l = 0; l < f->up.levels; l++) {
        const plussi_pnode *loop = g->level[l].loop;
        if (loop->ws && loop->schedule == PLUSSI_SCHED_RAYON)
            break;
        bool rising = loop->step > 0;
        int64_t last = f->up.spot->iv[loop->slot];
        plussi_interval *v = &f->box[loop->slot];
        int64_t *end = rising ? &v->hi : &v->lo, *begin = rising ? &v->lo : &v->hi;
        *end = rising ? plussi_min64(*end, last) : plussi_max64(*end, last);
        low = low && l < f->low.levels;
        if (low) {
            int64_t first = f->low.spot->iv[loop->slot];
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

static bool start(search *f, int64_t offset)
{
    const plussi_group *g = f->g;
    int64_t a = offset - g->c - g->thread_coef * f->iv[0];
    f->n_wants = 0;
    f->coupled = false;
    if (!ask_line(f, a, a + (INT64_C(1) << f->e->line_shift) - 1))
        return false;
    if (!passes(f, g->before, g->n_before) || (g->swap_level == -1 && !has_memory(f)))
        return false;
    f->box[0] = (plussi_interval){f->iv[0], f->iv[0]};
    for (uint32_t l = 0; l < g->n_levels; l++)
        f->box[g->level[l].loop->slot] = g->level[l].loop->range;
    if (!cut_to_fences(f))
        return false;
    f->coupled |= g->n_given > 0;
    if (!f->coupled)
        return cut_box(f);
    for (uint32_t i = 0; i < g->n_given; i++)
        ask(f, &g->given[i], (plussi_interval){0, INT64_C(1) << 62});
    return propagate(f, 0);
}

static bool run(search *f, int64_t offset, const plussi_spot *cursor, const plussi_spot *after)
{
    const plussi_group *g = f->g;
    const plussi_pnode *x = g->member[0];
    if (offset + (INT64_C(1) << f->e->line_shift) <= g->bytes.lo || offset > g->bytes.hi)
        return false;
    if (g->swap_level == -2 && g->root != f->root)
        return false;
    if (x->zero ? f->iv[0] != 0 : x->par->team_fixed && f->iv[0] >= x->par->team)
        return false;
    return fence_above(f, cursor) && fence_below(f, after) && start(f, offset) &&
           go(f, 0, true, after != NULL);
}

static void keep(const search *f, plussi_spot *out)
{
    out->leaf = f->found->leaf;
    out->touch = f->g->touch;
    out->iv[0] = f->iv[0];
    for (uint32_t l = 0; l < f->g->n_levels; l++)
        out->iv[f->g->level[l].loop->slot] = f->iv[f->g->level[l].loop->slot];
}

/* ---- queries
 * -------------------------------------------------------------------------------------- */

/* Homes that may hold the line, one after the other; start with *i = UINT32_MAX. */
static const plussi_home *next_home(const plussi_engine *e, uint32_t thread, uint64_t line,
                                    uint32_t *i)
{
    if (*i == UINT32_MAX) { /* the last shared home that starts at or below the line */
        uint32_t lo = 0, hi = e->n_shared;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (e->home[mid].first <= line)
                lo = mid + 1;
            else
                hi = mid;
        }
        *i = lo;
    }
    while (*i > 0 && *i <= e->n_shared) { /* downwards: 0 ends the shared ones */
        const plussi_home *home = &e->home[--*i];
        if (home->furthest < line)
            *i = 0;
        else if (line <= home->last)
            return home;
    }
    if (*i <= e->n_shared)
        *i = e->n_shared + 1;
    while (*i <= e->n_homes) { /* the private ones, numbered from n_shared + 1 */
        const plussi_home *home = &e->home[(*i)++ - 1];
        uint64_t shift = home->copy_lines * thread;
        if (line >= home->first + shift && line <= home->last + shift)
            return home;
    }
    return NULL;
}

bool plussi_engine_holds(const plussi_engine *engine, uint32_t thread, uint64_t line)
{
    uint32_t i = UINT32_MAX;
    return next_home(engine, thread, line, &i) != NULL;
}

bool plussi_engine_range(const plussi_engine *engine, uint32_t i, plussi_lines *out)
{
    uint64_t reached = 0; /* lines below are accounted for */
    for (uint32_t h = 0; h < engine->n_homes; h++) {
        const plussi_home *home = &engine->home[h];
        bool shared = h < engine->n_shared;
        uint64_t from = shared && home->first < reached ? reached : home->first;
        if (from > home->last) /* laid over others by address */
            continue;
        if (i-- == 0) {
            *out = (plussi_lines){from, home->last, shared ? 1 : engine->team, home->copy_lines};
            return true;
        }
        if (shared)
            reached = home->last + 1;
    }
    return false;
}

bool plussi_engine_prev(plussi_scan *scan, const plussi_spot *cursor, uint64_t line,
                        const plussi_spot *after, plussi_spot *out)
{
    const plussi_engine *e = scan->engine;
    search f;
    f.e = e;
    f.iv[0] = cursor->iv[0];
    const plussi_pnode *item = e->leaf[cursor->leaf]->item;
    bool any = false;
    uint32_t at = UINT32_MAX;
    for (const plussi_home *home; (home = next_home(e, (uint32_t)f.iv[0], line, &at));) {
        f.root = home->root;
        const plussi_barray *array = &e->bound->array[home->root];
        int64_t base = array->base + (home->copy_lines ? f.iv[0] * array->copy_bytes : 0);
        /* first those of the cursor's part of the program: what they find shuts out most others */
        for (uint32_t i = 0; i < 2 * home->n_groups; i++) {
            bool near = i < home->n_groups;
            f.g = home->group[near ? i : i - home->n_groups];
            if ((f.g->member[0]->item == item) != near)
                continue;
            int64_t offset = (int64_t)(line << e->line_shift) - base - f.g->shift;
            if (run(&f, offset, cursor, after)) {
                keep(&f, out);
                after = out;
                any = true;
            }
        }
    }
    return any;
}

uint64_t plussi_engine_line(plussi_scan *scan, const plussi_spot *spot)
{
    const plussi_engine *e = scan->engine;
    const plussi_pnode *leaf = e->leaf[spot->leaf];
    const plussi_barray *array = leaf->ref->array, *root = array;
    int64_t address = plussi_value(leaf->ref->offset, spot->iv);
    while (root->over)
        root = root->over;
    int64_t base = array->base;
    if (e->has_swap) {
        uint32_t memory = plussi_memory_of(e, leaf, spot->iv, root->id);
        base += e->bound->array[memory].base - root->base;
    }
    if (array->is_private)
        address += spot->iv[0] * array->copy_bytes;
    uint64_t last = leaf->ref->width - 1, byte = (uint64_t)spot->touch << e->line_shift;
    return (uint64_t)(base + address + (int64_t)(byte < last ? byte : last)) >> e->line_shift;
}
