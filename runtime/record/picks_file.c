/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/picks_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/linemap.h"
#include "record/record_try.h"

/* The format, as runtime/rt/picks.h writes it. */
enum { MAGIC = 16, REF_BITS = 20 };
static const char magic[MAGIC] = "pluss-lines 1\n";

typedef struct head {
    uint32_t block, thread;
    uint64_t threshold, n, n_phases, n_refs;
} head;

typedef struct pick {
    uint64_t line, at;
} pick;

typedef struct phase {
    uint64_t key, first;
} phase;

/* One thread's, as the file has it. */
typedef struct part {
    uint64_t threshold;
    pick *pick;
    phase *phase;
    size_t n, n_phases;
} part;

typedef struct reader {
    plussi_ctx *ctx;
    FILE *in;
    const char *path;
    uint64_t at, length; /* bytes */
    const plussi_record_block *of;
    part *part; /* by thread */
    plussi_picked *out;
} reader;

static pluss_status bad(const reader *r, const char *what)
{
    plussi_loc loc = {.file = r->path};
    return plussi_fail(r->ctx, PLUSS_EFORMAT, &loc, "byte %llu: %s", (unsigned long long)r->at,
                       what);
}

/* n items, into memory that is there. */
static pluss_status take(reader *r, void *to, size_t size, uint64_t n)
{
    if ((r->length - r->at) / size < n)
        return bad(r, "the file ends within a block");
    if (n && fread(to, size, n, r->in) != n) {
        plussi_loc loc = {.file = r->path};
        return plussi_fail(r->ctx, PLUSS_EIO, &loc, "cannot be read");
    }
    r->at += size * n;
    return PLUSS_OK;
}

/* The same into new memory, *out. */
static pluss_status take_new(reader *r, void *out, size_t size, uint64_t n)
{
    if ((r->length - r->at) / size < n)
        return bad(r, "the file ends within a block");
    void *memory = plussi_alloc(&r->ctx->mem, n, size);
    if (!memory)
        return PLUSS_ENOMEM;
    memcpy(out, &memory, sizeof memory);
    return take(r, memory, size, n);
}

static pluss_status skip(reader *r, const head *h)
{
    uint64_t left = r->length - r->at, words = left / sizeof(uint64_t);
    if (h->n_refs > words || h->n_phases > (words - h->n_refs) / 2 ||
        h->n > (words - h->n_refs) / 2 - h->n_phases)
        return bad(r, "the file ends within a block");
    r->at += (h->n_refs + 2 * (h->n_phases + h->n)) * sizeof(uint64_t);
    if (fseeko(r->in, (off_t)r->at, SEEK_SET) != 0)
        return bad(r, "cannot be read");
    return PLUSS_OK;
}

static pluss_status check_phases(const reader *r, const part *p)
{
    for (size_t i = 0; i < p->n_phases; i++)
        if ((i == 0 && p->phase[i].first != 0) || p->phase[i].first > p->n ||
            (i > 0 &&
             (p->phase[i].first < p->phase[i - 1].first || p->phase[i].key <= p->phase[i - 1].key)))
            return bad(r, "phases before here do not ascend");
    if (p->n > 0 && p->n_phases == 0)
        return bad(r, "accesses before here are of no phase");
    return PLUSS_OK;
}

static pluss_status check_picks(const reader *r, const part *p)
{
    for (size_t i = 0; i < p->n_phases; i++) {
        size_t end = i + 1 < p->n_phases ? p->phase[i + 1].first : p->n;
        for (size_t k = p->phase[i].first; k < end; k++)
            if ((p->pick[k].at & ((1u << REF_BITS) - 1)) >= r->out->n_refs ||
                (k > p->phase[i].first &&
                 p->pick[k].at >> REF_BITS <= p->pick[k - 1].at >> REF_BITS))
                return bad(r, "accesses before here do not ascend, or are of no reference");
    }
    return PLUSS_OK;
}

static pluss_status read_part(reader *r, const head *h)
{
    plussi_picked *out = r->out;
    if (h->thread >= r->of->team || r->part[h->thread].phase)
        return bad(r, "a thread that cannot be");
    if (h->n_refs > PLUSSI_RECORD_REFS || (out->made && h->n_refs != out->n_refs))
        return bad(r, "a number of references that cannot be");
    part *p = &r->part[h->thread];
    p->threshold = h->threshold;
    p->n = h->n;
    p->n_phases = h->n_phases;
    uint64_t *made = NULL;
    if (!out->made) {
        out->n_refs = (uint32_t)h->n_refs;
        out->made = plussi_calloc(&out->mem, h->n_refs, sizeof *out->made);
        if (!out->made)
            return PLUSS_ENOMEM;
    }
    pluss_status status = take_new(r, &made, sizeof *made, h->n_refs);
    for (uint64_t i = 0; i < h->n_refs && !status; i++)
        if (__builtin_add_overflow(out->made[i], made[i], &out->made[i]))
            status = bad(r, "more accesses than can be");
    plussi_free(&r->ctx->mem, made);
    if (!status)
        status = take_new(r, &p->phase, sizeof *p->phase, h->n_phases);
    if (!status)
        status = check_phases(r, p);
    if (!status)
        status = take_new(r, &p->pick, sizeof *p->pick, h->n);
    return status ? status : check_picks(r, p);
}

/* The accesses to lines that all threads kept. */
static pluss_status keep(reader *r, uint32_t k, uint64_t threshold)
{
    plussi_picked_thread *to = &r->out->thread[k];
    const part *p = &r->part[k];
    to->access = plussi_alloc(&r->out->mem, p->n, sizeof *to->access);
    to->phase = plussi_alloc(&r->out->mem, p->n_phases, sizeof *to->phase);
    if (!to->access || !to->phase)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < p->n_phases; i++) {
        size_t end = i + 1 < p->n_phases ? p->phase[i + 1].first : p->n, first = to->n;
        for (size_t j = p->phase[i].first; j < end; j++)
            if (plussi_linemap_hash(p->pick[j].line) <= threshold)
                to->access[to->n++] =
                    (plussi_picked_access){p->pick[j].line, p->pick[j].at >> REF_BITS,
                                           (uint32_t)p->pick[j].at & ((1u << REF_BITS) - 1)};
        if (to->n > first)
            to->phase[to->n_phases++] = (plussi_picked_phase){p->phase[i].key, first, to->n};
    }
    return PLUSS_OK;
}

static pluss_status read_blocks(reader *r, uint32_t block)
{
    uint32_t found = 0;
    while (r->at < r->length) {
        head h;
        TRY(take(r, &h, sizeof h, 1));
        TRY(h.block == block ? read_part(r, &h) : skip(r, &h));
        found += h.block == block;
    }
    if (found != r->of->team)
        return bad(r, "the file ends, expected the other threads of the record's block");
    uint64_t threshold = UINT64_MAX;
    for (uint32_t k = 0; k < r->of->team; k++)
        threshold = r->part[k].threshold < threshold ? r->part[k].threshold : threshold;
    if (threshold == 0)
        return bad(r, "no lines were picked");
    r->out->rate = threshold == UINT64_MAX ? 1 : ((double)threshold + 1) * 0x1p-64;
    for (uint32_t k = 0; k < r->of->team; k++)
        TRY(keep(r, k, threshold));
    return PLUSS_OK;
}

static pluss_status read_file(reader *r, uint32_t block)
{
    char start[MAGIC];
    uint32_t line[2];
    off_t length = fseeko(r->in, 0, SEEK_END) == 0 ? ftello(r->in) : -1;
    if (length < 0 || fseeko(r->in, 0, SEEK_SET) != 0)
        return bad(r, "cannot be read");
    r->length = (uint64_t)length;
    TRY(take(r, start, sizeof start, 1));
    TRY(take(r, line, sizeof line, 1));
    if (memcmp(start, magic, MAGIC) != 0 || line[0] != r->of->line_bytes) {
        r->at = 0;
        return bad(r, "not of version 1, or of other lines than the record");
    }
    return read_blocks(r, block);
}

pluss_status plussi_picks_read(plussi_ctx *ctx, const char *path, uint32_t block,
                               const plussi_record_block *of, plussi_picked *out)
{
    plussi_loc loc = {.file = path};
    plussi_picked picked = {.mem = ctx->mem, .team = of->team};
    reader r = {.ctx = ctx, .path = path, .of = of, .out = &picked};
    pluss_status status = PLUSS_ENOMEM;
    r.part = plussi_calloc(&ctx->mem, of->team, sizeof *r.part);
    picked.thread = plussi_calloc(&ctx->mem, of->team, sizeof *picked.thread);
    if (r.part && picked.thread) {
        r.in = fopen(path, "rbe");
        status = r.in ? read_file(&r, block)
                      : plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be opened: %s", strerror(errno));
    }
    for (uint32_t k = 0; r.part && k < of->team; k++) {
        plussi_free(&ctx->mem, r.part[k].pick);
        plussi_free(&ctx->mem, r.part[k].phase);
    }
    plussi_free(&ctx->mem, r.part);
    if (r.in)
        fclose(r.in);
    if (status)
        plussi_picked_free(&picked);
    else
        *out = picked;
    return status;
}
