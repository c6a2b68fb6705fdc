/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The packed format of foreign traces, and its writer (docs/trace-format.md; its reader: unpack.c).
 *
 * A file is the head, blocks, and the end: a block without bytes. A block is its head, then tokens,
 * each a variable-length integer (7 bits a byte, the lowest first, the 8th bit: more follow) whose
 * two lowest bits are its kind and the others, v, its number:
 *
 *     RUN     v + 1 accesses, each as it was expected
 *     DELTA   an access of the expected site, zigzag v bytes after the site's latest address
 *     SITE    an access of site v, whose zigzag delta follows
 *     OTHER   v is a plussi_packed_other, whose numbers follow
 *
 * Sites are numbered for each thread in the order of their definition. After an access of site s
 * the thread is expected to go on with the site that came after s the last time (at first: s), as
 * far from that one's latest address as that one was from the address before (at first: 0 from 0).
 */
#ifndef PLUSSI_TRACE_PACKED_H
#define PLUSSI_TRACE_PACKED_H

#include "trace/foreign.h"

#define PLUSSI_PACKED_MAGIC "pluss-accesses\n" /* and a zero */
enum {
    PLUSSI_PACKED_VERSION = 1,
    PLUSSI_PACKED_HEAD = 24,       /* bytes: magic, version of 32 bits, 0 of 32 bits */
    PLUSSI_PACKED_BLOCK_HEAD = 16, /* bytes of the tokens and events, 32 bits each; checksum */
    PLUSSI_PACKED_BLOCK = 1 << 16, /* bytes of tokens, at most */
    PLUSSI_PACKED_SITES = 1 << 22, /* of all threads, at most */
    PLUSSI_PACKED_TOKEN = 48       /* bytes that one event takes, at most */
};

typedef enum plussi_packed_kind {
    PLUSSI_PACKED_RUN,
    PLUSSI_PACKED_DELTA,
    PLUSSI_PACKED_SITE,
    PLUSSI_PACKED_OTHER
} plussi_packed_kind;

/* v of OTHER. */
typedef enum plussi_packed_other {
    PLUSSI_PACKED_THREAD, /* number: the events after it are this thread's; at first 0 */
    PLUSSI_PACKED_DEFINE, /* program counter, bytes * 2 + write: the thread's next site */
    PLUSSI_PACKED_MARK    /* + kind of event: its address and its site follow */
} plussi_packed_other;

/* A site of a thread. */
typedef struct plussi_packed_site {
    uint64_t pc, address, stride;
    uint32_t next;
    uint16_t bytes;
    uint8_t kind;
} plussi_packed_site;

/* The sites of a thread: what writer and reader know alike. */
typedef struct plussi_packed_thread {
    plussi_packed_site *site;
    size_t n, cap;
    uint32_t at; /* the latest */
} plussi_packed_thread;

/* Takes an access at this address into account. */
static inline void plussi_packed_step(plussi_packed_thread *thread, uint32_t site, uint64_t address)
{
    plussi_packed_site *s = &thread->site[site];
    s->stride = address - s->address;
    s->address = address;
    thread->site[thread->at].next = site;
    thread->at = site;
}

/* Adds a site. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_packed_define(const plussi_mem *mem,
                                                  plussi_packed_thread *thread, uint64_t pc,
                                                  uint16_t bytes, plussi_event_kind kind);
void plussi_packed_threads_free(const plussi_mem *mem, plussi_packed_thread *thread, size_t n);

/* Of a block; it finds damage, not intent. O(n). */
uint64_t plussi_packed_checksum(const char *bytes, size_t n);
uint64_t plussi_get_little(const char *from, int bytes);

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
