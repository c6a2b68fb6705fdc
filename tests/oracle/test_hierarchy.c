/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The simulation of memory hierarchies against one that keeps plain lists, on random hierarchies
 * and random accesses; descriptions as text; lack of memory.
 */
#include <stdio.h>
#include <string.h>

#include "../unit/failing_mem.h"
#include "../unit/suite.h"
#include "base/rng.h"
#include "cache/simulator.h"
#include "exact/lru.h"
#include "study/cache_levels.h"

enum { LINES = 60, LINE_BYTES = 64, CACHES = 64, ACCESSES = 3000, REFERENCES = 3 };

/* ---- plain lists ------------------------------------------------------------------------------
 */

typedef struct list {
    uint64_t line[LINES];
    bool dirty[LINES];
    size_t n;
} list;

typedef struct plain_cache {
    list set[LINES], full; /* last used first */
    int past[LINES];       /* -1: never held; -2: replaced; else when it was taken away */
} plain_cache;

typedef struct plain {
    const plussi_hierarchy *h;
    uint32_t team;
    plain_cache cache[PLUSSI_LEVELS_MOST][CACHES];
    plussi_level_counts count[PLUSSI_LEVELS_MOST];
    const plussi_cache_access *all;
    size_t now;
} plain;

static size_t place_in(const list *l, uint64_t line)
{
    size_t i = 0;
    while (i < l->n && l->line[i] != line)
        i++;
    return i;
}

static bool take_out(list *l, uint64_t line, bool *dirty)
{
    size_t i = place_in(l, line);
    if (i == l->n)
        return false;
    *dirty = l->dirty[i];
    for (l->n--; i < l->n; i++) {
        l->line[i] = l->line[i + 1];
        l->dirty[i] = l->dirty[i + 1];
    }
    return true;
}

static void put_first(list *l, uint64_t line, bool dirty)
{
    for (size_t i = l->n++; i > 0; i--) {
        l->line[i] = l->line[i - 1];
        l->dirty[i] = l->dirty[i - 1];
    }
    l->line[0] = line;
    l->dirty[0] = dirty;
}

static uint32_t number_of(const plain *p, size_t level, uint32_t thread)
{
    uint32_t n = p->h->level[level].threads_per_cache;
    return n ? thread / n : 0;
}

static list *set_of(plain *p, size_t level, uint32_t number, uint64_t line)
{
    return &p->cache[level][number].set[line % plussi_level_sets(p->h, level)];
}

static void bring_written(plain *p, size_t level, uint32_t thread, uint64_t line);

static void put(plain *p, size_t level, uint32_t number, uint64_t line, bool dirty)
{
    const plussi_cache_level *l = &p->h->level[level];
    uint32_t thread = number * l->threads_per_cache;
    list *set = set_of(p, level, number, line), *full = &p->cache[level][number].full;
    bool ignored, out = false;
    uint64_t victim = 0;
    bool written = false;
    if (place_in(full, line) == full->n) {
        if (full->n == l->bytes / LINE_BYTES)
            full->n--;
        put_first(full, line, false);
    }
    if (set->n == plussi_level_ways(p->h, level)) {
        out = true;
        set->n--;
        victim = set->line[set->n];
        written = set->dirty[set->n];
    }
    put_first(set, line, dirty);
    if (!out)
        return;
    for (uint32_t t = 0; t < p->team && l->inclusion == PLUSSI_INCLUSION_INCLUSIVE; t++)
        for (size_t j = 0; j < level && number_of(p, level, t) == number; j++) {
            uint32_t c = number_of(p, j, t);
            bool was = false;
            if (take_out(set_of(p, j, c, victim), victim, &was))
                written |= was;
            (void)take_out(&p->cache[j][c].full, victim, &ignored);
        }
    bool excluded =
        level + 1 < p->h->n && p->h->level[level + 1].inclusion == PLUSSI_INCLUSION_EXCLUSIVE;
    if (excluded) {
        uint32_t next = number_of(p, level + 1, thread);
        list *there = set_of(p, level + 1, next, victim);
        size_t i = place_in(there, victim);
        p->count[level].written_back++;
        if (i < there->n)
            there->dirty[i] |= written;
        else
            put(p, level + 1, next, victim, written);
    } else if (written) {
        p->count[level].written_back++;
        bring_written(p, level + 1, thread, victim);
    }
}

static void bring_written(plain *p, size_t level, uint32_t thread, uint64_t line)
{
    if (level == p->h->n)
        return;
    const plussi_cache_level *l = &p->h->level[level];
    uint32_t number = number_of(p, level, thread);
    list *set = set_of(p, level, number, line);
    size_t i = place_in(set, line);
    if (!l->write_through && i < set->n) {
        set->dirty[i] = true;
    } else if (l->write_through || l->no_write_allocate) {
        p->count[level].written_back++;
        bring_written(p, level + 1, thread, line);
    } else {
        put(p, level, number, line, true);
    }
}

static plussi_miss_kind judge(const plain *p, size_t level, uint32_t number, bool in_full)
{
    const plussi_cache_access *a = &p->all[p->now];
    int past = p->cache[level][number].past[a->address / LINE_BYTES];
    if (past == -1)
        return PLUSSI_MISS_COLD;
    if (past == -2)
        return in_full ? PLUSSI_MISS_CONFLICT : PLUSSI_MISS_CAPACITY;
    for (size_t i = (size_t)past; i < p->now; i++) {
        const plussi_cache_access *w = &p->all[i];
        if (w->write && w->address < a->address + a->bytes && a->address < w->address + w->bytes)
            return PLUSSI_MISS_TRUE_SHARING;
    }
    return PLUSSI_MISS_FALSE_SHARING;
}

static bool is_after_other(const plain *p)
{
    const plussi_cache_access *a = &p->all[p->now];
    for (size_t i = p->now; i-- > 0;)
        if (p->all[i].address / LINE_BYTES == a->address / LINE_BYTES)
            return p->all[i].thread != a->thread;
    return false;
}

/* true: a written line moves up. */
static bool ask(plain *p, size_t level, bool write)
{
    if (level == p->h->n)
        return false;
    const plussi_cache_access *a = &p->all[p->now];
    const plussi_cache_level *l = &p->h->level[level];
    uint64_t line = a->address / LINE_BYTES;
    uint32_t number = number_of(p, level, a->thread);
    plain_cache *c = &p->cache[level][number];
    list *set = set_of(p, level, number, line);
    bool excludes = level > 0 && l->inclusion == PLUSSI_INCLUSION_EXCLUSIVE, dirty, old;
    p->count[level].requests++;
    bool in_full = take_out(&c->full, line, &old);
    if (in_full)
        put_first(&c->full, line, false);
    if (take_out(set, line, &dirty)) {
        if (excludes)
            (void)take_out(&c->full, line, &old);
        else
            put_first(set, line, dirty || (write && !l->write_through));
        if (write && l->write_through)
            (void)ask(p, level + 1, true);
        return excludes && dirty;
    }
    p->count[level].misses[judge(p, level, number, in_full)]++;
    p->count[level].after_other += is_after_other(p);
    c->past[line] = -2;
    bool fetch = !write || !l->no_write_allocate;
    bool up = ask(p, level + 1, write && (l->write_through || !fetch));
    p->count[level].fetched += fetch;
    if (!fetch || excludes)
        return up;
    put(p, level, number, line, up || (write && !l->write_through));
    return false;
}

static uint32_t first_common(const plain *p, size_t level, uint32_t number, uint32_t thread)
{
    uint32_t other = number * p->h->level[level].threads_per_cache;
    while (level < p->h->n && number_of(p, level, other) != number_of(p, level, thread))
        level++;
    return (uint32_t)level;
}

/* What others hold, in the order of their levels. */
static void settle(plain *p)
{
    const plussi_cache_access *a = &p->all[p->now];
    uint64_t line = a->address / LINE_BYTES;
    for (size_t level = 0; level < p->h->n; level++)
        for (uint32_t c = 0; c < plussi_level_caches(&p->h->level[level], p->team); c++) {
            if (c == number_of(p, level, a->thread))
                continue;
            list *set = set_of(p, level, c, line);
            size_t i = place_in(set, line);
            if (i == set->n)
                continue;
            bool dirty = set->dirty[i], ignored;
            set->dirty[i] = false;
            if (a->write) {
                (void)take_out(set, line, &ignored);
                (void)take_out(&p->cache[level][c].full, line, &ignored);
                p->cache[level][c].past[line] = (int)p->now;
            }
            if (dirty) {
                p->count[level].written_back++;
                bring_written(p, first_common(p, level, c, a->thread), a->thread, line);
            }
        }
}

static bool own_has(plain *p)
{
    const plussi_cache_access *a = &p->all[p->now];
    const list *set = set_of(p, 0, number_of(p, 0, a->thread), a->address / LINE_BYTES);
    return place_in(set, a->address / LINE_BYTES) < set->n;
}

/* ---- random hierarchies -----------------------------------------------------------------------
 */

static plussi_hierarchy draw_hierarchy(plussi_rng *rng)
{
    plussi_hierarchy h = {.line_bytes = LINE_BYTES, .n = 1 + plussi_rng_below(rng, 3)};
    uint32_t shared = 1 + (uint32_t)plussi_rng_below(rng, 2);
    for (size_t i = 0; i < h.n; i++) {
        plussi_cache_level *l = &h.level[i];
        uint64_t ways = 1 + plussi_rng_below(rng, 4), sets = 1 + plussi_rng_below(rng, 4 << i);
        snprintf(l->name, sizeof l->name, "L%zu", i + 1);
        l->ways = plussi_rng_below(rng, 5) ? (uint32_t)ways : 0;
        l->bytes = ways * sets * LINE_BYTES;
        l->threads_per_cache = shared;
        l->write_through = plussi_rng_below(rng, 5) == 0;
        l->no_write_allocate = plussi_rng_below(rng, 5) == 0;
        if (i > 0)
            l->inclusion = (plussi_inclusion)plussi_rng_below(rng, 3);
        shared = shared && plussi_rng_below(rng, 3)
                     ? shared * (1 + (uint32_t)plussi_rng_below(rng, 2))
                     : 0;
    }
    return h;
}

/* Threads have lines of their own and lines that all touch, some bytes of which are their own. */
static void draw_accesses(plussi_rng *rng, uint32_t team, plussi_cache_access *out)
{
    uint64_t writes = 1 + plussi_rng_below(rng, 4);
    for (size_t i = 0; i < ACCESSES; i++) {
        uint32_t thread = (uint32_t)plussi_rng_below(rng, team);
        uint64_t line = plussi_rng_below(rng, 2)
                            ? plussi_rng_below(rng, 12)
                            : 12 + (thread * 7 + plussi_rng_below(rng, 14)) % (LINES - 12);
        uint64_t offset =
            plussi_rng_below(rng, 2) ? 8 * (thread % 8) : 8 * plussi_rng_below(rng, 8);
        out[i] = (plussi_cache_access){.address = line * LINE_BYTES + offset,
                                       .reference = (uint32_t)plussi_rng_below(rng, REFERENCES),
                                       .thread = thread,
                                       .bytes = 1 + (uint32_t)plussi_rng_below(rng, 8),
                                       .write = plussi_rng_below(rng, 6) < writes};
    }
}

static void add_counts(plussi_level_counts *sum, const plussi_level_counts *c)
{
    sum->requests += c->requests;
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        sum->misses[k] += c->misses[k];
    sum->after_other += c->after_other;
    sum->fetched += c->fetched;
    sum->written_back += c->written_back;
}

static void expect_same(const plussi_level_counts *a, const plussi_level_counts *b, uint64_t seed,
                        size_t level)
{
    ck_assert_msg(a->requests == b->requests, "seed %llu, level %zu: %llu requests, not %llu",
                  (unsigned long long)seed, level, (unsigned long long)a->requests,
                  (unsigned long long)b->requests);
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        ck_assert_msg(a->misses[k] == b->misses[k],
                      "seed %llu, level %zu: %llu %s misses, not %llu", (unsigned long long)seed,
                      level, (unsigned long long)a->misses[k], plussi_miss_kind_name(k),
                      (unsigned long long)b->misses[k]);
    ck_assert_msg(a->after_other == b->after_other,
                  "seed %llu, level %zu: %llu after other threads, not %llu",
                  (unsigned long long)seed, level, (unsigned long long)a->after_other,
                  (unsigned long long)b->after_other);
    ck_assert_msg(a->fetched == b->fetched && a->written_back == b->written_back,
                  "seed %llu, level %zu: %llu fetched, %llu back, not %llu, %llu",
                  (unsigned long long)seed, level, (unsigned long long)a->fetched,
                  (unsigned long long)a->written_back, (unsigned long long)b->fetched,
                  (unsigned long long)b->written_back);
}

static void compare(uint64_t seed, bool *kind_seen)
{
    static plain p;
    static plussi_cache_access all[ACCESSES];
    plussi_rng rng;
    plussi_rng_seed(&rng, seed, 1);
    plussi_hierarchy h = draw_hierarchy(&rng);
    uint32_t team = 1 + (uint32_t)plussi_rng_below(&rng, 6);
    draw_accesses(&rng, team, all);
    p = (plain){.h = &h, .team = team, .all = all};
    for (size_t i = 0; i < PLUSSI_LEVELS_MOST; i++)
        for (size_t c = 0; c < CACHES; c++)
            memset(p.cache[i][c].past, -1, sizeof p.cache[i][c].past);
    bool coherent = plussi_level_caches(&h.level[0], team) > 1;
    for (p.now = 0; p.now < ACCESSES; p.now++) {
        if (coherent && (all[p.now].write || !own_has(&p)))
            settle(&p);
        (void)ask(&p, 0, all[p.now].write);
    }
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, &plussi_mem_libc);
    plussi_cache_simulator *s = NULL;
    ck_assert_int_eq(plussi_cache_simulator_new(&ctx, &h, team, REFERENCES, &s), PLUSS_OK);
    ck_assert_int_eq(plussi_cache_simulator_run(s, all, ACCESSES / 3), PLUSS_OK);
    ck_assert_int_eq(plussi_cache_simulator_run(s, all + ACCESSES / 3, ACCESSES - ACCESSES / 3),
                     PLUSS_OK);
    for (size_t i = 0; i < h.n; i++) {
        plussi_level_counts by_reference = {0}, by_thread = {0};
        for (uint32_t r = 0; r < REFERENCES; r++)
            add_counts(&by_reference, plussi_cache_by_reference(s, i, r));
        for (uint32_t t = 0; t < team; t++)
            add_counts(&by_thread, plussi_cache_by_thread(s, i, t));
        expect_same(&by_reference, &p.count[i], seed, i);
        expect_same(&by_thread, &p.count[i], seed, i);
        for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
            kind_seen[k] |= by_thread.misses[k] > 0;
    }
    plussi_cache_simulator_free(s);
    plussi_ctx_clear(&ctx);
}

START_TEST(same_as_plain_lists)
{
    bool kind_seen[PLUSSI_MISS_KINDS] = {0};
    for (int i = 0; i < suite_turns(600); i++)
        compare((uint64_t)suite_turn(i, 600), kind_seen);
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        ck_assert_msg(kind_seen[k], "no %s miss in all of these", plussi_miss_kind_name(k));
}
END_TEST

/* ---- against distances ------------------------------------------------------------------------
 */

/* A fully associative cache hits where the reuse distance is below its lines; also behind the limit
 * up to which ways are searched one by one. */
START_TEST(one_set_and_distances)
{
    static const uint64_t ways[] = {1, 24, 64, 65, 300};
    plussi_ctx ctx;
    plussi_rng rng;
    plussi_rng_seed(&rng, 61, (uint64_t)_i);
    plussi_ctx_init(&ctx, &plussi_mem_libc);
    plussi_hierarchy h = {.line_bytes = 32, .n = 1, .level = {{.bytes = 32 * ways[_i]}}};
    plussi_cache_simulator *s;
    plussi_lru *lru;
    uint64_t misses = 0;
    ck_assert_int_eq(plussi_cache_simulator_new(&ctx, &h, 1, 1, &s), PLUSS_OK);
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    for (int i = 0; i < 50000; i++) {
        uint64_t line = plussi_rng_below(&rng, 1 + plussi_rng_below(&rng, 4 * ways[_i]));
        misses += plussi_lru_touch(lru, line) >= ways[_i];
        const plussi_cache_access a = {.address = 32 * line + 7, .bytes = 1};
        ck_assert_int_eq(plussi_cache_simulator_run(s, &a, 1), PLUSS_OK);
        ck_assert_uint_eq(plussi_level_misses(plussi_cache_by_reference(s, 0, 0)), misses);
    }
    ck_assert_uint_eq(plussi_cache_by_reference(s, 0, 0)->misses[PLUSSI_MISS_CONFLICT], 0);
    plussi_cache_simulator_free(s);
    plussi_lru_free(lru);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* ---- descriptions as text ---------------------------------------------------------------------
 */

/* 0: the text is refused at *at; else the hierarchy's levels. */
static size_t read_text(const char *text, uint32_t line_bytes, plussi_hierarchy *h, size_t *at,
                        const char **why)
{
    plussi_cache_level level[PLUSSI_CACHES_MOST];
    plussi_argument a = {.text = text, .at = text};
    size_t n;
    bool described;
    plussi_ways_sweep sweep;
    bool good = plussi_read_caches(&a, level, &n, &described, &sweep);
    *at = (size_t)(a.at - text) + 1;
    *why = a.why;
    *h = (plussi_hierarchy){.line_bytes = line_bytes};
    for (size_t i = 0; i < n && good && h->n < PLUSSI_LEVELS_MOST; i++)
        h->level[h->n++] = level[i];
    return h->n;
}

static plussi_hierarchy hierarchy_of(const char *text)
{
    plussi_hierarchy h;
    size_t at;
    const char *why;
    ck_assert_msg(read_text(text, 64, &h, &at, &why) > 0, "%s, character %zu: %s", text, at, why);
    return h;
}

/* A column of a power of two meets in one set; not where sets are hashed, or pages are scattered.
 */
START_TEST(where_lines_meet)
{
    static const struct {
        const char *text;
        uint64_t stride;
        bool meet;
    } cases[] = {{"L1=32K:ways=8", 4096, true},          {"L1=32K:ways=8:hashed", 4096, false},
                 {"L1=1M:ways=8", 131072, true},         {"L1=1M:ways=8:pages=4K", 131072, false},
                 {"L1=1M:ways=8:pages=1M", 4096, false}, {"L1=33K:ways=11", 4096, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &plussi_mem_libc);
        plussi_hierarchy h = hierarchy_of(cases[c].text);
        plussi_cache_simulator *s;
        ck_assert_int_eq(plussi_cache_simulator_new(&ctx, &h, 1, 1, &s), PLUSS_OK);
        for (uint64_t i = 0; i < 3200; i++) {
            const plussi_cache_access a = {.address = i % 32 * cases[c].stride, .bytes = 8};
            ck_assert_int_eq(plussi_cache_simulator_run(s, &a, 1), PLUSS_OK);
        }
        uint64_t conflicts = plussi_cache_by_thread(s, 0, 0)->misses[PLUSSI_MISS_CONFLICT];
        ck_assert_msg(cases[c].meet ? conflicts == 3168 : conflicts < 1000, "%s: %llu",
                      cases[c].text, (unsigned long long)conflicts);
        plussi_cache_simulator_free(s);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

/* ---- descriptions -----------------------------------------------------------------------------
 */

START_TEST(text_is_read)
{
    plussi_hierarchy h =
        hierarchy_of("L1=48K:ways=12:write-through:no-write-allocate,L2=1M:ways=full:"
                     "shared=2:exclusive,L3=33M:ways=11:shared:inclusive:hashed:pages=2M");
    ck_assert_uint_eq(h.n, 3);
    ck_assert_uint_eq(h.line_bytes, 64);
    ck_assert_str_eq(h.level[2].name, "L3");
    ck_assert_uint_eq(h.level[0].bytes, 49152);
    ck_assert_uint_eq(plussi_level_sets(&h, 0), 64);
    ck_assert_uint_eq(plussi_level_sets(&h, 1), 1);
    ck_assert_uint_eq(plussi_level_ways(&h, 1), 16384);
    ck_assert_uint_eq(plussi_level_sets(&h, 2), 33 * 1048576 / 64 / 11);
    ck_assert(h.level[0].write_through && h.level[0].no_write_allocate &&
              !h.level[1].write_through);
    ck_assert_uint_eq(h.level[0].threads_per_cache, 1);
    ck_assert_uint_eq(h.level[1].threads_per_cache, 2);
    ck_assert_uint_eq(h.level[2].threads_per_cache, 0);
    ck_assert(h.level[1].inclusion == PLUSSI_INCLUSION_EXCLUSIVE &&
              h.level[2].inclusion == PLUSSI_INCLUSION_INCLUSIVE);
    ck_assert(h.level[2].hashed && h.level[2].page_bytes == 2097152 && !h.level[0].hashed);
}
END_TEST

/* Ways that are left out: those of the level of that name, where the size allows. */
START_TEST(ways_of_a_machine)
{
    static const struct {
        const char *text, *machine;
        uint32_t ways;
        plussi_ways_from from;
    } cases[] = {{"L1=32K", "L1=48K:ways=8", 8, PLUSSI_WAYS_MACHINE},
                 {"L1=32K", "L1d=48K:ways=8", 8, PLUSSI_WAYS_MACHINE},
                 {"L1d=32K", "L2=1M:ways=2,L1=48K:ways=8", 8, PLUSSI_WAYS_MACHINE},
                 {"L1=32K", "L1d=48K:ways=full", 0, PLUSSI_WAYS_MACHINE},
                 {"L1=32K", "L1d=48K:ways=12", 0, PLUSSI_WAYS_UNKNOWN},
                 {"L1=32K", "L1i=48K:ways=8", 0, PLUSSI_WAYS_UNKNOWN},
                 {"L1=32K", "L1d=48K", 0, PLUSSI_WAYS_UNKNOWN},
                 {"L1=32K:ways=full", "L1d=48K:ways=8", 0, PLUSSI_WAYS_GIVEN},
                 {"L1=32K:ways=4", "L1d=48K:ways=8", 4, PLUSSI_WAYS_GIVEN},
                 {"d=32K", "d=48K:ways=8", 8, PLUSSI_WAYS_MACHINE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plussi_hierarchy h = hierarchy_of(cases[i].text), machine = hierarchy_of(cases[i].machine);
        plussi_hierarchy_take_ways(&h, &machine);
        ck_assert_msg(h.level[0].ways == cases[i].ways && h.level[0].ways_from == cases[i].from,
                      "%s on %s: %u ways, %s", cases[i].text, cases[i].machine, h.level[0].ways,
                      plussi_ways_from_name(h.level[0].ways_from));
    }
}
END_TEST

START_TEST(wrong_text_is_refused_at_its_place)
{
    static const struct {
        const char *text;
        size_t at;
        const char *why;
    } cases[] = {
        {"", 1, "a number is expected"},
        {"L1=", 4, "a number is expected"},
        {"L1=0", 4, "a size is at least 1"},
        {"L1=32Kx", 7, "a size is a number of bytes"},
        {"L1=32K:", 8, "after a cache's size"},
        {"L1=32K:ways", 8, "after a cache's size"},
        {"L1=32K:ways=", 13, "a number is expected"},
        {"L1=32K:ways=0", 13, "at least one way"},
        {"L1=32K:ways=5000000000", 13, "at least one way"},
        {"L1=32K:ways=1..3", 13, "a range doubles"},
        {"L1=32K:ways=8..1", 13, "a range doubles"},
        {"L1=32K:ways=1../4", 16, "a number is expected"},
        {"L1=32K:ways=1/0", 15, "at least one way"},
        {"L1=32K:ways=1..4294967296", 13, "at least one way"},
        {"L1=32K:ways=1..4,L2=64K:ways=full/2", 30, "one cache change at a time"},
        {"L1=32K:ways=8x", 14, "a colon or a comma"},
        {"L1=32K:shared=0", 15, "at least one thread"},
        {"L1=32K:sharedd", 8, "after a cache's size"},
        {"L1=99999999999999999999", 4, "does not fit 64 bits"},
        {"L1=18000000000G", 4, "does not fit 64 bits"},
        {"L1=32K,", 8, "a number is expected"},
        {"=32K", 1, "1 to 15 characters"},
        {"abcdefghijklmnop=32K", 1, "1 to 15 characters"},
        {"L1=32K,L1=1M", 8, "the same name"},
        {"32K,32K", 5, "given twice"},
        {"32K:ways=8", 11, "have names"},
        {"L1=32K:ways=8,1M", 17, "have names"},
        {"a=1K:ways=1,b=1K,c=1K,d=1K,e=1K,f=1K,g=1K,h=1K,i=1K", 52, "8 at most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plussi_hierarchy h;
        size_t at;
        const char *why;
        ck_assert_msg(read_text(cases[i].text, 64, &h, &at, &why) == 0, "%s is taken",
                      cases[i].text);
        ck_assert_msg(at == cases[i].at && strstr(why, cases[i].why), "%s: character %zu: %s",
                      cases[i].text, at, why);
    }
}
END_TEST

START_TEST(what_cannot_be_is_named)
{
    static const struct {
        const char *text;
        uint32_t line;
        const char *message;
    } cases[] = {
        {"L1=32K:ways=7", 64, "cache L1: 32768 bytes are no multiple"},
        {"L1=32K:exclusive", 64, "cache L1: the first level"},
        {"L1=32K:shared,L2=1M", 64, "cache L2: its threads"},
        {"L1=32K:shared=2,L2=1M:shared=3", 64, "cache L2: its threads"},
        {"L1=32K:pages=100", 64, "cache L1: a page"},
        {"L1=32K", 48, "no power of two"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &plussi_mem_libc);
        plussi_hierarchy h = hierarchy_of(cases[i].text);
        h.line_bytes = cases[i].line;
        ck_assert_int_eq(plussi_hierarchy_check(&ctx, &h), PLUSS_EINVAL);
        ck_assert_uint_eq(ctx.n_diags, 1);
        ck_assert_msg(strstr(ctx.diags[0].text, cases[i].message) != NULL, "%s: %s", cases[i].text,
                      ctx.diags[0].text);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

START_TEST(no_such_caches)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, &plussi_mem_libc);
    plussi_hierarchy h = hierarchy_of("L1=32K");
    plussi_cache_simulator *s = NULL;
    ck_assert_int_eq(plussi_cache_simulator_new(&ctx, &h, 0, 1, &s), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_cache_simulator_new(&ctx, &h, 1, 0, &s), PLUSS_EINVAL);
    h.level[0].bytes = UINT64_C(1) << 60;
    h.level[0].ways = 1;
    ck_assert_int_eq(plussi_cache_simulator_new(&ctx, &h, 1, 1, &s), PLUSS_ENOMEM);
    ck_assert_ptr_null(s);
    plussi_cache_simulator_free(NULL);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* ---- lack of memory ---------------------------------------------------------------------------
 */

START_TEST(short_of_memory)
{
    static plussi_cache_access all[ACCESSES];
    plussi_rng rng;
    plussi_rng_seed(&rng, 7, 7);
    draw_accesses(&rng, 4, all);
    bool whole = false;
    for (long budget = 0; !whole; budget += suite_step()) {
        failing_mem m;
        plussi_ctx ctx;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&ctx, &m.mem);
        plussi_hierarchy h = hierarchy_of("L1=256:ways=2,L2=8K:ways=full:shared");
        plussi_cache_simulator *s = NULL;
        pluss_status status = plussi_cache_simulator_new(&ctx, &h, 4, REFERENCES, &s);
        if (!status)
            status = plussi_cache_simulator_run(s, all, ACCESSES);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_cache_simulator_free(s);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(m.live, 0);
        whole = !m.failed;
    }
}
END_TEST

/* Threads per cache that teams have on a machine, worked out by hand. */
START_TEST(teams_on_a_machine)
{
    static const struct {
        uint32_t cores, processors, shared_by[3], count[3], team, threads[3];
    } cases[] = {
        {2, 2, {1, 1, 2}, {2, 2, 1}, 1, {1, 1, 2}},
        {2, 2, {1, 1, 2}, {2, 2, 1}, 2, {1, 1, 2}},
        {2, 2, {1, 1, 2}, {2, 2, 1}, 5, {1, 1, 5}},
        {4, 8, {2, 2, 8}, {4, 4, 1}, 4, {1, 1, 4}},
        {4, 8, {2, 2, 8}, {4, 4, 1}, 5, {2, 2, 8}},
        {4, 8, {2, 2, 8}, {4, 4, 1}, 9, {2, 2, 10}},
        {8, 8, {1, 2, 4}, {8, 4, 2}, 8, {1, 2, 4}},
        {8, 8, {1, 2, 4}, {8, 4, 2}, 9, {1, 2, 6}},
        {8, 8, {1, 2, 4}, {8, 4, 0}, 64, {1, 2, 4}},
        {6, 12, {2, 2, 3}, {6, 6, 4}, 6, {1, 1, 2}},
        {0, 0, {2, 2, 4}, {4, 4, 1}, 64, {2, 2, 4}},
        {0, 4, {1, 1, 4}, {4, 4, 1}, 12, {1, 1, 12}},
        {2, 4, {2, 2, 4}, {2, 2, 1}, 1000, {2, 2, 1000}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        plussi_machine_caches m = {.hierarchy = {.line_bytes = 64, .n = 3},
                                   .cores = cases[c].cores,
                                   .processors = cases[c].processors};
        plussi_hierarchy h;
        plussi_ctx ctx;
        for (size_t i = 0; i < 3; i++) {
            m.hierarchy.level[i] = (plussi_cache_level){.name = {'L', (char)('1' + i)},
                                                        .bytes = 64,
                                                        .threads_per_cache = cases[c].shared_by[i]};
            m.count[i] = cases[c].count[i];
        }
        plussi_hierarchy_of_team(&m, cases[c].team, &h);
        for (size_t i = 0; i < 3; i++)
            ck_assert_msg(h.level[i].threads_per_cache == cases[c].threads[i],
                          "case %zu, level %zu: %u threads, %u expected", c, i + 1,
                          h.level[i].threads_per_cache, cases[c].threads[i]);
        plussi_ctx_init(&ctx, NULL);
        ck_assert_int_eq(plussi_hierarchy_check(&ctx, &h), PLUSS_OK);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("hierarchy");
    TCase *t = tcase_create("hierarchy");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, same_as_plain_lists);
    tcase_add_loop_test(t, one_set_and_distances, 0, 5);
    tcase_add_test(t, where_lines_meet);
    tcase_add_test(t, text_is_read);
    tcase_add_test(t, ways_of_a_machine);
    tcase_add_test(t, wrong_text_is_refused_at_its_place);
    tcase_add_test(t, what_cannot_be_is_named);
    tcase_add_test(t, no_such_caches);
    tcase_add_test(t, teams_on_a_machine);
    tcase_add_test(t, short_of_memory);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
