/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampler/sample_calls.h"

#include "sampler/sample.h"

namespace pluss
{

tree walk_function(Walk which)
{
    static tree functions[(int)Walk::Count];
    tree &f = functions[(int)which];
    if (f)
        return f;
    tree p = ptr_type_node, cp = const_ptr_type_node, u = uint32_type_node, u64 = uint64_type_node;
    tree i64 = intDI_type_node, i = integer_type_node, none = void_type_node;
    auto make = [&](const char *name, tree type, bool apart = true) {
        return f = declare_rt(name, type, apart);
    };
    switch (which) {
    case Walk::Begin:
        return make("pluss_rt_sample_begin", build_function_type_list(p, p, u, NULL), false);
    case Walk::Workers:
        return make("pluss_rt_sample_workers", build_function_type_list(u, p, NULL));
    case Walk::Next:
        return make("pluss_rt_sample_next", build_function_type_list(p, p, p, NULL), false);
    case Walk::End:
        return make("pluss_rt_sample_end", build_function_type_list(none, p, NULL), false);
    case Walk::Parallel:
        return make("pluss_rt_walk_parallel", build_function_type_list(i, p, i64, i, NULL));
    case Walk::Join:
        return make("pluss_rt_walk_join", build_function_type_list(none, p, NULL));
    case Walk::Barrier:
        return make("pluss_rt_walk_barrier", build_function_type_list(none, p, NULL));
    case Walk::Trips:
        return make("pluss_rt_walk_trips",
                    build_function_type_list(u64, p, i64, i64, i64, u, NULL));
    case Walk::Loop:
        return make("pluss_rt_walk_loop", build_function_type_list(none, p, u64, u, i64, i, NULL));
    case Walk::Chunk:
        return make("pluss_rt_walk_chunk", build_function_type_list(u64, p, u64, u64, NULL));
    case Walk::First:
        return make("pluss_rt_walk_first", build_function_type_list(u64, p, NULL));
    case Walk::LoopEnd:
        return make("pluss_rt_walk_loop_end", build_function_type_list(none, p, NULL));
    case Walk::ThreadNum:
        return make("pluss_rt_walk_thread_num", build_function_type_list(i, p, NULL));
    case Walk::NumThreads:
        return make("pluss_rt_walk_num_threads", build_function_type_list(i, p, NULL));
    case Walk::MaxThreads:
        return make("pluss_rt_walk_max_threads", build_function_type_list(i, p, NULL));
    case Walk::Access:
        return make("pluss_rt_walk_access", build_function_type_list(none, p, u, cp, NULL));
    case Walk::AccessOnce:
        return make("pluss_rt_walk_access_once", build_function_type_list(none, p, u, cp, NULL));
    case Walk::Own:
        return make("pluss_rt_walk_own", build_function_type_list(cp, p, cp, NULL));
    default:
        gcc_unreachable();
    }
}

tree emit_walk_value(gimple_seq *seq, Walk which, const std::vector<tree> &args)
{
    tree fn = walk_function(which);
    gcall *call = emit_call(seq, fn, args);
    tree name = make_ssa_name(TREE_TYPE(TREE_TYPE(fn)), call);
    gimple_call_set_lhs(call, name);
    return name;
}

} // namespace pluss
