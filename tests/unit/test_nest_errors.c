/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every message about a bad text.
 */
#include <string.h>

#include "nest_faults.h"
#include "nest_text.h"
#include "suite.h"

START_TEST(faults_are_reported)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = NULL;
    pluss_status status =
        plussi_nest_parse(&ctx, faults[_i].text, faults[_i].length, "a.nest", &nest);
    char *messages = messages_of(&ctx);
    ck_assert_str_eq(messages, faults[_i].messages);
    ck_assert_int_eq(status, faults[_i].status);
    ck_assert_ptr_null(nest);
    ck_assert_uint_gt(ctx.n_diags, 0);
    for (size_t i = 0; i < ctx.n_diags; i++) {
        ck_assert_str_eq(ctx.diags[i].file, "a.nest");
        ck_assert_int_eq(ctx.diags[i].severity, PLUSSI_ERROR);
        ck_assert_ptr_null(strchr(ctx.diags[i].text, '\n'));
    }
    free(messages);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(many_errors_are_counted)
{
    enum { LINES = 1000 };
    char text[32 + 8 * LINES] = HEADER "region r\n";
    size_t length = strlen(text);
    for (int i = 0; i < LINES; i++, length += 7)
        memcpy(text + length, "read 3\n", 7);
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = NULL;
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, length, NULL, &nest), PLUSS_EPARSE);
    ck_assert_uint_eq(ctx.n_diags, PLUSSI_MAX_DIAGS);
    ck_assert_uint_eq(ctx.n_dropped, LINES - PLUSSI_MAX_DIAGS);
    ck_assert_uint_eq(ctx.diags[99].line, 102);
    plussi_ctx_clear(&ctx);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("nest errors");
    TCase *t = tcase_create("messages");
    tcase_add_loop_test(t, faults_are_reported, 0, sizeof faults / sizeof *faults);
    tcase_add_test(t, many_errors_are_counted);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
