/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counting without walking. If the count of a loop's body is a polynomial of degree D in its IV,
 * the sum follows from D + 1 iterations: with forward differences d_k at the first iteration, the
 * sum over j < J of f(j) is the sum over k of d_k C(J, k + 1) (Newton). Where shape.c finds an open
 * case the range is halved, so that n breakpoints cost n log(trips) evaluations; a short remainder
 * is summed term by term.
 */
#include <string.h>

#include "base/bisect.h"
#include "sampler/plan.h"

enum { MAX_DEGREE = PLUSSI_MAX_LOOPS, MAX_PREFIX = 1 << 13 };

/* Values in all tables, and the limit up to which tables of several rows are made. */
enum { MAX_SUMS = 1 << 17, MAX_ROWS = 1 << 16 };

/* Up to this period, or the square root of the trip count, classes are summed one by one; beyond,
 * there are fewer pieces with constant quotients than classes. */
enum { OFTEN = 64 };

static uint64_t count_child(const plussi_count *c, const plussi_plan_node *loop,
                            const plussi_plan_node *child, int64_t lo, uint64_t a, uint64_t b);

/* If counts differ between threads, the team's is their sum. */
static bool by_thread(const plussi_count *c, const plussi_plan_node *node)
{
    return (c->what == PLUSSI_M_TEAM || c->what == PLUSSI_M_LEAF) && plussi_differs_by_thread(node);
}

/* Number of the loop's iterations that count. */
static uint64_t trips_of(const plussi_count *c, const plussi_plan_node *loop)
{
    uint64_t trips = plussi_loop_trips(loop, c->iv);
    if (c->only && c->only->most && c->only->most[loop->slot] < trips)
        return c->only->most[loop->slot];
    return trips;
}

/* ---- sums of polynomials ------------------------------------------------------------------------
 */

static uint64_t count_at(const plussi_count *c, const plussi_plan_node *loop,
                         const plussi_plan_node *child, int64_t lo, uint64_t u)
{
    c->iv[loop->slot] = lo + loop->step * (int64_t)u;
    plussi_effort_take(c->engine->effort, 1);
    return plussi_count_node(c, child);
}

/* Index of a node's polynomial for the measure; -1: none. A single thread executes a divided
 * iteration: its count is the team's. */
static int poly_of(const plussi_count *c, const plussi_plan_node *node)
{
    if (!node->poly || c->only || (c->what != PLUSSI_M_TEAM && c->what != PLUSSI_M_THREAD))
        return -1;
    return c->what == PLUSSI_M_TEAM || node->in_ws ? 0 : 1 + (c->iv[0] != 0);
}

static void learn_poly(plussi_poly *p, int which, int64_t base, const __int128 *d, uint64_t n)
{
    while (n > 0 && d[n - 1] == 0)
        n--;
    p->of[which].base = base;
    p->of[which].n = (uint32_t)n;
    for (uint64_t k = 0; k < n; k++)
        p->of[which].d[k] = d[k];
    p->of[which].known = true;
}

/* Forward differences of the counts of iterations first, first + period, ...: n of them. */
static void find_differences(const plussi_count *c, const plussi_plan_node *loop,
                             const plussi_plan_node *child, int64_t lo, uint64_t first,
                             uint64_t period, uint64_t n, __int128 *d)
{
    for (uint64_t j = 0; j < n; j++)
        d[j] = count_at(c, loop, child, lo, first + j * period);
    plussi_newton_differences(d, (uint32_t)n);
}

/* With a limit on the iterations of inner loops (`most`), a count that is smooth without the limit
 * is smooth except at its ends: tests whether the last of the n iterations is on the polynomial of
 * the first. */
static bool stays_smooth(const plussi_count *c, const plussi_plan_node *loop,
                         const plussi_plan_node *child, int64_t lo, uint64_t first, uint64_t period,
                         uint64_t n)
{
    __int128 d[MAX_DEGREE + 1];
    uint32_t known = (uint32_t)(child->degree + 1 < n ? child->degree + 1 : n);
    find_differences(c, loop, child, lo, first, period, known, d);
    return plussi_newton_at(d, known, n - 1, 0) ==
           (__int128)count_at(c, loop, child, lo, first + (n - 1) * period);
}

/* Iterations first, first + period, ...: n of them. */
static __int128 sum_newton(const plussi_count *c, const plussi_plan_node *loop,
                           const plussi_plan_node *child, int64_t lo, uint64_t first,
                           uint64_t period, uint64_t n)
{
    __int128 d[MAX_DEGREE + 1], sum = 0, choose = 1;
    uint64_t known = child->degree + 1 < n ? child->degree + 1 : n;
    int which = poly_of(c, child);
    int64_t begin = lo + loop->step * (int64_t)first;
    bool plain = which >= 0 && child->poly->slot == loop->slot && period == 1 && loop->step == 1;
    if (plain && child->poly->of[which].known) {
        __int128 u = (__int128)begin - child->poly->of[which].base;
        const __int128 *of = child->poly->of[which].d;
        uint32_t terms = child->poly->of[which].n;
        return plussi_newton_at(of, terms, u + n, 1) - plussi_newton_at(of, terms, u, 1);
    }
    find_differences(c, loop, child, lo, first, period, known, d);
    if (plain && known == child->degree + 1 && !c->engine->planned)
        learn_poly(child->poly, which, begin, d, known);
    for (uint64_t k = 0; k < known; k++) {
        choose = choose * (__int128)(n - k) / (__int128)(k + 1);
        sum += d[k] * choose;
    }
    return sum;
}

/* Where to split the iterations [a, b) for which some case is open. */
static uint64_t find_split(const plussi_plan_node *loop, int64_t lo, uint64_t a, uint64_t b,
                           const plussi_shape_answer *answer)
{
    if (answer->split && answer->at > INT64_MIN / 2 && answer->at < INT64_MAX / 2) {
        int64_t u = loop->step > 0 ? plussi_floordiv(answer->at - lo, loop->step) + 1
                                   : plussi_ceildiv(lo - answer->at, -loop->step);
        if (u > (int64_t)a && u < (int64_t)b)
            return (uint64_t)u;
    }
    return a + (b - a) / 2;
}

static uint64_t count_smooth(const plussi_count *c, const plussi_plan_node *loop,
                             const plussi_plan_node *child, int64_t lo, uint64_t a, uint64_t b,
                             bool halve)
{
    plussi_effort *effort = c->engine->effort;
    if (effort)
        effort->at = child->decl;
    uint64_t n = b - a, sum = 0;
    plussi_shape_answer answer = {.period = 1};
    bool sets = c->what == PLUSSI_M_THREAD ? child->has_ws : child->mixed, smooth = false;
    if (n > child->degree + 1) {
        smooth = child->regular && !sets;
        if (!smooth) {
            plussi_interval box[PLUSSI_CURSOR_SLOTS] = {{c->iv[0], c->iv[0]}};
            if (c->what == PLUSSI_M_TEAM || c->what == PLUSSI_M_LEAF)
                box[0] = (plussi_interval){0, (int64_t)c->engine->team - 1};
            for (uint32_t i = 0; i < loop->depth; i++) {
                uint32_t s = loop->loops[i]->slot;
                box[s] = (plussi_interval){c->iv[s], c->iv[s]};
            }
            int64_t v = lo + loop->step * (int64_t)a, w = lo + loop->step * (int64_t)(b - 1);
            box[loop->slot] = (plussi_interval){plussi_min64(v, w), plussi_max64(v, w)};
            smooth = plussi_shape(effort, child, UINT32_C(1) << loop->slot, sets, box, &answer) &&
                     (answer.period <= OFTEN || answer.period <= n / answer.period ||
                      answer.period * (child->degree + 1) <= n / 4);
        }
        if (c->only && c->only->most)
            for (uint64_t r = 0; r < answer.period && r < n && smooth; r++)
                smooth = stays_smooth(c, loop, child, lo, a + r, answer.period,
                                      (n - r - 1) / answer.period + 1);
        if (!smooth && n > 4) { /* every other time in the middle, which bounds the depth */
            answer.split &= !halve;
            uint64_t mid = find_split(loop, lo, a, b, &answer);
            return count_smooth(c, loop, child, lo, a, mid, !halve) +
                   count_smooth(c, loop, child, lo, mid, b, !halve);
        }
    }
    uint64_t period = answer.period;
    if (!smooth || n <= period * (child->degree + 1)) {
        for (uint64_t u = a; u < b; u++)
            sum += count_at(c, loop, child, lo, u);
        return sum;
    }
    __int128 total = 0;
    for (uint64_t r = 0; r < period; r++)
        total += sum_newton(c, loop, child, lo, a + r, period, (n - r - 1) / period + 1);
    return (uint64_t)total;
}

/* ---- the part of a range in which a child is executed ---------------------------------------- */

/* Values of slot's IV for which x >= 0, the other slots fixed. */
static plussi_interval where_positive(const plussi_cexpr *x, uint32_t slot, const int64_t *iv)
{
    int64_t rest = x->c, k = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->slot[i] == slot)
            k = x->coef[i];
        else
            rest += x->coef[i] * iv[x->slot[i]];
    }
    if (k == 0)
        return rest >= 0 ? (plussi_interval){INT64_MIN, INT64_MAX} : (plussi_interval){1, 0};
    return k > 0 ? (plussi_interval){plussi_ceildiv(-rest, k), INT64_MAX}
                 : (plussi_interval){INT64_MIN, plussi_floordiv(rest, -k)};
}

/* The values for which a condition holds, if they are known to be an interval. */
static bool where_true(const plussi_cexpr *cond, uint32_t slot, const int64_t *iv,
                       plussi_interval *out)
{
    plussi_interval other;
    const plussi_cexpr *x = cond->a[0];
    if (!(plussi_cexpr_slots(cond) >> slot & 1)) {
        *out = plussi_value(cond, iv) ? (plussi_interval){INT64_MIN, INT64_MAX}
                                      : (plussi_interval){1, 0};
        return true;
    }
    switch (cond->kind) {
    case PLUSSI_CEXPR_AND:
        if (!where_true(x, slot, iv, out) || !where_true(cond->a[1], slot, iv, &other))
            return false;
        *out = plussi_interval_meet(*out, other);
        return true;
    case PLUSSI_CEXPR_GE0:
        if (x->kind != PLUSSI_CEXPR_AFFINE)
            return false;
        *out = where_positive(x, slot, iv);
        return true;
    case PLUSSI_CEXPR_EQ0: {
        if (x->kind != PLUSSI_CEXPR_AFFINE)
            return false;
        int64_t coef[PLUSSI_MAX_SLOTS];
        plussi_cexpr minus = {
            .kind = PLUSSI_CEXPR_AFFINE, .c = -x->c, .n = x->n, .slot = x->slot, .coef = coef};
        for (uint32_t i = 0; i < x->n; i++)
            coef[i] = -x->coef[i];
        *out = plussi_interval_meet(where_positive(x, slot, iv), where_positive(&minus, slot, iv));
        return true;
    }
    default:
        return false;
    }
}

/* The same, or those for which it does not hold: *truth says which. */
static bool where_either(const plussi_cexpr *cond, uint32_t slot, const int64_t *iv,
                         plussi_interval *out, bool *truth)
{
    plussi_cexpr equal = *cond;
    *truth = cond->kind != PLUSSI_CEXPR_NE0;
    if (!*truth)
        equal.kind = PLUSSI_CEXPR_EQ0;
    return where_true(&equal, slot, iv, out);
}

/* Values for which an inner loop has an iteration. */
static bool where_not_empty(const plussi_plan_node *inner, uint32_t slot, const int64_t *iv,
                            plussi_interval *out)
{
    const plussi_cexpr *low = inner->step > 0 ? inner->lo : inner->hi;
    const plussi_cexpr *high = inner->step > 0 ? inner->hi : inner->lo;
    if (low->kind != PLUSSI_CEXPR_AFFINE || high->kind != PLUSSI_CEXPR_AFFINE)
        return false;
    int64_t coef[2 * PLUSSI_MAX_SLOTS], k = 0;
    uint32_t at[2 * PLUSSI_MAX_SLOTS], n = 0;
    for (uint32_t i = 0; i < high->n + low->n; i++) {
        bool first = i < high->n;
        uint32_t s = first ? high->slot[i] : low->slot[i - high->n];
        int64_t a = first ? high->coef[i] : -low->coef[i - high->n];
        if (s == slot) {
            k += a;
            continue;
        }
        at[n] = s;
        coef[n++] = a;
    }
    at[n] = slot;
    coef[n++] = k;
    plussi_cexpr gap = {
        .kind = PLUSSI_CEXPR_AFFINE, .c = high->c - low->c - 1, .n = n, .slot = at, .coef = coef};
    *out = where_positive(&gap, slot, iv);
    return true;
}

/* The iterations in [a, b) whose values are in v: [*x, *y), *x <= *y. */
static void clip_iterations(int64_t lo, int64_t step, plussi_interval v, uint64_t a, uint64_t b,
                            uint64_t *x, uint64_t *y)
{
    int64_t first = lo + step * (int64_t)a, last = lo + step * (int64_t)(b - 1);
    v = plussi_interval_meet(
        v, (plussi_interval){plussi_min64(first, last), plussi_max64(first, last)});
    *x = *y = a;
    if (plussi_interval_empty(v))
        return;
    int64_t from = step > 0 ? plussi_ceildiv(v.lo - lo, step) : plussi_ceildiv(lo - v.hi, -step);
    int64_t to = step > 0 ? plussi_floordiv(v.hi - lo, step) : plussi_floordiv(lo - v.lo, -step);
    if (from <= to) {
        *x = (uint64_t)from;
        *y = (uint64_t)to + 1;
    }
}

static uint64_t count_children(const plussi_count *c, const plussi_plan_node *loop,
                               plussi_plan_node *const *list, uint32_t n, int64_t lo, uint64_t a,
                               uint64_t b)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; a < b && i < n; i++)
        sum += count_child(c, loop, list[i], lo, a, b);
    return sum;
}

static plussi_slots find_dependences(const plussi_count *c, const plussi_plan_node *node)
{
    switch (c->what) {
    case PLUSSI_M_TEAM:
    case PLUSSI_M_LEAF:
        return node->team_dep;
    case PLUSSI_M_BARRIERS:
        return node->phase_dep;
    case PLUSSI_M_THREAD:
    case PLUSSI_M_ITERATIONS:
        break;
    }
    return node->dep;
}

static bool own_depends(const plussi_count *c, const plussi_plan_node *loop)
{
    switch (c->what) {
    case PLUSSI_M_TEAM:
    case PLUSSI_M_LEAF:
        return loop->own_team_dep;
    case PLUSSI_M_BARRIERS:
        return loop->own_phases;
    case PLUSSI_M_THREAD:
    case PLUSSI_M_ITERATIONS:
        break;
    }
    return loop->own_dep;
}

/* The child's accesses in iterations [a, b) of the loop around it. */
static uint64_t count_child(const plussi_count *c, const plussi_plan_node *loop,
                            const plussi_plan_node *child, int64_t lo, uint64_t a, uint64_t b)
{
    if (a >= b || plussi_count_skips(c, child))
        return 0;
    if (b - a == 1 || !(find_dependences(c, child) >> loop->slot & 1))
        return (b - a) * count_at(c, loop, child, lo, a);
    if (by_thread(c, child)) {
        uint64_t sum = 0;
        plussi_count one = {c->engine, PLUSSI_M_THREAD, c->iv, c->only, NULL};
        uint32_t team = child->zero ? 1 : plussi_team_at(c->engine, child->par, c->iv);
        for (uint32_t t = 0; t < team; t++) {
            c->iv[0] = t;
            sum += count_child(&one, loop, child, lo, a, b);
        }
        return sum;
    }
    if (child->product && !(c->only && c->only->most) &&
        (c->what == PLUSSI_M_TEAM || c->what == PLUSSI_M_LEAF ||
         (c->what == PLUSSI_M_THREAD && !child->has_ws)))
        return plussi_count_product(c, loop, child, a, b);
    plussi_interval v;
    uint64_t x, y;
    bool truth = true;
    plussi_effort_take(c->engine->effort, child->kind == PLUSSI_P_IF ? 6 : 2);
    if (child->kind == PLUSSI_P_IF && where_either(child->cond, loop->slot, c->iv, &v, &truth)) {
        clip_iterations(lo, loop->step, v, a, b, &x, &y);
        plussi_plan_node *const *in = truth ? child->body : child->orelse;
        plussi_plan_node *const *out = truth ? child->orelse : child->body;
        uint32_t n_in = truth ? child->n_body : child->n_orelse;
        uint32_t n_out = truth ? child->n_orelse : child->n_body;
        return count_children(c, loop, in, n_in, lo, x, y) +
               count_children(c, loop, out, n_out, lo, a, x) +
               count_children(c, loop, out, n_out, lo, y, b);
    }
    if (child->kind == PLUSSI_P_LOOP && (child->reads >> loop->slot & 1) &&
        where_not_empty(child, loop->slot, c->iv, &v)) {
        clip_iterations(lo, loop->step, v, a, b, &x, &y);
        return x < y ? count_smooth(c, loop, child, lo, x, y, false) : 0;
    }
    return count_smooth(c, loop, child, lo, a, b, false);
}

/* ---- nodes --------------------------------------------------------------------------------------
 */

uint64_t plussi_count_list(const plussi_count *c, plussi_plan_node *const *list, uint32_t n)
{
    uint64_t sum = 0;
    plussi_effort_take(c->engine->effort, n);
    for (uint32_t i = 0; i < n; i++)
        sum += plussi_count_node(c, list[i]);
    return sum;
}

/* Of a loop around worksharing loops, for the thread in iv. */
static const plussi_prefix *find_thread_sums(const plussi_count *c, const plussi_plan_node *loop)
{
    enum { OFTEN_ASKED = 16 };
    plussi_thread_sums *sums = c->sums;
    struct plussi_asked **at = &sums->of[loop->order], *asked;
    if (!*at) {
        *at = plussi_arena_alloc(&sums->arena, c->engine->team, sizeof **at);
        if (!*at)
            return NULL;
        memset(*at, 0, c->engine->team * sizeof **at);
    }
    asked = &(*at)[c->iv[0]];
    if (++asked->times == OFTEN_ASKED) {
        int64_t iv[PLUSSI_CURSOR_SLOTS] = {c->iv[0]};
        plussi_count_prefix(&(plussi_count){c->engine, c->what, iv, NULL, NULL}, loop, &sums->arena,
                            &sums->n_sums, &asked->prefix);
    }
    return &asked->prefix;
}

/* The prefix sums for the values in iv; false: none for this measure. */
static bool find_prefix(const plussi_count *c, const plussi_plan_node *loop, plussi_prefix *out)
{
    const plussi_prefix *of = NULL;
    if (c->what == PLUSSI_M_TEAM || c->what == PLUSSI_M_LEAF ||
        (c->what == PLUSSI_M_THREAD && (loop->ws || loop->in_ws)))
        of = c->only ? c->only->prefix ? &c->only->prefix[loop->slot] : NULL : &loop->prefix;
    else if (c->what == PLUSSI_M_THREAD && c->sums && loop->has_ws && loop->own_dep)
        of = find_thread_sums(c, loop);
    if (!of)
        return false;
    *out = *of;
    if (out->sum && out->by)
        out->sum += plussi_iteration_number(out->by, c->iv) * out->row;
    return out->sum != NULL;
}

/* The outer loop on which the iterations' counts, in their order, depend; NULL: none; false:
 * several, the thread, or a loop whose iterations are not known from the start. */
static bool find_mover(const plussi_count *c, const plussi_plan_node *loop,
                       const plussi_plan_node **by, uint64_t *iterations)
{
    plussi_slots slots = plussi_cexpr_slots(loop->lo) | plussi_cexpr_slots(loop->hi);
    for (uint32_t i = 0; i < loop->n_body; i++)
        slots |= find_dependences(c, loop->body[i]);
    slots &= ~(UINT32_C(1) << loop->slot | (c->what == PLUSSI_M_THREAD));
    *by = NULL;
    *iterations = 1;
    if (!slots)
        return true;
    for (uint32_t i = 0; i < loop->depth; i++)
        if (slots == UINT32_C(1) << loop->loops[i]->slot)
            *by = loop->loops[i];
    if (!*by || (*by)->lo->kind != PLUSSI_CEXPR_AFFINE || (*by)->lo->n ||
        plussi_interval_empty((*by)->range))
        return false;
    *iterations = plussi_trips(
        (*by)->lo->c, (*by)->step > 0 ? (*by)->range.hi + 1 : (*by)->range.lo - 1, (*by)->step);
    return true;
}

void plussi_count_prefix(const plussi_count *c, const plussi_plan_node *loop, plussi_arena *arena,
                         uint64_t *n_sums, plussi_prefix *out)
{
    plussi_prefix table = {.stride = 1};
    uint64_t rows, most = 0, trips;
    if (!find_mover(c, loop, &table.by, &rows) || rows > MAX_ROWS)
        return;
    for (uint64_t r = 0; r < rows; r++) {
        if (table.by)
            c->iv[table.by->slot] = table.by->lo->c + table.by->step * (int64_t)r;
        trips = trips_of(c, loop);
        most = trips > most ? trips : most;
    }
    const uint64_t length =
        c->what == PLUSSI_M_THREAD ? MAX_SUMS / 2 / c->engine->team + 1 : MAX_PREFIX;
    if (!table.by)
        table.stride = most / length + 1;
    uint64_t n = (most + table.stride - 1) / table.stride + 1,
             kept = table.by ? MAX_ROWS : MAX_SUMS;
    if (n > kept || rows * n > kept || *n_sums + rows * n > kept)
        return;
    uint64_t *sum = plussi_arena_alloc(arena, rows * n, sizeof *sum);
    plussi_effort_take(c->engine->effort, rows * n);
    table.sum = sum;
    table.row = n;
    for (uint64_t r = 0; sum && r < rows; r++, sum += n) {
        if (table.by)
            c->iv[table.by->slot] = table.by->lo->c + table.by->step * (int64_t)r;
        trips = trips_of(c, loop);
        for (uint64_t u = 0, i = 0; u < trips; i++) {
            uint64_t end = trips - u > table.stride ? u + table.stride : trips;
            sum[i + 1] = sum[i] + plussi_count_in_iterations(c, loop, u, end);
            u = end;
        }
    }
    *n_sums += table.sum ? rows * n : 0;
    *out = table;
}

static uint64_t prefix_at(const plussi_count *c, const plussi_plan_node *loop,
                          const plussi_prefix *prefix, uint64_t u)
{
    uint64_t i = u / prefix->stride, first = i * prefix->stride;
    if (u == first)
        return prefix->sum[i];
    if (u == trips_of(c, loop)) /* the last stride may be shorter */
        return prefix->sum[i + 1];
    int64_t lo = plussi_value(loop->lo, c->iv);
    return prefix->sum[i] + count_children(c, loop, loop->body, loop->n_body, lo, first, u);
}

/* The last of n ascending sums that is at most p; the first always is. */
static uint64_t last_below(const uint64_t *sum, uint64_t n, uint64_t p)
{
    PLUSSI_BISECT(uint64_t, next, 1, n, sum[next] > p);
    return next - 1;
}

/* Whether all iterations of a loop have as many accesses, by this measure, as the plan says. */
static bool has_turn(const plussi_count *c, const plussi_plan_node *loop)
{
    return loop->turn && !c->only &&
           (c->what == PLUSSI_M_THREAD || (c->what == PLUSSI_M_TEAM && loop->in_ws));
}

uint64_t plussi_count_in_iterations(const plussi_count *c, const plussi_plan_node *loop, uint64_t a,
                                    uint64_t b)
{
    if (a >= b)
        return 0;
    if (has_turn(c, loop))
        return (b - a) * loop->turn;
    if (c->what == PLUSSI_M_ITERATIONS && loop == loop->ws_head->ws_last)
        return b - a;
    plussi_prefix prefix;
    int64_t lo = plussi_value(loop->lo, c->iv);
    if (b - a == 1 && !c->only) {
        c->iv[loop->slot] = lo + loop->step * (int64_t)a;
        return plussi_count_body(c, loop, loop->n_body);
    }
    if (find_prefix(c, loop, &prefix))
        return prefix_at(c, loop, &prefix, b) - prefix_at(c, loop, &prefix, a);
    if (!own_depends(c, loop)) {
        c->iv[loop->slot] = lo + loop->step * (int64_t)a;
        return (b - a) * plussi_count_body(c, loop, loop->n_body);
    }
    return count_children(c, loop, loop->body, loop->n_body, lo, a, b);
}

/* The iteration of [low, high) that holds access *p of the loop: `below` accesses come before
 * iteration low, `above` before iteration high. *p becomes the position in it. */
static uint64_t find_iteration(const plussi_count *c, const plussi_plan_node *loop, uint64_t low,
                               uint64_t high, uint64_t below, uint64_t above, uint64_t *p)
{
    plussi_bracket at = {.low = low, .high = high, .below = below, .above = above};
    uint64_t u;
    *p -= below;
    if (high - low > 1 && plussi_smooth_find(c, loop, low, high - low, p, &u))
        return u;
    *p += below;
    while (at.high - at.low > 1) {
        uint64_t mid = plussi_bracket_guess(&at, *p);
        plussi_bracket_cut(&at, *p, mid,
                           at.below + plussi_count_in_iterations(c, loop, at.low, mid));
    }
    *p -= at.below;
    return at.low;
}

uint64_t plussi_find_iteration(const plussi_count *c, const plussi_plan_node *loop, uint64_t *p)
{
    int64_t lo = plussi_value(loop->lo, c->iv);
    uint64_t u = 0;
    if (c->what == PLUSSI_M_ITERATIONS && loop == loop->ws_head->ws_last) {
        u = *p;
        *p = 0;
        c->iv[loop->slot] = lo + loop->step * (int64_t)u;
        return u;
    }
    if (!own_depends(c, loop)) {
        c->iv[loop->slot] = lo;
        uint64_t each = plussi_count_body(c, loop, loop->n_body);
        u = *p / each;
        *p -= u * each;
        c->iv[loop->slot] = lo + loop->step * (int64_t)u;
        return u;
    }
    uint64_t trips = trips_of(c, loop);
    plussi_prefix prefix;
    if (find_prefix(c, loop, &prefix)) {
        const uint64_t *sum = prefix.sum;
        uint64_t i = last_below(sum, (trips + prefix.stride - 1) / prefix.stride, *p);
        uint64_t end = (i + 1) * prefix.stride < trips ? (i + 1) * prefix.stride : trips;
        u = find_iteration(c, loop, i * prefix.stride, end, sum[i], sum[i + 1], p);
    } else if (!plussi_product_find_iteration(c, loop, trips, p, &u)) {
        u = find_iteration(c, loop, 0, trips, 0, plussi_count_in_iterations(c, loop, 0, trips), p);
    }
    c->iv[loop->slot] = lo + loop->step * (int64_t)u;
    return u;
}

bool plussi_find_among(const plussi_count *c, const plussi_plan_node *loop, uint64_t first,
                       uint64_t n, uint64_t *p, uint64_t *u)
{
    plussi_prefix prefix;
    if (!find_prefix(c, loop, &prefix) || prefix.stride != 1)
        return plussi_smooth_find(c, loop, first, n, p, u);
    const uint64_t *sum = prefix.sum + first, at = sum[0] + *p;
    PLUSSI_BISECT(uint64_t, next, 1, n, sum[next] > at);
    *p = at - sum[next - 1];
    *u = first + next - 1;
    return true;
}

static uint64_t count_ref(const plussi_count *c, const plussi_plan_node *node)
{
    uint64_t touches = node->ref->touches;
    switch (c->what) {
    case PLUSSI_M_TEAM:
    case PLUSSI_M_LEAF:
        return node->zero || node->in_ws ? touches
                                         : touches * plussi_team_at(c->engine, node->par, c->iv);
    case PLUSSI_M_THREAD:
        return node->zero && c->iv[0] != 0 ? 0 : touches;
    case PLUSSI_M_BARRIERS:
    case PLUSSI_M_ITERATIONS:
        break;
    }
    return 0;
}

uint64_t plussi_count_open(const plussi_count *c, const plussi_plan_node *node)
{
    if (plussi_count_skips(c, node))
        return 0;
    plussi_effort_take(c->engine->effort, 1 + node->weight / 4);
    if (node->kind == PLUSSI_P_LOOP && !node->ws && has_turn(c, node))
        return node->turn * plussi_loop_trips(node, c->iv);
    int which = poly_of(c, node);
    if (which >= 0 && node->poly->of[which].known) {
        __int128 u = (__int128)c->iv[node->poly->slot] - node->poly->of[which].base;
        return (uint64_t)plussi_newton_at(node->poly->of[which].d, node->poly->of[which].n, u, 0);
    }
    if (by_thread(c, node)) {
        uint64_t sum = 0;
        plussi_count one = {c->engine, PLUSSI_M_THREAD, c->iv, c->only, NULL};
        uint32_t team = node->zero ? 1 : plussi_team_at(c->engine, node->par, c->iv);
        plussi_effort_take(c->engine->effort, team);
        for (uint32_t t = 0; t < team; t++) {
            c->iv[0] = t;
            sum += plussi_count_node(&one, node);
        }
        return sum;
    }
    switch (node->kind) {
    case PLUSSI_P_REF:
        return count_ref(c, node);
    case PLUSSI_P_BARRIER:
        return c->what == PLUSSI_M_BARRIERS;
    case PLUSSI_P_SWAP:
        return 0;
    case PLUSSI_P_IF:
        return plussi_value(node->cond, c->iv) ? plussi_count_body(c, node, node->n_body)
                                               : plussi_count_list(c, node->orelse, node->n_orelse);
    case PLUSSI_P_LOOP:
        if (c->what == PLUSSI_M_THREAD && node->ws) {
            plussi_thread_set own;
            plussi_thread_set_at(c->engine, node, c->iv, (uint32_t)c->iv[0], &own);
            return plussi_thread_set_before(c, node, &own, plussi_thread_set_count(node, &own));
        }
        return plussi_count_in_iterations(c, node, 0, trips_of(c, node));
    case PLUSSI_P_PAR:
        if (c->what == PLUSSI_M_THREAD && c->iv[0] >= plussi_team_at(c->engine, node, c->iv))
            return 0;
        return plussi_count_body(c, node, node->n_body);
    case PLUSSI_P_ROOT:
        return plussi_count_body(c, node, node->n_body);
    }
    return 0;
}
