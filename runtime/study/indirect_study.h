/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Regions that have no formulas of their stack distances: the indirect accesses model of Cascaval's
 * thesis, section 3.4.
 */
#ifndef PLUSSI_STUDY_INDIRECT_STUDY_H
#define PLUSSI_STUDY_INDIRECT_STUDY_H

#include "report/document.h"
#include "study/indirect_values.h"

/* A section of the list, marked as an estimate because of `why`. For each outermost loop and each
 * array how often the loop refers to it, as a text in symbols, variables of loops and elements of
 * index arrays (section 3.4's counters), and how many elements it has. With equation 3.7 the loop
 * touches
 *
 *     min(references, elements) * bytes of an element / bytes of a line
 *
 * lines of it. Where the thesis has that alone, the lines of an array with subscripts that are
 * loaded, or of a loop whose bounds are and whose executions do not begin where the ones before
 * ended, are counted from the contents of the index arrays, and with them how many touches pass
 * between two of a line: indirect_reuse.h tells which of these miss, while what has affine
 * subscripts streams through the cache and is taken to be reused while it is there. Where counting
 * takes too long, a reference whose subscript is loaded counts a line for itself, and so does the
 * first element of each execution of such a loop; the array's lines are the limit. Misses are the
 * lines that all loops touch, where these fit the cache, else the sum over the loops.
 *
 * Where the request has values or contents of arrays, or names caches, references are counted
 * (O(iterations of loops on whose variables others depend, and executions of the references whose
 * lines are counted)), and the exact misses of fully associative LRU caches, empty at first, stand
 * beside the estimate (indirect_values.h). values: of this nest and request, zero at first; it is
 * evaluated where needed, serves all regions of the nest, and remains the caller's to free.
 * PLUSS_EUNSUPPORTED, naming the place: code that is not described, index arrays without contents;
 * PLUSS_EUNBOUND and the like: values that lack; PLUSS_ELIMIT: counting takes too long.
 */
PLUSS_NODISCARD pluss_status plussi_indirect_report(plussi_ctx *ctx, const plussi_nest *nest,
                                                    const plussi_region *region,
                                                    const plussi_request *request, const char *why,
                                                    plussi_indirect_values *values,
                                                    plussi_section *list);

#endif
