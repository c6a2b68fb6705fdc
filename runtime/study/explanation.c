/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a predicted curve falls where it does: the knees of the curve, and what the model's samples
 * say about the reuses that they hold.
 */
#include <stdlib.h>
#include <string.h>

#include "study/stage.h"

/* What accesses of a kind have in common. Which touch they follow is told apart where that says
 * where the reuse comes from. */
static bool alike(const plussi_attribution *a, const plussi_attribution *b)
{
    bool by_source = a->carrier == PLUSSI_CARRIED_NEST || a->carrier == PLUSSI_CARRIED_NONE;
    return a->ref == b->ref && a->carrier == b->carrier && a->loop == b->loop &&
           a->other_thread == b->other_thread && (!by_source || a->source == b->source);
}

/* A sum of causes that are alike, but for their sources and sizes. */
typedef struct kind {
    plussi_attribution cause; /* weight: of all; source: of the heaviest */
    double heaviest;
} kind;

/* Causes come by reference and source, so that those of one source can be added up in a row. */
static size_t gather(const plussi_estimate *from, uint64_t below, uint64_t last, kind *out)
{
    size_t n = 0, present = 0;
    const plussi_attribution *before = NULL;
    double run = 0; /* of the present kind and source */
    for (size_t i = 0; i < from->n_attributions; i++) {
        const plussi_attribution *c = &from->attribution[i];
        if (last ? c->size <= below || c->size > last : c->size != 0)
            continue;
        for (present = n; present > 0 && !alike(&out[present - 1].cause, c);)
            present--;
        if (present == 0) {
            out[n++] = (kind){.cause = *c};
            out[n - 1].cause.weight = 0;
            present = n;
        }
        kind *k = &out[present - 1];
        run =
            before && alike(before, c) && before->source == c->source ? run + c->weight : c->weight;
        before = c;
        k->cause.weight += c->weight;
        if (run > k->heaviest) {
            k->heaviest = run;
            k->cause.source = c->source;
        }
    }
    return n;
}

static int64_t id_of(const plussi_bound_node *node)
{
    return node ? (int64_t)node->id : -1;
}

/* The heaviest first; what weighs the same in the order of the text. */
static int by_weight(const void *a, const void *b)
{
    const plussi_attribution *x = &((const kind *)a)->cause, *y = &((const kind *)b)->cause;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    const int64_t key[2][5] = {
        {id_of(x->ref), x->carrier, id_of(x->loop), id_of(x->source), x->other_thread},
        {id_of(y->ref), y->carrier, id_of(y->loop), id_of(y->source), y->other_thread}};
    for (int i = 0; i < 5; i++)
        if (key[0][i] != key[1][i])
            return key[0][i] < key[1][i] ? -1 : 1;
    return 0;
}

static pluss_status fill_reuse(plussi_ctx *ctx, const plussi_bound *bound,
                               const plussi_attribution *cause, double accesses, plussi_reuse *out)
{
    static const plussi_carried by[] = {[PLUSSI_CARRIED_COLD] = PLUSSI_BY_NOTHING,
                                        [PLUSSI_CARRIED_LOOP] = PLUSSI_BY_LOOP,
                                        [PLUSSI_CARRIED_REPEAT] = PLUSSI_BY_REPEAT,
                                        [PLUSSI_CARRIED_NEST] = PLUSSI_BY_NEST,
                                        [PLUSSI_CARRIED_NONE] = PLUSSI_BY_ITERATION};
    out->share = cause->weight / accesses;
    out->by = by[cause->carrier];
    out->other_thread = cause->other_thread;
    pluss_status status =
        plussi_copy_text(&ctx->mem, cause->ref->u.ref.array->decl->name, &out->array);
    if (!status)
        status = plussi_site_describe(ctx, bound, cause->ref, &out->access);
    if (!status && cause->source)
        status = plussi_site_describe(ctx, bound, cause->source, &out->source);
    if (!status && cause->loop)
        status = plussi_copy_text(&ctx->mem, cause->loop->decl->u.loop.iv, &out->loop);
    if (!status && cause->loop)
        status = plussi_place_describe(ctx, bound, cause->loop, &out->loop_file, &out->loop_line);
    return status;
}

/* The causes with sizes in (below, last]; 0, 0: cold; the heaviest first, at most that many. The
 * caller frees. */
static pluss_status list_reuses(plussi_ctx *ctx, const plussi_bound *bound,
                                const plussi_estimate *from, uint64_t below, uint64_t last,
                                double accesses, size_t most, kind *room, plussi_reuse **out,
                                size_t *n_out)
{
    size_t n = gather(from, below, last, room);
    qsort(room, n, sizeof *room, by_weight);
    n = n < most ? n : most;
    *n_out = 0;
    *out = plussi_calloc(&ctx->mem, n + 1, sizeof **out);
    pluss_status status = *out ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) {
        *n_out = i + 1;
        status = fill_reuse(ctx, bound, &room[i].cause, accesses, &(*out)[i]);
    }
    return status;
}

pluss_status plussi_pipeline_lost(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_estimate *from, uint64_t lines, double accesses,
                                  plussi_reuse **out, size_t *n)
{
    enum { MOST = 32 };
    kind *room = plussi_alloc(&ctx->mem, from->n_attributions + 1, sizeof *room);
    *out = NULL;
    *n = 0;
    pluss_status status =
        room ? list_reuses(ctx, bound, from, lines, UINT64_MAX, accesses, MOST, room, out, n)
             : PLUSS_ENOMEM;
    plussi_free(&ctx->mem, room);
    return status;
}

/* One more knee of the curve, of the causes with sizes in (below, last]; 0, 0: cold. */
static pluss_status add_knee(plussi_ctx *ctx, const plussi_bound *bound,
                             const plussi_estimate *from, const plussi_mrc_knee *span, kind *room,
                             plussi_curve *curve)
{
    plussi_knee *knee = &curve->knee[curve->n_knees++];
    *knee = (plussi_knee){.size = span->at,
                          .from = span->from,
                          .to = span->to,
                          .before = span->before,
                          .after = span->after};
    return list_reuses(ctx, bound, from, span->below, span->last, curve->mrc.accesses, SIZE_MAX,
                       room, &knee->reuse, &knee->n);
}

pluss_status plussi_pipeline_explain(plussi_ctx *ctx, const plussi_bound *bound,
                                     const plussi_estimate *from, plussi_curve *curve)
{
    plussi_mrc_knee *span = NULL;
    size_t n = 0;
    uint64_t footprint = curve->footprint_lines ? curve->footprint_lines : 1;
    pluss_status status = plussi_mrc_knees(ctx, &curve->mrc, footprint, &span, &n);
    if (status)
        return status;
    kind *room = plussi_alloc(&ctx->mem, from->n_attributions, sizeof *room);
    curve->knee = plussi_calloc(&ctx->mem, n + 1, sizeof *curve->knee);
    status = room && curve->knee ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && !status; i++)
        status = add_knee(ctx, bound, from, &span[i], room, curve);
    double never = plussi_mrc_at(&curve->mrc, 0x1p63);
    const plussi_mrc_knee cold = {.before = never, .after = never};
    if (!status)
        status = add_knee(ctx, bound, from, &cold, room, curve);
    plussi_free(&ctx->mem, room);
    plussi_free(&ctx->mem, span);
    return status;
}
