/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/touches.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

/* A section whose touches are being merged. */
typedef struct cursor {
    uint64_t time; /* of the touch at next */
    size_t number; /* number of the section: of equal times the earlier section comes first */
    uint32_t next;
    uint64_t *entry;
} cursor;

struct plussi_touches {
    plussi_trace trace;
    const plussi_trace_reader *reader;
    const plussi_mem *mem;
    plussi_indexed_section *section; /* by `from`, then in file order */
    size_t next, n;                  /* sections that have begun; all */
    cursor *heap;
    size_t n_heap, cap_heap;
    bool addresses;
};

/* ---- merging ---------------------------------------------------------------------------------
 */

/* Time of touch i: the middle of its part of the section's time. */
static uint64_t time_of(const plussi_trace_section *b, uint32_t i)
{
    unsigned __int128 part = (unsigned __int128)(b->to - b->from) * (2 * (uint64_t)i + 1);
    return b->from + (uint64_t)(part / (2 * (uint64_t)b->n));
}

static bool is_earlier(const plussi_touches *t, const cursor *a, const cursor *b)
{
    (void)t;
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

PLUSSI_HEAP(cursors, cursor, plussi_touches, is_earlier)

/* Begins the next section: reads its lines. */
static pluss_status begin_section(plussi_touches *t)
{
    size_t number = t->next++;
    const plussi_indexed_section *s = &t->section[number];
    cursor c = {.time = time_of(&s->head, 0), .number = number};
    pluss_status status = plussi_grow(t->mem, &t->heap, &t->cap_heap, t->n_heap, sizeof *t->heap);
    if (!status)
        status = plussi_trace_read_new(t->reader, s, &c.entry);
    if (status) {
        plussi_free(t->mem, c.entry);
        return status;
    }
    t->heap[t->n_heap++] = c;
    cursors_rise(t, t->heap, t->n_heap - 1);
    return PLUSS_OK;
}

/* Begins the sections that start by the time of the earliest touch. */
static pluss_status begin_sections(plussi_touches *t)
{
    pluss_status status = PLUSS_OK;
    while (!status && t->next < t->n &&
           (t->n_heap == 0 || t->section[t->next].head.from <= t->heap[0].time))
        status = begin_section(t);
    return status;
}

static plussi_access make_access(const plussi_touches *t, uint64_t entry, uint32_t thread)
{
    uint32_t byte, ref;
    plussi_access a = {.line = plussi_touch_line(entry, &byte, &ref), .thread = thread};
    if (t->addresses) {
        a.line = a.line * t->reader->line_bytes + (ref == UINT32_MAX ? 0 : byte);
        a.ref = ref;
    }
    return a;
}

static pluss_status next_touches(plussi_trace *trace, plussi_access *buf, size_t cap, size_t *n)
{
    plussi_touches *t = (plussi_touches *)trace;
    *n = 0;
    while (*n < cap) {
        pluss_status status = begin_sections(t);
        if (status || t->n_heap == 0)
            return status;
        cursor *c = &t->heap[0];
        const plussi_trace_section *b = &t->section[c->number].head;
        buf[(*n)++] = make_access(t, c->entry[c->next++], b->thread);
        if (c->next < b->n) {
            c->time = time_of(b, c->next);
        } else {
            plussi_free(t->mem, c->entry);
            *c = t->heap[--t->n_heap];
        }
        if (t->n_heap > 0)
            cursors_sink(t, t->heap, t->n_heap, 0);
    }
    return PLUSS_OK;
}

/* ---- making ----------------------------------------------------------------------------------
 */

static int by_time(const void *left, const void *right)
{
    const plussi_indexed_section *a = left, *b = right;
    if (a->head.from != b->head.from)
        return a->head.from < b->head.from ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

pluss_status plussi_touches_new(const plussi_trace_reader *reader, uint32_t run,
                                plussi_touches **out)
{
    const plussi_mem *mem = &reader->ctx->mem;
    plussi_touches *t = plussi_calloc(mem, 1, sizeof *t);
    if (!t)
        return PLUSS_ENOMEM;
    *t = (plussi_touches){.trace.next = next_touches, .reader = reader, .mem = mem};
    const plussi_indexed_section *of =
        run == UINT32_MAX ? plussi_trace_of_kind(reader, PLUSSI_SECTION_TOUCHES, &t->n)
                          : plussi_trace_of_run(reader, PLUSSI_SECTION_TOUCHES, run, &t->n);
    t->section = plussi_alloc(mem, t->n, sizeof *t->section);
    if (!t->section) {
        plussi_free(mem, t);
        return PLUSS_ENOMEM;
    }
    if (t->n) {
        memcpy(t->section, of, t->n * sizeof *of);
        qsort(t->section, t->n, sizeof *t->section, by_time);
    }
    *out = t;
    return PLUSS_OK;
}

uint64_t plussi_touches_count(const plussi_touches *t)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += t->section[i].head.n;
    return n;
}

void plussi_touches_free(plussi_touches *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_heap; i++)
        plussi_free(t->mem, t->heap[i].entry);
    plussi_free(t->mem, t->heap);
    plussi_free(t->mem, t->section);
    plussi_free(t->mem, t);
}

void plussi_touches_give_addresses(plussi_touches *t)
{
    t->addresses = true;
}

plussi_trace *plussi_touches_trace(plussi_touches *t)
{
    return &t->trace;
}
