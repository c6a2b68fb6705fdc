/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a report in JSON: no crash; what is read is sound, written and read again it is the
 * same bytes, and its curves can be compared with each other.
 */
#include <math.h>

#include "public_target.h"

enum { MAX_CURVES = 4 };

static void compare(pluss_context *ctx, const pluss_curve *a, const pluss_curve *b)
{
    for (pluss_grid grid = PLUSS_GRID_STRICT; grid <= PLUSS_GRID_PAPER; grid++) {
        pluss_difference d = {.size = sizeof d};
        pluss_status status = pluss_curve_compare(ctx, a, b, grid, &d);
        require(status || (d.mean_abs >= fabs(d.mean_signed) - 1e-12 &&
                           d.max_abs >= d.mean_abs - 1e-12 && d.max_abs <= 1 && d.n > 0 &&
                           d.first_lines <= d.last_lines && (a != b || d.max_abs == 0)),
                "a difference is one of ratios");
    }
}

static pluss_status read_curves(pluss_context *ctx, const uint8_t *data, size_t size)
{
    pluss_result *result;
    pluss_status status = pluss_result_read(ctx, (const char *)data, size, "fuzz", &result);
    require(!status || status == PLUSS_EFORMAT, "bad bytes are a bad format");
    require(!status || pluss_context_diagnostic_count(ctx) == 1, "one error says why");
    if (status)
        return status;
    check_result(ctx, result);
    size_t n = pluss_result_count(result) < MAX_CURVES ? pluss_result_count(result) : MAX_CURVES;
    for (size_t i = 0; i < n * n; i++)
        compare(ctx, pluss_result_get(result, i / n), pluss_result_get(result, i % n));
    pluss_result_free(result);
    return PLUSS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_context(data, size, read_curves);
    return 0;
}
