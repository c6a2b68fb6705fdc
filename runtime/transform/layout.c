/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Other places for the elements of an array: every subscript stays as it is.
 */
#include "transform/change.h"

#include <inttypes.h>

static pluss_status check_array(const plussi_change *c, const plussi_array *array)
{
    const char *why = array->over || array->base_kind == PLUSSI_BASE_OVER
                          ? "it is a view of another array"
                      : array->base_kind == PLUSSI_BASE_ADDRESS ? "its address is fixed"
                      : array->strides                          ? "it has strides of its own"
                      : array->alias      ? "it may share memory with other arrays"
                      : array->has_values ? "what it holds is known by its places"
                                          : NULL;
    for (const plussi_array *a = c->nest->first_array; a && !why; a = a->next)
        if (a->over == array)
            why = "another array is a view of it";
    for (const plussi_region *r = c->nest->first_region; r && !why; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (node->kind == PLUSSI_N_SWAP && (node->u.swap.a == array || node->u.swap.b == array))
                why = "it changes places with another array";
    if (why)
        return plussi_fail(c->ctx, PLUSS_EUNSUPPORTED, &array->loc, "array %s: %s", array->name,
                           why);
    return PLUSS_OK;
}

pluss_status plussi_pad(plussi_change *c, plussi_array *array, int64_t elements)
{
    pluss_status status = check_array(c, array);
    uint32_t fastest = array->column_order ? 0 : array->rank - 1;
    if (!status && (array->rank < 2 || !array->extents[fastest]))
        return plussi_fail(c->ctx, PLUSS_EUNSUPPORTED, &array->loc, "array %s has no rows",
                           array->name);
    if (status)
        return status;
    plussi_expr *extent = array->extents[fastest];
    int64_t sum;
    array->extents[fastest] =
        extent->kind == PLUSSI_E_INT && !__builtin_add_overflow(extent->value, elements, &sum)
            ? plussi_expr_int(c->nest, sum)
            : plussi_expr_op(c->nest, PLUSSI_E_ADD, extent, plussi_expr_int(c->nest, elements),
                             NULL);
    return PLUSS_OK;
}

/* Elements of more bytes, of which the references access those of before. */
static void lengthen(plussi_change *c, plussi_array *array, uint64_t bytes)
{
    for (plussi_region *r = c->nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (node->kind == PLUSSI_N_REF && node->u.ref.array == array && !node->u.ref.width)
                node->u.ref.width = array->elem_bytes - (uint64_t)node->u.ref.offset;
    array->elem_bytes = bytes;
}

pluss_status plussi_spread(plussi_change *c, plussi_array *array, int64_t bytes)
{
    pluss_status status = check_array(c, array);
    if (!status && array->rank != 1)
        return plussi_fail(c->ctx, PLUSS_EUNSUPPORTED, &array->loc,
                           "array %s has %" PRIu32 " dimensions, not one", array->name,
                           array->rank);
    const bool whole = (uint64_t)bytes % array->elem_bytes == 0;
    if (!status &&
        ((!whole && array->elem != PLUSSI_ELEM_BYTES) || (uint64_t)bytes < array->elem_bytes))
        return plussi_fail(c->ctx, PLUSS_EUNSUPPORTED, &array->loc,
                           "%" PRId64 " bytes are no multiple of the %" PRIu64
                           " bytes of an element of %s",
                           bytes, array->elem_bytes, array->name);
    if (status)
        return status;
    if (!whole) {
        lengthen(c, array, (uint64_t)bytes);
        return PLUSS_OK;
    }
    array->strides = plussi_expr_vec(c->nest, 1);
    if (array->strides)
        array->strides[0] = plussi_expr_int(c->nest, bytes / (int64_t)array->elem_bytes);
    return PLUSS_OK;
}
