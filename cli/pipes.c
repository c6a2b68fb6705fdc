/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files that can be read once: pipes. A trace is read more than once, so what comes through a pipe
 * is kept in a file without a name, which takes the pipe's place.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* A file without a name; -1: none, errno says why. */
static int make_file(void)
{
    const char *where = getenv("TMPDIR");
    char *path = cli_text("%s/pluss-pipe-XXXXXX", where && *where ? where : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

/* Whether all of it is copied; errno says why not. */
static bool copy_bytes(int from, int to)
{
    char block[1 << 16];
    uint64_t bytes = 0;
    ssize_t n;
    while ((n = read(from, block, sizeof block)) != 0) {
        if (n < 0 && errno == EINTR && !cli_interrupted())
            continue;
        if (n < 0)
            return false;
        for (ssize_t done = 0, some; done < n; done += some)
            if ((some = write(to, block + done, (size_t)(n - done))) < 0)
                return false;
        cli_show_pipe(bytes += (uint64_t)n);
    }
    cli_clear_status();
    return true;
}

/* The number of the open file that a path such as /dev/stdin or /dev/fd/63 is; -1: none. */
static int find_open_file(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    uint64_t fd;
    if (strcmp(path, "/dev/stdin") == 0)
        return STDIN_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0 &&
            cli_read_count(path + strlen(folders[i]), INT32_MAX, &fd))
            return (int)fd;
    return -1;
}

/* -1: go on. The name is kept where it is that of an open file. */
static int store_pipe(cli_options *options, const char **file)
{
    int from = open(*file, O_RDONLY | O_CLOEXEC), to = from < 0 ? -1 : make_file();
    bool stored = to >= 0 && copy_bytes(from, to);
    int fd = find_open_file(*file);
    if (stored && fd >= 0)
        stored = dup2(to, fd) >= 0;
    if (!stored)
        cli_error(options, "%s: what comes through it cannot be stored: %s", *file,
                  strerror(errno));
    if (from >= 0)
        close(from);
    if (to >= 0 && (!stored || fd >= 0))
        close(to);
    if (stored && fd < 0) { /* which stays open */
        options->stored = cli_grow(options->stored, options->n_stored, sizeof *options->stored);
        *file = options->stored[options->n_stored++] = cli_text("/dev/fd/%d", to);
    }
    return stored ? -1 : CLI_INPUT;
}

int cli_store_pipes(cli_options *options)
{
    struct stat info;
    int status = -1;
    for (size_t i = 0; i < options->n_files && status < 0; i++)
        if (stat(options->file[i], &info) == 0 && S_ISFIFO(info.st_mode))
            status = store_pipe(options, &options->file[i]);
    return status;
}
