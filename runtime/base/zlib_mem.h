/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * zlib's memory comes from the context's allocator.
 */
#ifndef PLUSSI_BASE_ZLIB_MEM_H
#define PLUSSI_BASE_ZLIB_MEM_H

#include <zlib.h>

#include "base/ctx.h"

static inline voidpf plussi_zlib_alloc(voidpf mem, uInt n, uInt size)
{
    return plussi_alloc(mem, n, size);
}

static inline void plussi_zlib_free(voidpf mem, voidpf ptr)
{
    plussi_free(mem, ptr);
}

static inline z_stream plussi_zlib_stream(const plussi_mem *mem)
{
    return (z_stream){
        .zalloc = plussi_zlib_alloc, .zfree = plussi_zlib_free, .opaque = (voidpf)mem};
}

enum { PLUSSI_GZIP_WINDOW = 15 + 16 /* the largest, with a gzip header */ };

#endif
