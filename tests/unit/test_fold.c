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
#include "trace/fold_fit.h"
#include "trace/fold_limits.h"
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
    static char path[16][64];
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

/* Of n traces: of all sizes, or of all twice. */
static pluss_status fold(plussi_ctx *in, size_t n, uint32_t symbols, plussi_nest **out)
{
    static const char *const names[] = {"n", "m"};
    const char *path[2 * N_RUNS];
    int64_t value[2 * 2 * N_RUNS];
    for (int i = 0; i < 2 * N_RUNS; i++) {
        path[i] = path_of(i);
        for (uint32_t k = 0; k < symbols; k++)
            value[(uint32_t)i * symbols + k] = sizes[i % N_RUNS][k];
    }
    return plussi_fold(in, &(plussi_fold_request){path, n, names, symbols, value, {0}}, out);
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
    pluss_status status = fold(&ctx, N_RUNS, nest->n_symbols, &out);
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
    plussi_fold_request request = {&path, 1, NULL, 0, NULL, {0}};
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
    ck_assert_int_eq(fold(&ctx, N_RUNS, 1, &out), PLUSS_OK);
    ck_assert_int_eq(plussi_nest_print(&ctx, out, &text, &length), PLUSS_OK);
    ck_assert_str_eq(text, "pluss-nest 1\n"
                           "symbol n >= 12\n"
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

/* ---- teams -------------------------------------------------------------------------------------
 */

/* Writes what a team does in a nest, marked; threads take turns at random. In a parallel region
 * every thread has accesses outside of worksharing loops, by which regions are known here. */
static void write_team_trace(const plussi_nest *nest, const int64_t *size, uint32_t team,
                             const char *path)
{
    const plussi_binding binding[] = {{"n", size[0]}, {"m", size[1]}};
    plussi_bound *bound = NULL;
    plussi_walk *w = NULL;
    char objects[80];
    uint64_t state = 7 + team, instance = 0;
    snprintf(objects, sizeof objects, "%s.objects", path);
    plussi_bind_options options = {
        .team = team, .line_bytes = 4096, .binding = binding, .n_bindings = nest->n_symbols};
    ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
    ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &w), PLUSS_OK);
    plussi_walk_give_addresses(w);
    FILE *out = fopen(path, "w"), *beside = fopen(objects, "w");
    for (uint32_t i = 0; i < bound->n_arrays; i++)
        fprintf(beside, "%llu %llu %s\n", (unsigned long long)bound->array[i].base,
                (unsigned long long)(bound->array[i].hi_byte), bound->array[i].decl->name);
    bool inside = false;
    do {
        uint32_t threads = plussi_walk_team(w), left = threads;
        bool ended[64] = {false}, same = inside && instance == plussi_walk_instance(w);
        for (uint32_t t = 0; t < team && inside; t++)
            fprintf(out, threads > 1 && same ? "%u barrier\n" : "%u leave\n", (unsigned)t);
        for (uint32_t t = team; t-- > 0 && threads > 1 && !same;)
            fprintf(out, "%u region 9\n", (unsigned)t);
        inside = threads > 1;
        instance = plussi_walk_instance(w);
        while (left > 0) {
            plussi_access access;
            state = state * 6364136223846793005u + 1;
            uint32_t t = (uint32_t)(state >> 33) % threads;
            if (ended[t])
                continue;
            ended[t] = plussi_walk_fill(w, t, &access, 1) == 0;
            left -= ended[t];
            if (ended[t])
                continue;
            const plussi_bound_ref *ref = &bound->ref[access.ref]->u.ref;
            fprintf(out, "%u %llu %u %c %u\n", (unsigned)t, (unsigned long long)access.line,
                    (unsigned)ref->width, ref->write ? 'w' : 'r', 16 * (access.ref + 1));
            for (uint32_t k = 1; k < ref->touches; k++)
                plussi_walk_fill(w, t, &access, 1);
        }
    } while (plussi_walk_next_phase(w));
    for (uint32_t t = 0; t < team && inside; t++)
        fprintf(out, "%u leave\n", (unsigned)t);
    fclose(out);
    fclose(beside);
    plussi_walk_free(w);
    plussi_bound_free(bound);
}

static const char *const of_teams[] = {
    "symbol n, m\narray f64 A[n][m], B[m][n], C[n][n]\narray i32 h\nregion r\nwrite h\n"
    "parallel { read h workshare for i in 0..n { for j in 0..n { write C[i][j] for k in 0..m { "
    "read A[i][k] read B[k][j] write C[i][j] } } } write h }\nread h\n",
    "symbol n, m\narray f64 A[n][m]\narray i32 h, g\nregion r\n" /* triangles, no iterations */
    "for k in 0..n { read g parallel { read h workshare for i in k..n { read g for j in 0..i { "
    "write A[i][j] } } } }\n",
    "symbol n, m\narray f64 A[n], B[n]\narray i32 h\nregion r\n" /* steps */
    "parallel { read h for t in 0..m { workshare for i in 1..n - 1 { read A[i - 1] read A[i + 1] "
    "write B[i] } read h workshare for i in 1..n - 1 { read B[i] write A[i] } read h } }\n",
    "symbol n, m\narray f64 A[n][m]\narray i32 h\nregion r\n" /* one stream, in two loops */
    "parallel { read h workshare for i in 0..n { for j in 0..m { read A[i][j] } } }\n",
    "symbol n, m\narray f64 A[n][m]\narray i32 h\nregion r\n" /* two loops distributed as one */
    "parallel { read h workshare for i in 0..m collapse(2) { for j in 0..n { read A[j][i] } } }\n",
    "symbol n, m\narray f64 A[n]\narray i32 h\nregion r\n" /* one thread alone */
    "parallel { read h master { for i in 0..n { read A[i] write A[i] } } }\n",
    "symbol n, m\narray f64 A[n], B[m]\narray i32 h\nregion r\n" /* no barrier between */
    "parallel { read h workshare for i in 0..n nowait { read A[i] } read h workshare for j in 0..m "
    "{ write B[j] } read h }\n",
    "symbol n, m\narray f64 A[n][m]\narray i32 h\nregion r\n" /* an iteration left out */
    "for k in 0..n { parallel { read h workshare for i in 0..n { if (i != k) { for j in 0..m { "
    "read A[k][j] write A[i][j] } } } } }\n",
};

static char *print(const plussi_nest *nest)
{
    char *text = NULL;
    size_t length;
    ck_assert_int_eq(plussi_nest_print(&ctx, nest, &text, &length), PLUSS_OK);
    return text;
}

/* Whether threads of a team have as many accesses of the nest as of the other. */
static void check_shares(const plussi_nest *a, const plussi_nest *b)
{
    const plussi_binding binding[] = {{"n", 45}, {"m", 38}};
    const plussi_nest *nest[] = {a, b};
    size_t count[2][7] = {{0}};
    for (int k = 0; k < 2; k++) {
        plussi_bound *bound = NULL;
        plussi_walk *w = NULL;
        plussi_access buf[64];
        plussi_bind_options options = {
            .team = 7, .line_bytes = 4096, .binding = binding, .n_bindings = nest[k]->n_symbols};
        ck_assert_int_eq(plussi_bind(&ctx, nest[k], &options, &bound), PLUSS_OK);
        ck_assert_int_eq(plussi_walk_new(&ctx, bound, 1, &w), PLUSS_OK);
        do
            for (uint32_t t = 0; t < plussi_walk_team(w); t++)
                for (size_t n; (n = plussi_walk_fill(w, t, buf, 64)) > 0;)
                    count[k][t] += n;
        while (plussi_walk_next_phase(w));
        plussi_walk_free(w);
        plussi_bound_free(bound);
    }
    ck_assert_mem_eq(count[0], count[1], sizeof count[0]);
}

/* Teams of any size give one nest, with the accesses of each thread. */
START_TEST(teams)
{
    static const uint32_t team[] = {2, 3, 16};
    plussi_nest *nest = parse(of_teams[_i]), *out = NULL;
    char *first = NULL;
    for (size_t k = 0; k < sizeof team / sizeof *team; k++) {
        for (int i = 0; i < N_RUNS; i++)
            write_team_trace(nest, sizes[i], team[k], path_of(i));
        pluss_status status = fold(&ctx, N_RUNS, nest->n_symbols, &out);
        ck_assert_msg(status == PLUSS_OK, "program %d, %u threads: %s", _i, (unsigned)team[k],
                      ctx.n_diags ? ctx.diags[ctx.n_diags - 1].text : "");
        check_same(nest, out, (const int64_t[]){45, 38});
        check_shares(nest, out);
        char *text = print(out);
        if (first)
            ck_assert_str_eq(text, first);
        plussi_free(&ctx.mem, first);
        first = text;
        plussi_nest_free(out);
    }
    /* one thread, which does not tell all of that, and three */
    for (int i = 0; i < 2 * N_RUNS; i++)
        write_team_trace(nest, sizes[i % N_RUNS], i < N_RUNS ? 1 : 3, path_of(i));
    ck_assert_int_eq(fold(&ctx, 2 * N_RUNS, nest->n_symbols, &out), PLUSS_OK);
    char *both = print(out);
    ck_assert_str_eq(both, first);
    plussi_free(&ctx.mem, both);
    plussi_nest_free(out);
    plussi_free(&ctx.mem, first);
    plussi_nest_free(nest);
}
END_TEST

static const char *const of_chunks[] = {
    "symbol n, m\narray f64 A[n][m]\narray i32 h\nregion r\n"
    "parallel { read h workshare for i in 0..n schedule(static, 1) { for j in 0..m { read A[i][j] "
    "} } }\n",
    "symbol n, m\narray f64 A[n][m], B[n]\narray i32 h\nregion r\n"
    "parallel { read h workshare for i in 0..n schedule(static, 2) { read B[i] for j in 0..m { "
    "write A[i][j] } } read h }\n",
    "symbol n, m\narray f64 A[n][m], C[n][n]\narray i32 h\nregion r\n"
    "parallel { read h workshare for i in 0..n schedule(static, 3) collapse(2) { for j in 0..n { "
    "write C[i][j] for k in 0..m { read A[i][k] } } } }\n",
};

/* Static schedules with chunks, which nothing marks. */
START_TEST(static_chunks)
{
    plussi_nest *nest = parse(of_chunks[_i]), *out = NULL;
    for (uint32_t team = 2; team <= 5; team++) {
        for (int i = 0; i < N_RUNS; i++)
            write_team_trace(nest, sizes[i], team, path_of(i));
        pluss_status status = fold(&ctx, N_RUNS, nest->n_symbols, &out);
        ck_assert_msg(status == PLUSS_OK, "program %d, %u threads: %s", _i, (unsigned)team,
                      ctx.n_diags ? ctx.diags[ctx.n_diags - 1].text : "");
        check_same(nest, out, (const int64_t[]){45, 38});
        check_shares(nest, out);
        plussi_nest_free(out);
    }
    plussi_nest_free(nest);
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
    expect(fold(&ctx, N_RUNS, 1, &out), PLUSS_EUNSUPPORTED, "is not that of the nest found");
    ck_assert_ptr_null(out);
    plussi_nest_free(nest);
    plussi_nest_free(other);
}
END_TEST

/* Loops that are not distributed as a static schedule does: cyclic, all of it by each thread, by
 * one thread alone. One thread's trace would not tell. */
static const char *const other_shares[] = {
    "symbol n, m\narray f64 A[n]\narray i32 h\nregion r\n" /* chunks of one iteration, of six, ...
                                                            */
    "parallel { read h workshare for i in 0..n schedule(guided, 1) { read A[i] write A[i] } }\n",
    "symbol n, m\narray f64 A[n]\narray i32 h\nregion r\n"
    "parallel { read h for i in 0..n { read A[i] write A[i] } }\n",
};

START_TEST(distributed_otherwise)
{
    plussi_nest *nest = parse(other_shares[_i]), *out = NULL;
    for (int i = 0; i < N_RUNS; i++)
        write_team_trace(nest, sizes[i], 4, path_of(i));
    ck_assert_int_eq(fold(&ctx, N_RUNS, nest->n_symbols, &out), PLUSS_EUNSUPPORTED);
    ck_assert_ptr_null(out);
    plussi_nest_free(nest);
}
END_TEST

START_TEST(marks_in_disorder)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"1 8 8 r 1\n", "outside of regions"},
        {"0 region 1\n1 8 8 r 1\n", "not in the region"},
        {"0 region 1\n1 region 1\n0 leave\n0 8 8 r 1\n", "still in a region"},
        {"0 region 1\n1 region 2\n", "regions inside"},
        {"0 region 1\n1 region 1\n0 region 1\n", "regions inside"},
        {"0 region 1\n1 region 1\n0 barrier\n0 8 8 r 1\n1 8 8 r 1\n", "others have passed"},
        {"0 region 1\n1023 region 1\n1024 8 8 r 1\n", "more than 1024 threads"},
        {"0 region 1\n1 region 1\n0 chunk 1 5000000000\n", "a chunk of more than"},
    };
    const char *path = path_of(0);
    plussi_nest *out = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file(path, bad[i].text);
        expect(plussi_fold(&ctx, &(plussi_fold_request){&path, 1, NULL, 0, NULL, {0}}, &out),
               i >= 6 ? PLUSS_ELIMIT : PLUSS_EUNSUPPORTED, bad[i].why);
    }
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
    expect(plussi_fold(&ctx, &(plussi_fold_request){&path, 1, NULL, 0, NULL, {0}}, &out),
           PLUSS_EUNSUPPORTED,
           "50.0 % of 40000 accesses have irregular addresses, most of them "
           "(100.0 % of its 20000) at site 0x20");
}
END_TEST

/* After a loop that all runs have, each has as many accesses to x, in no loop, as its number says.
 */
START_TEST(shapes_that_differ)
{
    enum { RUNS = 4 };
    static const char *const name[] = {"n"};
    static const int64_t size[RUNS] = {20, 30, 40, 50};
    const char *path[RUNS];
    char objects[80];
    plussi_nest *out = NULL;
    for (int run = 0; run < RUNS; run++) {
        path[run] = path_of(run);
        FILE *file = fopen(path[run], "w");
        for (int64_t i = 0; i < 10 * size[run]; i++)
            fprintf(file, "0 %d 8 r 0x10\n", 4096 + 8 * (int)i);
        for (int i = 0; i < run; i++)
            fprintf(file, "0 %d 4 w 0x2%d\n", 65536 + 64 * i * i, i);
        fprintf(file, "0 65536 8 r 0x30\n");
        fclose(file);
        snprintf(objects, sizeof objects, "%s.objects", path[run]);
        write_file(objects, "65536 4096 x\n");
    }
    expect(plussi_fold(&ctx, &(plussi_fold_request){path, RUNS, name, 1, size, {0}}, &out),
           PLUSS_EUNSUPPORTED,
           "no 3 of 3 runs are alike; where they first differ the run of n=30 has a read of 8 "
           "bytes at site 0x30 in x, that of n=40 a write of 4 bytes at site 0x21 in x");
}
END_TEST

/* One address differs, in one run, by what many sums and differences of sizes divide: each of their
 * products would be tried with all sums of two. */
START_TEST(costly)
{
    enum { RUNS = PLUSSI_FOLD_RUNS + 1, SIZES = PLUSSI_FOLD_SIZES };
    static const char *const name[SIZES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    char path[RUNS][64], text[80];
    const char *trace[RUNS];
    int64_t value[RUNS * SIZES];
    plussi_nest *out = NULL;
    for (int i = 0; i < RUNS; i++) {
        snprintf(path[i], sizeof path[i], "%s/c%d", folder, i);
        snprintf(text, sizeof text, "0 4096 8 r 1\n0 %d 8 r 1\n", 4096 + (i == 3) * 5765760);
        write_file(path[i], text);
        trace[i] = path[i];
    }
    for (int i = 0; i < RUNS * SIZES; i++)
        value[i] = 9 + i * i % 31;
    expect(plussi_fold(&ctx, &(plussi_fold_request){trace, RUNS, name, SIZES, value, {0}}, &out),
           PLUSS_EUNSUPPORTED, "take more than 33554432 sums");
}
END_TEST

/* A thousand loops of sixteen accesses, each with other addresses, which is no nest. */
START_TEST(many_nodes)
{
    const char *path = path_of(0);
    plussi_nest *out = NULL;
    FILE *file = fopen(path, "w");
    uint32_t state = 1;
    for (int i = 0; i < 1000; i++) {
        state = state * 1664525 + 1013904223;
        for (int k = 0; k < 160; k++)
            fprintf(file, "0 %u 8 r %d\n", 4096 + state / 65536 * 64 + 8 * ((uint32_t)k / 16),
                    k % 16);
    }
    fclose(file);
    expect(plussi_fold(&ctx, &(plussi_fold_request){&path, 1, NULL, 0, NULL, {0}}, &out),
           PLUSS_EUNSUPPORTED, "does not fold into loops");
}
END_TEST

START_TEST(bad_input)
{
    const char *path[] = {path_of(0), path_of(1), path_of(2)}, *name = "n";
    const int64_t value[] = {3, 4, -5};
    plussi_nest *out = NULL;
    char objects[80];
    plussi_fold_request one = {path, 1, NULL, 0, NULL, {0}},
                        three = {path, 3, &name, 1, value, {0}};
    expect(plussi_fold(&ctx, &three, &out), PLUSS_EINVAL, "negative");
    three.n_traces = 2;
    expect(plussi_fold(&ctx, &three, &out), PLUSS_EINVAL, "2 runs");
    three.n_symbols = 0;
    expect(plussi_fold(&ctx, &three, &out), PLUSS_EINVAL, "need their sizes");
    expect(plussi_fold(&ctx, &one, &out), PLUSS_EIO, "");
    write_file(path[0], "0 100 8 r 1\n0 bad 8 r 1\n");
    expect(plussi_fold(&ctx, &one, &out), PLUSS_EFORMAT, "");
    write_file(path[0], "0 100 8 r 1\n1 100 8 r 1\n");
    expect(plussi_fold(&ctx, &one, &out), PLUSS_EUNSUPPORTED, "outside of regions");
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

/* ---- sizes that a nest holds for */

/* Whole tiles: 64 or 80 in all runs, which 80 - 16 * (m % 2) is, too. */
START_TEST(limit_of_tiles)
{
    enum { RUNS = 8, TILE = 16 };
    static const char *const symbol[] = {"n", "m"};
    static const int64_t value[2 * RUNS] = {50, 79, 75, 50, 53, 53, 49, 55,
                                            52, 61, 67, 58, 56, 57, 52, 73};
    const char *path[RUNS];
    for (int run = 0; run < RUNS; run++) {
        char line[200], objects[80];
        const long long tiles = (value[2 * run] + TILE - 1) / TILE * TILE;
        snprintf(line, sizeof line,
                 "watch 0x97aa 0 product 0 0 -2147483648 2147483647 16 %lld 16 %lld f\n", tiles,
                 tiles);
        path[run] = path_of(run);
        snprintf(objects, sizeof objects, "%s.objects", path[run]);
        write_file(objects, line);
    }
    plussi_nest *nest =
        parse("symbol n\nsymbol m\narray b8 a[]\nregion r\nfor i in 0..n {\n  read a[i]\n}\n");
    char *text = NULL;
    size_t length = 0;
    const plussi_fold_request request = {path, RUNS, symbol, 2, value, {0}};
    ck_assert_int_eq(plussi_fold_limit(&ctx, &request, TILE, nest), PLUSS_OK);
    ck_assert_int_eq(plussi_nest_print(&ctx, nest, &text, &length), PLUSS_OK);
    ck_assert_ptr_nonnull(strstr(text, ">= 0 = 2147483647 - 16 * ((n + 15) / 16)\n"));
    plussi_free(&ctx.mem, text);
    plussi_nest_free(nest);
}
END_TEST

START_TEST(without_memory)
{
    plussi_nest *nest = parse(_i ? of_teams[2] : found[0]);
    for (int i = 0; i < N_RUNS && _i; i++)
        write_team_trace(nest, sizes[i], 3, path_of(i));
    for (int i = 0; i < N_RUNS && !_i; i++)
        write_trace(nest, sizes[i], path_of(i));
    plussi_nest_free(nest);
    for (long budget = 0;; budget += 7 * suite_step()) {
        failing_mem m;
        plussi_ctx scarce;
        plussi_nest *out = NULL;
        failing_mem_init(&m, budget);
        plussi_ctx_init(&scarce, &m.mem);
        pluss_status status = fold(&scarce, N_RUNS, 2, &out);
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
    tcase_add_loop_test(nests, teams, 0, sizeof of_teams / sizeof *of_teams);
    tcase_add_loop_test(nests, static_chunks, 0, sizeof of_chunks / sizeof *of_chunks);
    tcase_add_test(refusals, another_held_back);
    tcase_add_loop_test(refusals, distributed_otherwise, 0,
                        sizeof other_shares / sizeof *other_shares);
    tcase_add_test(refusals, marks_in_disorder);
    tcase_add_test(refusals, irregular);
    tcase_add_test(refusals, shapes_that_differ);
    tcase_add_test(refusals, costly);
    tcase_add_test(refusals, many_nodes);
    tcase_add_test(refusals, bad_input);
    tcase_add_test(nests, limit_of_tiles);
    tcase_add_loop_test(refusals, without_memory, 0, 2);
    suite_add_tcase(suite, nests);
    suite_add_tcase(suite, refusals);
    return suite;
}

SUITE_MAIN(fold_suite())
