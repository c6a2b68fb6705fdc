/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How OpenMP constructs look in GCC's high GIMPLE: the statements, clauses and operands that say
 * which loops are shared among threads, by which schedule, where their iterations are, and who
 * waits for whom. All stages ask here.
 */
#ifndef PLUSSI_PLUGIN_OPENMP_H
#define PLUSSI_PLUGIN_OPENMP_H

#include "common/items.h"

namespace pluss
{

/* ---- kinds of constructs --------------------------------------------------------------------- */

/* Is it a construct that this plugin describes a function for: parallel, for, sections? */
bool begins_parallel_work(gimple *g);
/* Does a function hold any? */
bool holds_parallel_work(function *fn);
/* Does another team than the one that reaches the construct execute its body? */
bool is_other_team(gimple *g);
/* Is it a construct that may end in a barrier of its own: for, sections, single? */
bool may_wait_at_end(gimple *g);
/* Why a construct is not described, as a name for messages ("omp task"); NULL: it may be. */
const char *undescribed_construct(gimple *g);

/* ---- clauses --------------------------------------------------------------------------------- */

/* The clauses of a for, sections or single construct; NULL for others. */
tree get_clauses(gimple *g);
bool has_nowait(gimple *g);
void add_nowait(gimple *g);

/* The num_threads and if clauses of a parallel construct; NULL where there is none. */
struct ParallelClauses {
    tree threads = NULL_TREE, condition = NULL_TREE;
};
ParallelClauses read_parallel(gomp_parallel *p);

/* Schedule, chunk, collapse, ordered and nowait of a worksharing loop. */
void read_worksharing(gomp_for *f, Construct *c);
/* Are chunks dispatched while the loop runs, so that only the run knows who executed what? */
bool is_dispatched_on_demand(plussi_schedule_kind kind);

/* The number of teams that libgomp makes of a teams construct on the host, one after another: what
 * num_teams says, else 3, or 1 in a target region. */
tree read_num_teams(gomp_teams *t, bool in_target);
/* Is it a construct whose body becomes a function that a device or a league of teams may execute?
 */
bool is_executed_elsewhere(gimple *g);
bool is_taskloop(gimple *g);
bool has_scan(gomp_for *f);

/* How a data-sharing clause makes a variable a thread's own. */
struct Sharing {
    tree variable = NULL_TREE; /* NULL: it is no such clause, or of no variable */
    bool copied_in = false, copied_out = false;
    bool linear = false;
    bool reduced = false;
    tree section = NULL_TREE; /* of an array, in a reduction */
};
Sharing read_sharing(tree clause);

/* ---- loops and sections ---------------------------------------------------------------------- */

/* One loop of a loop construct: for (index = first; index `relation' end; index `advance'= by). A
 * bound that depends on an outer loop is a TREE_VEC. */
struct OmpLoop {
    tree index, first, end, by;
    tree_code relation, advance;
    location_t loc;
    tree type() const { return TREE_TYPE(index); }
    bool is_rectangular() const
    {
        return TREE_CODE(first) != TREE_VEC && TREE_CODE(end) != TREE_VEC;
    }
};
OmpLoop get_loop(gomp_for *f, unsigned depth);
/* In a combined `for simd' the loops' bodies are the inner construct's. NULL: it has none. */
gomp_for *get_innermost(gomp_for *f);
/* Is the number of an iteration, in the order of a sequential execution, a function of the loops'
 * variables and bounds alone? */
bool has_numbered_iterations(gomp_for *f);
/* Is it one of the construct's own loop variables? */
bool is_loop_index(gimple *construct, tree variable);

/* The first half of an atomic update whose second half is among these statements: no code may be
 * inserted between the halves. */
gimple *find_atomic_load(const std::vector<gimple *> &statements, const gimple *store);

/* The section statements of a sections construct. */
std::vector<gimple *> list_sections(gimple *sections);
/* The statements of a construct, without the block around them. */
gimple_seq *get_body(gimple *construct);

/* ---- calls ----------------------------------------------------------------------------------- */

/* What a call asks the OpenMP runtime about the team. */
enum class TeamQuery { None, ThreadNumber, TeamSize, MaxThreads };
TeamQuery read_team_query(gcall *g);
/* Is it a call of this one of GCC's functions of libgomp? */
bool is_libgomp_call(gimple *g, built_in_function which);

} // namespace pluss
#endif
