/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every test program shares: it holds one or more Check suites and prints TAP on stdout.
 *
 *     SUITE_MAIN(histo_suite())
 *
 * Under sanitizers (ci/sanitize.sh) programs take five to ten times as long. The fault that these
 * look for is in every turn of a loop, so that what is repeated over combinations, or for every
 * amount of memory there may be, is repeated a third as often there: suite_turns() and
 * suite_step(). What is expected of a turn is the same, and each test has some. PLUSS_LONG=1 in the
 * environment: all turns, as without sanitizers.
 */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include <check.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SUITE_SANITIZED = 1 };
#else
enum { SUITE_SANITIZED = 0 };
#endif

/* 1; 3 where turns are left out. */
static inline int suite_step(void)
{
    const char *all = SUITE_SANITIZED ? getenv("PLUSS_LONG") : NULL;
    return SUITE_SANITIZED && !(all && *all) ? 3 : 1;
}

/* Of a loop test with so many: those that are made, */
static inline int suite_turns(int all)
{
    return (all + suite_step() - 1) / suite_step();
}

/* and the number of turn i among all. It is another one of three each time, so that of two
 * properties that are counted through one inside the other both change. */
static inline int suite_turn(int i, int all)
{
    return suite_step() == 1 ? i : (3 * i + i % 3) % all;
}

#define SUITE_MAIN(suite)                                                                          \
    int main(void)                                                                                 \
    {                                                                                              \
        SRunner *runner = srunner_create(suite);                                                   \
        srunner_set_tap(runner, "-");                                                              \
        srunner_run_all(runner, CK_SILENT);                                                        \
        int failed = srunner_ntests_failed(runner);                                                \
        srunner_free(runner);                                                                      \
        return failed ? EXIT_FAILURE : EXIT_SUCCESS;                                               \
    }

#endif
