/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Built with PLUSS_WITHOUT_JSON, this needs no zlib and no libzstd, and refuses what they have
 * compressed.
 */
#include "trace/byte_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/gzip_magic.h"

#ifndef PLUSS_WITHOUT_JSON
#include <zstd.h>
#include <zstd_errors.h>

#include "base/zlib_mem.h"
#endif

enum { ROOM = 1 << 16, WINDOW_BITS = 27, MAGIC = 4 };

typedef enum compression { PLAIN, GZIP, ZSTD } compression;

struct plussi_byte_source {
    plussi_ctx *ctx;
    FILE *in;
    const char *name;
    compression by;
    uint64_t size; /* bytes of the stream; 0: not known */
    uint64_t read; /* of these, with those that are unused */
    bool ended;    /* the stream */
    bool whole;    /* what is decompressed ends here */
    char *input;   /* ROOM bytes, those from `begin` to `end` are unused */
    size_t begin, end;
#ifndef PLUSS_WITHOUT_JSON
    z_stream z;
    ZSTD_DStream *zstd;
#endif
};

/* Reads at least one byte more, unless the stream ends. */
static pluss_status fill(plussi_byte_source *s)
{
    memmove(s->input, s->input + s->begin, s->end - s->begin);
    s->end -= s->begin;
    s->begin = 0;
    size_t got = fread(s->input + s->end, 1, ROOM - s->end, s->in);
    s->end += got;
    s->read += got;
    s->ended = got == 0;
    if (got == 0 && ferror(s->in))
        return plussi_fail(s->ctx, PLUSS_EIO, &(plussi_loc){.file = s->name}, "cannot be read: %s",
                           strerror(errno));
    return PLUSS_OK;
}

static pluss_status read_plain(plussi_byte_source *s, void *to, size_t most, size_t *n)
{
    pluss_status status = s->begin == s->end && !s->ended ? fill(s) : PLUSS_OK;
    *n = most < s->end - s->begin ? most : s->end - s->begin;
    memcpy(to, s->input + s->begin, *n);
    s->begin += *n;
    return status;
}

#ifndef PLUSS_WITHOUT_JSON

static pluss_status fail_damaged(const plussi_byte_source *s)
{
    return plussi_fail(s->ctx, PLUSS_EFORMAT, &(plussi_loc){.file = s->name},
                       "the compressed data is damaged or truncated");
}

static pluss_status begin_decompression(plussi_byte_source *s)
{
    if (s->by == ZSTD) {
        s->zstd = ZSTD_createDStream();
        return s->zstd && !ZSTD_isError(
                              ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, WINDOW_BITS))
                   ? PLUSS_OK
                   : PLUSS_ENOMEM;
    }
    s->z = plussi_zlib_stream(&s->ctx->mem);
    return inflateInit2(&s->z, PLUSSI_GZIP_WINDOW) == Z_OK ? PLUSS_OK : PLUSS_ENOMEM;
}

static void end_decompression(plussi_byte_source *s)
{
    if (s->by == ZSTD)
        ZSTD_freeDStream(s->zstd);
    else if (s->by == GZIP)
        inflateEnd(&s->z);
}

/* Each decompresses some input to `to`; s->whole: a frame or member has ended, after which another
 * may come. */

static pluss_status inflate_some(plussi_byte_source *s, void *to, size_t most, size_t *n)
{
    if (s->whole)
        inflateReset(&s->z);
    s->z.next_in = (Bytef *)s->input + s->begin;
    s->z.avail_in = (uInt)(s->end - s->begin);
    s->z.next_out = to;
    s->z.avail_out = (uInt)most;
    int code = inflate(&s->z, Z_NO_FLUSH);
    s->begin = s->end - s->z.avail_in;
    *n = most - s->z.avail_out;
    s->whole = code == Z_STREAM_END;
    if (code == Z_MEM_ERROR)
        return PLUSS_ENOMEM;
    return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR ? PLUSS_OK : fail_damaged(s);
}

static pluss_status unzstd_some(plussi_byte_source *s, void *to, size_t most, size_t *n)
{
    ZSTD_inBuffer in = {s->input, s->end, s->begin};
    ZSTD_outBuffer out = {to, most, 0};
    size_t left = ZSTD_decompressStream(s->zstd, &out, &in);
    s->begin = in.pos;
    *n = out.pos;
    s->whole = left == 0;
    if (!ZSTD_isError(left))
        return PLUSS_OK;
    return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? PLUSS_ENOMEM : fail_damaged(s);
}

static pluss_status read_compressed(plussi_byte_source *s, void *to, size_t most, size_t *n)
{
    pluss_status status = PLUSS_OK;
    for (*n = 0; *n == 0 && !status;) {
        if (s->begin == s->end && !s->ended)
            status = fill(s);
        const size_t before = s->end - s->begin;
        if (status || (s->whole && before == 0 && s->ended))
            return status;
        status = s->by == ZSTD ? unzstd_some(s, to, most, n) : inflate_some(s, to, most, n);
        if (!status && *n == 0 && s->end - s->begin == before && !s->whole &&
            (before > 0 || s->ended))
            status = fail_damaged(s);
    }
    return status;
}

#else

static pluss_status begin_decompression(plussi_byte_source *s)
{
    return plussi_fail(s->ctx, PLUSS_EUNSUPPORTED, &(plussi_loc){.file = s->name},
                       "this library was built without zlib and libzstd");
}

static void end_decompression(plussi_byte_source *s)
{
    (void)s;
}

static pluss_status read_compressed(plussi_byte_source *s, void *to, size_t most, size_t *n)
{
    (void)s, (void)to, (void)most, (void)n;
    return PLUSS_EUNSUPPORTED;
}

#endif

static compression find_compression(const char *bytes, size_t n)
{
    if (plussi_is_gzip(bytes, n))
        return GZIP;
    return n >= MAGIC && memcmp(bytes, "\x28\xb5\x2f\xfd", MAGIC) == 0 ? ZSTD : PLAIN;
}

bool plussi_is_compressed(const char *bytes, size_t n)
{
    return find_compression(bytes, n) != PLAIN;
}

/* Bytes from where the stream is to the end of its file; 0: it has no end that is known. */
static uint64_t find_size(FILE *in)
{
    struct stat info;
    const int fd = fileno(in);
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return 0;
    const off_t at = ftello(in);
    return at >= 0 && at < info.st_size ? (uint64_t)(info.st_size - at) : 0;
}

double plussi_byte_source_done(const plussi_byte_source *s)
{
    const uint64_t taken = s->read - (s->end - s->begin);
    if (s->size == 0)
        return -1;
    return taken < s->size ? (double)taken / (double)s->size : 1;
}

pluss_status plussi_byte_source_new(plussi_ctx *ctx, FILE *in, const char *name,
                                    plussi_byte_source **out)
{
    plussi_byte_source *s = plussi_calloc(&ctx->mem, 1, sizeof *s);
    if (!s)
        return PLUSS_ENOMEM;
    *s = (plussi_byte_source){.ctx = ctx,
                              .in = in,
                              .name = name,
                              .size = find_size(in),
                              .input = plussi_alloc(&ctx->mem, ROOM, 1)};
    pluss_status status = s->input ? PLUSS_OK : PLUSS_ENOMEM;
    while (!status && s->end < MAGIC && !s->ended)
        status = fill(s);
    if (!status)
        s->by = find_compression(s->input, s->end);
    if (!status && s->by != PLAIN) {
        status = begin_decompression(s);
        s->by = status == PLUSS_EUNSUPPORTED ? PLAIN : s->by;
    }
    if (status)
        plussi_byte_source_free(s);
    else
        *out = s;
    return status;
}

void plussi_byte_source_free(plussi_byte_source *s)
{
    if (!s)
        return;
    end_decompression(s);
    plussi_free(&s->ctx->mem, s->input);
    plussi_free(&s->ctx->mem, s);
}

pluss_status plussi_byte_source_read(plussi_byte_source *s, void *to, size_t most, size_t *n)
{
    return s->by == PLAIN ? read_plain(s, to, most, n) : read_compressed(s, to, most, n);
}
