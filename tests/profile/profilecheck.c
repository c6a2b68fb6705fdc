/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * profilecheck [--places] [--chosen] [--own] RECORD OBJECT...
 *
 * What mode=profile or mode=sample recorded against what the nest says, with the record's symbol
 * values, addresses and chunks: the private reuse intervals of every reference and thread against
 * those of the walked nest and against the closed form (sampler/engine.h), which is asked for the
 * touch before each access; and the sums over the threads, cold and thread-first apart, against
 * those that the models take (pluss_pri_collect). All to the last count; a nest with parts that are
 * not described, or with recorded chunks of collapsed loops, has no closed form, which is said.
 * Prints how much was compared. --places: references of one array in one line of the source count
 * as one, since an access that the nest has at two places is recorded under the first. --chosen:
 * and so do references of different arrays, where a pointer is chosen. --own: of threads' own
 * arrays numbers alone are compared, where how they lie in lines is not known. Exit status 1: they
 * differ; 2: usage; 3: the library refuses.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ffi.h"

#include "../unit/histo_tools.h"
#include "base/linemap.h"
#include "bound/cexpr.h"
#include "model/clock_state.h"
#include "sampler/engine.h"
#include "trace/walk.h"

enum { MAX_NESTS = 64, BATCH = 1024 };

static pluss_context *ctx;

static void must(pluss_status status, const char *what)
{
    if (status == PLUSS_OK)
        return;
    for (size_t i = 0; i < ctx->ctx.n_diags; i++)
        fprintf(stderr, "%s\n", ctx->ctx.diags[i].text);
    fprintf(stderr, "profilecheck: %s: %s\n", what, plussi_status_text(status));
    exit(3);
}

/* By reference: under which its accesses are compared, itself or the first of its place. */
static bool places, chosen, own_by_number;
static uint32_t *under;
static bool *by_number; /* by reference */

static void find_places(const plussi_bound *bound, uint32_t refs)
{
    free(under);
    free(by_number);
    under = calloc(refs + 1, sizeof *under);
    by_number = calloc(refs + 1, sizeof *by_number);
    for (uint32_t r = 0; r < refs; r++) {
        const plussi_node *node = bound->ref[r]->decl;
        by_number[r] = own_by_number && node->u.ref.array->is_private;
        for (under[r] = places ? 0 : r; under[r] < r; under[r]++) {
            const plussi_node *other = bound->ref[under[r]]->decl;
            if ((chosen || other->u.ref.array == node->u.ref.array) &&
                other->loc.line == node->loc.line && other->u.ref.write == node->u.ref.write)
                break;
        }
    }
}

/* One thread's intervals of one reference. */
typedef struct tally {
    plussi_histo interval;
    uint64_t first;
    double cold; /* of first: the recorded ones alone */
} tally;

typedef struct table {
    uint32_t team, refs;
    tally *at; /* thread by thread */
} table;

static table table_new(uint32_t team, uint32_t refs)
{
    table t = {team, refs, calloc((size_t)team * refs + 1, sizeof *t.at)};
    for (size_t i = 0; i < (size_t)team * refs; i++)
        plussi_histo_init(&t.at[i].interval, &ctx->ctx.mem);
    return t;
}

static void table_free(table *t)
{
    for (size_t i = 0; i < (size_t)t->team * t->refs; i++)
        plussi_histo_free(&t->at[i].interval);
    free(t->at);
}

/* ---- the record's -------------------------------------------------------------------------------
 */

/* What one of the block's runs, which are alike, has of a count. */
static bool runs_differ;
static uint64_t of_one_run(uint64_t count, uint64_t runs)
{
    runs_differ |= count % runs != 0;
    return count / runs;
}

static void read_intervals(table *t, char *line, uint64_t runs)
{
    uint32_t thread, ref;
    uint64_t first;
    int used;
    if (sscanf(line, "pri thread %" SCNu32 " ref %" SCNu32 " first %" SCNu64 "%n", &thread, &ref,
               &first, &used) != 3 ||
        thread >= t->team || ref >= t->refs) {
        fprintf(stderr, "profilecheck: not expected: %.60s\n", line);
        exit(3);
    }
    tally *at = &t->at[thread * t->refs + under[ref]];
    first = of_one_run(first, runs);
    at->first += first;
    at->cold += (double)first;
    uint64_t interval, count;
    for (char *p = line + used;
         sscanf(p, " %" SCNu64 ":%" SCNu64 "%n", &interval, &count, &used) == 2; p += used)
        must(plussi_histo_add(&at->interval, interval, (double)of_one_run(count, runs)),
             "histogram");
}

/* Of k threads that touched a line each has 1 / k of its first touch. */
static void read_shared(table *t, char *line, uint64_t runs)
{
    uint32_t thread, ref;
    int used;
    if (sscanf(line, "shared thread %" SCNu32 " ref %" SCNu32 "%n", &thread, &ref, &used) != 2 ||
        thread >= t->team || ref >= t->refs) {
        fprintf(stderr, "profilecheck: not expected: %.60s\n", line);
        exit(3);
    }
    uint64_t threads, count;
    for (char *p = line + used;
         sscanf(p, " %" SCNu64 ":%" SCNu64 "%n", &threads, &count, &used) == 2; p += used)
        t->at[thread * t->refs + under[ref]].cold -=
            (double)of_one_run(count, runs) * (1 - 1 / (double)threads);
}

static uint64_t read_runs(const char *line)
{
    uint64_t runs = 0;
    const char *at = strstr(line, " team ");
    if (!at || sscanf(at, " team %*u runs %" SCNu64, &runs) != 1 || runs == 0) {
        fprintf(stderr, "profilecheck: not expected: %.60s\n", line);
        exit(3);
    }
    return runs;
}

/* The intervals that one run of block number `block` has; how many runs it stands for. */
static uint64_t read_block(table *t, const char *path, size_t block)
{
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, at = 0;
    uint64_t runs = 1;
    if (!in) {
        perror(path);
        exit(2);
    }
    while (getline(&line, &room, in) > 0) {
        if (strncmp(line, "region ", 7) == 0 && ++at == block + 1)
            runs = read_runs(line);
        if (at == block + 1 && strncmp(line, "pri ", 4) == 0)
            read_intervals(t, line, runs);
        if (at == block + 1 && strncmp(line, "shared ", 7) == 0)
            read_shared(t, line, runs);
    }
    free(line);
    fclose(in);
    return runs;
}

static plussi_bound *bind(const pluss_nest *nest, uint32_t team, const plussi_chunk *chunk,
                          size_t n_chunks)
{
    plussi_bind_options options = {
        .team = team, .line_bytes = 64, .recorded = chunk, .n_recorded = n_chunks};
    plussi_bound *bound;
    must(plussi_bind(&ctx->ctx, nest->nest, &options, &bound), "bind");
    return bound;
}

/* ---- chunks of a sampler ------------------------------------------------------------------------
 *
 * Its record does not have them, but its rule is written down (rt/sampler.h): the next chunk is for
 * the thread that has the fewest accesses behind it since the last barrier, the lowest number of
 * several. */

static bool all_to_one(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                       uint64_t chunk, uint32_t team, uint32_t thread, plussi_thread_set *out)
{
    (void)user;
    (void)loop;
    (void)iv;
    (void)chunk;
    *out = (plussi_thread_set){.set = plussi_iterset_static(n, n + 1, team, thread)};
    return true;
}

typedef struct dealer {
    const plussi_engine *engine;
    plussi_chunk *chunk;
    size_t n, cap;
    uint64_t time[256];    /* executions so far, by loop */
    uint64_t behind[4096]; /* by thread */
} dealer;

static void deal_work(void *user, uint32_t thread, uint64_t accesses)
{
    ((dealer *)user)->behind[thread] += accesses;
}

static bool deal_loop(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                      uint64_t chunk, uint32_t team)
{
    dealer *out = user;
    plussi_dispatch d = plussi_dispatch_of_loop(&loop->u.loop, iv, n, chunk, team);
    plussi_segment s;
    if (loop->id >= 256)
        must(PLUSS_EUNSUPPORTED, "more loops than there is room for");
    uint64_t time = out->time[loop->id]++;
    while (plussi_dispatch_next(&d, &s)) {
        uint32_t least = 0;
        for (uint32_t k = 1; k < team; k++)
            least = out->behind[k] < out->behind[least] ? k : least;
        out->behind[least] += plussi_engine_work(out->engine, loop, iv, s.lo, s.hi);
        must(plussi_grow(&ctx->ctx.mem, &out->chunk, &out->cap, out->n, sizeof *out->chunk),
             "chunks");
        out->chunk[out->n++] = (plussi_chunk){loop->id, least, time, s.lo, s.hi};
    }
    return true;
}

static bool is_on_demand(const plussi_bound *bound)
{
    for (uint32_t i = 0; i < bound->n_loops; i++)
        if (bound->loop[i] && bound->loop[i]->u.loop.workshare &&
            bound->loop[i]->u.loop.schedule.kind != PLUSSI_SCHED_STATIC)
            return true;
    return false;
}

/* The chunks, and how many. */
static plussi_chunk *deal(const pluss_nest *nest, uint32_t team, size_t *n)
{
    static const plussi_iterset_source source = {all_to_one, NULL, true, false};
    static dealer out;
    const plussi_visitor visitor = {deal_work, deal_loop, &out};
    plussi_engine *engine;
    plussi_workspace *scan;
    plussi_bound *bound = bind(nest, team, NULL, 0);
    out = (dealer){0};
    if (is_on_demand(bound) && team > 1) {
        must(plussi_engine_new(&ctx->ctx, bound, &source, &engine), "closed form");
        must(plussi_workspace_new(&ctx->ctx, engine, &scan), "closed form");
        out.engine = engine;
        for (uint64_t p = 0; p < plussi_engine_phases(engine); p++) {
            memset(out.behind, 0, sizeof out.behind);
            plussi_engine_visit(scan, p, &visitor);
        }
        plussi_workspace_free(scan);
        plussi_engine_free(engine);
    }
    plussi_bound_free(bound);
    *n = out.n;
    return out.chunk;
}

/* ---- the nest's, walked and in closed form ------------------------------------------------------
 */

static void walk_nest(table *t, const plussi_bound *bound)
{
    plussi_walk *walk;
    must(plussi_walk_new(&ctx->ctx, bound, 1, &walk), "walk");
    plussi_linemap *last = calloc(t->team, sizeof *last);
    uint64_t *clock = calloc(t->team, sizeof *clock);
    static plussi_access batch[BATCH];
    for (uint32_t k = 0; k < t->team; k++)
        plussi_linemap_init(&last[k], &ctx->ctx.mem);
    do
        for (uint32_t k = 0; k < t->team; k++)
            for (size_t n; (n = plussi_walk_fill(walk, k, batch, BATCH)) > 0;)
                for (size_t i = 0; i < n; i++) {
                    tally *at = &t->at[k * t->refs + under[batch[i].ref]];
                    uint64_t *before = plussi_linemap_at(&last[k], batch[i].line);
                    uint64_t now = ++clock[k];
                    if (*before == 0)
                        at->first++;
                    else
                        must(plussi_histo_add(&at->interval, now - *before, 1), "histogram");
                    *before = now;
                }
    while (plussi_walk_next_phase(walk));
    must(plussi_walk_status(walk), "walk");
    for (uint32_t k = 0; k < t->team; k++)
        plussi_linemap_free(&last[k]);
    free(last);
    free(clock);
    plussi_walk_free(walk);
}

/* Where the line of each of a thread's accesses was touched before, without looking there. */
static void close_thread(table *t, const plussi_engine *engine, plussi_workspace *scan, uint32_t k)
{
    uint64_t phases = plussi_engine_phases(engine), now = 0;
    uint64_t *start = calloc(phases + 1, sizeof *start);
    for (uint64_t p = 0; p < phases; p++)
        start[p + 1] = start[p] + plussi_engine_length(scan, k, p);
    for (uint64_t p = 0; p < phases; p++) {
        uint64_t at = 0, before_phase, before_pos;
        plussi_cursor spot = {0}, before;
        if (start[p + 1] > start[p])
            plussi_engine_unrank(scan, k, p, 0, &spot);
        for (; now < start[p + 1]; now++, plussi_engine_step(scan, p, &at, &spot)) {
            tally *mine = &t->at[k * t->refs + under[plussi_engine_ref(engine, spot.leaf)->id]];
            if (!plussi_engine_prev(scan, &spot, plussi_engine_line(scan, &spot), NULL, &before)) {
                mine->first++;
                continue;
            }
            plussi_engine_locate(scan, &before, &before_phase, &before_pos);
            must(plussi_histo_add(&mine->interval, now - start[before_phase] - before_pos, 1),
                 "histogram");
        }
    }
    free(start);
}

static void close_nest(table *t, const plussi_bound *bound)
{
    plussi_clock_itersets *shares = NULL;
    plussi_engine *engine;
    plussi_workspace *scan;
    must(plussi_clock_itersets_new(&ctx->ctx, bound, NULL, 1, false, &shares), "shares");
    must(plussi_engine_new(&ctx->ctx, bound, plussi_clock_itersets_source(shares), &engine),
         "closed form");
    if (plussi_engine_uses_source(engine))
        must(plussi_clock_itersets_engine(shares, engine), "shares");
    must(plussi_workspace_new(&ctx->ctx, engine, &scan), "closed form");
    for (uint32_t k = 0; k < plussi_engine_team(engine); k++)
        close_thread(t, engine, scan, k);
    must(plussi_clock_itersets_status(shares), "shares");
    if (plussi_workspace_failed(scan))
        must(PLUSS_ENOMEM, "closed form");
    plussi_workspace_free(scan);
    plussi_engine_free(engine);
    plussi_clock_itersets_free(shares);
}

/* ---- comparison ---------------------------------------------------------------------------------
 */

static void print_tally(const char *name, const tally *t)
{
    plussi_bin *bin;
    size_t n;
    must(plussi_histo_sorted(&t->interval, &bin, &n), "histogram");
    printf("%s: %" PRIu64 " first touches and", name, t->first);
    for (size_t i = 0; i < n && i < 12; i++)
        printf(" %" PRIu64 ":%.0f", bin[i].key, bin[i].weight);
    printf("\n");
    plussi_free(&ctx->ctx.mem, bin);
}

static double accesses(const tally *t)
{
    return (double)t->first + plussi_histo_total(&t->interval);
}

static double made(const table *t, uint32_t r)
{
    double n = 0;
    for (uint32_t k = 0; k < t->team; k++)
        n += accesses(&t->at[k * t->refs + r]);
    return n;
}

/* What differs in number, all of it; if nothing does, intervals do. */
static void list_differences(const table *got, const table *want, const char *what,
                             const char *region)
{
    bool numbers = false;
    for (uint32_t r = 0; r < got->refs; r++) {
        double x = made(got, r), y = made(want, r);
        if (x == y)
            continue;
        printf("region %s reference %u recorded %.0f %s %.0f\n", region, r, x, what, y);
        numbers = true;
    }
    if (!numbers)
        printf("region %s intervals %s\n", region, what);
}

static bool differ;

/* `what`: the way that the wanted ones came about. */
static void compare(const table *got, const table *want, const char *what, const char *region)
{
    for (uint32_t k = 0; k < got->team; k++)
        for (uint32_t r = 0; r < got->refs; r++) {
            const tally *x = &got->at[k * got->refs + r], *y = &want->at[k * got->refs + r];
            if (by_number[r] ? accesses(x) == accesses(y)
                             : x->first == y->first && histo_equal(&x->interval, &y->interval, 0))
                continue;
            if (places) {
                differ = true;
                list_differences(got, want, what, region);
                return;
            }
            printf("thread %u, reference %u\n", k, r);
            print_tally("recorded", x);
            print_tally(what, y);
            exit(1);
        }
}

static void compare_sums(const table *got, const pluss_nest *nest, const pluss_block_info *block)
{
    pluss_options *options;
    pluss_pri *pri;
    must(pluss_options_new(ctx, &options), "options");
    must(pluss_options_set_threads(ctx, options, &block->team, 1), "options");
    must(pluss_options_set_chunks(ctx, options, block->chunks, block->n_chunks), "options");
    must(pluss_pri_collect(ctx, nest, options, &pri), "intervals of the models");
    pluss_options_free(options);
    for (uint32_t r = 0; r < got->refs; r++) {
        pluss_pri_info info = {.size = sizeof info};
        must(pluss_pri_get(pri, r, &info), "intervals of the models");
        tally sum = {0}, taken = {0};
        plussi_histo_init(&sum.interval, &ctx->ctx.mem);
        plussi_histo_init(&taken.interval, &ctx->ctx.mem);
        for (uint32_t k = 0; k < got->team; k++) {
            sum.first += got->at[k * got->refs + r].first;
            sum.cold += got->at[k * got->refs + r].cold;
            must(plussi_histo_merge(&sum.interval, &got->at[k * got->refs + r].interval, 1),
                 "histogram");
        }
        for (size_t i = 0; i < info.n_bins; i++)
            must(plussi_histo_add(&taken.interval, info.interval[i], info.weight[i]), "histogram");
        taken.first = (uint64_t)llround(info.cold + info.thread_first);
        taken.cold = info.cold;
        if (!by_number[r] &&
            (sum.first != taken.first || fabs(sum.cold - taken.cold) > 1e-9 * (1 + taken.cold) ||
             !histo_equal(&sum.interval, &taken.interval, 0))) {
            printf("reference %u, all %u threads: %.3f cold, the models' %.3f\n", r, got->team,
                   sum.cold, taken.cold);
            print_tally("recorded", &sum);
            print_tally("the models'", &taken);
            exit(1);
        }
        plussi_histo_free(&sum.interval);
        plussi_histo_free(&taken.interval);
    }
    pluss_pri_free(pri);
}

/* Why the nest, which is walked, has no closed form; NULL: it has one. */
static const char *why_not_closed(const plussi_bound *bound)
{
    for (uint32_t i = 0; i < bound->n_loops; i++)
        if (bound->loop[i] && bound->loop[i]->u.loop.collapse > 1 &&
            bound->loop[i]->u.loop.schedule.kind == PLUSSI_SCHED_RECORDED)
            return "recorded chunks of collapsed loops";
    return bound->has_unknown ? "parts are not described"
           : bound->has_load  ? "it depends on what arrays hold"
                              : NULL;
}

/* How many accesses. */
static uint64_t check_block(const char *path, const pluss_record *record, size_t b,
                            const pluss_nest *const *nest, size_t n)
{
    pluss_block_info block = {.size = sizeof block};
    must(pluss_record_get_block(record, b, &block), "block");
    if (block.lost) {
        printf("%s: %" PRIu64 " accesses lost\n", block.region, block.lost);
        exit(1);
    }
    pluss_nest *own;
    must(pluss_record_nest(ctx, record, b, 0, nest, n, &own), block.region);
    uint32_t refs = own->nest->n_refs;
    plussi_chunk *dealt = NULL;
    size_t n_dealt = 0;
    if (block.by == PLUSS_RECORDED_SAMPLE)
        dealt = deal(own, block.team, &n_dealt);
    if (n_dealt) {
        block.chunks = (const pluss_chunk *)dealt;
        block.n_chunks = n_dealt;
    }
    plussi_bound *bound = bind(own, block.team, (const plussi_chunk *)block.chunks, block.n_chunks);
    uint32_t threads = bound->max_team > block.team ? bound->max_team : block.team;
    table got = table_new(threads, refs), walked = table_new(threads, refs),
          closed = table_new(threads, refs);
    find_places(bound, refs);
    runs_differ = false;
    bool shared_out_alike = read_block(&got, path, b) == 1 || block.n_chunks == 0;
    walk_nest(&walked, bound);
    if (shared_out_alike && runs_differ) {
        printf("%s: not the same in each of its runs\n", block.region);
        exit(1);
    }
    if (shared_out_alike)
        compare(&got, &walked, "walked", block.region);
    const char *reason = why_not_closed(bound);
    if (!shared_out_alike) {
        printf("%s: several runs, the chunks of one: no closed form\n", block.region);
    } else if (reason) {
        printf("%s: %s: no closed form\n", block.region, reason);
    } else {
        close_nest(&closed, bound);
        compare(&got, &closed, "computed", block.region);
    }
    if (!places && shared_out_alike)
        compare_sums(&got, own, &block);
    plussi_bound_free(bound);
    plussi_free(&ctx->ctx.mem, dealt);
    table_free(&got);
    table_free(&walked);
    table_free(&closed);
    pluss_nest_free(own);
    return block.accesses;
}

int main(int argc, char **argv)
{
    for (; argc > 1 && !strncmp(argv[1], "--", 2); argc--, argv++) {
        places |= !strcmp(argv[1], "--places");
        chosen |= !strcmp(argv[1], "--chosen");
        own_by_number |= !strcmp(argv[1], "--own");
    }
    if (argc < 3)
        return 2;
    must(pluss_context_new(NULL, &ctx), "context");
    const pluss_nest *nest[MAX_NESTS];
    size_t n = 0;
    for (int i = 2; i < argc; i++) {
        pluss_nests *nests;
        must(pluss_nests_read(ctx, argv[i], &nests), argv[i]);
        for (size_t k = 0; k < pluss_nests_count(nests) && n < MAX_NESTS; k++)
            nest[n++] = pluss_nests_get(nests, k);
    }
    pluss_record *record;
    must(pluss_record_read(ctx, argv[1], &record), argv[1]);
    pluss_record_info info = {.size = sizeof info};
    must(pluss_record_get_info(record, &info), "record");
    uint64_t accesses = 0;
    for (size_t b = 0; b < info.n_blocks; b++)
        accesses += check_block(argv[1], record, b, nest, n);
    printf("%zu blocks, %" PRIu64 " accesses\n", info.n_blocks, accesses);
    return differ || info.n_blocks == 0;
}
