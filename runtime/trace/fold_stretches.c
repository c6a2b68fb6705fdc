/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stretches of a phase of several threads.
 */
#include "trace/fold_team_state.h"

#include <stdlib.h>
#include <string.h>

void plussi_team_join(plussi_team_reader *r, size_t from, size_t to)
{
    plussi_team_site *site;
    uint32_t root, open = 0;
    size_t end = from; /* of those begun */
    r->stamp++;
    for (size_t i = from; i < to; i++) {
        if (plussi_kept_is_chunk(plussi_team_kept(r, i)))
            continue;
        site = &r->sites->site[plussi_team_root(r->sites, plussi_team_kept(r, i)->site)];
        site->is_repeated = site->is_repeated || site->stamp == r->stamp;
        site->stamp = r->stamp;
        site->last = i;
    }
    for (size_t i = from; i < to; i++) {
        if (plussi_kept_is_chunk(plussi_team_kept(r, i)))
            continue;
        site = r->sites->site;
        root = plussi_team_root(r->sites, plussi_team_kept(r, i)->site);
        if (i >= end)
            open = root;
        end = site[root].last >= end ? site[root].last + 1 : end;
        if (root != open) {
            site[root].parent = open;
            site[open].is_repeated = true;
        }
    }
}

static pluss_status add_stretch(plussi_team_reader *r, const plussi_stretch *s)
{
    if (r->n_stretches == PLUSSI_TEAM_STRETCHES)
        return plussi_fail(r->ctx, PLUSS_ELIMIT, &(plussi_loc){.file = r->path},
                           "several threads: more than %d chunks between barriers",
                           PLUSSI_TEAM_STRETCHES);
    pluss_status status = plussi_grow(&r->ctx->mem, &r->stretch, &r->cap_stretches, r->n_stretches,
                                      sizeof *r->stretch);
    if (!status)
        r->stretch[r->n_stretches++] = *s;
    return status;
}

/* Puts a root into the order, after what is at `*place`, if it is not there yet. */
static pluss_status order_root(plussi_team_reader *r, uint32_t root, size_t *place)
{
    for (size_t i = 0; i < r->n_order; i++)
        if (r->order[i] == root) {
            *place = i + 1;
            return PLUSS_OK;
        }
    if (plussi_grow(&r->ctx->mem, &r->order, &r->cap_order, r->n_order, sizeof *r->order))
        return PLUSS_ENOMEM;
    memmove(&r->order[*place + 1], &r->order[*place], (r->n_order - *place) * sizeof *r->order);
    r->order[(*place)++] = root;
    r->n_order++;
    return PLUSS_OK;
}

/* The stretches of a thread, and their places in the order of all. */
static pluss_status cut_thread(plussi_team_reader *r, uint32_t thread)
{
    plussi_stretch now = {.root = UINT32_MAX, .thread = thread};
    size_t place = 0;
    pluss_status status = PLUSS_OK;
    uint64_t chunk = 0;
    bool begins = true; /* the next access begins a stretch, a chunk's mark is in front of it */
    uint32_t from = r->first[thread];
    for (uint32_t i = from; i < plussi_team_end(r, thread) && !status; i++) {
        const plussi_kept *event = plussi_team_kept(r, i);
        if (plussi_kept_is_chunk(event)) {
            if (!begins || now.root == UINT32_MAX)
                from = i;
            begins = true;
            chunk = event->address;
            continue;
        }
        uint32_t root = plussi_team_root(r->sites, event->site);
        if (root == now.root && !begins) {
            now.to = i + 1;
            continue;
        }
        if (now.to > now.from)
            status = add_stretch(r, &now);
        if (!status && root != now.root)
            status = order_root(r, root, &place);
        now = (plussi_stretch){
            .root = root, .thread = thread, .chunk = chunk, .from = i, .to = i + 1};
        if (begins && i > from && plussi_kept_is_chunk(plussi_team_kept(r, from)))
            now.from = from;
        begins = false;
    }
    return !status && now.to > now.from ? add_stretch(r, &now) : status;
}

static int compare_stretches(const void *x, const void *y)
{
    const plussi_stretch *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->chunk != b->chunk)
        return a->chunk < b->chunk ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static bool is_same(const plussi_team_reader *r, const plussi_stretch *a, const plussi_stretch *b)
{
    if (a->to - a->from != b->to - b->from)
        return false;
    for (size_t i = 0; i < a->to - a->from; i++) {
        const plussi_kept *x = plussi_team_kept(r, a->from + i),
                          *y = plussi_team_kept(r, b->from + i);
        if (x->address != y->address || x->site != y->site || x->kind != y->kind ||
            x->bytes != y->bytes)
            return false;
    }
    return true;
}

/* Of stretches [from, to), which are of one place, those that all threads execute alike are taken
 * once. */
static size_t take_once(plussi_team_reader *r, size_t from, size_t to, size_t out)
{
    bool alike = to - from > 1;
    for (size_t i = from + 1; i < to && alike; i++)
        alike = r->stretch[i].thread != r->stretch[i - 1].thread &&
                is_same(r, &r->stretch[from], &r->stretch[i]);
    if (r->sites->site[r->stretch[from].root].is_repeated && to - from < r->threads)
        alike = false;
    for (size_t i = from; i < (alike ? from + 1 : to); i++)
        r->stretch[out++] = r->stretch[i];
    return out;
}

/* Takes into account how many accesses an iteration has, as stretches [from, to), which are of one
 * loop, tell. */
static void find_unit(plussi_team_reader *r, size_t from, size_t to)
{
    plussi_team_site *root = &r->sites->site[r->stretch[from].root];
    uint64_t unit = 0, least = UINT64_MAX, most = 0;
    memset(r->done, 0, r->threads * sizeof *r->done);
    for (size_t i = from; i < to; i++) {
        const plussi_stretch *s = &r->stretch[i];
        const plussi_kept *first = plussi_team_kept(r, s->from);
        if (!plussi_kept_is_chunk(first)) {
            r->done[s->thread] += s->to - s->from;
            continue;
        }
        uint64_t iterations = first->site, n = s->to - s->from - 1;
        bool fits = iterations > 0 && n % iterations == 0 && (unit == 0 || unit == n / iterations);
        unit = fits ? n / iterations : UINT64_MAX;
    }
    for (uint32_t t = 0; t < r->threads; t++) {
        least = r->done[t] < least ? r->done[t] : least;
        most = r->done[t] > most ? r->done[t] : most;
    }
    if (unit == 0)
        unit = most - least;
    for (uint32_t t = 0; t < r->threads && unit == most - least; t++)
        if (r->done[t] != least && r->done[t] != most)
            unit = UINT64_MAX;
    if (unit > 0)
        root->unit = root->unit == 0 || root->unit == unit ? unit : UINT64_MAX;
}

/* ---- static schedules with chunks ---------------------------------------------------------------
 * Thread t has the chunks t, T + t, 2 T + t, ... of a loop, which nothing marks. Their first
 * accesses are of one site and their addresses in arithmetic progression, and all but the last have
 * as many accesses. */

/* Where a chunk of the stretch that begins at `from` ends: before the next access, up to `end`,
 * that is as the first one and at this address. */
static uint32_t find_next_chunk(const plussi_team_reader *r, uint32_t from, uint32_t end,
                                uint64_t address)
{
    const plussi_kept *first = plussi_team_kept(r, from);
    for (uint32_t i = from + 1; i < end; i++) {
        const plussi_kept *event = plussi_team_kept(r, i);
        if (event->site == first->site && event->address == address && event->kind == first->kind)
            return i;
    }
    return end;
}

/* Chunks of thread t's share, the stretch s, each of which begins `step` after the one before; all
 * but the last have `length` accesses (0: not known yet), the last at most as many. Added to the
 * stretches. *n 0: they are not of that kind. */
static pluss_status cut_share(plussi_team_reader *r, const plussi_stretch *s, uint64_t step,
                              uint64_t *length, size_t *n)
{
    uint64_t address = plussi_team_kept(r, s->from)->address;
    pluss_status status = PLUSS_OK;
    *n = 0;
    for (uint32_t at = s->from, next; at < s->to && !status; at = next, ++*n) {
        next = find_next_chunk(r, at, s->to, address += step);
        if (*length == 0)
            *length = next - at;
        if (next - at > *length || (next < s->to && next - at < *length)) {
            *n = 0;
            break;
        }
        plussi_stretch chunk = *s;
        chunk.is_cut = true;
        chunk.chunk = *n * r->threads + s->thread;
        chunk.from = at;
        chunk.to = next;
        status = add_stretch(r, &chunk);
    }
    return status;
}

/* Cuts stretches [from, to), each thread's share of one loop, into chunks, if a static schedule
 * with chunks explains them: they are then empty, and the chunks are stretches after all others. */
static pluss_status cut_chunks(plussi_team_reader *r, size_t from, size_t to)
{
    const size_t n = to - from, before = r->n_stretches;
    const plussi_kept *first = plussi_team_kept(r, r->stretch[from].from);
    uint64_t step = 0, length = 0;
    bool fits = n == r->threads && n > 1 && !plussi_kept_is_chunk(first);
    for (size_t t = 1; t < n && fits; t++) {
        const plussi_kept *other = plussi_team_kept(r, r->stretch[from + t].from);
        step = t == 1 ? other->address - first->address : step;
        fits = step != 0 && r->stretch[from + t].thread == t && other->site == first->site &&
               other->kind == first->kind && other->address == first->address + t * step;
    }
    pluss_status status = PLUSS_OK;
    size_t most = 0, earlier = SIZE_MAX;
    for (size_t t = 0; t < n && fits && !status; t++) {
        const plussi_stretch share = r->stretch[from + t]; /* the list may move */
        size_t chunks = 0;
        status = cut_share(r, &share, n * step, &length, &chunks);
        most = t == 0 ? chunks : most;
        fits = most > 1 && chunks > 0 && chunks <= earlier && chunks + 1 >= most;
        earlier = chunks;
    }
    r->sites->may_cut = r->sites->may_cut || (fits && !status);
    if (status || !fits || !r->sites->cuts) {
        r->n_stretches = before;
        return status;
    }
    plussi_team_site *root = &r->sites->site[r->stretch[from].root];
    root->chunk = root->chunk == 0 || root->chunk == length ? length : UINT64_MAX;
    for (size_t i = from; i < to; i++)
        r->stretch[i].to = r->stretch[i].from;
    return PLUSS_OK;
}

static void sort_stretches(plussi_team_reader *r)
{
    if (r->n_stretches > 1)
        qsort(r->stretch, r->n_stretches, sizeof *r->stretch, compare_stretches);
}

/* Cuts what static schedules with chunks explain, and sorts anew. */
static pluss_status cut_static_chunks(plussi_team_reader *r)
{
    const size_t all = r->n_stretches;
    size_t left = 0;
    pluss_status status = PLUSS_OK;
    for (size_t from = 0, to; from < all && !status; from = to) {
        for (to = from + 1; to < all && r->stretch[to].rank == r->stretch[from].rank;)
            to++;
        if (r->sites->site[r->stretch[from].root].is_repeated)
            status = cut_chunks(r, from, to);
    }
    if (status || r->n_stretches == all)
        return status;
    for (size_t i = 0; i < r->n_stretches; i++)
        if (r->stretch[i].to > r->stretch[i].from)
            r->stretch[left++] = r->stretch[i];
    r->n_stretches = left;
    sort_stretches(r);
    return PLUSS_OK;
}

pluss_status plussi_team_order(plussi_team_reader *r)
{
    pluss_status status = PLUSS_OK;
    r->n_stretches = r->n_order = 0;
    for (uint32_t t = 0; t < r->threads && !status; t++)
        status = cut_thread(r, t);
    if (status)
        return status;
    for (size_t i = 0; i < r->n_order; i++)
        r->sites->site[r->order[i]].rank = (uint32_t)i;
    for (size_t i = 0; i < r->n_stretches; i++)
        r->stretch[i].rank = r->sites->site[r->stretch[i].root].rank;
    sort_stretches(r);
    status = cut_static_chunks(r);
    if (status)
        return status;
    size_t out = 0;
    for (size_t from = 0, to; from < r->n_stretches; from = to) {
        for (to = from + 1; to < r->n_stretches && r->stretch[to].rank == r->stretch[from].rank;)
            to++;
        bool is_loop = r->sites->site[r->stretch[from].root].is_repeated;
        if (is_loop && !r->stretch[from].is_cut)
            find_unit(r, from, to);
        size_t next = take_once(r, from, to, out);
        if (is_loop && next - out < to - from)
            return plussi_team_refuse(
                r, "all threads execute the same loop, or the same share of one");
        out = next;
    }
    r->n_stretches = out;
    return PLUSS_OK;
}
