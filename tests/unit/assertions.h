/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Check's assertions, without a system call for each that holds. Check tells its parent process the
 * place of every one, which takes most of the time of assertions in loops. Here it is told a place
 * when it is reached for the first time: a test that a signal ends came that far.
 */
#ifndef TESTS_UNIT_ASSERTIONS_H
#define TESTS_UNIT_ASSERTIONS_H

#include <check.h>
#include <stdbool.h>

#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                                                   \
    do {                                                                                           \
        static bool suite_reached;                                                                 \
        if (!(expr)) {                                                                             \
            _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", ##__VA_ARGS__);  \
        } else if (!suite_reached) {                                                               \
            suite_reached = true;                                                                  \
            mark_point();                                                                          \
        }                                                                                          \
    } while (0)

#endif
