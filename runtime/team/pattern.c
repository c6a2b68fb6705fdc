/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/pattern.h"
#include "base/bisect.h"

#include <math.h>

#include <gsl/gsl_randist.h>

#include "base/effort.h"
#include "team/chunk_log.h"
#include "team/gslrng.h"

enum { FIRST = 256, MAX_EPOCHS = 128 };
_Static_assert(PLUSSI_MAX_TEAM - 1 <= UINT16_MAX, "an owner's type holds the thread");

/* Chunks [first, first + length * times): the listed ones, repeated. */
typedef struct epoch {
    uint64_t first, length, times;
    double begin, span; /* its start; time until it repeats */
    uint16_t *owner;    /* of each chunk: the thread that requested it */
    uint32_t *start;  /* of each thread: [start[k], start[k + 1]) of the next two are its chunks */
    uint32_t *number; /* since the epoch's first chunk, ascending */
    double *time;     /* since the epoch's start */
    uint64_t *own;    /* by thread: its chunks before the epoch */
} epoch;

/* A thread's chunks among the first ones of all. */
typedef struct counted {
    uint64_t chunks, own;
} counted;

struct plussi_pattern {
    plussi_ctx *ctx;
    uint32_t team;
    uint64_t work;
    uint64_t exact, period;
    plussi_rng rng;
    plussi_clocks clocks; /* each thread's next request, after the last epoch */
    uint64_t known;       /* chunks in all epochs */
    uint64_t complete;    /* every thread has another request after this many */
    epoch *epoch;
    size_t n;
    counted *counted; /* by thread: for the most chunks so far, mostly all of the loop's */
};

pluss_status plussi_pattern_new(plussi_ctx *ctx, uint32_t team, uint64_t work, uint64_t seed,
                                plussi_pattern **out)
{
    plussi_pattern *p = plussi_calloc(&ctx->mem, 1, sizeof *p);
    if (!p)
        return PLUSS_ENOMEM;
    *p = (plussi_pattern){.ctx = ctx, .team = team, .work = work};
    p->exact = team < PLUSSI_PATTERN_EXACT / 64 ? PLUSSI_PATTERN_EXACT : 64 * (uint64_t)team;
    p->period = PLUSSI_PATTERN_PERIOD * (1 + (uint64_t)team / 64);
    p->clocks.heap = plussi_alloc(&ctx->mem, team, sizeof *p->clocks.heap);
    p->epoch = plussi_calloc(&ctx->mem, MAX_EPOCHS, sizeof *p->epoch);
    p->counted = plussi_calloc(&ctx->mem, team, sizeof *p->counted);
    if (!p->clocks.heap || !p->epoch || !p->counted) {
        plussi_pattern_free(p);
        return PLUSS_ENOMEM;
    }
    plussi_rng_seed(&p->rng, seed, 0);
    for (uint32_t k = 0; k < team; k++)
        plussi_clocks_push(&p->clocks, k, plussi_gamma(&p->rng, 1), &p->rng);
    *out = p;
    return PLUSS_OK;
}

void plussi_pattern_free(plussi_pattern *p)
{
    if (!p)
        return;
    const plussi_mem *mem = &p->ctx->mem;
    for (size_t i = 0; p->epoch && i < p->n; i++) {
        plussi_free(mem, p->epoch[i].owner);
        plussi_free(mem, p->epoch[i].start);
        plussi_free(mem, p->epoch[i].number);
        plussi_free(mem, p->epoch[i].time);
        plussi_free(mem, p->epoch[i].own);
    }
    plussi_free(mem, p->epoch);
    plussi_free(mem, p->counted);
    plussi_free(mem, p->clocks.heap);
    plussi_free(mem, p);
}

/* ---- making epochs --------------------------------------------------------------------------- */

/* The state of the threads at a time, when all have made about the same number of accesses. */
static void take_up(plussi_pattern *p, double time)
{
    gsl_rng g = plussi_gsl_rng(&p->rng);
    double work = (double)p->work;
    p->clocks.n = 0;
    for (uint32_t k = 0; k < p->team; k++) {
        double made = floor(fmax(0, time + gsl_ran_gaussian(&g, sqrt(time))));
        double into = fmod(made, work), ahead = into > 0 ? work - into : 0;
        plussi_clocks_push(&p->clocks, k, time + plussi_gamma(&p->rng, ahead + 1), &p->rng);
    }
}

static uint64_t own_before(const epoch *e, uint32_t thread)
{
    return e->own[thread] + e->times * (e->start[thread + 1] - e->start[thread]);
}

static bool allocate_epoch(plussi_pattern *p, epoch *e)
{
    const plussi_mem *mem = &p->ctx->mem;
    e->owner = plussi_alloc(mem, e->length, sizeof *e->owner);
    e->start = plussi_calloc(mem, (size_t)p->team + 2, sizeof *e->start);
    e->number = plussi_alloc(mem, e->length, sizeof *e->number);
    e->time = plussi_alloc(mem, e->length, sizeof *e->time);
    e->own = plussi_calloc(mem, p->team, sizeof *e->own);
    return e->owner && e->start && e->number && e->time && e->own;
}

/* Dispatches the epoch's chunks: notes the thread and the time of each request. */
static void dispatch_chunks(plussi_pattern *p, epoch *e, double *when)
{
    plussi_effort *effort = plussi_effort_of(p->ctx);
    plussi_effort_take(effort, e->length * 6);
    e->begin = p->clocks.heap[0].time;
    for (uint64_t i = 0; i < e->length; i++) {
        const plussi_free_thread *next = &p->clocks.heap[0];
        e->owner[i] = (uint16_t)next->thread;
        when[i] = next->time - e->begin;
        e->start[next->thread + 2]++;
        plussi_clocks_move_first(&p->clocks, next->time + plussi_gamma(&p->rng, (double)p->work),
                                 &p->rng);
    }
    e->span = p->clocks.heap[0].time - e->begin;
    if (e->times == 1)
        return;
    /* a repeated part must not be fast or slow by chance: the accesses of all threads take their
     * mean time */
    double fair = (double)e->length * (double)p->work / p->team, scale = fair / e->span;
    for (uint64_t i = 0; i < e->length; i++)
        when[i] *= scale;
    e->span = fair;
}

/* Sorts by thread. */
static void sort_chunks(const plussi_pattern *p, epoch *e, const double *when)
{
    for (uint32_t k = 2; k <= p->team; k++)
        e->start[k] += e->start[k - 1];
    for (uint64_t i = 0; i < e->length; i++) {
        uint32_t at = e->start[e->owner[i] + 1]++;
        e->number[at] = (uint32_t)i;
        e->time[at] = when[i];
    }
}

static pluss_status add_epoch(plussi_pattern *p)
{
    const plussi_mem *mem = &p->ctx->mem;
    epoch *e = &p->epoch[p->n];
    if (p->n == MAX_EPOCHS)
        return plussi_fail(p->ctx, PLUSS_ELIMIT, NULL, "a loop of too many chunks");
    *e = (epoch){.first = p->known, .times = 1};
    e->length = p->known ? p->known : FIRST;
    if (p->known >= p->exact) {
        e->length = p->period;
        e->times = p->known > e->length ? p->known / e->length : 1;
    } else if (e->length > p->exact - p->known) {
        e->length = p->exact - p->known;
    }
    p->n++; /* freed with the others */
    bool room = allocate_epoch(p, e);
    double *when = plussi_alloc(mem, e->length, sizeof *when); /* last: it leaves no gap */
    room = room && when;
    if (room) {
        dispatch_chunks(p, e, when);
        sort_chunks(p, e, when);
        for (uint32_t k = 0; k < p->team && p->n > 1; k++)
            e->own[k] = own_before(&e[-1], k);
        p->known += e->length * e->times;
        if (p->known >= p->exact)
            take_up(p, e->begin + (double)e->times * e->span);
    } else {
        plussi_free(mem, e->owner);
        plussi_free(mem, e->start);
        plussi_free(mem, e->number);
        plussi_free(mem, e->time);
        plussi_free(mem, e->own);
        p->n--;
    }
    plussi_free(mem, when);
    return room ? PLUSS_OK : PLUSS_ENOMEM;
}

/* The least of the threads' last chunks: all threads have requests up to it. */
static uint64_t last_of_all(const plussi_pattern *p)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t k = 0; k < p->team; k++) {
        uint64_t own = own_before(&p->epoch[p->n - 1], k);
        uint64_t last = own ? plussi_pattern_number(p, k, own - 1) : 0;
        least = last < least ? last : least;
    }
    return least;
}

pluss_status plussi_pattern_extend(plussi_pattern *p, uint64_t chunks)
{
    pluss_status status = PLUSS_OK;
    while (p->complete < chunks && !status) {
        status = add_epoch(p);
        if (!status)
            p->complete = last_of_all(p);
    }
    return status;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* The last epoch that begins at or before the chunk, the thread's chunk j, the time. */
static const epoch *epoch_of_chunk(const plussi_pattern *p, uint64_t chunk)
{
    size_t i = p->n - 1;
    while (i > 0 && p->epoch[i].first > chunk)
        i--;
    return &p->epoch[i];
}

static const epoch *epoch_of_own(const plussi_pattern *p, uint32_t thread, uint64_t j)
{
    size_t i = p->n - 1;
    while (i > 0 && p->epoch[i].own[thread] > j)
        i--;
    return &p->epoch[i];
}

static const epoch *epoch_of_time(const plussi_pattern *p, double time)
{
    size_t i = p->n - 1;
    while (i > 0 && p->epoch[i].begin > time)
        i--;
    return &p->epoch[i];
}

uint64_t plussi_pattern_count(const plussi_pattern *p, uint32_t thread, uint64_t chunks)
{
    counted *latest = &p->counted[thread];
    if (latest->chunks == chunks)
        return latest->own;
    const epoch *e = epoch_of_chunk(p, chunks);
    uint64_t round = (chunks - e->first) / e->length, rest = (chunks - e->first) % e->length;
    uint32_t lo = e->start[thread], hi = e->start[thread + 1];
    uint64_t before = e->own[thread] + round * (hi - lo);
    PLUSSI_BISECT(uint32_t, i, lo, hi, e->number[i] >= rest);
    before += i - lo;
    if (chunks > latest->chunks)
        *latest = (counted){chunks, before};
    return before;
}

uint32_t plussi_pattern_owner(const plussi_pattern *p, uint64_t chunk)
{
    const epoch *e = epoch_of_chunk(p, chunk);
    return e->owner[(chunk - e->first) % e->length];
}

/* The round of the epoch's repetitions in which the thread's chunk i of it is; i becomes its number
 * there. */
static uint64_t round_of(const epoch *e, uint32_t thread, uint64_t *i)
{
    const uint64_t each = e->start[thread + 1] - e->start[thread];
    if (*i < each) /* as in all that are dispatched once */
        return 0;
    const uint64_t round = *i / each;
    *i -= round * each;
    return round;
}

uint64_t plussi_pattern_number(const plussi_pattern *p, uint32_t thread, uint64_t j)
{
    const epoch *e = epoch_of_own(p, thread, j);
    uint64_t i = j - e->own[thread];
    const uint64_t round = round_of(e, thread, &i);
    return e->first + round * e->length + e->number[e->start[thread] + i];
}

double plussi_pattern_time(const plussi_pattern *p, uint32_t thread, uint64_t j)
{
    const epoch *e = epoch_of_own(p, thread, j);
    uint64_t i = j - e->own[thread];
    const uint64_t round = round_of(e, thread, &i);
    return e->begin + (double)round * e->span + e->time[e->start[thread] + i];
}

uint64_t plussi_pattern_dispatched_by(const plussi_pattern *p, uint32_t thread, double time,
                                      uint64_t most)
{
    const epoch *e = epoch_of_time(p, time);
    double since = time - e->begin;
    uint64_t round = since > 0 ? (uint64_t)(since / e->span) : 0;
    round = round < e->times ? round : e->times - 1;
    double rest = since - (double)round * e->span;
    uint32_t lo = e->start[thread], hi = e->start[thread + 1];
    uint64_t before = e->own[thread] + round * (hi - lo);
    PLUSSI_BISECT(uint32_t, i, lo, hi, e->time[i] > rest);
    before += i - lo;
    return before < most ? before : most;
}
