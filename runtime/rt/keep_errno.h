/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The program reads errno; calls that are put into it must not change it.
 */
#ifndef PLUSSI_RT_KEEP_ERRNO_H
#define PLUSSI_RT_KEEP_ERRNO_H

#include <errno.h>

static inline void plussi_restore_errno(const int *before)
{
    errno = *before;
}

/* Until the end of the block. */
#define PLUSSI_KEEP_ERRNO                                                                          \
    __attribute__((cleanup(plussi_restore_errno))) const int errno_before = errno

#endif
