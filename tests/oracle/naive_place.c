/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The placement rule of bound.h, by the letter.
 */
#include <stdlib.h>

#include "naive_inner.h"

enum { PLACE_START = 65536 };

void naive_measure(naive_state *s)
{
    for (const plussi_array *decl = s->nest->first_array; decl; decl = decl->next) {
        naive_array *a = &s->array[decl->id];
        int64_t stride = (int64_t)decl->elem_bytes;
        a->is_private = decl->is_private;
        for (const plussi_array *up = decl; up->base_kind == PLUSSI_BASE_OVER; up = up->over)
            a->is_private = up->over->is_private;
        for (uint32_t d = 0; d < decl->rank; d++)
            a->extent[d] = decl->extents[d] ? naive_eval(s, decl->extents[d]) : -1;
        for (uint32_t i = 0; i < decl->rank; i++) {
            uint32_t d = decl->column_order ? i : decl->rank - 1 - i;
            a->stride[d] = stride;
            stride *= a->extent[d];
        }
        for (uint32_t d = 0; decl->strides && d < decl->rank; d++)
            a->stride[d] = naive_eval(s, decl->strides[d]) * (int64_t)decl->elem_bytes;
    }
}

static int64_t line_of(const naive_state *s, int64_t byte)
{
    int64_t size = s->options->line_bytes;
    return byte >= 0 ? byte / size : -((-byte + size - 1) / size);
}

static void include(naive_array *a, int64_t lo, int64_t hi)
{
    a->room_lo = lo < a->room_lo ? lo : a->room_lo;
    a->room_hi = hi > a->room_hi ? hi : a->room_hi;
}

/* Corner by corner. */
static void span(naive_array *a, const plussi_array *decl)
{
    bool empty = false;
    a->room_lo = 0;
    a->room_hi = 1;
    for (uint32_t d = 0; d < decl->rank; d++)
        empty = empty || a->extent[d] == 0;
    for (uint32_t corner = 0; !empty && corner < 1u << decl->rank; corner++) {
        int64_t at = 0;
        for (uint32_t d = 0; d < decl->rank; d++)
            if (corner >> d & 1 && a->extent[d] > 0)
                at += (a->extent[d] - 1) * a->stride[d];
        include(a, at, at + (int64_t)decl->elem_bytes);
    }
}

static int64_t written_base(naive_state *s, const plussi_array *decl)
{
    return decl->base ? naive_eval(s, decl->base) : 0;
}

/* Rooms grow until nothing changes any more. */
static void find_rooms(naive_state *s)
{
    for (const plussi_array *decl = s->nest->first_array; decl; decl = decl->next) {
        naive_array *a = &s->array[decl->id];
        span(a, decl);
        if (a->lo != a->hi)
            include(a, a->lo, a->hi);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const plussi_array *v = s->nest->first_array; v; v = v->next) {
            if (v->base_kind != PLUSSI_BASE_OVER)
                continue;
            naive_array *view = &s->array[v->id], *under = &s->array[v->over->id], old = *under;
            int64_t by = written_base(s, v);
            include(under, view->room_lo + by, view->room_hi + by);
            changed = changed || old.room_lo != under->room_lo || old.room_hi != under->room_hi;
        }
        for (const plussi_region *r = s->nest->first_region; r; r = r->next)
            for (plussi_node *n = NULL; (n = plussi_nest_walk(&r->body, n));) {
                if (n->kind != PLUSSI_N_SWAP)
                    continue;
                naive_array *x = &s->array[n->u.swap.a->id], *y = &s->array[n->u.swap.b->id];
                naive_array old_x = *x, old_y = *y;
                include(x, old_y.room_lo, old_y.room_hi);
                include(y, old_x.room_lo, old_x.room_hi);
                changed = changed || x->room_lo != old_x.room_lo || x->room_hi != old_x.room_hi ||
                          y->room_lo != old_y.room_lo || y->room_hi != old_y.room_hi;
            }
    }
}

/* First and last line of the room of all copies. */
static void lines(const naive_state *s, const naive_array *a, int64_t base, int64_t *first,
                  int64_t *last)
{
    int64_t copies = a->is_private ? s->max_team : 1;
    *first = line_of(s, base + a->room_lo);
    *last = line_of(s, base + a->room_hi - 1 + (copies - 1) * a->copy);
}

static bool free_of_fixed(const naive_state *s, int64_t first, int64_t last)
{
    for (const plussi_array *decl = s->nest->first_array; decl; decl = decl->next) {
        if (decl->base_kind != PLUSSI_BASE_ADDRESS)
            continue;
        int64_t f, l;
        lines(s, &s->array[decl->id], s->array[decl->id].base, &f, &l);
        if (first <= l && f <= last)
            return false;
    }
    return true;
}

void naive_place(naive_state *s)
{
    int64_t line = s->options->line_bytes, before = PLACE_START / line - 1;
    find_rooms(s);
    for (const plussi_array *decl = s->nest->first_array; decl; decl = decl->next) {
        naive_array *a = &s->array[decl->id];
        if (decl->base_kind == PLUSSI_BASE_OVER)
            continue;
        a->base = written_base(s, decl);
        if (a->is_private)
            a->copy =
                (line_of(s, a->base + a->room_hi - 1) - line_of(s, a->base + a->room_lo) + 1) *
                line;
    }
    for (const plussi_array *decl = s->nest->first_array; decl; decl = decl->next) {
        naive_array *a = &s->array[decl->id];
        if (decl->base_kind == PLUSSI_BASE_OVER) {
            a->base = s->array[decl->over->id].base + written_base(s, decl);
            a->copy = s->array[decl->over->id].copy;
        } else if (decl->base_kind != PLUSSI_BASE_ADDRESS) {
            int64_t first, last, m = line_of(s, (before + 1) * line - a->room_hi) - 1;
            m -= written_base(s, decl) / line + 1;
            for (;; m++) {
                a->base = m * line + written_base(s, decl);
                lines(s, a, a->base, &first, &last);
                if (first > before && free_of_fixed(s, first, last))
                    break;
            }
            before = last;
        }
    }
    for (uint32_t id = 0; s->options->base && id < s->nest->n_arrays; id++) {
        s->array[id].base = s->options->base[id];
        s->array[id].copy = s->options->copy[id];
    }
}

/* ---- straddling, swaps -------------------------------------------------------------------------
 */

static int64_t gcd(int64_t a, int64_t b)
{
    a = llabs(a);
    b = llabs(b);
    return b == 0 ? a : gcd(b, a % b);
}

static const plussi_array *root(const plussi_array *decl)
{
    while (decl->base_kind == PLUSSI_BASE_OVER)
        decl = decl->over;
    return decl;
}

/* Marks all whose memory decl's can come to be by swaps. */
static void mark_partners(const naive_state *s, bool *partner)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (const plussi_region *r = s->nest->first_region; r; r = r->next)
            for (plussi_node *n = NULL; (n = plussi_nest_walk(&r->body, n));)
                if (n->kind == PLUSSI_N_SWAP &&
                    partner[n->u.swap.a->id] != partner[n->u.swap.b->id]) {
                    partner[n->u.swap.a->id] = partner[n->u.swap.b->id] = true;
                    changed = true;
                }
    }
}

bool naive_straddles(naive_state *s, const plussi_node *node)
{
    const plussi_array *decl = node->u.ref.array;
    const naive_array *a = &s->array[decl->id];
    int64_t g = s->options->line_bytes;
    for (uint32_t d = 0; d < decl->rank; d++)
        g = gcd(g, a->stride[d]);
    bool *partner = naive_cleared(s->nest->n_arrays, sizeof *partner);
    partner[root(decl)->id] = true;
    mark_partners(s, partner);
    for (uint32_t id = 0; id < s->nest->n_arrays; id++)
        if (partner[id])
            g = gcd(g, s->array[id].base - s->array[root(decl)->id].base);
    free(partner);
    int64_t offset = node->u.ref.offset, width = (int64_t)node->u.ref.width;
    if (width == 0)
        width = (int64_t)decl->elem_bytes - offset;
    return ((a->base + offset) % g + g) % g + width > g;
}

void naive_swap(naive_state *s, const plussi_node *node)
{
    uint32_t a = node->u.swap.a->id, b = node->u.swap.b->id;
    int64_t old = s->base_now[a];
    s->base_now[a] = s->base_now[b];
    s->base_now[b] = old;
    for (const plussi_array *v = s->nest->first_array; v; v = v->next)
        if (v->base_kind == PLUSSI_BASE_OVER)
            s->base_now[v->id] = s->base_now[v->over->id] + written_base(s, v);
}
