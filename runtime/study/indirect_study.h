/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Regions that have no formulas of their stack distances: the indirect accesses model of Cascaval's
 * thesis, section 3.4.
 */
#ifndef PLUSSI_STUDY_INDIRECT_STUDY_H
#define PLUSSI_STUDY_INDIRECT_STUDY_H

#include "report/document.h"
#include "study/request.h"

/* A section of the list, marked as an estimate because of `why`. For each outermost loop and each
 * array how often the loop refers to it, as a text in symbols, variables of loops and elements of
 * index arrays (section 3.4's counters), and how many elements it has. With equation 3.7 the loop
 * touches
 *
 *     min(references, elements) * bytes of an element / bytes of a line
 *
 * lines of it. Where the thesis has that alone, a reference whose subscript is loaded counts a line
 * for itself, and so does the first element of each execution of a loop whose bounds are loaded,
 * unless it begins where the execution before ended; the array's lines are the limit. Misses are
 * the lines that all loops touch, where these fit the cache, else the sum over the loops. Too few
 * where what a loop reuses does not fit, too many where lines are touched that scattered references
 * had touched before.
 *
 * Where the request has values or contents of arrays, or names caches, references are counted
 * (O(iterations of loops on whose variables others depend)), and, up to 10^8 accesses of one
 * thread, the exact misses of fully associative LRU caches, empty at first, stand beside the
 * estimate. PLUSS_EUNSUPPORTED, naming the place: code that is not described, index arrays without
 * contents; PLUSS_EUNBOUND and the like: values that lack; PLUSS_ELIMIT: counting takes too long.
 */
PLUSS_NODISCARD pluss_status plussi_indirect_report(plussi_ctx *ctx, const plussi_nest *nest,
                                                    const plussi_region *region,
                                                    const plussi_request *request, const char *why,
                                                    plussi_section *list);

#endif
