/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/sampled_trace.h"

#include <string.h>

#include "base/map.h"
#include "trace/record_try.h"

/* The data of one thread, as in the file. */
typedef struct part {
    const plussi_indexed_section *section[PLUSSI_SECTION_KINDS - PLUSSI_SECTION_MADE];
    uint64_t *made;
    plussi_sampled_access *access;
    plussi_sampled_phase *phase;
    plussi_chunk_mark *mark;
    size_t n_made, n, n_phases, n_marks;
} part;

typedef struct reader {
    const plussi_trace_reader *trace;
    part *part;    /* by thread */
    bool unmarked; /* a thread has no marks */
    int64_t made;  /* accesses of all threads, by reference */
    plussi_sampled_trace *out;
} reader;

static const plussi_indexed_section *section_of(const part *p, plussi_trace_section_kind kind)
{
    return p->section[kind - PLUSSI_SECTION_MADE];
}

static pluss_status fail_entry(const reader *r, const plussi_indexed_section *s, size_t i,
                               const char *what)
{
    return plussi_trace_bad(r->trace, s->at + i * s->head.size, what);
}

/* End of a phase's accesses. */
static size_t end_of(const part *p, size_t phase)
{
    return phase + 1 < p->n_phases ? p->phase[phase + 1].first : p->n;
}
static size_t end_of_marks(const part *p, size_t phase)
{
    return phase + 1 < p->n_phases ? p->phase[phase + 1].first_mark : p->n_marks;
}

static pluss_status check_phases(const reader *r, const part *p)
{
    const plussi_indexed_section *s = section_of(p, PLUSSI_SECTION_PHASES);
    plussi_sampled_phase before = {0};
    for (size_t i = 0; i < p->n_phases; before = p->phase[i++]) {
        const plussi_sampled_phase *is = &p->phase[i];
        bool ascends = i == 0 ? is->first == 0 && is->first_mark == 0
                              : is->first >= before.first && is->first_mark >= before.first_mark &&
                                    is->key > before.key;
        if (!ascends || is->first > p->n || is->first_mark > p->n_marks)
            return fail_entry(r, s, i, "phases do not ascend");
    }
    if (p->n + p->n_marks > 0 && p->n_phases == 0)
        return fail_entry(r, s, 0, "accesses are of no phase");
    return PLUSS_OK;
}

/* Checks that each loop of a phase is opened, has ascending chunks, and is closed. */
static pluss_status check_marks_of_phase(const reader *r, const part *p, size_t first, size_t end)
{
    const plussi_indexed_section *s = section_of(p, PLUSSI_SECTION_MARKS);
    uint64_t at = 0, least = 0;
    bool open = false;
    for (size_t i = first; i < end; i++) {
        const plussi_chunk_mark *m = &p->mark[i];
        bool opens = m->chunk == PLUSSI_MARK_OPEN, closes = m->chunk == PLUSSI_MARK_CLOSE;
        if (m->at < at || open == opens || (open && !closes && m->chunk < least))
            return fail_entry(r, s, i, "chunks are not in order");
        at = m->at;
        least = opens || closes ? 0 : m->chunk + 1;
        open = !closes;
    }
    return open ? fail_entry(r, s, end, "a loop before here has no end") : PLUSS_OK;
}

static pluss_status check_marks(const reader *r, const part *p)
{
    for (size_t i = 0; i < p->n_phases; i++)
        TRY(check_marks_of_phase(r, p, p->phase[i].first_mark, end_of_marks(p, i)));
    return PLUSS_OK;
}

static uint32_t ref_of(const plussi_sampled_access *a)
{
    return (uint32_t)a->at & ((1u << PLUSSI_SAMPLED_REF_BITS) - 1);
}

static uint64_t clock_of(const plussi_sampled_access *a)
{
    return a->at >> PLUSSI_SAMPLED_REF_BITS;
}

static pluss_status check_accesses(const reader *r, const part *p)
{
    for (size_t i = 0; i < p->n_phases; i++)
        for (size_t first = p->phase[i].first, k = first; k < end_of(p, i); k++)
            if (ref_of(&p->access[k]) >= r->out->n_refs ||
                (k > first && clock_of(&p->access[k]) <= clock_of(&p->access[k - 1])))
                return fail_entry(r, section_of(p, PLUSSI_SECTION_SAMPLED), k,
                                  "accesses do not ascend, or are of no reference");
    return PLUSS_OK;
}

/* Finds one section of each kind for every thread; marks may be missing. */
static pluss_status find_sections(reader *r, uint32_t block)
{
    for (uint32_t kind = PLUSSI_SECTION_MADE; kind <= PLUSSI_SECTION_MARKS; kind++) {
        size_t n;
        const plussi_indexed_section *s = plussi_trace_of_run(r->trace, kind, block, &n);
        for (size_t i = 0; i < n; i++) {
            part *p = s[i].head.thread < r->out->team ? &r->part[s[i].head.thread] : NULL;
            if (!p || section_of(p, kind))
                return fail_entry(r, &s[i], 0,
                                  "a thread that its block does not have, or has already");
            p->section[kind - PLUSSI_SECTION_MADE] = &s[i];
        }
    }
    for (uint32_t k = 0; k < r->out->team; k++) {
        const part *p = &r->part[k];
        if (!section_of(p, PLUSSI_SECTION_MADE) || !section_of(p, PLUSSI_SECTION_PHASES) ||
            !section_of(p, PLUSSI_SECTION_SAMPLED))
            return plussi_trace_bad(
                r->trace, r->trace->length,
                "the file ends, expected the other threads of the record's block");
        r->unmarked |= !section_of(p, PLUSSI_SECTION_MARKS);
    }
    return PLUSS_OK;
}

/* Reads the thread's section of this kind into new memory. */
static pluss_status take_section(const reader *r, part *p, plussi_trace_section_kind kind,
                                 void *entries, size_t *n)
{
    const plussi_indexed_section *s = section_of(p, kind);
    if (!s)
        return PLUSS_OK;
    *n = s->head.n;
    return plussi_trace_read_new(r->trace, s, entries);
}

static pluss_status add_made(reader *r, const part *p)
{
    plussi_sampled_trace *out = r->out;
    const plussi_indexed_section *s = section_of(p, PLUSSI_SECTION_MADE);
    if (p->n_made > PLUSSI_RECORD_REFS || (out->made && p->n_made != out->n_refs))
        return fail_entry(r, s, 0, "a number of references that cannot be");
    if (!out->made) {
        out->n_refs = (uint32_t)p->n_made;
        out->made = plussi_calloc(&out->mem, p->n_made, sizeof *out->made);
        if (!out->made)
            return PLUSS_ENOMEM;
    }
    for (size_t i = 0; i < p->n_made; i++) {
        if (__builtin_add_overflow(r->made, p->made[i], &r->made))
            return fail_entry(r, s, i, "more accesses than can be");
        out->made[i] += p->made[i];
    }
    return PLUSS_OK;
}

static pluss_status read_part(reader *r, part *p)
{
    TRY(take_section(r, p, PLUSSI_SECTION_MADE, &p->made, &p->n_made));
    TRY(add_made(r, p));
    TRY(take_section(r, p, PLUSSI_SECTION_MARKS, &p->mark, &p->n_marks));
    TRY(take_section(r, p, PLUSSI_SECTION_SAMPLED, &p->access, &p->n));
    TRY(take_section(r, p, PLUSSI_SECTION_PHASES, &p->phase, &p->n_phases));
    TRY(check_phases(r, p));
    TRY(check_accesses(r, p));
    return p->mark ? check_marks(r, p) : PLUSS_OK;
}

/* Keeps the accesses to lines that all threads sampled. */
static pluss_status keep_common(reader *r, uint32_t k, uint64_t threshold)
{
    plussi_trace_thread *to = &r->out->thread[k];
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
        size_t first = to->n, first_mark = n_marks ? p->phase[i].first_mark : 0,
               end_mark = n_marks ? end_of_marks(p, i) : 0;
        for (size_t j = p->phase[i].first; j < end_of(p, i); j++) {
            const plussi_sampled_access *a = &p->access[j];
            if (plussi_hash(a->line) <= threshold)
                to->access[to->n++] = (plussi_trace_access){a->line, clock_of(a), ref_of(a)};
        }
        if (to->n > first || end_mark > first_mark)
            to->phase[to->n_phases++] =
                (plussi_trace_phase){p->phase[i].key, first, to->n, first_mark, end_mark};
    }
    return PLUSS_OK;
}

static pluss_status read_parts(reader *r, uint32_t block)
{
    uint64_t threshold = UINT64_MAX;
    TRY(find_sections(r, block));
    for (uint32_t k = 0; k < r->out->team; k++) {
        const plussi_indexed_section *s = section_of(&r->part[k], PLUSSI_SECTION_SAMPLED);
        TRY(read_part(r, &r->part[k]));
        if (s->head.to == 0)
            return fail_entry(r, s, 0, "no lines were sampled");
        threshold = s->head.to < threshold ? s->head.to : threshold;
    }
    r->out->rate = threshold == UINT64_MAX ? 1 : ((double)threshold + 1) * 0x1p-64;
    for (uint32_t k = 0; k < r->out->team; k++)
        TRY(keep_common(r, k, threshold));
    return PLUSS_OK;
}

pluss_status plussi_sampled_trace_read(plussi_trace_reader *trace, uint32_t block,
                                       const plussi_record_block *of, plussi_sampled_trace *out)
{
    const plussi_mem *mem = &trace->ctx->mem;
    plussi_sampled_trace sampled = {.mem = *mem, .team = of->team};
    reader r = {.trace = trace, .out = &sampled};
    r.part = plussi_calloc(mem, of->team, sizeof *r.part);
    sampled.thread = plussi_calloc(mem, of->team, sizeof *sampled.thread);
    pluss_status status = r.part && sampled.thread ? read_parts(&r, block) : PLUSS_ENOMEM;
    for (uint32_t k = 0; r.part && k < of->team; k++) {
        plussi_free(mem, r.part[k].made);
        plussi_free(mem, r.part[k].access);
        plussi_free(mem, r.part[k].phase);
        plussi_free(mem, r.part[k].mark);
    }
    plussi_free(mem, r.part);
    if (status)
        plussi_sampled_trace_free(&sampled);
    else
        *out = sampled;
    return status;
}

void plussi_sampled_trace_free(plussi_sampled_trace *p)
{
    for (uint32_t k = 0; p->thread && k < p->team; k++) {
        plussi_free(&p->mem, p->thread[k].access);
        plussi_free(&p->mem, p->thread[k].phase);
        plussi_free(&p->mem, p->thread[k].mark);
    }
    plussi_free(&p->mem, p->thread);
    plussi_free(&p->mem, p->made);
    *p = (plussi_sampled_trace){.mem = p->mem};
}
