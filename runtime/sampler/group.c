/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers references into groups.
 */
#include <string.h>

#include "sampler/maker.h"

enum { MAX_GROUPS = 1 << 16, LOOK_BACK = 64 };

static pluss_status make_terms(plussi_maker *m, plussi_constraint *q)
{
    const plussi_group *g = m->g;
    if (!q->k)
        return PLUSS_OK;
    q->term = plussi_arena_alloc(&m->e->arena, g->n_levels + 1, sizeof *q->term);
    if (!q->term)
        return PLUSS_ENOMEM;
    for (uint32_t l = g->n_levels; l-- > 0;)
        if (q->k[l])
            q->term[q->n_terms++] = (plussi_term){q->k[l], l, g->level[l].loop->slot};
    return PLUSS_OK;
}

static pluss_status make_all_terms(plussi_maker *m)
{
    plussi_group *g = m->g;
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < g->n_guards && !status; i++)
        status = make_terms(m, &g->guard[i]);
    for (uint32_t i = 0; i < g->n_dims + (g->n_dims > 0) && !status; i++)
        status = make_terms(m, &g->constraint[i]);
    return status;
}

static void find_sparse(const plussi_maker *m)
{
    plussi_group *g = m->g;
    for (uint32_t i = 0; i < g->n_dims + (g->n_dims > 0); i++) {
        const plussi_constraint *q = &g->constraint[i];
        if (q->n_terms > 1 && (q->term[0].k < 0 ? -q->term[0].k : q->term[0].k) >> m->e->line_shift)
            g->level[q->term[1].level].sparse = q;
    }
}

static pluss_status make_group(plussi_maker *m, plussi_plan_node *leaf, uint32_t touch,
                               plussi_group *g)
{
    const plussi_bound_array *array = leaf->ref->array, *root = array;
    while (root->over)
        root = root->over;
    *g = (plussi_group){.n_members = 1,
                        .touch = touch,
                        .writes = leaf->ref->write,
                        .par = leaf->par,
                        .root = root->id};
    m->g = g;
    g->member = plussi_arena_alloc(&m->e->arena, 1, sizeof *g->member);
    g->n_levels = leaf->depth;
    g->level = plussi_arena_alloc(&m->e->arena, leaf->depth + 1, sizeof *g->level);
    g->slot = plussi_arena_alloc(&m->e->arena, leaf->depth + 1, sizeof *g->slot);
    if (!g->member || !g->level || !g->slot)
        return PLUSS_ENOMEM;
    g->member[0] = leaf;
    memset(m->level_of, 255, sizeof m->level_of);
    m->box[0] = (plussi_interval){0, (int64_t)m->e->team - 1};
    for (uint32_t l = 0; l < leaf->depth; l++) {
        g->level[l].loop = leaf->loops[l];
        g->slot[l] = leaf->loops[l]->slot;
        m->level_of[leaf->loops[l]->slot] = (uint8_t)l;
        m->box[leaf->loops[l]->slot] = leaf->loops[l]->range;
    }
    uint64_t last = leaf->ref->width - 1, byte = (uint64_t)touch << m->e->line_shift;
    g->shift = array->base - root->base + (int64_t)(byte < last ? byte : last);
    m->guards_cap = 0;
    m->exact = true;
    pluss_status status = plussi_make_dims(m);
    for (uint32_t l = 1; l < leaf->depth && !status; l++)
        status = plussi_give_loop_bounds(m, leaf->loops[l]);
    if (!status)
        status = plussi_add_checks(m);
    plussi_constraint *guard = NULL; /* moves to the arena */
    if (!status && g->n_guards) {
        guard = plussi_arena_alloc(&m->e->arena, g->n_guards, sizeof *guard);
        if (guard)
            memcpy(guard, g->guard, g->n_guards * sizeof *guard);
        else
            status = PLUSS_ENOMEM;
    }
    plussi_free(&m->ctx->mem, g->guard);
    g->guard = guard;
    if (!status)
        status = make_all_terms(m);
    if (status)
        return status;
    plussi_cut_dims(m);
    find_sparse(m);
    for (uint32_t l = 0; l < leaf->depth; l++) {
        const plussi_plan_node *loop = leaf->loops[l];
        g->moving |= loop->ws && !loop->ws_fixed && plussi_is_block(loop);
        g->level[l].tries = plussi_count_tries(m, l);
        plussi_find_leap(m, l);
    }
    g->same_for_threads = plussi_is_same_for_threads(g);
    if (g->same_for_threads)
        leaf->in_ws->some_alike = true;
    return plussi_make_direct(m);
}

static bool same_affine(const plussi_cexpr *a, const plussi_cexpr *b)
{
    if (a->kind != PLUSSI_CEXPR_AFFINE || b->kind != PLUSSI_CEXPR_AFFINE || a->c != b->c ||
        a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->slot[i] != b->slot[i] || a->coef[i] != b->coef[i])
            return false;
    return true;
}

/* Whether the leaf accesses like a group of the same body. */
static bool can_join(const plussi_group *g, const plussi_plan_node *leaf)
{
    const plussi_plan_node *x = g->member[0];
    return x->parent == leaf->parent && x->in_else == leaf->in_else && x->zero == leaf->zero &&
           x->ref->touches == 1 && x->ref->array == leaf->ref->array &&
           same_affine(x->ref->offset, leaf->ref->offset);
}

static pluss_status add_member(plussi_engine *e, plussi_group *g, plussi_plan_node *leaf)
{
    plussi_plan_node **more = plussi_arena_alloc(&e->arena, g->n_members + 1, sizeof *more);
    if (!more)
        return PLUSS_ENOMEM;
    memcpy(more, g->member, g->n_members * sizeof *more);
    more[g->n_members++] = leaf;
    g->member = more;
    g->writes = g->writes || leaf->ref->write;
    return PLUSS_OK;
}

static pluss_status make_groups(plussi_maker *m)
{
    plussi_engine *e = m->e;
    uint64_t n = 0;
    for (uint32_t i = 0; i < e->n_leaves; i++)
        n += e->leaf[i]->kind == PLUSSI_P_REF ? e->leaf[i]->ref->touches : 0;
    if (n > MAX_GROUPS)
        return plussi_fail(m->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "closed-form sampling takes at most 65536 references (those "
                           "that span lines count once a line)");
    e->group = plussi_arena_alloc(&e->arena, n + 1, sizeof *e->group);
    if (!e->group)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < e->n_leaves; i++) {
        plussi_plan_node *leaf = e->leaf[i];
        if (leaf->kind != PLUSSI_P_REF)
            continue;
        plussi_group *joined = NULL;
        uint32_t from = e->n_groups > LOOK_BACK ? e->n_groups - LOOK_BACK : 0;
        for (uint32_t k = e->n_groups; k-- > from && !joined && leaf->ref->touches == 1;)
            joined = can_join(&e->group[k], leaf) ? &e->group[k] : NULL;
        if (joined) {
            pluss_status status = add_member(e, joined, leaf);
            if (status)
                return status;
            continue;
        }
        for (uint32_t touch = 0; touch < leaf->ref->touches; touch++) {
            pluss_status status = make_group(m, leaf, touch, &e->group[e->n_groups++]);
            if (status)
                return status;
        }
    }
    return PLUSS_OK;
}

pluss_status plussi_plan_groups(plussi_ctx *ctx, plussi_engine *e)
{
    plussi_maker m = {.ctx = ctx, .e = e};
    pluss_status status = make_groups(&m);
    return status ? status : plussi_plan_ranges(e);
}
