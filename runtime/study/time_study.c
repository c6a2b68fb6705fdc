/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/time_study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/balance.h"
#include "study/stage.h"
#include "study/time_code.h"

void plussi_times_init(plussi_times *times, const plussi_mem *mem)
{
    *times = (plussi_times){0};
    plussi_arena_init(&times->arena, mem);
}

void plussi_times_free(plussi_times *times)
{
    plussi_free(&times->arena.mem, times->at);
    plussi_arena_free(&times->arena);
    *times = (plussi_times){.arena.mem = times->arena.mem};
}

typedef struct study {
    plussi_ctx *ctx;
    plussi_times *out;
    const plussi_nest *nest;
    const plussi_request *request;
    plussi_nest_code code;
    size_t server_of[PLUSSI_LEVELS_MOST]; /* the costs' number of a level */
    size_t own_level; /* the last one that a thread has for itself, or few threads; n_levels: none,
                         or transfers cost what lines of the next level do */
} study;

/* ---- misses -----------------------------------------------------------------------------------
 */

static plussi_access_pattern pattern_of(const plussi_level_part *part, uint32_t line_bytes)
{
    const int64_t step = part->step_bytes ? part->step_bytes : part->least_step_bytes;
    if (!part->least_step_loop)
        return PLUSSI_PATTERN_SCATTERED;
    return llabs(step) <= (int64_t)line_bytes ? PLUSSI_PATTERN_STREAM : PLUSSI_PATTERN_STRIDED;
}

static plussi_loop_code *block_of_part(const study *s, const plussi_level_part *part)
{
    for (size_t i = 0; i + 1 < s->code.n_blocks; i++) {
        const plussi_loop_code *b = &s->code.block[i];
        if (b->loop && b->executed && part->loop && b->place.line == part->loop_line &&
            strcmp(b->loop->u.loop.iv, part->loop) == 0)
            return &s->code.block[i];
    }
    return &s->code.block[s->code.n_blocks - 1];
}

/* Lines that a level fetches and writes back come from the next one, and go there. */
static void add_lines(plussi_code_block *code, size_t server, plussi_access_pattern pattern,
                      double lines, double error)
{
    code->line[server][pattern] += lines;
    code->line_error[server][pattern] += error;
}

/* Misses that another thread's write causes. NAN: not known. */
static double count_transfers(const plussi_misses *m)
{
    const double both = m->kind[PLUSSI_MISS_TRUE_SHARING] + m->kind[PLUSSI_MISS_FALSE_SHARING];
    return both > 0 ? fmin(both, m->all) : 0;
}

/* A reader leaves a copy, which the line's next write makes invalid. */
static void add_transfers(plussi_code_block *code, const plussi_level_part *part,
                          plussi_access_pattern pattern, double lines, double error)
{
    code->transfer[pattern] += lines;
    code->transfer_error[pattern] += error;
    code->upgrades += part->site.write ? 0 : lines;
}

/* A strided reference comes back to its lines after an execution of the innermost loop, which the
 * loop of the least step begins anew: bursts of misses, between which all hit. */
typedef struct burst {
    double lines;
    double part; /* of what they take more: plussi_gap_of_iterations */
} burst;

static burst find_burst(const study *s, const plussi_level_part *part, const plussi_loop_code *b,
                        uint32_t line_bytes)
{
    const double least = fabs((double)part->least_step_bytes);
    const burst none = {0, 0};
    const plussi_node *loop = b->loop;
    if (!loop || pattern_of(part, line_bytes) != PLUSSI_PATTERN_STRIDED || least >= line_bytes)
        return none;
    while (loop &&
           (loop->kind != PLUSSI_N_LOOP || strcmp(loop->u.loop.iv, part->least_step_loop) != 0))
        loop = loop->parent;
    if (!loop || loop == b->loop)
        return none;
    const double lines = plussi_trips_of_loop(&s->code, b->loop);
    const double times = fmin(plussi_trips_of_loop(&s->code, loop), line_bytes / least);
    return (burst){lines, plussi_gap_of_iterations(&s->out->costs, &b->code, (times - 1) * lines)};
}

static double delay_of(const study *s, size_t server, const burst *b)
{
    return b->part > 0 ? b->part * plussi_delay_of_burst(&s->out->costs.server[server], b->lines)
                       : 0;
}

static void take_part(study *s, const plussi_level_result *level, const plussi_level_part *part,
                      size_t i, size_t from)
{
    const plussi_misses *m = &part->misses;
    const uint32_t line_bytes = level->id.line_bytes;
    const plussi_access_pattern pattern = pattern_of(part, line_bytes);
    const double error = m->error > 0 ? m->error : 0;
    const double transfers = i == s->own_level ? count_transfers(m) : 0;
    const double of_error = m->all > 0 ? error * transfers / m->all : 0;
    const size_t own = s->server_of[i];
    plussi_loop_code *b = block_of_part(s, part);
    const burst bursts = find_burst(s, part, b, line_bytes);
    plussi_line_code *l = plussi_line_of(s->ctx, &s->code, part->site.file, part->site.line);
    plussi_code_block *to[] = {&b->code, l ? &l->code : NULL};
    for (int k = 0; k < 2 && to[k]; k++) {
        add_lines(to[k], from, pattern, m->all - transfers, error - of_error);
        add_transfers(to[k], part, pattern, transfers, of_error);
        to[k]->delay[from] += (m->all - transfers) * delay_of(s, from, &bursts);
        to[k]->written[from] += m->written_back > 0 ? m->written_back : 0;
        if (i == 0)
            continue;
        add_lines(to[k], own, pattern, -m->all, error); /* what it misses it does not give */
        to[k]->delay[own] -= m->all * delay_of(s, own, &bursts);
    }
}

/* The first transfers of threads that go on after others overlap with nothing. */
static void find_waits(plussi_loop_code *b)
{
    double transfers = 0;
    for (int p = 0; p < PLUSSI_PATTERNS; p++)
        transfers += b->code.transfer[p];
    b->code.waits = fmin(transfers, b->phases);
}

static void take_misses(study *s, const plussi_result *result)
{
    for (size_t i = 0; i < result->n_levels; i++) {
        const plussi_level_result *level = &result->level[i];
        const size_t from = i + 1 < result->n_levels ? s->server_of[i + 1] : s->out->costs.n - 1;
        for (size_t p = 0; p < level->n_parts; p++)
            take_part(s, level, &level->part[p], i, from);
    }
    for (size_t i = 0; i < s->code.n_blocks; i++)
        find_waits(&s->code.block[i]);
}

/* ---- pages ------------------------------------------------------------------------------------
 */

/* Translations are found in tables of so many pages, whose last used ones they hold: caches that
 * have pages in place of lines, but for that another thread's write makes nothing invalid. */
static void ask_for_pages(const plussi_machine_costs *costs, plussi_request *request)
{
    plussi_hierarchy *h = &request->levels.hierarchy;
    request->levels = (plussi_machine_caches){.hierarchy.n = costs->n_page_steps};
    for (size_t i = 0; i < h->n; i++) {
        plussi_cache_level *level = &h->level[i];
        *level = (plussi_cache_level){.bytes = costs->page_step[i].reach * costs->page_bytes,
                                      .threads_per_cache = 1};
        snprintf(level->name, sizeof level->name, "pages%zu", i);
    }
    request->line_bytes = costs->page_bytes;
    request->machine_levels = false;
    request->ways = (plussi_ways_sweep){0};
}

static void take_walks(study *s, const plussi_result *result)
{
    for (size_t i = 0; i < result->n_levels; i++)
        for (size_t p = 0; p < result->level[i].n_parts; p++) {
            const plussi_level_part *part = &result->level[i].part[p];
            plussi_line_code *l =
                plussi_line_of(s->ctx, &s->code, part->site.file, part->site.line);
            plussi_code_block *to[] = {&block_of_part(s, part)->code, l ? &l->code : NULL};
            for (int k = 0; k < 2 && to[k]; k++) {
                to[k]->walk[i] += part->misses.all - count_transfers(&part->misses);
                to[k]->walk_error[i] += fmax(part->misses.error, 0);
            }
        }
}

static pluss_status count_walks(study *s, plussi_request *request)
{
    plussi_result result;
    ask_for_pages(&s->out->costs, request);
    plussi_result_init(&result, &s->ctx->mem);
    pluss_status status =
        plussi_evaluate_teams(s->ctx, s->nest, request, plussi_pipeline_predict, &result);
    if (!status)
        take_walks(s, &result);
    plussi_result_free(&result);
    return status;
}

/* ---- one team ---------------------------------------------------------------------------------
 */

/* The levels of a machine, not those that were asked for, with what programs get of them. */
static void hold_less(const plussi_machine_costs *costs, plussi_request *request)
{
    if (request->levels_asked_for && !request->machine_levels)
        return;
    if (request->machine_levels)
        request->levels = request->machine->caches;
    request->machine_levels = false;
    for (size_t i = 0; i < request->levels.hierarchy.n; i++) {
        plussi_cache_level *level = &request->levels.hierarchy.level[i];
        const uint64_t least = (uint64_t)request->line_bytes * (level->ways ? level->ways : 1);
        for (size_t k = 0; k + 1 < costs->n; k++)
            if (plussi_is_same_level(costs->server[k].name, level->name)) {
                const double sets = costs->server[k].held * (double)level->bytes / (double)least;
                level->bytes = least * (sets > 1 ? (uint64_t)sets : 1);
            }
    }
}

/* Of the levels that the fewest threads share, the last one, if a team has several. */
static size_t find_own_level(const plussi_machine_costs *costs, const plussi_result *result,
                             uint32_t team)
{
    uint32_t fewest = team;
    size_t own = result->n_levels;
    for (size_t i = 0; i < result->n_levels && costs->transfer.latency.value > 0; i++) {
        const uint32_t threads = result->level[i].level.threads_per_cache;
        if (threads && threads < team && threads <= fewest) {
            fewest = threads;
            own = i;
        }
    }
    return own;
}

static pluss_status find_servers(study *s, const plussi_result *result, uint32_t team,
                                 uint32_t threads[PLUSSI_SERVERS_MOST])
{
    const plussi_machine_costs *costs = &s->out->costs;
    if (!result->n_levels || result->n_levels > PLUSSI_LEVELS_MOST)
        return plussi_fail(s->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "%s: no levels of caches are predicted, which time is made from",
                           s->nest->first_region ? s->nest->first_region->name : "the nest");
    for (size_t k = 0; k < costs->n; k++)
        threads[k] = team;
    for (size_t i = 0; i < result->n_levels; i++) {
        const plussi_cache_level *level = &result->level[i].level;
        size_t k = 0;
        while (k + 1 < costs->n && !plussi_is_same_level(costs->server[k].name, level->name))
            k++;
        if (k + 1 == costs->n)
            return plussi_fail(s->ctx, PLUSS_ENOTFOUND, NULL,
                               "the machine file has no cost of level '%s'", level->name);
        s->server_of[i] = k;
        if (level->threads_per_cache && level->threads_per_cache < team)
            threads[k] = level->threads_per_cache;
    }
    s->own_level = find_own_level(costs, result, team);
    return PLUSS_OK;
}

static int compare_loops(const void *a, const void *b)
{
    const plussi_loop_time *x = a, *y = b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static int compare_lines(const void *a, const void *b)
{
    const plussi_line_time *x = a, *y = b;
    int order = strcmp(x->place.file ? x->place.file : "", y->place.file ? y->place.file : "");
    return order ? order : (x->place.line > y->place.line) - (x->place.line < y->place.line);
}

static const char *keep(plussi_times *times, const char *text)
{
    return text ? plussi_arena_strndup(&times->arena, text, strlen(text)) : NULL;
}

static double count_accesses(const plussi_loop_code *b)
{
    double sum = 0;
    for (int g = PLUSSI_OP_LOAD; g < PLUSSI_N_OPERATIONS; g++)
        sum += b->code.count[g];
    return sum;
}

/* The imbalance of the code in parallel constructs: all other code is executed by one thread. */
static double find_parallel_imbalance(const study *s, const plussi_team_time *team)
{
    double serial = 0, parallel = 0;
    for (size_t i = 0; i < s->code.n_blocks; i++)
        *(s->code.block[i].serial ? &serial : &parallel) += count_accesses(&s->code.block[i]);
    if (!(parallel > 0))
        return 1;
    const double busiest = team->imbalance * (serial + parallel) - team->team * serial;
    return fmin(fmax(busiest / parallel, 1), team->team);
}

static void add_block(study *s, const plussi_loop_code *b,
                      const uint32_t threads[PLUSSI_SERVERS_MOST], double parallel_imbalance,
                      plussi_team_time *out)
{
    const plussi_machine_costs *costs = &s->out->costs;
    const double imbalance = b->serial ? out->team : parallel_imbalance;
    const double scale = costs->cycle_ns * 1e-9 / out->team * imbalance;
    plussi_loop_time *t = &out->loop[out->n_loops];
    plussi_block_time *c = &t->cycles;
    plussi_time_of_block(costs, s->out->model, &b->code, threads, c);
    if (!(c->all > 0))
        return;
    t->loop = b->loop ? keep(s->out, b->loop->u.loop.iv) : NULL;
    t->place = (plussi_loc){keep(s->out, b->place.file), b->place.line, b->place.col};
    t->seconds = scale * c->all;
    t->error = scale * c->error;
    out->n_loops++;
    out->core += scale * c->core;
    out->chain += scale * c->chain;
    out->bound[c->by] += t->seconds / imbalance;
    out->bound[PLUSSI_BOUND_BALANCE] += t->seconds * (1 - 1 / imbalance);
    out->seconds += t->seconds;
    out->error = hypot(out->error, t->error);
    out->pages += scale * c->pages;
    out->transfers += scale * c->transfers;
    for (size_t k = 1; k < costs->n; k++)
        out->server[k] += scale * c->server[k];
}

static void add_line(study *s, const plussi_line_code *l,
                     const uint32_t threads[PLUSSI_SERVERS_MOST], double scale,
                     plussi_team_time *out)
{
    plussi_block_time c;
    plussi_time_of_block(&s->out->costs, s->out->model, &l->code, threads, &c);
    double memory = c.pages + c.transfers;
    for (size_t k = 1; k < s->out->costs.n; k++)
        memory += c.server[k];
    out->line[out->n_lines++] = (plussi_line_time){
        {keep(s->out, l->place.file), l->place.line, 0}, scale * c.core, scale * memory};
}

/* What binds most of the time. */
static void find_bound(plussi_team_time *out)
{
    double longest = -1;
    for (plussi_bound_by by = 0; by < PLUSSI_BOUNDS; by++)
        if (out->bound[by] > out->bound[out->by])
            out->by = by;
    for (size_t i = 0; i < out->n_loops && longest < 0; i++) /* they are sorted */
        if (out->loop[i].cycles.by == out->by) {
            out->by_server = out->loop[i].cycles.by_server;
            longest = out->loop[i].seconds;
        }
}

/* Starting teams and barriers overlap with nothing. */
static void add_team(const study *s, plussi_team_time *out)
{
    const double scale = s->out->costs.cycle_ns * 1e-9 / out->team;
    const plussi_team_cost cost = plussi_cost_of_team(&s->out->costs, out->team);
    const double starts = scale * s->code.starts, barriers = scale * s->code.barriers;
    out->barriers = starts * cost.start.value + barriers * cost.barrier.value;
    out->seconds += out->barriers;
    out->error = hypot(out->error, starts * cost.start.spread + barriers * cost.barrier.spread);
    out->bound[PLUSSI_BOUND_TEAM] = out->barriers;
}

static pluss_status sum_up(study *s, const uint32_t threads[PLUSSI_SERVERS_MOST],
                           plussi_team_time *out)
{
    const double scale = s->out->costs.cycle_ns * 1e-9 / out->team * out->imbalance;
    const double parallel = find_parallel_imbalance(s, out);
    out->loop = plussi_arena_alloc(&s->out->arena, s->code.n_blocks, sizeof *out->loop);
    out->line = plussi_arena_alloc(&s->out->arena, s->code.n_lines + 1, sizeof *out->line);
    if (!out->loop || !out->line)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < s->code.n_blocks; i++)
        add_block(s, &s->code.block[i], threads, parallel, out);
    for (size_t i = 0; i < s->code.n_lines; i++)
        add_line(s, &s->code.line[i], threads, scale, out);
    add_team(s, out);
    qsort(out->loop, out->n_loops, sizeof *out->loop, compare_loops);
    qsort(out->line, out->n_lines, sizeof *out->line, compare_lines);
    find_bound(out);
    return PLUSS_OK;
}

/* Part i of n of the region's work. */
static pluss_status time_of_team(study *s, uint32_t team, size_t i, size_t n, plussi_team_time *out)
{
    plussi_request alone;
    plussi_ask_part part;
    plussi_result result;
    uint32_t threads[PLUSSI_SERVERS_MOST];
    const bool pages = s->out->costs.n_page_steps > 0;
    const double each = (pages ? 0.5 : 1) / (double)n;
    plussi_ask_as_part(s->request, NULL, (double)i / (double)n, each, &part, &alone);
    alone.team = &team;
    alone.n_teams = 1;
    hold_less(&s->out->costs, &alone);
    alone.levels_asked_for = true;
    *out = (plussi_team_time){.team = team};
    plussi_result_init(&result, &s->ctx->mem);
    pluss_status status =
        plussi_count_code(s->ctx, s->nest, s->request, team, &s->out->costs, &s->code);
    if (!status)
        status = plussi_evaluate_teams(s->ctx, s->nest, &alone, plussi_pipeline_predict, &result);
    if (!status)
        status = plussi_measure_imbalance(s->ctx, s->nest, &alone, team, &out->imbalance);
    if (!status)
        status = find_servers(s, &result, team, threads);
    if (!status) {
        take_misses(s, &result);
        if (pages) {
            alone.ask = plussi_ask_of_part(&s->request->ask, NULL, (double)i / (double)n + each,
                                           each, &part);
            status = count_walks(s, &alone);
        }
    }
    if (!status)
        status = sum_up(s, threads, out);
    plussi_result_free(&result);
    return status;
}

/* ---- all teams --------------------------------------------------------------------------------
 */

static pluss_status time_of_teams(study *s, plussi_region_time *out)
{
    plussi_team_time one;
    const size_t n = s->request->n_teams + 1;
    pluss_status status = time_of_team(s, 1, 0, n, &one);
    out->team = plussi_arena_alloc(&s->out->arena, s->request->n_teams + 1, sizeof *out->team);
    if (!status && !out->team)
        status = PLUSS_ENOMEM;
    for (size_t i = 0; i < s->request->n_teams && !status; i++) {
        plussi_team_time *t = &out->team[i];
        if (s->request->team[i] == 1)
            *t = one;
        else
            status = time_of_team(s, s->request->team[i], i + 1, n, t);
        t->speedup = t->seconds > 0 ? one.seconds / t->seconds : 0;
        out->n_teams++;
    }
    return status;
}

static pluss_status add_region(study *s, plussi_times *out)
{
    const plussi_region *first = s->nest->first_region;
    plussi_region_time region = {.counted = plussi_pipeline_has_operations(s->nest)};
    if (!region.counted)
        plussi_report(s->ctx, PLUSSI_WARNING, PLUSS_OK, first ? &first->loc : NULL,
                      "%s: arithmetic is not counted, as the nest has no counts of operations; "
                      "compile with -fplugin-arg-pluss-ops=on",
                      first ? first->name : "the nest");
    region.region = keep(out, first ? first->name : "");
    region.place = first ? first->loc : (plussi_loc){0};
    region.place.file = keep(out, region.place.file);
    pluss_status status =
        plussi_grow(&out->arena.mem, &out->at, &out->cap, out->n, sizeof *out->at);
    if (!status)
        status = time_of_teams(s, &region);
    if (!status)
        out->at[out->n++] = region;
    return status;
}

pluss_status plussi_predict_times(plussi_ctx *ctx, const plussi_nest *nest,
                                  const plussi_request *request, plussi_times *out)
{
    plussi_request own;
    pluss_status status = plussi_request_for(ctx, nest, request, &own);
    if (status)
        return status;
    study s = {.ctx = ctx, .out = out, .nest = nest, .request = &own};
    out->costs = request->machine->costs;
    out->model = request->time_model;
    status = plussi_nest_code_init(ctx, nest, &s.code);
    if (!status)
        status = add_region(&s, out);
    plussi_nest_code_free(ctx, &s.code);
    plussi_free(&ctx->mem, (void *)own.binding);
    return status;
}
