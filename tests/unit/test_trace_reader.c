/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The trace reader: sections of all kinds found again, and files that are none.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failing_mem.h"
#include "one_file.h"
#include "trace/trace_reader.h"
#include "trace_file.h"

/* By kind: what an entry takes, and the least that there are. */
static const uint32_t size_of[PLUSSI_SECTION_KINDS] = {0, 8,  8,  24, 24, 40, 8,
                                                       8, 24, 16, 16, 24, 16};
static const uint64_t least_of[PLUSSI_SECTION_KINDS] = {0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1};
static const char zeros[1025 * 8];

static bool shape_is_open(uint32_t kind) /* any number of entries */
{
    return kind != PLUSSI_SECTION_RUN && kind != PLUSSI_SECTION_CLOCK &&
           kind != PLUSSI_SECTION_TOUCHES;
}

/* A section of run 0, of two threads. */
static plussi_trace_section section(uint32_t kind, uint64_t n)
{
    return (plussi_trace_section){kind, size_of[kind % PLUSSI_SECTION_KINDS], n, 0, 0, 10, 20};
}

/* This one, and what its run needs. */
static void write_with(plussi_trace_section head, bool run)
{
    FILE *out = begin_trace(path);
    put_section(out, head, zeros);
    if (run)
        put_run(out, 0, 2, 0, 10, (plussi_run_entry){0, 1});
    put_clock(out, 0, 10, 5);
    fclose(out);
}

static void message(const char *words)
{
    ck_assert_uint_eq(ctx.n_diags, 1);
    const plussi_diag *d = &ctx.diags[0];
    ck_assert_str_eq(d->file, path);
    ck_assert_msg(strstr(d->text, words), "%s; expected %s", d->text, words);
    plussi_ctx_clear(&ctx);
    plussi_ctx_init(&ctx, NULL);
}

static void refused(pluss_status status, const char *words)
{
    plussi_trace_reader *none = NULL;
    ck_assert_int_eq(plussi_trace_open(&ctx, path, &none), status);
    ck_assert_ptr_null(none);
    message(words);
}

static void refused_section(plussi_trace_section head, const char *words)
{
    write_with(head, true);
    refused(PLUSS_EFORMAT, words);
}

/* Of every kind two sections of run 1 and one of run 0, not in order. */
START_TEST(sections_are_found)
{
    FILE *out = begin_trace(path);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t kind = PLUSSI_SECTION_KINDS - 1; kind >= PLUSSI_SECTION_RUN; kind--) {
            plussi_trace_section head = section(kind, 1);
            head.run = i != 1;
            head.to = 20 + i;
            if (kind == PLUSSI_SECTION_RUN)
                head.thread = 2;
            if (i < 2 || (kind != PLUSSI_SECTION_RUN && kind != PLUSSI_SECTION_CLOCK))
                if (i == 0 || kind != PLUSSI_SECTION_CLOCK)
                    put_section(out, head, (uint64_t[5]){kind == PLUSSI_SECTION_CLOCK ? 30 : i});
        }
    fclose(out);
    plussi_trace_reader *t;
    ck_assert_int_eq(plussi_trace_open(&ctx, path, &t), PLUSS_OK);
    ck_assert_uint_eq(t->n_runs, 2);
    ck_assert_uint_eq(t->run[0].number, 1);
    ck_assert_uint_eq(t->run[1].block, 1);
    ck_assert_double_eq(t->tick_ns, 3);
    for (uint32_t kind = PLUSSI_SECTION_TOUCHES; kind < PLUSSI_SECTION_KINDS; kind++) {
        size_t n;
        if (kind == PLUSSI_SECTION_CLOCK)
            continue;
        const plussi_indexed_section *s = plussi_trace_of_run(t, kind, 1, &n);
        uint64_t entry[5], *copy;
        ck_assert_uint_eq(n, 2);
        ck_assert_uint_eq(s[1].head.to, 22);
        ck_assert_int_eq(plussi_trace_read(t, &s[1], entry), PLUSS_OK);
        ck_assert_uint_eq(entry[0], 2);
        ck_assert_int_eq(plussi_trace_read_new(t, &s[0], &copy), PLUSS_OK);
        ck_assert_uint_eq(copy[0], 0);
        plussi_free(&ctx.mem, copy);
        (void)plussi_trace_of_kind(t, kind, &n);
        ck_assert_uint_eq(n, 3);
        (void)plussi_trace_of_run(t, kind, UINT32_MAX, &n);
        ck_assert_uint_eq(n, 0);
    }
    plussi_trace_close(t);
}
END_TEST

START_TEST(files_that_are_none)
{
    refused(PLUSS_EFORMAT, "byte 0: the file ends, expected a trace");
    FILE *out = fopen(path, "w");
    fputs("hello, this is no trace at all", out);
    fclose(out);
    refused(PLUSS_EFORMAT, "byte 0: found no trace of a run");
    static const uint32_t other[] = {2 /* touches had no references */, PLUSSI_RECORD_VERSION + 1};
    plussi_trace_head head = {PLUSSI_TRACE_MAGIC, other[0], 64};
    for (int i = 0; i < 3; i++) {
        out = fopen(path, "w");
        fwrite(&head, sizeof head, 1, out);
        fclose(out);
        refused(PLUSS_EFORMAT, i == 2 ? "byte 20: a line is a power of two"
                                      : "byte 16: made by another version of pluss: record it "
                                        "again");
        head.version = i ? PLUSSI_RECORD_VERSION : other[1];
        head.line_bytes = i ? 48 : 64;
    }
    write_with(section(PLUSSI_SECTION_TOUCHES, 1), true);
    ck_assert_int_eq(truncate(path, FIRST + 10), 0);
    refused(PLUSS_EFORMAT, "byte 24: the file ends within a section");
    unlink(path);
    refused(PLUSS_EIO, "cannot be opened");
}
END_TEST

START_TEST(heads_that_cannot_be)
{
    refused_section(section(PLUSSI_SECTION_KINDS, 0), "byte 24: found no section");
    refused_section((plussi_trace_section){0}, "byte 24: found no section");
    for (uint32_t kind = PLUSSI_SECTION_RUN; kind < PLUSSI_SECTION_KINDS; kind++) {
        plussi_trace_section head = section(kind, 1);
        head.size++;
        refused_section(head, "byte 24: a section with impossible entries or times");
        head.size = 0;
        refused_section(head, "byte 24: a section with impossible entries or times");
        head = section(kind, 1);
        head.to = 9;
        refused_section(head, "byte 24: a section with impossible entries or times");
        if (shape_is_open(kind)) {
            plussi_trace_section cut = section(kind, UINT64_MAX / 4);
            FILE *out = begin_trace(path);
            fwrite(&cut, sizeof cut, 1, out);
            fclose(out);
            refused(PLUSS_EFORMAT, "byte 24: the file ends within a section");
        }
        if (least_of[kind])
            refused_section(section(kind, 0),
                            "byte 24: a section with impossible entries or times");
    }
    refused_section(section(PLUSSI_SECTION_TOUCHES, 1025),
                    "byte 24: a section with impossible entries");
}
END_TEST

/* Sections that do not go together. */
START_TEST(sections_that_cannot_be)
{
    static const uint32_t of_run[] = {PLUSSI_SECTION_TOUCHES, PLUSSI_SECTION_STAMPS,
                                      PLUSSI_SECTION_CHUNKS, PLUSSI_SECTION_STOPS};
    plussi_trace_reader *t;
    for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++) {
        plussi_trace_section head = section(of_run[i], 1);
        head.thread = 2;
        refused_section(head, "byte 24: a section of a thread that its run does not have");
        write_with(section(of_run[i], 1), false);
        if (i > 0) {
            refused(PLUSS_EFORMAT, "byte 24: a section of a run that does not end");
        } else { /* touches may be of one that another thread is still at */
            ck_assert_int_eq(plussi_trace_open(&ctx, path, &t), PLUSS_OK);
            plussi_trace_close(t);
        }
    }
    plussi_trace_section stops = section(PLUSSI_SECTION_STOPS, 1);
    stops.size += sizeof(plussi_stop_place);
    refused_section(stops, "byte 24: a section of a thread that its run does not have");
    plussi_trace_section run = section(PLUSSI_SECTION_RUN, 1);
    refused_section(run, "byte 24: a run with an impossible team");
    run.thread = 70000;
    refused_section(run, "byte 24: a run with an impossible team");
    run.thread = 2;
    refused_section(run, "byte 72: a run that has ended before");
    refused_section(section(PLUSSI_SECTION_CLOCK, 1), "byte 24: a second clock, or one that");
    FILE *out = begin_trace(path);
    put_run(out, 0, 2, 0, 10, (plussi_run_entry){0, 2});
    fclose(out);
    refused(PLUSS_EFORMAT, "byte 24: a run with an impossible team or kind");
    out = begin_trace(path);
    put_clock(out, 0, 10, 5);
    put_clock(out, 0, 10, 5);
    fclose(out);
    refused(PLUSS_EFORMAT, "byte 72: a second clock");
    out = begin_trace(path);
    put_run(out, 0, 2, 0, 10, (plussi_run_entry){0, 1});
    fclose(out);
    refused(PLUSS_EFORMAT, "byte 72: the file ends, expected the clock of its time stamps");
}
END_TEST

START_TEST(memory_that_is_not_there)
{
    write_with(section(PLUSSI_SECTION_STAMPS, 1), true);
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx own;
        plussi_trace_reader *t = NULL;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&own, &m.mem);
        ck_assert_int_eq(plussi_trace_open(&own, path, &t), m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_trace_close(t);
        plussi_ctx_clear(&own);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("trace_reader");
    TCase *t = tcase_create("trace_reader");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, sections_are_found);
    tcase_add_test(t, files_that_are_none);
    tcase_add_test(t, heads_that_cannot_be);
    tcase_add_test(t, sections_that_cannot_be);
    tcase_add_test(t, memory_that_is_not_there);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
