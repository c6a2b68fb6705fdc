/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libpluss-rt: runs of regions with any number of symbols, arrays and references, in any order: a
 * run that ended leaves its memory to the next one, which may need more of it.
 */
#include "suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/rt.h"

enum { MOST = 100, ROUNDS = 300 };

static char name[MOST][8];
static const char *names[MOST];
static pluss_rt_ref shape[MOST];

static void name_things(void)
{
    for (int i = 0; i < MOST; i++) {
        snprintf(name[i], sizeof name[i], "v%d", i);
        names[i] = name[i];
        shape[i] = (pluss_rt_ref){8, 8};
    }
}

/* Is every value of the record's last region as it was given? */
static void check_record(uint32_t symbols, uint32_t arrays, int64_t value)
{
    char *text, line[64];
    size_t length;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    for (uint32_t i = 0; i < symbols; i++) {
        snprintf(line, sizeof line, "\nsymbol \"v%u\" %lld\n", i, (long long)value + i);
        ck_assert_msg(strstr(text, line) != NULL, "%u symbols: no %s", symbols, line + 1);
    }
    for (uint32_t i = 0; i < arrays; i++) {
        snprintf(line, sizeof line, "\narray \"v%u\" %lld\n", i, (long long)(value + i) * 64);
        ck_assert_msg(strstr(text, line) != NULL, "%u arrays: no %s", arrays, line + 1);
    }
    free(text);
}

/* One run of a region; `late`: the values become known inside of it. */
static void run_once(pluss_rt_region *region, int64_t value, uint32_t how, bool late)
{
    int64_t symbol[MOST];
    const void *base[MOST];
    for (int i = 0; i < MOST; i++) {
        symbol[i] = late ? PLUSS_RT_UNKNOWN : value + i;
        base[i] = late ? NULL : (const void *)(uintptr_t)((value + i) * 64);
    }
    pluss_rt_run *run = pluss_rt_enter(region, symbol, base, how);
    ck_assert_ptr_nonnull(run);
    pluss_rt_thread_begin(run, 0, 1);
    for (uint32_t i = 0; late && i < region->n_symbols; i++)
        pluss_rt_symbol(i, value + i);
    for (uint32_t i = 0; late && i < region->n_arrays; i++)
        pluss_rt_base(i, (const void *)(uintptr_t)((value + i) * 64));
    for (uint32_t i = 0; how == PLUSS_RT_PROFILE && i < region->n_refs; i++)
        pluss_rt_access(i, (const void *)(uintptr_t)(64 * i + 64));
    pluss_rt_thread_end(run);
    pluss_rt_leave(run);
}

START_TEST(values_of_any_number)
{
    static const uint32_t number[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, MOST};
    enum { KINDS = sizeof number / sizeof *number };
    static pluss_rt_region region[KINDS][KINDS];
    name_things();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t s = i * 5 % KINDS, a = i * 7 / 3 % KINDS; /* more than before, and fewer */
        region[s][a] = (pluss_rt_region){sizeof(pluss_rt_region),
                                         "kernel",
                                         "a.c",
                                         1 + s * KINDS + a,
                                         number[(s + a) % KINDS],
                                         number[s],
                                         number[a],
                                         shape,
                                         names,
                                         names,
                                         0};
        run_once(&region[s][a], 1000 + i, i % 2 ? PLUSS_RT_PROFILE : PLUSS_RT_BIND, i % 3 == 0);
        check_record(number[s], number[a], 1000 + i);
        pluss_rt_reset();
    }
}
END_TEST

/* Several at once: none has another's values. */
START_TEST(regions_in_one_another)
{
    static pluss_rt_region region[3];
    static const uint32_t number[3] = {3, 40, 9};
    pluss_rt_run *run[3];
    name_things();
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 3; i++) {
            int64_t symbol[MOST];
            for (int k = 0; k < MOST; k++)
                symbol[k] = 1000 * (i + 1) + round + k;
            region[i] = (pluss_rt_region){sizeof(pluss_rt_region),
                                          "kernel",
                                          "a.c",
                                          1 + i,
                                          0,
                                          number[(i + round) % 3],
                                          0,
                                          shape,
                                          names,
                                          names,
                                          0};
            run[i] = pluss_rt_enter(&region[i], symbol, NULL, PLUSS_RT_BIND);
            ck_assert_ptr_nonnull(run[i]);
        }
        for (int i = 3; i-- > 0;)
            pluss_rt_leave(run[i]);
        for (int i = 0; i < 3; i++)
            check_record(number[(i + round) % 3], 0, 1000 * (i + 1) + round);
        pluss_rt_reset();
    }
}
END_TEST

static Suite *runs_suite(void)
{
    Suite *suite = suite_create("runs");
    TCase *tc = tcase_create("runs");
    tcase_add_test(tc, values_of_any_number);
    tcase_add_test(tc, regions_in_one_another);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(runs_suite())
