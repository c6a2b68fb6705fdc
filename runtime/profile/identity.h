/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a profile or a curve is of, and where it came from.
 */
#ifndef PLUSSI_PROFILE_IDENTITY_H
#define PLUSSI_PROFILE_IDENTITY_H

#include <stdbool.h>

#include "base/ctx.h"

typedef struct plussi_value {
    char *name; /* of a symbol that is not derived */
    int64_t value;
} plussi_value;

/* Texts are owned. */
typedef struct plussi_identity {
    char *region;               /* "a", or "a+b" for a program of several regions */
    char *file;                 /* source; NULL: not known */
    uint32_t line;              /* 0: not known */
    uint32_t team;              /* threads, >= 1 */
    uint32_t threads_per_cache; /* 0: all share one. What has this identity is of all caches */
    bool simulated;             /* else predicted */
    char *engine;               /* model, or thread progress with its parameter: "burst:8" */
    uint32_t line_bytes;
    uint64_t seed;
    char *schedule; /* put in place of the written ones: "static, 4"; "": none */
    size_t n_values;
    plussi_value *values;
    uint32_t unknowns; /* constructs that are not in it */
} plussi_identity;

void plussi_identity_free(const plussi_mem *mem, plussi_identity *id); /* leaves it empty */
/* *out is the caller's; empty on failure. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_identity_copy(const plussi_mem *mem, const plussi_identity *id,
                                                  plussi_identity *out);

#endif
