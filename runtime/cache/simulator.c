/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache/simulator.h"

#include <string.h>

#include "cache/holders.h"
#include "cache/store.h"

/* What a cache knows of a line that it does not hold; else when it was taken away. */
enum { NEVER_HELD, REPLACED, FIRST_TIME };

typedef struct cache {
    plussi_store store;
    plussi_store full;   /* fully associative, of the same size; unused if the cache itself is */
    plussi_linemap past; /* line: NEVER_HELD, REPLACED, or the time when it was taken away */
} cache;

struct plussi_cache_simulator {
    plussi_mem mem;
    plussi_hierarchy h;
    uint32_t team, n_references, line_shift;
    bool coherent;
    size_t first[PLUSSI_LEVELS_MOST + 1]; /* by level: its first cache */
    cache *cache;
    plussi_sharing sharing;
    plussi_linemap toucher;                  /* line: the thread that touched it last, from 1 */
    uint64_t time;                           /* accesses so far, from FIRST_TIME */
    plussi_level_counts *reference, *thread; /* by level, then by number */
    bool failed;                             /* out of memory */
    /* the access that is served */
    const plussi_cache_access *access;
    uint64_t line;
    bool after_other; /* another thread touched the line last */
    bool was_in_full; /* what the last request found there */
};

typedef plussi_cache_simulator simulator;

/* ---- caches of a thread -----------------------------------------------------------------------
 */

static size_t cache_of(const simulator *s, size_t level, uint32_t thread)
{
    uint32_t n = s->h.level[level].threads_per_cache;
    return s->first[level] + (n ? thread / n : 0);
}

static size_t level_of(const simulator *s, size_t number)
{
    size_t level = 0;
    while (number >= s->first[level + 1])
        level++;
    return level;
}

static uint32_t first_thread_of(const simulator *s, size_t level, size_t number)
{
    return (uint32_t)(number - s->first[level]) * s->h.level[level].threads_per_cache;
}

/* ---- counting ---------------------------------------------------------------------------------
 */

#define COUNT(s, level, what)                                                                      \
    ((s)->reference[(level) * (s)->n_references + (s)->access->reference].what++,                  \
     (s)->thread[(level) * (s)->team + (s)->access->thread].what++)

static plussi_miss_kind kind_of_miss(simulator *s, const cache *c, uint64_t past)
{
    if (past == NEVER_HELD)
        return PLUSSI_MISS_COLD;
    if (past >= FIRST_TIME)
        return plussi_sharing_wrote(&s->sharing, s->line, s->access, past)
                   ? PLUSSI_MISS_TRUE_SHARING
                   : PLUSSI_MISS_FALSE_SHARING;
    return c->full.ways && s->was_in_full ? PLUSSI_MISS_CONFLICT : PLUSSI_MISS_CAPACITY;
}

static void count_miss(simulator *s, size_t level, cache *c)
{
    uint64_t *past = plussi_linemap_at(&c->past, s->line);
    if (!past) {
        s->failed = true;
        return;
    }
    COUNT(s, level, misses[kind_of_miss(s, c, *past)]);
    if (s->after_other)
        COUNT(s, level, after_other);
    *past = REPLACED;
}

/* ---- one cache --------------------------------------------------------------------------------
 */

static plussi_copy *use_line(simulator *s, cache *c, uint64_t line)
{
    s->was_in_full = c->full.ways && plussi_store_use(&c->full, line);
    return plussi_store_use(&c->store, line);
}

static bool remove_line(cache *c, uint64_t line, plussi_copy *copy)
{
    plussi_copy ignored;
    if (c->full.ways)
        (void)plussi_store_remove(&c->full, line, &ignored);
    return plussi_store_remove(&c->store, line, copy);
}

static void add_line(simulator *s, cache *c, plussi_copy copy, bool *replaced, plussi_copy *victim)
{
    bool dropped;
    plussi_copy ignored;
    if (c->full.ways && !plussi_store_find(&c->full, copy >> PLUSSI_COPY_BITS))
        s->failed |= plussi_store_add(&c->full, copy, &dropped, &ignored) != PLUSS_OK;
    *replaced = false;
    s->failed |= plussi_store_add(&c->store, copy, replaced, victim) != PLUSS_OK;
}

/* ---- lines that come and go -------------------------------------------------------------------
 */

static void write_back(simulator *s, size_t level, uint32_t thread, uint64_t line);
static void replace(simulator *s, size_t level, size_t number, plussi_copy copy);

static void insert(simulator *s, size_t level, size_t number, plussi_copy copy)
{
    cache *c = &s->cache[number];
    bool replaced;
    plussi_copy victim;
    if (s->failed)
        return;
    add_line(s, c, copy, &replaced, &victim);
    s->failed |= s->coherent &&
                 plussi_sharing_hold(&s->sharing, copy >> PLUSSI_COPY_BITS, number) != PLUSS_OK;
    if (replaced && !s->failed)
        replace(s, level, number, victim);
}

/* The earlier caches lose a line that an inclusive one replaces; true: one of them had written it.
 */
static bool take_from_earlier(simulator *s, size_t level, size_t number, uint64_t line)
{
    uint32_t begin = first_thread_of(s, level, number), n = s->h.level[level].threads_per_cache;
    uint32_t end = n && n < s->team - begin ? begin + n : s->team;
    bool dirty = false;
    plussi_copy copy;
    for (size_t j = 0; j < level; j++)
        for (size_t c = cache_of(s, j, begin); c <= cache_of(s, j, end - 1); c++)
            if (remove_line(&s->cache[c], line, &copy)) {
                dirty |= copy & PLUSSI_COPY_DIRTY;
                if (s->coherent)
                    plussi_sharing_drop(&s->sharing, line, c);
            }
    return dirty;
}

static void replace(simulator *s, size_t level, size_t number, plussi_copy copy)
{
    uint64_t line = copy >> PLUSSI_COPY_BITS;
    bool dirty = copy & PLUSSI_COPY_DIRTY;
    uint32_t thread = first_thread_of(s, level, number);
    if (s->coherent)
        plussi_sharing_drop(&s->sharing, line, number);
    if (s->h.level[level].inclusion == PLUSSI_INCLUSION_INCLUSIVE)
        dirty |= take_from_earlier(s, level, number, line);
    if (level + 1 < s->h.n && s->h.level[level + 1].inclusion == PLUSSI_INCLUSION_EXCLUSIVE) {
        size_t next = cache_of(s, level + 1, thread);
        plussi_copy *there = plussi_store_find(&s->cache[next].store, line);
        COUNT(s, level, written_back);
        if (there)
            *there |= dirty ? PLUSSI_COPY_DIRTY : 0;
        else
            insert(s, level + 1, next, copy | (dirty ? PLUSSI_COPY_DIRTY : 0));
    } else if (dirty) {
        COUNT(s, level, written_back);
        write_back(s, level + 1, thread, line);
    }
}

/* A written line comes to this level; beyond the last one: to memory. */
static void write_back(simulator *s, size_t level, uint32_t thread, uint64_t line)
{
    if (level == s->h.n)
        return;
    const plussi_cache_level *l = &s->h.level[level];
    size_t number = cache_of(s, level, thread);
    plussi_copy *there = plussi_store_find(&s->cache[number].store, line);
    if (there && !l->write_through) {
        *there |= PLUSSI_COPY_DIRTY;
    } else if (there || l->no_write_allocate || l->write_through) {
        COUNT(s, level, written_back);
        write_back(s, level + 1, thread, line);
    } else {
        insert(s, level, number, line << PLUSSI_COPY_BITS | PLUSSI_COPY_DIRTY);
    }
}

/* ---- coherence --------------------------------------------------------------------------------
 */

/* The first level whose cache serves both this thread and that cache's; the number of levels: none
 * does. */
static size_t common_level(const simulator *s, size_t level, size_t number)
{
    uint32_t other = first_thread_of(s, level, number);
    while (level < s->h.n && cache_of(s, level, other) != cache_of(s, level, s->access->thread))
        level++;
    return level;
}

/* A copy elsewhere, which this access takes away or makes a shared one. */
static void settle_copy(simulator *s, size_t number)
{
    size_t level = level_of(s, number), common = common_level(s, level, number);
    cache *c = &s->cache[number];
    plussi_copy *there = plussi_store_find(&c->store, s->line), copy;
    if (!there)
        return;
    bool dirty = *there & PLUSSI_COPY_DIRTY;
    if (s->access->write) {
        uint64_t *past = plussi_linemap_at(&c->past, s->line);
        (void)remove_line(c, s->line, &copy);
        plussi_sharing_drop(&s->sharing, s->line, number);
        if (past)
            *past = s->time;
        s->failed |= !past;
    } else {
        *there = (*there | PLUSSI_COPY_SHARED) & ~(plussi_copy)PLUSSI_COPY_DIRTY;
    }
    if (dirty) {
        COUNT(s, level, written_back);
        write_back(s, common, s->access->thread, s->line);
    }
}

/* Settles what the caches of other threads hold; flags for the copy that this thread has then. */
static plussi_copy settle_others(simulator *s)
{
    bool shared = false;
    for (size_t c = 0; (c = plussi_sharing_next(&s->sharing, s->line, c)) != SIZE_MAX; c++)
        if (cache_of(s, level_of(s, c), s->access->thread) != c) {
            settle_copy(s, c);
            shared = true;
        }
    if (s->access->write && shared)
        s->failed |= plussi_sharing_watch(&s->sharing, s->line) != PLUSS_OK;
    bool watched = plussi_sharing_is_watched(&s->sharing, s->line);
    return (shared && !s->access->write ? PLUSSI_COPY_SHARED : 0) |
           (watched ? PLUSSI_COPY_WATCHED : 0);
}

/* ---- an access --------------------------------------------------------------------------------
 */

/* The line at this level and beyond: PLUSSI_COPY_DIRTY where it comes out of an exclusive cache
 * that had it written, and moves up. */
static plussi_copy serve(simulator *s, size_t level, bool write, plussi_copy flags)
{
    if (level == s->h.n)
        return 0;
    const plussi_cache_level *l = &s->h.level[level];
    size_t number = cache_of(s, level, s->access->thread);
    cache *c = &s->cache[number];
    bool keeps = level == 0 || l->inclusion != PLUSSI_INCLUSION_EXCLUSIVE;
    COUNT(s, level, requests);
    plussi_copy *there = use_line(s, c, s->line), moved = 0;
    if (there) {
        if (write && !l->write_through && keeps)
            *there |= PLUSSI_COPY_DIRTY;
        if (write && l->write_through)
            (void)serve(s, level + 1, true, flags);
        if (!keeps && remove_line(c, s->line, &moved) && s->coherent)
            plussi_sharing_drop(&s->sharing, s->line, number);
        return moved & PLUSSI_COPY_DIRTY;
    }
    count_miss(s, level, c);
    bool fetch = !(write && l->no_write_allocate), on = write && (l->write_through || !fetch);
    moved = serve(s, level + 1, on, flags);
    if (fetch)
        COUNT(s, level, fetched);
    if (!fetch || !keeps)
        return moved;
    insert(s, level, number,
           s->line << PLUSSI_COPY_BITS | flags | moved |
               (write && !l->write_through ? PLUSSI_COPY_DIRTY : 0));
    return 0;
}

/* Notes whether another thread touched the line last. */
static void note_toucher(simulator *s)
{
    uint64_t *last = plussi_linemap_at(&s->toucher, s->line), own = s->access->thread + UINT64_C(1);
    s->failed |= !last;
    if (last) {
        s->after_other = *last && *last != own;
        *last = own;
    }
}

static void access_line(simulator *s)
{
    if (s->team > 1)
        note_toucher(s);
    plussi_copy flags = 0;
    size_t own = cache_of(s, 0, s->access->thread);
    if (s->coherent) {
        const plussi_copy *there = plussi_store_find(&s->cache[own].store, s->line);
        bool settled =
            there && (!s->access->write || !(*there & (PLUSSI_COPY_SHARED | PLUSSI_COPY_WATCHED)));
        flags = settled ? 0 : settle_others(s);
    }
    (void)serve(s, 0, s->access->write, flags);
    if (s->coherent && s->access->write) {
        plussi_copy *there = plussi_store_find(&s->cache[own].store, s->line);
        if (there)
            *there = (*there & ~(plussi_copy)PLUSSI_COPY_SHARED) | flags;
        if (flags & PLUSSI_COPY_WATCHED)
            plussi_sharing_write(&s->sharing, s->line, s->access, s->time);
    }
}

pluss_status plussi_cache_simulator_run(plussi_cache_simulator *s,
                                        const plussi_cache_access *access, size_t n)
{
    for (size_t i = 0; i < n && !s->failed; i++, s->time++) {
        s->access = &access[i];
        s->line = access[i].address >> s->line_shift;
        access_line(s);
    }
    return s->failed ? PLUSS_ENOMEM : PLUSS_OK;
}

/* ---- begin and end ----------------------------------------------------------------------------
 */

static pluss_status init_cache(plussi_ctx *ctx, const simulator *s, size_t level, cache *c)
{
    plussi_linemap_init(&c->past, &ctx->mem);
    pluss_status status = plussi_store_init(ctx, &s->h, level, &c->store);
    if (status || c->store.sets == 1)
        return status;
    plussi_hierarchy full = {.line_bytes = s->h.line_bytes, .n = 1};
    full.level[0].bytes = s->h.level[level].bytes;
    return plussi_store_init(ctx, &full, 0, &c->full);
}

static void free_caches(simulator *s)
{
    for (size_t c = 0; s->cache && c < s->first[s->h.n]; c++) {
        plussi_store_free(&s->cache[c].store);
        plussi_store_free(&s->cache[c].full);
        if (s->cache[c].past.mem.resize)
            plussi_linemap_free(&s->cache[c].past);
        s->cache[c] = (cache){0};
    }
    plussi_sharing_free(&s->sharing);
    if (s->toucher.mem.resize)
        plussi_linemap_free(&s->toucher);
}

static pluss_status fill_caches(plussi_ctx *ctx, simulator *s)
{
    pluss_status status = PLUSS_OK;
    size_t n = s->first[s->h.n];
    for (size_t c = 0; c < n && !status; c++)
        status = init_cache(ctx, s, level_of(s, c), &s->cache[c]);
    plussi_sharing_init(&s->mem, n, s->h.line_bytes, &s->sharing);
    plussi_linemap_init(&s->toucher, &s->mem);
    s->failed = s->failed || status;
    return status;
}

static pluss_status init_caches(plussi_ctx *ctx, simulator *s)
{
    for (size_t i = 0; i < s->h.n; i++)
        s->first[i + 1] = s->first[i] + plussi_level_caches(&s->h.level[i], s->team);
    s->coherent = s->first[1] > 1;
    s->cache = plussi_calloc(&s->mem, s->first[s->h.n], sizeof *s->cache);
    s->reference = plussi_calloc(&s->mem, s->h.n * s->n_references, sizeof *s->reference);
    s->thread = plussi_calloc(&s->mem, s->h.n * s->team, sizeof *s->thread);
    return s->cache && s->reference && s->thread ? fill_caches(ctx, s) : PLUSS_ENOMEM;
}

pluss_status plussi_cache_simulator_empty(plussi_ctx *ctx, plussi_cache_simulator *s)
{
    free_caches(s);
    return fill_caches(ctx, s);
}

pluss_status plussi_cache_simulator_new(plussi_ctx *ctx, const plussi_hierarchy *h, uint32_t team,
                                        uint32_t n_references, plussi_cache_simulator **out)
{
    pluss_status status = plussi_hierarchy_check(ctx, h);
    if (status)
        return status;
    if (team == 0 || n_references == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "caches of no %s",
                           team ? "references" : "threads");
    simulator *s = plussi_calloc(&ctx->mem, 1, sizeof *s);
    if (!s)
        return PLUSS_ENOMEM;
    *s = (simulator){.mem = ctx->mem,
                     .h = *h,
                     .team = team,
                     .n_references = n_references,
                     .line_shift = (uint32_t)__builtin_ctz(h->line_bytes),
                     .time = FIRST_TIME};
    status = init_caches(ctx, s);
    if (status)
        plussi_cache_simulator_free(s);
    else
        *out = s;
    return status;
}

void plussi_cache_simulator_free(plussi_cache_simulator *s)
{
    if (!s)
        return;
    plussi_mem mem = s->mem;
    free_caches(s);
    plussi_free(&mem, s->cache);
    plussi_free(&mem, s->reference);
    plussi_free(&mem, s->thread);
    plussi_free(&mem, s);
}

const plussi_level_counts *plussi_cache_by_reference(const plussi_cache_simulator *s, size_t level,
                                                     uint32_t reference)
{
    return &s->reference[level * s->n_references + reference];
}

const plussi_level_counts *plussi_cache_by_thread(const plussi_cache_simulator *s, size_t level,
                                                  uint32_t thread)
{
    return &s->thread[level * s->team + thread];
}
