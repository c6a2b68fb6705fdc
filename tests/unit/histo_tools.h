/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tests do with histograms, and the product does not.
 */
#ifndef TESTS_UNIT_HISTO_TOOLS_H
#define TESTS_UNIT_HISTO_TOOLS_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "profile/histo.h"

/* Empties the histogram and keeps its memory. */
static inline void histo_clear(plussi_histo *h)
{
    h->cold = h->thread_first = 0;
    h->n = 0;
    if (h->cap)
        memset(h->slot, 0, h->cap * sizeof *h->slot);
}

static inline bool histo_close_to(double a, double b, double eps)
{
    return fabs(a - b) <= eps * fmax(fabs(a), fabs(b));
}

/* Same keys, weights within eps (relative to the larger), and the named fields. */
static inline bool histo_equal(const plussi_histo *a, const plussi_histo *b, double eps)
{
    if (a->n != b->n || !histo_close_to(a->cold, b->cold, eps) ||
        !histo_close_to(a->thread_first, b->thread_first, eps))
        return false;
    for (size_t i = 0; i < a->cap; i++) {
        double weight = a->slot[i].weight;
        if (weight == 0)
            continue;
        double other = plussi_histo_get(b, a->slot[i].key);
        if (other == 0 || !histo_close_to(weight, other, eps))
            return false;
    }
    return true;
}

#endif
