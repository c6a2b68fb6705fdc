/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Comparison of single declarations, for joining nests.
 */
#ifndef PLUSSI_NEST_EQUAL_H
#define PLUSSI_NEST_EQUAL_H

#include "nest/nest.h"

bool plussi_symbol_equal(const plussi_symbol *a, const plussi_symbol *b);
bool plussi_array_equal(const plussi_array *a, const plussi_array *b);

#endif
