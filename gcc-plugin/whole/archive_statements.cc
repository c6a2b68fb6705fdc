/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements in an archive. Left out are debug statements, lexical blocks, and what ends the
 * program where an exception must not be. Other handlers of exceptions, which nests leave out, are
 * there for what they store, without the types that they are of.
 */
#include "common/openmp.h"
#include "whole/archive.h"

namespace pluss
{

static bool is_left_out(gimple *g)
{
    return is_gimple_debug(g) || gimple_nop_p(g) || gimple_code(g) == GIMPLE_EH_FILTER ||
           gimple_code(g) == GIMPLE_EH_MUST_NOT_THROW;
}

void Archive::sequence(gimple_seq *seq)
{
    if (writing) {
        for (gimple_stmt_iterator i = gsi_start(*seq); !gsi_end_p(i); gsi_next(&i)) {
            gimple *g = gsi_stmt(i);
            if (!is_left_out(g))
                statement(&g);
        }
        number(0);
        return;
    }
    gimple_seq all = NULL;
    for (;;) {
        gimple *g = nullptr;
        statement(&g);
        if (!g)
            break;
        gimple_seq_add_stmt_without_update(&all, g);
    }
    *seq = all;
}

/* The clauses of a construct that may have any; NULL: it cannot. */
static tree *clauses_of(gimple *g)
{
    switch (gimple_code(g)) {
    case GIMPLE_OMP_PARALLEL:
    case GIMPLE_OMP_TASK:
        return gimple_omp_taskreg_clauses_ptr(g);
    case GIMPLE_OMP_TARGET:
        return gimple_omp_target_clauses_ptr(as_a<gomp_target *>(g));
    case GIMPLE_OMP_TEAMS:
        return gimple_omp_teams_clauses_ptr(as_a<gomp_teams *>(g));
    case GIMPLE_OMP_FOR:
        return gimple_omp_for_clauses_ptr(g);
    case GIMPLE_OMP_SECTIONS:
        return gimple_omp_sections_clauses_ptr(g);
    case GIMPLE_OMP_SINGLE:
        return gimple_omp_single_clauses_ptr(g);
    case GIMPLE_OMP_SCAN:
        return gimple_omp_scan_clauses_ptr(as_a<gomp_scan *>(g));
    case GIMPLE_OMP_ORDERED:
        return gimple_omp_ordered_clauses_ptr(as_a<gomp_ordered *>(g));
    case GIMPLE_OMP_CRITICAL:
        return gimple_omp_critical_clauses_ptr(as_a<gomp_critical *>(g));
    case GIMPLE_OMP_TASKGROUP:
        return gimple_omp_taskgroup_clauses_ptr(g);
    default:
        return plussi_masked_or_scope_clauses(g);
    }
}

void Archive::construct(gimple *g)
{
    if (gomp_atomic_load *a = dyn_cast<gomp_atomic_load *>(g)) {
        node(gimple_omp_atomic_load_lhs_ptr(a));
        node(gimple_omp_atomic_load_rhs_ptr(a));
        return;
    }
    if (gomp_atomic_store *a = dyn_cast<gomp_atomic_store *>(g)) {
        node(gimple_omp_atomic_store_val_ptr(a));
        return;
    }
    if (!gimple_has_substatements(g) && gimple_code(g) != GIMPLE_OMP_SCAN) {
        failed = true;
        return;
    }
    if (gomp_critical *c = dyn_cast<gomp_critical *>(g))
        node(gimple_omp_critical_name_ptr(c));
    if (gomp_for *f = dyn_cast<gomp_for *>(g)) {
        sequence(gimple_omp_for_pre_body_ptr(f));
        for (size_t d = 0; d < gimple_omp_for_collapse(f); d++) {
            f->iter[d].cond = (tree_code)number(f->iter[d].cond);
            node(&f->iter[d].index);
            node(&f->iter[d].initial);
            node(&f->iter[d].final);
            node(&f->iter[d].incr);
        }
    }
    if (tree *list = clauses_of(g))
        clauses(list);
    sequence(gimple_omp_body_ptr(g));
}

void Archive::variables(tree *list)
{
    std::vector<tree> all;
    for (tree v = writing ? *list : NULL_TREE; v; v = DECL_CHAIN(v))
        if (VAR_P(v))
            all.push_back(v);
    all.resize(count(all.size()), NULL_TREE);
    for (tree &v : all)
        node(&v);
    if (writing)
        return;
    *list = all.empty() ? NULL_TREE : all[0];
    for (size_t i = 0; i < all.size(); i++)
        DECL_CHAIN(all[i]) = i + 1 < all.size() ? all[i + 1] : NULL_TREE;
}

/* Reading: *g is NULL at a sequence's end. */
void Archive::statement(gimple **at)
{
    gimple *g = *at;
    const enum gimple_code code = (enum gimple_code)number(g ? gimple_code(g) + 1 : 0);
    if (code == 0)
        return;
    const enum gimple_code real = (enum gimple_code)(code - 1);
    const unsigned n = count(g ? gimple_num_ops(g) : 0);
    const size_t dims = count(g && real == GIMPLE_OMP_FOR ? gimple_omp_for_collapse(g) : 0);
    if (!writing)
        g = real == GIMPLE_OMP_FOR ? gimple_build_omp_for(NULL, 0, NULL_TREE, dims, NULL)
            : real == GIMPLE_BIND  ? gimple_build_bind(NULL_TREE, NULL, NULL_TREE)
                                   : gimple_alloc(real, n);
    memory(g, reinterpret_cast<char *>(g) + sizeof(uint32_t)); /* code, flags, subcode */
    location_t loc = writing ? gimple_location(g) : 0;
    place(&loc);
    if (!writing)
        gimple_set_location(g, loc);
    switch (real) {
    case GIMPLE_CALL: {
        gcall *call = as_a<gcall *>(g);
        if (gimple_call_internal_p(call))
            call->u.internal_fn = (internal_fn)number(writing ? call->u.internal_fn : 0);
        else
            node(&call->u.fntype);
        gimple_call_reset_alias_info(call);
    }
        /* fall through */
    case GIMPLE_ASSIGN:
    case GIMPLE_COND:
    case GIMPLE_GOTO:
    case GIMPLE_LABEL:
    case GIMPLE_SWITCH:
    case GIMPLE_RETURN:
    case GIMPLE_PREDICT:
        for (unsigned i = 0; i < n; i++)
            node(gimple_op_ptr(g, i));
        if (!writing)
            if (tree to = gimple_get_lhs(g))
                if (TREE_CODE(to) == SSA_NAME)
                    SSA_NAME_DEF_STMT(to) = g;
        break;
    case GIMPLE_BIND: {
        gbind *b = as_a<gbind *>(g);
        variables(&b->vars);
        sequence(gimple_bind_body_ptr(b));
        break;
    }
    case GIMPLE_TRY: {
        sequence(gimple_try_eval_ptr(g));
        sequence(gimple_try_cleanup_ptr(g));
        break;
    }
    case GIMPLE_CATCH:
        sequence(gimple_catch_handler_ptr(as_a<gcatch *>(g)));
        break;
    case GIMPLE_EH_ELSE: {
        geh_else *e = as_a<geh_else *>(g);
        sequence(gimple_eh_else_n_body_ptr(e));
        sequence(gimple_eh_else_e_body_ptr(e));
        break;
    }
    default:
        if (is_gimple_omp(g)) {
            construct(g);
            break;
        }
        if (!writing)
            abort();
        failed = true;
    }
    *at = g;
}

} // namespace pluss
