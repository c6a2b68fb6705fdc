/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Copies are made in the destination's arena and appended to its lists: nest-wide ones after its
 * nest-wide declarations, the regions' at the end. On any failure the links are restored; only
 * arena memory is lost until the nest is freed.
 */
#include <string.h>

#include "nest/copier.h"
#include "nest/equal.h"
#include "nest/names.h"

/* ---- the whole --------------------------------------------------------------------------------
 */

/* What the name of a nest-wide declaration means in dst, in *meaning; NULL: nothing. */
static bool look_up(plussi_names *names, const char *text, const plussi_meaning **meaning)
{
    plussi_name *name = plussi_names_intern(names, text, strlen(text), NULL);
    *meaning = name ? name->meaning : NULL;
    return name != NULL;
}

static bool push_name(plussi_names *names, const char *text, plussi_meaning_kind kind, void *object)
{
    plussi_name *name = plussi_names_intern(names, text, strlen(text), NULL);
    return name && plussi_names_push(names, name, kind, 0, object);
}

static bool push_globals(plussi_names *names, const plussi_nest *nest)
{
    bool ok = true;
    for (plussi_symbol *s = nest->first_symbol; ok && s && !s->region; s = s->next)
        ok = push_name(names, s->name, PLUSSI_MEANS_SYMBOL, s);
    for (plussi_array *a = nest->first_array; ok && a && !a->region; a = a->next)
        ok = push_name(names, a->name, PLUSSI_MEANS_ARRAY, a);
    return ok;
}

/* Finds the nest-wide declarations that dst already has. Reports every conflict. */
static pluss_status match_globals(plussi_copier *c, plussi_names *names)
{
    pluss_status status = PLUSS_OK;
    const plussi_meaning *meaning;
    for (const plussi_symbol *s = c->src->first_symbol; s && !s->region; s = s->next) {
        if (!look_up(names, s->name, &meaning))
            return PLUSS_ENOMEM;
        if (!meaning)
            continue;
        if (meaning->kind == PLUSSI_MEANS_SYMBOL && plussi_symbol_equal(meaning->u.symbol, s))
            c->symbols[s->id] = meaning->u.symbol;
        else
            status = plussi_fail(c->ctx, PLUSS_EINVALID, &s->loc,
                                 "found symbol '%s' again with another meaning", s->name);
    }
    for (const plussi_array *a = c->src->first_array; a && !a->region; a = a->next) {
        if (!look_up(names, a->name, &meaning))
            return PLUSS_ENOMEM;
        if (!meaning)
            continue;
        if (meaning->kind == PLUSSI_MEANS_ARRAY && plussi_array_equal(meaning->u.array, a))
            c->arrays[a->id] = meaning->u.array;
        else
            status = plussi_fail(c->ctx, PLUSS_EINVALID, &a->loc,
                                 "found array '%s' again with another meaning", a->name);
    }
    return status;
}

static void copy_all(plussi_copier *c)
{
    plussi_nest *dst = c->dst;
    const plussi_symbol *s = c->src->first_symbol;
    const plussi_array *a = c->src->first_array;
    for (; s && !s->region; s = s->next)
        if (!c->symbols[s->id])
            plussi_copy_symbol(c, s);
    for (; a && !a->region; a = a->next)
        if (!c->arrays[a->id])
            plussi_copy_array(c, a);
    for (const plussi_region *r = c->src->first_region; r && !dst->out_of_memory; r = r->next) {
        plussi_region *copy = plussi_nest_add_region(dst, r->name, r->loc);
        if (!copy)
            return;
        copy->text_loc = plussi_copy_text_loc(c, r->text_loc);
        copy->repeat = plussi_copy_expr(c, r->repeat);
        c->region = copy;
        for (; s && s->region == r; s = s->next)
            plussi_copy_symbol(c, s);
        for (; a && a->region == r; a = a->next)
            plussi_copy_array(c, a);
        plussi_copy_body(c, &r->body, &copy->body, NULL);
    }
}

/* The lists before the change, to be restored. In them the nest-wide declarations come first, so
 * that new ones are inserted in the middle. */
typedef struct links {
    plussi_nest nest;
    plussi_symbol *global_symbol, *after_symbol;
    plussi_array *global_array, *after_array;
} links;

static links remember_links(const plussi_nest *nest)
{
    links l = {.nest = *nest};
    l.after_symbol = nest->first_symbol;
    for (; l.after_symbol && !l.after_symbol->region; l.after_symbol = l.after_symbol->next)
        l.global_symbol = l.after_symbol;
    l.after_array = nest->first_array;
    for (; l.after_array && !l.after_array->region; l.after_array = l.after_array->next)
        l.global_array = l.after_array;
    return l;
}

static void put_back(plussi_nest *nest, const links *l)
{
    plussi_arena arena = nest->arena;
    *nest = l->nest;
    nest->arena = arena;
    if (l->global_symbol)
        l->global_symbol->next = l->after_symbol;
    if (nest->last_symbol)
        nest->last_symbol->next = NULL;
    if (l->global_array)
        l->global_array->next = l->after_array;
    if (nest->last_array)
        nest->last_array->next = NULL;
    if (nest->last_region)
        nest->last_region->next = NULL;
    plussi_nest_number(nest);
}

static pluss_status append_regions(plussi_copier *c)
{
    plussi_names names;
    plussi_names_init(&names, &c->ctx->mem);
    pluss_status status = push_globals(&names, c->dst) ? match_globals(c, &names) : PLUSS_ENOMEM;
    plussi_names_free(&names);
    if (status != PLUSS_OK)
        return status;
    links before = remember_links(c->dst);
    copy_all(c);
    status = plussi_nest_validate(c->ctx, c->dst);
    if (status != PLUSS_OK)
        put_back(c->dst, &before);
    return status;
}

pluss_status plussi_nest_append(plussi_ctx *ctx, plussi_nest *dst, const plussi_nest *src)
{
    if (dst == src)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a nest cannot be appended to itself");
    if (dst->out_of_memory || src->out_of_memory)
        return PLUSS_ENOMEM;
    plussi_nest_number(dst);
    plussi_copier c;
    pluss_status status = plussi_copier_init(&c, ctx, dst, src);
    if (!status)
        status = append_regions(&c);
    plussi_copier_free(&c);
    return status;
}
