/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampler/set_lines.h"

#include "sampler/form.h"
#include "sampler/search.h"

enum { MOST_TERMS = 2 * PLUSSI_MAX_LEVELS };

/* Values first, first + step, ...; where a thread has whole chunks of them: two such numbers. */
typedef struct values {
    int64_t first, step[2];
    uint64_t n[2];
} values;

/* Addresses x + the sum of k_i m_i, 0 <= m_i < n_i. */
typedef struct term {
    int64_t k; /* > 0 */
    uint64_t n;
} term;

typedef struct visit {
    plussi_workspace *workspace;
    const plussi_engine *e;
    const plussi_stretch *stretch;
    const plussi_set_visitor *visitor;
    const plussi_array_range *range;
    const plussi_group *g;
    const plussi_plan_node *leaf;
    int64_t base;      /* address of the group's zero */
    int64_t line, way; /* bytes of a line; of all sets' lines together */
    plussi_interval box[PLUSSI_CURSOR_SLOTS];
    values values[PLUSSI_CURSOR_SLOTS];
    uint32_t halved; /* boxes */
    uint32_t peeled; /* values of loops that are visited one by one */
    bool sure;       /* the thread makes all accesses of the box, and these are in the stretch */
    bool ended;
} visit;

/* ---- addresses --------------------------------------------------------------------------------
 */

static bool goes_on(visit *v)
{
    plussi_effort_take(v->e->effort, 1);
    return !v->ended;
}

/* All lines of the set in bytes [x, x + extent]. */
static void visit_row(visit *v, int64_t x, int64_t extent)
{
    uint64_t sets = v->visitor->sets, set = v->visitor->set;
    uint64_t line = (uint64_t)x >> v->e->line_shift;
    uint64_t last = (uint64_t)(x + extent) >> v->e->line_shift;
    line += (set + sets - line % sets) % sets;
    for (; line <= last && goes_on(v); line += sets)
        if (!v->visitor->visit(v->visitor->user, line, v->sure))
            v->ended = true;
}

static int64_t modulo(int64_t x, int64_t m)
{
    int64_t r = x % m;
    return r < 0 ? r + m : r;
}

/* The bytes [x, x + extent] moved by anything from lo to hi can meet the set. */
static bool can_meet(const visit *v, int64_t x, int64_t lo, int64_t hi)
{
    if (hi - lo + v->line > v->way)
        return true;
    int64_t end = (int64_t)v->visitor->set * v->line + v->line - 1; /* the set's last byte */
    return modulo(end - (x + lo), v->way) - (v->line - 1) <= hi - lo;
}

/* How far the terms move an address, modulo the way; false: anywhere. */
static bool reach(const visit *v, const term *t, size_t n, int64_t *lo, int64_t *hi)
{
    for (size_t i = 0; i < n; i++) {
        int64_t r = modulo(t[i].k, v->way);
        if (r > v->way / 2)
            r -= v->way;
        if (r != 0 && (t[i].n - 1) > (uint64_t)(v->way / (r < 0 ? -r : r)))
            return false;
        *(r < 0 ? lo : hi) += r * (int64_t)(t[i].n - 1);
        if (*hi - *lo >= v->way)
            return false;
    }
    return true;
}

/* One term: the values that meet the set, found one after the other. */
static void visit_term(visit *v, const term *t, int64_t x, int64_t extent)
{
    uint64_t way = (uint64_t)v->way, step = (uint64_t)modulo(t->k, v->way);
    uint64_t width = (uint64_t)(extent + v->line - 1); /* the set is met from this far before */
    for (uint64_t i = 0; i < t->n && goes_on(v); i++) {
        int64_t begin = x + t->k * (int64_t)i;
        uint64_t at =
            (uint64_t)modulo((int64_t)v->visitor->set * v->line + v->line - 1 - begin, v->way);
        /* k m mod way has to be in [at - width, at] */
        if (width < way && at > width) {
            uint64_t m = plussi_first_within(step, way, at - width, at);
            if (m >= t->n - i)
                return;
            i += m;
            begin = x + t->k * (int64_t)i;
        }
        visit_row(v, begin, extent);
    }
}

static void visit_terms(visit *v, const term *t, size_t n, int64_t x, int64_t extent)
{
    int64_t lo = 0, hi = extent;
    if (!goes_on(v) || (reach(v, t, n, &lo, &hi) && !can_meet(v, x, lo, hi)))
        return;
    if (n == 0)
        visit_row(v, x, extent);
    else if (n == 1)
        visit_term(v, t, x, extent);
    else
        for (uint64_t i = 0; i < t->n && !v->ended; i++)
            visit_terms(v, t + 1, n - 1, x + t->k * (int64_t)i, extent);
}

static void add_term(term *t, size_t *n, int64_t k, uint64_t count, int64_t *x)
{
    if (k == 0 || count <= 1)
        return;
    if (k < 0) {
        *x += k * (int64_t)(count - 1);
        k = -k;
    }
    size_t i = (*n)++;
    for (; i > 0 && t[i - 1].k < k; i--)
        t[i] = t[i - 1];
    t[i] = (term){k, count};
}

/* Everything in the array's memory, where the address is no sum. */
static void visit_array(visit *v)
{
    uint64_t shift = v->range->copy_lines * v->stretch->thread;
    int64_t first = (int64_t)((v->range->first + shift) << v->e->line_shift);
    v->sure = false;
    visit_row(v, first, (int64_t)((v->range->last - v->range->first) << v->e->line_shift));
}

/* Addresses x + k times the slot's values, of several slots. */
typedef struct address {
    int64_t x;
    term term[MOST_TERMS];
    size_t n;
} address;

static void add_slot(const visit *v, address *to, uint32_t slot, int64_t k)
{
    const values *a = &v->values[slot];
    to->x += k * a->first;
    for (int j = 0; j < 2; j++)
        add_term(to->term, &to->n, k * a->step[j], a->n[j], &to->x);
}

static void visit_address(visit *v, address *a)
{
    int64_t extent = v->leaf->ref->touches > 1 ? 0 : (int64_t)v->leaf->ref->width - 1;
    while (a->n > 0 && a->term[a->n - 1].k <= extent + v->line) {
        a->n--;
        extent += a->term[a->n].k * (int64_t)(a->term[a->n].n - 1);
    }
    visit_terms(v, a->term, a->n, a->x, extent);
}

/* ---- boxes ------------------------------------------------------------------------------------
 */

static void set_box(visit *v, uint32_t slot, values some)
{
    int64_t last = some.first;
    for (int j = 0; j < 2; j++)
        last += some.step[j] * (int64_t)(some.n[j] - 1);
    v->values[slot] = some;
    v->box[slot] = some.first < last ? (plussi_interval){some.first, last}
                                     : (plussi_interval){last, some.first};
}

static void set_values(visit *v, uint32_t slot, int64_t first, int64_t step, uint64_t n)
{
    set_box(v, slot, (values){first, {step, 0}, {n, 1}});
}

/* The slot of the expression that has most values. */
static uint32_t find_widest(const visit *v, const plussi_cexpr *x)
{
    uint32_t slots = plussi_cexpr_slots(x), widest = 0;
    uint64_t most = 0;
    for (uint32_t s = 0; s < PLUSSI_CURSOR_SLOTS; s++) {
        uint64_t n = slots >> s & 1 ? v->values[s].n[0] * v->values[s].n[1] : 0;
        if (n > most) {
            most = n;
            widest = s;
        }
    }
    return widest;
}

static void visit_box(visit *v);

/* An offset that is not affine in the box, which is halved until it is. */
static void visit_halves(visit *v)
{
    enum { MOST = 4096 };
    const uint32_t slot = find_widest(v, v->leaf->ref->offset);
    const values all = v->values[slot];
    const int j = all.n[0] > 1 ? 0 : 1;
    values half[2] = {all, all};
    if (v->halved > MOST) /* all of it is visited */
        return;
    if (all.n[j] < 2 || ++v->halved > MOST) {
        v->halved = MOST + 1;
        visit_array(v);
        return;
    }
    half[0].n[j] = all.n[j] / 2;
    half[1].n[j] -= half[0].n[j];
    half[1].first += all.step[j] * (int64_t)half[0].n[j];
    for (int i = 0; i < 2 && !v->ended; i++) {
        set_box(v, slot, half[i]);
        visit_box(v);
    }
    set_box(v, slot, all);
}

static void visit_box(visit *v)
{
    const plussi_cexpr *o = v->leaf->ref->offset;
    address a = {.x = v->base + v->g->shift};
    plussi_form form;
    if (o->kind == PLUSSI_CEXPR_AFFINE) {
        a.x += o->c;
        for (uint32_t i = 0; i < o->n; i++)
            add_slot(v, &a, o->slot[i], o->coef[i]);
        visit_address(v, &a);
        return;
    }
    const plussi_interval r = plussi_cexpr_range(o, v->box);
    if (r.lo < INT64_MIN / 4 || r.hi > INT64_MAX / 4) { /* unknown */
        visit_array(v);
        return;
    }
    if (!goes_on(v) || !can_meet(v, a.x, r.lo, r.hi + (int64_t)v->leaf->ref->width - 1))
        return;
    if (!plussi_form_within(o, v->box, &form)) {
        visit_halves(v);
        return;
    }
    a.x += form.c;
    for (uint32_t i = 0; i < form.n; i++)
        add_slot(v, &a, form.slot[i], form.k[i]);
    visit_address(v, &a);
}

/* The values that a loop takes while the loops around lie in the box: of a loop whose first value
 * moves within it (not fixed), a superset, one apart; of one whose last moves (not sure), those of
 * the longest. */
typedef struct turns {
    int64_t first, step;
    uint64_t n;
    bool fixed, sure;
} turns;

static turns turns_in_box(const visit *v, const plussi_plan_node *loop)
{
    plussi_interval a = plussi_cexpr_range(loop->lo, v->box);
    plussi_interval b = plussi_cexpr_range(loop->hi, v->box);
    bool up = loop->step > 0, fixed = a.lo == a.hi;
    int64_t first = up ? a.lo : a.hi, step = fixed ? loop->step : up ? 1 : -1;
    return (turns){first, step, plussi_trips(first, up ? b.hi : b.lo, step), fixed,
                   fixed && b.lo == b.hi};
}

/* The thread's iteration set of a static worksharing loop; false: it differs within the box. */
static bool find_set(const visit *v, const plussi_plan_node *head, plussi_iterset *set)
{
    plussi_thread_set own;
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {v->stretch->thread};
    if (head->collapse > 1 || head->schedule != PLUSSI_SCHED_STATIC)
        return false;
    for (uint32_t i = 0; i < head->depth && !head->set_fixed; i++) {
        const uint32_t slot = head->loops[i]->slot;
        if (v->box[slot].lo != v->box[slot].hi)
            return false;
        iv[slot] = v->box[slot].lo;
    }
    plussi_thread_set_at(v->e, head, iv, v->stretch->thread, &own);
    *set = own.set;
    return true;
}

/* Turns [a, b], as far as they are the thread's; false: none is. */
static bool take_own(visit *v, const plussi_plan_node *loop, const turns *t, uint64_t a, uint64_t b)
{
    const plussi_plan_node *head = loop->ws_head;
    int64_t lo = t->first;
    plussi_iterset s;
    v->sure &= t->sure;
    if (!head || !t->fixed || !find_set(v, head, &s)) {
        v->sure &= !head || (head->set_fixed && head->set.team == 1);
        set_values(v, loop->slot, lo + t->step * (int64_t)a, t->step, b - a + 1);
        return true;
    }
    if (s.thread >= s.team || plussi_iterset_count(&s) == 0)
        return false;
    uint64_t chunk = s.kind == PLUSSI_ITERSET_CYCLIC ? s.chunk : 0, first = a, last = b;
    if (!chunk) {
        uint64_t from, to;
        plussi_iterset_run(&s, 0, &from, &to);
        first = from > a ? from : a;
        last = to - 1 < b ? to - 1 : b;
        if (first > last)
            return false;
        set_values(v, loop->slot, lo + loop->step * (int64_t)first, loop->step, last - first + 1);
        return true;
    }
    /* whole chunks, the first and last of which may reach beyond [a, b] */
    uint64_t j = a / chunk, k = b / chunk, team = s.team;
    j += (s.thread + team - j % team) % team;
    if (j > k)
        return false;
    uint64_t rounds = (k - j) / team + 1;
    v->sure &= team == 1;
    set_values(v, loop->slot, lo + loop->step * (int64_t)(j * chunk), loop->step,
               (rounds - 1) * chunk * team + chunk);
    v->values[loop->slot].step[0] = loop->step * (int64_t)(chunk * team);
    v->values[loop->slot].n[0] = rounds;
    v->values[loop->slot].step[1] = loop->step;
    v->values[loop->slot].n[1] = chunk;
    return true;
}

static void visit_level(visit *v, uint32_t l, const plussi_cursor *after,
                        const plussi_cursor *before);

static void visit_turn(visit *v, uint32_t l, int64_t value, const plussi_cursor *after,
                       const plussi_cursor *before)
{
    set_values(v, v->leaf->loops[l]->slot, value, 1, 1);
    visit_level(v, l + 1, after, before);
}

/* Whether the values that loops further in take change with the value of this one. */
static bool is_followed(const visit *v, uint32_t l)
{
    const uint32_t slot = v->leaf->loops[l]->slot;
    for (uint32_t i = l + 1; i < v->leaf->depth; i++)
        if (v->leaf->loops[i]->reads >> slot & 1)
            return true;
    return false;
}

/* The box's values of a loop. If loops further in follow it, some are taken one by one, as it is
 * known what they touch: the last few; where the address stays, the last and the first, one of
 * which has most. */
static void visit_values(visit *v, uint32_t l)
{
    enum { MOST = 32 };
    const uint32_t slot = v->leaf->loops[l]->slot;
    values all = v->values[slot];
    if (all.n[1] == 1 && is_followed(v, l)) {
        const bool stays = !(plussi_cexpr_slots(v->leaf->ref->offset) >> slot & 1);
        const uint32_t until = stays ? v->peeled + 1 : MOST;
        for (; all.n[0] > 1 && v->peeled < until && !v->ended; all.n[0]--, v->peeled++)
            visit_turn(v, l, all.first + all.step[0] * (int64_t)(all.n[0] - 1), NULL, NULL);
        if (stays && all.n[0] > 1 && !v->ended) {
            visit_turn(v, l, all.first, NULL, NULL);
            all.first += all.step[0];
            all.n[0]--;
        }
    }
    if (v->ended)
        return;
    set_box(v, slot, all);
    visit_level(v, l + 1, NULL, NULL);
}

/* The thread may execute the loop's iterations in another order than theirs. */
static bool is_out_of_order(const visit *v, const plussi_plan_node *loop)
{
    return loop->ws_head && loop->ws_head->on_demand && !v->e->source->ascending;
}

static void visit_loop(visit *v, uint32_t l, const plussi_cursor *after,
                       const plussi_cursor *before)
{
    const plussi_plan_node *loop = v->leaf->loops[l];
    const turns t = turns_in_box(v, loop);
    const bool sure = v->sure;
    int64_t from = -1, to = (int64_t)t.n;
    if (t.n == 0)
        return;
    if (is_out_of_order(v, loop)) {
        after = before = NULL;
        v->sure = false;
    }
    if (after && before && after->iv[loop->slot] == before->iv[loop->slot]) {
        visit_turn(v, l, after->iv[loop->slot], after, before);
        return;
    }
    if (before) {
        to = (before->iv[loop->slot] - t.first) / t.step;
        visit_turn(v, l, before->iv[loop->slot], NULL, before);
    }
    if (after)
        from = (after->iv[loop->slot] - t.first) / t.step;
    if (from + 1 < to && !v->ended &&
        take_own(v, loop, &t, (uint64_t)(from + 1), (uint64_t)(to - 1)))
        visit_values(v, l);
    v->sure = sure;
    if (after && !v->ended)
        visit_turn(v, l, after->iv[loop->slot], after, NULL);
}

/* The cursor is in the same turns of all loops further out; whether it is in this one, too. */
static bool shares_loop(const visit *v, const plussi_cursor *c, uint32_t l)
{
    const plussi_plan_node *leaf = v->e->leaf[c->leaf];
    return l < v->leaf->depth && l < leaf->depth && leaf->loops[l] == v->leaf->loops[l];
}

/* Where a cursor is in the text, if the ways to it and to the group part at the level. */
static bool parts(const visit *v, const plussi_cursor *c, uint32_t l, uint32_t *order)
{
    if (!c || shares_loop(v, c, l))
        return false;
    *order = v->e->leaf[c->leaf]->order;
    return true;
}

static bool has_member_between(const plussi_group *g, uint32_t after, uint32_t before)
{
    uint32_t i = 0;
    while (i < g->n_members && g->member[i]->order <= after)
        i++;
    return i < g->n_members && g->member[i]->order < before;
}

/* after, before: cursors in the same turns of the loops further out; NULL: none is. Where the ways
 * part the text decides; a group's members are in one body. */
static void visit_level(visit *v, uint32_t l, const plussi_cursor *after,
                        const plussi_cursor *before)
{
    const plussi_group *g = v->g;
    const bool sure = v->sure;
    uint32_t from = 0, to = UINT32_MAX;
    if (parts(v, after, l, &from))
        after = NULL;
    if (parts(v, before, l, &to))
        before = NULL;
    if (v->ended || g->member[g->n_members - 1]->order < from || g->member[0]->order > to)
        return;
    v->sure &= has_member_between(g, from, to);
    if (l == v->leaf->depth)
        visit_box(v);
    else
        visit_loop(v, l, after, before);
    v->sure = sure;
}

/* ---- groups -----------------------------------------------------------------------------------
 */

static bool takes_part(const plussi_plan_node *leaf, uint32_t thread)
{
    if (leaf->zero || !leaf->par)
        return thread == 0;
    return !leaf->par->team_fixed || thread < leaf->par->team;
}

/* All iterations that the thread has of the leaf's loops touch what the box says. */
static bool is_sure(const plussi_group *g, uint32_t thread)
{
    const plussi_plan_node *leaf = g->member[0];
    if (leaf->ref->touches > 1 || g->swap_level != -2 ||
        (thread > 0 && leaf->par && !leaf->par->team_fixed))
        return false;
    for (const plussi_plan_node *n = leaf; n; n = n->parent)
        if (n->kind == PLUSSI_P_IF)
            return false;
    return true;
}

void plussi_engine_visit_set(plussi_workspace *workspace, const plussi_stretch *stretch,
                             const plussi_set_visitor *visitor)
{
    const plussi_engine *e = workspace->engine;
    visit v = {.workspace = workspace,
               .e = e,
               .stretch = stretch,
               .visitor = visitor,
               .line = INT64_C(1) << e->line_shift,
               .way = (int64_t)visitor->sets << e->line_shift};
    for (uint32_t r = 0; r < e->n_ranges && !v.ended; r++) {
        const plussi_array_range *range = v.range = &e->range[r];
        const plussi_bound_array *root = &e->bound->array[range->root];
        int64_t copy = range->copy_lines ? (int64_t)(range->copy_lines << e->line_shift) : 0;
        for (uint32_t i = 0; i < range->n_groups && !v.ended; i++) {
            v.g = range->group[i];
            v.leaf = v.g->member[0];
            if ((v.g->swap_level == -2 && v.g->root != range->root) ||
                !takes_part(v.leaf, stretch->thread))
                continue;
            v.halved = v.peeled = 0;
            v.sure = is_sure(v.g, stretch->thread);
            v.base = root->base + copy * stretch->thread;
            set_values(&v, 0, stretch->thread, 1, 1);
            visit_level(&v, 0, stretch->after, stretch->before);
        }
    }
}
