/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt/rt.h"

static struct {
    bool asked;
    FILE *out;
    char *path, *temporary;
    int error; /* the first */
} file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t plussi_trace_now(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

static void put(const void *bytes, size_t n)
{
    if (file.out && !file.error && fwrite(bytes, 1, n, file.out) != n)
        file.error = errno ? errno : EIO;
}

static bool open_file(const char *record_path)
{
    size_t room = strlen(record_path) + 40;
    file.path = malloc(room);
    file.temporary = malloc(room);
    if (!file.path || !file.temporary)
        return false;
    snprintf(file.path, room, "%s.tsc", record_path);
    snprintf(file.temporary, room, "%s.tsc.%ld.tmp", record_path, (long)getpid());
    file.out = fopen(file.temporary, "w");
    if (!file.out)
        return false;
    char magic[16] = "pluss-trace 1\n";
    uint32_t line[2] = {PLUSS_RT_LINE_BYTES, 0};
    put(magic, sizeof magic);
    put(line, sizeof line);
    return true;
}

bool plussi_trace_wanted(const char *record_path)
{
    pthread_mutex_lock(&lock);
    if (!file.asked) {
        const char *how = getenv("PLUSS_INTERLEAVE");
        file.asked = true;
        if (record_path && *record_path && how && strcmp(how, "tsc") == 0)
            open_file(record_path);
    }
    bool wanted = file.out != NULL;
    pthread_mutex_unlock(&lock);
    return wanted;
}

plussi_trace *plussi_trace_new(uint32_t run, uint32_t thread)
{
    plussi_trace *t = malloc(sizeof *t);
    if (t)
        t->head = (plussi_trace_head){.kind = PLUSSI_TRACE_LINES, .run = run, .thread = thread};
    return t;
}

void plussi_trace_cut(plussi_trace *t)
{
    if (t->head.n == 0)
        return;
    t->head.to = plussi_trace_now();
    pthread_mutex_lock(&lock);
    put(&t->head, sizeof t->head);
    put(t->line, t->head.n * sizeof *t->line);
    pthread_mutex_unlock(&lock);
    t->head.n = 0;
}

void plussi_trace_line(plussi_trace *t, uint64_t line)
{
    if (t->head.n == 0)
        t->head.from = plussi_trace_now();
    t->line[t->head.n++] = line;
    if (t->head.n == PLUSSI_TRACE_BLOCK)
        plussi_trace_cut(t);
}

void plussi_trace_run(uint32_t run, uint32_t block, uint32_t team, uint64_t from, uint64_t to)
{
    plussi_trace_head head = {PLUSSI_TRACE_RUN, block, run, team, from, to};
    pthread_mutex_lock(&lock);
    put(&head, sizeof head);
    pthread_mutex_unlock(&lock);
}

static void close_file(void)
{
    if (file.out && fclose(file.out) != 0 && !file.error)
        file.error = errno;
    file.out = NULL;
}

int plussi_trace_finish(void)
{
    pthread_mutex_lock(&lock);
    if (file.out) {
        close_file();
        if (!file.error && rename(file.temporary, file.path) != 0)
            file.error = errno;
        if (file.error)
            unlink(file.temporary);
    }
    int error = file.error;
    pthread_mutex_unlock(&lock);
    return error;
}

void plussi_trace_forget(void)
{
    /* the parent's buffer must not be written twice: the descriptor goes, the stream stays */
    pthread_mutex_init(&lock, NULL);
    if (file.out)
        close(fileno(file.out));
    file.out = NULL;
    file.asked = false;
}
