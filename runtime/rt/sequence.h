/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The sequence of runs in compact form: consecutive runs are counted, and a repetition is folded as
 * soon as its second time is complete, so that the calls of a loop need no more space than its
 * body.
 */
#ifndef PLUSSI_RT_SEQUENCE_H
#define PLUSSI_RT_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUSSI_PLACE_UNKNOWN UINT32_MAX

enum {
    PLUSSI_SEQUENCE_PERIOD = 32,     /* longest body that is folded, nodes */
    PLUSSI_SEQUENCE_NODES = 1 << 16, /* kept at the top */
    PLUSSI_SEQUENCE_DEPTH = 8        /* of nested bodies */
};

typedef struct plussi_sequence_node {
    uint32_t sum, place; /* a run */
    uint32_t n, depth;   /* nodes in the body; 0: a run */
    uint64_t times;
    struct plussi_sequence_node *body; /* n of them */
} plussi_sequence_node;

typedef struct plussi_sequence {
    plussi_sequence_node *node;
    size_t n, cap;
    uint64_t lost; /* runs after the last kept one */
} plussi_sequence;

/* Counts the run as lost if there is no room. Amortised O(PLUSSI_SEQUENCE_PERIOD). */
void plussi_sequence_add(plussi_sequence *sequence, uint32_t sum, uint32_t place);
void plussi_sequence_free(plussi_sequence *sequence); /* empty again */

#endif
