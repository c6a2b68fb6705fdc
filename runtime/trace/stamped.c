/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stamped.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The format, as runtime/rt/stamps.h writes it. */
enum { KIND_TIMES = 1, KIND_CHUNKS, KIND_STOPS, KIND_RUN, KIND_CLOCK };
enum { MAGIC = 16, NO_LOOP = (1 << 24) - 1 };
static const char magic[MAGIC] = "pluss-stamps 1\n";

typedef struct head {
    uint32_t kind, n;
    uint32_t run, thread;
    uint64_t from, to;
} head;

typedef struct item {
    uint64_t time, begun;
    uint32_t kind_loop, execution;
} item;

typedef struct chunk {
    uint32_t loop, execution;
    uint64_t lo, hi;
} chunk;

/* plussi_stop_place is as it lies in the file. */

typedef struct block {
    uint32_t kind, n, run, thread;
    uint64_t at; /* of its first entry, bytes in the file */
} block;

/* Blocks [first, end) are the run's. */
typedef struct part {
    size_t first, end;
    uint64_t from; /* ticks */
} part;

struct plussi_stamped {
    plussi_ctx *ctx;
    FILE *in;
    char *path;
    double tick; /* ns */
    block *block;
    size_t n_blocks, cap_blocks;
    plussi_stamped_run *run;
    part *part; /* by run */
    size_t n_runs, cap_runs, cap_parts;
    plussi_arena arena; /* what was loaded */
    plussi_stamped_run loaded;
};

/* ---- opening ---------------------------------------------------------------------------------
 */

static pluss_status bad(const plussi_stamped *s, uint64_t at, const char *what)
{
    plussi_loc loc = {.file = s->path};
    return plussi_fail(s->ctx, PLUSS_EFORMAT, &loc, "byte %llu: %s", (unsigned long long)at, what);
}

static pluss_status unreadable(const plussi_stamped *s)
{
    plussi_loc loc = {.file = s->path};
    return plussi_fail(s->ctx, PLUSS_EIO, &loc, "cannot be read: %s", strerror(errno));
}

/* What a block's entries take. */
static uint64_t bytes_of(const head *h)
{
    switch (h->kind) {
    case KIND_TIMES:
        return (uint64_t)h->n * sizeof(item);
    case KIND_CHUNKS:
        return (uint64_t)h->n * sizeof(chunk);
    case KIND_STOPS:
        return (uint64_t)h->n *
               (sizeof(uint64_t) + (uint64_t)h->thread * sizeof(plussi_stop_place));
    default:
        return 0;
    }
}

static pluss_status add_block(plussi_stamped *s, const head *h, uint64_t at, uint64_t length)
{
    if (h->n == 0 || h->from > h->to)
        return bad(s, at, "a block with a number or times that cannot be");
    if (h->kind == KIND_STOPS && (h->thread == 0 || h->thread > PLUSSI_MAX_TEAM))
        return bad(s, at, "stops of a team that cannot be");
    if (length - at - sizeof *h < bytes_of(h))
        return bad(s, at, "the file ends within a block");
    pluss_status status =
        plussi_grow(&s->ctx->mem, &s->block, &s->cap_blocks, s->n_blocks, sizeof *s->block);
    if (!status)
        s->block[s->n_blocks++] = (block){h->kind, h->n, h->run, h->thread, at + sizeof *h};
    return status;
}

/* The run that the blocks since the last one are of. */
static pluss_status add_run(plussi_stamped *s, const head *h, uint64_t at)
{
    size_t first = s->n_runs ? s->part[s->n_runs - 1].end : 0;
    if (h->thread == 0 || h->thread > PLUSSI_MAX_TEAM || h->from > h->to)
        return bad(s, at, "a run with a team or times that cannot be");
    for (size_t i = first; i < s->n_blocks; i++) {
        const block *b = &s->block[i];
        if (b->run != h->run)
            return bad(s, b->at - sizeof *h, "a block of another run than the one that ends next");
        if (b->kind == KIND_STOPS ? b->thread != h->thread : b->thread >= h->thread)
            return bad(s, b->at - sizeof *h, "a block of a thread that its run does not have");
    }
    pluss_status status =
        plussi_grow(&s->ctx->mem, &s->run, &s->cap_runs, s->n_runs, sizeof *s->run);
    if (!status)
        status = plussi_grow(&s->ctx->mem, &s->part, &s->cap_parts, s->n_runs, sizeof *s->part);
    if (status)
        return status;
    /* begin and end are ticks until all are known */
    s->run[s->n_runs] = (plussi_stamped_run){
        .number = h->run, .block = h->n, .team = h->thread, .end = (double)(h->to - h->from)};
    s->part[s->n_runs++] = (part){first, s->n_blocks, h->from};
    return PLUSS_OK;
}

static pluss_status set_clock(plussi_stamped *s, const head *h, uint64_t at)
{
    uint64_t ns = (uint64_t)h->thread << 32 | h->run, first = UINT64_MAX;
    size_t end = s->n_runs ? s->part[s->n_runs - 1].end : 0;
    if (ns == 0 || h->from >= h->to)
        return bad(s, at, "a clock that stands still");
    if (end < s->n_blocks)
        return bad(s, s->block[end].at - sizeof *h, "a block of a run that does not end");
    s->tick = (double)ns / (double)(h->to - h->from);
    for (size_t i = 0; i < s->n_runs; i++)
        if (s->part[i].from < first)
            first = s->part[i].from;
    for (size_t i = 0; i < s->n_runs; i++) {
        s->run[i].begin = (double)(s->part[i].from - first) * s->tick;
        s->run[i].end = s->run[i].begin + s->run[i].end * s->tick;
    }
    return PLUSS_OK;
}

static pluss_status read_heads(plussi_stamped *s, uint64_t length)
{
    for (uint64_t at = MAGIC; at < length;) {
        head h;
        pluss_status status;
        if (length - at < sizeof h)
            return bad(s, at, "the file ends within a block");
        if (s->tick > 0)
            return bad(s, at, "a block behind the clock, which is the last");
        if (fseeko(s->in, (off_t)at, SEEK_SET) != 0 || fread(&h, sizeof h, 1, s->in) != 1)
            return unreadable(s);
        if (h.kind == KIND_TIMES || h.kind == KIND_CHUNKS || h.kind == KIND_STOPS)
            status = add_block(s, &h, at, length);
        else if (h.kind == KIND_RUN)
            status = add_run(s, &h, at);
        else if (h.kind == KIND_CLOCK)
            status = set_clock(s, &h, at);
        else
            status = bad(s, at, "found no block, expected one");
        if (status)
            return status;
        at += sizeof h + bytes_of(&h);
    }
    return s->tick > 0 ? PLUSS_OK : bad(s, length, "the file ends, expected its clock");
}

static pluss_status read_all(plussi_stamped *s)
{
    char start[MAGIC];
    if (fseeko(s->in, 0, SEEK_END) != 0)
        return unreadable(s);
    off_t length = ftello(s->in);
    if (length < 0 || fseeko(s->in, 0, SEEK_SET) != 0)
        return unreadable(s);
    if ((uint64_t)length < sizeof start)
        return bad(s, (uint64_t)length, "the file ends, expected time stamps");
    if (fread(start, sizeof start, 1, s->in) != 1)
        return unreadable(s);
    if (memcmp(start, magic, MAGIC) != 0)
        return bad(s, 0, "no time stamps of version 1");
    return read_heads(s, (uint64_t)length);
}

pluss_status plussi_stamped_open(plussi_ctx *ctx, const char *path, plussi_stamped **out)
{
    plussi_loc loc = {.file = path};
    plussi_stamped *s = plussi_calloc(&ctx->mem, 1, sizeof *s);
    if (!s)
        return PLUSS_ENOMEM;
    s->ctx = ctx;
    plussi_arena_init(&s->arena, &ctx->mem);
    s->path = plussi_strndup(&ctx->mem, path, strlen(path));
    pluss_status status = PLUSS_ENOMEM;
    if (s->path) {
        s->in = fopen(path, "rbe");
        status = s->in ? read_all(s)
                       : plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be opened: %s", strerror(errno));
    }
    if (status)
        plussi_stamped_free(s);
    else
        *out = s;
    return status;
}

void plussi_stamped_free(plussi_stamped *s)
{
    if (!s)
        return;
    plussi_mem mem = s->ctx->mem;
    plussi_arena_free(&s->arena);
    plussi_free(&mem, s->block);
    plussi_free(&mem, s->run);
    plussi_free(&mem, s->part);
    plussi_free(&mem, s->path);
    if (s->in)
        fclose(s->in);
    plussi_free(&mem, s);
}

size_t plussi_stamped_runs(const plussi_stamped *s, const plussi_stamped_run **out)
{
    *out = s->run;
    return s->n_runs;
}

/* ---- loading a run ----------------------------------------------------------------------------
 */

typedef struct loader {
    plussi_stamped *s;
    const part *part;
    uint64_t at, next; /* bytes: of the entry that is looked at, and behind it */
} loader;

/* To the block's first entry. */
static pluss_status enter(loader *l, const block *b)
{
    l->next = b->at;
    return fseeko(l->s->in, (off_t)b->at, SEEK_SET) == 0 ? PLUSS_OK : unreadable(l->s);
}

static pluss_status take(loader *l, void *to, size_t size)
{
    l->at = l->next;
    l->next += size;
    return fread(to, size, 1, l->s->in) == 1 ? PLUSS_OK : unreadable(l->s);
}

static double time_of(const loader *l, uint64_t ticks)
{
    return (double)(ticks - l->part->from) * l->s->tick;
}

/* Where a thread can come from where it is. */
static bool follows(const plussi_stamp *was, const plussi_stamp *is)
{
    bool in_loop = was && (was->kind == PLUSSI_STAMP_LOOP || was->kind == PLUSSI_STAMP_ITER);
    bool same = in_loop && was->loop == is->loop && was->execution == is->execution;
    switch (is->kind) {
    case PLUSSI_STAMP_ITER:
        return same && is->begun > was->begun;
    case PLUSSI_STAMP_DONE:
        return same && is->begun >= was->begun;
    case PLUSSI_STAMP_LOOP:
        return !in_loop && is->begun == 0;
    case PLUSSI_STAMP_GO:
        return was && was->kind == PLUSSI_STAMP_BARRIER;
    case PLUSSI_STAMP_BARRIER:
        return !in_loop && was && was->kind != PLUSSI_STAMP_BARRIER;
    default:
        return !in_loop;
    }
}

static pluss_status read_stamp(loader *l, const item *from, const plussi_stamp *was,
                               uint64_t earliest, plussi_stamp *to)
{
    uint32_t loop = from->kind_loop & NO_LOOP;
    *to = (plussi_stamp){.time = time_of(l, from->time),
                         .begun = from->begun,
                         .kind = (plussi_stamp_kind)(from->kind_loop >> 24),
                         .loop = loop == NO_LOOP ? PLUSSI_STAMP_NO_LOOP : loop,
                         .execution = from->execution};
    bool of_loop = to->kind == PLUSSI_STAMP_LOOP || to->kind == PLUSSI_STAMP_ITER ||
                   to->kind == PLUSSI_STAMP_DONE;
    if (from->kind_loop >> 24 >= PLUSSI_STAMP_KINDS)
        return bad(l->s, l->at, "a stamp of a kind that there is not");
    if (of_loop == (loop == NO_LOOP))
        return bad(l->s, l->at, "a stamp with a loop where there is none, or without one");
    if (from->time < earliest)
        return bad(l->s, l->at, "a stamp that is earlier than the one before it");
    if (!follows(was, to))
        return bad(l->s, l->at, "a stamp that cannot come behind the one before it");
    return PLUSS_OK;
}

static size_t entries(const loader *l, uint32_t kind, uint32_t thread)
{
    size_t n = 0;
    for (size_t i = l->part->first; i < l->part->end; i++) {
        const block *b = &l->s->block[i];
        n += b->kind == kind && (kind != KIND_TIMES || b->thread == thread) ? b->n : 0;
    }
    return n;
}

static pluss_status load_thread(loader *l, uint32_t k, plussi_stamped_thread *out)
{
    plussi_stamp *stamp =
        plussi_arena_alloc(&l->s->arena, entries(l, KIND_TIMES, k) + 1, sizeof *stamp);
    if (!stamp)
        return PLUSS_ENOMEM;
    uint64_t earliest = l->part->from;
    size_t n = 0;
    for (size_t i = l->part->first; i < l->part->end; i++) {
        const block *b = &l->s->block[i];
        if (b->kind != KIND_TIMES || b->thread != k)
            continue;
        pluss_status status = enter(l, b);
        for (uint32_t j = 0; !status && j < b->n; j++) {
            item one = {0};
            status = take(l, &one, sizeof one);
            if (!status)
                status = read_stamp(l, &one, n ? &stamp[n - 1] : NULL, earliest, &stamp[n]);
            earliest = one.time;
            n++;
        }
        if (status)
            return status;
    }
    *out = (plussi_stamped_thread){n, stamp};
    return PLUSS_OK;
}

static pluss_status load_chunks(loader *l)
{
    plussi_stamped_run *run = &l->s->loaded;
    run->n_chunks = entries(l, KIND_CHUNKS, 0);
    plussi_chunk *to = plussi_arena_alloc(&l->s->arena, run->n_chunks + 1, sizeof *to);
    if (!to)
        return PLUSS_ENOMEM;
    run->chunk = to;
    for (size_t i = l->part->first; i < l->part->end; i++) {
        const block *b = &l->s->block[i];
        if (b->kind != KIND_CHUNKS)
            continue;
        pluss_status status = enter(l, b);
        for (uint32_t j = 0; !status && j < b->n; j++) {
            chunk c = {0};
            status = take(l, &c, sizeof c);
            if (!status && (c.lo >= c.hi || c.loop >= NO_LOOP))
                status = bad(l->s, l->at, "a chunk without iterations, or of no loop");
            *to++ = (plussi_chunk){c.loop, b->thread, c.execution, c.lo, c.hi};
        }
        if (status)
            return status;
    }
    return PLUSS_OK;
}

static pluss_status load_stops(loader *l)
{
    plussi_stamped_run *run = &l->s->loaded;
    run->n_stops = entries(l, KIND_STOPS, 0);
    plussi_stop *to = plussi_arena_alloc(&l->s->arena, run->n_stops + 1, sizeof *to);
    plussi_stop_place *place =
        to ? plussi_arena_alloc(&l->s->arena, run->n_stops * run->team + 1, sizeof *place) : NULL;
    if (!place)
        return PLUSS_ENOMEM;
    run->stop = to;
    uint64_t earliest = l->part->from;
    for (size_t i = l->part->first; i < l->part->end; i++) {
        const block *b = &l->s->block[i];
        if (b->kind != KIND_STOPS)
            continue;
        pluss_status status = enter(l, b);
        for (uint32_t j = 0; !status && j < b->n; j++) {
            uint64_t time = 0;
            status = take(l, &time, sizeof time);
            if (!status && time < earliest)
                status = bad(l->s, l->at, "a stop that is earlier than the one before it");
            if (!status)
                status = take(l, place, run->team * sizeof *place);
            *to++ = (plussi_stop){time_of(l, time), place};
            place += run->team;
            earliest = time;
        }
        if (status)
            return status;
    }
    return PLUSS_OK;
}

pluss_status plussi_stamped_load(plussi_stamped *s, size_t i, const plussi_stamped_run **out)
{
    if (i >= s->n_runs)
        return plussi_fail(s->ctx, PLUSS_EINVAL, NULL, "run %zu of %zu is asked for", i, s->n_runs);
    plussi_arena_free(&s->arena);
    plussi_arena_init(&s->arena, &s->ctx->mem);
    loader l = {.s = s, .part = &s->part[i]};
    s->loaded = s->run[i];
    plussi_stamped_thread *thread = plussi_arena_alloc(&s->arena, s->loaded.team, sizeof *thread);
    if (!thread)
        return PLUSS_ENOMEM;
    s->loaded.thread = thread;
    pluss_status status = PLUSS_OK;
    for (uint32_t k = 0; !status && k < s->loaded.team; k++)
        status = load_thread(&l, k, &thread[k]);
    if (!status)
        status = load_chunks(&l);
    if (!status)
        status = load_stops(&l);
    if (!status)
        *out = &s->loaded;
    return status;
}
