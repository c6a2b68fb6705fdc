/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who holds a line, and which of its bytes were written when.
 */
#ifndef PLUSSI_CACHE_HOLDERS_H
#define PLUSSI_CACHE_HOLDERS_H

#include "base/linemap.h"
#include "cache/simulator.h"

typedef struct plussi_sharing {
    plussi_mem mem;
    size_t words;          /* of a set of caches */
    uint32_t granule;      /* bytes whose writes are told apart: a 64th of a line, or 1 */
    plussi_linemap record; /* line: its record, from 1 */
    uint64_t *holders;     /* by record: a set of caches */
    size_t n_records, cap_records;
    plussi_linemap watch; /* line: when its granules were written, from 1 */
    uint64_t (*written)[64];
    size_t n_watches, cap_watches;
} plussi_sharing;

void plussi_sharing_init(const plussi_mem *mem, size_t n_caches, uint32_t line_bytes,
                         plussi_sharing *out);
void plussi_sharing_free(plussi_sharing *sharing);

/* A cache, by number, has a copy of the line, or has it no more. */
PLUSS_NODISCARD pluss_status plussi_sharing_hold(plussi_sharing *sharing, uint64_t line,
                                                 size_t cache);
void plussi_sharing_drop(plussi_sharing *sharing, uint64_t line, size_t cache);
/* The first cache from this number on that has a copy; SIZE_MAX: none. */
size_t plussi_sharing_next(plussi_sharing *sharing, uint64_t line, size_t from);

/* From now on writes to the line are kept: which bytes, and when. */
PLUSS_NODISCARD pluss_status plussi_sharing_watch(plussi_sharing *sharing, uint64_t line);
bool plussi_sharing_is_watched(plussi_sharing *sharing, uint64_t line);
/* The line is watched. */
void plussi_sharing_write(plussi_sharing *sharing, uint64_t line, const plussi_cache_access *access,
                          uint64_t time);
/* Whether some byte of the access was written at this time or later. */
bool plussi_sharing_wrote(plussi_sharing *sharing, uint64_t line, const plussi_cache_access *access,
                          uint64_t time);

#endif
