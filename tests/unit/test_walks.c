/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What generated samplers call: iterations counted, chunks shared out, dynamic schedules against an
 * event simulation, sampled lines, workers, settings, the record.
 */
#include "suite.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "rt/walks.h"

enum { LOOP = 300, MOST_THREADS = 5 };

static const pluss_rt_ref shapes[] = {{8, 8}, {8, 8}, {16, 8}};
static const pluss_rt_region region = {
    .size = sizeof region, .name = "f", .file = "a.c", .line = 3, .n_refs = 3, .ref = shapes};

static pluss_rt_walk *walk(uint32_t team, uint32_t thread, bool plans, plussi_plan *plan)
{
    pluss_rt_walk *w =
        plussi_rt_walk_new(&region, team, thread, plans, 1, 0, plan, (plussi_walk_schedule){0});
    ck_assert_ptr_nonnull(w);
    return w;
}

static plussi_collector *collected(pluss_rt_walk *w)
{
    plussi_sampled_thread *sampled;
    plussi_collector *c = plussi_rt_walk_finish(w, &sampled);
    ck_assert_ptr_null(sampled);
    return c;
}

static void finish(pluss_rt_walk *w)
{
    plussi_collector_free(collected(w));
}

/* ---- trips ----------------------------------------------------------------------------------- */

static bool goes_on(int64_t i, int64_t last, uint32_t relation)
{
    switch (relation) {
    case PLUSS_RT_WHILE_LT:
        return i < last;
    case PLUSS_RT_WHILE_LE:
        return i <= last;
    case PLUSS_RT_WHILE_GT:
        return i > last;
    case PLUSS_RT_WHILE_GE:
        return i >= last;
    default:
        return i != last;
    }
}

START_TEST(trips_equal_the_loop)
{
    plussi_plan plan = {0};
    pluss_rt_walk *w = walk(1, 0, false, &plan);
    for (uint32_t relation = PLUSS_RT_WHILE_LT; relation <= PLUSS_RT_WHILE_NE; relation++)
        for (int64_t first = -7; first <= 7; first++)
            for (int64_t last = -7; last <= 7; last++)
                for (int64_t step = 1; step <= 4; step++) {
                    bool down = relation == PLUSS_RT_WHILE_GT || relation == PLUSS_RT_WHILE_GE ||
                                (relation == PLUSS_RT_WHILE_NE && last < first);
                    int64_t by = down ? -step : step;
                    if (relation == PLUSS_RT_WHILE_NE && (last - first) % step)
                        continue;
                    uint64_t n = 0;
                    int64_t i = first, end = last; /* the range ends before `end` */
                    for (; goes_on(i, last, relation); i += by)
                        n++;
                    if (relation == PLUSS_RT_WHILE_LE || relation == PLUSS_RT_WHILE_GE)
                        end += down ? -1 : 1;
                    ck_assert_uint_eq(pluss_rt_walk_trips(w, first, last, by, relation), n);
                    ck_assert_uint_eq(w->ragged, n > 0 && i != end);
                }
    finish(w);
}
END_TEST

START_TEST(trips_at_the_ends_of_the_numbers)
{
    uint32_t lt = PLUSS_RT_WHILE_LT, is_unsigned = PLUSS_RT_WHILE_UNSIGNED;
    plussi_plan plan = {0};
    pluss_rt_walk *w = walk(1, 0, false, &plan);
    ck_assert_uint_eq(pluss_rt_walk_trips(w, INT64_MIN, INT64_MAX, 1, lt), UINT64_MAX);
    ck_assert_uint_eq(pluss_rt_walk_trips(w, -1, 1, 1, lt | is_unsigned), 0);
    ck_assert_uint_eq(pluss_rt_walk_trips(w, 1, -1, 1, lt | is_unsigned), UINT64_MAX - 1);
    ck_assert_uint_eq(pluss_rt_walk_trips(w, INT64_MAX, INT64_MIN, INT64_MIN, PLUSS_RT_WHILE_GT),
                      2);
    ck_assert_uint_eq(pluss_rt_walk_trips(w, 0, 5, 0, lt), 0);
    finish(w);
}
END_TEST

/* ---- chunks ---------------------------------------------------------------------------------- */

typedef struct loop_case {
    uint32_t schedule;
    int64_t chunk;
    int inner; /* collapsed: iterations come in pieces of this many */
    enum { WHOLE, RAGGED, RAGGED_COLLAPSED } range;
} loop_case;

static uint64_t cost(int i)
{
    return (uint64_t)(i % 7 == 0 ? 40 : 1 + i / 16);
}

/* Every iteration: who executes it. */
static void run_loop(pluss_rt_walk *w, const loop_case *c, int trips, int nowait, uint32_t *owner)
{
    int64_t beyond = 3 * trips - (c->range != WHOLE);
    uint32_t collapsed = c->range == RAGGED_COLLAPSED ? PLUSS_RT_WALK_COLLAPSED : 0;
    pluss_rt_walk_loop(w, pluss_rt_walk_trips(w, 0, beyond, 3, PLUSS_RT_WHILE_LT),
                       c->schedule | collapsed, c->chunk, nowait);
    int last = -1;
    for (int base = 0; base < trips; base += c->inner) {
        int n = trips - base < c->inner ? trips - base : c->inner;
        for (uint64_t k; (k = pluss_rt_walk_chunk(w, (uint64_t)base, (uint64_t)n)) != 0;)
            for (uint64_t i = pluss_rt_walk_first(w), end = i + k; i < end; i++) {
                ck_assert_int_ge((int)i, base);
                ck_assert_int_lt((int)i, base + n);
                ck_assert_int_gt((int)i, last);
                last = (int)i;
                if (owner) {
                    ck_assert_uint_eq(owner[i], UINT32_MAX);
                    owner[i] = w->thread;
                }
                for (uint64_t a = 0; a < cost((int)i); a++)
                    pluss_rt_walk_access(w, 0, (void *)(uintptr_t)(i * 64));
            }
    }
    pluss_rt_walk_loop_end(w);
}

static void share_out(const loop_case *c, int trips, uint32_t team, int times, uint32_t *owner)
{
    plussi_plan plan = {0};
    pluss_rt_walk *plans = walk(team, 0, true, &plan);
    ck_assert(pluss_rt_walk_parallel(plans, 0, 1));
    for (int t = 0; t < times; t++)
        run_loop(plans, c, trips, t + 1 < times, NULL);
    pluss_rt_walk_join(plans);
    finish(plans);
    memset(owner, 0xff, (size_t)times * LOOP * sizeof *owner);
    for (uint32_t k = 0; k < team; k++) {
        pluss_rt_walk *w = walk(team, k, false, &plan);
        ck_assert(pluss_rt_walk_parallel(w, 0, 1));
        for (int t = 0; t < times; t++)
            run_loop(w, c, trips, t + 1 < times, owner + (size_t)t * LOOP);
        pluss_rt_walk_join(w);
        finish(w);
    }
    plussi_plan_free(&plan);
    for (int t = 0; t < times; t++)
        for (int i = 0; i < trips; i++)
            ck_assert_uint_lt(owner[t * LOOP + i], team);
}

START_TEST(static_chunks_go_round)
{
    static const int trips[] = {0, 1, 3, 17, 64, LOOP};
    uint32_t owner[LOOP];
    for (uint32_t team = 1; team <= MOST_THREADS; team++)
        for (size_t n = 0; n < sizeof trips / sizeof *trips; n++)
            for (int64_t chunk = 0; chunk <= 9; chunk += 3)
                for (int inner = 1; inner <= LOOP; inner *= 7) {
                    loop_case c = {PLUSS_RT_WALK_STATIC, chunk, inner, WHOLE};
                    share_out(&c, trips[n], team, 1, owner);
                    uint32_t each = (uint32_t)trips[n] / team, more = (uint32_t)trips[n] % team;
                    for (uint32_t i = 0; i < (uint32_t)trips[n]; i++) {
                        uint32_t expected = chunk                   ? i / (uint32_t)chunk % team
                                            : i < more * (each + 1) ? i / (each + 1)
                                                                    : (i - more) / each;
                        ck_assert_uint_eq(owner[i], expected);
                    }
                }
}
END_TEST

/* Dynamic and guided, two loops without a barrier between: the second begins where the first left
 * the threads. */
START_TEST(chunks_on_demand_go_to_whoever_did_least)
{
    uint32_t owner[2 * LOOP];
    for (uint32_t team = 1; team <= MOST_THREADS; team++)
        for (uint32_t schedule = PLUSS_RT_WALK_DYNAMIC; schedule <= PLUSS_RT_WALK_SECTIONS;
             schedule++)
            for (int64_t chunk = 0; chunk <= 8; chunk += 4)
                for (int inner = 1; inner <= LOOP; inner *= 19) {
                    loop_case c = {schedule, chunk, inner, (chunk + inner) % 3};
                    share_out(&c, LOOP - 1, team, 2, owner);
                    uint64_t clock[MOST_THREADS] = {0};
                    int size = schedule > PLUSS_RT_WALK_GUIDED || chunk < 1 ? 1 : (int)chunk;
                    for (int t = 0; t < 2; t++)
                        for (int i = 0, n; i < LOOP - 1; i += n) {
                            uint32_t who = 0;
                            for (uint32_t k = 1; k < team; k++)
                                if (clock[k] < clock[who])
                                    who = k;
                            int left = LOOP - 1 - i, counted = left - (c.range == RAGGED);
                            n = size;
                            if (schedule == PLUSS_RT_WALK_GUIDED &&
                                (counted + (int)team - 1) / (int)team > n)
                                n = (counted + (int)team - 1) / (int)team;
                            n = n < left ? n : left;
                            for (int k = i; k < i + n; k++) {
                                ck_assert_uint_eq(owner[t * LOOP + k], who);
                                clock[who] += cost(k);
                            }
                        }
                }
}
END_TEST

START_TEST(teams_and_their_numbers)
{
    plussi_plan plan = {0};
    pluss_rt_walk *w = walk(4, 2, false, &plan);
    ck_assert_int_eq(pluss_rt_walk_thread_num(w), 0);
    ck_assert_int_eq(pluss_rt_walk_num_threads(w), 1);
    ck_assert_int_eq(pluss_rt_walk_max_threads(w), 4);
    pluss_rt_walk_access_once(w, 0, NULL); /* thread 0's */
    ck_assert(pluss_rt_walk_parallel(w, 0, 1));
    ck_assert_int_eq(pluss_rt_walk_thread_num(w), 2);
    ck_assert_int_eq(pluss_rt_walk_num_threads(w), 4);
    ck_assert(pluss_rt_walk_parallel(w, 8, 1)); /* inside: alone */
    ck_assert_int_eq(pluss_rt_walk_thread_num(w), 0);
    ck_assert_int_eq(pluss_rt_walk_num_threads(w), 1);
    pluss_rt_walk_access_once(w, 0, NULL);
    pluss_rt_walk_loop(w, 10, PLUSS_RT_WALK_DYNAMIC, 3, 0);
    ck_assert_uint_eq(pluss_rt_walk_chunk(w, 0, 10), 10);
    ck_assert_uint_eq(pluss_rt_walk_chunk(w, 0, 10), 0);
    pluss_rt_walk_loop_end(w);
    pluss_rt_walk_join(w);
    ck_assert_int_eq(pluss_rt_walk_thread_num(w), 2);
    pluss_rt_walk_join(w);
    ck_assert(!pluss_rt_walk_parallel(w, 2, 1));
    pluss_rt_walk_join(w);
    ck_assert(!pluss_rt_walk_parallel(w, 0, 0));
    pluss_rt_walk_join(w);
    ck_assert_uint_eq(w->seen, 4);
    ck_assert(pluss_rt_walk_parallel(w, 9, 1));
    pluss_rt_walk_join(w);
    ck_assert_uint_eq(w->seen, 9);
    for (int depth = 0; depth < 3 * PLUSSI_WALK_DEPTH; depth++) {
        pluss_rt_walk_parallel(w, 0, 1);
        pluss_rt_walk_loop(w, 3, PLUSS_RT_WALK_STATIC, 0, 0);
    }
    for (int depth = 0; depth < 3 * PLUSSI_WALK_DEPTH; depth++) {
        pluss_rt_walk_loop_end(w);
        pluss_rt_walk_join(w);
    }
    ck_assert_int_eq(pluss_rt_walk_thread_num(w), 0);
    plussi_collector *c = collected(w);
    ck_assert_uint_eq(c->clock, 1);
    plussi_collector_free(c);
}
END_TEST

/* Accesses that are kept: phases of all threads that take part are the same, positions begin anew
 * in each, and what is collected is what it is without. */
START_TEST(kept_accesses)
{
    plussi_plan plan = {0};
    plussi_sampled_thread *sampled[3];
    for (uint32_t k = 0; k < 3; k++) {
        pluss_rt_walk *w =
            plussi_rt_walk_new(&region, 3, k, false, 1, 100, &plan, (plussi_walk_schedule){0});
        pluss_rt_walk_access_once(w, 1, (void *)64);
        for (int time = 0; time < 2; time++) {
            if (pluss_rt_walk_parallel(w, time ? 2 : 0, 1)) {
                for (int nowait = 1; nowait >= 0; nowait--) {
                    pluss_rt_walk_loop(w, 6, PLUSS_RT_WALK_STATIC, 0, nowait);
                    for (uint64_t n; (n = pluss_rt_walk_chunk(w, 0, 6)) != 0;)
                        for (uint64_t i = pluss_rt_walk_first(w); n-- > 0; i++)
                            pluss_rt_walk_access(w, (uint32_t)nowait,
                                                 (void *)(uintptr_t)(64 * (100 + i)));
                    pluss_rt_walk_loop_end(w);
                }
                pluss_rt_walk_barrier(w);
                pluss_rt_walk_access(w, 0, (void *)(64 * 5));
            }
            pluss_rt_walk_join(w);
            pluss_rt_walk_access_once(w, 1, (void *)64);
        }
        plussi_collector *c = plussi_rt_walk_finish(w, &sampled[k]);
        ck_assert_ptr_nonnull(sampled[k]);
        ck_assert(!sampled[k]->failed);
        ck_assert_uint_eq(sampled[k]->n, c->clock);
        ck_assert_uint_eq(sampled[k]->made[0] + sampled[k]->made[1] + sampled[k]->made[2],
                          c->clock);
        plussi_collector_free(c);
    }
    ck_assert_uint_eq(sampled[0]->n, 3 + (2 + 2 + 1) + (3 + 3 + 1));
    ck_assert_uint_eq(sampled[2]->n, 2 + 2 + 1); /* no member of the second team */
    /* serial, loops, what follows the barrier, serial, loops, what follows, serial */
    ck_assert_uint_eq(sampled[0]->n_phases, 7);
    ck_assert_uint_eq(sampled[1]->n_phases, 4);
    ck_assert_uint_eq(sampled[2]->n_phases, 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(sampled[1]->phase[i].key, sampled[0]->phase[i + 1].key);
        ck_assert_uint_eq(sampled[2]->phase[i].key, sampled[0]->phase[i + 1].key);
        ck_assert_uint_eq(sampled[1]->phase[i + 2].key, sampled[0]->phase[i + 4].key);
    }
    for (size_t i = 1; i < 7; i++)
        ck_assert_uint_lt(sampled[0]->phase[i - 1].key, sampled[0]->phase[i].key);
    static const uint64_t line[] = {102, 103, 102, 103, 5}, at[] = {0, 1, 2, 3, 0},
                          ref[] = {1, 1, 0, 0, 0};
    for (size_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(sampled[1]->access[i].line, line[i]);
        ck_assert_uint_eq(sampled[1]->access[i].at, at[i] << PLUSSI_SAMPLED_REF_BITS | ref[i]);
    }
    for (uint32_t k = 0; k < 3; k++)
        plussi_sampled_thread_free(sampled[k]);
    plussi_plan_free(&plan);
}
END_TEST

/* Of loops that are handed out, each chunk is marked where its accesses begin, by whoever has it.
 */
START_TEST(chunks_are_marked)
{
    enum { TRIPS = 50, SIZE = 3, CHUNKS = (TRIPS + SIZE - 1) / SIZE, TEAM = 3 };
    static const loop_case dynamic = {PLUSS_RT_WALK_DYNAMIC, SIZE, TRIPS, WHOLE},
                           fixed = {PLUSS_RT_WALK_STATIC, 0, TRIPS, WHOLE};
    plussi_plan plan = {0};
    unsigned seen[2][CHUNKS] = {{0}};
    pluss_rt_walk *plans = walk(TEAM, 0, true, &plan);
    ck_assert(pluss_rt_walk_parallel(plans, 0, 1));
    run_loop(plans, &dynamic, TRIPS, 1, NULL);
    run_loop(plans, &dynamic, TRIPS, 0, NULL);
    pluss_rt_walk_join(plans);
    finish(plans);
    for (uint32_t k = 0; k < TEAM; k++) {
        plussi_sampled_thread *sampled;
        pluss_rt_walk *w = plussi_rt_walk_new(&region, TEAM, k, false, 1, 1 << 16, &plan,
                                              (plussi_walk_schedule){0});
        ck_assert(pluss_rt_walk_parallel(w, 0, 1));
        run_loop(w, &dynamic, TRIPS, 1, NULL);
        run_loop(w, &dynamic, TRIPS, 0, NULL);
        run_loop(w, &fixed, TRIPS, 0, NULL); /* in a phase of its own, without marks */
        pluss_rt_walk_join(w);
        plussi_collector_free(plussi_rt_walk_finish(w, &sampled));
        ck_assert(!sampled->failed && !sampled->unmarked);
        ck_assert_uint_eq(sampled->n_phases, 2);
        ck_assert_uint_eq(sampled->phase[0].first_mark, 0);
        ck_assert_uint_eq(sampled->phase[1].first_mark, sampled->n_marks);
        size_t mark = 0;
        for (int loop = 0; loop < 2; loop++) {
            ck_assert_uint_eq(sampled->mark[mark++].chunk, PLUSSI_MARK_OPEN);
            for (; sampled->mark[mark].chunk < CHUNKS; mark++) {
                uint64_t chunk = sampled->mark[mark].chunk, at = sampled->mark[mark].at;
                seen[loop][chunk]++;
                for (uint64_t i = chunk * SIZE; i < TRIPS && i < (chunk + 1) * SIZE; i++)
                    for (uint64_t a = 0; a < cost((int)i); a++, at++) {
                        ck_assert_uint_eq(sampled->access[at].at >> PLUSSI_SAMPLED_REF_BITS, at);
                        ck_assert_uint_eq(sampled->access[at].line, i);
                    }
                ck_assert_uint_eq(sampled->mark[mark + 1].at, at);
            }
            ck_assert_uint_eq(sampled->mark[mark++].chunk, PLUSSI_MARK_CLOSE);
        }
        ck_assert_uint_eq(mark, sampled->n_marks);
        plussi_sampled_thread_free(sampled);
    }
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        ck_assert(seen[0][chunk] == 1 && seen[1][chunk] == 1);
    plussi_plan_free(&plan);
}
END_TEST

START_TEST(private_memory_is_apart)
{
    plussi_plan plan = {0};
    static char place[200];
    const void *at[3];
    for (uint32_t k = 0; k < 3; k++) {
        pluss_rt_walk *w = walk(3, k, false, &plan);
        at[k] = pluss_rt_walk_own(w, place + 77);
        ck_assert_uint_eq((uintptr_t)at[k] % 64, (uintptr_t)(place + 77) % 64);
        ck_assert_uint_eq((uintptr_t)pluss_rt_walk_own(w, place + 78) - (uintptr_t)at[k], 1);
        for (uint32_t j = 0; j < k; j++)
            ck_assert_ptr_ne(at[j], at[k]);
        finish(w);
    }
}
END_TEST

/* ---- sampled lines --------------------------------------------------------------------------- */

static uint64_t count_of(const plussi_ref_tally *ref, uint64_t interval)
{
    for (size_t i = 0; i < ref->interval.cap; i++)
        if (ref->interval.slot[i].count && ref->interval.slot[i].key == interval)
            return ref->interval.slot[i].count;
    return 0;
}

START_TEST(followed_lines_have_exact_intervals)
{
    enum { LINES = 4096, SWEEPS = 5 };
    plussi_plan plan = {0};
    for (double rate = 1; rate > .005; rate /= 3) {
        pluss_rt_walk *w =
            plussi_rt_walk_new(&region, 1, 0, false, rate, 0, &plan, (plussi_walk_schedule){0});
        for (uint64_t sweep = 0; sweep < SWEEPS; sweep++)
            for (uint64_t line = 0; line < LINES; line++)
                pluss_rt_walk_access(w, 1, (void *)(uintptr_t)(line * 64));
        plussi_collector *c = collected(w);
        ck_assert_uint_eq(c->clock, LINES * SWEEPS);
        ck_assert_uint_eq(c->lost, 0);
        ck_assert_uint_eq(c->ref[1].first, LINES);
        ck_assert_uint_eq(c->ref[1].interval.n, 1);
        ck_assert_uint_eq(count_of(&c->ref[1], LINES), (uint64_t)LINES * (SWEEPS - 1));
        plussi_collector_free(c);
    }
}
END_TEST

START_TEST(scaled_counts_add_up)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 3, 0);
    plussi_plan plan = {0};
    uint64_t made[3] = {0};
    pluss_rt_walk *w =
        plussi_rt_walk_new(&region, 1, 0, false, .1, 0, &plan, (plussi_walk_schedule){0});
    for (int i = 0; i < 50000; i++) {
        uint32_t ref = (uint32_t)plussi_rng_below(&rng, 3);
        uint64_t address = 8 * plussi_rng_below(&rng, 20000);
        made[ref] += ref == 2 ? 2 : 1; /* 16 bytes by 8: always as many as can be */
        pluss_rt_walk_access(w, ref, (void *)(uintptr_t)address);
    }
    plussi_collector *c = collected(w);
    for (uint32_t r = 0; r < 3; r++) {
        uint64_t total = c->ref[r].first;
        for (size_t i = 0; i < c->ref[r].interval.cap; i++)
            total += c->ref[r].interval.slot[i].count;
        ck_assert_uint_eq(total, made[r]);
    }
    plussi_collector_free(c);
}
END_TEST

START_TEST(a_reference_that_was_not_followed_is_lost)
{
    plussi_plan plan = {0};
    pluss_rt_walk *w =
        plussi_rt_walk_new(&region, 1, 0, false, 1e-9, 0, &plan, (plussi_walk_schedule){0});
    for (int i = 0; i < 10; i++)
        pluss_rt_walk_access(w, 0, (void *)(uintptr_t)(64 * 12345));
    plussi_collector *c = collected(w);
    ck_assert_uint_eq(c->clock, 10);
    ck_assert_uint_eq(c->lost, 10);
    ck_assert_uint_eq(c->ref[0].first, 0);
    plussi_collector_free(c);
}
END_TEST

/* ---- a sample as emitted code makes it ------------------------------------------------------- */

static void region_body(pluss_rt_walk *w)
{
    for (int sweep = 0; sweep < 3; sweep++) {
        if (pluss_rt_walk_parallel(w, 0, 1)) {
            pluss_rt_walk_loop(w, 100, PLUSS_RT_WALK_RUNTIME, 0, 0);
            for (uint64_t n; (n = pluss_rt_walk_chunk(w, 0, 100)) != 0;)
                for (uint64_t i = pluss_rt_walk_first(w), end = i + n; i < end; i++)
                    pluss_rt_walk_access(w, 0, (void *)(uintptr_t)(4096 + 64 * i));
            pluss_rt_walk_loop_end(w);
        }
        pluss_rt_walk_join(w);
    }
    pluss_rt_walk_access_once(w, 1, (void *)(uintptr_t)4096);
}

static void *worker(void *sample)
{
    for (pluss_rt_walk *w = NULL; (w = pluss_rt_sample_next(sample, w)) != NULL;)
        region_body(w);
    return NULL;
}

static void sample_once(void)
{
    pluss_rt_run *run = pluss_rt_enter(&region, NULL, NULL, PLUSS_RT_BIND);
    pluss_rt_sample *s = pluss_rt_sample_begin(run, PLUSS_RT_SAMPLE_ON_DEMAND);
    if (!s) {
        pluss_rt_leave(run);
        return;
    }
    pthread_t thread[8];
    uint32_t n = pluss_rt_sample_workers(s);
    ck_assert_uint_le(n, 8);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, worker, s), 0);
    for (uint32_t i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    pluss_rt_sample_end(s);
    pluss_rt_leave(run);
}

/* In a process of its own, since settings are read once. */
static void sampled(const char *teams, const char *schedule, const char *rate, const char *workers,
                    char *text, size_t room)
{
    char path[] = "/tmp/pluss-test-walks-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    pid_t child = fork();
    if (child == 0) {
        setenv("PLUSS_RECORD", path, 1);
        setenv("PLUSS_SAMPLE_TEAMS", teams, 1);
        setenv("PLUSS_SAMPLE_SCHEDULE", schedule, 1);
        setenv("PLUSS_SAMPLE_RATE", rate, 1);
        setenv("PLUSS_SAMPLE_WORKERS", workers, 1);
        if (!freopen(path, "a", stderr))
            _exit(2);
        sample_once();
        fflush(stderr);
        pluss_rt_run *run = pluss_rt_enter(&region, NULL, NULL, PLUSS_RT_BIND);
        pluss_rt_sample *s = pluss_rt_sample_begin(run, 0);
        _exit(s && pluss_rt_write(path) ? 3 : 0); /* on: the record is worth writing */
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    close(fd);
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    text[fread(text, 1, room - 1, in)] = '\0';
    fclose(in);
    unlink(path);
}

START_TEST(records_of_samples)
{
    char one[1 << 14], two[1 << 14];
    sampled("1,4,1", "", "", "1", one, sizeof one);
    sampled("1,4", "", "1", "8", two, sizeof two);
    ck_assert_str_eq(one, two);
    ck_assert_ptr_nonnull(strstr(one, "team 1 runs 1 lost 0 by sample"));
    ck_assert_ptr_nonnull(strstr(one, "team 4 runs 1 lost 0 by sample"));
    ck_assert_ptr_nonnull(strstr(one, "pri thread 0 ref 0 first 100 100:200\n"));
    /* equal chunks, in turn: each thread its own 25 lines */
    ck_assert_ptr_nonnull(strstr(one, "pri thread 3 ref 0 first 25 25:50\n"));
    ck_assert_ptr_nonnull(strstr(one, "pri thread 0 ref 1 first 0 100:1\n"));
    ck_assert_ptr_null(strstr(one, "pri thread 1 ref 1"));
    sampled("3", "static,7", "", "3", one, sizeof one);
    ck_assert_ptr_nonnull(strstr(one, "pri thread 0 ref 0 first 35 35:70"));
    ck_assert_ptr_nonnull(strstr(one, "thread 2 accesses 90 lost 0"));
}
END_TEST

START_TEST(settings_that_are_not_understood)
{
    static const char *const bad[][4] = {
        {"0", "", "", ""},         {"1,", "", "", ""},      {"4;8", "", "", ""},
        {"-1", "", "", ""},        {"4097", "", "", ""},    {"", "chaotic", "", ""},
        {"", "static,0", "", ""},  {"", "static,", "", ""}, {"", "dynamic,2x", "", ""},
        {"", "", "0", ""},         {"", "", "1.5", ""},     {"", "", "nan", ""},
        {"", "", "-.1", ""},       {"", "", ".1x", ""},     {"", "", "", "0"},
        {"", "", "", "2 workers"},
    };
    static const char *const name[] = {"TEAMS", "SCHEDULE", "RATE", "WORKERS"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1 << 12], expected[64];
        sampled(bad[i][0], bad[i][1], bad[i][2], bad[i][3], text, sizeof text);
        for (int k = 0; k < 4; k++)
            if (*bad[i][k]) {
                snprintf(expected, sizeof expected,
                         "pluss: nothing is sampled: PLUSS_SAMPLE_%s=%s is not", name[k],
                         bad[i][k]);
                ck_assert_ptr_nonnull(strstr(text, expected));
            }
    }
}
END_TEST

START_TEST(nothing_is_sampled_unasked)
{
    unsetenv("PLUSS_RECORD");
    ck_assert_ptr_null(pluss_rt_sample_begin(NULL, 0));
    pluss_rt_run *run = pluss_rt_enter(&region, NULL, NULL, PLUSS_RT_BIND);
    ck_assert_ptr_null(pluss_rt_sample_begin(run, 0));
    pluss_rt_leave(run);
    pluss_rt_sample_end(NULL);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("walks");
    TCase *t = tcase_create("walks");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, trips_equal_the_loop);
    tcase_add_test(t, trips_at_the_ends_of_the_numbers);
    tcase_add_test(t, static_chunks_go_round);
    tcase_add_test(t, chunks_on_demand_go_to_whoever_did_least);
    tcase_add_test(t, teams_and_their_numbers);
    tcase_add_test(t, kept_accesses);
    tcase_add_test(t, chunks_are_marked);
    tcase_add_test(t, private_memory_is_apart);
    tcase_add_test(t, followed_lines_have_exact_intervals);
    tcase_add_test(t, scaled_counts_add_up);
    tcase_add_test(t, a_reference_that_was_not_followed_is_lost);
    tcase_add_test(t, records_of_samples);
    tcase_add_test(t, settings_that_are_not_understood);
    tcase_add_test(t, nothing_is_sampled_unasked);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
