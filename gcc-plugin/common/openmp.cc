/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/openmp.h"

#include "common/statements.h"

namespace pluss
{

/* ---- kinds of constructs --------------------------------------------------------------------- */

bool begins_parallel_work(gimple *g)
{
    switch (gimple_code(g)) {
    case GIMPLE_OMP_FOR:
        return gimple_omp_for_kind(g) != GF_OMP_FOR_KIND_SIMD;
    case GIMPLE_OMP_PARALLEL:
    case GIMPLE_OMP_SECTIONS:
        return true;
    default:
        return false;
    }
}

bool holds_parallel_work(function *fn)
{
    std::vector<gimple *> all = list_statements(gimple_body(fn->decl));
    return std::any_of(all.begin(), all.end(), begins_parallel_work);
}

bool is_other_team(gimple *g)
{
    switch (gimple_code(g)) {
    case GIMPLE_OMP_PARALLEL:
    case GIMPLE_OMP_TASK:
    case GIMPLE_OMP_TARGET:
    case GIMPLE_OMP_TEAMS:
        return true;
    default:
        return false;
    }
}

bool may_wait_at_end(gimple *g)
{
    return gimple_code(g) == GIMPLE_OMP_FOR || gimple_code(g) == GIMPLE_OMP_SECTIONS ||
           gimple_code(g) == GIMPLE_OMP_SINGLE;
}

const char *undescribed_construct(gimple *g)
{
    switch (gimple_code(g)) {
    case GIMPLE_OMP_FOR:
        switch (gimple_omp_for_kind(g)) {
        case GF_OMP_FOR_KIND_FOR:
        case GF_OMP_FOR_KIND_SIMD:
        case GF_OMP_FOR_KIND_DISTRIBUTE:
        case GF_OMP_FOR_KIND_TASKLOOP:
            return nullptr;
        default:
            return "an OpenACC loop";
        }
    case GIMPLE_OMP_TASK:
        if (gimple_omp_task_taskloop_p(g))
            return nullptr;
        return gimple_omp_task_taskwait_p(g) ? "omp taskwait depend" : "omp task";
    case GIMPLE_OMP_TARGET:
        if (gimple_omp_target_kind(g) > GF_OMP_TARGET_KIND_EXIT_DATA)
            return "an OpenACC construct";
        return omp_find_clause(gimple_omp_target_clauses(g), OMP_CLAUSE_NOWAIT) ||
                       omp_find_clause(gimple_omp_target_clauses(g), OMP_CLAUSE_DEPEND)
                   ? "omp target that is not waited for"
                   : nullptr;
    default:
        return PLUSSI_IS_OMP_MASKED(g) && plussi_masked_by_filter(g) ? "omp masked with a filter"
                                                                     : nullptr;
    }
}

/* ---- clauses --------------------------------------------------------------------------------- */

tree get_clauses(gimple *g)
{
    switch (gimple_code(g)) {
    case GIMPLE_OMP_FOR:
        return gimple_omp_for_clauses(g);
    case GIMPLE_OMP_SECTIONS:
        return gimple_omp_sections_clauses(g);
    case GIMPLE_OMP_SINGLE:
        return gimple_omp_single_clauses(g);
    default:
        return NULL_TREE;
    }
}

bool has_nowait(gimple *g)
{
    return omp_find_clause(get_clauses(g), OMP_CLAUSE_NOWAIT) != NULL_TREE;
}

void add_nowait(gimple *g)
{
    tree clause = build_omp_clause(gimple_location(g), OMP_CLAUSE_NOWAIT);
    OMP_CLAUSE_CHAIN(clause) = get_clauses(g);
    if (gomp_sections *s = dyn_cast<gomp_sections *>(g))
        gimple_omp_sections_set_clauses(s, clause);
    else if (gomp_single *s = dyn_cast<gomp_single *>(g))
        gimple_omp_single_set_clauses(s, clause);
    else
        gimple_omp_for_set_clauses(g, clause);
}

ParallelClauses read_parallel(gomp_parallel *p)
{
    ParallelClauses found;
    tree clauses = gimple_omp_parallel_clauses(p);
    if (tree k = omp_find_clause(clauses, OMP_CLAUSE_NUM_THREADS))
        found.threads = OMP_CLAUSE_NUM_THREADS_EXPR(k);
    for (tree k = clauses; k; k = OMP_CLAUSE_CHAIN(k))
        if (OMP_CLAUSE_CODE(k) == OMP_CLAUSE_IF &&
            (OMP_CLAUSE_IF_MODIFIER(k) == ERROR_MARK || OMP_CLAUSE_IF_MODIFIER(k) == OMP_PARALLEL))
            found.condition = OMP_CLAUSE_IF_EXPR(k);
    return found;
}

static plussi_schedule_kind read_schedule_kind(unsigned kind)
{
    static const std::map<unsigned, plussi_schedule_kind> kinds = {
        {OMP_CLAUSE_SCHEDULE_STATIC, PLUSSI_SCHED_STATIC},
        {OMP_CLAUSE_SCHEDULE_DYNAMIC, PLUSSI_SCHED_DYNAMIC},
        {OMP_CLAUSE_SCHEDULE_GUIDED, PLUSSI_SCHED_GUIDED},
        {OMP_CLAUSE_SCHEDULE_AUTO, PLUSSI_SCHED_AUTO},
        {OMP_CLAUSE_SCHEDULE_RUNTIME, PLUSSI_SCHED_RUNTIME}};
    auto it = kinds.find(kind & OMP_CLAUSE_SCHEDULE_MASK);
    return it == kinds.end() ? PLUSSI_SCHED_NONE : it->second;
}

void read_worksharing(gomp_for *f, Construct *c)
{
    tree clauses = gimple_omp_for_clauses(f);
    c->nowait = has_nowait(f);
    c->collapse = gimple_omp_for_collapse(f);
    if (tree o = omp_find_clause(clauses, OMP_CLAUSE_ORDERED)) {
        c->ordered = true;
        /* ordered(n) counts loops for dependences; only those of collapse(n) are shared. */
        if (OMP_CLAUSE_ORDERED_EXPR(o)) {
            tree n = omp_find_clause(clauses, OMP_CLAUSE_COLLAPSE);
            c->collapse = n ? tree_to_uhwi(OMP_CLAUSE_COLLAPSE_EXPR(n)) : 1;
        }
    }
    if (tree s = omp_find_clause(clauses, OMP_CLAUSE_SCHEDULE)) {
        unsigned kind = OMP_CLAUSE_SCHEDULE_KIND(s);
        c->schedule = read_schedule_kind(kind);
        c->modifier = kind & OMP_CLAUSE_SCHEDULE_MONOTONIC      ? PLUSSI_SCHED_MONOTONIC
                      : kind & OMP_CLAUSE_SCHEDULE_NONMONOTONIC ? PLUSSI_SCHED_NONMONOTONIC
                                                                : PLUSSI_SCHED_PLAIN;
        c->chunk = OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(s);
    }
    c->has_chunk = c->chunk != NULL_TREE;
}

tree read_num_teams(gomp_teams *t, bool in_target)
{
    tree n = plussi_num_teams(omp_find_clause(gimple_omp_teams_clauses(t), OMP_CLAUSE_NUM_TEAMS),
                              in_target);
    return n ? n : build_int_cst(integer_type_node, in_target ? 1 : 3);
}

bool is_executed_elsewhere(gimple *g)
{
    return gimple_code(g) == GIMPLE_OMP_TARGET || gimple_code(g) == GIMPLE_OMP_TEAMS;
}

bool is_taskloop(gimple *g)
{
    return gimple_code(g) == GIMPLE_OMP_FOR && gimple_omp_for_kind(g) == GF_OMP_FOR_KIND_TASKLOOP;
}

bool has_scan(gomp_for *f)
{
    for (tree c = gimple_omp_for_clauses(f); c; c = OMP_CLAUSE_CHAIN(c))
        if (OMP_CLAUSE_CODE(c) == OMP_CLAUSE_REDUCTION && OMP_CLAUSE_REDUCTION_INSCAN(c))
            return true;
    return false;
}

bool is_dispatched_on_demand(plussi_schedule_kind kind)
{
    return kind == PLUSSI_SCHED_DYNAMIC || kind == PLUSSI_SCHED_GUIDED ||
           kind == PLUSSI_SCHED_RUNTIME;
}

Sharing read_sharing(tree clause)
{
    Sharing s;
    switch (OMP_CLAUSE_CODE(clause)) {
    case OMP_CLAUSE_PRIVATE:
        break;
    case OMP_CLAUSE_FIRSTPRIVATE:
        s.copied_in = true;
        break;
    case OMP_CLAUSE_LINEAR:
        s.linear = s.copied_in = s.copied_out = true;
        break;
    case OMP_CLAUSE_REDUCTION:
    case OMP_CLAUSE_IN_REDUCTION:
    case OMP_CLAUSE_TASK_REDUCTION:
        s.reduced = true;
        s.copied_out = true;
        break;
    case OMP_CLAUSE_LASTPRIVATE:
        s.copied_out = true;
        break;
    default:
        return s;
    }
    tree var = OMP_CLAUSE_DECL(clause);
    s.section = TREE_CODE(var) == MEM_REF ? var : NULL_TREE;
    while (var && (TREE_CODE(var) == MEM_REF || TREE_CODE(var) == INDIRECT_REF ||
                   TREE_CODE(var) == POINTER_PLUS_EXPR || TREE_CODE(var) == ADDR_EXPR))
        var = TREE_OPERAND(var, 0);
    /* A VLA's pointer has a clause of its own, or is made inside. */
    if (var && DECL_P(var) && (!DECL_HAS_VALUE_EXPR_P(var) || frame_field(var)))
        s.variable = var;
    return s;
}

/* ---- loops and sections ---------------------------------------------------------------------- */

OmpLoop get_loop(gomp_for *f, unsigned depth)
{
    tree increment = gimple_omp_for_incr(f, depth);
    return {gimple_omp_for_index(f, depth),
            gimple_omp_for_initial(f, depth),
            gimple_omp_for_final(f, depth),
            TREE_OPERAND(increment, 1),
            gimple_omp_for_cond(f, depth),
            TREE_CODE(increment),
            gimple_location(f)};
}

gomp_for *get_innermost(gomp_for *f)
{
    if (!gimple_omp_for_combined_p(f))
        return f;
    std::vector<gimple *> inner = list_outermost(gimple_omp_body(f), GIMPLE_OMP_FOR);
    return inner.empty() ? nullptr : as_a<gomp_for *>(inner[0]);
}

bool has_numbered_iterations(gomp_for *f)
{
    gomp_for *in = get_innermost(f);
    const size_t n = gimple_omp_for_collapse(f);
    tree order = omp_find_clause(gimple_omp_for_clauses(f), OMP_CLAUSE_ORDERED);
    if (!in || (order && OMP_CLAUSE_ORDERED_EXPR(order)) || n > 8 ||
        gimple_omp_for_collapse(in) != n)
        return false;
    for (size_t d = 0; d < n; d++)
        if (!get_loop(f, d).is_rectangular())
            return false;
    return true;
}

gimple *find_atomic_load(const std::vector<gimple *> &statements, const gimple *store)
{
    gimple *last = nullptr;
    for (gimple *g : statements) {
        if (gimple_code(g) == GIMPLE_OMP_ATOMIC_LOAD)
            last = g;
        if (g == store)
            return last;
    }
    return nullptr;
}

bool is_loop_index(gimple *construct, tree variable)
{
    if (gomp_for *f = dyn_cast<gomp_for *>(construct))
        for (size_t d = 0; d < gimple_omp_for_collapse(f); d++)
            if (gimple_omp_for_index(f, d) == variable)
                return true;
    return false;
}

std::vector<gimple *> list_sections(gimple *sections)
{
    return list_outermost(gimple_omp_body(sections), GIMPLE_OMP_SECTION);
}

gimple_seq *get_body(gimple *construct)
{
    gimple_seq *body = gimple_omp_body_ptr(construct);
    gbind *bind = only_bind(*body);
    return bind ? gimple_bind_body_ptr(bind) : body;
}

/* ---- calls ----------------------------------------------------------------------------------- */

TeamQuery read_team_query(gcall *g)
{
    tree fn = gimple_call_fndecl(g);
    std::string name = fn && DECL_NAME(fn) ? IDENTIFIER_POINTER(DECL_NAME(fn)) : "";
    if (plussi_startswith(name.c_str(), "__builtin_"))
        name = name.substr(strlen("__builtin_"));
    if (!name.empty() && name.back() == '_') /* as Fortran calls it */
        name.pop_back();
    return name == "omp_get_thread_num"    ? TeamQuery::ThreadNumber
           : name == "omp_get_num_threads" ? TeamQuery::TeamSize
           : name == "omp_get_max_threads" ? TeamQuery::MaxThreads
                                           : TeamQuery::None;
}

bool is_libgomp_call(gimple *g, built_in_function which)
{
    return gimple_call_builtin_p(g, BUILT_IN_NORMAL) &&
           DECL_FUNCTION_CODE(gimple_call_fndecl(g)) == which;
}

} // namespace pluss
