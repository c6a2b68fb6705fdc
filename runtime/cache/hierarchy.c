/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache/hierarchy.h"

#include <string.h>

/* ---- what a hierarchy must be -----------------------------------------------------------------
 */

static pluss_status refuse(plussi_ctx *ctx, const plussi_cache_level *level, const char *why)
{
    return plussi_fail(ctx, PLUSS_EINVAL, NULL, "cache %s: %s", level->name, why);
}

static pluss_status check_size(plussi_ctx *ctx, const plussi_hierarchy *h,
                               const plussi_cache_level *l)
{
    uint64_t set_bytes = (uint64_t)(l->ways ? l->ways : 1) * h->line_bytes;
    if (l->bytes == 0 || l->bytes % set_bytes != 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "cache %s: %llu bytes are no multiple of %u ways and lines of %u bytes",
                           l->name, (unsigned long long)l->bytes, l->ways ? l->ways : 1,
                           h->line_bytes);
    if (l->page_bytes % h->line_bytes != 0)
        return refuse(ctx, l, "a page is no multiple of a line");
    return PLUSS_OK;
}

static pluss_status check_order(plussi_ctx *ctx, const plussi_cache_level *l,
                                const plussi_cache_level *before)
{
    if (!before)
        return l->inclusion == PLUSSI_INCLUSION_EXCLUSIVE
                   ? refuse(ctx, l, "the first level has none that it could exclude")
                   : PLUSS_OK;
    uint32_t own = l->threads_per_cache, earlier = before->threads_per_cache;
    if (own != 0 && (earlier == 0 || own % earlier != 0))
        return refuse(ctx, l, "its threads are no multiple of those of the level before it");
    return PLUSS_OK;
}

pluss_status plussi_hierarchy_check(plussi_ctx *ctx, const plussi_hierarchy *h)
{
    pluss_status status = PLUSS_OK;
    if (h->line_bytes == 0 || (h->line_bytes & (h->line_bytes - 1)) != 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a line of %u bytes: no power of two",
                           h->line_bytes);
    if (h->n == 0 || h->n > PLUSSI_LEVELS_MOST)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%zu levels of caches: there are 1 to %d", h->n,
                           PLUSSI_LEVELS_MOST);
    for (size_t i = 0; i < h->n && !status; i++) {
        const plussi_cache_level *l = &h->level[i];
        for (size_t j = 0; j < i && !status; j++)
            if (l->name[0] && strcmp(l->name, h->level[j].name) == 0)
                status = refuse(ctx, l, "two caches have this name");
        if (!status)
            status = check_size(ctx, h, l);
        if (!status)
            status = check_order(ctx, l, i ? &h->level[i - 1] : NULL);
    }
    return status;
}
