/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls that tell one access after the other, in a loop without branches whose number of iterations
 * is known when it begins,
 *
 *     for (i = 0; i < n; i++) { pluss_rt_called (&a[i], 8); pluss_rt_called (&b[2 * i], 4); ... }
 *
 * become one before the loop, which tells the same accesses in the same order:
 *
 *     streams = {{&a[0], 8, 8}, {&b[0], 8, 4}};
 *     pluss_rt_called_loop (n, 2, streams);
 *     for (i = 0; i < n; i++) { ... }
 *
 * This is a pass of its own where loops are optimised, in SSA form: GCC's scalar evolution finds
 * the addresses, and loops without calls are optimised further. Nothing else in such a loop may
 * call the library, leave it or throw.
 */
#include "instrument/loop_calls.h"

#include "region/edits.h"

#include "tree-ssa-loop.h"

#include "gimplify-me.h"
#include "tree-ssa-loop-niter.h"

namespace pluss
{

enum { MOST_STREAMS = 16 }; /* PLUSS_RT_STREAMS, rt/rt.h */

/* An access each iteration. */
struct Stream {
    tree address, step, bytes; /* bytes: or the reference's number */
};

class LoopCalls
{
  public:
    explicit LoopCalls(class loop *l) : loop(l), exit(single_exit(l)) {}
    bool move();

  private:
    class loop *loop;
    edge exit;
    std::vector<gcall *> calls;
    std::vector<Stream> streams;
    tree times = NULL_TREE;
    bool after_exit = false, passed_exit = false;

    bool follow();
    bool take_block(basic_block bb);
    bool add_stream(gcall *call, tree address, tree bytes);
    bool add_streams(gcall *call);
    bool count_times();
    tree fill_in(gimple_seq *seq);
};

static bool is_call_of(gcall *g, Rt which)
{
    return gimple_call_fndecl(g) == rt_function(which);
}

/* A function of the compiler's own, which neither ends the loop nor calls the library. (A constant
 * function of the program may record what it accesses.) */
static bool does_nothing_else(gcall *g)
{
    const int flags = gimple_call_flags(g);
    return gimple_call_internal_p(g) ||
           (gimple_call_builtin_p(g) && (flags & (ECF_CONST | ECF_PURE)) &&
            !(flags & ECF_LOOPING_CONST_OR_PURE));
}

/* The block's calls; false: it holds what no such loop may hold. */
bool LoopCalls::take_block(basic_block bb)
{
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        gimple *g = gsi_stmt(i);
        if (gimple_code(g) == GIMPLE_ASM || stmt_could_throw_p(cfun, g))
            return false;
        gcall *call = dyn_cast<gcall *>(g);
        if (!call || is_gimple_debug(g))
            continue;
        if (is_call_of(call, Rt::Called) || is_call_of(call, Rt::CalledFour) ||
            is_call_of(call, Rt::Access)) {
            if (!calls.empty() &&
                (is_call_of(call, Rt::Access) != is_call_of(calls[0], Rt::Access) ||
                 after_exit != passed_exit))
                return false;
            after_exit = passed_exit;
            calls.push_back(call);
        } else if (!does_nothing_else(call)) {
            return false;
        }
    }
    return true;
}

/* Of a branch by whether the library records: the way on which it does; NULL: it is another one. */
static edge find_recording(basic_block bb)
{
    gcond *c = safe_dyn_cast<gcond *>(plussi_last_stmt(bb));
    if (!c || !integer_zerop(gimple_cond_rhs(c)) || TREE_CODE(gimple_cond_lhs(c)) != SSA_NAME)
        return NULL;
    gimple *load = SSA_NAME_DEF_STMT(gimple_cond_lhs(c));
    tree from = gimple_assign_load_p(load) ? gimple_assign_rhs1(load) : NULL_TREE;
    tree base = from && TREE_CODE(from) == COMPONENT_REF ? get_base_address(from) : NULL_TREE;
    if (!base || !VAR_P(base) || !DECL_NAME(base) ||
        !id_equal(DECL_NAME(base), "pluss_rt_counted") ||
        !id_equal(DECL_NAME(TREE_OPERAND(from, 1)), "called"))
        return NULL;
    const bool equal = gimple_cond_code(c) == EQ_EXPR;
    if (!equal && gimple_cond_code(c) != NE_EXPR)
        return NULL;
    edge yes, no;
    extract_true_false_edges_from_block(bb, &yes, &no);
    return equal ? no : yes;
}

/* Goes once through the loop; false: there are several ways. */
bool LoopCalls::follow()
{
    std::set<basic_block> seen;
    for (basic_block bb = loop->header;;) {
        if (!flow_bb_inside_loop_p(loop, bb) || !seen.insert(bb).second || !take_block(bb))
            return false;
        edge next = single_succ_p(bb) ? single_succ_edge(bb) : find_recording(bb);
        if (bb == exit->src) {
            passed_exit = true;
            if (EDGE_COUNT(bb->succs) != 2)
                return false;
            next = EDGE_SUCC(bb, EDGE_SUCC(bb, 0) == exit);
        }
        if (!next || next->flags & EDGE_COMPLEX)
            return false;
        if (next->dest == loop->header)
            break;
        bb = next->dest;
    }
    /* the other ways may have no calls */
    basic_block *body = get_loop_body(loop);
    bool alone = !calls.empty();
    for (unsigned k = 0; alone && k < loop->num_nodes; k++)
        if (!seen.count(body[k])) {
            const size_t before = calls.size();
            alone = take_block(body[k]) && calls.size() == before;
        }
    free(body);
    return alone;
}

bool LoopCalls::add_stream(gcall *call, tree address, tree bytes)
{
    affine_iv iv;
    if (TREE_CODE(bytes) != INTEGER_CST || streams.size() == MOST_STREAMS ||
        !simple_iv(loop, loop_containing_stmt(call), address, &iv, true))
        return false;
    streams.push_back({iv.base, iv.step ? iv.step : size_zero_node, bytes});
    return true;
}

bool LoopCalls::add_streams(gcall *call)
{
    if (is_call_of(call, Rt::Access))
        return add_stream(call, gimple_call_arg(call, 1), gimple_call_arg(call, 0));
    if (is_call_of(call, Rt::Called))
        return add_stream(call, gimple_call_arg(call, 0), gimple_call_arg(call, 1));
    for (unsigned k = 0; k < 4; k++) {
        tree sizes = gimple_call_arg(call, 4 + k / 2);
        if (TREE_CODE(sizes) != INTEGER_CST)
            return false;
        const uint32_t bytes = (uint32_t)(TREE_INT_CST_LOW(sizes) >> (k % 2 ? 32 : 0));
        if (bytes && !add_stream(call, gimple_call_arg(call, k), build_u32(bytes)))
            return false;
    }
    return true;
}

/* How often the calls are reached, in the terms of what is before the loop. An assumption about a
 * bound is that its type has a larger number: the loop would have no end. */
bool LoopCalls::count_times()
{
    tree_niter_desc desc;
    if (!number_of_iterations_exit_assumptions(loop, exit, &desc, NULL) || !desc.niter ||
        integer_zerop(desc.assumptions) || (desc.cmp == NE_EXPR && !integer_onep(desc.assumptions)))
        return false;
    tree type = uint64_type_node;
    times = fold_convert(type, unshare_expr(desc.niter));
    if (desc.may_be_zero && !integer_zerop(desc.may_be_zero))
        times = fold_build3(COND_EXPR, type, unshare_expr(desc.may_be_zero), build_zero_cst(type),
                            times);
    if (!after_exit)
        times = fold_build2(PLUS_EXPR, type, times, build_one_cst(type));
    return true;
}

/* pluss_rt_stream (rt/rt.h) */
static tree stream_type()
{
    static tree made;
    if (made)
        return made;
    static const char *const names[] = {"address", "step", "bytes"};
    tree types[] = {const_ptr_type_node, intDI_type_node, uint64_type_node}, last = NULL_TREE;
    made = make_node(RECORD_TYPE);
    for (unsigned k = 0; k < 3; k++) {
        tree field = build_decl(UNKNOWN_LOCATION, FIELD_DECL, get_identifier(names[k]), types[k]);
        DECL_CHAIN(field) = last; /* the last one first */
        last = field;
    }
    finish_builtin_struct(made, "pluss_rt_stream", last, NULL_TREE);
    keep_for_collector(made);
    return made;
}

/* Stores the streams; gives their address. */
tree LoopCalls::fill_in(gimple_seq *seq)
{
    tree type = build_array_type_nelts(stream_type(), streams.size());
    tree list = create_tmp_var(type, "pluss_streams");
    TREE_ADDRESSABLE(list) = 1;
    for (size_t k = 0; k < streams.size(); k++) {
        tree value[] = {streams[k].address, streams[k].step, streams[k].bytes};
        tree field = TYPE_FIELDS(stream_type());
        for (unsigned f = 0; f < 3; f++, field = DECL_CHAIN(field)) {
            gimple_seq own = NULL;
            tree v = force_gimple_operand(fold_convert(TREE_TYPE(field), unshare_expr(value[f])),
                                          &own, true, NULL_TREE);
            gimple_seq_add_seq(seq, own);
            tree at = build4(ARRAY_REF, stream_type(), list, size_int(k), NULL_TREE, NULL_TREE);
            at = build3(COMPONENT_REF, TREE_TYPE(field), at, field, NULL_TREE);
            gimple_seq_add_stmt(seq, gimple_build_assign(at, v));
        }
    }
    return build1(ADDR_EXPR, build_pointer_type(type), list);
}

bool LoopCalls::move()
{
    if (!exit || !loop->latch || !follow() || !count_times() ||
        !std::all_of(calls.begin(), calls.end(), [this](gcall *g) { return add_streams(g); }))
        return false;
    gimple_seq seq = NULL, own = NULL;
    tree list = fill_in(&seq);
    times = force_gimple_operand(times, &own, true, NULL_TREE);
    gimple_seq_add_seq(&seq, own);
    const bool access = is_call_of(calls[0], Rt::Access);
    emit_call(&seq, rt_function(access ? Rt::AccessLoop : Rt::CalledLoop),
              {times, build_u32(streams.size()), list});
    tree array = TREE_OPERAND(list, 0); /* of several loops, they share their memory */
    gimple_seq_add_stmt(&seq, gimple_build_assign(array, build_clobber(TREE_TYPE(array))));
    gsi_insert_seq_on_edge_immediate(loop_preheader_edge(loop), seq);
    for (gcall *call : calls) {
        gimple_stmt_iterator i = gsi_for_stmt(call);
        unlink_stmt_vdef(call);
        gsi_remove(&i, true);
    }
    return true;
}

namespace
{

const pass_data loop_calls_data = {
    GIMPLE_PASS, "pluss_loops", OPTGROUP_LOOP, TV_PLUGIN_RUN, PROP_cfg | PROP_ssa, 0, 0, 0, 0};

class LoopCallsPass : public gimple_opt_pass
{
  public:
    LoopCallsPass() : gimple_opt_pass(loop_calls_data, g) {}
    bool gate(function *) final override
    {
        return options.mode == Mode::Auto || options.mode == Mode::Profile;
    }
    unsigned int execute(function *fn) final override
    {
        bool any = false;
        for (unsigned k = 1; k < number_of_loops(fn); k++) {
            class loop *l = ::get_loop(fn, k);
            any |= l && !l->inner && LoopCalls(l).move();
        }
        if (!any)
            return 0;
        mark_virtual_operands_for_renaming(fn);
        return TODO_update_ssa_only_virtuals;
    }
};

} // namespace

void register_loop_calls(const char *plugin)
{
    register_pass_info pass;
    pass.pass = new LoopCallsPass;
    pass.reference_pass_name = "loopinit";
    pass.ref_pass_instance_number = 1;
    pass.pos_op = PASS_POS_INSERT_AFTER;
    register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
}

} // namespace pluss
