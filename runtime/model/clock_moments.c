/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moments of a thread in a phase with dynamic loops: a list, or those of a dispatch pattern.
 */
#include "base/bisect.h"
#include "model/clock_state.h"
#include "team/pattern.h"

uint64_t plussi_clock_moment_access(const plussi_clock_moments *m, size_t i)
{
    if (!m->pattern)
        return m->access[i];
    return i + 1 < m->n ? i * m->each : m->all;
}

double plussi_clock_moment_time(const plussi_clock_moments *m, size_t i)
{
    if (!m->pattern)
        return m->time[i];
    return i + 1 < m->n ? m->scale * plussi_pattern_time(m->pattern, m->row, i) : m->end;
}

size_t plussi_clock_moment_above(const plussi_clock_moments *m, uint64_t pos)
{
    if (m->pattern)
        return pos >= m->all ? m->n : pos / m->each + 1;
    PLUSSI_BISECT(size_t, i, 0, m->n, m->access[i] > pos);
    return i;
}

size_t plussi_clock_moment_after(const plussi_clock_moments *m, double time)
{
    if (m->pattern)
        return time >= m->end
                   ? m->n
                   : plussi_pattern_dispatched_by(m->pattern, m->row, time / m->scale, m->n - 1);
    PLUSSI_BISECT(size_t, i, 0, m->n, m->time[i] > time);
    return i;
}
