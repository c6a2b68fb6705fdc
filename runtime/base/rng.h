/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * xoshiro256** (Blackman and Vigna, 2018), seeded with splitmix64. Streams with different
 * (seed, stream) pairs are independent for our purposes; a result that uses them is reproducible.
 */
#ifndef PLUSSI_BASE_RNG_H
#define PLUSSI_BASE_RNG_H

#include <stdint.h>

typedef struct plussi_rng {
    uint64_t s[4];
} plussi_rng;

static inline uint64_t plussi_splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A hash of the pair. */
static inline uint64_t plussi_mix(uint64_t hash, uint64_t value)
{
    uint64_t state = hash ^ value * 0x9e3779b97f4a7c15u;
    return plussi_splitmix64(&state);
}

static inline void plussi_rng_seed(plussi_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    state = plussi_splitmix64(&state) ^ (stream * 0xd1342543de82ef95u + 1);
    for (int i = 0; i < 4; i++)
        rng->s[i] = plussi_splitmix64(&state);
}

static inline uint64_t plussi_rng_next(plussi_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t x = s[1] * 5, result = ((x << 7) | (x >> 57)) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/* Uniform in [0, n), n >= 1, without bias (Lemire, 2019). */
static inline uint64_t plussi_rng_below(plussi_rng *rng, uint64_t n)
{
    unsigned __int128 m = (unsigned __int128)plussi_rng_next(rng) * n;
    if ((uint64_t)m < n) {
        uint64_t reject = -n % n;
        while ((uint64_t)m < reject)
            m = (unsigned __int128)plussi_rng_next(rng) * n;
    }
    return (uint64_t)(m >> 64);
}

/* Uniform in [0, 1), 53 bits. */
static inline double plussi_rng_unit(plussi_rng *rng)
{
    return (double)(plussi_rng_next(rng) >> 11) * 0x1p-53;
}

#endif
