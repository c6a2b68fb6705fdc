/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double cli_thread_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double cli_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

pluss_measured cli_summarize(double *number, size_t n)
{
    qsort(number, n, sizeof *number, compare);
    const size_t half = (n + 1) / 2;
    return (pluss_measured){number[half / 2], (number[half * 5 / 6] - number[half / 6]) / 2};
}

pluss_measured cli_measure_work(cli_work_fn run, void *work)
{
    enum { RUNS = 48 };
    const double enough = 3e5; /* ns: a tenth of a time slice and less */
    double ns[RUNS];
    uint64_t n = 64;
    for (;; n *= 2) { /* also warms caches up */
        const double start = cli_thread_ns();
        run(work, n);
        if (cli_thread_ns() - start > enough / 2)
            break;
    }
    for (size_t i = 0; i < RUNS; i++) {
        const double start = cli_thread_ns();
        run(work, n);
        ns[i] = (cli_thread_ns() - start) / (double)n;
    }
    return cli_summarize(ns, RUNS);
}

pluss_measured cli_in_cycles(pluss_measured ns, double cycle_ns)
{
    return (pluss_measured){ns.value / cycle_ns, ns.spread / cycle_ns};
}

/* ---- a machine --------------------------------------------------------------------------------
 */

enum { LEVELS_MOST = 9 };

/* Half of a level, a quarter of one that others use, too; but more than the level before holds. */
static uint64_t choose_bytes(uint64_t level, uint64_t before, bool shared)
{
    const uint64_t part = level / (shared ? 4 : 2);
    return part >= 2 * before ? part : (before + level) / 2;
}

static uint64_t choose_memory(uint64_t last)
{
    const uint64_t least = (uint64_t)64 << 20, most = (uint64_t)1 << 30;
    return 4 * last < least ? least : 4 * last > most ? most : 4 * last;
}

/* One of the parts of which measuring has n, as many as there are levels and memory, a first one
 * and one for pages and teams. */
static void tell_part(size_t i, size_t n)
{
    (void)cli_show_status(NULL, "measuring", (double)i / (double)n, i);
}

/* Pages are measured where they are of a size that lines of traces can have. */
static size_t measure_pages(double cycle, double strided, pluss_page_cost out[CLI_PAGE_STEPS])
{
    return sysconf(_SC_PAGESIZE) == CLI_PAGE ? cli_measure_pages(cycle, strided, out) : 0;
}

static size_t measure_bursts(double cycle, size_t level, uint64_t bytes,
                             const pluss_line_cost *line, pluss_burst_cost *out)
{
    const size_t n = cli_measure_bursts(cycle, bytes, &line->strided, out);
    for (size_t i = 0; i < n; i++)
        out[i].level = level;
    return n;
}

int cli_measure_machine(pluss_context *ctx, const cli_options *options, uint32_t processors,
                        pluss_machine_file *file)
{
    pluss_operation_cost operation[CLI_OPERATIONS];
    pluss_line_cost level[LEVELS_MOST] = {{.name = NULL}};
    pluss_page_cost page[CLI_PAGE_STEPS];
    pluss_team_cost team[CLI_TEAMS];
    pluss_burst_cost burst[LEVELS_MOST * CLI_BURSTS];
    pluss_cache cache;
    uint64_t before = 0;
    size_t n = 0, parts = 3, bursts = 0;
    double serial = 0;
    while (pluss_machine_file_get_level(file, parts - 3, &cache) == PLUSS_OK)
        parts++;
    tell_part(0, parts);
    const double cycle = cli_measure_cycle();
    const pluss_measured issue = cli_measure_issue(cycle);
    const double window = cli_measure_window(cycle);
    cli_measure_operations(cycle, operation);
    const double addition = operation[CLI_DBL_ADD].cycles.value;
    for (; pluss_machine_file_get_level(file, n, &cache) == PLUSS_OK; n++) {
        const uint32_t threads = cache.threads < processors ? cache.threads : processors;
        level[n].name = cache.label;
        tell_part(n + 1, parts);
        if (!cli_measure_lines(cycle, choose_bytes(cache.bytes, before, threads > 1), threads,
                               &level[n]))
            cli_no_memory();
        if (n > 0)
            bursts += measure_bursts(cycle, n, choose_bytes(cache.bytes, before, threads > 1),
                                     &level[n], burst + bursts);
        if (n == 1)
            serial = cli_measure_serial(cycle, choose_bytes(cache.bytes, before, threads > 1),
                                        level[n].strided.value, addition);
        before = cache.bytes;
    }
    level[n].name = "memory";
    tell_part(n + 1, parts);
    if (!cli_measure_lines(cycle, choose_memory(before), processors, &level[n]))
        cli_no_memory();
    bursts += measure_bursts(cycle, n, choose_memory(before), &level[n], burst + bursts);
    tell_part(n + 2, parts);
    if (n > 1 && cache.threads > 1)
        level[n - 1].held =
            cli_measure_held(cycle, before, level[n - 1].stream.value, level[n].stream.value);
    const size_t pages = n > 1 ? measure_pages(cycle, level[1].strided.value, page) : 0;
    const pluss_transfer_cost transfer = cli_measure_transfer(cycle);
    /* its threads wait for more work for a while */
    const size_t teams = cli_measure_teams(cycle, processors, team);
    cli_clear_status();
    const pluss_machine_costs costs = {.size = sizeof costs,
                                       .cycle_ns = cycle,
                                       .issue = issue,
                                       .operations = operation,
                                       .n_operations = CLI_OPERATIONS,
                                       .levels = level,
                                       .n_levels = n + 1,
                                       .window = window,
                                       .serial = serial,
                                       .page_bytes = CLI_PAGE,
                                       .pages = page,
                                       .n_pages = pages,
                                       .teams = team,
                                       .n_teams = teams,
                                       .bursts = burst,
                                       .n_bursts = bursts,
                                       .transfer = transfer};
    for (size_t i = 0; i <= n; i++)
        if (processors > 1 && !(level[i].shared.value > 0) && i == n)
            cli_error(options, "the machine was too busy to measure how threads share memory");
    return cli_exit_status(pluss_machine_file_put_costs(ctx, file, &costs));
}
