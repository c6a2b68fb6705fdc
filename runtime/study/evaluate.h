/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Evaluates a request team by team: each with what a record or a machine file has for it and for
 * the nest.
 */
#ifndef PLUSSI_STUDY_EVALUATE_H
#define PLUSSI_STUDY_EVALUATE_H

#include "study/machine_file.h"
#include "study/pipeline.h"

typedef pluss_status (*plussi_study_fn)(plussi_ctx *ctx, const plussi_nest *nest,
                                        const plussi_request *request, plussi_result *out);

/* Whether the nest has a symbol NAME or REGION.NAME. */
bool plussi_has_symbol(const plussi_nest *nest, const char *text);
/* *out is the request with those bindings alone that the nest has symbols for; the caller frees the
 * list out->binding. */
PLUSS_NODISCARD pluss_status plussi_request_for(plussi_ctx *ctx, const plussi_nest *nest,
                                                const plussi_request *request, plussi_request *out);
/* The block of a record that has the runs of the nest's first region with that many threads and the
 * values that the request binds. chunks: it has chunks, too; else a block with other values will
 * do. SIZE_MAX: none. O(blocks). */
size_t plussi_find_block(const plussi_record *record, const plussi_nest *nest,
                         const plussi_request *request, uint32_t team, bool chunks);
/* Curves in the order of request->team, each team with the chunks, the timelines or the rates that
 * the record (of the request's block, if it has one) or the machine file has for it. A nest whose
 * loops are all static needs no chunks. PLUSS_ENOTFOUND: the record has none. */
PLUSS_NODISCARD pluss_status plussi_evaluate_teams(plussi_ctx *ctx, const plussi_nest *nest,
                                                   const plussi_request *request,
                                                   plussi_study_fn engine, plussi_result *out);
/* Private reuse intervals at request->team[0], likewise. */
PLUSS_NODISCARD pluss_status plussi_evaluate_pri(plussi_ctx *ctx, const plussi_nest *nest,
                                                 const plussi_request *request, plussi_pri *out);

#endif
