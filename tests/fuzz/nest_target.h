/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Targets that take any nest, with choices before its text.
 */
#ifndef TESTS_FUZZ_NEST_TARGET_H
#define TESTS_FUZZ_NEST_TARGET_H

#include "any_target.h"
#include "bound/bound.h"

enum { MAX_BINDINGS = 64 };
typedef struct fuzz_nest {
    plussi_ctx ctx;
    plussi_nest *nest;
    const uint8_t *choice; /* the input's first bytes */
    plussi_binding binding[MAX_BINDINGS];
    size_t n_bindings;
} fuzz_nest;

/* Takes n_choices bytes, parses the rest as a nest's text, gives value(choice, number) to each
 * symbol that needs one, and calls use; does nothing where there is no nest. */
void with_nest(const uint8_t *data, size_t size, size_t n_choices,
               int64_t (*value)(const uint8_t *choice, uint32_t symbol), void (*use)(fuzz_nest *f));

#endif
