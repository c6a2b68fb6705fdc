/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/calibrate.h"

#include <math.h>

#include "study/phase_times.h"

enum { PIECES = PLUSSI_RATES_PIECES };

/* Of a quantity of a thread in a loop: one value a run, with the mean square of what its executions
 * differ by from it. */
typedef struct run_value {
    double value, within;
    uint32_t process;
    bool there;
} run_value;

typedef struct fit {
    plussi_ctx *ctx;
    const plussi_calibrate_run *run;
    plussi_phase_times times;
    plussi_calibration *out;
    run_value *value;               /* n_runs, of the quantity at hand */
    double square, weight, degrees; /* of ln(rate) about its mean: sums over the loops */
} fit;

/* ---- a quantity over the runs -----------------------------------------------------------------
 */

typedef struct spread {
    size_t runs;
    double mean, error; /* error: INFINITY of one run */
    double square;      /* of one execution about the mean; of one run: about 0 */
} spread;

/* Standard error of the mean of the processes' means, which is what it is where runs of a process
 * are alike; 0 where there is but one. */
static double process_error(const fit *f)
{
    double sum = 0, squares = 0;
    size_t n = 0;
    for (size_t r = 0; r < f->out->n_runs; r++) {
        const run_value *head = &f->value[r];
        bool first = head->there;
        for (size_t i = 0; i < r && first; i++)
            first = !f->value[i].there || f->value[i].process != head->process;
        if (!first)
            continue;
        double own = 0;
        size_t runs = 0;
        for (size_t i = r; i < f->out->n_runs; i++)
            if (f->value[i].there && f->value[i].process == head->process) {
                own += f->value[i].value;
                runs++;
            }
        own /= (double)runs;
        n++;
        sum += own;
        squares += own * own;
    }
    if (n < 2)
        return 0;
    double mean = sum / (double)n, variance = (squares - mean * sum) / (double)(n - 1);
    return variance > 0 ? sqrt(variance / (double)n) : 0;
}

static spread over_runs(const fit *f)
{
    spread s = {.error = INFINITY};
    double within = 0, square = 0;
    for (size_t r = 0; r < f->out->n_runs; r++)
        if (f->value[r].there) {
            s.runs++;
            s.mean += f->value[r].value;
            within += f->value[r].within;
        }
    if (s.runs == 0)
        return s;
    s.mean /= (double)s.runs;
    within /= (double)s.runs;
    if (s.runs == 1) {
        s.square = s.mean * s.mean + within;
        return s;
    }
    for (size_t r = 0; r < f->out->n_runs; r++)
        if (f->value[r].there)
            square += (f->value[r].value - s.mean) * (f->value[r].value - s.mean);
    square /= (double)(s.runs - 1);
    s.square = square + within;
    s.error = fmax(sqrt(square / (double)s.runs), process_error(f));
    return s;
}

/* What of a mean is taken for the same in every run: nothing within two standard errors of 0; of
 * more the part that is expected to be no chance. */
static double judged(const spread *s)
{
    if (s->runs < 2 || fabs(s->mean) <= 2 * s->error)
        return 0;
    double part = s->error / s->mean;
    return s->mean * (1 - part * part);
}

/* ---- a loop -----------------------------------------------------------------------------------
 */

static bool is_used(const fit *f, const plussi_phase_time *p, size_t slot)
{
    return p->slot == slot && p->tells && !f->out->stalled[p->run].discarded;
}

static double ln_time(const plussi_phase_time *p, uint32_t k)
{
    return log(p->thread[k].busy / p->thread[k].accesses);
}

static double ln_rate(const plussi_phase_time *p, uint32_t k, int piece)
{
    (void)piece;
    return log(p->mean) - ln_time(p, k);
}

static double ln_cost(const plussi_phase_time *p, uint32_t k, int piece)
{
    const plussi_thread_time *t = &p->thread[k];
    const double least = 1e-3; /* of a piece in which no time was seen to pass */
    double from = plussi_time_until(t, t->accesses * piece / PIECES);
    double to = plussi_time_until(t, t->accesses * (piece + 1) / PIECES);
    double part = (to - from) * PIECES / t->busy;
    return log(part > least ? part : least);
}

/* Fills f->value. */
static void collect(const fit *f, size_t slot, uint32_t k, int piece,
                    double (*quantity)(const plussi_phase_time *, uint32_t, int))
{
    const plussi_phase_times *s = &f->times;
    for (size_t r = 0; r < f->out->n_runs; r++)
        f->value[r] = (run_value){.process = f->run[r].process};
    for (size_t first = 0, last; first < s->n_phases; first = last) {
        double weight = 0, sum = 0, squares = 0;
        for (last = first; last < s->n_phases && s->phase[last].run == s->phase[first].run;
             last++) {
            const plussi_phase_time *p = &s->phase[last];
            if (!is_used(f, p, slot) || p->thread[k].accesses <= 0)
                continue;
            double q = quantity(p, k, piece);
            weight += p->weight;
            sum += p->weight * q;
            squares += p->weight * q * q;
        }
        run_value *v = &f->value[s->phase[first].run];
        v->there = weight > 0;
        if (!v->there)
            continue;
        v->value = sum / weight;
        v->within = fmax(0, squares / weight - v->value * v->value);
    }
}

/* A loop's numbers while they are made. */
typedef struct draft {
    double *rate, *rate_error, *cost, weight;
} draft;

static void fit_thread(fit *f, size_t slot, uint32_t k, uint32_t working, draft *loop)
{
    collect(f, slot, k, 0, ln_rate);
    spread s = over_runs(f);
    if (s.runs == 0)
        return;
    loop->rate[k] = exp(judged(&s));
    loop->rate_error[k] = s.error;
    /* about the team's mean there is less to see: one part in `working` */
    double weight = loop->weight / working, free = 1 - 1 / (double)working;
    f->square += weight * s.square / free;
    f->weight += weight;
    f->degrees += weight * weight / (free * (s.runs > 1 ? (double)(s.runs - 1) : 1));
    for (int j = 0; j < PIECES; j++) {
        collect(f, slot, k, j, ln_cost);
        s = over_runs(f);
        loop->cost[k * PIECES + (size_t)j] = judged(&s);
    }
}

static void fit_loop(fit *f, size_t slot, double all, draft *loop)
{
    const plussi_phase_times *s = &f->times;
    uint32_t working = 0;
    for (uint32_t k = 0; k < f->out->team; k++) {
        bool works = false;
        loop->rate[k] = 1;
        loop->rate_error[k] = INFINITY;
        for (size_t p = 0; p < s->n_phases; p++)
            if (is_used(f, &s->phase[p], slot) && s->phase[p].thread[k].accesses > 0) {
                works = true;
                loop->weight += s->phase[p].thread[k].accesses / all;
            }
        working += works;
    }
    for (uint32_t k = 0; k < f->out->team && working >= 2; k++)
        fit_thread(f, slot, k, working, loop);
}

/* ---- all loops together -----------------------------------------------------------------------
 */

static pluss_status fit_loops(fit *f)
{
    plussi_calibration *c = f->out;
    const plussi_phase_times *s = &f->times;
    const size_t team = c->team, n = s->n_loops;
    double all = 0;
    plussi_loop_rates *loop = plussi_arena_alloc(&c->arena, n + 1, sizeof *loop);
    double *rate = plussi_arena_alloc(&c->arena, n * team + 1, sizeof *rate);
    double *cost = plussi_arena_alloc(&c->arena, n * team * PIECES + 1, sizeof *cost);
    double *mean = plussi_arena_alloc(&c->arena, team + 1, sizeof *mean);
    c->rate_error = plussi_arena_alloc(&c->arena, n * team + 1, sizeof *c->rate_error);
    c->weight = plussi_arena_alloc(&c->arena, n + 1, sizeof *c->weight);
    if (!loop || !rate || !cost || !mean || !c->rate_error || !c->weight)
        return PLUSS_ENOMEM;
    for (size_t p = 0; p < s->n_phases; p++)
        all += is_used(f, &s->phase[p], s->phase[p].slot) ? s->phase[p].weight : 0;
    if (all <= 0)
        return plussi_fail(f->ctx, PLUSS_ENOTFOUND, NULL,
                           "in no phase of the runs do two threads make accesses");
    for (size_t i = 0; i < n; i++) {
        draft d = {rate + i * team, c->rate_error + i * team, cost + i * team * PIECES, 0};
        fit_loop(f, i, all, &d);
        loop[i] = (plussi_loop_rates){s->loop[i], d.rate, d.cost};
        c->weight[i] = d.weight;
        for (size_t k = 0; k < team; k++)
            mean[k] += d.weight * log(d.rate[k]);
    }
    for (size_t k = 0; k < team; k++)
        mean[k] = exp(mean[k]);
    c->progress.loop = loop;
    c->progress.n_loops = n;
    c->progress.rate = mean;
    c->progress.n_rates = team;
    c->progress.sigma = f->weight > 0 ? sqrt(f->square / f->weight) : 0;
    c->sigma_error = f->weight > 0 ? c->progress.sigma * sqrt(f->degrees / 2) / f->weight : 0;
    return PLUSS_OK;
}

/* Skew: median, and the median of what ln differs by from its own, which is robust against
 * what else ran on the machine. */
static pluss_status fit_skew(fit *f)
{
    const plussi_phase_times *s = &f->times;
    plussi_calibration *c = f->out;
    size_t n = 0;
    double weights = 0, squares = 0;
    plussi_weighed *list = plussi_alloc(&f->ctx->mem, s->n_phases * c->team + 1, sizeof *list);
    if (!list)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < s->n_phases; i++) {
        const plussi_phase_time *p = &s->phase[i];
        uint32_t first = UINT32_MAX;
        for (uint32_t k = 0; is_used(f, p, p->slot) && k < c->team; k++)
            if (p->thread[k].accesses > 0 &&
                (first == UINT32_MAX ||
                 p->thread[k].thread->point[0].time < p->thread[first].thread->point[0].time))
                first = k;
        for (uint32_t k = 0; first != UINT32_MAX && k < c->team; k++) {
            if (p->thread[k].accesses <= 0 || k == first)
                continue;
            double late =
                (p->thread[k].thread->point[0].time - p->thread[first].thread->point[0].time) /
                p->mean;
            list[n++] = (plussi_weighed){log(late > 1 ? late : 1), p->weight};
            weights += p->weight;
            squares += p->weight * p->weight;
        }
    }
    if (n) {
        const double normal = 1.4826, median = 1.2533; /* of a normal distribution */
        double middle = plussi_weighed_median(list, n);
        for (size_t i = 0; i < n; i++)
            list[i].value = fabs(list[i].value - middle);
        c->progress.skew = exp(middle);
        c->progress.skew_spread = fmin(10, normal * plussi_weighed_median(list, n));
        c->skew_error = median * c->progress.skew_spread * sqrt(squares) / weights;
    }
    plussi_free(&f->ctx->mem, list);
    return PLUSS_OK;
}

/* Run by run, since runs differ and the accesses within one do not tell by how much. */
static void fit_access(fit *f)
{
    const plussi_phase_times *s = &f->times;
    plussi_calibration *c = f->out;
    for (size_t r = 0; r < c->n_runs; r++)
        f->value[r] = (run_value){.process = f->run[r].process};
    for (size_t first = 0, last; first < s->n_phases; first = last) {
        run_value *v = &f->value[s->phase[first].run];
        double busy = 0, accesses = 0;
        for (last = first; last < s->n_phases && s->phase[last].run == s->phase[first].run;
             last++) {
            const plussi_phase_time *p = &s->phase[last];
            for (uint32_t k = 0; is_used(f, p, p->slot) && k < c->team; k++) {
                if (p->thread[k].accesses <= 0)
                    continue;
                busy += p->thread[k].busy;
                accesses += p->thread[k].accesses;
            }
        }
        v->there = accesses > 0;
        v->value = v->there ? log(busy / accesses) : 0;
    }
    spread all = over_runs(f);
    c->access = exp(all.mean);
    c->access_error = all.error;
}

static void fit_stalls(fit *f)
{
    const plussi_phase_times *s = &f->times;
    plussi_calibration *c = f->out;
    double lost = 0;
    for (size_t i = 0; i < s->n_phases; i++) {
        const plussi_phase_time *p = &s->phase[i];
        for (uint32_t k = 0; is_used(f, p, p->slot) && k < c->team; k++) {
            const plussi_thread_time *t = &p->thread[k];
            if (t->accesses <= 0)
                continue;
            c->n_stalls += t->stalls;
            c->accesses += t->accesses;
            lost += t->lost[t->thread->n - 1] / p->mean;
        }
    }
    c->progress.stall_rate = (double)c->n_stalls / c->accesses;
    c->progress.stall = c->n_stalls ? lost / (double)c->n_stalls : 0;
    c->stall_error = sqrt((double)c->n_stalls) / c->accesses;
}

/* ---- runs that are of no use ------------------------------------------------------------------
 */

static double lost_by(const plussi_phase_times *s, size_t first, size_t last, uint32_t k)
{
    double lost = 0;
    for (size_t p = first; p < last; p++) {
        const plussi_thread_time *t = &s->phase[p].thread[k];
        double begin = INFINITY;
        if (t->accesses <= 0)
            continue;
        for (uint32_t i = 0; i < s->team; i++)
            if (s->phase[p].thread[i].accesses > 0)
                begin = fmin(begin, s->phase[p].thread[i].thread->point[0].time);
        lost += t->lost[t->thread->n - 1] + t->thread->point[0].time - begin;
    }
    return lost;
}

static void judge_runs(fit *f)
{
    const plussi_phase_times *s = &f->times;
    plussi_calibration *c = f->out;
    for (size_t first = 0, last; first < s->n_phases; first = last) {
        plussi_stalled *stalled = &c->stalled[s->phase[first].run];
        for (last = first; last < s->n_phases && s->phase[last].run == s->phase[first].run; last++)
            stalled->whole += s->phase[last].end;
        for (uint32_t k = 0; k < c->team; k++)
            stalled->lost = fmax(stalled->lost, lost_by(s, first, last, k));
        stalled->discarded = stalled->lost > PLUSSI_CALIBRATE_MOST_STALLED * stalled->whole;
    }
    for (size_t r = 0; r < c->n_runs; r++)
        c->n_used += !c->stalled[r].discarded;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static pluss_status fit_all(fit *f)
{
    plussi_calibration *c = f->out;
    judge_runs(f);
    if (c->n_used == 0)
        return plussi_fail(f->ctx, PLUSS_ENOTFOUND, NULL,
                           "in each of the %zu runs a thread was kept from running for more than "
                           "half of the time",
                           c->n_runs);
    pluss_status status = fit_loops(f);
    if (!status)
        status = fit_skew(f);
    if (!status) {
        fit_access(f);
        fit_stalls(f);
    }
    return status;
}

pluss_status plussi_calibrate(plussi_ctx *ctx, const plussi_calibrate_run *run, size_t n,
                              uint32_t team, plussi_calibration *out)
{
    if (n == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "there are no runs to calibrate with");
    plussi_calibration c = {.team = team, .progress.law = PLUSSI_PROGRESS_RATES, .n_runs = n};
    plussi_arena_init(&c.arena, &ctx->mem);
    fit f = {.ctx = ctx, .run = run, .out = &c};
    c.stalled = plussi_arena_alloc(&c.arena, n, sizeof *c.stalled);
    f.value = plussi_arena_alloc(&c.arena, n, sizeof *f.value);
    pluss_status status = c.stalled && f.value ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status)
        status = plussi_phase_times_new(ctx, run, n, team, &f.times);
    if (!status) {
        status = fit_all(&f);
        plussi_phase_times_free(&f.times);
    }
    if (status)
        plussi_calibration_free(&c);
    else
        *out = c;
    return status;
}

void plussi_calibration_free(plussi_calibration *calibration)
{
    plussi_arena_free(&calibration->arena);
}
