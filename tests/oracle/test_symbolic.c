/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Formulas of stack histograms against walks through an exact stack, to the last access; table 3.2
 * of Cascaval's thesis; what has no formulas is refused by name and place.
 */
#include <string.h>

#include "../unit/one_nest.h"
#include "../unit/suite.h"
#include "base/rng.h"
#include "exact/lru.h"
#include "symbolic/formula_text.h"
#include "trace/walk.h"

static plussi_formula *formula;

static pluss_status derive(const char *text, uint64_t line)
{
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, strlen(text), "test", &nest), PLUSS_OK);
    return plussi_formula_derive(&ctx, nest, nest->first_region,
                                 &(plussi_formula_options){.line = line}, &formula);
}

static void forget(void)
{
    plussi_formula_free(formula);
    formula = NULL;
    plussi_nest_free(nest);
    nest = NULL;
}

/* ---- histograms ---------------------------------------------------------------------------------
 */

enum { MOST = 1 << 14 }; /* distances */

typedef struct histogram {
    uint64_t count[MOST]; /* [0]: cold */
} histogram;

static bool take(void *user, uint64_t distance, uint64_t count)
{
    histogram *h = user;
    ck_assert_uint_lt(distance, MOST);
    h->count[distance] += count;
    return true;
}

static void walk_exactly(const int64_t *values, uint32_t line, histogram *h)
{
    plussi_binding binding[8];
    plussi_walk *walk;
    plussi_lru *lru;
    plussi_access buf[256];
    for (uint32_t i = 0; i < formula->n_symbols; i++)
        binding[i] = (plussi_binding){formula->symbol[i].symbol->name, values[i]};
    const plussi_bind_options options = {
        .team = 1, .line_bytes = line, .binding = binding, .n_bindings = formula->n_symbols};
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 0, &walk), PLUSS_OK);
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    do
        for (size_t n; (n = plussi_walk_fill(walk, 0, buf, 256)) > 0;)
            for (size_t i = 0; i < n; i++) {
                const uint64_t d = plussi_lru_touch(lru, buf[i].line);
                ck_assert(d == PLUSSI_LRU_COLD || d + 1 < MOST);
                h->count[d == PLUSSI_LRU_COLD ? 0 : d + 1]++;
            }
    while (plussi_walk_next_phase(walk));
    plussi_lru_free(lru);
    plussi_walk_free(walk);
    plussi_bound_free(bound);
    bound = NULL;
}

static void expect_misses(const int64_t *values, const histogram *exact)
{
    for (uint64_t lines = 1; lines < MOST; lines = lines * 3 / 2 + 1) {
        uint64_t accesses = 0, misses = exact->count[0];
        for (uint64_t d = 0; d < MOST; d++) {
            accesses += exact->count[d];
            misses += d > lines ? exact->count[d] : 0;
        }
        plussi_formula_misses m;
        ck_assert_int_eq(plussi_formula_count_misses(&ctx, formula, values, lines, &m), PLUSS_OK);
        ck_assert_uint_eq(m.accesses, accesses);
        ck_assert_uint_eq(m.cold, exact->count[0]);
        ck_assert_uint_eq(m.misses, misses);
    }
}

static void expect_exact(const char *text, uint32_t line, int bindings, uint64_t seed)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 31, seed);
    ck_assert_int_eq(derive(text, line), PLUSS_OK);
    for (int b = 0; b < bindings; b++) {
        static histogram exact, found;
        int64_t values[8];
        for (uint32_t i = 0; i < formula->n_symbols; i++) {
            const plussi_formula_symbol *s = &formula->symbol[i];
            values[i] = s->least + s->unit * (int64_t)plussi_rng_below(&rng, s->unit > 1 ? 2 : 9);
        }
        memset(&exact, 0, sizeof exact);
        memset(&found, 0, sizeof found);
        walk_exactly(values, line, &exact);
        ck_assert_int_eq(plussi_formula_histogram(&ctx, formula, values, take, &found), PLUSS_OK);
        for (uint64_t d = 0; d < MOST; d++)
            if (found.count[d] != exact.count[d])
                ck_abort_msg("distance %lu: %lu accesses, not %lu:\n%s", d, found.count[d],
                             exact.count[d], text);
        expect_misses(values, &exact);
    }
    forget();
}

#define HEAD "pluss-nest 1\nregion r \"r.c\":1\n"

static const char *const nests[] = {
    HEAD "symbol n, m\narray f64 A[n][m]\narray f64 B[m][n]\narray f64 C[n][n]\n"
         "parallel for i in 0..n { for j in 0..n { read C[i][j] for k in 0..m {\n"
         "read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }\n",
    HEAD "symbol n, m\narray f64 A[n][m]\narray f64 C[n][n]\n"
         "parallel for i in 0..n { for j in 0..i + 1 { for k in 0..m {\n"
         "read A[i][k] read A[j][k] read C[i][j] write C[i][j] } } }\n",
    HEAD "symbol n\narray f64 A[n]\narray f64 B[n]\n"
         "for t in 0..3 { parallel for i in 1..n - 1 {\n"
         "read A[i - 1] read A[i] read A[i + 1] write B[i] }\n"
         "parallel for i in 1..n - 1 { read B[i - 1] read B[i] read B[i + 1] write A[i] } }\n",
    HEAD "symbol n\narray f64 x[n]\narray f64 y[n]\n" /* other steps, other orders */
         "for i in n - 1..-1 step -1 { read x[i] for j in 0..n step 3 { read y[j] } }\n"
         "for i in 0..n step 2 { write x[i] }\n",
    HEAD "symbol n\narray f64 x[n]\narray f64 s\n" /* conditions, min and max, a scalar */
         "for i in 0..n { if (i % 3 == 1 || i > n - 4) { read x[i] } else { write x[0] }\n"
         "for j in max(i - 2, 0)..min(i + 3, n) { read x[j] write s } }\n",
    HEAD "symbol n\narray f64 A[n][n] column\narray f64 x[n]\n" /* Fortran's order */
         "for i in 0..n { for j in 0..n { read A[j][i] read A[i][j] read x[j] } }\n",
    "pluss-nest 1\nsymbol n\nregion r repeat 3\narray f64 x[n]\n" /* a region again and again */
    "for i in 0..n { read x[i] }\nfor i in 0..n / 2 { write x[2 * i] }\n",
    HEAD "symbol n\narray f32 a[n]\narray i8 b[n]\narray f64 c[n]\n" /* elements of other sizes */
         "parallel { workshare for i in 0..n { read a[i] read b[i] write c[i] }\n"
         "single { read a[0] } master { write b[1] } critical { read c[2] } }\n",
    HEAD "symbol n, m\narray f64 A[n][m]\n" /* no reuse, and all of it at once */
         "for i in 0..n { for j in 0..m { write A[i][j] } }\nfor i in 0..n { read A[i][0] }\n",
    HEAD "symbol n\narray f64 A[][n]\n" /* LU: short ranges of iterations with floors */
         "for k in 0..n { for i in k + 1..n { read A[k][k] read A[i][k] write A[i][k]\n"
         "for j in k + 1..n { read A[i][k] read A[k][j] read A[i][j] write A[i][j] } } }\n",
};
enum { N_NESTS = sizeof nests / sizeof *nests };

START_TEST(equals_the_walk)
{
    expect_exact(nests[_i], 8, 3, 1);
}
END_TEST

START_TEST(equals_the_walk_in_lines)
{
    expect_exact(nests[_i], 32, 2, 2);
}
END_TEST

/* ---- table 3.2 ----------------------------------------------------------------------------------
 */

static char *poly_text(const plussi_formula_class *c, const plussi_formula_poly *p)
{
    plussi_text text;
    char *bytes = NULL;
    size_t length;
    plussi_text_init(&text, &ctx);
    plussi_text_poly(&text, formula, c, p);
    ck_assert_int_eq(plussi_text_finish(&text, &bytes, &length), PLUSS_OK);
    return bytes;
}

/* Whether there is a class of that reference and source, with that distance and count. */
static void expect_class(uint32_t sink, uint32_t source, const char *distance, const char *count)
{
    bool found = false;
    for (size_t i = 0; i < formula->classes.n && !found; i++) {
        const plussi_formula_class *c = &formula->classes.class[i];
        if (c->sink != sink || c->source != source)
            continue;
        char *d = poly_text(c, &c->distance), *n = poly_text(c, &c->count);
        found = strcmp(d, distance) == 0 && strcmp(n, count) == 0;
        plussi_free(&ctx.mem, d);
        plussi_free(&ctx.mem, n);
    }
    if (!found)
        ck_abort_msg("no class of %u after %u with %s accesses at %s", sink, source, count,
                     distance);
}

/* Figure 3.11, subscripts from 0 on, whose references are 0: C = 0, then 1: C, 2: A, 3: B, 4: C
 * written. Its distances count the lines between two touches and the line itself, as here. Rows 2
 * to 4 are of C in one iteration and from one of k to the next, row 7 of A, row 8 of B. Rows 5 and
 * 6, 2 k - 1 and 2 k + 1, are distances from the initialisation to iteration k, which none of the
 * accesses has, as C is touched in each iteration. */
START_TEST(table_3_2)
{
    /* rows 5 and 6, of dependences that are no reuses there: with m = k - 1 and with m = k */
    ck_assert_int_eq(derive(HEAD "symbol n, m\narray f64 A[n][m] column\narray f64 B[m][n] column\n"
                                 "array f64 C[n][n] column\n"
                                 "for i in 0..n { for j in 0..n { write C[i][j]\n"
                                 "for k in 0..m { read A[i][k] read B[k][j] } read C[i][j] } }\n",
                            8),
                     PLUSS_OK);
    expect_class(3, 0, "2*m + 1", "n^2");
    forget();
    ck_assert_int_eq(derive(HEAD "symbol n\narray f64 A[n][n] column\narray f64 B[n][n] column\n"
                                 "array f64 C[n][n] column\n"
                                 "for i in 0..n { for j in 0..n { write C[i][j]\n"
                                 "for k in 0..n { read C[i][j] read A[i][k] read B[k][j]\n"
                                 "write C[i][j] } } }\n",
                            8),
                     PLUSS_OK);
    expect_class(4, 1, "3", "n^3");             /* rows 3 and 4: C, A and B */
    expect_class(1, 4, "1", "n^3 - n^2");       /* row 2: nothing but C itself */
    expect_class(1, 0, "1", "n^2");             /* C = 0 */
    expect_class(2, 2, "2*n + 2", "n^3 - n^2"); /* row 7 */
    /* row 8: B, inside, in the first column, and in the last one as k goes on; its formulas count
     * from k = 1 on */
    expect_class(3, 3, "n^2 + 3*n + 1", "n^3 - 3*n^2 + 2*n");
    expect_class(3, 3, "n^2 + 2*n + k + 2", "n - 1");
    expect_class(3, 3, "n^2 + 3*n - k", "n - 1");
    expect_class(0, UINT32_MAX, "0", "n^2");
    forget();
}
END_TEST

/* Ranges of an iteration may be shorter than the degree of the number of accesses: beyond them a
 * number may be no integer. */
START_TEST(misses_of_large_values)
{
    const int64_t n = 1000;
    plussi_formula_misses few, many;
    ck_assert_int_eq(derive(nests[N_NESTS - 1], 64), PLUSS_OK);
    ck_assert_int_eq(plussi_formula_count_misses(&ctx, formula, &n, 512, &few), PLUSS_OK);
    ck_assert_int_eq(plussi_formula_count_misses(&ctx, formula, &n, 1 << 20, &many), PLUSS_OK);
    ck_assert_uint_eq(few.accesses,
                      (uint64_t)(3 * n * (n - 1) / 2 + 4 * (n - 1) * n * (2 * n - 1) / 6));
    ck_assert_uint_eq(many.accesses, few.accesses);
    ck_assert_uint_eq(many.misses, (uint64_t)(n * n / 8));
    ck_assert_uint_ge(few.misses, many.misses);
    forget();
}
END_TEST

typedef struct far_accesses {
    uint64_t lines;
    plussi_formula_misses counted;
} far_accesses;

static bool take_far(void *user, uint64_t distance, uint64_t count)
{
    far_accesses *far = user;
    far->counted.accesses += count;
    far->counted.cold += distance == 0 ? count : 0;
    far->counted.misses += distance == 0 || distance > far->lines ? count : 0;
    return true;
}

/* Misses are summed in closed form, where the histogram enumerates iterations: where these have
 * many values, and pieces and remainders as many as they can. */
START_TEST(misses_equal_the_histogram)
{
    static const uint32_t size[] = {8, 64};
    plussi_rng rng;
    plussi_rng_seed(&rng, 53, (uint64_t)_i);
    if (derive(nests[_i / 2], size[_i % 2]) != PLUSS_OK) {
        forget();
        return;
    }
    for (int b = 0; b < 4; b++) {
        int64_t values[8], most = 1;
        for (uint32_t i = 0; i < formula->n_symbols; i++) {
            const plussi_formula_symbol *s = &formula->symbol[i];
            values[i] = (s->least + 40 + (int64_t)plussi_rng_below(&rng, 50)) / s->unit * s->unit;
            most = values[i] > most ? values[i] : most;
        }
        for (int k = 0; k < 24; k++) {
            far_accesses far = {
                .lines = plussi_rng_below(&rng, k % 2 ? 40 : 1 + (uint64_t)(most * most / 4))};
            plussi_formula_misses found;
            ck_assert_int_eq(plussi_formula_histogram(&ctx, formula, values, take_far, &far),
                             PLUSS_OK);
            ck_assert_int_eq(plussi_formula_count_misses(&ctx, formula, values, far.lines, &found),
                             PLUSS_OK);
            ck_assert_uint_eq(found.accesses, far.counted.accesses);
            ck_assert_uint_eq(found.cold, far.counted.cold);
            ck_assert_uint_eq(found.misses, far.counted.misses);
        }
    }
    forget();
}
END_TEST

/* ---- refusals -----------------------------------------------------------------------------------
 */

static const struct refusal {
    const char *text, *message;
} refusals[] =
    {
        {HEAD "symbol n\narray f64 x[n]\narray i32 k[n]\nfor i in 0..n { read x[k[i]] }\n",
         "a subscript or an extent is not quasi-affine"},
        {HEAD "symbol n, m\narray f64 x[]\nfor i in 0..n { read x[i * m] }\n",
         "a subscript or an extent is not quasi-affine"},
        {HEAD "symbol n\narray i32 k[n]\nfor i in 0..k[0] { read k[i] }\n",
         "a loop's bounds are not quasi-affine"},
        {HEAD "symbol n\narray f64 a[n]\narray f64 b[n]\nfor i in 0..n { read a[i] swap a, b }\n",
         "two arrays exchange their memory"},
        {HEAD "symbol n\narray f64 a[n]\nfor i in 0..n { branch 0.5 { read a[i] } }\n",
         "only a run tells which way a branch goes"},
        {HEAD "symbol n\narray f64 a[n]\nfor i in 0..n { unknown call \"f\" }\n",
         "the code at this place is not described"},
        {HEAD "symbol n\narray f64 a[n]\narray f64 b[n] over a\nread b[0]\n",
         "the array may share memory with others"},
        {HEAD "symbol n\narray f64 a[n][n]\nfor i in 0..n { read a[i][i + 1] }\n",
         "a subscript may leave its dimension"},
        {HEAD "symbol n\narray b48 a[n]\nfor i in 0..n { read a[i] }\n",
         "an element is no power of two, or larger than a line"},
},
  in_lines[] = {
      {HEAD "symbol n\narray f64 a[n][n]\narray f64 b[n][n + 1]\n"
            "for i in 0..n { read a[i][0] read b[i][0] }\n",
       "a row of the array is no whole number of lines"},
      {HEAD "array f64 a[9][9]\nfor i in 0..9 { read a[i][0] }\n",
       "a row of the array is no whole number of lines"},
};
enum {
    N_REFUSALS = sizeof refusals / sizeof *refusals,
    N_IN_LINES = sizeof in_lines / sizeof *in_lines
};

static void expect_refusal(const struct refusal *r, uint64_t line)
{
    ck_assert_int_eq(derive(r->text, line), PLUSS_EUNSUPPORTED);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_str_eq(ctx.diags[0].text, r->message);
    ck_assert_uint_gt(ctx.diags[0].line, 0);
    forget();
}

START_TEST(refused_by_name)
{
    expect_refusal(&refusals[_i], 8);
}
END_TEST

START_TEST(refused_in_lines)
{
    expect_refusal(&in_lines[_i], 64);
}
END_TEST

START_TEST(values_without_formulas)
{
    plussi_formula_misses m;
    ck_assert_int_eq(derive(nests[0], 64), PLUSS_OK);
    ck_assert_int_eq(formula->n_symbols, 2);
    const int64_t small[] = {8, 16}, odd[] = {20, 16}, huge[] = {INT64_MAX / 8 * 8, 1 << 30};
    const int64_t *const wrong[] = {small, odd, huge};
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(plussi_formula_count_misses(&ctx, formula, wrong[i], 512, &m),
                         PLUSS_ERANGE);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "from n = 16 on, not for 8"));
    ck_assert_ptr_nonnull(strstr(ctx.diags[1].text, "multiples of 8 of n, not for 20"));
    ck_assert_ptr_nonnull(strstr(ctx.diags[2].text, "does not fit 64 bits"));
    forget();
}
END_TEST

START_TEST(too_dear)
{
    const char *text = nests[0];
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, strlen(text), "test", &nest), PLUSS_OK);
    const plussi_formula_options options = {.line = 8, .effort = 1000};
    ck_assert_int_eq(plussi_formula_derive(&ctx, nest, nest->first_region, &options, &formula),
                     PLUSS_ELIMIT);
    forget();
}
END_TEST

static Suite *symbolic_suite(void)
{
    Suite *s = suite_create("symbolic");
    TCase *t = tcase_create("histograms");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, equals_the_walk, 0, N_NESTS);
    tcase_add_loop_test(t, equals_the_walk_in_lines, 0, N_NESTS);
    tcase_add_test(t, misses_of_large_values);
    tcase_add_loop_test(t, misses_equal_the_histogram, 0, 2 * N_NESTS);
    tcase_add_test(t, table_3_2);
    suite_add_tcase(s, t);
    t = tcase_create("refusals");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, refused_by_name, 0, N_REFUSALS);
    tcase_add_loop_test(t, refused_in_lines, 0, N_IN_LINES);
    tcase_add_test(t, values_without_formulas);
    tcase_add_test(t, too_dear);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(symbolic_suite())
