/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Positions of accesses in their phase and in their thread's sequence, and back.
 */
#include <math.h>
#include <string.h>

#include "base/bisect.h"
#include "sampler/workspace.h"
#include "team/pattern.h"

/* ---- from a position to a cursor
 * ------------------------------------------------------------------
 */

static plussi_plan_node *choose_item(const plussi_count *c, plussi_plan_node *const *list,
                                     uint32_t n, uint64_t *p)
{
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint64_t count = plussi_count_node(c, list[i]);
        if (*p < count)
            return list[i];
        *p -= count;
    }
    return list[n - 1];
}

/* The child of the body that holds access p. */
static plussi_plan_node *choose_child(const plussi_count *c, const plussi_plan_node *node,
                                      uint64_t *p)
{
    const uint64_t *before = plussi_sums_before(c, node);
    if (!before)
        return choose_item(c, node->body, node->n_body, p);
    PLUSSI_BISECT(uint32_t, next, 1, node->n_body, before[next] > *p);
    *p -= before[next - 1];
    return node->body[next - 1];
}

/* The thread of access n of a node whose counts differ between threads: sets iv[0], and n becomes
 * the number among the thread's accesses. */
static void choose_thread(const plussi_count *c, const plussi_plan_node *node, uint64_t *n)
{
    plussi_count one = {c->engine, PLUSSI_M_THREAD, c->iv, c->only, NULL};
    for (c->iv[0] = 0;; c->iv[0]++) {
        plussi_effort_take(c->engine->effort, 1);
        uint64_t count = plussi_count_node(&one, node);
        if (*n < count)
            return;
        *n -= count;
    }
}

void plussi_find_owner(plussi_workspace *q, const plussi_plan_node *head, int64_t *iv)
{
    const plussi_engine *e = q->engine;
    uint64_t n = plussi_ws_number(e, head, iv), pos;
    uint32_t team = head->par ? plussi_team_at(e, head->par, iv) : 1;
    plussi_thread_set own;
    iv[0] = 0;
    plussi_thread_set_at(e, head, iv, 0, &own);
    if (own.set.kind < PLUSSI_ITERSET_PATTERN) {
        uint64_t chunk = own.set.kind == PLUSSI_ITERSET_CYCLIC ? own.set.chunk : 0;
        /* own.set.thread: the part that thread 0 has */
        iv[0] = (plussi_static_owner(own.set.n, chunk, team, n) + team - own.set.thread) % team;
        return;
    }
    if (own.set.kind == PLUSSI_ITERSET_PATTERN) { /* whose thread own.set.row is thread 0 */
        const uint32_t row = plussi_pattern_owner(own.set.pattern, n / own.set.chunk);
        iv[0] = (row + team - own.set.row) % team;
        return;
    }
    for (uint32_t t = 0; t < team; t++) {
        plussi_thread_set_at(e, head, iv, t, &own);
        if (plussi_iterset_position(&own.set, n, &pos)) {
            iv[0] = t;
            return;
        }
    }
}

/* The thread's iteration that holds access p, if all have as many accesses. */
static void find_turn(const plussi_count *c, const plussi_plan_node *loop, uint64_t *p)
{
    uint64_t u = *p / loop->turn;
    *p -= u * loop->turn;
    if (loop->begin) {
        u += loop->begin[c->iv[0]];
    } else if (loop->ws) {
        plussi_thread_set own;
        plussi_thread_set_at(c->engine, loop, c->iv, (uint32_t)c->iv[0], &own);
        u = plussi_thread_set_nth(loop, &own, u);
    }
    c->iv[loop->slot] = plussi_value(loop->lo, c->iv) + loop->step * (int64_t)u;
}

static bool of_team(const plussi_count *c)
{
    return c->what == PLUSSI_M_TEAM || c->what == PLUSSI_M_LEAF;
}

/* The leaf that holds access p of a node, by the count's measure; sets iv on the way. */
const plussi_plan_node *plussi_descend(plussi_workspace *q, const plussi_count *given,
                                       const plussi_plan_node *node, uint64_t p, uint32_t *touch,
                                       plussi_trail *trail)
{
    plussi_count c = *given;
    for (;;) {
        if (of_team(&c) && plussi_differs_by_thread(node)) {
            choose_thread(&c, node, &p);
            c.what = PLUSSI_M_THREAD;
        }
        plussi_thread_set own;
        switch (node->kind) {
        case PLUSSI_P_LOOP:
            if (trail) {
                trail->loop[trail->n] = node;
                trail->before[trail->n++] = p;
            }
            if (c.what == PLUSSI_M_THREAD && node->turn) {
                find_turn(&c, node, &p);
            } else if (c.what == PLUSSI_M_THREAD && node->ws) {
                plussi_thread_set_at(c.engine, node, c.iv, (uint32_t)c.iv[0], &own);
                plussi_thread_set_find(&c, node, &own, &p);
                node = node->ws_last;
            } else {
                plussi_find_iteration(&c, node, &p);
            }
            node = choose_child(&c, node, &p);
            break;
        case PLUSSI_P_IF:
            if (plussi_value(node->cond, c.iv))
                node = choose_child(&c, node, &p);
            else
                node = choose_item(&c, node->orelse, node->n_orelse, &p);
            break;
        case PLUSSI_P_ROOT:
        case PLUSSI_P_PAR:
            node = choose_child(&c, node, &p);
            break;
        default: {
            uint32_t touches = node->kind == PLUSSI_P_REF ? node->ref->touches : 1;
            *touch = (uint32_t)(p % touches);
            if (of_team(&c) && node->kind == PLUSSI_P_REF) {
                if (c.engine->team == 1)
                    c.iv[0] = 0;
                else if (node->in_ws)
                    plussi_find_owner(q, node->in_ws, c.iv);
                else
                    c.iv[0] = (int64_t)(p / touches);
            }
            return node;
        }
        }
    }
}

void plussi_set_cursor(const plussi_plan_node *leaf, uint32_t touch, const int64_t *iv,
                       plussi_cursor *out)
{
    out->leaf = leaf->leaf;
    out->touch = touch;
    out->iv[0] = iv[0];
    for (uint32_t i = 0; i < leaf->depth; i++)
        out->iv[leaf->loops[i]->slot] = iv[leaf->loops[i]->slot];
}

void plussi_engine_nth(plussi_workspace *workspace, uint64_t n, plussi_cursor *out)
{
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0};
    uint32_t touch;
    plussi_count c = {workspace->engine, PLUSSI_M_TEAM, iv, NULL, NULL};
    const plussi_plan_node *leaf =
        plussi_descend(workspace, &c, workspace->engine->root, n, &touch, NULL);
    plussi_set_cursor(leaf, touch, iv, out);
}

void plussi_engine_nth_of_leaf(plussi_workspace *workspace, uint32_t leaf, uint64_t n,
                               plussi_cursor *out)
{
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0};
    uint32_t touch;
    const plussi_engine *e = workspace->engine;
    const plussi_only only = {e->leaf[leaf], NULL, NULL};
    const plussi_plan_node *node = e->root;
    plussi_count c = {e, PLUSSI_M_LEAF, iv, &only, NULL};
    node = plussi_descend(workspace, &c, node, n, &touch, NULL);
    plussi_set_cursor(node, touch, iv, out);
}

/* ---- from a cursor to a position ------------------------------------------------------------- */

/* Counts before the leaf within `stop`, a node around it, or, where that is `inside`, within one of
 * its iterations. iv is overwritten. */
static uint64_t count_within(const plussi_count *c, const plussi_plan_node *leaf,
                             const plussi_plan_node *stop, const plussi_plan_node *inside)
{
    uint64_t sum = 0, pos;
    for (const plussi_plan_node *x = leaf; x != stop;) {
        const plussi_plan_node *p = x->parent;
        sum += x->in_else ? plussi_count_list(c, p->orelse, x->child)
                          : plussi_count_body(c, p, x->child);
        if (p->kind == PLUSSI_P_LOOP && p != inside) {
            if (p->ws_head && c->what == PLUSSI_M_THREAD) {
                plussi_thread_set own;
                plussi_thread_set_at(c->engine, p->ws_head, c->iv, (uint32_t)c->iv[0], &own);
                uint64_t n = plussi_ws_number(c->engine, p->ws_head, c->iv);
                if (plussi_iterset_position(&own.set, n, &pos))
                    sum += plussi_thread_set_before(c, p->ws_head, &own, pos);
                p = p->ws_head;
            } else if (c->what != PLUSSI_M_BARRIERS || p->sync) {
                int64_t lo = plussi_value(p->lo, c->iv);
                uint64_t u = (uint64_t)((c->iv[p->slot] - lo) / p->step);
                sum += plussi_count_in_iterations(c, p, 0, u);
            }
        }
        x = p;
    }
    return sum;
}

uint64_t plussi_count_before(const plussi_count *c, const plussi_plan_node *leaf,
                             const plussi_plan_node *stop)
{
    return count_within(c, leaf, stop, NULL);
}

static uint64_t count_spot(plussi_workspace *workspace, const plussi_cursor *cursor,
                           plussi_measure what, const plussi_plan_node *stop,
                           const plussi_plan_node *inside)
{
    const plussi_plan_node *leaf = workspace->engine->leaf[cursor->leaf];
    int64_t iv[PLUSSI_CURSOR_SLOTS];
    iv[0] = cursor->iv[0];
    for (uint32_t i = 0; i < leaf->depth; i++)
        iv[leaf->loops[i]->slot] = cursor->iv[leaf->loops[i]->slot];
    if (what == PLUSSI_M_BARRIERS) /* no barriers inside */
        leaf = leaf->item;
    return count_within(&(plussi_count){workspace->engine, what, iv, NULL, &workspace->sums}, leaf,
                        stop, inside);
}

/* Whether the workspace's trail leads to the cursor. */
static bool is_at_end(const plussi_trail *trail, const plussi_plan_node *leaf,
                      const plussi_cursor *cursor)
{
    const plussi_cursor *end = &trail->cursor;
    bool same = trail->n > 0 && end->leaf == cursor->leaf && end->touch == cursor->touch &&
                end->iv[0] == cursor->iv[0];
    for (uint32_t i = 0; i < leaf->depth && same; i++)
        same = end->iv[leaf->loops[i]->slot] == cursor->iv[leaf->loops[i]->slot];
    return same;
}

/* Accesses before the cursor in the instance of the loop, which is around it. *at: loops of the
 * trail that are not outside of it; 0: there is no trail, and they are counted. */
static uint64_t count_in_loop(plussi_workspace *workspace, const plussi_cursor *cursor,
                              const plussi_plan_node *loop, uint32_t *at)
{
    const plussi_trail *trail = &workspace->trail;
    while (*at > 0)
        if (trail->loop[--*at] == loop)
            return trail->before[*at];
    const plussi_measure what = plussi_of_thread(workspace->engine);
    return count_spot(workspace, cursor, what, loop, NULL) + cursor->touch;
}

bool plussi_engine_back(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t n,
                        plussi_cursor *out)
{
    enum { LOOPS = 3 };
    const plussi_measure what = plussi_of_thread(workspace->engine);
    const plussi_plan_node *leaf = workspace->engine->leaf[cursor->leaf], *node = leaf;
    uint32_t at = is_at_end(&workspace->trail, leaf, cursor) ? workspace->trail.n : 0;
    for (uint32_t tries = 0; node != leaf->item && tries < LOOPS;) {
        node = node->parent;
        if (node->kind != PLUSSI_P_LOOP)
            continue;
        if (node->ws_head)
            return false;
        tries++;
        const uint64_t before = count_in_loop(workspace, cursor, node, &at);
        if (before < n)
            continue;
        int64_t iv[PLUSSI_CURSOR_SLOTS];
        uint32_t touch;
        memcpy(iv, cursor->iv, sizeof iv);
        const plussi_count c = {workspace->engine, what, iv, NULL, &workspace->sums};
        leaf = plussi_descend(workspace, &c, node, before - n, &touch, NULL);
        plussi_set_cursor(leaf, touch, iv, out);
        return true;
    }
    return false;
}

uint64_t plussi_engine_phase(plussi_workspace *workspace, const plussi_cursor *cursor)
{
    return count_spot(workspace, cursor, PLUSSI_M_BARRIERS, workspace->engine->root, NULL) - 1;
}

uint64_t plussi_engine_thread_rank(plussi_workspace *workspace, const plussi_cursor *cursor)
{
    return count_spot(workspace, cursor, plussi_of_thread(workspace->engine),
                      workspace->engine->root, NULL) +
           cursor->touch;
}

uint64_t plussi_engine_leaf_accesses(const plussi_engine *engine, uint32_t leaf)
{
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0};
    const plussi_plan_node *only = engine->leaf[leaf];
    if (engine->leaf_count)
        return engine->leaf_count[leaf];
    for (const plussi_plan_node *x = only; x; x = x->parent)
        if (x->dep & 1)
            return 0;
    plussi_count c = {engine, PLUSSI_M_LEAF, iv, &(plussi_only){only, NULL, NULL}, NULL};
    return only->kind == PLUSSI_P_REF ? plussi_count_node(&c, engine->root) : 0;
}

pluss_status plussi_engine_count_leaves(plussi_engine *engine)
{
    uint64_t *count = plussi_arena_alloc(&engine->arena, engine->n_leaves, sizeof *count);
    if (!count)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < engine->n_leaves; i++)
        count[i] = plussi_engine_leaf_accesses(engine, i);
    engine->leaf_count = count;
    return PLUSS_OK;
}

bool plussi_engine_number(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t *out)
{
    const plussi_engine *e = workspace->engine;
    const plussi_plan_node *leaf = e->leaf[cursor->leaf];
    for (const plussi_plan_node *x = leaf; x; x = x->parent)
        if (plussi_differs_by_thread(x))
            return false;
    *out = count_spot(workspace, cursor, PLUSSI_M_TEAM, e->root, NULL) + cursor->touch;
    if (!leaf->in_ws)
        *out += (uint64_t)cursor->iv[0] * leaf->ref->touches;
    return true;
}

static bool stands_at(const plussi_item *item, const plussi_plan_node *node,
                      const plussi_cursor *cursor)
{
    if (item->node != node)
        return false;
    for (uint32_t k = 0; k < node->depth; k++)
        if (item->iv[node->loops[k]->slot] != cursor->iv[node->loops[k]->slot])
            return false;
    return true;
}

/* The item of a phase that holds the cursor, if there is one. */
static bool find_item(plussi_effort *effort, const plussi_phase *ph, const plussi_plan_node *node,
                      const plussi_cursor *cursor, size_t *at)
{
    plussi_effort_take(effort, ph->n_items / 4);
    for (*at = 0; *at < ph->n_items; ++*at)
        if (stands_at(&ph->item[*at], node, cursor))
            return true;
    return false;
}

/* The position of a cursor in its item. */
static uint64_t find_in_item(plussi_workspace *workspace, plussi_item *item,
                             const plussi_plan_node *leaf, const plussi_cursor *cursor)
{
    const plussi_plan_node *node = item->node;
    const plussi_measure what = plussi_of_thread(workspace->engine);
    uint64_t before;
    if (leaf->each)
        return plussi_linear_rank(workspace->engine, leaf, cursor->iv);
    if (node->ws && plussi_item_rank(workspace, item, (uint32_t)cursor->iv[0],
                                     plussi_iteration_number(node, cursor->iv), &before))
        return before + count_spot(workspace, cursor, what, node, node);
    return count_spot(workspace, cursor, what, node, NULL);
}

/* Usually many cursors of one phase are located in a row. */
void plussi_engine_locate(plussi_workspace *workspace, const plussi_cursor *cursor, uint64_t *phase,
                          uint64_t *pos)
{
    const plussi_plan_node *leaf = workspace->engine->leaf[cursor->leaf], *node = leaf->item;
    uint32_t thread = (uint32_t)cursor->iv[0];
    if (leaf->kind == PLUSSI_P_BARRIER) {
        *phase = plussi_engine_phase(workspace, cursor);
        *pos = plussi_engine_length(workspace, thread, *phase);
        return;
    }
    plussi_phase *ph = workspace->recent;
    size_t at;
    if (!ph || !find_item(workspace->engine->effort, ph, node, cursor, &at)) {
        ph = workspace->recent =
            plussi_workspace_phase(workspace, plussi_engine_phase(workspace, cursor));
        (void)find_item(workspace->engine->effort, ph, node, cursor, &at);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < at; i++)
        sum += plussi_item_length(workspace, &ph->item[i], thread);
    *phase = ph->number;
    *pos = sum + cursor->touch;
    if (at < ph->n_items) /* else memory has run out, and what is found is not used */
        *pos += find_in_item(workspace, &ph->item[at], leaf, cursor);
}

uint32_t plussi_engine_parts(const plussi_engine *engine)
{
    return engine->n_parts;
}

uint32_t plussi_engine_part(const plussi_engine *engine, uint32_t leaf)
{
    return engine->leaf[leaf]->item->part;
}

double plussi_engine_progress(plussi_workspace *workspace, const plussi_cursor *cursor,
                              uint64_t phase, uint64_t pos)
{
    const plussi_plan_node *item = workspace->engine->leaf[cursor->leaf]->item;
    if (item->depth == 0) {
        uint64_t length = plussi_engine_length(workspace, (uint32_t)cursor->iv[0], phase);
        return length ? (double)pos / (double)length : 0;
    }
    const plussi_plan_node *loop = item->loops[0];
    double iterations =
        ((double)loop->range.hi - (double)loop->range.lo) / fabs((double)loop->step) + 1;
    double v = (double)cursor->iv[loop->slot];
    double iteration = (loop->step > 0 ? v - (double)loop->range.lo : (double)loop->range.hi - v) /
                       fabs((double)loop->step);
    return iteration / iterations;
}

void plussi_engine_unrank(plussi_workspace *workspace, uint32_t thread, uint64_t phase,
                          uint64_t pos, plussi_cursor *out)
{
    plussi_phase *ph = plussi_workspace_phase(workspace, phase);
    for (size_t i = 0; i < ph->n_items; i++) {
        plussi_item *item = &ph->item[i];
        uint64_t count = ph->n_items == 1 ? plussi_engine_length(workspace, thread, phase)
                                          : plussi_item_length(workspace, item, thread);
        if (pos < count) {
            int64_t iv[PLUSSI_CURSOR_SLOTS];
            uint32_t touch;
            memcpy(iv, item->iv, sizeof iv);
            iv[0] = thread;
            plussi_count c = {workspace->engine, plussi_of_thread(workspace->engine), iv, NULL,
                              NULL};
            const plussi_plan_node *node = item->node;
            uint64_t iteration;
            if (plussi_item_find(item, thread, &pos, &iteration)) {
                plussi_enter_iteration(node, iv, iteration);
                node = choose_child(&c, node, &pos);
            }
            plussi_trail *trail = &workspace->trail;
            trail->n = 0;
            node = plussi_descend(workspace, &c, node, pos, &touch, trail);
            plussi_set_cursor(node, touch, iv, out);
            plussi_set_cursor(node, touch, iv, &trail->cursor);
            return;
        }
        pos -= count;
    }
    plussi_engine_end(workspace, thread, phase, out);
}

void plussi_engine_end(plussi_workspace *workspace, uint32_t thread, uint64_t phase,
                       plussi_cursor *out)
{
    plussi_phase *ph = plussi_workspace_phase(workspace, phase);
    ph->end_iv[0] = thread;
    if (!ph->end) { /* out of memory: any barrier will do */
        const plussi_engine *e = workspace->engine;
        ph->end = e->leaf[e->n_leaves - 1];
    }
    plussi_set_cursor(ph->end, 0, ph->end_iv, out);
}

/* The next node, if it follows without counting: references, and iterations of loops that are not
 * divided and hold no barrier. */
typedef enum next { NEXT_FOUND, NEXT_NONE, NEXT_UNKNOWN } next;

enum { TURNS = 64 };

/* The first reference in list[i], list[i + 1], ...; NEXT_NONE: none. */
static next first_of(plussi_plan_node *const *list, uint32_t i, uint32_t n, plussi_cursor *cursor)
{
    for (; i < n; i++) {
        const plussi_plan_node *x = list[i];
        if (x->zero && cursor->iv[0] != 0)
            return NEXT_UNKNOWN;
        if (x->kind == PLUSSI_P_REF) {
            cursor->leaf = x->leaf;
            cursor->touch = 0;
            return NEXT_FOUND;
        }
        if (x->kind == PLUSSI_P_IF && !x->sync) {
            bool holds = plussi_value(x->cond, cursor->iv) != 0;
            next found = holds ? first_of(x->body, 0, x->n_body, cursor)
                               : first_of(x->orelse, 0, x->n_orelse, cursor);
            if (found != NEXT_NONE)
                return found;
            continue;
        }
        if (x->kind != PLUSSI_P_LOOP || x->ws_head || x->sync)
            return NEXT_UNKNOWN;
        int64_t lo = plussi_value(x->lo, cursor->iv), hi = plussi_value(x->hi, cursor->iv);
        if (x->step > 0 ? lo >= hi : lo <= hi)
            continue;
        cursor->iv[x->slot] = lo;
        next found = first_of(x->body, 0, x->n_body, cursor);
        if (found != NEXT_FOUND) /* this iteration has none: others may */
            return NEXT_UNKNOWN;
        return NEXT_FOUND;
    }
    return NEXT_NONE;
}

static next next_of(const plussi_plan_node *x, plussi_cursor *cursor)
{
    for (;; x = x->parent) {
        const plussi_plan_node *p = x->parent;
        next found = x->in_else ? first_of(p->orelse, x->child + 1, p->n_orelse, cursor)
                                : first_of(p->body, x->child + 1, p->n_body, cursor);
        if (found != NEXT_NONE)
            return found;
        if (p->kind == PLUSSI_P_IF)
            continue;
        if (p->kind != PLUSSI_P_LOOP || p->ws_head || p->sync)
            return NEXT_UNKNOWN;
        int64_t v = cursor->iv[p->slot], hi = plussi_value(p->hi, cursor->iv);
        for (int tries = 0; tries < TURNS; tries++) { /* iterations without a reference */
            v += p->step;
            if (p->step > 0 ? v >= hi : v <= hi)
                break;
            cursor->iv[p->slot] = v;
            found = first_of(p->body, 0, p->n_body, cursor);
            if (found != NEXT_NONE)
                return found;
        }
        if (p->step > 0 ? v < hi : v > hi)
            return NEXT_UNKNOWN;
    }
}

bool plussi_engine_follow(const plussi_engine *engine, plussi_cursor *cursor)
{
    const plussi_plan_node *leaf = engine->leaf[cursor->leaf];
    cursor->touch++;
    if (leaf->kind == PLUSSI_P_REF && cursor->touch < leaf->ref->touches)
        return true;
    cursor->touch = 0;
    return next_of(leaf, cursor) == NEXT_FOUND;
}

void plussi_engine_step(plussi_workspace *workspace, uint64_t phase, uint64_t *pos,
                        plussi_cursor *cursor)
{
    uint32_t thread = (uint32_t)cursor->iv[0];
    ++*pos;
    if (!plussi_engine_follow(workspace->engine, cursor))
        plussi_engine_unrank(workspace, thread, phase, *pos, cursor);
}
