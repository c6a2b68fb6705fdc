/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/carry.h"

#include <stdlib.h>
#include <string.h>

#include "base/line_sample.h"
#include "rt/own_memory.h"

enum { FIRST_SLOTS = 1024, DISTANCE_BITS = 8, MOST_LINES = 1 << 14, MOST_WALKED = 1 << 18 };

/* A line's first or last touch by a thread. */
typedef struct touch {
    double when; /* part of the thread's accesses that are made by then */
    uint64_t line;
} touch;

void plussi_carrier_free(plussi_carrier *c)
{
    if (c->begun)
        plussi_linemap_free(&c->slot);
    plussi_free(&plussi_own, c->sum);
    plussi_free(&plussi_own, c->line);
    *c = (plussi_carrier){0};
}

void plussi_carried_free(plussi_carried *carried)
{
    plussi_tally_free(&carried->distance);
    plussi_free(&plussi_own, carried->groups);
    *carried = (plussi_carried){0};
}

bool plussi_carried_add(plussi_carried *to, const plussi_carried *from)
{
    to->lines += from->lines;
    to->shift = from->shift > to->shift ? from->shift : to->shift;
    to->known = to->known && from->known;
    if (from->groups && !to->groups &&
        !(to->groups = plussi_calloc(&plussi_own, 1, sizeof *to->groups)))
        return false;
    if (from->groups)
        plussi_line_groups_merge(to->groups, from->groups);
    return plussi_tally_merge(&to->distance, &from->distance);
}

uint64_t plussi_carried_error(const plussi_carried *carried)
{
    if (!carried->groups)
        return 0;
    double lines = 0;
    for (unsigned g = 0; g < PLUSSI_LINE_GROUPS; g++)
        for (unsigned bin = 0; bin < PLUSSI_COARSE_BINS; bin++)
            lines += carried->groups->count[g][bin];
    return (uint64_t)(lines * plussi_line_groups_error(carried->groups) + 0.5);
}

/* ---- slots -------------------------------------------------------------------------------------
 */

static void add(plussi_carrier *c, size_t slot, uint32_t one)
{
    for (; slot <= c->size; slot += slot & -slot)
        c->sum[slot] += one;
}

static uint32_t count_up_to(const plussi_carrier *c, size_t slot)
{
    uint32_t n = 0;
    for (; slot; slot &= slot - 1)
        n += c->sum[slot];
    return n;
}

/* Makes a tree of slots 1 to lines that are all in use. */
static void fill_tree(plussi_carrier *c)
{
    memset(c->sum, 0, (c->size + 1) * sizeof *c->sum);
    for (size_t i = 1; i <= c->size; i++) {
        c->sum[i] += i <= c->lines;
        if (i + (i & -i) <= c->size)
            c->sum[i + (i & -i)] += c->sum[i];
    }
}

/* Room for n more slots: holes are filled, and there are more of them if most are in use. */
static bool make_room(plussi_carrier *c, size_t n)
{
    if (c->size - c->used >= n)
        return true;
    size_t kept = 0, size = c->size ? c->size : FIRST_SLOTS;
    for (size_t i = 1; i <= c->used; i++) {
        if (!c->line[i])
            continue;
        c->line[++kept] = c->line[i];
        *plussi_linemap_at(&c->slot, c->line[kept] - 1) = kept;
    }
    c->used = kept;
    while (size / 2 < kept + n)
        size *= 2;
    if (size > UINT32_MAX / 2)
        return false;
    if (size != c->size) {
        uint32_t *sum = plussi_realloc(&plussi_own, c->sum, size + 1, sizeof *sum);
        c->sum = sum ? sum : c->sum;
        uint64_t *line = sum ? plussi_realloc(&plussi_own, c->line, size + 1, sizeof *line) : NULL;
        if (!line)
            return false;
        c->line = line;
        c->size = size;
    }
    fill_tree(c);
    return true;
}

/* Puts the line of this slot (its own place in the map) on top. */
static void put_on_top(plussi_carrier *c, uint64_t line, uint64_t *slot)
{
    if (*slot) {
        add(c, *slot, (uint32_t)-1);
        c->line[*slot] = 0;
    } else {
        c->lines++;
    }
    *slot = ++c->used;
    c->line[c->used] = line + 1; /* 0: a hole */
    add(c, c->used, 1);
}

/* Leaves one line in 2^shift: those that runs from now on follow. */
static void follow(plussi_carrier *c, unsigned shift)
{
    const uint64_t threshold = plussi_line_threshold(shift);
    for (size_t i = 1; i <= c->used; i++) {
        const uint64_t line = c->line[i] - 1;
        if (!c->line[i] || plussi_line_hash(line) <= threshold)
            continue;
        add(c, i, (uint32_t)-1);
        c->line[i] = 0;
        c->lines--;
        *plussi_linemap_at(&c->slot, line) = 0;
    }
    c->shift = shift;
}

/* ---- runs --------------------------------------------------------------------------------------
 */

static bool is_before(const touch *a, const touch *b)
{
    return a->when != b->when ? a->when < b->when : a->line < b->line;
}

/* Sorts by time: merges, longer and longer. room: for as many touches.
 * Not qsort, which may allocate memory of the program's. O(n log n). */
static void sort_by_time(touch *list, touch *room, size_t n)
{
    touch *from = list, *to = room;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t first = 0; first < n; first += 2 * width) {
            const size_t middle = first + width < n ? first + width : n;
            const size_t end = first + 2 * width < n ? first + 2 * width : n;
            size_t a = first, b = middle;
            for (size_t i = first; i < end; i++)
                to[i] = b == end || (a < middle && !is_before(&from[b], &from[a])) ? from[a++]
                                                                                   : from[b++];
        }
        touch *other = from;
        from = to;
        to = other;
    }
    if (from != list)
        memcpy(list, from, n * sizeof *list);
}

/* First touches since the thread was paused: of lines that were new then, from number
 * first_new(c) on. */
static size_t first_new(const plussi_collector *c)
{
    size_t i = c->n_first;
    while (i && c->first[i - 1].at > c->paused)
        i--;
    return i;
}

static size_t count_touches(plussi_collector *const *thread, uint32_t n)
{
    size_t touches = 0;
    for (uint32_t k = 0; k < n; k++)
        if (thread[k])
            touches += thread[k]->n_first - first_new(thread[k]) + thread[k]->n_again;
    return touches;
}

static size_t list_of_thread(plussi_collector *c, const plussi_first_touch *first, size_t n,
                             uint64_t threshold, bool last, touch *list)
{
    const double accesses = (double)(c->clock - c->paused);
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        if (plussi_line_hash(first[i].line) > threshold)
            continue;
        const uint64_t *at = !last           ? &first[i].at
                             : first[i].last ? &first[i].last
                                             : plussi_linemap_known(&c->last, first[i].line);
        list[length++] =
            (touch){(double)((at ? *at : first[i].at) - c->paused) / accesses, first[i].line};
    }
    return length;
}

/* list: room for twice as many touches as there are. */
static size_t list_touches(plussi_collector *const *thread, uint32_t n, uint64_t threshold,
                           bool last, touch *list)
{
    size_t length = 0;
    for (uint32_t k = 0; k < n; k++) {
        plussi_collector *c = thread[k];
        if (!c)
            continue;
        const size_t from = first_new(c);
        length += list_of_thread(c, c->again, c->n_again, threshold, last, list + length);
        length +=
            list_of_thread(c, c->first + from, c->n_first - from, threshold, last, list + length);
    }
    sort_by_time(list, list + length, length);
    return length;
}

static uint64_t rounded(uint64_t distance)
{
    unsigned bits = 0;
    while (distance >> bits >> DISTANCE_BITS)
        bits++;
    return distance >> bits << bits;
}

/* Lines in the order of their first touches: a line's second one is no longer below `bottom`.
 * distinct: each once, *n_distinct of them. */
static bool carry_first(plussi_carrier *c, const touch *list, size_t n,
                        const plussi_carry_into *into, uint64_t *distinct, size_t *n_distinct)
{
    plussi_carried *const carried = into->carried;
    const size_t bottom = c->used;
    const uint64_t weight = (uint64_t)1 << c->shift;
    if (c->shift && !carried->groups &&
        !(carried->groups = plussi_calloc(&plussi_own, 1, sizeof *carried->groups)))
        return false;
    carried->shift = c->shift > carried->shift ? c->shift : carried->shift;
    for (size_t i = 0; i < n; i++) {
        uint64_t *slot = plussi_linemap_at(&c->slot, list[i].line);
        if (!slot)
            return false;
        if (*slot > bottom)
            continue;
        uint32_t bin = PLUSSI_NEVER_BIN;
        const bool again = into->seen && plussi_tally_has(into->seen, list[i].line);
        carried->lines += again ? 0 : weight;
        if (*slot && !again) {
            const uint64_t distance = (c->lines - count_up_to(c, *slot)) << c->shift;
            bin = plussi_bin_of(distance, PLUSSI_COARSE_BITS);
            if (!plussi_tally_add(&carried->distance, rounded(distance), weight))
                return false;
        }
        if (into->piece && !again && !plussi_tally_add(into->seen, list[i].line, 1))
            return false;
        if (c->shift && !again)
            plussi_line_group_of(carried->groups, plussi_line_hash(list[i].line))[bin] +=
                (double)weight;
        put_on_top(c, list[i].line, slot);
        distinct[(*n_distinct)++] = list[i].line;
    }
    return true;
}

/* The run's lines, in the order of first touches, once they are in that of the last ones. */
static void tell_lines(plussi_carrier *c, const uint64_t *line, size_t n, plussi_run_order *order)
{
    for (size_t i = 0; i < n; i++)
        plussi_order_line(order, line[i], *plussi_linemap_at(&c->slot, line[i]));
}

static bool carry(plussi_carrier *c, plussi_collector *const *thread, uint32_t n, unsigned shift,
                  const plussi_carry_into *into)
{
    size_t length = count_touches(thread, n);
    if (!c->begun)
        plussi_linemap_init(&c->slot, &plussi_own);
    c->begun = true;
    unsigned kept = shift > c->shift ? shift : c->shift;
    while (length >> (kept - shift) > MOST_LINES && kept < PLUSSI_LEAST_RATE_BITS)
        kept++;
    if (kept > c->shift)
        follow(c, kept);
    const uint64_t threshold = plussi_line_threshold(c->shift);
    touch *list = plussi_alloc(&plussi_own, 2 * (length + 1), sizeof *list);
    uint64_t *distinct = plussi_alloc(&plussi_own, length + 1, sizeof *distinct);
    size_t n_distinct = 0;
    bool known = list && distinct && make_room(c, 2 * length);
    if (known) {
        length = list_touches(thread, n, threshold, false, list);
        known = carry_first(c, list, length, into, distinct, &n_distinct);
    }
    if (known) {
        length = list_touches(thread, n, threshold, true, list);
        for (size_t i = 0; i < length; i++)
            put_on_top(c, list[i].line, plussi_linemap_at(&c->slot, list[i].line));
        (into->piece ? plussi_order_piece : plussi_order_recorded)(into->order, into->block,
                                                                   c->shift);
        tell_lines(c, distinct, n_distinct, into->order);
        while (c->lines > MOST_LINES && c->shift < PLUSSI_LEAST_RATE_BITS)
            follow(c, c->shift + 1);
    }
    plussi_free(&plussi_own, list);
    plussi_free(&plussi_own, distinct);
    return known;
}

void plussi_carry(plussi_carrier *c, plussi_collector *const *thread, uint32_t n, unsigned shift,
                  const plussi_carry_into *into)
{
    c->failed = c->failed || !carry(c, thread, n, shift, into);
    into->carried->known = into->carried->known && !c->failed;
    if (c->failed)
        plussi_order_lose(into->order);
}

/* list: by time, of all threads; rank: the number of each line's last touch, from 1. */
static bool tell_walked(plussi_collector *const *thread, uint32_t n, uint64_t threshold,
                        touch *list, plussi_linemap *rank, plussi_run_order *order)
{
    size_t length = list_touches(thread, n, threshold, true, list);
    for (size_t i = 0; i < length; i++) {
        uint64_t *at = plussi_linemap_at(rank, list[i].line);
        if (!at)
            return false;
        *at = i + 1;
    }
    length = list_touches(thread, n, threshold, false, list);
    for (size_t i = 0; i < length; i++) {
        uint64_t *at = plussi_linemap_at(rank, list[i].line);
        if (*at)
            plussi_order_line(order, list[i].line, *at);
        *at = 0; /* another thread's first touch of it is later */
    }
    return true;
}

/* First touches of lines up to the threshold, of threads that were not paused. */
static size_t count_followed(plussi_collector *const *thread, uint32_t n, uint64_t threshold)
{
    size_t touches = 0;
    for (uint32_t k = 0; k < n; k++)
        for (size_t i = 0; thread[k] && i < thread[k]->n_first; i++)
            touches += plussi_line_hash(thread[k]->first[i].line) <= threshold;
    return touches;
}

void plussi_carry_walked(plussi_run_order *order, plussi_collector *const *thread, uint32_t n,
                         uint32_t block, uint32_t place)
{
    const size_t all = count_touches(thread, n);
    unsigned shift = order->shift;
    while (all >> shift > MOST_WALKED && shift < PLUSSI_LEAST_RATE_BITS)
        shift++;
    const size_t followed = count_followed(thread, n, plussi_line_threshold(shift));
    touch *list = plussi_alloc(&plussi_own, 2 * (followed + 1), sizeof *list);
    plussi_linemap rank;
    plussi_linemap_init(&rank, &plussi_own);
    plussi_order_walked(order, block, place, shift);
    if (!list || !tell_walked(thread, n, plussi_line_threshold(shift), list, &rank, order))
        plussi_order_drop(order);
    plussi_linemap_free(&rank);
    plussi_free(&plussi_own, list);
}
