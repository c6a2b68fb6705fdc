/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The context passed to every call that can fail: its allocator and its diagnostics. One thread at
 * a time; a worker thread gets its own.
 */
#ifndef PLUSSI_BASE_CTX_H
#define PLUSSI_BASE_CTX_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Allocator. resize(user, NULL, n) allocates, resize(user, p, 0) frees and returns NULL, otherwise
 * as realloc. It may be called from several threads at once, with the same user pointer. */
typedef struct plussi_mem {
    void *(*resize)(void *user, void *ptr, size_t bytes);
    void *user;
} plussi_mem;

extern const plussi_mem plussi_mem_libc; /* realloc / free */

/* A place in a text or source file; line and col count from 1, 0 = unknown. */
typedef struct plussi_loc {
    const char *file; /* may be NULL; not owned */
    uint32_t line, col;
} plussi_loc;

typedef enum plussi_severity { PLUSSI_NOTE, PLUSSI_WARNING, PLUSSI_ERROR } plussi_severity;

typedef struct plussi_diag {
    plussi_severity severity;
    pluss_status status;
    char *file; /* owned copy, or NULL */
    uint32_t line, col;
    char *text; /* one line, no newline, no trailing period */
} plussi_diag;

enum { PLUSSI_MAX_DIAGS = 100 }; /* later ones are counted, not kept; the last is an error */

typedef struct plussi_ctx {
    plussi_mem mem;
    plussi_diag *diags; /* in the order reported */
    size_t n_diags, n_dropped;
} plussi_ctx;

void plussi_ctx_init(plussi_ctx *ctx, const plussi_mem *mem); /* mem NULL: libc */
void plussi_ctx_clear(plussi_ctx *ctx);                       /* frees the diagnostics */

/* Records a diagnostic. loc may be NULL. Never fails: if out of memory it is only counted. */
void plussi_report(plussi_ctx *ctx, plussi_severity severity, pluss_status status,
                   const plussi_loc *loc, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Records the diagnostics of another context, in their order, and how many were not kept there. */
void plussi_report_again(plussi_ctx *ctx, const plussi_ctx *from);

/* Records an error and returns its status: return plussi_fail(ctx, PLUSS_EINVAL, &loc, "..."); */
pluss_status plussi_fail(plussi_ctx *ctx, pluss_status status, const plussi_loc *loc,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Memory: NULL if out of memory (the caller returns PLUSS_ENOMEM); n * size is checked. */
void *plussi_alloc(const plussi_mem *mem, size_t n, size_t size);  /* not cleared */
void *plussi_calloc(const plussi_mem *mem, size_t n, size_t size); /* cleared */
void *plussi_realloc(const plussi_mem *mem, void *ptr, size_t n, size_t size);
void plussi_free(const plussi_mem *mem, void *ptr);
char *plussi_strndup(const plussi_mem *mem, const char *s, size_t n);
char *plussi_print(const plussi_mem *mem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* *out is a copy that the caller owns; NULL for NULL. PLUSS_ENOMEM: *out is NULL. */
PLUSS_NODISCARD pluss_status plussi_copy_text(const plussi_mem *mem, const char *text, char **out);
bool plussi_same_text(const char *a, const char *b); /* NULL equals only NULL */

/* Makes room for one more element in a growing array: *ptr has *cap elements of size bytes, n of
 * them used. Doubles it. PLUSS_ENOMEM changes nothing. */
PLUSS_NODISCARD pluss_status plussi_grow(const plussi_mem *mem, void *ptr_to_array, size_t *cap,
                                         size_t n, size_t size);

/* Arena: many small objects with a common lifetime. Pieces are aligned to 16 bytes and cleared. */
typedef struct plussi_arena {
    plussi_mem mem;
    struct plussi_arena_block *head;
} plussi_arena;

void plussi_arena_init(plussi_arena *arena, const plussi_mem *mem);
void *plussi_arena_alloc(plussi_arena *arena, size_t n, size_t size); /* NULL: out of memory */
char *plussi_arena_strndup(plussi_arena *arena, const char *s, size_t n);
void plussi_arena_free(plussi_arena *arena);

#endif
