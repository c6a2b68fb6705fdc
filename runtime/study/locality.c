/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/locality.h"

#include <string.h>

#include "base/linemap.h"
#include "exact/private_stack.h"

enum { TEAM_BITS = 16, DISTANCE_BITS = 30, SCOPE_BITS = 2, SHARINGS = 2 };

/* Distances, and what there is in place of one, as a part of a key. */
enum {
    COLD = (1 << DISTANCE_BITS) - 1,
    THREAD_FIRST = COLD - 1,
    COHERENCE = COLD - 2,
    NO_ROOM = COLD - 3 /* and no distance from this one on */
};

/* ---- counts by key ----------------------------------------------------------------------------
 */

typedef struct entry {
    uint64_t number, count;
} entry;
PLUSSI_NUMBER_MAP(entries, entry, number, count)

typedef struct counts {
    entry *slot;
    size_t size, n;
} counts;

static pluss_status count_key(const plussi_mem *mem, counts *c, uint64_t key)
{
    enum { LEAST = 1 << 10 };
    entry *e = entries_find(c->slot, c->size, key, key);
    if (!e || !e->count) {
        if (!entries_reserve(mem, &c->slot, &c->size, LEAST, c->n + 1))
            return PLUSS_ENOMEM;
        e = entries_find(c->slot, c->size, key, key);
        e->number = key;
        c->n++;
    }
    e->count++;
    return PLUSS_OK;
}

static void clear_counts(counts *c)
{
    if (c->n)
        memset(c->slot, 0, c->size * sizeof *c->slot);
    c->n = 0;
}

/* ---- locality ----------------------------------------------------------------------------------
 */

/* Accesses to a line in the phase: all, and of the thread that makes most. */
typedef struct line_use {
    uint64_t all, most;
} line_use;

typedef struct phase {
    uint64_t number;
    plussi_histo histo[PLUSSI_SCOPES][SHARINGS];
} phase;

/* Intervals of accesses that are profiled. */
typedef struct intervals {
    plussi_sampling how;
    plussi_linemap met;     /* lines of an interval's first accesses: MET or REUSED */
    uint64_t lines, reused; /* of these */
    uint64_t profiled;      /* in the interval */
    uint64_t from;          /* accesses since its first one, without those that it is longer by */
    uint64_t all_profiled, all;
} intervals;

enum { MET = 1, REUSED };

struct plussi_locality {
    plussi_ctx ctx; /* its own: it may outlive the one that it was made with */
    plussi_mem mem;
    uint32_t team, line_bytes;
    unsigned line_shift;
    plussi_linemap lines; /* line: 1 + its number, in order of first touch */
    size_t n_lines, cap_lines;
    line_use *use; /* by that number, all 0 but while a phase ends */
    plussi_lru *all, *apart;
    plussi_lru **own; /* by thread */
    plussi_stacks *coherent;
    uint64_t number, least; /* of the phase that has begun; the least reference in it */
    counts distance;        /* of it: by line, scope and distance */
    counts by_thread;       /* of it: accesses by line and thread */
    phase *phase;
    size_t n_phases, cap_phases;
    intervals sampled;
};

static void free_stacks(plussi_locality *l)
{
    plussi_lru_free(l->all);
    plussi_lru_free(l->apart);
    for (uint32_t t = 0; l->own && t < l->team; t++)
        plussi_lru_free(l->own[t]);
    plussi_free(&l->mem, l->own);
    plussi_stacks_free(l->coherent);
    plussi_linemap_free(&l->lines);
    l->all = l->apart = NULL;
    l->own = NULL;
    l->coherent = NULL;
    l->n_lines = 0;
}

static pluss_status make_stacks(plussi_locality *l)
{
    plussi_linemap_init(&l->lines, &l->mem);
    l->own = plussi_calloc(&l->mem, l->team, sizeof *l->own);
    pluss_status status = l->own ? plussi_lru_new(&l->ctx, &l->all) : PLUSS_ENOMEM;
    if (!status)
        status = plussi_lru_new(&l->ctx, &l->apart);
    for (uint32_t t = 0; t < l->team && !status; t++)
        status = plussi_lru_new(&l->ctx, &l->own[t]);
    return status ? status : plussi_stacks_new(&l->ctx, l->team, &l->coherent);
}

pluss_status plussi_locality_new(plussi_ctx *ctx, uint32_t team, uint32_t line_bytes,
                                 plussi_locality **out)
{
    if (team == 0 || team > UINT32_C(1) << TEAM_BITS)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "locality profiles are of 1 to 65536 threads, not %u", team);
    plussi_locality *l = plussi_calloc(&ctx->mem, 1, sizeof *l);
    if (!l)
        return PLUSS_ENOMEM;
    *l = (plussi_locality){.mem = ctx->mem,
                           .team = team,
                           .line_bytes = line_bytes,
                           .line_shift = (unsigned)__builtin_ctz(line_bytes),
                           .number = UINT64_MAX,
                           .least = UINT64_MAX};
    plussi_linemap_init(&l->sampled.met, &l->mem);
    plussi_ctx_init(&l->ctx, &ctx->mem);
    pluss_status status = make_stacks(l);
    if (status)
        plussi_locality_free(l);
    else
        *out = l;
    return status;
}

void plussi_locality_free(plussi_locality *l)
{
    if (!l)
        return;
    const plussi_mem mem = l->mem;
    free_stacks(l);
    plussi_ctx_clear(&l->ctx);
    for (size_t i = 0; i < l->n_phases; i++)
        for (int k = 0; k < PLUSSI_SCOPES * SHARINGS; k++)
            plussi_histo_free(&l->phase[i].histo[k / SHARINGS][k % SHARINGS]);
    plussi_linemap_free(&l->sampled.met);
    plussi_free(&mem, l->phase);
    plussi_free(&mem, l->distance.slot);
    plussi_free(&mem, l->by_thread.slot);
    plussi_free(&mem, l->use);
    plussi_free(&mem, l);
}

/* ---- accesses ----------------------------------------------------------------------------------
 */

static pluss_status count_distance(plussi_locality *l, uint64_t line, plussi_profile_scope scope,
                                   uint64_t distance, uint64_t first)
{
    uint64_t code = distance == PLUSSI_LRU_COLD             ? first
                    : distance == PLUSSI_STACK_THREAD_FIRST ? THREAD_FIRST
                    : distance == PLUSSI_STACK_COHERENCE    ? COHERENCE
                    : distance < NO_ROOM                    ? distance
                                                            : NO_ROOM;
    if (code == NO_ROOM) /* so is a failure */
        return PLUSS_ENOMEM;
    return count_key(&l->mem, &l->distance,
                     line << (SCOPE_BITS + DISTANCE_BITS) | (uint64_t)scope << DISTANCE_BITS |
                         code);
}

static pluss_status touch(plussi_locality *l, const plussi_cache_access *a)
{
    const uint64_t address = a->address >> l->line_shift;
    uint64_t *number = plussi_linemap_at(&l->lines, address);
    pluss_status status =
        number ? plussi_grow(&l->mem, &l->use, &l->cap_lines, l->n_lines, sizeof *l->use)
               : PLUSS_ENOMEM;
    if (status)
        return status;
    const uint64_t first = *number ? THREAD_FIRST : COLD;
    if (!*number) {
        l->use[l->n_lines] = (line_use){0};
        *number = ++l->n_lines;
    }
    const uint64_t line = *number - 1;
    const uint64_t distance[PLUSSI_SCOPES] = {
        [PLUSSI_SCOPE_PRIVATE] = plussi_lru_touch(l->own[a->thread], line),
        [PLUSSI_SCOPE_CONCURRENT] = plussi_lru_touch(l->all, line),
        [PLUSSI_SCOPE_COHERENT] = plussi_stacks_touch(l->coherent, a->thread, line, a->write),
        [PLUSSI_SCOPE_APART] = plussi_lru_touch(l->apart, (uint64_t)a->thread << 32 | line)};
    if (l->least > a->reference)
        l->least = a->reference;
    for (int s = 0; s < PLUSSI_SCOPES && !status; s++)
        status = count_distance(l, line, (plussi_profile_scope)s, distance[s], first);
    return status ? status : count_key(&l->mem, &l->by_thread, line << TEAM_BITS | a->thread);
}

/* ---- sampling ----------------------------------------------------------------------------------
 */

void plussi_locality_sample(plussi_locality *l, const plussi_sampling *sampling)
{
    l->sampled.how = *sampling;
}

static pluss_status end_phase(plussi_locality *l);

/* Counts are of the phase that goes on; stacks begin anew. */
static pluss_status begin_interval(plussi_locality *l)
{
    intervals *s = &l->sampled;
    const pluss_status status = end_phase(l);
    l->least = UINT64_MAX;
    s->from = s->profiled = s->lines = s->reused = 0;
    plussi_linemap_clear(&s->met);
    free_stacks(l);
    return status ? status : make_stacks(l);
}

/* Whether an access is profiled; the interval's lines and their reuses are counted. */
static pluss_status choose(plussi_locality *l, const plussi_cache_access *a, bool *chosen)
{
    intervals *s = &l->sampled;
    pluss_status status = s->from == s->how.every ? begin_interval(l) : PLUSS_OK;
    const bool first = s->profiled < s->how.profiled;
    s->all++;
    if (!status && !first && (double)s->reused >= s->how.pruned * (double)s->lines) {
        s->from++;
        return PLUSS_OK;
    }
    uint64_t *state = status ? NULL : plussi_linemap_at(&s->met, a->address >> l->line_shift);
    if (!state)
        return PLUSS_ENOMEM;
    s->reused += *state == MET;
    s->lines += !*state && first;
    *state = *state ? REUSED : first ? MET : 0;
    s->from += first;
    s->profiled++;
    s->all_profiled++;
    *chosen = true;
    return PLUSS_OK;
}

pluss_status plussi_locality_run(plussi_locality *l, const plussi_cache_access *access, size_t n)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n && !status; i++) {
        bool chosen = l->sampled.how.every == 0;
        if (!chosen)
            status = choose(l, &access[i], &chosen);
        if (chosen && !status)
            status = touch(l, &access[i]);
    }
    return status;
}

/* ---- phases ------------------------------------------------------------------------------------
 */

static pluss_status find_phase(plussi_locality *l, uint64_t number, phase **out)
{
    for (size_t i = l->n_phases; i-- > 0;)
        if (l->phase[i].number == number) {
            *out = &l->phase[i];
            return PLUSS_OK;
        }
    pluss_status status =
        plussi_grow(&l->mem, &l->phase, &l->cap_phases, l->n_phases, sizeof *l->phase);
    if (status)
        return status;
    *out = &l->phase[l->n_phases++];
    (*out)->number = number;
    for (int k = 0; k < PLUSSI_SCOPES * SHARINGS; k++)
        plussi_histo_init(&(*out)->histo[k / SHARINGS][k % SHARINGS], &l->mem);
    return PLUSS_OK;
}

static pluss_status add_count(const plussi_locality *l, const entry *e, phase *to)
{
    const line_use *use = &l->use[e->number >> (SCOPE_BITS + DISTANCE_BITS)];
    const bool shared = 10 * use->most < 9 * use->all;
    const uint64_t code = e->number & COLD;
    plussi_histo *histo = &to->histo[e->number >> DISTANCE_BITS & (PLUSSI_SCOPES - 1)][shared];
    const double weight = (double)e->count;
    if (code < NO_ROOM)
        return plussi_histo_add(histo, code, weight);
    *(code == COLD           ? &histo->cold
      : code == THREAD_FIRST ? &histo->thread_first
                             : &histo->coherence) += weight;
    return PLUSS_OK;
}

static pluss_status end_phase(plussi_locality *l)
{
    phase *to = NULL;
    if (!l->by_thread.n)
        return PLUSS_OK;
    pluss_status status = find_phase(l, l->number == UINT64_MAX ? l->least : l->number, &to);
    for (size_t i = 0; i < l->by_thread.size; i++) {
        const entry *e = &l->by_thread.slot[i];
        line_use *use = &l->use[e->number >> TEAM_BITS];
        use->all += e->count;
        use->most = use->most > e->count ? use->most : e->count;
    }
    for (size_t i = 0; i < l->distance.size && !status; i++)
        if (l->distance.slot[i].count)
            status = add_count(l, &l->distance.slot[i], to);
    for (size_t i = 0; i < l->by_thread.size; i++)
        l->use[l->by_thread.slot[i].number >> TEAM_BITS] = (line_use){0};
    clear_counts(&l->distance);
    clear_counts(&l->by_thread);
    return status;
}

pluss_status plussi_locality_begin_phase(plussi_locality *l, uint64_t number)
{
    pluss_status status = end_phase(l);
    l->number = number;
    l->least = UINT64_MAX;
    return status;
}

pluss_status plussi_locality_empty(plussi_locality *l)
{
    pluss_status status = plussi_locality_begin_phase(l, UINT64_MAX);
    return status ? status : begin_interval(l);
}

/* ---- profiles ----------------------------------------------------------------------------------
 */

static pluss_status add_profile(const plussi_locality *l, const phase *from, int scope, int shared,
                                const plussi_identity *id, double runs, plussi_result *result)
{
    const plussi_histo *histo = &from->histo[scope][shared];
    plussi_profile profile;
    if (!(plussi_histo_total(histo) > 0))
        return PLUSS_OK;
    pluss_status status = plussi_profile_init(&l->mem, PLUSSI_METRIC_DISTANCE,
                                              (plussi_profile_scope)scope, 0, &profile);
    if (!status)
        status = plussi_histo_merge(&profile.histo, histo, 1);
    if (!status)
        status = plussi_identity_copy(&l->mem, id, &profile.id);
    profile.id.threads_per_cache =
        scope == PLUSSI_SCOPE_CONCURRENT || scope == PLUSSI_SCOPE_APART ? 0 : 1;
    profile.sharing = shared ? PLUSSI_SHARING_SHARED : PLUSSI_SHARING_PRIVATE;
    profile.phase = from->number;
    profile.runs = runs;
    profile.footprint_lines = (uint64_t)(histo->cold / runs + 0.5);
    if (!status)
        status = plussi_result_add_profile(result, &profile);
    plussi_profile_free(&profile);
    return status;
}

pluss_status plussi_locality_add_profiles(plussi_locality *l, const plussi_identity *id,
                                          double runs, plussi_result *result)
{
    pluss_status status = plussi_locality_begin_phase(l, UINT64_MAX);
    if (l->sampled.all)
        runs *= (double)l->sampled.all_profiled / (double)l->sampled.all;
    for (size_t i = 0; i < l->n_phases; i++)
        for (int k = 0; k < PLUSSI_SCOPES * SHARINGS && !status; k++)
            status = add_profile(l, &l->phase[i], k / SHARINGS, k % SHARINGS, id, runs, result);
    return status;
}
