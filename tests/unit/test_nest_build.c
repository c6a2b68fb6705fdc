/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The builder, the walk, and the validator on nests that no text can hold.
 */
#include <math.h>
#include <string.h>

#include "../oracle/nest_gen.h"
#include "failing_mem.h"
#include "nest/text.h"
#include "nest_text.h"
#include "suite.h"

static plussi_ctx ctx;
static plussi_nest *nest;
static plussi_region *region;
static plussi_symbol *n;
static plussi_array *A;
static plussi_node *parallel, *loop, *ref;

static plussi_loc at(uint32_t line)
{
    return (plussi_loc){NULL, line, 0};
}

/* region kernel "k.c":10, parallel for i in 0..n { read A[i] } */
static void set_up(void)
{
    plussi_ctx_init(&ctx, NULL);
    ck_assert_int_eq(plussi_nest_new(&ctx, &nest), PLUSS_OK);
    n = plussi_nest_add_symbol(nest, NULL, "n", NULL);
    A = plussi_nest_add_array(nest, NULL, "A", PLUSSI_ELEM_F64, 0, 1);
    A->extents[0] = plussi_expr_symbol(nest, n);
    region = plussi_nest_add_region(nest, "kernel", (plussi_loc){"k.c", 10, 0});
    parallel = plussi_nest_add_node(nest, &region->body, NULL, PLUSSI_N_PARALLEL, at(11));
    loop = plussi_nest_add_node(nest, &parallel->body, parallel, PLUSSI_N_LOOP, at(11));
    loop->u.loop.iv = "i";
    loop->u.loop.lo = plussi_expr_int(nest, 0);
    loop->u.loop.hi = plussi_expr_symbol(nest, n);
    loop->u.loop.workshare = true;
    ref = plussi_nest_add_node(nest, &loop->body, loop, PLUSSI_N_REF, at(12));
    ref->u.ref.array = A;
    ref->u.ref.n_subs = 1;
    ref->u.ref.subs = plussi_expr_vec(nest, 1);
    ref->u.ref.subs[0] = plussi_expr_iv(nest, loop);
}

static void tear_down(void)
{
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
}

static void expect_text(const char *expected)
{
    ck_assert_int_eq(plussi_nest_validate(&ctx, nest), PLUSS_OK);
    char *text = text_of(&ctx, nest);
    ck_assert_str_eq(text, expected);
    plussi_nest *again = nest_of(&ctx, text);
    ck_assert(plussi_nest_equal(nest, again, true));
    plussi_nest_free(again);
    free(text);
}

static void expect_fault(pluss_status status, const char *messages)
{
    plussi_ctx_clear(&ctx);
    ck_assert_int_eq(plussi_nest_validate(&ctx, nest), status);
    char *found = messages_of(&ctx);
    ck_assert_str_eq(found, messages);
    free(found);
    plussi_ctx_clear(&ctx);
}

START_TEST(a_built_nest_prints)
{
    expect_text("symbol n\narray f64 A[n]\nregion kernel \"k.c\":10\n"
                "parallel for i in 0..n @11 {\n  read A[i] @12\n}\n");
    ck_assert_uint_eq(nest->n_nodes, 3);
    ck_assert_uint_eq(nest->n_refs, 1);
    ck_assert_uint_eq(nest->n_loops, 1);
}
END_TEST

START_TEST(equivalent_fields_become_one)
{
    ref->u.ref.width = 8;
    A->base_kind = PLUSSI_BASE_OFFSET;
    A->base = plussi_expr_int(nest, 0);
    plussi_expr *minus = plussi_expr_op(nest, PLUSSI_E_NOT, plussi_expr_int(nest, 3), NULL, NULL);
    minus->kind = PLUSSI_E_NEG; /* built past expr_op */
    loop->u.loop.lo = minus;
    plussi_node *branch =
        plussi_nest_add_node(nest, &region->body, NULL, PLUSSI_N_BRANCH, (plussi_loc){0});
    branch->u.branch.probability = -0.0;
    region->body.first->loc.file = plussi_nest_string(nest, "k.c"); /* the region's own */
    loop->loc.file = NULL;
    expect_text("symbol n\narray f64 A[n] offset(0)\nregion kernel \"k.c\":10\n"
                "parallel for i in -3..n @11 {\n  read A[i] @12\n}\nbranch 0 {\n}\n");
    ck_assert_uint_eq(ref->u.ref.width, 0);
    ck_assert_ptr_null(A->base);
    ck_assert_int_eq(loop->u.loop.lo->kind, PLUSSI_E_INT);
    ck_assert(!signbit(branch->u.branch.probability));
    ref->u.ref.offset = 4;
    ref->u.ref.width = 4;
    ck_assert_int_eq(plussi_nest_validate(&ctx, nest), PLUSS_OK);
    ck_assert_uint_eq(ref->u.ref.width, 0);
}
END_TEST

START_TEST(expr_op_folds_negated_literals)
{
    plussi_expr *three = plussi_expr_int(nest, 3);
    plussi_expr *e = plussi_expr_op(nest, PLUSSI_E_NEG, three, NULL, NULL);
    ck_assert_int_eq(e->kind, PLUSSI_E_INT);
    ck_assert_int_eq(e->value, -3);
    ck_assert_int_eq(three->value, 3);
    e = plussi_expr_op(nest, PLUSSI_E_NEG, plussi_expr_int(nest, INT64_MIN), NULL, NULL);
    ck_assert_int_eq(e->kind, PLUSSI_E_NEG);
}
END_TEST

START_TEST(lists_come_into_text_order)
{
    plussi_region *second = plussi_nest_add_region(nest, "second", at(0));
    plussi_nest_add_symbol(nest, second, "s2", NULL);
    plussi_nest_add_symbol(nest, region, "s1", NULL);
    plussi_nest_add_symbol(nest, NULL, "s0", NULL);
    plussi_nest_add_symbol(nest, region, "t1", NULL);
    plussi_nest_add_symbol(nest, second, "t2", NULL);
    plussi_nest_add_array(nest, second, "A2", PLUSSI_ELEM_BYTES, 3, 0);
    plussi_nest_add_array(nest, region, "A1", PLUSSI_ELEM_F80, 3, 0);
    char *unordered = text_of(&ctx, nest); /* printing does not need the order */
    plussi_nest_number(nest);
    char *ordered = text_of(&ctx, nest);
    ck_assert_str_eq(unordered, ordered);
    free(unordered);
    free(ordered);
    static const char *const order[] = {"n", "s0", "s1", "t1", "s2", "t2"};
    uint32_t i = 0;
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next, i++) {
        ck_assert_str_eq(s->name, order[i]);
        ck_assert_uint_eq(s->id, i);
    }
    ck_assert_uint_eq(i, 6);
    ck_assert_str_eq(nest->last_symbol->name, "t2");
    ck_assert_str_eq(nest->last_array->name, "A2");
    ck_assert_uint_eq(nest->last_array->elem_bytes, 3);
    ck_assert_uint_eq(nest->first_array->next->elem_bytes, 16);
    expect_text("symbol n, s0\narray f64 A[n]\nregion kernel \"k.c\":10\nsymbol s1, t1\n"
                "array f80 A1\nparallel for i in 0..n @11 {\n  read A[i] @12\n}\n"
                "\nregion second\nsymbol s2, t2\narray b3 A2\n");
}
END_TEST

START_TEST(walks_are_in_text_order)
{
    plussi_nest *w = nest_of(
        &ctx, "region r\nif (1 < 2) {\n  barrier\n  if (1 < 2) {\n  } else {\n    barrier\n  }\n"
              "} else {\n  barrier\n  for i in 0..3 {\n  }\n}\nbarrier\n");
    uint32_t lines[16], count = 0;
    plussi_node *outer = w->first_region->body.first;
    for (plussi_node *x = NULL; (x = plussi_nest_walk(&w->first_region->body, x));)
        lines[count++] = x->text_loc.line;
    static const uint32_t all[] = {3, 4, 5, 7, 10, 11, 14};
    ck_assert_uint_eq(count, 7);
    ck_assert_mem_eq(lines, all, sizeof all);
    count = 0;
    for (plussi_node *x = NULL; (x = plussi_nest_walk(&outer->body, x));)
        lines[count++] = x->text_loc.line;
    ck_assert_uint_eq(count, 3); /* not into the else branch */
    count = 0;
    for (plussi_node *x = NULL; (x = plussi_nest_walk(&outer->orelse, x));)
        lines[count++] = x->text_loc.line;
    ck_assert_uint_eq(count, 2);
    plussi_nest_free(w);
}
END_TEST

START_TEST(null_gives_null)
{
    ck_assert_ptr_null(plussi_nest_add_symbol(nest, NULL, NULL, NULL));
    ck_assert_ptr_null(plussi_nest_add_node(nest, NULL, NULL, PLUSSI_N_REF, at(0)));
    ck_assert_ptr_null(plussi_expr_symbol(nest, NULL));
    ck_assert_ptr_null(plussi_expr_iv(nest, NULL));
    ck_assert_ptr_null(plussi_expr_load(nest, NULL, 1));
    ck_assert_ptr_null(plussi_expr_op(nest, PLUSSI_E_NEG, NULL, NULL, NULL));
    ck_assert_ptr_null(plussi_expr_op(nest, PLUSSI_E_ADD, plussi_expr_int(nest, 1), NULL, NULL));
    ck_assert_ptr_null(
        plussi_expr_op(nest, PLUSSI_E_SELECT, loop->u.loop.lo, loop->u.loop.lo, NULL));
    ck_assert_ptr_null(plussi_nest_string(nest, NULL));
    ck_assert_ptr_null(plussi_nest_string(NULL, "a"));
    ck_assert_ptr_null(plussi_expr_int(NULL, 1));
    plussi_nest_free(NULL);
    ck_assert(!nest->out_of_memory);
}
END_TEST

START_TEST(a_shortage_is_remembered)
{
    nest->out_of_memory = true;
    char *text;
    size_t length;
    ck_assert_int_eq(plussi_nest_validate(&ctx, nest), PLUSS_ENOMEM);
    ck_assert_int_eq(plussi_nest_print(&ctx, nest, &text, &length), PLUSS_ENOMEM);
    ck_assert_int_eq(plussi_nest_print_region(&ctx, nest, region, &text, &length), PLUSS_ENOMEM);
    plussi_nest *empty;
    ck_assert_int_eq(plussi_nest_new(&ctx, &empty), PLUSS_OK);
    ck_assert_int_eq(plussi_nest_append(&ctx, empty, nest), PLUSS_ENOMEM);
    plussi_nest_free(empty);
    nest->out_of_memory = false;
}
END_TEST

START_TEST(a_generator_without_memory)
{
    bool whole = false;
    for (long budget = 0; !whole; budget += suite_step()) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx poor;
        plussi_ctx_init(&poor, &m.mem);
        plussi_rng rng;
        plussi_rng_seed(&rng, 8, 0);
        nest_gen_options options = nest_gen_defaults(NEST_GEN_ALL);
        nest_gen gen;
        pluss_status status = nest_gen_make(&poor, &rng, &options, &gen);
        ck_assert(status == PLUSS_OK || (m.failed && status == PLUSS_ENOMEM));
        whole = !m.failed;
        if (status == PLUSS_OK)
            nest_gen_free(&gen);
        plussi_ctx_clear(&poor);
        ck_assert_int_eq(m.live, 0);
    }
}
END_TEST

/* ---- odd nests: faults by kind ----------------------------------------------------------------
 */

START_TEST(messages_point_at_the_source)
{
    ref->u.ref.n_subs = 0;
    plussi_ctx_clear(&ctx);
    ck_assert_int_eq(plussi_nest_validate(&ctx, nest), PLUSS_EINVALID);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_str_eq(ctx.diags[0].file, "k.c");
    ck_assert_uint_eq(ctx.diags[0].line, 12);
    plussi_ctx_clear(&ctx);
    ref->loc.line = 0; /* then at what it stands in */
    ck_assert_int_eq(plussi_nest_validate(&ctx, nest), PLUSS_EINVALID);
    ck_assert_uint_eq(ctx.diags[0].line, 11);
}
END_TEST

START_TEST(missing_parts)
{
    loop->u.loop.hi = NULL;
    ref->u.ref.subs[0] = NULL;
    expect_fault(PLUSS_EINVALID, "11:0: found nothing for a loop's bound, expected a number\n"
                                 "12:0: found nothing for a subscript, expected a number\n");
    loop->u.loop.hi = plussi_expr_int(nest, 1);
    ref->u.ref.subs = NULL;
    expect_fault(PLUSS_EINVALID, "12:0: found 0 subscripts of 'A', expected 1\n");
    ref->u.ref.array = NULL;
    loop->u.loop.iv = NULL;
    expect_fault(PLUSS_EINVALID, "11:0: found a loop without a name\n"
                                 "12:0: found a reference without an array\n");
}
END_TEST

START_TEST(missing_conditions_and_operands)
{
    plussi_body *body = &loop->body;
    plussi_nest_add_node(nest, body, loop, PLUSSI_N_IF, at(20));
    plussi_nest_add_node(nest, body, loop, PLUSSI_N_OPS, at(21));
    plussi_nest_add_node(nest, body, loop, PLUSSI_N_UNKNOWN, at(22));
    plussi_node *branch = plussi_nest_add_node(nest, body, loop, PLUSSI_N_BRANCH, at(23));
    branch->u.branch.probability = NAN;
    plussi_nest_add_node(nest, &region->body, NULL, PLUSSI_N_SWAP, at(24));
    ref->u.ref.subs[0] = plussi_expr_op(nest, PLUSSI_E_ADD, plussi_expr_iv(nest, loop),
                                        plussi_expr_int(nest, 1), NULL);
    ref->u.ref.subs[0]->a[1] = NULL;
    expect_fault(PLUSS_EINVALID, "12:0: found nothing for a subscript, expected a number\n"
                                 "20:0: found nothing for a guard, expected a condition\n"
                                 "21:0: found ops without a group, expected at least one\n"
                                 "22:0: found unknown without a reason\n"
                                 "23:0: found a probability outside of 0 to 1\n"
                                 "24:0: found a swap without two arrays\n");
}
END_TEST

START_TEST(numbers_outside_of_enumerations)
{
    loop->u.loop.schedule.kind = (plussi_schedule_kind)99;
    ref->u.ref.subs[0]->kind = (plussi_expr_kind)77;
    plussi_node *odd = plussi_nest_add_node(nest, &region->body, NULL, PLUSSI_N_UNKNOWN, at(20));
    odd->u.unknown.kind = (plussi_unknown_kind)5;
    odd->u.unknown.reason = "why";
    odd = plussi_nest_add_node(nest, &region->body, NULL, (plussi_node_kind)55, at(21));
    A->elem = (plussi_elem)44;
    A->base_kind = (plussi_base_kind)33;
    expect_fault(PLUSS_EINVALID, "0:0: array 'A': found no element type\n"
                                 "0:0: array 'A': found no kind of base\n"
                                 "11:0: found no kind of schedule\n"
                                 "12:0: found an expression of kind 77\n"
                                 "20:0: found no kind of unknown\n"
                                 "21:0: found a statement of kind 55\n");
    char *text; /* the printer survives what the validator refuses */
    size_t length;
    ck_assert_int_eq(plussi_nest_print(&ctx, nest, &text, &length), PLUSS_OK);
    plussi_free(&ctx.mem, text);
}
END_TEST

START_TEST(odd_loops)
{
    loop->u.loop.step = 0;
    loop->u.loop.collapse = 0;
    loop->u.loop.schedule.modifier = PLUSSI_SCHED_MONOTONIC;
    loop->u.loop.schedule.chunk2 = plussi_expr_int(nest, 1);
    expect_fault(PLUSS_EINVALID, "11:0: found step 0, expected another number\n"
                                 "11:0: found a schedule's modifier without a schedule\n"
                                 "11:0: found a schedule's second argument without the first\n"
                                 "11:0: found 1 argument of schedule(), expected at most 0\n"
                                 "11:0: found collapse(0), expected at least 1\n");
}
END_TEST

START_TEST(foreign_and_misplaced_objects)
{
    plussi_nest *other = nest_of(&ctx, "symbol n\narray f64 A[n]\nregion q\n"
                                       "for i in 0..n {\n  read A[i]\n}\n");
    ref->u.ref.array = other->first_array; /* of the same name */
    loop->u.loop.hi = plussi_expr_symbol(nest, other->first_symbol);
    ref->u.ref.subs[0] = plussi_expr_iv(nest, other->first_region->body.first);
    expect_fault(PLUSS_EINVALID,
                 "11:0: found symbol 'n', which another symbol of that name hides here\n"
                 "12:0: found array 'A', which another array of that name hides here\n"
                 "12:0: found induction variable 'i', which another induction variable of that "
                 "name hides here\n");
    plussi_nest_free(other);
}
END_TEST

START_TEST(induction_variables_end_with_their_loops)
{
    loop->u.loop.hi = plussi_expr_iv(nest, loop); /* in its own bound */
    plussi_node *late = plussi_nest_add_node(nest, &region->body, NULL, PLUSSI_N_REF, at(20));
    late->u.ref = ref->u.ref; /* behind it */
    expect_fault(PLUSS_EINVALID,
                 "11:0: found induction variable 'i' outside of its scope, expected "
                 "one declared before this place\n"
                 "20:0: found induction variable 'i' outside of its scope, expected "
                 "one declared before this place\n");
}
END_TEST

START_TEST(hidden_names)
{
    plussi_symbol *own = plussi_nest_add_symbol(nest, region, "n", NULL);
    plussi_array *view = plussi_nest_add_array(nest, region, "V", PLUSSI_ELEM_F64, 0, 1);
    view->extents[0] = plussi_expr_symbol(nest, n); /* the nest's, hidden by the region's */
    loop->u.loop.hi = plussi_expr_symbol(nest, own);
    expect_fault(PLUSS_EINVALID,
                 "10:0: found symbol 'n', which another symbol of that name hides here\n");
}
END_TEST

START_TEST(later_symbols_and_arrays)
{
    plussi_symbol *m = plussi_nest_add_symbol(nest, NULL, "m", NULL);
    n->value = plussi_expr_symbol(nest, m);
    plussi_array *late = plussi_nest_add_array(nest, NULL, "Z", PLUSSI_ELEM_F64, 0, 1);
    late->extents[0] = plussi_expr_int(nest, 2);
    A->base_kind = PLUSSI_BASE_OVER;
    A->over = late;
    expect_fault(PLUSS_EINVALID,
                 "0:0: found symbol 'm' outside of its scope, expected one declared "
                 "before this place\n"
                 "0:0: found array 'Z' outside of its scope, expected one declared "
                 "before this place\n");
    n->value = plussi_expr_symbol(nest, n);
    A->over = A;
    expect_fault(PLUSS_EINVALID,
                 "0:0: found symbol 'n' outside of its scope, expected one declared "
                 "before this place\n"
                 "0:0: found array 'A' outside of its scope, expected one declared "
                 "before this place\n");
}
END_TEST

START_TEST(odd_arrays)
{
    A->elem_bytes = 7;
    A->extents = NULL;
    A->base = plussi_expr_int(nest, 3);
    A->has_values = true;
    A->n_values = 2;
    A->alias = "";
    expect_fault(PLUSS_EINVALID,
                 "0:0: array 'A': found an element size that is not its type's\n"
                 "0:0: array 'A': found no extents\n"
                 "0:0: array 'A': found a base, expected offset, address or over with it\n"
                 "0:0: found an alias group without a name\n"
                 "0:0: array 'A': found values, expected an integer element type with them\n");
    plussi_array *B = plussi_nest_add_array(nest, NULL, "B", PLUSSI_ELEM_BYTES, 0, 0);
    B->over = A;
    A->elem = PLUSSI_ELEM_I8;
    A->elem_bytes = 1;
    A->base = NULL;
    A->alias = NULL;
    A->extents = plussi_expr_vec(nest, 1);
    expect_fault(PLUSS_EINVALID,
                 "0:0: array 'A': found no values where some are announced\n"
                 "0:0: array 'B': found an element size outside of 1 to 2^59 bytes\n"
                 "0:0: array 'B': found 'over' without an array, or an array without 'over'\n");
}
END_TEST

START_TEST(odd_names)
{
    char lengthy[300];
    memset(lengthy, 'x', sizeof lengthy);
    lengthy[299] = '\0';
    plussi_nest_add_symbol(nest, NULL, "", NULL);
    plussi_nest_add_symbol(nest, NULL, "a`b", NULL);
    plussi_nest_add_symbol(nest, NULL, "a\nb", NULL);
    plussi_nest_add_symbol(nest, NULL, lengthy, NULL);
    loop->u.loop.iv = "\x7f";
    region->name = "\x01";
    expect_fault(
        PLUSS_EINVALID,
        "0:0: found a symbol without a name\n"
        "0:0: found byte 0x60 in the name of a symbol, expected printable text without '`'\n"
        "0:0: found byte 0x0a in the name of a symbol, expected printable text without '`'\n"
        "0:0: found a symbol with a name of 299 bytes, expected at most PLUSSI_MAX_NAME = 255\n"
        "10:0: found byte 0x01 in the name of a region, expected printable text without '`'\n"
        "11:0: found byte 0x7f in the name of a loop, expected printable text without '`'\n");
}
END_TEST

START_TEST(blocks_where_none_belong)
{
    plussi_nest_add_node(nest, &ref->body, ref, PLUSSI_N_BARRIER, at(20));
    plussi_nest_add_node(nest, &loop->orelse, loop, PLUSSI_N_BARRIER, at(21));
    expect_fault(PLUSS_EINVALID, "11:0: found a block in a statement that has none\n"
                                 "12:0: found a block in a statement that has none\n");
}
END_TEST

START_TEST(odd_references)
{
    ref->u.ref.offset = -1;
    expect_fault(PLUSS_EINVALID,
                 "12:0: found a reference to no byte of the element, expected a width\n");
    ref->u.ref.offset = INT64_MAX - 3;
    ref->u.ref.width = 8;
    expect_fault(PLUSS_EINVALID, "12:0: found bytes of a reference that exceed 64 bits\n");
    ref->u.ref.offset = 0;
    plussi_expr *load = plussi_expr_load(nest, A, 1);
    load->array = NULL;
    ref->u.ref.subs[0] = load;
    expect_fault(PLUSS_EINVALID, "12:0: found a load without an array\n");
    load->array = A;
    load->subs = NULL;
    expect_fault(PLUSS_EINVALID, "12:0: found 0 subscripts of 'A', expected 1\n");
    ref->u.ref.subs[0] = plussi_expr_symbol(nest, n);
    ref->u.ref.subs[0]->symbol = NULL;
    expect_fault(PLUSS_EINVALID, "12:0: found a use of symbol without a name\n");
    ref->u.ref.subs[0] = plussi_expr_int(nest, 0);
    plussi_op op = {"fadd", (uint64_t)INT64_MAX + 1};
    plussi_node *ops = plussi_nest_add_node(nest, &loop->body, loop, PLUSSI_N_OPS, at(13));
    ops->u.ops.n = 1;
    ops->u.ops.op = &op;
    expect_fault(PLUSS_EINVALID, "13:0: found a count of operations that exceeds 64 bits signed\n");
}
END_TEST

START_TEST(limits_of_built_nests)
{
    plussi_array *wide = plussi_nest_add_array(nest, NULL, "W", PLUSSI_ELEM_I8, 0, 17);
    expect_fault(PLUSS_ELIMIT, "0:0: found 17 dimensions, expected at most PLUSSI_MAX_RANK = 16\n");
    wide->rank = 0;
    wide->has_values = true;
    wide->n_values = PLUSSI_MAX_VALUES + 1;
    expect_fault(PLUSS_ELIMIT, "0:0: found more than 16777216 values, expected at most "
                               "PLUSSI_MAX_VALUES = 16777216\n");
    wide->has_values = false;
    plussi_body *body = &region->body;
    plussi_node *parent = NULL;
    for (int i = 0; i < PLUSSI_MAX_DEPTH + 1; i++) {
        parent = plussi_nest_add_node(nest, body, parent, PLUSSI_N_CRITICAL, at(0));
        body = &parent->body;
    }
    expect_fault(PLUSS_ELIMIT, "10:0: found more than 64 statements within each other, expected at "
                               "most PLUSSI_MAX_DEPTH = 64\n");
    for (int i = 0; i < 2; i++) /* the printer's own guard allows an innermost empty block more */
        parent = plussi_nest_add_node(nest, &parent->body, parent, PLUSSI_N_CRITICAL, at(0));
    char *text;
    size_t length;
    ck_assert_int_eq(plussi_nest_print(&ctx, nest, &text, &length), PLUSS_ELIMIT);
}
END_TEST

START_TEST(too_many_declarations)
{
    for (int i = 0; i < PLUSSI_MAX_SYMBOLS; i++)
        plussi_nest_add_symbol(nest, NULL, "again", NULL);
    expect_fault(PLUSS_ELIMIT, "0:0: found more than 4096 symbols, expected at most "
                               "PLUSSI_MAX_SYMBOLS = 4096\n");
    nest->first_symbol->next = NULL;
    nest->last_symbol = nest->first_symbol;
    for (int i = 0; i < PLUSSI_MAX_ARRAYS; i++)
        plussi_nest_add_array(nest, NULL, "again", PLUSSI_ELEM_I8, 0, 0);
    expect_fault(PLUSS_ELIMIT,
                 "0:0: found more than 4096 arrays, expected at most PLUSSI_MAX_ARRAYS = 4096\n");
}
END_TEST

START_TEST(owners_outside_of_the_nest)
{
    plussi_region stranger = {.name = "stranger", .id = 7};
    plussi_nest_add_symbol(nest, &stranger, "s", NULL);
    plussi_nest_add_array(nest, &stranger, "B", PLUSSI_ELEM_I8, 0, 0);
    expect_fault(PLUSS_EINVALID, "0:0: found symbol 's' of a region that is not in the nest\n"
                                 "0:0: found array 'B' of a region that is not in the nest\n");
}
END_TEST

START_TEST(messages_stay_one_line)
{
    region->name = "r";
    n->name = "a\nb";
    plussi_nest_add_symbol(nest, NULL, "n", NULL);
    A->extents[0] =
        plussi_expr_op(nest, PLUSSI_E_ADD, A->extents[0], plussi_expr_symbol(nest, n), NULL);
    plussi_ctx_clear(&ctx);
    ck_assert_int_eq(plussi_nest_validate(&ctx, nest), PLUSS_EINVALID);
    for (size_t i = 0; i < ctx.n_diags; i++)
        ck_assert_ptr_null(strchr(ctx.diags[i].text, '\n'));
    ck_assert_str_eq(ctx.diags[1].text, "found symbol 'a?b' outside of its scope, expected one "
                                        "declared before this place");
}
END_TEST

START_TEST(broken_links)
{
    ref->parent = parallel;
    expect_fault(PLUSS_EINVALID,
                 "10:0: found a statement whose parent is not the one it stands in\n");
    ref->parent = loop;
    loop->body.last = NULL;
    expect_fault(PLUSS_EINVALID, "10:0: found a block whose last statement is not its last\n");
    loop->body.last = ref;
    ref->next = ref; /* a ring */
    expect_fault(PLUSS_ELIMIT, "10:0: found more than 1048576 statements, expected at most "
                               "PLUSSI_MAX_NODES = 1048576\n");
    ref->next = NULL;
    ref->body = loop->body; /* its own child */
    expect_fault(PLUSS_EINVALID,
                 "10:0: found a statement whose parent is not the one it stands in\n");
    ref->parent = ref;
    ref->body = (plussi_body){ref, ref};
    loop->body = (plussi_body){0};
    expect_fault(PLUSS_OK, ""); /* not reachable any more */
}
END_TEST

START_TEST(rings_of_expressions)
{
    plussi_expr *ring = plussi_expr_op(nest, PLUSSI_E_ADD, plussi_expr_iv(nest, loop),
                                       plussi_expr_int(nest, 1), NULL);
    ring->a[1] = ring;
    ref->u.ref.subs[0] = ring;
    expect_fault(PLUSS_ELIMIT, "12:0: found more than 64 levels in a subscript, expected at most "
                               "PLUSSI_MAX_EXPR_DEPTH = 64\n");
    char *text;
    size_t length;
    ck_assert_int_eq(plussi_nest_print(&ctx, nest, &text, &length), PLUSS_ELIMIT);
    ck_assert(!plussi_nest_equal(nest, nest, false));
}
END_TEST

/* 2^40 operands in 40 objects: shared, as a compiler's values are. */
START_TEST(shared_expressions_do_not_take_forever)
{
    plussi_expr *twice = plussi_expr_iv(nest, loop);
    for (int i = 0; i < 40; i++) {
        if (i == 5) {
            ref->u.ref.subs[0] = twice;
            ck_assert_int_eq(plussi_nest_validate(&ctx, nest), PLUSS_OK);
        }
        twice = plussi_expr_op(nest, PLUSSI_E_ADD, twice, twice, NULL);
    }
    ref->u.ref.subs[0] = twice;
    expect_fault(PLUSS_ELIMIT, "12:0: found more than 268435456 operands in all expressions\n");
}
END_TEST

START_TEST(a_text_has_a_limit)
{
    plussi_text text;
    plussi_text_init(&text, &ctx);
    plussi_text_puts(&text, "ab");
    text.length = PLUSSI_MAX_TEXT - 1; /* as if so much had been written */
    plussi_text_puts(&text, "cd");
    plussi_text_puts(&text, "e");
    char *out = NULL;
    ck_assert_int_eq(plussi_text_finish(&text, &out, NULL), PLUSS_ELIMIT);
    ck_assert_ptr_null(out);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_str_eq(ctx.diags[0].text,
                     "the nest's text exceeds PLUSSI_MAX_TEXT = 268435456 bytes");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("nest build");
    TCase *t = tcase_create("build");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, a_built_nest_prints);
    tcase_add_test(t, equivalent_fields_become_one);
    tcase_add_test(t, expr_op_folds_negated_literals);
    tcase_add_test(t, lists_come_into_text_order);
    tcase_add_test(t, walks_are_in_text_order);
    tcase_add_test(t, null_gives_null);
    tcase_add_test(t, a_shortage_is_remembered);
    tcase_add_test(t, a_generator_without_memory);
    suite_add_tcase(s, t);
    t = tcase_create("validate");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, messages_point_at_the_source);
    tcase_add_test(t, missing_parts);
    tcase_add_test(t, missing_conditions_and_operands);
    tcase_add_test(t, numbers_outside_of_enumerations);
    tcase_add_test(t, odd_loops);
    tcase_add_test(t, foreign_and_misplaced_objects);
    tcase_add_test(t, induction_variables_end_with_their_loops);
    tcase_add_test(t, hidden_names);
    tcase_add_test(t, later_symbols_and_arrays);
    tcase_add_test(t, odd_arrays);
    tcase_add_test(t, odd_names);
    tcase_add_test(t, blocks_where_none_belong);
    tcase_add_test(t, odd_references);
    tcase_add_test(t, limits_of_built_nests);
    tcase_add_test(t, too_many_declarations);
    tcase_add_test(t, owners_outside_of_the_nest);
    tcase_add_test(t, messages_stay_one_line);
    tcase_add_test(t, broken_links);
    tcase_add_test(t, rings_of_expressions);
    tcase_add_test(t, shared_expressions_do_not_take_forever);
    tcase_add_test(t, a_text_has_a_limit);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
