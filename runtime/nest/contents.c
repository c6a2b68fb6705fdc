/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "nest/validate_state.h"

static bool is_called(const plussi_array *array, const char *name)
{
    return strcmp(array->name, name) == 0 ||
           plussi_name_qualified(name, array->region, array->name);
}

pluss_status plussi_nest_give_values(plussi_ctx *ctx, plussi_nest *nest, const char *name,
                                     const int64_t *values, uint64_t n)
{
    plussi_validator v = {.ctx = ctx, .nest = nest, .status = PLUSS_OK};
    bool found = false;
    for (plussi_array *a = nest->first_array; a; a = a->next)
        if (is_called(a, name)) {
            plussi_array filled = *a;
            filled.has_values = true;
            filled.n_values = n;
            filled.values = (int64_t *)values;
            plussi_validate_values(&v, &filled);
            found = true;
        }
    if (!found)
        return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "the nest has no array '%.255s'", name);
    if (v.status)
        return v.status;
    int64_t *copy = plussi_arena_alloc(&nest->arena, n ? n : 1, sizeof *copy);
    if (!copy)
        return PLUSS_ENOMEM;
    if (n)
        memcpy(copy, values, n * sizeof *copy);
    for (plussi_array *a = nest->first_array; a; a = a->next)
        if (is_called(a, name)) {
            a->has_values = true;
            a->n_values = n;
            a->values = copy;
        }
    return PLUSS_OK;
}
