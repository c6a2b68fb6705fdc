/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The walk of a bound nest: its accesses in program order, thread by thread and phase by phase, and
 * orders in which the threads' accesses can be merged.
 *
 * A phase lasts from one barrier to the next. Thread 0 executes serial code (outside of parallel
 * regions) in separate phases. Fork, join, explicit barriers, and the ends of worksharing loops and
 * singles without nowait are barriers. Chunks of dynamic and guided loops are dispatched at the
 * moment a thread asks for its next access: the merged order decides which thread gets which. The
 * first thread in the merged order to reach a single executes it.
 */
#ifndef PLUSSI_TRACE_WALK_H
#define PLUSSI_TRACE_WALK_H

#include "base/effort.h"
#include "team/progress.h"
#include "trace/trace.h"

typedef struct plussi_walk plussi_walk;

/* The walk begins in phase 0. PLUSS_EUNSUPPORTED, naming the construct and its place, if the nest
 * cannot be walked (LOAD without contents, schedule(recorded) without a record). Unknown nodes are
 * skipped, with one warning each in ctx. seed: for BRANCH nodes and Rayon's stealing. bound is
 * borrowed, and so is ctx, for later errors. Memory O(max_team * (depth + references of a loop)).
 */
PLUSS_NODISCARD pluss_status plussi_walk_new(plussi_ctx *ctx, const plussi_bound *bound,
                                             uint64_t seed, plussi_walk **out);
/* The same with bounded steps, else PLUSS_ELIMIT. effort is borrowed; NULL: bounded only by the
 * attempt (base/effort.h) of ctx. */
PLUSS_NODISCARD pluss_status plussi_walk_new_bounded(plussi_ctx *ctx, const plussi_bound *bound,
                                                     uint64_t seed, plussi_effort *effort,
                                                     plussi_walk **out);
/* Reports that the effort does not suffice; returns PLUSS_ELIMIT. */
PLUSS_NODISCARD pluss_status plussi_walk_refuse(plussi_ctx *ctx);
/* From now on `line` of an access is the address of its first byte in that line. */
void plussi_walk_give_addresses(plussi_walk *walk);
void plussi_walk_free(plussi_walk *walk);

/* Callbacks for how many accesses iterations make, instead of the accesses. */
typedef struct plussi_walk_watch {
    /* The thread reaches a worksharing loop (its number in bound), maybe before the phase in which
     * it executes the loop. */
    void (*meet)(void *user, uint32_t thread, uint32_t loop);
    /* Its next n iterations of that loop, with that many accesses each, come `ahead` accesses after
     * those that fill returned before. Iterations without accesses are skipped. false: out of
     * memory. */
    bool (*iterate)(void *user, uint32_t thread, uint32_t loop, uint64_t first, uint64_t n,
                    double each, size_t ahead);
    void *user;
} plussi_walk_watch;

/* The same walk, except that iterations of worksharing loops are counted, not executed: fill passes
 * them to the watch, and returns only accesses outside of such loops. (Branches are counted by
 * their probability.) Chunks of dynamic loops go to the first thread that asks. What watch points
 * to is borrowed. */
PLUSS_NODISCARD pluss_status plussi_walk_new_counting(plussi_ctx *ctx, const plussi_bound *bound,
                                                      uint64_t seed, const plussi_walk_watch *watch,
                                                      plussi_walk **out);

/* Threads of the current phase: those from this number on have no accesses in it. At most
 * bound->max_team. */
uint32_t plussi_walk_team(const plussi_walk *walk);

/* Up to cap next accesses of a thread in the current phase. It may return fewer than cap at any
 * time (at the end of a dispatched chunk, for example); 0: the thread waits at the barrier that
 * ends the phase. A thread takes a chunk or a single only at the start of a call, so that a caller
 * who calls when it needs the thread's next access decides which thread gets what. O(1) an access.
 */
size_t plussi_walk_fill(plussi_walk *walk, uint32_t thread, plussi_access *buf, size_t cap);

/* Goes to the next phase with accesses, and skips what threads have left in this one, thread by
 * thread. A phase whose work is all dispatched may turn out to have none. The first call, before
 * any fill, stays in phase 0: so both do { fill ... } while (plussi_walk_next_phase(w)) and while
 * (plussi_walk_next_phase(w)) ... work. false: the program has ended, or failed (see
 * plussi_walk_status). */
bool plussi_walk_next_phase(plussi_walk *walk);
pluss_status plussi_walk_status(const plussi_walk *walk);
uint64_t plussi_walk_phase(const plussi_walk *walk);    /* number of the current phase, from 0 */
uint64_t plussi_walk_instance(const plussi_walk *walk); /* parallel regions entered so far */

/* How far the walk is, in [0, 1], never going back: by its position in the loops, whose iterations
 * count alike. For what cannot be counted beforehand. O(threads * (steps + depth)). */
double plussi_walk_done(plussi_walk *walk);

/* Whether a BRANCH takes its body. h_0 = first output of splitmix64 seeded with `seed`, h_k = first
 * output of splitmix64 seeded with h_(k-1) XOR v_k; v = the branch's number, the repetition of its
 * region (from 0), the IVs of the loops around it from the outermost in. Taken iff the last h,
 * shifted right by 11, times 2^-53 is below the probability. The same for every thread and
 * interleaving. */
bool plussi_branch_taken(const plussi_bound_node *branch, uint64_t seed, uint64_t repetition,
                         const int64_t *iv);

/* ---- merged orders ----------------------------------------------------------------------------
 */

typedef struct plussi_merge plussi_merge;

/* In the order of this progress, which is checked and copied; walk, and what progress points to, is
 * borrowed. RECORDED: the first of its runs (trace/make_timelines.h makes one fit). PLUSS_EINVAL as
 * of plussi_progress_check, and if the law has no order. O(1) an access, O(log team) if its times
 * decide. */
PLUSS_NODISCARD pluss_status plussi_merge_new(plussi_ctx *ctx, plussi_walk *walk,
                                              const plussi_progress *progress, uint64_t seed,
                                              plussi_merge **out);
void plussi_merge_free(plussi_merge *merge);
/* The merged order as a trace, which the merge owns; its errors are those of the walk. */
plussi_trace *plussi_merge_trace(plussi_merge *merge);
/* Up to cap next accesses of it; 0: the end (see plussi_walk_status). A batch never crosses a
 * phase. */
size_t plussi_merge_next(plussi_merge *merge, plussi_access *buf, size_t cap);

#endif
