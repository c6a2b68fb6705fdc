/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A thread's iteration set of a worksharing loop, and the iteration space of collapsed loops:
 * iterations are numbered row by row; rows may have different lengths (OpenMP's non-rectangular
 * loops).
 */
#include "base/bisect.h"
#include "sampler/plan.h"

/* ---- collapsed loops ----------------------------------------------------------------------------
 */

uint64_t plussi_ws_before(const plussi_engine *e, const plussi_plan_node *loop, int64_t *iv,
                          uint64_t u)
{
    return plussi_count_in_iterations(&(plussi_count){e, PLUSSI_M_ITERATIONS, iv, NULL, NULL}, loop,
                                      0, u);
}

uint64_t plussi_ws_iteration_at(const plussi_engine *e, const plussi_plan_node *loop, int64_t *iv,
                                uint64_t *n)
{
    return plussi_find_iteration(&(plussi_count){e, PLUSSI_M_ITERATIONS, iv, NULL, NULL}, loop, n);
}

void plussi_ws_enter(const plussi_engine *e, const plussi_plan_node *head, int64_t *iv, uint64_t n)
{
    const plussi_plan_node *loop = head;
    for (; loop != head->ws_last; loop = loop->body[0])
        plussi_ws_iteration_at(e, loop, iv, &n);
    iv[loop->slot] = plussi_value(loop->lo, iv) + loop->step * (int64_t)n;
}

uint64_t plussi_ws_number(const plussi_engine *e, const plussi_plan_node *head, int64_t *iv)
{
    if (head == head->ws_last)
        return plussi_iteration_number(head, iv);
    int64_t value[PLUSSI_MAX_SLOTS]; /* counting uses the inner slots */
    const plussi_plan_node *loop = head;
    for (uint32_t i = 0; i < head->collapse; i++, loop = loop->body[0])
        value[i] = iv[loop->slot];
    uint64_t n = 0;
    loop = head;
    for (uint32_t i = 0; i < head->collapse; i++, loop = loop->body[0]) {
        iv[loop->slot] = value[i];
        n += plussi_ws_before(e, loop, iv, plussi_iteration_number(loop, iv));
        iv[loop->slot] = value[i];
    }
    return n;
}

/* ---- sets -------------------------------------------------------------------------------------
 */

/* The iteration set of a loop of n iterations. */
static void own_of(const plussi_engine *e, const plussi_plan_node *head, const int64_t *iv,
                   uint64_t n, uint64_t chunk, uint32_t thread, plussi_thread_set *out)
{
    uint32_t team = head->par ? plussi_team_at(e, head->par, iv) : 1;
    if (head->schedule == PLUSSI_SCHED_STATIC || team == 1) {
        out->set = plussi_iterset_static(n, team == 1 ? 0 : chunk, team, thread);
        out->accesses = NULL;
        return;
    }
    int64_t around[PLUSSI_CURSOR_SLOTS] = {0};
    plussi_effort_take(e->effort, 3);
    for (uint32_t i = 0; i < head->depth; i++)
        around[head->loops[i]->slot] = iv[head->loops[i]->slot];
    if (!e->source->set(e->source->user, head->decl, around, n, chunk, team, thread, out))
        /* The source keeps the failure for its owner, who asks after the query. Until then the set
         * holds all iterations, so that positions that were counted before are in it. */
        *out = (plussi_thread_set){.set = plussi_iterset_static(n, 0, 1, 0)};
}

void plussi_thread_set_of(const plussi_engine *e, const plussi_plan_node *head, const int64_t *iv,
                          uint64_t n, plussi_thread_set *out)
{
    uint64_t chunk = head->chunk ? plussi_chunk_at(head, iv) : 0;
    own_of(e, head, iv, n, chunk, (uint32_t)iv[0], out);
}

void plussi_ws_size(const plussi_engine *e, const plussi_plan_node *head, const int64_t *iv,
                    uint64_t *n, uint64_t *chunk)
{
    *n = head->ws_n;
    *chunk = head->ws_chunk;
    if (head->ws_fixed)
        return;
    *chunk = head->chunk ? plussi_chunk_at(head, iv) : 0;
    if (head->collapse == 1) {
        *n = plussi_loop_trips(head, iv);
        return;
    }
    int64_t scratch[PLUSSI_CURSOR_SLOTS];
    for (uint32_t i = 0; i < head->depth; i++)
        scratch[head->loops[i]->slot] = iv[head->loops[i]->slot];
    scratch[0] = iv[0];
    *n = plussi_ws_before(e, head, scratch, plussi_loop_trips(head, scratch));
}

void plussi_thread_set_at(const plussi_engine *e, const plussi_plan_node *head, const int64_t *iv,
                          uint32_t thread, plussi_thread_set *out)
{
    if (head->set_fixed) {
        out->set = head->set;
        out->set.thread = thread;
        out->accesses = NULL;
        return;
    }
    uint64_t n, chunk;
    plussi_ws_size(e, head, iv, &n, &chunk);
    own_of(e, head, iv, n, chunk, thread, out);
}

/* Accesses of iterations [a, b) of the collapsed loops from `loop` on. */
static uint64_t count_rows(const plussi_count *c, const plussi_plan_node *loop, uint64_t a,
                           uint64_t b)
{
    if (a >= b)
        return 0;
    if (loop == loop->ws_head->ws_last)
        return plussi_count_in_iterations(c, loop, a, b);
    uint64_t first = a, last = b - 1;
    uint64_t u = plussi_ws_iteration_at(c->engine, loop, c->iv, &first);
    uint64_t w = plussi_ws_iteration_at(c->engine, loop, c->iv, &last);
    int64_t lo = plussi_value(loop->lo, c->iv);
    uint64_t sum = 0;
    if (u == w) {
        return count_rows(c, loop->body[0], first, last + 1);
    }
    sum += plussi_count_in_iterations(c, loop, u + 1, w);
    c->iv[loop->slot] = lo + loop->step * (int64_t)w;
    sum += count_rows(c, loop->body[0], 0, last + 1);
    c->iv[loop->slot] = lo + loop->step * (int64_t)u;
    const plussi_plan_node *row = loop->body[0];
    uint64_t length = plussi_ws_before(c->engine, row, c->iv, plussi_loop_trips(row, c->iv));
    c->iv[loop->slot] = lo + loop->step * (int64_t)u;
    return sum + count_rows(c, row, first, length);
}

static uint64_t chunk_accesses(const plussi_count *c, const plussi_plan_node *head,
                               const plussi_iterset *s, uint64_t own_chunk)
{
    uint64_t start = (s->thread + own_chunk * s->team) * s->chunk;
    uint64_t end = start + s->chunk < s->n ? start + s->chunk : s->n;
    return count_rows(c, head, start, end);
}

/* Accesses of a thread's first q chunks, all of full length. */
static uint64_t full_chunks(const plussi_count *c, const plussi_plan_node *head,
                            const plussi_iterset *s, uint64_t q)
{
    uint32_t degree = 0;
    for (uint32_t i = 0; i < head->n_body; i++)
        degree = head->body[i]->degree > degree ? head->body[i]->degree : degree;
    uint64_t sum = 0;
    if (q <= degree + 1 || head->collapse > 1 || !plussi_iterations_regular(head) ||
        (c->only && c->only->most)) {
        plussi_effort_take(c->engine->effort, q);
        for (uint64_t j = 0; j < q; j++)
            sum += chunk_accesses(c, head, s, j);
        return sum;
    }
    __int128 d[PLUSSI_MAX_LOOPS + 2], total = 0, choose = 1;
    for (uint64_t j = 0; j <= degree; j++)
        d[j] = chunk_accesses(c, head, s, j);
    plussi_newton_differences(d, degree + 1);
    for (uint64_t k = 0; k <= degree; k++) {
        choose = choose * (__int128)(q - k) / (__int128)(k + 1);
        total += d[k] * choose;
    }
    return (uint64_t)total;
}

uint64_t plussi_thread_set_before(const plussi_count *c, const plussi_plan_node *head,
                                  const plussi_thread_set *own, uint64_t pos)
{
    const plussi_iterset *s = &own->set;
    if (pos == 0)
        return 0;
    if (!head->ws_own_dep) {
        plussi_ws_enter(c->engine, head, c->iv, plussi_thread_set_nth(head, own, 0));
        return pos * plussi_count_body(c, head->ws_last, head->ws_last->n_body);
    }
    uint64_t start, end, sum = 0;
    switch (s->kind) {
    case PLUSSI_ITERSET_BLOCK:
        start = plussi_thread_set_nth(head, own, 0);
        return count_rows(c, head, start, start + pos);
    case PLUSSI_ITERSET_CYCLIC:
        sum = full_chunks(c, head, s, pos / s->chunk);
        start = plussi_iterset_nth(s, pos - 1) + 1 - pos % s->chunk;
        return pos % s->chunk ? sum + count_rows(c, head, start, start + pos % s->chunk) : sum;
    case PLUSSI_ITERSET_PATTERN: /* of bodies with constant counts, handled above */
    case PLUSSI_ITERSET_SEGMENTS:
        break;
    }
    size_t k = 0;
    if (own->accesses && !c->only) {
        size_t high = s->n_segments; /* the last segment with before <= pos - 1 */
        while (high - k > 1) {
            size_t mid = k + (high - k) / 2;
            if (s->before[mid] < pos)
                k = mid;
            else
                high = mid;
        }
        sum = own->accesses[k];
    }
    for (; k < s->n_segments && s->before[k] < pos; k++) {
        start = s->segment[k].lo;
        end = s->before[k + 1] <= pos ? s->segment[k].hi : start + (pos - s->before[k]);
        sum += count_rows(c, head, start, end);
    }
    return sum;
}

/* Access *p of iterations [start, start + n): the iteration that holds it, *p its position there.
 */
static bool find_in_row(const plussi_count *c, const plussi_plan_node *head, uint64_t start,
                        uint64_t n, uint64_t *p, uint64_t *pos)
{
    uint64_t u;
    if (head->collapse > 1)
        return false;
    if (n == 1) {
        *pos = 0;
        return true;
    }
    if (!plussi_find_among(c, head, start, n, p, &u))
        return false;
    *pos = u - start;
    return true;
}

/* The same for a thread's chunks, dealt out round robin. */
static bool find_in_chunks(const plussi_count *c, const plussi_plan_node *head,
                           const plussi_iterset *s, uint64_t count, uint64_t *p, uint64_t *pos)
{
    uint64_t degree = plussi_smooth_degree(c, head), full = count / s->chunk, q = full;
    __int128 d[PLUSSI_MAX_LOOPS + 2];
    if (head->collapse > 1 || degree > PLUSSI_MAX_LOOPS || full <= degree + 2)
        return false;
    plussi_effort_take(c->engine->effort, 4 * (degree + 1));
    for (uint64_t j = 0; j <= degree; j++)
        d[j] = chunk_accesses(c, head, s, j);
    plussi_newton_differences(d, (uint32_t)degree + 1);
    uint64_t all = (uint64_t)plussi_newton_at(d, (uint32_t)degree + 1, full, 1), rest = *p, in;
    if (rest < all)
        q = plussi_newton_find(d, (uint32_t)degree + 1, full, &rest);
    else
        rest -= all;
    uint64_t start = (s->thread + q * s->team) * s->chunk, n = s->chunk;
    n = q == full ? count - full * s->chunk : n;
    if (!find_in_row(c, head, start, n, &rest, &in)) {
        plussi_bracket at = {.high = n, .above = count_rows(c, head, start, start + n)};
        while (at.high - at.low > 1) {
            uint64_t mid = plussi_bracket_guess(&at, rest);
            plussi_bracket_cut(&at, rest, mid, count_rows(c, head, start, start + mid));
        }
        in = at.low;
        rest -= at.below;
    }
    *p = rest;
    *pos = q * s->chunk + in;
    return true;
}

/* The same for a list of segments with the accesses before each. */
static bool find_in_segments(const plussi_count *c, const plussi_plan_node *head,
                             const plussi_thread_set *own, uint64_t *p, uint64_t *pos)
{
    const plussi_iterset *s = &own->set;
    if (!own->accesses || c->only || head->collapse > 1)
        return false;
    PLUSSI_BISECT(uint64_t, next, 1, s->n_segments, own->accesses[next] > *p);
    uint64_t k = next - 1, rest = *p - own->accesses[k], in;
    if (!find_in_row(c, head, s->segment[k].lo, s->segment[k].hi - s->segment[k].lo, &rest, &in))
        return false;
    *p = rest;
    *pos = s->before[k] + in;
    return true;
}

static bool find_directly(const plussi_count *c, const plussi_plan_node *head,
                          const plussi_thread_set *own, uint64_t count, uint64_t *p, uint64_t *pos)
{
    switch (own->set.kind) {
    case PLUSSI_ITERSET_BLOCK:
        return find_in_row(c, head, plussi_thread_set_nth(head, own, 0), count, p, pos);
    case PLUSSI_ITERSET_CYCLIC:
        return find_in_chunks(c, head, &own->set, count, p, pos);
    case PLUSSI_ITERSET_SEGMENTS:
        return find_in_segments(c, head, own, p, pos);
    case PLUSSI_ITERSET_PATTERN:
        break;
    }
    return false;
}

uint64_t plussi_thread_set_find(const plussi_count *c, const plussi_plan_node *head,
                                const plussi_thread_set *own, uint64_t *p)
{
    uint64_t pos = 0, high = plussi_thread_set_count(head, own);
    if (!head->ws_own_dep) {
        plussi_ws_enter(c->engine, head, c->iv, plussi_thread_set_nth(head, own, 0));
        uint64_t each = plussi_count_body(c, head->ws_last, head->ws_last->n_body);
        pos = *p / each;
        *p -= pos * each;
    } else if (!find_directly(c, head, own, high, p, &pos)) {
        plussi_bracket at = {.high = high, .above = plussi_thread_set_before(c, head, own, high)};
        while (at.high - at.low > 1) {
            uint64_t mid = plussi_bracket_guess(&at, *p);
            plussi_bracket_cut(&at, *p, mid, plussi_thread_set_before(c, head, own, mid));
        }
        pos = at.low;
        *p -= at.below;
    }
    plussi_ws_enter(c->engine, head, c->iv, plussi_thread_set_nth(head, own, pos));
    return pos;
}

bool plussi_engine_is_even(const plussi_engine *engine, const plussi_bound_node *loop)
{
    return !engine->loop[loop->id]->ws_own_dep;
}

/* Values of the loops around a worksharing loop, for counting. */
static const plussi_plan_node *enter_around(const plussi_engine *engine,
                                            const plussi_bound_node *loop, const int64_t *iv,
                                            int64_t *scratch)
{
    const plussi_plan_node *head = engine->loop[loop->id];
    for (uint32_t i = 0; i < head->depth; i++)
        scratch[head->loops[i]->slot] = iv[head->loops[i]->slot];
    scratch[0] = 0;
    return head;
}

uint64_t plussi_engine_own_work(const plussi_engine *engine, const plussi_bound_node *loop,
                                const int64_t *iv, const plussi_iterset *set, uint64_t pos)
{
    int64_t scratch[PLUSSI_CURSOR_SLOTS];
    const plussi_plan_node *head = enter_around(engine, loop, iv, scratch);
    const plussi_count c = {engine, PLUSSI_M_THREAD, scratch, NULL, NULL};
    return plussi_thread_set_before(&c, head, &(plussi_thread_set){.set = *set}, pos);
}

bool plussi_engine_is_smooth(const plussi_engine *engine, const plussi_bound_node *loop)
{
    const plussi_plan_node *head = engine->loop[loop->id];
    return head->collapse == 1 && plussi_iterations_regular(head);
}

uint64_t plussi_engine_work(const plussi_engine *engine, const plussi_bound_node *loop,
                            const int64_t *iv, uint64_t a, uint64_t b)
{
    int64_t scratch[PLUSSI_CURSOR_SLOTS];
    const plussi_plan_node *head = enter_around(engine, loop, iv, scratch);
    plussi_count c = {engine, PLUSSI_M_THREAD, scratch, NULL, NULL};
    if (a >= b)
        return 0;
    if (head->ws_own_dep)
        return count_rows(&c, head, a, b);
    plussi_ws_enter(engine, head, scratch, a);
    return (b - a) * plussi_count_body(&c, head->ws_last, head->ws_last->n_body);
}
