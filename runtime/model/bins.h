/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bins of plussi_histo_quantise: a key below 2^bits has its own bin; above there are 2^bits
 * bins an octave.
 */
#ifndef PLUSSI_MODEL_BINS_H
#define PLUSSI_MODEL_BINS_H

#include <stdint.h>

/* The bin that holds key: keys *first ... *last, both included. bits in [1, 20]. */
static inline void plussi_bin_range(uint64_t key, unsigned bits, uint64_t *first, uint64_t *last)
{
    *first = *last = key;
    if (key >> bits == 0)
        return;
    unsigned octave = 63 - (unsigned)__builtin_clzll(key);
    uint64_t width = (uint64_t)1 << (octave - bits);
    *first = key & ~(width - 1);
    *last = *first + (width - 1);
}

#endif
