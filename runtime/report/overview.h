/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of a whole file or run, what the page of the format html shows: regions, worst first,
 * each with the points of a grid of teams, schedules and values. docs/report.md describes it.
 */
#ifndef PLUSSI_REPORT_OVERVIEW_H
#define PLUSSI_REPORT_OVERVIEW_H

#include "report/report.h"

/* Adds a list "regions" and the rest; tips: of some regions. Numbers have five digits, curves eight
 * sizes an octave: enough to look at. Failures are left in the document. O(points). */
void plussi_report_overview(plussi_ctx *ctx, const plussi_result *result,
                            const plussi_report_caches *caches, const plussi_tips *tips,
                            plussi_document *document);

/* source_text.c: adds a list "sources": of each file that the result's references are in, the lines
 * from a few before the first of them to a few after the last. folder: where files are looked for
 * that are not where they are called; NULL: nowhere else. A file that cannot be read is a note of
 * its section. */
void plussi_report_sources(plussi_ctx *ctx, const plussi_result *result, const char *const *folder,
                           size_t n_folders, plussi_document *document);

/* source_text.c: the text of a line of a source file, without the spaces before it, in the
 * document's memory; NULL: it cannot be read. O(bytes before it). */
const char *plussi_source_line(plussi_document *document, const char *file, uint32_t line);

/* line_report.c: all that the result has about a line of a file (its name, or the end of its path):
 * a list "points", each with the misses of its references at each level, the reuses that they lose,
 * and why. PLUSS_ENOTFOUND, which is told: no reference of a level is there. */
PLUSS_NODISCARD pluss_status plussi_report_line(plussi_ctx *ctx, const plussi_result *result,
                                                const char *file, uint32_t line,
                                                plussi_document *document);

#endif
