/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The code generator's own ways to fail, and names that must not break out of the program. What the
 * programs compute is tests/codegen's business.
 */
#include "suite.h"

#include <string.h>

#include "pluss.h" /* its list of status codes is the one in use */

#include "failing_mem.h"

typedef struct sink {
    char *text;
    size_t length;
    int refuse;
} sink;

static int keep(void *user, const char *data, size_t length)
{
    sink *s = user;
    if (s->refuse)
        return 1;
    s->text = realloc(s->text, s->length + length + 1);
    ck_assert_ptr_nonnull(s->text);
    memcpy(s->text + s->length, data, length);
    s->length += length;
    s->text[s->length] = '\0';
    return 0;
}

static const char gemm[] =
    "pluss-nest 1 region gemm symbol n, m = 2*n array f64 A[n][m] array b24 P[] private\n"
    "parallel for i in 0..n schedule(dynamic, 2) { for j in 0..m { read A[i][j] write P[j] } }";

static pluss_status generate(pluss_context *ctx, const char *text, pluss_language language,
                             sink *out)
{
    pluss_nest *nest = NULL;
    pluss_status status = pluss_nest_parse(ctx, text, strlen(text), "x.nest", &nest);
    if (!status)
        status = pluss_nest_codegen(ctx, nest, language, keep, out);
    pluss_nest_free(nest);
    return status;
}

/* Refused with that text, at a line of the nest or of its source. */
static void check_refused(const char *text, const char *words)
{
    pluss_context *ctx;
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    for (int language = PLUSS_LANGUAGE_C; language <= PLUSS_LANGUAGE_RUST; language++) {
        sink out = {0};
        ck_assert_int_eq(generate(ctx, text, (pluss_language)language, &out), PLUSS_EUNSUPPORTED);
        ck_assert_ptr_null(out.text);
        pluss_diagnostic d = {.size = sizeof d};
        ck_assert_int_eq(pluss_context_diagnostic(ctx, 0, &d), PLUSS_OK);
        ck_assert_msg(strstr(d.text, words) != NULL, "%s", d.text);
        ck_assert_uint_gt(d.line, 0);
        pluss_context_clear(ctx);
    }
    pluss_context_free(ctx);
}

START_TEST(what_cannot_be_followed)
{
    check_refused("pluss-nest 1 region r array f64 A[9] branch 0.5 { read A[1] @7 }", "branch");
    check_refused("pluss-nest 1 region r array f64 A[9] array i32 c[2] values(1, 2)\n"
                  "read A[c[0]] @7",
                  "loaded");
    check_refused("pluss-nest 1 region r array f64 A[9] array i32 c[2] values(1, 2)\n"
                  "for i in 0..c[1] { read A[i] }",
                  "loaded");
    check_refused("pluss-nest 1 region r parallel for i in 0..9 schedule(rayon, 1) { }", "rayon");
    check_refused("pluss-nest 1 region r parallel for i in 0..9 schedule(recorded) { }",
                  "recorded");
    check_refused("pluss-nest 1 region r array f64 A[9] offset(8) array f64 B[9] swap A, B",
                  "swap");
    check_refused("pluss-nest 1 region r array f64 A[9], B[9] array f64 V[9] over A\n"
                  "read V[0] swap A, B",
                  "overlays");
}
END_TEST

/* Whatever a nest's names and reasons hold, the program's own lines stay what they are. */
START_TEST(names_do_not_break_out)
{
    static const char text[] =
        "pluss-nest 1 region `a*/ int main` symbol `x\"y`, `fn`, `\xc3\xa9` array f64 `A}`[`fn`]\n"
        "read `A}`[`x\"y` + `\xc3\xa9`] unknown call \"\\n#error */ out\"";
    pluss_context *ctx;
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    for (int language = PLUSS_LANGUAGE_C; language <= PLUSS_LANGUAGE_RUST; language++) {
        sink out = {0};
        ck_assert_int_eq(generate(ctx, text, (pluss_language)language, &out), PLUSS_OK);
        ck_assert_ptr_null(strstr(out.text, "\n#error"));
        for (size_t i = 0; i < out.length; i++)
            ck_assert_uint_lt((unsigned char)out.text[i], 0x7f);
        free(out.text);
    }
    pluss_context_free(ctx);
}
END_TEST

START_TEST(arguments)
{
    pluss_context *ctx;
    pluss_nest *nest;
    sink out = {0};
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    ck_assert_int_eq(pluss_nest_parse(ctx, gemm, sizeof gemm - 1, NULL, &nest), PLUSS_OK);
    ck_assert_int_eq(pluss_nest_codegen(NULL, nest, PLUSS_LANGUAGE_C, keep, &out), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nest_codegen(ctx, NULL, PLUSS_LANGUAGE_C, keep, &out), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nest_codegen(ctx, nest, PLUSS_LANGUAGE_C, NULL, &out), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_nest_codegen(ctx, nest, (pluss_language)2, keep, &out), PLUSS_EINVAL);
    out.refuse = 1;
    ck_assert_int_eq(pluss_nest_codegen(ctx, nest, PLUSS_LANGUAGE_C, keep, &out), PLUSS_EIO);
    pluss_nest_free(nest);
    pluss_context_free(ctx);
}
END_TEST

START_TEST(memory_runs_out)
{
    bool done = false;
    for (long budget = 0; !done; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        pluss_context_options options = {
            .size = sizeof options, .resize = m.mem.resize, .resize_user = m.mem.user};
        pluss_context *ctx = NULL;
        sink out = {0};
        pluss_status status = pluss_context_new(&options, &ctx);
        if (!status)
            status = generate(ctx, gemm, PLUSS_LANGUAGE_C, &out);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        pluss_context_free(ctx);
        free(out.text);
        ck_assert_int_eq(m.live, 0);
        done = !m.failed;
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("codegen");
    TCase *t = tcase_create("codegen");
    tcase_add_test(t, what_cannot_be_followed);
    tcase_add_test(t, names_do_not_break_out);
    tcase_add_test(t, arguments);
    tcase_add_test(t, memory_runs_out);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
