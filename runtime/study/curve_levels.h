/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Levels of caches out of curves and profiles alone.
 */
#ifndef PLUSSI_STUDY_CURVE_LEVELS_H
#define PLUSSI_STUDY_CURVE_LEVELS_H

#include "report/result.h"
#include "study/request.h"

/* Puts levels in place of those that the result has: for each curve the request's caches that as
 * many threads share as in the curve, fully associative, with the misses that the curve has at
 * their sizes. Where the result has the curve's profile by reference, each reference has those of
 * its accesses whose intervals or distances are the longest, as many of all references together as
 * the curve has. On failure the levels are those of before. PLUSS_ENOTFOUND: none of the caches is
 * shared as in any curve. O(levels * (curves * profiles + bins log bins)). */
PLUSS_NODISCARD pluss_status plussi_derive_levels(plussi_ctx *ctx, const plussi_request *request,
                                                  plussi_result *result);

#endif
