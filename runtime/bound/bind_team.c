/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/binder.h"

static pluss_status bind_team(plussi_binder *b, const plussi_scope *scope, plussi_bound_node *node)
{
    const plussi_node *decl = node->decl;
    const plussi_expr *count = decl->u.parallel.num_threads, *cond = decl->u.parallel.cond;
    pluss_status status = PLUSS_OK;
    if (count)
        status = plussi_bind_positive(b, scope, count, decl, "num_threads is less than 1",
                                      &node->u.parallel.num_threads);
    if (!status && cond)
        status = plussi_bind_expr(b, scope, cond, decl, &node->u.parallel.cond);
    if (status || !count || node->u.parallel.nested || scope->dead)
        return status;
    if (!plussi_scope_knows(scope, node->u.parallel.num_threads))
        return plussi_bind_fail(b, count, decl, PLUSS_EUNSUPPORTED, "num_threads cannot be known");
    int64_t most = plussi_scope_range(scope, node->u.parallel.num_threads).hi;
    if (most > PLUSSI_MAX_TEAM)
        return plussi_bind_fail(b, count, decl, PLUSS_ELIMIT,
                                "the team has more than 65536 threads");
    if (most > b->bound->max_team)
        b->bound->max_team = (uint32_t)most;
    return PLUSS_OK;
}

/* $team inside: cond ? max(num_threads, 1) : 1 */
static pluss_status team_inside(plussi_binder *b, plussi_scope *inside,
                                const plussi_bound_node *node)
{
    plussi_fold fold = {&b->bound->arena, inside->dead ? NULL : inside};
    const plussi_cexpr *one, *team;
    pluss_status status = plussi_fold_const(&fold, 1, &one);
    if (!status)
        status = plussi_fold_const(&fold, b->bound->team, &team);
    if (!status && node->u.parallel.num_threads)
        status =
            plussi_fold_extreme(&fold, PLUSSI_CEXPR_MAX, node->u.parallel.num_threads, one, &team);
    if (!status && node->u.parallel.cond)
        status = plussi_fold_select(&fold, node->u.parallel.cond, team, one, &team);
    if (status)
        return status;
    inside->team = node->u.parallel.nested ? one : team;
    int64_t most = 1;
    if (!node->u.parallel.nested) {
        most = plussi_cexpr_range(inside->team, inside->box).hi;
        most = inside->dead || most > PLUSSI_MAX_TEAM ? PLUSSI_MAX_TEAM : most;
        inside->box[0] = (plussi_interval){0, most - 1};
    }
    return PLUSS_OK;
}

pluss_status plussi_bind_parallel(plussi_binder *b, const plussi_scope *scope,
                                  plussi_bound_node *node)
{
    node->u.parallel.nested = scope->parallel;
    pluss_status status = bind_team(b, scope, node);
    if (status)
        return status;
    plussi_scope inside = *scope;
    inside.parallel = true;
    inside.nested = scope->parallel;
    status = team_inside(b, &inside, node);
    if (status)
        return status;
    return plussi_bind_children(b, &inside, node, &node->decl->body, &node->body, &node->n_body);
}

uint32_t plussi_bparallel_team(const plussi_bound *bound, const plussi_bound_node *parallel,
                               const int64_t *iv)
{
    bool fault = false;
    if (parallel->u.parallel.nested ||
        (parallel->u.parallel.cond && !plussi_cexpr_eval(parallel->u.parallel.cond, iv, &fault)))
        return 1;
    if (!parallel->u.parallel.num_threads)
        return bound->team;
    int64_t team = plussi_cexpr_eval(parallel->u.parallel.num_threads, iv, &fault);
    return team < 1 ? 1 : team > bound->max_team ? bound->max_team : (uint32_t)team;
}
