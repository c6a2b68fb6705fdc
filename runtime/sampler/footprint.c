/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Draws are points of randomised quasi-Monte Carlo sequences, so that smooth boundaries (triangles)
 * cost little: STREAMS sequences that differ by a random shift give the error.
 */
#include "sampler/footprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/firsts.h"
#include "sampler/lattice.h"
#include "sampler/workspace.h"

enum {
    STREAMS = 8,
    PILOT = 8,     /* initial points of a stream */
    SMALL = 2048,  /* sets up to this size are counted completely */
    EFFORT = 6000, /* queries; multiplied where the error would be above `poor` */
    MOST_EFFORT = 150000
};

static const double good = 0.005, poor = 0.01; /* standard errors, relative to the footprint */

typedef enum kind { RANGE, LATTICE, FIRSTS } kind;

/* A set to draw from. */
typedef struct frame {
    kind kind;
    uint32_t group; /* LATTICE and FIRSTS: group whose lines are counted */
    const plussi_array_range *range;
    plussi_lattice lattice;
    plussi_firsts firsts;
    uint32_t n; /* dimensions of the box that the set is drawn from */
    uint64_t side[PLUSSI_MAX_AXES];
    double elements; /* of the box, some of them empty */
    double size;     /* elements that are not empty */
    double bound;    /* upper bound of the lines */
    uint64_t points; /* drawn points of each stream */
    double hits[STREAMS], seen[STREAMS];
    double lines, variance;
} frame;

typedef struct counter {
    plussi_ctx *ctx;
    const plussi_engine *e;
    plussi_workspace *workspace;
    uint32_t team, threads_per_cache;
    plussi_arena arena;
    uint64_t n_sums; /* values in tables of firsts */
    uint64_t last_phase, *toucher, seed, n_frames, searches;
    bool one_cache;
    frame *frame;
    size_t n, cap;
    uint32_t coarse; /* >= 1: one in so many searches */
} counter;

/* ---- who touches a line ---------------------------------------------------------------------- */

/* Whether an access before the cursor touches the line; counts the searches. */
static bool is_touched_before(counter *q, const plussi_cursor *cursor, uint64_t line,
                              uint32_t first, uint32_t last)
{
    uint32_t searches = 0;
    bool touched = plussi_engine_touched(q->workspace, cursor, line, first, last, &searches);
    q->searches += searches;
    return touched;
}

/* Whether a thread of [from, to) touches the line through groups [first, last). */
static bool is_touched(counter *q, uint32_t from, uint32_t to, uint64_t line, uint32_t first,
                       uint32_t last)
{
    plussi_cursor end;
    for (uint32_t k = from; k < to && first < last; k++) {
        if (q->team > 1 && !(q->toucher[k / 64] >> k % 64 & 1))
            continue;
        plussi_engine_end(q->workspace, k, q->last_phase, &end);
        if (is_touched_before(q, &end, line, first, last))
            return true;
    }
    return false;
}

static void find_touchers(counter *q, uint64_t line)
{
    if (q->team > 1)
        plussi_engine_touchers(q->e, line, q->toucher);
}

/* Number of caches in which the line is counted. */
static double caches_of(counter *q, const frame *f, uint64_t line)
{
    uint32_t n = 0, first = f->kind == RANGE ? 0 : f->group;
    uint32_t last = f->kind == RANGE ? plussi_engine_groups(q->e) : f->group + 1;
    find_touchers(q, line);
    for (uint32_t from = 0, to; from < q->team; from = to) {
        to = q->threads_per_cache < q->team - from ? from + q->threads_per_cache : q->team;
        n += is_touched(q, from, to, line, first, last) && !is_touched(q, from, to, line, 0, first);
    }
    return n;
}

/* Whether the line is in the range, or in thread k's copy if it is private. */
static bool is_in_range(const frame *f, uint64_t k, uint64_t line)
{
    uint64_t shift = f->range->copy_lines * k;
    return line >= f->range->first + shift && line <= f->range->last + shift;
}

/* 1 if the access is its group's first to its line, in the thread and its cache (threads one after
 * the other), and no earlier group touches the line. */
static double is_first(counter *q, const frame *f, uint64_t n)
{
    plussi_cursor cursor;
    plussi_firsts_nth(q->workspace, &f->firsts, n, &cursor);
    uint64_t line = plussi_engine_line(q->workspace, &cursor);
    uint32_t k = (uint32_t)cursor.iv[0], from = k - k % q->threads_per_cache;
    uint32_t to = q->threads_per_cache < q->team - from ? from + q->threads_per_cache : q->team;
    if (!is_in_range(f, k, line)) /* swapped out */
        return 0;
    if (is_touched_before(q, &cursor, line, f->group, f->group + 1))
        return 0;
    find_touchers(q, line);
    return !is_touched(q, from, k, line, f->group, f->group + 1) &&
           !is_touched(q, from, to, line, 0, f->group);
}

/* The value of an element; false: it is empty. */
static bool value_of(counter *q, const frame *f, const uint64_t *at, double *value)
{
    uint64_t line;
    if (f->kind == FIRSTS) {
        *value = is_first(q, f, at[0]);
        return true;
    }
    if (!plussi_lattice_line(q->e, &f->lattice, at, &line))
        return false;
    /* a lattice may reach into memory of other ranges */
    bool in = f->kind == RANGE || is_in_range(f, at[f->n - 2], line);
    *value = in ? caches_of(q, f, line) : 0;
    return true;
}

/* ---- draws ----------------------------------------------------------------------------------- */

/* The sequence's step in the j-th of d dimensions, as a 64-bit fraction: powers of 1/x, where
 * x^(d+1) = x + 1. */
static void steps_of(uint32_t d, uint64_t *step)
{
    double x = 2, power = 1;
    for (int i = 0; i < 64; i++)
        x = pow(1 + x, 1.0 / (d + 1));
    for (uint32_t j = 0; j < d; j++)
        step[j] = (uint64_t)((power /= x) * 0x1p64);
}

/* Draws points [from, to) of every stream. Beyond its resolution they are shifted at random, so
 * that they do not coincide with a pattern of the program. */
static void draw_points(counter *q, frame *f, uint64_t from, uint64_t to, uint64_t key)
{
    uint64_t step[PLUSSI_MAX_AXES], shift[PLUSSI_MAX_AXES], at[PLUSSI_MAX_AXES];
    uint32_t d = 0;
    for (uint32_t j = 0; j < f->n; j++)
        d += f->side[j] > 1;
    steps_of(d, step);
    double cell = pow((double)to, -1.0 / (d ? d : 1)), value;
    for (uint32_t s = 0; s < STREAMS; s++) {
        plussi_rng rng;
        plussi_rng_seed(&rng, plussi_mix(key, s), from);
        for (uint32_t j = 0; j < d; j++)
            shift[j] = plussi_mix(plussi_mix(key, s), j + 1);
        for (uint64_t i = from; i < to; i++) {
            for (uint32_t j = 0, k = 0; j < f->n; j++) {
                at[j] = 0;
                if (f->side[j] == 1)
                    continue;
                uint64_t u = shift[k] + i * step[k];
                u += (uint64_t)(plussi_rng_unit(&rng) * cell * 0x1p63) << 1;
                at[j] = (uint64_t)((unsigned __int128)u * f->side[j] >> 64);
                k++;
            }
            if (value_of(q, f, at, &value)) {
                f->seen[s]++;
                f->hits[s] += value;
            }
        }
    }
    f->points = to;
}

/* Estimates from the draws. The variance between streams is that of a mean of STREAMS values, by
 * Student's distribution; in addition, what was never drawn may still have a frequency of 1 /
 * draws. */
static void estimate_frame(frame *f)
{
    double hits = 0, seen = 0, sum = 0;
    for (uint32_t s = 0; s < STREAMS; s++) {
        hits += f->hits[s];
        seen += f->seen[s];
    }
    double mean = seen > 0 ? hits / seen : 0;
    for (uint32_t s = 0; s < STREAMS; s++) {
        double d = f->seen[s] > 0 ? f->hits[s] / f->seen[s] - mean : 0;
        sum += d * d;
    }
    double floor = f->size / (seen + 2);
    f->lines = f->size * mean;
    f->variance =
        f->size * f->size * sum / (STREAMS * (STREAMS - 1.0)) * (STREAMS - 1.0) / (STREAMS - 3.0) +
        floor * floor;
}

static void count_out(counter *q, frame *f)
{
    uint64_t at[PLUSSI_MAX_AXES] = {0};
    double value;
    uint32_t j;
    f->lines = f->variance = 0;
    do {
        if (value_of(q, f, at, &value))
            f->lines += value;
        for (j = 0; j < f->n && ++at[j] == f->side[j]; j++)
            at[j] = 0;
    } while (j < f->n);
}

static void start_frame(counter *q, frame *f)
{
    if (f->elements <= SMALL / q->coarse) {
        count_out(q, f);
        return;
    }
    draw_points(q, f, 0, PILOT, plussi_mix(q->seed, ++q->n_frames));
    estimate_frame(f);
}

/* Variance of one draw if elements are drawn independently. */
static double variance_of(const counter *q, const frame *f)
{
    double hits = 0, seen = 0, most = q->one_cache ? 1 : (double)q->team;
    if (f->variance == 0)
        return 0;
    for (uint32_t s = 0; s < STREAMS; s++) {
        hits += f->hits[s] / most;
        seen += f->seen[s];
    }
    double p = (hits + 0.5) / (seen + 1);
    return f->size * f->size * most * most * p * (1 - p);
}

/* ---- the sets to draw from ------------------------------------------------------------------- */

static frame frame_of(const counter *q, kind what, const plussi_array_range *range, uint32_t group,
                      const plussi_lattice *lattice)
{
    frame f = {.kind = what, .range = range, .group = group, .elements = 1};
    f.lattice = *lattice;
    f.n = lattice->n;
    for (uint32_t j = 0; j < lattice->n; j++)
        f.elements *= (double)(f.side[j] = lattice->axis[j].count);
    f.size = (double)lattice->lines;
    f.bound = range->copy_lines ? f.size : f.size * ((q->team - 1) / q->threads_per_cache + 1);
    return f;
}

static pluss_status keep_frame(counter *q, const frame *f)
{
    pluss_status status = plussi_grow(&q->ctx->mem, &q->frame, &q->cap, q->n, sizeof *q->frame);
    if (!status)
        q->frame[q->n++] = *f;
    return status;
}

/* Whether all of the group's lines are already counted, for an earlier group known to touch the
 * same ones. */
static bool is_repeated(const counter *q, size_t from, const frame *f)
{
    const plussi_lattice *a = &f->lattice;
    unsigned shift = q->e->line_shift;
    for (size_t i = from; i < q->n; i++) {
        const plussi_lattice *b = &q->frame[i].lattice;
        bool same =
            q->frame[i].kind == LATTICE && q->frame[i].range == f->range && a->full && b->full &&
            a->n == b->n && a->first >> shift == b->first >> shift &&
            (a->first + (int64_t)a->span) >> shift == (b->first + (int64_t)b->span) >> shift;
        for (uint32_t j = 0; j < a->n && same; j++)
            same = a->axis[j].count == b->axis[j].count && a->axis[j].stride == b->axis[j].stride &&
                   a->axis[j].stride >> shift << shift == a->axis[j].stride;
        if (same)
            return true;
    }
    return false;
}

/* Adds the best set for the lines of a group that no earlier group of the cluster touches. */
static pluss_status add_group(counter *q, const plussi_array_range *range, const plussi_group *g,
                              size_t from)
{
    frame best = {0}, next;
    plussi_lattice lattice;
    bool any = false;
    double bound = INFINITY;
    uint32_t number = (uint32_t)(g - q->e->group);
    for (int by_iteration = 1; by_iteration >= 0; by_iteration--) {
        if (!plussi_lattice_of(q->e, g, range, by_iteration, &lattice))
            continue;
        next = frame_of(q, LATTICE, range, number, &lattice);
        if (next.bound == 0)
            return PLUSS_OK;
        bool whole = q->one_cache && !range->copy_lines && lattice.full;
        next.lattice.full = whole;
        if (is_repeated(q, from, &next))
            return PLUSS_OK;
        if (whole && number == 0) {
            next.lines = next.bound;
            return keep_frame(q, &next);
        }
        if (any && next.bound >= best.bound)
            break;
        start_frame(q, &next);
        if (!any || variance_of(q, &next) < variance_of(q, &best))
            best = next;
        bound = fmin(bound, next.bound);
        any = true;
        if (best.variance == 0 || whole)
            return keep_frame(q, &best);
    }
    next = (frame){.kind = FIRSTS, .range = range, .group = number, .n = 1};
    plussi_firsts_of(q->e, g, &q->arena, &q->n_sums, &next.firsts);
    next.side[0] = next.firsts.count;
    next.elements = next.size = next.bound = (double)next.firsts.count;
    if (next.firsts.count == 0)
        return PLUSS_OK;
    start_frame(q, &next);
    bound = fmin(bound, next.bound);
    if (!any || variance_of(q, &next) < variance_of(q, &best))
        best = next;
    best.bound = bound;
    return keep_frame(q, &best);
}

/* Adds a cluster: overlapping ranges [a, b). */
static pluss_status add_cluster(counter *q, uint32_t a, uint32_t b, uint64_t last)
{
    const plussi_array_range *range = &q->e->range[a];
    plussi_lattice lattice;
    plussi_lattice_range(q->e, range->first, last, range->copy_lines ? q->team : 1,
                         range->copy_lines, &lattice);
    frame all = frame_of(q, RANGE, range, 0, &lattice);
    size_t from = q->n;
    double seen = 0, hits = 0, alone, together = 0;
    pluss_status status = PLUSS_OK;
    start_frame(q, &all);
    for (uint32_t s = 0; s < STREAMS; s++) {
        seen += all.seen[s];
        hits += all.hits[s];
    }
    if (all.variance == 0 || (q->one_cache && hits == seen))
        return keep_frame(q, &all);
    for (uint32_t h = a; h < b && !status; h++)
        for (uint32_t i = q->e->range[h].n_groups; i-- > 0 && !status;)
            status = add_group(q, &q->e->range[h], q->e->range[h].group[i], from);
    alone = variance_of(q, &all);
    for (size_t i = from; i < q->n; i++)
        together += variance_of(q, &q->frame[i]);
    if (status || together <= alone)
        return status;
    q->n = from;
    return keep_frame(q, &all);
}

static pluss_status add_clusters(counter *q)
{
    const plussi_engine *e = q->e;
    pluss_status status = PLUSS_OK;
    for (uint32_t a = 0, b; a < e->n_ranges && !status; a = b) {
        uint64_t last = e->range[a].last;
        for (b = a + 1; b < e->n_shared && e->range[b].first <= last; b++)
            last = e->range[b].last > last ? e->range[b].last : last;
        status = add_cluster(q, a, b, last);
    }
    return status;
}

/* ---- until the error is small enough -----------------------------------------------------------
 */

static void add_up(const counter *q, plussi_footprint *out)
{
    double variance = 0;
    out->lines = 0;
    for (size_t i = 0; i < q->n; i++) {
        out->lines += fmin(q->frame[i].lines, q->frame[i].bound);
        variance += q->frame[i].variance;
    }
    out->error = sqrt(variance);
}

/* Draws more of the set with the greatest variance. */
static void refine_worst(counter *q)
{
    frame *worst = &q->frame[0];
    for (size_t i = 1; i < q->n; i++)
        if (q->frame[i].variance > worst->variance)
            worst = &q->frame[i];
    uint64_t key = plussi_mix(q->seed, (uint64_t)(worst - q->frame) + UINT32_MAX);
    uint64_t more = worst->points == PILOT ? 4 * PILOT : worst->points;
    if (worst->elements <= (double)(STREAMS * more)) { /* counting all would cost no more */
        count_out(q, worst);
        return;
    }
    if (worst->points == PILOT) { /* it was chosen for its first draws: starts anew */
        memset(worst->hits, 0, sizeof worst->hits);
        memset(worst->seen, 0, sizeof worst->seen);
        worst->points = 0;
    }
    draw_points(q, worst, worst->points, worst->points + more, key);
    estimate_frame(worst);
}

static pluss_status count_lines(counter *q, plussi_footprint *out)
{
    pluss_status status = plussi_workspace_new(q->ctx, q->e, &q->workspace);
    if (status)
        return status;
    q->toucher = plussi_calloc(&q->ctx->mem, ((size_t)q->team + 63) / 64, sizeof *q->toucher);
    status = q->toucher ? add_clusters(q) : PLUSS_ENOMEM;
    const double wider = sqrt(q->coarse);
    while (!status && q->n > 0) {
        add_up(q, out);
        double set = out->error / fmax(out->lines, 1);
        uint64_t most = set > poor * wider ? MOST_EFFORT : EFFORT;
        if (set <= good * wider || q->searches >= most / q->coarse)
            break;
        refine_worst(q);
    }
    return !status && plussi_workspace_failed(q->workspace) ? PLUSS_ENOMEM : status;
}

pluss_status plussi_footprint_count(plussi_ctx *ctx, const plussi_engine *engine,
                                    uint32_t threads_per_cache, uint64_t seed, uint32_t coarse,
                                    plussi_footprint *out)
{
    uint32_t team = plussi_engine_team(engine);
    counter q = {
        .ctx = ctx, .e = engine, .team = team, .seed = seed, .coarse = coarse > 1 ? coarse : 1};
    q.threads_per_cache = threads_per_cache < team ? threads_per_cache : team;
    q.one_cache = q.threads_per_cache == team;
    q.last_phase = plussi_engine_phases(engine) - 1;
    plussi_arena_init(&q.arena, &ctx->mem);
    plussi_footprint result = {0};
    pluss_status status = count_lines(&q, &result);
    plussi_free(&ctx->mem, q.toucher);
    plussi_free(&ctx->mem, q.frame);
    plussi_arena_free(&q.arena);
    plussi_workspace_free(q.workspace);
    if (status)
        return status;
    double accesses = (double)plussi_engine_accesses(engine);
    result.lines = fmin(fmax(round(result.lines), 1), accesses);
    *out = result;
    return PLUSS_OK;
}
