/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/time_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nest/equal.h"
#include "study/balance.h"
#include "study/stage.h"

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

/* ---- the nest's code --------------------------------------------------------------------------
 */

typedef struct block {
    const plussi_node *loop; /* NULL: code outside of all loops */
    plussi_loc place;
    bool executed;
    plussi_code_block code;
} block;

typedef struct line {
    plussi_loc place;
    plussi_code_block code;
} line;

typedef struct study {
    plussi_ctx *ctx;
    plussi_times *out;
    const plussi_nest *nest;
    const plussi_request *request;
    const plussi_region *region; /* whose code is visited */
    block *block;                /* by the loop's number; the last one has no loop */
    size_t n_blocks;
    line *line;
    size_t n_lines, cap_lines;
    size_t server_of[PLUSSI_LEVELS_MOST]; /* the costs' number of a level */
} study;

static const plussi_node *innermost_loop(const plussi_node *node)
{
    const plussi_node *loop = node->parent;
    while (loop && loop->kind != PLUSSI_N_LOOP)
        loop = loop->parent;
    return loop;
}

static plussi_loc place_of(const plussi_node *node, const plussi_region *region)
{
    plussi_loc loc = node->loc;
    if (loc.line && !loc.file)
        loc.file = region->loc.file;
    return loc;
}

static bool same_place(const plussi_loc *a, const char *file, uint32_t number)
{
    return a->line == number && plussi_same_text(a->file, file);
}

/* NULL: no memory, or it is not known where. */
static line *find_line(study *s, const char *file, uint32_t number)
{
    for (size_t i = s->n_lines; i-- > 0;)
        if (same_place(&s->line[i].place, file, number))
            return &s->line[i];
    if (!number || plussi_grow(&s->ctx->mem, &s->line, &s->cap_lines, s->n_lines, sizeof *s->line))
        return NULL;
    s->line[s->n_lines] = (line){.place = {file, number, 0}};
    return &s->line[s->n_lines++];
}

static block *block_of(const study *s, const plussi_node *loop)
{
    return &s->block[loop ? loop->id : s->n_blocks - 1];
}

static bool is_invariant(const plussi_node *ref, const plussi_node *loop)
{
    for (uint32_t i = 0; i < ref->u.ref.n_subs; i++)
        if (plussi_expr_mentions(ref->u.ref.subs[i], loop))
            return false;
    return true;
}

/* Reads of a place that the innermost loop does not move. */
static bool is_kept(const plussi_node *node, plussi_operation group, const plussi_node *loop)
{
    return group >= PLUSSI_OP_LOAD && loop && !node->u.ref.write && is_invariant(node, loop);
}

static pluss_status add_operation(void *user, const plussi_node *node, plussi_operation group,
                                  uint64_t n)
{
    study *s = user;
    const plussi_node *loop = node->kind == PLUSSI_N_LOOP ? node : innermost_loop(node);
    block *b = block_of(s, loop);
    line *l = find_line(s, b->place.file, node->loc.line);
    plussi_code_block *to[] = {&b->code, l ? &l->code : NULL};
    for (int i = 0; i < 2 && to[i]; i++) {
        to[i]->count[group] += (double)n;
        if (is_kept(node, group, loop))
            to[i]->kept[group] += (double)n;
    }
    b->executed |= n > 0;
    return PLUSS_OK;
}

static plussi_operation adder_of(const plussi_array *array)
{
    return array->elem == PLUSSI_ELEM_F32 || array->elem == PLUSSI_ELEM_C64    ? PLUSSI_OP_FLT_ADD
           : array->elem == PLUSSI_ELEM_F64 || array->elem == PLUSSI_ELEM_C128 ? PLUSSI_OP_DBL_ADD
                                                                               : PLUSSI_OP_INT_ADD;
}

static double sum_latencies(const study *s, const double chain[PLUSSI_N_OPERATIONS])
{
    double sum = 0;
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        sum += chain[g] * s->out->costs.latency[g].value;
    return sum;
}

/* Another array that the loop writes may be the same memory, for all that a compiler knows: what
 * the loop writes and reads again then goes through memory. */
static bool writes_another(const plussi_region *region, const plussi_node *loop,
                           const plussi_array *array)
{
    for (const plussi_node *n = NULL; (n = plussi_nest_walk(&region->body, (plussi_node *)n));)
        if (n->kind == PLUSSI_N_REF && n->u.ref.write && innermost_loop(n) == loop &&
            n->u.ref.array != array && n->u.ref.array->elem == array->elem)
            return true;
    return false;
}

static plussi_operation store_of(const plussi_array *array)
{
    return array->rank > 1 ? PLUSSI_OP_NDIM_STORE : PLUSSI_OP_ARRAY_STORE;
}

/* The value of an expression that is affine with the loop's variable taken as `at`, all other
 * variables and symbols as numbers of their own. */
static double evaluate(const plussi_expr *e, const plussi_node *loop, double at)
{
    switch (e->kind) {
    case PLUSSI_E_INT:
        return (double)e->value;
    case PLUSSI_E_SYMBOL:
        return 1e3 + 7.25 * e->symbol->id;
    case PLUSSI_E_IV:
        return e->loop == loop ? at : 1e5 + 3.5 * e->loop->id;
    case PLUSSI_E_NEG:
        return -evaluate(e->a[0], loop, at);
    case PLUSSI_E_ADD:
        return evaluate(e->a[0], loop, at) + evaluate(e->a[1], loop, at);
    case PLUSSI_E_SUB:
        return evaluate(e->a[0], loop, at) - evaluate(e->a[1], loop, at);
    case PLUSSI_E_MUL:
        return evaluate(e->a[0], loop, at) * evaluate(e->a[1], loop, at);
    default:
        return NAN;
    }
}

/* The read is of what the write wrote an iteration before. */
static bool is_next(const plussi_node *read, const plussi_node *write, const plussi_node *loop)
{
    const double at = 50, before = at - (double)loop->u.loop.step;
    bool same = read->u.ref.array == write->u.ref.array && read->u.ref.n_subs > 0;
    for (uint32_t i = 0; i < read->u.ref.n_subs && same; i++)
        same =
            evaluate(read->u.ref.subs[i], loop, at) == evaluate(write->u.ref.subs[i], loop, before);
    return same && !is_invariant(write, loop);
}

/* Of the operations between the lines of the two references: additions as if the read were in the
 * middle of a sum, all quotients and roots. */
static void add_statement(const study *s, const plussi_node *read, const plussi_node *write,
                          double iterations, double chain[PLUSSI_N_OPERATIONS])
{
    static const plussi_operation whole[] = {PLUSSI_OP_FLT_DIV, PLUSSI_OP_DBL_DIV, PLUSSI_OP_SQRT};
    static const plussi_operation half[] = {PLUSSI_OP_FLT_ADD, PLUSSI_OP_DBL_ADD};
    const uint32_t a = read->loc.line, b = write->loc.line;
    for (size_t i = 0; i < s->n_lines; i++) {
        const line *l = &s->line[i];
        if (l->place.line < (a < b ? a : b) || l->place.line > (a < b ? b : a))
            continue;
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
            chain[whole[k]] += fmin(l->code.count[whole[k]], iterations);
        for (size_t k = 0; k < sizeof half / sizeof *half; k++)
            chain[half[k]] += fmax(l->code.count[half[k]] / 2, 0);
    }
}

/* How often a chain through an element begins anew: the iterations of the loops around the
 * innermost one that move it. */
static double count_chains(const study *s, const plussi_node *write, const plussi_node *loop)
{
    if (is_invariant(write, loop))
        while ((loop = innermost_loop(loop)) && is_invariant(write, loop))
            ;
    else
        loop = innermost_loop(loop);
    for (; loop; loop = innermost_loop(loop))
        if (block_of(s, loop)->code.count[PLUSSI_OP_LOOP] > 0)
            return block_of(s, loop)->code.count[PLUSSI_OP_LOOP];
    return 1;
}

/* The longest dependence from an iteration to the next through what the write writes. */
static void find_chain(study *s, const plussi_region *region, const plussi_node *write)
{
    const plussi_node *loop = innermost_loop(write);
    const plussi_array *array = write->u.ref.array;
    if (!loop)
        return;
    plussi_code_block *code = &block_of(s, loop)->code;
    const double iterations = code->count[PLUSSI_OP_LOOP];
    for (const plussi_node *n = NULL; (n = plussi_nest_walk(&region->body, (plussi_node *)n));) {
        double chain[PLUSSI_N_OPERATIONS] = {0};
        if (n->kind != PLUSSI_N_REF || n->u.ref.write || innermost_loop(n) != loop)
            continue;
        if (plussi_same_access(n, write) && is_invariant(write, loop))
            chain[adder_of(array)] = iterations;
        else if (is_next(n, write, loop))
            add_statement(s, n, write, iterations, chain);
        else
            continue;
        if (writes_another(region, loop, array))
            chain[store_of(array)] = iterations;
        if (sum_latencies(s, chain) > sum_latencies(s, code->chain)) {
            memcpy(code->chain, chain, sizeof chain);
            code->chains = count_chains(s, write, loop);
        }
    }
}

/* Blocks with their places, before anything is counted. */
static void place_blocks(study *s)
{
    const plussi_region *first = s->nest->first_region;
    block *outside = block_of(s, NULL);
    outside->place = first ? first->loc : (plussi_loc){0};
    for (const plussi_region *r = first; r; r = r->next)
        for (const plussi_node *n = NULL; (n = plussi_nest_walk(&r->body, (plussi_node *)n));)
            if (n->kind == PLUSSI_N_LOOP) {
                s->block[n->id].loop = n;
                s->block[n->id].place = place_of(n, r);
            }
}

static pluss_status count_code(study *s, uint32_t team)
{
    s->n_lines = 0;
    memset(s->block, 0, s->n_blocks * sizeof *s->block);
    place_blocks(s);
    pluss_status status =
        plussi_pipeline_visit_operations(s->ctx, s->nest, s->request, team, add_operation, s);
    for (const plussi_region *r = s->nest->first_region; r && !status; r = r->next)
        for (const plussi_node *n = NULL; (n = plussi_nest_walk(&r->body, (plussi_node *)n));)
            if (n->kind == PLUSSI_N_REF && n->u.ref.write)
                find_chain(s, r, n);
    return status;
}

/* ---- misses -----------------------------------------------------------------------------------
 */

static plussi_access_pattern pattern_of(const plussi_level_part *part, uint32_t line_bytes)
{
    const int64_t step = part->step_bytes ? part->step_bytes : part->least_step_bytes;
    if (!part->least_step_loop)
        return PLUSSI_PATTERN_SCATTERED;
    return llabs(step) <= (int64_t)line_bytes ? PLUSSI_PATTERN_STREAM : PLUSSI_PATTERN_STRIDED;
}

static block *block_of_part(const study *s, const plussi_level_part *part)
{
    for (size_t i = 0; i + 1 < s->n_blocks; i++) {
        const block *b = &s->block[i];
        if (b->loop && b->executed && part->loop && b->place.line == part->loop_line &&
            strcmp(b->loop->u.loop.iv, part->loop) == 0)
            return &s->block[i];
    }
    return &s->block[s->n_blocks - 1];
}

/* Lines that a level fetches and writes back come from the next one, and go there. */
static void add_lines(plussi_code_block *code, size_t server, plussi_access_pattern pattern,
                      double lines, double error)
{
    code->line[server][pattern] += lines;
    code->line_error[server][pattern] += error;
}

static void take_part(study *s, const plussi_level_part *part, size_t from, bool first_level,
                      size_t own, uint32_t line_bytes)
{
    const plussi_misses *m = &part->misses;
    const plussi_access_pattern pattern = pattern_of(part, line_bytes);
    const double error = m->error > 0 ? m->error : 0;
    line *l = find_line(s, part->site.file, part->site.line);
    plussi_code_block *to[] = {&block_of_part(s, part)->code, l ? &l->code : NULL};
    for (int i = 0; i < 2 && to[i]; i++) {
        add_lines(to[i], from, pattern, m->all, error);
        if (m->written_back > 0)
            add_lines(to[i], from, PLUSSI_PATTERN_STREAM, m->written_back, 0);
        if (!first_level) /* what it misses it does not give */
            add_lines(to[i], own, pattern, -m->all, error);
    }
}

static void take_misses(study *s, const plussi_result *result)
{
    for (size_t i = 0; i < result->n_levels; i++) {
        const plussi_level_result *level = &result->level[i];
        const size_t own = s->server_of[i];
        const size_t from = i + 1 < result->n_levels ? s->server_of[i + 1] : s->out->costs.n - 1;
        for (size_t p = 0; p < level->n_parts; p++)
            take_part(s, &level->part[p], from, i == 0, own, level->id.line_bytes);
    }
}

/* ---- one team ---------------------------------------------------------------------------------
 */

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

static void add_block(study *s, const block *b, const uint32_t threads[PLUSSI_SERVERS_MOST],
                      double scale, plussi_team_time *out)
{
    const plussi_machine_costs *costs = &s->out->costs;
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
    out->bound[c->by] += t->seconds;
    out->seconds += t->seconds;
    out->error = hypot(out->error, t->error);
    for (size_t k = 1; k < costs->n; k++)
        out->server[k] += scale * c->server[k];
}

static void add_line(study *s, const line *l, const uint32_t threads[PLUSSI_SERVERS_MOST],
                     double scale, plussi_team_time *out)
{
    plussi_block_time c;
    double memory = 0;
    plussi_time_of_block(&s->out->costs, s->out->model, &l->code, threads, &c);
    for (size_t k = 1; k < s->out->costs.n; k++)
        memory += c.server[k];
    out->line[out->n_lines++] = (plussi_line_time){
        {keep(s->out, l->place.file), l->place.line, 0}, scale * c.core, scale * memory};
}

/* What binds most of the time. */
static void find_bound(plussi_team_time *out)
{
    double longest = -1;
    out->bound[PLUSSI_BOUND_BALANCE] = out->seconds * (1 - 1 / out->imbalance);
    for (plussi_bound_by by = 0; by < PLUSSI_BOUND_BALANCE; by++)
        out->bound[by] /= out->imbalance;
    for (plussi_bound_by by = 0; by <= PLUSSI_BOUND_BALANCE; by++)
        if (out->bound[by] > out->bound[out->by])
            out->by = by;
    for (size_t i = 0; i < out->n_loops && longest < 0; i++) /* they are sorted */
        if (out->loop[i].cycles.by == out->by) {
            out->by_server = out->loop[i].cycles.by_server;
            longest = out->loop[i].seconds;
        }
}

static pluss_status sum_up(study *s, const uint32_t threads[PLUSSI_SERVERS_MOST],
                           plussi_team_time *out)
{
    const double scale = s->out->costs.cycle_ns * 1e-9 / out->team * out->imbalance;
    out->loop = plussi_arena_alloc(&s->out->arena, s->n_blocks, sizeof *out->loop);
    out->line = plussi_arena_alloc(&s->out->arena, s->n_lines + 1, sizeof *out->line);
    if (!out->loop || !out->line)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < s->n_blocks; i++)
        add_block(s, &s->block[i], threads, scale, out);
    for (size_t i = 0; i < s->n_lines; i++)
        add_line(s, &s->line[i], threads, scale, out);
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
    plussi_ask_as_part(s->request, NULL, (double)i / (double)n, 1 / (double)n, &part, &alone);
    alone.team = &team;
    alone.n_teams = 1;
    alone.levels_asked_for = true;
    *out = (plussi_team_time){.team = team};
    plussi_result_init(&result, &s->ctx->mem);
    pluss_status status = count_code(s, team);
    if (!status)
        status = plussi_evaluate_teams(s->ctx, s->nest, &alone, plussi_pipeline_predict, &result);
    if (!status)
        status = plussi_measure_imbalance(s->ctx, s->nest, &alone, team, &out->imbalance);
    if (!status)
        status = find_servers(s, &result, team, threads);
    if (!status) {
        take_misses(s, &result);
        status = sum_up(s, threads, out);
    }
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
    study s = {
        .ctx = ctx, .out = out, .nest = nest, .request = &own, .n_blocks = nest->n_loops + 1};
    out->costs = request->machine->costs;
    out->model = request->time_model;
    s.block = plussi_calloc(&ctx->mem, s.n_blocks, sizeof *s.block);
    status = s.block ? add_region(&s, out) : PLUSS_ENOMEM;
    plussi_free(&ctx->mem, s.block);
    plussi_free(&ctx->mem, s.line);
    plussi_free(&ctx->mem, (void *)own.binding);
    return status;
}
