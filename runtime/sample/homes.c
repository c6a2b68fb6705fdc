/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines and the memory that they belong to.
 */
#include <string.h>

#include "sample/search.h"

const plussi_home *plussi_next_home(const plussi_engine *e, uint32_t thread, uint64_t line,
                                    uint32_t *i)
{
    if (*i == UINT32_MAX) { /* the last shared home that starts at or below the line */
        uint32_t lo = 0, hi = e->n_shared;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (e->home[mid].first <= line)
                lo = mid + 1;
            else
                hi = mid;
        }
        *i = lo;
    }
    while (*i > 0 && *i <= e->n_shared) { /* downwards: 0 ends the shared ones */
        const plussi_home *home = &e->home[--*i];
        if (home->furthest < line)
            *i = 0;
        else if (line <= home->last)
            return home;
    }
    if (*i <= e->n_shared)
        *i = e->n_shared + 1;
    while (*i <= e->n_homes) { /* the private ones, numbered from n_shared + 1 */
        const plussi_home *home = &e->home[(*i)++ - 1];
        uint64_t shift = home->copy_lines * thread;
        if (line >= home->first + shift && line <= home->last + shift)
            return home;
    }
    return NULL;
}

bool plussi_engine_holds(const plussi_engine *engine, uint32_t thread, uint64_t line)
{
    uint32_t i = UINT32_MAX;
    return plussi_next_home(engine, thread, line, &i) != NULL;
}

bool plussi_engine_range(const plussi_engine *engine, uint32_t i, plussi_lines *out)
{
    uint64_t reached = 0; /* lines below are accounted for */
    for (uint32_t h = 0; h < engine->n_homes; h++) {
        const plussi_home *home = &engine->home[h];
        bool shared = h < engine->n_shared;
        uint64_t from = shared && home->first < reached ? reached : home->first;
        if (from > home->last) /* laid over others by address */
            continue;
        if (i-- == 0) {
            *out = (plussi_lines){from, home->last, shared ? 1 : engine->team, home->copy_lines};
            return true;
        }
        if (shared)
            reached = home->last + 1;
    }
    return false;
}

uint64_t plussi_engine_line(plussi_scan *scan, const plussi_spot *spot)
{
    const plussi_engine *e = scan->engine;
    const plussi_pnode *leaf = e->leaf[spot->leaf];
    const plussi_barray *array = leaf->ref->array, *root = array;
    int64_t address = plussi_value(leaf->ref->offset, spot->iv);
    while (root->over)
        root = root->over;
    int64_t base = array->base;
    if (e->has_swap) {
        uint32_t memory = plussi_memory_of(e, leaf, spot->iv, root->id);
        base += e->bound->array[memory].base - root->base;
    }
    if (array->is_private)
        address += spot->iv[0] * array->copy_bytes;
    uint64_t last = leaf->ref->width - 1, byte = (uint64_t)spot->touch << e->line_shift;
    return (uint64_t)(base + address + (int64_t)(byte < last ? byte : last)) >> e->line_shift;
}

/* ---- who can touch a line ---- */

static void add_threads(uint64_t *bits, uint32_t from, uint32_t to)
{
    for (uint32_t t = from; t <= to; t++)
        bits[t / 64] |= UINT64_C(1) << t % 64;
}

/* Threads that execute some of iterations [a, b] of a static loop. */
static void add_owners(const plussi_pnode *loop, uint64_t a, uint64_t b, uint64_t *bits)
{
    const plussi_share *s = &loop->share;
    if (b >= s->n)
        b = s->n - 1;
    if (a > b || s->n == 0)
        return;
    uint64_t chunk = s->kind == PLUSSI_SHARE_CYCLIC ? s->chunk : 0;
    uint32_t from = plussi_static_owner(s->n, chunk, s->team, a);
    uint32_t to = plussi_static_owner(s->n, chunk, s->team, b);
    if (!chunk) {
        add_threads(bits, from, to);
    } else if (b / chunk - a / chunk + 1 >= s->team) {
        add_threads(bits, 0, s->team - 1);
    } else if (from <= to) {
        add_threads(bits, from, to);
    } else {
        add_threads(bits, from, s->team - 1);
        add_threads(bits, 0, to);
    }
}

static void add_group(plussi_search *f, int64_t offset, uint64_t *bits)
{
    const plussi_group *g = f->g;
    const plussi_pnode *first = g->member[0], *loop = first->in_ws;
    const plussi_engine *e = f->e;
    if (offset + (INT64_C(1) << e->line_shift) <= g->bytes.lo || offset > g->bytes.hi)
        return;
    if (g->swap_level == -2 && g->root != f->root)
        return;
    if (first->zero) {
        add_threads(bits, 0, 0);
        return;
    }
    uint32_t team = first->par->team_fixed ? first->par->team : e->team;
    if (g->thread_coef || !g->affine || !loop || !loop->share_fixed || loop->collapse > 1 ||
        loop->lo->kind != PLUSSI_BX_AFFINE || loop->lo->n) {
        add_threads(bits, 0, team - 1);
        return;
    }
    f->iv[0] = 0;
    if (!plussi_search_ask(f, offset) || !plussi_search_solve(f))
        return;
    plussi_interval v = f->box[loop->slot];
    int64_t lo = loop->lo->c;
    int64_t a = loop->step > 0 ? plussi_ceildiv(v.lo - lo, loop->step)
                               : plussi_ceildiv(lo - v.hi, -loop->step);
    int64_t b = loop->step > 0 ? plussi_floordiv(v.hi - lo, loop->step)
                               : plussi_floordiv(lo - v.lo, -loop->step);
    if (b >= 0)
        add_owners(loop, a < 0 ? 0 : (uint64_t)a, (uint64_t)b, bits);
}

void plussi_engine_touchers(const plussi_engine *engine, uint64_t line, uint64_t *bits)
{
    plussi_search f = {.e = engine};
    memset(bits, 0, ((size_t)engine->team + 63) / 64 * sizeof *bits);
    uint32_t at = UINT32_MAX;
    for (const plussi_home *home; (home = plussi_next_home(engine, 0, line, &at));) {
        if (home->copy_lines)
            break;
        f.root = home->root;
        for (uint32_t i = 0; i < home->n_groups; i++) {
            f.g = home->group[i];
            add_group(&f, plussi_home_offset(engine, home, f.g, 0, line), bits);
        }
    }
    for (uint32_t h = engine->n_shared; h < engine->n_homes; h++) {
        const plussi_home *home = &engine->home[h];
        for (uint32_t t = 0; t < engine->team; t++) {
            uint64_t shift = home->copy_lines * t;
            if (line >= home->first + shift && line <= home->last + shift)
                add_threads(bits, t, t);
        }
    }
}
