/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines that a cache of one thread writes back. A line is written back once for each of its stays
 * in the cache in which it is written, unless the program ends first; so the first write of a stay
 * is counted. In a private cache a stay ends where another thread touches the line, too; a later
 * level then writes it back only if the first one had lost it, which is not known. docs/models.md,
 * "Sets and ways".
 */
#include "model/clock_state.h"

/* The write finds the line clean in level i: it is the first one, or the line has left since the
 * one before. */
static bool is_first(plussi_clock_run *run, const plussi_clock_sample *x, uint32_t i,
                     const plussi_cursor *before)
{
    const uint64_t through = (UINT64_C(2) << i) - 1; /* this level and those before */
    return !before || (x->levels.missed & through) == through || x->levels.loss[i] ||
           plussi_clock_others_touch(run, before) ||
           plussi_clock_evicts(run, i, before, &run->cursor);
}

/* Nothing takes the line out of level i until the program ends. */
static bool stays(plussi_clock_run *run, uint32_t i)
{
    plussi_cursor end;
    plussi_engine_end(run->workspace, (uint32_t)run->cursor.iv[0],
                      plussi_engine_phases(run->engine) - 1, &end);
    return plussi_clock_has(run, i, &end) && !plussi_clock_evicts(run, i, &run->cursor, &end) &&
           !plussi_clock_others_touch_later(run);
}

void plussi_clock_find_dirty(plussi_clock_run *run, plussi_clock_sample *x)
{
    const plussi_clock_options *o = run->options;
    const plussi_bound_ref *ref = &plussi_engine_ref(run->engine, run->cursor.leaf)->u.ref;
    plussi_cursor before;
    if (!ref->write || !plussi_clock_counts_dirty(o, run->team, 0))
        return;
    bool again = !x->cold && plussi_clock_prev_write(run, &run->cursor, run->line, &before);
    /* what does not leave a level does not become dirty in the next one */
    for (uint32_t i = 0; plussi_clock_counts_dirty(o, run->team, i) &&
                         is_first(run, x, i, again ? &before : NULL) && !stays(run, i);
         i++)
        x->levels.dirtied |= UINT64_C(1) << i;
    x->levels.alone = x->levels.dirtied && !plussi_clock_has_others(run);
}
