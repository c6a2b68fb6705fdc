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
    return plussi_engine_thread_rank(f->run->workspace, cursor);
}

static bool is_requested(filter *f, uint32_t level, uint64_t line, window w);

/* ---- what a cache holds -----------------------------------------------------------------------
 */

static void find(hunt *h, uint64_t line)
{
    h->found++;
    if (h->met)
        plussi_clock_meet(h->met, line);
}

static bool look_at(void *user, uint64_t line, const plussi_bound_node *ref)
{
    hunt *h = user;
    plussi_clock_lines *seen = h->f->run->set_lines[h->level];
    plussi_cursor touch;
    (void)ref;
    if (line != h->line && plussi_clock_lines_add(seen, line, 0) &&
        (h->filtered ? is_requested(h->f, h->level, line, h->window)
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
            (!h->filtered || is_requested(h->f, h->level, line, h->window)))
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

/* Whether the level before misses the line in the window. If not, that one has the line from the
 * window's start to its last touch. */
static bool is_requested(filter *f, uint32_t level, uint64_t line, window w)
{
    plussi_cursor last;
    return look_back(f, w.to, line, w.from, &last) &&
           (!has(f, level - 1, line, w.from) || !has(f, level - 1, line, &last) ||
            misses_between(f, level - 1, line, (window){w.from, &last}));
}

/* Lines of one set of a level that the level before can hold: those that it need not miss. */
static uint64_t most_in_both(const filter *f, uint32_t level)
{
    const plussi_cache_shape *before = &f->shape[level - 1];
    return before->ways * (before->sets / plussi_gcd(before->sets, f->shape[level].sets));
}

/* Moves *out from the latest touch of the access's line to its latest request to the level: touches
 * before are looked at until the level before misses one; after some, as long before as it has the
 * line, up to a few of the accesses since the latest touch. */
static void find_request(filter *f, uint32_t level, plussi_cursor *out)
{
    enum { CHAIN = 64, FEW = 16 /* one in 16 */ };
    plussi_clock_run *run = f->run;
    plussi_cursor there;
    uint64_t few = 0;
    for (int i = 0; i < CHAIN; i++) {
        if (!look_back(f, out, run->line, NULL, &there) ||
            !keeps(f, level - 1, run->line, (window){&there, out}))
            return;
        if (i == 0)
            few = (rank_of(f, &run->cursor) - rank_of(f, out)) / FEW + 1;
        *out = there;
    }
    uint64_t with = rank_of(f, out), without = 0;
    bool bounded = false;
    for (uint64_t step = few; with - without > few; step *= 2) {
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
}

static filter begin(plussi_clock_run *run)
{
    return (filter){run, run->options->shape, (uint32_t)run->cursor.iv[0], 0};
}

bool plussi_clock_has(plussi_clock_run *run, uint32_t level, const plussi_cursor *at)
{
    filter f = begin(run);
    return has(&f, level, run->line, at);
}

bool plussi_clock_leaves(plussi_clock_run *run, uint32_t level, const plussi_cursor *from,
                         const plussi_cursor *to)
{
    enum { CHAIN = 64 };
    filter f = begin(run);
    plussi_cursor last, before;
    if (!look_back(&f, to, run->line, from, &last))
        return false;
    for (int i = 0; i < CHAIN; i++) {
        bool more = look_back(&f, &last, run->line, from, &before);
        if (!keeps(&f, level, run->line, (window){more ? &before : from, &last}))
            return true;
        if (!more)
            return false;
        last = before;
    }
    return misses_between(&f, level, run->line, (window){from, &last});
}

int plussi_clock_holds_filtered(plussi_clock_run *run, uint32_t level, uint64_t *met)
{
    filter f = begin(run);
    const plussi_cache_shape *shape = &f.shape[level];
    plussi_cursor from;
    const window w = {&from, &run->cursor};
    hunt h = {&f, level, false, run->line, shape->ways + most_in_both(&f, level), 0, w, met};
    if (!look_back(&f, &run->cursor, run->line, NULL, &from))
        return 0;
    if (count(h) >= h.most)
        return 0;
    find_request(&f, level, &from);
    h.most = shape->ways;
    bool held = count(h) < h.most;
    if (!held) {
        h.filtered = true;
        *met = UINT64_MAX;
        held = count(h) < h.most;
    }
    return f.queries < PLUSSI_CLOCK_MOST_QUERIES ? held : -1;
}
