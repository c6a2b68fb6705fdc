/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The description of a memory hierarchy: levels of caches, the first one nearest to a thread. Any
 * number of sets and ways; LRU replacement in each set.
 */
#ifndef PLUSSI_CACHE_HIERARCHY_H
#define PLUSSI_CACHE_HIERARCHY_H

#include <stdbool.h>

#include "base/ctx.h"

enum { PLUSSI_LEVELS_MOST = 8, PLUSSI_LEVEL_NAME = 16 };

/* What a level holds of the lines in the level before it. */
typedef enum plussi_inclusion {
    PLUSSI_INCLUSION_FREE,      /* whatever was not replaced */
    PLUSSI_INCLUSION_INCLUSIVE, /* all of them: what it loses, they lose */
    PLUSSI_INCLUSION_EXCLUSIVE, /* none: it is filled with what they replace */
} plussi_inclusion;

/* "neither", "inclusive", "exclusive". */
const char *plussi_inclusion_name(plussi_inclusion inclusion);

/* Who tells the ways of a level. */
typedef enum plussi_ways_from {
    PLUSSI_WAYS_GIVEN,   /* its description */
    PLUSSI_WAYS_MACHINE, /* a machine that has a level of this name */
    PLUSSI_WAYS_UNKNOWN, /* nobody: it is taken as fully associative */
} plussi_ways_from;

/* "given", "machine", "unknown". */
const char *plussi_ways_from_name(plussi_ways_from from);

typedef struct plussi_cache_level {
    char name[PLUSSI_LEVEL_NAME]; /* "L1" */
    uint64_t bytes;
    uint32_t ways; /* 0: one set that holds all lines (fully associative) */
    plussi_ways_from ways_from;
    uint32_t threads_per_cache; /* 0: the whole team */
    plussi_inclusion inclusion;
    bool hashed;         /* a line's set: by a hash of its number, not the number modulo the sets */
    uint64_t page_bytes; /* not 0: physical addresses, pages of this size in random places */
    bool write_through;  /* writes go on to the next level, and the line stays clean */
    bool no_write_allocate; /* a write that misses does not fetch the line */
} plussi_cache_level;

typedef struct plussi_hierarchy {
    uint32_t line_bytes; /* a power of two, of all levels */
    size_t n;            /* levels, at least 1 */
    plussi_cache_level level[PLUSSI_LEVELS_MOST];
} plussi_hierarchy;

/* The caches of a machine. */
typedef struct plussi_machine_caches {
    plussi_hierarchy hierarchy; /* threads_per_cache: processors that share a cache; n 0: unknown */
    uint32_t count[PLUSSI_LEVELS_MOST]; /* such caches; 0: as many as the threads need */
    uint32_t cores, processors; /* hardware threads; 0: not known, the levels are any team's */
} plussi_machine_caches;

/* What is wrong with level *level; NULL: nothing: a size that is no positive multiple of ways times
 * lines; a cache that fewer threads share than the one before, or a number that is no multiple of
 * it; an exclusive first level; the same name twice. A line and a number of levels that cannot be
 * are faults of level SIZE_MAX. Writes into text. */
const char *plussi_hierarchy_fault(const plussi_hierarchy *h, size_t *level, char text[128]);
/* PLUSS_EINVAL where there is such a fault, naming the level. */
PLUSS_NODISCARD pluss_status plussi_hierarchy_check(plussi_ctx *ctx, const plussi_hierarchy *h);

/* The levels as a team uses them: a thread a core, if there are cores enough, else one a processor.
 * More threads than processors take turns on them: other levels then are as if there were more
 * such caches, those of the last one have more threads. */
void plussi_hierarchy_of_team(const plussi_machine_caches *caches, uint32_t team,
                              plussi_hierarchy *out);

/* Whether both name one level: L1 is L1d, too. */
bool plussi_is_same_level(const char *a, const char *b);
/* The level of this name, whose ways are known: L1 is L1d, too. NULL: there is none. */
const plussi_cache_level *plussi_hierarchy_find_ways(const plussi_hierarchy *h, const char *name);
/* Levels whose ways are unknown take those of the other hierarchy's level of the same name, where
 * their size is a multiple of ways times lines. */
void plussi_hierarchy_take_ways(plussi_hierarchy *h, const plussi_hierarchy *from);

static inline uint64_t plussi_level_ways(const plussi_hierarchy *h, size_t level)
{
    const plussi_cache_level *l = &h->level[level];
    return l->ways ? l->ways : l->bytes / h->line_bytes;
}

static inline uint64_t plussi_level_sets(const plussi_hierarchy *h, size_t level)
{
    return h->level[level].bytes / h->line_bytes / plussi_level_ways(h, level);
}

/* Threads of the team that share a cache of the level; 0: all. */
static inline uint32_t plussi_level_threads(const plussi_hierarchy *h, size_t level, uint32_t team)
{
    uint32_t threads = h->level[level].threads_per_cache;
    return threads < team ? threads : 0;
}

/* A line may be in any set, whatever its number. */
static inline bool plussi_level_scatters(const plussi_hierarchy *h, size_t level)
{
    const plussi_cache_level *l = &h->level[level];
    return l->hashed ||
           (l->page_bytes && l->page_bytes < plussi_level_sets(h, level) * h->line_bytes);
}

/* What the level holds is asked of its sets one by one: lines are in sets by their numbers, or
 * there is one small set. */
static inline bool plussi_level_is_searched(const plussi_hierarchy *h, size_t level)
{
    enum { SMALL = 64 /* lines */ };
    return !plussi_level_scatters(h, level) &&
           (plussi_level_sets(h, level) > 1 || plussi_level_ways(h, level) <= SMALL);
}

/* Caches of a level that a team of this size uses. */
static inline uint32_t plussi_level_caches(const plussi_cache_level *level, uint32_t team)
{
    return level->threads_per_cache ? (team - 1) / level->threads_per_cache + 1 : 1;
}

#endif
