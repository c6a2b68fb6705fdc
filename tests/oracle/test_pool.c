/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops shared out by a stealing pool: drawn runs against all runs that there are, and simulated
 * and predicted curves against runs of the oracle whose accesses are sorted by time.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "naive.h"
#include "naive_pool.h"

#include "../unit/pipeline_fixture.h"
#include "../unit/suite.h"

/* ---- all runs ----------------------------------------------------------------------------------
 */

enum { MOST_CHOICES = 256, MOST_OUTCOMES = 4096, TEXT = 512 };

/* The choices of a run, which the next one differs from in its last that has another left. */
typedef struct script {
    uint32_t choice[MOST_CHOICES], of[MOST_CHOICES];
    size_t at, n;
    double probability;
} script;

static uint32_t choose_by_script(void *user, uint32_t n)
{
    script *s = user;
    ck_assert_uint_lt(s->at, MOST_CHOICES);
    if (s->at == s->n) {
        s->choice[s->n] = 0;
        s->of[s->n++] = n;
    }
    ck_assert_uint_eq(s->of[s->at], n);
    s->probability /= n;
    return s->choice[s->at++];
}

static bool next_script(script *s)
{
    while (s->n && s->choice[s->n - 1] + 1 == s->of[s->n - 1])
        s->n--;
    if (!s->n)
        return false;
    s->choice[s->n - 1]++;
    return true;
}

static double no_normal(void *user)
{
    (void)user;
    return 0;
}

typedef struct outcome {
    char text[TEXT];
    double probability;
    uint32_t drawn;
} outcome;

static outcome found[MOST_OUTCOMES];
static size_t n_found;

static outcome *find_outcome(const char *text)
{
    for (size_t i = 0; i < n_found; i++)
        if (strcmp(found[i].text, text) == 0)
            return &found[i];
    return NULL;
}

static int by_place(const void *a, const void *b)
{
    const naive_pool_piece *x = a, *y = b;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Who executes which piece when, in order of the iterations. */
static void write_pieces(naive_pool_run *run, char *out)
{
    qsort(run->piece, run->n, sizeof *run->piece, by_place);
    *out = '\0';
    for (size_t i = 0, used = 0; i < run->n; i++) {
        const naive_pool_piece *p = &run->piece[i];
        used += (size_t)snprintf(out + used, TEXT - used, "%u:%g+%g@%g-%g ", p->thread,
                                 (double)p->lo, (double)(p->hi - p->lo), p->begin, p->end);
        ck_assert_uint_lt(used, TEXT);
    }
}

static double work_of_each(void *user, uint64_t lo, uint64_t hi)
{
    const double *work = user;
    double sum = 0;
    for (uint64_t i = lo; i < hi; i++)
        sum += work[i];
    return sum;
}

static void take_pieces(const plussi_itersets *s, naive_pool_run *out)
{
    out->n = 0;
    for (uint32_t t = 0; t < s->team; t++)
        for (size_t i = 0, at = (size_t)(s->set[t].segment - s->segment); i < s->set[t].n_segments;
             i++, at++)
            out->piece[out->n++] = (naive_pool_piece){t, s->segment[at].lo, s->segment[at].hi,
                                                      s->chunk_begin[at], s->chunk_end[at]};
}

typedef struct pool_case {
    uint32_t team;
    plussi_pool_loop loop;
    plussi_pool cost;
    double work[16];
} pool_case;

/* Threads that come early, late, at the same time, that find no core, or another's; whose search
 * ends before there is work again; pieces of several iterations, more pieces than threads; uneven
 * work. */
#define EVEN 101, 101, 101, 101, 101, 101, 101, 101
static const pool_case cases[] = {
    {2, {4, 1, 0}, {.wake = 53, .steal = 7, .piece = 3, .search = 1e9}, {EVEN}},
    {2, {8, 1, 0}, {.wake = 331, .steal = 7, .piece = 3, .search = 1e9}, {EVEN}},
    {2, {8, 2, 0}, {.wake = 17, .steal = 211, .piece = 3, .search = 40}, {EVEN}},
    {2, {7, 1, 2}, {.wake = 17, .steal = 7, .piece = 3, .search = 1e9}, {5, 300, 7, 1, 90, 2, 60}},
    {2, {8, 1, 1}, {.wake = 130, .steal = 7, .piece = 3, .search = 1e9, .cores = 1}, {EVEN}},
    {3, {4, 1, 0}, {.wake = 53, .steal = 7, .piece = 3, .search = 1e9}, {EVEN}},
    {3, {6, 1, 0}, {.wake = 53, .steal = 7, .piece = 3, .search = 20}, {3, 400, 5, 80, 9, 200}},
    {3, {4, 2, 0}, {.wake = 0, .steal = 0, .piece = 0, .search = 1e9}, {EVEN}},
    {3, {6, 1, 0}, {.wake = 53, .steal = 7, .piece = 3, .search = 1e9, .cores = 2}, {EVEN}},
    {3, {5, 1, 0}, {.wake = 160, .steal = 7, .piece = 3, .search = 1, .cores = 1}, {EVEN}},
    {4, {4, 1, 0}, {.wake = 53, .steal = 7, .piece = 3, .search = 1e9, .cores = 2}, {EVEN}},
    {1, {5, 1, 0}, {.wake = 53, .steal = 7, .piece = 3, .search = 1e9}, {EVEN}},
};

START_TEST(drawn_runs)
{
    enum { DRAWS = 8000 };
    static naive_pool_run run;
    pool_case c = cases[_i];
    script s = {.n = 0};
    const naive_pool_user user = {choose_by_script, no_normal, &s};
    double all = 0;
    char text[TEXT];
    c.cost.access = 1;
    c.cost.slice = 1e15;
    n_found = 0;
    do {
        s.at = 0;
        s.probability = 1;
        naive_pool_draw(&c.loop, c.team, &c.cost, c.work, &user, &run);
        ck_assert_uint_eq(s.at, s.n);
        write_pieces(&run, text);
        outcome *x = find_outcome(text);
        if (!x) {
            ck_assert_uint_lt(n_found, MOST_OUTCOMES);
            x = &found[n_found++];
            *x = (outcome){.probability = 0};
            strcpy(x->text, text);
        }
        x->probability += s.probability;
        all += s.probability;
    } while (next_script(&s));
    ck_assert_double_eq_tol(all, 1, 1e-9);
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        plussi_itersets sets;
        ck_assert_int_eq(
            plussi_simulate_pool(&ctx, &c.loop, c.team, &c.cost, work_of_each, c.work, seed, &sets),
            PLUSS_OK);
        take_pieces(&sets, &run);
        plussi_itersets_free(&sets);
        write_pieces(&run, text);
        outcome *x = find_outcome(text);
        ck_assert_msg(x, "case %d, seed %d: no run of the oracle is '%s', but '%s'", _i, (int)seed,
                      text, found[0].text);
        x->drawn++;
    }
    for (size_t i = 0; i < n_found; i++) {
        const double p = found[i].probability, f = (double)found[i].drawn / DRAWS;
        ck_assert_msg(fabs(f - p) <= 5 * sqrt(p * (1 - p) / DRAWS) + 1.0 / DRAWS,
                      "case %d: %.5f of all for %.5f of '%s'", _i, f, p, found[i].text);
    }
}
END_TEST

/* ---- curves ------------------------------------------------------------------------------------
 */

/* Rows that are read twice with a vector that all read, after a loop of one thread; then the same
 * rows backwards. In lines of one element. */
enum { ROWS = 12, LENGTH = 5, LINES = 2 * ROWS * LENGTH };
#define NEST                                                                                       \
    "pluss-nest 1 array b64 A[12][5], x[5] region r "                                              \
    "for j in 0..5 { write x[j] } "                                                                \
    "parallel for i in 0..12 schedule(rayon) { for j in 0..5 { read A[i][j] read x[j] } } "        \
    "parallel for i in 0..12 schedule(rayon, 2) { for j in 0..5 { read A[11-i][j] } }"

static uint32_t choose_at_random(void *user, uint32_t n)
{
    return (uint32_t)plussi_rng_below(user, n);
}

/* Box and Muller's. */
static double normal_at_random(void *user)
{
    double r = sqrt(-2 * log(1 - plussi_rng_unit(user)));
    return r * cos(6.283185307179586 * plussi_rng_unit(user));
}

typedef struct timed_access {
    double time;
    uint32_t thread;
    uint64_t line;
} timed_access;

static int by_time(const void *a, const void *b)
{
    const timed_access *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Appends the accesses of a loop's run in their order. */
static size_t append(uint64_t *line, size_t n, const naive_pool_run *run, bool back)
{
    timed_access access[2 * ROWS * LENGTH];
    size_t m = 0;
    for (size_t p = 0; p < run->n; p++) {
        const naive_pool_piece *piece = &run->piece[p];
        const size_t first = m;
        for (uint64_t i = piece->lo; i < piece->hi; i++)
            for (uint64_t j = 0; j < LENGTH; j++) {
                access[m++].line = (back ? ROWS - 1 - i : i) * LENGTH + j;
                if (!back)
                    access[m++].line = ROWS * LENGTH + j;
            }
        for (size_t k = first; k < m; k++) {
            access[k].thread = piece->thread;
            access[k].time = piece->begin + (piece->end - piece->begin) * (double)(k - first) /
                                                (double)(m - first);
        }
    }
    qsort(access, m, sizeof *access, by_time);
    for (size_t k = 0; k < m; k++)
        line[n++] = access[k].line;
    return n;
}

/* Sums of miss ratios, and of their squares, at caches of 0 ... LINES - 1 lines. */
typedef struct curves {
    double sum[LINES], square[LINES];
    uint32_t n;
} curves;

static void add_ratio(curves *c, size_t size, double ratio)
{
    c->sum[size] += ratio;
    c->square[size] += ratio * ratio;
}

static void add_oracle_run(curves *c, uint32_t team, const plussi_pool *cost, plussi_rng *rng)
{
    static naive_pool_run run;
    double work[ROWS];
    uint64_t line[LENGTH + 3 * ROWS * LENGTH], far;
    size_t n = 0, miss[LINES] = {0};
    const naive_pool_user user = {choose_at_random, normal_at_random, rng};
    for (; n < LENGTH; n++)
        line[n] = ROWS * LENGTH + n;
    for (int loop = 0; loop < 2; loop++) {
        for (size_t i = 0; i < ROWS; i++)
            work[i] = loop ? LENGTH : 2 * LENGTH;
        naive_pool_draw(&(plussi_pool_loop){ROWS, loop ? 2 : 0, 0}, team, cost, work, &user, &run);
        n = append(line, n, &run, loop);
    }
    for (size_t at = 0; at < n; at++) {
        far = naive_distance(line, at);
        for (size_t size = 0; size < LINES; size++)
            miss[size] += far >= size;
    }
    for (size_t size = 0; size < LINES; size++)
        add_ratio(c, size, (double)miss[size] / (double)n);
    c->n++;
}

static void add_result(curves *c)
{
    ck_assert_uint_eq(result.n, 1);
    for (size_t size = 0; size < LINES; size++)
        add_ratio(c, size, plussi_mrc_at(&result.curve[0].mrc, (double)size));
    c->n++;
    plussi_result_free(&result);
    plussi_result_init(&result, &plussi_mem_libc);
}

static double mean_of(const curves *c, size_t size, double *error)
{
    const double n = c->n, mean = c->sum[size] / n, variance = c->square[size] / n - mean * mean;
    *error = sqrt((variance > 0 ? variance : 0) / (n - 1));
    return mean;
}

/* Within 4.5 standard errors of the difference, and `more`. */
static void expect_alike(const char *what, const curves *a, const curves *b, double more)
{
    for (size_t size = 0; size < LINES; size++) {
        double e, f, x = mean_of(a, size, &e), y = mean_of(b, size, &f);
        ck_assert_msg(fabs(x - y) <= 4.5 * sqrt(e * e + f * f) + more,
                      "%s, %zu lines: %.5f for %.5f, errors %.5f and %.5f", what, size, y, x, f, e);
    }
}

START_TEST(simulated_and_predicted_curves)
{
    static const struct {
        uint32_t team, cores;
        double wake, access;
    } all[] = {{1, 0, 100, 1},   {2, 0, 0, 40},    {2, 0, 900, 40}, {3, 0, 400, 25},
               {3, 2, 1500, 90}, {4, 2, 3000, 60}, {2, 1, 100, 20}, {4, 0, 50, 400}};
    const uint32_t team = all[_i].team;
    plussi_request request = {.team = &team, .n_teams = 1, .line_bytes = 64};
    request.progress = (plussi_progress){.law = PLUSSI_PROGRESS_POOL,
                                         .wake = all[_i].wake,
                                         .access = all[_i].access,
                                         .cores = all[_i].cores};
    const plussi_pool cost = plussi_pool_of(&request.progress);
    curves truth = {.n = 0}, simulated = {.n = 0}, predicted = {.n = 0};
    plussi_rng rng;
    plussi_rng_seed(&rng, 77, (uint64_t)_i);
    parse(NEST);
    for (int i = 0; i < 1500; i++)
        add_oracle_run(&truth, team, &cost, &rng);
    for (request.seed = 0; request.seed < 400; request.seed++) {
        ck_assert_int_eq(plussi_pipeline_simulate(&ctx, nest, &request, &result), PLUSS_OK);
        add_result(&simulated);
    }
    for (request.seed = 0; request.seed < 20; request.seed++) {
        ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
        add_result(&predicted);
    }
    expect_alike("simulated", &truth, &simulated, 1e-9);
    expect_alike("predicted", &truth, &predicted, 1e-3);
}
END_TEST

/* ---- times of accesses -------------------------------------------------------------------------
 */

/* The accesses by a time are those whose time is before it; an iteration may have none. */
START_TEST(times_of_accesses)
{
    double work[16] = {3, 0, 5, 1, 0, 0, 2, 9, 1, 1, 0, 4};
    const plussi_pool cost = {
        .wake = 4, .access = 1, .search = 9, .slice = 1e9, .piece = 1, .steal = 2, .sigma = .3};
    for (uint64_t seed = 0; seed < 300; seed++) {
        plussi_itersets s;
        ck_assert_int_eq(plussi_simulate_pool(&ctx, &(plussi_pool_loop){12, 0, 0}, 3, &cost,
                                              work_of_each, work, seed, &s),
                         PLUSS_OK);
        for (uint32_t t = 0; t < 3; t++) {
            uint64_t pos = 0;
            double before = -1;
            for (size_t i = 0, at = (size_t)(s.set[t].segment - s.segment); i < s.set[t].n_segments;
                 i++, at++) {
                const double n = work_of_each(work, s.segment[at].lo, s.segment[at].hi);
                for (double k = 0; k < n; k++, pos++) {
                    const double time = plussi_pool_time(&s, t, pos);
                    ck_assert_double_eq_tol(
                        time, s.chunk_begin[at] + k / n * (s.chunk_end[at] - s.chunk_begin[at]),
                        1e-9);
                    ck_assert_double_gt(time, before);
                    ck_assert_double_eq_tol(plussi_pool_done(&s, t, time), (double)pos, 1e-9);
                    before = time;
                }
            }
            ck_assert_double_eq(plussi_pool_done(&s, t, 1e9), (double)pos);
            ck_assert_double_ge(plussi_pool_time(&s, t, pos), before);
        }
        plussi_itersets_free(&s);
    }
}
END_TEST

/* ---- what is refused ---------------------------------------------------------------------------
 */

static void expect_refused(const char *body, const char *why)
{
    static const uint32_t team = 2;
    plussi_request request = {.team = &team, .n_teams = 1, .line_bytes = 64};
    char text[256];
    request.progress = (plussi_progress){.law = PLUSSI_PROGRESS_POOL, .wake = 100, .access = 1};
    snprintf(text, sizeof text, "pluss-nest 1 array b64 A[20] region r\n%s", body);
    parse(text);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(
            (i ? plussi_pipeline_predict : plussi_pipeline_simulate)(&ctx, nest, &request, &result),
            PLUSS_EUNSUPPORTED);
        ck_assert_uint_ge(ctx.n_diags, 1);
        const plussi_diag *d = &ctx.diags[ctx.n_diags - 1];
        ck_assert_msg(strstr(d->text, why) && d->line > 0, "%d: '%s' in line %d", i, d->text,
                      (int)d->line);
        ck_assert_uint_eq(result.n, 0);
        plussi_ctx_clear(&ctx);
    }
}

START_TEST(other_loops)
{
    expect_refused("parallel for i in 0..20 @3 { read A[i] }", "schedule(rayon) alone");
    expect_refused("parallel for i in 0..20 schedule(dynamic) @3 { read A[i] }",
                   "schedule(rayon) alone");
    expect_refused("parallel { workshare for i in 0..20 schedule(rayon) nowait @3 { read A[i] } "
                   "workshare for i in 0..20 schedule(rayon) @4 { read A[i] } }",
                   "alone between two barriers");
    expect_refused(
        "parallel { read A[3] workshare for i in 0..20 schedule(rayon) @3 { read A[i] } }",
        "alone between two barriers");
}
END_TEST

static Suite *pool_suite(void)
{
    Suite *suite = suite_create("pool");
    TCase *tc = tcase_create("pool");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, drawn_runs, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(tc, simulated_and_predicted_curves, 0, suite_turns(8));
    tcase_add_test(tc, times_of_accesses);
    tcase_add_test(tc, other_loops);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(pool_suite())
