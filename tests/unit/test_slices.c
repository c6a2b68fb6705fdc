/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stack distances of traces that are cut into slices, against one stack after the other: the same
 * counts, for any number of workers and lengths of slices.
 */
#include "base/rng.h"
#include "failing_mem.h"
#include "study/slices.h"
#include "suite.h"

enum { TEAM = 6, REFS = 3, LENGTH = 20000, CACHES = 3 };
static const uint32_t threads_per_cache[CACHES] = {0, 1, 4};

/* Parts of lines drawn, of new lines, of lines in turn: a slice has many first touches, or none. */
static void make_trace(uint64_t seed, uint64_t lines, plussi_access *out)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, seed, 0);
    for (uint64_t i = 0; i < LENGTH; i++) {
        const uint64_t part = i / 4000 % 3, draw = plussi_rng_below(&rng, lines);
        out[i] = (plussi_access){.line = part == 1   ? i
                                         : part == 2 ? i % lines
                                                     : draw,
                                 .ref = (uint32_t)plussi_rng_below(&rng, REFS),
                                 .thread = (uint32_t)plussi_rng_below(&rng, TEAM)};
    }
}

typedef struct source {
    const plussi_access *access;
    uint64_t done, fail_at;
    uint64_t rounds;
} source;

/* Pieces of several lengths. */
static pluss_status next(void *user, plussi_access *buf, size_t cap, size_t *n)
{
    source *s = user;
    if (s->done >= s->fail_at)
        return PLUSS_ECANCELLED;
    const uint64_t left = LENGTH - s->done, some = 1 + s->rounds++ * 37 % 700;
    *n = left < some ? left : some;
    *n = *n < cap ? *n : cap;
    memcpy(buf, s->access + s->done, *n * sizeof *buf);
    s->done += *n;
    return PLUSS_OK;
}

static pluss_status make_caches(plussi_ctx *ctx, size_t n_d, plussi_caches *c)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < CACHES && !status; i++)
        status = plussi_caches_new(ctx, TEAM, threads_per_cache[i], n_d, &c[i]);
    return status;
}

static void free_caches(plussi_ctx *ctx, plussi_caches *c)
{
    for (size_t i = 0; i < CACHES; i++)
        plussi_caches_free(ctx, &c[i]);
}

static uint64_t count_at(const plussi_distances *d, size_t distance)
{
    return distance < d->n ? d->count[distance] : 0;
}

static void expect_same(const plussi_caches *a, const plussi_caches *b)
{
    for (size_t i = 0; i < CACHES; i++) {
        for (size_t k = 0; k < a[i].n_d; k++) {
            const plussi_distances *x = &a[i].d[k], *y = &b[i].d[k];
            ck_assert_uint_eq(x->cold, y->cold);
            for (size_t at = 0; at < x->n || at < y->n; at++)
                ck_assert_uint_eq(count_at(x, at), count_at(y, at));
        }
        for (size_t k = 0; k < a[i].n; k++)
            ck_assert_uint_eq(plussi_lru_footprint(a[i].lru[k]), plussi_lru_footprint(b[i].lru[k]));
    }
}

static const plussi_slicing cut[] = {
    {1, 100, 1000, 1 << 20}, {2, 1, 1, 2},        {2, 64, 4096, 1 << 20}, {3, 500, 500, 1},
    {4, 1000, 5000, 12000},  {7, 33, 100000, 50}, {2, 30000, 30000, 1},
};
enum { CUTS = sizeof cut / sizeof *cut };

START_TEST(as_one_by_one)
{
    static const uint64_t lines[] = {1, 40, 3000};
    static plussi_access trace[LENGTH];
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    const size_t n_d = _i % 2 ? REFS : 1;
    plussi_caches whole[CACHES] = {0}, sliced[CACHES] = {0};
    ck_assert_int_eq(make_caches(&ctx, n_d, whole), PLUSS_OK);
    ck_assert_int_eq(make_caches(&ctx, n_d, sliced), PLUSS_OK);
    make_trace((uint64_t)_i, lines[_i % 3], trace);
    for (size_t i = 0; i < CACHES; i++)
        ck_assert_int_eq(plussi_count_batch(&ctx, &whole[i], trace, LENGTH), PLUSS_OK);
    source s = {.access = trace, .fail_at = UINT64_MAX};
    ck_assert_int_eq(plussi_slices_count(&ctx, &cut[_i % CUTS], next, &s, sliced, CACHES),
                     PLUSS_OK);
    expect_same(whole, sliced);
    free_caches(&ctx, whole);
    free_caches(&ctx, sliced);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* What the source says comes back, whatever the workers do at that time. */
START_TEST(source_fails)
{
    static plussi_access trace[LENGTH];
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_caches caches[CACHES] = {0};
    ck_assert_int_eq(make_caches(&ctx, 1, caches), PLUSS_OK);
    make_trace(1, 40, trace);
    source s = {.access = trace, .fail_at = (uint64_t)_i * 977};
    ck_assert_int_eq(plussi_slices_count(&ctx, &cut[_i % CUTS], next, &s, caches, CACHES),
                     PLUSS_ECANCELLED);
    free_caches(&ctx, caches);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* Any allocation may fail, that one alone (odd numbers) or all from there on, in any of the
 * threads: then too the counts are right, or PLUSS_ENOMEM comes back. */
START_TEST(scarce)
{
    static plussi_access trace[LENGTH];
    static const uint32_t workers[] = {2, 3, 8};
    const plussi_slicing how = {workers[_i / 2], 64, 4096, 1 << 20};
    const long step = _i / 2 ? 29 : 13;
    plussi_ctx plenty;
    plussi_ctx_init(&plenty, NULL);
    plussi_caches whole[CACHES] = {0};
    ck_assert_int_eq(make_caches(&plenty, 1, whole), PLUSS_OK);
    make_trace(2, 3000, trace);
    for (size_t i = 0; i < CACHES; i++)
        ck_assert_int_eq(plussi_count_batch(&plenty, &whole[i], trace, LENGTH), PLUSS_OK);
    long done = 0, lacked = 0;
    bool failed = true;
    for (long budget = _i; failed; budget += step) {
        failing_mem m;
        failing_mem_init(&m, budget);
        m.alone = _i % 2;
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &m.mem);
        plussi_caches caches[CACHES] = {0};
        source s = {.access = trace, .fail_at = UINT64_MAX};
        pluss_status status = make_caches(&ctx, 1, caches);
        if (!status)
            status = plussi_slices_count(&ctx, &how, next, &s, caches, CACHES);
        ck_assert(status == PLUSS_OK || status == PLUSS_ENOMEM);
        if (!status)
            expect_same(whole, caches);
        done += !status;
        lacked += status == PLUSS_ENOMEM;
        free_caches(&ctx, caches);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(m.live, 0);
        failed = m.failed;
    }
    free_caches(&plenty, whole);
    plussi_ctx_clear(&plenty);
    ck_assert_int_gt(done, 0);
    ck_assert_int_gt(lacked, 0);
}
END_TEST

static Suite *slices_suite(void)
{
    Suite *s = suite_create("slices");
    TCase *t = tcase_create("slices");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, as_one_by_one, 0, 6 * CUTS);
    tcase_add_loop_test(t, source_fails, 0, 20);
    tcase_add_loop_test(t, scarce, 0, 6);
    return s;
}

SUITE_MAIN(slices_suite())
