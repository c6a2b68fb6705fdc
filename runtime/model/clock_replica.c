/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One replication. It has its own engine, iteration sets and random numbers, so that replications
 * can run at the same time.
 */
#include <string.h>

#include "model/clock_state.h"

enum { ASK_EVERY = 64 /* samples */ };

/* Notes the attribution of the sample's distance, which its window gives. */
static void note_attribution(const plussi_clock_run *run, plussi_clock_sample *x)
{
    const plussi_cursor *a = &run->cursor, *b = &run->thread[run->source].touch;
    const plussi_engine *e = run->engine;
    uint32_t n = plussi_engine_depth(e, a->leaf), m = plussi_engine_depth(e, b->leaf);
    x->source = plussi_engine_ref(e, b->leaf);
    x->other_thread = run->source != (uint32_t)a->iv[0];
    x->loop = NULL;
    uint32_t l = 0;
    for (; l < n && l < m; l++) {
        const plussi_bound_node *loop = plussi_engine_loop(e, a->leaf, l);
        uint32_t slot = loop ? loop->u.loop.slot : PLUSSI_CURSOR_REPEAT;
        if (loop != plussi_engine_loop(e, b->leaf, l))
            break;
        if (a->iv[slot] != b->iv[slot]) {
            x->loop = loop;
            x->carrier = loop ? PLUSSI_CARRIED_LOOP : PLUSSI_CARRIED_REPEAT;
            return;
        }
    }
    x->carrier = l == n && l == m ? PLUSSI_CARRIED_NONE : PLUSSI_CARRIED_NEST;
}

static uint64_t key_place(const plussi_clock_sample *x)
{
    return x->place;
}

bool plussi_clock_goes_on(plussi_clock_watch *watch)
{
    const plussi_clock_options *o = watch->options;
    if (o->ask && pthread_equal(pthread_self(), watch->caller) &&
        o->ask(o->ask_user, watch->done, watch->error) != 0)
        __atomic_store_n(&watch->stopped, true, __ATOMIC_RELAXED);
    return !__atomic_load_n(&watch->stopped, __ATOMIC_RELAXED);
}

/* Some threads, not all, share a level, and not each of those before. */
static bool has_groups(const plussi_clock_run *run)
{
    const plussi_clock_options *o = run->options;
    bool groups = false;
    for (uint32_t i = 0; i < o->n_shapes; i++)
        groups |= o->shape[i].threads_per_cache != o->threads_per_cache &&
                  o->shape[i].threads_per_cache && o->shape[i].threads_per_cache < run->team;
    return groups;
}

/* Whether accesses are drawn of the window of sample number i. */
static bool is_drawn_of(const plussi_clock_draws *draws, const plussi_clock_sample *x, size_t i)
{
    if (!draws->least)
        return i % draws->every == 0;
    const uint32_t most = x->turns / draws->least,
                   every = most < draws->every ? most : draws->every;
    return x->turn % (every > draws->few ? every : draws->few) == 0;
}

static pluss_status evaluate_samples(plussi_clock_run *run, plussi_clock_plan *plan,
                                     const plussi_clock_draws *draws, plussi_clock_watch *watch)
{
    const size_t n_outcomes = plussi_clock_outcomes(run->options, draws);
    if (n_outcomes && !(plan->outcome = plussi_alloc(&run->ctx->mem, plan->n * n_outcomes + 1,
                                                     sizeof *plan->outcome)))
        return PLUSS_ENOMEM;
    if (!draws->again) { /* else in order of time */
        /* in program order where there is one, so that every phase is opened once */
        pluss_status status =
            plussi_clock_order(run->ctx, plan, (const plussi_clock_key[]){key_place}, 1);
        if (status)
            return status;
    }
    run->repeats = has_groups(run);
    for (size_t i = 0; i < plan->n; i++) {
        plussi_clock_sample *x = &plan->sample[i];
        run->sample_seed = plussi_mix(plussi_mix(run->seed, x->number), i);
        if (i % ASK_EVERY == 0 && !plussi_clock_goes_on(watch))
            return PLUSS_ECANCELLED;
        uint32_t n = is_drawn_of(draws, x, i) ? draws->n : 0;
        plussi_effort_take(plussi_effort_of(run->ctx), 64 + run->team / 8);
        run->one_by_one = n > 0 || run->options->n_shapes > 0;
        run->point = (plussi_quasi){plussi_mix(run->options->seed, x->stratum),
                                    (uint64_t)run->number * x->turns + x->turn};
        if (draws->again)
            plussi_engine_nth(run->workspace, x->number, &run->cursor);
        else
            plussi_clock_recall(run, x->place);
        plussi_clock_window(run);
        run->known = NULL;
        x->ref = plussi_engine_ref(run->engine, run->cursor.leaf);
        x->phase = run->phase;
        x->pos = run->pos;
        x->cold = run->cold;
        if (!x->cold) {
            x->interval = run->interval;
            x->cross = run->source_phase != run->phase;
            const bool listed = plussi_clock_is_listed(run);
            x->draws = listed ? 0 : n;
            x->exact = listed || plussi_clock_is_counted(run, n);
            if (x->exact || n > 0)
                x->lines = plussi_clock_distance(run, n, &x->variance);
            if (run->options->n_shapes)
                x->loss = plussi_clock_find_writes(run);
            note_attribution(run, x);
        }
        x->row = i;
        plussi_clock_find_levels(run, x, n_outcomes ? plan->outcome + i * n_outcomes : NULL);
        plussi_clock_find_toucher(run, x);
        plussi_clock_find_shared_levels(run, x, n_outcomes ? plan->outcome + i * n_outcomes : NULL);
        if (plussi_workspace_failed(run->workspace) || run->failed || run->clocks.failed)
            return PLUSS_ENOMEM;
        if (plussi_clock_itersets_status(run->sets))
            return plussi_clock_itersets_status(run->sets);
    }
    return PLUSS_OK;
}

pluss_status plussi_clock_no_access(plussi_ctx *ctx)
{
    return plussi_fail(ctx, PLUSS_EEMPTY, NULL, "the nest makes no access");
}

static pluss_status start_run(plussi_clock_run *run, const plussi_bound *bound,
                              const plussi_timeline *timeline, plussi_engine **engine)
{
    const plussi_mem *mem = &run->ctx->mem;
    pluss_status status = plussi_clock_itersets_new(run->ctx, bound, &run->options->progress,
                                                    run->seed, true, &run->sets);
    if (status)
        return status;
    status = plussi_clock_engine_share(run->shared, run->ctx, false, engine);
    if (!status && !*engine)
        status =
            plussi_engine_new(run->ctx, bound, plussi_clock_itersets_source(run->sets), engine);
    if (status)
        return status;
    run->engine = *engine;
    run->handed_out = plussi_engine_uses_source(*engine);
    if (run->handed_out)
        status = plussi_clock_itersets_engine(run->sets, *engine);
    if (status)
        return status;
    run->team = plussi_engine_team(*engine);
    run->thread = plussi_calloc(mem, run->team, sizeof *run->thread);
    size_t words = ((size_t)run->team + 63) / 64;
    run->toucher = plussi_calloc(mem, 4 * words, sizeof *run->toucher);
    run->seen = plussi_calloc(mem, run->team, sizeof *run->seen);
    if (!run->thread || !run->toucher || !run->seen)
        return PLUSS_ENOMEM;
    run->other = run->toucher + words;
    run->more = run->other + words;
    run->except = run->more + words;
    status = plussi_workspace_new(run->ctx, *engine, &run->workspace);
    if (!status)
        status = plussi_clock_lines_new(mem, run->most_listed, &run->lines);
    if (!status)
        status =
            plussi_clock_lines_new(mem,
                                   (run->team == 1 ? PLUSSI_CLOCK_SWEPT_DRAW : PLUSSI_CLOCK_DRAW) *
                                       PLUSSI_CLOCK_MOST_DRAWS,
                                   &run->more_lines);
    for (uint32_t i = 0; i < run->options->n_shapes && !status; i++)
        status = plussi_clock_lines_new(mem, PLUSSI_CLOCK_MOST_QUERIES, &run->set_lines[i]);
    if (!status)
        status = plussi_clock_progress_new(run, timeline);
    return status;
}

typedef struct replica {
    plussi_ctx *outer;
    const plussi_bound *bound;
    const plussi_clock_options *options;
    const plussi_clock_classes *classes;
    uint32_t number;
    const plussi_clock_draws *draws;
    plussi_clock_watch *watch;
    plussi_clock_plan *out;
    const plussi_kept_key *pilot_key; /* NULL: pilot samples are not kept */
    const void *known_pilot;          /* the one that is; NULL: none */
} replica;

/* Copies the samples into memory that outlives the attempt. */
static pluss_status hand_over(const replica *r, const plussi_clock_plan *plan)
{
    plussi_clock_sample *sample = plussi_alloc(&r->outer->mem, plan->n, sizeof *sample);
    if (!sample)
        return PLUSS_ENOMEM;
    const size_t n_outcomes = plan->n * plussi_clock_outcomes(r->options, r->draws);
    plussi_clock_outcome *outcome = NULL;
    if (n_outcomes && !(outcome = plussi_alloc(&r->outer->mem, n_outcomes, sizeof *outcome))) {
        plussi_free(&r->outer->mem, sample);
        return PLUSS_ENOMEM;
    }
    for (size_t i = 0; i < plan->n; i++) {
        sample[i] = plan->sample[i];
        sample[i].replication = r->number;
    }
    if (outcome)
        memcpy(outcome, plan->outcome, n_outcomes * sizeof *outcome);
    *r->out = *plan;
    r->out->sample = sample;
    r->out->outcome = outcome;
    return PLUSS_OK;
}

/* Evaluates the accesses of `again` in this run, too. */
static pluss_status repeat_samples(plussi_clock_run *run, const plussi_clock_plan *again,
                                   plussi_clock_plan *out)
{
    plussi_clock_sample *sample = plussi_alloc(&run->ctx->mem, again->n + 1, sizeof *sample);
    if (!sample)
        return PLUSS_ENOMEM;
    memcpy(sample, again->sample, again->n * sizeof *sample);
    *out = *again;
    out->sample = sample;
    out->outcome = NULL;
    return plussi_clock_paths_new(&run->ctx->mem, run->team, &run->paths);
}

/* The pilot sample, from the store if it is there. Dynamic loops are simulated when they are met
 * first: of what they take later, which is counted, the pilot sample is a part. */
static pluss_status survey(const replica *r, plussi_clock_run *run, plussi_clock_plan *out)
{
    const plussi_clock_options *o = r->options;
    const plussi_effort *effort = plussi_effort_of(run->ctx);
    const uint64_t left = effort ? effort->left : 0;
    if (r->known_pilot)
        return plussi_clock_recall_pilot(run, r->known_pilot, out);
    pluss_status status = plussi_clock_pilot(run, r->classes, o->pilot / o->replications,
                                             o->samples / o->replications, out);
    if (!status && r->pilot_key && !run->handed_out)
        plussi_clock_keep_pilot(run, r->pilot_key, effort ? left - effort->left : 0, out);
    return status;
}

static pluss_status run_replication(plussi_ctx *ctx, void *user)
{
    const replica *r = user;
    const plussi_clock_options *options = r->options;
    plussi_clock_run run = {.ctx = ctx,
                            .options = options,
                            .bound = r->bound,
                            .shared = r->watch->engine,
                            .number = r->number,
                            .threads_per_cache = options->threads_per_cache};
    run.most_listed = r->draws->again ? PLUSSI_CLOCK_LISTED_AGAIN : PLUSSI_CLOCK_LISTED;
    plussi_rng_seed(&run.rng, options->seed, r->number);
    run.seed = plussi_rng_next(&run.rng);
    const plussi_timelines *recorded =
        options->progress.law == PLUSSI_PROGRESS_RECORDED ? options->progress.timelines : NULL;
    plussi_engine *engine = NULL;
    plussi_clock_plan plan = {0};
    pluss_status status = start_run(
        &run, r->bound, recorded ? &recorded->run[r->number % recorded->n] : NULL, &engine);
    if (!status && plussi_engine_accesses(engine) == 0)
        status = plussi_clock_no_access(ctx);
    if (!status && r->draws->again)
        status = repeat_samples(&run, r->draws->again, &plan);
    else if (!status)
        status = survey(r, &run, &plan);
    if (!status)
        status = evaluate_samples(&run, &plan, r->draws, r->watch);
    if (!status)
        status = hand_over(r, &plan);
    plussi_free(&ctx->mem, plan.sample);
    plussi_free(&ctx->mem, plan.outcome);
    plussi_workspace_free(run.workspace);
    plussi_free(&ctx->mem, run.pilot.known);
    plussi_free(&ctx->mem, run.pilot.words);
    plussi_free(&ctx->mem, run.thread);
    plussi_clock_progress_free(&run);
    plussi_clock_paths_free(run.paths);
    plussi_free(&ctx->mem, run.toucher);
    plussi_free(&ctx->mem, run.seen);
    plussi_free(&ctx->mem, run.rank);
    plussi_free(&ctx->mem, run.lines);
    plussi_free(&ctx->mem, run.more_lines);
    for (uint32_t i = 0; i < options->n_shapes; i++)
        plussi_free(&ctx->mem, run.set_lines[i]);
    plussi_engine_free(engine);
    plussi_clock_itersets_free(run.sets);
    return status;
}

/* With the pilot sample that is kept, if there is one. */
static pluss_status attempt_replication(plussi_ctx *ctx, replica *r, plussi_clock_used *used)
{
    plussi_kept *store = r->options->kept ? r->options->kept->store : NULL;
    plussi_kept_key key;
    pluss_status status = PLUSS_ELIMIT;
    if (plussi_clock_begin_pilot_key(ctx, r->options, r->classes, r->number, &key) &&
        !r->draws->again) {
        r->pilot_key = &key;
        r->known_pilot = plussi_kept_hold(store, &key, NULL);
    }
    if (r->known_pilot) { /* if it takes too much, what is told is what it takes without */
        plussi_ctx tried;
        plussi_ctx_init(&tried, &ctx->mem);
        status = plussi_clock_attempt(&tried, r->bound, r->options, run_replication, r, used);
        if (status != PLUSS_ELIMIT)
            plussi_report_again(ctx, &tried);
        plussi_ctx_clear(&tried);
        plussi_kept_release(store, r->known_pilot);
        r->known_pilot = NULL;
    }
    if (status == PLUSS_ELIMIT)
        status = plussi_clock_attempt(ctx, r->bound, r->options, run_replication, r, used);
    plussi_kept_key_free(&key);
    return status;
}

pluss_status plussi_clock_replica(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_clock_options *options,
                                  const plussi_clock_classes *classes, uint32_t replication,
                                  const plussi_clock_draws *draws, plussi_clock_watch *watch,
                                  plussi_clock_plan *out)
{
    replica r = {ctx, bound, options, classes, replication, draws, watch, out, NULL, NULL};
    plussi_clock_used used;
    if (plussi_clock_take_replica(ctx, bound, options, classes, replication, draws, out))
        return PLUSS_OK;
    plussi_clock_engine_prepare(watch->engine, bound, options, classes);
    pluss_status status = attempt_replication(ctx, &r, &used);
    if (!status) {
        out->used = used;
        plussi_clock_keep_replica(ctx, bound, options, classes, replication, draws, out);
    }
    return status;
}
