/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Declarations of symbols and arrays.
 */
#include "nest/parse_state.h"

#include <string.h>

/* ---- symbols ----------------------------------------------------------------------------------
 */

static bool parse_symbol(plussi_parser *p)
{
    if (p->nest->n_symbols == PLUSSI_MAX_SYMBOLS)
        return plussi_parse_over_limit(p, "symbols", "PLUSSI_MAX_SYMBOLS", PLUSSI_MAX_SYMBOLS);
    plussi_loc loc = p->tok.loc;
    plussi_name *name = plussi_parse_name(p, "the symbol's name");
    if (!name)
        return false;
    plussi_symbol *symbol = plussi_nest_add_symbol(p->nest, p->region, name->text, NULL);
    if (!symbol)
        return plussi_parse_no_memory(p);
    symbol->loc = loc;
    bool ok = true;
    if (plussi_parse_accept_word(p, PLUSSI_KW_IS)) {
        symbol->origin = plussi_parse_string(p, "a string, the source expression");
        ok = symbol->origin != NULL;
    }
    if (ok && plussi_parse_accept(p, PLUSSI_TOK_GE))
        ok = plussi_parse_integer(p, "the least value", &symbol->least);
    if (ok && plussi_parse_accept(p, '=')) {
        symbol->value = plussi_parse_expr(p);
        ok = symbol->value != NULL;
    }
    /* declared even if its value is faulty */
    return plussi_parse_declare(p, name, PLUSSI_MEANS_SYMBOL, p->region != NULL, symbol) && ok;
}

/* ---- arrays -----------------------------------------------------------------------------------
 */

static bool parse_element(plussi_parser *p, plussi_elem *elem, uint64_t *bytes)
{
    static const char what[] = "an element type (f64, i32, ... or b<bytes>)";
    if (p->tok.kind != PLUSSI_TOK_NAME)
        return plussi_parse_expected(p, what);
    int known = plussi_elem_of(p->tok.start, p->tok.length);
    *elem = known >= 0 ? (plussi_elem)known : PLUSSI_ELEM_BYTES;
    *bytes = plussi_elem_bytes(*elem);
    if (known < 0) {
        const char *digits = p->tok.start + 1, *end = p->tok.start + p->tok.length;
        if (*p->tok.start != 'b' || digits == end || *digits == '0')
            return plussi_parse_expected(p, what);
        for (; digits < end; digits++) {
            if (*digits < '0' || *digits > '9' || *bytes > INT64_MAX / 10 - 1)
                return plussi_parse_expected(p, what);
            *bytes = *bytes * 10 + (uint64_t)(*digits - '0');
        }
    }
    plussi_parse_next(p);
    return true;
}

static bool parse_extents(plussi_parser *p, plussi_array *array)
{
    plussi_expr *extent[PLUSSI_MAX_RANK];
    uint32_t n = 0;
    while (plussi_parse_accept(p, '[')) {
        if (n == PLUSSI_MAX_RANK)
            return plussi_parse_over_limit(p, "dimensions", "PLUSSI_MAX_RANK", PLUSSI_MAX_RANK);
        extent[n] = NULL;
        if (p->tok.kind != ']' && !(extent[n] = plussi_parse_expr(p)))
            return false;
        if (!plussi_parse_expect(p, ']', "']'"))
            return false;
        n++;
    }
    array->extents = plussi_expr_vec(p->nest, n);
    if (!array->extents)
        return plussi_parse_no_memory(p);
    if (n)
        memcpy(array->extents, extent, n * sizeof *extent);
    array->rank = n;
    return true;
}

/* "(item, ...)", `read` reads number n of them. False: a fault that ends the declaration. */
static bool parse_by_dimension(plussi_parser *p, plussi_array *array, const char *what,
                               bool (*read)(plussi_parser *p, plussi_array *array, uint32_t n))
{
    plussi_loc loc = p->tok.loc;
    uint32_t n = 0;
    if (!plussi_parse_expect(p, '(', "'('"))
        return false;
    do {
        if (!read(p, array, n++))
            return false;
    } while (plussi_parse_accept(p, ','));
    if (!plussi_parse_expect(p, ')', "',' or ')'"))
        return false;
    if (n != array->rank) /* continues with the next attribute */
        plussi_parse_fail(p, PLUSS_EPARSE, &loc, "found %u %s%s, expected %u, one a dimension", n,
                          what, n == 1 ? "" : "s", array->rank);
    return true;
}

static bool read_stride(plussi_parser *p, plussi_array *array, uint32_t n)
{
    plussi_expr *stride = plussi_parse_expr(p);
    if (stride && n < array->rank)
        array->strides[n] = stride;
    return stride != NULL;
}

static bool parse_strides(plussi_parser *p, plussi_array *array)
{
    array->strides = plussi_expr_vec(p->nest, array->rank);
    return array->strides ? parse_by_dimension(p, array, "stride", read_stride)
                          : plussi_parse_no_memory(p);
}

static bool read_lower(plussi_parser *p, plussi_array *array, uint32_t n)
{
    int64_t lower;
    const bool good = plussi_parse_integer(p, "an integer", &lower);
    if (good && n < array->rank)
        array->lower[n] = lower;
    return good;
}

static bool parse_lower(plussi_parser *p, plussi_array *array)
{
    array->lower = plussi_arena_alloc(&p->nest->arena, array->rank, sizeof *array->lower);
    return array->lower ? parse_by_dimension(p, array, "lower bound", read_lower)
                        : plussi_parse_no_memory(p);
}

static bool parse_values(plussi_parser *p, plussi_array *array)
{
    if (!plussi_parse_expect(p, '(', "'('"))
        return false;
    const plussi_mem *mem = &p->ctx->mem;
    int64_t *values = NULL;
    size_t n = 0, cap = 0;
    bool ok = true;
    if (p->tok.kind != ')') {
        do {
            if (n == PLUSSI_MAX_VALUES)
                ok = plussi_parse_over_limit(p, "values", "PLUSSI_MAX_VALUES", PLUSSI_MAX_VALUES);
            else if (plussi_grow(mem, &values, &cap, n, sizeof *values) != PLUSS_OK)
                ok = plussi_parse_no_memory(p);
            else
                ok = plussi_parse_integer(p, "an integer", &values[n++]);
        } while (ok && plussi_parse_accept(p, ','));
    }
    ok = ok && plussi_parse_expect(p, ')', "',' or ')'");
    if (ok) {
        array->has_values = true;
        array->n_values = n;
        array->values = plussi_arena_alloc(&p->nest->arena, n, sizeof *values);
        if (!array->values)
            ok = plussi_parse_no_memory(p);
        else if (n)
            memcpy(array->values, values, n * sizeof *values);
    }
    plussi_free(mem, values);
    return ok;
}

/* A base of 0 is represented as none, as everywhere. */
static bool parse_base_bytes(plussi_parser *p, plussi_array *array)
{
    plussi_expr *base = plussi_parse_expr(p);
    array->base = base && base->kind == PLUSSI_E_INT && base->value == 0 ? NULL : base;
    return base != NULL;
}

static bool parse_base(plussi_parser *p, plussi_array *array, plussi_base_kind kind)
{
    array->base_kind = kind;
    if (!plussi_parse_expect(p, '(', "'('"))
        return false;
    return parse_base_bytes(p, array) && plussi_parse_expect(p, ')', "')'");
}

static bool parse_over(plussi_parser *p, plussi_array *array)
{
    array->base_kind = PLUSSI_BASE_OVER;
    array->over = plussi_parse_array(p);
    if (!array->over)
        return false;
    if (!plussi_parse_accept(p, '+'))
        return true;
    return parse_base_bytes(p, array);
}

static bool reject_second(plussi_parser *p, const plussi_token *word)
{
    char room[PLUSSI_TOKEN_SHOWN];
    return plussi_parse_fail(p, PLUSS_EPARSE, &word->loc, "found %s again, expected it once",
                             plussi_token_show(word, room));
}

/* Known by its place: sources have variables of that name. */
static bool is_lower(const plussi_token *word)
{
    static const char lower[] = "lower";
    return word->kind == PLUSSI_TOK_NAME && word->length == sizeof lower - 1 &&
           memcmp(word->start, lower, sizeof lower - 1) == 0;
}

/* One attribute. false: an error, or (*end) none is left. */
static bool parse_attribute(plussi_parser *p, plussi_array *array, bool *end)
{
    plussi_token word = p->tok;
    plussi_keyword keyword = word.kind == PLUSSI_TOK_NAME ? word.keyword : PLUSSI_KW_NONE;
    bool again = false;
    if (is_lower(&word)) {
        if (array->lower)
            return reject_second(p, &word);
        plussi_parse_next(p);
        return parse_lower(p, array);
    }
    switch (keyword) {
    case PLUSSI_KW_STRIDE:
        again = array->strides != NULL;
        break;
    case PLUSSI_KW_COLUMN:
        again = array->column_order;
        break;
    case PLUSSI_KW_PRIVATE:
        again = array->is_private;
        break;
    case PLUSSI_KW_OFFSET:
    case PLUSSI_KW_ADDRESS:
    case PLUSSI_KW_OVER:
        if (array->base_kind != PLUSSI_BASE_FREE)
            return plussi_parse_expected(p, "one of offset, address and over");
        break;
    case PLUSSI_KW_ALIAS:
        again = array->alias != NULL;
        break;
    case PLUSSI_KW_VALUES:
        again = array->has_values;
        break;
    default:
        *end = true;
        return false;
    }
    if (again)
        return reject_second(p, &word);
    plussi_parse_next(p);
    switch (keyword) {
    case PLUSSI_KW_STRIDE:
        return parse_strides(p, array);
    case PLUSSI_KW_COLUMN:
        return array->column_order = true;
    case PLUSSI_KW_PRIVATE:
        return array->is_private = true;
    case PLUSSI_KW_OFFSET:
        return parse_base(p, array, PLUSSI_BASE_OFFSET);
    case PLUSSI_KW_ADDRESS:
        return parse_base(p, array, PLUSSI_BASE_ADDRESS);
    case PLUSSI_KW_OVER:
        return parse_over(p, array);
    case PLUSSI_KW_ALIAS: {
        plussi_name *group = plussi_parse_name(p, "the name of an alias group");
        array->alias = group ? group->text : NULL;
        return group != NULL;
    }
    default:
        return parse_values(p, array);
    }
}

static bool parse_declarator(plussi_parser *p, plussi_elem elem, uint64_t bytes)
{
    if (p->nest->n_arrays == PLUSSI_MAX_ARRAYS)
        return plussi_parse_over_limit(p, "arrays", "PLUSSI_MAX_ARRAYS", PLUSSI_MAX_ARRAYS);
    plussi_loc loc = p->tok.loc;
    plussi_name *name = plussi_parse_name(p, "the array's name");
    if (!name)
        return false;
    plussi_array *array = plussi_nest_add_array(p->nest, p->region, name->text, elem, bytes, 0);
    if (!array)
        return plussi_parse_no_memory(p);
    array->loc = loc;
    bool ok = parse_extents(p, array), end = false;
    while (ok && !end)
        ok = parse_attribute(p, array, &end);
    return plussi_parse_declare(p, name, PLUSSI_MEANS_ARRAY, p->region != NULL, array) &&
           (ok || end);
}

bool plussi_parse_declaration(plussi_parser *p)
{
    if (plussi_parse_accept_word(p, PLUSSI_KW_SYMBOL)) {
        do {
            if (!parse_symbol(p))
                return false;
        } while (plussi_parse_accept(p, ','));
        return true;
    }
    plussi_parse_next(p); /* 'array' */
    plussi_elem elem;
    uint64_t bytes = 0;
    if (!parse_element(p, &elem, &bytes))
        return false;
    do {
        if (!parse_declarator(p, elem, bytes))
            return false;
    } while (plussi_parse_accept(p, ','));
    return true;
}
