/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache/holders.h"

#include <string.h>

enum { GRANULES = 64 };

void plussi_sharing_init(const plussi_mem *mem, size_t n_caches, uint32_t line_bytes,
                         plussi_sharing *out)
{
    *out = (plussi_sharing){.mem = *mem,
                            .words = (n_caches + 63) / 64,
                            .granule = line_bytes > GRANULES ? line_bytes / GRANULES : 1};
    plussi_linemap_init(&out->record, mem);
    plussi_linemap_init(&out->watch, mem);
}

void plussi_sharing_free(plussi_sharing *s)
{
    if (!s->mem.resize)
        return;
    plussi_linemap_free(&s->record);
    plussi_linemap_free(&s->watch);
    plussi_free(&s->mem, s->holders);
    plussi_free(&s->mem, s->written);
}

/* ---- holders ----------------------------------------------------------------------------------
 */

static uint64_t *holders_of(plussi_sharing *s, uint64_t line)
{
    const uint64_t *record = plussi_linemap_at(&s->record, line);
    return record && *record ? s->holders + (*record - 1) * s->words : NULL;
}

pluss_status plussi_sharing_hold(plussi_sharing *s, uint64_t line, size_t cache)
{
    uint64_t *record = plussi_linemap_at(&s->record, line);
    if (!record)
        return PLUSS_ENOMEM;
    if (*record == 0) {
        pluss_status status = plussi_grow(&s->mem, &s->holders, &s->cap_records, s->n_records,
                                          s->words * sizeof *s->holders);
        if (status)
            return status;
        memset(s->holders + s->n_records * s->words, 0, s->words * sizeof *s->holders);
        *record = ++s->n_records;
    }
    s->holders[(*record - 1) * s->words + cache / 64] |= UINT64_C(1) << cache % 64;
    return PLUSS_OK;
}

void plussi_sharing_drop(plussi_sharing *s, uint64_t line, size_t cache)
{
    uint64_t *holders = holders_of(s, line);
    if (holders)
        holders[cache / 64] &= ~(UINT64_C(1) << cache % 64);
}

size_t plussi_sharing_next(plussi_sharing *s, uint64_t line, size_t from)
{
    const uint64_t *holders = holders_of(s, line);
    for (size_t w = from / 64; holders && w < s->words; from = ++w * 64) {
        uint64_t left = holders[w] >> from % 64;
        if (left)
            return from + (size_t)__builtin_ctzll(left);
    }
    return SIZE_MAX;
}

/* ---- writes -----------------------------------------------------------------------------------
 */

static uint64_t *written_of(plussi_sharing *s, uint64_t line)
{
    const uint64_t *watch = plussi_linemap_at(&s->watch, line);
    return watch && *watch ? s->written[*watch - 1] : NULL;
}

pluss_status plussi_sharing_watch(plussi_sharing *s, uint64_t line)
{
    uint64_t *watch = plussi_linemap_at(&s->watch, line);
    if (!watch)
        return PLUSS_ENOMEM;
    if (*watch)
        return PLUSS_OK;
    pluss_status status =
        plussi_grow(&s->mem, &s->written, &s->cap_watches, s->n_watches, sizeof *s->written);
    if (status)
        return status;
    memset(s->written[s->n_watches], 0, sizeof *s->written);
    *watch = ++s->n_watches;
    return PLUSS_OK;
}

bool plussi_sharing_is_watched(plussi_sharing *s, uint64_t line)
{
    return written_of(s, line) != NULL;
}

/* The granules of an access within its line: [*begin, *end). */
static void granules_of(const plussi_sharing *s, const plussi_cache_access *a, uint32_t *begin,
                        uint32_t *end)
{
    uint64_t line_bytes = (uint64_t)s->granule * GRANULES, from = a->address % line_bytes;
    uint64_t to = from + a->bytes > line_bytes ? line_bytes : from + a->bytes;
    *begin = (uint32_t)(from / s->granule);
    *end = (uint32_t)((to + s->granule - 1) / s->granule);
}

void plussi_sharing_write(plussi_sharing *s, uint64_t line, const plussi_cache_access *access,
                          uint64_t time)
{
    uint64_t *written = written_of(s, line);
    uint32_t begin, end;
    granules_of(s, access, &begin, &end);
    for (uint32_t g = begin; written && g < end; g++)
        written[g] = time;
}

bool plussi_sharing_wrote(plussi_sharing *s, uint64_t line, const plussi_cache_access *access,
                          uint64_t time)
{
    const uint64_t *written = written_of(s, line);
    uint32_t begin, end;
    granules_of(s, access, &begin, &end);
    for (uint32_t g = begin; written && g < end; g++)
        if (written[g] >= time)
            return true;
    return false;
}
