/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See shadow.h. Traps that this file steps around:
 *  - lower_cf marks the BLOCKs that it meets as written: the shadow's binds lose theirs, and
 *    DECL_INITIAL is a fresh one for its time.
 *  - allocate_struct_function numbers functions that have a declaration: it gets none,
 * so that the labels of later functions do not depend on the plugin.
 *  - the passes may clear DECL_NOT_GIMPLE_REG_P and TREE_ADDRESSABLE of the parameters, which the
 *    original shares.
 *  - SSA names of the original occur in an OMP_FOR's operands after copying: replaced by the
 * copies.
 */
#include "shadow/shadow.h"

#include "common/statements.h"
#include "emit/apart.h"
#include "shadow/callee.h"
#include "shadow/deciding.h"

namespace pluss
{

Shadow::Shadow(function *f, const std::string &refuse, bool m, gimple *p)
    : part(p), reason(refuse), decl(f->decl), original(f), members(m),
      in_place(in_child() && options.mode == Mode::Describe && refuse.empty())
{
    saved_initial = DECL_INITIAL(decl);
    for (tree p = DECL_ARGUMENTS(decl); p; p = DECL_CHAIN(p))
        saved.push_back({p, bool(DECL_NOT_GIMPLE_REG_P(p)), bool(TREE_ADDRESSABLE(p))});
    if (tree r = DECL_RESULT(decl))
        saved.push_back({r, bool(DECL_NOT_GIMPLE_REG_P(r)), bool(TREE_ADDRESSABLE(r))});

    gimple_seq body = gimple_body(decl);
    if (in_place) {
        fn = original;
        if (!fn->gimple_df)
            init_tree_ssa(fn);
        build_body(body);
        return;
    }
    allocate_struct_function(NULL_TREE, false);
    fn = cfun;
    fn->decl = decl;
    DECL_STRUCT_FUNCTION(decl) = fn;
    set_cfun(fn, true);
    fn->static_chain_decl = original->static_chain_decl;
    fn->can_throw_non_call_exceptions = original->can_throw_non_call_exceptions;
    fn->va_list_gpr_size = original->va_list_gpr_size;
    fn->curr_properties = original->curr_properties;
    fn->function_start_locus = original->function_start_locus;
    fn->function_end_locus = original->function_end_locus;
    init_tree_ssa(fn);
    if (refuse.empty())
        build_body(body);
}

Shadow::~Shadow()
{
    if (fn->cfg) {
        free_dominance_info(fn, CDI_DOMINATORS);
        free_dominance_info(fn, CDI_POST_DOMINATORS);
    }
    if (has_loops)
        loop_optimizer_finalize(fn);
    DECL_STRUCT_FUNCTION(decl) = original;
    DECL_INITIAL(decl) = saved_initial;
    for (const Flags &f : saved) {
        DECL_NOT_GIMPLE_REG_P(f.decl) = f.not_reg;
        TREE_ADDRESSABLE(f.decl) = f.addressable;
    }
    set_cfun(original, true);
}

static void run_pass(opt_pass *pass, function *fn)
{
    pass->execute(fn);
    fn->curr_properties |= pass->properties_provided;
    fn->curr_properties &= ~pass->properties_destroyed;
    delete pass;
}

/* While it lives, passes do what they do where the compiler optimises: at -O0 they keep blocks for
 * debuggers, and others after each other's ends. The nest is the same at each level. */
struct Optimising {
    Optimising() { optimize = MAX(optimize, 1); }
    ~Optimising() { optimize = level; }
    const int level = optimize;
};

/* Notes the pointers to the memory of variables of variable size. */
void Shadow::find_vla_pointers(gimple_seq seq)
{
    for (tree v : list_declared(seq))
        if (VAR_P(v) && DECL_HAS_VALUE_EXPR_P(v)) {
            tree e = DECL_VALUE_EXPR(v);
            if (INDIRECT_REF_P(e) || TREE_CODE(e) == MEM_REF)
                vla_pointer[TREE_OPERAND(e, 0)] = v;
        }
}

/* The probabilities of the body's edges, by the compiler's heuristics. */
void Shadow::estimate_branches()
{
    const int guessing = flag_guess_branch_prob;
    flag_guess_branch_prob = 1;
    cgraph_node *made = cgraph_node::get(decl) ? nullptr : cgraph_node::create(decl);
    scev_initialize();
    tree_estimate_probability(false);
    scev_finalize();
    if (made && !in_child())
        made->remove();
    flag_guess_branch_prob = guessing;
}

bool Shadow::is_given(tree var) const
{
    return TREE_CODE(var) == PARM_DECL ||
           (part && source.count(var) && !private_vars.count(var) && !lone.count(var));
}

tree Shadow::find_copy(tree var) const
{
    for (auto &p : source)
        if (p.second == var)
            return p.first;
    return NULL_TREE;
}

tree Shadow::find_own(tree var) const
{
    auto it = source.find(var);
    if (it != source.end())
        return it->second;
    tree chain = original->static_chain_decl; /* it is copied, and no argument */
    if (chain && TREE_CODE(var) == PARM_DECL && DECL_NAME(var) == DECL_NAME(chain))
        return chain;
    bool shared =
        is_global_var(var) || TREE_CODE(var) == PARM_DECL || TREE_CODE(var) == RESULT_DECL;
    return shared && !private_vars.count(var) ? var : NULL_TREE;
}

/* What a statement assigns: a loop construct its variables. */
static std::vector<tree> list_assigned(gimple *g)
{
    std::vector<tree> all;
    if (gomp_for *f = dyn_cast<gomp_for *>(g))
        for (size_t d = 0; d < gimple_omp_for_collapse(f); d++)
            all.push_back(gimple_omp_for_index(f, d));
    else if (gasm *a = dyn_cast<gasm *>(g))
        for (unsigned k = 0; k < gimple_asm_noutputs(a); k++)
            all.push_back(TREE_VALUE(gimple_asm_output_op(a, k)));
    else if (tree lhs = gimple_get_lhs(g))
        all.push_back(lhs);
    return all;
}

/* A variable, or what its pointer points to, and bytes into it. base NULL: another place. */
struct AssignedPlace {
    tree base = NULL_TREE;
    int64_t bytes = 0;
    bool behind = false;
    bool operator<(const AssignedPlace &o) const
    {
        return std::tie(base, bytes, behind) < std::tie(o.base, o.bytes, o.behind);
    }
};

static AssignedPlace find_place(tree to)
{
    AssignedPlace place;
    poly_int64 offset = 0;
    HOST_WIDE_INT bytes = 0;
    tree base = TREE_CODE(to) == SSA_NAME ? to : get_addr_base_and_unit_offset(to, &offset);
    if (!base || !offset.is_constant(&bytes))
        return place;
    place.behind = TREE_CODE(base) == MEM_REF;
    place.base = place.behind ? TREE_OPERAND(base, 0) : base;
    place.bytes = place.behind ? bytes + mem_ref_offset(base).to_constant().to_shwi() : bytes;
    return place;
}

typedef std::map<AssignedPlace, std::vector<gimple *>> Assigned;

static bool is_set_as_whole(const Assigned &assigned, tree base)
{
    const auto all = assigned.find({base, 0, false});
    return all != assigned.end() &&
           std::any_of(all->second.begin(), all->second.end(), [](gimple *g) {
               tree lhs = gimple_get_lhs(g);
               return lhs && AGGREGATE_TYPE_P(TREE_TYPE(lhs));
           });
}

/* Those of the places that get the same values each time: from constants, and from variables that
 * are none of the others. */
static std::set<AssignedPlace> find_same(const Assigned &assigned)
{
    std::set<AssignedPlace> same;
    auto is_same = [&](tree x) {
        if (is_gimple_min_invariant(x))
            return true;
        const AssignedPlace place = find_place(x);
        return place.base && !place.behind && !TREE_THIS_VOLATILE(x) &&
               is_gimple_reg_type(TREE_TYPE(x)) && !is_set_as_whole(assigned, place.base) &&
               (!assigned.count(place) || same.count(place));
    };
    auto all_same = [&](gimple *g) {
        bool all = is_gimple_assign(g) && is_gimple_reg_type(TREE_TYPE(gimple_assign_lhs(g)));
        for (unsigned k = 1; all && k < gimple_num_ops(g); k++)
            all = is_same(gimple_op(g, k));
        return all;
    };
    for (bool more = true; more;) {
        more = false;
        for (const auto &place : assigned)
            more |= !place.first.behind &&
                    std::all_of(place.second.begin(), place.second.end(), all_same) &&
                    same.insert(place.first).second;
    }
    return same;
}

/* The loops are those of jumps back, from after the part to before it. */
void Shadow::find_changing(const std::vector<gimple *> &all)
{
    const size_t at = std::find(all.begin(), all.end(), part) - all.begin();
    const size_t end = at + 1 + list_statements(gimple_omp_body(part)).size();
    std::map<tree, size_t> before;
    size_t first = at, last = end;
    for (size_t i = 0; i < at; i++)
        if (glabel *l = dyn_cast<glabel *>(all[i]))
            before[gimple_label_label(l)] = i;
    for (size_t i = end; i < all.size(); i++)
        for (tree to : list_targets(all[i])) {
            auto label = before.find(to);
            if (label == before.end())
                continue;
            first = MIN(first, label->second);
            last = i;
        }
    Assigned assigned;
    for (size_t i = first; first < at && i < last; i++)
        for (tree to : list_assigned(all[i])) {
            const AssignedPlace place = find_place(to);
            if (place.base)
                assigned[place].push_back(all[i]);
        }
    const std::set<AssignedPlace> same = find_same(assigned);
    for (const auto &place : assigned)
        if (!same.count(place.first))
            (place.first.behind ? changing_behind : changing)
                .insert({place.first.base, place.first.bytes});
}

static tree take_statements(gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *wi)
{
    *handled = walk_info<std::set<gimple *>>(wi)->count(gsi_stmt(*gsi)) != 0;
    if (*handled)
        gsi_replace(gsi, gimple_build_nop(), false);
    return NULL_TREE;
}

/* The number of statements right before it that compute values of the compiler's own: bounds. */
static size_t count_before(gimple *part)
{
    size_t n = 0;
    for (gimple *g = part->prev, *next = part; g && g->next == next; next = g, g = g->prev) {
        tree lhs = is_gimple_assign(g) ? gimple_assign_lhs(g) : NULL_TREE;
        if (!lhs || !is_gimple_reg(lhs) || (DECL_P(lhs) && !DECL_ARTIFICIAL(lhs)))
            break;
        n++;
    }
    return n;
}

/* Operands that statements before number `first` compute, and that have no variable, get one. */
static void name_operands(gimple *part, const std::vector<gimple *> &from,
                          const std::vector<gimple *> &to, size_t first,
                          const std::set<gimple *> &taken, std::map<tree, tree> *source)
{
    for (tree c = gimple_omp_parallel_clauses(part); c; c = OMP_CLAUSE_CHAIN(c)) {
        const bool computed =
            OMP_CLAUSE_CODE(c) == OMP_CLAUSE_NUM_THREADS || OMP_CLAUSE_CODE(c) == OMP_CLAUSE_IF;
        tree own = computed ? OMP_CLAUSE_OPERAND(c, 0) : NULL_TREE;
        if (!own || TREE_CODE(own) != SSA_NAME)
            continue;
        size_t i = 0;
        while (i < first && gimple_get_lhs(from[i]) != own && gimple_get_lhs(to[i]) != own)
            i++;
        if (i == first)
            continue;
        own = gimple_get_lhs(from[i]);
        if (taken.count(to[i]))
            continue;
        tree v = make_local(TREE_TYPE(own));
        DECL_NAME(v) = SSA_NAME_IDENTIFIER(own);
        add_local_decl(cfun, v);
        (*source)[v] = own;
        OMP_CLAUSE_OPERAND(c, 0) = v;
    }
}

/* The numbers of statements before number `end`, outside of parallel constructs, that assign a
 * register, which no other statement does, from registers alone of which the same is true: it has
 * that value wherever it is used. */
static std::vector<size_t> list_fixed(const std::vector<gimple *> &all, size_t end)
{
    std::map<tree, unsigned> times;
    std::set<tree> fixed;
    std::vector<size_t> numbers;
    for (gimple *g : all)
        for (tree to : list_assigned(g))
            times[to]++;
    for (size_t i = 0; i < end; i++) {
        if (gimple_code(all[i]) == GIMPLE_OMP_PARALLEL) {
            i += list_statements(gimple_omp_body(all[i])).size();
            continue;
        }
        gassign *g = dyn_cast<gassign *>(all[i]);
        bool same = g && is_gimple_reg(gimple_assign_lhs(g)) && times[gimple_assign_lhs(g)] == 1;
        for (unsigned k = 1; same && k < gimple_num_ops(g); k++) {
            tree x = gimple_op(g, k);
            same = is_gimple_min_invariant(x) || fixed.count(x) ||
                   (TREE_CODE(x) == PARM_DECL && is_gimple_reg(x) && !times.count(x));
        }
        if (!same)
            continue;
        fixed.insert(gimple_assign_lhs(g));
        numbers.push_back(i);
    }
    return numbers;
}

/* The copy of the part alone, with what computes its bounds, which `to` and, of the function's own
 * statements, `from` then list. Variables that are declared around it stay the shadow's. */
gimple_seq Shadow::take_part(gimple_seq copy, std::vector<gimple *> *from,
                             std::vector<gimple *> *to)
{
    const size_t at = std::find(from->begin(), from->end(), part) - from->begin();
    const size_t first = at - count_before(part);
    std::vector<size_t> numbers = list_fixed(*from, first);
    for (size_t i = first; i <= at; i++)
        numbers.push_back(i);
    std::vector<gimple *> taken, own;
    for (size_t i : numbers) {
        taken.push_back((*to)[i]);
        own.push_back((*from)[i]);
    }
    std::set<gimple *> taking(taken.begin(), taken.end());
    change_sequence(&copy, take_statements, NULL, &taking);
    for (tree v : list_declared(copy))
        if (VAR_P(v) && !is_global_var(v))
            add_local_decl(fn, v);
    name_operands(taken.back(), *from, *to, first, taking, &source);
    gimple_seq alone = NULL;
    for (gimple *g : taken)
        gimple_seq_add_stmt(&alone, g);
    *to = list_statements(alone);
    const size_t inside = to->size() - own.size();
    own.insert(own.end(), from->begin() + at + 1, from->begin() + at + 1 + inside);
    *from = own;
    return alone;
}

void Shadow::build_body(gimple_seq body)
{
    gimple_seq copy = body;
    std::vector<gimple *> from = list_statements(body), to;
    if (!can_copy(from)) {
        reason = "it holds a construct that is not copied";
        return;
    }
    if (in_place) {
        to = from;
        map_assignments(to);
    } else {
        copy = copy_body(body);
        to = list_statements(copy);
        if (from.size() != to.size()) {
            reason = "the body could not be copied";
            return;
        }
        source = pair_variables(from, to);
        if (part) {
            find_changing(from);
            find_vla_pointers(copy);
            copy = take_part(copy, &from, &to);
        }
        map_copies(from, to);
        own_statements = from;
    }
    for (gimple *g : to)
        if (gimple_code(g) == GIMPLE_GOTO && TREE_CODE(gimple_goto_dest(g)) != LABEL_DECL) {
            reason = "it has a computed goto";
            return;
        }

    declare_marker();
    stop_where_decided(&copy);
    copy = Flatten(*this).flatten_sequence(copy);

    strip_blocks(copy);
    find_vla_pointers(copy);
    gbind *bind = only_bind(copy);
    if (!bind) {
        bind = gimple_build_bind(NULL_TREE, copy, NULL_TREE);
        copy = NULL;
        gimple_seq_add_stmt(&copy, bind);
    }
    tree block = make_node(BLOCK);
    gimple_bind_set_block(bind, block);
    DECL_INITIAL(decl) = block;
    gimple_set_body(decl, copy);

    const Optimising as_optimised;
    run_pass(make_pass_lower_cf(g), fn);
    run_pass(make_pass_refactor_eh(g), fn);
    run_pass(make_pass_lower_eh(g), fn);
    run_pass(make_pass_build_cfg(g), fn);
    /* A private variable becomes a register again if only the variable outside has its address
     * taken. */
    run_pass(make_pass_build_ssa(g), fn);
    prune_dead_ends();
    if (members)
        make_registers();
    loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
    has_loops = true;
    if (options.branches)
        estimate_branches();
    calculate_dominance_info(CDI_DOMINATORS);
    calculate_dominance_info(CDI_POST_DOMINATORS);
    if (options.dump)
        dump_function_to_file(decl, stderr, TDF_VOPS | TDF_LINENO);
}

bool find_known_address(tree p, tree *base, poly_int64 *offset)
{
    *offset = 0;
    for (int hops = 0; hops < 32; hops++) {
        if (TREE_CODE(p) == ADDR_EXPR) {
            poly_int64 more;
            tree b = get_addr_base_and_unit_offset(TREE_OPERAND(p, 0), &more);
            if (!b)
                return false;
            *offset += more;
            if (TREE_CODE(b) == MEM_REF) {
                poly_offset_int plus = mem_ref_offset(b);
                poly_int64 k;
                if (!plus.to_shwi(&k))
                    return false;
                *offset += k;
                p = TREE_OPERAND(b, 0);
                continue;
            }
            *base = b;
            return (VAR_P(b) || TREE_CODE(b) == PARM_DECL) && !is_global_var(b);
        }
        if (TREE_CODE(p) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(p))
            return false;
        gassign *d = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(p));
        if (!d)
            return false;
        if (gimple_assign_rhs_code(d) == POINTER_PLUS_EXPR) {
            if (!tree_fits_shwi_p(gimple_assign_rhs2(d)))
                return false;
            *offset += tree_to_shwi(gimple_assign_rhs2(d));
        } else if (!gimple_assign_single_p(d) && !gimple_assign_cast_p(d)) {
            return false;
        }
        p = gimple_assign_rhs1(d);
    }
    return false;
}

static bool known_store(gimple *, tree, tree ref, void *changed)
{
    ref = strip_components(ref);
    tree base;
    poly_int64 offset;
    if (TREE_CODE(ref) == MEM_REF && TREE_CODE(TREE_OPERAND(ref, 0)) == SSA_NAME &&
        find_known_address(TREE_OPERAND(ref, 0), &base, &offset)) {
        poly_int64 plus;
        if (mem_ref_offset(ref).to_shwi(&plus)) {
            TREE_OPERAND(ref, 0) = build1(ADDR_EXPR, build_pointer_type(TREE_TYPE(base)), base);
            TREE_OPERAND(ref, 1) = build_int_cst(TREE_TYPE(TREE_OPERAND(ref, 1)), plus + offset);
            *static_cast<bool *>(changed) = true;
        }
    }
    return false;
}

/* The variable in a frame that is read by its place there, as arguments by reference are that the
 * call of a function in line had. NULL: none. */
static tree find_framed(tree ref)
{
    poly_int64 at;
    tree base = TREE_CODE(ref) == MEM_REF ? TREE_OPERAND(ref, 0) : NULL_TREE;
    if (!base || TREE_CODE(base) != ADDR_EXPR || !VAR_P(TREE_OPERAND(base, 0)) ||
        !mem_ref_offset(ref).to_shwi(&at))
        return NULL_TREE;
    tree frame = TREE_OPERAND(base, 0);
    if (TREE_CODE(TREE_TYPE(frame)) != RECORD_TYPE || !is_frame(TREE_TYPE(frame)))
        return NULL_TREE;
    for (tree f = TYPE_FIELDS(TREE_TYPE(frame)); f; f = DECL_CHAIN(f))
        if (TREE_CODE(f) == FIELD_DECL && known_eq(at, int_byte_position(f)) &&
            useless_type_conversion_p(TREE_TYPE(ref), TREE_TYPE(f)))
            return build3(COMPONENT_REF, TREE_TYPE(f), frame, f, NULL_TREE);
    return NULL_TREE;
}

/* Variables whose addresses were passed to functions that are now in line are still in memory, and
 * so are iterators, closures and small objects, though nothing else uses their addresses. Accesses
 * through known pointers are made direct, and unused pointers are removed. */
void Shadow::make_accesses_direct()
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        bool changed = false;
        walk_stmt_load_store_ops(gsi_stmt(i), &changed, known_store, known_store);
        gassign *a = dyn_cast<gassign *>(gsi_stmt(i));
        if (tree read =
                a && gimple_assign_single_p(a) ? find_framed(gimple_assign_rhs1(a)) : NULL) {
            gimple_assign_set_rhs1(a, read);
            changed = true;
        }
        if (changed)
            update_stmt(gsi_stmt(i));
    }
    for (bool again = true; again;) {
        again = false;
        FOR_EACH_BB_FN(bb, fn)
        for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i);) {
            gassign *a = dyn_cast<gassign *>(gsi_stmt(i));
            tree lhs = a ? gimple_assign_lhs(a) : NULL_TREE;
            if (lhs && TREE_CODE(lhs) == SSA_NAME && POINTER_TYPE_P(TREE_TYPE(lhs)) &&
                has_zero_uses(lhs) && !gimple_vuse(a)) {
                gsi_remove(&i, true);
                release_ssa_name(lhs);
                again = true;
            } else {
                gsi_next(&i);
            }
        }
    }
    execute_update_addresses_taken();
}

/* In C++ members become registers, too. (Not in C: there the source says what is an object.) */
void Shadow::make_registers()
{
    make_accesses_direct();
    if (!lang_GNU_CXX())
        return;
    opt_pass *sra = make_pass_sra_early(g);
    unsigned todo = sra->execute(fn);
    delete sra;
    if (todo & TODO_update_ssa_any)
        update_ssa(todo & TODO_update_ssa_any);
    make_accesses_direct(); /* through pointers that were members: captured variables */
}

void Shadow::find_markers()
{
    markers.resize(last_basic_block_for_fn(fn));
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        Marker m;
        if (!read_marker(gsi_stmt(i), &m))
            continue;
        markers[bb->index].push_back({gsi_stmt(i), m});
        if (m.construct->kind == ConstructKind::Body)
            shared.insert(bb->loop_father);
    }
}

const std::vector<Shadow::Marked> &Shadow::markers_in(basic_block bb)
{
    if (markers.empty())
        find_markers();
    return markers[bb->index];
}

bool Shadow::is_shared_loop(const class loop *l)
{
    if (markers.empty())
        find_markers();
    return shared.count(l) != 0;
}

size_t Shadow::count_markers(gimple *before)
{
    const std::vector<Marked> &in = markers_in(gimple_bb(before));
    size_t n = 0;
    if (in.empty() || gimple_code(before) == GIMPLE_PHI)
        return 0;
    for (gimple_stmt_iterator i = gsi_start_bb(gimple_bb(before));
         n < in.size() && gsi_stmt(i) != before; gsi_next(&i))
        n += gsi_stmt(i) == in[n].stmt;
    return n;
}

void Shadow::note_lost(basic_block bb)
{
    Marker m;
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
        if (read_marker(gsi_stmt(i), &m) && !m.end && m.construct->kind == ConstructKind::Body &&
            m.construct->dim == 0)
            lost.push_back(m.construct->of);
}

/* Removes code that does not return: exceptional edges, and blocks from which the function's end
 * cannot be reached (a failed assertion, exit). The run that succeeds is described. */
void Shadow::prune_dead_ends()
{
    basic_block bb;
    edge e;
    edge_iterator ei;
    FOR_EACH_BB_FN(bb, fn)
    {
        std::vector<edge> drop;
        FOR_EACH_EDGE(e, ei, bb->succs)
        if (e->flags & (EDGE_EH | EDGE_ABNORMAL))
            drop.push_back(e);
        for (edge d : drop)
            remove_edge(d);
    }
    std::set<basic_block> live; /* can reach the exit */
    std::vector<basic_block> work{EXIT_BLOCK_PTR_FOR_FN(fn)};
    while (!work.empty()) {
        basic_block b = work.back();
        work.pop_back();
        if (!live.insert(b).second)
            continue;
        FOR_EACH_EDGE(e, ei, b->preds)
        work.push_back(e->src);
    }
    if (live.count(ENTRY_BLOCK_PTR_FOR_FN(fn))) {
        FOR_EACH_BB_FN(bb, fn)
        {
            std::vector<edge> drop;
            if (!live.count(bb))
                note_lost(bb);
            if (live.count(bb))
                FOR_EACH_EDGE(e, ei, bb->succs)
            if (!live.count(e->dest))
                drop.push_back(e);
            for (edge d : drop)
                remove_edge(d);
        }
    }
    /* PHI arguments went with their edges; a condition with one way out is followed. */
    loop_optimizer_finalize(fn);
    free_dominance_info(fn, CDI_DOMINATORS);
    delete_unreachable_blocks();
}

} // namespace pluss
