/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact profile of a nest with small bounds, by executing it, and the progressions in it: at
 * the end of each execution of a loop the accesses of its iterations become runs.
 */
#include <string.h>

#include "base/linemap.h"
#include "exact/lru.h"
#include "model/extrapolate.h"

enum {
    STEPS = 12, /* an access, as of exact simulations */
    ROWS = 64   /* iterations of a block, at most: a power of two */
};

/* ---- items -------------------------------------------------------------------------------------
 */

/* A growing array of codes, and one of values. */
typedef struct items {
    uint32_t *code;
    int64_t *value;
    size_t n_code, n_value, cap_code, cap_value;
} items;

/* Where an iteration of a loop begins. */
typedef struct row {
    size_t code, value;
} row;

/* The items of a reference, with those of iterations of the loops that are executed now. */
typedef struct builder {
    items done;
    row *row; /* the iterations of all these loops, from the outermost in */
    size_t n_rows, cap_rows;
} builder;

static pluss_status append(const plussi_mem *mem, items *to, const uint32_t *code, size_t n_code,
                           const int64_t *value, size_t n_value)
{
    while (to->n_code + n_code > to->cap_code)
        if (plussi_grow(mem, &to->code, &to->cap_code, to->cap_code, sizeof *to->code))
            return PLUSS_ENOMEM;
    while (to->n_value + n_value > to->cap_value)
        if (plussi_grow(mem, &to->value, &to->cap_value, to->cap_value, sizeof *to->value))
            return PLUSS_ENOMEM;
    if (n_code)
        memcpy(to->code + to->n_code, code, n_code * sizeof *code);
    if (n_value)
        memcpy(to->value + to->n_value, value, n_value * sizeof *value);
    to->n_code += n_code;
    to->n_value += n_value;
    return PLUSS_OK;
}

void plussi_small_item_size(const uint32_t *code, size_t *n_code, size_t *n_value)
{
    *n_code = *n_value = 1;
    if (code[0] != PLUSSI_SMALL_RUN)
        return;
    const size_t end = 2 + code[1];
    size_t values = 0;
    for (size_t at = 2, codes, more; at < end; at += codes) {
        plussi_small_item_size(code + at, &codes, &more);
        values += more;
    }
    *n_code = end;
    *n_value = 1 + values * (PLUSSI_SMALL_ORDER + 1);
}

/* ---- runs --------------------------------------------------------------------------------------
 */

/* The iterations of an execution of a loop: row[n] is their end. */
typedef struct rows {
    const items *of;
    const row *row;
    size_t n;
} rows;

static bool have_shape(const rows *r, size_t a, size_t b, size_t block)
{
    const size_t n = r->row[a + block].code - r->row[a].code;
    return n == r->row[b + block].code - r->row[b].code &&
           (n == 0 || memcmp(r->of->code + r->row[a].code, r->of->code + r->row[b].code,
                             n * sizeof *r->of->code) == 0);
}

/* Whether the third differences vanish in the four blocks from `at`. */
static bool goes_on(const rows *r, size_t at, size_t block)
{
    if (!have_shape(r, at, at + (PLUSSI_SMALL_ORDER + 1) * block, block))
        return false;
    const int64_t *of[PLUSSI_SMALL_ORDER + 2];
    const size_t n = r->row[at + block].value - r->row[at].value;
    for (size_t k = 0; k <= PLUSSI_SMALL_ORDER + 1; k++)
        of[k] = r->of->value + r->row[at + k * block].value;
    for (size_t v = 0; v < n; v++)
        if (of[3][v] - of[0][v] != 3 * (of[2][v] - of[1][v]))
            return false;
    return true;
}

/* How many blocks from `at` on are a progression; 0: fewer than tell it. */
static size_t count_blocks(const rows *r, size_t at, size_t block)
{
    size_t times = PLUSSI_SMALL_ORDER + 1;
    if (at + (times + 1) * block > r->n)
        return 0;
    for (size_t k = 1; k <= PLUSSI_SMALL_ORDER; k++)
        if (!have_shape(r, at, at + k * block, block))
            return 0;
    while (at + (times + 1) * block <= r->n &&
           goes_on(r, at + (times - PLUSSI_SMALL_ORDER - 1) * block, block))
        times++;
    return times > PLUSSI_SMALL_ORDER + 1 ? times : 0;
}

static pluss_status add_run(const plussi_mem *mem, const rows *r, size_t at, size_t block,
                            size_t times, items *out)
{
    const row *first = &r->row[at];
    const size_t n = first[block].value - first->value, codes = first[block].code - first->code;
    const uint32_t head[2] = {PLUSSI_SMALL_RUN, (uint32_t)codes};
    const int64_t many = (int64_t)times;
    if (codes == 0)
        return PLUSS_OK;
    pluss_status status = append(mem, out, head, 2, &many, 1);
    if (!status)
        status = append(mem, out, r->of->code + first->code, codes, r->of->value + first->value, n);
    for (size_t k = 1; k <= PLUSSI_SMALL_ORDER && !status; k++)
        status = append(mem, out, NULL, 0, r->of->value + first[k * block].value, n);
    if (status)
        return status;
    int64_t *a = out->value + out->n_value - 3 * n, *b = a + n, *c = b + n;
    for (size_t v = 0; v < n; v++) { /* blocks become differences */
        c[v] += a[v] - 2 * b[v];
        b[v] -= a[v];
    }
    return PLUSS_OK;
}

/* The progression of most iterations is taken; of several, that of the smallest blocks. */
static size_t find_run(const rows *r, size_t at, size_t *block)
{
    size_t times = 0;
    *block = 1;
    for (size_t b = 1; b <= ROWS; b *= 2) {
        const size_t n = count_blocks(r, at, b);
        if (n * b > times * *block) {
            times = n;
            *block = b;
        }
    }
    return times;
}

/* The iterations of an execution of a loop, all behind `from`, become items in their place. */
static pluss_status fold(const plussi_mem *mem, builder *b, size_t from, items *room)
{
    const row *first = &b->row[from];
    const rows r = {&b->done, first, b->n_rows - from - 1};
    pluss_status status = PLUSS_OK;
    room->n_code = room->n_value = 0;
    for (size_t at = 0, block; at < r.n && !status;) {
        const size_t times = find_run(&r, at, &block);
        if (times) {
            status = add_run(mem, &r, at, block, times, room);
            at += times * block;
        } else {
            status = append(mem, room, b->done.code + first[at].code,
                            first[at + 1].code - first[at].code, b->done.value + first[at].value,
                            first[at + 1].value - first[at].value);
            at++;
        }
    }
    b->done.n_code = first->code;
    b->done.n_value = first->value;
    b->n_rows = from;
    return status ? status
                  : append(mem, &b->done, room->code, room->n_code, room->value, room->n_value);
}

/* ---- execution ---------------------------------------------------------------------------------
 */

typedef struct executor {
    plussi_ctx *ctx;
    const plussi_bound *bound;
    plussi_effort *effort;
    plussi_lru *lru;
    plussi_linemap last; /* by line: 1 + the reference that touched it last */
    int64_t *base;       /* by array */
    builder *of;         /* by reference */
    items room;
    uint64_t accesses;
    int64_t iv[PLUSSI_MAX_SLOTS];
} executor;

static pluss_status touch(executor *x, uint32_t ref, uint64_t line)
{
    const uint64_t distance = plussi_lru_touch(x->lru, line);
    uint64_t *last = plussi_linemap_at(&x->last, line);
    if (distance == PLUSSI_LRU_FAIL || !last)
        return PLUSS_ENOMEM;
    if (!plussi_effort_pay(x->effort, STEPS))
        return PLUSS_ELIMIT;
    const bool cold = distance == PLUSSI_LRU_COLD;
    const uint32_t code = cold ? PLUSSI_SMALL_COLD : PLUSSI_SMALL_DISTANCE + (uint32_t)(*last - 1);
    const int64_t value = cold ? 0 : (int64_t)distance;
    *last = (uint64_t)ref + 1;
    x->accesses++;
    return append(&x->ctx->mem, &x->of[ref].done, &code, 1, &value, 1);
}

static pluss_status access_ref(executor *x, const plussi_bound_node *node)
{
    const plussi_bound_ref *ref = &node->u.ref;
    const uint64_t size = x->bound->line_bytes;
    bool fault = false;
    const int64_t first = x->base[ref->array->id] + plussi_cexpr_eval(ref->offset, x->iv, &fault);
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < ref->touches && !status; i++) {
        const uint64_t byte = i * size < ref->width - 1 ? i * size : ref->width - 1;
        status = touch(x, node->id, ((uint64_t)first + byte) / size);
    }
    return status;
}

static pluss_status execute(executor *x, const plussi_bound_node *const *node, uint32_t n);

/* Begins an iteration of all references from first to last; where loops end, an end of it. */
static pluss_status begin_rows(executor *x, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++) {
        builder *b = &x->of[i];
        if (plussi_grow(&x->ctx->mem, &b->row, &b->cap_rows, b->n_rows, sizeof *b->row))
            return PLUSS_ENOMEM;
        b->row[b->n_rows++] = (row){b->done.n_code, b->done.n_value};
    }
    return PLUSS_OK;
}

/* rows: of an execution of a loop, that have begun. */
static pluss_status end_rows(executor *x, uint32_t first, uint32_t last, size_t n)
{
    pluss_status status = begin_rows(x, first, last);
    for (uint32_t i = first; i < last && !status; i++)
        status = fold(&x->ctx->mem, &x->of[i], x->of[i].n_rows - n - 1, &x->room);
    return status;
}

/* The references below a node: their numbers are in a row. */
static void find_refs(const plussi_bound_node *node, uint32_t *first, uint32_t *last)
{
    if (node->kind == PLUSSI_N_REF) {
        *first = node->id < *first ? node->id : *first;
        *last = node->id >= *last ? node->id + 1 : *last;
    }
    for (uint32_t i = 0; i < node->n_body; i++)
        find_refs(node->body[i], first, last);
    for (uint32_t i = 0; i < node->n_orelse; i++)
        find_refs(node->orelse[i], first, last);
}

static pluss_status execute_loop(executor *x, const plussi_bound_node *node)
{
    const plussi_bound_loop *loop = &node->u.loop;
    const int64_t trips = plussi_bloop_trips(loop, x->iv);
    uint32_t first = UINT32_MAX, last = 0;
    bool fault = false;
    pluss_status status = PLUSS_OK;
    find_refs(node, &first, &last);
    if (first >= last || trips == 0)
        return PLUSS_OK;
    x->iv[loop->slot] = plussi_cexpr_eval(loop->lo, x->iv, &fault);
    for (int64_t t = 0; t < trips && !status; t++, x->iv[loop->slot] += loop->step) {
        status = begin_rows(x, first, last);
        if (!status)
            status = execute(x, node->body, node->n_body);
        if (!status && !plussi_effort_pay(x->effort, 1))
            status = PLUSS_ELIMIT;
    }
    return status ? status : end_rows(x, first, last, (size_t)trips);
}

static pluss_status execute_node(executor *x, const plussi_bound_node *node)
{
    bool fault = false;
    switch (node->kind) {
    case PLUSSI_N_REF:
        return access_ref(x, node);
    case PLUSSI_N_LOOP:
        return execute_loop(x, node);
    case PLUSSI_N_IF:
        return plussi_cexpr_eval(node->u.branch.cond, x->iv, &fault)
                   ? execute(x, node->body, node->n_body)
                   : execute(x, node->orelse, node->n_orelse);
    case PLUSSI_N_SWAP:
        plussi_bound_swap(x->bound, node, x->base);
        return PLUSS_OK;
    default: /* a team of one thread */
        return execute(x, node->body, node->n_body);
    }
}

static pluss_status execute(executor *x, const plussi_bound_node *const *node, uint32_t n)
{
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < n && !status; i++)
        status = execute_node(x, node[i]);
    return status;
}

/* Repetitions of a region are iterations of a loop around it. */
static pluss_status execute_all(executor *x)
{
    pluss_status status = PLUSS_OK;
    for (uint32_t r = 0; r < x->bound->n_regions && !status; r++) {
        const plussi_bound_region *region = &x->bound->region[r];
        uint32_t first = UINT32_MAX, last = 0;
        for (uint32_t i = 0; i < region->n_body; i++)
            find_refs(region->body[i], &first, &last);
        for (int64_t t = 0; t < region->repeat && first < last && !status; t++) {
            status = begin_rows(x, first, last);
            if (!status)
                status = execute(x, region->body, region->n_body);
        }
        if (!status && first < last && region->repeat > 0)
            status = end_rows(x, first, last, (size_t)region->repeat);
    }
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static pluss_status gather(executor *x, plussi_small_profile *out)
{
    pluss_status status = PLUSS_OK;
    items all = {0};
    for (uint32_t i = 0; i < x->bound->n_refs && !status; i++) {
        const items *one = &x->of[i].done;
        const uint32_t code = PLUSSI_SMALL_REF + i;
        status = append(&x->ctx->mem, &all, &code, 1, NULL, 0);
        if (!status)
            status = append(&x->ctx->mem, &all, one->code, one->n_code, one->value, one->n_value);
    }
    *out = (plussi_small_profile){all.code, all.value, all.n_code, all.n_value, x->accesses};
    return status;
}

static void free_executor(executor *x)
{
    const plussi_mem *mem = &x->ctx->mem;
    for (uint32_t i = 0; x->of && i < x->bound->n_refs; i++) {
        plussi_free(mem, x->of[i].done.code);
        plussi_free(mem, x->of[i].done.value);
        plussi_free(mem, x->of[i].row);
    }
    plussi_free(mem, x->of);
    plussi_free(mem, x->room.code);
    plussi_free(mem, x->room.value);
    plussi_free(mem, x->base);
    plussi_linemap_free(&x->last);
    if (x->lru)
        plussi_lru_free(x->lru);
}

pluss_status plussi_small_profile_make(plussi_ctx *ctx, const plussi_bound *bound,
                                       plussi_effort *effort, plussi_small_profile *out)
{
    executor x = {.ctx = ctx,
                  .bound = bound,
                  .effort = effort,
                  .base = plussi_alloc(&ctx->mem, bound->n_arrays, sizeof *x.base),
                  .of = plussi_calloc(&ctx->mem, bound->n_refs, sizeof *x.of)};
    plussi_small_profile made = {0};
    plussi_linemap_init(&x.last, &ctx->mem);
    pluss_status status = x.base && x.of ? plussi_lru_new(ctx, &x.lru) : PLUSS_ENOMEM;
    for (uint32_t i = 0; i < bound->n_arrays && !status; i++)
        x.base[i] = bound->array[i].base;
    if (!status)
        status = execute_all(&x);
    if (!status)
        status = gather(&x, &made);
    free_executor(&x);
    if (status)
        plussi_small_profile_free(ctx, &made);
    else
        *out = made;
    return status;
}

void plussi_small_profile_free(plussi_ctx *ctx, plussi_small_profile *profile)
{
    plussi_free(&ctx->mem, profile->code);
    plussi_free(&ctx->mem, profile->value);
    *profile = (plussi_small_profile){0};
}
