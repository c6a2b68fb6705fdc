/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One access each, in turn.
 */
#include "team/law.h"

static double time_of(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos)
{
    (void)which, (void)phase;
    return (double)pos * c->team + k;
}

static double guess(plussi_clocks *c, uint64_t phase, uint32_t k, double time)
{
    (void)phase;
    return time > k ? (time - k) / c->team : 0;
}

const plussi_law plussi_law_round_robin = {
    .name = "round-robin",
    .syntax = "round-robin",
    .summary = "one access each, in turn",
    .timed = true,
    .time = time_of,
    .guess = guess,
};
