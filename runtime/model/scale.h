/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Locality profiles at other core counts and problem sizes, from those at two of them: Wu and
 * Yeung, ACM TOCS 2013, section 4.1, and Zhong, Dropsho and Ding, PACT 2003 (reference groups).
 * docs/models.md, "scale", derives what is computed here and says where it departs from the paper.
 */
#ifndef PLUSSI_MODEL_SCALE_H
#define PLUSSI_MODEL_SCALE_H

#include "model/model.h"

enum {
    PLUSSI_SCALE_GROUPS = 200000, /* reference groups: parts of the same weight, by distance */
    PLUSSI_SCALE_RATES = 100      /* steps between no shift and one in proportion */
};

typedef enum plussi_scaled { PLUSSI_SCALED_CORES, PLUSSI_SCALED_DATA } plussi_scaled;

/* What is scaled, where profiles are known, and where one is predicted: threads, or the size of the
 * data in any unit. 0 < from < to, 0 < at. lines: no depth is greater than all lines that there
 * are; 0: not known. */
typedef struct plussi_scaling {
    plussi_scaled what;
    double from, to, at;
    double lines;
} plussi_scaling;

/* Adds to out the distances at `at`, from profiles of distances at `from` and `to`, which are of
 * the same scope and sharing. Cores: the accesses are as many as at `to`. PLUSS_EINVAL: the scaling
 * is out of range, or the profiles differ in more than that. O(bins log bins + groups). */
PLUSS_NODISCARD pluss_status plussi_scale_profile(plussi_ctx *ctx, const plussi_scaling *scaling,
                                                  const plussi_profile *from,
                                                  const plussi_profile *to, plussi_histo *out);

/* What is predicted: the sum of all profiles; those of phases, private and shared lines apart,
 * which are added (the paper's P + S); the same by what threads do not share and what they do (not
 * the paper's), of shared caches alone: private ones are scaled direct. */
typedef enum plussi_scale_by {
    PLUSSI_SCALE_DIRECT,
    PLUSSI_SCALE_PARTS,
    PLUSSI_SCALE_OVERLAP
} plussi_scale_by;

/* The rule of a model of the registry. false: it does not scale. */
bool plussi_scale_rule(const plussi_model *model, plussi_scale_by *out);

/* Locality profiles of data of one size. */
typedef struct plussi_locality_set {
    const plussi_profile *profile;
    size_t n;
} plussi_locality_set;

/* Of caches of one thread of a team, or of all (0, too). PLUSS_EINVAL: of other numbers. */
PLUSS_NODISCARD pluss_status plussi_scale_scope(plussi_ctx *ctx, uint32_t team,
                                                uint32_t threads_per_cache,
                                                plussi_profile_scope *out);

/* Adds to out the distances of a scope, of one run, with cores->at threads, from locality profiles
 * (study/locality.h) of known[0] with two teams, cores->from and cores->to. data: those are of data
 * of size data->from, and known[1] of data->to; each profile is scaled to data->at, and then to
 * cores->at. A team that is known at cores->at is scaled by the data alone, or, data NULL, as it
 * is. PLUSS_EEMPTY: there are none of a team. O(parts (bins log bins + groups)). */
PLUSS_NODISCARD pluss_status plussi_scale_program(plussi_ctx *ctx, const plussi_locality_set *known,
                                                  plussi_profile_scope scope, plussi_scale_by by,
                                                  const plussi_scaling *data,
                                                  const plussi_scaling *cores, plussi_histo *out);

/* Of the registry; the last one is the default where profiles are scaled. */
extern const plussi_model plussi_model_scale, plussi_model_scale_ps, plussi_model_scale_overlap;

#endif
