/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/result.h"

void plussi_result_init(plussi_result *result, const plussi_mem *mem)
{
    *result = (plussi_result){.mem = *mem};
}

static void free_site(const plussi_mem *mem, plussi_site *site)
{
    plussi_free(mem, site->text);
    plussi_free(mem, site->file);
}

void plussi_knee_free(const plussi_mem *mem, plussi_knee *knee)
{
    for (size_t i = 0; i < knee->n; i++) {
        plussi_reuse *reuse = &knee->reuse[i];
        free_site(mem, &reuse->access);
        free_site(mem, &reuse->source);
        plussi_free(mem, reuse->array);
        plussi_free(mem, reuse->loop);
        plussi_free(mem, reuse->loop_file);
    }
    plussi_free(mem, knee->reuse);
    *knee = (plussi_knee){0};
}

void plussi_curve_free(const plussi_mem *mem, plussi_curve *curve)
{
    for (size_t i = 0; i < curve->n_values; i++)
        plussi_free(mem, curve->values[i].name);
    plussi_free(mem, curve->values);
    plussi_free(mem, curve->region);
    plussi_free(mem, curve->file);
    plussi_free(mem, curve->engine);
    plussi_free(mem, curve->schedule);
    plussi_free(mem, curve->error_size);
    plussi_free(mem, curve->error);
    plussi_free(mem, curve->spread);
    for (size_t i = 0; i < curve->n_knees; i++)
        plussi_knee_free(mem, &curve->knee[i]);
    plussi_free(mem, curve->knee);
    if (curve->mrc.size)
        plussi_mrc_free(&curve->mrc);
    *curve = (plussi_curve){0};
}

void plussi_result_free(plussi_result *result)
{
    for (size_t i = 0; i < result->n; i++)
        plussi_curve_free(&result->mem, &result->curve[i]);
    plussi_free(&result->mem, result->curve);
    result->curve = NULL;
    result->n = result->cap = 0;
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

pluss_status plussi_result_append(plussi_result *dst, plussi_result *src)
{
    size_t need = dst->n + src->n;
    while (dst->cap < need) {
        pluss_status status =
            plussi_grow(&dst->mem, &dst->curve, &dst->cap, dst->cap, sizeof *dst->curve);
        if (status)
            return status;
    }
    for (size_t i = 0; i < src->n; i++)
        dst->curve[dst->n++] = src->curve[i];
    src->n = 0;
    return PLUSS_OK;
}
