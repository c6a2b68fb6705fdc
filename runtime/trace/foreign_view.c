/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of DynamoRIO's tool `view`: a record a line, RECORD [INSTRUCTIONS]: [Wn.][T]THREAD, then
 *
 *     read  BYTES byte(s) @ 0xADDRESS by PC 0xADDRESS        (or write)
 *
 * or something that makes no access: an instruction, a prefetch, a <marker>. Threads are numbered
 * in the order of their first record.
 */
#include "trace/foreign_state.h"

/* RECORD [INSTRUCTIONS]: [Wn.][T]THREAD */
static bool read_head(const char **at, const char *end, uint64_t *thread)
{
    uint64_t number;
    plussi_skip_blanks(at, end);
    if (!plussi_read_digits(at, end, 10, &number))
        return false;
    plussi_skip_blanks(at, end);
    (void)plussi_read_digits(at, end, 10, &number);
    if (!plussi_skip_text(at, end, ":"))
        return false;
    plussi_skip_blanks(at, end);
    if (plussi_skip_text(at, end, "W") &&
        !(plussi_read_digits(at, end, 10, &number) && plussi_skip_text(at, end, ".")))
        return false;
    (void)plussi_skip_text(at, end, "T");
    if (!plussi_read_digits(at, end, 10, thread))
        return false;
    const char *before = *at;
    plussi_skip_blanks(at, end);
    return *at > before;
}

/* BYTES byte(s) @ 0xADDRESS */
static bool read_place(const char **at, const char *end, uint64_t *address, uint64_t *bytes)
{
    plussi_skip_blanks(at, end);
    return plussi_read_digits(at, end, 10, bytes) && plussi_skip_text(at, end, " byte(s) @ 0x") &&
           plussi_read_digits(at, end, 16, address);
}

static const char *read_line(plussi_foreign *trace, const char *line, const char *end,
                             plussi_event *out, size_t *n)
{
    static const char *const headings[] = {"Output format:", "<", "---", "View tool results:"};
    uint64_t thread = 0, address = 0, bytes = 0;
    const char *at = line;
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (line == end || plussi_skip_text(&at, end, headings[i]))
            return NULL;
    plussi_skip_blanks(&at, end);
    if (plussi_read_digits(&at, end, 10, &address) && plussi_skip_text(&at, end, " : total "))
        return NULL; /* of the results at the end */
    at = line;
    if (!read_head(&at, end, &thread))
        return "RECORD INSTRUCTIONS: THREAD and what it does";
    const bool read = plussi_skip_text(&at, end, "read ");
    if (!read && !plussi_skip_text(&at, end, "write "))
        return NULL;
    *out = (plussi_event){0};
    if (!read_place(&at, end, &address, &bytes))
        return "read or write, BYTES byte(s) @ 0xADDRESS";
    if (plussi_skip_text(&at, end, " by PC 0x") && !plussi_read_digits(&at, end, 16, &out->site))
        return "by PC 0xADDRESS";
    const char *why = plussi_foreign_set_access(out, address, bytes,
                                                read ? PLUSSI_EVENT_READ : PLUSSI_EVENT_WRITE);
    if (!why)
        why = plussi_foreign_number_thread(trace, thread, &out->thread);
    *n = !why;
    return why;
}

static bool is_line(const char *line, const char *end)
{
    uint64_t thread;
    return read_head(&line, end, &thread) && line < end &&
           ((*line >= 'a' && *line <= 'z') || *line == '<');
}

static bool is_like_line(const char *line, const char *end)
{
    uint64_t thread;
    return read_head(&line, end, &thread);
}

const plussi_foreign_format plussi_foreign_view = {"view", is_line, is_like_line, read_line};
