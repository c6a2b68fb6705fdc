/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counters as C: a function that tells how often each reference of a region is executed, from
 * values of the symbols and contents of the index arrays. Where no bound and no condition depends
 * on a loop's variable the loop is a factor, not a loop of the function.
 */
#include <ctype.h>
#include <inttypes.h>

#include "symbolic/formula_text.h"
#include "symbolic/references_text.h"

typedef struct emitter {
    plussi_text *text;
    const plussi_region *region;
    uint32_t depth; /* of blocks; the multiplicity of the block is timesDEPTH */
    uint32_t n_refs;
    const char *unsupported; /* what C cannot say; NULL: nothing */
} emitter;

static void put(emitter *e, const char *s)
{
    plussi_text_puts(e->text, s);
}

static void put_indent(emitter *e)
{
    for (uint32_t i = 0; i <= e->depth; i++)
        put(e, "    ");
}

/* ---- expressions ------------------------------------------------------------------------------
 */

static void put_symbol(emitter *e, const plussi_symbol *s)
{
    plussi_text_word(e->text, s->name);
    plussi_text_format(e->text, "_%" PRIu32, s->id);
}

static void put_array(emitter *e, const plussi_array *a)
{
    plussi_text_word(e->text, a->name);
    plussi_text_format(e->text, "_array%" PRIu32, a->id);
}

static void put_iv(emitter *e, const plussi_node *loop)
{
    plussi_text_word(e->text, loop->u.loop.iv);
    plussi_text_format(e->text, "_iv%" PRIu32, loop->id);
}

static void put_expr(emitter *e, const plussi_expr *x);

/* ((s0) * e1 + s1) * e2 + s2 */
static void put_element(emitter *e, const plussi_expr *x)
{
    const plussi_array *a = x->array;
    if (a->strides || a->base_kind == PLUSSI_BASE_OVER || a->base_kind == PLUSSI_BASE_ADDRESS)
        e->unsupported = "an index array that is a view of other memory";
    put_array(e, a);
    put(e, "[");
    for (uint32_t i = 0; i < x->n_subs; i++)
        put(e, i + 1 < x->n_subs ? "(" : "");
    for (uint32_t i = 0; i < x->n_subs; i++) {
        const uint32_t at = a->column_order ? x->n_subs - 1 - i : i;
        if (i) {
            put(e, ") * ");
            put_expr(e, a->extents[at]);
            put(e, " + ");
        }
        put_expr(e, x->subs[at]);
    }
    put(e, x->n_subs ? "]" : "0]");
}

static void put_call(emitter *e, const char *function, const plussi_expr *x)
{
    put(e, function);
    put(e, "(");
    put_expr(e, x->a[0]);
    put(e, ", ");
    put_expr(e, x->a[1]);
    put(e, ")");
}

static void put_operation(emitter *e, const plussi_expr *x)
{
    static const char *const infix[] = {
        [PLUSSI_E_ADD] = " + ",  [PLUSSI_E_SUB] = " - ", [PLUSSI_E_MUL] = " * ",
        [PLUSSI_E_LT] = " < ",   [PLUSSI_E_LE] = " <= ", [PLUSSI_E_GT] = " > ",
        [PLUSSI_E_GE] = " >= ",  [PLUSSI_E_EQ] = " == ", [PLUSSI_E_NE] = " != ",
        [PLUSSI_E_AND] = " && ", [PLUSSI_E_OR] = " || "};
    put(e, "(");
    put_expr(e, x->a[0]);
    put(e, infix[x->kind]);
    put_expr(e, x->a[1]);
    put(e, ")");
}

static void put_expr(emitter *e, const plussi_expr *x)
{
    switch (x->kind) {
    case PLUSSI_E_INT:
        plussi_text_format(e->text, "INT64_C(%" PRId64 ")", x->value);
        break;
    case PLUSSI_E_SYMBOL:
        put_symbol(e, x->symbol);
        break;
    case PLUSSI_E_IV:
        put_iv(e, x->loop);
        break;
    case PLUSSI_E_THREAD: /* one thread executes all */
        put(e, "INT64_C(0)");
        break;
    case PLUSSI_E_TEAM:
        put(e, "INT64_C(1)");
        break;
    case PLUSSI_E_NEG:
    case PLUSSI_E_NOT:
        put(e, x->kind == PLUSSI_E_NEG ? "(-" : "(!");
        put_expr(e, x->a[0]);
        put(e, ")");
        break;
    case PLUSSI_E_DIV:
        put_call(e, "pluss_quotient", x);
        break;
    case PLUSSI_E_MOD:
        put_call(e, "pluss_modulus", x);
        break;
    case PLUSSI_E_MIN:
        put_call(e, "pluss_least", x);
        break;
    case PLUSSI_E_MAX:
        put_call(e, "pluss_most", x);
        break;
    case PLUSSI_E_SELECT:
        put(e, "(");
        put_expr(e, x->a[0]);
        put(e, " ? ");
        put_expr(e, x->a[1]);
        put(e, " : ");
        put_expr(e, x->a[2]);
        put(e, ")");
        break;
    case PLUSSI_E_LOAD:
        put_element(e, x);
        break;
    default:
        put_operation(e, x);
        break;
    }
}

/* ---- the body ---------------------------------------------------------------------------------
 */

/* Whether a bound or a condition in the loop depends on its variable. */
static bool is_executed(const plussi_node *loop)
{
    bool is = false;
    for (plussi_node *n = plussi_nest_walk(&loop->body, NULL); n && !is;
         n = plussi_nest_walk(&loop->body, n))
        is = n->kind == PLUSSI_N_LOOP
                 ? plussi_expr_uses(n->u.loop.lo, loop) || plussi_expr_uses(n->u.loop.hi, loop)
                 : n->kind == PLUSSI_N_IF && plussi_expr_uses(n->u.branch.cond, loop);
    return is;
}

static void put_body(emitter *e, const plussi_body *body);

/* A block whose multiplicity is that of the one around times what follows; then its statements. */
static void open_block(emitter *e)
{
    e->depth++;
    put_indent(e);
    plussi_text_format(e->text, "const double times%" PRIu32 " = times%" PRIu32, e->depth,
                       e->depth - 1);
}

static void close_block(emitter *e, const plussi_body *body)
{
    put(e, ";\n");
    put_indent(e);
    plussi_text_format(e->text, "(void)times%" PRIu32 ";\n", e->depth);
    put_body(e, body);
    e->depth--;
    put_indent(e);
    put(e, "}");
}

static void put_loop(emitter *e, const plussi_node *loop)
{
    const int64_t step = loop->u.loop.step;
    put_indent(e);
    if (is_executed(loop)) {
        put(e, "for (int64_t ");
        put_iv(e, loop);
        put(e, " = ");
        put_expr(e, loop->u.loop.lo);
        put(e, "; ");
        put_iv(e, loop);
        put(e, step > 0 ? " < " : " > ");
        put_expr(e, loop->u.loop.hi);
        put(e, "; ");
        put_iv(e, loop);
        plussi_text_format(e->text, " += INT64_C(%" PRId64 ")) {\n", step);
        open_block(e);
    } else {
        put(e, "{\n");
        open_block(e);
        put(e, " * pluss_trips(");
        put_expr(e, step > 0 ? loop->u.loop.lo : loop->u.loop.hi);
        put(e, ", ");
        put_expr(e, step > 0 ? loop->u.loop.hi : loop->u.loop.lo);
        plussi_text_format(e->text, ", INT64_C(%" PRId64 "))", step > 0 ? step : -step);
    }
    close_block(e, &loop->body);
    put(e, "\n");
}

static void put_ways(emitter *e, const plussi_node *node)
{
    const bool guard = node->kind == PLUSSI_N_IF;
    put_indent(e);
    if (guard) {
        put(e, "if (");
        put_expr(e, node->u.branch.cond);
        put(e, ") ");
    }
    for (int other = 0; other < 2; other++) {
        if (other && !node->orelse.first)
            break;
        put(e, other && guard ? " else " : other ? "\n" : "");
        if (other && !guard)
            put_indent(e);
        put(e, "{\n");
        open_block(e);
        if (!guard) {
            put(e, other ? " * (1 - " : " * (");
            plussi_text_number(e->text, node->u.branch.probability);
            put(e, ")");
        }
        close_block(e, other ? &node->orelse : &node->body);
    }
    put(e, "\n");
}

static void put_body(emitter *e, const plussi_body *body)
{
    for (const plussi_node *n = body->first; n && e->text->status == PLUSS_OK; n = n->next)
        switch (n->kind) {
        case PLUSSI_N_LOOP:
            put_loop(e, n);
            break;
        case PLUSSI_N_IF:
        case PLUSSI_N_BRANCH:
            put_ways(e, n);
            break;
        case PLUSSI_N_REF:
            put_indent(e);
            plussi_text_format(e->text, "count[%" PRIu32 "] += times%" PRIu32 ";\n", e->n_refs++,
                               e->depth);
            break;
        case PLUSSI_N_UNKNOWN:
            e->unsupported = "code that is not described";
            break;
        default:
            put_body(e, &n->body);
            break;
        }
}

/* ---- the function -----------------------------------------------------------------------------
 */

static const char head[] =
    "/* SPDX-License-Identifier: MIT OR Apache-2.0 */\n"
    "#ifndef PLUSS_COUNTERS\n"
    "#define PLUSS_COUNTERS\n"
    "#include <stdint.h>\n"
    "\n"
    "static inline int64_t pluss_quotient(int64_t a, int64_t b) /* of integers, rounded down */\n"
    "{\n"
    "    return a / b - (a % b < 0);\n"
    "}\n"
    "\n"
    "static inline int64_t pluss_modulus(int64_t a, int64_t b)\n"
    "{\n"
    "    return a - b * pluss_quotient(a, b);\n"
    "}\n"
    "\n"
    "static inline int64_t pluss_least(int64_t a, int64_t b)\n"
    "{\n"
    "    return a < b ? a : b;\n"
    "}\n"
    "\n"
    "static inline int64_t pluss_most(int64_t a, int64_t b)\n"
    "{\n"
    "    return a > b ? a : b;\n"
    "}\n"
    "\n"
    "static inline double pluss_trips(int64_t from, int64_t to, int64_t step)\n"
    "{\n"
    "    return to > from ? (double)((to - from - 1) / step + 1) : 0;\n"
    "}\n"
    "#endif\n"
    "\n";

static const char *c_type(plussi_elem elem)
{
    switch (elem) {
    case PLUSSI_ELEM_I8:
        return "int8_t";
    case PLUSSI_ELEM_I16:
        return "int16_t";
    case PLUSSI_ELEM_I32:
        return "int32_t";
    case PLUSSI_ELEM_I64:
        return "int64_t";
    default:
        return NULL;
    }
}

static bool is_loaded(const plussi_expr *e, const plussi_array *array)
{
    if (!e)
        return false;
    bool is = e->kind == PLUSSI_E_LOAD && e->array == array;
    for (uint32_t i = 0; i < e->n_subs; i++)
        is |= is_loaded(e->subs[i], array);
    for (int i = 0; i < 3; i++)
        is |= is_loaded(e->a[i], array);
    return is;
}

/* Whether what decides how often code is executed loads from the array. */
static bool decides(const plussi_region *region, const plussi_array *array)
{
    bool is = is_loaded(region->repeat, array);
    for (plussi_node *n = plussi_nest_walk(&region->body, NULL); n && !is;
         n = plussi_nest_walk(&region->body, n))
        is = n->kind == PLUSSI_N_LOOP
                 ? is_loaded(n->u.loop.lo, array) || is_loaded(n->u.loop.hi, array)
                 : n->kind == PLUSSI_N_IF && is_loaded(n->u.branch.cond, array);
    return is;
}

static void put_parameters(emitter *e, const plussi_nest *nest)
{
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next) {
        if (s->value || (s->region && s->region != e->region))
            continue;
        put(e, "int64_t ");
        put_symbol(e, s);
        put(e, ", ");
    }
    for (const plussi_array *a = nest->first_array; a; a = a->next) {
        if (!decides(e->region, a))
            continue;
        if (!c_type(a->elem))
            e->unsupported = "an index array that does not hold integers";
        else
            plussi_text_format(e->text, "const %s *", c_type(a->elem));
        put_array(e, a);
        put(e, ", ");
    }
    put(e, "double *count)");
}

static uint32_t count_refs(const plussi_region *region)
{
    uint32_t n = 0;
    for (plussi_node *r = plussi_nest_walk(&region->body, NULL); r;
         r = plussi_nest_walk(&region->body, r))
        n += r->kind == PLUSSI_N_REF;
    return n;
}

static void put_list(emitter *e)
{
    uint32_t i = 0;
    for (plussi_node *n = plussi_nest_walk(&e->region->body, NULL); n;
         n = plussi_nest_walk(&e->region->body, n)) {
        if (n->kind != PLUSSI_N_REF)
            continue;
        plussi_text_format(e->text, " *   count[%" PRIu32 "]: %s ", i++,
                           n->u.ref.write ? "write" : "read");
        e->text->for_people = true;
        plussi_text_subscripted(e->text, n->u.ref.array, n->u.ref.n_subs, n->u.ref.subs);
        e->text->for_people = false;
        if (n->loc.line)
            plussi_text_format(e->text, ", line %" PRIu32, n->loc.line);
        put(e, "\n");
    }
}

const char *plussi_emit_counters(plussi_text *text, const plussi_nest *nest,
                                 const plussi_region *region)
{
    emitter e = {.text = text, .region = region};
    put(&e, head);
    put(&e, "/* How often one thread that executes all of ");
    plussi_text_word(text, region->name);
    put(&e, " executes each reference:\n");
    put_list(&e);
    put(&e, " * Branches that depend on other data count by their probabilities. */\nvoid ");
    for (int definition = 0; definition < 2; definition++) {
        plussi_text_word(text, region->name);
        put(&e, "_counters(");
        put_parameters(&e, nest);
        put(&e, definition ? "\n{\n" : ";\nvoid ");
    }
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next) {
        if (!s->value || (s->region && s->region != region))
            continue;
        put(&e, "    const int64_t ");
        put_symbol(&e, s);
        put(&e, " = ");
        put_expr(&e, s->value);
        put(&e, ";\n    (void)");
        put_symbol(&e, s);
        put(&e, ";\n");
    }
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
        if (!s->value && !(s->region && s->region != region)) {
            put(&e, "    (void)");
            put_symbol(&e, s);
            put(&e, ";\n");
        }
    put(&e, "    const double times0 = ");
    if (region->repeat) {
        put(&e, "(double)");
        put_expr(&e, region->repeat);
    } else {
        put(&e, "1");
    }
    put(&e, ";\n");
    plussi_text_format(text, "    for (int i = 0; i < %" PRIu32 "; i++)\n", count_refs(region));
    put(&e, "        count[i] = 0;\n");
    put_body(&e, &region->body);
    put(&e, "}\n");
    return e.unsupported;
}
