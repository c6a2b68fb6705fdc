/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/picks_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/linemap.h"
#include "trace/record_try.h"

/* The format, as runtime/rt/picks.h writes it. */
enum { MAGIC = 16, REF_BITS = 20 };
static const char magic[MAGIC] = "pluss-lines 2\n";

typedef struct head {
    uint32_t block, thread;
    uint64_t threshold, n, n_phases, n_refs, n_marks, unmarked;
} head;

typedef struct pick {
    uint64_t line, at;
} pick;

typedef struct phase {
    uint64_t key, first, first_mark;
} phase;

enum { PHASE_WORDS = 3, PICK_WORDS = 2, MARK_WORDS = 2 };

/* One thread's, as the file has it. */
typedef struct part {
    uint64_t threshold;
    pick *pick;
    phase *phase;
    plussi_picked_mark *mark;
    size_t n, n_phases, n_marks;
} part;

typedef struct reader {
    plussi_ctx *ctx;
    FILE *in;
    const char *path;
    uint64_t at, length; /* bytes */
    const plussi_record_block *of;
    part *part;    /* by thread */
    bool unmarked; /* a thread's marks are not there */
    int64_t made;  /* accesses, of all threads and references */
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
    uint64_t all = (r->length - r->at) / sizeof(uint64_t), left = all;
    const uint64_t n[] = {h->n_refs, h->n_phases, h->n, h->n_marks},
                   words[] = {1, PHASE_WORDS, PICK_WORDS, MARK_WORDS};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        if (n[i] > left / words[i])
            return bad(r, "the file ends within a block");
        left -= n[i] * words[i];
    }
    r->at += (all - left) * sizeof(uint64_t);
    if (fseeko(r->in, (off_t)r->at, SEEK_SET) != 0)
        return bad(r, "cannot be read");
    return PLUSS_OK;
}

static pluss_status check_phases(const reader *r, const part *p)
{
    phase before = {0};
    for (size_t i = 0; i < p->n_phases; before = p->phase[i++])
        if ((i == 0 && (p->phase[i].first != 0 || p->phase[i].first_mark != 0)) ||
            p->phase[i].first > p->n || p->phase[i].first_mark > p->n_marks ||
            (i > 0 &&
             (p->phase[i].first < before.first || p->phase[i].first_mark < before.first_mark ||
              p->phase[i].key <= before.key)))
            return bad(r, "phases before here do not ascend");
    if (p->n + p->n_marks > 0 && p->n_phases == 0)
        return bad(r, "accesses before here are of no phase");
    return PLUSS_OK;
}

/* Loop after loop of a phase is opened, has ascending chunks, and is closed. */
static pluss_status check_marks(const reader *r, const plussi_picked_mark *mark, uint64_t n)
{
    uint64_t at = 0, least = 0;
    bool open = false;
    for (uint64_t i = 0; i < n; i++) {
        const plussi_picked_mark *m = &mark[i];
        bool opens = m->chunk == PLUSSI_PICKED_OPEN, closes = m->chunk == PLUSSI_PICKED_CLOSE;
        if (m->at < at || open == opens || (open && !closes && m->chunk < least))
            return bad(r, "chunks before here are not in order");
        at = m->at;
        least = opens || closes ? 0 : m->chunk + 1;
        open = !closes;
    }
    return open ? bad(r, "a loop before here has no end") : PLUSS_OK;
}

static pluss_status check_all_marks(const reader *r, const part *p)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < p->n_phases && !status; i++) {
        uint64_t end = i + 1 < p->n_phases ? p->phase[i + 1].first_mark : p->n_marks,
                 first = p->phase[i].first_mark;
        status = check_marks(r, p->mark + first, end - first);
    }
    return status;
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
    p->n_marks = h->n_marks;
    r->unmarked |= h->unmarked != 0;
    uint64_t *made = NULL;
    if (!out->made) {
        out->n_refs = (uint32_t)h->n_refs;
        out->made = plussi_calloc(&out->mem, h->n_refs, sizeof *out->made);
        if (!out->made)
            return PLUSS_ENOMEM;
    }
    pluss_status status = take_new(r, &made, sizeof *made, h->n_refs);
    for (uint64_t i = 0; i < h->n_refs && !status; i++) {
        if (__builtin_add_overflow(r->made, made[i], &r->made))
            status = bad(r, "more accesses than can be");
        out->made[i] += made[i];
    }
    plussi_free(&r->ctx->mem, made);
    if (!status)
        status = take_new(r, &p->phase, sizeof *p->phase, h->n_phases);
    if (!status)
        status = check_phases(r, p);
    if (!status)
        status = take_new(r, &p->pick, sizeof *p->pick, h->n);
    if (!status)
        status = check_picks(r, p);
    if (!status)
        status = take_new(r, &p->mark, sizeof *p->mark, h->n_marks);
    return status ? status : check_all_marks(r, p);
}

/* The accesses to lines that all threads kept. */
static pluss_status keep(reader *r, uint32_t k, uint64_t threshold)
{
    plussi_picked_thread *to = &r->out->thread[k];
    const part *p = &r->part[k];
    to->access = plussi_alloc(&r->out->mem, p->n, sizeof *to->access);
    to->phase = plussi_alloc(&r->out->mem, p->n_phases, sizeof *to->phase);
    size_t n_marks = r->unmarked ? 0 : p->n_marks;
    to->mark = plussi_alloc(&r->out->mem, n_marks, sizeof *to->mark);
    if (!to->access || !to->phase || !to->mark)
        return PLUSS_ENOMEM;
    if (n_marks)
        memcpy(to->mark, p->mark, n_marks * sizeof *to->mark);
    r->out->marked |= n_marks > 0;
    for (size_t i = 0; i < p->n_phases; i++) {
        size_t end = i + 1 < p->n_phases ? p->phase[i + 1].first : p->n, first = to->n;
        for (size_t j = p->phase[i].first; j < end; j++)
            if (plussi_linemap_hash(p->pick[j].line) <= threshold)
                to->access[to->n++] =
                    (plussi_picked_access){p->pick[j].line, p->pick[j].at >> REF_BITS,
                                           (uint32_t)p->pick[j].at & ((1u << REF_BITS) - 1)};
        size_t first_mark = n_marks ? p->phase[i].first_mark : 0,
               end_mark = n_marks && i + 1 < p->n_phases ? p->phase[i + 1].first_mark : n_marks;
        if (to->n > first || end_mark > first_mark)
            to->phase[to->n_phases++] =
                (plussi_picked_phase){p->phase[i].key, first, to->n, first_mark, end_mark};
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
        return bad(r, "not of version 2, or of other lines than the record");
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
        plussi_free(&ctx->mem, r.part[k].mark);
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
