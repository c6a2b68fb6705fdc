/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A chained hash table whose entries are also in a list by their last use. An entry is one block of
 * memory: this head, the value, the key. What is worth least is dropped first: an entry's worth is
 * its cost per byte, and, from its last use on, the worth of what was dropped last before that
 * (GreedyDual-Size: Cao and Irani 1997), so that what is used no more is dropped in the end,
 * whatever it cost.
 */
#include "base/kept.h"

#include <pthread.h>
#include <string.h>

#include "base/map.h"

enum { ALIGNED = 16, LEAST_CHAINS = 16 };

typedef struct entry {
    struct entry *next;          /* of its chain */
    struct entry *newer, *older; /* by last use */
    uint64_t hash;
    size_t value_bytes, key_bytes;
    size_t holders;
    double rate, worth; /* cost per byte; that and what was dropped before the last use */
} entry;

/* Where the value begins, after the head. */
enum { HEAD = (sizeof(entry) + ALIGNED - 1) / ALIGNED * ALIGNED };

struct plussi_kept {
    plussi_mem mem;
    size_t most;
    pthread_mutex_t lock; /* of all that follows */
    entry **chain;
    size_t n_chains, n; /* a power of two; entries */
    size_t bytes;
    double dropped; /* worth of the last one */
    entry *newest, *oldest;
};

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

static void take_out_of_list(plussi_kept *kept, entry *e)
{
    *(e->newer ? &e->newer->older : &kept->newest) = e->older;
    *(e->older ? &e->older->newer : &kept->oldest) = e->newer;
}

static void put_first(plussi_kept *kept, entry *e)
{
    e->worth = kept->dropped + e->rate;
    e->newer = NULL;
    e->older = kept->newest;
    *(e->older ? &e->older->newer : &kept->oldest) = e;
    kept->newest = e;
}

static void drop(plussi_kept *kept, entry *e)
{
    entry **at = &kept->chain[e->hash & (kept->n_chains - 1)];
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    take_out_of_list(kept, e);
    kept->bytes -= bytes_of(e);
    kept->n--;
    plussi_free(&kept->mem, e);
}

/* Of those that nobody holds, the one that is worth least; of several the one not used for the
 * longest time. NULL: all are held. O(entries). */
static entry *find_least(const plussi_kept *kept)
{
    entry *least = NULL;
    for (entry *e = kept->oldest; e; e = e->newer)
        if (!e->holders && (!least || e->worth < least->worth))
            least = e;
    return least;
}

/* Drops what nobody holds until there is room; false: there is not. */
static bool make_room(plussi_kept *kept, size_t bytes)
{
    while (kept->bytes > kept->most - bytes) {
        entry *e = find_least(kept);
        if (!e)
            return false;
        kept->dropped = e->worth > kept->dropped ? e->worth : kept->dropped; /* never falls */
        drop(kept, e);
    }
    return true;
}

/* As many chains as entries, if there is memory for them. */
static void add_chains(plussi_kept *kept)
{
    const size_t n = 2 * kept->n_chains;
    entry **more = kept->n < kept->n_chains ? NULL : plussi_calloc(&kept->mem, n, sizeof *more);
    if (!more)
        return;
    for (entry *e = kept->newest; e; e = e->older) {
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
    if (!kept || !chain || pthread_mutex_init(&kept->lock, NULL) != 0) {
        plussi_free(mem, chain);
        plussi_free(mem, kept);
        return PLUSS_ENOMEM;
    }
    kept->mem = *mem;
    kept->most = most;
    kept->chain = chain;
    kept->n_chains = LEAST_CHAINS;
    *out = kept;
    return PLUSS_OK;
}

void plussi_kept_free(plussi_kept *kept)
{
    if (!kept)
        return;
    const plussi_mem mem = kept->mem;
    while (kept->oldest)
        drop(kept, kept->oldest);
    pthread_mutex_destroy(&kept->lock);
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
        take_out_of_list(kept, e);
        put_first(kept, e);
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
    const bool added = !*find(kept, key, e->hash) && make_room(kept, bytes_of(e));
    if (added) {
        add_chains(kept);
        entry **chain = &kept->chain[e->hash & (kept->n_chains - 1)];
        e->next = *chain;
        *chain = e;
        put_first(kept, e);
        kept->bytes += bytes_of(e);
        kept->n++;
    }
    pthread_mutex_unlock(&kept->lock);
    if (!added)
        plussi_free(&kept->mem, e);
}
