/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/compose.h"

#include <math.h>
#include <stdlib.h>

#include "model/nbd.h"
#include "model/racetrack.h"

typedef enum fate {
    ALONE,   /* no other threads: the interval stays */
    DILATED, /* negative binomial */
    SCALED,  /* T r */
    SPLIT    /* racetrack on T r */
} fate;

/* A private interval and what it becomes. */
typedef struct job {
    fate fate;
    bool is_long;
    uint32_t threads, runners;
    uint64_t interval;
    double weight;
    uint32_t ref;
} job;

typedef struct composer {
    plussi_ctx *ctx;
    const plussi_pri *pri;
    uint32_t T;
    const plussi_cri_params *params;
    plussi_runners_fn runners;
    job *job;
    size_t n, cap;
    double orphans; /* thread-first accesses of references that have no intervals */
} composer;

static pluss_status add_job(composer *c, job j)
{
    if (j.weight == 0)
        return PLUSS_OK;
    pluss_status status = plussi_grow(&c->ctx->mem, &c->job, &c->cap, c->n, sizeof *c->job);
    if (status == PLUSS_OK)
        c->job[c->n++] = j;
    return status;
}

static bool is_long(const composer *c, const plussi_bin *bin)
{
    return bin->key > c->params->threshold;
}

/* Table 1 for one interval of a reference. */
static pluss_status decide_interval(composer *c, uint32_t ref, const plussi_bin *bin, double weight)
{
    uint32_t threads = c->pri->ref[ref].own_team ? c->pri->ref[ref].own_team : c->T, runners;
    double part;
    job j = {.is_long = is_long(c, bin),
             .threads = threads,
             .runners = 1,
             .interval = bin->key,
             .weight = weight,
             .ref = ref};
    if (threads == 1 || !j.is_long) {
        j.fate = threads == 1 ? ALONE : DILATED;
        return add_job(c, j);
    }
    c->runners(c->pri, ref, c->T, &runners, &part);
    if (runners <= 1)
        part = 0;
    j.fate = SCALED;
    j.weight = weight * (1 - part);
    pluss_status status = add_job(c, j);
    if (status != PLUSS_OK)
        return status;
    j.fate = SPLIT;
    j.runners = runners;
    j.weight = weight * part;
    /* Lengths of laps that differ by less than a bin's width are the same in the bins of the
     * pieces. */
    j.interval = plussi_histo_quantise(bin->key, c->params->bits);
    return add_job(c, j);
}

/* The first touch of a line by a thread ends a concurrent interval, but no private one, if another
 * thread has touched the line. On the racetrack it is not special: the thread meets the line at the
 * same distance from the previous thread as in any other lap. So it is given a private interval
 * like the reference's own long ones, or like any of its own if none is long, by scaling their
 * weights. */
static pluss_status decide_reference(composer *c, uint32_t ref)
{
    const plussi_histo *h = &c->pri->ref[ref].histo;
    plussi_bin *bin;
    size_t n;
    pluss_status status = plussi_histo_sorted(h, &bin, &n);
    if (status != PLUSS_OK)
        return status;
    double longs = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        all += bin[i].weight;
        longs += is_long(c, &bin[i]) ? bin[i].weight : 0;
    }
    if (all == 0)
        c->orphans += h->thread_first;
    for (size_t i = 0; i < n && status == PLUSS_OK; i++) {
        double scale = 1;
        if (longs == 0)
            scale += h->thread_first / all;
        else if (is_long(c, &bin[i]))
            scale += h->thread_first / longs;
        status = decide_interval(c, ref, &bin[i], bin[i].weight * scale);
    }
    plussi_free(&h->mem, bin);
    return status;
}

/* References with nothing but first touches get the program's long intervals, or all of its
 * intervals if none is long, or a racetrack as long as the whole run if there are none. */
static pluss_status adopt_orphans(composer *c)
{
    if (c->orphans == 0)
        return PLUSS_OK;
    double longs = 0, all = 0;
    for (size_t i = 0; i < c->n; i++) {
        all += c->job[i].weight;
        longs += c->job[i].is_long ? c->job[i].weight : 0;
    }
    for (size_t i = 0; i < c->n; i++)
        if (longs == 0 || c->job[i].is_long)
            c->job[i].weight *= 1 + c->orphans / (longs == 0 ? all : longs);
    if (all > 0)
        return PLUSS_OK;
    double run = fmax(1, floor(c->pri->accesses / c->T));
    return add_job(c, (job){.fate = SPLIT,
                            .threads = c->T,
                            .runners = c->T,
                            .interval = run < 0x1p63 ? (uint64_t)run : (uint64_t)1 << 63,
                            .weight = c->orphans});
}

/* ---- evaluation ---------------------------------------------------------------------------------
 */

static int compare_jobs(const void *left, const void *right)
{
    const job *a = left, *b = right;
#define BY(field)                                                                                  \
    if (a->field != b->field)                                                                      \
        return a->field < b->field ? -1 : 1;
    BY(fate)
    BY(threads)
    BY(runners)
    BY(interval)
    BY(ref) /* so that the order of summation does not depend on the sort */
#undef BY
    return 0;
}

static bool same_outcome(const job *a, const job *b)
{
    return a->fate == b->fate && a->threads == b->threads && a->runners == b->runners &&
           a->interval == b->interval;
}

static pluss_status evaluate_job(composer *c, const job *j, double weight, plussi_histo *piece,
                                 plussi_histo *out)
{
    uint64_t interval = j->interval;
    pluss_status status = PLUSS_OK;
    if (j->fate == DILATED)
        status = plussi_nbd_dilate(interval, j->threads, c->params->cut, c->params->bits, piece);
    else if (j->fate != ALONE)
        status = plussi_nbd_mean(interval, j->threads, &interval);
    if (status == PLUSS_ERANGE)
        return plussi_fail(
            c->ctx, status, NULL,
            "a private reuse interval of %llu accesses times %u threads does not fit "
            "64 bits",
            (unsigned long long)j->interval, j->threads);
    if (status == PLUSS_OK && j->fate == SPLIT)
        status = plussi_racetrack_split(interval, j->runners, c->params->bits, piece);
    if (status != PLUSS_OK)
        return status;
    if (j->fate == ALONE || j->fate == SCALED)
        return plussi_histo_add(out, interval, weight);
    for (size_t i = 0; i < piece->cap && status == PLUSS_OK; i++)
        if (piece->slot[i].weight != 0) {
            uint64_t key = plussi_histo_quantise(piece->slot[i].key, c->params->bits);
            status = plussi_histo_add(out, key, piece->slot[i].weight * weight);
        }
    return status;
}

static pluss_status evaluate_all(composer *c, plussi_histo *out)
{
    if (c->n)
        qsort(c->job, c->n, sizeof *c->job, compare_jobs);
    plussi_histo piece;
    plussi_histo_init(&piece, &c->ctx->mem);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0, next; i < c->n && status == PLUSS_OK; i = next) {
        double weight = 0;
        for (next = i; next < c->n && same_outcome(&c->job[i], &c->job[next]); next++)
            weight += c->job[next].weight;
        status = evaluate_job(c, &c->job[i], weight, &piece, out);
    }
    plussi_histo_free(&piece);
    return status;
}

static pluss_status check_params(plussi_ctx *ctx, uint32_t T, const plussi_cri_params *params)
{
    if (T == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a team has at least one thread");
    if (!(params->cut > 0 && params->cut <= PLUSSI_NBD_MAX_CUT))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a cut of %g is not in (0, %g]", params->cut,
                           PLUSSI_NBD_MAX_CUT);
    if (params->bits < 1 || params->bits > 20)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "2^%u bins an octave: 1 to 20 expected",
                           params->bits);
    return PLUSS_OK;
}

pluss_status plussi_compose(plussi_ctx *ctx, const plussi_pri *pri, uint32_t T,
                            const plussi_cri_params *params, plussi_runners_fn runners,
                            plussi_histo *out)
{
    pluss_status status = check_params(ctx, T, params);
    if (status != PLUSS_OK)
        return status;
    composer c = {.ctx = ctx, .pri = pri, .T = T, .params = params, .runners = runners};
    plussi_histo made;
    plussi_histo_init(&made, &out->mem);
    for (uint32_t ref = 0; ref < pri->n_refs && status == PLUSS_OK; ref++) {
        made.cold += pri->ref[ref].histo.cold;
        status = decide_reference(&c, ref);
    }
    if (status == PLUSS_OK)
        status = adopt_orphans(&c);
    if (status == PLUSS_OK)
        status = evaluate_all(&c, &made);
    plussi_free(&ctx->mem, c.job);
    if (status != PLUSS_OK) {
        plussi_histo_free(&made);
        return status;
    }
    plussi_histo_free(out);
    *out = made;
    return PLUSS_OK;
}

pluss_status
plussi_compose_estimate(plussi_ctx *ctx, const plussi_model_input *input,
                        pluss_status (*compose)(plussi_ctx *ctx, const plussi_pri *pri, uint32_t T,
                                                const plussi_cri_params *params, plussi_histo *out),
                        plussi_estimate *out)
{
    plussi_histo *intervals = &out->profile.histo;
    pluss_status status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_INTERVAL,
                                              PLUSSI_SCOPE_CONCURRENT, 0, &out->profile);
    if (!status)
        status = compose(ctx, input->intervals, input->bound->team, NULL, intervals);
    out->footprint = intervals->cold;
    return status;
}
