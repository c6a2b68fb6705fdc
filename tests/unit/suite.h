/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every test program shares: it holds one or more Check suites and prints TAP on stdout.
 *
 *     SUITE_MAIN(histo_suite())
 */
#ifndef TESTS_UNIT_SUITE_H
#define TESTS_UNIT_SUITE_H

#include <check.h>
#include <stdlib.h>

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
