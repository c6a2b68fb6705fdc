/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/slice_messages.h"

#include <string.h>

enum { HEAD = sizeof(plussi_rank_head) / sizeof(uint64_t), DONE = HEAD, FIRST /* after it */ };

size_t plussi_slice_result_most(const plussi_caches *caches, size_t n_caches, size_t accesses)
{
    size_t words = FIRST;
    for (size_t c = 0; c < n_caches; c++) /* a first touch has two words, another one at most two */
        words += caches[c].n + caches[c].n_d + 2 * accesses;
    return words * sizeof(uint64_t);
}

static uint64_t count_nonzero(const plussi_distances *d)
{
    uint64_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += d->count[i] != 0;
    return n;
}

static size_t count_words(const plussi_caches *caches, size_t n_caches, const plussi_slice *slice)
{
    const plussi_touched *t = slice->stack;
    size_t n = FIRST;
    for (size_t c = 0; c < n_caches; c++) {
        for (size_t k = 0; k < caches[c].n; k++, t++)
            n += 1 + 2 * t->n;
        for (size_t k = 0; k < caches[c].n_d; k++)
            n += 1 + 2 * count_nonzero(&caches[c].d[k]);
    }
    return n;
}

static uint64_t *put_touched(uint64_t *at, const plussi_touched *t)
{
    *at++ = t->n;
    memcpy(at, t->line, t->n * sizeof *at);
    at += t->n;
    for (size_t i = 0; i < t->n; i++)
        *at++ = (uint64_t)t->part[i] << 32 | t->last[i];
    return at;
}

static uint64_t *put_distances(uint64_t *at, plussi_distances *d)
{
    uint64_t *n = at++;
    *n = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->count[i]) {
            *at++ = i;
            *at++ = d->count[i];
            d->count[i] = 0;
            ++*n;
        }
    return at;
}

pluss_status plussi_slice_pack(plussi_ctx *ctx, plussi_caches *caches, size_t n_caches,
                               const plussi_slice *slice, uint64_t **out, size_t *n)
{
    const plussi_touched *t = slice->stack;
    *n = count_words(caches, n_caches, slice);
    uint64_t *word = plussi_alloc(&ctx->mem, *n, sizeof *word), *at = word;
    if (!word)
        return PLUSS_ENOMEM;
    *at++ = PLUSSI_RANK_RESULT;
    *at++ = PLUSS_OK;
    *at++ = *n - HEAD;
    *at++ = slice->done;
    for (size_t c = 0; c < n_caches; c++)
        for (size_t k = 0; k < caches[c].n; k++)
            at = put_touched(at, t++);
    for (size_t c = 0; c < n_caches; c++)
        for (size_t k = 0; k < caches[c].n_d; k++)
            at = put_distances(at, &caches[c].d[k]);
    *out = word;
    return PLUSS_OK;
}

/* ---- reading -----------------------------------------------------------------------------------
 */

/* Passes over what is of a stack; NULL: it is none. */
static const uint64_t *check_touched(const uint64_t *at, const uint64_t *end, size_t accesses,
                                     size_t parts)
{
    if (at == end || *at > accesses || *at > (size_t)(end - at - 1) / 2)
        return NULL;
    const size_t n = *at++;
    at += n;
    for (size_t i = 0; i < n; i++, at++)
        if (*at >> 32 >= parts || (uint32_t)*at >= n)
            return NULL;
    return at;
}

static const uint64_t *check_distances(const uint64_t *at, const uint64_t *end, size_t accesses)
{
    if (at == end || *at > (size_t)(end - at - 1) / 2)
        return NULL;
    for (uint64_t n = *at++; n > 0; n--, at += 2)
        if (at[0] >= accesses || at[1] > accesses || at[1] == 0)
            return NULL;
    return at;
}

bool plussi_slice_is_result(const plussi_caches *caches, size_t n_caches, size_t accesses,
                            const uint64_t *word, size_t n)
{
    const uint64_t *at = word + FIRST, *end = word + n;
    if (n < FIRST || word[DONE] > accesses || word[0] != PLUSSI_RANK_RESULT ||
        word[1] != PLUSS_OK || word[2] != n - HEAD)
        return false;
    for (size_t c = 0; c < n_caches; c++)
        for (size_t k = 0; k < caches[c].n && at; k++)
            at = check_touched(at, end, accesses, caches[c].n_d);
    for (size_t c = 0; c < n_caches; c++)
        for (size_t k = 0; k < caches[c].n_d && at; k++)
            at = check_distances(at, end, accesses);
    return at == end;
}

static pluss_status take_touched(plussi_ctx *ctx, const uint64_t **from, plussi_touched *t)
{
    const uint64_t *line = *from + 1, *both = line + **from;
    const size_t n = **from;
    for (t->n = 0; t->n < n; t->n++) {
        if (plussi_touched_grow(&ctx->mem, t))
            return PLUSS_ENOMEM;
        t->line[t->n] = line[t->n];
        t->part[t->n] = (uint32_t)(both[t->n] >> 32);
        t->last[t->n] = (uint32_t)both[t->n];
    }
    *from = both + n;
    return PLUSS_OK;
}

static pluss_status add_count(plussi_ctx *ctx, plussi_distances *to, uint64_t distance, uint64_t n)
{
    pluss_status status = plussi_count_distance(ctx, to, distance);
    to->count[distance] += status ? 0 : n - 1;
    return status;
}

static pluss_status take_distances(plussi_ctx *ctx, const uint64_t **from, plussi_distances *to)
{
    const uint64_t *at = *from + 1;
    pluss_status status = PLUSS_OK;
    for (uint64_t n = **from; n > 0 && !status; n--, at += 2)
        status = add_count(ctx, to, at[0], at[1]);
    *from = at;
    return status;
}

pluss_status plussi_slice_unpack(plussi_ctx *ctx, plussi_caches *caches, size_t n_caches,
                                 const uint64_t *word, plussi_slice *slice)
{
    const uint64_t *at = word + FIRST;
    plussi_touched *t = slice->stack;
    pluss_status status = PLUSS_OK;
    slice->done = word[DONE];
    for (size_t c = 0; c < n_caches; c++)
        for (size_t k = 0; k < caches[c].n && !status; k++)
            status = take_touched(ctx, &at, t++);
    for (size_t c = 0; c < n_caches; c++)
        for (size_t k = 0; k < caches[c].n_d && !status; k++)
            status = take_distances(ctx, &at, &caches[c].d[k]);
    return status;
}

pluss_status plussi_distances_add(plussi_ctx *ctx, const plussi_distances *d, plussi_distances *to)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = d->n; i-- > 0 && !status;)
        if (d->count[i] > 0)
            status = add_count(ctx, to, i, d->count[i]);
    return status;
}
