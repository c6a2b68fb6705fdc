/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arrays that exchange their memory. sigma[a] is the array whose memory a has; swap a, b exchanges
 * sigma[a] and sigma[b]. If one iteration of a loop leaves sigma = B (from the identity), u
 * iterations leave B^u, and a list that leaves L after them leaves B^u L: so the memory of an array
 * at a node is found from the inside out.
 */
#include <string.h>

#include "sampler/plan.h"

typedef struct swapper {
    plussi_ctx *ctx;
    plussi_engine *e;
    uint32_t n; /* arrays */
} swapper;

static uint32_t *new_identity(swapper *s)
{
    uint32_t *sigma = plussi_arena_alloc(&s->e->arena, s->n + 1, sizeof *sigma);
    for (uint32_t a = 0; sigma && a < s->n; a++)
        sigma[a] = a;
    return sigma;
}

static pluss_status refuse_node(swapper *s, const plussi_plan_node *node, const char *what)
{
    plussi_loc loc = {0};
    if (node->decl)
        loc = plussi_bound_node_loc(s->e->bound, node->decl);
    return plussi_fail(s->ctx, PLUSS_EUNSUPPORTED, &loc, "closed-form sampling cannot take %s",
                       what);
}

static pluss_status run_list(swapper *s, plussi_plan_node *const *list, uint32_t n,
                             uint32_t *sigma);

/* power[r] for r = 0 ... order - 1. */
static pluss_status find_powers(swapper *s, const plussi_plan_node *loop, const uint32_t *iteration,
                                plussi_perm *out)
{
    uint32_t *now = new_identity(s);
    if (!now)
        return PLUSS_ENOMEM;
    for (uint32_t order = 1;; order++) {
        bool one = true;
        for (uint32_t a = 0; a < s->n; a++)
            now[a] = iteration[now[a]];
        for (uint32_t a = 0; a < s->n; a++)
            one = one && now[a] == a;
        if (order > PLUSSI_MAX_PERM_ORDER)
            return refuse_node(s, loop,
                               "swaps of arrays that repeat only after 1024 iterations or more");
        if (!one)
            continue;
        out->power = plussi_arena_alloc(&s->e->arena, (size_t)order * s->n + 1, sizeof *now);
        if (!out->power)
            return PLUSS_ENOMEM;
        for (uint32_t a = 0; a < s->n; a++)
            out->power[a] = a;
        for (uint32_t r = 1; r < order; r++)
            for (uint32_t a = 0; a < s->n; a++)
                out->power[r * s->n + a] = iteration[out->power[(r - 1) * s->n + a]];
        out->order = order;
        return PLUSS_OK;
    }
}

static pluss_status run_loop(swapper *s, const plussi_plan_node *loop, uint32_t *sigma)
{
    uint32_t *iteration = new_identity(s), *next = new_identity(s);
    if (!iteration || !next)
        return PLUSS_ENOMEM;
    pluss_status status = run_list(s, loop->body, loop->n_body, iteration);
    plussi_perm *perm = &s->e->iteration[loop->order];
    if (!status)
        status = find_powers(s, loop, iteration, perm);
    if (status)
        return status;
    if (perm->order == 1)
        return PLUSS_OK;
    if (loop->reads)
        return refuse_node(s, loop, "swaps of arrays whose number depends on loops");
    static const int64_t none[PLUSSI_CURSOR_SLOTS];
    const uint32_t *all = perm->power + plussi_loop_trips(loop, none) % perm->order * s->n;
    for (uint32_t a = 0; a < s->n; a++)
        next[a] = sigma[all[a]];
    memcpy(sigma, next, s->n * sizeof *sigma);
    return PLUSS_OK;
}

static pluss_status run_node(swapper *s, const plussi_plan_node *node, uint32_t *sigma)
{
    switch (node->kind) {
    case PLUSSI_P_SWAP: {
        uint32_t a = node->decl->u.swap.a, b = node->decl->u.swap.b, t = sigma[a];
        sigma[a] = sigma[b];
        sigma[b] = t;
        return PLUSS_OK;
    }
    case PLUSSI_P_LOOP:
        return run_loop(s, node, sigma);
    case PLUSSI_P_IF: {
        if (node->reads)
            return refuse_node(s, node, "a swap of arrays under a condition that depends on loops");
        static const int64_t none[PLUSSI_CURSOR_SLOTS];
        return plussi_value(node->cond, none) ? run_list(s, node->body, node->n_body, sigma)
                                              : run_list(s, node->orelse, node->n_orelse, sigma);
    }
    default:
        return run_list(s, node->body, node->n_body, sigma);
    }
}

static pluss_status run_list(swapper *s, plussi_plan_node *const *list, uint32_t n, uint32_t *sigma)
{
    bool moved = false;
    for (uint32_t i = 0; i < n; i++) {
        if (moved) {
            uint32_t *copy = new_identity(s);
            if (!copy)
                return PLUSS_ENOMEM;
            memcpy(copy, sigma, s->n * sizeof *copy);
            s->e->before[list[i]->order] = copy;
        }
        if (!list[i]->has_swap)
            continue;
        pluss_status status = run_node(s, list[i], sigma);
        if (status)
            return status;
        moved = true;
    }
    return PLUSS_OK;
}

pluss_status plussi_plan_swaps(plussi_ctx *ctx, plussi_engine *e)
{
    e->has_swap = e->root->has_swap;
    if (!e->has_swap)
        return PLUSS_OK;
    swapper s = {ctx, e, e->bound->n_arrays};
    e->iteration = plussi_arena_alloc(&e->arena, e->n_nodes, sizeof *e->iteration);
    e->before = plussi_arena_alloc(&e->arena, e->n_nodes, sizeof *e->before);
    uint32_t *sigma = new_identity(&s);
    if (!e->iteration || !e->before || !sigma)
        return PLUSS_ENOMEM;
    return run_list(&s, e->root->body, e->root->n_body, sigma);
}

uint32_t plussi_memory_of(const plussi_engine *e, const plussi_plan_node *node, const int64_t *iv,
                          uint32_t array)
{
    uint32_t n = e->bound->n_arrays;
    for (; node->parent; node = node->parent) {
        if (e->before[node->order])
            array = e->before[node->order][array];
        const plussi_plan_node *p = node->parent;
        if (p->kind != PLUSSI_P_LOOP || e->iteration[p->order].order <= 1)
            continue;
        uint64_t u = (uint64_t)((iv[p->slot] - plussi_value(p->lo, iv)) / p->step);
        array = e->iteration[p->order].power[u % e->iteration[p->order].order * n + array];
    }
    return array;
}
