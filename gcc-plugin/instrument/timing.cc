/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a thread is (rt/stamps.h):
 *
 *     pluss_rt_fork (run);
 *     #pragma omp parallel
 *     {
 *         pluss_rt_mark (PLUSS_RT_AT_LOOP, 1);
 *         #pragma omp for nowait
 *         for (...) {
 *             pluss_rt_stamp ();
 *             ...
 *         }
 *         pluss_rt_mark (PLUSS_RT_LOOP_DONE, 1);
 *         pluss_rt_mark (PLUSS_RT_AT_BARRIER, 0);
 *         #pragma omp barrier
 *         pluss_rt_mark (PLUSS_RT_AFTER_BARRIER, 0);
 *     }
 *
 * A construct's own barrier is made a barrier of its own, so that its two ends can be told: GCC
 * expands it to the same call, after the combination of reductions and the last iteration's
 * copies. Where the two are not the same (a loop that can be cancelled, reductions of tasks and
 * scans, conditional lastprivate), the loop is not stamped. The team's last barrier comes after
 * pluss_rt_thread_end.
 *
 * In a `for simd` the iterations of a chunk are one unit of work to the vectoriser; a call among
 * them would undo it. Such a loop is told where it begins and ends.
 */
#include "instrument/instrument.h"

#include "common/statements.h"
#include "emit/note.h"

namespace pluss
{

/* As in rt/rt.h. */
enum MarkKind { AtLoop, LoopDone, AtBarrier, AfterBarrier };

class Timing
{
  public:
    explicit Timing(Edits &e) : edits(e) {}
    void stamp_loop(const RegionLoop &l);
    void stamp_barriers(gimple_seq body);
    void note_once(location_t loc, const std::string &text) /* one note for each cause */
    {
        if (noted.insert(text).second)
            note_loop(loc, text);
    }

  private:
    Edits &edits;
    std::set<std::string> noted;
    void emit_mark(gimple_seq *seq, MarkKind kind, unsigned loop);
    void separate_barrier(gimple *g, gimple_seq *seq);
};

void Timing::emit_mark(gimple_seq *seq, MarkKind kind, unsigned loop)
{
    emit_call(seq, rt_function(Rt::Mark), {build_u32(kind), build_u32(loop)});
}

/* Why the end of a thread's iterations cannot be told from the barrier (waits: there is one); NULL:
 * it can. */
static const char *why_inseparable(gimple *g, bool waits)
{
    for (tree c = waits ? get_clauses(g) : NULL_TREE; c; c = OMP_CLAUSE_CHAIN(c))
        switch (OMP_CLAUSE_CODE(c)) {
        case OMP_CLAUSE_REDUCTION:
            if (OMP_CLAUSE_REDUCTION_TASK(c) || OMP_CLAUSE_REDUCTION_INSCAN(c))
                return "its reduction is one of tasks or a scan";
            break;
        case OMP_CLAUSE_LASTPRIVATE:
            if (OMP_CLAUSE_LASTPRIVATE_CONDITIONAL(c))
                return "it has a conditional lastprivate";
            break;
        case OMP_CLAUSE_COPYPRIVATE:
            return "it has a copyprivate";
        default:
            break;
        }
    for (gimple *in : list_statements(gimple_omp_body(g)))
        if (is_libgomp_call(in, BUILT_IN_GOMP_CANCEL))
            return "it can be cancelled";
    return nullptr;
}

void Timing::separate_barrier(gimple *g, gimple_seq *seq)
{
    add_nowait(g);
    emit_mark(seq, AtBarrier, 0);
    gcall *wait = gimple_build_call(builtin_decl_explicit(BUILT_IN_GOMP_BARRIER), 0);
    gimple_set_location(wait, gimple_location(g));
    gimple_seq_add_stmt(seq, wait);
    emit_mark(seq, AfterBarrier, 0);
}

void Timing::stamp_loop(const RegionLoop &l)
{
    bool is_for = gimple_code(l.stmt) == GIMPLE_OMP_FOR;
    bool waits = !has_nowait(l.stmt);
    const char *reason = why_inseparable(l.stmt, waits);
    if (reason) {
        note_once(gimple_location(l.stmt), std::string("loop not stamped: ") + reason);
        return;
    }
    std::vector<gimple *> iterations; /* statements whose body is an iteration */
    if (is_for && !gimple_omp_for_combined_p(l.stmt)) {
        iterations.push_back(l.stmt);
    } else if (is_for) {
        note_once(gimple_location(l.stmt),
                  "iterations not stamped: those of a simd loop are executed together");
    } else {
        iterations = list_sections(l.stmt);
    }
    for (gimple *iteration : iterations) {
        gimple_seq each = NULL, *body = get_body(iteration);
        emit_call(&each, rt_function(Rt::Stamp), {});
        gimple_seq_add_seq(&each, *body);
        *body = each;
    }
    emit_mark(is_for ? gimple_omp_for_pre_body_ptr(l.stmt) : edits.before(l.stmt), AtLoop,
              l.number);
    gimple_seq *after = edits.after(l.stmt);
    emit_mark(after, LoopDone, l.number);
    if (waits)
        separate_barrier(l.stmt, after);
}

/* Does another team execute its body, or has it barriers of its own? */
static bool has_own_barriers(gimple *g)
{
    return may_wait_at_end(g) || is_other_team(g);
}

/* Stamps the barriers that belong to no loop, of the threads that execute the body. */
void Timing::stamp_barriers(gimple_seq body)
{
    for (gimple *g : list_statements(body, has_own_barriers)) {
        if (is_libgomp_call(g, BUILT_IN_GOMP_BARRIER)) {
            emit_mark(edits.before(g), AtBarrier, 0);
            emit_mark(edits.after(g), AfterBarrier, 0);
        } else if (gimple_code(g) == GIMPLE_OMP_SINGLE && !why_inseparable(g, true) &&
                   !has_nowait(g)) {
            separate_barrier(g, edits.after(g));
        }
    }
}

void stamp_region(function *fn, Region &region, Edits &edits, tree handle,
                  const std::vector<gimple *> &parallels)
{
    Timing timing(edits);
    for (const RegionLoop &l : region.loops)
        timing.stamp_loop(l);
    for (const auto &u : region.unstamped)
        timing.note_once(u.first, "loop not stamped: " + u.second);
    if (region.orphaned)
        timing.stamp_barriers(gimple_body(fn->decl));
    for (gimple *p : parallels) {
        timing.stamp_barriers(gimple_omp_body(p));
        emit_call(edits.before(p), rt_function(Rt::Fork), {handle});
    }
}

} // namespace pluss
