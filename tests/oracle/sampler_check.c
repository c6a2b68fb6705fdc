/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampler_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linemap.h"
#include "sampler/set_lines.h"
#include "trace/walk.h"

enum { NO_REF = -1 };

/* One access of a thread's whole sequence. */
typedef struct step {
    uint64_t line, phase, pos; /* phase: of those with accesses; pos in it */
    uint32_t ref;
    int64_t previous; /* index of the last one of the same line, -1: none */
} step;

typedef struct sequence {
    step *at;
    size_t n, cap;
    size_t *phase_end; /* by phase with accesses */
    size_t n_phases, phases_cap;
} sequence;

typedef struct checker {
    plussi_ctx *ctx;
    const plussi_bound *bound;
    const plussi_engine *engine;
    plussi_workspace *workspace;
    sequence *thread;
    uint32_t team;
    uint64_t *number; /* engine's number of the phases with accesses */
    size_t n_phases;
    sampler_report *report;
} checker;

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

__attribute__((format(printf, 2, 3))) static void mismatch(checker *c, const char *format, ...)
{
    if (c->report->mismatches++ > 0)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(c->report->first, sizeof c->report->first, format, args);
    va_end(args);
}

static void append(sequence *s, uint64_t line, uint32_t ref, uint64_t phase, uint64_t pos)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 256;
        s->at = must(realloc(s->at, s->cap * sizeof *s->at));
    }
    s->at[s->n++] = (step){line, phase, pos, ref, -1};
}

static void end_phase(sequence *s)
{
    if (s->n_phases == s->phases_cap) {
        s->phases_cap = s->phases_cap ? 2 * s->phases_cap : 64;
        s->phase_end = must(realloc(s->phase_end, s->phases_cap * sizeof *s->phase_end));
    }
    s->phase_end[s->n_phases++] = s->n;
}

static void link_previous(checker *c)
{
    for (uint32_t t = 0; t < c->team; t++) {
        plussi_linemap map;
        plussi_linemap_init(&map, &c->ctx->mem);
        for (size_t i = 0; i < c->thread[t].n; i++) {
            uint64_t *last = must(plussi_linemap_at(&map, c->thread[t].at[i].line));
            c->thread[t].at[i].previous = (int64_t)*last - 1;
            *last = i + 1;
        }
        plussi_linemap_free(&map);
    }
}

/* ---- the two sources of sequences
 * ---------------------------------------------------------------- */

static pluss_status from_walk(checker *c)
{
    plussi_walk *walk;
    pluss_status status = plussi_walk_new(c->ctx, c->bound, 1, &walk);
    if (status)
        return status;
    plussi_access buf[64];
    uint64_t phase = 0;
    while (plussi_walk_next_phase(walk)) {
        bool any = false;
        for (uint32_t t = 0; t < c->team; t++) {
            uint64_t pos = 0;
            for (size_t n; (n = plussi_walk_fill(walk, t, buf, 64)) > 0;)
                for (size_t i = 0; i < n; i++, any = true)
                    append(&c->thread[t], buf[i].line, buf[i].ref, phase, pos++);
        }
        if (!any)
            continue;
        for (uint32_t t = 0; t < c->team; t++)
            end_phase(&c->thread[t]);
        phase++;
    }
    status = plussi_walk_status(walk);
    plussi_walk_free(walk);
    c->n_phases = phase;
    return status;
}

static void from_engine(checker *c)
{
    uint64_t with = 0, phases = plussi_engine_phases(c->engine);
    for (uint64_t s = 0; s < phases; s++) {
        bool any = false;
        for (uint32_t t = 0; t < c->team; t++) {
            uint64_t length = plussi_engine_length(c->workspace, t, s);
            for (uint64_t pos = 0; pos < length; pos++, any = true) {
                plussi_cursor cursor;
                plussi_engine_unrank(c->workspace, t, s, pos, &cursor);
                append(&c->thread[t], plussi_engine_line(c->workspace, &cursor),
                       plussi_engine_ref(c->engine, cursor.leaf)->id, with, pos);
            }
        }
        if (!any)
            continue;
        for (uint32_t t = 0; t < c->team; t++)
            end_phase(&c->thread[t]);
        with++;
    }
    c->n_phases = with;
}

/* ---- comparisons
 * --------------------------------------------------------------------------------- */

static uint64_t length_of(const checker *c, uint32_t t, size_t phase)
{
    const sequence *s = &c->thread[t];
    return s->phase_end[phase] - (phase ? s->phase_end[phase - 1] : 0);
}

/* The engine's phases with accesses are the walk's, thread by thread. */
static bool match_phases(checker *c)
{
    uint64_t phases = plussi_engine_phases(c->engine), sum = 0;
    size_t k = 0;
    c->number = must(calloc(c->n_phases + 1, sizeof *c->number));
    for (uint64_t s = 0; s < phases; s++) {
        bool any = false;
        if (plussi_engine_before(c->workspace, s) != sum)
            mismatch(c, "phase %" PRIu64 ": %" PRIu64 " accesses before, walk %" PRIu64, s,
                     plussi_engine_before(c->workspace, s), sum);
        for (uint32_t t = 0; t < c->team; t++)
            any |= plussi_engine_length(c->workspace, t, s) > 0;
        if (!any)
            continue;
        for (uint32_t t = 0; t < c->team; t++) {
            uint64_t length = plussi_engine_length(c->workspace, t, s);
            uint64_t walked = k < c->n_phases ? length_of(c, t, k) : 0;
            if (length != walked) {
                mismatch(c, "phase %" PRIu64 " thread %u: length %" PRIu64 ", walk %" PRIu64, s, t,
                         length, walked);
                return false;
            }
            sum += length;
        }
        c->number[k++] = s;
    }
    if (k != c->n_phases)
        mismatch(c, "%zu phases with accesses, walk %zu", k, c->n_phases);
    if (plussi_engine_accesses(c->engine) != sum)
        mismatch(c, "%" PRIu64 " accesses, walk %" PRIu64, plussi_engine_accesses(c->engine), sum);
    return k == c->n_phases;
}

/* prev against a search of the sequence: the last step before `from` with this line, after `low`.
 */
static void compare_prev(checker *c, uint32_t t, const plussi_cursor *cursor, size_t from,
                         uint64_t line, int64_t expected, int64_t low, const char *what)
{
    const sequence *s = &c->thread[t];
    plussi_cursor found, after;
    if (low >= 0)
        plussi_engine_unrank(c->workspace, t, c->number[s->at[low].phase], s->at[low].pos, &after);
    bool any = plussi_engine_prev(c->workspace, cursor, line, low >= 0 ? &after : NULL, &found);
    int64_t got = -1;
    if (any)
        got = (int64_t)plussi_engine_thread_rank(c->workspace, &found);
    int ref = any ? (int)plussi_engine_ref(c->engine, found.leaf)->id : NO_REF;
    int ref_expected = expected >= 0 ? (int)s->at[expected].ref : NO_REF;
    if (got != expected || ref != ref_expected)
        mismatch(c,
                 "%s: thread %u before access %zu, line %" PRIu64 ", low %" PRId64
                 ": previous %" PRId64 " of ref %d, walk %" PRId64 " of ref %d",
                 what, t, from, line, low, got, ref, expected, ref_expected);
    if (any && plussi_engine_order(c->workspace, &found, cursor) != -1)
        mismatch(c, "%s: thread %u access %zu: the previous touch does not come before", what, t,
                 from);
}

/* The first and the last byte, in its line, that the thread's access i touches; false: it writes
 * nothing. */
static bool find_bytes(checker *c, uint32_t t, size_t i, uint64_t *first, uint64_t *last)
{
    const step *x = &c->thread[t].at[i];
    plussi_cursor cursor;
    plussi_engine_unrank(c->workspace, t, c->number[x->phase], x->pos, &cursor);
    const plussi_bound_ref *ref = &c->bound->ref[x->ref]->u.ref;
    uint64_t line_bytes = c->bound->line_bytes, begin = x->line * line_bytes;
    uint64_t at = plussi_engine_address(c->workspace, &cursor);
    *first = cursor.touch == 0 ? at : begin;
    *last = cursor.touch == 0                  ? at + ref->width - 1
            : cursor.touch + 1 == ref->touches ? at
                                               : begin + line_bytes - 1;
    if (*last >= begin + line_bytes)
        *last = begin + line_bytes - 1;
    return ref->write;
}

/* The latest write to some bytes of an access's line, against a search of the sequence. */
static void check_prev_write(checker *c, uint32_t t, const plussi_cursor *cursor, size_t from,
                             bool whole)
{
    const sequence *s = &c->thread[t];
    uint64_t first, last, a, b, line = s->at[from].line, bytes = c->bound->line_bytes;
    int64_t expected = -1, got = -1;
    plussi_cursor found;
    (void)find_bytes(c, t, from, &first, &last);
    if (whole) {
        first = line * bytes;
        last = first + bytes - 1;
    }
    for (int64_t i = (int64_t)from - 1; i >= 0 && expected < 0; i--)
        if (s->at[i].line == line && find_bytes(c, t, (size_t)i, &a, &b) && a <= last && b >= first)
            expected = i;
    bool any = plussi_engine_prev_write(c->workspace, cursor, first, last, NULL, &found);
    if (any)
        got = (int64_t)plussi_engine_thread_rank(c->workspace, &found);
    if (expected >= 0 && !plussi_engine_is_written(c->engine, t, line))
        mismatch(c, "thread %u access %zu: its line counts as never written", t, from);
    if (got != expected)
        mismatch(c,
                 "thread %u access %zu: bytes %" PRIu64 " to %" PRIu64 " written by %" PRId64
                 ", walk %" PRId64,
                 t, from, first, last, got, expected);
}

static int64_t latest(const sequence *s, size_t from, uint64_t line, int64_t low)
{
    for (int64_t i = (int64_t)from - 1; i > low; i--)
        if (s->at[i].line == line)
            return i;
    return -1;
}

/* The position of an access, by another thread in the same phase; NULL: that has fewer there. */
static const step *at_same_position(const checker *c, uint32_t thread, const step *x)
{
    const sequence *s = &c->thread[thread];
    const size_t begin = x->phase ? s->phase_end[x->phase - 1] : 0;
    return begin + x->pos < s->phase_end[x->phase] ? &s->at[begin + x->pos] : NULL;
}

/* If threads are said to touch the line of access i alike, those that are not excepted do. */
static void check_alike(checker *c, uint32_t t, size_t i, const plussi_cursor *cursor)
{
    const step *x = &c->thread[t].at[i];
    const uint64_t phase = c->number[x->phase];
    uint64_t except[2] = {0};
    if (!plussi_engine_touched_alike(c->workspace, x->line, phase, except))
        return;
    const bool excepted = except[t / 64] >> t % 64 & 1;
    c->report->alike += !excepted;
    c->report->excepted += excepted;
    for (uint32_t u = 0; u < c->team && !excepted; u++) {
        const step *y = at_same_position(c, u, x);
        if (!y || (except[u / 64] >> u % 64 & 1))
            continue;
        plussi_cursor moved = *cursor, there;
        plussi_engine_move_to_thread(c->workspace, phase, x->pos, u, &moved);
        plussi_engine_unrank(c->workspace, u, phase, x->pos, &there);
        if (y->line != x->line || plussi_engine_order(c->workspace, &moved, &there) != 0)
            mismatch(c, "thread %u access %zu: thread %u does not touch its line alike", t, i, u);
    }
}

/* Accesses some places before access i in its phase: also right after it was found by its position.
 */
static void check_back(checker *c, uint32_t t, size_t i, const plussi_cursor *cursor)
{
    const step *x = &c->thread[t].at[i];
    const uint64_t phase = c->number[x->phase], far[] = {0, 1, 2, 7, 30, x->pos / 2, x->pos};
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        plussi_cursor back, there, again;
        if (far[k] > x->pos)
            continue;
        plussi_engine_unrank(c->workspace, t, phase, x->pos / 2, &there);
        const bool any = plussi_engine_back(c->workspace, cursor, far[k], &back);
        plussi_engine_unrank(c->workspace, t, phase, x->pos, &there);
        if (plussi_engine_back(c->workspace, &there, far[k], &again) != any ||
            (any && plussi_engine_order(c->workspace, &back, &again) != 0))
            mismatch(c, "thread %u access %zu: %" PRIu64 " before it, found anew, differs", t, i,
                     far[k]);
        if (!any)
            continue;
        c->report->back++;
        plussi_engine_unrank(c->workspace, t, phase, x->pos - far[k], &there);
        if (plussi_engine_order(c->workspace, &back, &there) != 0)
            mismatch(c, "thread %u access %zu: %" PRIu64 " before it is another access", t, i,
                     far[k]);
    }
}

static void check_access(checker *c, uint32_t t, size_t i)
{
    const sequence *s = &c->thread[t];
    const step *x = &s->at[i];
    plussi_cursor cursor;
    plussi_engine_unrank(c->workspace, t, c->number[x->phase], x->pos, &cursor);
    const plussi_bound_node *ref = plussi_engine_ref(c->engine, cursor.leaf);
    if (!ref || ref->id != x->ref) {
        mismatch(c, "thread %u access %zu: ref %d, walk %u", t, i, ref ? (int)ref->id : -1, x->ref);
        return;
    }
    if (plussi_engine_line(c->workspace, &cursor) != x->line)
        mismatch(c, "thread %u access %zu: line %" PRIu64 ", walk %" PRIu64, t, i,
                 plussi_engine_line(c->workspace, &cursor), x->line);
    uint64_t bits[2] = {0};
    plussi_engine_touchers(c->engine, x->line, bits);
    if (!(bits[t / 64] >> t % 64 & 1))
        mismatch(c, "thread %u access %zu: not among those that can touch its line", t, i);
    plussi_engine_touchers_in(c->workspace, x->line, c->number[x->phase], bits);
    if (!(bits[t / 64] >> t % 64 & 1))
        mismatch(c, "thread %u access %zu: not among those that can touch its line in its phase", t,
                 i);
    const uint64_t *busy;
    uint64_t shortest = plussi_engine_busy(c->workspace, c->number[x->phase], &busy);
    if (!(busy[t / 64] >> t % 64 & 1) || shortest == 0 ||
        shortest > plussi_engine_length(c->workspace, t, c->number[x->phase]))
        mismatch(c, "thread %u access %zu: not among those that have accesses in its phase", t, i);
    uint64_t phase, pos;
    plussi_engine_locate(c->workspace, &cursor, &phase, &pos);
    if (phase != c->number[x->phase] || pos != x->pos)
        mismatch(c, "thread %u access %zu: %" PRIu64 " of phase %" PRIu64, t, i, pos, phase);
    if (plussi_engine_phase(c->workspace, &cursor) != c->number[x->phase])
        mismatch(c, "thread %u access %zu: phase %" PRIu64 ", expected %" PRIu64, t, i,
                 plussi_engine_phase(c->workspace, &cursor), c->number[x->phase]);
    if (plussi_engine_thread_rank(c->workspace, &cursor) != i)
        mismatch(c, "thread %u access %zu: number %" PRIu64, t, i,
                 plussi_engine_thread_rank(c->workspace, &cursor));
    check_alike(c, t, i, &cursor);
    compare_prev(c, t, &cursor, i, x->line, x->previous, -1, "own");
    if (i % 7 == 2)
        check_back(c, t, i, &cursor);
    if (i % 11 == 4)
        check_prev_write(c, t, &cursor, i, i % 2);
    if (i % 5 == 3) { /* any line that some thread touches, and a lower limit */
        uint32_t other = (uint32_t)(i / 5) % c->team;
        const sequence *o = &c->thread[other];
        if (o->n) {
            uint64_t line = o->at[i * 7919 % o->n].line;
            compare_prev(c, t, &cursor, i, line, latest(s, i, line, -1), -1, "other");
            int64_t low = (int64_t)(i * 31 % (i + 1)) - 1;
            if (low >= 0)
                compare_prev(c, t, &cursor, i, line, latest(s, i, line, low), low, "limited");
        }
        if (x->previous >= 0) /* strictly after: the previous touch itself does not count */
            compare_prev(c, t, &cursor, i, x->line, -1, x->previous, "closed");
    }
}

/* From access to access without the numbers. */
static void check_steps(checker *c, uint32_t t)
{
    const sequence *s = &c->thread[t];
    for (size_t i = 0; i + 1 < s->n; i++) {
        if (s->at[i].phase != s->at[i + 1].phase)
            continue;
        plussi_cursor cursor, next;
        uint64_t phase = c->number[s->at[i].phase], pos = s->at[i].pos;
        plussi_engine_unrank(c->workspace, t, phase, pos, &cursor);
        plussi_engine_step(c->workspace, phase, &pos, &cursor);
        plussi_engine_unrank(c->workspace, t, phase, s->at[i + 1].pos, &next);
        if (pos != s->at[i + 1].pos || plussi_engine_order(c->workspace, &cursor, &next) != 0)
            mismatch(c, "thread %u access %zu: a step leads elsewhere", t, i);
    }
}

/* Whether accesses from number i on are those of a sweep. */
static bool are_swept(const checker *c, const sequence *s, size_t i, uint64_t n,
                      const plussi_swept *sweep)
{
    const uint32_t bytes = plussi_engine_line_bytes(c->engine);
    if (n != sweep->iterations * sweep->n || i + n > s->n)
        return false;
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t start = sweep->ref[k % sweep->n].address;
        const uint64_t more = k / sweep->n * (uint64_t)sweep->ref[k % sweep->n].step;
        if ((start + more) / bytes != s->at[i + k].line || s->at[i + k].phase != s->at[i].phase)
            return false;
    }
    return true;
}

/* From access to access, many at a time where that can be. */
static void check_sweeps(checker *c, uint32_t t)
{
    const sequence *s = &c->thread[t];
    for (size_t i = 0; i < s->n; i++) {
        plussi_cursor cursor, last;
        plussi_swept sweep;
        const uint64_t phase = c->number[s->at[i].phase];
        const uint64_t left = length_of(c, t, s->at[i].phase) - s->at[i].pos;
        const uint64_t most = i % 3 ? left : left * (i % 7) / 7;
        plussi_engine_unrank(c->workspace, t, phase, s->at[i].pos, &cursor);
        const uint64_t n = plussi_engine_sweep(c->workspace, &cursor, most, &sweep);
        if (n == 0)
            continue;
        if (n > most || !are_swept(c, s, i, n, &sweep))
            mismatch(c, "thread %u access %zu: other accesses are swept", t, i);
        plussi_engine_unrank(c->workspace, t, phase, s->at[i].pos + n - 1, &last);
        if (plussi_engine_order(c->workspace, &cursor, &last) != 0)
            mismatch(c, "thread %u access %zu: a sweep leads elsewhere", t, i);
        if (i % 2)
            i += n - 1;
    }
}

static void check_ends(checker *c, uint32_t t)
{
    const sequence *s = &c->thread[t];
    for (size_t k = 0; k < c->n_phases; k++) {
        plussi_cursor end;
        plussi_engine_unrank(c->workspace, t, c->number[k], length_of(c, t, k), &end);
        if (plussi_engine_ref(c->engine, end.leaf))
            mismatch(c, "thread %u phase %zu: its end is an access", t, k);
        uint64_t phase, pos;
        plussi_engine_locate(c->workspace, &end, &phase, &pos);
        if (phase != c->number[k] || pos != length_of(c, t, k))
            mismatch(c, "thread %u phase %zu: its end is elsewhere", t, k);
        const sequence *o = &c->thread[(t + 1) % c->team];
        if (!o->n)
            continue;
        uint64_t line = o->at[k * 104729 % o->n].line;
        compare_prev(c, t, &end, s->phase_end[k], line, latest(s, s->phase_end[k], line, -1), -1,
                     "end");
    }
}

typedef struct visited {
    plussi_linemap stamp;         /* line: the last visit that met it */
    plussi_linemap sure, touched; /* the last that was sure of it, the last that had to */
    uint64_t now, n_sure, n_touched, sets, set;
    bool strange;
} visited;

static bool note_line(void *user, uint64_t line, bool sure)
{
    visited *v = user;
    uint64_t *stamp = must(plussi_linemap_at(&v->stamp, line));
    *stamp = v->now;
    v->strange |= line % v->sets != v->set;
    if (sure) {
        uint64_t *since = must(plussi_linemap_at(&v->sure, line));
        v->n_sure += *since != v->now;
        *since = v->now;
    }
    return true;
}

/* The lines of a set between two accesses: each that is touched there is visited, each that the
 * visit is sure of is touched. */
static void check_set(checker *c, visited *v, uint32_t t, size_t from, int64_t low)
{
    const sequence *s = &c->thread[t];
    plussi_cursor before, after;
    plussi_engine_unrank(c->workspace, t, c->number[s->at[from].phase], s->at[from].pos, &before);
    if (low >= 0)
        plussi_engine_unrank(c->workspace, t, c->number[s->at[low].phase], s->at[low].pos, &after);
    v->now++;
    v->sets = 1 + from % 11;
    v->set = s->at[from].line % v->sets;
    plussi_engine_visit_set(c->workspace, &(plussi_stretch){t, low >= 0 ? &after : NULL, &before},
                            &(plussi_set_visitor){note_line, v, v->sets, v->set});
    if (v->strange)
        mismatch(c, "thread %u before access %zu: a visit of another set", t, from);
    v->strange = false;
    for (size_t i = (size_t)(low + 1); i < from; i++) {
        uint64_t *stamp = must(plussi_linemap_at(&v->stamp, s->at[i].line));
        if (s->at[i].line % v->sets == v->set && *stamp < v->now) {
            mismatch(c,
                     "thread %u, accesses %" PRId64 " to %zu: no visit of line %" PRIu64
                     " of set %" PRIu64 " of %" PRIu64,
                     t, low, from, s->at[i].line, v->set, v->sets);
            return;
        }
        uint64_t *touched = must(plussi_linemap_at(&v->touched, s->at[i].line));
        v->n_sure -= *touched != v->now &&
                     *(uint64_t *)must(plussi_linemap_at(&v->sure, s->at[i].line)) == v->now;
        v->n_touched += *touched != v->now && s->at[i].line % v->sets == v->set;
        *touched = v->now;
    }
    if (v->n_touched > plussi_engine_lines_in_set(c->engine, v->sets, v->set))
        mismatch(c,
                 "thread %u touches %" PRIu64 " lines of set %" PRIu64 " of %" PRIu64 ", too many",
                 t, v->n_touched, v->set, v->sets);
    v->n_touched = 0;
    if (v->n_sure)
        mismatch(c,
                 "thread %u, accesses %" PRId64 " to %zu: sure of %" PRIu64 " lines of set %" PRIu64
                 " of %" PRIu64 " that are not touched",
                 t, low, from, v->n_sure, v->set, v->sets);
    v->n_sure = 0;
}

static void check_sets(checker *c, uint32_t t)
{
    const sequence *s = &c->thread[t];
    visited v = {0};
    plussi_linemap_init(&v.stamp, &c->ctx->mem);
    plussi_linemap_init(&v.sure, &c->ctx->mem);
    plussi_linemap_init(&v.touched, &c->ctx->mem);
    for (size_t i = t % 7; i < s->n; i += 7) {
        check_set(c, &v, t, i, s->at[i].previous);
        if (i % 21 == t % 7)
            check_set(c, &v, t, i, (int64_t)(i * 31 % (i + 1)) - 1);
    }
    plussi_linemap_free(&v.stamp);
    plussi_linemap_free(&v.sure);
    plussi_linemap_free(&v.touched);
}

static void check_bijection(checker *c)
{
    uint64_t total = plussi_engine_accesses(c->engine);
    size_t offset = 0;
    size_t *start = must(calloc(c->team, sizeof *start));
    for (uint32_t t = 0; t < c->team; t++) {
        start[t] = offset;
        offset += c->thread[t].n;
    }
    unsigned char *seen = must(calloc(offset + 1, 1));
    for (uint64_t n = 0; n < total; n++) {
        plussi_cursor cursor;
        plussi_engine_nth(c->workspace, n, &cursor);
        uint64_t number = plussi_engine_thread_rank(c->workspace, &cursor);
        if (cursor.iv[0] < 0 || cursor.iv[0] >= c->team || number >= c->thread[cursor.iv[0]].n ||
            seen[start[cursor.iv[0]] + number]++)
            mismatch(c, "nth %" PRIu64 ": thread %" PRId64 " access %" PRIu64 " (again?)", n,
                     cursor.iv[0], number);
    }
    free(start);
    free(seen);
}

static void compare(checker *c)
{
    link_previous(c);
    if (!match_phases(c))
        return;
    for (uint32_t t = 0; t < c->team; t++) {
        c->report->accesses += c->thread[t].n;
        for (size_t i = 0; i < c->thread[t].n; i++)
            check_access(c, t, i);
        check_steps(c, t);
        check_sweeps(c, t);
        check_ends(c, t);
        check_sets(c, t);
    }
    check_bijection(c);
}

static pluss_status check(plussi_ctx *ctx, const plussi_bound *bound,
                          const plussi_iterset_source *source, bool walked, sampler_report *report)
{
    *report = (sampler_report){0};
    plussi_engine *engine;
    pluss_status status = plussi_engine_new(ctx, bound, source, &engine);
    if (status)
        return status;
    checker c = {.ctx = ctx, .bound = bound, .engine = engine, .report = report};
    status = plussi_workspace_new(ctx, engine, &c.workspace);
    c.team = plussi_engine_team(engine);
    if (c.team > 128)
        abort();
    c.thread = must(calloc(c.team, sizeof *c.thread));
    if (!status && walked)
        status = from_walk(&c);
    else if (!status)
        from_engine(&c);
    if (!status)
        compare(&c);
    if (!status && plussi_workspace_failed(c.workspace))
        status = PLUSS_ENOMEM;
    for (uint32_t t = 0; t < c.team; t++) {
        free(c.thread[t].at);
        free(c.thread[t].phase_end);
    }
    free(c.thread);
    free(c.number);
    plussi_workspace_free(c.workspace);
    plussi_engine_free(engine);
    return status;
}

pluss_status sampler_check(plussi_ctx *ctx, const plussi_bound *bound, sampler_report *report)
{
    return check(ctx, bound, NULL, true, report);
}

pluss_status sampler_check_shares(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_iterset_source *source, sampler_report *report)
{
    return check(ctx, bound, source, false, report);
}
