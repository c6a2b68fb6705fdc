/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Long work tells how far it is: with a total, never going back, to its end, of every kind of
 * trace, of co-runs, records and foldings; a pipe alone has no end that is known.
 */
#include "pluss.h"

#include "suite.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "byte_sink.h"
#include "option_text.h"
#include "trace_file.h"

enum { ACCESSES = 600000, THREADS = 3, LINES = 5000 };

#define ROUNDING 1e-12 /* of sums of parts */

/* What the callback was told. */
typedef struct told {
    int calls, unknown, back; /* all; without an end; below what was told before */
    double first, most;
    uint64_t steps;
    int stop_at; /* 0: never */
} told;

static told last;
static pluss_context *ctx;
static char folder[] = "/tmp/pluss-asked-XXXXXX";

static int note(void *user, const char *stage, double done, uint64_t steps)
{
    told *t = user;
    ck_assert(stage && *stage);
    ck_assert_double_le(done, 1);
    t->back += done >= 0 && t->calls > t->unknown && done < t->most - ROUNDING;
    t->first = t->calls == 0 ? done : t->first;
    t->most = done > t->most ? done : t->most;
    t->unknown += done < 0;
    t->steps = steps;
    return ++t->calls == t->stop_at;
}

static void setup(void)
{
    const pluss_context_options options = {.size = sizeof options, .ask = note, .ask_user = &last};
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(pluss_context_new(&options, &ctx), PLUSS_OK);
    last = (told){0};
}

static void teardown(void)
{
    char command[80];
    pluss_context_free(ctx);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static const char *path_of(const char *name)
{
    static char paths[4][80];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

/* It has a total, goes forward and comes to its end; then forgets. */
static void went_forward(const char *what, int least_calls)
{
    ck_assert_msg(last.calls >= least_calls, "%s: asked %d times", what, last.calls);
    ck_assert_msg(last.unknown == 0, "%s: %d times without a total", what, last.unknown);
    ck_assert_msg(last.back == 0, "%s: went back %d times", what, last.back);
    ck_assert_msg(last.first < 0.7, "%s: begins with %g", what, last.first);
    ck_assert_msg(last.most > 1 - ROUNDING, "%s: ends with %g", what, last.most);
    last = (told){0};
}

/* ---- traces of every kind ----------------------------------------------------------------------
 */

typedef enum kind { PLAIN, LACKEY, VIEW, PACKED, PLAIN_GZ, PACKED_ZSTD, KINDS } kind;
static const char *const kind_name[] = {"plain",  "lackey",   "view",
                                        "packed", "plain.gz", "packed.zst"};

static uint64_t address(uint64_t i)
{
    return (i * 7919 % LINES) * 64 + 8 * (i % 8);
}

static void write_text(kind k, const char *path)
{
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    for (uint64_t i = 0; i < ACCESSES; i++)
        if (k == LACKEY)
            fprintf(out, " L %llx,8\n", (unsigned long long)address(i));
        else if (k == VIEW)
            fprintf(out, "%llu: T%llu read 8 byte(s) @ 0x%llx by PC 0x0000000000402680\n",
                    (unsigned long long)i + 1, (unsigned long long)(i % THREADS + 5),
                    (unsigned long long)address(i));
        else
            fprintf(out, "%llu %llu 8 r\n", (unsigned long long)(i % THREADS),
                    (unsigned long long)address(i));
    fclose(out);
}

static int write_on(void *user, const char *data, size_t length)
{
    return fwrite(data, 1, length, user) != length;
}

static void pack(const char *from, const char *to)
{
    FILE *out = fopen(to, "w");
    ck_assert_int_eq(pluss_trace_pack(ctx, from, NULL, write_on, out), PLUSS_OK);
    fclose(out);
}

static bytes read_file(const char *path)
{
    bytes b = {0};
    char block[1 << 16];
    FILE *in = fopen(path, "r");
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
        add_bytes(&b, block, n);
    fclose(in);
    return b;
}

static void write_bytes(const char *path, const void *at, size_t n)
{
    FILE *out = fopen(path, "w");
    ck_assert_uint_eq(fwrite(at, 1, n, out), n);
    fclose(out);
}

/* The trace of a kind; its path is good until some more are asked for. */
static const char *make_trace(kind k)
{
    const char *path = path_of(kind_name[k]);
    if (k <= VIEW) {
        write_text(k, path);
    } else if (k == PLAIN_GZ) {
        write_text(PLAIN, path_of("text"));
        bytes b = read_file(path_of("text"));
        gzFile out = gzopen(path, "w");
        ck_assert_int_eq(gzwrite(out, b.at, (unsigned)b.n), (int)b.n);
        ck_assert_int_eq(gzclose(out), Z_OK);
        free(b.at);
    } else {
        const char *packed = k == PACKED ? path : path_of("unpressed");
        write_text(PLAIN, path_of("text"));
        pack(path_of("text"), packed);
        if (k == PACKED_ZSTD) {
            bytes b = read_file(packed);
            const size_t room = ZSTD_compressBound(b.n);
            char *to = malloc(room);
            const size_t n = ZSTD_compress(to, room, b.at, b.n, 1);
            ck_assert(!ZSTD_isError(n));
            write_bytes(path, to, n);
            free(to);
            free(b.at);
        }
    }
    last = (told){0};
    return path;
}

typedef pluss_status (*run_fn)(pluss_context *, const pluss_nests *, const pluss_options *,
                               pluss_result **);

static void run(run_fn what, const char *path, const char *words, pluss_status expected)
{
    pluss_nests *nests = NULL;
    pluss_options *options = NULL;
    pluss_result *result = NULL;
    ck_assert_int_eq(pluss_nests_read(ctx, path, &nests), PLUSS_OK);
    ck_assert_int_eq(make_options(ctx, words, &options), PLUSS_OK);
    ck_assert_int_eq(what(ctx, nests, options, &result), expected);
    pluss_result_free(result);
    pluss_options_free(options);
    pluss_nests_free(nests);
}

START_TEST(every_kind_of_trace_has_a_total)
{
    char path[80];
    strcpy(path, make_trace((kind)_i));
    run(pluss_nests_simulate, path, "", PLUSS_OK);
    went_forward("simulate", 6);
    run(pluss_nests_simulate, path, "cache=L1=32K:ways=8 line=64,128", PLUSS_OK);
    went_forward("simulate with levels and two sizes of lines", 12);
    run(pluss_nests_predict, path, "model=crd", PLUSS_OK);
    went_forward("predict", 3);
    pack(path, path_of("again"));
    went_forward("pack", 3);
    /* all of it can be given up at any time */
    for (int at = 1; at <= 6; at++) {
        last = (told){.stop_at = at};
        run(pluss_nests_simulate, path, "", PLUSS_ECANCELLED);
        ck_assert_int_eq(last.calls, at);
    }
}
END_TEST

START_TEST(generation_has_a_total)
{
    for (int at = 0; at < 4; at++) {
        bytes b = {0};
        last = (told){.stop_at = at};
        const char *what = "lines=50,60:accesses=70000";
        ck_assert_int_eq(pluss_trace_generate(ctx, what, add_bytes, &b),
                         at ? PLUSS_ECANCELLED : PLUSS_OK);
        if (!at)
            went_forward("generate", 6);
        free(b.at);
    }
}
END_TEST

/* ---- pipes -------------------------------------------------------------------------------------
 */

static void *write_pipe(void *path)
{
    write_text(PLAIN, path);
    return NULL;
}

START_TEST(a_pipe_has_no_total)
{
    pthread_t writer;
    char path[80];
    strcpy(path, path_of("pipe"));
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(pthread_create(&writer, NULL, write_pipe, path), 0);
    pack(path, path_of("packed"));
    pthread_join(writer, NULL);
    ck_assert_int_ge(last.calls, 3);
    ck_assert_int_eq(last.unknown, last.calls);
    ck_assert_uint_eq(last.steps, ACCESSES);
}
END_TEST

/* A file that becomes longer while it is read has the total that it had. */
START_TEST(a_file_that_grows)
{
    char path[80];
    strcpy(path, make_trace(PLAIN));
    ck_assert_int_eq(truncate(path, 1 << 20), 0);
    FILE *more = fopen(path, "a");
    pluss_nests *nests = NULL;
    ck_assert_int_eq(pluss_nests_read(ctx, path, &nests), PLUSS_OK);
    fputs("\n", more);
    for (int i = 0; i < 300000; i++)
        fputs("0 64 8 r\n", more);
    fclose(more);
    pluss_result *result = NULL;
    pluss_status status = pluss_nests_simulate(ctx, nests, NULL, &result);
    ck_assert(status == PLUSS_OK || status == PLUSS_EFORMAT); /* a line was cut */
    ck_assert_int_eq(last.back, 0);
    pluss_result_free(result);
    pluss_nests_free(nests);
}
END_TEST

/* ---- co-runs -----------------------------------------------------------------------------------
 */

static const char nest_text[] =
    "pluss-nest 1\nsymbol n = 4\narray f64 A[20000]\narray f64 B[20000]\nregion r\n"
    "parallel for t in 0..9 { for i in 0..20000 { read A[i] write B[i] } }\n";

static void corun(bool simulates, const char *const *path, size_t n, const char *words)
{
    pluss_nests *nests[3];
    pluss_options *options = NULL;
    pluss_result *result = NULL;
    ck_assert_int_eq(make_options(ctx, words, &options), PLUSS_OK);
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(pluss_nests_read(ctx, path[i], &nests[i]), PLUSS_OK);
    ck_assert_int_eq((simulates ? pluss_corun_simulate : pluss_corun_predict)(
                         ctx, (const pluss_nests *const *)nests, n, options, &result),
                     PLUSS_OK);
    for (size_t i = 0; i < n; i++)
        pluss_nests_free(nests[i]);
    pluss_result_free(result);
    pluss_options_free(options);
}

START_TEST(co_runs_have_a_total)
{
    char nest[80], trace[80];
    strcpy(nest, path_of("r.nest"));
    write_bytes(nest, nest_text, strlen(nest_text));
    strcpy(trace, make_trace(PLAIN));
    const char *const both[] = {nest, trace, nest}, *const nests[] = {nest, nest},
                      *const traces[] = {trace, trace};
    static const char *const words[] = {"", "threads=1,2", "rates=1,0.25"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int simulates = 0; simulates < 2; simulates++) {
            corun(simulates, nests, 2, words[i]);
            went_forward("two nests", 2);
            corun(simulates, traces, 2, words[i]);
            went_forward("two traces", 2);
            if (i < 2) {
                corun(simulates, both, 3, words[i]);
                went_forward("nests and a trace", 2);
            }
        }
}
END_TEST

/* ---- records -----------------------------------------------------------------------------------
 */

static const char recorded[] =
    "pluss-record 3\nline 64\nregion \"r\" \"a.c\":4 team 2 runs 2 lost 0\nend\n"
    "region \"s\" \"a.c\":9 team 2 runs 1 lost 0\nend\n";

/* Two runs of the first region, one of the other, three million touches in the longest. */
static void write_record(const char *path)
{
    uint64_t line[PLUSSI_TOUCHES_MOST];
    FILE *out = begin_trace(trace_of(path));
    for (uint64_t i = 0; i < PLUSSI_TOUCHES_MOST; i++)
        line[i] = plussi_touch_entry(i * 7919 % LINES, 0, UINT32_MAX);
    for (uint32_t run = 0; run < 3; run++) {
        const uint64_t at = 100000 * run, sections = run == 1 ? 3000 : 1000;
        for (uint64_t i = 0; i < sections; i++)
            put_touches(out, run, i % 2, at + 10 * i, at + 10 * i + 15, line, PLUSSI_TOUCHES_MOST);
        put_run(out, run, 2, at, at + 99999, (plussi_run_entry){run / 2, 0});
    }
    fclose(out);
    write_bytes(path, recorded, strlen(recorded));
}

START_TEST(records_have_a_total)
{
    pluss_record *record = NULL;
    pluss_result *result = NULL;
    pluss_options *options = NULL;
    char path[80];
    strcpy(path, path_of("record"));
    write_record(path);
    ck_assert_int_eq(pluss_record_read(ctx, path, &record), PLUSS_OK);
    ck_assert_int_eq(pluss_record_simulate(ctx, record, 0, &result), PLUSS_OK);
    went_forward("two runs of a region", 4);
    pluss_result_free(result);
    ck_assert_int_eq(pluss_record_simulate(ctx, record, SIZE_MAX, &result), PLUSS_OK);
    went_forward("all runs in a row", 4);
    pluss_result_free(result);
    result = NULL;
    ck_assert_int_eq(make_options(ctx, "progress=recorded simulate", &options), PLUSS_OK);
    ck_assert_int_eq(pluss_record_run(ctx, record, NULL, 0, options, &result), PLUSS_OK);
    went_forward("two regions and the sequence", 8);
    pluss_result_free(result);
    pluss_options_free(options);
    pluss_record_free(record);
}
END_TEST

/* ---- foldings ----------------------------------------------------------------------------------
 */

static void write_sum(const char *path, int n, int threads)
{
    FILE *out = fopen(path, "w");
    for (int t = 0; t < threads; t++)
        fprintf(out, "%d region 1\n", t);
    for (int t = 0; t < threads; t++)
        for (int i = t * (n / threads); i < (t + 1) * (n / threads); i++)
            for (int k = 0; k < 40; k++)
                fprintf(out, "%d %d 8 r 0x401136\n", t, 4096 + 8 * (40 * i + k));
    for (int t = 0; t < threads; t++)
        fprintf(out, "%d leave\n", t);
    fclose(out);
}

START_TEST(foldings_have_a_total)
{
    static const char *const symbol[] = {"n"};
    static const int64_t size[] = {3000, 6000, 9000, 12000};
    char path[4][80];
    const char *trace[4];
    for (int i = 0; i < 4; i++) {
        trace[i] = strcpy(path[i], path_of((const char *[]){"a", "b", "c", "d"}[i]));
        write_sum(trace[i], (int)size[i], _i);
    }
    for (int stop = 0; stop < 3; stop++) {
        pluss_nest *nest = NULL;
        last = (told){.stop_at = stop};
        const pluss_status status = pluss_nest_fold(ctx, trace, 4, symbol, 1, size, &nest);
        ck_assert_int_eq(status, stop ? PLUSS_ECANCELLED : PLUSS_OK);
        ck_assert(!nest == (stop > 0));
        pluss_nest_free(nest);
        if (!stop)
            went_forward("fold", 24);
    }
}
END_TEST

/* ---- nests -------------------------------------------------------------------------------------
 */

START_TEST(nests_have_a_total)
{
    char nest[80];
    strcpy(nest, path_of("r.nest"));
    write_bytes(nest, nest_text, strlen(nest_text));
    run(pluss_nests_simulate, nest, "threads=1,3 cache=L1=32K:ways=8 line=64,128", PLUSS_OK);
    went_forward("simulate", 4);
    run(pluss_nests_predict, nest, "threads=1,3 line=64,128", PLUSS_OK);
    went_forward("predict", 4);
    run(pluss_nests_predict, nest, "model=extrapolate", PLUSS_OK);
    went_forward("extrapolate", 2);
    run(pluss_nests_simulate, nest, "threads=2,3 define=n=1,2 schedule=static schedule=dynamic",
        PLUSS_OK);
    went_forward("two values, two schedules", 8);
}
END_TEST

/* What is not counted beforehand, since that would take too long, tells its place in the loops. */
START_TEST(what_is_not_counted_has_a_total)
{
    static const char text[] =
        "pluss-nest 1\narray f64 A[2000]\nregion r\nfor t in 0..10 { read A[t] }\n"
        "parallel for i in 0..900 schedule(%s) { for j in 0..900 { for k in 0..(i + j * 7) %% 17 "
        "{\n"
        "if ((i + j) %% 3 < k %% 2) { read A[k + i] write A[j] } } } }\n";
    char path[80], other[80], whole[sizeof text + 20];
    for (int k = 0; k < 3; k++) {
        snprintf(whole, sizeof whole, text,
                 ((const char *[]){"static", "dynamic, 2", "guided"})[k]);
        strcpy(path, path_of("r.nest"));
        write_bytes(path, whole, strlen(whole));
        run(pluss_nests_simulate, path, "threads=1,4 cache=L1=32K:ways=8", PLUSS_OK);
        went_forward("simulate", 8);
        strcpy(other, path_of("s.nest"));
        write_bytes(other, nest_text, strlen(nest_text));
        corun(true, (const char *const[]){path, other}, 2, "threads=4");
        went_forward("co-run", 2);
    }
}
END_TEST

/* Formulas of two regions, for lines of one size and of any, and an estimate with its walk. */
START_TEST(formulas_have_a_total)
{
    static const char text[] =
        "pluss-nest 1\nsymbol n, m\narray f64 A[n][m], B[m][n]\n"
        "array i64 p[4] values(0, 3, 3, 7)\nregion r\n"
        "for i in 0..n { for j in 0..m { read A[i][j] write B[j][i] } }\nregion s\n"
        "for i in 0..n { for j in 0..m { read B[j][i] write A[i][j] } }\nregion t\n"
        "for i in 0..n { for k in p[i % 3]..p[i % 3 + 1] { read A[0][k] } }\n";
    static const char *const words[] = {"", "any-line", "define=n=900 define=m=800 cache=32K"};
    char path[80];
    write_bytes(strcpy(path, path_of("r.nest")), text, strlen(text));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int at = 0; at < 4; at++) {
            pluss_nests *nests = NULL;
            pluss_options *options = NULL;
            pluss_report *report = NULL;
            ck_assert_int_eq(pluss_nests_read(ctx, path, &nests), PLUSS_OK);
            ck_assert_int_eq(make_options(ctx, words[i], &options), PLUSS_OK);
            last = (told){.stop_at = at};
            ck_assert_int_eq(pluss_nests_symbolic(ctx, nests, options, &report),
                             at ? PLUSS_ECANCELLED : PLUSS_OK);
            if (!at)
                went_forward("symbolic", 12);
            pluss_report_free(report);
            pluss_options_free(options);
            pluss_nests_free(nests);
        }
}
END_TEST

START_TEST(advice_and_remarks_have_a_total)
{
    static const char words[] = "threads=2,3 cache=L1=32K:ways=8,L2=1M:ways=16";
    static const char text[] =
        "pluss-nest 1\narray f64 A[400][400]\narray f64 B[400][400]\nregion r\n"
        "parallel for i in 0..400 { for j in 0..400 { read A[j][i] write B[j][i] } }\nregion s\n"
        "parallel for i in 0..400 { for j in 0..400 { read B[j][i] write A[i][j] } }\n";
    char path[80];
    pluss_nests *nests = NULL;
    pluss_options *options = NULL;
    pluss_advice *advice = NULL;
    pluss_report *report = NULL;
    pluss_severity worst;
    write_bytes(strcpy(path, path_of("r.nest")), text, strlen(text));
    ck_assert_int_eq(pluss_nests_read(ctx, path, &nests), PLUSS_OK);
    ck_assert_int_eq(make_options(ctx, words, &options), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_advise(ctx, nests, options, &advice), PLUSS_OK);
    went_forward("advise", 20);
    ck_assert_int_eq(pluss_nests_remark(ctx, nests, options, &worst, &report), PLUSS_OK);
    went_forward("remark", 8);
    pluss_report_free(report);
    pluss_advice_free(advice);
    pluss_options_free(options);
    pluss_nests_free(nests);
}
END_TEST

static Suite *asked_suite(void)
{
    Suite *suite = suite_create("asked");
    TCase *tc = tcase_create("all");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, every_kind_of_trace_has_a_total, 0, KINDS);
    tcase_add_test(tc, generation_has_a_total);
    tcase_add_test(tc, a_pipe_has_no_total);
    tcase_add_test(tc, a_file_that_grows);
    tcase_add_test(tc, co_runs_have_a_total);
    tcase_add_test(tc, records_have_a_total);
    tcase_add_loop_test(tc, foldings_have_a_total, 1, 3);
    tcase_add_test(tc, nests_have_a_total);
    tcase_add_test(tc, what_is_not_counted_has_a_total);
    tcase_add_test(tc, formulas_have_a_total);
    tcase_add_test(tc, advice_and_remarks_have_a_total);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(asked_suite())
