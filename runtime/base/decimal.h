/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSSI_BASE_DECIMAL_H
#define PLUSSI_BASE_DECIMAL_H

#include <stdbool.h>

/* A number without sign, in any locale: 4, 0.03, 1e6, as the nearest double, up to 15 digits; may
 * be infinite. *text moves past it; false: there is none, and *text may have moved. */
bool plussi_read_decimal(const char **text, double *out);

#endif
