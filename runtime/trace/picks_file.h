/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a sampler kept of the order of accesses (runtime/rt/picks.h has the file's format), of one
 * block of the record.
 */
#ifndef PLUSSI_TRACE_PICKS_FILE_H
#define PLUSSI_TRACE_PICKS_FILE_H

#include "trace/picked.h"
#include "trace/recorded.h"

/* PLUSS_EIO; PLUSS_EFORMAT with the byte at fault, also where it is not the record's.
 * out need not be initialised; the caller frees it.
 * O(picks of the block + blocks). */
PLUSS_NODISCARD pluss_status plussi_picks_read(plussi_ctx *ctx, const char *path, uint32_t block,
                                               const plussi_record_block *of, plussi_picked *out);

#endif
