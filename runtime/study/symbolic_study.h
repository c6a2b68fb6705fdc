/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Symbolic stack histograms of regions as reports, and as functions in C.
 */
#ifndef PLUSSI_STUDY_SYMBOLIC_STUDY_H
#define PLUSSI_STUDY_SYMBOLIC_STUDY_H

#include "report/document.h"
#include "study/request.h"
#include "symbolic/formula.h"

/* The formulas of a region, for lines of the request's size. */
PLUSS_NODISCARD pluss_status plussi_symbolic_derive(plussi_ctx *ctx, const plussi_nest *nest,
                                                    const plussi_region *region,
                                                    const plussi_request *request,
                                                    plussi_formula **out);

/* The same for lines of several sizes: PLUSSI_LINE_FORMS formulas, of which the caller frees those
 * that are not NULL, whatever the result. The effort is for all together. PLUSS_EUNSUPPORTED, by
 * name and place: they are not of the same reuses; else as plussi_formula_derive. */
PLUSS_NODISCARD pluss_status plussi_symbolic_derive_lines(plussi_ctx *ctx, const plussi_nest *nest,
                                                          const plussi_region *region,
                                                          const plussi_request *request,
                                                          plussi_formula **out);

/* A section of the list: what these are the cases of, formulas in L. PLUSS_EUNSUPPORTED, by name
 * and place: they differ in more than numbers. */
PLUSS_NODISCARD pluss_status plussi_symbolic_report_lines(plussi_ctx *ctx, plussi_formula *const *f,
                                                          plussi_section *list);

/* A section of the list for the region, with its name and the size of the lines. */
plussi_section *plussi_symbolic_section(plussi_section *list, const plussi_region *region,
                                        uint64_t line);

/* A section of the list: the formulas, and, where the request binds all symbols of the region, the
 * mean stack distance for these values, and misses in the caches that it names. PLUSS_EUNBOUND: it
 * binds some of them; PLUSS_ERANGE: the formulas do not hold for the values. */
PLUSS_NODISCARD pluss_status plussi_symbolic_report(plussi_ctx *ctx, const plussi_formula *f,
                                                    const plussi_request *request,
                                                    plussi_section *list);

/* As functions in C (symbolic/formula_text.h). *out is the caller's (plussi_free). */
PLUSS_NODISCARD pluss_status plussi_symbolic_code(plussi_ctx *ctx, const plussi_formula *f,
                                                  char **out, size_t *length);

/* The counters of a region that has no formulas, as a function in C; *out as above.
 * PLUSS_EUNSUPPORTED, by name and place: code that is not described, or contents that are no
 * integers. */
PLUSS_NODISCARD pluss_status plussi_symbolic_counters(plussi_ctx *ctx, const plussi_nest *nest,
                                                      const plussi_region *region, char **out,
                                                      size_t *length);

#endif
