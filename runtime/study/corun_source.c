/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "sampler/walking.h"
#include "study/corun.h"

enum { BATCH = 1024, BEGIN = 5000 /* steps */, STEPS = 12 /* a line */ };

struct plussi_corun_source {
    plussi_ctx *ctx;
    const plussi_program *program;
    const plussi_request *request;
    plussi_effort *effort;
    unsigned line_shift;
    bool began; /* it has made accesses since it began */
    bool told;  /* of lines that were skipped */
    plussi_bound *bound;
    plussi_walk *walk;
    plussi_merge *merge;
    plussi_foreign *foreign;
    uint64_t total, given; /* accesses of a nest (0: not known), and those since it began */
    plussi_event event[BATCH];
    size_t n, at;
    uint64_t line, last; /* what is left of the event before */
    plussi_access access[BATCH];
};

static void end(plussi_corun_source *s)
{
    if (s->merge)
        plussi_merge_free(s->merge);
    if (s->walk)
        plussi_walk_free(s->walk);
    plussi_foreign_close(s->foreign);
    s->merge = NULL;
    s->walk = NULL;
    s->foreign = NULL;
}

static pluss_status begin(plussi_corun_source *s)
{
    const plussi_request *request = s->request;
    end(s);
    s->began = false;
    s->n = s->at = s->given = 0;
    s->line = 1;
    s->last = 0;
    if (!plussi_effort_pay(s->effort, BEGIN))
        return plussi_walk_refuse(s->ctx);
    if (!s->program->nest)
        return plussi_foreign_open(s->ctx, s->program->trace, request->skip_bad_lines, &s->foreign);
    pluss_status status =
        plussi_walk_new_bounded(s->ctx, s->bound, request->seed, s->effort, &s->walk);
    return status ? status
                  : plussi_merge_new(s->ctx, s->walk, &request->progress, request->seed, &s->merge);
}

pluss_status plussi_corun_source_new(plussi_ctx *ctx, const plussi_program *program,
                                     const plussi_request *request, plussi_effort *effort,
                                     plussi_corun_source **out)
{
    plussi_corun_source *s = plussi_calloc(&ctx->mem, 1, sizeof *s);
    if (!s)
        return PLUSS_ENOMEM;
    s->ctx = ctx;
    s->program = program;
    s->request = request;
    s->effort = effort;
    while (UINT32_C(1) << s->line_shift < request->line_bytes)
        s->line_shift++;
    pluss_status status = PLUSS_OK;
    if (program->nest)
        status = plussi_pipeline_bind(ctx, program->nest, request, request->team[0], &s->bound);
    if (!status && program->nest)
        status = plussi_check_walk(ctx, s->bound, effort, &s->total);
    if (!status)
        status = begin(s);
    if (status)
        plussi_corun_source_free(s);
    else
        *out = s;
    return status;
}

static pluss_status read_nest(plussi_corun_source *s, uint64_t *line, size_t cap, size_t *n)
{
    pluss_status status =
        plussi_trace_next(plussi_merge_trace(s->merge), s->access, cap < BATCH ? cap : BATCH, n);
    for (size_t i = 0; i < *n && !status; i++)
        line[i] = s->access[i].line;
    return status;
}

static pluss_status read_trace(plussi_corun_source *s, uint64_t *line, size_t cap, size_t *n)
{
    pluss_status status = PLUSS_OK;
    for (*n = 0; *n < cap;) {
        if (s->line <= s->last) {
            line[(*n)++] = s->line++;
            continue;
        }
        if (s->at == s->n) {
            if (*n)
                break;
            s->at = 0;
            status = plussi_foreign_next(s->foreign, s->event, BATCH, &s->n);
            if (status || !s->n)
                break;
        }
        const plussi_event *e = &s->event[s->at++];
        if (plussi_event_is_access(e)) {
            s->line = e->address >> s->line_shift;
            s->last = (e->address + e->bytes - 1) >> s->line_shift;
        }
    }
    return status;
}

pluss_status plussi_corun_source_next(plussi_corun_source *s, uint64_t *line, size_t cap, size_t *n)
{
    pluss_status status =
        s->program->nest ? read_nest(s, line, cap, n) : read_trace(s, line, cap, n);
    if (!status && !plussi_effort_pay(s->effort, *n * STEPS))
        status = plussi_walk_refuse(s->ctx);
    s->given += *n;
    if (status || *n) {
        s->began = s->began || *n;
        return status;
    }
    if (!s->began)
        return s->program->nest
                   ? plussi_fail(s->ctx, PLUSS_EEMPTY, NULL, "%s", plussi_pipeline_no_accesses)
                   : plussi_fail(s->ctx, PLUSS_EEMPTY, &(plussi_loc){.file = s->program->trace},
                                 "the trace has no accesses");
    if (s->foreign && !s->told)
        plussi_foreign_tell_skipped(s->ctx, s->foreign);
    s->told = true;
    return begin(s);
}

double plussi_corun_source_done(const plussi_corun_source *s)
{
    if (s->foreign)
        return plussi_foreign_done(s->foreign);
    return s->total ? fmin((double)s->given / (double)s->total, 1) : plussi_walk_done(s->walk);
}

const plussi_bound *plussi_corun_source_bound(const plussi_corun_source *s)
{
    return s->bound;
}

void plussi_corun_source_free(plussi_corun_source *s)
{
    if (!s)
        return;
    const plussi_mem mem = s->ctx->mem;
    end(s);
    if (s->bound)
        plussi_bound_free(s->bound);
    plussi_free(&mem, s);
}
