/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The worksharing loops that are compared: every kind of dispatch, steps up and down, ranges,
 * chunks and teams; what is known of each; and how it is printed. A loop of range r is
 *     for (i = FIRST; i < FIRST + r; i += step)      step > 0
 *     for (i = FIRST + r; i > FIRST; i += step)      step < 0
 * and, where it is collapsed, has in it for (j = 0; j < 5; j += 3).
 */
#ifndef TESTS_LIBGOMP_LOOPS_H
#define TESTS_LIBGOMP_LOOPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BY_BLOCK,
    BY_STATIC,
    BY_DYNAMIC,
    BY_GUIDED,
    BY_COLLAPSED_STATIC,
    BY_COLLAPSED_GUIDED,
    N_KINDS
};
enum { MOST_STEP = 5, N_STEPS = 2 * MOST_STEP, N_LOOPS = N_KINDS * N_STEPS };
enum { MOST_TEAM = 9, MOST_CHUNK = 4, MOST_RANGE = 40, MOST_ITERATIONS = 2 * MOST_RANGE };

enum { FIRST = 10 }; /* above the steps: unsigned variables that go down do not wrap */

typedef struct loop {
    int kind, step, range, chunk, team; /* chunk 0: BY_BLOCK */
    int n;                              /* iterations */
    /* Of static loops the thread that executes each iteration, plus 1; of the others the size of
     * the chunk that begins with it. 0: not known. */
    uint8_t at[MOST_ITERATIONS];
    bool dealt; /* not static, and threads none the less */
} loop;

static loop table[N_LOOPS][MOST_TEAM][MOST_CHUNK][MOST_RANGE + 1];

static inline bool is_static(const loop *l)
{
    return l->kind == BY_BLOCK || l->kind == BY_STATIC || l->kind == BY_COLLAPSED_STATIC;
}

static inline bool has_threads(const loop *l)
{
    return is_static(l) || l->dealt;
}

static inline bool is_collapsed(const loop *l)
{
    return l->kind >= BY_COLLAPSED_STATIC;
}

/* The number of the iteration with this i, and j where the loop is collapsed. */
static inline int number_of(const loop *l, int i, int j)
{
    int number = l->step > 0 ? (i - FIRST) / l->step : (FIRST + l->range - i) / -l->step;
    return is_collapsed(l) ? 2 * number + j / 3 : number;
}

/* Iteration `number` is executed by this thread; where it is told twice, by number 254. */
static inline void note_owner(loop *l, int number, uint32_t thread)
{
    l->at[number] = l->at[number] ? UINT8_MAX : (uint8_t)(thread + 1);
}

/* Goes through all loops in the order of `id`, team, chunk, range. */
static inline void for_each_loop(void (*fn)(loop *l))
{
    for (int id = 0; id < N_LOOPS; id++)
        for (int team = 1; team <= MOST_TEAM; team++)
            for (int chunk = 1; chunk <= (id / N_STEPS == BY_BLOCK ? 1 : MOST_CHUNK); chunk++)
                for (int range = 0; range <= MOST_RANGE; range++)
                    fn(&table[id][team - 1][chunk - 1][range]);
}

static inline void fill_table(void)
{
    for (int id = 0; id < N_LOOPS; id++)
        for (int team = 1; team <= MOST_TEAM; team++)
            for (int chunk = 1; chunk <= MOST_CHUNK; chunk++)
                for (int range = 0; range <= MOST_RANGE; range++) {
                    int size = id % MOST_STEP + 1, step = id % N_STEPS < MOST_STEP ? size : -size;
                    loop l = {.kind = id / N_STEPS,
                              .step = step,
                              .range = range,
                              .chunk = chunk,
                              .team = team,
                              .n = (range + size - 1) / size};
                    if (l.kind == BY_BLOCK)
                        l.chunk = 0;
                    if (is_collapsed(&l))
                        l.n *= 2;
                    table[id][team - 1][chunk - 1][range] = l;
                }
}

static inline void print_loop(loop *l)
{
    static const char *const name[] = {"block",  "static",           "dynamic",
                                       "guided", "collapsed-static", "collapsed-guided"};
    printf("%s step=%d range=%d chunk=%d team=%d:", name[l->kind], l->step, l->range, l->chunk,
           l->team);
    for (int i = 0; i < l->n; i += has_threads(l) ? 1 : l->at[i]) {
        if (l->at[i] == 0) {
            printf(" nobody has iteration %d", i);
            break;
        }
        printf(" %d", has_threads(l) ? l->at[i] - 1 : l->at[i]);
    }
    printf("\n");
}

#endif
