/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of regions that have no formulas: nests as deep as they may be, and every place where
 * memory may run out. What the reports say: tests/cli, symbolic.cmd.
 */
#include "study/indirect_study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
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
    plussi_indirect_values values = {0};
    plussi_nest *parsed = NULL;
    plussi_request_init(&request, &with->mem);
    pluss_status status = plussi_request_set(with, &request, "cache", "64,4K");
    if (!status)
        status = plussi_nest_parse(with, rows, strlen(rows), "rows", &parsed);
    if (!status)
        status = plussi_indirect_report(with, parsed, parsed->first_region, &request, "rows",
                                        &values, plussi_add_list(document->root, "regions", true));
    plussi_indirect_values_free(with, &values);
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

/* ---- random matrices ----------------------------------------------------------------------------
 */

enum { ROWS = 600, MOST_OF_ROW = 12, MOST_TEXT = 1 << 17, MATRICES = 12 };

typedef struct matrix_text {
    char at[MOST_TEXT];
    size_t n;
} matrix_text;

static void put_values(matrix_text *t, const char *name, const int *value, int n)
{
    t->n += (size_t)snprintf(t->at + t->n, MOST_TEXT - t->n, "array i32 %s[%d] values(", name, n);
    for (int i = 0; i < n; i++)
        t->n += (size_t)snprintf(t->at + t->n, MOST_TEXT - t->n, i ? ", %d" : "%d", value[i]);
    t->n += (size_t)snprintf(t->at + t->n, MOST_TEXT - t->n, ")\n");
    ck_assert_uint_lt(t->n, MOST_TEXT - 2048);
}

/* A matrix in compressed rows, with half of a row's elements next to the diagonal and half in a
 * band; its product with a vector, and forward and backward solves, a region each. */
static void write_matrix(plussi_rng *rng, matrix_text *t)
{
    static int start[ROWS + 1], column[ROWS * MOST_OF_ROW], middle[ROWS];
    const int band = 8 + (int)plussi_rng_below(rng, ROWS);
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        const int elements = 1 + (int)plussi_rng_below(rng, MOST_OF_ROW);
        start[i] = n;
        middle[i] = n + (int)plussi_rng_below(rng, (uint64_t)elements);
        for (int k = 0; k < elements; k++) {
            const int reach = k % 2 ? 6 : band;
            const int at = i - reach + (int)plussi_rng_below(rng, (uint64_t)(2 * reach + 1));
            column[n++] = at < 0 ? 0 : at >= ROWS ? ROWS - 1 : at;
        }
    }
    start[ROWS] = n;
    t->n = (size_t)snprintf(t->at, MOST_TEXT, "pluss-nest 1\narray f64 a[%d], x[%d], y[%d]\n", n,
                            ROWS, ROWS);
    put_values(t, "start", start, ROWS + 1);
    put_values(t, "col", column, n);
    put_values(t, "middle", middle, ROWS);
    (void)snprintf(t->at + t->n, MOST_TEXT - t->n,
                   "region product\nfor i in 0..%d {\n  write y[i]\n"
                   "  for k in start[i]..start[i + 1] {\n    read a[k]\n    read col[k]\n"
                   "    read x[col[k]]\n    read y[i]\n    write y[i]\n  }\n}\n"
                   "region forward\nfor i in 0..%d {\n  read y[i]\n  write x[i]\n"
                   "  for k in start[i]..middle[i] {\n    read a[k]\n    read x[col[k]]\n"
                   "    write x[i]\n  }\n}\n"
                   "region backward\nfor i in %d..-1 step -1 {\n"
                   "  for k in middle[i] + 1..start[i + 1] {\n    read a[k]\n"
                   "    read x[col[k]]\n    write x[i]\n  }\n"
                   "  read a[middle[i]]\n  write x[i]\n}\n",
                   ROWS, ROWS, ROWS - 1);
}

static double number_of(const plussi_datum *d)
{
    return d->kind == PLUSSI_D_COUNT ? (double)d->u.count : d->u.real;
}

/* Of each cache in the section's table of misses. Returns how many there are. */
static size_t compare_misses(const plussi_section *section)
{
    size_t caches = 0;
    for (const plussi_item *item = section->item; item; item = item->next) {
        if (item->kind != PLUSSI_TABLE || strcmp(item->u.table->key, "misses") != 0)
            continue;
        for (const plussi_row *r = item->u.table->row; r; r = r->next, caches++) {
            const double estimated = number_of(&r->datum[2]), exact = number_of(&r->datum[3]);
            ck_assert_msg(fabs(estimated / exact - 1) <= 0.15, "%s, %.0f bytes: %.1f, exactly %.0f",
                          section->title, number_of(&r->datum[0]), estimated, exact);
        }
    }
    return caches;
}

/* Estimates that read index arrays alone are within 15 % of exact misses; the regions of a nest
 * have one walk, and their own misses out of it. */
START_TEST(within_the_limit)
{
    static const plussi_indirect_values none;
    static matrix_text t;
    plussi_indirect_values values = {0}, alone = {0};
    plussi_request request;
    plussi_document document;
    plussi_rng rng;
    size_t caches = 0;
    plussi_rng_seed(&rng, 19, (uint64_t)_i);
    write_matrix(&rng, &t);
    ck_assert_int_eq(plussi_nest_parse(&ctx, t.at, strlen(t.at), "matrix", &nest), PLUSS_OK);
    plussi_request_init(&request, &ctx.mem);
    ck_assert_int_eq(plussi_request_set(&ctx, &request, "cache", "2K,4K,8K,64K"), PLUSS_OK);
    plussi_document_init(&document, &ctx.mem);
    plussi_section *list = plussi_add_list(document.root, "regions", true);
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        ck_assert_int_eq(plussi_indirect_report(&ctx, nest, r, &request, "matrix", &values, list),
                         PLUSS_OK);
    for (const plussi_item *item = list->item; item; item = item->next)
        caches += compare_misses(item->u.section);
    ck_assert_uint_eq(caches, 3 * request.n_caches);
    ck_assert_uint_eq(values.n_regions, 3);
    ck_assert_uint_gt(values.accesses[0], values.accesses[1]);
    ck_assert_int_eq(plussi_indirect_evaluate(&ctx, nest, &request, &alone), PLUSS_OK);
    for (size_t i = 0; i < 3 * request.n_caches; i++)
        ck_assert_uint_eq(alone.misses[i], values.misses[i]);
    plussi_indirect_values_free(&ctx, &alone);
    plussi_indirect_values_free(&ctx, &values);
    ck_assert_mem_eq(&values, &none, sizeof none);
    plussi_document_free(&document);
    plussi_request_free(&request);
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
    tcase_add_loop_test(t, within_the_limit, 0, MATRICES);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(estimates_suite())
