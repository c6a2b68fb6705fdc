/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A line on stderr that shows how far a long computation is: only on a terminal, only when it takes
 * longer than a second.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { BAR = 30 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool shown;

/* ", 40 s left", ", 3 min left"; "" where it is too early to say. spent: seconds in this stage. */
static void tell_left(double done, double spent, char out[48])
{
    const double left = done > 0 ? spent * (1 - done) / done : 0;
    *out = '\0';
    if (done < 0.02 || spent < 2)
        return;
    if (left < 90)
        snprintf(out, 48, ", %.0f s left", left);
    else if (left < 90 * 60)
        snprintf(out, 48, ", %.0f min left", left / 60);
    else
        snprintf(out, 48, ", %.1f h left", left / 3600);
}

static void draw(const char *stage, double done, uint64_t steps, double spent)
{
    if (done < 0) {
        fprintf(stderr, "\r%s: %.1f million accesses, of how many is not known\033[K", stage,
                1e-6 * (double)steps);
    } else {
        char bar[BAR + 1], left[48];
        int filled = (int)(done * BAR + 0.5);
        memset(bar, ' ', BAR);
        memset(bar, '#', (size_t)(filled > BAR ? BAR : filled));
        bar[BAR] = '\0';
        tell_left(done, spent, left);
        fprintf(stderr, "\r%s: [%s] %3.0f %%%s\033[K", stage, bar, 100 * done, left);
    }
    fflush(stderr);
    shown = true;
}

/* Whether it is time to draw; *t: it is now. */
static bool is_due(double *t)
{
    static double start, latest;
    static int terminal = -1;
    *t = terminal ? now() : 0;
    if (terminal < 0) {
        terminal = isatty(STDERR_FILENO);
        start = latest = *t;
    }
    if (!terminal || cli_interrupted() || *t - start <= 1 || *t - latest <= 0.1)
        return false;
    latest = *t;
    return true;
}

static double part_begin, part_share = 1;

void cli_begin_part(double from, double part)
{
    part_begin = from;
    part_share = part;
}

int cli_show_status(void *user, const char *stage, double done, uint64_t steps)
{
    (void)user;
    static double began, before; /* when the stage did, which is this far */
    double t;
    const bool due = is_due(&t);
    if (part_share < 1)
        done = part_begin + part_share * (done > 0 ? done : 0);
    if (began == 0 || done < before)
        began = t;
    before = done;
    if (due)
        draw(stage, done, steps, t - began);
    return cli_interrupted();
}

void cli_show_pipe(uint64_t bytes)
{
    double t;
    if (!is_due(&t))
        return;
    fprintf(stderr, "\rread: %.1f MB out of a pipe, of how many is not known\033[K",
            1e-6 * (double)bytes);
    fflush(stderr);
    shown = true;
}

void cli_clear_status(void)
{
    if (shown)
        fprintf(stderr, "\r\033[K");
    shown = false;
}
