/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The record of a run, read back: every fact, every fault with its place, and what becomes of it:
 * nests with values and addresses, programs, private reuse intervals.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_mem.h"
#include "rt/rt.h"
#include "study/pipeline.h"
#include "trace/fill_unknowns.h"
#include "trace/walk.h"

static plussi_ctx ctx;
static plussi_record *record;
static plussi_nest *nest, *made;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    record = NULL;
    nest = made = NULL;
}

static void teardown(void)
{
    plussi_record_free(record);
    plussi_nest_free(nest);
    plussi_nest_free(made);
    plussi_ctx_clear(&ctx);
}

static void read_text(const char *text)
{
    plussi_record_free(record);
    record = NULL;
    pluss_status status = plussi_record_parse(&ctx, text, strlen(text), "r.txt", &record);
    ck_assert_msg(status == PLUSS_OK, "%s", ctx.n_diags ? ctx.diags[0].text : "");
}

static void parse(const char *text)
{
    plussi_nest_free(nest);
    nest = NULL;
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, strlen(text), "t.nest", &nest), PLUSS_OK);
}

#define HEAD "pluss-record 3\nline 64\nlost-runs 2\n"
#define CHUNKS "chunks loop 0 time 0 thread 1 0-2 2-5\n"
#define WHOLE                                                                                      \
    HEAD "object \"/a b/\\x41.out\"\nobject \"lib\\\"\\\\.so\"\nnewer 1 2 \"3\"\n"                 \
         "region \"kernel\" \"a.c\":7 team 2 runs 3 lost 1 by profile\n"                           \
         "symbol \"n\" -9223372036854775808\nsymbol \"p->m\" 10\n"                                 \
         "array \"A\" 18446744073709551615\narray \"B\" 0\nplace 4096 8192\nplace 64 128\n"        \
         "thread 0 accesses 12 lost 0\npri thread 0 ref 0 first 4 1:2 7:3\n"                       \
         "shared thread 0 ref 0 2:3\npri thread 0 ref 5 first 1\n"                                 \
         "chunks loop 1 time 0 thread 0 0-16 48-64\n"                                              \
         "times loop 1 time 0 thread 0 7-9 9-20\n"                                                 \
         "thread 1 accesses 2 lost 1\npri thread 1 ref 0 first 2\n"                                \
         "chunks loop 1 time 0 thread 1 16-48\ntimes loop 1 time 0 thread 1 0-30\nlater 1\nend\n"  \
         "region \"other\" \"\":0 team 1 runs 1 lost 0 by bind\nend\n"                             \
         "\nregion \"third\" \"x\":1 team 1 runs 1 lost 0\nend\n"                                  \
         "sequence lost 5\nrun 0 at 2 times 3\nrepeat 4\nrun 1 at 0 times 1\nrepeat 2\n"           \
         "run 0 at unknown times 1\nend\nend\nend\nunknown facts\n"

START_TEST(every_fact)
{
    read_text(WHOLE);
    ck_assert_uint_eq(record->line_bytes, 64);
    ck_assert_uint_eq(record->lost_runs, 2);
    ck_assert_uint_eq(record->n_objects, 2);
    ck_assert_str_eq(record->object[0], "/a b/A.out");
    ck_assert_str_eq(record->object[1], "lib\"\\.so");
    ck_assert_uint_eq(record->n_blocks, 3);
    const plussi_record_block *b = &record->block[0];
    ck_assert_str_eq(b->region, "kernel");
    ck_assert_str_eq(b->file, "a.c");
    ck_assert_uint_eq(b->line, 7);
    ck_assert_uint_eq(b->team, 2);
    ck_assert_uint_eq(b->line_bytes, 64);
    ck_assert_uint_eq(b->runs, 3);
    ck_assert_uint_eq(b->lost, 1);
    ck_assert_int_eq(b->by, PLUSSI_RECORDED_PROFILE);
    ck_assert_uint_eq(b->n_symbols, 2);
    ck_assert_int_eq(b->symbol[0].value, INT64_MIN);
    ck_assert_str_eq(b->symbol[1].name, "p->m");
    ck_assert_uint_eq(b->n_arrays, 2);
    ck_assert_uint_eq(b->n_places, 3);
    static const uint64_t address[] = {UINT64_MAX, 0, 4096, 8192, 64, 128};
    ck_assert_mem_eq(b->address, address, sizeof address);
    ck_assert_uint_eq(b->n_threads, 2);
    ck_assert_uint_eq(b->thread[1].lost, 1);
    ck_assert_uint_eq(b->n_pri, 3);
    ck_assert_uint_eq(b->pri[0].n_intervals, 2);
    ck_assert_uint_eq(b->pri[0].interval[1].key, 7);
    ck_assert_uint_eq(b->pri[0].interval[1].count, 3);
    ck_assert_uint_eq(b->pri[0].n_shared, 1);
    ck_assert_uint_eq(b->pri[1].ref, 5);
    ck_assert_uint_eq(b->n_chunks, 3);
    ck_assert_uint_eq(b->chunk[1].lo, 48);
    ck_assert_uint_eq(b->chunk[2].thread, 1);
    ck_assert(b->time[1].from == 9 && b->time[1].to == 20 && b->time[2].to == 30);
    ck_assert_ptr_null(record->block[1].time);
    ck_assert_int_eq(record->block[1].by, PLUSSI_RECORDED_BIND);
    ck_assert_int_eq(record->block[2].by, PLUSSI_RECORDED_PROFILE);
    ck_assert_uint_eq(record->sequence_lost, 5);
    ck_assert_uint_eq(record->n_sequence, 2);
    ck_assert_int_eq(record->sequence[0].place, 2);
    ck_assert_uint_eq(record->sequence[0].times, 3);
    ck_assert_uint_eq(record->sequence[1].times, 4);
    ck_assert_uint_eq(record->sequence[1].n, 2);
    ck_assert_uint_eq(record->sequence[1].body[1].times, 2);
    ck_assert_int_eq(record->sequence[1].body[1].body[0].place, PLUSSI_RECORD_UNKNOWN);
    ck_assert_uint_eq(ctx.n_diags, 0);
}
END_TEST

/* Text, the place of the fault, words of the message. */
static const struct fault {
    const char *text;
    uint32_t line, col;
    const char *words;
} faults[] = {
    {"", 1, 1, "found the line's end, expected 'pluss-record'"},
    {"hello\n", 1, 1, "found 'hello', expected 'pluss-record'"},
    {"pluss-record\n", 1, 13, "expected a number"},
    {"pluss-record 1\n", 1, 1, "made by another version of pluss: record it again"},
    {"pluss-record 2\n", 1, 1, "made by another version of pluss: record it again"},
    {"pluss-record 3 x\n", 1, 16, "found 'x', expected the line's end"},
    {"pluss-record 3\n", 1, 15, "line size"},
    {"pluss-record 3\nline 48\n", 2, 6, "power of two"},
    {"pluss-record 3\nline 8192\n", 2, 6, "smaller number"},
    {"pluss-record 3\nline 64\nline 64\n", 3, 6, "one line size"},
    {HEAD "lost-runs 1\n", 4, 11, "once"},
    {HEAD "lost-runs\n", 4, 10, "once"},
    {HEAD "took 5 serial 6\n", 4, 6, "no more serial time than time"},
    {HEAD "took 5 serial 5\ntook 5 serial 5\n", 5, 6, "once"},
    {HEAD "left-out \"r\" \"f\":1 team 0 runs 1 accesses 2\n", 4, 20, "at least one thread"},
    {HEAD "left-out \"r\" \"f\":1 team 2 runs 1\n", 4, 33, "'accesses'"},
    {HEAD "left-out \"r\" \"f\":1 team 2 runs 1 accesses 2 by chance\n", 4, 48, "bind, sample"},
    {"pluss-record 3\nlost-runs 99999999999999999999\n", 2, 11, "number of 64 bits"},
    {"pluss-record 3\nlost-runs 999999999999999999999\n", 2, 11, "a number"},
    {HEAD "end\n", 4, 1, "before its end"},
    {HEAD "object x\n", 4, 8, "found 'x', expected a string"},
    {HEAD "object \"x\n", 4, 8, "ends on its line"},
    {HEAD "object \"x\\q\"\n", 4, 10, "after a backslash"},
    {HEAD "object \"x\\x0\"\n", 4, 10, "after a backslash"},
    {HEAD "object \"x\\x00\"\n", 4, 10, "after a backslash"},
    {HEAD "object \"x\" y\n", 4, 12, "the line's end"},
    {HEAD "region\n", 4, 7, "a string"},
    {HEAD "region \"a\" \"b\" team 1\n", 4, 16, "':'"},
    {HEAD "region \"a\" \"b\":1 team 0 runs 1 lost 0\n", 4, 18, "at least one thread"},
    {HEAD "region \"a\" \"b\":1 team 99999999 runs 1 lost 0\n", 4, 23, "smaller"},
    {HEAD "region \"a\" \"b\":1 team 1 runs 1 lost 0 by magic\n", 4, 42, "bind, sample or profile"},
    {HEAD "region \"a\" \"b\":1 team 1 runs 1 lost 0\n", 4, 38, "'end' of the region"},
#define BLOCK HEAD "region \"a\" \"b\":1 team 2 runs 1 lost 0\n"
    {BLOCK "region \"a\" \"b\":1 team 1 runs 1 lost 0\n", 5, 1, "'end' of the region before"},
    {BLOCK "sequence lost 0\n", 5, 1, "'end' of the region before"},
    {BLOCK "symbol n 1\n", 5, 8, "a string"},
    {BLOCK "symbol \"n\"\n", 5, 11, "a number"},
    {BLOCK "symbol \"n\" -\n", 5, 12, "a number"},
    {BLOCK "symbol \"n\" 9223372036854775808\n", 5, 12, "a smaller number"},
    {BLOCK "array \"A\" -1\n", 5, 11, "a number"},
    {BLOCK "array \"A\" 1\nplace\n", 6, 6, "a number"},
    {BLOCK "array \"A\" 1\nplace 1 2\n", 6, 9, "the line's end"},
    {BLOCK "array \"A\" 1\nplace 1\narray \"B\" 2\n", 7, 7, "no array after a place"},
    {BLOCK "thread 1 accesses 0 lost 0\n", 5, 8, "the next thread"},
    {BLOCK "thread 0 accesses 0 lost 0\nthread 1 accesses 0 lost 0\nthread 2 accesses 0 lost 0\n",
     7, 8, "the next thread"},
    {BLOCK "thread 0 touches 0 lost 0\n", 5, 10, "'accesses'"},
    {BLOCK "pri thread 2 ref 0 first 0\n", 5, 12, "smaller"},
    {BLOCK "pri thread 1 ref 9999999 first 0\n", 5, 18, "smaller"},
    {BLOCK "pri thread 1 ref 0 first 0 0:1\n", 5, 28, "keys ascend"},
    {BLOCK "pri thread 1 ref 0 first 0 3:1 3:1\n", 5, 32, "keys ascend"},
    {BLOCK "pri thread 1 ref 0 first 0 3\n", 5, 29, "':'"},
    {BLOCK "pri thread 1 ref 0 first 0 3 :1\n", 5, 30, "':'"},
    {BLOCK "pri thread 1 ref 0 first 0 3:\n", 5, 30, "a number"},
    {BLOCK "pri thread 1 ref 0 first 0 18446744073709551615:1\n", 5, 28, "smaller"},
    {BLOCK "pri thread 1 ref 0 first 0\npri thread 0 ref 0 first 0\n", 6, 5, "to ascend"},
    {BLOCK "pri thread 1 ref 0 first 0\npri thread 1 ref 0 first 0\n", 6, 5, "to ascend"},
    {BLOCK "shared thread 1 ref 0 2:1\n", 5, 8, "of the line before"},
    {BLOCK "pri thread 1 ref 0 first 1\nshared thread 1 ref 1 2:1\n", 6, 8, "of the line before"},
    {BLOCK "pri thread 1 ref 0 first 1\nshared thread 1 ref 0 2:1\nshared thread 1 ref 0 2:1\n", 7,
     8, "of the line before"},
    {BLOCK "pri thread 1 ref 0 first 1\nshared thread 1 ref 0 2:2\n", 6, 8, "no more than"},
    {BLOCK "pri thread 1 ref 0 first 1\nshared thread 1 ref 0 3:1\n", 6, 8, "of the team"},
    {BLOCK "pri thread 1 ref 0 first 1\nshared thread 1 ref 0 1:1\n", 6, 23, "keys ascend"},
    {BLOCK "chunks loop 0 time 0 thread 0 5-5\n", 5, 31, "lo below hi"},
    {BLOCK "chunks loop 0 time 0 thread 0 5\n", 5, 32, "'-'"},
    {BLOCK "chunks loop 0 time 0 thread 2 5-6\n", 5, 29, "smaller"},
    {BLOCK "chunks loop 0 thread 0 5-6\n", 5, 15, "'time'"},
    {BLOCK "times loop 0 time 0 thread 0 5-6\n", 5, 30, "the line's end"},
    {BLOCK CHUNKS "times loop 0 time 0 thread 0 5-6 8-9\n", 6, 7, "of the line before"},
    {BLOCK CHUNKS "times loop 0 time 0 thread 1 5-6\n", 6, 33, "a number"},
    {BLOCK CHUNKS "times loop 0 time 0 thread 1 5-6 5-9\n", 6, 34, "do not descend"},
    {BLOCK CHUNKS "times loop 0 time 0 thread 1 5-4 5-9\n", 6, 30, "do not descend"},
    {BLOCK CHUNKS "times loop 0 time 0 thread 1 5-6 6-9\nchunks loop 0 time 0 thread 0 5-6\nend\n",
     8, 4, "times of all chunks"},
    {BLOCK "schedule runtime 1\n", 5, 10, "static, dynamic or guided"},
    {BLOCK "schedule static\n", 5, 16, "a number"},
    {BLOCK "schedule guided 1 2\n", 5, 19, "the line's end"},
    {BLOCK "default-team 0\n", 5, 14, "a team of at least one thread"},
    {BLOCK "default-team 99\n", 5, 14, ""},
    {BLOCK "default-team 1 1\n", 5, 16, "the line's end"},
    {BLOCK "followed one-in 0 accesses 5 error 1\n", 5, 10, "one line in 1 or more"},
    {BLOCK "followed one-in 8 accesses 5 error 6\n", 5, 10, "no more than the accesses"},
    {BLOCK "followed one-in 8 accesses 5\n", 5, 29, "'error'"},
    {BLOCK "followed accesses 5 error 1\n", 5, 10, "'one-in'"},
    {BLOCK "estimated one-in 0 error 1\n", 5, 11, "one line in 1 or more"},
    {BLOCK "estimated one-in 2\n", 5, 19, "'error'"},
    {BLOCK "estimated one-in 2 error 1\nestimated one-in 2 error 1\n", 6, 11,
     "one such line in a block"},
    {BLOCK "followed one-in 8 accesses 5 error 1\nfollowed one-in 8 accesses 5 error 1\n", 6, 10,
     "one such line"},
    {BLOCK "end now\n", 5, 5, "the line's end"},
#define SEQUENCE BLOCK "end\nsequence lost 0\n"
    {SEQUENCE, 6, 16, "'end' of the sequence"},
    {BLOCK "end\nsequence\n", 6, 9, "'lost'"},
    {SEQUENCE "end\nsequence lost 0\nend\n", 8, 10, "one sequence"},
    {SEQUENCE "run 1 at 0 times 1\n", 7, 5, "of a region of this record"},
    {SEQUENCE "run 0 at 1 times 1\n", 7, 10, "a placement of the region"},
    {SEQUENCE "run 0 times 1\n", 7, 7, "'at'"},
    {SEQUENCE "run 0 at 0 times 0\n", 7, 12, "at least one time"},
    {SEQUENCE "run 0 at unknown times 1 2\n", 7, 26, "the line's end"},
    {SEQUENCE "jump\n", 7, 1, "run, repeat or end"},
    {SEQUENCE "repeat 0\nrun 0 at 0 times 1\nend\n", 9, 1, "at least one time"},
    {SEQUENCE "repeat 2\nend\n", 8, 1, "something to repeat"},
    {SEQUENCE "repeat 2 3\nend\n", 7, 10, "the line's end"},
};

START_TEST(what_is_left_out_is_told)
{
    read_text(HEAD "left-out \"kernel\" \"a.c\":7 team 1 runs 12 accesses 34 by profile\n"
                   "left-out \"kernel\" \"a.c\":7 team 4 runs 5 accesses 0 by bind\n");
    ck_assert_uint_eq(record->n_blocks, 0);
    ck_assert_uint_eq(ctx.n_diags, 2);
    ck_assert_int_eq(ctx.diags[0].severity, PLUSSI_WARNING);
    ck_assert_uint_eq(ctx.diags[0].line, 4);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "12 runs of 'kernel' (a.c:7) with 1 thread, "
                                                    "34 accesses, are missing"));
    ck_assert_ptr_nonnull(strstr(ctx.diags[1].text, "5 runs of 'kernel' (a.c:7) with 4 threads are "
                                                    "missing"));
}
END_TEST

START_TEST(every_fault_has_its_place)
{
    const struct fault *f = &faults[_i];
    plussi_record *none = NULL;
    ck_assert_int_eq(plussi_record_parse(&ctx, f->text, strlen(f->text), "r.txt", &none),
                     PLUSS_EFORMAT);
    ck_assert_ptr_null(none);
    ck_assert_uint_eq(ctx.n_diags, 1);
    const plussi_diag *d = &ctx.diags[0];
    ck_assert_str_eq(d->file, "r.txt");
    ck_assert_msg(d->line == f->line && d->col == f->col && strstr(d->text, f->words),
                  "%u:%u: %s; expected %u:%u: %s", d->line, d->col, d->text, f->line, f->col,
                  f->words);
}
END_TEST

START_TEST(repeats_are_not_too_deep)
{
    char text[4096];
    size_t n = (size_t)snprintf(text, sizeof text, SEQUENCE);
    for (int i = 0; i <= PLUSSI_RECORD_NESTED; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "repeat 2\n");
    plussi_record *none = NULL;
    ck_assert_int_eq(plussi_record_parse(&ctx, text, n, NULL, &none), PLUSS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "fewer repeats"));
    ck_assert_uint_eq(ctx.diags[0].line, 7 + PLUSSI_RECORD_NESTED);
}
END_TEST

/* Cut anywhere, a record is refused or read, never more; and NUL bytes are no text. */
START_TEST(pieces_of_records)
{
    const char whole[] = WHOLE;
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        char *cut = malloc(n ? n : 1);
        memcpy(cut, whole, n);
        plussi_record *got = NULL;
        pluss_status status = plussi_record_parse(&ctx, cut, n, NULL, &got);
        ck_assert(status == PLUSS_OK || status == PLUSS_EFORMAT);
        ck_assert((status == PLUSS_OK) == (got != NULL));
        plussi_record_free(got);
        if (n)
            cut[n / 2] = '\0';
        got = NULL;
        status = plussi_record_parse(&ctx, cut, n, NULL, &got);
        ck_assert(status == PLUSS_OK || status == PLUSS_EFORMAT);
        plussi_record_free(got);
        free(cut);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

START_TEST(files)
{
    ck_assert_int_eq(plussi_record_read(&ctx, "/nonexistent/record", &record), PLUSS_EIO);
    ck_assert_int_eq(plussi_record_read(&ctx, "/", &record), PLUSS_EIO);
    char path[] = "/tmp/pluss-test-record-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, WHOLE, strlen(WHOLE)), (int)strlen(WHOLE));
    close(fd);
    ck_assert_int_eq(plussi_record_read(&ctx, path, &record), PLUSS_OK);
    ck_assert_uint_eq(record->n_blocks, 3);
    unlink(path);
}
END_TEST

/* ---- nests -------------------------------------------------------------------------------------
 */

#define KERNELS                                                                                    \
    "pluss-nest 1 symbol n, unused symbol m = 5 symbol nm = n*m array f64 A[n][m] "                \
    "region one \"k.c\":3 array f64 T[8] private array f64 B[n] "                                  \
    "parallel for i in 0..n { for j in 0..m { read A[i][j] write B[i] write T[0] } } "             \
    "region two \"k.c\":9 symbol n array f64 X[n] parallel for i in 0..n { read X[i] } "
#define ONE                                                                                        \
    "region \"one\" \"k.c\":3 team 2 runs 2 lost 0 by bind\nsymbol \"n\" 6\nsymbol \"m\" 7\n"      \
    "symbol \"nm\" 42\narray \"A\" 40960\narray \"T\" 81928\narray \"B\" 49160\nplace 4096 8 "     \
    "12296\nend\n"
#define TWO                                                                                        \
    "region \"two\" \"k.c\":9 team 2 runs 2 lost 0 by bind\nsymbol \"n\" 42\narray \"X\" 40960\n"  \
    "end\n"

static void expect_nest(const char *text)
{
    char *got;
    size_t length;
    ck_assert_int_eq(plussi_nest_print(&ctx, made, &got, &length), PLUSS_OK);
    ck_assert_str_eq(got, text);
    plussi_free(&ctx.mem, got);
    plussi_nest_free(made);
    made = NULL;
}

START_TEST(a_region_with_values_and_addresses)
{
    parse(KERNELS);
    read_text(HEAD ONE TWO);
    const plussi_nest *nests[] = {nest};
    ck_assert_int_eq(plussi_record_nest(&ctx, record, 0, 1, nests, 1, &made), PLUSS_OK);
    expect_nest("pluss-nest 1\nsymbol n = 6\nsymbol m = 7\n"
                "array f64 A[n][m] address(4096)\nregion one \"k.c\":3\n"
                "array f64 T[8] private offset(8)\narray f64 B[n] address(12296)\n"
                "parallel for i in 0..n {\n  for j in 0..m {\n    read A[i][j]\n    write B[i]\n"
                "    write T[0]\n  }\n}\n");
    ck_assert_int_eq(plussi_record_nest(&ctx, record, 0, PLUSSI_RECORD_UNKNOWN, nests, 1, &made),
                     PLUSS_OK);
    expect_nest("pluss-nest 1\nsymbol n = 6\nsymbol m = 7\n"
                "array f64 A[n][m] offset(0)\nregion one \"k.c\":3\n"
                "array f64 T[8] private offset(8)\narray f64 B[n] offset(8)\n"
                "parallel for i in 0..n {\n  for j in 0..m {\n    read A[i][j]\n    write B[i]\n"
                "    write T[0]\n  }\n}\n");
    ck_assert_int_eq(plussi_record_nest(&ctx, record, 0, 2, nests, 1, &made), PLUSS_ENOTFOUND);
    ck_assert_int_eq(plussi_record_nest(&ctx, record, 2, 0, nests, 1, &made), PLUSS_ENOTFOUND);
    ck_assert_int_eq(plussi_record_nest(&ctx, record, 0, 0, nests, 0, &made), PLUSS_ENOTFOUND);
    ck_assert_ptr_nonnull(strstr(ctx.diags[ctx.n_diags - 1].text, "no description of 'one'"));
}
END_TEST

/* A run whose outer loop was empty: what the inner one needs has not been loaded. */
START_TEST(a_run_that_did_not_load_all)
{
    parse(KERNELS);
    read_text(HEAD "region \"one\" \"k.c\":3 team 2 runs 1 lost 0 by bind\nsymbol \"n\" 0\n"
                   "symbol \"m\" -9223372036854775806\narray \"A\" 1\narray \"B\" 0\nend\n"
                   "sequence lost 0\nrun 0 at 0 times 1\nend\n");
    ck_assert(plussi_record_has_value(&record->block[0].symbol[0]));
    ck_assert(!plussi_record_has_value(&record->block[0].symbol[1]));
    const plussi_nest *nests[] = {nest};
    ck_assert_int_eq(plussi_record_nest(&ctx, record, 0, 0, nests, 1, &made), PLUSS_OK);
    expect_nest("pluss-nest 1\nsymbol n = 0\nsymbol m = 1\narray f64 A[n][m]\n"
                "region one \"k.c\":3\narray f64 T[8] private\narray f64 B[n]\n"
                "parallel for i in 0..n {\n  for j in 0..m {\n    read A[i][j]\n    write B[i]\n"
                "    write T[0]\n  }\n}\n");
    ck_assert_int_eq(plussi_record_program(&ctx, record, nests, 1, &made), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 1); /* of the one whose address is not known */
    ck_assert_str_eq(ctx.diags[0].text,
                     "where 'B' of 'one' lay is not known: taken as memory of its own");
    plussi_nest_free(made);
    made = NULL;
}
END_TEST

START_TEST(a_sequence_as_a_program)
{
    parse(KERNELS);
    read_text(HEAD ONE TWO "sequence lost 0\nrun 0 at 0 times 2\nrepeat 3\nrun 1 at 0 times 1\n"
                           "run 0 at 1 times 4\nend\nend\n");
    const plussi_nest *nests[] = {nest};
    ck_assert_int_eq(plussi_record_program(&ctx, record, nests, 1, &made), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 0);
    expect_nest(
        "pluss-nest 1\nsymbol `one.n` = 6\nsymbol `one.m` = 7\nsymbol `two.n` = 42\n"
        "symbol `one#2.n` = 6\nsymbol `one#2.m` = 7\n"
        "array f64 `one.A`[`one.n`][`one.m`] address(40960)\n"
        "array f64 `one.T`[8] private offset(8)\narray f64 `one.B`[`one.n`] address(49160)\n"
        "array f64 `two.X`[`two.n`] address(40960)\n"
        "array f64 `one#2.A`[`one#2.n`][`one#2.m`] address(4096)\n"
        "array f64 `one#2.T`[8] private offset(8)\n"
        "array f64 `one#2.B`[`one#2.n`] address(12296)\n"
        "region one \"k.c\":3 repeat 2\nparallel for i in 0..`one.n` {\n"
        "  for j in 0..`one.m` {\n    read `one.A`[i][j]\n    write `one.B`[i]\n"
        "    write `one.T`[0]\n  }\n}\n\nregion `two+one`\nfor `run 1` in 0..3 {\n"
        "  parallel for i in 0..`two.n` {\n    read `two.X`[i]\n  }\n"
        "  for `run 2` in 0..4 {\n    parallel for i in 0..`one#2.n` {\n"
        "      for j in 0..`one#2.m` {\n        read `one#2.A`[i][j]\n"
        "        write `one#2.B`[i]\n        write `one#2.T`[0]\n      }\n    }\n  }\n}\n");
}
END_TEST

/* The cache is warm where the addresses are the same memory, cold where they are not, or not known.
 */
START_TEST(the_second_region_finds_what_the_first_left)
{
    static const uint32_t two = 2;
    plussi_request request = {.team = &two, .n_teams = 1, .line_bytes = 64, .seed = 1};
    parse(KERNELS);
    const plussi_nest *nests[] = {nest};
    static const struct {
        const char *address;
        uint64_t lines; /* A 42 elements: 6 lines, B 6: 1, T 1 for each thread; and X */
    } known[] = {{"40960", 9}, {"65536", 15}, {"0", 15}};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD ONE "region \"two\" \"k.c\":9 team 2 runs 1 lost 0 by bind\nsymbol \"n\" "
                          "42\narray \"X\" %s\nend\n"
                          "sequence lost 0\nrun 0 at 0 times 1\nrun 1 at 0 times 1\nend\n",
                 known[i].address);
        read_text(text);
        plussi_nest_free(made);
        made = NULL;
        ck_assert_int_eq(plussi_record_program(&ctx, record, nests, 1, &made), PLUSS_OK);
        plussi_result result;
        plussi_result_init(&result, &plussi_mem_libc);
        ck_assert_int_eq(plussi_pipeline_simulate(&ctx, made, &request, &result), PLUSS_OK);
        ck_assert_int_eq(plussi_pipeline_predict(&ctx, made, &request, &result), PLUSS_OK);
        ck_assert_uint_eq(result.curve[0].footprint_lines, known[i].lines);
        ck_assert_uint_eq(result.curve[1].footprint_lines, known[i].lines);
        ck_assert_str_eq(result.curve[1].id.engine, "clock");
        ck_assert_str_eq(result.curve[1].id.region, "one+two");
        plussi_result_free(&result);
    }
    ck_assert_uint_ge(ctx.n_diags, 1);
    bool told = false;
    for (size_t i = 0; i < ctx.n_diags; i++)
        told = told || strstr(ctx.diags[i].text, "where 'X' of 'two' lay is not known");
    ck_assert(told);
}
END_TEST

START_TEST(exchanged_arrays_are_told_of)
{
    parse("pluss-nest 1 region r \"k.c\":4 array f64 A[9], B[9] "
          "parallel for i in 0..9 { read A[i] write B[i] } swap A, B");
    const plussi_nest *nests[] = {nest};
#define SWAPPED                                                                                    \
    HEAD "region \"r\" \"k.c\":4 team 1 runs 1 lost 0 by bind\narray \"A\" 64\n"                   \
         "array \"B\" 640\nend\nsequence lost 0\n"
    read_text(SWAPPED "run 0 at 0 times 1\nend\n");
    ck_assert_int_eq(plussi_record_program(&ctx, record, nests, 1, &made), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 0);
    plussi_nest_free(made);
    made = NULL;
    read_text(SWAPPED "repeat 2\nrun 0 at 0 times 1\nend\nend\n");
    ck_assert_int_eq(plussi_record_program(&ctx, record, nests, 1, &made), PLUSS_OK);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "arrays that 'r' exchanges stay exchanged"));
}
END_TEST

START_TEST(regions_without_a_description)
{
    parse(KERNELS);
    const plussi_nest *nests[] = {nest};
    read_text(HEAD ONE "region \"gone\" \"k.c\":1 team 2 runs 2 lost 0\nend\n"
                       "sequence lost 0\nrepeat 2\nrun 1 at 0 times 1\nend\n"
                       "run 1 at 0 times 1\nrun 0 at 0 times 1\nend\n");
    ck_assert_int_eq(plussi_record_program(&ctx, record, nests, 1, &made), PLUSS_OK);
    ck_assert_uint_eq(made->n_regions, 1);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "no description of 'gone' (k.c:1): left out"));
    plussi_nest_free(made);
    made = NULL;
    ck_assert_int_eq(plussi_record_program(&ctx, record, nests, 0, &made), PLUSS_ENOTFOUND);
}
END_TEST

/* ---- intervals ---------------------------------------------------------------------------------
 */

/* Runs a nest's walk through libpluss-rt, thread by thread, as an instrumented program would. */
static void record_walk(const plussi_bound *bound, int times, const char *path)
{
    enum { MAX_REFS = 8 };
    static pluss_rt_ref shape[MAX_REFS];
    static pluss_rt_region region = {sizeof region, "r", "k.c", 4, 0, 0, 0, shape, NULL, NULL, 0};
    region.n_refs = bound->n_refs;
    ck_assert_uint_le(bound->n_refs, MAX_REFS);
    for (uint32_t i = 0; i < bound->n_refs; i++)
        shape[i] = (pluss_rt_ref){1, 64}; /* a line is told by one byte of it */
    pluss_rt_reset();
    for (int time = 0; time < times; time++) {
        plussi_walk *walk;
        plussi_access a[256];
        ck_assert_int_eq(plussi_walk_new(&ctx, bound, 0, &walk), PLUSS_OK);
        pluss_rt_run *run = pluss_rt_region_begin(&region, NULL, NULL);
        do {
            for (uint32_t k = 0; k < bound->max_team; k++) {
                pluss_rt_thread_begin(run, k, bound->team);
                for (size_t n; (n = plussi_walk_fill(walk, k, a, 256)) > 0;)
                    for (size_t i = 0; i < n; i++)
                        pluss_rt_access(a[i].ref, (void *)(uintptr_t)(a[i].line * 64));
                pluss_rt_thread_end(run);
            }
        } while (plussi_walk_next_phase(walk));
        pluss_rt_region_end(run);
        plussi_walk_free(walk);
    }
    ck_assert_int_eq(pluss_rt_write(path), 0);
}

/* After 1000 accesses some lines stand for all. Many references of two threads, of which one makes
 * more accesses, share some of their lines: what is written is read, and is all of it. */
START_TEST(followed_lines_are_read_back)
{
    enum { REFS = 40, LINES = 30000 };
    static pluss_rt_ref shape[REFS];
    static const pluss_rt_region region = {sizeof region, "r",  "k.c", 4, REFS, 0, 0,
                                           shape,         NULL, NULL,  0};
    for (int r = 0; r < REFS; r++)
        shape[r] = (pluss_rt_ref){8, 8};
    setenv("PLUSS_RECORD_ACCESSES", "1000", 1);
    pluss_rt_reset();
    for (uint64_t time = 0; time < 3; time++) {
        pluss_rt_run *run =
            pluss_rt_enter(&region, NULL, NULL, PLUSS_RT_PROFILE | PLUSS_RT_COUNTED);
        for (uint32_t k = 0; k < 2; k++) {
            pluss_rt_thread_begin(run, k, 2);
            for (uint64_t i = 0; i < (k ? 20 * LINES : 4000); i++)
                pluss_rt_access((uint32_t)(i * i % 31 % 20 + (i < 500 && time == 0 ? 20 : 0)),
                                (void *)(uintptr_t)((1 + i % (LINES >> time)) * 64));
            pluss_rt_thread_end(run);
        }
        pluss_rt_leave(run);
    }
    char *text = NULL;
    size_t length = 0;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    read_text(text);
    ck_assert_uint_eq(record->n_blocks, 1);
    const plussi_record_block *b = &record->block[0];
    ck_assert_uint_gt(b->one_in, 1);
    ck_assert_uint_gt(b->passed, LINES);
    ck_assert_uint_gt(b->passed_error, 0);
    ck_assert_uint_gt(b->carried_one_in, 1);
    ck_assert_uint_gt(b->carried_error, 0);
    ck_assert_uint_lt(b->carried_error, b->touched / 4);
    uint64_t sum = 0;
    for (size_t i = 0; i < b->n_pri; i++) {
        sum += b->pri[i].first;
        for (size_t k = 0; k < b->pri[i].n_intervals; k++)
            sum += b->pri[i].interval[k].count;
    }
    ck_assert_uint_eq(sum, 3 * (20 * LINES + 4000));
    ck_assert_uint_eq(b->thread[0].accesses + b->thread[1].accesses, sum);
    free(text);
}
END_TEST

/* After a run of many lines, and one more, runs of few lines follow all of theirs; and so do such
 * after another one of many. */
START_TEST(small_runs_follow_all_their_lines_again)
{
    enum { LINES = 100000, FEW = 4000 };
    static const pluss_rt_ref shape = {8, 8};
    static const char *const names[] = {"n"};
    static const pluss_rt_region region = {sizeof region, "r",   "k.c", 4, 1, 1, 0,
                                           &shape,        names, NULL,  0};
    setenv("PLUSS_RECORD_ACCESSES", "1000", 1);
    pluss_rt_reset();
    for (int64_t time = 0; time < 4; time++) {
        pluss_rt_run *run =
            pluss_rt_enter(&region, &time, NULL, PLUSS_RT_PROFILE | PLUSS_RT_COUNTED);
        pluss_rt_thread_begin(run, 0, 1);
        for (uint64_t i = 0; i < 3 * LINES; i++)
            pluss_rt_access(0, (void *)(uintptr_t)((1 + i % (time % 2 ? FEW : LINES)) * 64));
        pluss_rt_thread_end(run);
        pluss_rt_leave(run);
    }
    char *text = NULL;
    size_t length = 0;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    read_text(text);
    ck_assert_uint_eq(record->n_blocks, 4);
    for (int time = 0; time < 4; time++) {
        const plussi_record_block *b = &record->block[time];
        if (time % 2 == 0)
            ck_assert_uint_gt(b->one_in, 1);
        else if (time == 3)
            ck_assert_uint_eq(b->one_in, 0);
    }
    unsetenv("PLUSS_RECORD_ACCESSES");
    free(text);
}
END_TEST

static void same_curve(const plussi_curve *a, const plussi_curve *b)
{
    ck_assert_uint_eq(a->mrc.n, b->mrc.n);
    ck_assert_mem_eq(a->mrc.size, b->mrc.size, a->mrc.n * sizeof *a->mrc.size);
    ck_assert_mem_eq(a->mrc.miss, b->mrc.miss, a->mrc.n * sizeof *a->mrc.miss);
    ck_assert_double_eq(a->mrc.accesses, b->mrc.accesses);
    ck_assert_uint_eq(a->footprint_lines, b->footprint_lines);
}

static const char *const programs[] = {
    "pluss-nest 1 symbol n = 24 array f64 A[n][n], B[n][n], C[n][n] region r \"k.c\":4 "
    "parallel for i in 0..n schedule(static, 2) { for j in 0..n { read C[i][j] write C[i][j] "
    "for k in 0..n { read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }",
    "pluss-nest 1 symbol n = 60 array f64 A[n] offset(24) array f64 B[n] offset(8) region r "
    "\"k.c\":4 for t in 0..5 { parallel for i in 1..n-1 { read A[i-1] read A[i+1] write B[i] } "
    "parallel for i in 1..n-1 schedule(static, 3) { read B[i] write A[i] } }",
};

START_TEST(curves_equal_those_of_the_walk_to_the_last_bit)
{
    static const uint32_t teams[] = {1, 4, 64};
    static const char *const models[] = {"cri", "cri-line"};
    char path[] = "/tmp/pluss-test-record-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    parse(programs[_i / 2]);
    int times = _i % 2 ? 4 : 1;
    plussi_request request = {.team = teams, .n_teams = 3, .line_bytes = 64, .collect_team = 4};
    plussi_bind_options options = {.team = 4, .line_bytes = 64};
    plussi_bound *bound;
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
    record_walk(bound, times, path);
    plussi_bound_free(bound);
    ck_assert_int_eq(plussi_record_read(&ctx, path, &record), PLUSS_OK);
    unlink(path);
    ck_assert_uint_eq(record->n_blocks, 1);
    ck_assert_uint_eq(record->block[0].runs, (uint64_t)times);
    for (int m = 0; m < 2; m++) {
        plussi_result walked, recorded;
        plussi_result_init(&walked, &plussi_mem_libc);
        plussi_result_init(&recorded, &plussi_mem_libc);
        request.model = models[m];
        request.block = NULL;
        ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &walked), PLUSS_OK);
        request.block = &record->block[0];
        ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &recorded), PLUSS_OK);
        ck_assert_uint_eq(recorded.n, 3);
        for (int i = 0; i < 3; i++)
            same_curve(&walked.curve[i], &recorded.curve[i]);
        plussi_result_free(&walked);
        plussi_result_free(&recorded);
    }
}
END_TEST

START_TEST(intervals_that_do_not_fit)
{
    static const uint32_t four = 4;
    plussi_request request = {
        .team = &four, .n_teams = 1, .line_bytes = 64, .model = "cri", .collect_team = 3};
    plussi_result result;
    plussi_result_init(&result, &plussi_mem_libc);
    parse(programs[1]);
    read_text(HEAD "region \"r\" \"k.c\":4 team 4 runs 1 lost 0\nthread 0 accesses 9 lost 0\n"
                   "pri thread 0 ref 9 first 3 1:6\nend\n");
    request.block = &record->block[0];
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EINVAL);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "recorded with 4 threads"));
    request.collect_team = 0;
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EINVAL);
    ck_assert_ptr_nonnull(strstr(ctx.diags[1].text, "reference 9 of 'r' is recorded"));
    request.line_bytes = 32;
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EINVAL);
    ck_assert_ptr_nonnull(strstr(ctx.diags[2].text, "lines of 64 bytes"));
    plussi_pri pri;
    plussi_bind_options options = {.team = 4, .line_bytes = 64};
    plussi_bound *bound;
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
    read_text(HEAD TWO);
    ck_assert_int_eq(plussi_record_intervals(&ctx, &record->block[0], bound, &pri),
                     PLUSS_ENOTFOUND);
    plussi_bound_free(bound);
    plussi_result_free(&result);
}
END_TEST

/* What a schedule gives that was not recorded is walked, and that is said. */
START_TEST(intervals_of_another_schedule)
{
    static const struct {
        const char *written, *recorded;
        plussi_schedule_kind asked;
        int64_t chunk;
        bool holds;
    } cases[] = {
        {"schedule(static, 2)", "", PLUSSI_SCHED_NONE, 0, true},
        {"schedule(static, 2)", "", PLUSSI_SCHED_STATIC, 2, true},
        {"schedule(static, 2)", "", PLUSSI_SCHED_STATIC, 1, false},
        {"schedule(static, 2)", "", PLUSSI_SCHED_STATIC, 0, false},
        {"schedule(static, 2)", "", PLUSSI_SCHED_DYNAMIC, 2, false},
        {"", "", PLUSSI_SCHED_STATIC, 0, true},
        {"", "", PLUSSI_SCHED_STATIC, 1, false},
        {"schedule(dynamic)", "", PLUSSI_SCHED_DYNAMIC, 0, true},
        {"schedule(dynamic)", "", PLUSSI_SCHED_DYNAMIC, 1, true},
        {"schedule(runtime)", "", PLUSSI_SCHED_DYNAMIC, 1, false},
        {"schedule(static, 2)", "schedule static 1\n", PLUSSI_SCHED_STATIC, 1, true},
        {"schedule(static, 2)", "schedule static 1\n", PLUSSI_SCHED_STATIC, 2, false},
        {"schedule(static, 2)", "schedule guided 0\n", PLUSSI_SCHED_GUIDED, 1, true},
    };
    static const uint32_t two = 2;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "pluss-nest 1 array f64 x[64] region r \"k.c\":4 "
                 "parallel for i in 0..64 %s { read x[i] }",
                 cases[i].written);
        parse(text);
        snprintf(text, sizeof text,
                 HEAD "region \"r\" \"k.c\":4 team 2 runs 1 lost 0 by sample\n%s"
                      "thread 0 accesses 9 lost 0\npri thread 0 ref 0 first 3 1:6\nend\n",
                 cases[i].recorded);
        read_text(text);
        plussi_request request = {.team = &two,
                                  .n_teams = 1,
                                  .line_bytes = 64,
                                  .model = "cri",
                                  .schedule = cases[i].asked,
                                  .chunk = cases[i].chunk,
                                  .block = &record->block[0]};
        plussi_result result;
        plussi_result_init(&result, &plussi_mem_libc);
        ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
        ck_assert_msg(result.curve[0].footprint_lines == (cases[i].holds ? 3 : 8), "case %zu", i);
        ck_assert_uint_eq(ctx.n_diags, cases[i].holds ? 0 : 1);
        if (!cases[i].holds)
            ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "recorded with another schedule"));
        plussi_result_free(&result);
        plussi_ctx_clear(&ctx);
        plussi_record_free(record);
        record = NULL;
    }
}
END_TEST

/* Subscripts out of memory: nothing can be walked, but what a sampler recorded can be evaluated. */
START_TEST(recorded_intervals_stand_in)
{
    static const uint32_t four = 4;
    plussi_request request = {.team = &four, .n_teams = 1, .line_bytes = 64};
    plussi_result result;
    plussi_result_init(&result, &plussi_mem_libc);
    parse("pluss-nest 1 array f64 x[100] array i32 col[40] region r \"k.c\":4 "
          "parallel for i in 0..40 { read col[i] read x[col[i]] }");
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_EUNSUPPORTED);
    plussi_ctx_clear(&ctx);
    read_text(HEAD "region \"r\" \"k.c\":4 team 2 runs 2 lost 0 by sample\n"
                   "thread 0 accesses 80 lost 0\npri thread 0 ref 0 first 4 2:36\n"
                   "pri thread 0 ref 1 first 4 1:6 2:30\nshared thread 0 ref 1 2:2\n"
                   "thread 1 accesses 80 lost 0\npri thread 1 ref 0 first 4 2:36\n"
                   "pri thread 1 ref 1 first 4 1:6 2:30\nshared thread 1 ref 1 2:2\nend\n");
    request.block = &record->block[0];
    ck_assert_int_eq(plussi_pipeline_predict(&ctx, nest, &request, &result), PLUSS_OK);
    ck_assert_str_eq(result.curve[0].id.engine, "cri-line");
    /* a run: 4 + 2 lines of one thread alone, and 2 touches of a line that both share */
    ck_assert_uint_eq(result.curve[0].footprint_lines, 4 + 2 + 1);
    ck_assert_double_eq(result.curve[0].mrc.accesses, 80);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_ptr_nonnull(strstr(ctx.diags[0].text, "predicted by cri-line instead"));
    plussi_result_free(&result);
}
END_TEST

START_TEST(memory_runs_out)
{
    parse(_i ? "pluss-nest 1 region r \"k.c\":4 parallel for i in 0..2 { unknown reference \"x\" "
               "for j in 0..i { unknown loop \"y\" } }"
             : KERNELS);
    const plussi_nest *nests[] = {nest};
    const char *text =
        _i ? HEAD "region \"r\" \"k.c\":4 team 1 runs 1 lost 0 by profile\n"
                  "iteration loop 0 time 0 number 1 write 0:512 read 1:64 write 1:192 done 1:1\n"
                  "iteration loop 0 time 0 number 0 read 0:128\nend\n"
                  "sequence lost 0\nrun 0 at 0 times 2\nend\n"
           : HEAD ONE TWO "sequence lost 0\nrun 0 at 0 times 2\nrepeat 3\n"
                          "run 1 at 0 times 1\nrun 0 at 1 times 4\nend\nend\n";
    for (long budget = 0;; budget++) {
        failing_mem m;
        plussi_ctx c;
        plussi_record *r = NULL;
        plussi_nest *program = NULL, *alone = NULL;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&c, &m.mem);
        pluss_status status = plussi_record_parse(&c, text, strlen(text), "r.txt", &r);
        if (!status)
            status = plussi_record_program(&c, r, nests, 1, &program);
        if (!status)
            status = plussi_record_nest(&c, r, 0, 0, nests, 1, &alone);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        if (!status)
            ck_assert_int_eq(plussi_has_filled_unknowns(alone), _i);
        plussi_nest_free(program);
        plussi_nest_free(alone);
        plussi_record_free(r);
        plussi_ctx_clear(&c);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

/* ---- unknowns ----------------------------------------------------------------------------------
 *
 * A program with three kinds of unknowns: x once an iteration; y a number of times that is data, in
 * a loop that goes down; z in a branch of a loop whose length depends on both others. */

enum { N_I = 7, N_T = 2, A = 1 << 20, MOST_STEPS = 4096 };
#define UNKNOWNS                                                                                   \
    "pluss-nest 1 symbol n region r \"k.c\":4 array f64 a[n][n] "                                  \
    "for t in 0..2 { parallel for i in 1..n schedule(dynamic) { write a[i][0] "                    \
    "unknown reference \"x\" for j in i-1..-1 step -1 { unknown loop \"y\" "                       \
    "for k in 0..j { if (k > 1) { unknown control \"z\" } } read a[i][j] } } }"

static uint64_t expected[MOST_STEPS];
static size_t n_expected;
static bool recording; /* by libpluss-rt; else expected */

static void step(uint64_t address, int unknown, bool write)
{
    if (!recording) {
        ck_assert_uint_lt(n_expected, MOST_STEPS);
        expected[n_expected++] = address / 64;
    } else if (unknown >= 0) {
        pluss_rt_fill((uint32_t)unknown, write, (void *)(uintptr_t)address, 4);
    }
}

static void ended(uint32_t loop)
{
    if (recording)
        pluss_rt_done(loop);
}

static uint64_t somewhere(int t, int i, int j, int k)
{
    return ((1u << 16) + ((unsigned)(((t * 31 + i) * 31 + j) * 31 + k) * 2654435761u >> 20)) * 8;
}

static void execute_iteration(int t, int i)
{
    step(A + (uint64_t)i * N_I * 8, -1, true);
    step(somewhere(t, i, 0, 99), 0, false);
    for (int j = i - 1; j > -1; j--) {
        for (int c = 0; c < (i + j + t) % 3; c++)
            step(somewhere(t, i, j, c), 1, c % 2);
        for (int k = 0; k < j; k++) {
            if (k > 1)
                step(somewhere(t, i, j, k + 50), 2, true);
            ended(3);
        }
        step(A + (uint64_t)(i * N_I + j) * 8, -1, false);
        ended(2);
    }
}

static void record_unknowns(void)
{
    static const char *const symbol[] = {"n"}, *const array[] = {"a"};
    static const pluss_rt_region region = {sizeof region, "r",    "k.c", 4, 0, 1, 1,
                                           NULL,          symbol, array, 0};
    const int64_t symbols[] = {N_I};
    const void *bases[] = {(void *)(uintptr_t)A};
    pluss_rt_reset();
    pluss_rt_run *run = pluss_rt_enter(&region, symbols, bases,
                                       PLUSS_RT_PROFILE + PLUSS_RT_COUNTED + PLUSS_RT_FILLED);
    recording = true;
    for (int t = 0; t < N_T; t++)
        for (uint32_t k = 0; k < 2; k++) {
            pluss_rt_thread_begin(run, k, 2);
            pluss_rt_loop(1, 0, 1, N_I, 1);
            for (int i = N_I - 1; i >= 1; i--)
                if ((i * 5 + t) % 3 % 2 == (int)k) {
                    pluss_rt_iteration(0, i);
                    execute_iteration(t, i);
                }
            pluss_rt_thread_end(run);
        }
    pluss_rt_leave(run);
    recording = false;
    char *text = NULL;
    size_t length = 0;
    ck_assert_int_eq(pluss_rt_text(&text, &length), 0);
    read_text(text);
    free(text);
}

static void walk_is_expected(const plussi_nest *whole)
{
    plussi_bind_options options = {.team = 1, .line_bytes = 64};
    plussi_bound *bound;
    plussi_walk *walk;
    plussi_access a[256];
    size_t at = 0;
    ck_assert_int_eq(plussi_bind(&ctx, whole, &options, &bound), PLUSS_OK);
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 0, &walk), PLUSS_OK);
    do
        for (size_t n; (n = plussi_walk_fill(walk, 0, a, 256)) > 0;)
            for (size_t i = 0; i < n; i++, at++) {
                ck_assert_uint_lt(at, n_expected);
                ck_assert_uint_eq(a[i].line, expected[at]);
            }
    while (plussi_walk_next_phase(walk));
    ck_assert_uint_eq(at, n_expected);
    plussi_walk_free(walk);
    plussi_bound_free(bound);
}

START_TEST(unknowns_are_what_the_run_did)
{
    parse(UNKNOWNS);
    const plussi_nest *nests[] = {nest};
    n_expected = 0;
    for (int t = 0; t < N_T; t++)
        for (int i = 1; i < N_I; i++)
            execute_iteration(t, i);
    record_unknowns();
    ck_assert_uint_eq(record->n_blocks, 1);
    ck_assert_uint_eq(record->block[0].n_iterations, N_T * (N_I - 1));
    ck_assert_int_eq(plussi_record_nest(&ctx, record, 0, 0, nests, 1, &made), PLUSS_OK);
    ck_assert(plussi_has_filled_unknowns(made));
    walk_is_expected(made);
    for (plussi_node *node = NULL; (node = plussi_nest_walk(&made->first_region->body, node));)
        if (node->kind == PLUSSI_N_LOOP && node->u.loop.workshare)
            ck_assert_uint_eq(node->id, 1); /* recorded chunks are of that number */
    /* as a program, twice; and as text */
    plussi_nest_free(made);
    ck_assert_int_eq(plussi_record_program(&ctx, record, nests, 1, &made), PLUSS_OK);
    walk_is_expected(made);
    char *text;
    size_t length;
    ck_assert_int_eq(plussi_nest_print(&ctx, made, &text, &length), PLUSS_OK);
    parse(text);
    plussi_free(&ctx.mem, text);
    walk_is_expected(nest);
}
END_TEST

/* Where an iteration is missing all unknowns stay. */
START_TEST(unknowns_that_are_not_whole_stay)
{
    parse(UNKNOWNS);
    const plussi_nest *nests[] = {nest};
    record_unknowns();
    ck_assert_uint_eq(record->block[0].n_iterations, N_T * (N_I - 1));
    plussi_fill_iteration *last =
        (plussi_fill_iteration *)&record->block[0].iteration[record->block[0].n_iterations - 1];
    const uint64_t number = last->number;
    last->number = 100;
    ck_assert_int_eq(plussi_record_nest(&ctx, record, 0, 0, nests, 1, &made), PLUSS_OK);
    ck_assert(!plussi_has_filled_unknowns(made));
    plussi_nest_free(made);
    last->number = number;
    uint64_t *times = NULL; /* a loop of billions of iterations: too long a table */
    for (size_t k = 0; k < record->block[0].n_entries && !times; k++)
        if (record->block[0].entry[k].kind == PLUSSI_FILL_DONE)
            times = &record->block[0].entry[k].value;
    ck_assert_ptr_nonnull(times);
    const uint64_t once = *times;
    *times = UINT32_MAX;
    ck_assert_int_eq(plussi_record_nest(&ctx, record, 0, 0, nests, 1, &made), PLUSS_OK);
    ck_assert(!plussi_has_filled_unknowns(made));
    plussi_nest_free(made);
    *times = once;
    record->block[0].entry[last->first].of = 3; /* the region has no such unknown */
    record->block[0].entry[last->first].kind = PLUSSI_FILL_READ;
    ck_assert_int_eq(plussi_record_nest(&ctx, record, 0, 0, nests, 1, &made), PLUSS_OK);
    ck_assert(!plussi_has_filled_unknowns(made));
}
END_TEST

static Suite *record_suite(void)
{
    Suite *suite = suite_create("record");
    TCase *tc = tcase_create("record");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, every_fact);
    tcase_add_test(tc, what_is_left_out_is_told);
    tcase_add_loop_test(tc, every_fault_has_its_place, 0, sizeof faults / sizeof *faults);
    tcase_add_test(tc, repeats_are_not_too_deep);
    tcase_add_test(tc, pieces_of_records);
    tcase_add_test(tc, files);
    tcase_add_test(tc, a_region_with_values_and_addresses);
    tcase_add_test(tc, a_run_that_did_not_load_all);
    tcase_add_test(tc, a_sequence_as_a_program);
    tcase_add_test(tc, the_second_region_finds_what_the_first_left);
    tcase_add_test(tc, exchanged_arrays_are_told_of);
    tcase_add_test(tc, regions_without_a_description);
    tcase_add_test(tc, followed_lines_are_read_back);
    tcase_add_test(tc, small_runs_follow_all_their_lines_again);
    tcase_add_loop_test(tc, curves_equal_those_of_the_walk_to_the_last_bit, 0, 4);
    tcase_add_test(tc, intervals_that_do_not_fit);
    tcase_add_test(tc, intervals_of_another_schedule);
    tcase_add_test(tc, recorded_intervals_stand_in);
    tcase_add_test(tc, unknowns_are_what_the_run_did);
    tcase_add_test(tc, unknowns_that_are_not_whole_stay);
    tcase_add_loop_test(tc, memory_runs_out, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(record_suite())
