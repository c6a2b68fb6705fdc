/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops in parts, and two loops as one.
 */
#include "transform/change.h"

#include <string.h>

/* What is read last in front of a cut is kept in a register behind it. */
static pluss_status check_registers(const plussi_change *c, const plussi_node *first,
                                    const plussi_node *last)
{
    const plussi_node *ref = plussi_last_ref(first, last);
    if (ref && !ref->u.ref.write)
        return plussi_refuse_step(c, ref,
                                  "what is read from %s here is kept in a register, which the "
                                  "description does not follow",
                                  ref->u.ref.array->name);
    return PLUSS_OK;
}

/* The children up to `last` stay, those after it go into a copy of the loop behind it. */
static pluss_status cut(plussi_change *c, plussi_node *loop, plussi_node *last)
{
    pluss_status status = check_registers(c, loop->body.first, last);
    if (status)
        return status;
    plussi_body *around = plussi_body_around(c, loop);
    plussi_node *rest = plussi_loop_clone(c, loop);
    if (!rest)
        return PLUSS_ENOMEM;
    rest->body = (plussi_body){last->next, loop->body.last};
    loop->body.last = last;
    last->next = NULL;
    loop->u.loop.nowait = false;
    plussi_set_parent(&rest->body, rest);
    plussi_retarget(&rest->body, loop, rest);
    plussi_insert_after(around, loop, rest);
    return PLUSS_OK;
}

/* Splits the loop around a child, which is then alone in a loop: *alone. */
static pluss_status split_around(plussi_change *c, plussi_node *loop, plussi_node *child,
                                 plussi_node **alone)
{
    pluss_status status = PLUSS_OK;
    *alone = loop;
    if (loop->body.first != child) {
        plussi_node *before = loop->body.first;
        while (before->next != child)
            before = before->next;
        status = cut(c, loop, before);
        *alone = loop->next;
    }
    if (!status && child->next)
        status = cut(c, *alone, child);
    return status;
}

pluss_status plussi_isolate(plussi_change *c, plussi_node *outer, plussi_node *inner,
                            plussi_band *band)
{
    pluss_status status = plussi_check_contents(c, outer);
    uint32_t n = 1;
    for (plussi_node *up = inner; up != outer && !status; up = up->parent, n++) {
        if (!up->parent)
            return plussi_refuse_step(c, inner, "loop %s is not in loop %s", inner->u.loop.iv,
                                      outer->u.loop.iv);
        if (up->parent->kind != PLUSSI_N_LOOP)
            return plussi_refuse_step(c, up, "there is a condition between loop %s and loop %s",
                                      outer->u.loop.iv, inner->u.loop.iv);
    }
    if (status)
        return status;
    *band = (plussi_band){.n = n};
    band->loop[n - 1] = inner;
    for (uint32_t i = n - 1; i-- > 0 && !status;)
        status = split_around(c, band->loop[i + 1]->parent, band->loop[i + 1], &band->loop[i]);
    return status;
}

pluss_status plussi_distribute(plussi_change *c, plussi_node *loop)
{
    pluss_status status = plussi_check_contents(c, loop);
    bool any = false;
    while (!status) {
        plussi_node *last = loop->body.first;
        if (!last)
            break;
        while (last->next && last->kind != PLUSSI_N_LOOP && last->next->kind != PLUSSI_N_LOOP)
            last = last->next;
        if (!last->next)
            break;
        status = cut(c, loop, last);
        any = true;
        loop = loop->next;
    }
    if (!status && !any)
        return plussi_refuse_step(c, loop, "loop %s holds one part alone", loop->u.loop.iv);
    return status;
}

/* ---- fusion -----------------------------------------------------------------------------------
 */

static bool same_bound(const plussi_expr *a, const plussi_expr *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && a->value == b->value && a->symbol == b->symbol &&
           a->loop == b->loop && a->array == b->array && a->n_subs == 0 && b->n_subs == 0 &&
           same_bound(a->a[0], b->a[0]) && same_bound(a->a[1], b->a[1]) &&
           same_bound(a->a[2], b->a[2]);
}

static bool have_same_heads(const plussi_node *a, const plussi_node *b)
{
    const plussi_schedule *s = &a->u.loop.schedule, *t = &b->u.loop.schedule;
    return same_bound(a->u.loop.lo, b->u.loop.lo) && same_bound(a->u.loop.hi, b->u.loop.hi) &&
           a->u.loop.step == b->u.loop.step && a->u.loop.workshare == b->u.loop.workshare &&
           s->kind == t->kind && same_bound(s->chunk, t->chunk) && same_bound(s->chunk2, t->chunk2);
}

/* The parallel region that holds nothing but the loop, and no clause; else NULL. */
static plussi_node *plain_region(const plussi_node *loop)
{
    plussi_node *p = loop->parent;
    return p && p->kind == PLUSSI_N_PARALLEL && p->body.first == loop && !loop->next &&
                   !p->u.parallel.num_threads && !p->u.parallel.cond
               ? p
               : NULL;
}

static bool uses_name(const plussi_body *body, const char *iv)
{
    for (const plussi_node *node = body->first; node; node = node->next)
        if ((node->kind == PLUSSI_N_LOOP && strcmp(node->u.loop.iv, iv) == 0) ||
            uses_name(&node->body, iv) || uses_name(&node->orelse, iv))
            return true;
    return false;
}

pluss_status plussi_fuse(plussi_change *c, plussi_node *first, plussi_node *second)
{
    plussi_node *p = plain_region(first), *q = plain_region(second);
    bool apart = p && q && p->next == q;
    pluss_status status = plussi_check_contents(c, first);
    if (!status)
        status = plussi_check_contents(c, second);
    if (!status && first->next != second && !apart)
        return plussi_refuse_step(c, second, "loop %s does not follow the other loop at once",
                                  second->u.loop.iv);
    if (!status && !have_same_heads(first, second))
        return plussi_refuse_step(c, second, "the loops differ in bounds, step or schedule");
    if (!status && uses_name(&second->body, first->u.loop.iv))
        return plussi_refuse_step(c, second, "a loop in it is called %s, too", first->u.loop.iv);
    if (!status)
        status = check_registers(c, first->body.first, NULL);
    if (status)
        return status;
    first->u.loop.nowait = second->u.loop.nowait;
    c->special[c->n_special].loop = first;
    c->special[c->n_special++].second = second->id;
    plussi_remove(plussi_body_around(c, apart ? q : second), apart ? q : second);
    plussi_retarget(&second->body, second, first);
    plussi_set_parent(&second->body, first);
    if (!first->body.first)
        first->body = second->body;
    else if (second->body.first) {
        first->body.last->next = second->body.first;
        first->body.last = second->body.last;
    }
    return PLUSS_OK;
}
