/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * real_accuracy LABEL SEEDS CALIBRATION,... TEST,...
 * real_accuracy count RECORD,...
 *
 * Predictions of real threads against the exact curves of what they did. CALIBRATION and TEST are
 * records of programs built with mode=time, each of a process of its own, with its time stamps
 * beside it; of their blocks the one that ran most often is looked at. The exact curve of a run
 * is that of its accesses in the order that the stamps tell. A figure is the mean over the runs of
 * TEST, and over seeds 1 to SEEDS, of the mean absolute difference, in points of miss ratio, on the
 * strict grid from 64 lines to the footprint.
 *
 * Predictions: uniform, round-robin, mixed, usual (rates, uncalibrated), rates (calibrated with
 * CALIBRATION, without what differs from loop to loop), calibrated; and, for what runs have in
 * common, other: the exact curve of another run of TEST, and recorded: the mean of the exact curves
 * of the runs of CALIBRATION, the best that can be told from these.
 *
 * At most MOST_USED runs of either are walked. `count` prints how many runs of these records would
 * be used.
 *
 * Prints CSV: kernel,prediction,runs,discarded,calibration_runs,calibration_discarded,accesses,
 * footprint_lines,points,mae,worst_run,ms
 * and on stderr what the calibration found and which runs were left out.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#include "ffi.h"

#include "exact/lru.h"
#include "study/calibrate.h"
#include "trace/make_timelines.h"

enum { MOST_USED = 32, MOST_RUNS = 512, MOST_POINTS = 512, LEAST_LINES = 64, BATCH = 4096 };

/* The runs of some processes. */
typedef struct series {
    plussi_timelines *timelines[16];
    size_t n_timelines, n; /* n: runs in all */
    plussi_calibrate_run run[MOST_RUNS];
    plussi_calibration fit;
} series;

/* What all is about. */
typedef struct job {
    const char *label;
    unsigned seeds;
    pluss_context *ctx;
    pluss_nest *nest;
    uint32_t team;
    plussi_bound *bound;
    uint64_t accesses, footprint;
    uint64_t size[MOST_POINTS];
    size_t n_sizes;
    series calibration, test;
    double exact[MOST_RUNS][MOST_POINTS]; /* of the runs of TEST that are used */
    size_t n_exact;
} job;

/* ---- records ----------------------------------------------------------------------------------
 */

/* The one that ran most often. */
static size_t main_block(const pluss_record *record)
{
    size_t best = 0;
    uint64_t most = 0;
    pluss_block_info block = {.size = sizeof block};
    for (size_t i = 0; !pluss_record_get_block(record, i, &block); i++)
        if (block.team > 1 && block.runs > most) {
            most = block.runs;
            best = i;
        }
    return best;
}

static void take_record(job *j, const char *path, series *s, uint32_t process)
{
    pluss_record *record = NULL;
    pluss_record_info info = {.size = sizeof info};
    pluss_block_info block = {.size = sizeof block};
    pluss_nests *file = NULL;
    const pluss_nest *nest[64];
    const plussi_nest *inner[64];
    plussi_trace_reader *trace = NULL;
    plussi_timelines *timelines = NULL;
    size_t n = 0;
    harness_must(j->ctx, pluss_record_read(j->ctx, path, &record));
    harness_must(j->ctx, pluss_record_get_info(record, &info));
    if (info.n_objects == 0)
        harness_die("%s names no objects", path);
    harness_must(j->ctx, pluss_nests_read(j->ctx, info.objects[0], &file));
    for (; n < 64 && n < pluss_nests_count(file); n++)
        inner[n] = (nest[n] = pluss_nests_get(file, n))->nest;
    size_t at = main_block(record);
    harness_must(j->ctx, pluss_record_get_block(record, at, &block));
    if (!j->nest) {
        j->team = block.team;
        harness_must(j->ctx, pluss_record_nest(j->ctx, record, at, 0, nest, n, &j->nest));
    }
    pluss_status status = plussi_record_trace(&j->ctx->ctx, record->record, &trace);
    if (!status)
        status = plussi_make_block_timelines(&j->ctx->ctx, trace, record->record, at, inner, n,
                                             &timelines);
    harness_must(j->ctx, plussi_ffi_leave(j->ctx, status));
    plussi_trace_close(trace);
    s->timelines[s->n_timelines++] = timelines;
    for (size_t i = 0; i < timelines->n && s->n < MOST_RUNS; i++)
        s->run[s->n++] = (plussi_calibrate_run){&timelines->run[i], process};
    pluss_nests_free(file);
    pluss_record_free(record);
}

static pluss_status take_series(job *j, const char *list, series *s)
{
    char *words = strdup(list), *rest = NULL;
    uint32_t process = 0;
    for (char *w = strtok_r(words, ",", &rest); w && s->n_timelines < 16;
         w = strtok_r(NULL, ",", &rest))
        take_record(j, w, s, process++);
    free(words);
    return plussi_ffi_leave(j->ctx, plussi_calibrate(&j->ctx->ctx, s->run, s->n, j->team, &s->fit));
}

static void list_discarded(const job *j, const char *what, const series *s)
{
    uint32_t process = 0;
    size_t first = 0;
    for (size_t i = 0; i < s->n; i++) {
        const plussi_stalled *x = &s->fit.stalled[i];
        if (s->run[i].process != process) {
            process = s->run[i].process;
            first = i;
        }
        if (x->discarded)
            fprintf(stderr, "%s: %s process %u, run %zu left out: %.0f of %.0f us lost\n", j->label,
                    what, process + 1, i - first + 1, x->lost / 1e3, x->whole / 1e3);
    }
}

/* ---- exact curves -----------------------------------------------------------------------------
 */

/* Miss ratios at the sizes; the first call finds these. */
static void exact_curve(job *j, const plussi_timeline *timeline, double *out)
{
    plussi_ctx *ctx = &j->ctx->ctx;
    plussi_walk *walk = NULL;
    plussi_merge *merge = NULL;
    plussi_lru *lru = NULL;
    plussi_histo distances;
    plussi_mrc mrc;
    static plussi_access batch[BATCH];
    plussi_histo_init(&distances, &ctx->mem);
    plussi_timeline copy = *timeline;
    plussi_timelines one = {.n = 1, .run = &copy};
    plussi_progress recorded = {.law = PLUSSI_PROGRESS_RECORDED, .timelines = &one};
    pluss_status status = plussi_walk_new(ctx, j->bound, 1, &walk);
    if (!status)
        status = plussi_merge_new(ctx, walk, &recorded, 1, &merge);
    if (!status)
        status = plussi_lru_new(ctx, &lru);
    static uint64_t *count, n_counts, cold;
    cold = 0;
    for (size_t n = 1; n && !status;) {
        n = plussi_merge_next(merge, batch, BATCH);
        for (size_t i = 0; i < n; i++) {
            uint64_t d = plussi_lru_touch(lru, batch[i].line);
            if (d == PLUSSI_LRU_COLD) {
                cold++;
                continue;
            }
            if (d >= n_counts) {
                count = realloc(count, 2 * (d + 1) * sizeof *count);
                if (!count)
                    harness_die("out of memory");
                memset(count + n_counts, 0, (2 * (d + 1) - n_counts) * sizeof *count);
                n_counts = 2 * (d + 1);
            }
            count[d]++;
        }
    }
    if (!status)
        status = plussi_walk_status(walk);
    for (uint64_t d = 0; d < n_counts && !status; d++) {
        if (count[d])
            status = plussi_histo_add(&distances, d, (double)count[d]);
        count[d] = 0;
    }
    distances.cold = (double)cold;
    if (!status)
        status = plussi_mrc_from_rd(ctx, &distances, &mrc);
    harness_must(j->ctx, plussi_ffi_leave(j->ctx, status));
    if (j->n_sizes == 0) {
        uint64_t *all;
        size_t n;
        j->accesses = (uint64_t)mrc.accesses;
        j->footprint = cold;
        harness_must(j->ctx, plussi_grid_sizes(ctx, PLUSSI_GRID_STRICT, cold, 64, &all, &n));
        for (size_t i = 0; i < n; i++)
            if (all[i] >= LEAST_LINES && j->n_sizes < MOST_POINTS)
                j->size[j->n_sizes++] = all[i];
        plussi_free(&ctx->mem, all);
    }
    for (size_t i = 0; i < j->n_sizes; i++)
        out[i] = plussi_mrc_at(&mrc, (double)j->size[i]);
    plussi_mrc_free(&mrc);
    plussi_histo_free(&distances);
    plussi_lru_free(lru);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
}

/* ---- errors -----------------------------------------------------------------------------------
 */

typedef struct tally {
    double run[MOST_RUNS]; /* sum of each run's errors */
    double ms;
    size_t n; /* predictions */
} tally;

static double difference(const job *j, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < j->n_sizes; i++)
        sum += fabs(a[i] - b[i]);
    return 100 * sum / (double)j->n_sizes;
}

static void compare(const job *j, const double *predicted, tally *t)
{
    for (size_t r = 0; r < j->n_exact; r++)
        t->run[r] += difference(j, predicted, j->exact[r]);
    t->n++;
}

static void print_tally(const job *j, const char *prediction, const tally *t)
{
    double sum = 0, worst = 0;
    for (size_t r = 0; r < j->n_exact; r++) {
        sum += t->run[r] / (double)t->n;
        worst = fmax(worst, t->run[r] / (double)t->n);
    }
    printf("%s,%s,%zu,%zu,%zu,%zu,%" PRIu64 ",%" PRIu64 ",%zu,%.4f,%.4f,%.1f\n", j->label,
           prediction, j->test.n, j->test.n - j->test.fit.n_used, j->calibration.n,
           j->calibration.n - j->calibration.fit.n_used, j->accesses, j->footprint, j->n_sizes,
           sum / (double)j->n_exact, worst, t->ms / (double)t->n);
}

/* ---- predictions ------------------------------------------------------------------------------
 */

static void predict(job *j, const char *name, const pluss_progress *progress)
{
    static tally t;
    t = (tally){0};
    for (unsigned seed = 1; seed <= j->seeds; seed++) {
        double at[MOST_POINTS], start = harness_seconds();
        pluss_result *result = NULL;
        pluss_options *o = NULL;
        harness_must(j->ctx, pluss_options_new(j->ctx, &o));
        harness_must(j->ctx, pluss_options_set_threads(j->ctx, o, &j->team, 1));
        harness_must(j->ctx, pluss_options_set_integer(j->ctx, o, "seed", seed));
        harness_must(j->ctx, pluss_options_set_progress(j->ctx, o, progress));
        harness_must(j->ctx, pluss_predict(j->ctx, j->nest, o, &result));
        pluss_options_free(o);
        t.ms += 1e3 * (harness_seconds() - start);
        for (size_t i = 0; i < j->n_sizes; i++)
            at[i] = pluss_curve_at(pluss_result_get(result, 0), j->size[i] * 64);
        compare(j, at, &t);
        pluss_result_free(result);
    }
    print_tally(j, name, &t);
}

static void predict_all(job *j)
{
    const plussi_progress *p = &j->calibration.fit.progress;
    const pluss_progress in_turn = {.size = sizeof in_turn, .law = "round-robin"};
    const pluss_progress mixed = {.size = sizeof mixed, .law = "mixed"};
    pluss_progress usual = {.size = sizeof usual}, fitted = plussi_ffi_progress(p);
    harness_must(j->ctx, pluss_progress_parse(j->ctx, "rates", &usual));
    predict(j, "uniform", NULL);
    predict(j, "round-robin", &in_turn);
    predict(j, "mixed", &mixed);
    predict(j, "usual", &usual);
    fitted.n_loops = 0;
    predict(j, "rates", &fitted);
    fitted.n_loops = p->n_loops;
    predict(j, "calibrated", &fitted);
}

/* The exact curves of other runs. */
static void compare_runs(job *j)
{
    static tally other, recorded;
    double mean[MOST_POINTS] = {0}, at[MOST_POINTS];
    size_t n = 0;
    for (size_t a = 0; a < j->n_exact; a++)
        for (size_t b = 0; b < j->n_exact; b++)
            if (a != b)
                other.run[a] += difference(j, j->exact[a], j->exact[b]) / (double)(j->n_exact - 1);
    other.n = recorded.n = 1;
    print_tally(j, "other", &other);
    for (size_t r = 0; r < j->calibration.n && n < MOST_USED; r++) {
        if (j->calibration.fit.stalled[r].discarded)
            continue;
        exact_curve(j, j->calibration.run[r].timeline, at);
        n++;
        for (size_t i = 0; i < j->n_sizes; i++)
            mean[i] += at[i];
    }
    for (size_t i = 0; i < j->n_sizes; i++)
        mean[i] /= (double)n;
    recorded.n = 0;
    compare(j, mean, &recorded);
    print_tally(j, "recorded", &recorded);
}

static void tell_fit(const job *j)
{
    const plussi_calibration *c = &j->calibration.fit;
    const plussi_progress *s = &c->progress;
    fprintf(stderr,
            "%s: %zu runs, sigma %.4f +- %.4f, skew %.0f (spread %.2f), stalls %.3g x %.3g, rates",
            j->label, c->n_used, s->sigma, c->sigma_error, s->skew, s->skew_spread, s->stall_rate,
            s->stall);
    for (uint32_t k = 0; k < j->team; k++)
        fprintf(stderr, " %.4f", s->rate[k]);
    fprintf(stderr, "\n");
}

int main(int argc, char **argv)
{
    static job j;
    bool count = argc == 3 && strcmp(argv[1], "count") == 0;
    if (argc != 5 && !count)
        harness_die("usage: real_accuracy LABEL SEEDS CALIBRATION,... TEST,...\n"
                    "       real_accuracy count RECORD,...");
    j.label = argv[1];
    harness_must(NULL, pluss_context_new(NULL, &j.ctx));
    if (count) {
        bool none = take_series(&j, argv[2], &j.test) != PLUSS_OK;
        printf("%zu\n", none ? 0 : j.test.fit.n_used);
        return EXIT_SUCCESS;
    }
    j.seeds = harness_team(argv[2]);
    harness_must(j.ctx, take_series(&j, argv[3], &j.calibration));
    harness_must(j.ctx, take_series(&j, argv[4], &j.test));
    list_discarded(&j, "calibration", &j.calibration);
    list_discarded(&j, "test", &j.test);
    tell_fit(&j);
    plussi_bind_options o = {.team = j.team, .line_bytes = 64};
    harness_must(j.ctx,
                 plussi_ffi_leave(j.ctx, plussi_bind(&j.ctx->ctx, j.nest->nest, &o, &j.bound)));
    for (size_t r = 0; r < j.test.n && j.n_exact < MOST_USED; r++)
        if (!j.test.fit.stalled[r].discarded)
            exact_curve(&j, j.test.run[r].timeline, j.exact[j.n_exact++]);
    predict_all(&j);
    compare_runs(&j);
    return EXIT_SUCCESS;
}
