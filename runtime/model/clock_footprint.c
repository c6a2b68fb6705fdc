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
    uint32_t team;
    uint64_t last_phase, *toucher;
} lookup;

static bool is_touched(lookup *q, uint64_t line)
{
    plussi_engine_touchers(q->engine, line, q->toucher);
    for (uint32_t k = 0; k < q->team; k++) {
        plussi_spot end, found;
        if (!(q->toucher[k / 64] >> k % 64 & 1))
            continue;
        plussi_engine_unrank(q->scan, k, q->last_phase,
                             plussi_engine_length(q->scan, k, q->last_phase), &end);
        if (plussi_engine_prev(q->scan, &end, line, NULL, &found))
            return true;
    }
    return false;
}

/* Touched ones among n lines, one from each of n equal parts of the range. */
static uint32_t look_up(lookup *q, const plussi_lines *range, uint32_t n)
{
    uint64_t size = range->last - range->first + 1;
    uint32_t touched = 0;
    for (uint32_t i = 0; i < n; i++) {
        double at = (double)size * ((i + plussi_rng_unit(&q->rng)) / n);
        uint64_t line = range->first + ((uint64_t)at < size ? (uint64_t)at : size - 1);
        uint32_t copy = 0;
        if (range->copies > 1)
            copy = (uint32_t)plussi_rng_below(&q->rng, range->copies);
        touched += is_touched(q, line + copy * range->stride);
    }
    return touched;
}

/* Every line of a small range. */
static double look_at_all(lookup *q, const plussi_lines *range)
{
    double touched = 0;
    for (uint32_t copy = 0; copy < range->copies; copy++)
        for (uint64_t line = range->first; line <= range->last; line++)
            touched += is_touched(q, line + copy * range->stride);
    return touched;
}

/* Loops that are handed out: all to thread 0. Who touches a line does not matter here. */
static bool all_to_one(void *user, const plussi_bnode *loop, const int64_t *iv, uint64_t n,
                       uint64_t chunk, uint32_t team, uint32_t thread, plussi_own *out)
{
    (void)user, (void)loop, (void)iv, (void)chunk, (void)team;
    *out = (plussi_own){.share = plussi_share_static(thread == 0 ? n : 0, 0, 1, 0)};
    return true;
}

static double add_ranges(lookup *q)
{
    double sum = 0;
    plussi_lines range;
    for (uint32_t i = 0; plussi_engine_range(q->engine, i, &range); i++) {
        double lines = (double)(range.last - range.first + 1) * range.copies;
        if (lines <= MANY) {
            sum += look_at_all(q, &range);
            continue;
        }
        uint32_t n = FEW, touched = look_up(q, &range, n);
        if (touched < n) {
            n = MANY;
            touched = look_up(q, &range, n);
        }
        sum += lines * touched / n;
    }
    return sum;
}

pluss_status plussi_clock_footprint(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                                    double *out)
{
    const plussi_share_source source = {all_to_one, NULL, true};
    plussi_engine *engine = NULL;
    lookup q = {0};
    pluss_status status = plussi_engine_new(ctx, bound, &source, &engine);
    if (!status)
        status = plussi_scan_new(ctx, engine, &q.scan);
    if (!status && plussi_engine_accesses(engine) == 0)
        status = plussi_fail(ctx, PLUSS_EINVALID, NULL, "the nest makes no access");
    if (!status) {
        q.engine = engine;
        q.team = plussi_engine_team(engine);
        q.toucher = plussi_calloc(&ctx->mem, ((size_t)q.team + 63) / 64, sizeof *q.toucher);
        status = q.toucher ? PLUSS_OK : PLUSS_ENOMEM;
    }
    if (!status) {
        q.last_phase = plussi_engine_phases(engine) - 1;
        plussi_rng_seed(&q.rng, seed, UINT64_MAX);
        double lines = add_ranges(&q);
        status = plussi_scan_failed(q.scan) ? PLUSS_ENOMEM : PLUSS_OK;
        if (!status)
            *out = lines;
    }
    plussi_free(&ctx->mem, q.toucher);
    plussi_scan_free(q.scan);
    plussi_engine_free(engine);
    return status;
}
