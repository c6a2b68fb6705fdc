/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reuse intervals of followed lines against those of all lines, on random programs.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "rt/carry.h"
#include "rt/follow.h"

enum { REFS = 4, PIECES = 6 };
static const pluss_rt_ref shapes[REFS] = {{8, 8}, {8, 8}, {4, 4}, {1, 1}};

/* Accesses are mixed of some patterns: lines touched all the time, sweeps, a list, random ones. */
typedef struct program {
    plussi_rng rng;
    struct piece {
        enum { ANY, SWEEP, LIST } kind;
        uint64_t base, lines, at;
        unsigned weight;
    } piece[PIECES];
    unsigned weights;
} program;

static void program_make(program *p, uint64_t seed, uint64_t most)
{
    memset(p, 0, sizeof *p);
    plussi_rng_seed(&p->rng, 11, seed);
    for (int i = 0; i < PIECES; i++) {
        struct piece *piece = &p->piece[i];
        piece->kind = (int)plussi_rng_below(&p->rng, 3);
        piece->base = (uint64_t)i << 32 | plussi_rng_below(&p->rng, 1 << 20);
        piece->lines = i == 0 ? 40 : most >> plussi_rng_below(&p->rng, 6);
        piece->weight = i == 0 ? 20 : 1 + (unsigned)plussi_rng_below(&p->rng, 10);
        p->weights += piece->weight;
    }
}

/* The next access: its line, by this reference. */
static uint64_t program_next(program *p, uint32_t *ref)
{
    uint64_t which = plussi_rng_below(&p->rng, p->weights);
    int i = 0;
    while (which >= p->piece[i].weight)
        which -= p->piece[i++].weight;
    struct piece *piece = &p->piece[i];
    *ref = (uint32_t)(i + (int)plussi_rng_below(&p->rng, 2)) % REFS;
    piece->at = piece->kind == ANY     ? plussi_rng_below(&p->rng, piece->lines)
                : piece->kind == SWEEP ? (piece->at + 1) % piece->lines
                                       : (piece->at * 5 + 12345) % piece->lines;
    return piece->base + piece->at;
}

static void access_both(plussi_collector *some, plussi_collector *all, uint32_t ref, uint64_t line)
{
    const uint64_t address = line * PLUSS_RT_LINE_BYTES + 8;
    plussi_follow(some, ref, &shapes[ref], address);
    plussi_collect(all, ref, &shapes[ref], address);
}

static plussi_totals *totals_of(plussi_collector *c)
{
    plussi_totals *t = plussi_totals_new(REFS);
    plussi_totals_add(t, c);
    return t;
}

/* Accesses by the bin of their interval; first touches are in the last. */
static uint64_t add_bins(const plussi_totals *t, uint64_t *bin)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < REFS; r++) {
        struct plussi_ref_totals ref;
        ck_assert(plussi_totals_scaled(t, r, &ref));
        for (size_t i = 0; i < ref.interval.cap; i++) {
            const plussi_tally_slot slot = ref.interval.slot[i];
            if (slot.count)
                bin[plussi_bin_of(slot.key, PLUSSI_COARSE_BITS)] += slot.count;
            sum += slot.count;
        }
        bin[PLUSSI_NEVER_BIN] += ref.first;
        sum += ref.first;
        plussi_tally_free(&ref.interval);
        plussi_tally_free(&ref.shared);
    }
    return sum;
}

START_TEST(bins_hold_their_intervals)
{
    for (unsigned bits = 2; bits <= PLUSSI_FINE_BITS; bits++) {
        uint32_t before = 0;
        for (uint64_t v = 0; v < 5000; v++) {
            const uint32_t bin = plussi_bin_of(v, bits);
            ck_assert(bin == before || bin == before + 1);
            ck_assert_uint_eq(plussi_bin_of(plussi_bin_interval(bin, bits), bits), bin);
            ck_assert(v >= (uint64_t)1 << bits || plussi_bin_interval(bin, bits) == v);
            before = bin;
        }
        for (unsigned shift = 0; shift < 64; shift++) {
            const uint64_t v = UINT64_MAX >> shift;
            const uint32_t bin = plussi_bin_of(v, bits);
            ck_assert_uint_eq(plussi_bin_of(plussi_bin_interval(bin, bits), bits), bin);
        }
        ck_assert_uint_eq(plussi_bin_of(UINT64_MAX, bits) + 1, (66 - bits) << (bits - 1));
    }
    ck_assert_uint_eq(plussi_bin_of(UINT64_MAX, PLUSSI_COARSE_BITS), PLUSSI_NEVER_BIN - 1);
}
END_TEST

/* As long as all lines are followed everything is exact. */
START_TEST(all_lines_equal_brute_force)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        program p;
        program_make(&p, seed, 1 << (6 + seed % 8));
        plussi_collector *some = plussi_collector_take(REFS), *all = plussi_collector_new(REFS);
        ck_assert(plussi_collector_follow(some, UINT64_MAX, 1, 0));
        const uint64_t n = seed % 4 ? 3000 : 200000; /* then there are bins */
        for (uint64_t i = 0; i < n; i++) {
            uint32_t ref;
            const uint64_t line = program_next(&p, &ref);
            access_both(some, all, ref, line);
        }
        plussi_collector_flush(some);
        plussi_collector_flush(all);
        ck_assert_uint_eq(some->clock, n);
        ck_assert_uint_eq(some->n_first, all->n_first);
        for (size_t i = 0; i < all->n_first; i++) {
            ck_assert_uint_eq(some->first[i].line, all->first[i].line);
            ck_assert_uint_eq(some->first[i].at, all->first[i].at);
            ck_assert_uint_eq(some->first[i].ref, all->first[i].ref);
        }
        plussi_totals *is = totals_of(some), *wanted = totals_of(all);
        uint64_t is_bin[PLUSSI_COARSE_BINS] = {0}, bin[PLUSSI_COARSE_BINS] = {0};
        ck_assert_uint_eq(add_bins(is, is_bin), n);
        ck_assert_uint_eq(add_bins(wanted, bin), n);
        ck_assert_mem_eq(is_bin, bin, sizeof bin);
        for (uint32_t r = 0; r < REFS && n <= 3000; r++)
            for (uint64_t interval = 0; interval < 1u << PLUSSI_FINE_BITS; interval++) {
                uint64_t one = 0, other = 0;
                for (size_t i = 0; i < is->ref[r].interval.cap; i++)
                    one += is->ref[r].interval.slot[i].key == interval
                               ? is->ref[r].interval.slot[i].count
                               : 0;
                for (size_t i = 0; i < wanted->ref[r].interval.cap; i++)
                    other += wanted->ref[r].interval.slot[i].key == interval
                                 ? wanted->ref[r].interval.slot[i].count
                                 : 0;
                ck_assert_uint_eq(one, other);
            }
        ck_assert_uint_eq(plussi_collectors_settle(&some, 1), 0);
        for (size_t i = 0; i < all->n_first; i++)
            ck_assert_uint_eq(*plussi_linemap_at(&some->last, all->first[i].line),
                              *plussi_linemap_at(&all->last, all->first[i].line));
        plussi_totals_free(is);
        plussi_totals_free(wanted);
        plussi_collector_give(some); /* the next one has it */
        plussi_collector_free(all);
    }
}
END_TEST

/* The estimate's worst distance from the truth, in its standard errors; its error, in accesses of
 * all. */
static double compare(uint64_t seed, double *error)
{
    enum { N = 300000, FROM = 30000, MOST = 512 };
    program p;
    program_make(&p, seed, 40000);
    plussi_collector *some = plussi_collector_new(REFS), *all = plussi_collector_new(REFS);
    ck_assert(plussi_collector_follow(some, FROM, MOST, 0));
    for (int i = 0; i < N; i++) {
        uint32_t ref;
        const uint64_t line = program_next(&p, &ref);
        access_both(some, all, ref, line);
    }
    plussi_collector_flush(some);
    plussi_collector_flush(all);
    plussi_totals *is = totals_of(some), *wanted = totals_of(all);
    uint64_t is_bin[PLUSSI_COARSE_BINS] = {0}, bin[PLUSSI_COARSE_BINS] = {0};
    ck_assert_uint_eq(add_bins(is, is_bin), N); /* every access has its interval */
    ck_assert_uint_eq(add_bins(wanted, bin), N);
    ck_assert_uint_eq(plussi_totals_lost(is), 0);
    ck_assert_uint_le(some->follow->followed, MOST);
    double apart = 0, worst = 0;
    for (int b = PLUSSI_COARSE_BINS; b-- > 0;) {
        apart += (double)is_bin[b] - (double)bin[b];
        worst = apart < 0 ? (worst > -apart ? worst : -apart) : worst > apart ? worst : apart;
    }
    const double stated = (double)plussi_totals_error(&is, 1);
    ck_assert_double_gt(stated, 0);
    *error = stated / N;
    plussi_totals_free(is);
    plussi_totals_free(wanted);
    plussi_collector_free(some);
    plussi_collector_free(all);
    return worst / stated;
}

/* Some 95 % of the estimates are within 1.96 standard errors at any one interval; here it is the
 * worst of all of them, of the largest of their standard errors. */
START_TEST(some_lines_are_within_their_error)
{
    enum { PROGRAMS = 40 };
    int within = 0;
    double mean = 0, error;
    for (int i = 0; i < PROGRAMS; i++) {
        const double worst = compare((uint64_t)i, &error);
        mean += error / PROGRAMS;
        within += worst < 1.96;
        ck_assert_msg(worst < 5, "program %d: %g standard errors of %g", i, worst, error);
        ck_assert_msg(error < 0.06, "program %d: standard error %g", i, error);
    }
    ck_assert_msg(within >= PROGRAMS * 85 / 100, "%d of %d", within, PROGRAMS);
    ck_assert_msg(mean < 0.015, "standard error %g", mean);
}
END_TEST

/* Two threads, one of which follows fewer lines; what a second run finds of them; and how many of
 * the lines both touch. */
START_TEST(runs_and_threads_share_the_lines_that_all_follow)
{
    enum { LINES = 20000 };
    plussi_carrier carrier = {0};
    plussi_carried carried = {.known = true};
    plussi_run_order order = {0};
    const plussi_carry_into into = {&carried, &order, 0, false, NULL};
    plussi_totals *sum[2] = {plussi_totals_new(REFS), plussi_totals_new(REFS)};
    for (int run = 0; run < 3; run++) {
        plussi_collector *thread[2];
        for (uint32_t k = 0; k < 2; k++) {
            thread[k] = plussi_collector_new(REFS);
            ck_assert(plussi_collector_follow(thread[k], k ? 1000 : UINT64_MAX, 400, 0));
            for (uint64_t i = 0; i < LINES; i++) /* the second half is thread 1's alone */
                plussi_follow(thread[k], 1, &shapes[1], (k ? i : i / 2) * PLUSS_RT_LINE_BYTES);
        }
        const unsigned shift = plussi_collectors_settle(thread, 2);
        ck_assert_uint_gt(shift, 3);
        ck_assert_uint_eq(shift, thread[1]->follow->shift);
        ck_assert_uint_le(thread[0]->n_first, 400);
        plussi_carry(&carrier, thread, 2, shift, &into);
        plussi_collect_shared(thread, 2, shift);
        for (uint32_t k = 0; k < 2; k++) {
            plussi_collector_flush(thread[k]);
            plussi_totals_add(sum[k], thread[k]);
            plussi_collector_free(thread[k]);
        }
    }
    ck_assert(carried.known);
    /* each run touches all lines, at about the same time in both runs */
    ck_assert_double_lt(abs((int)carried.lines - 3 * LINES), 0.2 * 3 * LINES);
    uint64_t reused = 0;
    for (size_t i = 0; i < carried.distance.cap; i++)
        if (carried.distance.slot[i].count) {
            ck_assert_uint_le(carried.distance.slot[i].key, LINES * 11 / 10);
            reused += carried.distance.slot[i].count;
        }
    ck_assert_double_lt(abs((int)reused - 2 * LINES), 0.2 * 2 * LINES);
    for (uint32_t k = 0; k < 2; k++) {
        struct plussi_ref_totals ref;
        uint64_t shared = 0;
        ck_assert(plussi_totals_scaled(sum[k], 1, &ref));
        ck_assert_uint_eq(ref.first, k ? 3 * LINES : 3 * LINES / 2);
        for (size_t i = 0; i < ref.shared.cap; i++)
            shared += ref.shared.slot[i].count;
        ck_assert_double_lt(abs((int)shared - 3 * LINES / 2), 0.2 * 3 * LINES / 2);
        ck_assert_uint_le(shared, ref.first);
        plussi_tally_free(&ref.interval);
        plussi_tally_free(&ref.shared);
        plussi_totals_free(sum[k]);
    }
    plussi_carried_free(&carried);
    plussi_order_free(&order);
    plussi_carrier_free(&carrier);
}
END_TEST

/* Threads that still run at the end of the process: each has first touches by its own rate. */
START_TEST(threads_that_still_run_share_the_lines_that_all_follow)
{
    enum { LINES = 20000 };
    plussi_collector *thread[2];
    for (uint32_t k = 0; k < 2; k++) {
        thread[k] = plussi_collector_new(REFS);
        ck_assert(plussi_collector_follow(thread[k], k ? 1000 : UINT64_MAX, 400, 0));
        for (uint64_t i = 0; i < LINES; i++)
            plussi_follow(thread[k], 1, &shapes[1], i * PLUSS_RT_LINE_BYTES);
    }
    const unsigned shift = plussi_collectors_settle_live(thread, 2);
    ck_assert_uint_eq(shift, thread[1]->follow->shift);
    ck_assert_uint_eq(thread[0]->n_first, LINES);
    plussi_collect_shared(thread, 2, shift);
    for (uint32_t k = 0; k < 2; k++) {
        const plussi_tally *shared = &thread[k]->ref[1].shared;
        uint64_t sum = 0;
        for (size_t i = 0; i < shared->cap; i++)
            sum += shared->slot[i].count;
        ck_assert_double_lt(abs((int)sum - LINES), 0.2 * LINES);
        plussi_collector_free(thread[k]);
    }
}
END_TEST

/* Of all far accesses nothing is known where hardly a line is followed. */
START_TEST(few_lines_tell_no_error)
{
    enum { LINES = 1 << 14, SWEEPS = 5 };
    for (unsigned shift = 8; shift <= 16; shift++) {
        plussi_collector *c = plussi_collector_new(REFS);
        ck_assert(plussi_collector_follow(c, 0, 400, shift));
        for (uint64_t i = 0; i < LINES * SWEEPS; i++)
            plussi_follow(c, 1, &shapes[1], i % LINES * PLUSS_RT_LINE_BYTES);
        plussi_collector_flush(c);
        plussi_totals *t = totals_of(c);
        unsigned groups = 0;
        for (unsigned g = 0; g < PLUSSI_LINE_GROUPS; g++)
            groups += t->groups->count[g][PLUSSI_NEVER_BIN] > 0;
        ck_assert_uint_eq(plussi_totals_passed(t), LINES * SWEEPS);
        const uint64_t error = plussi_totals_error(&t, 1);
        if (groups < PLUSSI_LEAST_GROUPS)
            ck_assert_uint_eq(error, LINES * SWEEPS);
        else
            ck_assert_uint_lt(error, LINES * SWEEPS);
        ck_assert(shift > 8 || groups == PLUSSI_LINE_GROUPS);
        ck_assert(shift < 14 || groups < PLUSSI_LEAST_GROUPS);
        plussi_totals_free(t);
        plussi_collector_free(c);
    }
}
END_TEST

/* Runs that follow all their lines, of which there are too many to carry: how many an earlier run
 * touched, far back or near, within the error that is told. */
START_TEST(what_runs_carry_has_an_error)
{
    enum { CASES = 40, LINES = 40000, RUNS = 3 };
    int within = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        plussi_rng rng;
        plussi_rng_seed(&rng, 5, seed);
        plussi_carrier carrier = {0};
        plussi_carried carried = {.known = true};
        plussi_run_order order = {0};
        const plussi_carry_into into = {&carried, &order, 0, false, NULL};
        const uint64_t base = plussi_rng_below(&rng, 1u << 30);
        static bool touched[LINES];
        double lines = 0, again = 0;
        memset(touched, 0, sizeof touched);
        for (int run = 0; run < RUNS; run++) {
            plussi_collector *c = plussi_collector_new(REFS);
            ck_assert(plussi_collector_follow(c, UINT64_MAX, 400, 0));
            for (uint64_t i = 0; i < LINES; i++) {
                if (plussi_rng_below(&rng, 10) < 4)
                    continue;
                plussi_follow(c, 1, &shapes[1], (base + i) * PLUSS_RT_LINE_BYTES);
                lines++;
                again += touched[i];
                touched[i] = true;
            }
            ck_assert_uint_eq(plussi_collectors_settle(&c, 1), 0);
            plussi_carry(&carrier, &c, 1, 0, &into);
            plussi_collector_free(c);
        }
        ck_assert(carried.known);
        ck_assert_uint_gt(carried.shift, 0);
        double found = 0;
        for (size_t i = 0; i < carried.distance.cap; i++)
            found += (double)carried.distance.slot[i].count;
        const double error = (double)plussi_carried_error(&carried) / (double)carried.lines;
        const double share = found / (double)carried.lines, apart = share - again / lines;
        ck_assert_double_gt(error, 0);
        ck_assert_msg(error < 0.02, "%d: standard error %g", (int)seed, error);
        within += apart * apart < 1.96 * 1.96 * error * error;
        plussi_carried_free(&carried);
        plussi_order_free(&order);
        plussi_carrier_free(&carrier);
    }
    ck_assert_msg(within >= CASES * 85 / 100, "%d of %d", within, CASES);
}
END_TEST

/* A run of which walks tell the lines, in the order of runs or, without memory, not in it: what is
 * there stays. */
START_TEST(walked_runs_without_memory)
{
    enum { LINES = 1 << 17, STEP = 1 << 17, STEPS = 160 };
    int outcomes[2] = {0};
    for (rlim_t step = 0; step < STEPS; step += 3) {
        pid_t child = fork();
        if (child == 0) {
            plussi_run_order order = {0};
            plussi_collector *c = plussi_collector_new(REFS);
            if (!c || !plussi_collector_follow(c, UINT64_MAX, 400, 0))
                _exit(4);
            for (uint64_t i = 0; i < LINES; i++)
                plussi_follow(c, 1, &shapes[1], i * 77 % LINES * PLUSS_RT_LINE_BYTES);
            (void)plussi_collectors_settle(&c, 1);
            plussi_order_recorded(&order, 1, 0);
            plussi_order_line(&order, 5, 1);
            FILE *in = fopen("/proc/self/statm", "r");
            unsigned long pages;
            if (!in || fscanf(in, "%lu", &pages) != 1)
                _exit(4);
            fclose(in);
            setrlimit(RLIMIT_AS, &(struct rlimit){(pages << 12) + step * STEP, RLIM_INFINITY});
            plussi_carry_walked(&order, &c, 1, 2, 0);
            setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
            const bool lost = order.lost != 0,
                       stays = plussi_line_hash(5) <= plussi_line_threshold(order.shift);
            uint64_t lines = 0;
            for (size_t i = 0; i < order.n_runs; i++)
                lines += order.run[i].lines;
            if (order.lost > 1 || order.n_runs != (lost ? 1u : 2u) || lines != order.n_lines ||
                (stays && order.line[0].line != 5) || (lost ? lines != stays : lines < 2))
                _exit(3);
            _exit(lost);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status));
        ck_assert_int_lt(WEXITSTATUS(status), 2);
        outcomes[WEXITSTATUS(status)]++;
    }
    ck_assert_int_gt(outcomes[0], 0);
    ck_assert_int_gt(outcomes[1], 0);
}
END_TEST

/* Without memory accesses are lost, and counted as such. */
static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The slots of a table are in the order of the hashes: added in that order to one that grows, they
 * would take a hundred times as long as in any other. */
START_TEST(merging_takes_no_longer_than_adding)
{
    plussi_tally all = {0}, merged = {0};
    plussi_rng rng;
    plussi_rng_seed(&rng, 13, 1);
    const double begun = processor_seconds();
    for (int i = 0; i < 1 << 17; i++)
        ck_assert(plussi_tally_add(&all, plussi_rng_below(&rng, UINT64_C(1) << 40), 1));
    const double added = processor_seconds();
    ck_assert(plussi_tally_merge(&merged, &all));
    ck_assert_double_lt(processor_seconds() - added, 10 * (added - begun));
    ck_assert_uint_eq(merged.n, all.n);
    for (size_t i = 0; i < all.cap; i++) /* each key and its count, once */
        ck_assert(plussi_tally_add(&merged, all.slot[i].key, all.slot[i].count));
    ck_assert_uint_eq(merged.n, all.n);
    for (size_t i = 0; i < merged.cap; i++)
        ck_assert_uint_eq(merged.slot[i].count % 2, 0);
    plussi_tally_free(&all);
    plussi_tally_free(&merged);
}
END_TEST

START_TEST(without_memory)
{
    for (rlim_t megabytes = 1; megabytes < 12; megabytes++) {
        pid_t child = fork();
        if (child == 0) {
            program p;
            program_make(&p, 3, 1 << 16);
            plussi_collector *c = plussi_collector_new(REFS);
            if (!c || !plussi_collector_follow(c, 100000, 2000, 0))
                _exit(1);
            FILE *in = fopen("/proc/self/statm", "r");
            unsigned long pages;
            if (!in || fscanf(in, "%lu", &pages) != 1)
                _exit(2);
            fclose(in);
            const rlim_t most = (pages << 12) + (megabytes << 18);
            setrlimit(RLIMIT_AS, &(struct rlimit){most, RLIM_INFINITY});
            for (int i = 0; i < 300000; i++) {
                uint32_t ref;
                const uint64_t line = program_next(&p, &ref);
                plussi_follow(c, ref, &shapes[ref], line * PLUSS_RT_LINE_BYTES);
            }
            setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
            plussi_collector_flush(c);
            plussi_totals *t = totals_of(c);
            uint64_t bin[PLUSSI_COARSE_BINS] = {0};
            const uint64_t sum = add_bins(t, bin), lost = plussi_totals_lost(t);
            _exit(sum + lost >= 300000 && sum <= 300000 ? 0 : 3);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status));
        ck_assert_int_eq(WEXITSTATUS(status), 0);
    }
}
END_TEST

static Suite *follow_suite(void)
{
    Suite *suite = suite_create("follow");
    TCase *t = tcase_create("follow");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, bins_hold_their_intervals);
    tcase_add_test(t, all_lines_equal_brute_force);
    tcase_add_test(t, some_lines_are_within_their_error);
    tcase_add_test(t, runs_and_threads_share_the_lines_that_all_follow);
    tcase_add_test(t, threads_that_still_run_share_the_lines_that_all_follow);
    tcase_add_test(t, few_lines_tell_no_error);
    tcase_add_test(t, what_runs_carry_has_an_error);
    tcase_add_test(t, merging_takes_no_longer_than_adding);
    if (!SUITE_SANITIZED) { /* which take memory of their own */
        tcase_add_test(t, walked_runs_without_memory);
        tcase_add_test(t, without_memory);
    }
    suite_add_tcase(suite, t);
    return suite;
}

SUITE_MAIN(follow_suite())
