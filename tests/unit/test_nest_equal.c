/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Equality sees every field; renaming changes names only; appending puts programs together.
 */
#include <stdio.h>
#include <string.h>

#include "../oracle/nest_gen.h"
#include "failing_mem.h"
#include "nest_text.h"
#include "suite.h"

/* One text, and what is another nest if a piece of it is replaced. */
static const char base[] =
    "symbol n is \"N\", m = n * 2\n"
    "array f64 A[n][m] stride(m, 1)\n"
    "array b8 B[n][m] column lower(0, 1) offset(8) alias g\n"
    "array f64 C[n][m]\n"
    "array f64 V[n] over A + 8\n"
    "array i32 x[2] values(3, 4)\n"
    "array i8 p private\n"
    "region r \"a.c\":3 repeat n\n"
    "symbol k\n"
    "parallel num_threads(k) if (n < 3) @4 {\n"
    "workshare for i in 0..n step 2 schedule(monotonic: static, k) collapse(2) ordered nowait @5 "
    "{\n"
    "for j in min(i, n - 1)..m { write A[i][x[j % 2]] bytes 0..4 @6 atomic read B[i][j] }\n"
    "}\n"
    "single nowait { ops(fadd 1, fmul 2) }\n"
    "master { unknown loop of V \"why\" }\n"
    "for t in 3..0 step -1 { branch 0.5 { read p } else { barrier } }\n"
    "if (!(n < 3) && n != 4) { critical { } } else { ordered { } }\n"
    "workshare for i in 0..$team - $team * 1 schedule(rayon, 1, 2) { }\n"
    "}\n"
    "swap A, C\n";

static const char *const changes[][2] = {
    {"symbol n is \"N\"", "symbol n is \"M\""},
    {"symbol n is \"N\"", "symbol n"},
    {"symbol n is \"N\"", "symbol n is \"N\" >= 2"},
    {"m = n * 2", "m = n * 3"},
    {"m = n * 2", "m = n + 2"},
    {"m = n * 2", "m"},
    {"array f64 A", "array i64 A"},
    {"array b8 B", "array b9 B"},
    {"array b8 B", "array f64 B"},
    {"A[n][m] stride", "A[n][n] stride"},
    {"A[n][m] stride", "A[][m] stride"},
    {" stride(m, 1)", ""},
    {" stride(m, 1)", " stride(m, 2)"},
    {" column", ""},
    {" lower(0, 1)", ""},
    {" lower(0, 1)", " lower(0, 0)"},
    {" offset(8)", ""},
    {" offset(8)", " address(8)"},
    {" offset(8)", " offset(16)"},
    {" alias g", ""},
    {" alias g", " alias h"},
    {" over A + 8", ""},
    {" over A + 8", " over A"},
    {" over A + 8", " over C + 8"},
    {" values(3, 4)", ""},
    {" values(3, 4)", " values(3, 5)"},
    {" private", ""},
    {"region r ", "region s "},
    {" repeat n", ""},
    {" repeat n", " repeat m"},
    {"symbol k\n", "symbol k symbol l\n"},
    {"symbol k\n", "symbol k array f64 l\n"},
    {" num_threads(k)", ""},
    {" num_threads(k)", " num_threads(n)"},
    {" if (n < 3)", ""},
    {" if (n < 3)", " if (n <= 3)"},
    {" step 2", ""},
    {"in 0..n step 2", "in 1..n step 2"},
    {"in 0..n step 2", "in 0..m step 2"},
    {"monotonic: ", ""},
    {"monotonic: ", "nonmonotonic: "},
    {"static, k", "dynamic, k"},
    {"static, k", "static"},
    {"static, k", "static, 2"},
    {" collapse(2)", ""},
    {" ordered nowait", " nowait"},
    {" ordered nowait", " ordered"},
    {"min(i, n - 1)", "max(i, n - 1)"},
    {"min(i, n - 1)", "min(i, 1 - n)"},
    {"write A", "read A"},
    {"x[j % 2]", "x[j / 2]"},
    {"x[j % 2]", "j"},
    {"x[j % 2]", "x[i % 2]"},
    {" bytes 0..4", ""},
    {" bytes 0..4", " bytes 0..3"},
    {" bytes 0..4", " bytes 4..8"},
    {"atomic read", "read"},
    {"read B", "read C"},
    {"single nowait", "single"},
    {"single nowait", "master"},
    {"fadd 1", "fadd 2"},
    {"fadd 1", "fsub 1"},
    {", fmul 2", ""},
    {"unknown loop", "unknown call"},
    {" of V", ""},
    {" of V", " of A"},
    {"\"why\"", "\"how\""},
    {"for t in 3", "for u in 3"},
    {"step -1", "step -2"},
    {"branch 0.5", "branch 0.25"},
    {"else { barrier }", ""},
    {"else { barrier }", "else { read p }"},
    {"else { barrier }", "else { barrier barrier }"},
    {"!(n < 3)", "(n < 3)"},
    {"&&", "||"},
    {"n != 4", "n == 4"},
    {"n != 4", "n != -4"},
    {"critical", "ordered"},
    {"rayon, 1, 2", "rayon, 1"},
    {"rayon, 1, 2", "rayon, 1, 3"},
    {"$team - $team * 1", "$team - n * 1"},
    {"swap A, C", "swap C, A"},
    {"swap A, C", ""},
};

static const char *const moved[][2] = {
    {"\"a.c\":3", ""},
    {"\"a.c\":3", "\"b.c\":3"},
    {"\"a.c\":3", "\"a.c\""},
    {"\"a.c\":3", "\"a.c\":4"},
    {"\"a.c\":3", "\"a.c\":3:1"},
    {" @4", ""},
    {" @4", " @5"},
    {" @5", " @5:1"},
    {" @6", " @\"b.c\":6"},
};

static char *replaced(const char *text, const char *from, const char *to)
{
    const char *place = strstr(text, from);
    ck_assert_msg(place != NULL, "'%s' is not in the text", from);
    char *copy = malloc(strlen(text) + strlen(to) + 1);
    ck_assert_ptr_nonnull(copy);
    sprintf(copy, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
    return copy;
}

START_TEST(equality_sees_every_field)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *a = nest_of(&ctx, base), *same = nest_of(&ctx, base);
    const char *from = changes[_i][0];
    char *other = replaced(base, from, changes[_i][1]);
    plussi_nest *b = nest_of(&ctx, other);
    ck_assert(plussi_nest_equal(a, same, true));
    ck_assert_msg(!plussi_nest_equal(a, b, false), "'%s' is as '%s'", from, changes[_i][1]);
    ck_assert(!plussi_nest_equal(b, a, false));
    ck_assert(plussi_nest_equal(b, b, true));
    plussi_nest_free(a);
    plussi_nest_free(b);
    plussi_nest_free(same);
    free(other);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(locations_count_if_wanted)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    char *other = replaced(base, moved[_i][0], moved[_i][1]);
    plussi_nest *a = nest_of(&ctx, base), *b = nest_of(&ctx, other);
    ck_assert(plussi_nest_equal(a, b, false));
    ck_assert(!plussi_nest_equal(a, b, true));
    ck_assert(!plussi_nest_equal(b, a, true));
    plussi_nest_free(a);
    plussi_nest_free(b);
    free(other);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(text_locations_never_count)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *a = nest_of(&ctx, "symbol n\nregion r\nfor i in 0..n { }\n");
    plussi_nest *b = nest_of(&ctx, "\n\n  symbol n region r\n\n\nfor i in 0..n\n{ }\n");
    ck_assert(plussi_nest_equal(a, b, true));
    plussi_nest_free(a);
    plussi_nest_free(b);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* ---- renaming ---------------------------------------------------------------------------------
 */

/* Renames everything, so that the length of names and the order of hashes differ. */
static void rename_all(plussi_nest *nest, bool back)
{
    char room[32];
    for (plussi_symbol *s = nest->first_symbol; s; s = s->next) {
        snprintf(room, sizeof room, back ? "s%u" : "a symbol with number %u", s->id);
        s->name = plussi_nest_string(nest, room);
    }
    for (plussi_array *a = nest->first_array; a; a = a->next) {
        snprintf(room, sizeof room, back ? "a%u" : "the array %u", a->id);
        a->name = plussi_nest_string(nest, room);
    }
    for (plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (node->kind == PLUSSI_N_LOOP) {
                snprintf(room, sizeof room, back ? "i%u" : "loop %u", node->id);
                node->u.loop.iv = plussi_nest_string(nest, room);
            }
}

START_TEST(renaming_changes_names_only)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    nest_gen_options options = nest_gen_defaults(NEST_GEN_ALL);
    for (uint64_t k = 0; k < 100; k++) {
        plussi_rng rng;
        plussi_rng_seed(&rng, 23, k);
        nest_gen gen;
        ck_assert_int_eq(nest_gen_make(&ctx, &rng, &options, &gen), PLUSS_OK);
        rename_all(gen.nest, true);
        ck_assert_int_eq(plussi_nest_validate(&ctx, gen.nest), PLUSS_OK);
        char *before = text_of(&ctx, gen.nest);
        plussi_nest *other = nest_of(&ctx, before);
        rename_all(other, false);
        ck_assert_int_eq(plussi_nest_validate(&ctx, other), PLUSS_OK);
        bool names = gen.nest->n_symbols + gen.nest->n_arrays + gen.nest->n_loops > 0;
        ck_assert(plussi_nest_equal(gen.nest, other, true) == !names);
        char *strange = text_of(&ctx, other);
        plussi_nest *again = nest_of(&ctx, strange);
        ck_assert(plussi_nest_equal(other, again, true));
        rename_all(again, true);
        ck_assert_int_eq(plussi_nest_validate(&ctx, again), PLUSS_OK);
        ck_assert(plussi_nest_equal(gen.nest, again, true));
        char *after = text_of(&ctx, again);
        ck_assert_str_eq(before, after);
        free(before);
        free(strange);
        free(after);
        plussi_nest_free(again);
        plussi_nest_free(other);
        nest_gen_free(&gen);
    }
    plussi_ctx_clear(&ctx);
}
END_TEST

/* ---- appending --------------------------------------------------------------------------------
 */

START_TEST(appending_joins_programs)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *a = nest_of(&ctx, "symbol n = 3\narray f64 A[n]\nregion a \"a.c\":1\nsymbol k\n"
                                   "for i in 0..k {\n  read A[i] @2\n}\n");
    plussi_nest *b = nest_of(&ctx, "symbol m, n = 3\narray f64 A[n], B[m] over A\n"
                                   "region b \"b.c\":1\nsymbol k = m\nfor i in 0..k {\n"
                                   "  write B[i] @2\n  read A[i]\n}\n");
    ck_assert_int_eq(plussi_nest_append(&ctx, a, b), PLUSS_OK);
    plussi_nest_free(b); /* copies are deep */
    char *text = text_of(&ctx, a);
    ck_assert_str_eq(text, "symbol n = 3\nsymbol m\narray f64 A[n]\narray f64 B[m] over A\n"
                           "region a \"a.c\":1\nsymbol k\nfor i in 0..k {\n  read A[i] @2\n}\n\n"
                           "region b \"b.c\":1\nsymbol k = m\nfor i in 0..k {\n  write B[i] @2\n"
                           "  read A[i]\n}\n");
    plussi_nest *again = nest_of(&ctx, text);
    ck_assert(plussi_nest_equal(a, again, true));
    ck_assert_uint_eq(a->n_symbols, 4);
    ck_assert_uint_eq(a->n_refs, 3);
    plussi_nest_free(again);
    plussi_nest_free(a);
    free(text);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(appending_to_nothing_copies)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    nest_gen_options options = nest_gen_defaults(NEST_GEN_ALL);
    for (uint64_t k = 0; k < 100; k++) {
        plussi_rng rng;
        plussi_rng_seed(&rng, 29, k);
        nest_gen gen;
        ck_assert_int_eq(nest_gen_make(&ctx, &rng, &options, &gen), PLUSS_OK);
        plussi_nest *copy;
        ck_assert_int_eq(plussi_nest_new(&ctx, &copy), PLUSS_OK);
        ck_assert_int_eq(plussi_nest_append(&ctx, copy, gen.nest), PLUSS_OK);
        ck_assert(plussi_nest_equal(copy, gen.nest, true));
        char *one = text_of(&ctx, gen.nest), *two = text_of(&ctx, copy);
        ck_assert_str_eq(one, two);
        /* and once more: everything nest-wide agrees with itself, the regions come twice */
        ck_assert_int_eq(plussi_nest_append(&ctx, copy, gen.nest), PLUSS_OK);
        ck_assert_uint_eq(copy->n_regions, 2 * gen.nest->n_regions);
        ck_assert_uint_eq(copy->n_refs, 2 * gen.nest->n_refs);
        nest_gen_free(&gen);
        free(one);
        free(two);
        plussi_nest_free(copy);
    }
    plussi_ctx_clear(&ctx);
}
END_TEST

static const struct {
    const char *dst, *src, *messages;
} conflicts[] = {
    {"symbol n = 3\nregion a\n", "symbol n = 4\nregion b\n",
     "2:8: found symbol 'n' again with another meaning\n"},
    {"symbol n = 3\n", "symbol m, n\n", "2:11: found symbol 'n' again with another meaning\n"},
    {"symbol n is \"a\"\n", "symbol n is \"b\"\n",
     "2:8: found symbol 'n' again with another meaning\n"},
    {"symbol n\n", "array f64 n\n", "2:11: found array 'n' again with another meaning\n"},
    {"array f64 n\n", "symbol n\n", "2:8: found symbol 'n' again with another meaning\n"},
    {"array f64 A[3], B\n", "array f64 A[4], B[1]\n",
     "2:11: found array 'A' again with another meaning\n"
     "2:17: found array 'B' again with another meaning\n"},
    {"symbol i\nregion a\nsymbol z\narray f64 Z\n",
     "symbol j\narray f64 A\nregion b\narray f64 Y\nfor i in 0..3 {\n  read A\n}\n",
     "6:1: found induction variable 'i', expected a name that no symbol in scope has\n"},
    {"region a\nfor i in 0..3 {\n}\n", "symbol i\n",
     "3:1: found induction variable 'i', expected a name that no symbol in scope has\n"},
};

START_TEST(conflicts_change_nothing)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *dst = nest_of(&ctx, conflicts[_i].dst), *src = nest_of(&ctx, conflicts[_i].src);
    char *before = text_of(&ctx, dst);
    ck_assert_int_eq(plussi_nest_append(&ctx, dst, src), PLUSS_EINVALID);
    char *messages = messages_of(&ctx);
    ck_assert_str_eq(messages, conflicts[_i].messages);
    plussi_ctx_clear(&ctx);
    char *after = text_of(&ctx, dst);
    ck_assert_str_eq(before, after);
    ck_assert_int_eq(plussi_nest_validate(&ctx, dst), PLUSS_OK);
    plussi_nest *fresh = nest_of(&ctx, before);
    ck_assert_uint_eq(dst->n_symbols, fresh->n_symbols);
    ck_assert_uint_eq(dst->n_arrays, fresh->n_arrays);
    ck_assert_uint_eq(dst->n_regions, fresh->n_regions);
    ck_assert_uint_eq(dst->n_nodes, fresh->n_nodes);
    plussi_nest *harmless = nest_of(&ctx, "region harmless\nbarrier\n");
    ck_assert_int_eq(plussi_nest_append(&ctx, dst, harmless), PLUSS_OK); /* it still can grow */
    plussi_nest_free(harmless);
    plussi_nest_free(fresh);
    plussi_nest_free(dst);
    plussi_nest_free(src);
    free(before);
    free(after);
    free(messages);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(appending_has_limits)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *one = nest_of(&ctx, "region r\n"), *many;
    ck_assert_int_eq(plussi_nest_append(&ctx, one, one), PLUSS_EINVAL);
    plussi_ctx_clear(&ctx);
    ck_assert_int_eq(plussi_nest_new(&ctx, &many), PLUSS_OK);
    ck_assert_int_eq(plussi_nest_append(&ctx, many, one), PLUSS_OK);
    for (int i = 0; i < 12; i++) { /* doubled twelve times */
        plussi_nest *half;
        ck_assert_int_eq(plussi_nest_new(&ctx, &half), PLUSS_OK);
        ck_assert_int_eq(plussi_nest_append(&ctx, half, many), PLUSS_OK);
        ck_assert_int_eq(plussi_nest_append(&ctx, many, half), PLUSS_OK);
        plussi_nest_free(half);
    }
    ck_assert_uint_eq(many->n_regions, PLUSSI_MAX_REGIONS);
    ck_assert_int_eq(plussi_nest_append(&ctx, many, one), PLUSS_ELIMIT);
    ck_assert_uint_eq(many->n_regions, PLUSSI_MAX_REGIONS);
    ck_assert_ptr_null(many->last_region->next);
    plussi_nest_free(many);
    plussi_nest_free(one);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* Names of many lengths move the places where the arena asks for memory. */
START_TEST(memory_may_run_out_anywhere)
{
    char text[sizeof base + 512] = "symbol z";
    memset(text + strlen(text), 'z', (size_t)_i * 16);
    strcat(text, "\n");
    strcat(text, base);
    bool whole = false;
    for (long budget = 0; !whole; budget++) {
        failing_mem m;
        failing_mem_init(&m, 1000000);
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &m.mem);
        plussi_nest *dst = nest_of(&ctx, "symbol n is \"N\", q\narray f64 Q[q]\nregion own\n");
        plussi_nest *src = nest_of(&ctx, text);
        char *before = text_of(&ctx, dst);
        m.budget = budget;
        pluss_status status = plussi_nest_append(&ctx, dst, src);
        ck_assert(status == PLUSS_OK || (m.failed && status == PLUSS_ENOMEM));
        whole = !m.failed;
        m.budget = 1000000;
        char *after = text_of(&ctx, dst);
        ck_assert_int_eq(strcmp(before, after) == 0, status != PLUSS_OK);
        ck_assert_int_eq(plussi_nest_validate(&ctx, dst), PLUSS_OK);
        plussi_nest_free(dst);
        plussi_nest_free(src);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(m.live, 0);
        free(before);
        free(after);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("nest equal");
    TCase *t = tcase_create("equal");
    tcase_add_loop_test(t, equality_sees_every_field, 0, sizeof changes / sizeof *changes);
    tcase_add_loop_test(t, locations_count_if_wanted, 0, sizeof moved / sizeof *moved);
    tcase_add_test(t, text_locations_never_count);
    tcase_add_test(t, renaming_changes_names_only);
    suite_add_tcase(s, t);
    t = tcase_create("append");
    tcase_add_test(t, appending_joins_programs);
    tcase_add_test(t, appending_to_nothing_copies);
    tcase_add_loop_test(t, conflicts_change_nothing, 0, sizeof conflicts / sizeof *conflicts);
    tcase_add_test(t, appending_has_limits);
    tcase_add_loop_test(t, memory_may_run_out_anywhere, 0, 15);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
