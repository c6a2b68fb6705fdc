/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/packed.h"

#include <string.h>

#include "base/map.h"

/* A site by what it is. */
typedef struct site_key {
    uint64_t pc;
    uint32_t thread, shape; /* shape: bytes * 2 + write */
} site_key;

typedef struct site_slot {
    site_key key;
    uint32_t number; /* + 1; 0: free */
} site_slot;

struct plussi_packer {
    plussi_ctx *ctx;
    plussi_pack_fn write;
    void *user;
    plussi_packed_stream *thread;
    size_t n_threads, threads_cap;
    site_slot *site; /* base/map.h */
    size_t n_sites, sites_size;
    uint32_t current;         /* thread */
    uint64_t run;             /* accesses as expected that are not written yet */
    uint64_t events, written; /* in the block; before it */
    size_t used;
    char block[PLUSSI_PACKED_BLOCK];
};

/* ---- what the reader shares --------------------------------------------------------------------
 */

pluss_status plussi_packed_define(const plussi_mem *mem, plussi_packed_stream *stream, uint64_t pc,
                                  uint16_t bytes, plussi_event_kind kind)
{
    pluss_status status =
        plussi_grow(mem, &stream->site, &stream->cap, stream->n, sizeof *stream->site);
    if (status)
        return status;
    stream->site[stream->n] = (plussi_packed_site){
        .pc = pc, .next = (uint32_t)stream->n, .bytes = bytes, .kind = (uint8_t)kind};
    stream->n++;
    return PLUSS_OK;
}

void plussi_packed_streams_free(const plussi_mem *mem, plussi_packed_stream *stream, size_t n)
{
    for (size_t i = 0; i < n; i++)
        plussi_free(mem, stream[i].site);
    plussi_free(mem, stream);
}

/* ---- bytes -------------------------------------------------------------------------------------
 */

static pluss_status write_bytes(plussi_packer *p, const char *data, size_t n)
{
    return p->write(p->user, data, n)
               ? plussi_fail(p->ctx, PLUSS_EIO, NULL, "the trace cannot be written")
               : PLUSS_OK;
}

static void put_number(plussi_packer *p, uint64_t value)
{
    p->used = (size_t)(plussi_packed_put_number(p->block + p->used, value) - p->block);
}

static void put_token(plussi_packer *p, plussi_packed_kind kind, uint64_t number)
{
    p->used = (size_t)(plussi_packed_put_token(p->block + p->used, kind, number) - p->block);
}

static void put_run(plussi_packer *p)
{
    if (p->run)
        put_token(p, PLUSSI_PACKED_RUN, p->run - 1);
    p->run = 0;
}

static pluss_status write_block(plussi_packer *p)
{
    char head[PLUSSI_PACKED_BLOCK_HEAD];
    put_run(p);
    plussi_packed_put_block_head(head, p->block, p->used, p->used ? p->events : p->written);
    pluss_status status = write_bytes(p, head, sizeof head);
    if (!status && p->used)
        status = write_bytes(p, p->block, p->used);
    p->written += p->events;
    p->events = 0;
    p->used = 0;
    return status;
}

/* ---- events ------------------------------------------------------------------------------------
 */

static bool is_site(const site_slot *slot)
{
    return slot->number != 0;
}

static uint64_t hash_key(site_key key)
{
    return plussi_hash(key.pc ^ plussi_hash((uint64_t)key.thread << 32 | key.shape));
}

static uint64_t hash_site(const site_slot *slot)
{
    return hash_key(slot->key);
}

static bool has_key(const site_slot *slot, site_key key)
{
    return slot->key.pc == key.pc && slot->key.thread == key.thread && slot->key.shape == key.shape;
}

PLUSSI_MAP(sites, site_slot, site_key, is_site, hash_site, has_key)

static pluss_status change_thread(plussi_packer *p, uint32_t thread)
{
    while (thread >= p->n_threads) {
        pluss_status status =
            plussi_grow(&p->ctx->mem, &p->thread, &p->threads_cap, p->n_threads, sizeof *p->thread);
        if (status)
            return status;
        p->thread[p->n_threads++] = (plussi_packed_stream){0};
    }
    if (thread != p->current) {
        put_run(p);
        put_token(p, PLUSSI_PACKED_OTHER, PLUSSI_PACKED_STREAM);
        put_number(p, thread);
    }
    p->current = thread;
    return PLUSS_OK;
}

/* The number of an access's site, which it gets with the first. */
static pluss_status number_site(plussi_packer *p, const plussi_event *e, uint32_t *out)
{
    const site_key key = {e->site, e->thread,
                          (uint32_t)e->bytes * 2 + (e->kind == PLUSSI_EVENT_WRITE)};
    plussi_packed_stream *thread = &p->thread[e->thread];
    const site_slot *found = sites_find(p->site, p->sites_size, hash_key(key), key);
    if (found && found->number) {
        *out = found->number - 1;
        return PLUSS_OK;
    }
    if (p->n_sites == PLUSSI_PACKED_SITES)
        return plussi_fail(p->ctx, PLUSS_ELIMIT, NULL,
                           "accesses are made at more than %d places of the program",
                           PLUSSI_PACKED_SITES);
    if (!sites_reserve(&p->ctx->mem, &p->site, &p->sites_size, 64, p->n_sites + 1))
        return PLUSS_ENOMEM;
    pluss_status status = plussi_packed_define(&p->ctx->mem, thread, e->site, e->bytes, e->kind);
    if (status)
        return status;
    *out = (uint32_t)thread->n - 1;
    *sites_find(p->site, p->sites_size, hash_key(key), key) = (site_slot){key, *out + 1};
    p->n_sites++;
    put_run(p);
    put_token(p, PLUSSI_PACKED_OTHER, PLUSSI_PACKED_DEFINE);
    put_number(p, key.pc);
    put_number(p, key.shape);
    return PLUSS_OK;
}

static pluss_status add_access(plussi_packer *p, const plussi_event *e)
{
    plussi_packed_stream *thread = &p->thread[e->thread];
    const uint32_t shape = e->bytes;
    /* the expected site first: a table is slower */
    uint32_t site = thread->n ? thread->site[thread->at].next : 0, expected = site;
    if (!thread->n || thread->site[site].pc != e->site || thread->site[site].bytes != shape ||
        thread->site[site].kind != e->kind) {
        pluss_status status = number_site(p, e, &site);
        if (status)
            return status;
        expected = thread->site[thread->at].next;
    }
    const plussi_packed_site *s = &thread->site[site];
    const uint64_t delta = e->address - s->address;
    if (site == expected && delta == s->stride) {
        p->run++;
    } else if (site == expected) {
        put_run(p);
        put_token(p, PLUSSI_PACKED_DELTA, plussi_packed_zigzag(delta));
    } else {
        put_run(p);
        put_token(p, PLUSSI_PACKED_SITE, site);
        put_number(p, plussi_packed_zigzag(delta));
    }
    plussi_packed_step(thread, site, e->address);
    return PLUSS_OK;
}

static bool is_allowed(const plussi_event *e)
{
    if (e->thread >= PLUSSI_EVENT_THREADS || e->kind >= PLUSSI_EVENT_KINDS)
        return false;
    return plussi_event_is_access(e) ? e->bytes > 0 && e->address <= ((uint64_t)1 << 61) - e->bytes
                                     : e->bytes == 0;
}

pluss_status plussi_packer_add(plussi_packer *p, const plussi_event *event, size_t n)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n && !status; i++) {
        const plussi_event *e = &event[i];
        if (!is_allowed(e))
            return plussi_fail(p->ctx, PLUSS_EINVAL, NULL, "an event that no trace has");
        if (p->used + PLUSSI_PACKED_TOKEN > PLUSSI_PACKED_BLOCK || p->events == UINT32_MAX)
            status = write_block(p);
        if (!status)
            status = change_thread(p, e->thread);
        if (!status && plussi_event_is_access(e)) {
            status = add_access(p, e);
        } else if (!status) {
            put_run(p);
            put_token(p, PLUSSI_PACKED_OTHER, PLUSSI_PACKED_MARK + (uint64_t)e->kind);
            put_number(p, e->address);
            put_number(p, e->site);
        }
        p->events += !status;
    }
    return status;
}

pluss_status plussi_packer_new(plussi_ctx *ctx, plussi_pack_fn write, void *user,
                               plussi_packer **out)
{
    char head[PLUSSI_PACKED_HEAD];
    plussi_packer *p = plussi_calloc(&ctx->mem, 1, sizeof *p);
    if (!p)
        return PLUSS_ENOMEM;
    p->ctx = ctx;
    p->write = write;
    p->user = user;
    plussi_packed_put_head(head);
    pluss_status status = write_bytes(p, head, sizeof head);
    if (status)
        plussi_packer_free(p);
    else
        *out = p;
    return status;
}

pluss_status plussi_packer_finish(plussi_packer *p)
{
    pluss_status status = p->events ? write_block(p) : PLUSS_OK;
    return status ? status : write_block(p);
}

void plussi_packer_free(plussi_packer *p)
{
    if (!p)
        return;
    plussi_mem mem = p->ctx->mem;
    plussi_packed_streams_free(&mem, p->thread, p->n_threads);
    plussi_free(&mem, p->site);
    plussi_free(&mem, p);
}
