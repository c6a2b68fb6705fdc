/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the readers of foreign traces share.
 */
#ifndef PLUSSI_TRACE_FOREIGN_STATE_H
#define PLUSSI_TRACE_FOREIGN_STATE_H

#include <string.h>

#include "trace/byte_source.h"
#include "trace/foreign.h"

enum {
    PLUSSI_FOREIGN_ROOM = 1 << 18,      /* bytes of the window on the file */
    PLUSSI_FOREIGN_LINE_BYTES = 1 << 16 /* of a line, at most */
};
static const uint64_t plussi_foreign_address_most = (uint64_t)1 << 61;

/* The number that a trace gives a thread, and the one that it has here. */
typedef struct plussi_thread_slot {
    uint64_t number;
    uint32_t index; /* + 1; 0: free */
} plussi_thread_slot;

typedef struct plussi_unpacker plussi_unpacker;

typedef struct plussi_foreign_format {
    const char *name;
    /* Whether this line, without its end, is surely of the format. O(1). */
    bool (*is_line)(const char *line, const char *end);
    /* Whether it begins as one, right or wrong. O(length). */
    bool (*is_like_line)(const char *line, const char *end);
    /* Writes the line's events, at most PLUSSI_EVENTS_LEAST; NULL: done; else what was expected. */
    const char *(*read_line)(plussi_foreign *trace, const char *line, const char *end,
                             plussi_event *out, size_t *n);
} plussi_foreign_format;

struct plussi_foreign {
    plussi_ctx *ctx;
    char *path;
    FILE *own; /* the file, where it was opened here */
    plussi_byte_source *source;
    const plussi_foreign_format *format; /* NULL: packed */
    char *window;                        /* PLUSSI_FOREIGN_ROOM bytes; unused: begin to end */
    size_t begin, end;
    bool ended;        /* nothing is after `end` */
    uint64_t consumed; /* bytes before `begin` */
    uint64_t line;     /* number of the one that is being read */
    bool cut;          /* of a line that is too long, the rest comes next */
    bool skips;
    uint64_t skipped, first_skipped; /* bad lines; the number of the first */
    pluss_status failed;             /* what a line's reader could not do */
    uint64_t site;                   /* lackey: of the instruction */
    plussi_thread_slot *thread;      /* base/map.h */
    size_t threads_size;
    uint32_t n_threads;
    plussi_unpacker *unpacker; /* packed */
    plussi_ask ask;
    const char *stage; /* that is asked about */
    uint64_t events, next_ask;
};

extern const plussi_foreign_format plussi_foreign_plain, plussi_foreign_lackey, plussi_foreign_view;

/* ---- foreign.c */
/* Moves the window until it holds at least `least` <= PLUSSI_FOREIGN_ROOM bytes, or the rest. */
PLUSS_NODISCARD pluss_status plussi_foreign_fill(plussi_foreign *trace, size_t least);
/* The thread of that number, in the order of their first mention. NULL: done; else why not. */
const char *plussi_foreign_number_thread(plussi_foreign *trace, uint64_t number, uint32_t *out);
const char *plussi_foreign_set_access(plussi_event *out, uint64_t address, uint64_t bytes,
                                      plussi_event_kind kind);

/* ---- words of a line. Each passes over what it takes, which does not go past `end`. */

static inline void plussi_skip_blanks(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
}

static inline bool plussi_skip_text(const char **at, const char *end, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(end - *at) < n || memcmp(*at, text, n) != 0)
        return false;
    *at += n;
    return true;
}

/* A number without a sign that 64 bits hold. false: there is none. */
bool plussi_read_digits(const char **at, const char *end, unsigned base, uint64_t *out);

/* ---- unpack.c: the packed format */
bool plussi_is_packed(const char *bytes, size_t n);
PLUSS_NODISCARD pluss_status plussi_unpacker_new(plussi_foreign *trace);
void plussi_unpacker_free(const plussi_mem *mem, plussi_unpacker *unpacker);
PLUSS_NODISCARD pluss_status plussi_unpack(plussi_foreign *trace, plussi_event *buf, size_t cap,
                                           size_t *n);

#endif
