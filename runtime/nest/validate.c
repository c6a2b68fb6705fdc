/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of the checks: the tree's links, so that everything after can walk it; then scope by
 * scope in the order of the text.
 */
#include "nest/validate_state.h"

#include <stdio.h>
#include <string.h>

#include "nest/words.h"

/* ---- reports ----------------------------------------------------------------------------------
 */

bool plussi_validate_fail(plussi_validator *v, pluss_status status, const plussi_loc *loc,
                          const char *format, ...)
{
    if (v->status == PLUSS_OK)
        v->status = status;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++) /* a builder's names can hold anything, a message is one line */
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    plussi_report(v->ctx, PLUSSI_ERROR, status, loc && loc->line ? loc : &v->where, "%s", text);
    return false;
}

const char *plussi_meaning_text(plussi_meaning_kind kind)
{
    static const char *const text[] = {"symbol", "array", "induction variable"};
    return text[kind];
}

bool plussi_validate_name(plussi_validator *v, const char *name, const plussi_loc *loc,
                          const char *what)
{
    if (!name || !*name)
        return plussi_validate_fail(v, PLUSS_EINVALID, loc, "found %s without a name", what);
    size_t length = strlen(name);
    if (length > PLUSSI_MAX_NAME)
        return plussi_validate_fail(
            v, PLUSS_ELIMIT, loc,
            "found %s with a name of %zu bytes, expected at most PLUSSI_MAX_NAME = %d", what,
            length, PLUSSI_MAX_NAME);
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f || *c == '`')
            return plussi_validate_fail(
                v, PLUSS_EINVALID, loc,
                "found byte 0x%02x in the name of %s, expected printable text without '`'",
                (unsigned char)*c, what);
    return true;
}

bool plussi_validate_visible(plussi_validator *v, const char *name, plussi_meaning_kind kind,
                             const void *object, const plussi_loc *loc)
{
    if (!name || !*name)
        return plussi_validate_fail(v, PLUSS_EINVALID, loc, "found a use of %s without a name",
                                    plussi_meaning_text(kind));
    plussi_name *entry = plussi_names_intern(&v->names, name, strlen(name), NULL);
    if (!entry) {
        v->status = PLUSS_ENOMEM;
        return false;
    }
    const plussi_meaning *meaning = entry->meaning;
    if (meaning && meaning->kind == kind && meaning->u.any == object)
        return true;
    if (meaning)
        return plussi_validate_fail(
            v, PLUSS_EINVALID, loc, "found %s '%.255s', which another %s of that name hides here",
            plussi_meaning_text(kind), name, plussi_meaning_text(meaning->kind));
    return plussi_validate_fail(v, PLUSS_EINVALID, loc,
                                "found %s '%.255s' outside of its scope, expected one declared "
                                "before this place",
                                plussi_meaning_text(kind), name);
}

/* ---- structure --------------------------------------------------------------------------------
 */

static bool over_limit(plussi_validator *v, const plussi_loc *loc, const char *what,
                       const char *name, long limit)
{
    return plussi_validate_fail(v, PLUSS_ELIMIT, loc,
                                "found more than %ld %s, expected at most %s = %ld", limit, what,
                                name, limit);
}

/* Links of a body; nodes counts them. Without them walks would not end. */
static bool check_links(plussi_validator *v, const plussi_body *body, const plussi_node *parent,
                        uint32_t depth, uint32_t *nodes)
{
    const plussi_node *last = NULL;
    for (const plussi_node *node = body->first; node; node = node->next) {
        if (++*nodes > PLUSSI_MAX_NODES)
            return over_limit(v, NULL, "statements", "PLUSSI_MAX_NODES", PLUSSI_MAX_NODES);
        if (depth > PLUSSI_MAX_DEPTH)
            return over_limit(v, &node->text_loc, "statements within each other",
                              "PLUSSI_MAX_DEPTH", PLUSSI_MAX_DEPTH);
        if (node->parent != parent)
            return plussi_validate_fail(
                v, PLUSS_EINVALID, &node->text_loc,
                "found a statement whose parent is not the one it stands in");
        if (!check_links(v, &node->body, node, depth + 1, nodes) ||
            !check_links(v, &node->orelse, node, depth + 1, nodes))
            return false;
        last = node;
    }
    if (body->last != last)
        return plussi_validate_fail(v, PLUSS_EINVALID, NULL,
                                    "found a block whose last statement is not its last");
    return true;
}

/* The place of a region or of what a builder made in it: in the text, else in the source. */
static void stand_at(plussi_validator *v, const plussi_region *region)
{
    v->where = !region ? (plussi_loc){0} : region->text_loc.line ? region->text_loc : region->loc;
}

static bool check_structure(plussi_validator *v)
{
    const plussi_nest *nest = v->nest;
    uint32_t regions = 0, symbols = 0, arrays = 0, nodes = 0;
    for (const plussi_region *r = nest->first_region; r; r = r->next) {
        stand_at(v, r);
        if (++regions > PLUSSI_MAX_REGIONS)
            return over_limit(v, NULL, "regions", "PLUSSI_MAX_REGIONS", PLUSSI_MAX_REGIONS);
        if (!check_links(v, &r->body, NULL, 1, &nodes))
            return false;
    }
    stand_at(v, NULL);
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
        if (++symbols > PLUSSI_MAX_SYMBOLS)
            return over_limit(v, &s->loc, "symbols", "PLUSSI_MAX_SYMBOLS", PLUSSI_MAX_SYMBOLS);
    for (const plussi_array *a = nest->first_array; a; a = a->next)
        if (++arrays > PLUSSI_MAX_ARRAYS)
            return over_limit(v, &a->loc, "arrays", "PLUSSI_MAX_ARRAYS", PLUSSI_MAX_ARRAYS);
    return true;
}

/* ---- scopes -----------------------------------------------------------------------------------
 */

static void declare_name(plussi_validator *v, plussi_meaning_kind kind, const char *name,
                         void *object, const plussi_loc *loc)
{
    uint32_t level = v->region != NULL;
    if (!plussi_validate_name(v, name, loc, kind == PLUSSI_MEANS_SYMBOL ? "a symbol" : "an array"))
        return;
    plussi_name *entry = plussi_names_intern(&v->names, name, strlen(name), NULL);
    if (entry && entry->meaning && entry->meaning->level == level)
        plussi_validate_fail(v, PLUSS_EINVALID, loc,
                             "found %s '%s' again, expected one declaration",
                             plussi_meaning_text(kind), name);
    if (!entry || !plussi_names_push(&v->names, entry, kind, level, object))
        v->status = PLUSS_ENOMEM;
}

/* The declarations of one scope: they follow each other in the numbered lists. */
static void check_declarations(plussi_validator *v, plussi_symbol **symbol, plussi_array **array)
{
    for (; *symbol && (*symbol)->region == v->region; *symbol = (*symbol)->next) {
        plussi_validate_symbol(v, *symbol); /* before its own name is known */
        declare_name(v, PLUSSI_MEANS_SYMBOL, (*symbol)->name, *symbol, &(*symbol)->loc);
    }
    for (; *array && (*array)->region == v->region; *array = (*array)->next) {
        plussi_validate_array(v, *array);
        declare_name(v, PLUSSI_MEANS_ARRAY, (*array)->name, *array, &(*array)->loc);
    }
}

static void check_scopes(plussi_validator *v)
{
    plussi_symbol *symbol = v->nest->first_symbol;
    plussi_array *array = v->nest->first_array;
    check_declarations(v, &symbol, &array);
    for (plussi_region *r = v->nest->first_region; r && v->status != PLUSS_ENOMEM; r = r->next) {
        size_t scope = v->names.depth;
        stand_at(v, r);
        plussi_validate_name(v, r->name, NULL, "a region");
        if (r->repeat) /* comes before the region's own declarations */
            plussi_validate_at_least(v, r->repeat, 0, 0, "the number of repetitions");
        v->region = r;
        check_declarations(v, &symbol, &array);
        plussi_validate_body(v, &r->body);
        v->region = NULL;
        plussi_names_pop(&v->names, scope);
    }
    stand_at(v, NULL);
    if (symbol)
        plussi_validate_fail(v, PLUSS_EINVALID, &symbol->loc,
                             "found symbol '%.255s' of a region that is not in the nest",
                             symbol->name ? symbol->name : "");
    if (array)
        plussi_validate_fail(v, PLUSS_EINVALID, &array->loc,
                             "found array '%.255s' of a region that is not in the nest",
                             array->name ? array->name : "");
}

pluss_status plussi_nest_validate(plussi_ctx *ctx, plussi_nest *nest)
{
    if (nest->out_of_memory)
        return PLUSS_ENOMEM;
    plussi_validator v = {
        .ctx = ctx, .nest = nest, .exprs_left = PLUSSI_MAX_TEXT, .status = PLUSS_OK};
    if (!check_structure(&v))
        return v.status;
    plussi_nest_number(nest);
    plussi_names_init(&v.names, &ctx->mem);
    check_scopes(&v);
    plussi_names_free(&v.names);
    return v.status;
}
