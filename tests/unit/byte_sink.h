/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bytes that are written, kept in memory.
 */
#ifndef TESTS_UNIT_BYTE_SINK_H
#define TESTS_UNIT_BYTE_SINK_H

#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    char *at; /* to be freed with free; NULL: there are none */
    size_t n, cap;
} bytes;

/* user: bytes, to which n are appended. Always 0. There is room for one more. */
static inline int add_bytes(void *user, const char *data, size_t n)
{
    bytes *b = user;
    if (b->n + n >= b->cap) {
        b->cap = 2 * (b->n + n) + 1;
        b->at = realloc(b->at, b->cap);
        if (!b->at)
            abort();
    }
    memcpy(b->at + b->n, data, n);
    b->n += n;
    return 0;
}

#endif
