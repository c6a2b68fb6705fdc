/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many lines a program touches: of each range that references can reach, some lines are looked
 * up; if all of these are touched the range counts whole, else the share of many.
 */
#include "model/clock_state.h"

enum { FEW = 48, MANY = 480 };

typedef struct lookup {
    const plussi_engine *engine;
    plussi_scan *scan;
    plussi_rng rng;
    uint32_t team, sharers; /* that share a cache */
    uint64_t last_phase, *toucher;
} lookup;

/* Lines, and the caches that each of them comes into. */
typedef struct tally {
    double lines, firsts;
    uint32_t least, most; /* caches of a line */
} tally;

static bool is_touched(lookup *q, uint32_t k, uint64_t line)
{
    plussi_spot end, found;
    if (!(q->toucher[k / 64] >> k % 64 & 1))
        return false;
    plussi_engine_unrank(q->scan, k, q->last_phase, plussi_engine_length(q->scan, k, q->last_phase),
                         &end);
    return plussi_engine_prev(q->scan, &end, line, NULL, &found);
}

static void look_at(lookup *q, uint64_t line, tally *t)
{
    uint32_t caches = 0;
    plussi_engine_touchers(q->engine, line, q->toucher);
    for (uint32_t first = 0, last; first < q->team; first = last) {
        last = q->sharers < q->team - first ? first + q->sharers : q->team;
        uint32_t k = first;
        while (k < last && !is_touched(q, k, line))
            k++;
        caches += k < last;
    }
    t->lines += caches > 0;
    t->firsts += caches;
    t->least = caches < t->least ? caches : t->least;
    t->most = caches > t->most ? caches : t->most;
}

/* Some of the lines, one from each of n equal parts of the range. */
static tally look_up(lookup *q, const plussi_lines *range, uint32_t n)
{
    uint64_t size = range->last - range->first + 1;
    tally t = {.least = UINT32_MAX};
    for (uint32_t i = 0; i < n; i++) {
        double at = (double)size * ((i + plussi_rng_unit(&q->rng)) / n);
        uint64_t line = range->first + ((uint64_t)at < size ? (uint64_t)at : size - 1);
        uint32_t copy = 0;
        if (range->copies > 1)
            copy = (uint32_t)plussi_rng_below(&q->rng, range->copies);
        look_at(q, line + copy * range->stride, &t);
    }
    return t;
}

/* Every line of a small range. */
static tally look_at_all(lookup *q, const plussi_lines *range)
{
    tally t = {.least = UINT32_MAX};
    for (uint32_t copy = 0; copy < range->copies; copy++)
        for (uint64_t line = range->first; line <= range->last; line++)
            look_at(q, line + copy * range->stride, &t);
    return t;
}

/* Loops that are handed out: all to thread 0. Where that matters nothing is said of caches. */
static bool all_to_one(void *user, const plussi_bnode *loop, const int64_t *iv, uint64_t n,
                       uint64_t chunk, uint32_t team, uint32_t thread, plussi_own *out)
{
    (void)user, (void)loop, (void)iv, (void)chunk, (void)team;
    *out = (plussi_own){.share = plussi_share_static(thread == 0 ? n : 0, 0, 1, 0)};
    return true;
}

static tally add_ranges(lookup *q)
{
    tally sum = {0};
    plussi_lines range;
    for (uint32_t i = 0; plussi_engine_range(q->engine, i, &range); i++) {
        double lines = (double)(range.last - range.first + 1) * range.copies, each = 1;
        tally t;
        if (lines <= MANY) {
            t = look_at_all(q, &range);
        } else {
            uint32_t n = FEW;
            t = look_up(q, &range, n);
            if (t.least == 0 || t.least < t.most) {
                n = MANY;
                t = look_up(q, &range, n);
            }
            each = lines / n;
        }
        sum.lines += each * t.lines;
        sum.firsts += each * t.firsts;
    }
    return sum;
}

pluss_status plussi_clock_footprint(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                                    uint32_t sharers, double *lines, double *firsts)
{
    const plussi_share_source source = {all_to_one, NULL, true};
    plussi_engine *engine = NULL;
    lookup q = {0};
    pluss_status status = plussi_engine_new(ctx, bound, &source, &engine);
    if (!status)
        status = plussi_scan_new(ctx, engine, &q.scan);
    if (!status && plussi_engine_accesses(engine) == 0)
        status = plussi_fail(ctx, PLUSS_EEMPTY, NULL, "the nest makes no access");
    if (!status) {
        q.engine = engine;
        q.team = plussi_engine_team(engine);
        q.toucher = plussi_calloc(&ctx->mem, ((size_t)q.team + 63) / 64, sizeof *q.toucher);
        status = q.toucher ? PLUSS_OK : PLUSS_ENOMEM;
    }
    if (!status) {
        bool all = sharers == 0 || sharers >= q.team;
        bool who_matters = !all && plussi_clock_is_handed_out(bound);
        q.sharers = all || who_matters ? q.team : sharers;
        q.last_phase = plussi_engine_phases(engine) - 1;
        plussi_rng_seed(&q.rng, seed, UINT64_MAX);
        tally sum = add_ranges(&q);
        status = plussi_scan_failed(q.scan) ? PLUSS_ENOMEM : PLUSS_OK;
        if (!status) {
            *lines = sum.lines;
            *firsts = who_matters ? -1 : sum.firsts;
        }
    }
    plussi_free(&ctx->mem, q.toucher);
    plussi_scan_free(q.scan);
    plussi_engine_free(engine);
    return status;
}
