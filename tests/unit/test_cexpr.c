/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compiled expressions: what they become, their values, their ranges.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle/naive_inner.h"
#include "base/rng.h"
#include "bind_fixture.h"
#include "suite.h"

/* ---- algebra -----------------------------------------------------------------------------------
 */

/* As "c + a*1 + b*2" by slot; trees by their kind. */
static void describe(const plussi_cexpr *x, char *out, size_t room)
{
    if (x->kind != PLUSSI_CEXPR_AFFINE) {
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
        bind_fixture f;
        bind_ok(&f, text, NULL);
        describe(bind_ref_of(&f, 0)->sub[0], found, sizeof found);
        ck_assert_msg(strcmp(found, cases[c][1]) == 0, "%s: %s, not %s", cases[c][0], found,
                      cases[c][1]);
        describe(bind_ref_of(&f, 0)->offset, found, sizeof found);
        ck_assert_str_eq(found, cases[c][1]);
        bind_close(&f);
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
    const plussi_bound_ref *ref = &bound->ref[0]->u.ref;
    const plussi_bound_array *array = ref->array;
    int64_t symbol[1] = {0}, iv[2];
    naive_state s = {.nest = nest, .symbol = symbol, .iv = iv};
    plussi_interval box[PLUSSI_MAX_SLOTS] = {{0, 0}, {-3, 3}, {0, 4}};
    plussi_interval range = plussi_cexpr_range(ref->sub[0], box);
    uint32_t slots = plussi_cexpr_slots(ref->sub[0]);
    for (int64_t i = -3; i < 4; i++) {
        for (int64_t j = 0; j < 5; j++) {
            int64_t at[3] = {0, slots & 2 ? i : 99999, slots & 4 ? j : 99999};
            bool fault = false;
            iv[loop[0]->id] = i;
            iv[loop[1]->id] = j;
            int64_t expected = naive_eval(&s, expr);
            ck_assert_int_eq(plussi_cexpr_eval(ref->sub[0], at, &fault), expected);
            ck_assert_int_eq(plussi_cexpr_eval(ref->offset, at, &fault), 8 * expected);
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
        affine += bound->ref[0]->u.ref.sub[0]->kind == PLUSSI_CEXPR_AFFINE;
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
        {"for w in 0..2*n - 1 { for i in max(0, w/2 + w/2 - n + 1)..min(n, w/2 + 1) { "
         "read A[w - 2*i + n] } }",
         10, 29},
        {"for i in 0..n { for j in (i + 2)/3..i/3 + 1 { read A[i - 3*j] } }", 0, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[400];
        bind_fixture f;
        snprintf(text, sizeof text, HEAD "symbol n = 10 array b1 A[] region r %s", cases[c].body);
        bind_ok(&f, text, NULL);
        const plussi_bound_array *a = &f.bound->array[0];
        ck_assert_msg(a->lo_byte == cases[c].lo && a->hi_byte == cases[c].hi, "%s: [%lld, %lld)",
                      cases[c].body, (long long)a->lo_byte, (long long)a->hi_byte);
        ck_assert_uint_eq(f.ctx.n_diags, 0);
        bind_close(&f);
    }
}
END_TEST

static int64_t floor_div(int64_t x, int64_t k)
{
    return x / k - (x % k < 0);
}

/* Bounds by min, max and divisions: the range holds every byte, and often no other one. */
START_TEST(ranges_by_extremes_and_divisions)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 23, 0);
    enum { ROUNDS = 3000 };
    int touched = 0, exact = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t v[13];
        for (int i = 0; i < 13; i++)
            v[i] = (int64_t)plussi_rng_below(&rng, 9) - 4;
        const int64_t k = 1 + (int64_t)plussi_rng_below(&rng, 4);
        const int64_t m = 1 + (int64_t)plussi_rng_below(&rng, 4), n = v[0] + 8;
        const bool down = v[1] > 2;
        char text[400], lo[60], hi[60];
        snprintf(lo, sizeof lo, "max(%d, (%d*w + %d)/%d + %d*w)", (int)v[2], (int)v[3], (int)v[4],
                 (int)k, (int)v[5] / 3);
        snprintf(hi, sizeof hi, "min(%d, (%d*w + %d)/%d + %d)", (int)v[6] + 9, (int)v[7], (int)v[8],
                 (int)m, (int)v[9]);
        snprintf(text, sizeof text,
                 HEAD "array b1 A[] region r for w in %d..%d { for i in %s..%s step %d { "
                      "read A[%d*w + %d*i + %d] } }",
                 (int)v[0], (int)n, down ? hi : lo, down ? lo : hi, down ? -1 : 1, (int)v[10],
                 (int)v[11], (int)v[12]);
        bind_fixture f;
        bind_ok(&f, text, NULL);
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (int64_t w = v[0]; w < n; w++) {
            int64_t from = plussi_max64(v[2], floor_div(v[3] * w + v[4], k) + v[5] / 3 * w) + down;
            int64_t to = plussi_min64(v[6] + 9, floor_div(v[7] * w + v[8], m) + v[9]) + down;
            for (int64_t i = from; i < to; i++) {
                int64_t at = v[10] * w + v[11] * i + v[12];
                least = plussi_min64(least, at);
                most = plussi_max64(most, at);
            }
        }
        const plussi_bound_array *a = &f.bound->array[0];
        if (least <= most) {
            touched++;
            exact += a->lo_byte == least && a->hi_byte == most + 1;
            ck_assert_msg(a->lo_byte <= least && a->hi_byte > most,
                          "%s: [%lld, %lld), but %lld to %lld", text, (long long)a->lo_byte,
                          (long long)a->hi_byte, (long long)least, (long long)most);
        }
        bind_close(&f);
    }
    ck_assert_int_gt(touched, ROUNDS / 2);
    ck_assert_int_gt(exact, touched * 2 / 5); /* the others have empty loops between, or steps */
}
END_TEST

START_TEST(outside_of_extents_is_a_warning)
{
    bind_fixture f;
    bind_ok(&f,
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
    bind_close(&f);
    bind_ok(&f,
            HEAD "array f64 A[10] region r for i in 0..10 { if (i > 0) { read A[i - 1] } "
                 "for j in 0..i { read A[i - j - 1] } }",
            NULL);
    ck_assert_uint_eq(f.ctx.n_diags, 0);
    bind_close(&f);
}
END_TEST

START_TEST(overflow_is_refused)
{
    bind_refused(HEAD "array b1 A[] region r for i in 0..10 { read A[i*922337203685477580 +\n"
                      "9000000000000000000] }",
                 NULL, PLUSS_ERANGE, 2, 68, "overflow");
    bind_refused(HEAD "array f64 A[] region r\nfor i in 0..4 { read A[i*1000000000000000000] }",
                 NULL, PLUSS_ERANGE, 3, 17, "byte offset");
    bind_refused(HEAD "array f64 A[] region r\nfor i in -9223372036854775807..2 { read A[0] }",
                 NULL, PLUSS_ERANGE, 3, 32, "iterations");
    bind_refused(HEAD "array f64 A[] region r\nfor i in 0..4 { for j in 0..4 {\n"
                      "read A[i*4611686018427387904 % 7 + j] } }",
                 NULL, PLUSS_ERANGE, 4, 34, "overflow");
    bind_refused(HEAD "array f64 A[9] region r\nparallel for i in 0..4294967296 collapse(2) {\n"
                      "for j in 0..4294967296 { read A[0] } }",
                 NULL, PLUSS_ERANGE, 4, 1, "collapsed");
    bind_refused(HEAD "symbol n\narray f64 A[n][n] region r", "n=4000000000", PLUSS_ERANGE, 3, 11,
                 "size");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("bound expressions");
    TCase *c = tcase_create("expressions");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, affine_whenever_possible);
    tcase_add_test(c, compiled_is_what_is_written);
    tcase_add_test(c, ranges_of_references);
    tcase_add_test(c, ranges_by_extremes_and_divisions);
    tcase_add_test(c, outside_of_extents_is_a_warning);
    tcase_add_test(c, overflow_is_refused);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
