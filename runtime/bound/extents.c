/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a subscript ever leaves its extent. If the ranges allow it, searches for iterations in
 * which it does: boxes of induction variables are halved until the bounds, the guards and the
 * subscript are decided in them.
 */
#include "bound/binder.h"

enum { BOXES = 4096 };

typedef struct search {
    const plussi_scope *scope;
    const plussi_cexpr *sub;
    int64_t extent;
    uint32_t left; /* boxes that may still be examined */
} search;

/* Cuts the box to what the bounds allow; false: empty. *sure stays true if the loops execute the
 * whole box. */
static bool cut_to_loops(const search *q, plussi_interval *box, bool *sure)
{
    for (uint32_t s = 1; s <= q->scope->depth; s++) {
        const plussi_bound_loop *loop = q->scope->loop[s];
        bool up = loop->step > 0;
        plussi_interval lo = plussi_cexpr_range(loop->lo, box),
                        hi = plussi_cexpr_range(loop->hi, box);
        if (lo.lo == INT64_MIN || hi.lo == INT64_MIN || lo.hi == INT64_MAX || hi.hi == INT64_MAX)
            return *sure = false, true; /* nothing is known about them */
        plussi_interval some =
            up ? (plussi_interval){lo.lo, hi.hi - 1} : (plussi_interval){hi.lo + 1, lo.hi};
        plussi_interval all =
            up ? (plussi_interval){lo.hi, hi.lo - 1} : (plussi_interval){hi.hi + 1, lo.lo};
        box[s] = plussi_interval_meet(box[s], some);
        if (plussi_interval_empty(box[s]))
            return false;
        *sure = *sure && box[s].lo >= all.lo && box[s].hi <= all.hi;
        if (loop->step == 1 || loop->step == -1)
            continue;
        bool point = box[s].lo == box[s].hi && lo.lo == lo.hi;
        if (point && (box[s].lo - lo.lo) % loop->step != 0)
            return false;
        *sure = *sure && point;
    }
    return true;
}

static plussi_outside search_box(search *q, const plussi_interval *given)
{
    plussi_interval box[PLUSSI_MAX_SLOTS];
    bool sure = !q->scope->more_conds;
    if (q->left == 0)
        return PLUSSI_OUTSIDE_MAYBE;
    q->left--;
    for (uint32_t s = 0; s < PLUSSI_MAX_SLOTS; s++)
        box[s] = given[s];
    if (!cut_to_loops(q, box, &sure))
        return PLUSSI_OUTSIDE_NEVER;
    for (uint32_t i = 0; i < q->scope->n_conds; i++) {
        plussi_interval r = plussi_cexpr_range(q->scope->cond[i], box);
        if (r.lo == r.hi && (r.lo != 0) != q->scope->truth[i])
            return PLUSSI_OUTSIDE_NEVER;
        sure = sure && r.lo == r.hi;
    }
    plussi_interval r = plussi_cexpr_range(q->sub, box);
    if (r.lo >= 0 && r.hi < q->extent)
        return PLUSSI_OUTSIDE_NEVER;
    if (sure && (r.hi < 0 || r.lo >= q->extent))
        return PLUSSI_OUTSIDE_FOUND;
    uint32_t widest = 0;
    uint64_t width = 0;
    for (uint32_t s = 0; s <= q->scope->depth; s++) {
        uint64_t w = (uint64_t)box[s].hi - (uint64_t)box[s].lo;
        if (w > width) {
            width = w;
            widest = s;
        }
    }
    if (width == 0)
        return PLUSSI_OUTSIDE_MAYBE;
    plussi_interval whole = box[widest];
    box[widest].hi = (int64_t)((uint64_t)whole.lo + width / 2);
    plussi_outside one = search_box(q, box);
    if (one == PLUSSI_OUTSIDE_FOUND)
        return one;
    box[widest] = (plussi_interval){box[widest].hi + 1, whole.hi};
    plussi_outside other = search_box(q, box);
    return other == PLUSSI_OUTSIDE_NEVER ? one : other;
}

plussi_outside plussi_find_outside(const plussi_scope *scope, const plussi_cexpr *sub,
                                   int64_t extent)
{
    search q = {scope, sub, extent, BOXES};
    return search_box(&q, scope->box);
}

void plussi_scope_record(plussi_scope *scope, const plussi_cexpr *cond, bool truth)
{
    if (scope->n_conds == PLUSSI_MAX_GUARDS) {
        scope->more_conds = true;
        return;
    }
    scope->cond[scope->n_conds] = cond;
    scope->truth[scope->n_conds++] = truth;
}
