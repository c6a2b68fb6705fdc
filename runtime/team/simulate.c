/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Simulates the dispatch of a phase's dynamic chunks: an event is a chunk, or a stretch of accesses
 * that are not dispatched.
 */
#include "base/effort.h"
#include "team/chunk_log.h"
#include "team/gslrng.h"

typedef struct moment {
    uint32_t thread;
    uint64_t access;
    double time;
} moment;

typedef struct place {
    size_t stage;
    bool arrived;  /* the accesses before the stage are done */
    uint64_t made; /* accesses so far */
} place;

typedef struct phase {
    plussi_ctx *ctx;
    const plussi_stage *stage;
    size_t n_stages;
    const uint64_t *after;
    uint32_t team;
    plussi_rng rng;
    plussi_dispatch *loop; /* of each stage, as far as it is dispatched */
    plussi_chunk_log *log; /* and to which threads */
    place *place;          /* of each thread */
    plussi_clocks clocks;  /* each thread's next access */
    moment *moment;
    size_t n_moments, cap;
} phase;

static pluss_status check_stages(plussi_ctx *ctx, const plussi_stage *stage, size_t n,
                                 uint32_t team)
{
    for (size_t i = 0; i < n; i++) {
        const plussi_dispatch *d = &stage[i].loop;
        if (d->chunk == 0)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a chunk of no iterations");
        if (d->team != team)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "loops of one phase by different teams");
        pluss_status status = PLUSS_OK;
        if (!d->guided && d->next < d->n)
            status = plussi_check_chunks(ctx, (d->n - d->next - 1) / d->chunk + 1);
        if (status)
            return status;
    }
    return PLUSS_OK;
}

static pluss_status note_moment(phase *p, uint32_t thread, double time)
{
    pluss_status status =
        plussi_grow(&p->ctx->mem, &p->moment, &p->cap, p->n_moments, sizeof *p->moment);
    if (!status)
        p->moment[p->n_moments++] = (moment){thread, p->place[thread].made, time};
    return status;
}

/* Finds the time of the thread's next access, the first after its present work. false: it has none
 * left, or *status is set. */
static bool go_on(phase *p, uint32_t thread, double *time, pluss_status *status)
{
    place *t = &p->place[thread];
    plussi_segment chunk;
    uint64_t work = 0;
    double end = 0;
    for (;;) {
        if (!t->arrived) {
            const uint64_t *ahead = t->stage < p->n_stages ? p->stage[t->stage].ahead : p->after;
            t->arrived = true;
            work = ahead ? ahead[thread] : 0;
            end = *time + plussi_gamma(&p->rng, (double)work);
        } else if (t->stage == p->n_stages) {
            *status = note_moment(p, thread, *time);
            return false;
        } else if (!plussi_dispatch_next(&p->loop[t->stage], &chunk)) {
            t->stage++;
            t->arrived = false;
        } else {
            plussi_chunk_log *log = &p->log[t->stage];
            *status = plussi_chunk_log_run(log, thread, chunk, *time, &end);
            if (*status)
                return false;
            work = (uint64_t)log->chunk[log->n - 1].work;
        }
        if (work == 0)
            continue;
        *status = note_moment(p, thread, *time);
        t->made += work;
        *time = end;
        return *status == PLUSS_OK;
    }
}

static pluss_status run_phase(phase *p)
{
    pluss_status status = PLUSS_OK;
    plussi_effort *effort = plussi_effort_of(p->ctx);
    for (uint32_t t = 0; t < p->team; t++)
        plussi_clocks_push(&p->clocks, t, plussi_gamma(&p->rng, 1), &p->rng);
    while (!status && p->clocks.n > 0) {
        plussi_effort_take(effort, 6);
        double time = p->clocks.heap[0].time;
        if (go_on(p, p->clocks.heap[0].thread, &time, &status))
            plussi_clocks_move_first(&p->clocks, time, &p->rng);
        else
            (void)plussi_clocks_pop(&p->clocks);
    }
    return status;
}

/* Sorts by thread. */
static pluss_status sort_moments(const phase *p, plussi_moments *out)
{
    const plussi_mem *mem = &p->ctx->mem;
    plussi_moments m = {.mem = *mem, .team = p->team};
    m.first = plussi_calloc(mem, (size_t)p->team + 2, sizeof *m.first);
    m.access = plussi_alloc(mem, p->n_moments, sizeof *m.access);
    m.time = plussi_alloc(mem, p->n_moments, sizeof *m.time);
    if (!m.first || !m.access || !m.time) {
        plussi_moments_free(&m);
        return PLUSS_ENOMEM;
    }
    for (size_t i = 0; i < p->n_moments; i++)
        m.first[p->moment[i].thread + 2]++;
    for (uint32_t t = 2; t <= p->team; t++)
        m.first[t] += m.first[t - 1];
    for (size_t i = 0; i < p->n_moments; i++) {
        size_t at = m.first[p->moment[i].thread + 1]++;
        m.access[at] = p->moment[i].access;
        m.time[at] = p->moment[i].time;
    }
    *out = m;
    return PLUSS_OK;
}

static pluss_status start_phase(phase *p, uint64_t seed)
{
    const plussi_mem *mem = &p->ctx->mem;
    pluss_status status = PLUSS_OK;
    plussi_rng_seed(&p->rng, seed, 0);
    p->loop = plussi_alloc(mem, p->n_stages, sizeof *p->loop);
    p->log = plussi_calloc(mem, p->n_stages, sizeof *p->log);
    p->place = plussi_calloc(mem, p->team, sizeof *p->place);
    p->clocks.heap = plussi_alloc(mem, p->team, sizeof *p->clocks.heap);
    if (!p->loop || !p->log || !p->place || !p->clocks.heap)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < p->n_stages && !status; i++) {
        const plussi_stage *s = &p->stage[i];
        p->loop[i] = s->loop;
        status = plussi_chunk_log_init(&p->log[i], p->ctx, p->team, s->work, s->user,
                                       plussi_rng_next(&p->rng));
    }
    return status;
}

pluss_status plussi_simulate_dispatch(plussi_ctx *ctx, const plussi_stage *stage, size_t n_stages,
                                      const uint64_t *after, uint64_t seed, plussi_itersets *sets,
                                      plussi_moments *moments)
{
    phase p = {.ctx = ctx,
               .stage = stage,
               .n_stages = n_stages,
               .after = after,
               .team = stage[0].loop.team};
    size_t made = 0;
    pluss_status status = check_stages(ctx, stage, n_stages, p.team);
    if (status)
        return status;
    status = start_phase(&p, seed);
    if (!status)
        status = run_phase(&p);
    while (!status && made < n_stages) {
        status = plussi_chunk_log_sets(&p.log[made], stage[made].loop.n, false, &sets[made]);
        plussi_chunk_log_free(&p.log[made]);
        made += !status;
    }
    if (!status)
        status = sort_moments(&p, moments);
    while (status && made > 0)
        plussi_itersets_free(&sets[--made]);
    for (size_t i = 0; p.log && i < n_stages; i++)
        if (p.log[i].ctx)
            plussi_chunk_log_free(&p.log[i]);
    plussi_free(&ctx->mem, p.loop);
    plussi_free(&ctx->mem, p.log);
    plussi_free(&ctx->mem, p.place);
    plussi_free(&ctx->mem, p.clocks.heap);
    plussi_free(&ctx->mem, p.moment);
    return status;
}

void plussi_moments_free(plussi_moments *moments)
{
    plussi_free(&moments->mem, moments->first);
    plussi_free(&moments->mem, moments->access);
    plussi_free(&moments->mem, moments->time);
    *moments = (plussi_moments){.mem = moments->mem};
}
