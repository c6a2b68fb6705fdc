/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampler/form.h"

bool plussi_form_from(const plussi_cexpr *affine, plussi_form *out)
{
    out->c = affine->c;
    out->n = affine->n;
    if (affine->n > PLUSSI_FORM_TERMS)
        return false;
    for (uint32_t i = 0; i < affine->n; i++) {
        out->slot[i] = (uint8_t)affine->slot[i];
        out->k[i] = affine->coef[i];
    }
    return true;
}

bool plussi_form_add(plussi_form *a, const plussi_form *b, int64_t scale)
{
    plussi_form r;
    int64_t t;
    uint32_t i = 0, j = 0;
    if (plussi_mul_over(b->c, scale, &t) || plussi_add_over(a->c, t, &r.c))
        return false;
    r.n = 0;
    while (i < a->n || (j < b->n && scale)) {
        bool left = i < a->n && (j == b->n || a->slot[i] <= b->slot[j]);
        bool right = j < b->n && scale && (i == a->n || b->slot[j] <= a->slot[i]);
        uint8_t slot = left ? a->slot[i] : b->slot[j];
        int64_t k = left ? a->k[i] : 0;
        if (right && (plussi_mul_over(b->k[j], scale, &t) || plussi_add_over(k, t, &k)))
            return false;
        i += left;
        j += right;
        if (k == 0)
            continue;
        if (r.n == PLUSSI_FORM_TERMS)
            return false;
        r.slot[r.n] = slot;
        r.k[r.n++] = k;
    }
    *a = r;
    return true;
}

int64_t plussi_form_coef(const plussi_form *f, uint32_t slot)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (f->slot[i] == slot)
            return f->k[i];
    return 0;
}

void plussi_form_drop(plussi_form *f, uint32_t slot)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->slot[i] == slot)
            continue;
        f->slot[n] = f->slot[i];
        f->k[n++] = f->k[i];
    }
    f->n = n;
}

bool plussi_form_reads(const plussi_form *f, plussi_slots of)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (of >> f->slot[i] & 1)
            return true;
    return false;
}

/* The greatest value (sign 1) or the least (sign -1): first replaces the innermost variables by the
 * bounds of their loops, then the others by the box. */
static int64_t find_extreme(const plussi_form *f, const plussi_known *known, int sign)
{
    plussi_form g = *f;
    __int128 sum = 0;
    while (g.n > 0) {
        uint32_t slot = g.slot[g.n - 1];
        int64_t k = g.k[g.n - 1];
        g.n--;
        bool top = (k > 0) == (sign > 0);
        const plussi_form *bound = top ? known->high[slot] : known->low[slot];
        if (bound) {
            plussi_form h = g;
            if (plussi_form_add(&h, bound, k)) {
                g = h;
                sum -= top ? k : 0;
                continue;
            }
        }
        plussi_interval v = known->box[slot];
        sum += (__int128)k * (top ? v.hi : v.lo);
    }
    return plussi_saturate(sum + g.c);
}

static plussi_interval box_range(const plussi_form *f, const plussi_interval *box)
{
    __int128 lo = f->c, hi = f->c;
    for (uint32_t i = 0; i < f->n; i++) {
        plussi_interval v = box[f->slot[i]];
        __int128 a = (__int128)f->k[i] * v.lo, b = (__int128)f->k[i] * v.hi;
        lo += a < b ? a : b;
        hi += a < b ? b : a;
    }
    return (plussi_interval){plussi_saturate(lo), plussi_saturate(hi)};
}

plussi_interval plussi_form_range(const plussi_form *f, const plussi_known *known)
{
    plussi_interval r = box_range(f, known->box);
    bool more = false;
    for (uint32_t i = 0; i < f->n; i++)
        more |= known->high[f->slot[i]] != NULL;
    if (!more || r.lo == r.hi)
        return r;
    return plussi_interval_meet(
        r, (plussi_interval){find_extreme(f, known, -1), find_extreme(f, known, 1)});
}

plussi_interval plussi_form_gap(const plussi_form *a, const plussi_form *b,
                                const plussi_known *known)
{
    plussi_form d = *a;
    if (!plussi_form_add(&d, b, -1))
        return (plussi_interval){INT64_MIN, INT64_MAX};
    return plussi_form_range(&d, known);
}
