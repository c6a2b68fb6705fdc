/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle/nest_gen.h"
#include "bind_fixture.h"
#include "failing_mem.h"
#include "suite.h"

/* ---- symbols -----------------------------------------------------------------------------------
 */

START_TEST(symbols_have_values)
{
    bind_fixture f;
    bind_ok(&f,
            HEAD "symbol n, m = n*2, k = m + n / 3, unused array f64 A[k]\n"
                 "region a symbol n = m - 1, q region b symbol q for i in 0..q { read A[0] }",
            "n=7 b.q=5");
    static const int64_t expected[] = {7, 14, 16, 0, 7, 0, 5};
    for (int i = 0; i < 7; i++)
        ck_assert_int_eq(f.bound->symbol[i], expected[i]);
    bind_close(&f);
    /* a's own n is not used, so its derived value would not be asked for: a name reaches all */
    bind_ok(&f,
            HEAD "symbol n = 1 array f64 A[n] region a symbol n = 2 for i in 0..n { read A[0] }\n"
                 "region b symbol n = 3 for i in 0..n { read A[0] }",
            "n=5 b.n=9");
    ck_assert_int_eq(f.bound->symbol[0], 5);
    ck_assert_int_eq(f.bound->symbol[1], 5);
    ck_assert_int_eq(f.bound->symbol[2], 9);
    bind_close(&f);
}
END_TEST

START_TEST(symbols_missing)
{
    const char *text = HEAD "symbol n, m, k, d = k + 1, e\narray f64 A[n] region r symbol m\n"
                            "for i in 0..m { read A[d] }";
    bind_fixture f;
    bind_open(&f, text, NULL);
    ck_assert_int_eq(f.status, PLUSS_EUNBOUND);
    ck_assert_uint_eq(f.ctx.n_diags, 1);
    ck_assert_str_eq(f.ctx.diags[0].text, "no value is given for n, k, m");
    ck_assert_uint_eq(f.ctx.diags[0].line, 2);
    bind_close(&f);
    bind_open(&f, text, "n=3 m=2 d=1");
    ck_assert_int_eq(f.status, PLUSS_OK);
    bind_close(&f);
    bind_refused(text, "n=3 m=2 k=1 z=1", PLUSS_ENOTFOUND, 0, 0, "'z'");
    bind_refused(text, "n=3 m=2 k=1 r.n=1", PLUSS_ENOTFOUND, 0, 0, "'r.n'");
    bind_refused(text, "n=3 m=2 k=1 n=3", PLUSS_EINVALID, 0, 0, "'n'");
}
END_TEST

START_TEST(symbols_from_a_least_value)
{
    static const char text[] = "pluss-nest 1\nsymbol n >= 11, unused >= 5\nsymbol k >= 3 = n - 9\n"
                               "array f64 A[n]\nregion r\nfor i in 0..k {\n  read A[i]\n}\n";
    bind_fixture f;
    bind_ok(&f, text, "n=12 unused=0");
    ck_assert_int_eq(f.bound->symbol[0], 12);
    bind_close(&f);
    bind_refused(text, "n=10", PLUSS_ERANGE, 2, 8,
                 "the nest is known to hold from n = 11 on, not for 10");
    bind_refused(text, "n=11", PLUSS_ERANGE, 3, 8,
                 "the nest is known to hold where k >= 3, which is 2");
    static const char unused[] = "pluss-nest 1\nsymbol n\nsymbol holds is \"f:3\" >= 0 = 63 - n\n"
                                 "array f64 A[n]\nregion r\nread A[0]\n";
    bind_ok(&f, unused, "n=63");
    bind_close(&f);
    bind_refused(unused, "n=64", PLUSS_ERANGE, 3, 8,
                 "the nest is known to hold where holds >= 0 (f:3), which is -1");
}
END_TEST

START_TEST(symbols_overflow)
{
    bind_refused(HEAD "symbol n = 4611686018427387904\nsymbol m = 1 + n * 2\n"
                      "array f64 A[m] region r read A[0]",
                 NULL, PLUSS_ERANGE, 3, 14, "overflow");
    bind_refused(HEAD "symbol n = 0\nsymbol m = 5 / n\narray f64 A[m] region r read A[0]", NULL,
                 PLUSS_ERANGE, 3, 16, "divisor");
}
END_TEST

/* What is not taken need not have a value: steps of either sign. */
START_TEST(ways_not_taken)
{
    static const char text[] = HEAD "symbol s\narray f64 A[100]\nregion r\n"
                                    "for i in 0..(s < 0) ? 9 / -s : 9 / s {\n  read A[i]\n}\n"
                                    "if (s < 0) {\n  for i in 0..8 / -s {\n    read A[i]\n  }\n}\n";
    bind_fixture f;
    bind_ok(&f, text, "s=3");
    bind_close(&f);
    bind_ok(&f, text, "s=-2");
    bind_close(&f);
    bind_refused(text, "s=0", PLUSS_ERANGE, 5, 36, "divisor");
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
        bind_fixture f;
        bind_open_with(&f, HEAD "region r", &bad[i], NULL);
        ck_assert_int_eq(f.status, PLUSS_EINVAL);
        ck_assert_uint_eq(f.ctx.n_diags, 1);
        bind_close(&f);
    }
    plussi_bound_free(NULL);
}
END_TEST

/* ---- arrays ------------------------------------------------------------------------------------
 */

START_TEST(arrays_lie_as_the_rule_says)
{
    bind_fixture f;
    bind_ok(&f,
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
    bind_close(&f);
}
END_TEST

START_TEST(strides)
{
    bind_fixture f;
    bind_ok(&f,
            HEAD "array f64 A[2][3][4] array f64 B[2][3][4] column array f32 C[][5]\n"
                 "array b48 S[4] array f64 L[3][4] stride(10, 2) region r",
            NULL);
    static const int64_t expected[][3] = {{96, 32, 8}, {8, 16, 48}, {20, 4}, {48}, {80, 16}};
    for (int a = 0; a < 5; a++)
        for (uint32_t d = 0; d < f.bound->array[a].rank; d++)
            ck_assert_int_eq(f.bound->array[a].stride[d], expected[a][d]);
    ck_assert_int_eq(f.bound->array[2].extent[0], -1);
    ck_assert_int_eq(f.bound->array[2].extent[1], 5);
    bind_close(&f);
}
END_TEST

START_TEST(arrays_refused)
{
    bind_refused(HEAD "symbol n\narray f64 A[n] region r", "n=-1", PLUSS_ERANGE, 3, 11, "negative");
    bind_refused(HEAD "symbol a\narray f64 A[4] address(a) region r", "a=-8", PLUSS_ERANGE, 3, 11,
                 "negative");
    bind_refused(HEAD "symbol a\narray f64 A[4] address(a) region r", "a=9223372036854775807",
                 PLUSS_ERANGE, 3, 11, "range");
    bind_refused(HEAD "symbol a\narray f64 A[4] address(a) region r read A[-4]", "a=8",
                 PLUSS_ERANGE, 3, 11, "range");
    bind_refused(HEAD "symbol n\narray f64 A[n] array f64 B[n] region r", "n=200000000000000000",
                 PLUSS_ERANGE, 3, 26, "room");
    bind_refused(HEAD "array f64 A[4], B[5] region r swap A, B", NULL, PLUSS_EINVALID, 2, 31,
                 "size");
    bind_refused(HEAD "array i64 A[1] values(1) array i64 B[1] region r swap A, B", NULL,
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
        bind_fixture f;
        snprintf(text, sizeof text, HEAD "array %s region r read %s", cases[c].array, cases[c].ref);
        bind_ok(&f, text, NULL);
        ck_assert_msg(bind_ref_of(&f, 0)->touches == cases[c].touches, "%s: %u", text,
                      bind_ref_of(&f, 0)->touches);
        bind_close(&f);
    }
    plussi_bind_options bytes = {.team = 1, .line_bytes = 1};
    bind_fixture f;
    bind_open_with(&f, HEAD "array b9000 A[4] region r read A[0]", &bytes, NULL);
    ck_assert_int_eq(f.status, PLUSS_ELIMIT);
    bind_close(&f);
    bind_open_with(&f, HEAD "array b4096 A[4] region r read A[0]", &bytes, NULL);
    ck_assert_int_eq(f.status, PLUSS_OK);
    ck_assert_uint_eq(bind_ref_of(&f, 0)->touches, 4096);
    bind_close(&f);
}
END_TEST

/* ---- the tree ----------------------------------------------------------------------------------
 */

START_TEST(teams)
{
    bind_fixture f;
    bind_ok(
        &f,
        HEAD
        "symbol k = 3 array f64 A[99] region r for t in 0..5 {\n"
        "parallel num_threads(2*t + k) if (t > 1) { read A[$team] parallel { read A[$team] } }\n"
        "parallel { read A[$team] } }",
        NULL);
    ck_assert_uint_eq(f.bound->team, 4);
    ck_assert_uint_eq(f.bound->max_team, 11);
    const plussi_bound_node *loop = f.bound->region[0].body[0];
    for (int64_t t = 0; t < 5; t++) {
        int64_t iv[2] = {0, t};
        bool fault = false;
        uint32_t team = t > 1 ? (uint32_t)(2 * t + 3) : 1;
        ck_assert_uint_eq(plussi_bparallel_team(f.bound, loop->body[0], iv), team);
        ck_assert_int_eq(plussi_cexpr_eval(bind_ref_of(&f, 0)->sub[0], iv, &fault), team);
        ck_assert_uint_eq(plussi_bparallel_team(f.bound, loop->body[0]->body[1], iv), 1);
        ck_assert_int_eq(plussi_cexpr_eval(bind_ref_of(&f, 1)->sub[0], iv, &fault), 1);
        ck_assert_uint_eq(plussi_bparallel_team(f.bound, loop->body[1], iv), 4);
        ck_assert_int_eq(plussi_cexpr_eval(bind_ref_of(&f, 2)->sub[0], iv, &fault), 4);
    }
    ck_assert(loop->body[0]->body[1]->u.parallel.nested && !loop->body[0]->u.parallel.nested);
    bind_close(&f);
    bind_refused(HEAD "symbol n\nregion r parallel num_threads(n) { }", "n=0", PLUSS_ERANGE, 3, 31,
                 "num_threads");
    bind_refused(HEAD "symbol n\nregion r parallel num_threads(n) { }", "n=65537", PLUSS_ELIMIT, 3,
                 31, "65536");
    bind_refused(HEAD
                 "array i64 p[4] region r\nfor i in 0..p[1] { parallel num_threads(i + 1) { } }",
                 NULL, PLUSS_EUNSUPPORTED, 3, 43, "num_threads");
}
END_TEST

static const plussi_bound_schedule *schedule_of(const bind_fixture *f, uint32_t loop)
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
    bind_fixture f;
    bind_ok(&f, text, NULL);
    for (uint32_t i = 0; i < 7; i++) {
        ck_assert_int_eq(schedule_of(&f, i)->kind, kind[i]);
        ck_assert_int_eq(schedule_of(&f, i)->chunk ? schedule_of(&f, i)->chunk->c : 0, chunk[i]);
    }
    ck_assert_int_eq(schedule_of(&f, 6)->chunk2->c, 5);
    bind_close(&f);
    plussi_bind_options options = {
        .team = 4, .line_bytes = 64, .schedule = PLUSSI_SCHED_GUIDED, .chunk = 7};
    bind_open_with(&f, text, &options, NULL);
    ck_assert_int_eq(schedule_of(&f, 5)->kind, PLUSSI_SCHED_GUIDED);
    ck_assert_int_eq(schedule_of(&f, 5)->chunk->c, 7);
    ck_assert_int_eq(schedule_of(&f, 3)->kind, PLUSSI_SCHED_DYNAMIC);
    bind_close(&f);
    options = (plussi_bind_options){
        .team = 4, .line_bytes = 64, .schedule = PLUSSI_SCHED_STATIC, .force_schedule = true};
    bind_open_with(&f, text, &options, NULL);
    for (uint32_t i = 0; i < 7; i++)
        ck_assert(schedule_of(&f, i)->kind == PLUSSI_SCHED_STATIC && !schedule_of(&f, i)->chunk);
    bind_close(&f);
    bind_refused(HEAD "symbol c\nregion r parallel for i in 0..9 schedule(static, c) { }", "c=0",
                 PLUSS_ERANGE, 3, 50, "chunk");
}
END_TEST

START_TEST(what_is_dissolved)
{
    bind_fixture f;
    bind_ok(&f,
            HEAD
            "symbol n = 4 array f64 A[9] region r ops(fadd 1) critical { read A[0]\n"
            "ordered { read A[1] } } if (n > 3) { read A[2] if (n > 2) { read A[3] } }\n"
            "if (n > 3) { read A[4] } else { read A[5] } unknown call \"f\"\n"
            "if (n < 3) { read A[6] } branch 0.5 { read A[7] } else { branch 1 { read A[8] } }",
            NULL);
    const plussi_bound_region *r = &f.bound->region[0];
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
    bind_close(&f);
}
END_TEST

START_TEST(loops_and_trips)
{
    bind_fixture f;
    bind_ok(
        &f,
        HEAD
        "symbol n = 10 array f64 A[99] region r for i in 1..n step 3 { for j in i..0 step -2 {\n"
        "for k in j..i { read A[0] } for l in 5..5 { read A[0] } for m in 9..12 step -1 {\n"
        "read A[0] } } }",
        NULL);
    const plussi_bound_loop *i = &f.bound->loop[0]->u.loop, *j = &f.bound->loop[1]->u.loop;
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
    bind_close(&f);
    bind_refused(
        HEAD
        "array f64 A[9] region r for i in 1..9 {\nparallel num_threads(i) { read A[9 / $team] } }",
        NULL, PLUSS_EUNSUPPORTED, 3, 38, "constant");
}
END_TEST

START_TEST(repeats)
{
    bind_fixture f;
    bind_ok(&f, HEAD "symbol n = 3 region a repeat n * 2 region b repeat 0 region c", NULL);
    ck_assert_int_eq(f.bound->region[0].repeat, 6);
    ck_assert_int_eq(f.bound->region[1].repeat, 0);
    ck_assert_int_eq(f.bound->region[2].repeat, 1);
    bind_close(&f);
    bind_refused(HEAD "symbol n\nregion a repeat n", "n=-1", PLUSS_ERANGE, 3, 1, "'a'");
}
END_TEST

START_TEST(loads)
{
    bind_fixture f;
    bind_ok(&f,
            HEAD
            "array i64 p[2][3] values(4, 5, 6, 7, 8, 9) array f64 x[99], u[9] array i64 q[9]\n"
            "region r for i in 0..2 { for k in p[i][0]..p[i][2] { read x[p[1][i]] read u[q[k]] } }",
            NULL);
    ck_assert(f.bound->has_load);
    bool fault = false;
    int64_t iv[3] = {0, 1, 0};
    const plussi_cexpr *x = bind_ref_of(&f, 0)->sub[0];
    ck_assert_int_eq(plussi_cexpr_eval(x, iv, &fault), 8);
    ck_assert(!fault);
    iv[1] = 3;
    ck_assert_int_eq(plussi_cexpr_eval(x, iv, &fault), 0);
    ck_assert(fault);
    ck_assert_int_eq(f.bound->array[1].lo_byte, 32); /* contents 4 to 9 */
    ck_assert_int_eq(f.bound->array[1].hi_byte, 80);
    ck_assert_int_eq(f.bound->array[2].hi_byte, 0); /* not known */
    bind_close(&f);
}
END_TEST

START_TEST(swaps)
{
    bind_fixture f;
    bind_ok(&f,
            HEAD "array f64 A[9], B[9], C[9] array f64 V[2] over B + 8 region r for t in 0..2 {\n"
                 "swap A, B swap B, C } read V[0]",
            NULL);
    int64_t base[4];
    for (int i = 0; i < 4; i++)
        base[i] = f.bound->array[i].base;
    int64_t a = base[0], b = base[1], c = base[2];
    const plussi_bound_node *loop = f.bound->region[0].body[0];
    plussi_bound_swap(f.bound, loop->body[0], base);
    ck_assert(base[0] == b && base[1] == a && base[2] == c && base[3] == a + 8);
    plussi_bound_swap(f.bound, loop->body[1], base);
    ck_assert(base[0] == b && base[1] == c && base[2] == a && base[3] == c + 8);
    bind_close(&f);
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
            const plussi_bound_array *a = &bound->array[id];
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
    tcase_add_test(c, symbols_from_a_least_value);
    tcase_add_test(c, symbols_overflow);
    tcase_add_test(c, ways_not_taken);
    tcase_add_test(c, options_are_checked);
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
