/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counting is by Newton's forward differences, as in count.c, but of one reference, within a box,
 * and with periods where the address modulo the line matters: the counts of `period` iterations in
 * a row are a polynomial in the number of such rows.
 */
#include <string.h>

#include "sampler/boxes.h"
#include "sampler/workspace.h"

enum { MOST_TERMS = PLUSSI_BOX_LOOPS + 1 };

/* ---- the space of a reference ------------------------------------------------------------------
 */

static bool reads_thread(const plussi_plan_node *node)
{
    return node->reads & 1;
}

/* Without quotients and remainders, which have periods of their own. */
static bool is_piecewise_affine(const plussi_cexpr *x)
{
    if (x->kind == PLUSSI_CEXPR_MIN || x->kind == PLUSSI_CEXPR_MAX)
        return is_piecewise_affine(x->a[0]) && is_piecewise_affine(x->a[1]);
    return x->kind == PLUSSI_CEXPR_AFFINE;
}

static bool is_plain(const plussi_plan_node *node)
{
    switch (node->kind) {
    case PLUSSI_P_ROOT:
        return true;
    case PLUSSI_P_PAR:
        return node->team_fixed && !reads_thread(node);
    case PLUSSI_P_LOOP:
        return !reads_thread(node) && is_piecewise_affine(node->lo) &&
               is_piecewise_affine(node->hi) &&
               (!node->ws || node->schedule == PLUSSI_SCHED_STATIC);
    default:
        return false;
    }
}

/* Whether the counts of a node are the same for all threads: only then accesses are numbered. */
static bool is_alike(const plussi_plan_node *node)
{
    return !(node->dep & 1) || node->kind == PLUSSI_P_PAR || !node->par;
}

/* Degree of the counts in the iteration of each loop: the inner loops whose bounds it moves. */
static void find_degrees(const plussi_plan_node *leaf, plussi_box_space *out)
{
    for (uint32_t k = 0; k < leaf->depth; k++) {
        plussi_slots moved = UINT32_C(1) << leaf->loops[k]->slot;
        out->degree[k] = 0;
        for (uint32_t i = k + 1; i < leaf->depth; i++)
            if (leaf->loops[i]->reads & moved) {
                moved |= UINT32_C(1) << leaf->loops[i]->slot;
                out->degree[k]++;
            }
    }
}

static int64_t find_coefficient(const plussi_cexpr *offset, uint32_t slot)
{
    for (uint32_t i = 0; i < offset->n; i++)
        if (offset->slot[i] == slot)
            return offset->coef[i];
    return 0;
}

/* The address modulo the line has a loop's own period, unless the loop moves inner ones, which
 * begin at other addresses then. */
static void find_periods(const plussi_plan_node *leaf, uint64_t line, plussi_box_space *out)
{
    const plussi_cexpr *offset = leaf->ref->offset;
    out->unit = line;
    for (uint32_t i = 0; i < offset->n; i++)
        out->unit = plussi_gcd(out->unit, plussi_magnitude(offset->coef[i]));
    out->residues = line / out->unit;
    for (uint32_t k = 0; k < leaf->depth; k++) {
        const plussi_plan_node *loop = leaf->loops[k];
        const uint64_t each = plussi_gcd(line, plussi_magnitude(find_coefficient(offset, loop->slot))) *
                              plussi_gcd(line, plussi_magnitude(loop->step));
        out->period[k] = out->degree[k]   ? out->residues
                         : each >= line   ? 1
                                          : line / each;
    }
}

bool plussi_box_space_of(const plussi_engine *engine, uint32_t leaf, plussi_box_space *out)
{
    const plussi_plan_node *node = engine->leaf[leaf];
    if (engine->asks || node->kind != PLUSSI_P_REF || node->depth > PLUSSI_BOX_LOOPS ||
        node->ref->offset->kind != PLUSSI_CEXPR_AFFINE ||
        (plussi_cexpr_slots(node->ref->offset) & 1))
        return false;
    for (const plussi_plan_node *x = node; x; x = x->parent)
        if ((x != node && !is_plain(x)) || !is_alike(x))
            return false;
    *out = (plussi_box_space){.engine = engine,
                              .leaf = leaf,
                              .depth = node->depth,
                              .own = UINT32_MAX,
                              .threads = 1,
                              .touches = node->ref->touches,
                              .residues = 1};
    if (node->par && !node->in_ws && !node->zero && engine->team > 1)
        out->threads = node->par->team;
    for (uint32_t k = 0; k < node->depth; k++) {
        const plussi_plan_node *loop = node->loops[k];
        out->period[k] = 1;
        if (loop->ws && loop->collapse == 1 && !loop->chunk && loop->par && loop->par->team > 1)
            out->own = k;
    }
    find_degrees(node, out);
    if (!engine->has_swap)
        find_periods(node, UINT64_C(1) << engine->line_shift, out);
    return true;
}

plussi_box plussi_box_whole(void)
{
    plussi_box box;
    for (uint32_t a = 0; a < PLUSSI_BOX_AXES; a++)
        box.axis[a] = (plussi_span){0, UINT64_MAX};
    return box;
}

bool plussi_box_has_axis(const plussi_box_space *space, uint32_t axis)
{
    if (axis < PLUSSI_BOX_OWN_START)
        return axis / 2 < space->depth;
    return axis == PLUSSI_BOX_RESIDUE ? space->residues > 1 : space->own != UINT32_MAX;
}

/* ---- counting ----------------------------------------------------------------------------------
 */

typedef struct walk {
    const plussi_box_space *space;
    const plussi_plan_node *leaf;
    const plussi_box *box;
    bool residues, blocks; /* the box restricts these */
    bool failed;           /* the effort did not suffice */
    uint64_t *effort;
    int64_t iv[PLUSSI_CURSOR_SLOTS];
} walk;

/* The iterations [a, a + rows * period) of a loop: the counts of rows are the polynomial of these
 * forward differences. */
typedef struct rows {
    uint64_t period, n;
    uint32_t terms;
    __int128 d[MOST_TERMS];
} rows;

static uint64_t count_level(walk *w, uint32_t level);

static bool is_restricted(const plussi_span *span)
{
    return span->from > 0 || span->to != UINT64_MAX;
}

static walk start_walk(const plussi_box_space *space, const plussi_box *box, uint64_t *effort)
{
    walk w = {.space = space, .box = box, .effort = effort};
    w.leaf = space->engine->leaf[space->leaf];
    w.residues = is_restricted(&box->axis[PLUSSI_BOX_RESIDUE]);
    for (uint32_t a = PLUSSI_BOX_OWN_START; a <= PLUSSI_BOX_THREAD; a++)
        w.blocks |= is_restricted(&box->axis[a]);
    return w;
}

static uint64_t find_residue(const plussi_box_space *space, const int64_t *iv)
{
    const plussi_bound_ref *ref = space->engine->leaf[space->leaf]->ref;
    const uint64_t line = UINT64_C(1) << space->engine->line_shift;
    return ((uint64_t)(ref->array->base + plussi_affine(ref->offset, iv)) & (line - 1)) /
           space->unit;
}

static bool has_residue(const walk *w)
{
    if (!w->residues)
        return true;
    const uint64_t residue = find_residue(w->space, w->iv);
    const plussi_span *span = &w->box->axis[PLUSSI_BOX_RESIDUE];
    return residue >= span->from && residue < span->to;
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Of `trips` iterations those within the spans from the start and to the end. */
static plussi_span meet_spans(const plussi_span *start, const plussi_span *end, uint64_t trips)
{
    const uint64_t least = subtract(trips, end->to), most = subtract(trips, end->from);
    return (plussi_span){start->from > least ? start->from : least,
                         start->to < most ? start->to : most};
}

static uint64_t count_at(walk *w, uint32_t level, uint64_t u)
{
    const plussi_plan_node *loop = w->leaf->loops[level];
    w->iv[loop->slot] = plussi_value(loop->lo, w->iv) + loop->step * (int64_t)u;
    if (*w->effort == 0) {
        w->failed = true;
        return 0;
    }
    --*w->effort;
    return count_level(w, level + 1);
}

static uint64_t sum_each(walk *w, uint32_t level, uint64_t a, uint64_t b)
{
    uint64_t sum = 0;
    for (uint64_t u = a; u < b && !w->failed; u++)
        sum += count_at(w, level, u);
    return sum;
}

static uint64_t period_of(const walk *w, uint32_t level)
{
    return w->residues ? w->space->period[level] : 1;
}

/* Whether a row is on the polynomial of the first ones. */
static bool is_on(walk *w, uint32_t level, uint64_t a, const rows *r, uint64_t row)
{
    const uint64_t at = a + row * r->period;
    return plussi_newton_at(r->d, r->terms, row, 0) ==
           (__int128)sum_each(w, level, at, at + r->period);
}

/* false: there are too few, or the last one or the one in the middle is on another polynomial than
 * the first ones. */
static bool find_rows(walk *w, uint32_t level, uint64_t a, uint64_t b, rows *out)
{
    out->period = period_of(w, level);
    out->terms = w->space->degree[level] + 1;
    out->n = (b - a) / out->period;
    if (out->n <= out->terms)
        return false;
    for (uint32_t j = 0; j < out->terms; j++)
        out->d[j] = sum_each(w, level, a + j * out->period, a + (j + 1) * out->period);
    plussi_newton_differences(out->d, out->terms);
    if (!out->d[0] && plussi_newton_at(out->d, out->terms, out->n, 1) == 0)
        return false; /* empty ones may hide others */
    return is_on(w, level, a, out, out->n - 1) &&
           (out->terms == 1 || is_on(w, level, a, out, (out->n + out->terms) / 2));
}

/* The address alone tells whether an iteration of the innermost loop counts. */
static uint64_t count_innermost(walk *w, uint32_t level, uint64_t a, uint64_t b)
{
    const uint64_t period = period_of(w, level), n = b - a;
    uint64_t sum = 0;
    for (uint64_t r = 0; r < period && r < n; r++)
        sum += count_at(w, level, a + r) * ((n - r - 1) / period + 1);
    return sum;
}

static uint64_t sum_range(walk *w, uint32_t level, uint64_t a, uint64_t b)
{
    if (a >= b || w->failed)
        return 0;
    if (w->space->degree[level] == 0 && period_of(w, level) == 1)
        return (b - a) * count_at(w, level, a);
    if (level + 1 == w->space->depth)
        return count_innermost(w, level, a, b);
    rows r;
    if (find_rows(w, level, a, b, &r))
        return (uint64_t)plussi_newton_at(r.d, r.terms, r.n, 1) +
               sum_each(w, level, a + r.n * r.period, b);
    if (r.n <= r.terms + 1)
        return sum_each(w, level, a, b);
    const uint64_t mid = a + r.n / 2 * r.period;
    return sum_range(w, level, a, mid) + sum_range(w, level, mid, b);
}

/* The iterations of thread `t` in the instance that count, of those in `of`. */
static plussi_span find_own(walk *w, uint32_t level, uint32_t t, plussi_span of)
{
    const plussi_span *axis = w->box->axis;
    const plussi_plan_node *loop = w->leaf->loops[level];
    plussi_thread_set set;
    plussi_thread_set_at(w->space->engine, loop, w->iv, t, &set);
    const uint64_t n = plussi_thread_set_count(loop, &set);
    if (n == 0)
        return (plussi_span){0, 0};
    const uint64_t first = plussi_thread_set_nth(loop, &set, 0);
    const plussi_span own =
        meet_spans(&axis[PLUSSI_BOX_OWN_START], &axis[PLUSSI_BOX_OWN_END], n);
    return (plussi_span){of.from > first + own.from ? of.from : first + own.from,
                         of.to < first + own.to ? of.to : first + own.to};
}

static bool by_thread(const walk *w, uint32_t level, uint32_t *first, uint32_t *last)
{
    const plussi_span *thread = &w->box->axis[PLUSSI_BOX_THREAD];
    if (!w->blocks || level != w->space->own)
        return false;
    const uint32_t team = w->leaf->loops[level]->par->team;
    *first = thread->from < team ? (uint32_t)thread->from : team;
    *last = thread->to < team ? (uint32_t)thread->to : team;
    return true;
}

static plussi_span find_span(walk *w, uint32_t level)
{
    const plussi_span *axis = &w->box->axis[2 * level];
    return meet_spans(&axis[0], &axis[1], plussi_loop_trips(w->leaf->loops[level], w->iv));
}

static uint64_t count_level(walk *w, uint32_t level)
{
    if (level == w->space->depth)
        return has_residue(w) ? w->space->touches * w->space->threads : 0;
    const plussi_span span = find_span(w, level);
    uint32_t t, end;
    if (!by_thread(w, level, &t, &end))
        return sum_range(w, level, span.from, span.to);
    uint64_t sum = 0;
    for (; t < end && !w->failed; t++) {
        const plussi_span own = find_own(w, level, t, span);
        sum += sum_range(w, level, own.from, own.to);
    }
    return sum;
}

uint64_t plussi_box_count(const plussi_box_space *space, const plussi_box *box, uint64_t *effort)
{
    walk w = start_walk(space, box, effort);
    const uint64_t before = *effort, count = count_level(&w, 0);
    plussi_effort_take(space->engine->effort, before - *effort);
    return w.failed ? UINT64_MAX : count;
}

/* ---- from a number to an access ---------------------------------------------------------------- */

/* The iteration of [a, b) that holds access *p of them; *p becomes the position in it. */
static uint64_t find_iteration(walk *w, uint32_t level, uint64_t a, uint64_t b, uint64_t *p)
{
    rows r;
    if (w->space->degree[level] == 0 && period_of(w, level) == 1) {
        const uint64_t each = count_at(w, level, a), u = a + *p / each;
        *p %= each;
        return u;
    }
    bool smooth;
    while (!(smooth = find_rows(w, level, a, b, &r)) && r.n > r.terms + 1) {
        const uint64_t mid = a + r.n / 2 * r.period, below = sum_range(w, level, a, mid);
        if (*p < below) {
            b = mid;
        } else {
            *p -= below;
            a = mid;
        }
    }
    if (smooth) {
        const uint64_t all = (uint64_t)plussi_newton_at(r.d, r.terms, r.n, 1);
        if (*p < all) {
            a += r.period * plussi_newton_find(r.d, r.terms, r.n, p);
        } else {
            *p -= all;
            a += r.period * r.n;
        }
    }
    for (; a + 1 < b; a++) {
        const uint64_t here = count_at(w, level, a);
        if (*p < here)
            break;
        *p -= here;
    }
    return a;
}

static void enter_level(walk *w, uint32_t level, uint64_t *p)
{
    plussi_span span = find_span(w, level);
    uint32_t t, end;
    if (by_thread(w, level, &t, &end)) {
        const plussi_span of = span;
        for (;; t++) {
            span = find_own(w, level, t, of);
            const uint64_t count = sum_range(w, level, span.from, span.to);
            if (*p < count || t + 1 == end)
                break;
            *p -= count;
        }
    }
    const plussi_plan_node *loop = w->leaf->loops[level];
    const uint64_t u = find_iteration(w, level, span.from, span.to, p);
    w->iv[loop->slot] = plussi_value(loop->lo, w->iv) + loop->step * (int64_t)u;
}

void plussi_box_nth(plussi_workspace *workspace, const plussi_box_space *space,
                    const plussi_box *box, uint64_t n, plussi_cursor *out)
{
    uint64_t effort = UINT64_MAX;
    walk w = start_walk(space, box, &effort);
    for (uint32_t level = 0; level < space->depth; level++)
        enter_level(&w, level, &n);
    plussi_effort_take(space->engine->effort, UINT64_MAX - effort);
    if (w.leaf->in_ws)
        plussi_find_owner(workspace, w.leaf->in_ws, w.iv);
    else
        w.iv[0] = (int64_t)(n / space->touches);
    plussi_set_cursor(w.leaf, (uint32_t)(n % space->touches), w.iv, out);
}

void plussi_box_locate(const plussi_box_space *space, const plussi_cursor *cursor,
                       uint64_t coordinate[PLUSSI_BOX_AXES])
{
    const plussi_plan_node *leaf = space->engine->leaf[space->leaf];
    memset(coordinate, 0, PLUSSI_BOX_AXES * sizeof *coordinate);
    for (uint32_t k = 0; k < space->depth; k++) {
        const plussi_plan_node *loop = leaf->loops[k];
        const uint64_t u = plussi_iteration_number(loop, cursor->iv);
        coordinate[2 * k] = u;
        coordinate[2 * k + 1] = plussi_loop_trips(loop, cursor->iv) - 1 - u;
        if (k != space->own)
            continue;
        plussi_thread_set set;
        const uint32_t thread = (uint32_t)cursor->iv[0];
        plussi_thread_set_at(space->engine, loop, cursor->iv, thread, &set);
        const uint64_t pos = u - plussi_thread_set_nth(loop, &set, 0);
        coordinate[PLUSSI_BOX_OWN_START] = pos;
        coordinate[PLUSSI_BOX_OWN_END] = plussi_thread_set_count(loop, &set) - 1 - pos;
        coordinate[PLUSSI_BOX_THREAD] = thread;
    }
    if (space->residues > 1)
        coordinate[PLUSSI_BOX_RESIDUE] = find_residue(space, cursor->iv);
}
