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

typedef struct plussi_number {
    char *name;
    double value;
} plussi_number;

/* The law of thread progress. */
typedef struct plussi_law_told {
    char *law;    /* "rates"; NULL: not told */
    char *from;   /* who chose it: "default", "option", "record" or "machine file" */
    char *source; /* of its numbers: "machine.json, 4 threads"; NULL: not told */
    plussi_number *number;
    size_t n;
} plussi_law_told;

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
    uint32_t program;  /* number in a co-run, from 1; 0: of none, or all of them */
    double rate;       /* of the program: its accesses in a time; 0: not in a co-run */
    uint32_t unknowns; /* constructs that it does not include */
    plussi_law_told progress;
} plussi_identity;

void plussi_identity_free(const plussi_mem *mem, plussi_identity *id); /* leaves it empty */
/* The caller owns *out, which is empty on failure. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_identity_copy(const plussi_mem *mem, const plussi_identity *id,
                                                  plussi_identity *out);
/* The values of symbols. */
bool plussi_identity_same_values(const plussi_identity *a, const plussi_identity *b);
/* Adds a number to those of the law. PLUSS_ENOMEM. O(numbers). */
PLUSS_NODISCARD pluss_status plussi_law_told_add(const plussi_mem *mem, plussi_law_told *told,
                                                 const char *name, double value);

#endif
