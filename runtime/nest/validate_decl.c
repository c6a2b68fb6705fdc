/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Symbols and arrays.
 */
#include "nest/validate_state.h"

#include <inttypes.h>

static bool fail_array(plussi_validator *v, const plussi_array *array, const char *text)
{
    return plussi_validate_fail(v, PLUSS_EINVALID, &array->loc, "array '%.255s': %s",
                                array->name ? array->name : "", text);
}

void plussi_validate_symbol(plussi_validator *v, plussi_symbol *symbol)
{
    if (symbol->value)
        plussi_validate_number(v, symbol->value, 0, "a symbol's value");
}

static void check_element(plussi_validator *v, const plussi_array *array)
{
    if ((unsigned)array->elem > PLUSSI_ELEM_BYTES)
        fail_array(v, array, "found no element type");
    else if (array->elem != PLUSSI_ELEM_BYTES &&
             array->elem_bytes != plussi_elem_bytes(array->elem))
        fail_array(v, array, "found an element size that is not its type's");
    else if (array->elem_bytes < 1 || array->elem_bytes > INT64_MAX / 16)
        fail_array(v, array, "found an element size outside of 1 to 2^59 bytes");
}

static void check_shape(plussi_validator *v, plussi_array *array)
{
    if (array->rank && !array->extents) {
        fail_array(v, array, "found no extents");
        return;
    }
    uint32_t slowest = array->column_order && array->rank ? array->rank - 1 : 0;
    for (uint32_t i = 0; i < array->rank; i++) {
        if (array->extents[i])
            plussi_validate_at_least(v, array->extents[i], 0, 0, "an array's extent");
        else if (i != slowest)
            fail_array(v, array, "found no extent, expected one in all but the slowest dimension");
    }
    if (array->lower && !array->rank)
        fail_array(v, array, "found lower bounds, expected dimensions with them");
    for (uint32_t i = 0; array->strides && i < array->rank; i++)
        plussi_validate_number(v, array->strides[i], 0, "an array's stride");
}

static void check_base(plussi_validator *v, plussi_array *array)
{
    if ((unsigned)array->base_kind > PLUSSI_BASE_OVER) {
        fail_array(v, array, "found no kind of base");
        return;
    }
    if (array->base_kind == PLUSSI_BASE_FREE && array->base)
        fail_array(v, array, "found a base, expected offset, address or over with it");
    if ((array->base_kind == PLUSSI_BASE_OVER) != (array->over != NULL)) {
        fail_array(v, array, "found 'over' without an array, or an array without 'over'");
        return;
    }
    if (array->base && array->base_kind == PLUSSI_BASE_OVER)
        plussi_validate_number(v, array->base, 0, "an array's base");
    else if (array->base)
        plussi_validate_at_least(v, array->base, 0, 0, "an array's base");
    if (array->base && array->base->kind == PLUSSI_E_INT && array->base->value == 0)
        array->base = NULL;
    if (!array->over)
        return;
    if (plussi_validate_visible(v, array->over->name, PLUSSI_MEANS_ARRAY, array->over,
                                &array->loc) &&
        array->over->is_private != array->is_private)
        fail_array(v, array, "found a private array over a shared one or the reverse");
}

static bool fits_bytes(int64_t value, uint64_t bytes)
{
    if (bytes >= 8)
        return true;
    int64_t bits = (int64_t)bytes * 8; /* read as signed or unsigned */
    return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << bits;
}

/* The product of the literal extents must divide the number of values, or equal it where all are
 * literal; symbolic extents are compared when they have numbers. */
static void check_values_count(plussi_validator *v, const plussi_array *array)
{
    uint64_t product = 1;
    bool all = true;
    for (uint32_t i = 0; i < array->rank; i++) {
        const plussi_expr *extent = array->extents[i];
        bool literal = extent && extent->kind == PLUSSI_E_INT && extent->value >= 0;
        all = all && literal;
        if (literal && __builtin_mul_overflow(product, (uint64_t)extent->value, &product))
            product = UINT64_MAX;
    }
    bool fit = all            ? array->n_values == product
               : product == 0 ? array->n_values == 0
                              : array->n_values % product == 0;
    if (!fit)
        plussi_validate_fail(v, PLUSS_EINVALID, &array->loc,
                             "found %" PRIu64 " value%s of array '%.255s', expected %s%" PRIu64,
                             array->n_values, array->n_values == 1 ? "" : "s",
                             array->name ? array->name : "", all ? "" : "a multiple of ", product);
}

void plussi_validate_values(plussi_validator *v, const plussi_array *array)
{
    if (array->elem < PLUSSI_ELEM_I8 || array->elem > PLUSSI_ELEM_I128) {
        fail_array(v, array, "found values, expected an integer element type with them");
        return;
    }
    if (array->n_values && !array->values) {
        fail_array(v, array, "found no values where some are announced");
        return;
    }
    if (!array->rank || array->extents)
        check_values_count(v, array);
    for (uint64_t i = 0; i < array->n_values; i++)
        if (!fits_bytes(array->values[i], array->elem_bytes)) {
            plussi_validate_fail(v, PLUSS_EINVALID, &array->loc,
                                 "found the value %" PRId64 ", expected one that fits %s",
                                 array->values[i], plussi_elem_name(array->elem));
            return;
        }
}

void plussi_validate_array(plussi_validator *v, plussi_array *array)
{
    check_element(v, array);
    if (array->rank > PLUSSI_MAX_RANK) {
        plussi_validate_fail(v, PLUSS_ELIMIT, &array->loc,
                             "found %" PRIu32 " dimensions, expected at most PLUSSI_MAX_RANK = %d",
                             array->rank, PLUSSI_MAX_RANK);
        return;
    }
    check_shape(v, array);
    check_base(v, array);
    if (array->alias)
        plussi_validate_name(v, array->alias, &array->loc, "an alias group");
    if (array->has_values && array->n_values > PLUSSI_MAX_VALUES)
        plussi_validate_fail(v, PLUSS_ELIMIT, &array->loc,
                             "found more than %d values, expected at most PLUSSI_MAX_VALUES = %d",
                             PLUSSI_MAX_VALUES, PLUSSI_MAX_VALUES);
    else if (array->has_values)
        plussi_validate_values(v, array);
}
