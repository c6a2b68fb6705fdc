/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counting is by Newton's forward differences, as in count.c, but of one reference, within a box,
 * and with periods where the address modulo the line matters: the counts of `period` iterations in
 * a row are a polynomial in the number of such rows.
 */
#include <string.h>

#include "base/bisect.h"
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
        const uint64_t each =
            plussi_gcd(line, plussi_magnitude(find_coefficient(offset, loop->slot))) *
            plussi_gcd(line, plussi_magnitude(loop->step));
        out->period[k] = out->degree[k] ? out->residues : each >= line ? 1 : line / each;
        const uint64_t step = (uint64_t)find_coefficient(offset, loop->slot) * (uint64_t)loop->step;
        out->residue_step[k] = (step & (line - 1)) / out->unit % out->residues;
    }
}

/* Whether an access is at the same address modulo the line whatever memory its array has. */
static bool is_residue_fixed(const plussi_engine *engine)
{
    const plussi_bound *bound = engine->bound;
    const int64_t mask = (INT64_C(1) << engine->line_shift) - 1;
    bool fixed = true;
    for (uint32_t i = 1; i < bound->n_arrays && engine->has_swap && fixed; i++)
        fixed = ((bound->array[i].base ^ bound->array[0].base) & mask) == 0;
    return fixed;
}

bool plussi_box_space_of(const plussi_engine *engine, uint32_t leaf, plussi_box_space *out)
{
    const plussi_plan_node *node = engine->leaf[leaf];
    if (engine->asks || node->kind != PLUSSI_P_REF || node->depth > PLUSSI_BOX_LOOPS ||
        node->ref->offset->kind != PLUSSI_CEXPR_AFFINE ||
        (plussi_cexpr_slots(node->ref->offset) & 1))
        return false;
    for (const plussi_plan_node *x = node; x; x = x->parent)
        if ((x != node && !is_plain(x)) || plussi_differs_by_thread(x))
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
    if (is_residue_fixed(engine))
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
    uint32_t restricted;   /* the last loop whose iterations it restricts */
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
    for (uint32_t k = 0; k < space->depth; k++)
        if (is_restricted(&box->axis[2 * k]) || is_restricted(&box->axis[2 * k + 1]))
            w.restricted = k;
    if (w.blocks && w.restricted < space->own)
        w.restricted = space->own;
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
    return plussi_span_holds(&w->box->axis[PLUSSI_BOX_RESIDUE], find_residue(w->space, w->iv));
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

static void set_iteration(walk *w, uint32_t level, uint64_t u)
{
    plussi_enter_iteration(w->leaf->loops[level], w->iv, u);
}

static uint64_t count_at(walk *w, uint32_t level, uint64_t u)
{
    set_iteration(w, level, u);
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

/* Whether `terms` rows from this one on are on the polynomial of the first ones: then they are of
 * the same polynomial. */
static bool continue_at(walk *w, uint32_t level, uint64_t a, const rows *r, uint64_t row)
{
    bool on = true;
    for (uint32_t j = 0; j < r->terms && on; j++, row++) {
        const uint64_t at = a + row * r->period;
        on = plussi_newton_at(r->d, r->terms, row, 0) ==
             (__int128)sum_each(w, level, at, at + r->period);
    }
    return on;
}

/* Whether the counts are known to be a polynomial: wherever the loop is executed, if the box does
 * not restrict inner loops. */
static bool is_regular(const walk *w, uint32_t level)
{
    return w->space->degree[level] == 0 ||
           (level >= w->restricted && w->leaf->loops[level + 1]->regular);
}

/* Do products of as many numbers of rows as there are terms fit? */
static bool fits_newton(const rows *r)
{
    uint32_t terms = r->terms;
    while (terms > 0 && r->d[terms - 1] == 0)
        terms--;
    return terms <= 2 || r->n >> (120 / (terms + 1)) == 0;
}

/* false: there are too few, or too many for that many terms, or some at the end or in the middle
 * are on another polynomial than the first ones. */
static bool find_rows(walk *w, uint32_t level, uint64_t a, uint64_t b, rows *out)
{
    out->period = period_of(w, level);
    out->terms = w->space->degree[level] + 1;
    out->n = (b - a) / out->period;
    if (out->n <= 2 * out->terms)
        return false;
    for (uint32_t j = 0; j < out->terms; j++)
        out->d[j] = sum_each(w, level, a + j * out->period, a + (j + 1) * out->period);
    plussi_newton_differences(out->d, out->terms);
    if (!fits_newton(out))
        return false;
    if (is_regular(w, level))
        return true;
    if (!out->d[0] && plussi_newton_at(out->d, out->terms, out->n, 1) == 0)
        return false; /* empty ones may hide others */
    return continue_at(w, level, a, out, out->n - out->terms) &&
           (out->terms == 1 || continue_at(w, level, a, out, out->n / 2));
}

/* sum_periodic of the innermost loop, by residues alone. */
static uint64_t sum_residues(walk *w, uint32_t level, uint64_t a, uint64_t n)
{
    const plussi_box_space *space = w->space;
    const uint64_t period = space->period[level], step = space->residue_step[level];
    const plussi_span *span = &w->box->axis[PLUSSI_BOX_RESIDUE];
    (void)count_at(w, level, a);
    uint64_t sum = 0, residue = find_residue(space, w->iv);
    for (uint64_t r = 0; r < period && r < n; r++) {
        if (plussi_span_holds(span, residue))
            sum += (n - r - 1) / period + 1;
        residue += step;
        residue -= residue >= space->residues ? space->residues : 0;
    }
    return sum * space->touches * space->threads;
}

/* If no inner loop's trip count depends on this one, counts depend on the address alone. */
static uint64_t sum_periodic(walk *w, uint32_t level, uint64_t a, uint64_t b)
{
    const uint64_t period = period_of(w, level), n = b - a;
    uint64_t sum = 0;
    if (period > 1 && level + 1 == w->space->depth)
        return sum_residues(w, level, a, n);
    for (uint64_t r = 0; r < period && r < n; r++)
        sum += count_at(w, level, a + r) * ((n - r - 1) / period + 1);
    return sum;
}

static uint64_t sum_range(walk *w, uint32_t level, uint64_t a, uint64_t b)
{
    if (a >= b || w->failed)
        return 0;
    if (w->space->degree[level] == 0)
        return sum_periodic(w, level, a, b);
    rows r;
    if (find_rows(w, level, a, b, &r))
        return (uint64_t)plussi_newton_at(r.d, r.terms, r.n, 1) +
               sum_each(w, level, a + r.n * r.period, b);
    if (r.n <= 2 * r.terms)
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
    if (n == 0) { /* else its iterations take effort */
        w->failed = *w->effort == 0;
        *w->effort -= !w->failed;
        return (plussi_span){0, 0};
    }
    const uint64_t first = plussi_thread_set_nth(loop, &set, 0);
    const plussi_span own = meet_spans(&axis[PLUSSI_BOX_OWN_START], &axis[PLUSSI_BOX_OWN_END], n);
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

/* ---- from a number to an access ----------------------------------------------------------------
 */

/* The iteration of [a, b) that holds access *p of them; *p becomes the position in it. */
static uint64_t find_iteration(walk *w, uint32_t level, uint64_t a, uint64_t b, uint64_t *p)
{
    rows r;
    if (w->space->degree[level] == 0 && period_of(w, level) == 1) {
        const uint64_t each = count_at(w, level, a), u = a + (each ? *p / each : 0);
        if (!each)
            return a;
        *p %= each;
        return u;
    }
    bool smooth;
    while (!(smooth = find_rows(w, level, a, b, &r)) && r.n > 2 * r.terms) {
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
    set_iteration(w, level, find_iteration(w, level, span.from, span.to, p));
}

/* The access in an iteration, the n-th of those that the reference makes there. */
static void set_cursor(plussi_workspace *workspace, walk *w, uint64_t n, plussi_cursor *out)
{
    if (w->leaf->in_ws)
        plussi_find_owner(workspace, w->leaf->in_ws, w->iv);
    else
        w->iv[0] = (int64_t)(n / w->space->touches);
    plussi_set_cursor(w->leaf, (uint32_t)(n % w->space->touches), w->iv, out);
}

void plussi_box_nth(plussi_workspace *workspace, const plussi_box_space *space,
                    const plussi_box *box, uint64_t n, plussi_cursor *out)
{
    uint64_t effort = UINT64_MAX;
    walk w = start_walk(space, box, &effort);
    for (uint32_t level = 0; level < space->depth; level++)
        enter_level(&w, level, &n);
    plussi_effort_take(space->engine->effort, UINT64_MAX - effort);
    set_cursor(workspace, &w, n, out);
}

/* ---- draws --------------------------------------------------------------------------------------
 *
 * The iteration of the outermost loop is found by its number, in tables; those of inner loops are
 * drawn as from loops with the largest trip counts, and again, from the second loop on, where one
 * is beyond the end: uniform, whatever the trip counts depend on. */

enum { MOST_TRIES = 40 };

/* Iterations [a, a + n * period) of the outermost loop, or one iteration: terms 0. */
typedef struct piece {
    uint64_t a, below; /* accesses before it */
    rows rows;
} piece;

struct plussi_box_draws {
    plussi_mem mem;
    const plussi_box_space *space;
    plussi_box box;
    piece *piece;
    size_t n, room;
    uint64_t count;
    uint64_t most[PLUSSI_BOX_LOOPS]; /* iterations of each loop that the box has, at most */
    uint32_t residue_level;          /* the last loop that moves the address modulo the line */
};

static bool add_piece(plussi_box_draws *draws, uint64_t a, const rows *r, uint64_t count)
{
    if (!count)
        return true;
    if (draws->n == draws->room) {
        const size_t room = 2 * draws->room + 8;
        piece *all = plussi_realloc(&draws->mem, draws->piece, room, sizeof *all);
        if (!all)
            return false;
        draws->piece = all;
        draws->room = room;
    }
    draws->piece[draws->n++] = (piece){a, draws->count, *r};
    draws->count += count;
    return true;
}

static bool add_each(plussi_box_draws *draws, walk *w, uint64_t a, uint64_t b)
{
    bool added = true;
    for (; a < b && added; a++)
        added = add_piece(draws, a, &(rows){.n = 1}, count_at(w, 0, a));
    return added;
}

static bool add_range(plussi_box_draws *draws, walk *w, uint64_t a, uint64_t b)
{
    rows r = {.period = 1, .n = b - a, .terms = 1};
    if (a >= b)
        return true;
    bool smooth = w->space->degree[0] == 0 && period_of(w, 0) == 1;
    if (smooth)
        r.d[0] = count_at(w, 0, a);
    else
        smooth = find_rows(w, 0, a, b, &r);
    if (smooth)
        return add_piece(draws, a, &r, (uint64_t)plussi_newton_at(r.d, r.terms, r.n, 1)) &&
               add_each(draws, w, a + r.n * r.period, b);
    if (r.n <= 2 * r.terms)
        return add_each(draws, w, a, b);
    const uint64_t mid = a + r.n / 2 * r.period;
    return add_range(draws, w, a, mid) && add_range(draws, w, mid, b);
}

/* Trips of a loop, at most, wherever it is executed. */
static uint64_t find_most_trips(const plussi_plan_node *leaf, const plussi_plan_node *loop)
{
    plussi_interval box[PLUSSI_CURSOR_SLOTS] = {{0, 0}};
    const plussi_cexpr *low = loop->step > 0 ? loop->lo : loop->hi;
    const plussi_cexpr *high = loop->step > 0 ? loop->hi : loop->lo;
    __int128 most = 0;
    for (uint32_t i = 0; i < leaf->depth; i++)
        box[leaf->loops[i]->slot] = leaf->loops[i]->range;
    if (low->kind == PLUSSI_CEXPR_AFFINE && high->kind == PLUSSI_CEXPR_AFFINE) {
        most = (__int128)high->c - low->c;
        for (uint32_t s = 1; s < PLUSSI_CURSOR_SLOTS; s++) {
            const __int128 k = (__int128)find_coefficient(high, s) - find_coefficient(low, s);
            most += k * (k > 0 ? box[s].hi : box[s].lo);
        }
    } else {
        most = (__int128)plussi_cexpr_range(high, box).hi - plussi_cexpr_range(low, box).lo;
    }
    const uint64_t step = plussi_magnitude(loop->step);
    return most > 0 ? ((uint64_t)most - 1) / step + 1 : 0;
}

static uint64_t at_most(const plussi_span *span, uint64_t most)
{
    const uint64_t n = span->to - span->from;
    return n < most ? n : most;
}

static void find_most(plussi_box_draws *draws, const walk *w)
{
    const plussi_span *axis = draws->box.axis;
    for (uint32_t k = 0; k < w->space->depth; k++) {
        const plussi_plan_node *loop = w->leaf->loops[k];
        uint64_t most = find_most_trips(w->leaf, loop);
        if (w->blocks && k == w->space->own) {
            const uint64_t block = most / loop->par->team + 1;
            most = block < most ? block : most;
            for (uint32_t a = PLUSSI_BOX_OWN_START; a <= PLUSSI_BOX_OWN_END; a++)
                most = at_most(&axis[a], most);
        }
        for (uint32_t a = 2 * k; a < 2 * k + 2; a++)
            most = at_most(&axis[a], most);
        draws->most[k] = most;
        if (w->residues && w->space->period[k] > 1)
            draws->residue_level = k;
    }
}

pluss_status plussi_box_draws_new(plussi_ctx *ctx, const plussi_box_space *space,
                                  const plussi_box *box, plussi_box_draws **out)
{
    uint64_t effort = UINT64_MAX;
    walk w = start_walk(space, box, &effort);
    plussi_box_draws *draws = plussi_calloc(&ctx->mem, 1, sizeof *draws);
    if (!draws)
        return PLUSS_ENOMEM;
    *draws = (plussi_box_draws){
        .mem = ctx->mem, .space = space, .box = *box, .residue_level = UINT32_MAX};
    find_most(draws, &w);
    bool added = true;
    uint32_t t, end;
    if (space->depth == 0) {
        draws->count = space->touches * space->threads;
    } else {
        const plussi_span span = find_span(&w, 0);
        if (!by_thread(&w, 0, &t, &end))
            added = add_range(draws, &w, span.from, span.to);
        else
            for (; t < end && added; t++) {
                const plussi_span own = find_own(&w, 0, t, span);
                added = add_range(draws, &w, own.from, own.to);
            }
    }
    plussi_effort_take(space->engine->effort, UINT64_MAX - effort);
    if (!added) {
        plussi_box_draws_free(draws);
        return PLUSS_ENOMEM;
    }
    *out = draws;
    return PLUSS_OK;
}

void plussi_box_draws_free(plussi_box_draws *draws)
{
    if (!draws)
        return;
    plussi_mem mem = draws->mem;
    plussi_free(&mem, draws->piece);
    plussi_free(&mem, draws);
}

/* Sets the outermost loop's iteration that holds access n, or the first of its row, of which *row
 * iterations are drawn; returns the position in it. */
static uint64_t enter_outermost(const plussi_box_draws *draws, walk *w, uint64_t n, uint64_t *row)
{
    PLUSSI_BISECT(size_t, next, 1, draws->n, draws->piece[next].below > n);
    const piece *x = &draws->piece[next - 1];
    uint64_t u = x->a;
    n -= x->below;
    *row = 1;
    if (x->rows.terms) {
        u += x->rows.period * plussi_newton_find(x->rows.d, x->rows.terms, x->rows.n, &n);
        *row = x->rows.period;
    }
    set_iteration(w, 0, u);
    return n;
}

/* Of the iterations of a span one with an address that the box has: one of each period's, of which
 * there are at most `most`. */
static bool draw_with_residue(const plussi_box_draws *draws, walk *w, uint32_t level,
                              plussi_span span, plussi_rng *rng)
{
    const uint64_t period = w->space->period[level];
    const plussi_span *residues = &draws->box.axis[PLUSSI_BOX_RESIDUE];
    const uint64_t width = residues->to - residues->from, all = w->space->residues;
    /* whether the iterations of a period have different addresses */
    const bool differ = all / plussi_gcd(all, w->space->residue_step[level]) >= period;
    const uint64_t most = differ && width < period ? width : period;
    const uint64_t x = plussi_rng_below(rng, (draws->most[level] - 1) / period * most + most);
    uint64_t skip = x % most;
    for (uint64_t r = 0; r < period; r++) {
        const uint64_t u = span.from + r + x / most * period;
        if (u >= span.to)
            return false;
        set_iteration(w, level, u);
        if (has_residue(w) && skip-- == 0)
            return true;
    }
    return false;
}

static bool draw_level(const plussi_box_draws *draws, walk *w, uint32_t level, plussi_rng *rng)
{
    plussi_span span = find_span(w, level);
    uint32_t t, end;
    if (by_thread(w, level, &t, &end)) {
        t += (uint32_t)plussi_rng_below(rng, end - t);
        span = find_own(w, level, t, span);
    }
    if (level == draws->residue_level)
        return draw_with_residue(draws, w, level, span, rng);
    const uint64_t u = plussi_rng_below(rng, draws->most[level]);
    if (span.from >= span.to || u >= span.to - span.from)
        return false;
    set_iteration(w, level, span.from + u);
    return true;
}

/* By counts: access n of a row, and the number among those of its iteration. false: there is none.
 */
static bool enter_row(walk *w, int64_t first, uint64_t row, uint64_t *n)
{
    const plussi_plan_node *loop = w->leaf->loops[0];
    uint64_t count = 0, u = 0;
    for (; u < row; u++) {
        w->iv[loop->slot] = first + loop->step * (int64_t)u;
        count = count_level(w, 1);
        if (*n < count)
            break;
        *n -= count;
    }
    for (uint32_t level = 1; level < w->space->depth && u < row; level++)
        enter_level(w, level, n);
    return u < row;
}

/* Draws an iteration of a row of the outermost loop's and of the inner loops. */
static bool draw_row(const plussi_box_draws *draws, walk *w, int64_t first, uint64_t row,
                     plussi_rng *rng)
{
    const plussi_plan_node *loop = w->leaf->loops[0];
    bool drawn = true;
    if (row > 1)
        w->iv[loop->slot] = first + loop->step * (int64_t)plussi_rng_below(rng, row);
    for (uint32_t level = 1; level < draws->space->depth && drawn; level++)
        drawn = draw_level(draws, w, level, rng);
    return drawn && has_residue(w);
}

bool plussi_box_draw(plussi_workspace *workspace, const plussi_box_draws *draws, uint64_t n,
                     plussi_rng *rng, plussi_cursor *out)
{
    uint64_t effort = UINT64_MAX, row;
    const plussi_box_space *space = draws->space;
    walk w = start_walk(space, &draws->box, &effort);
    bool drawn = draws->count > 0;
    if (drawn && space->depth) {
        const uint64_t each = space->touches * space->threads;
        n = enter_outermost(draws, &w, n, &row);
        const int64_t first = w.iv[w.leaf->loops[0]->slot];
        uint32_t tries = 0;
        while (tries < MOST_TRIES && !draw_row(draws, &w, first, row, rng))
            tries++;
        if (tries == MOST_TRIES)
            drawn = enter_row(&w, first, row, &n);
        else
            n = each > 1 ? plussi_rng_below(rng, each) : 0;
    }
    plussi_effort_take(space->engine->effort, UINT64_MAX - effort);
    if (drawn)
        set_cursor(workspace, &w, n, out);
    return drawn;
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
