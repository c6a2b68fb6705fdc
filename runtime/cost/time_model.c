/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cost/time_model.h"

#include <math.h>

const char *plussi_time_model_name(plussi_time_model model)
{
    return model == PLUSSI_TIME_SUM ? "sum" : "overlap";
}

const char *plussi_access_pattern_name(plussi_access_pattern pattern)
{
    static const char *const names[] = {"stream", "strided", "scattered"};
    return names[pattern];
}

const char *plussi_bound_by_name(plussi_bound_by by)
{
    static const char *const names[] = {"core",        "dependences", "latency",   "bandwidth",
                                        "translation", "barriers",    "imbalance", "transfers"};
    return names[by];
}

/* Cycles with the square of their error. */
typedef struct cycles {
    double value, variance;
} cycles;

static cycles times(double n, const plussi_measured *each)
{
    const double error = n * each->spread;
    return (cycles){n * each->value, error * error};
}

static cycles plus(cycles a, cycles b)
{
    return (cycles){a.value + b.value, a.variance + b.variance};
}

static cycles greater(cycles a, cycles b)
{
    return a.value >= b.value ? a : b;
}

/* ---- operations -------------------------------------------------------------------------------
 */

/* What executes operations of a group. */
typedef enum unit {
    UNIT_INTEGER,
    UNIT_FLOAT,
    UNIT_DIVIDER,
    UNIT_LOAD,
    UNIT_STORE,
    UNIT_BRANCH,
    UNIT_CALL, /* nothing else overlaps with it */
    UNITS
} unit;

static const unit unit_of[PLUSSI_N_OPERATIONS] = {
    [PLUSSI_OP_INT_ADD] = UNIT_INTEGER, [PLUSSI_OP_INT_MUL] = UNIT_INTEGER,
    [PLUSSI_OP_INT_DIV] = UNIT_DIVIDER, [PLUSSI_OP_FLT_ADD] = UNIT_FLOAT,
    [PLUSSI_OP_FLT_DIV] = UNIT_DIVIDER, [PLUSSI_OP_DBL_ADD] = UNIT_FLOAT,
    [PLUSSI_OP_DBL_DIV] = UNIT_DIVIDER, [PLUSSI_OP_SQRT] = UNIT_DIVIDER,
    [PLUSSI_OP_TRIG] = UNIT_CALL,       [PLUSSI_OP_INTRINSIC] = UNIT_FLOAT,
    [PLUSSI_OP_CALL] = UNIT_CALL,       [PLUSSI_OP_LOOP] = UNIT_BRANCH,
    [PLUSSI_OP_LOAD] = UNIT_LOAD,       [PLUSSI_OP_STORE] = UNIT_STORE,
    [PLUSSI_OP_DBL_LOAD] = UNIT_LOAD,   [PLUSSI_OP_DBL_STORE] = UNIT_STORE,
    [PLUSSI_OP_ARRAY_LOAD] = UNIT_LOAD, [PLUSSI_OP_ARRAY_STORE] = UNIT_STORE,
    [PLUSSI_OP_NDIM_LOAD] = UNIT_LOAD,  [PLUSSI_OP_NDIM_STORE] = UNIT_STORE,
};

static cycles sum_operations(const plussi_machine_costs *costs, const plussi_code_block *block)
{
    cycles sum = {0, 0};
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        sum = plus(sum, times(block->count[g], &costs->operation[g]));
    return sum;
}

/* Operations that are issued: of an iteration increment, and compare and branch as one. */
static double count_issued(const plussi_code_block *block)
{
    double issued = block->count[PLUSSI_OP_LOOP];
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        issued += block->count[g] - block->kept[g];
    return issued;
}

static cycles overlap_operations(const plussi_machine_costs *costs, const plussi_code_block *block)
{
    cycles busy[UNITS] = {{0, 0}};
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++) {
        const double n = block->count[g] - block->kept[g];
        busy[unit_of[g]] = plus(busy[unit_of[g]], times(n, &costs->operation[g]));
    }
    cycles slowest = times(count_issued(block), &costs->issue);
    for (int u = 0; u < UNIT_CALL; u++)
        slowest = greater(slowest, busy[u]);
    return plus(slowest, busy[UNIT_CALL]);
}

/* How many chains there are in the window at once. */
static double count_overlapping(const plussi_machine_costs *costs, const plussi_code_block *block)
{
    const double issued = count_issued(block);
    return block->chains > 0 && issued > 0 ? 1 + costs->window * block->chains / issued : 1;
}

static cycles sum_chain(const plussi_machine_costs *costs, const plussi_code_block *block)
{
    const double overlapping = count_overlapping(costs, block);
    cycles sum = {0, 0};
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        sum = plus(sum, times(block->chain[g] / overlapping, &costs->latency[g]));
    return sum;
}

/* ---- lines ------------------------------------------------------------------------------------
 */

/* Lines that a level gives are differences of misses, which may be below 0 by rounding. */
static cycles not_negative(cycles c)
{
    return (cycles){fmax(c.value, 0), c.variance};
}

static cycles lines(double n, double error, const plussi_measured *each)
{
    cycles c = times(n, each);
    c.variance += error * error * each->value * each->value;
    return c;
}

/* Misses of the level before cost what the latency grows by. */
static cycles sum_server(const plussi_machine_costs *costs, const plussi_code_block *block,
                         size_t s)
{
    const plussi_measured each = {costs->server[s].latency.value - costs->server[0].latency.value,
                                  costs->server[s].latency.spread};
    cycles sum = {0, 0};
    for (int p = 0; p < PLUSSI_PATTERNS; p++)
        sum = plus(sum, lines(block->line[s][p], block->line_error[s][p], &each));
    return not_negative(plus(sum, times(block->written[s], &costs->server[s].written)));
}

static cycles overlap_server(const plussi_machine_costs *costs, const plussi_code_block *block,
                             size_t s, uint32_t threads, bool *shared)
{
    const plussi_server_cost *server = &costs->server[s];
    cycles alone = {0, 0}, together = {0, 0};
    const plussi_measured each = {server->shared.value * threads, server->shared.spread * threads};
    for (int p = 0; p < PLUSSI_PATTERNS; p++) {
        alone = plus(alone, lines(block->line[s][p], block->line_error[s][p], &server->line[p]));
        together = plus(together, lines(block->line[s][p], block->line_error[s][p], &each));
    }
    alone = plus(alone, times(block->written[s], &server->written));
    alone.value += block->delay[s];
    together = plus(together, times(block->written[s], &each));
    *shared = together.value > alone.value;
    return not_negative(greater(alone, together));
}

/* Each step's accesses take what its cycles are more than those of the step before. */
static cycles page_walks(const plussi_machine_costs *costs, const plussi_code_block *block)
{
    plussi_measured before = {0, 0};
    cycles sum = {0, 0};
    for (size_t i = 0; i < costs->n_page_steps; i++) {
        const plussi_measured *c = &costs->page_step[i].cycles;
        const plussi_measured more = {c->value - before.value, c->spread};
        sum = plus(sum, lines(block->walk[i], block->walk_error[i], &more));
        before = *c;
    }
    return sum;
}

/* Each waits only for its like. */
static cycles sum_transfers(const plussi_machine_costs *costs, plussi_time_model model,
                            const plussi_code_block *block)
{
    const plussi_transfer_cost *t = &costs->transfer;
    const plussi_measured each = {t->latency.value - costs->server[0].latency.value,
                                  t->latency.spread};
    cycles sum = times(block->upgrades, &t->upgrade);
    for (int p = 0; p < PLUSSI_PATTERNS; p++)
        sum = plus(sum, lines(block->transfer[p], block->transfer_error[p],
                              model == PLUSSI_TIME_SUM ? &each : &t->line[p]));
    return sum;
}

double plussi_gap_of_iterations(const plussi_machine_costs *costs, const plussi_code_block *block,
                                double iterations)
{
    const double all = block->count[PLUSSI_OP_LOOP];
    const double between = all > 0 ? iterations * count_issued(block) / all : 0;
    return !(between > 0) ? 0 : between >= costs->window ? 1 : between / costs->window;
}

double plussi_delay_of_burst(const plussi_server_cost *server, double lines)
{
    const plussi_burst_cost *b = server->burst;
    const size_t n = server->n_bursts;
    size_t i = 0; /* the first one of at least so many lines */
    while (i < n && b[i].lines < lines)
        i++;
    if (i == n)
        return 0;
    double cost = b[i].cycles.value;
    if (i > 0)
        cost += (b[i - 1].cycles.value - cost) * log(b[i].lines / lines) /
                log((double)b[i].lines / b[i - 1].lines);
    return fmax(cost - server->line[PLUSSI_PATTERN_STRIDED].value, 0);
}

/* ---- teams ------------------------------------------------------------------------------------
 */

static plussi_measured between(const plussi_measured *a, const plussi_measured *b, double part)
{
    return (plussi_measured){a->value + part * (b->value - a->value),
                             a->spread + part * (b->spread - a->spread)};
}

plussi_team_cost plussi_cost_of_team(const plussi_machine_costs *costs, uint32_t threads)
{
    const size_t n = costs->n_team_costs;
    size_t i = 0; /* the first one of at least so many threads */
    while (i < n && costs->team_cost[i].threads < threads)
        i++;
    if (!n)
        return (plussi_team_cost){.threads = threads};
    if (i == n || i == 0 || costs->team_cost[i].threads == threads)
        return costs->team_cost[i < n ? i : n - 1];
    const plussi_team_cost *a = &costs->team_cost[i - 1], *b = &costs->team_cost[i];
    const double part = log((double)threads / a->threads) / log((double)b->threads / a->threads);
    return (plussi_team_cost){threads, between(&a->start, &b->start, part),
                              between(&a->barrier, &b->barrier, part)};
}

/* ---- time -------------------------------------------------------------------------------------
 */

/* waits: of all its cycles, those that overlap with nothing; lines' cycles are without them. */
static void find_bound(const plussi_machine_costs *costs, double memory, double waits,
                       plussi_block_time *out)
{
    size_t longest = 1;
    for (size_t s = 2; s < costs->n; s++)
        if (out->server[s] > out->server[longest])
            longest = s;
    out->by_server = longest;
    out->by = out->chain > waits && out->chain + waits >= out->all      ? PLUSSI_BOUND_CHAIN
              : memory + waits <= out->core                             ? PLUSSI_BOUND_CORE
              : out->transfers > fmax(out->pages, out->server[longest]) ? PLUSSI_BOUND_TRANSFER
              : out->pages > out->server[longest]                       ? PLUSSI_BOUND_PAGES
              : out->shared[longest]                                    ? PLUSSI_BOUND_SHARED
                                                                        : PLUSSI_BOUND_LEVEL;
}

/* The longer, and what of the shorter does not overlap with it. */
static cycles overlap(cycles a, cycles b, double serial)
{
    const cycles longer = greater(a, b), shorter = a.value >= b.value ? b : a;
    return plus(longer, (cycles){serial * shorter.value, serial * serial * shorter.variance});
}

void plussi_time_of_block(const plussi_machine_costs *costs, plussi_time_model model,
                          const plussi_code_block *block,
                          const uint32_t threads[PLUSSI_SERVERS_MOST], plussi_block_time *out)
{
    const bool sum = model == PLUSSI_TIME_SUM;
    *out = (plussi_block_time){0};
    const cycles core = (sum ? sum_operations : overlap_operations)(costs, block);
    const cycles chain = sum ? (cycles){0, 0} : sum_chain(costs, block);
    cycles memory = {0, 0};
    for (size_t s = 1; s < costs->n; s++) {
        const cycles c = sum ? sum_server(costs, block, s)
                             : overlap_server(costs, block, s, threads[s], &out->shared[s]);
        out->server[s] = c.value;
        memory = plus(memory, c);
    }
    const cycles pages = page_walks(costs, block);
    const cycles transfers = sum_transfers(costs, model, block);
    const cycles waits = times(sum ? 0 : block->waits, &costs->transfer.latency);
    memory = plus(memory, plus(pages, transfers));
    out->pages = pages.value;
    out->transfers = transfers.value + waits.value;
    const cycles all = sum ? plus(core, memory)
                           : plus(greater(overlap(core, memory, costs->serial), chain), waits);
    out->core = core.value;
    out->chain = chain.value;
    out->all = all.value;
    out->error = sqrt(all.variance);
    find_bound(costs, memory.value, waits.value, out);
}
