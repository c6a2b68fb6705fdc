/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Foreign traces: the accesses of any program, from a file that another tool has written
 * (docs/trace-format.md). They are read as a stream, of any length, compressed by gzip or zstd or
 * not; what a file is, is seen from its first bytes.
 *
 * A format is one plussi_foreign_format (foreign_state.h) and its entry in foreign.c.
 */
#ifndef PLUSSI_TRACE_FOREIGN_H
#define PLUSSI_TRACE_FOREIGN_H

#include <stdio.h>

#include "base/ask.h"
#include "base/ctx.h"

typedef enum plussi_event_kind {
    PLUSSI_EVENT_READ,
    PLUSSI_EVENT_WRITE,
    /* marks of the thread: it makes no access */
    PLUSSI_EVENT_REGION,  /* it enters region number `address` */
    PLUSSI_EVENT_LEAVE,   /* it leaves it */
    PLUSSI_EVENT_BARRIER, /* it passes a barrier of the team */
    PLUSSI_EVENT_CHUNK,   /* it begins iterations `address` to `site` - 1 of a worksharing loop */
    PLUSSI_EVENT_KINDS
} plussi_event_kind;

/* Numbers of regions from this on are loops of Rayon; from twice this on trees of tasks, from three
 * times loops whose iterations are taken from a queue. */
#define PLUSSI_EVENT_RAYON ((uint64_t)1 << 48)

enum {
    PLUSSI_EVENT_BYTES = UINT16_MAX, /* of an access, at most */
    PLUSSI_EVENT_THREADS = 1 << 16,  /* in a trace, at most */
    PLUSSI_EVENTS_LEAST = 16         /* room that a reader needs */
};

/* An access, or a mark. Those of a thread come in its order, those of different threads in the
 * order of the file. */
typedef struct plussi_event {
    uint64_t address; /* of the first byte; address + bytes <= 2^61 */
    uint64_t site;    /* program counter, or what stands for it; 0: unknown */
    uint32_t thread;  /* below PLUSSI_EVENT_THREADS */
    uint16_t bytes;   /* at least 1; of a mark 0 */
    uint8_t kind;     /* plussi_event_kind */
} plussi_event;

static inline bool plussi_event_is_access(const plussi_event *event)
{
    return event->kind <= PLUSSI_EVENT_WRITE;
}

typedef struct plussi_foreign plussi_foreign;

/* Opens a file and finds its format. skip_bad_lines: lines that are none of the format are counted
 * and left out, else the first one is an error. PLUSS_EIO; PLUSS_EFORMAT: no trace, which is said;
 * PLUSS_EUNSUPPORTED: compressed, and the library was built without that. The caller closes. */
PLUSS_NODISCARD pluss_status plussi_foreign_open(plussi_ctx *ctx, const char *path,
                                                 bool skip_bad_lines, plussi_foreign **out);
/* The same from a stream, which stays the caller's and open; name: in messages. */
PLUSS_NODISCARD pluss_status plussi_foreign_open_stream(plussi_ctx *ctx, FILE *in, const char *name,
                                                        bool skip_bad_lines, plussi_foreign **out);
/* Whether the file is a trace, as far as its first bytes tell; false, too, where it cannot be read,
 * or only once. Says nothing. PLUSS_ENOMEM. */
PLUSS_NODISCARD pluss_status plussi_foreign_is_trace(plussi_ctx *ctx, const char *path, bool *out);
/* Up to cap >= PLUSSI_EVENTS_LEAST next events; *n 0: the end. PLUSS_EFORMAT with file and line
 * (of binary data, with the byte): a line that is none, damaged or truncated data. PLUSS_EIO,
 * PLUSS_ELIMIT: too many threads or sites. After a failure there are no more events. O(bytes).
 * Memory: half a megabyte, and of the packed format 64 bytes a thread's site. */
PLUSS_NODISCARD pluss_status plussi_foreign_next(plussi_foreign *trace, plussi_event *buf,
                                                 size_t cap, size_t *n);
/* How much of the file has been read, by its bytes as they are on the disk: in [0, 1], 1 at the
 * end; negative: it has no size, as a pipe has none. */
double plussi_foreign_done(const plussi_foreign *trace);
/* From now on plussi_foreign_next asks whether it goes on (PLUSS_ECANCELLED), at the first events,
 * each 2^18 and the end, and tells how much of the file is read and how many events it was. What
 * *ask refers to outlives the trace. */
void plussi_foreign_ask(plussi_foreign *trace, const plussi_ask *ask, const char *stage);
/* Says how many lines were skipped, if there are any, and which was the first. */
void plussi_foreign_tell_skipped(plussi_ctx *ctx, const plussi_foreign *trace);
void plussi_foreign_close(plussi_foreign *trace); /* NULL is allowed */

#endif
