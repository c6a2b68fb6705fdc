/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How compressed data is told from text, with zlib or without.
 */
#ifndef PLUSSI_BASE_GZIP_MAGIC_H
#define PLUSSI_BASE_GZIP_MAGIC_H

#include <stdbool.h>
#include <string.h>

/* Whether n bytes begin as a member of a gzip file does (RFC 1952, section 2.3.1). */
static inline bool plussi_is_gzip(const char *bytes, size_t n)
{
    return n >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

#endif
