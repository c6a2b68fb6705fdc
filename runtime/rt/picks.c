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
        if (kept > first || i + 1 == p->n_phases)
            p->phase[phases++] = (plussi_picks_phase){p->phase[i].key, first};
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

static bool begin_phase(plussi_picks *p, uint64_t key)
{
    if (plussi_grow(&plussi_mem_libc, &p->phase, &p->cap_phases, p->n_phases, sizeof *p->phase))
        return false;
    p->phase[p->n_phases++] = (plussi_picks_phase){key, p->n};
    return true;
}

void plussi_picks_add(plussi_picks *p, uint64_t key, uint64_t line, uint64_t hash, uint64_t at,
                      uint32_t ref)
{
    if (hash > p->threshold || p->failed)
        return;
    bool known = p->n_phases && p->phase[p->n_phases - 1].key == key;
    if (!room(p) || at >> (64 - PLUSSI_PICK_REF_BITS) || ref >> PLUSSI_PICK_REF_BITS ||
        (!known && !begin_phase(p, key))) {
        p->failed = true;
        return;
    }
    if (hash <= p->threshold) /* which room may have made less */
        p->pick[p->n++] = (plussi_pick){line, at << PLUSSI_PICK_REF_BITS | ref};
}

/* ---- the file -------------------------------------------------------------------------------- */

bool plussi_picks_open(plussi_beside *file, const char *path)
{
    char magic[16] = "pluss-lines 1\n";
    uint32_t line[2] = {PLUSS_RT_LINE_BYTES, 0};
    if (!plussi_beside_open(file, path, "lines"))
        return false;
    plussi_beside_put(file, magic, sizeof magic);
    plussi_beside_put(file, line, sizeof line);
    return true;
}

void plussi_picks_write(plussi_beside *file, uint32_t block, uint32_t thread, const plussi_picks *p)
{
    plussi_picks_head head = {block, thread, p->threshold, p->n, p->n_phases, p->n_refs};
    plussi_beside_put(file, &head, sizeof head);
    plussi_beside_put(file, p->made, p->n_refs * sizeof *p->made);
    plussi_beside_put(file, p->phase, p->n_phases * sizeof *p->phase);
    plussi_beside_put(file, p->pick, p->n * sizeof *p->pick);
}
