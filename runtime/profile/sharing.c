/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Static classification of references by how threads share their lines: not, by false sharing, or
 * all.
 */
#include <math.h>
#include <string.h>

#include "profile/pri.h"

/* The context of a reference, which decides how its lines are shared. */
typedef struct site {
    const plussi_bound *bound;
    const plussi_bound_ref *ref;
    uint32_t depth;
    const plussi_bound_loop *loop[PLUSSI_MAX_SLOTS]; /* loops around it, by slot */
    const plussi_bound_node *parallel; /* the outermost parallel construct around it */
    const plussi_bound_loop *work;     /* the worksharing loop of that team */
    bool one_thread, others_run;       /* inside a single or master; the other threads go on */
    uint32_t own_team, team;           /* own_team as in plussi_ref_pri */
    plussi_interval box[PLUSSI_MAX_SLOTS];
    double trips[PLUSSI_MAX_SLOTS];
    /* For one step of the current parallel IV: which IVs move with it, and how far. */
    uint32_t moved;
    double rate[PLUSSI_MAX_SLOTS];
} site;

/* ---- the place --------------------------------------------------------------------------------
 */

static bool inside_parallel(const plussi_bound_node *node)
{
    for (node = node->parent; node; node = node->parent)
        if (node->kind == PLUSSI_N_PARALLEL)
            return true;
    return false;
}

static void find_surroundings(site *s, const plussi_bound_node *ref)
{
    s->depth = ref->depth;
    for (const plussi_bound_node *node = ref->parent; node; node = node->parent) {
        if (node->kind == PLUSSI_N_LOOP) {
            s->loop[node->u.loop.slot] = &node->u.loop;
            if (node->u.loop.workshare)
                s->work = &node->u.loop;
        } else if (node->kind == PLUSSI_N_SINGLE || node->kind == PLUSSI_N_MASTER) {
            s->one_thread = true;
            s->others_run = node->kind == PLUSSI_N_MASTER || node->u.single.nowait;
        } else if (node->kind == PLUSSI_N_PARALLEL && inside_parallel(node)) {
            /* a team of one executes it: nothing in it is divided */
            s->work = NULL;
            s->one_thread = s->others_run = false;
        } else if (node->kind == PLUSSI_N_PARALLEL) {
            s->parallel = node;
        }
    }
}

static uint32_t last_parallel_slot(const site *s)
{
    return s->work ? s->work->slot + s->work->collapse - 1 : 0;
}

/* Ranges of the IVs inside the worksharing loops, with the outer IVs at the middle of their range
 * (the typical case) or at its start (where the first chunk begins). */
static void find_ranges(site *s, bool at_middle)
{
    for (uint32_t slot = 1; slot <= s->depth; slot++) {
        const plussi_bound_loop *loop = s->loop[slot];
        plussi_interval lo = plussi_cexpr_range(loop->lo, s->box);
        plussi_interval hi = plussi_cexpr_range(loop->hi, s->box), v;
        if (loop->step > 0)
            v = (plussi_interval){lo.lo, hi.hi > lo.lo ? hi.hi - 1 : lo.lo};
        else
            v = (plussi_interval){hi.lo < lo.hi ? hi.lo + 1 : lo.hi, lo.hi};
        uint64_t span = (uint64_t)v.hi - (uint64_t)v.lo;
        if (at_middle)
            s->trips[slot] = floor((double)span / (double)plussi_magnitude(loop->step)) + 1;
        int64_t middle = (int64_t)((uint64_t)v.lo + span / 2);
        if (slot <= last_parallel_slot(s))
            v.lo = v.hi = at_middle ? middle : loop->step > 0 ? v.lo : v.hi;
        s->box[slot] = v;
    }
}

/* ---- dependence on a parallel IV ----------------------------------------------------------------
 */

/* Whether x depends on one of the slots in mask. The contents of an index array are data: a
 * subscript through one is taken not to depend on the IV that indexes the array. */
static bool depends_on(const plussi_cexpr *x, uint32_t mask)
{
    if (x->kind == PLUSSI_CEXPR_LOAD)
        return false;
    if (x->kind == PLUSSI_CEXPR_AFFINE) {
        for (uint32_t i = 0; i < x->n; i++)
            if (mask >> x->slot[i] & 1)
                return true;
        return false;
    }
    for (int i = 0; i < 3; i++)
        if (x->a[i] && depends_on(x->a[i], mask))
            return true;
    return false;
}

/* Change of x for one step of the current parallel IV; 0 if it is not constant. */
static double rate_of(const plussi_cexpr *x, const double *rate)
{
    double a, sum = 0;
    switch (x->kind) {
    case PLUSSI_CEXPR_AFFINE:
        for (uint32_t i = 0; i < x->n; i++)
            sum += (double)x->coef[i] * rate[x->slot[i]];
        return sum;
    case PLUSSI_CEXPR_ADD:
        return rate_of(x->a[0], rate) + rate_of(x->a[1], rate);
    case PLUSSI_CEXPR_SCALE:
        return (double)x->k * rate_of(x->a[0], rate);
    case PLUSSI_CEXPR_DIV:
        return rate_of(x->a[0], rate) / (double)x->k;
    case PLUSSI_CEXPR_MOD:
        return rate_of(x->a[0], rate);
    case PLUSSI_CEXPR_MIN:
    case PLUSSI_CEXPR_MAX: /* max(0, i - 1): the branch that moves */
        a = rate_of(x->a[0], rate);
        return a != 0 ? a : rate_of(x->a[1], rate);
    case PLUSSI_CEXPR_SELECT:
        a = rate_of(x->a[1], rate);
        return a != 0 ? a : rate_of(x->a[2], rate);
    default:
        return 0;
    }
}

/* Makes the parallel IV in slot `level` ($thread: 0) the current one. An inner IV moves with it if
 * both of its bounds do: the window of a tile, or of iterations divided by hand. In a triangular
 * loop one bound moves: partly the same values return. */
static void look_at(site *s, uint32_t level)
{
    memset(s->rate, 0, sizeof s->rate);
    s->moved = (uint32_t)1 << level;
    s->rate[level] = level ? (double)s->loop[level]->step : 1;
    for (uint32_t slot = level + 1; slot <= s->depth; slot++)
        if (depends_on(s->loop[slot]->lo, s->moved) && depends_on(s->loop[slot]->hi, s->moved)) {
            s->rate[slot] = rate_of(s->loop[slot]->lo, s->rate);
            s->moved |= (uint32_t)1 << slot;
        }
}

static bool subscripts_depend(const site *s)
{
    for (uint32_t d = 0; d < s->ref->array->rank; d++)
        if (depends_on(s->ref->sub[d], s->moved))
            return true;
    return false;
}

/* Evaluates num_threads and if clauses with known values. */
static void find_own_team(site *s)
{
    s->team = s->bound->team;
    if (!s->parallel || (s->one_thread && !s->others_run)) {
        s->own_team = s->team = 1;
        return;
    }
    const plussi_cexpr *threads = s->parallel->u.parallel.num_threads;
    const plussi_cexpr *cond = s->parallel->u.parallel.cond;
    if (threads && !depends_on(threads, UINT32_MAX)) {
        plussi_interval v = plussi_cexpr_range(threads, s->box);
        if (v.lo == v.hi && v.lo >= 1 && v.lo <= UINT32_MAX)
            s->own_team = s->team = (uint32_t)v.lo;
    }
    if (cond && !depends_on(cond, UINT32_MAX)) {
        plussi_interval v = plussi_cexpr_range(cond, s->box);
        if (v.lo == 0 && v.hi == 0)
            s->own_team = s->team = 1;
    }
}

/* ---- chunks and lines ---------------------------------------------------------------------------
 */

/* Mean number of iterations (of the collapsed loop) in a chunk. */
static double chunk_of(const site *s, double n, bool *by_block)
{
    const plussi_bound_schedule *schedule = &s->work->schedule;
    double share = fmax(n / s->team, 1), chunk = 0;
    if (schedule->chunk)
        chunk = fmax(1, (double)plussi_cexpr_range(schedule->chunk, s->box).lo);
    *by_block = false;
    switch (schedule->kind) {
    case PLUSSI_SCHED_DYNAMIC:
        return fmax(chunk, 1);
    case PLUSSI_SCHED_GUIDED: { /* T (1 + ln(n / (T chunk))) chunks, each 1 - 1/T of the previous
                                   one */
        double chunks = s->team * (1 + log(fmax(share / fmax(chunk, 1), 1)));
        *by_block = n / chunks > chunk;
        return fmax(fmax(chunk, 1), n / chunks);
    }
    case PLUSSI_SCHED_RAYON: {
        double most = 0;
        if (schedule->chunk2)
            most = (double)plussi_cexpr_range(schedule->chunk2, s->box).lo;
        *by_block = most < 1 || most > share;
        return fmax(fmax(chunk, 1), *by_block ? share : most);
    }
    default:
        *by_block = chunk < 1;
        return chunk >= 1 ? chunk : share;
    }
}

/* Adds a term of the address to what a parallel iteration covers: IVs with steps shorter than a
 * line fill the space in between; longer steps lead to other rows, which may start at other offsets
 * in their lines. */
static void add_term(const site *s, uint32_t slot, int64_t coef, uint64_t *align, double *extent)
{
    if (slot == 0 || s->moved >> slot & 1)
        return;
    double bytes = (double)plussi_magnitude(coef) * (double)plussi_magnitude(s->loop[slot]->step);
    if (slot > last_parallel_slot(s) && bytes < s->bound->line_bytes)
        *extent += (s->trips[slot] - 1) * bytes;
    else
        *align = plussi_gcd(*align, plussi_magnitude(coef) * plussi_magnitude(s->loop[slot]->step));
}

/* Adds the window of an IV that moves with the parallel one. */
static void add_window(const site *s, uint32_t slot, int64_t coef, double *extent)
{
    if (slot > last_parallel_slot(s) && s->moved >> slot & 1)
        *extent += (s->trips[slot] - 1) * (double)plussi_magnitude(coef) *
                   (double)plussi_magnitude(s->loop[slot]->step);
}

/* Mean number of chunks that meet in a line (false sharing), if chunks of `chunk` steps of the
 * parallel IV, `step` bytes apart, follow one another: the lines of a chunk, averaged over its
 * possible offsets in a line, times the chunks a line. */
static double meeting_chunks(const site *s, double step, double chunk)
{
    const plussi_cexpr *offset = s->ref->offset;
    uint64_t line = s->bound->line_bytes, align = line;
    double extent = (double)s->ref->width, whole = step * chunk;
    if (chunk == floor(chunk) && whole == floor(whole) && whole < 0x1p52)
        align = plussi_gcd(align, (uint64_t)whole);
    else if (step == floor(step))
        align = plussi_gcd(align, (uint64_t)step);
    else
        align = 1;
    plussi_interval at = plussi_cexpr_range(offset, s->box);
    if (offset->kind == PLUSSI_CEXPR_AFFINE) {
        for (uint32_t i = 0; i < offset->n; i++) {
            add_term(s, offset->slot[i], offset->coef[i], &align, &extent);
            add_window(s, offset->slot[i], offset->coef[i], &extent);
        }
    } else {
        align = 1;
        extent += (double)((uint64_t)at.hi - (uint64_t)at.lo);
    }
    double covered = extent + step * fmax(chunk - 1, 0), lines = 0;
    uint64_t start = (uint64_t)s->ref->array->base + (uint64_t)at.lo, places = line / align;
    if (rate_of(offset, s->rate) < 0 && step == floor(step) && chunk == floor(chunk))
        start -= (uint64_t)step * (uint64_t)(chunk - 1);
    start %= align;
    for (uint64_t k = 0; k < places; k++)
        lines += ceil(((double)(start + k * align) + covered) / (double)line);
    return lines / (double)places * (double)line / whole;
}

/* ---- the class ----------------------------------------------------------------------------------
 */

static void set_class(plussi_ref_pri *out, const site *s, plussi_sharing sharing, uint32_t sharers)
{
    out->sharing = sharing;
    out->sharers = sharers < s->team ? sharers : s->team;
}

/* Classifies a reference whose subscripts hold the current parallel IV; `inner` collapsed
 * iterations make one step of it; chunk is in iterations. */
static void classify_moving(const site *s, double inner, double chunk, bool by_block,
                            plussi_ref_pri *out)
{
    double step = fabs(rate_of(s->ref->offset, s->rate)), chunks;
    if (step > 0 && step < s->bound->line_bytes) {
        chunks = meeting_chunks(s, step, chunk / inner);
    } else {
        /* every step has its own lines; a step's iterations may be divided among several threads */
        double common = 1;
        if (chunk == floor(chunk) && chunk < 0x1p52 && inner < 0x1p52)
            common = (double)plussi_gcd((uint64_t)chunk, (uint64_t)inner);
        chunks = 1 + (inner - common) / chunk;
    }
    if (chunks <= 1 + 1e-9) {
        set_class(out, s, PLUSSI_SHARING_NONE, 1);
        return;
    }
    double most = fmin(round(fmax(chunks, 2)), UINT32_MAX);
    set_class(out, s, PLUSSI_SHARING_SPATIAL, (uint32_t)most);
    out->chunks_per_line = chunks;
    out->by_block = by_block;
}

/* An outer collapsed IV is missing from the subscripts: the same data return after `period`
 * iterations. They return to the same thread only if that is a whole number of rounds of chunks. */
static bool comes_round_to_same_thread(const site *s, double period, double chunk, bool by_block)
{
    bool cyclic = s->work->schedule.kind == PLUSSI_SCHED_STATIC && !by_block;
    return cyclic && fmod(period, chunk * s->team) == 0;
}

static void classify_worksharing(site *s, plussi_ref_pri *out)
{
    uint32_t first = s->work->slot, level = last_parallel_slot(s);
    double n = 1, inner = 1, period = 1;
    for (uint32_t slot = first; slot <= level; slot++)
        n *= s->trips[slot];
    bool by_block;
    double chunk = chunk_of(s, n, &by_block);
    for (;; level--) {
        look_at(s, level);
        if (subscripts_depend(s))
            break;
        inner *= s->trips[level];
        if (level == first) {
            set_class(out, s, PLUSSI_SHARING_FULL, s->team);
            return;
        }
    }
    bool missing = false;
    for (uint32_t slot = last_parallel_slot(s); slot > first && !missing; slot--) {
        period *= s->trips[slot];
        if (slot > level)
            continue;
        look_at(s, slot - 1);
        missing = !subscripts_depend(s);
    }
    if (missing && !comes_round_to_same_thread(s, period, chunk, by_block)) {
        set_class(out, s, PLUSSI_SHARING_FULL, s->team);
        return;
    }
    look_at(s, level);
    classify_moving(s, inner, chunk, by_block, out);
}

static void classify_ref(const plussi_bound *bound, const plussi_bound_node *ref,
                         plussi_ref_pri *out)
{
    site s = {.bound = bound, .ref = &ref->u.ref};
    find_surroundings(&s, ref);
    find_own_team(&s);
    s.box[0] = (plussi_interval){0, s.team - 1};
    s.box[0].lo = s.box[0].hi /= 2;
    find_ranges(&s, true);
    find_ranges(&s, false);
    out->own_team = s.own_team;
    out->chunks_per_line = 0;
    out->by_block = false;
    if (s.own_team == 1 || s.one_thread || s.ref->array->is_private) {
        set_class(out, &s, PLUSSI_SHARING_NONE, 1);
        return;
    }
    look_at(&s, 0);
    if (subscripts_depend(&s))
        classify_moving(&s, 1, 1, false, out); /* divided by hand: thread by thread */
    else if (s.work)
        classify_worksharing(&s, out);
    else
        set_class(out, &s, PLUSSI_SHARING_FULL, s.team); /* replicated code */
}

pluss_status plussi_sharing_classify(plussi_ctx *ctx, const plussi_bound *bound, plussi_pri *out)
{
    if (out->n_refs - out->n_sites != bound->n_refs)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "space for %u references, but the nest has %u",
                           out->n_refs - out->n_sites, bound->n_refs);
    for (uint32_t i = 0; i < bound->n_refs; i++)
        classify_ref(bound, bound->ref[i], &out->ref[i]);
    return PLUSS_OK;
}
