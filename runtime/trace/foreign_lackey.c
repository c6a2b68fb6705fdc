/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of valgrind --tool=lackey --trace-mem=yes: 'I  ADDRESS,BYTES' for each instruction, then
 * ' L', ' S' or ' M' for what it loads, stores or modifies; addresses are hexadecimal. Threads are
 * not told: all of it is thread 0. What modifies reads first, then writes.
 */
#include "trace/foreign_state.h"

static bool read_place(const char **at, const char *end, uint64_t *address, uint64_t *bytes)
{
    plussi_skip_blanks(at, end);
    if (!plussi_read_digits(at, end, 16, address) || !plussi_skip_text(at, end, ",") ||
        !plussi_read_digits(at, end, 10, bytes))
        return false;
    plussi_skip_blanks(at, end);
    return *at == end;
}

/* What valgrind says: ==PID== text, or --PID-- text. */
static bool is_message(const char *line, const char *end)
{
    uint64_t pid;
    return (plussi_skip_text(&line, end, "==") || plussi_skip_text(&line, end, "--")) &&
           plussi_read_digits(&line, end, 10, &pid) && line < end && (*line == '=' || *line == '-');
}

static const char *read_line(plussi_foreign *trace, const char *line, const char *end,
                             plussi_event *out, size_t *n)
{
    uint64_t address = 0, bytes = 0;
    const char *at = line;
    if (plussi_skip_text(&at, end, "I ")) {
        if (!read_place(&at, end, &address, &bytes))
            return "I  ADDRESS,BYTES";
        trace->site = address;
        return NULL;
    }
    if (line == end || is_message(line, end))
        return NULL;
    bool load = plussi_skip_text(&at, end, " L "), modify = false;
    if (!load && !plussi_skip_text(&at, end, " S ")) {
        if (!plussi_skip_text(&at, end, " M "))
            return "an instruction 'I  ', or an access ' L ', ' S ' or ' M '";
        modify = true;
    }
    if (!read_place(&at, end, &address, &bytes))
        return "ADDRESS,BYTES after ' L ', ' S ' or ' M '";
    out[0] = (plussi_event){.site = trace->site};
    const char *why = plussi_foreign_set_access(
        out, address, bytes, load || modify ? PLUSSI_EVENT_READ : PLUSSI_EVENT_WRITE);
    if (why)
        return why;
    out[1] = out[0];
    out[1].kind = PLUSSI_EVENT_WRITE;
    *n = modify ? 2 : 1;
    return NULL;
}

static bool is_line(const char *line, const char *end)
{
    plussi_event event[2];
    plussi_foreign none = {0};
    size_t n = 0;
    return line < end && (*line == 'I' || *line == ' ') && !read_line(&none, line, end, event, &n);
}

static bool is_like_line(const char *line, const char *end)
{
    static const char *const begin[] = {"I  ", " L ", " S ", " M "};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (plussi_skip_text(&line, end, begin[i]))
            return true;
    return false;
}

const plussi_foreign_format plussi_foreign_lackey = {"lackey", is_line, is_like_line, read_line};
