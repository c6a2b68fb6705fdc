/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports of curves: tables for people, CSV and JSON for programs; JSON can be read back.
 */
#ifndef PLUSSI_REPORT_REPORT_H
#define PLUSSI_REPORT_REPORT_H

#include "report/result.h"
#include "report/sink.h"

enum { PLUSSI_JSON_VERSION = 1 };

typedef struct plussi_report_cache {
    uint64_t bytes;
    const char *label; /* or NULL */
} plussi_report_cache;

/* table.c: curves that differ only in their team stand in one table, a column each; a row is a
 * cache size: the marked caches, and unless only_caches the powers of two up to the footprint. */
PLUSS_NODISCARD pluss_status plussi_report_table(plussi_ctx *ctx, const plussi_result *result,
                                                 const plussi_report_cache *cache, size_t n_caches,
                                                 bool only_caches, plussi_sink *sink);

/* csv.c: a header, then every point of every curve. */
PLUSS_NODISCARD pluss_status plussi_report_csv(plussi_ctx *ctx, const plussi_result *result,
                                               plussi_sink *sink);

/* json_write.c, json_read.c: an object with "version", "generator" and "curves"; docs/json.md
 * describes it. Reading checks everything and says where it is wrong. The members of *out come from
 * ctx's allocator. */
PLUSS_NODISCARD pluss_status plussi_report_json(plussi_ctx *ctx, const plussi_result *result,
                                                plussi_sink *sink);
PLUSS_NODISCARD pluss_status plussi_report_json_read(plussi_ctx *ctx, const char *text,
                                                     size_t length, const char *file,
                                                     plussi_result *out);

#endif
