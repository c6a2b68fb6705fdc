/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Binary heaps: the first element is the one before all others. The owner allocates the array.
 *
 * PLUSSI_HEAP(name, element, owner, is_before) defines, for a type of elements and a function
 * bool is_before(const owner *, const element *, const element *), a strict order:
 *
 *     void name_sink(const owner *o, element *heap, size_t n, size_t at)
 *         Element `at` may come after those below it: moves it down. O(log n).
 *     void name_rise(const owner *o, element *heap, size_t at)
 *         Element `at` may come before those above it: moves it up. O(log n).
 *     void name_replace(const owner *o, element *heap, size_t n, element last)
 *         Puts an element that comes late in place of the first: one comparison for each of the
 *         log n levels, where the first's removal and its return take three. n >= 1.
 *     void name_order(const owner *o, element *heap, size_t n)
 *         Makes a heap of any array. O(n).
 *
 * To append, put the element at the end and let it rise; to remove the first, put the last in its
 * place and let it sink.
 */
#ifndef PLUSSI_BASE_HEAP_H
#define PLUSSI_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#define PLUSSI_HEAP(name, element, owner, is_before)                                               \
    static inline void name##_sink(const owner *o, element *heap, size_t n, size_t at)             \
    {                                                                                              \
        element moved = heap[at];                                                                  \
        for (size_t child; (child = 2 * at + 1) < n; at = child) {                                 \
            if (child + 1 < n && is_before(o, &heap[child + 1], &heap[child]))                     \
                child++;                                                                           \
            if (!is_before(o, &heap[child], &moved))                                               \
                break;                                                                             \
            heap[at] = heap[child];                                                                \
        }                                                                                          \
        heap[at] = moved;                                                                          \
    }                                                                                              \
    static inline                                                                                  \
        __attribute__((unused)) void name##_rise(const owner *o, element *heap, size_t at)         \
    {                                                                                              \
        element moved = heap[at];                                                                  \
        for (; at > 0 && is_before(o, &moved, &heap[(at - 1) / 2]); at = (at - 1) / 2)             \
            heap[at] = heap[(at - 1) / 2];                                                         \
        heap[at] = moved;                                                                          \
    }                                                                                              \
    static inline __attribute__((unused)) void name##_replace(const owner *o, element *heap,       \
                                                              size_t n, element last)              \
    {                                                                                              \
        size_t at = 0, child = 1;                                                                  \
        for (; child + 1 < n; child = 2 * at + 1) {                                                \
            child += is_before(o, &heap[child + 1], &heap[child]);                                 \
            heap[at] = heap[child];                                                                \
            at = child;                                                                            \
        }                                                                                          \
        if (child < n) {                                                                           \
            heap[at] = heap[child];                                                                \
            at = child;                                                                            \
        }                                                                                          \
        heap[at] = last;                                                                           \
        name##_rise(o, heap, at);                                                                  \
    }                                                                                              \
    static inline                                                                                  \
        __attribute__((unused)) void name##_order(const owner *o, element *heap, size_t n)         \
    {                                                                                              \
        for (size_t i = n / 2; i-- > 0;)                                                           \
            name##_sink(o, heap, n, i);                                                            \
    }

#endif
