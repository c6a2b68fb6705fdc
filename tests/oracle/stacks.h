/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stack algorithms of the literature (Cascaval's thesis, chapter 4) beside runtime/exact, for tests
 * and `make bench-stack`: they are each other's oracle. All look lines up in the same table, but
 * for the naive list, which needs none.
 */
#ifndef TESTS_ORACLE_STACKS_H
#define TESTS_ORACLE_STACKS_H

#include "base/ctx.h"

typedef struct stack stack;

typedef struct stack_algorithm {
    const char *name;
    const char *cost; /* of an access; N accesses, M lines */
    /* accesses: at most that many are touched. NULL: out of memory. */
    stack *(*make)(const plussi_mem *mem, uint64_t accesses);
    /* As plussi_lru_touch: other lines touched since, or PLUSSI_LRU_COLD. The allocator is expected
     * to have what is needed. */
    uint64_t (*touch)(stack *s, uint64_t line);
    void (*free)(stack *s);
} stack_algorithm;

extern const stack_algorithm stack_algorithms[];
enum { STACK_ALGORITHMS = 6 }; /* the first is runtime/exact's own */

#endif
