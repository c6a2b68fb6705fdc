/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time stamps of runs: read back, what libpluss-rt writes, and files that are none.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failing_mem.h"
#include "one_file.h"
#include "rt/rt.h"
#include "rt/stamps.h"
#include "rt/trace.h"
#include "trace/stamped.h"

/* ---- writing a file --------------------------------------------------------------------------
 */

enum { MAGIC = 16, HEAD = sizeof(plussi_stamps_head), ITEM = sizeof(plussi_stamp_item) };

static FILE *begin_file(void)
{
    FILE *out = fopen(path, "w");
    char magic[MAGIC] = "pluss-stamps 1\n";
    ck_assert_ptr_nonnull(out);
    fwrite(magic, sizeof magic, 1, out);
    return out;
}

static void put(FILE *out, uint32_t kind, uint32_t n, uint32_t run, uint32_t thread, uint64_t from,
                uint64_t to, const void *entries, size_t bytes)
{
    plussi_stamps_head head = {kind, n, run, thread, from, to};
    fwrite(&head, sizeof head, 1, out);
    if (bytes)
        fwrite(entries, 1, bytes, out);
}

#define AT(kind) ((uint32_t)PLUSSI_RT_STAMP_##kind << 24)
#define NONE 0xffffffu

static void put_times(FILE *out, uint32_t run, uint32_t thread, const plussi_stamp_item *item,
                      uint32_t n)
{
    put(out, PLUSSI_STAMPS_TIMES, n, run, thread, item[0].time, item[n - 1].time, item, n * ITEM);
}

/* A tick is half a nanosecond. */
static void put_clock(FILE *out)
{
    put(out, PLUSSI_STAMPS_CLOCK, 0, 5000, 0, 90, 10090, NULL, 0);
}

/* Run 1 lies in run 0 and ends first. */
static void small_file(void)
{
    static const plussi_stamp_item master[] = {{100, 0, AT(FORK) | NONE, 0},
                                               {110, 0, AT(BEGIN) | NONE, 0},
                                               {120, 0, AT(LOOP) | 3, 0},
                                               {120, 1, AT(ITER) | 3, 0},
                                               {140, 3, AT(ITER) | 3, 0}},
                                   rest[] = {{150, 5, AT(DONE) | 3, 0},
                                             {150, 0, AT(BARRIER) | NONE, 0},
                                             {170, 0, AT(GO) | NONE, 0},
                                             {171, 0, AT(LOOP) | 4, 0},
                                             {172, 0, AT(DONE) | 4, 0},
                                             {180, 0, AT(END) | NONE, 0}},
                                   other[] = {{112, 0, AT(BEGIN) | NONE, 0}};
    static const plussi_rt_chunk chunk[] = {{4, 0, 0, 7}, {4, 0, 9, 11}};
    static const struct {
        uint64_t time;
        plussi_stop_item item[2];
    } stop[] = {{130, {{2, 3, 0}, {0, PLUSSI_STAMPS_NO_LOOP, 0}}}, {140, {{3, 3, 0}, {9, 4, 1}}}};
    FILE *out = begin_file();
    put(out, PLUSSI_STAMPS_RUN, 7, 1, 1, 150, 160, NULL, 0);
    put_times(out, 0, 0, master, 5);
    put_times(out, 0, 1, other, 1);
    put_times(out, 0, 0, rest, 6);
    put(out, PLUSSI_STAMPS_CHUNKS, 2, 0, 1, 0, 0, chunk, sizeof chunk);
    put(out, PLUSSI_STAMPS_STOPS, 2, 0, 2, 130, 140, stop, sizeof stop);
    put(out, PLUSSI_STAMPS_RUN, 2, 0, 2, 90, 190, NULL, 0);
    put_clock(out);
    fclose(out);
}

START_TEST(what_was_written_is_read)
{
    plussi_stamped *s;
    const plussi_stamped_run *all, *run;
    small_file();
    ck_assert_int_eq(plussi_stamped_open(&ctx, path, &s), PLUSS_OK);
    ck_assert_uint_eq(plussi_stamped_runs(s, &all), 2);
    ck_assert_uint_eq(all[0].number, 1);
    ck_assert_uint_eq(all[0].block, 7);
    ck_assert_double_eq(all[0].begin, 30);
    ck_assert_double_eq(all[0].end, 35);
    ck_assert_double_eq(all[1].begin, 0);
    ck_assert_double_eq(all[1].end, 50);
    ck_assert_int_eq(plussi_stamped_load(s, 0, &run), PLUSS_OK);
    ck_assert_uint_eq(run->team, 1);
    ck_assert_uint_eq(run->thread[0].n, 0);
    ck_assert_int_eq(plussi_stamped_load(s, 1, &run), PLUSS_OK);
    ck_assert_uint_eq(run->team, 2);
    ck_assert_uint_eq(run->block, 2);
    ck_assert_uint_eq(run->thread[0].n, 11);
    ck_assert_uint_eq(run->thread[1].n, 1);
    const plussi_stamp *t = run->thread[0].stamp;
    ck_assert_double_eq(t[0].time, 5);
    ck_assert_int_eq(t[0].kind, PLUSSI_STAMP_FORK);
    ck_assert_uint_eq(t[0].loop, PLUSSI_STAMP_NO_LOOP);
    ck_assert_int_eq(t[4].kind, PLUSSI_STAMP_ITER);
    ck_assert_uint_eq(t[4].begun, 3);
    ck_assert_uint_eq(t[4].loop, 3);
    ck_assert_int_eq(t[5].kind, PLUSSI_STAMP_DONE);
    ck_assert_uint_eq(t[5].begun, 5);
    ck_assert_int_eq(t[7].kind, PLUSSI_STAMP_GO);
    ck_assert_double_eq(t[10].time, 45);
    ck_assert_uint_eq(run->n_chunks, 2);
    ck_assert_uint_eq(run->chunk[1].thread, 1);
    ck_assert_uint_eq(run->chunk[1].lo, 9);
    ck_assert_uint_eq(run->chunk[1].hi, 11);
    ck_assert_uint_eq(run->n_stops, 2);
    ck_assert_double_eq(run->stop[1].time, 25);
    ck_assert_uint_eq(run->stop[0].place[0].begun, 2);
    ck_assert_uint_eq(run->stop[0].place[1].loop, PLUSSI_STAMP_NO_LOOP);
    ck_assert_uint_eq(run->stop[1].place[1].begun, 9);
    ck_assert_uint_eq(run->stop[1].place[1].execution, 1);
    const plussi_stamped_run *none = NULL;
    ck_assert_int_eq(plussi_stamped_load(s, 2, &none), PLUSS_EINVAL);
    ck_assert_ptr_null(none);
    plussi_stamped_free(s);
    plussi_stamped_free(NULL);
}
END_TEST

/* ---- what libpluss-rt writes -----------------------------------------------------------------
 */

/* Runs iterations that last so many ticks at least, each from its own begin: one that begins late
 * does not make the next ones shorter. Thread 0's part of run 0. */
static void iterations(plussi_stamps *s, uint32_t loop, uint64_t n, uint64_t ticks)
{
    plussi_stamps_mark(s, PLUSSI_RT_STAMP_LOOP, loop);
    for (uint64_t i = 0; i < n; i++) {
        if (atomic_fetch_add(&s->begun, 1) + 1 >= s->next)
            plussi_stamps_due(s);
        uint64_t from = plussi_trace_now();
        while (plussi_trace_now() - from < ticks)
            ;
    }
    plussi_stamps_mark(s, PLUSSI_RT_STAMP_DONE, loop);
}

START_TEST(the_runtimes_stamps_are_read)
{
    enum { LONG = 50, SHORT = 20000 };
    char name[80];
    snprintf(name, sizeof name, "%s.stamps", path);
    setenv("PLUSS_RECORD", path, 1);
    setenv("PLUSS_STAMPS", "tsc", 1);
    ck_assert(plussi_stamps_wanted());
    ck_assert(plussi_stamps_wanted());
    plussi_stamps *s = plussi_stamps_new(0, 0);
    uint64_t from = plussi_trace_now();
    plussi_stamps_team(s, PLUSSI_RT_STAMP_BEGIN, 0);
    iterations(s, 1, LONG, 40000);
    iterations(s, 2, SHORT, 100);
    iterations(s, 1, 1, 10);
    plussi_stamps_team(s, PLUSSI_RT_STAMP_END, 0);
    plussi_stamps_write(s);
    plussi_stamps_run(0, 0, 1, from, plussi_trace_now());
    ck_assert(!s->lost);
    plussi_stamps_free(s);
    plussi_stamps_free(NULL);
    ck_assert_int_ne(access(name, F_OK), 0);
    ck_assert_int_eq(plussi_stamps_finish(), 0);
    plussi_stamped *got;
    const plussi_stamped_run *run;
    ck_assert_int_eq(plussi_stamped_open(&ctx, name, &got), PLUSS_OK);
    ck_assert_int_eq(plussi_stamped_load(got, 0, &run), PLUSS_OK);
    size_t n[3] = {0}, times = 0;
    for (size_t i = 0; i < run->thread[0].n; i++) {
        const plussi_stamp *t = &run->thread[0].stamp[i];
        if (t->kind == PLUSSI_STAMP_ITER) {
            /* the first ones are stamped one by one, long ones always */
            ck_assert(t->loop == 1 ? t->begun == n[1] % LONG + 1
                                   : n[2] > 1 || t->begun == n[2] + 1);
            n[t->loop]++;
        } else if (t->kind == PLUSSI_STAMP_DONE) {
            ck_assert_uint_eq(t->begun, t->loop == 2 ? SHORT : t->execution == 0 ? LONG : 1);
            times += t->loop == 1;
        }
    }
    ck_assert_uint_eq(n[1], LONG + 1);
    ck_assert_uint_eq(times, 2);
    /* short ones: not more often than every 2.5 us, but for the first; half as often at least */
    double length = run->end - run->begin;
    ck_assert_uint_gt(n[2], 10);
    ck_assert_double_lt((double)(n[2] - 15), length / 2500);
    plussi_stamped_free(got);
    unlink(name);
}
END_TEST

/* ---- faults ----------------------------------------------------------------------------------
 */

static void message(const char *words)
{
    ck_assert_uint_gt(ctx.n_diags, 0);
    const plussi_diag *d = &ctx.diags[ctx.n_diags - 1];
    ck_assert_str_eq(d->file, path);
    ck_assert_msg(strstr(d->text, words), "%s; expected %s", d->text, words);
}

static void refused(pluss_status status, const char *words)
{
    plussi_stamped *none = NULL;
    ck_assert_int_eq(plussi_stamped_open(&ctx, path, &none), status);
    ck_assert_ptr_null(none);
    message(words);
}

static void refused_block(uint32_t kind, uint32_t n, uint32_t thread, uint64_t from, uint64_t to,
                          size_t bytes, const char *words)
{
    static const char zeros[200];
    FILE *out = begin_file();
    put(out, kind, n, 0, thread, from, to, zeros, bytes);
    put(out, PLUSSI_STAMPS_RUN, 0, 0, 2, 0, 10, NULL, 0);
    put_clock(out);
    fclose(out);
    refused(PLUSS_EFORMAT, words);
}

START_TEST(files_that_are_none)
{
    refused(PLUSS_EFORMAT, "byte 0: the file ends, expected time stamps");
    FILE *out = fopen(path, "w");
    fputs("hello, these are no time stamps", out);
    fclose(out);
    refused(PLUSS_EFORMAT, "byte 0: no time stamps of version 1");
    fclose(begin_file());
    refused(PLUSS_EFORMAT, "byte 16: the file ends, expected its clock");
    refused_block(9, 0, 0, 0, 0, 0, "byte 16: found no block");
    refused_block(PLUSSI_STAMPS_TIMES, 0, 0, 1, 2, 0, "byte 16: a block with a number or times");
    refused_block(PLUSSI_STAMPS_TIMES, 1, 0, 3, 2, ITEM, "byte 16: a block with a number or times");
    refused_block(PLUSSI_STAMPS_TIMES, 99, 0, 1, 2, ITEM, "byte 16: the file ends within a block");
    refused_block(PLUSSI_STAMPS_TIMES, 1, 2, 1, 2, ITEM, "byte 16: a block of a thread that");
    refused_block(PLUSSI_STAMPS_STOPS, 1, 0, 1, 2, 8, "byte 16: stops of a team that cannot be");
    refused_block(PLUSSI_STAMPS_STOPS, 1, 3, 1, 2, 8 + 3 * 16, "byte 16: a block of a thread that");
    refused_block(PLUSSI_STAMPS_STOPS, 1, 70000, 1, 2, 8, "stops of a team that cannot be");
    refused_block(PLUSSI_STAMPS_RUN, 0, 0, 1, 2, 0, "byte 16: a run with a team or times");
    refused_block(PLUSSI_STAMPS_RUN, 0, 1, 3, 2, 0, "byte 16: a run with a team or times");
    refused_block(PLUSSI_STAMPS_CLOCK, 0, 1, 2, 2, 0, "byte 16: a clock that stands still");
    refused_block(PLUSSI_STAMPS_CLOCK, 0, 0, 1, 2, 0, "byte 16: a clock that stands still");
    refused_block(PLUSSI_STAMPS_CLOCK, 0, 1, 1, 2, 0, "byte 48: a block behind the clock");
    static const plussi_stamp_item begin = {100, 0, AT(BEGIN) | NONE, 0};
    out = begin_file();
    put_times(out, 5, 0, &begin, 1);
    put(out, PLUSSI_STAMPS_RUN, 0, 0, 2, 0, 10, NULL, 0);
    fclose(out);
    refused(PLUSS_EFORMAT, "byte 16: a block of another run");
    out = begin_file();
    put_times(out, 5, 0, &begin, 1);
    put_clock(out);
    fclose(out);
    refused(PLUSS_EFORMAT, "byte 16: a block of a run that does not end");
    small_file();
    ck_assert_int_eq(truncate(path, MAGIC + HEAD + 10), 0);
    refused(PLUSS_EFORMAT, "byte 48: the file ends within a block");
    unlink(path);
    refused(PLUSS_EIO, "cannot be opened");
}
END_TEST

/* These behind a BEGIN at 100, in a run that began at 90; the second is at byte 72. */
static void refused_stamps(const plussi_stamp_item *item, uint32_t n, const char *words)
{
    plussi_stamp_item all[4] = {{100, 0, AT(BEGIN) | NONE, 0}};
    plussi_stamped *s;
    const plussi_stamped_run *run = NULL;
    memcpy(all + 1, item, n * sizeof *item);
    FILE *out = begin_file();
    put(out, PLUSSI_STAMPS_TIMES, n + 1, 0, 0, 100, 200, all, (n + 1) * ITEM);
    put(out, PLUSSI_STAMPS_RUN, 0, 0, 1, 90, 500, NULL, 0);
    put_clock(out);
    fclose(out);
    ck_assert_int_eq(plussi_stamped_open(&ctx, path, &s), PLUSS_OK);
    if (words) {
        ck_assert_int_eq(plussi_stamped_load(s, 0, &run), PLUSS_EFORMAT);
        ck_assert_ptr_null(run);
        message(words);
    } else {
        ck_assert_int_eq(plussi_stamped_load(s, 0, &run), PLUSS_OK);
    }
    plussi_stamped_free(s);
}

#define STAMPS(words, ...)                                                                         \
    do {                                                                                           \
        const plussi_stamp_item item[] = {__VA_ARGS__};                                            \
        refused_stamps(item, sizeof item / sizeof *item, words);                                   \
    } while (0)

START_TEST(stamps_that_cannot_be)
{
    STAMPS("byte 72: a stamp of a kind", {110, 0, 8u << 24, 0});
    STAMPS("byte 72: a stamp with a loop", {110, 0, AT(LOOP) | NONE, 0});
    STAMPS("byte 72: a stamp with a loop", {110, 0, AT(END) | 3, 0});
    STAMPS("byte 72: a stamp that is earlier", {99, 0, AT(END) | NONE, 0});
    STAMPS("byte 72: a stamp that cannot come", {110, 1, AT(ITER) | 3, 0});
    STAMPS("byte 72: a stamp that cannot come", {110, 1, AT(DONE) | 3, 0});
    STAMPS("byte 72: a stamp that cannot come", {110, 1, AT(LOOP) | 3, 0});
    STAMPS("byte 72: a stamp that cannot come", {110, 0, AT(GO) | NONE, 0});
    STAMPS("byte 96: a stamp that cannot come", {110, 0, AT(BARRIER) | NONE, 0},
           {111, 0, AT(BARRIER) | NONE, 0});
    STAMPS("byte 96: a stamp that cannot come", {110, 0, AT(LOOP) | 3, 0},
           {111, 1, AT(ITER) | 4, 0});
    STAMPS("byte 96: a stamp that cannot come", {110, 0, AT(LOOP) | 3, 0},
           {111, 1, AT(ITER) | 3, 1});
    STAMPS("byte 96: a stamp that cannot come", {110, 0, AT(LOOP) | 3, 0},
           {111, 0, AT(ITER) | 3, 0});
    STAMPS("byte 120: a stamp that cannot come", {110, 0, AT(LOOP) | 3, 0},
           {111, 2, AT(ITER) | 3, 0}, {112, 1, AT(DONE) | 3, 0});
    STAMPS("byte 96: a stamp that cannot come", {110, 0, AT(LOOP) | 3, 0},
           {111, 0, AT(END) | NONE, 0});
    /* a run that was cut short */
    STAMPS(NULL, {110, 0, AT(LOOP) | 3, 0}, {111, 1, AT(ITER) | 3, 0});
}
END_TEST

START_TEST(chunks_and_stops_that_cannot_be)
{
    static const plussi_rt_chunk empty = {4, 0, 7, 7}, nowhere = {NONE, 0, 0, 1};
    static const struct {
        const plussi_rt_chunk *chunk;
        const char *words;
    } chunk[] = {{&empty, "byte 48: a chunk without"}, {&nowhere, "byte 48: a chunk without"}};
    plussi_stamped *s;
    const plussi_stamped_run *run;
    for (size_t i = 0; i < 2; i++) {
        FILE *out = begin_file();
        put(out, PLUSSI_STAMPS_CHUNKS, 1, 0, 0, 0, 0, chunk[i].chunk, sizeof empty);
        put(out, PLUSSI_STAMPS_RUN, 0, 0, 1, 90, 500, NULL, 0);
        put_clock(out);
        fclose(out);
        ck_assert_int_eq(plussi_stamped_open(&ctx, path, &s), PLUSS_OK);
        ck_assert_int_eq(plussi_stamped_load(s, 0, &run), PLUSS_EFORMAT);
        message(chunk[i].words);
        plussi_stamped_free(s);
    }
    static const struct {
        uint64_t time;
        plussi_stop_item item;
    } stop[] = {{130, {2, 3, 0}}, {129, {3, 3, 0}}};
    FILE *out = begin_file();
    put(out, PLUSSI_STAMPS_STOPS, 2, 0, 1, 129, 130, stop, sizeof stop);
    put(out, PLUSSI_STAMPS_RUN, 0, 0, 1, 90, 500, NULL, 0);
    put_clock(out);
    fclose(out);
    ck_assert_int_eq(plussi_stamped_open(&ctx, path, &s), PLUSS_OK);
    ck_assert_int_eq(plussi_stamped_load(s, 0, &run), PLUSS_EFORMAT);
    message("byte 72: a stop that is earlier");
    plussi_stamped_free(s);
}
END_TEST

START_TEST(memory_that_is_not_there)
{
    small_file();
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx own;
        plussi_stamped *s = NULL;
        const plussi_stamped_run *run = NULL;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&own, &m.mem);
        pluss_status status = plussi_stamped_open(&own, path, &s);
        if (!status)
            status = plussi_stamped_load(s, 1, &run);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_stamped_free(s);
        plussi_ctx_clear(&own);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("stamped");
    TCase *t = tcase_create("stamped");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, what_was_written_is_read);
    tcase_add_test(t, the_runtimes_stamps_are_read);
    tcase_add_test(t, files_that_are_none);
    tcase_add_test(t, stamps_that_cannot_be);
    tcase_add_test(t, chunks_and_stops_that_cannot_be);
    tcase_add_test(t, memory_that_is_not_there);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
