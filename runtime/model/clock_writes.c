/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether threads that have other caches write to the line of an access in its window: its own
 * cache has then lost the line.
 */
#include "model/clock_state.h"

/* How far thread k has come at the access; what is before its writes in the window. */
static void look_at(plussi_clock_run *run, uint32_t k)
{
    plussi_clock_thread *t = &run->thread[k];
    uint64_t length = plussi_engine_length(run->workspace, k, run->phase);
    if (!run->clocks.law->jointly)
        t->n = plussi_clock_count(run, run->phase, k, run->now);
    t->end = t->n < length ? t->n : length;
    t->has_cursor = false;
}

/* A write, by its place among the thread's accesses, and when it was, if it is in the window. */
typedef struct found_write {
    uint64_t phase, pos;
    double time;
} found_write;

/* The latest write of thread k to these bytes; false: it is before the window. */
static bool find_write(plussi_clock_run *run, uint32_t k, uint64_t first, uint64_t last,
                       const found_write *later, found_write *out)
{
    plussi_clock_thread *t = &run->thread[k];
    plussi_cursor fence, write;
    bool fenced = run->source_phase > 0, same = run->source_phase == run->phase;
    if (fenced)
        plussi_engine_end(run->workspace, k, run->source_phase - 1, &fence);
    if (!plussi_engine_prev_write(run->workspace, plussi_clock_cursor(run, k), first, last,
                                  fenced ? &fence : NULL, &write))
        return false;
    plussi_engine_locate(run->workspace, &write, &out->phase, &out->pos);
    if (out->phase != run->source_phase)
        return true;
    if (later && later->phase == out->phase && later->pos == out->pos) {
        out->time = later->time; /* the same write, at one time */
    } else {
        out->time = same ? plussi_clock_time_before(run, out->phase, k, out->pos, t->n, run->now)
                         : plussi_clock_time(run, 1, out->phase, k, out->pos);
    }
    return out->time > run->latest;
}

plussi_clock_loss plussi_clock_find_writes(plussi_clock_run *run)
{
    const plussi_bound_ref *ref = &plussi_engine_ref(run->engine, run->cursor.leaf)->u.ref;
    const uint64_t line_bytes = plussi_engine_line_bytes(run->engine);
    const uint64_t start = run->line * line_bytes, end = start + line_bytes - 1;
    uint64_t first = plussi_engine_address(run->workspace, &run->cursor);
    uint64_t last = first + ref->width - 1 < end ? first + ref->width - 1 : end;
    plussi_clock_loss loss = PLUSSI_CLOCK_KEPT;
    if (run->last - run->first == run->team ||
        !plussi_engine_is_written(run->engine, (uint32_t)run->cursor.iv[0], run->line))
        return loss;
    for (uint32_t k = 0; k < run->team && loss != PLUSSI_CLOCK_TRUE_SHARING; k++) {
        if ((k >= run->first && k < run->last) || !(run->toucher[k / 64] >> k % 64 & 1))
            continue;
        found_write of_line, of_bytes;
        look_at(run, k);
        if (find_write(run, k, start, end, NULL, &of_line))
            loss = find_write(run, k, first, last, &of_line, &of_bytes)
                       ? PLUSSI_CLOCK_TRUE_SHARING
                       : PLUSSI_CLOCK_FALSE_SHARING;
    }
    return loss;
}
