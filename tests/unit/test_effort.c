/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/effort.h"

#include <string.h>

#include "failing_mem.h"
#include "suite.h"

typedef struct job {
    uint64_t depth, steps;
    uint64_t reached;
} job;

/* Memory at every level, and none of it freed. */
static uint64_t go_deep(plussi_ctx *ctx, job *j, uint64_t level)
{
    if (level == j->depth)
        return level;
    j->reached = level;
    char *some = plussi_alloc(&ctx->mem, 40, 1);
    some = plussi_realloc(&ctx->mem, some, 4000, 1);
    memset(some, 1, 4000);
    plussi_effort_take(plussi_effort_of(ctx), j->steps);
    return go_deep(ctx, j, level + 1) + (uint64_t)some[0];
}

static pluss_status body(plussi_ctx *ctx, void *user)
{
    job *j = user;
    plussi_report(ctx, PLUSSI_WARNING, PLUSS_OK, NULL, "seen");
    ck_assert_uint_eq(go_deep(ctx, j, 0), 2 * j->depth);
    return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "done");
}

START_TEST(attempts)
{
    failing_mem m;
    plussi_ctx ctx;
    failing_mem_init(&m, 1 << 20);
    plussi_ctx_init(&ctx, &m.mem);
    job j = {.depth = 20, .steps = 1000};
    plussi_effort effort = {.left = 100000};
    ck_assert_int_eq(plussi_attempt(&ctx, &effort, body, &j), PLUSS_ENOTFOUND);
    ck_assert_uint_eq(ctx.n_diags, 2);
    ck_assert_str_eq(ctx.diags[0].text, "seen");
    ck_assert_ptr_null(plussi_effort_of(&ctx));
    plussi_ctx_clear(&ctx);
    ck_assert_int_eq(m.live, 0);

    uint64_t reached[2];
    for (int i = 0; i < 2; i++) { /* wherever it ends, always there */
        effort = (plussi_effort){.left = 10000 + (uint64_t)i * 500};
        ck_assert_int_eq(plussi_attempt(&ctx, &effort, body, &j), PLUSS_ELIMIT);
        ck_assert_uint_eq(ctx.n_diags, 1);
        ck_assert_uint_eq(effort.left, 0);
        reached[i] = j.reached;
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(m.live, 0);
    }
    ck_assert_uint_gt(reached[0], 3);
    ck_assert_uint_le(reached[0], reached[1]);
    ck_assert_uint_le(reached[1], 10); /* 1000 steps a level, and some for memory */
}
END_TEST

static pluss_status take_memory(plussi_ctx *ctx, void *user)
{
    void **out = user;
    *out = plussi_alloc(&ctx->mem, 1 << 20, 1);
    return PLUSS_OK;
}

START_TEST(memory_costs)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    void *p = NULL;
    plussi_effort effort = {.left = (1 << 12) - 1};
    ck_assert_int_eq(plussi_attempt(&ctx, &effort, take_memory, &p), PLUSS_ELIMIT);
    ck_assert_ptr_null(p);
    effort.left = 1 << 13;
    ck_assert_int_eq(plussi_attempt(&ctx, &effort, take_memory, &p), PLUSS_OK);
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq(effort.left, 1 << 12);
    ck_assert(!effort.starved);
}
END_TEST

/* Blocks of 100 MB: one after the other, or as many at a time as do not fit. */
static pluss_status take_blocks(plussi_ctx *ctx, void *user)
{
    const bool *keep = user;
    for (int i = 0; i < 4; i++) {
        void *p = plussi_alloc(&ctx->mem, 100 << 20, 1);
        if (!*keep)
            plussi_free(&ctx->mem, p);
    }
    return PLUSS_OK;
}

START_TEST(memory_is_bounded)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    for (int i = 0; i < 2; i++) {
        bool keep = i;
        plussi_effort effort = {.left = UINT64_MAX};
        ck_assert_int_eq(plussi_attempt(&ctx, &effort, take_blocks, &keep),
                         keep ? PLUSS_ELIMIT : PLUSS_OK);
        ck_assert(effort.starved == keep);
    }
}
END_TEST

static pluss_status write_memory(plussi_ctx *ctx, void *user)
{
    char **out = user;
    char *gone = plussi_alloc(&ctx->mem, 100, 1);
    *out = plussi_strndup(&ctx->mem, "kept", 4);
    plussi_free(&ctx->mem, gone);
    plussi_effort_take(plussi_effort_of(ctx), 100);
    return PLUSS_OK;
}

/* What an attempt made stays as long as is wanted, apart from the attempt's effort. */
START_TEST(memory_is_kept)
{
    failing_mem m;
    plussi_ctx ctx;
    char *text = NULL;
    plussi_attempted *memory;
    failing_mem_init(&m, 1 << 20);
    plussi_ctx_init(&ctx, &m.mem);
    for (uint64_t left = 0; left < 2000; left += 50) {
        plussi_effort effort = {.left = left};
        pluss_status status = plussi_attempt_to_keep(&ctx, &effort, write_memory, &text, &memory);
        ck_assert_int_eq(status, left < 100 ? PLUSS_ELIMIT : PLUSS_OK);
        ck_assert((memory != NULL) == (status == PLUSS_OK));
        memset(&effort, 255, sizeof effort);
        if (memory)
            ck_assert_str_eq(text, "kept");
        plussi_attempted_free(memory);
        ck_assert_int_eq(m.live, 0);
    }
    for (int fail_at = 0; fail_at < 4; fail_at++) {
        plussi_effort effort = {.left = UINT64_MAX};
        failing_mem_init(&m, fail_at);
        if (plussi_attempt_to_keep(&ctx, &effort, take_memory, &text, &memory) != PLUSS_OK)
            ck_assert_ptr_null(memory);
        plussi_attempted_free(memory);
        ck_assert_int_eq(m.live, 0);
    }
}
END_TEST

START_TEST(without_an_attempt)
{
    plussi_effort effort = {.left = 10};
    ck_assert(plussi_effort_pay(NULL, UINT64_MAX));
    ck_assert(plussi_effort_pay(&effort, 10));
    ck_assert(!plussi_effort_pay(&effort, 1));
    plussi_effort_take(&effort, 1); /* returns */
    ck_assert_uint_eq(effort.left, 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("effort");
    TCase *c = tcase_create("effort");
    tcase_add_test(c, attempts);
    tcase_add_test(c, memory_costs);
    tcase_add_test(c, memory_is_bounded);
    tcase_add_test(c, memory_is_kept);
    tcase_add_test(c, without_an_attempt);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
