/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each touch takes the next time slot; a line's mark stands in the slot of its last touch, so the
 * reuse distance is the number of marks behind the old slot. Marks are bits; 512 of them are a
 * block, and above the blocks stands a tree of counters with 16 children a node. A move from one
 * slot to a later one changes the tree below their common ancestor alone, and the count needs no
 * more: the cost grows with the logarithm of the distance, not of the footprint.
 *
 * When the slots run out the marks are moved together; twice as many slots as lines make that
 * O(1) a touch.
 */
#include "lru/lru.h"

#include <string.h>

#include "base/linemap.h"

enum {
    WORD_BITS = 6,  /* marks a word */
    BLOCK_BITS = 9, /* marks a block: one cache line of words */
    FAN_BITS = 4,   /* children a node: one cache line of counters */
    FAN = 1 << FAN_BITS,
    FIRST_CAP = 1 << 13,
    MAX_LEVELS = 14 /* 9 + 4 * 14 bits cover every capacity */
};

/* The line whose last touch took a slot. */
typedef struct slot {
    uint64_t *value; /* in the line map: slot number + 1 */
    uint64_t time;   /* of that touch: number of touches so far, it included */
} slot;

/* What is sized by the number of slots. */
typedef struct slots {
    size_t cap; /* a power of two, >= FIRST_CAP */
    slot *slot;
    uint64_t *word;
    /* level[0][b]: marks in block b; level[k + 1][i]: sum of level[k][16 i ... 16 i + 15]. The
     * highest has at most 16 counters. */
    uint32_t *level[MAX_LEVELS];
    unsigned n_levels;
} slots;

struct plussi_lru {
    plussi_mem mem;
    plussi_linemap map;
    slots s;
    size_t next; /* the next free slot */
    uint64_t lines, touches;
    uint64_t (*touch)(plussi_lru *lru, uint64_t line, uint64_t *interval);
};

static void slots_free(const plussi_mem *mem, slots *s)
{
    plussi_free(mem, s->slot);
    plussi_free(mem, s->word);
    for (unsigned k = 0; k < s->n_levels; k++)
        plussi_free(mem, s->level[k]);
    *s = (slots){0};
}

static pluss_status slots_new(const plussi_mem *mem, size_t cap, slots *out)
{
    slots s = {.cap = cap};
    s.slot = plussi_alloc(mem, cap, sizeof *s.slot);
    s.word = plussi_calloc(mem, cap >> WORD_BITS, sizeof *s.word);
    bool good = s.slot && s.word;
    for (size_t n = cap >> BLOCK_BITS; good; n = (n + FAN - 1) / FAN) {
        /* Whole nodes: the last of a level may be read beyond its children. */
        uint32_t *level = plussi_calloc(mem, (n + FAN - 1) / FAN * FAN, sizeof *level);
        s.level[s.n_levels++] = level;
        good = level != NULL;
        if (n <= FAN)
            break;
    }
    if (!good) {
        slots_free(mem, &s);
        return PLUSS_ENOMEM;
    }
    *out = s;
    return PLUSS_OK;
}

void plussi_lru_free(plussi_lru *lru)
{
    if (!lru)
        return;
    slots_free(&lru->mem, &lru->s);
    plussi_linemap_free(&lru->map);
    plussi_mem mem = lru->mem;
    plussi_free(&mem, lru);
}

/* Sets the first n marks and no other, and the counters with them. */
static void mark_first(slots *s, size_t n)
{
    for (size_t w = 0; w < s->cap >> WORD_BITS; w++) {
        size_t first = w << WORD_BITS;
        s->word[w] = n >= first + 64 ? UINT64_MAX
                     : n > first     ? ((uint64_t)1 << (n - first)) - 1
                                     : 0;
    }
    unsigned bits = BLOCK_BITS;
    for (unsigned k = 0; k < s->n_levels; k++, bits += FAN_BITS) {
        for (size_t i = 0; i << bits < s->cap; i++) {
            size_t first = i << bits, width = (size_t)1 << bits;
            s->level[k][i] = (uint32_t)(n >= first + width ? width : n > first ? n - first : 0);
        }
    }
}

void plussi_lru_reset(plussi_lru *lru)
{
    plussi_linemap_clear(&lru->map);
    mark_first(&lru->s, 0);
    lru->next = 0;
    lru->lines = lru->touches = 0;
}

uint64_t plussi_lru_footprint(const plussi_lru *lru)
{
    return lru->lines;
}

/* Moves the marks together, into new slots where they are more than half of the old ones. */
static pluss_status make_room(plussi_lru *lru)
{
    slots grown = {0};
    bool grow = lru->lines > lru->s.cap / 2;
    if (grow) {
        if (lru->s.cap > UINT32_MAX / 2) /* counters have 32 bits */
            return PLUSS_ELIMIT;
        pluss_status status = slots_new(&lru->mem, 2 * lru->s.cap, &grown);
        if (status != PLUSS_OK)
            return status;
    }
    const slots *from = &lru->s;
    slot *to = grow ? grown.slot : lru->s.slot;
    size_t n = 0;
    for (size_t w = 0; w < from->cap >> WORD_BITS; w++) {
        for (uint64_t marks = from->word[w]; marks; marks &= marks - 1) {
            to[n] = from->slot[(w << WORD_BITS) + (size_t)__builtin_ctzll(marks)];
            *to[n].value = n + 1;
            n++;
        }
    }
    if (grow) {
        slots_free(&lru->mem, &lru->s);
        lru->s = grown;
    }
    mark_first(&lru->s, n);
    lru->next = n;
    return PLUSS_OK;
}

/* Marks behind a slot in its own block. */
static inline __attribute__((always_inline)) uint64_t marks_behind(const slots *s, size_t at)
{
    size_t w = at >> WORD_BITS, end = (w | ((1 << (BLOCK_BITS - WORD_BITS)) - 1)) + 1;
    uint64_t count = (uint64_t)__builtin_popcountll(s->word[w] & (UINT64_MAX << (at & 63)) << 1);
    while (++w < end)
        count += (uint64_t)__builtin_popcountll(s->word[w]);
    return count;
}

/* Sum of the counters behind counter i in its own node: all sixteen under a mask, since how many
 * there are is beyond prediction. */
static inline __attribute__((always_inline)) uint64_t counters_behind(const uint32_t *level,
                                                                      size_t i)
{
    static const uint32_t mask[2 * FAN] = {[FAN] = ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u,
                                           ~0u,         ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    const uint32_t *node = level + (i & ~(size_t)(FAN - 1));
    const uint32_t *behind = mask + FAN - 1 - (i & (FAN - 1));
    uint32_t sum = 0;
    for (int k = 0; k < FAN; k++)
        sum += node[k] & behind[k];
    return sum;
}

/* Moves the mark at slot `at` to the later slot `next`; returns how many marks stand between. */
static inline __attribute__((always_inline)) uint64_t move_mark(slots *s, size_t at, size_t next)
{
    uint64_t count = marks_behind(s, at);
    s->word[at >> WORD_BITS] &= ~((uint64_t)1 << (at & 63));
    s->word[next >> WORD_BITS] |= (uint64_t)1 << (next & 63);
    size_t from = at >> BLOCK_BITS, to = next >> BLOCK_BITS;
    for (uint32_t *const *level = s->level; from != to; level++) {
        count += counters_behind(*level, from);
        (*level)[from]--;
        (*level)[to]++;
        from >>= FAN_BITS;
        to >>= FAN_BITS;
    }
    return count;
}

static void set_mark(slots *s, size_t at)
{
    s->word[at >> WORD_BITS] |= (uint64_t)1 << (at & 63);
    size_t to = at >> BLOCK_BITS;
    for (unsigned k = 0; k < s->n_levels; k++, to >>= FAN_BITS)
        s->level[k][to]++;
}

static inline __attribute__((always_inline)) uint64_t touch(plussi_lru *lru, uint64_t line,
                                                            uint64_t *interval)
{
    uint64_t *value = plussi_linemap_at(&lru->map, line);
    if (!value)
        return PLUSSI_LRU_FAIL;
    if (*value && *value == lru->next) { /* the line touched last: its slot will do */
        slot *same = &lru->s.slot[lru->next - 1];
        *interval = 1;
        same->time = ++lru->touches;
        return 0;
    }
    if (lru->next == lru->s.cap && make_room(lru) != PLUSS_OK)
        return PLUSSI_LRU_FAIL;
    uint64_t distance = PLUSSI_LRU_COLD, now = ++lru->touches;
    size_t next = lru->next++;
    if (*value) {
        size_t at = *value - 1;
        *interval = now - lru->s.slot[at].time;
        distance = move_mark(&lru->s, at, next);
    } else {
        *interval = PLUSSI_LRU_COLD;
        set_mark(&lru->s, next);
        lru->lines++;
    }
    lru->s.slot[next] = (slot){value, now};
    *value = next + 1;
    return distance;
}

/* The loop over words is worth the processor's own instruction where it has one. */
#if defined(__x86_64__)
__attribute__((target("popcnt"))) static uint64_t touch_popcnt(plussi_lru *lru, uint64_t line,
                                                               uint64_t *interval)
{
    return touch(lru, line, interval);
}
#endif

static uint64_t touch_plain(plussi_lru *lru, uint64_t line, uint64_t *interval)
{
    return touch(lru, line, interval);
}

pluss_status plussi_lru_new(plussi_ctx *ctx, plussi_lru **out)
{
    plussi_lru *lru = plussi_calloc(&ctx->mem, 1, sizeof *lru);
    if (!lru)
        return PLUSS_ENOMEM;
    lru->mem = ctx->mem;
    lru->touch = touch_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt"))
        lru->touch = touch_popcnt;
#endif
    plussi_linemap_init(&lru->map, &lru->mem);
    pluss_status status = slots_new(&lru->mem, FIRST_CAP, &lru->s);
    if (status != PLUSS_OK) {
        plussi_free(&ctx->mem, lru);
        return status;
    }
    *out = lru;
    return PLUSS_OK;
}

uint64_t plussi_lru_touch_interval(plussi_lru *lru, uint64_t line, uint64_t *interval)
{
    return lru->touch(lru, line, interval);
}

uint64_t plussi_lru_touch(plussi_lru *lru, uint64_t line)
{
    uint64_t interval;
    return lru->touch(lru, line, &interval);
}
