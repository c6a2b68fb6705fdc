/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Inserted calls must not change the program's errno.
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
