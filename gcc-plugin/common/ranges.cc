/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conditions that compare one value with constants are brought into one form, however the source or
 * the compiler writes them.
 *
 * When it optimises, GCC's front ends make x - 3u <= 1u of x == 3 || x == 4, and of 3 <= x && x <=
 * 4; at -O0 they leave what the source has. Here each such condition is a range of the value, or
 * its complement; two of them that are joined and leave one range become one condition.
 */
#include "common/poly.h"

#include "base/arith.h"

namespace pluss
{

namespace
{

constexpr int64_t NONE_BELOW = INT64_MIN, NONE_ABOVE = INT64_MAX;

/* The range of p's type, if p is an atom of a known type. */
void type_range(const Poly &p, int64_t *least, int64_t *most)
{
    *least = NONE_BELOW;
    *most = NONE_ABOVE;
    const Atom *a = p.is_atom();
    int64_t m;
    if (a && a->kind == AtomKind::Mod && a->args[1].is_const(&m)) {
        *least = 0;
        *most = m - 1;
    } else if (a && (a->kind == AtomKind::Load || a->kind == AtomKind::Symbol) && a->width > 0 &&
               !a->is_signed) {
        *least = 0;
        *most = a->width < 8 ? ((int64_t)1 << 8 * a->width) - 1 : NONE_ABOVE;
    }
}

/* A comparison with a constant; false: c is something else. */
bool one_bound(const Cond *c, Range *out)
{
    int64_t k;
    if (c->a || c->op == Cond::True || c->op == Cond::False || c->op == Cond::Unknown ||
        !c->r.is_const(&k) || k == NONE_BELOW || k == NONE_ABOVE)
        return false;
    Range r{c->l, NONE_BELOW, NONE_ABOVE, c->op == Cond::Ne};
    if (c->op == Cond::Lt || c->op == Cond::Le)
        r.hi = k - (c->op == Cond::Lt);
    else if (c->op == Cond::Gt || c->op == Cond::Ge)
        r.lo = k + (c->op == Cond::Gt);
    else
        r.lo = r.hi = k;
    *out = r;
    return true;
}

/* Removes the bounds that p's type implies anyway. */
void open_ends(Range *r)
{
    int64_t least, most;
    type_range(r->p, &least, &most);
    if (r->lo <= least)
        r->lo = NONE_BELOW;
    if (r->hi >= most)
        r->hi = NONE_ABOVE;
    /* all but the first number, or the last */
    if (r->outside && r->hi < NONE_ABOVE && r->lo == NONE_BELOW)
        *r = {r->p, r->hi + 1, NONE_ABOVE, false};
    else if (r->outside && r->lo > NONE_BELOW && r->hi == NONE_ABOVE)
        *r = {r->p, NONE_BELOW, r->lo - 1, false};
}

bool range_of(const Cond *c, Range *out)
{
    Range below, above;
    if (c->op == Cond::And || c->op == Cond::Or) {
        if (!one_bound(c->a, &above) || !one_bound(c->b, &below) || above.p != below.p)
            return false;
        if (c->op == Cond::Or)
            std::swap(above, below);
        if (above.outside || below.outside || above.hi != NONE_ABOVE || below.lo != NONE_BELOW)
            return false;
        if (c->op == Cond::And)
            *out = {above.p, above.lo, below.hi, false};
        else
            *out = {above.p, below.hi + 1, above.lo - 1, true};
    } else if (!one_bound(c, out)) {
        return false;
    }
    open_ends(out);
    return true;
}

/* The intersection, if it is a range or the complement of one; else false. */
bool intersect(const Range &a, const Range &b, Range *out)
{
    if (a.p != b.p)
        return false;
    if (!a.outside && !b.outside) {
        *out = {a.p, std::max(a.lo, b.lo), std::min(a.hi, b.hi), false};
        return true;
    }
    if (a.outside && b.outside) {
        int64_t first = std::min(a.hi, b.hi);
        if (first != NONE_ABOVE && std::max(a.lo, b.lo) > first + 1)
            return false;
        *out = {a.p, std::min(a.lo, b.lo), std::max(a.hi, b.hi), true};
        return true;
    }
    const Range &in = a.outside ? b : a, &hole = a.outside ? a : b;
    *out = in;
    if (hole.lo <= in.lo && hole.hi >= in.hi)
        *out = {a.p, 1, 0, false};
    else if (hole.lo <= in.lo && hole.hi >= in.lo)
        out->lo = hole.hi + 1;
    else if (hole.hi >= in.hi && hole.lo <= in.hi)
        out->hi = hole.lo - 1;
    else if (hole.lo > in.lo && hole.hi < in.hi)
        return false;
    return true;
}

} // namespace

/* x > 2, not x >= 3: constants as near to zero as possible, which is mostly GCC's choice. */
void toward_zero(Cond *c)
{
    int64_t k = 0, own = c->l.constant();
    if (!c->r.is_const(&k) || plussi_sub_over(k, own, &k))
        return;
    if (own != 0) {
        c->l = c->l - Poly(own);
        c->r = Poly(k);
    }
    if (k > 0 && (c->op == Cond::Lt || c->op == Cond::Ge)) {
        c->op = c->op == Cond::Lt ? Cond::Le : Cond::Gt;
        c->r = Poly(k - 1);
    } else if (k < 0 && (c->op == Cond::Le || c->op == Cond::Gt)) {
        c->op = c->op == Cond::Le ? Cond::Lt : Cond::Ge;
        c->r = Poly(k + 1);
    }
}

const Cond *Exprs::within(const Range &range)
{
    int64_t least, most;
    Range r = range;
    type_range(r.p, &least, &most);
    open_ends(&r);
    if (r.lo > r.hi || (r.lo == NONE_BELOW && r.hi == NONE_ABOVE))
        return constant((r.lo > r.hi) == r.outside);
    if (r.lo == r.hi)
        return relation(r.outside ? Cond::Ne : Cond::Eq, r.p, Poly(r.lo));
    /* of an unsigned number: all but the first, all but the last, or one of these */
    if (r.hi == NONE_ABOVE && least != NONE_BELOW && r.lo == least + 1)
        return relation(Cond::Ne, r.p, Poly(least));
    if (r.lo == NONE_BELOW && most != NONE_ABOVE && r.hi == most - 1)
        return relation(Cond::Ne, r.p, Poly(most));
    if (r.lo == NONE_BELOW && r.hi == least)
        return relation(Cond::Eq, r.p, Poly(least));
    if (r.hi == NONE_ABOVE && r.lo == most)
        return relation(Cond::Eq, r.p, Poly(most));
    const Cond *above = relation(r.outside ? Cond::Lt : Cond::Ge, r.p, Poly(r.lo));
    const Cond *below = relation(r.outside ? Cond::Gt : Cond::Le, r.p, Poly(r.hi));
    if (r.lo == NONE_BELOW)
        return below;
    if (r.hi == NONE_ABOVE)
        return above;
    return make_pair(r.outside ? Cond::Or : Cond::And, above, below);
}

/* a && b (a || b) if both are ranges of one value and leave one range; else NULL. */
const Cond *Exprs::join_ranges(const Cond *a, const Cond *b, bool all)
{
    Range x, y, r;
    if (!range_of(a, &x) || !range_of(b, &y))
        return nullptr;
    if (!all) { /* a || b is not (not a && not b) */
        x.outside = !x.outside;
        y.outside = !y.outside;
        open_ends(&x);
        open_ends(&y);
    }
    if (!intersect(x, y, &r))
        return nullptr;
    if (!all)
        r.outside = !r.outside;
    return within(r);
}

} // namespace pluss
