/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/cache_levels.h"

#include <string.h>

static bool ends_here(const plussi_argument *a)
{
    return !*a->at || *a->at == ',' || *a->at == ':';
}

/* Passes over the word if it comes next, and is a whole one. */
static bool skip_word(plussi_argument *a, const char *word)
{
    size_t n = strlen(word);
    const plussi_argument after = {.at = a->at + n};
    if (strncmp(a->at, word, n) != 0 || (word[n - 1] != '=' && !ends_here(&after)))
        return false;
    a->at += n;
    return true;
}

static bool read_positive(plussi_argument *a, const char *why, uint32_t *out)
{
    const char *start = a->at;
    uint64_t n = 0;
    if (!plussi_read_count(a, &n))
        return false;
    if (n == 0 || n > UINT32_MAX) {
        a->at = start;
        return plussi_refuse(a, why);
    }
    *out = (uint32_t)n;
    return true;
}

/* *sweep: several ways, of level number n. */
static bool read_ways(plussi_argument *a, plussi_cache_level *level, size_t n,
                      plussi_ways_sweep *sweep)
{
    const char *start = a->at;
    plussi_sweep ways;
    if (!plussi_read_sweep(a, "/", "full", "a set has at least one way", &ways))
        return false;
    level->ways = ways.value[0];
    level->ways_from = PLUSSI_WAYS_GIVEN;
    if (ways.n < 2)
        return true;
    if (sweep->ways.n) {
        a->at = start;
        return plussi_refuse(a, "the ways of one cache change at a time");
    }
    *sweep = (plussi_ways_sweep){n, ways};
    return true;
}

/* Who shares the cache; false: the word is another one. */
static bool skip_sharing(plussi_argument *a, plussi_cache_level *level, bool *good)
{
    if (skip_word(a, "shared="))
        *good =
            read_positive(a, "a cache is shared by at least one thread", &level->threads_per_cache);
    else if (skip_word(a, "shared"))
        level->threads_per_cache = 0;
    else if (skip_word(a, "private"))
        level->threads_per_cache = 1;
    else
        return false;
    return true;
}

/* How the cache works. */
static bool read_setting(plussi_argument *a, plussi_cache_level *level, size_t n,
                         plussi_ways_sweep *sweep)
{
    if (skip_word(a, "ways="))
        return read_ways(a, level, n, sweep);
    if (skip_word(a, "pages="))
        return plussi_read_size(a, &level->page_bytes);
    else if (skip_word(a, "inclusive"))
        level->inclusion = PLUSSI_INCLUSION_INCLUSIVE;
    else if (skip_word(a, "exclusive"))
        level->inclusion = PLUSSI_INCLUSION_EXCLUSIVE;
    else if (skip_word(a, "hashed"))
        level->hashed = true;
    else if (skip_word(a, "write-through"))
        level->write_through = true;
    else if (skip_word(a, "no-write-allocate"))
        level->no_write_allocate = true;
    else
        return plussi_refuse(a,
                             "after a cache's size comes :private, :shared, :shared=THREADS, "
                             ":ways=N, :ways=1..16, :ways=full, :inclusive, :exclusive, :hashed, "
                             ":pages=BYTES, :write-through or :no-write-allocate");
    return true;
}

/* NAME=, if there is one. */
static bool read_name(plussi_argument *a, plussi_cache_level *level,
                      const plussi_cache_level *before, size_t n)
{
    size_t length = strcspn(a->at, "=,:");
    if (a->at[length] != '=')
        return true;
    if (length == 0 || length >= PLUSSI_LEVEL_NAME)
        return plussi_refuse(a, "the name of a cache has 1 to 15 characters");
    memcpy(level->name, a->at, length);
    for (size_t i = 0; i < n; i++)
        if (strcmp(before[i].name, level->name) == 0)
            return plussi_refuse(a, "two caches have the same name");
    level->threads_per_cache = 1;
    a->at += length + 1;
    return true;
}

static bool read_level(plussi_argument *a, plussi_cache_level *level,
                       const plussi_cache_level *before, size_t n, bool *described,
                       plussi_ways_sweep *sweep)
{
    const char *start = a->at;
    *level = (plussi_cache_level){.ways_from = PLUSSI_WAYS_UNKNOWN};
    if (!read_name(a, level, before, n) || !plussi_read_size(a, &level->bytes))
        return false;
    if (!ends_here(a))
        return plussi_refuse(a, "a size is a number of bytes with K, M, G or T after it");
    for (bool good = true; plussi_skip(a, ":");) {
        if (!skip_sharing(a, level, &good)) {
            good = read_setting(a, level, n, sweep);
            *described = true;
        }
        if (!good)
            return false;
        if (!ends_here(a))
            return plussi_refuse(a, "a colon or a comma is expected");
    }
    for (size_t i = 0; i < n && !level->name[0]; i++)
        if (!before[i].name[0] && before[i].bytes == level->bytes &&
            before[i].threads_per_cache == level->threads_per_cache) {
            a->at = start;
            return plussi_refuse(a, "the same cache is given twice");
        }
    return true;
}

bool plussi_read_caches(plussi_argument *a, plussi_cache_level *level, size_t *n, bool *described,
                        plussi_ways_sweep *sweep)
{
    size_t names = 0;
    *n = 0;
    *described = false;
    *sweep = (plussi_ways_sweep){0};
    do {
        if (*n == PLUSSI_CACHES_MOST)
            return plussi_refuse(a, "the list is too long");
        if (!read_level(a, &level[*n], level, *n, described, sweep))
            return false;
        names += level[(*n)++].name[0] != '\0';
    } while (plussi_skip(a, ","));
    if (!plussi_at_end(a))
        return false;
    if (*described && (names < *n || *n > PLUSSI_LEVELS_MOST))
        return plussi_refuse(a, "caches whose ways or policies are given have names, as in "
                                "L1=32K:ways=8, and are 8 at most");
    return true;
}
