/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves of foreign traces against lists that are searched from the top: all threads together,
 * caches of several threads, each thread, each object; levels of other ways; accesses that touch
 * several lines.
 */
#include "pluss.h"

#include "../unit/suite.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "../unit/option_text.h"

#include "../unit/one_file.h"
#include "base/rng.h"

enum { LINES = 600, THREADS = 5, ACCESSES = 3000 };
/* objects of as many bytes, one after another from address 0; those that are told apart */
enum { OBJECTS = 20, OBJECT_BYTES = 1000, APART = 16 };

/* Most recent first; hits by distance. */
typedef struct list {
    uint64_t line[LINES];
    size_t n;
} list;

typedef struct counts {
    uint64_t all, cold, at[LINES];
} counts;

/* Its distance; LINES: cold. */
static size_t touch(list *l, uint64_t line, counts *c)
{
    size_t at = 0, distance = LINES;
    while (at < l->n && l->line[at] != line)
        at++;
    c->all++;
    if (at == l->n) {
        c->cold++;
        ck_assert_uint_lt(l->n++, LINES);
    } else {
        c->at[distance = at]++;
    }
    memmove(l->line + 1, l->line, at * sizeof *l->line);
    l->line[0] = line;
    return distance;
}

/* What is expected: of all, of caches of two threads, of each thread. */
typedef struct truth {
    list all, pair[(THREADS + 1) / 2], one[THREADS];
    counts of_all, of_pairs, of_one[THREADS];
    counts of_object[OBJECTS + 1]; /* the last: in none */
    uint64_t accesses[OBJECTS + 1];
} truth;

static void add(counts *c, size_t distance)
{
    c->all++;
    c->cold += distance == LINES;
    if (distance < LINES)
        c->at[distance]++;
}

static void write_trace(plussi_rng *rng, uint32_t line_bytes, truth *t)
{
    char name[80];
    snprintf(name, sizeof name, "%s.objects", path);
    FILE *out = fopen(path, "w"), *objects = fopen(name, "w");
    for (int k = OBJECTS; k-- > 0;)
        fprintf(objects, "%d %d o%d\n", k * OBJECT_BYTES, OBJECT_BYTES, k);
    fclose(objects);
    *t = (truth){0};
    fprintf(out, "%u barrier\n", THREADS - 1);
    for (int i = 0; i < ACCESSES; i++) {
        const uint32_t thread = (uint32_t)plussi_rng_below(rng, THREADS);
        const uint64_t address = plussi_rng_below(rng, 8000) * (plussi_rng_below(rng, 3) ? 1 : 3);
        const uint64_t bytes = 1 + plussi_rng_below(rng, plussi_rng_below(rng, 9) ? 8 : 300);
        fprintf(out, "%u %llu %llu %c\n", thread, (unsigned long long)address,
                (unsigned long long)bytes, i % 2 ? 'r' : 'w');
        for (uint64_t line = address / line_bytes; line <= (address + bytes - 1) / line_bytes;
             line++) {
            const size_t k = address / OBJECT_BYTES < OBJECTS ? address / OBJECT_BYTES : OBJECTS;
            const size_t distance = touch(&t->all, line, &t->of_all);
            t->accesses[k] += line == address / line_bytes;
            add(&t->of_object[k], distance);
            touch(&t->pair[thread / 2], line, &t->of_pairs);
            touch(&t->one[thread], line, &t->of_one[thread]);
        }
    }
    fclose(out);
}

static void check(const pluss_curve *curve, const counts *c, uint32_t line_bytes,
                  uint64_t footprint)
{
    pluss_curve_info info = {.size = sizeof info};
    ck_assert_int_eq(pluss_curve_get_info(curve, &info), PLUSS_OK);
    ck_assert_double_eq(info.accesses, (double)c->all);
    ck_assert_uint_eq(info.footprint_lines, footprint);
    uint64_t misses = c->all;
    for (uint64_t lines = 0; lines < LINES; lines++) {
        ck_assert_double_eq_tol(pluss_curve_at(curve, lines * line_bytes),
                                (double)misses / (double)c->all, 1e-12);
        misses -= c->at[lines];
    }
    ck_assert_uint_eq(misses, c->cold);
}

/* From curve `first` on: the objects with most accesses, the others, and none. */
static void check_objects(const pluss_result *result, size_t first, const truth *t,
                          uint32_t line_bytes)
{
    counts others = {0};
    bool told[OBJECTS] = {false};
    for (size_t i = 0; i < OBJECTS; i++) {
        size_t most = OBJECTS;
        for (size_t k = 0; k < OBJECTS; k++)
            if (!told[k] && (most == OBJECTS || t->accesses[k] > t->accesses[most]))
                most = k;
        const counts *c = &t->of_object[most];
        told[most] = true;
        if (i < APART)
            check(pluss_result_get(result, first + i), c, line_bytes, c->cold);
        others.all += c->all * (i >= APART);
        others.cold += c->cold * (i >= APART);
        for (size_t k = 0; k < LINES; k++)
            others.at[k] += c->at[k] * (i >= APART);
    }
    const counts *none = &t->of_object[OBJECTS];
    check(pluss_result_get(result, first + APART), &others, line_bytes, others.cold);
    check(pluss_result_get(result, first + APART + 1), none, line_bytes, none->cold);
}

START_TEST(as_lists)
{
    static truth t;
    plussi_rng rng;
    plussi_rng_seed(&rng, (uint64_t)_i, 0);
    const uint32_t line_bytes = _i % 2 ? 64 : 128;
    write_trace(&rng, line_bytes, &t);
    pluss_context *c;
    pluss_nests *nests;
    pluss_options *options;
    pluss_result *result;
    pluss_level_info level = {.size = sizeof level};
    ck_assert_int_eq(pluss_context_new(NULL, &c), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_read(c, path, &nests), PLUSS_OK);
    ck_assert(pluss_nests_is_trace(nests));
    ck_assert_uint_eq(pluss_nests_count(nests), 0);
    char words[200];
    snprintf(words, sizeof words, "each-thread each-object line=%u cache=%s", line_bytes,
             _i % 3 ? "1K,1K:shared=2" : "L1=1K:shared=2:ways=2,L2=64K:shared");
    ck_assert_int_eq(make_options(c, words, &options), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_simulate(c, nests, options, &result), PLUSS_OK);
    ck_assert_uint_eq(pluss_result_count(result), 2 + THREADS + APART + 2);
    const bool pairs_first = _i % 3 == 0;
    check(pluss_result_get(result, pairs_first), &t.of_all, line_bytes, t.of_all.cold);
    check(pluss_result_get(result, !pairs_first), &t.of_pairs, line_bytes, t.of_all.cold);
    for (size_t i = 0; i < THREADS; i++)
        check(pluss_result_get(result, 2 + i), &t.of_one[i], line_bytes, t.of_one[i].cold);
    check_objects(result, 2 + THREADS, &t, line_bytes);
    if (pairs_first) {
        ck_assert_int_eq(pluss_result_get_level(result, 0, &level), PLUSS_OK);
        ck_assert_double_eq(level.misses.requests, (double)t.of_all.all);
        ck_assert_int_eq(pluss_result_get_level(result, 1, &level), PLUSS_OK);
        ck_assert_double_eq(level.misses.misses, (double)t.of_all.cold); /* it holds all */
    } else {
        ck_assert_int_eq(pluss_result_get_level(result, 0, &level), PLUSS_ENOTFOUND);
    }
    pluss_result_free(result);
    pluss_options_free(options);
    pluss_nests_free(nests);
    pluss_context_free(c);
}
END_TEST

/* Sets of ways in one cache that all threads share: the most recently used lines of each. */
static uint64_t count_misses(const uint64_t *line, size_t n, uint64_t sets, size_t ways)
{
    static uint64_t held[16][16];
    uint64_t misses = 0;
    memset(held, 0xff, sizeof held);
    for (size_t i = 0; i < n; i++) {
        uint64_t *set = held[line[i] % sets];
        size_t at = 0;
        while (at < ways - 1 && set[at] != line[i])
            at++;
        misses += set[at] != line[i];
        memmove(set + 1, set, at * sizeof *set);
        set[0] = line[i];
    }
    return misses;
}

/* Accesses of up to 300 bytes, each line of which comes to a level that has other ways at each
 * point of a sweep. */
START_TEST(points_of_ways)
{
    static uint64_t line[8 * ACCESSES];
    static const size_t ways[] = {1, 2, 4, 16};
    plussi_rng rng;
    pluss_context *c;
    pluss_nests *nests;
    pluss_options *options;
    pluss_result *result;
    size_t n = 0;
    plussi_rng_seed(&rng, (uint64_t)_i, 1);
    FILE *out = fopen(path, "w");
    for (int i = 0; i < ACCESSES; i++) {
        const uint64_t address = plussi_rng_below(&rng, 3000);
        const uint64_t bytes = 1 + plussi_rng_below(&rng, i % 4 ? 16 : 300);
        fprintf(out, "%d %llu %llu %c\n", i % THREADS, (unsigned long long)address,
                (unsigned long long)bytes, i % 3 ? 'r' : 'w');
        for (uint64_t l = address / 64; l <= (address + bytes - 1) / 64; l++)
            line[n++] = l;
    }
    fclose(out);
    ck_assert_int_eq(pluss_context_new(NULL, &c), PLUSS_OK);
    ck_assert_int_eq(pluss_nests_read(c, path, &nests), PLUSS_OK);
    ck_assert_int_eq(make_options(c, "cache=L1=1K:ways=1/2/4/16:shared,L2=32K:shared", &options),
                     PLUSS_OK);
    ck_assert_int_eq(pluss_nests_simulate(c, nests, options, &result), PLUSS_OK);
    for (size_t p = 0; p < 4; p++) {
        pluss_level_info l1 = {.size = sizeof l1}, l2 = {.size = sizeof l2};
        ck_assert_int_eq(pluss_result_get_level(result, 2 * p, &l1), PLUSS_OK);
        ck_assert_int_eq(pluss_result_get_level(result, 2 * p + 1, &l2), PLUSS_OK);
        ck_assert_uint_eq(l1.point, p);
        ck_assert_uint_eq(l1.ways, ways[p]);
        ck_assert_double_eq(l1.misses.requests, (double)n);
        ck_assert_double_eq(l1.misses.misses, (double)count_misses(line, n, 16 / ways[p], ways[p]));
        ck_assert_double_eq(l2.misses.requests, l1.misses.misses);
        ck_assert_double_eq(l2.misses.misses, l1.misses.cold);
    }
    pluss_result_free(result);
    pluss_options_free(options);
    pluss_nests_free(nests);
    pluss_context_free(c);
}
END_TEST

static Suite *trace_simulation_suite(void)
{
    Suite *suite = suite_create("trace_simulation");
    TCase *cases = tcase_create("lists");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_loop_test(cases, as_lists, 0, 24);
    tcase_add_loop_test(cases, points_of_ways, 0, 3);
    suite_add_tcase(suite, cases);
    return suite;
}

SUITE_MAIN(trace_simulation_suite())
