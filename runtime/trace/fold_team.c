/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_team_state.h"

#include <inttypes.h>
#include <string.h>

#include "base/map.h"

PLUSSI_NUMBER_MAP(known, plussi_team_slot, pc, site)

/* ---- events and their sites --------------------------------------------------------------------
 */

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

/* As it was read, by thread 0. */
static plussi_event give_event(const plussi_team_reader *r, const plussi_kept *event)
{
    uint64_t site =
        plussi_kept_is_chunk(event) ? event->address + event->site : r->sites->site[event->site].pc;
    return (plussi_event){event->address, site, 0, event->bytes, event->kind};
}

uint32_t plussi_team_count(const plussi_team_phase *phase, uint32_t thread)
{
    return phase->reader->member[thread].n;
}

plussi_event plussi_team_event(const plussi_team_phase *phase, uint32_t thread, uint32_t i)
{
    return give_event(phase->reader,
                      plussi_team_kept(phase->reader, phase->reader->first[thread] + i));
}

/* ---- a phase -----------------------------------------------------------------------------------
 */

pluss_status plussi_team_refuse(const plussi_team_reader *r, const char *why)
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
        r->first[t] = (uint32_t)r->n_blocks * PLUSSI_TEAM_BLOCK;
        for (plussi_kept_block *b = r->member[t].first; b; b = b->next) {
            if (plussi_grow(&r->ctx->mem, &r->block, &r->cap_blocks, r->n_blocks,
                            sizeof(plussi_kept_block *)))
                return PLUSS_ENOMEM;
            r->block[r->n_blocks++] = b;
        }
    }
    return PLUSS_OK;
}

/* The phase's events are no longer kept. */
static void drop_events(plussi_team_reader *r)
{
    for (uint32_t t = 0; t < r->threads; t++) {
        plussi_member *m = &r->member[t];
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

static pluss_status end_phase(plussi_team_reader *r)
{
    if (r->n_kept == 0)
        return PLUSS_OK;
    pluss_status status = number_events(r);
    for (uint32_t t = 0; t < r->threads && !status && r->finds; t++)
        plussi_team_join(r, r->first[t], plussi_team_end(r, t));
    if (!status && r->visit)
        status = r->visit(r->user, &(plussi_team_phase){r, r->threads, r->region, r->dispatched});
    if (!status && !r->finds)
        status = plussi_team_order(r);
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
        const plussi_member *m = &r->member[t];
        if (m->inside)
            return plussi_team_refuse(r, "a thread is still in a region that others have left");
        phase = m->phase > phase ? m->phase : phase;
    }
    pluss_status status = end_phase(r);
    pass_barriers(r, phase);
    r->active = false;
    memset(r->member, 0, r->threads * sizeof *r->member);
    return status;
}

static pluss_status add_block(plussi_team_reader *r, plussi_member *m)
{
    plussi_kept_block *b = r->unused ? r->unused : plussi_alloc(&r->ctx->mem, 1, sizeof *b);
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
    plussi_member *m = &r->member[event->thread];
    plussi_kept *to;
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
    if (!status && m->n % PLUSSI_TEAM_BLOCK == 0)
        status = add_block(r, m);
    if (status)
        return status;
    to = &m->last->event[m->n++ % PLUSSI_TEAM_BLOCK];
    *to = (plussi_kept){event->address, site, event->bytes, event->kind};
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
    plussi_member *m = &r->member[e->thread];
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
            return plussi_team_refuse(
                r, "accesses of other threads than the first outside of regions");
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
            return plussi_team_refuse(r, "regions inside of regions");
        m->entered = m->inside = true;
        m->phase = 0;
        return PLUSS_OK;
    }
    if (!m->inside)
        return plussi_team_refuse(r,
                                  "accesses of a thread that is not in the region of the others");
    if (e->kind == PLUSSI_EVENT_BARRIER) {
        m->phase++;
    } else if (e->kind == PLUSSI_EVENT_LEAVE) {
        m->inside = false;
    } else if (m->phase < r->phase) {
        return plussi_team_refuse(r, "accesses after a barrier that others have passed");
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
        const plussi_stretch *s = &r->stretch[r->at_stretch];
        buf[*n] = give_event(r, plussi_team_kept(r, s->from + r->at_event));
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
    return slot && slot->site ? &r->sites->site[plussi_team_root(r->sites, slot->site - 1)] : NULL;
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

void plussi_team_ask(plussi_team_reader *r, const plussi_ask *ask)
{
    plussi_foreign_ask(r->trace, ask, "fold");
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
    for (plussi_kept_block *b = r->unused, *next; b; b = next) {
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

pluss_status plussi_team_count_threads(plussi_ctx *ctx, const char *path, const plussi_ask *ask,
                                       uint32_t *threads)
{
    plussi_foreign *trace = NULL;
    plussi_event event[256];
    size_t n = 1;
    *threads = 1;
    pluss_status status = plussi_foreign_open(ctx, path, false, &trace);
    if (!status)
        plussi_foreign_ask(trace, ask, "read");
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

pluss_status plussi_team_find(plussi_ctx *ctx, const char *path, const plussi_ask *ask,
                              plussi_team_sites *sites, uint32_t *threads)
{
    plussi_ask_part first, second;
    const plussi_ask counts = plussi_ask_of_part(ask, "fold", 0, 0.5, &first);
    const plussi_ask finds = plussi_ask_of_part(ask, "fold", 0.5, 0.5, &second);
    plussi_team_reader *r = NULL;
    plussi_event event[PLUSSI_EVENTS_LEAST];
    size_t n = 1;
    pluss_status status = plussi_team_count_threads(ctx, path, &counts, threads);
    if (status || *threads == 1)
        return status;
    status = plussi_team_open(ctx, path, sites, *threads, NULL, NULL, &r);
    if (!status) {
        r->finds = true;
        plussi_team_ask(r, &finds);
    }
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
