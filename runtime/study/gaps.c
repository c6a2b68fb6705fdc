/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/gaps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 255, MOST_STOPS = 1 << 24 };

/* A loop that stops found threads in. */
typedef struct spot {
    const char *region, *file; /* in the arena */
    uint32_t line, loop, team;
    uint64_t samples;
} spot;

/* One pair's gap at one stop. */
typedef struct sample {
    double gap; /* in [0, 1) of a lap */
    uint32_t run, spot;
    uint32_t region_run, execution, thread; /* tell its series */
    uint64_t stop;                          /* its number in the region's run */
} sample;

struct plussi_gaps {
    plussi_ctx *ctx;
    plussi_arena arena;
    plussi_gaps_options options;
    spot *spot;
    size_t n_spots, cap_spots;
    sample *sample;
    size_t n_samples, cap_samples;
    plussi_gaps_result *run; /* n_runs, and after them all together */
    size_t n_runs, cap_runs;
    uint32_t chosen;
    bool finished;
};

pluss_status plussi_gaps_new(plussi_ctx *ctx, const plussi_gaps_options *options, plussi_gaps **out)
{
    plussi_gaps *g = plussi_calloc(&ctx->mem, 1, sizeof *g);
    if (!g)
        return PLUSS_ENOMEM;
    g->ctx = ctx;
    g->options = *options;
    plussi_arena_init(&g->arena, &ctx->mem);
    const char **region = plussi_arena_alloc(&g->arena, options->n_regions + 1, sizeof *region);
    bool good = region != NULL;
    for (size_t i = 0; i < options->n_regions && good; i++) {
        region[i] = plussi_arena_strndup(&g->arena, options->region[i], strlen(options->region[i]));
        good = region[i] != NULL;
    }
    g->options.region = region;
    if (!good) {
        plussi_gaps_free(g);
        return PLUSS_ENOMEM;
    }
    *out = g;
    return PLUSS_OK;
}

void plussi_gaps_free(plussi_gaps *g)
{
    if (!g)
        return;
    plussi_mem mem = g->ctx->mem;
    plussi_arena_free(&g->arena);
    plussi_free(&mem, g->spot);
    plussi_free(&mem, g->sample);
    plussi_free(&mem, g->run);
    plussi_free(&mem, g);
}

/* ---- a run's gaps ----------------------------------------------------------------------------
 */

static pluss_status find_spot(plussi_gaps *g, const plussi_record_block *b, uint32_t loop,
                              uint32_t *out)
{
    for (size_t i = 0; i < g->n_spots; i++) {
        spot *s = &g->spot[i];
        if (s->loop == loop && s->line == b->line && strcmp(s->region, b->region) == 0 &&
            strcmp(s->file, b->file) == 0) {
            s->team = b->team > s->team ? b->team : s->team;
            *out = (uint32_t)i;
            return PLUSS_OK;
        }
    }
    pluss_status status =
        plussi_grow(&g->ctx->mem, &g->spot, &g->cap_spots, g->n_spots, sizeof *g->spot);
    if (status)
        return status;
    spot new = {.region = plussi_arena_strndup(&g->arena, b->region, strlen(b->region)),
                .file = plussi_arena_strndup(&g->arena, b->file, strlen(b->file)),
                .line = b->line,
                .loop = loop,
                .team = b->team};
    if (!new.region || !new.file)
        return PLUSS_ENOMEM;
    *out = (uint32_t)g->n_spots;
    g->spot[g->n_spots++] = new;
    return PLUSS_OK;
}

/* Where a thread is: iterations of its share. */
typedef struct standing {
    uint32_t loop, execution;
    double place;
    uint64_t least, most; /* that the thread's counter can have shown */
} standing;

/* Iterations done at a stamp. */
static double done_at(const plussi_stamp *s)
{
    return s->kind == PLUSSI_STAMP_ITER ? (double)(s->begun - 1) : (double)s->begun;
}

/* false: in no loop at this time. */
static bool stands(const plussi_timed_thread *t, double time, standing *out)
{
    size_t lo = 0, hi = t->n;
    while (lo < hi) { /* the stamps up to lo are not later */
        size_t mid = lo + (hi - lo) / 2;
        if (t->stamp[mid].time <= time)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0 || lo == t->n)
        return false;
    const plussi_stamp *a = &t->stamp[lo - 1], *b = &t->stamp[lo];
    if (a->kind != PLUSSI_STAMP_LOOP && a->kind != PLUSSI_STAMP_ITER)
        return false;
    double from = done_at(a), to = done_at(b);
    *out =
        (standing){a->loop, a->execution,
                   from + (to - from) * (time - a->time) / (b->time - a->time), a->begun, b->begun};
    return true;
}

static double gap_of(double place, double base, double lap)
{
    double laps = (place - base) / lap, gap = laps - floor(laps);
    return gap < 1 ? gap : 0;
}

typedef struct stop_at {
    const plussi_timed_run *run;
    const plussi_record_block *block;
    uint32_t program_run, region_run;
    uint64_t number;
} stop_at;

static bool wanted(const plussi_gaps *g, const plussi_record_block *b, uint32_t loop)
{
    bool wanted = g->options.n_regions == 0;
    for (size_t i = 0; i < g->options.n_regions && !wanted; i++)
        wanted = strcmp(g->options.region[i], b->region) == 0;
    return wanted && (g->options.loop < 0 || g->options.loop == (int64_t)loop);
}

static bool read_wrong(const standing *s, const plussi_stop_place *p)
{
    return p && p->loop != PLUSSI_NO_LOOP && p->loop == s->loop && p->execution == s->execution &&
           (p->begun < s->least || p->begun > s->most);
}

static pluss_status take_stop(plussi_gaps *g, const stop_at *at, const plussi_stop *stop)
{
    plussi_gaps_result *r = &g->run[at->program_run];
    standing base, other;
    uint32_t team = at->run->team <= MOST_PAIRS ? at->run->team : MOST_PAIRS, here = 0, found = 0;
    r->stops++;
    bool in = stands(&at->run->thread[0], stop->time, &base) && wanted(g, at->block, base.loop);
    r->wrong += in && read_wrong(&base, stop->place);
    for (uint32_t k = 1; in && k < team; k++) {
        if (!stands(&at->run->thread[k], stop->time, &other) || other.loop != base.loop ||
            other.execution != base.execution)
            continue;
        pluss_status status = found++ ? PLUSS_OK : find_spot(g, at->block, base.loop, &here);
        if (!status)
            status = plussi_grow(&g->ctx->mem, &g->sample, &g->cap_samples, g->n_samples,
                                 sizeof *g->sample);
        if (status)
            return status;
        r->wrong += read_wrong(&other, stop->place ? &stop->place[k] : NULL);
        g->sample[g->n_samples++] = (sample){.gap = gap_of(other.place, base.place, g->options.lap),
                                             .run = at->program_run,
                                             .spot = here,
                                             .region_run = at->region_run,
                                             .execution = base.execution,
                                             .thread = k,
                                             .stop = at->number};
        g->spot[here].samples++;
    }
    r->outside += found == 0;
    return PLUSS_OK;
}

/* The stops at the beginning are dropped: of those that found something, this share. */
static void drop_first(plussi_gaps *g, size_t first)
{
    uint64_t found = 0, before = UINT64_MAX, drop;
    for (size_t i = first; i < g->n_samples; i++) {
        found += g->sample[i].stop != before;
        before = g->sample[i].stop;
    }
    drop = (uint64_t)(g->options.drop * (double)found);
    size_t to = first;
    found = 0;
    before = UINT64_MAX;
    for (size_t i = first; i < g->n_samples; i++) {
        sample s = g->sample[i];
        found += s.stop != before;
        before = s.stop;
        if (found > drop)
            g->sample[to++] = s;
        else
            g->spot[s.spot].samples--;
    }
    g->n_samples = to;
}

pluss_status plussi_gaps_add(plussi_gaps *g, const plussi_record *record,
                             plussi_trace_reader *trace)
{
    const plussi_trace_run *all = trace->run;
    plussi_timed_run run;
    /* room for the one after them too */
    pluss_status status =
        plussi_grow(&g->ctx->mem, &g->run, &g->cap_runs, g->n_runs + 1, sizeof *g->run);
    if (status)
        return status;
    g->run[g->n_runs] = (plussi_gaps_result){0};
    uint32_t number = (uint32_t)g->n_runs++;
    for (size_t i = 0; i < trace->n_runs; i++) {
        if (!all[i].timed || all[i].block == UINT32_MAX || all[i].team < 2)
            continue;
        if (all[i].block >= record->n_blocks || record->block[all[i].block].team != all[i].team)
            return plussi_fail(g->ctx, PLUSS_EFORMAT, NULL,
                               "the time stamps are not of the same run as the record");
        if ((status = plussi_timed_run_read(trace, &all[i], &run)))
            return status;
        size_t first = g->n_samples;
        stop_at at = {&run, &record->block[run.block], number, (uint32_t)i, 0};
        uint64_t stops = run.n_stops;
        const double interval = g->options.interval;
        const bool by_timer = g->options.by_timer;
        if (!by_timer)
            stops = (uint64_t)fmin((run.end - run.begin) / interval, MOST_STOPS);
        for (uint64_t s = 0; s < stops; s++) {
            plussi_stop even = {.time = interval * ((double)s + 0.5)};
            at.number = s;
            if ((status = take_stop(g, &at, by_timer ? &run.stop[s] : &even)))
                return status;
        }
        drop_first(g, first);
    }
    return PLUSS_OK;
}

/* ---- testing ----------------------------------------------------------------------------------
 */

/* Samples of a series in a row, in the order of the runs. */
static int by_series(const void *left, const void *right)
{
    const sample *a = left, *b = right;
    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    if (a->region_run != b->region_run)
        return a->region_run < b->region_run ? -1 : 1;
    if (a->execution != b->execution)
        return a->execution < b->execution ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->stop < b->stop ? -1 : a->stop > b->stop;
}

static bool same_series(const sample *a, const sample *b)
{
    return a->run == b->run && a->region_run == b->region_run && a->execution == b->execution &&
           a->thread == b->thread;
}

typedef struct sorted {
    double *place;
    plussi_gap_series *series;
    uint32_t *run; /* of each series */
    size_t n;
} sorted;

/* Of the chosen loop alone; the arrays have room for all samples. */
static void sort_series(plussi_gaps *g, sorted *s)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n_samples; i++)
        if (g->sample[i].spot == g->chosen)
            g->sample[n++] = g->sample[i];
    g->n_samples = n;
    qsort(g->sample, n, sizeof *g->sample, by_series);
    for (size_t i = 0; i < n; i++) {
        s->place[i] = g->sample[i].gap;
        if (i == 0 || !same_series(&g->sample[i - 1], &g->sample[i])) {
            s->run[s->n] = g->sample[i].run;
            s->series[s->n++] = (plussi_gap_series){.place = &s->place[i]};
        }
        s->series[s->n - 1].n++;
    }
}

static pluss_status test(plussi_gaps *g, const plussi_gap_series *series, size_t n,
                         plussi_gaps_result *r)
{
    uint64_t *count = plussi_arena_alloc(&g->arena, g->options.bins, sizeof *count);
    if (!count)
        return PLUSS_ENOMEM;
    r->count = count;
    return n ? plussi_test_uniformity(g->ctx, series, n, g->options.bins, count, &r->test)
             : PLUSS_OK;
}

static pluss_status test_runs(plussi_gaps *g, const sorted *s)
{
    plussi_gaps_result *all = &g->run[g->n_runs];
    *all = (plussi_gaps_result){0};
    size_t at = 0;
    for (uint32_t run = 0; run < g->n_runs; run++) {
        plussi_gaps_result *r = &g->run[run];
        size_t first = at;
        while (at < s->n && s->run[at] == run)
            at++;
        pluss_status status = test(g, s->series + first, at - first, r);
        if (status)
            return status;
        all->stops += r->stops;
        all->outside += r->outside;
        all->wrong += r->wrong;
    }
    return test(g, s->series, s->n, all);
}

pluss_status plussi_gaps_finish(plussi_gaps *g)
{
    uint64_t most = 0;
    for (size_t i = 0; i < g->n_spots; i++)
        if (g->spot[i].samples > most) {
            most = g->spot[i].samples;
            g->chosen = (uint32_t)i;
        }
    if (most == 0)
        return plussi_fail(g->ctx, PLUSS_ENOTFOUND, NULL,
                           "no stop found two threads in the same execution of a loop");
    sorted s = {.place = plussi_alloc(&g->ctx->mem, g->n_samples, sizeof *s.place),
                .series = plussi_alloc(&g->ctx->mem, g->n_samples, sizeof *s.series),
                .run = plussi_alloc(&g->ctx->mem, g->n_samples, sizeof *s.run)};
    pluss_status status = PLUSS_ENOMEM;
    if (s.place && s.series && s.run) {
        sort_series(g, &s);
        status = test_runs(g, &s);
    }
    plussi_free(&g->ctx->mem, s.place);
    plussi_free(&g->ctx->mem, s.series);
    plussi_free(&g->ctx->mem, s.run);
    g->finished = !status;
    return status;
}

plussi_gaps_loop plussi_gaps_what(const plussi_gaps *g)
{
    const spot *s = &g->spot[g->chosen];
    return (plussi_gaps_loop){s->region, s->file, s->line, s->loop, s->team, g->n_runs};
}

const plussi_gaps_result *plussi_gaps_get(const plussi_gaps *g, size_t run)
{
    if (!g->finished || (run >= g->n_runs && run != SIZE_MAX))
        return NULL;
    return &g->run[run == SIZE_MAX ? g->n_runs : run];
}

const plussi_gaps_options *plussi_gaps_asked(const plussi_gaps *g)
{
    return &g->options;
}
