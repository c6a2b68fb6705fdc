/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compressed reports: gzip (RFC 1952), by zlib.
 */
#ifndef PLUSSI_REPORT_GZIP_H
#define PLUSSI_REPORT_GZIP_H

#include "base/ctx.h"

/* Inflates everything; the caller owns *out (plussi_free), *n bytes. PLUSS_EFORMAT, with file as
 * the place, if damaged or truncated. PLUSS_ELIMIT above 2^32 bytes. */
PLUSS_NODISCARD pluss_status plussi_gunzip(plussi_ctx *ctx, const char *bytes, size_t length,
                                           const char *file, char **out, size_t *n);

#endif
