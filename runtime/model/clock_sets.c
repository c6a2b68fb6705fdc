/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a cache of sets and ways still holds the line of an access: it does if the window holds
 * fewer other lines of the line's set than there are ways. Short windows are listed. In long ones
 * the lines of the set that a thread's part may touch are visited, and each is checked by a query
 * for its latest touch, until there are as many as ways. docs/models.md, "Sets and ways".
 */
#include <math.h>
#include <string.h>

#include "base/map.h"
#include "model/clock_state.h"
#include "sampler/set_lines.h"

typedef struct set_search {
    plussi_clock_run *run;
    uint64_t most;
    plussi_clock_lines *lines;
    uint32_t thread; /* whose part is looked at */
    uint64_t found;  /* other lines of the set that the window holds */
    uint64_t *met;   /* one of them */
    uint32_t queries;
} set_search;

static bool is_over(const set_search *h)
{
    return h->found >= h->most || h->queries >= PLUSSI_CLOCK_MOST_QUERIES;
}

/* The thread's part of the window brings the line to the cache: it asks for it, or a cache before
 * evicts it, written. touched: it is known that the part touches the line. */
static bool is_brought(set_search *h, uint64_t line, bool touched)
{
    plussi_clock_run *run = h->run;
    const plussi_cursor *edge = plussi_clock_edge(run, h->thread);
    const plussi_cursor *end = plussi_clock_cursor(run, h->thread);
    if (touched && !run->filter)
        return true;
    h->queries++;
    if ((touched || plussi_clock_touched(run, h->thread, end, line)) &&
        (!run->filter || plussi_clock_requests(run, run->filter - 1, line, edge, end, &h->queries)))
        return true;
    return run->evicted && edge &&
           plussi_clock_writes_back(run, run->filter - 1, line, edge, end, &h->queries);
}

static bool look_at(void *user, uint64_t line, bool sure)
{
    set_search *h = user;
    if (line == h->run->line || plussi_clock_lines_have(h->lines, line, h->thread))
        return true;
    if (is_brought(h, line, sure && !h->run->evicted)) {
        plussi_clock_meet(h->met, line);
        h->found += plussi_clock_lines_add(h->lines, line, UINT32_MAX);
    } else {
        (void)plussi_clock_lines_add(h->lines, line, h->thread);
    }
    return !is_over(h);
}

/* From where on thread k's touches matter to the window; NULL: from the start. */
static const plussi_cursor *find_start(plussi_clock_run *run, uint32_t k, plussi_cursor *room)
{
    const plussi_cursor *edge = plussi_clock_edge(run, k);
    if (!run->evicted || !edge)
        return edge;
    uint64_t rank = plussi_clock_rank_of(run, edge);
    if (rank <= run->untouched)
        return NULL;
    plussi_clock_access_before(run, edge, rank - run->untouched, room);
    return room;
}

bool plussi_clock_replaces_none(const plussi_clock_run *run, uint32_t level)
{
    const plussi_cache_shape *shape = &run->options->shape[level];
    return !shape->exclusive && !shape->no_write_allocate &&
           plussi_engine_lines_in_set(run->engine, shape->sets, run->line % shape->sets) <=
               shape->ways;
}

int plussi_clock_holds(plussi_clock_run *run, uint32_t level, uint64_t more, uint64_t *met)
{
    const plussi_cache_shape *shape = &run->options->shape[level];
    const uint64_t most = shape->ways + more;
    set_search h = {.run = run, .most = most, .lines = run->set_lines[level], .met = met};
    const plussi_set_visitor visitor = {look_at, &h, shape->sets, run->line % shape->sets};
    if (run->interval - 1 < most)
        return 1;
    if (plussi_clock_is_listed(run) && !run->filter)
        return plussi_clock_list_set(run, shape->sets, met) < most;
    plussi_clock_lines_empty(h.lines);
    for (uint32_t i = 0; i < run->n_seen && !is_over(&h); i++) {
        plussi_cursor room;
        h.thread = run->seen[i];
        plussi_clock_thread *t = &run->thread[h.thread];
        if (run->source_phase == run->phase && t->start == t->end)
            continue;
        const plussi_stretch stretch = {h.thread, find_start(run, h.thread, &room),
                                        plussi_clock_cursor(run, h.thread)};
        plussi_engine_visit_set(run->workspace, &stretch, &visitor);
    }
    return h.found >= most ? 0 : h.queries >= PLUSSI_CLOCK_MOST_QUERIES ? -1 : 1;
}

static bool is_first(const plussi_clock_sample *x, uint32_t i)
{
    return x->levels.first >> i & 1;
}

/* A write that goes on to the next level, whether this one misses it or not. */
static bool is_passed_on(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i)
{
    return o->shape[i].write_through && x->ref->u.ref.write;
}

bool plussi_clock_comes_to(const plussi_clock_options *o, const plussi_clock_sample *x, uint32_t i)
{
    return i == 0 || is_first(x, i - 1) || x->levels.loss[i - 1] || !o->shape[i - 1].searched ||
           ((x->levels.missed | x->levels.unsure) >> (i - 1) & 1) ||
           (plussi_clock_comes_to(o, x, i - 1) && is_passed_on(x, o, i - 1));
}

/* A level before an exclusive one has the line, this one not. */
static bool is_above(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i)
{
    return i > 0 && o->shape[i].exclusive &&
           (is_above(x, o, i - 1) ||
            (is_passed_on(x, o, i - 1) && !((x->levels.missed | x->levels.unsure) >> (i - 1) & 1)));
}

/* Whether own level i holds the line: 1, 0 or -1, as plussi_clock_holds. */
static int holds_own(plussi_clock_run *run, plussi_clock_sample *x, uint32_t i)
{
    const plussi_cache_shape *shape = run->options->shape;
    const bool own =
        run->last - run->first == 1 && (i > 0 ? shape[i - 1].searched : shape[i].no_write_allocate);
    if (is_above(x, run->options, i))
        return 0;
    if (plussi_clock_replaces_none(run, i))
        return 1;
    return own ? plussi_clock_holds_filtered(run, i, &x->levels.met[i])
               : plussi_clock_holds(run, i, 0, &x->levels.met[i]);
}

void plussi_clock_find_sets(plussi_clock_run *run, plussi_clock_sample *x)
{
    const plussi_clock_options *o = run->options;
    for (uint32_t i = 0; i < o->n_shapes; i++) {
        const uint64_t before = (UINT64_C(1) << i) - 1;
        if (o->shape[i].threads_per_cache != o->threads_per_cache)
            break;
        x->levels.met[i] = UINT64_MAX;
        x->levels.first |= (uint64_t)run->cold << i;
        x->levels.loss[i] = (uint8_t)x->loss;
        if (run->cold || !o->shape[i].searched ||
            !(plussi_clock_comes_to(o, x, i) || o->shape[i].inclusive))
            continue;
        int held = holds_own(run, x, i);
        x->levels.missed |= (uint64_t)(held == 0) << i;
        x->levels.unsure |= (uint64_t)(held < 0) << i;
        if (held == 0 && x->levels.met[i] == UINT64_MAX) /* nothing took its place */
            x->levels.full |= UINT64_C(1) << i;
        if (held == 0 && o->shape[i].inclusive) /* they lose it, too */
            x->levels.missed |= before;
    }
}

bool plussi_clock_counts_dirty(const plussi_clock_options *options, uint32_t team, uint32_t level)
{
    bool counts = level < options->n_shapes;
    for (uint32_t i = 0; i <= level && counts; i++)
        counts = options->shape[i].searched &&
                 (team == 1 || options->shape[i].threads_per_cache == 1) &&
                 !options->shape[i].write_through && !options->shape[i].no_write_allocate &&
                 !options->shape[i].exclusive;
    return counts;
}

/* ---- misses -----------------------------------------------------------------------------------
 */

/* More than ways of `others` lines, which are in any set each, in this one: the upper tail of a
 * Poisson distribution (the binomial one of n lines, each with chance 1 / sets, for many sets). */
static double overflows(const plussi_cache_shape *shape, double others)
{
    double mean = others / (double)shape->sets, term = exp(-mean), below = 0;
    if (term == 0)
        return mean > (double)shape->ways;
    for (uint64_t k = 0; k < shape->ways; k++) {
        below += term;
        term *= mean / (double)(k + 1);
    }
    return fmax(0, 1 - below);
}

static bool is_full(const plussi_clock_sample *x, uint32_t i)
{
    return x->levels.full >> i & 1;
}

/* The part of the access that the cache replaces too early. Where the queries did not suffice: as a
 * fully associative cache of the size. */
static double replaced(const plussi_clock_sample *x, const plussi_cache_shape *shape, uint32_t i)
{
    if (shape->searched && !(x->levels.unsure >> i & 1))
        return x->levels.missed >> i & 1;
    if (shape->random && shape->sets > 1)
        return overflows(shape, x->distance - 1);
    return is_full(x, i);
}

static double missed(const plussi_clock_sample *x, const plussi_cache_shape *shape, uint32_t i)
{
    return x->levels.loss[i] || is_first(x, i) ? 1 : replaced(x, shape, i);
}

/* The part of the access that comes to level i. */
static double requested(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i)
{
    double part = 1;
    for (uint32_t k = 0; k < i; k++)
        part *= is_passed_on(x, o, k) ? 1 : missed(x, &o->shape[k], k);
    return part;
}

static void count_sample(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i,
                         plussi_misses *to)
{
    const plussi_cache_shape *shape = &o->shape[i];
    double requests = x->weight * requested(x, o, i);
    double misses = requests * missed(x, shape, i);
    plussi_miss_kind kind = is_first(x, i)  ? PLUSSI_MISS_COLD
                            : is_full(x, i) ? PLUSSI_MISS_CAPACITY
                                            : PLUSSI_MISS_CONFLICT;
    to->requests += requests;
    to->all += misses;
    to->fetched += i == 0 && shape->no_write_allocate && x->ref->u.ref.write ? 0 : misses;
    bool any = !is_first(x, i) || shape->threads_per_cache; /* that touched it before */
    to->after_other += x->after_other && any ? misses : 0;
    if (x->levels.loss[i]) { /* the write finds the line that the cache has not replaced, or it
                                comes here only because the level before has lost it so */
        const double before =
            i > 0 && x->levels.loss[i - 1] ? replaced(x, &o->shape[i - 1], i - 1) : 1;
        double lost = requests * (1 - before * replaced(x, shape, i));
        to->kind[x->levels.loss[i] == PLUSSI_CLOCK_TRUE_SHARING ? PLUSSI_MISS_TRUE_SHARING
                                                                : PLUSSI_MISS_FALSE_SHARING] +=
            lost;
        misses -= lost;
    }
    to->kind[kind] += misses;
}

static double written_part(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i)
{
    (void)o;
    double sure = i == 0 || x->levels.alone ? 1 : 0.5; /* from 0 to 1, all alike */
    return x->levels.dirtied >> i & 1 ? sure : 0;
}

/* What is counted of the accesses that samples stand for: misses, of which the cold ones are
 * counted apart, or lines that are written back. */
typedef struct counted {
    double (*part)(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i);
    bool misses;
} counted;

/* What the samples of some references, or of all, say of it. */
typedef struct group_sums {
    double weight, warm, cold; /* accesses; misses that are not cold, and that are */
    double warm_squares,
        cold_squares;    /* of how far samples are from the mean, less those of zeros */
    double one, between; /* warm misses of a replication; of how far these are apart */
    double unsure;       /* accesses of which it is not known whether they miss */
} group_sums;

static double missing_part(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i)
{
    return requested(x, o, i) * missed(x, &o->shape[i], i);
}

static bool is_apart(const counted *c, const plussi_clock_sample *x, uint32_t i)
{
    return c->misses && is_first(x, i);
}

static void sum_up(const counted *c, const plussi_clock_plan *plan, const plussi_clock_options *o,
                   uint32_t i, group_sums *by_ref, group_sums *all)
{
    for (size_t k = 0; k < plan->n; k++) {
        const plussi_clock_sample *x = &plan->sample[k];
        double misses = x->weight * c->part(x, o, i);
        group_sums *const both[] = {&by_ref[x->ref->id], all};
        for (int j = 0; j < 2; j++) {
            both[j]->weight += x->weight;
            *(is_apart(c, x, i) ? &both[j]->cold : &both[j]->warm) += misses;
            if (c->misses && (x->levels.unsure >> i & 1))
                both[j]->unsure += x->weight * requested(x, o, i);
        }
    }
}

/* warm, cold: accesses. */
static void add_squares(const counted *c, const plussi_clock_plan *plan,
                        const plussi_clock_options *o, uint32_t i, double warm, double cold,
                        group_sums *by_ref, group_sums *all)
{
    for (size_t k = 0; k < plan->n; k++) {
        const plussi_clock_sample *x = &plan->sample[k];
        double square = x->weight * x->weight, m = c->part(x, o, i);
        group_sums *const both[] = {&by_ref[x->ref->id], all};
        for (int j = 0; j < 2; j++) {
            double p = is_apart(c, x, i) ? both[j]->cold / cold : both[j]->warm / warm;
            *(is_apart(c, x, i) ? &both[j]->cold_squares : &both[j]->warm_squares) +=
                square * ((m - p) * (m - p) - p * p);
        }
    }
}

static void add_replication(const counted *c, const plussi_clock_plan *plan,
                            const plussi_clock_options *o, uint32_t i, uint32_t r, double warm,
                            group_sums *by_ref, uint32_t n)
{
    double weight = 0;
    for (uint32_t g = 0; g <= n; g++)
        by_ref[g].one = 0;
    for (size_t k = 0; k < plan->n; k++) {
        const plussi_clock_sample *x = &plan->sample[k];
        if (is_apart(c, x, i) || x->replication != r)
            continue;
        double misses = x->weight * c->part(x, o, i);
        weight += x->weight;
        by_ref[x->ref->id].one += misses;
        by_ref[n].one += misses;
    }
    for (uint32_t g = 0; g <= n && weight > 0; g++) {
        double apart = by_ref[g].one / weight - by_ref[g].warm / warm;
        by_ref[g].between += apart * apart;
    }
}

/* Standard errors of what is counted of each of n references, and of all in the end. Of warm
 * accesses: how far the means of replications are apart, or what samples of unequal weight leave
 * uncertain, the larger one; what is too rare to be sampled, the weight of one sample; and those
 * that took too many queries. Of cold ones: which references make them, and how many there are. */
static void find_errors(const counted *c, const plussi_clock_plan *plan,
                        const plussi_clock_options *o, uint32_t i, uint32_t replications,
                        double firsts_error, group_sums *by_ref, uint32_t n, double *error)
{
    double warm = 0, cold = 0, warm_squares = 0, cold_squares = 0;
    size_t n_warm = 0;
    for (size_t k = 0; k < plan->n; k++) {
        const plussi_clock_sample *x = &plan->sample[k];
        n_warm += !is_apart(c, x, i);
        *(is_apart(c, x, i) ? &cold : &warm) += x->weight;
        *(is_apart(c, x, i) ? &cold_squares : &warm_squares) += x->weight * x->weight;
    }
    sum_up(c, plan, o, i, by_ref, &by_ref[n]);
    add_squares(c, plan, o, i, warm, cold, by_ref, &by_ref[n]);
    for (uint32_t r = 0; r < replications; r++)
        add_replication(c, plan, o, i, r, warm, by_ref, n);
    for (uint32_t g = 0; g <= n; g++) {
        const group_sums *s = &by_ref[g];
        double p = warm > 0 ? s->warm / warm : 0, q = cold > 0 ? s->cold / cold : 0;
        double between =
            s->between / ((double)replications * (replications > 1 ? replications - 1 : 1));
        double seen =
            fmax(sqrt(fmax(0, s->warm_squares + p * p * warm_squares)), warm * sqrt(between));
        double unseen = n_warm ? fmin(warm / (double)n_warm, s->weight) : 0;
        double whose = sqrt(fmax(0, s->cold_squares + q * q * cold_squares));
        double open = s->unsure / sqrt(3); /* all or none of them, all alike */
        error[g] = hypot(hypot(seen, unseen), hypot(open, hypot(whose, firsts_error * (q - p))));
    }
}

/* The number of cold accesses is known, also where none was sampled: they go to the references that
 * come first of their arrays, by the arrays' sizes. */
static void add_unsampled_cold(const plussi_clock_plan *plan, const plussi_bound *bound,
                               double cold_lines, uint32_t i, plussi_level_estimate *level)
{
    double all = 0;
    for (size_t k = 0; k < plan->n; k++)
        if (is_first(&plan->sample[k], i))
            return;
    for (uint32_t a = 0; a < bound->n_arrays; a++)
        all += (double)(bound->array[a].hi_byte - bound->array[a].lo_byte);
    for (uint32_t a = 0; a < bound->n_arrays; a++) {
        const plussi_bound_array *array = &bound->array[a];
        uint32_t r = 0;
        while (r < bound->n_refs && (!bound->ref[r] || bound->ref[r]->u.ref.array != array))
            r++;
        double lines = cold_lines * (double)(array->hi_byte - array->lo_byte) / all;
        plussi_misses *part = &level->part[r < bound->n_refs ? r : 0];
        part->requests = fmax(part->requests, part->all + lines);
        part->all += lines;
        part->fetched += lines;
        part->kind[PLUSSI_MISS_COLD] += lines;
        part->error = hypot(part->error, lines);
    }
}

/* The array of a line; NULL: none. */
static const plussi_bound_array *array_at(const plussi_bound *bound, uint64_t line)
{
    const int64_t address = (int64_t)(line * bound->line_bytes), width = bound->line_bytes;
    for (uint32_t i = 0; i < bound->n_arrays; i++) {
        const plussi_bound_array *a = &bound->array[i];
        if (!a->over && address < a->base + a->hi_byte && address + width > a->base + a->lo_byte)
            return a;
    }
    return NULL;
}

static bool is_conflict(const plussi_clock_sample *x, uint32_t i)
{
    return (x->levels.missed >> i & 1) && x->levels.met[i] != UINT64_MAX && !is_full(x, i);
}

/* For each reference the array that its conflict misses are with most often, by a vote of majority
 * (Boyer and Moore), and how many are. */
static void find_rivals(const plussi_clock_plan *plan, const plussi_bound *bound,
                        const plussi_clock_options *o, uint32_t i, plussi_rival *rival)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < plan->n; k++) {
            const plussi_clock_sample *x = &plan->sample[k];
            plussi_rival *r = &rival[x->ref->id];
            if (is_first(x, i) || !is_conflict(x, i))
                continue;
            double m = x->weight * requested(x, o, i);
            const plussi_bound_array *array = array_at(bound, x->levels.met[i]);
            if (pass > 0)
                r->misses += array && array == r->array ? m : 0;
            else if (array == r->array || r->vote < m)
                *r = (plussi_rival){array, 0, array == r->array ? r->vote + m : m - r->vote};
            else
                r->vote -= m;
        }
}

/* error: standard error of all by samples and replications. */
static void count_written_back(const plussi_clock_plan *plan, const plussi_clock_options *o,
                               uint32_t n_refs, uint32_t i, double error,
                               plussi_level_estimate *level)
{
    double unsure = 0;
    level->written_back = 0;
    for (uint32_t r = 0; r < n_refs; r++)
        level->part[r].written_back = 0;
    for (size_t k = 0; k < plan->n; k++) {
        const plussi_clock_sample *x = &plan->sample[k];
        double m = x->weight * written_part(x, o, i);
        level->part[x->ref->id].written_back += m;
        level->written_back += m;
        unsure += i > 0 && !x->levels.alone ? m / sqrt(3) : 0;
    }
    level->written_back_error = hypot(unsure, error);
}

/* Notes which windows have more lines than the cache; an exclusive one, and the one before. */
static void find_full(plussi_clock_plan *plan, const plussi_clock_options *o, uint32_t i)
{
    const plussi_cache_shape *shape = &o->shape[i];
    const double lines = (double)(shape->sets * shape->ways +
                                  (shape->exclusive ? shape[-1].sets * shape[-1].ways : 0));
    for (size_t k = 0; k < plan->n; k++)
        plan->sample[k].levels.full |= (uint64_t)(plan->sample[k].distance > lines) << i;
}

static void weigh_firsts_of(plussi_clock_plan *plan, uint32_t i, double lines)
{
    double first = 0, again = 0;
    for (size_t k = 0; k < plan->n; k++) {
        const plussi_clock_sample *x = &plan->sample[k];
        *(is_first(x, i) ? &first : &again) += x->cold ? x->weight : 0;
    }
    if (!(first > 0 && again > 0))
        return;
    for (size_t k = 0; k < plan->n; k++) {
        plussi_clock_sample *x = &plan->sample[k];
        if (x->cold)
            x->weight *= is_first(x, i) ? lines / first : (first + again - lines) / again;
    }
}

void plussi_clock_weigh_firsts(plussi_clock_plan *plan, const plussi_clock_options *o, double lines)
{
    for (uint32_t i = 0; i < o->n_shapes && o->threads_per_cache; i++)
        if (!o->shape[i].threads_per_cache) {
            weigh_firsts_of(plan, i, fmin(lines, plan->firsts.lines));
            return;
        }
}

static pluss_status count_level(plussi_clock_plan *plan, const plussi_bound *bound,
                                const plussi_clock_options *o, uint32_t i, uint32_t replications,
                                plussi_estimate *out)
{
    const plussi_footprint all = {out->footprint, out->footprint_error};
    const plussi_footprint firsts = o->shape[i].threads_per_cache ? plan->firsts : all;
    plussi_level_estimate *level = &out->level[i];
    const uint32_t n = bound->n_refs;
    const counted misses = {missing_part, true}, writes = {written_part, false};
    group_sums *sums = plussi_calloc(&out->mem, n + 1, sizeof *sums);
    double *error = plussi_calloc(&out->mem, n + 1, sizeof *error);
    level->level = i;
    level->written_back = NAN;
    level->part = plussi_calloc(&out->mem, n + 1, sizeof *level->part);
    level->rival = plussi_calloc(&out->mem, n + 1, sizeof *level->rival);
    bool good = sums && error && level->part && level->rival;
    if (good) {
        find_errors(&misses, plan, o, i, replications, firsts.error, sums, n, error);
        for (uint32_t r = 0; r < n; r++)
            level->part[r] =
                (plussi_misses){.written_back = NAN, .written_back_error = -1, .error = error[r]};
        for (size_t k = 0; k < plan->n; k++)
            count_sample(&plan->sample[k], o, i, &level->part[plan->sample[k].ref->id]);
        add_unsampled_cold(plan, bound, firsts.lines, i, level);
        find_rivals(plan, bound, o, i, level->rival);
        level->error = error[n];
        if (plussi_clock_counts_dirty(o, bound->max_team, i)) {
            memset(sums, 0, (n + 1) * sizeof *sums);
            find_errors(&writes, plan, o, i, replications, 0, sums, n, error);
            count_written_back(plan, o, n, i, error[n], level);
        }
    }
    plussi_free(&out->mem, sums);
    plussi_free(&out->mem, error);
    return good ? PLUSS_OK : PLUSS_ENOMEM;
}

pluss_status plussi_clock_count_misses(plussi_clock_plan *plan, const plussi_bound *bound,
                                       const plussi_clock_options *options, uint32_t replications,
                                       plussi_estimate *out)
{
    pluss_status status = PLUSS_OK;
    out->level = plussi_calloc(&out->mem, options->n_shapes, sizeof *out->level);
    if (!out->level)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < options->n_shapes; i++) {
        if (options->shape[i].threads_per_cache == options->threads_per_cache)
            find_full(plan, options, i);
    }
    for (; out->n_levels < options->n_shapes && !status; out->n_levels++)
        status = count_level(plan, bound, options, out->n_levels, replications, out);
    return status;
}
