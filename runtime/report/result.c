/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/result.h"

#include <math.h>
#include <string.h>

void plussi_result_init(plussi_result *result, const plussi_mem *mem)
{
    *result = (plussi_result){.mem = *mem};
}

void plussi_reuses_free(const plussi_mem *mem, plussi_reuse *reuse, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        plussi_site_free(mem, &reuse[i].access);
        plussi_site_free(mem, &reuse[i].source);
        plussi_free(mem, reuse[i].array);
        plussi_free(mem, reuse[i].loop);
        plussi_free(mem, reuse[i].loop_file);
    }
    plussi_free(mem, reuse);
}

void plussi_knee_free(const plussi_mem *mem, plussi_knee *knee)
{
    plussi_reuses_free(mem, knee->reuse, knee->n);
    *knee = (plussi_knee){0};
}

const char *plussi_recording_name(int recording)
{
    static const char *const name[] = {"values", "sampler", "accesses"};
    return recording < (int)(sizeof name / sizeof *name) ? name[recording] : NULL;
}

void plussi_curve_free(const plussi_mem *mem, plussi_curve *curve)
{
    plussi_identity_free(mem, &curve->id);
    plussi_free(mem, curve->error_size);
    plussi_free(mem, curve->error);
    plussi_free(mem, curve->spread);
    for (size_t i = 0; i < curve->n_knees; i++)
        plussi_knee_free(mem, &curve->knee[i]);
    plussi_free(mem, curve->knee);
    plussi_free(mem, curve->hit_rate);
    plussi_profile_formulas_free(mem, curve->formula, curve->n_formulas);
    if (curve->mrc.size)
        plussi_mrc_free(&curve->mrc);
    *curve = (plussi_curve){0};
}

void plussi_level_result_free(const plussi_mem *mem, plussi_level_result *level)
{
    plussi_identity_free(mem, &level->id);
    for (size_t i = 0; i < level->n_parts; i++) {
        plussi_site_free(mem, &level->part[i].site);
        plussi_free(mem, level->part[i].array);
        plussi_free(mem, level->part[i].loop);
        plussi_free(mem, level->part[i].rival);
        plussi_free(mem, level->part[i].least_step_loop);
    }
    plussi_free(mem, level->part);
    plussi_free(mem, level->thread);
    plussi_reuses_free(mem, level->lost, level->n_lost);
    *level = (plussi_level_result){0};
}

void plussi_misses_add(plussi_misses *to, const plussi_misses *from)
{
    to->requests += from->requests;
    to->all += from->all;
    to->after_other += from->after_other;
    to->fetched += from->fetched;
    to->written_back += from->written_back;
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        to->kind[k] += from->kind[k];
}

bool plussi_is_same_group(const plussi_level_part *a, const plussi_level_part *b,
                          plussi_grouping by)
{
    if (by == PLUSSI_BY_ARRAY)
        return plussi_same_text(a->array, b->array);
    return a->loop_line == b->loop_line && plussi_same_text(a->loop, b->loop) &&
           plussi_same_text(a->site.file, b->site.file);
}

static bool is_first(const plussi_level_result *level, size_t i, plussi_grouping by)
{
    for (size_t k = 0; k < i; k++)
        if (plussi_is_same_group(&level->part[k], &level->part[i], by))
            return false;
    return true;
}

bool plussi_level_get_group(const plussi_level_result *level, plussi_grouping by, size_t i,
                            plussi_level_group *out)
{
    size_t first = 0;
    while (first < level->n_parts && (!is_first(level, first, by) || i-- > 0))
        first++;
    if (first == level->n_parts)
        return false;
    *out = (plussi_level_group){.first = &level->part[first], .misses.written_back_error = -1};
    for (size_t k = first; k < level->n_parts; k++) {
        const plussi_misses *m = &level->part[k].misses;
        if (!plussi_is_same_group(out->first, &level->part[k], by))
            continue;
        plussi_misses_add(&out->misses, m);
        out->misses.error =
            m->error < 0 || out->misses.error < 0 ? -1 : out->misses.error + m->error;
        out->n++;
    }
    return true;
}

void plussi_result_free(plussi_result *result)
{
    for (size_t i = 0; i < result->n_levels; i++)
        plussi_level_result_free(&result->mem, &result->level[i]);
    plussi_free(&result->mem, result->level);
    for (size_t i = 0; i < result->n; i++)
        plussi_curve_free(&result->mem, &result->curve[i]);
    plussi_free(&result->mem, result->curve);
    for (size_t i = 0; i < result->n_profiles; i++)
        plussi_profile_free(&result->profile[i]);
    plussi_free(&result->mem, result->profile);
    *result = (plussi_result){.mem = result->mem};
}

pluss_status plussi_result_add(plussi_result *result, plussi_curve *curve)
{
    pluss_status status =
        plussi_grow(&result->mem, &result->curve, &result->cap, result->n, sizeof *result->curve);
    if (status)
        return status;
    result->curve[result->n++] = *curve;
    *curve = (plussi_curve){0};
    return PLUSS_OK;
}

pluss_status plussi_result_add_profile(plussi_result *result, plussi_profile *profile)
{
    pluss_status status = plussi_grow(&result->mem, &result->profile, &result->cap_profiles,
                                      result->n_profiles, sizeof *result->profile);
    if (status)
        return status;
    result->profile[result->n_profiles++] = *profile;
    *profile = (plussi_profile){.mem = result->mem};
    return PLUSS_OK;
}

pluss_status plussi_result_add_level(plussi_result *result, plussi_level_result *level)
{
    pluss_status status = plussi_grow(&result->mem, &result->level, &result->cap_levels,
                                      result->n_levels, sizeof *result->level);
    if (status)
        return status;
    result->level[result->n_levels++] = *level;
    *level = (plussi_level_result){0};
    return PLUSS_OK;
}

pluss_status plussi_curve_set_errors(const plussi_mem *mem, plussi_curve *curve, const double *size,
                                     const double *error, size_t n)
{
    double *sizes = plussi_alloc(mem, n, sizeof *sizes), *at = plussi_alloc(mem, n, sizeof *at);
    if (!sizes || !at) {
        plussi_free(mem, sizes);
        plussi_free(mem, at);
        return PLUSS_ENOMEM;
    }
    plussi_free(mem, curve->error_size);
    plussi_free(mem, curve->error);
    memcpy(sizes, size, n * sizeof *sizes);
    memcpy(at, error, n * sizeof *at);
    curve->error_size = sizes;
    curve->error = at;
    curve->n_error = n;
    curve->mean_error = 0;
    for (size_t i = 0; i < n; i++)
        curve->mean_error += error[i] / (double)n;
    return PLUSS_OK;
}

pluss_status plussi_curve_set_error(const plussi_mem *mem, plussi_curve *curve, double error)
{
    return plussi_curve_set_errors(mem, curve, &(double){1}, &error, 1);
}

double plussi_curve_error_at(const plussi_curve *curve, double lines)
{
    size_t i = 0, last = curve->n_error - 1;
    if (!curve->n_error || lines < curve->error_size[0]) /* nothing hits, which is certain */
        return 0;
    if (lines > curve->error_size[last] &&
        lines >= (double)(curve->footprint_lines + 2 * curve->footprint_error))
        return (double)curve->footprint_error / curve->mrc.accesses; /* all is held */
    while (i < last && curve->error_size[i] < lines)
        i++;
    double above = curve->error[i];
    return i > 0 && curve->error_size[i] > lines ? fmax(curve->error[i - 1], above) : above;
}

bool plussi_result_keep_level(plussi_result *result, const char *name)
{
    size_t kept = 0;
    bool found = false;
    for (size_t i = 0; i < result->n_levels && !found; i++)
        found = strcmp(result->level[i].level.name, name) == 0;
    for (size_t i = 0; i < result->n_levels && found; i++)
        if (strcmp(result->level[i].level.name, name) == 0)
            result->level[kept++] = result->level[i];
        else
            plussi_level_result_free(&result->mem, &result->level[i]);
    result->n_levels = found ? kept : result->n_levels;
    return found;
}

/* Makes room for n elements in total. */
static pluss_status reserve_elements(const plussi_mem *mem, void *array, size_t *cap, size_t n,
                                     size_t size)
{
    pluss_status status = PLUSS_OK;
    while (*cap < n && !status)
        status = plussi_grow(mem, array, cap, *cap, size);
    return status;
}

double plussi_coverage_share(const plussi_coverage *c)
{
    double all = c->covered + c->outside + c->serial;
    return all > 0 ? c->covered / all : 1;
}

pluss_status plussi_result_append(plussi_result *dst, plussi_result *src)
{
    pluss_status status =
        reserve_elements(&dst->mem, &dst->curve, &dst->cap, dst->n + src->n, sizeof *dst->curve);
    if (!status)
        status = reserve_elements(&dst->mem, &dst->profile, &dst->cap_profiles,
                                  dst->n_profiles + src->n_profiles, sizeof *dst->profile);
    if (!status)
        status = reserve_elements(&dst->mem, &dst->level, &dst->cap_levels,
                                  dst->n_levels + src->n_levels, sizeof *dst->level);
    if (status)
        return status;
    for (size_t i = 0; i < src->n_levels; i++)
        dst->level[dst->n_levels++] = src->level[i];
    for (size_t i = 0; i < src->n; i++)
        dst->curve[dst->n++] = src->curve[i];
    for (size_t i = 0; i < src->n_profiles; i++)
        dst->profile[dst->n_profiles++] = src->profile[i];
    src->n = src->n_profiles = src->n_levels = 0;
    return PLUSS_OK;
}

pluss_status plussi_result_add_curve_of(plussi_ctx *ctx, plussi_result *result,
                                        const plussi_profile *profile)
{
    plussi_curve curve = {.footprint_lines = profile->footprint_lines};
    pluss_status status = plussi_profile_curve(ctx, profile, &curve.mrc);
    if (!status)
        status = plussi_identity_copy(&result->mem, &profile->id, &curve.id);
    if (!status)
        status = plussi_result_add(result, &curve);
    plussi_curve_free(&result->mem, &curve);
    return status;
}

static plussi_profile *find_mergeable(plussi_result *in, const plussi_profile *profile)
{
    for (size_t i = 0; i < in->n_profiles; i++)
        if (plussi_profile_mergeable(&in->profile[i], profile) == NULL)
            return &in->profile[i];
    return NULL;
}

pluss_status plussi_result_merge(plussi_ctx *ctx, plussi_result *dst, plussi_result *src)
{
    pluss_status status = PLUSS_OK;
    while (src->n_profiles > 0 && !status) {
        plussi_profile *last = &src->profile[src->n_profiles - 1], *to = find_mergeable(dst, last);
        status = to ? plussi_profile_merge(ctx, to, last) : plussi_result_add_profile(dst, last);
        if (!status) {
            plussi_profile_free(last);
            src->n_profiles--;
        }
    }
    for (; dst->n > 0 && !status; dst->n--)
        plussi_curve_free(&dst->mem, &dst->curve[dst->n - 1]);
    for (size_t i = 0; i < dst->n_profiles && !status; i++)
        if (!dst->profile[i].sharing)
            status = plussi_result_add_curve_of(ctx, dst, &dst->profile[i]);
    return status;
}
