/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From traces to nests: nests are walked into trace files, folded, and what comes out is walked at
 * a larger size beside the original.
 */
#include <stdio.h>
#include <unistd.h>

#include "failing_mem.h"
#include "suite.h"
#include "trace/fold.h"
#include "trace/walk.h"

static plussi_ctx ctx;
static char folder[] = "/tmp/pluss-fold-XXXXXX";

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}
static void teardown(void)
{
    plussi_ctx_clear(&ctx);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static const char *path_of(int run)
{
    static char path[8][64];
    snprintf(path[run], sizeof path[run], "%s/%d", folder, run);
    return path[run];
}

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    ck_assert(out && fputs(text, out) >= 0);
    fclose(out);
}

/* ---- nests walked ------------------------------------------------------------------------------
 */

typedef struct touch {
    const char *array;
    uint64_t offset, width;
    bool write;
} touch;

static plussi_nest *parse(const char *text)
{
    plussi_nest *nest = NULL;
    char whole[4096];
    snprintf(whole, sizeof whole, "pluss-nest 1\n%s", text);
    ck_assert_int_eq(plussi_nest_parse(&ctx, whole, strlen(whole), "t", &nest), PLUSS_OK);
    return nest;
}

/* All accesses by one thread with n, m = sizes; *bound is the caller's. */
static touch *walk(const plussi_nest *nest, const int64_t *size, size_t *n_out,
                   plussi_bound **bound)
{
    const plussi_binding binding[] = {{"n", size[0]}, {"m", size[1]}};
    size_t symbols = 0, n = 0, cap = 1 << 12, got;
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
        symbols++;
    ck_assert_int_eq(
        plussi_bind(&ctx, nest,
                    &(plussi_bind_options){
                        .team = 1, .line_bytes = 4096, .binding = binding, .n_bindings = symbols},
                    bound),
        PLUSS_OK);
    plussi_walk *w = NULL;
    ck_assert_int_eq(plussi_walk_new(&ctx, *bound, 1, &w), PLUSS_OK);
    plussi_walk_give_addresses(w);
    touch *list = malloc(cap * sizeof *list);
    do {
        plussi_access access;
        while ((got = plussi_walk_fill(w, 0, &access, 1)) > 0) {
            const plussi_bound_ref *ref = &(*bound)->ref[access.ref]->u.ref;
            for (uint32_t k = 1; k < ref->touches; k++) /* its other lines */
                plussi_walk_fill(w, 0, &(plussi_access){0}, 1);
            if (n == cap)
                list = realloc(list, (cap *= 2) * sizeof *list);
            list[n++] = (touch){ref->array->decl->name, access.line - (uint64_t)ref->array->base,
                                ref->width, ref->write};
        }
    } while (plussi_walk_next_phase(w));
    plussi_walk_free(w);
    *n_out = n;
    return list;
}

static void write_trace(const plussi_nest *nest, const int64_t *size, const char *path)
{
    char objects[80];
    size_t n;
    plussi_bound *bound = NULL;
    touch *list = walk(nest, size, &n, &bound);
    snprintf(objects, sizeof objects, "%s.objects", path);
    FILE *out = fopen(path, "w"), *beside = fopen(objects, "w");
    for (uint32_t i = 0; i < bound->n_arrays; i++)
        fprintf(beside, "%llu %llu %s\n", (unsigned long long)bound->array[i].base,
                (unsigned long long)(bound->array[i].hi_byte), bound->array[i].decl->name);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < bound->n_arrays; k++)
            if (bound->array[k].decl->name == list[i].array)
                fprintf(out, "0 %llu %u %c %u\n",
                        (unsigned long long)((uint64_t)bound->array[k].base + list[i].offset),
                        (unsigned)list[i].width, list[i].write ? 'w' : 'r', 16 * (k + 1));
    fclose(out);
    fclose(beside);
    plussi_bound_free(bound);
    free(list);
}

static const int64_t sizes[][2] = {{12, 17}, {15, 13}, {17, 11}, {14, 20},
                                   {19, 16}, {13, 21}, {24, 27}, {31, 25}};
enum { N_RUNS = sizeof sizes / sizeof *sizes };

static pluss_status fold(plussi_ctx *in, uint32_t symbols, plussi_nest **out)
{
    static const char *const names[] = {"n", "m"};
    const char *path[N_RUNS];
    int64_t value[2 * N_RUNS];
    for (int i = 0; i < N_RUNS; i++) {
        path[i] = path_of(i);
        for (uint32_t k = 0; k < symbols; k++)
            value[(uint32_t)i * symbols + k] = sizes[i][k];
    }
    return plussi_fold(in, &(plussi_fold_request){path, N_RUNS, names, symbols, value}, out);
}

static void check_same(const plussi_nest *a, const plussi_nest *b, const int64_t *size)
{
    plussi_bound *x = NULL, *y = NULL;
    size_t n, m, same = 0;
    touch *s = walk(a, size, &n, &x), *t = walk(b, size, &m, &y);
    while (same < n && same < m && strcmp(s[same].array, t[same].array) == 0 &&
           s[same].offset == t[same].offset && s[same].width == t[same].width &&
           s[same].write == t[same].write)
        same++;
    ck_assert_uint_eq(same, n);
    ck_assert_uint_eq(same, m);
    free(s);
    free(t);
    plussi_bound_free(x);
    plussi_bound_free(y);
}

/* ---- nests that are found ----------------------------------------------------------------------
 */

static const char *const found[] = {
    "symbol n, m\narray f64 A[n][m], B[m][n], C[n][n]\nregion r\n"
    "for i in 0..n { for j in 0..n { write C[i][j] for k in 0..m { read A[i][k] read B[k][j] "
    "read C[i][j] write C[i][j] } } }\n",
    "symbol n\narray f64 A[n][n], x[n]\nregion r\n" /* triangles, both ways */
    "for i in 0..n { read x[i] for j in 0..i { read A[i][j] read x[j] } write x[i] }\n"
    "for i in 0..n { for j in i + 1..n { read A[j][i] } write x[n - 1 - i] }\n",
    "symbol n\narray f64 A[n][n]\nregion r\n" /* cholesky */
    "for i in 0..n { for j in 0..i { for k in 0..j { read A[i][k] read A[j][k] write A[i][j] } "
    "read A[j][j] write A[i][j] } for k in 0..i { read A[i][k] write A[i][i] } write A[i][i] }\n",
    "symbol n, m\narray f64 A[n][n], B[n][n]\nregion r\n" /* time steps */
    "for t in 0..m { for i in 1..n - 1 { for j in 1..n - 1 { read A[i][j] read A[i][j - 1] "
    "read A[i + 1][j] write B[i][j] } } for i in 1..n - 1 { for j in 1..n - 1 { read B[i][j] "
    "write A[i][j] } } }\n",
    "symbol n, m\narray f32 A[n][m][n + m]\nregion r\n" /* products */
    "for i in 0..n { for j in 0..m { for k in 0..n + m - 1 { read A[i][j][k] write A[i][j][k + 1] "
    "} } }\n",
    "symbol n, m\narray i32 a[n], b[2 * m]\nregion r\n" /* steps, backward */
    "for i in n - 1..-1 step -1 { for j in 0..2 * m step 2 { read b[j] } write a[i] }\n",
    "symbol n\narray b48 s[n]\nregion r\n" /* fields */
    "for i in 0..n { read s[i] bytes 8..12 write s[i] bytes 40..48 }\n",
    "symbol n\narray f64 A[n]\nregion r\n" /* halves */
    "for t in 0..5 { for i in 0..n / 2 { read A[i] read A[2 * i + 1] } write A[t] }\n",
    "symbol n, m\narray f64 A[m], B[m]\nregion r\n" /* arrays that change places */
    "for t in 0..n { if (t % 2 == 0) { for i in 1..m - 1 { read A[i] write B[i] } } else { "
    "for i in 1..m - 1 { read B[i] write A[i] } } }\n",
    "symbol n, m\narray f64 A[m][n], B[m]\nregion r\n" /* one loop where n is even */
    "for i in 0..m { for j in 0..n / 2 { read A[i][2 * j] } } read B[0]\n",
    "symbol n, m\narray f64 A[n][m]\nregion r\n" /* tiles */
    "for t in 0..3 { for i in 0..n { for k in 0..(m + 2) / 3 { for j in 3 * k..min(3 * k + 3, m) { "
    "read A[i][j] } write A[i][0] } } }\n",
};

START_TEST(programs)
{
    plussi_nest *nest = parse(found[_i]), *out = NULL;
    const int64_t larger[] = {45, 38};
    for (int i = 0; i < N_RUNS; i++)
        write_trace(nest, sizes[i], path_of(i));
    pluss_status status = fold(&ctx, nest->n_symbols, &out);
    ck_assert_msg(status == PLUSS_OK, "program %d: %s", _i,
                  ctx.n_diags ? ctx.diags[ctx.n_diags - 1].text : "");
    check_same(nest, out, larger);
    plussi_nest_free(nest);
    plussi_nest_free(out);
}
END_TEST

/* One run is the nest of its addresses. */
START_TEST(one_run)
{
    const char *path = path_of(0);
    plussi_nest *out = NULL;
    char *text = NULL;
    size_t length;
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 50; i++)
        for (int k = 0; k < 10; k++)
            fprintf(file, "0 %d 8 r 1\n0 %d 4 w 2\n", 4096 + 8 * i, 8192 + 80 * i + 4 * k);
    fclose(file);
    plussi_fold_request request = {&path, 1, NULL, 0, NULL};
    ck_assert_int_eq(plussi_fold(&ctx, &request, &out), PLUSS_OK);
    ck_assert_int_eq(plussi_nest_print(&ctx, out, &text, &length), PLUSS_OK);
    ck_assert_str_eq(text, "pluss-nest 1\n"
                           "array b8 m0[50] address(4096)\n"
                           "array b4 m1[990] address(8192)\n"
                           "region folded\n"
                           "for i0 in 0..50 {\n"
                           "  for i1 in 0..10 {\n"
                           "    read m0[i0]\n"
                           "    write m1[20 * i0 + i1]\n"
                           "  }\n"
                           "}\n");
    plussi_free(&ctx.mem, text);
    plussi_nest_free(out);
}
END_TEST

/* Marks become regions; the lengths of chunks the schedule. */
START_TEST(regions)
{
    plussi_nest *out = NULL;
    char *text = NULL;
    size_t length;
    for (int run = 0; run < N_RUNS; run++) {
        char name[80];
        int n = (int)sizes[run][0];
        FILE *file = fopen(path_of(run), "w");
        snprintf(name, sizeof name, "%s.objects", path_of(run));
        write_file(name, "# objects\n0x10000 65536 x\n");
        fprintf(file, "0 region 1\n");
        for (int i = 0; i < n; i++)
            fprintf(file, "0 0x%x 8 w 3\n", 0x10000 + 8 * i);
        fprintf(file, "0 barrier\n0 leave\n0 region 2\n");
        for (int i = 0; i < n; i++) {
            if (i % 3 == 0)
                fprintf(file, "0 chunk %d %d\n", i, i + 3 < n ? i + 3 : n);
            fprintf(file, "0 0x%x 8 r 3\n0 0x10000 8 w 3\n", 0x10000 + 8 * i);
        }
        fprintf(file, "0 leave\n");
        fclose(file);
    }
    ck_assert_int_eq(fold(&ctx, 1, &out), PLUSS_OK);
    ck_assert_int_eq(plussi_nest_print(&ctx, out, &text, &length), PLUSS_OK);
    ck_assert_str_eq(text, "pluss-nest 1\n"
                           "symbol n\n"
                           "array b8 x[8192]\n"
                           "region folded\n"
                           "parallel for i0 in 0..n {\n"
                           "  write x[i0]\n"
                           "}\n"
                           "parallel for i0 in 0..n schedule(dynamic, 3) {\n"
                           "  read x[i0]\n"
                           "  write x[0]\n"
                           "}\n");
    plussi_free(&ctx.mem, text);
    plussi_nest_free(out);
}
END_TEST

/* ---- refusals ----------------------------------------------------------------------------------
 */

static void expect(pluss_status status, pluss_status wanted, const char *text)
{
    ck_assert_int_eq(status, wanted);
    ck_assert_uint_ge(ctx.n_diags, 1);
    const plussi_diag *d = &ctx.diags[ctx.n_diags - 1];
    ck_assert_msg(strstr(d->text, text) != NULL, "'%s', expected '%s'", d->text, text);
    plussi_ctx_clear(&ctx);
}

/* A run that the others do not tell. */
START_TEST(another_held_back)
{
    plussi_nest *nest = parse(found[1]), *other, *out = NULL;
    other =
        parse("symbol n\narray f64 A[n][n], x[n]\nregion r\n"
              "for i in 0..n { read x[i] for j in 0..i { read A[i][j] read x[j] } write x[i] }\n"
              "for i in 0..n { for j in i + 1..n { read A[j][i] } write x[n - 1 - i] }\n"
              "if (n > 30) { read x[0] }\n");
    for (int i = 0; i < N_RUNS; i++)
        write_trace(i == N_RUNS - 1 ? other : nest, sizes[i], path_of(i));
    expect(fold(&ctx, 1, &out), PLUSS_EUNSUPPORTED, "is not that of the nest found");
    ck_assert_ptr_null(out);
    plussi_nest_free(nest);
    plussi_nest_free(other);
}
END_TEST

START_TEST(irregular)
{
    const char *path = path_of(0);
    plussi_nest *out = NULL;
    FILE *file = fopen(path, "w");
    uint32_t state = 1;
    for (int i = 0; i < 20000; i++) {
        state = state * 1664525 + 1013904223;
        fprintf(file, "0 %d 8 r 0x10\n0 %u 8 r 0x20\n", 4096 + 8 * i, 1048576 + state / 65536 * 8);
    }
    fclose(file);
    expect(plussi_fold(&ctx, &(plussi_fold_request){&path, 1, NULL, 0, NULL}, &out),
           PLUSS_EUNSUPPORTED,
           "50.0 % of 40000 accesses have irregular addresses, most of them "
           "(100.0 % of its 20000) at site 0x20");
}
END_TEST

START_TEST(bad_input)
{
    const char *path[] = {path_of(0), path_of(1), path_of(2)}, *name = "n";
    const int64_t value[] = {3, 4, -5};
    plussi_nest *out = NULL;
    char objects[80];
    plussi_fold_request one = {path, 1, NULL, 0, NULL}, three = {path, 3, &name, 1, value};
    expect(plussi_fold(&ctx, &three, &out), PLUSS_EINVAL, "negative");
    three.n_traces = 2;
    expect(plussi_fold(&ctx, &three, &out), PLUSS_EINVAL, "2 runs");
    three.n_symbols = 0;
    expect(plussi_fold(&ctx, &three, &out), PLUSS_EINVAL, "need their sizes");
    expect(plussi_fold(&ctx, &one, &out), PLUSS_EIO, "");
    write_file(path[0], "0 100 8 r 1\n0 bad 8 r 1\n");
    expect(plussi_fold(&ctx, &one, &out), PLUSS_EFORMAT, "");
    write_file(path[0], "0 100 8 r 1\n1 100 8 r 1\n");
    expect(plussi_fold(&ctx, &one, &out), PLUSS_EUNSUPPORTED, "more than one thread");
    write_file(path[0], "0 region 1\n0 leave\n");
    expect(plussi_fold(&ctx, &one, &out), PLUSS_EUNSUPPORTED, "no accesses");
    write_file(path[0], "0 region 1\n0 100 8 r 1\n");
    expect(plussi_fold(&ctx, &one, &out), PLUSS_EUNSUPPORTED, "not in order");
    write_file(path[0], "0 leave\n0 100 8 r 1\n");
    expect(plussi_fold(&ctx, &one, &out), PLUSS_EUNSUPPORTED, "not in order");
    write_file(path[0], "0 100 8 r 1\n");
    snprintf(objects, sizeof objects, "%s.objects", path[0]);
    const char *const bad[] = {"0x10",
                               "0x10 8",
                               "0x10 8 ",
                               "0x10 0 x",
                               "-1 8 x",
                               "1 -8 x",
                               "0xffffffffffffffff 8 x",
                               "99999999999999999999 8 x",
                               "0 8 `"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file(objects, bad[i]);
        expect(plussi_fold(&ctx, &one, &out), PLUSS_EFORMAT, "expected ADDRESS BYTES NAME");
    }
    ck_assert_ptr_null(out);
}
END_TEST

START_TEST(without_memory)
{
    plussi_nest *nest = parse(found[0]);
    for (int i = 0; i < N_RUNS; i++)
        write_trace(nest, sizes[i], path_of(i));
    plussi_nest_free(nest);
    for (long budget = 0;; budget += 7 * suite_step()) {
        failing_mem m;
        plussi_ctx scarce;
        plussi_nest *out = NULL;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&scarce, &m.mem);
        pluss_status status = fold(&scarce, 2, &out);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_nest_free(out);
        plussi_ctx_clear(&scarce);
        ck_assert_int_eq(m.live, 0);
        if (!m.failed)
            break;
    }
}
END_TEST

static Suite *fold_suite(void)
{
    Suite *suite = suite_create("fold");
    TCase *nests = tcase_create("nests"), *refusals = tcase_create("refusals");
    tcase_add_checked_fixture(nests, setup, teardown);
    tcase_add_checked_fixture(refusals, setup, teardown);
    tcase_set_timeout(nests, 120);
    tcase_set_timeout(refusals, 120);
    tcase_add_loop_test(nests, programs, 0, sizeof found / sizeof *found);
    tcase_add_test(nests, one_run);
    tcase_add_test(nests, regions);
    tcase_add_test(refusals, another_held_back);
    tcase_add_test(refusals, irregular);
    tcase_add_test(refusals, bad_input);
    tcase_add_test(refusals, without_memory);
    suite_add_tcase(suite, nests);
    suite_add_tcase(suite, refusals);
    return suite;
}

SUITE_MAIN(fold_suite())
