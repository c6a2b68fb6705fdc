/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop-annotated trace of a nest: its references in the order of execution, one after another,
 * with loops in brackets (docs/nest-format.md has the form).
 */
#include <inttypes.h>
#include <string.h>

#include "nest/effective.h"
#include "nest/text.h"

enum { LINE_WIDTH = 96 };

typedef struct trace {
    plussi_text text;
    uint32_t depth;
    bool first; /* in its brackets, braces or region */
} trace;

/* Separates an item from the one before it. */
static void begin_item(trace *t)
{
    plussi_text *text = &t->text;
    if (!t->first && text->length - text->line_start > LINE_WIDTH - 8) {
        plussi_text_puts(text, ",\n");
        for (uint32_t i = 0; i <= t->depth; i++)
            plussi_text_puts(text, "  ");
    } else if (!t->first) {
        plussi_text_puts(text, ", ");
    }
    t->first = false;
}

/* The memory of a variable whose name an induction variable has is called `&NAME' in nests. */
static void put_variable(plussi_text *text, const char *name)
{
    plussi_text_name(text, name && name[0] == '&' && name[1] ? name + 1 : name);
}

static bool is_primary(const plussi_expr *e)
{
    return (e->kind == PLUSSI_E_INT && e->value >= 0) || e->kind == PLUSSI_E_SYMBOL ||
           e->kind == PLUSSI_E_IV || e->kind == PLUSSI_E_THREAD || e->kind == PLUSSI_E_TEAM ||
           e->kind == PLUSSI_E_MIN || e->kind == PLUSSI_E_MAX || e->kind == PLUSSI_E_LOAD;
}

/* In parentheses unless it is one word. */
static void put_operand(plussi_text *text, const plussi_expr *e)
{
    const bool bare = is_primary(e);
    plussi_text_puts(text, bare ? "" : "(");
    plussi_text_expr(text, e);
    plussi_text_puts(text, bare ? "" : ")");
}

static void put_reference(trace *t, const plussi_node *ref)
{
    plussi_text *text = &t->text;
    begin_item(t);
    put_variable(text, ref->u.ref.array->name);
    for (uint32_t i = 0; i < ref->u.ref.n_subs; i++) {
        plussi_text_puts(text, "~");
        put_operand(text, ref->u.ref.subs[i]);
    }
    if (!plussi_is_whole_element(ref))
        plussi_text_format(text, ":%" PRId64 "..%" PRId64, ref->u.ref.offset,
                           (int64_t)((uint64_t)ref->u.ref.offset + plussi_effective_width(ref)));
}

/* How often a loop iterates: lo, lo + step, ... while below hi (above, where step < 0). */
static void put_trips(plussi_text *text, const plussi_node *loop)
{
    const int64_t step = loop->u.loop.step;
    const uint64_t size = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
    const plussi_expr *from = step < 0 ? loop->u.loop.hi : loop->u.loop.lo;
    const plussi_expr *to = step < 0 ? loop->u.loop.lo : loop->u.loop.hi;
    if (from->kind == PLUSSI_E_INT && to->kind == PLUSSI_E_INT) {
        const uint64_t range =
            to->value > from->value ? (uint64_t)to->value - (uint64_t)from->value : 0;
        plussi_text_format(text, "%" PRIu64, range / size + (range % size != 0));
        return;
    }
    const bool from_0 = from->kind == PLUSSI_E_INT && from->value == 0;
    if (size > 1)
        plussi_text_puts(text, "(");
    if (to->kind == PLUSSI_E_SELECT)
        put_operand(text, to);
    else
        plussi_text_expr(text, to);
    if (!from_0) {
        plussi_text_puts(text, " - ");
        if (from->kind == PLUSSI_E_MUL || from->kind == PLUSSI_E_DIV)
            plussi_text_expr(text, from);
        else
            put_operand(text, from);
    }
    if (size > 1)
        plussi_text_format(text, " + %" PRIu64 ") / %" PRIu64, size - 1, size);
}

static void put_body(trace *t, const plussi_body *body);

static void put_loop(trace *t, const plussi_node *loop)
{
    begin_item(t);
    plussi_text_puts(&t->text, "[");
    put_trips(&t->text, loop);
    put_body(t, &loop->body);
    plussi_text_puts(&t->text, "]");
}

/* {CONDITION: ... | else: ...}, {0.3: ... | 0.7: ...} */
static void put_ways(trace *t, const plussi_node *node)
{
    const bool guard = node->kind == PLUSSI_N_IF;
    plussi_text *text = &t->text;
    begin_item(t);
    plussi_text_puts(text, "{");
    if (guard)
        plussi_text_expr(text, node->u.branch.cond);
    else
        plussi_text_number(text, node->u.branch.probability);
    plussi_text_puts(text, ": ");
    t->first = true;
    put_body(t, &node->body);
    if (node->orelse.first) {
        plussi_text_puts(text, node->body.first ? " | " : "| ");
        if (guard)
            plussi_text_puts(text, "else");
        else
            plussi_text_number(text, 1 - node->u.branch.probability);
        plussi_text_puts(text, ": ");
        t->first = true;
        put_body(t, &node->orelse);
    }
    plussi_text_puts(text, "}");
    t->first = false;
}

static void put_swap(trace *t, const plussi_node *node)
{
    begin_item(t);
    plussi_text_puts(&t->text, "swap(");
    put_variable(&t->text, node->u.swap.a->name);
    plussi_text_puts(&t->text, ", ");
    put_variable(&t->text, node->u.swap.b->name);
    plussi_text_puts(&t->text, ")");
}

static void put_node(trace *t, const plussi_node *node)
{
    switch (node->kind) {
    case PLUSSI_N_REF:
        put_reference(t, node);
        break;
    case PLUSSI_N_LOOP:
        put_loop(t, node);
        break;
    case PLUSSI_N_IF:
    case PLUSSI_N_BRANCH:
        put_ways(t, node);
        break;
    case PLUSSI_N_SWAP:
        put_swap(t, node);
        break;
    case PLUSSI_N_UNKNOWN:
        begin_item(t);
        plussi_text_puts(&t->text, "?");
        break;
    default: /* constructs as one thread executes them; operations and barriers access nothing */
        put_body(t, &node->body);
        break;
    }
}

static void put_body(trace *t, const plussi_body *body)
{
    if (t->depth > PLUSSI_MAX_DEPTH) /* never in a valid nest */
        return;
    t->depth++;
    for (const plussi_node *n = body->first; n && t->text.status == PLUSS_OK; n = n->next)
        put_node(t, n);
    t->depth--;
}

pluss_status plussi_nest_annotate(plussi_ctx *ctx, const plussi_nest *nest, char **out,
                                  size_t *length)
{
    trace t = {.first = true};
    plussi_text_init(&t.text, ctx);
    for (const plussi_region *r = nest->first_region; r; r = r->next) {
        plussi_text_name(&t.text, r->name);
        plussi_text_puts(&t.text, ": ");
        t.first = true;
        if (r->repeat) {
            plussi_text_puts(&t.text, "[");
            plussi_text_expr(&t.text, r->repeat);
            t.first = false;
        }
        put_body(&t, &r->body);
        plussi_text_puts(&t.text, r->repeat ? "]\n" : "\n");
    }
    return plussi_text_finish(&t.text, out, length);
}
