/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Private reuse intervals against loops written out by hand and searched backwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/histo_tools.h"
#include "../unit/suite.h"
#include "profile/pri.h"

static plussi_ctx ctx;
static plussi_nest *nest;
static plussi_bound *bound;

/* ---- the hand-written side ----------------------------------------------------------------------
 */

enum { MAX_TEAM = 7, MAX_ACCESSES = 40000, MAX_REFS = 16 };

typedef struct touch {
    uint64_t line;
    uint32_t ref;
} touch;

static touch trace[MAX_TEAM][MAX_ACCESSES];
static size_t length[MAX_TEAM];
static uint32_t team;

static void emit(uint32_t thread, uint32_t ref, uint32_t array, int64_t element)
{
    ck_assert_uint_lt(length[thread], MAX_ACCESSES);
    uint64_t byte = (uint64_t)(bound->array[array].base + 8 * element);
    trace[thread][length[thread]++] = (touch){byte / 64, ref};
}

/* Who executes iteration i of n; chunk 0: blocks, the first n mod T threads have one more. */
static uint32_t owner(int64_t i, int64_t n, int64_t chunk)
{
    if (chunk)
        return (uint32_t)(i / chunk % team);
    for (uint32_t t = 0; t < team; t++) {
        int64_t size = n / team + (t < n % team);
        if (i < size)
            return t;
        i -= size;
    }
    ck_abort();
    return 0;
}

static void search(plussi_histo *out)
{
    for (uint32_t t = 0; t < team; t++)
        for (size_t i = 0; i < length[t]; i++) {
            size_t j = i;
            while (j-- > 0 && trace[t][j].line != trace[t][i].line)
                ;
            if (j != (size_t)-1) {
                ck_assert_int_eq(plussi_histo_add(&out[trace[t][i].ref], i - j, 1), PLUSS_OK);
                continue;
            }
            uint32_t touchers = 0;
            for (uint32_t other = 0; other < team; other++)
                for (size_t k = 0; k < length[other]; k++)
                    if (trace[other][k].line == trace[t][i].line) {
                        touchers++;
                        break;
                    }
            out[trace[t][i].ref].cold += 1.0 / touchers;
            out[trace[t][i].ref].thread_first += 1 - 1.0 / touchers;
        }
}

static void check_against_search(const plussi_pri *pri)
{
    plussi_histo found[MAX_REFS];
    double accesses = 0, cold = 0;
    for (uint32_t r = 0; r < MAX_REFS; r++)
        plussi_histo_init(&found[r], &plussi_mem_libc);
    search(found);
    for (uint32_t t = 0; t < team; t++)
        accesses += (double)length[t];
    ck_assert(pri->accesses == accesses);
    ck_assert_uint_eq(pri->team, team);
    for (uint32_t r = 0; r < pri->n_refs; r++) {
        const plussi_histo *h = &pri->ref[r].histo;
        ck_assert_double_eq_tol(h->cold, found[r].cold, 1e-9);
        ck_assert_double_eq_tol(h->thread_first, found[r].thread_first, 1e-9);
        ck_assert_uint_eq(h->n, found[r].n);
        for (size_t i = 0; i < found[r].cap; i++)
            if (found[r].slot[i].weight != 0) /* to the last count */
                ck_assert(plussi_histo_get(h, found[r].slot[i].key) == found[r].slot[i].weight);
        cold += h->cold;
        accesses -= plussi_histo_total(h);
        plussi_histo_free(&found[r]);
    }
    ck_assert_double_eq_tol(accesses, 0, 1e-9);
    ck_assert_double_gt(cold, 0);
}

/* Thread by thread: late is what is left of first touches when each line's is one thread's. */
static void check_threads(const plussi_pri *pri)
{
    ck_assert_uint_eq(pri->n_threads, team);
    for (uint32_t t = 0; t < team; t++) {
        const plussi_thread_pri *of = &pri->thread[t];
        double lines = 0, shared = 0, late = 0;
        plussi_histo found;
        plussi_histo_init(&found, &plussi_mem_libc);
        for (size_t i = 0; i < length[t]; i++) {
            size_t j = i;
            uint32_t others = 0;
            while (j-- > 0 && trace[t][j].line != trace[t][i].line)
                ;
            if (j != (size_t)-1) {
                ck_assert_int_eq(plussi_histo_add(&found, i - j, 1), PLUSS_OK);
                continue;
            }
            for (uint32_t other = 0; other < team; other++)
                for (size_t k = 0; k < length[other]; k++)
                    if (other != t && trace[other][k].line == trace[t][i].line) {
                        others++;
                        break;
                    }
            lines++;
            shared += others > 0;
            late += 1 - 1.0 / (1 + others);
        }
        ck_assert_double_eq(of->accesses, (double)length[t]);
        ck_assert_double_eq(of->lines, lines);
        ck_assert_double_eq(of->shared, shared);
        ck_assert_double_eq_tol(of->late, late, 1e-9);
        ck_assert(histo_equal(&of->histo, &found, 0));
        plussi_histo_free(&found);
    }
}

/* ---- the nest's side ----------------------------------------------------------------------------
 */

static void release(void)
{
    plussi_bound_free(bound);
    plussi_nest_free(nest);
    bound = NULL;
    nest = NULL;
    plussi_ctx_clear(&ctx);
}

static void load(const char *text)
{
    release();
    plussi_ctx_init(&ctx, NULL);
    memset(length, 0, sizeof length);
    pluss_status status = plussi_nest_parse(&ctx, text, strlen(text), "test", &nest);
    plussi_bind_options options = {.team = team, .line_bytes = 64};
    if (status == PLUSS_OK)
        status = plussi_bind(&ctx, nest, &options, &bound);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "?");
    ck_assert_uint_le(bound->n_refs, MAX_REFS);
}

static void walk_and_check(void)
{
    plussi_pri pri;
    ck_assert_int_eq(plussi_pri_walk(&ctx, bound, 1, NULL, &pri), PLUSS_OK);
    check_against_search(&pri);
    ck_assert_ptr_null(pri.thread);
    plussi_pri_free(&pri);
    ck_assert_int_eq(plussi_pri_walk_threads(&ctx, bound, 1, NULL, &pri), PLUSS_OK);
    check_against_search(&pri);
    check_threads(&pri);
    plussi_pri_free(&pri);
}

static void clause(char *out, size_t room, int64_t chunk)
{
    snprintf(out, room, chunk ? "schedule(static, %d)" : "schedule(static)", (int)chunk);
}

/* ---- programs -----------------------------------------------------------------------------------
 */

static void gemm(int64_t chunk)
{
    enum { NI = 11, NJ = 13, NK = 9 };
    char text[1024], schedule[64];
    clause(schedule, sizeof schedule, chunk);
    snprintf(text, sizeof text,
             "pluss-nest 1\nregion gemm\narray f64 A[11][9], B[9][13], C[11][13]\n"
             "parallel for i in 0..11 %s { for j in 0..13 { read C[i][j] write C[i][j]"
             " for k in 0..9 { read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }",
             schedule);
    load(text);
    for (int64_t i = 0; i < NI; i++) {
        uint32_t t = owner(i, NI, chunk);
        for (int64_t j = 0; j < NJ; j++) {
            emit(t, 0, 2, i * NJ + j);
            emit(t, 1, 2, i * NJ + j);
            for (int64_t k = 0; k < NK; k++) {
                emit(t, 2, 0, i * NK + k);
                emit(t, 3, 1, k * NJ + j);
                emit(t, 4, 2, i * NJ + j);
                emit(t, 5, 2, i * NJ + j);
            }
        }
    }
    walk_and_check();
}

START_TEST(of_gemm)
{
    static const int64_t chunk[] = {0, 1, 2, 4, 100};
    for (team = 1; team <= MAX_TEAM; team++)
        for (size_t c = 0; c < sizeof chunk / sizeof *chunk; c++)
            gemm(chunk[c]);
}
END_TEST

/* A serial time loop around two parallel loops, serial code between them, unaligned rows. */
static void stencil(int64_t chunk)
{
    enum { N = 15, STEPS = 3 };
    char text[1024], schedule[64];
    clause(schedule, sizeof schedule, chunk);
    snprintf(text, sizeof text,
             "pluss-nest 1\nregion stencil\narray f64 A[15][15], B[15][15], s[40]\n"
             "for t in 0..3 {\n"
             " parallel for i in 1..14 %s { for j in 1..14 {"
             " read A[i][j] read A[i-1][j] read A[i+1][j] write B[i][j] } }\n"
             " for i in 0..40 step 3 { read s[i] }\n"
             " parallel for i in 1..14 %s { for j in 1..14 { read B[i][j] write A[j][i] } } }",
             schedule, schedule);
    load(text);
    for (int t = 0; t < STEPS; t++) {
        for (int64_t i = 1; i < N - 1; i++)
            for (int64_t j = 1; j < N - 1; j++) {
                uint32_t who = owner(i - 1, N - 2, chunk);
                emit(who, 0, 0, i * N + j);
                emit(who, 1, 0, (i - 1) * N + j);
                emit(who, 2, 0, (i + 1) * N + j);
                emit(who, 3, 1, i * N + j);
            }
        for (int64_t i = 0; i < 40; i += 3)
            emit(0, 4, 2, i);
        for (int64_t i = 1; i < N - 1; i++)
            for (int64_t j = 1; j < N - 1; j++) {
                uint32_t who = owner(i - 1, N - 2, chunk);
                emit(who, 5, 1, i * N + j);
                emit(who, 6, 0, j * N + i);
            }
    }
    walk_and_check();
}

START_TEST(of_a_stencil)
{
    for (team = 1; team <= MAX_TEAM; team++)
        for (int64_t chunk = 0; chunk <= 3; chunk++)
            stencil(chunk);
}
END_TEST

/* Triangular, downwards, collapsed, and code that every thread executes. */
static void odd(int64_t chunk)
{
    enum { N = 14 };
    char text[1024], schedule[64];
    clause(schedule, sizeof schedule, chunk);
    snprintf(
        text, sizeof text,
        "pluss-nest 1\nregion odd\narray f64 A[14][14], x[14], y[14]\n"
        "parallel {\n"
        " for r in 0..14 { read x[r] }\n"
        " workshare for i in 13..-1 step -1 %s { for j in i..14 { read A[j][i] write y[i] } }\n"
        " workshare for i in 0..14 %s collapse(2) { for j in 0..14 { read A[i][j] read x[j] }"
        " }\n}",
        schedule, schedule);
    load(text);
    for (uint32_t t = 0; t < team; t++)
        for (int64_t r = 0; r < N; r++)
            emit(t, 0, 1, r);
    for (int64_t n = 0; n < N; n++)
        for (int64_t i = N - 1 - n, j = i; j < N; j++) {
            emit(owner(n, N, chunk), 1, 0, j * N + i);
            emit(owner(n, N, chunk), 2, 2, i);
        }
    for (int64_t n = 0; n < N * N; n++) {
        emit(owner(n, N * N, chunk), 3, 0, n);
        emit(owner(n, N * N, chunk), 4, 1, n % N);
    }
    walk_and_check();
}

START_TEST(of_odd_loops)
{
    for (team = 1; team <= MAX_TEAM; team++)
        for (int64_t chunk = 0; chunk <= 3; chunk++)
            odd(chunk);
}
END_TEST

/* Chunks on demand: whoever gets them, every access is somewhere and every line is cold once. */
START_TEST(of_dynamic_loops)
{
    static const char *kind[] = {"dynamic", "dynamic, 3", "guided, 2"};
    team = 4;
    for (int k = 0; k < 3; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "pluss-nest 1\nregion r\narray f64 A[64][8], x[64]\n"
                 "parallel for i in 0..64 schedule(%s) { for j in 0..64 { read A[i][j/8]"
                 " read x[j] } }",
                 kind[k]);
        load(text);
        plussi_pri pri, again, other;
        ck_assert_int_eq(plussi_pri_walk(&ctx, bound, 1, NULL, &pri), PLUSS_OK);
        ck_assert_int_eq(plussi_pri_walk(&ctx, bound, 1, NULL, &again), PLUSS_OK);
        ck_assert_int_eq(plussi_pri_walk(&ctx, bound, 2, NULL, &other), PLUSS_OK);
        ck_assert(pri.accesses == 2 * 64 * 64);
        ck_assert_double_eq_tol(pri.ref[0].histo.cold, 64, 1e-9);
        ck_assert_double_eq_tol(pri.ref[1].histo.cold, 8, 1e-9);
        ck_assert_double_eq_tol(pri.ref[1].histo.thread_first, 8 * 3, 1e-9);
        bool same = true;
        for (uint32_t r = 0; r < 2; r++) {
            ck_assert_double_eq_tol(plussi_histo_total(&pri.ref[r].histo), 64 * 64, 1e-9);
            ck_assert(histo_equal(&pri.ref[r].histo, &again.ref[r].histo, 0));
            same = same && histo_equal(&pri.ref[r].histo, &other.ref[r].histo, 1e-9);
        }
        /* A[i] is 64 touches, then the next: always the same intervals; x's laps too */
        ck_assert(same);
        plussi_pri_free(&pri);
        plussi_pri_free(&again);
        plussi_pri_free(&other);
    }
}
END_TEST

/* ---- sharing, seen ------------------------------------------------------------------------------
 */

/* The mean number of chunks that meet in a line of x, counted, is what the class says. */
START_TEST(chunks_meet_in_lines)
{
    team = 64;
    for (int64_t chunk = 1; chunk <= 24; chunk++)
        for (int64_t stride = 1; stride <= 7; stride++)
            for (int64_t start = 0; start < 8; start += 3) {
                enum { N = 960 }; /* whole periods of any chunk's places, but for the ends */
                char text[512];
                snprintf(text, sizeof text,
                         "pluss-nest 1\nregion r\narray f64 x[8192]\n"
                         "parallel for i in 0..960 schedule(static, %d) { read x[%d*i+%d] }",
                         (int)chunk, (int)stride, (int)start);
                load(text);
                plussi_pri pri;
                ck_assert_int_eq(plussi_pri_init(&ctx, 1, team, &pri), PLUSS_OK);
                ck_assert_int_eq(plussi_sharing_classify(&ctx, bound, &pri), PLUSS_OK);
                int64_t last_chunk = -1, last_line = -1, meetings = 0, lines = 0;
                for (int64_t i = 0; i < N; i++) {
                    int64_t line = (stride * i + start) / 8;
                    meetings += i / chunk != last_chunk || line != last_line;
                    lines += line != last_line;
                    last_chunk = i / chunk;
                    last_line = line;
                }
                double seen = (double)meetings / (double)lines;
                double says = pri.ref[0].chunks_per_line;
                if (pri.ref[0].sharing == PLUSSI_SHARING_NONE)
                    says = 1;
                ck_assert_double_eq_tol(says, seen, 2 * seen / (double)lines);
                plussi_pri_free(&pri);
            }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("private reuse intervals");
    TCase *c = tcase_create("walked");
    tcase_add_checked_fixture(c, NULL, release);
    tcase_add_test(c, of_gemm);
    tcase_add_test(c, of_a_stencil);
    tcase_add_test(c, of_odd_loops);
    tcase_add_test(c, of_dynamic_loops);
    suite_add_tcase(s, c);
    c = tcase_create("classes");
    tcase_add_checked_fixture(c, NULL, release);
    tcase_add_test(c, chunks_meet_in_lines);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
