/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/indirect_reuse.h"

#include <math.h>

#include "base/linemap.h"

enum {
    MOST_STEPS = 100000000, /* some seconds */
    INTERVAL_BITS = 8       /* of precision: 256 intervals an octave */
};

typedef struct counting {
    const plussi_bound *bound;
    plussi_indirect_row *const *row_of;
    plussi_indirect_rows *rows;
    plussi_linemap last; /* touches up to a line's last one */
    uint64_t touches;
    uint64_t *line; /* + 1: the one that a reference has touched last; 0: none */
    const plussi_bound_node *faulty;
    pluss_status status;
} counting;

static bool touch_line(counting *c, plussi_indirect_row *row, uint64_t line, double times)
{
    plussi_indirect_loop *loop = &c->rows->loop[row->loop];
    uint64_t *last = plussi_linemap_at(&c->last, line);
    if (!last) {
        c->status = PLUSS_ENOMEM;
    } else if ((double)*last > loop->begin) {
        const uint64_t interval = plussi_histo_quantise(c->touches + 1 - *last, INTERVAL_BITS);
        c->status = plussi_histo_add(&loop->intervals, interval, times);
    } else {
        row->lines += fmin(1, times);
        loop->intervals.cold += fmin(1, times);
    }
    if (!c->status)
        *last = ++c->touches;
    return !c->status;
}

/* Touches of a reference to the same line, one after another, are one. */
static bool touch(void *user, const plussi_bound_node *ref, const int64_t *iv, double times)
{
    counting *c = user;
    const plussi_bound_ref *r = &ref->u.ref;
    bool fault = false, more = true;
    const int64_t first = r->array->base + plussi_cexpr_eval(r->offset, iv, &fault);
    const uint64_t size = c->bound->line_bytes, from = (uint64_t)first / size,
                   to = ((uint64_t)first + r->width - 1) / size;
    plussi_indirect_row *row = c->row_of[ref->id];
    if (fault) {
        c->faulty = ref;
        return false;
    }
    if (!isfinite(c->rows->loop[row->loop].begin))
        c->rows->loop[row->loop].begin = (double)c->touches;
    for (uint64_t line = from; line <= to && more; line++)
        if (c->line[ref->id] != line + 1) {
            more = touch_line(c, row, line, times);
            c->line[ref->id] = line + 1;
        }
    return more;
}

/* Which references are to be followed: all to an array of which a loop's are scattered or in
 * segments. false: there are none, or too many. */
static bool choose(const plussi_indirect_values *values, plussi_indirect_row *const *row_of,
                   bool *refs)
{
    double all = 0;
    for (uint32_t i = 0; i < values->bound->n_refs; i++) {
        refs[i] = row_of[i] && (row_of[i]->scattered > 0 || row_of[i]->segments > 0);
        all += refs[i] ? values->executed.ref[i] : 0;
    }
    return all > 0 && all <= MOST_STEPS;
}

static void begin(plussi_ctx *ctx, plussi_indirect_rows *rows)
{
    for (size_t i = 0; i < rows->n_loops; i++) {
        plussi_indirect_loop *loop = &rows->loop[i];
        plussi_histo_free(&loop->intervals);
        plussi_histo_init(&loop->intervals, &ctx->mem);
        loop->begin = INFINITY;
    }
}

static pluss_status follow(plussi_ctx *ctx, counting *c, const bool *refs)
{
    const plussi_execution_watch watch = {.refs = refs, .touch = touch, .user = c};
    plussi_effort effort = {.left = MOST_STEPS};
    pluss_status status = plussi_visit_executions(ctx, c->bound, &effort, &watch);
    if (c->faulty)
        return plussi_fail(ctx, PLUSS_EINVAL, &c->faulty->decl->text_loc,
                           "an index array is read where it has no contents");
    status = c->status ? c->status : status;
    for (uint32_t i = 0; i < c->bound->n_refs && !status; i++)
        if (refs[i])
            c->row_of[i]->counted = true;
    return status == PLUSS_ELIMIT ? PLUSS_OK : status;
}

pluss_status plussi_indirect_count_lines(plussi_ctx *ctx, const plussi_indirect_values *values,
                                         plussi_indirect_row *const *row_of,
                                         plussi_indirect_rows *rows)
{
    const size_t n_refs = values->bound->n_refs;
    counting c = {.bound = values->bound, .row_of = row_of, .rows = rows};
    bool *refs = plussi_calloc(&ctx->mem, n_refs + 1, sizeof *refs);
    c.line = plussi_calloc(&ctx->mem, n_refs + 1, sizeof *c.line);
    pluss_status status = refs && c.line ? PLUSS_OK : PLUSS_ENOMEM;
    plussi_linemap_init(&c.last, &ctx->mem);
    begin(ctx, rows);
    if (!status && choose(values, row_of, refs))
        status = follow(ctx, &c, refs);
    plussi_linemap_free(&c.last);
    plussi_free(&ctx->mem, c.line);
    plussi_free(&ctx->mem, refs);
    return status;
}

/* ---- curves -------------------------------------------------------------------------------------
 */

static pluss_status curve_of(plussi_ctx *ctx, plussi_indirect_loop *loop)
{
    const double touches = plussi_histo_total(&loop->intervals);
    const double stretch = (touches + loop->streamed) / touches;
    plussi_histo all;
    plussi_bin *bin = NULL;
    size_t n = 0;
    plussi_histo_init(&all, &ctx->mem);
    all.cold = loop->intervals.cold + loop->streamed;
    pluss_status status = plussi_histo_sorted(&loop->intervals, &bin, &n);
    for (size_t i = 0; i < n && !status; i++)
        status =
            plussi_histo_add(&all, (uint64_t)llround((double)bin[i].key * stretch), bin[i].weight);
    if (!status)
        status = plussi_mrc_from_ri(ctx, &all, &loop->mrc);
    plussi_free(&ctx->mem, bin);
    plussi_histo_free(&all);
    return status;
}

pluss_status plussi_indirect_curves(plussi_ctx *ctx, plussi_indirect_rows *rows)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < rows->n_loops && !status; i++) {
        plussi_indirect_loop *loop = &rows->loop[i];
        bool counted = false;
        for (size_t k = 0; k < rows->n_rows; k++)
            counted |= rows->row[k].loop == i && rows->row[k].counted;
        if (counted && plussi_histo_total(&loop->intervals) > 0)
            status = curve_of(ctx, loop);
    }
    return status;
}

double plussi_indirect_loop_misses(const plussi_indirect_loop *loop, double lines)
{
    return loop->mrc.n ? loop->mrc.accesses * plussi_mrc_at(&loop->mrc, lines) : loop->streamed;
}
