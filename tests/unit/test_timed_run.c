/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time stamps of runs: read back, what libpluss-rt writes, and stamps that cannot be.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failing_mem.h"
#include "one_file.h"
#include "rt/sidecar.h"
#include "rt/stamps.h"
#include "rt/ticks.h"
#include "trace/timed_run.h"
#include "trace_file.h"

enum { ITEM = sizeof(plussi_stamp_entry) };

/* Run 1 lies in run 0 and ends first. */
static void small_file(void)
{
    static const plussi_stamp_entry master[] = {{100, 0, AT(FORK, NONE), 0},
                                                {110, 0, AT(BEGIN, NONE), 0},
                                                {120, 0, AT(LOOP, 3), 0},
                                                {120, 1, AT(ITER, 3), 0},
                                                {140, 3, AT(ITER, 3), 0}},
                                    rest[] = {{150, 5, AT(DONE, 3), 0},
                                              {150, 0, AT(BARRIER, NONE), 0},
                                              {170, 0, AT(GO, NONE), 0},
                                              {171, 0, AT(LOOP, 4), 0},
                                              {172, 0, AT(DONE, 4), 0},
                                              {180, 0, AT(END, NONE), 0}},
                                    other[] = {{112, 0, AT(BEGIN, NONE), 0}};
    static const plussi_chunk_entry chunk[] = {{4, 0, 0, 7}, {4, 0, 9, 11}};
    static const struct {
        uint64_t time;
        plussi_stop_place item[2];
    } stop[] = {{130, {{2, 3, 0}, {0, PLUSSI_NO_LOOP, 0}}}, {140, {{3, 3, 0}, {9, 4, 1}}}};
    FILE *out = begin_trace(path);
    put_run(out, 1, 1, 150, 160, (plussi_run_entry){7, 1});
    put_stamps(out, 0, 0, master, 5);
    put_stamps(out, 0, 1, other, 1);
    put_stamps(out, 0, 0, rest, 6);
    put_section(out, (plussi_trace_section){PLUSSI_SECTION_CHUNKS, sizeof *chunk, 2, 0, 1, 0, 0},
                chunk);
    put_section(out, (plussi_trace_section){PLUSSI_SECTION_STOPS, sizeof *stop, 2, 0, 0, 130, 140},
                stop);
    put_run(out, 0, 2, 90, 190, (plussi_run_entry){2, 1});
    put_clock(out, 90, 10090, 5000);
    fclose(out);
}

START_TEST(what_was_written_is_read)
{
    plussi_trace_reader *s;
    plussi_timed_run got;
    const plussi_timed_run *run = &got;
    small_file();
    ck_assert_int_eq(plussi_trace_open(&ctx, path, &s), PLUSS_OK);
    ck_assert_uint_eq(s->n_runs, 2);
    ck_assert_int_eq(plussi_timed_run_read(s, &s->run[0], &got), PLUSS_OK);
    ck_assert_uint_eq(run->number, 1);
    ck_assert_uint_eq(run->block, 7);
    ck_assert_double_eq(run->begin, 30);
    ck_assert_double_eq(run->end, 35);
    ck_assert_uint_eq(run->team, 1);
    ck_assert_uint_eq(run->thread[0].n, 0);
    ck_assert_int_eq(plussi_timed_run_read(s, &s->run[1], &got), PLUSS_OK);
    ck_assert_double_eq(run->begin, 0);
    ck_assert_double_eq(run->end, 50);
    ck_assert_uint_eq(run->team, 2);
    ck_assert_uint_eq(run->block, 2);
    ck_assert_uint_eq(run->thread[0].n, 11);
    ck_assert_uint_eq(run->thread[1].n, 1);
    const plussi_stamp *t = run->thread[0].stamp;
    ck_assert_double_eq(t[0].time, 5);
    ck_assert_int_eq(t[0].kind, PLUSSI_STAMP_FORK);
    ck_assert_uint_eq(t[0].loop, PLUSSI_NO_LOOP);
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
    ck_assert_uint_eq(run->stop[0].place[1].loop, PLUSSI_NO_LOOP);
    ck_assert_uint_eq(run->stop[1].place[1].begun, 9);
    ck_assert_uint_eq(run->stop[1].place[1].execution, 1);
    plussi_trace_close(s);
    plussi_trace_close(NULL);
}
END_TEST

/* ---- what libpluss-rt writes -----------------------------------------------------------------
 */

/* Runs iterations that last so many ticks at least, each from its own begin: one that begins late
 * does not make the next ones shorter. Thread 0's part of run 0. */
static void iterations(plussi_stamps *s, uint32_t loop, uint64_t n, uint64_t ticks)
{
    plussi_stamps_mark(s, PLUSSI_STAMP_LOOP, loop);
    for (uint64_t i = 0; i < n; i++) {
        if (atomic_fetch_add(&s->begun, 1) + 1 >= s->next)
            plussi_stamps_due(s);
        uint64_t from = plussi_ticks();
        while (plussi_ticks() - from < ticks)
            ;
    }
    plussi_stamps_mark(s, PLUSSI_STAMP_DONE, loop);
}

START_TEST(the_runtimes_stamps_are_read)
{
    enum { LONG = 50, SHORT = 20000 };
    char name[80];
    strcpy(name, trace_of(path));
    setenv("PLUSS_RECORD", path, 1);
    setenv("PLUSS_STAMPS", "tsc", 1);
    ck_assert(plussi_stamps_enabled());
    ck_assert(plussi_stamps_enabled());
    plussi_stamps *s = plussi_stamps_new(0, 0);
    uint64_t from = plussi_ticks();
    plussi_stamps_team(s, PLUSSI_STAMP_BEGIN, 0);
    iterations(s, 1, LONG, 40000);
    iterations(s, 2, SHORT, 100);
    iterations(s, 1, 1, 10);
    plussi_stamps_team(s, PLUSSI_STAMP_END, 0);
    plussi_stamps_write(s);
    plussi_sidecar_run(0, 1, from, (plussi_run_entry){0, 1});
    plussi_stamps_clock();
    ck_assert(!s->lost);
    plussi_stamps_free(s);
    plussi_stamps_free(NULL);
    ck_assert_int_ne(access(name, F_OK), 0);
    plussi_outfile file = plussi_sidecar_take();
    ck_assert_int_eq(plussi_outfile_finish(&file), 0);
    plussi_trace_reader *trace;
    plussi_timed_run got;
    const plussi_timed_run *run = &got;
    ck_assert_int_eq(plussi_trace_open(&ctx, name, &trace), PLUSS_OK);
    ck_assert_int_eq(plussi_timed_run_read(trace, &trace->run[0], &got), PLUSS_OK);
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
    plussi_trace_close(trace);
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

/* These behind a BEGIN at 100, in a run that began at 90; the second is at byte 88. */
static void refused_stamps(const plussi_stamp_entry *item, uint32_t n, const char *words)
{
    plussi_stamp_entry all[4] = {{100, 0, AT(BEGIN, NONE), 0}};
    plussi_trace_reader *s;
    plussi_timed_run run;
    memcpy(all + 1, item, n * sizeof *item);
    FILE *out = begin_trace(path);
    put_section(out, (plussi_trace_section){PLUSSI_SECTION_STAMPS, ITEM, n + 1, 0, 0, 100, 200},
                all);
    put_run(out, 0, 1, 90, 500, (plussi_run_entry){0, 1});
    put_clock(out, 90, 10090, 5000);
    fclose(out);
    ck_assert_int_eq(plussi_trace_open(&ctx, path, &s), PLUSS_OK);
    if (words) {
        ck_assert_int_eq(plussi_timed_run_read(s, s->run, &run), PLUSS_EFORMAT);
        message(words);
    } else {
        ck_assert_int_eq(plussi_timed_run_read(s, s->run, &run), PLUSS_OK);
    }
    plussi_trace_close(s);
}

#define STAMPS(words, ...)                                                                         \
    do {                                                                                           \
        const plussi_stamp_entry item[] = {__VA_ARGS__};                                           \
        refused_stamps(item, sizeof item / sizeof *item, words);                                   \
    } while (0)

START_TEST(stamps_that_cannot_be)
{
    STAMPS("byte 88: a stamp of an unknown kind", {110, 0, 8u << 24, 0});
    STAMPS("byte 88: a stamp with a loop", {110, 0, AT(LOOP, NONE), 0});
    STAMPS("byte 88: a stamp with a loop", {110, 0, AT(END, 3), 0});
    STAMPS("byte 88: a stamp that is earlier", {99, 0, AT(END, NONE), 0});
    STAMPS("byte 88: a stamp that cannot follow", {110, 1, AT(ITER, 3), 0});
    STAMPS("byte 88: a stamp that cannot follow", {110, 1, AT(DONE, 3), 0});
    STAMPS("byte 88: a stamp that cannot follow", {110, 1, AT(LOOP, 3), 0});
    STAMPS("byte 88: a stamp that cannot follow", {110, 0, AT(GO, NONE), 0});
    STAMPS("byte 112: a stamp that cannot follow", {110, 0, AT(BARRIER, NONE), 0},
           {111, 0, AT(BARRIER, NONE), 0});
    STAMPS("byte 112: a stamp that cannot follow", {110, 0, AT(LOOP, 3), 0},
           {111, 1, AT(ITER, 4), 0});
    STAMPS("byte 112: a stamp that cannot follow", {110, 0, AT(LOOP, 3), 0},
           {111, 1, AT(ITER, 3), 1});
    STAMPS("byte 112: a stamp that cannot follow", {110, 0, AT(LOOP, 3), 0},
           {111, 0, AT(ITER, 3), 0});
    STAMPS("byte 136: a stamp that cannot follow", {110, 0, AT(LOOP, 3), 0},
           {111, 2, AT(ITER, 3), 0}, {112, 1, AT(DONE, 3), 0});
    STAMPS("byte 112: a stamp that cannot follow", {110, 0, AT(LOOP, 3), 0},
           {111, 0, AT(END, NONE), 0});
    /* a run that was cut short */
    STAMPS(NULL, {110, 0, AT(LOOP, 3), 0}, {111, 1, AT(ITER, 3), 0});
}
END_TEST

START_TEST(chunks_and_stops_that_cannot_be)
{
    static const plussi_chunk_entry empty = {4, 0, 7, 7}, nowhere = {NONE, 0, 0, 1};
    static const struct {
        const plussi_chunk_entry *chunk;
        const char *words;
    } chunk[] = {{&empty, "byte 64: a chunk without"}, {&nowhere, "byte 64: a chunk without"}};
    plussi_trace_reader *s;
    plussi_timed_run run;
    for (size_t i = 0; i < 2; i++) {
        FILE *out = begin_trace(path);
        put_section(out, (plussi_trace_section){PLUSSI_SECTION_CHUNKS, sizeof empty, 1, 0, 0, 0, 0},
                    chunk[i].chunk);
        put_run(out, 0, 1, 90, 500, (plussi_run_entry){0, 1});
        put_clock(out, 90, 10090, 5000);
        fclose(out);
        ck_assert_int_eq(plussi_trace_open(&ctx, path, &s), PLUSS_OK);
        ck_assert_int_eq(plussi_timed_run_read(s, s->run, &run), PLUSS_EFORMAT);
        message(chunk[i].words);
        plussi_trace_close(s);
    }
    static const struct {
        uint64_t time;
        plussi_stop_place item;
    } stop[] = {{130, {2, 3, 0}}, {129, {3, 3, 0}}};
    FILE *out = begin_trace(path);
    put_section(out, (plussi_trace_section){PLUSSI_SECTION_STOPS, sizeof *stop, 2, 0, 0, 129, 130},
                stop);
    put_run(out, 0, 1, 90, 500, (plussi_run_entry){0, 1});
    put_clock(out, 90, 10090, 5000);
    fclose(out);
    ck_assert_int_eq(plussi_trace_open(&ctx, path, &s), PLUSS_OK);
    ck_assert_int_eq(plussi_timed_run_read(s, s->run, &run), PLUSS_EFORMAT);
    message("byte 88: a stop that is earlier");
    plussi_trace_close(s);
}
END_TEST

START_TEST(memory_that_is_not_there)
{
    small_file();
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx own;
        plussi_trace_reader *s = NULL;
        plussi_timed_run run;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&own, &m.mem);
        pluss_status status = plussi_trace_open(&own, path, &s);
        if (!status)
            status = plussi_timed_run_read(s, &s->run[1], &run);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_trace_close(s);
        plussi_ctx_clear(&own);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("timed_run");
    TCase *t = tcase_create("timed_run");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, what_was_written_is_read);
    tcase_add_test(t, the_runtimes_stamps_are_read);
    tcase_add_test(t, stamps_that_cannot_be);
    tcase_add_test(t, chunks_and_stops_that_cannot_be);
    tcase_add_test(t, memory_that_is_not_there);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
