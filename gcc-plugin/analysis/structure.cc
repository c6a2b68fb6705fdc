/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the CFG of the shadow body to a tree of items in execution order.
 *
 * The walk goes from block to block. A loop header that it has not entered opens a loop and is
 * continued at the loop's exit; a branch of two ways is an `if` whose arms end at the block's
 * immediate post-dominator; conditions joined by && and || are put together again from the blocks
 * that do nothing but test. Marker calls open and close parallel regions and their like.
 *
 * A loop runs the code before its exit test (part A) once more often than the code after it (part
 * B). `for` and `while` loops have an empty A but for the loads of the test, which are then
 * repeated after the loop; where A depends on the induction variable the loop is extended by one
 * iteration and B is guarded; where B is empty (do-while) the loop runs at least once.
 *
 * What cannot be described becomes an `unknown` item in its place. A loop of an unknown number of
 * iterations that runs once and holds parallel loops (iterate until converged) is a loop over a
 * symbol: how many iterations it took.
 */
#include "analysis/analysis.h"

#include "base/arith.h"
#include "emit/note.h"
#include "analysis/tidy.h"

namespace pluss
{

static gimple *next_stmt(gimple *g)
{
    gimple_stmt_iterator i = gsi_for_stmt(g);
    gsi_next(&i);
    return gsi_stmt(i);
}

class Structure
{
  public:
    explicit Structure(Analysis &a) : an(a) {}
    std::vector<Item *> run();
    bool broken = false;

  private:
    Analysis &an;
    Item *parent = nullptr;
    std::vector<Item *> *sink = nullptr;
    std::map<const Construct *, Poly> chunk;
    std::vector<const Cond *> facts; /* conditions that hold where the walk is */
    int depth = 0;
    basic_block here = nullptr; /* where the walk is */

    struct Frame {
        const class loop *in = nullptr; /* the loop whose body is walked */
        edge leave = nullptr;           /* its exit, NULL: any edge out of it is ignored */
        size_t split = 0;               /* items before the test */
        bool tested = false;
        Item *item = nullptr; /* the loop */
    };
    struct Open {
        const Construct *construct;
        Item *parent;
        std::vector<Item *> *sink;
    };

    void walk(basic_block bb, basic_block stop, Frame &frame);
    basic_block emit_loop(const class loop *l, const Frame &around);
    basic_block after(const class loop *l);
    basic_block way_on(const class loop *l, const Frame &around);
    void emit_body(Loop *r, Item *it, Frame &frame, const class loop *l);
    basic_block branch(basic_block bb, Frame &frame);
    basic_block multiway(basic_block bb, Frame &frame);
    void statement(gimple *g, Frame &frame, std::vector<Open> &open);
    void reference(gimple *g, tree mem, bool write);
    void call(gcall *g);
    bool marker(gimple *g, Frame &frame, std::vector<Open> &open);
    void push(Item *it)
    {
        it->parent = parent;
        if (!it->bb)
            it->bb = here;
        sink->push_back(it);
    }
    void unknown(plussi_unknown_kind kind, location_t loc, const std::string &reason,
                 Object *object = nullptr);
    bool known(const Poly &p);
    Poly with_facts(const Poly &p);
    /* Tests that decide together. */
    struct Test {
        const Cond *c;
        basic_block yes, no;
        std::set<basic_block> tests;
    };
    Test test_at(basic_block bb, const Frame &frame);
    bool join_tests(Test *test, basic_block join, const Frame &frame);
    bool pure_test(basic_block bb);
    basic_block staying(basic_block bb, const Frame &frame);
    const Cond *decision(basic_block bb);
    bool has_effects(const class loop *l, bool *parallel, bool *workshare);
};

void Structure::unknown(plussi_unknown_kind kind, location_t loc, const std::string &reason,
                        Object *object)
{
    Item *it = an.item(PLUSSI_N_UNKNOWN, loc);
    it->unknown = kind;
    it->reason = reason;
    it->a = object;
    push(it);
}

Item *Analysis::item(plussi_node_kind kind, location_t loc)
{
    items.emplace_back(kind);
    items.back().loc = loc;
    return &items.back();
}

static bool is_memory(tree t)
{
    if (!t)
        return false;
    while (handled_component_p(t))
        t = TREE_OPERAND(t, 0);
    return TREE_CODE(t) == MEM_REF || TREE_CODE(t) == TARGET_MEM_REF ||
           ((VAR_P(t) || TREE_CODE(t) == PARM_DECL || TREE_CODE(t) == RESULT_DECL) &&
            !is_gimple_reg(t));
}

void Structure::reference(gimple *g, tree mem, bool write)
{
    basic_block bb = gimple_bb(g);
    /* Scalars that live in memory are no references unless they are asked for. */
    if (DECL_P(mem) && !options.scalars && TREE_CODE(TREE_TYPE(mem)) != ARRAY_TYPE)
        return;
    for (tree t = mem; handled_component_p(t) && !options.scalars; t = TREE_OPERAND(t, 0))
        if (TREE_CODE(t) == COMPONENT_REF && is_descriptor(TREE_TYPE(TREE_OPERAND(t, 0))))
            return;
    an.refs.push_back(Ref());
    Ref *r = &an.refs.back();
    r->write = write;
    r->stmt = g;
    /* GCC 11 gives array references no place of their own; their statements have the operator's. */
    location_t loc = EXPR_HAS_LOCATION(mem) ? EXPR_LOCATION(mem) : gimple_location(g);
    location_t place = get_pure_location(line_table, loc);
    if (in_system_header_at(loc) && gimple_location(g) != UNKNOWN_LOCATION)
        loc = gimple_location(g);
    bool fine = an.address(mem, bb, r);
    r->write = write;
    r->stmt = g;
    r->place = place;
    r->atomic = an.shadow.atomic.count(g) != 0;
    if (fine) {
        Item *it = an.item(PLUSSI_N_REF, loc);
        it->ref = r;
        push(it);
    } else if (!r->is_constant) {
        unknown(PLUSSI_UNKNOWN_REFERENCE, loc,
                std::string(write ? "write of " : "read of ") + an.describe(mem) + ": " + r->reason,
                r->object);
    }
}

void Structure::call(gcall *g)
{
    for (unsigned i = 0; i < gimple_call_num_args(g); i++)
        if (is_memory(gimple_call_arg(g, i)))
            reference(g, gimple_call_arg(g, i), false);
    tree fn = gimple_call_fndecl(g);
    if (fn && fndecl_built_in_p(fn, BUILT_IN_NORMAL)) {
        switch (DECL_FUNCTION_CODE(fn)) {
        case BUILT_IN_GOMP_BARRIER:
            push(an.item(PLUSSI_N_BARRIER, gimple_location(g)));
            return;
        case BUILT_IN_GOMP_CANCEL:
        case BUILT_IN_GOMP_CANCELLATION_POINT:
            unknown(PLUSSI_UNKNOWN_CONSTRUCT, gimple_location(g), "omp cancel");
            return;
        default:
            break;
        }
    }
    if (!an.harmless(g) || ((gimple_call_flags(g) & ECF_PURE) && !gimple_call_internal_p(g) &&
                            !(gimple_call_flags(g) & ECF_CONST))) {
        std::string f = fn ? name_of(fn) : "";
        unknown(PLUSSI_UNKNOWN_CALL, gimple_location(g),
                f.empty() ? "a call through a pointer" : "a call to `" + f + "'");
    }
    if (is_memory(gimple_call_lhs(g)))
        reference(g, gimple_call_lhs(g), true);
}

/* Opens and closes what marker calls stand for. */
bool Structure::marker(gimple *g, Frame &frame, std::vector<Open> &open)
{
    Marker m;
    if (!an.shadow.marker(g, &m))
        return false;
    const Construct *c = m.construct;
    basic_block bb = gimple_bb(g);
    if (m.end) {
        if (c->kind == ConstructKind::For || c->kind == ConstructKind::Sections)
            return true;
        if (open.empty() || open.back().construct != c) {
            broken = true;
            return true;
        }
        parent = open.back().parent;
        sink = open.back().sink;
        open.pop_back();
        return true;
    }
    plussi_node_kind kind;
    switch (c->kind) {
    case ConstructKind::For:
    case ConstructKind::Sections:
        if (c->has_chunk)
            chunk[c] = an.at(m.arg[0], bb);
        return true;
    case ConstructKind::Body:
        if (frame.item && c->dim > 0)
            frame.item->collapsed = true;
        if (frame.item && c->dim == 0) {
            frame.item->construct = c->of;
            frame.item->loc = c->of->loc;
            frame.item->has_chunk = c->of->has_chunk;
            if (c->of->has_chunk)
                frame.item->chunk = chunk[c->of];
            int64_t size = 1;
            if (frame.item->chunk.is_const(&size) && size < 1) {
                frame.item->chunk = Poly();
                frame.item->has_chunk = false; /* as if there were none */
            }
        }
        return true;
    case ConstructKind::Unknown:
        unknown(PLUSSI_UNKNOWN_CONSTRUCT, c->loc, c->what);
        sink->back()->construct = c;
        sink->back()->holds_parallel = true;
        return true;
    case ConstructKind::Parallel:
        kind = PLUSSI_N_PARALLEL;
        break;
    case ConstructKind::Single:
        kind = PLUSSI_N_SINGLE;
        break;
    case ConstructKind::Master:
        kind = PLUSSI_N_MASTER;
        break;
    case ConstructKind::Critical:
        kind = PLUSSI_N_CRITICAL;
        break;
    case ConstructKind::Ordered:
        kind = PLUSSI_N_ORDERED;
        break;
    default:
        return true;
    }
    Item *it = an.item(kind, c->loc);
    it->construct = c;
    if (c->kind == ConstructKind::Parallel) {
        if (c->has_threads)
            it->threads = an.at(m.arg[0], bb);
        if (c->has_if && m.arg[1])
            it->cond =
                an.resolve(an.comparison(NE_EXPR, m.arg[1], build_zero_cst(TREE_TYPE(m.arg[1])), g),
                           bb->loop_father);
    }
    push(it);
    open.push_back({c, parent, sink});
    parent = it;
    sink = &it->body;
    return true;
}

void Structure::statement(gimple *g, Frame &frame, std::vector<Open> &open)
{
    if (is_gimple_debug(g) || gimple_clobber_p(g) || marker(g, frame, open))
        return;
    if (gassign *a = dyn_cast<gassign *>(g)) {
        tree rhs = gimple_assign_rhs1(a), lhs = gimple_assign_lhs(a);
        bool unused = an.shadow.atomic.count(g) && TREE_CODE(lhs) == SSA_NAME && has_zero_uses(lhs);
        if (gimple_assign_single_p(a) && is_memory(rhs) && !unused)
            reference(g, rhs, false);
        if (is_memory(lhs))
            reference(g, lhs, true);
    } else if (gcall *c = dyn_cast<gcall *>(g)) {
        call(c);
    } else if (gasm *a = dyn_cast<gasm *>(g)) {
        if (gimple_vuse(a))
            unknown(PLUSSI_UNKNOWN_CALL, gimple_location(g), "an asm statement");
    }
}

/* Nothing but the computation of a condition. */
bool Structure::pure_test(basic_block bb)
{
    if (!safe_dyn_cast<gcond *>(plussi_last_stmt(bb)) || EDGE_COUNT(bb->succs) != 2)
        return false;
    if (bb->loop_father->header == bb && loop_depth(bb->loop_father) > 0)
        return false;
    if (!gimple_seq_empty_p(phi_nodes(bb)))
        for (gphi_iterator i = gsi_start_phis(bb); !gsi_end_p(i); gsi_next(&i))
            if (!virtual_operand_p(gimple_phi_result(i.phi())))
                return false;
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        gimple *g = gsi_stmt(i);
        if (is_gimple_debug(g) || gimple_code(g) == GIMPLE_LABEL || gimple_code(g) == GIMPLE_COND)
            continue;
        if (!is_gimple_assign(g) || gimple_vdef(g))
            return false;
        if (gimple_assign_single_p(g) && is_memory(gimple_assign_rhs1(g)) &&
            !(DECL_P(gimple_assign_rhs1(g)) && !options.scalars))
            return false;
    }
    return true;
}

/* The condition at the end of bb. Where it cannot be described but all threads decide it alike, it
 * stands for what that statement decides. */
const Cond *Structure::decision(basic_block bb)
{
    const Cond *c = an.resolve(an.condition(bb), bb->loop_father);
    std::string why = find_unknown(c);
    Item probe(PLUSSI_N_IF);
    probe.parent = parent;
    return why.empty() || !agreed(&probe) ? c : an.ex.unknown(why, plussi_last_stmt(bb));
}

static basic_block skip_empty(basic_block bb)
{
    while (single_succ_p(bb) && empty_block_p(bb) && gimple_seq_empty_p(phi_nodes(bb)) &&
           bb->loop_father->header != bb)
        bb = single_succ(bb);
    return bb;
}

/* After tests whose other way leaves the loop: the run that stays is described. */
basic_block Structure::staying(basic_block bb, const Frame &frame)
{
    for (int hops = 0; frame.in && hops < 400 && single_pred_p(bb) && pure_test(bb); hops++) {
        edge t, f;
        extract_true_false_edges_from_block(bb, &t, &f);
        bool out = !flow_bb_inside_loop_p(frame.in, t->dest);
        if (out == !flow_bb_inside_loop_p(frame.in, f->dest) || (out ? t : f) == frame.leave)
            break;
        bb = (out ? f : t)->dest;
    }
    return bb;
}

/* Does every way to bb come from these tests? */
static bool only_from(basic_block bb, const std::set<basic_block> &tests)
{
    edge e;
    edge_iterator ei;
    FOR_EACH_EDGE(e, ei, bb->preds)
    {
        basic_block from = e->src;
        while (!tests.count(from) && single_pred_p(from) && skip_empty(from) != from)
            from = single_pred(from);
        if (!tests.count(from))
            return false;
    }
    return true;
}

Structure::Test Structure::test_at(basic_block bb, const Frame &frame)
{
    edge t, f;
    extract_true_false_edges_from_block(bb, &t, &f);
    return {decision(bb), staying(t->dest, frame), staying(f->dest, frame), {bb}};
}

/* if (a && b), if ((a || b) && (c || d)): the tests that follow are blocks of their own. True if
 * both ways come out at one block. */
bool Structure::join_tests(Test *test, basic_block join, const Frame &frame)
{
    for (bool again = true; again;) {
        if (skip_empty(test->yes) == skip_empty(test->no))
            return true;
        again = false;
        for (bool side : {true, false}) {
            basic_block x = side ? test->yes : test->no, other = side ? test->no : test->yes;
            if (x == join || x == other || !only_from(x, test->tests) || !pure_test(x) ||
                x->loop_father != (*test->tests.begin())->loop_father)
                continue;
            Test next = test_at(x, frame);
            auto by = [&](basic_block way) { return skip_empty(way) == skip_empty(other); };
            if (!by(next.yes) && !by(next.no) &&
                (join_tests(&next, join, frame) || (!by(next.yes) && !by(next.no))))
                continue;
            bool by_true = by(next.yes);
            if (by_true && by(next.no)) {
                if (skip_empty(other) == join)
                    continue;
                test->yes = test->no = other;
                return true;
            }
            const Cond *d = by_true ? an.ex.negate(next.c) : next.c; /* not to `other` */
            (side ? test->yes : test->no) = by_true ? next.no : next.yes;
            test->c = side ? an.ex.both(test->c, d) : an.ex.either(test->c, an.ex.negate(d));
            test->tests.insert(next.tests.begin(), next.tests.end());
            again = true;
            break;
        }
    }
    return false;
}

basic_block Structure::branch(basic_block bb, Frame &frame)
{
    location_t loc = gimple_location(plussi_last_stmt(bb));
    basic_block join = get_immediate_dominator(CDI_POST_DOMINATORS, bb);
    Test test = test_at(bb, frame);
    if (join_tests(&test, join, frame))
        return test.yes;
    const Cond *c = test.c;
    basic_block yes = test.yes, no = test.no;

    Item *it = an.item(PLUSSI_N_IF, loc);
    it->cond = c;
    it->bb = bb;
    Item *outer_parent = parent;
    std::vector<Item *> *outer_sink = sink;
    it->parent = parent;
    parent = it;
    sink = &it->body;
    facts.push_back(c);
    if (c->op != Cond::False)
        walk(yes, join, frame);
    facts.back() = an.ex.negate(c);
    sink = &it->orelse;
    if (c->op != Cond::True)
        walk(no, join, frame);
    facts.pop_back();
    parent = outer_parent;
    sink = outer_sink;
    if (it->body.empty() && it->orelse.empty())
        return join;
    if (c->op == Cond::True || c->op == Cond::False) {
        for (Item *k : c->op == Cond::True ? it->body : it->orelse)
            push(k);
        return join;
    }
    if (it->body.empty()) {
        it->cond = an.ex.negate(c);
        it->body.swap(it->orelse);
    }
    /* if (a) if (b): as the compiler has it when it optimises. */
    while (it->orelse.empty() && it->body.size() == 1 && it->body[0]->kind == PLUSSI_N_IF &&
           it->body[0]->orelse.empty()) {
        const Item *inner = it->body[0];
        it->cond = an.ex.both(it->cond, inner->cond);
        std::vector<Item *> body = inner->body;
        it->body = body;
        for (Item *k : it->body)
            k->parent = it;
    }
    push(it);
    return join;
}

/* A switch: a chain of ifs on its value. */
basic_block Structure::multiway(basic_block bb, Frame &frame)
{
    gswitch *s = safe_dyn_cast<gswitch *>(plussi_last_stmt(bb));
    basic_block join = get_immediate_dominator(CDI_POST_DOMINATORS, bb);
    location_t loc = plussi_last_stmt(bb) ? gimple_location(plussi_last_stmt(bb)) : UNKNOWN_LOCATION;
    if (!s) {
        unknown(PLUSSI_UNKNOWN_CONTROL, loc, "a branch of many ways");
        return join;
    }
    Poly v = an.at(gimple_switch_index(s), bb);
    std::vector<basic_block> order;
    std::map<basic_block, const Cond *> when;
    for (unsigned i = 1; i < gimple_switch_num_labels(s); i++) {
        tree label = gimple_switch_label(s, i);
        basic_block dest = label_to_block(cfun, CASE_LABEL(label));
        const Cond *c;
        if (!tree_fits_shwi_p(CASE_LOW(label)) ||
            (CASE_HIGH(label) && !tree_fits_shwi_p(CASE_HIGH(label))))
            c = an.ex.unknown("a case label of more than 64 bits");
        else if (CASE_HIGH(label))
            c = an.ex.both(an.ex.relation(Cond::Ge, v, Poly(tree_to_shwi(CASE_LOW(label)))),
                           an.ex.relation(Cond::Le, v, Poly(tree_to_shwi(CASE_HIGH(label)))));
        else
            c = an.ex.relation(Cond::Eq, v, Poly(tree_to_shwi(CASE_LOW(label))));
        auto it = when.find(dest);
        if (it == when.end()) {
            order.push_back(dest);
            when[dest] = c;
        } else {
            it->second = an.ex.either(it->second, c);
        }
    }
    Item *outer_parent = parent;
    std::vector<Item *> *outer_sink = sink;
    std::vector<Item *> chain;
    std::vector<Item *> *at = &chain;
    bool any = false;
    for (basic_block dest : order) {
        Item *it = an.item(PLUSSI_N_IF, loc);
        it->cond = when[dest];
        it->bb = bb;
        it->parent = parent;
        parent = it;
        sink = &it->body;
        walk(dest, join, frame);
        any |= !it->body.empty();
        at->push_back(it);
        at = &it->orelse;
    }
    sink = at;
    walk(gimple_switch_default_bb(cfun, s), join, frame);
    any |= !at->empty();
    parent = outer_parent;
    sink = outer_sink;
    if (any)
        for (Item *it : chain)
            push(it);
    return join;
}

void Structure::walk(basic_block bb, basic_block stop, Frame &frame)
{
    std::vector<Open> open;
    if (++depth > 400)
        broken = true;
    while (!broken && bb && bb != stop && bb != EXIT_BLOCK_PTR_FOR_FN(cfun)) {
        const class loop *l = bb->loop_father;
        here = bb;
        if (loop_depth(l) > 0 && l->header == bb && l != frame.in) {
            bb = emit_loop(l, frame);
            continue;
        }
        if (frame.in && !flow_bb_inside_loop_p(frame.in, bb))
            break; /* on the way out of the loop */
        if (bb->flags & BB_IRREDUCIBLE_LOOP) {
            gimple *first = first_stmt(bb);
            while (first && gimple_location(first) == UNKNOWN_LOCATION && first != plussi_last_stmt(bb))
                first = next_stmt(first);
            unknown(PLUSSI_UNKNOWN_CONTROL, first ? gimple_location(first) : UNKNOWN_LOCATION,
                    "control jumps into the middle of a loop");
            while (bb && bb != stop && (bb->flags & BB_IRREDUCIBLE_LOOP))
                bb = get_immediate_dominator(CDI_POST_DOMINATORS, bb);
            continue;
        }
        for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
            statement(gsi_stmt(i), frame, open);
        if (EDGE_COUNT(bb->succs) == 0)
            break;
        edge e, stay = NULL;
        edge_iterator ei;
        bool leaves = false;
        FOR_EACH_EDGE(e, ei, bb->succs)
        {
            if (frame.in && !flow_bb_inside_loop_p(frame.in, e->dest)) {
                leaves = true;
                if (e == frame.leave) {
                    frame.split = sink->size();
                    frame.tested = true;
                    if (!open.empty())
                        broken = true;
                }
            } else {
                stay = e;
            }
        }
        if (single_succ_p(bb) || leaves) {
            if (!stay)
                break;
            bb = stay->dest;
            if (frame.in && bb == frame.in->header)
                break;
        } else if (EDGE_COUNT(bb->succs) == 2 && safe_dyn_cast<gcond *>(plussi_last_stmt(bb))) {
            bb = branch(bb, frame);
        } else {
            bb = multiway(bb, frame);
        }
        if (frame.in && bb == frame.in->header)
            break;
    }
    if (!open.empty()) {
        broken = true;
        parent = open.front().parent;
        sink = open.front().sink;
    }
    depth--;
}

basic_block Structure::after(const class loop *l)
{
    basic_block bb = l->header;
    while (bb && bb != EXIT_BLOCK_PTR_FOR_FN(cfun) && flow_bb_inside_loop_p(l, bb))
        bb = get_immediate_dominator(CDI_POST_DOMINATORS, bb);
    return bb;
}

/* Is there a construct between a block and `stop', which it leads to? */
static bool leads_to_construct(Shadow &shadow, basic_block from, basic_block stop)
{
    std::set<basic_block> seen{from, stop};
    std::vector<basic_block> work{from};
    while (!work.empty()) {
        basic_block bb = work.back();
        work.pop_back();
        for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
            Marker m;
            if (shadow.marker(gsi_stmt(i), &m))
                return true;
        }
        edge e;
        edge_iterator ei;
        FOR_EACH_EDGE(e, ei, bb->succs)
        if (!(e->flags & (EDGE_EH | EDGE_ABNORMAL)) && seen.insert(e->dest).second)
            work.push_back(e->dest);
    }
    return false;
}

/* Where the walk goes on after a loop. One that is left in several ways (a return from a loop that
 * reads options) may lead past constructs: the way to them is taken. */
basic_block Structure::way_on(const class loop *l, const Frame &around)
{
    basic_block next = after(l), found = nullptr;
    auto_vec<edge> exits = get_loop_exit_edges(l);
    if (exits.length() < 2)
        return next;
    for (edge e : exits) {
        if ((e->flags & (EDGE_EH | EDGE_ABNORMAL)) || e->dest == next || e->dest == found ||
            (around.in && !flow_bb_inside_loop_p(around.in, e->dest)) ||
            !leads_to_construct(an.shadow, e->dest, next))
            continue;
        if (found) {
            unknown(PLUSSI_UNKNOWN_CONTROL, an.loop(l)->loc,
                    "a loop that is left in several ways, which lead to different constructs");
            sink->back()->holds_parallel = true;
            return next;
        }
        found = e->dest;
    }
    return found ? found : next;
}

/* Does the loop hold anything that would be described? */
bool Structure::has_effects(const class loop *l, bool *parallel, bool *workshare)
{
    bool any = false;
    *parallel = *workshare = false;
    basic_block *body = get_loop_body(l);
    for (unsigned k = 0; k < l->num_nodes; k++)
        for (gimple_stmt_iterator i = gsi_start_bb(body[k]); !gsi_end_p(i); gsi_next(&i)) {
            gimple *g = gsi_stmt(i);
            Marker m;
            if (is_gimple_debug(g) || gimple_clobber_p(g))
                continue;
            if (an.shadow.marker(g, &m)) {
                any = true;
                *parallel |= m.construct->kind == ConstructKind::Parallel;
                *workshare |= m.construct->kind == ConstructKind::Body;
            } else if (gcall *c = dyn_cast<gcall *>(g)) {
                any |= !an.harmless(c);
            } else if (is_gimple_assign(g)) {
                for (tree t : {gimple_assign_lhs(g), gimple_assign_rhs1(g)})
                    any |= is_memory(t) && !(DECL_P(t) && TREE_CODE(TREE_TYPE(t)) != ARRAY_TYPE);
            }
        }
    free(body);
    return any;
}

bool is_shared(Shadow &shadow, const class loop *l)
{
    bool found = false;
    basic_block *body = get_loop_body(l);
    for (unsigned k = 0; k < l->num_nodes; k++)
        for (gimple_stmt_iterator i = gsi_start_bb(body[k]);
             body[k]->loop_father == l && !gsi_end_p(i); gsi_next(&i)) {
            Marker m;
            found |= shadow.marker(gsi_stmt(i), &m) && m.construct->kind == ConstructKind::Body;
        }
    free(body);
    return found;
}

static bool item_uses_iv(const Item *it, const Loop *l)
{
    auto is = [&](const Atom *a) { return a->kind == AtomKind::Iv && a->loop == l; };
    if (it->kind == PLUSSI_N_LOOP)
        return true; /* not to be repeated */
    if (it->cond && any_atom(it->cond, is))
        return true;
    if (it->ref && (any_atom(it->ref->offset, is) || any_atom(it->ref->table_offset, is)))
        return true;
    for (const std::vector<Item *> *v : {&it->body, &it->orelse})
        for (const Item *k : *v)
            if (item_uses_iv(k, l))
                return true;
    return false;
}

/* p >= 0 by what the guards around say. */
bool Structure::known(const Poly &p)
{
    int64_t c = 0;
    if (p.is_const(&c))
        return c >= 0;
    /* m floor(q / d) + c >= 0 iff q >= d ceil(-c / m) */
    Poly varies = p - Poly(p.constant());
    if (varies.terms.size() == 1 && varies.terms[0].mono.size() == 1 && varies.terms[0].coef > 0 &&
        p.constant() > INT64_MIN) {
        const Atom *a = varies.terms[0].mono[0];
        int64_t least = plussi_ceildiv(-p.constant(), varies.terms[0].coef);
        if (a->kind == AtomKind::Div && known(a->args[0] - Poly(least) * a->args[1]))
            return true;
    }
    for (const Cond *f : facts) {
        Poly k;
        if (f->op == Cond::Lt || f->op == Cond::Le)
            k = f->r - f->l - Poly(f->op == Cond::Lt);
        else if (f->op == Cond::Gt || f->op == Cond::Ge)
            k = f->l - f->r - Poly(f->op == Cond::Gt);
        else
            continue;
        if ((p - k).is_const(&c) && c >= 0)
            return true;
    }
    return false;
}

/* Minima and maxima that the guards around decide. */
Poly Structure::with_facts(const Poly &p)
{
    constexpr unsigned extremes = kind_bit(AtomKind::Min) | kind_bit(AtomKind::Max);
    return an.ex.replace(p, extremes, [&](const Atom *a, Poly *out) {
        if (a->args.size() != 2)
            return false;
        for (int i = 0; i < 2; i++) {
            Poly d = a->kind == AtomKind::Max ? a->args[i] - a->args[1 - i]
                                              : a->args[1 - i] - a->args[i];
            if (known(d)) {
                *out = a->args[i];
                return true;
            }
        }
        return false;
    });
}

basic_block Structure::emit_loop(const class loop *l, const Frame &around)
{
    Loop *r = an.loop(l);
    bool parallel, workshare;
    bool effects = has_effects(l, &parallel, &workshare);
    basic_block next = way_on(l, around);
    if (!effects)
        return next;
    Frame frame;
    frame.in = l;
    if (!r->reason.empty()) {
        Item probe(PLUSSI_N_LOOP);
        probe.parent = parent;
        if (!((parallel || workshare) && agreed(&probe) && !is_shared(an.shadow, l) &&
              !(l->header->flags & BB_IRREDUCIBLE_LOOP))) {
            unknown(PLUSSI_UNKNOWN_LOOP, r->loc, r->reason);
            sink->back()->holds_parallel = parallel || workshare;
            return next;
        }
        /* How often it runs is a symbol. */
        note_loop(r->loc, "the number of iterations of this loop is not known (" + r->reason +
                              "); it becomes a symbol");
        int line = expand_location(r->loc).line;
        char key[32];
        snprintf(key, sizeof key, "trips:%d", l->num);
        an.symbols[key].name = "trips_" + std::to_string(line);
        an.symbols[key].loc = r->loc;
        bool serial = !an.shadow.orphaned;
        for (const Item *p = parent; p; p = p->parent)
            serial &= p->kind != PLUSSI_N_PARALLEL;
        if (serial && loop_depth(l) == 1)
            an.symbols[key].trips = r; /* elsewhere the run has more than one number */
        Item *it = an.item(PLUSSI_N_LOOP, r->loc);
        it->loop = r;
        it->bb = l->header;
        r->item = it;
        r->name = "trip";
        it->hi = an.ex.symbol(key, r->loc);
        frame.item = it;
        push(it);
        Item *outer_parent = parent;
        std::vector<Item *> *outer_sink = sink;
        parent = it;
        sink = &it->body;
        walk(l->header, NULL, frame);
        parent = outer_parent;
        sink = outer_sink;
        return next;
    }

    Item *it = an.item(PLUSSI_N_LOOP, r->loc);
    it->loop = r;
    it->bb = l->header;
    r->item = it;
    it->lo = r->lo;
    it->hi = with_facts(r->hi);
    it->step = r->step;
    frame.item = it;
    frame.leave = r->leave;
    push(it);
    Item *outer_parent = parent;
    std::vector<Item *> *outer_sink = sink;
    parent = it;
    sink = &it->body;
    walk(l->header, NULL, frame);
    parent = outer_parent;
    sink = outer_sink;
    if (!frame.tested) {
        broken = true;
        return next;
    }

    std::vector<Item *> a(it->body.begin(), it->body.begin() + frame.split);
    std::vector<Item *> b(it->body.begin() + frame.split, it->body.end());
    auto beyond = [&]() { /* one iteration more, and one at least */
                          Poly end =
                              r->step > 0 ? an.ex.max(it->hi, r->lo) : an.ex.min(it->hi, r->lo);
                          return with_facts(end) + Poly(r->step);
    };
    if (!a.empty() && b.empty() && r->swaps.empty()) {
        it->hi = beyond();
    } else if (!a.empty()) {
        bool uses = false;
        for (const Item *k : a)
            uses |= item_uses_iv(k, r);
        if (uses) {
            it->hi = beyond();
            Item *guard = an.item(PLUSSI_N_IF, r->loc);
            guard->cond = an.ex.relation(r->step > 0 ? Cond::Lt : Cond::Gt, an.ex.iv(r), r->hi);
            guard->parent = it;
            for (Item *k : b)
                k->parent = guard;
            guard->body = b;
            it->body = a;
            it->body.push_back(guard);
        } else {
            for (Item *k : a) /* the test that says leave; items without loops are shared */
                sink->push_back(k);
        }
    }
    for (auto &s : r->swaps) {
        const Atom *x = an.closed(s.first, l, NULL).is_atom();
        const Atom *y = an.closed(s.second, l, NULL).is_atom();
        if (!x || !y || x->kind != AtomKind::Base || y->kind != AtomKind::Base)
            continue; /* their references say so */
        Item *k = an.item(PLUSSI_N_SWAP, r->loc);
        k->a = x->object;
        k->b = y->object;
        k->parent = it;
        it->body.push_back(k);
    }
    return next;
}

std::vector<Item *> Structure::run()
{
    std::vector<Item *> top;
    sink = &top;
    Frame frame;
    walk(single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun)), EXIT_BLOCK_PTR_FOR_FN(cfun), frame);
    if (broken) {
        top.clear();
        sink = &top;
        parent = nullptr;
        unknown(PLUSSI_UNKNOWN_CONTROL, DECL_SOURCE_LOCATION(an.shadow.decl),
                "the control flow of the function is not structured");
        top.back()->holds_parallel = true;
        top.back()->bb = single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun));
    }
    here = single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun));
    for (const Construct *c : an.shadow.lost)
        if (c->kind == ConstructKind::For) {
            unknown(PLUSSI_UNKNOWN_LOOP, c->loc, "no way leads from it to the function's end");
            top.back()->holds_parallel = true;
        }
    return top;
}

std::vector<Item *> Analysis::build_tree()
{
    return Structure(*this).run();
}

} // namespace pluss
