/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What runs find in the cache of programs that are partly described and partly recorded: the order
 * of all runs that the recorder leaves, read back and joined with what descriptions tell, against
 * the whole order of the same accesses.
 */
#include "suite.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/line_sample.h"
#include "base/rng.h"
#include "exact/lru.h"
#include "failing_mem.h"
#include "one_file.h"
#include "rt/rt.h"
#include "study/between_runs.h"
#include "study/mixed_whole.h"
#include "study/query_lines.h"
#include "trace/ordered_runs.h"
#include "trace/touched_lines.h"
#include "trace_file.h"

enum { LINE = PLUSS_RT_LINE_BYTES, LINES = 1 << 16 };

static _Alignas(LINE) char memory[LINES * LINE];

static plussi_record *record;
static plussi_nest *nest, *rounds_nest;
static plussi_request request;

/* Sweeps over the lines lo ... hi - 1, then down over the upper half of them. */
static const char swept_text[] =
    "pluss-nest 1 symbol lo symbol hi array f64 A[524288] region swept \"x.c\":1 "
    "for i in lo..hi { read A[8*i] } for j in 0..(hi-lo+1)/2 { read A[8*hi-8-8*j] }";

/* The same upwards alone, by the teams of `times` parallel constructs. */
static const char rounds_text[] =
    "pluss-nest 1 symbol lo symbol hi symbol times array f64 A[524288] region rounds \"x.c\":4 "
    "for k in 0..times { parallel { workshare for i in lo..hi schedule(static) { read A[8*i] } } }";

static const pluss_rt_ref any[] = {{8, 8}};
static const char *const symbols[] = {"lo", "hi", "times"}, *const arrays[] = {"A"};
static const pluss_rt_region swept = {.size = sizeof swept,
                                      .name = "swept",
                                      .file = "x.c",
                                      .line = 1,
                                      .n_refs = 2,
                                      .n_symbols = 2,
                                      .n_arrays = 1,
                                      .ref = (pluss_rt_ref[]){{8, 8}, {8, 8}},
                                      .symbol = symbols,
                                      .array = arrays,
                                      .n_described = 2};
static const pluss_rt_region rounds = {.size = sizeof rounds,
                                       .name = "rounds",
                                       .file = "x.c",
                                       .line = 4,
                                       .n_refs = 1,
                                       .n_symbols = 3,
                                       .n_arrays = 1,
                                       .ref = (pluss_rt_ref[]){{8, 8}},
                                       .symbol = symbols,
                                       .array = arrays,
                                       .n_described = 1};
static const pluss_rt_region looked_up = {.size = sizeof looked_up,
                                          .name = "looked_up",
                                          .file = "x.c",
                                          .line = 2,
                                          .n_refs = 1,
                                          .ref = any};

/* Which threads of another region's team execute. */
static const pluss_rt_region in_team = {
    .size = sizeof in_team, .name = "in_team", .file = "x.c", .line = 3, .n_refs = 1, .ref = any};

/* ---- programs, which keep their accesses ------------------------------------------------------
 */

enum { MOST_ACCESSES = 1 << 20 };

static struct {
    uint32_t *line, *run; /* of each access */
    uint32_t run_now, runs;
    size_t n, begin; /* accesses; those before the run, or piece of one, that is open */
} made;

static void setup_program(void)
{
    setup();
    unlink(path);
    record = NULL;
    const char *text = swept_text;
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, strlen(text), NULL, &nest), PLUSS_OK);
    text = rounds_text;
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, strlen(text), NULL, &rounds_nest), PLUSS_OK);
    plussi_request_init(&request, &plussi_mem_libc);
    made.line = calloc(MOST_ACCESSES, sizeof *made.line);
    made.run = calloc(MOST_ACCESSES, sizeof *made.run);
    made.n = made.run_now = made.runs = 0;
    pluss_rt_reset();
}

static void teardown_program(void)
{
    unlink(trace_of(path));
    free(made.line);
    free(made.run);
    plussi_record_free(record);
    plussi_nest_free(nest);
    plussi_nest_free(rounds_nest);
    plussi_request_free(&request);
    teardown();
}

static void make_access(uint32_t line)
{
    ck_assert_uint_lt(made.n, MOST_ACCESSES);
    made.run[made.n] = made.run_now;
    made.line[made.n++] = line;
}

/* What the program does; its description tells it. */
static void sweep(int64_t lo, int64_t hi)
{
    const int64_t value[] = {lo, hi};
    const void *const base[] = {memory};
    pluss_rt_run *run = pluss_rt_enter(&swept, value, base, PLUSS_RT_BIND | PLUSS_RT_COUNTED);
    const uint32_t outer = made.run_now;
    made.begin = made.n;
    made.run_now = UINT32_MAX;
    for (int64_t i = lo; i < hi; i++)
        make_access((uint32_t)i);
    for (int64_t j = 0; 2 * j < hi - lo; j++)
        make_access((uint32_t)(hi - 1 - j));
    made.run_now = outer;
    pluss_rt_leave(run);
}

static pluss_rt_run *begin_look_up(void)
{
    made.begin = made.n;
    made.run_now = ++made.runs;
    return pluss_rt_enter(&looked_up, NULL, NULL, PLUSS_RT_PROFILE | PLUSS_RT_COUNTED);
}

static void look_up(uint32_t line)
{
    pluss_rt_access(0, memory + (size_t)line * LINE + line % 8 * 8);
    make_access(line);
}

static void read_record(void)
{
    ck_assert_int_eq(pluss_rt_write(path), 0);
    ck_assert_msg(plussi_record_read(&ctx, path, &record) == PLUSS_OK, "%s",
                  ctx.n_diags ? ctx.diags[0].text : "");
}

static pluss_status find(plussi_between_runs *out)
{
    const plussi_nest *nests[] = {nest, rounds_nest};
    return plussi_find_between_runs(&ctx, record, nests, 2, &request, out);
}

/* What was found by region: of swept 0, of looked_up 1, of rounds 2. */
enum { REGIONS = 3 };
typedef struct found {
    double runs[REGIONS], touched[REGIONS];
    plussi_histo distance[REGIONS], own, real; /* own, real: of looked_up and rounds */
} found;

static void begin_found(found *f)
{
    *f = (found){0};
    for (int k = 0; k < REGIONS; k++)
        plussi_histo_init(&f->distance[k], &plussi_mem_libc);
    plussi_histo_init(&f->own, &plussi_mem_libc);
    plussi_histo_init(&f->real, &plussi_mem_libc);
}

static void end_found(found *f)
{
    for (int k = 0; k < REGIONS; k++)
        plussi_histo_free(&f->distance[k]);
    plussi_histo_free(&f->own);
    plussi_histo_free(&f->real);
}

static void add_up(const plussi_between_runs *between, found *out)
{
    begin_found(out);
    for (size_t b = 0; b < between->n; b++) {
        const char *name = record->block[b].region;
        const int k = strcmp(name, "swept") == 0 ? 0 : strcmp(name, "rounds") == 0 ? 2 : 1;
        if (between->block[b].runs)
            ck_assert_uint_eq(between->block[b].runs, record->block[b].runs);
        out->runs[k] += (double)between->block[b].runs;
        out->touched[k] += between->block[b].touched;
        ck_assert_int_eq(plussi_histo_merge(&out->distance[k], &between->block[b].distance, 1),
                         PLUSS_OK);
        ck_assert_int_eq(plussi_histo_merge(&out->own, &between->block[b].own, 1), PLUSS_OK);
        ck_assert_int_eq(plussi_histo_merge(&out->real, &between->block[b].real, 1), PLUSS_OK);
    }
}

/* Different other lines that were touched since access `at` last touched its line, UINT64_MAX: it
 * never did; run: of this run's accesses alone, 0: of all. */
static uint64_t look_back(size_t at, uint32_t run)
{
    static uint32_t seen[LINES], mark; /* when the line was seen while going back */
    uint64_t others = 0;
    mark++;
    for (size_t j = at; j-- > 0;) {
        const uint32_t line = made.line[j];
        if (run && made.run[j] != run)
            continue;
        if (line == made.line[at])
            return others;
        others += seen[line] != mark;
        seen[line] = mark;
    }
    return UINT64_MAX;
}

/* The same from the accesses themselves, for what was done since `begin`, by a run that has ended
 * or goes on. */
static void count_piece(found *f, int region, bool ended)
{
    f->runs[region] += ended;
    for (size_t i = made.begin; i < made.n; i++) {
        bool again = false;
        for (size_t j = made.begin; j < i && !again; j++)
            again = made.line[j] == made.line[i];
        if (again)
            continue;
        const uint64_t back = look_back(i, 0),
                       own = region ? look_back(i, made.run[i]) : UINT64_MAX;
        if (own != UINT64_MAX) {
            ck_assert_int_eq(plussi_histo_add(&f->own, own, 1), PLUSS_OK);
            ck_assert_int_eq(plussi_histo_add(&f->real, back, 1), PLUSS_OK);
            continue;
        }
        f->touched[region]++;
        if (back == UINT64_MAX)
            f->distance[region].cold++;
        else
            ck_assert_int_eq(plussi_histo_add(&f->distance[region], back, 1), PLUSS_OK);
    }
}

static void count_run(found *f, int region)
{
    count_piece(f, region, true);
}

static void expect_same(const plussi_histo *got, const plussi_histo *wanted)
{
    plussi_bin *a, *b;
    size_t n, m;
    ck_assert_double_eq(got->cold, wanted->cold);
    ck_assert_int_eq(plussi_histo_sorted(got, &a, &n), PLUSS_OK);
    ck_assert_int_eq(plussi_histo_sorted(wanted, &b, &m), PLUSS_OK);
    ck_assert_uint_eq(n, m);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(a[i].key, b[i].key);
        ck_assert_double_eq(a[i].weight, b[i].weight);
    }
    free(a);
    free(b);
}

/* ---- all lines --------------------------------------------------------------------------------
 */

enum { PROGRAMS = 40, RUNS = 30 };

static void look_up_some(plussi_rng *rng, uint32_t lines)
{
    for (uint64_t i = plussi_rng_below(rng, 40); i > 0; i--)
        look_up((uint32_t)plussi_rng_below(rng, lines));
}

/* Inside of itself: a frame deeper, so that the outer one is not taken to be gone. */
static __attribute__((noinline)) void look_up_inside(plussi_rng *rng, uint32_t lines, found *wanted)
{
    volatile char room[256] = {0};
    const uint32_t outer = made.run_now;
    pluss_rt_run *run = begin_look_up();
    look_up_some(rng, lines + (uint32_t)room[7]);
    pluss_rt_leave(run);
    count_run(wanted, 1);
    made.run_now = outer;
}

/* In a team of the run. */
static void look_up_in_team(plussi_rng *rng, uint32_t lines, pluss_rt_run *outer, found *wanted)
{
    const uint32_t own = made.run_now;
    pluss_rt_thread_begin(outer, 0, 1);
    look_up_some(rng, lines);
    count_piece(wanted, 1, false);
    made.begin = made.n;
    made.run_now = ++made.runs;
    pluss_rt_run *run =
        pluss_rt_enter_team(&in_team, NULL, NULL, PLUSS_RT_PROFILE | PLUSS_RT_COUNTED, 0, 1);
    look_up_some(rng, lines);
    pluss_rt_leave(run);
    count_run(wanted, 1);
    made.run_now = own;
    pluss_rt_thread_end(outer);
}

static __attribute__((noinline)) void run_rounds(plussi_rng *rng, uint32_t lines, int inside,
                                                 found *wanted);

/* A run of one of the regions, within another one. */
static void run_inside(plussi_rng *rng, uint32_t lines, int inside, found *wanted)
{
    const int64_t lo = (int64_t)plussi_rng_below(rng, lines);
    const uint64_t what = plussi_rng_below(rng, 4);
    if (what == 0) {
        look_up_inside(rng, lines, wanted);
    } else if (what == 1 && inside < 3) {
        run_rounds(rng, lines, inside + 1, wanted);
    } else {
        sweep(lo, lo + (int64_t)plussi_rng_below(rng, 9));
        count_run(wanted, 0);
    }
}

/* Between its parallel constructs others are nested, perhaps of the same region. */
static __attribute__((noinline)) void run_rounds(plussi_rng *rng, uint32_t lines, int inside,
                                                 found *wanted)
{
    volatile char room[256] = {0};
    const int64_t lo = (int64_t)plussi_rng_below(rng, 3) * lines / 4 + room[7],
                  value[] = {lo, lo + lines / 3, (int64_t)plussi_rng_below(rng, 4)};
    const void *const base[] = {memory};
    const uint32_t outer = made.run_now;
    pluss_rt_run *run = pluss_rt_enter(&rounds, value, base, PLUSS_RT_BIND | PLUSS_RT_COUNTED);
    const uint32_t own = ++made.runs;
    made.begin = made.n;
    for (int64_t k = 0; k <= value[2]; k++) {
        made.run_now = own;
        pluss_rt_thread_begin(k < value[2] ? run : NULL, 0, 1);
        for (int64_t i = value[0]; i < value[1] && k < value[2]; i++)
            make_access((uint32_t)i);
        pluss_rt_thread_end(k < value[2] ? run : NULL);
        for (uint64_t n = plussi_rng_below(rng, 3); n > 0; n--) {
            made.run_now = own;
            count_piece(wanted, 2, false);
            run_inside(rng, lines, inside, wanted);
            made.begin = made.n;
        }
    }
    made.run_now = own;
    count_run(wanted, 2);
    made.run_now = outer;
    pluss_rt_leave(run);
}

/* Runs of all regions, all of them inside of looked_up and of rounds, too. */
static void make_program(plussi_rng *rng, int runs, found *wanted)
{
    const uint32_t lines = 4 + (uint32_t)plussi_rng_below(rng, 60);
    for (int run = 0; run < runs; run++) {
        if (plussi_rng_below(rng, 3) == 0) {
            run_rounds(rng, lines, 0, wanted);
            continue;
        }
        if (plussi_rng_below(rng, 2)) {
            const int64_t lo = (int64_t)plussi_rng_below(rng, 3) * lines / 4;
            uint64_t times = 1 + plussi_rng_below(rng, 3);
            while (times-- > 0) {
                sweep(lo, lo + lines / 2);
                count_run(wanted, 0);
            }
            continue;
        }
        pluss_rt_run *open = begin_look_up();
        for (uint64_t pieces = plussi_rng_below(rng, 4); pieces > 0; pieces--) {
            look_up_some(rng, lines);
            count_piece(wanted, 1, false);
            run_inside(rng, lines, 1, wanted);
            made.begin = made.n;
            if (plussi_rng_below(rng, 3) == 0)
                look_up_in_team(rng, lines, open, wanted);
            made.begin = made.n;
        }
        look_up_some(rng, lines);
        pluss_rt_leave(open);
        count_run(wanted, 1);
    }
}

/* To the last count. */
START_TEST(all_lines_are_found_as_in_the_whole_order)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 21, (uint64_t)suite_turn(_i, PROGRAMS));
    found wanted, got;
    plussi_between_runs between;
    begin_found(&wanted);
    make_program(&rng, RUNS, &wanted);
    /* both kinds of runs are there in any case */
    sweep(0, 3);
    count_run(&wanted, 0);
    pluss_rt_run *open = begin_look_up();
    look_up(2);
    pluss_rt_leave(open);
    count_run(&wanted, 1);
    read_record();
    ck_assert_uint_gt(record->ordered_runs, 0);
    ck_assert_uint_eq(record->ordered_lost, 0);
    ck_assert_int_eq(find(&between), PLUSS_OK);
    ck_assert_uint_eq(between.shift, 0);
    ck_assert_double_eq(between.error, 0);
    ck_assert_uint_eq(ctx.n_diags, 0);
    add_up(&between, &got);
    for (int k = 0; k < REGIONS; k++) {
        ck_assert_double_eq(got.runs[k], wanted.runs[k]);
        ck_assert_double_eq(got.touched[k], wanted.touched[k]);
        expect_same(&got.distance[k], &wanted.distance[k]);
    }
    expect_same(&got.own, &wanted.own);
    expect_same(&got.real, &wanted.real);
    plussi_between_runs_free(&between);
    end_found(&got);
    end_found(&wanted);
}
END_TEST

/* ---- some lines -------------------------------------------------------------------------------
 */

/* Share of touched lines that an earlier run touched, with more than that many others since, or
 * that none did. */
static double share_above(const found *f, uint64_t distance)
{
    double above = 0, all = 0;
    for (int k = 0; k < 2; k++) {
        const plussi_histo *h = &f->distance[k];
        above += h->cold;
        all += f->touched[k];
        for (size_t i = 0; i < h->cap; i++)
            above += h->slot[i].weight > 0 && h->slot[i].key > distance ? h->slot[i].weight : 0;
    }
    return above / all;
}

/* The run's first touches in a stack that all accesses go through. */
static void stack_run(plussi_lru *lru, found *f, int region)
{
    static uint32_t seen[LINES], run;
    run++;
    f->runs[region]++;
    for (size_t i = made.begin; i < made.n; i++) {
        const uint64_t distance = plussi_lru_touch(lru, made.line[i]);
        const bool first = seen[made.line[i]] != run;
        seen[made.line[i]] = run;
        f->touched[region] += first;
        if (first && distance == PLUSSI_LRU_COLD)
            f->distance[region].cold++;
        else if (first)
            ck_assert_int_eq(plussi_histo_add(&f->distance[region], distance, 1), PLUSS_OK);
    }
}

/* More lines than a recorder keeps. Which are chosen depends on where they lie. */
START_TEST(some_lines_stand_for_all)
{
    enum { MANY = 40000, TIMES = 5 };
    found got, wanted;
    plussi_between_runs between;
    plussi_lru *lru = NULL;
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    begin_found(&wanted);
    for (int time = 0; time < TIMES; time++) {
        pluss_rt_run *open = begin_look_up();
        for (uint32_t i = 0; i < MANY; i += 1 + i % 3)
            look_up(time % 2 ? i : MANY - 1 - i);
        pluss_rt_leave(open);
        stack_run(lru, &wanted, 1);
        sweep(time * 1000, MANY / 2);
        stack_run(lru, &wanted, 0);
    }
    plussi_lru_free(lru);
    read_record();
    ck_assert_int_eq(find(&between), PLUSS_OK);
    ck_assert_uint_gt(between.shift, 0);
    ck_assert_double_gt(between.error, 0);
    ck_assert_double_lt(between.error, 0.02);
    add_up(&between, &got);
    for (int k = 0; k < 2; k++) {
        ck_assert_double_eq(got.runs[k], TIMES);
        ck_assert_double_eq_tol(got.touched[k] / wanted.touched[k], 1, 0.05);
    }
    for (uint64_t distance = 0; distance <= MANY; distance += MANY / 16) {
        /* beside the error of the share, that of the sampled distance itself */
        const double least = share_above(&wanted, distance + distance / 32),
                     most = share_above(&wanted, distance - distance / 32),
                     is = share_above(&got, distance);
        ck_assert_msg(is > least - 4 * between.error && is < most + 4 * between.error,
                      "above %d lines: %g of %g to %g, error %g", (int)distance, is, least, most,
                      between.error);
    }
    plussi_between_runs_free(&between);
    end_found(&got);
    end_found(&wanted);
}
END_TEST

static unsigned listed_shift; /* of the last list */

static pluss_status list_lines(const plussi_bound *bound, uint32_t own, unsigned shift, size_t most,
                               plussi_line_list *out)
{
    plussi_listing listing = {.own = own, .shift = shift, .most = most, .stage = "lines"};
    const pluss_status status = plussi_list_touched_lines(&ctx, bound, &listing, out);
    listed_shift = listing.shift;
    return status;
}

/* Lines are chosen by what they are called in all lists: those of arrays without an address, too,
 * which are another nest's lines under another number. */
START_TEST(lists_of_some_lines_are_parts_of_those_of_all)
{
    static const char text[] =
        "pluss-nest 1 array f64 A[4000] address(65536) array f64 B[4000] array f64 "
        "P[3000] private region r \"x.c\":1 parallel { workshare for i in 0..4000 "
        "schedule(static) { read A[i] read B[3999-i] } for j in 0..3000 { write P[j] } "
        "}";
    plussi_nest *mixed = NULL;
    plussi_bound *bound = NULL;
    plussi_line_list all = {0}, other = {0};
    const plussi_bind_options options = {.team = 2, .line_bytes = LINE};
    ck_assert_msg(plussi_nest_parse(&ctx, text, strlen(text), NULL, &mixed) == PLUSS_OK, "%s",
                  ctx.n_diags ? ctx.diags[0].text : "");
    ck_assert_int_eq(plussi_bind(&ctx, mixed, &options, &bound), PLUSS_OK);
    ck_assert_int_eq(list_lines(bound, 5, 0, SIZE_MAX, &all), PLUSS_OK);
    ck_assert_uint_eq(all.n, 4000 / 8 + 4000 / 8 + 2 * 3000 / 8);
    for (unsigned turn = 1; turn < 8; turn++) {
        /* asked for, or as there are too many lines */
        plussi_line_list some = {0};
        const size_t most = turn < 5 ? SIZE_MAX : (size_t)2000 >> turn;
        unsigned shift = turn < 5 ? turn : 0;
        size_t n = 0;
        ck_assert_int_eq(list_lines(bound, 5, shift, most, &some), PLUSS_OK);
        ck_assert_uint_le(some.n, most);
        ck_assert(turn < 5 ? listed_shift == shift : listed_shift > 0);
        shift = listed_shift;
        for (size_t i = 0; i < all.n; i++)
            if (plussi_line_hash(all.line[i].line) <= plussi_line_threshold(shift)) {
                ck_assert_uint_lt(n, some.n);
                ck_assert_uint_eq(some.line[n].line, all.line[i].line);
                ck_assert_uint_eq(some.line[n++].last, all.line[i].last);
            }
        ck_assert_uint_eq(n, some.n);
        ck_assert_uint_gt(n, 0);
        plussi_free(&ctx.mem, some.line);
    }
    ck_assert_int_eq(list_lines(bound, 6, 0, SIZE_MAX, &other), PLUSS_OK);
    size_t same = 0;
    for (size_t i = 0; i < all.n; i++)
        same += all.line[i].line == other.line[i].line;
    ck_assert_uint_eq(same, 4000 / 8); /* A's */
    plussi_free(&ctx.mem, all.line);
    plussi_free(&ctx.mem, other.line);
    plussi_bound_free(bound);
    plussi_nest_free(mixed);
}
END_TEST

/* Nests of which walks and closed-form queries tell the same. */
static const char *const queried[] = {
    "array f64 A[4000] address(65536) array f64 B[4000] array f64 P[3000] private "
    "region r \"x.c\":1 parallel { workshare for i in 0..4000 schedule(static) { read A[i] "
    "read B[3999-i] } for j in 0..3000 { write P[j] } }",
    "array f64 A[90][90] region r \"x.c\":1 for t in 0..3 { parallel { workshare for i in 0..90 "
    "schedule(static, 3) { for j in 0..i { read A[i][j] write A[j][i] } } } "
    "for k in 0..90 { read A[k][0] } }",
    "array f64 A[100] address(65536) array f64 B[100] address(66000) region r \"x.c\":1 "
    "for t in 0..5 { parallel { workshare for i in 0..100-9*t schedule(static) nowait { read A[i] "
    "} "
    "workshare for j in 7..93 schedule(static, 1) { write B[j+t] } } }",
    "symbol n = 40 array f64 A[40][40] array f64 x[40] array f64 y[40] region r \"x.c\":1 "
    "for t in 0..4 { parallel { workshare for i in 0..n schedule(static) { read y[i] "
    "for j in 0..n { if (j > i) { read A[i][j] } read x[j] } write y[i] } "
    "single { write x[t] } } }",
    "array f64 A[97][40] array f64 x[97] region r \"x.c\":1 for t in 0..2 { parallel { "
    "workshare for i in 0..97 schedule(dynamic, 4) { read x[i] for j in 0..40 { read A[i][j] } } } "
    "}",
    "array f64 A[1000] region r \"x.c\":1 for t in 0..20 { for i in 50*t..50*t+50 { read A[i] } }",
};
enum { QUERIED = sizeof queried / sizeof *queried };

/* The lines in the order of their last touches. */
static void sort_by_last(plussi_line_list *list)
{
    qsort(list->line, list->n, sizeof *list->line, plussi_ordered_by_last);
}

START_TEST(lists_by_queries_are_those_by_walks)
{
    const int turn = suite_turn(_i, 3 * QUERIED), team = 1 + turn % 3 * 2;
    char text[1024];
    plussi_nest *other = NULL;
    plussi_bound *bound = NULL;
    const plussi_bind_options options = {.team = (uint32_t)team, .line_bytes = LINE};
    snprintf(text, sizeof text, "pluss-nest 1 %s", queried[turn / 3]);
    ck_assert_msg(plussi_nest_parse(&ctx, text, strlen(text), NULL, &other) == PLUSS_OK, "%s",
                  ctx.n_diags ? ctx.diags[0].text : "");
    ck_assert_int_eq(plussi_bind(&ctx, other, &options, &bound), PLUSS_OK);
    for (unsigned shift = 0; shift < 4; shift++) {
        plussi_line_list walked = {0}, asked = {0};
        plussi_listing listing = {.own = 5, .shift = shift, .most = SIZE_MAX, .stage = "lines"};
        ck_assert_int_eq(list_lines(bound, 5, shift, SIZE_MAX, &walked), PLUSS_OK);
        ck_assert_msg(plussi_query_touched_lines(&ctx, bound, &listing, &asked) == PLUSS_OK, "%s",
                      ctx.n_diags ? ctx.diags[0].text : "");
        ck_assert_uint_eq(listing.shift, shift);
        ck_assert_uint_eq(asked.n, walked.n);
        for (int time = 0; time < 2; time++) {
            for (size_t i = 0; i < walked.n; i++)
                ck_assert_msg(asked.line[i].line == walked.line[i].line, "%s, team %d: %s %zu",
                              queried[turn / 3], team, time ? "last" : "first", i);
            sort_by_last(&walked);
            sort_by_last(&asked);
        }
        ck_assert(shift || walked.n);
        plussi_free(&ctx.mem, walked.line);
        plussi_free(&ctx.mem, asked.line);
    }
    plussi_bound_free(bound);
    plussi_nest_free(other);
}
END_TEST

static const char guided[] =
    "array f64 A[800] array f64 B[400] region r \"x.c\":1 parallel { workshare for k in 0..400 "
    "schedule(static) { read B[k] } workshare for i in 0..800 schedule(guided) { read A[i] } }";

/* Each allocation fails, alone or with all after it: what is in the list stays, and nothing else
 * is. Guided loops have no closed form, but for one thread, which has all iterations. */
START_TEST(queries_without_memory)
{
    enum { NESTS = QUERIED + 1 };
    const int turn = suite_turn(_i, 2 * NESTS), which = turn / 2, team = 1 + turn % 2 * 3;
    const bool unknown = which == QUERIED && team > 1;
    char text[1024];
    plussi_nest *other = NULL;
    plussi_bound *bound = NULL;
    plussi_line_list walked = {0};
    const plussi_bind_options options = {.team = (uint32_t)team, .line_bytes = LINE};
    snprintf(text, sizeof text, "pluss-nest 1 %s", which < QUERIED ? queried[which] : guided);
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, strlen(text), NULL, &other), PLUSS_OK);
    ck_assert_int_eq(plussi_bind(&ctx, other, &options, &bound), PLUSS_OK);
    ck_assert_int_eq(list_lines(bound, 5, 0, SIZE_MAX, &walked), PLUSS_OK);
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx scarce;
        plussi_line_list list = {0};
        plussi_listing listing = {.own = 5, .most = SIZE_MAX, .stage = "lines"};
        failing_mem_init(&m, 1);
        plussi_ctx_init(&scarce, &m.mem);
        ck_assert_int_eq(plussi_grow(&scarce.mem, &list.line, &list.cap, list.n, sizeof *list.line),
                         PLUSS_OK);
        list.line[list.n++] = (plussi_ordered_line){77, 78};
        m.budget = budget / 2;
        m.alone = budget % 2;
        const pluss_status status = plussi_query_touched_lines(&scarce, bound, &listing, &list);
        if (m.failed && !(m.alone && status == PLUSS_OK)) /* it may do without */
            ck_assert_int_eq(status, PLUSS_ENOMEM);
        else
            ck_assert_int_eq(status, unknown ? PLUSS_EUNSUPPORTED : PLUSS_OK);
        ck_assert_uint_eq(list.n, 1 + (status ? 0 : walked.n));
        ck_assert(list.line[0].line == 77 && list.line[0].last == 78);
        for (size_t i = 1; i < list.n; i++)
            ck_assert_uint_eq(list.line[i].line, walked.line[i - 1].line);
        plussi_free(&scarce.mem, list.line);
        plussi_ctx_clear(&scarce);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed && budget % 2)
            break;
    }
    plussi_free(&ctx.mem, walked.line);
    plussi_bound_free(bound);
    plussi_nest_free(other);
}
END_TEST

/* Without effort the list is as before. */
START_TEST(queries_that_fail)
{
    plussi_nest *other = NULL;
    plussi_bound *bound = NULL;
    plussi_line_list list = {0};
    plussi_effort effort = {.left = UINT64_MAX};
    plussi_listing listing = {.most = SIZE_MAX, .stage = "lines", .effort = &effort};
    plussi_bind_options options = {.team = 2, .line_bytes = LINE};
    char queried_text[1024];
    snprintf(queried_text, sizeof queried_text, "pluss-nest 1 %s", queried[0]);
    ck_assert_int_eq(plussi_nest_parse(&ctx, queried_text, strlen(queried_text), NULL, &other),
                     PLUSS_OK);
    ck_assert_int_eq(plussi_bind(&ctx, other, &options, &bound), PLUSS_OK);
    for (effort.left = 10; effort.left < 100000; effort.left *= 3) {
        const uint64_t left = effort.left;
        const pluss_status status = plussi_query_touched_lines(&ctx, bound, &listing, &list);
        ck_assert(status == PLUSS_ELIMIT || status == PLUSS_OK);
        ck_assert(status == PLUSS_ELIMIT || left > 1000);
        ck_assert_uint_eq(list.n > 0, status == PLUSS_OK);
        effort.left = left;
        list.n = 0;
    }
    plussi_free(&ctx.mem, list.line);
    plussi_bound_free(bound);
    plussi_nest_free(other);
}
END_TEST

/* A run that makes far more accesses than a walk may stays in the order, by queries. */
START_TEST(long_runs_are_found_by_queries)
{
    const int64_t value[] = {3, 200, 50000};
    const void *const base[] = {memory};
    plussi_between_runs by_walk, by_queries;
    found walked, got;
    for (int time = 0; time < 3; time++) {
        pluss_rt_run *run = pluss_rt_enter(&rounds, value, base, PLUSS_RT_BIND | PLUSS_RT_COUNTED);
        pluss_rt_leave(run);
        pluss_rt_run *open = begin_look_up();
        for (uint32_t i = 0; i < 300; i++)
            look_up(i * 7 % 301);
        pluss_rt_leave(open);
    }
    read_record();
    ck_assert_int_eq(find(&by_walk), PLUSS_OK);
    request.effort = 8 * 50000 * 197 - 1; /* steps that the walk takes, but for one */
    ck_assert_int_eq(find(&by_queries), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 0);
    add_up(&by_walk, &walked);
    add_up(&by_queries, &got);
    ck_assert_double_eq(got.runs[2], 3);
    for (int k = 0; k < REGIONS; k++) {
        ck_assert_double_eq(got.touched[k], walked.touched[k]);
        expect_same(&got.distance[k], &walked.distance[k]);
    }
    plussi_between_runs_free(&by_walk);
    plussi_between_runs_free(&by_queries);
    end_found(&walked);
    end_found(&got);
}
END_TEST

/* ---- what is left out -------------------------------------------------------------------------
 */

START_TEST(without_a_description_the_others_are_found)
{
    plussi_between_runs between;
    found got, wanted;
    begin_found(&wanted);
    for (int time = 0; time < 3; time++) {
        sweep(100, 110);
        made.n = made.begin; /* as if it had not been */
        pluss_rt_run *open = begin_look_up();
        for (uint32_t i = 0; i < 10; i++)
            look_up(i * 7 % 10);
        pluss_rt_leave(open);
        count_run(&wanted, 1);
    }
    read_record();
    ck_assert_int_eq(plussi_find_between_runs(&ctx, record, NULL, 0, &request, &between), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_int_eq(ctx.diags[0].severity, PLUSSI_WARNING);
    ck_assert_ptr_nonnull(
        strstr(ctx.diags[0].text, "runs of swept are not in the curve of all runs: there is"));
    add_up(&between, &got);
    ck_assert_double_eq(got.runs[0], 0);
    ck_assert_double_eq(got.runs[1], 3);
    expect_same(&got.distance[1], &wanted.distance[1]);
    plussi_between_runs_free(&between);
    end_found(&got);
    /* likewise where its walk would take too long */
    plussi_ctx_clear(&ctx);
    plussi_ctx_init(&ctx, NULL);
    request.effort = 20;
    ck_assert_int_eq(find(&between), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_ptr_nonnull(
        strstr(ctx.diags[0].text, "runs of swept are not in the curve of all runs"));
    add_up(&between, &got);
    ck_assert_double_eq(got.runs[0], 0);
    expect_same(&got.distance[1], &wanted.distance[1]);
    plussi_between_runs_free(&between);
    end_found(&got);
    end_found(&wanted);
}
END_TEST

/* A described run that others are nested in is left out where it is not known what it did before
 * them: as they began in a team of it, or as it began other parallel constructs than its
 * description has. */
START_TEST(a_described_run_of_which_pieces_are_not_known)
{
    const int64_t value[] = {0, 9, 2};
    const void *const base[] = {memory};
    plussi_between_runs between;
    found got, wanted;
    begin_found(&wanted);
    for (int time = 0; time < 3; time++) {
        pluss_rt_run *outer =
            pluss_rt_enter(&rounds, value, base, PLUSS_RT_BIND | PLUSS_RT_COUNTED);
        pluss_rt_run *inner = NULL;
        pluss_rt_thread_begin(outer, 0, 1);
        if (!_i) {
            made.begin = made.n;
            made.run_now = ++made.runs;
            inner = pluss_rt_enter_team(&looked_up, NULL, NULL, PLUSS_RT_PROFILE | PLUSS_RT_COUNTED,
                                        0, 1);
            look_up(7);
            pluss_rt_leave(inner);
            count_run(&wanted, 1);
        }
        pluss_rt_thread_end(outer);
        sweep(5, 12);
        count_run(&wanted, 0);
        pluss_rt_leave(outer);
    }
    read_record();
    ck_assert_uint_eq(record->around, 3);
    ck_assert_int_eq(find(&between), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_msg(strstr(ctx.diags[0].text, _i ? "of the 1 parallel constructs"
                                               : "nested in their parallel constructs") != NULL,
                  "%s", ctx.diags[0].text);
    add_up(&between, &got);
    for (int k = 0; k < REGIONS; k++) {
        ck_assert_double_eq(got.runs[k], wanted.runs[k]);
        expect_same(&got.distance[k], &wanted.distance[k]);
    }
    plussi_between_runs_free(&between);
    end_found(&got);
    end_found(&wanted);
}
END_TEST

/* The record is written while a run goes on: what that has done is between the others. */
START_TEST(a_run_that_has_not_ended)
{
    plussi_between_runs between;
    found got, wanted;
    begin_found(&wanted);
    sweep(0, 9);
    count_run(&wanted, 0);
    pluss_rt_run *open = begin_look_up();
    for (uint32_t i = 5; i < 20; i++)
        look_up(i);
    sweep(0, 9);
    count_run(&wanted, 0);
    look_up(3);
    read_record();
    ck_assert_uint_eq(record->ordered_pieces, 1);
    ck_assert_int_eq(find(&between), PLUSS_OK);
    add_up(&between, &got);
    ck_assert_double_eq(got.runs[0], 2);
    ck_assert_double_eq(got.runs[1], 0);
    expect_same(&got.distance[0], &wanted.distance[0]);
    plussi_between_runs_free(&between);
    end_found(&got);
    end_found(&wanted);
    pluss_rt_leave(open);
}
END_TEST

static void *look_up_again(void *run)
{
    pluss_rt_thread_begin(run, 1, 2);
    for (uint32_t i = 0; i < 10; i++)
        pluss_rt_access(0, memory + (size_t)i * LINE);
    pluss_rt_thread_end(run);
    return NULL;
}

static pthread_barrier_t all_there;

typedef struct teammate {
    pluss_rt_run *outer;
    uint32_t thread;
} teammate;

enum { TEAM = 3, OUTER_LINES = 12, INNER_LINES = 5, TEAM_TIMES = 20 };

/* Some lines in the outer run, others in one of the team, the same ones again. */
static void *execute_in_team(void *user)
{
    const teammate *t = user;
    pluss_rt_thread_begin(t->outer, t->thread, TEAM);
    for (int time = 0; time < TEAM_TIMES; time++) {
        for (uint32_t i = 0; i < OUTER_LINES; i++)
            pluss_rt_access(0, memory + (size_t)(i + t->thread) * LINE);
        pluss_rt_run *run = pluss_rt_enter_team(
            &in_team, NULL, NULL, PLUSS_RT_PROFILE | PLUSS_RT_COUNTED, t->thread, TEAM);
        for (uint32_t i = 0; i < INNER_LINES; i++)
            pluss_rt_access(0, memory + (size_t)(100 + i) * LINE);
        pthread_barrier_wait(&all_there); /* as at the end of a worksharing loop */
        pluss_rt_leave(run);
    }
    pluss_rt_thread_end(t->outer);
    return NULL;
}

/* Each run of the team's parts the outer one, whose lines are found again after it. */
START_TEST(runs_of_a_team_part_the_one_that_it_executes)
{
    pthread_t thread[TEAM];
    teammate mate[TEAM];
    plussi_between_runs between;
    found got;
    pthread_barrier_init(&all_there, NULL, TEAM);
    sweep(200, 201);
    pluss_rt_run *open = begin_look_up();
    for (uint32_t k = 0; k < TEAM; k++)
        mate[k] = (teammate){open, k};
    for (uint32_t k = 1; k < TEAM; k++)
        ck_assert_int_eq(pthread_create(&thread[k], NULL, execute_in_team, &mate[k]), 0);
    execute_in_team(&mate[0]);
    for (uint32_t k = 1; k < TEAM; k++)
        ck_assert_int_eq(pthread_join(thread[k], NULL), 0);
    pluss_rt_leave(open);
    pthread_barrier_destroy(&all_there);
    read_record();
    ck_assert_uint_eq(record->ordered_pieces, TEAM_TIMES);
    ck_assert_int_eq(find(&between), PLUSS_OK);
    add_up(&between, &got);
    const double outer = OUTER_LINES + TEAM - 1;
    ck_assert_double_eq(got.runs[1], 1 + TEAM_TIMES);
    ck_assert_double_eq(got.touched[1], outer + TEAM_TIMES * INNER_LINES);
    ck_assert_double_eq(got.distance[1].cold, outer + INNER_LINES);
    ck_assert_double_eq(plussi_histo_total(&got.own), (TEAM_TIMES - 1) * outer);
    plussi_between_runs_free(&between);
    end_found(&got);
}
END_TEST

static volatile sig_atomic_t handled;

/* Touches lines that nothing else does, and executes a region. */
static void handle_signal(int signal)
{
    (void)signal;
    for (uint32_t i = 0; i < 64; i++)
        pluss_rt_called(memory + (size_t)(LINES / 2 + (handled * 64 + i) % (LINES / 2)) * LINE, 8);
    handled++;
    pluss_rt_run *run = pluss_rt_enter(&in_team, NULL, NULL, PLUSS_RT_PROFILE | PLUSS_RT_COUNTED);
    pluss_rt_access(0, memory);
    pluss_rt_leave(run);
}

/* Signals at all times while a run goes on and is paused: nothing is damaged. */
START_TEST(signals_while_runs_are_paused)
{
    enum { SIGNALS = 60, MOST_TIMES = 200000, MICROSECONDS = 120 };
    const struct itimerval often = {{0, MICROSECONDS}, {0, MICROSECONDS}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_RESTART};
    const int64_t value[] = {20, 30};
    const void *const base[] = {memory};
    plussi_between_runs between;
    found got;
    uint64_t swept_runs = 0;
    handled = 0;
    sigaction(SIGALRM, &action, NULL);
    pluss_rt_run *open = pluss_rt_enter(&looked_up, NULL, NULL,
                                        PLUSS_RT_PROFILE | PLUSS_RT_COUNTED | PLUSS_RT_CALLED);
    setitimer(ITIMER_REAL, &often, NULL);
    for (; handled < SIGNALS && swept_runs < MOST_TIMES; swept_runs++) {
        pluss_rt_access(0, memory + swept_runs % 100 * LINE);
        pluss_rt_leave(pluss_rt_enter(&swept, value, base, PLUSS_RT_BIND | PLUSS_RT_COUNTED));
    }
    setitimer(ITIMER_REAL, &never, NULL);
    pluss_rt_leave(open);
    ck_assert_int_ge(handled, SIGNALS);
    read_record();
    ck_assert_int_eq(find(&between), PLUSS_OK);
    add_up(&between, &got);
    ck_assert_double_le(got.runs[0], (double)swept_runs);
    ck_assert_double_ge(got.runs[0], record->ordered_lost ? 1 : (double)swept_runs);
    plussi_between_runs_free(&between);
    end_found(&got);
}
END_TEST

/* What the record tells where its sidecar file is missing: lines that one thread touched before
 * another run, and another thread first touches after it, are touched by the run once. */
START_TEST(other_threads_touch_the_same_lines_after_a_pause)
{
    pthread_t other;
    pluss_rt_run *open = begin_look_up();
    pluss_rt_thread_begin(open, 0, 2);
    for (uint32_t i = 0; i < 10; i++)
        look_up(i);
    pluss_rt_thread_end(open);
    sweep(20, 25);
    ck_assert_int_eq(pthread_create(&other, NULL, look_up_again, open), 0);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    pluss_rt_leave(open);
    read_record();
    for (size_t b = 0; b < record->n_blocks; b++)
        if (strcmp(record->block[b].region, "looked_up") == 0)
            ck_assert_uint_eq(record->block[b].touched, 10);
}
END_TEST

/* The order has room for so many runs; those after them are lost, and told. */
START_TEST(more_runs_than_an_order_holds)
{
    enum { RUNS_AFTER = 7 };
    plussi_between_runs between;
    pluss_rt_run *open = begin_look_up();
    look_up(1);
    pluss_rt_leave(open);
    for (int i = 1; i < PLUSSI_ORDERED_RUNS + RUNS_AFTER; i++) {
        made.n = 0;
        sweep(i % 2, i % 2 + 1);
    }
    read_record();
    ck_assert_uint_eq(record->ordered_runs, PLUSSI_ORDERED_RUNS);
    ck_assert_uint_eq(record->ordered_lost, RUNS_AFTER);
    ck_assert_int_eq(find(&between), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "7 runs at the end are not in the curve"));
    uint64_t runs = 0;
    for (size_t b = 0; b < between.n; b++)
        runs += between.block[b].runs;
    ck_assert_uint_eq(runs, PLUSSI_ORDERED_RUNS);
    plussi_between_runs_free(&between);
}
END_TEST

/* A program of one kind has no order, and no sidecar file. */
START_TEST(what_is_all_described_or_all_recorded_has_no_order)
{
    plussi_between_runs between;
    for (int time = 0; time < 3; time++) {
        if (_i) {
            sweep(1, 5);
            continue;
        }
        pluss_rt_run *open = begin_look_up();
        look_up(1);
        pluss_rt_leave(open);
    }
    read_record();
    ck_assert_uint_eq(record->ordered_runs, 0);
    ck_assert_int_ne(access(trace_of(path), F_OK), 0);
    ck_assert_int_eq(find(&between), PLUSS_ENOTFOUND);
}
END_TEST

/* ---- files that are wrong ---------------------------------------------------------------------
 */

static void small_program(void)
{
    sweep(0, 4);
    pluss_rt_run *open = begin_look_up();
    for (uint32_t i = 0; i < 5; i++)
        look_up(i);
    pluss_rt_leave(open);
    read_record();
}

typedef struct fault {
    const char *what;
    plussi_ordered_run run[2];
    plussi_ordered_line line[2];
    uint64_t runs, lines, to;
    const char *message;
} fault;

#define ALL UINT64_MAX
#define DESCRIBED PLUSSI_ORDER_DESCRIBED
#define NOWHERE PLUSSI_NO_PLACE
#define PIECE PLUSSI_PIECE
#define AROUND PLUSSI_AROUND
#define TEAMS PLUSSI_ORDER_TEAMS
static const fault faults[] = {
    {"pieces",
     {{0, PIECE, 1, DESCRIBED}, {1, NOWHERE, 1, 2}},
     {{7, 1}, {9, 0}},
     2,
     2,
     ALL,
     "piece"},
    {"no end", {{0, 0, 1, DESCRIBED}, {77, PIECE, 0, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, NULL},
    {"of none", {{0, 0, 1, DESCRIBED}, {1, PIECE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "piece"},
    {"piece", {{1, PIECE, 1, 0}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, NULL},
    {"other's", {{0, PIECE, 1, 0}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "not there"},
    {"often", {{0, 0, 2, DESCRIBED}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "number of"},
    {"again", {{1, NOWHERE, 1, 0}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "number of"},
    {"nothing", {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, NULL},
    {"no block", {{0, 0, 1, DESCRIBED}, {2, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "block"},
    {"walked", {{0, 0, 1, 2}, {1, NOWHERE, 1, 0}}, {{7, 1}, {9, 0}}, 2, 2, ALL, NULL},
    {"the other",
     {{1, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 2}},
     {{7, 1}, {9, 0}},
     2,
     2,
     ALL,
     "as its"},
    {"place", {{0, 1, 1, DESCRIBED}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "placement"},
    {"a place", {{0, 0, 1, DESCRIBED}, {1, 0, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "placement"},
    {"around", {{0, AROUND, 1, DESCRIBED}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, NULL},
    {"its", {{0, AROUND, 1, 2}, {1, NOWHERE, 1, 0}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "nested in it"},
    {"teams", {{0, PIECE, 1, TEAMS + 1}, {0, 0, 1, TEAMS + 1}}, {{0}}, 2, 0, ALL, NULL},
    {"fewer", {{0, PIECE, 1, TEAMS + 2}, {0, 0, 1, TEAMS + 1}}, {{0}}, 2, 0, ALL, "ascend"},
    {"no team", {{0, PIECE, 1, TEAMS}, {0, 0, 1, TEAMS + 1}}, {{0}}, 2, 0, ALL, "ascend"},
    {"no piece", {{1, NOWHERE, 1, 0}, {0, 0, 1, TEAMS + 1}}, {{0}}, 2, 0, ALL, "without one"},
    {"a kind", {{0, PIECE, 1, 0}, {0, 0, 1, TEAMS + 1}}, {{0}}, 2, 0, ALL, "not there"},
    {"other", {{1, PIECE, 1, TEAMS + 1}, {1, NOWHERE, 1, 0}}, {{0}}, 2, 0, ALL, "not there"},
    {"all", {{0, PIECE, 1, TEAMS + 1}, {0, 0, 1, DESCRIBED}}, {{0}}, 2, 0, ALL, "not there"},
    {"twice", {{0, PIECE, 1, TEAMS + 1}, {0, 0, 2, TEAMS + 1}}, {{0}}, 2, 0, ALL, "number of"},
    {"team", {{0, PIECE, 0, TEAMS + 9}, {1, NOWHERE, 1, 0}}, {{0}}, 2, 0, ALL, NULL},
    {"never", {{0, 0, 0, DESCRIBED}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "number of"},
    {"twice", {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 2, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "number of"},
    {"more", {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 3}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "more lines"},
    {"fewer", {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 1}}, {{7, 1}, {9, 0}}, 2, 2, ALL, "of no run"},
    {"same", {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 2}}, {{7, 1}, {7, 0}}, 2, 2, ALL, "line twice"},
    {"last", {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 1}}, 2, 2, ALL, "at a time"},
    {"line", {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 2}}, {{ALL, 1}, {9, 0}}, 2, 2, ALL, "none of"},
    {"rate", {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, 77, "a rate"},
    {"hash", {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 2}}, {{7, 1}, {9, 0}}, 2, 2, ALL >> 20, "none"},
    {"a run",
     {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 2}},
     {{7, 1}, {9, 0}},
     1,
     2,
     ALL,
     "not the one"},
    {"a line", {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 1}}, {{7, 1}, {9, 0}}, 2, 1, ALL, "not the"},
    {"lines",
     {{0, 0, 1, DESCRIBED}, {1, NOWHERE, 1, 0}},
     {{7, 1}, {9, 0}},
     2,
     0,
     ALL,
     "not the one"},
};
enum { FAULTS = sizeof faults / sizeof *faults };

START_TEST(files_that_are_wrong)
{
    const fault *f = &faults[_i];
    plussi_between_runs between;
    plussi_ordered_runs runs;
    small_program();
    record->ordered_runs = 2;
    record->ordered_lines = f->runs == 2 && f->lines == 0 && !f->line[0].line ? 0 : 2;
    FILE *out = begin_trace(trace_of(path));
    put_section(
        out,
        (plussi_trace_section){
            .kind = PLUSSI_SECTION_ORDER, .size = sizeof *f->run, .n = f->runs, .to = f->to},
        f->run);
    if (f->lines)
        put_section(
            out,
            (plussi_trace_section){
                .kind = PLUSSI_SECTION_LINES, .size = sizeof *f->line, .n = f->lines, .to = f->to},
            f->line);
    fclose(out);
    pluss_status status = plussi_ordered_runs_read(&ctx, record, &runs);
    ck_assert_msg(status == (f->message ? PLUSS_EFORMAT : PLUSS_OK), "%s: %d", f->what, status);
    if (f->message) {
        ck_assert_msg(strstr(ctx.diags[0].text, f->message) != NULL, "%s: %s", f->what,
                      ctx.diags[0].text);
        ck_assert_int_eq(find(&between), PLUSS_EFORMAT);
        return;
    }
    ck_assert_uint_eq(runs.n, 2);
    ck_assert_uint_eq(runs.n_lines, f->lines);
    plussi_ordered_runs_free(&runs);
    ck_assert_int_eq(find(&between), PLUSS_OK);
    plussi_between_runs_free(&between);
}
END_TEST

/* Far too many runs, or too many that are there in pieces at a time, each of which takes memory. */
START_TEST(files_with_too_much)
{
    const size_t n = _i ? (1 << 18) + 1 : 2 * 4097;
    plussi_ordered_run *run = calloc(n, sizeof *run);
    plussi_ordered_runs runs;
    small_program();
    record->ordered_runs = n;
    record->ordered_lines = 0;
    record->block[1].runs = n;
    for (size_t i = 0; i < n; i++)
        run[i] = (plussi_ordered_run){1, !_i && i < n / 2 ? PIECE : NOWHERE, _i ? 1 : n / 2, 0};
    for (size_t i = n / 2; i < n; i++)
        run[i].times = 1;
    FILE *out = begin_trace(trace_of(path));
    put_section(out,
                (plussi_trace_section){
                    .kind = PLUSSI_SECTION_ORDER, .size = sizeof *run, .n = n, .to = UINT64_MAX},
                run);
    fclose(out);
    free(run);
    ck_assert_int_eq(plussi_ordered_runs_read(&ctx, record, &runs), PLUSS_EFORMAT);
    ck_assert_msg(strstr(ctx.diags[0].text, _i ? "more runs in order" : "in pieces at a time"),
                  "%s", ctx.diags[0].text);
}
END_TEST

/* Every byte of a good file changed, and the file cut there: no fault but a told one. */
START_TEST(files_with_a_byte_that_is_wrong)
{
    static char text[4096];
    plussi_between_runs between;
    small_program();
    FILE *in = fopen(trace_of(path), "r");
    const size_t n = fread(text, 1, sizeof text, in);
    fclose(in);
    for (size_t i = 0; i < 2 * n; i += suite_step()) {
        const char was = text[i % n];
        text[i % n] = (char)(i < n ? was ^ 0x81 : was);
        FILE *out = fopen(trace_of(path), "w");
        fwrite(text, 1, i < n ? n : i - n, out);
        fclose(out);
        text[i % n] = was;
        const pluss_status status = find(&between);
        for (size_t b = 0; !status && b < between.n; b++)
            ck_assert_uint_le(between.block[b].runs, record->block[b].runs);
        if (!status)
            plussi_between_runs_free(&between);
        ck_assert_msg(status == PLUSS_OK || status == PLUSS_EFORMAT, "byte %zu: %d", i, status);
        ck_assert(i < n || status == PLUSS_EFORMAT);
        plussi_ctx_clear(&ctx);
        plussi_ctx_init(&ctx, NULL);
    }
    unlink(trace_of(path));
    ck_assert_int_eq(find(&between), PLUSS_EIO);
}
END_TEST

START_TEST(a_file_that_is_wrong_is_told_once)
{
    const plussi_recorded_binding none = {0};
    const plussi_nest *nests[] = {nest};
    plussi_mixed_whole mixed = {0};
    plussi_result result;
    plussi_result_init(&result, &ctx.mem);
    small_program();
    record->ordered_runs++;
    ck_assert_int_eq(
        plussi_mixed_whole_note(&ctx.mem, &mixed, (plussi_mixed_part){0, &none, false}), PLUSS_OK);
    for (int time = 0; time < 2; time++)
        ck_assert_int_eq(
            plussi_mixed_whole_add(&ctx, record, nests, 1, &request, &mixed, 0, &result), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_int_eq(ctx.diags[0].severity, PLUSSI_WARNING);
    ck_assert_uint_eq(result.n, 0);
    plussi_mixed_whole_free(&ctx.mem, &mixed);
    plussi_result_free(&result);
}
END_TEST

START_TEST(without_memory)
{
    small_program();
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx scarce;
        plussi_between_runs between;
        const plussi_nest *nests[] = {nest};
        failing_mem_init(&m, budget);
        plussi_ctx_init(&scarce, &m.mem);
        const pluss_status status =
            plussi_find_between_runs(&scarce, record, nests, 1, &request, &between);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        if (!status)
            plussi_between_runs_free(&between);
        plussi_ctx_clear(&scarce);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

static Suite *between_suite(void)
{
    Suite *suite = suite_create("between");
    TCase *tcase = tcase_create("between");
    tcase_add_checked_fixture(tcase, setup_program, teardown_program);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, all_lines_are_found_as_in_the_whole_order, 0, suite_turns(PROGRAMS));
    tcase_add_test(tcase, some_lines_stand_for_all);
    tcase_add_test(tcase, lists_of_some_lines_are_parts_of_those_of_all);
    tcase_add_loop_test(tcase, lists_by_queries_are_those_by_walks, 0, suite_turns(3 * QUERIED));
    tcase_add_loop_test(tcase, queries_without_memory, 0, suite_turns(2 * (QUERIED + 1)));
    tcase_add_test(tcase, queries_that_fail);
    tcase_add_test(tcase, long_runs_are_found_by_queries);
    tcase_add_test(tcase, without_a_description_the_others_are_found);
    tcase_add_loop_test(tcase, a_described_run_of_which_pieces_are_not_known, 0, 2);
    tcase_add_test(tcase, a_run_that_has_not_ended);
    tcase_add_test(tcase, runs_of_a_team_part_the_one_that_it_executes);
    tcase_add_test(tcase, signals_while_runs_are_paused);
    tcase_add_test(tcase, other_threads_touch_the_same_lines_after_a_pause);
    tcase_add_test(tcase, more_runs_than_an_order_holds);
    tcase_add_loop_test(tcase, what_is_all_described_or_all_recorded_has_no_order, 0, 2);
    tcase_add_loop_test(tcase, files_that_are_wrong, 0, FAULTS);
    tcase_add_loop_test(tcase, files_with_too_much, 0, 2);
    tcase_add_test(tcase, files_with_a_byte_that_is_wrong);
    tcase_add_test(tcase, a_file_that_is_wrong_is_told_once);
    tcase_add_test(tcase, without_memory);
    suite_add_tcase(suite, tcase);
    return suite;
}

SUITE_MAIN(between_suite())
