/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/candidates.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nest/equal.h"
#include "transform/transform.h"

static plussi_candidate *add(plussi_candidates *c, plussi_advice_kind kind, plussi_loc place)
{
    if (!c->status)
        c->status = plussi_grow(&c->ctx->mem, &c->at, &c->cap, c->n, sizeof *c->at);
    if (c->status)
        return NULL;
    plussi_candidate *candidate = &c->at[c->n++];
    *candidate = (plussi_candidate){.kind = kind, .place = place};
    return candidate;
}

/* ---- loops ------------------------------------------------------------------------------------
 */

typedef struct chain {
    const plussi_node *loop[PLUSSI_MAX_LOOPS];
    char name[PLUSSI_MAX_LOOPS][64];
    uint32_t n;
} chain;

static bool holds_loops(const plussi_body *body)
{
    for (const plussi_node *node = body->first; node; node = node->next)
        if (node->kind == PLUSSI_N_LOOP || holds_loops(&node->body) || holds_loops(&node->orelse))
            return true;
    return false;
}

/* As steps name it: by its variable, and its number where others have that, too. */
static void name_loop(const plussi_nest *nest, const plussi_node *loop, char name[64])
{
    uint32_t n = 0, own = 0;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (node->kind == PLUSSI_N_LOOP && strcmp(node->u.loop.iv, loop->u.loop.iv) == 0) {
                n++;
                own = node == loop ? n : own;
            }
    snprintf(name, 64, n > 1 ? "%.48s#%u" : "%.48s", loop->u.loop.iv, own);
}

static const char *bare(const plussi_node *loop)
{
    return loop->u.loop.iv;
}

/* The loops directly around each other, from an innermost one outwards. */
static void find_chain(const plussi_nest *nest, const plussi_node *innermost, chain *out)
{
    const plussi_node *up = innermost;
    out->n = 0;
    for (; up && up->kind == PLUSSI_N_LOOP; up = up->parent)
        out->n++;
    uint32_t i = out->n;
    for (up = innermost; up && up->kind == PLUSSI_N_LOOP; up = up->parent) {
        out->loop[--i] = up;
        name_loop(nest, up, out->name[i]);
    }
}

typedef void (*chain_fn)(plussi_candidates *c, const chain *loops);

static void each_chain(plussi_candidates *c, const plussi_nest *nest, chain_fn see)
{
    chain loops;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (node->kind == PLUSSI_N_LOOP && !holds_loops(&node->body)) {
                find_chain(nest, node, &loops);
                see(c, &loops);
            }
}

static void see_interchanges(plussi_candidates *c, const chain *loops)
{
    for (uint32_t a = 0; a + 1 < loops->n; a++)
        for (uint32_t b = a + 1; b < loops->n; b++) {
            plussi_candidate *one = add(c, PLUSSI_ADVICE_INTERCHANGE, loops->loop[b]->loc);
            if (!one)
                return;
            one->loop[0] = loops->loop[a];
            one->loop[1] = loops->loop[b];
            snprintf(one->steps, sizeof one->steps, "interchange:%s,%s", loops->name[a],
                     loops->name[b]);
            snprintf(one->text, sizeof one->text, "interchange loops %.40s and %.40s",
                     bare(loops->loop[a]), bare(loops->loop[b]));
        }
}

void plussi_find_interchanges(plussi_candidates *c, const plussi_nest *nest)
{
    each_chain(c, nest, see_interchanges);
}

static void see_tiles(plussi_candidates *c, const chain *loops)
{
    static const int sizes[] = {8, 16, 32, 64, 128};
    for (uint32_t depth = 2; depth <= 3 && depth <= loops->n; depth++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const uint32_t first = loops->n - depth;
            plussi_candidate *one = add(c, PLUSSI_ADVICE_TILE, loops->loop[first]->loc);
            if (!one)
                return;
            one->loop[0] = loops->loop[first];
            one->loop[1] = loops->loop[loops->n - 1];
            size_t length = 0, told = 0;
            length = (size_t)snprintf(one->steps, sizeof one->steps, "tile:");
            told = (size_t)snprintf(one->text, sizeof one->text, "tiles of %d iterations of loops ",
                                    sizes[s]);
            for (uint32_t i = first; i < loops->n; i++) {
                length +=
                    (size_t)snprintf(one->steps + length, sizeof one->steps - length, "%s%.40s=%d",
                                     i > first ? "," : "", loops->name[i], sizes[s]);
                told += (size_t)snprintf(one->text + told, sizeof one->text - told, "%s%.30s",
                                         i == first          ? ""
                                         : i + 1 == loops->n ? " and "
                                                             : ", ",
                                         bare(loops->loop[i]));
            }
        }
}

void plussi_find_tiles(plussi_candidates *c, const plussi_nest *nest)
{
    each_chain(c, nest, see_tiles);
}

/* ---- sizes of tiles ---------------------------------------------------------------------------
 */

static void add_symbol(const plussi_expr *a, const plussi_expr *b, const plussi_symbol **found,
                       size_t *n)
{
    if (a->kind != PLUSSI_E_SYMBOL || a->symbol->value || b->kind != PLUSSI_E_IV ||
        *n == PLUSSI_CANDIDATE_VALUES)
        return;
    for (size_t i = 0; i < *n; i++)
        if (found[i] == a->symbol)
            return;
    found[(*n)++] = a->symbol;
}

static void find_factors(const plussi_expr *expr, const plussi_symbol **found, size_t *n)
{
    if (!expr)
        return;
    if (expr->kind == PLUSSI_E_MUL) {
        add_symbol(expr->a[0], expr->a[1], found, n);
        add_symbol(expr->a[1], expr->a[0], found, n);
    }
    for (int i = 0; i < 3; i++)
        find_factors(expr->a[i], found, n);
}

/* Whether the name is the symbol's, or REGION.NAME. */
static bool is_name_of(const plussi_nest *nest, const char *name, const plussi_symbol *symbol)
{
    const char *region = nest->first_region->name;
    const size_t length = strlen(region);
    return strcmp(name, symbol->name) == 0 ||
           (strncmp(name, region, length) == 0 && name[length] == '.' &&
            strcmp(name + length + 1, symbol->name) == 0);
}

static int64_t value_of(const plussi_nest *nest, const plussi_request *request,
                        const plussi_symbol *symbol)
{
    for (size_t i = 0; i < request->n_bindings; i++)
        if (is_name_of(nest, request->binding[i].name, symbol))
            return request->binding[i].value;
    return 0;
}

static void add_sizes(plussi_candidates *c, const plussi_nest *nest, const plussi_request *request,
                      const plussi_symbol *const *symbol, size_t n)
{
    for (int64_t size = 8; size <= 512; size += size & (size - 1) ? size / 3 : size / 2) {
        bool other = false; /* 8, 12, 16, 24, 32, 48, ... */
        for (size_t i = 0; i < n; i++)
            other = other || value_of(nest, request, symbol[i]) != size;
        plussi_candidate *one = other ? add(c, PLUSSI_ADVICE_TILE, nest->first_region->loc) : NULL;
        if (!one)
            continue;
        one->n_symbols = n;
        one->value = size;
        size_t told = 0;
        for (size_t i = 0; i < n; i++) {
            one->symbol[i] = symbol[i];
            told += (size_t)snprintf(one->show + told, sizeof one->show - told, "%s%.30s=%" PRId64,
                                     i ? " " : "", symbol[i]->name, size);
        }
        snprintf(one->text, sizeof one->text, "tiles of another size: %.130s", one->show);
    }
}

void plussi_find_tile_sizes(plussi_candidates *c, const plussi_nest *nest,
                            const plussi_request *request)
{
    const plussi_symbol *found[PLUSSI_CANDIDATE_VALUES];
    size_t n = 0;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (node->kind == PLUSSI_N_LOOP) {
                find_factors(node->u.loop.lo, found, &n);
                find_factors(node->u.loop.hi, found, &n);
            }
    for (size_t i = 0; i < n; i++)
        add_sizes(c, nest, request, &found[i], 1);
    if (n > 1)
        add_sizes(c, nest, request, found, n);
}

/* ---- costs ------------------------------------------------------------------------------------
 */

static pluss_status cost_sizes(plussi_ctx *ctx, const plussi_nest *nest,
                               const plussi_request *request, size_t team,
                               const plussi_candidate *candidate, plussi_nest_cost *after,
                               bool *possible)
{
    plussi_request own = *request;
    plussi_result result;
    plussi_binding *binding = plussi_alloc(&ctx->mem, request->n_bindings + 1, sizeof *binding);
    if (!binding)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < request->n_bindings; i++) {
        binding[i] = request->binding[i];
        for (size_t k = 0; k < candidate->n_symbols; k++)
            if (is_name_of(nest, binding[i].name, candidate->symbol[k]))
                binding[i].value = candidate->value;
    }
    own.binding = binding;
    pluss_status status =
        plussi_cost_nest(ctx, nest, &own, request->team[team], &result, after, possible);
    plussi_result_free(&result);
    plussi_free(&ctx->mem, binding);
    return status;
}

pluss_status plussi_cost_candidate(plussi_ctx *ctx, const plussi_nest *nest,
                                   const plussi_request *request, size_t team,
                                   const plussi_candidate *candidate, double accesses,
                                   plussi_nest **made, bool *legal, plussi_nest_cost *after,
                                   bool *possible)
{
    const char *const steps[] = {candidate->steps};
    plussi_result result;
    pluss_status status;
    *made = NULL;
    *possible = *legal = false;
    if (candidate->n_symbols) {
        status = cost_sizes(ctx, nest, request, team, candidate, after, possible);
        *legal = *possible && after->accesses == accesses;
        *possible = *legal;
    } else {
        status = plussi_transform(ctx, nest, steps, 1, made);
        *legal = !status;
        if (!status) {
            status = plussi_cost_nest(ctx, *made, request, request->team[team], &result, after,
                                      possible);
            plussi_result_free(&result);
        }
    }
    return status == PLUSS_ENOMEM || status == PLUSS_ECANCELLED ? status : PLUSS_OK;
}

/* The loop, or that of a parallel region that holds nothing else. */
static const plussi_node *loop_in(const plussi_node *node)
{
    if (node && node->kind == PLUSSI_N_PARALLEL && node->body.first && !node->body.first->next)
        node = node->body.first;
    return node && node->kind == PLUSSI_N_LOOP ? node : NULL;
}

void plussi_find_fusions(plussi_candidates *c, const plussi_nest *nest)
{
    char name[2][64];
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));) {
            const plussi_node *a = loop_in(node), *b = loop_in(node->next);
            plussi_candidate *one = a && b ? add(c, PLUSSI_ADVICE_FUSE, b->loc) : NULL;
            if (!one)
                continue;
            name_loop(nest, a, name[0]);
            name_loop(nest, b, name[1]);
            snprintf(one->steps, sizeof one->steps, "fuse:%s,%s", name[0], name[1]);
            snprintf(one->text, sizeof one->text,
                     "fuse the loops %.30s and %.30s of lines %" PRIu32 " and %" PRIu32, bare(a),
                     bare(b), a->loc.line, b->loc.line);
        }
}

/* ---- schedules --------------------------------------------------------------------------------
 */

/* All iterations execute alike: no bound and no condition depends on the loop or on data. */
static bool is_even(const plussi_body *body, const plussi_node *loop)
{
    for (const plussi_node *node = body->first; node; node = node->next) {
        if (node->kind == PLUSSI_N_LOOP && (plussi_expr_mentions(node->u.loop.lo, loop) ||
                                            plussi_expr_mentions(node->u.loop.hi, loop)))
            return false;
        if (node->kind == PLUSSI_N_BRANCH || node->kind == PLUSSI_N_UNKNOWN ||
            (node->kind == PLUSSI_N_IF && plussi_expr_mentions(node->u.branch.cond, loop)))
            return false;
        if (!is_even(&node->body, loop) || !is_even(&node->orelse, loop))
            return false;
    }
    return true;
}

static void add_schedule(plussi_candidates *c, const plussi_nest *nest, const plussi_node *loop,
                         const char *kind, int64_t chunk)
{
    char name[64];
    plussi_candidate *one = add(c, PLUSSI_ADVICE_SCHEDULE, loop->loc);
    if (!one)
        return;
    name_loop(nest, loop, name);
    char clause[64];
    snprintf(clause, sizeof clause, chunk ? "%s,%" PRId64 : "%s", kind, chunk);
    snprintf(one->steps, sizeof one->steps, "schedule:%s=%s", name, clause);
    snprintf(one->text, sizeof one->text, "schedule(%s) of loop %.40s", clause, bare(loop));
    snprintf(one->show, sizeof one->show, "schedule(%s)", clause);
}

void plussi_find_schedules(plussi_candidates *c, const plussi_nest *nest, uint32_t line_bytes)
{
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));) {
            if (node->kind != PLUSSI_N_LOOP || !node->u.loop.workshare)
                continue;
            const plussi_schedule *s = &node->u.loop.schedule;
            const bool even = is_even(&node->body, node);
            const bool block = s->kind == PLUSSI_SCHED_NONE || s->kind == PLUSSI_SCHED_AUTO ||
                               (s->kind == PLUSSI_SCHED_STATIC && !s->chunk);
            const char *kind = s->kind == PLUSSI_SCHED_DYNAMIC || s->kind == PLUSSI_SCHED_RUNTIME
                                   ? "dynamic"
                               : s->kind == PLUSSI_SCHED_GUIDED ? "guided"
                                                                : "static";
            if (even && !block)
                add_schedule(c, nest, node, "static", 0);
            for (int64_t lines = 1; lines <= 4; lines *= 2)
                if (!block || even)
                    add_schedule(c, nest, node, kind, lines * line_bytes / 8);
            if (even && block)
                add_schedule(c, nest, node, "static", 1);
        }
}

/* ---- layouts ----------------------------------------------------------------------------------
 */

static const plussi_array *find_array(const plussi_nest *nest, const char *name)
{
    for (const plussi_array *a = nest->first_array; a; a = a->next)
        if (name && strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

static void add_layout(plussi_candidates *c, plussi_advice_kind kind, const plussi_array *array,
                       const plussi_level_part *part, uint64_t amount)
{
    char step[PLUSSI_CANDIDATE_TEXT];
    const bool spread = kind == PLUSSI_ADVICE_SPREAD && array->rank == 1;
    snprintf(step, sizeof step, "%s:%.60s=%" PRIu64, spread ? "spread" : "pad", array->name,
             amount);
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->at[i].steps, step) == 0)
            return;
    plussi_candidate *one = add(c, kind, (plussi_loc){part->site.file, part->site.line, 0});
    if (!one)
        return;
    one->array = array;
    memcpy(one->steps, step, sizeof step);
    if (spread)
        snprintf(one->text, sizeof one->text,
                 "elements of %.60s %" PRIu64 " bytes apart, so that threads do not write to the "
                 "same lines",
                 array->name, amount);
    else
        snprintf(one->text, sizeof one->text,
                 "%s of %.60s longer by %" PRIu64 " elements, so that %s",
                 array->column_order ? "columns" : "rows", array->name, amount,
                 kind == PLUSSI_ADVICE_SPREAD ? "threads do not write to the same lines"
                                              : "they do not fall into the same sets");
    if (spread)
        snprintf(one->show, sizeof one->show,
                 "an element of %.60s is aligned to %" PRIu64 " bytes: _Alignas(%" PRIu64 ")",
                 array->name, amount, amount);
    else
        snprintf(one->show, sizeof one->show,
                 "the declaration of %.60s: + %" PRIu64 " in its %s dimension", array->name, amount,
                 array->column_order ? "first" : "last");
}

/* Bytes of a row whose length is a literal; 0: not known. */
static uint64_t literal_row(const plussi_array *array)
{
    const plussi_expr *extent =
        array->rank > 1 ? array->extents[array->column_order ? 0 : array->rank - 1] : NULL;
    return extent && extent->kind == PLUSSI_E_INT ? (uint64_t)extent->value * array->elem_bytes : 0;
}

void plussi_find_layouts(plussi_candidates *c, const plussi_nest *nest, const plussi_result *now)
{
    for (size_t l = 0; l < now->n_levels; l++)
        for (size_t p = 0; p < now->level[l].n_parts; p++) {
            const plussi_level_part *part = &now->level[l].part[p];
            const plussi_array *array = find_array(nest, part->array);
            const uint64_t line = now->level[l].id.line_bytes;
            if (!array || array->is_private)
                continue;
            const double sharing = part->misses.kind[PLUSSI_MISS_FALSE_SHARING];
            const double conflicts = part->misses.kind[PLUSSI_MISS_CONFLICT];
            if (sharing > 0.001 * part->misses.requests) {
                const uint64_t lines = (array->elem_bytes + line - 1) / line;
                if (array->rank == 1 && array->elem_bytes % line != 0)
                    add_layout(c, PLUSSI_ADVICE_SPREAD, array, part, lines * line);
                else if (array->rank > 1 && line % array->elem_bytes == 0 &&
                         literal_row(array) % line != 0)
                    add_layout(c, PLUSSI_ADVICE_SPREAD, array, part,
                               (line - literal_row(array) % line) / array->elem_bytes);
            }
            if (array->rank < 2 || line % array->elem_bytes != 0 ||
                !(conflicts >= 0.001 * part->misses.requests))
                continue;
            if (part->pad_bytes)
                add_layout(c, PLUSSI_ADVICE_PAD, array, part,
                           (part->pad_bytes + array->elem_bytes - 1) / array->elem_bytes);
            add_layout(c, PLUSSI_ADVICE_PAD, array, part, line / array->elem_bytes);
        }
}
