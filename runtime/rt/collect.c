/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/collect.h"

static size_t tally_place(const plussi_tally *tally, uint64_t key)
{
    size_t mask = tally->cap - 1;
    size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & mask;
    while (tally->slot[at].count && tally->slot[at].key != key)
        at = (at + 1) & mask;
    return at;
}

static bool tally_grow(plussi_tally *tally)
{
    plussi_tally bigger = {.cap = tally->cap ? tally->cap * 2 : 16, .n = tally->n};
    bigger.slot = plussi_calloc(&plussi_mem_libc, bigger.cap, sizeof *bigger.slot);
    if (!bigger.slot)
        return false;
    for (size_t i = 0; i < tally->cap; i++)
        if (tally->slot[i].count)
            bigger.slot[tally_place(&bigger, tally->slot[i].key)] = tally->slot[i];
    plussi_tally_free(tally);
    *tally = bigger;
    return true;
}

bool plussi_tally_add(plussi_tally *tally, uint64_t key, uint64_t count)
{
    if (count == 0)
        return true;
    if (2 * (tally->n + 1) > tally->cap && !tally_grow(tally))
        return false;
    struct plussi_tally_slot *slot = &tally->slot[tally_place(tally, key)];
    if (!slot->count) {
        slot->key = key;
        tally->n++;
    }
    slot->count += count;
    return true;
}

bool plussi_tally_merge(plussi_tally *dst, const plussi_tally *src)
{
    for (size_t i = 0; i < src->cap; i++)
        if (!plussi_tally_add(dst, src->slot[i].key, src->slot[i].count))
            return false;
    return true;
}

void plussi_tally_free(plussi_tally *tally)
{
    plussi_free(&plussi_mem_libc, tally->slot);
    *tally = (plussi_tally){0};
}

plussi_collector *plussi_collector_new(uint32_t n_refs)
{
    plussi_collector *c = plussi_calloc(&plussi_mem_libc, 1, sizeof *c);
    if (!c)
        return NULL;
    plussi_linemap_init(&c->last, &plussi_mem_libc);
    c->n_refs = n_refs;
    c->ref = plussi_calloc(&plussi_mem_libc, n_refs ? n_refs : 1, sizeof *c->ref);
    if (!c->ref) {
        plussi_collector_free(c);
        return NULL;
    }
    return c;
}

static void ref_tally_free(plussi_ref_tally *tally)
{
    plussi_tally_free(&tally->interval);
    plussi_tally_free(&tally->shared);
}

void plussi_collector_free(plussi_collector *c)
{
    if (!c)
        return;
    for (uint32_t r = 0; c->ref && r < c->n_refs; r++)
        ref_tally_free(&c->ref[r]);
    plussi_free(&plussi_mem_libc, c->ref);
    plussi_free(&plussi_mem_libc, c->first);
    plussi_linemap_free(&c->last);
    plussi_free(&plussi_mem_libc, c);
}

static void touch_first(plussi_collector *c, uint32_t ref, uint64_t line)
{
    c->ref[ref].first++;
    if (plussi_grow(&plussi_mem_libc, &c->first, &c->cap_first, c->n_first, sizeof *c->first) ==
        PLUSS_OK)
        c->first[c->n_first++] = (plussi_first_touch){line, ref};
    else
        c->lost++;
}

static void touch(plussi_collector *c, uint32_t ref, uint64_t line)
{
    uint64_t now = ++c->clock;
    uint64_t *last = plussi_linemap_at(&c->last, line);
    if (!last) {
        c->lost++;
        return;
    }
    plussi_ref_tally *tally = &c->ref[ref];
    if (*last == 0)
        touch_first(c, ref, line);
    else if (!plussi_tally_add(&tally->interval, now - *last, 1))
        c->lost++;
    *last = now;
}

void plussi_collect(plussi_collector *c, uint32_t ref, const pluss_rt_ref *shape, uint64_t address)
{
    uint64_t line_bytes = PLUSS_RT_LINE_BYTES;
    if (address % shape->stride_gcd + shape->width <= shape->stride_gcd) {
        touch(c, ref, address / line_bytes);
        return;
    }
    /* the rule of docs/nest-format.md: bytes 0, L, 2 L, ... and the last one */
    uint64_t end = shape->width - 1;
    for (uint64_t byte = 0; byte < end; byte += line_bytes)
        touch(c, ref, (address + byte) / line_bytes);
    touch(c, ref, (address + end) / line_bytes);
}

/* How many threads touched each line; false: no memory. */
static bool count_touchers(plussi_collector *const *thread, uint32_t n, plussi_linemap *touchers)
{
    for (uint32_t k = 0; k < n; k++)
        for (size_t i = 0; thread[k] && i < thread[k]->n_first; i++) {
            uint64_t *count = plussi_linemap_at(touchers, thread[k]->first[i].line);
            if (!count)
                return false;
            ++*count;
        }
    return true;
}

void plussi_collect_shared(plussi_collector *const *thread, uint32_t n)
{
    plussi_linemap touchers;
    plussi_linemap_init(&touchers, &plussi_mem_libc);
    bool known = count_touchers(thread, n, &touchers);
    for (uint32_t k = 0; k < n; k++)
        for (size_t i = 0; thread[k] && i < thread[k]->n_first; i++) {
            plussi_first_touch touch = thread[k]->first[i];
            uint64_t *count = known ? plussi_linemap_at(&touchers, touch.line) : NULL;
            if (!count ||
                (*count > 1 && !plussi_tally_add(&thread[k]->ref[touch.ref].shared, *count, 1)))
                thread[k]->lost++;
        }
    plussi_linemap_free(&touchers);
}

void plussi_collector_merge(plussi_collector *dst, const plussi_collector *src)
{
    dst->clock += src->clock;
    dst->lost += src->lost;
    for (uint32_t r = 0; r < dst->n_refs && r < src->n_refs; r++) {
        dst->ref[r].first += src->ref[r].first;
        if (!plussi_tally_merge(&dst->ref[r].interval, &src->ref[r].interval) ||
            !plussi_tally_merge(&dst->ref[r].shared, &src->ref[r].shared))
            dst->lost++;
    }
}
