/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "naive_inner.h"

/* Where a thread is: an item, and in it, if it is a pool, an iteration that it was given. */
typedef struct place {
    size_t item;
    uint64_t at, end; /* iterations */
    size_t access;    /* in iteration `at` */
} place;

struct naive_cursor {
    const naive *n;
    size_t phase;
    place *place;    /* by thread */
    uint64_t *taken; /* by pool: iterations handed out */
};

static void enter(naive_cursor *c)
{
    free(c->place);
    free(c->taken);
    c->place = NULL;
    c->taken = NULL;
    if (c->phase < c->n->n_phases) {
        c->place = naive_cleared(c->n->phase[c->phase].team, sizeof *c->place);
        c->taken = naive_cleared(c->n->phase[c->phase].n_pools, sizeof *c->taken);
    }
}

naive_cursor *naive_start(const naive *n)
{
    naive_cursor *c = naive_cleared(1, sizeof *c);
    c->n = n;
    enter(c);
    return c;
}

/* Hands out the next chunk. false: there is none. */
static bool take(naive_cursor *c, const naive_phase *p, size_t number, place *at)
{
    const naive_pool *pool = &p->pool[number];
    uint64_t left = pool->n - c->taken[number], size = pool->chunk;
    if (left == 0)
        return false;
    if (pool->kind == PLUSSI_SCHED_GUIDED) {
        uint64_t whole = (pool->range - c->taken[number] * pool->step) / pool->step;
        uint64_t fair = whole / p->team + (whole % p->team != 0);
        size = fair > size ? fair : size;
    }
    size = size < left ? size : left;
    at->at = c->taken[number];
    at->end = at->at + size;
    at->access = 0;
    c->taken[number] += size;
    return true;
}

bool naive_next(naive_cursor *c, uint32_t thread, naive_access *out)
{
    if (c->phase >= c->n->n_phases || thread >= c->n->phase[c->phase].team)
        return false;
    const naive_phase *p = &c->n->phase[c->phase];
    const naive_thread *t = &p->thread[thread];
    place *at = &c->place[thread];
    while (at->item < t->n) {
        const naive_item *item = &t->item[at->item];
        if (!item->is_pool) {
            *out = item->access;
            at->item++;
            return true;
        }
        while (at->at < at->end) {
            const naive_list *list = &p->pool[item->pool].body[thread][at->at];
            if (at->access < list->n) {
                *out = list->at[at->access++];
                return true;
            }
            at->at++;
            at->access = 0;
        }
        if (!take(c, p, item->pool, at)) {
            at->at = at->end = 0;
            at->item++;
        }
    }
    return false;
}

bool naive_next_phase(naive_cursor *c)
{
    if (c->phase < c->n->n_phases)
        c->phase++;
    enter(c);
    return c->phase < c->n->n_phases;
}

uint32_t naive_team(const naive_cursor *c)
{
    return c->phase < c->n->n_phases ? c->n->phase[c->phase].team : 0;
}

void naive_stop(naive_cursor *c)
{
    free(c->place);
    free(c->taken);
    free(c);
}

/* ---- distances ---------------------------------------------------------------------------------
 */

uint64_t naive_interval(const uint64_t *line, size_t at)
{
    for (size_t i = at; i-- > 0;)
        if (line[i] == line[at])
            return at - i;
    return 0;
}

uint64_t naive_distance(const uint64_t *line, size_t at)
{
    uint64_t interval = naive_interval(line, at), distance = 0;
    if (interval == 0)
        return UINT64_MAX;
    for (size_t i = at - interval + 1; i < at; i++) {
        bool later = false;
        for (size_t j = i + 1; j < at && !later; j++)
            later = line[j] == line[i];
        distance += !later;
    }
    return distance;
}
