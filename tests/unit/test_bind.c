/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle/naive_inner.h"
#include "../oracle/nest_gen.h"
#include "failing_mem.h"
#include "nest/bound.h"
#include "suite.h"

#define HEAD "pluss-nest 1\n"

typedef struct fixture {
    plussi_ctx ctx;
    plussi_nest *nest;
    plussi_bound *bound;
    plussi_bind_options options;
    pluss_status status;
} fixture;

/* Parses and binds; values: "n=3 m=4" or NULL. */
static void open_with(fixture *f, const char *text, const plussi_bind_options *options,
                      const char *values)
{
    static char names[16][64];
    static plussi_binding binding[16];
    *f = (fixture){.options = *options};
    plussi_ctx_init(&f->ctx, NULL);
    if (plussi_nest_parse(&f->ctx, text, strlen(text), "t", &f->nest))
        ck_abort_msg("%s\n%s", f->ctx.diags[0].text, text);
    size_t n = 0;
    for (const char *at = values; at && *at; n++) {
        int used;
        long long value;
        ck_assert_int_eq(sscanf(at, " %63[^=]=%lld%n", names[n], &value, &used), 2);
        binding[n] = (plussi_binding){names[n], value};
        at += used;
    }
    f->options.binding = binding;
    f->options.n_bindings = n;
    f->status = plussi_bind(&f->ctx, f->nest, &f->options, &f->bound);
}

static void open_nest(fixture *f, const char *text, const char *values)
{
    plussi_bind_options options = {.team = 4, .line_bytes = 64};
    open_with(f, text, &options, values);
}

static void close_nest(fixture *f)
{
    if (f->status == PLUSS_OK)
        plussi_bound_free(f->bound);
    plussi_nest_free(f->nest);
    plussi_ctx_clear(&f->ctx);
}

static void bound_ok(fixture *f, const char *text, const char *values)
{
    open_nest(f, text, values);
    if (f->status)
        ck_abort_msg("%s\n%s", f->ctx.n_diags ? f->ctx.diags[0].text : "", text);
}

/* Refused with this status, at this line and column of the text, in words that hold `words`. */
static void refused(const char *text, const char *values, pluss_status status, uint32_t line,
                    uint32_t col, const char *words)
{
    fixture f;
    open_nest(&f, text, values);
    ck_assert_msg(f.status == status, "status %d: %s", f.status, text);
    ck_assert_uint_ge(f.ctx.n_diags, 1);
    const plussi_diag *d = &f.ctx.diags[f.ctx.n_diags - 1];
    ck_assert_msg(d->status == status && strstr(d->text, words), "%s: %s", text, d->text);
    ck_assert_msg(d->line == line && d->col == col, "%u:%u: %s\n%s", d->line, d->col, d->text,
                  text);
    ck_assert_ptr_null(f.bound);
    close_nest(&f);
}

static const plussi_bref *ref_of(const fixture *f, uint32_t id)
{
    return &f->bound->ref[id]->u.ref;
}

/* ---- symbols -----------------------------------------------------------------------------------
 */

START_TEST(symbols_have_values)
{
    fixture f;
    bound_ok(&f,
             HEAD "symbol n, m = n*2, k = m + n / 3, unused array f64 A[k]\n"
                  "region a symbol n = m - 1, q region b symbol q for i in 0..q { read A[0] }",
             "n=7 b.q=5");
    static const int64_t expected[] = {7, 14, 16, 0, 7, 0, 5};
    for (int i = 0; i < 7; i++)
        ck_assert_int_eq(f.bound->symbol[i], expected[i]);
    close_nest(&f);
    /* a's own n is not used, so its derived value would not be asked for: a name reaches all */
    bound_ok(&f,
             HEAD "symbol n = 1 array f64 A[n] region a symbol n = 2 for i in 0..n { read A[0] }\n"
                  "region b symbol n = 3 for i in 0..n { read A[0] }",
             "n=5 b.n=9");
    ck_assert_int_eq(f.bound->symbol[0], 5);
    ck_assert_int_eq(f.bound->symbol[1], 5);
    ck_assert_int_eq(f.bound->symbol[2], 9);
    close_nest(&f);
}
END_TEST

START_TEST(symbols_missing)
{
    const char *text = HEAD "symbol n, m, k, d = k + 1, e\narray f64 A[n] region r symbol m\n"
                            "for i in 0..m { read A[d] }";
    fixture f;
    open_nest(&f, text, NULL);
    ck_assert_int_eq(f.status, PLUSS_EUNBOUND);
    ck_assert_uint_eq(f.ctx.n_diags, 1);
    ck_assert_str_eq(f.ctx.diags[0].text, "no value is given for n, k, m");
    ck_assert_uint_eq(f.ctx.diags[0].line, 2);
    close_nest(&f);
    open_nest(&f, text, "n=3 m=2 d=1");
    ck_assert_int_eq(f.status, PLUSS_OK);
    close_nest(&f);
    refused(text, "n=3 m=2 k=1 z=1", PLUSS_ENOTFOUND, 0, 0, "'z'");
    refused(text, "n=3 m=2 k=1 r.n=1", PLUSS_ENOTFOUND, 0, 0, "'r.n'");
    refused(text, "n=3 m=2 k=1 n=3", PLUSS_EINVALID, 0, 0, "'n'");
}
END_TEST

START_TEST(symbols_overflow)
{
    refused(HEAD "symbol n = 4611686018427387904\nsymbol m = 1 + n * 2\n"
                 "array f64 A[m] region r read A[0]",
            NULL, PLUSS_ERANGE, 3, 14, "overflow");
    refused(HEAD "symbol n = 0\nsymbol m = 5 / n\narray f64 A[m] region r read A[0]", NULL,
            PLUSS_ERANGE, 3, 16, "divisor");
}
END_TEST

START_TEST(options_are_checked)
{
    static const plussi_bind_options bad[] = {
        {.team = 0, .line_bytes = 64},
        {.team = PLUSSI_MAX_TEAM + 1, .line_bytes = 64},
        {.team = 1, .line_bytes = 0},
        {.team = 1, .line_bytes = 48},
        {.team = 1, .line_bytes = 8192},
        {.team = 1, .line_bytes = 64, .schedule = PLUSSI_SCHED_RUNTIME},
        {.team = 1, .line_bytes = 64, .force_schedule = true},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fixture f;
        open_with(&f, HEAD "region r", &bad[i], NULL);
        ck_assert_int_eq(f.status, PLUSS_EINVAL);
        ck_assert_uint_eq(f.ctx.n_diags, 1);
        close_nest(&f);
    }
    plussi_bound_free(NULL);
}
END_TEST

/* ---- algebra -----------------------------------------------------------------------------------
 */

/* As "c + a*1 + b*2" by slot; trees by their kind. */
static void describe(const plussi_bx *x, char *out, size_t room)
{
    if (x->kind != PLUSSI_BX_AFFINE) {
        snprintf(out, room, "tree");
        return;
    }
    int n = snprintf(out, room, "%lld", (long long)x->c);
    for (uint32_t i = 0; i < x->n; i++)
        n += snprintf(out + n, room - (size_t)n, "%+lld*%u", (long long)x->coef[i], x->slot[i]);
}

/* Within i in 0..8, j in 0..i, k in 2..6 step 2 (values 2 and 4), n = 16, team of 4. */
START_TEST(affine_whenever_possible)
{
    static const char *const cases[][2] = {
        {"3*(i + 2*j) - -k + 1", "1+3*1+6*2+1*3"},
        {"n*i - i*n + 5", "5"},
        {"(n - 14)*j + n / 3", "5+2*2"},
        {"(8*i + 4*k + 12) / 4", "3+2*1+1*3"},
        {"(8*i + j + 16) / 8", "2+1*1"}, /* j / 8 is 0 */
        {"(8*i + j + 17) % 8", "1+1*2"}, /* j + 1 < 8 */
        {"(16*i + n) % 4", "0"},
        {"i % 8", "0+1*1"},
        {"(i + 8) % 8", "0+1*1"},
        {"i % 7", "tree"},
        {"(i + 64*j) / 3", "tree"},
        {"i / 9 + j", "0+1*2"},
        {"min(i, n)", "0+1*1"},
        {"max(min(j, i), 0)", "0+1*2"},
        {"min(3, n)", "3"},
        {"min(i, 4)", "tree"},
        {"max(k, 2)", "0+1*3"},
        {"(n > 3) ? i : j", "0+1*1"},
        {"(i >= 0 && k < 5) ? i : j", "0+1*1"},
        {"(i > 9 || !(j != j)) ? i : j", "0+1*1"},
        {"(i < 3) ? i : j", "tree"},
        {"$team*i + $thread", "0+1*0+4*1"},
        {"(i + $thread) / 100", "0"},
        {"($team > 3) ? 1 : 0", "1"},
        {"-(i - j) + (i % 5) - (i % 5)", "tree"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[400], found[100];
        snprintf(text, sizeof text,
                 HEAD "symbol n = 16 array b1 A[] region r parallel for i in 0..8 {\n"
                      "for j in 0..i { for k in 2..6 step 2 { read A[%s] } } }",
                 cases[c][0]);
        fixture f;
        bound_ok(&f, text, NULL);
        describe(ref_of(&f, 0)->sub[0], found, sizeof found);
        ck_assert_msg(strcmp(found, cases[c][1]) == 0, "%s: %s, not %s", cases[c][0], found,
                      cases[c][1]);
        describe(ref_of(&f, 0)->offset, found, sizeof found);
        ck_assert_str_eq(found, cases[c][1]);
        close_nest(&f);
    }
}
END_TEST

/* Random expressions over i in -3..4 and j in 0..5. */
static plussi_expr *random_expr(plussi_nest *nest, plussi_rng *rng, plussi_node **loop, int depth);

static plussi_expr *random_condition(plussi_nest *nest, plussi_rng *rng, plussi_node **loop,
                                     int depth)
{
    plussi_expr_kind kind = (plussi_expr_kind)(PLUSSI_E_LT + plussi_rng_below(rng, 9));
    bool logic = kind >= PLUSSI_E_AND;
    plussi_expr *a = logic && depth > 0 ? random_condition(nest, rng, loop, depth - 1)
                                        : random_expr(nest, rng, loop, depth - 1);
    plussi_expr *b = logic && depth > 0 ? random_condition(nest, rng, loop, depth - 1)
                                        : random_expr(nest, rng, loop, depth - 1);
    if (logic && depth <= 0)
        kind = PLUSSI_E_EQ;
    return plussi_expr_op(nest, kind, a, kind == PLUSSI_E_NOT ? NULL : b, NULL);
}

static plussi_expr *random_expr(plussi_nest *nest, plussi_rng *rng, plussi_node **loop, int depth)
{
    if (depth <= 0 || plussi_rng_below(rng, 5) == 0) {
        uint64_t leaf = plussi_rng_below(rng, 5);
        if (leaf < 3)
            return plussi_expr_iv(nest, loop[leaf % 2]);
        return plussi_expr_int(nest, (int64_t)plussi_rng_below(rng, 20) - 9);
    }
    static const plussi_expr_kind kinds[] = {
        PLUSSI_E_NEG, PLUSSI_E_ADD, PLUSSI_E_SUB, PLUSSI_E_MUL,    PLUSSI_E_DIV,
        PLUSSI_E_MOD, PLUSSI_E_MIN, PLUSSI_E_MAX, PLUSSI_E_SELECT, PLUSSI_E_ADD};
    plussi_expr_kind kind = kinds[plussi_rng_below(rng, 10)];
    plussi_expr *a = random_expr(nest, rng, loop, depth - 1), *b = NULL, *c = NULL;
    if (kind == PLUSSI_E_DIV || kind == PLUSSI_E_MOD) {
        b = plussi_expr_int(nest, 1 + (int64_t)plussi_rng_below(rng, 9));
    } else if (kind == PLUSSI_E_SELECT) {
        b = a;
        a = random_condition(nest, rng, loop, depth - 1);
        c = random_expr(nest, rng, loop, depth - 1);
    } else if (kind != PLUSSI_E_NEG) {
        b = random_expr(nest, rng, loop, depth - 1);
    }
    return plussi_expr_op(nest, kind, a, b, c);
}

static bool holds(plussi_interval v, int64_t x)
{
    return v.lo <= x && x <= v.hi;
}

/* The compiled expression at every point of the box against the oracle's reading of the tree. */
static void check_points(const plussi_nest *nest, const plussi_bound *bound,
                         const plussi_expr *expr, plussi_node **loop)
{
    const plussi_bref *ref = &bound->ref[0]->u.ref;
    const plussi_barray *array = ref->array;
    int64_t symbol[1] = {0}, iv[2];
    naive_state s = {.nest = nest, .symbol = symbol, .iv = iv};
    plussi_interval box[PLUSSI_MAX_SLOTS] = {{0, 0}, {-3, 3}, {0, 4}};
    plussi_interval range = plussi_bx_range(ref->sub[0], box);
    uint32_t slots = plussi_bx_slots(ref->sub[0]);
    for (int64_t i = -3; i < 4; i++) {
        for (int64_t j = 0; j < 5; j++) {
            int64_t at[3] = {0, slots & 2 ? i : 99999, slots & 4 ? j : 99999};
            bool fault = false;
            iv[loop[0]->id] = i;
            iv[loop[1]->id] = j;
            int64_t expected = naive_eval(&s, expr);
            ck_assert_int_eq(plussi_bx_eval(ref->sub[0], at, &fault), expected);
            ck_assert_int_eq(plussi_bx_eval(ref->offset, at, &fault), 8 * expected);
            ck_assert(!fault && holds(range, expected));
            ck_assert(array->lo_byte <= 8 * expected && 8 * expected + 8 <= array->hi_byte);
        }
    }
}

START_TEST(compiled_is_what_is_written)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 11, 0);
    int affine = 0;
    enum { ROUNDS = 2000 };
    for (int round = 0; round < ROUNDS; round++) {
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, NULL);
        plussi_nest *nest;
        ck_assert_int_eq(plussi_nest_new(&ctx, &nest), PLUSS_OK);
        plussi_loc none = {0};
        plussi_array *array = plussi_nest_add_array(nest, NULL, "A", PLUSSI_ELEM_F64, 8, 1);
        plussi_region *region = plussi_nest_add_region(nest, "r", none);
        plussi_node *loop[2], *parent = NULL;
        for (int d = 0; d < 2; d++) {
            loop[d] = plussi_nest_add_node(nest, parent ? &parent->body : &region->body, parent,
                                           PLUSSI_N_LOOP, none);
            loop[d]->u.loop.iv = d ? "j" : "i";
            loop[d]->u.loop.lo = plussi_expr_int(nest, d ? 0 : -3);
            loop[d]->u.loop.hi = plussi_expr_int(nest, d ? 5 : 4);
            parent = loop[d];
        }
        plussi_node *ref = plussi_nest_add_node(nest, &parent->body, parent, PLUSSI_N_REF, none);
        ref->u.ref.array = array;
        ref->u.ref.n_subs = 1;
        ref->u.ref.subs = plussi_expr_vec(nest, 1);
        ref->u.ref.subs[0] = random_expr(nest, &rng, loop, 5);
        plussi_nest_number(nest);
        plussi_bound *bound;
        plussi_bind_options options = {.team = 1, .line_bytes = 64};
        ck_assert_int_eq(plussi_bind(&ctx, nest, &options, &bound), PLUSS_OK);
        affine += bound->ref[0]->u.ref.sub[0]->kind == PLUSSI_BX_AFFINE;
        check_points(nest, bound, ref->u.ref.subs[0], loop);
        plussi_bound_free(bound);
        plussi_nest_free(nest);
        plussi_ctx_clear(&ctx);
    }
    ck_assert_int_gt(affine, ROUNDS / 4);
    ck_assert_int_lt(affine, ROUNDS * 9 / 10);
}
END_TEST

/* ---- ranges ------------------------------------------------------------------------------------
 */

typedef struct range_case {
    const char *body; /* references to b1 A[], n = 10 */
    int64_t lo, hi;   /* bytes [lo, hi) */
} range_case;

START_TEST(ranges_of_references)
{
    static const range_case cases[] = {
        {"for i in 0..n { for j in 0..i { read A[i - j] } }", 1, 10},
        {"for i in 0..n { for j in i..n { read A[j - i] } }", 0, 10},
        {"for i in 0..n { for j in 0..i { for k in j..i { read A[i - k] read A[k - j] } } }", 0,
         10},
        {"for i in n..0 step -1 { for j in i..n { read A[j - i] } }", 0, 9},
        {"for i in 0..n step 3 { read A[i] }", 0, 10},
        {"for i in 0..n step 4 { read A[i] }", 0, 9},
        {"for i in n - 1..-1 step -4 { read A[i] }", 1, 10},
        {"for ii in 0..n step 4 { for i in ii..min(ii + 4, n) { read A[i] read A[i - ii + 2] } }",
         0, 10},
        {"for i in 0..n { if (i >= 1 && i < 8) { read A[i - 1] } }", 0, 7},
        {"for i in 0..n { if (i < 1) { } else { read A[i] } }", 1, 10},
        {"for i in 0..n { for j in 0..n { if (i > j) { read A[i - j] } } }", 1, 10},
        {"for i in 0..n { if (i != 0) { read A[i] } }", 1, 10},
        {"for i in 0..n { if (i == 4) { read A[2*i] } }", 8, 9},
        {"for i in 0..n { read A[i % 3] read A[i / 3 + 3] }", 0, 7},
        {"for i in 0..n { read A[(i < 5) ? i : 9 - i] }", 0, 10},
        {"for i in 0..n { for j in i..i { read A[100] } } read A[1]", 1, 2},
        {"parallel { read A[3*$thread] }", 0, 10},
        {"parallel num_threads(2) { read A[3*$thread] }", 0, 4},
        {"read A[3*$thread]", 0, 1},
        {"for i in 0..n { for j in 0..n { if (i + j <= 4) { read A[i + j] read A[i] } } }", 0, 5},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[400];
        fixture f;
        snprintf(text, sizeof text, HEAD "symbol n = 10 array b1 A[] region r %s", cases[c].body);
        bound_ok(&f, text, NULL);
        const plussi_barray *a = &f.bound->array[0];
        ck_assert_msg(a->lo_byte == cases[c].lo && a->hi_byte == cases[c].hi, "%s: [%lld, %lld)",
                      cases[c].body, (long long)a->lo_byte, (long long)a->hi_byte);
        ck_assert_uint_eq(f.ctx.n_diags, 0);
        close_nest(&f);
    }
}
END_TEST

START_TEST(outside_of_extents_is_a_warning)
{
    fixture f;
    bound_ok(&f,
             HEAD "array f64 A[10][10], B[10] region r\nfor i in 0..10 {\n  read A[i][i + 1]\n"
                  "  write B[i]\n  read B[i - 1] read A[i + 1][i + 1] @77\n}",
             NULL);
    ck_assert_uint_eq(f.ctx.n_diags, 3);
    ck_assert_str_eq(f.ctx.diags[0].text, "subscript 2 of 'A' can be 1 to 10, its extent is 10");
    ck_assert_uint_eq(f.ctx.diags[0].line, 4);
    ck_assert_str_eq(f.ctx.diags[1].text, "subscript 1 of 'B' can be -1 to 8, its extent is 10");
    ck_assert_uint_eq(f.ctx.diags[1].line, 6);
    ck_assert_uint_eq(f.ctx.diags[2].line, 77);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(f.ctx.diags[i].severity, PLUSSI_WARNING);
    close_nest(&f);
    bound_ok(&f,
             HEAD "array f64 A[10] region r for i in 0..10 { if (i > 0) { read A[i - 1] } "
                  "for j in 0..i { read A[i - j - 1] } }",
             NULL);
    ck_assert_uint_eq(f.ctx.n_diags, 0);
    close_nest(&f);
}
END_TEST

START_TEST(overflow_is_refused)
{
    refused(HEAD "array b1 A[] region r for i in 0..10 { read A[i*922337203685477580 +\n"
                 "9000000000000000000] }",
            NULL, PLUSS_ERANGE, 2, 68, "overflow");
    refused(HEAD "array f64 A[] region r\nfor i in 0..4 { read A[i*1000000000000000000] }", NULL,
            PLUSS_ERANGE, 3, 17, "byte offset");
    refused(HEAD "array f64 A[] region r\nfor i in -9223372036854775807..2 { read A[0] }", NULL,
            PLUSS_ERANGE, 3, 32, "iterations");
    refused(HEAD "array f64 A[] region r\nfor i in 0..4 { for j in 0..4 {\n"
                 "read A[i*4611686018427387904 % 7 + j] } }",
            NULL, PLUSS_ERANGE, 4, 34, "overflow");
    refused(HEAD "array f64 A[9] region r\nparallel for i in 0..4294967296 collapse(2) {\n"
                 "for j in 0..4294967296 { read A[0] } }",
            NULL, PLUSS_ERANGE, 4, 1, "collapsed");
    refused(HEAD "symbol n\narray f64 A[n][n] region r", "n=4000000000", PLUSS_ERANGE, 3, 11,
            "size");
}
END_TEST

/* ---- arrays ------------------------------------------------------------------------------------
 */

START_TEST(arrays_lie_as_the_rule_says)
{
    fixture f;
    bound_ok(
        &f,
        HEAD
        "array f64 A[9] array f64 B[2] offset(60) array f64 C[] array f64 D[4] address(66000)\n"
        "array f64 V[2] over B + 8 array f64 E[100] array f64 P[9] private\n"
        "array f32 s region r for i in 0..4 { read C[i - 2] read V[i] read s }",
        NULL);
    /* A: 65536 .. 65608; B from line 1026 on, V reaches 40 bytes into it; C from -16; E would meet
       D's line 1031 */
    static const int64_t base[] = {65536,      65664 + 60, 65856, 66000,
                                   65664 + 68, 66048,      66880, 67392};
    for (int i = 0; i < 8; i++)
        ck_assert_msg(f.bound->array[i].base == base[i], "%d: %lld", i,
                      (long long)f.bound->array[i].base);
    ck_assert_int_eq(f.bound->array[6].copy_bytes, 128);
    ck_assert_int_eq(f.bound->array[0].copy_bytes, 0);
    ck_assert_ptr_eq(f.bound->array[4].over, &f.bound->array[1]);
    ck_assert_uint_eq(f.ctx.n_diags, 1); /* V[2] */
    close_nest(&f);
}
END_TEST

START_TEST(strides)
{
    fixture f;
    bound_ok(&f,
             HEAD "array f64 A[2][3][4] array f64 B[2][3][4] column array f32 C[][5]\n"
                  "array b48 S[4] array f64 L[3][4] stride(10, 2) region r",
             NULL);
    static const int64_t expected[][3] = {{96, 32, 8}, {8, 16, 48}, {20, 4}, {48}, {80, 16}};
    for (int a = 0; a < 5; a++)
        for (uint32_t d = 0; d < f.bound->array[a].rank; d++)
            ck_assert_int_eq(f.bound->array[a].stride[d], expected[a][d]);
    ck_assert_int_eq(f.bound->array[2].extent[0], -1);
    ck_assert_int_eq(f.bound->array[2].extent[1], 5);
    close_nest(&f);
}
END_TEST

START_TEST(arrays_refused)
{
    refused(HEAD "symbol n\narray f64 A[n] region r", "n=-1", PLUSS_ERANGE, 3, 11, "negative");
    refused(HEAD "symbol a\narray f64 A[4] address(a) region r", "a=-8", PLUSS_ERANGE, 3, 11,
            "negative");
    refused(HEAD "symbol a\narray f64 A[4] address(a) region r", "a=9223372036854775807",
            PLUSS_ERANGE, 3, 11, "range");
    refused(HEAD "symbol a\narray f64 A[4] address(a) region r read A[-4]", "a=8", PLUSS_ERANGE, 3,
            11, "range");
    refused(HEAD "symbol n\narray f64 A[n] array f64 B[n] region r", "n=200000000000000000",
            PLUSS_ERANGE, 3, 26, "room");
    refused(HEAD "array f64 A[4], B[5] region r swap A, B", NULL, PLUSS_EINVALID, 2, 31, "size");
    refused(HEAD "array i64 A[1] values(1) array i64 B[1] region r swap A, B", NULL,
            PLUSS_EUNSUPPORTED, 2, 50, "contents");
}
END_TEST

START_TEST(straddling)
{
    static const struct {
        const char *array, *ref;
        uint32_t touches;
    } cases[] = {
        {"f64 A[9]", "A[1]", 1},
        {"f64 A[9] offset(4)", "A[1]", 2}, /* g = 8, 4 + 8 > 8 */
        {"f64 A[9] offset(8)", "A[1]", 1},
        {"b48 A[9]", "A[1] bytes 8..16", 1}, /* g = 16 */
        {"b48 A[9]", "A[1] bytes 12..20", 2},
        {"b48 A[9]", "A[1]", 2}, /* 48 > 16: lines of bytes 0 and 47 */
        {"b64 A[9]", "A[1]", 1},
        {"b64 A[9] offset(8)", "A[1]", 2},
        {"b3 A[9]", "A[1] bytes 2..3", 1}, /* one byte never straddles */
        {"b3 A[9]", "A[1] bytes 0..2", 2},
        {"b200 A[9]", "A[1]", 5}, /* bytes 0, 64, 128, 192, 199 */
        {"b200 A[9]", "A[1] bytes 0..128", 3},
        {"b200 A[9]", "A[1] bytes 0..129", 3},
        {"b200 A[9]", "A[1] bytes 0..130", 4},
        {"f64 A[9] stride(16)", "A[1]", 1},
        {"f64 A", "A", 1},
        {"f64 A offset(60)", "A", 2},
        {"f64 A offset(56)", "A", 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[200];
        fixture f;
        snprintf(text, sizeof text, HEAD "array %s region r read %s", cases[c].array, cases[c].ref);
        bound_ok(&f, text, NULL);
        ck_assert_msg(ref_of(&f, 0)->touches == cases[c].touches, "%s: %u", text,
                      ref_of(&f, 0)->touches);
        close_nest(&f);
    }
    plussi_bind_options bytes = {.team = 1, .line_bytes = 1};
    fixture f;
    open_with(&f, HEAD "array b9000 A[4] region r read A[0]", &bytes, NULL);
    ck_assert_int_eq(f.status, PLUSS_ELIMIT);
    close_nest(&f);
    open_with(&f, HEAD "array b4096 A[4] region r read A[0]", &bytes, NULL);
    ck_assert_int_eq(f.status, PLUSS_OK);
    ck_assert_uint_eq(ref_of(&f, 0)->touches, 4096);
    close_nest(&f);
}
END_TEST

/* ---- the tree ----------------------------------------------------------------------------------
 */

START_TEST(teams)
{
    fixture f;
    bound_ok(
        &f,
        HEAD
        "symbol k = 3 array f64 A[99] region r for t in 0..5 {\n"
        "parallel num_threads(2*t + k) if (t > 1) { read A[$team] parallel { read A[$team] } }\n"
        "parallel { read A[$team] } }",
        NULL);
    ck_assert_uint_eq(f.bound->team, 4);
    ck_assert_uint_eq(f.bound->max_team, 11);
    const plussi_bnode *loop = f.bound->region[0].body[0];
    for (int64_t t = 0; t < 5; t++) {
        int64_t iv[2] = {0, t};
        bool fault = false;
        uint32_t team = t > 1 ? (uint32_t)(2 * t + 3) : 1;
        ck_assert_uint_eq(plussi_bparallel_team(f.bound, loop->body[0], iv), team);
        ck_assert_int_eq(plussi_bx_eval(ref_of(&f, 0)->sub[0], iv, &fault), team);
        ck_assert_uint_eq(plussi_bparallel_team(f.bound, loop->body[0]->body[1], iv), 1);
        ck_assert_int_eq(plussi_bx_eval(ref_of(&f, 1)->sub[0], iv, &fault), 1);
        ck_assert_uint_eq(plussi_bparallel_team(f.bound, loop->body[1], iv), 4);
        ck_assert_int_eq(plussi_bx_eval(ref_of(&f, 2)->sub[0], iv, &fault), 4);
    }
    ck_assert(loop->body[0]->body[1]->u.parallel.nested && !loop->body[0]->u.parallel.nested);
    close_nest(&f);
    refused(HEAD "symbol n\nregion r parallel num_threads(n) { }", "n=0", PLUSS_ERANGE, 3, 31,
            "num_threads");
    refused(HEAD "symbol n\nregion r parallel num_threads(n) { }", "n=65537", PLUSS_ELIMIT, 3, 31,
            "65536");
    refused(HEAD "array i64 p[4] region r\nfor i in 0..p[1] { parallel num_threads(i + 1) { } }",
            NULL, PLUSS_EUNSUPPORTED, 3, 43, "num_threads");
}
END_TEST

static const plussi_bschedule *schedule_of(const fixture *f, uint32_t loop)
{
    return &f->bound->loop[loop]->u.loop.schedule;
}

START_TEST(schedules)
{
    const char *text = HEAD "symbol c = 3 array f64 A[9] region r\n"
                            "parallel for i in 0..9 { read A[i] }\n"
                            "parallel for i in 0..9 schedule(auto) { read A[i] }\n"
                            "parallel for i in 0..9 schedule(static, c) { read A[i] }\n"
                            "parallel for i in 0..9 schedule(dynamic) { read A[i] }\n"
                            "parallel for i in 0..9 schedule(guided, 2*c) { read A[i] }\n"
                            "parallel for i in 0..9 schedule(runtime) { read A[i] }\n"
                            "parallel for i in 0..9 schedule(rayon, 2, 5) { read A[i] }";
    static const plussi_schedule_kind kind[] = {
        PLUSSI_SCHED_STATIC, PLUSSI_SCHED_STATIC,  PLUSSI_SCHED_STATIC, PLUSSI_SCHED_DYNAMIC,
        PLUSSI_SCHED_GUIDED, PLUSSI_SCHED_DYNAMIC, PLUSSI_SCHED_RAYON};
    static const int64_t chunk[] = {0, 0, 3, 1, 6, 1, 2};
    fixture f;
    bound_ok(&f, text, NULL);
    for (uint32_t i = 0; i < 7; i++) {
        ck_assert_int_eq(schedule_of(&f, i)->kind, kind[i]);
        ck_assert_int_eq(schedule_of(&f, i)->chunk ? schedule_of(&f, i)->chunk->c : 0, chunk[i]);
    }
    ck_assert_int_eq(schedule_of(&f, 6)->chunk2->c, 5);
    close_nest(&f);
    plussi_bind_options options = {
        .team = 4, .line_bytes = 64, .schedule = PLUSSI_SCHED_GUIDED, .chunk = 7};
    open_with(&f, text, &options, NULL);
    ck_assert_int_eq(schedule_of(&f, 5)->kind, PLUSSI_SCHED_GUIDED);
    ck_assert_int_eq(schedule_of(&f, 5)->chunk->c, 7);
    ck_assert_int_eq(schedule_of(&f, 3)->kind, PLUSSI_SCHED_DYNAMIC);
    close_nest(&f);
    options = (plussi_bind_options){
        .team = 4, .line_bytes = 64, .schedule = PLUSSI_SCHED_STATIC, .force_schedule = true};
    open_with(&f, text, &options, NULL);
    for (uint32_t i = 0; i < 7; i++)
        ck_assert(schedule_of(&f, i)->kind == PLUSSI_SCHED_STATIC && !schedule_of(&f, i)->chunk);
    close_nest(&f);
    refused(HEAD "symbol c\nregion r parallel for i in 0..9 schedule(static, c) { }", "c=0",
            PLUSS_ERANGE, 3, 50, "chunk");
}
END_TEST

START_TEST(what_is_dissolved)
{
    fixture f;
    bound_ok(&f,
             HEAD
             "symbol n = 4 array f64 A[9] region r ops(fadd 1) critical { read A[0]\n"
             "ordered { read A[1] } } if (n > 3) { read A[2] if (n > 2) { read A[3] } }\n"
             "if (n > 3) { read A[4] } else { read A[5] } unknown call \"f\"\n"
             "if (n < 3) { read A[6] } branch 0.5 { read A[7] } else { branch 1 { read A[8] } }",
             NULL);
    const plussi_bregion *r = &f.bound->region[0];
    static const plussi_node_kind kinds[] = {PLUSSI_N_REF, PLUSSI_N_REF,   PLUSSI_N_REF,
                                             PLUSSI_N_REF, PLUSSI_N_IF,    PLUSSI_N_UNKNOWN,
                                             PLUSSI_N_IF,  PLUSSI_N_BRANCH};
    ck_assert_uint_eq(r->n_body, 8);
    for (uint32_t i = 0; i < 8; i++) {
        ck_assert_int_eq(r->body[i]->kind, kinds[i]);
        ck_assert_ptr_null(r->body[i]->parent);
    }
    ck_assert_uint_eq(f.bound->n_branches, 2);
    ck_assert_uint_eq(r->body[7]->orelse[0]->id, 1);
    ck_assert(f.bound->has_unknown && f.bound->has_branch && !f.bound->has_load &&
              !f.bound->has_swap);
    for (uint32_t i = 0; i < f.bound->n_refs; i++)
        ck_assert_ptr_nonnull(f.bound->ref[i]);
    close_nest(&f);
}
END_TEST

START_TEST(loops_and_trips)
{
    fixture f;
    bound_ok(
        &f,
        HEAD
        "symbol n = 10 array f64 A[99] region r for i in 1..n step 3 { for j in i..0 step -2 {\n"
        "for k in j..i { read A[0] } for l in 5..5 { read A[0] } for m in 9..12 step -1 {\n"
        "read A[0] } } }",
        NULL);
    const plussi_bloop *i = &f.bound->loop[0]->u.loop, *j = &f.bound->loop[1]->u.loop;
    ck_assert(i->range.lo == 1 && i->range.hi == 7 && i->slot == 1 && j->slot == 2);
    ck_assert(j->range.lo == 1 && j->range.hi == 7);
    int64_t iv[4] = {0, 7, 3, 0};
    ck_assert_int_eq(plussi_bloop_trips(i, iv), 3);
    ck_assert_int_eq(plussi_bloop_trips(j, iv), 4);
    ck_assert_int_eq(plussi_bloop_trips(&f.bound->loop[2]->u.loop, iv), 4);
    for (int l = 3; l < 5; l++) {
        ck_assert_int_eq(plussi_bloop_trips(&f.bound->loop[l]->u.loop, iv), 0);
        ck_assert(plussi_interval_empty(f.bound->loop[l]->u.loop.range));
    }
    ck_assert_uint_eq(f.bound->loop[2]->depth, 2);
    close_nest(&f);
    refused(
        HEAD
        "array f64 A[9] region r for i in 1..9 {\nparallel num_threads(i) { read A[9 / $team] } }",
        NULL, PLUSS_EUNSUPPORTED, 3, 38, "constant");
}
END_TEST

START_TEST(repeats)
{
    fixture f;
    bound_ok(&f, HEAD "symbol n = 3 region a repeat n * 2 region b repeat 0 region c", NULL);
    ck_assert_int_eq(f.bound->region[0].repeat, 6);
    ck_assert_int_eq(f.bound->region[1].repeat, 0);
    ck_assert_int_eq(f.bound->region[2].repeat, 1);
    close_nest(&f);
    refused(HEAD "symbol n\nregion a repeat n", "n=-1", PLUSS_ERANGE, 3, 1, "'a'");
}
END_TEST

START_TEST(loads)
{
    fixture f;
    bound_ok(
        &f,
        HEAD
        "array i64 p[2][3] values(4, 5, 6, 7, 8, 9) array f64 x[99], u[9] array i64 q[9]\n"
        "region r for i in 0..2 { for k in p[i][0]..p[i][2] { read x[p[1][i]] read u[q[k]] } }",
        NULL);
    ck_assert(f.bound->has_load);
    bool fault = false;
    int64_t iv[3] = {0, 1, 0};
    const plussi_bx *x = ref_of(&f, 0)->sub[0];
    ck_assert_int_eq(plussi_bx_eval(x, iv, &fault), 8);
    ck_assert(!fault);
    iv[1] = 3;
    ck_assert_int_eq(plussi_bx_eval(x, iv, &fault), 0);
    ck_assert(fault);
    ck_assert_int_eq(f.bound->array[1].lo_byte, 32); /* contents 4 to 9 */
    ck_assert_int_eq(f.bound->array[1].hi_byte, 80);
    ck_assert_int_eq(f.bound->array[2].hi_byte, 0); /* not known */
    close_nest(&f);
}
END_TEST

START_TEST(swaps)
{
    fixture f;
    bound_ok(&f,
             HEAD "array f64 A[9], B[9], C[9] array f64 V[2] over B + 8 region r for t in 0..2 {\n"
                  "swap A, B swap B, C } read V[0]",
             NULL);
    int64_t base[4];
    for (int i = 0; i < 4; i++)
        base[i] = f.bound->array[i].base;
    int64_t a = base[0], b = base[1], c = base[2];
    const plussi_bnode *loop = f.bound->region[0].body[0];
    plussi_bound_swap(f.bound, loop->body[0], base);
    ck_assert(base[0] == b && base[1] == a && base[2] == c && base[3] == a + 8);
    plussi_bound_swap(f.bound, loop->body[1], base);
    ck_assert(base[0] == b && base[1] == c && base[2] == a && base[3] == c + 8);
    close_nest(&f);
}
END_TEST

/* ---- properties --------------------------------------------------------------------------------
 */

/* Rooms that the references can touch lie in lines of their own. */
START_TEST(arrays_share_no_line)
{
    for (uint64_t k = 0; k < 150; k++) {
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, NULL);
        plussi_rng rng;
        plussi_rng_seed(&rng, 21, k);
        nest_gen_options go = nest_gen_defaults(NEST_GEN_ALL & ~NEST_GEN_ADDRESS);
        nest_gen gen;
        ck_assert_int_eq(nest_gen_make(&ctx, &rng, &go, &gen), PLUSS_OK);
        plussi_bind_options options = {.team = 1 + k % 8,
                                       .line_bytes = 64,
                                       .binding = gen.binding,
                                       .n_bindings = gen.n_bindings};
        plussi_bound *bound;
        ck_assert_int_eq(plussi_bind(&ctx, gen.nest, &options, &bound), PLUSS_OK);
        int64_t line = PLUSSI_PLACE_START / 64;
        for (uint32_t id = 0; id < bound->n_arrays; id++) {
            const plussi_barray *a = &bound->array[id];
            if (a->over || a->lo_byte == a->hi_byte)
                continue;
            int64_t copies = a->is_private ? bound->max_team - 1 : 0;
            ck_assert_int_ge(plussi_floordiv(a->base + a->lo_byte, 64), line);
            line = plussi_floordiv(a->base + a->hi_byte - 1 + copies * a->copy_bytes, 64) + 1;
            ck_assert(!a->is_private || a->copy_bytes >= a->hi_byte - a->lo_byte);
            ck_assert_int_eq(a->copy_bytes % 64, 0);
        }
        plussi_bound_free(bound);
        nest_gen_free(&gen);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

START_TEST(no_memory)
{
    const char *text =
        HEAD "symbol n = 9, m array f64 A[n][m], C[n][m] array f64 B[n][m] private array f64 V[2] "
             "over A\n"
             "array i64 p[2] values(1, 2) region r for t in 0..3 {\n"
             "parallel num_threads(t + 1) if (t > 0) { workshare for i in 0..n\n"
             "schedule(dynamic, t + 1) collapse(2) { for j in i / 2..min(m, i % 3) {\n"
             "if (i > j || !(i == 3)) { read A[i][p[j]] } else { write B[i][j - i] } } }\n"
             "branch 0.5 { read V[(t > 1) ? 0 : 1] } } swap A, C }";
    plussi_ctx plain;
    plussi_ctx_init(&plain, NULL);
    plussi_nest *nest;
    ck_assert_int_eq(plussi_nest_parse(&plain, text, strlen(text), "t", &nest), PLUSS_OK);
    plussi_binding m = {"m", 4};
    plussi_bind_options options = {.team = 4, .line_bytes = 64, .binding = &m, .n_bindings = 1};
    long budget = 0;
    for (;; budget++) {
        failing_mem mem;
        failing_mem_init(&mem, budget);
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &mem.mem);
        plussi_bound *bound = NULL;
        pluss_status status = plussi_bind(&ctx, nest, &options, &bound);
        if (status == PLUSS_OK)
            plussi_bound_free(bound);
        else
            ck_assert(status == PLUSS_ENOMEM && !bound);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(mem.live, 0);
        if (!mem.failed)
            break;
    }
    ck_assert_int_gt(budget, 5);
    plussi_nest_free(nest);
    plussi_ctx_clear(&plain);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("bind");
    TCase *c = tcase_create("bind");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, symbols_have_values);
    tcase_add_test(c, symbols_missing);
    tcase_add_test(c, symbols_overflow);
    tcase_add_test(c, options_are_checked);
    tcase_add_test(c, affine_whenever_possible);
    tcase_add_test(c, compiled_is_what_is_written);
    tcase_add_test(c, ranges_of_references);
    tcase_add_test(c, outside_of_extents_is_a_warning);
    tcase_add_test(c, overflow_is_refused);
    tcase_add_test(c, arrays_lie_as_the_rule_says);
    tcase_add_test(c, strides);
    tcase_add_test(c, arrays_refused);
    tcase_add_test(c, straddling);
    tcase_add_test(c, teams);
    tcase_add_test(c, schedules);
    tcase_add_test(c, what_is_dissolved);
    tcase_add_test(c, loops_and_trips);
    tcase_add_test(c, repeats);
    tcase_add_test(c, loads);
    tcase_add_test(c, swaps);
    tcase_add_test(c, arrays_share_no_line);
    tcase_add_test(c, no_memory);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
