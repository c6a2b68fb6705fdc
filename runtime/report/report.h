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

typedef struct plussi_report_caches {
    const plussi_report_cache *cache;
    const uint32_t *sharers; /* threads that share each; 0, or the team or more: all; NULL: all */
    size_t n;
    bool only; /* no other rows */
} plussi_report_caches;

/* table.c: curves that differ only in their team and in who shares a cache stand in one table, a
 * column a team; a row is a cache size: the marked caches, each from the curve of as many sharers,
 * and unless these alone are wanted the powers of two up to the footprint, shared by all. */
PLUSS_NODISCARD pluss_status plussi_report_table(plussi_ctx *ctx, const plussi_result *result,
                                                 const plussi_report_caches *caches,
                                                 plussi_sink *sink);

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
