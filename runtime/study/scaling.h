/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves of other numbers of threads, and of other problem sizes, from locality profiles alone.
 */
#ifndef PLUSSI_STUDY_SCALING_H
#define PLUSSI_STUDY_SCALING_H

#include "study/request.h"

/* The curves of the request's model, one of those that scale (NULL: scale-overlap), for its teams
 * and caches, from the locality profiles of `from`: of each region and line size, with the values
 * of their profiles, or, where the request binds symbols of theirs, with these. Profiles of other
 * values are scaled to them from two sizes, the first two that there are: the footprint is taken as
 * a power of the first symbol that differs. A team that was measured is as it was; curves of one
 * thread are left out where there is no profile of one. PLUSS_EEMPTY: there are no locality
 * profiles, or not of two teams; PLUSS_ENOTFOUND: no profile has such a symbol; PLUSS_EINVAL: two
 * sizes do not tell a third, or the model does not scale. */
PLUSS_NODISCARD pluss_status plussi_scale_result(plussi_ctx *ctx, const plussi_result *from,
                                                 const plussi_request *request, plussi_result *out);

#endif
