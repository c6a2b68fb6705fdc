/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A peer for `make bench`: exact stack distances of a kernel while it runs, by Olken's method
 * (1981). A tree holds the lines that were touched, by the time of their last touch, with the sizes
 * of its subtrees, so that the number of later ones is found on the way down: here a splay tree, as
 * usual. It takes the place of refcount.c.
 * refcount_print tells the accesses, the processor's seconds, and the misses of some sizes.
 */
#include "refcount.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE_SHIFT = 6, MOST_ARRAYS = 16, SIZES = 40 };

typedef struct node {
    uint64_t time, line;
    uint32_t left, right, size; /* 0: none */
} node;

static struct {
    uintptr_t start, end;
} arrays[MOST_ARRAYS];
static size_t n_arrays;
static node *tree; /* [0] is the empty one */
static uint32_t n_nodes, room, root;
static uint32_t *slot;          /* hash table of nodes */
static uint32_t *below, *above; /* nodes passed on the way down, earlier and later ones */
static uint64_t slots, now, accesses,
    hits[SIZES + 1]; /* [k]: distances below 2^k, not below 2^(k-1) */
static clock_t begun;

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

void refcount_array(const char *name, const void *start, size_t bytes)
{
    (void)name;
    if (n_arrays == MOST_ARRAYS)
        abort();
    arrays[n_arrays].start = (uintptr_t)start;
    arrays[n_arrays++].end = (uintptr_t)start + bytes;
}

/* ---- lines -------------------------------------------------------------------------------------
 */

static uint64_t place_of(uint64_t line)
{
    uint64_t at = line * UINT64_C(0x9e3779b97f4a7c15) & (slots - 1);
    while (slot[at] && tree[slot[at]].line != line)
        at = (at + 1) & (slots - 1);
    return at;
}

static void grow(void)
{
    room *= 2;
    slots = 4 * (uint64_t)room;
    tree = must(realloc(tree, room * sizeof *tree));
    below = must(realloc(below, room * sizeof *below));
    above = must(realloc(above, room * sizeof *above));
    free(slot);
    slot = must(calloc(slots, sizeof *slot));
    for (uint32_t i = 1; i <= n_nodes; i++)
        slot[place_of(tree[i].line)] = i;
}

/* ---- the tree ----------------------------------------------------------------------------------
 */

static void count_size(uint32_t x)
{
    tree[x].size = 1 + tree[tree[x].left].size + tree[tree[x].right].size;
}

/* Brings the node of that time, or a neighbour of it, to the root (Sleator and Tarjan 1985,
 * top-down). */
static void splay(uint64_t time)
{
    uint32_t n_below = 0, n_above = 0, x = root;
    while (tree[x].time != time) {
        uint32_t *down = time < tree[x].time ? &tree[x].left : &tree[x].right, y = *down;
        int rising = time > tree[x].time;
        if (!y)
            break;
        uint32_t next = rising ? tree[y].right : tree[y].left;
        if (tree[y].time != time && (time > tree[y].time) == rising && next) { /* rotate */
            uint32_t *inner = rising ? &tree[y].left : &tree[y].right;
            *down = *inner;
            *inner = x;
            count_size(x);
            x = y;
            y = next;
        }
        *(rising ? &below[n_below++] : &above[n_above++]) = x;
        x = y;
    }
    uint32_t earlier = tree[x].left, later = tree[x].right;
    while (n_below > 0) {
        uint32_t y = below[--n_below];
        tree[y].right = earlier;
        count_size(y);
        earlier = y;
    }
    while (n_above > 0) {
        uint32_t y = above[--n_above];
        tree[y].left = later;
        count_size(y);
        later = y;
    }
    tree[x].left = earlier;
    tree[x].right = later;
    count_size(x);
    root = x;
}

/* Makes a node without subtrees the latest. */
static void append(uint32_t x)
{
    tree[x].time = ++now;
    tree[x].left = tree[x].right = 0;
    if (root) {
        splay(now);
        tree[x].left = root;
    }
    root = x;
    count_size(x);
}

/* Takes out the root. */
static void remove_root(void)
{
    uint32_t earlier = tree[root].left, later = tree[root].right;
    root = earlier;
    if (!earlier) {
        root = later;
        return;
    }
    splay(UINT64_MAX); /* the latest of them, which has none after it */
    tree[root].right = later;
    count_size(root);
}

static void touch(uint64_t line)
{
    uint64_t at = place_of(line);
    uint32_t x = slot[at], k = 0;
    accesses++;
    if (!x) {
        if (n_nodes + 1 == room) {
            grow();
            at = place_of(line);
        }
        x = slot[at] = ++n_nodes;
        tree[x].line = line;
        append(x);
        return;
    }
    if (x != root || tree[x].right) {
        splay(tree[x].time);
        for (uint32_t distance = tree[tree[x].right].size; distance; distance /= 2)
            k++;
        remove_root();
        append(x);
    }
    hits[k]++;
}

void refcount_access(const void *address, const char *kind)
{
    for (size_t a = 0; begun && a < n_arrays; a++)
        if ((uintptr_t)address >= arrays[a].start && (uintptr_t)address < arrays[a].end) {
            for (; *kind; kind++)
                touch((uintptr_t)address >> LINE_SHIFT);
            return;
        }
}

void refcount_start(FILE *trace)
{
    (void)trace;
    room = 1024;
    tree = must(calloc(room, sizeof *tree));
    grow();
    begun = clock();
    begun = begun ? begun : 1;
}

void refcount_print(FILE *to)
{
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    uint64_t missed = accesses;
    begun = 0;
    fprintf(to, "accesses %llu seconds %.6f lines %u", (unsigned long long)accesses, seconds,
            n_nodes);
    for (int k = 0; k < SIZES && UINT64_C(1) << k <= 2 * (uint64_t)n_nodes; k++) {
        missed -= hits[k]; /* distances below 2^k hit 2^k lines */
        fprintf(to, " %llu:%llu", 1ULL << k, (unsigned long long)missed);
    }
    fputc('\n', to);
}

void refcount_enter(void (*body)(void *))
{
    (void)body;
}

void refcount_leave(void) {}
