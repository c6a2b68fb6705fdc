/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A chained hash table whose entries are also in a heap by their worth. An entry is one block of
 * memory: this head, the value, the key. What is worth least is dropped first: an entry's worth is
 * its cost per byte, and, from its last use on, the worth of what was dropped last before that
 * (GreedyDual-Size: Cao and Irani 1997), so that what is used no more is dropped in the end,
 * whatever it cost. Worth only grows with use: the heap has that of an earlier use, and learns of
 * later ones, and of who holds an entry, where the entry becomes the first.
 */
#include "base/kept.h"

#include <pthread.h>
#include <string.h>

#include "base/heap.h"
#include "base/map.h"

enum { ALIGNED = 16, LEAST_CHAINS = 16 };

typedef struct entry {
    struct entry *next; /* of its chain */
    uint64_t hash;
    size_t value_bytes, key_bytes;
    size_t holders;
    bool ranked;        /* it is in the heap; else somebody holds it */
    double rate, worth; /* cost per byte; that and what was dropped before the last use */
    uint64_t used;      /* number of the last use */
} entry;

/* An entry as it was at one of its uses. */
typedef struct rank {
    entry *of;
    double worth;
    uint64_t used;
} rank;

/* Where the value begins, after the head. */
enum { HEAD = (sizeof(entry) + ALIGNED - 1) / ALIGNED * ALIGNED };

struct plussi_kept {
    plussi_mem mem;
    size_t most;
    pthread_mutex_t lock; /* of all that follows */
    entry **chain;
    size_t n_chains, n; /* a power of two; entries */
    rank *heap;
    size_t n_ranked, room; /* room for all entries, and one more */
    uint64_t uses;
    size_t bytes;
    double dropped; /* worth of the last one */
};

/* Of equal worth the one not used for the longest time is first. */
static bool is_less(const plussi_kept *kept, const rank *a, const rank *b)
{
    (void)kept;
    return a->worth < b->worth || (a->worth == b->worth && a->used < b->used);
}
PLUSSI_HEAP(rank, rank, plussi_kept, is_less)

/* ---- keys ------------------------------------------------------------------------------------ */

void plussi_kept_key_free(plussi_kept_key *key)
{
    plussi_free(&key->mem, key->bytes);
    key->bytes = NULL;
    key->n = key->cap = 0;
}

static void append(plussi_kept_key *key, const void *bytes, size_t n)
{
    if (key->failed || !n)
        return;
    if (n > key->cap - key->n) {
        const size_t room = 2 * key->cap + n;
        char *more = plussi_realloc(&key->mem, key->bytes, room, 1);
        if (!more) {
            key->failed = true;
            return;
        }
        key->bytes = more;
        key->cap = room;
    }
    memcpy(key->bytes + key->n, bytes, n);
    key->n += n;
}

void plussi_kept_key_add_number(plussi_kept_key *key, uint64_t number)
{
    append(key, &number, sizeof number);
}

void plussi_kept_key_add_real(plussi_kept_key *key, double number)
{
    append(key, &number, sizeof number);
}

void plussi_kept_key_add(plussi_kept_key *key, const void *bytes, size_t n)
{
    plussi_kept_key_add_number(key, n);
    append(key, bytes, n);
}

static uint64_t hash_of(const plussi_kept_key *key)
{
    uint64_t hash = key->n;
    for (size_t i = 0; i < key->n; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, key->bytes + i, key->n - i < sizeof word ? key->n - i : sizeof word);
        hash = plussi_hash(hash ^ word);
        hash ^= hash >> 32;
    }
    return hash;
}

/* ---- entries, under the lock ----------------------------------------------------------------- */

static char *value_of(const entry *e)
{
    return (char *)e + HEAD;
}

static size_t bytes_of(const entry *e)
{
    return HEAD + e->value_bytes + e->key_bytes;
}

static entry **find(const plussi_kept *kept, const plussi_kept_key *key, uint64_t hash)
{
    entry **at = &kept->chain[hash & (kept->n_chains - 1)];
    while (*at && ((*at)->hash != hash || (*at)->key_bytes != key->n ||
                   memcmp(value_of(*at) + (*at)->value_bytes, key->bytes, key->n) != 0))
        at = &(*at)->next;
    return at;
}

static void note_use(plussi_kept *kept, entry *e)
{
    e->worth = kept->dropped + e->rate;
    e->used = kept->uses++;
}

static void add_to_heap(plussi_kept *kept, entry *e)
{
    kept->heap[kept->n_ranked] = (rank){e, e->worth, e->used};
    rank_rise(kept, kept->heap, kept->n_ranked++);
    e->ranked = true;
}

static void take_first(plussi_kept *kept)
{
    kept->heap[0].of->ranked = false;
    kept->heap[0] = kept->heap[--kept->n_ranked];
    if (kept->n_ranked)
        rank_sink(kept, kept->heap, kept->n_ranked, 0);
}

/* Of those that nobody holds, the one that is worth least, which becomes the heap's first; NULL:
 * all are held. O(log entries) for each use since, together. */
static entry *find_least(plussi_kept *kept)
{
    while (kept->n_ranked) {
        rank *first = &kept->heap[0];
        entry *e = first->of;
        if (e->holders) { /* it returns when it is released */
            take_first(kept);
        } else if (first->used != e->used) {
            *first = (rank){e, e->worth, e->used};
            rank_sink(kept, kept->heap, kept->n_ranked, 0);
        } else {
            return e;
        }
    }
    return NULL;
}

/* Drops the heap's first. */
static void drop(plussi_kept *kept)
{
    entry *e = kept->heap[0].of;
    entry **at = &kept->chain[e->hash & (kept->n_chains - 1)];
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    take_first(kept);
    kept->bytes -= bytes_of(e);
    kept->n--;
    plussi_free(&kept->mem, e);
}

/* Drops what nobody holds until there is room; false: there is not. */
static bool make_room(plussi_kept *kept, size_t bytes)
{
    while (kept->bytes > kept->most - bytes) {
        entry *e = find_least(kept);
        if (!e)
            return false;
        kept->dropped = e->worth > kept->dropped ? e->worth : kept->dropped; /* never falls */
        drop(kept);
    }
    return true;
}

/* Room in the heap for one more; false: no memory. */
static bool make_rank(plussi_kept *kept)
{
    if (kept->n < kept->room)
        return true;
    const size_t room = 2 * kept->room;
    rank *more = plussi_realloc(&kept->mem, kept->heap, room, sizeof *more);
    if (!more)
        return false;
    kept->heap = more;
    kept->room = room;
    return true;
}

/* As many chains as entries, if there is memory for them. */
static void add_chains(plussi_kept *kept)
{
    const size_t n = 2 * kept->n_chains;
    entry **more = kept->n < kept->n_chains ? NULL : plussi_calloc(&kept->mem, n, sizeof *more);
    if (!more)
        return;
    for (size_t i = 0; i < kept->n_chains; i++)
        for (entry *e = kept->chain[i], *next; e; e = next) {
            next = e->next;
            e->next = more[e->hash & (n - 1)];
            more[e->hash & (n - 1)] = e;
        }
    plussi_free(&kept->mem, kept->chain);
    kept->chain = more;
    kept->n_chains = n;
}

/* ---- the store ------------------------------------------------------------------------------- */

pluss_status plussi_kept_new(const plussi_mem *mem, size_t most, plussi_kept **out)
{
    plussi_kept *kept = plussi_calloc(mem, 1, sizeof *kept);
    entry **chain = plussi_calloc(mem, LEAST_CHAINS, sizeof *chain);
    rank *heap = plussi_alloc(mem, LEAST_CHAINS, sizeof *heap);
    if (!kept || !chain || !heap || pthread_mutex_init(&kept->lock, NULL) != 0) {
        plussi_free(mem, heap);
        plussi_free(mem, chain);
        plussi_free(mem, kept);
        return PLUSS_ENOMEM;
    }
    kept->mem = *mem;
    kept->most = most;
    kept->chain = chain;
    kept->n_chains = kept->room = LEAST_CHAINS;
    kept->heap = heap;
    *out = kept;
    return PLUSS_OK;
}

void plussi_kept_free(plussi_kept *kept)
{
    if (!kept)
        return;
    const plussi_mem mem = kept->mem;
    while (find_least(kept))
        drop(kept);
    pthread_mutex_destroy(&kept->lock);
    plussi_free(&mem, kept->heap);
    plussi_free(&mem, kept->chain);
    plussi_free(&mem, kept);
}

const void *plussi_kept_hold(plussi_kept *kept, const plussi_kept_key *key, size_t *bytes)
{
    if (!kept || key->failed)
        return NULL;
    const uint64_t hash = hash_of(key);
    pthread_mutex_lock(&kept->lock);
    entry *e = *find(kept, key, hash);
    if (e) {
        e->holders++;
        note_use(kept, e);
        if (bytes)
            *bytes = e->value_bytes;
    }
    pthread_mutex_unlock(&kept->lock);
    return e ? value_of(e) : NULL;
}

void plussi_kept_release(plussi_kept *kept, const void *value)
{
    if (!value)
        return;
    entry *e = (entry *)((char *)value - HEAD);
    pthread_mutex_lock(&kept->lock);
    e->holders--;
    if (!e->holders && !e->ranked)
        add_to_heap(kept, e);
    pthread_mutex_unlock(&kept->lock);
}

bool plussi_kept_has_room(const plussi_kept *kept, size_t bytes)
{
    return kept && kept->most > HEAD && bytes <= kept->most - HEAD;
}

static entry *make_entry(const plussi_kept *kept, const plussi_kept_key *key, uint64_t cost,
                         const plussi_kept_piece *piece, size_t n_pieces, size_t value_bytes)
{
    entry *e = plussi_alloc(&kept->mem, HEAD + value_bytes + key->n, 1);
    if (!e)
        return NULL;
    *e = (entry){.hash = hash_of(key), .value_bytes = value_bytes, .key_bytes = key->n};
    e->rate = (double)cost / (double)bytes_of(e);
    char *at = value_of(e);
    for (size_t i = 0; i < n_pieces; at += piece[i++].n)
        if (piece[i].n)
            memcpy(at, piece[i].bytes, piece[i].n);
    memcpy(at, key->bytes, key->n);
    return e;
}

void plussi_kept_add(plussi_kept *kept, const plussi_kept_key *key, uint64_t cost,
                     const plussi_kept_piece *piece, size_t n_pieces)
{
    size_t value_bytes = 0;
    for (size_t i = 0; i < n_pieces; i++)
        value_bytes += piece[i].n;
    if (!plussi_kept_has_room(kept, value_bytes + key->n) || key->failed || !key->n)
        return;
    entry *e = make_entry(kept, key, cost, piece, n_pieces, value_bytes);
    if (!e)
        return;
    pthread_mutex_lock(&kept->lock);
    const bool added =
        !*find(kept, key, e->hash) && make_room(kept, bytes_of(e)) && make_rank(kept);
    if (added) {
        add_chains(kept);
        entry **chain = &kept->chain[e->hash & (kept->n_chains - 1)];
        e->next = *chain;
        *chain = e;
        note_use(kept, e);
        add_to_heap(kept, e);
        kept->bytes += bytes_of(e);
        kept->n++;
    }
    pthread_mutex_unlock(&kept->lock);
    if (!added)
        plussi_free(&kept->mem, e);
}
