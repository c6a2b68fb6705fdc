/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts of boxes against lists of all accesses: random boxes of random nests, teams and schedules;
 * the n-th access of a box; draws from it; the numbers of accesses. PLUSS_LONG=1 in the environment
 * takes 3,000 nests.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/suite.h"
#include "nest_gen.h"
#include "sampler/boxes.h"

typedef struct listed {
    plussi_cursor cursor;
    uint64_t coordinate[PLUSSI_BOX_AXES];
} listed;

static plussi_ctx ctx;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}

static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}

typedef struct found {
    uint64_t spaces, boxes, accesses, refused;
} found;

static uint64_t count_listed(const plussi_box *box, const listed *all, size_t n, uint32_t leaf)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += all[i].cursor.leaf == leaf && plussi_box_holds(box, all[i].coordinate);
    return count;
}

static bool is_same(const plussi_engine *e, const plussi_cursor *a, const plussi_cursor *b)
{
    int64_t x[64] = {0}, y[64] = {0};
    plussi_engine_pack(e, a, x);
    plussi_engine_pack(e, b, y);
    return memcmp(x, y, plussi_engine_packed_words(e) * sizeof *x) == 0;
}

/* Every access of the box is the n-th for one n, and they are in the box. */
static void check_nth(plussi_workspace *workspace, const plussi_box_space *space,
                      const plussi_box *box, uint64_t count, const listed *all, size_t n,
                      bool *seen)
{
    memset(seen, 0, n * sizeof *seen);
    for (uint64_t i = 0; i < count; i++) {
        plussi_cursor cursor;
        uint64_t number;
        plussi_box_nth(workspace, space, box, i, &cursor);
        ck_assert(plussi_engine_number(workspace, &cursor, &number));
        ck_assert_uint_lt(number, n);
        ck_assert(is_same(space->engine, &cursor, &all[number].cursor));
        ck_assert(!seen[number]);
        ck_assert(plussi_box_holds(box, all[number].coordinate));
        seen[number] = true;
    }
}

/* Draws are in the box, and each of its few accesses comes as often as the others: chi squared
 * within 6 standard deviations. */
static void check_draws(plussi_rng *rng, plussi_workspace *workspace, const plussi_box_space *space,
                        const plussi_box *box, uint64_t count, const listed *all, size_t n,
                        uint32_t *times)
{
    enum { EACH = 20, MOST = 60 };
    plussi_box_draws *draws;
    if (count < 2 || count > MOST)
        return;
    memset(times, 0, n * sizeof *times);
    ck_assert_int_eq(plussi_box_draws_new(&ctx, space, box, &draws), PLUSS_OK);
    for (uint64_t i = 0; i < EACH * count; i++) {
        plussi_cursor cursor;
        uint64_t number;
        ck_assert(plussi_box_draw(workspace, draws, plussi_rng_below(rng, count), rng, &cursor));
        ck_assert(plussi_engine_number(workspace, &cursor, &number));
        ck_assert(number < n && is_same(space->engine, &cursor, &all[number].cursor));
        ck_assert(plussi_box_holds(box, all[number].coordinate));
        times[number]++;
    }
    plussi_box_draws_free(draws);
    double chi = 0, freedom = (double)count - 1;
    for (size_t i = 0; i < n; i++)
        if (all[i].cursor.leaf == space->leaf && plussi_box_holds(box, all[i].coordinate))
            chi += pow((double)times[i] - EACH, 2) / EACH;
    ck_assert_double_lt(chi, freedom + 6 * sqrt(2 * freedom) + 12);
}

/* Two parts of the box, on an axis that tells apart the access and others. */
static bool split(plussi_rng *rng, const plussi_box_space *space, const listed *at,
                  const plussi_box *box, plussi_box part[2])
{
    const uint32_t a = (uint32_t)plussi_rng_below(rng, PLUSSI_BOX_AXES);
    if (!plussi_box_has_axis(space, a))
        return false;
    const uint64_t x = at->coordinate[a] + plussi_rng_below(rng, 2);
    if (x <= box->axis[a].from || x >= box->axis[a].to)
        return false;
    part[0] = part[1] = *box;
    part[0].axis[a].to = part[1].axis[a].from = x;
    return true;
}

/* Splits the space as long as the counts of the parts add up. */
static void check_leaf(plussi_rng *rng, plussi_workspace *workspace, const plussi_box_space *space,
                       listed *all, size_t n, bool *seen, uint32_t *times, found *out)
{
    enum { SPLITS = 30 };
    static size_t member[1 << 14];
    uint64_t effort = 1 << 24, own = 0;
    for (size_t i = 0; i < n; i++)
        if (all[i].cursor.leaf == space->leaf) {
            plussi_box_locate(space, &all[i].cursor, all[i].coordinate);
            member[own++] = i;
        }
    if (!own)
        return;
    plussi_box box = plussi_box_whole(), part[2];
    uint64_t none = 0;
    if (space->depth)
        ck_assert_uint_eq(plussi_box_count(space, &box, &none), UINT64_MAX);
    ck_assert_uint_eq(plussi_engine_leaf_accesses(space->engine, space->leaf), own);
    out->spaces++;
    uint64_t count[2], whole = plussi_box_count(space, &box, &effort);
    if (whole != own) {
        out->refused++;
        return;
    }
    check_nth(workspace, space, &box, whole, all, n, seen);
    for (int i = 0; i < SPLITS && whole; i++) {
        if (!split(rng, space, &all[member[plussi_rng_below(rng, own)]], &box, part))
            continue;
        for (int k = 0; k < 2; k++)
            count[k] = plussi_box_count(space, &part[k], &effort);
        out->boxes++;
        if (count[0] + count[1] != whole) {
            out->refused++;
            continue;
        }
        for (int k = 0; k < 2; k++) {
            ck_assert_uint_eq(count[k], count_listed(&part[k], all, n, space->leaf));
            check_nth(workspace, space, &part[k], count[k], all, n, seen);
            check_draws(rng, workspace, space, &part[k], count[k], all, n, times);
            out->accesses += count[k];
        }
        const int next = count[0] == 0 || (count[1] && plussi_rng_below(rng, 2));
        box = part[next];
        whole = count[next];
    }
}

static void check_bound(plussi_rng *rng, const plussi_bound *bound, found *out)
{
    plussi_engine *engine;
    plussi_workspace *workspace;
    if (plussi_engine_new(&ctx, bound, NULL, &engine))
        return;
    ck_assert_int_eq(plussi_workspace_new(&ctx, engine, &workspace), PLUSS_OK);
    const size_t n = plussi_engine_accesses(engine);
    if (n <= 1 << 14) {
        listed *all = calloc(n + 1, sizeof *all);
        bool *seen = calloc(n + 1, sizeof *seen);
        uint32_t *times = calloc(n + 1, sizeof *times);
        for (size_t i = 0; i < n; i++)
            plussi_engine_nth(workspace, i, &all[i].cursor);
        for (uint32_t leaf = 0; leaf < plussi_engine_leaves(engine); leaf++) {
            plussi_box_space space;
            if (plussi_box_space_of(engine, leaf, &space))
                check_leaf(rng, workspace, &space, all, n, seen, times, out);
        }
        free(all);
        free(seen);
        free(times);
    }
    plussi_workspace_free(workspace);
    plussi_engine_free(engine);
}

static void check_random(uint64_t nests, unsigned long long allow, uint32_t max_trips, found *out)
{
    static const uint32_t teams[] = {1, 2, 3, 4, 7};
    nest_gen_options options = nest_gen_defaults(allow);
    options.max_trips = max_trips;
    options.max_accesses = 6000;
    for (uint64_t k = 0; k < nests; k++) {
        plussi_rng rng;
        nest_gen gen;
        plussi_bound *bound;
        plussi_rng_seed(&rng, 7, k);
        ck_assert_int_eq(nest_gen_make(&ctx, &rng, &options, &gen), PLUSS_OK);
        plussi_bind_options with = {.team = teams[k % 5],
                                    .line_bytes = 64,
                                    .binding = gen.binding,
                                    .n_bindings = gen.n_bindings,
                                    .schedule = PLUSSI_SCHED_STATIC,
                                    .force_schedule = k % 3 > 0,
                                    .chunk = k % 3 == 2 ? (int64_t)(1 + k % 4) : 0};
        if (plussi_bind(&ctx, gen.nest, &with, &bound) == PLUSS_OK) {
            check_bound(&rng, bound, out);
            plussi_bound_free(bound);
        }
        nest_gen_free(&gen);
    }
}

START_TEST(random_nests)
{
    const uint64_t nests = getenv("PLUSS_LONG") ? 3000 : 150;
    found all = {0}, rectangular = {0}, triangular = {0};
    check_random(nests, NEST_GEN_STATIC, 8, &all);
    check_random(nests / 3, NEST_GEN_TIME_LOOP | NEST_GEN_OFFSET | NEST_GEN_REPEAT, 40,
                 &rectangular);
    check_random(nests / 3,
                 NEST_GEN_TIME_LOOP | NEST_GEN_TRIANGULAR | NEST_GEN_STEP | NEST_GEN_DESCENDING, 40,
                 &triangular);
    printf("# spaces %" PRIu64 " %" PRIu64 " %" PRIu64 ", boxes %" PRIu64 ", accesses %" PRIu64
           "\n",
           all.spaces, rectangular.spaces, triangular.spaces,
           all.boxes + rectangular.boxes + triangular.boxes,
           all.accesses + rectangular.accesses + triangular.accesses);
    const uint64_t refused = all.refused + rectangular.refused + triangular.refused;
    printf("# refused %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", all.refused, rectangular.refused,
           triangular.refused);
    ck_assert_uint_le(100 * refused, all.boxes + rectangular.boxes + triangular.boxes);
    ck_assert_uint_gt(all.spaces, nests);
    ck_assert_uint_gt(rectangular.spaces, nests / 3);
    ck_assert_uint_gt(triangular.spaces, nests / 3);
}
END_TEST

static Suite *boxes_suite(void)
{
    Suite *s = suite_create("boxes");
    TCase *c = tcase_create("counts");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 600);
    tcase_add_test(c, random_nests);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(boxes_suite())
