/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss trace: a run of a program as a packed trace. libpluss-trace writes it into a pipe as it
 * will be in the file; valgrind's tool writes text, which is packed meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { MOST_ACCESSES = 100000000 };

typedef struct packing {
    const char *pipe;
    int fd; /* its end to read, which is open before the program begins */
    cli_output *out;
    bool is_text;
    bool any; /* events came */
    pluss_status status;
} packing;

static int write_packed(void *user, const char *data, size_t length)
{
    packing *p = user;
    return cli_output_write(p->out, data, length);
}

static void pack_text(packing *p)
{
    pluss_context *ctx = cli_context();
    p->status = pluss_trace_pack(ctx, p->pipe, NULL, write_packed, p);
    p->any = true;
    pluss_context_free(ctx);
}

/* Its last bytes are a block without any, and the number of events. */
static void copy_packed(packing *p)
{
    enum { END = 16 };
    static char bytes[END + (1 << 16)];
    size_t kept = 0;
    ssize_t n;
    while ((n = read(p->fd, bytes + END, sizeof bytes - END)) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0)
            continue;
        cli_output_write(p->out, bytes + END, (size_t)n);
        memmove(bytes, bytes + n, END); /* the latest END bytes of all */
        kept += (size_t)n;
    }
    for (int i = 8; i < END && kept > END; i++)
        p->any = p->any || bytes[i] != 0;
}

/* Takes what comes out of the pipe; where that fails, reads on, so that the program can end. */
static void *pack(void *user)
{
    packing *p = user;
    char rest[4096];
    struct pollfd bytes = {.fd = p->fd, .events = POLLIN};
    while (poll(&bytes, 1, -1) < 0 && errno == EINTR)
        continue;
    if (bytes.revents & POLLIN && p->is_text)
        pack_text(p);
    else if (bytes.revents & POLLIN)
        copy_packed(p);
    while (read(p->fd, rest, sizeof rest) > 0)
        continue;
    return NULL;
}

static bool copy_file(const char *from, cli_output *to)
{
    char text[4096];
    size_t n;
    FILE *in = fopen(from, "re");
    while (in && (n = fread(text, 1, sizeof text, in)) > 0)
        cli_output_write(to, text, n);
    bool ok = in && !ferror(in);
    if (in)
        fclose(in);
    return ok;
}

/* The exit status; both files are there, or as they were. */
static int put_in_place(cli_options *options, const char *objects, cli_output *beside,
                        const packing *p)
{
    int status = p->status ? cli_exit_status(p->status) : CLI_OK;
    if (!status && !copy_file(objects, beside)) {
        cli_error(options, "%s cannot be read", objects);
        status = CLI_INPUT;
    }
    if (!status)
        status = cli_output_close(options, beside, CLI_OK);
    return cli_output_close(options, options->report, status);
}

/* Waits for the packer. The library opens the pipe itself; where it comes to that after the program
 * has ended, its open waits for somebody who writes. */
static void await_packer(pthread_t packer, const char *pipe)
{
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_timedjoin_np(packer, NULL, &until) == 0)
            return;
        int fd = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0)
            close(fd);
    }
}

static int run_traced(cli_options *options, const char *pipe, const char *objects,
                      cli_output *beside)
{
    packing p = {.pipe = pipe, .out = options->report, .is_text = options->valgrind};
    p.fd = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    pthread_t packer;
    int ended = 0, hold = open(pipe, O_RDWR | O_CLOEXEC); /* until the program has ended */
    bool open = p.fd >= 0 && hold >= 0 && fcntl(p.fd, F_SETFL, 0) == 0;
    int error = open ? pthread_create(&packer, NULL, pack, &p) : errno;
    if (error) {
        cli_error(options, "%s: %s", pipe, strerror(error));
        return CLI_INPUT; /* which ends the command */
    }
    char **argv = cli_alloc(options->n_files + 1, sizeof *argv);
    memcpy(argv, options->file, options->n_files * sizeof *argv);
    bool began = cli_spawn(options, argv, pipe, &ended, NULL);
    free(argv);
    close(hold);
    await_packer(packer, pipe);
    close(p.fd);
    if (!began)
        return CLI_INPUT;
    struct stat file;
    bool whole = stat(objects, &file) == 0;
    if (!whole && !WIFEXITED(ended))
        return cli_end_as(ended);
    if (!whole || !p.any) {
        cli_error(
            options, "%s %s", options->file[0],
            whole && options->function
                ? "made no accesses in the function that is asked for; where the compiler put "
                  "it in line, it has none of its own: mark it noinline"
            : whole ? "made no accesses that are to be traced"
            : options->valgrind
                ? "left no trace"
                : "left no trace; was it compiled with -fsanitize=thread and linked with "
                  "libpluss-trace? Else --valgrind traces it");
        return CLI_NO;
    }
    int status = put_in_place(options, objects, beside, &p);
    return status ? status : cli_end_as(ended);
}

int cli_trace(cli_options *options)
{
    if (!options->output || strcmp(options->output, "-") == 0)
        return cli_usage(options, "--output FILE is missing: a trace is two files");
    char *folder = cli_make_folder(options);
    if (!folder)
        return CLI_INPUT;
    char *pipe = cli_text("%s/trace", folder), *objects = cli_text("%s.objects", pipe);
    char *name = cli_text("%s.objects", options->output);
    cli_output beside = {0};
    int status = CLI_INPUT;
    options->traces = true;
    if (!options->accesses)
        options->accesses = MOST_ACCESSES;
    cli_remember(pipe);
    cli_remember(objects);
    if (mkfifo(pipe, 0600) != 0)
        cli_error(options, "%s: cannot be made: %s", pipe, strerror(errno));
    else if (cli_output_open(options, name, &beside))
        status = run_traced(options, pipe, objects, &beside);
    cli_output_drop(&beside);
    unlink(pipe);
    unlink(objects);
    cli_forget(pipe);
    cli_forget(objects);
    free(pipe);
    free(objects);
    free(name);
    cli_remove_folder(folder);
    return status;
}
