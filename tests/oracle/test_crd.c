/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model crd against exact stacks of threads that take turns: one thread is exact, several are
 * near, no access is lost; footprints of windows against all windows of a sequence.
 */
#include <math.h>
#include <stdio.h>

#include "../unit/failing_mem.h"
#include "../unit/suite.h"
#include "base/rng.h"
#include "exact/lru.h"
#include "model/crd.h"

enum { THREADS = 4, LINES = 150, ACCESSES = 30000, KEYS = THREADS * LINES };

/* Each thread touches `shared` lines that all have and its own; some more often than others. */
static uint64_t next_line(plussi_rng *rng, uint64_t thread, uint64_t shared)
{
    const uint64_t line = plussi_rng_below(rng, 1 + plussi_rng_below(rng, LINES));
    return line % 7 == 0 && line / 7 < shared ? line : (thread + 1) * LINES + line;
}

/* A thread's own distances and intervals, by a search for the latest touch. */
typedef struct alone {
    plussi_crd_thread thread;
    plussi_cell cell[ACCESSES];
    uint64_t latest[(THREADS + 1) * LINES];
    plussi_lru *lru;
} alone;

typedef struct trial {
    alone of[THREADS];
    plussi_histo exact;
    double accesses;
    uint8_t owners[(THREADS + 1) * LINES]; /* threads that touch the line, a bit each */
} trial;

static void touch(trial *t, size_t i, uint64_t line)
{
    alone *a = &t->of[i];
    const uint64_t distance = plussi_lru_touch(a->lru, line);
    a->thread.accesses++;
    t->accesses++;
    if (distance == PLUSSI_LRU_COLD) {
        a->thread.lines++;
        a->thread.late += t->owners[line] != 0;
        t->owners[line] |= (uint8_t)(1 << i);
    } else {
        a->cell[a->thread.n++] =
            (plussi_cell){(uint64_t)a->thread.accesses - a->latest[line], distance, 1};
    }
    a->latest[line] = (uint64_t)a->thread.accesses;
}

static void make_trial(plussi_ctx *ctx, size_t threads, uint64_t shared, uint64_t seed, trial *t)
{
    plussi_lru *all;
    plussi_rng rng;
    plussi_rng_seed(&rng, seed, 0);
    memset(t, 0, sizeof *t);
    plussi_histo_init(&t->exact, &ctx->mem);
    ck_assert_int_eq(plussi_lru_new(ctx, &all), PLUSS_OK);
    for (size_t i = 0; i < threads; i++)
        ck_assert_int_eq(plussi_lru_new(ctx, &t->of[i].lru), PLUSS_OK);
    for (int k = 0; k < ACCESSES; k++)
        for (size_t i = 0; i < threads; i++) {
            const uint64_t line = next_line(&rng, i, shared);
            const uint64_t distance = plussi_lru_touch(all, line);
            if (distance == PLUSSI_LRU_COLD)
                t->exact.cold++;
            else
                ck_assert_int_eq(plussi_histo_add(&t->exact, distance, 1), PLUSS_OK);
            touch(t, i, line);
        }
    plussi_lru_free(all);
    for (size_t i = 0; i < threads; i++) {
        alone *a = &t->of[i];
        plussi_lru_free(a->lru);
        a->thread.cell = a->cell;
        for (size_t line = 0; line < sizeof t->owners; line++)
            a->thread.shared +=
                (t->owners[line] >> i & 1) && (t->owners[line] & (t->owners[line] - 1));
    }
}

static double accuracy(const plussi_histo *a, const plussi_histo *b, double accesses)
{
    double error = fabs(a->cold - b->cold);
    for (uint64_t k = 0; k < KEYS; k++)
        error += fabs(plussi_histo_get(a, k) - plussi_histo_get(b, k));
    return 1 - error / accesses / 2;
}

static pluss_status predict(plussi_ctx *ctx, const trial *t, size_t threads, plussi_histo *out)
{
    plussi_crd_thread thread[THREADS];
    plussi_histo_init(out, &ctx->mem);
    for (size_t i = 0; i < threads; i++) {
        thread[i] = t->of[i].thread;
        thread[i].rate = 1;
        thread[i].out = out;
    }
    return plussi_crd(ctx, thread, threads, PLUSSI_CRD_IN_TURN);
}

static trial t;

static void near(size_t threads, uint64_t shared, double least)
{
    plussi_ctx ctx;
    plussi_histo h;
    plussi_ctx_init(&ctx, NULL);
    make_trial(&ctx, threads, shared, threads + shared, &t);
    ck_assert_int_eq(predict(&ctx, &t, threads, &h), PLUSS_OK);
    ck_assert_double_eq_tol(plussi_histo_total(&h), t.accesses, 1e-6 * t.accesses);
    ck_assert_double_eq(h.cold, t.exact.cold);
    const double is = accuracy(&h, &t.exact, t.accesses);
    ck_assert_msg(is >= least, "%zu threads, %d lines shared: %.4f, expected %.4f", threads,
                  (int)shared, is, least);
    plussi_histo_free(&h);
    plussi_histo_free(&t.exact);
    plussi_ctx_clear(&ctx);
}

START_TEST(one_thread_is_exact)
{
    near(1, 0, 1 - 1e-12);
}
END_TEST

START_TEST(several_are_near)
{
    near(2, 0, 0.96);
    near(4, 0, 0.96);
    near(2, 10, 0.95);
    near(4, 20, 0.95);
}
END_TEST

/* Without distances of its own, too, where a thread's lines are alike. */
START_TEST(intervals_are_enough)
{
    plussi_ctx ctx;
    plussi_histo h;
    plussi_ctx_init(&ctx, NULL);
    for (size_t threads = 1; threads <= 2; threads++) {
        make_trial(&ctx, threads, 0, 9, &t);
        for (size_t i = 0; i < threads; i++)
            for (size_t k = 0; k < t.of[i].thread.n; k++)
                t.of[i].cell[k].distance = PLUSSI_CELL_UNKNOWN;
        ck_assert_int_eq(predict(&ctx, &t, threads, &h), PLUSS_OK);
        ck_assert_double_eq_tol(plussi_histo_total(&h), t.accesses, 1e-6 * t.accesses);
        ck_assert_double_ge(accuracy(&h, &t.exact, t.accesses), 0.9);
        plussi_histo_free(&h);
        plussi_histo_free(&t.exact);
    }
    plussi_ctx_clear(&ctx);
}
END_TEST

/* One access of this thread to a line of its own, reused after d accesses, beside one that makes
 * as many: the mean distance is the mean number of lines in all windows of d accesses. */
START_TEST(windows)
{
    enum { N = 4000, SET = 40, APART = 1000000 /* distances of the other thread */ };
    static uint64_t line[N];
    static plussi_cell cell[N], own[1];
    plussi_ctx ctx;
    plussi_rng rng;
    plussi_ctx_init(&ctx, NULL);
    plussi_rng_seed(&rng, (uint64_t)_i, 0);
    plussi_histo h, other;
    plussi_crd_thread thread[2] = {
        {.accesses = N, .rate = 1, .lines = 1, .cell = own, .n = 1, .out = &h},
        {.accesses = N, .rate = 1, .cell = cell, .out = &other}};
    uint64_t latest[SET] = {0};
    for (uint64_t k = 0; k < N; k++) {
        line[k] = plussi_rng_below(&rng, 1 + plussi_rng_below(&rng, SET));
        if (latest[line[k]])
            cell[thread[1].n++] = (plussi_cell){k + 1 - latest[line[k]], APART, 1};
        else
            thread[1].lines++;
        latest[line[k]] = k + 1;
    }
    for (uint64_t d = 1; d <= 60; d += 1 + d / 8) {
        double sum = 0, mean = 0, weight = 0;
        for (uint64_t from = 0; from + d <= N; from++) {
            bool seen[SET] = {false};
            for (uint64_t k = from; k < from + d; k++) {
                sum += !seen[line[k]];
                seen[line[k]] = true;
            }
        }
        own[0] = (plussi_cell){d, 0, N - 1};
        plussi_histo_init(&h, &ctx.mem);
        plussi_histo_init(&other, &ctx.mem);
        ck_assert_int_eq(plussi_crd(&ctx, thread, 2, PLUSSI_CRD_IN_TURN), PLUSS_OK);
        for (uint64_t k = 0; k <= SET; k++) {
            weight += plussi_histo_get(&h, k);
            mean += (double)k * plussi_histo_get(&h, k) / (N - 1);
        }
        ck_assert_double_eq_tol(weight, N - 1, 1e-6 * N);
        ck_assert_double_eq_tol(mean, sum / (double)(N - d + 1), 0.02 * mean + 0.02);
        plussi_histo_free(&h);
        plussi_histo_free(&other);
    }
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(nothing_is_lost_without_memory)
{
    plussi_ctx good;
    plussi_ctx_init(&good, NULL);
    make_trial(&good, 2, 5, 1, &t);
    plussi_histo_free(&t.exact);
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx ctx;
        plussi_histo h;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&ctx, &m.mem);
        pluss_status status = predict(&ctx, &t, 2, &h);
        plussi_histo_free(&h);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
    plussi_histo h;
    plussi_crd_thread none[1] = {{.out = &h}};
    plussi_histo_init(&h, &good.mem);
    ck_assert_int_eq(plussi_crd(&good, none, 1, PLUSSI_CRD_IN_TURN), PLUSS_EEMPTY);
    plussi_histo_free(&h);
    plussi_ctx_clear(&good);
}
END_TEST

static Suite *crd_suite(void)
{
    Suite *suite = suite_create("crd");
    TCase *cases = tcase_create("crd");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, one_thread_is_exact);
    tcase_add_test(cases, several_are_near);
    tcase_add_test(cases, intervals_are_enough);
    tcase_add_loop_test(cases, windows, 0, 4);
    tcase_add_test(cases, nothing_is_lost_without_memory);
    suite_add_tcase(suite, cases);
    return suite;
}

SUITE_MAIN(crd_suite())
