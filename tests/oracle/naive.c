/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naive.h"

#include <stdlib.h>
#include <string.h>

#include "naive_inner.h"

void *naive_more(void *ptr, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return ptr;
    *cap = *cap ? *cap * 2 : 8;
    ptr = realloc(ptr, *cap * size);
    if (!ptr)
        abort();
    return ptr;
}

void *naive_cleared(size_t n, size_t size)
{
    void *ptr = calloc(n ? n : 1, size);
    if (!ptr)
        abort();
    return ptr;
}

/* ---- where accesses go -------------------------------------------------------------------------
 */

/* Phases are made as some thread first gets there. */
static naive_phase *phase_at(naive_state *s, size_t number)
{
    while (s->n_phases <= number) {
        s->phase = naive_more(s->phase, s->n_phases, &s->cap_phases, sizeof *s->phase);
        s->phase[s->n_phases++] = (naive_phase){0};
    }
    naive_phase *p = &s->phase[number];
    if (p->team < s->team) {
        p->thread = realloc(p->thread, s->team * sizeof *p->thread);
        if (!p->thread)
            abort();
        memset(p->thread + p->team, 0, (s->team - p->team) * sizeof *p->thread);
        p->team = s->team;
    }
    return p;
}

static naive_item *new_item(naive_state *s)
{
    naive_thread *t = &phase_at(s, s->present)->thread[s->thread];
    t->item = naive_more(t->item, t->n, &t->cap, sizeof *t->item);
    t->item[t->n] = (naive_item){0};
    return &t->item[t->n++];
}

static void emit(naive_state *s, int64_t address, uint32_t ref)
{
    naive_access access = {(uint64_t)naive_floor_div(address, s->options->line_bytes), ref};
    if (s->into) {
        s->into->at = naive_more(s->into->at, s->into->n, &s->into->cap, sizeof *s->into->at);
        s->into->at[s->into->n++] = access;
    } else {
        new_item(s)->access = access;
    }
}

static void reference(naive_state *s, const plussi_node *node)
{
    const plussi_array *array = node->u.ref.array;
    naive_array *a = &s->array[array->id];
    int64_t width = (int64_t)node->u.ref.width, offset = node->u.ref.offset;
    if (width == 0)
        width = (int64_t)array->elem_bytes - offset;
    for (uint32_t d = 0; d < array->rank; d++)
        offset += a->stride[d] * naive_eval(s, node->u.ref.subs[d]);
    if (a->lo == a->hi) {
        a->lo = offset;
        a->hi = offset + width;
    }
    a->lo = offset < a->lo ? offset : a->lo;
    a->hi = offset + width > a->hi ? offset + width : a->hi;
    if (s->measuring)
        return;
    int64_t first = s->base_now[array->id] + s->thread * a->copy + offset;
    int64_t line = s->options->line_bytes;
    emit(s, first, node->id);
    if (!naive_straddles(s, node))
        return;
    for (int64_t byte = line; byte < width - 1; byte += line)
        emit(s, first + byte, node->id);
    if (width > 1)
        emit(s, first + width - 1, node->id);
}

/* ---- worksharing -------------------------------------------------------------------------------
 */

static void body(naive_state *s, const plussi_body *b);

/* Calls fn for every iteration of a loop collapsed with the next levels - 1, IVs set. */
static void each_iteration(naive_state *s, const plussi_node *loop, uint32_t levels,
                           void (*fn)(naive_state *s, const plussi_node *inner, void *user),
                           void *user)
{
    int64_t lo = naive_eval(s, loop->u.loop.lo), hi = naive_eval(s, loop->u.loop.hi);
    int64_t step = loop->u.loop.step;
    for (int64_t i = lo; step > 0 ? i < hi : i > hi; i += step) {
        s->iv[loop->id] = i;
        if (levels > 1)
            each_iteration(s, loop->body.first, levels - 1, fn, user);
        else
            fn(s, loop, user);
    }
}

static void count_one(naive_state *s, const plussi_node *inner, void *user)
{
    (void)s;
    (void)inner;
    ++*(uint64_t *)user;
}

typedef struct static_share {
    uint64_t n, chunk, number;
} static_share;

/* Who executes iteration `number`, from the definition. */
static uint32_t owner(const static_share *w, uint32_t team)
{
    if (w->chunk)
        return (uint32_t)(w->number / w->chunk % team);
    uint64_t end = 0;
    for (uint32_t t = 0;; t++) {
        end += w->n / team + (t < w->n % team);
        if (w->number < end)
            return t;
    }
}

static void static_one(naive_state *s, const plussi_node *inner, void *user)
{
    static_share *w = user;
    if (owner(w, s->team) == s->thread)
        body(s, &inner->body);
    w->number++;
}

static void pool_one(naive_state *s, const plussi_node *inner, void *user)
{
    naive_list **next = user;
    s->into = (*next)++;
    body(s, &inner->body);
    s->into = NULL;
}

/* The pool that this thread meets next in its phase. */
static naive_pool *meet(naive_state *s, const plussi_node *node, plussi_schedule_kind kind,
                        uint64_t n, uint64_t chunk)
{
    naive_phase *p = phase_at(s, s->present);
    size_t number = s->met++;
    if (number == p->n_pools) {
        p->pool = realloc(p->pool, (number + 1) * sizeof *p->pool);
        if (!p->pool)
            abort();
        p->pool[p->n_pools++] =
            (naive_pool){.node = node, .kind = kind, .n = n, .chunk = chunk, .range = n, .step = 1};
        p->pool[number].body = naive_cleared(s->team, sizeof(naive_list *));
    }
    naive_pool *pool = &p->pool[number];
    if (pool->node != node || pool->n != n)
        abort();
    pool->body[s->thread] = naive_cleared(n, sizeof(naive_list));
    naive_item *item = new_item(s);
    item->is_pool = true;
    item->pool = number;
    return pool;
}

static void barrier(naive_state *s)
{
    if (s->level == 1) {
        s->present++;
        s->met = 0;
    }
}

static void workshare(naive_state *s, const plussi_node *loop)
{
    const plussi_schedule *clause = &loop->u.loop.schedule;
    plussi_schedule_kind kind = clause->kind;
    uint32_t levels = loop->u.loop.collapse > 1 ? loop->u.loop.collapse : 1;
    int64_t chunk = clause->chunk ? naive_eval(s, clause->chunk) : 0;
    if (kind == PLUSSI_SCHED_RUNTIME) {
        kind = s->options->runtime;
        chunk = s->options->runtime_chunk > 0 ? s->options->runtime_chunk : 0;
        if (kind == PLUSSI_SCHED_NONE) {
            kind = PLUSSI_SCHED_DYNAMIC;
            chunk = 1;
        }
    }
    static_share work = {.chunk = (uint64_t)chunk};
    each_iteration(s, loop, levels, count_one, &work.n);
    if (kind == PLUSSI_SCHED_DYNAMIC || kind == PLUSSI_SCHED_GUIDED) {
        naive_pool *pool = meet(s, loop, kind, work.n, chunk ? (uint64_t)chunk : 1);
        if (levels == 1) {
            pool->range =
                (uint64_t)llabs(naive_eval(s, loop->u.loop.hi) - naive_eval(s, loop->u.loop.lo));
            pool->step = (uint64_t)llabs(loop->u.loop.step);
        }
        naive_list *next = pool->body[s->thread];
        each_iteration(s, loop, levels, pool_one, &next);
    } else if (kind == PLUSSI_SCHED_NONE || kind == PLUSSI_SCHED_STATIC ||
               kind == PLUSSI_SCHED_AUTO) {
        each_iteration(s, loop, levels, static_one, &work);
    } else {
        abort();
    }
    if (!loop->u.loop.nowait)
        barrier(s);
}

static void single(naive_state *s, const plussi_node *node)
{
    naive_pool *pool = meet(s, node, PLUSSI_SCHED_NONE, 1, 1);
    s->into = pool->body[s->thread];
    body(s, &node->body);
    s->into = NULL;
    if (!node->u.single.nowait)
        barrier(s);
}

/* ---- statements --------------------------------------------------------------------------------
 */

static void parallel(naive_state *s, const plussi_node *node)
{
    if (s->level > 0) {
        s->level++;
        body(s, &node->body);
        s->level--;
        return;
    }
    bool alone = node->u.parallel.cond && !naive_eval(s, node->u.parallel.cond);
    int64_t team = s->options->team;
    if (node->u.parallel.num_threads)
        team = naive_eval(s, node->u.parallel.num_threads);
    size_t first = ++s->present, last = first;
    s->team = alone ? 1 : (uint32_t)team;
    if (s->team > s->max_team)
        s->max_team = s->team;
    s->level = 1;
    for (s->thread = 0; s->thread < s->team; s->thread++) {
        s->present = first;
        s->met = 0;
        body(s, &node->body);
        last = s->present > last ? s->present : last;
    }
    s->level = 0;
    s->thread = 0;
    s->team = 1;
    s->present = last + 1;
}

static uint64_t mix(uint64_t seed)
{
    uint64_t z = seed + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Branches before this one in the text. */
static uint64_t branch_number(const naive_state *s, const plussi_node *branch)
{
    uint64_t number = 0;
    for (const plussi_region *r = s->nest->first_region; r; r = r->next)
        for (plussi_node *n = NULL; (n = plussi_nest_walk(&r->body, n));) {
            if (n == branch)
                return number;
            number += n->kind == PLUSSI_N_BRANCH;
        }
    abort();
}

static uint64_t mix_ivs(const naive_state *s, uint64_t h, const plussi_node *node)
{
    if (!node)
        return h;
    h = mix_ivs(s, h, node->parent);
    return node->kind == PLUSSI_N_LOOP ? mix(h ^ (uint64_t)s->iv[node->id]) : h;
}

static bool taken(const naive_state *s, const plussi_node *node)
{
    uint64_t h = mix(mix(mix(s->options->seed) ^ branch_number(s, node)) ^ s->repetition);
    h = mix_ivs(s, h, node->parent);
    return (double)(h >> 11) / 9007199254740992.0 < node->u.branch.probability;
}

static void statement(naive_state *s, const plussi_node *node)
{
    switch (node->kind) {
    case PLUSSI_N_REF:
        reference(s, node);
        break;
    case PLUSSI_N_LOOP:
        if (node->u.loop.workshare && s->level == 1) {
            workshare(s, node);
        } else {
            int64_t lo = naive_eval(s, node->u.loop.lo), hi = naive_eval(s, node->u.loop.hi);
            int64_t step = node->u.loop.step;
            for (int64_t i = lo; step > 0 ? i < hi : i > hi; i += step) {
                s->iv[node->id] = i;
                body(s, &node->body);
            }
        }
        break;
    case PLUSSI_N_PARALLEL:
        parallel(s, node);
        break;
    case PLUSSI_N_IF:
        body(s, naive_eval(s, node->u.branch.cond) ? &node->body : &node->orelse);
        break;
    case PLUSSI_N_BRANCH:
        body(s, taken(s, node) ? &node->body : &node->orelse);
        break;
    case PLUSSI_N_BARRIER:
        barrier(s);
        break;
    case PLUSSI_N_SINGLE:
        if (s->level == 1)
            single(s, node);
        else
            body(s, &node->body);
        break;
    case PLUSSI_N_MASTER:
        if (s->level != 1 || s->thread == 0)
            body(s, &node->body);
        break;
    case PLUSSI_N_CRITICAL:
    case PLUSSI_N_ORDERED:
        body(s, &node->body);
        break;
    case PLUSSI_N_SWAP:
        naive_swap(s, node);
        break;
    case PLUSSI_N_OPS:
    case PLUSSI_N_UNKNOWN:
        break;
    }
}

static void body(naive_state *s, const plussi_body *b)
{
    for (const plussi_node *node = b->first; node; node = node->next)
        statement(s, node);
}

static void program(naive_state *s)
{
    s->present = 0;
    s->team = 1;
    s->level = 0;
    s->thread = 0;
    for (uint32_t id = 0; id < s->nest->n_arrays; id++)
        s->base_now[id] = s->array[id].base;
    for (const plussi_region *r = s->nest->first_region; r; r = r->next) {
        uint64_t repeat = r->repeat ? (uint64_t)naive_eval(s, r->repeat) : 1;
        for (s->repetition = 0; s->repetition < repeat; s->repetition++)
            body(s, &r->body);
    }
}

/* ---- the result -------------------------------------------------------------------------------
 */

static uint64_t pool_accesses(const naive_phase *p, size_t number)
{
    const naive_pool *pool = &p->pool[number];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < pool->n; i++)
        sum += pool->body[0] ? pool->body[0][i].n : 0;
    return sum;
}

static uint64_t phase_accesses(const naive_phase *p)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < p->team; t++)
        for (size_t i = 0; i < p->thread[t].n; i++)
            sum += !p->thread[t].item[i].is_pool;
    for (size_t i = 0; i < p->n_pools; i++)
        sum += pool_accesses(p, i);
    return sum;
}

static void free_phase(naive_phase *p)
{
    for (uint32_t t = 0; t < p->team; t++)
        free(p->thread[t].item);
    for (size_t i = 0; i < p->n_pools; i++) {
        for (uint32_t t = 0; t < p->team; t++) {
            naive_list *list = p->pool[i].body[t];
            for (uint64_t k = 0; list && k < p->pool[i].n; k++)
                free(list[k].at);
            free(list);
        }
        free(p->pool[i].body);
    }
    free(p->thread);
    free(p->pool);
}

naive *naive_run(const plussi_nest *nest, const naive_options *options)
{
    naive_state s = {.nest = nest, .options = options, .max_team = options->team};
    s.symbol = naive_cleared(nest->n_symbols, sizeof *s.symbol);
    s.iv = naive_cleared(nest->n_loops, sizeof *s.iv);
    s.array = naive_cleared(nest->n_arrays, sizeof *s.array);
    s.base_now = naive_cleared(nest->n_arrays, sizeof *s.base_now);
    naive_symbols(&s);
    naive_measure(&s);
    s.measuring = true;
    program(&s);
    s.measuring = false;
    for (size_t i = 0; i < s.n_phases; i++)
        free_phase(&s.phase[i]);
    s.n_phases = 0;
    naive_place(&s);
    program(&s);

    naive *out = naive_cleared(1, sizeof *out);
    out->n_arrays = nest->n_arrays;
    out->max_team = s.max_team;
    out->base = naive_cleared(nest->n_arrays, sizeof *out->base);
    out->lo = naive_cleared(nest->n_arrays, sizeof *out->lo);
    out->hi = naive_cleared(nest->n_arrays, sizeof *out->hi);
    for (uint32_t id = 0; id < nest->n_arrays; id++) {
        out->base[id] = s.array[id].base;
        out->lo[id] = s.array[id].lo;
        out->hi[id] = s.array[id].hi;
    }
    out->phase = s.phase;
    for (size_t i = 0; i < s.n_phases; i++) {
        uint64_t n = phase_accesses(&s.phase[i]);
        out->accesses += n;
        if (n)
            out->phase[out->n_phases++] = s.phase[i];
        else
            free_phase(&s.phase[i]);
    }
    free(s.symbol);
    free(s.iv);
    free(s.array);
    free(s.base_now);
    return out;
}

void naive_free(naive *n)
{
    for (size_t i = 0; i < n->n_phases; i++)
        free_phase(&n->phase[i]);
    free(n->phase);
    free(n->base);
    free(n->lo);
    free(n->hi);
    free(n);
}
