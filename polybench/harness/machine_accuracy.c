/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * machine_accuracy OBJECTS SIZES.csv TEAM[,TEAM...] [KERNEL...]
 *
 * Misses per 1,000 instructions (MPKI) of kernels of four sizes (S1 to S4, lines of SIZES.csv that
 * follow one another) on a machine of tiles, predicted from locality profiles, against its exact
 * simulation: Wu and Yeung, ACM TOCS 2013, section 6, figures 21 to 28. Teams begin with 2 and 4.
 *
 * The machine: table III, with caches as much smaller as the kernels' data are: L1 of 512 bytes;
 * the shared last-level cache (LLC) has 64 KB to 2 MB, where the private L2 have 1 KB (the least
 * LLC is 64 times an L2, as in the paper); the L2 have 4 to 64 KB where the LLC has 512 KB. Each
 * instruction takes a cycle, a miss the latency of what serves it; the thread that is least far
 * goes on, and waits at barriers. Profiles are those of the machine with L2 of 1 KB and an LLC of
 * 512 KB, in its order of accesses.
 *
 * Prints CSV: cache,kernel,size,team,bytes,measured,no_pred,c_pred,cp_pred (MPKI), and of profiles
 * of other capacities against the reference: crd or prd,kernel,size,team,bytes,profile,performance;
 * then tables of means on stderr.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ffi.h"

#include "cost/operation_counts.h"
#include "harness.h"
#include "model/scale.h"
#include "profile/similarity.h"
#include "study/locality.h"
#include "trace/walk.h"

enum { SIZES = 4, MOST_TEAMS = 8, LLCS = 6, L2S = 5, BATCH = 256, LINE = 64 };
enum { REFERENCE_LLC = 3, STABLE_SIZE = 1 };
enum { L1_BYTES = 512, REFERENCE_L2_BYTES = 1024, LEAST_L2 = 4096, LEAST_LLC = 65536 };
enum { L1_WAYS = 4, L2_WAYS = 8, LLC_WAYS = 32 };
/* Cycles, of table III. */
static const double l2_latency = 4, llc_latency = 10, hop = 3, memory_latency = 200;

typedef enum strategy { NO_PRED, C_PRED, CP_PRED, STRATEGIES } strategy;
typedef enum kind { LLC, L2, KINDS } kind;
static const char *const kind_name[] = {"llc", "l2"}, *const scope_name[] = {"crd", "prd"};
static const plussi_profile_scope scope_of[] = {PLUSSI_SCOPE_CONCURRENT, PLUSSI_SCOPE_COHERENT};
static const double offset[] = {.05, 1}, significant[] = {.5, 5};
static const int n_caches[] = {LLCS, L2S};
static const uint64_t least_bytes[] = {LEAST_LLC, LEAST_L2};
static const uint32_t ways_of[] = {LLC_WAYS, L2_WAYS};

static plussi_ctx *ctx;

static void must(pluss_status status)
{
    if (status)
        harness_die("%s", ctx->n_diags ? ctx->diags[ctx->n_diags - 1].text : "failed");
}

/* ---- the machine ----------------------------------------------------------------------------- */

typedef struct machine {
    plussi_hierarchy caches;
    plussi_cache_simulator *simulator;
    plussi_locality *locality; /* NULL: no profiles are asked for */
    const plussi_bound *bound;
    double cycles; /* of the instructions from access to access */
    uint64_t accesses;
} machine;

static plussi_cache_level level(const char *name, uint64_t bytes, uint32_t ways, uint32_t threads)
{
    plussi_cache_level l = {.bytes = bytes, .ways = ways, .threads_per_cache = threads};
    snprintf(l.name, sizeof l.name, "%s", name);
    return l;
}

/* What the access waits for. */
static double latency(const machine *m, const plussi_cache_access *access)
{
    const plussi_level_counts *at[3];
    uint64_t before[3];
    for (size_t l = 0; l < 3; l++)
        at[l] = plussi_cache_by_thread(m->simulator, l, access->thread);
    for (size_t l = 1; l < 3; l++)
        before[l] = at[l]->requests;
    before[0] = plussi_level_misses(at[2]);
    must(plussi_cache_simulator_run(m->simulator, access, 1));
    if (at[1]->requests == before[1])
        return 0;
    if (at[2]->requests == before[2])
        return l2_latency;
    const double way = llc_latency + 2 * hop * sqrt((double)m->bound->team) * 2 / 3;
    return plussi_level_misses(at[2]) == before[0] ? way : way + memory_latency;
}

typedef struct core {
    double time;
    uint32_t thread;
    size_t at, n;
    plussi_access access[BATCH];
} core;

/* The earliest core is heap[0]; equally early ones by thread. */
static bool is_before(const core *a, const core *b)
{
    return a->time != b->time ? a->time < b->time : a->thread < b->thread;
}

static void sink(core **heap, size_t n, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && is_before(heap[child + 1], heap[child]);
        if (!is_before(heap[child], heap[i]))
            return;
        core *swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

static void step(machine *m, core *c)
{
    const plussi_access *a = &c->access[c->at++];
    const plussi_bound_ref *ref = &m->bound->ref[a->ref]->u.ref;
    const plussi_cache_access access = {.address = a->line,
                                        .reference = a->ref,
                                        .thread = c->thread,
                                        .bytes = (uint32_t)ref->width,
                                        .write = ref->write};
    c->time += m->cycles + latency(m, &access);
    m->accesses++;
    if (m->locality)
        must(plussi_locality_run(m->locality, &access, 1));
}

/* One phase; all cores begin it and end it at once. */
static void run_phase(machine *m, plussi_walk *walk, core *all, core **heap, double *now)
{
    size_t n = 0;
    for (uint32_t t = 0; t < plussi_walk_team(walk); t++) {
        all[t].thread = t;
        all[t].time = *now;
        all[t].at = 0;
        all[t].n = plussi_walk_fill(walk, t, all[t].access, BATCH);
        if (all[t].n)
            heap[n++] = &all[t];
    }
    while (n > 0) {
        core *c = heap[0];
        step(m, c);
        if (c->at == c->n) {
            c->at = 0;
            c->n = plussi_walk_fill(walk, c->thread, c->access, BATCH);
        }
        *now = fmax(*now, c->time);
        if (c->n == 0)
            heap[0] = heap[--n];
        sink(heap, n, 0);
    }
}

/* Runs the program on caches of these sizes; *profiles, if not NULL, gets what locality there was.
 */
static void run_machine(const plussi_bound *bound, const uint64_t bytes[KINDS], double cycles,
                        double misses[KINDS], plussi_result *profiles)
{
    machine m = {.bound = bound, .cycles = cycles};
    m.caches = (plussi_hierarchy){.line_bytes = LINE,
                                  .n = 3,
                                  .level = {level("L1", L1_BYTES, L1_WAYS, 1),
                                            level("L2", bytes[L2], L2_WAYS, 1),
                                            level("L3", bytes[LLC], LLC_WAYS, 0)}};
    must(plussi_cache_simulator_new(ctx, &m.caches, bound->max_team, bound->n_refs, &m.simulator));
    if (profiles)
        must(plussi_locality_new(ctx, bound->max_team, LINE, &m.locality));
    plussi_walk *walk;
    must(plussi_walk_new(ctx, bound, 0, &walk));
    plussi_walk_give_addresses(walk);
    core *all = calloc(bound->max_team, sizeof *all),
         **heap = calloc(bound->max_team, sizeof *heap);
    double now = 0;
    while (plussi_walk_next_phase(walk)) {
        if (m.locality)
            must(plussi_locality_begin_phase(m.locality, UINT64_MAX));
        run_phase(&m, walk, all, heap, &now);
    }
    must(plussi_walk_status(walk));
    misses[LLC] = misses[L2] = 0;
    for (uint32_t t = 0; t < bound->max_team; t++)
        for (size_t l = 1; l < 3; l++)
            misses[l == 1 ? L2 : LLC] +=
                (double)plussi_level_misses(plussi_cache_by_thread(m.simulator, l, t));
    if (profiles) {
        const plussi_identity id = {.team = bound->team, .line_bytes = LINE};
        must(plussi_locality_add_profiles(m.locality, &id, 1, profiles));
    }
    free(all);
    free(heap);
    plussi_walk_free(walk);
    plussi_locality_free(m.locality);
    plussi_cache_simulator_free(m.simulator);
}

/* ---- prediction ------------------------------------------------------------------------------ */

/* At least `ways` of `lines` other lines are in the line's own set. */
static double miss_probability(uint64_t lines, double sets, uint32_t ways)
{
    if (sets <= 1 || lines < ways)
        return lines >= ways;
    const double p = 1 / sets, n = (double)lines;
    double term = exp(n * log1p(-p)), below = 0;
    if (term == 0) { /* n is large: in logarithms, from the mean */
        for (uint32_t k = 0; k < ways; k++)
            below += exp(lgamma(n + 1) - lgamma(k + 1.) - lgamma(n - k + 1) + k * log(p) +
                         (n - k) * log1p(-p));
        return 1 - fmin(below, 1);
    }
    for (uint32_t k = 0; k < ways; k++) {
        below += term;
        term *= (n - k) / (k + 1.) * p / (1 - p);
    }
    return fmax(0, 1 - below);
}

static double misses_of(const plussi_histo *histo, uint64_t bytes, uint32_t ways)
{
    const double sets = (double)bytes / LINE / ways;
    double sum = plussi_histo_keyless(histo);
    for (size_t i = 0; i < histo->cap; i++)
        if (histo->slot[i].weight > 0)
            sum += histo->slot[i].weight * miss_probability(histo->slot[i].key, sets, ways);
    return sum;
}

static void sum_up(const plussi_result *from, uint32_t team, plussi_profile_scope scope,
                   plussi_histo *out)
{
    for (size_t i = 0; i < from->n_profiles; i++)
        if (from->profile[i].id.team == team && from->profile[i].scope == scope)
            must(plussi_histo_merge(out, &from->profile[i].histo, 1));
}

/* ---- a kernel of four sizes ------------------------------------------------------------------ */

typedef struct measured_size {
    double symbol; /* the value of the first one */
    double footprint, instructions[MOST_TEAMS];
    double misses[KINDS][MOST_TEAMS][LLCS];
    plussi_result profiles; /* of all teams */
} measured_size;

static struct {
    double error[STRATEGIES];
    size_t n;
} all_of[KINDS], large_of[KINDS], shifting, shifting_at[MOST_TEAMS];
static double stability[KINDS][2];
static size_t n_stability[KINDS];

static void compare_capacity(const char *kernel, uint32_t team, kind which, uint64_t bytes,
                             const plussi_result *other, const plussi_result *reference)
{
    plussi_histo a, b;
    plussi_similarity alike;
    plussi_histo_init(&a, &ctx->mem);
    plussi_histo_init(&b, &ctx->mem);
    sum_up(other, team, scope_of[which], &a);
    sum_up(reference, team, scope_of[which], &b);
    must(plussi_compare_profiles(&a, &b, PLUSSI_BINNING_PAPER, LINE, &alike));
    printf("%s,%s,S%d,%u,%llu,%.3f,%.3f,,\n", scope_name[which], kernel, STABLE_SIZE + 1, team,
           (unsigned long long)bytes, 100 * alike.profile, 100 * alike.performance);
    stability[which][0] += 100 * alike.profile;
    stability[which][1] += 100 * alike.performance;
    n_stability[which]++;
    plussi_histo_free(&a);
    plussi_histo_free(&b);
}

/* All machines of a size and team. */
static void measure_team(const char *kernel, const plussi_bound *bound, size_t number, size_t t,
                         double cycles, measured_size *out)
{
    const uint64_t bytes[] = {(uint64_t)LEAST_LLC << REFERENCE_LLC, REFERENCE_L2_BYTES};
    double misses[KINDS];
    run_machine(bound, bytes, cycles, misses, &out->profiles);
    out->misses[LLC][t][REFERENCE_LLC] = misses[LLC];
    for (int which = 0; which < KINDS; which++)
        for (int i = 0; i < n_caches[which]; i++) {
            uint64_t other[] = {bytes[LLC], bytes[L2]};
            plussi_result profiles;
            if (which == LLC && i == REFERENCE_LLC)
                continue;
            other[which] = least_bytes[which] << i;
            plussi_result_init(&profiles, &ctx->mem);
            run_machine(bound, other, cycles, misses, number == STABLE_SIZE ? &profiles : NULL);
            out->misses[which][t][i] = misses[which];
            if (number == STABLE_SIZE)
                compare_capacity(kernel, bound->team, (kind)which, other[which], &profiles,
                                 &out->profiles);
            plussi_result_free(&profiles);
        }
}

static void measure(const char *objects, const char *kernel, char *symbols, const uint32_t *team,
                    size_t n_teams, size_t number, measured_size *out)
{
    char path[4096], *rest = NULL;
    snprintf(path, sizeof path, "%s/%s.o", objects, kernel);
    harness_case c = {.nest_path = path, .team = 1};
    const char *first = strchr(symbols, '=');
    out->symbol = first ? strtod(first + 1, NULL) : 1;
    for (char *s = strtok_r(symbols, " \n", &rest); s; s = strtok_r(NULL, " \n", &rest))
        harness_bind(s, &c);
    harness_open(&c);
    const plussi_request *request = &c.options->request;
    for (size_t t = 0; t < n_teams; t++) {
        const plussi_bind_options options = {.team = team[t],
                                             .line_bytes = LINE,
                                             .binding = request->binding,
                                             .n_bindings = request->n_bindings};
        plussi_operations operations;
        plussi_bound *bound;
        must(plussi_count_operations(ctx, c.nest->nest, &options, &operations));
        uint64_t accesses = 0;
        for (int g = PLUSSI_OP_LOAD; g < PLUSSI_N_OPERATIONS; g++)
            accesses += operations.count[g];
        out->instructions[t] = plussi_operations_instructions(&operations);
        must(plussi_bind(ctx, c.nest->nest, &options, &bound));
        measure_team(kernel, bound, number, t, out->instructions[t] / (double)accesses, out);
        plussi_bound_free(bound);
    }
    plussi_histo all;
    plussi_histo_init(&all, &ctx->mem);
    sum_up(&out->profiles, team[0], PLUSSI_SCOPE_CONCURRENT, &all);
    out->footprint = all.cold;
    plussi_histo_free(&all);
    harness_close(&c);
}

/* The profiles of 2 and 4 threads alone. */
static plussi_locality_set known_of(const measured_size *size, plussi_profile *room)
{
    size_t n = 0;
    for (size_t i = 0; i < size->profiles.n_profiles; i++)
        if (size->profiles.profile[i].id.team <= PLUSSI_SCALE_TO)
            room[n++] = size->profiles.profile[i];
    return (plussi_locality_set){room, n};
}

static void predict(const measured_size *size, size_t number, uint32_t team, strategy how,
                    plussi_profile_scope scope, plussi_histo *out)
{
    const plussi_scaling cores = {PLUSSI_SCALED_CORES, PLUSSI_SCALE_FROM, PLUSSI_SCALE_TO, team, 0};
    if (how == NO_PRED) {
        sum_up(&size[number].profiles, team, scope, out);
        return;
    }
    const bool other = how == CP_PRED && number >= 2;
    plussi_locality_set known[2];
    plussi_profile *room[2];
    for (int i = 0; i < 2; i++) {
        const measured_size *s = &size[other ? (size_t)i : number];
        room[i] = calloc(s->profiles.n_profiles, sizeof *room[i]);
        known[i] = known_of(s, room[i]);
    }
    const double power =
        log(size[1].footprint / size[0].footprint) / log(size[1].symbol / size[0].symbol);
    const plussi_scaling data = {
        PLUSSI_SCALED_DATA, size[0].footprint, size[1].footprint,
        size[1].footprint * pow(size[number].symbol / size[1].symbol, power), 0};
    must(plussi_scale_program(ctx, known, scope, PLUSSI_SCALE_DIRECT, other ? &data : NULL, &cores,
                              out));
    free(room[0]);
    free(room[1]);
}

static void judge(const char *kernel, const measured_size *size, const uint32_t *team,
                  size_t n_teams)
{
    for (int which = 0; which < KINDS; which++)
        for (size_t s = 0; s < SIZES; s++)
            for (size_t t = 0; t < n_teams; t++) {
                plussi_histo histo[STRATEGIES];
                for (int how = 0; how < STRATEGIES; how++) {
                    plussi_histo_init(&histo[how], &ctx->mem);
                    predict(size, s, team[t], (strategy)how, scope_of[which], &histo[how]);
                }
                const double per_kilo = 1000 / size[s].instructions[t];
                for (int i = 0; i < n_caches[which]; i++) {
                    const uint64_t bytes = least_bytes[which] << i;
                    const double measured = size[s].misses[which][t][i] * per_kilo;
                    double mpki[STRATEGIES], error[STRATEGIES];
                    for (int how = 0; how < STRATEGIES; how++) {
                        mpki[how] = misses_of(&histo[how], bytes, ways_of[which]) * per_kilo;
                        error[how] = 100 * fabs(mpki[how] - measured) / (measured + offset[which]);
                    }
                    printf("%s,%s,S%zu,%u,%llu,%.4f,%.4f,%.4f,%.4f\n", kind_name[which], kernel,
                           s + 1, team[t], (unsigned long long)bytes, measured, mpki[0], mpki[1],
                           mpki[2]);
#define COUNT(sums)                                                                                \
    for (int how = 0; how < STRATEGIES; how++)                                                     \
        (sums).error[how] += error[how];                                                           \
    (sums).n++
                    COUNT(all_of[which]);
                    if (measured > significant[which]) {
                        COUNT(large_of[which]);
                    }
                    if (which == LLC && s == SIZES - 1 && i < 3) {
                        COUNT(shifting);
                        COUNT(shifting_at[t]);
                    }
#undef COUNT
                }
                for (int how = 0; how < STRATEGIES; how++)
                    plussi_histo_free(&histo[how]);
            }
    fflush(stdout);
}

static void tell(const char *what, const double *error, size_t n)
{
    if (n)
        fprintf(stderr, "%-44s %6zu %8.1f %8.1f %8.1f\n", what, n, error[0] / (double)n,
                error[1] / (double)n, error[2] / (double)n);
}

static void tell_means(const uint32_t *team, size_t n_teams)
{
    char text[64];
    fprintf(stderr, "error of MPKI by equation 3, %%                  cases  No-Pred   C-Pred  "
                    "CP-Pred\n");
    tell("LLC (the paper: 9.3, 9.5, 10.7)", all_of[LLC].error, all_of[LLC].n);
    tell("LLC, MPKI above 0.5", large_of[LLC].error, large_of[LLC].n);
    tell("LLC, S4, the three least (6.5, 6.5, 12.2)", shifting.error, shifting.n);
    for (size_t t = 0; t < n_teams; t++) {
        snprintf(text, sizeof text, "    T = %u", team[t]);
        tell(text, shifting_at[t].error, shifting_at[t].n);
    }
    tell("private L2 (8.5, 12.5, 13.9)", all_of[L2].error, all_of[L2].n);
    tell("private L2, MPKI above 5", large_of[L2].error, large_of[L2].n);
    for (int which = 0; which < KINDS; which++)
        fprintf(stderr,
                "stability of %s across capacity, S%d: %zu cases, profile accuracy %.2f %%, "
                "performance accuracy %.2f %%\n",
                scope_name[which], STABLE_SIZE + 1, n_stability[which],
                stability[which][0] / (double)n_stability[which],
                stability[which][1] / (double)n_stability[which]);
}

int main(int argc, char **argv)
{
    uint32_t team[MOST_TEAMS];
    size_t n_teams = 0, number = 0;
    char line[512], *rest = NULL;
    static plussi_ctx own;
    if (argc < 4)
        harness_die("usage: machine_accuracy OBJECTS SIZES.csv TEAM[,TEAM...] [KERNEL...]");
    for (char *t = strtok_r(argv[3], ",", &rest); t && n_teams < MOST_TEAMS;
         t = strtok_r(NULL, ",", &rest))
        team[n_teams++] = harness_team(t);
    if (n_teams < 2 || team[0] != PLUSSI_SCALE_FROM || team[1] != PLUSSI_SCALE_TO)
        harness_die("the teams must begin with 2 and 4");
    FILE *sizes = fopen(argv[2], "r");
    if (!sizes)
        harness_die("%s cannot be read", argv[2]);
    plussi_ctx_init(&own, NULL);
    ctx = &own;
    measured_size size[SIZES];
    printf("cache,kernel,size,team,bytes,measured,no_pred,c_pred,cp_pred\n");
    while (fgets(line, sizeof line, sizes)) {
        char *kernel = strtok_r(line, ",", &rest), *name = strtok_r(NULL, ",", &rest);
        if (!kernel || !name || name[0] != 'S' || strtoul(name + 1, NULL, 10) != number + 1 ||
            !harness_is_named(kernel, argv + 4, argc - 4))
            continue;
        memset(&size[number], 0, sizeof size[number]);
        plussi_result_init(&size[number].profiles, &ctx->mem);
        measure(argv[1], kernel, rest, team, n_teams, number, &size[number]);
        if (++number < SIZES)
            continue;
        judge(kernel, size, team, n_teams);
        for (number = 0; number < SIZES; number++)
            plussi_result_free(&size[number].profiles);
        number = 0;
    }
    fclose(sizes);
    tell_means(team, n_teams);
    plussi_ctx_clear(&own);
    return 0;
}
