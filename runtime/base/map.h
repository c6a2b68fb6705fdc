/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Hash tables with open addressing. The owner holds the table, a power of two of slots or none, and
 * the number of entries; entries are never removed.
 *
 * PLUSSI_MAP(name, slot, key, is_used, hash_of, has_key) defines, for a type of slots that are free
 * when all their bytes are 0, a type of keys, and
 *
 *     bool is_used(const slot *)
 *     uint64_t hash_of(const slot *)              of a slot that is used; any bits may be alike
 *     bool has_key(const slot *, key)             a slot that is used
 *
 * the functions
 *
 *     slot *name_find(slot *table, size_t size, uint64_t hash, key k)
 *         The slot with this key, or the free one that it would take. NULL: there is no table.
 *     bool name_reserve(const plussi_mem *mem, slot **table, size_t *size, size_t least, size_t n)
 *         Room for n entries at a load of at most 2/3, `least` slots or more (a power of two, >=
 * 4); slots move if there was none. false: no memory, all is as before.
 *
 * PLUSSI_NUMBER_MAP(name, slot, number, value) is the same where the key is a member of the slot,
 * `number`, a uint64_t, which is its own hash, and a slot is free when its member `value` is 0.
 */
#ifndef PLUSSI_BASE_MAP_H
#define PLUSSI_BASE_MAP_H

#include "base/ctx.h"

/* Fibonacci hashing: the top bits of the product are well mixed for neighbouring numbers, and for
 * multiples of a number. */
static inline uint64_t plussi_hash(uint64_t number)
{
    return number * 0x9e3779b97f4a7c15u;
}

#define PLUSSI_MAP(name, slot, key, is_used, hash_of, has_key)                                     \
    static inline slot *name##_find(slot *table, size_t size, uint64_t hash, key k)                \
    {                                                                                              \
        if (!size)                                                                                 \
            return NULL;                                                                           \
        size_t at = plussi_hash(hash) >> (64 - __builtin_ctzll(size));                             \
        while (is_used(&table[at]) && !has_key(&table[at], k))                                     \
            at = (at + 1) & (size - 1);                                                            \
        return &table[at];                                                                         \
    }                                                                                              \
    static bool name##_reserve(const plussi_mem *mem, slot **table, size_t *size, size_t least,    \
                               size_t n)                                                           \
    {                                                                                              \
        size_t larger = *size ? *size : least;                                                     \
        while (n > larger / 3 * 2) {                                                               \
            if (larger > SIZE_MAX / 4 / sizeof(slot))                                              \
                return false;                                                                      \
            larger *= 2;                                                                           \
        }                                                                                          \
        if (larger == *size)                                                                       \
            return true;                                                                           \
        slot *moved = plussi_calloc(mem, larger, sizeof(slot));                                    \
        if (!moved)                                                                                \
            return false;                                                                          \
        for (size_t i = 0; i < *size; i++) {                                                       \
            if (!is_used(&(*table)[i]))                                                            \
                continue;                                                                          \
            size_t at = plussi_hash(hash_of(&(*table)[i])) >> (64 - __builtin_ctzll(larger));      \
            while (is_used(&moved[at]))                                                            \
                at = (at + 1) & (larger - 1);                                                      \
            moved[at] = (*table)[i];                                                               \
        }                                                                                          \
        plussi_free(mem, *table);                                                                  \
        *table = moved;                                                                            \
        *size = larger;                                                                            \
        return true;                                                                               \
    }

#define PLUSSI_NUMBER_MAP(name, slot, number, value)                                               \
    static inline bool name##_is_used(const slot *s)                                               \
    {                                                                                              \
        return s->value != 0;                                                                      \
    }                                                                                              \
    static inline uint64_t name##_hash(const slot *s)                                              \
    {                                                                                              \
        return s->number;                                                                          \
    }                                                                                              \
    static inline bool name##_has(const slot *s, uint64_t key)                                     \
    {                                                                                              \
        return s->number == key;                                                                   \
    }                                                                                              \
    PLUSSI_MAP(name, slot, uint64_t, name##_is_used, name##_hash, name##_has)

#endif
