/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model extrapolate against exact stack distances, and the tables of Razzak, Barai, Santhi and
 * Badawy, "Static Reuse Profile Estimation for Stencil Applications".
 */
#include "../unit/suite.h"

#include <stdio.h>
#include <string.h>

#include "../unit/one_nest.h"
#include "exact/lru.h"
#include "model/model.h"
#include "nest_gen.h"
#include "trace/walk.h"

static plussi_histo exact;
static plussi_estimate made;
static bool want_formulas;

static void begin(void)
{
    setup();
    plussi_histo_init(&exact, &plussi_mem_libc);
    plussi_estimate_init(&made, &plussi_mem_libc);
}

static void end(void)
{
    plussi_histo_free(&exact);
    plussi_estimate_free(&made);
    teardown();
}

static void read_nest(const char *text)
{
    plussi_nest_free(nest);
    nest = NULL;
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, strlen(text), "test", &nest), PLUSS_OK);
}

/* values: "n=5 m=6". */
static void bind_nest(const char *values, uint32_t line)
{
    static char room[256], *at;
    plussi_binding binding[8];
    size_t n = 0;
    snprintf(room, sizeof room, "%s", values);
    for (char *word = strtok_r(room, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
        char *value = strchr(word, '=');
        *value = 0;
        binding[n++] = (plussi_binding){word, strtol(value + 1, NULL, 10)};
    }
    const plussi_bind_options options = {
        .team = 1, .line_bytes = line, .binding = binding, .n_bindings = n};
    if (bound)
        plussi_bound_free(bound);
    bound = NULL;
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
}

static void walk_all(void)
{
    plussi_walk *walk;
    plussi_lru *lru;
    plussi_access batch[256];
    plussi_histo_free(&exact);
    plussi_histo_init(&exact, &plussi_mem_libc);
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 0, &walk), PLUSS_OK);
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    do {
        for (size_t n; (n = plussi_walk_fill(walk, 0, batch, 256)) > 0;)
            for (size_t i = 0; i < n; i++) {
                const uint64_t distance = plussi_lru_touch(lru, batch[i].line);
                if (distance == PLUSSI_LRU_COLD)
                    exact.cold++;
                else
                    ck_assert_int_eq(plussi_histo_add(&exact, distance, 1), PLUSS_OK);
            }
    } while (plussi_walk_next_phase(walk));
    plussi_lru_free(lru);
    plussi_walk_free(walk);
}

static pluss_status extrapolate(void)
{
    const plussi_model *model = plussi_model_named("extrapolate");
    const plussi_model_input input = {.bound = bound, .formulas = want_formulas};
    plussi_estimate_free(&made);
    plussi_estimate_init(&made, &plussi_mem_libc);
    ck_assert_ptr_nonnull(model);
    return model->run(&ctx, &input, &made);
}

static void check_equal(const plussi_histo *a, const plussi_histo *b, const char *what)
{
    plussi_bin *x, *y;
    size_t n, m;
    ck_assert_int_eq(plussi_histo_sorted(a, &x, &n), PLUSS_OK);
    ck_assert_int_eq(plussi_histo_sorted(b, &y, &m), PLUSS_OK);
    ck_assert_msg(a->cold == b->cold, "%s: cold %.0f, exact %.0f", what, a->cold, b->cold);
    for (size_t i = 0; i < n && i < m; i++)
        ck_assert_msg(x[i].key == y[i].key && x[i].weight == y[i].weight,
                      "%s: %llu x %.0f, exact %llu x %.0f", what, (unsigned long long)x[i].key,
                      x[i].weight, (unsigned long long)y[i].key, y[i].weight);
    ck_assert_msg(n == m, "%s: %zu distances, exact %zu", what, n, m);
    free(x);
    free(y);
}

static void check_exact(const char *text, const char *values, uint32_t line)
{
    read_nest(text);
    bind_nest(values, line);
    const pluss_status status = extrapolate();
    ck_assert_msg(status == PLUSS_OK, "%s: %s", values,
                  ctx.n_diags ? ctx.diags[ctx.n_diags - 1].text : "no reason");
    walk_all();
    check_equal(&made.profile.histo, &exact, values);
}

/* ---- the paper's examples ---------------------------------------------------------------------
 */

/* Figure 3: retval, alpha, k, [k, alpha, k, A~0~k, k, A~0~k, alpha, k, B~0~k, k, k], k. */
#define FIGURE_3(bound)                                                                            \
    "pluss-nest 1\nregion figure_3\nsymbol K\n"                                                    \
    "array i32 retval, alpha, `&k`, A[500][500], B[500][500]\n"                                    \
    "write retval write alpha write `&k`\n"                                                        \
    "for k in 0.." bound " { read `&k` read alpha read `&k` read A[0][k] read `&k` write A[0][k]"  \
    " read alpha read `&k` write B[0][k] read `&k` write `&k` }\n"                                 \
    "read `&k`\n"

/* Figure 1, with the references of section 3.5. */
static const char figure_1[] =
    "pluss-nest 1\nregion figure_1\nsymbol I, J, K\n"
    "array i32 retval, alpha, `&i`, `&j`, `&k`, A[500][500], B[500][500]\n"
    "write retval write alpha write `&i`\n"
    "for i in 0..I { read `&i` write `&j`\n"
    "  for j in 0..J { read `&j` write `&k`\n"
    "    for k in 0..K {\n"
    "      read `&k` read alpha read `&i` read `&k` read A[i][k] read `&i` read `&k` write "
    "A[i][k]\n"
    "      read alpha read `&j` read `&k` write B[j][k] read `&k` write `&k` }\n"
    "    read `&k` read `&j` write `&j` }\n"
    "  read `&j` read `&i` write `&i` }\n"
    "read `&i`\n";

/* A histogram as the paper prints it: {distance, frequency}, -1: cold. */
typedef struct entry {
    int64_t distance;
    double frequency;
} entry;

static void check_table(const entry *expected, size_t n, const char *what)
{
    size_t distances = 0;
    for (size_t i = 0; i < n; i++) {
        const entry *e = &expected[i];
        const double f = e->distance < 0
                             ? made.profile.histo.cold
                             : plussi_histo_get(&made.profile.histo, (uint64_t)e->distance);
        distances += e->distance >= 0;
        ck_assert_msg(f == e->frequency, "%s: distance %lld is there %.0f times, not %.0f", what,
                      (long long)e->distance, f, e->frequency);
    }
    ck_assert_uint_eq(made.profile.histo.n, distances);
}
#define CHECK_TABLE(text, values, ...)                                                             \
    do {                                                                                           \
        const entry expected[] = {__VA_ARGS__};                                                    \
        check_exact(text, values, 4);                                                              \
        check_table(expected, sizeof expected / sizeof *expected, values);                         \
    } while (0)

START_TEST(one_loop)
{
    CHECK_TABLE(FIGURE_3("K"), "K=2", {0, 5}, {1, 9}, {2, 5}, {-1, 7});
    CHECK_TABLE(FIGURE_3("K"), "K=3", {0, 7}, {1, 13}, {2, 8}, {-1, 9});
    CHECK_TABLE(FIGURE_3("K"), "K=4", {0, 9}, {1, 17}, {2, 11}, {-1, 11});
    CHECK_TABLE(FIGURE_3("K"), "K=102", {0, 205}, {1, 409}, {2, 305}, {-1, 207});
    CHECK_TABLE(FIGURE_3("102"), "K=0", {0, 205}, {1, 409}, {2, 305}, {-1, 207});
}
END_TEST

START_TEST(three_loops)
{
    CHECK_TABLE(figure_1, "I=2 J=2 K=2", {0, 35}, {1, 11}, {2, 37}, {3, 25}, {4, 5}, {5, 12},
                {7, 4}, {9, 1}, {10, 2}, {11, 1}, {-1, 13});
    CHECK_TABLE(figure_1, "I=2 J=2 K=3", {0, 43}, {1, 15}, {2, 53}, {3, 37}, {4, 5}, {5, 20},
                {9, 6}, {12, 1}, {13, 2}, {14, 2}, {15, 1}, {-1, 17});
    CHECK_TABLE(figure_1, "I=2 J=2 K=4", {0, 51}, {1, 19}, {2, 69}, {3, 49}, {4, 5}, {5, 28},
                {11, 8}, {15, 1}, {16, 2}, {17, 2}, {18, 2}, {19, 1}, {-1, 21});
    check_exact(figure_1, "I=30 J=20 K=102", 4);
    check_exact(figure_1, "I=30 J=20 K=102", 64);
}
END_TEST

/* The distances that move with K: how many they are, where they begin, and how far each is from
 * there. */
START_TEST(moving_distances)
{
    plussi_bin *bin;
    size_t n, moving = 0;
    check_exact(figure_1, "I=2 J=2 K=102", 4);
    ck_assert_int_eq(plussi_histo_sorted(&made.profile.histo, &bin, &n), PLUSS_OK);
    for (size_t i = 0; i < n; i++) {
        if (bin[i].key <= 5)
            continue;
        if (moving == 0)
            ck_assert_uint_eq(bin[i].key, 207);
        else
            ck_assert_uint_eq(bin[i].key - 207, 101 + moving);
        moving++;
    }
    ck_assert_uint_eq(moving, 104);
    ck_assert_uint_eq(bin[n - 1].key - 207, 204);
    free(bin);
}
END_TEST

/* ---- formulas and hit rates --------------------------------------------------------------------
 */

static const char *find_accesses(const char *distance)
{
    for (size_t i = 0; i < made.n_formulas; i++)
        if (strcmp(made.formula[i].distance, distance) == 0)
            return made.formula[i].accesses;
    return "none";
}

/* Table 2: what they are with K = 102 was checked above. */
START_TEST(formulas)
{
    want_formulas = true;
    check_exact(FIGURE_3("K"), "K=102", 4);
    ck_assert_uint_eq(made.n_formulas, 4);
    ck_assert_str_eq(find_accesses("0"), "2*K + 1");
    ck_assert_str_eq(find_accesses("1"), "4*K + 1");
    ck_assert_str_eq(find_accesses("2"), "3*K - 1");
    ck_assert_str_eq(find_accesses("cold"), "2*K + 3");
    check_exact("pluss-nest 1\nregion r\nsymbol n\narray f64 A[n], B[n]\n"
                "for i in 0..n { read B[i] for j in 0..i { read A[j] } }\n",
                "n=60", 8);
    ck_assert_str_eq(find_accesses("cold"), "2*n - 1");
    double all = 0;
    for (size_t i = 0; i < made.n_formulas; i++) {
        all += made.formula[i].now;
        ck_assert_str_ne(made.formula[i].accesses, "other");
    }
    ck_assert(all == 60 + 60 * 59 / 2);
}
END_TEST

/* Binomial sums, term by term as in the paper. */
static double sum_hits(unsigned distance, double blocks, unsigned ways)
{
    double sum = 0;
    for (unsigned a = 0; a < ways && a <= distance; a++) {
        double term = 1;
        for (unsigned i = 0; i < a; i++)
            term *= (double)(distance - i) / (a - i) * ways / blocks;
        for (unsigned i = a; i < distance; i++)
            term *= (blocks - ways) / blocks;
        sum += term;
    }
    return sum;
}

START_TEST(hit_rates)
{
    static const struct {
        double blocks;
        unsigned ways;
    } cache[] = {{512, 8}, {40, 3}, {13107.2 / 100, 20}, {16, 16}, {7, 1}};
    plussi_mrc curve;
    plussi_bin *bin;
    size_t n;
    check_exact(figure_1, "I=6 J=20 K=30", 8);
    ck_assert_int_eq(plussi_mrc_from_rd(&ctx, &exact, &curve), PLUSS_OK);
    ck_assert_int_eq(plussi_histo_sorted(&exact, &bin, &n), PLUSS_OK);
    for (size_t c = 0; c < sizeof cache / sizeof *cache; c++) {
        double hits = 0;
        for (size_t i = 0; i < n; i++)
            hits += bin[i].weight * sum_hits((unsigned)bin[i].key, cache[c].blocks, cache[c].ways);
        ck_assert_double_eq_tol(
            plussi_mrc_hit_rate(&curve, cache[c].blocks / cache[c].ways, cache[c].ways),
            hits / plussi_histo_total(&exact), 1e-9);
    }
    free(bin);
    plussi_mrc_free(&curve);
}
END_TEST

/* ---- nests of all kinds ------------------------------------------------------------------------
 */

START_TEST(shapes)
{
    static const char *const product =
        "pluss-nest 1\nregion r\nsymbol l, m, n\narray f64 A[l][n], B[n][m], C[l][m]\n"
        "parallel for i in 0..l { for j in 0..m { write C[i][j] for k in 0..n {"
        " read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }\n";
    static const char *const triangles =
        "pluss-nest 1\nregion r\nsymbol n\narray f64 A[n][n]\n"
        "for k in 0..n { parallel for i in k + 1..n { read A[k][k] write A[i][k]"
        " for j in k + 1..n { read A[i][k] read A[k][j] read A[i][j] write A[i][j] } } }\n";
    static const char *const turned = "pluss-nest 1\nregion r\nsymbol n\narray f64 A[n][n]\n"
                                      "for i in 0..n { for j in 0..n { write A[i][j] } }\n"
                                      "for i in 0..n { for j in 0..n { read A[j][i] } }\n";
    static const char *const stencil =
        "pluss-nest 1\nregion r\nsymbol t, n\narray f64 A[n][n], B[n][n]\n"
        "for s in 0..t { parallel for i in 1..n - 1 { for j in 1..n - 1 {"
        " read A[i - 1][j] read A[i][j - 1] read A[i][j] read A[i][j + 1] read A[i + 1][j]"
        " write B[i][j] } } swap A, B }\n";
    static const char *const numbers =
        "pluss-nest 1\nregion r\narray f64 A[130][90]\n"
        "for i in 1..129 { for j in 0..90 { read A[i - 1][j] write A[i][j] } }\n"
        "for i in 129..0 step -1 { for j in 0..90 step 2 { read A[i][j] } }\n";
    static const char *const diagonal =
        "pluss-nest 1\nregion r\nsymbol n, m\narray f64 A[n][m]\n"
        "for i in 1..n { for j in 0..m { if (i != j) { read A[i - 1][j] write A[i][j] } } }\n";
    static const uint32_t line[] = {8, 32};
    check_exact(stencil, "t=30 n=75", 8);
    for (int i = 0; i < 2; i++) {
        check_exact(product, "l=50 m=41 n=33", line[i]);
        check_exact(triangles, "n=97", line[i]);
        check_exact(turned, "n=120", line[i]);
        check_exact(numbers, "", line[i]);
        check_exact(diagonal, "n=130 m=90", line[i]);
    }
}
END_TEST

/* What is answered is exact; most of what can be answered is. */
START_TEST(random_nests)
{
    enum { NESTS = 150 };
    const uint64_t without = NEST_GEN_BRANCH | NEST_GEN_NUM_THREADS | NEST_GEN_OTHER_SCHEDULES;
    int answered = 0;
    for (int k = 0; k < NESTS; k++) {
        plussi_rng rng;
        nest_gen gen;
        plussi_rng_seed(&rng, 19, (uint64_t)k);
        const nest_gen_options options = nest_gen_defaults(NEST_GEN_AFFINE & ~without);
        ck_assert_int_eq(nest_gen_make(&ctx, &rng, &options, &gen), PLUSS_OK);
        const plussi_bind_options bind = {.team = 1,
                                          .line_bytes = k % 2 ? 64 : 8,
                                          .binding = gen.binding,
                                          .n_bindings = gen.n_bindings};
        plussi_bound *own;
        ck_assert_int_eq(plussi_bind(&ctx, gen.nest, &bind, &own), PLUSS_OK);
        bound = own;
        if (extrapolate() == PLUSS_OK) {
            char what[32];
            snprintf(what, sizeof what, "nest %d", k);
            walk_all();
            check_equal(&made.profile.histo, &exact, what);
            answered++;
        }
        plussi_bound_free(own);
        bound = NULL;
        nest_gen_free(&gen);
        plussi_ctx_clear(&ctx);
    }
    ck_assert_msg(answered >= NESTS / 2, "%d of %d are answered", answered, NESTS);
}
END_TEST

/* ---- what is refused ---------------------------------------------------------------------------
 */

static void check_refused(const char *text, const char *values, const char *why)
{
    read_nest(text);
    bind_nest(values, 64);
    ck_assert_int_eq(extrapolate(), PLUSS_EUNSUPPORTED);
    ck_assert_msg(strstr(ctx.diags[ctx.n_diags - 1].text, why) != NULL, "'%s' is no '%s'",
                  ctx.diags[ctx.n_diags - 1].text, why);
}

/* Numbers in a nest that small bounds do not reach. */
START_TEST(thresholds)
{
    check_exact("pluss-nest 1\nregion r\nsymbol n\narray f64 A[n], B[n]\n"
                "for i in 0..n { if (i < 100) { read A[i] } else { read B[i - 100] } }\n"
                "for i in 0..n { read A[i] }\n",
                "n=400", 8);
    check_exact("pluss-nest 1\nregion r\nsymbol n, m\narray f64 A[n]\n"
                "for i in 0..n { read A[i % m] }\n",
                "n=3000 m=97", 8);
    check_exact("pluss-nest 1\nregion r\nsymbol n, m\narray f64 A[n]\n"
                "for i in 0..n { read A[i % m] }\n",
                "n=3000 m=977", 64);
    check_exact("pluss-nest 1\nregion r\nsymbol n\narray f64 A[]\n"
                "for i in 0..n { for j in 0..n { read A[70 * i + j] } }\n",
                "n=150", 8);
}
END_TEST

/* Branches go the likelier way; which way that is, is told once. */
START_TEST(most_probable_path)
{
    static const char head[] = "pluss-nest 1\nregion r\nsymbol n\narray f64 A[n], B[n]\n";
    static const struct {
        const char *branches, *path;
    } pairs[] = {
        {"for i in 0..n { branch 0.75 { read A[i] } else { write B[0] } read B[i] }\n",
         "for i in 0..n { read A[i] read B[i] }\n"},
        {"for i in 0..n { branch 0.25 { read A[i] } else { write B[n - 1 - i] } read B[i] }\n",
         "for i in 0..n { write B[n - 1 - i] read B[i] }\n"},
        {"for i in 0..n { for j in 0..n { branch 0.5 { read A[j] branch 0 { read B[i] } } } }\n",
         "for i in 0..n { for j in 0..n { read A[j] } }\n"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", head, pairs[i].path);
        check_exact(text, "n=120", 8);
        /* the walk of the path alone is what the branches are compared with */
        snprintf(text, sizeof text, "%s%s", head, pairs[i].branches);
        read_nest(text);
        bind_nest("n=120", 8);
        const size_t before = ctx.n_diags;
        ck_assert_int_eq(extrapolate(), PLUSS_OK);
        check_equal(&made.profile.histo, &exact, pairs[i].branches);
        ck_assert_uint_eq(ctx.n_diags, before + 1);
        ck_assert_int_eq(ctx.diags[before].severity, PLUSSI_WARNING);
    }
}
END_TEST

START_TEST(refusals)
{
    check_refused("pluss-nest 1\nregion r\nsymbol n\narray f64 A[n]\narray i32 c[4] values(0, 1, "
                  "2, 3)\nfor i in 0..4 { read A[c[i]] }\n",
                  "n=100", "loaded from memory");
    check_refused("pluss-nest 1\nregion r\nsymbol n\narray f64 A[n]\narray f64 B[n] over A + 80\n"
                  "for i in 0..n { read A[i] read B[i] }\n",
                  "n=100", "places");
    /* products of bounds as an array's divisor: no polynomial */
    check_refused("pluss-nest 1\nregion r\nsymbol n, m\narray f64 A[n]\n"
                  "for j in 0..m { for i in 0..n { read A[i / m] read A[i % m] } }\n",
                  "n=3000 m=211", "loop bounds");
}
END_TEST

static Suite *extrapolate_suite(void)
{
    Suite *suite = suite_create("extrapolate");
    TCase *cases = tcase_create("extrapolate");
    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, one_loop);
    tcase_add_test(cases, three_loops);
    tcase_add_test(cases, moving_distances);
    tcase_add_test(cases, formulas);
    tcase_add_test(cases, hit_rates);
    tcase_add_test(cases, shapes);
    tcase_add_test(cases, random_nests);
    tcase_add_test(cases, thresholds);
    tcase_add_test(cases, most_probable_path);
    tcase_add_test(cases, refusals);
    suite_add_tcase(suite, cases);
    return suite;
}

SUITE_MAIN(extrapolate_suite())
