/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops: the induction variable, its bounds and step, and the closed forms of the other header
 * PHIs.
 *
 * A loop is described when it has one exit, whose test every iteration executes, and the test
 * compares a header PHI that grows by an integer constant (the control variable) with something
 * that does not change in the loop. With v the PHI's value at the test, "stay while a v < b" gives
 * the bound ceil(b / a), and so on for the other comparisons. The description is then
 *
 *     iv in lo..hi step s     for the iterations whose test says stay
 *
 * and it is the tree's business (structure.cc) that the code before the test runs once more.
 *
 * Another header PHI with an invariant increment t is init + t * (iv - lo) / s. After the loop the
 * control variable is lo + s * trips. Pointers that change places from one iteration to the next
 * (a, b = b, a) keep the names that they had before the loop; the loop notes the swap.
 */
#include "analysis/analysis.h"

#include "base/arith.h"

namespace pluss
{

static bool within(const class loop *inner, const class loop *outer)
{
    return inner == outer || flow_loop_nested_p(outer, inner);
}

/* p does not change while l runs. */
bool Analysis::invariant(const Poly &p, const class loop *l)
{
    constexpr unsigned varying =
        kind_bit(AtomKind::Phi) | kind_bit(AtomKind::Iv) | kind_bit(AtomKind::Opaque);
    if (p.bad || !(p.kinds() & varying))
        return !p.bad;
    return !any_atom(p, [&](const Atom *a) {
        switch (a->kind) {
        case AtomKind::Phi:
            return within(gimple_bb(SSA_NAME_DEF_STMT(a->ssa))->loop_father, l);
        case AtomKind::Iv:
            return within(a->loop->cfg, l);
        case AtomKind::Opaque:
            return true;
        default:
            return false;
        }
    });
}

static edge latch_edge(const class loop *l)
{
    return loop_latch_edge(l);
}

/* The increment of a header PHI from one iteration to the next; false if it has none. */
bool Analysis::step_of(gphi *phi, const class loop *l, Poly *step)
{
    tree next = PHI_ARG_DEF_FROM_EDGE(phi, latch_edge(l));
    Poly after = resolve(value(next), l, l);
    /* A narrow counter is taken not to wrap around: what it and its step are modulo its type's
     * range, they are. */
    unsigned bits = TYPE_PRECISION(TREE_TYPE(next));
    bool narrow = INTEGRAL_TYPE_P(TREE_TYPE(next)) && bits > 1 && bits < 32;
    if (narrow)
        after = ex.without_range(after, (int64_t)1 << bits);
    Poly d = after - ex.phi(gimple_phi_result(phi));
    if (!invariant(d, l))
        return false;
    /* Of the numbers that are the same modulo the range, the step is the one next to 0. */
    int64_t c;
    if (narrow && d.is_const(&c))
        d = Poly(plussi_floormod(c + ((int64_t)1 << (bits - 1)), (int64_t)1 << bits) -
                 ((int64_t)1 << (bits - 1)));
    *step = d;
    return true;
}

static bool described_type(tree type)
{
    return (INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) <= 64) || POINTER_TYPE_P(type);
}

Loop *Analysis::loop(const class loop *l)
{
    Loop *&r = loop_table[l];
    if (!r) {
        loops.push_back(Loop());
        r = &loops.back();
        r->cfg = const_cast<class loop *>(l);
        gimple *last = plussi_last_stmt(l->header);
        r->loc = last ? gimple_location(last) : UNKNOWN_LOCATION;
    }
    if (!r->analysed && !r->busy) {
        r->busy = true;
        analyse(r);
        r->busy = false;
        r->analysed = true;
    }
    return r;
}

/* Loops whose numbers of iterations can be counted, though not by numbers of 64 bits with a sign:
 * the first test says leave, or all is constant and unsigned, and a step leads past the bound. */
bool Analysis::few_trips(Loop *r, gphi *phi, Cond::Op op, const Poly &step, const Poly &bound)
{
    const class loop *l = r->cfg;
    tree v = gimple_phi_result(phi), type = TREE_TYPE(v);
    Poly first = resolve(value(PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(l))), loop_outer(l));
    int64_t lo = 0, end = 0, s = 0;
    bool up = op == Cond::Lt || op == Cond::Le, down = op == Cond::Gt || op == Cond::Ge;
    if ((!up && !down) || !INTEGRAL_TYPE_P(type) || !first.is_const(&lo) || !bound.is_const(&end) ||
        !step.is_const(&s) || s == 0)
        return false;
    uint64_t trips = 0;
    if (TYPE_UNSIGNED(type) && TYPE_PRECISION(type) == 64) {
        if ((lo >= 0) == (end >= 0) && up == (s > 0))
            return false; /* an ordinary loop */
        uint64_t from = up ? (uint64_t)lo : ~(uint64_t)lo, to = up ? (uint64_t)end : ~(uint64_t)end;
        uint64_t width = up ? (uint64_t)s : -(uint64_t)s;
        bool too = op == Cond::Le || op == Cond::Ge;
        if (from < to || (too && from == to))
            trips = (to - from - !too) / width + 1;
        if (trips > 1) {
            r->reason = "the loop's numbers do not fit 64 bits with a sign";
            return true;
        }
    } else if (up == (s > 0) || (up ? lo < end : lo > end) ||
               ((op == Cond::Le || op == Cond::Ge) && lo == end)) {
        return false; /* an ordinary loop, or one that does not end */
    }
    r->counted = true;
    r->control = v;
    r->control_var = SSA_NAME_VAR(v);
    r->lo = Poly();
    r->hi = Poly((int64_t)trips);
    r->step = 1;
    r->name = (name_of(v).empty() ? "iv" : name_of(v)) + "_count";
    find_swaps(r);
    return true;
}

void Analysis::analyse(Loop *r)
{
    const class loop *l = r->cfg;
    if (l->header->flags & BB_IRREDUCIBLE_LOOP) {
        r->reason = "control jumps into the middle of the loop";
        return;
    }
    auto_vec<edge> exits = get_loop_exit_edges(l);
    if (exits.is_empty()) {
        r->reason = "the loop has no end";
        return;
    }
    /* The place is the first test's, however many tests there are. */
    for (edge e : exits)
        if (gcond *c = safe_dyn_cast<gcond *>(plussi_last_stmt(e->src)))
            if (exits.length() > 1 && gimple_location(c) != UNKNOWN_LOCATION &&
                (e == exits[0] ||
                 expand_location(gimple_location(c)).line < expand_location(r->loc).line))
                r->loc = gimple_location(c);
    if (exits.length() > 1) {
        r->reason = "the loop has more than one exit";
        return;
    }
    edge out = exits[0];
    basic_block test = out->src;
    r->test = test;
    r->leave = out;
    if (!dominated_by_p(CDI_DOMINATORS, l->latch, test) || test->loop_father != l) {
        r->reason = "the exit of the loop depends on several conditions";
        return;
    }
    gcond *cond = safe_dyn_cast<gcond *>(plussi_last_stmt(test));
    if (!cond) {
        r->reason = "the exit of the loop is not a comparison";
        return;
    }
    if (gimple_location(cond) != UNKNOWN_LOCATION)
        r->loc = gimple_location(cond);
    const Cond *stay = comparison(gimple_cond_code(cond), gimple_cond_lhs(cond),
                                  gimple_cond_rhs(cond), cond, true);
    if (out->flags & EDGE_TRUE_VALUE)
        stay = ex.negate(stay);
    if (stay->op == Cond::True || stay->op == Cond::False) {
        r->reason = "the exit of the loop does not depend on an induction variable";
        return;
    }
    if (stay->op == Cond::And || stay->op == Cond::Or || stay->op == Cond::Unknown) {
        r->reason = stay->op == Cond::Unknown ? stay->reason
                    : stay->op == Cond::And   ? "the loop has more than one exit"
                                            : "the exit of the loop depends on several conditions";
        return;
    }
    Poly diff = resolve(stay->l - stay->r, l, l);
    Cond::Op op = stay->op;

    /* The control variable: a PHI that occurs in the test once, as a * v + (what does not change).
     */
    std::vector<const Atom *> candidates;
    for (const Term &t : diff.terms)
        for (const Atom *a : t.mono)
            if (a->kind == AtomKind::Phi &&
                gimple_bb(SSA_NAME_DEF_STMT(a->ssa))->loop_father == l &&
                std::find(candidates.begin(), candidates.end(), a) == candidates.end())
                candidates.push_back(a);
    std::string why;
    if (const Atom *o = find_opaque(diff))
        why = o->reason;
    else
        why = "the exit of the loop does not depend on an induction variable";
    for (const Atom *v : candidates) {
        gphi *phi = as_a<gphi *>(SSA_NAME_DEF_STMT(v->ssa));
        Poly step;
        int64_t s = 0, a = 0;
        Poly rest;
        bool linear = true;
        for (const Term &t : diff.terms) {
            size_t n = std::count(t.mono.begin(), t.mono.end(), v);
            if (n == 0) {
                Poly one;
                one.terms.push_back(t);
                rest = rest + one;
            } else if (n == 1 && t.mono.size() == 1) {
                a = t.coef;
            } else {
                linear = false;
            }
        }
        std::string text = describe(v->ssa);
        bool stepped = step_of(phi, l, &step);
        step = resolve(step, loop_outer(l));
        bool up = stepped && !step.zero() && is_size(step), down = !up && is_size(-step);
        if (!stepped || step.zero() || (!up && !down)) {
            const Atom *o = find_opaque(value(PHI_ARG_DEF_FROM_EDGE(phi, latch_edge(l))));
            why = "`" + text + "' does not change by a constant from one iteration to the next" +
                  (o && o->reason.find("depends on") == std::string::npos ? ": " + o->reason : "");
            continue;
        }
        if (!linear || !invariant(rest, l)) {
            const Atom *o = find_opaque(rest);
            why = o ? o->reason : "the bound of `" + text + "' changes inside the loop";
            continue;
        }
        /* a v + rest  op  0, a > 0 */
        Cond::Op test_op = op;
        if (a < 0) {
            a = -a;
            rest = -rest;
            test_op = op == Cond::Lt   ? Cond::Gt
                      : op == Cond::Le ? Cond::Ge
                      : op == Cond::Gt ? Cond::Lt
                      : op == Cond::Ge ? Cond::Le
                                       : op;
        }
        Poly b = -rest, hi;
        Poly by(a);
        if (by == Poly(1) && few_trips(r, phi, test_op, step, b))
            return;
        if (up && test_op == Cond::Lt)
            hi = ex.div(b + Poly(a - 1), by);
        else if (up && test_op == Cond::Le)
            hi = ex.div(b, by) + Poly(1);
        else if (down && test_op == Cond::Gt)
            hi = ex.div(b, by);
        else if (down && test_op == Cond::Ge)
            hi = ex.div(b + Poly(a - 1), by) - Poly(1);
        else if (test_op != Cond::Ne || !b.divide(by, &hi)) {
            why = "`" + text + "' moves away from its bound";
            continue;
        }
        const class loop *outer = loop_outer(l);
        tree init = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(l));
        basic_block before = loop_preheader_edge(l)->src;
        gimple *there = plussi_last_stmt(before) ? plussi_last_stmt(before) : cond;
        r->lo = resolve(unwrapped(value(init), TREE_TYPE(init), there), outer);
        r->hi = resolve(hi, outer);
        r->control = v->ssa;
        r->control_var = SSA_NAME_VAR(v->ssa);
        /* Where one end wraps around, so may the other. */
        constexpr int64_t range = (int64_t)1 << 32;
        bool lo_wraps = ex.without_range(r->lo, range) != r->lo;
        Poly *end = lo_wraps ? &r->hi : &r->lo;
        if (lo_wraps != (ex.without_range(r->hi, range) != r->hi) && !not_negative(*end) &&
            TYPE_PRECISION(TREE_TYPE(init)) == 32)
            *end = ex.mod(*end, Poly(range));
        /* A constant from 2^63 on, and what is none. */
        if (TYPE_UNSIGNED(TREE_TYPE(init)) && r->lo.is_const(nullptr) != r->hi.is_const(nullptr))
            for (const Poly *p : {&r->lo, &r->hi})
                if (p->is_const(&s) && s < -(int64_t)(p == &r->hi) &&
                    TYPE_PRECISION(TREE_TYPE(init)) == 64)
                    r->reason = "the loop's numbers do not fit 64 bits with a sign";
        for (const Poly *p : {&r->lo, &r->hi}) {
            const Atom *o = find_opaque(*p);
            if (o || p->bad)
                r->reason = o ? o->reason : "the loop's bounds do not fit 64 bits";
        }
        if (!r->reason.empty())
            return;
        r->name = name_of(v->ssa);
        /* A pointer that walks, a step that is not a number: the iterations are counted. */
        constexpr unsigned is_base = kind_bit(AtomKind::Base);
        if (!step.is_const(&s) || POINTER_TYPE_P(TREE_TYPE(v->ssa)) || (r->lo.kinds() & is_base)) {
            Poly n = up ? r->hi - r->lo : r->lo - r->hi, width = up ? step : -step;
            n = pointer_difference(n);
            if (n.kinds() & is_base) {
                r->reason = "the end of the loop is the address of another array";
                return;
            }
            r->counted = true;
            r->lo = Poly();
            r->hi = ex.div(n + width - Poly(1), width);
            s = 1;
            r->name = (r->name.empty() ? "iv" : r->name) + "_count";
        }
        r->step = s;
        named_control(r);
        find_swaps(r);
        return;
    }
    r->reason = why;
}

/* gfortran counts the iterations of DO loops down in a variable of its own (countm1): the loop is
 * told by the program's variable where there is one. */
void Analysis::named_control(Loop *r)
{
    const class loop *l = r->cfg;
    if (r->counted || !lang_GNU_Fortran() || (!r->name.empty() && r->name != "countm1"))
        return;
    for (gphi_iterator i = gsi_start_phis(l->header); !gsi_end_p(i); gsi_next(&i)) {
        tree w = gimple_phi_result(i.phi());
        Poly step;
        int64_t s = 0;
        if (virtual_operand_p(w) || w == r->control || !INTEGRAL_TYPE_P(TREE_TYPE(w)) ||
            name_of(w).empty() || !SSA_NAME_VAR(w) || DECL_ARTIFICIAL(SSA_NAME_VAR(w)) ||
            !step_of(i.phi(), l, &step) || !step.is_const(&s) || s == 0)
            continue;
        Poly first =
            resolve(value(PHI_ARG_DEF_FROM_EDGE(i.phi(), loop_preheader_edge(l))), loop_outer(l));
        if (find_opaque(first) || first.bad)
            continue;
        Poly n = trips(r);
        r->lo = first;
        r->hi = first + Poly(s) * n;
        r->step = s;
        r->control = w;
        r->control_var = SSA_NAME_VAR(w);
        r->name = name_of(w);
        return;
    }
}

/* Header PHIs of pointers whose next values are each other's: a permutation of the names. */
void Analysis::find_swaps(Loop *r)
{
    const class loop *l = r->cfg;
    std::map<tree, tree> next;
    for (gphi_iterator i = gsi_start_phis(l->header); !gsi_end_p(i); gsi_next(&i)) {
        tree name = gimple_phi_result(i.phi());
        if (virtual_operand_p(name) || !POINTER_TYPE_P(TREE_TYPE(name)))
            continue;
        const Atom *a = value(PHI_ARG_DEF_FROM_EDGE(i.phi(), latch_edge(l))).is_atom();
        if (a && a->kind == AtomKind::Phi && a->ssa != name &&
            gimple_bb(SSA_NAME_DEF_STMT(a->ssa)) == l->header)
            next[name] = a->ssa;
    }
    std::set<tree> done;
    for (auto &start : next) {
        if (done.count(start.first))
            continue;
        std::vector<tree> cycle;
        tree x = start.first;
        while (next.count(x) && std::find(cycle.begin(), cycle.end(), x) == cycle.end()) {
            cycle.push_back(x);
            x = next[x];
        }
        if (x != start.first)
            continue; /* not a permutation */
        for (tree y : cycle)
            done.insert(y);
        /* y's next memory is next(y)'s: exchanging y and next(y) along the cycle does it. */
        for (size_t k = 0; k + 1 < cycle.size(); k++)
            r->swaps.push_back({cycle[k], cycle[k + 1]});
    }
}

/* A header PHI's value, seen from loop `at`. */
Poly Analysis::closed(tree name, const class loop *at, const class loop *keep)
{
    auto known = closed_memo.find(std::make_tuple(name, at, keep));
    if (known != closed_memo.end())
        return known->second;
    gphi *phi = as_a<gphi *>(SSA_NAME_DEF_STMT(name));
    const class loop *l = gimple_bb(phi)->loop_father;
    location_t loc = gimple_location(phi);
    Loop *r = loop(l);
    if (r->busy) {
        busy_hits++;
        return ex.opaque(name, "`" + describe(name) + "' depends on the loop that it controls",
                         loc);
    }
    if (!open.insert(name).second) {
        busy_hits++;
        return ex.opaque(name, "`" + describe(name) + "' depends on itself", loc);
    }
    unsigned hits = busy_hits;
    Poly result;
    const class loop *outer = loop_outer(l);
    tree init = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(l));
    auto fail = [&](const std::string &why) { return ex.opaque(name, why, loc); };
    bool swapped = false;
    for (auto &s : r->swaps)
        swapped |= s.first == name || s.second == name;
    Poly step;
    if (swapped) {
        Poly p = resolve(value(init), outer);
        const Atom *a = p.is_atom();
        result = a && a->kind == AtomKind::Base
                     ? p
                     : fail("`" + describe(name) + "' changes places with a pointer into an array");
    } else if (!step_of(phi, l, &step)) {
        result = toggle(phi, r);
        if (find_opaque(result) && within(at, l) && !last_resort)
            result = relative(phi, r);
        if (find_opaque(result))
            result = leaf_after(phi, at);
    } else if (step.zero()) {
        result = resolve(value(init), outer);
    } else if (!r->reason.empty()) {
        result = fail(r->reason);
    } else {
        bool inside = within(at, l);
        Poly s = resolve(step, outer), k; /* how many steps were taken */
        Poly first = resolve(value(init), outer);
        int64_t c;
        if (inside && r->counted && trips(r).is_const(&c) && c <= 1) {
            result = first; /* no step is taken */
        } else if (inside) {
            Poly d = r->step > 0 ? ex.iv(r) - r->lo : r->lo - ex.iv(r);
            int64_t width = r->step > 0 ? r->step : -r->step;
            if (name == r->control && !r->counted) {
                result = ex.iv(r);
            } else if (s.is_const(&c) && c % width == 0) {
                result = first + Poly(c / width) * d;
            } else {
                result = first + s * ex.div(d, Poly(width));
            }
        } else {
            result = first + s * trips(r);
        }
    }
    open.erase(name);
    /* What is expressed in loops around l may itself be over, seen from `at`. */
    if (!within(at, outer))
        result = resolve(result, at, keep);
    if ((hits == busy_hits || effort > ENOUGH_EFFORT) && !last_resort && !r->busy)
        closed_memo[std::make_tuple(name, at, keep)] = result;
    return result;
}

/* x = c - x, x ^= 1: two values in turn. */
Poly Analysis::toggle(gphi *phi, Loop *r)
{
    const class loop *l = r->cfg;
    tree name = gimple_phi_result(phi);
    auto fail = [&]() { return ex.opaque(NULL_TREE, "it has no closed form", UNKNOWN_LOCATION); };
    if (!r->reason.empty() || !described_type(TREE_TYPE(name)) || POINTER_TYPE_P(TREE_TYPE(name)))
        return fail();
    Poly self = ex.phi(name);
    Poly next = resolve(value(PHI_ARG_DEF_FROM_EDGE(phi, latch_edge(l))), l, l);
    Poly init = resolve(value(PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(l))), loop_outer(l));
    int64_t i;
    if (!init.is_const(&i) || (i != 0 && i != 1))
        return fail();
    Poly flip = Poly(1) - self, xor1 = self + Poly(1) - Poly(2) * ex.mod(self, Poly(2)),
         inc = ex.mod(self + Poly(1), Poly(2));
    if (next != flip && next != xor1 && next != inc)
        return fail();
    int64_t width = r->step > 0 ? r->step : -r->step;
    Poly d = r->step > 0 ? ex.iv(r) - r->lo : r->lo - ex.iv(r);
    return ex.mod(ex.div(d, Poly(width)) + Poly(i), Poly(2));
}

/* A PHI that moves along with another one: p' - p = c (w' - w), so that p - c w stays what it was
 * before the loop. Iterators are stepped like this in OpenMP loops (by the distance from the last
 * iteration's index). The result holds w's atom; in most uses it cancels. */
Poly Analysis::relative(gphi *phi, Loop *r)
{
    const class loop *l = r->cfg;
    tree name = gimple_phi_result(phi);
    auto latch_value = [&](gphi *p) {
        return resolve(value(PHI_ARG_DEF_FROM_EDGE(p, latch_edge(l))), l, l);
    };
    auto init = [&](gphi *p) {
        return resolve(value(PHI_ARG_DEF_FROM_EDGE(p, loop_preheader_edge(l))), loop_outer(l));
    };
    Poly dp = latch_value(phi) - ex.phi(name);
    for (gphi_iterator i = gsi_start_phis(l->header); !gsi_end_p(i); gsi_next(&i)) {
        tree w = gimple_phi_result(i.phi());
        if (w == name || virtual_operand_p(w) || !INTEGRAL_TYPE_P(TREE_TYPE(w)) || dp.bad)
            continue;
        Poly dw = latch_value(i.phi()) - ex.phi(w);
        if (dw.bad || dw.terms.empty() || find_opaque(dw) || invariant(dw, l))
            continue;
        for (const Term &t : dp.terms)
            if (t.mono == dw.terms[0].mono && t.coef % dw.terms[0].coef == 0) {
                Poly c(t.coef / dw.terms[0].coef);
                if ((dp - c * dw).zero())
                    return init(phi) + c * (ex.phi(w) - init(i.phi()));
            }
    }
    return ex.opaque(NULL_TREE, "it has no closed form", UNKNOWN_LOCATION);
}

/* A header PHI without closed form: after the last loop around it, a value computed once. */
Poly Analysis::leaf_after(gphi *phi, const class loop *at)
{
    tree name = gimple_phi_result(phi);
    std::string text = describe(name);
    const class loop *l = gimple_bb(phi)->loop_father;
    if (INTEGRAL_TYPE_P(TREE_TYPE(name)) && loop_depth(l) == 1 && !within(at, l)) {
        char key[32];
        snprintf(key, sizeof key, "ssa:%u", SSA_NAME_VERSION(name));
        SymbolInfo &info = symbols[key];
        info.name = text;
        info.loc = gimple_location(phi);
        return ex.symbol(key, info.loc, TREE_TYPE(name));
    }
    /* Why: a value on the way to the next one, or what an inner loop leaves behind. */
    Poly after = value(PHI_ARG_DEF_FROM_EDGE(phi, latch_edge(l)));
    const Atom *next = find_opaque(after);
    if (!next)
        next = find_opaque(resolve(after, l, l));
    bool known = next && next->reason.find("depends on itself") == std::string::npos;
    return ex.opaque(name,
                     "`" + text +
                         "' changes from one iteration to the next in a way that is "
                         "not described" +
                         (known ? ": " + next->reason : ""),
                     gimple_location(phi));
}

Poly Analysis::trips(Loop *l)
{
    int64_t w = l->step > 0 ? l->step : -l->step;
    Poly d = l->step > 0 ? l->hi - l->lo : l->lo - l->hi;
    int64_t c;
    if (d.is_const(&c))
        return Poly(c <= 0 ? 0 : (c + w - 1) / w);
    return ex.div(ex.max(d, Poly(0)) + Poly(w - 1), Poly(w));
}

Poly Analysis::final_value(Loop *l)
{
    return l->lo + Poly(l->step) * trips(l);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Replaces the innermost induction variables of p by the end of their range that makes p larger
 * (sign 1) or smaller (sign -1), until none is left. */
static bool extreme_value(Exprs &ex, Poly p, int sign, Poly *out)
{
    for (int rounds = 0; rounds < 4 * PLUSSI_MAX_LOOPS; rounds++) {
        if (p.bad)
            return false;
        /* min and max: one operand bounds the whole on one side. */
        const Atom *deepest = nullptr, *other = nullptr;
        for (const Term &t : p.terms)
            for (const Atom *a : t.mono) {
                if (a->kind == AtomKind::Iv) {
                    if (!deepest || loop_depth(a->loop->cfg) > loop_depth(deepest->loop->cfg))
                        deepest = a;
                } else if (!a->args.empty() && (a->kinds & kind_bit(AtomKind::Iv))) {
                    other = a;
                }
            }
        const Atom *pick = other ? other : deepest;
        if (!pick) {
            *out = p;
            return true;
        }
        Poly factor, rest;
        for (const Term &t : p.terms) {
            size_t n = std::count(t.mono.begin(), t.mono.end(), pick);
            Poly one;
            if (n == 0) {
                one.terms.push_back(t);
                rest = rest + one;
                continue;
            }
            if (n > 1)
                return false;
            Term u = t;
            u.mono.erase(std::find(u.mono.begin(), u.mono.end(), pick));
            one.terms.push_back(u);
            factor = factor + one;
        }
        /* The factor's sign: constants, and products of symbols (sizes: not negative). */
        int up = 0;
        for (const Term &t : factor.terms) {
            for (const Atom *a : t.mono)
                if (a->kind != AtomKind::Symbol)
                    return false;
            int s = t.coef > 0 ? 1 : -1;
            if (up && up != s)
                return false;
            up = s;
        }
        up *= sign; /* 1: the largest value of pick is wanted */
        Poly v;
        switch (pick->kind) {
        case AtomKind::Iv: {
            const Loop *l = pick->loop;
            int64_t w = l->step > 0 ? l->step : -l->step, c;
            bool high = (up > 0) == (l->step > 0);
            if (!high)
                v = l->lo;
            else if ((l->hi - l->lo).is_const(&c)) {
                c = l->step > 0 ? c : -c;
                if (c <= 0)
                    v = l->lo; /* never runs */
                else
                    v = l->lo + Poly((c - 1) / w * l->step);
            } else
                v = l->hi - Poly(l->step > 0 ? 1 : -1);
            break;
        }
        case AtomKind::Min:
        case AtomKind::Max:
            if ((pick->kind == AtomKind::Min) != (up > 0)) {
                /* The least of several from below: all of them must be bounded; constants only. */
                Poly best;
                for (size_t i = 0; i < pick->args.size(); i++) {
                    Poly b;
                    if (!extreme_value(ex, pick->args[i], up, &b))
                        return false;
                    best = i == 0 ? b : (up > 0 ? ex.max(best, b) : ex.min(best, b));
                }
                const Atom *m = best.is_atom();
                if (m && !m->args.empty())
                    return false;
                v = best;
            } else {
                /* Any operand is a bound: take the one that leads to the result with the fewest
                 * terms. */
                bool found = false;
                for (const Poly &arg : pick->args) {
                    Poly b, all;
                    if (!extreme_value(ex, rest + factor * arg, sign, &all))
                        continue;
                    if (!found || all.terms.size() < b.terms.size()) {
                        *out = all;
                        found = true;
                        if (all.is_const(nullptr))
                            return true;
                    }
                }
                return found;
            }
            break;
        case AtomKind::Mod: {
            int64_t m;
            if (up < 0)
                v = Poly(0);
            else if (pick->args[1].is_const(&m))
                v = Poly(m - 1);
            else
                v = pick->args[1] - Poly(1);
            break;
        }
        case AtomKind::Div: {
            Poly b;
            int64_t d;
            if (!pick->args[1].is_const(&d))
                return false;
            int64_t k = 0;
            if (factor.is_const(&k) && k % d == 0) { /* d floor(q / d) lies in q - d + 1 .. q */
                p = rest + Poly(k / d) * (up > 0 ? pick->args[0] : pick->args[0] - Poly(d - 1));
                continue;
            }
            if (!extreme_value(ex, pick->args[0], up, &b))
                return false;
            v = ex.div(b, pick->args[1]);
            break;
        }
        default:
            return false; /* loads, choices */
        }
        p = rest + factor * v;
    }
    return false;
}

bool upper_bound(Exprs &ex, const Poly &p, Poly *out)
{
    return extreme_value(ex, p, 1, out);
}
bool lower_bound(Exprs &ex, const Poly &p, Poly *out)
{
    return extreme_value(ex, p, -1, out);
}

} // namespace pluss
