/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/lines.h"

#include <math.h>
#include <string.h>

#include "exact/lru.h"
#include "model/lines_merge.h"
#include "model/model.h"

enum {
    FEW = 8,            /* with fewer sampled lines in a window the intervals count as well: */
    TRUST = 4,          /* as much as that many windows */
    HALF_OCTAVES = 128, /* range of the intervals */
    BITS = 7,           /* bins of intervals: 2^BITS an octave */
    REPEATS = 4,        /* number of drawings */
    REPEATED = 1000000  /* if there are fewer accesses than this */
};

/* ---- one interleaving -------------------------------------------------------------------------
 */

/* The last touch of a line. */
typedef struct touch {
    uint64_t phase, at;
    uint32_t thread;
    double time, made;
} touch;

typedef struct job {
    plussi_ctx *ctx;
    const plussi_sampled_trace *sampled;
    plussi_lines_merge *merge;
    double *weight; /* of an access, by reference */
    plussi_lru *lru;
    touch *last; /* by line */
    size_t cap_last;
    /* results: by interval, and distances by half octaves of the interval */
    plussi_histo interval, distance[HALF_OCTAVES];
    double cold, lines;
    double windows[HALF_OCTAVES],
        counted[HALF_OCTAVES]; /* windows of a half octave; sampled lines in them */
} job;

static unsigned half_octave(uint64_t interval)
{
    double at = 2 * log2((double)interval);
    return at < HALF_OCTAVES ? (unsigned)at : HALF_OCTAVES - 1;
}

static pluss_status add_reuse(job *j, const touch *before, const touch *now, uint64_t distance,
                              double weight)
{
    double window = now->made - before->made;
    if (before->phase == now->phase && before->thread == now->thread)
        window += (double)(now->at - before->at) - (now->time - before->time);
    uint64_t interval = plussi_histo_quantise(window > 1 ? (uint64_t)llround(window) : 1, BITS);
    unsigned h = half_octave(interval);
    j->windows[h]++;
    j->counted[h] += (double)distance;
    pluss_status status = plussi_histo_add(&j->interval, interval, weight);
    return status ? status : plussi_histo_add(&j->distance[h], distance, weight);
}

/* Makes room for the line: new ones appear when another thread executes a chunk. */
static bool has_line(job *j, uint32_t line)
{
    while (line >= j->cap_last)
        if (plussi_grow(&j->ctx->mem, &j->last, &j->cap_last, j->cap_last, sizeof *j->last))
            return false;
    return true;
}

static pluss_status take_event(void *self, const plussi_lines_event *a)
{
    job *j = self;
    touch now = {a->phase, a->at, a->thread, a->time, a->made};
    uint64_t distance = plussi_lru_touch(j->lru, a->line);
    double weight = j->weight[a->ref];
    pluss_status status = PLUSS_OK;
    if (distance == PLUSSI_LRU_FAIL || !has_line(j, a->line)) {
        status = PLUSS_ENOMEM;
    } else if (distance == PLUSSI_LRU_COLD) {
        j->cold += weight;
        j->lines++;
    } else {
        status = add_reuse(j, &j->last[a->line], &now, distance, weight);
    }
    if (!status)
        j->last[a->line] = now;
    return status;
}

/* ---- distances --------------------------------------------------------------------------------
 */

/* F of "From intervals to a curve" at ascending keys. */
typedef struct aet {
    const plussi_bin *bin;
    size_t n, at;
    double left, f, reached; /* weight of longer intervals; F(reached) */
    double all;
} aet;

static double aet_at(aet *a, uint64_t interval)
{
    while (a->at < a->n && (double)a->bin[a->at].key <= (double)interval) {
        double key = (double)a->bin[a->at].key;
        a->f += (key - a->reached) * a->left / a->all;
        a->reached = key;
        a->left -= a->bin[a->at++].weight;
    }
    return a->f + ((double)interval - a->reached) * fmax(a->left, 0) / a->all;
}

/* Mean ratio of distance to F in a half octave, from the sampled lines. */
static double find_ratio(const job *j, unsigned h, double f)
{
    double n = j->windows[h], counted = j->counted[h] / j->sampled->rate;
    return f > 0 && n > 0 ? (counted + TRUST * f) / ((n + TRUST) * f) : 1;
}

/* Turns the intervals [first, end) of a half octave into distances, by F. */
static pluss_status by_interval(const job *j, unsigned h, const plussi_bin *bin, size_t n,
                                const double *f, plussi_histo *out)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < n; i++) {
        sum += bin[i].weight * f[i];
        weight += bin[i].weight;
    }
    double scale = find_ratio(j, h, weight > 0 ? sum / weight : 0);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n && !status; i++) {
        double most = (double)bin[i].key - 1, distance = fmin(f[i] * scale, most);
        status = plussi_histo_add(out, (uint64_t)llround(fmax(distance, 0)), bin[i].weight);
    }
    return status;
}

static pluss_status by_count(const job *j, unsigned h, plussi_histo *out)
{
    plussi_bin *bin;
    size_t n;
    pluss_status status = plussi_histo_sorted(&j->distance[h], &bin, &n);
    if (status)
        return status;
    for (size_t i = 0; i < n && !status; i++)
        status = plussi_histo_add(out, (uint64_t)llround((double)bin[i].key / j->sampled->rate),
                                  bin[i].weight);
    plussi_free(&j->distance[h].mem, bin);
    return status;
}

/* bin: all intervals, those of references without samples included. */
static pluss_status convert_intervals(const job *j, const plussi_bin *bin, size_t n,
                                      const plussi_histo *missing, plussi_histo *out)
{
    bool all = j->sampled->rate >= 1;
    double *f = plussi_alloc(&j->ctx->mem, n, sizeof *f);
    if (!f)
        return PLUSS_ENOMEM;
    aet a = {.bin = bin, .n = n, .all = plussi_histo_total(&j->interval) + j->cold};
    a.left = a.all;
    for (size_t i = 0; i < n; i++)
        f[i] = aet_at(&a, bin[i].key);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0, end; i < n && !status; i = end) {
        unsigned h = half_octave(bin[i].key);
        for (end = i; end < n && half_octave(bin[end].key) == h; end++) {
        }
        bool few = f[i] * j->sampled->rate < FEW;
        if (!all && few) {
            status = by_interval(j, h, bin + i, end - i, f + i, out);
            continue;
        }
        status = by_count(j, h, out);
        for (size_t k = i; k < end && missing && !status; k++) {
            double weight = plussi_histo_get(missing, bin[k].key);
            status = plussi_histo_add(out, (uint64_t)llround(f[k]), weight);
        }
    }
    plussi_free(&j->ctx->mem, f);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static pluss_status job_init(job *j)
{
    plussi_histo_init(&j->interval, &j->ctx->mem);
    for (unsigned h = 0; h < HALF_OCTAVES; h++)
        plussi_histo_init(&j->distance[h], &j->ctx->mem);
    const plussi_sampled_trace *p = j->sampled;
    j->weight = plussi_calloc(&j->ctx->mem, p->n_refs, sizeof *j->weight);
    if (!j->weight)
        return PLUSS_ENOMEM;
    for (uint32_t k = 0; k < p->team; k++)
        for (size_t i = 0; i < p->thread[k].n; i++)
            j->weight[p->thread[k].access[i].ref]++;
    for (uint32_t r = 0; r < p->n_refs; r++)
        j->weight[r] = j->weight[r] > 0 ? (double)p->made[r] / j->weight[r] : 0;
    pluss_status status = plussi_lines_merge_new(j->ctx, p, &j->merge);
    if (status)
        return status;
    j->cap_last = plussi_lines_merge_lines(j->merge);
    j->last = plussi_alloc(&j->ctx->mem, j->cap_last, sizeof *j->last);
    return j->last ? plussi_lru_new(j->ctx, &j->lru) : PLUSS_ENOMEM;
}

static void job_free(job *j)
{
    plussi_histo_free(&j->interval);
    for (unsigned h = 0; h < HALF_OCTAVES; h++)
        plussi_histo_free(&j->distance[h]);
    plussi_free(&j->ctx->mem, j->weight);
    plussi_free(&j->ctx->mem, j->last);
    plussi_lines_merge_free(j->merge);
    if (j->lru)
        plussi_lru_free(j->lru);
}

static unsigned count_repeats(const plussi_sampled_trace *sampled)
{
    size_t n = 0;
    for (uint32_t k = 0; k < sampled->team; k++)
        n += sampled->thread[k].n;
    return n < REPEATED ? REPEATS : 1;
}

static pluss_status finish_job(job *j, unsigned times, const plussi_histo *missing,
                               plussi_lines_result *out)
{
    plussi_lines_result result = {.footprint = j->lines / (j->sampled->rate * times)};
    plussi_histo *rd = &result.profile.histo, scaled;
    plussi_bin *bin = NULL;
    size_t n = 0;
    pluss_status status = plussi_profile_init(&j->ctx->mem, PLUSSI_METRIC_DISTANCE,
                                              PLUSSI_SCOPE_CONCURRENT, 0, &result.profile);
    plussi_histo_init(&scaled, &j->ctx->mem);
    if (!status && missing) {
        status = plussi_histo_merge(&scaled, missing, times);
        if (!status)
            status = plussi_histo_merge(&j->interval, &scaled, 1);
        j->interval.cold = 0;
        j->cold += scaled.cold;
    }
    rd->cold = j->cold;
    result.profile.runs = times;
    if (!status)
        status = plussi_histo_sorted(&j->interval, &bin, &n);
    if (!status)
        status = convert_intervals(j, bin, n, missing ? &scaled : NULL, rd);
    if (!status && !(plussi_histo_total(rd) > 0))
        status = PLUSS_EINVALID;
    if (status)
        plussi_profile_free(&result.profile);
    else
        *out = result;
    plussi_free(&j->ctx->mem, bin);
    plussi_histo_free(&scaled);
    return status;
}

pluss_status plussi_lines(plussi_ctx *ctx, const plussi_sampled_trace *sampled,
                          uint32_t threads_per_cache, const plussi_histo *missing, uint64_t seed,
                          plussi_lines_result *out)
{
    job *j = plussi_calloc(&ctx->mem, 1, sizeof *j);
    if (!j)
        return PLUSS_ENOMEM;
    *j = (job){.ctx = ctx, .sampled = sampled};
    pluss_status status = job_init(j);
    uint32_t step =
        threads_per_cache && threads_per_cache < sampled->team ? threads_per_cache : sampled->team;
    unsigned times = count_repeats(sampled);
    for (unsigned i = 0; i < times && !status; i++) {
        plussi_lines_merge_seed(j->merge, seed, i);
        for (uint32_t k = 0; k < sampled->team && !status; k += step) {
            plussi_lru_reset(j->lru);
            status = plussi_lines_merge_run(
                j->merge, k, sampled->team - k < step ? sampled->team : k + step, take_event, j);
        }
    }
    if (!status)
        status = finish_job(j, times, missing, out);
    job_free(j);
    plussi_free(&ctx->mem, j);
    return status;
}

static pluss_status run_lines(plussi_ctx *ctx, const plussi_model_input *input,
                              plussi_estimate *out)
{
    plussi_lines_result result;
    pluss_status status = plussi_lines(ctx, input->trace, input->threads_per_cache, input->untraced,
                                       input->seed, &result);
    if (status)
        return status;
    out->profile = result.profile;
    out->footprint = result.footprint;
    return PLUSS_OK;
}

extern const plussi_model plussi_model_lines;
const plussi_model plussi_model_lines = {.name = "lines",
                                         .summary =
                                             "Poisson clocks over the sampled trace of a run",
                                         .takes = PLUSSI_TAKES_TRACE,
                                         .gives = PLUSSI_GIVES_SHARED,
                                         .run = run_lines};
