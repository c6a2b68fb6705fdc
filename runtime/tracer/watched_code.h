/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Which instructions of traced functions are not linear in their operands, and what of an operand
 * tells whether they act as if they were: masks, shifts to the right, divisions, conversions to
 * fewer bits, operations on bits, products of few bits, comparisons whose outcome is used, and what
 * makes integers of floating-point numbers.
 */
#ifndef PLUSSI_TRACER_WATCHED_CODE_H
#define PLUSSI_TRACER_WATCHED_CODE_H

#include "trace/watch.h"
#include "tracer/x86_code.h"

/* Conditions of amd64's instructions, without the lowest bit, which is their opposites'. */
enum {
    PLUSSI_WATCH_CARRY = 1,
    PLUSSI_WATCH_EQUAL,
    PLUSSI_WATCH_BELOW_EQUAL,
    PLUSSI_WATCH_NEGATIVE,
    PLUSSI_WATCH_PARITY,
    PLUSSI_WATCH_LESS,
    PLUSSI_WATCH_LESS_EQUAL
};

/* What is looked at before an instruction is executed. */
typedef struct plussi_watch_rule {
    plussi_watch_kind kind;
    uint8_t
        condition;  /* SIGN, ZERO: the condition code, without its lowest bit; 0: of an operand */
    bool of_source; /* RANGE: of the operand that is only read */
    bool is_signed;
    int64_t divisor; /* FLOOR; FLOAT: the condition */
} plussi_watch_rule;

typedef struct plussi_watch_value {
    int64_t x, y;
    int64_t lo, hi;  /* as of plussi_watch_ranges */
    bool is_nothing; /* does not tell anything */
    bool is_linear;  /* nothing either: a division by 1, linear in any operand */
    bool is_address; /* of operands that are addresses both; RANGE: it may have been loaded so */
} plussi_watch_value;

enum { PLUSSI_WATCH_RULES = 6 };

/* Whether its x is one less than the difference that the condition is of. */
static inline bool plussi_watch_is_lessened(const plussi_watch_rule *rule)
{
    return rule->condition == PLUSSI_WATCH_BELOW_EQUAL ||
           rule->condition == PLUSSI_WATCH_LESS_EQUAL;
}

/* The rules of the instruction at code of a function that ends `room` bytes later: their number.
 * next: where flags are used is looked for from there on. */
int plussi_watch_rules(const uint8_t *code, size_t room, const plussi_x86 *x,
                       plussi_watch_rule *out);
/* registers: in the order of their numbers. vectors: the low halves of the 16 vector registers.
 * after: the address of the next instruction. is_address: whether a value is one of memory. O(1).
 */
plussi_watch_value plussi_watch_evaluate(const plussi_watch_rule *rule, const plussi_x86 *x,
                                         const uint64_t *registers, const uint64_t *vectors,
                                         uintptr_t after, bool (*is_address)(uint64_t value));

#endif
