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

#include "analysis/tidy.h"
#include "base/arith.h"

namespace pluss
{

static bool is_within(const class loop *inner, const class loop *outer)
{
    return inner == outer || flow_loop_nested_p(outer, inner);
}

/* Does p keep its value while l runs? */
bool Analysis::is_invariant(const Poly &p, const class loop *l)
{
    constexpr unsigned varying =
        kind_bit(AtomKind::Phi) | kind_bit(AtomKind::Iv) | kind_bit(AtomKind::Opaque);
    if (p.bad || !(p.kinds() & varying))
        return !p.bad;
    return !any_atom(p, [&](const Atom *a) {
        switch (a->kind) {
        case AtomKind::Phi:
            return is_within(gimple_bb(SSA_NAME_DEF_STMT(a->ssa))->loop_father, l);
        case AtomKind::Iv:
            return is_within(a->loop->cfg, l);
        case AtomKind::Opaque:
            return true;
        default:
            return false;
        }
    });
}

/* Finds the increment of a header PHI from one iteration to the next; false: there is none. */
bool Analysis::step_of(gphi *phi, const class loop *l, Poly *step)
{
    tree next = PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(l));
    Poly after = resolve(value(next), l, l);
    /* A narrow counter is taken not to wrap around, so that remainders modulo its type's range can
     * go. */
    unsigned bits = TYPE_PRECISION(TREE_TYPE(next));
    bool narrow = INTEGRAL_TYPE_P(TREE_TYPE(next)) && bits > 1 && bits < 32;
    if (narrow)
        after = ex.without_range(after, (int64_t)1 << bits);
    Poly d = after - ex.phi(gimple_phi_result(phi));
    if (!is_invariant(d, l))
        return false;
    /* The step is the number next to 0 among those that are equal modulo the range. */
    int64_t c;
    if (narrow && d.is_const(&c))
        d = Poly(plussi_floormod(c + ((int64_t)1 << (bits - 1)), (int64_t)1 << bits) -
                 ((int64_t)1 << (bits - 1)));
    *step = d;
    return true;
}

Loop *Analysis::get_loop(const class loop *l)
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
        unsigned hits = busy_hits;
        r->reason.clear();
        r->busy = true;
        analyse_loop(r);
        r->busy = false;
        /* What failed since its own value was asked for on the way is tried again. */
        r->analysed = r->reason.empty() || hits == busy_hits || open.empty() || is_enough();
    }
    return r;
}

/* Loops whose iterations can be counted, but not with signed 64-bit bounds: the first test ends the
 * loop, or all is constant and unsigned, and one step passes the bound or some step 2^63. */
bool Analysis::count_few_trips(Loop *r, gphi *phi, Cond::Op op, const Poly &step, const Poly &bound)
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
        if (trips > INT64_MAX) {
            r->reason = "the loop's numbers do not fit 64 bits with a sign";
            return true;
        }
        r->passes_sign = trips > 1;
        r->first = (uint64_t)lo;
        r->by = width;
        r->down = down;
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

/* The loop's place is the place of its first test. */
static void set_loop_place(const vec<edge> &exits, Loop *r)
{
    if (exits.length() > 1)
        for (edge e : exits)
            if (gcond *c = safe_dyn_cast<gcond *>(plussi_last_stmt(e->src)))
                if (gimple_location(c) != UNKNOWN_LOCATION &&
                    (e == exits[0] ||
                     expand_location(gimple_location(c)).line < expand_location(r->loc).line))
                    r->loc = gimple_location(c);
}

/* The single test that ends the loop and that every iteration executes; NULL: r->reason says why
 * there is none. */
static gcond *exit_test(Loop *r)
{
    const class loop *l = r->cfg;
    auto fail = [&](const char *why) {
        r->reason = why;
        return nullptr;
    };
    if (l->header->flags & BB_IRREDUCIBLE_LOOP)
        return fail("control jumps into the middle of the loop");
    auto_vec<edge> exits = get_loop_exit_edges(l);
    if (exits.is_empty())
        return fail("the loop has no end");
    set_loop_place(exits, r);
    if (exits.length() > 1)
        return fail("the loop has more than one exit");
    r->test = exits[0]->src;
    r->leave = exits[0];
    if (!dominated_by_p(CDI_DOMINATORS, l->latch, r->test) || r->test->loop_father != l)
        return fail("the exit of the loop depends on several conditions");
    gcond *cond = safe_dyn_cast<gcond *>(plussi_last_stmt(r->test));
    if (!cond)
        return fail("the exit of the loop is not a comparison");
    if (gimple_location(cond) != UNKNOWN_LOCATION)
        r->loc = gimple_location(cond);
    return cond;
}

/* The comparison that holds while the loop goes on; NULL: r->reason says why there is none. */
const Cond *Analysis::stay_condition(gcond *cond, Loop *r)
{
    const Cond *stay = read_comparison(gimple_cond_code(cond), gimple_cond_lhs(cond),
                                       gimple_cond_rhs(cond), cond, true);
    if (r->leave->flags & EDGE_TRUE_VALUE)
        stay = ex.negate(stay);
    switch (stay->op) {
    case Cond::True:
    case Cond::False:
        r->reason = "the exit of the loop does not depend on an induction variable";
        return nullptr;
    case Cond::And:
        r->reason = "the loop has more than one exit";
        return nullptr;
    case Cond::Or:
        r->reason = "the exit of the loop depends on several conditions";
        return nullptr;
    case Cond::Unknown:
        r->reason = stay->reason;
        return nullptr;
    default:
        return stay;
    }
}

/* The loop's own header PHIs that occur in p. */
static std::vector<const Atom *> header_phis(const Poly &p, const class loop *l)
{
    std::vector<const Atom *> found;
    for (const Term &t : p.terms)
        for (const Atom *a : t.mono)
            if (a->kind == AtomKind::Phi &&
                gimple_bb(SSA_NAME_DEF_STMT(a->ssa))->loop_father == l &&
                std::find(found.begin(), found.end(), a) == found.end())
                found.push_back(a);
    return found;
}

/* Splits p = factor * v + rest, v not in rest; false: v occurs in another way. */
static bool split_linear(const Poly &p, const Atom *v, int64_t *factor, Poly *rest)
{
    *factor = 0;
    *rest = Poly();
    for (const Term &t : p.terms) {
        size_t n = std::count(t.mono.begin(), t.mono.end(), v);
        if (n == 0) {
            *rest = *rest + Poly(t);
        } else if (n == 1 && t.mono.size() == 1) {
            *factor = t.coef;
        } else {
            return false;
        }
    }
    return true;
}

static Cond::Op mirror(Cond::Op op)
{
    return op == Cond::Lt   ? Cond::Gt
           : op == Cond::Le ? Cond::Ge
           : op == Cond::Gt ? Cond::Lt
           : op == Cond::Ge ? Cond::Le
                            : op;
}

/* For a loop that goes on while factor * v op bound, factor > 0: the first value of v in its
 * direction that ends it. False: v moves away from its bound. */
static bool exit_bound(Exprs &ex, Cond::Op op, bool up, int64_t factor, const Poly &bound,
                       Poly *out)
{
    Poly by(factor);
    if (up && op == Cond::Lt)
        *out = ex.div(bound + Poly(factor - 1), by);
    else if (up && op == Cond::Le)
        *out = ex.div(bound, by) + Poly(1);
    else if (!up && op == Cond::Gt)
        *out = ex.div(bound, by);
    else if (!up && op == Cond::Ge)
        *out = ex.div(bound + Poly(factor - 1), by) - Poly(1);
    else
        return op == Cond::Ne && bound.divide(by, out);
    return true;
}

/* Checks the bounds of a counter of 32 or 64 bits that may wrap around; sets r->reason if they do
 * not fit. */
void Analysis::check_bounds(tree type, Loop *r)
{
    /* If one end wraps around, so may the other. */
    constexpr int64_t range = (int64_t)1 << 32;
    bool lo_wraps = ex.without_range(r->lo, range) != r->lo;
    Poly *end = lo_wraps ? &r->hi : &r->lo;
    if (lo_wraps != (ex.without_range(r->hi, range) != r->hi) && !not_negative(*end) &&
        TYPE_PRECISION(type) == 32)
        *end = ex.mod(*end, Poly(range));
    /* A constant from 2^63 on, and what is none. */
    int64_t c;
    if (TYPE_UNSIGNED(type) && TYPE_PRECISION(type) == 64 &&
        r->lo.is_const(nullptr) != r->hi.is_const(nullptr) &&
        ((r->lo.is_const(&c) && c < 0) || (r->hi.is_const(&c) && c < -1)))
        r->reason = "the loop's numbers do not fit 64 bits with a sign";
    for (const Poly *p : {&r->lo, &r->hi}) {
        const Atom *o = find_opaque(*p);
        if (o || p->bad)
            r->reason = o ? o->reason : "the loop's bounds do not fit 64 bits";
    }
}

/* For a pointer that advances, or a step that is no constant: the loop counts iterations. */
void Analysis::count_iterations(const Poly &step, bool up, Loop *r)
{
    Poly width = up ? step : -step;
    Poly n = pointer_difference(up ? r->hi - r->lo : r->lo - r->hi);
    if (n.kinds() & kind_bit(AtomKind::Base)) {
        r->reason = "the end of the loop is the address of another array";
        return;
    }
    r->counted = true;
    r->lo = Poly();
    r->hi = ex.div(n + width - Poly(1), width);
    r->step = 1;
    r->name = (r->name.empty() ? "iv" : r->name) + "_count";
}

/* Is the next value loaded, within some statements, from where a PHI leads to: p = p->next, k =
 * next[k]? */
static bool is_found_by(tree next, gphi *phi)
{
    constexpr size_t MOST = 32; /* names on the way */
    std::vector<std::pair<tree, bool>> work{{next, false}};
    std::set<tree> seen;
    while (!work.empty()) {
        auto [name, loaded] = work.back();
        work.pop_back();
        if (name == gimple_phi_result(phi)) {
            if (loaded)
                return true;
            continue;
        }
        gimple *def = SSA_NAME_DEF_STMT(name);
        if (seen.size() > MOST || !seen.insert(name).second || !is_gimple_assign(def))
            continue;
        loaded = loaded || gimple_assign_load_p(def);
        ssa_op_iter i;
        tree use;
        FOR_EACH_SSA_TREE_OPERAND(use, def, i, SSA_OP_USE)
        work.push_back({use, loaded});
    }
    return false;
}

/* Tries a header PHI v as the control variable of a loop that goes on while diff op 0. Returns ""
 * if it is (the loop is described or r->reason says why not), else why it is not. */
std::string Analysis::control_by(const Atom *v, const Poly &diff, Cond::Op op, gcond *cond, Loop *r)
{
    const class loop *l = r->cfg, *outer = loop_outer(l);
    gphi *phi = as_a<gphi *>(SSA_NAME_DEF_STMT(v->ssa));
    std::string text = describe(v->ssa);
    int64_t factor, s;
    Poly step, rest, hi;
    bool linear = split_linear(diff, v, &factor, &rest), stepped = step_of(phi, l, &step);
    step = resolve(step, outer);
    bool up = stepped && !step.zero() && is_size(step), down = !up && is_size(-step);
    if (!stepped || step.zero() || (!up && !down)) {
        tree next = PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(l));
        const Atom *o = find_opaque(value(next));
        bool known = o && o->reason.find("itself") == std::string::npos &&
                     o->reason.find("that it controls") == std::string::npos;
        if (TREE_CODE(next) == SSA_NAME && is_found_by(next, phi))
            return "`" + text + "' is loaded from where it led to before, as in a list";
        return "`" + text + "' does not change by a constant from one iteration to the next" +
               (known ? ": " + o->reason : "");
    }
    if (!linear || !is_invariant(rest, l)) {
        const Atom *o = find_opaque(rest);
        return o ? o->reason : "the bound of `" + text + "' changes inside the loop";
    }
    if (factor < 0) {
        factor = -factor;
        rest = -rest;
        op = mirror(op);
    }
    if (factor == 1 && count_few_trips(r, phi, op, step, -rest))
        return "";
    if (!exit_bound(ex, op, up, factor, -rest, &hi))
        return "`" + text + "' moves away from its bound";
    tree init = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(l));
    gimple *before = plussi_last_stmt(loop_preheader_edge(l)->src);
    gimple *at = before ? before : cond;
    Wrapped as = down ? Wrapped::Place : Wrapped::Edge;
    r->lo = resolve(unwrap(value(init), TREE_TYPE(init), at, as), outer);
    r->hi = resolve(hi, outer);
    r->control = v->ssa;
    r->control_var = SSA_NAME_VAR(v->ssa);
    check_bounds(TREE_TYPE(init), r);
    if (!r->reason.empty())
        return "";
    r->name = name_of(v->ssa);
    if (!step.is_const(&s) || POINTER_TYPE_P(TREE_TYPE(v->ssa)) ||
        (r->lo.kinds() & kind_bit(AtomKind::Base)))
        count_iterations(step, up, r);
    else
        r->step = s;
    if (r->reason.empty()) {
        named_control(r);
        find_swaps(r);
    }
    return "";
}

void Analysis::analyse_loop(Loop *r)
{
    const class loop *l = r->cfg;
    gcond *cond = exit_test(r);
    const Cond *stay = cond ? stay_condition(cond, r) : nullptr;
    if (!stay)
        return;
    /* The control variable: a PHI that occurs in the test once, as a * v + (what does not change).
     */
    Poly diff = resolve(stay->l - stay->r, l, l);
    const Atom *o = find_opaque(diff);
    std::string why =
        o ? o->reason : "the exit of the loop does not depend on an induction variable";
    for (const Atom *v : header_phis(diff, l)) {
        why = control_by(v, diff, stay->op, cond, r);
        if (why.empty())
            return;
    }
    r->reason = why;
}

/* gfortran counts the iterations of DO loops down in a variable of its own (countm1). The loop is
 * described by the program's variable if there is one. */
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
        Poly n = trip_count(r);
        r->lo = first;
        r->hi = first + Poly(s) * n;
        r->step = s;
        r->control = w;
        r->control_var = SSA_NAME_VAR(w);
        r->name = name_of(w);
        return;
    }
}

/* Finds header PHIs of pointers that exchange their values: a permutation of the names. */
void Analysis::find_swaps(Loop *r)
{
    const class loop *l = r->cfg;
    std::map<tree, tree> next;
    std::vector<tree> names; /* in the order of the PHIs */
    for (gphi_iterator i = gsi_start_phis(l->header); !gsi_end_p(i); gsi_next(&i)) {
        tree name = gimple_phi_result(i.phi());
        if (virtual_operand_p(name) || !POINTER_TYPE_P(TREE_TYPE(name)))
            continue;
        const Atom *a = value(PHI_ARG_DEF_FROM_EDGE(i.phi(), loop_latch_edge(l))).is_atom();
        if (a && a->kind == AtomKind::Phi && a->ssa != name &&
            gimple_bb(SSA_NAME_DEF_STMT(a->ssa)) == l->header) {
            next[name] = a->ssa;
            names.push_back(name);
        }
    }
    std::set<tree> done;
    for (tree start : names) {
        if (done.count(start))
            continue;
        std::vector<tree> cycle;
        tree x = start;
        while (next.count(x) && std::find(cycle.begin(), cycle.end(), x) == cycle.end()) {
            cycle.push_back(x);
            x = next[x];
        }
        if (x != start)
            continue; /* not a permutation */
        for (tree y : cycle)
            done.insert(y);
        /* y points to next(y)'s memory next: exchanges of y and next(y) along the cycle do it. */
        for (size_t k = 0; k + 1 < cycle.size(); k++)
            r->swaps.push_back({cycle[k], cycle[k + 1]});
    }
}

/* How many iterations of r there were before this one, or (not inside) in all. */
Poly Analysis::iterations_before(Loop *r, bool inside)
{
    if (!inside)
        return trip_count(r);
    Poly d = r->step > 0 ? ex.iv(r) - r->lo : r->lo - ex.iv(r);
    return ex.div(d, Poly(r->step > 0 ? r->step : -r->step));
}

/* The value of a header PHI that begins at `first' and grows by `step' in each iteration. */
Poly Analysis::value_after_steps(Loop *r, tree name, const Poly &first, const Poly &step,
                                 bool inside)
{
    int64_t c;
    if (!inside)
        return first + step * trip_count(r);
    if (r->counted && trip_count(r).is_const(&c) && c <= 1)
        return first; /* no step is taken */
    if (name == r->control && !r->counted)
        return ex.iv(r);
    Poly d = r->step > 0 ? ex.iv(r) - r->lo : r->lo - ex.iv(r);
    int64_t width = r->step > 0 ? r->step : -r->step;
    return step.is_const(&c) && c % width == 0 ? first + Poly(c / width) * d
                                               : first + step * ex.div(d, Poly(width));
}

/* The value of one of several pointers that change places in a circle: by how many iterations there
 * were it is the one that was so many places further on before the loop. */
Poly Analysis::exchanged_pointer(tree name, Loop *r, bool inside)
{
    std::vector<tree> circle;
    for (auto &s : r->swaps) {
        if (circle.empty() || circle.back() != s.first) {
            if (std::find(circle.begin(), circle.end(), name) != circle.end())
                break;
            circle = {s.first};
        }
        circle.push_back(s.second);
    }
    if (!r->reason.empty())
        return ex.opaque(NULL_TREE, r->reason, r->loc);
    size_t n = circle.size();
    size_t at = std::find(circle.begin(), circle.end(), name) - circle.begin();
    Poly k = ex.mod(iterations_before(r, inside), Poly((int64_t)n)), p;
    for (size_t d = n; d-- > 0;) {
        gphi *phi = as_a<gphi *>(SSA_NAME_DEF_STMT(circle[(at + d) % n]));
        Poly first = resolve(value(PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(r->cfg))),
                             loop_outer(r->cfg));
        p = d + 1 == n ? first : ex.select(ex.relation(Cond::Eq, k, Poly((int64_t)d)), first, p);
    }
    return p;
}

static bool is_start_of_array(const Poly &p)
{
    const Atom *a = p.is_atom();
    return a && a->kind == AtomKind::Base;
}

/* Pointers into arrays that change places along with the arrays' starts (the ends of vectors) are
 * as far from them as before, if all of those that the loop exchanges with this one are. */
bool Analysis::is_as_far_from_start(Loop *r, const Poly &p, tree name)
{
    auto first_value = [&](tree phi_name) {
        gphi *phi = as_a<gphi *>(SSA_NAME_DEF_STMT(phi_name));
        tree init = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(r->cfg));
        return not_null(ex, resolve(value(init), loop_outer(r->cfg)));
    };
    auto split = [](const Poly &q, const Atom **start) {
        Poly rest;
        *start = nullptr;
        for (const Term &t : q.terms)
            if (!*start && t.coef == 1 && t.mono.size() == 1 && t.mono[0]->kind == AtomKind::Base)
                *start = t.mono[0];
            else
                rest = rest + Poly(t);
        return rest;
    };
    std::set<const Atom *> starts;
    for (auto &s : r->swaps)
        for (tree x : {s.first, s.second}) {
            Poly q = first_value(x);
            if (is_start_of_array(q))
                starts.insert(q.is_atom());
        }
    const Atom *start;
    Poly far = split(p, &start);
    if (!starts.count(start) || far.bad || (far.kinds() & kind_bit(AtomKind::Base)))
        return false;
    for (auto &s : r->swaps)
        if (s.first == name || s.second == name)
            for (tree x : {s.first, s.second})
                if (split(first_value(x), &start) != far || !starts.count(start))
                    return false;
    return true;
}

/* The symbol for how often the body of a loop runs that is not described. */
Poly Analysis::trips_symbol(const Loop *r)
{
    std::string key = "trips:" + std::to_string(r->cfg->num);
    SymbolInfo &info = symbols[key];
    info.name = "trips_" + std::to_string(expand_location(r->loc).line);
    info.loc = r->loc;
    return ex.symbol(key, info.name, r->loc);
}

/* Is it a loop of serial code that is not described, but whose iterations are counted by a symbol,
 * since each one executes a parallel construct? It then has an induction variable from 0 on. */
bool Analysis::counts_trips(Loop *r)
{
    const class loop *l = r->cfg;
    if (!r->analysed || r->reason.empty() || shadow.orphaned || serial ||
        (l->header->flags & BB_IRREDUCIBLE_LOOP))
        return false;
    if (r->trips_known)
        return r->counted;
    r->trips_known = true;
    r->counted = false;
    basic_block *body = get_loop_body(l);
    for (unsigned k = 0; k < l->num_nodes; k++)
        for (const Shadow::Marked &in : shadow.markers_in(body[k]))
            if (body[k]->loop_father == l && !in.marker.end &&
                in.marker.construct->kind == ConstructKind::Parallel &&
                dominated_by_p(CDI_DOMINATORS, l->latch, body[k]) && !inside_parallel(in.stmt))
                r->counted = true;
    free(body);
    if (r->counted) {
        r->lo = Poly();
        r->step = 1;
        r->hi = trips_symbol(r);
        /* The exit of an iteration in which it may not be reached says nothing of the others. */
        auto_vec<edge> exits = get_loop_exit_edges(l);
        if (std::all_of(exits.begin(), exits.end(), [&](edge e) {
                return e->src->loop_father == l && dominated_by_p(CDI_DOMINATORS, l->latch, e->src);
            }))
            find_swaps(r);
    }
    return r->counted;
}

/* The value of a header PHI of loop r, over the loops around r and, seen from inside of r, r's own
 * induction variable. */
Poly Analysis::header_value(gphi *phi, Loop *r, const class loop *at)
{
    const class loop *l = r->cfg, *outer = loop_outer(l);
    tree name = gimple_phi_result(phi);
    tree init = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(l));
    auto fail = [&](const std::string &why) { return ex.opaque(name, why, gimple_location(phi)); };
    bool own = name != r->control && counts_own_iterations(phi), inside = is_within(at, l);
    std::string own_reason =
        "`" + describe(name) + "' depends on which iterations its thread executes";
    const bool by_trips = counts_trips(r);
    for (auto &s : r->swaps)
        if (s.first == name || s.second == name) {
            if (inside_parallel(phi)) /* each thread has pointers of its own */
                return exchanged_pointer(name, r, inside);
            Poly p = not_null(ex, resolve(value(init), outer));
            return is_start_of_array(p) || is_as_far_from_start(r, p, name)
                       ? p
                       : fail("`" + describe(name) +
                              "' changes places with a pointer into an array");
        }
    Poly step;
    if (!step_of(phi, l, &step)) {
        Poly result = own ? fail(own_reason) : find_toggle(phi, r);
        if (find_opaque(result) && inside && !last_resort)
            result = find_relative(phi, r);
        return find_opaque(result) ? make_leaf_after(phi, at) : result;
    }
    if (step.zero())
        return resolve(value(init), outer);
    if (own && (inside || !shadow.copied_out.count(SSA_NAME_VAR(name))))
        return fail(own_reason);
    if (!r->reason.empty()) {
        Poly after;
        if (inside && by_trips)
            return value_after_steps(r, name, resolve(value(init), outer), resolve(step, outer),
                                     true);
        return leaf_after(phi, at, &after) ? after : fail(r->reason);
    }
    if (name == r->control && r->passes_sign)
        return fail("the loop's numbers do not fit 64 bits with a sign");
    Poly taken = resolve(step, outer);
    return value_after_steps(r, name, resolve(value(init), outer), taken, inside);
}

/* A header PHI's value, seen from loop `at`. */
Poly Analysis::closed_form(tree name, const class loop *at, const class loop *keep)
{
    auto known = closed_memo.find(std::make_tuple(name, at, keep));
    if (known != closed_memo.end())
        return known->second;
    gphi *phi = as_a<gphi *>(SSA_NAME_DEF_STMT(name));
    const class loop *l = gimple_bb(phi)->loop_father;
    unsigned hits = busy_hits;
    Loop *r = get_loop(l);
    if (r->busy || !open.insert(name).second) {
        busy_hits++;
        return ex.opaque(name,
                         "`" + describe(name) + "' depends on " +
                             (r->busy ? "the loop that it controls" : "itself"),
                         gimple_location(phi));
    }
    Poly result = header_value(phi, r, at);
    open.erase(name);
    /* The loops around l may have ended, too, seen from `at`. */
    if (!is_within(at, loop_outer(l)))
        result = resolve(result, at, keep);
    if ((hits == busy_hits || is_enough()) && !last_resort && !r->busy)
        closed_memo[std::make_tuple(name, at, keep)] = result;
    return result;
}

/* Does a worksharing loop change a private variable, so that its value counts the thread's own
 * iterations? */
bool Analysis::counts_own_iterations(gphi *phi)
{
    tree var = SSA_NAME_VAR(gimple_phi_result(phi));
    return var && (shadow.private_vars.count(var) || !region_of(phi)) &&
           !shadow.linear.count(var) && shadow.is_shared_loop(gimple_bb(phi)->loop_father);
}

/* A PHI that alternates between 0 and 1: x = 1 - x, x ^= 1. */
Poly Analysis::find_toggle(gphi *phi, Loop *r)
{
    const class loop *l = r->cfg;
    tree name = gimple_phi_result(phi);
    auto fail = [&]() { return ex.opaque(NULL_TREE, "it has no closed form", UNKNOWN_LOCATION); };
    if (!r->reason.empty() || !is_number(TREE_TYPE(name)) || POINTER_TYPE_P(TREE_TYPE(name)))
        return fail();
    Poly self = ex.phi(name);
    Poly next = resolve(value(PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(l))), l, l);
    Poly init = resolve(value(PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(l))), loop_outer(l));
    int64_t i;
    if (!init.is_const(&i) || (i != 0 && i != 1))
        return fail();
    Poly flip = Poly(1) - self, xor1 = self + Poly(1) - Poly(2) * ex.mod(self, Poly(2)),
         inc = ex.mod(self + Poly(1), Poly(2));
    if (next != flip && next != xor1 && next != inc)
        return fail();
    return ex.mod(iterations_before(r, true) + Poly(i), Poly(2));
}

/* A PHI that moves along with another one: p' - p = c (w' - w), so that p - c w keeps the value
 * that it had before the loop. Iterators in OpenMP loops are stepped like this (by the distance
 * from the last iteration's index). The result holds w's atom; in most uses it cancels. */
Poly Analysis::find_relative(gphi *phi, Loop *r)
{
    const class loop *l = r->cfg;
    tree name = gimple_phi_result(phi);
    auto latch_value = [&](gphi *p) {
        return resolve(value(PHI_ARG_DEF_FROM_EDGE(p, loop_latch_edge(l))), l, l);
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
        if (dw.bad || dw.terms.empty() || find_opaque(dw) || is_invariant(dw, l))
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

/* A header PHI without closed form: after the outermost loop around it, it is a value computed
 * once. False: it is not. */
bool Analysis::leaf_after(gphi *phi, const class loop *at, Poly *out)
{
    tree name = gimple_phi_result(phi);
    const class loop *l = gimple_bb(phi)->loop_father;
    bool inside = inside_parallel(phi), shared = shadow.is_shared_loop(l);
    if (loop_depth(l) != 1 || is_within(at, l))
        return false;
    if (POINTER_TYPE_P(TREE_TYPE(name)) && !inside) {
        Object *o = pointer_object(ssa_key(name), ObjectKind::Pointer, describe(name),
                                   TREE_TYPE(TREE_TYPE(name)), gimple_location(phi));
        o->decl = SSA_NAME_VAR(name);
        o->origin.def = phi;
        tree init = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(l));
        any_atom(resolve(value(init), loop_outer(l)), [&](const Atom *a) {
            if (a->kind == AtomKind::Base)
                aliases.insert({std::min(o, a->object), std::max(o, a->object)});
            return false;
        });
        *out = ex.base(o);
        return true;
    }
    bool last = shared && (!counts_own_iterations(phi) ||
                           shadow.copied_out.count(SSA_NAME_VAR(name))); /* lastprivate */
    if (!INTEGRAL_TYPE_P(TREE_TYPE(name)) || (!last && !same_for_all_threads(name)))
        return false;
    std::string key = ssa_key(name);
    SymbolInfo &info = symbols[key];
    info.name = describe(name);
    info.loc = gimple_location(phi);
    if (!inside)
        info.origin.def = phi;
    *out = ex.symbol(key, info.name, info.loc, TREE_TYPE(name));
    return true;
}

Poly Analysis::make_leaf_after(gphi *phi, const class loop *at)
{
    tree name = gimple_phi_result(phi);
    std::string text = describe(name);
    const class loop *l = gimple_bb(phi)->loop_father;
    Poly known;
    if (leaf_after(phi, at, &known))
        return known;
    /* The cause: a value that the next one is computed from, or the result of an inner loop. */
    Poly after = value(PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(l)));
    const Atom *next = find_opaque(after);
    if (!next)
        next = find_opaque(resolve(after, l, l));
    bool why = next && next->reason.find("depends on itself") == std::string::npos;
    return ex.opaque(name,
                     "`" + text +
                         "' changes from one iteration to the next in a way that is "
                         "not described" +
                         (why ? ": " + next->reason : ""),
                     gimple_location(phi));
}

Poly Analysis::trip_count(Loop *l)
{
    int64_t w = l->step > 0 ? l->step : -l->step;
    Poly d = l->step > 0 ? l->hi - l->lo : l->lo - l->hi;
    int64_t c;
    if (d.is_const(&c))
        return Poly(c <= 0 ? 0 : (c + w - 1) / w);
    return ex.div(ex.max(d, Poly(0)) + Poly(w - 1), Poly(w));
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool extreme_value(Exprs &ex, Poly p, int sign, Poly *out);

/* The atom of p to replace next: the innermost induction variable, or before that an operation on
 * induction variables; NULL: none. */
static const Atom *next_varying(const Poly &p)
{
    const Atom *deepest = nullptr, *over = nullptr;
    for (const Term &t : p.terms)
        for (const Atom *a : t.mono) {
            if (a->kind == AtomKind::Iv) {
                if (!deepest || loop_depth(a->loop->cfg) > loop_depth(deepest->loop->cfg))
                    deepest = a;
            } else if (!a->args.empty() && (a->kinds & kind_bit(AtomKind::Iv))) {
                over = a;
            }
        }
    return over ? over : deepest;
}

/* Splits p = factor * a + rest, a in neither; false: p has another form. */
static bool split_factor(const Poly &p, const Atom *a, Poly *factor, Poly *rest)
{
    for (const Term &t : p.terms) {
        size_t n = std::count(t.mono.begin(), t.mono.end(), a);
        if (n == 0) {
            *rest = *rest + Poly(t);
            continue;
        }
        if (n > 1)
            return false;
        Term without = t;
        without.mono.erase(std::find(without.mono.begin(), without.mono.end(), a));
        *factor = *factor + Poly(without);
    }
    return true;
}

/* The sign of a sum of constants and products of symbols (sizes: not negative); 0: not known. */
static int sign_of(const Poly &factor)
{
    int sign = 0;
    for (const Term &t : factor.terms) {
        int s = t.coef > 0 ? 1 : -1;
        if (sign && sign != s)
            return 0;
        sign = s;
        for (const Atom *a : t.mono)
            if (a->kind != AtomKind::Symbol)
                return 0;
    }
    return sign;
}

/* The greatest value of an induction variable (up > 0), or its least. */
static Poly extreme_iv(const Loop *l, int up)
{
    int64_t c, width = l->step > 0 ? l->step : -l->step;
    if ((up > 0) != (l->step > 0))
        return l->lo;
    if (!(l->hi - l->lo).is_const(&c))
        return l->hi - Poly(l->step > 0 ? 1 : -1);
    c = l->step > 0 ? c : -c;
    return c <= 0 ? l->lo /* never runs */ : l->lo + Poly((c - 1) / width * l->step);
}

/* The maximum's upper bound, or the minimum's lower bound: all operands must be bounded, by
 * constants only. */
static bool extreme_of_all(Exprs &ex, const Atom *several, int up, Poly *out)
{
    for (size_t i = 0; i < several->args.size(); i++) {
        Poly b;
        if (!extreme_value(ex, several->args[i], up, &b))
            return false;
        *out = i == 0 ? b : up > 0 ? ex.max(*out, b) : ex.min(*out, b);
    }
    const Atom *m = out->is_atom();
    return !m || m->args.empty();
}

/* The minimum's upper bound, or the maximum's lower bound: any operand gives one; takes the one
 * with the fewest terms. */
static bool extreme_of_any(Exprs &ex, const Atom *several, const Poly &factor, const Poly &rest,
                           int sign, Poly *out)
{
    bool found = false;
    for (const Poly &arg : several->args) {
        Poly all;
        if (!extreme_value(ex, rest + factor * arg, sign, &all) ||
            (found && all.terms.size() >= out->terms.size()))
            continue;
        *out = all;
        found = true;
        if (all.is_const(nullptr))
            break;
    }
    return found;
}

/* The bound of q mod m. */
static Poly extreme_remainder(const Atom *a, int up)
{
    return up < 0 ? Poly(0) : a->args[1] - Poly(1);
}

/* Replaces the innermost induction variables of p by the end of their range that makes p larger
 * (sign 1) or smaller (sign -1), until none is left. */
static bool extreme_value(Exprs &ex, Poly p, int sign, Poly *out)
{
    for (int rounds = 0; rounds < 4 * PLUSSI_MAX_LOOPS && !p.bad; rounds++) {
        const Atom *pick = next_varying(p);
        if (!pick) {
            *out = p;
            return true;
        }
        Poly factor, rest, v;
        int64_t d, k;
        if (!split_factor(p, pick, &factor, &rest))
            return false;
        int up = sign * sign_of(factor); /* 1: the largest value of pick makes p extreme */
        if (up == 0)
            return false;
        switch (pick->kind) {
        case AtomKind::Iv:
            v = extreme_iv(pick->loop, up);
            break;
        case AtomKind::Min:
        case AtomKind::Max:
            if ((pick->kind == AtomKind::Min) == (up > 0))
                return extreme_of_any(ex, pick, factor, rest, sign, out);
            if (!extreme_of_all(ex, pick, up, &v))
                return false;
            break;
        case AtomKind::Mod:
            v = extreme_remainder(pick, up);
            break;
        case AtomKind::Div:
            if (!pick->args[1].is_const(&d))
                return false;
            if (factor.is_const(&k) && k % d == 0) { /* d floor(q / d) lies in q - d + 1 .. q */
                p = rest + Poly(k / d) * (up > 0 ? pick->args[0] : pick->args[0] - Poly(d - 1));
                continue;
            }
            if (!extreme_value(ex, pick->args[0], up, &v))
                return false;
            v = ex.div(v, pick->args[1]);
            break;
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
