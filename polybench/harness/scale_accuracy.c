/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * scale_accuracy OBJECTS SIZES.csv SIZE TEAM[,TEAM...] PROGRESS [KERNEL...]
 *
 * Locality profiles of kernels (OBJECTS/KERNEL.o, or, where there are such, the traces
 * OBJECTS/KERNEL.TEAM.trace, whose threads take turns at random) with 2 and 4 threads, scaled to
 * each TEAM, against the exact ones there: Wu and Yeung, ACM TOCS 2013, figures 9 to 12. PROGRESS:
 * uniform, one draw of it, or round-robin, the paper's. Loops are scheduled as in the source;
 * kernels that cannot be walked are left out.
 *
 * SIZE GROWING: S3 and S4 of growing.csv from S1 and S2 (parts sampled-sizes, of sampled profiles
 * of each TEAM, and both, of 2 and 4 threads: direct, by parts and by overlap).
 *
 * Prints CSV: kernel,size,team,scope,part,profile,performance,profile_paper,performance_paper,mae
 * (scope: concurrent, coherent; part: private and shared lines, their sum (p+s), the model
 * scale-overlap, direct, and, of
 * concurrent and uniform, the model clock, which needs no profile; of SAMPLED=1 in the environment
 * also the exact profile sampled at two rates, and direct from profiles that are sampled at the
 * first; profile and performance accuracy
 * in percent, in bins of eighths of an octave and in the paper's, performance of whole programs
 * alone; mae: mean difference of the curves of whole programs on the strict grid, points of miss
 * ratio), then a table of means on stderr, and the processor time of the profiles measured.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ffi.h"

#include "base/rng.h"
#include "harness.h"
#include "model/scale.h"
#include "profile/similarity.h"
#include "study/locality.h"
#include "study/pipeline.h"
#include "trace/foreign.h"

enum { SCOPES = 2, MOST_TEAMS = 8, FIGURES = 5 };
typedef enum part {
    PRIVATE,
    SHARED,
    PARTS,
    OVERLAP,
    DIRECT,
    CLOCK,
    SAMPLED,
    SAMPLED_LESS,
    SAMPLED_DIRECT,
    SAMPLED_SIZES,
    BOTH,
    BOTH_PARTS,
    BOTH_OVERLAP,
    N_PARTS
} part;

static const char *const part_name[] = {
    "private", "shared",     "p+s",         "overlap",        "direct",
    "clock",   "sampled-10", "sampled-100", "sampled-direct", "sampled-sizes",
    "both",    "both-p+s",   "both-overlap"};
/* The paper's rates and shares, with intervals a tenth as long: so are the programs. */
static const plussi_sampling rate[] = {{10000, 100000, .99}, {10000, 1000000, .9}};
static bool is_sampled; /* compare sampled profiles, too */
static const plussi_profile_scope scope_of[] = {PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCOPE_COHERENT};

static struct {
    double sum[FIGURES], least;
    char worst[32];
    size_t n;
} mean[SCOPES][N_PARTS];
static double seconds_at[MOST_TEAMS + 2], seconds_sampled[2];

static plussi_ctx *ctx;

static void must(pluss_status status)
{
    if (status)
        harness_die("%s", ctx->n_diags ? ctx->diags[ctx->n_diags - 1].text : "failed");
}

/* The profiles of a scope that are of that sharing (ANY: all), without copies of what they hold. */
static size_t choose(const plussi_result *from, plussi_profile_scope scope, int sharing,
                     plussi_profile *out)
{
    size_t n = 0;
    for (size_t i = 0; i < from->n_profiles; i++)
        if (from->profile[i].scope == scope &&
            (sharing == PLUSSI_SHARING_ANY || (int)from->profile[i].sharing == sharing))
            out[n++] = from->profile[i];
    return n;
}

static void sum_up(const plussi_result *from, plussi_profile_scope scope, int sharing,
                   plussi_histo *out)
{
    plussi_profile *chosen = calloc(from->n_profiles + 1, sizeof *chosen);
    const size_t n = choose(from, scope, sharing, chosen);
    for (size_t i = 0; i < n; i++)
        must(plussi_histo_merge(out, &chosen[i].histo, 1 / chosen[i].runs));
    free(chosen);
}

/* false: there is no such profile at 2 and 4. */
static bool scale(const plussi_result *measured, plussi_profile_scope scope, part which,
                  uint32_t team, plussi_histo *out)
{
    const int sharing = which == PRIVATE  ? PLUSSI_SHARING_PRIVATE
                        : which == SHARED ? PLUSSI_SHARING_SHARED
                                          : PLUSSI_SHARING_ANY;
    const plussi_scale_by by = which <= PARTS     ? PLUSSI_SCALE_PARTS
                               : which == OVERLAP ? PLUSSI_SCALE_OVERLAP
                                                  : PLUSSI_SCALE_DIRECT;
    const plussi_scaling s = {PLUSSI_SCALED_CORES, PLUSSI_SCALE_FROM, PLUSSI_SCALE_TO, team, 0};
    plussi_profile *chosen = calloc(measured->n_profiles + 1, sizeof *chosen);
    size_t n = choose(measured, scope, sharing, chosen);
    if (which == OVERLAP)
        n += choose(measured, PLUSSI_SCOPE_APART, sharing, chosen + n);
    const plussi_locality_set known = {chosen, n};
    const pluss_status status = plussi_scale_program(ctx, &known, scope, by, NULL, &s, out);
    if (status != PLUSS_EEMPTY)
        must(status);
    free(chosen);
    return !status;
}

/* The distances that the model clock's curve has. */
static void predict_by_clock(const plussi_nest *nest, const plussi_request *request, uint32_t team,
                             plussi_histo *out)
{
    plussi_request own = *request;
    plussi_result result;
    own.team = &team;
    own.n_teams = 1;
    plussi_result_init(&result, &ctx->mem);
    must(plussi_pipeline_predict(ctx, nest, &own, &result));
    must(plussi_mrc_distances(&result.curve[0].mrc, out));
    plussi_result_free(&result);
}

static double compare_curves(const plussi_histo *a, const plussi_histo *b, uint64_t footprint)
{
    plussi_mrc p, m;
    plussi_mrc_error error;
    uint64_t *sizes;
    size_t n;
    must(plussi_mrc_from_rd(ctx, a, &p));
    must(plussi_mrc_from_rd(ctx, b, &m));
    must(plussi_grid_sizes(ctx, PLUSSI_GRID_STRICT, footprint, 64, &sizes, &n));
    must(plussi_mrc_compare(ctx, &p, &m, sizes, n, &error));
    plussi_free(&ctx->mem, sizes);
    plussi_mrc_free(&p);
    plussi_mrc_free(&m);
    return 100 * error.mean_abs;
}

static void add(const char *kernel, const char *size, uint32_t team, int scope, part which,
                const plussi_histo *predicted, const plussi_histo *measured, uint64_t footprint)
{
    plussi_similarity octaves, paper;
    must(plussi_compare_profiles(predicted, measured, PLUSSI_BINNING_OCTAVES, 64, &octaves));
    must(plussi_compare_profiles(predicted, measured, PLUSSI_BINNING_PAPER, 64, &paper));
    const bool whole = which >= PARTS;
    const double figure[FIGURES] = {100 * octaves.profile, whole ? 100 * octaves.performance : NAN,
                                    100 * paper.profile, whole ? 100 * paper.performance : NAN,
                                    whole ? compare_curves(predicted, measured, footprint) : NAN};
    printf("%s,%s,%u,%s,%s,%.2f,%.2f,%.2f,%.2f,%.3f\n", kernel, size, team,
           plussi_scope_name((int)scope_of[scope]), part_name[which], figure[0], figure[1],
           figure[2], figure[3], figure[4]);
    for (int f = 0; f < FIGURES; f++)
        mean[scope][which].sum[f] += figure[f];
    if (!mean[scope][which].n++ || figure[0] < mean[scope][which].least) {
        mean[scope][which].least = figure[0];
        snprintf(mean[scope][which].worst, sizeof mean[scope][which].worst, "%s T=%u", kernel,
                 team);
    }
}

/* What is known at other numbers of threads, and at this one. */
typedef struct profiles {
    plussi_result measured, sampled, truth, sampled_there[2];
} profiles;

static void init_profiles(profiles *p)
{
    plussi_result *all = &p->measured;
    for (size_t i = 0; i < sizeof *p / sizeof *all; i++)
        plussi_result_init(&all[i], &ctx->mem);
}

static void free_profiles(profiles *p)
{
    plussi_result *all = &p->measured;
    for (size_t i = 0; i < sizeof *p / sizeof *all; i++)
        plussi_result_free(&all[i]);
}

/* false: it is not predicted so. */
static bool predict(const plussi_nest *nest, const plussi_request *request, const profiles *known,
                    uint32_t team, int scope, part which, plussi_histo *out)
{
    if (which == CLOCK) {
        if (scope != 0 || !nest || request->progress.law != PLUSSI_PROGRESS_UNIFORM)
            return false;
        predict_by_clock(nest, request, team, out);
        return true;
    }
    if (which > CLOCK && !is_sampled)
        return false;
    if (which != SAMPLED && which != SAMPLED_LESS)
        return scale(which == SAMPLED_DIRECT ? &known->sampled : &known->measured, scope_of[scope],
                     which, team, out);
    sum_up(&known->sampled_there[which - SAMPLED], scope_of[scope], PLUSSI_SHARING_ANY, out);
    return true;
}

static void compare_team(const char *kernel, const char *size, const plussi_nest *nest,
                         const plussi_request *request, const profiles *known, uint32_t team)
{
    for (int scope = 0; scope < SCOPES; scope++)
        for (part which = 0; which <= SAMPLED_DIRECT; which++) {
            const int sharing = which == PRIVATE  ? PLUSSI_SHARING_PRIVATE
                                : which == SHARED ? PLUSSI_SHARING_SHARED
                                                  : PLUSSI_SHARING_ANY;
            plussi_histo exact, predicted;
            plussi_histo_init(&exact, &ctx->mem);
            plussi_histo_init(&predicted, &ctx->mem);
            sum_up(&known->truth, scope_of[scope], sharing, &exact);
            if (plussi_histo_total(&exact) > plussi_histo_keyless(&exact) &&
                predict(nest, request, known, team, scope, which, &predicted))
                add(kernel, size, team, scope, which, &predicted, &exact,
                    known->truth.n ? known->truth.curve[0].footprint_lines
                                   : (uint64_t)exact.cold + 1);
            plussi_histo_free(&exact);
            plussi_histo_free(&predicted);
        }
}

/* how NULL: of all accesses. seconds: of each team. false: it cannot be walked, which is said. */
static bool measure(const plussi_nest *nest, const plussi_request *request, const uint32_t *team,
                    size_t n, const plussi_sampling *how, double *seconds, plussi_result *out)
{
    plussi_request own = *request;
    own.sharing = true;
    own.n_teams = 1;
    if (how)
        own.sampling = *how;
    for (size_t i = 0; i < n; i++) {
        const double before = harness_processor_seconds();
        own.team = &team[i];
        const pluss_status status = plussi_pipeline_simulate(ctx, nest, &own, out);
        if (status == PLUSS_EUNSUPPORTED) {
            fprintf(stderr, "left out: %s\n", ctx->n_diags ? ctx->diags[0].text : "");
            return false;
        }
        must(status);
        seconds[how ? 0 : i] += harness_processor_seconds() - before;
    }
    return true;
}

/* ---- traces ------------------------------------------------------------------------------------
 */

enum { EVENTS = 4096, MOST_THREADS = 1024 };

/* A thread's accesses in a trace, each with the number of marks before it. */
typedef struct recorded {
    plussi_cache_access *access;
    uint64_t *mark, *phase;
    size_t n, cap, at;
    uint64_t marks, region, barriers; /* passed */
} recorded;

static void keep_event(recorded *r, const plussi_event *e)
{
    if (!plussi_event_is_access(e)) {
        if (e->kind == PLUSSI_EVENT_CHUNK)
            return;
        r->marks++;
        r->barriers = e->kind == PLUSSI_EVENT_BARRIER ? r->barriers + 1 : 0;
        if (e->kind != PLUSSI_EVENT_BARRIER)
            r->region = e->kind == PLUSSI_EVENT_REGION ? e->address + 1 : 0;
        return;
    }
    if (r->n == r->cap) {
        r->cap = r->cap ? 2 * r->cap : EVENTS;
        r->access = realloc(r->access, r->cap * sizeof *r->access);
        r->mark = realloc(r->mark, r->cap * sizeof *r->mark);
        r->phase = realloc(r->phase, r->cap * sizeof *r->phase);
        if (!r->access || !r->mark || !r->phase)
            harness_die("out of memory");
    }
    r->access[r->n] = (plussi_cache_access){.address = e->address,
                                            .thread = e->thread,
                                            .bytes = e->bytes,
                                            .write = e->kind == PLUSSI_EVENT_WRITE};
    r->mark[r->n] = r->marks;
    r->phase[r->n++] = r->region << 16 | r->barriers;
}

/* Threads take turns at random between marks that all of them pass, whatever the order was in which
 * a machine with fewer processors ran them. */
static void merge(recorded *thread, uint32_t n, plussi_locality *locality)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 1, n);
    for (uint64_t mark = 0, left = 1; left; mark++) {
        bool begun = false;
        for (uint32_t ready = 1; ready;) {
            left = ready = 0;
            recorded *next = NULL;
            for (uint32_t t = 0; t < n; t++) {
                recorded *r = &thread[t];
                left += r->at < r->n;
                if (r->at < r->n && r->mark[r->at] == mark && plussi_rng_below(&rng, ++ready) == 0)
                    next = r;
            }
            if (!next)
                break;
            if (!begun)
                must(plussi_locality_begin_phase(locality, next->phase[next->at]));
            begun = true;
            must(plussi_locality_run(locality, &next->access[next->at++], 1));
        }
    }
}

/* The profiles of OBJECTS/KERNEL.TEAM.trace; false: there is none. */
static bool measure_trace(const char *objects, const char *kernel, uint32_t team, double *seconds,
                          plussi_result *out)
{
    static plussi_event event[EVENTS];
    static recorded thread[MOST_THREADS];
    char path[4096];
    plussi_foreign *trace = NULL;
    plussi_locality *locality;
    uint32_t n = 0;
    snprintf(path, sizeof path, "%s/%s.%u.trace", objects, kernel, team);
    if (access(path, R_OK))
        return false;
    const double before = harness_processor_seconds();
    must(plussi_foreign_open(ctx, path, false, &trace));
    for (size_t got = 1; got;) {
        must(plussi_foreign_next(trace, event, EVENTS, &got));
        for (size_t i = 0; i < got; i++) {
            if (event[i].thread >= MOST_THREADS)
                harness_die("%s: too many threads", path);
            n = event[i].thread >= n ? event[i].thread + 1 : n;
            keep_event(&thread[event[i].thread], &event[i]);
        }
    }
    plussi_foreign_close(trace);
    if (n != team)
        harness_die("%s has %u threads", path, n);
    must(plussi_locality_new(ctx, team, 64, &locality));
    merge(thread, n, locality);
    const plussi_identity id = {.team = team, .line_bytes = 64};
    must(plussi_locality_add_profiles(locality, &id, 1, out));
    plussi_locality_free(locality);
    for (uint32_t t = 0; t < n; t++) {
        free(thread[t].access);
        free(thread[t].mark);
        free(thread[t].phase);
        thread[t] = (recorded){0};
    }
    *seconds += harness_processor_seconds() - before;
    return true;
}

/* Programs that no nest describes; false: there is no trace of this one. */
static bool run_traces(const char *objects, const char *kernel, const char *size,
                       const uint32_t *team, size_t n_teams)
{
    static plussi_ctx own;
    profiles all;
    plussi_ctx_init(&own, NULL);
    ctx = &own;
    init_profiles(&all);
    const bool known =
        measure_trace(objects, kernel, PLUSSI_SCALE_FROM, &seconds_at[0], &all.measured) &&
        measure_trace(objects, kernel, PLUSSI_SCALE_TO, &seconds_at[1], &all.measured);
    for (size_t i = 0; i < n_teams && known; i++) {
        profiles there = all;
        plussi_result_init(&there.truth, &ctx->mem);
        if (measure_trace(objects, kernel, team[i], &seconds_at[2 + i], &there.truth))
            compare_team(kernel, size, NULL, NULL, &there, team[i]);
        plussi_result_free(&there.truth);
    }
    fflush(stdout);
    free_profiles(&all);
    plussi_ctx_clear(&own);
    return known;
}

static void run(const char *objects, const char *kernel, const char *size, char *symbols,
                const uint32_t *team, size_t n_teams, const char *progress)
{
    static const uint32_t known[] = {PLUSSI_SCALE_FROM, PLUSSI_SCALE_TO};
    char path[4096], *rest = NULL;
    if (run_traces(objects, kernel, size, team, n_teams))
        return;
    snprintf(path, sizeof path, "%s/%s.o", objects, kernel);
    harness_case c = {.nest_path = path, .team = PLUSSI_SCALE_FROM};
    for (char *s = strtok_r(symbols, " \n", &rest); s; s = strtok_r(NULL, " \n", &rest))
        harness_bind(s, &c);
    harness_open(&c);
    harness_set(&c, "progress", progress);
    ctx = &c.ctx->ctx;
    const plussi_nest *nest = c.nest->nest;
    const plussi_request *request = &c.options->request;
    profiles all;
    init_profiles(&all);
    const bool walked = measure(nest, request, known, 2, NULL, seconds_at, &all.measured);
    if (walked && is_sampled)
        measure(nest, request, known, 2, &rate[0], &seconds_sampled[0], &all.sampled);
    for (size_t i = 0; i < n_teams && walked; i++) {
        profiles there = all;
        plussi_result_init(&there.truth, &ctx->mem);
        plussi_result_init(&there.sampled_there[0], &ctx->mem);
        plussi_result_init(&there.sampled_there[1], &ctx->mem);
        for (size_t k = 0; k < 2 && is_sampled; k++)
            measure(nest, request, &team[i], 1, &rate[k], &seconds_sampled[k],
                    &there.sampled_there[k]);
        if (measure(nest, request, &team[i], 1, NULL, &seconds_at[2 + i], &there.truth))
            compare_team(kernel, size, nest, request, &there, team[i]);
        plussi_result_free(&there.truth);
        plussi_result_free(&there.sampled_there[0]);
        plussi_result_free(&there.sampled_there[1]);
    }
    fflush(stdout);
    free_profiles(&all);
    harness_close(&c);
}

/* ---- problem sizes -----------------------------------------------------------------------------
 */

enum { SIZES = 4, SYMBOLS = 256 };

/* Figure 30: sizes S3 and S4 from S1 and S2, of sampled profiles of each team (E), or, with 2 and 4
 * threads, of whole ones (F). */
static void compare_sizes(const char *kernel, int size, uint32_t team, const profiles *known,
                          const plussi_result *small)
{
    static const char *const names[] = {"S1", "S2", "S3", "S4"};
    const plussi_result *truth = &known->truth;
    const plussi_scaling data = {PLUSSI_SCALED_DATA, (double)small[0].curve[0].footprint_lines,
                                 (double)small[1].curve[0].footprint_lines,
                                 (double)truth->curve[0].footprint_lines, 0};
    const plussi_scaling cores = {PLUSSI_SCALED_CORES, PLUSSI_SCALE_FROM, PLUSSI_SCALE_TO, team, 0};
    const plussi_locality_set sets[] = {{small[0].profile, small[0].n_profiles},
                                        {small[1].profile, small[1].n_profiles}};
    for (int scope = 0; scope < SCOPES; scope++) {
        plussi_profile sum[2];
        plussi_histo exact, sampled;
        plussi_histo_init(&exact, &ctx->mem);
        plussi_histo_init(&sampled, &ctx->mem);
        sum_up(truth, scope_of[scope], PLUSSI_SHARING_ANY, &exact);
        for (int i = 0; i < 2; i++) {
            must(plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE, scope_of[scope], 0,
                                     &sum[i]));
            sum_up(&known->sampled_there[i], scope_of[scope], PLUSSI_SHARING_ANY, &sum[i].histo);
        }
        must(plussi_scale_profile(ctx, &data, &sum[0], &sum[1], &sampled));
        add(kernel, names[size], team, scope, SAMPLED_SIZES, &sampled, &exact,
            truth->curve[0].footprint_lines);
        for (plussi_scale_by by = PLUSSI_SCALE_DIRECT; by <= PLUSSI_SCALE_OVERLAP; by++) {
            plussi_histo both;
            plussi_histo_init(&both, &ctx->mem);
            must(plussi_scale_program(ctx, sets, scope_of[scope], by, &data, &cores, &both));
            add(kernel, names[size], team, scope, BOTH + (part)by, &both, &exact,
                truth->curve[0].footprint_lines);
            plussi_histo_free(&both);
        }
        for (int i = 0; i < 2; i++)
            plussi_profile_free(&sum[i]);
        plussi_histo_free(&exact);
        plussi_histo_free(&sampled);
    }
}

static void run_sizes(const char *objects, const char *kernel, char (*symbols)[SYMBOLS],
                      const uint32_t *team, size_t n_teams, const char *progress)
{
    static const uint32_t known[] = {PLUSSI_SCALE_FROM, PLUSSI_SCALE_TO};
    static const plussi_sampling how = {1000, 10000, .99}; /* these programs are short */
    harness_case c[SIZES];
    plussi_result small[2];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.o", objects, kernel);
    for (int i = 0; i < SIZES; i++) {
        char *rest = NULL;
        c[i] = (harness_case){.nest_path = path, .team = PLUSSI_SCALE_FROM};
        for (char *s = strtok_r(symbols[i], " \n", &rest); s; s = strtok_r(NULL, " \n", &rest))
            harness_bind(s, &c[i]);
        harness_open(&c[i]);
        harness_set(&c[i], "progress", progress);
    }
    bool walked = true;
    for (int i = 0; i < 2; i++) {
        ctx = &c[i].ctx->ctx;
        plussi_result_init(&small[i], &ctx->mem);
        walked = walked && measure(c[i].nest->nest, &c[i].options->request, known, 2, NULL,
                                   seconds_at, &small[i]);
    }
    for (size_t t = 0; t < n_teams && walked; t++) {
        profiles there;
        init_profiles(&there);
        for (int i = 0; i < SIZES; i++) {
            ctx = &c[i].ctx->ctx;
            if (i < 2) {
                measure(c[i].nest->nest, &c[i].options->request, &team[t], 1, &how,
                        &seconds_sampled[0], &there.sampled_there[i]);
                continue;
            }
            plussi_result_free(&there.truth);
            plussi_result_init(&there.truth, &ctx->mem);
            measure(c[i].nest->nest, &c[i].options->request, &team[t], 1, NULL, &seconds_at[2 + t],
                    &there.truth);
            compare_sizes(kernel, i, team[t], &there, small);
        }
        free_profiles(&there);
    }
    fflush(stdout);
    for (int i = 0; i < SIZES; i++) {
        if (i < 2)
            plussi_result_free(&small[i]);
        harness_close(&c[i]);
    }
}

static void tell_means(const uint32_t *team, size_t n)
{
    fprintf(stderr,
            "mean of all kernels and teams, %%       octaves          paper's bins     curve\n"
            "scope       part             n   profile  perform.  profile  perform.  points   worst "
            "profile\n");
    for (int s = 0; s < SCOPES; s++)
        for (part p = 0; p < N_PARTS; p++) {
            const double k = (double)mean[s][p].n, *sum = mean[s][p].sum;
            if (k > 0)
                fprintf(stderr, "%-11s %-14s %5.0f  %8.2f %9.2f %8.2f %9.2f %7.2f   %.1f %s\n",
                        plussi_scope_name((int)scope_of[s]), part_name[p], k, sum[0] / k,
                        sum[1] / k, sum[2] / k, sum[3] / k, sum[4] / k, mean[s][p].least,
                        mean[s][p].worst);
        }
    double all = 0;
    fprintf(stderr, "processor seconds of the exact profiles: T=2 %.1f, T=4 %.1f", seconds_at[0],
            seconds_at[1]);
    for (size_t i = 0; i < n; i++) {
        fprintf(stderr, ", T=%u %.1f", team[i], seconds_at[2 + i]);
        all += seconds_at[2 + i];
    }
    const double two = seconds_at[0] + seconds_at[1];
    fprintf(stderr, "; all of them take %.1f times those of 2 and 4\n", (all + two) / two);
    if (is_sampled)
        fprintf(stderr, "sampled 1 in 10: %.1f s of all teams; 1 in 100: %.1f s of those above 4\n",
                seconds_sampled[0], seconds_sampled[1]);
}

int main(int argc, char **argv)
{
    uint32_t team[MOST_TEAMS];
    size_t n_teams = 0;
    char line[512], *rest = NULL;
    if (argc < 6)
        harness_die("usage: scale_accuracy OBJECTS SIZES.csv SIZE TEAM[,TEAM...] PROGRESS "
                    "[KERNEL...]");
    for (char *t = strtok_r(argv[4], ",", &rest); t && n_teams < MOST_TEAMS;
         t = strtok_r(NULL, ",", &rest))
        team[n_teams++] = harness_team(t);
    is_sampled = getenv("SAMPLED") != NULL;
    FILE *sizes = fopen(argv[2], "r");
    if (!sizes)
        harness_die("%s cannot be read", argv[2]);
    printf("kernel,size,team,scope,part,profile,performance,profile_paper,performance_paper,mae\n");
    char symbols[SIZES][SYMBOLS];
    while (fgets(line, sizeof line, sizes)) {
        char *kernel = strtok_r(line, ",", &rest), *size = strtok_r(NULL, ",", &rest);
        if (kernel && size && strcmp(argv[3], "GROWING") == 0 && size[0] == 'S' && size[1] >= '1' &&
            size[1] <= '0' + SIZES && harness_is_named(kernel, argv + 6, argc - 6)) {
            snprintf(symbols[size[1] - '1'], SYMBOLS, "%s", rest);
            if (size[1] == '0' + SIZES)
                run_sizes(argv[1], kernel, symbols, team, n_teams, argv[5]);
        }
        if (kernel && size && strcmp(size, argv[3]) == 0 &&
            harness_is_named(kernel, argv + 6, argc - 6))
            run(argv[1], kernel, size, rest, team, n_teams, argv[5]);
    }
    fclose(sizes);
    tell_means(team, n_teams);
    return 0;
}
