/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every function of the C interface, called wrongly: NULL for each required parameter, numbers out
 * of range, options that are not well formed, one row a call. A row passes where the call gives the
 * status that is wanted, says why in its context, and leaves what it would have given as it was.
 * Each runs in a process of its own, so that one that crashes is named.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "option_text.h"
#include "suite.h"

/* ---- what calls need --------------------------------------------------------------------------
 */

static const char TEXT[] = "pluss-nest 1\n"
                           "region r \"r.c\":4\n"
                           "symbol n\n"
                           "array i32 X[16]\n"
                           "array f64 A[n][n]\n"
                           "parallel for i in 0..n {\n"
                           "  for j in 0..n { read X[j] read A[i][j] write A[j][i] }\n"
                           "}\n";
static const char RECORD[] = "pluss-record 3\nline 64\nlost-runs 0\nobject \"/a\"\n"
                             "region \"r\" \"r.c\":4 team 2 runs 1 lost 0 by bind\n"
                             "symbol \"n\" 16\nend\n"
                             "sequence lost 0\nend\n";

static pluss_context *ctx;
static pluss_nest *nest;
static pluss_nests *nests;
static pluss_result *result;
static const pluss_curve *curve;
static pluss_record *record;
static pluss_pri *pri;
static pluss_builder *builder;
static pluss_gaps *gaps;
static pluss_calibration *calibration;
static pluss_machine_file *machine;
static pluss_report *report;
static pluss_comparison *comparison;

static pluss_options *good;

static const int64_t numbers[] = {1, 2};

#define GOOD "define=n=16"

static void setup(void)
{
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    ck_assert_int_eq(pluss_nest_parse(ctx, TEXT, strlen(TEXT), "r", &nest), PLUSS_OK);
    ck_assert_int_eq(make_options(ctx, GOOD " threads=2", &good), PLUSS_OK);
    ck_assert_int_eq(pluss_simulate(ctx, nest, good, &result), PLUSS_OK);
    curve = pluss_result_get(result, 0);
    ck_assert_int_eq(pluss_record_parse(ctx, RECORD, strlen(RECORD), "record", &record), PLUSS_OK);
    ck_assert_int_eq(pluss_pri_collect(ctx, nest, good, &pri), PLUSS_OK);
    ck_assert_int_eq(pluss_builder_new(ctx, NULL, &builder), PLUSS_OK);
    ck_assert_int_eq(pluss_gaps_new(ctx, NULL, &gaps), PLUSS_OK);
    ck_assert_int_eq(pluss_calibration_new(ctx, NULL, &calibration), PLUSS_OK);
    ck_assert_int_eq(pluss_machine_file_read(ctx, NULL, &machine), PLUSS_OK);
    ck_assert_int_eq(pluss_result_report(ctx, result, NULL, &report), PLUSS_OK);
    ck_assert_int_eq(pluss_result_compare(ctx, result, result, NULL, &comparison), PLUSS_OK);
    nests = NULL;
    pluss_context_clear(ctx);
}

static void teardown(void)
{
    pluss_options_free(good);
    pluss_report_free(report);
    pluss_comparison_free(comparison);
    pluss_gaps_free(gaps);
    pluss_calibration_free(calibration);
    pluss_machine_file_free(machine);
    pluss_builder_free(builder);
    pluss_pri_free(pri);
    pluss_record_free(record);
    pluss_result_free(result);
    pluss_nest_free(nest);
    pluss_context_free(ctx);
}

static int sink(void *user, const char *data, size_t length)
{
    (void)user;
    (void)data;
    (void)length;
    return 0;
}

static int full(void *user, const char *data, size_t length)
{
    (void)user;
    (void)data;
    (void)length;
    return 1;
}

/* ---- rows -------------------------------------------------------------------------------------
 */

/* Results that must stay as they are. */
static char untouched;
#define UNTOUCHED (void *)&untouched
static pluss_nest *nest_out;
static pluss_nests *nests_out;
static pluss_result *result_out;
static pluss_record *record_out;
static pluss_pri *pri_out;
static pluss_report *report_out;
static pluss_comparison *comparison_out;
static uint32_t threads_out = 7;
static pluss_timelines *timelines_out;
static pluss_builder *builder_out;
static pluss_gaps *gaps_out;
static pluss_context *context_out;
static pluss_options *options_out;
static pluss_machine_file *machine_out;
static pluss_calibration *calibration_out;

static void judge(const char *call, pluss_status want, pluss_status got, bool told)
{
    pluss_diagnostic d = {.size = sizeof d};
    ck_assert_msg(got == want, "%s: %s, not %s", call, pluss_status_name(got),
                  pluss_status_name(want));
    size_t n = pluss_context_diagnostic_count(ctx);
    ck_assert_msg(n > 0 || !told, "%s: no message", call);
    if (n > 0) {
        ck_assert_int_eq(pluss_context_diagnostic(ctx, n - 1, &d), PLUSS_OK);
        ck_assert_msg(d.severity == PLUSS_ERROR && d.status == want && *d.text,
                      "%s: another message: %s", call, d.text);
    }
    ck_assert_msg(
        nest_out == UNTOUCHED && nests_out == UNTOUCHED && result_out == UNTOUCHED &&
            record_out == UNTOUCHED && pri_out == UNTOUCHED && timelines_out == UNTOUCHED &&
            builder_out == UNTOUCHED && gaps_out == UNTOUCHED && context_out == UNTOUCHED &&
            calibration_out == UNTOUCHED && options_out == UNTOUCHED && machine_out == UNTOUCHED &&
            report_out == UNTOUCHED && comparison_out == UNTOUCHED && threads_out == 7,
        "%s: a result was given", call);
}

/* TOLD: there is a context that has the message; SILENT: there is none. The rows are counted with
 * wanted < 0. */
#define ROW(told, want, ...)                                                                       \
    if (n++ == wanted)                                                                             \
    judge(#__VA_ARGS__, want, __VA_ARGS__, told)
#define TOLD(want, ...) ROW(true, want, __VA_ARGS__)
#define SILENT(want, ...) ROW(false, want, __VA_ARGS__)

static int parameters(int wanted)
{
    int n = 0;
    const pluss_nest *const list[] = {nest, NULL};
    pluss_diagnostic d = {.size = sizeof d};
    pluss_nest_info nest_info = {.size = sizeof nest_info};
    pluss_region_info region = {.size = sizeof region};
    pluss_symbol_info symbol = {.size = sizeof symbol};
    pluss_array_info array = {.size = sizeof array};
    pluss_loop_info loop = {.size = sizeof loop};
    pluss_ref_info ref = {.size = sizeof ref};
    pluss_unknown_info unknown = {.size = sizeof unknown};
    pluss_curve_info curve_info = {.size = sizeof curve_info};
    pluss_model_info model = {.size = sizeof model};
    pluss_format_info format = {.size = sizeof format};
    pluss_comparison_info comparison_info = {.size = sizeof comparison_info};
    pluss_record_info record_info = {.size = sizeof record_info};
    pluss_block_info block = {.size = sizeof block};
    pluss_knee_info knee = {.size = sizeof knee};
    pluss_reuse_info reuse = {.size = sizeof reuse};
    pluss_level_info level = {.size = sizeof level};
    pluss_level_reference reference = {.size = sizeof reference};
    pluss_timelines_info timeline = {.size = sizeof timeline};
    pluss_calibration_info calibrated = {.size = sizeof calibrated};
    pluss_pri_info pri_info = {.size = sizeof pri_info};
    pluss_difference difference = {.size = sizeof difference};
    pluss_gaps_info gaps_info = {.size = sizeof gaps_info};
    pluss_gaps_test test = {.size = sizeof test};
    const size_t length = strlen(TEXT);

    SILENT(PLUSS_EINVAL, pluss_context_new(NULL, NULL));
    SILENT(PLUSS_EINVAL, pluss_context_new(&(pluss_context_options){.size = 0}, &context_out));
    SILENT(PLUSS_EINVAL,
           pluss_context_new(&(pluss_context_options){.size = SIZE_MAX}, &context_out));
    SILENT(PLUSS_EINVAL, pluss_context_diagnostic(NULL, 0, &d));
    SILENT(PLUSS_EINVAL, pluss_context_diagnostic(ctx, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_context_diagnostic(ctx, 0, &d));
    SILENT(PLUSS_ENOTFOUND, pluss_context_diagnostic(ctx, SIZE_MAX, &d));

    SILENT(PLUSS_EINVAL, pluss_nest_parse(NULL, TEXT, length, "r", &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_parse(ctx, NULL, 0, "r", &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_parse(ctx, TEXT, length, "r", NULL));
    TOLD(PLUSS_EPARSE, pluss_nest_parse(ctx, TEXT, 0, NULL, &nest_out));
    TOLD(PLUSS_EPARSE, pluss_nest_parse(ctx, TEXT, length - 3, NULL, &nest_out));
    SILENT(PLUSS_EINVAL, pluss_nest_write(NULL, nest, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_write(ctx, NULL, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_write(ctx, nest, NULL, NULL));
    TOLD(PLUSS_EIO, pluss_nest_write(ctx, nest, full, NULL));
    SILENT(PLUSS_EINVAL, pluss_nest_write_annotated(NULL, nest, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_write_annotated(ctx, NULL, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_write_annotated(ctx, nest, NULL, NULL));
    TOLD(PLUSS_EIO, pluss_nest_write_annotated(ctx, nest, full, NULL));
    SILENT(PLUSS_EINVAL, pluss_nests_read(NULL, "r", &nests_out));
    TOLD(PLUSS_EINVAL, pluss_nests_read(ctx, NULL, &nests_out));
    TOLD(PLUSS_EINVAL, pluss_nests_read(ctx, "r", NULL));
    TOLD(PLUSS_EIO, pluss_nests_read(ctx, "", &nests_out));
    TOLD(PLUSS_EIO, pluss_nests_read(ctx, "/", &nests_out));
    SILENT(PLUSS_EINVAL, pluss_trace_pack(NULL, "r", NULL, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_trace_pack(ctx, NULL, NULL, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_trace_pack(ctx, "r", NULL, NULL, NULL));
    TOLD(PLUSS_EIO, pluss_trace_pack(ctx, "", NULL, sink, NULL));
    pluss_sweep *sweep_out = NULL;
    pluss_sweep_info sweep_info = {.size = sizeof sweep_info};
    SILENT(PLUSS_EINVAL, pluss_sweep_parse(NULL, "", 0, NULL, &sweep_out));
    TOLD(PLUSS_EINVAL, pluss_sweep_parse(ctx, NULL, 1, NULL, &sweep_out));
    TOLD(PLUSS_EINVAL, pluss_sweep_parse(ctx, "", 0, NULL, NULL));
    TOLD(PLUSS_EINVAL, pluss_sweep_parse(ctx, "", 0, NULL, &sweep_out));
    TOLD(PLUSS_EINVAL, pluss_sweep_parse(ctx, "files", 5, NULL, &sweep_out));
    SILENT(PLUSS_EINVAL, pluss_sweep_get_info(NULL, &sweep_info));
    SILENT(PLUSS_EINVAL, pluss_sweep_report(NULL, sweep_out, 0, NULL, &report_out));
    TOLD(PLUSS_EINVAL, pluss_sweep_report(ctx, sweep_out, 0, NULL, &report_out));
    SILENT(PLUSS_EINVAL, pluss_trace_generate(NULL, "lines=4", sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_trace_generate(ctx, NULL, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_trace_generate(ctx, "lines=4", NULL, NULL));
    TOLD(PLUSS_EINVAL, pluss_trace_generate(ctx, "", sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_trace_generate(ctx, "lines=4:seed=1x", sink, NULL));
    TOLD(PLUSS_EIO, pluss_trace_generate(ctx, "lines=4:accesses=9", full, NULL));
    const pluss_ranks no_ranks = {.size = sizeof no_ranks};
    SILENT(PLUSS_EINVAL, pluss_context_set_ranks(NULL, &no_ranks));
    TOLD(PLUSS_EINVAL, pluss_context_set_ranks(ctx, &no_ranks));
    if (wanted >= 0)
        ck_assert_int_eq(pluss_context_set_ranks(ctx, NULL), PLUSS_OK);
    SILENT(PLUSS_EINVAL, pluss_ranks_serve(NULL, &no_ranks));
    TOLD(PLUSS_EINVAL, pluss_ranks_serve(ctx, &no_ranks));
    TOLD(PLUSS_EINVAL, pluss_ranks_serve(ctx, NULL));
    SILENT(PLUSS_EINVAL, pluss_trace_count_threads(NULL, "r", &threads_out));
    TOLD(PLUSS_EINVAL, pluss_trace_count_threads(ctx, NULL, &threads_out));
    TOLD(PLUSS_EINVAL, pluss_trace_count_threads(ctx, "r", NULL));
    TOLD(PLUSS_EIO, pluss_trace_count_threads(ctx, "", &threads_out));
    SILENT(PLUSS_EINVAL, pluss_nests_predict(NULL, nests, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_nests_predict(ctx, NULL, good, &result_out));
    SILENT(PLUSS_EINVAL, pluss_nests_simulate(NULL, nests, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_nests_simulate(ctx, NULL, good, &result_out));
    SILENT(PLUSS_EINVAL, pluss_result_get_missing(NULL));
    SILENT(PLUSS_EINVAL, pluss_nest_extract(NULL, nest, 0, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_extract(ctx, NULL, 0, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_extract(ctx, nest, 0, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_nest_extract(ctx, nest, 1, &nest_out));
    TOLD(PLUSS_ENOTFOUND, pluss_nest_extract(ctx, nest, UINT32_MAX, &nest_out));
    SILENT(PLUSS_EINVAL, pluss_nest_join(NULL, list, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_join(ctx, NULL, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_join(ctx, list, 1, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_join(ctx, list, 2, &nest_out));
    static const char *const no_trace[] = {NULL}, *const one_trace[] = {"/no/such/trace"};
    static const int64_t one_value[] = {1};
    SILENT(PLUSS_EINVAL, pluss_nest_fold(NULL, one_trace, 1, NULL, 0, NULL, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_fold(ctx, NULL, 1, NULL, 0, NULL, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_fold(ctx, no_trace, 1, NULL, 0, NULL, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_fold(ctx, one_trace, 1, NULL, 1, one_value, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_fold(ctx, one_trace, 1, one_trace, 1, NULL, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_fold(ctx, one_trace, 1, NULL, 0, NULL, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_fold(ctx, NULL, 0, NULL, 0, NULL, &nest_out));
    TOLD(PLUSS_EIO, pluss_nest_fold(ctx, one_trace, 1, NULL, 0, NULL, &nest_out));
    static const char *const pad[] = {"pad:A=8"}, *const no_step[] = {"pad"};
    SILENT(PLUSS_EINVAL, pluss_nest_transform(NULL, nest, pad, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_transform(ctx, NULL, pad, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_transform(ctx, nest, NULL, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_transform(ctx, nest, no_trace, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_transform(ctx, nest, pad, 1, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_transform(ctx, nest, no_step, 1, &nest_out));
    pluss_advice *advice_out = NULL;
    pluss_advice_info advice_info = {.size = sizeof advice_info};
    SILENT(PLUSS_EINVAL, pluss_nests_advise(NULL, nests, good, &advice_out));
    TOLD(PLUSS_EINVAL, pluss_nests_advise(ctx, NULL, good, &advice_out));
    TOLD(PLUSS_EINVAL, pluss_nests_advise(ctx, nests, good, NULL));
    SILENT(PLUSS_EINVAL, pluss_advice_get(NULL, 0, &advice_info));
    SILENT(PLUSS_EINVAL, pluss_advice_get_missing(NULL));
    SILENT(PLUSS_EINVAL, pluss_advice_report(NULL, NULL, "", &report_out));
    TOLD(PLUSS_EINVAL, pluss_advice_report(ctx, NULL, "", &report_out));
    pluss_machine_costs costs = {.size = sizeof costs, .cycle_ns = 1};
    SILENT(PLUSS_EINVAL, pluss_machine_file_put_costs(NULL, machine, &costs));
    TOLD(PLUSS_EINVAL, pluss_machine_file_put_costs(ctx, NULL, &costs));
    TOLD(PLUSS_EINVAL, pluss_machine_file_put_costs(ctx, machine, NULL));
    TOLD(PLUSS_EINVAL, pluss_machine_file_put_costs(ctx, machine, &costs)); /* no operations */
    costs.n_operations = 1;
    TOLD(PLUSS_EINVAL, pluss_machine_file_put_costs(ctx, machine, &costs));
    const pluss_operation_cost no_group = {.group = "add"};
    costs.operations = &no_group;
    TOLD(PLUSS_EINVAL, pluss_machine_file_put_costs(ctx, machine, &costs));
    costs.cycle_ns = 0;
    TOLD(PLUSS_ERANGE, pluss_machine_file_put_costs(ctx, machine, &costs));
    pluss_times *times_out = NULL;
    pluss_time_info time_info = {.size = sizeof time_info};
    SILENT(PLUSS_EINVAL, pluss_nests_time(NULL, nests, good, &times_out));
    TOLD(PLUSS_EINVAL, pluss_nests_time(ctx, NULL, good, &times_out));
    TOLD(PLUSS_EINVAL, pluss_nests_time(ctx, nests, good, NULL));
    SILENT(PLUSS_EINVAL, pluss_times_get(NULL, 0, &time_info));
    SILENT(PLUSS_EINVAL, pluss_times_get_missing(NULL));
    SILENT(PLUSS_EINVAL, pluss_times_report(NULL, NULL, &report_out));
    TOLD(PLUSS_EINVAL, pluss_times_report(ctx, NULL, &report_out));
    const pluss_contents x[] = {{"X", numbers, 2}}, no_array[] = {{NULL, numbers, 2}};
    const pluss_contents no_values[] = {{"X", NULL, 2}}, other[] = {{"Y", numbers, 2}};
    const pluss_contents real[] = {{"A", numbers, 2}};
    SILENT(PLUSS_EINVAL, pluss_nest_with_contents(NULL, nest, x, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_with_contents(ctx, NULL, x, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_with_contents(ctx, nest, NULL, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_with_contents(ctx, nest, x, 1, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_with_contents(ctx, nest, no_array, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_nest_with_contents(ctx, nest, no_values, 1, &nest_out));
    TOLD(PLUSS_ENOTFOUND, pluss_nest_with_contents(ctx, nest, other, 1, &nest_out));
    TOLD(PLUSS_EINVALID, pluss_nest_with_contents(ctx, nest, x, 1, &nest_out));
    TOLD(PLUSS_EINVALID, pluss_nest_with_contents(ctx, nest, real, 1, &nest_out));

#define LOOK(function, info)                                                                       \
    SILENT(PLUSS_EINVAL, function(NULL, 0, &info));                                                \
    SILENT(PLUSS_EINVAL, function(nest, 0, NULL));                                                 \
    SILENT(PLUSS_ENOTFOUND, function(nest, 99, &info));                                            \
    SILENT(PLUSS_ENOTFOUND, function(nest, UINT32_MAX, &info))
    SILENT(PLUSS_EINVAL, pluss_nest_get_info(NULL, &nest_info));
    SILENT(PLUSS_EINVAL, pluss_nest_get_info(nest, NULL));
    LOOK(pluss_nest_get_region, region);
    LOOK(pluss_nest_get_symbol, symbol);
    LOOK(pluss_nest_get_array, array);
    LOOK(pluss_nest_get_loop, loop);
    LOOK(pluss_nest_get_ref, ref);
    LOOK(pluss_nest_get_unknown, unknown);

    SILENT(PLUSS_EINVAL, pluss_builder_new(NULL, "", &builder_out));
    TOLD(PLUSS_EINVAL, pluss_builder_new(ctx, "", NULL));
    SILENT(PLUSS_EINVAL, pluss_builder_finish(NULL, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_builder_finish(builder, NULL));

    SILENT(PLUSS_EINVAL, pluss_model_get(0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_model_get(SIZE_MAX, &model));
    pluss_progress_info law = {.size = sizeof law};
    SILENT(PLUSS_EINVAL, pluss_progress_get(0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_progress_get(SIZE_MAX, &law));
    SILENT(PLUSS_EINVAL, pluss_predict(NULL, nest, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_predict(ctx, NULL, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_predict(ctx, nest, good, NULL));
    TOLD(PLUSS_EUNBOUND, pluss_predict(ctx, nest, NULL, &result_out));
    SILENT(PLUSS_EINVAL, pluss_simulate(NULL, nest, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_simulate(ctx, NULL, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_simulate(ctx, nest, good, NULL));
    TOLD(PLUSS_EUNBOUND, pluss_simulate(ctx, nest, NULL, &result_out));
    SILENT(PLUSS_EINVAL, pluss_pri_collect(NULL, nest, good, &pri_out));
    TOLD(PLUSS_EINVAL, pluss_pri_collect(ctx, NULL, good, &pri_out));
    TOLD(PLUSS_EINVAL, pluss_pri_collect(ctx, nest, good, NULL));
    TOLD(PLUSS_EUNBOUND, pluss_pri_collect(ctx, nest, NULL, &pri_out));
    SILENT(PLUSS_EINVAL, pluss_pri_get(NULL, 0, &pri_info));
    SILENT(PLUSS_EINVAL, pluss_pri_get(pri, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_pri_get(pri, 3, &pri_info));

    SILENT(PLUSS_EINVAL, pluss_result_append(NULL, result, result));
    TOLD(PLUSS_EINVAL, pluss_result_append(ctx, NULL, result));
    TOLD(PLUSS_EINVAL, pluss_result_append(ctx, result, NULL));
    TOLD(PLUSS_EINVAL, pluss_result_append(ctx, result, result));
    SILENT(PLUSS_EINVAL, pluss_curve_get_info(NULL, &curve_info));
    SILENT(PLUSS_EINVAL, pluss_curve_get_info(curve, NULL));
    SILENT(PLUSS_EINVAL, pluss_curve_get_knee(NULL, 0, &knee));
    SILENT(PLUSS_EINVAL, pluss_curve_get_knee(curve, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_curve_get_knee(curve, 0, &knee));
    SILENT(PLUSS_EINVAL, pluss_curve_get_reuse(NULL, 0, 0, &reuse));
    SILENT(PLUSS_EINVAL, pluss_curve_get_reuse(curve, 0, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_curve_get_reuse(curve, 0, 0, &reuse));
    SILENT(PLUSS_EINVAL, pluss_result_get_level(NULL, 0, &level));
    SILENT(PLUSS_EINVAL, pluss_result_get_level(result, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_result_get_level(result, 0, &level));
    SILENT(PLUSS_EINVAL, pluss_result_get_level_reference(NULL, 0, 0, &reference));
    SILENT(PLUSS_EINVAL, pluss_result_get_level_reference(result, 0, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_result_get_level_reference(result, 0, 0, &reference));
    pluss_level_thread level_thread = {.size = sizeof level_thread};
    SILENT(PLUSS_EINVAL, pluss_result_get_level_thread(NULL, 0, 0, &level_thread));
    SILENT(PLUSS_EINVAL, pluss_result_get_level_thread(result, 0, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_result_get_level_thread(result, 0, 0, &level_thread));
    pluss_level_group group = {.size = sizeof group};
    SILENT(PLUSS_EINVAL, pluss_result_get_level_group(NULL, 0, PLUSS_BY_ARRAY, 0, &group));
    SILENT(PLUSS_EINVAL, pluss_result_get_level_group(result, 0, PLUSS_BY_LOOP, 0, NULL));
    SILENT(PLUSS_EINVAL,
           pluss_result_get_level_group(result, 0, (pluss_level_grouping)2, 0, &group));
    SILENT(PLUSS_ENOTFOUND, pluss_result_get_level_group(result, 0, PLUSS_BY_ARRAY, 0, &group));

    const pluss_report_options no_caches = {.size = sizeof no_caches, .n_caches = 1};
    const pluss_report_options no_size = {.n_caches = 1};
    SILENT(PLUSS_EINVAL, pluss_result_report(NULL, result, NULL, &report_out));
    TOLD(PLUSS_EINVAL, pluss_result_report(ctx, NULL, NULL, &report_out));
    TOLD(PLUSS_EINVAL, pluss_result_report(ctx, result, NULL, NULL));
    TOLD(PLUSS_EINVAL, pluss_result_report(ctx, result, &no_caches, &report_out));
    TOLD(PLUSS_EINVAL, pluss_result_report(ctx, result, &no_size, &report_out));
    const pluss_nest *const nothing[] = {NULL};
    const char *const nameless_region[] = {NULL};
    SILENT(PLUSS_EINVAL, pluss_nest_report(NULL, list, 1, NULL, 0, &report_out));
    TOLD(PLUSS_EINVAL, pluss_nest_report(ctx, NULL, 1, NULL, 0, &report_out));
    TOLD(PLUSS_EINVAL, pluss_nest_report(ctx, nothing, 1, NULL, 0, &report_out));
    TOLD(PLUSS_EINVAL, pluss_nest_report(ctx, list, 1, NULL, 1, &report_out));
    TOLD(PLUSS_EINVAL, pluss_nest_report(ctx, list, 1, nameless_region, 1, &report_out));
    TOLD(PLUSS_EINVAL, pluss_nest_report(ctx, list, 1, NULL, 0, NULL));
    const pluss_machine_cache unnamed = {.bytes = 1}, odd = {.name = "L1", .type = 3};
    const pluss_machine_info no_list = {.size = sizeof no_list, .n_caches = 1};
    const pluss_machine_info no_name = {sizeof no_name, NULL, 1, 1, &unnamed, 1};
    const pluss_machine_info no_type = {sizeof no_type, NULL, 1, 1, &odd, 1};
    SILENT(PLUSS_EINVAL, pluss_machine_report(NULL, &no_list, &report_out));
    TOLD(PLUSS_EINVAL, pluss_machine_report(ctx, NULL, &report_out));
    TOLD(PLUSS_EINVAL, pluss_machine_report(ctx, &no_list, &report_out));
    TOLD(PLUSS_EINVAL, pluss_machine_report(ctx, &no_name, &report_out));
    TOLD(PLUSS_EINVAL, pluss_machine_report(ctx, &no_type, &report_out));
    SILENT(PLUSS_EINVAL, pluss_machine_file_report(NULL, machine, &report_out));
    TOLD(PLUSS_EINVAL, pluss_machine_file_report(ctx, NULL, &report_out));
    TOLD(PLUSS_EINVAL, pluss_machine_file_report(ctx, machine, NULL));
    TOLD(PLUSS_EEMPTY, pluss_machine_file_report(ctx, machine, &report_out));
    SILENT(PLUSS_EINVAL, pluss_gaps_report(NULL, &report_out));
    TOLD(PLUSS_EINVAL, pluss_gaps_report(gaps, &report_out));

    size_t printed = 0;
    const pluss_write_options no_table = {.size = sizeof no_table, .table = "x"};
    const pluss_write_options sizeless = {.table = "x"};
    SILENT(PLUSS_EINVAL, pluss_report_format_get(0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_report_format_get(SIZE_MAX, &format));
    SILENT(PLUSS_EINVAL, pluss_report_write(NULL, report, "text", NULL, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_report_write(ctx, NULL, "text", NULL, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_report_write(ctx, report, NULL, NULL, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_report_write(ctx, report, "text", NULL, NULL, NULL));
    TOLD(PLUSS_EINVAL, pluss_report_write(ctx, report, "csv", &sizeless, sink, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_report_write(ctx, report, "csv", &no_table, sink, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_report_write(ctx, report, "", NULL, sink, NULL));
    TOLD(PLUSS_EIO, pluss_report_write(ctx, report, "text", NULL, full, NULL));
    TOLD(PLUSS_EIO, pluss_report_write(ctx, report, "json", NULL, full, NULL));
    TOLD(PLUSS_EIO, pluss_report_write(ctx, report, "csv", NULL, full, NULL));
    SILENT(PLUSS_EINVAL, pluss_report_print(NULL, report, "text", NULL, NULL, 0, &printed));
    TOLD(PLUSS_EINVAL, pluss_report_print(ctx, NULL, "text", NULL, NULL, 0, &printed));
    TOLD(PLUSS_EINVAL, pluss_report_print(ctx, report, NULL, NULL, NULL, 0, &printed));
    TOLD(PLUSS_EINVAL, pluss_report_print(ctx, report, "text", NULL, NULL, 1, &printed));
    TOLD(PLUSS_EINVAL, pluss_report_print(ctx, report, "text", NULL, NULL, 0, NULL));

    const pluss_compare_options no_grid = {.size = sizeof no_grid, .grid = (pluss_grid)2};
    const pluss_compare_options no_such_size = {.grid = PLUSS_GRID_PAPER};
    SILENT(PLUSS_EINVAL, pluss_result_compare(NULL, result, result, NULL, &comparison_out));
    TOLD(PLUSS_EINVAL, pluss_result_compare(ctx, NULL, result, NULL, &comparison_out));
    TOLD(PLUSS_EINVAL, pluss_result_compare(ctx, result, NULL, NULL, &comparison_out));
    TOLD(PLUSS_EINVAL, pluss_result_compare(ctx, result, result, NULL, NULL));
    TOLD(PLUSS_EINVAL, pluss_result_compare(ctx, result, result, &no_grid, &comparison_out));
    TOLD(PLUSS_EINVAL, pluss_result_compare(ctx, result, result, &no_such_size, &comparison_out));
    SILENT(PLUSS_EINVAL, pluss_comparison_get_info(NULL, &comparison_info));
    SILENT(PLUSS_EINVAL, pluss_comparison_get_info(comparison, NULL));
    SILENT(PLUSS_EINVAL, pluss_comparison_get(NULL, 0, &difference));
    SILENT(PLUSS_EINVAL, pluss_comparison_get(comparison, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_comparison_get(comparison, 1, &difference));
    pluss_level_difference of_level = {.size = sizeof of_level};
    SILENT(PLUSS_EINVAL, pluss_comparison_get_level(NULL, 0, &of_level));
    SILENT(PLUSS_EINVAL, pluss_comparison_get_level(comparison, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_comparison_get_level(comparison, 1, &of_level));
    SILENT(PLUSS_EINVAL, pluss_comparison_report(NULL, comparison, &report_out));
    TOLD(PLUSS_EINVAL, pluss_comparison_report(ctx, NULL, &report_out));
    TOLD(PLUSS_EINVAL, pluss_comparison_report(ctx, comparison, NULL));
    SILENT(PLUSS_EINVAL, pluss_result_read(NULL, "{}", 2, NULL, &result_out));
    TOLD(PLUSS_EINVAL, pluss_result_read(ctx, NULL, 2, NULL, &result_out));
    TOLD(PLUSS_EINVAL, pluss_result_read(ctx, "{}", 2, NULL, NULL));
    TOLD(PLUSS_EFORMAT, pluss_result_read(ctx, "{}", 2, NULL, &result_out));
    TOLD(PLUSS_EFORMAT, pluss_result_read(ctx, "", 0, NULL, &result_out));
    SILENT(PLUSS_EINVAL, pluss_curve_compare(NULL, curve, curve, PLUSS_GRID_STRICT, &difference));
    TOLD(PLUSS_EINVAL, pluss_curve_compare(ctx, NULL, curve, PLUSS_GRID_STRICT, &difference));
    TOLD(PLUSS_EINVAL, pluss_curve_compare(ctx, curve, NULL, PLUSS_GRID_STRICT, &difference));
    TOLD(PLUSS_EINVAL, pluss_curve_compare(ctx, curve, curve, PLUSS_GRID_STRICT, NULL));
    TOLD(PLUSS_EINVAL, pluss_curve_compare(ctx, curve, curve, (pluss_grid)2, &difference));
    TOLD(PLUSS_EINVAL, pluss_curve_compare(ctx, curve, curve, (pluss_grid)-1, &difference));

    SILENT(PLUSS_EINVAL, pluss_record_parse(NULL, RECORD, 1, NULL, &record_out));
    TOLD(PLUSS_EINVAL, pluss_record_parse(ctx, NULL, 1, NULL, &record_out));
    TOLD(PLUSS_EINVAL, pluss_record_parse(ctx, RECORD, 1, NULL, NULL));
    TOLD(PLUSS_EFORMAT, pluss_record_parse(ctx, RECORD, 1, NULL, &record_out));
    TOLD(PLUSS_EFORMAT, pluss_record_parse(ctx, RECORD, 0, NULL, &record_out));
    SILENT(PLUSS_EINVAL, pluss_record_read(NULL, "r", &record_out));
    TOLD(PLUSS_EINVAL, pluss_record_read(ctx, NULL, &record_out));
    TOLD(PLUSS_EINVAL, pluss_record_read(ctx, "r", NULL));
    TOLD(PLUSS_EIO, pluss_record_read(ctx, "", &record_out));
    TOLD(PLUSS_EIO, pluss_record_read(ctx, "/", &record_out));
    SILENT(PLUSS_EINVAL, pluss_record_get_info(NULL, &record_info));
    SILENT(PLUSS_EINVAL, pluss_record_get_info(record, NULL));
    SILENT(PLUSS_EINVAL, pluss_record_get_block(NULL, 0, &block));
    SILENT(PLUSS_EINVAL, pluss_record_get_block(record, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_record_get_block(record, 1, &block));
    SILENT(PLUSS_ENOTFOUND, pluss_record_get_block(record, SIZE_MAX, &block));
    SILENT(PLUSS_EINVAL, pluss_record_nest(NULL, record, 0, 0, list, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_record_nest(ctx, NULL, 0, 0, list, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_record_nest(ctx, record, 0, 0, NULL, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_record_nest(ctx, record, 0, 0, list, 2, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_record_nest(ctx, record, 0, 0, list, 1, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_record_nest(ctx, record, 1, 0, list, 1, &nest_out));
    TOLD(PLUSS_ENOTFOUND, pluss_record_nest(ctx, record, SIZE_MAX, 0, list, 1, &nest_out));
    TOLD(PLUSS_ENOTFOUND, pluss_record_nest(ctx, record, 0, 99, list, 1, &nest_out));
    TOLD(PLUSS_ENOTFOUND, pluss_record_nest(ctx, record, 0, INT64_MIN, list, 1, &nest_out));
    TOLD(PLUSS_ENOTFOUND, pluss_record_nest(ctx, record, 0, -1, NULL, 0, &nest_out));
    SILENT(PLUSS_EINVAL, pluss_record_program(NULL, record, list, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_record_program(ctx, NULL, list, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_record_program(ctx, record, NULL, 1, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_record_program(ctx, record, list, 2, &nest_out));
    TOLD(PLUSS_EINVAL, pluss_record_program(ctx, record, list, 1, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_record_program(ctx, record, list, 1, &nest_out));
    const pluss_nest *const with_hole[] = {nest, NULL};
    SILENT(PLUSS_EINVAL, pluss_record_run(NULL, record, list, 1, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_record_run(ctx, NULL, list, 1, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_record_run(ctx, record, NULL, 1, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_record_run(ctx, record, list, 1, good, NULL));
    TOLD(PLUSS_EINVAL, pluss_record_run(ctx, record, with_hole, 2, good, &result_out));
    TOLD(PLUSS_ENOTFOUND, pluss_record_run(ctx, record, list, 0, good, &result_out));
    TOLD(PLUSS_EIO, pluss_record_run(ctx, record, NULL, 0, good, &result_out));
    SILENT(PLUSS_EINVAL, pluss_record_nests(NULL, record, list, 1, good, &nests_out));
    TOLD(PLUSS_EINVAL, pluss_record_nests(ctx, NULL, list, 1, good, &nests_out));
    TOLD(PLUSS_EINVAL, pluss_record_nests(ctx, record, list, 1, good, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_record_nests(ctx, record, list, 0, good, &nests_out));
    pluss_machine_file_info machine_info = {.size = sizeof machine_info};
    SILENT(PLUSS_EINVAL, pluss_machine_file_read(NULL, NULL, &machine_out));
    TOLD(PLUSS_EINVAL, pluss_machine_file_read(ctx, NULL, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_machine_file_read(ctx, "/nowhere/at/all", &machine_out));
    TOLD(PLUSS_EFORMAT, pluss_machine_file_read(ctx, "/", &machine_out));
    TOLD(PLUSS_EINVAL, pluss_machine_file_put(ctx, NULL, NULL, NULL));
    SILENT(PLUSS_EINVAL, pluss_machine_file_put(NULL, NULL, NULL, NULL));
    const pluss_machine_cache code = {.name = "L1i", .type = PLUSS_CACHE_INSTRUCTION, .level = 1};
    const pluss_machine_info no_data = {sizeof no_data, NULL, 1, 1, &code, 1};
    pluss_cache cache;
    SILENT(PLUSS_EINVAL, pluss_machine_file_put_caches(NULL, machine, &no_data));
    TOLD(PLUSS_EINVAL, pluss_machine_file_put_caches(ctx, NULL, &no_data));
    TOLD(PLUSS_EINVAL, pluss_machine_file_put_caches(ctx, machine, NULL));
    TOLD(PLUSS_EINVAL, pluss_machine_file_put_caches(ctx, machine, &no_data));
    SILENT(PLUSS_EINVAL, pluss_machine_file_get_level(NULL, 0, &cache));
    SILENT(PLUSS_EINVAL, pluss_machine_file_get_level(machine, 0, NULL));
    SILENT(PLUSS_ENOTFOUND, pluss_machine_file_get_level(machine, 0, &cache));
    SILENT(PLUSS_EINVAL, pluss_machine_file_get_info(NULL, &machine_info));
    TOLD(PLUSS_EINVAL, pluss_machine_file_write(ctx, NULL, sink, NULL));
    SILENT(PLUSS_EINVAL, pluss_machine_file_write(NULL, NULL, sink, NULL));
    SILENT(PLUSS_EINVAL, pluss_record_predict(NULL, record, 0, nest, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_record_predict(ctx, NULL, 0, nest, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_record_predict(ctx, record, 0, NULL, good, &result_out));
    TOLD(PLUSS_EINVAL, pluss_record_predict(ctx, record, 0, nest, good, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_record_predict(ctx, record, 1, nest, good, &result_out));
    TOLD(PLUSS_ENOTFOUND, pluss_record_predict(ctx, record, SIZE_MAX, nest, good, &result_out));
    SILENT(PLUSS_EINVAL, pluss_record_simulate(NULL, record, 0, &result_out));
    TOLD(PLUSS_EINVAL, pluss_record_simulate(ctx, NULL, 0, &result_out));
    TOLD(PLUSS_EINVAL, pluss_record_simulate(ctx, record, 0, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_record_simulate(ctx, record, 1, &result_out));
    TOLD(PLUSS_ENOTFOUND, pluss_record_simulate(ctx, record, 0, &result_out));
    pluss_trace_info trace_out = {.size = sizeof trace_out};
    SILENT(PLUSS_EINVAL, pluss_record_get_trace(NULL, record, &trace_out));
    TOLD(PLUSS_EINVAL, pluss_record_get_trace(ctx, NULL, &trace_out));
    TOLD(PLUSS_EINVAL, pluss_record_get_trace(ctx, record, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_record_get_trace(ctx, record, &trace_out));
    SILENT(PLUSS_EINVAL, pluss_timelines_read(NULL, record, 0, list, 1, &timelines_out));
    TOLD(PLUSS_EINVAL, pluss_timelines_read(ctx, NULL, 0, list, 1, &timelines_out));
    TOLD(PLUSS_EINVAL, pluss_timelines_read(ctx, record, 0, NULL, 1, &timelines_out));
    TOLD(PLUSS_EINVAL, pluss_timelines_read(ctx, record, 0, list, 2, &timelines_out));
    TOLD(PLUSS_EINVAL, pluss_timelines_read(ctx, record, 0, list, 1, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_timelines_read(ctx, record, 1, list, 1, &timelines_out));
    TOLD(PLUSS_ENOTFOUND, pluss_timelines_read(ctx, record, 0, list, 1, &timelines_out));
    SILENT(PLUSS_EINVAL, pluss_timelines_get_info(NULL, &timeline));
    uint64_t kept = 0;
    SILENT(PLUSS_EINVAL, pluss_calibration_new(NULL, NULL, &calibration_out));
    TOLD(PLUSS_EINVAL, pluss_calibration_new(ctx, NULL, NULL));
    SILENT(PLUSS_EINVAL, pluss_calibration_add(NULL, record, list, 1));
    TOLD(PLUSS_EINVAL, pluss_calibration_add(calibration, NULL, list, 1));
    TOLD(PLUSS_EINVAL, pluss_calibration_add(calibration, record, NULL, 1));
    TOLD(PLUSS_EINVAL, pluss_calibration_add(calibration, record, with_hole, 2));
    TOLD(PLUSS_EIO, pluss_calibration_add(calibration, record, NULL, 0));
    SILENT(PLUSS_EINVAL, pluss_calibration_count_runs(NULL, &kept));
    TOLD(PLUSS_EINVAL, pluss_calibration_count_runs(calibration, NULL));
    SILENT(PLUSS_EINVAL, pluss_calibration_finish(NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_calibration_finish(calibration));
    SILENT(PLUSS_EINVAL, pluss_calibration_get(NULL, 0, &calibrated));
    SILENT(PLUSS_EINVAL, pluss_calibration_get(calibration, 0, NULL));
    SILENT(PLUSS_EINVAL, pluss_calibration_get(calibration, 0, &calibrated)); /* not finished */
    SILENT(PLUSS_EINVAL, pluss_calibration_report(NULL, NULL, NULL, &report_out));
    TOLD(PLUSS_EINVAL, pluss_calibration_report(calibration, NULL, NULL, NULL));
    TOLD(PLUSS_EINVAL, pluss_calibration_report(calibration, NULL, NULL, &report_out));
    TOLD(PLUSS_EINVAL, pluss_machine_file_put(ctx, machine, calibration, NULL));
    TOLD(PLUSS_EINVAL, pluss_machine_file_put(ctx, machine, NULL, NULL));

    pluss_report *formulas = NULL;
    SILENT(PLUSS_EINVAL, pluss_nests_symbolic(NULL, NULL, NULL, &formulas));
    TOLD(PLUSS_EINVAL, pluss_nests_symbolic(ctx, NULL, NULL, &formulas));
    SILENT(PLUSS_EINVAL, pluss_nests_symbolic_code(NULL, NULL, NULL, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_nests_symbolic_code(ctx, NULL, NULL, sink, NULL));
    SILENT(PLUSS_EINVAL, pluss_nest_codegen(NULL, nest, PLUSS_LANGUAGE_C, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_codegen(ctx, NULL, PLUSS_LANGUAGE_C, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_codegen(ctx, nest, (pluss_language)2, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_codegen(ctx, nest, (pluss_language)-1, sink, NULL));
    TOLD(PLUSS_EINVAL, pluss_nest_codegen(ctx, nest, PLUSS_LANGUAGE_C, NULL, NULL));
    TOLD(PLUSS_EIO, pluss_nest_codegen(ctx, nest, PLUSS_LANGUAGE_C, full, NULL));

    SILENT(PLUSS_EINVAL, pluss_gaps_new(NULL, NULL, &gaps_out));
    TOLD(PLUSS_EINVAL, pluss_gaps_new(ctx, NULL, NULL));
    SILENT(PLUSS_EINVAL, pluss_gaps_add(NULL, record));
    TOLD(PLUSS_EINVAL, pluss_gaps_add(gaps, NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_gaps_add(gaps, record));
    SILENT(PLUSS_EINVAL, pluss_gaps_finish(NULL));
    TOLD(PLUSS_ENOTFOUND, pluss_gaps_finish(gaps));
    SILENT(PLUSS_EINVAL, pluss_gaps_get_info(NULL, &gaps_info));
    SILENT(PLUSS_EINVAL, pluss_gaps_get_info(gaps, NULL));
    SILENT(PLUSS_EINVAL, pluss_gaps_get_info(gaps, &gaps_info)); /* not finished */
    SILENT(PLUSS_EINVAL, pluss_gaps_get_test(NULL, 0, &test));
    SILENT(PLUSS_EINVAL, pluss_gaps_get_test(gaps, 0, NULL));
    SILENT(PLUSS_EINVAL, pluss_gaps_get_test(gaps, 0, &test));
    return n;
}

/* Each option, through each function that takes them; what setters refuse. */
static int options(int wanted)
{
    static const uint32_t none[] = {1, 0};
    static const double one[] = {1}, zero[] = {0}, nan_[] = {NAN};
    static const pluss_chunk chunks[] = {
        {0, 0, 0, 0, 1}, {0, 0, 0, 5, 1}, {9, 0, 0, 0, 16}, {0, 9, 0, 0, 16}};
    static const pluss_loop_rates no_rates[] = {{0, NULL, NULL}};
    static const struct {
        pluss_status want;
        const char *words;
        const pluss_chunk *chunk;
    } rows[] = {
        {PLUSS_ENOTFOUND, "define=m=1 define=n=16", NULL},
        {PLUSS_ERANGE, "define=n=-1", NULL},
        {PLUSS_ERANGE, "define=n=0x7fffffffffffffff", NULL},
        {PLUSS_EINVAL, GOOD " threads=4294967295", NULL},
        {PLUSS_EINVAL, GOOD " threads=2", &chunks[0]},
        {PLUSS_EINVAL, GOOD " threads=2", &chunks[1]},
        {PLUSS_EINVAL, GOOD " threads=2", &chunks[2]},
        {PLUSS_EINVAL, GOOD " threads=2", &chunks[3]},
    };
    enum { N = sizeof rows / sizeof *rows };
    int n = 0;
    for (int i = 0; i < N; i++) {
        char call[80];
        snprintf(call, sizeof call, "options, row %d", i);
        pluss_options *o = NULL;
        pluss_status want = rows[i].want;
        if (wanted >= 0)
            ck_assert_int_eq(make_options(ctx, rows[i].words, &o), PLUSS_OK);
        if (o && rows[i].chunk)
            ck_assert_int_eq(pluss_options_set_chunks(ctx, o, rows[i].chunk, 1), PLUSS_OK);
        if (n++ == wanted)
            judge(call, want, pluss_predict(ctx, nest, o, &result_out), true);
        if (n++ == wanted)
            judge(call, want, pluss_simulate(ctx, nest, o, &result_out), true);
        if (n++ == wanted)
            judge(call, want, pluss_pri_collect(ctx, nest, o, &pri_out), true);
        if (n++ == wanted)
            judge(call, want, pluss_record_predict(ctx, record, 0, nest, o, &result_out), true);
        pluss_options_free(o);
    }
    /* what one of the functions alone takes */
    static const struct {
        const char *words;
        pluss_status (*engine)(pluss_context *, const pluss_nest *, const pluss_options *,
                               pluss_result **);
    } alone[] = {{GOOD " model=cri explain", pluss_predict},
                 {GOOD " progress=sequential", pluss_predict},
                 {GOOD " progress=mixed", pluss_simulate},
                 {GOOD " schedule=recorded", pluss_predict},
                 {GOOD " schedule=recorded", pluss_simulate},
                 {GOOD " progress=recorded", pluss_simulate},
                 {GOOD " progress=recorded", pluss_predict},
                 {GOOD " model=cri progress=mixed", pluss_predict}};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        pluss_options *o = NULL;
        if (wanted >= 0)
            ck_assert_int_eq(make_options(ctx, alone[i].words, &o), PLUSS_OK);
        TOLD(PLUSS_EINVAL, alone[i].engine(ctx, nest, o, &result_out));
        pluss_options_free(o);
    }
    static const pluss_contents array[] = {{NULL, numbers, 2}}, values[] = {{"X", NULL, 2}};
    pluss_option_info info = {.size = sizeof info}, unsized = {.size = 0};
    SILENT(PLUSS_EINVAL, pluss_options_new(NULL, &options_out));
    TOLD(PLUSS_EINVAL, pluss_options_new(ctx, NULL));
    SILENT(PLUSS_EINVAL, pluss_options_copy(NULL, good, &options_out));
    TOLD(PLUSS_EINVAL, pluss_options_copy(ctx, NULL, &options_out));
    TOLD(PLUSS_EINVAL, pluss_options_copy(ctx, good, NULL));
    SILENT(PLUSS_EINVAL, pluss_option_get(0, NULL));
    SILENT(PLUSS_EINVAL, pluss_option_get(0, &unsized));
    SILENT(PLUSS_ENOTFOUND, pluss_option_get(SIZE_MAX, &info));
#define SET(want, name, ...)                                                                       \
    SILENT(PLUSS_EINVAL, pluss_options_##name(NULL, good, __VA_ARGS__));                           \
    TOLD(PLUSS_EINVAL, pluss_options_##name(ctx, NULL, __VA_ARGS__));                              \
    TOLD(want, pluss_options_##name(ctx, good, __VA_ARGS__))
    SET(PLUSS_EINVAL, set, NULL, "1");
    SET(PLUSS_ENOTFOUND, set, "", "1");
    SET(PLUSS_EINVAL, set, "seed", NULL);
    SET(PLUSS_EINVAL, set_integer, NULL, 1);
    SET(PLUSS_ENOTFOUND, set_integer, "nothing", 1);
    SET(PLUSS_EINVAL, set_integer, "threads", 1);
    SET(PLUSS_EINVAL, set_integer, "error", 1);
    SET(PLUSS_ERANGE, set_integer, "line", 63);
    SET(PLUSS_ERANGE, set_integer, "line", INT64_C(1) << 31);
    SET(PLUSS_ERANGE, set_integer, "seed", -1);
    SET(PLUSS_ERANGE, set_integer, "effort", 0);
    SET(PLUSS_ERANGE, set_integer, "collect", INT64_C(1) << 32);
    SET(PLUSS_ERANGE, set_integer, "explain", 2);
    SET(PLUSS_EINVAL, set_real, NULL, 0.5);
    SET(PLUSS_ENOTFOUND, set_real, "nothing", 0.5);
    SET(PLUSS_EINVAL, set_real, "seed", 0.5);
    SET(PLUSS_ERANGE, set_real, "error", 0);
    SET(PLUSS_ERANGE, set_real, "error", -1);
    SET(PLUSS_ERANGE, set_real, "error", 1);
    SET(PLUSS_ERANGE, set_real, "error", NAN);
    SET(PLUSS_EINVAL, set_threads, NULL, 1);
    SET(PLUSS_ERANGE, set_threads, none, 2);
    SET(PLUSS_EINVAL, set_binding, NULL, 1);
    SET(PLUSS_EINVAL, set_binding, "", 1);
    SET(PLUSS_EINVAL, set_schedule, (pluss_schedule)-1, 0);
    SET(PLUSS_EINVAL, set_schedule, (pluss_schedule)5, 0);
    SET(PLUSS_ERANGE, set_schedule, PLUSS_SCHEDULE_AS_WRITTEN, 1);
    SET(PLUSS_ERANGE, set_schedule, PLUSS_SCHEDULE_STATIC, -1);
    SET(PLUSS_ERANGE, set_schedule, PLUSS_SCHEDULE_STATIC, INT64_MIN);
    SET(PLUSS_ERANGE, set_schedule, PLUSS_SCHEDULE_RECORDED, 1);
    SET(PLUSS_EINVAL, set_chunks, NULL, 1);
    SET(PLUSS_EINVAL, set_caches, NULL, 1);
    SET(PLUSS_EINVAL, set_contents, NULL);
    SET(PLUSS_EINVAL, set_contents, array);
    SET(PLUSS_EINVAL, set_contents, values);
    SILENT(PLUSS_EINVAL, pluss_options_set_record(NULL, good, record));
    TOLD(PLUSS_EINVAL, pluss_options_set_record(ctx, NULL, record));
    SILENT(PLUSS_EINVAL, pluss_options_set_levels(NULL, good, machine));
    TOLD(PLUSS_EINVAL, pluss_options_set_levels(ctx, NULL, machine));
    SET(PLUSS_EEMPTY, set_levels, machine);
    SET(PLUSS_EINVAL, add_ways, NULL);
    SET(PLUSS_EIO, set, "record", "/nowhere/at/all");
    SET(PLUSS_ENOTFOUND, set, "machine", "/nowhere/at/all");
    SET(PLUSS_EFORMAT, set, "machine", "/");
    SET(PLUSS_EIO, set, "contents", "X=/nowhere/at/all");
    SET(PLUSS_EINVAL, set, "contents", "X=");
    SET(PLUSS_EINVAL, set_progress, &(pluss_progress){.size = 0});
#define PROGRESS(...) &(pluss_progress){.size = sizeof(pluss_progress), __VA_ARGS__}
#define RATES(...) PROGRESS(.law = "rates", __VA_ARGS__)
    SET(PLUSS_EINVAL, set_progress, PROGRESS(.law = ""));
    SET(PLUSS_EINVAL, set_progress, PROGRESS(.law = "burst:8", .accesses = 8));
    SET(PLUSS_EINVAL, set_progress, PROGRESS(.law = "burst", .accesses = 0.5));
    SET(PLUSS_EINVAL, set_progress, PROGRESS(.law = "burst", .accesses = NAN));
    SET(PLUSS_EINVAL, set_progress, PROGRESS(.law = "slices"));
    SET(PLUSS_EINVAL, set_progress, PROGRESS(.law = "slices", .accesses = INFINITY));
    SET(PLUSS_EINVAL, set_progress, RATES(.sigma = -1));
    SET(PLUSS_EINVAL, set_progress, RATES(.sigma = 11));
    SET(PLUSS_EINVAL, set_progress, RATES(.sigma = NAN));
    SET(PLUSS_EINVAL, set_progress, RATES(.skew = -1));
    SET(PLUSS_EINVAL, set_progress, RATES(.skew = NAN));
    SET(PLUSS_EINVAL, set_progress, RATES(.skew = INFINITY));
    SET(PLUSS_EINVAL, set_progress, RATES(.skew_spread = 11));
    SET(PLUSS_EINVAL, set_progress, RATES(.n_rates = 1));
    SET(PLUSS_EINVAL, set_progress, RATES(.rates = zero, .n_rates = 1));
    SET(PLUSS_EINVAL, set_progress, RATES(.rates = nan_, .n_rates = 1));
    SET(PLUSS_EINVAL, set_progress, RATES(.stall_rate = 2));
    SET(PLUSS_EINVAL, set_progress, RATES(.stall_rate = 0.1, .stall = -1));
    SET(PLUSS_EINVAL, set_progress, RATES(.stall_rate = 0.1, .stall = NAN));
    SET(PLUSS_EINVAL, set_progress, RATES(.rates = one, .n_rates = 1, .n_loops = 1));
    SET(PLUSS_EINVAL, set_progress,
        RATES(.rates = one, .n_rates = 1, .loops = no_rates, .n_loops = 1));
    return n;
}

/* The builder's calls return nothing: one is wrong, and finishing fails. */
static int built(int wanted)
{
    static const char *const text[] = {"n", NULL}, *const no_text[] = {NULL};
    static const uint64_t counts[] = {1}, most[] = {UINT64_MAX};
    int n = 0;
#define BUILT(call)                                                                                \
    if (n++ == wanted) {                                                                           \
        pluss_builder_region(builder, "r", NULL);                                                  \
        pluss_builder_symbol(builder, "n", NULL, NULL);                                            \
        call;                                                                                      \
        judge(#call, PLUSS_EINVAL, pluss_builder_finish(builder, &nest_out), true);                \
    }
#define ARRAY(...)                                                                                 \
    pluss_builder_array(builder, &(pluss_array_spec){.size = sizeof(pluss_array_spec), __VA_ARGS__})
#define LOOP(...)                                                                                  \
    pluss_builder_loop(builder, &(pluss_loop_spec){.size = sizeof(pluss_loop_spec), __VA_ARGS__}); \
    pluss_builder_end(builder)
#define REF(...)                                                                                   \
    pluss_builder_ref(builder, &(pluss_ref_spec){.size = sizeof(pluss_ref_spec), __VA_ARGS__})
    BUILT(pluss_builder_region(builder, NULL, NULL))
    BUILT(pluss_builder_region(builder, "s", ""))
    BUILT(pluss_builder_symbol(builder, NULL, NULL, NULL))
    BUILT(pluss_builder_symbol(builder, "m", NULL, ""))
    BUILT(pluss_builder_array(builder, NULL))
    BUILT(pluss_builder_array(builder, &(pluss_array_spec){.size = 0}))
    BUILT(pluss_builder_array(builder, &(pluss_array_spec){.size = SIZE_MAX}))
    BUILT(ARRAY(.name = "A"))
    BUILT(ARRAY(.element = "f64"))
    BUILT(ARRAY(.element = "f64", .name = "A", .rank = 1))
    BUILT(ARRAY(.element = "f64", .name = "A", .rank = UINT32_MAX, .extents = text))
    BUILT(ARRAY(.element = "f64", .name = "A", .rank = 1, .extents = text, .strides = no_text))
    BUILT(ARRAY(.element = "f64", .name = "A", .base_kind = (pluss_base)9))
    BUILT(ARRAY(.element = "f64", .name = "A", .base_kind = PLUSS_BASE_OVER))
    BUILT(ARRAY(.element = "i32", .name = "A", .rank = 1, .extents = text, .n_values = 1))
    BUILT(pluss_builder_loop(builder, NULL); pluss_builder_end(builder))
    BUILT(LOOP(.iv = NULL, .lo = "0", .hi = "n"))
    BUILT(LOOP(.iv = "i", .lo = NULL, .hi = "n"))
    BUILT(LOOP(.iv = "i", .lo = "0", .hi = NULL))
    BUILT(LOOP(.iv = "i", .lo = "0", .hi = "n", .kind = (pluss_loop_kind)3))
    BUILT(LOOP(.iv = "i", .lo = "0", .hi = "n", .chunk = "4"))
    BUILT(LOOP(.iv = "i", .lo = "0", .hi = "n", .kind = PLUSS_LOOP_PARALLEL, .schedule = "rayon",
               .chunk2 = "4"))
    BUILT(pluss_builder_if(builder, NULL); pluss_builder_end(builder))
    BUILT(pluss_builder_branch(builder, 2); pluss_builder_end(builder))
    BUILT(pluss_builder_branch(builder, NAN); pluss_builder_end(builder))
    BUILT(pluss_builder_block(builder, (pluss_block_kind)5); pluss_builder_end(builder))
    BUILT(pluss_builder_block(builder, (pluss_block_kind)-1); pluss_builder_end(builder))
    BUILT(pluss_builder_parallel(builder, NULL, NULL))
    BUILT(pluss_builder_else(builder))
    BUILT(pluss_builder_end(builder))
    BUILT(pluss_builder_ref(builder, NULL))
    BUILT(REF(.array = NULL))
    BUILT(REF(.array = "A", .n_subscripts = 1))
    BUILT(REF(.array = "A", .n_subscripts = UINT32_MAX, .subscripts = text))
    BUILT(REF(.array = "A", .n_subscripts = 1, .subscripts = no_text))
    BUILT(REF(.array = "A", .first_byte = 1))
    BUILT(REF(.array = "A", .first_byte = INT64_MAX, .bytes = 8))
    BUILT(REF(.array = "A", .bytes = UINT64_MAX))
    BUILT(pluss_builder_swap(builder, NULL, "A"))
    BUILT(pluss_builder_swap(builder, "A", NULL))
    BUILT(pluss_builder_ops(builder, NULL, counts, 1))
    BUILT(pluss_builder_ops(builder, text, NULL, 1))
    BUILT(pluss_builder_ops(builder, text, counts, 0))
    BUILT(pluss_builder_ops(builder, no_text, counts, 1))
    BUILT(pluss_builder_ops(builder, text, most, 1))
    BUILT(pluss_builder_unknown(builder, NULL, NULL, "x"))
    return n;
}

typedef int (*rows_fn)(int wanted);

static void run_row(rows_fn rows, int i)
{
    nest_out = UNTOUCHED;
    nests_out = UNTOUCHED;
    result_out = UNTOUCHED;
    record_out = UNTOUCHED;
    pri_out = UNTOUCHED;
    timelines_out = UNTOUCHED;
    builder_out = UNTOUCHED;
    gaps_out = UNTOUCHED;
    context_out = UNTOUCHED;
    options_out = UNTOUCHED;
    machine_out = UNTOUCHED;
    calibration_out = UNTOUCHED;
    report_out = UNTOUCHED;
    comparison_out = UNTOUCHED;
    rows(i);
}

START_TEST(parameter)
{
    run_row(parameters, _i);
}
END_TEST

START_TEST(option)
{
    run_row(options, _i);
}
END_TEST

START_TEST(building)
{
    run_row(built, _i);
}
END_TEST

/* What gives no status: NULL is nothing, and past the end is nothing. */
START_TEST(without_status)
{
    pluss_context_free(NULL);
    pluss_context_clear(NULL);
    pluss_nest_free(NULL);
    pluss_nests_free(NULL);
    pluss_builder_free(NULL);
    pluss_result_free(NULL);
    pluss_record_free(NULL);
    pluss_timelines_free(NULL);
    pluss_calibration_free(NULL);
    pluss_machine_file_free(NULL);
    ck_assert_uint_eq(pluss_calibration_count(NULL), 0);
    pluss_pri_free(NULL);
    pluss_gaps_free(NULL);
    pluss_sweep_free(NULL);
    ck_assert_uint_eq(pluss_context_diagnostic_count(NULL), 0);
    ck_assert_uint_eq(pluss_context_dropped_count(NULL), 0);
    ck_assert_uint_eq(pluss_nests_count(NULL), 0);
    ck_assert_int_eq(pluss_nests_get_missing(NULL), PLUSS_EINVAL);
    ck_assert_ptr_null(pluss_nests_get(NULL, 0));
    ck_assert_uint_eq(pluss_result_count(NULL), 0);
    ck_assert_ptr_null(pluss_result_get(NULL, 0));
    ck_assert_ptr_null(pluss_result_get(result, SIZE_MAX));
    ck_assert_double_eq(pluss_curve_at(NULL, 64), 1);
    ck_assert(pluss_curve_at(curve, 0) == 1 && pluss_curve_at(curve, UINT64_MAX) < 1);
    ck_assert_int_eq(pluss_has_feature(NULL), 0);
    ck_assert_str_eq(pluss_status_name((pluss_status)-1), "?");
    ck_assert_str_eq(pluss_status_text((pluss_status)-1), "unknown status");
    pluss_builder_place(NULL, NULL, 0, 0);
    pluss_builder_region(NULL, NULL, NULL);
    pluss_builder_symbol(NULL, NULL, NULL, NULL);
    pluss_builder_array(NULL, NULL);
    pluss_builder_loop(NULL, NULL);
    pluss_builder_parallel(NULL, NULL, NULL);
    pluss_builder_if(NULL, NULL);
    pluss_builder_branch(NULL, 0);
    pluss_builder_block(NULL, PLUSS_BLOCK_MASTER);
    pluss_builder_else(NULL);
    pluss_builder_end(NULL);
    pluss_builder_ref(NULL, NULL);
    pluss_builder_barrier(NULL);
    pluss_builder_swap(NULL, NULL, NULL);
    pluss_builder_ops(NULL, NULL, NULL, 0);
    pluss_builder_unknown(NULL, NULL, NULL, NULL);
}
END_TEST

/* A list of diagnostics that is full must not make failures silent. */
static void count_logged(void *user, const pluss_diagnostic *d)
{
    unsigned *logged = user;
    *logged += d->severity == PLUSS_ERROR;
}

START_TEST(failures_behind_a_full_list)
{
    unsigned logged = 0;
    pluss_context *own;
    const pluss_context_options o = {.size = sizeof o, .log = count_logged, .log_user = &logged};
    ck_assert_int_eq(pluss_context_new(&o, &own), PLUSS_OK);
    for (unsigned i = 0; i < 150; i++) {
        ck_assert_int_eq(pluss_nests_read(own, "", &nests), PLUSS_EIO);
        ck_assert_uint_eq(logged, i + 1);
    }
    ck_assert_uint_eq(pluss_context_diagnostic_count(own), 100);
    ck_assert_uint_ge(pluss_context_dropped_count(own), 50);
    pluss_context_free(own);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("misuse");
    TCase *t = tcase_create("misuse");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, parameter, 0, parameters(-1));
    tcase_add_loop_test(t, option, 0, options(-1));
    tcase_add_loop_test(t, building, 0, built(-1));
    tcase_add_test(t, without_status);
    tcase_add_test(t, failures_behind_a_full_list);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
