/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records through the C interface, as a program outside of the library uses it.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "option_text.h"

static pluss_context *ctx;
static pluss_nest *nest;
static pluss_record *record;

static const char text[] =
    "pluss-nest 1 symbol n array f64 A[n][16] region r \"k.c\":4 "
    "parallel for i in 0..n schedule(dynamic) { for j in 0..16 { read A[i][j] } }";

static const char recorded[] =
    "pluss-record 3\nline 64\nlost-runs 1\nobject \"/a\"\n"
    "region \"r\" \"k.c\":4 team 2 runs 2 lost 1 by profile\nsymbol \"n\" 6\narray \"A\" 65600\n"
    "place 131136\nthread 0 accesses 64 lost 2\npri thread 0 ref 0 first 8 1:56\n"
    "chunks loop 0 time 0 thread 0 0-2\nthread 1 accesses 128 lost 0\n"
    "pri thread 1 ref 0 first 16 1:112\nchunks loop 0 time 0 thread 1 2-6\nend\n"
    "sequence lost 3\nrepeat 2\nrun 0 at 0 times 4\nrun 0 at 1 times 1\nend\nend\n";

static void setup(void)
{
    nest = NULL;
    record = NULL;
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    ck_assert_int_eq(pluss_nest_parse(ctx, text, strlen(text), "t", &nest), PLUSS_OK);
    ck_assert_int_eq(pluss_record_parse(ctx, recorded, strlen(recorded), "r", &record), PLUSS_OK);
}

static void teardown(void)
{
    pluss_record_free(record);
    pluss_nest_free(nest);
    pluss_context_free(ctx);
}

START_TEST(what_is_in_it)
{
    pluss_record_info info = {.size = sizeof info};
    ck_assert_int_eq(pluss_record_get_info(record, &info), PLUSS_OK);
    ck_assert_uint_eq(info.line_bytes, 64);
    ck_assert_uint_eq(info.n_blocks, 1);
    ck_assert_uint_eq(info.lost_runs, 1);
    ck_assert_uint_eq(info.n_objects, 1);
    ck_assert_str_eq(info.objects[0], "/a");
    ck_assert_uint_eq(info.runs, 10);
    ck_assert_uint_eq(info.runs_lost, 3);
    pluss_block_info b = {.size = sizeof b};
    ck_assert_int_eq(pluss_record_get_block(record, 0, &b), PLUSS_OK);
    ck_assert_str_eq(b.region, "r");
    ck_assert_str_eq(b.file, "k.c");
    ck_assert_uint_eq(b.line, 4);
    ck_assert_uint_eq(b.team, 2);
    ck_assert_int_eq(b.by, PLUSS_RECORDED_PROFILE);
    ck_assert_uint_eq(b.runs, 2);
    ck_assert_uint_eq(b.accesses, 192);
    ck_assert_uint_eq(b.lost, 3);
    ck_assert_str_eq(b.symbols[0].name, "n");
    ck_assert_int_eq(b.symbols[0].value, 6);
    ck_assert_uint_eq(b.n_places, 2);
    ck_assert_uint_eq(b.addresses[1], 131136);
    ck_assert(b.has_intervals);
    ck_assert_uint_eq(b.n_chunks, 2);
    ck_assert_uint_eq(b.chunks[1].hi, 6);
    ck_assert_int_eq(pluss_record_get_block(record, 1, &b), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_record_get_block(NULL, 0, &b), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_record_get_info(record, NULL), PLUSS_EINVAL);
    info.size = 0;
    ck_assert_int_eq(pluss_record_get_info(record, &info), PLUSS_EINVAL);
}
END_TEST

static void first_curve(const pluss_result *result, const char *engine, uint64_t footprint)
{
    pluss_curve_info curve = {.size = sizeof curve};
    ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(result, 0), &curve), PLUSS_OK);
    ck_assert_str_eq(curve.engine, engine);
    ck_assert_uint_eq(curve.footprint_lines, footprint);
}

START_TEST(nests_and_predictions)
{
    const pluss_nest *nests[] = {nest};
    pluss_nest *bound = NULL, *whole = NULL;
    pluss_result *result = NULL;
    pluss_block_info b = {.size = sizeof b};
    pluss_options *cri = NULL, *o = NULL;
    ck_assert_int_eq(make_options(ctx, "threads=2 model=cri", &cri), PLUSS_OK);
    ck_assert_int_eq(make_options(ctx, "threads=2 progress=sequential schedule=recorded", &o),
                     PLUSS_OK);
    ck_assert_int_eq(pluss_record_nest(ctx, record, 0, 1, nests, 1, &bound), PLUSS_OK);
    /* intervals are the record's: a run's are half of the sums */
    ck_assert_int_eq(pluss_record_predict(ctx, record, 0, bound, cri, &result), PLUSS_OK);
    first_curve(result, "cri", 12);
    pluss_result_free(result);
    /* its chunks: 12 lines, each touched 8 times in a row by the one thread that has it */
    ck_assert_int_eq(pluss_record_get_block(record, 0, &b), PLUSS_OK);
    ck_assert_int_eq(pluss_simulate(ctx, bound, o, &result), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_options_set_chunks(ctx, o, b.chunks, b.n_chunks), PLUSS_OK);
    ck_assert_int_eq(pluss_simulate(ctx, bound, o, &result), PLUSS_OK);
    first_curve(result, "sequential", 12);
    ck_assert_double_eq_tol(pluss_curve_at(pluss_result_get(result, 0), 128), 0.125, 1e-12);
    pluss_result_free(result);
    /* ten runs, at two places */
    ck_assert_int_eq(pluss_record_program(ctx, record, nests, 1, &whole), PLUSS_OK);
    pluss_options_free(o);
    ck_assert_int_eq(make_options(ctx, "threads=2", &o), PLUSS_OK);
    ck_assert_int_eq(pluss_simulate(ctx, whole, o, &result), PLUSS_OK);
    first_curve(result, "uniform", 24);
    pluss_result_free(result);
    pluss_options_free(o);
    pluss_options_free(cri);
    pluss_nest_free(bound);
    pluss_nest_free(whole);
}
END_TEST

START_TEST(what_is_refused)
{
    const pluss_nest *nests[] = {nest, NULL};
    pluss_nest *made = NULL;
    pluss_record *none = NULL;
    pluss_result *result = NULL;
    ck_assert_int_eq(pluss_record_parse(NULL, "", 0, NULL, &none), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_record_parse(ctx, NULL, 0, NULL, &none), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_record_parse(ctx, "", 0, NULL, &none), PLUSS_EFORMAT);
    ck_assert_int_eq(pluss_record_read(ctx, "/nonexistent/file", &none), PLUSS_EIO);
    ck_assert_int_eq(pluss_record_read(ctx, NULL, &none), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_record_nest(ctx, record, 0, 2, nests, 1, &made), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_record_nest(ctx, record, 1, 0, nests, 1, &made), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_record_nest(ctx, record, 0, 0, nests, 2, &made), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_record_nest(ctx, record, 0, 0, NULL, 1, &made), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_record_nest(ctx, record, 0, 0, NULL, 0, &made), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_record_program(ctx, record, NULL, 0, &made), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_record_program(ctx, NULL, nests, 1, &made), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_record_predict(ctx, record, 1, nest, NULL, &result), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_record_predict(ctx, record, 0, NULL, NULL, &result), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_record_predict(ctx, record, 0, nest, NULL, &result), PLUSS_EUNBOUND);
    ck_assert_int_eq(pluss_record_simulate(ctx, record, 0, &result), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_record_simulate(ctx, record, 1, &result), PLUSS_ENOTFOUND);
    ck_assert_int_eq(pluss_record_simulate(ctx, record, 0, NULL), PLUSS_EINVAL);
    ck_assert_ptr_null(made);
    ck_assert_ptr_null(result);
    ck_assert_ptr_null(none);
    pluss_record_free(NULL);
    ck_assert(pluss_has_feature("record"));
}
END_TEST

static Suite *record_calls_suite(void)
{
    Suite *suite = suite_create("record_calls");
    TCase *tc = tcase_create("record_calls");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, what_is_in_it);
    tcase_add_test(tc, nests_and_predictions);
    tcase_add_test(tc, what_is_refused);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(record_calls_suite())
