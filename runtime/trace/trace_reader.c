/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/trace_reader.h"
#include "base/bisect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record_try.h"
#include "trace/recorded.h"

enum { MAX_LINE_BYTES = 4096 };

pluss_status plussi_trace_bad(const plussi_trace_reader *t, uint64_t at, const char *what)
{
    plussi_loc loc = {.file = t->path};
    return plussi_fail(t->ctx, PLUSS_EFORMAT, &loc, "byte %llu: %s", (unsigned long long)at, what);
}

static pluss_status fail_unreadable(const plussi_trace_reader *t)
{
    plussi_loc loc = {.file = t->path};
    return plussi_fail(t->ctx, PLUSS_EIO, &loc, "cannot be read: %s", strerror(errno));
}

/* size > 0 bytes. */
static pluss_status read_at(const plussi_trace_reader *t, uint64_t at, void *to, size_t size)
{
    bool read = fseeko(t->in, (off_t)at, SEEK_SET) == 0 && fread(to, size, 1, t->in) == 1;
    return read ? PLUSS_OK : fail_unreadable(t);
}

pluss_status plussi_trace_read(const plussi_trace_reader *t, const plussi_indexed_section *s,
                               void *entries)
{
    size_t bytes = s->head.n * s->head.size;
    return bytes ? read_at(t, s->at, entries, bytes) : PLUSS_OK;
}

pluss_status plussi_trace_read_new(const plussi_trace_reader *t, const plussi_indexed_section *s,
                                   void *out)
{
    void *memory = plussi_alloc(&t->ctx->mem, s->head.n, s->head.size);
    if (!memory)
        return PLUSS_ENOMEM;
    memcpy(out, &memory, sizeof memory);
    return plussi_trace_read(t, s, memory);
}

/* ---- opening ---------------------------------------------------------------------------------
 */

/* Constraints on the sections of a kind. */
static const struct shape {
    uint32_t size;        /* of an entry; of a stop without its places */
    uint32_t least, most; /* entries; 0: any number */
} shape_of[] = {
    [PLUSSI_SECTION_RUN] = {sizeof(plussi_run_entry), 1, 1},
    [PLUSSI_SECTION_TOUCHES] = {sizeof(uint64_t), 1, PLUSSI_TOUCHES_MOST},
    [PLUSSI_SECTION_STAMPS] = {sizeof(plussi_stamp_entry), 1, 0},
    [PLUSSI_SECTION_CHUNKS] = {sizeof(plussi_chunk_entry), 1, 0},
    [PLUSSI_SECTION_STOPS] = {sizeof(plussi_stop_row), 1, 0},
    [PLUSSI_SECTION_CLOCK] = {sizeof(uint64_t), 1, 1},
    [PLUSSI_SECTION_MADE] = {sizeof(uint64_t), 0, 0},
    [PLUSSI_SECTION_PHASES] = {sizeof(plussi_sampled_phase), 0, 0},
    [PLUSSI_SECTION_SAMPLED] = {sizeof(plussi_sampled_access), 0, 0},
    [PLUSSI_SECTION_MARKS] = {sizeof(plussi_chunk_mark), 0, 0},
    [PLUSSI_SECTION_ORDER] = {sizeof(plussi_ordered_run), 1, 0},
    [PLUSSI_SECTION_LINES] = {sizeof(plussi_ordered_line), 1, 0},
};

static pluss_status check_head(const plussi_trace_reader *t, uint64_t at,
                               const plussi_trace_section *h)
{
    if (h->kind < PLUSSI_SECTION_RUN || h->kind >= PLUSSI_SECTION_KINDS)
        return plussi_trace_bad(t, at, "found no section, expected one");
    const struct shape *shape = &shape_of[h->kind];
    uint64_t left = t->length - at - sizeof *h;
    bool sized =
        h->kind == PLUSSI_SECTION_STOPS
            ? h->size > shape->size && (h->size - shape->size) % sizeof(plussi_stop_place) == 0
            : h->size == shape->size;
    if (!sized || h->n < shape->least || (shape->most && h->n > shape->most) || h->from > h->to)
        return plussi_trace_bad(t, at, "a section with impossible entries or times");
    return h->n > left / h->size ? plussi_trace_bad(t, at, "the file ends within a section")
                                 : PLUSS_OK;
}

static pluss_status add_run(plussi_trace_reader *t, const plussi_indexed_section *s)
{
    const plussi_trace_section *h = &s->head;
    plussi_run_entry entry;
    TRY(read_at(t, s->at, &entry, sizeof entry));
    if (h->thread == 0 || h->thread > PLUSSI_MAX_TEAM || entry.timed > 1)
        return plussi_trace_bad(t, s->at - sizeof *h, "a run with an impossible team or kind");
    TRY(plussi_grow(&t->ctx->mem, &t->run, &t->cap_runs, t->n_runs, sizeof *t->run));
    t->run[t->n_runs++] =
        (plussi_trace_run){h->run, entry.block, h->thread, entry.timed == 1, h->from, h->to};
    if (entry.timed && h->from < t->first_timed)
        t->first_timed = h->from;
    return PLUSS_OK;
}

static pluss_status set_clock(plussi_trace_reader *t, const plussi_indexed_section *s)
{
    uint64_t ns, ticks = s->head.to - s->head.from;
    TRY(read_at(t, s->at, &ns, sizeof ns));
    if (t->tick_ns > 0 || ns == 0 || ticks == 0)
        return plussi_trace_bad(t, s->at - sizeof s->head,
                                "a second clock, or one that does not advance");
    t->tick_ns = (double)ns / (double)ticks;
    return PLUSS_OK;
}

static pluss_status read_sections(plussi_trace_reader *t)
{
    for (uint64_t at = sizeof(plussi_trace_head); at < t->length;) {
        plussi_indexed_section s;
        if (t->length - at < sizeof s.head)
            return plussi_trace_bad(t, at, "the file ends within a section");
        TRY(read_at(t, at, &s.head, sizeof s.head));
        TRY(check_head(t, at, &s.head));
        s.at = at + sizeof s.head;
        if (s.head.kind == PLUSSI_SECTION_RUN)
            TRY(add_run(t, &s));
        if (s.head.kind == PLUSSI_SECTION_CLOCK)
            TRY(set_clock(t, &s));
        TRY(plussi_grow(&t->ctx->mem, &t->section, &t->cap_sections, t->n_sections,
                        sizeof *t->section));
        t->section[t->n_sections++] = s;
        at = s.at + s.head.n * s.head.size;
    }
    return PLUSS_OK;
}

static int by_kind_and_run(const void *left, const void *right)
{
    const plussi_indexed_section *a = left, *b = right;
    if (a->head.kind != b->head.kind)
        return a->head.kind < b->head.kind ? -1 : 1;
    if (a->head.run != b->head.run)
        return a->head.run < b->head.run ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Number of sections before those of this kind and run. */
static size_t sections_before(const plussi_trace_reader *t, uint32_t kind, uint64_t run)
{
    const plussi_indexed_section *s = t->section;
    PLUSSI_BISECT(size_t, i, 0, t->n_sections,
                  s[i].head.kind > kind || (s[i].head.kind == kind && s[i].head.run >= run));
    return i;
}

const plussi_indexed_section *plussi_trace_of_run(const plussi_trace_reader *t,
                                                  plussi_trace_section_kind kind, uint32_t run,
                                                  size_t *n)
{
    size_t first = sections_before(t, kind, run);
    *n = sections_before(t, kind, (uint64_t)run + 1) - first;
    return *n ? t->section + first : NULL;
}

const plussi_indexed_section *plussi_trace_of_kind(const plussi_trace_reader *t,
                                                   plussi_trace_section_kind kind, size_t *n)
{
    size_t first = sections_before(t, kind, 0);
    *n = sections_before(t, kind + 1, 0) - first;
    return *n ? t->section + first : NULL;
}

/* Checks that the section's run exists and has its thread. Only touches may belong to a run without
 * an end. */
static pluss_status check_of_run(const plussi_trace_reader *t, const plussi_indexed_section *s)
{
    size_t n;
    const plussi_indexed_section *run = plussi_trace_of_run(t, PLUSSI_SECTION_RUN, s->head.run, &n);
    uint64_t at = s->at - sizeof s->head;
    if (n == 0)
        return s->head.kind == PLUSSI_SECTION_TOUCHES
                   ? PLUSS_OK
                   : plussi_trace_bad(t, at, "a section of a run that does not end");
    uint32_t team = run->head.thread;
    if (s->head.thread >= team ||
        (s->head.kind == PLUSSI_SECTION_STOPS &&
         (s->head.size - sizeof(plussi_stop_row)) / sizeof(plussi_stop_place) != team))
        return plussi_trace_bad(t, at, "a section of a thread that its run does not have");
    return PLUSS_OK;
}

static pluss_status check_sections(const plussi_trace_reader *t)
{
    for (size_t i = 0; i < t->n_sections; i++) {
        const plussi_indexed_section *s = &t->section[i];
        bool timed = s->head.kind >= PLUSSI_SECTION_STAMPS && s->head.kind <= PLUSSI_SECTION_STOPS;
        if (s->head.kind == PLUSSI_SECTION_RUN && i > 0 &&
            t->section[i - 1].head.kind == PLUSSI_SECTION_RUN &&
            t->section[i - 1].head.run == s->head.run)
            return plussi_trace_bad(t, s->at - sizeof s->head, "a run that has ended before");
        if (timed || s->head.kind == PLUSSI_SECTION_TOUCHES)
            TRY(check_of_run(t, s));
    }
    if (t->tick_ns <= 0 && t->first_timed != UINT64_MAX)
        return plussi_trace_bad(t, t->length,
                                "the file ends, expected the clock of its time stamps");
    return PLUSS_OK;
}

static pluss_status read_all(plussi_trace_reader *t)
{
    plussi_trace_head head;
    off_t length = fseeko(t->in, 0, SEEK_END) == 0 ? ftello(t->in) : -1;
    if (length < 0)
        return fail_unreadable(t);
    t->length = (uint64_t)length;
    if (t->length < sizeof head)
        return plussi_trace_bad(t, t->length, "the file ends, expected a trace");
    TRY(read_at(t, 0, &head, sizeof head));
    if (memcmp(head.magic, (char[16]){PLUSSI_TRACE_MAGIC}, sizeof head.magic) != 0)
        return plussi_trace_bad(t, 0, "found no trace of a run");
    if (head.version != PLUSSI_RECORD_VERSION)
        return plussi_trace_bad(t, sizeof head.magic, PLUSSI_RECORD_OF_ANOTHER_VERSION);
    if (head.line_bytes == 0 || head.line_bytes > MAX_LINE_BYTES ||
        (head.line_bytes & (head.line_bytes - 1)))
        return plussi_trace_bad(t, sizeof head.magic + sizeof head.version,
                                "a line is a power of two of bytes");
    t->line_bytes = head.line_bytes;
    TRY(read_sections(t));
    if (t->n_sections)
        qsort(t->section, t->n_sections, sizeof *t->section, by_kind_and_run);
    return check_sections(t);
}

pluss_status plussi_trace_open(plussi_ctx *ctx, const char *path, plussi_trace_reader **out)
{
    plussi_loc loc = {.file = path};
    plussi_trace_reader *t = plussi_calloc(&ctx->mem, 1, sizeof *t);
    if (!t)
        return PLUSS_ENOMEM;
    t->ctx = ctx;
    t->first_timed = UINT64_MAX;
    plussi_arena_init(&t->loaded, &ctx->mem);
    t->path = plussi_strndup(&ctx->mem, path, strlen(path));
    pluss_status status = PLUSS_ENOMEM;
    if (t->path) {
        t->in = fopen(path, "rbe");
        status = t->in ? read_all(t)
                       : plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be opened: %s", strerror(errno));
    }
    if (status)
        plussi_trace_close(t);
    else
        *out = t;
    return status;
}

void plussi_trace_close(plussi_trace_reader *t)
{
    if (!t)
        return;
    plussi_mem mem = t->ctx->mem;
    plussi_arena_free(&t->loaded);
    plussi_free(&mem, t->section);
    plussi_free(&mem, t->run);
    plussi_free(&mem, t->path);
    if (t->in)
        fclose(t->in);
    plussi_free(&mem, t);
}
