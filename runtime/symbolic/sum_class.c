/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums of the accesses of a class over its iterations, from the last to the first. The values of an
 * iteration that are a period apart (first, first + period, ... : turns) make all floors linear.
 * What the iterations after it sum up to is then a polynomial in the turn, on pieces between which
 * other bounds of a later iteration become the narrowest ones. A polynomial is summed from as many
 * of its values as it has coefficients.
 */
#include <stdlib.h>

#include "base/arith.h"
#include "symbolic/evaluation.h"

enum { MOST_LEVELS = 31, MOST_BREAKS = 512 };

/* How an iteration is summed. */
typedef struct level_plan {
    bool closed;      /* else its values are enumerated */
    uint32_t narrows; /* the later iteration whose guards depend on this one; 0: there is none */
    int64_t period;
    int degree; /* of what later iterations sum up to, in the turn, on a piece */
} level_plan;

/* An integer that is linear in the turn. */
typedef struct line {
    int64_t at_0, slope;
} line;

struct plussi_class_sums {
    plussi_evaluation *e;
    level_plan plan[MOST_LEVELS + 2]; /* none above is closed */
    uint32_t *floor_levels; /* of each floor, a bit for each iteration that it depends on */
    uint32_t *guard_levels;
    line *low, *high; /* of the turns of a later iteration: one of each guard at most */
};

typedef plussi_class_sums sums;

/* ---- what depends on what -----------------------------------------------------------------------
 */

static uint32_t bit_of(uint32_t level)
{
    return UINT32_C(1) << level;
}

static uint32_t levels_of(const sums *s, const plussi_formula_row *row, uint32_t n_floors)
{
    const plussi_evaluation *e = s->e;
    uint32_t levels = 0;
    for (uint32_t l = 1; l <= e->class->n_dims; l++)
        if (row->coefficient[plussi_formula_dim(e, l)])
            levels |= bit_of(l);
    for (uint32_t i = 0; i < n_floors; i++)
        if (row->coefficient[plussi_formula_first_floor(e) + i])
            levels |= s->floor_levels[i];
    return levels;
}

static void find_dependences(sums *s)
{
    const plussi_evaluation *e = s->e;
    for (uint32_t i = 0; i < e->class->n_floors; i++)
        s->floor_levels[i] = levels_of(s, &e->class->floors[i].row, i);
    for (uint32_t i = 0; i < e->n_guards; i++)
        s->guard_levels[i] = levels_of(s, &e->guards[i].row, e->class->n_floors);
}

/* Degree of the number of accesses in the iterations of `levels` and the floors of these. */
static int degree_in(const sums *s, uint32_t levels)
{
    const plussi_evaluation *e = s->e;
    const plussi_formula_poly *p = &e->class->count;
    int most = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        int degree = 0;
        for (uint32_t l = 1; l <= e->class->n_dims; l++)
            if (levels & bit_of(l))
                degree += p->term[i].power[plussi_formula_dim(e, l)];
        for (uint32_t f = 0; f < e->class->n_floors; f++)
            if (levels & s->floor_levels[f])
                degree += p->term[i].power[plussi_formula_first_floor(e) + f];
        most = degree > most ? degree : most;
    }
    return most;
}

/* By how much a row changes from turn to turn of the level, the floors by `step`. */
static __int128 slope_of(const sums *s, const plussi_formula_row *row, uint32_t level,
                         int64_t period, const int64_t *step, uint32_t n_floors)
{
    const plussi_evaluation *e = s->e;
    __int128 slope = (__int128)row->coefficient[plussi_formula_dim(e, level)] * period;
    for (uint32_t i = 0; i < n_floors; i++)
        slope += (__int128)row->coefficient[plussi_formula_first_floor(e) + i] * step[i];
    return slope;
}

/* false: the period is too long. */
static bool lengthen(int64_t *period, __int128 slope, int64_t over)
{
    const int64_t rest = (int64_t)(slope % over);
    if (rest == 0)
        return true;
    const int64_t more =
        over / (int64_t)plussi_gcd((uint64_t)(rest < 0 ? -rest : rest), (uint64_t)over);
    if (more > PLUSSI_FORMULA_PERIOD || *period > PLUSSI_FORMULA_PERIOD / more)
        return false;
    *period *= more;
    return true;
}

/* Steps of all floors from turn to turn; the period is lengthened until they are whole. */
static bool find_steps(const sums *s, uint32_t level, int64_t *period, int64_t *step)
{
    const plussi_formula_class *c = s->e->class;
    for (uint32_t i = 0; i < c->n_floors; i++) {
        const int64_t before = *period;
        const __int128 slope = slope_of(s, &c->floors[i].row, level, before, step, i);
        if (!lengthen(period, slope, c->floors[i].over))
            return false;
        const int64_t times = *period / before;
        for (uint32_t k = 0; k < i; k++)
            step[k] *= times;
        step[i] = plussi_saturate(slope * times / c->floors[i].over);
    }
    return true;
}

/* The bounds of a later iteration's turns are whole from turn to turn of this one. */
static bool fit_bounds(const sums *s, uint32_t level, uint32_t later, int64_t *period,
                       const int64_t *step, const int64_t *later_step)
{
    const plussi_evaluation *e = s->e;
    const int64_t before = *period;
    for (uint32_t i = 0; i < e->n_guards; i++) {
        const plussi_formula_guard *g = &e->guards[i];
        if (g->level != later)
            continue;
        const __int128 own = slope_of(s, &g->row, later, s->plan[later].period, later_step,
                                      e->class->n_floors),
                       outer = slope_of(s, &g->row, level, before, step, e->class->n_floors) *
                               (*period / before);
        if (own > INT64_MAX || own < -INT64_MAX)
            return false;
        if (own && !lengthen(period, outer, (int64_t)(own < 0 ? -own : own)))
            return false;
    }
    return true;
}

/* The one later iteration whose guards depend on this one, of which nothing later depends, and that
 * depends on nothing in between. false: it is not so. */
static bool find_narrowed(const sums *s, uint32_t level, uint32_t *out)
{
    const plussi_evaluation *e = s->e;
    *out = 0;
    for (uint32_t i = 0; i < e->n_guards; i++) {
        const uint32_t at = e->guards[i].level;
        if (at <= level || !(s->guard_levels[i] & bit_of(level)))
            continue;
        if (*out && *out != at)
            return false;
        *out = at;
    }
    for (uint32_t i = 0; i < e->n_guards && *out; i++) {
        const uint32_t at = e->guards[i].level;
        const uint32_t between = (bit_of(*out) - 1) & ~(bit_of(level + 1) - 1);
        if ((at == *out && (s->guard_levels[i] & between)) ||
            (at > *out && (s->guard_levels[i] & bit_of(*out))))
            return false;
    }
    return true;
}

static bool make_plan(sums *s, uint32_t level, int64_t *step, int64_t *later_step)
{
    level_plan *plan = &s->plan[level];
    *plan = (level_plan){.period = 1};
    if (!find_steps(s, level, &plan->period, step) || !find_narrowed(s, level, &plan->narrows))
        return false;
    if (plan->narrows) {
        int64_t period = s->plan[plan->narrows].period;
        if (!s->plan[plan->narrows].closed || !find_steps(s, plan->narrows, &period, later_step) ||
            !fit_bounds(s, level, plan->narrows, &plan->period, step, later_step))
            return false;
        plan->degree = degree_in(s, bit_of(level) | bit_of(plan->narrows)) + 1;
    } else {
        plan->degree = degree_in(s, bit_of(level));
    }
    return plan->degree <= PLUSSI_FORMULA_DEGREE;
}

/* ---- pieces ------------------------------------------------------------------------------------
 */

static void set_turn(plussi_evaluation *e, uint32_t level, int64_t first, int64_t period,
                     int64_t turn)
{
    e->value[plussi_formula_dim(e, level)] = first + period * turn;
    plussi_formula_set_floors(e, level);
}

/* Turns that begin a piece. */
typedef struct breaks {
    int64_t turn[MOST_BREAKS];
    size_t n;
    plussi_int_range range;
} breaks;

/* The line becomes negative, or no longer is. false: there are too many breaks. */
static bool add_break(breaks *b, line x)
{
    if (x.slope == 0)
        return true;
    const int64_t at =
        x.slope > 0 ? plussi_ceildiv(-x.at_0, x.slope) : plussi_floordiv(x.at_0, -x.slope) + 1;
    if (at <= b->range.low || at > b->range.high)
        return true;
    if (b->n == MOST_BREAKS)
        return false;
    b->turn[b->n++] = at;
    return true;
}

static line difference_of(line a, line b, int64_t more)
{
    return (line){plussi_saturate((__int128)a.at_0 - b.at_0 + more),
                  plussi_saturate((__int128)a.slope - b.slope)};
}

/* A guard where both iterations begin, and what it gains with a turn of each. */
typedef struct corner {
    __int128 here, later, outer;
} corner;

/* The bounds that the guard sets to the turns of the later iteration. false: they are not linear,
 * or too large. */
static bool add_guard(const plussi_formula_guard *g, corner at, sums *s, size_t *n_low,
                      size_t *n_high, breaks *b)
{
    const __int128 most = INT64_MAX / 4;
    if (at.here > most || at.here < -most || at.outer > most || at.outer < -most)
        return false;
    if (at.later == 0) {
        const line x = {plussi_saturate(at.here), plussi_saturate(at.outer)};
        return add_break(b, x) && (!g->equal || add_break(b, (line){-x.at_0, -x.slope}));
    }
    const __int128 over = at.later < 0 ? -at.later : at.later;
    if (over > INT64_MAX || at.outer % over)
        return false;
    const int64_t by = (int64_t)over, here = plussi_saturate(at.here),
                  slope = plussi_saturate(at.outer / over);
    if (at.later > 0 || g->equal)
        s->low[(*n_low)++] = at.later > 0 ? (line){plussi_ceildiv(-here, by), -slope}
                                          : (line){plussi_ceildiv(here, by), slope};
    if (at.later < 0 || g->equal)
        s->high[(*n_high)++] = at.later < 0 ? (line){plussi_floordiv(here, by), slope}
                                            : (line){plussi_floordiv(-here, by), -slope};
    return true;
}

static bool add_crossings(const sums *s, size_t n_low, size_t n_high, breaks *b)
{
    bool fit = true;
    for (size_t i = 0; i < n_low && fit; i++)
        for (size_t k = 0; k < i && fit; k++)
            fit = add_break(b, difference_of(s->low[i], s->low[k], 0));
    for (size_t i = 0; i < n_high && fit; i++) {
        for (size_t k = 0; k < i && fit; k++)
            fit = add_break(b, difference_of(s->high[i], s->high[k], 0));
        for (size_t k = 0; k < n_low && fit; k++)
            fit = add_break(b, difference_of(s->high[i], s->low[k], 1));
    }
    return fit;
}

/* Where the narrowest bounds of the later iteration change, for each remainder of it. */
static bool find_breaks(sums *s, uint32_t level, int64_t first, breaks *b)
{
    plussi_evaluation *e = s->e;
    const uint32_t later = s->plan[level].narrows, n = plussi_formula_variables(e);
    const int64_t period = s->plan[level].period, own = s->plan[later].period;
    for (int64_t r = 0; r < own; r++) {
        const size_t n_breaks = b->n;
        size_t n_low = 0, n_high = 0;
        bool never = false; /* the remainder has no values: an equality that no turn fulfils */
        for (uint32_t i = 0; i < e->n_guards && !never; i++) {
            const plussi_formula_guard *g = &e->guards[i];
            corner at;
            if (g->level != later)
                continue;
            set_turn(e, level, first, period, 0);
            set_turn(e, later, r, own, 0);
            at.here = plussi_formula_row_value(e, &g->row, n);
            set_turn(e, later, r, own, 1);
            at.later = plussi_formula_row_value(e, &g->row, n) - at.here;
            set_turn(e, level, first, period, 1);
            set_turn(e, later, r, own, 0);
            at.outer = plussi_formula_row_value(e, &g->row, n) - at.here;
            never = g->equal && at.here != 0 && at.later == 0 && at.outer == 0;
            if (!never && !add_guard(g, at, s, &n_low, &n_high, b))
                return false;
        }
        if (never) {
            b->n = n_breaks;
            continue;
        }
        if (!add_crossings(s, n_low, n_high, b))
            return false;
    }
    return true;
}

static int compare_turns(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* ---- sums --------------------------------------------------------------------------------------
 */

bool plussi_formula_sum_values(__int128 *value, int degree, __int128 n, __int128 *out)
{
    __int128 sum = 0, choose = 1;
    for (int k = 1; k <= degree; k++)
        for (int i = degree; i >= k; i--)
            value[i] -= value[i - 1];
    for (int k = 0; k <= degree; k++) { /* C(n, k + 1) times the k-th difference */
        __int128 product;
        if (plussi_mul_over(choose, n - k, &choose))
            return false;
        choose /= k + 1;
        if (plussi_mul_over(choose, value[k], &product) || plussi_add_over(sum, product, &sum))
            return false;
    }
    *out = sum;
    return true;
}

static bool sum_level(sums *s, uint32_t level, __int128 *out);

static bool sum_piece(sums *s, uint32_t level, int64_t first, plussi_int_range turns, __int128 *sum)
{
    const level_plan *plan = &s->plan[level];
    __int128 value[PLUSSI_FORMULA_DEGREE + 1], part;
    const __int128 n = (__int128)turns.high - turns.low + 1;
    const int degree = n <= plan->degree ? (int)n - 1 : plan->degree;
    for (int k = 0; k <= degree; k++) {
        set_turn(s->e, level, first, plan->period, turns.low + k);
        if (!sum_level(s, level + 1, &value[k]))
            return false;
    }
    return (plussi_formula_sum_values(value, degree, n, &part) && !plussi_add_over(*sum, part, sum))
               ? true
               : plussi_formula_does_not_fit(s->e);
}

/* Guards of the level that have floors of it. */
static void narrow_turns(sums *s, uint32_t level, int64_t first, plussi_int_range *turns)
{
    plussi_evaluation *e = s->e;
    const int64_t period = s->plan[level].period, from = turns->low;
    const uint32_t n = plussi_formula_variables(e);
    for (uint32_t i = 0; i < e->n_guards; i++) {
        const plussi_formula_guard *g = &e->guards[i];
        if (g->level != level || plussi_formula_is_bound(e, g))
            continue;
        set_turn(e, level, first, period, from);
        const __int128 here = plussi_formula_row_value(e, &g->row, n);
        set_turn(e, level, first, period, from + 1);
        const __int128 slope = plussi_formula_row_value(e, &g->row, n) - here;
        plussi_formula_narrow(here - slope * from, slope, g->equal, turns);
    }
}

static bool enumerate(sums *s, uint32_t level, plussi_int_range range, __int128 *sum)
{
    plussi_evaluation *e = s->e;
    for (int64_t x = range.low; x <= range.high; x++) {
        __int128 part = 0;
        set_turn(e, level, x, 1, 0);
        if (!plussi_formula_guards_hold(e, level))
            continue;
        if (!sum_level(s, level + 1, &part))
            return false;
        if (plussi_add_over(*sum, part, sum))
            return plussi_formula_does_not_fit(e);
    }
    return true;
}

/* The turns from first on. */
static bool sum_turns(sums *s, uint32_t level, int64_t first, int64_t last, __int128 *sum)
{
    const level_plan *plan = &s->plan[level];
    breaks b; /* not all of it is written */
    b.n = 0;
    b.range = (plussi_int_range){0, (last - first) / plan->period};
    narrow_turns(s, level, first, &b.range);
    if (b.range.low > b.range.high)
        return true;
    if (plan->narrows && !find_breaks(s, level, first, &b)) {
        for (int64_t t = b.range.low; t <= b.range.high; t++)
            if (!sum_piece(s, level, first, (plussi_int_range){t, t}, sum))
                return false;
        return true;
    }
    qsort(b.turn, b.n, sizeof *b.turn, compare_turns);
    int64_t from = b.range.low;
    for (size_t i = 0; i <= b.n; i++) {
        const int64_t end = i < b.n ? b.turn[i] : b.range.high + 1;
        if (end == from)
            continue;
        if (!sum_piece(s, level, first, (plussi_int_range){from, end - 1}, sum))
            return false;
        from = end;
    }
    return true;
}

static bool sum_range(sums *s, uint32_t level, plussi_int_range range, __int128 *out)
{
    *out = 0;
    if (!s->plan[level].closed)
        return enumerate(s, level, range, out);
    for (int64_t r = 0; r < s->plan[level].period && r <= range.high - range.low; r++)
        if (!sum_turns(s, level, range.low + r, range.high, out))
            return false;
    return true;
}

/* Over the iterations from this level on. */
static bool sum_level(sums *s, uint32_t level, __int128 *out)
{
    plussi_evaluation *e = s->e;
    plussi_int_range range;
    *out = 0;
    if (level > e->class->n_dims)
        return plussi_formula_count_point(e) && plussi_formula_poly_value(e, &e->class->count, out);
    return plussi_formula_find_range(e, level, &range) && sum_range(s, level, range, out);
}

plussi_class_sums *plussi_class_sums_new(plussi_evaluation *e)
{
    const plussi_mem *mem = &e->ctx->mem;
    const uint32_t floors = e->class->n_floors;
    sums *s = plussi_calloc(mem, 1, sizeof *s);
    int64_t *step = plussi_calloc(mem, 2 * (size_t)floors + 1, sizeof *step);
    if (s) {
        s->e = e;
        s->floor_levels = plussi_calloc(mem, floors + e->n_guards + 1, sizeof *s->floor_levels);
        s->low = plussi_calloc(mem, 2 * (size_t)e->n_guards + 1, sizeof *s->low);
    }
    if (!s || !step || !s->floor_levels || !s->low) {
        plussi_class_sums_free(e, s);
        s = NULL;
        e->status = PLUSS_ENOMEM;
    } else {
        s->guard_levels = s->floor_levels + floors;
        s->high = s->low + e->n_guards;
        find_dependences(s);
        for (uint32_t l = e->class->n_dims; l >= 1; l--)
            if (e->class->n_dims <= MOST_LEVELS)
                s->plan[l].closed = make_plan(s, l, step, step + floors);
    }
    plussi_free(mem, step);
    return s;
}

void plussi_class_sums_free(plussi_evaluation *e, plussi_class_sums *s)
{
    if (!s)
        return;
    plussi_free(&e->ctx->mem, s->floor_levels);
    plussi_free(&e->ctx->mem, s->low);
    plussi_free(&e->ctx->mem, s);
}

int64_t plussi_class_sums_period(const plussi_class_sums *s, uint32_t level)
{
    return s->plan[level].closed ? s->plan[level].period : 0;
}

bool plussi_class_sums_all(plussi_class_sums *s, __int128 *out)
{
    return sum_level(s, 1, out);
}

bool plussi_class_sums_box(plussi_class_sums *s, const plussi_formula_box *box, __int128 *out)
{
    const plussi_int_range turns = box->turns;
    const int64_t first = box->first + box->period * turns.low,
                  last = box->first + box->period * turns.high;
    *out = 0;
    if (!box->period)
        return sum_level(s, box->level, out);
    const level_plan *plan = &s->plan[box->level];
    if (plan->closed && plan->period % box->period == 0) {
        for (int64_t x = first; x <= last && x < first + plan->period; x += box->period)
            if (!sum_turns(s, box->level, x, last, out))
                return false;
        return true;
    }
    for (int64_t x = first; x <= last; x += box->period) {
        __int128 part = 0;
        if (!enumerate(s, box->level, (plussi_int_range){x, x}, &part))
            return false;
        if (plussi_add_over(*out, part, out))
            return plussi_formula_does_not_fit(s->e);
    }
    return true;
}

bool plussi_formula_sum_class(plussi_evaluation *e, __int128 *out)
{
    plussi_class_sums *s = plussi_class_sums_new(e);
    const bool fit = s && plussi_class_sums_all(s, out);
    plussi_class_sums_free(e, s);
    return fit;
}
