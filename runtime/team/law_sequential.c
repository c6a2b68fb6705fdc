/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Thread 0's phase, then thread 1's, and so on.
 */
#include "team/law.h"

static uint32_t choose_thread(plussi_clocks *c, uint64_t *run)
{
    (void)run; /* up to the limit */
    return c->team - c->n_running;
}

static void remove_thread(plussi_clocks *c)
{
    if (--c->n_running == 1)
        c->running[0] = c->team - 1;
}

const plussi_law plussi_law_sequential = {
    .name = "sequential",
    .syntax = "sequential",
    .summary = "one thread's phase after another's",
    .next = choose_thread,
    .leave = remove_thread,
};
