/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The context: diagnostics, memory, growing arrays, the arena, status codes.
 */
#include "base/ctx.h"

#include <stdint.h>
#include <string.h>

#include "failing_mem.h"
#include "suite.h"

/* ---- diagnostics -------------------------------------------------------------------------------
 */

START_TEST(reports_in_order)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    char file[] = "gemm.c";
    plussi_loc loc = {file, 42, 7};
    plussi_report(&ctx, PLUSSI_NOTE, PLUSS_OK, NULL, "plain");
    plussi_report(&ctx, PLUSSI_WARNING, PLUSS_ELIMIT, &loc, "%d of %s", 3, "them");
    ck_assert_int_eq(plussi_fail(&ctx, PLUSS_EPARSE, &(plussi_loc){NULL, 9, 0}, "%0300d", 1),
                     PLUSS_EPARSE);
    file[0] = 'x'; /* the context has its own copy */
    ck_assert_uint_eq(ctx.n_diags, 3);
    ck_assert_uint_eq(ctx.n_dropped, 0);
    ck_assert_str_eq(ctx.diags[0].text, "plain");
    ck_assert_int_eq(ctx.diags[0].severity, PLUSSI_NOTE);
    ck_assert(ctx.diags[0].file == NULL && ctx.diags[0].line == 0);
    ck_assert_str_eq(ctx.diags[1].text, "3 of them");
    ck_assert_str_eq(ctx.diags[1].file, "gemm.c");
    ck_assert(ctx.diags[1].line == 42 && ctx.diags[1].col == 7);
    ck_assert_int_eq(ctx.diags[1].status, PLUSS_ELIMIT);
    ck_assert_int_eq(ctx.diags[2].severity, PLUSSI_ERROR);
    ck_assert(ctx.diags[2].file == NULL && ctx.diags[2].line == 9);
    ck_assert_uint_eq(strlen(ctx.diags[2].text), 300);
    plussi_ctx_clear(&ctx);
    ck_assert(ctx.n_diags == 0 && ctx.diags == NULL);
    plussi_report(&ctx, PLUSSI_NOTE, PLUSS_OK, NULL, "again");
    ck_assert_uint_eq(ctx.n_diags, 1);
    plussi_ctx_clear(&ctx);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(counts_what_it_does_not_keep)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    for (int i = 0; i < PLUSSI_MAX_DIAGS + 5; i++)
        plussi_report(&ctx, PLUSSI_NOTE, PLUSS_OK, NULL, "%d", i);
    ck_assert_uint_eq(ctx.n_diags, PLUSSI_MAX_DIAGS - 1);
    ck_assert_uint_eq(ctx.n_dropped, 6);
    ck_assert_str_eq(ctx.diags[PLUSSI_MAX_DIAGS - 2].text, "98");
    for (int i = 0; i < 2; i++) /* warnings leave room for the error that they led to */
        ck_assert_int_eq(plussi_fail(&ctx, PLUSS_ELIMIT, NULL, "too much"), PLUSS_ELIMIT);
    ck_assert_uint_eq(ctx.n_diags, PLUSSI_MAX_DIAGS);
    ck_assert_uint_eq(ctx.n_dropped, 7);
    ck_assert_int_eq(ctx.diags[PLUSSI_MAX_DIAGS - 1].severity, PLUSSI_ERROR);
    plussi_ctx_clear(&ctx);
    ck_assert_uint_eq(ctx.n_dropped, 0);
}
END_TEST

START_TEST(reports_without_memory)
{
    plussi_loc loc = {"a.c", 1, 2};
    for (long budget = 0;; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &m.mem);
        ck_assert_int_eq(plussi_fail(&ctx, PLUSS_EIO, &loc, "text"), PLUSS_EIO);
        ck_assert_uint_eq(ctx.n_diags + ctx.n_dropped, 1);
        if (ctx.n_diags) /* kept: then with its text and line at least */
            ck_assert(strcmp(ctx.diags[0].text, "text") == 0 && ctx.diags[0].line == 1);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------
 */

START_TEST(sizes_that_overflow)
{
    const plussi_mem *mem = &plussi_mem_libc;
    ck_assert_ptr_null(plussi_alloc(mem, SIZE_MAX, 2));
    ck_assert_ptr_null(plussi_calloc(mem, SIZE_MAX / 2 + 2, 2));
    char *p = plussi_alloc(mem, 1, 1);
    *p = 'x';
    ck_assert_ptr_null(plussi_realloc(mem, p, (size_t)1 << 33, (size_t)1 << 33));
    ck_assert_int_eq(*p, 'x');
    plussi_free(mem, p);
    plussi_free(mem, NULL);
    plussi_arena arena;
    plussi_arena_init(&arena, mem);
    ck_assert_ptr_null(plussi_arena_alloc(&arena, SIZE_MAX, 2));
    ck_assert_ptr_null(plussi_arena_alloc(&arena, 1, SIZE_MAX - 3));
    plussi_arena_free(&arena);
}
END_TEST

START_TEST(nothing_is_something)
{
    void *p = plussi_alloc(&plussi_mem_libc, 0, 8), *q = plussi_calloc(&plussi_mem_libc, 8, 0);
    ck_assert(p != NULL && q != NULL); /* NULL is lack of memory alone */
    plussi_free(&plussi_mem_libc, p);
    plussi_free(&plussi_mem_libc, q);
}
END_TEST

START_TEST(calloc_clears)
{
    for (size_t n = 1; n < 5000; n += 97) {
        unsigned char *p = plussi_alloc(&plussi_mem_libc, n, 1);
        memset(p, 0xa5, n);
        plussi_free(&plussi_mem_libc, p);
        p = plussi_calloc(&plussi_mem_libc, n, 1);
        for (size_t i = 0; i < n; i++)
            ck_assert_int_eq(p[i], 0);
        plussi_free(&plussi_mem_libc, p);
    }
}
END_TEST

START_TEST(strings)
{
    char *s = plussi_strndup(&plussi_mem_libc, "abcdef", 3);
    ck_assert_str_eq(s, "abc");
    plussi_free(&plussi_mem_libc, s);
    s = plussi_strndup(&plussi_mem_libc, "", 0);
    ck_assert_str_eq(s, "");
    plussi_free(&plussi_mem_libc, s);
}
END_TEST

START_TEST(arrays_grow)
{
    int *array = NULL;
    size_t cap = 0, moves = 0;
    for (int i = 0; i < 10000; i++) {
        size_t before = cap;
        ck_assert_int_eq(plussi_grow(&plussi_mem_libc, &array, &cap, (size_t)i, sizeof *array),
                         PLUSS_OK);
        ck_assert_uint_gt(cap, (size_t)i);
        moves += cap != before;
        array[i] = i;
    }
    ck_assert_uint_le(moves, 12); /* doubles: no more moves than that */
    for (int i = 0; i < 10000; i++)
        ck_assert_int_eq(array[i], i);
    plussi_free(&plussi_mem_libc, array);
}
END_TEST

START_TEST(arrays_that_cannot_grow)
{
    failing_mem m;
    failing_mem_init(&m, 1);
    int *array = NULL;
    size_t cap = 0;
    ck_assert_int_eq(plussi_grow(&m.mem, &array, &cap, 0, sizeof *array), PLUSS_OK);
    size_t had = cap;
    int *was = array;
    array[0] = 5;
    ck_assert_int_eq(plussi_grow(&m.mem, &array, &cap, cap, sizeof *array), PLUSS_ENOMEM);
    ck_assert(cap == had && array == was && array[0] == 5);
    plussi_free(&m.mem, array);
    ck_assert_int_eq(m.live, 0);
}
END_TEST

/* ---- the arena ---------------------------------------------------------------------------------
 */

START_TEST(pieces_are_apart)
{
    enum { N = 3000 };
    static unsigned char *piece[N];
    static size_t length[N];
    plussi_arena arena;
    plussi_arena_init(&arena, &plussi_mem_libc);
    for (size_t i = 0; i < N; i++) {
        length[i] = i % 100 == 99 ? 20000 + i : i % 37;
        piece[i] = plussi_arena_alloc(&arena, length[i], 1);
        ck_assert_ptr_nonnull(piece[i]);
        ck_assert_uint_eq((uintptr_t)piece[i] % 16, 0);
        for (size_t k = 0; k < length[i]; k++)
            if (piece[i][k] != 0)
                ck_abort_msg("a piece is not clear");
        memset(piece[i], (int)(i % 251), length[i]);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < length[i]; k++)
            if (piece[i][k] != i % 251)
                ck_abort_msg("a piece was overwritten");
    ck_assert_str_eq(plussi_arena_strndup(&arena, "hello there", 5), "hello");
    plussi_arena_free(&arena);
    plussi_arena_free(&arena);
}
END_TEST

START_TEST(arena_without_memory)
{
    for (long budget = 0;; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_arena arena;
        plussi_arena_init(&arena, &m.mem);
        char *first = plussi_arena_strndup(&arena, "kept", 4);
        void *big = plussi_arena_alloc(&arena, 1, 100000);
        char *later = plussi_arena_strndup(&arena, "more", 4);
        ck_assert_int_eq(m.failed, !first || !big || !later);
        if (first)
            ck_assert_str_eq(first, "kept");
        plussi_arena_free(&arena);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

/* ---- status ------------------------------------------------------------------------------------
 */

START_TEST(status_texts)
{
    /* Numbers are part of the ABI. */
    ck_assert(PLUSS_OK == 0 && PLUSS_ENOMEM == 1 && PLUSS_EINVAL == 2 && PLUSS_ERANGE == 3);
    ck_assert(PLUSS_EPARSE == 4 && PLUSS_EINVALID == 5 && PLUSS_EUNBOUND == 6);
    ck_assert(PLUSS_EUNSUPPORTED == 7 && PLUSS_ELIMIT == 8 && PLUSS_EIO == 9);
    ck_assert(PLUSS_EFORMAT == 10 && PLUSS_ENOTFOUND == 11 && PLUSS_ECANCELLED == 12);
    ck_assert(PLUSS_EINTERNAL == 13 && PLUSS_EEMPTY == 14);
    ck_assert_str_eq(plussi_status_name(PLUSS_ENOMEM), "ENOMEM");
    ck_assert_str_eq(plussi_status_text(PLUSS_OK), "ok");
    for (int i = 0; i <= 14; i++) {
        const char *text = plussi_status_text((pluss_status)i);
        ck_assert(strlen(text) > 1 && strcmp(text, plussi_status_text((pluss_status)99)) != 0);
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(text, plussi_status_text((pluss_status)k));
    }
    ck_assert_str_eq(plussi_status_name((pluss_status)99), "?");
    ck_assert_ptr_nonnull(plussi_status_text((pluss_status)-1));
}
END_TEST

static Suite *ctx_suite(void)
{
    Suite *suite = suite_create("ctx");
    TCase *tc = tcase_create("ctx");
    tcase_add_test(tc, reports_in_order);
    tcase_add_test(tc, counts_what_it_does_not_keep);
    tcase_add_test(tc, reports_without_memory);
    tcase_add_test(tc, sizes_that_overflow);
    tcase_add_test(tc, nothing_is_something);
    tcase_add_test(tc, calloc_clears);
    tcase_add_test(tc, strings);
    tcase_add_test(tc, arrays_grow);
    tcase_add_test(tc, arrays_that_cannot_grow);
    tcase_add_test(tc, pieces_are_apart);
    tcase_add_test(tc, arena_without_memory);
    tcase_add_test(tc, status_texts);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(ctx_suite())
