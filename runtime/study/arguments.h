/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of an option, read from left to right.
 */
#ifndef PLUSSI_STUDY_ARGUMENTS_H
#define PLUSSI_STUDY_ARGUMENTS_H

#include "base/ctx.h"

typedef struct plussi_argument {
    const char *text, *at; /* at: the next character to be read */
    const char *why;       /* what is wrong there; NULL: nothing yet */
} plussi_argument;

/* Says what is wrong; false. */
bool plussi_refuse(plussi_argument *a, const char *why);
/* Passes over the word if it comes next. */
bool plussi_skip(plussi_argument *a, const char *word);
/* Nothing is left, or it is refused. */
bool plussi_at_end(plussi_argument *a);

/* Each passes over what it reads; false where that is refused. */
bool plussi_read_count(plussi_argument *a, uint64_t *out);  /* decimal digits */
bool plussi_read_integer(plussi_argument *a, int64_t *out); /* decimal or 0x, with sign */
bool plussi_read_real(plussi_argument *a, double *out);     /* finite, >= 0; in any locale */
bool plussi_read_share(plussi_argument *a, double *out);    /* 0.2% or 0.002 */
bool plussi_read_interval(plussi_argument *a, double *out); /* 100us: nanoseconds */
bool plussi_read_size(plussi_argument *a, uint64_t *out);   /* 32K, 1M, 48KiB: bytes, >= 1 */
/* Values that something is evaluated for, one after another; n 1: no sweep. */
enum { PLUSSI_SWEEP_MOST = 32 };
typedef struct plussi_sweep {
    size_t n;
    uint32_t value[PLUSSI_SWEEP_MOST];
} plussi_sweep;
/* N, A..B (A, 2 A, 4 A, ... B), and several of these with the separator between, each value once,
 * in order of mention. 0 has a
 * word, or NULL; else it, and what does not fit 32 bits, is refused with `why`. */
bool plussi_read_sweep(plussi_argument *a, const char *separator, const char *zero, const char *why,
                       plussi_sweep *out);
/* 1,4,16-64 and 1..64x2 (doubling): each once, in order of mention. The caller frees *list.
 * PLUSS_EINVAL: refused. */
PLUSS_NODISCARD pluss_status plussi_read_threads(const plussi_mem *mem, plussi_argument *a,
                                                 uint32_t **list, size_t *n);

#endif
