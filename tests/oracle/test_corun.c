/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs that share a cache: simulated ones against lists that are searched from the top,
 * predicted ones against simulated ones, nests and traces in any mixture.
 */
#include "pluss.h"

#include "../unit/suite.h"

#include <math.h>
#include <stdio.h>

#include "../unit/option_text.h"

#include "../unit/one_file.h"
#include "base/rng.h"

enum { MOST = 4, LINES = 400 };

static pluss_context *c;
static char name[MOST][80];

static void begin(void)
{
    setup();
    ck_assert_int_eq(pluss_context_new(NULL, &c), PLUSS_OK);
    for (int i = 0; i < MOST; i++)
        snprintf(name[i], sizeof name[i], "%s-%d", path, i);
}

static void end(void)
{
    for (int i = 0; i < MOST; i++)
        (void)remove(name[i]);
    pluss_context_free(c);
    teardown();
}

static FILE *create(int i)
{
    FILE *out = fopen(name[i], "w");
    ck_assert_ptr_nonnull(out);
    return out;
}

typedef pluss_status (*corun_fn)(pluss_context *, const pluss_nests *const *, size_t,
                                 const pluss_options *, pluss_result **);

static pluss_result *corun(corun_fn run, size_t n, const char *words)
{
    pluss_nests *nests[MOST];
    pluss_options *options;
    pluss_result *result;
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(pluss_nests_read(c, name[i], &nests[i]), PLUSS_OK);
    ck_assert_int_eq(make_options(c, words, &options), PLUSS_OK);
    ck_assert_int_eq(run(c, (const pluss_nests *const *)nests, n, options, &result), PLUSS_OK);
    ck_assert_uint_eq(pluss_result_count(result), 2 * n + 1);
    pluss_options_free(options);
    for (size_t i = 0; i < n; i++)
        pluss_nests_free(nests[i]);
    return result;
}

/* ---- against lists -----------------------------------------------------------------------------
 */

/* Most recent first. */
typedef struct list {
    uint64_t line[MOST * LINES];
    size_t n;
} list;

static size_t touch(list *l, uint64_t line)
{
    size_t at = 0;
    while (at < l->n && l->line[at] != line)
        at++;
    const size_t distance = at < l->n ? at : SIZE_MAX;
    l->n += at == l->n;
    memmove(l->line + 1, l->line, at * sizeof *l->line);
    l->line[0] = line;
    return distance;
}

typedef struct program {
    uint64_t line[2000];
    size_t n, at;
    double rate;
    bool ended;
    list own;
    double alone[LINES], shared[MOST * LINES]; /* hits by distance */
} program;

static void write_trace(plussi_rng *rng, int i, program *r)
{
    FILE *out = create(i);
    const uint64_t lines = 1 + plussi_rng_below(rng, LINES - 1);
    *r = (program){.n = 100 + plussi_rng_below(rng, 1900)};
    for (size_t k = 0; k < r->n; k++) {
        r->line[k] = plussi_rng_below(rng, 3) ? k % lines : plussi_rng_below(rng, lines);
        fprintf(out, "0 %llu 4 r\n", (unsigned long long)r->line[k] * 64 + k % 60);
    }
    fclose(out);
}

static void check(const pluss_result *result, size_t i, const double *hits, size_t sizes, double n)
{
    double left = n;
    const pluss_curve *curve = pluss_result_get(result, i);
    for (size_t k = 0; k < sizes; k++) {
        ck_assert_double_eq_tol(pluss_curve_at(curve, 64 * k), left / n, 1e-9);
        left -= hits[k];
    }
}

/* The order as corun.h tells it, drawn in the same way. */
START_TEST(as_lists)
{
    static program r[MOST];
    static list all;
    plussi_rng rng, order;
    double rates = 0, of_all[MOST * LINES] = {0}, accesses = 0;
    char words[200] = "threads=1 seed=7 rates=";
    const size_t n = 2 + (size_t)_i % 3;
    size_t running = n;
    plussi_rng_seed(&rng, (uint64_t)_i, 1);
    plussi_rng_seed(&order, 7, n);
    all.n = 0;
    for (size_t i = 0; i < n; i++) {
        write_trace(&rng, (int)i, &r[i]);
        r[i].rate = (double)(1 + plussi_rng_below(&rng, 16)) / 4;
        rates += r[i].rate;
        snprintf(words + strlen(words), 20, "%s%g", i ? "," : "", r[i].rate);
    }
    while (running) {
        double at = plussi_rng_unit(&order) * rates;
        size_t i = 0;
        for (; i + 1 < n && at >= r[i].rate; i++)
            at -= r[i].rate;
        if (r[i].at == r[i].n) {
            running -= !r[i].ended;
            r[i].ended = true;
            r[i].at = 0;
        }
        if (!running)
            break;
        const uint64_t line = r[i].line[r[i].at++];
        const size_t d = touch(&all, i * LINES + line), own = touch(&r[i].own, line);
        if (r[i].ended)
            continue;
        accesses++;
        if (d != SIZE_MAX) {
            r[i].shared[d]++;
            of_all[d]++;
            r[i].alone[own]++;
        }
    }
    pluss_result *result = corun(pluss_corun_simulate, n, words);
    for (size_t i = 0; i < n; i++) {
        check(result, i, r[i].alone, LINES, (double)r[i].n);
        check(result, n + i, r[i].shared, MOST * LINES, (double)r[i].n);
    }
    check(result, 2 * n, of_all, MOST * LINES, accesses);
    pluss_result_free(result);
}
END_TEST

/* ---- predicted against simulated ---------------------------------------------------------------
 */

static void write_nest(plussi_rng *rng, int i)
{
    const unsigned n = 20 + (unsigned)plussi_rng_below(rng, 60),
                   m = 20 + (unsigned)plussi_rng_below(rng, 60);
    const char *body[] = {
        "for j in 0..%u { for k in 0..%u { read A[i][k] read B[k][j] write C[i][j] } }",
        "for j in 0..%u { for k in 0..%u { read A[j][k] write B[j][k] } }",
        "for j in 0..%u { for k in 0..(%u - i) { read A[k][j] } read C[i][j] }"};
    FILE *out = create(i);
    fprintf(out,
            "pluss-nest 1 region r%d array f64 A[99][99] array f64 B[99][99] array f64 "
            "C[99][99] parallel for i in 0..20 { ",
            i);
    fprintf(out, body[plussi_rng_below(rng, 3)], n, m);
    fprintf(out, " }");
    fclose(out);
}

static void write_any_trace(plussi_rng *rng, int i)
{
    FILE *out = create(i);
    const uint64_t lines = 100 + plussi_rng_below(rng, 2000), kind = plussi_rng_below(rng, 3);
    for (uint64_t k = 0; k < 60000; k++) {
        const uint64_t line = kind == 0   ? k / 4 % lines
                              : kind == 1 ? plussi_rng_below(rng, 1 + plussi_rng_below(rng, lines))
                                          : (k % 2000 < 1000 ? k % 50 : k % lines);
        fprintf(out, "%u %llu 8 r\n", (unsigned)(k & 1), (unsigned long long)line * 64);
    }
    fclose(out);
}

/* Mean over 8 sizes an octave up to the footprint, of curve i. */
static double difference(const pluss_result *a, const pluss_result *b, size_t i)
{
    pluss_curve_info info = {.size = sizeof info};
    double sum = 0, n = 0;
    ck_assert_int_eq(pluss_curve_get_info(pluss_result_get(b, i), &info), PLUSS_OK);
    for (double size = 64; size <= 64 * (double)info.footprint_lines; size *= exp2(0.125), n++)
        sum += fabs(pluss_curve_at(pluss_result_get(a, i), (uint64_t)size) -
                    pluss_curve_at(pluss_result_get(b, i), (uint64_t)size));
    return sum / n;
}

START_TEST(near_simulation)
{
    plussi_rng rng;
    double sum = 0, alone = 0, cases = 0;
    for (int k = 0; k < 5; k++) {
        plussi_rng_seed(&rng, (uint64_t)(5 * _i + k), 2);
        const size_t n = 2 + plussi_rng_below(&rng, MOST - 1);
        char words[200];
        snprintf(words, sizeof words, "threads=%d rates=", k % 2 ? 1 : 3);
        for (size_t i = 0; i < n; i++) {
            if (plussi_rng_below(&rng, 2))
                write_nest(&rng, (int)i);
            else
                write_any_trace(&rng, (int)i);
            snprintf(words + strlen(words), 20, "%s%g", i ? "," : "",
                     exp2((double)plussi_rng_below(&rng, 5) - 2));
        }
        pluss_result *a = corun(pluss_corun_predict, n, words);
        pluss_result *b = corun(pluss_corun_simulate, n, words);
        for (size_t i = 0; i < n; i++, cases++) {
            const double one = difference(a, b, n + i), own = difference(a, b, i);
            ck_assert_msg(one < own + 0.02, "case %d, program %zu: %.4f, alone %.4f", 5 * _i + k, i,
                          one, own);
            sum += one;
            alone += own;
        }
        ck_assert_double_lt(difference(a, b, 2 * n), 0.02);
        pluss_result_free(a);
        pluss_result_free(b);
    }
    ck_assert_double_lt(sum / cases, alone / cases + 0.003);
}
END_TEST

/* ---- what is refused ---------------------------------------------------------------------------
 */

static pluss_status attempt(size_t n, const char *words)
{
    const pluss_nests *nests[MOST + 1] = {NULL};
    pluss_nests *trace;
    pluss_options *options;
    pluss_result *result = NULL;
    ck_assert_int_eq(pluss_nests_read(c, name[0], &trace), PLUSS_OK);
    ck_assert_int_eq(make_options(c, words, &options), PLUSS_OK);
    for (size_t i = 0; i < n; i++)
        nests[i] = trace;
    pluss_status status = pluss_corun_predict(c, nests, n, options, &result);
    ck_assert_int_eq(pluss_corun_simulate(c, nests, n, options, &result), status);
    ck_assert_ptr_null(result);
    pluss_options_free(options);
    pluss_nests_free(trace);
    return status;
}

START_TEST(refused)
{
    static program r;
    plussi_rng rng;
    pluss_result *result = NULL;
    plussi_rng_seed(&rng, 1, 1);
    write_trace(&rng, 0, &r);
    ck_assert_int_eq(attempt(1, ""), PLUSS_EINVAL);
    ck_assert_int_eq(attempt(2, "rates=1,2,3"), PLUSS_EINVAL);
    ck_assert_int_eq(attempt(2, "cache=L1=1K:ways=2"), PLUSS_EUNSUPPORTED);
    ck_assert_int_eq(attempt(2, "cache=1K:shared=2"), PLUSS_EUNSUPPORTED);
    ck_assert_int_eq(attempt(2, "line=32,64"), PLUSS_EUNSUPPORTED);
    ck_assert_int_eq(attempt(2, "effort=100"), PLUSS_ELIMIT);
    ck_assert_int_eq(attempt(2, "region=none"), PLUSS_ENOTFOUND);
    const pluss_nests *none[2] = {NULL};
    ck_assert_int_eq(pluss_corun_predict(c, none, 2, NULL, &result), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_corun_predict(c, NULL, 2, NULL, &result), PLUSS_EINVAL);
    FILE *out = create(0);
    fprintf(out, "0 barrier\n");
    fclose(out);
    ck_assert_int_eq(attempt(2, ""), PLUSS_EEMPTY);
}
END_TEST

static Suite *corun_suite(void)
{
    Suite *suite = suite_create("corun");
    TCase *cases = tcase_create("corun");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_loop_test(cases, as_lists, 0, 6);
    tcase_add_loop_test(cases, near_simulation, 0, 3);
    tcase_add_test(cases, refused);
    suite_add_tcase(suite, cases);
    return suite;
}

SUITE_MAIN(corun_suite())
