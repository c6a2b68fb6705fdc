/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The packed format of traces (docs/trace-format.md), as both of its writers (trace/pack.c, and
 * libpluss-trace's tracer/event_stream.c) and its reader have it.
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
 * Sites are numbered for each stream in the order of their definition. After an access of site s
 * the stream is expected to go on with the site that came after s the last time (at first: s), as
 * far from that one's latest address as that one was from the address before (at first: 0 from 0).
 */
#ifndef PLUSSI_TRACE_PACKED_FORMAT_H
#define PLUSSI_TRACE_PACKED_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PLUSSI_PACKED_MAGIC "pluss-accesses\n" /* and a zero */
enum {
    PLUSSI_PACKED_VERSION = 2,     /* 1 has no NAME */
    PLUSSI_PACKED_HEAD = 24,       /* bytes: magic, version of 32 bits, 0 of 32 bits */
    PLUSSI_PACKED_BLOCK_HEAD = 16, /* bytes of the tokens and events, 32 bits each; checksum */
    PLUSSI_PACKED_BLOCK = 1 << 16, /* bytes of tokens, at most */
    PLUSSI_PACKED_SITES = 1 << 22, /* of all streams, at most */
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
    PLUSSI_PACKED_STREAM,  /* number: the events after it are this stream's; at first 0 */
    PLUSSI_PACKED_DEFINE,  /* program counter, bytes * 2 + write: the stream's next site */
    PLUSSI_PACKED_MARK,    /* + kind of event, 2 to 5: its address and its site follow */
    PLUSSI_PACKED_NAME = 3 /* number: the stream's events after it are of that thread; at first each
                            * stream is the thread of its number */
} plussi_packed_other;

/* Writes a number: where it ends, at most 10 bytes later. */
static inline char *plussi_packed_put_number(char *to, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *to++ = (char)(value | 128);
    *to++ = (char)value;
    return to;
}

/* A delta takes 62 bits: addresses are below 2^61. */
static inline char *plussi_packed_put_token(char *to, plussi_packed_kind kind, uint64_t number)
{
    return plussi_packed_put_number(to, number << 2 | kind);
}

static inline uint64_t plussi_packed_zigzag(uint64_t delta)
{
    return delta << 1 ^ (0 - (delta >> 63));
}

static inline uint64_t plussi_packed_unzigzag(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

static inline uint64_t plussi_packed_get_little(const char *from, int n)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++)
        value |= (uint64_t)(unsigned char)from[i] << 8 * i;
    return value;
}

static inline void plussi_packed_put_little(char *to, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (char)(value >> 8 * i);
}

static inline uint64_t plussi_packed_mix(uint64_t sum, uint64_t word)
{
    return ((sum << 23 | sum >> 41) ^ word) * 0x9e3779b97f4a7c15u;
}

/* Of a block; it finds damage, not intent. O(n). */
static inline uint64_t plussi_packed_checksum(const char *from, size_t n)
{
    uint64_t sum = n;
    for (; n >= sizeof sum; n -= sizeof sum, from += sizeof sum)
        sum = plussi_packed_mix(sum, plussi_packed_get_little(from, sizeof sum));
    return plussi_packed_mix(sum, plussi_packed_get_little(from, (int)n));
}

/* A head of PLUSSI_PACKED_HEAD bytes. */
static inline void plussi_packed_put_head(char *to)
{
    memset(to, 0, PLUSSI_PACKED_HEAD);
    memcpy(to, PLUSSI_PACKED_MAGIC, sizeof PLUSSI_PACKED_MAGIC);
    plussi_packed_put_little(to + 16, PLUSSI_PACKED_VERSION, 4);
}

/* The head of a block of n bytes of tokens; n = 0: the end of a file, whose events these are. */
static inline void plussi_packed_put_block_head(char *to, const char *tokens, size_t n,
                                                uint64_t events)
{
    plussi_packed_put_little(to, n, 4);
    plussi_packed_put_little(to + 4, n ? events : 0, 4);
    plussi_packed_put_little(to + 8, n ? plussi_packed_checksum(tokens, n) : events, 8);
}

#endif
