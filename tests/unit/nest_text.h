/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nests from and to text, for tests.
 */
#ifndef TESTS_UNIT_NEST_TEXT_H
#define TESTS_UNIT_NEST_TEXT_H

#include "nest/nest.h"

/* Parses "pluss-nest 1\n" and text; a failed check, with the messages, if it does not parse. */
plussi_nest *nest_of(plussi_ctx *ctx, const char *text);
/* Its canonical text without the header, to be freed with free. */
char *text_of(plussi_ctx *ctx, const plussi_nest *nest);
/* The diagnostics, one a line, "line:col: text", to be freed with free. */
char *messages_of(const plussi_ctx *ctx);

#endif
