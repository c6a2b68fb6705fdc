/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shares of loops that are handed out on demand: one realisation a replication, made by the event
 * simulation of schedule/ when an instance of the loop is first asked for, and kept.
 */
#include <string.h>

#include "model/clock_state.h"
#include "nest/bx.h"
#include "schedule/recorded_shares.h"

enum { MAX_KEPT = 1 << 24 }; /* segments of all instances together */

typedef struct instance {
    uint64_t hash;
    const plussi_bnode *loop;
    int64_t *iv; /* of the loops around, and the repetition */
    plussi_shares shares;
    uint64_t *accesses; /* parallel to shares.before: of each thread's segments before */
} instance;

struct plussi_clock_shares {
    plussi_ctx *ctx;
    uint64_t seed;
    const plussi_engine *engine;
    plussi_replay *replay; /* of loops as a run had them; NULL: none */
    plussi_share_source source;
    pluss_status status;
    instance **table; /* open addressing */
    size_t n, size, segments;
    instance *last;
};

/* ---- the table
 * ------------------------------------------------------------------------------------ */

static uint32_t key_length(const plussi_bnode *loop)
{
    return loop->depth + 1;
}

static int64_t key_part(const plussi_bnode *loop, const int64_t *iv, uint32_t i)
{
    return iv[i < loop->depth ? i + 1 : PLUSSI_SPOT_REPEAT];
}

static uint64_t hash_key(const plussi_bnode *loop, const int64_t *iv)
{
    uint64_t h = loop->id;
    for (uint32_t i = 0; i < key_length(loop); i++) {
        uint64_t state = h ^ (uint64_t)key_part(loop, iv, i);
        h = plussi_splitmix64(&state);
    }
    return h;
}

static bool is_key(const instance *x, uint64_t hash, const plussi_bnode *loop, const int64_t *iv)
{
    if (x->hash != hash || x->loop != loop)
        return false;
    for (uint32_t i = 0; i < key_length(loop); i++)
        if (x->iv[i] != key_part(loop, iv, i))
            return false;
    return true;
}

static instance **slot_of(instance **table, size_t size, uint64_t hash, const plussi_bnode *loop,
                          const int64_t *iv)
{
    size_t i = hash & (size - 1);
    while (table[i] && !(loop && is_key(table[i], hash, loop, iv)))
        i = (i + 1) & (size - 1);
    return &table[i];
}

static pluss_status grow(plussi_clock_shares *s)
{
    size_t size = s->size ? 2 * s->size : 64;
    instance **table = plussi_calloc(&s->ctx->mem, size, sizeof(instance *));
    if (!table)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < s->size; i++)
        if (s->table[i])
            *slot_of(table, size, s->table[i]->hash, NULL, NULL) = s->table[i];
    plussi_free(&s->ctx->mem, s->table);
    s->table = table;
    s->size = size;
    return PLUSS_OK;
}

static void free_instance(plussi_clock_shares *s, instance *x)
{
    plussi_shares_free(&x->shares);
    plussi_free(&s->ctx->mem, x->iv);
    plussi_free(&s->ctx->mem, x->accesses);
    plussi_free(&s->ctx->mem, x);
}

/* ---- making an instance
 * ----------------------------------------------------------------------------- */

typedef struct worker {
    const plussi_engine *engine;
    const plussi_bnode *loop;
    const int64_t *iv;
} worker;

static double work(void *user, uint64_t lo, uint64_t hi)
{
    const worker *w = user;
    return (double)plussi_engine_work(w->engine, w->loop, w->iv, lo, hi);
}

/* Which execution of the loop this is: told where the loops around always turn as often. */
static bool execution_of(const plussi_bnode *loop, const int64_t *iv, uint64_t *out)
{
    uint64_t scale = 1, time = 0, turns;
    bool fault = false;
    for (const plussi_bnode *node = loop->parent; node; node = node->parent) {
        const plussi_bloop *l = &node->u.loop;
        if (node->kind == PLUSSI_N_IF || node->kind == PLUSSI_N_BRANCH)
            return false;
        if (node->kind != PLUSSI_N_LOOP)
            continue;
        if (!plussi_bx_is_const(l->lo) || !plussi_bx_is_const(l->hi))
            return false;
        uint64_t turn = (uint64_t)((iv[l->slot] - plussi_bx_eval(l->lo, iv, &fault)) / l->step);
        if (plussi_mul_over(turn, scale, &turns) || plussi_add_over(time, turns, &time) ||
            plussi_mul_over(scale, (uint64_t)plussi_bloop_trips(l, iv), &scale))
            return false;
    }
    return !plussi_mul_over((uint64_t)iv[PLUSSI_SPOT_REPEAT], scale, &turns) &&
           !plussi_add_over(time, turns, out);
}

static pluss_status replay(plussi_clock_shares *s, const plussi_bnode *loop, const int64_t *iv,
                           uint64_t n, uint32_t team, plussi_shares *out)
{
    uint64_t time = 0;
    const plussi_loc *loc = loop->decl->loc.line ? &loop->decl->loc : &loop->decl->text_loc;
    if (!s->replay)
        return plussi_fail(s->ctx, PLUSS_EUNSUPPORTED, loc, "schedule(recorded) without a record");
    if (!execution_of(loop, iv, &time))
        return plussi_fail(s->ctx, PLUSS_EUNSUPPORTED, loc,
                           "a recorded schedule in loops whose turns vary, or under a condition");
    pluss_status status = plussi_replay_shares(s->replay, loop->id, time, n, team, out);
    if (status == PLUSS_EINVAL)
        return plussi_fail(s->ctx, status, loc,
                           "the record has this loop with other iterations or more threads");
    return status;
}

static pluss_status deal(plussi_clock_shares *s, const plussi_bnode *loop, const int64_t *iv,
                         uint64_t n, uint64_t chunk, uint32_t team, uint64_t seed,
                         plussi_shares *out)
{
    worker w = {s->engine, loop, iv};
    const plussi_bloop *l = &loop->u.loop;
    bool fault = false;
    if (l->schedule.kind == PLUSSI_SCHED_RECORDED)
        return replay(s, loop, iv, n, team, out);
    if (l->schedule.kind == PLUSSI_SCHED_RAYON) {
        int64_t most = l->schedule.chunk2 ? plussi_bx_eval(l->schedule.chunk2, iv, &fault) : 0;
        return plussi_shares_rayon(s->ctx, n, chunk, most > 0 ? (uint64_t)most : 0, team, NULL,
                                   work, &w, seed, out);
    }
    int64_t reach = plussi_bx_eval(l->hi, iv, &fault) - plussi_bx_eval(l->lo, iv, &fault);
    plussi_dispatch d = {.kind = l->schedule.kind,
                         .n = n,
                         .chunk = chunk,
                         .team = team,
                         .ragged = l->collapse == 1 && reach % l->step != 0};
    return plussi_shares_simulate(s->ctx, &d, NULL, NULL, work, &w, seed, out);
}

static pluss_status sum_accesses(plussi_clock_shares *s, instance *x, const int64_t *iv)
{
    const plussi_shares *sh = &x->shares;
    x->accesses = plussi_alloc(&s->ctx->mem, sh->n_segments + sh->team, sizeof *x->accesses);
    if (!x->accesses)
        return PLUSS_ENOMEM;
    for (uint32_t t = 0; t < sh->team; t++) {
        const plussi_share *share = &sh->share[t];
        uint64_t *a = x->accesses + (share->before - sh->before), sum = 0;
        for (size_t k = 0; k < share->n_segments; k++) {
            a[k] = sum;
            sum += plussi_engine_work(s->engine, x->loop, iv, share->segment[k].lo,
                                      share->segment[k].hi);
        }
        a[share->n_segments] = sum;
    }
    return PLUSS_OK;
}

static pluss_status make(plussi_clock_shares *s, uint64_t hash, const plussi_bnode *loop,
                         const int64_t *iv, uint64_t n, uint64_t chunk, uint32_t team,
                         instance **out)
{
    if (2 * (s->n + 1) > s->size && grow(s))
        return PLUSS_ENOMEM;
    instance *x = plussi_calloc(&s->ctx->mem, 1, sizeof *x);
    if (!x)
        return PLUSS_ENOMEM;
    x->shares.mem = s->ctx->mem;
    x->hash = hash;
    x->loop = loop;
    x->iv = plussi_alloc(&s->ctx->mem, key_length(loop), sizeof *x->iv);
    pluss_status status = x->iv ? PLUSS_OK : PLUSS_ENOMEM;
    for (uint32_t i = 0; !status && i < key_length(loop); i++)
        x->iv[i] = key_part(loop, iv, i);
    plussi_shares made;
    if (!status)
        status = deal(s, loop, iv, n, chunk, team, s->seed ^ hash, &made);
    if (!status) {
        x->shares = made;
        status = sum_accesses(s, x, iv);
        s->segments += made.n_segments;
    }
    if (!status && s->segments > MAX_KEPT)
        status = plussi_fail(s->ctx, PLUSS_ELIMIT, NULL,
                             "loops handed out in more than %d chunks in all", MAX_KEPT);
    if (status) {
        free_instance(s, x);
        return status;
    }
    *slot_of(s->table, s->size, hash, NULL, NULL) = x;
    s->n++;
    *out = x;
    return PLUSS_OK;
}

static instance *find(plussi_clock_shares *s, const plussi_bnode *loop, const int64_t *iv)
{
    uint64_t hash = hash_key(loop, iv);
    if (s->last && is_key(s->last, hash, loop, iv))
        return s->last;
    instance *x = s->size ? *slot_of(s->table, s->size, hash, loop, iv) : NULL;
    if (x)
        s->last = x;
    return x;
}

/* ---- the engine's side
 * -------------------------------------------------------------------------------- */

static bool give_share(void *user, const plussi_bnode *loop, const int64_t *iv, uint64_t n,
                       uint64_t chunk, uint32_t team, uint32_t thread, plussi_own *out)
{
    plussi_clock_shares *s = user;
    if (s->status)
        return false;
    instance *x = find(s, loop, iv);
    if (!x) {
        s->status = make(s, hash_key(loop, iv), loop, iv, n, chunk, team, &x);
        if (s->status)
            return false;
        s->last = x;
    }
    out->share = x->shares.share[thread];
    out->accesses = x->accesses + (out->share.before - x->shares.before);
    return true;
}

pluss_status plussi_clock_shares_new(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                                     plussi_clock_shares **out)
{
    plussi_clock_shares *s = plussi_calloc(&ctx->mem, 1, sizeof *s);
    if (!s)
        return PLUSS_ENOMEM;
    s->ctx = ctx;
    s->seed = seed;
    s->source = (plussi_share_source){give_share, s, true};
    if (bound->n_chunks) {
        pluss_status status = plussi_replay_new(ctx, bound->chunk, bound->n_chunks, &s->replay);
        if (status) {
            plussi_free(&ctx->mem, s);
            return status;
        }
    }
    *out = s;
    return PLUSS_OK;
}

void plussi_clock_shares_free(plussi_clock_shares *shares)
{
    if (!shares)
        return;
    for (size_t i = 0; i < shares->size; i++)
        if (shares->table[i])
            free_instance(shares, shares->table[i]);
    plussi_free(&shares->ctx->mem, shares->table);
    plussi_replay_free(shares->replay);
    plussi_free(&shares->ctx->mem, shares);
}

const plussi_share_source *plussi_clock_shares_source(plussi_clock_shares *shares)
{
    return &shares->source;
}

void plussi_clock_shares_engine(plussi_clock_shares *shares, const plussi_engine *engine)
{
    shares->engine = engine;
}

pluss_status plussi_clock_shares_status(const plussi_clock_shares *shares)
{
    return shares->status;
}

bool plussi_clock_pinned(plussi_clock_run *run, uint64_t phase, uint32_t k,
                         plussi_clock_pieces *out)
{
    const int64_t *iv;
    const plussi_bnode *loop = plussi_engine_sole_loop(run->scan, phase, &iv);
    if (!loop || loop->u.loop.schedule.kind == PLUSSI_SCHED_STATIC ||
        loop->u.loop.schedule.kind == PLUSSI_SCHED_RECORDED) /* it is not known when */
        return false;
    if (plussi_engine_length(run->scan, k, phase) == 0) /* and the instance exists now */
        return false;
    instance *x = find(run->shares, loop, iv);
    if (!x || k >= x->shares.team)
        return false;
    const plussi_share *share = &x->shares.share[k];
    out->n = share->n_segments;
    out->accesses = x->accesses + (share->before - x->shares.before);
    out->end = x->shares.chunk_end + (share->segment - x->shares.segment);
    return true;
}
