/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "transform/change.h"

#include <stdio.h>

/* ---- messages ---------------------------------------------------------------------------------
 */

static const plussi_region *region_of(const plussi_nest *nest, const plussi_node *node)
{
    while (node->parent)
        node = node->parent;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (const plussi_node *top = r->body.first; top; top = top->next)
            if (top == node)
                return r;
    return NULL;
}

plussi_loc plussi_change_loc(const plussi_change *c, const plussi_node *node)
{
    return plussi_node_place(node, region_of(c->nest, node));
}

pluss_status plussi_refuse_step(const plussi_change *c, const plussi_node *node, const char *format,
                                ...)
{
    char text[256];
    plussi_loc loc = plussi_change_loc(c, node);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return plussi_fail(c->ctx, PLUSS_EUNSUPPORTED, &loc, "%s", text);
}

/* ---- expressions ------------------------------------------------------------------------------
 */

plussi_expr *plussi_clone_expr(plussi_nest *nest, const plussi_expr *expr)
{
    plussi_expr *copy = expr ? plussi_expr_int(nest, expr->value) : NULL;
    if (!copy)
        return NULL;
    *copy = *expr;
    if (expr->subs)
        copy->subs = plussi_expr_vec(nest, expr->n_subs);
    for (uint32_t i = 0; copy->subs && i < expr->n_subs; i++)
        copy->subs[i] = plussi_clone_expr(nest, expr->subs[i]);
    for (int i = 0; i < 3; i++)
        copy->a[i] = plussi_clone_expr(nest, expr->a[i]);
    return copy;
}

static void retarget_expr(plussi_expr *expr, const plussi_node *from, plussi_node *to)
{
    if (!expr)
        return;
    if (expr->loop == from)
        expr->loop = to;
    for (uint32_t i = 0; i < expr->n_subs; i++)
        retarget_expr(expr->subs[i], from, to);
    for (int i = 0; i < 3; i++)
        retarget_expr(expr->a[i], from, to);
}

void plussi_retarget(plussi_body *body, const plussi_node *from, plussi_node *to)
{
    for (plussi_node *node = body->first; node; node = node->next) {
        if (node->kind == PLUSSI_N_LOOP) {
            retarget_expr(node->u.loop.lo, from, to);
            retarget_expr(node->u.loop.hi, from, to);
        } else if (node->kind == PLUSSI_N_IF) {
            retarget_expr(node->u.branch.cond, from, to);
        }
        for (uint32_t i = 0; node->kind == PLUSSI_N_REF && i < node->u.ref.n_subs; i++)
            retarget_expr(node->u.ref.subs[i], from, to);
        plussi_retarget(&node->body, from, to);
        plussi_retarget(&node->orelse, from, to);
    }
}

/* ---- lists of statements ----------------------------------------------------------------------
 */

plussi_body *plussi_body_around(plussi_change *c, const plussi_node *node)
{
    if (!node->parent) {
        plussi_region *region = (plussi_region *)region_of(c->nest, node);
        return region ? &region->body : NULL;
    }
    for (const plussi_node *child = node->parent->body.first; child; child = child->next)
        if (child == node)
            return &node->parent->body;
    return &node->parent->orelse;
}

plussi_node *plussi_loop_clone(plussi_change *c, const plussi_node *loop)
{
    plussi_body none = {0};
    plussi_node *copy = plussi_nest_add_node(c->nest, &none, loop->parent, loop->kind, loop->loc);
    if (!copy)
        return NULL;
    copy->text_loc = loop->text_loc;
    copy->id = loop->id;
    copy->u = loop->u;
    copy->u.loop.lo = plussi_clone_expr(c->nest, loop->u.loop.lo);
    copy->u.loop.hi = plussi_clone_expr(c->nest, loop->u.loop.hi);
    copy->u.loop.schedule.chunk = plussi_clone_expr(c->nest, loop->u.loop.schedule.chunk);
    copy->u.loop.schedule.chunk2 = plussi_clone_expr(c->nest, loop->u.loop.schedule.chunk2);
    return copy;
}

void plussi_set_parent(plussi_body *body, plussi_node *parent)
{
    for (plussi_node *node = body->first; node; node = node->next)
        node->parent = parent;
}

void plussi_insert_after(plussi_body *body, plussi_node *place, plussi_node *node)
{
    plussi_node **link = place ? &place->next : &body->first;
    node->next = *link;
    *link = node;
    if (body->last == place)
        body->last = node;
}

void plussi_remove(plussi_body *body, plussi_node *node)
{
    plussi_node *before = NULL;
    for (plussi_node *child = body->first; child != node; child = child->next)
        before = child;
    *(before ? &before->next : &body->first) = node->next;
    if (body->last == node)
        body->last = before;
    node->next = NULL;
}

void plussi_replace(plussi_body *body, plussi_node *old, plussi_node *node)
{
    plussi_insert_after(body, old, node);
    plussi_remove(body, old);
}

const plussi_node *plussi_last_ref(const plussi_node *first, const plussi_node *last)
{
    const plussi_node *found = NULL;
    for (const plussi_node *node = first; node; node = node->next) {
        const plussi_node *in[2] = {plussi_last_ref(node->body.first, NULL),
                                    plussi_last_ref(node->orelse.first, NULL)};
        found = node->kind == PLUSSI_N_REF ? node : in[1] ? in[1] : in[0] ? in[0] : found;
        if (node == last)
            break;
    }
    return found;
}

static const char *kind_text(plussi_node_kind kind)
{
    static const char *const text[] = {
        [PLUSSI_N_PARALLEL] = "a parallel region",
        [PLUSSI_N_BARRIER] = "a barrier",
        [PLUSSI_N_SINGLE] = "a single block",
        [PLUSSI_N_MASTER] = "a master block",
        [PLUSSI_N_ORDERED] = "an ordered block",
        [PLUSSI_N_SWAP] = "a swap of arrays",
        [PLUSSI_N_UNKNOWN] = "something that is not described",
    };
    return (size_t)kind < sizeof text / sizeof *text ? text[kind] : NULL;
}

static pluss_status check_body(const plussi_change *c, const plussi_body *body)
{
    pluss_status status = PLUSS_OK;
    for (const plussi_node *node = body->first; node && !status; node = node->next) {
        const char *text = kind_text(node->kind);
        if (text)
            return plussi_refuse_step(c, node, "there is %s in the loop", text);
        if (node->kind == PLUSSI_N_LOOP && node->u.loop.workshare)
            return plussi_refuse_step(c, node, "there is a worksharing loop in the loop");
        status = check_body(c, &node->body);
        if (!status)
            status = check_body(c, &node->orelse);
    }
    return status;
}

pluss_status plussi_check_contents(const plussi_change *c, const plussi_node *loop)
{
    const plussi_node *up = loop;
    for (uint32_t above = 0; up && up->kind == PLUSSI_N_LOOP; up = up->parent, above++)
        if (up->u.loop.collapse > above)
            if (up->u.loop.collapse > 1)
                return plussi_refuse_step(c, loop, "loop %s is part of collapse(%u)",
                                          loop->u.loop.iv, up->u.loop.collapse);
    if (loop->u.loop.ordered)
        return plussi_refuse_step(c, loop, "loop %s is ordered", loop->u.loop.iv);
    return check_body(c, &loop->body);
}
