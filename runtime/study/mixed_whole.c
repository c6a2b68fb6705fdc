/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/mixed_whole.h"

#include "study/recorded_whole.h"

pluss_status plussi_mixed_whole_note(const plussi_mem *mem, plussi_mixed_whole *mixed,
                                     plussi_mixed_part part)
{
    pluss_status status = plussi_grow(mem, &mixed->part, &mixed->cap, mixed->n, sizeof part);
    if (!status)
        mixed->part[mixed->n++] = part;
    return status;
}

void plussi_mixed_whole_free(const plussi_mem *mem, plussi_mixed_whole *mixed)
{
    plussi_free(mem, mixed->part);
    if (mixed->searched && !mixed->failed)
        plussi_between_runs_free(&mixed->between);
    if (mixed->searched)
        plussi_ctx_clear(&mixed->told);
    *mixed = (plussi_mixed_whole){0};
}

typedef struct adder {
    plussi_ctx *ctx;
    const plussi_record *record;
    const plussi_between_runs *between;
    const plussi_mixed_whole *mixed;
    plussi_result *result;
    plussi_recorded_whole *whole; /* by team, in the order of their first curves */
    uint32_t *team;
    size_t n;
} adder;

static pluss_status add_part(const adder *a, const plussi_mixed_part *part,
                             plussi_recorded_whole *to)
{
    return plussi_recorded_whole_add_between(a->ctx, to, &a->result->curve[part->curve], a->record,
                                             a->between, part->binding->block, part->binding->n);
}

/* The teams that several threads ran something with; without any, one thread. */
static void find_teams(adder *a)
{
    for (size_t i = 0; i < a->mixed->n; i++) {
        const uint32_t team = a->result->curve[a->mixed->part[i].curve].id.team;
        size_t k = 0;
        while (k < a->n && a->team[k] != team)
            k++;
        if (!a->mixed->part[i].alone && k == a->n)
            a->team[a->n++] = team;
    }
    if (!a->n)
        a->team[a->n++] = 1;
}

static pluss_status add_parts(adder *a)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < a->mixed->n && !status; i++) {
        const plussi_mixed_part *part = &a->mixed->part[i];
        const uint32_t team = a->result->curve[part->curve].id.team;
        for (size_t k = 0; k < a->n && !status; k++)
            if (part->alone || a->team[k] == team)
                status = add_part(a, part, &a->whole[k]);
    }
    return status;
}

static pluss_status add_curves(adder *a, double least)
{
    pluss_status status = PLUSS_OK;
    if (!(a->whole[0].accesses > least))
        return PLUSS_OK;
    for (size_t k = 0; k < a->n && !status; k++) {
        a->whole[k].profile.id.team = a->team[k];
        status = plussi_recorded_whole_finish(a->ctx, &a->whole[k], a->result);
    }
    return status;
}

static pluss_status add_all(adder *a, double least)
{
    const plussi_mem *mem = &a->ctx->mem;
    a->whole = plussi_calloc(mem, a->mixed->n + 1, sizeof *a->whole);
    a->team = plussi_calloc(mem, a->mixed->n + 1, sizeof *a->team);
    pluss_status status = a->whole && a->team ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status) {
        find_teams(a);
        status = add_parts(a);
    }
    if (!status)
        status = add_curves(a, least);
    for (size_t k = 0; a->whole && k < a->n; k++)
        plussi_recorded_whole_free(&a->whole[k]);
    plussi_free(mem, a->whole);
    plussi_free(mem, a->team);
    return status;
}

static void drop_diags(plussi_ctx *ctx, size_t from)
{
    for (size_t i = from; i < ctx->n_diags; i++) {
        plussi_free(&ctx->mem, ctx->diags[i].file);
        plussi_free(&ctx->mem, ctx->diags[i].text);
    }
    ctx->n_diags = from < ctx->n_diags ? from : ctx->n_diags;
}

/* What is told on it is kept, for the curve; on a failure, told now. */
static pluss_status search(plussi_ctx *ctx, const plussi_record *record,
                           const plussi_nest *const *nests, size_t n, const plussi_request *request,
                           plussi_mixed_whole *mixed)
{
    plussi_ctx_init(&mixed->told, &ctx->mem);
    mixed->searched = true;
    const pluss_status status =
        plussi_find_between_runs(&mixed->told, record, nests, n, request, &mixed->between);
    mixed->failed = status != PLUSS_OK;
    if (!status)
        return PLUSS_OK;
    const bool ends = status == PLUSS_ECANCELLED || status == PLUSS_ENOMEM;
    for (size_t i = 0; i < mixed->told.n_diags && !ends; i++) /* the regions have figures without */
        mixed->told.diags[i].severity = PLUSSI_WARNING;
    plussi_report_again(ctx, &mixed->told);
    return ends ? status : PLUSS_OK;
}

pluss_status plussi_mixed_whole_add(plussi_ctx *ctx, const plussi_record *record,
                                    const plussi_nest *const *nests, size_t n,
                                    const plussi_request *request, plussi_mixed_whole *mixed,
                                    double least, plussi_result *result)
{
    pluss_status status = PLUSS_OK;
    if (mixed->n && !mixed->searched)
        status = search(ctx, record, nests, n, request, mixed);
    if (!mixed->n || mixed->failed)
        return status;
    adder a = {
        .ctx = ctx, .record = record, .between = &mixed->between, .mixed = mixed, .result = result};
    const size_t before = result->n, first_diag = ctx->n_diags;
    status = add_all(&a, least);
    if (result->n > before)
        plussi_report_again(ctx, &mixed->told);
    else /* what is not in a curve that is not there is not told */
        drop_diags(ctx, first_diag);
    return status;
}
