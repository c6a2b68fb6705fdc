/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A nest's text, parsed and bound, for the tests of binding.
 */
#ifndef TESTS_UNIT_BIND_FIXTURE_H
#define TESTS_UNIT_BIND_FIXTURE_H

#include "bound/bound.h"

#define HEAD "pluss-nest 1\n"

typedef struct bind_fixture {
    plussi_ctx ctx;
    plussi_nest *nest;
    plussi_bound *bound; /* NULL: refused */
    plussi_bind_options options;
    pluss_status status;
} bind_fixture;

/* values: "n=3 m=4" or NULL. The text must be valid. */
void bind_open_with(bind_fixture *f, const char *text, const plussi_bind_options *options,
                    const char *values);
void bind_open(bind_fixture *f, const char *text, const char *values); /* 4 threads, lines of 64 */
void bind_ok(bind_fixture *f, const char *text, const char *values);   /* and it must succeed */
void bind_close(bind_fixture *f);
/* Refused with this status, at this line and column of the text, in words that hold `words`. */
void bind_refused(const char *text, const char *values, pluss_status status, uint32_t line,
                  uint32_t col, const char *words);
const plussi_bound_ref *bind_ref_of(const bind_fixture *f, uint32_t id);

#endif
