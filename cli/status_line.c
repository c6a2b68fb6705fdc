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

static void draw(const char *stage, double done, uint64_t steps)
{
    if (done < 0) {
        fprintf(stderr, "\r%s: %.1f million accesses\033[K", stage, 1e-6 * (double)steps);
    } else {
        char bar[BAR + 1];
        int filled = (int)(done * BAR + 0.5);
        memset(bar, ' ', BAR);
        memset(bar, '#', (size_t)(filled > BAR ? BAR : filled));
        bar[BAR] = '\0';
        fprintf(stderr, "\r%s: [%s] %3.0f %%\033[K", stage, bar, 100 * done);
    }
    fflush(stderr);
    shown = true;
}

int cli_show_status(void *user, const char *stage, double done, uint64_t steps)
{
    (void)user;
    static double start, last;
    static int terminal = -1;
    if (terminal < 0) {
        terminal = isatty(STDERR_FILENO);
        start = last = now();
    }
    if (!terminal || cli_interrupted())
        return cli_interrupted();
    double t = now();
    if (t - start > 1 && t - last > 0.1) {
        last = t;
        draw(stage, done, steps);
    }
    return 0;
}

void cli_clear_status(void)
{
    if (shown)
        fprintf(stderr, "\r\033[K");
    shown = false;
}
