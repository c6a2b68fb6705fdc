/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/balance.h"

#include <string.h>

#include "study/stage.h"
#include "trace/walk.h"

enum { OUTSIDE_MOST = 10000000 };

typedef struct counts {
    double *of_phase; /* by thread */
    bool *done;
    uint64_t outside; /* accesses that are in no worksharing loop */
} counts;

static void meet(void *user, uint32_t thread, uint32_t loop)
{
    (void)user;
    (void)thread;
    (void)loop;
}

static bool iterate(void *user, uint32_t thread, uint32_t loop, uint64_t first, uint64_t n,
                    double each, size_t ahead)
{
    counts *c = user;
    (void)loop;
    (void)first;
    (void)ahead;
    c->of_phase[thread] += (double)n * each;
    return true;
}

/* Executes the phase: the thread with the fewest accesses goes on. The most of one of them. It ends
 * early where too many accesses are outside of worksharing loops. */
static double execute_phase(plussi_walk *walk, counts *c, double *all)
{
    enum { ROOM = 256 };
    plussi_access none[ROOM];
    const uint32_t team = plussi_walk_team(walk);
    double most = 0;
    memset(c->of_phase, 0, team * sizeof *c->of_phase);
    memset(c->done, 0, team * sizeof *c->done);
    while (c->outside <= OUTSIDE_MOST) {
        uint32_t next = team;
        for (uint32_t t = 0; t < team; t++)
            if (!c->done[t] && (next == team || c->of_phase[t] < c->of_phase[next]))
                next = t;
        if (next == team)
            break;
        const double before = c->of_phase[next];
        size_t n = plussi_walk_fill(walk, next, none, ROOM);
        c->done[next] = n == 0 && c->of_phase[next] == before;
        c->of_phase[next] += (double)n;
        c->outside += n;
    }
    for (uint32_t t = 0; t < team; t++) {
        *all += c->of_phase[t];
        most = c->of_phase[t] > most ? c->of_phase[t] : most;
    }
    return most;
}

static pluss_status measure(plussi_ctx *ctx, const plussi_bound *bound, double *out)
{
    counts c = {.of_phase = plussi_calloc(&ctx->mem, bound->max_team, sizeof *c.of_phase),
                .done = plussi_calloc(&ctx->mem, bound->max_team, sizeof *c.done)};
    const plussi_walk_watch watch = {meet, iterate, &c};
    plussi_walk *walk = NULL;
    double most = 0, all = 0;
    pluss_status status = c.of_phase && c.done ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status)
        status = plussi_walk_new_counting(ctx, bound, 0, &watch, &walk);
    if (!status) {
        while (c.outside <= OUTSIDE_MOST && plussi_walk_next_phase(walk))
            most += execute_phase(walk, &c, &all);
        status = plussi_walk_status(walk);
    }
    if (!status && all > 0 && c.outside <= OUTSIDE_MOST)
        *out = most * bound->team / all;
    plussi_walk_free(walk);
    plussi_free(&ctx->mem, c.of_phase);
    plussi_free(&ctx->mem, c.done);
    return status;
}

/* ---- repetitions -------------------------------------------------------------------------------
 */

static bool uses(const plussi_cexpr *x, uint32_t slot)
{
    return x && (plussi_cexpr_slots(x) >> slot & 1);
}

/* Whether the accesses of the node are the same ones in number, and dispatched alike, whatever the
 * value of the slot is. */
static bool is_regular(const plussi_bound_node *node, uint32_t slot)
{
    bool regular = true;
    if (node->kind == PLUSSI_N_LOOP)
        regular = !uses(node->u.loop.lo, slot) && !uses(node->u.loop.hi, slot) &&
                  node->u.loop.schedule.kind != PLUSSI_SCHED_RECORDED &&
                  !uses(node->u.loop.schedule.chunk, slot) &&
                  !uses(node->u.loop.schedule.chunk2, slot);
    else if (node->kind == PLUSSI_N_PARALLEL)
        regular = !uses(node->u.parallel.num_threads, slot) && !uses(node->u.parallel.cond, slot);
    else if (node->kind != PLUSSI_N_REF)
        return false;
    for (uint32_t i = 0; i < node->n_body && regular; i++)
        regular = is_regular(node->body[i], slot);
    return regular;
}

/* Loops around all of a region whose iterations are alike are executed once: the busiest thread has
 * the same part of the accesses. */
static pluss_status execute_once(plussi_bound *bound)
{
    const plussi_bound_node *node =
        bound->n_regions == 1 && bound->region[0].n_body == 1 ? bound->region[0].body[0] : NULL;
    for (; node; node = node->n_body == 1 ? node->body[0] : NULL) {
        const plussi_bound_loop *loop = &node->u.loop;
        if (node->kind == PLUSSI_N_PARALLEL)
            continue;
        if (node->kind != PLUSSI_N_LOOP || loop->workshare || loop->step < 1 ||
            plussi_cexpr_slots(loop->lo) || plussi_cexpr_slots(loop->hi))
            break;
        bool regular = true, fault = false;
        for (uint32_t i = 0; i < node->n_body && regular; i++)
            regular = is_regular(node->body[i], loop->slot);
        if (!regular)
            break;
        const int64_t none = 0, lo = plussi_cexpr_eval(loop->lo, &none, &fault);
        if (lo >= plussi_cexpr_eval(loop->hi, &none, &fault))
            break;
        plussi_cexpr *hi = plussi_arena_alloc(&bound->arena, 1, sizeof *hi);
        if (!hi)
            return PLUSS_ENOMEM;
        *hi = (plussi_cexpr){.kind = PLUSSI_CEXPR_AFFINE, .c = lo + 1};
        ((plussi_bound_node *)node)->u.loop.hi = hi;
    }
    return PLUSS_OK;
}

pluss_status plussi_measure_imbalance(plussi_ctx *ctx, const plussi_nest *nest,
                                      const plussi_request *request, uint32_t team, double *out)
{
    plussi_bound *bound = NULL;
    *out = 1;
    if (team == 1)
        return PLUSS_OK;
    pluss_status status = plussi_pipeline_bind(ctx, nest, request, team, &bound);
    if (!status)
        status = execute_once(bound);
    if (!status)
        status = measure(ctx, bound, out);
    plussi_bound_free(bound);
    return status;
}
