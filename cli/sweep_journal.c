/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The journal of a sweep, OUTPUT.cells: a line that says of which sweep, then a record for each
 * cell, as they were finished:
 *
 *     cell NUMBER LENGTH MISSING HASH
 *     LENGTH bytes, its rows
 *
 * Records are only ever appended, each with one call, so that after any end of the command there is
 * at most one that is not whole, the last.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "sweep.h"

enum { HEAD_MOST = 128 };

static uint64_t hash(const char *bytes, size_t length, uint64_t cell) /* FNV-1a */
{
    uint64_t h = 0xcbf29ce484222325u ^ cell;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return h;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int say_errno(const cli_options *options, const cli_journal *journal, const char *what)
{
    cli_error(options, "%s: %s: %s", journal->path ? journal->path : "temporary file", what,
              strerror(errno));
    return CLI_INPUT;
}

static void note(cli_journal *journal, uint64_t cell, uint64_t at, uint64_t length, bool incomplete)
{
    if (journal->entry[cell].at) /* twice: the same rows */
        return;
    journal->entry[cell] = (cli_journal_entry){at, length};
    journal->finished++;
    journal->incomplete += incomplete;
}

/* ---- reading -----------------------------------------------------------------------------------
 */

static void print_title(const pluss_sweep_info *sweep, char title[HEAD_MOST])
{
    snprintf(title, HEAD_MOST,
             "pluss sweep, journal 1, %" PRIu64 " cells, identity %016" PRIx64 "\n", sweep->cells,
             sweep->identity);
}

/* One record; false: there is none that is whole. */
static bool read_record(FILE *file, cli_journal *journal, char **rows, size_t *room)
{
    char head[HEAD_MOST];
    uint64_t cell, length, sum;
    int missing, used = 0;
    if (!fgets(head, sizeof head, file) ||
        sscanf(head, "cell %" SCNu64 " %" SCNu64 " %d %" SCNx64 "%n", &cell, &length, &missing,
               &sum, &used) != 4 ||
        head[used] != '\n' || cell >= journal->cells || length > INT32_MAX)
        return false;
    if (length > *room) {
        free(*rows);
        *rows = cli_alloc(length, 1);
        *room = length;
    }
    if (fread(*rows, 1, length, file) != length || hash(*rows, length, cell) != sum)
        return false;
    const uint64_t at = journal->end + (uint64_t)used + 1;
    note(journal, cell, at, length, missing != 0);
    journal->end = at + length;
    return true;
}

/* What is not whole at the end is cut off. -1: all is read. */
static int read_all(const cli_options *options, cli_journal *journal, const char *title)
{
    char line[HEAD_MOST], *rows = NULL;
    size_t room = 0;
    const int copy = dup(journal->fd);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "r");
    if (!file) {
        if (copy >= 0)
            close(copy);
        return say_errno(options, journal, "it cannot be read");
    }
    if (!fgets(line, sizeof line, file) || strcmp(line, title) != 0) {
        fclose(file);
        cli_error(options, "%s is the journal of another sweep, or of other files: remove it",
                  journal->path);
        return CLI_INPUT;
    }
    journal->end = strlen(title);
    while (read_record(file, journal, &rows, &room))
        ;
    const bool failed = ferror(file);
    fclose(file);
    free(rows);
    if (failed || ftruncate(journal->fd, (off_t)journal->end) != 0)
        return say_errno(options, journal, "it cannot be read");
    return -1;
}

/* ---- opening, writing --------------------------------------------------------------------------
 */

static bool write_all(int fd, struct iovec *part, int n)
{
    while (n) {
        ssize_t done = writev(fd, part, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        for (; n && (size_t)done >= part->iov_len; n--, part++)
            done -= (ssize_t)part->iov_len;
        if (n) {
            part->iov_base = (char *)part->iov_base + done;
            part->iov_len -= (size_t)done;
        }
    }
    return true;
}

static int open_nameless(void)
{
    const char *folder = getenv("TMPDIR");
    char *name = cli_text("%s/pluss-sweep-XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = mkstemp(name);
    if (fd >= 0)
        unlink(name);
    free(name);
    return fd;
}

int cli_journal_open(const cli_options *options, const char *path, bool resume,
                     const pluss_sweep_info *sweep, cli_journal *out)
{
    char title[HEAD_MOST];
    print_title(sweep, title);
    *out = (cli_journal){.fd = -1, .cells = sweep->cells, .synced = now()};
    out->entry = cli_alloc(sweep->cells, sizeof *out->entry);
    out->path = path ? cli_text("%s", path) : NULL;
    out->fd = path ? open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : open_nameless();
    if (out->fd < 0)
        return say_errno(options, out, "it cannot be written");
    if (flock(out->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        cli_error(options, "another sweep is writing %s", path);
        return CLI_INPUT;
    }
    off_t size = lseek(out->fd, 0, SEEK_END);
    if (size > 0 && (size_t)size <= strlen(title) && ftruncate(out->fd, 0) == 0)
        size = 0; /* it was ended before there was a cell */
    if (size > 0 && !resume) {
        cli_error(options,
                  "%s has cells of a sweep that was not finished: --resume goes on with it, "
                  "removing it begins anew",
                  path);
        return CLI_INPUT;
    }
    if (size > 0 && lseek(out->fd, 0, SEEK_SET) == 0)
        return read_all(options, out, title);
    struct iovec part = {title, strlen(title)};
    if (!write_all(out->fd, &part, 1))
        return say_errno(options, out, "it cannot be written");
    out->end = strlen(title);
    return -1;
}

bool cli_journal_add(const cli_options *options, cli_journal *journal, uint64_t cell,
                     bool incomplete, const char *rows, size_t length)
{
    char head[HEAD_MOST];
    const int n = snprintf(head, sizeof head, "cell %" PRIu64 " %zu %d %016" PRIx64 "\n", cell,
                           length, incomplete, hash(rows, length, cell));
    struct iovec part[] = {{head, (size_t)n}, {(char *)rows, length}};
    if (!write_all(journal->fd, part, 2)) {
        (void)say_errno(options, journal, "it cannot be written");
        return false;
    }
    note(journal, cell, journal->end + (uint64_t)n, length, incomplete);
    journal->end += (uint64_t)n + length;
    if (now() - journal->synced > 1) { /* what a failure of the machine costs */
        (void)fdatasync(journal->fd);
        journal->synced = now();
    }
    return true;
}

bool cli_journal_write(const cli_options *options, const cli_journal *journal, cli_output *out)
{
    char *rows = NULL;
    size_t room = 0;
    bool good = true;
    for (uint64_t i = 0; i < journal->cells && good; i++) {
        const cli_journal_entry *e = &journal->entry[i];
        if (e->length > room) {
            free(rows);
            rows = cli_alloc(e->length, 1);
            room = e->length;
        }
        good = pread(journal->fd, rows, e->length, (off_t)e->at) == (ssize_t)e->length;
        if (!good)
            (void)say_errno(options, journal, "it cannot be read");
        else
            (void)cli_output_write(out, rows, e->length); /* a failure is told when it is closed */
    }
    free(rows);
    return good;
}

void cli_journal_close(cli_journal *journal, bool finished)
{
    if (journal->fd >= 0) {
        const bool empty = journal->end && !journal->finished; /* and this sweep's */
        if ((finished || empty) && journal->path)
            unlink(journal->path);
        else
            (void)fdatasync(journal->fd);
        close(journal->fd);
    }
    free(journal->entry);
    free(journal->path);
    *journal = (cli_journal){.fd = -1};
}
