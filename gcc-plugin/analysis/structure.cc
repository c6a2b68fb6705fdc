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

#include "analysis/operations.h"
#include "analysis/registers.h"
#include "analysis/tidy.h"
#include "base/arith.h"
#include "common/statements.h"
#include "emit/note.h"
#include "shadow/library.h"

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
    std::vector<Item *> build();
    bool broken = false;

  private:
    Analysis &an;
    Item *parent = nullptr;
    std::vector<Item *> *sink = nullptr;
    std::map<const Construct *, Poly> chunk;
    std::vector<const Cond *> facts; /* conditions that hold at the current block */
    int depth = 0;
    basic_block here = nullptr; /* the current block */

    struct Frame {
        const class loop *in = nullptr; /* the loop whose body is walked, or NULL */
        edge leave = nullptr;           /* its exit, NULL: any edge out of it is ignored */
        size_t split = 0;               /* items before the test */
        bool tested = false;
        Item *item = nullptr; /* the loop */
        bool uncounted = false;
        /* Of an uncounted loop. */
        struct Exit {
            size_t before;     /* items of its body */
            basic_block from;  /* where it is left */
            basic_block after; /* if that is in a branch: where its ways meet; else NULL */
        };
        std::vector<Exit> exits;
        size_t exits_inside = 0;      /* in branches */
        basic_block branch = nullptr; /* of these, the one in the body that is walked */
    };
    struct Open {
        const Construct *construct;
        Item *parent;
        std::vector<Item *> *sink;
    };
    /* While this object lives, new items go into the given list of an item. */
    struct Inside {
        Inside(Structure &s, Item *it, std::vector<Item *> *list)
            : walk(s), parent(s.parent), sink(s.sink)
        {
            s.parent = it;
            s.sink = list;
        }
        ~Inside()
        {
            walk.parent = parent;
            walk.sink = sink;
        }
        Structure &walk;
        Item *parent;
        std::vector<Item *> *sink;
    };

    void walk_blocks(basic_block bb, basic_block stop, Frame &frame);
    basic_block emit_loop(const class loop *l, const Frame &around);
    basic_block find_end(const class loop *l);
    basic_block choose_way_on(const class loop *l, const Frame &around);
    bool is_countable(const class loop *l, bool holds_parallel);
    Item *add_loop(Loop *r, Frame *frame);
    void walk_body(Frame *frame);
    void add_uncounted_loop(Loop *r);
    bool is_passed_by_symbol(Loop *r, const Frame &frame, size_t number, Poly *times);
    void guard_after_exit(Loop *r, const Frame &frame, size_t number, const Poly &times);
    Poly times_passed(const Frame &frame, basic_block exit, basic_block stays);
    void guard_inside(const Frame &frame, size_t from);
    void guard_items(Loop *r, size_t from, basic_block exit, const Poly &times);
    void undo_swaps(const Loop *r, const Cond *when);
    void repeat_test(Loop *r, Item *it, size_t split);
    void add_swaps(Loop *r, Item *it);
    basic_block add_branch(basic_block bb, Frame &frame);
    std::vector<std::pair<basic_block, const Cond *>> switch_ways(gswitch *s, const Poly &v);
    basic_block add_switch(basic_block bb, Frame &frame);
    void add_statement(gimple *g, Frame &frame, std::vector<Open> &open);
    void count_block(basic_block bb);
    void leave_test(basic_block bb);
    void keep_longest_way(const std::vector<Item *> &chain);
    Operations *operations_here();
    void add_reference(gimple *g, tree mem, bool write);
    void add_registers(gimple *g, const std::vector<tree> &variables, bool write);
    void add_call(gcall *g);
    bool follow_marker(gimple *g, Frame &frame, std::vector<Open> &open);
    void close_construct(const Construct *c, std::vector<Open> &open);
    void open_construct(const Marker &m, gimple *g, plussi_node_kind kind, std::vector<Open> &open);
    void set_worksharing(Item *loop, const Construct *c);
    void add_item(Item *it)
    {
        it->parent = parent;
        if (!it->bb)
            it->bb = here;
        sink->push_back(it);
    }
    void add_unknown(plussi_unknown_kind kind, location_t loc, const std::string &reason,
                     Object *object = nullptr);
    bool is_known_nonnegative(const Poly &p);
    Poly apply_facts(const Poly &p);
    /* Tests that decide together. */
    struct Test {
        const Cond *c;
        basic_block yes, no;
        std::set<basic_block> tests;
    };
    Test read_test(basic_block bb, const Frame &frame);
    double find_probability(basic_block bb, const Test &test);
    bool join_tests(Test *test, basic_block join, const Frame &frame);
    bool is_pure_test(basic_block bb);
    basic_block skip_leaving_tests(basic_block bb, const Frame &frame);
    const Cond *read_decision(basic_block bb);
    bool passes_constructs(basic_block bb, const Cond *c);
    bool has_effects(const class loop *l, bool *parallel, bool *workshare);
    struct Blocks {
        std::vector<basic_block> all;
        std::vector<bool> has; /* by index */
    };
    Blocks reachable(basic_block from, basic_block stop, const Frame &frame);
    basic_block find_meeting(basic_block yes, basic_block no, basic_block stop, const Frame &frame);
    /* What two ways of a branch have in common, before they meet for good, is walked for each if it
     * is little, and there is not too much of it in all. */
    enum { FEW_BLOCKS = 10, MOST_WALKS = 3000, MANY_WALKS = 12000, ENDLESS_WALKS = 200000 };
    enum { DEEP = 200, TOO_DEEP = 400 };
    unsigned walks = 0;                   /* of blocks that do something */
    unsigned all_walks = 0;               /* of blocks */
    std::vector<signed char> known_to_do; /* by index; 0: not looked at */
    bool does_something(basic_block bb);
    bool skips(basic_block bb, basic_block join, const Frame &frame);
    std::vector<basic_block> meetings; /* those around the block that is walked */
    bool may_end(basic_block from, basic_block stop, const Frame &frame);
    basic_block find_end_of_ways(basic_block bb, const Frame &frame);
    basic_block find_join(basic_block bb, const Frame &frame);
};

void Structure::add_unknown(plussi_unknown_kind kind, location_t loc, const std::string &reason,
                            Object *object)
{
    Item *it = an.make_item(PLUSSI_N_UNKNOWN, loc);
    it->unknown = kind;
    it->reason = reason;
    it->a = object;
    add_item(it);
}

Item *Analysis::make_item(plussi_node_kind kind, location_t loc)
{
    items.emplace_back(kind);
    items.back().loc = loc;
    return &items.back();
}

/* The operations of the code whose items go into `sink`. NULL: outside of all loops and constructs,
 * where they are not counted. */
Operations *Structure::operations_here()
{
    if (!options.ops || !parent)
        return nullptr;
    return sink == &parent->orelse ? &parent->orelse_ops : &parent->ops;
}

void Structure::count_block(basic_block bb)
{
    Operations *out = operations_here();
    Marker m;
    for (gimple_stmt_iterator i = gsi_start_bb(bb); out && !gsi_end_p(i); gsi_next(&i))
        if (!is_gimple_debug(gsi_stmt(i)) && !gimple_clobber_p(gsi_stmt(i)) &&
            !an.shadow.read_marker(gsi_stmt(i), &m))
            add_operations(an, gsi_stmt(i), out);
}

/* What is not in the nest of a block that does nothing but test. */
void Structure::leave_test(basic_block bb)
{
    count_block(bb);
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
        if (is_gimple_assign(gsi_stmt(i)) && gimple_assign_load_p(gsi_stmt(i)) &&
            an.is_read_again(gsi_stmt(i)))
            an.read_again.push_back(gsi_stmt(i));
}

/* The operations of branches that are not described because they access nothing. */
void Structure::keep_longest_way(const std::vector<Item *> &chain)
{
    const Operations *longest = nullptr;
    for (const Item *it : chain)
        for (const Operations *way : {&it->ops, &it->orelse_ops})
            if (!longest || way->total() > longest->total())
                longest = way;
    Operations *out = operations_here();
    if (out && longest)
        out->add(*longest);
}

void Structure::add_reference(gimple *g, tree mem, bool write)
{
    basic_block bb = gimple_bb(g);
    /* Scalars in memory are no references unless scalars=on. */
    if (DECL_P(mem) && !options.scalars && TREE_CODE(TREE_TYPE(mem)) != ARRAY_TYPE)
        return;
    for (tree t = mem; handled_component_p(t) && !options.scalars; t = TREE_OPERAND(t, 0))
        if (TREE_CODE(t) == COMPONENT_REF && is_descriptor(TREE_TYPE(TREE_OPERAND(t, 0))))
            return;
    an.refs.push_back(Ref());
    Ref *r = &an.refs.back();
    r->write = write;
    r->stmt = g;
    /* GCC 11 gives array references no location of their own; their statements have the operator's.
     */
    location_t loc = EXPR_HAS_LOCATION(mem) ? EXPR_LOCATION(mem) : gimple_location(g);
    location_t place = get_pure_location(line_table, loc);
    if (in_system_header_at(loc) && gimple_location(g) != UNKNOWN_LOCATION)
        loc = gimple_location(g);
    bool fine = an.find_address(mem, bb, r);
    r->unneeded = r->is_constant;
    r->write = write;
    r->stmt = g;
    r->place = place;
    r->atomic = an.shadow.atomic.count(g) != 0;
    if (fine) {
        Item *it = an.make_item(PLUSSI_N_REF, loc);
        it->ref = r;
        add_item(it);
    } else if (r->choice && an.taken.size() < 4 && !an.taken.count(r->choice)) {
        Item *it = an.make_item(PLUSSI_N_IF, loc);
        it->cond = r->choice->cond;
        add_item(it);
        for (bool way : {true, false}) {
            an.taken[r->choice] = way;
            Inside inside(*this, it, way ? &it->body : &it->orelse);
            add_reference(g, mem, write);
        }
        an.taken.erase(r->choice);
    } else if (!r->is_constant) {
        add_unknown(PLUSSI_UNKNOWN_REFERENCE, loc,
                    std::string(write ? "write of " : "read of ") + an.describe(mem) + ": " +
                        r->reason,
                    r->object);
        sink->back()->left.parts.push_back({g, write ? LeftOut::Write : LeftOut::Read});
    }
}

/* Accesses to variables that a register would hold. */
void Structure::add_registers(gimple *g, const std::vector<tree> &variables, bool write)
{
    for (tree var : variables) {
        const HOST_WIDE_INT width = int_size_in_bytes(TREE_TYPE(var));
        if (width <= 0)
            continue;
        an.refs.push_back(Ref());
        Ref *r = &an.refs.back();
        r->object = an.register_object(var);
        r->width = width;
        r->type = r->elem_type = TREE_TYPE(var);
        r->write = write;
        r->stmt = g;
        Item *it = an.make_item(PLUSSI_N_REF, gimple_location(g));
        it->ref = r;
        add_item(it);
    }
}

void Structure::add_call(gcall *g)
{
    for (unsigned i = 0; i < gimple_call_num_args(g); i++)
        if (is_memory(gimple_call_arg(g, i)))
            add_reference(g, gimple_call_arg(g, i), false);
    tree fn = gimple_call_fndecl(g);
    if (fn && fndecl_built_in_p(fn, BUILT_IN_NORMAL)) {
        switch (DECL_FUNCTION_CODE(fn)) {
        case BUILT_IN_GOMP_BARRIER:
            add_item(an.make_item(PLUSSI_N_BARRIER, gimple_location(g)));
            return;
        case BUILT_IN_GOMP_CANCEL:
            note_loop(gimple_location(g), "omp cancel is taken to cancel nothing");
            return;
        case BUILT_IN_GOMP_CANCELLATION_POINT:
            return;
        default:
            break;
        }
    }
    if (is_taken_for_clock(g))
        note_loop(gimple_location(g),
                  "`" + name_of(fn) + "' is taken to read a clock, and no memory of the program");
    if (!is_harmless(g) || ((gimple_call_flags(g) & ECF_PURE) && !gimple_call_internal_p(g) &&
                            !(gimple_call_flags(g) & ECF_CONST))) {
        std::string f = fn ? name_of(fn) : "";
        add_unknown(PLUSSI_UNKNOWN_CALL, gimple_location(g),
                    f.empty() ? "a call through a pointer" : "a call to `" + f + "'");
        sink->back()->left.parts.push_back({g, LeftOut::Call});
    }
    if (is_memory(gimple_call_lhs(g)))
        add_reference(g, gimple_call_lhs(g), true);
}

/* Opens and closes the constructs that marker calls name. */
bool Structure::follow_marker(gimple *g, Frame &frame, std::vector<Open> &open)
{
    static const std::map<ConstructKind, plussi_node_kind> kinds = {
        {ConstructKind::Parallel, PLUSSI_N_PARALLEL},
        {ConstructKind::Single, PLUSSI_N_SINGLE},
        {ConstructKind::Master, PLUSSI_N_MASTER},
        {ConstructKind::Critical, PLUSSI_N_CRITICAL},
        {ConstructKind::Ordered, PLUSSI_N_ORDERED}};
    Marker m;
    if (!an.shadow.read_marker(g, &m))
        return false;
    const Construct *c = m.construct;
    auto kind = kinds.find(c->kind);
    if (kind != kinds.end() && m.end) {
        close_construct(c, open);
    } else if (kind != kinds.end()) {
        open_construct(m, g, kind->second, open);
    } else if (c->kind == ConstructKind::Body) {
        if (frame.item && c->dim > 0)
            frame.item->collapsed = true;
        else if (frame.item)
            set_worksharing(frame.item, c->of);
    } else if (c->kind == ConstructKind::Unknown) {
        add_unknown(PLUSSI_UNKNOWN_CONSTRUCT, c->loc, c->what);
        sink->back()->construct = c;
        sink->back()->holds_parallel = true;
    } else if (!m.end && c->has_chunk) { /* for, sections */
        chunk[c] = an.at(m.arg[0], gimple_bb(g));
    }
    return true;
}

void Structure::set_worksharing(Item *loop, const Construct *c)
{
    loop->construct = c;
    loop->loc = c->loc;
    loop->has_chunk = c->has_chunk;
    if (c->has_chunk)
        loop->chunk = chunk[c];
    int64_t size = 1;
    if (loop->chunk.is_const(&size) && size < 1) {
        loop->chunk = Poly();
        loop->has_chunk = false; /* as if there were none */
    }
}

void Structure::close_construct(const Construct *c, std::vector<Open> &open)
{
    if (open.empty() || open.back().construct != c) {
        broken = true;
        return;
    }
    parent = open.back().parent;
    sink = open.back().sink;
    open.pop_back();
}

void Structure::open_construct(const Marker &m, gimple *g, plussi_node_kind kind,
                               std::vector<Open> &open)
{
    const Construct *c = m.construct;
    Item *it = an.make_item(kind, c->loc);
    it->construct = c;
    if (c->has_threads)
        it->threads = an.at(m.arg[0], gimple_bb(g));
    if (c->has_if && m.arg[1])
        it->cond = an.resolve(an.read_nonzero(m.arg[1], g), gimple_bb(g)->loop_father);
    add_item(it);
    open.push_back({c, parent, sink});
    parent = it;
    sink = &it->body;
}

void Structure::add_statement(gimple *g, Frame &frame, std::vector<Open> &open)
{
    if (is_gimple_debug(g) || gimple_clobber_p(g) || follow_marker(g, frame, open))
        return;
    if (Operations *out = operations_here())
        add_operations(an, g, out);
    RegisterAccesses registers;
    if (options.registers)
        find_register_accesses(g, &registers);
    add_registers(g, registers.before, false);
    if (gassign *a = dyn_cast<gassign *>(g)) {
        tree rhs = gimple_assign_rhs1(a), lhs = gimple_assign_lhs(a);
        bool unused = an.shadow.atomic.count(g) && TREE_CODE(lhs) == SSA_NAME && has_zero_uses(lhs);
        bool read = gimple_assign_single_p(a) && is_memory(rhs);
        if (read && (unused || an.is_read_again(g)))
            an.read_again.push_back(g);
        else if (read)
            add_reference(g, rhs, false);
        add_registers(g, registers.subscripts, false);
        if (is_memory(lhs))
            add_reference(g, lhs, true);
    } else if (gcall *c = dyn_cast<gcall *>(g)) {
        add_call(c);
    } else if (gasm *a = dyn_cast<gasm *>(g)) {
        if (gimple_vuse(a))
            add_unknown(PLUSSI_UNKNOWN_CALL, gimple_location(g), "an asm statement");
    }
    if (registers.written)
        add_registers(g, {registers.written}, true);
}

/* Does the block compute a condition and nothing else? */
bool Structure::is_pure_test(basic_block bb)
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
        if (is_gimple_debug(g) || gimple_code(g) == GIMPLE_LABEL ||
            (gimple_code(g) == GIMPLE_COND && !options.registers))
            continue;
        if (options.registers && gimple_code(g) == GIMPLE_COND && !has_register_accesses(g))
            continue;
        if (!is_gimple_assign(g) || gimple_vdef(g))
            return false;
        if (options.registers && has_register_accesses(g))
            return false;
        if (gimple_assign_single_p(g) && is_memory(gimple_assign_rhs1(g)) &&
            !(DECL_P(gimple_assign_rhs1(g)) && !options.scalars) && !an.is_read_again(g))
            return false;
    }
    return true;
}

/* Is there a construct on a path from a block to `stop'? */
static bool leads_to_construct(Shadow &shadow, basic_block from, basic_block stop)
{
    std::set<basic_block> seen{from, stop};
    std::vector<basic_block> work{from};
    while (!work.empty()) {
        basic_block bb = work.back();
        work.pop_back();
        if (!shadow.markers_in(bb).empty())
            return true;
        edge e;
        edge_iterator ei;
        FOR_EACH_EDGE(e, ei, bb->succs)
        if (!(e->flags & (EDGE_EH | EDGE_ABNORMAL)) && seen.insert(e->dest).second)
            work.push_back(e->dest);
    }
    return false;
}

/* Does the way that a condition takes pass by all constructs that its other way leads to, as a
 * pointer is taken not to be null? The run that has them is the one to be described. */
bool Structure::passes_constructs(basic_block bb, const Cond *c)
{
    edge t, f;
    extract_true_false_edges_from_block(bb, &t, &f);
    basic_block end = get_immediate_dominator(CDI_POST_DOMINATORS, bb);
    basic_block taken = (c->op == Cond::True ? t : f)->dest;
    basic_block other = (c->op == Cond::True ? f : t)->dest;
    return other != end && leads_to_construct(an.shadow, other, end) &&
           (taken == end || !leads_to_construct(an.shadow, taken, end)) &&
           an.rests_on_null_test(bb);
}

/* The condition at the end of bb. If it cannot be described but all threads decide it alike, it
 * refers to the statement that decides. */
const Cond *Structure::read_decision(basic_block bb)
{
    const Cond *c = an.resolve(an.read_condition(bb), bb->loop_father);
    if ((c->op == Cond::True || c->op == Cond::False) && passes_constructs(bb, c))
        c = an.decided_once(plussi_last_stmt(bb), gimple_location(plussi_last_stmt(bb)));
    if (!c)
        return an.ex.unknown("a test whether a pointer is null", plussi_last_stmt(bb),
                             gimple_location(plussi_last_stmt(bb)));
    std::string why = find_unknown(c, true);
    Item probe(PLUSSI_N_IF);
    probe.parent = parent;
    if (why.empty() || !is_executed_by_all(&probe))
        return c;
    /* Data may decide about accesses, but a symbol about constructs. */
    return find_unknown(c).empty() &&
                   !leads_to_construct(an.shadow, bb,
                                       get_immediate_dominator(CDI_POST_DOMINATORS, bb))
               ? c
               : an.decide(plussi_last_stmt(bb), gimple_location(plussi_last_stmt(bb)),
                           [this](gimple *test, location_t loc, const std::string &part) {
                               return an.ex.unknown(part, test, loc);
                           });
}

basic_block skip_empty(basic_block bb)
{
    while (single_succ_p(bb) && empty_block_p(bb) && gimple_seq_empty_p(phi_nodes(bb)) &&
           bb->loop_father->header != bb)
        bb = single_succ(bb);
    return bb;
}

/* The first block after tests whose other way leaves the loop: the run that stays is described.
 * (What comes after such a test in an uncounted loop is executed once less.) */
basic_block Structure::skip_leaving_tests(basic_block bb, const Frame &frame)
{
    for (int hops = 0;
         frame.in && !frame.uncounted && hops < 400 && single_pred_p(bb) && is_pure_test(bb);
         hops++) {
        edge t, f;
        extract_true_false_edges_from_block(bb, &t, &f);
        bool out = !flow_bb_inside_loop_p(frame.in, t->dest);
        if (out == !flow_bb_inside_loop_p(frame.in, f->dest) || (out ? t : f) == frame.leave)
            break;
        bb = (out ? f : t)->dest;
    }
    return bb;
}

/* Does every path to bb come from these tests? */
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

Structure::Test Structure::read_test(basic_block bb, const Frame &frame)
{
    edge t, f;
    extract_true_false_edges_from_block(bb, &t, &f);
    return {read_decision(bb),
            skip_leaving_tests(t->dest, frame),
            skip_leaving_tests(f->dest, frame),
            {bb}};
}

/* Joins the tests of if (a && b), if ((a || b) && (c || d)), which are blocks of their own. True:
 * both ways end at one block. */
bool Structure::join_tests(Test *test, basic_block join, const Frame &frame)
{
    for (bool again = true; again;) {
        if (skip_empty(test->yes) == skip_empty(test->no))
            return true;
        again = false;
        for (bool side : {true, false}) {
            basic_block x = side ? test->yes : test->no, other = side ? test->no : test->yes;
            if (x == join || x == other || !only_from(x, test->tests) || !is_pure_test(x) ||
                x->loop_father != (*test->tests.begin())->loop_father)
                continue;
            Test next = read_test(x, frame);
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

/* Is there more to a block than tests, and values that they choose? GCC makes fewer blocks of these
 * when it optimises. */
bool Structure::does_something(basic_block bb)
{
    known_to_do.resize(last_basic_block_for_fn(cfun));
    signed char &known = known_to_do[bb->index];
    if (!known) {
        const bool tests = safe_dyn_cast<gcond *>(plussi_last_stmt(bb));
        known = -1;
        for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
            gimple *g = gsi_stmt(i);
            if (gimple_vdef(g) || is_gimple_call(g) || (!tests && gimple_vuse(g)))
                known = 1;
        }
    }
    return known > 0;
}

/* The blocks on the ways from a block to `stop', in the loop that is walked. */
Structure::Blocks Structure::reachable(basic_block from, basic_block stop, const Frame &frame)
{
    Blocks out{{}, std::vector<bool>(last_basic_block_for_fn(cfun))};
    std::vector<basic_block> work{from};
    while (!work.empty()) {
        basic_block bb = work.back();
        work.pop_back();
        if (bb == stop || bb == EXIT_BLOCK_PTR_FOR_FN(cfun) || out.has[bb->index] ||
            (frame.in && (!flow_bb_inside_loop_p(frame.in, bb) || bb == frame.in->header)))
            continue;
        out.has[bb->index] = true;
        out.all.push_back(bb);
        edge e;
        edge_iterator ei;
        FOR_EACH_EDGE(e, ei, bb->succs)
        if (!(e->flags & (EDGE_EH | EDGE_ABNORMAL)))
            work.push_back(e->dest);
    }
    return out;
}

/* Where the two ways of a branch meet before `stop', if neither takes an exit past that place
 * (`if (a) { ...; if (failed) return; }`): the run that stays is described. NULL: nowhere, or at
 * several places, or what follows is little enough to be described for each way. */
basic_block Structure::find_meeting(basic_block yes, basic_block no, basic_block stop,
                                    const Frame &frame)
{
    if (yes == stop || no == stop)
        return nullptr;
    Blocks a = reachable(yes, stop, frame), b = reachable(no, stop, frame);
    basic_block found = nullptr;
    size_t common = 0;
    for (basic_block bb : a.all) {
        if (!b.has[bb->index])
            continue;
        common += does_something(bb);
        bool entered = bb == yes || bb == no;
        edge e;
        edge_iterator ei;
        FOR_EACH_EDGE(e, ei, bb->preds)
        entered |= a.has[e->src->index] != b.has[e->src->index];
        if (entered && found)
            return nullptr;
        found = entered ? bb : found;
    }
    return common > FEW_BLOCKS || walks > MOST_WALKS ? found : nullptr;
}

/* May the loop's iteration end on a way from a block that does not pass `stop'? */
bool Structure::may_end(basic_block from, basic_block stop, const Frame &frame)
{
    const std::vector<basic_block> on_the_way = reachable(from, stop, frame).all;
    return std::any_of(on_the_way.begin(), on_the_way.end(),
                       [&](basic_block bb) { return find_edge(bb, frame.in->header); });
}

/* Where the ways from a block that stay in the loop meet. In a loop that is left in its midst, what
 * post-dominates the block is on the way out, maybe in another iteration. NULL: at the iteration's
 * end. */
basic_block Structure::find_end_of_ways(basic_block bb, const Frame &frame)
{
    constexpr size_t MOST = 256; /* blocks */
    const basic_block after = get_immediate_dominator(CDI_POST_DOMINATORS, bb);
    if (!frame.uncounted)
        return after;
    const bool inside = after && after != EXIT_BLOCK_PTR_FOR_FN(cfun) &&
                        after != frame.in->header && flow_bb_inside_loop_p(frame.in, after);
    if (inside && !may_end(bb, after, frame)) /* the usual case: no exit on the way */
        return after;
    const std::vector<basic_block> ahead = reachable(bb, NULL, frame).all;
    if (ahead.size() > MOST || !may_end(bb, NULL, frame))
        return after;
    basic_block nearest = nullptr;
    size_t most = 0;
    for (basic_block meeting : ahead) {
        const size_t n = reachable(meeting, NULL, frame).all.size();
        if (meeting != bb && n > most && !may_end(bb, meeting, frame) &&
            may_end(meeting, NULL, frame)) {
            nearest = meeting;
            most = n;
        }
    }
    return nearest;
}

/* Where the ways from a block meet. */
basic_block Structure::find_join(basic_block bb, const Frame &frame)
{
    basic_block join = find_end_of_ways(bb, frame);
    for (size_t i = meetings.size(); i-- > 0;)
        if (meetings[i] != join && reachable(bb, join, frame).has[meetings[i]->index])
            return meetings[i];
    return join;
}

/* The compiler's estimate that tests which begin at bb lead to test.yes. */
double Structure::find_probability(basic_block bb, const Test &test)
{
    double sum = 0;
    edge e;
    edge_iterator ei;
    FOR_EACH_EDGE(e, ei, bb->succs)
    {
        const double p = e->probability.initialized_p()
                             ? (double)e->probability.to_reg_br_prob_base() / REG_BR_PROB_BASE
                             : 0.5;
        if (skip_empty(e->dest) == skip_empty(test.yes))
            sum += p;
        else if (test.tests.count(e->dest))
            sum += p * find_probability(e->dest, test);
    }
    return sum;
}

/* Where too many ways have been followed, or too many are within each other for a nest, what
 * branches lead to before they meet is left out if it holds no construct: one unknown in the place
 * of the whole function. */
bool Structure::skips(basic_block bb, basic_block join, const Frame &frame)
{
    int around = 0;
    for (const Item *p = parent; p; p = p->parent)
        around++;
    if ((walks <= MANY_WALKS && depth <= DEEP && around < PLUSSI_MAX_DEPTH - 4) || !join ||
        (frame.in && !flow_bb_inside_loop_p(frame.in, join)))
        return false;
    edge e;
    edge_iterator ei;
    FOR_EACH_EDGE(e, ei, bb->succs)
    if (e->dest != join && leads_to_construct(an.shadow, e->dest, join))
        return false;
    return true;
}

basic_block Structure::add_branch(basic_block bb, Frame &frame)
{
    location_t loc = gimple_location(plussi_last_stmt(bb));
    basic_block join = find_join(bb, frame);
    if (skips(bb, join, frame)) {
        add_unknown(PLUSSI_UNKNOWN_CONTROL, loc, "too many branches, one after another");
        return join;
    }
    Test test = read_test(bb, frame);
    bool one_way = join_tests(&test, join, frame);
    for (basic_block t : test.tests)
        if (t != bb)
            leave_test(t);
    if (one_way)
        return test.yes;
    const Cond *c = test.c;
    basic_block yes = test.yes, no = test.no;
    if (frame.uncounted && (!flow_bb_inside_loop_p(frame.in, skip_empty(yes)) ||
                            !flow_bb_inside_loop_p(frame.in, skip_empty(no))))
        frame.exits_inside++; /* if (a && b) break; */
    const size_t around = meetings.size();
    if (n_basic_blocks_for_fn(cfun) > FEW_BLOCKS || walks > MOST_WALKS)
        if (basic_block meeting = find_meeting(yes, no, join, frame))
            meetings.push_back(join = meeting);

    Item *it = an.make_item(PLUSSI_N_IF, loc);
    it->cond = c;
    it->bb = bb;
    it->parent = parent;
    if (options.branches)
        it->probability = find_probability(bb, test);
    facts.push_back(c);
    if (c->op != Cond::False) {
        Inside inside(*this, it, &it->body);
        walk_blocks(yes, join, frame);
    }
    facts.back() = an.ex.negate(c);
    if (c->op != Cond::True) {
        Inside inside(*this, it, &it->orelse);
        walk_blocks(no, join, frame);
    }
    facts.pop_back();
    meetings.resize(around);
    if ((it->body.empty() && it->orelse.empty()) || c->op == Cond::True || c->op == Cond::False) {
        for (Item *k : c->op == Cond::True ? it->body : it->orelse)
            add_item(k);
        keep_longest_way({it});
        return join;
    }
    if (it->body.empty())
        negate_branch(an.ex, it);
    join_nested(an.ex, it);
    add_item(it);
    return join;
}

/* The blocks that a switch on v leads to, without the default, and the condition of each. */
std::vector<std::pair<basic_block, const Cond *>> Structure::switch_ways(gswitch *s, const Poly &v)
{
    std::vector<std::pair<basic_block, const Cond *>> ways;
    for (unsigned i = 1; i < gimple_switch_num_labels(s); i++) {
        tree label = gimple_switch_label(s, i), low = CASE_LOW(label), high = CASE_HIGH(label);
        basic_block dest = label_to_block(cfun, CASE_LABEL(label));
        const Cond *c;
        if (!tree_fits_shwi_p(low) || (high && !tree_fits_shwi_p(high)))
            c = an.ex.unknown("a case label of more than 64 bits");
        else if (high)
            c = an.ex.both(an.ex.relation(Cond::Ge, v, Poly(tree_to_shwi(low))),
                           an.ex.relation(Cond::Le, v, Poly(tree_to_shwi(high))));
        else
            c = an.ex.relation(Cond::Eq, v, Poly(tree_to_shwi(low)));
        auto it = std::find_if(ways.begin(), ways.end(),
                               [&](const auto &way) { return way.first == dest; });
        if (it == ways.end())
            ways.push_back({dest, c});
        else
            it->second = an.ex.either(it->second, c);
    }
    return ways;
}

/* A switch: a chain of ifs on its value. */
basic_block Structure::add_switch(basic_block bb, Frame &frame)
{
    gswitch *s = safe_dyn_cast<gswitch *>(plussi_last_stmt(bb));
    basic_block join = find_join(bb, frame);
    location_t loc =
        plussi_last_stmt(bb) ? gimple_location(plussi_last_stmt(bb)) : UNKNOWN_LOCATION;
    if (!s) {
        add_unknown(PLUSSI_UNKNOWN_CONTROL, loc, "a branch of many ways");
        return join;
    }
    std::vector<Item *> chain;
    std::vector<Item *> *at = &chain;
    Inside inside(*this, parent, sink);
    bool any = false;
    for (auto &way : switch_ways(s, an.at(gimple_switch_index(s), bb))) {
        Item *it = an.make_item(PLUSSI_N_IF, loc);
        it->cond = way.second;
        it->bb = bb;
        it->parent = parent;
        parent = it;
        sink = &it->body;
        walk_blocks(way.first, join, frame);
        any |= !it->body.empty();
        at->push_back(it);
        at = &it->orelse;
    }
    sink = at;
    walk_blocks(gimple_switch_default_bb(cfun, s), join, frame);
    any |= !at->empty();
    parent = inside.parent;
    sink = inside.sink;
    if (any)
        for (Item *it : chain)
            add_item(it);
    else
        keep_longest_way(chain);
    return join;
}

/* The symbol for how often an exit is passed (Structure::times_passed). */
static std::string passes_key(basic_block exit)
{
    return "passes:" + std::to_string(exit->index);
}

void Structure::walk_blocks(basic_block bb, basic_block stop, Frame &frame)
{
    std::vector<Open> open;
    bool left_inside = false; /* the loop is left here, in a branch, */
    size_t n_before = 0;      /* after so many items */
    auto note_left = [&] {
        n_before = left_inside ? n_before : sink->size();
        left_inside = true;
    };
    if (++depth > TOO_DEEP)
        broken = true;
    while (!broken && bb && bb != stop && bb != EXIT_BLOCK_PTR_FOR_FN(cfun)) {
        const class loop *l = bb->loop_father;
        here = bb;
        walks += does_something(bb);
        if (++all_walks > ENDLESS_WALKS)
            broken = true;
        if (loop_depth(l) > 0 && l->header == bb && l != frame.in) {
            bb = emit_loop(l, frame);
            continue;
        }
        if (frame.in && !flow_bb_inside_loop_p(frame.in, bb))
            break; /* on the way out of the loop */
        if (bb->flags & BB_IRREDUCIBLE_LOOP) {
            gimple *first = first_stmt(bb);
            while (first && gimple_location(first) == UNKNOWN_LOCATION &&
                   first != plussi_last_stmt(bb))
                first = next_stmt(first);
            add_unknown(PLUSSI_UNKNOWN_CONTROL, first ? gimple_location(first) : UNKNOWN_LOCATION,
                        "control jumps into the middle of a loop");
            while (bb && bb != stop && (bb->flags & BB_IRREDUCIBLE_LOOP))
                bb = get_immediate_dominator(CDI_POST_DOMINATORS, bb);
            continue;
        }
        for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
            add_statement(gsi_stmt(i), frame, open);
        if (EDGE_COUNT(bb->succs) == 0)
            break;
        edge e, stay = NULL;
        edge_iterator ei;
        bool leaves = false;
        FOR_EACH_EDGE(e, ei, bb->succs)
        {
            if (frame.in && !flow_bb_inside_loop_p(frame.in, e->dest)) {
                leaves = true;
                if (frame.uncounted && open.empty() && sink == &frame.item->body) {
                    frame.exits.push_back({sink->size(), bb, nullptr});
                } else if (frame.uncounted && open.empty()) {
                    frame.exits_inside++;
                    note_left();
                }
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
        } else {
            const size_t inside = frame.exits_inside;
            const basic_block from = bb;
            const bool watched = frame.uncounted && open.empty();
            const bool in_body = watched && sink == &frame.item->body;
            frame.branch = in_body ? bb : frame.branch;
            bb = EDGE_COUNT(bb->succs) == 2 && safe_dyn_cast<gcond *>(plussi_last_stmt(bb))
                     ? add_branch(bb, frame)
                     : add_switch(bb, frame);
            if (in_body && frame.exits_inside > inside) {
                frame.exits.push_back({sink->size(), from, bb});
                if (an.symbols.count(passes_key(from)))
                    times_passed(frame, from, bb ? bb : frame.in->latch);
            } else if (watched && frame.exits_inside > inside) {
                note_left();
            }
        }
        if (frame.in && bb == frame.in->header)
            break;
    }
    if (!open.empty()) {
        broken = true;
        parent = open.front().parent;
        sink = open.front().sink;
    }
    if (left_inside && !broken)
        guard_inside(frame, n_before);
    depth--;
}

basic_block Structure::find_end(const class loop *l)
{
    basic_block bb = l->header;
    while (bb && bb != EXIT_BLOCK_PTR_FOR_FN(cfun) && flow_bb_inside_loop_p(l, bb))
        bb = get_immediate_dominator(CDI_POST_DOMINATORS, bb);
    return bb;
}

/* The block where the walk continues after a loop. A loop with several exits (a return from a loop
 * that reads options) may lead past constructs: the exit that leads to them is taken. */
basic_block Structure::choose_way_on(const class loop *l, const Frame &around)
{
    basic_block next = find_end(l), found = nullptr;
    auto_vec<edge> exits = get_loop_exit_edges(l);
    if (exits.length() < 2)
        return next;
    for (edge e : exits) {
        if ((e->flags & (EDGE_EH | EDGE_ABNORMAL)) || e->dest == next || e->dest == found ||
            (around.in && !flow_bb_inside_loop_p(around.in, e->dest)) ||
            !leads_to_construct(an.shadow, e->dest, next))
            continue;
        if (found) {
            add_unknown(PLUSSI_UNKNOWN_CONTROL, an.get_loop(l)->loc,
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
            any |= options.registers && has_register_accesses(g);
            if (an.shadow.read_marker(g, &m)) {
                any = true;
                *parallel |= m.construct->kind == ConstructKind::Parallel;
                *workshare |= m.construct->kind == ConstructKind::Body;
            } else if (gcall *c = dyn_cast<gcall *>(g)) {
                any |= !is_harmless(c);
            } else if (is_gimple_assign(g)) {
                for (tree t : {gimple_assign_lhs(g), gimple_assign_rhs1(g)})
                    any |= is_memory(t) && !(DECL_P(t) && TREE_CODE(TREE_TYPE(t)) != ARRAY_TYPE);
            }
        }
    free(body);
    return any;
}

static bool item_uses_iv(const Item *it, const Loop *l)
{
    auto is = [&](const Atom *a) { return a->kind == AtomKind::Iv && a->loop == l; };
    if (it->kind == PLUSSI_N_LOOP)
        return true; /* a loop may not be repeated */
    if (it->cond && any_atom(it->cond, is))
        return true;
    if (it->ref && any_atom(it->ref->offset, is))
        return true;
    for (size_t i = 0; it->ref && i < it->ref->path.size(); i++)
        if (any_atom(it->ref->path[i], is))
            return true;
    for (const std::vector<Item *> *v : {&it->body, &it->orelse})
        for (const Item *k : *v)
            if (item_uses_iv(k, l))
                return true;
    return false;
}

/* Is p >= 0 by the conditions around? */
bool Structure::is_known_nonnegative(const Poly &p)
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
        if (a->kind == AtomKind::Div && is_known_nonnegative(a->args[0] - Poly(least) * a->args[1]))
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

/* Replaces minima and maxima that the conditions around decide. */
Poly Structure::apply_facts(const Poly &p)
{
    constexpr unsigned extremes = kind_bit(AtomKind::Min) | kind_bit(AtomKind::Max);
    return an.ex.replace(p, extremes, [&](const Atom *a, Poly *out) {
        if (a->args.size() != 2)
            return false;
        for (int i = 0; i < 2; i++) {
            Poly d = a->kind == AtomKind::Max ? a->args[i] - a->args[1 - i]
                                              : a->args[1 - i] - a->args[i];
            if (is_known_nonnegative(d)) {
                *out = a->args[i];
                return true;
            }
        }
        return false;
    });
}

/* Can a loop that is not described become a loop over a symbol for its number of iterations? It
 * must hold parallel loops, and all threads must execute it alike. */
bool Structure::is_countable(const class loop *l, bool holds_parallel)
{
    Item probe(PLUSSI_N_LOOP);
    probe.parent = parent;
    return holds_parallel && is_executed_by_all(&probe) && !an.shadow.is_shared_loop(l) &&
           !(l->header->flags & BB_IRREDUCIBLE_LOOP);
}

/* Adds the item of the loop whose body is walked next. */
Item *Structure::add_loop(Loop *r, Frame *frame)
{
    Item *it = an.make_item(PLUSSI_N_LOOP, r->loc);
    it->loop = r;
    it->bb = r->cfg->header;
    r->item = it;
    if (options.ops)
        add_chain(an, r->cfg, r->loc, &it->chain);
    frame->in = r->cfg;
    frame->item = it;
    add_item(it);
    return it;
}

void Structure::walk_body(Frame *frame)
{
    Inside inside(*this, frame->item, &frame->item->body);
    walk_blocks(frame->in->header, NULL, *frame);
}

void Structure::add_uncounted_loop(Loop *r)
{
    note_loop(r->loc, "the number of iterations of this loop is not known (" + r->reason +
                          "); it becomes a symbol");
    Poly trips = an.trips_symbol(r);
    bool serial = !an.shadow.orphaned;
    for (const Item *p = parent; p; p = p->parent)
        serial &= p->kind != PLUSSI_N_PARALLEL;
    if (serial && loop_depth(r->cfg) == 1)
        an.symbols[trips.is_atom()->name].trips =
            r; /* elsewhere a run has more than one such number */
    Frame frame;
    r->name = "trip";
    frame.uncounted = true;
    add_loop(r, &frame)->hi = trips;
    walk_body(&frame);
    an.counts_trips(r);
    const Cond *once_less = an.ex.constant(false);
    for (size_t k = frame.exits.size(); k-- > 0;) {
        Poly times;
        if (!is_passed_by_symbol(r, frame, k, &times))
            continue;
        if (k + 1 == frame.exits.size())
            once_less = an.ex.relation(Cond::Lt, times, trips);
        guard_after_exit(r, frame, k, times);
    }
    add_swaps(r, frame.item);
    undo_swaps(r, once_less);
}

/* How often is an exit in the midst of an uncounted loop passed? Less by one than the construct is
 * executed whose executions are the loop's iterations, or, if there are several ways out, a symbol.
 * False: it is before that construct. */
bool Structure::is_passed_by_symbol(Loop *r, const Frame &frame, size_t number, Poly *times)
{
    const std::vector<Item *> &body = frame.item->body;
    const size_t from = frame.exits[number].before;
    const basic_block exit = frame.exits[number].from, after = frame.exits[number].after;
    size_t counted = 0;
    while (counted < body.size() && body[counted]->kind != PLUSSI_N_PARALLEL)
        counted++;
    bool last = number + 1 == frame.exits.size() && !r->swaps.empty();
    if (counted >= from || (from >= body.size() && !last))
        return false;
    basic_block stays = after;
    edge e;
    edge_iterator ei;
    if (!after)
        FOR_EACH_EDGE(e, ei, exit->succs)
    if (flow_bb_inside_loop_p(r->cfg, e->dest) && single_pred_p(e->dest))
        stays = e->dest;
    *times = times_passed(frame, exit, stays);
    return true;
}

/* How often an exit after the construct that counts the iterations is passed. stays: the block that
 * is executed then; NULL: it is not known yet. */
Poly Structure::times_passed(const Frame &frame, basic_block exit, basic_block stays)
{
    auto_vec<edge> exits = get_loop_exit_edges(frame.in);
    if (exits.length() == 1)
        return frame.item->hi - Poly(1);
    const location_t loc = gimple_location(plussi_last_stmt(exit));
    const std::string key = passes_key(exit);
    SymbolInfo &info = an.symbols[key];
    info.name = "passes_" + std::to_string(expand_location(loc).line);
    info.loc = loc;
    if (stays && an.symbols[frame.item->hi.is_atom()->name].trips)
        info.passed = stays;
    return an.ex.symbol(key, info.name, loc);
}

/* The items from number `from' on are executed in the first `times' iterations. */
void Structure::guard_items(Loop *r, size_t from, basic_block exit, const Poly &times)
{
    Item *guard = an.make_item(PLUSSI_N_IF, gimple_location(plussi_last_stmt(exit)));
    guard->cond = an.ex.relation(Cond::Lt, an.ex.iv(r), times);
    guard->bb = exit;
    guard->parent = parent;
    guard->body.assign(sink->begin() + from, sink->end());
    for (Item *k : guard->body)
        k->parent = guard;
    sink->resize(from);
    sink->push_back(guard);
}

/* What comes after an exit is executed as often as that is passed. */
void Structure::guard_after_exit(Loop *r, const Frame &frame, size_t number, const Poly &times)
{
    if (frame.exits[number].before >= frame.item->body.size())
        return;
    Inside inside(*this, frame.item, &frame.item->body);
    guard_items(r, frame.exits[number].before, frame.exits[number].from, times);
}

/* The same of what comes after an exit in a branch, in that branch. */
void Structure::guard_inside(const Frame &frame, size_t from)
{
    const std::vector<Item *> &body = frame.item->body;
    Loop *r = an.get_loop(frame.in);
    bool counted = std::any_of(body.begin(), body.end(),
                               [](const Item *it) { return it->kind == PLUSSI_N_PARALLEL; });
    if (from < sink->size() && counted && an.counts_trips(r))
        guard_items(r, from, frame.branch, times_passed(frame, frame.branch, NULL));
}

/* The code before the test, the body's first `split' items, is executed once more than the code
 * after it. */
void Structure::repeat_test(Loop *r, Item *it, size_t split)
{
    std::vector<Item *> a(it->body.begin(), it->body.begin() + split);
    std::vector<Item *> b(it->body.begin() + split, it->body.end());
    bool up = r->step > 0;
    bool uses = std::any_of(a.begin(), a.end(), [&](Item *k) { return item_uses_iv(k, r); });
    bool whole = b.empty() && r->swaps.empty();
    if (a.empty())
        return;
    if (!whole && !uses) {
        for (Item *k : a) /* the test that ends the loop; items without loops are shared */
            sink->push_back(k);
        return;
    }
    /* one iteration more, and one at least */
    it->extended = !whole;
    it->tested_last = whole;
    it->hi = apply_facts(up ? an.ex.max(it->hi, r->lo) : an.ex.min(it->hi, r->lo)) + Poly(r->step);
    if (whole)
        return;
    Item *guard = an.make_item(PLUSSI_N_IF, r->loc);
    guard->cond = an.ex.relation(up ? Cond::Lt : Cond::Gt, an.ex.iv(r), r->hi);
    guard->parent = it;
    for (Item *k : b)
        k->parent = guard;
    guard->body = b;
    std::swap(guard->ops, it->ops);
    it->body = a;
    it->body.push_back(guard);
}

void Structure::add_swaps(Loop *r, Item *it)
{
    for (auto &s : r->swaps) {
        if (an.inside_parallel(SSA_NAME_DEF_STMT(s.first)))
            break; /* the references say which pointer it is */
        const Atom *x = an.closed_form(s.first, r->cfg, NULL).is_atom();
        const Atom *y = an.closed_form(s.second, r->cfg, NULL).is_atom();
        if (!x || !y || x->kind != AtomKind::Base || y->kind != AtomKind::Base)
            continue; /* their references have the reason */
        Item *k = an.make_item(PLUSSI_N_SWAP, r->loc);
        k->a = x->object;
        k->b = y->object;
        k->parent = it;
        it->body.push_back(k);
    }
}

/* A loop's last iteration ends where it is left, and exchanges no pointers; the nest's does. */
void Structure::undo_swaps(const Loop *r, const Cond *when)
{
    if (when->op == Cond::False)
        return;
    const std::vector<Item *> body = r->item->body;
    std::vector<Item *> back;
    for (size_t k = body.size(); k-- > 0 && body[k]->kind == PLUSSI_N_SWAP;) {
        back.push_back(an.make_item(PLUSSI_N_SWAP, body[k]->loc));
        back.back()->a = body[k]->a;
        back.back()->b = body[k]->b;
        back.back()->bb = r->cfg->header;
    }
    Item *it =
        when->op == Cond::True || back.empty() ? nullptr : an.make_item(PLUSSI_N_IF, r->item->loc);
    for (Item *k : back) {
        k->parent = it ? it : parent;
        (it ? it->body : *sink).push_back(k);
    }
    if (it) {
        it->cond = when;
        it->bb = r->cfg->header;
        it->parent = parent;
        sink->push_back(it);
    }
}

basic_block Structure::emit_loop(const class loop *l, const Frame &around)
{
    Loop *r = an.get_loop(l);
    bool parallel, workshare;
    bool effects = has_effects(l, &parallel, &workshare);
    basic_block next = choose_way_on(l, around);
    if (!effects && !(operations_here() && r->reason.empty()))
        return next;
    if (!r->reason.empty() && is_countable(l, parallel || workshare || (an.serial && l->inner))) {
        add_uncounted_loop(r);
        return next;
    }
    if (!r->reason.empty()) {
        add_unknown(PLUSSI_UNKNOWN_LOOP, r->loc, r->reason);
        sink->back()->holds_parallel = parallel || workshare;
        sink->back()->left.loops.push_back(l);
        return next;
    }
    Frame frame;
    frame.leave = r->leave;
    Item *it = add_loop(r, &frame);
    it->lo = r->lo;
    it->hi = apply_facts(r->hi);
    it->step = r->step;
    walk_body(&frame);
    if (!frame.tested) {
        broken = true;
        return next;
    }
    repeat_test(r, it, frame.split);
    add_swaps(r, it);
    undo_swaps(r, an.ex.constant(it->extended));
    return next;
}

std::vector<Item *> Structure::build()
{
    std::vector<Item *> top;
    for (const auto &note : an.shadow.assumed)
        note_loop(note.first, note.second);
    sink = &top;
    Frame frame;
    walk_blocks(single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun)), EXIT_BLOCK_PTR_FOR_FN(cfun), frame);
    if (broken) {
        top.clear();
        sink = &top;
        parent = nullptr;
        add_unknown(PLUSSI_UNKNOWN_CONTROL, DECL_SOURCE_LOCATION(an.shadow.decl),
                    "the control flow of the function is not structured");
        top.back()->holds_parallel = true;
        top.back()->bb = single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun));
    }
    here = single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun));
    for (const Construct *c : an.shadow.lost)
        if (c->kind == ConstructKind::For) {
            add_unknown(PLUSSI_UNKNOWN_LOOP, c->loc, "no way leads from it to the function's end");
            top.back()->holds_parallel = true;
        }
    return top;
}

std::vector<Item *> Analysis::build_tree()
{
    return Structure(*this).build();
}

} // namespace pluss
