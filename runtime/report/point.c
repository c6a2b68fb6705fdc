/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/point.h"

#include <stdlib.h>
#include <string.h>

static bool is_same_region(const plussi_identity *a, const plussi_identity *b)
{
    return a->line == b->line && a->program == b->program &&
           plussi_same_text(a->region, b->region) && plussi_same_text(a->file, b->file);
}

bool plussi_is_same_setting(const plussi_identity *a, const plussi_identity *b)
{
    return is_same_region(a, b) && a->line_bytes == b->line_bytes && a->simulated == b->simulated &&
           a->seed == b->seed && plussi_same_text(a->schedule, b->schedule) &&
           plussi_identity_same_values(a, b);
}

static bool is_same_point(const plussi_identity *a, const plussi_identity *b)
{
    return a->team == b->team && plussi_is_same_setting(a, b) &&
           plussi_same_text(a->engine, b->engine);
}

double plussi_misses_weight(const plussi_misses *m)
{
    const double cold = m->kind[PLUSSI_MISS_COLD];
    return m->all - 0.9 * (cold < m->all ? cold : m->all);
}

double plussi_misses_cost(const plussi_level_result *level, size_t n, const plussi_level_part *part)
{
    double cost = 0, weight = 1;
    for (size_t i = 0; i < n; i++, weight *= 4) {
        double misses = part ? 0 : plussi_misses_weight(&level[i].misses);
        for (size_t k = 0; part && k < level[i].n_parts; k++) {
            const plussi_level_part *p = &level[i].part[k];
            if (p->site.line == part->site.line && p->site.write == part->site.write &&
                plussi_same_text(p->site.text, part->site.text) &&
                plussi_same_text(p->site.file, part->site.file) &&
                plussi_same_text(p->loop, part->loop) && p->loop_line == part->loop_line)
                misses += plussi_misses_weight(&p->misses);
        }
        cost += weight * misses;
    }
    return cost;
}

/* The first level of the point, and those that follow it. */
static void find_levels(const plussi_result *result, size_t *next, plussi_point *point)
{
    const plussi_identity *id = &point->curve->id;
    size_t at = *next;
    for (size_t tried = 0; tried < result->n_levels; tried++, at++) {
        at = at < result->n_levels ? at : 0;
        if (is_same_point(&result->level[at].id, id))
            break;
    }
    if (at >= result->n_levels || !is_same_point(&result->level[at].id, id))
        return;
    point->level = &result->level[at];
    for (; at < result->n_levels && is_same_point(&result->level[at].id, id); at++) {
        const plussi_level_result *l = &result->level[at];
        if (l->point == 0 && l != point->level &&
            strcmp(l->level.name, point->level->level.name) == 0)
            break; /* those of a run with other addresses */
        if (l->point == 0 && &point->level[point->n_levels] == l)
            point->n_levels++;
    }
    *next = at;
}

static double cost_of(const plussi_points *points, size_t region)
{
    const plussi_point *widest = plussi_points_widest(points, region);
    double cost = 0;
    for (const plussi_point *p = points->point; p < points->point + points->n; p++)
        if (p == widest ||
            (p->region == region && p->curve->runs && p->curve->id.team == widest->curve->id.team))
            cost += (p->curve->runs ? (double)p->curve->runs : 1) *
                    (p->n_levels ? plussi_misses_cost(p->level, p->n_levels, NULL)
                                 : p->curve->mrc.accesses);
    return cost;
}

/* The number of the point's region; points->n_regions: a new one. */
static size_t find_region(const plussi_points *points, const plussi_identity *id)
{
    for (size_t r = points->n_regions; r-- > 0;)
        if (is_same_region(&points->point[points->first[r]].curve->id, id))
            return r;
    return points->n_regions;
}

/* Whether the region number i costs more than the one before it: costs of levels and accesses are
 * not the same thing. */
static bool is_worse(const plussi_points *points, size_t i)
{
    const plussi_point *before = &points->point[points->first[i - 1]];
    const plussi_point *of = &points->point[points->first[i]];
    return (before->n_levels > 0) == (of->n_levels > 0)
               ? points->cost[of->region] > points->cost[before->region]
               : of->n_levels > 0;
}

static void sort_regions(plussi_points *points)
{
    for (size_t i = 1; i < points->n_regions; i++) /* few, and mostly in order */
        for (size_t k = i; k > 0 && is_worse(points, k); k--) {
            size_t other = points->first[k];
            points->first[k] = points->first[k - 1];
            points->first[k - 1] = other;
        }
}

pluss_status plussi_points_find(const plussi_mem *mem, const plussi_result *result,
                                plussi_points *out)
{
    size_t next = 0;
    *out = (plussi_points){.mem = *mem};
    out->point = plussi_calloc(mem, result->n + 1, sizeof *out->point);
    out->first = plussi_calloc(mem, result->n + 1, sizeof *out->first);
    out->cost = plussi_calloc(mem, result->n + 1, sizeof *out->cost);
    if (!out->point || !out->first || !out->cost)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < result->n; i++) {
        const plussi_curve *curve = &result->curve[i];
        plussi_point *last = out->n ? &out->point[out->n - 1] : NULL;
        if (last && is_same_point(&last->curve->id, &curve->id) &&
            last->curve->id.threads_per_cache != curve->id.threads_per_cache) {
            last->n_curves++;
            continue;
        }
        last = &out->point[out->n];
        *last = (plussi_point){.curve = curve, .n_curves = 1};
        last->region = find_region(out, &curve->id);
        if (last->region == out->n_regions)
            out->first[out->n_regions++] = out->n;
        find_levels(result, &next, last);
        out->n++;
    }
    for (size_t r = 0; r < out->n_regions; r++)
        out->cost[r] = cost_of(out, r);
    sort_regions(out);
    return PLUSS_OK;
}

void plussi_points_free(plussi_points *points)
{
    plussi_free(&points->mem, points->point);
    plussi_free(&points->mem, points->first);
    plussi_free(&points->mem, points->cost);
    *points = (plussi_points){.mem = points->mem};
}

const plussi_point *plussi_points_widest(const plussi_points *points, size_t region)
{
    const plussi_point *widest = NULL;
    for (size_t i = 0; i < points->n; i++)
        if (points->point[i].region == region &&
            (!widest || points->point[i].curve->id.team > widest->curve->id.team))
            widest = &points->point[i];
    return widest;
}
