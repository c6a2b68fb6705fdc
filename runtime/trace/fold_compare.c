/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "trace/fold_nest.h"
#include "trace/walk.h"

enum { LINE = 4096, BATCH = 256, NONE = -1 };

/* A nest with the run's sizes, executed by a team. */
typedef struct executed {
    plussi_bound *bound;
    plussi_walk *walk;
} executed;

/* References that a thread of it executes, in a phase or in all. */
typedef struct references {
    const executed *of;
    uint32_t thread;
    bool goes_on; /* from phase to phase */
    plussi_access access[BATCH];
    size_t at, n;
    bool begun;
    uint32_t rest; /* accesses of the walk that belong to the latest reference */
} references;

typedef struct comparison {
    plussi_ctx *ctx;
    const plussi_fold_run *run;
    const char *path;
    executed one, team; /* team: of as many threads as the run; empty where that is one */
    references all;     /* of the one thread */
    int64_t *object;    /* of an array, by id; NONE: not accessed yet */
    int64_t *array;     /* of an object */
    uint64_t place;
} comparison;

/* The next reference executed; NULL: the end. */
static const plussi_bound_node *next_reference(references *r, plussi_access *out)
{
    for (;;) {
        while (r->at == r->n) {
            r->at = 0;
            r->n = r->begun || !r->goes_on
                       ? plussi_walk_fill(r->of->walk, r->thread, r->access, BATCH)
                       : 0;
            if (r->n == 0 && !(r->goes_on && plussi_walk_next_phase(r->of->walk)))
                return NULL;
            r->begun = true;
        }
        *out = r->access[r->at++];
        const plussi_bound_node *node = r->of->bound->ref[out->ref];
        if (r->rest == 0) {
            r->rest = node->u.ref.touches - 1;
            return node;
        }
        r->rest--;
    }
}

static pluss_status differ(const comparison *c, const char *how)
{
    return plussi_fail(c->ctx, PLUSS_EUNSUPPORTED, &(plussi_loc){.file = c->path},
                       "access %" PRIu64 " is not that of the nest found: %s", c->place, how);
}

/* NULL: the event is this access of the nest; else why not. */
static const char *match(comparison *c, const plussi_event *event, const plussi_bound_node *node,
                         uint64_t address)
{
    const plussi_fold_tag *tag = plussi_fold_find_tag(c->run, event);
    const plussi_bound_ref *ref = &node->u.ref;
    const plussi_array *array = ref->array->decl;
    const plussi_fold_object *object = &c->run->object[tag->object];
    if (ref->write != (event->kind == PLUSSI_EVENT_WRITE) || ref->width != event->bytes)
        return "another kind of access";
    if (c->object[array->id] == NONE && c->array[tag->object] == NONE &&
        (!object->name || strncmp(array->name, object->name, strlen(object->name)) == 0)) {
        c->object[array->id] = tag->object;
        c->array[tag->object] = array->id;
    }
    if (c->object[array->id] != tag->object)
        return "another array";
    return address - (uint64_t)ref->array->base != event->address - object->address
               ? "another address"
               : NULL;
}

static bool is_shared(const plussi_bound_node *node)
{
    while (node && !(node->kind == PLUSSI_N_LOOP && node->u.loop.workshare))
        node = node->parent;
    return node != NULL;
}

/* Compares what a thread did in a phase with what it does in the nest. A thread without iterations
 * of worksharing loops may leave out accesses around them: compilers move accesses that all
 * iterations make in front of a loop, to where a thread comes that has iterations. */
static pluss_status compare_thread(comparison *c, const plussi_team_phase *phase, uint32_t thread)
{
    references has = {.of = &c->team, .thread = thread};
    plussi_access access;
    const plussi_bound_node *node;
    uint32_t at = 0, end = plussi_team_count(phase, thread);
    plussi_event event;
    bool shares = false, leaves_out = false;
    while ((node = next_reference(&has, &access))) {
        shares = shares || is_shared(node);
        if (at < end)
            event = plussi_team_event(phase, thread, at);
        if (at < end && !match(c, &event, node, access.line))
            at++;
        else if (is_shared(node))
            return differ(c, "a thread does not execute the iterations that it has in the nest");
        else
            leaves_out = true;
    }
    if (at < end || (shares && leaves_out))
        return differ(c, "a thread's accesses are not those that it has in the nest");
    return plussi_walk_status(c->team.walk);
}

/* Chunks of dynamic loops go to other threads than in the walk. */
static pluss_status compare_phase(void *user, const plussi_team_phase *phase)
{
    comparison *c = user;
    pluss_status status = PLUSS_OK;
    do
        if (!plussi_walk_next_phase(c->team.walk))
            return differ(c, "a region has no more");
    while (plussi_walk_instance(c->team.walk) < phase->region);
    for (uint32_t t = 0; t < phase->threads && !status && !phase->is_dispatched; t++)
        status = compare_thread(c, phase, t);
    return status;
}

static pluss_status compare_access(comparison *c, const plussi_event *event)
{
    plussi_access access;
    const plussi_bound_node *node = next_reference(&c->all, &access);
    c->place++;
    const char *how = node ? match(c, event, node, access.line) : "it has no more";
    return how ? differ(c, how) : PLUSS_OK;
}

static pluss_status compare_events(comparison *c, plussi_team_reader *trace)
{
    plussi_event event[BATCH];
    plussi_access access;
    pluss_status status = PLUSS_OK;
    for (size_t n = 1; n > 0 && !status;) {
        status = plussi_team_next(trace, event, BATCH, &n);
        for (size_t i = 0; i < n && !status; i++)
            if (plussi_event_is_access(&event[i]))
                status = compare_access(c, &event[i]);
    }
    if (!status && next_reference(&c->all, &access)) {
        c->place++;
        status = differ(c, "the trace has no more");
    }
    return status ? status : plussi_walk_status(c->one.walk);
}

static pluss_status execute(comparison *c, const plussi_nest *nest, const plussi_binding *binding,
                            size_t n_bindings, uint32_t team, executed *out)
{
    pluss_status status = plussi_bind(
        c->ctx, nest,
        &(plussi_bind_options){
            .team = team, .line_bytes = LINE, .binding = binding, .n_bindings = n_bindings},
        &out->bound);
    if (!status)
        status = plussi_walk_new(c->ctx, out->bound, 1, &out->walk);
    if (!status)
        plussi_walk_give_addresses(out->walk);
    return status;
}

/* A block of malloc may grow in steps that the runs before did not tell. */
static void drop_wrong_extents(const comparison *c, plussi_nest *nest)
{
    for (plussi_array *array = nest->first_array; array; array = array->next) {
        const plussi_bound_array *bound = &c->one.bound->array[array->id];
        const int64_t object = c->object[array->id];
        if (object != NONE && array->extents[0] &&
            (uint64_t)bound->extent[0] * array->elem_bytes != c->run->object[object].bytes)
            array->extents[0] = NULL;
    }
}

pluss_status plussi_fold_compare(plussi_ctx *ctx, plussi_nest *nest, const plussi_binding *binding,
                                 size_t n_bindings, const plussi_fold_run *run, const char *path)
{
    comparison c = {.ctx = ctx, .run = run, .path = path};
    plussi_team_reader *trace = NULL;
    c.all = (references){.of = &c.one, .goes_on = true};
    pluss_status status = execute(&c, nest, binding, n_bindings, 1, &c.one);
    bool is_team = run->threads > 1;
    if (!status && is_team)
        status = execute(&c, nest, binding, n_bindings, run->threads, &c.team);
    c.object = plussi_alloc(&ctx->mem, nest->n_arrays + 1, sizeof *c.object);
    c.array = plussi_alloc(&ctx->mem, run->n_objects + 1, sizeof *c.array);
    if (!status && (!c.object || !c.array))
        status = PLUSS_ENOMEM;
    for (uint32_t i = 0; i < nest->n_arrays && !status; i++)
        c.object[i] = NONE;
    for (size_t i = 0; i < run->n_objects && !status; i++)
        c.array[i] = NONE;
    if (!status)
        status = plussi_team_open(ctx, path, run->sites, run->threads,
                                  is_team ? compare_phase : NULL, &c, &trace);
    if (!status) {
        plussi_team_ask(trace, &run->ask);
        status = compare_events(&c, trace);
    }
    if (!status)
        drop_wrong_extents(&c, nest);
    plussi_team_close(trace);
    plussi_walk_free(c.one.walk);
    plussi_walk_free(c.team.walk);
    plussi_bound_free(c.one.bound);
    plussi_bound_free(c.team.bound);
    plussi_free(&ctx->mem, c.object);
    plussi_free(&ctx->mem, c.array);
    return status;
}
