/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of regions that have no formulas: nests as deep as they may be, and every place where
 * memory may run out. What the reports say: tests/cli, symbolic.cmd.
 */
#include "study/indirect_study.h"

#include <stdio.h>
#include <string.h>

#include "failing_mem.h"
#include "one_nest.h"
#include "suite.h"
#include "symbolic/references_text.h"

static const char rows[] = "pluss-nest 1\nregion r \"r.c\":1\n"
                           "array i32 row[4] values(0, 2, 2, 7)\narray i32 col[7] values(1, 0, 2, "
                           "0, 1, 1, 2)\narray f64 a[7], x[3]\n"
                           "for i in 0..3 {\n  for k in row[i]..row[i + 1] {\n    read a[k]\n"
                           "    read x[col[k]]\n  }\n}\n";

static pluss_status estimate(plussi_ctx *with, plussi_document *document)
{
    plussi_request request;
    plussi_nest *parsed = NULL;
    plussi_request_init(&request, &with->mem);
    pluss_status status = plussi_request_set(with, &request, "cache", "64,4K");
    if (!status)
        status = plussi_nest_parse(with, rows, strlen(rows), "rows", &parsed);
    if (!status)
        status = plussi_indirect_report(with, parsed, parsed->first_region, &request, "rows",
                                        plussi_add_list(document->root, "regions", true));
    plussi_nest_free(parsed);
    plussi_request_free(&request);
    return status ? status : document->status;
}

START_TEST(out_of_memory)
{
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx poor;
        plussi_document document;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&poor, &m.mem);
        plussi_document_init(&document, &m.mem);
        const pluss_status status = estimate(&poor, &document);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_document_free(&document);
        plussi_ctx_clear(&poor);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

/* Each guard on the path is a factor. */
START_TEST(as_deep_as_may_be)
{
    enum { GUARDS = PLUSSI_MAX_DEPTH - 2 };
    char text[4096], *found = NULL;
    size_t n = (size_t)snprintf(text, sizeof text,
                                "pluss-nest 1\nregion r\nsymbol n\narray f64 x[n]\n"
                                "for i in 0..n {\n");
    for (int g = 0; g < GUARDS; g++)
        n += (size_t)snprintf(text + n, sizeof text - n, "if (n > %d) {\n", g);
    n += (size_t)snprintf(text + n, sizeof text - n, "read x[i]\n");
    for (int g = 0; g <= GUARDS; g++)
        n += (size_t)snprintf(text + n, sizeof text - n, "}\n");
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, n, "deep", &nest), PLUSS_OK);
    ck_assert_int_eq(plussi_references_text(&ctx, nest->first_region,
                                            nest->first_region->body.first, nest->first_array,
                                            &found),
                     PLUSS_OK);
    size_t factors = 0;
    for (const char *at = found; (at = strchr(at, '[')); at++)
        factors++;
    ck_assert_uint_eq(factors, GUARDS);
    ck_assert_ptr_eq(strstr(found, "n*[n > 0]*[n > 1]*"), found);
    ck_assert_ptr_nonnull(strstr(found, "*[n > 61]"));
    plussi_free(&ctx.mem, found);
}
END_TEST

static Suite *estimates_suite(void)
{
    Suite *s = suite_create("estimates");
    TCase *t = tcase_create("estimates");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, as_deep_as_may_be);
    tcase_add_test(t, out_of_memory);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(estimates_suite())
