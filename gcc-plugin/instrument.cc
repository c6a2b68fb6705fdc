/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the program tells libpluss-rt (rt/rt.h):
 *
 *     run = 0;
 *     try {
 *         ...
 *         run = pluss_rt_region_begin (&region, symbols, bases);
 *         #pragma omp parallel firstprivate (run)
 *         {
 *             pluss_rt_thread_begin (run, omp_get_thread_num (), omp_get_num_threads ());
 *             ...
 *             pluss_rt_thread_end (run);
 *         }
 *         pluss_rt_region_end (run); run = 0;
 *         ...
 *     } finally { pluss_rt_region_end (run); }
 *
 * A function whose worksharing loops stand outside of any parallel construct is executed by all
 * threads of a team that its caller made: each of them joins the region by pluss_rt_team_begin.
 *
 * A `parallel for` with calls between the two is no longer what GCC calls combined; it is then
 * expanded as a parallel region with a loop in it, which is the same program.
 */
#include "instrument.h"

namespace pluss
{

class Instrument
{
  public:
    Instrument(function *f, Region &r, bool a) : fn(f), region(r), edits(f), accesses(a) {}
    void run();

  private:
    function *fn;
    Region &region;
    Edits edits;
    bool accesses;
    tree handle; /* the variable `run` */

    void begin_and_end();
    void parallel(gomp_parallel *p);
    void end(gimple_seq *seq);
};

static tree thread_number(gimple_seq *seq, built_in_function which)
{
    gcall *call = gimple_build_call(builtin_decl_explicit(which), 0);
    tree n = make_ssa_name(integer_type_node, call);
    gimple_call_set_lhs(call, n);
    gimple_seq_add_stmt(seq, call);
    return emit_convert(seq, uint32_type_node, n);
}

/* Ends the run, if there is one. */
void Instrument::end(gimple_seq *seq)
{
    emit_call(seq, rt_function(region.orphaned ? Rt::TeamEnd : Rt::RegionEnd), {handle});
}

void Instrument::begin_and_end()
{
    Entry entry(region, edits);
    tree begin;
    std::vector<tree> args = {entry.descriptor, entry.symbols, entry.bases};
    if (region.orphaned) {
        begin = rt_function(Rt::TeamBegin);
        args.push_back(thread_number(&entry.seq, BUILT_IN_OMP_GET_THREAD_NUM));
        args.push_back(thread_number(&entry.seq, BUILT_IN_OMP_GET_NUM_THREADS));
    } else {
        begin = rt_function(Rt::RegionBegin);
    }
    gimple_call_set_lhs(emit_call(&entry.seq, begin, args), handle);
    entry.place();
    if (region.exit) {
        gimple_seq seq = NULL;
        end(&seq);
        gimple_seq_add_stmt(&seq, gimple_build_assign(handle, null_pointer_node));
        gimple_seq_add_seq(region.exit_after ? edits.after(region.exit) : edits.before(region.exit),
                           seq);
    }
    gimple_seq none = NULL;
    gimple_seq_add_stmt(&none, gimple_build_assign(handle, null_pointer_node));
    gimple_seq_add_seq(&none, edits.start);
    edits.start = none;
    end(&edits.cleanup);
}

/* The first thing that every thread of the team does, and the last. */
void Instrument::parallel(gomp_parallel *p)
{
    gbind *bind = as_a<gbind *>(gimple_seq_first_stmt(gimple_omp_body(p)));
    gimple_seq first = NULL;
    emit_call(&first, rt_function(Rt::ThreadBegin),
              {handle, thread_number(&first, BUILT_IN_OMP_GET_THREAD_NUM),
               thread_number(&first, BUILT_IN_OMP_GET_NUM_THREADS)});
    gimple_seq_add_seq(&first, gimple_bind_body(bind));
    emit_call(&first, rt_function(Rt::ThreadEnd), {handle});
    gimple_bind_set_body(bind, first);
    gimple_omp_parallel_set_combined_p(p, false);
    tree clause = build_omp_clause(gimple_location(p), OMP_CLAUSE_FIRSTPRIVATE);
    OMP_CLAUSE_DECL(clause) = handle;
    OMP_CLAUSE_CHAIN(clause) = gimple_omp_parallel_clauses(p);
    gimple_omp_parallel_set_clauses(p, clause);
}

static tree find_parallel(gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *wi)
{
    *handled = false;
    if (gomp_parallel *p = dyn_cast<gomp_parallel *>(gsi_stmt(*gsi))) {
        static_cast<std::vector<gomp_parallel *> *>(wi->info)->push_back(p);
        *handled = true; /* what is inside of it is the outer team's */
    } else if (gimple_code(gsi_stmt(*gsi)) == GIMPLE_OMP_TASK ||
               gimple_code(gsi_stmt(*gsi)) == GIMPLE_OMP_TARGET ||
               gimple_code(gsi_stmt(*gsi)) == GIMPLE_OMP_TEAMS) {
        *handled = true;
    }
    return NULL_TREE;
}

void Instrument::run()
{
    handle = edits.variable(ptr_type_node, "pluss_run");
    begin_and_end();
    std::vector<gomp_parallel *> parallels;
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = &parallels;
    walk_gimple_seq(gimple_body(fn->decl), find_parallel, NULL, &wi);
    edits.apply();
    for (gomp_parallel *p : parallels)
        parallel(p);
}

void instrument(function *fn, Region &region, bool accesses)
{
    Instrument(fn, region, accesses).run();
}

} // namespace pluss
