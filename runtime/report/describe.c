/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/describe.h"

#include <stdio.h>
#include <string.h>

typedef struct bindings {
    const plussi_binding *binding;
    size_t n;
} bindings;

enum { NAMED_REGIONS = 4 };

/* "a", "a+b", "a+b+c+d+9 more". */
static char *program_name(plussi_ctx *ctx, const plussi_nest *nest)
{
    size_t room = 32, used = 0;
    uint32_t n = 0;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        room += n++ < NAMED_REGIONS ? strlen(r->name) + 1 : 0;
    char *name = plussi_calloc(&ctx->mem, room, 1);
    n = 0;
    for (const plussi_region *r = nest->first_region; name && r; r = r->next, n++)
        if (n < NAMED_REGIONS)
            used += (size_t)snprintf(name + used, room - used, n ? "+%s" : "%s", r->name);
    if (name && n > NAMED_REGIONS)
        snprintf(name + used, room - used, "+%u more", n - NAMED_REGIONS);
    return name;
}

/* Whether it is a number as in the text form: 5, -5. */
static bool is_constant(const plussi_expr *e, int64_t *value)
{
    bool negative = e && e->kind == PLUSSI_E_NEG;
    if (negative)
        e = e->a[0];
    if (!e || e->kind != PLUSSI_E_INT || (negative && e->value == INT64_MIN))
        return false;
    *value = negative ? -e->value : e->value;
    return true;
}

/* Whether a binding names the symbol, as "name" or "region.name". */
static bool is_given(const bindings *given, const plussi_symbol *symbol)
{
    for (size_t i = 0; i < given->n; i++) {
        const char *name = given->binding[i].name;
        if (strcmp(name, symbol->name) == 0)
            return true;
        size_t length = symbol->region ? strlen(symbol->region->name) : 0;
        if (length && strncmp(name, symbol->region->name, length) == 0 && name[length] == '.' &&
            strcmp(name + length + 1, symbol->name) == 0)
            return true;
    }
    return false;
}

/* The plain name, or "region.symbol" if several symbols have it. */
static char *symbol_name(plussi_ctx *ctx, const plussi_nest *nest, const plussi_symbol *symbol)
{
    bool alone = true;
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
        alone = alone && (s == symbol || strcmp(s->name, symbol->name) != 0);
    if (alone || !symbol->region)
        return plussi_strndup(&ctx->mem, symbol->name, strlen(symbol->name));
    size_t room = strlen(symbol->region->name) + strlen(symbol->name) + 2;
    char *name = plussi_alloc(&ctx->mem, room, 1);
    if (name)
        snprintf(name, room, "%s.%s", symbol->region->name, symbol->name);
    return name;
}

/* Notes the values of symbols that are bound or have a number in the text; the others are derived
 * or unused. */
static pluss_status note_values(plussi_ctx *ctx, const plussi_bound *bound, const bindings *given,
                                plussi_curve *curve)
{
    curve->id.values = plussi_calloc(&ctx->mem, bound->nest->n_symbols, sizeof *curve->id.values);
    if (!curve->id.values)
        return PLUSS_ENOMEM;
    for (const plussi_symbol *s = bound->nest->first_symbol; s; s = s->next) {
        plussi_value *value = &curve->id.values[curve->id.n_values];
        if (is_given(given, s))
            value->value = bound->symbol[s->id];
        else if (!is_constant(s->value, &value->value))
            continue;
        value->name = symbol_name(ctx, bound->nest, s);
        if (!value->name)
            return PLUSS_ENOMEM;
        curve->id.n_values++;
    }
    return PLUSS_OK;
}

static uint32_t count_unknowns(const plussi_nest *nest)
{
    uint32_t n = 0;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            n += node->kind == PLUSSI_N_UNKNOWN;
    return n;
}

pluss_status plussi_curve_describe(plussi_ctx *ctx, const plussi_bound *bound,
                                   const plussi_binding *binding, size_t n_bindings,
                                   plussi_curve *curve)
{
    const bindings given = {binding, n_bindings};
    const plussi_region *region = bound->nest->first_region;
    curve->id.team = bound->team;
    curve->id.line_bytes = bound->line_bytes;
    curve->id.line = region ? region->loc.line : 0;
    curve->id.unknowns = count_unknowns(bound->nest);
    curve->id.region = program_name(ctx, bound->nest);
    if (!curve->id.region)
        return PLUSS_ENOMEM;
    if (region && region->loc.file) {
        curve->id.file = plussi_strndup(&ctx->mem, region->loc.file, strlen(region->loc.file));
        if (!curve->id.file)
            return PLUSS_ENOMEM;
    }
    return note_values(ctx, bound, &given, curve);
}
