/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/iterset.h"
#include "base/bisect.h"

#include "team/pattern.h"

/* ---- static, no chunk --------------------------------------------------------------------------
 */
static plussi_segment block_of(const plussi_iterset *s)
{
    return plussi_static_block(s->n, s->team, s->thread);
}

/* ---- static, chunk -----------------------------------------------------------------------------
 *
 * The chunk is at most max(n, 1) (plussi_iterset_static ensures it), so that chunk numbers and
 * starts are at most n. */

/* Number of this thread's chunks among 0 ... j - 1. */
static uint64_t own_chunks_before(const plussi_iterset *s, uint64_t j)
{
    return j > s->thread ? (j - 1 - s->thread) / s->team + 1 : 0;
}

/* Number of this thread's iterations among 0 ... x - 1; x <= n. */
static uint64_t cyclic_before(const plussi_iterset *s, uint64_t x)
{
    uint64_t j = x / s->chunk, into = x % s->chunk;
    uint64_t count = own_chunks_before(s, j) * s->chunk;
    return j % s->team == s->thread ? count + into : count;
}

static uint64_t cyclic_nth(const plussi_iterset *s, uint64_t pos)
{
    return (s->thread + pos / s->chunk * s->team) * s->chunk + pos % s->chunk;
}

/* ---- patterns ----------------------------------------------------------------------------------
 */

uint64_t plussi_iterset_own_chunks(const plussi_iterset *s)
{
    return plussi_pattern_count(s->pattern, s->row, plussi_iterset_chunks(s));
}

/* Number of this thread's iterations among 0 ... x - 1; x <= n. */
static uint64_t pattern_before(const plussi_iterset *s, uint64_t x)
{
    uint64_t j = x / s->chunk, into = x % s->chunk;
    uint64_t own = plussi_pattern_count(s->pattern, s->row, j);
    bool is_own = into && plussi_pattern_count(s->pattern, s->row, j + 1) > own;
    return own * s->chunk + (is_own ? into : 0);
}

static uint64_t pattern_nth(const plussi_iterset *s, uint64_t pos)
{
    return plussi_pattern_number(s->pattern, s->row, pos / s->chunk) * s->chunk + pos % s->chunk;
}

/* ---- segments ----------------------------------------------------------------------------------
 */

/* The segment that holds position pos < count: the last with before[k] <= pos. */
static size_t segment_at(const plussi_iterset *s, uint64_t pos)
{
    PLUSSI_BISECT(size_t, next, 1, s->n_segments, s->before[next] > pos);
    return next - 1;
}

/* Number of segments, of an ascending set, that start at or below i. */
static size_t segments_from(const plussi_iterset *s, uint64_t i)
{
    PLUSSI_BISECT(size_t, k, 0, s->n_segments, s->segment[k].lo > i);
    return k;
}

static bool segment_position(const plussi_iterset *s, uint64_t i, uint64_t *pos)
{
    size_t first = 0, last = s->n_segments;
    if (s->ascending) {
        last = segments_from(s, i);
        first = last ? last - 1 : 0;
    }
    for (size_t k = first; k < last; k++) {
        if (s->segment[k].lo <= i && i < s->segment[k].hi) {
            *pos = s->before[k] + (i - s->segment[k].lo);
            return true;
        }
    }
    return false;
}

/* Segments in any order: searches from the one that holds position before - 1 back to the first. */
static bool segment_latest(const plussi_iterset *s, uint64_t before, uint64_t a, uint64_t b,
                           uint64_t *pos)
{
    for (size_t k = segment_at(s, before - 1) + 1; k-- > 0;) {
        plussi_segment part = s->segment[k];
        if (before - s->before[k] < part.hi - part.lo)
            part.hi = part.lo + (before - s->before[k]);
        uint64_t last = b < part.hi - 1 ? b : part.hi - 1;
        if (last >= part.lo && last >= a) {
            *pos = s->before[k] + (last - part.lo);
            return true;
        }
    }
    return false;
}

/* ---- every kind --------------------------------------------------------------------------------
 */

plussi_iterset plussi_iterset_static(uint64_t n, uint64_t chunk, uint32_t team, uint32_t thread)
{
    plussi_iterset s = {.kind = PLUSSI_ITERSET_BLOCK, .team = team, .thread = thread, .n = n};
    s.ascending = true;
    if (chunk) {
        s.kind = PLUSSI_ITERSET_CYCLIC;
        s.chunk = chunk <= n ? chunk : n ? n : 1;
    }
    return s;
}

uint64_t plussi_iterset_count(const plussi_iterset *s)
{
    switch (s->kind) {
    case PLUSSI_ITERSET_BLOCK:
        return block_of(s).hi - block_of(s).lo;
    case PLUSSI_ITERSET_CYCLIC:
        return cyclic_before(s, s->n);
    case PLUSSI_ITERSET_PATTERN:
        return pattern_before(s, s->n);
    case PLUSSI_ITERSET_SEGMENTS:
        break;
    }
    return s->n_segments ? s->before[s->n_segments] : 0;
}

uint64_t plussi_iterset_nth(const plussi_iterset *s, uint64_t pos)
{
    switch (s->kind) {
    case PLUSSI_ITERSET_BLOCK:
        return block_of(s).lo + pos;
    case PLUSSI_ITERSET_CYCLIC:
        return cyclic_nth(s, pos);
    case PLUSSI_ITERSET_PATTERN:
        return pattern_nth(s, pos);
    case PLUSSI_ITERSET_SEGMENTS:
        break;
    }
    size_t k = segment_at(s, pos);
    return s->segment[k].lo + (pos - s->before[k]);
}

bool plussi_iterset_position(const plussi_iterset *s, uint64_t i, uint64_t *pos)
{
    if (i >= s->n)
        return false;
    switch (s->kind) {
    case PLUSSI_ITERSET_BLOCK: {
        plussi_segment block = block_of(s);
        if (i < block.lo || i >= block.hi)
            return false;
        *pos = i - block.lo;
        return true;
    }
    case PLUSSI_ITERSET_CYCLIC: {
        uint64_t j = i / s->chunk;
        if (j % s->team != s->thread)
            return false;
        *pos = j / s->team * s->chunk + i % s->chunk;
        return true;
    }
    case PLUSSI_ITERSET_PATTERN: {
        uint64_t before = pattern_before(s, i);
        if (pattern_before(s, i + 1) == before)
            return false;
        *pos = before;
        return true;
    }
    case PLUSSI_ITERSET_SEGMENTS:
        break;
    }
    return segment_position(s, i, pos);
}

/* Number of iterations of an ascending set at or below b < n. */
static uint64_t count_to(const plussi_iterset *s, uint64_t b)
{
    switch (s->kind) {
    case PLUSSI_ITERSET_BLOCK: {
        plussi_segment block = block_of(s);
        uint64_t end = b < block.hi ? b + 1 : block.hi;
        return end > block.lo ? end - block.lo : 0;
    }
    case PLUSSI_ITERSET_CYCLIC:
        return cyclic_before(s, b + 1);
    case PLUSSI_ITERSET_PATTERN:
        return pattern_before(s, b + 1);
    case PLUSSI_ITERSET_SEGMENTS:
        break;
    }
    size_t k = segments_from(s, b);
    if (k == 0)
        return 0;
    plussi_segment last = s->segment[k - 1];
    return s->before[k - 1] + (b < last.hi ? b + 1 - last.lo : last.hi - last.lo);
}

bool plussi_iterset_latest(const plussi_iterset *s, uint64_t before, uint64_t a, uint64_t b,
                           uint64_t *pos)
{
    if (a > b || a >= s->n)
        return false;
    if (b >= s->n)
        b = s->n - 1;
    if (s->kind == PLUSSI_ITERSET_SEGMENTS && !s->ascending) {
        uint64_t count = plussi_iterset_count(s);
        before = before < count ? before : count;
        return before && segment_latest(s, before, a, b, pos);
    }
    uint64_t upto = count_to(s, b);
    upto = upto < before ? upto : before;
    if (upto == 0 || plussi_iterset_nth(s, upto - 1) < a)
        return false;
    *pos = upto - 1;
    return true;
}

void plussi_iterset_run(const plussi_iterset *s, uint64_t pos, uint64_t *lo, uint64_t *hi)
{
    uint64_t first = plussi_iterset_nth(s, pos), left = 0;
    switch (s->kind) {
    case PLUSSI_ITERSET_BLOCK:
        left = block_of(s).hi - first;
        break;
    case PLUSSI_ITERSET_CYCLIC:
        left = s->chunk - pos % s->chunk;
        if (s->team == 1 || left > s->n - first)
            left = s->n - first;
        break;
    case PLUSSI_ITERSET_PATTERN:
        left = s->chunk - pos % s->chunk;
        left = left < s->n - first ? left : s->n - first;
        break;
    case PLUSSI_ITERSET_SEGMENTS:
        left = s->before[segment_at(s, pos) + 1] - pos;
        break;
    }
    *lo = first;
    *hi = first + left;
}
