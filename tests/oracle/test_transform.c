/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps on random small nests against brute force: every access of both nests is listed, and a step
 * is legal where each access finds as many writes to its element before it as without the step, and
 * no iterations of a worksharing loop meet in an element that one of them writes.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/nest_text.h"
#include "../unit/suite.h"
#include "base/rng.h"
#include "transform/transform.h"

static plussi_ctx ctx;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
}

static void teardown(void)
{
    plussi_ctx_clear(&ctx);
}

/* ---- brute force ------------------------------------------------------------------------------
 */

enum { DEPTH_MOST = 8, CELLS = 1 << 16, ACCESSES_MOST = 1 << 15 };

/* An access, told from all others by its reference and the values of the loops around it. */
typedef struct access {
    uint32_t ref, cell;
    int8_t value[8];
    uint32_t writes; /* to the cell before it */
} access;

typedef struct listing {
    access *at;
    size_t n;
    bool races;
} listing;

static int64_t n_value;          /* of the symbol n */
static const plussi_nest *plain; /* whose arrays and subscripts count */
static const plussi_node *plain_ref[64];
static int64_t value_of[256]; /* of induction variables, by their letter */
static uint32_t writes[CELLS];
static int64_t iteration[CELLS], execution[CELLS]; /* of a worksharing loop, the last one here */
static bool written[CELLS], shared[CELLS];
static int64_t now_iteration, now_execution;
static bool in_worksharing;

static int64_t evaluate(const plussi_expr *e)
{
    int64_t a = e->a[0] ? evaluate(e->a[0]) : 0, b = e->a[1] ? evaluate(e->a[1]) : 0;
    switch (e->kind) {
    case PLUSSI_E_INT:
        return e->value;
    case PLUSSI_E_SYMBOL:
        return n_value;
    case PLUSSI_E_IV: /* tiles have names of two letters */
        return value_of[(unsigned char)e->loop->u.loop.iv[0] + (e->loop->u.loop.iv[1] ? 128 : 0)];
    case PLUSSI_E_NEG:
        return -a;
    case PLUSSI_E_ADD:
        return a + b;
    case PLUSSI_E_SUB:
        return a - b;
    case PLUSSI_E_MUL:
        return a * b;
    case PLUSSI_E_DIV:
        return (a - ((a % b) + b) % b) / b;
    case PLUSSI_E_MOD:
        return ((a % b) + b) % b;
    case PLUSSI_E_MIN:
        return a < b ? a : b;
    case PLUSSI_E_MAX:
        return a > b ? a : b;
    case PLUSSI_E_LT:
        return a < b;
    case PLUSSI_E_LE:
        return a <= b;
    case PLUSSI_E_EQ:
        return a == b;
    default:
        ck_abort_msg("expression of kind %d", (int)e->kind);
        return 0;
    }
}

static uint32_t cell_of(const plussi_node *ref)
{
    enum { SPAN = 32, BELOW = 9 };
    uint32_t cell = 0, first = 0, size = 1;
    for (uint32_t d = 0; d < ref->u.ref.n_subs; d++) {
        int64_t subscript = evaluate(ref->u.ref.subs[d]) + BELOW;
        ck_assert(subscript >= 0 && subscript < SPAN);
        first += size;
        size *= SPAN;
        cell = cell * SPAN + (uint32_t)subscript;
    }
    return first + cell;
}

static void see_sharing(listing *out, uint32_t cell, bool write)
{
    if (!in_worksharing)
        return;
    if (execution[cell] != now_execution) {
        execution[cell] = now_execution;
        iteration[cell] = now_iteration;
        written[cell] = shared[cell] = false;
    }
    shared[cell] = shared[cell] || iteration[cell] != now_iteration;
    written[cell] = written[cell] || write;
    out->races = out->races || (shared[cell] && written[cell]);
}

static void visit(const plussi_body *body, listing *out)
{
    for (const plussi_node *node = body->first; node; node = node->next) {
        if (node->kind == PLUSSI_N_REF) {
            const plussi_node *ref = plain_ref[node->id];
            access *a = &out->at[out->n++];
            ck_assert_uint_lt(out->n, ACCESSES_MOST);
            *a = (access){.ref = node->id, .cell = cell_of(ref)};
            for (const plussi_node *up = ref->parent; up; up = up->parent)
                if (up->kind == PLUSSI_N_LOOP)
                    a->value[up->u.loop.iv[0] - 'i'] =
                        (int8_t)value_of[(unsigned char)up->u.loop.iv[0]];
            a->writes = writes[a->cell];
            writes[a->cell] += ref->u.ref.write;
            see_sharing(out, a->cell, ref->u.ref.write);
        } else if (node->kind == PLUSSI_N_LOOP) {
            const bool inside = in_worksharing;
            int64_t lo = evaluate(node->u.loop.lo), hi = evaluate(node->u.loop.hi);
            int64_t step = node->u.loop.step;
            const char *iv = node->u.loop.iv;
            if (node->u.loop.workshare) {
                in_worksharing = true;
                now_execution++;
            }
            for (int64_t v = lo; step > 0 ? v < hi : v > hi; v += step) {
                value_of[(unsigned char)iv[0] + (iv[1] ? 128 : 0)] = v;
                if (node->u.loop.workshare)
                    now_iteration = v;
                visit(&node->body, out);
            }
            in_worksharing = inside;
        } else if (node->kind == PLUSSI_N_IF) {
            visit(evaluate(node->u.branch.cond) ? &node->body : &node->orelse, out);
        } else {
            visit(&node->body, out);
        }
    }
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(access));
}

static listing list(const plussi_nest *nest, int64_t n)
{
    listing out = {.at = calloc(ACCESSES_MOST, sizeof(access))};
    memset(writes, 0, sizeof writes);
    memset(execution, 0, sizeof execution);
    now_execution = 0;
    n_value = n;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        visit(&r->body, &out);
    qsort(out.at, out.n, sizeof *out.at, compare);
    return out;
}

static void take_as_plain(const plussi_nest *nest)
{
    plain = nest;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (node->kind == PLUSSI_N_REF)
                plain_ref[node->id] = node;
}

typedef enum verdict { SAME, ORDER_CHANGED, RACES, OTHER_ACCESSES } verdict;

static verdict compare_nests(const plussi_nest *old, const plussi_nest *made)
{
    verdict worst = SAME;
    for (int64_t n = 0; n < 9 && worst == SAME; n += n == 1 ? 3 : n == 7 ? 1 : n ? 3 : 1) {
        take_as_plain(old);
        listing a = list(old, n), b = list(made, n);
        if (a.n != b.n)
            worst = OTHER_ACCESSES;
        for (size_t i = 0; i < a.n && worst != OTHER_ACCESSES; i++)
            if (memcmp(&a.at[i], &b.at[i], offsetof(access, writes)) != 0)
                worst = OTHER_ACCESSES;
            else if (a.at[i].writes != b.at[i].writes)
                worst = ORDER_CHANGED;
        if (worst == SAME && b.races && !a.races)
            worst = RACES;
        free(a.at);
        free(b.at);
    }
    return worst;
}

/* ---- random nests and steps -------------------------------------------------------------------
 */

typedef struct maker {
    plussi_rng rng;
    char text[4096];
    size_t length;
    int refs;
    bool fused; /* both loops at the top have the same head */
} maker;

static uint64_t draw(maker *m, uint64_t n)
{
    return plussi_rng_below(&m->rng, n);
}

static void put(maker *m, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    m->length +=
        (size_t)vsnprintf(m->text + m->length, sizeof m->text - m->length, format, arguments);
    va_end(arguments);
    ck_assert_uint_lt(m->length, sizeof m->text);
}

static void put_subscript(maker *m, int depth)
{
    char iv = (char)('i' + (int)draw(m, (uint64_t)depth));
    int c = (int)draw(m, 4) - 1;
    switch (draw(m, 12)) {
    case 0:
        put(m, "2*%c", iv);
        break;
    case 1:
        put(m, "%c + %c", iv, 'i' + (char)draw(m, (uint64_t)depth));
        break;
    case 2:
        put(m, "%c - %c", iv, 'i' + (char)draw(m, (uint64_t)depth));
        break;
    case 3:
        put(m, "%d", c);
        break;
    case 4:
        put(m, "%c/2", iv);
        break;
    default:
        put(m, c < 0 ? "%c - %d" : "%c + %d", iv, abs(c));
    }
}

static void put_ref(maker *m, int depth, bool write)
{
    int array = (int)draw(m, 3);
    put(m, "%s %c", write ? "write" : "read", 'A' + array);
    for (int d = 0; d < array + 1; d++) {
        put(m, "[");
        put_subscript(m, depth);
        put(m, "]");
    }
    put(m, "\n");
    m->refs++;
}

static void put_statement(maker *m, int depth)
{
    bool guarded = draw(m, 8) == 0;
    if (guarded)
        put(m, "if (%c < %c + %d) {\n", 'i' + (char)draw(m, (uint64_t)depth),
            'i' + (char)draw(m, (uint64_t)depth), (int)draw(m, 4));
    for (uint64_t reads = draw(m, 3); reads > 0; reads--)
        put_ref(m, depth, false);
    put_ref(m, depth, draw(m, 12) != 0);
    if (guarded)
        put(m, "}\n");
}

static void put_sibling(maker *m, int depth)
{
    put(m, "for m in 0..n {\n");
    put_statement(m, depth);
    put(m, "}\n");
}

static void put_loop(maker *m, int depth, int most, bool workshare)
{
    char iv = (char)('i' + depth);
    put(m, "%sfor %c in ", workshare ? "parallel " : "", iv);
    uint64_t head = m->fused && depth == 0 ? 3 : draw(m, 8);
    if (depth > 0 && head == 0)
        put(m, "%c..n", 'i' + (char)draw(m, (uint64_t)depth));
    else if (depth > 0 && head == 1)
        put(m, "0..%c + 1", 'i' + (char)draw(m, (uint64_t)depth));
    else if (head == 2)
        put(m, "n - 1..-1 step -1");
    else if (head == 4)
        put(m, "1..n step 2");
    else
        put(m, "%d..n", head < 4 ? 0 : (int)draw(m, 3));
    put(m, " {\n");
    if (depth + 1 == most) {
        put_statement(m, depth + 1);
        if (draw(m, 3) == 0)
            put_statement(m, depth + 1);
    } else {
        if (draw(m, 4) == 0)
            put_statement(m, depth + 1);
        put_loop(m, depth + 1, most, false);
        if (draw(m, 4) == 0)
            put_statement(m, depth + 1);
        if (draw(m, 6) == 0)
            put_sibling(m, depth + 1);
    }
    put(m, "}\n");
}

static void make(maker *m, uint64_t seed, char *step)
{
    *m = (maker){.length = 0};
    plussi_rng_seed(&m->rng, 20, seed);
    int most = 2 + (int)draw(m, 2);
    bool workshare = draw(m, 3) == 0;
    uint64_t kind = draw(m, 8);
    m->fused = kind == 0;
    put(m, "symbol n\narray f64 A[], B[][64], C[][64][64]\nregion r\n");
    put_loop(m, 0, most, workshare);
    if (m->fused)
        put_loop(m, 0, most, workshare);
    int a = (int)draw(m, (uint64_t)most), b = (int)draw(m, (uint64_t)most - 1);
    b += b >= a;
    if (m->fused)
        sprintf(step, "fuse:i@4,i@0");
    else if (kind < 4)
        sprintf(step, "interchange:%c,%c", 'i' + a, 'i' + b);
    else if (kind < 7)
        sprintf(step, "tile:%c=%d,%c=%d", 'i' + a, 1 + (int)draw(m, 3), 'i' + b,
                1 + (int)draw(m, 3));
    else
        sprintf(step, "distribute:%c", 'i' + (int)draw(m, (uint64_t)most - 1));
}

/* The line of the n-th loop at the outermost level, in the text with its header. */
static uint32_t top_line(const plussi_nest *nest, int n)
{
    const plussi_node *top = nest->first_region->body.first;
    for (; n > 0; n--)
        top = top->next;
    return top->kind == PLUSSI_N_LOOP ? top->text_loc.line : top->body.first->text_loc.line;
}

/* The nest with accesses that never conflict, to which any order is legal: each writes an array of
 * its own, at the values of all loops around it. */
static plussi_nest *without_conflicts(const plussi_nest *nest)
{
    plussi_nest *copy = NULL;
    ck_assert_int_eq(plussi_nest_new(&ctx, &copy), PLUSS_OK);
    ck_assert_int_eq(plussi_nest_append(&ctx, copy, nest), PLUSS_OK);
    plussi_region *r = copy->first_region;
    for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));) {
        char name[16];
        uint32_t depth = 0;
        if (node->kind != PLUSSI_N_REF)
            continue;
        for (const plussi_node *up = node->parent; up; up = up->parent)
            depth += up->kind == PLUSSI_N_LOOP;
        sprintf(name, "own%u", node->id);
        plussi_array *own = plussi_nest_add_array(copy, NULL, name, PLUSSI_ELEM_F64, 8, depth);
        plussi_expr **subs = plussi_expr_vec(copy, depth);
        for (uint32_t d = 1; d < depth; d++)
            own->extents[d] = plussi_expr_int(copy, 64);
        for (plussi_node *up = node->parent; up; up = up->parent)
            if (up->kind == PLUSSI_N_LOOP)
                subs[--depth] = plussi_expr_iv(copy, up);
        node->u.ref.array = own;
        node->u.ref.n_subs = own->rank;
        node->u.ref.subs = subs;
        node->u.ref.write = true;
    }
    ck_assert_int_eq(plussi_nest_validate(&ctx, copy), PLUSS_OK);
    return copy;
}

START_TEST(random_steps)
{
    int legal = 0, refused = 0, needless = 0, other = 0;
    const int all = getenv("PLUSS_LONG") ? 20000 : 600;
    for (int seed = 0; seed < all / suite_step(); seed++) {
        maker m;
        char step[64];
        make(&m, (uint64_t)seed, step);
        plussi_nest *nest = nest_of(&ctx, m.text), *made = NULL, *free_made = NULL;
        if (m.fused)
            sprintf(step, "fuse:i@%u,i@%u", top_line(nest, 0), top_line(nest, 1));
        const char *const steps[] = {step};
        plussi_nest *loose = without_conflicts(nest);
        pluss_status status = plussi_transform(&ctx, nest, steps, 1, &made);
        char *why = messages_of(&ctx);
        const bool order = strstr(why, "change their order");
        plussi_ctx_clear(&ctx);
        pluss_status can = plussi_transform(&ctx, loose, steps, 1, &free_made);
        plussi_ctx_clear(&ctx);
        ck_assert_msg(status == PLUSS_OK || status == PLUSS_EUNSUPPORTED, "%s: %s\n%s", step,
                      plussi_status_name(status), m.text);
        verdict v = can == PLUSS_OK ? compare_nests(nest, free_made) : SAME;
        ck_assert_msg(v != OTHER_ACCESSES, "%s: other accesses\n%s", step, m.text);
        if (status == PLUSS_OK) {
            ck_assert_msg(can == PLUSS_OK && v == SAME, "%s: %s\n%s", step,
                          v == RACES ? "races" : "changes the order", m.text);
            ck_assert_msg(compare_nests(nest, made) == SAME, "%s\n%s", step, m.text);
            legal++;
        } else if (can != PLUSS_OK) {
            other++; /* its form alone does not allow it */
        } else {
            refused++;
            needless += v == SAME && order;
            if (v == SAME && order && getenv("PLUSS_SHOW"))
                fprintf(stderr, "%d: %s%s\n%s\n", seed, why, step, m.text);
        }
        free(why);
        plussi_nest_free(nest);
        plussi_nest_free(made);
        plussi_nest_free(free_made);
        plussi_nest_free(loose);
    }
    fprintf(stderr,
            "# %d legal, %d refused, %d of them that brute force finds no fault in, %d of "
            "another form\n",
            legal, refused, needless, other);
    ck_assert_int_gt(legal, all / suite_step() / 8);
    ck_assert_int_gt(refused, all / suite_step() / 8);
    ck_assert_int_le(needless, refused / 20);
}
END_TEST

static Suite *transform_suite(void)
{
    Suite *suite = suite_create("transform");
    TCase *tcase = tcase_create("random");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, random_steps);
    suite_add_tcase(suite, tcase);
    return suite;
}

SUITE_MAIN(transform_suite())
