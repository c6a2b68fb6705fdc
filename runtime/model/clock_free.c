/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The window of an access if all clocks run free: uniform interleaving, no dynamic loop. Threads
 * are then independent, so that nothing is drawn before it matters. The window starts as far back
 * as the latest known touch. The accesses of the next thread within it are drawn, and only these
 * are searched for a touch of the line; a touch shortens the window. Threads without an access in
 * the window are skipped without a draw of their own where the team is large and most have none,
 * and those that cannot touch the line.
 */
#include <math.h>
#include <string.h>

#include "model/clock_state.h"

enum {
    FEW = 12,       /* accesses that are tested one by one rather than searched */
    PHASES_BACK = 8 /* threads for which one phase is searched by itself */
};
static const uint64_t DRAW = UINT64_MAX - 1; /* not a phase */

/* A window of fewer accesses than this on average is drawn thread by thread, as it may be listed.
 * (A Poisson variable of this mean is at most PLUSSI_CLOCK_LISTED with probability e^-61.) */
static const double crowded = 2.0 * PLUSSI_CLOCK_LISTED;

/* Accesses of a thread in the window from which on each thread's are drawn, in place of how many
 * threads make none. */
static const double dense = 0.2;

/* Notes that the thread had made that many accesses of a phase by a time of the phase's clock. */
static void note_count(plussi_clock_thread *t, uint64_t phase, double time, uint64_t made)
{
    t->known_phase = phase;
    t->known_time = time;
    t->known = made;
}

/* The law with this mean; most have that of the one before. */
static plussi_poisson *with_mean(plussi_poisson *law, double mean)
{
    if (law->mean != mean)
        plussi_poisson_set(law, mean);
    return law;
}

static uint64_t draw_made(plussi_clock_run *run, plussi_poisson *law, double mean)
{
    return plussi_poisson_draw(with_mean(law, mean), &run->rng);
}

static bool is_seen(const plussi_clock_run *run, uint32_t k)
{
    return run->thread[k].stamp == run->stamp;
}

static plussi_clock_thread *note_thread(plussi_clock_run *run, uint32_t k)
{
    plussi_clock_thread *t = &run->thread[k];
    run->seen[run->n_seen++] = k;
    t->stamp = run->stamp;
    t->has_cursor = t->has_edge = false;
    note_count(t, UINT64_MAX, 0, 0);
    return t;
}

static bool is_source(const plussi_clock_run *run, uint64_t phase)
{
    return !run->cold && run->source_phase == phase;
}

static bool is_same(const plussi_clock_run *run)
{
    return is_source(run, run->phase);
}

/* ---- draws that are spread evenly over a stratum ----------------------------------------------
 */

/* Axes of the access's point: its time; that since its own last touch; and of each of the threads
 * that follow its own in a circle what it does by then, and after. */
enum { NOW, SINCE, BEFORE, WITHIN, THREAD_AXES = 2, THREADS = 15 };
_Static_assert(BEFORE + THREAD_AXES * THREADS <= PLUSSI_QUASI_AXES, "an axis for each");

/* A Poisson variate of thread k, which is not the access's. */
static uint64_t draw_accesses(plussi_clock_run *run, plussi_poisson *law, uint32_t axis, uint32_t k,
                              double mean)
{
    const uint32_t own = (uint32_t)run->cursor.iv[0], step = (k < own ? run->team : 0) + k - own;
    if (step > THREADS)
        return draw_made(run, law, mean);
    const double first = plussi_quasi_at(&run->point, axis + THREAD_AXES * (step - 1));
    return plussi_poisson_draw_from(with_mean(law, mean), &run->rng, first);
}

double plussi_clock_time_free(plussi_clock_run *run)
{
    return plussi_gamma_from(&run->rng, (double)run->pos + 1, plussi_quasi_at(&run->point, NOW));
}

/* The part of the time up to the access that is before its thread's own last touch, number `pos` of
 * the phase: a beta variate. What is after the touch is small, and matters. */
static double draw_part_before_own(plussi_clock_run *run, uint64_t pos)
{
    const double before = plussi_draw_gamma(&run->rng, (double)pos + 1);
    return before / (before + plussi_gamma_from(&run->rng, (double)(run->pos - pos),
                                                plussi_quasi_at(&run->point, SINCE)));
}

/* ---- the source ------------------------------------------------------------------------------ */

/* Access pos of a phase by thread k is the latest touch so far: shortens the window. */
static void shrink_window(plussi_clock_run *run, uint32_t k, uint64_t phase, uint64_t pos,
                          double now)
{
    plussi_clock_thread *t = &run->thread[k];
    bool known = t->known_phase == phase;
    double since = known ? t->known_time : 0, after = (double)(pos - (known ? t->known : 0)) + 1;
    if (phase == run->phase && k == (uint32_t)run->cursor.iv[0])
        since = now * draw_part_before_own(run, pos);
    else if (phase == run->phase)
        since += (now - since) * plussi_draw_beta(&run->rng, after, (double)(t->n - pos));
    else
        since += plussi_draw_gamma(&run->rng, after);
    run->cold = false;
    run->source = k;
    run->source_phase = phase;
    run->latest = since;
    note_count(t, phase, since, pos + 1);
}

static void shrink_to_touch(plussi_clock_run *run, uint32_t k, double now)
{
    uint64_t phase, pos;
    plussi_engine_locate(run->workspace, &run->thread[k].touch, &phase, &pos);
    shrink_window(run, k, phase, pos, now);
}

static void own_past(plussi_clock_run *run, uint32_t own, double now)
{
    plussi_clock_thread *t = note_thread(run, own);
    t->n = t->end = run->pos;
    t->has_cursor = true;
    t->cursor = run->cursor;
    if (run->known) {
        if (run->known->any)
            shrink_window(run, own, run->known->prev_phase, run->known->prev_pos, now);
    } else if (plussi_engine_prev(run->workspace, &t->cursor, run->line, NULL, &t->touch)) {
        shrink_to_touch(run, own, now);
    }
}

/* Draws how far thread k has come: it has made `made` accesses if the window begins in this phase.
 */
static void draw_count(plussi_clock_run *run, uint32_t k, uint64_t made, double now)
{
    plussi_clock_thread *t = note_thread(run, k);
    if (is_same(run)) {
        note_count(t, run->phase, run->latest,
                   draw_accesses(run, &run->made.latest, BEFORE, k, run->latest));
        t->n = t->known + made;
    } else {
        t->n = draw_accesses(run, &run->made.now, BEFORE, k, now);
    }
    uint64_t length = plussi_engine_length(run->workspace, k, run->phase);
    t->end = t->n < length ? t->n : length;
}

/* The last access of thread k before it had made `made` of a phase: touches up to there do not
 * matter. NULL: there is none. */
static const plussi_cursor *find_fence(plussi_clock_run *run, uint32_t k, uint64_t phase,
                                       uint64_t made, plussi_cursor *cursor)
{
    uint64_t length = made ? plussi_engine_length(run->workspace, k, phase) : 0;
    if (made > length)
        made = length + 1; /* the barrier */
    const plussi_clock_thread *t = &run->thread[k];
    const bool near = made && phase == run->phase && t->has_cursor && made <= t->end;
    if (near && plussi_engine_back(run->workspace, &t->cursor, t->end - (made - 1), cursor))
        return cursor;
    if (made)
        plussi_engine_unrank(run->workspace, k, phase, made - 1, cursor);
    else if (phase)
        plussi_engine_end(run->workspace, k, phase - 1, cursor);
    else
        return NULL;
    return cursor;
}

/* Tests the few accesses that thread k has made in the window, one by one. */
static void list_accesses(plussi_clock_run *run, uint32_t k, double now)
{
    plussi_clock_thread *t = &run->thread[k];
    uint64_t found = UINT64_MAX, pos = t->known;
    plussi_cursor cursor;
    plussi_engine_unrank(run->workspace, k, run->phase, pos, &cursor);
    for (;;) {
        if (plussi_engine_line(run->workspace, &cursor) == run->line) {
            found = pos;
            t->touch = cursor;
        }
        if (pos + 1 == t->end)
            break;
        plussi_engine_step(run->workspace, run->phase, &pos, &cursor);
    }
    if (found != UINT64_MAX)
        shrink_window(run, k, run->phase, found, now);
}

/* The last touch of a line by thread k before position n of a phase. */
static void find_touch_before(plussi_clock_run *run, uint64_t line, uint32_t k, uint64_t phase,
                              uint64_t n, plussi_clock_last_touch *out)
{
    plussi_cursor end, past;
    uint64_t in;
    *out = (plussi_clock_last_touch){.last = n};
    if (phase < run->phase && n == plussi_engine_length(run->workspace, k, phase))
        plussi_engine_end(run->workspace, k, phase, &end);
    else
        plussi_engine_unrank(run->workspace, k, phase, n, &end);
    if (!plussi_engine_prev(run->workspace, &end, line, find_fence(run, k, phase, 0, &past),
                            &out->touch))
        return;
    plussi_engine_locate(run->workspace, &out->touch, &in, &out->first);
    out->first++;
}

/* The highest position from n on that is before those that are known: the others' accesses end
 * about there, too, and one search answers for all of them, unless there is a touch in between. */
static uint64_t choose_end(const plussi_clock_run *run, uint32_t k, uint64_t phase, uint64_t n)
{
    const double now = run->now;
    uint64_t end = plussi_engine_length(run->workspace, k, phase);
    if (phase == run->phase && now + 4 * sqrt(now) < (double)end)
        end = (uint64_t)(now + 4 * sqrt(now));
    for (uint32_t i = 0; i < run->n_last_touches; i++)
        if (run->last_touch[i].first > n && run->last_touch[i].first <= end)
            end = run->last_touch[i].first - 1;
    return end > n ? end : n;
}

const plussi_clock_last_touch *plussi_clock_find_last_touch(plussi_clock_run *run, uint64_t line,
                                                            uint32_t k, uint64_t phase, uint64_t n)
{
    plussi_clock_last_touch *known = run->last_touch;
    for (uint32_t i = 0; i < run->n_last_touches; i++)
        if (known[i].first <= n && n <= known[i].last)
            return &known[i];
    for (uint64_t end = choose_end(run, k, phase, n);; end = n) {
        plussi_clock_last_touch found;
        find_touch_before(run, line, k, phase, end, &found);
        uint32_t i = 0;
        while (i < run->n_last_touches && known[i].first != found.first)
            i++;
        if (i == run->n_last_touches) {
            i = i < PLUSSI_CLOCK_LAST_TOUCHES ? run->n_last_touches++ : i - 1;
            known[i] = found;
        }
        known[i].last = found.last > known[i].last ? found.last : known[i].last;
        if (found.first <= n)
            return &known[i];
    }
}

/* search_touch() in such a phase, of which `from` accesses are before the window. */
static void search_alike(plussi_clock_run *run, uint32_t k, uint64_t phase, uint64_t from,
                         double now)
{
    plussi_clock_thread *t = &run->thread[k];
    uint64_t n = phase < run->phase ? plussi_engine_length(run->workspace, k, phase) : t->end;
    if (from >= n)
        return;
    const plussi_clock_last_touch *last = plussi_clock_find_last_touch(run, run->line, k, phase, n);
    if (last->first <= from)
        return;
    t->touch = last->touch;
    plussi_engine_move_to_thread(run->workspace, phase, last->first - 1, k, &t->touch);
    shrink_window(run, k, phase, last->first - 1, now);
}

/* Searches for a touch by thread k in this phase (later ones have none), or in any (UINT64_MAX). */
static void search_touch(plussi_clock_run *run, uint32_t k, uint64_t phase, uint64_t made,
                         double now)
{
    plussi_clock_thread *t = &run->thread[k];
    if (!is_seen(run, k))
        draw_count(run, k, made, now);
    if (phase == run->phase) {
        uint64_t from = is_same(run) ? t->known : 0;
        if (from >= t->end)
            return;
        if (from + FEW >= t->end && is_same(run)) {
            list_accesses(run, k, now);
            return;
        }
    }
    if (run->alike && !(run->except[k / 64] >> k % 64 & 1)) {
        if (is_source(run, phase) && t->known_phase != phase)
            note_count(t, phase, run->latest, draw_made(run, &run->made.latest, run->latest));
        search_alike(run, k, phase, is_source(run, phase) ? t->known : 0, now);
        return;
    }
    plussi_cursor past, last;
    const plussi_cursor *cursor = &last, *after = NULL;
    if (phase < run->phase)
        plussi_engine_end(run->workspace, k, phase, &last);
    else
        cursor = plussi_clock_cursor(run, k);
    uint64_t floor = phase != UINT64_MAX ? phase : run->cold ? 0 : run->source_phase;
    if (is_source(run, floor) && t->known_phase != floor)
        note_count(t, floor, run->latest, draw_made(run, &run->made.latest, run->latest));
    after = find_fence(run, k, floor, is_source(run, floor) ? t->known : 0, &past);
    if (plussi_engine_prev(run->workspace, cursor, run->line, after, &t->touch))
        shrink_to_touch(run, k, now);
}

/* ---- the threads ----------------------------------------------------------------------------- */

/* The first bit set in [from, to) after *skip others. `to`: fewer are set, and *skip is what
 * remains. */
static uint32_t pick_bit(const uint64_t *bits, uint32_t from, uint32_t to, uint64_t *skip)
{
    for (uint32_t k = from; k < to; k = (k / 64 + 1) * 64) {
        uint64_t word = bits[k / 64] >> k % 64;
        if (to - k < 64 - k % 64)
            word &= (UINT64_C(1) << (to - k)) - 1;
        uint64_t here = (uint64_t)__builtin_popcountll(word);
        if (*skip >= here) {
            *skip -= here;
            continue;
        }
        for (; *skip > 0; --*skip)
            word &= word - 1;
        return k + (uint32_t)__builtin_ctzll(word);
    }
    return to;
}

/* pick_bit without others before it, which saves counting them. `to`: none. */
static uint32_t next_bit(const uint64_t *bits, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k < to; k = (k / 64 + 1) * 64) {
        const uint64_t word = bits[k / 64] >> k % 64;
        if (word && k + (uint32_t)__builtin_ctzll(word) < to)
            return k + (uint32_t)__builtin_ctzll(word);
    }
    return to;
}

/* The first thread in bits, of [from, to), that makes an access in a window of the access's phase,
 * and how many; `to`: none does. */
static uint32_t find_busy_thread(plussi_clock_run *run, const uint64_t *bits, uint32_t from,
                                 uint32_t to, double now, uint64_t *made)
{
    const double span = now - run->latest;
    *made = 0;
    if (span >= dense || run->team <= THREADS + 1) {
        for (uint32_t k = next_bit(bits, from, to); k < to; k = next_bit(bits, k + 1, to))
            if ((*made = draw_accesses(run, &run->made.span, WITHIN, k, span)) > 0)
                return k;
        return to;
    }
    /* the accesses of all threads, put end to end, are one Poisson process: the gap to its next
     * point gives the number of threads without an access */
    double gap = plussi_draw_exponential(&run->rng) / span;
    if (!(gap < (double)run->team))
        return to;
    uint64_t skip = (uint64_t)gap;
    *made = 1 + plussi_draw_poisson(&run->rng, span * (1 - (gap - (double)skip)));
    return pick_bit(bits, from, to, &skip);
}

/* Finds the threads in bits, of [from, to), that make an access in the window, and searches them,
 * or only draws their counts (DRAW). */
static void sweep_threads(plussi_clock_run *run, const uint64_t *bits, uint32_t from, uint32_t to,
                          uint64_t phase, double now)
{
    for (uint32_t k = from; k < to; k++) {
        uint64_t made = 0;
        k = is_same(run) ? find_busy_thread(run, bits, k, to, now, &made) : next_bit(bits, k, to);
        if (k >= to)
            return;
        if (phase == DRAW)
            draw_count(run, k, made, now);
        else
            search_touch(run, k, phase, made, now);
    }
}

/* Begins after the access's thread: neighbours usually touched the line last. */
static void sweep_all(plussi_clock_run *run, const uint64_t *bits, uint32_t own, uint64_t phase,
                      double now)
{
    sweep_threads(run, bits, own + 1, run->team, phase, now);
    sweep_threads(run, bits, 0, own, phase, now);
}

/* The latest touch by other threads: in this phase, in the one before, and so on; after some phases
 * in all earlier ones at once. */
static void look_back(plussi_clock_run *run, uint32_t own, double now)
{
    uint64_t phase = run->phase;
    for (uint32_t tries = 1 + run->team / PHASES_BACK; tries > 0; tries--) {
        plussi_engine_touchers_in(run->workspace, run->line, phase, run->toucher);
        run->alike = run->team > 2 &&
                     plussi_engine_touched_alike(run->workspace, run->line, phase, run->except);
        run->n_last_touches = 0;
        sweep_all(run, run->toucher, own, phase, now);
        if (is_source(run, phase) || phase-- == 0)
            return;
    }
    plussi_engine_touchers(run->engine, run->line, run->toucher);
    run->alike = false;
    sweep_all(run, run->toucher, own, UINT64_MAX, now);
}

/* ---- those who cannot have touched the line -------------------------------------------------- */

/* Number of these threads with accesses in a phase; false: one of them might, with a probability
 * that is not negligible, reach the end of the phase by this time. */
static bool runs_on(plussi_clock_run *run, const uint64_t *bits, uint64_t phase, double time,
                    uint32_t *n)
{
    const uint64_t *busy;
    uint64_t shortest = plussi_engine_busy(run->workspace, phase, &busy);
    *n = 0;
    for (uint32_t i = 0; i < (run->team + 63) / 64; i++)
        *n += (uint32_t)__builtin_popcountll(bits[i] & busy[i]);
    return (double)shortest > time + 4 * sqrt(time) + 8;
}

/* Number of accesses in the window by all threads in bits together; false: they have to be drawn
 * separately. */
static bool count_crowd(plussi_clock_run *run, const uint64_t *bits, double now)
{
    bool same = is_same(run);
    uint32_t n, before;
    double span = same ? now - run->latest : now;
    if (run->one_by_one || run->team * span <= crowded ||
        !runs_on(run, bits, run->phase, now, &n) || n * span <= crowded)
        return false;
    if (!same && !runs_on(run, bits, run->source_phase, run->latest, &before))
        return false;
    run->crowd = plussi_draw_poisson(&run->rng, n * span);
    if (run->crowd <= PLUSSI_CLOCK_LISTED)
        run->crowd = PLUSSI_CLOCK_LISTED + 1;
    if (same)
        return true;
    uint64_t past = 0;
    for (uint32_t k = 0; k < run->team; k++)
        if (bits[k / 64] >> k % 64 & 1)
            past += plussi_engine_length(run->workspace, k, run->source_phase);
    uint64_t done = plussi_draw_poisson(&run->rng, before * run->latest);
    run->crowd += done < past ? past - done : 0;
    return true;
}

/* Threads without known accesses in the window that have some in its phases. */
static void find_others(plussi_clock_run *run, uint32_t own, uint64_t *bits)
{
    const uint64_t *busy;
    uint32_t words = (run->team + 63) / 64;
    bool same = is_same(run);
    plussi_engine_busy(run->workspace, run->phase, &busy);
    memcpy(bits, busy, words * sizeof *bits);
    if (!same) {
        plussi_engine_busy(run->workspace, run->source_phase, &busy);
        for (uint32_t i = 0; i < words; i++)
            bits[i] |= run->one_by_one ? UINT64_MAX : busy[i];
    }
    if (run->team % 64)
        bits[words - 1] &= (UINT64_C(1) << run->team % 64) - 1;
    for (uint32_t i = 0; i < words && same; i++) /* those not drawn have none */
        bits[i] &= ~run->toucher[i];
    bits[own / 64] &= ~(UINT64_C(1) << own % 64);
    for (uint32_t i = 0; i < run->n_seen; i++)
        bits[run->seen[i] / 64] &= ~(UINT64_C(1) << run->seen[i] % 64);
}

/* ---- the window ------------------------------------------------------------------------------ */

/* Start of thread k's part of the window. */
static uint64_t begin_thread(plussi_clock_run *run, plussi_clock_thread *t, uint64_t length,
                             double now)
{
    if (t->known_phase != run->source_phase)
        note_count(t, run->source_phase, 0, 0);
    uint64_t made = t->known;
    double since = t->known_time;
    if (!is_same(run))
        made += draw_made(run, &run->made.latest, run->latest - since);
    else if (run->latest > since)
        made += plussi_draw_binomial(&run->rng, t->n - made, (run->latest - since) / (now - since));
    return made < length ? made : length;
}

/* Accesses of the known threads in a window of the access's phase that is too long to be listed,
 * where no one asks for each thread's: those of threads that were counted at one time are divided
 * together. false: they have to be divided one by one. */
static bool count_known(plussi_clock_run *run, double now, uint64_t *accesses)
{
    enum { TIMES = 8 };
    double since[TIMES];
    uint64_t made[TIMES];
    uint32_t n = 0, g;
    if (run->one_by_one || !is_same(run) || run->n_seen * (now - run->latest) <= crowded)
        return false;
    for (uint32_t i = 0; i < run->n_seen; i++) {
        plussi_clock_thread *t = &run->thread[run->seen[i]];
        if (t->end < t->n) /* it has reached the end of the phase */
            return false;
        if (t->known_phase != run->source_phase)
            note_count(t, run->source_phase, 0, 0);
        for (g = 0; g < n && since[g] != t->known_time;)
            g++;
        if (g == TIMES)
            return false;
        if (g == n) {
            since[n] = t->known_time;
            made[n++] = 0;
        }
        made[g] += t->n - t->known;
    }
    *accesses = 0;
    for (g = 0; g < n; g++) {
        const double before = (run->latest - since[g]) / (now - since[g]);
        *accesses += made[g] - plussi_draw_binomial(&run->rng, made[g], before);
    }
    if (*accesses <= PLUSSI_CLOCK_LISTED)
        *accesses = PLUSSI_CLOCK_LISTED + 1;
    return true;
}

void plussi_clock_window_alone(plussi_clock_run *run)
{
    plussi_clock_thread *t = note_thread(run, 0);
    const plussi_clock_known *known = run->known;
    uint64_t phase, pos;
    t->n = t->end = run->pos;
    t->has_cursor = true;
    t->cursor = run->cursor;
    run->toucher[0] = 1;
    if (known ? !known->any
              : !plussi_engine_prev(run->workspace, &t->cursor, run->line, NULL, &t->touch))
        return;
    if (known) {
        phase = known->prev_phase;
        pos = known->prev_pos;
    } else {
        plussi_engine_locate(run->workspace, &t->touch, &phase, &pos);
    }
    run->cold = false;
    run->source = 0;
    run->source_phase = phase;
    t->start = pos + 1;
    run->interval = 1 + t->end - t->start;
    if (!is_same(run))
        run->interval += plussi_engine_length(run->workspace, 0, phase);
}

void plussi_clock_window_free(plussi_clock_run *run, double now)
{
    uint32_t own = (uint32_t)run->cursor.iv[0];
    own_past(run, own, now);
    look_back(run, own, now);
    if (run->cold)
        return;
    find_others(run, own, run->other);
    if (!count_crowd(run, run->other, now))
        sweep_all(run, run->other, own, DRAW, now);
    bool same = is_same(run);
    uint64_t together;
    run->interval = run->crowd + 1;
    if (count_known(run, now, &together)) {
        run->interval += together;
        return;
    }
    for (uint32_t i = 0; i < run->n_seen; i++) {
        uint32_t k = run->seen[i];
        plussi_clock_thread *t = &run->thread[k];
        uint64_t length =
            same ? t->end : plussi_engine_length(run->workspace, k, run->source_phase);
        t->start = begin_thread(run, t, length, now);
        run->interval += length - t->start + (same ? 0 : t->end);
    }
}
