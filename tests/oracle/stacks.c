/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stacks.h"

#include <assert.h>
#include <string.h>

#include "base/linemap.h"
#include "base/rng.h"
#include "exact/lru.h"

/* What all have: a line's value in the map is 0 where it was not touched before. */
struct stack {
    plussi_mem mem;
    plussi_linemap map;
    plussi_ctx ctx;
    plussi_lru *lru; /* runtime/exact's */
    uint64_t now, lines;
    /* the list: by number, from 1 on; 0: none */
    struct element {
        uint64_t line;
        uint32_t above, below, group;
    } * element;
    size_t cap;
    uint32_t top;
    /* markers */
    uint32_t *marker; /* elements at depths spacing, 2 spacing, ... */
    uint32_t n_markers, spacing, cap_markers;
    /* trees over the accesses */
    uint32_t *level[32];
    uint64_t size[32];
    uint64_t *bits;
    unsigned levels;
    /* intervals of holes */
    struct interval {
        uint64_t first, last, sum; /* sum: holes in the node and below it */
        uint32_t left, right, weight;
    } * node;
    uint32_t root, n_nodes, spare, *unused;
    size_t cap_nodes, cap_unused;
    plussi_rng rng;
};

static stack *make(const plussi_mem *mem)
{
    stack *s = plussi_calloc(mem, 1, sizeof *s);
    if (s) {
        s->mem = *mem;
        plussi_linemap_init(&s->map, mem);
        plussi_rng_seed(&s->rng, 4, 2);
    }
    return s;
}

static void free_stack(stack *s)
{
    plussi_linemap_free(&s->map);
    plussi_free(&s->mem, s->element);
    plussi_free(&s->mem, s->marker);
    for (unsigned i = 0; i < 32; i++)
        plussi_free(&s->mem, s->level[i]);
    plussi_free(&s->mem, s->bits);
    plussi_free(&s->mem, s->node);
    plussi_free(&s->mem, s->unused);
    plussi_free(&s->mem, s);
}

static void grow(stack *s, void *array, size_t *cap, size_t n, size_t size)
{
    const pluss_status status = plussi_grow(&s->mem, array, cap, n, size);
    assert(status == PLUSS_OK);
    (void)status;
}

/* ---- runtime/exact ------------------------------------------------------------------------------
 */

static stack *make_default(const plussi_mem *mem, uint64_t accesses)
{
    stack *s = make(mem);
    (void)accesses;
    if (!s)
        return NULL;
    plussi_ctx_init(&s->ctx, mem);
    if (plussi_lru_new(&s->ctx, &s->lru) == PLUSS_OK)
        return s;
    free_stack(s);
    return NULL;
}

static uint64_t touch_default(stack *s, uint64_t line)
{
    return plussi_lru_touch(s->lru, line);
}

static void free_default(stack *s)
{
    plussi_lru_free(s->lru);
    plussi_ctx_clear(&s->ctx);
    free_stack(s);
}

/* ---- the list (section 4.2.1) -------------------------------------------------------------------
 */

static stack *make_list(const plussi_mem *mem, uint64_t accesses)
{
    stack *s = make(mem);
    (void)accesses;
    if (s)
        grow(s, &s->element, &s->cap, 0, sizeof *s->element);
    return s;
}

static uint32_t add_element(stack *s, uint64_t line)
{
    const uint32_t e = (uint32_t)++s->lines;
    grow(s, &s->element, &s->cap, e, sizeof *s->element);
    s->element[e] = (struct element){.line = line};
    return e;
}

static void unlink_element(stack *s, uint32_t e)
{
    const struct element *x = &s->element[e];
    if (x->above)
        s->element[x->above].below = x->below;
    else
        s->top = x->below;
    if (x->below)
        s->element[x->below].above = x->above;
}

static void put_on_top(stack *s, uint32_t e)
{
    s->element[e].above = 0;
    s->element[e].below = s->top;
    if (s->top)
        s->element[s->top].above = e;
    s->top = e;
}

static uint64_t touch_list(stack *s, uint64_t line)
{
    uint64_t depth = 0;
    uint32_t e = s->top;
    while (e && s->element[e].line != line) {
        e = s->element[e].below;
        depth++;
    }
    if (e)
        unlink_element(s, e);
    const bool cold = e == 0;
    put_on_top(s, cold ? add_element(s, line) : e);
    return cold ? PLUSSI_LRU_COLD : depth;
}

/* ---- markers (section 4.2.2) --------------------------------------------------------------------
 *
 * Marker m (from 1 on) is at the element of depth m * spacing, and an element's group is the number
 * of markers at or above it: from there one counts steps. All markers above an element that goes to
 * the top move one element up. The spacing is about the square root of the lines.
 */

static stack *make_markers(const plussi_mem *mem, uint64_t accesses)
{
    stack *s = make_list(mem, accesses);
    if (s)
        s->spacing = 16;
    return s;
}

static void set_marker(stack *s, uint32_t number, uint32_t e)
{
    size_t cap = s->cap_markers;
    grow(s, &s->marker, &cap, number, sizeof *s->marker);
    s->cap_markers = (uint32_t)cap;
    s->marker[number] = e;
}

static void space_markers(stack *s)
{
    uint64_t depth = 0;
    s->spacing *= 2;
    s->n_markers = 0;
    for (uint32_t e = s->top; e; e = s->element[e].below, depth++) {
        if (depth && depth % s->spacing == 0)
            set_marker(s, ++s->n_markers, e);
        s->element[e].group = s->n_markers;
    }
}

/* The element on top is about to have others above: the markers down to the group move up. */
static void move_markers(stack *s, uint32_t group)
{
    for (uint32_t m = 1; m <= group; m++) {
        const uint32_t up = s->element[s->marker[m]].above;
        s->marker[m] = up;
        s->element[up].group = m;
    }
}

static uint64_t touch_markers(stack *s, uint64_t line)
{
    uint64_t *found = plussi_linemap_at(&s->map, line);
    if (!*found) {
        /* all go down by one, and the last may come to a marker's depth */
        uint32_t last_group = s->n_markers;
        move_markers(s, last_group);
        const uint32_t e = add_element(s, line);
        *found = e;
        put_on_top(s, e);
        s->element[e].group = 0;
        if ((s->lines - 1) % s->spacing == 0 && s->lines > 1) {
            /* the last element: follow from the last marker */
            uint32_t last = s->n_markers ? s->marker[s->n_markers] : s->top;
            while (s->element[last].below)
                last = s->element[last].below;
            set_marker(s, ++s->n_markers, last);
            s->element[last].group = s->n_markers;
        }
        if (s->lines > 4ull * s->spacing * s->spacing)
            space_markers(s);
        return PLUSSI_LRU_COLD;
    }
    const uint32_t e = (uint32_t)*found, group = s->element[e].group;
    const uint32_t start = group ? s->marker[group] : s->top;
    uint64_t depth = (uint64_t)group * s->spacing;
    for (uint32_t up = e; up != start; up = s->element[up].above)
        depth++;
    if (s->top == e)
        return 0;
    move_markers(s, group);
    unlink_element(s, e);
    put_on_top(s, e);
    s->element[e].group = 0;
    return depth;
}

/* ---- Bennett and Kruskal (section 4.2.4)
 * ----------------------------------------------------------
 *
 * A 1 for each access that is the last one to its line, and sums of 16 of them, of 16 of these, and
 * so on: of all accesses that there will be.
 */

enum { ARITY_BITS = 4, ARITY = 1 << ARITY_BITS };

static stack *make_sums(const plussi_mem *mem, uint64_t accesses)
{
    stack *s = make(mem);
    if (!s)
        return NULL;
    for (uint64_t n = accesses; s->levels == 0 || s->size[s->levels - 1] > 1;
         n = (n + ARITY - 1) >> ARITY_BITS) {
        s->size[s->levels] = (n + ARITY) & ~(uint64_t)(ARITY - 1);
        s->level[s->levels] = plussi_calloc(mem, s->size[s->levels], sizeof **s->level);
        if (!s->level[s->levels++]) {
            free_stack(s);
            return NULL;
        }
        if (n <= 1)
            break;
    }
    return s;
}

static void add_to_sums(stack *s, uint64_t at, uint32_t by)
{
    for (unsigned l = 0; l < s->levels; l++, at >>= ARITY_BITS)
        s->level[l][at] += by;
}

static uint64_t touch_sums(stack *s, uint64_t line)
{
    uint64_t *last = plussi_linemap_at(&s->map, line), count = PLUSSI_LRU_COLD;
    if (*last) {
        uint64_t at = *last - 1;
        count = 0;
        for (unsigned l = 0; l < s->levels; l++, at >>= ARITY_BITS)
            for (uint64_t i = at + 1; i & (ARITY - 1); i++)
                count += s->level[l][i];
        add_to_sums(s, *last - 1, UINT32_MAX);
    }
    add_to_sums(s, s->now, 1);
    *last = ++s->now;
    return count;
}

/* ---- preallocated tree of holes (section 4.2.7)
 * ---------------------------------------------------
 *
 * Accesses that are no longer the last ones to their lines, in bits, and how many of them there are
 * below each node of a binary tree. One traversal counts and adds.
 */

enum { WORD_BITS = 6 };

static stack *make_holes(const plussi_mem *mem, uint64_t accesses)
{
    stack *s = make(mem);
    if (!s)
        return NULL;
    uint64_t n = (accesses >> WORD_BITS) + 1;
    s->bits = plussi_calloc(mem, n, sizeof *s->bits);
    for (; s->bits; n = (n + 1) / 2) {
        s->size[s->levels] = n + 1;
        s->level[s->levels] = plussi_calloc(mem, n + 1, sizeof **s->level);
        if (!s->level[s->levels++])
            break;
        if (n == 1)
            return s;
    }
    free_stack(s);
    return NULL;
}

static uint64_t touch_holes(stack *s, uint64_t line)
{
    uint64_t *last = plussi_linemap_at(&s->map, line), distance = PLUSSI_LRU_COLD;
    if (*last) {
        const uint64_t at = *last - 1;
        uint64_t word = at >> WORD_BITS, holes;
        const unsigned bit = at & 63;
        holes = (uint64_t)__builtin_popcountll(s->bits[word] >> bit);
        s->bits[word] |= 1ull << bit;
        for (unsigned l = 0; l < s->levels; l++, word >>= 1) {
            s->level[l][word]++;
            if (!(word & 1))
                holes += s->level[l][word + 1];
        }
        distance = s->now - at - 1 - holes;
    }
    *last = ++s->now;
    return distance;
}

/* ---- interval tree of holes (section 4.2.6)
 * -------------------------------------------------------
 *
 * The same holes as intervals, in a treap.
 */

static stack *make_intervals(const plussi_mem *mem, uint64_t accesses)
{
    stack *s = make(mem);
    (void)accesses;
    if (s) {
        grow(s, &s->node, &s->cap_nodes, 0, sizeof *s->node);
        s->node[0] = (struct interval){0};
    }
    return s;
}

static void set_sum(stack *s, uint32_t n)
{
    struct interval *x = &s->node[n];
    x->sum = x->last - x->first + 1 + s->node[x->left].sum + s->node[x->right].sum;
}

static uint32_t new_node(stack *s, uint64_t at)
{
    uint32_t n;
    if (s->spare) {
        n = s->unused[--s->spare];
    } else {
        n = ++s->n_nodes;
        grow(s, &s->node, &s->cap_nodes, n, sizeof *s->node);
    }
    s->node[n] = (struct interval){at, at, 1, 0, 0, (uint32_t)plussi_rng_below(&s->rng, 1u << 31)};
    return n;
}

static void drop_node(stack *s, uint32_t n)
{
    grow(s, &s->unused, &s->cap_unused, s->spare, sizeof *s->unused);
    s->unused[s->spare++] = n;
}

static uint32_t join(stack *s, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return a ? a : b;
    if (s->node[a].weight > s->node[b].weight) {
        s->node[a].right = join(s, s->node[a].right, b);
        set_sum(s, a);
        return a;
    }
    s->node[b].left = join(s, a, s->node[b].left);
    set_sum(s, b);
    return b;
}

/* Those before `at`, and those after it. */
static void split(stack *s, uint32_t n, uint64_t at, uint32_t *before, uint32_t *after)
{
    if (!n) {
        *before = *after = 0;
        return;
    }
    uint32_t part;
    if (s->node[n].last < at) {
        split(s, s->node[n].right, at, &part, after);
        s->node[n].right = part;
        *before = n;
    } else {
        split(s, s->node[n].left, at, before, &part);
        s->node[n].left = part;
        *after = n;
    }
    set_sum(s, n);
}

/* Takes the interval that begins after `at` right there, if there is one: *last is then its end. */
static uint32_t take_first(stack *s, uint32_t n, uint64_t at, uint64_t *last)
{
    if (!n)
        return 0;
    if (s->node[n].left) {
        s->node[n].left = take_first(s, s->node[n].left, at, last);
        set_sum(s, n);
        return n;
    }
    if (s->node[n].first != at + 1)
        return n;
    *last = s->node[n].last;
    drop_node(s, n);
    return s->node[n].right;
}

static uint32_t take_last(stack *s, uint32_t n, uint64_t at, uint64_t *first)
{
    if (!n)
        return 0;
    if (s->node[n].right) {
        s->node[n].right = take_last(s, s->node[n].right, at, first);
        set_sum(s, n);
        return n;
    }
    if (s->node[n].last + 1 != at)
        return n;
    *first = s->node[n].first;
    drop_node(s, n);
    return s->node[n].left;
}

/* Holes after `at`. */
static uint64_t count_after(const stack *s, uint64_t at)
{
    uint64_t holes = 0;
    for (uint32_t n = s->root; n;) {
        const struct interval *x = &s->node[n];
        if (at < x->first) {
            holes += x->last - x->first + 1 + s->node[x->right].sum;
            n = x->left;
        } else {
            n = x->right;
        }
    }
    return holes;
}

static void add_hole(stack *s, uint64_t at)
{
    uint32_t before, after;
    uint64_t first = at, last = at;
    split(s, s->root, at, &before, &after);
    before = take_last(s, before, at, &first);
    after = take_first(s, after, at, &last);
    const uint32_t n = new_node(s, at);
    s->node[n].first = first;
    s->node[n].last = last;
    set_sum(s, n);
    s->root = join(s, join(s, before, n), after);
}

static uint64_t touch_intervals(stack *s, uint64_t line)
{
    uint64_t *last = plussi_linemap_at(&s->map, line), distance = PLUSSI_LRU_COLD;
    if (*last) {
        const uint64_t at = *last - 1;
        distance = s->now - at - 1 - count_after(s, at);
        add_hole(s, at);
    }
    *last = ++s->now;
    return distance;
}

const stack_algorithm stack_algorithms[] = {
    {"marks", "O(log distance), amortised", make_default, touch_default, free_default},
    {"list", "O(M)", make_list, touch_list, free_stack},
    {"markers", "O(sqrt M)", make_markers, touch_markers, free_stack},
    {"partial sums", "O(log N)", make_sums, touch_sums, free_stack},
    {"hole intervals", "O(log M)", make_intervals, touch_intervals, free_stack},
    {"hole tree", "O(log N)", make_holes, touch_holes, free_stack},
};
