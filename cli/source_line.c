/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines of the source that addresses in a program come from, as addr2line of the binutils tells.
 */
#include <ctype.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

extern char **environ;

enum { OUTPUT = 1 << 14 };

/* Up to OUTPUT - 1 bytes of what the command prints. false: it could not be run, or fails. */
static bool read_output(const char *const *argv, char *text)
{
    int ends[2], status = 0;
    size_t n = 0;
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0)
        return false;
    bool begun = posix_spawn_file_actions_init(&actions) == 0;
    if (begun) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        begun = posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)argv, environ) == 0;
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    for (ssize_t got = 1; begun && got > 0 && n<OUTPUT - 1; n += got> 0 ? (size_t)got : 0)
        got = read(ends[0], text + n, OUTPUT - 1 - n);
    close(ends[0]);
    text[n] = 0;
    return begun && waitpid(child, &status, 0) == child && status == 0;
}

/* Whether a frame "FILE:LINE" is in the user's source: not unknown, and not a library's whose
 * source is not there or is a cargo package's. */
static bool is_own(const char *frame)
{
    const char *colon = strrchr(frame, ':');
    if (!colon || !isdigit((unsigned char)colon[1]) || colon[1] == '0' ||
        strstr(frame, "/registry/src/"))
        return false;
    char *file = cli_text("%.*s", (int)(colon - frame), frame);
    bool is_there = access(file, R_OK) == 0;
    free(file);
    return is_there;
}

char *cli_source_line(const char *program, uint64_t address)
{
    char *text = cli_alloc(OUTPUT, 1), *line = NULL;
    char *number = cli_text("0x%" PRIx64, address - 1); /* a site is where the call returns to */
    char *file = cli_text("%s", program);
    const char *argv[] = {"addr2line", "-i", "-e", file, number, NULL};
    if (read_output(argv, text))
        for (char *next = NULL, *frame = strtok_r(text, "\n", &next); frame && !line;
             frame = strtok_r(NULL, "\n", &next)) {
            char *more = strstr(frame, " (discriminator");
            if (more)
                *more = 0;
            if (is_own(frame))
                line = cli_text("%s", frame);
        }
    free(file);
    free(number);
    free(text);
    return line;
}
