/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fill_unknowns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record_try.h"

#define ALL_MEMORY "all memory"

/* The contents of an array to be. */
typedef struct table {
    int64_t *value;
    size_t n, cap;
} table;

/* An unknown, and the loops between it and the worksharing loop, outermost first. */
typedef struct place {
    plussi_node *node, *shared;
    uint32_t shared_loop; /* its number in the region */
    const plussi_node *between[PLUSSI_MAX_LOOPS];
    uint32_t between_loop[PLUSSI_MAX_LOOPS];
    size_t n_between;
    plussi_node *around; /* the one loop around the worksharing loop; NULL: none */
} place;

typedef struct filler {
    plussi_ctx *ctx;
    plussi_nest *nest;
    plussi_region *region;
    const plussi_record_block *block;
    plussi_fill_iteration *iteration; /* sorted */
    plussi_array *memory;
    size_t n_values; /* of all tables */
    bool too_long;   /* they are: a faulty record */
} filler;

static pluss_status push(filler *f, table *t, uint64_t value)
{
    f->too_long = f->too_long || f->n_values++ == PLUSSI_MAX_VALUES;
    if (f->too_long)
        return PLUSS_OK;
    TRY(plussi_grow(&f->ctx->mem, &t->value, &t->cap, t->n, sizeof *t->value));
    t->value[t->n++] = (int64_t)value;
    return PLUSS_OK;
}

static int compare_iterations(const void *a, const void *b)
{
    const plussi_fill_iteration *x = a, *y = b;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* ---- where it is -------------------------------------------------------------------------------
 */

static uint32_t number_of(const filler *f, const plussi_node *loop)
{
    uint32_t number = 0;
    for (plussi_node *node = NULL; (node = plussi_nest_walk(&f->region->body, node));)
        if (node == loop)
            return number;
        else
            number += node->kind == PLUSSI_N_LOOP && !node->u.loop.added;
    return number;
}

static bool varies(const plussi_expr *e)
{
    if (!e)
        return false;
    if (e->kind == PLUSSI_E_IV || e->kind == PLUSSI_E_LOAD || e->kind == PLUSSI_E_THREAD)
        return true;
    return varies(e->a[0]) || varies(e->a[1]) || varies(e->a[2]);
}

/* False: executions of the unknown cannot be told apart. */
static bool find_place(const filler *f, plussi_node *unknown, place *out)
{
    uint32_t collapse = 1;
    size_t within = 0;
    *out = (place){.node = unknown};
    for (plussi_node *up = unknown->parent; up; up = up->parent) {
        const bool loop = up->kind == PLUSSI_N_LOOP;
        if (loop && !out->shared && up->u.loop.workshare) {
            out->shared = up;
            collapse = up->u.loop.collapse;
        } else if (loop && !out->shared && out->n_between < PLUSSI_MAX_LOOPS) {
            out->between[out->n_between++] = up;
        } else if (loop) {
            if (out->around)
                return false;
            out->around = up;
        } else if (up->kind == PLUSSI_N_PARALLEL ? !out->shared || within++ : out->shared != NULL) {
            return false;
        }
    }
    if (!out->shared || out->n_between + 1 < collapse)
        return false;
    for (size_t i = 0, j = out->n_between; i + 1 < j; i++) {
        const plussi_node *inner = out->between[i];
        out->between[i] = out->between[--j];
        out->between[j] = inner;
    }
    for (uint32_t d = 0; d + 1 < collapse; d++)
        if (varies(out->between[d]->u.loop.lo) || varies(out->between[d]->u.loop.hi))
            return false;
    for (size_t i = 0; i < out->n_between; i++)
        out->between_loop[i] = number_of(f, out->between[i]);
    out->shared_loop = number_of(f, out->shared);
    return true;
}

/* ---- expressions -------------------------------------------------------------------------------
 */

static plussi_expr *build(filler *f, plussi_expr_kind kind, plussi_expr *a, plussi_expr *b)
{
    return plussi_expr_op(f->nest, kind, a, b, NULL);
}

static bool is_zero(const plussi_expr *e)
{
    return e->kind == PLUSSI_E_INT && e->value == 0;
}

static plussi_expr *add(filler *f, plussi_expr *a, plussi_expr *b)
{
    if (!a || !b) /* no memory */
        return NULL;
    return is_zero(a) ? b : is_zero(b) ? a : build(f, PLUSSI_E_ADD, a, b);
}

/* (to - from) / step, rounded up where `up` */
static plussi_expr *count_steps(filler *f, plussi_expr *from, plussi_expr *to, int64_t step,
                                bool up)
{
    plussi_expr *apart = step > 0 ? is_zero(from) ? to : build(f, PLUSSI_E_SUB, to, from)
                                  : build(f, PLUSSI_E_SUB, from, to);
    const int64_t by = step > 0 ? step : -step;
    if (by == 1)
        return apart;
    if (up)
        apart = build(f, PLUSSI_E_ADD, apart, plussi_expr_int(f->nest, by - 1));
    return build(f, PLUSSI_E_DIV, apart, plussi_expr_int(f->nest, by));
}

/* The number of the loop's iteration. */
static plussi_expr *count_iterations(filler *f, const plussi_node *loop)
{
    return count_steps(f, loop->u.loop.lo, plussi_expr_iv(f->nest, (plussi_node *)loop),
                       loop->u.loop.step, false);
}

static plussi_array *declare(filler *f, const char *name, uint64_t number, const table *contents)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s %llu", name, (unsigned long long)number);
    for (unsigned k = 2; plussi_nest_declares(f->nest, whole); k++)
        snprintf(whole, sizeof whole, "%s %llu_%u", name, (unsigned long long)number, k);
    plussi_array *a = plussi_nest_add_array(f->nest, f->region, whole, PLUSSI_ELEM_I64, 8, 1);
    if (!a || !a->extents)
        return NULL;
    a->extents[0] = plussi_expr_int(f->nest, (int64_t)contents->n);
    a->has_values = true;
    a->n_values = contents->n;
    a->values = plussi_arena_alloc(&f->nest->arena, contents->n + 1, sizeof *a->values);
    if (!a->values) {
        f->nest->out_of_memory = true;
        return NULL;
    }
    memcpy(a->values, contents->value, contents->n * sizeof *a->values);
    return a;
}

static plussi_expr *load(filler *f, plussi_array *array, plussi_expr *at)
{
    plussi_expr *e = array ? plussi_expr_load(f->nest, array, 1) : NULL;
    if (e && e->subs)
        e->subs[0] = at;
    return e;
}

/* ---- tables ------------------------------------------------------------------------------------
 */

/* Of one unknown. */
typedef struct tables {
    table times;                   /* by execution of the worksharing loop: its first iteration */
    table begin[PLUSSI_MAX_LOOPS]; /* by iteration of the loop around: the first one of the loop */
    uint64_t count[PLUSSI_MAX_LOOPS]; /* iterations of the loop so far */
    table first;                      /* by execution: its first access */
    table address, write;             /* by access */
    bool once, reads, writes;
    size_t shared; /* of the loops between, those that are collapsed into the worksharing loop */
} tables;

static void free_tables(filler *f, tables *t)
{
    for (size_t i = 0; i < PLUSSI_MAX_LOOPS; i++)
        plussi_free(&f->ctx->mem, t->begin[i].value);
    table *const others[] = {&t->times, &t->first, &t->address, &t->write};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        plussi_free(&f->ctx->mem, others[i]->value);
}

/* An iteration of loop `level` of those between (below `shared`: of the worksharing loop) ended. */
static pluss_status end_iteration(filler *f, const place *p, tables *t, size_t level)
{
    if (level < p->n_between)
        return push(f, &t->begin[level], t->count[level]);
    t->once = t->once && t->address.n == t->first.n;
    return push(f, &t->first, t->address.n);
}

static pluss_status read_entries(filler *f, const place *p, uint32_t unknown, tables *t,
                                 const plussi_fill_iteration *it)
{
    for (size_t k = it->first; k < it->first + it->n; k++) {
        const plussi_fill_entry *e = &f->block->entry[k];
        if (e->kind != PLUSSI_FILL_DONE) {
            if (e->of != unknown)
                continue;
            TRY(push(f, &t->address, e->value));
            TRY(push(f, &t->write, e->kind == PLUSSI_FILL_WRITE));
            t->reads = t->reads || e->kind == PLUSSI_FILL_READ;
            t->writes = t->writes || e->kind == PLUSSI_FILL_WRITE;
            continue;
        }
        size_t level = t->shared;
        while (level < p->n_between && p->between_loop[level] != e->of)
            level++;
        for (uint64_t n = 0; level < p->n_between && n < e->value && !f->too_long; n++) {
            t->count[level]++;
            TRY(end_iteration(f, p, t, level + 1));
        }
    }
    return end_iteration(f, p, t, t->shared);
}

/* Fills the tables of an unknown. *whole: the record has all iterations. */
static pluss_status read_tables(filler *f, const place *p, uint32_t unknown, tables *t, bool *whole)
{
    uint64_t time = 0, number = 0, n = 0;
    t->once = true;
    t->shared = p->shared->u.loop.collapse - 1;
    for (size_t i = t->shared; i < p->n_between; i++)
        TRY(push(f, &t->begin[i], 0));
    TRY(push(f, &t->first, 0));
    TRY(push(f, &t->times, 0));
    *whole = true;
    for (size_t i = 0; i < f->block->n_iterations && *whole; i++) {
        const plussi_fill_iteration *it = &f->iteration[i];
        if (it->loop != p->shared_loop)
            continue;
        for (; time < it->time && !f->too_long; time++, number = 0)
            TRY(push(f, &t->times, n));
        *whole = it->number == number++;
        n++;
        TRY(read_entries(f, p, unknown, t, it));
    }
    *whole = *whole && !f->too_long;
    return PLUSS_OK;
}

/* ---- nodes -------------------------------------------------------------------------------------
 */

/* Is the table's entry k a multiple of k? */
static bool is_linear(const table *t)
{
    for (size_t k = 0; k < t->n; k++)
        if (t->value[k] != (int64_t)k * t->value[t->n > 1])
            return false;
    return true;
}

/* The table's entry `at`. */
static plussi_expr *look_up(filler *f, const char *name, uint32_t number, const table *t,
                            plussi_expr *at)
{
    return is_linear(t) ? build(f, PLUSSI_E_MUL, at, plussi_expr_int(f->nest, t->value[t->n > 1]))
                        : load(f, declare(f, name, number, t), at);
}

/* The number of the unknown's execution. */
static plussi_expr *count_executions(filler *f, const place *p, const tables *t)
{
    plussi_expr *number = count_iterations(f, p->shared);
    for (size_t d = 0; d < t->shared; d++) {
        const plussi_node *in = p->between[d];
        plussi_expr *trips = count_steps(f, in->u.loop.lo, in->u.loop.hi, in->u.loop.step, true);
        number = add(f, build(f, PLUSSI_E_MUL, number, trips), count_iterations(f, in));
    }
    if (p->around && t->times.n > 1)
        number = add(
            f,
            look_up(f, "executions of", p->shared_loop, &t->times, count_iterations(f, p->around)),
            number);
    for (size_t i = t->shared; i < p->n_between; i++)
        number = add(f, look_up(f, "iterations of", p->between_loop[i], &t->begin[i], number),
                     count_iterations(f, p->between[i]));
    return number;
}

static plussi_array *all_memory(filler *f)
{
    if (f->memory)
        return f->memory;
    f->memory = plussi_nest_add_array(f->nest, f->region, ALL_MEMORY, PLUSSI_ELEM_I8, 1, 1);
    if (f->memory)
        f->memory->base_kind = PLUSSI_BASE_ADDRESS;
    return f->memory;
}

static void make_reference(filler *f, plussi_node *node, plussi_array *address, plussi_expr *at,
                           bool write)
{
    node->kind = PLUSSI_N_REF;
    memset(&node->u, 0, sizeof node->u);
    node->u.ref.array = all_memory(f);
    node->u.ref.write = write;
    node->u.ref.n_subs = 1;
    node->u.ref.subs = plussi_expr_vec(f->nest, 1);
    if (node->u.ref.subs)
        node->u.ref.subs[0] = load(f, address, at);
}

/* The access number `at`: a read, a write, or which of the two it is. */
static void make_access(filler *f, plussi_node *node, const tables *t, uint32_t unknown,
                        plussi_expr *at)
{
    plussi_array *address = declare(f, "place", unknown, &t->address);
    if (!t->reads || !t->writes) {
        make_reference(f, node, address, at, t->writes);
        return;
    }
    node->kind = PLUSSI_N_IF;
    memset(&node->u, 0, sizeof node->u);
    node->u.branch.cond =
        build(f, PLUSSI_E_EQ, load(f, declare(f, "write", unknown, &t->write), at),
              plussi_expr_int(f->nest, 1));
    for (int write = 1; write >= 0; write--) {
        plussi_node *ref = plussi_nest_add_node(f->nest, write ? &node->body : &node->orelse, node,
                                                PLUSSI_N_REF, node->loc);
        if (ref)
            make_reference(f, ref, address, at, write);
    }
}

static void make_loop(filler *f, plussi_node *node, const tables *t, uint32_t unknown,
                      plussi_expr *number)
{
    plussi_array *first = declare(f, "first", unknown, &t->first);
    char iv[32];
    snprintf(iv, sizeof iv, "access %u", (unsigned)unknown);
    node->kind = PLUSSI_N_LOOP;
    memset(&node->u, 0, sizeof node->u);
    node->u.loop.added = true;
    node->u.loop.step = 1;
    node->u.loop.collapse = 1;
    node->u.loop.iv = plussi_nest_string(f->nest, iv);
    node->u.loop.lo = load(f, first, number);
    node->u.loop.hi = load(f, first, add(f, number, plussi_expr_int(f->nest, 1)));
    plussi_node *access = plussi_nest_add_node(f->nest, &node->body, node, PLUSSI_N_REF, node->loc);
    if (access)
        make_access(f, access, t, unknown, plussi_expr_iv(f->nest, node));
}

/* The unknowns that were recorded. */
typedef struct filling {
    place *place;
    tables *tables;
    size_t *accesses; /* of each; 0: it stays */
    uint32_t n;
} filling;

static pluss_status start_filling(filler *f, filling *all)
{
    for (plussi_node *node = NULL; (node = plussi_nest_walk(&f->region->body, node));)
        all->n += node->kind == PLUSSI_N_UNKNOWN;
    all->place = plussi_calloc(&f->ctx->mem, all->n + 1, sizeof *all->place);
    all->tables = plussi_calloc(&f->ctx->mem, all->n + 1, sizeof *all->tables);
    all->accesses = plussi_calloc(&f->ctx->mem, all->n + 1, sizeof *all->accesses);
    return all->place && all->tables && all->accesses ? PLUSS_OK : PLUSS_ENOMEM;
}

/* *whole: everything that was recorded can be put in its place. */
static pluss_status read_all(filler *f, filling *all, bool *whole)
{
    uint32_t unknown = 0;
    for (size_t k = 0; k < f->block->n_entries; k++) {
        const plussi_fill_entry *e = &f->block->entry[k];
        if (e->kind == PLUSSI_FILL_DONE)
            continue;
        if (e->of >= all->n) {
            *whole = false;
            return PLUSS_OK;
        }
        all->accesses[e->of]++;
    }
    for (plussi_node *node = NULL; *whole && (node = plussi_nest_walk(&f->region->body, node));) {
        if (node->kind != PLUSSI_N_UNKNOWN)
            continue;
        tables *t = &all->tables[unknown];
        if (all->accesses[unknown]) {
            *whole = find_place(f, node, &all->place[unknown]);
            if (*whole)
                TRY(read_tables(f, &all->place[unknown], unknown, t, whole));
            *whole = *whole && t->address.n == all->accesses[unknown];
        }
        unknown++;
    }
    return PLUSS_OK;
}

static void fill(filler *f, const place *p, const tables *t, uint32_t unknown)
{
    plussi_expr *number = count_executions(f, p, t);
    if (t->once && t->address.n + 1 == t->first.n)
        make_access(f, p->node, t, unknown, number);
    else
        make_loop(f, p->node, t, unknown, number);
}

static void finish_filling(filler *f, filling *all)
{
    for (uint32_t u = 0; all->tables && u < all->n; u++)
        free_tables(f, &all->tables[u]);
    plussi_free(&f->ctx->mem, all->tables);
    plussi_free(&f->ctx->mem, all->place);
    plussi_free(&f->ctx->mem, all->accesses);
}

pluss_status plussi_fill_unknowns(plussi_ctx *ctx, const plussi_record_block *block,
                                  plussi_nest *nest)
{
    filler f = {.ctx = ctx, .nest = nest, .region = nest->first_region, .block = block};
    filling all = {0};
    bool whole = true;
    f.iteration = plussi_alloc(&ctx->mem, block->n_iterations + 1, sizeof *f.iteration);
    if (!f.iteration)
        return PLUSS_ENOMEM;
    if (block->n_iterations) {
        memcpy(f.iteration, block->iteration, block->n_iterations * sizeof *f.iteration);
        qsort(f.iteration, block->n_iterations, sizeof *f.iteration, compare_iterations);
    }
    pluss_status status = start_filling(&f, &all);
    if (!status)
        status = read_all(&f, &all, &whole);
    for (uint32_t u = 0; !status && whole && u < all.n; u++)
        if (all.accesses[u])
            fill(&f, &all.place[u], &all.tables[u], u);
    finish_filling(&f, &all);
    plussi_free(&ctx->mem, f.iteration);
    if (!status && nest->out_of_memory)
        status = PLUSS_ENOMEM;
    return status ? status : plussi_nest_validate(ctx, nest);
}

bool plussi_has_filled_unknowns(const plussi_nest *nest)
{
    return plussi_nest_declares(nest, ALL_MEMORY);
}
