/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The walker beside the oracle on one nest: every access of every thread in every phase must be the
 * same. Fails the running Check test with the nest's text where they differ.
 */
#ifndef TESTS_ORACLE_WALK_PAIR_H
#define TESTS_ORACLE_WALK_PAIR_H

#include "naive.h"
#include "trace/walk.h"

typedef struct walk_pair_options {
    uint32_t team, line_bytes;
    uint64_t seed;
    const plussi_binding *binding;
    size_t n_bindings;
    plussi_schedule_kind runtime; /* for schedule(runtime) */
    int64_t runtime_chunk;
    bool same_places; /* the placement rule must give the same addresses: interval arithmetic finds
                         the exact range of every reference */
    const char *name; /* for messages */
} walk_pair_options;

/* Number of accesses compared (in one of the orders). */
uint64_t walk_pair_check(const plussi_nest *nest, const walk_pair_options *options);

/* Parses; fails the test with the diagnostics where it cannot. The caller frees. */
plussi_nest *walk_pair_parse(const char *text);

#endif
