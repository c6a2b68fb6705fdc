/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two-phase stratified sampling (Neyman 1938). The survey looks at many accesses, with their own
 * thread's previous touch alone, which is cheap; it tells the strata (which reference, whose touch
 * it follows, how long ago, where in the program) and their weights. A few of each stratum are
 * then evaluated, more where long intervals make the evaluation uncertain.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/clock_state.h"

enum { PROGRESS = 8 };

/* A surveyed access. */
typedef struct seen {
    uint64_t number, key;
    uint32_t part;
    uint8_t length; /* log2 of the private interval, about; COLD */
} seen;

enum { COLD = 255 };

static uint8_t log2_of(uint64_t v)
{
    uint8_t l = 0;
    for (; v > 1; v >>= 1)
        l++;
    return l;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    return h * 0xff51afd7ed558ccdu ^ h >> 29;
}

/* Which loop nest the access belongs to, and how far that has come. */
static uint32_t part_of(plussi_clock_run *run, uint64_t phase, uint64_t pos, uint32_t leaf)
{
    double progress = plussi_engine_progress(run->scan, &run->spot, phase, pos);
    uint32_t eighth = progress >= 1 ? PROGRESS - 1 : (uint32_t)(progress * PROGRESS);
    return plussi_engine_part(run->engine, leaf) * PROGRESS + eighth;
}

static void look(plussi_clock_run *run, uint64_t number, seen *out)
{
    plussi_spot prev;
    uint64_t phase, pos, prev_phase, prev_pos;
    plussi_engine_nth(run->scan, number, &run->spot);
    uint64_t line = plussi_engine_line(run->scan, &run->spot);
    bool any = plussi_engine_prev(run->scan, &run->spot, line, NULL, &prev);
    plussi_engine_locate(run->scan, &run->spot, &phase, &pos);
    out->number = number;
    out->part = part_of(run, phase, pos, run->spot.leaf);
    out->length = COLD;
    uint64_t key = mix(run->spot.leaf, run->spot.touch);
    if (any) {
        plussi_engine_locate(run->scan, &prev, &prev_phase, &prev_pos);
        if (phase == prev_phase)
            out->length = log2_of(pos - prev_pos);
        else
            out->length = (uint8_t)(128 + log2_of(phase - prev_phase));
        key = mix(key, prev.leaf + 1);
    }
    out->key = mix(mix(key, out->length), out->part);
}

static int by_key(const void *a, const void *b)
{
    const seen *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static double importance(uint8_t length)
{
    return length < 4 ? 0.15 : length < 8 ? 0.5 : 1;
}

static pluss_status allocate(plussi_clock_run *run, seen *s, size_t n, plussi_clock_plan *plan)
{
    qsort(s, n, sizeof *s, by_key);
    double sum = 0;
    size_t strata = 0;
    for (size_t i = 0, j; i < n; i = j, strata++) {
        for (j = i; j < n && s[j].key == s[i].key; j++)
            ;
        sum += importance(s[i].length) * pow((double)(j - i) / (double)n, 0.6);
    }
    size_t cap = run->options->samples + 2 * strata;
    plan->sample = plussi_alloc(&run->ctx->mem, cap, sizeof *plan->sample);
    if (!plan->sample)
        return PLUSS_ENOMEM;
    uint32_t stratum = 0;
    for (size_t i = 0, j; i < n; i = j, stratum++) {
        for (j = i; j < n && s[j].key == s[i].key; j++)
            ;
        double share = importance(s[i].length) * pow((double)(j - i) / (double)n, 0.6) / sum;
        size_t want = (size_t)(share * run->options->samples + 0.5);
        if (want < 2)
            want = 2;
        if (want > j - i)
            want = j - i;
        /* one from each of `want` equal parts, in the order of the program */
        for (size_t k = 0; k < want; k++) {
            size_t a = i + (j - i) * k / want, b = i + (j - i) * (k + 1) / want;
            const seen *x = &s[a + plussi_rng_below(&run->rng, b - a)];
            plan->sample[plan->n++] = (plussi_clock_sample){
                .number = x->number,
                .weight = plan->accesses / (double)n * (double)(j - i) / (double)want,
                .part = x->part,
                .stratum = stratum};
        }
    }
    return PLUSS_OK;
}

pluss_status plussi_clock_survey(plussi_clock_run *run, plussi_clock_plan *out)
{
    uint64_t total = plussi_engine_accesses(run->engine);
    size_t n = run->options->survey;
    if (n > total)
        n = (size_t)total;
    plussi_clock_plan plan = {.accesses = (double)total};
    plan.n_parts = plussi_engine_parts(run->engine) * PROGRESS;
    seen *s = plussi_alloc(&run->ctx->mem, n, sizeof *s);
    if (!s)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < n; i++) { /* one from each of n equal parts */
        double at = (double)total * (((double)i + plussi_rng_unit(&run->rng)) / (double)n);
        uint64_t number = (uint64_t)at;
        look(run, number < total ? number : total - 1, &s[i]);
    }
    pluss_status status = allocate(run, s, n, &plan);
    plussi_free(&run->ctx->mem, s);
    if (!status)
        *out = plan;
    return status;
}

void plussi_clock_plan_free(const plussi_mem *mem, plussi_clock_plan *plan)
{
    plussi_free(mem, plan->sample);
    plan->sample = NULL;
}
