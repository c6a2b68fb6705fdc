/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest_gen_fit.h"

#include <stdlib.h>

#include "base/arith.h"

typedef struct fit {
    const nest_gen_fit_input *in;
    int64_t *iv;            /* by loop id */
    plussi_interval *range; /* by reference id and dimension */
    int64_t thread;
    uint64_t accesses;
    bool too_many;
} fit;

int64_t nest_gen_eval(const plussi_expr *e, const int64_t *symbol_value, const int64_t *iv,
                      int64_t thread, int64_t team)
{
    int64_t v[3] = {0, 0, 0};
    for (uint32_t i = 0; i < plussi_expr_arity(e->kind); i++)
        v[i] = nest_gen_eval(e->a[i], symbol_value, iv, thread, team);
    switch (e->kind) {
    case PLUSSI_E_INT:
        return e->value;
    case PLUSSI_E_SYMBOL:
        return symbol_value[e->symbol->id];
    case PLUSSI_E_IV:
        return iv[e->loop->id];
    case PLUSSI_E_THREAD:
        return thread;
    case PLUSSI_E_TEAM:
        return team;
    case PLUSSI_E_NEG:
        return -v[0];
    case PLUSSI_E_ADD:
        return v[0] + v[1];
    case PLUSSI_E_SUB:
        return v[0] - v[1];
    case PLUSSI_E_MUL:
        return v[0] * v[1];
    case PLUSSI_E_DIV:
        return plussi_floordiv(v[0], v[1]);
    case PLUSSI_E_MOD:
        return plussi_floormod(v[0], v[1]);
    case PLUSSI_E_MIN:
        return plussi_min64(v[0], v[1]);
    case PLUSSI_E_MAX:
        return plussi_max64(v[0], v[1]);
    case PLUSSI_E_SELECT:
        return v[0] ? v[1] : v[2];
    case PLUSSI_E_LOAD: /* index arrays have one dimension; the generator keeps inside */
        return e->array->values[nest_gen_eval(e->subs[0], symbol_value, iv, thread, team)];
    case PLUSSI_E_LT:
        return v[0] < v[1];
    case PLUSSI_E_LE:
        return v[0] <= v[1];
    case PLUSSI_E_GT:
        return v[0] > v[1];
    case PLUSSI_E_GE:
        return v[0] >= v[1];
    case PLUSSI_E_EQ:
        return v[0] == v[1];
    case PLUSSI_E_NE:
        return v[0] != v[1];
    case PLUSSI_E_AND:
        return v[0] && v[1];
    case PLUSSI_E_OR:
        return v[0] || v[1];
    case PLUSSI_E_NOT:
        return !v[0];
    }
    abort();
}

static int64_t value(const fit *f, const plussi_expr *e)
{
    return nest_gen_eval(e, f->in->symbol_value, f->iv, f->thread, f->in->max_team);
}

static void run_body(fit *f, const plussi_body *body, uint64_t weight);

static void run_ref(fit *f, const plussi_node *ref, uint64_t weight)
{
    const plussi_array *array = ref->u.ref.array;
    for (uint32_t i = 0; i < array->rank; i++) {
        plussi_interval *range = &f->range[(size_t)ref->id * PLUSSI_MAX_RANK + i];
        int64_t v = value(f, ref->u.ref.subs[i]);
        range->lo = plussi_min64(range->lo, v);
        range->hi = plussi_max64(range->hi, v);
        if (v < -100000 || v > 100000)
            f->too_many = true;
    }
    uint64_t bytes = ref->u.ref.width ? ref->u.ref.width : array->elem_bytes;
    f->accesses += weight * (2 + bytes / 64);
    if (f->accesses > f->in->max_accesses)
        f->too_many = true;
}

static void run_node(fit *f, const plussi_node *node, uint64_t weight)
{
    switch (node->kind) {
    case PLUSSI_N_LOOP: {
        if (node->u.loop.workshare)
            weight = 1; /* each iteration by one thread */
        int64_t lo = value(f, node->u.loop.lo), hi = value(f, node->u.loop.hi);
        int64_t step = node->u.loop.step;
        for (int64_t i = lo; (step > 0 ? i < hi : i > hi) && !f->too_many; i += step) {
            f->iv[node->id] = i;
            run_body(f, &node->body, weight);
        }
        break;
    }
    case PLUSSI_N_REF:
        run_ref(f, node, weight);
        break;
    case PLUSSI_N_PARALLEL:
        run_body(f, &node->body, f->in->max_team);
        break;
    case PLUSSI_N_IF:
        run_body(f, value(f, node->u.branch.cond) ? &node->body : &node->orelse, weight);
        break;
    case PLUSSI_N_BRANCH:
        run_body(f, &node->body, weight);
        run_body(f, &node->orelse, weight);
        break;
    default:
        run_body(f, &node->body, weight);
    }
}

static void run_body(fit *f, const plussi_body *body, uint64_t weight)
{
    for (const plussi_node *node = body->first; node && !f->too_many; node = node->next)
        run_node(f, node, weight);
}

/* All regions, by every thread in turn as if it did all the work. */
static uint64_t run(fit *f)
{
    uint64_t most = 0;
    for (int64_t thread = 0; thread < f->in->max_team; thread++) {
        f->thread = thread;
        f->accesses = 0;
        for (const plussi_region *r = f->in->nest->first_region; r; r = r->next) {
            int64_t repeat = r->repeat ? value(f, r->repeat) : 1;
            for (int64_t i = 0; i < repeat && !f->too_many; i++)
                run_body(f, &r->body, 1);
        }
        most = f->accesses > most ? f->accesses : most;
    }
    return most;
}

static void grow(plussi_nest *nest, plussi_array *array, uint32_t i, int64_t extent)
{
    if (!array->extents[i] || array->extents[i]->value < extent)
        array->extents[i] = plussi_expr_int(nest, extent);
}

/* Swapped arrays have one shape. */
static void level_twins(plussi_nest *nest, plussi_node *swap)
{
    plussi_array *a = swap->u.swap.a, *b = swap->u.swap.b;
    for (uint32_t i = 0; i < a->rank; i++) {
        grow(nest, a, i, b->extents[i]->value);
        grow(nest, b, i, a->extents[i]->value);
    }
}

/* The array under a view is at least as long. */
static void cover_view(plussi_nest *nest, plussi_array *view)
{
    plussi_array *under = view->over;
    int64_t bytes = (int64_t)view->elem_bytes + (view->base ? view->base->value : 0);
    int64_t count = 1, row = (int64_t)under->elem_bytes;
    for (uint32_t i = 0; i < view->rank; i++)
        count *= view->extents[i]->value;
    bytes += count * (int64_t)view->elem_bytes;
    uint32_t slowest = under->column_order ? under->rank - 1 : 0;
    for (uint32_t i = 0; i < under->rank; i++)
        if (i != slowest)
            row *= under->extents[i]->value;
    grow(nest, under, slowest, (bytes + row - 1) / row);
}

static void fit_extents(fit *f)
{
    plussi_nest *nest = f->in->nest;
    for (plussi_array *a = nest->first_array; a; a = a->next)
        for (uint32_t i = 0; i < a->rank; i++)
            grow(nest, a, i, a->has_values ? (int64_t)a->n_values : 1);
    for (plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));) {
            if (node->kind != PLUSSI_N_REF)
                continue;
            for (uint32_t i = 0; i < node->u.ref.n_subs; i++) {
                plussi_interval range = f->range[(size_t)node->id * PLUSSI_MAX_RANK + i];
                if (range.lo > range.hi)
                    continue;
                int64_t shift = range.lo < 0 ? -range.lo : 0;
                if (shift)
                    node->u.ref.subs[i] = plussi_expr_op(nest, PLUSSI_E_ADD, node->u.ref.subs[i],
                                                         plussi_expr_int(nest, shift), NULL);
                grow(nest, node->u.ref.array, i, range.hi + shift + 1);
            }
        }
    for (plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (node->kind == PLUSSI_N_SWAP)
                level_twins(nest, node);
    for (plussi_array *a = nest->first_array; a; a = a->next)
        if (a->over)
            cover_view(nest, a);
}

uint64_t nest_gen_fit(const nest_gen_fit_input *in)
{
    plussi_nest *nest = in->nest;
    plussi_nest_number(nest);
    fit f = {.in = in};
    f.iv = calloc(nest->n_loops + 1u, sizeof *f.iv);
    size_t n = (size_t)nest->n_refs * PLUSSI_MAX_RANK;
    f.range = malloc((n + 1) * sizeof *f.range);
    if (!f.iv || !f.range)
        abort();
    for (size_t i = 0; i < n; i++)
        f.range[i] = (plussi_interval){INT64_MAX, INT64_MIN};
    uint64_t accesses = run(&f);
    if (f.too_many)
        accesses = UINT64_MAX;
    else
        fit_extents(&f);
    free(f.iv);
    free(f.range);
    return accesses;
}
