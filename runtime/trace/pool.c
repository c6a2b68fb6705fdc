/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every thread of a team meets the same worksharing constructs in the same order, so that number n
 * of a phase is the same for all. With nowait some threads are ahead of others: a pool exists from
 * the first thread that meets it to the last one that leaves it.
 */
#include <string.h>

#include "trace/state.h"

static void drop_pool(walk_pool *pool)
{
    if (pool->stolen)
        plussi_itersets_free(&pool->sets);
    pool->stolen = false;
}

walk_pool *plussi_pool_find(plussi_walk *w, uint64_t encounter)
{
    return &w->pool[w->first_pool + (size_t)(encounter - w->first_encounter)];
}

/* Makes room at the end of the queue; moves it to the front if half of it is unused. */
static pluss_status make_room(plussi_walk *w)
{
    if (w->first_pool > 0 && w->first_pool >= w->n_pools / 2) {
        size_t n = w->n_pools - w->first_pool;
        if (n)
            memmove(w->pool, w->pool + w->first_pool, n * sizeof *w->pool);
        w->n_pools = n;
        w->first_pool = 0;
    }
    return plussi_grow(&w->ctx->mem, &w->pool, &w->cap_pools, w->n_pools, sizeof *w->pool);
}

walk_pool *plussi_pool_meet(plussi_walk *w, walk_thread *t, uint32_t at, bool *is_new)
{
    t->encounter = t->n_encounters++;
    *is_new = t->encounter == w->first_encounter + (w->n_pools - w->first_pool);
    if (*is_new) {
        if (make_room(w)) {
            plussi_walk_fail(w, NULL, PLUSS_ENOMEM, NULL);
            return NULL;
        }
        w->pool[w->n_pools++] = (walk_pool){.step = at};
    }
    walk_pool *pool = plussi_pool_find(w, t->encounter);
    if (pool->step != at) {
        plussi_walk_fail(w, w->program.step[at].node, PLUSS_EINVALID,
                         "the threads of a team do not all reach the same worksharing constructs");
        return NULL;
    }
    return pool;
}

void plussi_pool_pass(plussi_walk *w, uint64_t encounter)
{
    plussi_pool_find(w, encounter)->passed++;
    while (w->first_pool < w->n_pools && w->pool[w->first_pool].passed == w->team) {
        drop_pool(&w->pool[w->first_pool++]);
        w->first_encounter++;
    }
}

void plussi_pool_clear(plussi_walk *w)
{
    while (w->first_pool < w->n_pools)
        drop_pool(&w->pool[w->first_pool++]);
    w->first_pool = w->n_pools = 0;
    w->first_encounter = 0;
}
