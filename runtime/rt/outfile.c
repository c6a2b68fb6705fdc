/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rt/own_memory.h"

enum { LOW_DESCRIPTORS = 64 /* that the program may expect to get in order */ };

/* Target of a file's bytes. */
struct plussi_sink {
    int fd; /* -1: none, nothing is written */
    dev_t dev;
    ino_t ino;
    size_t n; /* bytes that wait to be written */
    char bytes[1 << 14];
};

/* ---- writing without a signal ------------------------------------------------------------------
 *
 * Both signals go to the writing thread, which blocks them and consumes those that it has caused.
 */

static const int caused[] = {SIGXFSZ, SIGPIPE};
enum { N_CAUSED = sizeof caused / sizeof *caused };

/* Writes everything; 0 or an errno. */
static int write_quietly(int fd, const char *bytes, size_t n)
{
    sigset_t held, before, pending;
    int error = 0;
    sigemptyset(&held);
    for (int i = 0; i < N_CAUSED; i++)
        sigaddset(&held, caused[i]);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    while (n > 0 && !error) {
        ssize_t done = write(fd, bytes, n);
        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            error = done == 0 ? EIO : errno;
        }
    }
    for (int i = 0; error && i < N_CAUSED; i++) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, caused[i]);
        if (!sigismember(&pending, caused[i]))
            sigtimedwait(&one, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* The program may have closed the descriptor and reused its number. */
static bool still_there(const struct plussi_sink *sink)
{
    struct stat is;
    return fstat(sink->fd, &is) == 0 && is.st_dev == sink->dev && is.st_ino == sink->ino;
}

static void let_go(struct plussi_sink *sink)
{
    if (sink->fd >= 0 && still_there(sink))
        close(sink->fd);
    sink->fd = -1;
}

/* Writes; frees the disk space where that fails. */
static void write_through(plussi_outfile *file, const void *bytes, size_t n)
{
    struct plussi_sink *sink = file->sink;
    if (n == 0 || file->error)
        return;
    file->error = still_there(sink) ? write_quietly(sink->fd, bytes, n) : EBADF;
    if (file->error)
        let_go(sink);
}

static bool had_stderr;
__attribute__((constructor)) static void look_at_stderr(void)
{
    had_stderr = fcntl(STDERR_FILENO, F_GETFD) != -1;
}

void plussi_tell(const char *format, ...)
{
    char line[1024] = "pluss: ";
    size_t n = strlen(line);
    int error = errno;
    va_list args;
    va_start(args, format);
    int more = vsnprintf(line + n, sizeof line - n - 1, format, args);
    va_end(args);
    n += more < 0 ? 0 : (size_t)more < sizeof line - n - 2 ? (size_t)more : sizeof line - n - 2;
    line[n++] = '\n';
    if (had_stderr)
        write_quietly(STDERR_FILENO, line, n);
    errno = error;
}

/* ---- a file without a name ---------------------------------------------------------------------
 */

/* PATH.PID.tmp; the caller frees. NULL: out of memory. */
static char *temporary_of(const char *path)
{
    return plussi_print(&plussi_own, "%s.%ld.tmp", path, (long)getpid());
}

/* Creates a file of this name, which may be left from a killed process. */
static int open_new(const char *name)
{
    int fd = -1;
    for (int attempt = 0; attempt < 2 && fd < 0; attempt++) {
        fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && (errno != EEXIST || unlink(name) != 0))
            break;
    }
    return fd;
}

/* In the folder of `path`; -1: see errno. */
static int open_nameless(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash && slash != path ? (size_t)(slash - path) : 1;
    char *folder = plussi_strndup(&plussi_own, slash ? path : ".", length);
    int fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
    plussi_free(&plussi_own, folder);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd;
    char *name = temporary_of(path); /* for file systems without O_TMPFILE */
    if (!name)
        return -1;
    fd = open_new(name);
    if (fd >= 0)
        unlink(name);
    plussi_free(&plussi_own, name);
    return fd;
}

/* Moves it away from the program's descriptors. */
static int move_up(int fd)
{
    if (fd < 0)
        return fd;
    int up = fcntl(fd, F_DUPFD_CLOEXEC, LOW_DESCRIPTORS);
    if (up < 0)
        up = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    errno = error;
    return up;
}

static int copy_file(int from, int to)
{
    char bytes[1 << 14];
    off_t at = 0;
    for (;;) {
        ssize_t n = pread(from, bytes, sizeof bytes, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : 0;
        int error = write_quietly(to, bytes, (size_t)n);
        if (error)
            return error;
        at += n;
    }
}

/* Links it under a name. 0 or an errno, without a name. */
static int name_it(int fd, const char *name)
{
    char own[40];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    for (int attempt = 0; attempt < 2; attempt++) {
        if (linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
            return 0;
        if (errno != EEXIST || unlink(name) != 0)
            break;
    }
    int to = open_new(name), error = to < 0 ? errno : copy_file(fd, to);
    if (to >= 0 && close(to) != 0 && !error)
        error = errno;
    if (to >= 0 && error)
        unlink(name);
    return error;
}

static int publish_file(int fd, const char *path)
{
    char *name = temporary_of(path);
    if (!name)
        return ENOMEM;
    int error = name_it(fd, name);
    if (!error && rename(name, path) != 0) {
        error = errno;
        unlink(name);
    }
    plussi_free(&plussi_own, name);
    return error;
}

/* ---- an output file ----------------------------------------------------------------------------
 */

/* Opens the descriptor; *path: the name that it finally gets (NULL: it has one). */
static int open_target(const char *record_path, const char *suffix, char **path)
{
    struct stat there;
    bool exists = stat(record_path, &there) == 0;
    *path = NULL;
    if (exists && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (exists && !S_ISREG(there.st_mode)) {
        errno = EINVAL;
        return *suffix ? -1 : open(record_path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    }
    /* replaces the file that a symbolic link points to, not the link */
    char *room = exists && !*suffix ? plussi_alloc(&plussi_own, PATH_MAX, 1) : NULL;
    const char *real = room ? realpath(record_path, room) : NULL;
    *path = plussi_print(&plussi_own, "%s%s", real ? real : record_path, suffix);
    plussi_free(&plussi_own, room);
    if (!*path) {
        errno = ENOMEM;
        return -1;
    }
    return open_nameless(*path);
}

bool plussi_outfile_open(plussi_outfile *file, const char *record_path, const char *suffix)
{
    struct plussi_sink *sink = plussi_alloc(&plussi_own, 1, sizeof *sink);
    struct stat is;
    char *path = NULL;
    int fd = sink ? move_up(open_target(record_path, suffix, &path)) : -1;
    if (fd >= 0 && fstat(fd, &is) == 0) {
        sink->fd = fd;
        sink->dev = is.st_dev;
        sink->ino = is.st_ino;
        sink->n = 0;
        *file = (plussi_outfile){sink, path, 0};
        return true;
    }
    int error = errno ? errno : ENOMEM;
    if (fd >= 0)
        close(fd);
    plussi_free(&plussi_own, path);
    plussi_free(&plussi_own, sink);
    *file = (plussi_outfile){.error = error};
    return false;
}

void plussi_outfile_put(plussi_outfile *file, const void *bytes, size_t n)
{
    struct plussi_sink *sink = file->sink;
    if (!sink || n == 0)
        return;
    if (n > sizeof sink->bytes - sink->n)
        plussi_outfile_flush(file);
    if (n > sizeof sink->bytes) {
        write_through(file, bytes, n);
        return;
    }
    memcpy(sink->bytes + sink->n, bytes, n);
    sink->n += n;
}

int plussi_outfile_flush(plussi_outfile *file)
{
    if (file->sink) {
        write_through(file, file->sink->bytes, file->sink->n);
        file->sink->n = 0;
    }
    return file->error;
}

/* 0 is an error. */
static ssize_t put_text(void *cookie, const char *bytes, size_t n)
{
    plussi_outfile *file = cookie;
    plussi_outfile_put(file, bytes, n);
    return file->error ? 0 : (ssize_t)n;
}

FILE *plussi_outfile_text(plussi_outfile *file)
{
    return fopencookie(file, "w", (cookie_io_functions_t){.write = put_text});
}

static void close_it(plussi_outfile *file)
{
    let_go(file->sink);
    plussi_free(&plussi_own, file->sink);
    plussi_free(&plussi_own, file->path);
    file->sink = NULL;
    file->path = NULL;
}

int plussi_outfile_finish(plussi_outfile *file)
{
    if (!file->sink)
        return file->error;
    plussi_outfile_flush(file);
    if (!file->error && file->path)
        file->error = still_there(file->sink) ? publish_file(file->sink->fd, file->path) : EBADF;
    close_it(file);
    return file->error;
}

void plussi_outfile_drop(plussi_outfile *file)
{
    if (file->sink)
        close_it(file);
    *file = (plussi_outfile){0};
}

void plussi_outfile_stale(const char *record_path, const char *suffix, const char *magic)
{
    char begin[16] = "", *name = plussi_print(&plussi_own, "%s%s", record_path, suffix);
    if (!name)
        return;
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool is = fd >= 0 && read(fd, begin, sizeof begin - 1) > 0 &&
              strncmp(begin, magic, strlen(magic)) == 0;
    if (fd >= 0)
        close(fd);
    if (is)
        unlink(name);
    plussi_free(&plussi_own, name);
}
