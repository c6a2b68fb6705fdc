/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Packed traces (trace/packed_format.h, docs/trace-format.md): the writer, and what it shares with
 * the reader, unpack.c.
 */
#ifndef PLUSSI_TRACE_PACKED_H
#define PLUSSI_TRACE_PACKED_H

#include "trace/foreign.h"
#include "trace/packed_format.h"

/* A site of a stream. */
typedef struct plussi_packed_site {
    uint64_t pc, address, stride;
    uint32_t next;
    uint16_t bytes;
    uint8_t kind;
} plussi_packed_site;

/* The sites of a stream: what writer and reader know alike. */
typedef struct plussi_packed_stream {
    plussi_packed_site *site;
    size_t n, cap;
    uint32_t at;     /* the latest */
    uint32_t thread; /* that its events are of */
} plussi_packed_stream;

/* Takes an access at this address into account. */
static inline void plussi_packed_step(plussi_packed_stream *stream, uint32_t site, uint64_t address)
{
    plussi_packed_site *s = &stream->site[site];
    s->stride = address - s->address;
    s->address = address;
    stream->site[stream->at].next = site;
    stream->at = site;
}

/* Adds a site. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_packed_define(const plussi_mem *mem,
                                                  plussi_packed_stream *stream, uint64_t pc,
                                                  uint16_t bytes, plussi_event_kind kind);
void plussi_packed_streams_free(const plussi_mem *mem, plussi_packed_stream *stream, size_t n);

/* ---- pack.c: writing. write: 0: all is well. */

typedef int (*plussi_pack_fn)(void *user, const char *data, size_t length);
typedef struct plussi_packer plussi_packer;

/* Writes the head. PLUSS_EIO: write says so. The caller frees. */
PLUSS_NODISCARD pluss_status plussi_packer_new(plussi_ctx *ctx, plussi_pack_fn write, void *user,
                                               plussi_packer **out);
/* PLUSS_EINVAL: an event that foreign.h does not allow; PLUSS_ELIMIT: too many sites. Amortised
 * O(1) an event. */
PLUSS_NODISCARD pluss_status plussi_packer_add(plussi_packer *packer, const plussi_event *event,
                                               size_t n);
/* Writes what is left, and the end. */
PLUSS_NODISCARD pluss_status plussi_packer_finish(plussi_packer *packer);
void plussi_packer_free(plussi_packer *packer); /* NULL is allowed */

#endif
