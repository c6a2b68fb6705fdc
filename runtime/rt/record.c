/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/record.h"

#include <string.h>

#include "base/map.h"
#include "rt/follow.h"
#include "rt/own_memory.h"

enum { FIRST_SLOTS = 64 };

static void sum_free(plussi_sum *sum)
{
    for (uint32_t k = 0; sum->thread && k < sum->team; k++)
        plussi_totals_free(sum->thread[k]);
    for (uint32_t k = 0; sum->chunks && k < sum->team; k++)
        plussi_free(&plussi_own, sum->chunks[k].chunk);
    plussi_free(&plussi_own, sum->thread);
    plussi_free(&plussi_own, sum->chunks);
    for (uint32_t k = 0; sum->sampled && k < sum->team; k++)
        plussi_sampled_thread_free(sum->sampled[k]);
    plussi_free(&plussi_own, sum->sampled);
    for (uint32_t k = 0; sum->fill && k < sum->team; k++)
        plussi_fill_free(sum->fill[k]);
    plussi_free(&plussi_own, sum->fill);
    plussi_carried_free(&sum->carried);
    plussi_free(&plussi_own, sum->symbols);
    plussi_free(&plussi_own, sum->bases);
    plussi_free(&plussi_own, sum);
}

static uint64_t mix_value(uint64_t hash, uint64_t value)
{
    hash = plussi_hash(hash ^ value);
    return hash ^ hash >> 32;
}

/* What runs of one sum have in common. */
typedef struct key {
    const plussi_known *known;
    const int64_t *symbols;
    const uint64_t *bases;
    plussi_teams team;
    plussi_by by;
    uint64_t hash;
} key;

static uint64_t hash_key(const key *k)
{
    uint64_t hash = mix_value(
        mix_value(mix_value((uintptr_t)k->known, k->team.largest), k->team.by_default), k->by);
    for (uint32_t i = 0; i < k->known->region.n_symbols; i++)
        hash = mix_value(hash, (uint64_t)k->symbols[i]);
    for (uint32_t i = 0; i < k->known->region.n_arrays; i++)
        hash = mix_value(hash, k->bases[i] % PLUSS_RT_LINE_BYTES);
    return hash;
}

static bool is_used(plussi_sum *const *slot)
{
    return *slot;
}

static uint64_t stored_hash(plussi_sum *const *slot)
{
    return (*slot)->hash;
}

static bool has_key(plussi_sum *const *slot, const key *k)
{
    const plussi_sum *sum = *slot;
    if (sum->hash != k->hash || sum->known != k->known || sum->team != k->team.largest ||
        sum->default_team != k->team.by_default || sum->by != k->by)
        return false;
    for (uint32_t i = 0; i < k->known->region.n_symbols; i++)
        if (sum->symbols[i] != k->symbols[i])
            return false;
    for (uint32_t i = 0; i < k->known->region.n_arrays; i++)
        if (sum->bases[i] % PLUSS_RT_LINE_BYTES != k->bases[i] % PLUSS_RT_LINE_BYTES)
            return false;
    return true;
}

PLUSSI_MAP(table, plussi_sum *, const key *, is_used, stored_hash, has_key)

static plussi_sum *sum_new(const key *k)
{
    const pluss_rt_region *region = &k->known->region;
    plussi_sum *sum = plussi_calloc(&plussi_own, 1, sizeof *sum);
    if (!sum)
        return NULL;
    sum->known = k->known;
    sum->team = k->team.largest;
    sum->default_team = k->team.by_default;
    sum->by = k->by;
    sum->hash = k->hash;
    sum->n_places = 1;
    sum->symbols = plussi_calloc(&plussi_own, region->n_symbols + 1u, sizeof *sum->symbols);
    sum->bases = plussi_calloc(&plussi_own, region->n_arrays + 1u, sizeof *sum->bases);
    if (!sum->symbols || !sum->bases) {
        sum_free(sum);
        return NULL;
    }
    memcpy(sum->symbols, k->symbols, region->n_symbols * sizeof *sum->symbols);
    memcpy(sum->bases, k->bases, region->n_arrays * sizeof *sum->bases);
    return sum;
}

plussi_sum *plussi_sums_find(plussi_sums *sums, const plussi_known *known, const int64_t *symbols,
                             const uint64_t *bases, plussi_teams team, plussi_by by)
{
    key k = {known, symbols, bases, team, by, 0};
    k.hash = hash_key(&k);
    if (!table_reserve(&plussi_own, &sums->table, &sums->n_slots, FIRST_SLOTS, (size_t)sums->n + 1))
        return NULL;
    plussi_sum **slot = table_find(sums->table, sums->n_slots, k.hash, &k);
    if (*slot)
        return *slot;
    if (sums->n >= PLUSSI_MAX_SUMS || sums->bytes >= PLUSSI_MAX_SUM_BYTES)
        return NULL;
    plussi_sum *sum = sum_new(&k);
    if (!sum)
        return NULL;
    sum->number = sums->n++;
    *slot = sum;
    if (sums->last)
        sums->last->next = sum;
    else
        sums->first = sum;
    sums->last = sum;
    return sum;
}

void plussi_sums_leave_out(plussi_sums *sums, const plussi_known *known, uint32_t team,
                           plussi_by by, uint64_t accesses)
{
    plussi_left_out **at = &sums->left_out;
    while (*at && ((*at)->known != known || (*at)->team != team || (*at)->by != by))
        at = &(*at)->next;
    if (!*at && !(*at = plussi_calloc(&plussi_own, 1, sizeof **at))) {
        sums->lost_runs++;
        return;
    }
    (*at)->known = known;
    (*at)->team = team;
    (*at)->by = by;
    (*at)->runs++;
    (*at)->accesses += accesses;
}

void plussi_sums_add(plussi_sums *sums, plussi_sum *sum, uint32_t thread,
                     const plussi_collector *counted, bool live)
{
    if (!sum->thread)
        sum->thread = plussi_calloc(&plussi_own, sum->team, sizeof(plussi_totals *));
    plussi_totals **to = sum->thread ? &sum->thread[thread] : NULL;
    if (to && !*to)
        *to = plussi_totals_new(sum->known->region.n_refs);
    if (!to || !*to) {
        sum->lost += counted->clock + counted->lost;
        return;
    }
    sums->bytes -= plussi_totals_bytes(*to);
    if (live)
        plussi_totals_add_live(*to, counted);
    else
        plussi_totals_add(*to, counted);
    sums->bytes += plussi_totals_bytes(*to);
}

static size_t bytes_of(const plussi_carried *carried)
{
    return carried->distance.cap * sizeof(plussi_tally_slot) +
           (carried->groups ? sizeof *carried->groups : 0);
}

void plussi_sums_carry(plussi_sums *sums, plussi_sum *sum, plussi_collector *const *thread,
                       unsigned shift, plussi_tally *seen)
{
    if (!sum) {
        sums->carrier.failed = true;
        plussi_order_lose(&sums->order);
        return;
    }
    sums->bytes -= bytes_of(&sum->carried);
    sum->carried.known = sum->carried.known || sum->runs == 0;
    const plussi_carry_into into = {&sum->carried, &sums->order, sum->number, false, seen};
    plussi_carry(&sums->carrier, thread, sum->team, shift, &into);
    sums->bytes += bytes_of(&sum->carried);
}

void plussi_sums_carry_piece(plussi_sums *sums, uint32_t run, plussi_collector *const *thread,
                             uint32_t n, unsigned shift, plussi_carried *found, plussi_tally *seen)
{
    const plussi_carry_into into = {found, &sums->order, run, true, seen};
    plussi_carry(&sums->carrier, thread, n, shift, &into);
}

void plussi_sums_join(plussi_sums *sums, plussi_sum *sum, size_t from, uint32_t run,
                      const plussi_carried *found)
{
    if (!sum)
        return;
    plussi_order_join(&sums->order, from, run);
    sums->bytes -= bytes_of(&sum->carried);
    sum->carried.known = plussi_carried_add(&sum->carried, found) && sum->carried.known;
    sums->bytes += bytes_of(&sum->carried);
}

/* Which set of addresses this is, made where there is room. */
static uint32_t place_of(plussi_sum *sum, const uint64_t *bases)
{
    size_t n = sum->known->region.n_arrays, bytes = n * sizeof *bases;
    for (uint32_t i = 0; i < sum->n_places; i++)
        if (bytes == 0 || memcmp(sum->bases + i * n, bases, bytes) == 0)
            return i;
    if (sum->n_places == PLUSSI_MAX_PLACES)
        return PLUSSI_PLACE_UNKNOWN;
    uint64_t *grown = plussi_realloc(&plussi_own, sum->bases, sum->n_places + 1u, bytes);
    if (!grown)
        return PLUSSI_PLACE_UNKNOWN;
    sum->bases = grown;
    memcpy(grown + sum->n_places * n, bases, bytes);
    return sum->n_places++;
}

uint32_t plussi_sums_ran(plussi_sums *sums, plussi_sum *sum, const uint64_t *bases)
{
    if (!sum) {
        sums->sequence.lost++; /* and all that follow: what is kept has no holes */
        return PLUSSI_PLACE_UNKNOWN;
    }
    const uint32_t place = place_of(sum, bases);
    plussi_sequence_add(&sums->sequence, sum->number, place);
    return place;
}

static bool chunks_add(plussi_rt_chunks *chunks, const plussi_chunk_entry *chunk)
{
    plussi_chunk_entry *last = chunks->n ? &chunks->chunk[chunks->n - 1] : NULL;
    if (last && last->loop == chunk->loop && last->time == chunk->time && last->hi == chunk->lo) {
        last->hi = chunk->hi;
        return true;
    }
    if (chunks->n == chunks->cap) {
        size_t cap = chunks->cap ? 2 * chunks->cap : 16;
        plussi_chunk_entry *grown = plussi_realloc(&plussi_own, chunks->chunk, cap, sizeof *grown);
        if (!grown)
            return false;
        chunks->chunk = grown;
        chunks->cap = cap;
    }
    chunks->chunk[chunks->n++] = *chunk;
    return true;
}

bool plussi_sum_chunks(plussi_sum *sum, uint32_t thread, const plussi_chunk_entry *chunk, size_t n)
{
    if (sum->runs != 0)
        return true;
    if (!sum->chunks)
        sum->chunks = plussi_calloc(&plussi_own, sum->team, sizeof *sum->chunks);
    plussi_rt_chunks *chunks = sum->chunks ? &sum->chunks[thread] : NULL;
    if (!chunks)
        return false;
    for (size_t i = 0; i < n; i++)
        if (chunk[i].lo < chunk[i].hi && !chunks_add(chunks, &chunk[i])) {
            chunks->n = 0;
            return false;
        }
    return true;
}

void plussi_sums_fill(plussi_sums *sums, plussi_sum *sum, plussi_fill **fill)
{
    uint64_t n = 0, accesses = 0;
    bool whole = true;
    for (uint32_t k = 0; k < sum->team; k++) {
        n += fill[k] ? fill[k]->n : 0;
        accesses += fill[k] ? fill[k]->accesses : 0;
        whole = whole && !(fill[k] && fill[k]->failed);
    }
    if (sum->runs == 0 && whole && n && sums->n_filled + n <= PLUSSI_FILL_MOST) {
        sum->fill = plussi_calloc(&plussi_own, sum->team, sizeof *sum->fill);
        for (uint32_t k = 0; sum->fill && k < sum->team; k++) {
            sum->fill[k] = fill[k];
            fill[k] = NULL;
        }
        sums->n_filled += sum->fill ? n : 0;
    }
    if (sum->fill)
        sum->filled += accesses;
}

bool plussi_sums_sampled(plussi_sums *sums, plussi_sum *sum, plussi_sampled_thread **sampled)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < sum->team; k++) {
        if (!sampled[k] || sampled[k]->failed)
            return false;
        n += sampled[k]->n;
    }
    if (sums->n_sampled + n > PLUSSI_SAMPLED_ALL)
        return false;
    sums->n_sampled += n;
    sum->sampled = sampled;
    return true;
}

void plussi_sums_clear(plussi_sums *sums)
{
    while (sums->first) {
        plussi_sum *next = sums->first->next;
        sum_free(sums->first);
        sums->first = next;
    }
    while (sums->left_out) {
        plussi_left_out *next = sums->left_out->next;
        plussi_free(&plussi_own, sums->left_out);
        sums->left_out = next;
    }
    plussi_free(&plussi_own, sums->table);
    plussi_sequence_free(&sums->sequence);
    plussi_carrier_free(&sums->carrier);
    plussi_order_free(&sums->order);
    *sums = (plussi_sums){0};
}
