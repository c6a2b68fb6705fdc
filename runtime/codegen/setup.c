/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables and set-up code. Arrays are 2^46 bytes apart and threads' copies 2^34, so that no two
 * share a line unless the nest says so; arrays with an address are below all others, at that
 * address. Only the lines that accesses share matter, so this places arrays as binding does.
 */
#include "codegen/source.h"

#include <inttypes.h>

static void put_value(plussi_text *text, const plussi_symbol *symbol)
{
    /* a constant is a value that -D may replace */
    bool bound = symbol->value && symbol->value->kind == PLUSSI_E_INT;
    if (bound && symbol->value->value == INT64_MIN)
        plussi_emit(text, "-INT64_C(9223372036854775807) - 1");
    else
        plussi_emit(text, "%" PRId64, bound ? symbol->value->value : 0);
}

static bool is_derived(const plussi_symbol *symbol)
{
    return symbol->value && symbol->value->kind != PLUSSI_E_INT;
}

/* A line a symbol and a stride: "    int64_t ni_0;", "    ni_0: i64,". */
static void emit_members(plussi_text *text, const plussi_nest *nest, const char *before,
                         const char *after)
{
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next) {
        plussi_text_puts(text, before);
        plussi_emit_symbol(text, s);
        plussi_text_puts(text, after);
    }
    for (const plussi_array *a = nest->first_array; a; a = a->next)
        for (uint32_t k = 0; k < a->rank; k++)
            plussi_emit(text, "%sstride_%u_%u%s", before, a->id, k, after);
}

static void emit_types(plussi_text *text, const plussi_dialect *d, const plussi_nest *nest)
{
    plussi_emit(text, d->is_rust ? "struct Symbols {\n" : "struct symbols {\n");
    if (d->is_rust) {
        emit_members(text, nest, "    ", ": i64,\n");
        plussi_emit(text, "    base: [i64; N_ARRAYS],\n    touches: [u64; N_REFS],\n}\n\n");
    } else {
        emit_members(text, nest, "    int64_t ", ";\n");
        plussi_emit(text,
                    "    int64_t base[N_ARRAYS + 1];\n    uint64_t touches[N_REFS + 1];\n};\n\n");
    }
}

/* given[] says which symbols have a value; the names for -D in its order */
static void emit_names(plussi_text *text, const plussi_dialect *d, const plussi_nest *nest)
{
    plussi_emit(text, d->is_rust ? "const SYMBOLS: [(&str, &str, bool); N_SYMBOLS] = [\n"
                                 : "static const struct { const char *region, *name; bool bound; } "
                                   "symbol_names[N_SYMBOLS + 1] = {\n");
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next) {
        plussi_emit(text, d->is_rust ? "    (" : "    {");
        plussi_emit_string(text, s->region ? s->region->name : "");
        plussi_emit(text, ", ");
        plussi_emit_string(text, s->name);
        plussi_emit(text, ", %s%s,\n", s->value ? "true" : "false", d->is_rust ? ")" : "}");
    }
    plussi_emit(text, d->is_rust ? "];\n\n" : "    {0, 0, false}};\n\n");
    plussi_emit(text, d->is_rust ? "const REFS: [(&str, u64); N_REFS] = [\n"
                                 : "static const struct { const char *text; uint64_t width; } "
                                   "refs[N_REFS + 1] = {\n");
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *n = plussi_nest_walk(&r->body, NULL); n;
             n = plussi_nest_walk(&r->body, n)) {
            if (n->kind != PLUSSI_N_REF)
                continue;
            char *name = NULL;
            if (plussi_ref_print(text->ctx, n, &name) != PLUSS_OK) {
                text->status = PLUSS_ENOMEM;
                return;
            }
            uint64_t width = n->u.ref.width
                                 ? n->u.ref.width
                                 : n->u.ref.array->elem_bytes - (uint64_t)n->u.ref.offset;
            plussi_emit(text, d->is_rust ? "    (" : "    {");
            plussi_emit_string(text, name);
            plussi_emit(text, ", %" PRIu64 "%s,\n", width, d->is_rust ? ")" : "}");
            plussi_free(&text->ctx->mem, name);
        }
    plussi_emit(text, d->is_rust ? "];\n\n" : "    {0, 0}};\n\n");
}

static void emit_defaults(plussi_text *text, const plussi_dialect *d, const plussi_nest *nest)
{
    plussi_emit(text, d->is_rust ? "/// Values that the nest itself gives.\n"
                                   "const DEFAULTS: [i64; N_SYMBOLS] = ["
                                 : "/* Values that the nest itself gives. */\n"
                                   "static const int64_t defaults[N_SYMBOLS + 1] = {");
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next) {
        if (d->is_rust && s->value && s->value->kind == PLUSSI_E_INT &&
            s->value->value == INT64_MIN)
            plussi_emit(text, "i64::MIN");
        else
            put_value(text, s);
        plussi_emit(text, ", ");
    }
    plussi_emit(text, d->is_rust ? "];\n\n" : "0};\n\n");
}

/* extent[k] of the slowest dimension is never needed for a stride */
static void emit_strides(plussi_text *text, const plussi_dialect *d, const plussi_array *a)
{
    const char *s = d->is_rust ? "s." : "s->";
    for (uint32_t n = 0; n < a->rank; n++) {
        uint32_t k = a->column_order ? n : a->rank - 1 - n; /* fastest first */
        plussi_emit(text, "    %sstride_%u_%u = ", s, a->id, k);
        if (a->strides) {
            plussi_emit_expr(text, d, a->strides[k], true);
            plussi_emit(text, " * %" PRIu64, a->elem_bytes);
        } else if (n == 0) {
            plussi_emit(text, "%" PRIu64, a->elem_bytes);
        } else {
            uint32_t faster = a->column_order ? k - 1 : k + 1;
            plussi_emit(text, "%sstride_%u_%u * ", s, a->id, faster);
            if (a->extents[faster])
                plussi_emit_expr(text, d, a->extents[faster], true);
            else
                plussi_emit(text, "1");
        }
        plussi_emit(text, ";\n");
    }
}

static void emit_base(plussi_text *text, const plussi_dialect *d, const plussi_array *a)
{
    const char *s = d->is_rust ? "s." : "s->";
    plussi_emit(text, "    %sbase[%u] = ", s, a->id);
    if (a->base_kind == PLUSSI_BASE_OVER)
        plussi_emit(text, "%sbase[%u]", s, a->over->id);
    else if (a->base_kind == PLUSSI_BASE_ADDRESS)
        plussi_emit(text, "0");
    else
        plussi_emit(text, "%u * FAR", a->id + 1);
    if (a->base) {
        plussi_emit(text, " + ");
        plussi_emit_expr(text, d, a->base, true);
    }
    plussi_emit(text, ";\n");
}

/* The rule of bound.h: gcd of the line and the strides decides whether an access can straddle. */
static void emit_touches(plussi_text *text, const plussi_dialect *d, const plussi_node *ref)
{
    const plussi_array *a = ref->u.ref.array;
    const char *s = d->is_rust ? "s." : "s->";
    uint64_t width =
        ref->u.ref.width ? ref->u.ref.width : a->elem_bytes - (uint64_t)ref->u.ref.offset;
    plussi_emit(text, "    %stouches[%u] = touches_of(line, ", s, ref->id);
    for (uint32_t k = 0; k < a->rank; k++)
        plussi_emit(text, "common(%sstride_%u_%u, ", s, a->id, k);
    plussi_emit(text, "line");
    for (uint32_t k = 0; k < a->rank; k++)
        plussi_emit(text, ")");
    plussi_emit(text, ", %sbase[%u] + (%" PRId64 "), %" PRIu64 ");\n", s, a->id, ref->u.ref.offset,
                width);
}

void plussi_emit_setup(plussi_text *text, const plussi_dialect *d, const plussi_nest *nest)
{
    if (d->is_rust)
        plussi_emit(text,
                    "const N_SYMBOLS: usize = %u;\nconst N_ARRAYS: usize = %u;\n"
                    "const N_REFS: usize = %u;\n\n",
                    nest->n_symbols, nest->n_arrays, nest->n_refs);
    else
        plussi_emit(text, "enum { N_SYMBOLS = %u, N_ARRAYS = %u, N_REFS = %u };\n\n",
                    nest->n_symbols, nest->n_arrays, nest->n_refs);
    emit_types(text, d, nest);
    emit_names(text, d, nest);
    emit_defaults(text, d, nest);
    plussi_emit(text, d->is_rust
                          ? "/// What follows from the symbols' values.\n#[allow(unused_mut)]\n"
                            "fn set_up(value: &[i64; N_SYMBOLS], given: &[bool; N_SYMBOLS], line: "
                            "i64) -> Symbols {\n    let _ = (value, given, line);\n"
                            "    let mut s = Symbols {\n"
                          : "/* What follows from the symbols' values. */\n"
                            "static void set_up(struct symbols *s, const int64_t *value, const "
                            "bool *given, int64_t line)\n{\n    (void)s, (void)value, (void)given, "
                            "(void)line;\n");
    if (d->is_rust) {
        emit_members(text, nest, "        ", ": 0,\n");
        plussi_emit(text, "        base: [0; N_ARRAYS],\n        touches: [0; N_REFS],\n    };\n");
    }
    const char *s = d->is_rust ? "s." : "s->";
    for (const plussi_symbol *symbol = nest->first_symbol; symbol; symbol = symbol->next) {
        plussi_emit(text, "    %s", s);
        plussi_emit_symbol(text, symbol);
        plussi_emit(text, " = ");
        if (is_derived(symbol)) {
            plussi_emit(text,
                        d->is_rust ? "if given[%u] { value[%u] } else { "
                                   : "given[%u] ? value[%u] : ",
                        symbol->id, symbol->id);
            plussi_emit_expr(text, d, symbol->value, true);
            plussi_emit(text, d->is_rust ? " };\n" : ";\n");
        } else {
            plussi_emit(text, "value[%u];\n", symbol->id);
        }
    }
    for (const plussi_array *a = nest->first_array; a; a = a->next) {
        emit_strides(text, d, a);
        emit_base(text, d, a);
    }
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *n = plussi_nest_walk(&r->body, NULL); n;
             n = plussi_nest_walk(&r->body, n))
            if (n->kind == PLUSSI_N_REF)
                emit_touches(text, d, n);
    plussi_emit(text, d->is_rust ? "    s\n}\n\n" : "}\n\n");
    /* bases as a thread sees them */
    plussi_emit(text, d->is_rust ? "fn own_bases(s: &Symbols, thread: i64) -> [i64; N_ARRAYS] {\n"
                                   "    #[allow(unused_mut)]\n    let mut base = s.base;\n"
                                   "    let _ = thread;\n"
                                 : "static void own_bases(const struct symbols *s, int64_t *base, "
                                   "int64_t thread)\n{\n    memcpy(base, s->base, sizeof "
                                   "s->base);\n    (void)thread;\n");
    for (const plussi_array *a = nest->first_array; a; a = a->next) {
        const plussi_array *root = a;
        while (root->base_kind == PLUSSI_BASE_OVER)
            root = root->over;
        if (root->is_private || a->is_private)
            plussi_emit(text, "    base[%u] += (thread + 1) * NEAR;\n", a->id);
    }
    plussi_emit(text, d->is_rust ? "    base\n}\n\n" : "}\n\n");
}
