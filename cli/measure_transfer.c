/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a line costs that another thread has written: two threads, each on a processor of its own,
 * write and read the same lines in turn. In time of day, as they wait for each other.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "measure.h"

enum { LINE = 64, LINES = 256, ROUNDS = 96, ROW = CLI_PAGE + LINE };

typedef struct pair {
    char *at;
    uint32_t offset[LINES]; /* of the lines, in the order in which they are read */
    bool chained;           /* each line has the address of the next one */
    atomic_bool written;    /* the reader's turn */
    double read_ns[ROUNDS]; /* a line */
} pair;

static void wait_for_turn(pair *p, bool written)
{
    while (atomic_load_explicit(&p->written, memory_order_acquire) != written)
        ;
}

static void give_turn(pair *p, bool written)
{
    atomic_store_explicit(&p->written, written, memory_order_release);
}

static void follow(const pair *p)
{
    const void *at = p->at + p->offset[0];
    for (int i = 0; i < LINES; i++)
        at = *(void *const *)at;
    __asm__ volatile("" : : "r"(at));
}

static void read_lines(const pair *p)
{
    for (int i = 0; i < LINES; i++)
        (void)*(volatile uint64_t *)(void *)(p->at + p->offset[i]);
}

/* The second word of each, by address. Until all of them are in the cache. */
static void write_lines(pair *p, uint64_t row)
{
    for (uint64_t i = 0; i < LINES; i++)
        ((volatile uint64_t *)(void *)(p->at + i * row))[1]++;
    atomic_thread_fence(memory_order_seq_cst);
}

static void *read_in_turn(void *argument)
{
    pair *p = argument;
    for (int r = 0; r < ROUNDS; r++) {
        wait_for_turn(p, true);
        const double start = cli_clock_ns();
        (p->chained ? follow : read_lines)(p);
        p->read_ns[r] = (cli_clock_ns() - start) / LINES;
        give_turn(p, false);
    }
    return NULL;
}

/* In order, or in random order (Knuth's MMIX), by steps of so many bytes. */
static void place_lines(pair *p, uint64_t row, bool random)
{
    uint64_t x = 1;
    for (uint32_t i = 0; i < LINES; i++)
        p->offset[i] = (uint32_t)(i * row);
    for (uint32_t i = LINES - 1; i > 0 && random; i--) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        const uint32_t other = (uint32_t)((x >> 32) * (i + 1) >> 32), kept = p->offset[i];
        p->offset[i] = p->offset[other];
        p->offset[other] = kept;
    }
    for (uint32_t i = 0; i < LINES; i++)
        *(void **)(void *)(p->at + p->offset[i]) = p->at + p->offset[(i + 1) % LINES];
}

/* Two processors that this thread may run on. */
static bool find_processors(cpu_set_t two[2])
{
    cpu_set_t all;
    int n = 0;
    if (sched_getaffinity(0, sizeof all, &all))
        return false;
    for (int c = 0; c < CPU_SETSIZE && n < 2; c++)
        if (CPU_ISSET(c, &all)) {
            CPU_ZERO(&two[n]);
            CPU_SET(c, &two[n++]);
        }
    return n == 2;
}

static bool start_reader(pair *p, const cpu_set_t *where, pthread_t *out)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes))
        return false;
    const bool started = !pthread_attr_setaffinity_np(&attributes, sizeof *where, where) &&
                         !pthread_create(out, &attributes, read_in_turn, p);
    pthread_attr_destroy(&attributes);
    return started;
}

/* What a line takes to be read; `upgrade`, unless NULL: to be written afterwards, beyond what it
 * takes where nobody has read it. value 0: no thread. */
static pluss_measured measure(pair *p, const cpu_set_t two[2], uint64_t row, double cycle_ns,
                              pluss_measured *upgrade)
{
    pthread_t reader;
    double write_ns[ROUNDS], alone_ns[ROUNDS];
    atomic_init(&p->written, false);
    if (!start_reader(p, &two[1], &reader))
        return (pluss_measured){0, 0};
    for (int r = 0; r < ROUNDS; r++) {
        wait_for_turn(p, false);
        const double start = cli_clock_ns();
        write_lines(p, row);
        write_ns[r] = (cli_clock_ns() - start) / LINES;
        give_turn(p, true);
    }
    pthread_join(reader, NULL);
    for (int r = 0; r < ROUNDS; r++) {
        write_lines(p, row);
        const double start = cli_clock_ns();
        write_lines(p, row);
        alone_ns[r] = (cli_clock_ns() - start) / LINES;
    }
    if (upgrade) {
        const pluss_measured shared = cli_summarize(write_ns, ROUNDS),
                             alone = cli_summarize(alone_ns, ROUNDS);
        const double more = shared.value - alone.value;
        *upgrade = cli_in_cycles(
            (pluss_measured){more > 0 ? more : 0, shared.spread + alone.spread}, cycle_ns);
    }
    return cli_in_cycles(cli_summarize(p->read_ns, ROUNDS), cycle_ns);
}

pluss_transfer_cost cli_measure_transfer(double cycle_ns)
{
    pluss_transfer_cost cost = {.latency = {0, 0}};
    cpu_set_t before, two[2];
    pair *p = calloc(1, sizeof *p);
    if (p)
        p->at = aligned_alloc(CLI_PAGE, (LINES * ROW + CLI_PAGE - 1) / CLI_PAGE * CLI_PAGE);
    if (p && p->at && !sched_getaffinity(0, sizeof before, &before) && find_processors(two) &&
        !sched_setaffinity(0, sizeof two[0], &two[0])) {
        p->chained = true;
        place_lines(p, LINE, true);
        cost.latency = measure(p, two, LINE, cycle_ns, NULL);
        p->chained = false;
        cost.scattered = measure(p, two, LINE, cycle_ns, NULL);
        place_lines(p, ROW, false);
        cost.strided = measure(p, two, ROW, cycle_ns, NULL);
        place_lines(p, LINE, false);
        cost.stream = measure(p, two, LINE, cycle_ns, &cost.upgrade);
        (void)sched_setaffinity(0, sizeof before, &before);
    }
    if (p)
        free(p->at);
    free(p);
    return cost;
}
