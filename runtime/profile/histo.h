/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Weighted histogram of intervals or distances (unsigned keys, exact). The kinds of accesses that
 * have none are separate fields.
 */
#ifndef PLUSSI_PROFILE_HISTO_H
#define PLUSSI_PROFILE_HISTO_H

#include <stdbool.h>

#include "base/ctx.h"

typedef struct plussi_bin {
    uint64_t key;
    double weight;
} plussi_bin;

typedef struct plussi_histo {
    plussi_mem mem;
    double cold;         /* accesses to a line that no thread has touched before */
    double thread_first; /* accesses to a line that another thread has touched before, but not this
                            one */
    double coherence; /* accesses to a line that another thread has written since this one touched
                         it, where its copy then is lost */
    /* base/map.h; a slot with weight 0 is empty */
    plussi_bin *slot;
    size_t n, cap;
} plussi_histo;

void plussi_histo_init(plussi_histo *h, const plussi_mem *mem);
void plussi_histo_free(plussi_histo *h);

/* Adds weight to key's; 0 does nothing. PLUSS_EINVAL if it is negative or not finite. Amortised
 * O(1). */
PLUSS_NODISCARD pluss_status plussi_histo_add(plussi_histo *h, uint64_t key, double weight);
/* dst += scale * src, including those without a key. On failure dst is unchanged. PLUSS_EINVAL if
 * scale is negative or not finite. */
PLUSS_NODISCARD pluss_status plussi_histo_merge(plussi_histo *dst, const plussi_histo *src,
                                                double scale);

double plussi_histo_get(const plussi_histo *h, uint64_t key);
double plussi_histo_total(const plussi_histo *h);   /* all accesses */
double plussi_histo_keyless(const plussi_histo *h); /* cold, thread_first and coherence */

/* The greatest key that there is; 0 without any. O(n). */
uint64_t plussi_histo_greatest(const plussi_histo *h);
/* Sets weight[key] for each key that there is, and no other. O(n). */
void plussi_histo_spread(const plussi_histo *h, double *weight);
/* All bins by ascending key: *out is owned by the caller (free with h->mem), never NULL. O(n). */
PLUSS_NODISCARD pluss_status plussi_histo_sorted(const plussi_histo *h, plussi_bin **out,
                                                 size_t *n);
/* Sorts bins by key in place; equal keys keep their order. O(n). */
PLUSS_NODISCARD pluss_status plussi_bins_sort(const plussi_mem *mem, plussi_bin *bin, size_t n);

/* The representative of key on a log-linear scale: below 2^bits the key, above the middle of one of
 * 2^bits bins an octave. Models use it to bound the number of bins. bits in [1, 20]. */
uint64_t plussi_histo_quantise(uint64_t key, unsigned bits);

#endif
