/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/effort.h"
#include "base/linemap.h"
#include "profile/pri.h"
#include "trace/walk.h"

enum { BATCH = 1024 };

typedef struct first_touch {
    uint64_t line;
    uint32_t ref, thread;
} first_touch;

/* Equal intervals of a reference come in runs, which are counted and added at once. */
typedef struct run {
    uint64_t interval, count;
} run;

typedef struct collector {
    const plussi_mem *mem;
    plussi_effort *effort; /* NULL: no bound */
    uint64_t paid;         /* steps paid for memory */
    plussi_pri pri;
    uint32_t team;
    plussi_linemap *seen;    /* by thread: 1 + its accesses before its last touch of the line */
    uint64_t *clock;         /* by thread: its accesses so far */
    plussi_linemap touchers; /* by line: number of threads that touched it */
    run *run;                /* by reference; by thread and reference, if threads are told apart */
    first_touch *first;
    size_t n_first, cap_first;
    plussi_access batch[BATCH];
} collector;

static run *run_of(collector *c, uint32_t thread, uint32_t ref)
{
    return &c->run[(c->pri.thread ? (size_t)thread * c->pri.n_refs : 0) + ref];
}

static pluss_status flush_run(collector *c, uint32_t thread, uint32_t ref)
{
    run *r = run_of(c, thread, ref);
    pluss_status status = PLUSS_OK;
    if (r->count)
        status = plussi_histo_add(&c->pri.ref[ref].histo, r->interval, (double)r->count);
    if (r->count && c->pri.thread && !status)
        status = plussi_histo_add(&c->pri.thread[thread].histo, r->interval, (double)r->count);
    r->count = 0;
    return status;
}

static pluss_status touch_first(collector *c, uint64_t line, uint32_t ref, uint32_t thread)
{
    pluss_status status =
        plussi_grow(c->mem, &c->first, &c->cap_first, c->n_first, sizeof *c->first);
    uint64_t *threads = plussi_linemap_at(&c->touchers, line);
    if (status != PLUSS_OK || !threads)
        return PLUSS_ENOMEM;
    ++*threads;
    c->first[c->n_first++] = (first_touch){line, ref, thread};
    return PLUSS_OK;
}

static pluss_status add_access(collector *c, const plussi_access *a)
{
    uint64_t *last = plussi_linemap_at(&c->seen[a->thread], a->line);
    if (!last)
        return PLUSS_ENOMEM;
    uint64_t now = ++c->clock[a->thread], before = *last;
    *last = now;
    if (before == 0)
        return touch_first(c, a->line, a->ref, a->thread);
    run *r = run_of(c, a->thread, a->ref);
    if (r->interval != now - before) {
        pluss_status status = flush_run(c, a->thread, a->ref);
        if (status != PLUSS_OK)
            return status;
        r->interval = now - before;
    }
    r->count++;
    return PLUSS_OK;
}

/* Pays steps for the batch, and for memory newly used by earlier ones. */
static bool pay_batch(collector *c, size_t n)
{
    enum { STEPS = 10, PAGE = 400, FIRST = 4 };
    uint64_t pages = c->touchers.n_pages;
    for (uint32_t thread = 0; thread < c->team && c->effort; thread++)
        pages += c->seen[thread].n_pages;
    uint64_t all = pages * PAGE + c->n_first * FIRST, fresh = all - c->paid;
    c->paid = all;
    return plussi_effort_pay(c->effort, n * STEPS + fresh);
}

static pluss_status touch_all(collector *c, size_t n)
{
    pluss_status status = pay_batch(c, n) ? PLUSS_OK : PLUSS_ELIMIT;
    for (size_t i = 0; i < n && status == PLUSS_OK; i++)
        status = add_access(c, &c->batch[i]);
    return status;
}

/* ---- the two ways to walk -----------------------------------------------------------------------
 */

/* Whether what a thread executes depends on the speed of the others. (It does for a single, too;
 * there thread 0, which is walked first, comes first, as in the closed form.) */
static bool order_matters(const plussi_bound *bound)
{
    if (bound->max_team == 1)
        return false;
    for (uint32_t i = 0; i < bound->n_loops; i++) {
        const plussi_bound_loop *loop = &bound->loop[i]->u.loop;
        plussi_schedule_kind kind = loop->schedule.kind;
        if (loop->workshare && (kind == PLUSSI_SCHED_DYNAMIC || kind == PLUSSI_SCHED_GUIDED ||
                                kind == PLUSSI_SCHED_RAYON))
            return true;
    }
    return false;
}

static pluss_status walk_threads(collector *c, plussi_walk *walk)
{
    pluss_status status = PLUSS_OK;
    do {
        for (uint32_t thread = 0; thread < c->team; thread++)
            for (size_t n;
                 status == PLUSS_OK && (n = plussi_walk_fill(walk, thread, c->batch, BATCH)) > 0;)
                status = touch_all(c, n);
    } while (status == PLUSS_OK && plussi_walk_next_phase(walk));
    return status;
}

static pluss_status walk_merged(plussi_ctx *ctx, collector *c, plussi_walk *walk, uint64_t seed)
{
    plussi_merge *merge;
    pluss_status status = plussi_merge_new(ctx, walk, &(plussi_progress){0}, seed, &merge);
    if (status != PLUSS_OK)
        return status;
    for (size_t n = 1; !status && n > 0;) {
        status = plussi_trace_next(plussi_merge_trace(merge), c->batch, BATCH, &n);
        if (!status)
            status = touch_all(c, n);
    }
    plussi_merge_free(merge);
    return status;
}

/* ---- first touches ------------------------------------------------------------------------------
 */

/* Counts first touches: each of a line's k first touches is 1/k cold and 1 - 1/k thread-first.
 * Summed by k, so that whole numbers stay whole. */
static pluss_status share_out_first_touches(collector *c)
{
    plussi_histo *by_threads = plussi_alloc(c->mem, c->pri.n_refs, sizeof *by_threads);
    if (!by_threads)
        return c->pri.n_refs ? PLUSS_ENOMEM : PLUSS_OK;
    for (uint32_t ref = 0; ref < c->pri.n_refs; ref++)
        plussi_histo_init(&by_threads[ref], c->mem);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < c->n_first && status == PLUSS_OK; i++) {
        uint64_t *threads = plussi_linemap_at(&c->touchers, c->first[i].line);
        status =
            threads ? plussi_histo_add(&by_threads[c->first[i].ref], *threads, 1) : PLUSS_ENOMEM;
        if (threads && c->pri.thread) {
            plussi_thread_pri *t = &c->pri.thread[c->first[i].thread];
            t->lines++;
            t->shared += *threads > 1;
            t->late += 1 - 1 / (double)*threads;
        }
    }
    for (uint32_t ref = 0; ref < c->pri.n_refs; ref++) {
        plussi_histo *h = &c->pri.ref[ref].histo;
        plussi_bin *bin = NULL;
        size_t n = 0;
        if (status == PLUSS_OK)
            status = plussi_histo_sorted(&by_threads[ref], &bin, &n);
        for (size_t i = 0; i < n; i++) {
            double cold = bin[i].weight / (double)bin[i].key;
            h->cold += cold;
            h->thread_first += bin[i].weight - cold;
        }
        plussi_free(c->mem, bin);
        plussi_histo_free(&by_threads[ref]);
    }
    plussi_free(c->mem, by_threads);
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

static pluss_status collect_intervals(plussi_ctx *ctx, collector *c, const plussi_bound *bound,
                                      uint64_t seed)
{
    plussi_walk *walk;
    pluss_status status = plussi_walk_new_bounded(ctx, bound, seed, c->effort, &walk);
    if (status != PLUSS_OK)
        return status;
    if (order_matters(bound))
        status = walk_merged(ctx, c, walk, seed);
    else
        status = walk_threads(c, walk);
    if (plussi_walk_status(walk))
        status = plussi_walk_status(walk);
    else if (status == PLUSS_ELIMIT)
        status = plussi_walk_refuse(ctx);
    plussi_walk_free(walk);
    for (uint32_t thread = 0; thread < (c->pri.thread ? c->team : 1); thread++)
        for (uint32_t ref = 0; ref < c->pri.n_refs && status == PLUSS_OK; ref++)
            status = flush_run(c, thread, ref);
    if (status == PLUSS_OK)
        status = share_out_first_touches(c);
    for (uint32_t thread = 0; thread < c->team; thread++) {
        c->pri.accesses += (double)c->clock[thread];
        if (c->pri.thread)
            c->pri.thread[thread].accesses = (double)c->clock[thread];
    }
    return status;
}

static pluss_status add_threads(collector *c)
{
    c->pri.thread = plussi_calloc(c->mem, c->team, sizeof *c->pri.thread);
    if (!c->pri.thread)
        return PLUSS_ENOMEM;
    c->pri.n_threads = c->team;
    for (uint32_t i = 0; i < c->team; i++)
        plussi_histo_init(&c->pri.thread[i].histo, c->mem);
    return PLUSS_OK;
}

static pluss_status walk_nest(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                              plussi_effort *effort, bool threads, plussi_pri *out)
{
    collector *c = plussi_calloc(&ctx->mem, 1, sizeof *c);
    if (!c)
        return PLUSS_ENOMEM;
    c->mem = &ctx->mem;
    c->effort = effort;
    c->team = bound->max_team; /* num_threads may exceed the default */
    c->seen = plussi_alloc(c->mem, c->team, sizeof *c->seen);
    c->clock = plussi_calloc(c->mem, c->team, sizeof *c->clock);
    c->run =
        plussi_calloc(c->mem, (size_t)(bound->n_refs ? bound->n_refs : 1) * (threads ? c->team : 1),
                      sizeof *c->run);
    plussi_linemap_init(&c->touchers, c->mem);
    for (uint32_t thread = 0; c->seen && thread < c->team; thread++)
        plussi_linemap_init(&c->seen[thread], c->mem);
    pluss_status status = PLUSS_ENOMEM;
    if (c->seen && c->clock && c->run)
        status = plussi_pri_init(ctx, bound->n_refs, bound->team, &c->pri);
    if (status == PLUSS_OK && threads)
        status = add_threads(c);
    if (status == PLUSS_OK)
        status = plussi_sharing_classify(ctx, bound, &c->pri);
    if (status == PLUSS_OK)
        status = collect_intervals(ctx, c, bound, seed);
    if (status == PLUSS_OK)
        *out = c->pri;
    else
        plussi_pri_free(&c->pri);
    for (uint32_t thread = 0; c->seen && thread < c->team; thread++)
        plussi_linemap_free(&c->seen[thread]);
    plussi_linemap_free(&c->touchers);
    plussi_free(&ctx->mem, c->seen);
    plussi_free(&ctx->mem, c->clock);
    plussi_free(&ctx->mem, c->run);
    plussi_free(&ctx->mem, c->first);
    plussi_free(&ctx->mem, c);
    return status;
}

pluss_status plussi_pri_walk(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                             plussi_effort *effort, plussi_pri *out)
{
    return walk_nest(ctx, bound, seed, effort, false, out);
}

pluss_status plussi_pri_walk_threads(plussi_ctx *ctx, const plussi_bound *bound, uint64_t seed,
                                     plussi_effort *effort, plussi_pri *out)
{
    return walk_nest(ctx, bound, seed, effort, true, out);
}
