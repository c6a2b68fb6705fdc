/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plans a region: everything that needs the shadow. See region.h.
 *
 * The entry is the last point that every path to the region's items passes, outside of all loops:
 * found in the shadow's dominator tree, described by a statement of the function. The exit is the
 * first such point after them.
 *
 * A value is taken, in this order: from a parameter; from the statement that computes or loads it
 * if that runs before the entry; by another load at the entry, if nothing that is stored later can
 * change it and the load cannot fail; else where it is computed or loaded, inside of the region.
 */
#include "region/region.h"

#include "common/openmp.h"
#include "common/statements.h"

namespace pluss
{

class Planner
{
  public:
    Planner(Analysis &a, Shapes &s, const std::vector<Item *> &t) : an(a), shapes(s), top(t) {}
    Region plan_all(const NestIndex &index);

  private:
    Analysis &an;
    Shapes &shapes;
    std::vector<Item *> top;
    std::set<gimple *> mine; /* statements of the function */
    std::map<const Construct *, gimple *> ends;
    basic_block entry = nullptr;
    gimple *entry_at = nullptr; /* of the shadow: the region begins before it; NULL: at the end of
                                   the block */

    gimple *find_original(gimple *shadow);
    gimple *find_statement(const Item *it);
    gimple *find_begin(const Item *it);
    void find_entry(Region *r);
    void find_exit(Region *r);
    bool runs_before_entry(gimple *stmt);
    bool may_run_after_entry(gimple *stmt);
    Value plan_given(tree var);
    Value plan_sum(const Value &base, const Poly &p);
    Value plan_member(gphi *phi, basic_block after);
    const Construct *begun_by(gimple *stmt);
    Value plan_variable(tree var, basic_block bb);
    Value plan_phi(gphi *phi);
    Value plan_defined(gimple *def, bool decides);
    Value plan_reload(const Origin &o, const Object *inside, int64_t at, int depth);
    Value plan_value(const Origin &o, const Object *inside, int64_t at, int depth);
    Value plan_symbol(const SymbolInfo &info);
    Value plan_field(const Origin &o, const Object *inside, int64_t at);
    Value plan_field_late(const Origin &o, const Object *inside, int64_t at);
    Value plan_base(const Array *a);
    void find_ends();
    void add_refs(Region *r, const NestIndex &index);
    void add_loops(Region *r, const NestIndex &index);
    void add_calls(Region *r);
    void plan_filling(Region *r, const NestIndex &index);
    gimple *find_step(const Item *it, const LeftOut &left);
    Value plan_object(const Object *o, int depth);
    Value plan_trip_count(const Loop *l);
    Value plan_passes(basic_block bb);
    tree find_own(tree decl) { return an.shadow.find_own(decl); }
};

gimple *Planner::find_original(gimple *shadow)
{
    auto it = an.shadow.origin.find(shadow);
    return it != an.shadow.origin.end() && mine.count(it->second) ? it->second : nullptr;
}

/* The statement of the function that an item begins with. */
gimple *Planner::find_statement(const Item *it)
{
    if (it->kind == PLUSSI_N_REF)
        return find_original(it->ref->stmt);
    if (it->construct && it->kind != PLUSSI_N_LOOP && mine.count(it->construct->original))
        return it->construct->original;
    return nullptr;
}

static basic_block leave_loops(basic_block bb)
{
    class loop *l = bb->loop_father;
    if (loop_depth(l) == 0)
        return bb;
    while (loop_depth(l) > 1)
        l = loop_outer(l);
    return loop_preheader_edge(l)->src;
}

static bool is_control(gimple *g)
{
    return gimple_code(g) == GIMPLE_COND || gimple_code(g) == GIMPLE_SWITCH ||
           gimple_code(g) == GIMPLE_GOTO || gimple_code(g) == GIMPLE_RETURN ||
           gimple_code(g) == GIMPLE_RESX || (is_gimple_call(g) && gimple_call_noreturn_p(g));
}

/* The statement of the shadow that an item begins with; NULL: it is not one of its block. */
gimple *Planner::find_begin(const Item *it)
{
    for (gimple_stmt_iterator i = gsi_start_bb(it->bb); !gsi_end_p(i); gsi_next(&i)) {
        Marker m;
        if ((it->ref && gsi_stmt(i) == it->ref->stmt) ||
            (an.shadow.read_marker(gsi_stmt(i), &m) && m.construct == it->construct))
            return gsi_stmt(i);
    }
    return nullptr;
}

void Planner::find_entry(Region *r)
{
    basic_block at = nullptr;
    for (const Item *it : top) {
        basic_block bb = leave_loops(it->bb);
        at = at ? nearest_common_dominator(CDI_DOMINATORS, at, bb) : bb;
    }
    at = leave_loops(at);
    const Item *first = top.front();
    entry = at;
    if (first->bb == at && loop_depth(at->loop_father) == 0) {
        gimple *g = find_statement(first);
        if (first->kind == PLUSSI_N_IF)
            entry_at = plussi_last_stmt(at);
        else if (g)
            entry_at = find_begin(first);
        r->entry = first->kind == PLUSSI_N_IF && entry_at ? find_original(entry_at) : g;
        if (r->entry)
            return;
        entry_at = nullptr; /* somewhere in this block */
        at = get_immediate_dominator(CDI_DOMINATORS, at);
    }
    for (; at != ENTRY_BLOCK_PTR_FOR_FN(cfun); at = get_immediate_dominator(CDI_DOMINATORS, at)) {
        if (loop_depth(at->loop_father) > 0) /* every iteration executes its exit test */
            at = leave_loops(at);
        entry = at;
        for (gimple_stmt_iterator i = gsi_last_bb(at); !gsi_end_p(i); gsi_prev(&i)) {
            gimple *g = find_original(gsi_stmt(i));
            if (!g || gimple_clobber_p(g))
                continue;
            r->entry = g;
            r->entry_after = !is_control(g);
            entry_at = r->entry_after ? nullptr : gsi_stmt(i);
            if (r->entry_after) {
                gsi_next(&i);
                entry_at = gsi_end_p(i) ? nullptr : gsi_stmt(i);
            }
            return;
        }
        entry_at = nullptr;
    }
    entry = ENTRY_BLOCK_PTR_FOR_FN(cfun);
    entry_at = nullptr;
}

void Planner::find_exit(Region *r)
{
    basic_block at = nullptr;
    for (const Item *it : top) {
        basic_block bb = it->bb;
        if (it->construct && ends.count(it->construct))
            bb = gimple_bb(ends[it->construct]);
        else if (it->kind == PLUSSI_N_IF)
            bb = get_immediate_dominator(CDI_POST_DOMINATORS, bb);
        if (!bb)
            return;
        at = at ? nearest_common_dominator(CDI_POST_DOMINATORS, at, bb) : bb;
    }
    while (at && at != EXIT_BLOCK_PTR_FOR_FN(cfun) && loop_depth(at->loop_father) > 0)
        at = get_immediate_dominator(CDI_POST_DOMINATORS, at);
    const Item *last = top.back();
    if (at && last->construct && ends.count(last->construct) && find_statement(last) &&
        gimple_bb(ends[last->construct]) == at && last->kind != PLUSSI_N_LOOP) {
        r->exit = last->construct->original;
        r->exit_after = true;
        return;
    }
    if (at && last->kind == PLUSSI_N_REF && last->bb == at && find_original(last->ref->stmt)) {
        r->exit = find_original(last->ref->stmt);
        r->exit_after = true;
        return;
    }
    for (; at && at != EXIT_BLOCK_PTR_FOR_FN(cfun);
         at = get_immediate_dominator(CDI_POST_DOMINATORS, at)) {
        if (loop_depth(at->loop_father) > 0)
            continue;
        bool holds = false; /* the block has items of the region: the exit is not before its end */
        for (const Item *it : top)
            holds |= it->bb == at || (it->construct && ends.count(it->construct) &&
                                      gimple_bb(ends[it->construct]) == at);
        if (holds)
            continue;
        for (gimple_stmt_iterator i = gsi_start_bb(at); !gsi_end_p(i); gsi_next(&i)) {
            gimple *g = find_original(gsi_stmt(i));
            if (!g || gimple_code(g) == GIMPLE_LABEL || gimple_clobber_p(g))
                continue;
            r->exit = g;
            return;
        }
    }
}

/* Is a statement executed before the entry, whenever that is reached? */
bool Planner::runs_before_entry(gimple *stmt)
{
    basic_block bb = gimple_bb(stmt);
    if (!bb || loop_depth(bb->loop_father) > 0)
        return false;
    if (bb != entry)
        return dominated_by_p(CDI_DOMINATORS, entry, bb);
    if (gimple_code(stmt) == GIMPLE_PHI || !entry_at)
        return true;
    return gimple_uid(stmt) < gimple_uid(entry_at);
}

/* May a statement be executed after the entry? */
bool Planner::may_run_after_entry(gimple *stmt)
{
    if (entry == ENTRY_BLOCK_PTR_FOR_FN(cfun))
        return true;
    if (entry_at)
        return stmt == entry_at || an.reaches(entry_at, stmt);
    edge e;
    edge_iterator ei;
    FOR_EACH_EDGE(e, ei, entry->succs)
    {
        basic_block bb = e->dest;
        gimple *first = bb == EXIT_BLOCK_PTR_FOR_FN(cfun) ? nullptr : first_stmt(bb);
        if (bb == gimple_bb(stmt) || !first || an.reaches(first, stmt))
            return true;
    }
    return false;
}

Value Planner::plan_object(const Object *o, int depth)
{
    Value v;
    if (o->is_private || depth > 4)
        return v;
    if (o->kind == ObjectKind::Decl) {
        tree decl = find_own(o->decl);
        if (decl && !is_gimple_reg(decl) && !DECL_HAS_VALUE_EXPR_P(decl) &&
            TREE_CODE(decl) != CONST_DECL) {
            v.kind = Value::Address;
            v.operand = decl;
        }
        return v;
    }
    if (o->kind == ObjectKind::Rows)
        return v;
    return plan_value(o->origin, o->inside, o->at, depth + 1);
}

/* What a parameter is at the function's start, or a variable where the part begins. */
Value Planner::plan_given(tree parm)
{
    Value v;
    if (an.shadow.part) {
        tree own = find_own(parm);
        if (!own || (DECL_P(own) && DECL_HAS_VALUE_EXPR_P(own)))
            return v;
        v.kind = is_gimple_reg(own) ? Value::Before : Value::Read;
        v.operand = own;
        v.type = TREE_TYPE(own);
        v.at.push_back(an.shadow.part);
        return v;
    }
    for (tree p = DECL_ARGUMENTS(an.shadow.decl); p; p = DECL_CHAIN(p))
        if (p == parm && is_gimple_reg(parm)) {
            v.kind = Value::Start;
            v.operand = parm;
        }
    return v;
}

static bool assigns(basic_block bb, tree var)
{
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        tree lhs = gimple_get_lhs(gsi_stmt(i));
        if (lhs && TREE_CODE(lhs) == SSA_NAME && SSA_NAME_VAR(lhs) == var)
            return true;
    }
    return false;
}

/* Where a loop is left the variable of one of its header's PHIs has that PHI's value, if nothing
 * that is executed between the header and an exit assigns it. The one block after the loop; NULL:
 * there is none such. */
static basic_block find_left_with(gphi *phi)
{
    const class loop *l = gimple_bb(phi)->loop_father;
    tree var = SSA_NAME_VAR(gimple_phi_result(phi));
    auto_vec<edge> exits = get_loop_exit_edges(l);
    std::set<basic_block> leaving; /* blocks of the loop from which an exit is on the way */
    std::vector<basic_block> work;
    basic_block after = nullptr;
    for (edge e : exits) {
        basic_block to = skip_empty(e->dest);
        if (after && to != after)
            return nullptr;
        after = to;
        if (leaving.insert(e->src).second)
            work.push_back(e->src);
    }
    while (!work.empty()) {
        basic_block bb = work.back();
        work.pop_back();
        if (assigns(bb, var))
            return nullptr;
        edge e;
        edge_iterator ei;
        if (bb != l->header)
            FOR_EACH_EDGE(e, ei, bb->preds)
        if (leaving.insert(e->src).second)
            work.push_back(e->src);
    }
    if (after)
        for (gphi_iterator i = gsi_start_phis(after); !gsi_end_p(i); gsi_next(&i))
            if (SSA_NAME_VAR(gimple_phi_result(i.phi())) == var)
                return nullptr;
    return after;
}

/* The value of a PHI of a member that the shadow has in a register, read from the program's object
 * at the region's entry. */
Value Planner::plan_member(gphi *phi, basic_block after)
{
    Value v;
    tree var = SSA_NAME_VAR(gimple_phi_result(phi)), name;
    const class loop *l = gimple_bb(phi)->loop_father;
    poly_int64 bytes;
    HOST_WIDE_INT offset = 0;
    tree member =
        var && VAR_P(var) && DECL_HAS_DEBUG_EXPR_P(var) ? DECL_DEBUG_EXPR(var) : NULL_TREE;
    tree base = member ? get_addr_base_and_unit_offset(member, &bytes) : NULL_TREE;
    tree own = base && DECL_P(base) && bytes.is_constant(&offset) ? find_own(base) : NULL_TREE;
    if (!own || is_gimple_reg(own) || DECL_HAS_VALUE_EXPR_P(own) || an.inside_parallel(phi) ||
        entry == ENTRY_BLOCK_PTR_FOR_FN(cfun) || !dominated_by_p(CDI_DOMINATORS, entry, after))
        return v;
    unsigned i;
    FOR_EACH_SSA_NAME(i, name, cfun)
    {
        gimple *def = SSA_NAME_DEF_STMT(name);
        if (SSA_NAME_VAR(name) == var && def != phi && gimple_bb(def) &&
            !(loop_depth(l) > 0 && flow_bb_inside_loop_p(l, gimple_bb(def))) &&
            an.reaches(phi, def))
            return v;
    }
    v.kind = Value::Read;
    v.operand = own;
    v.type = TREE_TYPE(var);
    v.offset = offset;
    return v;
}

/* The value of a PHI of the shadow: the variable's, before the first statement after the PHI, or
 * after the loop that it is in the header of. */
Value Planner::plan_phi(gphi *phi)
{
    Value v;
    tree var = SSA_NAME_VAR(gimple_phi_result(phi));
    var = var ? find_own(var) : NULL_TREE;
    basic_block bb = gimple_bb(phi);
    const class loop *l = bb->loop_father;
    if (loop_depth(l) == 0)
        return var && is_gimple_reg(var) ? plan_variable(var, bb) : plan_member(phi, bb);
    bb = find_left_with(phi);
    if (!var || !is_gimple_reg(var))
        return bb ? plan_member(phi, bb) : v;
    if (bb && loop_depth(bb->loop_father) == 0)
        v = plan_variable(var, bb);
    if (v.kind != Value::Unknown || !dominated_by_p(CDI_DOMINATORS, entry, l->header) ||
        flow_bb_inside_loop_p(l, entry))
        return v;
    v = plan_variable(var, l->header); /* in each iteration: at last in the last one */
    v.late = false;
    return v;
}

/* The construct of the function's that begins with a marker of the shadow; NULL: it is no such
 * marker. */
const Construct *Planner::begun_by(gimple *stmt)
{
    Marker m;
    return an.shadow.read_marker(stmt, &m) && !m.end && mine.count(m.construct->original)
               ? m.construct
               : nullptr;
}

/* The value of a variable before the first statement of a block that the function has. */
Value Planner::plan_variable(tree var, basic_block bb)
{
    Value v;
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        gimple *g = find_original(gsi_stmt(i));
        const Construct *begun = begun_by(gsi_stmt(i));
        if (begun && begun->kind == ConstructKind::Parallel)
            g = begun->original;
        if (g && gimple_code(g) != GIMPLE_LABEL) {
            v.kind = Value::Before;
            v.operand = var;
            v.at.push_back(g);
            v.late = !runs_before_entry(gsi_stmt(i)) && gsi_stmt(i) != entry_at;
            break;
        }
    }
    return v;
}

/* The value that a statement of the shadow computes, or a copy of it in a statement that the
 * function has. */
Value Planner::plan_defined(gimple *def, bool decides)
{
    Value v;
    gimple *g = find_original(def);
    for (int hops = 0; !g && hops < 8; hops++) {
        tree name = gimple_get_lhs(def);
        use_operand_p use;
        gimple *next;
        if (!name || TREE_CODE(name) != SSA_NAME || !single_imm_use(name, &use, &next) ||
            !is_gimple_assign(next) ||
            !(gimple_assign_single_p(next) || gimple_assign_cast_p(next)))
            return v;
        def = next;
        g = find_original(def);
    }
    if (!g)
        return v;
    v.at.push_back(g);
    v.late = !runs_before_entry(def);
    if (gimple_code(g) == GIMPLE_COND) {
        v.kind = Value::Truth;
        v.late &= def != entry_at;
    } else if (tree lhs = gimple_get_lhs(g)) {
        v.kind = !is_gimple_reg(lhs) ? Value::Unknown : decides ? Value::Truth : Value::After;
        v.operand = lhs;
        v.perhaps = v.late && !decides && !may_run_after_entry(def);
    }
    return v;
}

/* The value of a load that is repeated at the entry. Unknown if the memory may have changed or the
 * load may fail. */
Value Planner::plan_reload(const Origin &o, const Object *inside, int64_t at, int depth)
{
    Value v;
    bool fixed = inside && o.type, safe = lang_GNU_Fortran();
    for (gimple *s : o.stores)
        fixed &= !may_run_after_entry(s);
    auto always = [&](gimple *load) {
        return dominated_by_p(CDI_POST_DOMINATORS,
                              entry == ENTRY_BLOCK_PTR_FOR_FN(cfun) ? single_succ(entry) : entry,
                              gimple_bb(load));
    };
    for (gimple *load : o.loads)
        safe |= always(load);
    /* Another load from there is executed in any case. */
    for (auto s = an.symbols.begin(); !safe && s != an.symbols.end(); ++s)
        for (gimple *load :
             s->second.object == inside ? s->second.origin.loads : std::vector<gimple *>())
            safe |= always(load);
    if (fixed && inside->kind == ObjectKind::Decl && !inside->is_private) {
        tree decl = find_own(inside->decl);
        if (decl && !DECL_HAS_VALUE_EXPR_P(decl) && !DECL_THREAD_LOCAL_P(decl)) {
            v.kind = Value::Read;
            v.operand = decl;
        }
    } else if (fixed && safe && inside->kind == ObjectKind::Pointer) {
        Value base = plan_object(inside, depth);
        if (base.kind != Value::Unknown && !base.late) {
            v.kind = Value::Follow;
            v.of.push_back(base);
        }
    }
    v.type = o.type;
    v.offset = at;
    return v;
}

Value Planner::plan_value(const Origin &o, const Object *inside, int64_t at, int depth)
{
    if (o.given)
        return plan_given(o.given);
    if (o.def && gimple_code(o.def) == GIMPLE_PHI)
        return plan_phi(as_a<gphi *>(o.def));
    if (o.def)
        return plan_defined(o.def, o.decides);
    Value v;
    for (gimple *load : o.loads)
        if (gimple *g = find_original(load))
            if (runs_before_entry(load) && gimple_get_lhs(g)) {
                v.kind = Value::After;
                v.at.push_back(g);
                v.operand = gimple_get_lhs(g);
                return v;
            }
    Value again = plan_reload(o, inside, at, depth);
    if (again.kind != Value::Unknown)
        return again;
    for (gimple *load : o.loads)
        if (gimple *g = find_original(load))
            if (tree lhs = gimple_get_lhs(g))
                if (is_gimple_reg(lhs)) {
                    v.kind = Value::After;
                    v.late = true;
                    v.at.push_back(g);
                }
    return o.near.empty() ? v : plan_field_late(o, inside, at);
}

/* A field of a descriptor that the program does not load, read where it loads another one. */
Value Planner::plan_field_late(const Origin &o, const Object *inside, int64_t at)
{
    Value v = plan_field(o, inside, at);
    if (v.kind == Value::Unknown)
        return v;
    for (gimple *load : o.near)
        if (gimple *g = find_original(load))
            v.at.push_back(g);
    v.late = true;
    return v.at.empty() ? Value() : v;
}

/* A loop's body runs as often as its first parallel construct is reached. */
Value Planner::plan_trip_count(const Loop *l)
{
    Value v;
    for (const Item *it : l->item ? l->item->body : std::vector<Item *>())
        if (it->kind == PLUSSI_N_PARALLEL && it->construct && it->construct->original &&
            mine.count(it->construct->original)) {
            v.kind = Value::Count;
            v.at.push_back(it->construct->original);
            break;
        }
    return v;
}

/* Greatest common divisor of the line, 64 bytes, and the array's strides. */
static unsigned find_granule(const Array *a)
{
    int64_t g = 64;
    for (const Poly &s : a->stride) {
        int64_t step = 0;
        for (const Term &t : s.terms)
            step = gcd(step, t.coef < 0 ? -t.coef : t.coef);
        g = gcd(g, a->span ? a->elem_bytes : step); /* with a span, in whole elements */
    }
    return g > 0 ? g : 1;
}

std::vector<RegionTest> list_tests(const std::vector<const Item *> &refs)
{
    std::vector<RegionTest> tests;
    std::map<const Item *, unsigned> seen;
    for (unsigned n = 0; n < refs.size(); n++) {
        auto before = seen.emplace(refs[n], n);
        if (before.second)
            continue;
        const Item *around = refs[n]->parent;
        while (around && around->kind != PLUSSI_N_LOOP)
            around = around->parent;
        Loop *l = around ? around->loop : nullptr;
        gcond *test =
            l && l->test && l->leave ? safe_dyn_cast<gcond *>(plussi_last_stmt(l->test)) : nullptr;
        tests.push_back(
            {before.first->second, n, test, test && (l->leave->flags & EDGE_TRUE_VALUE) != 0});
    }
    return tests;
}

/* The markers at the ends of constructs. */
void Planner::find_ends()
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, cfun)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        Marker m;
        if (an.shadow.read_marker(gsi_stmt(i), &m) && m.end)
            ends[m.construct] = gsi_stmt(i);
    }
}

void Planner::add_refs(Region *r, const NestIndex &index)
{
    for (const Item *it : index.refs) {
        const Place &p = shapes.place_of(it->ref);
        const Ref *at = it->ref->with ? it->ref->with : it->ref;
        r->refs.push_back({made_by(it->ref), it->ref->object->name, find_original(at->stmt),
                           at->write, p.width, find_granule(p.array)});
    }
    auto has = [&](gimple *shadow, bool write) {
        if (gimple *g = find_original(shadow))
            r->described.insert({g, write});
    };
    for (const Item *it : index.refs) {
        has(it->ref->stmt, it->ref->write);
        r->depth = MAX(r->depth, loop_depth(gimple_bb(it->ref->stmt)->loop_father));
    }
    for (const Ref &ref : an.refs)
        if (ref.unneeded)
            has(ref.stmt, ref.write);
    for (gimple *g : an.read_again)
        has(g, false);
    for (RegionTest t : list_tests(index.refs))
        if ((t.test = safe_dyn_cast<gcond *>(t.test ? find_original(t.test) : nullptr)))
            r->tests.push_back(t);
}

void Planner::add_loops(Region *r, const NestIndex &index)
{
    for (size_t i = 0; i < index.loops.size(); i++) {
        const Item *it = index.loops[i];
        unsigned teams = 0;
        for (const Item *up = it->parent; up; up = up->parent)
            teams += up->kind == PLUSSI_N_PARALLEL;
        if (!it->construct || teams != 1 || it->construct->tasks)
            continue;
        if (mine.count(it->construct->original))
            r->loops.push_back({(uint32_t)i, it->construct->original,
                                is_dispatched_on_demand(it->construct->schedule)});
        else
            r->unstamped.push_back({it->loc, "it stands in a function that is called"});
    }
}

void Planner::add_calls(Region *r)
{
    std::vector<gimple *> begins;
    for (const Item *it : top) {
        gimple *begin = it->bb ? find_begin(it) : nullptr;
        if (it->bb && !begin)
            begin = first_stmt(it->bb);
        if (begin)
            begins.push_back(begin);
    }
    basic_block bb;
    FOR_EACH_BB_FN(bb, cfun)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        gimple *g = gsi_stmt(i), *own = is_gimple_call(g) ? find_original(g) : nullptr;
        if (own && may_run_after_entry(g) &&
            std::any_of(begins.begin(), begins.end(),
                        [&](gimple *begin) { return an.reaches(g, begin); }))
            r->calls.insert(own);
    }
}

/* ---- what takes the place of unknowns ------------------------------------------------------- */

/* The statement of the function that ends each iteration of a loop, after all that is left out in
 * it: that which advances its variable. NULL: there is none. */
gimple *Planner::find_step(const Item *it, const LeftOut &left)
{
    const Loop *l = it->loop;
    const class loop *cfg = l ? l->cfg : nullptr;
    if (!cfg || !cfg->latch || !l->control || TREE_CODE(l->control) != SSA_NAME)
        return nullptr;
    gphi *phi = safe_dyn_cast<gphi *>(SSA_NAME_DEF_STMT(l->control));
    if (!phi || gimple_bb(phi) != cfg->header)
        return nullptr;
    tree next = PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(cfg));
    gimple *step = TREE_CODE(next) == SSA_NAME ? SSA_NAME_DEF_STMT(next) : nullptr;
    basic_block at = step ? gimple_bb(step) : nullptr;
    if (!at || at->loop_father != cfg || gimple_code(step) == GIMPLE_PHI ||
        !dominated_by_p(CDI_DOMINATORS, cfg->latch, at))
        return nullptr;
    auto_vec<edge> exits = get_loop_exit_edges(cfg);
    for (edge e : exits)
        if (it->tested_last && !dominated_by_p(CDI_DOMINATORS, e->src, at))
            return nullptr;
    for (const auto &part : left.parts) {
        basic_block bb = gimple_bb(part.first);
        if (!bb || (bb == at ? gimple_uid(part.first) > gimple_uid(step)
                             : dominated_by_p(CDI_DOMINATORS, bb, at)))
            return nullptr;
    }
    for (const class loop *in : left.loops)
        if (dominated_by_p(CDI_DOMINATORS, in->header, at))
            return nullptr;
    return find_original(step);
}

/* Are the loop's iterations numbered by the run? */
static bool is_numbered(const Item *it)
{
    const Construct *c = it->construct;
    return c && c->kind == ConstructKind::For && !c->tasks && c->original &&
           gimple_code(c->original) == GIMPLE_OMP_FOR &&
           has_numbered_iterations(as_a<gomp_for *>(c->original));
}

/* The worksharing loop around an unknown, if the unknown is in loops and branches there and its
 * executions can be told apart; then also the loops in between. At most one loop is around that,
 * which executes it each time. */
static const Item *find_numbered(const Item *unknown, std::vector<const Item *> *between)
{
    const Item *shared = nullptr;
    unsigned around = 0, teams = 0;
    for (const Item *p = unknown->parent; p; p = p->parent) {
        const bool loop = p->kind == PLUSSI_N_LOOP;
        if (loop && !shared && p->construct)
            shared = p;
        else if (loop && !shared && !p->collapsed)
            between->push_back(p);
        else if (loop && shared)
            around++;
        else if (p->kind == PLUSSI_N_PARALLEL && shared)
            teams++;
        else if (!loop && (shared || p->kind == PLUSSI_N_PARALLEL))
            return nullptr;
    }
    return shared && around <= 1 && teams == 1 && is_numbered(shared) ? shared : nullptr;
}

/* Of a loop, or of the innermost one in it. */
static unsigned find_depth(const class loop *l)
{
    unsigned depth = loop_depth(l);
    for (const class loop *in = l->inner; in; in = in->next)
        depth = MAX(depth, find_depth(in));
    return depth;
}

/* Of a nest in which nothing depends on the contents of arrays. */
void Planner::plan_filling(Region *r, const NestIndex &index)
{
    std::map<const Loop *, unsigned> number, times;
    std::map<const Item *, unsigned> seen;
    for (size_t i = 0; i < index.loops.size(); i++) {
        number[index.loops[i]->loop] = i;
        times[index.loops[i]->loop]++;
    }
    for (const Item *it : index.unknowns)
        seen[it]++;
    if (index.by_contents || r->orphaned)
        return;
    for (unsigned u = 0; u < index.unknowns.size(); u++) {
        const Item *it = index.unknowns[u];
        std::vector<const Item *> between;
        const Item *shared = seen[it] == 1 ? find_numbered(it, &between) : nullptr;
        if (!shared || times[shared->loop] != 1 || !mine.count(shared->construct->original))
            continue;
        std::map<unsigned, gimple *> done;
        bool all = true;
        for (const Item *in : between) {
            gimple *step = in->extended || times[in->loop] != 1 ? nullptr : find_step(in, it->left);
            all = all && step;
            done[number[in->loop]] = step;
        }
        if (!all)
            continue;
        r->filling.done.insert(done.begin(), done.end());
        r->filling.shared.insert(number[shared->loop]);
        auto add = [&](gimple *shadow, LeftOut::Part part) {
            gimple *g = find_original(shadow);
            if (g && gimple_code(g) == GIMPLE_OMP_ATOMIC_STORE)
                g = find_atomic_load(an.shadow.own_statements, g);
            if (g)
                r->filling.unknown.insert({{g, part}, u});
        };
        for (const auto &part : it->left.parts) {
            add(part.first, part.second);
            r->filling.depth =
                MAX(r->filling.depth, loop_depth(gimple_bb(part.first)->loop_father));
        }
        for (const class loop *in : it->left.loops) {
            r->filling.depth = MAX(r->filling.depth, find_depth(in));
            basic_block *body = get_loop_body(in);
            for (unsigned k = 0; k < in->num_nodes; k++)
                for (gimple_stmt_iterator i = gsi_start_bb(body[k]); !gsi_end_p(i); gsi_next(&i))
                    for (LeftOut::Part part : {LeftOut::Read, LeftOut::Write, LeftOut::Call})
                        add(gsi_stmt(i), part);
            free(body);
        }
    }
}

/* How often a block of the shadow is executed: as often as the first statement from there on that
 * the function has. */
Value Planner::plan_passes(basic_block bb)
{
    Value v;
    const basic_block first = bb;
    for (; bb && (bb == first || single_pred_p(bb));
         bb = single_succ_p(bb) ? single_succ(bb) : nullptr)
        for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
            gimple *g = find_original(gsi_stmt(i));
            if (const Construct *begun = begun_by(gsi_stmt(i)))
                g = begun->original;
            if (g && gimple_code(g) != GIMPLE_LABEL && !is_gimple_debug(g)) {
                v.kind = Value::Count;
                v.at.push_back(g);
                return v;
            }
        }
    return v;
}

Value Planner::plan_symbol(const SymbolInfo &info)
{
    if (info.trips)
        return plan_trip_count(info.trips);
    Value v;
    if (info.passed)
        return plan_passes(info.passed);
    if (info.up && info.down) {
        v.kind = Value::Apart;
        v.offset = info.unit;
        v.of = {plan_object(info.up, 0), plan_object(info.down, 0)};
    } else if (info.there) {
        v.kind = Value::There;
        v.of = {plan_object(info.there, 0)};
    } else {
        return plan_value(info.origin, info.object, info.offset, 0);
    }
    for (const Value &x : v.of)
        if (x.kind == Value::Unknown || x.late)
            v.kind = Value::Unknown;
    return v;
}

/* An address, p bytes further. */
Value Planner::plan_sum(const Value &base, const Poly &p)
{
    Value sum;
    sum.kind = Value::Sum;
    sum.of.push_back(base);
    for (const Term &t : p.terms) {
        Value product;
        product.kind = Value::Product;
        product.offset = t.coef;
        for (const Atom *a : t.mono)
            product.of.push_back(plan_symbol(an.symbols[a->name]));
        for (const Value &x : product.of)
            if (x.kind == Value::Unknown || x.late || x.perhaps)
                return Value();
        sum.of.push_back(product);
    }
    return sum;
}

/* A field of a descriptor, read where the program has just loaded its data pointer. */
Value Planner::plan_field(const Origin &o, const Object *inside, int64_t at)
{
    Value v;
    tree decl = inside && inside->kind == ObjectKind::Decl ? find_own(inside->decl) : NULL_TREE;
    if (!decl || DECL_HAS_VALUE_EXPR_P(decl) || !o.type)
        return v;
    v.kind = Value::Read;
    v.operand = decl;
    v.type = o.type;
    v.offset = at;
    return v;
}

/* Where subscript 0 of an array is. */
Value Planner::plan_base(const Array *a)
{
    Value v = plan_object(a->object, 0);
    if (!a->moved.zero()) {
        if (v.kind == Value::Unknown || v.late)
            return Value();
        v = plan_sum(v, a->moved);
    }
    if (!a->zero || v.kind == Value::Unknown)
        return v;
    Value moved;
    moved.kind = Value::Moved;
    moved.offset = a->elem_bytes;
    moved.of = {v};
    moved.at = v.at;
    moved.late = v.late;
    if (v.late && !(v.kind == Value::After && std::all_of(v.at.begin(), v.at.end(), [](gimple *g) {
                        return gimple_assign_load_p(g);
                    })))
        return Value();
    for (const Atom *part : {a->zero, a->span}) {
        if (!part)
            continue;
        const SymbolInfo &info = an.symbols[part->name];
        moved.of.push_back(v.late ? plan_field(info.origin, info.object, info.offset)
                                  : plan_symbol(info));
        const Value &x = moved.of.back();
        if (x.kind == Value::Unknown || x.late || x.perhaps)
            return Value();
    }
    return v.perhaps ? Value() : moved;
}

Region Planner::plan_all(const NestIndex &index)
{
    Region r;
    r.names = index.names;
    r.part = an.shadow.part;
    r.closed_form = index.closed_form;
    r.by_contents = index.by_contents;
    r.orphaned = an.shadow.orphaned;
    r.serial = an.serial;
    r.elsewhere = an.shadow.elsewhere;
    for (gimple *g : an.shadow.own_statements)
        mine.insert(g);
    for (gimple *g : an.shadow.own_statements)
        if (is_executed_elsewhere(g)) /* a device may execute its body, which can tell nothing */
            for (gimple *in : list_statements(gimple_omp_body(g)))
                mine.erase(in);
    if (r.orphaned && top.size() == 1 && top[0]->kind == PLUSSI_N_PARALLEL && !top[0]->bb)
        top = top[0]->body; /* the parallel item that represents the caller's region */
    renumber_gimple_stmt_uids(cfun);
    find_ends();
    if (!top.empty()) {
        find_entry(&r);
        find_exit(&r);
    }
    if (r.part) {
        r.entry = r.exit = r.part;
        r.entry_after = false;
        r.exit_after = true;
    }
    add_refs(&r, index);
    add_loops(&r, index);
    add_calls(&r);
    plan_filling(&r, index);
    for (const Atom *a : index.symbols) {
        r.symbols.push_back(plan_symbol(an.symbols[a->name]));
        r.changing = r.changing || an.changes_between_runs(an.symbols[a->name]);
    }
    for (const Array *a : index.arrays) /* a view has the address of the array below it */
        r.bases.push_back(a->over ? Value() : plan_base(a));
    return r;
}

Region plan_region(Analysis &an, Shapes &shapes, const std::vector<Item *> &top,
                   const NestIndex &index)
{
    return Planner(an, shapes, top).plan_all(index);
}

} // namespace pluss
