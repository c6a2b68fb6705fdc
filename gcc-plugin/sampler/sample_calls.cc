/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampler/sample_calls.h"

#include "sampler/sample.h"

namespace pluss
{

tree walk_function(Walk which)
{
    static const RtFunction functions[] = {
        {"pluss_rt_sample_begin", "ppu", false},     {"pluss_rt_sample_workers", "up", true},
        {"pluss_rt_sample_next", "ppp", false},      {"pluss_rt_sample_end", "vp", false},
        {"pluss_rt_walk_parallel", "ipIi", true},    {"pluss_rt_walk_join", "vp", true},
        {"pluss_rt_walk_barrier", "vp", true},       {"pluss_rt_walk_trips", "UpIIIu", true},
        {"pluss_rt_walk_loop", "vpUuIi", true},      {"pluss_rt_walk_chunk", "UpUU", true},
        {"pluss_rt_walk_first", "Up", true},         {"pluss_rt_walk_loop_end", "vp", true},
        {"pluss_rt_walk_thread_num", "ip", true},    {"pluss_rt_walk_num_threads", "ip", true},
        {"pluss_rt_walk_max_threads", "ip", true},   {"pluss_rt_walk_access", "vpuc", true},
        {"pluss_rt_walk_access_once", "vpuc", true}, {"pluss_rt_walk_own", "cpc", true}};
    static tree made[(int)Walk::Count];
    static_assert(sizeof functions / sizeof *functions == (int)Walk::Count, "one for each");
    return declare_rt(functions[(int)which], &made[(int)which]);
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
