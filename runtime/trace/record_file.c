/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "trace/recorded.h"

enum { FIRST_ROOM = 1 << 16 };

static pluss_status read_whole(plussi_ctx *ctx, FILE *in, const char *path, char **out,
                               size_t *length)
{
    const plussi_loc loc = {.file = path};
    char *text = NULL;
    size_t room = 0, used = 0, got;
    do {
        if (used == room) {
            room = room ? 2 * room : FIRST_ROOM;
            char *grown = plussi_realloc(&ctx->mem, text, room, 1);
            if (!grown) {
                plussi_free(&ctx->mem, text);
                return PLUSS_ENOMEM;
            }
            text = grown;
        }
        got = fread(text + used, 1, room - used, in);
        used += got;
    } while (got > 0);
    if (ferror(in)) {
        plussi_free(&ctx->mem, text);
        return plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be read: %s", strerror(errno));
    }
    *out = text;
    *length = used;
    return PLUSS_OK;
}

pluss_status plussi_record_read(plussi_ctx *ctx, const char *path, plussi_record **out)
{
    const plussi_loc loc = {.file = path};
    FILE *in = fopen(path, "rbe");
    if (!in)
        return plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be opened: %s", strerror(errno));
    char *text = NULL;
    size_t length = 0;
    pluss_status status = read_whole(ctx, in, path, &text, &length);
    fclose(in);
    if (status == PLUSS_OK) {
        plussi_record *record;
        status = plussi_record_parse(ctx, text, length, path, &record);
        plussi_free(&ctx->mem, text);
        if (status)
            return status;
        record->path = plussi_arena_strndup(&record->arena, path, strlen(path));
        if (!record->path) {
            plussi_record_free(record);
            return PLUSS_ENOMEM;
        }
        *out = record;
    }
    return status;
}

pluss_status plussi_record_trace(plussi_ctx *ctx, const plussi_record *record,
                                 plussi_trace_reader **out)
{
    if (!record->path)
        return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL,
                           "the record was read from no file: it has no sidecar file");
    size_t room = strlen(record->path) + sizeof PLUSSI_TRACE_SUFFIX;
    char *path = plussi_alloc(&ctx->mem, room, 1);
    if (!path)
        return PLUSS_ENOMEM;
    snprintf(path, room, "%s" PLUSSI_TRACE_SUFFIX, record->path);
    plussi_trace_reader *trace = NULL;
    pluss_status status = plussi_trace_open(ctx, path, &trace);
    plussi_free(&ctx->mem, path);
    if (!status && trace->line_bytes != record->line_bytes) {
        status = plussi_trace_bad(trace, 0, "of other lines than the record");
        plussi_trace_close(trace);
    }
    if (!status)
        *out = trace;
    return status;
}
