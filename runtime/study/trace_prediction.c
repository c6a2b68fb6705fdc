/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A foreign trace predicted by the model crd: what each thread does alone is measured, and the
 * order between the threads is not looked at.
 */
#include <string.h>

#include "base/linemap.h"
#include "model/crd.h"
#include "study/stage.h"
#include "trace/foreign.h"

enum { EVENTS = 512 };

typedef struct thread_counts {
    plussi_lru *lru;
    plussi_linemap latest; /* its number of accesses up to the latest touch */
    uint64_t accesses, shared, late;
    plussi_cells cells;
} thread_counts;

typedef struct counts {
    plussi_ctx *ctx;
    const plussi_request *request;
    unsigned line_shift;
    thread_counts *thread;
    size_t n, cap;
    plussi_linemap owner; /* 1 + the thread that touches the line alone; several: SEVERAL */
    uint64_t footprint;
} counts;
#define SEVERAL UINT64_MAX

/* The thread's first touch of a line. */
static pluss_status count_first(counts *c, uint32_t thread, uint64_t line)
{
    uint64_t *owner = plussi_linemap_at(&c->owner, line);
    if (!owner)
        return PLUSS_ENOMEM;
    if (*owner == 0) {
        *owner = thread + 1;
        c->footprint++;
        return PLUSS_OK;
    }
    c->thread[thread].late++;
    c->thread[thread].shared++;
    if (*owner != SEVERAL)
        c->thread[*owner - 1].shared++;
    *owner = SEVERAL;
    return PLUSS_OK;
}

static pluss_status touch_line(counts *c, uint32_t thread, uint64_t line)
{
    thread_counts *t = &c->thread[thread];
    const uint64_t distance = plussi_lru_touch(t->lru, line);
    uint64_t *latest = plussi_linemap_at(&t->latest, line);
    if (distance == PLUSSI_LRU_FAIL || !latest)
        return PLUSS_ENOMEM;
    t->accesses++;
    pluss_status status = distance == PLUSSI_LRU_COLD
                              ? count_first(c, thread, line)
                              : plussi_cells_add(&t->cells, t->accesses - *latest, distance, 1);
    *latest = t->accesses;
    return status;
}

static pluss_status reach_thread(counts *c, uint32_t thread)
{
    pluss_status status = PLUSS_OK;
    while (thread >= c->n && !status) {
        status = plussi_grow(&c->ctx->mem, &c->thread, &c->cap, c->n, sizeof *c->thread);
        if (status)
            break;
        thread_counts *t = &c->thread[c->n++];
        *t = (thread_counts){0};
        plussi_linemap_init(&t->latest, &c->ctx->mem);
        plussi_cells_init(&t->cells, &c->ctx->mem);
        status = plussi_lru_new(c->ctx, &t->lru);
    }
    return status;
}

static pluss_status count_trace(counts *c)
{
    plussi_foreign *trace = NULL;
    plussi_event event[EVENTS];
    pluss_status status =
        plussi_foreign_open(c->ctx, c->request->trace, c->request->skip_bad_lines, &trace);
    if (!status)
        plussi_foreign_ask(trace, &c->request->ask, "read");
    for (size_t n = 1; !status && n;) {
        status = plussi_foreign_next(trace, event, EVENTS, &n);
        for (size_t i = 0; i < n && !status; i++) {
            const plussi_event *e = &event[i];
            const uint64_t end = (e->address + e->bytes - 1) >> c->line_shift;
            status = reach_thread(c, e->thread);
            for (uint64_t line = e->address >> c->line_shift;
                 line <= end && !status && plussi_event_is_access(e); line++)
                status = touch_line(c, e->thread, line);
        }
    }
    if (!status)
        plussi_foreign_tell_skipped(c->ctx, trace);
    plussi_foreign_close(trace);
    return status;
}

static void free_counts(counts *c)
{
    for (size_t i = 0; i < c->n; i++) {
        plussi_lru_free(c->thread[i].lru);
        plussi_linemap_free(&c->thread[i].latest);
        plussi_cells_free(&c->thread[i].cells);
    }
    plussi_free(&c->ctx->mem, c->thread);
    plussi_linemap_free(&c->owner);
}

static void list_cells(thread_counts *from, plussi_crd_thread *out)
{
    plussi_cells_list(&from->cells);
    *out = (plussi_crd_thread){.accesses = (double)from->accesses,
                               .rate = (double)from->accesses,
                               .lines = (double)plussi_lru_footprint(from->lru),
                               .shared = (double)from->shared,
                               .late = (double)from->late,
                               .cell = from->cells.cell,
                               .n = from->cells.n};
}

/* Caches that all threads share; or each thread's own, where others do not matter. */
static pluss_status predict(counts *c, plussi_crd_thread *thread, size_t n, bool private,
                            plussi_histo *out)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n; i++)
        thread[i].out = out;
    if (!private)
        return plussi_crd(c->ctx, thread, n, PLUSSI_CRD_IN_TURN);
    for (size_t i = 0; i < n && !status; i++) {
        plussi_crd_thread alone = thread[i];
        alone.shared = alone.late = 0;
        status = plussi_crd(c->ctx, &alone, 1, PLUSSI_CRD_IN_TURN);
    }
    return status;
}

static pluss_status add_curve(counts *c, plussi_crd_thread *thread, size_t n,
                              uint32_t threads_per_cache, plussi_result *out)
{
    const plussi_request *request = c->request;
    plussi_ctx *ctx = c->ctx;
    plussi_profile profile;
    plussi_curve curve = {.id.line_bytes = request->line_bytes,
                          .id.team = (uint32_t)c->n,
                          .id.threads_per_cache = threads_per_cache,
                          .footprint_lines = c->footprint};
    pluss_status status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE,
                                              PLUSSI_SCOPE_CONCURRENT, 0, &profile);
    if (!status && threads_per_cache > 1)
        status = plussi_fail(ctx, PLUSS_EINVAL, NULL,
                             "crd predicts caches of all threads, or of one, not of %u",
                             threads_per_cache);
    if (!status)
        status = predict(c, thread, n, threads_per_cache == 1, &profile.histo);
    if (!status)
        status = plussi_copy_text(&ctx->mem, "trace", &curve.id.region);
    if (!status)
        status = plussi_copy_text(&ctx->mem, request->trace, &curve.id.file);
    if (!status)
        status = plussi_copy_text(&ctx->mem, request->model, &curve.id.engine);
    if (!status)
        status = plussi_pipeline_add_recorded(ctx, request, &profile, &curve, out);
    plussi_curve_free(&ctx->mem, &curve);
    plussi_profile_free(&profile);
    return status;
}

/* A curve for each number of threads that share a cache. */
static pluss_status add_curves(counts *c, plussi_result *out)
{
    plussi_crd_thread *thread = plussi_calloc(&c->ctx->mem, c->n + 1, sizeof *thread);
    uint32_t *threads_per_cache = NULL;
    size_t n = 0, n_curves = 0;
    pluss_status status = thread ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < c->n && !status; i++)
        if (c->thread[i].accesses)
            list_cells(&c->thread[i], &thread[n++]);
    if (!status && !n)
        status = plussi_fail(c->ctx, PLUSS_EEMPTY, &(plussi_loc){.file = c->request->trace},
                             "the trace has no accesses");
    if (!status)
        status = plussi_pipeline_threads_per_cache(c->ctx, c->request, (uint32_t)c->n,
                                                   &threads_per_cache, &n_curves);
    for (size_t i = 0; i < n_curves && !status; i++)
        status = add_curve(c, thread, n, threads_per_cache[i], out);
    plussi_free(&c->ctx->mem, threads_per_cache);
    plussi_free(&c->ctx->mem, thread);
    return status;
}

static pluss_status predict_trace(plussi_ctx *ctx, const plussi_nest *nest,
                                  const plussi_request *request, plussi_result *out)
{
    (void)nest;
    counts c = {.ctx = ctx, .request = request};
    plussi_result result;
    plussi_result_init(&result, &ctx->mem);
    plussi_linemap_init(&c.owner, &ctx->mem);
    while (UINT32_C(1) << c.line_shift < request->line_bytes)
        c.line_shift++;
    pluss_status status = count_trace(&c);
    if (!status)
        status = add_curves(&c, &result);
    if (!status)
        status = plussi_result_append(out, &result);
    plussi_result_free(&result);
    free_counts(&c);
    return status;
}

pluss_status plussi_pipeline_predict_trace(plussi_ctx *ctx, const char *path,
                                           const plussi_request *request, plussi_result *out)
{
    if (!request->model || strcmp(request->model, "crd") != 0)
        return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &(plussi_loc){.file = path},
                           "a trace is predicted by the model crd alone");
    return plussi_pipeline_sweep_trace(ctx, path, request, predict_trace, out);
}
