/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/effort.h"

enum { BYTES_A_STEP = 256 };
static const size_t MOST_BYTES = (size_t)PLUSSI_ATTEMPT_MB << 20;

/* Header of every block of an attempt. */
typedef struct block {
    _Alignas(16) struct block *next, *prev;
    size_t bytes;
} block;

struct plussi_attempted {
    plussi_ctx inner;
    plussi_mem mem;        /* the caller's */
    plussi_effort *effort; /* NULL: ended, the memory is kept */
    block all;             /* a ring */
    size_t bytes;
};
typedef struct plussi_attempted attempt;

void plussi_effort_stop(plussi_effort *effort)
{
    effort->left = 0;
    if (effort->attempted)
        longjmp(effort->stop, 1);
}

static void link_in(attempt *a, block *b)
{
    b->next = a->all.next;
    b->prev = &a->all;
    b->next->prev = b->prev->next = b;
}

static void unlink_from(block *b)
{
    b->next->prev = b->prev;
    b->prev->next = b->next;
}

static void *resize_counted(void *user, void *ptr, size_t bytes)
{
    attempt *a = user;
    block *b = ptr ? (block *)ptr - 1 : NULL;
    if (bytes > SIZE_MAX - sizeof *b)
        return NULL;
    size_t had = b ? b->bytes : 0;
    if (bytes > had) {
        plussi_effort_take(a->effort, (bytes - had) / BYTES_A_STEP);
        if (bytes - had > MOST_BYTES - a->bytes) {
            a->effort->starved = true;
            plussi_effort_stop(a->effort);
        }
    }
    if (b)
        unlink_from(b);
    block *fresh = a->mem.resize(a->mem.user, b, bytes ? bytes + sizeof *b : 0);
    if (fresh || !bytes)
        a->bytes += bytes - had;
    if (a->effort && a->bytes > a->effort->peak)
        a->effort->peak = a->bytes;
    if (fresh) {
        fresh->bytes = bytes;
        link_in(a, fresh);
    } else if (b && bytes)
        link_in(a, b);
    return fresh ? fresh + 1 : NULL;
}

plussi_effort *plussi_effort_of(const plussi_ctx *ctx)
{
    return ctx->mem.resize == resize_counted ? ((attempt *)ctx->mem.user)->effort : NULL;
}

/* Calls setjmp and has no local variables that change, which longjmp could lose. */
static pluss_status run_attempt(attempt *a, plussi_attempt_fn body, void *user)
{
    if (setjmp(a->effort->stop))
        return PLUSS_ELIMIT;
    return body(&a->inner, user);
}

static pluss_status run_body(attempt *a, plussi_ctx *ctx, plussi_effort *effort,
                             plussi_attempt_fn body, void *user)
{
    *a = (attempt){.mem = ctx->mem, .effort = effort};
    a->all.next = a->all.prev = &a->all;
    plussi_ctx_init(&a->inner, &(plussi_mem){resize_counted, a});
    effort->attempted = true;
    pluss_status status = run_attempt(a, body, user);
    effort->attempted = false;
    plussi_report_again(ctx, &a->inner);
    plussi_ctx_clear(&a->inner);
    return status;
}

static void free_blocks(attempt *a)
{
    while (a->all.next != &a->all)
        plussi_free(&a->inner.mem, a->all.next + 1);
}

pluss_status plussi_attempt(plussi_ctx *ctx, plussi_effort *effort, plussi_attempt_fn body,
                            void *user)
{
    attempt a;
    pluss_status status = run_body(&a, ctx, effort, body, user);
    free_blocks(&a);
    return status;
}

pluss_status plussi_attempt_to_keep(plussi_ctx *ctx, plussi_effort *effort, plussi_attempt_fn body,
                                    void *user, plussi_attempted **out)
{
    *out = NULL;
    attempt *a = plussi_alloc(&ctx->mem, 1, sizeof *a);
    if (!a)
        return PLUSS_ENOMEM;
    pluss_status status = run_body(a, ctx, effort, body, user);
    a->effort = NULL;
    if (status)
        plussi_attempted_free(a);
    else
        *out = a;
    return status;
}

void plussi_attempted_free(plussi_attempted *attempted)
{
    if (!attempted)
        return;
    const plussi_mem mem = attempted->mem;
    free_blocks(attempted);
    plussi_free(&mem, attempted);
}
