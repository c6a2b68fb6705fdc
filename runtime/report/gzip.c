/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/gzip.h"

#include "report/writer.h"

#ifndef PLUSS_WITHOUT_JSON
#include "base/zlib_mem.h"

enum { MEMORY = 8, CHUNK = 65536 };
static const size_t most = (size_t)UINT32_MAX;

/* Inflates all members: a file may have several, as `cat` joins them. */
static pluss_status inflate_all(plussi_ctx *ctx, z_stream *z, const plussi_loc *place, char **out,
                                size_t *n)
{
    size_t room = 0;
    int code = Z_OK;
    while (code != Z_STREAM_END || z->avail_in > 0) {
        if (code == Z_STREAM_END)
            inflateReset(z);
        if (*n == room) {
            size_t more = room ? 2 * room : CHUNK;
            char *grown = more <= most ? plussi_realloc(&ctx->mem, *out, more, 1) : NULL;
            if (!grown)
                return more <= most ? PLUSS_ENOMEM
                                    : plussi_fail(ctx, PLUSS_ELIMIT, place,
                                                  "more than 4 GiB when it is not compressed");
            *out = grown;
            room = more;
        }
        z->next_out = (Bytef *)*out + *n;
        z->avail_out = (uInt)(room - *n);
        code = inflate(z, Z_NO_FLUSH);
        *n = room - z->avail_out;
        if (code == Z_MEM_ERROR)
            return PLUSS_ENOMEM;
        if (code != Z_STREAM_END && (code != Z_OK || (z->avail_in == 0 && z->avail_out > 0)))
            return plussi_fail(ctx, PLUSS_EFORMAT, place,
                               "the compressed data is damaged or truncated");
    }
    return PLUSS_OK;
}

pluss_status plussi_gunzip(plussi_ctx *ctx, const char *bytes, size_t length, const char *file,
                           char **out, size_t *n)
{
    const plussi_loc place = {.file = file};
    z_stream z = plussi_zlib_stream(&ctx->mem);
    *out = NULL;
    *n = 0;
    if (length > most)
        return plussi_fail(ctx, PLUSS_ELIMIT, &place, "more than 4 GiB");
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)length;
    if (inflateInit2(&z, PLUSSI_GZIP_WINDOW) != Z_OK)
        return PLUSS_ENOMEM;
    pluss_status status = inflate_all(ctx, &z, &place, out, n);
    inflateEnd(&z);
    if (status) {
        plussi_free(&ctx->mem, *out);
        *out = NULL;
    }
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct compressor {
    z_stream z;
    plussi_sink *sink;
} compressor;

static int compress_some(compressor *c, const char *data, size_t length, int flush)
{
    char out[4096];
    int code;
    c->z.next_in = (Bytef *)(uintptr_t)data;
    c->z.avail_in = (uInt)length;
    do {
        c->z.next_out = (Bytef *)out;
        c->z.avail_out = sizeof out;
        code = deflate(&c->z, flush);
        plussi_sink_bytes(c->sink, out, sizeof out - c->z.avail_out);
    } while (c->z.avail_out == 0);
    return code == Z_STREAM_ERROR || c->sink->failed;
}

static int compress_bytes(void *user, const char *data, size_t length)
{
    return compress_some(user, data, length, Z_NO_FLUSH);
}

extern const plussi_format plussi_format_json, plussi_format_json_gz;

static pluss_status write_json_gz(plussi_ctx *ctx, const plussi_document *document,
                                  const char *table, plussi_sink *sink)
{
    compressor c = {plussi_zlib_stream(&ctx->mem), sink};
    plussi_sink plain;
    if (deflateInit2(&c.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, PLUSSI_GZIP_WINDOW, MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return PLUSS_ENOMEM;
    plussi_sink_init(&plain, compress_bytes, &c);
    pluss_status status = plussi_format_json.write(ctx, document, table, &plain);
    if (!status)
        status = plussi_sink_finish(ctx, &plain);
    if (!status)
        (void)compress_some(&c, NULL, 0, Z_FINISH);
    deflateEnd(&c.z);
    return status;
}

#else

pluss_status plussi_gunzip(plussi_ctx *ctx, const char *bytes, size_t length, const char *file,
                           char **out, size_t *n)
{
    const plussi_loc place = {.file = file};
    (void)bytes, (void)length, (void)out, (void)n;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &place, "this library was built without zlib");
}

static pluss_status write_json_gz(plussi_ctx *ctx, const plussi_document *document,
                                  const char *table, plussi_sink *sink)
{
    (void)document, (void)table, (void)sink;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL, "this library was built without zlib");
}

#endif

extern const plussi_format plussi_format_json_gz;
const plussi_format plussi_format_json_gz = {"json.gz", "the same, compressed by gzip",
                                             write_json_gz};
