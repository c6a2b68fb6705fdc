/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Poisson processes of several rates, which start and stall: between two such events the next
 * access is a thread's with a probability in proportion to its rate, after an exponential time.
 */
#include "trace/merge_state.h"

pluss_status plussi_merge_speeds_new(plussi_merge *m, uint32_t threads)
{
    m->weight = plussi_calloc(&m->mem, threads, 2 * sizeof *m->weight);
    m->start = m->weight + (m->weight ? threads : 0);
    m->instance = UINT64_MAX;
    bool stalls = m->speeds.stall_rate > 0 && m->speeds.stall > 0;
    if (stalls)
        m->stalls = plussi_calloc(&m->mem, threads, sizeof *m->stalls);
    return m->weight && (m->stalls || !stalls) ? PLUSS_OK : PLUSS_ENOMEM;
}

void plussi_merge_speeds_look(plussi_merge *m)
{
    m->most = m->sum = 0;
    m->event = INFINITY;
    for (uint32_t i = 0; i < m->n_lanes; i++) {
        const merge_lane *l = &m->lane[i];
        double weight = l->pause < 0 ? 0 : l->weight;
        m->sum += weight;
        m->most = weight > m->most ? weight : m->most;
        m->event = l->next < m->event ? l->next : m->event;
    }
    m->steady = m->event == INFINITY;
}

/* The lane runs from now on, up to its next stall. */
static void let_run(plussi_merge *m, merge_lane *l)
{
    double run = INFINITY;
    l->pause = 0;
    if (m->stalls)
        plussi_stalls_next(&m->stalls[l->thread], &run, &l->pause);
    l->next = m->now + run;
}

void plussi_merge_speeds_begin(plussi_merge *m, uint32_t team)
{
    /* The speeds belong to the region's instance, whatever of it was walked before. All phases of
     * an instance have the same team. */
    uint64_t instance = plussi_walk_instance(m->walk), phase = plussi_walk_phase(m->walk);
    if (instance != m->instance)
        plussi_speeds_draw(&m->speeds, m->seed, instance, team, m->weight);
    m->instance = instance;
    plussi_speeds_start(&m->speeds, m->seed, phase, team, m->start);
    m->now = 0;
    for (uint32_t k = 0; k < team; k++) {
        merge_lane *l = &m->lane[k];
        l->weight = m->weight[k];
        l->next = m->start[k];
        l->pause = -1;
        if (m->stalls)
            plussi_stalls_begin(&m->stalls[k], &m->speeds, m->seed, phase, k);
        if (m->start[k] <= 0)
            let_run(m, l);
    }
    plussi_merge_speeds_look(m);
}

static void pass_event(plussi_merge *m)
{
    m->now = m->event;
    for (uint32_t i = 0; i < m->n_lanes; i++) {
        merge_lane *l = &m->lane[i];
        if (l->next > m->now)
            continue;
        if (l->pause < 0) {
            let_run(m, l);
        } else {
            l->next = m->now + l->pause;
            l->pause = -1;
        }
    }
    plussi_merge_speeds_look(m);
}

uint32_t plussi_merge_speeds_next(plussi_merge *m)
{
    while (!m->steady) {
        double wait = m->sum > 0 ? -log1p(-plussi_rng_unit(&m->rng)) / m->sum : INFINITY;
        if (m->now + wait < m->event) {
            m->now += wait;
            break;
        }
        pass_event(m);
    }
    for (;;) {
        uint32_t i = (uint32_t)plussi_rng_below(&m->rng, m->n_lanes);
        const merge_lane *l = &m->lane[i];
        if (l->pause >= 0 && plussi_rng_unit(&m->rng) * m->most < l->weight)
            return i;
    }
}
