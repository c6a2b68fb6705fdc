/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests that write sidecar files of records, section by section.
 */
#ifndef TESTS_UNIT_TRACE_FILE_H
#define TESTS_UNIT_TRACE_FILE_H

#include "assertions.h"
#include <stdio.h>

#include "trace/format.h"

enum { HEAD = sizeof(plussi_trace_section), FIRST = sizeof(plussi_trace_head) /* section */ };

/* A time stamp's kind and loop, NONE: of none. */
#define AT(kind, loop) ((uint32_t)PLUSSI_STAMP_##kind << PLUSSI_STAMP_LOOP_BITS | (loop))
#define NONE 0xffffffu

/* The name of a record's sidecar file, until the next call. */
static inline const char *trace_of(const char *record)
{
    static char name[300];
    snprintf(name, sizeof name, "%s" PLUSSI_TRACE_SUFFIX, record);
    return name;
}

static inline FILE *begin_trace(const char *name)
{
    const plussi_trace_head head = {PLUSSI_TRACE_MAGIC, PLUSSI_RECORD_VERSION, 64};
    FILE *out = fopen(name, "w");
    ck_assert_ptr_nonnull(out);
    fwrite(&head, sizeof head, 1, out);
    return out;
}

static inline void put_section(FILE *out, plussi_trace_section head, const void *entries)
{
    fwrite(&head, sizeof head, 1, out);
    if (head.n)
        fwrite(entries, head.size, head.n, out);
}

static inline void put_run(FILE *out, uint32_t run, uint32_t team, uint64_t from, uint64_t to,
                           plussi_run_entry entry)
{
    put_section(out,
                (plussi_trace_section){PLUSSI_SECTION_RUN, sizeof entry, 1, run, team, from, to},
                &entry);
}

static inline void put_touches(FILE *out, uint32_t run, uint32_t thread, uint64_t from, uint64_t to,
                               const uint64_t *line, uint64_t n)
{
    put_section(
        out, (plussi_trace_section){PLUSSI_SECTION_TOUCHES, sizeof *line, n, run, thread, from, to},
        line);
}

static inline void put_stamps(FILE *out, uint32_t run, uint32_t thread,
                              const plussi_stamp_entry *stamp, uint64_t n)
{
    put_section(out,
                (plussi_trace_section){PLUSSI_SECTION_STAMPS, sizeof *stamp, n, run, thread,
                                       stamp[0].time, stamp[n - 1].time},
                stamp);
}

static inline void put_clock(FILE *out, uint64_t from, uint64_t to, uint64_t ns)
{
    put_section(out, (plussi_trace_section){PLUSSI_SECTION_CLOCK, sizeof ns, 1, 0, 0, from, to},
                &ns);
}

#endif
