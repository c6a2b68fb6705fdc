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

/* Lines of a set, other than `line`, that come to a level in a window, until they are `most`. */
typedef struct hunt {
    filter *f;
    uint32_t level;
    bool filtered; /* those that the level before misses, else all */
    uint64_t line, most, found;
    window window;
    uint64_t *met; /* one of them; or NULL */
} hunt;

static bool is_over(const hunt *h)
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

static bool is_requested(filter *f, uint32_t level, uint64_t line, window w);
static bool writes_back(filter *f, uint32_t level, uint64_t line, window w);

/* ---- what a cache holds -----------------------------------------------------------------------
 */

static void find(hunt *h, uint64_t line)
{
    h->found++;
    if (h->met)
        plussi_clock_meet(h->met, line);
}

/* The window brings the line to the level: it is asked for, or the level before evicts it, written.
 */
static bool is_brought(const hunt *h, uint64_t line)
{
    return is_requested(h->f, h->level, line, h->window) ||
           writes_back(h->f, h->level - 1, line, h->window);
}

static bool look_at(void *user, uint64_t line, const plussi_bound_node *ref)
{
    hunt *h = user;
    plussi_clock_lines *seen = h->f->run->set_lines[h->level];
    plussi_cursor touch;
    (void)ref;
    if (line != h->line && plussi_clock_lines_add(seen, line, 0) &&
        (h->filtered ? is_brought(h, line)
                     : look_back(h->f, h->window.to, line, h->window.from, &touch)))
        find(h, line);
    return !is_over(h);
}

/* Goes through the accesses of a short window; false: it is a long one. */
static bool list(hunt *h)
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
            plussi_clock_lines_add(run->set_lines[h->level], line, 0) &&
            (!h->filtered || is_brought(h, line)))
            find(h, line);
        if (is_over(h))
            return true;
    }
    return false;
}

static uint64_t count(hunt h)
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

/* Whether a level that sees all accesses keeps a line over the window that its latest touch begins.
 */
static bool keeps(filter *f, uint32_t level, uint64_t line, window w)
{
    uint64_t ways = f->shape[level].ways;
    return count((hunt){f, level, false, line, ways, 0, w, NULL}) < ways;
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

/* Whether the level before misses the line in the window. If not, that one has the line from the
 * window's start to its last touch. */
static bool is_requested(filter *f, uint32_t level, uint64_t line, window w)
{
    plussi_cursor last;
    return look_back(f, w.to, line, w.from, &last) &&
           (!(touches(f, w.from, line) || has(f, level - 1, line, w.from)) ||
            !has(f, level - 1, line, &last) ||
            misses_between(f, level - 1, line, (window){w.from, &last}));
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

/* Whether a level evicts a written line in the window, as far as its sets tell. */
static bool writes_back(filter *f, uint32_t level, uint64_t line, window w)
{
    plussi_workspace *workspace = f->run->workspace;
    plussi_cursor last, write;
    return look_back(f, w.to, line, NULL, &last) && !keeps(f, level, line, (window){&last, w.to}) &&
           (plussi_engine_order(workspace, &last, w.from) >= 0 ||
            keeps(f, level, line, (window){&last, w.from})) &&
           plussi_clock_prev_write(f->run, w.to, line, &write) &&
           (plussi_engine_order(workspace, &write, &last) >= 0 ||
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
        if (!look_back(f, out, run->line, NULL, &there) ||
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
    enum { FEW = 16 /* one in 16 */ };
    filter f = begin(run, to);
    const uint64_t start = rank_of(&f, touch);
    uint64_t with = start, without = rank_of(&f, to);
    *out = *to;
    while (without - with > (without - start) / FEW + 1) {
        plussi_cursor at;
        uint64_t mid = with + (without - with) / 2;
        plussi_clock_access_before(run, to, mid, &at);
        if (keeps(&f, level, run->line, (window){touch, &at})) {
            with = mid;
        } else {
            without = mid;
            *out = at;
        }
    }
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

int plussi_clock_holds_filtered(plussi_clock_run *run, uint32_t level, uint64_t *met)
{
    filter f = begin(run, &run->cursor);
    const plussi_cache_shape *shape = &f.shape[level];
    plussi_cursor from;
    const window w = {&from, &run->cursor};
    uint64_t most = shape->ways + plussi_clock_most_in_both(run, level - 1, level);
    hunt h = {&f, level, false, run->line, most, 0, w, met};
    if (!look_back(&f, &run->cursor, run->line, NULL, &from))
        return 0;
    if (count(h) >= h.most)
        return 0;
    (void)find_request(&f, level, &run->cursor, NULL, &from);
    h.most = shape->ways;
    bool held = count(h) < h.most;
    if (!held) {
        h.filtered = true;
        *met = UINT64_MAX;
        held = count(h) < h.most;
    }
    return f.queries < PLUSSI_CLOCK_MOST_QUERIES ? held : -1;
}
