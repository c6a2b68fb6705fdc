/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More threads than cores: thread k runs on core k mod cores, whose threads take turns of q
 * accesses; one that waits at the phase's barrier has no more turns. A core makes one access at a
 * tick of its Poisson clock, so that where its threads stand follows from its ticks.
 */
#include "model/clock_state.h"

static uint64_t slice_of(const plussi_clock_run *run)
{
    return (uint64_t)run->options->param;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void plussi_clock_slices_begin(plussi_clock_run *run, int which, uint64_t phase)
{
    for (uint32_t k = 0; k < run->team; k++)
        run->length[which][k] = plussi_engine_length(run->scan, k, phase);
}

/* Ticks of its core before access pos of thread k. */
static uint64_t tick_of(const plussi_clock_run *run, int which, uint32_t k, uint64_t pos)
{
    uint64_t round = pos / slice_of(run), tick = pos;
    for (uint32_t j = k % run->options->cores; j < run->team; j += run->options->cores)
        if (j != k)
            tick += at_most(run->length[which][j], times(slice_of(run), round + (j < k)));
    return tick;
}

/* Ticks of the core in its first so many rounds. */
static uint64_t ticks_of_rounds(const plussi_clock_run *run, int which, uint32_t core,
                                uint64_t rounds)
{
    uint64_t ticks = 0;
    for (uint32_t j = core; j < run->team; j += run->options->cores)
        ticks += at_most(run->length[which][j], times(slice_of(run), rounds));
    return ticks;
}

/* Accesses of thread k in its core's first so many ticks. */
static uint64_t made_by(const plussi_clock_run *run, int which, uint32_t k, uint64_t ticks)
{
    uint32_t core = k % run->options->cores;
    uint64_t q = slice_of(run), lo = 0, hi = ticks / q + 1;
    while (hi - lo > 1) { /* whole rounds by then */
        uint64_t mid = lo + (hi - lo) / 2;
        if (ticks_of_rounds(run, which, core, mid) <= ticks)
            lo = mid;
        else
            hi = mid;
    }
    uint64_t left = ticks - ticks_of_rounds(run, which, core, lo), done = times(q, lo);
    for (uint32_t j = core;; j += run->options->cores) {
        uint64_t length = run->length[which][j], before = at_most(length, done);
        uint64_t now = at_most(left, at_most(length - before, q));
        if (j == k)
            return before + now;
        left -= now;
    }
}

double plussi_clock_slice_time(plussi_clock_run *run, int which, uint32_t k, uint64_t pos)
{
    uint64_t tick = tick_of(run, which, k, pos);
    if (which == 0)
        run->thread[k].ticks = tick;
    return plussi_draw_gamma(&run->rng, (double)tick + 1);
}

uint64_t plussi_clock_slice_count(plussi_clock_run *run, uint32_t k, double time)
{
    uint32_t own = (uint32_t)run->spot.iv[0], core = k % run->options->cores;
    uint64_t ticks;
    if (core == own % run->options->cores) /* the access is a tick of this clock */
        ticks = run->thread[own].ticks;
    else if (k >= run->options->cores)
        ticks = run->thread[core].ticks; /* the core's first thread has drawn them */
    else
        ticks = plussi_draw_poisson(&run->rng, time);
    run->thread[k].ticks = ticks;
    return made_by(run, 0, k, ticks);
}

double plussi_clock_slice_before(plussi_clock_run *run, uint32_t k, uint64_t y, double now)
{
    uint64_t tick = tick_of(run, 0, k, y), all = run->thread[k].ticks;
    if (tick >= all)
        return now;
    return now * plussi_draw_beta(&run->rng, (double)tick + 1, (double)(all - tick));
}

/* Ticks of thread k's core by the time of the latest touch; it had made `from` accesses `since`. */
static uint64_t ticks_at(plussi_clock_run *run, int which, uint32_t k, uint64_t from, double since,
                         bool after, double now, double time)
{
    if (k % run->options->cores == run->source % run->options->cores)
        return tick_of(run, which, run->source, run->thread[run->source].pos) + 1;
    uint64_t tick = from ? tick_of(run, which, k, from - 1) + 1 : 0;
    if (after)
        return tick + plussi_draw_poisson(&run->rng, time - since);
    uint64_t left = run->thread[k].ticks > tick ? run->thread[k].ticks - tick : 0;
    double span = now - since;
    return tick + (span > 0 ? plussi_draw_binomial(&run->rng, left, (time - since) / span) : left);
}

uint64_t plussi_clock_slice_between(plussi_clock_run *run, int which, uint32_t k, uint64_t from,
                                    double since, uint64_t n, double now, double time)
{
    uint64_t ticks = ticks_at(run, which, k, from, since, n == UINT64_MAX, now, time);
    uint64_t done = made_by(run, which, k, ticks);
    return done < from ? from : at_most(done, n);
}
