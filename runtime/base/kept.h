/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results that are kept, by all that they follow from: whoever needs one again copies it instead of
 * computing it. A key says everything that the result depends on, and keys are compared whole, so
 * that what is found is what would have been computed. Memory is bounded: what costs least per
 * byte, the more so the longer it was not used, is dropped first. Any number of threads may use a
 * store at once.
 */
#ifndef PLUSSI_BASE_KEPT_H
#define PLUSSI_BASE_KEPT_H

#include "base/ctx.h"

/* ---- keys ------------------------------------------------------------------------------------ */

typedef struct plussi_kept_key {
    plussi_mem mem;
    char *bytes;
    size_t n, cap;
    bool failed; /* no memory: nothing is found by it, nor kept */
} plussi_kept_key;

static inline void plussi_kept_key_init(plussi_kept_key *key, const plussi_mem *mem)
{
    *key = (plussi_kept_key){.mem = *mem};
}
void plussi_kept_key_free(plussi_kept_key *key);
/* Appends bytes, and how many they are: different lists of them are different keys. */
void plussi_kept_key_add(plussi_kept_key *key, const void *bytes, size_t n);
/* The number as 8 bytes: of different numbers of these, callers make different keys themselves. */
void plussi_kept_key_add_number(plussi_kept_key *key, uint64_t number);
void plussi_kept_key_add_real(plussi_kept_key *key, double number);

/* ---- the store ------------------------------------------------------------------------------- */

typedef struct plussi_kept plussi_kept;

/* most: bytes of all that is kept, keys included. mem must be usable by any thread. PLUSS_ENOMEM.
 * The caller frees, when nothing is held any more. */
PLUSS_NODISCARD pluss_status plussi_kept_new(const plussi_mem *mem, size_t most, plussi_kept **out);
void plussi_kept_free(plussi_kept *kept); /* NULL is allowed */

/* The value of a key, aligned to 16 bytes, and its size; NULL: it is not kept. It stays, unchanged,
 * until it is released. O(key). kept and bytes may be NULL. */
const void *plussi_kept_hold(plussi_kept *kept, const plussi_kept_key *key, size_t *bytes);
void plussi_kept_release(plussi_kept *kept, const void *value); /* value NULL: nothing */

/* Keeps a value, made of pieces one after another, in place of none: of a key that has one the
 * value stays. Where memory lacks, or there are more bytes than may be kept, nothing happens. cost:
 * of making it again, in steps. kept may be NULL. O(bytes + log entries), and O(log entries) for
 * each that is dropped. */
typedef struct plussi_kept_piece {
    const void *bytes;
    size_t n;
} plussi_kept_piece;
void plussi_kept_add(plussi_kept *kept, const plussi_kept_key *key, uint64_t cost,
                     const plussi_kept_piece *piece, size_t n_pieces);
/* Whether a value of that size can be kept at all. */
bool plussi_kept_has_room(const plussi_kept *kept, size_t bytes);

#endif
