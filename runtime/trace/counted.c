/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/counted.h"

#include "trace/walk.h"

enum { ROOM = 256 };

typedef struct counted_thread {
    plussi_counted_run *run; /* of this phase */
    size_t n, cap;
    uint32_t *met; /* by loop: number of executions so far */
    double length; /* accesses in this phase */
} counted_thread;

struct plussi_counted {
    plussi_ctx *ctx;
    const plussi_bound *bound;
    plussi_walk *walk;
    plussi_walk_watch watch;
    counted_thread *thread;
    uint32_t n_threads, team;
};

static void meet_loop(void *user, uint32_t thread, uint32_t loop)
{
    plussi_counted *c = user;
    c->thread[thread].met[loop]++;
}

static bool continues_run(const plussi_counted_run *r, const plussi_counted_run *next)
{
    return r->loop == next->loop && r->execution == next->execution && r->each == next->each &&
           r->first + r->n == next->first && r->done + (double)r->n * r->each == next->done;
}

static bool add_iterations(void *user, uint32_t thread, uint32_t loop, uint64_t first, uint64_t n,
                           double each, size_t ahead)
{
    plussi_counted *c = user;
    counted_thread *t = &c->thread[thread];
    plussi_counted_run run = {.first = first,
                              .n = n,
                              .done = t->length + (double)ahead,
                              .each = each,
                              .loop = loop,
                              .execution = t->met[loop] - 1};
    t->length += (double)n * each;
    if (t->n > 0 && continues_run(&t->run[t->n - 1], &run)) {
        t->run[t->n - 1].n += n;
        return true;
    }
    if (plussi_grow(&c->ctx->mem, &t->run, &t->cap, t->n, sizeof *t->run))
        return false;
    t->run[t->n++] = run;
    return true;
}

pluss_status plussi_counted_new(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                                plussi_counted **out)
{
    plussi_counted *c = plussi_calloc(&ctx->mem, 1, sizeof *c);
    if (!c)
        return PLUSS_ENOMEM;
    c->ctx = ctx;
    c->bound = bound;
    c->watch = (plussi_walk_watch){meet_loop, add_iterations, c};
    c->thread = plussi_calloc(&ctx->mem, bound->max_team, sizeof *c->thread);
    pluss_status status = c->thread ? PLUSS_OK : PLUSS_ENOMEM;
    c->n_threads = c->thread ? bound->max_team : 0;
    for (uint32_t k = 0; k < c->n_threads && !status; k++) {
        c->thread[k].met = plussi_calloc(&ctx->mem, bound->n_loops + 1, sizeof(uint32_t));
        status = c->thread[k].met ? PLUSS_OK : PLUSS_ENOMEM;
    }
    if (!status)
        status = plussi_walk_new_counting(ctx, bound, seed, &c->watch, &c->walk);
    if (status)
        plussi_counted_free(c);
    else
        *out = c;
    return status;
}

void plussi_counted_free(plussi_counted *c)
{
    if (!c)
        return;
    plussi_mem mem = c->ctx->mem;
    if (c->walk)
        plussi_walk_free(c->walk);
    for (uint32_t k = 0; k < c->n_threads; k++) {
        plussi_free(&mem, c->thread[k].run);
        plussi_free(&mem, c->thread[k].met);
    }
    plussi_free(&mem, c->thread);
    plussi_free(&mem, c);
}

pluss_status plussi_counted_next(plussi_counted *c, bool *more)
{
    plussi_access unread[ROOM];
    *more = plussi_walk_next_phase(c->walk);
    c->team = *more ? plussi_walk_team(c->walk) : 0;
    for (uint32_t k = 0; k < c->n_threads; k++) {
        c->thread[k].n = 0;
        c->thread[k].length = 0;
    }
    for (uint32_t k = 0; k < c->team; k++)
        for (size_t n; (n = plussi_walk_fill(c->walk, k, unread, ROOM)) > 0;)
            c->thread[k].length += (double)n;
    return plussi_walk_status(c->walk);
}

uint32_t plussi_counted_team(const plussi_counted *c)
{
    return c->team;
}

uint32_t plussi_counted_loop(const plussi_counted *c)
{
    uint32_t loop = PLUSSI_TIMELINE_NO_LOOP;
    for (uint32_t k = 0; k < plussi_counted_team(c); k++)
        for (size_t i = 0; i < c->thread[k].n; i++) {
            if (loop != PLUSSI_TIMELINE_NO_LOOP && c->thread[k].run[i].loop != loop)
                return PLUSSI_TIMELINE_NO_LOOP;
            loop = c->thread[k].run[i].loop;
        }
    return loop;
}

const plussi_counted_run *plussi_counted_runs(const plussi_counted *c, uint32_t thread, size_t *n,
                                              double *accesses)
{
    const counted_thread *t = &c->thread[thread];
    *n = t->n;
    *accesses = t->length;
    return t->run;
}
