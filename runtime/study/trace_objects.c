/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/trace_objects.h"

#include <stdlib.h>
#include <string.h>

#include "trace/fold_objects.h"

enum { OTHERS = PLUSSI_OBJECTS_APART, NONE };

/* Of an object, or of what is in none. */
typedef struct counted {
    uint64_t accesses;
    uint8_t place;
} counted;

struct plussi_trace_objects {
    plussi_ctx *ctx;
    plussi_fold_run run; /* which has only objects */
    counted *of;         /* by object; the last: in none */
    bool placed;
    const char *name[PLUSSI_OBJECT_PLACES];
};

static counted *find(const plussi_trace_objects *o, uint64_t address)
{
    const size_t at = plussi_fold_find_named(&o->run, address);
    return &o->of[at < o->run.n_named ? at : o->run.n_named];
}

pluss_status plussi_trace_objects_read(plussi_ctx *ctx, const char *path,
                                       plussi_trace_objects **out)
{
    plussi_trace_objects *o = plussi_calloc(&ctx->mem, 1, sizeof *o);
    if (!o)
        return PLUSS_ENOMEM;
    o->ctx = ctx;
    o->run.mem = ctx->mem;
    pluss_status status = plussi_fold_read_objects(ctx, path, &o->run);
    if (!status && o->run.n_named == 0)
        status = plussi_fail(ctx, PLUSS_ENOTFOUND, &(plussi_loc){.file = path},
                             "the trace has no objects: no file with the suffix .objects is beside "
                             "it, or it is empty");
    if (!status && !(o->of = plussi_calloc(&ctx->mem, o->run.n_named + 1, sizeof *o->of)))
        status = PLUSS_ENOMEM;
    if (status)
        plussi_trace_objects_free(o);
    else
        *out = o;
    return status;
}

void plussi_trace_objects_free(plussi_trace_objects *o)
{
    if (!o)
        return;
    const plussi_mem mem = o->ctx->mem;
    plussi_free(&mem, o->of);
    plussi_fold_run_clear(&o->run);
    plussi_free(&mem, o);
}

void plussi_trace_objects_count(plussi_trace_objects *o, uint64_t address)
{
    find(o, address)->accesses++;
}

/* The first of those that have more accesses than the ones before them, again and again. */
static void give_places(plussi_trace_objects *o)
{
    for (size_t i = 0; i < o->run.n_named; i++)
        o->of[i].place = OTHERS;
    o->of[o->run.n_named].place = NONE;
    for (uint8_t place = 0; place < OTHERS; place++) {
        counted *most = NULL;
        for (size_t i = 0; i < o->run.n_named; i++)
            if (o->of[i].place == OTHERS && o->of[i].accesses > (most ? most->accesses : 0))
                most = &o->of[i];
        if (!most)
            break;
        most->place = place;
        o->name[place] = o->run.object[most - o->of].name;
    }
    o->name[OTHERS] = "other objects";
    o->name[NONE] = "none";
    o->placed = true;
}

uint32_t plussi_trace_objects_place(plussi_trace_objects *o, uint64_t address)
{
    if (!o->placed)
        give_places(o);
    return find(o, address)->place;
}

const char *plussi_trace_objects_name(const plussi_trace_objects *o, uint32_t place)
{
    return o->name[place];
}
