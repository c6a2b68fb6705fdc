/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest/nest.h"

#include <string.h>

pluss_status plussi_nest_new(plussi_ctx *ctx, plussi_nest **out)
{
    plussi_nest *nest = plussi_calloc(&ctx->mem, 1, sizeof *nest);
    if (!nest)
        return PLUSS_ENOMEM;
    plussi_arena_init(&nest->arena, &ctx->mem);
    *out = nest;
    return PLUSS_OK;
}

void plussi_nest_free(plussi_nest *nest)
{
    if (!nest)
        return;
    plussi_mem mem = nest->arena.mem;
    plussi_arena_free(&nest->arena);
    plussi_free(&mem, nest);
}

static void *take_memory(plussi_nest *nest, size_t n, size_t size)
{
    if (!nest)
        return NULL;
    void *piece = plussi_arena_alloc(&nest->arena, n, size);
    if (!piece)
        nest->out_of_memory = true;
    return piece;
}

const char *plussi_nest_string(plussi_nest *nest, const char *s)
{
    if (!nest || !s)
        return NULL;
    size_t length = strlen(s);
    char *copy = take_memory(nest, length + 1, 1);
    return copy ? memcpy(copy, s, length) : NULL;
}

/* ---- declarations ---------------------------------------------------------------------------- */

plussi_symbol *plussi_nest_add_symbol(plussi_nest *nest, plussi_region *region, const char *name,
                                      plussi_expr *value)
{
    const char *copy = plussi_nest_string(nest, name);
    plussi_symbol *symbol = copy ? take_memory(nest, 1, sizeof *symbol) : NULL;
    if (!symbol)
        return NULL;
    symbol->name = copy;
    symbol->value = value;
    symbol->least = INT64_MIN;
    symbol->region = region;
    if (nest->last_symbol)
        nest->last_symbol->next = symbol;
    else
        nest->first_symbol = symbol;
    nest->last_symbol = symbol;
    symbol->id = nest->n_symbols++;
    return symbol;
}

plussi_array *plussi_nest_add_array(plussi_nest *nest, plussi_region *region, const char *name,
                                    plussi_elem elem, uint64_t elem_bytes, uint32_t rank)
{
    const char *copy = plussi_nest_string(nest, name);
    plussi_expr **extents = copy ? plussi_expr_vec(nest, rank) : NULL;
    plussi_array *array = extents ? take_memory(nest, 1, sizeof *array) : NULL;
    if (!array)
        return NULL;
    array->name = copy;
    array->elem = elem;
    array->elem_bytes = elem == PLUSSI_ELEM_BYTES ? elem_bytes : plussi_elem_bytes(elem);
    array->rank = rank;
    array->extents = extents;
    array->region = region;
    if (nest->last_array)
        nest->last_array->next = array;
    else
        nest->first_array = array;
    nest->last_array = array;
    array->id = nest->n_arrays++;
    return array;
}

plussi_region *plussi_nest_add_region(plussi_nest *nest, const char *name, plussi_loc loc)
{
    const char *copy = plussi_nest_string(nest, name);
    plussi_region *region = copy ? take_memory(nest, 1, sizeof *region) : NULL;
    if (!region)
        return NULL;
    region->name = copy;
    region->loc = loc;
    region->loc.file = plussi_nest_string(nest, loc.file);
    if (nest->last_region)
        nest->last_region->next = region;
    else
        nest->first_region = region;
    nest->last_region = region;
    region->id = nest->n_regions++;
    return region;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

plussi_node *plussi_nest_add_node(plussi_nest *nest, plussi_body *body, plussi_node *parent,
                                  plussi_node_kind kind, plussi_loc loc)
{
    plussi_node *node = body ? take_memory(nest, 1, sizeof *node) : NULL;
    if (!node)
        return NULL;
    node->kind = kind;
    node->loc = loc;
    node->loc.file = plussi_nest_string(nest, loc.file);
    node->parent = parent;
    if (kind == PLUSSI_N_LOOP) {
        node->u.loop.step = 1;
        node->u.loop.collapse = 1;
    }
    if (body->last)
        body->last->next = node;
    else
        body->first = node;
    body->last = node;
    nest->n_nodes++;
    return node;
}

plussi_loc plussi_node_place(const plussi_node *node, const plussi_region *region)
{
    plussi_loc loc = node->loc.line ? node->loc : node->text_loc;
    if (node->loc.line && !loc.file && region)
        loc.file = region->loc.file;
    return loc;
}

plussi_node *plussi_nest_walk(const plussi_body *root_body, plussi_node *node)
{
    if (!node)
        return root_body->first;
    if (node->body.first)
        return node->body.first;
    if (node->orelse.first)
        return node->orelse.first;
    while (!node->next) {
        plussi_node *parent = node->parent;
        if (!parent || root_body == &parent->body || root_body == &parent->orelse)
            return NULL;
        if (node == parent->body.last && parent->orelse.first)
            return parent->orelse.first;
        node = parent;
    }
    return node->next;
}

bool plussi_nest_declares(const plussi_nest *nest, const char *name)
{
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return true;
    for (const plussi_array *a = nest->first_array; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return true;
    return false;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static plussi_expr *new_expr(plussi_nest *nest, plussi_expr_kind kind)
{
    plussi_expr *expr = take_memory(nest, 1, sizeof *expr);
    if (expr)
        expr->kind = kind;
    return expr;
}

plussi_expr *plussi_expr_int(plussi_nest *nest, int64_t value)
{
    plussi_expr *expr = new_expr(nest, PLUSSI_E_INT);
    if (expr)
        expr->value = value;
    return expr;
}

plussi_expr *plussi_expr_symbol(plussi_nest *nest, plussi_symbol *symbol)
{
    plussi_expr *expr = symbol ? new_expr(nest, PLUSSI_E_SYMBOL) : NULL;
    if (expr)
        expr->symbol = symbol;
    return expr;
}

plussi_expr *plussi_expr_iv(plussi_nest *nest, plussi_node *loop)
{
    plussi_expr *expr = loop ? new_expr(nest, PLUSSI_E_IV) : NULL;
    if (expr)
        expr->loop = loop;
    return expr;
}

uint32_t plussi_expr_arity(plussi_expr_kind kind)
{
    switch (kind) {
    case PLUSSI_E_INT:
    case PLUSSI_E_SYMBOL:
    case PLUSSI_E_IV:
    case PLUSSI_E_THREAD:
    case PLUSSI_E_TEAM:
    case PLUSSI_E_LOAD:
        return 0;
    case PLUSSI_E_NEG:
    case PLUSSI_E_NOT:
        return 1;
    case PLUSSI_E_SELECT:
        return 3;
    default:
        return 2;
    }
}

bool plussi_expr_is_condition(plussi_expr_kind kind)
{
    return kind >= PLUSSI_E_LT && kind <= PLUSSI_E_NOT;
}

plussi_expr *plussi_expr_op(plussi_nest *nest, plussi_expr_kind kind, plussi_expr *a,
                            plussi_expr *b, plussi_expr *c)
{
    uint32_t arity = plussi_expr_arity(kind);
    if ((arity > 0 && !a) || (arity > 1 && !b) || (arity > 2 && !c))
        return NULL;
    if (kind == PLUSSI_E_NEG && a->kind == PLUSSI_E_INT && a->value != INT64_MIN)
        return plussi_expr_int(nest, -a->value);
    plussi_expr *expr = new_expr(nest, kind);
    if (!expr)
        return NULL;
    expr->a[0] = arity > 0 ? a : NULL;
    expr->a[1] = arity > 1 ? b : NULL;
    expr->a[2] = arity > 2 ? c : NULL;
    return expr;
}

plussi_expr **plussi_expr_vec(plussi_nest *nest, uint32_t n)
{
    return take_memory(nest, n, sizeof(plussi_expr *));
}

plussi_expr *plussi_expr_load(plussi_nest *nest, plussi_array *array, uint32_t n_subs)
{
    plussi_expr **subs = array ? plussi_expr_vec(nest, n_subs) : NULL;
    plussi_expr *expr = subs ? new_expr(nest, PLUSSI_E_LOAD) : NULL;
    if (!expr)
        return NULL;
    expr->array = array;
    expr->n_subs = n_subs;
    expr->subs = subs;
    return expr;
}

/* ---- numbering ------------------------------------------------------------------------------- */

/* A stable merge sort of a singly linked list by the owner's place: it allocates nothing; lists in
 * text order, as parse builds them, are recognised first. */
#define DEFINE_SORT(type, name)                                                                    \
    static uint32_t name##_rank(const type *item)                                                  \
    {                                                                                              \
        return item->region ? item->region->id + 1 : 0;                                            \
    }                                                                                              \
    static type *name##_merge(type *a, type *b)                                                    \
    {                                                                                              \
        type *head = NULL, **tail = &head;                                                         \
        while (a && b) {                                                                           \
            type **least = name##_rank(b) < name##_rank(a) ? &b : &a;                              \
            *tail = *least;                                                                        \
            tail = &(*least)->next;                                                                \
            *least = (*least)->next;                                                               \
        }                                                                                          \
        *tail = a ? a : b;                                                                         \
        return head;                                                                               \
    }                                                                                              \
    static type *name##_sort(type *list)                                                           \
    {                                                                                              \
        type *run[64] = {NULL}; /* run[i]: 2^i items */                                            \
        while (list) {                                                                             \
            type *item = list;                                                                     \
            list = list->next;                                                                     \
            item->next = NULL;                                                                     \
            int i = 0;                                                                             \
            for (; run[i]; i++) {                                                                  \
                item = name##_merge(run[i], item);                                                 \
                run[i] = NULL;                                                                     \
            }                                                                                      \
            run[i] = item;                                                                         \
        }                                                                                          \
        type *all = NULL;                                                                          \
        for (int i = 0; i < 64; i++)                                                               \
            all = name##_merge(run[i], all);                                                       \
        return all;                                                                                \
    }                                                                                              \
    /* Sorts and numbers; returns their number, *last is the last of them. */                      \
    static uint32_t name##_number(type **first, type **last)                                       \
    {                                                                                              \
        bool sorted = true;                                                                        \
        for (type *item = *first; item && item->next; item = item->next)                           \
            sorted = sorted && name##_rank(item) <= name##_rank(item->next);                       \
        if (!sorted)                                                                               \
            *first = name##_sort(*first);                                                          \
        uint32_t n = 0;                                                                            \
        *last = NULL;                                                                              \
        for (type *item = *first; item; item = item->next) {                                       \
            item->id = n++;                                                                        \
            *last = item;                                                                          \
        }                                                                                          \
        return n;                                                                                  \
    }

DEFINE_SORT(plussi_symbol, symbols)
DEFINE_SORT(plussi_array, arrays)

static void number_added_loops(plussi_nest *nest)
{
    for (plussi_region *region = nest->first_region; region; region = region->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&region->body, node));)
            if (node->kind == PLUSSI_N_LOOP && node->u.loop.added)
                node->id = nest->n_loops++;
}

void plussi_nest_number(plussi_nest *nest)
{
    bool added = false;
    nest->n_regions = nest->n_refs = nest->n_loops = nest->n_nodes = 0;
    for (plussi_region *region = nest->first_region; region; region = region->next) {
        region->id = nest->n_regions++;
        plussi_node *node = NULL;
        while ((node = plussi_nest_walk(&region->body, node))) {
            nest->n_nodes++;
            if (node->kind == PLUSSI_N_REF)
                node->id = nest->n_refs++;
            else if (node->kind == PLUSSI_N_LOOP && node->u.loop.added)
                added = true;
            else if (node->kind == PLUSSI_N_LOOP)
                node->id = nest->n_loops++;
        }
    }
    if (added)
        number_added_loops(nest);
    nest->n_symbols = symbols_number(&nest->first_symbol, &nest->last_symbol);
    nest->n_arrays = arrays_number(&nest->first_array, &nest->last_array);
}
