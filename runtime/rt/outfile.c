/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOW_DESCRIPTORS = 64 /* that the program may expect to get in order */ };

/* Target of a stream. Separate from plussi_outfile: after a fork the stream of a file that the
 * child dropped still exists, and is flushed at its exit. */
struct plussi_sink {
    int fd; /* -1: none, nothing is written */
    dev_t dev;
    ino_t ino;
    bool named; /* a pipe or a device: written bytes remain */
    int error;
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

/* For fopencookie: 0 is an error. */
static ssize_t put_bytes(void *cookie, const char *bytes, size_t n)
{
    struct plussi_sink *sink = cookie;
    if (sink->fd < 0)
        return sink->error ? 0 : (ssize_t)n;
    sink->error = still_there(sink) ? write_quietly(sink->fd, bytes, n) : EBADF;
    if (!sink->error)
        return (ssize_t)n;
    let_go(sink); /* frees its disk space, too */
    return 0;
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
    char *name = NULL;
    return asprintf(&name, "%s.%ld.tmp", path, (long)getpid()) < 0 ? NULL : name;
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
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    int fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
    free(folder);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd;
    char *name = temporary_of(path); /* for file systems without O_TMPFILE */
    if (!name)
        return -1;
    fd = open_new(name);
    if (fd >= 0)
        unlink(name);
    free(name);
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
    free(name);
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
    char *real = exists ? realpath(record_path, NULL) : NULL;
    int room = asprintf(path, "%s%s", real && !*suffix ? real : record_path, suffix);
    free(real);
    if (room < 0) {
        *path = NULL;
        errno = ENOMEM;
        return -1;
    }
    return open_nameless(*path);
}

bool plussi_outfile_open(plussi_outfile *file, const char *record_path, const char *suffix)
{
    struct plussi_sink *sink = calloc(1, sizeof *sink);
    struct stat is;
    *file = (plussi_outfile){.sink = sink};
    int fd = sink ? move_up(open_target(record_path, suffix, &file->path)) : -1;
    if (fd >= 0 && fstat(fd, &is) == 0) {
        *sink = (struct plussi_sink){fd, is.st_dev, is.st_ino, file->path == NULL, 0};
        file->out = fopencookie(sink, "w", (cookie_io_functions_t){.write = put_bytes});
    }
    if (file->out)
        return true;
    int error = errno ? errno : ENOMEM;
    if (fd >= 0)
        close(fd);
    free(file->path);
    free(sink);
    *file = (plussi_outfile){.error = error};
    return false;
}

void plussi_outfile_put(plussi_outfile *file, const void *bytes, size_t n)
{
    if (n && file->out && !file->error && fwrite(bytes, 1, n, file->out) != n)
        file->error = file->sink->error ? file->sink->error : EIO;
}

int plussi_outfile_flush(plussi_outfile *file)
{
    if (file->out && !file->error && (fflush(file->out) != 0 || ferror(file->out)))
        file->error = file->sink->error ? file->sink->error : EIO;
    return file->error;
}

static void close_it(plussi_outfile *file)
{
    file->sink->error = file->sink->error ? file->sink->error : file->error;
    let_go(file->sink);
    fclose(file->out);
    free(file->sink);
    free(file->path);
    file->out = NULL;
    file->sink = NULL;
    file->path = NULL;
}

int plussi_outfile_finish(plussi_outfile *file)
{
    if (!file->out)
        return file->error;
    plussi_outfile_flush(file);
    if (!file->error && file->path)
        file->error = still_there(file->sink) ? publish_file(file->sink->fd, file->path) : EBADF;
    close_it(file);
    return file->error;
}

void plussi_outfile_drop(plussi_outfile *file)
{
    if (file->out)
        close_it(file);
    *file = (plussi_outfile){0};
}

void plussi_outfile_forget(plussi_outfile *file)
{
    /* the parent's buffer must not be written twice: closes the descriptor, keeps the stream */
    if (file->out)
        let_go(file->sink);
    *file = (plussi_outfile){0};
}

void plussi_outfile_stale(const char *record_path, const char *suffix, const char *magic)
{
    char *name = NULL, begin[16] = "";
    if (asprintf(&name, "%s%s", record_path, suffix) < 0)
        return;
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool is = fd >= 0 && read(fd, begin, sizeof begin - 1) > 0 &&
              strncmp(begin, magic, strlen(magic)) == 0;
    if (fd >= 0)
        close(fd);
    if (is)
        unlink(name);
    free(name);
}
