/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Coherent private stacks against caches that are kept way by way, with time stamps, for every size
 * at once.
 */
#include "exact/private_stack.h"

#include <string.h>

#include "../unit/failing_mem.h"
#include "../unit/suite.h"
#include "base/rng.h"

static plussi_ctx ctx;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}
static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}
static void must(pluss_status status)
{
    ck_assert_int_eq(status, PLUSS_OK);
}

/* ---- one set, way by way -----------------------------------------------------------------------
 */

enum { MOST_WAYS = 40 };

typedef struct ways {
    uint64_t line[MOST_WAYS], used[MOST_WAYS]; /* used 0: empty */
} ways;

static int find(const ways *w, int n, uint64_t line)
{
    for (int i = 0; i < n; i++)
        if (w->used[i] && w->line[i] == line)
            return i;
    return -1;
}

/* An empty way first, else the one used longest ago. */
static bool touch_ways(ways *w, int n, uint64_t line, uint64_t now)
{
    int at = find(w, n, line);
    bool hit = at >= 0;
    if (!hit) {
        at = 0;
        for (int i = 1; i < n; i++)
            if (w->used[i] < w->used[at])
                at = i;
    }
    w->line[at] = line;
    w->used[at] = now;
    return hit;
}

static bool drop_from_ways(ways *w, int n, uint64_t line)
{
    int at = find(w, n, line);
    if (at >= 0)
        w->used[at] = 0;
    return at >= 0;
}

/* ---- private stacks ----------------------------------------------------------------------------
 */

enum { MOST_THREADS = 5, LINES = 30, MOST_LINES = MOST_WAYS };

/* Private caches of c lines for every c and thread, and who touched what. */
typedef struct model {
    ways cache[MOST_THREADS][MOST_WAYS + 1];
    bool touched[MOST_THREADS][MOST_LINES], valid[MOST_THREADS][MOST_LINES];
    uint64_t now, invalidations;
} model;

/* The name of the access, or 0 for one that has a distance; and which sizes hit. */
static uint64_t model_touch(model *m, uint32_t team, uint32_t thread, uint64_t line, bool write,
                            bool *hit)
{
    bool anyone = false;
    for (uint32_t t = 0; t < team; t++)
        anyone = anyone || m->touched[t][line];
    uint64_t name = m->valid[thread][line]     ? 0
                    : m->touched[thread][line] ? PLUSSI_STACK_COHERENCE
                    : anyone                   ? PLUSSI_STACK_THREAD_FIRST
                                               : PLUSSI_STACK_COLD;
    m->now++;
    for (int c = 1; c <= MOST_WAYS; c++) {
        hit[c] = touch_ways(&m->cache[thread][c], c, line, m->now);
        for (uint32_t t = 0; write && t < team; t++)
            if (t != thread)
                drop_from_ways(&m->cache[t][c], c, line);
    }
    for (uint32_t t = 0; write && t < team; t++)
        if (t != thread && m->valid[t][line]) {
            m->valid[t][line] = false;
            m->invalidations++;
        }
    m->touched[thread][line] = m->valid[thread][line] = true;
    return name;
}

/* Every size of cache hits just where the distance is below it. */
START_TEST(stacks_are_caches)
{
    static const unsigned one_in[] = {1, 2, 5, 20, 100}; /* writes; _i = 0: all are */
    static model m;
    plussi_rng rng;
    plussi_rng_seed(&rng, 62, (uint64_t)_i);
    for (uint32_t team = 1; team <= MOST_THREADS; team++) {
        plussi_stacks *stacks;
        must(plussi_stacks_new(&ctx, team, &stacks));
        memset(&m, 0, sizeof m);
        uint64_t names = 0, distances = 0;
        for (int k = 0; k < 12000; k++) {
            uint32_t thread = (uint32_t)plussi_rng_below(&rng, team);
            uint64_t line = plussi_rng_below(&rng, 1 + plussi_rng_below(&rng, LINES));
            bool write = plussi_rng_below(&rng, one_in[_i]) == 0, hit[MOST_WAYS + 1];
            uint64_t name = model_touch(&m, team, thread, line, write, hit);
            uint64_t found = plussi_stacks_touch(stacks, thread, line, write);
            for (uint64_t c = 1; c <= MOST_WAYS; c++)
                if (hit[c] != (found < c))
                    ck_abort_msg("touch %d: %lu, but %lu lines %s", k, found, c,
                                 hit[c] ? "hit" : "miss");
            if (name)
                ck_assert_uint_eq(found, name);
            else
                ck_assert_uint_lt(found, LINES);
            names += name != 0;
            distances += name == 0;
        }
        ck_assert(names > 0 && distances > 0);
        ck_assert_uint_eq(plussi_stacks_invalidations(stacks), m.invalidations);
        ck_assert_uint_eq(plussi_stacks_footprint(stacks), LINES);
        plussi_stacks_free(stacks);
    }
}
END_TEST

/* The example that the literature explains holes with: two threads, thread 0 touched A, E, D, C, B
 * in this order; then thread 1 writes C. B is still on top; E comes up from below the hole and the
 * hole takes E's place, so that A stays at depth 4. */
START_TEST(a_hole_moves)
{
    enum { A, B, C, D, E };
    static const uint64_t order[] = {A, E, D, C, B};
    plussi_stacks *stacks;
    must(plussi_stacks_new(&ctx, 2, &stacks));
    for (int i = 0; i < 5; i++)
        ck_assert_uint_eq(plussi_stacks_touch(stacks, 0, order[i], false), PLUSSI_STACK_COLD);
    ck_assert_uint_eq(plussi_stacks_touch(stacks, 1, C, true), PLUSSI_STACK_THREAD_FIRST);
    ck_assert_uint_eq(plussi_stacks_touch(stacks, 0, B, false), 0);
    ck_assert_uint_eq(plussi_stacks_touch(stacks, 0, E, false), 3);
    ck_assert_uint_eq(plussi_stacks_touch(stacks, 0, A, false), 4);
    ck_assert_uint_eq(plussi_stacks_touch(stacks, 0, C, false), PLUSSI_STACK_COHERENCE);
    ck_assert_uint_eq(plussi_stacks_invalidations(stacks), 1);
    plussi_stacks_free(stacks);
}
END_TEST

/* Without writes the stacks know nothing of each other; with one thread writes change nothing. */
START_TEST(without_sharing)
{
    enum { TEAM = 70 };
    static plussi_lru *alone[TEAM];
    uint32_t team = _i ? 1 : TEAM;
    plussi_rng rng;
    plussi_rng_seed(&rng, 63, (uint64_t)_i);
    plussi_stacks *stacks;
    must(plussi_stacks_new(&ctx, team, &stacks));
    for (uint32_t t = 0; t < team; t++)
        must(plussi_lru_new(&ctx, &alone[t]));
    for (int k = 0; k < 300000; k++) {
        uint32_t thread = (uint32_t)plussi_rng_below(&rng, team);
        uint64_t line = plussi_rng_below(&rng, 1 + plussi_rng_below(&rng, 20000));
        uint64_t expected = plussi_lru_touch(alone[thread], line);
        uint64_t found = plussi_stacks_touch(stacks, thread, line, _i);
        if (expected == PLUSSI_LRU_COLD)
            ck_assert(found == PLUSSI_STACK_COLD || found == PLUSSI_STACK_THREAD_FIRST);
        else if (found != expected)
            ck_abort_msg("touch %d: %lu, not %lu", k, found, expected);
    }
    for (uint32_t t = 0; t < team; t++)
        plussi_lru_free(alone[t]);
    plussi_stacks_free(stacks);
}
END_TEST

/* ---- holes in long traces: a list with holes, for more lines than fit the first slots
 * ------------ */

enum { LONG_LINES = 6000 };

typedef struct holed_list {
    uint32_t entry[2 * LONG_LINES]; /* line + 1; 0: a hole */
    size_t n;
} holed_list;

static size_t position(const holed_list *l, uint32_t entry)
{
    size_t at = 0;
    while (at < l->n && l->entry[at] != entry)
        at++;
    return at;
}

static size_t list_touch(holed_list *l, uint32_t line)
{
    size_t at = position(l, line + 1), hole = position(l, 0);
    size_t room = hole < at ? hole : at; /* what is above it moves down */
    if (at < l->n && hole < at)
        l->entry[at] = 0;
    if (room == l->n)
        l->n++;
    memmove(l->entry + 1, l->entry, room * sizeof *l->entry);
    l->entry[0] = line + 1;
    return at;
}

static size_t count_holes(const holed_list *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        n += l->entry[i] == 0;
    return n;
}

START_TEST(many_lines_and_holes)
{
    static holed_list list[2];
    static bool valid[2][LONG_LINES];
    plussi_rng rng;
    plussi_rng_seed(&rng, 64, 0);
    plussi_stacks *stacks;
    must(plussi_stacks_new(&ctx, 2, &stacks));
    size_t most_holes = 0;
    for (uint64_t k = 0; k < 40000; k++) {
        uint32_t t = (uint32_t)plussi_rng_below(&rng, 2);
        uint32_t line = (uint32_t)(plussi_rng_below(&rng, 3) ? k / 3 % LONG_LINES
                                                             : plussi_rng_below(&rng, LONG_LINES));
        bool write = plussi_rng_below(&rng, 4) == 0;
        /* Now and then thread 1 writes alone, which leaves holes, and then thread 0 reads what it
         * has left, which moves them, while its slots run out. */
        if (k % 10000 >= 5000) {
            t = k % 10000 < 7000;
            write = t == 1;
            while (t == 0 && !valid[0][line])
                line = (uint32_t)plussi_rng_below(&rng, LONG_LINES);
        }
        if (k % 1000 == 0)
            most_holes = count_holes(&list[0]) > most_holes ? count_holes(&list[0]) : most_holes;
        size_t at = list_touch(&list[t], line);
        uint64_t found = plussi_stacks_touch(stacks, t, line, write);
        if (valid[t][line] ? found != at : found < LONG_LINES)
            ck_abort_msg("touch %lu: %lu, not %zu", k, found, at);
        valid[t][line] = true;
        if (write && valid[1 - t][line]) {
            valid[1 - t][line] = false;
            list[1 - t].entry[position(&list[1 - t], line + 1)] = 0;
        }
    }
    ck_assert_uint_gt(most_holes, 500);
    plussi_stacks_free(stacks);
}
END_TEST

START_TEST(no_team)
{
    plussi_stacks *stacks = NULL;
    ck_assert_int_eq(plussi_stacks_new(&ctx, 0, &stacks), PLUSS_EINVAL);
    ck_assert(stacks == NULL && ctx.n_diags == 1);
    plussi_stacks_free(NULL);
}
END_TEST

/* Every allocation in turn fails once; the stacks go on as if that touch had not been asked for. */
START_TEST(short_of_memory)
{
    bool whole = false;
    for (long budget = 0; !whole; budget += suite_step()) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx short_ctx;
        plussi_ctx_init(&short_ctx, &m.mem);
        plussi_stacks *stacks = NULL, *sound;
        pluss_status status = plussi_stacks_new(&short_ctx, 3, &stacks);
        if (status != PLUSS_OK) {
            ck_assert_int_eq(status, PLUSS_ENOMEM);
            ck_assert_ptr_null(stacks);
            ck_assert_int_eq(m.live, 0);
            continue;
        }
        must(plussi_stacks_new(&ctx, 3, &sound));
        plussi_rng rng;
        plussi_rng_seed(&rng, 65, 0);
        uint64_t failures = 0;
        for (uint64_t k = 0; k < 25000; k++) {
            uint32_t t = k < 12000 ? 0 : (uint32_t)plussi_rng_below(&rng, 3);
            uint64_t line = plussi_rng_below(&rng, 5500);
            bool write = plussi_rng_below(&rng, 3) == 0;
            uint64_t expected = plussi_stacks_touch(sound, t, line, write);
            uint64_t found = plussi_stacks_touch(stacks, t, line, write);
            if (found == PLUSSI_STACK_FAIL) {
                failures++;
                m.budget = 1000000;
                found = plussi_stacks_touch(stacks, t, line, write);
            }
            if (found != expected)
                ck_abort_msg("budget %ld, touch %lu: %lu, not %lu", budget, k, found, expected);
        }
        ck_assert_int_eq(failures, m.failed);
        ck_assert_uint_eq(plussi_stacks_invalidations(stacks), plussi_stacks_invalidations(sound));
        plussi_stacks_free(stacks);
        plussi_stacks_free(sound);
        plussi_ctx_clear(&short_ctx);
        ck_assert_int_eq(m.live, 0);
        whole = !m.failed;
    }
}
END_TEST

static Suite *private_stack_suite(void)
{
    Suite *suite = suite_create("private_stack");
    TCase *tc = tcase_create("private_stack");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, stacks_are_caches, 0, 5);
    tcase_add_test(tc, a_hole_moves);
    tcase_add_loop_test(tc, without_sharing, 0, 2);
    tcase_add_test(tc, many_lines_and_holes);
    tcase_add_test(tc, no_team);
    tcase_add_test(tc, short_of_memory);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(private_stack_suite())
