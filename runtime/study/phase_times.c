/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/phase_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = PLUSSI_RATES_PIECES, NATURE_RUNS = 3 };
#define STALL_TIMES 2
#define STALL_NANOSECONDS 10000

/* ---- loops ------------------------------------------------------------------------------------
 */

static int compare_loops(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* The list of loops; each phase gets its place in it. */
static pluss_status list_loops(plussi_phase_times *s, const plussi_calibrate_run *run)
{
    s->loop = plussi_arena_alloc(&s->arena, s->n_phases + 1, sizeof *s->loop);
    if (!s->loop)
        return PLUSS_ENOMEM;
    size_t n = 0, i = 0;
    for (size_t r = 0; r < s->n_runs; r++)
        for (size_t p = 0; p < run[r].timeline->n_phases; p++)
            s->loop[n++] = run[r].timeline->phase[p].loop;
    if (n)
        qsort(s->loop, n, sizeof *s->loop, compare_loops);
    for (size_t j = 0; j < n; j++)
        if (j == 0 || s->loop[j] != s->loop[s->n_loops - 1])
            s->loop[s->n_loops++] = s->loop[j];
    for (size_t r = 0; r < s->n_runs; r++)
        for (size_t p = 0; p < run[r].timeline->n_phases; p++, i++) {
            uint32_t loop = run[r].timeline->phase[p].loop;
            const uint32_t *at =
                bsearch(&loop, s->loop, s->n_loops, sizeof *s->loop, compare_loops);
            s->phase[i].run = r;
            s->phase[i].slot = (size_t)(at - s->loop);
        }
    return PLUSS_OK;
}

/* ---- threads ----------------------------------------------------------------------------------
 */

static pluss_status take_phase(plussi_ctx *ctx, plussi_phase_times *s,
                               const plussi_timeline_phase *from, plussi_phase_time *to)
{
    if (from->team > s->team)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a phase has %u threads, its team %u",
                           from->team, s->team);
    to->thread = plussi_arena_alloc(&s->arena, s->team, sizeof *to->thread);
    if (!to->thread)
        return PLUSS_ENOMEM;
    for (uint32_t k = 0; k < from->team; k++) {
        const plussi_timeline_thread *t = &from->thread[k];
        if (t->n < 2 || !(t->point[t->n - 1].done > 0))
            continue;
        to->thread[k].thread = t;
        to->thread[k].accesses = t->point[t->n - 1].done;
        to->thread[k].lost = plussi_arena_alloc(&s->arena, t->n, sizeof(double));
        if (!to->thread[k].lost)
            return PLUSS_ENOMEM;
        if (t->point[t->n - 1].time > to->end)
            to->end = t->point[t->n - 1].time;
    }
    return PLUSS_OK;
}

static pluss_status take_all(plussi_ctx *ctx, plussi_phase_times *s,
                             const plussi_calibrate_run *run)
{
    pluss_status status = PLUSS_OK;
    size_t i = 0;
    for (size_t r = 0; r < s->n_runs; r++)
        for (size_t p = 0; p < run[r].timeline->n_phases && !status; p++)
            status = take_phase(ctx, s, &run[r].timeline->phase[p], &s->phase[i++]);
    return status;
}

/* ---- stalls -----------------------------------------------------------------------------------
 */

/* What is looked at together: a thread in all executions of a loop in one run, which are the phases
 * [first, last) of its slot. */
typedef struct one_loop {
    plussi_phase_times *s;
    size_t first, last, slot;
    uint32_t k;
} one_loop;

static const plussi_timeline_thread *thread_in(const one_loop *l, size_t phase)
{
    const plussi_phase_time *p = &l->s->phase[phase];
    return p->slot == l->slot ? p->thread[l->k].thread : NULL;
}

/* Time an access, median over the intervals by accesses; 0: there is no interval. */
static pluss_status usual_timelines(plussi_ctx *ctx, const one_loop *l, double *out)
{
    size_t n = 0, all = 0;
    for (size_t p = l->first; p < l->last; p++)
        if (thread_in(l, p))
            all += thread_in(l, p)->n;
    plussi_weighed *list = plussi_alloc(&ctx->mem, all + 1, sizeof *list);
    if (!list)
        return PLUSS_ENOMEM;
    for (size_t p = l->first; p < l->last; p++) {
        const plussi_timeline_thread *t = thread_in(l, p);
        for (size_t i = 1; t && i < t->n; i++) {
            double made = t->point[i].done - t->point[i - 1].done;
            if (made > 0)
                list[n++] =
                    (plussi_weighed){(t->point[i].time - t->point[i - 1].time) / made, made};
        }
    }
    *out = n ? plussi_weighed_median(list, n) : 0;
    plussi_free(&ctx->mem, list);
    return PLUSS_OK;
}

/* What interval i, before point i, lost; 0: it is no stall. */
static double excess(const plussi_timeline_thread *t, size_t i, double usual)
{
    double took = t->point[i].time - t->point[i - 1].time;
    double due = usual * (t->point[i].done - t->point[i - 1].done);
    return took > STALL_TIMES * due + STALL_NANOSECONDS ? took - due : 0;
}

static size_t piece_of(const plussi_timeline_thread *t, size_t i)
{
    double all = t->point[t->n - 1].done;
    double at = (t->point[i].done + t->point[i - 1].done) / 2 / all * PIECES;
    return at < PIECES ? (size_t)at : PIECES - 1;
}

/* Of each loop, thread and piece: the stalls at most one an execution, and the executions. */
typedef struct place {
    uint64_t stalled, executed;
} place;

static place *place_of(const plussi_phase_times *s, place *all, size_t slot, uint32_t k)
{
    return all + (slot * s->team + k) * PIECES;
}

static void count_places(const one_loop *l, double usual, place *all)
{
    place *at = place_of(l->s, all, l->slot, l->k);
    for (size_t p = l->first; p < l->last; p++) {
        const plussi_timeline_thread *t = thread_in(l, p);
        bool here[PIECES] = {false};
        for (size_t i = 1; t && i < t->n; i++)
            here[piece_of(t, i)] |= excess(t, i, usual) > 0;
        for (size_t j = 0; t && j < PIECES; j++) {
            at[j].stalled += here[j];
            at[j].executed++;
        }
    }
}

static void count_lost(const one_loop *l, double usual, place *all)
{
    const place *at = place_of(l->s, all, l->slot, l->k);
    for (size_t p = l->first; p < l->last; p++) {
        const plussi_timeline_thread *t = thread_in(l, p);
        plussi_thread_time *share = &l->s->phase[p].thread[l->k];
        for (size_t i = 1; t && i < t->n; i++) {
            const place *here = &at[piece_of(t, i)];
            bool nature = l->s->n_runs >= NATURE_RUNS && here->stalled > here->executed / 2;
            double lost = nature ? 0 : excess(t, i, usual);
            share->stalls += lost > 0;
            share->lost[i] = share->lost[i - 1] + lost;
        }
        if (t)
            share->busy = t->point[t->n - 1].time - t->point[0].time - share->lost[t->n - 1];
    }
}

/* Applies f to every run, loop and thread. usual: of each, found in the first round. */
static pluss_status each_loop(plussi_ctx *ctx, plussi_phase_times *s, double *usual,
                              bool first_round, place *all)
{
    pluss_status status = PLUSS_OK;
    for (size_t first = 0, last; first < s->n_phases; first = last) {
        for (last = first; last < s->n_phases && s->phase[last].run == s->phase[first].run;)
            last++;
        for (size_t slot = 0; slot < s->n_loops; slot++)
            for (uint32_t k = 0; k < s->team && !status; k++, usual++) {
                one_loop l = {s, first, last, slot, k};
                if (first_round)
                    status = usual_timelines(ctx, &l, usual);
                if (!status)
                    (first_round ? count_places : count_lost)(&l, *usual, all);
            }
    }
    return status;
}

static pluss_status find_stalls(plussi_ctx *ctx, plussi_phase_times *s)
{
    size_t n = s->n_loops * s->team;
    place *all = plussi_calloc(&ctx->mem, n * PIECES + 1, sizeof *all);
    double *usual = plussi_calloc(&ctx->mem, n * s->n_runs + 1, sizeof *usual);
    pluss_status status = all && usual ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status)
        status = each_loop(ctx, s, usual, true, all);
    if (!status)
        status = each_loop(ctx, s, usual, false, all);
    plussi_free(&ctx->mem, all);
    plussi_free(&ctx->mem, usual);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static void sum_up(const plussi_phase_times *s, plussi_phase_time *p)
{
    uint32_t working = 0;
    double sum = 0;
    p->tells = true;
    for (uint32_t k = 0; k < s->team; k++) {
        const plussi_thread_time *t = &p->thread[k];
        if (t->accesses <= 0)
            continue;
        working++;
        p->tells = p->tells && t->busy > 0;
        sum += t->busy > 0 ? log(t->busy / t->accesses) : 0;
        p->weight += t->accesses;
    }
    p->tells = p->tells && working >= 2;
    p->mean = working ? exp(sum / working) : 0;
}

pluss_status plussi_phase_times_new(plussi_ctx *ctx, const plussi_calibrate_run *run, size_t n,
                                    uint32_t team, plussi_phase_times *out)
{
    plussi_phase_times s = {.team = team, .n_runs = n};
    plussi_arena_init(&s.arena, &ctx->mem);
    for (size_t r = 0; r < n; r++)
        s.n_phases += run[r].timeline->n_phases;
    s.phase = plussi_arena_alloc(&s.arena, s.n_phases + 1, sizeof *s.phase);
    pluss_status status = s.phase ? list_loops(&s, run) : PLUSS_ENOMEM;
    if (!status)
        status = take_all(ctx, &s, run);
    if (!status)
        status = find_stalls(ctx, &s);
    for (size_t p = 0; p < s.n_phases && !status; p++)
        sum_up(&s, &s.phase[p]);
    if (status)
        plussi_phase_times_free(&s);
    else
        *out = s;
    return status;
}

void plussi_phase_times_free(plussi_phase_times *times)
{
    plussi_arena_free(&times->arena);
}

double plussi_time_until(const plussi_thread_time *share, double x)
{
    const plussi_timeline_point *p = share->thread->point;
    size_t low = 0, high = share->thread->n - 1; /* p[low].done <= x <= p[high].done */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (p[middle].done <= x)
            low = middle;
        else
            high = middle;
    }
    double made = p[high].done - p[low].done;
    double part = made > 0 ? (x - p[low].done) / made : 1;
    double from = p[low].time - share->lost[low], to = p[high].time - share->lost[high];
    return from + (to - from) * (part < 1 ? part : 1) - p[0].time;
}
