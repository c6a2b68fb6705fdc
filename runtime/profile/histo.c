/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/histo.h"

#include <math.h>
#include <string.h>

#include "base/map.h"

enum { FIRST_CAP = 16 };

void plussi_histo_init(plussi_histo *h, const plussi_mem *mem)
{
    *h = (plussi_histo){.mem = *mem};
}

void plussi_histo_free(plussi_histo *h)
{
    plussi_free(&h->mem, h->slot);
    *h = (plussi_histo){.mem = h->mem};
}

PLUSSI_NUMBER_MAP(bins, plussi_bin, key, weight)

static plussi_bin *find_bin(const plussi_histo *h, uint64_t key)
{
    return bins_find(h->slot, h->cap, key, key);
}

/* Makes room for `more` new keys. */
static pluss_status reserve_bins(plussi_histo *h, size_t more)
{
    return bins_reserve(&h->mem, &h->slot, &h->cap, FIRST_CAP, h->n + more) ? PLUSS_OK
                                                                            : PLUSS_ENOMEM;
}

static bool is_weight(double w)
{
    return w >= 0 && isfinite(w);
}

pluss_status plussi_histo_add(plussi_histo *h, uint64_t key, double weight)
{
    if (!is_weight(weight))
        return PLUSS_EINVAL;
    if (weight == 0)
        return PLUSS_OK;
    plussi_bin *bin = find_bin(h, key);
    if (!bin || bin->weight == 0) {
        pluss_status status = reserve_bins(h, 1);
        if (status != PLUSS_OK)
            return status;
        bin = find_bin(h, key);
        bin->key = key;
        h->n++;
    }
    bin->weight += weight;
    return PLUSS_OK;
}

pluss_status plussi_histo_merge(plussi_histo *dst, const plussi_histo *src, double scale)
{
    if (!is_weight(scale))
        return PLUSS_EINVAL;
    /* allocates first: a merge happens as a whole or not at all */
    size_t fresh = 0;
    for (size_t i = 0; i < src->cap; i++)
        if (src->slot[i].weight * scale != 0)
            fresh += plussi_histo_get(dst, src->slot[i].key) == 0;
    if (fresh) {
        pluss_status status = reserve_bins(dst, fresh);
        if (status != PLUSS_OK)
            return status;
    }
    for (size_t i = 0; i < src->cap; i++) {
        double weight = src->slot[i].weight * scale;
        if (weight == 0)
            continue;
        plussi_bin *bin = find_bin(dst, src->slot[i].key);
        dst->n += bin->weight == 0;
        bin->key = src->slot[i].key;
        bin->weight += weight;
    }
    dst->cold += src->cold * scale;
    dst->thread_first += src->thread_first * scale;
    dst->coherence += src->coherence * scale;
    return PLUSS_OK;
}

double plussi_histo_get(const plussi_histo *h, uint64_t key)
{
    const plussi_bin *bin = find_bin(h, key);
    return bin ? bin->weight : 0;
}

double plussi_histo_keyless(const plussi_histo *h)
{
    return h->cold + h->thread_first + h->coherence;
}

double plussi_histo_total(const plussi_histo *h)
{
    double total = plussi_histo_keyless(h);
    for (size_t i = 0; i < h->cap; i++)
        total += h->slot[i].weight;
    return total;
}

uint64_t plussi_histo_greatest(const plussi_histo *h)
{
    uint64_t greatest = 0;
    for (size_t i = 0; i < h->cap; i++)
        if (h->slot[i].weight != 0 && h->slot[i].key > greatest)
            greatest = h->slot[i].key;
    return greatest;
}

void plussi_histo_spread(const plussi_histo *h, double *weight)
{
    for (size_t i = 0; i < h->cap; i++)
        if (h->slot[i].weight != 0)
            weight[h->slot[i].key] = h->slot[i].weight;
}

/* ---- order -------------------------------------------------------------------------------------
 */

static void insertion_sort(plussi_bin *bin, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        plussi_bin moved = bin[i];
        size_t k = i;
        for (; k > 0 && bin[k - 1].key > moved.key; k--)
            bin[k] = bin[k - 1];
        bin[k] = moved;
    }
}

/* Radix sort by bytes; makes passes over the differing bytes alone. */
pluss_status plussi_bins_sort(const plussi_mem *mem, plussi_bin *bin, size_t n)
{
    if (n <= 32) {
        insertion_sort(bin, n);
        return PLUSS_OK;
    }
    plussi_bin *scratch = plussi_alloc(mem, n, sizeof *scratch);
    if (!scratch)
        return PLUSS_ENOMEM;
    uint64_t differ = 0;
    for (size_t i = 1; i < n; i++)
        differ |= bin[i].key ^ bin[0].key;
    plussi_bin *from = bin, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if ((differ >> shift & 0xff) == 0)
            continue;
        size_t at[257] = {0};
        for (size_t i = 0; i < n; i++)
            at[(from[i].key >> shift & 0xff) + 1]++;
        for (size_t k = 0; k < 256; k++)
            at[k + 1] += at[k];
        for (size_t i = 0; i < n; i++)
            to[at[from[i].key >> shift & 0xff]++] = from[i];
        plussi_bin *swap = from;
        from = to;
        to = swap;
    }
    if (from != bin)
        memcpy(bin, from, n * sizeof *bin);
    plussi_free(mem, scratch);
    return PLUSS_OK;
}

pluss_status plussi_histo_sorted(const plussi_histo *h, plussi_bin **out, size_t *n)
{
    plussi_bin *bin = plussi_alloc(&h->mem, h->n, sizeof *bin);
    if (!bin)
        return PLUSS_ENOMEM;
    size_t count = 0;
    for (size_t i = 0; i < h->cap; i++)
        if (h->slot[i].weight != 0)
            bin[count++] = h->slot[i];
    pluss_status status = plussi_bins_sort(&h->mem, bin, count);
    if (status != PLUSS_OK) {
        plussi_free(&h->mem, bin);
        return status;
    }
    *out = bin;
    *n = count;
    return PLUSS_OK;
}

uint64_t plussi_histo_quantise(uint64_t key, unsigned bits)
{
    if (key >> bits == 0)
        return key;
    unsigned shift = 63 - (unsigned)__builtin_clzll(key) - bits; /* log2 of the bin's width */
    uint64_t width = (uint64_t)1 << shift;
    return (key & ~(width - 1)) + width / 2;
}
