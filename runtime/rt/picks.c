/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/picks.h"

#include <stdlib.h>

#include "base/linemap.h"
#include "rt/rt.h"

enum { FIRST_ROOM = 1024 };

plussi_picks *plussi_picks_new(size_t most, uint64_t threshold)
{
    plussi_picks *p = calloc(1, sizeof *p);
    if (p) {
        p->most = most;
        p->threshold = threshold;
    }
    return p;
}

void plussi_picks_free(plussi_picks *p)
{
    if (!p)
        return;
    free(p->pick);
    free(p->phase);
    free(p->mark);
    free(p->made);
    free(p);
}

/* Half of the lines go. */
static void thin(plussi_picks *p)
{
    size_t kept = 0, phases = 0;
    p->threshold /= 2;
    for (size_t i = 0; i < p->n_phases; i++) {
        size_t end = i + 1 < p->n_phases ? p->phase[i + 1].first : p->n, first = kept;
        for (size_t k = p->phase[i].first; k < end; k++)
            if (plussi_linemap_hash(p->pick[k].line) <= p->threshold)
                p->pick[kept++] = p->pick[k];
        size_t marks = i + 1 < p->n_phases ? p->phase[i + 1].first_mark : p->n_marks;
        if (kept > first || marks > p->phase[i].first_mark || i + 1 == p->n_phases)
            p->phase[phases++] =
                (plussi_picks_phase){p->phase[i].key, first, p->phase[i].first_mark};
    }
    p->n = kept;
    p->n_phases = phases;
}

static bool room(plussi_picks *p)
{
    while (p->n == p->most && p->threshold > 0)
        thin(p);
    if (p->n == p->most)
        return false;
    if (p->n < p->cap)
        return true;
    size_t cap = p->cap ? 2 * p->cap : FIRST_ROOM;
    cap = cap > p->most ? p->most : cap;
    plussi_pick *grown = realloc(p->pick, cap * sizeof *grown);
    if (!grown)
        return false;
    p->pick = grown;
    p->cap = cap;
    return true;
}

static bool in_phase(plussi_picks *p, uint64_t key)
{
    if (p->n_phases && p->phase[p->n_phases - 1].key == key)
        return true;
    if (plussi_grow(&plussi_mem_libc, &p->phase, &p->cap_phases, p->n_phases, sizeof *p->phase))
        return false;
    p->phase[p->n_phases++] = (plussi_picks_phase){key, p->n, p->n_marks};
    return true;
}

void plussi_picks_add(plussi_picks *p, uint64_t key, uint64_t line, uint64_t hash, uint64_t at,
                      uint32_t ref)
{
    if (hash > p->threshold || p->failed)
        return;
    if (!room(p) || at >> (64 - PLUSSI_PICK_REF_BITS) || ref >> PLUSSI_PICK_REF_BITS ||
        !in_phase(p, key)) {
        p->failed = true;
        return;
    }
    if (hash <= p->threshold) /* which room may have made less */
        p->pick[p->n++] = (plussi_pick){line, at << PLUSSI_PICK_REF_BITS | ref};
}

void plussi_picks_unmark(plussi_picks *p)
{
    free(p->mark);
    p->mark = NULL;
    p->n_marks = p->cap_marks = 0;
    for (size_t i = 0; i < p->n_phases; i++)
        p->phase[i].first_mark = 0;
    p->unmarked = true;
}

void plussi_picks_mark_at(plussi_picks *p, uint64_t key, uint64_t at, uint64_t chunk)
{
    if (p->failed || p->unmarked)
        return;
    if (!in_phase(p, key)) {
        p->failed = true;
    } else if (p->n_marks >= p->most / PLUSSI_PICKS_A_MARK ||
               plussi_grow(&plussi_mem_libc, &p->mark, &p->cap_marks, p->n_marks,
                           sizeof *p->mark)) {
        plussi_picks_unmark(p);
    } else {
        p->mark[p->n_marks++] = (plussi_picks_mark){at, chunk};
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

bool plussi_picks_open(plussi_outfile *file, const char *path)
{
    char magic[16] = "pluss-lines 2\n";
    uint32_t line[2] = {PLUSS_RT_LINE_BYTES, 0};
    if (!plussi_outfile_open(file, path, "lines"))
        return false;
    plussi_outfile_put(file, magic, sizeof magic);
    plussi_outfile_put(file, line, sizeof line);
    return true;
}

void plussi_picks_write(plussi_outfile *file, uint32_t block, uint32_t thread,
                        const plussi_picks *p)
{
    plussi_picks_head head = {block,       thread,    p->threshold, p->n,
                              p->n_phases, p->n_refs, p->n_marks,   p->unmarked};
    plussi_outfile_put(file, &head, sizeof head);
    plussi_outfile_put(file, p->made, p->n_refs * sizeof *p->made);
    plussi_outfile_put(file, p->phase, p->n_phases * sizeof *p->phase);
    plussi_outfile_put(file, p->pick, p->n * sizeof *p->pick);
    plussi_outfile_put(file, p->mark, p->n_marks * sizeof *p->mark);
}
