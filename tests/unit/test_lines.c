/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Accesses that a sampler kept: what is kept, the file, and the curves that are made of it.
 */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/linemap.h"
#include "base/rng.h"
#include "exact/lru.h"
#include "failing_mem.h"
#include "model/lines.h"
#include "rt/own_memory.h"
#include "rt/sampled_thread.h"
#include "rt/sidecar.h"
#include "trace/sampled_trace.h"
#include "trace/walk.h"
#include "trace_file.h"

enum { REFS = 4 };

/* The model's answer as a curve. */
typedef struct predicted {
    plussi_mrc mrc;
    double footprint;
} predicted;

static pluss_status predict(plussi_ctx *ctx, const plussi_sampled_trace *sampled,
                            uint32_t threads_per_cache, const plussi_histo *missing, uint64_t seed,
                            predicted *out)
{
    plussi_lines_result result;
    pluss_status status = plussi_lines(ctx, sampled, threads_per_cache, missing, seed, &result);
    if (status)
        return status;
    out->footprint = result.footprint;
    status = plussi_profile_curve(ctx, &result.profile, &out->mrc);
    plussi_profile_free(&result.profile);
    return status;
}

static plussi_ctx ctx;
static char path[64];

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    snprintf(path, sizeof path, "/tmp/pluss-lines-%ld", (long)getpid());
}

static void teardown(void)
{
    unlink(trace_of(path));
    plussi_ctx_clear(&ctx);
}

static const char *said(void)
{
    return ctx.n_diags ? ctx.diags[ctx.n_diags - 1].text : "";
}

/* ---- keeping ---------------------------------------------------------------------------------
 */

static void add(plussi_sampled_thread *p, uint64_t key, uint64_t line, uint64_t at, uint32_t ref)
{
    plussi_sampled_thread_add(p, key, line, plussi_hash(line), at, ref);
}

START_TEST(a_full_table_loses_half_of_the_lines)
{
    plussi_sampled_thread *p = plussi_sampled_thread_new(100, UINT64_MAX);
    for (uint64_t i = 0; i < 1000; i++)
        add(p, i / 100, i % 250, i % 100, (uint32_t)(i % REFS));
    ck_assert(!p->failed);
    ck_assert_uint_le(p->n, 100);
    ck_assert_uint_lt(p->threshold, UINT64_MAX / 4);
    /* what is there is all that there was of the lines that are left */
    size_t expected = 0, k = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        if (plussi_hash(i % 250) > p->threshold)
            continue;
        expected++;
        ck_assert_uint_lt(k, p->n);
        ck_assert_uint_eq(p->access[k].line, i % 250);
        ck_assert_uint_eq(p->access[k].at, i % 100 << PLUSSI_SAMPLED_REF_BITS | i % REFS);
        size_t phase = 0;
        while (phase + 1 < p->n_phases && p->phase[phase + 1].first <= k)
            phase++;
        ck_assert_uint_eq(p->phase[phase].key, i / 100);
        k++;
    }
    ck_assert_uint_eq(p->n, expected);
    ck_assert_uint_gt(expected, 30);
    plussi_sampled_thread_free(p);
}
END_TEST

START_TEST(one_line_too_often_is_a_failure)
{
    plussi_sampled_thread *p = plussi_sampled_thread_new(10, UINT64_MAX);
    for (uint64_t i = 0; i < 11; i++)
        add(p, 0, 0, i, 0); /* the hash of line 0 is 0 */
    ck_assert(p->failed);
    plussi_sampled_thread_free(p);
    p = plussi_sampled_thread_new(10, UINT64_MAX);
    add(p, 0, 1, UINT64_C(1) << 44, 0);
    ck_assert(p->failed);
    plussi_sampled_thread_free(p);
}
END_TEST

START_TEST(too_many_marks_are_none)
{
    plussi_sampled_thread *p = plussi_sampled_thread_new(4 * PLUSSI_SAMPLED_A_MARK, UINT64_MAX);
    plussi_sampled_thread_mark(p, 1, 0, PLUSSI_MARK_OPEN);
    plussi_sampled_thread_mark(p, 1, 0, 0);
    plussi_sampled_thread_mark(p, 1, 5, 3);
    plussi_sampled_thread_mark(p, 1, 9, PLUSSI_MARK_CLOSE);
    ck_assert_uint_eq(p->n_marks, 4);
    ck_assert(!p->unmarked && !p->failed);
    plussi_sampled_thread_mark(p, 2, 0, PLUSSI_MARK_OPEN);
    ck_assert(p->unmarked && !p->failed);
    ck_assert_uint_eq(p->n_marks, 0);
    plussi_sampled_thread_mark(p, 2, 0, 0);
    ck_assert_uint_eq(p->n_marks, 0);
    plussi_sampled_thread_free(p);
}
END_TEST

/* ---- the file --------------------------------------------------------------------------------
 */

static plussi_sampled_thread *some_picks(uint64_t from, uint64_t n, size_t most)
{
    plussi_sampled_thread *p = plussi_sampled_thread_new(most, UINT64_MAX);
    p->n_refs = REFS;
    p->made = plussi_calloc(&plussi_own, REFS, sizeof *p->made);
    for (uint64_t i = 0; i < n; i++) {
        if (i % 50 == 10)
            plussi_sampled_thread_mark(p, i / 50, 10, PLUSSI_MARK_OPEN);
        if (i % 50 >= 10 && i % 5 == 0)
            plussi_sampled_thread_mark(p, i / 50, i % 50, i % 50 == 25 ? PLUSSI_MARK_CLOSE : i);
        if (i % 50 == 25)
            plussi_sampled_thread_mark(p, i / 50, 25, PLUSSI_MARK_OPEN);
        add(p, i / 50, from + i, i % 50, (uint32_t)(i % REFS));
        p->made[i % REFS]++;
        if (i % 50 == 49 || i + 1 == n)
            plussi_sampled_thread_mark(p, i / 50, i % 50 + 1, PLUSSI_MARK_CLOSE);
    }
    ck_assert(!p->failed);
    return p;
}

/* Blocks 1 (one thread) and 4 (two threads, of which the second kept fewer lines). */
static void write_file(void)
{
    plussi_sampled_thread *p[] = {some_picks(7, 30, 99), some_picks(1000, 200, 999),
                                  some_picks(1100, 200, 90)};
    plussi_outfile file;
    ck_assert(plussi_sidecar_open(&file, path));
    plussi_sampled_thread_write(&file, 1, 0, p[0]);
    plussi_sampled_thread_write(&file, 4, 0, p[1]);
    plussi_sampled_thread_write(&file, 4, 1, p[2]);
    ck_assert_int_eq(plussi_outfile_finish(&file), 0);
    for (int i = 0; i < 3; i++)
        plussi_sampled_thread_free(p[i]);
}

static const plussi_record_block one = {.team = 1, .line_bytes = 64},
                                 two = {.team = 2, .line_bytes = 64};

static pluss_status read_block(plussi_ctx *c, uint32_t block, const plussi_record_block *of,
                               plussi_sampled_trace *out)
{
    plussi_trace_reader *trace = NULL;
    pluss_status status = plussi_trace_open(c, trace_of(path), &trace);
    if (!status)
        status = plussi_sampled_trace_read(trace, block, of, out);
    plussi_trace_close(trace);
    return status;
}

START_TEST(what_is_written_is_read)
{
    plussi_sampled_trace got;
    write_file();
    ck_assert_msg(read_block(&ctx, 1, &one, &got) == PLUSS_OK, "%s", said());
    ck_assert_double_eq(got.rate, 1);
    ck_assert_uint_eq(got.n_refs, REFS);
    ck_assert_uint_eq(got.made[0] + got.made[1] + got.made[2] + got.made[3], 30);
    ck_assert_uint_eq(got.thread[0].n, 30);
    ck_assert_uint_eq(got.thread[0].access[29].line, 36);
    ck_assert_uint_eq(got.thread[0].access[29].at, 29);
    ck_assert_uint_eq(got.thread[0].access[29].ref, 1);
    ck_assert(got.marked);
    static const uint64_t at[] = {10, 10, 15, 20, 25, 25, 30},
                          chunk[] = {
                              PLUSSI_MARK_OPEN, 10, 15, 20, PLUSSI_MARK_CLOSE, PLUSSI_MARK_OPEN,
                              PLUSSI_MARK_CLOSE};
    ck_assert_uint_eq(got.thread[0].phase[0].end_mark, 7);
    for (int i = 0; i < 7; i++) {
        ck_assert_uint_eq(got.thread[0].mark[i].at, at[i]);
        ck_assert_uint_eq(got.thread[0].mark[i].chunk, chunk[i]);
    }
    plussi_sampled_trace_free(&got);

    ck_assert_msg(read_block(&ctx, 4, &two, &got) == PLUSS_OK, "%s", said());
    ck_assert_double_lt(got.rate, 0.5);
    ck_assert_uint_eq(got.made[0], 100);
    for (uint32_t k = 0; k < 2; k++) { /* both threads have the same lines of those they share */
        size_t want = 0;
        for (uint64_t i = 0; i < 200; i++)
            want += (double)plussi_hash(1000 + 100 * k + i) < got.rate * 0x1p64;
        ck_assert_uint_eq(got.thread[k].n, want);
        ck_assert_uint_gt(want, 10);
        for (size_t p = 0; p < got.thread[k].n_phases; p++)
            for (size_t i = got.thread[k].phase[p].first; i < got.thread[k].phase[p].end; i++)
                ck_assert_uint_eq((got.thread[k].access[i].line - 1000 - 100 * k) / 50,
                                  got.thread[k].phase[p].key);
    }
    plussi_sampled_trace_free(&got);
}
END_TEST

START_TEST(bad_files_are_told)
{
    plussi_sampled_trace got;
    ck_assert_int_eq(read_block(&ctx, 1, &one, &got), PLUSS_EIO);
    write_file();
    ck_assert_int_eq(read_block(&ctx, 2, &one, &got), PLUSS_EFORMAT);
    ck_assert_int_eq(read_block(&ctx, 4, &one, &got), PLUSS_EFORMAT);
    ck_assert_int_eq(read_block(&ctx, 1, &two, &got), PLUSS_EFORMAT);
    FILE *in = fopen(trace_of(path), "rb");
    static unsigned char whole[1 << 16];
    size_t length = fread(whole, 1, sizeof whole, in);
    fclose(in);
    ck_assert_uint_lt(length, sizeof whole);
    uint64_t state = 1;
    for (int i = 0; i < 400; i++) { /* cut off, or with a byte that is another */
        size_t at = plussi_splitmix64(&state) % length, upto = i % 2 ? length : at;
        unsigned char kept = whole[at];
        whole[at] ^= (unsigned char)(1u << (i % 8));
        FILE *out = fopen(trace_of(path), "wb");
        ck_assert_uint_eq(fwrite(whole, 1, upto, out), upto);
        fclose(out);
        whole[at] = kept;
        pluss_status status = read_block(&ctx, 4, &two, &got);
        if (status == PLUSS_OK)
            plussi_sampled_trace_free(&got);
        else
            ck_assert_msg(status == PLUSS_EFORMAT && said()[0], "status %d", status);
        ck_assert(status != PLUSS_OK || i % 2);
        plussi_ctx_clear(&ctx);
        plussi_ctx_init(&ctx, NULL);
    }
}
END_TEST

/* All that is made must fit the 63 bits that a report has for it: each of two counts does. */
START_TEST(too_many_accesses_are_told)
{
    for (int beyond = 0; beyond < 2; beyond++) {
        plussi_sampled_thread *p = some_picks(7, 30, 99);
        plussi_sampled_trace got;
        plussi_outfile file;
        p->made[0] = UINT64_C(1) << 62;
        p->made[1] = p->made[0] - 1;
        p->made[2] = 0;
        p->made[3] = (uint64_t)beyond;
        ck_assert(plussi_sidecar_open(&file, path));
        plussi_sampled_thread_write(&file, 1, 0, p);
        ck_assert_int_eq(plussi_outfile_finish(&file), 0);
        plussi_sampled_thread_free(p);
        pluss_status status = read_block(&ctx, 1, &one, &got);
        ck_assert_int_eq(status, beyond ? PLUSS_EFORMAT : PLUSS_OK);
        if (beyond)
            ck_assert_ptr_nonnull(strstr(said(), "more accesses than can be"));
        else
            plussi_sampled_trace_free(&got);
    }
}
END_TEST

START_TEST(reading_without_memory)
{
    write_file();
    for (long budget = 0;; budget++) {
        failing_mem mem;
        failing_mem_init(&mem, budget);
        plussi_ctx poor;
        plussi_ctx_init(&poor, &mem.mem);
        plussi_sampled_trace got;
        pluss_status status = read_block(&poor, 4, &two, &got);
        if (!status)
            plussi_sampled_trace_free(&got);
        plussi_ctx_clear(&poor);
        ck_assert_int_eq(mem.live, 0);
        if (!status && !mem.failed)
            break;
        ck_assert(status == PLUSS_ENOMEM || status == PLUSS_OK);
        ck_assert_int_lt(budget, 1000);
    }
}
END_TEST

/* ---- the model -------------------------------------------------------------------------------
 */

/* Matrix product: a phase in which all share B, and a second one that reads what others wrote. */
static const char nest_text[] =
    "pluss-nest 1\nsymbol n\narray f64 A[n][n], B[n][n], C[n][n]\nregion r\n"
    "parallel for i in 0..n { for j in 0..n { for k in 0..n {\n"
    "  read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }\n"
    "parallel for j in 0..n { for i in 0..n { read C[i][j] write A[j][i] } }\n";

static plussi_nest *nest;
static plussi_bound *bound;

static void open_nest(uint32_t team, int64_t n)
{
    static plussi_binding binding = {"n", 0};
    binding.value = n;
    ck_assert_msg(plussi_nest_parse(&ctx, nest_text, strlen(nest_text), "t", &nest) == PLUSS_OK,
                  "%s", said());
    plussi_bind_options options = {
        .team = team, .line_bytes = 64, .binding = &binding, .n_bindings = 1};
    ck_assert_msg(plussi_bind(&ctx, nest, &options, &bound) == PLUSS_OK, "%s", said());
}

static void close_nest(void)
{
    plussi_bound_free(bound);
    plussi_nest_free(nest);
}

/* All accesses of a walk, as a sampler would keep them, through the file. */
static void keep_walk(uint32_t team, size_t most, plussi_sampled_trace *out)
{
    enum { BATCH = 512 };
    plussi_walk *walk;
    plussi_access buf[BATCH];
    plussi_sampled_thread *picks[8];
    uint64_t phase = 0;
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
    for (uint32_t k = 0; k < team; k++) {
        picks[k] = plussi_sampled_thread_new(most, UINT64_MAX);
        picks[k]->n_refs = bound->n_refs;
        picks[k]->made = plussi_calloc(&plussi_own, bound->n_refs, sizeof(uint64_t));
    }
    do {
        for (uint32_t k = 0; k < team; k++) {
            size_t got;
            for (uint64_t at = 0; (got = plussi_walk_fill(walk, k, buf, BATCH)) > 0;)
                for (size_t i = 0; i < got; i++, at++) {
                    add(picks[k], phase, buf[i].line, at, buf[i].ref);
                    picks[k]->made[buf[i].ref]++;
                }
        }
        phase++;
    } while (plussi_walk_next_phase(walk));
    plussi_walk_free(walk);
    plussi_outfile file;
    ck_assert(plussi_sidecar_open(&file, path));
    for (uint32_t k = 0; k < team; k++) {
        plussi_sampled_thread_write(&file, 0, k, picks[k]);
        plussi_sampled_thread_free(picks[k]);
    }
    ck_assert_int_eq(plussi_outfile_finish(&file), 0);
    plussi_record_block block = {.team = team, .line_bytes = 64};
    ck_assert_msg(read_block(&ctx, 0, &block, out) == PLUSS_OK, "%s", said());
}

/* Exact, of the threads from ... to - 1 on one cache, uniformly interleaved; added up. */
static void exact(uint32_t from, uint32_t to, uint64_t seed, plussi_histo *out)
{
    enum { BATCH = 512 };
    plussi_walk *walk;
    plussi_merge *merge;
    plussi_lru *lru;
    plussi_access buf[BATCH];
    size_t n;
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &walk), PLUSS_OK);
    ck_assert_int_eq(plussi_merge_new(&ctx, walk, &(plussi_progress){0}, seed, &merge), PLUSS_OK);
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    while ((n = plussi_merge_next(merge, buf, BATCH)) > 0)
        for (size_t i = 0; i < n; i++) {
            if (buf[i].thread < from || buf[i].thread >= to)
                continue;
            uint64_t distance = plussi_lru_touch(lru, buf[i].line);
            if (distance == PLUSSI_LRU_COLD)
                out->cold++;
            else
                ck_assert_int_eq(plussi_histo_add(out, distance, 1), PLUSS_OK);
        }
    plussi_lru_free(lru);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
}

static double error_from(const plussi_mrc *a, const plussi_mrc *b, double from, double to,
                         double *most)
{
    double sum = 0;
    int n = 0;
    *most = 0;
    for (double size = from; size < to; size *= 1.09, n++) {
        double d = fabs(plussi_mrc_at(a, floor(size)) - plussi_mrc_at(b, floor(size)));
        sum += d;
        *most = fmax(*most, d);
    }
    return sum / n;
}

/* One thread has one order; caches of their own make the others' times indifferent. */
START_TEST(private_caches_are_exact)
{
    for (uint32_t team = 1; team <= 3; team++) {
        plussi_sampled_trace sampled;
        predicted got;
        plussi_histo want;
        plussi_mrc curve;
        open_nest(team, 40);
        keep_walk(team, 1 << 20, &sampled);
        ck_assert_double_eq(sampled.rate, 1);
        plussi_histo_init(&want, &ctx.mem);
        for (uint32_t k = 0; k < team; k++)
            exact(k, k + 1, 1, &want);
        ck_assert_int_eq(plussi_mrc_from_rd(&ctx, &want, &curve), PLUSS_OK);
        ck_assert_int_eq(predict(&ctx, &sampled, 1, NULL, 5, &got), PLUSS_OK);
        ck_assert_uint_eq(got.mrc.n, curve.n);
        for (size_t i = 0; i < curve.n; i++) {
            ck_assert_double_eq(got.mrc.size[i], curve.size[i]);
            ck_assert_double_eq_tol(got.mrc.miss[i], curve.miss[i], 1e-12);
        }
        ck_assert_double_eq_tol(got.mrc.accesses, curve.accesses, 1e-6);
        ck_assert_double_eq_tol(got.footprint, want.cold, 1e-9);
        plussi_mrc_free(&got.mrc);
        plussi_mrc_free(&curve);
        plussi_histo_free(&want);
        plussi_sampled_trace_free(&sampled);
        close_nest();
    }
}
END_TEST

/* Against the mean of uniform interleavings, whole and thinned. */
START_TEST(shared_caches)
{
    enum { TEAM = 4, SEEDS = 6 };
    static const struct {
        size_t most;
        double from, mean, most_off;
    } kept[] = {{1 << 20, 1, .003, .02}, {32000, 1, .02, .1}, {8000, 1, .04, .2}};
    open_nest(TEAM, 48);
    plussi_histo want;
    plussi_mrc curve;
    plussi_histo_init(&want, &ctx.mem);
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        exact(0, TEAM, seed, &want);
    ck_assert_int_eq(plussi_mrc_from_rd(&ctx, &want, &curve), PLUSS_OK);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        plussi_sampled_trace sampled;
        predicted got;
        double most;
        keep_walk(TEAM, kept[i].most, &sampled);
        ck_assert_int_eq(predict(&ctx, &sampled, 0, NULL, 5, &got), PLUSS_OK);
        double mean = error_from(&got.mrc, &curve, kept[i].from, 1.1 * got.footprint, &most);
        ck_assert_msg(mean < kept[i].mean && most < kept[i].most_off,
                      "rate %.3f from %g: mean %.4f, largest %.4f", sampled.rate, kept[i].from,
                      mean, most);
        ck_assert_double_eq_tol(got.mrc.accesses * SEEDS, curve.accesses, 1e-6 * curve.accesses);
        ck_assert_double_eq_tol(got.footprint, want.cold / SEEDS, .05 * want.cold / SEEDS);
        plussi_mrc_free(&got.mrc);
        plussi_sampled_trace_free(&sampled);
    }
    plussi_mrc_free(&curve);
    plussi_histo_free(&want);
    close_nest();
}
END_TEST

/* ---- loops that are handed out on demand -------------------------------------------------------
 * A program of two such loops without a barrier between them, with accesses of each thread's own
 * before, between and after; chunks of one iteration, of unequal lengths. */
enum { ITERATIONS = 150, PARTS = 5, LONGEST = 40, HANDED = 3 };

/* The lines of part 0, 2, 4 (own), or of iteration i of part 1, 3; how many. */
static uint32_t lines_of(uint32_t part, uint64_t i, uint32_t thread, uint64_t *line)
{
    uint32_t n = 0;
    if (part % 2 == 0) {
        for (; n < 5 + 10 * thread; n++)
            line[n] = 5000 + 100 * part + n / 2;
        return n;
    }
    for (uint64_t k = 0; k < 1 + i % 7 * (part == 1 ? 1 : 2); k++) {
        line[n++] = 100 + i / 4;
        line[n++] = 1000 + i * 37 % 41;
        line[n++] = ((uint64_t)(thread + 1) << 42) + k % 3; /* the thread's own */
    }
    return n;
}

/* As a sampler keeps them that hands chunks round in turn. */
static void keep_handed_out(plussi_sampled_trace *out)
{
    plussi_outfile file;
    ck_assert(plussi_sidecar_open(&file, path));
    for (uint32_t k = 0; k < HANDED; k++) {
        plussi_sampled_thread *p = plussi_sampled_thread_new(1 << 20, UINT64_MAX);
        uint64_t line[LONGEST], at = 0;
        p->n_refs = 1;
        p->made = plussi_calloc(&plussi_own, 1, sizeof *p->made);
        for (uint32_t part = 0; part < PARTS; part++) {
            bool loop = part % 2;
            if (loop)
                plussi_sampled_thread_mark(p, 1, at, PLUSSI_MARK_OPEN);
            for (uint64_t i = loop ? k : 0; i < (loop ? ITERATIONS : 1); i += HANDED) {
                if (loop)
                    plussi_sampled_thread_mark(p, 1, at, i);
                uint32_t n = lines_of(part, i, k, line);
                for (uint32_t x = 0; x < n; x++)
                    add(p, 1, line[x], at++, 0);
            }
            if (loop)
                plussi_sampled_thread_mark(p, 1, at, PLUSSI_MARK_CLOSE);
        }
        p->made[0] = at;
        plussi_sampled_thread_write(&file, 0, k, p);
        plussi_sampled_thread_free(p);
    }
    ck_assert_int_eq(plussi_outfile_finish(&file), 0);
    plussi_record_block block = {.team = HANDED, .line_bytes = 64};
    ck_assert_msg(read_block(&ctx, 0, &block, out) == PLUSS_OK, "%s", said());
}

/* Access by access: any thread is the next; one that has no more of its chunk takes another. */
static void handed_out_exactly(uint32_t from, uint32_t to, uint64_t seed, plussi_histo *out)
{
    struct {
        uint64_t line[LONGEST];
        uint32_t at, n, part;
        bool begun, ended;
    } t[HANDED] = {0};
    uint64_t next[PARTS] = {0};
    uint32_t left = HANDED;
    plussi_rng rng;
    plussi_lru *lru;
    plussi_rng_seed(&rng, seed, 0);
    ck_assert_int_eq(plussi_lru_new(&ctx, &lru), PLUSS_OK);
    while (left > 0) {
        uint32_t k = (uint32_t)plussi_rng_below(&rng, HANDED);
        if (t[k].ended)
            continue;
        while (t[k].at == t[k].n && t[k].part < PARTS) {
            uint32_t part = t[k].part;
            bool more = part % 2 ? next[part] < ITERATIONS : !t[k].begun;
            t[k].at = 0;
            t[k].n = more ? lines_of(part, part % 2 ? next[part]++ : 0, k, t[k].line) : 0;
            t[k].begun = more;
            t[k].part += !more;
        }
        if (t[k].at == t[k].n) {
            t[k].ended = true;
            left--;
            continue;
        }
        uint64_t line = t[k].line[t[k].at++];
        if (k < from || k >= to)
            continue;
        uint64_t distance = plussi_lru_touch(lru, line);
        if (distance == PLUSSI_LRU_COLD)
            out->cold++;
        else
            ck_assert_int_eq(plussi_histo_add(out, distance, 1), PLUSS_OK);
    }
    plussi_lru_free(lru);
}

/* Who takes a chunk is who comes first to it in the interleaving that is drawn. */
START_TEST(chunks_are_handed_out_anew)
{
    enum { SEEDS = 200 };
    for (uint32_t threads_per_cache = 1; threads_per_cache <= HANDED; threads_per_cache++) {
        plussi_sampled_trace sampled;
        keep_handed_out(&sampled);
        plussi_histo want;
        plussi_mrc curve;
        double error = 0, kept_error = 0;
        plussi_histo_init(&want, &ctx.mem);
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            for (uint32_t k = 0; k < HANDED; k += threads_per_cache)
                handed_out_exactly(k, k + threads_per_cache, seed, &want);
        ck_assert_int_eq(plussi_mrc_from_rd(&ctx, &want, &curve), PLUSS_OK);
        for (int kept = 0; kept < 2; kept++) { /* second: as they were recorded */
            for (uint32_t k = 0; kept && k < HANDED; k++)
                sampled.thread[k].phase[0].end_mark = sampled.thread[k].phase[0].first_mark = 0;
            sampled.marked = !kept;
            double at[128] = {0};
            for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
                predicted got;
                ck_assert_int_eq(predict(&ctx, &sampled, threads_per_cache, NULL, seed, &got),
                                 PLUSS_OK);
                for (int size = 1; size < 128; size++)
                    at[size] += plussi_mrc_at(&got.mrc, size) / (SEEDS / 4);
                plussi_mrc_free(&got.mrc);
            }
            for (int size = 1; size < 128; size++) {
                double *e = kept ? &kept_error : &error;
                *e = fmax(*e, fabs(at[size] - plussi_mrc_at(&curve, size)));
            }
        }
        ck_assert_msg(error < .002 && kept_error > .02, "%u share: %.4f anew, %.4f as recorded",
                      threads_per_cache, error, kept_error);
        plussi_mrc_free(&curve);
        plussi_histo_free(&want);
        plussi_sampled_trace_free(&sampled);
    }
}
END_TEST

/* References that no access was kept of come in by their intervals. */
START_TEST(missing_references)
{
    plussi_sampled_trace sampled;
    predicted got, with;
    plussi_histo missing;
    open_nest(1, 20);
    keep_walk(1, 1 << 20, &sampled);
    plussi_histo_init(&missing, &ctx.mem);
    ck_assert_int_eq(plussi_histo_add(&missing, 1, 1000), PLUSS_OK);
    missing.cold = 500;
    ck_assert_int_eq(predict(&ctx, &sampled, 0, NULL, 5, &got), PLUSS_OK);
    ck_assert_int_eq(predict(&ctx, &sampled, 0, &missing, 5, &with), PLUSS_OK);
    double all = got.mrc.accesses;
    ck_assert_double_eq_tol(with.mrc.accesses, all + 1500, 1e-6);
    for (double size = 2; size < 1000; size *= 2) /* hits from two lines on, and misses for ever */
        ck_assert_double_eq_tol(plussi_mrc_at(&with.mrc, size) * (all + 1500),
                                plussi_mrc_at(&got.mrc, size) * all + 500, 1e-6 * all);
    plussi_mrc_free(&got.mrc);
    plussi_mrc_free(&with.mrc);
    plussi_histo_free(&missing);
    plussi_sampled_trace_free(&sampled);
    close_nest();
}
END_TEST

START_TEST(models_without_memory)
{
    plussi_sampled_trace sampled;
    open_nest(2, 12);
    keep_walk(2, 300, &sampled);
    for (long budget = 0;; budget++) {
        failing_mem mem;
        failing_mem_init(&mem, budget);
        plussi_ctx poor;
        plussi_ctx_init(&poor, &mem.mem);
        predicted got;
        pluss_status status = predict(&poor, &sampled, 0, NULL, 1, &got);
        if (!status)
            plussi_mrc_free(&got.mrc);
        plussi_ctx_clear(&poor);
        ck_assert_int_eq(mem.live, 0);
        if (!status && !mem.failed)
            break;
        ck_assert(status == PLUSS_ENOMEM || status == PLUSS_OK);
        ck_assert_int_lt(budget, 10000);
    }
    plussi_sampled_trace_free(&sampled);
    close_nest();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("lines");
    TCase *c = tcase_create("lines");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, a_full_table_loses_half_of_the_lines);
    tcase_add_test(c, one_line_too_often_is_a_failure);
    tcase_add_test(c, too_many_marks_are_none);
    tcase_add_test(c, what_is_written_is_read);
    tcase_add_test(c, bad_files_are_told);
    tcase_add_test(c, too_many_accesses_are_told);
    tcase_add_test(c, reading_without_memory);
    tcase_add_test(c, private_caches_are_exact);
    tcase_add_test(c, shared_caches);
    tcase_add_test(c, chunks_are_handed_out_anew);
    tcase_add_test(c, missing_references);
    tcase_add_test(c, models_without_memory);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
