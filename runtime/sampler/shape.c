/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When is a count a polynomial? A sum of a polynomial over lo <= v < hi, with lo and hi affine in
 * x, is a polynomial in x as long as the sum is not empty; a minimum, a maximum or a guard is
 * affine or nothing once intervals decide the case; a floor division or a step of k repeats after
 * k. So a count is a polynomial on residue classes wherever all cases are decided, and the caller
 * splits its range until they are.
 */
#include "bound/cexpr.h"
#include "sampler/form.h"

typedef struct question {
    plussi_effort *effort;
    bool sets;
    plussi_slots of;
    plussi_known *known;
    plussi_interval *box; /* known->box */
    plussi_shape_answer *answer;
} question;

/* The sign of f is open: notes where it changes, if the caller's IV decides it. */
static void note_split(const question *q, const plussi_form *f)
{
    int64_t c = f->c, k = 0, t;
    for (uint32_t i = 0; i < f->n; i++) {
        plussi_interval v = q->box[f->slot[i]];
        if (q->of == UINT32_C(1) << f->slot[i])
            k = f->k[i];
        else if (v.lo != v.hi || plussi_mul_over(f->k[i], v.lo, &t) || plussi_add_over(c, t, &c))
            return;
    }
    if (k == 0 || k == INT64_MIN || c == INT64_MIN)
        return;
    q->answer->split = true;
    q->answer->at = k > 0 ? plussi_ceildiv(-c, k) - 1 : plussi_floordiv(c, -k);
}

/* x as an affine form while the box holds; false: not affine, or a case is open. */
static bool resolve_form(const question *q, const plussi_cexpr *x, plussi_form *out)
{
    const plussi_interval *box = q->box;
    if (x->kind == PLUSSI_CEXPR_AFFINE) {
        return plussi_form_from(x, out);
    }
    plussi_interval all = plussi_cexpr_range(x, box);
    if (all.lo == all.hi) {
        plussi_form_set(out, all.lo);
        return true;
    }
    plussi_form a, b;
    switch (x->kind) {
    case PLUSSI_CEXPR_ADD:
        if (!resolve_form(q, x->a[0], out) || !resolve_form(q, x->a[1], &b))
            return false;
        return plussi_form_add(out, &b, 1);
    case PLUSSI_CEXPR_SCALE:
        if (!resolve_form(q, x->a[0], &a))
            return false;
        plussi_form_set(out, 0);
        return plussi_form_add(out, &a, x->k);
    case PLUSSI_CEXPR_MUL: {
        plussi_interval r = plussi_cexpr_range(x->a[0], box), s = plussi_cexpr_range(x->a[1], box);
        int other = r.lo == r.hi ? 1 : 0;
        if ((r.lo != r.hi && s.lo != s.hi) || !resolve_form(q, x->a[other], &a))
            return false;
        plussi_form_set(out, 0);
        return plussi_form_add(out, &a, other ? r.lo : s.lo);
    }
    case PLUSSI_CEXPR_MIN:
    case PLUSSI_CEXPR_MAX: {
        if (!resolve_form(q, x->a[0], &a) || !resolve_form(q, x->a[1], &b))
            return false;
        plussi_interval gap = plussi_form_gap(&a, &b, q->known);
        if (gap.lo < 0 && gap.hi > 0) {
            if (plussi_form_add(&a, &b, -1))
                note_split(q, &a);
            return false;
        }
        *out = (gap.hi <= 0) == (x->kind == PLUSSI_CEXPR_MIN) ? a : b;
        return true;
    }
    case PLUSSI_CEXPR_SELECT: {
        plussi_interval cond = plussi_cexpr_range(x->a[0], box);
        return cond.lo == cond.hi && resolve_form(q, x->a[cond.lo ? 1 : 2], out);
    }
    case PLUSSI_CEXPR_MOD: {
        plussi_interval r = plussi_cexpr_range(x->a[0], box);
        int64_t iterations = plussi_floordiv(r.lo, x->k), t;
        if (iterations != plussi_floordiv(r.hi, x->k) || !resolve_form(q, x->a[0], out))
            return false;
        return !plussi_mul_over(iterations, x->k, &t) && !plussi_sub_over(out->c, t, &out->c);
    }
    default:
        return false;
    }
}

bool plussi_form_within(const plussi_cexpr *x, plussi_interval *box, plussi_form *out)
{
    plussi_known known = {.box = box};
    plussi_shape_answer answer = {0};
    const question q = {.known = &known, .box = box, .answer = &answer};
    return resolve_form(&q, x, out);
}

/* ---- periods -------------------------------------------------------------------------------
 *
 * x(v + period) = x(v) + gain, v the IV of one slot, all else fixed, while the box holds. */
typedef struct beat {
    uint64_t period;
    int64_t gain;
} beat;

/* The beat n times as slow. */
static bool stretch_beat(beat *b, uint64_t n)
{
    int64_t gain;
    if (plussi_mul_over(b->period, n, &b->period) || b->period > PLUSSI_MAX_PERIOD ||
        plussi_mul_over(b->gain, (int64_t)n, &gain))
        return false;
    b->gain = gain;
    return true;
}

static bool align_beats(beat *a, beat *b)
{
    uint64_t g = plussi_gcd(a->period, b->period), to_a = b->period / g, to_b = a->period / g;
    return stretch_beat(a, to_a) && stretch_beat(b, to_b);
}

static bool find_beat(const question *q, const plussi_cexpr *x, uint32_t slot, beat *out)
{
    beat other;
    *out = (beat){.period = 1};
    if (x->kind == PLUSSI_CEXPR_AFFINE) {
        for (uint32_t i = 0; i < x->n; i++)
            out->gain += x->slot[i] == slot ? x->coef[i] : 0;
        return true;
    }
    if (!(plussi_cexpr_slots(x) >> slot & 1))
        return true;
    plussi_interval all = plussi_cexpr_range(x, q->box);
    if (all.lo == all.hi)
        return true;
    switch (x->kind) {
    case PLUSSI_CEXPR_ADD:
        return find_beat(q, x->a[0], slot, out) && find_beat(q, x->a[1], slot, &other) &&
               align_beats(out, &other) && !plussi_add_over(out->gain, other.gain, &out->gain);
    case PLUSSI_CEXPR_SCALE:
        return find_beat(q, x->a[0], slot, out) && !plussi_mul_over(out->gain, x->k, &out->gain);
    case PLUSSI_CEXPR_DIV:
    case PLUSSI_CEXPR_MOD: {
        if (!find_beat(q, x->a[0], slot, out) || out->gain == INT64_MIN)
            return false;
        uint64_t k = (uint64_t)x->k, gain = (uint64_t)(out->gain < 0 ? -out->gain : out->gain);
        if (!stretch_beat(out, k / plussi_gcd(k, gain)))
            return false;
        out->gain = x->kind == PLUSSI_CEXPR_DIV ? out->gain / x->k : 0;
        return true;
    }
    case PLUSSI_CEXPR_MIN:
    case PLUSSI_CEXPR_MAX: {
        plussi_interval a = plussi_cexpr_range(x->a[0], q->box);
        plussi_interval b = plussi_cexpr_range(x->a[1], q->box);
        bool first = a.hi <= b.lo, second = b.hi <= a.lo;
        if (first || second)
            return find_beat(q, x->a[first == (x->kind == PLUSSI_CEXPR_MIN) ? 0 : 1], slot, out);
        return find_beat(q, x->a[0], slot, out) && find_beat(q, x->a[1], slot, &other) &&
               align_beats(out, &other) && out->gain == other.gain;
    }
    case PLUSSI_CEXPR_SELECT: {
        plussi_interval cond = plussi_cexpr_range(x->a[0], q->box);
        if (cond.lo == cond.hi)
            return find_beat(q, x->a[cond.lo ? 1 : 2], slot, out);
        beat when;
        return find_beat(q, x->a[0], slot, &when) && find_beat(q, x->a[1], slot, out) &&
               find_beat(q, x->a[2], slot, &other) && align_beats(out, &other) &&
               out->gain == other.gain && align_beats(out, &when);
    }
    case PLUSSI_CEXPR_AND:
    case PLUSSI_CEXPR_OR:
        return find_beat(q, x->a[0], slot, out) && find_beat(q, x->a[1], slot, &other) &&
               align_beats(out, &other);
    case PLUSSI_CEXPR_GE0:
    case PLUSSI_CEXPR_EQ0:
    case PLUSSI_CEXPR_NE0: {
        plussi_form f;
        if (find_beat(q, x->a[0], slot, out) && out->gain == 0)
            return true;
        if (resolve_form(q, x->a[0], &f))
            note_split(q, &f);
        return false;
    }
    case PLUSSI_CEXPR_NOT:
        return find_beat(q, x->a[0], slot, out);
    default:
        return false;
    }
}

/* For each slot of `of`: x is affine on residue classes mod *period, a condition constant. */
static bool find_beats(const question *q, const plussi_cexpr *x, plussi_slots of, uint64_t *period)
{
    beat all = {.period = 1}, one;
    for (of &= plussi_cexpr_slots(x); of; of &= of - 1) {
        if (!find_beat(q, x, (uint32_t)__builtin_ctz(of), &one))
            return false;
        one.gain = 0;
        if (!align_beats(&all, &one))
            return false;
    }
    *period = all.period;
    return true;
}

/* An end of a loop: from class to class it moves by integers, which have to be multiples of the
 * inner periods: periods of ends multiply. */
static bool is_quasi_affine(const question *q, const plussi_cexpr *x, plussi_slots of)
{
    uint64_t period;
    plussi_form f;
    if (!(plussi_cexpr_slots(x) & of) || resolve_form(q, x, &f))
        return true;
    return find_beats(q, x, of, &period) &&
           !plussi_mul_over(q->answer->stretch, period, &q->answer->stretch) &&
           q->answer->stretch <= PLUSSI_MAX_PERIOD;
}

/* Whether a condition repeats. */
static bool periodic_condition(const question *q, const plussi_cexpr *x, plussi_slots of)
{
    uint64_t period;
    if (!find_beats(q, x, of, &period))
        return false;
    beat all = {.period = q->answer->modulus}, one = {.period = period};
    if (!align_beats(&all, &one))
        return false;
    q->answer->modulus = all.period;
    return true;
}

/* ---- the part of a loop's range in which a child is executed ------------------------------------
 */

enum { MAX_ENDS = 8 };

/* v >= low[i], v < high[i]; the first of each are the loop's own. */
typedef struct ends {
    plussi_form low[MAX_ENDS], high[MAX_ENDS];
    int n_low, n_high;
    uint32_t slot;
    bool never;
} ends;

/* f >= 0 as a bound on the IV; false: open. */
static bool ends_meet(const question *q, ends *e, const plussi_form *f)
{
    plussi_interval r = plussi_form_range(f, q->known);
    int64_t k = plussi_form_coef(f, e->slot);
    if (r.lo >= 0)
        return true;
    if (r.hi < 0) {
        e->never = true;
        return true;
    }
    plussi_form bound = *f;
    plussi_form_drop(&bound, e->slot);
    if (k == 1 && e->n_low < MAX_ENDS) { /* v >= -rest */
        plussi_form_set(&e->low[e->n_low], 0);
        return plussi_form_add(&e->low[e->n_low++], &bound, -1);
    }
    if (k == -1 && e->n_high < MAX_ENDS) { /* v < rest + 1 */
        bound.c++;
        e->high[e->n_high++] = bound;
        return true;
    }
    return false;
}

static bool ends_condition(const question *q, ends *e, const plussi_cexpr *cond)
{
    const plussi_interval *box = q->box;
    plussi_interval r = plussi_cexpr_range(cond, box);
    if (r.lo == r.hi) {
        e->never |= !r.lo;
        return true;
    }
    plussi_form f, minus;
    plussi_form_set(&minus, 0);
    switch (cond->kind) {
    case PLUSSI_CEXPR_AND:
        return ends_condition(q, e, cond->a[0]) && ends_condition(q, e, cond->a[1]);
    case PLUSSI_CEXPR_GE0:
        return resolve_form(q, cond->a[0], &f) && ends_meet(q, e, &f);
    case PLUSSI_CEXPR_EQ0:
        return resolve_form(q, cond->a[0], &f) && ends_meet(q, e, &f) &&
               plussi_form_add(&minus, &f, -1) && ends_meet(q, e, &minus);
    default:
        return false;
    }
}

/* The one of n bounds that implies the others; -1: open. sign 1: the greatest. */
static int find_dominant(const question *q, const plussi_form *bound, int n, int sign)
{
    for (int i = 0; i < n; i++) {
        bool all = true;
        for (int j = 0; j < n && all; j++) {
            plussi_interval gap = plussi_form_gap(&bound[i], &bound[j], q->known);
            all = j == i || (sign > 0 ? gap.lo >= 0 : gap.hi <= 0);
            plussi_form d = bound[i];
            if (!all && gap.lo < 0 && gap.hi > 0 && plussi_form_add(&d, &bound[j], -1))
                note_split(q, &d);
        }
        if (all)
            return i;
    }
    return -1;
}

/* ---- the recursion ------------------------------------------------------------------------------
 */

static bool shape_of(const question *q, const plussi_plan_node *node, plussi_slots of);

static bool shape_list(const question *q, plussi_plan_node *const *list, uint32_t n,
                       plussi_slots of)
{
    for (uint32_t i = 0; i < n; i++)
        if (!shape_of(q, list[i], of))
            return false;
    return true;
}

static bool shape_if(const question *q, const plussi_plan_node *node, plussi_slots of)
{
    if (plussi_cexpr_slots(node->cond) & of) {
        plussi_interval r = plussi_cexpr_range(node->cond, q->box);
        if (r.lo == r.hi)
            return r.lo ? shape_list(q, node->body, node->n_body, of)
                        : shape_list(q, node->orelse, node->n_orelse, of);
        if (!periodic_condition(q, node->cond, of))
            return false;
    }
    return shape_list(q, node->body, node->n_body, of) &&
           shape_list(q, node->orelse, node->n_orelse, of);
}

/* First value and end of a loop, with ascending values: [low, high). */
static bool loop_forms(const question *q, const plussi_plan_node *loop, plussi_form *low,
                       plussi_form *high)
{
    if (loop->step > 0)
        return resolve_form(q, loop->lo, low) && resolve_form(q, loop->hi, high);
    if (!resolve_form(q, loop->hi, low) || !resolve_form(q, loop->lo, high))
        return false;
    low->c++;
    high->c++;
    return true;
}

static bool is_unit(const plussi_plan_node *loop)
{
    return loop->step == 1 || loop->step == -1;
}

/* A child that depends on the IV and is executed for only some of its values. */
static bool shape_clipped(const question *q, const plussi_plan_node *loop,
                          const plussi_plan_node *child, plussi_slots of, const plussi_form *low,
                          const plussi_form *high)
{
    ends e = {.n_low = 1, .n_high = 1, .slot = loop->slot};
    e.low[0] = *low;
    e.high[0] = *high;
    plussi_form f, g;
    if (child->kind == PLUSSI_P_IF) {
        if (!ends_condition(q, &e, child->cond))
            return false;
    } else {
        if (!loop_forms(q, child, &f, &g) || !plussi_form_add(&g, &f, -1))
            return false;
        g.c--;
        if (!ends_meet(q, &e, &g))
            return false;
    }
    int a = find_dominant(q, e.low, e.n_low, 1), b = find_dominant(q, e.high, e.n_high, -1);
    if (a < 0 || b < 0)
        return false;
    plussi_interval gap = plussi_form_gap(&e.high[b], &e.low[a], q->known);
    if (!e.never && gap.lo < 0 && gap.hi > 0) {
        plussi_form d = e.high[b];
        if (plussi_form_add(&d, &e.low[a], -1))
            note_split(q, &d);
        return false;
    }
    bool none = e.never || gap.hi <= 0;
    if (plussi_form_reads(&e.low[a], of) || plussi_form_reads(&e.high[b], of) ||
        plussi_form_reads(low, of) || plussi_form_reads(high, of))
        of |= UINT32_C(1) << loop->slot;
    plussi_interval whole = q->box[loop->slot];
    bool ok = true;
    if (!none) {
        q->box[loop->slot] = plussi_interval_meet(
            whole, (plussi_interval){plussi_form_range(&e.low[a], q->known).lo,
                                     plussi_form_range(&e.high[b], q->known).hi - 1});
        q->known->low[loop->slot] = &e.low[a];
        q->known->high[loop->slot] = &e.high[b];
        ok = child->kind == PLUSSI_P_IF ? shape_list(q, child->body, child->n_body, of)
                                        : shape_of(q, child, of);
        q->known->low[loop->slot] = low;
        q->known->high[loop->slot] = high;
        q->box[loop->slot] = whole;
    }
    if (child->kind == PLUSSI_P_IF)
        ok = ok && shape_list(q, child->orelse, child->n_orelse, of);
    return ok;
}

/* A thread's part of a static loop of n iterations, as n moves by multiples of its chunks' length
 * times the team, has ends that are affine in n (blocks), or as many more whole chunks. moves: n
 * depends on the IVs asked for. */
static bool shape_part(const question *q, const plussi_plan_node *loop, bool moves)
{
    const bool whole = !loop->chunk || plussi_cexpr_is_const(loop->chunk);
    uint64_t turn = loop->par ? loop->par->team : 1;
    if (loop->collapse > 1 || loop->schedule != PLUSSI_SCHED_STATIC || !whole ||
        (loop->par && !loop->par->team_fixed))
        return false;
    if (moves && turn > 1)
        return !plussi_mul_over(turn, loop->chunk ? plussi_chunk_at(loop, NULL) : 1, &turn) &&
               !plussi_mul_over(q->answer->stretch, turn, &q->answer->stretch) &&
               q->answer->stretch <= PLUSSI_MAX_PERIOD;
    return true;
}

static bool shape_loop(const question *q, const plussi_plan_node *loop, plussi_slots of)
{
    plussi_slots own = UINT32_C(1) << loop->slot,
                 bounds = plussi_cexpr_slots(loop->lo) | plussi_cexpr_slots(loop->hi);
    if (q->sets && loop->ws && !shape_part(q, loop, bounds & of))
        return false;
    plussi_form low, high;
    bool forms = loop_forms(q, loop, &low, &high);
    plussi_interval lo = plussi_cexpr_range(loop->lo, q->box),
                    hi = plussi_cexpr_range(loop->hi, q->box);
    plussi_interval v =
        loop->step > 0 ? (plussi_interval){lo.lo, hi.hi - 1} : (plussi_interval){hi.lo + 1, lo.hi};
    plussi_slots inner = of;
    if (bounds & of) {
        plussi_interval gap; /* trips are >= 0 or <= 0 */
        if (forms)
            gap = plussi_form_gap(&high, &low, q->known);
        else
            gap = (plussi_interval){(loop->step > 0 ? hi.lo - lo.hi : lo.lo - hi.hi),
                                    v.hi - v.lo + 1};
        if (gap.hi <= 0)
            return true;
        if (gap.lo < 0) {
            if (forms && plussi_form_add(&high, &low, -1))
                note_split(q, &high);
            return false;
        }
        if (!is_unit(loop) &&
            (plussi_mul_over(q->answer->stretch,
                             (uint64_t)(loop->step < 0 ? -loop->step : loop->step),
                             &q->answer->stretch) ||
             q->answer->stretch > PLUSSI_MAX_PERIOD))
            return false;
        if (!is_quasi_affine(q, loop->lo, of) || !is_quasi_affine(q, loop->hi, of))
            return false;
        inner |= own;
    }
    if (v.lo > v.hi)
        return true;
    const plussi_form *old_low = q->known->low[loop->slot], *old_high = q->known->high[loop->slot];
    q->box[loop->slot] = v;
    q->known->low[loop->slot] = forms ? &low : NULL;
    q->known->high[loop->slot] = forms ? &high : NULL;
    bool ok = true;
    for (uint32_t i = 0; i < loop->n_body && ok; i++) {
        plussi_plan_node *child = loop->body[i];
        if (!(child->dep & inner) || shape_of(q, child, inner))
            continue;
        q->box[loop->slot] = v;
        ok = forms && is_unit(loop) && !(q->sets && loop->ws) && (child->reads & own) &&
             (child->kind == PLUSSI_P_IF || child->kind == PLUSSI_P_LOOP) &&
             shape_clipped(q, loop, child, inner, &low, &high);
    }
    q->known->low[loop->slot] = old_low;
    q->known->high[loop->slot] = old_high;
    return ok;
}

static bool shape_of(const question *q, const plussi_plan_node *node, plussi_slots of)
{
    plussi_effort_take(q->effort, 4 + 4 * node->weight + 8 * plussi_deep_steps(node->weight));
    if (!(node->dep & of))
        return true;
    switch (node->kind) {
    case PLUSSI_P_LOOP:
        return shape_loop(q, node, of);
    case PLUSSI_P_IF:
        return shape_if(q, node, of);
    case PLUSSI_P_PAR:
        if (!node->team_fixed && (node->reads & of))
            return false;
        return shape_list(q, node->body, node->n_body, of);
    default:
        return true;
    }
}

bool plussi_shape(plussi_effort *effort, const plussi_plan_node *node, plussi_slots of, bool sets,
                  plussi_interval *box, plussi_shape_answer *answer)
{
    plussi_known known = {.box = box};
    *answer = (plussi_shape_answer){.stretch = 1, .modulus = 1};
    bool smooth = shape_of(&(question){effort, sets, of, &known, box, answer}, node, of);
    answer->period = answer->stretch * answer->modulus;
    return smooth;
}

/* Affine bounds of outer loops replace their boxes. */
bool plussi_shape_regular(plussi_effort *effort, const plussi_plan_node *node, plussi_interval *box)
{
    plussi_known known = {.box = box};
    plussi_shape_answer answer = {.stretch = 1, .modulus = 1};
    plussi_form low[PLUSSI_MAX_LOOPS + 1], high[PLUSSI_MAX_LOOPS + 1];
    plussi_slots around = 0;
    for (uint32_t i = 0; i < node->depth; i++) {
        const plussi_plan_node *loop = node->loops[i];
        const plussi_cexpr *from = loop->step > 0 ? loop->lo : loop->hi;
        const plussi_cexpr *to = loop->step > 0 ? loop->hi : loop->lo;
        box[loop->slot] = loop->range;
        around |= UINT32_C(1) << loop->slot;
        if (from->kind != PLUSSI_CEXPR_AFFINE || to->kind != PLUSSI_CEXPR_AFFINE ||
            !plussi_form_from(from, &low[i]) || !plussi_form_from(to, &high[i]))
            continue;
        low[i].c += loop->step < 0;
        high[i].c += loop->step < 0;
        known.low[loop->slot] = &low[i];
        known.high[loop->slot] = &high[i];
    }
    question q = {effort, false, around, &known, box, &answer};
    return shape_of(&q, node, around) && answer.stretch * answer.modulus == 1;
}

/* ---- degree -------------------------------------------------------------------------------------
 *
 * A sum whose ends move with x has one degree more than its terms have in x and v together; one
 * whose ends stand still has the degree of its terms in x. */

/* Whether a child is executed for a part of the loop's range that moves with `of`. */
static bool clips_range(const plussi_plan_node *node, plussi_slots own, plussi_slots of)
{
    if (node->kind == PLUSSI_P_LOOP)
        return (node->reads & own) && (node->reads & of);
    if (node->kind != PLUSSI_P_IF)
        return false;
    if ((node->reads & own) && (node->reads & of))
        return true;
    for (uint32_t i = 0; i < node->n_body; i++)
        if (clips_range(node->body[i], own, of))
            return true;
    for (uint32_t i = 0; i < node->n_orelse; i++)
        if (clips_range(node->orelse[i], own, of))
            return true;
    return false;
}

static uint32_t degree_list(plussi_plan_node *const *list, uint32_t n, plussi_slots of)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = plussi_degree(list[i], of);
        most = d > most ? d : most;
    }
    return most;
}

uint32_t plussi_degree(const plussi_plan_node *node, plussi_slots of)
{
    if (!(node->dep & of))
        return 0;
    uint32_t a = 0, b = degree_list(node->orelse, node->n_orelse, of);
    if (node->kind == PLUSSI_P_LOOP) {
        plussi_slots own = UINT32_C(1) << node->slot;
        bool moves = (node->reads & of) != 0;
        for (uint32_t i = 0; i < node->n_body; i++)
            moves |= clips_range(node->body[i], own, of);
        return moves ? 1 + degree_list(node->body, node->n_body, of | own)
                     : degree_list(node->body, node->n_body, of);
    }
    a = degree_list(node->body, node->n_body, of);
    return a > b ? a : b;
}
