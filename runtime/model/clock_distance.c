/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates how many distinct lines a window holds. Short windows are listed, as are those that
 * cost no more to list than draws would. In long ones accesses are drawn: an access counts if it is
 * the first touch of its line in its thread's part of the window and no thread of a lower number
 * touches the line in its own part, so that every line counts once.
 */
#include "base/map.h"
#include "model/clock_state.h"

/* A hash set that is emptied in constant time. */
struct plussi_clock_lines {
    uint64_t now; /* entries with another time are empty */
    uint32_t bits;
    uint64_t n;
    struct {
        uint64_t line, time;
        uint32_t mark;
    } slot[];
};

pluss_status plussi_clock_lines_new(const plussi_mem *mem, uint64_t most, plussi_clock_lines **out)
{
    uint32_t bits = 1;
    while (UINT64_C(1) << bits < 2 * most + 2)
        bits++;
    plussi_clock_lines *lines =
        plussi_calloc(mem, 1, sizeof *lines + (sizeof lines->slot[0] << bits));
    if (!lines)
        return PLUSS_ENOMEM;
    lines->bits = bits;
    *out = lines;
    return PLUSS_OK;
}

/* The slot of a line, or the free one that it would take. */
static uint64_t slot_of(const plussi_clock_lines *s, uint64_t line)
{
    uint64_t i = plussi_hash(line) >> (64 - s->bits);
    while (s->slot[i].time == s->now && s->slot[i].line != line)
        i = (i + 1) & ((UINT64_C(1) << s->bits) - 1);
    return i;
}

void plussi_clock_lines_empty(plussi_clock_lines *s)
{
    s->now++;
    s->n = 0;
}

bool plussi_clock_lines_have(const plussi_clock_lines *s, uint64_t line, uint32_t mark)
{
    uint64_t i = slot_of(s, line);
    return s->slot[i].time == s->now && (s->slot[i].mark == mark || s->slot[i].mark == UINT32_MAX);
}

bool plussi_clock_lines_add(plussi_clock_lines *s, uint64_t line, uint32_t mark)
{
    uint64_t i = slot_of(s, line);
    bool is_new = s->slot[i].time != s->now;
    s->slot[i].time = s->now;
    s->slot[i].line = line;
    s->slot[i].mark = mark;
    s->n += is_new;
    return is_new || mark == UINT32_MAX;
}

static void insert_line(plussi_clock_lines *s, uint64_t line)
{
    (void)plussi_clock_lines_add(s, line, UINT32_MAX);
}

/* The lines of many iterations of a loop; where it steps from line to line or less, all in between.
 */
static void list_sweep(plussi_clock_lines *s, const plussi_swept *sweep, uint32_t line_bytes)
{
    const uint32_t shift = (uint32_t)__builtin_ctz(line_bytes);
    for (uint32_t r = 0; r < sweep->n; r++) {
        const int64_t step = sweep->ref[r].step;
        const uint64_t n = sweep->iterations - 1, first = sweep->ref[r].address;
        const uint64_t last = first + n * (uint64_t)step;
        if (step > (int64_t)line_bytes || -step > (int64_t)line_bytes) {
            for (uint64_t i = 0; i <= n; i++)
                insert_line(s, (first + i * (uint64_t)step) >> shift);
            continue;
        }
        const uint64_t end = (first > last ? first : last) >> shift;
        for (uint64_t line = (first > last ? last : first) >> shift; line <= end; line++)
            insert_line(s, line);
    }
}

static void list_range(plussi_clock_run *run, plussi_clock_lines *s, uint32_t k, uint64_t phase,
                       uint64_t from, uint64_t to)
{
    plussi_cursor cursor;
    plussi_swept sweep;
    if (from >= to)
        return;
    plussi_engine_unrank(run->workspace, k, phase, from, &cursor);
    for (;;) {
        const uint64_t n = plussi_engine_sweep(run->workspace, &cursor, to - from, &sweep);
        if (n) {
            list_sweep(s, &sweep, plussi_engine_line_bytes(run->engine));
            from += n - 1;
        } else {
            insert_line(s, plussi_engine_line(run->workspace, &cursor));
        }
        if (from + 1 == to)
            return;
        plussi_engine_step(run->workspace, phase, &from, &cursor);
    }
}

static uint64_t list_window(plussi_clock_run *run, plussi_clock_lines *s)
{
    plussi_clock_lines_empty(s);
    bool same = run->source_phase == run->phase;
    for (uint32_t i = 0; i < run->n_seen; i++) {
        uint32_t k = run->seen[i];
        plussi_clock_thread *t = &run->thread[k];
        if (same) {
            list_range(run, s, k, run->phase, t->start, t->end);
            continue;
        }
        list_range(run, s, k, run->source_phase, t->start,
                   plussi_engine_length(run->workspace, k, run->source_phase));
        list_range(run, s, k, run->phase, 0, t->end);
    }
    for (uint64_t i = 0; i < run->between; i++) {
        plussi_cursor cursor;
        plussi_clock_nth_between(run, i, &cursor);
        insert_line(s, plussi_engine_line(run->workspace, &cursor));
    }
    return s->n;
}

void plussi_clock_meet(uint64_t *met, uint64_t line)
{
    if (*met == UINT64_MAX || plussi_hash(line) < plussi_hash(*met))
        *met = line;
}

uint64_t plussi_clock_list_set(plussi_clock_run *run, uint64_t sets, uint64_t *met)
{
    const plussi_clock_lines *s = run->lines;
    uint64_t n = 0, size = UINT64_C(1) << s->bits;
    (void)list_window(run, run->lines);
    for (uint64_t i = 0; i < size; i++)
        if (s->slot[i].time == s->now && s->slot[i].line != run->line &&
            s->slot[i].line % sets == run->line % sets) {
            plussi_clock_meet(met, s->slot[i].line);
            n++;
        }
    return n;
}

const plussi_cursor *plussi_clock_edge(plussi_clock_run *run, uint32_t k)
{
    plussi_clock_thread *t = &run->thread[k];
    if (t->has_edge)
        return t->edge_any ? &t->edge : NULL;
    t->has_edge = true;
    t->edge_any = true;
    const bool near = t->start > 0 && run->source_phase == run->phase && t->has_cursor;
    if (near && plussi_engine_back(run->workspace, &t->cursor, t->end - (t->start - 1), &t->edge))
        return &t->edge;
    if (t->start > 0)
        plussi_engine_unrank(run->workspace, k, run->source_phase, t->start - 1, &t->edge);
    else if (run->source_phase > 0)
        plussi_engine_end(run->workspace, k, run->source_phase - 1, &t->edge);
    else
        t->edge_any = false;
    return t->edge_any ? &t->edge : NULL;
}

bool plussi_clock_touched(plussi_clock_run *run, uint32_t k, const plussi_cursor *before,
                          uint64_t line)
{
    plussi_cursor found;
    const plussi_clock_thread *t = &run->thread[k];
    if (t->stamp != run->stamp || (run->source_phase == run->phase && t->start == t->end))
        return false;
    const plussi_cursor *edge = plussi_clock_edge(run, k);
    if (edge && plussi_engine_order(run->workspace, edge, before) >= 0)
        return false;
    return plussi_engine_prev(run->workspace, before, line, edge, &found);
}

/* Draws an access of the window uniformly. */
static void draw_access(plussi_clock_run *run, plussi_cursor *out)
{
    uint64_t u = plussi_rng_below(&run->rng, run->interval - 1);
    bool same = run->source_phase == run->phase;
    for (uint32_t i = 0; i < run->n_seen; i++) {
        uint32_t k = run->seen[i];
        plussi_clock_thread *t = &run->thread[k];
        uint64_t length =
            same ? t->end : plussi_engine_length(run->workspace, k, run->source_phase);
        if (u < length - t->start) {
            plussi_engine_unrank(run->workspace, k, run->source_phase, t->start + u, out);
            return;
        }
        u -= length - t->start;
        if (!same && u < t->end) {
            plussi_engine_unrank(run->workspace, k, run->phase, u, out);
            return;
        }
        u -= same ? 0 : t->end;
    }
    plussi_clock_nth_between(run, u, out);
}

static uint32_t count_bits(const uint64_t *bits, uint32_t words)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < words; i++)
        n += (uint32_t)__builtin_popcountll(bits[i]);
    return n;
}

/* Which threads may touch a line in the window: run->other. Those of its phases alone may be fewer;
 * they are looked for as long as that pays. */
static void find_touchers(plussi_clock_run *run, uint64_t line)
{
    enum { PHASES = 3, FEW = 4, TRIES = 64 };
    const uint32_t words = (run->team + 63) / 64;
    plussi_engine_touchers(run->engine, line, run->other);
    uint32_t before = count_bits(run->other, words);
    if (before <= FEW || run->phase - run->source_phase > PHASES ||
        (run->narrowings >= TRIES && run->narrowed < FEW * run->narrowings))
        return;
    plussi_engine_touchers_in(run->workspace, line, run->phase, run->other);
    for (uint64_t phase = run->source_phase; phase < run->phase; phase++) {
        plussi_engine_touchers_in(run->workspace, line, phase, run->more);
        for (uint32_t i = 0; i < words; i++)
            run->other[i] |= run->more[i];
    }
    uint32_t after = count_bits(run->other, words);
    run->narrowings++;
    run->narrowed += before > after ? before - after : 0;
}

/* Whether a thread before `own`, of those in run->other, touches the line in its part of the
 * window. Where all threads touch it at the same positions, which their parts share for the most
 * part, a touch that is found for one of them answers for the next. */
static bool is_of_lower_thread(plussi_clock_run *run, uint32_t own, uint64_t line)
{
    enum { MANY = 3 };
    uint32_t n = 0;
    for (uint32_t i = 0; i <= own / 64; i++) {
        const uint64_t lower = i < own / 64 ? UINT64_MAX : (UINT64_C(1) << own % 64) - 1;
        n += (uint32_t)__builtin_popcountll(run->other[i] & lower);
    }
    const bool alike = n >= MANY && run->source_phase == run->phase &&
                       plussi_engine_touched_alike(run->workspace, line, run->phase, run->except);
    run->n_last_touches = 0;
    for (uint32_t k = 0; k < own && n > 0; k++) {
        if (!(run->other[k / 64] >> k % 64 & 1))
            continue;
        const plussi_clock_thread *t = &run->thread[k];
        n--;
        if (t->stamp != run->stamp)
            continue;
        if (!alike || (run->except[k / 64] >> k % 64 & 1)) {
            if (plussi_clock_touched(run, k, plussi_clock_cursor(run, k), line))
                return true;
        } else if (t->start < t->end &&
                   plussi_clock_find_last_touch(run, line, k, run->phase, t->end)->first >
                       t->start) {
            return true;
        }
    }
    return false;
}

double plussi_clock_distance(plussi_clock_run *run, uint32_t draws, double *variance)
{
    double n = (double)(run->interval - 1);
    *variance = 0;
    if (plussi_clock_is_listed(run))
        return (double)list_window(run, run->lines);
    if (plussi_clock_is_counted(run, draws))
        return (double)list_window(run, run->more_lines);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < draws; i++) {
        plussi_cursor cursor;
        draw_access(run, &cursor);
        uint64_t line = plussi_engine_line(run->workspace, &cursor);
        uint32_t own = (uint32_t)cursor.iv[0];
        bool again = plussi_clock_touched(run, own, &cursor, line);
        if (!again && own > 0) {
            find_touchers(run, line);
            again = is_of_lower_thread(run, own, line);
        }
        hits += !again;
    }
    double p = (hits + 0.5) / (draws + 1.0); /* never exactly 0 or 1 */
    *variance = n * n * p * (1 - p) / draws;
    return n * hits / draws;
}
