/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program under pluss run: started as the shell would, with PLUSS_RECORD set.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* Handed on to the program. Those that the terminal sends reach it without us: we only outlive
 * them, for the report. */
static const int handed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static const int ignored[] = {SIGINT, SIGQUIT};
enum {
    N_HANDED_ON = sizeof handed_on / sizeof *handed_on,
    N_IGNORED = sizeof ignored / sizeof *ignored
};

static volatile sig_atomic_t running; /* the program, for the handler */

static void hand_on(int signal)
{
    if (running > 0)
        kill((pid_t)running, signal);
}

/* Held back while there is no process yet to hand them on to. */
static void hold_signals(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < N_HANDED_ON; i++)
        sigaddset(&held, handed_on[i]);
    sigprocmask(SIG_BLOCK, &held, before);
}

static void watch_signals(struct sigaction *before)
{
    struct sigaction action = {.sa_handler = hand_on};
    for (int i = 0; i < N_HANDED_ON; i++)
        sigaction(handed_on[i], &action, &before[i]);
    action.sa_handler = SIG_IGN;
    for (int i = 0; i < N_IGNORED; i++)
        sigaction(ignored[i], &action, &before[N_HANDED_ON + i]);
}

static void restore_signals(const struct sigaction *before)
{
    for (int i = 0; i < N_HANDED_ON; i++)
        sigaction(handed_on[i], &before[i], NULL);
    for (int i = 0; i < N_IGNORED; i++)
        sigaction(ignored[i], &before[N_HANDED_ON + i], NULL);
}

/* 0: all is well; else errno. */
static int set_number(const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return setenv(name, text, 1) != 0 ? errno : 0;
}

static int set_tracing(const cli_options *options, const char *path)
{
    uint64_t team = options->team ? options->team : 1;
    int error = setenv("PLUSS_TRACE", path, 1) != 0 ||
                        setenv("PLUSS_TRACE_FORMAT", "packed", 1) != 0 ||
                        (options->function && setenv("PLUSS_TRACE_FUNCTION", options->function, 1))
                    ? errno
                    : 0;
    if (!error)
        error = set_number("OMP_NUM_THREADS", team);
    if (!error)
        error = set_number("RAYON_NUM_THREADS", team);
    if (!error && options->accesses)
        error = set_number("PLUSS_TRACE_ACCESSES", options->accesses);
    if (!error && options->valgrind &&
        (unsetenv("VALGRIND_OPTS") != 0 || setenv("VALGRIND_LAUNCHER", "/", 1) != 0 ||
         setenv("OMP_WAIT_POLICY", "passive", 0) != 0))
        error = errno;
    return error;
}

char *cli_beside_executable(const char *folder, const char *file)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return NULL;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    size_t room = strlen(self) + strlen(folder) + strlen(file) + 3;
    char *path = cli_alloc(room, 1);
    snprintf(path, room, "%s%s/%s", self, folder, file);
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

char *cli_find_beside(const char *const *folders, size_t n, const char *file)
{
    char *path = NULL;
    for (size_t i = 0; i < n && !path; i++)
        path = cli_beside_executable(folders[i], file);
    return path;
}

static char *find_access_tool(const cli_options *options)
{
    static const char *const folders[] = {"", "/../lib/pluss", "/../lib64/pluss"};
    char *path = cli_find_beside(folders, sizeof folders / sizeof *folders, "pluss-valgrind");
    if (!path)
        cli_error(options, "pluss-valgrind is neither beside this executable nor in ../lib/pluss; "
                           "it is built where valgrind and its headers are installed");
    return path;
}

/* The command under valgrind; only the list is the caller's. */
static char **put_under_valgrind(char *tool, char *const *argv)
{
    /* of threads that spin each has its turn */
    static const char *const before[] = {"--tool=pluss",     "-q", "--demangle=no", "--vgdb=no",
                                         "--fair-sched=try", "--"};
    enum { N = sizeof before / sizeof *before };
    size_t n = 0;
    while (argv[n])
        n++;
    char **all = cli_alloc(n + N + 2, sizeof *all);
    all[0] = tool;
    memcpy(all + 1, before, sizeof before);
    memcpy(all + 1 + N, argv, n * sizeof *all);
    return all;
}

/* In the child; comes back only with an error, which it writes to fd. */
static void become(const cli_options *options, char *const *argv, const char *path,
                   const struct sigaction *before, const sigset_t *mask, int fd)
{
    restore_signals(before);
    sigprocmask(SIG_SETMASK, mask, NULL);
    cli_restore_write_signals();
    int error = options->traces ? set_tracing(options, path) : 0;
    if (!options->traces && (path ? setenv("PLUSS_RECORD", path, 1) : unsetenv("PLUSS_RECORD")))
        error = errno;
    if (!error)
        error = cli_set_samplers(options);
    if (!error && cli_is_replayed(options) && setenv("PLUSS_INTERLEAVE", "tsc", 1) != 0)
        error = errno;
    bool time_stamps = cli_is_given(options, "progress", "recorded") || options->time_stamps;
    if (!error && time_stamps && setenv("PLUSS_STAMPS", "tsc", 1) != 0)
        error = errno;
    if (!error && options->pinned &&
        (setenv("OMP_PROC_BIND", "true", 1) != 0 || setenv("OMP_PLACES", "cores", 1) != 0))
        error = errno;
    if (!error && (options->silent || !path)) {
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
            (!path && dup2(nowhere, STDERR_FILENO) < 0))
            error = errno;
    }
    if (!error) {
        execvp(argv[0], argv);
        error = errno;
    }
    if (write(fd, &error, sizeof error) != (ssize_t)sizeof error)
        _exit(126);
    _exit(127);
}

/* errno of what kept the child from becoming the program; 0: nothing. */
static int await_start(int fd)
{
    int error = 0;
    ssize_t got;
    do
        got = read(fd, &error, sizeof error);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof error ? error : 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool spawn(const cli_options *options, char *const *argv, const char *path, int *status,
                  cli_cost *cost)
{
    int fd[2], error = 0;
    struct sigaction before[N_HANDED_ON + N_IGNORED];
    struct rusage used = {0};
    sigset_t mask;
    const double begun = now();
    fflush(stdout);
    if (pipe2(fd, O_CLOEXEC) != 0) {
        cli_error(options, "%s: cannot be started: %s", argv[0], strerror(errno));
        return false;
    }
    watch_signals(before);
    hold_signals(&mask);
    pid_t child = fork();
    if (child == 0)
        become(options, argv, path, before, &mask, fd[1]);
    if (child < 0)
        error = errno;
    running = (sig_atomic_t)child;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(fd[1]);
    if (!error)
        error = await_start(fd[0]);
    close(fd[0]);
    while (child > 0 && wait4(child, status, 0, &used) < 0 && errno == EINTR) {
    }
    if (cost)
        *cost = (cli_cost){now() - begun, 1024 * (uint64_t)used.ru_maxrss};
    running = 0;
    restore_signals(before);
    if (error)
        cli_error(options, "%s: cannot be started: %s", argv[0], strerror(error));
    return !error;
}

bool cli_spawn(const cli_options *options, char *const *argv, const char *path, int *status,
               cli_cost *cost)
{
    if (!options->valgrind)
        return spawn(options, argv, path, status, cost);
    char *tool = find_access_tool(options);
    if (!tool)
        return false;
    char **all = put_under_valgrind(tool, argv);
    bool began = spawn(options, all, path, status, cost);
    free(all);
    free(tool);
    return began;
}

char *cli_make_folder(const cli_options *options)
{
    const char *where = getenv("TMPDIR");
    char *folder = cli_text("%s/pluss-run-XXXXXX", where && *where ? where : "/tmp");
    if (mkdtemp(folder)) {
        cli_remember(folder);
        return folder;
    }
    cli_error(options, "%s: cannot be made: %s", folder, strerror(errno));
    free(folder);
    return NULL;
}

void cli_remove_folder(char *folder)
{
    rmdir(folder);
    cli_forget(folder);
    free(folder);
}

int cli_end_as(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    struct rlimit none = {0, 0};
    fflush(stdout);
    cli_remove_pending();
    setrlimit(RLIMIT_CORE, &none); /* the program has left one, if one is wanted */
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
