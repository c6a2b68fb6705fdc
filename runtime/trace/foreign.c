/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/foreign_state.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/map.h"
#include "trace/packed.h"

/* Plain last: lines that begin as those of view begin as its lines, too. */
static const plussi_foreign_format *const formats[] = {&plussi_foreign_view, &plussi_foreign_lackey,
                                                       &plussi_foreign_plain};
enum {
    FORMATS = sizeof formats / sizeof *formats,
    FIRST_THREADS = 16,
    ASK_EVERY = 1 << 18 /* events */
};

/* ---- the window --------------------------------------------------------------------------------
 */

pluss_status plussi_foreign_fill(plussi_foreign *t, size_t least)
{
    pluss_status status = PLUSS_OK;
    if (t->end - t->begin >= least || t->ended)
        return PLUSS_OK;
    memmove(t->window, t->window + t->begin, t->end - t->begin);
    t->end -= t->begin;
    t->begin = 0;
    while (!status && !t->ended && t->end < least) {
        size_t n = 0;
        status = plussi_byte_source_read(t->source, t->window + t->end,
                                         PLUSSI_FOREIGN_ROOM - t->end, &n);
        t->end += n;
        t->ended = n == 0;
    }
    return status;
}

static void consume(plussi_foreign *t, const char *to)
{
    size_t n = (size_t)(to - (t->window + t->begin));
    t->begin += n;
    t->consumed += n;
}

/* The next line, without its end; *line NULL: the end of the file. *next: where the one after it
 * begins. A line that is too long is cut into several. */
static pluss_status find_line(plussi_foreign *t, const char **line, const char **end,
                              const char **next)
{
    const char *at = t->window + t->begin, *newline = memchr(at, '\n', t->end - t->begin);
    if (!newline && !t->ended) {
        pluss_status status = plussi_foreign_fill(t, PLUSSI_FOREIGN_LINE_BYTES);
        if (status)
            return status;
        at = t->window + t->begin;
        newline = memchr(at, '\n', t->end - t->begin);
    }
    *line = t->begin < t->end ? at : NULL;
    *end = newline ? newline : t->window + t->end;
    *next = newline ? newline + 1 : *end;
    if (*end > at && (*end)[-1] == '\r')
        --*end;
    return PLUSS_OK;
}

/* ---- words and numbers -------------------------------------------------------------------------
 */

bool plussi_read_digits(const char **at, const char *end, unsigned base, uint64_t *out)
{
    const char *c = *at;
    uint64_t value = 0;
    for (; c < end; c++) {
        unsigned digit = (unsigned)(*c - '0');
        if (digit > 9) {
            digit = (unsigned)((*c | 0x20) - 'a');
            if (base < 16 || digit > 5)
                break;
            digit += 10;
        }
        if (value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    if (c == *at)
        return false;
    *at = c;
    *out = value;
    return true;
}

PLUSSI_NUMBER_MAP(threads, plussi_thread_slot, number, index)

const char *plussi_foreign_number_thread(plussi_foreign *t, uint64_t number, uint32_t *out)
{
    plussi_thread_slot *slot = threads_find(t->thread, t->threads_size, number, number);
    if (!slot || !slot->index) {
        if (t->n_threads == PLUSSI_EVENT_THREADS) {
            t->failed = PLUSS_ELIMIT;
            return "a trace has at most 65536 threads";
        }
        if (!threads_reserve(&t->ctx->mem, &t->thread, &t->threads_size, FIRST_THREADS,
                             t->n_threads + 1)) {
            t->failed = PLUSS_ENOMEM;
            return "no memory";
        }
        slot = threads_find(t->thread, t->threads_size, number, number);
        *slot = (plussi_thread_slot){number, ++t->n_threads};
    }
    *out = slot->index - 1;
    return NULL;
}

const char *plussi_foreign_set_access(plussi_event *out, uint64_t address, uint64_t bytes,
                                      plussi_event_kind kind)
{
    if (bytes == 0 || bytes > PLUSSI_EVENT_BYTES)
        return "an access of 1 to 65535 bytes";
    if (address > plussi_foreign_address_most - bytes)
        return "an access below address 2^61";
    out->address = address;
    out->bytes = (uint16_t)bytes;
    out->kind = (uint8_t)kind;
    return NULL;
}

/* ---- lines -------------------------------------------------------------------------------------
 */

static pluss_status fail_line(plussi_foreign *t, pluss_status status, const char *line,
                              const char *end, const char *expected)
{
    enum { SHOWN = 60 };
    char shown[SHOWN + 1];
    int n = 0;
    for (; n < SHOWN && line + n < end; n++)
        shown[n] = line[n] >= ' ' && line[n] <= '~' ? line[n] : '?';
    shown[n] = '\0';
    bool fits = t->line <= UINT32_MAX;
    const plussi_loc loc = {.file = t->path, .line = fits ? (uint32_t)t->line : 0};
    if (!fits)
        return plussi_fail(t->ctx, status, &loc, "line %llu: found '%s', expected %s",
                           (unsigned long long)t->line, shown, expected);
    return plussi_fail(t->ctx, status, &loc, "found '%s', expected %s", shown, expected);
}

static pluss_status refuse_line(plussi_foreign *t, const char *line, const char *end,
                                const char *why)
{
    if (t->failed == PLUSS_ENOMEM)
        return PLUSS_ENOMEM;
    if (t->failed) {
        return plussi_fail(t->ctx, t->failed,
                           &(plussi_loc){.file = t->path, .line = (uint32_t)t->line}, "%s", why);
    }
    if (!t->skips)
        return fail_line(t, PLUSS_EFORMAT, line, end, why);
    if (t->skipped++ == 0)
        t->first_skipped = t->line;
    return PLUSS_OK;
}

static pluss_status read_lines(plussi_foreign *t, plussi_event *buf, size_t cap, size_t *n)
{
    pluss_status status = PLUSS_OK;
    while (!status && cap - *n >= PLUSSI_EVENTS_LEAST) {
        const char *line, *end, *next;
        status = find_line(t, &line, &end, &next);
        if (status || !line)
            break;
        const bool cut = next[-1] != '\n' && !t->ended, rest = t->cut;
        size_t made = 0;
        t->line += !rest;
        t->cut = cut;
        const char *why = NULL;
        if (cut && !rest)
            why = "a line of at most 65536 bytes";
        else if (!cut && !rest)
            why = t->format->read_line(t, line, end, buf + *n, &made);
        if (why)
            status = refuse_line(t, line, end, why);
        else
            *n += made;
        consume(t, next);
    }
    return status;
}

/* ---- opening -----------------------------------------------------------------------------------
 */

/* The format of which the line surely is, or, as bad lines do, seems to be; NULL: none. */
static const plussi_foreign_format *match_line(const char *line, const char *end, bool sure)
{
    for (size_t i = 0; i < FORMATS; i++)
        if ((sure ? formats[i]->is_line : formats[i]->is_like_line)(line, end))
            return formats[i];
    return NULL;
}

/* A comment, or what tools say of themselves. */
static bool is_remark(const char *line, const char *end)
{
    return line == end || *line == '#' || plussi_skip_text(&line, end, "==") ||
           plussi_skip_text(&line, end, "--");
}

/* Finds the format by the first line that is surely of one, else by the first that is no remark;
 * text has no zeros. */
static const plussi_foreign_format *find_format(const char *at, const char *end)
{
    const plussi_foreign_format *found = NULL, *likely = NULL;
    const char *zero = memchr(at, '\0', (size_t)(end - at));
    end = zero ? zero : end;
    for (bool first = true; at < end && !found;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        stop -= stop > at && stop[-1] == '\r';
        found = match_line(at, stop, true);
        if (first && !is_remark(at, stop)) {
            likely = match_line(at, stop, false);
            first = false;
        }
        at = newline ? newline + 1 : end;
    }
    return found ? found : likely;
}

static pluss_status begin(plussi_foreign *t)
{
    pluss_status status = plussi_foreign_fill(t, PLUSSI_FOREIGN_ROOM);
    if (status)
        return status;
    if (plussi_is_packed(t->window, t->end))
        return plussi_unpacker_new(t);
    t->format = find_format(t->window, t->window + t->end);
    if (!t->format)
        return plussi_fail(t->ctx, PLUSS_EFORMAT, &(plussi_loc){.file = t->path},
                           "found no trace: no line of it is an access");
    return PLUSS_OK;
}

pluss_status plussi_foreign_open_stream(plussi_ctx *ctx, FILE *in, const char *name,
                                        bool skip_bad_lines, plussi_foreign **out)
{
    plussi_foreign *t = plussi_calloc(&ctx->mem, 1, sizeof *t);
    if (!t)
        return PLUSS_ENOMEM;
    *t = (plussi_foreign){.ctx = ctx,
                          .path = plussi_strndup(&ctx->mem, name, strlen(name)),
                          .window = plussi_alloc(&ctx->mem, PLUSSI_FOREIGN_ROOM, 1),
                          .skips = skip_bad_lines};
    pluss_status status = t->path && t->window ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status)
        status = plussi_byte_source_new(ctx, in, t->path, &t->source);
    if (!status)
        status = begin(t);
    if (status)
        plussi_foreign_close(t);
    else
        *out = t;
    return status;
}

pluss_status plussi_foreign_open(plussi_ctx *ctx, const char *path, bool skip_bad_lines,
                                 plussi_foreign **out)
{
    FILE *in = fopen(path, "rbe");
    if (!in)
        return plussi_fail(ctx, PLUSS_EIO, &(plussi_loc){.file = path}, "cannot be opened: %s",
                           strerror(errno));
    plussi_foreign *t = NULL;
    pluss_status status = plussi_foreign_open_stream(ctx, in, path, skip_bad_lines, &t);
    if (status) {
        fclose(in);
        return status;
    }
    t->own = in;
    *out = t;
    return PLUSS_OK;
}

/* Whether what is compressed begins as JSON does. What cannot be read says so as a trace. */
static pluss_status is_compressed_report(plussi_ctx *ctx, FILE *in, bool *out)
{
    plussi_byte_source *source = NULL;
    char head[16];
    size_t n = 0;
    pluss_status status = plussi_byte_source_new(ctx, in, "", &source);
    if (!status)
        status = plussi_byte_source_read(source, head, sizeof head, &n);
    plussi_byte_source_free(source);
    *out = !status && n > 0 && head[0] == '{';
    return status;
}

/* Compressed or packed: but for reports, nothing but a trace is. */
static pluss_status has_magic(plussi_ctx *ctx, FILE *in, bool *out)
{
    char head[sizeof PLUSSI_PACKED_MAGIC];
    const size_t n = fread(head, 1, sizeof head, in);
    bool is_report = false;
    rewind(in);
    const bool compressed = plussi_is_compressed(head, n);
    pluss_status status = compressed ? is_compressed_report(ctx, in, &is_report) : PLUSS_OK;
    rewind(in);
    *out = compressed ? !is_report : plussi_is_packed(head, n);
    return status == PLUSS_ENOMEM ? status : PLUSS_OK;
}

pluss_status plussi_foreign_is_trace(plussi_ctx *ctx, const char *path, bool *out)
{
    struct stat info;
    plussi_foreign *t = NULL;
    plussi_ctx quiet;
    *out = false;
    FILE *in = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rbe") : NULL;
    if (!in)
        return PLUSS_OK;
    plussi_ctx_init(&quiet, &ctx->mem);
    pluss_status status = has_magic(&quiet, in, out);
    if (!status && !*out) {
        status = plussi_foreign_open_stream(&quiet, in, path, false, &t);
        plussi_foreign_close(t);
        *out = status == PLUSS_OK;
    }
    plussi_ctx_clear(&quiet);
    fclose(in);
    return status == PLUSS_ENOMEM ? status : PLUSS_OK;
}

void plussi_foreign_close(plussi_foreign *t)
{
    if (!t)
        return;
    const plussi_mem mem = t->ctx->mem;
    plussi_unpacker_free(&mem, t->unpacker);
    plussi_byte_source_free(t->source);
    if (t->own)
        fclose(t->own);
    plussi_free(&mem, t->thread);
    plussi_free(&mem, t->window);
    plussi_free(&mem, t->path);
    plussi_free(&mem, t);
}

/* ---- reading -----------------------------------------------------------------------------------
 */

pluss_status plussi_foreign_next(plussi_foreign *t, plussi_event *buf, size_t cap, size_t *n)
{
    *n = 0;
    pluss_status status = t->format ? read_lines(t, buf, cap, n) : plussi_unpack(t, buf, cap, n);
    t->events += *n;
    if (status || (t->events<t->next_ask && * n> 0))
        return status;
    t->next_ask = t->events + ASK_EVERY;
    return plussi_ask_whether(&t->ask, t->stage, plussi_foreign_done(t), t->events);
}

double plussi_foreign_done(const plussi_foreign *t)
{
    return plussi_byte_source_done(t->source);
}

void plussi_foreign_ask(plussi_foreign *t, const plussi_ask *ask, const char *stage)
{
    t->ask = *ask;
    t->stage = stage;
}

void plussi_foreign_tell_skipped(plussi_ctx *ctx, const plussi_foreign *t)
{
    const plussi_loc loc = {.file = t->path};
    const unsigned long long first = t->first_skipped, n = t->skipped;
    if (n == 1)
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_EFORMAT, &loc, "line %llu is skipped", first);
    else if (n > 1)
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_EFORMAT, &loc,
                      "%llu lines are skipped, the first is line %llu", n, first);
}
