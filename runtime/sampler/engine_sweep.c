/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Many iterations of an innermost loop at a time, where each makes the same references.
 */
#include "sampler/workspace.h"

bool plussi_is_flat(const plussi_plan_node *loop)
{
    if (loop->kind != PLUSSI_P_LOOP || loop->n_body == 0 || loop->n_body > PLUSSI_SWEEP_REFS ||
        (loop->ws_head && loop->collapse > 1))
        return false;
    for (uint32_t i = 0; i < loop->n_body; i++) {
        const plussi_plan_node *x = loop->body[i];
        if (x->kind != PLUSSI_P_REF || x->zero || x->ref->touches != 1 ||
            x->ref->offset->kind != PLUSSI_CEXPR_AFFINE)
            return false;
    }
    return true;
}

/* Whether a thread executes the iterations of a worksharing loop one after the other. */
static bool is_consecutive(const plussi_engine *e, const plussi_plan_node *loop)
{
    return loop->begin || (e->team == 1 && loop->schedule == PLUSSI_SCHED_STATIC);
}

bool plussi_engine_is_flat(const plussi_engine *engine, uint32_t leaf)
{
    const plussi_plan_node *x = engine->leaf[leaf];
    return x->kind == PLUSSI_P_REF && x->parent->flat && !engine->has_swap &&
           (!x->parent->ws_head || is_consecutive(engine, x->parent));
}

/* Iterations of the cursor's thread from the cursor's on. */
static uint64_t count_from(const plussi_plan_node *loop, const int64_t *iv)
{
    const int64_t v = iv[loop->slot];
    return loop->begin ? loop->begin[iv[0] + 1] - plussi_iteration_number(loop, iv)
                       : plussi_trips(v, plussi_value(loop->hi, iv), loop->step);
}

static int64_t factor_of(const plussi_cexpr *x, uint32_t slot)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->slot[i] == slot)
            return x->coef[i];
    return 0;
}

uint64_t plussi_engine_sweep(plussi_workspace *workspace, plussi_cursor *cursor, uint64_t most,
                             plussi_swept *out)
{
    const plussi_engine *e = workspace->engine;
    const plussi_plan_node *x = e->leaf[cursor->leaf], *loop = x->parent;
    if (x->child != 0 || most < 2 * loop->n_body || !plussi_engine_is_flat(e, cursor->leaf))
        return 0;
    uint64_t n = count_from(loop, cursor->iv);
    n = n < most / loop->n_body ? n : most / loop->n_body;
    if (n < 2)
        return 0;
    out->iterations = n;
    out->n = loop->n_body;
    for (uint32_t i = 0; i < loop->n_body; i++) {
        cursor->leaf = loop->body[i]->leaf;
        out->ref[i].address = plussi_engine_address(workspace, cursor);
        out->ref[i].step = factor_of(loop->body[i]->ref->offset, loop->slot) * loop->step;
    }
    cursor->iv[loop->slot] += loop->step * (int64_t)(n - 1);
    return n * loop->n_body;
}
