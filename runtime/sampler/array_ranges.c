/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines and the memory that they belong to.
 */
#include <string.h>

#include "base/bisect.h"
#include "sampler/search.h"

const plussi_array_range *plussi_next_range(const plussi_engine *e, uint32_t thread, uint64_t line,
                                            uint32_t *i)
{
    if (*i == UINT32_MAX) { /* the last shared range that starts at or before the line */
        PLUSSI_BISECT(uint32_t, next, 0, e->n_shared, e->range[next].first > line);
        *i = next;
    }
    while (*i > 0 && *i <= e->n_shared) { /* downwards: 0 ends the shared ones */
        const plussi_array_range *range = &e->range[--*i];
        if (range->furthest < line)
            *i = 0;
        else if (line <= range->last)
            return range;
    }
    if (*i <= e->n_shared)
        *i = e->n_shared + 1;
    while (*i <= e->n_ranges) { /* the private ones, numbered from n_shared + 1 */
        const plussi_array_range *range = &e->range[(*i)++ - 1];
        uint64_t shift = range->copy_lines * thread;
        if (line >= range->first + shift && line <= range->last + shift)
            return range;
    }
    return NULL;
}

uint64_t plussi_engine_address(plussi_workspace *workspace, const plussi_cursor *cursor)
{
    const plussi_engine *e = workspace->engine;
    const plussi_plan_node *leaf = e->leaf[cursor->leaf];
    const plussi_bound_array *array = leaf->ref->array, *root = array;
    int64_t address = plussi_value(leaf->ref->offset, cursor->iv);
    while (root->over)
        root = root->over;
    int64_t base = array->base;
    if (e->has_swap) {
        uint32_t memory = plussi_memory_of(e, leaf, cursor->iv, root->id);
        base += e->bound->array[memory].base - root->base;
    }
    if (array->is_private)
        address += cursor->iv[0] * array->copy_bytes;
    uint64_t last = leaf->ref->width - 1, byte = (uint64_t)cursor->touch << e->line_shift;
    return (uint64_t)(base + address + (int64_t)(byte < last ? byte : last));
}

uint32_t plussi_engine_line_bytes(const plussi_engine *e)
{
    return UINT32_C(1) << e->line_shift;
}

uint64_t plussi_engine_line(plussi_workspace *workspace, const plussi_cursor *cursor)
{
    return plussi_engine_address(workspace, cursor) >> workspace->engine->line_shift;
}

/* ---- who can touch a line ---- */

static void add_threads(uint64_t *bits, uint32_t from, uint32_t to)
{
    for (uint32_t t = from; t <= to; t++)
        bits[t / 64] |= UINT64_C(1) << t % 64;
}

/* Adds the threads that execute some of iterations [a, b] of a static loop, by the iteration set of
 * thread 0. */
static void add_owners(const plussi_iterset *s, uint64_t a, uint64_t b, uint64_t *bits)
{
    if (b >= s->n)
        b = s->n - 1;
    if (a > b || s->n == 0)
        return;
    uint64_t chunk = s->kind == PLUSSI_ITERSET_CYCLIC ? s->chunk : 0;
    const uint32_t turn = s->team - s->thread; /* thread 0 may have another part than the first */
    uint32_t from = (plussi_static_owner(s->n, chunk, s->team, a) + turn) % s->team;
    uint32_t to = (plussi_static_owner(s->n, chunk, s->team, b) + turn) % s->team;
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

/* The iterations, of a loop that begins at lo, whose IVs are in v. */
static void find_iterations(const plussi_plan_node *loop, int64_t lo, plussi_interval v, int64_t *a,
                            int64_t *b)
{
    bool rising = loop->step > 0;
    *a = rising ? plussi_ceildiv(v.lo - lo, loop->step) : plussi_ceildiv(lo - v.hi, -loop->step);
    *b = rising ? plussi_floordiv(v.hi - lo, loop->step) : plussi_floordiv(lo - v.lo, -loop->step);
}

/* Whether nothing is left to find: the group cannot touch the line, or only thread 0 can (which is
 * added). */
static bool is_settled(const plussi_search *f, int64_t offset, uint64_t *bits)
{
    const plussi_group *g = f->g;
    if (offset + (INT64_C(1) << f->e->line_shift) <= g->bytes.lo || offset > g->bytes.hi)
        return true;
    if (g->swap_level == -2 && g->root != f->root)
        return true;
    if (g->member[0]->zero)
        add_threads(bits, 0, 0);
    return g->member[0]->zero;
}

static void add_group(plussi_search *f, int64_t offset, uint64_t *bits)
{
    const plussi_group *g = f->g;
    const plussi_plan_node *first = g->member[0], *loop = first->in_ws;
    const plussi_engine *e = f->e;
    if (is_settled(f, offset, bits))
        return;
    uint32_t team = first->par->team_fixed ? first->par->team : e->team;
    if (g->thread_coef || !g->affine || !loop || !loop->set_fixed || loop->collapse > 1 ||
        loop->lo->kind != PLUSSI_CEXPR_AFFINE || loop->lo->n) {
        add_threads(bits, 0, team - 1);
        return;
    }
    f->iv[0] = 0;
    if (!plussi_search_constrain(f, offset) || !plussi_search_solve(f))
        return;
    int64_t a, b;
    find_iterations(loop, loop->lo->c, f->box[loop->slot], &a, &b);
    if (b >= 0)
        add_owners(&loop->set, a < 0 ? 0 : (uint64_t)a, (uint64_t)b, bits);
}

/* Private memory: the threads whose copies hold the line. */
static void add_private(const plussi_engine *e, uint64_t line, uint64_t *bits)
{
    for (uint32_t h = e->n_shared; h < e->n_ranges; h++) {
        const plussi_array_range *range = &e->range[h];
        uint64_t step = range->copy_lines;
        if (line < range->first)
            continue;
        uint64_t t = line > range->last ? (line - range->last + step - 1) / step : 0;
        for (; t < e->team && range->first + step * t <= line; t++)
            add_threads(bits, (uint32_t)t, (uint32_t)t);
    }
}

void plussi_engine_touchers(const plussi_engine *engine, uint64_t line, uint64_t *bits)
{
    plussi_search f = {.e = engine, .span = plussi_line_span(engine)};
    memset(bits, 0, ((size_t)engine->team + 63) / 64 * sizeof *bits);
    uint32_t at = UINT32_MAX;
    for (const plussi_array_range *range; (range = plussi_next_range(engine, 0, line, &at));) {
        if (range->copy_lines)
            break;
        f.root = range->root;
        plussi_pay_groups(engine, range->n_groups);
        for (uint32_t i = 0; i < range->n_groups; i++) {
            f.g = range->group[i];
            add_group(&f, plussi_range_offset(engine, range, f.g, 0, line), bits);
        }
    }
    add_private(engine, line, bits);
}

/* ---- who can touch it in a phase ----------------------------------------------------------------
 */

static plussi_slots slots_around(const plussi_plan_node *node)
{
    plussi_slots slots = 0;
    for (uint32_t i = 0; i < node->depth; i++)
        slots |= UINT32_C(1) << node->loops[i]->slot;
    return slots;
}

/* Adds the threads that execute iterations [a, b] of the instance of a worksharing loop given by
 * iv. */
static void add_sharers(const plussi_engine *e, const plussi_plan_node *loop, const int64_t *iv,
                        uint32_t team, uint64_t a, uint64_t b, uint64_t *bits)
{
    plussi_thread_set own;
    uint64_t pos;
    plussi_thread_set_at(e, loop, iv, 0, &own);
    if (own.set.kind < PLUSSI_ITERSET_PATTERN) {
        add_owners(&own.set, a, b, bits);
        return;
    }
    for (uint32_t t = 0; t < team; t++) {
        plussi_thread_set_at(e, loop, iv, t, &own);
        if (plussi_iterset_latest(&own.set, UINT64_MAX, a, b, &pos))
            add_threads(bits, t, t);
    }
}

void plussi_add_touchers_in(plussi_search *f, const plussi_item *item, int64_t offset,
                            uint64_t *bits)
{
    const plussi_group *g = f->g;
    const plussi_plan_node *first = g->member[0], *loop = first->in_ws;
    const plussi_engine *e = f->e;
    if (is_settled(f, offset, bits))
        return;
    uint32_t depth = item->node->depth, team = plussi_team_at(e, first->par, item->iv);
    plussi_slots around = slots_around(item->node);
    if (g->thread_coef || !g->affine || !loop || loop->collapse > 1 ||
        (plussi_cexpr_slots(loop->lo) & ~around) || (!loop->ws_fixed && loop->depth > depth)) {
        add_threads(bits, 0, team - 1);
        return;
    }
    f->iv[0] = 0;
    if (!plussi_search_constrain(f, offset))
        return;
    for (uint32_t l = 0; l < depth; l++) {
        uint32_t slot = g->level[l].loop->slot;
        f->iv[slot] = item->iv[slot];
        f->box[slot] = (plussi_interval){item->iv[slot], item->iv[slot]};
    }
    if (!plussi_search_solve(f))
        return;
    int64_t a, b;
    find_iterations(loop, plussi_value(loop->lo, f->iv), f->box[loop->slot], &a, &b);
    if (b >= 0 && a <= b)
        add_sharers(e, loop, item->iv, team, a < 0 ? 0 : (uint64_t)a, (uint64_t)b, bits);
}

/* The members of a group have one parent: all are in one item, or each is an item. */
static bool holds_group(const plussi_item *item, const plussi_group *g)
{
    for (uint32_t i = 0; i < g->n_members; i++) {
        if (g->member[i]->item == item->node)
            return true;
        if (g->member[i]->item != g->member[i])
            return false;
    }
    return false;
}

void plussi_engine_touchers_in(plussi_workspace *workspace, uint64_t line, uint64_t phase,
                               uint64_t *bits)
{
    const plussi_engine *e = workspace->engine;
    const plussi_phase *ph = plussi_workspace_phase(workspace, phase);
    plussi_search f = {.e = e, .span = plussi_line_span(e)};
    memset(bits, 0, ((size_t)e->team + 63) / 64 * sizeof *bits);
    uint32_t at = UINT32_MAX;
    for (const plussi_array_range *range; (range = plussi_next_range(e, 0, line, &at));) {
        if (range->copy_lines)
            break;
        f.root = range->root;
        plussi_pay_groups(e, range->n_groups * (1 + ph->n_items / 4));
        for (uint32_t i = 0; i < range->n_groups; i++) {
            f.g = range->group[i];
            int64_t offset = plussi_range_offset(e, range, f.g, 0, line);
            for (size_t k = 0; k < ph->n_items; k++)
                if (holds_group(&ph->item[k], f.g))
                    plussi_add_touchers_in(&f, &ph->item[k], offset, bits);
        }
    }
    add_private(e, line, bits);
}

/* Numbers below n that are `set` modulo `sets`. */
static uint64_t count_below(uint64_t n, uint64_t sets, uint64_t set)
{
    return n > set ? (n - set - 1) / sets + 1 : 0;
}

uint64_t plussi_engine_lines_in_set(const plussi_engine *engine, uint64_t sets, uint64_t set)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < engine->n_ranges; r++) {
        const plussi_array_range *range = &engine->range[r];
        const uint32_t copies = range->copy_lines ? engine->team : 1;
        for (uint32_t k = 0; k < copies; k++) {
            const uint64_t shift = k * range->copy_lines;
            sum += count_below(range->last + 1 + shift, sets, set) -
                   count_below(range->first + shift, sets, set);
        }
    }
    return sum;
}
