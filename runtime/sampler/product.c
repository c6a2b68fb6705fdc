/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums that are products. The loops of a tile have bounds that each contain the IV of one tile
 * loop, and bodies that do not depend on their own IVs: accesses are the product of the trip counts
 * and, summed over the tile loops, the product of the sums of trip counts,
 */
#include "sampler/plan.h"

enum { MAX_TABLE = 1 << 13, MAX_TABLES = 1 << 16 /* entries, of all */ };

/* ---- at the planning ----------------------------------------------------------------------------
 */

static plussi_slots slot_of(const plussi_plan_node *loop)
{
    return UINT32_C(1) << loop->slot;
}

static const plussi_plan_node *loop_around(const plussi_plan_node *node, plussi_slots slot)
{
    for (uint32_t i = 0; i < node->depth; i++)
        if (slot_of(node->loops[i]) == slot)
            return node->loops[i];
    return NULL;
}

/* Tabulates the loop's trip counts over the iterations of the one outer loop that moves its bounds.
 */
static bool make_table(plussi_engine *e, plussi_plan_node *loop)
{
    const plussi_plan_node *outer = loop_around(loop, loop->reads);
    if (loop->trips)
        return true;
    if (!outer || outer->lo->kind != PLUSSI_CEXPR_AFFINE || outer->lo->n ||
        plussi_interval_empty(outer->range))
        return false;
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0}, lo = outer->lo->c;
    int64_t last = outer->step > 0 ? outer->range.hi : outer->range.lo;
    if ((outer->step > 0) != (last > lo) && last != lo)
        return false;
    uint64_t n = (uint64_t)((last - lo) / outer->step) + 1, sum = 0;
    if (n > MAX_TABLE || e->n_trips + n > MAX_TABLES)
        return false;
    uint64_t *trips = plussi_arena_alloc(&e->arena, n + 1, sizeof *trips);
    if (!trips)
        return false;
    for (uint64_t u = 0; u < n; u++) {
        iv[outer->slot] = lo + outer->step * (int64_t)u;
        sum += plussi_loop_trips(loop, iv);
        trips[u + 1] = sum;
    }
    e->n_trips += n;
    loop->trips = trips;
    return true;
}

/* Whether the node's counts, summed over the slots in `open`, are products. */
static bool falls_apart(plussi_engine *e, plussi_plan_node *node, plussi_slots open)
{
    if (!(node->dep & open))
        return true;
    if (node->kind != PLUSSI_P_LOOP)
        return false;
    plussi_slots moved = node->reads & open, of_body = 0;
    for (uint32_t i = 0; i < node->n_body; i++)
        of_body |= node->body[i]->dep;
    if (moved) {
        if (node->own_dep || (of_body & moved) || node->reads != moved || (moved & (moved - 1)) ||
            !make_table(e, node))
            return false;
        open &= ~moved;
    } else if (node->own_dep) {
        open |= slot_of(node);
    }
    for (uint32_t i = 0; i < node->n_body; i++)
        if (!falls_apart(e, node->body[i], open))
            return false;
    return true;
}

/* The one loop with bounds moved by the slot, if it holds all of the node's accesses. */
static const plussi_plan_node *only_factor(const plussi_plan_node *node, plussi_slots slot)
{
    const plussi_plan_node *all = NULL;
    if (node->kind != PLUSSI_P_LOOP || (node->reads & slot))
        return node->kind == PLUSSI_P_LOOP ? node : NULL;
    for (uint32_t i = 0; i < node->n_body; i++) {
        const plussi_plan_node *one = only_factor(node->body[i], slot);
        if (!one || (all && one != all))
            return NULL;
        all = one;
    }
    return all;
}

void plussi_plan_product(plussi_engine *e, plussi_plan_node *node)
{
    const plussi_plan_node *loop = node->parent;
    node->product = node->kind == PLUSSI_P_LOOP && loop && loop->kind == PLUSSI_P_LOOP &&
                    (node->dep & slot_of(loop)) && !(node->dep & 1) &&
                    falls_apart(e, node, slot_of(loop));
    if (node->product)
        node->factor = only_factor(node, slot_of(loop));
}

/* ---- at the counting ----------------------------------------------------------------------------
 */

/* Iterations [a, b) of the loops that are summed over, by slot. `unit`: the sum of the trip counts
 * that this slot moves is taken as 1. */
typedef struct spans {
    const plussi_count *c;
    plussi_slots unit;
    uint64_t a[PLUSSI_CURSOR_SLOTS], b[PLUSSI_CURSOR_SLOTS];
} spans;

static uint64_t sum_node(spans *s, plussi_slots open, const plussi_plan_node *node);

static uint64_t sum_list(spans *s, plussi_slots open, const plussi_plan_node *loop)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < loop->n_body; i++)
        sum += sum_node(s, open, loop->body[i]);
    return sum;
}

static uint64_t sum_node(spans *s, plussi_slots open, const plussi_plan_node *node)
{
    int64_t *iv = s->c->iv;
    if (plussi_count_skips(s->c, node))
        return 0;
    if (!(node->dep & open)) {
        uint64_t count = plussi_count_node(s->c, node);
        for (; open && count; open &= open - 1) {
            int slot = __builtin_ctz(open);
            count *= s->b[slot] - s->a[slot];
        }
        return count;
    }
    plussi_slots moved = node->reads & open;
    uint64_t trips;
    if (moved) {
        int slot = __builtin_ctz(moved);
        if (moved & s->unit)
            return sum_list(s, open & ~moved, node);
        trips = node->trips[s->b[slot]] - node->trips[s->a[slot]];
        return trips ? trips * sum_list(s, open & ~moved, node) : 0;
    }
    trips = plussi_loop_trips(node, iv);
    if (trips == 0)
        return 0;
    iv[node->slot] = plussi_value(node->lo, iv);
    if (!node->own_dep)
        return trips * sum_list(s, open, node);
    s->a[node->slot] = 0;
    s->b[node->slot] = trips;
    return sum_list(s, open | slot_of(node), node);
}

uint64_t plussi_count_product(const plussi_count *c, const plussi_plan_node *loop,
                              const plussi_plan_node *child, uint64_t a, uint64_t b)
{
    spans s;
    s.c = c;
    s.unit = 0;
    s.a[loop->slot] = a;
    s.b[loop->slot] = b;
    return sum_node(&s, slot_of(loop), child);
}

/* ---- the iteration that holds an access
 * --------------------------------------------------------------
 */

enum { MAX_TERMS = 4 };

/* Accesses of a loop before iteration u: even * u + the sum of k[i] table[i][u]. */
typedef struct terms {
    uint32_t n;
    uint64_t even, k[MAX_TERMS];
    const uint64_t *table[MAX_TERMS];
} terms;

static bool make_terms(const plussi_count *c, const plussi_plan_node *loop, terms *t)
{
    spans s;
    s.c = c;
    s.unit = slot_of(loop);
    t->n = 0;
    t->even = 0;
    for (uint32_t i = 0; i < loop->n_body; i++) {
        const plussi_plan_node *child = loop->body[i];
        if (!(child->dep & s.unit)) {
            t->even += plussi_count_node(c, child);
            continue;
        }
        if (!child->factor || t->n == MAX_TERMS || (c->what == PLUSSI_M_THREAD && child->has_ws))
            return false;
        t->table[t->n] = child->factor->trips;
        t->k[t->n++] = sum_node(&s, s.unit, child);
    }
    return true;
}

static uint64_t count_before(const terms *t, uint64_t u)
{
    uint64_t sum = t->even * u;
    for (uint32_t i = 0; i < t->n; i++)
        sum += t->k[i] * t->table[i][u];
    return sum;
}

bool plussi_product_find_iteration(const plussi_count *c, const plussi_plan_node *loop,
                                   uint64_t trips, uint64_t *p, uint64_t *iteration)
{
    terms t;
    if (c->only || (c->what != PLUSSI_M_TEAM && c->what != PLUSSI_M_THREAD) ||
        !make_terms(c, loop, &t))
        return false;
    plussi_bracket at = {.high = trips, .above = count_before(&t, trips)};
    while (at.high - at.low > 1) {
        uint64_t mid = plussi_bracket_guess(&at, *p);
        plussi_bracket_cut(&at, *p, mid, count_before(&t, mid));
    }
    *p -= at.below;
    *iteration = at.low;
    return true;
}
