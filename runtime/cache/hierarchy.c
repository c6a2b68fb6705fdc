/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache/hierarchy.h"

#include <stdio.h>
#include <string.h>

const char *plussi_inclusion_name(plussi_inclusion inclusion)
{
    static const char *const name[] = {
        [PLUSSI_INCLUSION_FREE] = "neither",
        [PLUSSI_INCLUSION_INCLUSIVE] = "inclusive",
        [PLUSSI_INCLUSION_EXCLUSIVE] = "exclusive",
    };
    return name[inclusion];
}

const char *plussi_ways_from_name(plussi_ways_from from)
{
    static const char *const name[] = {
        [PLUSSI_WAYS_GIVEN] = "given",
        [PLUSSI_WAYS_MACHINE] = "machine",
        [PLUSSI_WAYS_UNKNOWN] = "unknown",
    };
    return name[from];
}

/* ---- what a hierarchy must be -----------------------------------------------------------------
 */

static const char *find_size_fault(const plussi_hierarchy *h, const plussi_cache_level *l,
                                   char text[128])
{
    uint64_t ways = l->ways ? l->ways : 1;
    if (l->bytes == 0 || l->bytes % (ways * h->line_bytes) != 0) {
        snprintf(text, 128, "%llu bytes are no multiple of %llu ways and lines of %u bytes",
                 (unsigned long long)l->bytes, (unsigned long long)ways, h->line_bytes);
        return text;
    }
    return l->page_bytes % h->line_bytes != 0 ? "a page is no multiple of a line" : NULL;
}

static const char *find_order_fault(const plussi_cache_level *l, const plussi_cache_level *before)
{
    if (!before)
        return l->inclusion == PLUSSI_INCLUSION_EXCLUSIVE
                   ? "the first level has none that it could exclude"
                   : NULL;
    uint32_t own = l->threads_per_cache, earlier = before->threads_per_cache;
    return own != 0 && (earlier == 0 || own % earlier != 0)
               ? "its threads are no multiple of those of the level before it"
               : NULL;
}

const char *plussi_hierarchy_fault(const plussi_hierarchy *h, size_t *level, char text[128])
{
    const char *why = NULL;
    *level = SIZE_MAX;
    if (h->line_bytes == 0 || (h->line_bytes & (h->line_bytes - 1)) != 0) {
        snprintf(text, 128, "a line of %u bytes: no power of two", h->line_bytes);
        return text;
    }
    if (h->n == 0 || h->n > PLUSSI_LEVELS_MOST) {
        snprintf(text, 128, "%zu levels of caches: there are 1 to %d", h->n, PLUSSI_LEVELS_MOST);
        return text;
    }
    for (size_t i = 0; i < h->n && !why; i++) {
        const plussi_cache_level *l = &h->level[i];
        *level = i;
        for (size_t j = 0; j < i && !why; j++)
            if (l->name[0] && strcmp(l->name, h->level[j].name) == 0)
                why = "two caches have this name";
        if (!why)
            why = find_size_fault(h, l, text);
        if (!why)
            why = find_order_fault(l, i ? &h->level[i - 1] : NULL);
    }
    return why;
}

pluss_status plussi_hierarchy_check(plussi_ctx *ctx, const plussi_hierarchy *h)
{
    char text[128];
    size_t level;
    const char *why = plussi_hierarchy_fault(h, &level, text);
    if (!why)
        return PLUSS_OK;
    if (level == SIZE_MAX)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%s", why);
    return plussi_fail(ctx, PLUSS_EINVAL, NULL, "cache %s: %s", h->level[level].name, why);
}

/* ---- ways that a description leaves out --------------------------------------------------------
 */

/* The length of a name without the d of a data cache: L1 and L1d are one level. */
static size_t measure_name(const char *name)
{
    size_t n = strlen(name);
    return n > 1 && name[n - 1] == 'd' ? n - 1 : n;
}

bool plussi_is_same_level(const char *a, const char *b)
{
    const size_t n = measure_name(a);
    return n == measure_name(b) && memcmp(a, b, n) == 0;
}

const plussi_cache_level *plussi_hierarchy_find_ways(const plussi_hierarchy *h, const char *name)
{
    for (size_t i = 0; i < h->n; i++) {
        const plussi_cache_level *l = &h->level[i];
        if (l->ways_from != PLUSSI_WAYS_UNKNOWN && plussi_is_same_level(l->name, name))
            return l;
    }
    return NULL;
}

void plussi_hierarchy_take_ways(plussi_hierarchy *h, const plussi_hierarchy *from)
{
    for (size_t i = 0; i < h->n; i++) {
        plussi_cache_level *l = &h->level[i];
        const plussi_cache_level *there = plussi_hierarchy_find_ways(from, l->name);
        if (l->ways_from != PLUSSI_WAYS_UNKNOWN || !there ||
            (there->ways && l->bytes % ((uint64_t)there->ways * h->line_bytes) != 0))
            continue;
        l->ways = there->ways;
        l->ways_from = PLUSSI_WAYS_MACHINE;
    }
}

/* ---- what a team has of a machine --------------------------------------------------------------
 */

void plussi_hierarchy_of_team(const plussi_machine_caches *caches, uint32_t team,
                              plussi_hierarchy *out)
{
    bool one_a_core = caches->cores && caches->processors > caches->cores && team <= caches->cores;
    uint64_t before = 1;
    *out = caches->hierarchy;
    for (size_t i = 0; i < out->n && caches->processors; i++) {
        uint64_t threads = out->level[i].threads_per_cache;
        uint32_t n = caches->count[i];
        if (one_a_core)
            threads = threads * caches->cores / caches->processors;
        if (i + 1 == out->n && n && threads < (team - 1) / n + 1)
            threads = (team - 1) / n + 1;
        before *= threads > before ? (threads + before - 1) / before : 1;
        out->level[i].threads_per_cache = before > UINT32_MAX ? 0 : (uint32_t)before;
    }
}
