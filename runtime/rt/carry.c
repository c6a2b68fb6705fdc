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

/* A line of the run that is added, and its slot. */
typedef struct own_line {
    uint64_t line, *slot;
} own_line;

/* In place of a slot: a line that the run has touched, until all of its lines get their slots. */
static const uint64_t TAKEN = UINT64_MAX;

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

static void take_out(plussi_carrier *c, size_t slot)
{
    add(c, slot, (uint32_t)-1);
    c->line[slot] = 0; /* a hole */
}

/* Marks the next n slots as in use. A node of the tree has the sum over as many slots, up to its
 * own, as its lowest bit says. O(n + log size). */
static void add_on_top(plussi_carrier *c, size_t n)
{
    const size_t before = c->used, end = before + n;
    for (size_t i = before + 1; i <= c->size; i += i < end ? 1 : i & -i) {
        const size_t from = i - (i & -i);
        c->sum[i] += (uint32_t)((i < end ? i : end) - (from > before ? from : before));
    }
    c->used = end;
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

static inline bool is_earlier(const touch *x, const touch *y)
{
    return x->when != y->when ? x->when < y->when : x->line < y->line;
}

/* The end of the touches in order that begin with number i of n. */
static size_t end_of_sorted(const touch *list, size_t i, size_t n)
{
    do
        i++;
    while (i < n && !is_earlier(&list[i], &list[i - 1]));
    return i;
}

static void merge(const touch *x, const touch *x_end, const touch *y, const touch *y_end, touch *to)
{
    while (x < x_end && y < y_end)
        *to++ = is_earlier(y, x) ? *y++ : *x++;
    memcpy(to, x, (size_t)(x_end - x) * sizeof *to);
    memcpy(to + (x_end - x), y, (size_t)(y_end - y) * sizeof *to);
}

/* Sorts n touches by time; the result is in one of the two arrays. Each thread's first touches are
 * in order, and most of its last ones are in many programs: sequences in order are merged, two by
 * two (natural merge sort; Knuth, "The Art of Computer Programming", volume 3, section 5.2.4).
 * O(n log sequences). */
static touch *sort_touches(touch *list, size_t n, touch *room)
{
    while (n && end_of_sorted(list, 0, n) < n) {
        for (size_t i = 0, middle, end; i < n; i = end) {
            middle = end_of_sorted(list, i, n);
            end = middle < n ? end_of_sorted(list, middle, n) : n;
            merge(list + i, list + middle, list + middle, list + end, room + i);
        }
        touch *sorted = room;
        room = list;
        list = sorted;
    }
    return list;
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

/* Two arrays: of touches, and for sorting them. */
typedef struct touch_list {
    touch *list, *room;
    size_t n;
} touch_list;

static bool make_touches(touch_list *t, size_t most)
{
    *t = (touch_list){plussi_alloc(&plussi_own, most + 1, sizeof *t->list),
                      plussi_alloc(&plussi_own, most + 1, sizeof *t->room), 0};
    return t->list && t->room;
}

static void free_touches(touch_list *t)
{
    plussi_free(&plussi_own, t->list);
    plussi_free(&plussi_own, t->room);
}

/* The first or last touches of all threads, by time. */
static void list_touches(touch_list *t, plussi_collector *const *thread, uint32_t n,
                         uint64_t threshold, bool last)
{
    t->n = 0;
    for (uint32_t k = 0; k < n; k++) {
        plussi_collector *c = thread[k];
        if (!c)
            continue;
        const size_t from = first_new(c);
        t->n += list_of_thread(c, c->again, c->n_again, threshold, last, t->list + t->n);
        t->n +=
            list_of_thread(c, c->first + from, c->n_first - from, threshold, last, t->list + t->n);
    }
    touch *sorted = sort_touches(t->list, t->n, t->room);
    if (sorted != t->list)
        t->room = t->list;
    t->list = sorted;
}

static uint64_t rounded(uint64_t distance)
{
    unsigned bits = 0;
    while (distance >> bits >> DISTANCE_BITS)
        bits++;
    return distance >> bits << bits;
}

/* Lines in the order of their first touches: those of the run are then in no slot. own: each once,
 * *n_own of them. */
static bool carry_first(plussi_carrier *c, const touch_list *first, const plussi_carry_into *into,
                        own_line *own, size_t *n_own)
{
    plussi_carried *const carried = into->carried;
    const uint64_t weight = (uint64_t)1 << c->shift;
    if (c->shift && !carried->groups &&
        !(carried->groups = plussi_calloc(&plussi_own, 1, sizeof *carried->groups)))
        return false;
    carried->shift = c->shift > carried->shift ? c->shift : carried->shift;
    for (size_t i = 0; i < first->n; i++) {
        const uint64_t line = first->list[i].line;
        uint64_t *slot = plussi_linemap_at(&c->slot, line);
        if (!slot)
            return false;
        if (*slot == TAKEN)
            continue;
        uint32_t bin = PLUSSI_NEVER_BIN;
        const bool again = into->seen && plussi_tally_has(into->seen, line);
        carried->lines += again ? 0 : weight;
        if (*slot && !again) {
            const uint64_t distance = (c->lines - count_up_to(c, *slot)) << c->shift;
            bin = plussi_bin_of(distance, PLUSSI_COARSE_BITS);
            if (!plussi_tally_add(&carried->distance, rounded(distance), weight))
                return false;
        }
        if (into->piece && !again && !plussi_tally_add(into->seen, line, 1))
            return false;
        if (c->shift && !again)
            plussi_line_group_of(carried->groups, plussi_line_hash(line))[bin] += (double)weight;
        if (*slot)
            take_out(c, *slot);
        else
            c->lines++;
        *slot = TAKEN;
        own[(*n_own)++] = (own_line){line, slot};
    }
    return true;
}

/* Puts the run's lines on top, in the order of their last touches. */
static void carry_last(plussi_carrier *c, const touch_list *last, size_t n_own)
{
    size_t slot = c->used + n_own;
    for (size_t i = last->n; i-- > 0;) {
        uint64_t *at = plussi_linemap_at(&c->slot, last->list[i].line);
        if (*at != TAKEN)
            continue; /* another thread's is later */
        c->line[slot] = last->list[i].line + 1;
        *at = slot--;
    }
    add_on_top(c, n_own);
}

static bool carry(plussi_carrier *c, plussi_collector *const *thread, uint32_t n, unsigned shift,
                  const plussi_carry_into *into)
{
    const size_t most = count_touches(thread, n);
    if (!c->begun)
        plussi_linemap_init(&c->slot, &plussi_own);
    c->begun = true;
    unsigned kept = shift > c->shift ? shift : c->shift;
    while (most >> (kept - shift) > MOST_LINES && kept < PLUSSI_LEAST_RATE_BITS)
        kept++;
    if (kept > c->shift)
        follow(c, kept);
    const uint64_t threshold = plussi_line_threshold(c->shift);
    touch_list touched;
    own_line *own = plussi_alloc(&plussi_own, most + 1, sizeof *own);
    size_t n_own = 0;
    bool known = make_touches(&touched, most) && own && make_room(c, most);
    if (known) {
        list_touches(&touched, thread, n, threshold, false);
        known = carry_first(c, &touched, into, own, &n_own);
    }
    if (known) {
        list_touches(&touched, thread, n, threshold, true);
        carry_last(c, &touched, n_own);
        (into->piece ? plussi_order_piece : plussi_order_recorded)(into->order, into->block,
                                                                   c->shift);
        for (size_t i = 0; i < n_own; i++)
            plussi_order_line(into->order, own[i].line, *own[i].slot);
        while (c->lines > MOST_LINES && c->shift < PLUSSI_LEAST_RATE_BITS)
            follow(c, c->shift + 1);
    }
    free_touches(&touched);
    plussi_free(&plussi_own, own);
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

/* rank: the number of each line's last touch, from 1. */
static bool tell_walked(plussi_collector *const *thread, uint32_t n, uint64_t threshold,
                        touch_list *touched, plussi_linemap *rank, plussi_run_order *order)
{
    list_touches(touched, thread, n, threshold, true);
    for (size_t i = 0; i < touched->n; i++) {
        uint64_t *at = plussi_linemap_at(rank, touched->list[i].line);
        if (!at)
            return false;
        *at = i + 1;
    }
    list_touches(touched, thread, n, threshold, false);
    for (size_t i = 0; i < touched->n; i++) {
        uint64_t *at = plussi_linemap_at(rank, touched->list[i].line);
        if (*at)
            plussi_order_line(order, touched->list[i].line, *at);
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
    touch_list touched;
    const bool room = make_touches(&touched, followed);
    plussi_linemap rank;
    plussi_linemap_init(&rank, &plussi_own);
    plussi_order_walked(order, block, place, shift);
    if (!room || !tell_walked(thread, n, plussi_line_threshold(shift), &touched, &rank, order))
        plussi_order_drop(order);
    plussi_linemap_free(&rank);
    free_touches(&touched);
}
