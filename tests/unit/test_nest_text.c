/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text in and out: every construct round-trips, and every spelling has one canonical form.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "../oracle/nest_gen.h"
#include "failing_mem.h"
#include "nest_text.h"
#include "suite.h"

/* A context of arrays and symbols for statements. */
#define DECLS                                                                                      \
    "symbol n, m\n"                                                                                \
    "array f64 A[n][m]\n"                                                                          \
    "array f64 B[n][m]\n"                                                                          \
    "array b48 P[n]\n"                                                                             \
    "array i32 x[4] values(3, 1, -2, 0)\n"                                                         \
    "array f64 s\n"                                                                                \
    "region r\n"
#define LOOP(inside) DECLS "for i in 0..n {\n  for j in 0..m {\n    " inside "\n  }\n}\n"
#define SUB(expr) LOOP("read A[" expr "][0]")
#define COND(cond) LOOP("if (" cond ") {\n      read s\n    }")

/* Texts that are canonical: they print as they are. */
static const char *const canonical[] = {
    "",
    "region r\n",
    "region r \"a.c\"\n",
    "region r \"a.c\":42\n",
    "region r \"a.c\":42:7\n",
    "region r @42\n",
    "region r @42:7\n",
    "region r \"a.c\":42:7 repeat 3\n",
    "symbol t\nregion r repeat t / 2 + 1\n",
    "region a\n\nregion b\n\nregion c\n",
    "region `a-1`\n",
    /* symbols */
    "symbol n, m, k\n",
    "symbol n = 100\n",
    "symbol m\nsymbol n >= 8\nsymbol k, l\n",
    "symbol n is \"p->n\" >= -3 = 100\n",
    "symbol n = -9223372036854775808\n",
    "symbol n = 9223372036854775807\n",
    "symbol n, m\nsymbol k = n * m\nsymbol l\n",
    "symbol n is \"p->n\"\nsymbol m is \"a\\\"b\\\\c\\nd\\te\\x01\\x7f\" = 3\n",
    "symbol `in`, `s->n`, `std::size`, `\xc3\xa9t\xc3\xa9`, `1st`, ` `, `a'b`\n",
    "symbol n = 3\nregion r\nsymbol n = 4\nsymbol m = n\narray f64 A[n]\n\nregion s\nsymbol n\n",
    "symbol static, loop, f64, b8, thread, pluss\n",
    /* arrays */
    "array f32 a\narray f64 b\narray f80 c\narray c64 d\narray c128 e\narray i8 f\narray i16 g\n"
    "array i32 h\narray i64 i\narray i128 j\narray b1 k\narray b48 l\narray f64 f64\n",
    "symbol n\narray f64 A[][n][3]\narray f64 B[n][3][] column\n",
    "array f64 A[2][3] stride(4, 1)\narray f64 B[2] stride(-1)\narray f64 C[2] stride(0)\n",
    "array f64 A[2] private\narray f64 B[2] offset(8)\narray f64 C[2] address(4096)\n"
    "array f64 D[2] offset(0)\narray f64 E[2] address(0)\n",
    "symbol n\narray f64 A[9]\narray f64 V[2] over A\narray f64 W[2] over A + 64\n"
    "array f64 X[2] over V + n - (n - 8)\narray f64 Y over A + -8\n",
    "array f64 A[2] alias g\narray f64 B[2] column private offset(8) alias `my group`\n",
    "array f64 A[2][3] column lower(0, -2) private\narray f64 lower[2] lower(1) alias lower\n",
    "array i32 x[0] values()\narray i8 y[2] values(-128, 255)\narray i64 z values(7)\n",
    "symbol n\narray i64 x[2][n] values(1, 2, 3, 4)\narray i128 y[] values(1, 2, 3)\n",
    "array i32 x[6] values(-2147483648, -2147483648, -2147483648, -2147483648, -2147483648,\n"
    "  -2147483648)\n",
    "array f64 A\nregion r\narray f64 A[3]\nread A[2]\n\nregion s\nread A\n",
    /* expressions */
    SUB("i"),
    SUB("i + j"),
    SUB("i - j - 1"),
    SUB("i - (j - 1)"),
    SUB("i + (j + 1)"),
    SUB("2 * i + n * j"),
    SUB("(i + j) * 2"),
    SUB("2 * (i * n)"),
    SUB("i * 2 / 3 % 4"),
    SUB("i / (n * 2)"),
    SUB("i % n"),
    SUB("-i"),
    SUB("-i * 2"),
    SUB("-(i * 2)"),
    SUB("-(i + j)"),
    SUB("--i"),
    SUB("-3"),
    SUB("-3 * i"),
    SUB("i * -3"),
    SUB("i - -3"),
    SUB("i + -3"),
    SUB("-9223372036854775808"),
    SUB("--9223372036854775808"),
    SUB("9223372036854775807"),
    SUB("min(i, j)"),
    SUB("min(i, j, 3)"),
    SUB("min(i, min(j, 3))"),
    SUB("max(min(i, j), n, 4)"),
    SUB("min(max(i, 1), max(j, 2))"),
    SUB("-min(i, j) * 2"),
    SUB("(i < j) ? i : j"),
    SUB("((i < j) ? i : j) + 1"),
    SUB("1 + ((i < j) ? i : j)"),
    SUB("-((i < j) ? i : j)"),
    SUB("(i < j) ? i + 1 : (i > n) ? 3 : j"),
    SUB("(i < j) ? (j < 3) ? 1 : 2 : j"),
    SUB("min((i < j) ? i : j, 2)"),
    SUB("(((i < j) ? 1 : 2) < 3) ? i : j"),
    SUB("$thread"),
    SUB("$thread * (n / $team)"),
    SUB("x[i]"),
    SUB("x[x[i % 4] + 1]"),
    SUB("2 * x[i] + j"),
    SUB("s"),
    SUB("s + i"),
    SUB("A[i][j]"),
    SUB("((i == j && i != n || !(j <= 3)) ? 1 : 2) * 3"),
    /* conditions */
    COND("i < j"),
    COND("i <= j"),
    COND("i > j"),
    COND("i >= j"),
    COND("i == j"),
    COND("i != j"),
    COND("i < j && j < n && n < m"),
    COND("i < j && (j < n && n < m)"),
    COND("i < j || j < n || n < m"),
    COND("i < j || (j < n || n < m)"),
    COND("i < j && j < n || n < m"),
    COND("i < j && (j < n || n < m)"),
    COND("(i < j || j < n) && n < m"),
    COND("!(i < j)"),
    COND("!!(i < j)"),
    COND("!(i < j) && !(j < n && n < m)"),
    COND("i + 1 < j * 2"),
    COND("i - (j - 1) < n"),
    COND("((i < 1) ? i : j) < n"),
    COND("x[i] < 3"),
    COND("$thread < $team / 2"),
    /* statements */
    LOOP("write A[i][j]"),
    LOOP("atomic read A[i][j]"),
    LOOP("atomic write A[i][j]"),
    LOOP("read P[i] bytes 8..12"),
    LOOP("read P[i] bytes -4..4"),
    LOOP("read P[i] bytes 40..56"),
    LOOP("read P[i] bytes 8..12 @4"),
    LOOP("read s @4:5"),
    LOOP("read s @\"b.h\":4:5"),
    LOOP("read s @\"\":4"),
    LOOP("barrier @4"),
    LOOP("swap A, B"),
    LOOP("swap A, B @4"),
    LOOP("ops(fadd 1)"),
    LOOP("ops(fadd 1, `for` 0, fadd 9223372036854775807) @4"),
    LOOP("unknown loop \"u *= 2\""),
    LOOP("unknown reference of A \"a\\\\b\" @4"),
    LOOP("unknown call \"f\""),
    LOOP("unknown control \"\xc3\xa9\""),
    LOOP("unknown construct of x \"task\""),
    LOOP("if (i < j) {\n    }"),
    LOOP("if (i < j) @4 {\n    } else {\n      read s\n    }"),
    LOOP("branch 0 {\n    }"),
    LOOP("branch 1 {\n    }"),
    LOOP("branch 0.1 @4 {\n    } else {\n      read s\n    }"),
    LOOP("branch 0.3333333333333333 {\n    }"),
    LOOP("branch 5e-324 {\n    }"),
    LOOP("branch 0.9999999999999999 {\n    }"),
    LOOP("branch 1.5e-07 {\n    }"),
    LOOP("single {\n    }"),
    LOOP("single nowait @3 {\n    }"),
    LOOP("master {\n    }"),
    LOOP("critical {\n      ordered @3 {\n        read s\n      }\n    }"),
    LOOP("for k in i..min(j, n) step 3 {\n    }"),
    LOOP("for k in i..-1 step -1 @4 {\n    }"),
    LOOP("for `k k` in (i < j) ? i : j..(i < j) ? 1 : 2 {\n      read A[`k k`][0]\n    }"),
    LOOP("for k in 0..1 step 9223372036854775807 {\n    }"),
    LOOP("for k in 0..1 {\n    }\n    for k in 0..1 {\n    }"),
    LOOP("parallel for k in 0..n {\n      parallel for l in 0..k {\n      }\n    }"),
    DECLS "parallel {\n}\n",
    DECLS "parallel num_threads(n) if (n > 3) @5 {\n  read s\n  barrier\n}\n",
    DECLS "parallel for i in 0..n schedule(static) {\n}\n",
    DECLS "parallel for i in 0..n schedule(static, 4) collapse(2) ordered nowait num_threads(2) "
          "if (n > 3 || m > 3) @4:5 {\n  for j in 0..i {\n  }\n}\n",
    DECLS "parallel {\n  workshare for i in 0..n {\n  }\n  barrier\n}\n",
    DECLS "parallel {\n  workshare for i in 0..n @3 {\n  }\n}\n",
    DECLS "parallel @3 {\n  workshare for i in 0..n {\n  }\n}\n",
    DECLS "parallel @3 {\n  workshare for i in 0..n @3:1 {\n  }\n}\n",
    DECLS "parallel @\"b.h\":3 {\n  workshare for i in 0..n @3 {\n  }\n}\n",
    DECLS "parallel for i in 0..n @\"b.h\":3 {\n}\n",
    DECLS "parallel for i in 0..n schedule(monotonic: dynamic) {\n}\n"
          "parallel for i in 0..n schedule(nonmonotonic: dynamic, n / 2 + 1) {\n}\n"
          "parallel for i in 0..n schedule(guided) {\n}\n"
          "parallel for i in 0..n schedule(guided, $team) {\n}\n"
          "parallel for i in 0..n schedule(auto) {\n}\n"
          "parallel for i in 0..n schedule(runtime) {\n}\n"
          "parallel for i in 0..n schedule(rayon) {\n}\n"
          "parallel for i in 0..n schedule(rayon, 1) {\n}\n"
          "parallel for i in 0..n schedule(rayon, 1, m) {\n}\n"
          "parallel for i in 0..n schedule(recorded) {\n}\n",
    DECLS "for t in 0..9 {\n  parallel for i in 0..n schedule(static, t + 1) num_threads(t + 1) if "
          "(x[t] > 0) {\n  }\n  swap A, B\n}\n",
    DECLS "parallel {\n  for i in $thread..n {\n    workshare for j in i..n nowait {\n    }\n  }\n"
          "  single {\n    read s\n  }\n  master {\n    read s\n    critical {\n    }\n  }\n}\n",
    DECLS "parallel for i in 0..n collapse(3) {\n  for j in 0..3 step 2 {\n"
          "    for k in j..i step -1 {\n      read s\n      read s\n    }\n  }\n}\n",
};

START_TEST(canonical_texts_print_as_they_are)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = nest_of(&ctx, canonical[_i]);
    char *text = text_of(&ctx, nest);
    ck_assert_str_eq(text, canonical[_i]);
    plussi_nest *again = nest_of(&ctx, text);
    ck_assert(plussi_nest_equal(nest, again, true));
    ck_assert(plussi_nest_equal(again, nest, true));
    free(text);
    plussi_nest_free(again);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* Other spellings. */
static const char *const spellings[][2] = {
    {"# nothing\n  region   r#name\n;;\n", "region r\n"},
    {"symbol n;symbol m ; region r;", "symbol n, m\nregion r\n"},
    {"symbol n = 0x10, m=0XfF, k = - 0x8000000000000000",
     "symbol n = 16\nsymbol m = 255\nsymbol k = -9223372036854775808\n"},
    {"symbol n = -(3)\nsymbol m = - -3\nsymbol k = -(-9223372036854775807)\n",
     "symbol n = -3\nsymbol m = 3\nsymbol k = 9223372036854775807\n"},
    {"symbol `n`, `_x9`\n", "symbol n, _x9\n"},
    {"array f64 A[3], B\narray i8 y[2] column private values(1,2) alias g offset(0)\nsymbol n\n",
     "symbol n\narray f64 A[3]\narray f64 B\n"
     "array i8 y[2] column private offset(0) alias g values(1, 2)\n"},
    {"array f64 A[3] private lower ( 0x1 ) stride(2), lower[2]\n",
     "array f64 A[3] stride(2) lower(1) private\narray f64 lower[2]\n"},
    {"array f64 A[9]\narray f64 V over A + 0\narray f64 W over A+(1+2)*3\n",
     "array f64 A[9]\narray f64 V over A\narray f64 W over A + (1 + 2) * 3\n"},
    {"array f64 A\nregion r\nread A bytes 0..8;read A bytes 4..8 read A bytes 0x2..+3",
     NULL}, /* '+3' is not an integer */
    {"array f64 A\nregion r\nread A bytes 0..8;read A bytes 4..8 read A bytes 0x2..3",
     "array f64 A\nregion r\nread A\nread A bytes 4..8\nread A bytes 2..3\n"},
    {"array f64 A[9]\nregion r\nfor i in 0 .. 9 step 1{read A[((i))+(1)*(2)]}",
     "array f64 A[9]\nregion r\nfor i in 0..9 {\n  read A[i + 1 * 2]\n}\n"},
    {"array f64 A[9]\nregion r\nfor i in 0..9 { read A[i<3?1:2]; read A[min(min(i,2),3)] }",
     "array f64 A[9]\nregion r\nfor i in 0..9 {\n  read A[(i < 3) ? 1 : 2]\n"
     "  read A[min(i, 2, 3)]\n}\n"},
    {"region r\nfor i in 0..9 { if (((i < 3) && (i > 1)) || (i == 2)) {} else {} }",
     "region r\nfor i in 0..9 {\n  if (i < 3 && i > 1 || i == 2) {\n  }\n}\n"},
    {"region r branch 0.50 {} branch 1.0 {} branch 0.0 {} branch 1e-1 {} branch 25E-2 {}",
     "region r\nbranch 0.5 {\n}\nbranch 1 {\n}\nbranch 0 {\n}\nbranch 0.1 {\n}\nbranch 0.25 "
     "{\n}\n"},
    {"region r \"a.c\":7 barrier @\"a.c\":3 barrier @\"b.c\":3",
     "region r \"a.c\":7\nbarrier @3\nbarrier @\"b.c\":3\n"},
    {"region r parallel for i in 0..3 if(1<2) nowait num_threads(2) ordered collapse(1) "
     "schedule(monotonic:static,2) {}",
     "region r\nparallel for i in 0..3 schedule(monotonic: static, 2) ordered nowait "
     "num_threads(2) if (1 < 2) {\n}\n"},
    {"region r parallel { workshare for i in 0..3 {} }", "region r\nparallel for i in 0..3 {\n}\n"},
    {"region r parallel if (1 < 2) @3 { workshare for i in 0..3 nowait @3 {} }",
     "region r\nparallel for i in 0..3 nowait if (1 < 2) @3 {\n}\n"},
    {"region r \"a.c\" parallel @3 { workshare for i in 0..3 @\"a.c\":3 {} }",
     "region r \"a.c\"\nparallel for i in 0..3 @3 {\n}\n"},
    {"region r unknown loop \"a\\x0ab\\x41\tc\"", "region r\nunknown loop \"a\\nbA\\tc\"\n"},
};

START_TEST(other_spellings_have_one_canonical_form)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    const char *const *pair = spellings[_i];
    if (!pair[1]) {
        plussi_nest *none = NULL;
        char whole[256] = "pluss-nest 1\n";
        strcat(whole, pair[0]);
        ck_assert_int_eq(plussi_nest_parse(&ctx, whole, strlen(whole), NULL, &none), PLUSS_EPARSE);
        ck_assert_ptr_null(none);
    } else {
        plussi_nest *nest = nest_of(&ctx, pair[0]);
        char *text = text_of(&ctx, nest);
        ck_assert_str_eq(text, pair[1]);
        plussi_nest *again = nest_of(&ctx, text);
        ck_assert(plussi_nest_equal(nest, again, true));
        plussi_nest_free(again);
        plussi_nest_free(nest);
        free(text);
    }
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(combined_form_gives_both_nodes_the_location)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = nest_of(&ctx, "region r\nparallel for i in 0..3 @\"b.h\":3:4 {\n}\n");
    const plussi_node *parallel = nest->first_region->body.first, *loop = parallel->body.first;
    ck_assert_int_eq(parallel->kind, PLUSSI_N_PARALLEL);
    ck_assert_int_eq(loop->kind, PLUSSI_N_LOOP);
    ck_assert(loop->u.loop.workshare);
    ck_assert_str_eq(parallel->loc.file, "b.h");
    ck_assert_str_eq(loop->loc.file, "b.h");
    ck_assert_uint_eq(parallel->loc.line, 3);
    ck_assert_uint_eq(loop->loc.line, 3);
    ck_assert_uint_eq(parallel->loc.col, 4);
    ck_assert_uint_eq(loop->loc.col, 4);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* What the tree is, not only that it comes back. */
START_TEST(trees_are_as_written)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = nest_of(&ctx, "symbol a, b\nsymbol c = a - b - min(a, b, 3) * -2\n");
    const plussi_expr *e = nest->last_symbol->value;
    ck_assert_int_eq(e->kind, PLUSSI_E_SUB);
    ck_assert_int_eq(e->a[0]->kind, PLUSSI_E_SUB);
    ck_assert_ptr_eq(e->a[0]->a[0]->symbol, nest->first_symbol);
    ck_assert_int_eq(e->a[1]->kind, PLUSSI_E_MUL);
    ck_assert_int_eq(e->a[1]->a[1]->kind, PLUSSI_E_INT);
    ck_assert_int_eq(e->a[1]->a[1]->value, -2);
    const plussi_expr *least = e->a[1]->a[0];
    ck_assert_int_eq(least->kind, PLUSSI_E_MIN);
    ck_assert_int_eq(least->a[0]->kind, PLUSSI_E_MIN);
    ck_assert_int_eq(least->a[1]->value, 3);
    ck_assert_uint_eq(e->loc.line, 3);
    ck_assert_uint_eq(e->loc.col, 18);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* References as the source writes them: of arrays with lower bounds. The nest's text stays. */
START_TEST(subscripts_count_from_lower_bounds)
{
    static const char *const subscripts[][2] = {
        /* of an array with the lower bounds 1 and -2 */
        {"[i - 1][j + 2]", "(i, j)"},
        {"[0][0]", "(1, -2)"},
        {"[i][j]", "(i + 1, j - 2)"},
        {"[2 * i - 2][n - j]", "(2 * i - 1, n - j - 2)"},
        {"[-i][3 - j]", "(1 - i, 1 - j)"},
        {"[n - 1 - (i - 3)][-(j - 1)]", "(n - i + 3, -j - 1)"},
        {"[-i - 1][(i < 3) ? i : j]", "(-i, ((i < 3) ? i : j) - 2)"},
        {"[min(i, j) - 1][i % 2]", "(min(i, j), i % 2 - 2)"},
        {"[9223372036854775807][i - 9223372036854775807]",
         "(9223372036854775807 + 1, i - 9223372036854775807 - 2)"},
        {"[x[j - 3] - 1][y[i] + 2]", "(x(j), y[i])"},
    };
    for (size_t i = 0; i < sizeof subscripts / sizeof *subscripts; i++) {
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, NULL);
        char source[512], wanted[256];
        snprintf(source, sizeof source,
                 "symbol n\narray f64 a[n][] column lower(1, -2)\narray i32 x[9] lower(3)\n"
                 "array i32 y[9]\nregion r\nfor i in 0..n {\n  for j in 0..n {\n    read a%s\n"
                 "  }\n}\n",
                 subscripts[i][0]);
        plussi_nest *nest = nest_of(&ctx, source);
        const plussi_node *ref = nest->first_region->body.first->body.first->body.first;
        char *text;
        ck_assert_int_eq(plussi_ref_print(&ctx, ref, &text), PLUSS_OK);
        snprintf(wanted, sizeof wanted, "a%s", subscripts[i][1]);
        ck_assert_str_eq(text, wanted);
        plussi_free(&ctx.mem, text);
        size_t length;
        ck_assert_int_eq(plussi_nest_print(&ctx, nest, &text, &length), PLUSS_OK);
        ck_assert_ptr_nonnull(strstr(text, subscripts[i][0]));
        plussi_free(&ctx.mem, text);
        plussi_nest_free(nest);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

START_TEST(pieces_print_alone)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest =
        nest_of(&ctx, "symbol n\narray f64 `A b`[n][9]\nregion r\n"
                      "for i in 0..n {\n  read `A b`[i][2 * i + 1] bytes 0..4\n}\n");
    const plussi_node *loop = nest->first_region->body.first;
    char *text;
    ck_assert_int_eq(plussi_ref_print(&ctx, loop->body.first, &text), PLUSS_OK);
    ck_assert_str_eq(text, "`A b`[i][2 * i + 1]");
    plussi_free(&ctx.mem, text);
    ck_assert_int_eq(plussi_expr_print(&ctx, loop->u.loop.hi, &text), PLUSS_OK);
    ck_assert_str_eq(text, "n");
    plussi_free(&ctx.mem, text);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(a_region_prints_with_what_it_uses)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = nest_of(
        &ctx, "symbol n, unused, t\nsymbol m = n * 2\nsymbol k\narray f64 A[m]\narray f64 B[k]\n"
              "array f64 C[9]\narray i32 x[1] values(0)\nregion a\nread B[0]\n\nregion b repeat t\n"
              "symbol own, idle\narray f64 V[own] over A\nread V[x[0]]\nunknown loop of C \"w\"\n");
    const plussi_region *b = nest->last_region;
    char *text;
    size_t length;
    ck_assert_int_eq(plussi_nest_print_region(&ctx, nest, b, &text, &length), PLUSS_OK);
    ck_assert_str_eq(text,
                     "pluss-nest 1\nsymbol n, t\nsymbol m = n * 2\narray f64 A[m]\n"
                     "array f64 C[9]\narray i32 x[1] values(0)\nregion b repeat t\nsymbol own\n"
                     "array f64 V[own] over A\nread V[x[0]]\nunknown loop of C \"w\"\n");
    plussi_nest *alone;
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, length, NULL, &alone), PLUSS_OK);
    plussi_free(&ctx.mem, text);
    plussi_nest_free(alone);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(a_locale_with_a_comma_changes_nothing)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool set = false;
    for (int i = 0; i < 4 && !set; i++)
        set = setlocale(LC_NUMERIC, names[i]) != NULL;
    /* without such a locale on the machine this is one more test of the C locale */
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = nest_of(&ctx, "region r\nbranch 0.25 {\n}\n");
    ck_assert_double_eq(nest->first_region->body.first->u.branch.probability, 0.25);
    char *text = text_of(&ctx, nest);
    ck_assert_str_eq(text, "region r\nbranch 0.25 {\n}\n");
    free(text);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
    setlocale(LC_NUMERIC, "C");
}
END_TEST

START_TEST(random_nests_round_trip)
{
    enum { EACH = 250 };
    static const unsigned long long allow[] = {NEST_GEN_ALL, NEST_GEN_WALK, NEST_GEN_AFFINE,
                                               NEST_GEN_STATIC, 0};
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    nest_gen_options options = nest_gen_defaults(allow[_i]);
    for (uint64_t k = 0; k < EACH; k++) {
        plussi_rng rng;
        plussi_rng_seed(&rng, 17, k);
        nest_gen gen;
        ck_assert_int_eq(nest_gen_make(&ctx, &rng, &options, &gen), PLUSS_OK);
        ck_assert_uint_ge(gen.accesses, 1);
        ck_assert_uint_le(gen.accesses, options.max_accesses);
        char *text = text_of(&ctx, gen.nest);
        plussi_nest *again = nest_of(&ctx, text);
        char *twice = text_of(&ctx, again);
        ck_assert_msg(plussi_nest_equal(gen.nest, again, true), "nest %d:\n%s", (int)k, text);
        ck_assert_str_eq(text, twice);
        free(text);
        free(twice);
        plussi_nest_free(again);
        nest_gen_free(&gen);
    }
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(generator_repeats_itself)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    nest_gen_options options = nest_gen_defaults(NEST_GEN_ALL);
    char *text[2];
    for (int i = 0; i < 2; i++) {
        plussi_rng rng;
        plussi_rng_seed(&rng, 5, 6);
        nest_gen gen;
        ck_assert_int_eq(nest_gen_make(&ctx, &rng, &options, &gen), PLUSS_OK);
        text[i] = text_of(&ctx, gen.nest);
        nest_gen_free(&gen);
    }
    ck_assert_str_eq(text[0], text[1]);
    free(text[0]);
    free(text[1]);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* Numbers round-trip exactly whatever they are. */
START_TEST(probabilities_round_trip)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_rng rng;
    plussi_rng_seed(&rng, 3, 0);
    plussi_nest *nest = nest_of(&ctx, "region r\nbranch 0 {\n}\n");
    for (int i = 0; i < 2000; i++) {
        double p = plussi_rng_unit(&rng);
        for (uint64_t k = plussi_rng_below(&rng, 40); k > 0; k--)
            p *= 0.37;
        nest->first_region->body.first->u.branch.probability = p;
        char *text = text_of(&ctx, nest);
        plussi_nest *again = nest_of(&ctx, text);
        ck_assert(again->first_region->body.first->u.branch.probability == p);
        free(text);
        plussi_nest_free(again);
    }
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* With an error in it where `values` does not fit x[3]. */
#define SWEEP(values)                                                                              \
    "pluss-nest 1\nsymbol n is \"p->n\", m = n * 2\n"                                              \
    "array f64 A[n][m] stride(m, 1), B[n][m]\narray i32 x[3] values(" values ")\n"                 \
    "region r \"a.c\":3 repeat n\nsymbol k\n"                                                      \
    "parallel for i in 0..n schedule(static, k) num_threads(3) if (n > 3) @4 {\n"                  \
    "  for j in min(i, 3)..max(n, m) { read A[x[i % 3]][(i < j) ? i : j] @\"b.h\":4 }\n"           \
    "  ops(fadd 1, fmul 2) unknown loop of A \"why\"\n"                                            \
    "  branch 0.5 { } else { read B[i][0] }\n}\nswap A, B\n"

static pluss_status parse_and_print(plussi_ctx *ctx, const char *text)
{
    plussi_nest *nest = NULL;
    char *out = NULL, *region = NULL;
    size_t length;
    pluss_status status = plussi_nest_parse(ctx, text, strlen(text), "a", &nest);
    if (status == PLUSS_OK)
        status = plussi_nest_print(ctx, nest, &out, &length);
    if (status == PLUSS_OK)
        status = plussi_nest_print_region(ctx, nest, nest->first_region, &region, &length);
    plussi_free(&ctx->mem, out);
    plussi_free(&ctx->mem, region);
    plussi_nest_free(nest);
    return status;
}

START_TEST(memory_may_run_out_anywhere)
{
    static const char *const text[] = {SWEEP("1, 2, 3"), SWEEP("1, 2, 3, 4, 5, 6, 7, 8, 9")};
    const pluss_status end = _i == 0 ? PLUSS_OK : PLUSS_EINVALID;
    bool whole = false;
    for (long budget = 0; !whole; budget++) {
        ck_assert_int_lt(budget, 10000);
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &m.mem);
        pluss_status status = parse_and_print(&ctx, text[_i]);
        /* where memory was short for a message only, the end is as if it was not */
        ck_assert(status == end || (m.failed && status == PLUSS_ENOMEM));
        whole = !m.failed;
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(m.live, 0);
    }
}
END_TEST

/* The arena asks for memory seldom: names of many lengths move the places where it does. */
START_TEST(memory_may_run_out_in_any_piece)
{
    static const char regions[] =
        "region r \"a.c\":3 repeat n\nsymbol k is \"k\" = n * 2\n"
        "array f64 V[n][m] stride(m, 1) over A + 64\n"
        "parallel for i in 0..n schedule(static, k) num_threads(3) if (n > 3) @4 {\n"
        "  for j in min(i, 3)..max(n, m) { read A[x[i % 3]][(i < j) ? i : j] @\"b.h\":4 }\n"
        "  ops(fadd 1, fmul 2) unknown loop of A \"why\" if (i < 3) { write V[i][0] }\n}\n";
    enum { PADS = 48, COPIES = 24 };
    for (int pad = 1; pad <= PADS; pad++) {
        char text[1024 + COPIES * sizeof regions] = "pluss-nest 1\nsymbol n, m, z";
        memset(text + strlen(text), 'z', (size_t)pad * 5);
        strcat(text, "\narray f64 A[n][m]\narray i32 x[3] values(1, 2, 3)\n");
        for (int i = 0; i < COPIES; i++)
            strcat(text, regions);
        bool whole = false;
        for (long budget = 4; !whole; budget++) {
            failing_mem m;
            failing_mem_init(&m, budget);
            plussi_ctx ctx;
            plussi_ctx_init(&ctx, &m.mem);
            pluss_status status = parse_and_print(&ctx, text);
            ck_assert(status == PLUSS_OK || (m.failed && status == PLUSS_ENOMEM));
            whole = !m.failed;
            plussi_ctx_clear(&ctx);
            ck_assert_int_eq(m.live, 0);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("nest text");
    TCase *t = tcase_create("forms");
    tcase_add_loop_test(t, canonical_texts_print_as_they_are, 0,
                        sizeof canonical / sizeof *canonical);
    tcase_add_loop_test(t, other_spellings_have_one_canonical_form, 0,
                        sizeof spellings / sizeof *spellings);
    tcase_add_test(t, combined_form_gives_both_nodes_the_location);
    tcase_add_test(t, trees_are_as_written);
    tcase_add_test(t, pieces_print_alone);
    tcase_add_test(t, subscripts_count_from_lower_bounds);
    tcase_add_test(t, a_region_prints_with_what_it_uses);
    tcase_add_test(t, a_locale_with_a_comma_changes_nothing);
    tcase_add_test(t, probabilities_round_trip);
    tcase_add_loop_test(t, memory_may_run_out_anywhere, 0, 2);
    tcase_add_test(t, memory_may_run_out_in_any_piece);
    suite_add_tcase(s, t);
    t = tcase_create("random");
    tcase_add_loop_test(t, random_nests_round_trip, 0, 5);
    tcase_add_test(t, generator_repeats_itself);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
