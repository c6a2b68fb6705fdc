/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/timed_run.h"

#include "trace/record_try.h"

enum { NO_LOOP = (1 << PLUSSI_STAMP_LOOP_BITS) - 1 };

typedef struct loader {
    plussi_trace_reader *trace;
    const plussi_trace_run *run;
    plussi_timed_run *out;
} loader;

static double time_of(const loader *l, uint64_t ticks)
{
    return (double)(ticks - l->run->from) * l->trace->tick_ns;
}

/* All entries of the sections together; thread UINT32_MAX: of all threads. */
static size_t count_entries(const plussi_indexed_section *section, size_t n, uint32_t thread)
{
    size_t entries = 0;
    for (size_t i = 0; i < n; i++)
        if (thread == UINT32_MAX || section[i].head.thread == thread)
            entries += section[i].head.n;
    return entries;
}

/* ---- time stamps ------------------------------------------------------------------------------
 */

/* Whether the stamp `is` can follow the stamp `was`. */
static bool can_follow(const plussi_stamp *was, const plussi_stamp *is)
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

/* Converts a stamp; returns what is wrong with it after the previous one, or NULL. */
static const char *take_stamp(const loader *l, const plussi_stamp_entry *from,
                              const plussi_stamp *was, uint64_t earliest, plussi_stamp *to)
{
    uint32_t loop = from->kind_loop & NO_LOOP;
    *to = (plussi_stamp){.time = time_of(l, from->time),
                         .begun = from->begun,
                         .kind = (plussi_stamp_kind)(from->kind_loop >> PLUSSI_STAMP_LOOP_BITS),
                         .loop = loop == NO_LOOP ? PLUSSI_NO_LOOP : loop,
                         .execution = from->execution};
    bool of_loop = to->kind == PLUSSI_STAMP_LOOP || to->kind == PLUSSI_STAMP_ITER ||
                   to->kind == PLUSSI_STAMP_DONE;
    if (from->kind_loop >> PLUSSI_STAMP_LOOP_BITS >= PLUSSI_STAMP_KINDS)
        return "a stamp of an unknown kind";
    if (of_loop == (loop == NO_LOOP))
        return "a stamp with a loop that its kind does not have, or without one";
    if (from->time < earliest)
        return "a stamp that is earlier than the previous one";
    return can_follow(was, to) ? NULL : "a stamp that cannot follow the previous one";
}

static pluss_status take_stamps(const loader *l, const plussi_indexed_section *s,
                                const plussi_stamp_entry *entry, uint64_t *earliest,
                                plussi_stamp *stamp, size_t *n)
{
    for (size_t i = 0; i < s->head.n; i++, ++*n) {
        const char *bad =
            take_stamp(l, &entry[i], *n ? &stamp[*n - 1] : NULL, *earliest, &stamp[*n]);
        if (bad)
            return plussi_trace_bad(l->trace, s->at + i * sizeof *entry, bad);
        *earliest = entry[i].time;
    }
    return PLUSS_OK;
}

static pluss_status load_thread(const loader *l, const plussi_indexed_section *section, size_t n,
                                uint32_t k, plussi_timed_thread *out)
{
    plussi_trace_reader *t = l->trace;
    plussi_stamp *stamp =
        plussi_arena_alloc(&t->loaded, count_entries(section, n, k) + 1, sizeof *stamp);
    if (!stamp)
        return PLUSS_ENOMEM;
    uint64_t earliest = l->run->from;
    *out = (plussi_timed_thread){.stamp = stamp};
    for (size_t i = 0; i < n; i++) {
        if (section[i].head.thread != k)
            continue;
        plussi_stamp_entry *entry = NULL;
        pluss_status status = plussi_trace_read_new(t, &section[i], &entry);
        if (!status)
            status = take_stamps(l, &section[i], entry, &earliest, stamp, &out->n);
        plussi_free(&t->ctx->mem, entry);
        TRY(status);
    }
    return PLUSS_OK;
}

/* ---- chunks and stops -------------------------------------------------------------------------
 */

static pluss_status take_chunks(const loader *l, const plussi_indexed_section *s,
                                const plussi_chunk_entry *entry, plussi_chunk *to)
{
    for (size_t i = 0; i < s->head.n; i++) {
        const plussi_chunk_entry *c = &entry[i];
        if (c->lo >= c->hi || c->loop >= NO_LOOP)
            return plussi_trace_bad(l->trace, s->at + i * sizeof *c,
                                    "a chunk without iterations, or of no loop");
        to[i] = (plussi_chunk){c->loop, s->head.thread, c->time, c->lo, c->hi};
    }
    return PLUSS_OK;
}

static pluss_status load_chunks(const loader *l)
{
    plussi_trace_reader *t = l->trace;
    size_t n;
    const plussi_indexed_section *s =
        plussi_trace_of_run(t, PLUSSI_SECTION_CHUNKS, l->run->number, &n);
    l->out->n_chunks = count_entries(s, n, UINT32_MAX);
    plussi_chunk *to = plussi_arena_alloc(&t->loaded, l->out->n_chunks + 1, sizeof *to);
    if (!to)
        return PLUSS_ENOMEM;
    l->out->chunk = to;
    for (size_t i = 0; i < n; to += s[i++].head.n) {
        plussi_chunk_entry *entry = NULL;
        pluss_status status = plussi_trace_read_new(t, &s[i], &entry);
        if (!status)
            status = take_chunks(l, &s[i], entry, to);
        plussi_free(&t->ctx->mem, entry);
        TRY(status);
    }
    return PLUSS_OK;
}

static pluss_status load_stops(const loader *l)
{
    plussi_trace_reader *t = l->trace;
    size_t n, row_bytes = sizeof(plussi_stop_row) + l->run->team * sizeof(plussi_stop_place);
    const plussi_indexed_section *s =
        plussi_trace_of_run(t, PLUSSI_SECTION_STOPS, l->run->number, &n);
    l->out->n_stops = count_entries(s, n, UINT32_MAX);
    plussi_stop *to = plussi_arena_alloc(&t->loaded, l->out->n_stops + 1, sizeof *to);
    if (!to)
        return PLUSS_ENOMEM;
    l->out->stop = to;
    uint64_t earliest = l->run->from;
    for (size_t i = 0; i < n; i++) {
        char *row = plussi_arena_alloc(&t->loaded, s[i].head.n, row_bytes);
        if (!row)
            return PLUSS_ENOMEM;
        TRY(plussi_trace_read(t, &s[i], row));
        for (size_t j = 0; j < s[i].head.n; j++, row += row_bytes) {
            const plussi_stop_row *stop = (const plussi_stop_row *)(const void *)row;
            if (stop->time < earliest)
                return plussi_trace_bad(t, s[i].at + j * row_bytes,
                                        "a stop that is earlier than the previous one");
            *to++ = (plussi_stop){time_of(l, stop->time), stop->place};
            earliest = stop->time;
        }
    }
    return PLUSS_OK;
}

pluss_status plussi_timed_run_read(plussi_trace_reader *t, const plussi_trace_run *run,
                                   plussi_timed_run *out)
{
    double begin = (double)(run->from - t->first_timed) * t->tick_ns;
    plussi_timed_run loaded = {.number = run->number,
                               .block = run->block,
                               .team = run->team,
                               .begin = begin,
                               .end = begin + (double)(run->to - run->from) * t->tick_ns};
    loader l = {t, run, &loaded};
    size_t n;
    const plussi_indexed_section *s =
        plussi_trace_of_run(t, PLUSSI_SECTION_STAMPS, run->number, &n);
    plussi_arena_free(&t->loaded);
    plussi_arena_init(&t->loaded, &t->ctx->mem);
    plussi_timed_thread *thread = plussi_arena_alloc(&t->loaded, run->team, sizeof *thread);
    if (!thread)
        return PLUSS_ENOMEM;
    loaded.thread = thread;
    for (uint32_t k = 0; k < run->team; k++)
        TRY(load_thread(&l, s, n, k, &thread[k]));
    TRY(load_chunks(&l));
    TRY(load_stops(&l));
    *out = loaded;
    return PLUSS_OK;
}
