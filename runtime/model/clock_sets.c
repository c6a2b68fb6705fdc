/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a cache of sets and ways still holds the line of an access: it does if the window holds
 * fewer other lines of the line's set than there are ways. Short windows are listed. In long ones
 * the lines of the set that a thread's part may touch are visited, and each is checked by a query
 * for its latest touch, until there are as many as ways. docs/models.md, "Sets and ways".
 */
#include <math.h>

#include "base/map.h"
#include "model/clock_state.h"
#include "sampler/set_lines.h"

typedef struct hunt {
    plussi_clock_run *run;
    const plussi_cache_shape *shape;
    uint32_t thread; /* whose part is looked at */
    uint64_t found;  /* other lines of the set that the window holds */
    uint64_t *met;   /* one of them */
    uint32_t queries;
} hunt;

/* Sets are told apart by the lines' numbers. */
static bool is_searched(const plussi_cache_shape *shape)
{
    return shape->sets > 1 && !shape->random;
}

static bool is_over(const hunt *h)
{
    return h->found >= h->shape->ways || h->queries >= PLUSSI_CLOCK_MOST_QUERIES;
}

static bool look_at(void *user, uint64_t line, const plussi_bound_node *ref)
{
    hunt *h = user;
    plussi_clock_run *run = h->run;
    (void)ref;
    if (line == run->line || plussi_clock_lines_have(run->set_lines[0], line, h->thread))
        return true;
    h->queries++;
    if (plussi_clock_touched(run, h->thread, plussi_clock_cursor(run, h->thread), line)) {
        plussi_clock_meet(h->met, line);
        h->found += plussi_clock_lines_add(run->set_lines[0], line, UINT32_MAX);
    } else {
        (void)plussi_clock_lines_add(run->set_lines[0], line, h->thread);
    }
    return !is_over(h);
}

/* 1: the cache holds the line; 0: it does not; -1: the queries did not suffice. */
static int holds(plussi_clock_run *run, const plussi_cache_shape *shape, uint64_t *met)
{
    hunt h = {.run = run, .shape = shape, .met = met};
    const plussi_set_visitor visitor = {look_at, &h, shape->sets, run->line % shape->sets};
    if (run->interval - 1 < shape->ways)
        return 1;
    if (plussi_clock_is_listed(run))
        return plussi_clock_list_set(run, shape->sets, met) < shape->ways;
    plussi_clock_lines_empty(run->set_lines[0]);
    for (uint32_t i = 0; i < run->n_seen && !is_over(&h); i++) {
        h.thread = run->seen[i];
        plussi_clock_thread *t = &run->thread[h.thread];
        if (run->source_phase == run->phase && t->start == t->end)
            continue;
        const plussi_stretch stretch = {h.thread, plussi_clock_edge(run, h.thread),
                                        plussi_clock_cursor(run, h.thread)};
        plussi_engine_visit_set(run->workspace, &stretch, &visitor);
    }
    return h.found >= shape->ways ? 0 : h.queries >= PLUSSI_CLOCK_MOST_QUERIES ? -1 : 1;
}

/* The level before may miss the access. */
static bool comes_to(const plussi_clock_sample *x, uint32_t i)
{
    return i == 0 || x->loss || ((x->missed | x->unsure) >> (i - 1) & 1);
}

void plussi_clock_find_sets(plussi_clock_run *run, plussi_clock_sample *x)
{
    const plussi_clock_options *o = run->options;
    for (uint32_t i = 0; i < run->n_seen; i++)
        run->thread[run->seen[i]].has_edge = false;
    for (uint32_t i = 0; i < o->n_shapes; i++) {
        if (!is_searched(&o->shape[i]) || !comes_to(x, i))
            continue;
        x->met[i] = UINT64_MAX;
        bool filtered = i > 0 && run->last - run->first == 1 && is_searched(&o->shape[i - 1]);
        int held = filtered ? plussi_clock_holds_filtered(run, i, &x->met[i])
                            : holds(run, &o->shape[i], &x->met[i]);
        x->missed |= (uint64_t)(held == 0) << i;
        x->unsure |= (uint64_t)(held < 0) << i;
    }
}

bool plussi_clock_counts_dirty(const plussi_clock_options *options, uint32_t team, uint32_t level)
{
    return (team == 1 || options->threads_per_cache == 1) && is_searched(&options->shape[level]);
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

/* The part of the access that the cache replaces too early. Where the queries did not suffice: as a
 * fully associative cache of the size. */
static double replaced(const plussi_clock_sample *x, const plussi_cache_shape *shape, uint32_t i)
{
    if (is_searched(shape) && !(x->unsure >> i & 1))
        return x->missed >> i & 1;
    if (shape->random && shape->sets > 1)
        return overflows(shape, x->distance - 1);
    return x->distance > (double)(shape->sets * shape->ways);
}

static double missed(const plussi_clock_sample *x, const plussi_cache_shape *shape, uint32_t i)
{
    return x->loss ? 1 : replaced(x, shape, i);
}

/* The part of the access that comes to level i. */
static double requested(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i)
{
    double part = 1;
    for (uint32_t k = 0; k < i && !x->cold; k++)
        part *= missed(x, &o->shape[k], k);
    return part;
}

static void count_sample(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i,
                         plussi_misses *to)
{
    const plussi_cache_shape *shape = &o->shape[i];
    double requests = x->weight * requested(x, o, i);
    double misses = requests * (x->cold ? 1 : missed(x, shape, i));
    bool full = x->distance > (double)(shape->sets * shape->ways);
    plussi_miss_kind kind = x->cold ? PLUSSI_MISS_COLD
                            : full  ? PLUSSI_MISS_CAPACITY
                                    : PLUSSI_MISS_CONFLICT;
    to->requests += requests;
    to->all += misses;
    to->fetched += misses;
    if (x->loss) { /* the write finds the line that the cache has not replaced */
        double lost = requests * (1 - replaced(x, shape, i));
        to->kind[x->loss == PLUSSI_CLOCK_TRUE_SHARING ? PLUSSI_MISS_TRUE_SHARING
                                                      : PLUSSI_MISS_FALSE_SHARING] += lost;
        misses -= lost;
    }
    to->kind[kind] += misses;
}

/* The part of an access that counts at level i; negative: it does not count at all. */
typedef double part_fn(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i);

static double warm_miss(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i)
{
    return x->cold ? -1 : requested(x, o, i) * missed(x, &o->shape[i], i);
}

static double written_back(const plussi_clock_sample *x, const plussi_clock_options *o, uint32_t i)
{
    (void)o;
    double sure = i == 0 || x->alone ? 1 : 0.5; /* from 0 to 1, all alike */
    return x->dirtied >> i & 1 ? sure : 0;
}

/* Standard error of what accesses add up to, in accesses: how far the means of replications are
 * apart, or what samples of unequal weight leave uncertain, the larger one; and what is too rare to
 * be sampled, the weight of one sample. p: the mean. */
static double error_of(const plussi_clock_plan *plan, const plussi_clock_options *o, uint32_t i,
                       uint32_t replications, double p, part_fn *part)
{
    double squares = 0, all = 0, between = 0;
    size_t n = 0;
    for (uint32_t r = 0; r < replications; r++) {
        double weight = 0, misses = 0;
        for (size_t k = 0; k < plan->n; k++) {
            const plussi_clock_sample *x = &plan->sample[k];
            double m = part(x, o, i);
            if (m < 0 || x->replication != r)
                continue;
            n++;
            weight += x->weight;
            misses += x->weight * m;
            squares += x->weight * x->weight * (m - p) * (m - p);
        }
        all += weight;
        if (weight > 0)
            between += (misses / weight - p) * (misses / weight - p);
    }
    between /= (double)replications * (replications > 1 ? replications - 1 : 1);
    double seen = fmax(sqrt(squares), all * sqrt(between));
    return n ? hypot(seen, all / (double)n) : 0;
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

static bool is_conflict(const plussi_clock_sample *x, const plussi_cache_shape *shape, uint32_t i)
{
    return (x->missed >> i & 1) && x->met[i] != UINT64_MAX &&
           !(x->distance > (double)(shape->sets * shape->ways));
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
            if (x->cold || !is_conflict(x, &o->shape[i], i))
                continue;
            double m = x->weight * requested(x, o, i);
            const plussi_bound_array *array = array_at(bound, x->met[i]);
            if (pass > 0)
                r->misses += array && array == r->array ? m : 0;
            else if (array == r->array || r->vote < m)
                *r = (plussi_rival){array, 0, array == r->array ? r->vote + m : m - r->vote};
            else
                r->vote -= m;
        }
}

static pluss_status count_level(const plussi_clock_plan *plan, const plussi_bound *bound,
                                const plussi_clock_options *o, uint32_t i, uint32_t replications,
                                plussi_estimate *out)
{
    plussi_level_estimate *level = &out->level[i];
    double warm = plan->accesses - plan->firsts.lines, misses = 0;
    level->level = i;
    level->written_back = NAN;
    level->part = plussi_calloc(&out->mem, bound->n_refs + 1, sizeof *level->part);
    level->rival = plussi_calloc(&out->mem, bound->n_refs + 1, sizeof *level->rival);
    if (!level->part || !level->rival)
        return PLUSS_ENOMEM;
    for (uint32_t r = 0; r < bound->n_refs; r++) {
        level->part[r].written_back = NAN;
        level->part[r].error = level->part[r].written_back_error = -1;
    }
    for (size_t k = 0; k < plan->n; k++) {
        const plussi_clock_sample *x = &plan->sample[k];
        count_sample(x, o, i, &level->part[x->ref->id]);
        misses += x->cold ? 0 : x->weight * requested(x, o, i) * missed(x, &o->shape[i], i);
    }
    find_rivals(plan, bound, o, i, level->rival);
    double p = warm > 0 ? misses / warm : 0;
    level->error = hypot(warm > 0 ? error_of(plan, o, i, replications, p, warm_miss) : 0,
                         plan->firsts.error * (1 - p));
    if (plussi_clock_counts_dirty(o, bound->max_team, i)) {
        double unsure = 0;
        level->written_back = 0;
        for (uint32_t r = 0; r < bound->n_refs; r++)
            level->part[r].written_back = 0;
        for (size_t k = 0; k < plan->n; k++) {
            const plussi_clock_sample *x = &plan->sample[k];
            double m = x->weight * written_back(x, o, i);
            level->part[x->ref->id].written_back += m;
            level->written_back += m;
            unsure += i > 0 && !x->alone ? m / sqrt(3) : 0;
        }
        level->written_back_error =
            hypot(unsure, error_of(plan, o, i, replications, level->written_back / plan->accesses,
                                   written_back));
    }
    return PLUSS_OK;
}

pluss_status plussi_clock_count_misses(const plussi_clock_plan *plan, const plussi_bound *bound,
                                       const plussi_clock_options *options, uint32_t replications,
                                       plussi_estimate *out)
{
    pluss_status status = PLUSS_OK;
    out->level = plussi_calloc(&out->mem, options->n_shapes, sizeof *out->level);
    if (!out->level)
        return PLUSS_ENOMEM;
    for (; out->n_levels < options->n_shapes && !status; out->n_levels++)
        status = count_level(plan, bound, options, out->n_levels, replications, out);
    return status;
}
