/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether threads that have other caches write to the line of an access in its window: its own
 * cache has then lost the line.
 */
#include "model/clock_state.h"

/* How far thread k has come at the access: once for each access. */
static void look_at(plussi_clock_run *run, uint32_t k)
{
    plussi_clock_thread *t = &run->thread[k];
    uint64_t length = plussi_engine_length(run->workspace, k, run->phase);
    if (t->looked_at == run->stamp)
        return;
    t->looked_at = run->stamp;
    t->write.phase = UINT64_MAX;
    if (!run->clocks.law->jointly)
        t->n = plussi_clock_count(run, run->phase, k, run->now);
    t->end = t->n < length ? t->n : length;
    t->has_cursor = false;
}

/* The latest write of thread k to these bytes; false: it is before the window. */
static bool find_write(plussi_clock_run *run, uint32_t k, uint64_t first, uint64_t last,
                       plussi_clock_write *out)
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
    if (t->write.phase == out->phase && t->write.pos == out->pos) {
        out->time = t->write.time; /* the same write, at one time */
    } else {
        out->time = same ? plussi_clock_time_before(run, out->phase, k, out->pos, t->n, run->now)
                         : plussi_clock_time(run, 1, out->phase, k, out->pos);
    }
    return out->time > run->latest;
}

/* Thread k is outside of the access's cache and can touch its line. */
static bool is_other(const plussi_clock_run *run, uint32_t k)
{
    return !(k >= run->first && k < run->last) && (run->toucher[k / 64] >> k % 64 & 1);
}

bool plussi_clock_has_others(const plussi_clock_run *run)
{
    for (uint32_t k = 0; k < run->team; k++)
        if (is_other(run, k))
            return true;
    return false;
}

/* When the access's thread made an earlier one, in the phase of that: at or before the latest touch
 * of the line, whose time is known. */
static double time_of_own(plussi_clock_run *run, uint64_t phase, uint64_t pos)
{
    const uint32_t own = (uint32_t)run->cursor.iv[0];
    const plussi_clock_thread *t = &run->thread[own];
    bool known = phase == run->source_phase && run->source == own;
    if (known && pos == t->pos)
        return run->latest;
    if (known)
        return plussi_clock_time_before(run, phase, own, pos, t->pos, run->latest);
    if (phase == run->phase)
        return plussi_clock_time_before(run, phase, own, pos, run->pos, run->now);
    return plussi_clock_time(run, 1, phase, own, pos);
}

bool plussi_clock_others_touch(plussi_clock_run *run, const plussi_cursor *since)
{
    uint64_t phase, pos;
    plussi_engine_locate(run->workspace, since, &phase, &pos);
    if (phase != run->phase && phase != run->source_phase)
        plussi_clock_begin(run, 1, phase);
    double start = time_of_own(run, phase, pos);
    for (uint32_t k = 0; k < run->team; k++) {
        plussi_cursor fence, touch;
        const plussi_clock_thread *t = &run->thread[k];
        if (!is_other(run, k))
            continue;
        look_at(run, k);
        if (phase > 0)
            plussi_engine_end(run->workspace, k, phase - 1, &fence);
        if (!plussi_engine_prev(run->workspace, plussi_clock_cursor(run, k), run->line,
                                phase > 0 ? &fence : NULL, &touch))
            continue;
        uint64_t touch_phase, touch_pos;
        plussi_engine_locate(run->workspace, &touch, &touch_phase, &touch_pos);
        double time = t->write.time;
        if (touch_phase > phase)
            return true;
        if (t->write.phase != phase || t->write.pos != touch_pos)
            time = phase == run->phase
                       ? plussi_clock_time_before(run, phase, k, touch_pos, t->n, run->now)
                       : plussi_clock_time(run, 1, phase, k, touch_pos);
        if (time > start)
            return true;
    }
    return false;
}

bool plussi_clock_others_touch_earlier(plussi_clock_run *run)
{
    plussi_cursor touch;
    for (uint32_t k = 0; k < run->team; k++) {
        if (!is_other(run, k))
            continue;
        look_at(run, k);
        if (plussi_engine_prev(run->workspace, plussi_clock_cursor(run, k), run->line, NULL,
                               &touch))
            return true;
    }
    return false;
}

bool plussi_clock_others_touch_later(plussi_clock_run *run)
{
    plussi_cursor end, touch;
    for (uint32_t k = 0; k < run->team; k++) {
        if (!is_other(run, k))
            continue;
        look_at(run, k);
        plussi_engine_end(run->workspace, k, plussi_engine_phases(run->engine) - 1, &end);
        const plussi_cursor *next = plussi_clock_cursor(run, k);
        if (plussi_engine_prev(run->workspace, &end, run->line, next, &touch) ||
            (plussi_engine_ref(run->engine, next->leaf) &&
             plussi_engine_line(run->workspace, next) == run->line))
            return true;
    }
    return false;
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
        if (!is_other(run, k))
            continue;
        plussi_clock_write of_line = {UINT64_MAX, 0, 0}, of_bytes;
        look_at(run, k);
        bool lost = find_write(run, k, start, end, &of_line);
        run->thread[k].write = of_line;
        if (lost)
            loss = find_write(run, k, first, last, &of_bytes) ? PLUSSI_CLOCK_TRUE_SHARING
                                                              : PLUSSI_CLOCK_FALSE_SHARING;
    }
    return loss;
}
