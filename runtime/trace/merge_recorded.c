/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of a timeline: a heap of the threads by the time of their next access. The first one
 * goes on until the next but one is due, which costs a comparison an access.
 */
#include "trace/merge_state.h"

static inline bool is_before(const merge_lane *a, const merge_lane *b)
{
    return a->next < b->next || (a->next == b->next && a->thread < b->thread);
}

static void sift(plussi_merge *m, uint32_t i)
{
    merge_lane moved = m->lane[i];
    for (uint32_t child; (child = 2 * i + 1) < m->n_lanes; i = child) {
        if (child + 1 < m->n_lanes && is_before(&m->lane[child + 1], &m->lane[child]))
            child++;
        if (!is_before(&m->lane[child], &moved))
            break;
        m->lane[i] = m->lane[child];
    }
    m->lane[i] = moved;
}

static inline void set_time(merge_lane *l)
{
    const plussi_timeline_thread *timeline = l->timeline;
    if (!timeline)
        return;
    while (l->point + 1 < timeline->n && timeline->point[l->point + 1].done <= (double)l->made)
        l->point++;
    l->next = plussi_timeline_at(timeline, l->point, (double)l->made);
}

void plussi_merge_recorded_begin(plussi_merge *m, uint32_t team)
{
    uint64_t phase = plussi_walk_phase(m->walk);
    const plussi_timeline_phase *timeline = &m->timeline->phase[phase % m->timeline->n_phases];
    for (uint32_t k = 0; k < team; k++) {
        merge_lane *l = &m->lane[k];
        l->timeline = k < timeline->team && timeline->thread[k].n ? &timeline->thread[k] : NULL;
        set_time(l);
    }
    for (uint32_t i = team / 2; i-- > 0;)
        sift(m, i);
}

size_t plussi_merge_recorded(plussi_merge *m, plussi_access *buf, size_t cap)
{
    size_t n = 0;
    while (n < cap && m->n_lanes > 1) {
        merge_lane *l = &m->lane[0], *second = &m->lane[1];
        if (m->n_lanes > 2 && is_before(&m->lane[2], second))
            second = &m->lane[2];
        bool ended = false;
        while (n < cap && is_before(l, second)) {
            if (l->at == l->n && !plussi_lane_refill(m, l)) {
                ended = true;
                break;
            }
            buf[n++] = m->ahead[(size_t)l->thread * m->room + l->at++];
            l->made++;
            set_time(l);
        }
        if (ended)
            plussi_lane_remove(m, 0);
        sift(m, 0);
    }
    return n;
}
