/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What is known of an instruction that libpluss-trace watches: one that is linear in its operands
 * as long as these are in a range. The tracer (tracer/code_traps.c) notes the operands and writes
 * lines `watch ...`, the folding (trace/fold_limits.c) reads them; docs/folding.md.
 */
#ifndef PLUSSI_TRACE_WATCH_H
#define PLUSSI_TRACE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

typedef enum plussi_watch_kind {
    PLUSSI_WATCH_SIGN,    /* whether x is negative */
    PLUSSI_WATCH_ZERO,    /* whether x is 0 */
    PLUSSI_WATCH_FLOOR,   /* x, at most hi, divided by lo, rounded down; y: the remainder */
    PLUSSI_WATCH_RANGE,   /* x has few bits: those of [lo, hi] */
    PLUSSI_WATCH_DIVIDE,  /* x: a quotient, y: its remainder, hi: the least distance of that to the
                           * divisor; lo: the greatest dividend of 32 bits */
    PLUSSI_WATCH_BITS,    /* x: bits that two operands share, y: those that either has */
    PLUSSI_WATCH_PRODUCT, /* x: a product of two signed operands, whose low bits, [lo, hi], are kept
                           */
    PLUSSI_WATCH_FLOAT,   /* x: whether a is below b (lo 1), equal (2) or either (3), or one is no
                           * number; hi: 1 if both were integers, y: then a - b */
    PLUSSI_WATCH_CONVERT, /* floating-point numbers become integers, or decide unwatched: no values
                           */
    PLUSSI_WATCH_KINDS
} plussi_watch_kind;

/* As it is in a line. */
static inline const char *plussi_watch_name(plussi_watch_kind kind)
{
    static const char *const name[PLUSSI_WATCH_KINDS] = {
        "sign", "zero", "floor", "range", "divide", "bits", "product", "float", "convert"};
    return name[kind];
}

/* The least and the greatest x and y of all executions. */
typedef struct plussi_watch_ranges {
    int64_t lo, hi, x[2], y[2];
    bool zero, nonzero; /* ZERO: an execution with x = 0, with another x */
} plussi_watch_ranges;

static inline int64_t plussi_watch_divide(int64_t x, int64_t by)
{
    return x / by - (x % by < 0);
}

/* Whether it has acted, in executions with these ranges, both as if it were linear and otherwise:
 * runs that have both show what it does. O(1). */
static inline bool plussi_watch_has_acted(plussi_watch_kind kind, const plussi_watch_ranges *r)
{
    switch (kind) {
    case PLUSSI_WATCH_SIGN:
        return r->x[0] < 0 && r->x[1] >= 0;
    case PLUSSI_WATCH_ZERO:
        return r->zero && r->nonzero;
    case PLUSSI_WATCH_FLOOR:
        return r->y[0] != r->y[1] && r->lo > 0 &&
               plussi_watch_divide(r->x[0], r->lo) != plussi_watch_divide(r->x[1], r->lo);
    case PLUSSI_WATCH_RANGE:
        return r->x[0] == r->lo && r->x[1] == r->hi;
    case PLUSSI_WATCH_PRODUCT:
        return r->x[0] < r->lo || r->x[1] > r->hi;
    case PLUSSI_WATCH_CONVERT:
        return true; /* nothing more is to be seen */
    case PLUSSI_WATCH_DIVIDE:
        return r->x[0] != r->x[1] && r->y[0] != r->y[1];
    default:
        return r->x[0] != r->x[1];
    }
}

#endif
