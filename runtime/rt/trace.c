/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt/outfile.h"
#include "rt/rt.h"

static plussi_outfile file;
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

static void start(void)
{
    char magic[16] = "pluss-trace 1\n";
    uint32_t line[2] = {PLUSS_RT_LINE_BYTES, 0};
    plussi_outfile_put(&file, magic, sizeof magic);
    plussi_outfile_put(&file, line, sizeof line);
}

bool plussi_trace_wanted(void)
{
    pthread_mutex_lock(&lock);
    bool wanted = plussi_outfile_wanted(&file, "PLUSS_INTERLEAVE", "tsc", start);
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
    plussi_outfile_put(&file, &t->head, sizeof t->head);
    plussi_outfile_put(&file, t->line, t->head.n * sizeof *t->line);
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
    plussi_outfile_put(&file, &head, sizeof head);
    pthread_mutex_unlock(&lock);
}

int plussi_trace_finish(void)
{
    pthread_mutex_lock(&lock);
    int error = plussi_outfile_finish(&file);
    pthread_mutex_unlock(&lock);
    return error;
}

void plussi_trace_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    plussi_outfile_forget(&file);
}
