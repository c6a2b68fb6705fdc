/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/foreign_state.h"
#include "trace/packed.h"

struct plussi_unpacker {
    plussi_packed_stream *stream;
    size_t n_streams, streams_cap, n_sites;
    uint32_t current;
    uint64_t run;           /* accesses as expected that are still to be given */
    uint64_t events, total; /* still in the block; in all blocks so far */
    size_t left;            /* bytes of the block that are in the window */
    bool ended;
};

bool plussi_is_packed(const char *bytes, size_t n)
{
    return n >= sizeof PLUSSI_PACKED_MAGIC &&
           memcmp(bytes, PLUSSI_PACKED_MAGIC, sizeof PLUSSI_PACKED_MAGIC) == 0;
}

static pluss_status fail_at(const plussi_foreign *t, pluss_status status, const char *what)
{
    return plussi_fail(t->ctx, status, &(plussi_loc){.file = t->path}, "byte %llu: %s",
                       (unsigned long long)t->consumed, what);
}

static void consume(plussi_foreign *t, size_t n)
{
    t->begin += n;
    t->consumed += n;
}

/* Makes stream number `stream` the current one. */
static pluss_status change_stream(plussi_foreign *t, uint64_t stream)
{
    plussi_unpacker *u = t->unpacker;
    if (stream >= PLUSSI_EVENT_THREADS)
        return fail_at(t, PLUSS_EFORMAT, "found a thread above 65535");
    while (stream >= u->n_streams) {
        pluss_status status =
            plussi_grow(&t->ctx->mem, &u->stream, &u->streams_cap, u->n_streams, sizeof *u->stream);
        if (status)
            return status;
        u->stream[u->n_streams] = (plussi_packed_stream){.thread = (uint32_t)u->n_streams};
        u->n_streams++;
    }
    u->current = (uint32_t)stream;
    return PLUSS_OK;
}

pluss_status plussi_unpacker_new(plussi_foreign *t)
{
    if (t->end < PLUSSI_PACKED_HEAD)
        return fail_at(t, PLUSS_EFORMAT, "the file ends within its head");
    uint64_t version = plussi_packed_get_little(t->window + 16, 4);
    if (version < 1 || version > PLUSSI_PACKED_VERSION ||
        plussi_packed_get_little(t->window + 20, 4) != 0)
        return plussi_fail(t->ctx, PLUSS_EFORMAT, &(plussi_loc){.file = t->path},
                           "a trace of version %llu: this library reads versions 1 to %d",
                           (unsigned long long)version, PLUSSI_PACKED_VERSION);
    t->unpacker = plussi_calloc(&t->ctx->mem, 1, sizeof *t->unpacker);
    if (!t->unpacker)
        return PLUSS_ENOMEM;
    consume(t, PLUSSI_PACKED_HEAD);
    return change_stream(t, 0);
}

void plussi_unpacker_free(const plussi_mem *mem, plussi_unpacker *u)
{
    if (!u)
        return;
    plussi_packed_streams_free(mem, u->stream, u->n_streams);
    plussi_free(mem, u);
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

static pluss_status end_trace(plussi_foreign *t, uint64_t events, uint64_t total)
{
    plussi_unpacker *u = t->unpacker;
    if (events || total != u->total)
        return fail_at(t, PLUSS_EFORMAT, "the end does not tell the number of events");
    u->ended = true;
    pluss_status status = plussi_foreign_fill(t, 1);
    if (!status && t->begin < t->end)
        status = fail_at(t, PLUSS_EFORMAT, "found bytes after the end");
    return status;
}

static pluss_status begin_block(plussi_foreign *t)
{
    plussi_unpacker *u = t->unpacker;
    pluss_status status = plussi_foreign_fill(t, PLUSSI_PACKED_BLOCK_HEAD);
    if (status)
        return status;
    if (t->end - t->begin < PLUSSI_PACKED_BLOCK_HEAD)
        return fail_at(t, PLUSS_EFORMAT, "the file ends before its end is told");
    const char *head = t->window + t->begin;
    const uint64_t bytes = plussi_packed_get_little(head, 4),
                   events = plussi_packed_get_little(head + 4, 4),
                   sum = plussi_packed_get_little(head + 8, 8);
    if (bytes > PLUSSI_PACKED_BLOCK || (bytes && !events))
        return fail_at(t, PLUSS_EFORMAT, "found no block, expected one");
    consume(t, PLUSSI_PACKED_BLOCK_HEAD);
    if (bytes == 0)
        return end_trace(t, events, sum);
    status = plussi_foreign_fill(t, bytes);
    if (status)
        return status;
    if (t->end - t->begin < bytes)
        return fail_at(t, PLUSS_EFORMAT, "the file ends within a block");
    if (plussi_packed_checksum(t->window + t->begin, bytes) != sum)
        return fail_at(t, PLUSS_EFORMAT, "a block is damaged: its checksum is another one");
    u->events = events;
    u->total += events;
    u->left = bytes;
    return PLUSS_OK;
}

/* ---- tokens ------------------------------------------------------------------------------------
 */

/* Numbers of the block, from `at` on. */
typedef struct tokens {
    const char *at, *end;
    bool good; /* they did not end within a number */
} tokens;

static uint64_t get_number(tokens *k)
{
    uint64_t value = 0;
    for (unsigned shift = 0; k->at < k->end && shift < 64; shift += 7) {
        const unsigned char byte = (unsigned char)*k->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    k->good = false;
    return 0;
}

static bool is_address(const plussi_packed_site *site)
{
    return site->address <= plussi_foreign_address_most - site->bytes;
}

static void give_access(const plussi_unpacker *u, const plussi_packed_site *s, plussi_event *out)
{
    *out = (plussi_event){.address = s->address,
                          .site = s->pc,
                          .thread = u->stream[u->current].thread,
                          .bytes = s->bytes,
                          .kind = s->kind};
}

/* Up to cap accesses of the run at hand; false: one of them has no address. */
static bool give_run(plussi_unpacker *u, plussi_event *buf, size_t cap, size_t *n)
{
    plussi_packed_stream *stream = &u->stream[u->current];
    const size_t count = u->run < cap ? u->run : cap;
    uint32_t at = stream->at;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        plussi_packed_site *s = &stream->site[at = stream->site[at].next];
        s->address += s->stride;
        good = good && is_address(s);
        give_access(u, s, &buf[i]);
    }
    stream->at = at;
    u->run -= count;
    u->events -= count;
    *n += count;
    return good;
}

static pluss_status define_site(plussi_foreign *t, tokens *k)
{
    plussi_unpacker *u = t->unpacker;
    const uint64_t pc = get_number(k), shape = get_number(k);
    if (!k->good || shape < 2 || shape / 2 > PLUSSI_EVENT_BYTES)
        return fail_at(t, PLUSS_EFORMAT, "found no site of an access");
    if (u->n_sites++ == PLUSSI_PACKED_SITES)
        return fail_at(t, PLUSS_ELIMIT, "more sites than are allowed");
    return plussi_packed_define(&t->ctx->mem, &u->stream[u->current], pc, (uint16_t)(shape / 2),
                                shape & 1 ? PLUSSI_EVENT_WRITE : PLUSSI_EVENT_READ);
}

/* What is no access: *n is 1 if it is an event. */
static pluss_status take_other(plussi_foreign *t, uint64_t which, tokens *k, plussi_event *out,
                               size_t *n)
{
    plussi_unpacker *u = t->unpacker;
    if (which == PLUSSI_PACKED_DEFINE)
        return define_site(t, k);
    if (which == PLUSSI_PACKED_STREAM) {
        const uint64_t stream = get_number(k);
        return k->good ? change_stream(t, stream) : PLUSS_OK;
    }
    if (which == PLUSSI_PACKED_NAME) {
        const uint64_t thread = get_number(k);
        if (thread >= PLUSSI_EVENT_THREADS)
            return fail_at(t, PLUSS_EFORMAT, "found a thread above 65535");
        u->stream[u->current].thread = (uint32_t)thread;
        return PLUSS_OK;
    }
    const uint64_t kind = which - PLUSSI_PACKED_MARK;
    if (kind <= PLUSSI_EVENT_WRITE || kind >= PLUSSI_EVENT_KINDS || u->events == 0)
        return fail_at(t, PLUSS_EFORMAT, "found no token");
    out->address = get_number(k);
    out->site = get_number(k);
    out->thread = u->stream[u->current].thread;
    out->bytes = 0;
    out->kind = (uint8_t)kind;
    u->events--;
    *n = 1;
    return PLUSS_OK;
}

static pluss_status take_access(plussi_foreign *t, uint32_t site, uint64_t delta, plussi_event *out)
{
    plussi_unpacker *u = t->unpacker;
    plussi_packed_stream *stream = &u->stream[u->current];
    if (u->events == 0 || site >= stream->n)
        return fail_at(t, PLUSS_EFORMAT, "found an access that cannot be");
    plussi_packed_step(stream, site, stream->site[site].address + plussi_packed_unzigzag(delta));
    if (!is_address(&stream->site[site]))
        return fail_at(t, PLUSS_EFORMAT, "an address is not below 2^61");
    give_access(u, &stream->site[site], out);
    u->events--;
    return PLUSS_OK;
}

static pluss_status begin_run(plussi_foreign *t, uint64_t count)
{
    plussi_unpacker *u = t->unpacker;
    if (count >= u->events || u->stream[u->current].n == 0)
        return fail_at(t, PLUSS_EFORMAT, "found a run that cannot be");
    u->run = count + 1;
    return PLUSS_OK;
}

/* One token; with the first one of all, one event at most. */
static pluss_status take_token(plussi_foreign *t, plussi_event *out, size_t *n)
{
    plussi_unpacker *u = t->unpacker;
    const char *start = t->window + t->begin;
    tokens k = {start, start + u->left, true};
    pluss_status status = PLUSS_OK;
    const plussi_packed_stream *stream = &u->stream[u->current];
    const uint64_t token = get_number(&k), v = token >> 2;
    switch ((plussi_packed_kind)(token & 3)) {
    case PLUSSI_PACKED_RUN:
        status = begin_run(t, v);
        break;
    case PLUSSI_PACKED_DELTA:
        status = take_access(t, stream->n ? stream->site[stream->at].next : 0, v, out);
        *n = 1;
        break;
    case PLUSSI_PACKED_SITE:
        status = take_access(t, v < stream->n ? (uint32_t)v : UINT32_MAX, get_number(&k), out);
        *n = 1;
        break;
    case PLUSSI_PACKED_OTHER:
        status = take_other(t, v, &k, out, n);
        break;
    }
    if (!status && !k.good)
        status = fail_at(t, PLUSS_EFORMAT, "found no number");
    u->left -= (size_t)(k.at - start);
    consume(t, (size_t)(k.at - start));
    return status;
}

pluss_status plussi_unpack(plussi_foreign *t, plussi_event *buf, size_t cap, size_t *n)
{
    plussi_unpacker *u = t->unpacker;
    pluss_status status = PLUSS_OK;
    while (!status && *n < cap && !u->ended) {
        if (u->run) {
            if (!give_run(u, buf + *n, cap - *n, n))
                status = fail_at(t, PLUSS_EFORMAT, "an address is not below 2^61");
        } else if (u->left) {
            size_t made = 0;
            status = take_token(t, buf + *n, &made);
            *n += status ? 0 : made;
        } else if (u->events) {
            status = fail_at(t, PLUSS_EFORMAT, "a block has fewer than its events");
        } else {
            status = begin_block(t);
        }
    }
    return status;
}
