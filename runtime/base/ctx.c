/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/ctx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *libc_resize(void *user, void *ptr, size_t bytes)
{
    (void)user;
    if (bytes == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, bytes);
}

const plussi_mem plussi_mem_libc = {libc_resize, NULL};

void plussi_ctx_init(plussi_ctx *ctx, const plussi_mem *mem)
{
    *ctx = (plussi_ctx){.mem = mem ? *mem : plussi_mem_libc};
}

void plussi_ctx_clear(plussi_ctx *ctx)
{
    for (size_t i = 0; i < ctx->n_diags; i++) {
        plussi_free(&ctx->mem, ctx->diags[i].file);
        plussi_free(&ctx->mem, ctx->diags[i].text);
    }
    plussi_free(&ctx->mem, ctx->diags);
    ctx->diags = NULL;
    ctx->n_diags = ctx->n_dropped = 0;
}

static char *format_text(const plussi_mem *mem, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return NULL;
    char *text = plussi_alloc(mem, (size_t)length + 1, 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *plussi_print(const plussi_mem *mem, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = format_text(mem, format, args);
    va_end(args);
    return text;
}

static void report_diagnostic(plussi_ctx *ctx, plussi_severity severity, pluss_status status,
                              const plussi_loc *loc, const char *format, va_list args)
{
    if (!ctx->diags)
        ctx->diags = plussi_calloc(&ctx->mem, PLUSSI_MAX_DIAGS, sizeof *ctx->diags);
    size_t most = PLUSSI_MAX_DIAGS - (severity != PLUSSI_ERROR);
    if (!ctx->diags || ctx->n_diags >= most) {
        ctx->n_dropped++;
        return;
    }
    char *text = format_text(&ctx->mem, format, args);
    if (!text) {
        ctx->n_dropped++;
        return;
    }
    plussi_diag *diag = &ctx->diags[ctx->n_diags++];
    *diag = (plussi_diag){.severity = severity, .status = status, .text = text};
    if (loc) {
        diag->line = loc->line;
        diag->col = loc->col;
        if (loc->file)
            diag->file = plussi_strndup(&ctx->mem, loc->file, strlen(loc->file));
    }
}

void plussi_report(plussi_ctx *ctx, plussi_severity severity, pluss_status status,
                   const plussi_loc *loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_diagnostic(ctx, severity, status, loc, format, args);
    va_end(args);
}

void plussi_report_again(plussi_ctx *ctx, const plussi_ctx *from)
{
    for (size_t i = 0; i < from->n_diags; i++) {
        const plussi_diag *d = &from->diags[i];
        const plussi_loc loc = {d->file, d->line, d->col};
        plussi_report(ctx, d->severity, d->status, &loc, "%s", d->text);
    }
    ctx->n_dropped += from->n_dropped;
}

pluss_status plussi_fail(plussi_ctx *ctx, pluss_status status, const plussi_loc *loc,
                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_diagnostic(ctx, PLUSSI_ERROR, status, loc, format, args);
    va_end(args);
    return status;
}

void *plussi_realloc(const plussi_mem *mem, void *ptr, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return NULL;
    return mem->resize(mem->user, ptr, bytes ? bytes : 1);
}

void *plussi_alloc(const plussi_mem *mem, size_t n, size_t size)
{
    return plussi_realloc(mem, NULL, n, size);
}

void *plussi_calloc(const plussi_mem *mem, size_t n, size_t size)
{
    void *ptr = plussi_alloc(mem, n, size);
    if (ptr)
        memset(ptr, 0, n * size);
    return ptr;
}

void plussi_free(const plussi_mem *mem, void *ptr)
{
    if (ptr)
        mem->resize(mem->user, ptr, 0);
}

char *plussi_strndup(const plussi_mem *mem, const char *s, size_t n)
{
    char *copy = plussi_alloc(mem, n + 1, 1);
    if (copy) {
        memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

pluss_status plussi_copy_text(const plussi_mem *mem, const char *text, char **out)
{
    *out = text ? plussi_strndup(mem, text, strlen(text)) : NULL;
    return *out || !text ? PLUSS_OK : PLUSS_ENOMEM;
}

bool plussi_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

pluss_status plussi_grow(const plussi_mem *mem, void *ptr_to_array, size_t *cap, size_t n,
                         size_t size)
{
    if (n < *cap)
        return PLUSS_OK;
    void *old;
    memcpy(&old, ptr_to_array, sizeof old);
    size_t new_cap = *cap ? *cap * 2 : 8;
    void *grown = plussi_realloc(mem, old, new_cap, size);
    if (!grown)
        return PLUSS_ENOMEM;
    memcpy(ptr_to_array, &grown, sizeof grown);
    *cap = new_cap;
    return PLUSS_OK;
}

struct plussi_arena_block {
    struct plussi_arena_block *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

enum { ARENA_ALIGN = 16, ARENA_BLOCK = 16 * 1024 };

void plussi_arena_init(plussi_arena *arena, const plussi_mem *mem)
{
    *arena = (plussi_arena){.mem = *mem};
}

void *plussi_arena_alloc(plussi_arena *arena, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    struct plussi_arena_block *block = arena->head;
    if (!block || block->size - block->used < bytes) {
        size_t room = bytes > ARENA_BLOCK ? bytes : ARENA_BLOCK;
        block = plussi_alloc(&arena->mem, 1, sizeof *block + room);
        if (!block)
            return NULL;
        block->next = arena->head;
        block->used = 0;
        block->size = room;
        arena->head = block;
    }
    void *piece = block->bytes + block->used;
    block->used += bytes;
    memset(piece, 0, bytes);
    return piece;
}

char *plussi_arena_strndup(plussi_arena *arena, const char *s, size_t n)
{
    char *copy = plussi_arena_alloc(arena, n + 1, 1);
    if (copy)
        memcpy(copy, s, n);
    return copy;
}

void plussi_arena_free(plussi_arena *arena)
{
    while (arena->head) {
        struct plussi_arena_block *next = arena->head->next;
        plussi_free(&arena->mem, arena->head);
        arena->head = next;
    }
}
