/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stack is marks on slots (see marks.h): lines, in the slot of their last touch, and holes. A
 * hole keeps its slot until it is filled; the topmost hole, in the highest slot, is filled first,
 * so that holes are in a heap. Filling removes its mark, because the new top adds one above all of
 * them.
 */
#include "exact/private_stack.h"

#include "base/heap.h"
#include "base/linemap.h"
#include "exact/marks.h"

enum { INVALIDATED = 1, FIRST_SLOT = 2 }; /* values in a stack's line map; 0: never touched */

typedef struct stack {
    plussi_linemap map; /* line: INVALIDATED, or FIRST_SLOT + slot of its mark */
    plussi_marks marks;
    uint64_t **value; /* by slot: the line's value; NULL for a hole */
    size_t next, n_marks;
    size_t *hole; /* heap, highest slot first */
    size_t n_holes, cap_holes;
} stack;

struct plussi_stacks {
    plussi_mem mem;
    uint32_t team;
    size_t words;         /* of a bit set of threads */
    stack *stack;         /* by thread */
    plussi_linemap lines; /* line: 1 + number in order of first touch */
    uint64_t *holders;    /* by that number: the threads that have a valid copy */
    size_t n_lines, cap_lines;
    uint64_t invalidations;
};

/* ---- the heap of holes -------------------------------------------------------------------------
 */

static bool is_higher(const stack *s, const size_t *a, const size_t *b)
{
    (void)s;
    return *a > *b;
}

PLUSSI_HEAP(holes, size_t, stack, is_higher)

static void push_hole(stack *s, size_t slot)
{
    s->hole[s->n_holes++] = slot;
    holes_rise(s, s->hole, s->n_holes - 1);
}

static size_t pop_hole(stack *s)
{
    size_t top = s->hole[0];
    s->hole[0] = s->hole[--s->n_holes];
    if (s->n_holes > 0)
        holes_sink(s, s->hole, s->n_holes, 0);
    return top;
}

/* ---- slots -------------------------------------------------------------------------------------
 */

/* Compacts lines and holes, in ascending order of slots, to the front of `to`. Holes come out in
 * ascending order: read backwards they are a heap. */
static void move_together(stack *s, uint64_t **to)
{
    size_t n = 0, holes = s->n_holes;
    for (size_t w = 0; w < s->marks.cap >> PLUSSI_MARKS_WORD; w++) {
        for (uint64_t left = s->marks.word[w]; left; left &= left - 1) {
            uint64_t *value = s->value[(w << PLUSSI_MARKS_WORD) + (size_t)__builtin_ctzll(left)];
            to[n] = value;
            if (value)
                *value = FIRST_SLOT + n;
            else
                s->hole[--holes] = n;
            n++;
        }
    }
}

static pluss_status make_room(const plussi_mem *mem, stack *s)
{
    size_t cap = plussi_marks_capacity(s->marks.cap, s->n_marks);
    if (cap == s->marks.cap) {
        move_together(s, s->value);
    } else {
        plussi_marks marks;
        pluss_status status = plussi_marks_new(mem, cap, &marks);
        if (status != PLUSS_OK)
            return status;
        uint64_t **value = plussi_alloc(mem, cap, sizeof(uint64_t *));
        if (!value) {
            plussi_marks_free(mem, &marks);
            return PLUSS_ENOMEM;
        }
        move_together(s, value);
        plussi_marks_free(mem, &s->marks);
        plussi_free(mem, s->value);
        s->marks = marks;
        s->value = value;
    }
    plussi_marks_first(&s->marks, s->n_marks);
    s->next = s->n_marks;
    return PLUSS_OK;
}

/* ---- one stack ---------------------------------------------------------------------------------
 */

/* Brings a line to the top; its slot, if any, is value - FIRST_SLOT. A slot is free. */
static uint64_t to_the_top(stack *s, uint64_t *value)
{
    bool had = *value >= FIRST_SLOT;
    size_t at = had ? *value - FIRST_SLOT : 0, next = s->next;
    uint64_t distance = 0;
    if (had && next == at + 1)
        return 0; /* already at the top */
    if (s->n_holes > 0 && (!had || s->hole[0] > at)) {
        if (had)
            distance = plussi_marks_after(&s->marks, at, next);
        plussi_marks_move(&s->marks, pop_hole(s), next);
        if (had) {
            s->value[at] = NULL;
            push_hole(s, at);
        }
    } else if (had) {
        distance = plussi_marks_move(&s->marks, at, next);
    } else {
        plussi_marks_set(&s->marks, next);
        s->n_marks++;
    }
    s->next++;
    s->value[next] = value;
    *value = FIRST_SLOT + next;
    return distance;
}

static void invalidate_line(stack *s, uint64_t *value)
{
    size_t at = *value - FIRST_SLOT;
    s->value[at] = NULL;
    push_hole(s, at);
    *value = INVALIDATED;
}

/* ---- all of them -------------------------------------------------------------------------------
 */

pluss_status plussi_stacks_new(plussi_ctx *ctx, uint32_t team, plussi_stacks **out)
{
    if (team == 0)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a team of no threads");
    plussi_stacks *stacks = plussi_calloc(&ctx->mem, 1, sizeof *stacks);
    if (!stacks)
        return PLUSS_ENOMEM;
    stacks->mem = ctx->mem;
    stacks->team = team;
    stacks->words = (team - 1) / 64 + 1;
    plussi_linemap_init(&stacks->lines, &stacks->mem);
    stacks->stack = plussi_calloc(&ctx->mem, team, sizeof *stacks->stack);
    if (!stacks->stack) {
        plussi_stacks_free(stacks);
        return PLUSS_ENOMEM;
    }
    for (uint32_t t = 0; t < team; t++)
        plussi_linemap_init(&stacks->stack[t].map, &stacks->mem);
    *out = stacks;
    return PLUSS_OK;
}

void plussi_stacks_free(plussi_stacks *stacks)
{
    if (!stacks)
        return;
    plussi_mem mem = stacks->mem;
    for (uint32_t t = 0; stacks->stack && t < stacks->team; t++) {
        stack *s = &stacks->stack[t];
        plussi_linemap_free(&s->map);
        plussi_marks_free(&mem, &s->marks);
        plussi_free(&mem, s->value);
        plussi_free(&mem, s->hole);
    }
    plussi_free(&mem, stacks->stack);
    plussi_linemap_free(&stacks->lines);
    plussi_free(&mem, stacks->holders);
    plussi_free(&mem, stacks);
}

uint64_t plussi_stacks_invalidations(const plussi_stacks *stacks)
{
    return stacks->invalidations;
}
uint64_t plussi_stacks_footprint(const plussi_stacks *stacks)
{
    return stacks->n_lines;
}

/* The next thread, other than one, that has the line; team: none. */
static uint32_t next_holder(const plussi_stacks *stacks, const uint64_t *holders, uint32_t from,
                            uint32_t but)
{
    for (uint32_t t = from; t < stacks->team;) {
        uint64_t left = holders[t / 64] >> (t % 64);
        if (!left) {
            t = (t / 64 + 1) * 64;
            continue;
        }
        t += (uint32_t)__builtin_ctzll(left);
        if (t != but)
            return t;
        t++;
    }
    return stacks->team;
}

/* Allocates all that a touch may need. The visible state does not change. */
static pluss_status prepare_touch(plussi_stacks *stacks, uint32_t thread, uint64_t number,
                                  bool write)
{
    const plussi_mem *mem = &stacks->mem;
    stack *own = &stacks->stack[thread];
    if (own->next == own->marks.cap) {
        pluss_status status = make_room(mem, own);
        if (status != PLUSS_OK)
            return status;
    }
    if (number == 0)
        return plussi_grow(mem, &stacks->holders, &stacks->cap_lines, stacks->n_lines,
                           stacks->words * sizeof *stacks->holders);
    const uint64_t *holders = stacks->holders + (number - 1) * stacks->words;
    uint32_t t = write ? next_holder(stacks, holders, 0, thread) : stacks->team;
    for (; t < stacks->team; t = next_holder(stacks, holders, t + 1, thread)) {
        stack *s = &stacks->stack[t];
        pluss_status status =
            plussi_grow(mem, &s->hole, &s->cap_holes, s->n_holes, sizeof *s->hole);
        if (status != PLUSS_OK)
            return status;
    }
    return PLUSS_OK;
}

static void invalidate_others(plussi_stacks *stacks, uint64_t *holders, uint32_t thread,
                              uint64_t line)
{
    uint32_t t = next_holder(stacks, holders, 0, thread);
    for (; t < stacks->team; t = next_holder(stacks, holders, t + 1, thread)) {
        /* it touched the line, so that the map has it: no allocation, no failure */
        invalidate_line(&stacks->stack[t], plussi_linemap_at(&stacks->stack[t].map, line));
        holders[t / 64] &= ~((uint64_t)1 << (t % 64));
        stacks->invalidations++;
    }
}

uint64_t plussi_stacks_touch(plussi_stacks *stacks, uint32_t thread, uint64_t line, bool write)
{
    uint64_t *number = plussi_linemap_at(&stacks->lines, line);
    uint64_t *value = plussi_linemap_at(&stacks->stack[thread].map, line);
    if (!number || !value || prepare_touch(stacks, thread, *number, write) != PLUSS_OK)
        return PLUSSI_STACK_FAIL;
    uint64_t result = *value == INVALIDATED ? PLUSSI_STACK_COHERENCE
                      : *number == 0        ? PLUSSI_STACK_COLD
                                            : PLUSSI_STACK_THREAD_FIRST;
    bool has = *value >= FIRST_SLOT;
    if (*number == 0) {
        *number = ++stacks->n_lines;
        uint64_t *fresh = stacks->holders + (*number - 1) * stacks->words;
        for (size_t w = 0; w < stacks->words; w++)
            fresh[w] = 0;
    }
    uint64_t distance = to_the_top(&stacks->stack[thread], value);
    uint64_t *holders = stacks->holders + (*number - 1) * stacks->words;
    if (write)
        invalidate_others(stacks, holders, thread, line);
    holders[thread / 64] |= (uint64_t)1 << (thread % 64);
    return has ? distance : result;
}
