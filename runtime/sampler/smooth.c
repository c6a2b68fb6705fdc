/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which iteration holds an access, where the accesses of a loop's iterations are a polynomial in
 * their number: the sums before an iteration are then another polynomial (Newton's, by forward
 * differences), of which a few iterations tell all.
 */
#include <math.h>

#include "sampler/plan.h"

enum { MOST_TERMS = PLUSSI_MAX_LOOPS + 1 };

__int128 plussi_newton_at(const __int128 *d, uint32_t n, __int128 u, uint32_t more)
{
    if (n <= 2 && more <= 1) { /* without divisions */
        if (n == 0)
            return 0;
        return more == 0 ? d[0] + (n > 1 ? d[1] * u : 0)
                         : d[0] * u + (n > 1 ? d[1] * (u * (u - 1) / 2) : 0);
    }
    while (n > 0 && d[n - 1] == 0)
        n--;
    __int128 sum = 0, choose = more ? u : 1;
    for (uint32_t k = 0; k < n; k++) {
        sum += d[k] * choose;
        if (k + 1 < n) /* what is not needed may not fit */
            choose = choose * (u - k - more) / (k + more + 1);
    }
    return sum;
}

void plussi_newton_differences(__int128 *d, uint32_t n)
{
    for (uint32_t k = 1; k < n; k++)
        for (uint32_t j = n - 1; j >= k; j--)
            d[j] -= d[j - 1];
}

/* Where d[0] u + d[1] u (u - 1) / 2 reaches p, about. */
static double find_root(const __int128 *d, uint32_t n, double p)
{
    double a = n > 1 ? (double)d[1] / 2 : 0, b = (double)d[0] - a, square = b * b + 4 * a * p;
    double below = b + sqrt(square > 0 ? square : 0);
    return below > 0 ? 2 * p / below : 0;
}

uint64_t plussi_newton_find(const __int128 *d, uint32_t n, uint64_t most, uint64_t *p)
{
    plussi_bracket at = {.high = most, .above = (uint64_t)plussi_newton_at(d, n, most, 1)};
    uint64_t guess = 0;
    bool guessed = n <= 2;
    if (guessed) {
        double root = find_root(d, n, (double)*p);
        guess = root < (double)most ? (uint64_t)root : most;
    }
    for (uint32_t step = 0; at.high - at.low > 1; step++) {
        uint64_t mid = guessed && step < 4 ? guess : plussi_bracket_guess(&at, *p);
        mid = mid <= at.low ? at.low + 1 : mid >= at.high ? at.high - 1 : mid;
        plussi_bracket_cut(&at, *p, mid, (uint64_t)plussi_newton_at(d, n, mid, 1));
        guess = at.low == mid ? mid + 1 : mid - 1;
    }
    *p -= at.below;
    return at.low;
}

uint32_t plussi_smooth_degree(const plussi_count *c, const plussi_plan_node *loop)
{
    uint32_t degree = 0;
    if (c->only || (c->what != PLUSSI_M_TEAM && c->what != PLUSSI_M_THREAD))
        return UINT32_MAX;
    for (uint32_t i = 0; i < loop->n_body; i++) {
        const plussi_plan_node *x = loop->body[i];
        if (!(x->dep >> loop->slot & 1))
            continue;
        if (!x->regular || (c->what == PLUSSI_M_THREAD ? x->has_ws : x->mixed || (x->dep & 1)))
            return UINT32_MAX;
        degree = x->degree > degree ? x->degree : degree;
    }
    return degree < MOST_TERMS ? degree : UINT32_MAX;
}

bool plussi_smooth_find(const plussi_count *c, const plussi_plan_node *loop, uint64_t first,
                        uint64_t n, uint64_t *p, uint64_t *u)
{
    uint32_t terms = plussi_smooth_degree(c, loop) + 1;
    if (terms == 0 || n <= terms + 1)
        return false;
    __int128 d[MOST_TERMS];
    int64_t lo = plussi_value(loop->lo, c->iv);
    plussi_effort_take(c->engine->effort, 4 * (uint64_t)terms);
    for (uint32_t j = 0; j < terms; j++) {
        c->iv[loop->slot] = lo + loop->step * (int64_t)(first + j);
        d[j] = plussi_count_body(c, loop, loop->n_body);
    }
    plussi_newton_differences(d, terms);
    *u = first + plussi_newton_find(d, terms, n, p);
    return true;
}
