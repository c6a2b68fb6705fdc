/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conditions of branches and loops, and the values that branches choose: a PHI outside of loop
 * headers is a choice made by the branches before it.
 */
#include "analysis/analysis.h"

#include "base/arith.h"

namespace pluss
{

/* Is it x - c in unsigned arithmetic, c a positive constant? */
static bool is_lowered(tree x)
{
    int64_t c;
    gassign *g =
        TREE_CODE(x) == SSA_NAME && INTEGRAL_TYPE_P(TREE_TYPE(x)) && TYPE_UNSIGNED(TREE_TYPE(x))
            ? dyn_cast<gassign *>(SSA_NAME_DEF_STMT(x))
            : nullptr;
    return g && gimple_assign_rhs_code(g) == PLUS_EXPR &&
           TREE_CODE(gimple_assign_rhs2(g)) == INTEGER_CST &&
           constant_value(gimple_assign_rhs2(g), true, &c) && c < 0;
}

/* Range tests that the compiler makes: x - 2u <= 3u of 2 <= x && x <= 5, 7u - x <= 3u of (9 - x) /
 * 4 == 1, and (unsigned)x <= 5u of 0 <= x && x <= 5. They hold in a range of x; outside of it the
 * difference would be negative in x's type. NULL: it is no such test. */
const Cond *Analysis::range_test(Cond::Op op, tree l, tree r)
{
    bool below = op == Cond::Lt || op == Cond::Le, above = op == Cond::Gt || op == Cond::Ge;
    tree type = TREE_TYPE(l);
    if ((!below && !above) || TREE_CODE(l) != SSA_NAME || TREE_CODE(r) != INTEGER_CST ||
        !INTEGRAL_TYPE_P(type) || !TYPE_UNSIGNED(type) || !tree_fits_shwi_p(r))
        return nullptr;
    unsigned bits = TYPE_PRECISION(type);
    int64_t lo = 0, hi = tree_to_shwi(r) - (op == Cond::Lt || op == Cond::Ge), most = INT64_MAX;
    gassign *g = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(l));
    if (g && gimple_assign_rhs_code(g) == PLUS_EXPR &&
        TREE_CODE(gimple_assign_rhs1(g)) == SSA_NAME &&
        TREE_CODE(gimple_assign_rhs2(g)) == INTEGER_CST) {
        lo = -sext_hwi(TREE_INT_CST_LOW(gimple_assign_rhs2(g)), bits);
        l = gimple_assign_rhs1(g);
        g = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(l));
    } else if (g && gimple_assign_rhs_code(g) == MINUS_EXPR &&
               TREE_CODE(gimple_assign_rhs1(g)) == INTEGER_CST &&
               TREE_CODE(gimple_assign_rhs2(g)) == SSA_NAME && hi >= 0) { /* 7u - x <= 3u */
        int64_t from = sext_hwi(TREE_INT_CST_LOW(gimple_assign_rhs1(g)), bits);
        if (plussi_sub_over(from, hi, &lo))
            return nullptr;
        l = gimple_assign_rhs2(g);
        g = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(l));
    }
    /* The number before conversions: a signed one, or one of fewer values. */
    while (g && gimple_assign_cast_p(g) && TYPE_UNSIGNED(TREE_TYPE(l)) &&
           INTEGRAL_TYPE_P(TREE_TYPE(gimple_assign_rhs1(g))) &&
           TREE_CODE(gimple_assign_rhs1(g)) == SSA_NAME &&
           TYPE_PRECISION(TREE_TYPE(gimple_assign_rhs1(g))) <= TYPE_PRECISION(TREE_TYPE(l))) {
        l = gimple_assign_rhs1(g);
        g = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(l));
    }
    bool with_sign = !TYPE_UNSIGNED(TREE_TYPE(l));
    if ((lo == 0 && !with_sign) || (lo < 0 && !with_sign) || hi < 0 || plussi_add_over(lo, hi, &hi))
        return nullptr;
    if (with_sign || bits < 64)
        most = ((int64_t)1 << (bits - (with_sign ? 2 : 1))) - 1 +
               ((int64_t)1 << (bits - (with_sign ? 2 : 1)));
    if (hi > most)
        return nullptr;
    return ex.within({value(l), lo, hi, above});
}

bool read_relation(enum tree_code code, Cond::Op *op)
{
    static const std::map<tree_code, Cond::Op> relations = {
        {LT_EXPR, Cond::Lt}, {LE_EXPR, Cond::Le}, {GT_EXPR, Cond::Gt},
        {GE_EXPR, Cond::Ge}, {EQ_EXPR, Cond::Eq}, {NE_EXPR, Cond::Ne}};
    auto it = relations.find(code);
    if (it != relations.end())
        *op = it->second;
    return it != relations.end();
}

const Cond *Analysis::read_nonzero(tree x, gimple *at)
{
    return read_comparison(NE_EXPR, x, build_zero_cst(TREE_TYPE(x)), at);
}

/* A name that is compared with 0, as the truth value that it was made of: (a & b) != 0. NULL: it is
 * none. */
const Cond *Analysis::combined_truth(tree name, gimple *at)
{
    if (TREE_CODE(name) != SSA_NAME || !INTEGRAL_TYPE_P(TREE_TYPE(name)))
        return nullptr;
    gassign *g = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(name));
    if (!g)
        return nullptr;
    tree_code code = gimple_assign_rhs_code(g);
    tree x = gimple_assign_rhs1(g), y = gimple_assign_rhs2(g);
    bool truth = TREE_CODE(TREE_TYPE(name)) == BOOLEAN_TYPE || TYPE_PRECISION(TREE_TYPE(name)) == 1;
    if (TREE_CODE_CLASS(code) == tcc_comparison)
        return read_comparison(code, x, y, at);
    if (CONVERT_EXPR_CODE_P(code) && TREE_CODE(TREE_TYPE(x)) == BOOLEAN_TYPE)
        return read_nonzero(x, at);
    if (truth && (code == BIT_AND_EXPR || code == BIT_IOR_EXPR)) {
        const Cond *cx = read_nonzero(x, at), *cy = read_nonzero(y, at);
        return code == BIT_AND_EXPR ? ex.both(cx, cy) : ex.either(cx, cy);
    }
    if (code == BIT_IOR_EXPR) /* x == 0 && y == 0 */
        return ex.either(read_nonzero(x, at), read_nonzero(y, at));
    if (code == BIT_XOR_EXPR && is_number(TREE_TYPE(x)))
        return read_comparison(NE_EXPR, x, y, at);
    if (truth && (code == BIT_NOT_EXPR || code == TRUTH_NOT_EXPR))
        return read_comparison(EQ_EXPR, x, build_zero_cst(TREE_TYPE(x)), at);
    return nullptr;
}

static bool is_header_phi(gimple *def)
{
    basic_block bb = gimple_bb(def);
    return gimple_code(def) == GIMPLE_PHI && bb && loop_depth(bb->loop_father) > 0 &&
           bb->loop_father->header == bb;
}

/* A comparison of a pointer with null. A described pointer is not null, since the run that succeeds
 * is described; but a pointer that is passed, or in C one that is loaded, may be null on purpose,
 * as an option, and so may one that a loop has looked for. NULL: it is no such comparison. */
const Cond *Analysis::null_test(Cond::Op op, const Poly &a, const Poly &b)
{
    auto leads = [](const Poly &p) { return (p.kinds() & kind_bit(AtomKind::Base)) != 0; };
    if ((op != Cond::Eq && op != Cond::Ne) || !((a.zero() && leads(b)) || (b.zero() && leads(a))))
        return nullptr;
    const Atom *p = (a.zero() ? b : a).is_atom();
    Object *o = p && p->kind == AtomKind::Base ? p->object : nullptr;
    gimple *def = o ? o->origin.def : nullptr;
    bool optional =
        o && o->kind == ObjectKind::Pointer && o->name != "this" &&
        (o->is_param || (!o->origin.loads.empty() && lang_GNU_C()) || (def && is_header_phi(def)));
    if (!optional)
        return ex.constant(op == Cond::Ne);
    std::string key = "there:" + std::to_string(p->id);
    SymbolInfo &info = symbols[key];
    info.name = lang_GNU_Fortran() ? "present(" + o->source + ")" : o->source + " != NULL";
    info.there = o;
    info.loc = o->loc;
    return ex.relation(op, ex.symbol(key, info.name, o->loc), Poly(0));
}

/* May an operand of an order relation have wrapped around? One of 32 bits is taken modulo 2^32
 * instead. */
bool Analysis::may_wrap(Poly *p, tree type, gimple *at, bool counter)
{
    if (wraps(*p, type, at))
        return true;
    if (counter || !is_open_difference(*p, type, at))
        return false;
    if (TYPE_PRECISION(type) == 32)
        *p = ex.mod(*p, Poly((int64_t)1 << 32));
    return TYPE_PRECISION(type) > 32;
}

/* x < 0 || y < 0, which GCC makes (x | y) < 0, and the like. NULL: it is no such test. */
const Cond *Analysis::joined_signs(Cond::Op op, tree l, tree r, gimple *at)
{
    if ((op != Cond::Lt && op != Cond::Ge) || !integer_zerop(r) || TREE_CODE(l) != SSA_NAME ||
        TYPE_UNSIGNED(TREE_TYPE(l)))
        return nullptr;
    gassign *g = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(l));
    tree_code code = g ? gimple_assign_rhs_code(g) : ERROR_MARK;
    if (code != BIT_IOR_EXPR && code != BIT_AND_EXPR)
        return nullptr;
    tree_code sign = op == Cond::Lt ? LT_EXPR : GE_EXPR;
    const Cond *x = read_comparison(sign, gimple_assign_rhs1(g), r, at);
    const Cond *y = read_comparison(sign, gimple_assign_rhs2(g), r, at);
    return (op == Cond::Lt) == (code == BIT_IOR_EXPR) ? ex.either(x, y) : ex.both(x, y);
}

/* l op r for <, <=, > and >=, where an operand may have wrapped around. */
const Cond *Analysis::order(Cond::Op op, tree l, tree r, gimple *at, bool counter)
{
    bool below = op == Cond::Lt || op == Cond::Le;
    if (const Cond *c = joined_signs(op, l, r, at))
        return c;
    Poly a = value(l), b = value(r);
    int64_t k;
    bool a_wraps = may_wrap(&a, TREE_TYPE(l), at, counter);
    bool b_wraps = may_wrap(&b, TREE_TYPE(r), at, counter);
    if (!counter && b.is_const(&k) && k < 0 && TYPE_UNSIGNED(TREE_TYPE(r)))
        b_wraps = true;
    if (!counter && a_wraps != b_wraps) {
        /* One that wraps around is larger than one that does not. */
        const Cond *wrapped = ex.relation(Cond::Lt, a_wraps ? a : b, Poly(0));
        const Cond *order = ex.relation(op, a, b);
        return below == a_wraps ? ex.both(ex.negate(wrapped), order) : ex.either(wrapped, order);
    }
    if (a_wraps || counter) {
        auto as = [&](bool end_of_down) {
            return !counter ? Wrapped::Size : end_of_down ? Wrapped::Edge : Wrapped::Place;
        };
        a = unwrap(a, TREE_TYPE(l), at, as(below));
        b = unwrap(b, TREE_TYPE(r), at, as(!below));
        for (const Poly *p : {&a, &b})
            if (find_opaque(*p))
                return ex.unknown(find_opaque(*p)->reason);
    }
    const Cond *c = ex.relation(op, a, b);
    /* A range in a loop's exit is two conditions, and so is one whose bounds are out of range. */
    if (b.is_const(&k) && k >= 0 && is_lowered(l))
        return below ? ex.both(ex.relation(Cond::Ge, a, Poly(0)), c)
                     : ex.either(ex.relation(Cond::Lt, a, Poly(0)), c);
    return c;
}

/* Is the counter of a loop that passes 2^63 a constant? It is so in one iteration, or in none.
 * NULL: it is no such counter. */
const Cond *Analysis::which_iteration(Cond::Op op, tree l, tree r, gimple *at)
{
    gphi *phi = TREE_CODE(l) == SSA_NAME ? dyn_cast<gphi *>(SSA_NAME_DEF_STMT(l)) : nullptr;
    if (!phi || TREE_CODE(r) != INTEGER_CST || !at || !gimple_bb(at) ||
        gimple_bb(phi)->loop_father->header != gimple_bb(phi) ||
        !flow_bb_inside_loop_p(gimple_bb(phi)->loop_father, gimple_bb(at)))
        return nullptr;
    Loop *loop = get_loop(gimple_bb(phi)->loop_father);
    int64_t trips = 0;
    if (loop->busy || !loop->passes_sign || loop->control != l || !loop->hi.is_const(&trips))
        return nullptr;
    const uint64_t value = TREE_INT_CST_LOW(r);
    const uint64_t apart = loop->down ? loop->first - value : value - loop->first;
    if (apart % loop->by != 0 || apart / loop->by >= (uint64_t)trips)
        return ex.constant(op == Cond::Ne);
    return ex.relation(op, ex.iv(loop), Poly((int64_t)(apart / loop->by)));
}

const Cond *Analysis::read_comparison(enum tree_code code, tree l, tree r, gimple *at, bool counter)
{
    if (!is_number(TREE_TYPE(l)) || !is_number(TREE_TYPE(r))) {
        const Cond *c = compare_whole_numbers(code, l, r, at);
        return c ? c : ex.unknown("a condition on values that are not integers");
    }
    Cond::Op op;
    if (!read_relation(code, &op))
        return ex.unknown("a condition that is not a comparison");
    bool equality = op == Cond::Eq || op == Cond::Ne;
    if (equality)
        if (const Cond *c = compare_fields(op, l, r))
            return c;
    if (equality && integer_zerop(r))
        if (const Cond *c = combined_truth(l, at))
            return op == Cond::Ne ? c : ex.negate(c);
    if (!counter)
        if (const Cond *c = range_test(op, l, r))
            return c;
    if (!equality)
        return order(op, l, r, at, counter);
    if (const Cond *c = which_iteration(op, l, r, at))
        return c;
    Poly a = value(l), b = value(r);
    if (POINTER_TYPE_P(TREE_TYPE(l)) && POINTER_TYPE_P(TREE_TYPE(r))) {
        bool left = !counter && at && gimple_bb(at) && integer_zerop(r) &&
                    (a.kinds() & kind_bit(AtomKind::Phi));
        if (const Cond *c = null_test(op, left ? resolve(a, gimple_bb(at)->loop_father) : a, b))
            return c;
    }
    if (counter) {
        a = unwrap(a, TREE_TYPE(l), at, Wrapped::Place);
        b = unwrap(b, TREE_TYPE(r), at, Wrapped::Place);
        for (const Poly *p : {&a, &b})
            if (find_opaque(*p))
                return ex.unknown(find_opaque(*p)->reason);
    }
    return ex.relation(op, a, b);
}

/* Is p >= 0 by the branches that lead to a statement? */
bool Analysis::is_guarded(const Poly &p, gimple *at)
{
    basic_block bb = gimple_bb(at);
    if (in_guard || !bb)
        return false;
    in_guard = true;
    bool found = false;
    std::function<bool(const Cond *)> says = [&](const Cond *c) {
        int64_t d = 0;
        Poly low;
        switch (c->op) {
        case Cond::And:
            return says(c->a) || says(c->b);
        case Cond::Lt:
        case Cond::Le:
            return (p - (c->r - c->l)).is_const(&d) && d >= -(c->op == Cond::Lt);
        case Cond::Gt:
        case Cond::Ge:
            return (p - (c->l - c->r)).is_const(&d) && d >= -(c->op == Cond::Gt);
        case Cond::Ne: /* p != -1, p >= -1 */
            return (p - (c->l - c->r)).is_const(&d) && d == -1 &&
                   lower_bound(ex, resolve(p, bb->loop_father), &low) && is_size(low + Poly(1));
        default:
            return false;
        }
    };
    basic_block up = get_immediate_dominator(CDI_DOMINATORS, bb);
    for (int hops = 0; up && !found && hops < 16; hops++) {
        gcond *c = safe_dyn_cast<gcond *>(plussi_last_stmt(up));
        edge t = NULL, f = NULL;
        if (c && EDGE_COUNT(up->succs) == 2)
            extract_true_false_edges_from_block(up, &t, &f);
        for (edge e : {t, f})
            if (e && single_pred_p(e->dest) && dominated_by_p(CDI_DOMINATORS, bb, e->dest)) {
                const Cond *holds =
                    read_comparison(gimple_cond_code(c), gimple_cond_lhs(c), gimple_cond_rhs(c), c);
                found |= says(e == t ? holds : ex.negate(holds));
            }
        up = get_immediate_dominator(CDI_DOMINATORS, up);
    }
    in_guard = false;
    return found;
}

static const char between_arrays[] = "a comparison of the places of two arrays";

const Cond *Analysis::read_condition(basic_block bb)
{
    gcond *c = safe_dyn_cast<gcond *>(plussi_last_stmt(bb));
    if (!c)
        return ex.unknown("a branch of more than two ways");
    const Cond *r = read_comparison(gimple_cond_code(c), gimple_cond_lhs(c), gimple_cond_rhs(c), c);
    if (r->kinds() & kind_bit(AtomKind::Base))
        r = ex.unknown(between_arrays);
    if (!find_unknown(r, true).empty() && decided_once(c, gimple_location(c)))
        return decide(c, gimple_location(c),
                      [this](gimple *test, location_t loc, const std::string &) {
                          return decided_once(test, loc);
                      });
    return r;
}

/* The condition of a branch, or of a comparison that is a value, with others for those parts of it
 * that cannot be described: GCC makes one branch of two tests when it optimises, and at -O0 two
 * that stand where the source joins them. */
const Cond *Analysis::decide(gimple *test, location_t loc, const StandIn &stand_in)
{
    auto joined = [](tree x) -> gassign * {
        gassign *g = TREE_CODE(x) == SSA_NAME && TREE_CODE(TREE_TYPE(x)) == BOOLEAN_TYPE
                         ? dyn_cast<gassign *>(SSA_NAME_DEF_STMT(x))
                         : nullptr;
        const tree_code code = g ? gimple_assign_rhs_code(g) : ERROR_MARK;
        return code == BIT_AND_EXPR || code == BIT_IOR_EXPR ||
                       TREE_CODE_CLASS(code) == tcc_comparison
                   ? g
                   : nullptr;
    };
    gcond *branch = dyn_cast<gcond *>(test);
    const tree_code code = branch ? gimple_cond_code(branch) : gimple_assign_rhs_code(test);
    tree l = branch ? gimple_cond_lhs(branch) : gimple_assign_rhs1(test),
         r = branch ? gimple_cond_rhs(branch) : gimple_assign_rhs2(test);
    if (code == BIT_AND_EXPR || code == BIT_IOR_EXPR) {
        gassign *x = joined(l), *y = joined(r);
        if (!x || !y)
            return stand_in(test, loc, "a truth value that is not described");
        loc = gimple_location(test);
        const Cond *a = decide(x, loc, stand_in), *b = decide(y, loc, stand_in);
        return code == BIT_AND_EXPR ? ex.both(a, b) : ex.either(a, b);
    }
    gassign *of = (code == NE_EXPR || code == EQ_EXPR) && integer_zerop(r) ? joined(l) : nullptr;
    if (of) {
        const Cond *c = decide(of, loc, stand_in);
        return code == NE_EXPR ? c : ex.negate(c);
    }
    const Cond *c = resolve(read_comparison(code, l, r, test), gimple_bb(test)->loop_father);
    const std::string why =
        (c->kinds() & kind_bit(AtomKind::Base)) ? between_arrays : find_unknown(c, true);
    return why.empty() ? c : stand_in(test, loc, why);
}

/* A condition that is decided once: a symbol of value 0 or 1 can replace it. NULL: it may be
 * decided more often. */
const Cond *Analysis::decided_once(gimple *c, location_t loc)
{
    basic_block bb = gimple_bb(c);
    if (loop_depth(bb->loop_father) > 0 || inside_parallel(c))
        return nullptr;
    char key[48];
    snprintf(key, sizeof key, "if:%d:%p", bb->index, is_gimple_assign(c) ? (void *)c : NULL);
    expanded_location at = expand_location(loc);
    return ex.relation(
        Cond::Ne, once_or_opaque(key, "if_" + std::to_string(at.line), c, "a condition"), Poly(0));
}

/* Does null_test() take a pointer not to be null, without proof? */
bool Analysis::is_taken_for_there(tree x, tree y)
{
    if (!POINTER_TYPE_P(TREE_TYPE(x)) || !POINTER_TYPE_P(TREE_TYPE(y)) ||
        (!integer_zerop(x) && !integer_zerop(y)))
        return false;
    const Poly p = value(integer_zerop(x) ? y : x);
    return any_atom(p, [](const Atom *a) {
        return a->kind == AtomKind::Base && a->object->kind == ObjectKind::Pointer;
    });
}

enum { MAX_RESTS = 200 }; /* names that a condition depends on */

/* Does the branch at the end of bb depend on such a test? It is its own, or chose between the
 * values that this one compares (a status). */
bool Analysis::rests_on_null_test(basic_block bb)
{
    std::vector<tree> work;
    std::set<tree> seen;
    std::set<basic_block> branches;
    bool rests = false;
    auto compare = [&](tree x, tree y) {
        rests |= is_taken_for_there(x, y);
        work.insert(work.end(), {x, y});
    };
    auto branch = [&](basic_block at) {
        gcond *c = safe_dyn_cast<gcond *>(plussi_last_stmt(at));
        if (c && branches.insert(at).second)
            compare(gimple_cond_lhs(c), gimple_cond_rhs(c));
    };
    branch(bb);
    while (!rests && !work.empty() && seen.size() < MAX_RESTS) {
        tree name = work.back();
        work.pop_back();
        if (TREE_CODE(name) != SSA_NAME || !seen.insert(name).second)
            continue;
        gimple *def = SSA_NAME_DEF_STMT(name);
        if (gassign *g = dyn_cast<gassign *>(def)) {
            if (TREE_CODE_CLASS(gimple_assign_rhs_code(g)) == tcc_comparison)
                compare(gimple_assign_rhs1(g), gimple_assign_rhs2(g));
            else
                for (unsigned i = 1; i < gimple_num_ops(g); i++)
                    work.push_back(gimple_op(g, i));
        } else if (is_gimple_call(def) && (gimple_call_flags(def) & ECF_CONST)) {
            for (unsigned i = 0; i < gimple_call_num_args(def); i++) /* __builtin_expect */
                work.push_back(gimple_call_arg(def, i));
        } else if (gphi *phi = dyn_cast<gphi *>(def)) {
            basic_block join = gimple_bb(phi);
            basic_block top = get_immediate_dominator(CDI_DOMINATORS, join);
            for (unsigned i = 0; top && i < gimple_phi_num_args(phi); i++) {
                work.push_back(gimple_phi_arg_def(phi, i));
                for (basic_block up = gimple_phi_arg_edge(phi, i)->src; up;
                     up = get_immediate_dominator(CDI_DOMINATORS, up)) {
                    branch(up);
                    if (up == top || !dominated_by_p(CDI_DOMINATORS, up, top))
                        break;
                }
            }
        }
    }
    return rests;
}

/* The last block before the join that all ways from bb lead through: what is between does not
 * decide the value of a PHI in the join. */
static basic_block last_meeting(basic_block bb, basic_block join)
{
    basic_block last = bb;
    for (basic_block up = bb; up && up != join;
         up = get_immediate_dominator(CDI_POST_DOMINATORS, up))
        if (up->loop_father == join->loop_father && up->loop_father->header != up)
            last = up;
    return dominated_by_p(CDI_POST_DOMINATORS, bb, join) ? last : bb;
}

/* Does the edge lead to the join, and not only out of it (`cycle', a return)? The value there is
 * then that of the other ways. */
bool Analysis::Ways::lead(edge e)
{
    if (e->dest == join || dominated_by_p(CDI_POST_DOMINATORS, e->dest, join))
        return true;
    if (leading.empty()) {
        std::vector<basic_block> work{join};
        while (!work.empty()) {
            basic_block bb = work.back();
            work.pop_back();
            edge in;
            edge_iterator i;
            FOR_EACH_EDGE(in, i, bb->preds)
            if (in->src != top && leading.insert(in->src).second)
                work.push_back(in->src);
        }
    }
    return leading.count(e->dest) != 0;
}

enum { MAX_WAYS = 64 }; /* blocks between a branch and the PHI that depends on it */

/* The value that a PHI gets along edge e, on a path from a branch to the PHI's block. */
Poly Analysis::phi_path(gphi *phi, edge e, Ways *ways)
{
    if (e->dest == ways->join)
        return value(gimple_phi_arg_def(phi, e->dest_idx));
    basic_block from = last_meeting(e->dest, ways->join);
    auto known = ways->value.find(from);
    if (known != ways->value.end())
        return known->second;
    if (ways->value.size() >= MAX_WAYS)
        return ex.opaque(NULL_TREE, "its value depends on the way taken", gimple_location(phi));
    ways->value.emplace(from, Poly::overflow()); /* counted while it is being found */
    return ways->value[from] = choose_way(phi, from, ways);
}

Poly Analysis::choose_way(gphi *phi, basic_block bb, Ways *ways)
{
    const basic_block join = ways->join;
    const class loop *l = bb->loop_father;
    if (l->header == bb && loop_depth(l) > 0 && loop_outer(l) == join->loop_father) {
        /* A loop on the path: wherever it is left, the value is the same. (One that its iterations
         * change is known only if the loop has one exit.) */
        auto_vec<edge> exits = get_loop_exit_edges(l);
        Poly left;
        unsigned n = 0;
        bool same = true;
        for (unsigned i = 0; i < exits.length() && same; i++)
            if (ways->lead(exits[i])) {
                same = exits[i]->dest->loop_father == join->loop_father;
                Poly there = same ? phi_path(phi, exits[i], ways) : Poly();
                same &= n++ == 0 || there == left;
                left = there;
            }
        const unsigned changing = kind_bit(AtomKind::Phi) | kind_bit(AtomKind::Iv);
        if (n && same && (exits.length() == 1 || !(left.kinds() & changing)))
            return left;
        return ex.opaque(NULL_TREE, "its value depends on where a loop is left",
                         gimple_location(phi));
    }
    if (l != join->loop_father || l->header == bb)
        return ex.opaque(NULL_TREE, "its value depends on the way taken", gimple_location(phi));
    if (single_succ_p(bb))
        return phi_path(phi, single_succ_edge(bb), ways);
    if (EDGE_COUNT(bb->succs) != 2)
        return ex.opaque(NULL_TREE, "its value depends on a switch", gimple_location(phi));
    edge t, f;
    extract_true_false_edges_from_block(bb, &t, &f);
    if (!ways->lead(t) || !ways->lead(f))
        return phi_path(phi, ways->lead(t) ? t : f, ways);
    Poly x = phi_path(phi, t, ways), y = phi_path(phi, f, ways);
    return x == y ? x : ex.select(read_condition(bb), x, y);
}

/* A pointer to one of several arrays that is chosen once becomes an array of its own, which may
 * overlap with each of them. */
Poly Analysis::merge_choice(const Poly &p, tree name, gphi *phi)
{
    const Atom *choice = p.is_atom();
    if (!POINTER_TYPE_P(TREE_TYPE(name)) || !choice || choice->kind != AtomKind::Select ||
        !runs_once(phi))
        return p;
    std::set<Object *> to;
    any_atom(p, [&](const Atom *a) {
        if (a->kind == AtomKind::Base)
            to.insert(a->object);
        return false;
    });
    if (to.size() < 2)
        return p;
    const Atom *own = make_leaf(name, phi, "").is_atom();
    if (!own || own->kind != AtomKind::Base)
        return p;
    for (Object *o : to)
        aliases.insert({std::min(o, own->object), std::max(o, own->object)});
    return Poly(own);
}

/* Is it a choice one of whose ways is the result of a call (argc > 1 ? atoi(argv[1]) : 32)? It is
 * better known by its own name. Calls that compute alone (lfloor) are operations, which GCC also
 * writes as conversions. */
bool Analysis::holds_result(const Poly &p)
{
    const Atom *choice = p.is_atom();
    auto is_result = [&](const Atom *a) {
        gimple *def = a->kind == AtomKind::Symbol ? symbols[a->name].origin.def : nullptr;
        return def && is_gimple_call(def) && !(gimple_call_flags(def) & ECF_CONST);
    };
    return choice && choice->kind == AtomKind::Select &&
           (any_atom(choice->args[0], is_result) || any_atom(choice->args[1], is_result));
}

Poly Analysis::phi_value(gphi *phi)
{
    tree name = gimple_phi_result(phi);
    Poly first = value(gimple_phi_arg_def(phi, 0));
    bool same = true;
    for (unsigned i = 1; i < gimple_phi_num_args(phi); i++)
        same &= value(gimple_phi_arg_def(phi, i)) == first;
    if (same)
        return first;
    basic_block join = gimple_bb(phi);
    basic_block top = get_immediate_dominator(CDI_DOMINATORS, join);
    std::string why;
    if (top && top->loop_father == join->loop_father && EDGE_COUNT(top->succs) == 2 &&
        safe_dyn_cast<gcond *>(plussi_last_stmt(top))) {
        edge t, f;
        extract_true_false_edges_from_block(top, &t, &f);
        Ways ways = {top, join, {}, {}};
        Poly x = phi_path(phi, t, &ways), y = phi_path(phi, f, &ways);
        const Cond *c = read_condition(top);
        Poly r = x == y ? x : ex.select(c, x, y);
        const Atom *opaque = find_opaque(r);
        if (!opaque && !r.bad)
            return holds_result(r) && !inside_parallel(phi) && runs_once(phi)
                       ? make_leaf(name, phi, "")
                       : merge_choice(r, name, phi);
        why = find_unknown(c);
        if (why.empty() && opaque)
            why = opaque->reason;
    }
    /* Report the first cause only. */
    static const char phrase[] = "depends on a condition that is not described";
    size_t at = why.rfind(phrase);
    if (at != std::string::npos)
        why = why.substr(std::min(why.size(), at + sizeof phrase - 1 + 2));
    if (why.find("depends on itself") != std::string::npos)
        why.clear();
    return make_leaf(name, phi,
                     "`" + describe(name) + "' " + phrase + (why.empty() ? "" : ": " + why));
}

const Cond *Analysis::resolve(const Cond *c, const class loop *at)
{
    switch (c->op) {
    case Cond::And:
        return ex.both(resolve(c->a, at), resolve(c->b, at));
    case Cond::Or:
        return ex.either(resolve(c->a, at), resolve(c->b, at));
    case Cond::True:
    case Cond::False:
    case Cond::Unknown:
        return c;
    default:
        return decide_by_bounds(ex.relation(c->op, resolve(c->l, at), resolve(c->r, at)));
    }
}

/* What the constant bounds of loops around it decide: i >= 0 for i in 0..n. */
const Cond *Analysis::decide_by_bounds(const Cond *c)
{
    int64_t k = 0, low = 0, high = 0;
    Poly least, most;
    bool less = c->op == Cond::Lt || c->op == Cond::Le;
    bool equality = c->op == Cond::Eq || c->op == Cond::Ne;
    if ((!less && !equality && c->op != Cond::Gt && c->op != Cond::Ge) || !c->r.is_const(&k) ||
        !(c->l.kinds() & kind_bit(AtomKind::Iv)))
        return c;
    if (lower_bound(ex, c->l, &least) && least.is_const(&low) &&
        (low > k || (low == k && (c->op == Cond::Ge || c->op == Cond::Lt))))
        return ex.constant(equality ? c->op == Cond::Ne : !less);
    if (upper_bound(ex, c->l, &most) && most.is_const(&high) &&
        (high < k || (high == k && (c->op == Cond::Le || c->op == Cond::Gt))))
        return ex.constant(equality ? c->op == Cond::Ne : less);
    return c;
}

} // namespace pluss
