/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every function of the C interface that computes, without memory: one allocation after another
 * fails, that one alone or all from there on. Each call gives PLUSS_ENOMEM with a message, or what
 * it gives otherwise; nothing leaks. A sample of the positions, or with PLUSS_LONG=1 all of them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "option_text.h"
#include "suite.h"
#include "trace_file.h"

/* ---- an allocator that fails at a position ----------------------------------------------------
 */

typedef struct scarce {
    long made, fail_at, live; /* fail_at < 0: none fails */
    bool once, failed;
} scarce;

static void *scarce_resize(void *user, void *ptr, size_t bytes)
{
    scarce *s = user;
    if (bytes == 0) {
        if (ptr)
            __atomic_sub_fetch(&s->live, 1, __ATOMIC_RELAXED);
        free(ptr);
        return NULL;
    }
    long i = __atomic_fetch_add(&s->made, 1, __ATOMIC_RELAXED);
    if (s->fail_at >= 0 && (s->once ? i == s->fail_at : i >= s->fail_at)) {
        __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
        return NULL;
    }
    void *p = realloc(ptr, bytes);
    if (p && !ptr)
        __atomic_add_fetch(&s->live, 1, __ATOMIC_RELAXED);
    return p;
}

/* ---- what is computed -------------------------------------------------------------------------
 */

#define DYNAMIC_NEST                                                                               \
    "array f64 A[n][n], s[4]\n"                                                                    \
    "parallel {\n"                                                                                 \
    "  workshare for i in 0..n schedule(dynamic, 2) nowait { for j in 0..i { read A[j][i] } }\n"   \
    "  workshare for i in 0..n schedule(guided) { write A[i][0] }\n"                               \
    "  single { read s[0] }\n"                                                                     \
    "}\n"

static const char *const nests[] = {
    /* static, shared lines */
    "pluss-nest 1\nregion r\nsymbol n\narray i32 X[n]\narray f64 A[n][n]\n"
    "parallel for i in 0..n { for j in 0..n { read X[j] read A[i][j] write A[j][i] } }\n",
    /* work stealing */
    "pluss-nest 1\nregion r\nsymbol n\narray i32 X[n]\narray f64 A[n][n]\n"
    "parallel for i in 0..n schedule(rayon,1) { for j in 0..n { read X[j] write A[j][i] } }\n",
    /* dispatched chunks, phases, several regions, repetitions */
    "pluss-nest 1\nsymbol n\nregion first repeat 2\n" DYNAMIC_NEST "region second\n" DYNAMIC_NEST,
    /* guards, triangles, private memory, a swap */
    "pluss-nest 1\nregion r\nsymbol n\narray f64 A[n][n], B[n][n]\narray f64 p[n] private\n"
    "for t in 0..3 {\n"
    "  parallel for i in 0..n schedule(static, 3) {\n"
    "    for j in i..n { if (j % 3 == 0) { read A[i][j] } else { read B[j][i] } write p[j] }\n"
    "  }\n"
    "  swap A, B\n"
    "}\n",
    /* loads */
    "pluss-nest 1\nregion r\nsymbol n\n"
    "array i32 c[12] values(0,8,16,24,32,40,1,9,17,25,33,41)\narray f64 A[n][n]\n"
    "parallel for i in 0..12 { for j in 0..n { read A[c[i] % n][j] } }\n",
};
enum { N_NESTS = sizeof nests / sizeof *nests };

static const double rates[] = {1, 1.5, 0.5};
static const pluss_progress late = {.size = sizeof late,
                                    .law = "rates",
                                    .sigma = 0.1,
                                    .skew = 30,
                                    .skew_spread = 1,
                                    .rates = rates,
                                    .n_rates = 3,
                                    .stall_rate = 0.01,
                                    .stall = 50};

#define BASE "threads=1,3 define=n=12 "

typedef pluss_status (*engine_fn)(pluss_context *, const pluss_nest *, const pluss_options *,
                                  pluss_result **);

static const struct {
    const char *name;
    engine_fn engine;
    const char *words;
    const pluss_progress *progress;
} calls[] = {
    {"clock", pluss_predict, BASE "explain", NULL},
    {"clock, runs that are walked", pluss_predict, BASE "spread", NULL},
    {"clock-ri", pluss_predict, BASE "model=clock-ri", NULL},
    {"clock-sd", pluss_predict, BASE "model=clock-sd", NULL},
    {"clock, dynamic", pluss_predict, BASE "schedule=dynamic,2", NULL},
    {"clock, guided", pluss_predict, BASE "schedule=guided", NULL},
    {"clock, an error", pluss_predict, BASE "error=5%", NULL},
    {"clock, pairs", pluss_predict, BASE "cache=1K,L2=1K:shared=2", NULL},
    {"clock, levels", pluss_predict, BASE "cache=L1=1K:ways=2,L2=4K:ways=4:shared=2", NULL},
    {"clock, rates", pluss_predict, BASE, &late},
    {"clock, bursts", pluss_predict, BASE "progress=burst:8", NULL},
    {"clock, round robin", pluss_predict, BASE "progress=round-robin", NULL},
    {"clock, mixed", pluss_predict, BASE "progress=mixed", NULL},
    {"clock, slices", pluss_predict, BASE "progress=slices:20:2", NULL},
    {"cri", pluss_predict, BASE "model=cri", NULL},
    {"cri, scaled", pluss_predict, BASE "model=cri collect=2", NULL},
    {"cri-line", pluss_predict, BASE "model=cri-line", NULL},
    {"ri-random", pluss_predict, BASE "model=ri-random", NULL},
    {"scale-ps", pluss_predict, BASE "model=scale-ps cache=1K,L1=1K", NULL},
    {"scale-overlap", pluss_predict, BASE "model=scale-overlap cache=1K,L1=1K", NULL},
    {"sharing", pluss_simulate, BASE "sharing=1", NULL},
    {"uniform", pluss_simulate, BASE "cache=1K,1K:shared=2", NULL},
    {"levels", pluss_simulate, BASE "cache=L1=1K:ways=2,L2=4K:ways=full:shared=2", NULL},
    {"rates", pluss_simulate, BASE, &late},
    {"slices", pluss_simulate, BASE "progress=slices:20:2", NULL},
    {"bursts", pluss_simulate, BASE "progress=burst:8", NULL},
    {"round robin", pluss_simulate, BASE "progress=round-robin", NULL},
    {"sequential", pluss_simulate, BASE "progress=sequential", NULL},
};
enum { N_CALLS = sizeof calls / sizeof *calls };

/* What a session gave, in short: to see that two gave the same. */
static uint64_t digest;

static int take(void *user, const char *data, size_t length)
{
    (void)user;
    for (size_t i = 0; i < length; i++)
        digest = (digest ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    return 0;
}

typedef struct session {
    pluss_context *ctx;
    pluss_nest *nest, *alone, *joined;
    pluss_result *result, *read;
    pluss_pri *pri;
    pluss_options *options, *more;
    pluss_nests *found, *texts;
    pluss_machine_file *machine;
    pluss_record *record;
    pluss_nest *transformed;
    pluss_timelines *timeline;
    pluss_calibration *calibration;
    pluss_gaps *gaps;
    pluss_report *report;
    pluss_comparison *comparison;
} session;

static char json[1 << 20];
static size_t json_length;

static int keep(void *user, const char *data, size_t length)
{
    if (length > sizeof json - json_length)
        return 1;
    memcpy(json + json_length, data, length);
    json_length += length;
    return take(user, data, length);
}

static pluss_status predict(session *s, int nest, int call)
{
    pluss_status status = pluss_nest_parse(s->ctx, nests[nest], strlen(nests[nest]), "t", &s->nest);
    if (!status)
        status = make_options(s->ctx, calls[call].words, &s->options);
    if (!status && calls[call].progress)
        status = pluss_options_set_progress(s->ctx, s->options, calls[call].progress);
    if (!status)
        status = pluss_options_copy(s->ctx, s->options, &s->more);
    if (!status)
        status = calls[call].engine(s->ctx, s->nest, s->more, &s->result);
    if (!status)
        status = pluss_result_report(s->ctx, s->result, NULL, &s->report);
    if (!status)
        status = pluss_report_write(s->ctx, s->report, "text", NULL, take, NULL);
    if (!status)
        status = pluss_report_write(s->ctx, s->report, "csv", NULL, take, NULL);
    return status;
}

/* Functions that are no engines. */
static pluss_status others(session *s, int nest, int call)
{
    pluss_difference d = {.size = sizeof d};
    (void)call;
    pluss_status status = pluss_nest_parse(s->ctx, nests[nest], strlen(nests[nest]), "t", &s->nest);
    if (!status)
        status = pluss_nest_extract(s->ctx, s->nest, 0, &s->alone);
    if (!status)
        status = pluss_nest_join(s->ctx, (const pluss_nest *const[]){s->nest}, 1, &s->joined);
    if (!status)
        status = pluss_nest_write(s->ctx, s->joined, take, NULL);
    if (!status)
        status = pluss_nest_transform(s->ctx, s->alone, NULL, 0, &s->transformed);
    if (!status)
        status = pluss_nest_codegen(s->ctx, s->alone, PLUSS_LANGUAGE_C, take, NULL);
    if (!status)
        status = pluss_nest_codegen(s->ctx, s->alone, PLUSS_LANGUAGE_RUST, take, NULL);
    if (!status)
        status = make_options(s->ctx, BASE "seed=1", &s->options);
    if (!status)
        status = pluss_pri_collect(s->ctx, s->joined, s->options, &s->pri);
    if (!status)
        status = pluss_simulate(s->ctx, s->joined, s->options, &s->result);
    json_length = 0;
    if (!status)
        status = pluss_result_report(s->ctx, s->result, NULL, &s->report);
    if (!status)
        status = pluss_report_write(s->ctx, s->report, "json", NULL, keep, NULL);
    pluss_report_free(s->report);
    s->report = NULL;
    if (!status)
        status =
            pluss_nest_report(s->ctx, (const pluss_nest *const[]){s->nest}, 1, NULL, 0, &s->report);
    if (!status)
        status = pluss_report_write(s->ctx, s->report, "text", NULL, take, NULL);
    if (!status)
        status = pluss_result_read(s->ctx, json, json_length, "j", &s->read);
    pluss_report_free(s->report);
    s->report = NULL;
    if (!status)
        status = pluss_result_compare(s->ctx, s->result, s->read, NULL, &s->comparison);
    if (!status)
        status = pluss_comparison_report(s->ctx, s->comparison, &s->report);
    if (!status)
        status = pluss_curve_compare(s->ctx, pluss_result_get(s->result, 0),
                                     pluss_result_get(s->read, 0), PLUSS_GRID_STRICT, &d);
    if (!status)
        status = pluss_result_append(s->ctx, s->result, s->read);
    if (!status)
        digest += (uint64_t)pluss_result_count(s->result) + d.n;
    return status;
}

/* ---- what runs leave --------------------------------------------------------------------------
 */

static const char ran[] = "pluss-nest 1 symbol n array f64 A[n][16] array i32 X[4] "
                          "region r \"k.c\":4 parallel for i in 0..n schedule(static) "
                          "{ for j in 0..16 { read A[i][j] } read X[i % 4] }";
static const char recorded[] =
    "pluss-record 3\nline 64\nlost-runs 0\nobject \"/a\"\n"
    "region \"r\" \"k.c\":4 team 2 runs 2 lost 0 by profile\nsymbol \"n\" 6\narray \"A\" 65600\n"
    "array \"X\" 640\nthread 0 accesses 102 lost 0\npri thread 0 ref 0 first 12 1:84\n"
    "pri thread 0 ref 1 first 2 17:4\nthread 1 accesses 102 lost 0\n"
    "pri thread 1 ref 0 first 12 1:84\nend\nsequence lost 0\nrun 0 at 0 times 2\nend\n";
static char nest_path[] = "/tmp/pluss-scarce-nest-XXXXXX",
            record_path[] = "/tmp/pluss-scarce-record-XXXXXX",
            machine_path[] = "/tmp/pluss-scarce-machine-XXXXXX";

static void put(FILE *out, const void *bytes, size_t n)
{
    ck_assert_uint_eq(fwrite(bytes, 1, n, out), n);
}

/* Run 0 with touches, and again, as run 1, with time stamps. */
static void write_trace(void)
{
    static const uint64_t line[] = {1025, 1026, 10};
    static const plussi_stamp_entry stamp[] = {
        {100, 0, AT(FORK, NONE), 0}, {110, 0, AT(BEGIN, NONE), 0}, {120, 0, AT(LOOP, 0), 0},
        {120, 1, AT(ITER, 0), 0},    {180, 2, AT(ITER, 0), 0},     {240, 3, AT(ITER, 0), 0},
        {300, 3, AT(DONE, 0), 0},    {310, 0, AT(END, NONE), 0}};
    FILE *out = begin_trace(trace_of(record_path));
    for (uint32_t k = 0; k < 2; k++) { /* thread 1 makes no team */
        put_touches(out, 0, k, 100, 200 + k, line, 3);
        put_stamps(out, 1, k, stamp + k, 8 - k);
    }
    put_run(out, 0, 2, 90, 300, (plussi_run_entry){0, 0});
    put_run(out, 1, 2, 90, 320, (plussi_run_entry){0, 1});
    put_clock(out, 90, 10090, 5000);
    ck_assert_int_eq(fclose(out), 0);
}

static void write_record(FILE *out)
{
    put(out, recorded, sizeof recorded - 1);
}

static void write_nest(FILE *out)
{
    put(out, ran, sizeof ran - 1);
}

static void write_file(char *path, void (*content)(FILE *))
{
    int fd = mkstemp(path);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    ck_assert_ptr_nonnull(out);
    content(out);
    ck_assert_int_eq(fclose(out), 0);
}

static void write_files(void)
{
    write_file(nest_path, write_nest);
    write_file(record_path, write_record);
    write_file(machine_path, write_nest);
    write_trace();
}

static void remove_files(void)
{
    unlink(nest_path);
    unlink(record_path);
    unlink(machine_path);
    unlink(trace_of(record_path));
}

static pluss_status digest_result(session *s, pluss_status status)
{
    pluss_report_free(s->report);
    s->report = NULL;
    if (!status)
        status = pluss_result_report(s->ctx, s->result, NULL, &s->report);
    if (!status)
        status = pluss_report_write(s->ctx, s->report, "csv", NULL, take, NULL);
    pluss_result_free(s->result);
    s->result = NULL;
    return status;
}

/* A nest out of a file, what an array of it holds, and a record that is read. */
static pluss_status read_all(session *s)
{
    static const int64_t values[] = {3, 1, 2, 0};
    pluss_status status = pluss_nests_read(s->ctx, nest_path, &s->found);
    if (!status)
        status = pluss_nest_with_contents(s->ctx, pluss_nests_get(s->found, 0),
                                          &(pluss_contents){"X", values, 4}, 1, &s->joined);
    if (!status)
        status = pluss_nest_write(s->ctx, s->joined, take, NULL);
    if (!status)
        status = pluss_nest_write_annotated(s->ctx, s->joined, take, NULL);
    if (!status)
        status = pluss_record_read(s->ctx, record_path, &s->record);
    return status;
}

static pluss_status use_record(session *s, int nest, int call)
{
    pluss_trace_info trace = {.size = sizeof trace};
    pluss_status status = read_all(s);
    (void)nest;
    (void)call;
    if (!status)
        status = make_options(s->ctx, "threads=2 model=cri", &s->options);
    if (!status)
        status = make_options(s->ctx, "threads=2", &s->more);
    if (status)
        return status;
    const pluss_nest *const nests_read[] = {pluss_nests_get(s->found, 0)};
    status = pluss_record_nest(s->ctx, s->record, 0, 0, nests_read, 1, &s->nest);
    if (!status)
        status = pluss_record_program(s->ctx, s->record, nests_read, 1, &s->alone);
    if (!status)
        status = digest_result(
            s, pluss_record_predict(s->ctx, s->record, 0, s->nest, s->options, &s->result));
    if (!status)
        status = digest_result(s, pluss_simulate(s->ctx, s->alone, s->more, &s->result));
    if (!status)
        status = digest_result(s, pluss_record_simulate(s->ctx, s->record, SIZE_MAX, &s->result));
    if (!status)
        status = pluss_record_get_trace(s->ctx, s->record, &trace);
    if (!status)
        digest += trace.touched_runs + trace.timed_runs;
    return status;
}

static pluss_status use_stamps(session *s, int nest, int call)
{
    pluss_progress as_run = {.size = sizeof as_run, .law = "recorded"};
    pluss_gaps_test test = {.size = sizeof test};
    pluss_status status = read_all(s);
    (void)nest;
    (void)call;
    if (!status)
        status = make_options(s->ctx, "threads=2 region=r", &s->options);
    if (status)
        return status;
    const pluss_nest *const nests_read[] = {pluss_nests_get(s->found, 0)};
    status = pluss_record_nest(s->ctx, s->record, 0, 0, nests_read, 1, &s->nest);
    if (!status)
        status = pluss_timelines_read(s->ctx, s->record, 0, nests_read, 1, &s->timeline);
    as_run.timelines = s->timeline;
    if (!status)
        status = pluss_options_set_progress(s->ctx, s->options, &as_run);
    if (!status)
        status = digest_result(s, pluss_predict(s->ctx, s->nest, s->options, &s->result));
    if (!status)
        status = digest_result(s, pluss_simulate(s->ctx, s->nest, s->options, &s->result));
    if (!status)
        status = pluss_calibration_new(s->ctx, s->options, &s->calibration);
    if (!status)
        status = pluss_calibration_add(s->calibration, s->record, nests_read, 1);
    uint64_t runs = 0;
    if (!status)
        status = pluss_calibration_count_runs(s->calibration, &runs);
    if (!status)
        status = pluss_calibration_finish(s->calibration);
    digest += runs;
    if (!status)
        status = make_options(s->ctx, "interval=5ns drop=0 region=r", &s->more);
    if (!status)
        status = pluss_gaps_new(s->ctx, s->more, &s->gaps);
    if (!status)
        status = pluss_gaps_add(s->gaps, s->record);
    if (!status)
        status = pluss_gaps_finish(s->gaps);
    if (!status)
        status = pluss_gaps_get_test(s->gaps, 0, &test);
    digest += test.samples;
    return status;
}

/* Whole files by options: nests, a record's chunks and time stamps, a machine file. */
static pluss_status use_files(session *s, int nest, int call)
{
    static const char machine[] =
        "{\"version\": 1, \"sigma\": 0.1, \"skew\": 9, \"skew_spread\": 1, \"stall_rate\": 0, "
        "\"stall\": 0, \"access\": 2, \"slice\": 1000, \"regions\": [], \"levels\": [{\"name\": "
        "\"L1\", \"bytes\": 1024, \"ways\": 2, \"shared_by\": 1}]}";
    (void)nest;
    (void)call;
    FILE *file = fopen(machine_path, "we");
    ck_assert_ptr_nonnull(file);
    put(file, machine, sizeof machine - 1);
    ck_assert_int_eq(fclose(file), 0);
    pluss_status status = read_all(s);
    if (!status)
        status = make_options(s->ctx, "threads=2 define=n=6 region=r together", &s->options);
    if (!status)
        status = pluss_options_set(s->ctx, s->options, "machine", machine_path);
    if (!status)
        status = pluss_options_set(s->ctx, s->options, "cache", "machine");
    if (!status)
        status = pluss_options_set(s->ctx, s->options, "record", record_path);
    if (!status)
        status = pluss_options_set(s->ctx, s->options, "progress", "rates");
    if (!status)
        status = pluss_options_copy(s->ctx, s->options, &s->more);
    if (!status)
        status = digest_result(s, pluss_nests_predict(s->ctx, s->found, s->more, &s->result));
    if (!status)
        status = pluss_options_set(s->ctx, s->more, "progress", "recorded");
    if (!status)
        status = digest_result(s, pluss_nests_simulate(s->ctx, s->found, s->more, &s->result));
    return status;
}

/* A trace of two threads: simulated, predicted, packed. */
static pluss_status use_trace(session *s, int nest, int call)
{
    (void)nest;
    (void)call;
    FILE *file = fopen(machine_path, "we");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 400; i++)
        ck_assert_int_gt(
            fprintf(file, "%d %d 12 %c %d\n", i % 2, i * 40 % 3000, i % 3 ? 'r' : 'w', i % 5), 0);
    ck_assert_int_eq(fclose(file), 0);
    pluss_status status = pluss_nests_read(s->ctx, machine_path, &s->found);
    if (!status)
        status = make_options(s->ctx, "each-thread cache=L1=1K:ways=2/4,L2=4K:shared", &s->options);
    if (!status)
        status = digest_result(s, pluss_nests_simulate(s->ctx, s->found, s->options, &s->result));
    if (!status)
        status = make_options(s->ctx, "model=crd", &s->more);
    if (!status)
        status = digest_result(s, pluss_nests_predict(s->ctx, s->found, s->more, &s->result));
    return status ? status : pluss_trace_pack(s->ctx, machine_path, s->more, take, NULL);
}

/* A trace beside itself and a nest. */
static pluss_status use_corun(session *s, int nest, int call)
{
    (void)nest;
    FILE *file = fopen(machine_path, "we");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 400; i++)
        ck_assert_int_gt(fprintf(file, "%d %d 8 r\n", i % 2, i * 40 % 3000), 0);
    ck_assert_int_eq(fclose(file), 0);
    pluss_status status = pluss_nests_read(s->ctx, machine_path, &s->found);
    const pluss_nests *const both[] = {s->found, s->found};
    if (!status)
        status = make_options(s->ctx, "threads=2 rates=1,2 profiles", &s->options);
    if (!status)
        status = digest_result(s, (call ? pluss_corun_predict : pluss_corun_simulate)(
                                      s->ctx, both, 2, s->options, &s->result));
    return status;
}

/* Locality profiles of two sizes, scaled to a third, by what threads share and as a whole. */
static pluss_status use_scaling(session *s, int nest, int call)
{
    static const char text[] = "pluss-nest 1 symbol n region r array f64 A[n] parallel for i in "
                               "0..n { read A[i] for j in 0..n { write A[j] } }";
    (void)nest;
    (void)call;
    pluss_status status = pluss_nest_parse(s->ctx, text, sizeof text - 1, NULL, &s->nest);
    if (!status)
        status = make_options(s->ctx, "define=n=20 threads=2,4 sharing", &s->options);
    if (!status)
        status = pluss_simulate(s->ctx, s->nest, s->options, &s->read);
    if (!status)
        status = pluss_options_set(s->ctx, s->options, "define", "n=60");
    if (!status)
        status = pluss_simulate(s->ctx, s->nest, s->options, &s->result);
    if (!status)
        status = pluss_result_append(s->ctx, s->read, s->result);
    pluss_result_free(s->result);
    s->result = NULL;
    if (!status)
        status = make_options(s->ctx, "define=n=150 threads=8 cache=1K:shared=1,1K", &s->more);
    for (int direct = 0; direct < 2 && !status; direct++) {
        pluss_result_free(s->result);
        s->result = NULL;
        if (direct)
            status = pluss_options_set(s->ctx, s->more, "model", "scale");
        if (!status)
            status = digest_result(s, pluss_result_scale(s->ctx, s->read, s->more, &s->result));
    }
    return status;
}

/* Formulas for lines of one size and of any, misses by them, functions in C, and counters of a
 * region that has no formulas. */
static pluss_status use_formulas(session *s, int nest, int call)
{
    static const char text[] = "pluss-nest 1\nregion r\nsymbol n\narray f64 A[n]\n"
                               "for i in 0..n { for j in 0..i { read A[j] } }\n"
                               "region q\nsymbol n\narray i32 B[n]\n"
                               "for i in 0..n { for j in 0..B[i] { read B[i] } }\n";
    static const char *const words[] = {"region=r define=n=40 cache=128", "region=r any-line"};
    (void)nest;
    (void)call;
    FILE *file = fopen(machine_path, "we");
    ck_assert_ptr_nonnull(file);
    put(file, text, sizeof text - 1);
    ck_assert_int_eq(fclose(file), 0);
    pluss_status status = pluss_nests_read(s->ctx, machine_path, &s->found);
    for (int i = 0; i < 2 && !status; i++) {
        pluss_options_free(s->options);
        s->options = NULL;
        status = make_options(s->ctx, words[i], &s->options);
        if (!status)
            status = pluss_nests_symbolic(s->ctx, s->found, s->options, &s->report);
        if (!status)
            status = pluss_report_write(s->ctx, s->report, "json", NULL, take, NULL);
        pluss_report_free(s->report);
        s->report = NULL;
    }
    if (!status)
        status = make_options(s->ctx, "line=8", &s->more);
    return status ? status : pluss_nests_symbolic_code(s->ctx, s->found, s->more, take, NULL);
}

/* Two cells of a parameter sweep, one by the model, one walked. */
static pluss_status use_sweep(session *s, int nest, int call)
{
    static const char text[] = "pluss-nest 1\nregion r\nsymbol n\narray f64 A[n]\n"
                               "parallel for i in 0..n { write A[i] }\n";
    char spec[300];
    pluss_sweep *all = NULL;
    (void)nest;
    (void)call;
    FILE *file = fopen(machine_path, "we");
    ck_assert_ptr_nonnull(file);
    put(file, text, sizeof text - 1);
    ck_assert_int_eq(fclose(file), 0);
    const int length = snprintf(spec, sizeof spec,
                                "files %s\nsizes n=60,90\nthreads 2\nmodels clock simulate\n"
                                "caches 1K L1=1K:ways=2\noption line=32 # all\n",
                                machine_path);
    pluss_status status = pluss_sweep_parse(s->ctx, spec, (size_t)length, "spec", &all);
    for (uint64_t cell = 4; cell < 8 && !status; cell++) {
        status = pluss_sweep_report(s->ctx, all, cell, NULL, &s->report);
        if (!status)
            status = pluss_report_write(s->ctx, s->report, "csv", NULL, take, NULL);
        pluss_report_free(s->report);
        s->report = NULL;
    }
    pluss_sweep_free(all);
    return status;
}

/* All of a record at once. */
static pluss_status use_run(session *s, int nest, int call)
{
    pluss_status status = read_all(s);
    (void)nest;
    (void)call;
    if (!status)
        status = make_options(s->ctx, "threads=1,2 model=cri", &s->options);
    if (status)
        return status;
    const pluss_nest *const nests_read[] = {pluss_nests_get(s->found, 0)};
    status = digest_result(
        s, pluss_record_run(s->ctx, s->record, nests_read, 1, s->options, &s->result));
    if (!status)
        status = pluss_record_nests(s->ctx, s->record, nests_read, 1, s->options, &s->texts);
    if (!status)
        status = pluss_nest_write(s->ctx, pluss_nests_get(s->texts, 0), take, NULL);
    return status;
}

static pluss_status keep_machine(session *s, int nest, int call)
{
    pluss_status status = use_stamps(s, nest, call);
    if (!status)
        status = pluss_machine_file_read(s->ctx, NULL, &s->machine);
    const pluss_calibrated_by by = {
        .size = sizeof by, .command = "c", .date = "d", .processor = "p", .slice_ns = 1e6};
    if (!status)
        status = pluss_machine_file_put(s->ctx, s->machine, s->calibration, &by);
    const pluss_machine_cache cache = {"L1", PLUSS_CACHE_DATA, 1, 4096, 64, 4, 1, 2};
    const pluss_machine_info machine = {sizeof machine, "p", 2, 2, &cache, 1};
    if (!status)
        status = pluss_machine_file_put_caches(s->ctx, s->machine, &machine);
    if (!status)
        status = pluss_machine_file_write(s->ctx, s->machine, take, NULL);
    pluss_report_free(s->report);
    s->report = NULL;
    if (!status)
        status = pluss_machine_file_report(s->ctx, s->machine, &s->report);
    pluss_report_free(s->report);
    s->report = NULL;
    if (!status)
        status = pluss_calibration_report(s->calibration, s->machine, "m", &s->report);
    if (!status)
        status = pluss_report_write(s->ctx, s->report, "text", NULL, take, NULL);
    return status;
}

typedef pluss_status (*session_fn)(session *s, int nest, int call);

static char said[256];

/* The last message is an error, of this status. */
static bool is_told(const pluss_context *ctx, pluss_status status)
{
    pluss_diagnostic d = {.size = sizeof d};
    size_t n = pluss_context_diagnostic_count(ctx);
    if (n == 0 || pluss_context_diagnostic(ctx, n - 1, &d) != PLUSS_OK)
        d.text = "";
    snprintf(said, sizeof said, "%s", d.text);
    return *d.text && d.severity == PLUSS_ERROR && d.status == status;
}

static pluss_status run(scarce *memory, session_fn what, int nest, int call, bool *told)
{
    const pluss_context_options o = {
        .size = sizeof o, .resize = scarce_resize, .resize_user = memory};
    session s = {0};
    digest = 1;
    *told = true;
    pluss_status status = pluss_context_new(&o, &s.ctx);
    if (status)
        return status;
    status = what(&s, nest, call);
    *told = status == PLUSS_OK || is_told(s.ctx, status);
    pluss_machine_file_free(s.machine);
    pluss_nests_free(s.texts);
    pluss_options_free(s.options);
    pluss_options_free(s.more);
    pluss_gaps_free(s.gaps);
    pluss_calibration_free(s.calibration);
    pluss_timelines_free(s.timeline);
    pluss_record_free(s.record);
    pluss_nests_free(s.found);
    pluss_pri_free(s.pri);
    pluss_report_free(s.report);
    pluss_comparison_free(s.comparison);
    pluss_result_free(s.read);
    pluss_result_free(s.result);
    pluss_nest_free(s.joined);
    pluss_nest_free(s.transformed);
    pluss_nest_free(s.alone);
    pluss_nest_free(s.nest);
    pluss_context_free(s.ctx);
    return status;
}

static void sweep(session_fn what, int nest, int call, const char *name)
{
    const char *all = getenv("PLUSS_LONG");
    bool told;
    scarce whole = {.fail_at = -1};
    pluss_status normal = run(&whole, what, nest, call, &told);
    uint64_t wanted = digest;
    ck_assert_msg(whole.live == 0, "%s, nest %d: %ld leaked with memory", name, nest, whole.live);
    if (normal) { /* the model does not take the nest */
        ck_assert_msg(told && (normal == PLUSS_EUNSUPPORTED || normal == PLUSS_EINVAL),
                      "%s, nest %d: %s with memory: %s", name, nest, pluss_status_name(normal),
                      said);
        return;
    }
    long step = all && *all ? 1 : whole.made / (4 - suite_step()) + 1;
    for (long at = (nest + 3 * call) * 7919L % step; at < whole.made; at += step)
        for (int once = 0; once < 2; once++) {
            scarce memory = {.fail_at = at, .once = once};
            pluss_status status = run(&memory, what, nest, call, &told);
            bool good = status == PLUSS_ENOMEM || (status == PLUSS_OK && digest == wanted);
            ck_assert_msg(good && told && memory.live == 0,
                          "%s, nest %d, allocation %ld of %ld%s: %s%s%s%s, %ld leaked", name, nest,
                          at, whole.made, once ? " alone" : "", pluss_status_name(status),
                          good ? "" : ", or other results",
                          told ? "" : ", but the message is: ", told ? "" : said, memory.live);
        }
}

START_TEST(engines)
{
    const char *all = getenv("PLUSS_LONG");
    if (!(all && *all) && (_i % N_NESTS + _i / N_NESTS) % 3 != 0)
        return; /* each with some nests */
    sweep(predict, _i % N_NESTS, _i / N_NESTS, calls[_i / N_NESTS].name);
}
END_TEST

START_TEST(not_engines)
{
    sweep(others, _i, 0, "others");
}
END_TEST

static void sweep_run(session_fn what, const char *name)
{
    scarce whole = {.fail_at = -1};
    bool told;
    ck_assert_msg(run(&whole, what, 0, 0, &told) == PLUSS_OK, "%s: %s", name, said);
    sweep(what, 0, 0, name);
}

START_TEST(runs)
{
    sweep_run(use_record, "a record");
    sweep_run(use_stamps, "time stamps");
    sweep_run(use_files, "files");
    sweep_run(use_run, "a run");
    sweep_run(keep_machine, "a machine file");
    sweep_run(use_trace, "a trace");
    sweep_run(use_corun, "a co-run");
    sweep_run(use_scaling, "scaling");
    sweep_run(use_formulas, "formulas");
    sweep_run(use_sweep, "a parameter sweep");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("scarce");
    TCase *t = tcase_create("scarce");
    tcase_set_timeout(t, 1800);
    tcase_add_loop_test(t, engines, 0, N_CALLS * N_NESTS);
    tcase_add_loop_test(t, not_engines, 0, N_NESTS);
    tcase_add_unchecked_fixture(t, write_files, remove_files);
    tcase_add_test(t, runs);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
