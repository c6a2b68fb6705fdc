/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_team.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

typedef struct plussi_team_slot {
    uint64_t pc;
    uint32_t site; /* + 1; 0: free */
} plussi_team_slot;

enum { BLOCK = 256 }; /* events that are kept together */

PLUSSI_NUMBER_MAP(known, plussi_team_slot, pc, site)

/* A site is of the stretch of its root, whose members the others are. */
typedef struct plussi_team_site {
    uint64_t pc;
    uint32_t parent;    /* union-find */
    bool is_repeated;   /* a thread accesses a site of it more than once in a phase */
    uint32_t rank;      /* in the phase: its place among the stretches */
    uint64_t unit;      /* accesses of an iteration; 0: not known, UINT64_MAX: different */
    uint64_t chunk;     /* accesses of a static schedule's chunk; the same */
    size_t stamp, last; /* the latest phase and thread, and its last event in them */
} plussi_team_site;

/* An access, or the mark of a chunk. */
typedef struct kept {
    uint64_t address;
    uint32_t site; /* its number; of a chunk: how many iterations */
    uint16_t bytes;
    uint8_t kind;
} kept;

typedef struct block {
    struct block *next;
    kept event[BLOCK];
} block;

/* Where a thread is, and its events of the phase. */
typedef struct member {
    bool entered, inside;
    uint64_t phase;
    block *first, *last;
    uint32_t n;
} member;

/* Consecutive events of a thread, of one stretch and one chunk. */
typedef struct stretch {
    uint64_t chunk; /* its first iteration; its number, where it is cut out of a share */
    uint32_t root, rank, thread;
    uint32_t from, to;
    bool is_cut;
} stretch;

struct plussi_team_reader {
    plussi_ctx *ctx;
    char *path;
    plussi_team_sites *sites;
    uint32_t threads;
    plussi_foreign *trace;
    plussi_team_fn visit;
    void *user;
    bool finds; /* stretches are being found: nothing is given */
    plussi_event in[256];
    size_t at, n;
    bool ended;
    member *member; /* by thread */
    bool active;    /* a region is being executed, */
    uint64_t number, region, phase;
    uint32_t n_kept; /* events of the phase */
    bool dispatched; /* with chunks among them */
    block *unused;
    /* all events of the phase, by thread: the numbers of a thread's begin with a block */
    block **block;
    size_t n_blocks, cap_blocks;
    uint32_t *first; /* of a thread */
    uint64_t *done;  /* by a thread */
    stretch *stretch;
    size_t n_stretches, cap_stretches;
    uint32_t *order; /* roots of the phase's stretches */
    size_t n_order, cap_order;
    size_t stamp;
    /* what is to be given: marks before, stretches, marks after */
    plussi_event mark[4];
    size_t n_marks;
    uint64_t barriers;
    size_t at_stretch, at_event;
};

/* ---- sites and their stretches -----------------------------------------------------------------
 */

static uint32_t find_root(plussi_team_sites *sites, uint32_t site)
{
    while (sites->site[site].parent != site)
        site = sites->site[site].parent = sites->site[sites->site[site].parent].parent;
    return site;
}

static pluss_status number_site(plussi_team_reader *r, uint64_t pc, uint32_t *out)
{
    plussi_team_sites *sites = r->sites;
    if (!known_reserve(&r->ctx->mem, &sites->slot, &sites->n_slots, 64, sites->n + 1))
        return PLUSS_ENOMEM;
    plussi_team_slot *slot = known_find(sites->slot, sites->n_slots, pc, pc);
    if (!slot->site) {
        if (sites->n == PLUSSI_TEAM_SITES)
            return plussi_fail(r->ctx, PLUSS_ELIMIT, &(plussi_loc){.file = r->path},
                               "more than %d sites", PLUSSI_TEAM_SITES);
        if (plussi_grow(&r->ctx->mem, &sites->site, &sites->cap, sites->n, sizeof *sites->site))
            return PLUSS_ENOMEM;
        sites->site[sites->n] = (plussi_team_site){.pc = pc, .parent = (uint32_t)sites->n};
        *slot = (plussi_team_slot){pc, (uint32_t)++sites->n};
    }
    *out = slot->site - 1;
    return PLUSS_OK;
}

static const kept *event_at(const plussi_team_reader *r, size_t i)
{
    return &r->block[i / BLOCK]->event[i % BLOCK];
}

static bool is_chunk(const kept *event)
{
    return event->kind == PLUSSI_EVENT_CHUNK;
}

/* As it was read, by thread 0. */
static plussi_event give_event(const plussi_team_reader *r, const kept *event)
{
    uint64_t site = is_chunk(event) ? event->address + event->site : r->sites->site[event->site].pc;
    return (plussi_event){event->address, site, 0, event->bytes, event->kind};
}

uint32_t plussi_team_count(const plussi_team_phase *phase, uint32_t thread)
{
    return phase->reader->member[thread].n;
}

plussi_event plussi_team_event(const plussi_team_phase *phase, uint32_t thread, uint32_t i)
{
    return give_event(phase->reader, event_at(phase->reader, phase->reader->first[thread] + i));
}

/* Joins the stretches that no cut tells apart in events [from, to) of a thread. */
static void join_stretches(plussi_team_reader *r, size_t from, size_t to)
{
    plussi_team_site *site;
    uint32_t root, open = 0;
    size_t end = from; /* of those begun */
    r->stamp++;
    for (size_t i = from; i < to; i++) {
        if (is_chunk(event_at(r, i)))
            continue;
        site = &r->sites->site[find_root(r->sites, event_at(r, i)->site)];
        site->is_repeated = site->is_repeated || site->stamp == r->stamp;
        site->stamp = r->stamp;
        site->last = i;
    }
    for (size_t i = from; i < to; i++) {
        if (is_chunk(event_at(r, i)))
            continue;
        site = r->sites->site;
        root = find_root(r->sites, event_at(r, i)->site);
        if (i >= end)
            open = root;
        end = site[root].last >= end ? site[root].last + 1 : end;
        if (root != open) {
            site[root].parent = open;
            site[open].is_repeated = true;
        }
    }
}

/* ---- a phase -----------------------------------------------------------------------------------
 */

static pluss_status refuse(const plussi_team_reader *r, const char *why)
{
    return plussi_fail(r->ctx, PLUSS_EUNSUPPORTED, &(plussi_loc){.file = r->path},
                       "several threads in an order that regions, barriers and chunks do not "
                       "explain: %s",
                       why);
}

/* Numbers the events by thread; r->first is set. */
static pluss_status number_events(plussi_team_reader *r)
{
    r->n_blocks = 0;
    for (uint32_t t = 0; t < r->threads; t++) {
        r->first[t] = (uint32_t)r->n_blocks * BLOCK;
        for (block *b = r->member[t].first; b; b = b->next) {
            if (plussi_grow(&r->ctx->mem, &r->block, &r->cap_blocks, r->n_blocks, sizeof(block *)))
                return PLUSS_ENOMEM;
            r->block[r->n_blocks++] = b;
        }
    }
    return PLUSS_OK;
}

/* The number after those of a thread's events. */
static uint32_t end_of_thread(const plussi_team_reader *r, uint32_t thread)
{
    return r->first[thread] + r->member[thread].n;
}

/* The phase's events are no longer kept. */
static void drop_events(plussi_team_reader *r)
{
    for (uint32_t t = 0; t < r->threads; t++) {
        member *m = &r->member[t];
        if (m->last) {
            m->last->next = r->unused;
            r->unused = m->first;
        }
        m->first = m->last = NULL;
        m->n = 0;
    }
    r->n_kept = 0;
    r->dispatched = false;
}

static pluss_status add_stretch(plussi_team_reader *r, const stretch *s)
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
    stretch now = {.root = UINT32_MAX, .thread = thread};
    size_t place = 0;
    pluss_status status = PLUSS_OK;
    uint64_t chunk = 0;
    bool begins = true; /* the next access begins a stretch, a chunk's mark is in front of it */
    uint32_t from = r->first[thread];
    for (uint32_t i = from; i < end_of_thread(r, thread) && !status; i++) {
        const kept *event = event_at(r, i);
        if (is_chunk(event)) {
            if (!begins || now.root == UINT32_MAX)
                from = i;
            begins = true;
            chunk = event->address;
            continue;
        }
        uint32_t root = find_root(r->sites, event->site);
        if (root == now.root && !begins) {
            now.to = i + 1;
            continue;
        }
        if (now.to > now.from)
            status = add_stretch(r, &now);
        if (!status && root != now.root)
            status = order_root(r, root, &place);
        now = (stretch){.root = root, .thread = thread, .chunk = chunk, .from = i, .to = i + 1};
        if (begins && i > from && is_chunk(event_at(r, from)))
            now.from = from;
        begins = false;
    }
    return !status && now.to > now.from ? add_stretch(r, &now) : status;
}

static int compare_stretches(const void *x, const void *y)
{
    const stretch *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->chunk != b->chunk)
        return a->chunk < b->chunk ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static bool is_same(const plussi_team_reader *r, const stretch *a, const stretch *b)
{
    if (a->to - a->from != b->to - b->from)
        return false;
    for (size_t i = 0; i < a->to - a->from; i++) {
        const kept *x = event_at(r, a->from + i), *y = event_at(r, b->from + i);
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
        const stretch *s = &r->stretch[i];
        const kept *first = event_at(r, s->from);
        if (!is_chunk(first)) {
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
    const kept *first = event_at(r, from);
    for (uint32_t i = from + 1; i < end; i++) {
        const kept *event = event_at(r, i);
        if (event->site == first->site && event->address == address && event->kind == first->kind)
            return i;
    }
    return end;
}

/* Chunks of thread t's share, the stretch s, each of which begins `step` after the one before; all
 * but the last have `length` accesses (0: not known yet), the last at most as many. Added to the
 * stretches. *n 0: they are not of that kind. */
static pluss_status cut_share(plussi_team_reader *r, const stretch *s, uint64_t step,
                              uint64_t *length, size_t *n)
{
    uint64_t address = event_at(r, s->from)->address;
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
        stretch chunk = *s;
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
    const kept *first = event_at(r, r->stretch[from].from);
    uint64_t step = 0, length = 0;
    bool fits = n == r->threads && n > 1 && !is_chunk(first);
    for (size_t t = 1; t < n && fits; t++) {
        const kept *other = event_at(r, r->stretch[from + t].from);
        step = t == 1 ? other->address - first->address : step;
        fits = step != 0 && r->stretch[from + t].thread == t && other->site == first->site &&
               other->kind == first->kind && other->address == first->address + t * step;
    }
    pluss_status status = PLUSS_OK;
    size_t most = 0, earlier = SIZE_MAX;
    for (size_t t = 0; t < n && fits && !status; t++) {
        const stretch share = r->stretch[from + t]; /* the list may move */
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

static pluss_status order_phase(plussi_team_reader *r)
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
            return refuse(r, "all threads execute the same loop, or the same share of one");
        out = next;
    }
    r->n_stretches = out;
    return PLUSS_OK;
}

static pluss_status end_phase(plussi_team_reader *r)
{
    if (r->n_kept == 0)
        return PLUSS_OK;
    pluss_status status = number_events(r);
    for (uint32_t t = 0; t < r->threads && !status && r->finds; t++)
        join_stretches(r, r->first[t], end_of_thread(r, t));
    if (!status && r->visit)
        status = r->visit(r->user, &(plussi_team_phase){r, r->threads, r->region, r->dispatched});
    if (!status && !r->finds)
        status = order_phase(r);
    drop_events(r);
    return status;
}

/* ---- regions -----------------------------------------------------------------------------------
 */

static void give_mark(plussi_team_reader *r, plussi_event_kind kind, uint64_t address)
{
    if (!r->finds)
        r->mark[r->n_marks++] = (plussi_event){.address = address, .kind = (uint8_t)kind};
}

/* The barriers between the latest phase and this one. */
static void pass_barriers(plussi_team_reader *r, uint64_t phase)
{
    r->barriers += r->finds ? 0 : phase - r->phase;
    r->phase = phase;
}

static pluss_status end_region(plussi_team_reader *r)
{
    uint64_t phase = 0;
    for (uint32_t t = 0; t < r->threads; t++) {
        const member *m = &r->member[t];
        if (m->inside)
            return refuse(r, "a thread is still in a region that others have left");
        phase = m->phase > phase ? m->phase : phase;
    }
    pluss_status status = end_phase(r);
    pass_barriers(r, phase);
    r->active = false;
    memset(r->member, 0, r->threads * sizeof *r->member);
    return status;
}

static pluss_status add_block(plussi_team_reader *r, member *m)
{
    block *b = r->unused ? r->unused : plussi_alloc(&r->ctx->mem, 1, sizeof *b);
    if (!b)
        return PLUSS_ENOMEM;
    r->unused = r->unused ? b->next : NULL;
    b->next = NULL;
    if (m->last)
        m->last->next = b;
    else
        m->first = b;
    m->last = b;
    return PLUSS_OK;
}

static pluss_status keep(plussi_team_reader *r, const plussi_event *event)
{
    if (r->n_kept == PLUSSI_TEAM_EVENTS)
        return plussi_fail(r->ctx, PLUSS_ELIMIT, &(plussi_loc){.file = r->path},
                           "several threads: more than %d accesses between barriers",
                           PLUSSI_TEAM_EVENTS);
    member *m = &r->member[event->thread];
    kept *to;
    uint32_t site = 0;
    pluss_status status = PLUSS_OK;
    if (plussi_event_is_access(event)) {
        status = number_site(r, event->site, &site);
    } else {
        site = (uint32_t)(event->site - event->address);
        if (event->site - event->address > UINT32_MAX)
            status = plussi_fail(r->ctx, PLUSS_ELIMIT, &(plussi_loc){.file = r->path},
                                 "a chunk of more than %" PRIu32 " iterations", UINT32_MAX);
        r->dispatched = true;
    }
    if (!status && m->n % BLOCK == 0)
        status = add_block(r, m);
    if (status)
        return status;
    to = &m->last->event[m->n++ % BLOCK];
    *to = (kept){event->address, site, event->bytes, event->kind};
    r->n_kept++;
    return PLUSS_OK;
}

/* Whether something is to be given before the next event is taken. */
static bool is_pending(const plussi_team_reader *r)
{
    return r->n_marks > 0 || r->barriers > 0 || r->at_stretch < r->n_stretches;
}

/* Takes an event; *again: not yet, what was before is to be given. */
static pluss_status take(plussi_team_reader *r, const plussi_event *e, bool *again)
{
    member *m = &r->member[e->thread];
    *again = false;
    if (r->active && !m->inside && m->entered &&
        (e->kind == PLUSSI_EVENT_REGION || e->thread == 0)) {
        *again = true;
        pluss_status status = end_region(r);
        give_mark(r, PLUSSI_EVENT_LEAVE, 0);
        return status;
    }
    if (!r->active && e->kind != PLUSSI_EVENT_REGION) {
        if (e->thread != 0)
            return refuse(r, "accesses of other threads than the first outside of regions");
        if (!r->finds)
            r->mark[r->n_marks++] = *e;
        return PLUSS_OK;
    }
    if (!r->active) {
        r->active = true;
        r->number = e->address;
        r->region++;
        r->phase = 0;
        give_mark(r, PLUSSI_EVENT_REGION, e->address);
    }
    if (e->kind == PLUSSI_EVENT_REGION) {
        if (m->inside || e->address != r->number)
            return refuse(r, "regions inside of regions");
        m->entered = m->inside = true;
        m->phase = 0;
        return PLUSS_OK;
    }
    if (!m->inside)
        return refuse(r, "accesses of a thread that is not in the region of the others");
    if (e->kind == PLUSSI_EVENT_BARRIER) {
        m->phase++;
    } else if (e->kind == PLUSSI_EVENT_LEAVE) {
        m->inside = false;
    } else if (m->phase < r->phase) {
        return refuse(r, "accesses after a barrier that others have passed");
    } else if (m->phase > r->phase) {
        *again = true;
        pluss_status status = end_phase(r);
        pass_barriers(r, m->phase);
        return status;
    } else {
        return keep(r, e);
    }
    return PLUSS_OK;
}

/* ---- reading -----------------------------------------------------------------------------------
 */

/* Gives what is pending, in the order: the beginning of a region or serial accesses; stretches;
 * barriers; the end of a region. */
static void give(plussi_team_reader *r, plussi_event *buf, size_t cap, size_t *n)
{
    bool leaves = r->n_marks > 0 && r->mark[0].kind == PLUSSI_EVENT_LEAVE;
    for (size_t i = 0; i < r->n_marks && !leaves; i++)
        buf[(*n)++] = r->mark[i];
    if (!leaves)
        r->n_marks = 0;
    for (; r->at_stretch < r->n_stretches && *n < cap; (*n)++) {
        const stretch *s = &r->stretch[r->at_stretch];
        buf[*n] = give_event(r, event_at(r, s->from + r->at_event));
        if (++r->at_event == s->to - s->from) {
            r->at_event = 0;
            r->at_stretch++;
        }
    }
    if (r->at_stretch < r->n_stretches)
        return;
    r->n_stretches = r->at_stretch = 0;
    for (; r->barriers > 0 && *n < cap; r->barriers--)
        buf[(*n)++] = (plussi_event){.kind = PLUSSI_EVENT_BARRIER};
    if (r->barriers == 0 && leaves && *n < cap) {
        buf[(*n)++] = r->mark[0];
        r->n_marks = 0;
    }
}

pluss_status plussi_team_next(plussi_team_reader *r, plussi_event *buf, size_t cap, size_t *n)
{
    pluss_status status = PLUSS_OK;
    *n = 0;
    if (r->threads == 1)
        return plussi_foreign_next(r->trace, buf, cap, n);
    while (!status && *n + 1 < cap) {
        if (is_pending(r)) {
            give(r, buf, cap, n);
            continue;
        }
        if (r->at == r->n) {
            r->at = r->n = 0;
            status = r->ended ? PLUSS_OK : plussi_foreign_next(r->trace, r->in, 256, &r->n);
            if (!status && r->n == 0) {
                if (!r->active)
                    return PLUSS_OK;
                r->ended = true;
                status = end_region(r);
                give_mark(r, PLUSSI_EVENT_LEAVE, 0);
            }
            continue;
        }
        bool again;
        status = take(r, &r->in[r->at], &again);
        r->at += !again;
    }
    return status;
}

static const plussi_team_site *find_site(const plussi_team_reader *r, uint64_t pc)
{
    const plussi_team_slot *slot = known_find(r->sites->slot, r->sites->n_slots, pc, pc);
    return slot && slot->site ? &r->sites->site[find_root(r->sites, slot->site - 1)] : NULL;
}

uint64_t plussi_team_unit(const plussi_team_reader *r, uint64_t site)
{
    const plussi_team_site *of = find_site(r, site);
    return !of || of->unit == UINT64_MAX ? 0 : of->unit;
}

uint64_t plussi_team_chunk(const plussi_team_reader *r, uint64_t site)
{
    const plussi_team_site *of = find_site(r, site);
    return !of || of->chunk == UINT64_MAX ? 0 : of->chunk;
}

pluss_status plussi_team_open(plussi_ctx *ctx, const char *path, plussi_team_sites *sites,
                              uint32_t threads, plussi_team_fn visit, void *user,
                              plussi_team_reader **out)
{
    plussi_team_reader *r = plussi_calloc(&ctx->mem, 1, sizeof *r);
    if (!r)
        return PLUSS_ENOMEM;
    *r = (plussi_team_reader){
        .ctx = ctx, .sites = sites, .threads = threads, .visit = visit, .user = user};
    r->path = plussi_strndup(&ctx->mem, path, strlen(path));
    r->member = plussi_calloc(&ctx->mem, threads, sizeof *r->member);
    for (size_t i = 0; i < sites->n; i++)
        sites->site[i].unit = sites->site[i].chunk = 0;
    r->done = plussi_calloc(&ctx->mem, threads, sizeof *r->done);
    r->first = plussi_calloc(&ctx->mem, threads, sizeof *r->first);
    pluss_status status = r->path && r->member && r->first && r->done
                              ? plussi_foreign_open(ctx, path, false, &r->trace)
                              : PLUSS_ENOMEM;
    if (status)
        plussi_team_close(r);
    else
        *out = r;
    return status;
}

void plussi_team_close(plussi_team_reader *r)
{
    if (!r)
        return;
    const plussi_mem *mem = &r->ctx->mem;
    plussi_foreign_close(r->trace);
    plussi_free(mem, r->path);
    if (r->member)
        drop_events(r);
    for (block *b = r->unused, *next; b; b = next) {
        next = b->next;
        plussi_free(mem, b);
    }
    plussi_free(mem, r->member);
    plussi_free(mem, r->first);
    plussi_free(mem, r->done);
    plussi_free(mem, r->block);
    plussi_free(mem, r->stretch);
    plussi_free(mem, r->order);
    plussi_free(mem, r);
}

/* ---- what is known of a trace ------------------------------------------------------------------
 */

pluss_status plussi_team_count_threads(plussi_ctx *ctx, const char *path, uint32_t *threads)
{
    plussi_foreign *trace = NULL;
    plussi_event event[256];
    size_t n = 1;
    *threads = 1;
    pluss_status status = plussi_foreign_open(ctx, path, false, &trace);
    while (!status && n > 0) {
        status = plussi_foreign_next(trace, event, 256, &n);
        for (size_t i = 0; i < n && !status; i++)
            if (event[i].thread >= *threads)
                *threads = event[i].thread + 1;
    }
    plussi_foreign_close(trace);
    return !status && *threads > PLUSSI_TEAM_THREADS
               ? plussi_fail(ctx, PLUSS_ELIMIT, &(plussi_loc){.file = path}, "more than %d threads",
                             PLUSSI_TEAM_THREADS)
               : status;
}

pluss_status plussi_team_find(plussi_ctx *ctx, const char *path, plussi_team_sites *sites,
                              uint32_t *threads)
{
    plussi_team_reader *r = NULL;
    plussi_event event[PLUSSI_EVENTS_LEAST];
    size_t n = 1;
    pluss_status status = plussi_team_count_threads(ctx, path, threads);
    if (status || *threads == 1)
        return status;
    status = plussi_team_open(ctx, path, sites, *threads, NULL, NULL, &r);
    if (!status)
        r->finds = true;
    while (!status && n > 0)
        status = plussi_team_next(r, event, PLUSSI_EVENTS_LEAST, &n);
    plussi_team_close(r);
    return status;
}

void plussi_team_clear(const plussi_mem *mem, plussi_team_sites *sites)
{
    plussi_free(mem, sites->slot);
    plussi_free(mem, sites->site);
}
