/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loops of a band in another order, and loops over tiles around them.
 */
#include "transform/change.h"

#include <string.h>

/* The body's last access is a read: its value is in a register after the iteration. */
static pluss_status check_iteration(const plussi_change *c, const plussi_band *band)
{
    const plussi_node *ref = plussi_last_ref(band->loop[band->n - 1]->body.first, NULL);
    if (ref && !ref->u.ref.write)
        return plussi_refuse_step(c, ref,
                                  "what is read from %s is kept in a register from iteration to "
                                  "iteration, which the description does not follow",
                                  ref->u.ref.array->name);
    return PLUSS_OK;
}

/* What the place of a loop says, whichever loop is there. */
static void take_place(plussi_node *to, const plussi_node *from)
{
    to->u.loop.workshare = from->u.loop.workshare;
    to->u.loop.schedule = from->u.loop.schedule;
    to->u.loop.collapse = from->u.loop.collapse;
    to->u.loop.nowait = from->u.loop.nowait;
    to->u.loop.ordered = from->u.loop.ordered;
}

static void become_plain(plussi_node *loop)
{
    loop->u.loop.workshare = loop->u.loop.nowait = loop->u.loop.ordered = false;
    loop->u.loop.schedule = (plussi_schedule){0};
    loop->u.loop.collapse = 1;
}

/* Puts the loops into each other, in place of the band, around its body. The first takes over what
 * distributes iterations. */
static void nest_loops(plussi_change *c, const plussi_band *band, plussi_node *const *loop,
                       uint32_t n)
{
    plussi_node *top = band->loop[0];
    const plussi_node place = *top;
    plussi_body *around = plussi_body_around(c, top);
    const plussi_body body = band->loop[band->n - 1]->body;
    if (loop[0] != top)
        plussi_replace(around, top, loop[0]);
    for (uint32_t i = 0; i < n; i++) {
        become_plain(loop[i]);
        loop[i]->parent = i ? loop[i - 1] : place.parent;
        if (i)
            loop[i]->next = NULL;
        loop[i]->body = i + 1 < n ? (plussi_body){loop[i + 1], loop[i + 1]} : body;
    }
    take_place(loop[0], &place);
    plussi_set_parent(&loop[n - 1]->body, loop[n - 1]);
}

pluss_status plussi_interchange(plussi_change *c, plussi_node *outer, plussi_node *inner)
{
    plussi_band band;
    pluss_status status = plussi_isolate(c, outer, inner, &band);
    if (!status)
        status = check_iteration(c, &band);
    if (status)
        return status;
    uint32_t order[PLUSSI_MAX_LOOPS];
    plussi_node *loop[PLUSSI_MAX_LOOPS];
    plussi_expr *lo[PLUSSI_MAX_LOOPS] = {0}, *hi[PLUSSI_MAX_LOOPS] = {0};
    for (uint32_t i = 0; i < band.n; i++)
        order[i] = i == 0 ? band.n - 1 : i == band.n - 1 ? 0 : i;
    if (!plussi_is_rectangular(&band))
        status = plussi_reorder_bounds(c, &band, order, false, lo, hi);
    for (uint32_t i = 0; i < band.n && !status; i++) {
        loop[i] = band.loop[order[i]];
        loop[i]->u.loop.lo = lo[order[i]] ? lo[order[i]] : loop[i]->u.loop.lo;
        loop[i]->u.loop.hi = hi[order[i]] ? hi[order[i]] : loop[i]->u.loop.hi;
    }
    if (!status)
        nest_loops(c, &band, loop, band.n);
    return status;
}

/* ---- tiles ------------------------------------------------------------------------------------
 */

static bool is_taken(const plussi_nest *nest, const char *name)
{
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (node->kind == PLUSSI_N_LOOP && strcmp(node->u.loop.iv, name) == 0)
                return true;
    return plussi_nest_declares(nest, name);
}

/* i's tiles are ii, row's row_tile. */
static const char *name_tile(plussi_change *c, const char *iv)
{
    char name[PLUSSI_MAX_NAME + 1] = "";
    size_t length = strlen(iv);
    if (length > PLUSSI_MAX_NAME - 16)
        return NULL;
    strcat(name, iv);
    strcat(name, length == 1 ? iv : "_tile");
    while (is_taken(c->nest, name) && strlen(name) < PLUSSI_MAX_NAME)
        strcat(name, "_");
    return plussi_nest_string(c->nest, name);
}

static plussi_expr *least(plussi_nest *nest, plussi_expr_kind kind, plussi_expr *a, plussi_expr *b)
{
    return a ? plussi_expr_op(nest, kind, a, b, NULL) : b;
}

/* The loop over a loop's tiles, whose bounds are lo and hi where they are not NULL. */
static plussi_node *make_tile_loop(plussi_change *c, plussi_node *loop, int64_t size,
                                   plussi_expr *lo, plussi_expr *hi)
{
    plussi_nest *nest = c->nest;
    plussi_node *tile = plussi_loop_clone(c, loop);
    const char *name = name_tile(c, loop->u.loop.iv);
    if (!tile || !name)
        return NULL;
    tile->u.loop.iv = name;
    tile->u.loop.step = size;
    if (lo) {
        tile->u.loop.lo = lo;
        tile->u.loop.hi = hi;
    }
    plussi_expr *own = lo ? plussi_clone_expr(nest, loop->u.loop.lo) : NULL;
    plussi_expr *end = plussi_expr_op(nest, PLUSSI_E_ADD, plussi_expr_iv(nest, tile),
                                      plussi_expr_int(nest, size), NULL);
    loop->u.loop.lo = least(nest, PLUSSI_E_MAX, own, plussi_expr_iv(nest, tile));
    loop->u.loop.hi = least(nest, PLUSSI_E_MIN, loop->u.loop.hi, end);
    c->special[c->n_special].loop = tile;
    c->special[c->n_special++].tile = size;
    return tile;
}

pluss_status plussi_tile(plussi_change *c, const plussi_band *band, const int64_t *size)
{
    pluss_status status = check_iteration(c, band);
    const bool rectangular = plussi_is_rectangular(band);
    uint32_t order[PLUSSI_MAX_LOOPS], n = 0;
    plussi_node *loop[2 * PLUSSI_MAX_LOOPS];
    plussi_expr *lo[PLUSSI_MAX_LOOPS] = {0}, *hi[PLUSSI_MAX_LOOPS] = {0};
    for (uint32_t i = 0; i < band->n && !status; i++) {
        order[i] = i;
        if (size[i] && band->loop[i]->u.loop.step != 1)
            return plussi_refuse_step(c, band->loop[i], "loop %s does not have step 1",
                                      band->loop[i]->u.loop.iv);
    }
    if (!status && !rectangular)
        status = plussi_reorder_bounds(c, band, order, true, lo, hi);
    for (uint32_t i = 0; i < band->n && !status; i++) {
        if (!size[i])
            continue;
        loop[n] = make_tile_loop(c, band->loop[i], size[i], lo[i], hi[i]);
        if (!loop[n++])
            return PLUSS_ENOMEM;
    }
    for (uint32_t i = 0; i < band->n && !status; i++)
        loop[n++] = band->loop[i];
    if (!status)
        nest_loops(c, band, loop, n);
    return status;
}
