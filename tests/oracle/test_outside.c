/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Warnings of subscripts that leave their extents, against the execution of random nests whose
 * bounds, guards and selections keep them inside, or not.
 */
#include <stdio.h>
#include <string.h>

#include "../unit/suite.h"
#include "base/rng.h"
#include "bound/bound.h"

static plussi_ctx ctx;
static plussi_rng rng;

static int below(int n)
{
    return (int)plussi_rng_below(&rng, (uint64_t)n);
}

static bool leaves(const plussi_bound_node *node, int64_t *iv)
{
    bool fault = false, any = false;
    if (node->kind == PLUSSI_N_REF) {
        int64_t v = plussi_cexpr_eval(node->u.ref.sub[0], iv, &fault);
        return v < 0 || v >= node->u.ref.array->extent[0];
    }
    if (node->kind == PLUSSI_N_LOOP) {
        const plussi_bound_loop *loop = &node->u.loop;
        int64_t lo = plussi_cexpr_eval(loop->lo, iv, &fault), n = plussi_bloop_trips(loop, iv);
        for (int64_t u = 0; u < n; u++)
            for (uint32_t i = 0; i < node->n_body; i++) {
                iv[loop->slot] = lo + loop->step * u;
                any |= leaves(node->body[i], iv);
            }
        return any;
    }
    bool holds = node->kind != PLUSSI_N_IF || plussi_cexpr_eval(node->u.branch.cond, iv, &fault);
    for (uint32_t i = 0; i < (holds ? node->n_body : node->n_orelse); i++)
        any |= leaves(holds ? node->body[i] : node->orelse[i], iv);
    return any;
}

/* A subscript that is as often as not kept inside by the text around it. */
static void make(char *t, size_t room)
{
    int n = 5 + below(60), c = below(6), k = 1 + below(3), m = n - (below(4) == 0);
    const char *by = below(2) ? "1" : "2";
    switch (below(8)) {
    case 0:
        snprintf(t, room,
                 "array f64 A[%d] for i in 0..%d { for j in max(0,i-%d)..min(%d,i+%d)+1 step %s {"
                 " read A[i-j+%d] } }",
                 c + 2, n, c, n, c, by, below(2) ? c : 1);
        break;
    case 1:
        snprintf(t, room, "array f64 A[%d] for i in 0..%d { read A[(i<%d) ? %d*i : %d*(i-%d)+1] }",
                 m, n, n / k, k, k, n / k);
        break;
    case 2:
        snprintf(t, room,
                 "array f64 A[%d] for i in 0..3 { for j in 0..(i==%d ? %d : %d) {"
                 " if (i==%d) { read A[j] } } }",
                 m, below(3), n, 3 * n, below(3));
        break;
    case 3:
        snprintf(t, room,
                 "array f64 A[%d] for i in 0..%d step %s { for j in 0..%d { if (i%%%d == 0 && j/%d"
                 " < 2 || i+j == 3) { read A[i/%d+j] } else { read A[%d] } } }",
                 m, n, by, n, k + 1, c + 1, k + 1, n / 2);
        break;
    case 4:
        snprintf(t, room,
                 "array f64 A[%d] for i in %d..-1 step -%s { for j in i..%d { if (j-i != %d) {"
                 " if (i+j < %d) { read A[j-i] } } } }",
                 m, n, by, n, n, n);
        break;
    case 5: /* wavefronts: w - d * i is from 0 to d * (c + 1) - 1 */
        snprintf(t, room,
                 "array f64 A[%d] for w in 0..%d step %s { for i in max(0, (w-%d)/%d)..w/%d+1 step "
                 "%s { read A[w-%d*i] } }",
                 (k + 1) * (c + 1) - below(2), n, by, (k + 1) * c, k + 1, k + 1,
                 below(2) ? "1" : "2", k + 1);
        break;
    case 6: /* the same, downwards */
        snprintf(t, room,
                 "array f64 A[%d] for w in %d..-1 step -%s { for i in w/%d..max(0, (w-%d)/%d)-1 "
                 "step -%s { read A[w-%d*i] } }",
                 (k + 1) * (c + 1) - below(2), n, by, k + 1, (k + 1) * c, k + 1,
                 below(2) ? "1" : "2", k + 1);
        break;
    default:
        snprintf(t, room,
                 "array f64 A[%d] for i in 0..%d { for j in 0..%d { if (!(i < j || i > j+%d)) {"
                 " read A[%d*(i-j)] } } }",
                 k * c + 1 - below(2) * (c > 0), n, n, c, k);
    }
}

START_TEST(warnings)
{
    int left = 0, may = 0;
    for (uint64_t k = 0; k < 3000; k++) {
        char text[600], whole[700];
        plussi_ctx_init(&ctx, NULL);
        plussi_rng_seed(&rng, 71, k);
        make(text, sizeof text);
        snprintf(whole, sizeof whole, "pluss-nest 1\nregion r\n%s\n", text);
        plussi_nest *nest;
        plussi_bound *bound;
        ck_assert_msg(plussi_nest_parse(&ctx, whole, strlen(whole), "t", &nest) == PLUSS_OK, "%s",
                      whole);
        ck_assert_int_eq(
            plussi_bind(&ctx, nest, &(plussi_bind_options){.team = 2, .line_bytes = 64}, &bound),
            PLUSS_OK);
        int64_t iv[PLUSSI_MAX_SLOTS] = {0};
        bool real = false, can = false;
        for (uint32_t i = 0; i < bound->region[0].n_body; i++)
            real |= leaves(bound->region[0].body[i], iv);
        for (size_t i = 0; i < ctx.n_diags; i++)
            can |= strstr(ctx.diags[i].text, " can be ") != NULL;
        ck_assert_msg(!can || real, "a false warning: %s\n%s", ctx.diags[0].text, text);
        ck_assert_msg(!real || ctx.n_diags, "not warned of: %s", text);
        left += real;
        may += !can && ctx.n_diags > 0;
        plussi_bound_free(bound);
        plussi_nest_free(nest);
        plussi_ctx_clear(&ctx);
    }
    ck_assert_int_gt(left, 300);
    ck_assert_int_lt(left, 2700);
    ck_assert_int_le(may, 30);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("outside");
    TCase *c = tcase_create("outside");
    tcase_set_timeout(c, 600);
    tcase_add_test(c, warnings);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
