/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/sampled_thread.h"

#include "base/linemap.h"
#include "rt/own_memory.h"
#include "rt/sidecar.h"

enum { FIRST_ROOM = 1024 };

plussi_sampled_thread *plussi_sampled_thread_new(size_t most, uint64_t threshold)
{
    plussi_sampled_thread *p = plussi_calloc(&plussi_own, 1, sizeof *p);
    if (p) {
        p->most = most;
        p->threshold = threshold;
    }
    return p;
}

void plussi_sampled_thread_free(plussi_sampled_thread *p)
{
    if (!p)
        return;
    plussi_free(&plussi_own, p->access);
    plussi_free(&plussi_own, p->phase);
    plussi_free(&plussi_own, p->mark);
    plussi_free(&plussi_own, p->made);
    plussi_free(&plussi_own, p);
}

/* Halves the sample of lines. */
static void halve_lines(plussi_sampled_thread *p)
{
    size_t kept = 0, phases = 0;
    p->threshold /= 2;
    for (size_t i = 0; i < p->n_phases; i++) {
        size_t end = i + 1 < p->n_phases ? p->phase[i + 1].first : p->n, first = kept;
        for (size_t k = p->phase[i].first; k < end; k++)
            if (plussi_hash(p->access[k].line) <= p->threshold)
                p->access[kept++] = p->access[k];
        size_t marks = i + 1 < p->n_phases ? p->phase[i + 1].first_mark : p->n_marks;
        if (kept > first || marks > p->phase[i].first_mark || i + 1 == p->n_phases)
            p->phase[phases++] =
                (plussi_sampled_phase){p->phase[i].key, first, p->phase[i].first_mark};
    }
    p->n = kept;
    p->n_phases = phases;
}

static bool make_room(plussi_sampled_thread *p)
{
    while (p->n == p->most && p->threshold > 0)
        halve_lines(p);
    if (p->n == p->most)
        return false;
    if (p->n < p->cap)
        return true;
    size_t cap = p->cap ? 2 * p->cap : FIRST_ROOM;
    cap = cap > p->most ? p->most : cap;
    plussi_sampled_access *grown = plussi_realloc(&plussi_own, p->access, cap, sizeof *grown);
    if (!grown)
        return false;
    p->access = grown;
    p->cap = cap;
    return true;
}

static bool in_phase(plussi_sampled_thread *p, uint64_t key)
{
    if (p->n_phases && p->phase[p->n_phases - 1].key == key)
        return true;
    if (plussi_grow(&plussi_own, &p->phase, &p->cap_phases, p->n_phases, sizeof *p->phase))
        return false;
    p->phase[p->n_phases++] = (plussi_sampled_phase){key, p->n, p->n_marks};
    return true;
}

void plussi_sampled_thread_add(plussi_sampled_thread *p, uint64_t key, uint64_t line, uint64_t hash,
                               uint64_t at, uint32_t ref)
{
    if (hash > p->threshold || p->failed)
        return;
    if (!make_room(p) || at >> (64 - PLUSSI_SAMPLED_REF_BITS) || ref >> PLUSSI_SAMPLED_REF_BITS ||
        !in_phase(p, key)) {
        p->failed = true;
        return;
    }
    if (hash <= p->threshold) /* which lack of room may have reduced */
        p->access[p->n++] = (plussi_sampled_access){line, at << PLUSSI_SAMPLED_REF_BITS | ref};
}

void plussi_sampled_thread_unmark(plussi_sampled_thread *p)
{
    plussi_free(&plussi_own, p->mark);
    p->mark = NULL;
    p->n_marks = p->cap_marks = 0;
    for (size_t i = 0; i < p->n_phases; i++)
        p->phase[i].first_mark = 0;
    p->unmarked = true;
}

void plussi_sampled_thread_mark(plussi_sampled_thread *p, uint64_t key, uint64_t at, uint64_t chunk)
{
    if (p->failed || p->unmarked)
        return;
    if (!in_phase(p, key)) {
        p->failed = true;
    } else if (p->n_marks >= p->most / PLUSSI_SAMPLED_A_MARK ||
               plussi_grow(&plussi_own, &p->mark, &p->cap_marks, p->n_marks, sizeof *p->mark)) {
        plussi_sampled_thread_unmark(p);
    } else {
        p->mark[p->n_marks++] = (plussi_chunk_mark){at, chunk};
    }
}

/* ---- sections -------------------------------------------------------------------------------- */

void plussi_sampled_thread_write(plussi_outfile *file, uint32_t block, uint32_t thread,
                                 const plussi_sampled_thread *p)
{
    const struct {
        uint32_t kind, size;
        uint64_t n, to;
        const void *entries;
    } section[] = {
        {PLUSSI_SECTION_MADE, sizeof *p->made, p->n_refs, 0, p->made},
        {PLUSSI_SECTION_PHASES, sizeof *p->phase, p->n_phases, 0, p->phase},
        {PLUSSI_SECTION_SAMPLED, sizeof *p->access, p->n, p->threshold, p->access},
        {PLUSSI_SECTION_MARKS, sizeof *p->mark, p->n_marks, 0, p->mark},
    };
    for (size_t i = 0; i < sizeof section / sizeof *section - p->unmarked; i++) {
        plussi_trace_section head = {
            section[i].kind, section[i].size, section[i].n, block, thread, 0, section[i].to};
        plussi_trace_section_put(file, &head, section[i].entries);
    }
}
