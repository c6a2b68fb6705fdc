/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Samples of lines: a hash chooses them, so that the recorder of a run and the walk of a nest
 * choose the same ones, and some of the bits divide them into groups, from which comes the standard
 * error of what the sample says.
 */
#ifndef PLUSSI_BASE_LINE_SAMPLE_H
#define PLUSSI_BASE_LINE_SAMPLE_H

#include <stdint.h>

enum { PLUSSI_LEAST_RATE_BITS = 20 /* the least rate: 2^-20 */ };

/* Keys of intervals where there are very many: exact below 2^BITS, else 2^(BITS - 1) bins an
 * octave. */
enum { PLUSSI_FINE_BITS = 8, PLUSSI_COARSE_BITS = 3 };
enum {
    PLUSSI_FINE_BINS = (66 - PLUSSI_FINE_BITS) << (PLUSSI_FINE_BITS - 1),
    PLUSSI_COARSE_BINS = ((66 - PLUSSI_COARSE_BITS) << (PLUSSI_COARSE_BITS - 1)) + 1,
    PLUSSI_NEVER_BIN = PLUSSI_COARSE_BINS - 1 /* first touches */
};
static inline uint32_t plussi_bin_of(uint64_t interval, unsigned bits)
{
    if (__builtin_expect(interval >> bits == 0, 1))
        return (uint32_t)interval;
    const unsigned shift = 64u - (unsigned)__builtin_clzll(interval) - bits;
    return (uint32_t)((shift << (bits - 1)) + (interval >> shift));
}
/* A bin has the intervals from `least` to least + 2^shift - 1. */
static inline uint64_t plussi_bin_least(uint32_t bin, unsigned bits, unsigned *shift)
{
    const uint32_t half = 1u << (bits - 1);
    *shift = bin < 2 * half ? 0 : bin / half - 1;
    return (uint64_t)(bin - *shift * half) << *shift;
}
/* The middle of a bin. */
static inline uint64_t plussi_bin_interval(uint32_t bin, unsigned bits)
{
    unsigned shift;
    const uint64_t least = plussi_bin_least(bin, bits, &shift);
    return least + ((uint64_t)1 << shift) / 2;
}

/* A hash whose bits are independent of each other: some choose lines, others their group. */
static inline uint64_t plussi_line_hash(uint64_t line)
{
    line *= 0x9e3779b97f4a7c15u;
    line ^= line >> 32;
    line *= 0xd6e8feb86659fd93u;
    return line ^ line >> 32;
}

static inline uint64_t plussi_line_threshold(unsigned shift)
{
    return UINT64_MAX >> shift;
}

/* Accesses by group of lines and bin of the interval, each with its weight. */
enum { PLUSSI_LINE_GROUPS = 16, PLUSSI_LEAST_GROUPS = 8 /* with a line, for an error */ };
typedef struct plussi_line_groups {
    double count[PLUSSI_LINE_GROUPS][PLUSSI_COARSE_BINS];
} plussi_line_groups;

/* The standard error of the share of accesses with an interval above one, for the one where it is
 * largest: groups of lines are independent estimates of the same share (Wolter, "Introduction to
 * Variance Estimation", 2007, section 2.4, for ratios). 0 to 1, and 1 where too few groups have a
 * line for an estimate. O(groups * bins). */
double plussi_line_groups_error(const plussi_line_groups *groups);
/* The same, and of each share: at[bin] of the accesses with an interval in that bin or above it. */
double plussi_line_groups_errors(const plussi_line_groups *groups, double at[PLUSSI_COARSE_BINS]);

void plussi_line_groups_merge(plussi_line_groups *to, const plussi_line_groups *from);

/* The bins of the group of lines with such a hash. */
static inline double *plussi_line_group_of(plussi_line_groups *groups, uint64_t hash)
{
    return groups->count[hash >> 20 & (PLUSSI_LINE_GROUPS - 1)];
}

#endif
