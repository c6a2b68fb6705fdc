/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/cexpr.h"

/* ---- value -------------------------------------------------------------------------------------
 */

static int64_t load_element(const plussi_cexpr *x, const int64_t *iv, bool *fault)
{
    const plussi_bound_array *array = x->array;
    uint64_t at = 0; /* contents are stored row by row whatever the array's own order */
    for (uint32_t d = 0; d < array->rank; d++) {
        int64_t sub = plussi_cexpr_eval(x->sub[d], iv, fault);
        if (sub < 0 || (array->extent[d] >= 0 && sub >= array->extent[d])) {
            *fault = true;
            return 0;
        }
        uint64_t extent = array->extent[d] < 0 ? 0 : (uint64_t)array->extent[d];
        if (d > 0 &&
            (plussi_mul_over(at, extent, &at) || plussi_add_over(at, (uint64_t)sub, &at))) {
            *fault = true;
            return 0;
        }
        if (d == 0)
            at = (uint64_t)sub;
    }
    if (at >= array->n_values) {
        *fault = true;
        return 0;
    }
    return array->values[at];
}

int64_t plussi_cexpr_eval(const plussi_cexpr *x, const int64_t *iv, bool *fault)
{
    switch (x->kind) {
    case PLUSSI_CEXPR_AFFINE: {
        int64_t value = x->c;
        for (uint32_t i = 0; i < x->n; i++)
            value += x->coef[i] * iv[x->slot[i]];
        return value;
    }
    case PLUSSI_CEXPR_ADD:
        return plussi_cexpr_eval(x->a[0], iv, fault) + plussi_cexpr_eval(x->a[1], iv, fault);
    case PLUSSI_CEXPR_SCALE:
        return x->k * plussi_cexpr_eval(x->a[0], iv, fault);
    case PLUSSI_CEXPR_MUL:
        return plussi_cexpr_eval(x->a[0], iv, fault) * plussi_cexpr_eval(x->a[1], iv, fault);
    case PLUSSI_CEXPR_DIV:
        return plussi_floordiv(plussi_cexpr_eval(x->a[0], iv, fault), x->k);
    case PLUSSI_CEXPR_MOD:
        return plussi_floormod(plussi_cexpr_eval(x->a[0], iv, fault), x->k);
    case PLUSSI_CEXPR_MIN:
        return plussi_min64(plussi_cexpr_eval(x->a[0], iv, fault),
                            plussi_cexpr_eval(x->a[1], iv, fault));
    case PLUSSI_CEXPR_MAX:
        return plussi_max64(plussi_cexpr_eval(x->a[0], iv, fault),
                            plussi_cexpr_eval(x->a[1], iv, fault));
    case PLUSSI_CEXPR_SELECT:
        return plussi_cexpr_eval(plussi_cexpr_eval(x->a[0], iv, fault) ? x->a[1] : x->a[2], iv,
                                 fault);
    case PLUSSI_CEXPR_LOAD:
        return load_element(x, iv, fault);
    case PLUSSI_CEXPR_GE0:
        return plussi_cexpr_eval(x->a[0], iv, fault) >= 0;
    case PLUSSI_CEXPR_EQ0:
        return plussi_cexpr_eval(x->a[0], iv, fault) == 0;
    case PLUSSI_CEXPR_NE0:
        return plussi_cexpr_eval(x->a[0], iv, fault) != 0;
    case PLUSSI_CEXPR_AND:
        return plussi_cexpr_eval(x->a[0], iv, fault) && plussi_cexpr_eval(x->a[1], iv, fault);
    case PLUSSI_CEXPR_OR:
        return plussi_cexpr_eval(x->a[0], iv, fault) || plussi_cexpr_eval(x->a[1], iv, fault);
    case PLUSSI_CEXPR_NOT:
        return !plussi_cexpr_eval(x->a[0], iv, fault);
    }
    return 0;
}

const plussi_cexpr *plussi_cexpr_faulty(const plussi_cexpr *x, const int64_t *iv)
{
    const plussi_cexpr *found = NULL;
    bool fault = false;
    int64_t first = 0;
    (void)plussi_cexpr_eval(x, iv, &fault);
    if (!fault || x->kind == PLUSSI_CEXPR_AFFINE)
        return NULL;
    if (x->kind == PLUSSI_CEXPR_LOAD) {
        for (uint32_t d = 0; d < x->array->rank && !found; d++)
            found = plussi_cexpr_faulty(x->sub[d], iv);
        return found ? found : x;
    }
    found = plussi_cexpr_faulty(x->a[0], iv);
    if (!found && x->kind == PLUSSI_CEXPR_SELECT)
        first = plussi_cexpr_eval(x->a[0], iv, &fault) ? 1 : 2;
    return found || (first == 0 && !x->a[1]) ? found
                                             : plussi_cexpr_faulty(x->a[first ? first : 1], iv);
}

int64_t plussi_bloop_trips(const plussi_bound_loop *loop, const int64_t *iv)
{
    bool fault = false;
    int64_t lo = plussi_cexpr_eval(loop->lo, iv, &fault),
            hi = plussi_cexpr_eval(loop->hi, iv, &fault);
    if (fault)
        return 0;
    if (loop->step > 0)
        return hi > lo ? (hi - lo - 1) / loop->step + 1 : 0;
    return lo > hi ? (lo - hi - 1) / -loop->step + 1 : 0;
}

/* ---- range -------------------------------------------------------------------------------------
 */

typedef __int128 wide;

static const wide wide_cap = (wide)1 << 100;

static wide wide_clamp(wide v)
{
    return v > wide_cap ? wide_cap : v < -wide_cap ? -wide_cap : v;
}

typedef struct wide_interval {
    wide lo, hi;
} wide_interval;

static wide_interval wide_product(plussi_interval a, plussi_interval b)
{
    wide p[4] = {(wide)a.lo * b.lo, (wide)a.lo * b.hi, (wide)a.hi * b.lo, (wide)a.hi * b.hi};
    wide_interval r = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        r.lo = p[i] < r.lo ? p[i] : r.lo;
        r.hi = p[i] > r.hi ? p[i] : r.hi;
    }
    return r;
}

static plussi_interval narrow_interval(wide_interval v)
{
    return (plussi_interval){plussi_saturate(v.lo), plussi_saturate(v.hi)};
}

/* The range of an affine expression in 64 bits; false: they are not enough. */
static bool short_range(const plussi_cexpr *x, const plussi_interval *box, plussi_interval *out)
{
    int64_t lo = x->c, hi = x->c, a, b;
    for (uint32_t i = 0; i < x->n; i++) {
        const plussi_interval *v = &box[x->slot[i]];
        if (plussi_mul_over(x->coef[i], v->lo, &a) || plussi_mul_over(x->coef[i], v->hi, &b) ||
            plussi_add_over(lo, plussi_min64(a, b), &lo) ||
            plussi_add_over(hi, plussi_max64(a, b), &hi))
            return false;
    }
    *out = (plussi_interval){lo, hi};
    return true;
}

static plussi_interval affine_range(const plussi_cexpr *x, const plussi_interval *box)
{
    plussi_interval brief;
    if (short_range(x, box, &brief))
        return brief;
    wide_interval r = {x->c, x->c};
    for (uint32_t i = 0; i < x->n; i++) {
        plussi_interval coef = {x->coef[i], x->coef[i]};
        wide_interval term = wide_product(coef, box[x->slot[i]]);
        r.lo = wide_clamp(r.lo + wide_clamp(term.lo));
        r.hi = wide_clamp(r.hi + wide_clamp(term.hi));
    }
    return narrow_interval(r);
}

static plussi_interval mod_range(plussi_interval a, int64_t k)
{
    if (plussi_floordiv(a.lo, k) == plussi_floordiv(a.hi, k))
        return (plussi_interval){plussi_floormod(a.lo, k), plussi_floormod(a.hi, k)};
    return (plussi_interval){0, k - 1};
}

static plussi_interval truth_interval(bool can_be_false, bool can_be_true)
{
    return (plussi_interval){can_be_false ? 0 : 1, can_be_true ? 1 : 0};
}

plussi_interval plussi_cexpr_range(const plussi_cexpr *x, const plussi_interval *box)
{
    plussi_interval a = {0, 0}, b = {0, 0};
    if (x->kind == PLUSSI_CEXPR_AFFINE)
        return affine_range(x, box);
    if (x->kind == PLUSSI_CEXPR_LOAD)
        return x->array->contents;
    a = plussi_cexpr_range(x->a[0], box);
    if (x->a[1])
        b = plussi_cexpr_range(x->a[1], box);
    switch (x->kind) {
    case PLUSSI_CEXPR_ADD:
        return narrow_interval((wide_interval){(wide)a.lo + b.lo, (wide)a.hi + b.hi});
    case PLUSSI_CEXPR_SCALE:
        return narrow_interval(wide_product(a, (plussi_interval){x->k, x->k}));
    case PLUSSI_CEXPR_MUL:
        return narrow_interval(wide_product(a, b));
    case PLUSSI_CEXPR_DIV:
        return (plussi_interval){plussi_floordiv(a.lo, x->k), plussi_floordiv(a.hi, x->k)};
    case PLUSSI_CEXPR_MOD:
        return mod_range(a, x->k);
    case PLUSSI_CEXPR_MIN:
        return (plussi_interval){plussi_min64(a.lo, b.lo), plussi_min64(a.hi, b.hi)};
    case PLUSSI_CEXPR_MAX:
        return (plussi_interval){plussi_max64(a.lo, b.lo), plussi_max64(a.hi, b.hi)};
    case PLUSSI_CEXPR_SELECT: {
        plussi_interval c = plussi_cexpr_range(x->a[2], box);
        if (a.lo == a.hi)
            return a.lo ? b : c;
        return (plussi_interval){plussi_min64(b.lo, c.lo), plussi_max64(b.hi, c.hi)};
    }
    case PLUSSI_CEXPR_GE0:
        return truth_interval(a.lo < 0, a.hi >= 0);
    case PLUSSI_CEXPR_EQ0:
        return truth_interval(a.lo != 0 || a.hi != 0, a.lo <= 0 && a.hi >= 0);
    case PLUSSI_CEXPR_NE0:
        return truth_interval(a.lo <= 0 && a.hi >= 0, a.lo != 0 || a.hi != 0);
    case PLUSSI_CEXPR_AND:
        return (plussi_interval){a.lo & b.lo, a.hi & b.hi};
    case PLUSSI_CEXPR_OR:
        return (plussi_interval){a.lo | b.lo, a.hi | b.hi};
    case PLUSSI_CEXPR_NOT:
        return (plussi_interval){1 - a.hi, 1 - a.lo};
    case PLUSSI_CEXPR_AFFINE:
    case PLUSSI_CEXPR_LOAD:
        break;
    }
    return (plussi_interval){INT64_MIN, INT64_MAX};
}

/* ---- other questions ---------------------------------------------------------------------------
 */

uint32_t plussi_cexpr_slots(const plussi_cexpr *x)
{
    uint32_t mask = 0;
    if (x->kind == PLUSSI_CEXPR_AFFINE) {
        for (uint32_t i = 0; i < x->n; i++)
            mask |= UINT32_C(1) << x->slot[i];
        return mask;
    }
    if (x->kind == PLUSSI_CEXPR_LOAD) {
        for (uint32_t d = 0; d < x->array->rank; d++)
            mask |= plussi_cexpr_slots(x->sub[d]);
        return mask;
    }
    for (int i = 0; i < 3 && x->a[i]; i++)
        mask |= plussi_cexpr_slots(x->a[i]);
    return mask;
}

uint32_t plussi_cexpr_weight(const plussi_cexpr *x)
{
    uint32_t sum = 1;
    for (int i = 0; i < 3 && x->kind != PLUSSI_CEXPR_AFFINE && x->a[i]; i++)
        sum += plussi_cexpr_weight(x->a[i]);
    return sum;
}

bool plussi_cexpr_opaque(const plussi_cexpr *x)
{
    if (x->kind == PLUSSI_CEXPR_AFFINE)
        return false;
    if (x->kind == PLUSSI_CEXPR_LOAD) {
        if (!x->array->values)
            return true;
        for (uint32_t d = 0; d < x->array->rank; d++)
            if (plussi_cexpr_opaque(x->sub[d]))
                return true;
        return false;
    }
    for (int i = 0; i < 3 && x->a[i]; i++)
        if (plussi_cexpr_opaque(x->a[i]))
            return true;
    return false;
}

/* The sum of magnitudes bounds every partial sum, in whatever order it is taken. */
static bool affine_safe(const plussi_cexpr *x, const plussi_interval *box)
{
    wide sum = x->c < 0 ? -(wide)x->c : x->c;
    for (uint32_t i = 0; i < x->n; i++) {
        wide coef = x->coef[i] < 0 ? -(wide)x->coef[i] : x->coef[i];
        wide lo = box[x->slot[i]].lo, hi = box[x->slot[i]].hi;
        wide most = -lo > hi ? -lo : hi;
        sum += coef * (most < 0 ? -most : most);
        if (sum > INT64_MAX)
            return false;
    }
    return true;
}

static bool fits_int64(wide_interval v)
{
    return v.lo >= INT64_MIN && v.hi <= INT64_MAX;
}

bool plussi_cexpr_safe(const plussi_cexpr *x, const plussi_interval *box)
{
    if (x->kind == PLUSSI_CEXPR_AFFINE)
        return affine_safe(x, box);
    if (x->kind == PLUSSI_CEXPR_LOAD) {
        for (uint32_t d = 0; d < x->array->rank; d++)
            if (!plussi_cexpr_safe(x->sub[d], box))
                return false;
        return true;
    }
    for (int i = 0; i < 3 && x->a[i]; i++)
        if (!plussi_cexpr_safe(x->a[i], box))
            return false;
    plussi_interval a = plussi_cexpr_range(x->a[0], box);
    if (x->kind == PLUSSI_CEXPR_ADD) {
        plussi_interval b = plussi_cexpr_range(x->a[1], box);
        return fits_int64((wide_interval){(wide)a.lo + b.lo, (wide)a.hi + b.hi});
    }
    if (x->kind == PLUSSI_CEXPR_SCALE)
        return fits_int64(wide_product(a, (plussi_interval){x->k, x->k}));
    if (x->kind == PLUSSI_CEXPR_MUL)
        return fits_int64(wide_product(a, plussi_cexpr_range(x->a[1], box)));
    return true;
}
