/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bytes of a stream, decompressed while they are read where gzip or zstd has compressed them.
 */
#ifndef PLUSSI_TRACE_BYTE_SOURCE_H
#define PLUSSI_TRACE_BYTE_SOURCE_H

#include <stdio.h>

#include "base/ctx.h"

typedef struct plussi_byte_source plussi_byte_source;

/* Whether a file that begins with these bytes is compressed. */
bool plussi_is_compressed(const char *bytes, size_t n);
/* Reads the first bytes of a stream, which stays the caller's. name: in messages; borrowed.
 * PLUSS_EIO; PLUSS_EUNSUPPORTED: built without the library that decompresses. The caller frees. */
PLUSS_NODISCARD pluss_status plussi_byte_source_new(plussi_ctx *ctx, FILE *in, const char *name,
                                                    plussi_byte_source **out);
/* How much of the stream has been taken, of its bytes as they are in the file: in [0, 1], 1 at the
 * end; negative: it has no size, as a pipe has none. O(1). */
double plussi_byte_source_done(const plussi_byte_source *source);
void plussi_byte_source_free(plussi_byte_source *source); /* NULL is allowed */
/* Up to most > 0 bytes; *n 0: the end. PLUSS_EIO; PLUSS_EFORMAT: compressed data is damaged or
 * truncated. Constant memory, but for zstd's window, of which 128 MB are the most. */
PLUSS_NODISCARD pluss_status plussi_byte_source_read(plussi_byte_source *source, void *to,
                                                     size_t most, size_t *n);

#endif
