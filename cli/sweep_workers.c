/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who evaluates the cells of a sweep: processes of this machine, each at the other end of a socket,
 * and ranks of MPI.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mpi/mpi_ranks.h"
#include "sweep.h"

#define NO_CELL UINT64_MAX /* given to a worker that is to end */

/* ---- in a worker -------------------------------------------------------------------------------
 */

static int give_up(void *user, const char *stage, double done, uint64_t steps)
{
    (void)user;
    (void)stage;
    (void)done;
    (void)steps;
    return cli_interrupted();
}

/* What cells that differ in caches or models alone have in common. */
enum { KEPT_BYTES = 32 << 20 };

static pluss_context *make_context(void)
{
    const pluss_context_options options = {
        .size = sizeof options, .ask = give_up, .kept_bytes = KEPT_BYTES};
    pluss_context *ctx = NULL;
    if (pluss_context_new(&options, &ctx))
        cli_no_memory();
    return ctx;
}

typedef struct text {
    char *bytes;
    size_t length, room;
} text;

static int put(void *user, const char *data, size_t length)
{
    text *t = user;
    if (t->length + length > t->room) {
        t->room = 2 * (t->length + length);
        t->bytes = realloc(t->bytes, t->room);
        if (!t->bytes)
            cli_no_memory();
    }
    memcpy(t->bytes + t->length, data, length);
    t->length += length;
    return 0;
}

/* The message and the rows, without the line of names. The caller frees the bytes. */
static text evaluate(pluss_context *ctx, const pluss_sweep *sweep, uint64_t cell)
{
    text t = {0};
    cli_cell_message message = {.cell = cell};
    pluss_report *report = NULL;
    pluss_status missing = PLUSS_OK;
    (void)put(&t, (const char *)&message, sizeof message);
    pluss_status status = pluss_sweep_report(ctx, sweep, cell, &missing, &report);
    if (!status)
        status = pluss_report_write(ctx, report, "csv", NULL, put, &t);
    pluss_report_free(report);
    pluss_context_clear(ctx);
    message.status = (int32_t)status;
    message.missing = (int32_t)missing;
    char *rows = t.bytes + sizeof message, *names = memchr(rows, '\n', t.length - sizeof message);
    const size_t head = names ? (size_t)(names - rows) + 1 : 0;
    memmove(rows, rows + head, t.length - sizeof message - head);
    t.length -= head;
    message.length = t.length - sizeof message;
    memcpy(t.bytes, &message, sizeof message);
    return t;
}

static bool write_whole(int fd, const void *data, size_t length)
{
    for (const char *at = data; length;) {
        ssize_t done = send(fd, at, length, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        length -= (size_t)done;
    }
    return true;
}

static bool read_whole(int fd, void *data, size_t length)
{
    for (char *at = data; length;) {
        ssize_t done = read(fd, at, length);
        if (done < 0 && errno == EINTR && !cli_interrupted())
            continue;
        if (done <= 0)
            return false;
        at += done;
        length -= (size_t)done;
    }
    return true;
}

static _Noreturn void work(const pluss_sweep *sweep, int fd)
{
    pluss_context *ctx = make_context();
    uint64_t cell;
    bool good = true;
    while (good && !cli_interrupted() && read_whole(fd, &cell, sizeof cell) && cell != NO_CELL) {
        text t = evaluate(ctx, sweep, cell);
        good = write_whole(fd, t.bytes, t.length);
        free(t.bytes);
    }
    _exit(0);
}

/* Sleeps a little, longer each time that nothing has come: MPI itself would spin. */
static void doze(long *nanoseconds)
{
    enum { LEAST = 20000, MOST = 2000000 };
    *nanoseconds = *nanoseconds ? *nanoseconds * 2 : LEAST;
    if (*nanoseconds > MOST)
        *nanoseconds = MOST;
    nanosleep(&(struct timespec){.tv_nsec = *nanoseconds}, NULL);
}

int cli_work_as_rank(const pluss_sweep *sweep, const pluss_mpi *ranks)
{
    pluss_context *ctx = make_context();
    uint64_t cell = 0;
    while (cell != NO_CELL) {
        int from;
        size_t bytes;
        for (long pause = 0; !ranks->probe(0, &from, &bytes);)
            doze(&pause);
        ranks->receive(0, &cell, sizeof cell);
        if (cell == NO_CELL)
            break;
        text t = evaluate(ctx, sweep, cell);
        ranks->send(0, t.bytes, t.length);
        free(t.bytes);
    }
    pluss_context_free(ctx);
    return CLI_OK;
}

/* ---- in the coordinator ------------------------------------------------------------------------
 */

static bool start_one(const cli_options *options, const pluss_sweep *sweep, cli_workers *workers)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        cli_error(options, "a worker cannot be started: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        for (size_t i = 0; i < workers->n; i++)
            close(workers->worker[i].fd);
        close(pair[0]);
        work(sweep, pair[1]);
    }
    close(pair[1]);
    if (pid < 0) {
        cli_error(options, "a worker cannot be started: %s", strerror(errno));
        close(pair[0]);
        return false;
    }
    workers->worker[workers->n++] = (cli_worker){.fd = pair[0], .pid = pid};
    workers->processes++;
    return true;
}

bool cli_workers_start(const cli_options *options, const pluss_sweep *sweep, size_t n,
                       cli_workers *out)
{
    *out = (cli_workers){.worker = cli_alloc(n, sizeof *out->worker)};
    while (out->n < n && start_one(options, sweep, out))
        ;
    return out->n > 0;
}

void cli_workers_add_ranks(cli_workers *workers, const pluss_mpi *ranks, int size)
{
    workers->ranks = ranks;
    for (int rank = 1; rank < size; rank++) {
        workers->worker = cli_grow(workers->worker, workers->n, sizeof *workers->worker);
        workers->worker[workers->n++] = (cli_worker){.fd = -1, .rank = rank};
    }
}

static void say_gone(const cli_options *options, const cli_worker *worker)
{
    if (!cli_interrupted())
        cli_error(options, "a worker (process %d) has ended", worker->pid);
}

bool cli_workers_give(const cli_options *options, cli_workers *workers, size_t worker,
                      uint64_t cell)
{
    cli_worker *w = &workers->worker[worker];
    if (w->rank)
        workers->ranks->send(w->rank, &cell, sizeof cell);
    else if (!write_whole(w->fd, &cell, sizeof cell)) {
        say_gone(options, w);
        return false;
    }
    w->given++;
    return true;
}

/* A process whose socket can be read; SIZE_MAX: none, for that long. */
static size_t poll_processes(const cli_workers *workers, int milliseconds)
{
    struct pollfd *fd = cli_alloc(workers->processes, sizeof *fd);
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < workers->processes; i++)
        fd[i] = (struct pollfd){.fd = workers->worker[i].fd, .events = POLLIN};
    if (poll(fd, workers->processes, milliseconds) > 0)
        for (size_t i = 0; i < workers->processes && found == SIZE_MAX; i++)
            if (fd[i].revents)
                found = i;
    free(fd);
    return found;
}

static cli_came read_process(const cli_options *options, cli_worker *worker,
                             cli_cell_message *message, char **rows)
{
    if (read_whole(worker->fd, message, sizeof *message)) {
        *rows = cli_alloc(message->length, 1);
        if (read_whole(worker->fd, *rows, message->length)) {
            worker->given--;
            return CLI_CAME_CELL;
        }
        free(*rows);
    }
    say_gone(options, worker);
    return CLI_CAME_END;
}

static cli_came read_rank(cli_workers *workers, int from, size_t bytes, size_t *worker,
                          cli_cell_message *message, char **rows)
{
    char *all = cli_alloc(bytes, 1);
    workers->ranks->receive(from, all, bytes);
    memcpy(message, all, sizeof *message);
    memmove(all, all + sizeof *message, bytes - sizeof *message);
    *rows = all;
    *worker = workers->processes + (size_t)from - 1;
    workers->worker[*worker].given--;
    return CLI_CAME_CELL;
}

cli_came cli_workers_wait(const cli_options *options, cli_workers *workers, size_t *worker,
                          cli_cell_message *message, char **rows)
{
    enum { TURN = 1 /* milliseconds that a message of a rank may wait */, LONG = 1000 };
    const int turns = workers->ranks ? LONG / TURN : 1;
    for (int i = 0; i < turns && !cli_interrupted(); i++) {
        int from;
        size_t bytes;
        if (workers->ranks && workers->ranks->probe(-1, &from, &bytes))
            return read_rank(workers, from, bytes, worker, message, rows);
        *worker = poll_processes(workers, workers->ranks ? TURN : LONG);
        if (*worker != SIZE_MAX)
            return read_process(options, &workers->worker[*worker], message, rows);
    }
    return CLI_CAME_NOTHING;
}

void cli_workers_end(cli_workers *workers, bool at_once)
{
    const uint64_t none = NO_CELL;
    for (size_t i = 0; i < workers->n; i++) {
        cli_worker *w = &workers->worker[i];
        if (w->rank) {
            workers->ranks->send(w->rank, &none, sizeof none);
            continue;
        }
        if (at_once)
            kill(w->pid, SIGKILL);
        (void)write_whole(w->fd, &none, sizeof none);
        close(w->fd);
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    free(workers->worker);
    *workers = (cli_workers){0};
}
