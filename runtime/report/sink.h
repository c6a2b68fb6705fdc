/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Output of reports: a buffered callback that takes bytes. Numbers do not depend on the C library's
 * locale, so that a report is the same bytes everywhere.
 */
#ifndef PLUSSI_REPORT_SINK_H
#define PLUSSI_REPORT_SINK_H

#include <stdbool.h>

#include "base/ctx.h"

typedef struct plussi_sink {
    int (*write)(void *user, const char *data, size_t length); /* not 0: stop */
    void *user;
    bool failed; /* after this nothing is written */
    size_t used;
    char buffer[4096];
} plussi_sink;

void plussi_sink_init(plussi_sink *sink, int (*write)(void *user, const char *data, size_t length),
                      void *user);
void plussi_sink_bytes(plussi_sink *sink, const char *data, size_t length);
void plussi_sink_text(plussi_sink *sink, const char *text);
void plussi_sink_repeat(plussi_sink *sink, char c, size_t n);
/* Flushes; PLUSS_EIO, with a diagnostic, if the callback failed. */
PLUSS_NODISCARD pluss_status plussi_sink_finish(plussi_ctx *ctx, plussi_sink *sink);

/* Numbers as text; return the length without NUL. out: PLUSSI_NUMBER bytes. */
enum { PLUSSI_NUMBER = 32 };
size_t plussi_text_u64(char *out, uint64_t value);
size_t plussi_text_i64(char *out, int64_t value);
size_t plussi_text_grouped(char *out, uint64_t value); /* 1,365,000 */
/* With that many decimals, at most 12; in general form if that is too long. "-": not finite. */
size_t plussi_text_fixed(char *out, double value, unsigned decimals);
/* As printf's %g, with at most 15 significant digits. "-": not finite. */
size_t plussi_text_general(char *out, double value, unsigned digits);
/* A size in the largest unit that keeps it whole or has two digits before the point: "48 KiB",
 * "1.25 MiB", "100 B". */
size_t plussi_text_bytes(char *out, uint64_t bytes);

#endif
