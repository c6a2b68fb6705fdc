/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The accesses of one thread that the region's description has as unknowns, in their order, by
 * iteration of the worksharing loops around them.
 */
#ifndef PLUSSI_RT_FILL_H
#define PLUSSI_RT_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    PLUSSI_FILL_UNKNOWNS = 1 << 14, /* of a region that are told apart */
    PLUSSI_FILL_MOST = 1 << 20      /* entries of a record */
};

/* An entry begins an iteration of a worksharing loop (its number follows as an entry of its own),
 * ends iterations of a loop in it, or is an access. */
typedef struct plussi_fill {
    uint64_t *entry;
    size_t n, cap;
    uint64_t accesses; /* of the program, that the entries stand for */
    uint32_t called;   /* the unknown that stands for what is called */
    bool failed;       /* there are more, or there was no memory */
} plussi_fill;

plussi_fill *plussi_fill_new(void);    /* NULL: no memory */
void plussi_fill_free(plussi_fill *f); /* NULL is allowed */

void plussi_fill_begin(plussi_fill *f, uint32_t loop, uint32_t time, uint64_t iteration);
void plussi_fill_done(plussi_fill *f, uint32_t loop);
/* An access of `bytes` >= 1: an entry for each line that it touches. */
void plussi_fill_access(plussi_fill *f, uint32_t unknown, bool write, uint64_t address,
                        uint32_t bytes);
/* A line of the record for each iteration. */
void plussi_fill_write(FILE *out, const plussi_fill *f);

#endif
