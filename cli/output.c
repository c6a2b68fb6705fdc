/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files that the command writes. Each is opened before the work begins, so that a folder that
 * is not there is told then, written beside its place under another name, and put there when it is
 * whole. What is no regular file is written into, never replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* ---- files that are not yet in their places ---------------------------------------------------
 */

enum { MOST_PENDING = 16 };
static char *volatile pending[MOST_PENDING];
static pid_t owner;
static volatile sig_atomic_t interrupted;

void cli_remove_pending(void)
{
    if (getpid() != owner) /* a child's copy of the list */
        return;
    for (int i = MOST_PENDING; i-- > 0;) /* folders before what is in them */
        if (pending[i] && unlink(pending[i]) != 0)
            (void)rmdir(pending[i]);
}

/* The first Ctrl-C asks to come to an end, the second does not ask. */
static void on_signal(int number)
{
    if (number == SIGINT && !interrupted) {
        interrupted = 1;
        return;
    }
    cli_remove_pending();
    signal(number, SIG_DFL);
    raise(number);
}

static const int write_signals[] = {SIGPIPE, SIGXFSZ};

static void handle_write_signals(void (*how)(int))
{
    for (size_t i = 0; i < sizeof write_signals / sizeof *write_signals; i++)
        signal(write_signals[i], how);
}

void cli_ignore_write_signals(void)
{
    handle_write_signals(SIG_IGN);
}

void cli_restore_write_signals(void)
{
    handle_write_signals(SIG_DFL);
}

void cli_watch_signals(void)
{
    static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
    owner = getpid();
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
        if (sigaction(watched[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(watched[i], &action, NULL);
    }
}

bool cli_interrupted(void)
{
    return interrupted;
}

void cli_remember(char *path)
{
    for (int i = 0; i < MOST_PENDING; i++)
        if (!pending[i]) {
            pending[i] = path;
            return;
        }
}

void cli_forget(const char *path)
{
    for (int i = 0; i < MOST_PENDING; i++)
        if (pending[i] == path)
            pending[i] = NULL;
}

/* ---- opening ----------------------------------------------------------------------------------
 */

/* The descriptor that a path stands for, -1: none. */
static int descriptor_of(const char *path)
{
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    uint64_t number;
    if (strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0)
        return strcmp(path, "/dev/stdout") == 0 ? STDOUT_FILENO : STDERR_FILENO;
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++)
        if (strncmp(path, folder[i], strlen(folder[i])) == 0 &&
            cli_read_count(path + strlen(folder[i]), INT32_MAX, &number))
            return (int)number;
    return -1;
}

char *cli_place_of(const char *path)
{
    struct stat there, link;
    bool exists = stat(path, &there) == 0;
    if (exists ? !S_ISREG(there.st_mode) : lstat(path, &link) == 0)
        return NULL; /* a device, a pipe, a folder; a link that leads nowhere */
    char *place = exists ? realpath(path, NULL) : strdup(path);
    if (!place && errno == ENOMEM)
        cli_no_memory();
    return place;
}

char *cli_beside(const char *place, const char *name)
{
    const char *slash = strrchr(place, '/');
    int folder = slash ? (int)(slash - place) + 1 : 0;
    size_t room = (size_t)folder + strlen(name) + 1;
    char *path = cli_alloc(room, 1);
    snprintf(path, room, "%.*s%s", folder, place, name);
    return path;
}

/* As the file that it will replace, or as any new one. */
static void take_mode(int fd, const char *place)
{
    struct stat there;
    if (stat(place, &there) == 0) {
        (void)!fchown(fd, there.st_uid, there.st_gid);
        (void)fchmod(fd, there.st_mode & 07777);
    } else {
        mode_t mask = umask(0);
        (void)umask(mask);
        (void)fchmod(fd, 0666 & ~mask);
    }
}

/* -1 with errno: neither beside the place nor in it. */
static int open_file(const char *path, cli_output *out)
{
    int fd = descriptor_of(path);
    if (fd >= 0)
        return fcntl(fd, F_DUPFD_CLOEXEC, 0);
    out->place = cli_place_of(path);
    if (out->place) {
        out->fresh = cli_beside(out->place, ".pluss-XXXXXX");
        fd = mkostemp(out->fresh, O_CLOEXEC);
        if (fd >= 0) {
            cli_remember(out->fresh);
            take_mode(fd, out->place);
            return fd;
        }
        free(out->fresh);
        out->fresh = NULL;
        int why = errno;
        bool closed = why == EACCES || why == EPERM || why == EROFS; /* the folder, not the file */
        if (!closed || access(path, F_OK) != 0) {
            errno = why;
            return -1;
        }
    }
    return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
}

bool cli_output_open(const cli_options *options, const char *path, cli_output *out)
{
    *out = (cli_output){.stream = stdout, .name = "standard output"};
    if (!path || strcmp(path, "-") == 0)
        return true;
    out->name = path;
    int fd = open_file(path, out);
    out->stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out->stream)
        return true;
    cli_error(options, "%s: cannot be written: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    cli_output_drop(out);
    return false;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

static void note_error(cli_output *out)
{
    if (!out->error)
        out->error = errno ? errno : EIO;
}

int cli_output_write(void *output, const char *data, size_t length)
{
    cli_output *out = output;
    cli_clear_status();
    errno = 0;
    if (fwrite(data, 1, length, out->stream) != length)
        note_error(out);
    return out->error;
}

/* ---- closing ----------------------------------------------------------------------------------
 */

/* What is written in place may have been longer before. */
static void cut(cli_output *out)
{
    struct stat there;
    long end = ftell(out->stream);
    if (fstat(fileno(out->stream), &there) == 0 && S_ISREG(there.st_mode) && end >= 0 &&
        descriptor_of(out->name) < 0 && ftruncate(fileno(out->stream), end) != 0)
        note_error(out);
}

void cli_output_drop(cli_output *out)
{
    if (out->stream && out->stream != stdout)
        fclose(out->stream);
    if (out->fresh)
        unlink(out->fresh);
    cli_forget(out->fresh);
    free(out->fresh);
    free(out->place);
    *out = (cli_output){0};
}

int cli_output_close(const cli_options *options, cli_output *out, int status)
{
    const char *name = out->name;
    bool to_stdout = out->stream == stdout, wanted = status == CLI_OK || status == CLI_NO;
    errno = 0;
    if (fflush(out->stream) != 0)
        note_error(out);
    if (!to_stdout) {
        if (out->fresh && fsync(fileno(out->stream)) != 0 && errno != EINVAL)
            note_error(out);
        if (!out->fresh)
            cut(out);
        if (fclose(out->stream) != 0)
            note_error(out);
        out->stream = NULL;
    }
    if (out->fresh && wanted && !out->error) {
        if (rename(out->fresh, out->place) == 0) {
            cli_forget(out->fresh);
            free(out->fresh);
            out->fresh = NULL;
        } else {
            note_error(out);
        }
    }
    int error = out->error;
    cli_output_drop(out);
    if (!error)
        return status;
    cli_error(options, "%s: cannot be written: %s", name, strerror(error));
    if (to_stdout)
        clearerr(stdout); /* said once is enough */
    return CLI_INPUT;
}

int cli_write_report_to(pluss_context *ctx, const cli_options *options, const char *format,
                        cli_output *out, pluss_status made, pluss_report *report, int status)
{
    const pluss_write_options how = {.size = sizeof how, .table = options->table};
    pluss_status written = made;
    if (!made)
        written = pluss_report_write(ctx, report, format, &how, cli_output_write, out);
    pluss_report_free(report);
    return cli_output_close(options, out, written ? cli_exit_status(written) : status);
}

/* Text, coloured on a terminal that has colours, unless NO_COLOR is set (no-color.org). */
static const char *find_default_format(const cli_options *options)
{
    const char *without = getenv("NO_COLOR"), *terminal = getenv("TERM");
    const bool to_stdout = !options->output || strcmp(options->output, "-") == 0;
    return to_stdout && (!without || !*without) && terminal && strcmp(terminal, "dumb") != 0 &&
                   isatty(STDOUT_FILENO)
               ? "terminal"
               : "text";
}

int cli_write_report(pluss_context *ctx, const cli_options *options, pluss_status made,
                     pluss_report *report, int status)
{
    return cli_write_report_to(ctx, options,
                               options->format ? options->format : find_default_format(options),
                               options->report, made, report, status);
}
