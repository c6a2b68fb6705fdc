/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What print.c and print_region.c share.
 */
#ifndef PLUSSI_NEST_PRINT_H
#define PLUSSI_NEST_PRINT_H

#include "nest/nest.h"

/* One region with the declarations that are marked, by id. */
PLUSS_NODISCARD pluss_status plussi_print_used(plussi_ctx *ctx, const plussi_nest *nest,
                                               const plussi_region *region, const bool *symbols,
                                               const bool *arrays, char **out, size_t *length);

#endif
