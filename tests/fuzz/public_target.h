/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Targets that go through the public interface, and what must hold of every result of it.
 */
#ifndef TESTS_FUZZ_PUBLIC_TARGET_H
#define TESTS_FUZZ_PUBLIC_TARGET_H

#include "any_target.h"
#include "pluss.h"

/* A context whose results are freed by the end of use; what use returns must be explained if it is
 * a failure. */
void with_context(const uint8_t *data, size_t size,
                  pluss_status (*use)(pluss_context *ctx, const uint8_t *data, size_t size));

/* Curves are curves, and a report of them can be written and read again. */
void check_result(pluss_context *ctx, const pluss_result *result);

/* The input's parts, which a byte 0 ends: a nest's text, a record, and its sidecar file. */
typedef struct fuzz_run {
    pluss_context *ctx;
    pluss_nest *nest;
    pluss_record *record;
} fuzz_run;

/* Calls use where there are a nest and a record, which lies in a file. A failure must be explained.
 */
void with_run(const uint8_t *data, size_t size, pluss_status (*use)(fuzz_run *run));

#endif
