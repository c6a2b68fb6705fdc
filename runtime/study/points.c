/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/points.h"

#include <string.h>

#include "study/stage.h"

pluss_status plussi_refuse_points(plussi_ctx *ctx, const plussi_request *request)
{
    if (!plussi_has_points(request))
        return PLUSS_OK;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL,
                       "one value of each symbol and one schedule at a time here");
}

typedef struct points {
    const plussi_nest *nest;
    const plussi_request *request;
    plussi_study_fn engine;
    plussi_binding *binding; /* of the point at hand */
    size_t n, done;
} points;

/* Whether the nest has a symbol that the list is of. */
static bool is_listed(const points *p, const plussi_value_list *list)
{
    for (size_t i = 0; i < list->n_names; i++)
        if (plussi_has_symbol(p->nest, list->name[i]))
            return true;
    return false;
}

static void bind_names(const points *p, const plussi_value_list *list, int64_t value)
{
    for (size_t i = 0; i < list->n_names; i++)
        for (size_t b = 0; b < p->request->n_bindings; b++)
            if (strcmp(p->binding[b].name, list->name[i]) == 0)
                p->binding[b].value = value;
}

static pluss_status evaluate_schedules(plussi_ctx *ctx, points *p, plussi_result *out)
{
    const size_t n = p->request->n_choices ? p->request->n_choices : 1;
    pluss_status first = PLUSS_OK;
    for (size_t i = 0; i < n; i++, p->done++) {
        const plussi_schedule_choice *choice = &p->request->choice[i];
        plussi_request own;
        plussi_ask_part part;
        plussi_ask_as_part(p->request, NULL, (double)p->done / (double)p->n, 1 / (double)p->n,
                           &part, &own);
        own.binding = p->binding;
        own.n_lists = own.n_choices = 0;
        if (p->request->n_choices) {
            own.schedule = choice->kind;
            own.chunk = choice->chunk;
            own.as_recorded = choice->as_recorded;
        }
        pluss_status status = plussi_evaluate_teams(ctx, p->nest, &own, p->engine, out);
        if (status == PLUSS_ENOMEM || status == PLUSS_ECANCELLED)
            return status;
        first = first ? first : status;
    }
    return first;
}

/* The lists from number i on, those before having their values. */
static pluss_status evaluate_lists(plussi_ctx *ctx, points *p, size_t i, plussi_result *out)
{
    const plussi_request *r = p->request;
    while (i < r->n_lists && !is_listed(p, &r->list[i]))
        i++;
    if (i == r->n_lists)
        return evaluate_schedules(ctx, p, out);
    pluss_status first = PLUSS_OK;
    for (size_t k = 0; k < r->list[i].n; k++) {
        bind_names(p, &r->list[i], r->list[i].value[k]);
        pluss_status status = evaluate_lists(ctx, p, i + 1, out);
        if (status == PLUSS_ENOMEM || status == PLUSS_ECANCELLED)
            return status;
        first = first ? first : status;
    }
    return first;
}

pluss_status plussi_evaluate_points(plussi_ctx *ctx, const plussi_nest *nest,
                                    const plussi_request *request, plussi_study_fn engine,
                                    plussi_result *out)
{
    points p = {.nest = nest, .request = request, .engine = engine, .n = 1};
    if (!plussi_has_points(request))
        return plussi_evaluate_teams(ctx, nest, request, engine, out);
    p.n = request->n_choices ? request->n_choices : 1;
    for (size_t i = 0; i < request->n_lists; i++) {
        p.n *= is_listed(&p, &request->list[i]) ? request->list[i].n : 1;
        if (p.n > PLUSSI_POINTS_MOST)
            return plussi_fail(ctx, PLUSS_ELIMIT, NULL,
                               "more than %d combinations of values and schedules",
                               PLUSSI_POINTS_MOST);
    }
    p.binding = plussi_alloc(&ctx->mem, request->n_bindings + 1, sizeof *p.binding);
    if (!p.binding)
        return PLUSS_ENOMEM;
    if (request->n_bindings)
        memcpy(p.binding, request->binding, request->n_bindings * sizeof *p.binding);
    pluss_status status = evaluate_lists(ctx, &p, 0, out);
    plussi_free(&ctx->mem, p.binding);
    return status;
}
