/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A bound nest's accesses in program order, thread by thread and phase by phase, and orders in
 * which the threads' accesses can be merged.
 *
 * A phase lasts from one barrier to the next. Serial code (outside of parallel regions) is executed
 * by thread 0 in phases of its own. Fork, join, explicit barriers, and the ends of worksharing
 * loops and singles without nowait are barriers. Chunks of dynamic and guided loops are taken at
 * the moment a thread asks for its next access: the merged order decides who gets which. single:
 * executed by the first thread that reaches it in the merged order.
 */
#ifndef PLUSSI_TRACE_WALK_H
#define PLUSSI_TRACE_WALK_H

#include "base/effort.h"
#include "team/progress.h"
#include "trace/trace.h"

typedef struct plussi_walk plussi_walk;

/* The walk is in phase 0 at once. PLUSS_EUNSUPPORTED, naming the construct and its place, for
 * what cannot be walked (LOAD without contents, schedule(recorded) without a record). Unknown nodes
 * are passed over with one warning each in ctx. seed: for BRANCH nodes and Rayon's stealing. bound
 * is borrowed, and so is ctx, for what fails later. Memory O(max_team * (depth + references of a
 * loop)). */
PLUSS_NODISCARD pluss_status plussi_walk_new(plussi_ctx *ctx, const plussi_bound *bound,
                                             uint64_t seed, plussi_walk **out);
/* The same, its steps bounded: PLUSS_ELIMIT beyond. effort is borrowed; NULL: not bounded, but by
 * the attempt (base/effort.h) that ctx is of. */
PLUSS_NODISCARD pluss_status plussi_walk_new_bounded(plussi_ctx *ctx, const plussi_bound *bound,
                                                     uint64_t seed, plussi_effort *effort,
                                                     plussi_walk **out);
/* Says that the effort does not suffice; PLUSS_ELIMIT. */
PLUSS_NODISCARD pluss_status plussi_walk_refuse(plussi_ctx *ctx);
/* From now on `line` of an access is the address of its first byte in that line. */
void plussi_walk_give_addresses(plussi_walk *walk);
void plussi_walk_free(plussi_walk *walk);

/* Whoever wants to know how many accesses iterations are, not which. */
typedef struct plussi_walk_watch {
    /* The thread comes to a worksharing loop (bound's number of it); before the phase is told,
     * maybe, in which it executes it. */
    void (*meet)(void *user, uint32_t thread, uint32_t loop);
    /* Its next n iterations of that loop, each of that many accesses, come `ahead` accesses after
     * what fill gave before. Iterations without any are not told. false: no memory. */
    bool (*iterate)(void *user, uint32_t thread, uint32_t loop, uint64_t first, uint64_t n,
                    double each, size_t ahead);
    void *user;
} plussi_walk_watch;

/* The same walk, but that the iterations of worksharing loops are counted in place of being
 * executed: fill tells them to the watch, and gives what is outside of such loops alone. (Branches
 * are counted by their probability.) Iteration sets that are dispatched on demand fall to the first
 * who asks. What watch points to is borrowed. */
PLUSS_NODISCARD pluss_status plussi_walk_new_counting(plussi_ctx *ctx, const plussi_bound *bound,
                                                      uint64_t seed, const plussi_walk_watch *watch,
                                                      plussi_walk **out);

/* Threads of the current phase: those with this number or a higher one have no accesses in it. At
 * most bound->max_team. */
uint32_t plussi_walk_team(const plussi_walk *walk);

/* Up to cap next accesses of a thread in the current phase. Fewer than cap may come back at any
 * time (at the end of a chunk that was dispatched on demand, for one); 0: it waits at the barrier
 * that ends the phase. A thread takes a chunk or a single only as the first thing in a call, so
 * that a caller who asks when it wants the thread's next access decides who gets what. O(1) an
 * access. */
size_t plussi_walk_fill(plussi_walk *walk, uint32_t thread, plussi_access *buf, size_t cap);

/* On to the next phase that has accesses (what threads have left in this one is passed over, thread
 * by thread). A phase whose work is all dispatched on demand may turn out to have none. The first
 * call, when nothing was filled yet, stays in phase 0: so that both
 *     do { fill ... } while (plussi_walk_next_phase(w));  and  while (plussi_walk_next_phase(w))
 * ... do what they say. false: the program has ended, or failed (see plussi_walk_status). */
bool plussi_walk_next_phase(plussi_walk *walk);
pluss_status plussi_walk_status(const plussi_walk *walk);
uint64_t plussi_walk_phase(const plussi_walk *walk);    /* number of the current phase, from 0 */
uint64_t plussi_walk_instance(const plussi_walk *walk); /* parallel regions entered so far */

/* Whether a BRANCH takes its body. h_0 = first output of splitmix64 seeded with `seed`, h_k = first
 * output of splitmix64 seeded with h_(k-1) XOR v_k; v = the branch's number, which time of its
 * region's repetitions it is (from 0), the IVs of the loops around it from the outermost in. Taken
 * iff the last h, shifted right by 11, times 2^-53 is below the probability. The same for every
 * thread and interleaving. */
bool plussi_branch_taken(const plussi_bound_node *branch, uint64_t seed, uint64_t repetition,
                         const int64_t *iv);

/* ---- merged orders ----------------------------------------------------------------------------
 */

typedef struct plussi_merge plussi_merge;

/* In the order of this progress, which is checked and copied; walk, and what progress points to, is
 * borrowed. RECORDED: the
 * first of its runs (trace/make_timelines.h makes one fit). PLUSS_EINVAL as plussi_progress_check,
 * and where the law has no order. O(1) an access; where its times decide O(log team). */
PLUSS_NODISCARD pluss_status plussi_merge_new(plussi_ctx *ctx, plussi_walk *walk,
                                              const plussi_progress *progress, uint64_t seed,
                                              plussi_merge **out);
void plussi_merge_free(plussi_merge *merge);
/* The merged order as a trace, which fails as the walk does; the merge's own. */
plussi_trace *plussi_merge_trace(plussi_merge *merge);
/* Up to cap next accesses of it; 0: the end (then see plussi_walk_status). A batch never crosses a
 * phase. */
size_t plussi_merge_next(plussi_merge *merge, plussi_access *buf, size_t cap);

#endif
