/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a profile or a curve describes, and where it came from.
 */
#ifndef PLUSSI_PROFILE_IDENTITY_H
#define PLUSSI_PROFILE_IDENTITY_H

#include <stdbool.h>

#include "base/ctx.h"

typedef struct plussi_value {
    char *name; /* of a symbol that is not derived */
    int64_t value;
} plussi_value;

/* It owns the texts. */
typedef struct plussi_identity {
    char *region;               /* "a", or "a+b" for a program of several regions */
    char *file;                 /* source file; NULL: unknown */
    uint32_t line;              /* 0: unknown */
    uint32_t team;              /* threads, >= 1 */
    uint32_t threads_per_cache; /* 0: one cache for all; else a sum over all caches */
    bool simulated;             /* else predicted */
    char *engine;               /* model, or thread progress with its parameter: "burst:8" */
    uint32_t line_bytes;
    uint64_t seed;
    char *schedule; /* that replaced the source's: "static, 4"; "": none */
    size_t n_values;
    plussi_value *values;
    uint32_t unknowns; /* constructs that it does not include */
} plussi_identity;

void plussi_identity_free(const plussi_mem *mem, plussi_identity *id); /* leaves it empty */
/* The caller owns *out, which is empty on failure. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_identity_copy(const plussi_mem *mem, const plussi_identity *id,
                                                  plussi_identity *out);

#endif
