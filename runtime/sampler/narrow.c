/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interval narrowing through an expression's tree: values of the IVs that cannot give a value in
 * the target are cut off the box (forward ranges, backward projection).
 */
#include "sampler/group.h"

static __int128 wide_floordiv(__int128 a, __int128 b)
{
    __int128 q = a / b;
    return q - (a % b != 0 && ((a < 0) != (b < 0)));
}

/* { v : k v in [lo, hi] }, k != 0. */
static plussi_interval divide_interval(__int128 lo, __int128 hi, int64_t k)
{
    if (k < 0)
        return (plussi_interval){plussi_saturate(-wide_floordiv(hi, -(__int128)k)),
                                 plussi_saturate(wide_floordiv(-lo, -(__int128)k))};
    return (plussi_interval){plussi_saturate(-wide_floordiv(-lo, k)),
                             plussi_saturate(wide_floordiv(hi, k))};
}

static bool narrow_affine(const plussi_cexpr *x, plussi_interval target, plussi_interval *box)
{
    for (uint32_t i = 0; i < x->n; i++) {
        __int128 lo = x->c, hi = x->c; /* all terms but i */
        for (uint32_t j = 0; j < x->n; j++) {
            if (j == i)
                continue;
            plussi_interval v = box[x->slot[j]];
            __int128 a = (__int128)x->coef[j] * v.lo, b = (__int128)x->coef[j] * v.hi;
            lo += a < b ? a : b;
            hi += a < b ? b : a;
        }
        plussi_interval *v = &box[x->slot[i]];
        *v = plussi_interval_meet(*v, divide_interval(target.lo - hi, target.hi - lo, x->coef[i]));
        if (plussi_interval_empty(*v))
            return false;
    }
    return x->n > 0 || (x->c >= target.lo && x->c <= target.hi);
}

static plussi_interval subtract_interval(plussi_interval a, plussi_interval b)
{
    return (plussi_interval){plussi_saturate((__int128)a.lo - b.hi),
                             plussi_saturate((__int128)a.hi - b.lo)};
}

static bool narrow_extreme(const plussi_cexpr *x, plussi_interval target, plussi_interval *box)
{
    bool least = x->kind == PLUSSI_CEXPR_MIN;
    plussi_interval side =
        least ? (plussi_interval){target.lo, INT64_MAX} : (plussi_interval){INT64_MIN, target.hi};
    for (int i = 0; i < 2; i++) {
        plussi_interval other = plussi_cexpr_range(x->a[1 - i], box), want = side;
        if (least ? other.lo > target.hi : other.hi < target.lo) /* it has to be this one */
            want = target;
        if (!plussi_cexpr_narrow(x->a[i], want, box))
            return false;
    }
    return true;
}

static bool narrow_mod(const plussi_cexpr *x, plussi_interval target, plussi_interval *box)
{
    plussi_interval r = plussi_cexpr_range(x->a[0], box);
    int64_t q = plussi_floordiv(r.lo, x->k);
    if (q != plussi_floordiv(r.hi, x->k))
        return target.lo < x->k && target.hi >= 0;
    target = plussi_interval_meet(target, (plussi_interval){0, x->k - 1});
    return !plussi_interval_empty(target) &&
           plussi_cexpr_narrow(x->a[0],
                               (plussi_interval){plussi_saturate((__int128)q * x->k + target.lo),
                                                 plussi_saturate((__int128)q * x->k + target.hi)},
                               box);
}

static bool narrow_choice(const plussi_cexpr *x, plussi_interval target, plussi_interval *box)
{
    plussi_interval cond = plussi_cexpr_range(x->a[0], box);
    if (cond.lo == cond.hi)
        return plussi_cexpr_narrow(x->a[cond.lo ? 1 : 2], target, box);
    plussi_interval r = plussi_cexpr_range(x, box);
    return !plussi_interval_empty(plussi_interval_meet(r, target));
}

static bool narrow_truth(const plussi_cexpr *x, bool truth, plussi_interval *box)
{
    plussi_interval yes = {1, 1}, no = {0, 0}, r;
    switch (x->kind) {
    case PLUSSI_CEXPR_GE0:
        return plussi_cexpr_narrow(
            x->a[0], truth ? (plussi_interval){0, INT64_MAX} : (plussi_interval){INT64_MIN, -1},
            box);
    case PLUSSI_CEXPR_EQ0:
    case PLUSSI_CEXPR_NE0:
        if (truth == (x->kind == PLUSSI_CEXPR_EQ0))
            return plussi_cexpr_narrow(x->a[0], (plussi_interval){0, 0}, box);
        r = plussi_cexpr_range(x->a[0], box);
        return r.lo != 0 || r.hi != 0;
    case PLUSSI_CEXPR_NOT:
        return plussi_cexpr_narrow(x->a[0], truth ? no : yes, box);
    default: /* AND, OR */
        if (truth == (x->kind == PLUSSI_CEXPR_AND))
            return plussi_cexpr_narrow(x->a[0], truth ? yes : no, box) &&
                   plussi_cexpr_narrow(x->a[1], truth ? yes : no, box);
        r = plussi_cexpr_range(x, box);
        return truth ? r.hi > 0 : r.lo < 1;
    }
}

bool plussi_cexpr_narrow(const plussi_cexpr *x, plussi_interval target, plussi_interval *box)
{
    switch (x->kind) {
    case PLUSSI_CEXPR_AFFINE:
        return narrow_affine(x, target, box);
    case PLUSSI_CEXPR_ADD:
        return plussi_cexpr_narrow(
                   x->a[0], subtract_interval(target, plussi_cexpr_range(x->a[1], box)), box) &&
               plussi_cexpr_narrow(
                   x->a[1], subtract_interval(target, plussi_cexpr_range(x->a[0], box)), box);
    case PLUSSI_CEXPR_SCALE: {
        if (x->k == 0)
            return target.lo <= 0 && target.hi >= 0;
        plussi_interval v = divide_interval(target.lo, target.hi, x->k);
        return !plussi_interval_empty(v) && plussi_cexpr_narrow(x->a[0], v, box);
    }
    case PLUSSI_CEXPR_DIV:
        return plussi_cexpr_narrow(
            x->a[0],
            (plussi_interval){plussi_saturate((__int128)target.lo * x->k),
                              plussi_saturate((__int128)target.hi * x->k + (x->k - 1))},
            box);
    case PLUSSI_CEXPR_MOD:
        return narrow_mod(x, target, box);
    case PLUSSI_CEXPR_MIN:
    case PLUSSI_CEXPR_MAX:
        return narrow_extreme(x, target, box);
    case PLUSSI_CEXPR_SELECT:
        return narrow_choice(x, target, box);
    case PLUSSI_CEXPR_GE0:
    case PLUSSI_CEXPR_EQ0:
    case PLUSSI_CEXPR_NE0:
    case PLUSSI_CEXPR_AND:
    case PLUSSI_CEXPR_OR:
    case PLUSSI_CEXPR_NOT:
        if (target.lo > 0)
            return narrow_truth(x, true, box);
        return target.hi > 0 || narrow_truth(x, false, box);
    default: {
        plussi_interval r = plussi_cexpr_range(x, box);
        return !plussi_interval_empty(plussi_interval_meet(r, target));
    }
    }
}
