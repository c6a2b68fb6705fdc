/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "profile/mrc.h"

enum { STRICT_AN_OCTAVE = 8, PAPER_AN_OCTAVE = 4, MAX_POINTS = 64 * STRICT_AN_OCTAVE + 2 };

static const uint64_t paper_bytes = 32 << 20;

pluss_status plussi_grid_sizes(plussi_ctx *ctx, plussi_grid grid, uint64_t footprint_lines,
                               uint32_t line_bytes, uint64_t **sizes, size_t *n)
{
    bool strict = grid == PLUSSI_GRID_STRICT;
    if (!strict && (line_bytes == 0 || line_bytes > paper_bytes))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "no grid for lines of %u bytes", line_bytes);
    uint64_t last = strict ? footprint_lines : paper_bytes / line_bytes;
    if (last == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "no grid for an empty footprint");
    uint64_t *size = plussi_alloc(&ctx->mem, MAX_POINTS, sizeof *size);
    if (!size)
        return PLUSS_ENOMEM;
    size_t count = 0;
    for (int k = 0;; k++) {
        double next = round(exp2((double)k / (strict ? STRICT_AN_OCTAVE : PAPER_AN_OCTAVE)));
        if (next >= (double)last)
            break;
        if (count == 0 || (uint64_t)next != size[count - 1])
            size[count++] = (uint64_t)next;
    }
    size[count++] = last;
    *sizes = size;
    *n = count;
    return PLUSS_OK;
}
