/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far a walk is, by its position among the steps. A step has a weight: the accesses that it and
 * its body make, if every loop has as many iterations as its variable has values. In a loop that is
 * being executed, iterations have equal shares of its weight. Where loops have other counts each
 * time, shares are not exact, but they never go back.
 */
#include <math.h>

#include "trace/state.h"

/* The step after the construct that begins at a step, or after the step. */
static uint32_t find_end(const step_program *p, uint32_t at)
{
    const step *s = &p->step[at];
    const bool has_body = s->kind == STEP_LOOP || s->kind == STEP_ROW || s->kind == STEP_REGION ||
                          s->kind == STEP_FORK;
    return has_body ? s->target : at + 1;
}

static double sum_weights(const step_program *p, uint32_t from, uint32_t to)
{
    double sum = 0;
    for (; from < to; from = find_end(p, from))
        sum += p->step[from].weight;
    return sum;
}

/* How many values the variables of a loop and of those collapsed with it have at most. */
static double count_values(const plussi_bound_node *loop, uint32_t levels)
{
    double values = 1;
    for (; levels > 0; levels--, loop = levels ? loop->body[0] : loop) {
        const plussi_interval range = loop->u.loop.range;
        const double wide = (double)range.hi - (double)range.lo;
        values *= floor(wide / fabs((double)loop->u.loop.step)) + 1;
    }
    return values;
}

void plussi_program_weigh(const plussi_bound *bound, step_program *p)
{
    const double team = bound->max_team;
    for (size_t i = p->n_steps; i-- > 0;) {
        step *s = &p->step[i];
        const double body = sum_weights(p, (uint32_t)i + 1, find_end(p, (uint32_t)i));
        s->weight = 1 + body;
        if (s->kind == STEP_REFS || s->kind == STEP_ROW_FLAT)
            s->weight = s->n;
        else if (s->kind == STEP_FLAT)
            s->weight = s->n * count_values(s->node, 1);
        else if (s->kind == STEP_LOOP)
            s->weight = body * count_values(s->node, 1);
        else if (s->kind == STEP_ROW)
            s->weight = body * count_values(s->node, s->levels) / team;
        else if (s->kind == STEP_REGION)
            s->weight = body * (double)s->repeat;
        else if (s->kind == STEP_FORK)
            s->weight = body * team;
    }
}

static double find_done(plussi_walk *w, const walk_thread *t, uint32_t from, uint32_t to);

/* What share of the body from `from` to `to` a thread in it has done. */
static double find_share(plussi_walk *w, const walk_thread *t, uint32_t from, uint32_t to)
{
    const double all = sum_weights(&w->program, from, to);
    return all > 0 ? find_done(w, t, from, to) / all : 0;
}

/* What share of a loop's iterations a thread has done; body: what share of the current one. */
static double find_loop_share(plussi_walk *w, const walk_thread *t, const step *s, double body)
{
    int64_t lo;
    uint64_t trips;
    if (!plussi_walk_trips(w, s->node, t->iv, &lo, &trips) || trips == 0)
        return 0;
    const double left =
        s->kind == STEP_FLAT ? (double)t->left : (double)t->rest[s->node->u.loop.slot] + 1;
    return ((double)trips - left + body) / (double)trips;
}

/* The same of a worksharing loop; row: iterations of its row that are left. */
static double find_row_share(plussi_walk *w, const walk_thread *t, const step *s, uint64_t row,
                             double body)
{
    const plussi_schedule_kind kind = s->node->u.loop.schedule.kind;
    uint64_t taken = t->position, all = t->count;
    if (kind == PLUSSI_SCHED_DYNAMIC || kind == PLUSSI_SCHED_GUIDED) {
        const plussi_dispatch *dispatch = &plussi_pool_find(w, t->encounter)->dispatch;
        taken = dispatch->next;
        all = dispatch->n;
    }
    if (all == 0)
        return 0;
    return ((double)taken - (double)(t->end - t->next) - (double)row + body) / (double)all;
}

/* The team's in its region; who has not begun has done nothing, who is not needed all. */
static double find_team_done(plussi_walk *w, uint32_t from, uint32_t to)
{
    double done = (double)(w->team - w->active) * sum_weights(&w->program, from, to);
    for (uint32_t k = 0; k < w->active; k++)
        if (w->thread[k].seen >= w->fork_epoch)
            done += find_done(w, &w->thread[k], from, to);
    return done;
}

/* The share of the step that a thread is at, or in the body of. */
static double find_step_share(plussi_walk *w, const walk_thread *t, uint32_t at)
{
    const step_program *p = &w->program;
    const step *s = &p->step[at];
    const uint32_t end = find_end(p, at);
    const bool in_body = t->step > at;
    switch (s->kind) {
    case STEP_FLAT:
        return t->inside ? find_loop_share(w, t, s, 0) : 0;
    case STEP_LOOP:
        return in_body ? find_loop_share(w, t, s, find_share(w, t, at + 1, end)) : 0;
    case STEP_ROW: {
        const bool flat = p->step[at + 1].kind == STEP_ROW_FLAT;
        const uint64_t row = !in_body ? 0 : flat && t->inside ? t->left : t->row_left;
        const double body = in_body && !flat ? find_share(w, t, at + 1, end) : 0;
        return find_row_share(w, t, s, row, body);
    }
    case STEP_REGION:
        return in_body ? ((double)w->repetition + find_share(w, t, at + 1, end)) / (double)s->repeat
                       : 0;
    case STEP_FORK: {
        const double all = w->team * sum_weights(p, at + 1, end);
        return w->parallel && all > 0 ? find_team_done(w, at + 1, end) / all : 0;
    }
    default:
        return 0;
    }
}

/* The weight of what a thread has done of the steps from `from` to `to`, one of which it is at. */
static double find_done(plussi_walk *w, const walk_thread *t, uint32_t from, uint32_t to)
{
    double done = 0;
    for (uint32_t at = from, next; at < to; at = next) {
        next = find_end(&w->program, at);
        if (t->step < next)
            return done + w->program.step[at].weight * find_step_share(w, t, at);
        done += w->program.step[at].weight;
    }
    return done;
}

double plussi_walk_done(plussi_walk *w)
{
    const uint32_t n = (uint32_t)w->program.n_steps;
    const double all = sum_weights(&w->program, 0, n);
    if (w->ended || !(all > 0))
        return w->ended ? 1 : 0;
    return fmin(find_done(w, &w->serial, 0, n) / all, 1);
}
