/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Binary search. PLUSSI_BISECT(type, i, from, to, condition) declares i and sets it to the first
 * value in [from, to) for which the condition on i holds, or to `to` if there is none. The
 * condition must hold for all values after the first. O(log(to - from)).
 */
#ifndef PLUSSI_BASE_BISECT_H
#define PLUSSI_BASE_BISECT_H

#define PLUSSI_BISECT(type, i, from, to, condition)                                                \
    type i = (from);                                                                               \
    for (type i##_low = i, i##_high = (to); i##_low < i##_high; i = i##_low) {                     \
        i = i##_low + (i##_high - i##_low) / 2;                                                    \
        if (condition)                                                                             \
            i##_high = i;                                                                          \
        else                                                                                       \
            i##_low = i + 1;                                                                       \
    }

#endif
