/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Documents and their writers, with what no report should ever hold.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_mem.h"
#include "report/writer.h"
#include "suite.h"

static const char *const formats[] = {"text", "json", "csv"};

static plussi_ctx ctx;
static plussi_document document;
static char got[1 << 16];
static size_t n_got, most;

static int collect(void *user, const char *data, size_t length)
{
    (void)user;
    if (n_got + length > most)
        return 1;
    memcpy(got + n_got, data, length);
    n_got += length;
    got[n_got] = '\0';
    return 0;
}

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    plussi_document_init(&document, &ctx.mem);
    most = sizeof got - 1;
}

static void teardown(void)
{
    plussi_document_free(&document);
    plussi_ctx_clear(&ctx);
}

static pluss_status write_it(plussi_ctx *c, const plussi_document *d, const char *format,
                             const char *table)
{
    plussi_sink sink;
    n_got = 0;
    *got = '\0';
    plussi_sink_init(&sink, collect, NULL);
    return plussi_document_write(c, d, format, table, &sink);
}

static void expect(const char *format, const char *table, const char *wanted)
{
    ck_assert_int_eq(write_it(&ctx, &document, format, table), PLUSS_OK);
    ck_assert_str_eq(got, wanted);
}

/* A bit of everything. */
static void build(plussi_document *d)
{
    static const plussi_heading columns[] = {
        {.key = "name", .label = "name"},
        {.key = "size_bytes", .label = "size", .show = PLUSSI_AS_BYTES},
        {.key = "miss_ratio",
         .label = "misses",
         .show = PLUSSI_AS_POINTS,
         .digits = 1,
         .unit = "%"},
        {.key = "place", .label = "", .show = PLUSSI_AS_PLACE},
        {.key = "hidden"},
        {.label = "shown"}};
    static const plussi_heading points[] = {{.key = "x"}, {.key = "y"}};
    static const double x[] = {0, 1, 2.5}, y[] = {1, .5, NAN};
    plussi_add_figure(d->root, "answer", "the answer", PLUSSI_AS_NUMBER, 0, NULL,
                      plussi_d_integer(42));
    plussi_add_figure(d->root, "time_ns", "time", PLUSSI_AS_GENERAL, 3, "ns",
                      plussi_d_measured(12.345, .5));
    plussi_section *list = plussi_add_list(d->root, "parts", true);
    for (int i = 0; i < 2; i++) {
        plussi_section *part = plussi_add_section(list, "", i ? "second" : "first");
        plussi_add_field(part, (plussi_heading){.key = "part", .identifies = true},
                         plussi_d_count((uint64_t)i));
        plussi_add_line(part, "line %d", i);
        plussi_table *table = plussi_add_table(part, "rows", columns, 6);
        plussi_add_row(table,
                       (plussi_datum[]){plussi_d_text("a,\"b\""), plussi_d_count(1536),
                                        plussi_d_measured(.25, .0123), plussi_d_place("f.c", 3, 7),
                                        plussi_d_boolean(true), plussi_d_boolean(false)});
        plussi_add_row(table, (plussi_datum[]){plussi_d_text("longer"), plussi_d_null(),
                                               plussi_d_absent(), plussi_d_place(NULL, 0, 0),
                                               plussi_d_null(), plussi_d_text(NULL)});
        plussi_add_series(part, "points", points, 2, (const double *const[]){x, y}, 3);
        plussi_add_note(part, PLUSSI_WARNING, &(plussi_loc){"f.c", 9, 0}, "watch %s", "out");
    }
}

START_TEST(every_item_in_every_format)
{
    build(&document);
    expect("text", NULL,
           "the answer  42\n"
           "time        12.3 +-0.5 ns\n"
           "\n"
           "first\n"
           "  line 0\n"
           "\n"
           "  name        size        misses           shown\n"
           "  a,\"b\"   1.50 KiB  25.0 +-1.2 %  f.c:3:7  no\n"
           "  longer         -                         -\n"
           "\n"
           "  f.c:9: warning: watch out\n"
           "\n"
           "second\n"
           "  line 1\n"
           "\n"
           "  name        size        misses           shown\n"
           "  a,\"b\"   1.50 KiB  25.0 +-1.2 %  f.c:3:7  no\n"
           "  longer         -                         -\n"
           "\n"
           "  f.c:9: warning: watch out\n");
#define ROWS                                                                                       \
    "\"rows\":[{\"name\":\"a,\\\"b\\\"\",\"size_bytes\":1536,\"miss_ratio\":0.25,"                 \
    "\"miss_ratio_error\":0.0123,\"file\":\"f.c\",\"line\":3,\"column\":7,\"hidden\":true},"       \
    "{\"name\":\"longer\",\"size_bytes\":null,\"hidden\":null}],\"x\":[0,1,2.5],"                  \
    "\"y\":[1,0.5,null],\"notes\":[{\"severity\":\"warning\",\"text\":\"watch out\","              \
    "\"file\":\"f.c\",\"line\":9}]}"
    expect("json", NULL,
           "{\"version\": 2,\n\"generator\": \"pluss " PLUSSI_VERSION "\",\n\"answer\": 42,\n"
           "\"time_ns\": 12.345,\n\"time_ns_error\": 0.5,\n\"parts\": [\n"
           "{\"part\":0," ROWS ",\n{\"part\":1," ROWS "\n]}\n");
    expect("csv", NULL,
           "part,name,size_bytes,miss_ratio,file,line,column,hidden\n"
           "0,\"a,\"\"b\"\"\",1536,0.25,f.c,3,7,true\n0,longer,,,,,,\n"
           "1,\"a,\"\"b\"\"\",1536,0.25,f.c,3,7,true\n1,longer,,,,,,\n");
    expect("csv", "points", "part,x,y\n0,0,1\n0,1,0.5\n0,2.5,\n1,0,1\n1,1,0.5\n1,2.5,\n");
    ck_assert_int_eq(write_it(&ctx, &document, "csv", "other"), PLUSS_ENOTFOUND);
    ck_assert_int_eq(write_it(&ctx, &document, "xml", NULL), PLUSS_ENOTFOUND);
}
END_TEST

START_TEST(nothing_at_all)
{
    expect("text", NULL, "");
    expect("json", NULL, "{\"version\": 2,\n\"generator\": \"pluss " PLUSSI_VERSION "\"}\n");
    expect("csv", NULL, "");
}
END_TEST

START_TEST(tables_without_rows)
{
    static const plussi_heading columns[] = {{.key = "a", .label = "A"},
                                             {.key = "b", .label = "B"}};
    static const plussi_heading bare[] = {{.key = "a", .label = ""}};
    static const plussi_heading hidden[] = {{.key = "a"}};
    plussi_add_table(document.root, "headed", columns, 2);
    plussi_add_table(document.root, "bare", bare, 1);
    plussi_add_table(document.root, "hidden", hidden, 1);
    plussi_add_series(document.root, "series", hidden, 1, (const double *const[]){NULL}, 0);
    expect("text", NULL, "");
    expect("csv", NULL, "a,b\n");
    ck_assert_int_eq(write_it(&ctx, &document, "json", NULL), PLUSS_OK);
    ck_assert_ptr_nonnull(
        strstr(got, "\"headed\": [],\n\"bare\": [],\n\"hidden\": [],\n\"a\": []}"));
}
END_TEST

/* Whatever a value is, and however it is shown: no format has nan or inf, and JSON can be read. */
START_TEST(numbers_that_are_none)
{
    static const double values[] = {NAN,    -NAN, INFINITY, -INFINITY, 1e308, -1e308,
                                    5e-324, -0.0, 0x1p63,   -0x1p63,   1e19};
    enum { N = sizeof values / sizeof *values };
    for (int show = PLUSSI_AS_TEXT; show <= PLUSSI_AS_PLACE; show++)
        for (unsigned digits = 0; digits <= 12; digits += 6) {
            const plussi_heading column = {
                .key = "v", .label = "v", .show = (plussi_show)show, .digits = digits, .unit = "u"};
            plussi_table *table = plussi_add_table(document.root, "t", &column, 1);
            for (int i = 0; i < N; i++) {
                plussi_datum value = plussi_d_measured(values[i], values[(i + 3) % N]);
                plussi_add_row(table, &value);
                plussi_add_field(document.root, column, value);
            }
            plussi_datum count = plussi_d_count(UINT64_MAX), least = plussi_d_integer(INT64_MIN);
            plussi_add_row(table, &count);
            plussi_add_row(table, &least);
        }
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(write_it(&ctx, &document, formats[i], NULL), PLUSS_OK);
        ck_assert_ptr_null(strcasestr(got, "nan"));
        ck_assert_ptr_null(strcasestr(got, "inf"));
    }
}
END_TEST

START_TEST(names_that_are_not_utf8)
{
    static const plussi_heading columns[] = {{.key = "a", .label = ""}, {.key = "b", .label = ""}};
    plussi_table *table = plussi_add_table(document.root, "t", columns, 2);
    plussi_add_row(table, (plussi_datum[]){plussi_d_text("a\377b\n\033[2J"), plussi_d_text("x")});
    plussi_add_row(table, (plussi_datum[]){plussi_d_text("r\303\251gion"), plussi_d_text("y")});
    plussi_add_member(document.root, plussi_document_text(&document, "%s", "k\377"),
                      plussi_d_measured(1, 2));
    expect("text", NULL, "a\377b??[2J  x\nr\303\251gion    y\n");
    ck_assert_int_eq(write_it(&ctx, &document, "json", NULL), PLUSS_OK);
    ck_assert_ptr_nonnull(strstr(got, "\"k?\": 1,\n\"k?_error\": 2"));
    ck_assert_ptr_nonnull(strstr(got, "\"a?b\\u000a\\u001b[2J\""));
    ck_assert_ptr_nonnull(strstr(got, "r\303\251gion"));
}
END_TEST

/* A table that is wider than a page: the first column stands in each part. */
START_TEST(wide_tables_are_cut)
{
    enum { COLUMNS = 12 };
    plussi_heading columns[COLUMNS] = {{.label = "row", .show = PLUSSI_AS_NUMBER, .repeat = true}};
    plussi_datum row[COLUMNS] = {plussi_d_count(1)};
    for (int i = 1; i < COLUMNS; i++) {
        columns[i] =
            (plussi_heading){.label = plussi_document_text(&document, "a column, number %d", i)};
        row[i] = plussi_d_text(columns[i].label);
    }
    plussi_add_row(plussi_add_table(document.root, NULL, columns, COLUMNS), row);
    ck_assert_int_eq(write_it(&ctx, &document, "text", NULL), PLUSS_OK);
    int parts = 0;
    for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n")) {
        ck_assert_uint_le(strlen(line), 100);
        ck_assert(line[strlen(line) - 1] != ' ');
        parts += strncmp(line, "row", 3) == 0;
    }
    ck_assert_int_eq(parts, 3);
}
END_TEST

/* A report is the same bytes everywhere. Where no locale with a comma is installed, one is made of
 * the C library's sources, if these are there. */
static bool set_comma(char *folder)
{
    char command[128];
    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        return true;
    snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
             folder);
    bool made = system(command) == 0;
    setenv("LOCPATH", folder, 1);
    return made && setlocale(LC_ALL, "de_DE.UTF-8");
}

START_TEST(locales_make_no_difference)
{
    static char before[sizeof got];
    char folder[] = "/tmp/localeXXXXXX", command[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    build(&document);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(write_it(&ctx, &document, formats[i], NULL), PLUSS_OK);
        strcpy(before, got);
        bool comma = set_comma(folder);
        ck_assert(!comma || *localeconv()->decimal_point == ',');
        ck_assert_int_eq(write_it(&ctx, &document, formats[i], NULL), PLUSS_OK);
        setlocale(LC_ALL, "C");
        ck_assert_str_eq(got, before);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* A sink that refuses its bytes at any place: an error, told once. */
START_TEST(sinks_that_fail)
{
    static const plussi_heading column = {.key = "v", .label = "v"};
    build(&document);
    plussi_table *table = plussi_add_table(document.root, "rows", &column, 1);
    for (int i = 0; i < 2000; i++) {
        plussi_datum text = plussi_d_text("a text to fill more than a buffer");
        plussi_add_row(table, &text);
    }
    for (int i = 0; i < 3; i++)
        for (most = 0; most < sizeof got; most += 4001) {
            plussi_ctx_clear(&ctx);
            ck_assert_int_eq(write_it(&ctx, &document, formats[i], NULL), PLUSS_EIO);
            ck_assert_uint_eq(ctx.n_diags, 1);
        }
}
END_TEST

/* At every allocation: the builder goes on as if nothing were, writers say what happened. */
START_TEST(out_of_memory)
{
    for (int i = 0; i < 3; i++)
        for (long budget = 0;; budget++) {
            failing_mem memory;
            plussi_ctx failing;
            plussi_document d;
            failing_mem_init(&memory, budget);
            plussi_ctx_init(&failing, &memory.mem);
            plussi_document_init(&d, &memory.mem);
            for (int part = 0; part < 40; part++) /* several blocks of the arena */
                build(&d);
            pluss_status status = write_it(&failing, &d, formats[i], NULL);
            ck_assert_int_eq(status, memory.failed ? PLUSS_ENOMEM : PLUSS_OK);
            ck_assert(d.status == PLUSS_OK || status == d.status);
            plussi_document_free(&d);
            plussi_ctx_clear(&failing);
            ck_assert_int_eq(memory.live, 0);
            if (!memory.failed)
                break;
        }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("document");
    TCase *t = tcase_create("document");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, every_item_in_every_format);
    tcase_add_test(t, nothing_at_all);
    tcase_add_test(t, tables_without_rows);
    tcase_add_test(t, numbers_that_are_none);
    tcase_add_test(t, names_that_are_not_utf8);
    tcase_add_test(t, wide_tables_are_cut);
    tcase_add_test(t, locales_make_no_difference);
    tcase_add_test(t, sinks_that_fail);
    tcase_add_test(t, out_of_memory);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
