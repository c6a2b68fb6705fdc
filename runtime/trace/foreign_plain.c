/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The project's own text: THREAD ADDRESS BYTES r|w [SITE], and marks.
 */
#include "trace/foreign_state.h"

/* Decimal, or hexadecimal after 0x. */
static bool read_number(const char **at, const char *end, uint64_t *out)
{
    return plussi_skip_text(at, end, "0x") ? plussi_read_digits(at, end, 16, out)
                                           : plussi_read_digits(at, end, 10, out);
}

/* What is between two words. false: nothing is. */
static bool skip_between(const char **at, const char *end)
{
    const char *start = *at;
    plussi_skip_blanks(at, end);
    if (plussi_skip_text(at, end, ","))
        plussi_skip_blanks(at, end);
    return *at > start;
}

static bool read_next(const char **at, const char *end, uint64_t *out)
{
    return skip_between(at, end) && read_number(at, end, out);
}

/* The words of marks, and the numbers after them. */
static const struct mark {
    const char *word;
    plussi_event_kind kind;
    int numbers;
} marks[] = {{"region", PLUSSI_EVENT_REGION, 1},
             {"leave", PLUSSI_EVENT_LEAVE, 0},
             {"barrier", PLUSSI_EVENT_BARRIER, 0},
             {"chunk", PLUSSI_EVENT_CHUNK, 2}};

static bool read_mark(const char **at, const char *end, plussi_event *out)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!plussi_skip_text(at, end, marks[i].word))
            continue;
        out->kind = (uint8_t)marks[i].kind;
        return (marks[i].numbers < 1 || read_next(at, end, &out->address)) &&
               (marks[i].numbers < 2 || read_next(at, end, &out->site));
    }
    return false;
}

static bool read_access(const char **at, const char *end, plussi_event *out, const char **why)
{
    uint64_t address = 0, bytes = 0;
    if (!read_number(at, end, &address) || !read_next(at, end, &bytes) || !skip_between(at, end))
        return false;
    bool write = plussi_skip_text(at, end, "w");
    if (!write && !plussi_skip_text(at, end, "r"))
        return false;
    const char *before = *at;
    if (skip_between(at, end) && !read_number(at, end, &out->site))
        *at = before;
    *why = plussi_foreign_set_access(out, address, bytes,
                                     write ? PLUSSI_EVENT_WRITE : PLUSSI_EVENT_READ);
    return true;
}

static const char *read_line(plussi_foreign *trace, const char *at, const char *end,
                             plussi_event *out, size_t *n)
{
    (void)trace;
    const char *why = NULL;
    uint64_t thread = 0;
    plussi_skip_blanks(&at, end);
    if (at == end || *at == '#')
        return NULL;
    *out = (plussi_event){0};
    if (!plussi_read_digits(&at, end, 10, &thread) || !skip_between(&at, end) ||
        !(read_mark(&at, end, out) || read_access(&at, end, out, &why)))
        return "THREAD ADDRESS BYTES r|w [SITE], or THREAD region N, leave, barrier or chunk N M";
    plussi_skip_blanks(&at, end);
    if (at < end)
        return "the end of the line";
    if (thread >= PLUSSI_EVENT_THREADS)
        return "a thread below 65536";
    if (why)
        return why;
    out->thread = (uint32_t)thread;
    *n = 1;
    return NULL;
}

static bool is_line(const char *line, const char *end)
{
    plussi_event event;
    size_t n = 0;
    return !read_line(NULL, line, end, &event, &n) && n > 0;
}

/* Two words, of which the first is a number. */
static bool is_like_line(const char *line, const char *end)
{
    uint64_t thread;
    plussi_skip_blanks(&line, end);
    return plussi_read_digits(&line, end, 10, &thread) && skip_between(&line, end) && line < end;
}

const plussi_foreign_format plussi_foreign_plain = {"plain", is_line, is_like_line, read_line};
