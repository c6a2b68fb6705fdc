/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/lines.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "lru/lru.h"
#include "model/variates.h"

enum {
    FEW = 8,            /* kept lines in a window below which their number says little */
    TRUST = 4,          /* windows' worth, in the ratio of distances to intervals */
    HALF_OCTAVES = 128, /* of intervals */
    BITS = 7,           /* of intervals, an octave */
    REPEATS = 4,        /* of the drawing, where */
    REPEATED = 1000000  /* accesses are fewer than that */
};

/* ---- numbers for lines ------------------------------------------------------------------------
 */

typedef struct numbers {
    plussi_mem mem;
    uint32_t **of; /* thread, access: the line's number */
    uint32_t n;
} numbers;

/* Open addressing, since what is kept may be one line in thousands: the map of base/linemap.h has
 * room for the neighbours too. */
typedef struct table {
    uint64_t *line;
    uint32_t *number; /* from 1; 0: free */
    size_t cap;
} table;

static size_t place(const table *t, uint64_t line)
{
    size_t mask = t->cap - 1, at = (size_t)((line * 0x9e3779b97f4a7c15u) >> 24) & mask;
    while (t->number[at] && t->line[at] != line)
        at = (at + 1) & mask;
    return at;
}

static bool grow(const plussi_mem *mem, table *t)
{
    table bigger = {.cap = t->cap ? 2 * t->cap : 1024};
    bigger.line = plussi_alloc(mem, bigger.cap, sizeof *bigger.line);
    bigger.number = plussi_calloc(mem, bigger.cap, sizeof *bigger.number);
    for (size_t i = 0; bigger.line && bigger.number && i < t->cap; i++)
        if (t->number[i]) {
            size_t at = place(&bigger, t->line[i]);
            bigger.line[at] = t->line[i];
            bigger.number[at] = t->number[i];
        }
    bool ok = bigger.line && bigger.number;
    table drop = ok ? *t : bigger;
    plussi_free(mem, drop.line);
    plussi_free(mem, drop.number);
    if (ok)
        *t = bigger;
    return ok;
}

static void numbers_free(numbers *n, uint32_t team)
{
    for (uint32_t k = 0; n->of && k < team; k++)
        plussi_free(&n->mem, n->of[k]);
    plussi_free(&n->mem, n->of);
}

static pluss_status number_lines(plussi_ctx *ctx, const plussi_picked *picked, numbers *out)
{
    table t = {0};
    *out = (numbers){.mem = ctx->mem};
    out->of = plussi_calloc(&ctx->mem, picked->team, sizeof *out->of);
    bool ok = out->of != NULL;
    for (uint32_t k = 0; ok && k < picked->team; k++) {
        const plussi_picked_thread *thread = &picked->thread[k];
        out->of[k] = plussi_alloc(&ctx->mem, thread->n, sizeof **out->of);
        ok = out->of[k] != NULL;
        for (size_t i = 0; ok && i < thread->n; i++) {
            if (2 * ((size_t)out->n + 1) > t.cap)
                ok = grow(&ctx->mem, &t);
            if (!ok)
                break;
            size_t at = place(&t, thread->access[i].line);
            if (!t.number[at]) {
                t.line[at] = thread->access[i].line;
                t.number[at] = ++out->n;
            }
            out->of[k][i] = t.number[at] - 1;
        }
    }
    plussi_free(&ctx->mem, t.line);
    plussi_free(&ctx->mem, t.number);
    if (!ok)
        numbers_free(out, picked->team);
    return ok ? PLUSS_OK : PLUSS_ENOMEM;
}

/* ---- one interleaving -------------------------------------------------------------------------
 */

/* A thread in the phase that is being merged. */
typedef struct runner {
    uint32_t thread;
    size_t next, end; /* accesses */
    double time;      /* of the next one */
} runner;

/* A line's last touch. */
typedef struct touch {
    uint64_t phase, at;
    uint32_t thread;
    double time, made;
} touch;

typedef struct job {
    plussi_ctx *ctx;
    const plussi_picked *picked;
    const numbers *line;
    double *weight; /* of an access, by reference */
    plussi_rng rng;
    plussi_lru *lru;
    touch *last;   /* by line */
    size_t *phase; /* by thread: the next one */
    runner *heap;  /* those that have accesses left, the earliest first */
    uint32_t n_heap;
    double made;     /* accesses of the phases before, and of those that are through with this */
    uint64_t number; /* of the phase */
    /* what is found: by interval, and the distances by half octaves of it */
    plussi_histo interval, distance[HALF_OCTAVES];
    double cold, lines;
    double windows[HALF_OCTAVES], counted[HALF_OCTAVES]; /* how many, kept lines in them */
} job;

static unsigned half_octave(uint64_t interval)
{
    double at = 2 * log2((double)interval);
    return at < HALF_OCTAVES ? (unsigned)at : HALF_OCTAVES - 1;
}

static pluss_status found(job *j, const touch *before, const touch *now, uint64_t distance,
                          double weight)
{
    double window = now->made - before->made;
    if (before->phase == now->phase && before->thread == now->thread)
        window += (double)(now->at - before->at) - (now->time - before->time);
    uint64_t interval = plussi_histo_quantise(window > 1 ? (uint64_t)llround(window) : 1, BITS);
    unsigned h = half_octave(interval);
    j->windows[h]++;
    j->counted[h] += (double)distance;
    pluss_status status = plussi_histo_add(&j->interval, interval, weight);
    return status ? status : plussi_histo_add(&j->distance[h], distance, weight);
}

static pluss_status take(job *j, const runner *r)
{
    const plussi_picked_access *a = &j->picked->thread[r->thread].access[r->next];
    uint32_t line = j->line->of[r->thread][r->next];
    touch now = {j->number, a->at, r->thread, r->time, j->made + j->n_heap * r->time};
    uint64_t distance = plussi_lru_touch(j->lru, line);
    double weight = j->weight[a->ref];
    pluss_status status = PLUSS_OK;
    if (distance == PLUSSI_LRU_FAIL) {
        status = PLUSS_ENOMEM;
    } else if (distance == PLUSSI_LRU_COLD) {
        j->cold += weight;
        j->lines++;
    } else {
        status = found(j, &j->last[line], &now, distance, weight);
    }
    j->last[line] = now;
    return status;
}

static void sift_down(job *j, uint32_t at)
{
    for (;;) {
        uint32_t least = at, child = 2 * at + 1;
        for (uint32_t i = child; i < child + 2 && i < j->n_heap; i++)
            least = j->heap[i].time < j->heap[least].time ? i : least;
        if (least == at)
            return;
        runner moved = j->heap[at];
        j->heap[at] = j->heap[least];
        j->heap[least] = moved;
        at = least;
    }
}

static uint64_t at_of(const job *j, uint32_t thread, size_t access)
{
    return j->picked->thread[thread].access[access].at;
}

/* The threads that have accesses in the phase, each at the time of its first. */
static void begin_phase(job *j, uint32_t from, uint32_t to, uint64_t key)
{
    j->n_heap = 0;
    for (uint32_t k = from; k < to; k++) {
        const plussi_picked_thread *thread = &j->picked->thread[k];
        size_t p = j->phase[k];
        if (p == thread->n_phases || thread->phase[p].key != key)
            continue;
        size_t first = thread->phase[p].first;
        j->heap[j->n_heap++] = (runner){k, first, thread->phase[p].end,
                                        plussi_draw_gamma(&j->rng, (double)at_of(j, k, first) + 1)};
        j->phase[k]++;
    }
    for (uint32_t i = j->n_heap; i-- > 0;)
        sift_down(j, i);
}

static pluss_status merge_phase(job *j)
{
    pluss_status status = PLUSS_OK;
    while (!status && j->n_heap > 0) {
        runner *r = &j->heap[0];
        status = take(j, r);
        if (++r->next < r->end) {
            r->time += plussi_draw_gamma(
                &j->rng, (double)(at_of(j, r->thread, r->next) - at_of(j, r->thread, r->next - 1)));
        } else {
            j->made += r->time;
            *r = j->heap[--j->n_heap];
        }
        sift_down(j, 0);
    }
    j->number++;
    return status;
}

/* Threads from ... to - 1 on a cache of their own. */
static pluss_status merge(job *j, uint32_t from, uint32_t to)
{
    pluss_status status = PLUSS_OK;
    plussi_lru_reset(j->lru);
    memset(j->phase, 0, j->picked->team * sizeof *j->phase);
    j->made = 0;
    while (!status) {
        uint64_t key = UINT64_MAX;
        bool any = false;
        for (uint32_t k = from; k < to; k++) {
            const plussi_picked_thread *thread = &j->picked->thread[k];
            if (j->phase[k] == thread->n_phases)
                continue;
            any = true;
            uint64_t next = thread->phase[j->phase[k]].key;
            key = next < key ? next : key;
        }
        if (!any)
            break;
        begin_phase(j, from, to, key);
        status = merge_phase(j);
    }
    return status;
}

/* ---- distances --------------------------------------------------------------------------------
 */

/* F of "From intervals to a curve" at ascending keys. */
typedef struct aet {
    const plussi_bin *bin;
    size_t n, at;
    double left, f, reached; /* weight of longer intervals; F(reached) */
    double all;
} aet;

static double aet_at(aet *a, uint64_t interval)
{
    while (a->at < a->n && (double)a->bin[a->at].key <= (double)interval) {
        double key = (double)a->bin[a->at].key;
        a->f += (key - a->reached) * a->left / a->all;
        a->reached = key;
        a->left -= a->bin[a->at++].weight;
    }
    return a->f + ((double)interval - a->reached) * fmax(a->left, 0) / a->all;
}

/* What the kept lines say of the windows of a half octave: distance / F. */
static double ratio(const job *j, unsigned h, double f)
{
    double n = j->windows[h], counted = j->counted[h] / j->picked->rate;
    return f > 0 && n > 0 ? (counted + TRUST * f) / ((n + TRUST) * f) : 1;
}

/* The distances of intervals [first, end) of one half octave, from F. */
static pluss_status by_interval(const job *j, unsigned h, const plussi_bin *bin, size_t n,
                                const double *f, plussi_histo *out)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < n; i++) {
        sum += bin[i].weight * f[i];
        weight += bin[i].weight;
    }
    double scale = ratio(j, h, weight > 0 ? sum / weight : 0);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n && !status; i++) {
        double most = (double)bin[i].key - 1, distance = fmin(f[i] * scale, most);
        status = plussi_histo_add(out, (uint64_t)llround(fmax(distance, 0)), bin[i].weight);
    }
    return status;
}

static pluss_status by_count(const job *j, unsigned h, plussi_histo *out)
{
    plussi_bin *bin;
    size_t n;
    pluss_status status = plussi_histo_sorted(&j->distance[h], &bin, &n);
    if (status)
        return status;
    for (size_t i = 0; i < n && !status; i++)
        status = plussi_histo_add(out, (uint64_t)llround((double)bin[i].key / j->picked->rate),
                                  bin[i].weight);
    plussi_free(&j->distance[h].mem, bin);
    return status;
}

/* bin: all intervals, the missing references' too. */
static pluss_status convert(const job *j, const plussi_bin *bin, size_t n,
                            const plussi_histo *missing, plussi_histo *out)
{
    bool all = j->picked->rate >= 1;
    double *f = plussi_alloc(&j->ctx->mem, n, sizeof *f);
    if (!f)
        return PLUSS_ENOMEM;
    aet a = {.bin = bin, .n = n, .all = plussi_histo_total(&j->interval) + j->cold};
    a.left = a.all;
    for (size_t i = 0; i < n; i++)
        f[i] = aet_at(&a, bin[i].key);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0, end; i < n && !status; i = end) {
        unsigned h = half_octave(bin[i].key);
        for (end = i; end < n && half_octave(bin[end].key) == h; end++) {
        }
        bool few = f[i] * j->picked->rate < FEW;
        if (!all && few) {
            status = by_interval(j, h, bin + i, end - i, f + i, out);
            continue;
        }
        status = by_count(j, h, out);
        for (size_t k = i; k < end && missing && !status; k++) {
            double weight = plussi_histo_get(missing, bin[k].key);
            status = plussi_histo_add(out, (uint64_t)llround(f[k]), weight);
        }
    }
    plussi_free(&j->ctx->mem, f);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static pluss_status job_init(job *j)
{
    plussi_histo_init(&j->interval, &j->ctx->mem);
    for (unsigned h = 0; h < HALF_OCTAVES; h++)
        plussi_histo_init(&j->distance[h], &j->ctx->mem);
    const plussi_picked *p = j->picked;
    j->weight = plussi_calloc(&j->ctx->mem, p->n_refs, sizeof *j->weight);
    j->last = plussi_alloc(&j->ctx->mem, j->line->n, sizeof *j->last);
    j->phase = plussi_alloc(&j->ctx->mem, p->team, sizeof *j->phase);
    j->heap = plussi_alloc(&j->ctx->mem, p->team, sizeof *j->heap);
    if (!j->weight || !j->last || !j->phase || !j->heap)
        return PLUSS_ENOMEM;
    for (uint32_t k = 0; k < p->team; k++)
        for (size_t i = 0; i < p->thread[k].n; i++)
            j->weight[p->thread[k].access[i].ref]++;
    for (uint32_t r = 0; r < p->n_refs; r++)
        j->weight[r] = j->weight[r] > 0 ? (double)p->made[r] / j->weight[r] : 0;
    return plussi_lru_new(j->ctx, &j->lru);
}

static void job_free(job *j)
{
    plussi_histo_free(&j->interval);
    for (unsigned h = 0; h < HALF_OCTAVES; h++)
        plussi_histo_free(&j->distance[h]);
    plussi_free(&j->ctx->mem, j->weight);
    plussi_free(&j->ctx->mem, j->last);
    plussi_free(&j->ctx->mem, j->phase);
    plussi_free(&j->ctx->mem, j->heap);
    if (j->lru)
        plussi_lru_free(j->lru);
}

static unsigned repeats(const plussi_picked *picked)
{
    size_t n = 0;
    for (uint32_t k = 0; k < picked->team; k++)
        n += picked->thread[k].n;
    return n < REPEATED ? REPEATS : 1;
}

static pluss_status finish(job *j, unsigned times, const plussi_histo *missing,
                           plussi_lines_result *out)
{
    plussi_histo rd, scaled;
    plussi_bin *bin = NULL;
    size_t n = 0;
    plussi_histo_init(&rd, &j->ctx->mem);
    plussi_histo_init(&scaled, &j->ctx->mem);
    pluss_status status = PLUSS_OK;
    if (missing) {
        status = plussi_histo_merge(&scaled, missing, times);
        if (!status)
            status = plussi_histo_merge(&j->interval, &scaled, 1);
        j->interval.cold = 0;
        j->cold += scaled.cold;
    }
    rd.cold = j->cold;
    if (!status)
        status = plussi_histo_sorted(&j->interval, &bin, &n);
    if (!status)
        status = convert(j, bin, n, missing ? &scaled : NULL, &rd);
    if (!status && !(plussi_histo_total(&rd) > 0))
        status = PLUSS_EINVALID;
    plussi_lines_result result = {.footprint = j->lines / (j->picked->rate * times)};
    if (!status)
        status = plussi_mrc_from_rd(j->ctx, &rd, &result.mrc);
    if (!status) {
        result.mrc.accesses /= times;
        *out = result;
    }
    plussi_free(&j->ctx->mem, bin);
    plussi_histo_free(&rd);
    plussi_histo_free(&scaled);
    return status;
}

pluss_status plussi_lines(plussi_ctx *ctx, const plussi_picked *picked, uint32_t sharers,
                          const plussi_histo *missing, uint64_t seed, plussi_lines_result *out)
{
    numbers line;
    pluss_status status = number_lines(ctx, picked, &line);
    if (status)
        return status;
    job *j = plussi_calloc(&ctx->mem, 1, sizeof *j);
    if (!j) {
        numbers_free(&line, picked->team);
        return PLUSS_ENOMEM;
    }
    *j = (job){.ctx = ctx, .picked = picked, .line = &line};
    status = job_init(j);
    uint32_t step = sharers && sharers < picked->team ? sharers : picked->team;
    unsigned times = repeats(picked);
    for (unsigned i = 0; i < times && !status; i++) {
        plussi_rng_seed(&j->rng, seed, i);
        for (uint32_t k = 0; k < picked->team && !status; k += step)
            status = merge(j, k, picked->team - k < step ? picked->team : k + step);
    }
    if (!status)
        status = finish(j, times, missing, out);
    job_free(j);
    plussi_free(&ctx->mem, j);
    numbers_free(&line, picked->team);
    return status;
}
