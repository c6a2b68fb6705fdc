/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of observed.c as the walks of libpluss-rt have them; with an argument, their variables
 * are unsigned.
 */
#include "loops.h"
#include "rt/walks.h"

static pluss_rt_walk *present;
static bool is_unsigned;

static uint64_t count_trips(const loop *l)
{
    uint32_t relation = is_unsigned ? PLUSS_RT_WHILE_UNSIGNED : 0;
    int last = FIRST + l->range;
    uint64_t trips;
    if (l->step > 0 && l->chunk % 2)
        trips = pluss_rt_walk_trips(present, FIRST, last, l->step, relation + PLUSS_RT_WHILE_LT);
    else if (l->step > 0)
        trips =
            pluss_rt_walk_trips(present, FIRST, last - 1, l->step, relation + PLUSS_RT_WHILE_LE);
    else if (l->chunk % 2)
        trips = pluss_rt_walk_trips(present, last, FIRST, l->step, relation + PLUSS_RT_WHILE_GT);
    else
        trips =
            pluss_rt_walk_trips(present, last, FIRST + 1, l->step, relation + PLUSS_RT_WHILE_GE);
    if (is_collapsed(l))
        trips *= pluss_rt_walk_trips(present, 0, 5, 3, PLUSS_RT_WHILE_LT);
    return trips;
}

/* Static loops by each thread's walk, the others by the walk that plans for all threads. */
static void walk_loop(loop *l)
{
    static const uint32_t schedule[] = {PLUSS_RT_WALK_STATIC,  PLUSS_RT_WALK_STATIC,
                                        PLUSS_RT_WALK_DYNAMIC, PLUSS_RT_WALK_GUIDED,
                                        PLUSS_RT_WALK_STATIC,  PLUSS_RT_WALK_GUIDED};
    if (l->team != (int)present->team || is_static(l) == present->plans)
        return;
    uint64_t trips = count_trips(l);
    uint32_t collapsed = is_collapsed(l) ? PLUSS_RT_WALK_COLLAPSED : 0;
    pluss_rt_walk_loop(present, trips, schedule[l->kind] | collapsed, l->chunk, 1);
    for (uint64_t n; (n = pluss_rt_walk_chunk(present, 0, trips)) != 0;)
        for (uint64_t first = pluss_rt_walk_first(present), i = first; i < first + n; i++)
            if (is_static(l))
                note_owner(l, (int)i, present->thread);
            else
                l->at[first] = (uint8_t)n;
    pluss_rt_walk_loop_end(present);
}

static void walk_as(uint32_t team, uint32_t thread, bool plans)
{
    static const pluss_rt_ref shape = {8, 8};
    static const pluss_rt_region region = {
        .size = sizeof region, .name = "f", .file = "f.c", .line = 1, .n_refs = 1, .ref = &shape};
    plussi_plan plan = {0};
    plussi_sampled_thread *sampled;
    present =
        plussi_rt_walk_new(&region, team, thread, plans, 1, 0, &plan, (plussi_walk_schedule){0});
    if (!present)
        exit(3);
    pluss_rt_walk_parallel(present, 0, 1);
    for_each_loop(walk_loop);
    pluss_rt_walk_join(present);
    plussi_collector_free(plussi_rt_walk_finish(present, &sampled));
    plussi_plan_free(&plan);
}

static void walk_in_teams(void)
{
    for (uint32_t team = 1; team <= MOST_TEAM; team++) {
        walk_as(team, 0, true);
        for (uint32_t k = 0; k < team; k++)
            walk_as(team, k, false);
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    is_unsigned = argc > 1;
    fill_table();
    walk_in_teams();
    for_each_loop(print_loop);
    return 0;
}
