/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loops that both programs go through, in this order.
 */
#ifndef TESTS_LIBGOMP_LOOPS_H
#define TESTS_LIBGOMP_LOOPS_H

#include <stdbool.h>

enum { MAX_N = 128 };

static inline void for_each_static(void (*fn)(int n, int chunk, int team))
{
    for (int n = 0; n <= 13; n++)
        for (int chunk = 0; chunk <= 5; chunk++)
            for (int team = 1; team <= 5; team++)
                fn(n, chunk, team);
}

static inline void for_each_chunked(bool guided,
                                    void (*fn)(bool guided, int end, int step, int chunk, int team))
{
    static const int ends[] = {0, 1, 2, 3, 5, 7, 8, 12, 13, 14, 15, 31, 32, 50, 99, 100};
    for (unsigned e = 0; e < sizeof ends / sizeof *ends; e++)
        for (int step = 1; step <= 3; step++)
            for (int chunk = 1; chunk <= 4; chunk++)
                for (int team = 1; team <= 4; team++)
                    fn(guided, ends[e], step, chunk, team);
}

#endif
