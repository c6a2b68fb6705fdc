/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Six stack algorithms against each other, touch by touch.
 */
#include "../unit/suite.h"
#include "base/rng.h"
#include "exact/lru.h"
#include "stacks.h"

static uint64_t next_line(int shape, uint64_t k, uint64_t lines, plussi_rng *rng)
{
    switch (shape) {
    case 0:
        return plussi_rng_below(rng, lines);
    case 1:
        return k % lines;
    case 2:
        return k / lines % 2 ? lines - 1 - k % lines : k % lines;
    default:
        return plussi_rng_below(rng, 1 + plussi_rng_below(rng, lines));
    }
}

START_TEST(agree)
{
    static const uint64_t lines[] = {1, 5, 64, 300, 2000};
    enum { TOUCHES = 12000 };
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        stack *s[STACK_ALGORITHMS];
        plussi_rng rng;
        plussi_rng_seed(&rng, 5, l);
        for (int a = 0; a < STACK_ALGORITHMS; a++)
            ck_assert_ptr_nonnull(s[a] = stack_algorithms[a].make(&plussi_mem_libc, TOUCHES));
        for (uint64_t k = 0; k < TOUCHES; k++) {
            const uint64_t line = next_line(_i, k, lines[l], &rng) * 1003;
            const uint64_t expected = stack_algorithms[1].touch(s[1], line);
            for (int a = 0; a < STACK_ALGORITHMS; a++) {
                const uint64_t found = a == 1 ? expected : stack_algorithms[a].touch(s[a], line);
                if (found != expected)
                    ck_abort_msg("%s, touch %lu: %lu, not %lu", stack_algorithms[a].name, k, found,
                                 expected);
            }
        }
        for (int a = 0; a < STACK_ALGORITHMS; a++)
            stack_algorithms[a].free(s[a]);
    }
}
END_TEST

static Suite *stacks_suite(void)
{
    Suite *s = suite_create("stacks");
    TCase *t = tcase_create("algorithms");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, agree, 0, 4);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(stacks_suite())
