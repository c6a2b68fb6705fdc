/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two-phase stratified sampling (Neyman 1938). The pilot sample has many accesses, for which only
 * the previous touch by their own thread is found, which is cheap. It gives the strata (reference,
 * reference of the previous touch, length of the interval, part of the program) and their weights.
 * A few accesses of each stratum are then evaluated, more where long intervals make the evaluation
 * uncertain. Where there are classes (clock_classes.h) each is a pilot sample of its own, whose
 * weight is known: a small one, if it is sure to be pure.
 */
#include <math.h>
#include <string.h>

#include "base/radix.h"
#include "model/clock_state.h"

/* An access of the pilot sample. */
typedef struct seen {
    uint64_t number, key, group;
    uint32_t part, leaf, thread, index;
    double weight, pilot;
    uint8_t length; /* log2 of the private interval; FAR + log2 of phases between; COLD */
} seen;

enum {
    FAR = 128,
    COLD = 255,
    FEWEST = 2,
    /* the pilot sample of a class that is sure to be pure: one in so many of others'; the same of
     * one thread's, which a team's accesses are less alike in */
    SURE = 4,
    SURE_SERIAL = 2
};

static uint8_t log2_of(uint64_t v)
{
    uint8_t l = 0;
    for (; v > 1; v >>= 1)
        l++;
    return l;
}

/* The loop nest that the access belongs to, and how far it has advanced. */
static uint32_t part_of(plussi_clock_run *run, uint64_t phase, uint64_t pos, uint32_t leaf)
{
    double progress = plussi_engine_progress(run->workspace, &run->cursor, phase, pos);
    uint32_t step =
        progress < 1 ? (uint32_t)(progress * PLUSSI_CLOCK_PROGRESS) : PLUSSI_CLOCK_PROGRESS - 1;
    return plussi_engine_part(run->engine, leaf) * PLUSSI_CLOCK_PROGRESS + step;
}

/* What is known of access `index` of the pilot sample: the access and its previous touch, packed.
 */
static plussi_clock_known *keep_known(plussi_clock_run *run, uint32_t index,
                                      const plussi_cursor *prev)
{
    plussi_clock_pilot_sample *pilot = &run->pilot;
    int64_t *words = pilot->words + 2 * (size_t)index * pilot->packed;
    plussi_engine_pack(run->engine, &run->cursor, words);
    if (prev)
        plussi_engine_pack(run->engine, prev, words + pilot->packed);
    return &pilot->known[index];
}

void plussi_clock_recall(plussi_clock_run *run, uint32_t index)
{
    const plussi_clock_pilot_sample *pilot = &run->pilot;
    const int64_t *words = pilot->words + 2 * (size_t)index * pilot->packed;
    run->known = &pilot->known[index];
    plussi_engine_unpack(run->engine, words, &run->cursor);
    if (run->known->any)
        plussi_engine_unpack(run->engine, words + pilot->packed,
                             &run->thread[run->cursor.iv[0]].touch);
}

void plussi_clock_look(plussi_workspace *workspace, const plussi_cursor *cursor,
                       plussi_clock_known *out, plussi_cursor *prev)
{
    out->line = plussi_engine_line(workspace, cursor);
    out->any = plussi_engine_prev(workspace, cursor, out->line, NULL, prev);
    plussi_engine_locate(workspace, cursor, &out->phase, &out->pos);
    if (out->any)
        plussi_engine_locate(workspace, prev, &out->prev_phase, &out->prev_pos);
}

void plussi_clock_tell_reuse(const plussi_cursor *cursor, const plussi_clock_known *known,
                             const plussi_cursor *prev, uint64_t *source, uint8_t *length)
{
    *source = plussi_mix(cursor->leaf, cursor->touch);
    *length = COLD;
    if (!known->any)
        return;
    *source = plussi_mix(*source, prev->leaf + 1);
    *length = known->phase == known->prev_phase
                  ? log2_of(known->pos - known->prev_pos)
                  : (uint8_t)(FAR + log2_of(known->phase - known->prev_phase));
}

/* Access `index` of the pilot sample, run->cursor. */
static void look_at_access(plussi_clock_run *run, uint32_t index, seen *out)
{
    plussi_cursor prev;
    plussi_clock_known at;
    plussi_effort_take(plussi_effort_of(run->ctx), 32);
    plussi_clock_look(run->workspace, &run->cursor, &at, &prev);
    plussi_clock_tell_reuse(&run->cursor, &at, &prev, &out->key, &out->length);
    out->index = index;
    out->leaf = run->cursor.leaf;
    out->thread = (uint32_t)run->cursor.iv[0];
    out->part = part_of(run, at.phase, at.pos, run->cursor.leaf);
    *keep_known(run, index, at.any ? &prev : NULL) = at;
}

/* Scales each reference's accesses in the pilot sample to its known number of executions. The
 * weight of references without an access in the sample goes to the others. */
static pluss_status weigh_references(plussi_clock_run *run, seen *s, size_t n)
{
    uint32_t leaves = plussi_engine_leaves(run->engine);
    double total = (double)plussi_engine_accesses(run->engine), sum = 0;
    double *count = plussi_calloc(&run->ctx->mem, leaves, sizeof *count);
    if (!count)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < n; i++)
        count[s[i].leaf]++;
    for (uint32_t l = 0; l < leaves; l++) {
        if (count[l] == 0)
            continue;
        double known = (double)plussi_engine_leaf_accesses(run->engine, l);
        count[l] = known > 0 ? known / count[l] : total / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        sum += s[i].weight = count[s[i].leaf];
    for (size_t i = 0; i < n; i++)
        s[i].weight *= total / sum;
    plussi_free(&run->ctx->mem, count);
    return PLUSS_OK;
}

/* Sorts by key; accesses of one key stay in their order. */
static pluss_status sort_by_key(plussi_ctx *ctx, seen *s, size_t n)
{
    plussi_keyed *order = plussi_alloc(&ctx->mem, 2 * n + 1, sizeof *order);
    seen *copy = plussi_alloc(&ctx->mem, n + 1, sizeof *copy);
    if (order && copy) {
        for (size_t i = 0; i < n; i++)
            order[i] = (plussi_keyed){s[i].key, (uint32_t)i};
        plussi_radix_sort(order, order + n, n);
        memcpy(copy, s, n * sizeof *s);
        for (size_t i = 0; i < n; i++)
            s[i] = copy[order[i].index];
    }
    pluss_status status = order && copy ? PLUSS_OK : PLUSS_ENOMEM;
    plussi_free(&ctx->mem, order);
    plussi_free(&ctx->mem, copy);
    return status;
}

/* A stratum's part of the samples is its importance times this power of its weight. Classes are
 * whole loops; other strata are of one part of the program. */
static const double power_of_strata = 0.6, power_of_classes = 0.8;

static double importance_of_length(uint8_t length)
{
    return length < 4 ? 0.15 : length < 8 ? 0.5 : 1;
}

/* Samples of windows of this length that cost about as much as one of a long window. Those of a
 * team are short, but not alike. */
static double samples_for_one(uint8_t length, uint32_t team)
{
    const double most = team == 1 ? 1 : fmax(1, fmin(8, 32 / sqrt(team)));
    return length < 4 ? most : length < 8 ? fmax(1, 0.4 * most) : 1;
}

/* The stratum that begins at s[i]; it ends before s[*j]. Returns its part of the samples, not
 * scaled. */
static double find_stratum(const seen *s, size_t n, size_t i, double power, size_t *j,
                           double *weight)
{
    *weight = 0;
    for (*j = i; *j < n && s[*j].key == s[i].key; ++*j)
        *weight += s[*j].weight;
    return importance_of_length(s[i].length) * pow(*weight, power);
}

/* Draws an access of each of `n_wanted` equal parts of a stratum, in program order. */
static void choose_samples(plussi_clock_run *run, const seen *s, size_t n, size_t n_wanted,
                           double weight, plussi_clock_plan *plan)
{
    for (size_t k = 0; k < n_wanted; k++) {
        size_t a = n * k / n_wanted, b = n * (k + 1) / n_wanted;
        const seen *x = &s[a + plussi_rng_below(&run->rng, b - a)];
        double drawn = weight * (double)(b - a) / (double)n;
        plan->sample[plan->n++] = (plussi_clock_sample){.number = x->number,
                                                        .place = x->index,
                                                        .turn = (uint32_t)k,
                                                        .turns = (uint32_t)n_wanted,
                                                        .stratum = x->key,
                                                        .group = x->group,
                                                        .pilot = x->pilot,
                                                        .drawn = drawn,
                                                        .weight = drawn,
                                                        .part = x->part};
    }
}

static pluss_status allocate_samples(plussi_clock_run *run, seen *s, size_t n, uint32_t samples,
                                     double power, plussi_clock_plan *plan)
{
    pluss_status status = sort_by_key(run->ctx, s, n);
    if (status)
        return status;
    double sum = 0, most = 0, weight;
    size_t strata = 0, j;
    for (size_t i = 0; i < n; i = j, strata++) {
        const double importance = find_stratum(s, n, i, power, &j, &weight);
        sum += importance;
        most += importance * samples_for_one(s[i].length, run->team);
    }
    plan->sample =
        plussi_alloc(&run->ctx->mem, (size_t)(most / sum * samples) + (FEWEST + 1) * strata + 1,
                     sizeof *plan->sample);
    if (!plan->sample)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < n; i = j) {
        double share = find_stratum(s, n, i, power, &j, &weight) / sum;
        const double n_whole = share * samples * samples_for_one(s[i].length, run->team);
        size_t n_wanted = (size_t)(n_whole + 0.5);
        if (n_wanted < FEWEST)
            n_wanted = FEWEST;
        if (n_wanted > j - i)
            n_wanted = j - i;
        choose_samples(run, s + i, j - i, n_wanted, weight, plan);
    }
    return PLUSS_OK;
}

/* A team's windows cost more than one thread's, but its short ones are looked at more often, and
 * its clocks are drawn evenly or its accesses by the classes of one thread. */
static uint32_t count_for_team(const plussi_clock_run *run, uint32_t samples)
{
    const bool even = run->handed_out || run->options->progress.law == PLUSSI_PROGRESS_UNIFORM;
    return run->team > 1 && even ? (samples + 2) / 3 : samples;
}

/* Beyond 64 active threads the cost of an access grows with their number. */
static uint32_t count_affordable(plussi_clock_run *run, const seen *s, size_t n, uint32_t samples)
{
    enum { MANY = 64 };
    uint32_t threads = 0;
    for (uint32_t i = 0; i < (run->team + 63) / 64; i++)
        run->other[i] = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bit = UINT64_C(1) << s[i].thread % 64, *word = &run->other[s[i].thread / 64];
        threads += !(*word & bit);
        *word |= bit;
    }
    samples = count_for_team(run, samples);
    return threads > MANY ? (uint32_t)(samples * sqrt((double)MANY / threads)) : samples;
}

static pluss_status keep_room(plussi_clock_run *run, size_t n)
{
    const plussi_mem *mem = &run->ctx->mem;
    run->pilot.packed = plussi_engine_packed_words(run->engine);
    run->pilot.known = plussi_alloc(mem, n, sizeof *run->pilot.known);
    run->pilot.words = plussi_alloc(mem, 2 * n * run->pilot.packed, sizeof(int64_t));
    return run->pilot.known && run->pilot.words ? PLUSS_OK : PLUSS_ENOMEM;
}

/* A number below `all`, drawn from part i of n equal ones. */
static uint64_t draw_in_part(plussi_rng *rng, uint64_t all, uint32_t i, uint32_t n)
{
    const uint64_t number = (uint64_t)((double)all * ((i + plussi_rng_unit(rng)) / n));
    return number < all ? number : all - 1;
}

/* One access from each of `n` equal parts of the program. */
static pluss_status draw_from_program(plussi_clock_run *run, seen *s, uint32_t n)
{
    const uint64_t total = plussi_engine_accesses(run->engine);
    for (uint32_t i = 0; i < n; i++) {
        s[i].number = draw_in_part(&run->rng, total, i, n);
        plussi_engine_nth(run->workspace, s[i].number, &run->cursor);
        look_at_access(run, i, &s[i]);
        const plussi_bound_node *ref = plussi_engine_ref(run->engine, s[i].leaf);
        s[i].key = plussi_mix(plussi_mix(s[i].key, s[i].length), s[i].part);
        s[i].group = plussi_mix(ref->id, s[i].part);
        s[i].pilot = (double)total / n;
    }
    return weigh_references(run, s, n);
}

/* ---- classes -----------------------------------------------------------------------------------
 */

/* An access of a class, drawn, but not looked at. */
typedef struct drawn {
    uint32_t class;
    double weight;
} drawn;

static double importance_of_class(const plussi_clock_class *c)
{
    const double importance = c->pure && !c->serial ? importance_of_length(c->least) : 1;
    return importance * pow((double)c->accesses, power_of_classes);
}

/* Sets the number of accesses that are drawn of each class; returns their sum. */
static size_t share_pilot(const plussi_clock_classes *classes, double total, uint32_t pilot,
                          uint32_t samples, uint32_t *out)
{
    double sum = 0;
    size_t all = 0;
    for (size_t i = 0; i < classes->n; i++)
        sum += importance_of_class(&classes->class[i]);
    for (size_t i = 0; i < classes->n; i++) {
        const plussi_clock_class *c = &classes->class[i];
        const double times = !c->sure ? 1 : c->serial ? SURE_SERIAL : SURE;
        const double least = (double)pilot * (double)c->accesses / total / times;
        const double wanted = samples * importance_of_class(c) / sum;
        const uint64_t n = (uint64_t)ceil(wanted > least ? wanted : least);
        out[i] = n < FEWEST ? FEWEST : (uint32_t)n;
        all += out[i];
    }
    return all;
}

/* The program whose classes these are: the team's, or that of one thread. */
typedef struct source {
    const plussi_engine *engine;
    plussi_workspace *workspace;
    plussi_engine *serial; /* NULL: the team's */
} source;

static pluss_status open_source(plussi_clock_run *run, const plussi_clock_classes *classes,
                                source *out)
{
    *out = (source){run->engine, run->workspace, NULL};
    if (!classes->class[0].serial)
        return PLUSS_OK;
    pluss_status status = plussi_clock_engine_share(run->shared, run->ctx, true, &out->serial);
    if (!status && !out->serial)
        status = plussi_engine_new_serial(run->ctx, run->bound, &out->serial);
    out->engine = out->serial;
    out->workspace = NULL;
    return status ? status : plussi_workspace_new(run->ctx, out->engine, &out->workspace);
}

static void close_source(source *from)
{
    if (from->serial)
        plussi_workspace_free(from->workspace);
    plussi_engine_free(from->serial);
}

/* For a box with fewer accesses than were counted. What is of another kind is a stratum of its own.
 */
static void draw_from_leaf(plussi_clock_run *run, const source *from, uint32_t leaf)
{
    const uint64_t all = plussi_engine_leaf_accesses(from->engine, leaf);
    plussi_engine_nth_of_leaf(from->workspace, leaf, plussi_rng_below(&run->rng, all),
                              &run->cursor);
}

/* The same access, run->cursor, in the team's program: both number accesses alike. false: it is not
 * told. */
static bool move_to_team(plussi_clock_run *run, const source *from)
{
    uint64_t number;
    const plussi_bound_node *ref = plussi_engine_ref(from->engine, run->cursor.leaf);
    if (!from->serial)
        return true;
    if (!plussi_engine_number(from->workspace, &run->cursor, &number))
        return false;
    plussi_engine_nth(run->workspace, number, &run->cursor);
    return plussi_engine_ref(run->engine, run->cursor.leaf) == ref;
}

/* One access from each of `n` equal parts of a class, in the order of its outermost loop. */
static pluss_status draw_from_class(plussi_clock_run *run, const source *from,
                                    const plussi_clock_class *c, uint32_t number, uint32_t n,
                                    drawn *out, int64_t *words)
{
    plussi_box_space space;
    plussi_box_draws *draws = NULL;
    pluss_status status = PLUSS_OK;
    if (c->boxed)
        status = plussi_box_space_of(from->engine, c->leaf, &space)
                     ? plussi_box_draws_new(run->ctx, &space, &c->box, &draws)
                     : PLUSS_EINTERNAL;
    for (uint32_t i = 0; i < n && !status; i++) {
        const uint64_t k = draw_in_part(&run->rng, c->accesses, i, n);
        if (!c->boxed)
            plussi_engine_nth_of_leaf(from->workspace, c->leaf, k, &run->cursor);
        else if (!plussi_box_draw(from->workspace, draws, k, &run->rng, &run->cursor))
            draw_from_leaf(run, from, c->leaf);
        if (!move_to_team(run, from))
            status = PLUSS_EINTERNAL;
        plussi_engine_pack(run->engine, &run->cursor, words + (size_t)i * run->pilot.packed);
        out[i] = (drawn){number, (double)c->accesses / n};
    }
    plussi_box_draws_free(draws);
    return status;
}

/* Pure classes are strata, apart from accesses that are of another kind after all. */
static uint64_t key_of_class(const plussi_clock_class *c, uint32_t number, const seen *s)
{
    const uint64_t key = plussi_mix(s->key, number);
    if (c->pure && !c->serial && s->key == c->source && s->length >= c->least &&
        s->length <= c->most)
        return key;
    return plussi_mix(plussi_mix(key, s->length), s->part + 1);
}

/* Looks at the accesses phase by phase, so that each is opened once. order: room for 2 n. */
static pluss_status look_at_drawn(plussi_clock_run *run, const plussi_clock_classes *classes,
                                  const drawn *d, const int64_t *words, size_t n,
                                  plussi_keyed *order, seen *s)
{
    const uint32_t packed = run->pilot.packed;
    for (size_t i = 0; i < n; i++) {
        plussi_engine_unpack(run->engine, words + i * packed, &run->cursor);
        order[i] = (plussi_keyed){plussi_engine_phase(run->workspace, &run->cursor), (uint32_t)i};
    }
    plussi_radix_sort(order, order + n, n);
    for (uint32_t i = 0; i < n; i++) {
        const drawn *x = &d[order[i].index];
        const plussi_clock_class *c = &classes->class[x->class];
        plussi_engine_unpack(run->engine, words + (size_t)order[i].index * packed, &run->cursor);
        look_at_access(run, i, &s[i]);
        if (!plussi_engine_number(run->workspace, &run->cursor, &s[i].number))
            return PLUSS_EINTERNAL;
        s[i].key = key_of_class(c, x->class, &s[i]);
        s[i].group = x->class;
        s[i].weight = s[i].pilot = x->weight;
    }
    return PLUSS_OK;
}

static pluss_status draw_from_classes(plussi_clock_run *run, const plussi_clock_classes *classes,
                                      const uint32_t *n_of, size_t n, seen *s)
{
    const plussi_mem *mem = &run->ctx->mem;
    drawn *d = plussi_alloc(mem, n, sizeof *d);
    int64_t *words = plussi_alloc(mem, n * run->pilot.packed + 1, sizeof *words);
    plussi_keyed *order = plussi_alloc(mem, 2 * n, sizeof *order);
    if (!d || !words || !order)
        return PLUSS_ENOMEM;
    size_t at = 0;
    source from;
    pluss_status status = open_source(run, classes, &from);
    for (uint32_t i = 0; i < classes->n && !status; at += n_of[i++])
        status = draw_from_class(run, &from, &classes->class[i], i, n_of[i], d + at,
                                 words + at * run->pilot.packed);
    close_source(&from);
    if (!status)
        status = look_at_drawn(run, classes, d, words, n, order, s);
    plussi_free(mem, d);
    plussi_free(mem, words);
    plussi_free(mem, order);
    return status;
}

pluss_status plussi_clock_pilot(plussi_clock_run *run, const plussi_clock_classes *classes,
                                uint32_t pilot, uint32_t samples, plussi_clock_plan *out)
{
    const plussi_mem *mem = &run->ctx->mem;
    plussi_clock_plan plan = {.accesses = (double)plussi_engine_accesses(run->engine)};
    plan.n_parts = plussi_engine_parts(run->engine) * PLUSSI_CLOCK_PROGRESS;
    size_t n = pilot;
    uint32_t *n_of = plussi_alloc(mem, classes->n + 1, sizeof *n_of);
    if (!n_of)
        return PLUSS_ENOMEM;
    if (classes->n)
        n = share_pilot(classes, plan.accesses, pilot, samples, n_of);
    seen *s = plussi_alloc(mem, n, sizeof *s);
    pluss_status status = s ? keep_room(run, n) : PLUSS_ENOMEM;
    if (!status)
        status = classes->n ? draw_from_classes(run, classes, n_of, n, s)
                            : draw_from_program(run, s, pilot);
    if (!status)
        status = allocate_samples(
            run, s, n, count_affordable(run, s, n, samples),
            classes->n && !classes->class[0].serial ? power_of_classes : power_of_strata, &plan);
    plan.pilot = n;
    plussi_free(mem, s);
    plussi_free(mem, n_of);
    if (!status)
        *out = plan;
    return status;
}
