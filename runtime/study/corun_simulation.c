/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/linemap.h"
#include "base/rng.h"
#include "sampler/walking.h"
#include "study/corun.h"

enum { BATCH = 1024, ASK_EVERY = 1 << 20 /* accesses */ };

/* One program. Lines of different programs are different, whatever their numbers: in the shared
 * cache they have the numbers that `known` gives. */
typedef struct runner {
    plussi_request request;
    plussi_corun_source *source;
    double rate;
    plussi_lru *own;
    plussi_linemap known;
    plussi_distances alone, shared;
    bool ended; /* once: it is no longer counted */
    size_t n, at;
    uint64_t line[BATCH];
} runner;

typedef struct corun {
    plussi_ctx *ctx;
    const plussi_request *request;
    const plussi_program *program;
    plussi_effort effort;
    plussi_lru *all;
    uint64_t lines; /* that have numbers */
    size_t n, running;
    double rates; /* sum */
    plussi_rng rng;
    runner *of;
} corun;

static pluss_status prepare(corun *c, size_t i, const uint32_t *team)
{
    runner *r = &c->of[i];
    if (c->program[i].profile)
        return plussi_fail(c->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "a profile has no order of accesses: it is predicted, not simulated");
    pluss_status status =
        plussi_corun_request(c->ctx, &c->program[i], c->request, team, &r->request);
    r->rate = plussi_corun_rate(c->request, i);
    c->rates += r->rate;
    if (!status)
        status =
            plussi_corun_source_new(c->ctx, &c->program[i], &r->request, &c->effort, &r->source);
    return status ? status : plussi_lru_new(c->ctx, &r->own);
}

static runner *choose(corun *c)
{
    double at = plussi_rng_unit(&c->rng) * c->rates;
    size_t i = 0;
    for (; i + 1 < c->n && at >= c->of[i].rate; i++)
        at -= c->of[i].rate;
    return &c->of[i];
}

static pluss_status touch(corun *c, runner *r, uint64_t line)
{
    uint64_t *number = plussi_linemap_at(&r->known, line);
    if (!number)
        return PLUSS_ENOMEM;
    if (!*number)
        *number = ++c->lines;
    const uint64_t distance = plussi_lru_touch(c->all, *number);
    if (r->ended)
        return distance == PLUSSI_LRU_FAIL ? PLUSS_ENOMEM : PLUSS_OK;
    pluss_status status = plussi_count_distance(c->ctx, &r->shared, distance);
    return status ? status
                  : plussi_count_distance(c->ctx, &r->alone, plussi_lru_touch(r->own, line));
}

/* What is done of the longest first run, as far as one can tell, is done of all: in proportion to
 * their rates they all go on. Negative: the end of one is not known. */
static double find_least_done(corun *c)
{
    double least = 1;
    for (size_t i = 0; i < c->n; i++)
        if (!c->of[i].ended)
            least = fmin(least, plussi_corun_source_done(c->of[i].source));
    return least;
}

static pluss_status run(corun *c)
{
    pluss_status status = PLUSS_OK;
    uint64_t round = 0;
    for (; c->running && !status; round++) {
        runner *r = choose(c);
        if (r->at == r->n) {
            r->at = 0;
            status = plussi_corun_source_next(r->source, r->line, BATCH, &r->n);
            if (!status && !r->n) {
                c->running -= !r->ended;
                r->ended = true;
                status = plussi_corun_source_next(r->source, r->line, BATCH, &r->n);
            }
        }
        if (!status && c->running)
            status = touch(c, r, r->line[r->at++]);
        if (!status && round % ASK_EVERY == 0)
            status = plussi_pipeline_ask(c->request, "simulate", find_least_done(c), round);
    }
    return status ? status : plussi_pipeline_ask(c->request, "simulate", 1, round);
}

static pluss_status add_results(corun *c, plussi_result *out)
{
    char engine[512], progress[128];
    plussi_histo *shared = plussi_calloc(&c->ctx->mem, c->n, sizeof *shared);
    pluss_status status = shared ? PLUSS_OK : PLUSS_ENOMEM;
    size_t made = 0;
    for (; made < c->n && !status; made++) {
        const runner *r = &c->of[made];
        plussi_profile profile;
        status = plussi_distances_profile(c->ctx, &r->shared, 1, false, 1, &profile);
        shared[made] = profile.histo;
        plussi_histo_init(&profile.histo, &profile.mem);
        plussi_profile_free(&profile);
        if (!status)
            status = plussi_corun_add_alone(c->ctx, &c->program[made],
                                            plussi_corun_source_bound(r->source), &r->request,
                                            &r->alone, NULL, out);
    }
    plussi_progress_write(&c->request->progress, progress, sizeof progress);
    plussi_corun_engine(c->request, progress, c->n, engine, sizeof engine);
    if (!status)
        status = plussi_corun_add(c->ctx, c->request, shared, c->n, engine, out);
    for (size_t i = 0; i < made; i++)
        plussi_histo_free(&shared[i]);
    plussi_free(&c->ctx->mem, shared);
    return status;
}

static void free_runners(corun *c)
{
    for (size_t i = 0; i < c->n && c->of; i++) {
        runner *r = &c->of[i];
        plussi_corun_source_free(r->source);
        plussi_lru_free(r->own);
        plussi_linemap_free(&r->known);
        plussi_free(&c->ctx->mem, r->alone.count);
        plussi_free(&c->ctx->mem, r->shared.count);
        if (r->request.binding && c->program[i].nest)
            plussi_free(&c->ctx->mem, (void *)r->request.binding);
    }
    plussi_free(&c->ctx->mem, c->of);
    plussi_lru_free(c->all);
}

static pluss_status simulate_team(plussi_ctx *ctx, const plussi_program *program, size_t n,
                                  const plussi_request *request, const uint32_t *team,
                                  plussi_result *out)
{
    corun c = {.ctx = ctx,
               .request = request,
               .program = program,
               .effort.left = plussi_walk_effort(request->effort),
               .n = n,
               .running = n,
               .of = plussi_calloc(&ctx->mem, n, sizeof *c.of)};
    plussi_result result;
    plussi_result_init(&result, &ctx->mem);
    plussi_rng_seed(&c.rng, request->seed, n);
    pluss_status status = c.of ? plussi_lru_new(ctx, &c.all) : PLUSS_ENOMEM;
    for (size_t i = 0; i < n && c.of; i++)
        plussi_linemap_init(&c.of[i].known, &ctx->mem);
    for (size_t i = 0; i < n && !status; i++)
        status = prepare(&c, i, team);
    if (!status)
        status = run(&c);
    if (!status)
        status = add_results(&c, &result);
    if (!status)
        status = plussi_result_append(out, &result);
    plussi_result_free(&result);
    free_runners(&c);
    return status;
}

pluss_status plussi_corun_simulate(plussi_ctx *ctx, const plussi_program *program, size_t n,
                                   const plussi_request *request, plussi_result *out)
{
    pluss_status status = plussi_corun_check(ctx, program, n, request);
    if (!status)
        status = plussi_progress_check(ctx, &request->progress);
    return status ? status : plussi_corun_teams(ctx, program, n, request, simulate_team, out);
}
