/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "model/model.h"

extern const plussi_model plussi_model_clock, plussi_model_clock_ri, plussi_model_clock_sd,
    plussi_model_cri_line, plussi_model_cri, plussi_model_ri_random, plussi_model_lines,
    plussi_model_crd, plussi_model_scale, plussi_model_scale_ps, plussi_model_scale_overlap,
    plussi_model_extrapolate;

/* The first is the default. */
static const plussi_model *const models[] = {
    &plussi_model_clock,    &plussi_model_clock_ri,      &plussi_model_clock_sd,
    &plussi_model_cri_line, &plussi_model_cri,           &plussi_model_ri_random,
    &plussi_model_lines,    &plussi_model_crd,           &plussi_model_scale,
    &plussi_model_scale_ps, &plussi_model_scale_overlap, &plussi_model_extrapolate,
};

const plussi_model *plussi_model_at(size_t i)
{
    return i < sizeof models / sizeof *models ? models[i] : NULL;
}

const plussi_model *plussi_model_named(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (!name || strcmp(models[i]->name, name) == 0)
            return models[i];
    return NULL;
}

void plussi_estimate_init(plussi_estimate *estimate, const plussi_mem *mem)
{
    *estimate = (plussi_estimate){.mem = *mem, .profile.mem = *mem, .cells.mem = *mem};
}

void plussi_level_estimate_free(const plussi_mem *mem, plussi_level_estimate *level)
{
    plussi_free(mem, level->rival);
    plussi_free(mem, level->part);
    *level = (plussi_level_estimate){0};
}

void plussi_estimate_free(plussi_estimate *estimate)
{
    plussi_mem mem = estimate->mem;
    if (estimate->mrc.size)
        plussi_mrc_free(&estimate->mrc);
    plussi_profile_free(&estimate->profile);
    plussi_cells_free(&estimate->cells);
    plussi_free(&estimate->mem, estimate->size);
    plussi_free(&estimate->mem, estimate->error);
    plussi_free(&estimate->mem, estimate->spread);
    plussi_free(&estimate->mem, estimate->attribution);
    for (size_t i = 0; i < estimate->n_levels; i++)
        plussi_level_estimate_free(&estimate->mem, &estimate->level[i]);
    plussi_free(&estimate->mem, estimate->level);
    plussi_profile_formulas_free(&estimate->mem, estimate->formula, estimate->n_formulas);
    plussi_estimate_init(estimate, &mem);
}
