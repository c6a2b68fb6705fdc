/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libpluss-rt: intervals against brute force, threads, nesting, the record file.
 */
#include "suite.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/line_sample.h"
#include "base/rng.h"
#include "rt/record.h"

enum { N = 3000, LINES = 40 };

static const pluss_rt_ref shapes[] = {{8, 8}, {8, 8}, {16, 8}};
static const char *const symbols[] = {"n"};
static const char *const arrays[] = {"A", "odd \"name\""};
static const pluss_rt_region region = {sizeof region, "kernel", "a.c",  7, 3, 1, 2,
                                       shapes,        symbols,  arrays, 3};

static char *slurp(const char *path)
{
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    char *text = calloc(1, 1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, in);
    ck_assert_uint_gt(n, 0);
    fclose(in);
    return text;
}

static char record_path[64];
static void setup(void)
{
    strcpy(record_path, "/tmp/pluss-test-rt-XXXXXX");
    int fd = mkstemp(record_path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}
static void teardown(void)
{
    unlink(record_path);
}

static uint64_t count_of(const plussi_tally *tally, uint64_t key)
{
    for (size_t i = 0; i < tally->cap; i++)
        if (tally->slot[i].count && tally->slot[i].key == key)
            return tally->slot[i].count;
    return 0;
}

START_TEST(collector_equals_brute_force)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 1, 0);
    plussi_collector *c = plussi_collector_new(2);
    uint64_t line[N], expected[N], first = 0;
    for (int i = 0; i < N; i++) {
        line[i] = plussi_rng_below(&rng, LINES) * (i % 3 ? 1 : 1000);
        expected[i] = 0;
        for (int j = i - 1; j >= 0 && !expected[i]; j--)
            if (line[j] == line[i])
                expected[i] = (uint64_t)(i - j);
        first += expected[i] == 0;
        plussi_collect(c, (uint32_t)(i % 2), &shapes[i % 2], line[i] * 64 + 8);
    }
    plussi_collector_flush(c);
    ck_assert_uint_eq(c->clock, N);
    ck_assert_uint_eq(c->ref[0].first + c->ref[1].first, first);
    plussi_tally tally[2] = {{0}, {0}};
    for (int i = 0; i < N; i++)
        if (expected[i])
            ck_assert(plussi_tally_add(&tally[i % 2], expected[i], 1));
    for (int r = 0; r < 2; r++) {
        ck_assert_uint_eq(tally[r].n, c->ref[r].interval.n);
        for (size_t i = 0; i < tally[r].cap; i++)
            if (tally[r].slot[i].count)
                ck_assert_uint_eq(count_of(&c->ref[r].interval, tally[r].slot[i].key),
                                  tally[r].slot[i].count);
        plussi_tally_free(&tally[r]);
    }
    plussi_collector_free(c);
}
END_TEST

/* Different lines touched since the last touch of this one; UINT64_MAX: there is none. */
static uint64_t distance_back(const uint64_t *line, size_t n, uint64_t wanted)
{
    uint64_t distance = 0;
    for (size_t i = n; i-- > 0;) {
        if (line[i] == wanted)
            return distance;
        bool again = false;
        for (size_t j = i + 1; j < n && !again; j++)
            again = line[j] == line[i];
        distance += !again;
    }
    return UINT64_MAX;
}

/* Runs of one thread: the distances of first touches are those of all accesses in a row. Runs of
 * two threads: as if each made its accesses in turn, which it does where both make as many. */
START_TEST(what_runs_carry_equals_brute_force)
{
    enum { RUNS = 12, ACCESSES = 120, PLACES = 60 };
    for (uint32_t team = 1; team <= 2; team++) {
        plussi_rng rng;
        plussi_rng_seed(&rng, 7, team);
        plussi_carrier carrier = {0};
        plussi_carried carried = {.known = true};
        plussi_run_order order = {0};
        const plussi_carry_into into = {&carried, &order, 0, false, NULL};
        plussi_tally expected = {0};
        uint64_t line[RUNS * ACCESSES * 2], lines = 0;
        size_t n = 0;
        for (int run = 0; run < RUNS; run++) {
            plussi_collector *thread[2] = {NULL, NULL};
            const size_t begin = n;
            const uint64_t from = plussi_rng_below(&rng, PLACES / 4), most = 1 + (uint64_t)run * 5;
            for (uint32_t k = 0; k < team; k++)
                thread[k] = plussi_collector_new(2);
            for (size_t i = 0; i < (run % 4 == 3 ? 2 : ACCESSES); i++)
                for (uint32_t k = 0; k < team; k++) {
                    /* threads share no line, so that the order of one access of each is free */
                    const uint64_t at = 2 * (from + plussi_rng_below(&rng, most)) + (run + k) % 2;
                    plussi_collect(thread[k], i % 2, &shapes[i % 2], at * 64 + 8);
                    const uint64_t back = distance_back(line, n, at);
                    bool first = true;
                    for (size_t j = begin; j < n; j++)
                        first = first && line[j] != at;
                    lines += first;
                    if (first && back != UINT64_MAX)
                        ck_assert(plussi_tally_add(&expected, back, 1));
                    line[n++] = at;
                }
            plussi_carry(&carrier, thread, team, 0, &into);
            for (uint32_t k = 0; k < team; k++)
                plussi_collector_free(thread[k]);
        }
        ck_assert(carried.known);
        ck_assert_uint_eq(carried.lines, lines);
        uint64_t before = 0, off = 0, sum = 0;
        for (uint64_t d = 0; d < 2 * PLACES + 120; d++) {
            const uint64_t is = count_of(&carried.distance, d), wanted = count_of(&expected, d);
            if (team == 1)
                ck_assert_uint_eq(is, wanted);
            before += wanted;
            sum += is;
            off += before > sum ? before - sum : sum - before;
        }
        ck_assert_uint_eq(sum,
                          before); /* two threads' accesses at one time: one line more or less */
        ck_assert_uint_gt(sum, 100);
        ck_assert_uint_le(off, sum);
        plussi_carrier_free(&carrier);
        plussi_tally_free(&carried.distance);
        plussi_order_free(&order);
        plussi_tally_free(&expected);
    }
}
END_TEST

/* The order ends before a run that has more lines than there is room for. */
START_TEST(a_run_without_room_is_in_no_order)
{
    plussi_run_order order = {.shift = PLUSSI_LEAST_RATE_BITS};
    uint64_t line = 0;
    while (plussi_line_hash(line) > plussi_line_threshold(PLUSSI_LEAST_RATE_BITS))
        line++;
    plussi_order_recorded(&order, 0, 0);
    plussi_order_line(&order, line, 1);
    if (_i)
        plussi_order_piece(&order, 7, 0);
    else
        plussi_order_recorded(&order, 1, 0);
    for (uint64_t i = 0; i <= PLUSSI_ORDERED_LINES; i++)
        plussi_order_line(&order, line, i + 1);
    ck_assert_uint_eq(order.n_runs, 1);
    ck_assert_uint_eq(order.n_lines, 1);
    ck_assert_uint_eq(order.lost, 1);
    ck_assert_uint_eq(order.pieces, 0);
    plussi_order_drop(&order);
    plussi_order_line(&order, line, 1);
    ck_assert_uint_eq(order.n_lines, 1);
    ck_assert_uint_eq(order.lost, 1);
    plussi_order_free(&order);
}
END_TEST

START_TEST(straddling_accesses_count_by_rule)
{
    plussi_collector *c = plussi_collector_new(4);
    pluss_rt_ref fits = {16, 16}, can = {16, 8}, wide = {200, 64}, word = {8, 8};
    plussi_collect(c, 0, &fits, 64 * 5 + 48);
    ck_assert_uint_eq(c->clock, 1);
    plussi_collect(c, 1, &can, 64 * 5); /* does not straddle, but its reference can: two accesses */
    ck_assert_uint_eq(c->clock, 3);
    ck_assert_uint_eq(c->ref[0].first + c->ref[1].first, 1);
    plussi_collect(c, 1, &can, 64 * 5 + 56); /* lines 5 and 6 */
    ck_assert_uint_eq(c->ref[1].first, 1);
    plussi_collect(c, 2, &wide, 64 * 100); /* bytes 0, 64, 128, 192, 199 */
    ck_assert_uint_eq(c->clock, 10);
    ck_assert_uint_eq(c->ref[2].first, 4);
    /* the same line again, from another base that is not aligned: the place in it decides */
    for (int i = 0; i < 3; i++) {
        plussi_collect(c, 3, &word, 64 * 5 + 8);
        plussi_collect(c, 3, &word, 64 * 5 + 40);
    }
    ck_assert_uint_eq(c->clock, 16);
    plussi_collect(c, 3, &word, 64 * 5 + 12);
    ck_assert_uint_eq(c->clock, 18);
    plussi_collector_free(c);
}
END_TEST

/* What the usual interval within a line is changes now and then, for good or for a moment. */
START_TEST(intervals_within_a_line_that_change)
{
    plussi_collector *c = plussi_collector_new(2);
    pluss_rt_ref word = {8, 8};
    uint64_t expected[8] = {0}, clock = 0, last = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t gap = i < 1000 ? 1 : i < 1100 ? 2 + i % 2 : i % 8 == 0 ? 6 : 3;
        for (uint32_t k = 1; k < gap; k++, clock++)
            plussi_collect(c, 1, &word, 64 * (100 + k));
        plussi_collect(c, 0, &word, 64 * 7 + i % 8 * 8);
        if (last)
            expected[++clock - last]++;
        else
            clock++;
        last = clock;
    }
    plussi_collector_flush(c);
    uint64_t n = 0;
    for (size_t i = 0; i < c->ref[0].interval.cap; i++) {
        struct plussi_tally_slot slot = c->ref[0].interval.slot[i];
        if (!slot.count)
            continue;
        ck_assert_uint_lt(slot.key, 8);
        ck_assert_uint_eq(slot.count, expected[slot.key]);
        n += slot.count;
    }
    ck_assert_uint_eq(n, 2999);
    ck_assert_uint_eq(c->ref[0].first, 1);
    ck_assert_uint_eq(c->lost, 0);
    plussi_collector_free(c);
}
END_TEST

typedef struct team_member {
    pluss_rt_run *run;
    uint32_t thread;
} team_member;

static void *member(void *arg)
{
    team_member *m = arg;
    pluss_rt_thread_begin(m->run, m->thread, 4);
    for (uint64_t i = 0; i < 1000; i++)
        pluss_rt_access(0, (void *)(uintptr_t)((m->thread * 1000 + i % 10) * 64));
    pluss_rt_thread_end(m->run);
    pluss_rt_access(0, (void *)64); /* outside: ignored */
    return NULL;
}

static void run_team(void)
{
    int64_t n = 42;
    const void *bases[2] = {(void *)4096, (void *)8};
    pluss_rt_run *run = pluss_rt_region_begin(&region, &n, bases);
    ck_assert_ptr_nonnull(run);
    pluss_rt_access(1, (void *)(uintptr_t)(1 << 20));
    pthread_t thread[3];
    team_member members[4];
    for (uint32_t k = 0; k < 4; k++)
        members[k] = (team_member){run, k};
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(pthread_create(&thread[k], NULL, member, &members[k + 1]), 0);
    pluss_rt_thread_begin(run, 0, 4);
    for (uint64_t i = 0; i < 1000; i++)
        pluss_rt_access(0, (void *)(uintptr_t)(i % 10 * 64));
    pluss_rt_thread_end(run);
    for (int k = 0; k < 3; k++)
        pthread_join(thread[k], NULL);
    pluss_rt_access(1, (void *)(uintptr_t)(1 << 20)); /* thread 0 again: interval 1001 */
    pluss_rt_region_end(run);
}

START_TEST(teams_record_per_thread_and_runs_add_up)
{
    pluss_rt_reset();
    run_team();
    run_team();
    ck_assert_int_eq(pluss_rt_write(record_path), 0);
    char *text = slurp(record_path);
    char *object = strstr(text, "object \"/"), *body = strstr(text, "region ");
    ck_assert_ptr_nonnull(object);
    ck_assert(object < body);
    ck_assert_ptr_nonnull(strstr(object, "/test_rt\"\nregion "));
    ck_assert_str_eq(body, "region \"kernel\" \"a.c\":7 team 4 runs 2 lost 0 by profile\n"
                           "symbol \"n\" 42\narray \"A\" 4096\narray \"odd \\\"name\\\"\" 8\n"
                           "thread 0 accesses 2004 lost 0\n"
                           "pri thread 0 ref 0 first 20 10:1980\n"
                           "pri thread 0 ref 1 first 2 1001:2\n"
                           "thread 1 accesses 2000 lost 0\n"
                           "pri thread 1 ref 0 first 20 10:1980\n"
                           "thread 2 accesses 2000 lost 0\n"
                           "pri thread 2 ref 0 first 20 10:1980\n"
                           "thread 3 accesses 2000 lost 0\n"
                           "pri thread 3 ref 0 first 20 10:1980\nend\n"
                           "sequence lost 0\nrun 0 at 0 times 2\nend\n");
    free(text);
}
END_TEST

/* Line 7 is touched by all four threads, line 8 by threads 2 and 3, line 100 + k by thread k. */
static void *sharer(void *arg)
{
    team_member *m = arg;
    pluss_rt_thread_begin(m->run, m->thread, 4);
    for (int twice = 0; twice < 2; twice++) {
        pluss_rt_access(0, (void *)(uintptr_t)(7 * 64));
        if (m->thread >= 2)
            pluss_rt_access(0, (void *)(uintptr_t)(8 * 64));
        pluss_rt_access(1, (void *)(uintptr_t)((100 + m->thread) * 64));
    }
    pluss_rt_thread_end(m->run);
    return NULL;
}

START_TEST(first_touches_by_threads_that_share)
{
    pluss_rt_reset();
    int64_t n = 1;
    const void *bases[2] = {(void *)4096, (void *)8}, *moved[2] = {(void *)8192, (void *)8};
    for (int times = 0; times < 3; times++) {
        pluss_rt_run *run = pluss_rt_region_begin(&region, &n, times == 1 ? moved : bases);
        ck_assert_ptr_nonnull(run);
        pthread_t thread[4];
        team_member members[4];
        for (uint32_t k = 0; k < 4; k++)
            members[k] = (team_member){run, k};
        sharer(&members[0]);
        for (int k = 1; k < 4; k++)
            ck_assert_int_eq(pthread_create(&thread[k], NULL, sharer, &members[k]), 0);
        for (int k = 1; k < 4; k++)
            pthread_join(thread[k], NULL);
        pluss_rt_region_end(run);
    }
    ck_assert_int_eq(pluss_rt_write(record_path), 0);
    char *text = slurp(record_path), *body = strstr(text, "place ");
    ck_assert_ptr_nonnull(body);
    ck_assert_str_eq(body, "place 8192 8\nthread 0 accesses 12 lost 0\n"
                           "pri thread 0 ref 0 first 3 2:3\n"
                           "shared thread 0 ref 0 4:3\n"
                           "pri thread 0 ref 1 first 3 2:3\n"
                           "thread 1 accesses 12 lost 0\n"
                           "pri thread 1 ref 0 first 3 2:3\n"
                           "shared thread 1 ref 0 4:3\n"
                           "pri thread 1 ref 1 first 3 2:3\n"
                           "thread 2 accesses 18 lost 0\n"
                           "pri thread 2 ref 0 first 6 3:6\n"
                           "shared thread 2 ref 0 2:3 4:3\n"
                           "pri thread 2 ref 1 first 3 3:3\n"
                           "thread 3 accesses 18 lost 0\n"
                           "pri thread 3 ref 0 first 6 3:6\n"
                           "shared thread 3 ref 0 2:3 4:3\n"
                           "pri thread 3 ref 1 first 3 3:3\n"
                           "end\nsequence lost 0\nrun 0 at 0 times 1\nrun 0 at 1 times 1\n"
                           "run 0 at 0 times 1\nend\n");
    free(text);
}
END_TEST

static void expand(const plussi_sequence_node *node, size_t n, uint32_t *out, size_t *at)
{
    for (size_t i = 0; i < n; i++)
        for (uint64_t t = 0; t < node[i].times; t++) {
            if (node[i].n)
                expand(node[i].body, node[i].n, out, at);
            else
                out[(*at)++] = node[i].sum * 100 + node[i].place;
        }
}

/* Whatever is folded, unfolded it is what was added. */
START_TEST(sequences_fold_and_unfold)
{
    enum { LONG = 20000 };
    uint32_t *added = calloc(LONG, sizeof *added), *back = calloc(LONG, sizeof *back);
    plussi_rng rng;
    plussi_rng_seed(&rng, 5, 0);
    for (int kind = 0; kind < 6; kind++) {
        plussi_sequence s = {0};
        for (int i = 0; i < LONG; i++) {
            /* one, a loop of three, a loop in a loop, a long body, noise of two, all different */
            uint32_t what[6] = {0,
                                (uint32_t)i % 3,
                                i % 41 < 40 ? (uint32_t)i % 41 % 2 : 2,
                                (uint32_t)(i % 30),
                                (uint32_t)plussi_rng_below(&rng, 2),
                                (uint32_t)i};
            added[i] = what[kind] * 100 + (uint32_t)(kind == 3 ? i % 30 % 7 : 0);
            plussi_sequence_add(&s, added[i] / 100, added[i] % 100);
        }
        size_t n = 0;
        expand(s.node, s.n, back, &n);
        ck_assert_uint_eq(n, LONG);
        ck_assert_uint_eq(s.lost, 0);
        ck_assert_mem_eq(added, back, LONG * sizeof *back);
        if (kind < 4)
            ck_assert_uint_le(s.n, 64);
        plussi_sequence_free(&s);
    }
    free(added);
    free(back);
}
END_TEST

START_TEST(sequences_end_where_there_is_no_room)
{
    plussi_sequence s = {0};
    for (uint32_t i = 0; i < PLUSSI_SEQUENCE_NODES + 10u; i++)
        plussi_sequence_add(&s, i, 0);
    ck_assert_uint_eq(s.n, PLUSSI_SEQUENCE_NODES);
    ck_assert_uint_eq(s.lost, 10);
    plussi_sequence_free(&s);
    ck_assert_uint_eq(s.lost, 0);
}
END_TEST

START_TEST(chunks_are_the_first_runs_and_joined)
{
    plussi_sums sums = {0};
    int64_t n = 1;
    uint64_t bases[2] = {64, 128};
    plussi_sum *sum = plussi_sums_find(&sums, plussi_known_region(&region), &n, bases,
                                       (plussi_teams){2, 2}, PLUSSI_BY_PROFILE);
    ck_assert_ptr_nonnull(sum);
    static const plussi_chunk_entry chunk[] = {{1, 0, 4, 6},   {1, 0, 6, 7}, {1, 0, 9, 10},
                                               {1, 1, 10, 12}, {2, 0, 5, 5}, {1, 1, 0, 3}};
    ck_assert(plussi_sum_chunks(sum, 1, chunk, 6));
    (void)plussi_sums_ran(&sums, sum, bases);
    sum->runs++;
    ck_assert(plussi_sum_chunks(sum, 0, chunk, 6)); /* of a later run: not kept */
    ck_assert_ptr_eq(plussi_sums_find(&sums, plussi_known_region(&region), &n, bases,
                                      (plussi_teams){2, 2}, PLUSSI_BY_PROFILE),
                     sum);
    ck_assert_ptr_ne(plussi_sums_find(&sums, plussi_known_region(&region), &n, bases,
                                      (plussi_teams){2, 2}, PLUSSI_BY_SAMPLE),
                     sum);
    ck_assert_int_eq(plussi_sums_write(&sums, record_path, &(plussi_outfile){0}), 0);
    char *text = slurp(record_path), *chunks = strstr(text, "chunks");
    ck_assert_ptr_nonnull(chunks);
    ck_assert_int_eq(strncmp(chunks,
                             "chunks loop 1 time 0 thread 1 4-7 9-10\n"
                             "chunks loop 1 time 1 thread 1 10-12 0-3\nend\n",
                             83),
                     0);
    ck_assert_ptr_nonnull(strstr(text, "runs 0 lost 0 by sample\n"));
    plussi_sums_clear(&sums);
    free(text);
}
END_TEST

/* A branch that the run does not come to, takes, does not take, takes at times. */
START_TEST(decisions)
{
    static const char *const branches[] = {"a", "b", "c", "d"};
    static const pluss_rt_region deciding = {sizeof region, "decide", "a.c", 9, 3, 4, 0,
                                             shapes,        branches, NULL,  0};
    static const int64_t none[4] = {PLUSS_RT_UNDECIDED, PLUSS_RT_UNDECIDED, PLUSS_RT_UNDECIDED,
                                    PLUSS_RT_UNDECIDED};
    static const struct {
        uint32_t symbol;
        int64_t taken;
    } step[] = {{1, 1}, {2, 0}, {3, 1}, {1, 1}, {2, 0}, {3, 0}, {3, 1}, {3, 1}, {4, 1}};
    pluss_rt_reset();
    pluss_rt_decision(1, 0); /* in no region */
    pluss_rt_run *run = pluss_rt_enter(&deciding, none, NULL, PLUSS_RT_BIND);
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        pluss_rt_decision(step[i].symbol, step[i].taken);
    pluss_rt_leave(run);
    ck_assert_int_eq(pluss_rt_write(record_path), 0);
    char *text = slurp(record_path);
    ck_assert_ptr_nonnull(strstr(text, "symbol \"a\" 0\nsymbol \"b\" 1\nsymbol \"c\" 0\n"
                                       "symbol \"d\" -9223372036854775808\n"));
    free(text);
}
END_TEST

/* What a sampler was asked to simulate stands in the record. */
START_TEST(schedules_of_samplers)
{
    plussi_sums sums = {0};
    int64_t n = 1;
    uint64_t bases[2] = {64, 128};
    plussi_sum *sum = plussi_sums_find(&sums, plussi_known_region(&region), &n, bases,
                                       (plussi_teams){2, 2}, PLUSSI_BY_SAMPLE);
    ck_assert_ptr_nonnull(sum);
    sum->schedule = "guided";
    sum->chunk = 3;
    ck_assert_int_eq(plussi_sums_write(&sums, record_path, &(plussi_outfile){0}), 0);
    char *text = slurp(record_path);
    ck_assert_ptr_nonnull(strstr(text, "\nschedule guided 3\n"));
    plussi_sums_clear(&sums);
    free(text);
}
END_TEST

START_TEST(inner_regions_and_doubled_thread_numbers)
{
    pluss_rt_reset();
    int64_t n = 1;
    pluss_rt_run *outer = pluss_rt_region_begin(&region, &n, NULL);
    ck_assert_ptr_null(pluss_rt_region_begin(&region, &n, NULL)); /* inside: ignored */
    pluss_rt_region_end(NULL);
    pluss_rt_access(0, (void *)64);
    /* a system thread that claims thread 0 while its owner is inside the region */
    team_member thief = {outer, 0};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, member, &thief), 0);
    pthread_join(thread, NULL);
    pluss_rt_access(99, (void *)64); /* no such reference */
    pluss_rt_region_end(outer);
    ck_assert_int_eq(pluss_rt_write(record_path), 0);
    char *text = slurp(record_path);
    ck_assert_ptr_nonnull(strstr(text, "runs 1 lost 1001 by profile\n"));
    ck_assert_ptr_nonnull(strstr(text, "thread 0 accesses 1 lost 0\n"));
    free(text);
}
END_TEST

START_TEST(a_child_does_not_write_its_parents_record)
{
    pluss_rt_reset();
    run_team();
    pid_t child = fork();
    if (child == 0)
        _exit(pluss_rt_write(record_path));
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    char *text = slurp(record_path);
    ck_assert_str_eq(text, "pluss-record 3\nline 64\nlost-runs 0\n");
    free(text);
}
END_TEST

START_TEST(a_pipe_stays_a_pipe)
{
    unlink(record_path);
    ck_assert_int_eq(mkfifo(record_path, 0600), 0);
    pluss_rt_reset();
    run_team();
    pid_t child = fork();
    if (child == 0)
        _exit(pluss_rt_write(record_path)); /* of nothing: a child has recorded nothing */
    char *text = slurp(record_path);
    int status;
    struct stat there;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_str_eq(text, "pluss-record 3\nline 64\nlost-runs 0\n");
    ck_assert_int_eq(stat(record_path, &there), 0);
    ck_assert(S_ISFIFO(there.st_mode));
    free(text);
}
END_TEST

START_TEST(a_record_is_whole_or_not_there)
{
    ck_assert_int_eq(pluss_rt_write("/nonexistent-folder/record"), ENOENT);
    /* a full device: nothing may stay in the record's place */
    ck_assert_int_ne(pluss_rt_write("/dev/full/record"), 0);
    ck_assert_ptr_nonnull(pluss_rt_version());
}
END_TEST

/* A description that is in no file is the program's, also where no file can be opened. */
START_TEST(descriptions_that_are_made)
{
    static const pluss_rt_ref read = {8, 8};
    struct rlimit before;
    pluss_rt_region here = {
        .size = sizeof here, .name = "here", .file = "m.c", .line = 3, .n_refs = 1, .ref = &read};
    pluss_rt_region *there = malloc(sizeof *there);
    *there = here;
    there->name = "there";
    pluss_rt_reset();
    pluss_rt_leave(pluss_rt_enter(&here, NULL, NULL, PLUSS_RT_PROFILE));
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, before.rlim_max}), 0);
    pluss_rt_leave(pluss_rt_enter(there, NULL, NULL, PLUSS_RT_PROFILE));
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    free(there);
    char *text = NULL, *object;
    size_t length;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    object = strstr(text, "object \"/");
    ck_assert_ptr_nonnull(object);
    ck_assert_ptr_null(strstr(object + 1, "object "));
    ck_assert_ptr_nonnull(strstr(object, "/test_rt\"\nregion \"here\""));
    free(text);
    pluss_rt_reset();
}
END_TEST

/* Values without end: as many sums as are kept, the rest counted; nothing else grows. */
START_TEST(values_beyond_the_limit_are_counted)
{
    enum { MORE = 1000 };
    static const pluss_rt_ref read = {8, 8};
    static const pluss_rt_region many = {sizeof many, "many", "m.c",   3,    1, 1,
                                         0,           &read,  symbols, NULL, 0};
    pluss_rt_reset();
    for (int64_t n = 0; n < PLUSSI_MAX_SUMS + MORE; n++) {
        pluss_rt_run *run = pluss_rt_enter(&many, &n, NULL, PLUSS_RT_PROFILE);
        pluss_rt_access(0, (void *)64);
        pluss_rt_access(0, (void *)64);
        pluss_rt_leave(run);
    }
    for (int64_t n = 0; n < 3; n++) /* those that are known go on */
        pluss_rt_leave(pluss_rt_enter(&many, &n, NULL, PLUSS_RT_PROFILE));
    char *text = NULL, *left_out;
    size_t length;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    left_out = strstr(text, "left-out ");
    ck_assert_ptr_nonnull(left_out);
    static const char want[] =
        "left-out \"many\" \"m.c\":3 team 1 runs 1000 accesses 2000 by profile\nregion ";
    ck_assert_int_eq(strncmp(left_out, want, sizeof want - 1), 0);
    size_t blocks = 0;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + length - at - 8))); at++)
        blocks += memcmp(at, "\nregion ", 8) == 0;
    ck_assert_uint_eq(blocks, PLUSSI_MAX_SUMS);
    ck_assert_ptr_nonnull(strstr(text, " team 1 runs 2 lost 0 by profile\nsymbol \"n\" 2\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nsequence lost 1003\n"));
    ck_assert_uint_lt(length, 160u * PLUSSI_MAX_SUMS);
    free(text);
    pluss_rt_reset();
}
END_TEST

/* A table of sums is hashed: no two values are looked at for most look-ups. */
START_TEST(sums_are_found_at_once)
{
    enum { SUMS = 20000 };
    plussi_sums sums = {0};
    const plussi_known *known = plussi_known_region(&region);
    uint64_t bases[2] = {64, 128}, apart = 0;
    for (int64_t n = 0; n < SUMS; n++)
        ck_assert_ptr_nonnull(
            plussi_sums_find(&sums, known, &n, bases, (plussi_teams){2, 2}, PLUSSI_BY_BIND));
    ck_assert_uint_eq(sums.n, SUMS);
    for (size_t i = 0; i < sums.n_slots; i++)
        if (sums.table[i])
            apart +=
                (i - (plussi_hash(sums.table[i]->hash) >> (64 - __builtin_ctzll(sums.n_slots)))) &
                (sums.n_slots - 1);
    ck_assert_uint_lt(apart, SUMS);
    for (int64_t n = 0; n < SUMS; n += 7) {
        bases[0] = 64 * (uint64_t)n; /* the same within a line */
        ck_assert_int_eq(
            plussi_sums_find(&sums, known, &n, bases, (plussi_teams){2, 2}, PLUSSI_BY_BIND)->number,
            n);
    }
    ck_assert_uint_eq(sums.n, SUMS);
    plussi_sums_clear(&sums);
}
END_TEST

/* A description that is gone, or another one at its place. */
START_TEST(descriptions_need_not_stay)
{
    char name[] = "first", array[] = "A";
    const char *names[] = {array};
    pluss_rt_ref ref = {8, 8};
    pluss_rt_region here = {sizeof here, name, "l.c", 1, 1, 0, 1, &ref, NULL, names, 1};
    pluss_rt_reset();
    for (int i = 0; i < 3; i++) {
        pluss_rt_run *run = pluss_rt_enter(&here, NULL, NULL, PLUSS_RT_BIND);
        strcpy(name, i == 0 ? "other" : "gone");
        pluss_rt_leave(run);
    }
    memset(&here, 0xff, sizeof here);
    memset(&ref, 0xff, sizeof ref);
    array[0] = 'x';
    char *text = NULL;
    size_t length;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    ck_assert_ptr_nonnull(strstr(text, "region \"first\" \"l.c\":1 team 1 runs 1 "));
    ck_assert_ptr_nonnull(strstr(text, "region \"other\" \"l.c\":1 team 1 runs 1 "));
    ck_assert_ptr_nonnull(strstr(text, "region \"gone\" \"l.c\":1 team 1 runs 1 "));
    ck_assert_ptr_nonnull(strstr(text, "array \"A\" 0\n"));
    free(text);
    pluss_rt_reset();
}
END_TEST

static void *ends_within(void *arg)
{
    team_member *m = arg;
    pluss_rt_thread_begin(m->run, m->thread, 4);
    pluss_rt_access(0, (void *)64);
    pthread_exit(NULL);
}

/* A thread that ends in its part leaves its number taken for that run, and no later one. */
START_TEST(threads_may_end_within_their_part)
{
    int64_t n = 1;
    pluss_rt_reset();
    for (int times = 0; times < 3; times++) {
        pluss_rt_run *run = pluss_rt_region_begin(&region, &n, NULL);
        team_member m = {run, 1};
        for (int twice = 0; twice < 2; twice++) {
            pthread_t thread;
            ck_assert_int_eq(pthread_create(&thread, NULL, ends_within, &m), 0);
            pthread_join(thread, NULL);
        }
        pluss_rt_region_end(run);
    }
    char *text = NULL;
    size_t length;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    ck_assert_ptr_nonnull(strstr(text, "team 4 runs 3 lost 3 by profile\n"));
    ck_assert_ptr_nonnull(strstr(text, "thread 1 accesses 3 lost 0\n"));
    free(text);
    pluss_rt_reset();
}
END_TEST

/* What a region needs is made once. */
START_TEST(a_region_that_runs_again_finds_what_it_needs)
{
    int64_t n = 5;
    pluss_rt_reset();
    pluss_rt_run *first = pluss_rt_enter(&region, &n, NULL, PLUSS_RT_PROFILE);
    pluss_rt_access(0, (void *)64);
    pluss_rt_leave(first);
    plussi_collector *c = plussi_collector_take(region.n_refs);
    ck_assert_uint_gt(c->last.n_pages, 0); /* the run's */
    uint64_t *clock = plussi_linemap_at(&c->last, 1);
    ck_assert_uint_eq(*clock, 0);
    plussi_collector_give(c);
    for (int i = 0; i < 100; i++) {
        pluss_rt_run *run = pluss_rt_enter(&region, &n, NULL, PLUSS_RT_PROFILE);
        ck_assert_ptr_eq(run, first);
        pluss_rt_access(0, (void *)64);
        pluss_rt_access(0, (void *)64);
        pluss_rt_leave(run);
    }
    char *text = NULL;
    size_t length;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    ck_assert_ptr_nonnull(strstr(text, "runs 101 lost 0 by profile\n"));
    ck_assert_ptr_nonnull(strstr(text, "pri thread 0 ref 0 first 101 1:100\n"));
    free(text);
}
END_TEST

static uint64_t number_after(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    ck_assert_msg(at, "no %s in:\n%s", words, text);
    return strtoull(at + strlen(words), NULL, 10);
}

/* Each millisecond is of one place: a region, the one inside of it, or neither. */
START_TEST(time_is_of_one_place)
{
    static const pluss_rt_region inner = {sizeof inner, "inner", "a.c", 9, 0, 0, 0,
                                          NULL,         NULL,    NULL,  0};
    enum { RUNS = 3, MS = 1000000 };
    char *text;
    size_t length;
    pluss_rt_reset();
    for (int i = 0; i < RUNS; i++) {
        usleep(4000);
        pluss_rt_run *run = pluss_rt_enter(&region, NULL, NULL, PLUSS_RT_BIND | PLUSS_RT_COUNTED);
        usleep(10000);
        pluss_rt_run *in = pluss_rt_enter(&inner, NULL, NULL, PLUSS_RT_BIND | PLUSS_RT_COUNTED);
        usleep(20000);
        pluss_rt_leave(in);
        pluss_rt_leave(run);
    }
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    uint64_t all = number_after(text, "\ntook "),
             serial = number_after(strstr(text, "\ntook "), " serial "),
             outer_took = number_after(strstr(text, "region \"kernel\""), "\ntook "),
             inner_took = number_after(strstr(text, "region \"inner\""), "\ntook ");
    ck_assert_uint_ge(serial, 4 * MS * RUNS);
    ck_assert_uint_ge(outer_took, 10 * MS * RUNS);
    ck_assert_uint_ge(inner_took, 20 * MS * RUNS);
    ck_assert_uint_eq(serial + outer_took + inner_took, all);
    free(text);
}
END_TEST

/* Regions that two threads begin at the same time: each has its time, the program has it once. */
static void *sleep_in_region(void *barrier)
{
    pthread_barrier_wait(barrier);
    pluss_rt_run *run = pluss_rt_enter(&region, NULL, NULL, PLUSS_RT_BIND | PLUSS_RT_COUNTED);
    pthread_barrier_wait(barrier);
    usleep(20000);
    pthread_barrier_wait(barrier);
    pluss_rt_leave(run);
    return NULL;
}

START_TEST(times_of_regions_at_once)
{
    pthread_barrier_t barrier;
    pthread_t other;
    char *text;
    size_t length;
    pluss_rt_reset();
    pthread_barrier_init(&barrier, NULL, 2);
    ck_assert_int_eq(pthread_create(&other, NULL, sleep_in_region, &barrier), 0);
    sleep_in_region(&barrier);
    pthread_join(other, NULL);
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    uint64_t all = number_after(text, "\ntook "),
             serial = number_after(strstr(text, "\ntook "), " serial "),
             took = number_after(strstr(text, "region \"kernel\""), "\ntook ");
    ck_assert_uint_ge(took, 40000000);
    ck_assert_uint_ge(all - serial, 20000000);
    ck_assert_uint_le(all - serial, took - 20000000);
    pthread_barrier_destroy(&barrier);
    free(text);
}
END_TEST

START_TEST(errno_is_the_programs)
{
    int64_t n = 77;
    const void *bases[2] = {(void *)4096, (void *)8};
    pluss_rt_reset();
    setenv("PLUSS_RECORD", "/nonexistent-folder/record", 1);
    setenv("PLUSS_INTERLEAVE", "tsc", 1); /* cannot be opened: an error inside */
    errno = EDOM;
    pluss_rt_run *run = pluss_rt_region_begin(&region, &n, bases);
    ck_assert_int_eq(errno, EDOM);
    pluss_rt_thread_begin(run, 0, 2);
    for (uint64_t i = 0; i < 5000; i++)
        pluss_rt_access(0, (void *)(uintptr_t)(i * 4096));
    pluss_rt_loop(0, 0, 0, 10, 1);
    for (int64_t i = 0; i < 10; i += 2)
        pluss_rt_iteration(0, i);
    pluss_rt_thread_end(run);
    pluss_rt_region_end(run);
    ck_assert_int_eq(errno, EDOM);
    unsetenv("PLUSS_RECORD");
    unsetenv("PLUSS_INTERLEAVE");
}
END_TEST

START_TEST(an_older_record_stays_until_its_successor_is_whole)
{
    struct rlimit small = {1000, RLIM_INFINITY};
    FILE *out = fopen(record_path, "w");
    ck_assert_int_ge(fputs("older\n", out), 0);
    fclose(out);
    pluss_rt_reset();
    for (int64_t n = 0; n < 100; n++)
        pluss_rt_leave(pluss_rt_enter(&region, &n, NULL, PLUSS_RT_BIND));
    pid_t child = fork();
    if (child == 0) {
        for (int64_t n = 0; n < 100; n++)
            pluss_rt_leave(pluss_rt_enter(&region, &n, NULL, PLUSS_RT_BIND));
        setrlimit(RLIMIT_FSIZE, &small);
        _exit(pluss_rt_write(record_path)); /* and not by SIGXFSZ */
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), EFBIG);
    char *text = slurp(record_path);
    ck_assert_str_eq(text, "older\n");
    free(text);
    ck_assert_int_eq(pluss_rt_write(record_path), 0);
    text = slurp(record_path);
    ck_assert_int_eq(strncmp(text, "pluss-record 3\n", 15), 0);
    free(text);
}
END_TEST

/* What a region's called functions access, that many accesses a call: streams of elements, and
 * others within as many bytes. Its intervals; the caller frees. */
static char *record_called(unsigned at_a_time, uint64_t others)
{
    static const pluss_rt_ref any = {1, 1};
    const pluss_rt_region calls = {sizeof calls, "calls", "c.c", 1, 1, 0, 0, &any, NULL, NULL, 0};
    const void *at[4];
    uint32_t bytes[4];
    uint64_t random = 1;
    pluss_rt_reset();
    pluss_rt_run *run =
        pluss_rt_enter(&calls, NULL, NULL, PLUSS_RT_PROFILE | PLUSS_RT_COUNTED | PLUSS_RT_CALLED);
    for (unsigned i = 0; i < 24000;) {
        unsigned n = 0;
        for (; n < at_a_time && i < 24000; n++, i++) {
            random = plussi_hash(random + i);
            const bool other = random >> 61 == 0; /* they straddle lines, too */
            at[n] = (const void *)(uintptr_t)(other ? (1u << 24) + random % others
                                                    : ((i % 3 + 1) << 20) + i / 3 * 8);
            bytes[n] = (other ? 1 + (uint32_t)(random >> 32) % 150 : 8) |
                       (random & 1 ? PLUSS_RT_STORE : 0);
        }
        for (unsigned k = n; k < 4; k++)
            bytes[k] = 0;
        if (n < 2)
            pluss_rt_called(at[0], bytes[0]);
        else
            pluss_rt_called_four(at[0], at[1], at[2], at[3], bytes[0] | (uint64_t)bytes[1] << 32,
                                 bytes[2] | (uint64_t)bytes[3] << 32);
    }
    pluss_rt_leave(run);
    char *text = NULL, *intervals;
    size_t length;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    intervals = strdup(strstr(text, "\npri "));
    free(text);
    pluss_rt_reset();
    return intervals;
}

START_TEST(accesses_in_a_row_are_those_one_by_one)
{
    static const uint64_t others[] = {64, 1 << 20}; /* few intervals, and many */
    char *one = record_called(1, others[_i]);
    for (unsigned n = 2; n <= 4; n++) {
        char *row = record_called(n, others[_i]);
        ck_assert_str_eq(row, one);
        free(row);
    }
    free(one);
}
END_TEST

/* Loops of streams with random steps, some of them over the same lines, told by a call a loop or
 * one an access; a region's references, or what functions that it calls access. Its intervals; the
 * caller frees. */
static char *record_loops(bool called, bool by_loop, uint64_t area)
{
    static const pluss_rt_ref refs[] = {{8, 8}, {4, 4}, {8, 1}, {1, 1}};
    static const int64_t steps[] = {8, 0, -8, 4, 16, -16, 24, 64, -200, 1};
    const pluss_rt_region loops = {sizeof loops, "loops", "c.c", 1, 4, 0, 0, refs, NULL, NULL, 0};
    uint64_t random = 1;
    pluss_rt_reset();
    pluss_rt_run *run = pluss_rt_enter(
        &loops, NULL, NULL, PLUSS_RT_PROFILE | PLUSS_RT_COUNTED | (called ? PLUSS_RT_CALLED : 0));
    for (unsigned loop = 0; loop < 400; loop++) {
        pluss_rt_stream stream[PLUSS_RT_STREAMS];
        random = plussi_hash(random + loop);
        const uint32_t n = 1 + (uint32_t)(random >> 60) % (random & 1 ? 4 : PLUSS_RT_STREAMS);
        const uint64_t iterations = (random >> 40) % 90;
        for (uint32_t k = 0; k < n; k++) {
            random = plussi_hash(random + k);
            const uint64_t at = k && random % 3 == 0 ? (uint64_t)(uintptr_t)stream[k - 1].address
                                                     : (1u << 24) + (random >> 20) % area * 4;
            const uint32_t bytes = random % 64 == 0 ? 100 : random % 2 ? 4 : 8;
            stream[k] = (pluss_rt_stream){
                (const void *)(uintptr_t)at, steps[(random >> 50) % (random & 256 ? 3 : 10)],
                called ? bytes | (random & 64 ? PLUSS_RT_STORE : 0) : random >> 62};
        }
        if (by_loop)
            (called ? pluss_rt_called_loop : pluss_rt_access_loop)(iterations, n, stream);
        for (uint64_t i = 0; !by_loop && i < iterations; i++)
            for (uint32_t k = 0; k < n; k++) {
                const void *at = (const char *)stream[k].address + (int64_t)i * stream[k].step;
                if (called)
                    pluss_rt_called(at, (uint32_t)stream[k].bytes);
                else
                    pluss_rt_access((uint32_t)stream[k].bytes, at);
            }
    }
    pluss_rt_leave(run);
    char *text = NULL, *intervals;
    size_t length;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    intervals = strdup(strstr(text, "\nthread"));
    free(text);
    pluss_rt_reset();
    return intervals;
}

START_TEST(accesses_of_a_loop_are_those_one_by_one)
{
    static const uint64_t areas[] = {16, 1000, 1 << 20}; /* few lines, and many */
    for (int called = 0; called < 2; called++) {
        char *one = record_loops(called, false, areas[_i]),
             *all = record_loops(called, true, areas[_i]);
        ck_assert_msg(strcmp(all, one) == 0, "%d", called);
        free(one);
        free(all);
    }
}
END_TEST

static Suite *rt_suite(void)
{
    Suite *suite = suite_create("rt");
    TCase *tc = tcase_create("rt");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, collector_equals_brute_force);
    tcase_add_test(tc, what_runs_carry_equals_brute_force);
    tcase_add_loop_test(tc, a_run_without_room_is_in_no_order, 0, 2);
    tcase_add_test(tc, straddling_accesses_count_by_rule);
    tcase_add_test(tc, intervals_within_a_line_that_change);
    tcase_add_test(tc, teams_record_per_thread_and_runs_add_up);
    tcase_add_test(tc, first_touches_by_threads_that_share);
    tcase_add_test(tc, sequences_fold_and_unfold);
    tcase_add_test(tc, sequences_end_where_there_is_no_room);
    tcase_add_test(tc, chunks_are_the_first_runs_and_joined);
    tcase_add_loop_test(tc, accesses_in_a_row_are_those_one_by_one, 0, 2);
    tcase_add_loop_test(tc, accesses_of_a_loop_are_those_one_by_one, 0, 3);
    tcase_add_test(tc, decisions);
    tcase_add_test(tc, schedules_of_samplers);
    tcase_add_test(tc, inner_regions_and_doubled_thread_numbers);
    tcase_add_test(tc, a_child_does_not_write_its_parents_record);
    tcase_add_test(tc, a_pipe_stays_a_pipe);
    tcase_add_test(tc, a_record_is_whole_or_not_there);
    tcase_add_test(tc, descriptions_that_are_made);
    tcase_add_test(tc, values_beyond_the_limit_are_counted);
    tcase_add_test(tc, sums_are_found_at_once);
    tcase_add_test(tc, descriptions_need_not_stay);
    tcase_add_test(tc, a_region_that_runs_again_finds_what_it_needs);
    tcase_add_test(tc, time_is_of_one_place);
    tcase_add_test(tc, times_of_regions_at_once);
    tcase_add_test(tc, errno_is_the_programs);
    tcase_add_test(tc, threads_may_end_within_their_part);
    tcase_add_test(tc, an_older_record_stays_until_its_successor_is_whole);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(rt_suite())
