/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/binder.h"

#include <string.h>

static pluss_status fail_array(plussi_binder *b, const plussi_array *array, pluss_status status,
                               const char *what)
{
    return plussi_fail(b->ctx, status, &array->loc, "array '%s': %s", array->name, what);
}

/* ---- sizes -------------------------------------------------------------------------------------
 */

static pluss_status bind_extents(plussi_binder *b, plussi_bound_array *array)
{
    const plussi_array *decl = array->decl;
    for (uint32_t d = 0; d < decl->rank; d++) {
        array->extent[d] = -1;
        if (!decl->extents[d])
            continue;
        pluss_status status =
            plussi_bind_constant(b, decl->extents[d], &decl->loc, &array->extent[d]);
        if (status)
            return status;
        if (array->extent[d] < 0)
            return fail_array(b, decl, PLUSS_ERANGE, "an extent is negative");
    }
    return PLUSS_OK;
}

static pluss_status given_strides(plussi_binder *b, plussi_bound_array *array)
{
    const plussi_array *decl = array->decl;
    for (uint32_t d = 0; d < decl->rank; d++) {
        int64_t elements;
        pluss_status status = plussi_bind_constant(b, decl->strides[d], &decl->loc, &elements);
        if (status)
            return status;
        if (plussi_mul_over(elements, (int64_t)decl->elem_bytes, &array->stride[d]))
            return fail_array(b, decl, PLUSS_ERANGE, "a stride overflows 64 bits");
    }
    return PLUSS_OK;
}

static pluss_status strides_from_extents(plussi_binder *b, plussi_bound_array *array)
{
    const plussi_array *decl = array->decl;
    int64_t stride = (int64_t)decl->elem_bytes;
    for (uint32_t i = 0; i < decl->rank; i++) { /* from the fastest to the slowest */
        uint32_t d = decl->column_order ? i : decl->rank - 1 - i;
        array->stride[d] = stride;
        if (i + 1 == decl->rank)
            break;
        if (array->extent[d] < 0)
            return fail_array(b, decl, PLUSS_EINVALID, "only the slowest extent may be left open");
        if (plussi_mul_over(stride, array->extent[d], &stride))
            return fail_array(b, decl, PLUSS_ERANGE, "its size overflows 64 bits");
    }
    return PLUSS_OK;
}

/* [lo, hi): bytes that the extents and strides span. */
static pluss_status find_span(plussi_binder *b, const plussi_bound_array *array, int64_t *lo,
                              int64_t *hi)
{
    int64_t least = 0, most = (int64_t)array->elem_bytes;
    bool empty = false, over = false;
    for (uint32_t d = 0; d < array->rank; d++) {
        int64_t extent = array->extent[d] < 0 ? 1 : array->extent[d], reach;
        empty = empty || extent == 0;
        if (extent == 0)
            continue;
        over |= plussi_mul_over(extent - 1, array->stride[d], &reach);
        if (!over)
            over |= plussi_add_over(reach < 0 ? least : most, reach, reach < 0 ? &least : &most);
    }
    if (over)
        return fail_array(b, array->decl, PLUSS_ERANGE, "its size overflows 64 bits");
    *lo = empty ? 0 : least;
    *hi = empty ? 1 : most;
    return PLUSS_OK;
}

static pluss_status bind_view(plussi_binder *b, plussi_bound_array *array)
{
    const plussi_array *decl = array->decl;
    if (decl->over->id >= decl->id)
        return fail_array(b, decl, PLUSS_EINVALID,
                          "it overlays an array that is declared after it");
    array->over = &b->bound->array[decl->over->id];
    array->is_private = array->over->is_private;
    b->bound->has_view = true;
    return decl->base ? plussi_bind_constant(b, decl->base, &decl->loc, &array->over_bytes)
                      : PLUSS_OK;
}

static pluss_status bind_array(plussi_binder *b, const plussi_array *decl)
{
    plussi_arena *arena = &b->bound->arena;
    plussi_bound_array *array = &b->bound->array[decl->id];
    *array = (plussi_bound_array){.decl = decl, .id = decl->id, .rank = decl->rank};
    array->elem_bytes = decl->elem_bytes;
    array->is_private = decl->is_private;
    array->extent = plussi_arena_alloc(arena, decl->rank + 1, sizeof *array->extent);
    array->stride = plussi_arena_alloc(arena, decl->rank + 1, sizeof *array->stride);
    if (!array->extent || !array->stride)
        return PLUSS_ENOMEM;
    if (decl->elem_bytes < 1 || decl->elem_bytes > INT32_MAX)
        return fail_array(b, decl, PLUSS_ERANGE, "the size of its elements is out of range");
    array->contents = (plussi_interval){INT64_MIN, INT64_MAX};
    if (decl->has_values && decl->n_values > 0) {
        array->n_values = decl->n_values;
        array->values = decl->values;
        array->contents = (plussi_interval){decl->values[0], decl->values[0]};
        for (uint64_t i = 1; i < decl->n_values; i++) {
            array->contents.lo = plussi_min64(array->contents.lo, decl->values[i]);
            array->contents.hi = plussi_max64(array->contents.hi, decl->values[i]);
        }
    }
    pluss_status status = bind_extents(b, array);
    if (!status)
        status = decl->strides ? given_strides(b, array) : strides_from_extents(b, array);
    if (!status && decl->base_kind == PLUSSI_BASE_OVER)
        status = bind_view(b, array);
    return status;
}

pluss_status plussi_bind_arrays(plussi_binder *b)
{
    plussi_bound *bound = b->bound;
    bound->n_arrays = b->nest->n_arrays;
    bound->array = plussi_arena_alloc(&bound->arena, bound->n_arrays + 1, sizeof *bound->array);
    if (!bound->array)
        return PLUSS_ENOMEM;
    for (const plussi_array *a = b->nest->first_array; a; a = a->next) {
        pluss_status status = bind_array(b, a);
        if (status)
            return status;
    }
    return PLUSS_OK;
}

/* ---- room --------------------------------------------------------------------------------------
 */

typedef struct room {
    int64_t lo, hi;     /* bytes from the base */
    uint32_t group;     /* union-find: arrays that swap memory */
    int64_t first, end; /* lines [first, end) of all copies, once placed */
    uint64_t gap;       /* of a group's first array: see find_gaps */
} room;

static uint32_t group_of(room *rooms, uint32_t id)
{
    while (rooms[id].group != id)
        id = rooms[id].group = rooms[rooms[id].group].group;
    return id;
}

static void join_room(room *to, int64_t lo, int64_t hi)
{
    to->lo = plussi_min64(to->lo, lo);
    to->hi = plussi_max64(to->hi, hi);
}

static void group_swapped(room *rooms, const plussi_bound_node *const *body, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (body[i]->kind == PLUSSI_N_SWAP)
            rooms[group_of(rooms, body[i]->u.swap.a)].group = group_of(rooms, body[i]->u.swap.b);
        group_swapped(rooms, body[i]->body, body[i]->n_body);
        group_swapped(rooms, body[i]->orelse, body[i]->n_orelse);
    }
}

/* The room of an array includes those of its views. */
static pluss_status find_rooms(plussi_binder *b, room *rooms)
{
    plussi_bound *bound = b->bound;
    for (uint32_t id = 0; id < bound->n_arrays; id++) {
        plussi_bound_array *array = &bound->array[id];
        rooms[id].group = id;
        pluss_status status = find_span(b, array, &rooms[id].lo, &rooms[id].hi);
        if (status)
            return status;
        if (array->lo_byte < array->hi_byte)
            join_room(&rooms[id], array->lo_byte, array->hi_byte);
    }
    for (uint32_t id = bound->n_arrays; id-- > 0;) { /* a view comes after its array */
        plussi_bound_array *view = &bound->array[id];
        if (!view->over)
            continue;
        int64_t lo, hi;
        if (plussi_add_over(rooms[id].lo, view->over_bytes, &lo) ||
            plussi_add_over(rooms[id].hi, view->over_bytes, &hi))
            return fail_array(b, view->decl, PLUSS_ERANGE, "its place overflows 64 bits");
        join_room(&rooms[view->over->id], lo, hi);
    }
    for (uint32_t r = 0; r < bound->n_regions; r++)
        group_swapped(rooms, bound->region[r].body, bound->region[r].n_body);
    for (uint32_t id = 0; id < bound->n_arrays; id++)
        join_room(&rooms[group_of(rooms, id)], rooms[id].lo, rooms[id].hi);
    for (uint32_t id = 0; id < bound->n_arrays; id++) {
        join_room(&rooms[id], rooms[group_of(rooms, id)].lo, rooms[group_of(rooms, id)].hi);
        bound->array[id].room_lo = rooms[id].lo;
        bound->array[id].room_hi = rooms[id].hi;
    }
    return PLUSS_OK;
}

/* ---- addresses ---------------------------------------------------------------------------------
 */

static const int64_t address_cap = INT64_MAX / 4;

/* Lines of the room from base on, all copies; false: out of the range of addresses. */
static bool lines_at(const plussi_bound *bound, const plussi_bound_array *array, room *r,
                     int64_t base)
{
    int64_t line = bound->line_bytes, first, last;
    if (plussi_add_over(base, r->lo, &first) || plussi_add_over(base, r->hi - 1, &last))
        return false;
    if (array->is_private) {
        int64_t more;
        if (plussi_mul_over(array->copy_bytes, (int64_t)bound->max_team - 1, &more) ||
            plussi_add_over(last, more, &last))
            return false;
    }
    r->first = plussi_floordiv(first, line);
    r->end = plussi_floordiv(last, line) + 1;
    return first >= 0 && last <= address_cap;
}

/* Sets the distance of copies to the length of the room in lines; residue is the base modulo the
 * line. */
static pluss_status set_copies(plussi_binder *b, plussi_bound_array *array, const room *r,
                               int64_t residue)
{
    int64_t line = b->bound->line_bytes, first, last;
    if (plussi_add_over(r->lo, residue, &first) || plussi_add_over(r->hi - 1, residue, &last) ||
        first < -address_cap || last > address_cap)
        return fail_array(b, array->decl, PLUSS_ERANGE, "its room overflows 64 bits");
    if (array->is_private)
        array->copy_bytes = (plussi_floordiv(last, line) - plussi_floordiv(first, line) + 1) * line;
    return PLUSS_OK;
}

/* End of the lines of an ADDRESS array that overlap [first, end); 0: none. */
static int64_t find_obstacle(const plussi_bound *bound, const room *rooms, const room *r)
{
    for (uint32_t id = 0; id < bound->n_arrays; id++)
        if (bound->array[id].decl->base_kind == PLUSSI_BASE_ADDRESS && r->first < rooms[id].end &&
            rooms[id].first < r->end)
            return rooms[id].end;
    return 0;
}

/* The base as written: an offset in a line or an address; 0 if there is none. */
static pluss_status written_base(plussi_binder *b, const plussi_array *decl, int64_t *out)
{
    *out = 0;
    if (!decl->base)
        return PLUSS_OK;
    pluss_status status = plussi_bind_constant(b, decl->base, &decl->loc, out);
    if (!status && *out < 0)
        return fail_array(b, decl, PLUSS_ERANGE, "its base is negative");
    return status;
}

static pluss_status place_fixed(plussi_binder *b, room *rooms)
{
    int64_t line = b->bound->line_bytes;
    for (uint32_t id = 0; id < b->bound->n_arrays; id++) {
        plussi_bound_array *array = &b->bound->array[id];
        if (array->over)
            continue;
        pluss_status status = written_base(b, array->decl, &array->base);
        if (!status)
            status = set_copies(b, array, &rooms[id], array->base % line);
        if (status)
            return status;
        if (array->decl->base_kind == PLUSSI_BASE_ADDRESS &&
            !lines_at(b->bound, array, &rooms[id], array->base))
            return fail_array(b, array->decl, PLUSS_ERANGE, "its addresses are out of range");
    }
    return PLUSS_OK;
}

/* In: base is the offset in the line; out: the address. */
static pluss_status place_free(plussi_binder *b, room *rooms, plussi_bound_array *array,
                               int64_t *next_line)
{
    int64_t line = b->bound->line_bytes, offset = array->base;
    room *r = &rooms[array->id];
    for (;;) { /* the least m for which the line of m line + offset + lo is next_line or later */
        int64_t shift, start;
        if (plussi_add_over(offset, r->lo, &shift) ||
            plussi_sub_over(*next_line, plussi_floordiv(shift, line), &start) ||
            plussi_mul_over(start, line, &start) || plussi_add_over(start, offset, &start) ||
            !lines_at(b->bound, array, r, start))
            return fail_array(b, array->decl, PLUSS_ERANGE, "there is no room for it in 64 bits");
        int64_t after = find_obstacle(b->bound, rooms, r);
        if (after == 0) {
            array->base = start;
            *next_line = r->end;
            return PLUSS_OK;
        }
        *next_line = after;
    }
}

/* ---- straddling --------------------------------------------------------------------------------
 */

/* gap of a group: gcd of the differences between its arrays' bases, and the line. */
static void find_gaps(const plussi_bound *bound, room *rooms)
{
    for (uint32_t id = 0; id < bound->n_arrays; id++)
        rooms[id].gap = bound->line_bytes;
    for (uint32_t id = 0; id < bound->n_arrays; id++) {
        uint32_t group = group_of(rooms, id);
        int64_t apart = bound->array[id].base - bound->array[group].base;
        rooms[group].gap =
            plussi_gcd(rooms[group].gap, plussi_magnitude(apart % (int64_t)bound->line_bytes));
    }
}

static pluss_status set_touches(plussi_binder *b, room *rooms, plussi_bound_node *node)
{
    enum { MOST = 4096 };
    plussi_bound_ref *ref = &node->u.ref;
    const plussi_bound_array *array = ref->array, *root = array;
    while (root->over)
        root = root->over;
    int64_t line = b->bound->line_bytes;
    uint64_t gap = rooms[group_of(rooms, root->id)].gap;
    for (uint32_t d = 0; d < array->rank; d++)
        gap = plussi_gcd(gap, plussi_magnitude(array->stride[d] % line));
    int64_t g = (int64_t)gap;
    int64_t at = plussi_floormod(array->base % g + node->decl->u.ref.offset % g, g);
    uint64_t lines = (ref->width - 1) / (uint64_t)line + ((ref->width - 1) % (uint64_t)line != 0);
    ref->touches = 1;
    if (ref->width <= (uint64_t)(g - at))
        return PLUSS_OK;
    if (lines >= MOST) {
        plussi_loc loc = plussi_bind_place(b, NULL, node->decl);
        return plussi_fail(b->ctx, PLUSS_ELIMIT, &loc, "one access to more than %d lines", MOST);
    }
    ref->touches = 1 + (uint32_t)lines;
    return PLUSS_OK;
}

pluss_status plussi_bind_place_arrays(plussi_binder *b)
{
    plussi_bound *bound = b->bound;
    room *rooms = plussi_arena_alloc(&bound->arena, bound->n_arrays + 1, sizeof *rooms);
    if (!rooms)
        return PLUSS_ENOMEM;
    pluss_status status = find_rooms(b, rooms);
    if (!status)
        status = place_fixed(b, rooms);
    int64_t next_line = PLUSSI_PLACE_START / bound->line_bytes;
    for (uint32_t id = 0; id < bound->n_arrays && !status; id++) {
        plussi_bound_array *array = &bound->array[id];
        if (array->over) {
            array->base = array->over->base + array->over_bytes;
            array->copy_bytes = array->over->copy_bytes;
        } else if (array->decl->base_kind != PLUSSI_BASE_ADDRESS) {
            status = place_free(b, rooms, array, &next_line);
        }
    }
    if (!status)
        find_gaps(bound, rooms);
    for (uint32_t id = 0; id < bound->n_refs && !status; id++)
        if (bound->ref[id])
            status = set_touches(b, rooms, (plussi_bound_node *)bound->ref[id]);
    return status;
}
