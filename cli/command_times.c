/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processor time of two commands, in turn.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

enum { RUNS = 5 };

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

/* Of one run by the shell, whose output is not wanted. false: it fails, which is said. */
static bool run_once(const cli_options *options, const char *command, double *seconds)
{
    struct rusage used;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        cli_restore_write_signals();
        if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0)
            execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && wait4(child, &status, 0, &used) < 0)
        if (errno != EINTR) {
            child = -1;
            break;
        }
    if (child < 0) {
        cli_error(options, "%s: cannot be started: %s", command, strerror(errno));
        return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        cli_error(options, "%s: fails (%s %d)", command, WIFEXITED(status) ? "status" : "signal",
                  WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        return false;
    }
    *seconds = seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime);
    return true;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int cli_time_commands(const cli_options *options, double median[2], uint32_t *runs)
{
    double seconds[2][RUNS];
    for (int run = 0; run < RUNS; run++)
        for (int which = 0; which < 2; which++) {
            if (cli_interrupted() ||
                !run_once(options, which ? options->then : options->now, &seconds[which][run]))
                return CLI_INPUT;
        }
    for (int which = 0; which < 2; which++) {
        qsort(seconds[which], RUNS, sizeof(double), ascending);
        median[which] = seconds[which][RUNS / 2];
    }
    *runs = RUNS;
    return -1;
}
