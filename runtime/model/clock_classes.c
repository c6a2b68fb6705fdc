/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the classes, greedily: of the boxes that are not known to be pure the heaviest one is
 * probed, at random and at its edges, and split on the axis and at the coordinate that tell most
 * about what the probes found (information gain). A split counts only if the sizes of its parts add
 * up. A box whose probes agree is pure, and sure to be when so many do that what it hides is
 * bounded: if n agree, at most 3 / n of its accesses are of another kind, with 95 % (the rule of
 * three). What is not sure when the probes are used up stays a class, whose accesses are then
 * looked at as densely as those of a nest without classes.
 */
#include "model/clock_classes.h"

#include <math.h>
#include <string.h>

#include "model/clock_state.h"

enum {
    MOST_PROBES = 2250,
    MOST_CLASSES = 500,
    LEAST_PILOT = 8000, /* smaller pilot samples cost less than the classes */
    NODE_PROBES = 48,   /* looked at for a split; more are not drawn at random */
    RANDOM_PROBES = 5,
    SURE_PROBES = 750, /* that agree, for all of the program; for a class as many as its part, */
    LEAST_SURE = 30,   /* but not fewer, as there may be many classes */
    ODD_PROBES = 3,    /* of another kind: enough to split a box by */
    COUNT_EFFORT = 1 << 13, /* evaluations for the size of a box */
    FULL_EFFORT = 1 << 17   /* for all of them */
};

/* Classes of less than this part of the program are not split. */
static const double least_part = 1.0 / 2000;

/* Where pure classes hold less than this part of the program, it is sampled as a whole. */
static const double least_pure = 0.5;

typedef struct probe {
    uint64_t coordinate[PLUSSI_BOX_AXES];
    uint64_t source;
    uint8_t length;
    bool random; /* within its box */
    uint32_t next;
} probe;

enum { NONE = UINT32_MAX };

typedef struct node {
    plussi_clock_class class;
    const plussi_box_space *space;
    uint32_t first; /* probe; NONE: there is none */
    bool closed;
} node;

typedef struct finder {
    plussi_ctx *ctx;
    plussi_engine *engine;
    plussi_workspace *workspace;
    plussi_rng rng;
    double accesses, pilot;
    bool serial;
    uint64_t effort;
    probe *probe;
    uint32_t n_probes, n_nodes;
    node *node;
    double term[NODE_PROBES + 1]; /* n log2 n */
    pluss_status status;
} finder;

/* ---- probes ------------------------------------------------------------------------------------
 */

static bool is_full(const finder *f)
{
    return f->n_probes == MOST_PROBES;
}

static void look_at(finder *f, node *x, const plussi_cursor *cursor, bool random)
{
    probe *p = &f->probe[f->n_probes];
    plussi_clock_known known;
    plussi_cursor prev;
    plussi_clock_look(f->workspace, cursor, &known, &prev);
    plussi_clock_tell_reuse(cursor, &known, &prev, &p->source, &p->length);
    plussi_box_locate(x->space, cursor, p->coordinate);
    p->random = random;
    p->next = x->first;
    x->first = f->n_probes++;
}

static uint64_t count(finder *f, const plussi_box_space *space, const plussi_box *box)
{
    uint64_t effort = COUNT_EFFORT < f->effort ? COUNT_EFFORT : f->effort;
    const uint64_t given = effort, n = plussi_box_count(space, box, &effort);
    f->effort -= given - effort;
    return n;
}

static void probe_box(finder *f, node *x, const plussi_box *box, uint64_t n, bool random)
{
    plussi_cursor cursor = {0};
    plussi_box_nth(f->workspace, x->space, box, plussi_rng_below(&f->rng, n), &cursor);
    look_at(f, x, &cursor, random);
}

/* An access of the box at one coordinate, if no probe has it. */
static void probe_edge(finder *f, node *x, uint32_t axis, uint64_t at)
{
    for (uint32_t i = x->first; i != NONE; i = f->probe[i].next)
        if (f->probe[i].coordinate[axis] == at)
            return;
    plussi_box box = x->class.box;
    box.axis[axis] = (plussi_span){at, at + 1};
    const uint64_t n = is_full(f) ? 0 : count(f, x->space, &box);
    if (n && n != UINT64_MAX && (double)n > least_part / 4 * f->accesses)
        probe_box(f, x, &box, n, false);
}

/* Last coordinate on an axis that has a last one. */
static uint64_t find_last(const plussi_box_space *space, uint32_t axis)
{
    return axis == PLUSSI_BOX_RESIDUE ? space->residues - 1 : plussi_engine_team(space->engine) - 1;
}

static void probe_edges(finder *f, node *x)
{
    for (uint32_t a = 0; a < PLUSSI_BOX_AXES; a++) {
        const plussi_span *span = &x->class.box.axis[a];
        if (!plussi_box_has_axis(x->space, a) || span->to - span->from <= 1)
            continue;
        probe_edge(f, x, a, span->from);
        if (a >= PLUSSI_BOX_THREAD)
            probe_edge(f, x, a, (span->to == UINT64_MAX ? find_last(x->space, a) : span->to - 1));
    }
}

/* Heavy boxes get more, as what they hide weighs more. */
static uint32_t wanted_probes(const finder *f, const node *x)
{
    const double part = (double)x->class.accesses / f->accesses;
    return RANDOM_PROBES + (uint32_t)(100 * part < 25 ? 100 * part : 25);
}

static uint32_t count_random(const finder *f, const node *x)
{
    uint32_t n = 0;
    for (uint32_t i = x->first; i != NONE; i = f->probe[i].next)
        n += f->probe[i].random;
    return n;
}

static void probe_node(finder *f, node *x)
{
    for (uint32_t n = count_random(f, x); n < wanted_probes(f, x) && !is_full(f); n++)
        probe_box(f, x, &x->class.box, x->class.accesses, true);
    probe_edges(f, x);
}

/* ---- purity ------------------------------------------------------------------------------------
 */

/* Whether a probe agrees with those before it. */
static bool add_to_class(plussi_clock_class *c, const probe *p)
{
    c->least = p->length < c->least ? p->length : c->least;
    c->most = p->length > c->most ? p->length : c->most;
    return p->source == c->source && c->most <= c->least + 1;
}

/* Whether the probes agree; the class then says on what. */
static bool is_pure(const finder *f, node *x)
{
    plussi_clock_class *c = &x->class;
    if (x->first == NONE)
        return false;
    c->least = 255;
    c->most = 0;
    c->source = f->probe[x->first].source;
    bool pure = true;
    for (uint32_t i = x->first; i != NONE; i = f->probe[i].next)
        pure = add_to_class(c, &f->probe[i]) && pure;
    return pure;
}

/* A box whose probes agree: more of them, where they are fewer than what a sparse pilot sample
 * saves, until the class is sure or some do not agree. false: these. */
static bool make_sure(finder *f, node *x)
{
    plussi_clock_class *c = &x->class;
    const double part = (double)c->accesses / f->accesses;
    const double wanted = fmax(LEAST_SURE, ceil(SURE_PROBES * part));
    uint32_t n = count_random(f, x), odd = 0;
    plussi_box_draws *draws = NULL;
    if (n < wanted && f->pilot * part < 2 * wanted)
        return true;
    if (n < wanted)
        f->status = plussi_box_draws_new(f->ctx, x->space, &c->box, &draws);
    for (; n < wanted && odd < ODD_PROBES && !is_full(f) && !f->status; n++) {
        plussi_cursor cursor = {0};
        if (!plussi_box_draw(f->workspace, draws, plussi_rng_below(&f->rng, c->accesses), &f->rng,
                             &cursor))
            break;
        look_at(f, x, &cursor, true);
        odd += !add_to_class(c, &f->probe[x->first]);
    }
    plussi_box_draws_free(draws);
    c->sure = n >= wanted && odd == 0;
    return odd == 0;
}

/* ---- splits ------------------------------------------------------------------------------------
 */

/* The probes of a node, each with the number of what it found among different ones. */
typedef struct listed {
    uint32_t n, kinds;
    uint32_t probe[NODE_PROBES];
    uint32_t kind[NODE_PROBES];
} listed;

typedef struct cut {
    double gain;
    uint32_t axis;
    uint64_t at; /* the first part: below */
} cut;

enum { CUTS = 4 };

static uint64_t what_is_found(const probe *p)
{
    return plussi_mix(p->source, p->length);
}

/* Half of the room is for those that are unlike the first one. */
static listed list_probes(const finder *f, const node *x)
{
    listed l = {0};
    uint64_t seen[NODE_PROBES] = {x->first == NONE ? 0 : what_is_found(&f->probe[x->first])};
    l.kinds = x->first != NONE;
    for (uint32_t unlike = 2; unlike-- > 0;)
        for (uint32_t i = x->first; i != NONE && l.n < NODE_PROBES / (1 + unlike);
             i = f->probe[i].next) {
            const uint64_t what = what_is_found(&f->probe[i]);
            uint32_t k = 0;
            if ((what != seen[0]) != unlike)
                continue;
            while (k < l.kinds && seen[k] != what)
                k++;
            if (k == l.kinds)
                seen[l.kinds++] = what;
            l.probe[l.n] = i;
            l.kind[l.n++] = k;
        }
    return l;
}

static void note_cut(cut best[CUTS], double gain, uint32_t axis, uint64_t at)
{
    if (gain <= best[CUTS - 1].gain)
        return;
    uint32_t i = CUTS - 1;
    for (; i > 0 && best[i - 1].gain < gain; i--)
        best[i] = best[i - 1];
    best[i] = (cut){gain, axis, at};
}

static void sort_on_axis(const finder *f, listed *l, uint32_t axis)
{
    for (uint32_t i = 1; i < l->n; i++) {
        const uint32_t p = l->probe[i], k = l->kind[i];
        const uint64_t x = f->probe[p].coordinate[axis];
        uint32_t j = i;
        for (; j > 0 && f->probe[l->probe[j - 1]].coordinate[axis] > x; j--) {
            l->probe[j] = l->probe[j - 1];
            l->kind[j] = l->kind[j - 1];
        }
        l->probe[j] = p;
        l->kind[j] = k;
    }
}

/* Entropy of what the probes of a part found, times their number. */
static double find_entropy(const finder *f, const uint32_t *of_kind, uint32_t kinds, uint32_t n)
{
    double sum = f->term[n];
    for (uint32_t k = 0; k < kinds; k++)
        sum -= f->term[of_kind[k]];
    return sum;
}

/* The cuts on one axis: next to the edge, where most classes have theirs, or half way between
 * probes. */
static void find_cuts(const finder *f, const node *x, listed *l, uint32_t axis, cut best[CUTS])
{
    static const double inside = 0.9; /* the place is a guess there */
    enum { EDGE = 2 };
    uint32_t left[NODE_PROBES] = {0}, right[NODE_PROBES] = {0};
    sort_on_axis(f, l, axis);
    for (uint32_t i = 0; i < l->n; i++)
        right[l->kind[i]]++;
    const double all = find_entropy(f, right, l->kinds, l->n);
    for (uint32_t i = 0; i + 1 < l->n; i++) {
        left[l->kind[i]]++;
        right[l->kind[i]]--;
        const uint64_t here = f->probe[l->probe[i]].coordinate[axis];
        const uint64_t next = f->probe[l->probe[i + 1]].coordinate[axis];
        if (here == next)
            continue;
        const double gain = all - find_entropy(f, left, l->kinds, i + 1) -
                            find_entropy(f, right, l->kinds, l->n - i - 1);
        const bool edge = here - x->class.box.axis[axis].from < EDGE || next - here == 1 ||
                          axis >= PLUSSI_BOX_THREAD;
        note_cut(best, gain * (edge ? 1 : inside), axis,
                 edge ? here + 1 : here + (next - here + 1) / 2);
    }
}

static void share_probes(finder *f, const node *from, node *a, node *b)
{
    a->first = b->first = NONE;
    for (uint32_t i = from->first, next; i != NONE; i = next) {
        node *to = plussi_box_holds(&a->class.box, f->probe[i].coordinate) ? a : b;
        next = f->probe[i].next;
        f->probe[i].next = to->first;
        to->first = i;
    }
}

/* Splits the node where that tells most; false: nowhere. */
static bool split_node(finder *f, uint32_t number)
{
    cut best[CUTS] = {0};
    const node x = f->node[number];
    listed l = list_probes(f, &x);
    for (uint32_t a = 0; a < PLUSSI_BOX_AXES; a++)
        if (plussi_box_has_axis(x.space, a))
            find_cuts(f, &x, &l, a, best);
    for (uint32_t i = 0; i < CUTS && best[i].gain > 1e-9; i++) {
        node a = x, b = x;
        a.class.box.axis[best[i].axis].to = b.class.box.axis[best[i].axis].from = best[i].at;
        a.class.accesses = count(f, x.space, &a.class.box);
        b.class.accesses = count(f, x.space, &b.class.box);
        if (!a.class.accesses || !b.class.accesses || a.class.accesses == UINT64_MAX ||
            a.class.accesses + b.class.accesses != x.class.accesses)
            continue;
        share_probes(f, &x, &a, &b);
        f->node[number] = a;
        f->node[f->n_nodes++] = b;
        return true;
    }
    return false;
}

/* ---- all of the program ------------------------------------------------------------------------
 */

static node *find_heaviest(finder *f)
{
    node *best = NULL;
    for (uint32_t i = 0; i < f->n_nodes; i++)
        if (!f->node[i].closed && (!best || f->node[i].class.accesses > best->class.accesses))
            best = &f->node[i];
    return best;
}

static void refine_nodes(finder *f)
{
    for (node *x; !f->status && (x = find_heaviest(f));) {
        const bool small = (double)x->class.accesses < least_part * f->accesses;
        if (small || is_full(f) || f->n_nodes == MOST_CLASSES) {
            x->closed = true;
            continue;
        }
        probe_node(f, x);
        x->class.pure = is_pure(f, x) && make_sure(f, x);
        x->closed = x->class.pure || !split_node(f, (uint32_t)(x - f->node));
    }
}

/* One node a reference. false: the accesses of one are not known. */
static bool start_nodes(finder *f, plussi_box_space *space)
{
    uint64_t all = 0;
    for (uint32_t leaf = 0; leaf < plussi_engine_leaves(f->engine); leaf++) {
        if (!plussi_engine_ref(f->engine, leaf))
            continue;
        const uint64_t n = plussi_engine_leaf_accesses(f->engine, leaf);
        if (n == 0)
            continue;
        if (f->n_nodes == MOST_CLASSES / 2)
            return false;
        node *x = &f->node[f->n_nodes++];
        *x = (node){.class = {.leaf = leaf, .box = plussi_box_whole(), .accesses = n},
                    .space = &space[leaf],
                    .first = NONE};
        x->class.boxed = plussi_box_space_of(f->engine, leaf, &space[leaf]) &&
                         count(f, &space[leaf], &x->class.box) == n;
        x->closed = !x->class.boxed;
        all += n;
    }
    return all == plussi_engine_accesses(f->engine);
}

typedef struct search {
    plussi_ctx *outer;
    const plussi_bound *bound;
    const plussi_clock_options *options;
    plussi_clock_classes *out;
} search;

static bool is_mostly_pure(const finder *f)
{
    double pure = 0;
    for (uint32_t i = 0; i < f->n_nodes; i++)
        pure += f->node[i].class.pure ? (double)f->node[i].class.accesses : 0;
    return pure >= least_pure * f->accesses;
}

static pluss_status hand_over(const search *s, const finder *f)
{
    if (!is_mostly_pure(f))
        return PLUSS_OK;
    plussi_clock_class *class = plussi_alloc(&s->outer->mem, f->n_nodes, sizeof *class);
    if (!class)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < f->n_nodes; i++) {
        class[i] = f->node[i].class;
        class[i].serial = f->serial;
    }
    *s->out = (plussi_clock_classes){class, f->n_nodes, f->n_probes};
    return PLUSS_OK;
}

/* Where loops are dispatched on demand which thread makes an access is not known, and with it the
 * boxes of the team's program. One thread's has the same accesses, if no code is executed by
 * several threads, and is known. Else there is no engine. */
static pluss_status make_serial(const search *s, finder *f)
{
    const uint64_t accesses = plussi_engine_accesses(f->engine);
    plussi_engine_free(f->engine);
    f->engine = NULL;
    pluss_status status = plussi_engine_new_serial(f->ctx, s->bound, &f->engine);
    f->serial = true;
    if (!status &&
        (!plussi_engine_is_alike(f->engine) || plussi_engine_accesses(f->engine) != accesses)) {
        plussi_engine_free(f->engine);
        f->engine = NULL;
    }
    return status;
}

static pluss_status find_classes(plussi_ctx *ctx, void *user)
{
    const search *s = user;
    plussi_clock_itersets *sets = NULL;
    plussi_box_space *space = NULL;
    finder f = {.ctx = ctx, .effort = FULL_EFFORT};
    pluss_status status = plussi_clock_itersets_new(ctx, s->bound, &s->options->progress,
                                                    s->options->seed, true, &sets);
    if (!status)
        status = plussi_engine_new(ctx, s->bound, plussi_clock_itersets_source(sets), &f.engine);
    if (!status && plussi_engine_uses_source(f.engine))
        status = make_serial(s, &f);
    if (status || !f.engine ||
        plussi_engine_accesses(f.engine) < s->options->pilot) /* which looks at all of them */
        goto done;
    plussi_rng_seed(&f.rng, s->options->seed, UINT64_MAX);
    f.accesses = (double)plussi_engine_accesses(f.engine);
    f.pilot = s->options->pilot;
    for (uint32_t n = 2; n <= NODE_PROBES; n++)
        f.term[n] = n * log2(n);
    f.probe = plussi_alloc(&ctx->mem, MOST_PROBES, sizeof *f.probe);
    f.node = plussi_alloc(&ctx->mem, MOST_CLASSES, sizeof *f.node);
    space = plussi_alloc(&ctx->mem, plussi_engine_leaves(f.engine) + 1, sizeof *space);
    status = f.probe && f.node && space ? plussi_workspace_new(ctx, f.engine, &f.workspace)
                                        : PLUSS_ENOMEM;
    if (!status && start_nodes(&f, space)) {
        refine_nodes(&f);
        status = f.status;
        if (!status)
            status = plussi_workspace_failed(f.workspace) ? PLUSS_ENOMEM : hand_over(s, &f);
    }
done:
    plussi_workspace_free(f.workspace);
    plussi_free(&ctx->mem, space);
    plussi_free(&ctx->mem, f.node);
    plussi_free(&ctx->mem, f.probe);
    plussi_engine_free(f.engine);
    plussi_clock_itersets_free(sets);
    return status;
}

pluss_status plussi_clock_find_classes(plussi_ctx *ctx, const plussi_bound *bound,
                                       const plussi_clock_options *options,
                                       plussi_clock_classes *out)
{
    search s = {ctx, bound, options, out};
    plussi_ctx tried;
    *out = (plussi_clock_classes){0};
    plussi_clock_used used;
    if (options->pilot < LEAST_PILOT || plussi_clock_take_classes(ctx, options, out))
        return PLUSS_OK;
    plussi_ctx_init(&tried, &ctx->mem);
    pluss_status status = plussi_clock_attempt(&tried, bound, options, find_classes, &s, &used);
    plussi_ctx_clear(&tried);
    if (!status)
        plussi_clock_keep_classes(ctx, options, used.steps, out);
    return status == PLUSS_ENOMEM ? status : PLUSS_OK;
}
