/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Engines of all replications: of a nest without dynamic loops the team's, which is immutable and
 * the same for all of them; of others that of one thread, if its classes are theirs. The first one
 * that needs it makes it; each pays for its plan as if it had made its own, so that what is refused
 * does not depend on who did. The accesses of each reference are counted in it, too, where that is
 * not too much: of these none pays, as those that make their own engine count them one by one when
 * they ask.
 */
#include "model/clock_state.h"

struct plussi_clock_engine {
    plussi_mem mem;
    pthread_mutex_t lock; /* of all that follows */
    bool tried, serial;   /* serial: the engine is that of one thread */
    plussi_attempted *memory;
    plussi_engine *engine; /* NULL: each replication makes its own */
    uint64_t steps;
};

bool plussi_clock_has_dynamic_loop(const plussi_bound *bound)
{
    for (uint32_t i = 0; i < bound->n_loops; i++)
        if (bound->loop[i] && bound->loop[i]->u.loop.workshare &&
            bound->loop[i]->u.loop.schedule.kind != PLUSSI_SCHED_STATIC)
            return true;
    return false;
}

pluss_status plussi_clock_engine_new(const plussi_mem *mem, plussi_clock_engine **out)
{
    plussi_clock_engine *e = plussi_calloc(mem, 1, sizeof *e);
    if (!e || pthread_mutex_init(&e->lock, NULL) != 0) {
        plussi_free(mem, e);
        return PLUSS_ENOMEM;
    }
    e->mem = *mem;
    *out = e;
    return PLUSS_OK;
}

void plussi_clock_engine_free(plussi_clock_engine *e)
{
    if (!e)
        return;
    const plussi_mem mem = e->mem;
    plussi_attempted_free(e->memory);
    pthread_mutex_destroy(&e->lock);
    plussi_free(&mem, e);
}

typedef struct making {
    const plussi_bound *bound;
    bool serial, count_leaves;
    plussi_engine *engine;
    uint64_t left; /* of the effort, after planning */
} making;

static bool give_none(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                      uint64_t chunk, uint32_t team, uint32_t thread, plussi_thread_set *out)
{
    (void)user, (void)loop, (void)iv, (void)n, (void)chunk, (void)team, (void)thread, (void)out;
    return false;
}

static pluss_status make(plussi_ctx *ctx, void *user)
{
    /* with it singles without a barrier ask, too; an engine that does is not kept */
    static const plussi_iterset_source none = {give_none, .ascending = true, .singles = true};
    making *m = user;
    pluss_status status = m->serial ? plussi_engine_new_serial(ctx, m->bound, &m->engine)
                                    : plussi_engine_new(ctx, m->bound, &none, &m->engine);
    if (!status && plussi_engine_uses_source(m->engine))
        status = PLUSS_EUNSUPPORTED;
    m->left = plussi_effort_of(ctx)->left;
    return status || !m->count_leaves ? status : plussi_engine_count_leaves(m->engine);
}

/* Where the plan fails a replication's own fails, too, and tells why. Counts that take more than a
 * replication's effort, though none may need all of them, are left out. */
static void make_once(plussi_clock_engine *e, const plussi_bound *bound,
                      const plussi_clock_options *options)
{
    const uint64_t most = plussi_clock_share_of_effort(options);
    const uint64_t given = most ? most : UINT64_MAX;
    plussi_ctx quiet;
    plussi_ctx_init(&quiet, &e->mem);
    pluss_status status = PLUSS_ELIMIT;
    for (int counts = 1; counts >= 0 && status == PLUSS_ELIMIT; counts--) {
        plussi_effort effort = {.left = given};
        making m = {.bound = bound, .serial = e->serial, .count_leaves = counts};
        status = plussi_attempt_to_keep(&quiet, &effort, make, &m, &e->memory);
        if (!status) {
            e->engine = m.engine;
            e->steps = given - m.left;
        }
    }
    plussi_ctx_clear(&quiet);
}

void plussi_clock_engine_prepare(plussi_clock_engine *e, const plussi_bound *bound,
                                 const plussi_clock_options *options,
                                 const plussi_clock_classes *classes)
{
    const bool dynamic = plussi_clock_has_dynamic_loop(bound);
    pthread_mutex_lock(&e->lock);
    if (!e->tried) {
        e->serial = classes->n && classes->class[0].serial;
        if (e->serial || !dynamic)
            make_once(e, bound, options);
    }
    e->tried = true;
    pthread_mutex_unlock(&e->lock);
}

pluss_status plussi_clock_engine_share(const plussi_clock_engine *e, plussi_ctx *ctx, bool serial,
                                       plussi_engine **out)
{
    *out = NULL;
    if (!e->engine || e->serial != serial)
        return PLUSS_OK;
    plussi_effort_take(plussi_effort_of(ctx), e->steps);
    return plussi_engine_share(ctx, e->engine, out);
}
