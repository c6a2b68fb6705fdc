/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pointers in memory that a loop around parallel regions stores anew, most often to exchange them
 * with others: global variables, fields, the storage of vectors. They become registers of the
 * shadow, which is in SSA form, so that find_swaps() sees them as it sees local pointers.
 *
 * A place qualifies if it is at a constant offset in a variable or behind a parameter, all its
 * stores are in such loops, and no other store or call may change it. What two parameters of C++
 * or C lead to is taken to be two things (not with assume=off).
 */
#include "analysis/analysis.h"

#include "common/statements.h"
#include "emit/note.h"

namespace pluss
{

/* Does a loop around a block hold a parallel region, that the block is not in? */
static bool is_around_parallel(Analysis &an, gimple *stmt)
{
    if (an.inside_parallel(stmt))
        return false;
    for (const class loop *l = gimple_bb(stmt)->loop_father; loop_depth(l) > 0; l = loop_outer(l)) {
        basic_block bb;
        FOR_EACH_BB_FN(bb, cfun)
        for (const Shadow::Marked &in : an.shadow.markers_in(bb))
            if (in.marker.construct->kind == ConstructKind::Parallel &&
                flow_bb_inside_loop_p(l, bb))
                return true;
    }
    return false;
}

/* A pointer that a statement loads from memory or stores there; NULL_TREE: neither. */
static tree pointer_in_memory(gimple *g, bool *store)
{
    gassign *a = dyn_cast<gassign *>(g);
    if (!a || !gimple_assign_single_p(a) || gimple_clobber_p(a))
        return NULL_TREE;
    *store = is_memory(gimple_assign_lhs(a));
    tree ref = *store ? gimple_assign_lhs(a) : gimple_assign_rhs1(a);
    tree other = *store ? gimple_assign_rhs1(a) : gimple_assign_lhs(a);
    return is_memory(ref) && POINTER_TYPE_P(TREE_TYPE(ref)) && is_gimple_val(other) &&
                   !TREE_THIS_VOLATILE(ref)
               ? ref
               : NULL_TREE;
}

/* The reference with the addresses that its pointers were computed from in their place, so that it
 * can stand at the function's start. NULL_TREE: it is none of a variable or parameter. */
static tree spell_out(tree ref)
{
    tree whole = unshare_expr(ref), *at = &whole;
    for (int hops = 0; hops < 64; hops++) {
        while (handled_component_p(*at))
            at = &TREE_OPERAND(*at, 0);
        if (DECL_P(*at))
            return whole;
        if (TREE_CODE(*at) != MEM_REF)
            return NULL_TREE;
        tree p = TREE_OPERAND(*at, 0);
        if (TREE_CODE(p) == SSA_NAME && SSA_NAME_IS_DEFAULT_DEF(p))
            return whole;
        gassign *d = TREE_CODE(p) == SSA_NAME ? dyn_cast<gassign *>(SSA_NAME_DEF_STMT(p)) : nullptr;
        if (d && gimple_assign_load_p(d))
            return NULL_TREE;
        if (d && gimple_assign_rhs_code(d) == POINTER_PLUS_EXPR &&
            TREE_CODE(gimple_assign_rhs2(d)) == INTEGER_CST) {
            tree more = fold_convert(TREE_TYPE(TREE_OPERAND(*at, 1)), gimple_assign_rhs2(d));
            TREE_OPERAND(*at, 1) = int_const_binop(PLUS_EXPR, TREE_OPERAND(*at, 1), more);
        } else if (!d || !(gimple_assign_single_p(d) || gimple_assign_cast_p(d))) {
            return NULL_TREE;
        }
        p = gimple_assign_rhs1(d);
        if (TREE_CODE(p) != ADDR_EXPR) {
            TREE_OPERAND(*at, 0) = p;
            continue;
        }
        if (!integer_zerop(TREE_OPERAND(*at, 1)) ||
            !useless_type_conversion_p(TREE_TYPE(*at), TREE_TYPE(TREE_OPERAND(p, 0))))
            return NULL_TREE;
        *at = unshare_expr(TREE_OPERAND(p, 0));
    }
    return NULL_TREE;
}

/* A place that holds a pointer. */
struct PointerPlace {
    Ref where;
    tree type = NULL_TREE, ref = NULL_TREE; /* ref: as it is at the function's start */
    std::vector<gimple *> loads, stores;
};

typedef std::vector<PointerPlace> PointerPlaces; /* in the order of the function */

static PointerPlaces find_places(Analysis &an)
{
    PointerPlaces found;
    std::map<std::pair<Object *, int64_t>, size_t> number;
    basic_block bb;
    FOR_EACH_BB_FN(bb, cfun)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        bool store = false;
        tree ref = pointer_in_memory(gsi_stmt(i), &store);
        Ref r;
        int64_t at = 0;
        if (!ref || !an.find_address(ref, bb, &r) || !r.offset.is_const(&at) ||
            !(r.object->kind == ObjectKind::Decl || r.object->is_param))
            continue;
        size_t n = number.insert({{r.object, at}, found.size()}).first->second;
        found.resize(std::max(found.size(), n + 1));
        PointerPlace &p = found[n];
        (store ? p.stores : p.loads).push_back(gsi_stmt(i));
        if (!p.type) {
            p.where = r;
            p.type = TREE_TYPE(ref);
        }
        if (!p.ref)
            p.ref = spell_out(ref);
    }
    return found;
}

bool Analysis::stores_alone(const Ref &r, const std::function<bool(const Object *, gimple *)> &mine)
{
    if (!stores_done)
        collect_stores();
    return std::none_of(stores.begin(), stores.end(), [&](Store &s) {
        return !mine(s.ref && store_address(s) ? s.where.object : nullptr, s.stmt) &&
               may_change(s, r);
    });
}

/* Makes a place a register. */
static void make_register(const PointerPlace &p, const std::string &name)
{
    tree var = create_tmp_reg(p.type);
    DECL_NAME(var) = get_identifier(name.c_str());
    auto assign = [](tree lhs, tree rhs, gimple *instead) {
        gassign *now = useless_type_conversion_p(TREE_TYPE(lhs), TREE_TYPE(rhs))
                           ? gimple_build_assign(lhs, rhs)
                           : gimple_build_assign(lhs, NOP_EXPR, rhs);
        gimple_set_location(now, gimple_location(instead));
        return now;
    };
    for (gimple *g : p.loads) {
        gimple_stmt_iterator i = gsi_for_stmt(g);
        gsi_replace(&i, assign(gimple_get_lhs(g), var, g), false);
    }
    for (gimple *g : p.stores) {
        gimple_stmt_iterator i = gsi_for_stmt(g);
        gsi_insert_before(&i, assign(var, gimple_assign_rhs1(g), g), GSI_SAME_STMT);
        unlink_stmt_vdef(g);
        gsi_remove(&i, true);
        release_defs(g);
    }
    gassign *first = gimple_build_assign(var, p.ref);
    gimple_stmt_iterator i = gsi_after_labels(single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun)));
    gsi_insert_before(&i, first, GSI_SAME_STMT);
}

/* Is the value at the function's start unused, or the same wherever the first of the parallel
 * regions begins? */
static bool begins_unchanged(Analysis &an, const PointerPlace &p)
{
    auto comes_first = [&](gimple *first) {
        auto after = [&](gimple *g) {
            basic_block a = gimple_bb(first), b = gimple_bb(g);
            return g == first || (a == b ? gimple_uid(first) < gimple_uid(g)
                                         : dominated_by_p(CDI_DOMINATORS, b, a));
        };
        return std::all_of(p.stores.begin(), p.stores.end(), after) &&
               std::all_of(p.loads.begin(), p.loads.end(), after);
    };
    size_t around = 0;
    for (gimple *g : p.stores)
        around += is_around_parallel(an, g);
    return around == p.stores.size() ||
           (around > 0 && std::any_of(p.stores.begin(), p.stores.end(), comes_first));
}

void make_exchanged_registers(Shadow &shadow)
{
    Analysis an(shadow);
    bool any = false;
    basic_block bb;
    if (options.scalars || lang_GNU_Fortran() ||
        !single_pred_p(single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun))))
        return;
    FOR_EACH_BB_FN(bb, cfun)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i) && !any; gsi_next(&i)) {
        bool store = false;
        any = loop_depth(bb->loop_father) > 0 && pointer_in_memory(gsi_stmt(i), &store) && store &&
              is_around_parallel(an, gsi_stmt(i));
    }
    if (!any)
        return;
    renumber_gimple_stmt_uids(cfun);
    PointerPlaces places = find_places(an), kept;
    std::set<gimple *> exchanges;
    for (const PointerPlace &p : places)
        if (p.ref && !p.stores.empty() && begins_unchanged(an, p)) {
            kept.push_back(p);
            exchanges.insert(p.stores.begin(), p.stores.end());
        }
    std::vector<const PointerPlace *> registers;
    for (const PointerPlace &p : kept) {
        auto apart = [&](const Object *to, gimple *g) {
            return std::count(p.stores.begin(), p.stores.end(), g) ||
                   (options.assume && to && to != p.where.object && exchanges.count(g));
        };
        if (an.stores_alone(p.where, apart))
            registers.push_back(&p);
    }
    for (const PointerPlace *p : registers)
        make_register(*p, an.describe(p->ref));
    if (!registers.empty())
        update_ssa(TODO_update_ssa);
}

} // namespace pluss
