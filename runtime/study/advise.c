/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/candidates.h"
#include "study/nest_cost.h"
#include "study/stage.h"
#include "transform/transform.h"

const char *plussi_advice_name(plussi_advice_kind kind)
{
    static const char *const names[] = {"interchange", "tile",   "fuse",   "schedule",
                                        "pad",         "spread", "threads"};
    return names[kind];
}

static void free_advice(const plussi_mem *mem, plussi_advice *a)
{
    plussi_free(mem, a->region);
    plussi_free(mem, (void *)a->place.file);
    plussi_free(mem, a->text);
    plussi_free(mem, a->steps);
    plussi_free(mem, a->show);
    plussi_free(mem, a->worst);
}

void plussi_advice_list_free(plussi_advice_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free_advice(&list->mem, &list->at[i]);
    plussi_free(&list->mem, list->at);
    *list = (plussi_advice_list){.mem = list->mem};
}

/* ---- one nest ---------------------------------------------------------------------------------
 */

/* As it is, two rounds of orders, tiles as written and after them, four other kinds, fewer threads.
 */
enum { NOW = 0, ORDER = 1, TILES = 3, OTHERS = 5, FEWER = 9, PHASES = 10 };

typedef struct adviser {
    plussi_ctx *ctx, quiet; /* what candidates are refused for is not said */
    const plussi_nest *nest;
    const plussi_request *request;
    plussi_nest_cost now;
    const plussi_level_part *worst;
    plussi_candidates candidates;
    plussi_advice_list *out;
    size_t first; /* of its advice in the list */
    int phase;    /* of PHASES, each over a list of candidates, for the caller's status */
} adviser;

/* The reference whose misses cost most. */
static const plussi_level_part *find_worst(const plussi_result *result)
{
    const plussi_level_part *found = NULL;
    double most = 0;
    for (size_t l = 0; l < result->n_levels; l++)
        for (size_t p = 0; p < result->level[l].n_parts; p++) {
            const plussi_level_part *part = &result->level[l].part[p];
            double all = plussi_level_weight(l, result->n_levels) * part->misses.all;
            if (all > most) {
                most = all;
                found = part;
            }
        }
    return found;
}

static double standard_error(const adviser *a, const plussi_nest_cost *after, double *gain)
{
    *gain = 1 - after->all / a->now.all;
    return hypot(after->error, a->now.error * (1 - *gain)) / a->now.all;
}

/* Whether the gain is one: above its error, and worth the change. */
static bool is_gain(double gain, double error)
{
    return gain > 1.96 * error && gain > 0.03;
}

static pluss_status copy(adviser *a, const char *text, char **out)
{
    return plussi_copy_text(&a->ctx->mem, text, out);
}

static pluss_status add_advice(adviser *a, const plussi_candidate *c, const char *steps,
                               const char *text, const plussi_nest_cost *after, uint32_t team)
{
    plussi_advice_list *list = a->out;
    const plussi_region *region = a->nest->first_region;
    plussi_advice advice = {.kind = c->kind,
                            .place = c->place,
                            .team = {a->request->team[0], team},
                            .accesses = {a->now.accesses, after->accesses},
                            .n_levels = after->n};
    advice.gain_error = standard_error(a, after, &advice.gain);
    const plussi_nest_cost *both[2] = {&a->now, after};
    for (int i = 0; i < 2; i++) {
        advice.cost[i] = both[i]->all;
        advice.error[i] = both[i]->error;
        for (size_t l = 0; l < after->n; l++) {
            strcpy(advice.level[l].name, after->level[l].name);
            advice.level[l].misses[i] = both[i]->level[l].misses[0];
            advice.level[l].error[i] = both[i]->level[l].error[0];
        }
    }
    advice.place.file = NULL;
    const char *file = c->place.file ? c->place.file : region->loc.file;
    pluss_status status = copy(a, region->name, &advice.region);
    if (!status)
        status = copy(a, file, (char **)&advice.place.file);
    if (!status)
        status = copy(a, text, &advice.text);
    if (!status)
        status = copy(a, steps, &advice.steps);
    if (!status)
        status = copy(a, c->show, &advice.show);
    if (!status && a->worst)
        status = copy(a, a->worst->site.text, &advice.worst);
    if (!status)
        status = plussi_grow(&list->mem, &list->at, &list->cap, list->n, sizeof *list->at);
    if (status)
        free_advice(&list->mem, &advice);
    else
        list->at[list->n++] = advice;
    return status;
}

/* What ends all, as against what keeps one candidate from being evaluated. */
static bool ends_all(pluss_status status)
{
    return status == PLUSS_ENOMEM || status == PLUSS_ECANCELLED;
}

/* Part i of n of this phase. */
static void enter_part(const adviser *a, size_t i, size_t n, plussi_ask_part *part,
                       plussi_request *own)
{
    const double share = 1 / (double)(PHASES * n);
    plussi_ask_as_part(a->request, "advise", (double)a->phase / PHASES + (double)i * share, share,
                       part, own);
}

static pluss_status try(adviser *a, const plussi_nest *nest, const plussi_candidate *c,
                        plussi_nest **made, plussi_nest_cost *after, bool *possible)
{
    bool legal;
    pluss_status status = plussi_cost_candidate(&a->quiet, nest, a->request, 0, c, a->now.accesses,
                                                made, &legal, after, possible);
    plussi_ctx_clear(&a->quiet);
    return status;
}

/* The best of the candidates by cost: its number, cost, and nest, which is the caller's; number
 * SIZE_MAX: none costs less than `before`. */
static pluss_status find_best(adviser *a, const plussi_nest *nest, const plussi_nest_cost *before,
                              size_t *number, plussi_nest_cost *best, plussi_nest **made)
{
    pluss_status status = PLUSS_OK;
    *made = NULL;
    *best = *before;
    *number = SIZE_MAX;
    for (size_t i = 0; i < a->candidates.n && !status; i++) {
        plussi_nest_cost after;
        plussi_nest *next = NULL;
        bool possible = false;
        plussi_ask_part part;
        plussi_request own;
        const plussi_request *whole = a->request;
        enter_part(a, i, a->candidates.n, &part, &own);
        if (plussi_pipeline_ask(&own, "advise", 0, 0))
            return PLUSS_ECANCELLED;
        a->request = &own;
        status = try(a, nest, &a->candidates.at[i], &next, &after, &possible);
        a->request = whole;
        if (possible && after.all < best->all) {
            plussi_nest_free(*made);
            *made = next;
            *best = after;
            *number = i;
        } else {
            plussi_nest_free(next);
        }
    }
    return status;
}

/* Orders of loops: the best interchange, and the best one after it. */
static pluss_status advise_order(adviser *a, plussi_nest **best_nest, plussi_nest_cost *best,
                                 char *steps, char *text, size_t room)
{
    const plussi_nest *nest = a->nest;
    plussi_candidate last = {.kind = PLUSSI_ADVICE_INTERCHANGE};
    *best = a->now;
    *best_nest = NULL;
    pluss_status status = PLUSS_OK;
    for (int round = 0; round < 2 && !status; round++) {
        size_t number = 0;
        plussi_nest_cost after;
        double gain = 0;
        plussi_nest *made = NULL;
        a->phase = ORDER + round;
        a->candidates.n = 0;
        plussi_find_interchanges(&a->candidates, nest);
        status = a->candidates.status;
        if (!status)
            status = find_best(a, nest, best, &number, &after, &made);
        if (status || !made || after.all > 0.97 * best->all ||
            best->all - after.all < 1.96 * hypot(after.error, best->error)) {
            plussi_nest_free(made);
            break;
        }
        size_t used = strlen(steps), told = strlen(text);
        last = a->candidates.at[number];
        snprintf(steps + used, room - used, "%s%s", used ? " " : "", last.steps);
        snprintf(text + told, room - told, "%s%s", told ? ", then " : "", last.text);
        *best = after;
        double error = standard_error(a, best, &gain);
        if (is_gain(gain, error))
            status = add_advice(a, &last, steps, text, best, a->request->team[0]);
        plussi_nest_free(*best_nest);
        *best_nest = made;
        nest = made;
    }
    return status;
}

/* One more step on the nest, the best of the candidates. */
static pluss_status advise_best(adviser *a, const plussi_nest *nest, const plussi_nest_cost *before,
                                const char *steps, const char *text)
{
    size_t number = 0;
    plussi_nest_cost after;
    plussi_nest *made = NULL;
    double gain;
    pluss_status status = a->candidates.status;
    if (!status)
        status = find_best(a, nest, before, &number, &after, &made);
    if (!status && number != SIZE_MAX) {
        const plussi_candidate *c = &a->candidates.at[number];
        char whole[4 * PLUSSI_CANDIDATE_TEXT], told[4 * PLUSSI_CANDIDATE_TEXT];
        snprintf(whole, sizeof whole, "%s%s%s", steps, *steps && *c->steps ? " " : "", c->steps);
        snprintf(told, sizeof told, "%s%s%s", text, *text ? ", then " : "", c->text);
        double error = standard_error(a, &after, &gain);
        /* after other steps it must be worth more than they are */
        if (is_gain(gain, error) && (before == &a->now || after.all < 0.97 * before->all))
            status = add_advice(a, c, whole, told, &after, a->request->team[0]);
    }
    plussi_nest_free(made);
    return status;
}

static pluss_status advise_forms(adviser *a, const plussi_result *now)
{
    char steps[3 * PLUSSI_CANDIDATE_TEXT] = "", text[3 * PLUSSI_CANDIDATE_TEXT] = "";
    plussi_nest *ordered = NULL;
    plussi_nest_cost order;
    pluss_status status = advise_order(a, &ordered, &order, steps, text, sizeof steps);
    for (int after = 0; after < 2 && !status; after++) {
        if (after && !ordered)
            break;
        const plussi_nest *nest = after ? ordered : a->nest;
        a->phase = TILES + after;
        a->candidates.n = 0;
        plussi_find_tiles(&a->candidates, nest);
        status =
            advise_best(a, nest, after ? &order : &a->now, after ? steps : "", after ? text : "");
    }
    plussi_nest_free(ordered);
    for (int kind = 0; kind < 4 && !status; kind++) {
        a->phase = OTHERS + kind;
        a->candidates.n = 0;
        if (kind == 0)
            plussi_find_fusions(&a->candidates, a->nest);
        else if (kind == 1 && a->request->team[0] > 1 && !a->request->schedule)
            plussi_find_schedules(&a->candidates, a->nest, a->request->line_bytes);
        else if (kind == 2)
            plussi_find_layouts(&a->candidates, a->nest, now);
        else if (kind == 3)
            plussi_find_tile_sizes(&a->candidates, a->nest, a->request);
        status = advise_best(a, a->nest, &a->now, "", "");
    }
    return status;
}

/* A shared level that is less than twice as large as the private caches before it is predicted
 * less well than its error says (docs/models.md), the worse the more threads there are. */
static bool are_comparable(const plussi_result *result)
{
    for (size_t i = 1; i < result->n_levels; i++) {
        const plussi_level_result *before = &result->level[i - 1], *level = &result->level[i];
        const uint32_t team = level->id.team;
        uint32_t threads = level->id.threads_per_cache ? level->id.threads_per_cache : team;
        uint32_t own = before->id.threads_per_cache ? before->id.threads_per_cache : team;
        if (own < threads && level->level.bytes < 2 * before->level.bytes * (threads / own))
            return false;
    }
    return true;
}

/* Fewer threads, where a thread of them is done sooner. */
static pluss_status advise_threads(adviser *a)
{
    pluss_status status = PLUSS_OK;
    const uint32_t team = a->request->team[0];
    plussi_candidate c = {.kind = PLUSSI_ADVICE_THREADS, .place = a->nest->first_region->loc};
    plussi_nest_cost best = a->now;
    uint32_t best_team = team;
    size_t n = 0, i = 0;
    for (uint32_t t = team / 2; t >= 1; t /= 2)
        n++;
    a->phase = FEWER;
    for (uint32_t t = team / 2; t >= 1 && !status; t /= 2) {
        plussi_result result;
        plussi_request own;
        plussi_ask_part part;
        plussi_nest_cost after;
        bool possible = false;
        enter_part(a, i++, n, &part, &own);
        status = plussi_cost_nest(&a->quiet, a->nest, &own, t, &result, &after, &possible);
        plussi_result_free(&result);
        plussi_ctx_clear(&a->quiet);
        status = ends_all(status) ? status : PLUSS_OK;
        if (possible)
            plussi_scale_cost(&after, (double)team / t); /* as if it were of the larger team */
        if (possible && after.all < best.all) {
            best = after;
            best_team = t;
        }
    }
    double gain, error = standard_error(a, &best, &gain);
    if (!status && best_team != team && is_gain(gain, error)) {
        snprintf(c.text, sizeof c.text, "%u threads in place of %u", best_team, team);
        snprintf(c.show, sizeof c.show, "num_threads(%u)", best_team);
        status = add_advice(a, &c, "", c.text, &best, best_team);
    }
    return status;
}

static size_t count_steps(const plussi_advice *a)
{
    size_t n = 1;
    for (const char *s = a->steps; *s; s++)
        n += *s == ' ';
    return n;
}

static bool gain_alike(const plussi_advice *a, const plussi_advice *b)
{
    return fabs(a->gain - b->gain) <= fmax(0.02, 1.96 * hypot(a->gain_error, b->gain_error));
}

bool plussi_advice_adds_steps(const plussi_advice *a, const plussi_advice *to)
{
    return gain_alike(a, to) && count_steps(a) > count_steps(to);
}

/* The greater gain; where they are as good as equal, the smaller change. */
static bool is_before(const plussi_advice *a, const plussi_advice *b)
{
    if (!gain_alike(a, b))
        return a->gain > b->gain;
    if (count_steps(a) != count_steps(b))
        return count_steps(a) < count_steps(b);
    return a->kind < b->kind;
}

static void sort(plussi_advice_list *list, size_t first)
{
    for (size_t i = first + 1; i < list->n; i++)
        for (size_t k = i; k > first && is_before(&list->at[k], &list->at[k - 1]); k--) {
            plussi_advice advice = list->at[k];
            list->at[k] = list->at[k - 1];
            list->at[k - 1] = advice;
        }
}

pluss_status plussi_advise(plussi_ctx *ctx, const plussi_nest *nest, const plussi_request *request,
                           plussi_advice_list *out)
{
    plussi_request own = *request;
    own.levels_asked_for = true; /* predicted with all samples */
    adviser a = {.ctx = ctx,
                 .nest = nest,
                 .request = &own,
                 .out = out,
                 .first = out->n,
                 .candidates = {.ctx = ctx}};
    plussi_result now;
    plussi_ctx_init(&a.quiet, &ctx->mem);
    bool possible = false;
    plussi_request first;
    plussi_ask_part part;
    enter_part(&a, 0, 1, &part, &first);
    pluss_status status =
        plussi_cost_nest(ctx, nest, &first, request->team[0], &now, &a.now, &possible);
    if (!status && !possible)
        status = plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL,
                             "%s: no levels of caches are predicted, which advice is made from",
                             nest->first_region ? nest->first_region->name : "the nest");
    a.worst = status ? NULL : find_worst(&now);
    /* what cannot be 3 % of the cost needs no advice */
    if (!status && a.now.all > 1.03 * a.now.accesses) {
        status = advise_forms(&a, &now);
        if (!status && are_comparable(&now))
            status = advise_threads(&a);
        sort(out, a.first);
    }
    if (!status)
        status = plussi_pipeline_ask(request, "advise", 1, 0);
    plussi_result_free(&now);
    plussi_free(&ctx->mem, a.candidates.at);
    plussi_ctx_clear(&a.quiet);
    return status;
}
