/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Touches of runs: read back and merged by time, and the curve of what was merged.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "exact/lru.h"
#include "failing_mem.h"
#include "one_file.h"
#include "rt/own_memory.h"
#include "rt/sidecar.h"
#include "rt/touch_log.h"
#include "study/pipeline.h"
#include "trace/recorded.h"
#include "trace/touches.h"
#include "trace_file.h"

/* The record that `path` is the sidecar file of. */
static char record_path[64];

static void setup_record(void)
{
    setup();
    strcpy(record_path, path);
    unlink(path);
    strcpy(path, trace_of(record_path));
}

/* Their lines. */
static pluss_status next_lines(plussi_touches *touches, uint64_t *line, size_t cap, size_t *n)
{
    plussi_access *access = calloc(cap, sizeof *access);
    pluss_status status = plussi_trace_next(plussi_touches_trace(touches), access, cap, n);
    for (size_t i = 0; i < *n; i++)
        line[i] = access[i].line;
    free(access);
    return status;
}

static void expect(const plussi_trace_reader *t, uint32_t run, const uint64_t *line, size_t n)
{
    uint64_t got[64];
    size_t all = 0, some;
    plussi_touches *touches;
    ck_assert_int_eq(plussi_touches_new(t, run, &touches), PLUSS_OK);
    do {
        ck_assert_int_eq(next_lines(touches, got + all, all % 3 + 1, &some), PLUSS_OK);
        all += some;
    } while (some > 0);
    plussi_touches_free(touches);
    ck_assert_uint_eq(all, n);
    ck_assert_mem_eq(got, line, n * sizeof *line);
}

/* Thread 0 touches at 100 + 25, 75, 125, 175; thread 1 at 150, then at 300 three times at once, and
 * its next block begins in the same tick. Run 1 lies in run 0's time. */
static void small_trace(void)
{
    static const uint64_t a[] = {1, 2, 3, 4}, b[] = {11}, c[] = {12, 13, 14}, d[] = {15},
                          e[] = {21, 22};
    FILE *out = begin_trace(path);
    put_touches(out, 0, 1, 140, 160, b, 1);
    put_touches(out, 0, 0, 100, 300, a, 4);
    put_touches(out, 1, 0, 240, 280, e, 2);
    put_run(out, 1, 1, 0, 0, (plussi_run_entry){1, 0});
    put_touches(out, 0, 1, 300, 300, c, 3);
    put_touches(out, 0, 1, 300, 300, d, 1);
    put_run(out, 0, 2, 0, 0, (plussi_run_entry){0, 0});
    fclose(out);
}

START_TEST(touches_come_by_time)
{
    static const uint64_t first[] = {1, 11, 2, 3, 4, 12, 13, 14, 15}, second[] = {21, 22},
                          all[] = {1, 11, 2, 3, 21, 22, 4, 12, 13, 14, 15};
    plussi_trace_reader *t;
    small_trace();
    ck_assert_int_eq(plussi_trace_open(&ctx, path, &t), PLUSS_OK);
    ck_assert_uint_eq(t->line_bytes, 64);
    ck_assert_uint_eq(t->n_runs, 2);
    ck_assert_uint_eq(t->run[0].number, 1);
    ck_assert_uint_eq(t->run[0].block, 1);
    ck_assert_uint_eq(t->run[1].team, 2);
    expect(t, 0, first, 9);
    expect(t, 1, second, 2);
    expect(t, UINT32_MAX, all, 11);
    expect(t, 7, all, 0);
    plussi_trace_close(t);
}
END_TEST

/* ---- many blocks, against sorting ------------------------------------------------------------
 */

enum { THREADS = 5, BLOCKS = 40, TOUCHES = THREADS * BLOCKS * 30 };

typedef struct timed_touch {
    uint64_t time;
    size_t number; /* of the block */
    uint32_t i;
    uint64_t line;
} timed_touch;

static int by_touch(const void *left, const void *right)
{
    const timed_touch *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->i < b->i ? -1 : a->i > b->i;
}

static const plussi_record *record_of(const char *text, plussi_record **out)
{
    ck_assert_int_eq(plussi_record_parse(&ctx, text, strlen(text), NULL, out), PLUSS_OK);
    (*out)->path = record_path;
    return *out;
}

/* The merged order and its curve are those of a sort by time and of an LRU stack behind it. */
START_TEST(curves_are_those_of_the_sorted_touches)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 11, 0);
    timed_touch *all = calloc(TOUCHES, sizeof *all);
    size_t n = 0, number = 0;
    FILE *out = begin_trace(path);
    uint64_t clock[THREADS] = {0};
    for (int b = 0; b < BLOCKS; b++)
        for (uint32_t k = 0; k < THREADS; k++, number++) {
            uint64_t line[30];
            uint32_t touches = 1 + (uint32_t)plussi_rng_below(&rng, 30);
            uint64_t from = clock[k] + plussi_rng_below(&rng, 40) * 1000 + number % 1000,
                     to = from + plussi_rng_below(&rng, 100000);
            clock[k] = to + 1;
            for (uint32_t i = 0; i < touches; i++) {
                line[i] = plussi_rng_below(&rng, 60);
                all[n++] = (timed_touch){from + (to - from) * (2 * i + 1) / (2 * touches), number,
                                         i, line[i]};
            }
            put_touches(out, 3, k, from, to, line, touches);
        }
    put_run(out, 3, THREADS, 0, 0, (plussi_run_entry){0, 0});
    fclose(out);
    plussi_trace_reader *t;
    plussi_touches *touches;
    ck_assert_int_eq(plussi_trace_open(&ctx, path, &t), PLUSS_OK);
    uint64_t *got = calloc(n + 1, sizeof *got);
    size_t count;
    ck_assert_int_eq(plussi_touches_new(t, UINT32_MAX, &touches), PLUSS_OK);
    ck_assert_int_eq(next_lines(touches, got, n + 1, &count), PLUSS_OK);
    ck_assert_uint_eq(count, n);
    plussi_touches_free(touches);
    plussi_trace_close(t);
    /* where two threads touch in the same tick either order is as good: stamps that differ alone */
    qsort(all, n, sizeof *all, by_touch);
    for (size_t i = 0; i < n; i++)
        if ((i == 0 || all[i - 1].time != all[i].time) &&
            (i + 1 == n || all[i + 1].time != all[i].time))
            ck_assert_uint_eq(got[i], all[i].line);
    plussi_lru *lru;
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    size_t hits = 0;
    for (size_t i = 0; i < n; i++)
        hits += plussi_lru_touch(lru, got[i]) < 16;
    plussi_lru_free(lru);
    plussi_record *record;
    plussi_result result;
    plussi_request request = {.seed = 9};
    plussi_result_init(&result, &plussi_mem_libc);
    record_of("pluss-record 3\nline 64\nregion \"r\" \"a.c\":4 team 5 runs 1 lost 0\n"
              "symbol \"n\" 7\nsymbol \"m\" -9223372036854775808\nend\n",
              &record);
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, 0, NULL, NULL, &request, &result), PLUSS_OK);
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, SIZE_MAX, NULL, NULL, &request, &result),
        PLUSS_OK);
    for (int i = 0; i < 2; i++) {
        const plussi_curve *c = &result.curve[i];
        ck_assert_str_eq(c->id.region, "r");
        ck_assert_str_eq(c->id.engine, "recorded");
        ck_assert(c->id.simulated);
        ck_assert_uint_eq(c->id.team, 5);
        ck_assert_uint_eq(c->footprint_lines, 60);
        ck_assert_double_eq(c->mrc.accesses, (double)n);
        ck_assert_double_eq_tol(plussi_mrc_at(&c->mrc, 16), 1 - (double)hits / (double)n, 1e-12);
    }
    ck_assert_uint_eq(result.curve[0].id.n_values, 1);
    ck_assert_int_eq(result.curve[0].id.values[0].value, 7);
    plussi_result_free(&result);
    plussi_record_free(record);
    free(all);
    free(got);
}
END_TEST

#define TWO_BLOCKS                                                                                 \
    "pluss-record 3\nline 64\nregion \"r\" \"a.c\":4 team 2 runs 2 lost 0\nend\n"                  \
    "region \"s\" \"a.c\":9 team 1 runs 1 lost 0\nend\n"

/* A block's runs each find an empty cache; together they find what the one before left. */
START_TEST(runs_alone_and_in_a_row)
{
    static const uint64_t lines[] = {1, 2, 3, 1};
    plussi_record *record;
    plussi_result result;
    plussi_request request = {0};
    plussi_result_init(&result, &plussi_mem_libc);
    FILE *out = begin_trace(path);
    for (uint32_t run = 0; run < 3; run++) {
        put_touches(out, run, 0, run * 1000, run * 1000 + 10, lines, 4);
        put_run(out, run, run == 1 ? 1 : 2, 0, 0, (plussi_run_entry){run == 1, 0});
    }
    fclose(out);
    record_of(TWO_BLOCKS, &record);
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, 0, NULL, NULL, &request, &result), PLUSS_OK);
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, SIZE_MAX, NULL, NULL, &request, &result),
        PLUSS_OK);
    ck_assert_double_eq(result.curve[0].mrc.accesses, 4);
    ck_assert_uint_eq(result.curve[0].footprint_lines, 3);
    ck_assert_double_eq(plussi_mrc_at(&result.curve[0].mrc, 100), 0.75);
    ck_assert_double_eq(result.curve[1].mrc.accesses, 12);
    ck_assert_uint_eq(result.curve[1].footprint_lines, 3);
    ck_assert_double_eq(plussi_mrc_at(&result.curve[1].mrc, 100), 0.25);
    ck_assert_str_eq(result.curve[1].id.region, "r+s");
    ck_assert_uint_eq(result.curve[1].id.team, 2);
    plussi_result_free(&result);
    plussi_record_free(record);
}
END_TEST

/* What libpluss-rt writes is what is read here. */
START_TEST(the_runtimes_touches_are_read)
{
    setenv("PLUSS_INTERLEAVE", "tsc", 1);
    setenv("PLUSS_RECORD", record_path, 1);
    ck_assert(plussi_sidecar_enabled(PLUSSI_SIDECAR_TOUCHES));
    ck_assert(!plussi_sidecar_enabled(PLUSSI_SIDECAR_STAMPS));
    plussi_touch_log *log = plussi_touch_log_new(0, 0);
    for (uint64_t i = 0; i < 2500; i++)
        plussi_touch_log_add(log, i);
    plussi_touch_log_cut(log);
    plussi_sidecar_run(0, 1, 0, (plussi_run_entry){0, 0});
    plussi_outfile file = plussi_sidecar_take();
    plussi_touch_log_add(log, 1);
    plussi_touch_log_cut(log); /* too late */
    ck_assert(!plussi_sidecar_enabled(PLUSSI_SIDECAR_TOUCHES));
    ck_assert_int_eq(plussi_outfile_finish(&file), 0);
    plussi_free(&plussi_own, log);
    plussi_trace_reader *t;
    plussi_touches *touches;
    uint64_t got[2501];
    size_t n;
    ck_assert_int_eq(plussi_trace_open(&ctx, path, &t), PLUSS_OK);
    ck_assert_int_eq(plussi_touches_new(t, 0, &touches), PLUSS_OK);
    ck_assert_int_eq(next_lines(touches, got, 2501, &n), PLUSS_OK);
    ck_assert_uint_eq(n, 2500);
    for (uint64_t i = 0; i < n; i++)
        ck_assert_uint_eq(got[i], i);
    plussi_touches_free(touches);
    plussi_trace_close(t);
}
END_TEST

/* ---- levels ------------------------------------------------------------------------------------
 */

START_TEST(entries_hold_what_has_room)
{
    static const struct {
        uint64_t line, byte;
        uint32_t ref;
        bool known;
    } cases[] = {{0, 0, 0, true},
                 {0, 63, 0, true},
                 {(UINT64_C(1) << 44) - 1, 63, PLUSSI_TOUCH_REF_MOST, true},
                 {UINT64_C(1) << 44, 0, 0, false},
                 {(UINT64_C(1) << 50) - 1, 0, 0, false},
                 {5, 64, 0, false},
                 {5, 0, PLUSSI_TOUCH_REF_MOST + 1, false},
                 {5, 0, UINT32_MAX, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t byte, ref;
        uint64_t entry = plussi_touch_entry(cases[i].line, cases[i].byte, cases[i].ref);
        ck_assert_uint_eq(plussi_touch_line(entry, &byte, &ref), cases[i].line);
        ck_assert_uint_eq(ref, cases[i].known ? cases[i].ref : UINT32_MAX);
        ck_assert_uint_eq(byte, cases[i].known ? cases[i].byte : UINT32_MAX);
    }
}
END_TEST

static const char levels_nest[] =
    "pluss-nest 1 array f64 A[16][16] array f64 B[16][16] array f64 S region r parallel for i in "
    "0..16 schedule(static,1) { for j in 0..16 { read A[j][i]; write B[j][i]; read S; write S; } }";
static const char two_threads[] = "pluss-record 3\nline 64\nregion \"r\" \"a.c\":4 team 2 runs 1 "
                                  "lost 0\nend\n";
static const char two_levels[] = "L1=512:ways=2,L2=2K:ways=4:shared";

/* Two threads take turns, as in the order that is written; drop: one reference is not known. */
static void write_levels(plussi_nest *nest, plussi_request *request, bool drop)
{
    enum { MOST = 2048 };
    static plussi_access access[MOST];
    static uint64_t entry[2][PLUSSI_TOUCHES_MOST];
    const uint32_t team = 2;
    plussi_bound *bound;
    plussi_walk *walk;
    plussi_merge *merge;
    size_t n, of[2] = {0};
    plussi_request_init(request, &plussi_mem_libc);
    ck_assert_int_eq(plussi_request_set_teams(&ctx, request, &team, 1), PLUSS_OK);
    ck_assert_int_eq(plussi_request_set(&ctx, request, "cache", two_levels), PLUSS_OK);
    ck_assert_int_eq(plussi_request_set(&ctx, request, "progress", "round-robin"), PLUSS_OK);
    const plussi_bind_options options = {.team = team, .line_bytes = 64};
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 0, &walk), PLUSS_OK);
    plussi_walk_give_addresses(walk);
    ck_assert_int_eq(plussi_merge_new(&ctx, walk, &request->progress, 0, &merge), PLUSS_OK);
    do {
        ck_assert_int_eq(plussi_trace_next(plussi_merge_trace(merge), access, MOST, &n), PLUSS_OK);
        for (size_t i = 0; i < n; i++) {
            const plussi_access *a = &access[i];
            entry[a->thread][of[a->thread]++] =
                plussi_touch_entry(a->line / 64, a->line % 64, drop ? UINT32_MAX : a->ref);
            drop = false;
        }
    } while (n > 0);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
    plussi_bound_free(bound);
    FILE *out = begin_trace(path);
    ck_assert_uint_eq(of[0], of[1]);
    for (uint32_t k = 0; k < 2; k++) /* at 1, 3, 5 ... and 2, 4, 6 ... */
        put_touches(out, 0, k, k, k + 2 * of[k], entry[k], of[k]);
    put_run(out, 0, 2, 0, 0, (plussi_run_entry){0, 0});
    fclose(out);
}

static void same_level(const plussi_level_result *a, const plussi_level_result *b)
{
    ck_assert_str_eq(a->level.name, b->level.name);
    ck_assert_uint_eq(a->n_parts, b->n_parts);
    for (size_t p = 0; p < a->n_parts; p++) {
        const plussi_misses *x = &a->part[p].misses, *y = &b->part[p].misses;
        ck_assert_str_eq(a->part[p].site.text, b->part[p].site.text);
        ck_assert_double_eq(x->requests, y->requests);
        ck_assert_double_eq(x->after_other, y->after_other);
        ck_assert_double_eq(x->written_back, y->written_back);
        for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
            ck_assert_double_eq(x->kind[k], y->kind[k]);
    }
}

/* An order that is recorded has the levels of the same order walked; none where something is not
 * known, which is said. */
START_TEST(levels_are_those_of_the_same_order)
{
    plussi_nest *nest;
    plussi_record *record;
    plussi_request request;
    plussi_result result, walked;
    ck_assert_int_eq(plussi_nest_parse(&ctx, levels_nest, strlen(levels_nest), "t.nest", &nest),
                     PLUSS_OK);
    write_levels(nest, &request, false);
    record_of(two_threads, &record);
    plussi_result_init(&result, &plussi_mem_libc);
    plussi_result_init(&walked, &plussi_mem_libc);
    ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &walked), PLUSS_OK);
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, 0, nest, NULL, &request, &result), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 0);
    ck_assert_uint_eq(result.n_levels, 2);
    for (size_t l = 0; l < 2; l++)
        same_level(&result.level[l], &walked.level[l]);
    ck_assert_double_gt(result.level[0].misses.kind[PLUSSI_MISS_TRUE_SHARING], 0);
    ck_assert_double_gt(result.level[0].misses.kind[PLUSSI_MISS_FALSE_SHARING], 0);
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, 0, NULL, "it is gone", &request, &result),
        PLUSS_OK);
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, SIZE_MAX, nest, NULL, &request, &result),
        PLUSS_OK);
    request.line_bytes = 32;
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, 0, nest, NULL, &request, &result), PLUSS_OK);
    plussi_request_free(&request);
    write_levels(nest, &request, true);
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, 0, nest, NULL, &request, &result), PLUSS_OK);
    ck_assert_uint_eq(result.n, 5);
    ck_assert_uint_eq(result.n_levels, 2);
    ck_assert_uint_eq(ctx.n_diags, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_ptr_nonnull(strstr(ctx.diags[i].text, "not counted: "));
    plussi_result_free(&result);
    plussi_result_free(&walked);
    plussi_request_free(&request);
    plussi_record_free(record);
    plussi_nest_free(nest);
}
END_TEST

/* ---- faults ----------------------------------------------------------------------------------
 */

START_TEST(runs_that_are_not_there)
{
    plussi_record *record;
    plussi_result result;
    plussi_request request = {0};
    plussi_result_init(&result, &plussi_mem_libc);
    unlink(path);
    record_of(TWO_BLOCKS, &record);
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, 0, NULL, NULL, &request, &result),
        PLUSS_EIO);
    small_trace();
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, 2, NULL, NULL, &request, &result),
        PLUSS_ENOTFOUND);
    record->line_bytes = 32;
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, 0, NULL, NULL, &request, &result),
        PLUSS_EFORMAT);
    record->path = NULL;
    ck_assert_int_eq(
        plussi_pipeline_simulate_touches(&ctx, record, 0, NULL, NULL, &request, &result),
        PLUSS_ENOTFOUND);
    plussi_record_free(record);
    plussi_result_free(&result);
}
END_TEST

START_TEST(memory_runs_out)
{
    plussi_record *record;
    plussi_request request;
    plussi_nest *nest;
    ck_assert_int_eq(plussi_nest_parse(&ctx, levels_nest, strlen(levels_nest), "t.nest", &nest),
                     PLUSS_OK);
    write_levels(nest, &request, false);
    record_of(two_threads, &record);
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx c;
        plussi_result result;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&c, &m.mem);
        plussi_result_init(&result, &m.mem);
        pluss_status status =
            plussi_pipeline_simulate_touches(&c, record, 0, nest, NULL, &request, &result);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        ck_assert(status || result.n_levels == 2);
        plussi_result_free(&result);
        plussi_ctx_clear(&c);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
    plussi_record_free(record);
    plussi_request_free(&request);
    plussi_nest_free(nest);
}
END_TEST

static Suite *touches_suite(void)
{
    Suite *suite = suite_create("touches");
    TCase *tc = tcase_create("touches");
    tcase_add_checked_fixture(tc, setup_record, teardown);
    tcase_add_test(tc, touches_come_by_time);
    tcase_add_test(tc, curves_are_those_of_the_sorted_touches);
    tcase_add_test(tc, runs_alone_and_in_a_row);
    tcase_add_test(tc, the_runtimes_touches_are_read);
    tcase_add_test(tc, entries_hold_what_has_room);
    tcase_add_test(tc, levels_are_those_of_the_same_order);
    tcase_add_test(tc, runs_that_are_not_there);
    tcase_add_test(tc, memory_runs_out);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(touches_suite())
