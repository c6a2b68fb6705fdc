/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/ordered_runs.h"

#include <stdlib.h>

#include "base/line_sample.h"
#include "trace/record_try.h"

enum {
    LINE_BITS = 58,     /* a line's number, at least 64 bytes each */
    MOST_OPEN = 1 << 12 /* runs that are there in pieces at a time: 16 in each of 256 threads */
};

typedef struct reader {
    const plussi_trace_reader *trace;
    const plussi_record *record;
    const plussi_indexed_section *runs, *lines; /* lines NULL: there are none */
    plussi_ordered_runs *out;
    bool *in_pieces; /* by entry: the run there has pieces before it */
    uint64_t *teams; /* likewise: parallel constructs that it had begun by then */
    size_t n_open;   /* such runs that have begun and not ended */
} reader;

static pluss_status fail_run(const reader *r, size_t i, const char *what)
{
    return plussi_trace_bad(r->trace, r->runs->at + i * sizeof *r->out->run, what);
}

static pluss_status fail_line(const reader *r, size_t i, const char *what)
{
    return plussi_trace_bad(r->trace, r->lines->at + i * sizeof *r->out->line, what);
}

static int by_line(const void *a, const void *b)
{
    const plussi_ordered_line *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

int plussi_ordered_by_last(const void *a, const void *b)
{
    const plussi_ordered_line *x = a, *y = b;
    return (x->last > y->last) - (x->last < y->last);
}

/* A run's lines from number `first` on; room: for a copy of them. */
static pluss_status check_lines(const reader *r, size_t first, size_t n, plussi_ordered_line *room)
{
    const uint64_t threshold = plussi_line_threshold(r->out->shift);
    for (size_t i = 0; i < n; i++) {
        room[i] = r->out->line[first + i];
        if (room[i].line >> LINE_BITS || plussi_line_hash(room[i].line) > threshold)
            return fail_line(r, first + i, "a line that is none of those that are followed");
    }
    qsort(room, n, sizeof *room, by_line);
    for (size_t i = 1; i < n; i++)
        if (room[i].line == room[i - 1].line)
            return fail_line(r, first, "a run with a line twice");
    qsort(room, n, sizeof *room, plussi_ordered_by_last);
    for (size_t i = 1; i < n; i++)
        if (room[i].last == room[i - 1].last)
            return fail_line(r, first, "a run with two lines that are its last at a time");
    return PLUSS_OK;
}

/* Of a run whose description tells the lines: each part of it has parallel constructs of its own,
 * but for the last one. */
static pluss_status check_teams(reader *r, size_t i, size_t run)
{
    const plussi_ordered_run *part = &r->out->run[i];
    if (!plussi_is_by_teams(part))
        return PLUSS_OK;
    const uint64_t begun = plussi_teams_begun(part);
    if (i < run ? begun <= r->teams[run] : begun < r->teams[run])
        return fail_run(r, i, "parallel constructs of a run that do not ascend");
    r->teams[run] = begun;
    return PLUSS_OK;
}

static pluss_status check_piece(reader *r, size_t i)
{
    const plussi_ordered_run *piece = &r->out->run[i], *run = piece + piece->times;
    const bool by_teams = plussi_is_by_teams(piece);
    if (piece->lines == PLUSSI_ORDER_DESCRIBED || piece->times >= r->out->n - i)
        return fail_run(r, i, "an impossible piece of a run");
    if (!piece->times) /* it has not ended */
        return PLUSS_OK;
    if (run->block != piece->block || run->lines == PLUSSI_ORDER_DESCRIBED ||
        run->place == PLUSSI_PIECE || plussi_is_by_teams(run) != by_teams ||
        (!by_teams && run->place != PLUSSI_NO_PLACE))
        return fail_run(r, i, "a piece of a run that is not there");
    TRY(check_teams(r, i, i + piece->times));
    r->n_open += !r->in_pieces[i + piece->times];
    r->in_pieces[i + piece->times] = true;
    return r->n_open > MOST_OPEN ? fail_run(r, i, "too many runs in pieces at a time") : PLUSS_OK;
}

/* runs: of each block, before this one. */
static pluss_status check_run(reader *r, size_t i, uint64_t *runs)
{
    const plussi_ordered_run *run = &r->out->run[i];
    if (run->place == PLUSSI_PIECE)
        return check_piece(r, i);
    r->n_open -= r->in_pieces[i];
    if (run->block >= r->record->n_blocks)
        return fail_run(r, i, "a run of a block that the record does not have");
    const plussi_record_block *block = &r->record->block[run->block];
    const bool described = plussi_is_described(run);
    const bool values = block->by == PLUSSI_RECORDED_BIND;
    if ((described && !values) || block->by == PLUSSI_RECORDED_SAMPLE)
        return fail_run(r, i, "a run that is not recorded as its block is");
    if (plussi_is_by_teams(run) && !r->in_pieces[i])
        return fail_run(r, i, "a run in pieces without one");
    if (run->place == PLUSSI_AROUND && run->lines != PLUSSI_ORDER_DESCRIBED)
        return fail_run(r, i, "lines of a run with others nested in it");
    if (run->place != PLUSSI_NO_PLACE && run->place != PLUSSI_AROUND &&
        (!values || run->place >= block->n_places))
        return fail_run(r, i, "a run at a placement that its block does not have");
    if (run->times == 0 ||
        ((plussi_is_by_teams(run) || plussi_told_lines(run)) && run->times > 1) ||
        run->times > block->runs - runs[run->block])
        return fail_run(r, i, "an impossible number of runs");
    runs[run->block] += run->times;
    return check_teams(r, i, i);
}

static pluss_status check(reader *r)
{
    const size_t n_lines = r->out->n_lines;
    size_t first = 0;
    plussi_ordered_line *room = plussi_alloc(&r->trace->ctx->mem, n_lines + 1, sizeof *room);
    uint64_t *runs = plussi_calloc(&r->trace->ctx->mem, r->record->n_blocks + 1, sizeof *runs);
    r->in_pieces = plussi_calloc(&r->trace->ctx->mem, r->out->n + 1, sizeof *r->in_pieces);
    r->teams = plussi_calloc(&r->trace->ctx->mem, r->out->n + 1, sizeof *r->teams);
    pluss_status status = room && runs && r->in_pieces && r->teams ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < r->out->n && !status; i++) {
        const uint64_t lines = plussi_told_lines(&r->out->run[i]);
        status = check_run(r, i, runs);
        if (status)
            continue;
        if (lines > n_lines - first)
            status = fail_run(r, i, "a run with more lines than there are");
        else
            status = check_lines(r, first, lines, room);
        first += lines;
    }
    if (!status && first != n_lines)
        status = fail_line(r, first, "a line of no run");
    plussi_free(&r->trace->ctx->mem, r->in_pieces);
    plussi_free(&r->trace->ctx->mem, r->teams);
    plussi_free(&r->trace->ctx->mem, runs);
    plussi_free(&r->trace->ctx->mem, room);
    return status;
}

/* The section of this kind, with what the record says of it; NULL: there is none, and none is to
 * be. */
static pluss_status find(const reader *r, plussi_trace_section_kind kind, uint64_t entries,
                         const plussi_indexed_section **out)
{
    size_t n = 0;
    *out = plussi_trace_of_kind(r->trace, kind, &n);
    if (n != (entries > 0) || (n && (*out)->head.n != entries))
        return plussi_trace_bad(r->trace, n ? (*out)->at - sizeof(*out)->head : r->trace->length,
                                "the order of runs is not the one of the record");
    return PLUSS_OK;
}

static pluss_status read_sections(reader *r)
{
    plussi_ordered_runs *out = r->out;
    TRY(find(r, PLUSSI_SECTION_ORDER, r->record->ordered_runs, &r->runs));
    TRY(find(r, PLUSSI_SECTION_LINES, r->record->ordered_lines, &r->lines));
    if (!r->runs)
        return PLUSS_ENOTFOUND;
    while (out->shift < PLUSSI_LEAST_RATE_BITS &&
           plussi_line_threshold(out->shift) != r->runs->head.to)
        out->shift++;
    if (plussi_line_threshold(out->shift) != r->runs->head.to ||
        (r->lines && r->lines->head.to != r->runs->head.to))
        return plussi_trace_bad(r->trace, r->runs->at - sizeof r->runs->head,
                                "lines are not followed at such a rate");
    if (r->runs->head.n > PLUSSI_ORDERED_RUNS)
        return plussi_trace_bad(r->trace, r->runs->at - sizeof r->runs->head,
                                "more runs in order than a program leaves");
    TRY(plussi_trace_read_new(r->trace, r->runs, &out->run));
    out->n = r->runs->head.n;
    if (r->lines) {
        TRY(plussi_trace_read_new(r->trace, r->lines, &out->line));
        out->n_lines = r->lines->head.n;
    }
    return check(r);
}

pluss_status plussi_ordered_runs_read(plussi_ctx *ctx, const plussi_record *record,
                                      plussi_ordered_runs *out)
{
    plussi_trace_reader *trace = NULL;
    if (!record->ordered_runs)
        return PLUSS_ENOTFOUND;
    TRY(plussi_record_trace(ctx, record, &trace));
    plussi_ordered_runs read = {.mem = ctx->mem};
    reader r = {.trace = trace, .record = record, .out = &read};
    pluss_status status = read_sections(&r);
    plussi_trace_close(trace);
    if (status)
        plussi_ordered_runs_free(&read);
    else
        *out = read;
    return status;
}

void plussi_ordered_runs_free(plussi_ordered_runs *runs)
{
    if (!runs->run)
        return;
    plussi_free(&runs->mem, runs->run);
    plussi_free(&runs->mem, runs->line);
    *runs = (plussi_ordered_runs){0};
}
