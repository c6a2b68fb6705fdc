/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exact/set_cache.h"

#include <string.h>

pluss_status plussi_set_cache_init(plussi_ctx *ctx, uint64_t size_bytes, uint32_t ways,
                                   uint32_t line_bytes, plussi_set_cache *out)
{
    uint64_t set_bytes = (uint64_t)ways * line_bytes;
    if (set_bytes == 0 || size_bytes == 0 || size_bytes % set_bytes != 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "no cache of %llu bytes has %u ways and lines of %u bytes",
                           (unsigned long long)size_bytes, ways, line_bytes);
    plussi_set_cache cache = {.mem = ctx->mem, .sets = size_bytes / set_bytes, .ways = ways};
    cache.line = plussi_alloc(&ctx->mem, cache.sets, ways * sizeof *cache.line);
    cache.filled = plussi_calloc(&ctx->mem, cache.sets, sizeof *cache.filled);
    if (!cache.line || !cache.filled) {
        plussi_set_cache_free(&cache);
        return PLUSS_ENOMEM;
    }
    *out = cache;
    return PLUSS_OK;
}

void plussi_set_cache_free(plussi_set_cache *cache)
{
    plussi_free(&cache->mem, cache->line);
    plussi_free(&cache->mem, cache->filled);
    *cache = (plussi_set_cache){.mem = cache->mem};
}

void plussi_set_cache_clear(plussi_set_cache *cache)
{
    memset(cache->filled, 0, cache->sets * sizeof *cache->filled);
}

static uint32_t way_of(const uint64_t *set, uint32_t filled, uint64_t line)
{
    uint32_t way = 0;
    while (way < filled && set[way] != line)
        way++;
    return way;
}

bool plussi_set_cache_touch(plussi_set_cache *cache, uint64_t line)
{
    uint64_t number = line % cache->sets, *set = cache->line + number * cache->ways;
    uint32_t *filled = &cache->filled[number], way = way_of(set, *filled, line);
    bool hit = way < *filled;
    if (!hit && *filled < cache->ways)
        ++*filled;
    else if (!hit)
        way--; /* the least recent one goes */
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
    return hit;
}

bool plussi_set_cache_invalidate(plussi_set_cache *cache, uint64_t line)
{
    uint64_t number = line % cache->sets, *set = cache->line + number * cache->ways;
    uint32_t *filled = &cache->filled[number], way = way_of(set, *filled, line);
    if (way == *filled)
        return false;
    --*filled;
    memmove(set + way, set + way + 1, (*filled - way) * sizeof *set);
    return true;
}
