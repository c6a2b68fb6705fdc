/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Timelines: read off, merged by, made of a run's time stamps, and made to fit another nest.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../oracle/nest_gen.h"
#include "failing_mem.h"
#include "one_nest.h"
#include "suite.h"
#include "trace/counted.h"
#include "trace/make_timelines.h"
#include "trace/walk.h"
#include "trace_file.h"

#define NEST "pluss-nest 1\n"

static void load(const char *text, uint32_t team)
{
    teardown();
    setup();
    pluss_status status = plussi_nest_parse(&ctx, text, strlen(text), "t", &nest);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "");
    plussi_bind_options options = {.team = team, .line_bytes = 8};
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
}

static pluss_status merge_recorded(plussi_walk *walk, plussi_timeline *timeline, plussi_merge **out)
{
    plussi_timelines one = {.n = 1, .run = timeline};
    plussi_progress progress = {.law = PLUSSI_PROGRESS_RECORDED, .timelines = &one};
    return plussi_merge_new(&ctx, walk, &progress, 1, out);
}

/* ---- one thread's timeline
 * -----------------------------------------------------------------------
 */

START_TEST(read_off)
{
    /* starts at 10, stands still at 4 accesses, makes three at once, ends at 50 */
    plussi_timeline_point point[] = {{0, 0}, {10, 0}, {20, 4}, {30, 4}, {40, 6}, {40, 9}, {50, 10}};
    plussi_timeline_thread t = {7, point};
    static const double time[][2] = {{0, 10}, {1, 12.5}, {3, 17.5}, {4, 30},  {5, 35},
                                     {6, 40}, {8, 40},   {9, 40},   {9.5, 45}};
    static const double done[][2] = {{-1, 0}, {0, 0},  {5, 0},  {15, 2},   {20, 4},
                                     {25, 4}, {35, 5}, {40, 9}, {45, 9.5}, {60, 10}};
    for (size_t i = 0; i < sizeof time / sizeof *time; i++)
        ck_assert_double_eq_tol(plussi_timeline_time(&t, time[i][0]), time[i][1], 1e-12);
    for (size_t i = 0; i < sizeof done / sizeof *done; i++)
        ck_assert_double_eq_tol(plussi_timeline_done(&t, done[i][0]), done[i][1], 1e-12);
    /* beyond the end at the mean rate, 10 in 50 */
    ck_assert_double_eq_tol(plussi_timeline_time(&t, 12), 60, 1e-12);
    plussi_timeline_thread still = {1, point};
    ck_assert_double_eq(plussi_timeline_time(&still, 7), 0);
    ck_assert_double_eq(plussi_timeline_done(&(plussi_timeline_thread){0}, 7), 0);
}
END_TEST

/* ---- merged ------------------------------------------------------------------------------------
 */

typedef struct timed {
    plussi_access access;
    double time;
    uint64_t at;
} timed;

static int by_time(const void *a, const void *b)
{
    const timed *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->access.thread != y->access.thread)
        return x->access.thread < y->access.thread ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* By looking at every point: the last one with no more than x, or on from the last at the mean. */
static double slow_time(const plussi_timeline_thread *t, double x)
{
    if (t->n == 0)
        return 0;
    size_t at = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->point[i].done <= x)
            at = i;
    const plussi_timeline_point *p = &t->point[at];
    if (at + 1 == t->n) {
        double all = p->done;
        return all > 0 ? p->time + (x - all) * ((p->time - t->point[0].time) / all) : p->time;
    }
    return p->time + (x - p->done) * ((p[1].time - p->time) / (p[1].done - p->done));
}

/* Whole numbers here and there, so that there are ties, waits and jumps. */
static plussi_timeline_phase make_phase(plussi_rng *rng, uint32_t team)
{
    plussi_timeline_phase phase = {.team = team, .thread = calloc(team, sizeof *phase.thread)};
    for (uint32_t k = 0; k < team; k++) {
        plussi_timeline_thread *t = &phase.thread[k];
        t->n = plussi_rng_below(rng, 8);
        t->point = calloc(t->n + 1, sizeof *t->point);
        double time = (double)plussi_rng_below(rng, 3), done = 0;
        for (size_t i = 0; i < t->n; i++) {
            t->point[i] = (plussi_timeline_point){time, done};
            uint64_t kind = plussi_rng_below(rng, 4);
            time += kind == 0 ? 0 : (double)plussi_rng_below(rng, 40) / (kind == 1 ? 7 : 1);
            done += kind == 2 ? 0 : (double)plussi_rng_below(rng, 30);
        }
    }
    return phase;
}

static void free_phase(plussi_timeline_phase *phase)
{
    for (uint32_t k = 0; k < phase->team; k++)
        free(phase->thread[k].point);
    free(phase->thread);
}

/* All accesses of the present phase, thread by thread, then by time. */
static size_t sorted_phase(plussi_walk *walk, const plussi_timeline_phase *timeline, timed *out)
{
    size_t n = 0;
    for (uint32_t k = 0; k < plussi_walk_team(walk); k++) {
        plussi_access a;
        for (uint64_t at = 0; plussi_walk_fill(walk, k, &a, 1) > 0; at++)
            out[n++] = (timed){
                a, k < timeline->team ? slow_time(&timeline->thread[k], (double)at) : 0, at};
    }
    qsort(out, n, sizeof *out, by_time);
    return n;
}

START_TEST(merged_as_sorted)
{
    static const char *const text[] = {
        NEST "array f64 A[300] region r parallel for i in 0..300 { read A[i] }",
        NEST "array f64 A[90], B[90] region r for t in 0..5 { parallel for i in 0..90 { read A[i]"
             " read B[i] } parallel for i in 0..7 { write A[i] } }",
    };
    enum { PHASES = 3, ROUNDS = 60 };
    static timed sorted[20000];
    plussi_rng rng;
    plussi_rng_seed(&rng, 1, 1);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t team = 1 + (uint32_t)plussi_rng_below(&rng, 6);
        load(text[round % 2], team);
        plussi_timeline_phase phase[PHASES];
        plussi_timeline timeline = {.n_phases = PHASES, .phase = phase};
        for (int p = 0; p < PHASES; p++)
            phase[p] = make_phase(&rng, team > 1 && p == 1 ? team - 1 : team);
        plussi_walk *slow, *fast;
        plussi_merge *merge;
        ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &slow), PLUSS_OK);
        ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &fast), PLUSS_OK);
        ck_assert_int_eq(merge_recorded(fast, &timeline, &merge), PLUSS_OK);
        plussi_access got;
        for (size_t p = 0; plussi_walk_next_phase(slow); p++) {
            size_t n = sorted_phase(slow, &phase[p % PHASES], sorted);
            for (size_t i = 0; i < n; i++) {
                ck_assert_uint_eq(plussi_merge_next(merge, &got, 1), 1);
                ck_assert_msg(got.thread == sorted[i].access.thread &&
                                  got.line == sorted[i].access.line,
                              "round %u, phase %zu, access %zu: thread %u, not %u", round, p, i,
                              got.thread, sorted[i].access.thread);
            }
        }
        ck_assert_uint_eq(plussi_merge_next(merge, &got, 1), 0);
        plussi_merge_free(merge);
        plussi_walk_free(slow);
        plussi_walk_free(fast);
        for (int p = 0; p < PHASES; p++)
            free_phase(&phase[p]);
    }
}
END_TEST

START_TEST(round_robin_as_a_timeline)
{
    load(NEST "array f64 A[1000] region r parallel for i in 0..1000 { read A[i] write A[i] }", 3);
    plussi_timeline_point point[] = {{0, 0}, {2000, 2000}};
    plussi_timeline_thread thread[] = {{2, point}, {2, point}, {2, point}};
    plussi_timeline_phase phase = {.team = 3, .thread = thread};
    plussi_timeline timeline = {.n_phases = 1, .phase = &phase};
    plussi_walk *walk[2];
    plussi_merge *merge[2];
    plussi_access a[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk[i]), PLUSS_OK);
    ck_assert_int_eq(merge_recorded(walk[0], &timeline, &merge[0]), PLUSS_OK);
    ck_assert_int_eq(plussi_merge_new(&ctx, walk[1],
                                      &(plussi_progress){.law = PLUSSI_PROGRESS_ROUND_ROBIN}, 1,
                                      &merge[1]),
                     PLUSS_OK);
    for (int i = 0; i < 2000; i++) {
        ck_assert_uint_eq(plussi_merge_next(merge[0], &a[0], 1), 1);
        ck_assert_uint_eq(plussi_merge_next(merge[1], &a[1], 1), 1);
        ck_assert(a[0].line == a[1].line && a[0].thread == a[1].thread);
    }
    for (int i = 0; i < 2; i++) {
        plussi_merge_free(merge[i]);
        plussi_walk_free(walk[i]);
    }
}
END_TEST

START_TEST(nothing_recorded)
{
    load(NEST "array f64 A[9] region r parallel for i in 0..9 { read A[i] }", 2);
    plussi_walk *walk;
    plussi_merge *merge = NULL;
    plussi_timelines *fitted = NULL;
    plussi_timeline none = {0};
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
    ck_assert_int_eq(merge_recorded(walk, &none, &merge), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_merge_new(&ctx, walk,
                                      &(plussi_progress){.law = PLUSSI_PROGRESS_RECORDED}, 1,
                                      &merge),
                     PLUSS_EINVAL);
    ck_assert_int_eq(plussi_fit_timeline(&ctx, bound, &none, &fitted), PLUSS_EEMPTY);
    ck_assert(!merge && !fitted);
    plussi_walk_free(walk);
}
END_TEST

/* ---- counted -----------------------------------------------------------------------------------
 */

/* Iterations begin with a reference to M, so that the whole walk tells where. */
static const char *const marked[] = {
    "parallel for i in 0..23 { read M[i] for j in 0..7 { read A[j] } }",
    "parallel for i in 0..23 schedule(static, 3) { read M[i] for j in 0..i { read A[j] } }",
    "for t in 0..4 { parallel for i in t..9 { read M[i] if (i > 3) { read A[i] read A[t] } } }",
    "parallel { read A[0] workshare for i in 0..11 nowait { read M[i] read A[i] }\n"
    "workshare for i in 11..29 { read M[i] for j in i..40 { read A[j] read A[40 - j] } } write A[1]"
    " }",
    "parallel for i in 0..5 collapse(2) { for j in 0..9 { read M[9*i + j] for k in 0..j {"
    " read A[k] } } }",
    "parallel for i in 0..6 collapse(2) { for j in 0..i { read M[9*i + j] read A[j] } }",
    "read A[3] parallel for i in 20..1 step -3 { read M[i] for j in 0..i step 2 { write A[j] } }\n"
    "write A[2] parallel for i in 0..3 { read M[i] }",
};

/* Where in the phase each iteration begins, thread k's of the phase in order; their number. */
static size_t begins(plussi_walk *walk, uint32_t k, uint32_t array, double *out, double *length)
{
    size_t n = 0;
    plussi_access a;
    *length = 0;
    while (plussi_walk_fill(walk, k, &a, 1) > 0) {
        if (bound->ref[a.ref]->u.ref.array->id == array)
            out[n++] = *length;
        ++*length;
    }
    return n;
}

START_TEST(counts_are_the_walk_s)
{
    char text[1024];
    snprintf(text, sizeof text, NEST "array f64 A[41] array f64 M[99] region r\n%s",
             marked[_i % 7]);
    for (uint32_t team = 1; team <= 5; team += 2) {
        load(text, team);
        plussi_walk *walk;
        plussi_counted *counted;
        bool more;
        ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
        ck_assert_int_eq(plussi_counted_new(&ctx, bound, 1, &counted), PLUSS_OK);
        while (plussi_walk_next_phase(walk)) {
            ck_assert_int_eq(plussi_counted_next(counted, &more), PLUSS_OK);
            ck_assert(more);
            for (uint32_t k = 0; k < plussi_walk_team(walk); k++) {
                double begin[200], length, accesses;
                size_t n = begins(walk, k, 1, begin, &length), runs, at = 0;
                const plussi_counted_run *run = plussi_counted_runs(counted, k, &runs, &accesses);
                ck_assert_double_eq(accesses, length);
                for (size_t i = 0; i < runs; i++)
                    for (uint64_t j = 0; j < run[i].n; j++)
                        ck_assert_double_eq(run[i].done + (double)j * run[i].each, begin[at++]);
                ck_assert_uint_eq(at, n);
            }
        }
        ck_assert_int_eq(plussi_counted_next(counted, &more), PLUSS_OK);
        ck_assert(!more);
        plussi_counted_free(counted);
        plussi_walk_free(walk);
    }
}
END_TEST

/* Random nests: phases and lengths. */
START_TEST(counts_of_random_nests)
{
    nest_gen_options options = nest_gen_defaults(
        NEST_GEN_STATIC & ~(NEST_GEN_SINGLE | NEST_GEN_NUM_THREADS | NEST_GEN_IF_CLAUSE));
    for (uint64_t seed = 0; seed < 300; seed++) {
        plussi_rng rng;
        nest_gen gen;
        plussi_rng_seed(&rng, 5, seed);
        ck_assert_int_eq(nest_gen_make(&ctx, &rng, &options, &gen), PLUSS_OK);
        plussi_bind_options bind = {.team = 1 + (uint32_t)(seed % 5),
                                    .line_bytes = 64,
                                    .binding = gen.binding,
                                    .n_bindings = gen.n_bindings};
        ck_assert_int_eq(plussi_bind(&ctx, gen.nest, &bind, &bound), PLUSS_OK);
        plussi_walk *walk;
        plussi_counted *counted;
        bool more;
        ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
        ck_assert_int_eq(plussi_counted_new(&ctx, bound, 1, &counted), PLUSS_OK);
        while (plussi_walk_next_phase(walk)) {
            ck_assert_int_eq(plussi_counted_next(counted, &more), PLUSS_OK);
            ck_assert(more);
            for (uint32_t k = 0; k < plussi_walk_team(walk); k++) {
                double length, accesses = 0;
                static double unused[20000];
                size_t runs;
                (void)begins(walk, k, 0, unused, &length);
                (void)plussi_counted_runs(counted, k, &runs, &accesses);
                ck_assert_msg(accesses == length, "seed %d, thread %u: %g, not %g", (int)seed, k,
                              accesses, length);
            }
        }
        ck_assert_int_eq(plussi_counted_next(counted, &more), PLUSS_OK);
        ck_assert(!more);
        plussi_counted_free(counted);
        plussi_walk_free(walk);
        plussi_bound_free(bound);
        bound = NULL;
        nest_gen_free(&gen);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

/* ---- stamps ------------------------------------------------------------------------------------
 */

static char path[64];

/* Two loops of six iterations in one parallel construct; two threads; a tick is a nanosecond. */
static const char two_loops[] = NEST "array f64 A[99] region r \"r.c\":3\n"
                                     "parallel { workshare for i in 0..6 { read A[i] write A[i] } "
                                     "workshare for i in 0..6 { for j in 0..i {"
                                     " read A[j] } } write A[50] }";
static const char two_loops_record[] =
    "pluss-record 3\nline 64\nlost-runs 0\n"
    "region \"r\" \"r.c\":3 team 2 runs 2 lost 0 by bind\narray \"A\" 4096\nend\n"
    "sequence lost 0\nrun 0 at 0 times 2\nend\n";

static void write_stamps(bool whole)
{
    static const plussi_stamp_entry zero[] = {
        {1000, 0, AT(FORK, NONE), 0},    {1010, 0, AT(BEGIN, NONE), 0}, {1010, 0, AT(LOOP, 0), 0},
        {1012, 1, AT(ITER, 0), 0},       {1020, 3, AT(ITER, 0), 0},     {1025, 3, AT(DONE, 0), 0},
        {1026, 0, AT(BARRIER, NONE), 0}, {1060, 0, AT(GO, NONE), 0},    {1061, 0, AT(LOOP, 1), 0},
        {1062, 1, AT(ITER, 1), 0},       {1063, 3, AT(ITER, 1), 0},     {1064, 3, AT(DONE, 1), 0},
        {1065, 0, AT(BARRIER, NONE), 0}, {1090, 0, AT(GO, NONE), 0},    {1091, 0, AT(END, NONE), 0},
    };
    static const plussi_stamp_entry one[] = {
        {1015, 0, AT(BEGIN, NONE), 0}, {1015, 0, AT(LOOP, 0), 0},       {1015, 1, AT(ITER, 0), 0},
        {1050, 3, AT(DONE, 0), 0},     {1051, 0, AT(BARRIER, NONE), 0}, {1058, 0, AT(GO, NONE), 0},
        {1059, 0, AT(LOOP, 1), 0},     {1059, 1, AT(ITER, 1), 0},       {1070, 2, AT(ITER, 1), 0},
        {1080, 3, AT(DONE, 1), 0},     {1081, 0, AT(BARRIER, NONE), 0}, {1088, 0, AT(GO, NONE), 0},
        {1089, 0, AT(END, NONE), 0},
    };
    FILE *out = begin_trace(path);
    for (uint32_t run = 0; run < 2; run++) {
        put_stamps(out, run, 0, zero, whole ? 15 : 7);
        put_stamps(out, run, 1, one, whole ? 13 : 5);
        put_run(out, run, 2, 1000, 1100, (plussi_run_entry){0, 1});
    }
    put_clock(out, 0, 10000, 10000);
    fclose(out);
}

static void check_points(const plussi_timeline_thread *t, const double (*point)[2], size_t n)
{
    ck_assert_uint_eq(t->n, n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_double_eq_tol(t->point[i].time, point[i][0], 1e-6);
        ck_assert_double_eq_tol(t->point[i].done, point[i][1], 1e-12);
    }
}

static plussi_record *open_record(void)
{
    plussi_record *record;
    pluss_status status =
        plussi_record_parse(&ctx, two_loops_record, strlen(two_loops_record), "r", &record);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "");
    return record;
}

static void stamps_setup(void)
{
    setup();
    strcpy(path, "/tmp/pluss-test-timed-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void stamps_teardown(void)
{
    unlink(path);
    teardown();
}

/* Thread 0: iterations 0-2 of both loops, thread 1: 3-5. */
static void check_run(const plussi_timeline *timeline, size_t from)
{
    /* both begin a phase with BEGIN or GO; not every iteration has a stamp, the first none to count
     */
    static const double a0[][2] = {{0, 0}, {2, 0}, {10, 4}, {15, 6}};
    static const double a1[][2] = {{5, 0}, {40, 6}};
    static const double b0[][2] = {{2, 0}, {3, 0}, {4, 0}, {5, 1}, {6, 3}};
    static const double b1[][2] = {{0, 0}, {1, 0}, {12, 3}, {22, 12}};
    const plussi_timeline_phase *p = &timeline->phase[from];
    ck_assert(p[0].team == 2 && p[1].team == 2);
    check_points(&p[0].thread[0], a0, 4);
    check_points(&p[0].thread[1], a1, 2);
    check_points(&p[1].thread[0], b0, 5);
    check_points(&p[1].thread[1], b1, 4);
}

START_TEST(stamps_become_timelines)
{
    plussi_record *record = open_record();
    plussi_trace_reader *trace;
    plussi_timelines *timelines;
    load(two_loops, 2);
    record = (plussi_record_free(record), open_record());
    const plussi_nest *nests[] = {nest};
    write_stamps(true);
    ck_assert_int_eq(plussi_trace_open(&ctx, path, &trace), PLUSS_OK);
    pluss_status status = plussi_make_block_timelines(&ctx, trace, record, 0, nests, 1, &timelines);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "");
    ck_assert_uint_eq(timelines->n, 2);
    for (int run = 0; run < 2; run++) {
        /* the write behind the loops is a phase of its own, of which nothing is known */
        ck_assert_uint_eq(timelines->run[run].n_phases, 3);
        ck_assert_uint_eq(timelines->run[run].n_chunks, 0);
        check_run(&timelines->run[run], 0);
        ck_assert_uint_eq(timelines->run[run].phase[2].thread[0].n, 0);
    }
    plussi_timelines_free(timelines);
    ck_assert_int_eq(plussi_make_program_timeline(&ctx, trace, record, nests, 1, &timelines),
                     PLUSS_OK);
    ck_assert_uint_eq(timelines->n, 1);
    ck_assert_uint_eq(timelines->run[0].n_phases, 6);
    check_run(&timelines->run[0], 0);
    check_run(&timelines->run[0], 3);
    plussi_timelines_free(timelines);
    plussi_trace_close(trace);
    plussi_record_free(record);
}
END_TEST

/* Two executions of a loop of six iterations of two accesses, by two of three threads: thread 2
 * begins 40 ns after thread 0, and has 10 ns between its chunks. */
START_TEST(chunks_with_times)
{
    plussi_chunk chunk[] = {
        {.loop = 1, .thread = 0, .time = 0, .lo = 0, .hi = 2},
        {.loop = 1, .thread = 2, .time = 0, .lo = 2, .hi = 4},
        {.loop = 1, .thread = 2, .time = 0, .lo = 4, .hi = 6},
        {.loop = 1, .thread = 0, .time = 1, .lo = 0, .hi = 6},
    };
    plussi_chunk_time time[] = {{100, 180}, {140, 190}, {200, 220}, {500, 560}};
    plussi_record_block block = {.team = 3, .chunk = chunk, .n_chunks = 4, .time = time};
    static const char text[] = NEST "array b8 A[6]\nregion r\nfor s in 0..2 {\n"
                                    "parallel for i in 0..6 schedule(rayon) {\n"
                                    "read A[i]\nwrite A[i]\n}\n}\n";
    load(text, 3);
    plussi_bound_free(bound);
    plussi_bind_options options = {.team = 3, .line_bytes = 8, .recorded = chunk, .n_recorded = 4};
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
    plussi_timelines *timelines;
    ck_assert_int_eq(plussi_make_chunk_timeline(&ctx, bound, &block, &timelines), PLUSS_OK);
    const plussi_timeline *t = &timelines->run[0];
    ck_assert(timelines->n == 1 && t->n_phases == 2 && t->n_chunks == 4);
    static const plussi_timeline_point of0[] = {{0, 0}, {80, 4}},
                                       of2[] = {{40, 0}, {90, 4}, {100, 4}, {120, 8}};
    const plussi_timeline_phase *first = &t->phase[0], *second = &t->phase[1];
    ck_assert(first->thread[0].n == 2 && first->thread[1].n == 0 && first->thread[2].n == 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert(i > 1 || (first->thread[0].point[i].time == of0[i].time &&
                            first->thread[0].point[i].done == of0[i].done));
        ck_assert(first->thread[2].point[i].time == of2[i].time &&
                  first->thread[2].point[i].done == of2[i].done);
    }
    ck_assert(second->thread[0].n == 2 && second->thread[0].point[1].time == 60 &&
              second->thread[0].point[1].done == 12 && second->thread[2].n == 0);
    plussi_timelines_free(timelines);
}
END_TEST

START_TEST(stamps_of_something_else)
{
    load(two_loops, 2);
    const plussi_nest *nests[] = {nest};
    plussi_record *record = open_record();
    plussi_trace_reader *trace;
    plussi_timelines *timelines = NULL;
    write_stamps(false);
    ck_assert_int_eq(plussi_trace_open(&ctx, path, &trace), PLUSS_OK);
    ck_assert_int_eq(plussi_make_block_timelines(&ctx, trace, record, 0, nests, 1, &timelines),
                     PLUSS_EINVALID);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "loop 1"));
    ck_assert_int_eq(plussi_make_program_timeline(&ctx, trace, record, nests, 1, &timelines),
                     PLUSS_EINVALID);
    ck_assert_int_eq(plussi_make_program_timeline(&ctx, trace, record, nests, 0, &timelines),
                     PLUSS_ENOTFOUND);
    ck_assert_int_eq(plussi_make_block_timelines(&ctx, trace, record, 1, nests, 1, &timelines),
                     PLUSS_ENOTFOUND);
    ck_assert_ptr_null(timelines);
    plussi_trace_close(trace);
    plussi_record_free(record);
}
END_TEST

START_TEST(memory_runs_out)
{
    load(two_loops, 2);
    const plussi_nest *nests[] = {nest};
    plussi_record *record = open_record();
    write_stamps(true);
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx poor;
        plussi_trace_reader *trace = NULL;
        plussi_timelines *timelines = NULL, *fitted = NULL;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&poor, &m.mem);
        pluss_status status = plussi_trace_open(&poor, path, &trace);
        if (!status && _i == 0)
            status = plussi_make_block_timelines(&poor, trace, record, 0, nests, 1, &timelines);
        if (!status && _i == 1)
            status = plussi_make_program_timeline(&poor, trace, record, nests, 1, &timelines);
        if (!status)
            status = plussi_fit_timeline(&poor, bound, &timelines->run[0], &fitted);
        ck_assert(status == (m.failed ? PLUSS_ENOMEM : PLUSS_OK));
        plussi_timelines_free(fitted);
        plussi_timelines_free(timelines);
        plussi_trace_close(trace);
        plussi_ctx_clear(&poor);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
    plussi_record_free(record);
}
END_TEST

/* ---- another nest ------------------------------------------------------------------------------
 */

START_TEST(made_to_fit)
{
    /* recorded: one phase, 10 and 5 accesses; now: three, of 20 and 20, then of 1 and none */
    plussi_timeline_point a[] = {{0, 0}, {10, 10}}, b[] = {{2, 0}, {3, 5}};
    plussi_timeline_thread thread[] = {{2, a}, {2, b}};
    plussi_timeline_phase phase = {.team = 2, .thread = thread};
    plussi_timeline timeline = {.n_phases = 1, .phase = &phase};
    plussi_timelines *fitted;
    load(NEST "array f64 A[99] region r parallel for i in 0..20 { read A[i] }\n"
              "parallel for i in 0..20 { read A[i] } parallel for i in 0..1 { read A[i] }",
         2);
    ck_assert_int_eq(plussi_fit_timeline(&ctx, bound, &timeline, &fitted), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_int_eq(ctx.diags[0].severity, PLUSSI_WARNING);
    ck_assert_uint_eq(fitted->run[0].n_phases, 3);
    static const double scaled[][2] = {{2, 0}, {3, 10}}, little[][2] = {{0, 0}, {10, 1}};
    for (int p = 0; p < 2; p++) {
        ck_assert_ptr_eq(fitted->run[0].phase[p].thread[0].point, a);
        check_points(&fitted->run[0].phase[p].thread[1], scaled, 2);
    }
    check_points(&fitted->run[0].phase[2].thread[0], little, 2);
    plussi_timelines_free(fitted);
    plussi_bound_free(bound);
    plussi_bind_options more = {.team = 3, .line_bytes = 8};
    ck_assert_int_eq(plussi_bind(&ctx, nest, &more, &bound), PLUSS_OK);
    ck_assert_int_eq(plussi_fit_timeline(&ctx, bound, &timeline, &fitted), PLUSS_EINVAL);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("timed");
    TCase *c = tcase_create("timelines");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, read_off);
    tcase_add_test(c, merged_as_sorted);
    tcase_add_test(c, round_robin_as_a_timeline);
    tcase_add_test(c, nothing_recorded);
    tcase_add_loop_test(c, counts_are_the_walk_s, 0, 7);
    tcase_add_test(c, counts_of_random_nests);
    tcase_add_test(c, made_to_fit);
    suite_add_tcase(s, c);
    TCase *r = tcase_create("stamps");
    tcase_add_checked_fixture(r, stamps_setup, stamps_teardown);
    tcase_add_test(r, stamps_become_timelines);
    tcase_add_test(r, chunks_with_times);
    tcase_add_test(r, stamps_of_something_else);
    tcase_add_loop_test(r, memory_runs_out, 0, 2);
    suite_add_tcase(s, r);
    return s;
}

SUITE_MAIN(suite())
