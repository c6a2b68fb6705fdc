/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two-phase stratified sampling (Neyman 1938). The pilot sample has many accesses, for which only
 * the previous touch by their own thread is found, which is cheap. It gives the strata (reference,
 * reference of the previous touch, length of the interval, part of the program) and their weights.
 * A few accesses of each stratum are then evaluated, more where long intervals make the evaluation
 * uncertain.
 */
#include <math.h>
#include <string.h>

#include "base/radix.h"
#include "model/clock_state.h"

/* An access of the pilot sample. */
typedef struct seen {
    uint64_t number, key;
    uint32_t part, leaf, thread, index;
    double weight;
    uint8_t length; /* log2 of the private interval; FAR + log2 of phases between; COLD */
} seen;

enum { FAR = 128, COLD = 255, FEWEST = 2 };

static uint8_t log2_of(uint64_t v)
{
    uint8_t l = 0;
    for (; v > 1; v >>= 1)
        l++;
    return l;
}

/* The loop nest that the access belongs to, and how far it has advanced. */
static uint32_t part_of(plussi_clock_run *run, uint64_t phase, uint64_t pos, uint32_t leaf)
{
    double progress = plussi_engine_progress(run->workspace, &run->cursor, phase, pos);
    uint32_t step =
        progress < 1 ? (uint32_t)(progress * PLUSSI_CLOCK_PROGRESS) : PLUSSI_CLOCK_PROGRESS - 1;
    return plussi_engine_part(run->engine, leaf) * PLUSSI_CLOCK_PROGRESS + step;
}

/* What is known of access `index` of the pilot sample: the access and its previous touch, packed.
 */
static plussi_clock_known *keep_known(plussi_clock_run *run, uint32_t index,
                                      const plussi_cursor *prev)
{
    plussi_clock_pilot_sample *pilot = &run->pilot;
    int64_t *words = pilot->words + 2 * (size_t)index * pilot->packed;
    plussi_engine_pack(run->engine, &run->cursor, words);
    if (prev)
        plussi_engine_pack(run->engine, prev, words + pilot->packed);
    return &pilot->known[index];
}

void plussi_clock_recall(plussi_clock_run *run, uint32_t index)
{
    const plussi_clock_pilot_sample *pilot = &run->pilot;
    const int64_t *words = pilot->words + 2 * (size_t)index * pilot->packed;
    run->known = &pilot->known[index];
    plussi_engine_unpack(run->engine, words, &run->cursor);
    if (run->known->any)
        plussi_engine_unpack(run->engine, words + pilot->packed,
                             &run->thread[run->cursor.iv[0]].touch);
}

static void look_at_access(plussi_clock_run *run, uint64_t number, uint32_t index, seen *out)
{
    plussi_cursor prev;
    plussi_clock_known at;
    plussi_effort_take(plussi_effort_of(run->ctx), 32);
    plussi_engine_nth(run->workspace, number, &run->cursor);
    at.line = plussi_engine_line(run->workspace, &run->cursor);
    at.any = plussi_engine_prev(run->workspace, &run->cursor, at.line, NULL, &prev);
    plussi_engine_locate(run->workspace, &run->cursor, &at.phase, &at.pos);
    out->number = number;
    out->index = index;
    out->leaf = run->cursor.leaf;
    out->thread = (uint32_t)run->cursor.iv[0];
    out->part = part_of(run, at.phase, at.pos, run->cursor.leaf);
    out->length = COLD;
    uint64_t key = plussi_mix(run->cursor.leaf, run->cursor.touch);
    if (at.any) {
        plussi_engine_locate(run->workspace, &prev, &at.prev_phase, &at.prev_pos);
        out->length = at.phase == at.prev_phase
                          ? log2_of(at.pos - at.prev_pos)
                          : (uint8_t)(FAR + log2_of(at.phase - at.prev_phase));
        key = plussi_mix(key, prev.leaf + 1);
    }
    out->key = plussi_mix(plussi_mix(key, out->length), out->part);
    *keep_known(run, index, at.any ? &prev : NULL) = at;
}

/* Scales each reference's accesses in the pilot sample to its known number of executions. The
 * weight of references without an access in the sample goes to the others. */
static pluss_status weigh_references(plussi_clock_run *run, seen *s, size_t n)
{
    uint32_t leaves = plussi_engine_leaves(run->engine);
    double total = (double)plussi_engine_accesses(run->engine), sum = 0;
    double *count = plussi_calloc(&run->ctx->mem, leaves, sizeof *count);
    if (!count)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < n; i++)
        count[s[i].leaf]++;
    for (uint32_t l = 0; l < leaves; l++) {
        if (count[l] == 0)
            continue;
        double known = (double)plussi_engine_leaf_accesses(run->engine, l);
        count[l] = known > 0 ? known / count[l] : total / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        sum += s[i].weight = count[s[i].leaf];
    for (size_t i = 0; i < n; i++)
        s[i].weight *= total / sum;
    plussi_free(&run->ctx->mem, count);
    return PLUSS_OK;
}

/* Sorts by key; accesses of one key stay in their order. */
static pluss_status sort_by_key(plussi_ctx *ctx, seen *s, size_t n)
{
    plussi_keyed *order = plussi_alloc(&ctx->mem, 2 * n + 1, sizeof *order);
    seen *copy = plussi_alloc(&ctx->mem, n + 1, sizeof *copy);
    if (order && copy) {
        for (size_t i = 0; i < n; i++)
            order[i] = (plussi_keyed){s[i].key, (uint32_t)i};
        plussi_radix_sort(order, order + n, n);
        memcpy(copy, s, n * sizeof *s);
        for (size_t i = 0; i < n; i++)
            s[i] = copy[order[i].index];
    }
    pluss_status status = order && copy ? PLUSS_OK : PLUSS_ENOMEM;
    plussi_free(&ctx->mem, order);
    plussi_free(&ctx->mem, copy);
    return status;
}

static double importance_of_length(uint8_t length)
{
    return length < 4 ? 0.15 : length < 8 ? 0.5 : 1;
}

/* The stratum that begins at s[i]; it ends before s[*j]. Returns its part of the samples, not
 * scaled. */
static double find_stratum(const seen *s, size_t n, size_t i, size_t *j, double *weight)
{
    *weight = 0;
    for (*j = i; *j < n && s[*j].key == s[i].key; ++*j)
        *weight += s[*j].weight;
    return importance_of_length(s[i].length) * pow(*weight, 0.6);
}

/* Draws an access of each of `n_wanted` equal parts of a stratum, in program order. */
static void choose_samples(plussi_clock_run *run, const seen *s, size_t n, size_t n_wanted,
                           double weight, plussi_clock_plan *plan)
{
    for (size_t k = 0; k < n_wanted; k++) {
        size_t a = n * k / n_wanted, b = n * (k + 1) / n_wanted;
        const seen *x = &s[a + plussi_rng_below(&run->rng, b - a)];
        double drawn = weight * (double)(b - a) / (double)n;
        plan->sample[plan->n++] = (plussi_clock_sample){.number = x->number,
                                                        .place = x->index,
                                                        .stratum = x->key,
                                                        .drawn = drawn,
                                                        .weight = drawn,
                                                        .part = x->part};
    }
}

static pluss_status allocate_samples(plussi_clock_run *run, seen *s, size_t n, uint32_t samples,
                                     plussi_clock_plan *plan)
{
    pluss_status status = sort_by_key(run->ctx, s, n);
    if (status)
        return status;
    double sum = 0, weight;
    size_t strata = 0, j;
    for (size_t i = 0; i < n; i = j, strata++)
        sum += find_stratum(s, n, i, &j, &weight);
    plan->sample =
        plussi_alloc(&run->ctx->mem, samples + (FEWEST + 1) * strata, sizeof *plan->sample);
    if (!plan->sample)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < n; i = j) {
        double share = find_stratum(s, n, i, &j, &weight) / sum;
        size_t n_wanted = (size_t)(share * samples + 0.5);
        if (n_wanted < FEWEST)
            n_wanted = FEWEST;
        if (n_wanted > j - i)
            n_wanted = j - i;
        choose_samples(run, s + i, j - i, n_wanted, weight, plan);
    }
    return PLUSS_OK;
}

/* Beyond 64 active threads the cost of an access grows with their number: evaluates fewer. */
static uint32_t count_affordable(plussi_clock_run *run, const seen *s, size_t n, uint32_t samples)
{
    enum { MANY = 64 };
    uint32_t threads = 0;
    for (uint32_t i = 0; i < (run->team + 63) / 64; i++)
        run->other[i] = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bit = UINT64_C(1) << s[i].thread % 64, *word = &run->other[s[i].thread / 64];
        threads += !(*word & bit);
        *word |= bit;
    }
    return threads > MANY ? (uint32_t)(samples * sqrt((double)MANY / threads)) : samples;
}

pluss_status plussi_clock_pilot(plussi_clock_run *run, uint32_t pilot, uint32_t samples,
                                plussi_clock_plan *out)
{
    uint64_t total = plussi_engine_accesses(run->engine);
    plussi_clock_plan plan = {.accesses = (double)total};
    plan.n_parts = plussi_engine_parts(run->engine) * PLUSSI_CLOCK_PROGRESS;
    run->pilot.packed = plussi_engine_packed_words(run->engine);
    run->pilot.known = plussi_alloc(&run->ctx->mem, pilot, sizeof *run->pilot.known);
    run->pilot.words =
        plussi_alloc(&run->ctx->mem, 2 * (size_t)pilot * run->pilot.packed, sizeof(int64_t));
    if (!run->pilot.known || !run->pilot.words)
        return PLUSS_ENOMEM;
    seen *s = plussi_alloc(&run->ctx->mem, pilot, sizeof *s);
    if (!s)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < pilot; i++) { /* one from each of that many equal parts */
        double at = (double)total * ((i + plussi_rng_unit(&run->rng)) / pilot);
        uint64_t number = (uint64_t)at;
        look_at_access(run, number < total ? number : total - 1, i, &s[i]);
    }
    pluss_status status = weigh_references(run, s, pilot);
    if (!status)
        status = allocate_samples(run, s, pilot, count_affordable(run, s, pilot, samples), &plan);
    plussi_free(&run->ctx->mem, s);
    if (!status)
        *out = plan;
    return status;
}
