/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "trace/fold_nest.h"
#include "trace/walk.h"

enum { LINE = 4096, BATCH = 256, NONE = -1 };

typedef struct comparison {
    plussi_ctx *ctx;
    const plussi_bound *bound;
    const plussi_fold_run *run;
    const char *path;
    plussi_walk *walk;
    plussi_access access[BATCH];
    size_t at, n;
    bool begun;
    uint32_t rest;   /* accesses of the walk that belong to the latest reference */
    int64_t *object; /* of an array, by id; NONE: not accessed yet */
    int64_t *array;  /* of an object */
    uint64_t place;
} comparison;

/* The next reference executed; false: the end. */
static bool next_reference(comparison *c, plussi_access *out)
{
    for (;;) {
        while (c->at == c->n) {
            c->at = 0;
            c->n = c->begun ? plussi_walk_fill(c->walk, 0, c->access, BATCH) : 0;
            if (c->n == 0 && !plussi_walk_next_phase(c->walk))
                return false;
            c->begun = true;
        }
        *out = c->access[c->at++];
        if (c->rest == 0) {
            c->rest = c->bound->ref[out->ref]->u.ref.touches - 1;
            return true;
        }
        c->rest--;
    }
}

static pluss_status differ(const comparison *c, const char *how)
{
    return plussi_fail(c->ctx, PLUSS_EUNSUPPORTED, &(plussi_loc){.file = c->path},
                       "access %" PRIu64 " is not that of the nest found: %s", c->place, how);
}

static pluss_status compare_access(comparison *c, const plussi_event *event)
{
    plussi_access access;
    const plussi_fold_tag *tag = plussi_fold_find_tag(c->run, event);
    c->place++;
    if (!next_reference(c, &access))
        return differ(c, "it has no more");
    const plussi_bound_ref *ref = &c->bound->ref[access.ref]->u.ref;
    const plussi_array *array = ref->array->decl;
    const plussi_fold_object *object = &c->run->object[tag->object];
    if (ref->write != (event->kind == PLUSSI_EVENT_WRITE) || ref->width != event->bytes)
        return differ(c, "another kind of access");
    if (c->object[array->id] == NONE && c->array[tag->object] == NONE &&
        (!object->name || strncmp(array->name, object->name, strlen(object->name)) == 0)) {
        c->object[array->id] = tag->object;
        c->array[tag->object] = array->id;
    }
    if (c->object[array->id] != tag->object)
        return differ(c, "another array");
    if (access.line - (uint64_t)ref->array->base != event->address - object->address)
        return differ(c, "another address");
    return PLUSS_OK;
}

static pluss_status compare_events(comparison *c, plussi_foreign *trace)
{
    plussi_event event[BATCH];
    plussi_access access;
    pluss_status status = PLUSS_OK;
    for (size_t n = 1; n > 0 && !status;) {
        status = plussi_foreign_next(trace, event, BATCH, &n);
        for (size_t i = 0; i < n && !status; i++)
            if (plussi_event_is_access(&event[i]))
                status = compare_access(c, &event[i]);
    }
    if (!status && next_reference(c, &access)) {
        c->place++;
        status = differ(c, "the trace has no more");
    }
    return status ? status : plussi_walk_status(c->walk);
}

pluss_status plussi_fold_compare(plussi_ctx *ctx, const plussi_nest *nest,
                                 const plussi_binding *binding, size_t n_bindings,
                                 const plussi_fold_run *run, const char *path)
{
    comparison c = {.ctx = ctx, .run = run, .path = path};
    plussi_bound *bound = NULL;
    plussi_foreign *trace = NULL;
    pluss_status status = plussi_bind(
        ctx, nest,
        &(plussi_bind_options){
            .team = 1, .line_bytes = LINE, .binding = binding, .n_bindings = n_bindings},
        &bound);
    c.bound = bound;
    c.object = plussi_alloc(&ctx->mem, nest->n_arrays + 1, sizeof *c.object);
    c.array = plussi_alloc(&ctx->mem, run->n_objects + 1, sizeof *c.array);
    if (!status && (!c.object || !c.array))
        status = PLUSS_ENOMEM;
    for (uint32_t i = 0; i < nest->n_arrays && !status; i++)
        c.object[i] = NONE;
    for (size_t i = 0; i < run->n_objects && !status; i++)
        c.array[i] = NONE;
    if (!status)
        status = plussi_walk_new(ctx, bound, 1, &c.walk);
    if (!status)
        status = plussi_foreign_open(ctx, path, false, &trace);
    if (!status) {
        plussi_walk_give_addresses(c.walk);
        status = compare_events(&c, trace);
    }
    plussi_foreign_close(trace);
    plussi_walk_free(c.walk);
    plussi_bound_free(bound);
    plussi_free(&ctx->mem, c.object);
    plussi_free(&ctx->mem, c.array);
    return status;
}
