/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cache after another one sees what the other misses: its lines are as young as their latest miss
 * there. What a cache of one thread holds is asked of the thread's own sequence; docs/models.md,
 * "Sets and ways".
 */
#include "base/arith.h"
#include "model/clock_state.h"
#include "sampler/set_lines.h"

/* Accesses of the thread strictly between two of its accesses. */
typedef struct window {
    const plussi_cursor *from, *to;
} window;

typedef struct filter {
    plussi_clock_run *run;
    const plussi_cache_shape *shape;
    uint32_t thread, queries;
} filter;

typedef enum what {
    TOUCHED, /* all that the level's cache uses if it sees all accesses */
    BROUGHT, /* what the level before misses, or evicts written */
    EVICTED  /* what the level before evicts: an exclusive level gets that */
} what;

/* Lines of a set, other than `line`, that come to a level in a window, until they are `most`. */
typedef struct set_search {
    filter *f;
    uint32_t level;
    what what;
    uint64_t line, most;
    window window;
    uint64_t *met;              /* one of them; or NULL */
    const plussi_cursor *since; /* EVICTED: since then, in the window */
    uint64_t found;
} set_search;

static bool is_over(const set_search *h)
{
    return h->found >= h->most || h->f->queries >= PLUSSI_CLOCK_MOST_QUERIES;
}

/* The latest touch of the line before `at`, and after `from` if that is not NULL. */
static bool look_back(filter *f, const plussi_cursor *at, uint64_t line, const plussi_cursor *from,
                      plussi_cursor *out)
{
    f->queries++;
    return plussi_engine_prev(f->run->workspace, at, line, from, out);
}

static uint64_t rank_of(const filter *f, const plussi_cursor *cursor)
{
    return plussi_clock_rank_of(f->run, cursor);
}

static bool keeps(filter *f, uint32_t level, uint64_t line, window w);
static bool is_requested(filter *f, uint32_t level, uint64_t line, window w);
static bool writes_back(filter *f, uint32_t level, uint64_t line, window w);
static bool is_evicted(filter *f, uint32_t level, uint64_t line, window w, plussi_cursor *last);
static plussi_cursor find_eviction(filter *f, uint32_t level, uint64_t line,
                                   const plussi_cursor *touch, const plussi_cursor *to);

static bool is_write(const filter *f, const plussi_cursor *at)
{
    return plussi_engine_ref(f->run->engine, at->leaf)->u.ref.write;
}

/* ---- what a cache holds -----------------------------------------------------------------------
 */

static void find(set_search *h, uint64_t line)
{
    h->found++;
    if (h->met)
        plussi_clock_meet(h->met, line);
}

/* Some of the latest touches of the line reads it: else writes that miss do not bring it to a cache
 * that does not allocate for them. */
static bool is_read(filter *f, uint64_t line, plussi_cursor at)
{
    enum { CHAIN = 16 };
    for (int i = 0; i < CHAIN && is_write(f, &at); i++)
        if (!look_back(f, &at, line, NULL, &at))
            return false;
    return !is_write(f, &at);
}

/* touched: it is known that the window touches the line. */
static bool comes(const set_search *h, uint64_t line, bool touched)
{
    filter *f = h->f;
    plussi_cursor touch;
    if (touched && h->what == TOUCHED && !f->shape->no_write_allocate)
        return true;
    if (h->what == EVICTED)
        return is_evicted(f, h->level - 1, line, (window){h->since, h->window.to}, &touch);
    if (h->what == BROUGHT)
        return is_requested(f, h->level, line, h->window) ||
               (!f->shape[h->level].no_write_allocate &&
                writes_back(f, h->level - 1, line, h->window));
    return look_back(f, h->window.to, line, h->window.from, &touch) &&
           (h->level > 0 || !f->shape->no_write_allocate || is_read(f, line, touch));
}

static bool look_at(void *user, uint64_t line, bool sure)
{
    set_search *h = user;
    if (line != h->line && plussi_clock_lines_add(h->f->run->set_lines[h->level], line, 0) &&
        comes(h, line, sure))
        find(h, line);
    return !is_over(h);
}

/* Goes through the accesses of a short window; false: it is a long one. */
static bool list(set_search *h)
{
    enum { SHORT = 48 };
    plussi_clock_run *run = h->f->run;
    const plussi_cursor *to = h->window.to;
    const uint64_t sets = h->f->shape[h->level].sets;
    plussi_cursor at = *h->window.from;
    for (int n = 0; n < SHORT && plussi_engine_follow(run->engine, &at); n++) {
        if (at.leaf == to->leaf && plussi_engine_order(run->workspace, &at, to) == 0)
            return true;
        uint64_t line = plussi_engine_line(run->workspace, &at);
        if (line != h->line && line % sets == h->line % sets &&
            plussi_clock_lines_add(run->set_lines[h->level], line, 0) && comes(h, line, true))
            find(h, line);
        if (is_over(h))
            return true;
    }
    return false;
}

static uint64_t count(set_search h)
{
    plussi_clock_run *run = h.f->run;
    const uint64_t sets = h.f->shape[h.level].sets;
    const plussi_set_visitor visitor = {look_at, &h, sets, h.line % sets};
    const plussi_stretch stretch = {h.f->thread, h.window.from, h.window.to};
    plussi_clock_lines_empty(run->set_lines[h.level]);
    if (!list(&h)) /* what it found stays */
        plussi_engine_visit_set(run->workspace, &stretch, &visitor);
    return h.found;
}

/* The line is in a cache that does not allocate for writes, after a touch of it. */
static bool is_allocated(filter *f, uint32_t level, uint64_t line, plussi_cursor at)
{
    enum { CHAIN = 64 };
    const uint64_t ways = f->shape[level].ways;
    plussi_cursor before;
    for (int i = 0; i < CHAIN && is_write(f, &at); i++) {
        if (!look_back(f, &at, line, NULL, &before) ||
            count((set_search){f, level, TOUCHED, line, ways, {&before, &at}, NULL, NULL, 0}) >=
                ways)
            return false;
        at = before;
    }
    return true;
}

/* Whether an exclusive level has a line that the level before evicts in the window. */
static bool keeps_evicted(filter *f, uint32_t level, uint64_t line, window w, uint64_t *met)
{
    const uint64_t ways = f->shape[level].ways;
    const plussi_cursor since = find_eviction(f, level - 1, line, w.from, w.to);
    return count((set_search){f, level, EVICTED, line, ways, w, met, &since, 0}) < ways;
}

/* Whether a level that sees all accesses keeps a line over the window that its latest touch begins;
 * an exclusive one: itself, or the level before. */
static bool keeps(filter *f, uint32_t level, uint64_t line, window w)
{
    const plussi_cache_shape *shape = &f->shape[level];
    if (shape->exclusive)
        return keeps(f, level - 1, line, w) || keeps_evicted(f, level, line, w, NULL);
    return count((set_search){f, level, TOUCHED, line, shape->ways, w, NULL, NULL, 0}) <
               shape->ways &&
           (level > 0 || !shape->no_write_allocate || is_allocated(f, level, line, *w.from));
}

/* Whether a level that sees all accesses has the line just before one of them. */
static bool has(filter *f, uint32_t level, uint64_t line, const plussi_cursor *at)
{
    plussi_cursor touch;
    return look_back(f, at, line, NULL, &touch) && keeps(f, level, line, (window){&touch, at});
}

/* ---- what comes to the level after it ---------------------------------------------------------
 */

/* Whether a level misses a line between two accesses at which it has it. */
static bool misses_between(filter *f, uint32_t level, uint64_t line, window w)
{
    static const double probe[] = {0.382, 0.764, 0.146, 0.528, 0.910}; /* steps of no fraction */
    plussi_cursor at;
    uint64_t start = rank_of(f, w.from), length = rank_of(f, w.to) - start;
    for (size_t i = 0; i < sizeof probe / sizeof *probe; i++) {
        uint64_t n = start + (uint64_t)((double)length * probe[i]) + 1;
        plussi_clock_access_before(f->run, w.to, n, &at);
        if (!has(f, level, line, &at))
            return true;
    }
    return false;
}

static bool touches(const filter *f, const plussi_cursor *at, uint64_t line)
{
    return plussi_engine_ref(f->run->engine, at->leaf) &&
           plussi_engine_line(f->run->workspace, at) == line;
}

/* Whether the level before misses the line in the window: it does not have it at the window's
 * start, or loses it before one of its touches there; or passes a write on. Many touches are not
 * all looked at. */
static bool is_requested(filter *f, uint32_t level, uint64_t line, window w)
{
    enum { CHAIN = 16 };
    plussi_cursor at, before;
    if (!look_back(f, w.to, line, w.from, &at))
        return false;
    if (f->shape[level - 1].write_through && plussi_clock_prev_write(f->run, w.to, line, &before) &&
        plussi_engine_order(f->run->workspace, &before, w.from) > 0)
        return true;
    if (!touches(f, w.from, line) && !has(f, level - 1, line, w.from))
        return true;
    for (int i = 0; i < CHAIN; i++) {
        if (!look_back(f, &at, line, NULL, &before) ||
            !keeps(f, level - 1, line, (window){&before, &at}))
            return true;
        if (plussi_engine_order(f->run->workspace, &before, w.from) <= 0)
            return false;
        at = before;
    }
    return misses_between(f, level - 1, line, (window){w.from, &at});
}

/* Whether a level evicts a line between two touches of it. */
static bool evicts_between(filter *f, uint32_t level, uint64_t line, const plussi_cursor *from,
                           plussi_cursor last)
{
    enum { CHAIN = 64 };
    plussi_cursor before;
    for (int i = 0; i < CHAIN; i++) {
        bool more = look_back(f, &last, line, from, &before);
        if (!keeps(f, level, line, (window){more ? &before : from, &last}))
            return true;
        if (!more)
            return false;
        last = before;
    }
    return misses_between(f, level, line, (window){from, &last});
}

/* Whether a level evicts a line in the window, and does not have it at the end; *last: its latest
 * touch. */
static bool is_evicted(filter *f, uint32_t level, uint64_t line, window w, plussi_cursor *last)
{
    return look_back(f, w.to, line, NULL, last) && !keeps(f, level, line, (window){last, w.to}) &&
           (plussi_engine_order(f->run->workspace, last, w.from) >= 0 ||
            keeps(f, level, line, (window){last, w.from}));
}

/* Whether a level evicts a written line in the window, as far as its sets tell. */
static bool writes_back(filter *f, uint32_t level, uint64_t line, window w)
{
    plussi_cursor last, write;
    return !f->shape[level].write_through && is_evicted(f, level, line, w, &last) &&
           plussi_clock_prev_write(f->run, w.to, line, &write) &&
           (plussi_engine_order(f->run->workspace, &write, &last) >= 0 ||
            !evicts_between(f, level, line, &write, last));
}

uint64_t plussi_clock_most_in_both(const plussi_clock_run *run, uint32_t before, uint32_t level)
{
    const plussi_cache_shape *shape = run->options->shape;
    return shape[before].ways *
           (shape[before].sets / plussi_gcd(shape[before].sets, shape[level].sets));
}

/* Moves *out from the latest touch of the access's line before `at` to its latest request to the
 * level: touches before are looked at until the level before misses one; after some, as long before
 * as it has the line, up to a few of the accesses since. false: the request is not after `after`,
 * which may be NULL. */
static bool find_request(filter *f, uint32_t level, const plussi_cursor *at,
                         const plussi_cursor *after, plussi_cursor *out)
{
    enum { CHAIN = 64, EACH = 8 /* of a thread among several */, FEW = 16 /* one in 16 */ };
    plussi_clock_run *run = f->run;
    plussi_cursor there;
    for (int i = 0; i < (run->filter ? EACH : CHAIN); i++) {
        if ((f->shape[level - 1].write_through && is_write(f, out)) ||
            !look_back(f, out, run->line, NULL, &there) ||
            !keeps(f, level - 1, run->line, (window){&there, out}))
            return true;
        if (after && plussi_engine_order(run->workspace, &there, after) <= 0)
            return false;
        *out = there;
    }
    if (after && has(f, level - 1, run->line, after) &&
        !misses_between(f, level - 1, run->line, (window){after, out}))
        return false;
    uint64_t now = rank_of(f, at), with = rank_of(f, out), without = after ? rank_of(f, after) : 0;
    bool bounded = after;
    for (uint64_t step = (now - with) / FEW + 1; with - without > (now - with) / FEW + 1;
         step *= 2) {
        uint64_t back = bounded ? (with - without) / 2 : step < with ? step : with;
        plussi_clock_access_before(run, out, with - back, &there);
        if (has(f, level - 1, run->line, &there) &&
            !misses_between(f, level - 1, run->line, (window){&there, out})) {
            with -= back;
            *out = there;
        } else {
            without = with - back;
            bounded = true;
        }
    }
    return true;
}

static bool is_without(void *user, const plussi_cursor *at)
{
    set_search h = *(const set_search *)user;
    h.window.to = at;
    return h.what == TOUCHED ? !keeps(h.f, h.level, h.line, h.window) : count(h) >= h.most;
}

plussi_cursor plussi_clock_find_loss(plussi_clock_run *run, const plussi_cursor *from,
                                     const plussi_cursor *to, uint64_t few,
                                     bool (*lacks)(void *user, const plussi_cursor *at), void *user)
{
    const uint64_t start = plussi_clock_rank_of(run, from);
    uint64_t with = start, without = plussi_clock_rank_of(run, to);
    plussi_cursor out = *to;
    while (without - with > (without - start) / few + 1) {
        plussi_cursor at;
        uint64_t mid = with + (without - with) / 2;
        plussi_clock_access_before(run, to, mid, &at);
        if (lacks(user, &at)) {
            without = mid;
            out = at;
        } else {
            with = mid;
        }
    }
    return out;
}

/* About when the level evicts the line, to a 64th of the window. */
static plussi_cursor find_loss(set_search *h)
{
    return plussi_clock_find_loss(h->f->run, h->window.from, h->window.to, 64, is_without, h);
}

static plussi_cursor find_eviction(filter *f, uint32_t level, uint64_t line,
                                   const plussi_cursor *touch, const plussi_cursor *to)
{
    set_search h = {f, level, TOUCHED, line, 0, {touch, to}, NULL, NULL, 0};
    return find_loss(&h);
}

static filter begin(plussi_clock_run *run, const plussi_cursor *at)
{
    return (filter){run, run->options->shape, (uint32_t)at->iv[0], 0};
}

bool plussi_clock_find_request(plussi_clock_run *run, uint32_t level, const plussi_cursor *before,
                               const plussi_cursor *after, plussi_cursor *touch)
{
    filter f = begin(run, before);
    return find_request(&f, level + 1, before, after, touch);
}

bool plussi_clock_requests(plussi_clock_run *run, uint32_t level, uint64_t line,
                           const plussi_cursor *from, const plussi_cursor *to, uint32_t *queries)
{
    filter f = begin(run, to);
    plussi_cursor touch;
    bool requests = from ? is_requested(&f, level + 1, line, (window){from, to})
                         : look_back(&f, to, line, NULL, &touch);
    *queries += f.queries;
    return requests;
}

bool plussi_clock_writes_back(plussi_clock_run *run, uint32_t level, uint64_t line,
                              const plussi_cursor *from, const plussi_cursor *to, uint32_t *queries)
{
    filter f = begin(run, to);
    bool back = writes_back(&f, level, line, (window){from, to});
    *queries += f.queries;
    return back;
}

void plussi_clock_find_eviction(plussi_clock_run *run, uint32_t level, const plussi_cursor *touch,
                                const plussi_cursor *to, plussi_cursor *out)
{
    filter f = begin(run, to);
    *out = find_eviction(&f, level, run->line, touch, to);
}

bool plussi_clock_has(plussi_clock_run *run, uint32_t level, const plussi_cursor *at)
{
    filter f = begin(run, at);
    return has(&f, level, run->line, at);
}

bool plussi_clock_evicts(plussi_clock_run *run, uint32_t level, const plussi_cursor *from,
                         const plussi_cursor *to)
{
    filter f = begin(run, to);
    plussi_cursor last;
    return look_back(&f, to, run->line, from, &last) &&
           evicts_between(&f, level, run->line, from, last);
}

/* Whether the level has the line of an access again, which it has evicted since its latest request:
 * the level before evicted it after that, written, and so brought it back. */
static bool came_back(filter *f, uint32_t level, const plussi_cursor *request,
                      const plussi_cursor *touch, uint64_t *met)
{
    plussi_clock_run *run = f->run;
    const plussi_cursor *now = &run->cursor;
    const uint64_t ways = f->shape[level].ways, line = run->line;
    plussi_cursor write;
    if (f->shape[level].no_write_allocate || f->shape[level - 1].write_through ||
        !plussi_clock_prev_write(run, now, line, &write) ||
        plussi_engine_order(run->workspace, &write, request) < 0 ||
        keeps(f, level - 1, line, (window){touch, now}))
        return false;
    const plussi_cursor evicted = find_eviction(f, level - 1, line, touch, now);
    const set_search before = {f, level, BROUGHT, line, ways, {request, &evicted}, NULL, NULL, 0};
    const set_search since = {f, level, BROUGHT, line, ways, {&evicted, now}, met, NULL, 0};
    return count(before) >= ways && count(since) < ways;
}

/* An inclusive level evicts the line in the window that a request begins, and the levels before
 * lose it, too: the next touch is another request. false: there is none. */
static bool renew_request(set_search *h, plussi_cursor *request)
{
    enum { CHAIN = 64 };
    const plussi_cursor evicted = find_loss(h);
    plussi_cursor next;
    if (!look_back(h->f, h->window.to, h->line, &evicted, &next))
        return false;
    for (int i = 0; i < CHAIN && look_back(h->f, &next, h->line, &evicted, request); i++)
        next = *request;
    *request = next;
    return true;
}

/* Of a level that gets what the level before misses. */
static bool holds_requested(filter *f, uint32_t level, const plussi_cursor *touch, uint64_t *met)
{
    enum { TIMES = 16 /* that an inclusive level is taken to evict it */ };
    plussi_clock_run *run = f->run;
    const uint64_t ways = f->shape[level].ways, line = run->line;
    /* lines that come before the level before evicts the line, and that it does not miss */
    const uint64_t more = 2 * plussi_clock_most_in_both(run, level - 1, level);
    plussi_cursor request = *touch;
    set_search h = {f, level, TOUCHED, line, ways + more, {touch, &run->cursor}, met, NULL, 0};
    if (count(h) >= h.most)
        return false;
    (void)find_request(f, level, &run->cursor, NULL, &request);
    h.window.from = &request;
    h.most = ways;
    for (int n = 0;; n++) {
        h.what = TOUCHED;
        if (count(h) < ways)
            return true;
        *met = UINT64_MAX;
        h.what = BROUGHT;
        if (count(h) < ways)
            return true;
        if (!f->shape[level].inclusive)
            return came_back(f, level, &request, touch, met);
        if (n == TIMES || !renew_request(&h, &request))
            return false;
    }
}

int plussi_clock_holds_filtered(plussi_clock_run *run, uint32_t level, uint64_t *met)
{
    filter f = begin(run, &run->cursor);
    const plussi_cache_shape *shape = &f.shape[level];
    plussi_cursor touch;
    const window w = {&touch, &run->cursor};
    bool held = look_back(&f, &run->cursor, run->line, NULL, &touch);
    if (held && level == 0)
        held = count((set_search){&f, 0, TOUCHED, run->line, shape->ways, w, met, NULL, 0}) <
                   shape->ways &&
               is_allocated(&f, 0, run->line, touch);
    else if (held)
        held = shape->exclusive ? keeps_evicted(&f, level, run->line, w, met)
                                : holds_requested(&f, level, &touch, met);
    return f.queries < PLUSSI_CLOCK_MOST_QUERIES ? held : -1;
}
