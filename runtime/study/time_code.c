/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/time_code.h"

#include <math.h>
#include <string.h>

#include "nest/equal.h"
#include "study/stage.h"

typedef struct counter {
    plussi_ctx *ctx;
    const plussi_nest *nest;
    const plussi_machine_costs *costs;
    plussi_nest_code *out;
} counter;

static const plussi_node *innermost_loop(const plussi_node *node)
{
    const plussi_node *loop = node->parent;
    while (loop && loop->kind != PLUSSI_N_LOOP)
        loop = loop->parent;
    return loop;
}

static bool same_place(const plussi_loc *a, const char *file, uint32_t number)
{
    return a->line == number && plussi_same_text(a->file, file);
}

plussi_line_code *plussi_line_of(plussi_ctx *ctx, plussi_nest_code *code, const char *file,
                                 uint32_t number)
{
    for (size_t i = code->n_lines; i-- > 0;)
        if (same_place(&code->line[i].place, file, number))
            return &code->line[i];
    if (!number ||
        plussi_grow(&ctx->mem, &code->line, &code->cap_lines, code->n_lines, sizeof *code->line))
        return NULL;
    code->line[code->n_lines] = (plussi_line_code){.place = {file, number, 0}};
    return &code->line[code->n_lines++];
}

static plussi_loop_code *block_of(const counter *s, const plussi_node *loop)
{
    return &s->out->block[loop ? loop->id : s->out->n_blocks - 1];
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

/* The construct around a node, or it; NULL: none. */
static const plussi_node *parallel_around(const plussi_node *node)
{
    while (node && node->kind != PLUSSI_N_PARALLEL)
        node = node->parent;
    return node;
}

/* n times a thread begins the construct around the node, or goes on after a barrier in it. */
static void add_phases(counter *s, const plussi_node *node, double n)
{
    const plussi_node *parallel = parallel_around(node);
    for (plussi_node *l = NULL; parallel && (l = plussi_nest_walk(&parallel->body, l));)
        if (l->kind == PLUSSI_N_LOOP)
            block_of(s, l)->phases += n;
}

static pluss_status add_executed(void *user, const plussi_node *node, plussi_executed what,
                                 plussi_operation group, uint64_t n)
{
    counter *s = user;
    const plussi_node *loop = node->kind == PLUSSI_N_LOOP ? node : innermost_loop(node);
    plussi_loop_code *b = block_of(s, loop);
    if (what != PLUSSI_EXECUTED_OPERATION) {
        double *sum = what == PLUSSI_EXECUTED_CHAIN  ? &b->scalars[group]
                      : what == PLUSSI_EXECUTED_TEAM ? &s->out->starts
                                                     : &s->out->barriers;
        *sum += (double)n;
        if (what != PLUSSI_EXECUTED_CHAIN)
            add_phases(s, node, (double)n);
        return PLUSS_OK;
    }
    plussi_line_code *l = plussi_line_of(s->ctx, s->out, b->place.file, node->loc.line);
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

static double sum_latencies(const counter *s, const double chain[PLUSSI_N_OPERATIONS])
{
    double sum = 0;
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        sum += chain[g] * s->costs->latency[g].value;
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
static void add_statement(const counter *s, const plussi_node *read, const plussi_node *write,
                          double iterations, double chain[PLUSSI_N_OPERATIONS])
{
    static const plussi_operation whole[] = {PLUSSI_OP_FLT_DIV, PLUSSI_OP_DBL_DIV, PLUSSI_OP_SQRT};
    static const plussi_operation half[] = {PLUSSI_OP_FLT_ADD, PLUSSI_OP_DBL_ADD};
    const uint32_t a = read->loc.line, b = write->loc.line;
    for (size_t i = 0; i < s->out->n_lines; i++) {
        const plussi_line_code *l = &s->out->line[i];
        if (l->place.line < (a < b ? a : b) || l->place.line > (a < b ? b : a))
            continue;
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
            chain[whole[k]] += fmin(l->code.count[whole[k]], iterations);
        for (size_t k = 0; k < sizeof half / sizeof *half; k++)
            chain[half[k]] += fmax(l->code.count[half[k]] / 2, 0);
    }
}

/* How often a loop is executed: the iterations of the one around it. loop NULL: once. */
static double count_executions(const plussi_nest_code *code, const plussi_node *loop)
{
    while (loop && (loop = innermost_loop(loop)))
        if (code->block[loop->id].code.count[PLUSSI_OP_LOOP] > 0)
            return code->block[loop->id].code.count[PLUSSI_OP_LOOP];
    return 1;
}

double plussi_trips_of_loop(const plussi_nest_code *code, const plussi_node *loop)
{
    return code->block[loop->id].code.count[PLUSSI_OP_LOOP] / count_executions(code, loop);
}

/* How often a chain through an element begins anew: the iterations of the loops around the
 * innermost one that move it. */
static double count_chains(const counter *s, const plussi_node *write, const plussi_node *loop)
{
    const plussi_node *outer;
    if (is_invariant(write, loop))
        while ((outer = innermost_loop(loop)) && is_invariant(write, outer))
            loop = outer;
    return count_executions(s->out, loop);
}

/* Scalars begin anew with each execution of the loop. */
static void take_scalars(counter *s, plussi_loop_code *b)
{
    if (b->loop && sum_latencies(s, b->scalars) > sum_latencies(s, b->code.chain)) {
        memcpy(b->code.chain, b->scalars, sizeof b->scalars);
        b->code.chains = count_executions(s->out, b->loop);
    }
}

/* The longest dependence from an iteration to the next through what the write writes. */
static void find_chain(counter *s, const plussi_region *region, const plussi_node *write)
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
static void place_blocks(counter *s)
{
    const plussi_region *first = s->nest->first_region;
    plussi_loop_code *outside = block_of(s, NULL);
    outside->place = first ? first->loc : (plussi_loc){0};
    outside->serial = true;
    for (const plussi_region *r = first; r; r = r->next)
        for (const plussi_node *n = NULL; (n = plussi_nest_walk(&r->body, (plussi_node *)n));)
            if (n->kind == PLUSSI_N_LOOP) {
                s->out->block[n->id].loop = n;
                s->out->block[n->id].serial = !parallel_around(n);
                s->out->block[n->id].place = n->loc.line ? plussi_node_place(n, r) : n->loc;
            }
}

pluss_status plussi_nest_code_init(plussi_ctx *ctx, const plussi_nest *nest, plussi_nest_code *out)
{
    *out = (plussi_nest_code){.n_blocks = nest->n_loops + 1};
    out->block = plussi_calloc(&ctx->mem, out->n_blocks, sizeof *out->block);
    return out->block ? PLUSS_OK : PLUSS_ENOMEM;
}

void plussi_nest_code_free(plussi_ctx *ctx, plussi_nest_code *code)
{
    plussi_free(&ctx->mem, code->block);
    plussi_free(&ctx->mem, code->line);
}

pluss_status plussi_count_code(plussi_ctx *ctx, const plussi_nest *nest,
                               const plussi_request *request, uint32_t team,
                               const plussi_machine_costs *costs, plussi_nest_code *out)
{
    counter s = {ctx, nest, costs, out};
    out->n_lines = 0;
    out->starts = out->barriers = 0;
    memset(out->block, 0, out->n_blocks * sizeof *out->block);
    place_blocks(&s);
    pluss_status status =
        plussi_pipeline_visit_operations(ctx, nest, request, team, add_executed, &s);
    for (const plussi_region *r = nest->first_region; r && !status; r = r->next)
        for (const plussi_node *n = NULL; (n = plussi_nest_walk(&r->body, (plussi_node *)n));)
            if (n->kind == PLUSSI_N_REF && n->u.ref.write)
                find_chain(&s, r, n);
    for (size_t i = 0; i < out->n_blocks && !status; i++) {
        take_scalars(&s, &out->block[i]);
        if (out->block[i].serial)
            out->block[i].phases = (out->starts + out->barriers) / team;
    }
    return status;
}
