/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact answer for a foreign trace: its accesses in the order of the file, through LRU stacks
 * and the levels of a hierarchy. An access counts once for each line that it touches.
 */
#include <stdio.h>
#include <string.h>

#include "sampler/walking.h"
#include "study/stage.h"
#include "study/trace_objects.h"
#include "trace/foreign.h"
#include "trace/walk.h"

enum {
    EVENTS = 4096,
    STEPS = 12 /* an access, each stack */,
    READING = 4 /* of it, to read the access */,
    LOCALITY = 12 /* stacks */
};

/* Where a thread is: marks that it has passed, and the region and the barriers in it since then. */
typedef struct trace_phase {
    uint64_t marks, region, barriers;
} trace_phase;

typedef struct simulation {
    plussi_trace trace; /* the lines of the events */
    plussi_ctx *ctx;
    const plussi_request *request;
    const char *path;
    uint32_t team;
    unsigned line_shift;
    plussi_caches
        *cache; /* those that are asked for; of all threads, if it is not; of each alone */
    size_t n, wanted, whole;
    plussi_hierarchies hierarchies; /* n 0: none is asked for */
    plussi_cache_simulator *levels[PLUSSI_SWEEP_MOST];
    plussi_locality *locality;     /* NULL: none is asked for */
    trace_phase *phase;            /* by thread, with locality */
    plussi_trace_objects *objects; /* NULL: not asked for */
    uint64_t begun;                /* phases, with the one before the first mark */
    uint64_t accesses;             /* lines that are touched */
    plussi_ask_part part;          /* of the work: this reading of the trace */
    plussi_effort effort;
    plussi_foreign *foreign;
    size_t n_events, next_event;
    plussi_access at; /* of the latest event, the lines up to `last` are left */
    uint64_t last;
    plussi_event event[EVENTS];
} simulation;

/* ---- events ------------------------------------------------------------------------------------
 */

static pluss_status open_trace(simulation *s, const char *stage, double from, double part)
{
    plussi_foreign_close(s->foreign);
    s->foreign = NULL;
    pluss_status status =
        plussi_foreign_open(s->ctx, s->path, s->request->skip_bad_lines, &s->foreign);
    const plussi_ask ask = plussi_ask_of_part(&s->request->ask, NULL, from, part, &s->part);
    if (!status)
        plussi_foreign_ask(s->foreign, &ask, stage);
    return status;
}

/* The first reading's share of the work. */
static double share_of_counting(const plussi_request *request)
{
    const size_t n = request->n_caches + plussi_request_has_levels(request) + 1;
    return READING / (double)(2 * READING + n * STEPS);
}

/* How many threads there are, and accesses to each object. */
static pluss_status count_threads(simulation *s)
{
    pluss_status status = open_trace(s, "read", 0, share_of_counting(s->request));
    if (!status && s->request->each_object)
        status = plussi_trace_objects_read(s->ctx, s->path, &s->objects);
    for (size_t n = 1; !status && n;) {
        status = plussi_foreign_next(s->foreign, s->event, EVENTS, &n);
        for (size_t i = 0; i < n; i++) {
            if (s->event[i].thread >= s->team)
                s->team = s->event[i].thread + 1;
            if (s->objects && plussi_event_is_access(&s->event[i]))
                plussi_trace_objects_count(s->objects, s->event[i].address);
        }
    }
    return status;
}

static void pass_mark(trace_phase *p, const plussi_event *e)
{
    if (e->kind == PLUSSI_EVENT_CHUNK)
        return;
    p->marks++;
    p->barriers = e->kind == PLUSSI_EVENT_BARRIER ? p->barriers + 1 : 0;
    if (e->kind != PLUSSI_EVENT_BARRIER)
        p->region = e->kind == PLUSSI_EVENT_REGION ? e->address + 1 : 0;
}

/* The same for all its executions, below 2^48. */
static uint64_t number_phase(const trace_phase *p)
{
    const uint64_t rayon = p->region >= PLUSSI_EVENT_RAYON ? UINT64_C(1) << 31 : 0;
    return (rayon | (p->region & INT32_MAX)) << 16 | (p->barriers & UINT16_MAX);
}

/* A phase ends when a thread that has passed another mark makes an access. */
static pluss_status count_locality(simulation *s, const plussi_cache_access *access)
{
    const trace_phase *p = &s->phase[access->thread];
    pluss_status status = PLUSS_OK;
    if (p->marks > s->begun) {
        status = plussi_locality_begin_phase(s->locality, number_phase(p));
        s->begun = p->marks;
    }
    return status ? status : plussi_locality_run(s->locality, access, 1);
}

/* The part of an access in each line that it touches. */
static pluss_status count_levels(simulation *s, const plussi_event *e)
{
    const uint64_t line_bytes = UINT64_C(1) << s->line_shift, end = e->address + e->bytes;
    pluss_status status = PLUSS_OK;
    for (uint64_t at = e->address, next; at < end && !status; at = next) {
        next = (at | (line_bytes - 1)) + 1;
        const plussi_cache_access access = {.address = at,
                                            .thread = e->thread,
                                            .bytes = (uint32_t)((next < end ? next : end) - at),
                                            .write = e->kind == PLUSSI_EVENT_WRITE};
        for (size_t i = 0; i < s->hierarchies.n && !status; i++)
            status = plussi_cache_simulator_run(s->levels[i], &access, 1);
        if (s->locality && !status)
            status = count_locality(s, &access);
    }
    return status;
}

/* What an event is but lines for the stacks. */
static pluss_status take_event(simulation *s, const plussi_event *e)
{
    const uint64_t through = s->hierarchies.n + (s->locality ? LOCALITY : 0);
    if (!plussi_event_is_access(e)) {
        if (s->locality)
            pass_mark(&s->phase[e->thread], e);
        return PLUSS_OK;
    }
    s->at = (plussi_access){.line = e->address >> s->line_shift, .thread = e->thread};
    s->last = (e->address + e->bytes - 1) >> s->line_shift;
    if (s->objects)
        s->at.ref = plussi_trace_objects_place(s->objects, e->address);
    if (through == 0)
        return PLUSS_OK;
    if (!plussi_effort_pay(&s->effort, (s->last - s->at.line + 1) * through * STEPS))
        return plussi_walk_refuse(s->ctx);
    return count_levels(s, e);
}

static pluss_status next_lines(plussi_trace *trace, plussi_access *buf, size_t cap, size_t *n)
{
    simulation *s = (simulation *)trace;
    pluss_status status = PLUSS_OK;
    for (*n = 0; *n < cap && !status;) {
        if (s->at.line <= s->last) {
            buf[(*n)++] = s->at;
            s->at.line++;
        } else if (s->next_event < s->n_events) {
            status = take_event(s, &s->event[s->next_event++]);
        } else {
            s->next_event = 0;
            status = plussi_foreign_next(s->foreign, s->event, EVENTS, &s->n_events);
            if (s->n_events == 0)
                break;
        }
    }
    return status;
}

static pluss_status run_trace(simulation *s)
{
    const double counted = share_of_counting(s->request);
    plussi_request own = *s->request;
    own.ask.fn = NULL; /* the reader asks */
    pluss_status status = open_trace(s, "simulate", counted, 1 - counted);
    s->trace.next = next_lines;
    s->n_events = s->next_event = 0;
    s->at.line = 1;
    s->last = 0;
    if (!status)
        status = plussi_caches_count(s->ctx, &own, "simulate", 0, &s->trace, &s->effort, s->cache,
                                     s->n, NULL, &s->accesses);
    if (!status)
        plussi_foreign_tell_skipped(s->ctx, s->foreign);
    if (!status && !s->accesses)
        status = plussi_fail(s->ctx, PLUSS_EEMPTY, &(plussi_loc){.file = s->path},
                             "the trace has no accesses");
    return status;
}

/* ---- stacks ------------------------------------------------------------------------------------
 */

/* n_d: of distances. */
static pluss_status add_cache(simulation *s, uint32_t threads_per_cache, size_t n_d)
{
    return plussi_caches_new(s->ctx, s->team, threads_per_cache, n_d, &s->cache[s->n++]);
}

static pluss_status make_caches(simulation *s)
{
    const size_t places = s->objects ? PLUSSI_OBJECT_PLACES : 1;
    uint32_t *threads_per_cache = NULL;
    pluss_status status = plussi_pipeline_threads_per_cache(s->ctx, s->request, s->team,
                                                            &threads_per_cache, &s->wanted);
    if (!status && !(s->cache = plussi_calloc(&s->ctx->mem, s->wanted + 2, sizeof *s->cache)))
        status = PLUSS_ENOMEM;
    while (!status && s->whole < s->wanted && threads_per_cache[s->whole])
        s->whole++;
    for (size_t i = 0; i < s->wanted && !status; i++)
        status = add_cache(s, threads_per_cache[i], i == s->whole ? places : 1);
    if (!status && s->whole == s->wanted)
        status = add_cache(s, 0, places);
    if (!status && s->request->each_thread) {
        status = add_cache(s, 1, s->team);
        s->cache[s->n - 1].by_stack = true;
    }
    plussi_free(&s->ctx->mem, threads_per_cache);
    return status;
}

static pluss_status make_levels(simulation *s)
{
    if (!plussi_request_has_levels(s->request))
        return PLUSS_OK;
    pluss_status status = plussi_levels_of_request(s->ctx, s->request, s->team, &s->hierarchies);
    for (size_t i = 0; i < s->hierarchies.n && !status; i++)
        status =
            plussi_cache_simulator_new(s->ctx, &s->hierarchies.of[i], s->team, 1, &s->levels[i]);
    return status;
}

static pluss_status make_locality(simulation *s)
{
    if (!s->request->sharing)
        return PLUSS_OK;
    s->phase = plussi_calloc(&s->ctx->mem, s->team, sizeof *s->phase);
    pluss_status status =
        s->phase ? plussi_locality_new(s->ctx, s->team, s->request->line_bytes, &s->locality)
                 : PLUSS_ENOMEM;
    if (!status)
        plussi_locality_sample(s->locality, &s->request->sampling);
    return status;
}

/* Curves are large where stacks are: these go first. */
static void free_stacks(simulation *s)
{
    for (size_t k = 0; k < s->n; k++)
        for (size_t i = 0; i < s->cache[k].n; i++) {
            plussi_lru_free(s->cache[k].lru[i]);
            s->cache[k].lru[i] = NULL;
        }
}

static void free_simulation(simulation *s)
{
    const plussi_mem mem = s->ctx->mem;
    plussi_foreign_close(s->foreign);
    for (size_t k = 0; k < s->n; k++)
        plussi_caches_free(s->ctx, &s->cache[k]);
    plussi_free(&mem, s->cache);
    for (size_t i = 0; i < PLUSSI_SWEEP_MOST; i++)
        plussi_cache_simulator_free(s->levels[i]);
    plussi_locality_free(s->locality);
    plussi_trace_objects_free(s->objects);
    plussi_free(&mem, s->phase);
    plussi_free(&mem, s);
}

/* ---- results -----------------------------------------------------------------------------------
 */

/* Lines that all threads touch. */
static uint64_t count_lines(const simulation *s)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < s->cache[s->whole].n_d; i++)
        lines += s->cache[s->whole].d[i].cold;
    return lines;
}

/* From n distances together; alone: of one thread. */
static pluss_status add_curve(simulation *s, const char *region, const plussi_caches *c, bool alone,
                              const plussi_distances *d, size_t n, uint64_t footprint,
                              plussi_result *out)
{
    plussi_curve curve = {.id.line_bytes = s->request->line_bytes,
                          .id.team = alone ? 1 : s->team,
                          .id.threads_per_cache = alone ? 0 : c->threads_per_cache,
                          .footprint_lines = footprint};
    plussi_profile profile;
    pluss_status status = plussi_distances_profile(s->ctx, d, n, false, 1, &profile);
    if (!status)
        status = plussi_copy_text(&s->ctx->mem, region, &curve.id.region);
    if (!status)
        status = plussi_copy_text(&s->ctx->mem, s->path, &curve.id.file);
    if (!status)
        status = plussi_pipeline_add_recorded(s->ctx, s->request, &profile, &curve, out);
    plussi_curve_free(&s->ctx->mem, &curve);
    plussi_profile_free(&profile);
    return status;
}

static pluss_status add_threads(simulation *s, const plussi_caches *c, plussi_result *out)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < c->n_d && !status; i++) {
        char region[48];
        snprintf(region, sizeof region, "trace, thread %zu", i);
        if (c->d[i].cold)
            status = add_curve(s, region, c, true, &c->d[i], 1, c->d[i].cold, out);
    }
    return status;
}

/* In the cache of all threads, of what each object's accesses find there. */
static pluss_status add_objects(simulation *s, plussi_result *out)
{
    const plussi_caches *c = &s->cache[s->whole];
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < c->n_d && !status; i++) {
        char region[256];
        if (!c->d[i].cold && !c->d[i].n)
            continue;
        snprintf(region, sizeof region, "trace, object %s",
                 plussi_trace_objects_name(s->objects, i));
        status = add_curve(s, region, c, false, &c->d[i], 1, c->d[i].cold, out);
    }
    return status;
}

static pluss_status add_levels(simulation *s, plussi_result *out)
{
    const plussi_identity *id = &out->curve[out->n - 1].id;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < s->hierarchies.n; i++)
        for (size_t l = 0; l < s->hierarchies.of[i].n && !status; l++)
            status = plussi_add_counted_level(s->ctx, id, &s->hierarchies.of[i].level[l],
                                              (plussi_sweep_point){i, s->hierarchies.n},
                                              (double)s->accesses, s->levels[i], l, out);
    return status;
}

static pluss_status add_results(simulation *s, plussi_result *out)
{
    pluss_status status = PLUSS_OK;
    for (size_t k = 0; k < s->wanted && !status; k++)
        status = add_curve(s, "trace", &s->cache[k], false, s->cache[k].d, s->cache[k].n_d,
                           count_lines(s), out);
    if (!status && s->hierarchies.n)
        status = add_levels(s, out);
    if (!status && s->locality)
        status = plussi_locality_add_profiles(s->locality, &out->curve[out->n - 1].id, 1, out);
    if (!status && s->request->each_thread)
        status = add_threads(s, &s->cache[s->n - 1], out);
    if (!status && s->objects)
        status = add_objects(s, out);
    return status;
}

static pluss_status simulate_trace(plussi_ctx *ctx, const plussi_nest *nest,
                                   const plussi_request *request, plussi_result *out)
{
    (void)nest;
    plussi_result result;
    simulation *s = plussi_calloc(&ctx->mem, 1, sizeof *s);
    if (!s)
        return PLUSS_ENOMEM;
    s->ctx = ctx;
    s->request = request;
    s->path = request->trace;
    s->team = 1;
    s->effort.left = plussi_walk_effort(request->effort);
    while (UINT32_C(1) << s->line_shift < request->line_bytes)
        s->line_shift++;
    plussi_result_init(&result, &ctx->mem);
    pluss_status status = count_threads(s);
    if (!status)
        status = make_caches(s);
    if (!status)
        status = make_levels(s);
    if (!status)
        status = make_locality(s);
    if (!status)
        status = run_trace(s);
    free_stacks(s);
    if (!status)
        status = add_results(s, &result);
    if (!status)
        status = plussi_result_append(out, &result);
    plussi_result_free(&result);
    free_simulation(s);
    return status;
}

pluss_status plussi_pipeline_simulate_trace(plussi_ctx *ctx, const char *path,
                                            const plussi_request *request, plussi_result *out)
{
    return plussi_pipeline_sweep_trace(ctx, path, request, simulate_trace, out);
}

pluss_status plussi_pack_trace(plussi_ctx *ctx, const char *path, const plussi_request *request,
                               plussi_pack_fn write, void *user)
{
    plussi_foreign *trace = NULL;
    plussi_packer *packer = NULL;
    plussi_event event[EVENTS / 16];
    pluss_status status = plussi_foreign_open(ctx, path, request->skip_bad_lines, &trace);
    if (!status) {
        plussi_foreign_ask(trace, &request->ask, "pack");
        status = plussi_packer_new(ctx, write, user, &packer);
    }
    for (size_t n = 1; !status && n;) {
        status = plussi_foreign_next(trace, event, EVENTS / 16, &n);
        if (!status)
            status = plussi_packer_add(packer, event, n);
    }
    if (!status)
        status = plussi_packer_finish(packer);
    if (!status)
        plussi_foreign_tell_skipped(ctx, trace);
    plussi_packer_free(packer);
    plussi_foreign_close(trace);
    return status;
}
