/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dice, names, expressions and arrays of generated nests.
 */
#include <stdio.h>

#include "nest_gen_state.h"

/* ---- dice -------------------------------------------------------------------------------------
 */

uint32_t nest_gen_below(grower *g, uint32_t n)
{
    return (uint32_t)plussi_rng_below(g->rng, n);
}

bool nest_gen_chance(grower *g, uint32_t percent)
{
    return nest_gen_below(g, 100) < percent;
}

bool nest_gen_may(const grower *g, unsigned long long bit)
{
    return (g->o->allow & bit) != 0;
}

bool nest_gen_want(grower *g, unsigned long long bit, uint32_t percent)
{
    bool yes = nest_gen_chance(g, percent); /* always thrown: the same seed stays comparable */
    return yes && nest_gen_may(g, bit);
}

int64_t nest_gen_between(grower *g, int64_t lo, int64_t hi)
{
    return lo + (int64_t)nest_gen_below(g, (uint32_t)(hi - lo + 1));
}

/* ---- names and places -------------------------------------------------------------------------
 */

const char *nest_gen_name(grower *g, const char *stem, char room[64])
{
    static const char *const odd[] = {"s->n%u", "std::v<int>%u", "\xc3\xbc%u", "for %u", "%u"};
    if (nest_gen_want(g, NEST_GEN_NAMES, 30))
        snprintf(room, 64, odd[nest_gen_below(g, 5)], g->names++);
    else
        snprintf(room, 64, "%s%u", stem, g->names++);
    return room;
}

plussi_loc nest_gen_place(grower *g)
{
    static const char *const files[] = {NULL, "gen.c", "other.h", "tab\there \"quoted\".c"};
    plussi_loc loc = {0};
    if (!nest_gen_want(g, NEST_GEN_LOCATIONS, 70))
        return loc;
    loc.file = files[nest_gen_below(g, 4)];
    loc.line = 1 + nest_gen_below(g, 5000);
    loc.col = nest_gen_chance(g, 50) ? 1 + nest_gen_below(g, 90) : 0;
    return loc;
}

plussi_node *nest_gen_add(grower *g, plussi_body *body, plussi_node *parent, plussi_node_kind kind)
{
    return plussi_nest_add_node(g->nest, body, parent, kind, nest_gen_place(g));
}

/* ---- expressions ------------------------------------------------------------------------------
 */

plussi_expr *nest_gen_op(grower *g, plussi_expr_kind kind, plussi_expr *a, plussi_expr *b)
{
    return plussi_expr_op(g->nest, kind, a, b, NULL);
}

plussi_expr *nest_gen_num(grower *g, int64_t value)
{
    return plussi_expr_int(g->nest, value);
}

/* The number, or a symbol that has its value. */
plussi_expr *nest_gen_constant(grower *g, int64_t value)
{
    if (!nest_gen_want(g, NEST_GEN_SYMBOLS, 30))
        return nest_gen_num(g, value);
    for (uint32_t i = 0; i < g->n_symbols; i++)
        if (g->symbol_value[i] == value)
            return plussi_expr_symbol(g->nest, g->symbol[i]);
    if (g->n_symbols == NEST_GEN_MAX_SYMBOLS)
        return nest_gen_num(g, value);
    plussi_expr *expr = NULL;
    bool bound =
        !nest_gen_want(g, NEST_GEN_UNBOUND, 40) || g->out->n_bindings == NEST_GEN_MAX_BINDINGS;
    if (bound && g->n_symbols && nest_gen_chance(g, 50)) {
        uint32_t from = nest_gen_below(g, g->n_symbols);
        expr = nest_gen_op(g, PLUSSI_E_ADD, plussi_expr_symbol(g->nest, g->symbol[from]),
                           nest_gen_num(g, value - g->symbol_value[from]));
    } else if (bound) {
        expr = nest_gen_num(g, value);
    }
    char room[64];
    plussi_symbol *symbol =
        plussi_nest_add_symbol(g->nest, NULL, nest_gen_name(g, "n", room), expr);
    if (!symbol)
        return NULL;
    if (nest_gen_want(g, NEST_GEN_NAMES, 30)) {
        symbol->origin = "p->\"n\"\n\x01\\";
        symbol->least = value - (value & 1);
    }
    if (!bound)
        g->out->binding[g->out->n_bindings++] = (plussi_binding){symbol->name, value};
    g->symbol[g->n_symbols] = symbol;
    g->symbol_value[g->n_symbols++] = value;
    return plussi_expr_symbol(g->nest, symbol);
}

plussi_expr *nest_gen_some_iv(grower *g)
{
    if (!g->n_ivs)
        return nest_gen_num(g, nest_gen_below(g, 3));
    return plussi_expr_iv(g->nest, g->iv[nest_gen_below(g, g->n_ivs)]);
}

static plussi_expr *nest_gen_scaled(grower *g, plussi_expr *expr)
{
    if (nest_gen_chance(g, 70))
        return expr;
    int64_t factor = nest_gen_between(g, -2, 3);
    if (factor == -1)
        return nest_gen_op(g, PLUSSI_E_NEG, expr, NULL);
    return nest_gen_chance(g, 50)
               ? nest_gen_op(g, PLUSSI_E_MUL, nest_gen_num(g, factor), expr)
               : nest_gen_op(g, PLUSSI_E_MUL, expr, nest_gen_constant(g, factor < 1 ? 1 : factor));
}

static plussi_expr *nest_gen_affine(grower *g)
{
    plussi_expr *sum = nest_gen_scaled(g, nest_gen_some_iv(g));
    if (nest_gen_chance(g, 20))
        sum = nest_gen_op(g, nest_gen_chance(g, 70) ? PLUSSI_E_ADD : PLUSSI_E_SUB, sum,
                          nest_gen_scaled(g, nest_gen_some_iv(g)));
    if (nest_gen_chance(g, 30))
        sum = nest_gen_op(g, nest_gen_chance(g, 50) ? PLUSSI_E_ADD : PLUSSI_E_SUB, sum,
                          nest_gen_constant(g, nest_gen_between(g, 1, 3)));
    if (g->in_parallel && nest_gen_want(g, NEST_GEN_THREAD_ID, 8))
        sum = nest_gen_op(g, PLUSSI_E_ADD, sum,
                          nest_gen_op(g, PLUSSI_E_MUL, nest_gen_num(g, 1 + nest_gen_below(g, 4)),
                                      plussi_expr_op(g->nest, PLUSSI_E_THREAD, NULL, NULL, NULL)));
    return sum;
}

plussi_expr *nest_gen_condition(grower *g)
{
    static const plussi_expr_kind kinds[] = {PLUSSI_E_LT, PLUSSI_E_LE, PLUSSI_E_GT,
                                             PLUSSI_E_GE, PLUSSI_E_EQ, PLUSSI_E_NE};
    plussi_expr *c = nest_gen_op(g, kinds[nest_gen_below(g, 6)], nest_gen_affine(g),
                                 nest_gen_constant(g, nest_gen_below(g, 6)));
    if (nest_gen_chance(g, 20))
        c = nest_gen_op(g, PLUSSI_E_NOT, c, NULL);
    if (nest_gen_chance(g, 25))
        c = nest_gen_op(
            g, nest_gen_chance(g, 50) ? PLUSSI_E_AND : PLUSSI_E_OR, c,
            nest_gen_op(g, kinds[nest_gen_below(g, 6)], nest_gen_some_iv(g), nest_gen_some_iv(g)));
    return c;
}

plussi_expr *nest_gen_subscript(grower *g)
{
    plussi_expr *e = nest_gen_affine(g);
    if (nest_gen_want(g, NEST_GEN_DIVMOD, 15))
        e = nest_gen_op(g, nest_gen_chance(g, 50) ? PLUSSI_E_DIV : PLUSSI_E_MOD, e,
                        nest_gen_constant(g, nest_gen_between(g, 2, 4)));
    if (nest_gen_want(g, NEST_GEN_CLAMP, 8))
        e = nest_gen_op(g, nest_gen_chance(g, 50) ? PLUSSI_E_MIN : PLUSSI_E_MAX, e,
                        nest_gen_constant(g, nest_gen_below(g, 6)));
    if (nest_gen_want(g, NEST_GEN_SELECT, 5))
        e = plussi_expr_op(g->nest, PLUSSI_E_SELECT, nest_gen_condition(g), e, nest_gen_affine(g));
    if (g->n_index && nest_gen_want(g, NEST_GEN_LOAD, 15)) {
        plussi_array *index = g->index[nest_gen_below(g, g->n_index)];
        plussi_expr *load = plussi_expr_load(g->nest, index, 1);
        if (!load)
            return NULL;
        load->subs[0] = nest_gen_op(g, PLUSSI_E_MOD, e, nest_gen_num(g, (int64_t)index->n_values));
        e = load;
    }
    return e;
}

/* ---- arrays -----------------------------------------------------------------------------------
 */

static void set_base(grower *g, plussi_array *array, const plussi_array *under)
{
    if (under && nest_gen_want(g, NEST_GEN_OVER, 15)) {
        array->base_kind = PLUSSI_BASE_OVER;
        array->over = (plussi_array *)under;
        array->base = nest_gen_chance(g, 60) ? nest_gen_num(g, nest_gen_below(g, 100)) : NULL;
    } else if (nest_gen_want(g, NEST_GEN_OFFSET, 25)) {
        array->base_kind = PLUSSI_BASE_OFFSET;
        array->base = nest_gen_num(g, nest_gen_below(g, nest_gen_chance(g, 50) ? 8 : 64));
    } else if (nest_gen_want(g, NEST_GEN_ADDRESS, 15)) {
        array->base_kind = PLUSSI_BASE_ADDRESS;
        array->base = nest_gen_num(g, ((int64_t)1 << 40) + ((int64_t)g->names << 28) +
                                          nest_gen_below(g, 128));
    }
}

static plussi_array *add_array(grower *g, plussi_elem elem, uint64_t bytes, uint32_t rank)
{
    char room[64];
    plussi_array *array =
        plussi_nest_add_array(g->nest, g->region, nest_gen_name(g, "A", room), elem, bytes, rank);
    if (array && g->n_arrays < MAX_ARRAYS)
        g->array[g->n_arrays++] = array;
    return array;
}

void nest_gen_array(grower *g)
{
    plussi_elem elem = PLUSSI_ELEM_F64;
    uint64_t bytes = 8;
    if (nest_gen_want(g, NEST_GEN_ELEMENTS, 60)) {
        elem = (plussi_elem)nest_gen_below(g, PLUSSI_ELEM_BYTES + 1);
        bytes = 1 + nest_gen_below(g, 48);
    }
    uint32_t rank = 1 + nest_gen_below(g, 3);
    if (nest_gen_want(g, NEST_GEN_SCALAR, 12))
        rank = 0;
    const plussi_array *under = g->n_arrays ? g->array[nest_gen_below(g, g->n_arrays)] : NULL;
    if (under && (under->is_private || under->over || under->rank == 0 || under == g->twin[0] ||
                  under == g->twin[1]))
        under = NULL;
    plussi_array *array = add_array(g, elem, bytes, rank);
    if (!array)
        return;
    if (rank > 1 && nest_gen_want(g, NEST_GEN_COLUMN, 30))
        array->column_order = true;
    if (nest_gen_want(g, NEST_GEN_NOTES, 10))
        array->alias = "group";
    if (nest_gen_want(g, NEST_GEN_PRIVATE, 12))
        array->is_private = true;
    else
        set_base(g, array, under);
    if (rank && !g->twin[0] && array->base_kind != PLUSSI_BASE_OVER && !array->is_private &&
        nest_gen_want(g, NEST_GEN_SWAP, 40)) {
        plussi_array *twin = add_array(g, array->elem, array->elem_bytes, rank);
        if (!twin)
            return;
        twin->column_order = array->column_order;
        g->twin[0] = array;
        g->twin[1] = twin;
    }
}

void nest_gen_index(grower *g)
{
    char room[64];
    plussi_array *array =
        plussi_nest_add_array(g->nest, NULL, nest_gen_name(g, "x", room), PLUSSI_ELEM_I32, 4, 1);
    if (!array)
        return;
    array->has_values = true;
    array->n_values = 1 + nest_gen_below(g, 40);
    array->values = plussi_arena_alloc(&g->nest->arena, array->n_values, sizeof(int64_t));
    for (uint64_t i = 0; array->values && i < array->n_values; i++)
        array->values[i] = nest_gen_below(g, 12);
    g->index[g->n_index++] = array;
}

void nest_gen_dress(grower *g, plussi_array *array)
{
    if (array->has_values || array->rank == 0)
        return;
    uint32_t slowest = array->column_order ? array->rank - 1 : 0;
    bool twin = array == g->twin[0] || array == g->twin[1]; /* of one shape: left alone */
    if (!twin && nest_gen_want(g, NEST_GEN_STRIDE, 15)) {
        array->strides = plussi_expr_vec(g->nest, array->rank);
        int64_t stride = 1;
        for (uint32_t k = 0; array->strides && k < array->rank; k++) {
            uint32_t i = array->column_order ? k : array->rank - 1 - k;
            array->strides[i] = nest_gen_num(g, stride);
            stride = stride * array->extents[i]->value + nest_gen_between(g, 0, 3);
        }
    }
    for (uint32_t i = 0; i < array->rank; i++)
        if (!twin && i == slowest && nest_gen_want(g, NEST_GEN_OPEN_EXTENT, 20))
            array->extents[i] = NULL;
        else
            array->extents[i] = nest_gen_constant(g, array->extents[i]->value);
}
