/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One access each, in turn.
 */
#include <string.h>

#include "team/law.h"

static double time_of(plussi_clocks *c, int which, uint64_t phase, uint32_t k, uint64_t pos)
{
    (void)which, (void)phase;
    return (double)pos * c->team + k;
}

static double guess_position(plussi_clocks *c, uint64_t phase, uint32_t k, double time)
{
    (void)phase;
    return time > k ? (time - k) / c->team : 0;
}

/* The order of its times, without a search for the next. */
static void begin_order(plussi_clocks *c, uint64_t phase)
{
    (void)phase;
    c->at = UINT32_MAX;
}

static uint32_t choose_thread(plussi_clocks *c, uint64_t *run)
{
    *run = 1;
    c->at = c->at + 1 < c->n_running ? c->at + 1 : 0;
    return c->running[c->at];
}

static void remove_thread(plussi_clocks *c)
{
    c->n_running--;
    memmove(c->running + c->at, c->running + c->at + 1,
            (c->n_running - c->at) * sizeof *c->running);
    c->at--;
}

const plussi_law plussi_law_round_robin = {
    .name = "round-robin",
    .syntax = "round-robin",
    .summary = "one access each, in turn",
    .timed = true,
    .time = time_of,
    .guess = guess_position,
    .begin_order = begin_order,
    .next = choose_thread,
    .leave = remove_thread,
};
