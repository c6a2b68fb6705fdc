/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "transform/order.h"

#include "nest/effective.h"

/* The loops around a reference, the outermost first. */
typedef struct path {
    const plussi_node *ref;
    const plussi_region *region;
    const plussi_node *loop[PLUSSI_MAX_LOOPS];
    uint32_t n;
} path;

typedef struct checker {
    plussi_ctx *ctx;
    const plussi_image *image;
    path *old, *made; /* by id of the reference */
    uint32_t n;
    plussi_space space;
    plussi_system trial;
} checker;

static void find_paths(const plussi_nest *nest, path *out)
{
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (const plussi_node *node = NULL;
             (node = plussi_nest_walk(&r->body, (plussi_node *)node));) {
            if (node->kind != PLUSSI_N_REF)
                continue;
            path *p = &out[node->id];
            *p = (path){.ref = node, .region = r};
            for (const plussi_node *up = node->parent; up; up = up->parent)
                p->n += up->kind == PLUSSI_N_LOOP;
            uint32_t i = p->n;
            for (const plussi_node *up = node->parent; up; up = up->parent)
                if (up->kind == PLUSSI_N_LOOP)
                    p->loop[--i] = up;
        }
}

static uint32_t count_common(const path *a, const path *b)
{
    uint32_t n = 0;
    while (n < a->n && n < b->n && a->loop[n] == b->loop[n])
        n++;
    return n;
}

/* The old loop whose values a loop of the new nest has for a reference. */
static uint32_t meant(const checker *c, uint32_t ref, const plussi_node *loop)
{
    const plussi_image *image = &c->image[loop->id];
    for (uint32_t i = 0; i < c->old[ref].n; i++)
        if (c->old[ref].loop[i]->id == image->second)
            return image->second;
    return image->loop;
}

/* Leading loops that are the same ones in both nests. */
static uint32_t count_kept(const checker *c, uint32_t ref)
{
    const path *old = &c->old[ref], *made = &c->made[ref];
    uint32_t n = 0;
    while (n < old->n && n < made->n && !c->image[made->loop[n]->id].tile &&
           meant(c, ref, made->loop[n]) == old->loop[n]->id)
        n++;
    return n;
}

/* ---- the same bytes ---------------------------------------------------------------------------
 */

static const plussi_array *root_of(const plussi_array *array, bool *view)
{
    for (; array->over; array = array->over)
        *view = true;
    return array;
}

static bool is_all_memory(const plussi_array *array)
{
    return array->base_kind == PLUSSI_BASE_ADDRESS &&
           (!array->base || array->base->kind != PLUSSI_E_INT || array->base->value == 0);
}

static bool bytes_overlap(const plussi_node *a, const plussi_node *b)
{
    const int64_t size = (int64_t)a->u.ref.array->elem_bytes;
    const int64_t end[2] = {a->u.ref.offset + (int64_t)plussi_effective_width(a),
                            b->u.ref.offset + (int64_t)plussi_effective_width(b)};
    bool inside = a->u.ref.offset >= 0 && b->u.ref.offset >= 0 && end[0] <= size && end[1] <= size;
    return !inside || (a->u.ref.offset < end[1] && b->u.ref.offset < end[0]);
}

static bool fields_leave_elements(const plussi_node *ref)
{
    return ref->u.ref.offset < 0 || ref->u.ref.offset + (int64_t)plussi_effective_width(ref) >
                                        (int64_t)ref->u.ref.array->elem_bytes;
}

/* Whether different subscripts are different elements. */
static bool is_plain(const plussi_array *array)
{
    return !array->strides ||
           (array->rank == 1 && array->strides[0] && array->strides[0]->kind == PLUSSI_E_INT &&
            array->strides[0]->value != 0);
}

/* Adds that both touch the same bytes. false: they never do. */
static bool add_meeting(checker *c, const plussi_node *a, const plussi_node *b)
{
    const plussi_array *x = a->u.ref.array, *y = b->u.ref.array;
    bool view = false;
    if (x != y) {
        const plussi_array *p = root_of(x, &view), *q = root_of(y, &view);
        bool grouped = p->alias && q->alias && plussi_same_text(p->alias, q->alias);
        return p == q || grouped || is_all_memory(p) || is_all_memory(q);
    }
    if (!bytes_overlap(a, b))
        return false;
    if (!is_plain(x) || fields_leave_elements(a) || fields_leave_elements(b))
        return true;
    for (uint32_t d = 0; d < x->rank; d++) {
        plussi_row row = {.equal = true};
        plussi_space_add_expr(&c->space, a->u.ref.subs[d], 0, 1, &row);
        plussi_space_add_expr(&c->space, b->u.ref.subs[d], 1, -1, &row);
        plussi_space_put(&c->space, &row);
    }
    return true;
}

/* ---- order ------------------------------------------------------------------------------------
 */

/* factor * the value that a loop has for the reference, in the new nest or in the old one. */
static void add_value(checker *c, bool made, uint32_t ref, uint32_t position, uint32_t copy,
                      int64_t factor, plussi_row *row)
{
    const plussi_node *loop = made ? c->made[ref].loop[position] : c->old[ref].loop[position];
    plussi_var var = {.kind = PLUSSI_VAR_LOOP, .id = loop->id, .copy = copy};
    if (made && c->image[loop->id].tile)
        var.kind = PLUSSI_VAR_TILE;
    else if (made)
        var.id = meant(c, ref, loop);
    for (uint32_t i = 0; i < c->space.n_outer && var.kind == PLUSSI_VAR_LOOP; i++)
        if (c->space.outer[i] == var.id)
            var.copy = 0;
    plussi_space_add_var(&c->space, var, factor, row);
}

static void put_row(checker *c, plussi_system *to, const plussi_row *row)
{
    to->n_vars = c->space.system.n_vars;
    if (row->lost)
        to->lost = true;
    else
        plussi_system_add(to, row);
}

/* Adds to the trial that the loops before `position` have the same values for a (copy 0) and b, and
 * that the one there has an earlier one for a (sign 1), or a later one (-1); 0: all are the same.
 */
static void add_order(checker *c, bool made, uint32_t a, uint32_t b, uint32_t from,
                      uint32_t position, int sign)
{
    for (uint32_t i = from; i < position + (sign != 0); i++) {
        const plussi_node *loop = made ? c->made[a].loop[i] : c->old[a].loop[i];
        plussi_row row = {.equal = i < position};
        int64_t factor = i < position || loop->u.loop.step > 0 ? 1 : -1;
        row.k = row.equal ? 0 : -1;
        factor *= sign ? sign : 1;
        add_value(c, made, b, i, 1, factor, &row);
        add_value(c, made, a, i, 0, -factor, &row);
        put_row(c, &c->trial, &row);
    }
}

/* A tile begins at the first value, or a multiple of its size after it, and holds the value. */
static void add_tiles(checker *c, uint32_t ref, uint32_t copy)
{
    const path *made = &c->made[ref];
    for (uint32_t i = 0; i < made->n; i++) {
        const plussi_node *loop = made->loop[i];
        const int64_t size = c->image[loop->id].tile;
        const plussi_var first = {.kind = PLUSSI_VAR_TILE, .id = loop->id, .copy = copy};
        if (!size)
            continue;
        plussi_var value = {.kind = PLUSSI_VAR_LOOP, .id = c->image[loop->id].loop, .copy = copy};
        for (uint32_t k = 0; k < c->space.n_outer; k++)
            if (c->space.outer[k] == value.id)
                value.copy = 0;
        plussi_row after = {0}, before = {.k = size - 1}, multiple = {.equal = true};
        plussi_space_add_var(&c->space, value, 1, &after);
        plussi_space_add_var(&c->space, first, -1, &after);
        plussi_space_put(&c->space, &after);
        plussi_space_add_var(&c->space, first, 1, &before);
        plussi_space_add_var(&c->space, value, -1, &before);
        plussi_space_put(&c->space, &before);
        plussi_space_add_var(&c->space, first, 1, &multiple);
        c->space.image = c->image;
        plussi_space_add_expr(&c->space, loop->u.loop.lo, copy, -1, &multiple);
        c->space.image = NULL;
        plussi_space_add_var(&c->space, (plussi_var){.kind = PLUSSI_VAR_OTHER, .copy = copy}, -size,
                             &multiple);
        plussi_space_put(&c->space, &multiple);
    }
}

static bool is_feasible(checker *c)
{
    return plussi_system_is_feasible(&c->trial);
}

static pluss_status refuse(checker *c, uint32_t a, uint32_t b, const char *what)
{
    const plussi_node *x = c->old[a].ref, *y = c->old[b].ref;
    char *text[2] = {NULL, NULL};
    plussi_loc loc = x->loc;
    if (!loc.file)
        loc.file = c->old[a].region->loc.file;
    pluss_status status = plussi_ref_print(c->ctx, x, &text[0]);
    if (!status)
        status = plussi_ref_print(c->ctx, y, &text[1]);
    if (!status)
        status = plussi_fail(c->ctx, PLUSS_EUNSUPPORTED, &loc, "the %s %.100s and the %s %.100s %s",
                             x->u.ref.write ? "write" : "read", text[0],
                             y->u.ref.write ? "write" : "read", text[1], what);
    plussi_free(&c->ctx->mem, text[0]);
    plussi_free(&c->ctx->mem, text[1]);
    return status;
}

/* Accesses of a that come before those of b in the old nest, and after them in the new one. */
static pluss_status check_sequence(checker *c, uint32_t a, uint32_t b, uint32_t outer)
{
    const uint32_t old = count_common(&c->old[a], &c->old[b]);
    const uint32_t made = count_common(&c->made[a], &c->made[b]);
    for (uint32_t p = outer; p <= old; p++)
        for (uint32_t q = outer; q <= made; q++) {
            if ((p == old && a >= b) || (q == made && a <= b))
                continue; /* all of their loops have the same values */
            plussi_system_copy(&c->trial, &c->space.system);
            add_order(c, false, a, b, outer, p, p < old ? 1 : 0);
            add_order(c, true, a, b, outer, q, q < made ? -1 : 0);
            if (is_feasible(c))
                return refuse(c, a, b, "may be of the same memory, and would change their order");
        }
    return PLUSS_OK;
}

/* Accesses in different iterations of a worksharing loop. */
static pluss_status check_worksharing(checker *c, uint32_t a, uint32_t b, uint32_t outer)
{
    const uint32_t made = count_common(&c->made[a], &c->made[b]);
    const plussi_node *x = c->old[a].ref, *y = c->old[b].ref;
    if (x->u.ref.array->is_private || (x->u.ref.atomic && y->u.ref.atomic))
        return PLUSS_OK;
    for (uint32_t q = outer; q < made; q++) {
        if (!c->made[a].loop[q]->u.loop.workshare)
            continue;
        plussi_system_copy(&c->trial, &c->space.system);
        add_order(c, true, a, b, outer, q, 1);
        if (is_feasible(c))
            return refuse(c, a, b,
                          "may be of the same memory, and would be in different iterations of the "
                          "parallel loop");
    }
    return PLUSS_OK;
}

static pluss_status check_pair(checker *c, uint32_t a, uint32_t b)
{
    const path *x = &c->old[a], *y = &c->old[b];
    if (x->region != y->region || !(x->ref->u.ref.write || y->ref->u.ref.write))
        return PLUSS_OK;
    const uint32_t kept[2] = {count_kept(c, a), count_kept(c, b)};
    uint32_t old = count_common(x, y), made = count_common(&c->made[a], &c->made[b]);
    if (kept[0] == x->n && x->n == c->made[a].n && kept[1] == y->n && y->n == c->made[b].n &&
        old == made)
        return PLUSS_OK; /* nothing has changed for them */
    uint32_t outer = old < made ? old : made;
    for (int i = 0; i < 2; i++)
        outer = kept[i] < outer ? kept[i] : outer;
    plussi_space_clear(&c->space);
    for (uint32_t i = 0; i < outer; i++)
        c->space.outer[c->space.n_outer++] = x->loop[i]->id;
    if (!add_meeting(c, x->ref, y->ref))
        return PLUSS_OK;
    plussi_space_add_path(&c->space, x->ref, 0);
    plussi_space_add_path(&c->space, y->ref, 1);
    add_tiles(c, a, 0);
    add_tiles(c, b, 1);
    plussi_system_copy(&c->trial, &c->space.system);
    if (!is_feasible(c))
        return PLUSS_OK;
    pluss_status status = check_sequence(c, a, b, outer);
    return status ? status : check_worksharing(c, a, b, outer);
}

pluss_status plussi_check_order(plussi_ctx *ctx, const plussi_nest *old, const plussi_nest *made,
                                const plussi_image *image)
{
    checker c = {.ctx = ctx, .image = image, .n = old->n_refs};
    c.old = plussi_calloc(&ctx->mem, c.n ? c.n : 1, sizeof *c.old);
    c.made = plussi_calloc(&ctx->mem, c.n ? c.n : 1, sizeof *c.made);
    pluss_status status = c.old && c.made ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status)
        status = plussi_space_init(ctx, &c.space);
    if (!status)
        status = plussi_system_init(ctx, &c.trial);
    if (!status) {
        find_paths(old, c.old);
        find_paths(made, c.made);
    }
    for (uint32_t a = 0; a < c.n && !status; a++)
        for (uint32_t b = 0; b < c.n && !status; b++)
            status = check_pair(&c, a, b);
    plussi_system_free(ctx, &c.trial);
    plussi_space_free(ctx, &c.space);
    plussi_free(&ctx->mem, c.old);
    plussi_free(&ctx->mem, c.made);
    return status;
}
