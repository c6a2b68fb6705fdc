/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/traced.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The format, as runtime/rt/trace.h writes it. */
enum { KIND_LINES = 1, KIND_RUN = 2, BLOCK_LINES = 1024, MAGIC = 16, MAX_LINE_BYTES = 4096 };
static const char magic[MAGIC] = "pluss-trace 1\n";

typedef struct head {
    uint32_t kind, n;
    uint32_t run, thread;
    uint64_t from, to;
} head;

typedef struct block {
    uint64_t from, to;
    uint64_t at; /* of its first line, bytes in the file */
    uint32_t run, n;
} block;

/* A block whose touches are being merged. */
typedef struct cursor {
    uint64_t time; /* of the touch at next */
    size_t number; /* of the block: the earlier one comes first */
    uint32_t next;
    uint64_t *line;
} cursor;

struct plussi_traced {
    plussi_ctx *ctx;
    FILE *in;
    const char *path;
    uint32_t line_bytes;
    block *block; /* by from, then as they stood */
    size_t n_blocks, cap_blocks;
    block *by_run; /* the same by run first */
    plussi_traced_run *run;
    size_t n_runs, cap_runs;
    /* what is being given */
    const block *list; /* block or by_run */
    size_t next, end;  /* blocks of the list that have not begun */
    cursor *heap;
    size_t n_heap, cap_heap;
    uint64_t **spare; /* room for lines that is not in use */
    size_t n_spare, cap_spare;
};

/* ---- opening ---------------------------------------------------------------------------------
 */

static pluss_status bad(const plussi_traced *t, uint64_t at, const char *what)
{
    plussi_loc loc = {.file = t->path};
    return plussi_fail(t->ctx, PLUSS_EFORMAT, &loc, "byte %llu: %s", (unsigned long long)at, what);
}

static pluss_status unreadable(const plussi_traced *t)
{
    plussi_loc loc = {.file = t->path};
    return plussi_fail(t->ctx, PLUSS_EIO, &loc, "cannot be read: %s", strerror(errno));
}

static pluss_status add_lines(plussi_traced *t, const head *h, uint64_t at, uint64_t length)
{
    if (h->n == 0 || h->n > BLOCK_LINES || h->from > h->to)
        return bad(t, at, "a block of lines with a number or times that cannot be");
    uint64_t bytes = (uint64_t)h->n * sizeof(uint64_t);
    if (length - at - sizeof *h < bytes)
        return bad(t, at, "the file ends within a block");
    pluss_status status =
        plussi_grow(&t->ctx->mem, &t->block, &t->cap_blocks, t->n_blocks, sizeof *t->block);
    if (!status)
        t->block[t->n_blocks++] = (block){h->from, h->to, at + sizeof *h, h->run, h->n};
    return status;
}

static pluss_status add_run(plussi_traced *t, const head *h, uint64_t at)
{
    if (h->thread == 0 || h->from > h->to)
        return bad(t, at, "a run with a team or times that cannot be");
    pluss_status status =
        plussi_grow(&t->ctx->mem, &t->run, &t->cap_runs, t->n_runs, sizeof *t->run);
    if (!status)
        t->run[t->n_runs++] = (plussi_traced_run){h->run, h->n, h->thread};
    return status;
}

static pluss_status read_heads(plussi_traced *t, uint64_t length)
{
    uint64_t at = MAGIC + 2 * sizeof(uint32_t);
    while (at < length) {
        head h;
        if (length - at < sizeof h)
            return bad(t, at, "the file ends within a block");
        if (fseeko(t->in, (off_t)at, SEEK_SET) != 0 || fread(&h, sizeof h, 1, t->in) != 1)
            return unreadable(t);
        pluss_status status;
        if (h.kind == KIND_LINES)
            status = add_lines(t, &h, at, length);
        else if (h.kind == KIND_RUN)
            status = add_run(t, &h, at);
        else
            status = bad(t, at, "found no block, expected one");
        if (status)
            return status;
        at += sizeof h + (h.kind == KIND_LINES ? (uint64_t)h.n * sizeof(uint64_t) : 0);
    }
    return PLUSS_OK;
}

static int by_time(const void *left, const void *right)
{
    const block *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int by_run_and_time(const void *left, const void *right)
{
    const block *a = left, *b = right;
    return a->run != b->run ? (a->run < b->run ? -1 : 1) : by_time(a, b);
}

static pluss_status sort(plussi_traced *t)
{
    t->by_run = plussi_alloc(&t->ctx->mem, t->n_blocks, sizeof *t->by_run);
    if (!t->by_run)
        return PLUSS_ENOMEM;
    if (t->n_blocks == 0)
        return PLUSS_OK;
    qsort(t->block, t->n_blocks, sizeof *t->block, by_time);
    memcpy(t->by_run, t->block, t->n_blocks * sizeof *t->block);
    qsort(t->by_run, t->n_blocks, sizeof *t->by_run, by_run_and_time);
    return PLUSS_OK;
}

static pluss_status read_all(plussi_traced *t)
{
    char start[MAGIC];
    uint32_t line[2];
    if (fseeko(t->in, 0, SEEK_END) != 0)
        return unreadable(t);
    off_t length = ftello(t->in);
    if (length < 0 || fseeko(t->in, 0, SEEK_SET) != 0)
        return unreadable(t);
    if ((uint64_t)length < sizeof start + sizeof line)
        return bad(t, (uint64_t)length, "the file ends, expected a trace");
    if (fread(start, sizeof start, 1, t->in) != 1 || fread(line, sizeof line, 1, t->in) != 1)
        return unreadable(t);
    if (memcmp(start, magic, MAGIC) != 0)
        return bad(t, 0, "no trace of version 1");
    if (line[0] == 0 || line[0] > MAX_LINE_BYTES || (line[0] & (line[0] - 1)))
        return bad(t, MAGIC, "a line is a power of two of bytes");
    t->line_bytes = line[0];
    pluss_status status = read_heads(t, (uint64_t)length);
    return status ? status : sort(t);
}

pluss_status plussi_traced_open(plussi_ctx *ctx, const char *path, plussi_traced **out)
{
    plussi_loc loc = {.file = path};
    plussi_traced *t = plussi_calloc(&ctx->mem, 1, sizeof *t);
    if (!t)
        return PLUSS_ENOMEM;
    t->ctx = ctx;
    t->path = path;
    t->in = fopen(path, "rbe");
    pluss_status status =
        t->in ? read_all(t)
              : plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be opened: %s", strerror(errno));
    t->path = NULL; /* the caller's */
    if (status)
        plussi_traced_free(t);
    else
        *out = t;
    return status;
}

static void drop_cursors(plussi_traced *t)
{
    for (size_t i = 0; i < t->n_heap; i++)
        plussi_free(&t->ctx->mem, t->heap[i].line);
    t->n_heap = 0;
}

void plussi_traced_free(plussi_traced *t)
{
    if (!t)
        return;
    plussi_mem mem = t->ctx->mem;
    drop_cursors(t);
    for (size_t i = 0; i < t->n_spare; i++)
        plussi_free(&mem, t->spare[i]);
    plussi_free(&mem, t->spare);
    plussi_free(&mem, t->heap);
    plussi_free(&mem, t->block);
    plussi_free(&mem, t->by_run);
    plussi_free(&mem, t->run);
    if (t->in)
        fclose(t->in);
    plussi_free(&mem, t);
}

uint32_t plussi_traced_line_bytes(const plussi_traced *t)
{
    return t->line_bytes;
}

size_t plussi_traced_runs(const plussi_traced *t, const plussi_traced_run **out)
{
    *out = t->run;
    return t->n_runs;
}

/* ---- merging ---------------------------------------------------------------------------------
 */

/* The middle of the part of the block's time that is touch i's. */
static uint64_t time_of(const block *b, uint32_t i)
{
    unsigned __int128 part = (unsigned __int128)(b->to - b->from) * (2 * (uint64_t)i + 1);
    return b->from + (uint64_t)(part / (2 * (uint64_t)b->n));
}

static bool before(const cursor *a, const cursor *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void sift_down(plussi_traced *t, size_t at)
{
    for (;;) {
        size_t least = at, child = 2 * at + 1;
        for (size_t i = child; i < child + 2 && i < t->n_heap; i++)
            least = before(&t->heap[i], &t->heap[least]) ? i : least;
        if (least == at)
            return;
        cursor moved = t->heap[at];
        t->heap[at] = t->heap[least];
        t->heap[least] = moved;
        at = least;
    }
}

static void sift_up(plussi_traced *t, size_t at)
{
    while (at > 0 && before(&t->heap[at], &t->heap[(at - 1) / 2])) {
        cursor moved = t->heap[at];
        t->heap[at] = t->heap[(at - 1) / 2];
        t->heap[(at - 1) / 2] = moved;
        at = (at - 1) / 2;
    }
}

static pluss_status take_room(plussi_traced *t, uint64_t **out)
{
    *out =
        t->n_spare ? t->spare[--t->n_spare] : plussi_alloc(&t->ctx->mem, BLOCK_LINES, sizeof **out);
    return *out ? PLUSS_OK : PLUSS_ENOMEM;
}

static pluss_status give_room(plussi_traced *t, uint64_t *room)
{
    pluss_status status =
        plussi_grow(&t->ctx->mem, &t->spare, &t->cap_spare, t->n_spare, sizeof(uint64_t *));
    if (status)
        plussi_free(&t->ctx->mem, room);
    else
        t->spare[t->n_spare++] = room;
    return status;
}

/* The next block begins: its lines are read. */
static pluss_status begin_block(plussi_traced *t)
{
    size_t number = t->next++;
    const block *b = &t->list[number];
    cursor c = {.time = time_of(b, 0), .number = number};
    pluss_status status =
        plussi_grow(&t->ctx->mem, &t->heap, &t->cap_heap, t->n_heap, sizeof *t->heap);
    if (!status)
        status = take_room(t, &c.line);
    if (status)
        return status;
    if (fseeko(t->in, (off_t)b->at, SEEK_SET) != 0 ||
        fread(c.line, sizeof *c.line, b->n, t->in) != b->n) {
        plussi_free(&t->ctx->mem, c.line);
        return plussi_fail(t->ctx, PLUSS_EIO, NULL, "the trace cannot be read any more");
    }
    t->heap[t->n_heap++] = c;
    sift_up(t, t->n_heap - 1);
    return PLUSS_OK;
}

/* How many blocks of by_run are of runs before this one. */
static size_t blocks_before(const plussi_traced *t, uint64_t run)
{
    size_t lo = 0, hi = t->n_blocks;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->by_run[mid].run < run)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void plussi_traced_begin(plussi_traced *t, uint32_t run)
{
    bool all = run == UINT32_MAX;
    drop_cursors(t);
    t->list = all ? t->block : t->by_run;
    t->next = all ? 0 : blocks_before(t, run);
    t->end = all ? t->n_blocks : blocks_before(t, (uint64_t)run + 1);
}

/* Starts the blocks that have begun by the time of the earliest touch. */
static pluss_status begin_blocks(plussi_traced *t)
{
    pluss_status status = PLUSS_OK;
    while (!status && t->next < t->end &&
           (t->n_heap == 0 || t->list[t->next].from <= t->heap[0].time))
        status = begin_block(t);
    return status;
}

pluss_status plussi_traced_next(plussi_traced *t, uint64_t *line, size_t cap, size_t *n)
{
    *n = 0;
    while (*n < cap) {
        pluss_status status = begin_blocks(t);
        if (status || t->n_heap == 0)
            return status;
        cursor *c = &t->heap[0];
        const block *b = &t->list[c->number];
        line[(*n)++] = c->line[c->next++];
        if (c->next < b->n) {
            c->time = time_of(b, c->next);
        } else {
            uint64_t *room = c->line;
            *c = t->heap[--t->n_heap];
            status = give_room(t, room);
            if (status)
                return status;
        }
        sift_down(t, 0);
    }
    return PLUSS_OK;
}
