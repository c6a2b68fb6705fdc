/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Phases: the nodes between two barriers (a phase's items), found by going forward from the first
 * barrier; a phase is counted item by item.
 */
#include <string.h>

#include "sampler/workspace.h"

/* ---- phases -------------------------------------------------------------------------------------
 */

static bool add_item(plussi_workspace *q, plussi_phase *ph, const plussi_plan_node *node,
                     const int64_t *iv)
{
    if (plussi_grow(&q->mem, &ph->item, &ph->cap, ph->n_items, sizeof *ph->item)) {
        q->failed = true;
        return false;
    }
    plussi_item *item = &ph->item[ph->n_items++];
    item->node = node;
    item->looked_at = false;
    item->terms = 0;
    memcpy(item->iv, iv, sizeof item->iv);
    ph->on_demand |= node->on_demand;
    return true;
}

/* The first barrier at or after list[i], inside nodes that hold barriers, too; NULL: none in this
 * list. */
static const plussi_plan_node *collect_items(plussi_workspace *q, plussi_phase *ph,
                                             plussi_plan_node *const *list, uint32_t i, uint32_t n,
                                             int64_t *iv);

static const plussi_plan_node *collect_iterations(plussi_workspace *q, plussi_phase *ph,
                                                  const plussi_plan_node *loop, int64_t first,
                                                  int64_t *iv)
{
    int64_t hi = plussi_value(loop->hi, iv);
    for (int64_t v = first; loop->step > 0 ? v < hi : v > hi; v += loop->step) {
        iv[loop->slot] = v;
        plussi_effort_take(q->engine->effort, 2);
        const plussi_plan_node *end = collect_items(q, ph, loop->body, 0, loop->n_body, iv);
        if (end || q->failed)
            return end;
    }
    return NULL;
}

static const plussi_plan_node *collect_items(plussi_workspace *q, plussi_phase *ph,
                                             plussi_plan_node *const *list, uint32_t i, uint32_t n,
                                             int64_t *iv)
{
    for (; i < n; i++) {
        const plussi_plan_node *x = list[i], *end = NULL;
        if (!x->sync) {
            if (!add_item(q, ph, x, iv))
                return NULL;
            continue;
        }
        if (x->kind == PLUSSI_P_BARRIER)
            return x;
        if (x->kind == PLUSSI_P_LOOP)
            end = collect_iterations(q, ph, x, plussi_value(x->lo, iv), iv);
        else if (x->kind == PLUSSI_P_IF && !plussi_value(x->cond, iv))
            end = collect_items(q, ph, x->orelse, 0, x->n_orelse, iv);
        else
            end = collect_items(q, ph, x->body, 0, x->n_body, iv);
        if (end || q->failed)
            return end;
    }
    return NULL;
}

static void open_phase(plussi_workspace *q, plussi_phase *ph, uint64_t number)
{
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0};
    uint32_t touch;
    plussi_count c = {q->engine, PLUSSI_M_BARRIERS, iv, NULL, NULL};
    const plussi_plan_node *x = plussi_descend(q, &c, q->engine->root, number, &touch, NULL),
                           *end = NULL;
    const plussi_plan_node *barrier = x; /* barrier before the phase */
    ph->n_items = 0;
    ph->on_demand = false;
    while (!end && x->parent && !q->failed) {
        const plussi_plan_node *p = x->parent;
        end = x->in_else ? collect_items(q, ph, p->orelse, x->child + 1, p->n_orelse, iv)
                         : collect_items(q, ph, p->body, x->child + 1, p->n_body, iv);
        if (!end && p->kind == PLUSSI_P_LOOP)
            end = collect_iterations(q, ph, p, iv[p->slot] + p->step, iv);
        x = p;
    }
    ph->number = number;
    ph->end = end ? end : barrier; /* none: out of memory, when any answer will do */
    ph->shortest = 0;
    memcpy(ph->end_iv, iv, sizeof iv);
    plussi_effort_take(q->engine->effort, q->engine->team / 8);
    for (uint32_t t = 0; t < q->engine->team; t++)
        ph->length[t] = UINT64_MAX;
}

plussi_phase *plussi_workspace_phase(plussi_workspace *q, uint64_t number)
{
    plussi_phase *ph = &q->phase[number % PLUSSI_WORKSPACE_PHASES];
    if (ph->number != number)
        open_phase(q, ph, number);
    return ph;
}

/* How the accesses of a loop's iterations follow from their numbers, if they do; else terms is 0.
 */
static void look_at_item(const plussi_engine *e, plussi_item *item)
{
    const plussi_plan_node *x = item->node;
    item->looked_at = true;
    if (!x->ws || !x->par || x->collapse > 1 || x->schedule != PLUSSI_SCHED_STATIC || x->mixed ||
        x->reads & 1 || (x->ws_own_dep && (x->chunk || !plussi_iterations_regular(x))))
        return;
    uint32_t degree = 0;
    for (uint32_t i = 0; i < x->n_body; i++) {
        if (x->body[i]->has_ws)
            return;
        if (x->ws_own_dep && x->body[i]->degree > degree)
            degree = x->body[i]->degree;
    }
    if (degree >= PLUSSI_ITEM_TERMS)
        return;
    int64_t iv[PLUSSI_CURSOR_SLOTS];
    uint64_t n, chunk;
    memcpy(iv, item->iv, sizeof iv);
    iv[0] = 0;
    plussi_ws_size(e, x, iv, &n, &chunk);
    const uint32_t team = plussi_team_at(e, x->par, iv);
    const int64_t lo = plussi_value(x->lo, iv);
    const plussi_count c = {e, plussi_of_thread(e), iv, NULL, NULL};
    item->set = plussi_iterset_static(n, team == 1 ? 0 : chunk, team, 0);
    item->terms = degree + 1;
    for (uint32_t u = 0; u <= degree; u++) {
        iv[x->slot] = lo + x->step * (int64_t)u;
        item->difference[u] = u < n ? plussi_count_body(&c, x, x->n_body) : 0;
    }
    plussi_newton_differences(item->difference, item->terms);
}

/* Accesses of the iterations before one, whichever thread executes them. */
static uint64_t sum_before(const plussi_item *item, uint64_t iteration)
{
    return (uint64_t)plussi_newton_at(item->difference, item->terms, iteration, 1);
}

/* The thread's accesses in such a loop. */
static uint64_t sum_iterations(plussi_item *item, uint32_t thread)
{
    item->set.thread = thread;
    const uint64_t count = thread < item->set.team ? plussi_iterset_count(&item->set) : 0;
    if (count == 0 || item->terms == 1)
        return count * (uint64_t)item->difference[0];
    const uint64_t first = plussi_iterset_nth(&item->set, 0);
    return sum_before(item, first + count) - sum_before(item, first);
}

bool plussi_item_rank(plussi_workspace *q, plussi_item *item, uint32_t thread, uint64_t iteration,
                      uint64_t *before)
{
    if (!item->looked_at)
        look_at_item(q->engine, item);
    if (!item->terms || thread >= item->set.team)
        return false;
    item->set.thread = thread;
    if (item->terms == 1) {
        uint64_t pos;
        const bool own = plussi_iterset_position(&item->set, iteration, &pos);
        *before = own ? pos * (uint64_t)item->difference[0] : 0;
        return own;
    }
    const uint64_t first = plussi_iterset_nth(&item->set, 0);
    *before = sum_before(item, iteration) - sum_before(item, first);
    return true;
}

bool plussi_item_find(plussi_item *item, uint32_t thread, uint64_t *p, uint64_t *iteration)
{
    if (item->terms < 2) /* 1: found by a division where the loop is entered */
        return false;
    item->set.thread = thread;
    const uint64_t first = plussi_iterset_nth(&item->set, 0);
    *p += sum_before(item, first);
    *iteration = plussi_newton_find(item->difference, item->terms, item->set.n, p);
    return true;
}

uint64_t plussi_item_length(plussi_workspace *q, plussi_item *item, uint32_t thread)
{
    const plussi_plan_node *node = item->node;
    if (!item->looked_at)
        look_at_item(q->engine, item);
    if (item->terms)
        return sum_iterations(item, thread);
    item->iv[0] = thread;
    if (node->par && thread >= plussi_team_at(q->engine, node->par, item->iv))
        return 0;
    return plussi_count_node(
        &(plussi_count){q->engine, plussi_of_thread(q->engine), item->iv, NULL, NULL}, node);
}

uint64_t plussi_engine_before(plussi_workspace *workspace, uint64_t phase)
{
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0};
    uint32_t touch;
    const plussi_engine *e = workspace->engine;
    plussi_count c = {e, PLUSSI_M_BARRIERS, iv, NULL, NULL};
    const plussi_plan_node *leaf = plussi_descend(workspace, &c, e->root, phase, &touch, NULL);
    c.what = PLUSSI_M_TEAM;
    return plussi_count_before(&c, leaf, e->root);
}

uint64_t plussi_engine_length(plussi_workspace *workspace, uint32_t thread, uint64_t phase)
{
    plussi_phase *ph = plussi_workspace_phase(workspace, phase);
    if (ph->length[thread] == UINT64_MAX) {
        uint64_t sum = 0;
        for (size_t i = 0; i < ph->n_items; i++)
            sum += plussi_item_length(workspace, &ph->item[i], thread);
        ph->length[thread] = sum;
    }
    return ph->length[thread];
}

uint64_t plussi_engine_busy(plussi_workspace *workspace, uint64_t phase, const uint64_t **bits)
{
    plussi_phase *ph = plussi_workspace_phase(workspace, phase);
    uint32_t team = workspace->engine->team;
    *bits = ph->busy;
    if (ph->shortest)
        return ph->shortest;
    plussi_effort_take(workspace->engine->effort, team);
    memset(ph->busy, 0, ((size_t)team + 63) / 64 * sizeof *ph->busy);
    ph->shortest = UINT64_MAX;
    for (uint32_t t = 0; t < team; t++) {
        uint64_t length = plussi_engine_length(workspace, t, phase);
        if (length == 0)
            continue;
        ph->busy[t / 64] |= UINT64_C(1) << t % 64;
        ph->shortest = length < ph->shortest ? length : ph->shortest;
    }
    return ph->shortest;
}

uint64_t plussi_engine_region(plussi_workspace *workspace, uint64_t phase)
{
    const plussi_phase *ph = plussi_workspace_phase(workspace, phase);
    const plussi_plan_node *par = ph->n_items ? ph->item[0].node->par : NULL;
    if (!par)
        return phase;
    int64_t iv[PLUSSI_CURSOR_SLOTS];
    memcpy(iv, ph->item[0].iv, sizeof iv);
    plussi_count c = {workspace->engine, PLUSSI_M_BARRIERS, iv, NULL, NULL};
    return plussi_count_before(&c, par, workspace->engine->root);
}

/* ---- dynamic loops --------------------------------------------------------
 */

bool plussi_engine_on_demand(plussi_workspace *workspace, uint64_t phase)
{
    return plussi_workspace_phase(workspace, phase)->on_demand;
}

uint64_t plussi_engine_loop_phase(const plussi_engine *engine, const plussi_bound_node *loop,
                                  const int64_t *iv)
{
    int64_t scratch[PLUSSI_CURSOR_SLOTS];
    memcpy(scratch, iv, sizeof scratch);
    plussi_count c = {engine, PLUSSI_M_BARRIERS, scratch, NULL, NULL};
    return plussi_count_before(&c, engine->loop[loop->id], engine->root) - 1;
}

static bool visit_list(const plussi_engine *e, plussi_plan_node *const *list, uint32_t n,
                       int64_t *iv, const plussi_visitor *v);

static bool visit_loop(const plussi_engine *e, const plussi_plan_node *head, uint32_t team,
                       const int64_t *iv, const plussi_visitor *v)
{
    int64_t around[PLUSSI_CURSOR_SLOTS] = {0};
    uint64_t n, chunk;
    for (uint32_t i = 0; i < head->depth; i++)
        around[head->loops[i]->slot] = iv[head->loops[i]->slot];
    plussi_ws_size(e, head, iv, &n, &chunk);
    return v->loop(v->user, head->decl, around, n, chunk, team);
}

static bool visit_node(const plussi_engine *e, const plussi_plan_node *node, int64_t *iv,
                       const plussi_visitor *v)
{
    uint32_t team = node->par ? plussi_team_at(e, node->par, iv) : 1;
    if (!node->on_demand || team == 1) {
        for (uint32_t t = 0; t < team; t++) {
            iv[0] = t;
            plussi_count c = {e, PLUSSI_M_THREAD, iv, NULL, NULL};
            v->work(v->user, t, plussi_count_node(&c, node));
        }
        iv[0] = 0;
        return true;
    }
    if (node->ws)
        return visit_loop(e, node, team, iv, v);
    if (node->kind == PLUSSI_P_IF && !plussi_value(node->cond, iv))
        return visit_list(e, node->orelse, node->n_orelse, iv, v);
    if (node->kind != PLUSSI_P_LOOP)
        return visit_list(e, node->body, node->n_body, iv, v);
    int64_t lo = plussi_value(node->lo, iv);
    uint64_t trips = plussi_loop_trips(node, iv);
    for (uint64_t u = 0; u < trips; u++) {
        iv[node->slot] = lo + node->step * (int64_t)u;
        if (!visit_list(e, node->body, node->n_body, iv, v))
            return false;
    }
    return true;
}

static bool visit_list(const plussi_engine *e, plussi_plan_node *const *list, uint32_t n,
                       int64_t *iv, const plussi_visitor *v)
{
    bool going = true;
    for (uint32_t i = 0; i < n && going; i++)
        going = visit_node(e, list[i], iv, v);
    return going;
}

void plussi_engine_visit(plussi_workspace *workspace, uint64_t phase, const plussi_visitor *visitor)
{
    const plussi_phase *ph = plussi_workspace_phase(workspace, phase);
    bool going = !workspace->failed;
    for (size_t i = 0; i < ph->n_items && going; i++) {
        int64_t iv[PLUSSI_CURSOR_SLOTS];
        memcpy(iv, ph->item[i].iv, sizeof iv);
        iv[0] = 0;
        going = visit_node(workspace->engine, ph->item[i].node, iv, visitor);
    }
}
