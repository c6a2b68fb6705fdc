/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every test program shares: it holds one or more Check suites and prints TAP on stdout.
 *
 *     SUITE_MAIN(histo_suite())
 *
 * In tier check (ci/check.sh) half of the combinations are tested, and half of the amounts of
 * memory; in tier test and under sanitizers, which take five to ten times as long, a third:
 * suite_turns() and suite_step(). What is expected of each is the same. In tier full (PLUSS_LONG=1
 * in the environment), and of a suite that is started by hand: all of them.
 */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include "assertions.h"
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SUITE_SANITIZED = 1 };
#else
enum { SUITE_SANITIZED = 0 };
#endif

/* 1: all; 2 or 3: one of that many. */
static inline int suite_step(void)
{
    const char *all = getenv("PLUSS_LONG"), *tier = getenv("PLUSS_TIER");
    if (all && *all)
        return 1;
    if (SUITE_SANITIZED || (tier && strcmp(tier, "test") == 0))
        return 3;
    return tier && strcmp(tier, "check") == 0 ? 2 : 1;
}

/* Of a loop test with this many combinations: those that are tested, */
static inline int suite_turns(int all)
{
    return (all + suite_step() - 1) / suite_step();
}

/* and the number of the i-th of them among all. It is another one of two or three each time, so
 * that each property is seen where several are counted one inside the other. */
static inline int suite_turn(int i, int all)
{
    const int step = suite_step();
    return (step * i + (i + i / 4 + i / 7) % step) % all;
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
