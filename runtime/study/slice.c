/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/slice.h"

plussi_slice_shape plussi_slice_shape_of(const plussi_caches *caches, size_t n_caches)
{
    plussi_slice_shape shape = {0};
    for (size_t c = 0; c < n_caches; c++) {
        shape.n_stacks += caches[c].n;
        shape.refs |= caches[c].n_d > 1 && !caches[c].by_stack;
        shape.threads |= caches[c].threads_per_cache > 0;
    }
    return shape;
}

pluss_status plussi_slice_new(const plussi_mem *mem, const plussi_slice_shape *shape, size_t cap,
                              plussi_slice *out)
{
    *out = (plussi_slice){.line = plussi_alloc(mem, cap, sizeof *out->line),
                          .ref = shape->refs ? plussi_alloc(mem, cap, sizeof *out->ref) : NULL,
                          .thread =
                              shape->threads ? plussi_alloc(mem, cap, sizeof *out->thread) : NULL,
                          .stack = plussi_calloc(mem, shape->n_stacks, sizeof *out->stack)};
    return out->line && out->stack && (out->ref || !shape->refs) && (out->thread || !shape->threads)
               ? PLUSS_OK
               : PLUSS_ENOMEM;
}

void plussi_slice_drop_lines(const plussi_mem *mem, const plussi_slice_shape *shape,
                             plussi_slice *slice)
{
    for (size_t k = 0; slice->stack && k < shape->n_stacks; k++) {
        plussi_free(mem, slice->stack[k].line);
        plussi_free(mem, slice->stack[k].part);
        plussi_free(mem, slice->stack[k].last);
        slice->stack[k] = (plussi_touched){0};
    }
}

void plussi_slice_free(const plussi_mem *mem, const plussi_slice_shape *shape, plussi_slice *slice)
{
    plussi_slice_drop_lines(mem, shape, slice);
    plussi_free(mem, slice->stack);
    plussi_free(mem, slice->line);
    plussi_free(mem, slice->ref);
    plussi_free(mem, slice->thread);
}

pluss_status plussi_touched_grow(const plussi_mem *mem, plussi_touched *t)
{
    if (t->n < t->cap)
        return PLUSS_OK;
    const size_t cap = t->cap ? 2 * t->cap : 1024;
    uint64_t *line = plussi_realloc(mem, t->line, cap, sizeof *line);
    t->line = line ? line : t->line;
    uint32_t *part = plussi_realloc(mem, t->part, cap, sizeof *part);
    t->part = part ? part : t->part;
    uint32_t *last = plussi_realloc(mem, t->last, cap, sizeof *last);
    t->last = last ? last : t->last;
    if (!line || !part || !last)
        return PLUSS_ENOMEM;
    t->cap = cap;
    return PLUSS_OK;
}

pluss_status plussi_caches_like(plussi_ctx *ctx, const plussi_caches *caches, size_t n_caches,
                                plussi_caches **out, size_t *made)
{
    *made = 0;
    *out = plussi_calloc(&ctx->mem, n_caches + 1, sizeof **out);
    pluss_status status = *out ? PLUSS_OK : PLUSS_ENOMEM;
    for (; *made < n_caches && !status; ++*made) {
        const plussi_caches *c = &caches[*made];
        const uint32_t team = c->threads_per_cache ? (uint32_t)c->n * c->threads_per_cache : 1;
        status = plussi_caches_new(ctx, team, c->threads_per_cache, c->n_d, &(*out)[*made]);
        (*out)[*made].by_stack = c->by_stack;
    }
    return status;
}

static pluss_status note_first(plussi_ctx *ctx, plussi_touched *t, uint64_t line, uint32_t part)
{
    if (plussi_touched_grow(&ctx->mem, t))
        return PLUSS_ENOMEM;
    t->line[t->n] = line;
    t->part[t->n++] = part;
    return PLUSS_OK;
}

static size_t stack_of(const plussi_caches *c, const plussi_slice *slice, size_t i)
{
    return c->threads_per_cache ? slice->thread[i] / c->threads_per_cache : 0;
}

/* Accesses [from, to) through one cache. */
static pluss_status run_cache(plussi_ctx *ctx, plussi_caches *c, const plussi_slice *slice,
                              size_t from, size_t to, plussi_touched *stack)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = from; i < to && !status; i++) {
        const size_t s = stack_of(c, slice, i);
        const uint32_t part = plussi_caches_part(c, slice->ref ? slice->ref[i] : 0, s);
        const uint64_t distance = plussi_lru_touch(c->lru[s], slice->line[i]);
        status = distance == PLUSSI_LRU_COLD ? note_first(ctx, &stack[s], slice->line[i], part)
                                             : plussi_count_distance(ctx, &c->d[part], distance);
    }
    return status;
}

static uint64_t count_firsts(const plussi_caches *caches, size_t n_caches)
{
    uint64_t n = 0;
    for (size_t c = 0; c < n_caches; c++)
        for (size_t s = 0; s < caches[c].n; s++)
            n += plussi_lru_footprint(caches[c].lru[s]);
    return n;
}

pluss_status plussi_slice_run(plussi_ctx *ctx, plussi_caches *caches, size_t n_caches,
                              uint64_t most_firsts, const plussi_meanwhile *meanwhile,
                              plussi_slice *slice)
{
    plussi_touched *stack = slice->stack;
    pluss_status status = PLUSS_OK;
    for (size_t c = 0; c < n_caches; c++)
        for (size_t s = 0; s < caches[c].n; s++)
            (stack++)->n = 0;
    slice->done = 0;
    while (slice->done < slice->n && !status && count_firsts(caches, n_caches) <= most_firsts) {
        const size_t left = slice->n - slice->done,
                     to = slice->done + (left < PLUSSI_SLICE_STEP ? left : PLUSSI_SLICE_STEP);
        stack = slice->stack;
        for (size_t c = 0; c < n_caches && !status; stack += caches[c++].n)
            status = run_cache(ctx, &caches[c], slice, slice->done, to, stack);
        slice->done = to;
        if (meanwhile->fn)
            meanwhile->fn(meanwhile->user);
    }
    stack = slice->stack;
    for (size_t c = 0; c < n_caches; c++)
        for (size_t s = 0; s < caches[c].n; s++, stack++) {
            if (!status && stack->n > 0)
                plussi_lru_order(caches[c].lru[s], stack->line, stack->n, stack->last);
            plussi_lru_reset(caches[c].lru[s]); /* also of a slice that failed */
        }
    return status;
}
