/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "trace/fold_nest.h"
#include "trace/fold_objects.h"
#include "trace/watch.h"

enum {
    MOST_LIMITS = 256,  /* of a nest */
    SUMS = 1 << 18,     /* tried for a number */
    RESIDUES = 1 << 12, /* of sizes, tried for a number */
    FAR_BITS = 10,      /* of a limit that no size reaches */
    NAME = 80
};

static const int64_t FAR = (int64_t)1 << 60;

/* A line `watch`: what a run tells of one rule of one instruction. */
typedef struct watch {
    uint64_t pc;
    unsigned rule;
    uint32_t run; /* the first trace of the same sizes */
    bool alone;   /* one thread executed the run */
    plussi_watch_kind kind;
    int acted, is_address;
    bool is_empty; /* it was executed and linear in any operand, which has no range then */
    int64_t lo, hi, x[2], y[2];
    char function[NAME];
} watch;

/* polynomial >= 0 */
typedef struct limit {
    plussi_fold_poly poly;
    int64_t modulus; /* 0: none; the polynomial is a multiple of it instead */
    uint64_t pc;
} limit;

typedef struct limits {
    plussi_ctx *ctx;
    const plussi_fold_request *request;
    plussi_nest *nest;
    watch *watch;
    size_t n_watches, cap_watches;
    uint32_t *run_of; /* of a trace: the first trace of the same sizes */
    plussi_symbol *symbol[PLUSSI_FOLD_SIZES];
    int64_t least[PLUSSI_FOLD_SIZES];
    plussi_fold_fitter fitter; /* of the runs that the present operation was executed in */
    uint32_t fitted[PLUSSI_FOLD_RUNS];
    uint64_t left;
    int64_t tile;
    limit *limit;
    size_t n_limits;
    const char *unknown; /* why the present operation's limits are not */
    uint32_t n_untold;   /* operations that are told of without a refusal; */
    watch untold;        /* the first of them */
} limits;

/* ---- lines -------------------------------------------------------------------------------------
 */

static bool read_watch(const char *line, watch *w)
{
    char name[16];
    int n = 0;
    int got = sscanf(line,
                     "watch %" SCNx64 " %u %15s %d %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
                     " %" SCNd64 " %" SCNd64 " %n",
                     &w->pc, &w->rule, name, &w->acted, &w->is_address, &w->lo, &w->hi, &w->x[0],
                     &w->x[1], &w->y[0], &w->y[1], &n);
    w->kind = PLUSSI_WATCH_SIGN;
    while (got == 11 && w->kind < PLUSSI_WATCH_KINDS &&
           strcmp(name, plussi_watch_name(w->kind)) != 0)
        w->kind++;
    snprintf(w->function, sizeof w->function, "%.*s", NAME - 1, line + n);
    w->is_empty = w->x[0] == 1 && w->x[1] == 0 && w->y[0] == 1 && w->y[1] == 0;
    return got == 11 && n > 0 && w->kind < PLUSSI_WATCH_KINDS &&
           (w->is_empty || (w->x[0] <= w->x[1] && w->y[0] <= w->y[1])) &&
           (w->kind != PLUSSI_WATCH_FLOOR || w->lo > 0);
}

typedef struct trace_lines {
    limits *limits;
    uint32_t run, threads;
    long unread; /* functions whose code is not known; -1: there is nothing */
} trace_lines;

static pluss_status take_line(void *user, const char *line, const plussi_loc *loc)
{
    trace_lines *t = user;
    limits *l = t->limits;
    unsigned watched;
    if (strncmp(line, "code ", 5) == 0)
        return sscanf(line, "code %u %ld %u", &watched, &t->unread, &t->threads) == 3
                   ? PLUSS_OK
                   : plussi_fail(l->ctx, PLUSS_EFORMAT, loc,
                                 "found '%.40s', expected code WATCHED UNREAD THREADS", line);
    if (strncmp(line, "watch ", 6) != 0)
        return PLUSS_OK;
    watch w = {.run = t->run};
    if (!read_watch(line, &w))
        return plussi_fail(l->ctx, PLUSS_EFORMAT, loc,
                           "found '%.40s', expected watch "
                           "PC RULE KIND ACTED ADDRESSES LO HI X0 X1 Y0 Y1 FUNCTION",
                           line);
    pluss_status status =
        plussi_grow(&l->ctx->mem, &l->watch, &l->cap_watches, l->n_watches, sizeof *l->watch);
    w.alone = t->threads == 1;
    if (!status)
        l->watch[l->n_watches++] = w;
    return status;
}

/* Reads those of one trace. *unread: functions whose code is not known; -1: there is nothing. */
static pluss_status read_trace(limits *l, size_t trace, long *unread)
{
    trace_lines t = {.limits = l, .run = l->run_of[trace], .threads = 1, .unread = -1};
    pluss_status status = plussi_fold_each_line(l->ctx, l->request->trace[trace], take_line, &t);
    *unread = t.unread;
    return status;
}

static int compare_watches(const void *a, const void *b)
{
    const watch *x = a, *y = b;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    return x->rule != y->rule ? (x->rule < y->rule ? -1 : 1) : (int)x->run - (int)y->run;
}

/* ---- polynomials -------------------------------------------------------------------------------
 */

static int64_t least_quantity(const limits *l, uint8_t at)
{
    const plussi_fold_quantity *q = &l->fitter.quantity[at];
    int64_t size = l->least[q->size];
    return q->up ? plussi_ceildiv(size, q->divisor) : plussi_floordiv(size, q->divisor);
}

typedef struct shifted {
    plussi_fold_summand s[64];
    uint32_t n;
    bool fails;
} shifted;

static void add_shifted(shifted *p, const plussi_fold_summand *s)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->s[i].degree == s->degree && memcmp(p->s[i].quantity, s->quantity, s->degree) == 0) {
            p->fails = p->fails || plussi_add_over(p->s[i].factor, s->factor, &p->s[i].factor);
            return;
        }
    if (p->n == 64)
        p->fails = true;
    else
        p->s[p->n++] = *s;
}

/* Whether the polynomial is at least 0 for all sizes from the least ones of the runs on. Each
 * quantity is written as its least value and a rest, which is at least 0; then it is, where no
 * product of rests has a negative factor. */
static bool is_never_negative(const limits *l, const plussi_fold_poly *p)
{
    shifted sum = {.n = 0};
    for (uint32_t i = 0; i < p->n; i++) {
        plussi_fold_summand whole = p->summand[i];
        const plussi_fold_summand *s = &whole;
        const plussi_fold_quantity *q = &l->fitter.quantity[whole.quantity[0]];
        if (whole.degree == 1 && q->divisor > 1 && whole.factor % q->divisor == 0) {
            /* the quotient rounded down is at most size / d and at least (size - d + 1) / d,
             * rounded up it is at least size / d and at most (size + d - 1) / d */
            int64_t by = whole.factor / q->divisor;
            plussi_fold_summand rest = {.factor = 0};
            if (q->up && by < 0)
                rest.factor = by * (q->divisor - 1);
            else if (!q->up && by > 0)
                rest.factor = -by * (q->divisor - 1);
            add_shifted(&sum, &rest);
            whole.factor = by;
            whole.quantity[0] = (uint8_t)q->size;
        }
        for (unsigned which = 0; which < 1u << s->degree; which++) {
            plussi_fold_summand part = {.factor = s->factor};
            for (uint32_t k = 0; k < s->degree; k++)
                if (which >> k & 1)
                    part.quantity[part.degree++] = s->quantity[k];
                else
                    sum.fails =
                        sum.fails || plussi_mul_over(part.factor, least_quantity(l, s->quantity[k]),
                                                     &part.factor);
            add_shifted(&sum, &part);
        }
    }
    for (uint32_t i = 0; i < sum.n; i++)
        if (sum.s[i].factor < 0)
            return false;
    return !sum.fails;
}

/* sign * (p - value) multiplied by p's divisor. false: numbers that are too large. */
static bool subtract(const plussi_fold_poly *p, int64_t value, int sign, plussi_fold_poly *out)
{
    *out = *p;
    out->divisor = 1;
    int64_t by;
    if (plussi_mul_over(value, p->divisor, &by) || by == INT64_MIN)
        return false;
    uint32_t i = 0;
    while (i < out->n && out->summand[i].degree > 0)
        i++;
    if (i == out->n && by != 0) {
        if (out->n == PLUSSI_FOLD_SUMMANDS)
            return false;
        out->summand[out->n++] = (plussi_fold_summand){.factor = 0};
    }
    if (i < out->n && plussi_sub_over(out->summand[i].factor, by, &out->summand[i].factor))
        return false;
    for (uint32_t k = 0; k < out->n; k++)
        if (plussi_mul_over(out->summand[k].factor, sign, &out->summand[k].factor))
            return false;
    if (i < out->n && out->summand[i].factor == 0)
        out->summand[i] = out->summand[--out->n];
    return true;
}

/* ---- one operation -----------------------------------------------------------------------------
 */

/* A number that belongs to an operation, in each of the runs that are fitted. */
typedef struct column {
    int64_t value[PLUSSI_FOLD_RUNS];
} column;

static bool fit(limits *l, const column *c, plussi_fold_poly *out)
{
    column small = *c;
    uint64_t by = 0; /* a large common factor, without which the column is fitted */
    for (uint32_t r = 0; r < l->fitter.n_runs; r++)
        by = plussi_gcd(by, plussi_magnitude(c->value[r]));
    bool large = by >= (uint64_t)1 << 20 && by <= INT64_MAX;
    for (uint32_t r = 0; r < l->fitter.n_runs && large; r++)
        small.value[r] /= (int64_t)by;
    l->left = SUMS;
    bool found = plussi_fold_fit(&l->fitter, small.value, out);
    for (uint32_t i = 0; found && large && i < out->n; i++)
        found = !plussi_mul_over(out->summand[i].factor, (int64_t)by, &out->summand[i].factor);
    return found;
}

static pluss_status add_limit(limits *l, const plussi_fold_poly *poly, int64_t modulus, uint64_t pc)
{
    for (size_t i = 0; i < l->n_limits; i++)
        if (l->limit[i].modulus == modulus && memcmp(&l->limit[i].poly, poly, sizeof *poly) == 0)
            return PLUSS_OK;
    if (l->n_limits == MOST_LIMITS)
        return plussi_fail(l->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "more than %d conditions of the sizes tell where the nest holds",
                           MOST_LIMITS);
    l->limit[l->n_limits++] = (limit){*poly, modulus, pc};
    return PLUSS_OK;
}

/* Limits the sizes to those for which the column's polynomial is at least `value` (sign 1), or at
 * most (sign -1). */
static pluss_status bound(limits *l, const column *c, int64_t value, int sign, uint64_t pc)
{
    plussi_fold_poly poly, rest;
    memset(&rest, 0, sizeof rest);
    if (!fit(l, c, &poly) || !subtract(&poly, value, sign, &rest)) {
        l->unknown = "its range is no polynomial of the sizes";
        return PLUSS_OK;
    }
    return is_never_negative(l, &rest) ? PLUSS_OK : add_limit(l, &rest, 0, pc);
}

/* Whether the polynomial is a multiple of the modulus for all sizes. Where its factors are not, it
 * is evaluated at every residue of the sizes. */
static bool is_multiple(const limits *l, const plussi_fold_poly *p, int64_t modulus)
{
    bool divides = true;
    for (uint32_t i = 0; i < p->n; i++)
        divides = divides && p->summand[i].factor % modulus == 0;
    if (divides)
        return true;
    if (modulus > RESIDUES)
        return false;
    int64_t many = 1;
    for (uint32_t i = 0; i < l->fitter.n_sizes && many <= RESIDUES; i++)
        many *= modulus;
    if (many > RESIDUES)
        return false;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->summand[i].degree; k++)
            if (p->summand[i].quantity[k] >= l->fitter.n_sizes)
                return false;
    for (int64_t residues = 0; residues < many; residues++) {
        int64_t sum = 0, size[PLUSSI_FOLD_SIZES], rest = residues;
        for (uint32_t i = 0; i < l->fitter.n_sizes; i++, rest /= modulus)
            size[i] = rest % modulus;
        for (uint32_t i = 0; i < p->n; i++) {
            int64_t product = p->summand[i].factor % modulus;
            for (uint32_t k = 0; k < p->summand[i].degree; k++)
                product = product * size[p->summand[i].quantity[k]] % modulus;
            sum = (sum + product) % modulus;
        }
        if (sum != 0)
            return false;
    }
    return true;
}

/* Limits the sizes to those for which the column's polynomial leaves this rest when it is divided
 * by the modulus. Where it does not for all sizes, each size that it has is limited to the residue
 * that it has in all runs. */
static pluss_status keep_residue(limits *l, const column *c, int64_t modulus, int64_t rest,
                                 uint64_t pc)
{
    plussi_fold_poly poly, without;
    if (!fit(l, c, &poly) || !subtract(&poly, rest, 1, &without)) {
        l->unknown = "its range is no polynomial of the sizes";
        return PLUSS_OK;
    }
    int64_t by = modulus;
    if (plussi_mul_over(modulus, poly.divisor, &by)) {
        l->unknown = "its numbers are too large";
        return PLUSS_OK;
    }
    if (is_multiple(l, &without, by))
        return PLUSS_OK;
    pluss_status status = PLUSS_OK;
    for (uint32_t k = 0; k < l->fitter.n_sizes && !status; k++) {
        bool used = false;
        for (uint32_t i = 0; i < poly.n; i++)
            for (uint32_t d = 0; d < poly.summand[i].degree; d++)
                used = used || l->fitter.quantity[poly.summand[i].quantity[d]].size == k;
        int64_t common = plussi_floormod(l->fitter.value[k][0], by);
        for (uint32_t r = 1; used && r < l->fitter.n_runs; r++)
            if (plussi_floormod(l->fitter.value[k][r], by) != common) {
                l->unknown = "all runs have the same remainder, which other sizes need not have";
                return PLUSS_OK;
            }
        if (used) {
            memset(&without, 0, sizeof without);
            without.divisor = 1;
            without.n = 1 + (common != 0);
            without.summand[0] =
                (plussi_fold_summand){.factor = 1, .degree = 1, .quantity = {(uint8_t)k}};
            without.summand[1].factor = -common;
            status = add_limit(l, &without, by, pc);
        }
    }
    return status;
}

/* One rule of one instruction in the runs that are fitted. */
typedef struct operation {
    const watch *first;
    column x[2], y[2], lo, hi;
    plussi_watch_ranges all; /* zero: a run in which all x are 0 */
    bool positive, negative; /* an x that is */
} operation;

static pluss_status limit_floor(limits *l, const operation *o)
{
    int64_t q = plussi_floordiv(o->all.x[0], o->all.lo);
    uint64_t pc = o->first->pc;
    pluss_status status = PLUSS_OK;
    if (o->all.lo > UINT32_MAX && o->all.x[0] >= 0 && o->all.x[1] < o->all.lo >> FAR_BITS)
        return PLUSS_OK; /* whether 32 bits suffice */
    if (q == plussi_floordiv(o->all.x[1], o->all.lo)) {
        status = bound(l, &o->x[0], q * o->all.lo, 1, pc);
        return status ? status : bound(l, &o->x[1], q * o->all.lo + (o->all.lo - 1), -1, pc);
    }
    for (int i = 0; i < 2 && !status; i++)
        status = keep_residue(l, &o->x[i], o->all.lo, o->all.y[0], pc);
    return status || l->unknown || o->all.hi < o->all.x[1] || o->all.hi > UINT32_MAX
               ? status
               : bound(l, &o->x[1], o->all.hi, -1, pc);
}

static pluss_status limit_division(limits *l, const operation *o)
{
    plussi_fold_poly poly;
    if (o->all.x[0] == o->all.x[1]) {
        pluss_status status = o->all.y[0] >= 0   ? bound(l, &o->y[0], 0, 1, o->first->pc)
                              : o->all.y[1] <= 0 ? bound(l, &o->y[1], 0, -1, o->first->pc)
                                                 : PLUSS_OK;
        return status ? status : bound(l, &o->hi, 0, 1, o->first->pc);
    }
    /* without a remainder in any run, and a quotient that is a polynomial */
    if (o->all.y[0] != 0 || !fit(l, &o->x[0], &poly) || !fit(l, &o->x[1], &poly))
        l->unknown = "all runs have the same remainder, which other sizes need not have";
    for (uint32_t r = 0; r < l->fitter.n_runs; r++)
        if (o->lo.value[r] <= 0 || l->unknown)
            return PLUSS_OK;
    return bound(l, &o->lo, o->all.lo > INT32_MAX ? UINT32_MAX : INT32_MAX, -1, o->first->pc);
}

/* The outcome of a comparison of integers that are kept as floating-point numbers. */
static pluss_status limit_float(limits *l, const operation *o)
{
    enum { BELOW = 1, EQUAL };
    const bool holds = o->all.x[0] != 0;
    const uint64_t pc = o->first->pc;
    for (uint32_t r = 0; r < l->fitter.n_runs; r++)
        if (o->hi.value[r] < 1) {
            l->unknown = "its operands are no integers";
            return PLUSS_OK;
        }
    if (o->all.lo == EQUAL && holds) {
        const pluss_status status = bound(l, &o->y[0], 0, 1, pc);
        return status ? status : bound(l, &o->y[1], 0, -1, pc);
    }
    if (o->all.lo == EQUAL && o->all.y[0] < 0 && o->all.y[1] > 0) {
        l->unknown = "it is between values of both signs";
        return PLUSS_OK;
    }
    if (o->all.lo == EQUAL)
        return o->all.y[0] > 0 ? bound(l, &o->y[0], 1, 1, pc) : bound(l, &o->y[1], -1, -1, pc);
    const int64_t most = o->all.lo == BELOW ? -1 : 0; /* of a - b, where it holds */
    return holds ? bound(l, &o->y[1], most, -1, pc) : bound(l, &o->y[0], most + 1, 1, pc);
}

static pluss_status limit_operation(limits *l, const operation *o)
{
    const watch *w = o->first;
    pluss_status status = PLUSS_OK;
    switch (w->kind) {
    case PLUSSI_WATCH_SIGN:
        return o->all.x[0] >= 0 ? bound(l, &o->x[0], 0, 1, w->pc)
                                : bound(l, &o->x[1], -1, -1, w->pc);
    case PLUSSI_WATCH_ZERO:
        if (o->positive && o->negative) {
            l->unknown = "it is between values of both signs";
            return PLUSS_OK;
        }
        return o->all.zero   ? PLUSS_OK
               : o->positive ? bound(l, &o->x[0], 1, 1, w->pc)
                             : bound(l, &o->x[1], -1, -1, w->pc);
    case PLUSSI_WATCH_FLOOR:
        return limit_floor(l, o);
    case PLUSSI_WATCH_RANGE:
        if (o->all.x[0] >= 0 && o->all.x[1] <= 1)
            return PLUSS_OK; /* true or false */
        status = bound(l, &o->x[0], w->lo, 1, w->pc);
        return status ? status : bound(l, &o->x[1], w->hi, -1, w->pc);
    case PLUSSI_WATCH_PRODUCT:
        status = bound(l, &o->x[0], w->lo, 1, w->pc);
        return status ? status : bound(l, &o->x[1], w->hi, -1, w->pc);
    case PLUSSI_WATCH_FLOAT:
        return limit_float(l, o);
    case PLUSSI_WATCH_DIVIDE:
        return limit_division(l, o);
    default:
        if (o->all.y[0] != o->all.y[1])
            l->unknown = "its operands vary";
        return PLUSS_OK;
    }
}

/* Gathers watches [from, to), which are of one operation: those of runs of one thread (alone), or
 * of all runs. Runs of equal sizes count as one, empty watches as none. */
static void gather(limits *l, size_t from, size_t to, bool alone, operation *o)
{
    uint32_t n = 0;
    *o = (operation){
        .first = &l->watch[from],
        .all = {.x = {INT64_MAX, INT64_MIN}, .y = {INT64_MAX, INT64_MIN}},
    };
    for (size_t i = from; i < to; i++) {
        const watch *w = &l->watch[i];
        if (w->is_empty || (alone && !w->alone))
            continue;
        if (n == 0) {
            o->first = w;
            o->all.lo = w->lo;
            o->all.hi = w->hi;
        }
        bool again = n > 0 && l->fitted[n - 1] == w->run;
        if (!again && n == PLUSSI_FOLD_RUNS)
            continue;
        if (!again) {
            o->x[0].value[n] = o->y[0].value[n] = o->hi.value[n] = INT64_MAX;
            o->x[1].value[n] = o->y[1].value[n] = o->lo.value[n] = INT64_MIN;
            l->fitted[n++] = w->run;
        }
        int64_t *lows[] = {&o->x[0].value[n - 1], &o->y[0].value[n - 1], &o->all.x[0],
                           &o->all.y[0]};
        int64_t *highs[] = {&o->x[1].value[n - 1], &o->y[1].value[n - 1], &o->all.x[1],
                            &o->all.y[1]};
        for (int k = 0; k < 4; k++) {
            int64_t low = k % 2 ? w->y[0] : w->x[0], high = k % 2 ? w->y[1] : w->x[1];
            *lows[k] = low < *lows[k] ? low : *lows[k];
            *highs[k] = high > *highs[k] ? high : *highs[k];
        }
        if (w->hi < o->hi.value[n - 1])
            o->hi.value[n - 1] = w->hi;
        if (w->lo > o->lo.value[n - 1])
            o->lo.value[n - 1] = w->lo;
        if (w->kind == PLUSSI_WATCH_DIVIDE && w->lo > o->all.lo)
            o->all.lo = w->lo;
        bool zero = w->x[0] == 0 && w->x[1] == 0;
        o->all.zero = o->all.zero || zero;
        o->all.nonzero = o->all.nonzero || !zero;
        o->positive = o->positive || w->x[1] > 0;
        o->negative = o->negative || w->x[0] < 0;
    }
    l->fitter.n_runs = n;
}

static pluss_status fit_with_tile(limits *l, const operation *o, int64_t tile)
{
    const plussi_fold_request *r = l->request;
    int64_t size[PLUSSI_FOLD_RUNS * PLUSSI_FOLD_SIZES];
    uint32_t n = l->fitter.n_runs, n_sizes = (uint32_t)r->n_symbols;
    for (uint32_t i = 0; i < n; i++)
        memcpy(&size[i * n_sizes], &r->value[l->fitted[i] * n_sizes], n_sizes * sizeof *size);
    pluss_status status =
        plussi_fold_fitter_init(&l->ctx->mem, &l->fitter, size, n, n_sizes, tile, &l->left);
    l->unknown = NULL;
    size_t before = l->n_limits;
    if (!status)
        status = limit_operation(l, o);
    if (l->unknown)
        l->n_limits = before;
    plussi_fold_fitter_clear(&l->ctx->mem, &l->fitter);
    return status;
}

/* With the tile first: a range of whole tiles has few values, which sums without it give by chance.
 */
static pluss_status fit_operation(limits *l, const operation *o)
{
    pluss_status status = fit_with_tile(l, o, l->tile);
    if (!status && l->unknown && l->tile > 1)
        status = fit_with_tile(l, o, 0);
    return status;
}

/* Refuses the folding. Where teams alone have executed the operation, it only warns: the ends of a
 * thread's share of a loop are no polynomials of the sizes. */
static pluss_status refuse(limits *l, const operation *o, bool is_alone)
{
    static const char *const what[PLUSSI_WATCH_KINDS] = {
        "a condition is",
        "a condition is",
        "a division by a constant, shift or mask is",
        "a conversion to fewer bits is",
        "a division is",
        "an operation on bits is"}; /* of the others none is refused */
    const watch *w = o->first;
    plussi_severity severity = is_alone ? PLUSSI_ERROR : PLUSSI_WARNING;
    plussi_report(l->ctx, severity, PLUSS_EUNSUPPORTED, NULL,
                  "%s decided alike in all runs, at site 0x%" PRIx64 " in %s (values %" PRId64
                  " to %" PRId64 "), and at which sizes it is not cannot be told: %s%s",
                  what[w->kind], w->pc, w->function, o->all.x[0], o->all.x[1], l->unknown,
                  is_alone ? "" : "; runs of one thread would tell more");
    return is_alone ? PLUSS_EUNSUPPORTED : PLUSS_OK;
}

/* Most of these compute data, and none of the accesses: they are told of, not refused. */
static void leave_untold(limits *l, const watch *w)
{
    if (l->n_untold++ == 0)
        l->untold = *w;
}

static void tell_untold(limits *l)
{
    const watch *w = &l->untold;
    if (l->n_untold)
        plussi_report(l->ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, NULL,
                      "what %" PRIu32 " instruction%s at other sizes cannot be told, the first at "
                      "site 0x%" PRIx64 " in %s (%s): the nest is not the program's where accesses "
                      "depend on it",
                      l->n_untold, l->n_untold == 1 ? " does" : "s do", w->pc, w->function,
                      w->kind == PLUSSI_WATCH_PRODUCT ? "a product of few bits"
                      : w->kind == PLUSSI_WATCH_FLOAT
                          ? "floating-point numbers, compared alike in all runs"
                          : "floating-point numbers that become integers, or decide");
}

/* Adds the limits of watches [from, to), which are of one operation. Where one thread has executed
 * it, teams do not count: a thread's share of a loop depends on their number, the nest does not. */
static pluss_status take_operation(limits *l, size_t from, size_t to)
{
    operation o;
    bool acted = false, addresses = false, is_alone = false;
    for (size_t i = from; i < to; i++)
        is_alone = is_alone || l->watch[i].alone;
    for (size_t i = from; i < to; i++)
        if (l->watch[i].alone || !is_alone) {
            acted = acted || l->watch[i].acted;
            addresses = addresses || l->watch[i].is_address;
        }
    gather(l, from, to, is_alone, &o);
    if (o.first->kind == PLUSSI_WATCH_CONVERT) {
        leave_untold(l, o.first);
        return PLUSS_OK;
    }
    /* no size is near the least of all integers, which stands for nothing in enumerations of Rust
     */
    bool is_far = o.first->kind <= PLUSSI_WATCH_ZERO && (o.all.x[0] > FAR || o.all.x[1] < -FAR);
    bool is_range = o.first->kind == PLUSSI_WATCH_RANGE;
    if (l->fitter.n_runs == 0 || acted || (addresses && !is_range) || is_far ||
        plussi_watch_has_acted(o.first->kind, &o.all))
        return PLUSS_OK;
    pluss_status status = fit_operation(l, &o);
    if (!status && l->unknown && o.first->kind >= PLUSSI_WATCH_PRODUCT) {
        leave_untold(l, o.first);
        return PLUSS_OK;
    }
    /* an operand of a comparison may have been loaded with as many bits */
    return status || !l->unknown || (addresses && is_range) ? status : refuse(l, &o, is_alone);
}

/* ---- the nest ----------------------------------------------------------------------------------
 */

static pluss_status write_limits(limits *l)
{
    uint32_t number = 1;
    for (size_t i = 0; i < l->n_limits; i++) {
        char name[32], origin[64];
        do
            snprintf(name, sizeof name, "holds%" PRIu32, number++);
        while (plussi_nest_declares(l->nest, name));
        snprintf(origin, sizeof origin, "site 0x%" PRIx64, l->limit[i].pc);
        plussi_expr *value =
            plussi_fold_express(l->nest, &l->fitter, l->symbol, &l->limit[i].poly, 1);
        if (l->limit[i].modulus)
            value = plussi_fold_operate(
                l->nest, PLUSSI_E_SUB, plussi_expr_int(l->nest, 0),
                plussi_fold_operate(l->nest, PLUSSI_E_MOD, value,
                                    plussi_expr_int(l->nest, l->limit[i].modulus)));
        plussi_symbol *symbol = plussi_nest_add_symbol(l->nest, NULL, name, value);
        if (!symbol || !value)
            return PLUSS_ENOMEM;
        symbol->origin = plussi_nest_string(l->nest, origin);
        symbol->least = 0;
    }
    return plussi_nest_validate(l->ctx, l->nest);
}

static void number_runs(limits *l)
{
    const plussi_fold_request *r = l->request;
    for (size_t i = 0; i < r->n_traces; i++) {
        l->run_of[i] = (uint32_t)i;
        for (size_t k = 0; k < i; k++)
            if (memcmp(&r->value[i * r->n_symbols], &r->value[k * r->n_symbols],
                       r->n_symbols * sizeof *r->value) == 0 &&
                l->run_of[i] == i)
                l->run_of[i] = (uint32_t)k;
        for (size_t k = 0; k < r->n_symbols; k++) {
            int64_t value = r->value[i * r->n_symbols + k];
            l->least[k] = i == 0 || value < l->least[k] ? value : l->least[k];
        }
    }
}

static pluss_status find_limits(limits *l)
{
    const plussi_fold_request *r = l->request;
    pluss_status status = PLUSS_OK;
    long unread = 0, of_trace;
    bool known = true, any = false;
    plussi_symbol *symbol = l->nest->first_symbol;
    for (size_t k = 0; k < r->n_symbols && symbol; k++, symbol = symbol->next)
        l->symbol[k] = symbol;
    number_runs(l);
    for (size_t i = 0; i < r->n_traces && !status; i++) {
        status = read_trace(l, i, &of_trace);
        known = known && of_trace >= 0;
        any = any || of_trace >= 0;
        unread = of_trace > unread ? of_trace : unread;
    }
    if (status)
        return status;
    if ((any && !known) || unread > 0)
        plussi_report(l->ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, NULL,
                      "the program's code is known in part: the nest is not the program's at sizes "
                      "where a mask, shift, division, conversion or condition acts that does in no "
                      "run");
    if (l->n_watches > 1)
        qsort(l->watch, l->n_watches, sizeof *l->watch, compare_watches);
    for (size_t from = 0, to; from < l->n_watches && !status; from = to) {
        for (to = from + 1; to < l->n_watches && l->watch[to].pc == l->watch[from].pc &&
                            l->watch[to].rule == l->watch[from].rule;)
            to++;
        status = take_operation(l, from, to);
    }
    if (!status)
        tell_untold(l);
    int64_t size[PLUSSI_FOLD_SIZES] = {0}; /* for what quantities mean */
    if (!status)
        status = plussi_fold_fitter_init(&l->ctx->mem, &l->fitter, size, 1, (uint32_t)r->n_symbols,
                                         l->tile, &l->left);
    if (!status)
        status = write_limits(l);
    plussi_fold_fitter_clear(&l->ctx->mem, &l->fitter);
    return status;
}

pluss_status plussi_fold_limit(plussi_ctx *ctx, const plussi_fold_request *request, int64_t tile,
                               plussi_nest *nest)
{
    limits l = {.ctx = ctx, .request = request, .tile = tile, .nest = nest};
    if (request->n_symbols == 0)
        return PLUSS_OK;
    l.run_of = plussi_calloc(&ctx->mem, request->n_traces, sizeof *l.run_of);
    l.limit = plussi_calloc(&ctx->mem, MOST_LIMITS, sizeof *l.limit);
    pluss_status status = l.run_of && l.limit ? find_limits(&l) : PLUSS_ENOMEM;
    plussi_free(&ctx->mem, l.run_of);
    plussi_free(&ctx->mem, l.limit);
    plussi_free(&ctx->mem, l.watch);
    return status;
}
