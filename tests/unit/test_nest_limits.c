/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each limit of nest.h: as much as it allows is taken, one more is refused with its name and value.
 */
#include <stdio.h>
#include <string.h>

#include "nest_text.h"
#include "suite.h"

#define HEADER "pluss-nest 1\n"

/* ---- long texts -------------------------------------------------------------------------------
 */

typedef struct long_text {
    char *bytes;
    size_t length;
    FILE *stream;
} long_text;

static void start(long_text *t)
{
    *t = (long_text){0};
    t->stream = open_memstream(&t->bytes, &t->length);
    ck_assert_ptr_nonnull(t->stream);
    fputs(HEADER, t->stream);
}

static void repeat(long_text *t, const char *piece, long n)
{
    for (long i = 0; i < n; i++)
        fputs(piece, t->stream);
}

/* Parses; checks status and the first message (NULL: none). */
static void finish(long_text *t, pluss_status expected, const char *message)
{
    fclose(t->stream);
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = NULL;
    pluss_status status = plussi_nest_parse(&ctx, t->bytes, t->length, NULL, &nest);
    ck_assert_int_eq(status, expected);
    if (message) {
        ck_assert_uint_ge(ctx.n_diags, 1);
        ck_assert_str_eq(ctx.diags[0].text, message);
        ck_assert_ptr_null(nest);
    } else {
        char *text;
        size_t length;
        ck_assert_int_eq(plussi_nest_print(&ctx, nest, &text, &length), PLUSS_OK);
        plussi_free(&ctx.mem, text);
    }
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
    free(t->bytes);
}

START_TEST(blocks_have_a_depth)
{
    for (int over = 0; over < 2; over++) {
        long_text t;
        start(&t);
        fputs("region r\n", t.stream);
        repeat(&t, "if (1 < 2) {", PLUSSI_MAX_DEPTH + over);
        repeat(&t, "}", PLUSSI_MAX_DEPTH + over);
        finish(&t, over ? PLUSS_ELIMIT : PLUSS_OK,
               over ? "found more than 64 statements within each other, expected at most "
                      "PLUSSI_MAX_DEPTH = 64"
                    : NULL);
    }
    long_text t; /* nothing recurses without end */
    start(&t);
    fputs("region r\n", t.stream);
    repeat(&t, "critical {", 1000000);
    finish(&t, PLUSS_ELIMIT,
           "found more than 64 statements within each other, expected at most "
           "PLUSSI_MAX_DEPTH = 64");
    start(&t);
    fputs("region r\n foo ", t.stream);
    repeat(&t, "{", 1000000);
    finish(&t, PLUSS_EPARSE, "found 'foo', expected a statement or 'region'");
}
END_TEST

START_TEST(loops_have_a_depth)
{
    for (int over = 0; over < 2; over++) {
        long_text t;
        start(&t);
        fputs("region r\n", t.stream);
        for (int i = 0; i < PLUSSI_MAX_LOOPS + over; i++)
            fprintf(t.stream, "for i%d in 0..3 {\n", i);
        repeat(&t, "}", PLUSSI_MAX_LOOPS + over);
        finish(&t, over ? PLUSS_ELIMIT : PLUSS_OK,
               over ? "found more than 24 loops within each other, expected at most "
                      "PLUSSI_MAX_LOOPS = 24"
                    : NULL);
    }
}
END_TEST

static const char too_deep[] =
    "found more than 64 levels of an expression, expected at most PLUSSI_MAX_EXPR_DEPTH = 64";

/* An opening that nests by itself, what stands innermost, and how often the opening fits. */
static const struct {
    const char *open, *innermost, *close;
    long most;
} nestings[] = {
    {"(1 + ", "1", ")", 63},           {"-", "n", "", 63},      {"min(1, ", "1", ")", 63},
    {"(1 < 2) ? 1 : ", "n", "", 62},   {"n * (", "1", ")", 63}, {"((1 < 2) ? ", "n", " : 1)", 62},
    {"((n < ", "n", ") ? 1 : 2)", 31},
};

START_TEST(expressions_have_a_depth)
{
    for (int over = 0; over < 2; over++) {
        long_text t;
        start(&t);
        fputs("symbol n\nsymbol m = ", t.stream);
        repeat(&t, nestings[_i].open, nestings[_i].most + over);
        fputs(nestings[_i].innermost, t.stream);
        repeat(&t, nestings[_i].close, nestings[_i].most + over);
        finish(&t, over ? PLUSS_ELIMIT : PLUSS_OK, over ? too_deep : NULL);
    }
    long_text t;
    start(&t);
    fputs("symbol n\nsymbol m = ", t.stream);
    repeat(&t, nestings[_i].open, 100000);
    finish(&t, PLUSS_ELIMIT, too_deep);
}
END_TEST

START_TEST(chains_have_a_depth)
{
    for (int over = 0; over < 2; over++) {
        long_text t;
        start(&t);
        fputs("symbol n = 1", t.stream);
        repeat(&t, " + 1", PLUSSI_MAX_EXPR_DEPTH - 1 + over);
        finish(&t, over ? PLUSS_ELIMIT : PLUSS_OK, over ? too_deep : NULL);
    }
    long_text t;
    start(&t);
    fputs("symbol n = ", t.stream);
    repeat(&t, "(", 100); /* parentheses alone are no levels */
    fputs("1", t.stream);
    repeat(&t, ")", 100);
    finish(&t, PLUSS_OK, NULL);
    start(&t);
    fputs("symbol n = ", t.stream);
    repeat(&t, "((", 1000000);
    finish(&t, PLUSS_ELIMIT, too_deep);
    start(&t);
    fputs("symbol n = ", t.stream);
    repeat(&t, "!", 1000000);
    finish(&t, PLUSS_ELIMIT, too_deep);
}
END_TEST

/* One more than allowed, and exactly as many. */
static void count_limit(const char *before, const char *piece, const char *separator, long limit,
                        bool numbered, const char *after, const char *message)
{
    for (long over = 0; over < 2; over++) {
        long_text t;
        start(&t);
        fputs(before, t.stream);
        for (long i = 0; i < limit + over; i++) {
            fputs(i ? separator : "", t.stream);
            fputs(piece, t.stream);
            if (numbered)
                fprintf(t.stream, "%ld", i);
        }
        fputs(after, t.stream);
        finish(&t, over ? PLUSS_ELIMIT : PLUSS_OK, over ? message : NULL);
    }
}

START_TEST(counts_have_limits)
{
    switch (_i) {
    case 0:
        count_limit("symbol ", "n", ", ", PLUSSI_MAX_SYMBOLS, true, "",
                    "found more than 4096 symbols, expected at most PLUSSI_MAX_SYMBOLS = 4096");
        break;
    case 1:
        count_limit("array f64 ", "A", ", ", PLUSSI_MAX_ARRAYS, true, "",
                    "found more than 4096 arrays, expected at most PLUSSI_MAX_ARRAYS = 4096");
        break;
    case 2:
        count_limit("", "region r", "\n", PLUSSI_MAX_REGIONS, true, "",
                    "found more than 4096 regions, expected at most PLUSSI_MAX_REGIONS = 4096");
        break;
    case 3:
        count_limit("region r\n", "barrier\n", "", PLUSSI_MAX_NODES, false, "",
                    "found more than 1048576 statements, expected at most PLUSSI_MAX_NODES = "
                    "1048576");
        break;
    case 4:
        count_limit("array f64 A", "[1]", "", PLUSSI_MAX_RANK, false, "",
                    "found more than 16 dimensions, expected at most PLUSSI_MAX_RANK = 16");
        break;
    case 5:
        count_limit("array i8 A[] values(", "1", ",", PLUSSI_MAX_VALUES, false, ")",
                    "found more than 16777216 values, expected at most PLUSSI_MAX_VALUES = "
                    "16777216");
        break;
    case 6:
        count_limit("region ", "a", "", PLUSSI_MAX_NAME, false, "",
                    "found more than 255 bytes of a name, expected at most PLUSSI_MAX_NAME = 255");
        break;
    }
}
END_TEST

START_TEST(other_limits)
{
    long_text t;
    start(&t);
    fputs("array f64 A\nregion r\nread A", t.stream);
    repeat(&t, "[0]", PLUSSI_MAX_RANK + 1);
    finish(&t, PLUSS_ELIMIT,
           "found more than 16 subscripts, expected at most PLUSSI_MAX_RANK = 16");
    start(&t);
    fputs("array b16777217 A\nregion r\nread A bytes 1..16777217 read A bytes 0..16777216\n",
          t.stream);
    finish(&t, PLUSS_OK, NULL);
    start(&t);
    fputs("array b16777217 A\nregion r\nread A", t.stream);
    finish(&t, PLUSS_ELIMIT,
           "found a reference to 16777217 bytes, expected at most PLUSSI_MAX_ACCESS = 16777216");
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = NULL; /* refused by its length, not read */
    ck_assert_int_eq(plussi_nest_parse(&ctx, "", (size_t)PLUSSI_MAX_TEXT + 1, "big", &nest),
                     PLUSS_ELIMIT);
    char *messages = messages_of(&ctx);
    ck_assert_str_eq(messages, "0:0: found 268435457 bytes of text, expected at most "
                               "PLUSSI_MAX_TEXT = 268435456\n");
    free(messages);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* Names with many meanings one after the other: 200,000 loops, each with a name of its own. */
START_TEST(many_names_are_no_burden)
{
    long_text t;
    start(&t);
    fputs("array f64 A[9]\nregion r\n", t.stream);
    for (long i = 0; i < 200000; i++)
        fprintf(t.stream, "for i%ld in 0..9 { read A[i%ld] }\n", i, i);
    finish(&t, PLUSS_OK, NULL);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("nest limits");
    TCase *t = tcase_create("limits");
    tcase_add_test(t, blocks_have_a_depth);
    tcase_add_test(t, loops_have_a_depth);
    tcase_add_loop_test(t, expressions_have_a_depth, 0, sizeof nestings / sizeof *nestings);
    tcase_add_test(t, chains_have_a_depth);
    tcase_add_loop_test(t, counts_have_limits, 0, 7);
    tcase_add_test(t, other_limits);
    tcase_add_test(t, many_names_are_no_burden);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
