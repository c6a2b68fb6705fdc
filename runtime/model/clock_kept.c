/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the store of the model's input keeps: footprints, classes, pilot samples, and whole
 * replications. Each is a function of the bound nest and of those options that are in its key, to
 * the last bit, so that a prediction with a warm store is that with a cold one. What follows from
 * the samples (distances, errors, attributions, misses of levels whose distances tell) is computed
 * anew.
 */
#include <string.h>

#include "model/clock_state.h"

/* What a key is of. */
typedef enum what { FOOTPRINT, FOOTPRINT_ANY_TEAM, CLASSES, PILOT, REPLICA } what;

/* ---- keys ------------------------------------------------------------------------------------ */

/* Laws whose parameters are numbers. */
static bool is_plain(const plussi_progress *p)
{
    return p->law != PLUSSI_PROGRESS_RECORDED && !p->n_loops;
}

static void add_progress(plussi_kept_key *key, const plussi_progress *p)
{
    plussi_kept_key_add_number(key, p->law);
    if (p->law == PLUSSI_PROGRESS_UNIFORM)
        return;
    plussi_kept_key_add_number(key, p->cores);
    const double number[] = {p->accesses, p->wake,        p->access,     p->sigma,
                             p->skew,     p->skew_spread, p->stall_rate, p->stall};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        plussi_kept_key_add_real(key, number[i]);
    plussi_kept_key_add(key, p->rate, p->n_rates * sizeof *p->rate);
}

static void add_shape(plussi_kept_key *key, const plussi_cache_shape *s, bool sizes)
{
    plussi_kept_key_add_number(key, sizes ? s->sets : 0);
    plussi_kept_key_add_number(key, sizes ? s->ways : 0);
    plussi_kept_key_add_number(key, s->threads_per_cache);
    const bool flag[] = {s->random,    s->searched,  s->write_through,
                         s->inclusive, s->exclusive, s->no_write_allocate};
    plussi_kept_key_add(key, flag, sizeof flag);
}

/* Where no level is searched, windows and outcomes are the same for all sizes. */
static void add_shapes(plussi_kept_key *key, const plussi_clock_options *o)
{
    const size_t n = (size_t)o->n_shapes * o->n_hierarchies;
    bool searched = false;
    for (size_t i = 0; i < n; i++)
        searched = searched || o->shape[i].searched;
    plussi_kept_key_add_number(key, o->n_shapes);
    plussi_kept_key_add_number(key, o->n_hierarchies);
    for (size_t i = 0; i < n; i++)
        add_shape(key, &o->shape[i], searched);
}

/* false: nothing is kept of this. The caller frees the key in any case. */
static bool begin_key(const plussi_clock_options *o, const plussi_mem *mem, what of,
                      plussi_kept_key *key)
{
    plussi_kept_key_init(key, mem);
    if (!o->kept || !o->kept->store || !is_plain(&o->progress))
        return false;
    const plussi_kept_key *program =
        of == FOOTPRINT_ANY_TEAM ? &o->kept->any_team : &o->kept->exact;
    key->failed = program->failed;
    plussi_kept_key_add_number(key, of);
    plussi_kept_key_add(key, program->bytes, program->n);
    plussi_kept_key_add_number(key, o->seed);
    add_progress(key, &o->progress);
    return !key->failed;
}

/* ---- footprints ------------------------------------------------------------------------------ */

typedef struct kept_footprint {
    plussi_footprint lines, firsts;
    uint64_t steps;
} kept_footprint;

static bool has_own_caches(const plussi_bound *bound, const plussi_clock_options *o)
{
    const uint32_t team = bound->max_team > bound->team ? bound->max_team : bound->team;
    return o->threads_per_cache && o->threads_per_cache < team;
}

static bool begin_footprint(const plussi_clock_options *o, const plussi_mem *mem, bool any_team,
                            plussi_kept_key *key)
{
    const bool begun = begin_key(o, mem, any_team ? FOOTPRINT_ANY_TEAM : FOOTPRINT, key);
    if (begun)
        plussi_kept_key_add_number(key, o->coarse);
    if (begun && !any_team)
        plussi_kept_key_add_number(key, o->threads_per_cache);
    return begun;
}

static bool fits(const plussi_clock_options *o, uint64_t steps)
{
    return !o->effort || steps <= plussi_clock_share_of_effort(o);
}

bool plussi_clock_take_footprint(plussi_ctx *ctx, const plussi_bound *bound,
                                 const plussi_clock_options *o, plussi_footprint *lines,
                                 plussi_footprint *firsts)
{
    bool found = false;
    for (int any_team = 0; any_team < (has_own_caches(bound, o) ? 1 : 2) && !found; any_team++) {
        plussi_kept_key key;
        if (begin_footprint(o, &ctx->mem, any_team, &key)) {
            const kept_footprint *known = plussi_kept_hold(o->kept->store, &key, NULL);
            found = known && fits(o, known->steps);
            if (found) {
                *lines = known->lines;
                *firsts = known->firsts;
            }
            plussi_kept_release(o->kept->store, known);
        }
        plussi_kept_key_free(&key);
    }
    return found;
}

void plussi_clock_keep_footprint(plussi_ctx *ctx, const plussi_bound *bound,
                                 const plussi_clock_options *o, bool any_team, uint64_t steps,
                                 const plussi_footprint *lines, const plussi_footprint *firsts)
{
    const kept_footprint known = {*lines, *firsts, steps};
    plussi_kept_key key;
    any_team = any_team && !has_own_caches(bound, o);
    if (begin_footprint(o, &ctx->mem, any_team, &key))
        plussi_kept_add(o->kept->store, &key, steps, &(plussi_kept_piece){&known, sizeof known}, 1);
    plussi_kept_key_free(&key);
}

/* ---- classes --------------------------------------------------------------------------------- */

typedef struct kept_classes {
    uint64_t steps;
    size_t n;
    uint32_t probes;
} kept_classes;

static bool begin_classes(plussi_ctx *ctx, const plussi_clock_options *o, plussi_kept_key *key)
{
    const bool begun = begin_key(o, &ctx->mem, CLASSES, key);
    if (begun)
        plussi_kept_key_add_number(key, o->pilot);
    return begun;
}

bool plussi_clock_take_classes(plussi_ctx *ctx, const plussi_clock_options *o,
                               plussi_clock_classes *out)
{
    plussi_kept_key key;
    const kept_classes *head = NULL;
    plussi_clock_class *class = NULL;
    if (begin_classes(ctx, o, &key))
        head = plussi_kept_hold(o->kept->store, &key, NULL);
    if (head && fits(o, head->steps))
        class = plussi_alloc(&ctx->mem, head->n + 1, sizeof *class);
    if (class) {
        memcpy(class, head + 1, head->n * sizeof *class);
        *out = (plussi_clock_classes){class, head->n, head->probes};
    }
    if (head)
        plussi_kept_release(o->kept->store, head);
    plussi_kept_key_free(&key);
    return class != NULL;
}

void plussi_clock_keep_classes(plussi_ctx *ctx, const plussi_clock_options *o, uint64_t steps,
                               const plussi_clock_classes *classes)
{
    const kept_classes head = {steps, classes->n, classes->probes};
    const plussi_kept_piece piece[] = {{&head, sizeof head},
                                       {classes->class, classes->n * sizeof *classes->class}};
    plussi_kept_key key;
    if (begin_classes(ctx, o, &key))
        plussi_kept_add(o->kept->store, &key, steps, piece, 2);
    plussi_kept_key_free(&key);
}

/* ---- pilot samples --------------------------------------------------------------------------- */

typedef struct kept_pilot {
    plussi_rng rng; /* after it */
    uint64_t steps;
    size_t n; /* samples */
    uint64_t pilot;
    uint32_t n_parts, packed;
    double accesses;
} kept_pilot;

bool plussi_clock_begin_pilot_key(plussi_ctx *ctx, const plussi_clock_options *o,
                                  const plussi_clock_classes *classes, uint32_t number,
                                  plussi_kept_key *key)
{
    if (!begin_key(o, &ctx->mem, PILOT, key))
        return false;
    plussi_kept_key_add_number(key, o->pilot);
    plussi_kept_key_add_number(key, classes->n); /* 0 also where effort is short */
    plussi_kept_key_add_number(key, o->samples);
    plussi_kept_key_add_number(key, o->replications);
    plussi_kept_key_add_number(key, number);
    return true;
}

/* The parts of the value, after its head. */
static size_t list_pieces(const kept_pilot *head, const plussi_clock_pilot_sample *pilot,
                          const plussi_clock_sample *sample, plussi_kept_piece *piece)
{
    piece[0] = (plussi_kept_piece){head, sizeof *head};
    piece[1] = (plussi_kept_piece){sample, head->n * sizeof *sample};
    piece[2] = (plussi_kept_piece){pilot->known, head->pilot * sizeof *pilot->known};
    piece[3] = (plussi_kept_piece){pilot->words,
                                   2 * (size_t)head->pilot * head->packed * sizeof *pilot->words};
    return 4;
}

void plussi_clock_keep_pilot(plussi_clock_run *run, const plussi_kept_key *key, uint64_t steps,
                             const plussi_clock_plan *plan)
{
    const kept_pilot head = {.rng = run->rng,
                             .steps = steps,
                             .n = plan->n,
                             .n_parts = plan->n_parts,
                             .pilot = plan->pilot,
                             .packed = run->pilot.packed,
                             .accesses = plan->accesses};
    plussi_kept_piece piece[4];
    const size_t n = list_pieces(&head, &run->pilot, plan->sample, piece);
    plussi_kept_add(run->options->kept->store, key, steps, piece, n);
}

pluss_status plussi_clock_recall_pilot(plussi_clock_run *run, const void *value,
                                       plussi_clock_plan *out)
{
    const kept_pilot *head = value;
    plussi_effort *effort = plussi_effort_of(run->ctx);
    const uint64_t left = effort ? effort->left : 0;
    plussi_clock_pilot_sample *p = &run->pilot;
    plussi_kept_piece piece[4];
    p->packed = head->packed;
    p->known = plussi_alloc(&run->ctx->mem, head->pilot + (size_t)1, sizeof *p->known);
    p->words =
        plussi_alloc(&run->ctx->mem, 2 * (size_t)head->pilot * head->packed + 1, sizeof *p->words);
    out->sample = plussi_alloc(&run->ctx->mem, head->n + 1, sizeof *out->sample);
    if (!p->known || !p->words || !out->sample)
        return PLUSS_ENOMEM;
    const char *at = (const char *)value + sizeof *head;
    for (size_t i = 1, n = list_pieces(head, p, out->sample, piece); i < n; at += piece[i++].n)
        memcpy((void *)piece[i].bytes, at, piece[i].n);
    out->n = head->n;
    out->n_parts = head->n_parts;
    out->accesses = head->accesses;
    out->pilot = head->pilot;
    run->rng = head->rng;
    const uint64_t taken = effort ? left - effort->left : 0; /* in place of the survey's */
    plussi_effort_take(effort, head->steps > taken ? head->steps - taken : 0);
    return PLUSS_OK;
}

/* ---- whole replications ---------------------------------------------------------------------- */

typedef struct kept_replica {
    plussi_clock_used used;
    size_t n, n_outcomes;
    double accesses;
    uint64_t pilot;
    uint32_t n_parts;
} kept_replica;

/* Nodes by number, so that they are found in another bound nest of the same text. */
static const void *number_of(const plussi_bound_node *node)
{
    return (const void *)(node ? (uintptr_t)node->id + 1 : 0);
}

static const plussi_bound_node *node_of(const plussi_bound_node *const *all, const void *number)
{
    return number ? all[(uintptr_t)number - 1] : NULL;
}

static bool is_listed(const plussi_bound_node *const *all, uint32_t n,
                      const plussi_bound_node *node)
{
    return !node || (node->id < n && all[node->id] == node);
}

static bool to_numbers(const plussi_bound *bound, plussi_clock_sample *x)
{
    if (!is_listed(bound->ref, bound->n_refs, x->ref) ||
        !is_listed(bound->ref, bound->n_refs, x->source) ||
        !is_listed(bound->loop, bound->n_loops, x->loop))
        return false;
    x->ref = number_of(x->ref);
    x->source = number_of(x->source);
    x->loop = number_of(x->loop);
    return true;
}

static void to_nodes(const plussi_bound *bound, plussi_clock_sample *x)
{
    x->ref = node_of(bound->ref, x->ref);
    x->source = node_of(bound->ref, x->source);
    x->loop = node_of(bound->loop, x->loop);
}

static bool begin_replica(plussi_ctx *ctx, const plussi_clock_options *o,
                          const plussi_clock_classes *classes, uint32_t number,
                          const plussi_clock_draws *draws, plussi_kept_key *key)
{
    if (!begin_key(o, &ctx->mem, REPLICA, key) || draws->again)
        return false;
    const uint32_t numbers[] = {
        o->pilot, o->samples,   o->replications, number, o->threads_per_cache,
        draws->n, draws->every, classes->n};
    plussi_kept_key_add(key, numbers, sizeof numbers);
    add_shapes(key, o);
    return true;
}

bool plussi_clock_take_replica(plussi_ctx *ctx, const plussi_bound *bound,
                               const plussi_clock_options *o, const plussi_clock_classes *classes,
                               uint32_t number, const plussi_clock_draws *draws,
                               plussi_clock_plan *out)
{
    plussi_kept_key key;
    const kept_replica *head = NULL;
    plussi_clock_plan plan = {0};
    bool found = false;
    if (begin_replica(ctx, o, classes, number, draws, &key))
        head = plussi_kept_hold(o->kept->store, &key, NULL);
    if (head && fits(o, head->used.steps)) {
        plan.sample = plussi_alloc(&ctx->mem, head->n + 1, sizeof *plan.sample);
        plan.outcome = head->n_outcomes
                           ? plussi_alloc(&ctx->mem, head->n_outcomes, sizeof *plan.outcome)
                           : NULL;
        found = plan.sample && (plan.outcome || !head->n_outcomes);
    }
    if (found) {
        const char *at = (const char *)(head + 1);
        plan.n = head->n;
        plan.n_parts = head->n_parts;
        plan.accesses = head->accesses;
        plan.pilot = head->pilot;
        plan.used = head->used;
        memcpy(plan.sample, at, head->n * sizeof *plan.sample);
        if (plan.outcome)
            memcpy(plan.outcome, at + head->n * sizeof *plan.sample,
                   head->n_outcomes * sizeof *plan.outcome);
        for (size_t i = 0; i < plan.n; i++)
            to_nodes(bound, &plan.sample[i]);
        *out = plan;
    } else {
        plussi_free(&ctx->mem, plan.sample);
        plussi_free(&ctx->mem, plan.outcome);
    }
    if (head)
        plussi_kept_release(o->kept->store, head);
    plussi_kept_key_free(&key);
    return found;
}

void plussi_clock_keep_replica(plussi_ctx *ctx, const plussi_bound *bound,
                               const plussi_clock_options *o, const plussi_clock_classes *classes,
                               uint32_t number, const plussi_clock_draws *draws,
                               const plussi_clock_plan *plan)
{
    plussi_kept_key key;
    const kept_replica head = {.used = plan->used,
                               .n = plan->n,
                               .n_outcomes = plan->n * plussi_clock_outcomes(o, draws),
                               .accesses = plan->accesses,
                               .pilot = plan->pilot,
                               .n_parts = plan->n_parts};
    const size_t bytes = plan->n * sizeof *plan->sample;
    if (begin_replica(ctx, o, classes, number, draws, &key) &&
        plussi_kept_has_room(o->kept->store, bytes + key.n)) {
        plussi_clock_sample *sample = plussi_alloc(&ctx->mem, bytes + 1, 1);
        bool whole = sample != NULL;
        if (whole)
            memcpy(sample, plan->sample, bytes);
        for (size_t i = 0; i < plan->n && whole; i++)
            whole = to_numbers(bound, &sample[i]);
        const plussi_kept_piece piece[] = {
            {&head, sizeof head},
            {sample, bytes},
            {plan->outcome, head.n_outcomes * sizeof *plan->outcome}};
        if (whole)
            plussi_kept_add(o->kept->store, &key, plan->used.steps, piece, 3);
        plussi_free(&ctx->mem, sample);
    }
    plussi_kept_key_free(&key);
}
