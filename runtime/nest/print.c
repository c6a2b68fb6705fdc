/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The canonical text of a nest: two spaces a level, declarations before statements, symbols before
 * arrays, clauses in one order, defaults left out.
 */
#include <inttypes.h>
#include <string.h>

#include "nest/effective.h"
#include "nest/print.h"
#include "nest/text.h"
#include "nest/words.h"

enum { LINE_WIDTH = 96 }; /* lists are broken before this column */

typedef struct printer {
    plussi_text text;
    const plussi_region *region;            /* its file is not repeated */
    const bool *used_symbols, *used_arrays; /* by id; NULL: print all declarations */
    /* in_order: the declarations are in text order, and these are the first that are not yet
     * printed, so that a nest of many regions prints in linear time. Else each scope searches all.
     */
    bool in_order;
    const plussi_symbol *next_symbol;
    const plussi_array *next_array;
} printer;

/* ---- declarations -----------------------------------------------------------------------------
 */

static bool is_used(const bool *used, uint32_t id)
{
    return !used || used[id];
}

/* Symbols that are only names share lines. */
static void put_symbols(printer *p, const plussi_nest *nest, const plussi_region *region)
{
    plussi_text *text = &p->text;
    bool open = false;
    const plussi_symbol *s = p->in_order ? p->next_symbol : nest->first_symbol;
    for (; s && !(p->in_order && s->region != region); s = s->next) {
        if (s->region != region || !is_used(p->used_symbols, s->id))
            continue;
        bool plain = !s->value && !s->origin && s->least == INT64_MIN;
        size_t column = text->length - text->line_start;
        if (open && plain && column + 2 + strlen(s->name) + 2 <= LINE_WIDTH) {
            plussi_text_puts(text, ", ");
        } else {
            if (open)
                plussi_text_puts(text, "\n");
            plussi_text_puts(text, "symbol ");
        }
        plussi_text_name(text, s->name);
        if (s->origin) {
            plussi_text_puts(text, " is ");
            plussi_text_string(text, s->origin);
        }
        if (s->least != INT64_MIN)
            plussi_text_format(text, " >= %lld", (long long)s->least);
        if (s->value) {
            plussi_text_puts(text, " = ");
            plussi_text_expr(text, s->value);
        }
        open = plain;
        if (!plain)
            plussi_text_puts(text, "\n");
    }
    if (open)
        plussi_text_puts(text, "\n");
    p->next_symbol = s;
}

static void put_values(plussi_text *text, const plussi_array *array)
{
    plussi_text_puts(text, " values(");
    for (uint64_t i = 0; i < array->n_values; i++) {
        bool full = text->length - text->line_start > LINE_WIDTH - 22;
        if (i > 0)
            plussi_text_puts(text, full ? ",\n  " : ", ");
        plussi_text_format(text, "%" PRId64, array->values[i]);
    }
    plussi_text_puts(text, ")");
}

static void put_array(plussi_text *text, const plussi_array *array)
{
    plussi_text_format(text, "array %s", plussi_elem_name(array->elem));
    if (array->elem == PLUSSI_ELEM_BYTES)
        plussi_text_format(text, "%" PRIu64, array->elem_bytes);
    plussi_text_puts(text, " ");
    plussi_text_name(text, array->name);
    for (uint32_t i = 0; i < array->rank; i++) {
        plussi_text_puts(text, "[");
        if (array->extents[i])
            plussi_text_expr(text, array->extents[i]);
        plussi_text_puts(text, "]");
    }
    if (array->strides && array->rank > 0) {
        for (uint32_t i = 0; i < array->rank; i++) {
            plussi_text_puts(text, i ? ", " : " stride(");
            plussi_text_expr(text, array->strides[i]);
        }
        plussi_text_puts(text, ")");
    }
    if (array->column_order)
        plussi_text_puts(text, " column");
    if (array->lower && array->rank > 0) {
        for (uint32_t i = 0; i < array->rank; i++)
            plussi_text_format(text, "%s%" PRId64, i ? ", " : " lower(", array->lower[i]);
        plussi_text_puts(text, ")");
    }
    if (array->is_private)
        plussi_text_puts(text, " private");
    if (array->base_kind == PLUSSI_BASE_OVER) {
        plussi_text_puts(text, " over ");
        plussi_text_name(text, array->over ? array->over->name : NULL);
        if (plussi_effective_base(array)) {
            plussi_text_puts(text, " + ");
            plussi_text_expr(text, array->base);
        }
    } else if (array->base_kind != PLUSSI_BASE_FREE) {
        plussi_text_puts(text, array->base_kind == PLUSSI_BASE_OFFSET ? " offset(" : " address(");
        if (plussi_effective_base(array))
            plussi_text_expr(text, array->base);
        else
            plussi_text_puts(text, "0");
        plussi_text_puts(text, ")");
    }
    if (array->alias) {
        plussi_text_puts(text, " alias ");
        plussi_text_name(text, array->alias);
    }
    if (array->has_values)
        put_values(text, array);
    plussi_text_puts(text, "\n");
}

static void put_declarations(printer *p, const plussi_nest *nest, const plussi_region *region)
{
    put_symbols(p, nest, region);
    const plussi_array *a = p->in_order ? p->next_array : nest->first_array;
    for (; a && !(p->in_order && a->region != region); a = a->next)
        if (a->region == region && is_used(p->used_arrays, a->id))
            put_array(&p->text, a);
    p->next_array = a;
}

/* ---- statements -------------------------------------------------------------------------------
 */

static void put_line(plussi_text *text, const plussi_loc *loc)
{
    plussi_text_format(text, "%" PRIu32, loc->line);
    if (loc->col)
        plussi_text_format(text, ":%" PRIu32, loc->col);
}

static void put_location(printer *p, const plussi_node *node)
{
    if (!node->loc.line)
        return;
    plussi_text_puts(&p->text, " @");
    if (plussi_own_file(node, p->region)) {
        plussi_text_string(&p->text, node->loc.file);
        plussi_text_puts(&p->text, ":");
    }
    put_line(&p->text, &node->loc);
}

static void put_guard(plussi_text *text, const plussi_expr *cond)
{
    plussi_text_puts(text, "(");
    plussi_text_expr(text, cond);
    plussi_text_puts(text, ")");
}

static void put_head(plussi_text *text, const plussi_node *loop)
{
    plussi_text_puts(text, "for ");
    plussi_text_name(text, loop->u.loop.iv);
    plussi_text_puts(text, " in ");
    plussi_text_expr(text, loop->u.loop.lo);
    plussi_text_puts(text, "..");
    plussi_text_expr(text, loop->u.loop.hi);
    if (loop->u.loop.step != 1)
        plussi_text_format(text, " step %" PRId64, loop->u.loop.step);
    const plussi_schedule *schedule = &loop->u.loop.schedule;
    const char *kind = plussi_schedule_word(schedule->kind);
    if (kind) {
        const char *modifier = plussi_modifier_word(schedule->modifier);
        plussi_text_format(text, " schedule(%s%s%s", modifier ? modifier : "", modifier ? ": " : "",
                           kind);
        const plussi_expr *chunks[] = {schedule->chunk, schedule->chunk2};
        for (int i = 0; i < 2 && chunks[i]; i++) {
            plussi_text_puts(text, ", ");
            plussi_text_expr(text, chunks[i]);
        }
        plussi_text_puts(text, ")");
    }
    if (loop->u.loop.collapse != 1)
        plussi_text_format(text, " collapse(%" PRIu32 ")", loop->u.loop.collapse);
    if (loop->u.loop.ordered)
        plussi_text_puts(text, " ordered");
    if (loop->u.loop.nowait)
        plussi_text_puts(text, " nowait");
}

static void put_team(plussi_text *text, const plussi_node *parallel)
{
    if (parallel->u.parallel.num_threads) {
        plussi_text_puts(text, " num_threads(");
        plussi_text_expr(text, parallel->u.parallel.num_threads);
        plussi_text_puts(text, ")");
    }
    if (parallel->u.parallel.cond) {
        plussi_text_puts(text, " if ");
        put_guard(text, parallel->u.parallel.cond);
    }
}

/* The loop of a PARALLEL printed as `parallel for`: its only statement, a worksharing loop with the
 * same source location, as the short form has a single one. */
static const plussi_node *combined_loop(const printer *p, const plussi_node *parallel)
{
    const plussi_node *loop = parallel->body.first;
    bool combined = loop && !loop->next && loop->kind == PLUSSI_N_LOOP && loop->u.loop.workshare &&
                    plussi_same_location(parallel, p->region, loop, p->region);
    return combined ? loop : NULL;
}

static void put_reference(plussi_text *text, const plussi_node *ref)
{
    plussi_text_format(text, "%s%s ", ref->u.ref.atomic ? "atomic " : "",
                       ref->u.ref.write ? "write" : "read");
    plussi_text_subscripted(text, ref->u.ref.array, ref->u.ref.n_subs, ref->u.ref.subs);
    if (!plussi_is_whole_element(ref))
        plussi_text_format(text, " bytes %" PRId64 "..%" PRId64, ref->u.ref.offset,
                           (int64_t)((uint64_t)ref->u.ref.offset + plussi_effective_width(ref)));
}

static void put_unknown(plussi_text *text, const plussi_node *unknown)
{
    const char *kind = plussi_unknown_word(unknown->u.unknown.kind);
    plussi_text_format(text, "unknown %s ", kind ? kind : "?");
    if (unknown->u.unknown.array) {
        plussi_text_puts(text, "of ");
        plussi_text_name(text, unknown->u.unknown.array->name);
        plussi_text_puts(text, " ");
    }
    plussi_text_string(text, unknown->u.unknown.reason ? unknown->u.unknown.reason : "");
}

static void put_ops(plussi_text *text, const plussi_node *ops)
{
    for (uint32_t i = 0; i < ops->u.ops.n; i++) {
        plussi_text_puts(text, i ? ", " : "ops(");
        plussi_text_name(text, ops->u.ops.op[i].group);
        plussi_text_format(text, " %" PRIu64, ops->u.ops.op[i].count);
    }
    plussi_text_puts(text, ")");
}

/* Prints the part before the location; returns the node whose body follows in braces, NULL: none.
 */
static const plussi_node *put_statement(printer *p, const plussi_node *node)
{
    plussi_text *text = &p->text;
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        if (node->u.loop.workshare)
            plussi_text_puts(text, "workshare ");
        put_head(text, node);
        return node;
    case PLUSSI_N_PARALLEL: {
        const plussi_node *loop = combined_loop(p, node);
        plussi_text_puts(text, "parallel");
        if (loop) {
            plussi_text_puts(text, " ");
            put_head(text, loop);
        }
        put_team(text, node);
        return loop ? loop : node;
    }
    case PLUSSI_N_REF:
        put_reference(text, node);
        return NULL;
    case PLUSSI_N_IF:
        plussi_text_puts(text, "if ");
        put_guard(text, node->u.branch.cond);
        return node;
    case PLUSSI_N_BRANCH:
        plussi_text_puts(text, "branch ");
        plussi_text_number(text, node->u.branch.probability);
        return node;
    case PLUSSI_N_BARRIER:
        plussi_text_puts(text, "barrier");
        return NULL;
    case PLUSSI_N_SINGLE:
        plussi_text_puts(text, node->u.single.nowait ? "single nowait" : "single");
        return node;
    case PLUSSI_N_MASTER:
        plussi_text_puts(text, "master");
        return node;
    case PLUSSI_N_CRITICAL:
        plussi_text_puts(text, "critical");
        return node;
    case PLUSSI_N_ORDERED:
        plussi_text_puts(text, "ordered");
        return node;
    case PLUSSI_N_SWAP:
        plussi_text_puts(text, "swap ");
        plussi_text_name(text, node->u.swap.a ? node->u.swap.a->name : NULL);
        plussi_text_puts(text, ", ");
        plussi_text_name(text, node->u.swap.b ? node->u.swap.b->name : NULL);
        return NULL;
    case PLUSSI_N_OPS:
        put_ops(text, node);
        return NULL;
    case PLUSSI_N_UNKNOWN:
        put_unknown(text, node);
        return NULL;
    }
    plussi_text_puts(text, "?");
    return NULL;
}

static void print_indent(plussi_text *text, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        plussi_text_puts(text, "  ");
}

static void put_body(printer *p, const plussi_body *body, uint32_t depth)
{
    plussi_text *text = &p->text;
    if (depth > PLUSSI_MAX_DEPTH && body->first) {
        text->status = plussi_fail(text->ctx, PLUSS_ELIMIT, NULL,
                                   "statements are nested deeper than PLUSSI_MAX_DEPTH = %d",
                                   PLUSSI_MAX_DEPTH);
        return;
    }
    for (const plussi_node *node = body->first; node && text->status == PLUSS_OK;
         node = node->next) {
        print_indent(text, depth);
        const plussi_node *block = put_statement(p, node);
        put_location(p, node);
        if (block) {
            plussi_text_puts(text, " {\n");
            put_body(p, &block->body, depth + 1);
            print_indent(text, depth);
            plussi_text_puts(text, "}");
        }
        if (block && block->orelse.first) {
            plussi_text_puts(text, " else {\n");
            put_body(p, &block->orelse, depth + 1);
            print_indent(text, depth);
            plussi_text_puts(text, "}");
        }
        plussi_text_puts(text, "\n");
    }
}

/* ---- regions ----------------------------------------------------------------------------------
 */

static void put_region(printer *p, const plussi_nest *nest, const plussi_region *region)
{
    plussi_text *text = &p->text;
    p->region = region;
    plussi_text_puts(text, "region ");
    plussi_text_name(text, region->name);
    if (region->loc.file) {
        plussi_text_puts(text, " ");
        plussi_text_string(text, region->loc.file);
    }
    if (region->loc.line) {
        plussi_text_puts(text, region->loc.file ? ":" : " @");
        put_line(text, &region->loc);
    }
    if (region->repeat) {
        plussi_text_puts(text, " repeat ");
        plussi_text_expr(text, region->repeat);
    }
    plussi_text_puts(text, "\n");
    put_declarations(p, nest, region);
    put_body(p, &region->body, 0);
}

static void put_header(printer *p)
{
    plussi_text_format(&p->text, "pluss-nest %d\n", PLUSSI_NEST_VERSION);
}

static bool is_in_order(const plussi_nest *nest)
{
    const plussi_symbol *s = nest->first_symbol;
    const plussi_array *a = nest->first_array;
    const plussi_region *r = NULL;
    do {
        while (s && s->region == r)
            s = s->next;
        while (a && a->region == r)
            a = a->next;
        r = r ? r->next : nest->first_region;
    } while (r);
    return !s && !a;
}

pluss_status plussi_nest_print(plussi_ctx *ctx, const plussi_nest *nest, char **out, size_t *length)
{
    if (nest->out_of_memory)
        return PLUSS_ENOMEM;
    printer p = {.in_order = is_in_order(nest),
                 .next_symbol = nest->first_symbol,
                 .next_array = nest->first_array};
    plussi_text_init(&p.text, ctx);
    put_header(&p);
    put_declarations(&p, nest, NULL);
    for (const plussi_region *r = nest->first_region; r; r = r->next) {
        if (r != nest->first_region)
            plussi_text_puts(&p.text, "\n");
        put_region(&p, nest, r);
    }
    return plussi_text_finish(&p.text, out, length);
}

pluss_status plussi_print_used(plussi_ctx *ctx, const plussi_nest *nest,
                               const plussi_region *region, const bool *symbols, const bool *arrays,
                               char **out, size_t *length)
{
    printer p = {.used_symbols = symbols, .used_arrays = arrays};
    plussi_text_init(&p.text, ctx);
    put_header(&p);
    put_declarations(&p, nest, NULL);
    put_region(&p, nest, region);
    return plussi_text_finish(&p.text, out, length);
}
