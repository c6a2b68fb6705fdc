/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The wall clock of runs: three readings a run, none where nothing begins or ends.
 *
 * A run's time is its own: that of a run inside of it is the inner one's alone. Where runs are open
 * at the same time (regions begun by different threads) each has its time, and the serial part is
 * what is left without any. What this library spends on adding up a run or in a sampler is
 * nobody's. Runs of what is outside of regions have no time.
 */
#include "rt/run_state.h"

static uint64_t without(uint64_t time, uint64_t part)
{
    return time > part ? time - part : 0;
}

void plussi_run_clock_restart(void)
{
    plussi_runs.clock = (struct plussi_run_clock){.start = plussi_nanoseconds()};
    plussi_runs.clock.busy = plussi_runs.clock.start;
}

__attribute__((constructor)) static void start_clock(void)
{
    plussi_run_clock_restart();
}

static bool is_region_open(void)
{
    const pluss_rt_run *run = plussi_runs.open;
    while (run && run->serial)
        run = run->next;
    return run;
}

void plussi_run_clock_begin(pluss_rt_run *run)
{
    if (run->serial)
        return;
    run->start = plussi_nanoseconds();
    if (!is_region_open())
        plussi_runs.clock.busy = run->start;
}

/* Time in which the run that it began in did nothing of its own. */
static void take_from_outer(const pluss_rt_run *run, uint64_t time)
{
    for (pluss_rt_run *outer = plussi_runs.open; outer; outer = outer->next)
        if (outer == run->outer) /* it may have been left by a jump */
            outer->apart += time;
}

uint64_t plussi_run_clock_end(pluss_rt_run *run)
{
    struct plussi_run_clock *c = &plussi_runs.clock;
    const uint64_t now = plussi_nanoseconds(), all = without(now, run->start);
    if (run->serial)
        return now;
    run->took = without(all, run->apart);
    take_from_outer(run, all);
    if (!is_region_open())
        c->in_regions += without(now, c->busy);
    return now;
}

/* Time of the library. */
static void set_apart(uint64_t spent)
{
    plussi_runs.clock.apart += spent;
    plussi_runs.clock.apart_busy += is_region_open() ? spent : 0;
}

void plussi_run_clock_added(const pluss_rt_run *run, uint64_t since)
{
    const uint64_t spent = without(plussi_nanoseconds(), since);
    take_from_outer(run, spent);
    set_apart(spent);
}

void plussi_run_clock_sampled(pluss_rt_run *run, uint64_t since)
{
    const uint64_t spent = without(plussi_nanoseconds(), since);
    run->apart += spent;
    set_apart(spent);
}

void plussi_run_clock_total(plussi_sums *sums)
{
    const struct plussi_run_clock *c = &plussi_runs.clock;
    const uint64_t now = plussi_nanoseconds();
    const uint64_t busy = c->in_regions + (is_region_open() ? without(now, c->busy) : 0);
    sums->took = without(without(now, c->start), c->apart);
    sums->took_serial = without(sums->took, without(busy, c->apart_busy));
}
