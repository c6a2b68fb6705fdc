/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "option_text.h"
#include "pluss.h" /* its list of status codes is the one in use */

#include "failing_mem.h"

/* ---- helpers ----------------------------------------------------------------------------------
 */

static pluss_context *ctx;
static pluss_builder *builder;

static void setup(void)
{
    ck_assert_int_eq(pluss_context_new(NULL, &ctx), PLUSS_OK);
    ck_assert_int_eq(pluss_builder_new(ctx, "here", &builder), PLUSS_OK);
}

static void teardown(void)
{
    pluss_builder_free(builder);
    pluss_context_free(ctx);
}

static int keep(void *user, const char *data, size_t length)
{
    char *room = user;
    ck_assert_uint_lt(strlen(room) + length, 4096);
    strncat(room, data, length);
    return 0;
}

/* The canonical text of what was built, or of a text. */
static void text_of(const pluss_nest *nest, char room[4096])
{
    room[0] = '\0';
    ck_assert_int_eq(pluss_nest_write(ctx, nest, keep, room), PLUSS_OK);
}

static void check_equals(const char *expected)
{
    char built[4096], parsed[4096];
    pluss_nest *nest = NULL;
    pluss_status status = pluss_builder_finish(builder, &nest);
    for (size_t i = 0; status && i < pluss_context_diagnostic_count(ctx); i++) {
        pluss_diagnostic d = {.size = sizeof d};
        ck_assert_int_eq(pluss_context_diagnostic(ctx, i, &d), PLUSS_OK);
        fprintf(stderr, "%s\n", d.text);
    }
    ck_assert_int_eq(status, PLUSS_OK);
    text_of(nest, built);
    pluss_nest_info info = {.size = sizeof info};
    ck_assert_int_eq(pluss_nest_get_info(nest, &info), PLUSS_OK);
    ck_assert_str_eq(info.origin, "here");
    pluss_nest_free(nest);
    ck_assert_int_eq(pluss_nest_parse(ctx, expected, strlen(expected), NULL, &nest), PLUSS_OK);
    text_of(nest, parsed);
    pluss_nest_free(nest);
    ck_assert_str_eq(built, parsed);
}

/* Finishing fails so, and some message, at that line of "src.c" (0: no place), holds the words. */
static void check_fault(pluss_status expected, uint32_t line, const char *words)
{
    pluss_nest *nest = NULL;
    ck_assert_int_eq(pluss_builder_finish(builder, &nest), expected);
    ck_assert_ptr_null(nest);
    bool found = false;
    for (size_t i = 0; i < pluss_context_diagnostic_count(ctx); i++) {
        pluss_diagnostic d = {.size = sizeof d};
        ck_assert_int_eq(pluss_context_diagnostic(ctx, i, &d), PLUSS_OK);
        bool there = line ? d.file && strcmp(d.file, "src.c") == 0 && d.line == line : !d.file;
        found = found || (there && strstr(d.text, words));
        if (!strstr(d.text, words))
            fprintf(stderr, "%s:%u: %s\n", d.file ? d.file : "-", d.line, d.text);
    }
    ck_assert_msg(found, "no message at line %u with '%s'", line, words);
    pluss_context_clear(ctx);
}

static void add_array(const char *element, const char *name, uint32_t rank, const char *e0,
                      const char *e1)
{
    const char *const extents[] = {e0, e1};
    pluss_builder_array(builder, &(pluss_array_spec){.size = sizeof(pluss_array_spec),
                                                     .element = element,
                                                     .name = name,
                                                     .rank = rank,
                                                     .extents = extents});
}

static void add_loop(pluss_loop_kind kind, const char *iv, const char *lo, const char *hi)
{
    pluss_builder_loop(
        builder, &(pluss_loop_spec){
                     .size = sizeof(pluss_loop_spec), .iv = iv, .lo = lo, .hi = hi, .kind = kind});
}

static void add_ref(int write, const char *array, uint32_t n, const char *s0, const char *s1)
{
    const char *const subs[] = {s0, s1};
    pluss_builder_ref(builder, &(pluss_ref_spec){.size = sizeof(pluss_ref_spec),
                                                 .array = array,
                                                 .n_subscripts = n,
                                                 .subscripts = subs,
                                                 .write = write});
}

static void add_gemm(void)
{
    pluss_builder_region(builder, "gemm", NULL);
    pluss_builder_symbol(builder, "n", NULL, NULL);
    add_array("f64", "A", 2, "n", "n");
    add_array("f64", "B", 2, "n", "n");
    add_array("f64", "C", 2, "n", "n");
    add_loop(PLUSS_LOOP_PARALLEL, "i", "0", "n");
    add_loop(PLUSS_LOOP_SEQUENTIAL, "j", "0", "n");
    add_loop(PLUSS_LOOP_SEQUENTIAL, "k", "0", "n");
    add_ref(0, "A", 2, "i", "k");
    add_ref(0, "B", 2, "k", "j");
    add_ref(0, "C", 2, "i", "j");
    add_ref(1, "C", 2, "i", "j");
    pluss_builder_end(builder);
    pluss_builder_end(builder);
    pluss_builder_end(builder);
}

/* ---- what is built ----------------------------------------------------------------------------
 */

START_TEST(gemm)
{
    add_gemm();
    check_equals("pluss-nest 1 region gemm symbol n array f64 A[n][n], B[n][n], C[n][n]"
                 " parallel for i in 0..n { for j in 0..n { for k in 0..n {"
                 " read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }");
}
END_TEST

START_TEST(places_become_locations)
{
    pluss_builder_place(builder, "a.rs", 10, 3);
    pluss_builder_region(builder, "r", "2 + 1");
    add_array("b48", "A", 1, "100", NULL);
    pluss_builder_place(builder, "a.rs", 12, 0);
    add_loop(PLUSS_LOOP_PARALLEL, "i", "0", "100");
    pluss_builder_place(builder, "b\"q.rs", 13, 7);
    add_ref(1, "A", 1, "i", NULL);
    pluss_builder_place(builder, NULL, 0, 0);
    add_ref(0, "A", 1, "i", NULL);
    pluss_builder_end(builder);
    check_equals("pluss-nest 1 region r \"a.rs\":10:3 repeat 2 + 1 array b48 A[100]"
                 " parallel for i in 0..100 @12 { write A[i] @\"b\\\"q.rs\":13:7 read A[i] }");
}
END_TEST

START_TEST(every_declaration)
{
    const char *const extents[] = {NULL, "m"}, *const strides[] = {"ld", "1"};
    const int64_t values[] = {0, 3, -1};
    const char *const three[] = {"3"};
    pluss_builder_symbol(builder, "m", "p->m", "64");
    pluss_builder_symbol(builder, "ld", NULL, "m + 8");
    pluss_builder_array(builder, &(pluss_array_spec){.size = sizeof(pluss_array_spec),
                                                     .element = "f64",
                                                     .name = "A",
                                                     .rank = 2,
                                                     .extents = extents,
                                                     .strides = strides,
                                                     .base_kind = PLUSS_BASE_OFFSET,
                                                     .base = "8",
                                                     .alias = "g"});
    pluss_builder_region(builder, "for", NULL); /* a keyword as a name */
    pluss_builder_array(builder, &(pluss_array_spec){.size = sizeof(pluss_array_spec),
                                                     .element = "i32",
                                                     .name = "col",
                                                     .rank = 1,
                                                     .extents = three,
                                                     .base_kind = PLUSS_BASE_ADDRESS,
                                                     .base = "4096",
                                                     .values = values,
                                                     .n_values = 3});
    pluss_builder_array(builder, &(pluss_array_spec){.size = sizeof(pluss_array_spec),
                                                     .element = "f64",
                                                     .name = "V",
                                                     .rank = 1,
                                                     .extents = three,
                                                     .column = 1,
                                                     .base_kind = PLUSS_BASE_OVER,
                                                     .over = "A",
                                                     .base = "64"});
    pluss_builder_array(builder, &(pluss_array_spec){.size = sizeof(pluss_array_spec),
                                                     .element = "f32",
                                                     .name = "s",
                                                     .is_private = 1});
    add_ref(0, "s", 0, NULL, NULL);
    add_ref(0, "col", 1, "2", NULL);
    check_equals("pluss-nest 1 symbol m is \"p->m\" = 64, ld = m + 8"
                 " array f64 A[][m] stride(ld, 1) offset(8) alias g region `for`"
                 " array i32 col[3] address(4096) values(0, 3, -1)"
                 " array f64 V[3] column over A + 64 array f32 s private read s read col[2]");
}
END_TEST

START_TEST(every_statement)
{
    const char *const groups[] = {"fadd", "fmul"};
    const uint64_t counts[] = {1, 2};
    const char *const i[] = {"i"};
    pluss_builder_region(builder, "r", NULL);
    pluss_builder_symbol(builder, "n", NULL, NULL);
    add_array("f64", "A", 1, "n", NULL);
    add_array("f64", "B", 1, "n", NULL);
    pluss_builder_parallel(builder, "4", "n > 100");
    pluss_builder_loop(builder, &(pluss_loop_spec){.size = sizeof(pluss_loop_spec),
                                                   .iv = "i",
                                                   .lo = "n - 1",
                                                   .hi = "-1",
                                                   .step = -2,
                                                   .kind = PLUSS_LOOP_WORKSHARE,
                                                   .schedule = "nonmonotonic: dynamic",
                                                   .chunk = "n / 8 + 1",
                                                   .nowait = 1,
                                                   .ordered = 1});
    pluss_builder_if(builder, "i % 2 == 0 && i < n");
    pluss_builder_ref(builder, &(pluss_ref_spec){.size = sizeof(pluss_ref_spec),
                                                 .array = "A",
                                                 .n_subscripts = 1,
                                                 .subscripts = i,
                                                 .write = 1,
                                                 .atomic = 1,
                                                 .first_byte = 4,
                                                 .bytes = 4});
    pluss_builder_else(builder);
    pluss_builder_branch(builder, 0.25);
    pluss_builder_ops(builder, groups, counts, 2);
    pluss_builder_end(builder);
    pluss_builder_end(builder);
    pluss_builder_end(builder);
    pluss_builder_barrier(builder);
    pluss_builder_block(builder, PLUSS_BLOCK_MASTER);
    pluss_builder_end(builder);
    pluss_builder_block(builder, PLUSS_BLOCK_SINGLE);
    pluss_builder_end(builder);
    pluss_builder_block(builder, PLUSS_BLOCK_SINGLE_NOWAIT);
    pluss_builder_unknown(builder, "call", NULL, "f is not \"known\"");
    pluss_builder_end(builder);
    pluss_builder_block(builder, PLUSS_BLOCK_CRITICAL);
    pluss_builder_unknown(builder, "reference", "B", "why");
    pluss_builder_end(builder);
    pluss_builder_end(builder);
    pluss_builder_swap(builder, "A", "B");
    pluss_builder_loop(builder, &(pluss_loop_spec){.size = sizeof(pluss_loop_spec),
                                                   .iv = "i",
                                                   .lo = "0",
                                                   .hi = "min(n, 7)",
                                                   .kind = PLUSS_LOOP_PARALLEL,
                                                   .schedule = "rayon",
                                                   .chunk = "2",
                                                   .chunk2 = "5",
                                                   .num_threads = "n",
                                                   .condition = "!(n == 3)"});
    pluss_builder_block(builder, PLUSS_BLOCK_ORDERED);
    pluss_builder_end(builder);
    pluss_builder_end(builder);
    check_equals("pluss-nest 1 region r symbol n array f64 A[n], B[n]"
                 " parallel num_threads(4) if (n > 100) {"
                 " workshare for i in n - 1 .. -1 step -2"
                 " schedule(nonmonotonic: dynamic, n / 8 + 1) nowait ordered {"
                 " if (i % 2 == 0 && i < n) { atomic write A[i] bytes 4..8 }"
                 " else { branch 0.25 { ops(fadd 1, fmul 2) } } }"
                 " barrier master { } single { }"
                 " single nowait { unknown call \"f is not \\\"known\\\"\" }"
                 " critical { unknown reference of B \"why\" } }"
                 " swap A, B parallel for i in 0..min(n, 7) schedule(rayon, 2, 5)"
                 " num_threads(n) if (!(n == 3)) { ordered { } }");
}
END_TEST

START_TEST(a_builder_begins_again)
{
    add_gemm();
    pluss_nest *nest;
    ck_assert_int_eq(pluss_builder_finish(builder, &nest), PLUSS_OK);
    pluss_nest_free(nest);
    pluss_builder_end(builder);
    check_fault(PLUSS_EINVAL, 0, "no block is open");
    pluss_builder_region(builder, "r", NULL);
    check_equals("pluss-nest 1 region r");
}
END_TEST

START_TEST(is_a_feature)
{
    ck_assert_int_eq(pluss_has_feature("build"), 1);
    ck_assert_int_eq(pluss_has_feature("build.more"), 0);
}
END_TEST

/* ---- what is refused --------------------------------------------------------------------------
 */

START_TEST(faults_of_calls)
{
    pluss_builder_place(builder, "src.c", 5, 1);
    add_loop(PLUSS_LOOP_SEQUENTIAL, "i", "0", "1");
    pluss_builder_end(builder);
    check_fault(PLUSS_EINVAL, 5, "before any region");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 6, 0);
    pluss_builder_else(builder);
    check_fault(PLUSS_EINVAL, 6, "else");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_if(builder, "1 == 1");
    pluss_builder_else(builder);
    pluss_builder_place(builder, "src.c", 7, 0);
    pluss_builder_else(builder);
    pluss_builder_end(builder);
    check_fault(PLUSS_EINVAL, 7, "else");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 8, 0);
    add_loop(PLUSS_LOOP_SEQUENTIAL, "i", "0", "1");
    pluss_builder_place(builder, "src.c", 9, 0);
    check_fault(PLUSS_EINVAL, 8, "not ended");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 10, 0);
    pluss_builder_branch(builder, 1.5);
    pluss_builder_end(builder);
    check_fault(PLUSS_EINVAL, 10, "1.5");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 11, 0);
    pluss_builder_array(builder, &(pluss_array_spec){.size = 0});
    check_fault(PLUSS_EINVAL, 11, "array");

    pluss_builder_place(builder, "src.c", 12, 0);
    pluss_builder_region(builder, "", NULL);
    check_fault(PLUSS_EINVAL, 12, "no name");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 13, 0);
    pluss_builder_loop(builder, NULL);
    pluss_builder_end(builder);
    check_fault(PLUSS_EINVAL, 13, "loop");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 14, 0);
    add_loop((pluss_loop_kind)7, "i", "0", "1");
    pluss_builder_end(builder);
    check_fault(PLUSS_EINVAL, 14, "loop");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 15, 0);
    pluss_builder_ref(
        builder, &(pluss_ref_spec){.size = sizeof(pluss_ref_spec), .array = "A", .first_byte = 4});
    check_fault(PLUSS_EINVAL, 15, "first byte");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 16, 0);
    pluss_builder_loop(
        builder,
        &(pluss_loop_spec){
            .size = sizeof(pluss_loop_spec), .iv = "i", .lo = "0", .hi = "1", .num_threads = "2"});
    pluss_builder_end(builder);
    check_fault(PLUSS_EINVAL, 16, "team");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 17, 0);
    pluss_builder_ops(builder, NULL, NULL, 0);
    check_fault(PLUSS_EINVAL, 17, "ops");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 18, 0);
    pluss_builder_symbol(builder, "a`b", NULL, NULL);
    check_fault(PLUSS_EINVAL, 18, "0x60");

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 19, 0);
    pluss_builder_unknown(builder, "call \"x\" barrier", NULL, "");
    check_fault(PLUSS_EINVAL, 19, "no kind");
}
END_TEST

/* Text that would be something else than an expression, were it pasted in. */
START_TEST(expressions_cannot_reach_out)
{
    static const char *const bad[] = {
        "",   " ",        "n { barrier }", "n } barrier", "n step 2", "n # 1", "n\n",        "(n",
        "n)", "[n)",      "n, 1",          "n @4",        "0 .. n",   "\"n\"", "n; barrier", "1.5",
        "n`", "n nowait", "n \001",        "$nonsense",   "08"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pluss_builder_region(builder, "r", NULL);
        pluss_builder_symbol(builder, "n", NULL, NULL);
        pluss_builder_place(builder, "src.c", 30, 0);
        add_loop(PLUSS_LOOP_SEQUENTIAL, "i", "0", bad[i]);
        pluss_builder_end(builder);
        check_fault(PLUSS_EINVAL, 30, "no expression");
    }
}
END_TEST

/* What only the parser and the validator can find comes back at the call's place. */
START_TEST(faults_of_the_nest)
{
    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 40, 0);
    add_loop(PLUSS_LOOP_SEQUENTIAL, "i", "0", "m");
    pluss_builder_place(builder, "src.c", 41, 0);
    add_ref(0, "A", 1, "i", NULL);
    pluss_builder_end(builder);
    pluss_nest *nest = NULL;
    ck_assert_int_eq(pluss_builder_finish(builder, &nest), PLUSS_EPARSE);
    ck_assert_uint_eq(pluss_context_diagnostic_count(ctx), 2); /* both at once */
    pluss_diagnostic d = {.size = sizeof d};
    ck_assert_int_eq(pluss_context_diagnostic(ctx, 0, &d), PLUSS_OK);
    ck_assert_uint_eq(d.line, 40);
    ck_assert_int_eq(pluss_context_diagnostic(ctx, 1, &d), PLUSS_OK);
    ck_assert_uint_eq(d.line, 41);
    ck_assert_str_eq(d.file, "src.c");
    pluss_context_clear(ctx);

    pluss_builder_region(builder, "r", NULL);
    add_array("f64", "A", 2, "10", "10");
    pluss_builder_place(builder, "src.c", 42, 0);
    add_ref(0, "A", 1, "0", NULL);
    check_fault(PLUSS_EINVALID, 42, "A");

    pluss_builder_place(builder, NULL, 0, 0);
    pluss_builder_region(builder, "r", NULL);
    add_ref(0, "A", 1, "0", NULL);
    check_fault(PLUSS_EPARSE, 0, "in: read `A`[0]"); /* no place: the text itself */

    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 43, 0);
    add_array("f65", "A", 0, NULL, NULL);
    check_fault(PLUSS_EPARSE, 43, "element");
}
END_TEST

START_TEST(null_arguments)
{
    pluss_builder *b = NULL;
    pluss_nest *nest = NULL;
    ck_assert_int_eq(pluss_builder_new(NULL, NULL, &b), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_builder_new(ctx, NULL, NULL), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_builder_finish(NULL, &nest), PLUSS_EINVAL);
    ck_assert_int_eq(pluss_builder_finish(builder, NULL), PLUSS_EINVAL);
    pluss_builder_place(NULL, "f", 1, 1);
    pluss_builder_region(NULL, "r", NULL);
    pluss_builder_symbol(NULL, "n", NULL, NULL);
    pluss_builder_array(NULL, NULL);
    pluss_builder_loop(NULL, NULL);
    pluss_builder_parallel(NULL, NULL, NULL);
    pluss_builder_if(NULL, NULL);
    pluss_builder_branch(NULL, 0);
    pluss_builder_block(NULL, PLUSS_BLOCK_MASTER);
    pluss_builder_else(NULL);
    pluss_builder_end(NULL);
    pluss_builder_ref(NULL, NULL);
    pluss_builder_barrier(NULL);
    pluss_builder_swap(NULL, NULL, NULL);
    pluss_builder_ops(NULL, NULL, NULL, 0);
    pluss_builder_unknown(NULL, NULL, NULL, NULL);
    pluss_builder_free(NULL);
    pluss_builder_region(builder, "r", NULL);
    pluss_builder_place(builder, "src.c", 50, 0);
    pluss_builder_swap(builder, NULL, NULL);
    check_fault(PLUSS_EINVAL, 50, "swap");
}
END_TEST

START_TEST(memory_runs_out)
{
    pluss_context *saved_ctx = ctx;
    pluss_builder *saved = builder;
    bool done = false;
    for (long budget = 0; !done; budget++) {
        failing_mem m;
        failing_mem_init(&m, budget);
        pluss_context_options options = {
            .size = sizeof options, .resize = m.mem.resize, .resize_user = m.mem.user};
        ctx = NULL;
        builder = NULL;
        pluss_nest *nest = NULL;
        pluss_status status = pluss_context_new(&options, &ctx);
        if (!status)
            status = pluss_builder_new(ctx, "here", &builder);
        if (!status) {
            pluss_builder_place(builder, "src.c", 1, 2);
            add_gemm();
            status = pluss_builder_finish(builder, &nest);
        }
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        ck_assert(m.failed == (nest == NULL));
        pluss_nest_free(nest);
        pluss_builder_free(builder);
        pluss_context_free(ctx);
        ck_assert_int_eq(m.live, 0);
        done = !m.failed;
    }
    ctx = saved_ctx;
    builder = saved;
}
END_TEST

/* pluss.h, "Threads": what is finished may be read by several threads, each with its context. */
static void *read_shared(void *shared)
{
    const pluss_nest *nest = shared;
    pluss_context *own;
    pluss_nest *copy = NULL;
    pluss_result *result = NULL;
    pluss_pri *pri = NULL;
    pluss_options *options = NULL;
    pluss_ref_info ref = {.size = sizeof ref};
    bool ok = pluss_context_new(NULL, &own) == PLUSS_OK;
    ok = ok && make_options(own, "threads=3 define=n=12", &options) == PLUSS_OK &&
         pluss_nest_join(own, &nest, 1, &copy) == PLUSS_OK &&
         pluss_simulate(own, nest, options, &result) == PLUSS_OK &&
         pluss_pri_collect(own, nest, options, &pri) == PLUSS_OK &&
         pluss_nest_get_ref(nest, 3, &ref) == PLUSS_OK && strcmp(ref.text, "C[i][j]") == 0;
    pluss_pri_free(pri);
    pluss_result_free(result);
    ok = ok && pluss_options_set(own, options, "model", "cri") == PLUSS_OK &&
         pluss_predict(own, nest, options, &result) == PLUSS_OK;
    if (ok)
        pluss_result_free(result);
    pluss_options_free(options);
    pluss_nest_free(copy);
    pluss_context_free(own);
    return ok ? shared : NULL;
}

START_TEST(a_finished_nest_is_shared)
{
    enum { READERS = 4 };
    pthread_t reader[READERS];
    pluss_nest *nest;
    add_gemm();
    ck_assert_int_eq(pluss_builder_finish(builder, &nest), PLUSS_OK);
    for (int i = 0; i < READERS; i++)
        ck_assert_int_eq(pthread_create(&reader[i], NULL, read_shared, nest), 0);
    for (int i = 0; i < READERS; i++) {
        void *same = NULL;
        ck_assert_int_eq(pthread_join(reader[i], &same), 0);
        ck_assert_ptr_eq(same, nest);
    }
    pluss_nest_free(nest);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("build_calls");
    TCase *t = tcase_create("build_calls");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, gemm);
    tcase_add_test(t, places_become_locations);
    tcase_add_test(t, every_declaration);
    tcase_add_test(t, every_statement);
    tcase_add_test(t, a_builder_begins_again);
    tcase_add_test(t, is_a_feature);
    tcase_add_test(t, faults_of_calls);
    tcase_add_test(t, expressions_cannot_reach_out);
    tcase_add_test(t, faults_of_the_nest);
    tcase_add_test(t, null_arguments);
    tcase_add_test(t, memory_runs_out);
    tcase_add_test(t, a_finished_nest_is_shared);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
