/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folding: random nests of affine loops are executed, folded, and executed again.
 */
#include "failing_mem.h"
#include "suite.h"
#include "trace/fold_loops.h"

/* ---- random programs ---------------------------------------------------------------------------
 */

typedef struct access {
    int32_t tag;
    int64_t address;
} access;

static access stream[1 << 20];
static size_t n_stream;
static uint64_t state;

static int64_t draw(int64_t lo, int64_t hi)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return lo + (int64_t)((state >> 33) % (uint64_t)(hi - lo + 1));
}

static void emit(int32_t tag, int64_t address)
{
    if (n_stream < sizeof stream / sizeof *stream)
        stream[n_stream++] = (access){tag, address};
}

/* A loop of the program, or an access: the address, or the bounds, of the iterations around it. */
typedef struct statement {
    bool is_loop;
    int tag, n;
    int64_t lo[6], hi[6]; /* constant, then a factor for each loop around */
    struct statement *body[4];
} statement;

static statement pool[64];
static int n_pool, n_tags, n_nodes;

static statement *make(int depth, int left)
{
    statement *s = &pool[n_pool++];
    *s = (statement){.is_loop = left > 0 && (depth == 0 || draw(0, 2) > 0), .tag = n_tags};
    n_nodes++;
    if (!s->is_loop) {
        n_tags++;
        s->lo[0] = draw(0, 100000);
        for (int k = 1; k <= depth; k++)
            s->lo[k] = draw(0, 2) ? 8 * draw(-40, 40) : 0;
        return s;
    }
    s->hi[0] = draw(8, 14);
    for (int k = 1; k <= depth; k++) {
        s->lo[k] = draw(0, 3) == 0 ? draw(-1, 1) : 0;
        s->hi[k] = draw(0, 3) == 0 ? draw(0, 1) : 0;
    }
    s->n = (int)draw(1, depth ? 3 : 2);
    for (int i = 0; i < s->n; i++)
        s->body[i] = make(depth + 1, i && n_pool > 20 ? 0 : left - 1);
    return s;
}

static int64_t value(const int64_t *row, const int64_t *iv, int depth)
{
    int64_t v = row[0];
    for (int k = 0; k < depth; k++)
        v += row[k + 1] * iv[k];
    return v;
}

static void execute(const statement *s, int64_t *iv, int depth)
{
    if (!s->is_loop) {
        emit(s->tag, value(s->lo, iv, depth));
        return;
    }
    int64_t hi = value(s->hi, iv, depth);
    for (iv[depth] = value(s->lo, iv, depth); iv[depth] < hi; iv[depth]++)
        for (int i = 0; i < s->n; i++)
            execute(s->body[i], iv, depth + 1);
}

static const statement *random_program(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u + 1;
    n_pool = n_tags = n_nodes = 0;
    n_stream = 0;
    return make(0, (int)draw(1, 3));
}

/* ---- folding and unfolding ---------------------------------------------------------------------
 */

static pluss_status fold(const plussi_mem *mem, plussi_fold_tree **tree)
{
    plussi_fold_loops *loops = NULL;
    pluss_status status = plussi_fold_loops_new(mem, &loops);
    for (size_t i = 0; i < n_stream && !status; i++)
        status = plussi_fold_loops_add(loops, stream[i].tag, stream[i].address);
    if (!status)
        status = plussi_fold_loops_end(loops, tree);
    plussi_fold_loops_free(loops);
    return status;
}

static void check_unfolds(const plussi_fold_tree *tree)
{
    plussi_fold_cursor cursor;
    int32_t tag;
    int64_t address;
    size_t n = 0;
    plussi_fold_begin(&cursor, tree);
    while (plussi_fold_next(&cursor, &tag, &address) && n < n_stream && tag == stream[n].tag &&
           address == stream[n].address)
        n++;
    ck_assert_uint_eq(n, n_stream);
    ck_assert(!plussi_fold_next(&cursor, &tag, &address));
}

/* Nodes of the tree. */
static uint32_t fold_and_check(void)
{
    plussi_fold_tree *tree = NULL;
    ck_assert_int_eq(fold(&plussi_mem_libc, &tree), PLUSS_OK);
    check_unfolds(tree);
    uint32_t n = tree->n;
    plussi_free(&plussi_mem_libc, tree);
    return n;
}

/* ---- properties --------------------------------------------------------------------------------
 */

/* What is folded is what was executed, and of nearly all programs it is about as long as the
 * program. */
START_TEST(random_programs)
{
    int n = 0, longer = 0;
    for (int i = 0; i < suite_turns(3000); i++) {
        const statement *program = random_program((uint64_t)suite_turn(i, 3000));
        int64_t iv[8];
        execute(program, iv, 0);
        longer += fold_and_check() > 3 * (uint32_t)n_nodes;
        n++;
    }
    ck_assert_int_le(longer, n / 500);
}
END_TEST

/* Short loops in which hardly anything comes three times fold less, but never wrongly. */
START_TEST(short_loops)
{
    for (int i = 0; i < suite_turns(2000); i++) {
        const statement *program = random_program((uint64_t)(7000 + i));
        int64_t iv[8];
        for (int k = 0; k < n_pool; k++)
            if (pool[k].is_loop)
                pool[k].hi[0] = draw(0, 5);
        execute(program, iv, 0);
        fold_and_check();
    }
}
END_TEST

/* Loops of i, j and k over tiles. */
static void execute_tiles(int64_t ni, int64_t nj, int64_t nk, int64_t tile)
{
#define TILES(v, n) for (int64_t v##0 = 0; v##0 < (n); v##0 += tile)
#define TILE(v, n) for (int64_t v = v##0; v < v##0 + tile && v < (n); v++)
    TILES(i, ni) TILES(j, nj) TILES(k, nk) TILE(i, ni) TILE(j, nj) TILE(k, nk)
    {
        emit(0, 8 * (i * nk + k));
        emit(1, 8 * (k * nj + j));
        emit(2, 8 * (i * nj + j));
    }
}

START_TEST(tiles)
{
    const int64_t size[][3] = {{32, 40, 48}, {35, 42, 53}, {33, 47, 57}, {41, 64, 36}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        n_stream = 0;
        execute_tiles(size[i][0], size[i][1], size[i][2], 8);
        ck_assert_uint_eq(fold_and_check(), 9);
    }
}
END_TEST

/* The same program as a stream that begins, or ends, in the middle. */
START_TEST(parts_of_streams)
{
    for (int i = 0; i < suite_turns(300); i++) {
        const statement *program = random_program((uint64_t)suite_turn(i, 300));
        int64_t iv[8];
        execute(program, iv, 0);
        size_t skip = (size_t)draw(0, (int64_t)n_stream / 4);
        memmove(stream, stream + skip, (n_stream - skip) * sizeof *stream);
        n_stream -= skip;
        n_stream -= (size_t)draw(0, (int64_t)n_stream / 4);
        fold_and_check();
    }
}
END_TEST

/* ---- what does not fold ------------------------------------------------------------------------
 */

/* Accesses taken until the stream is given up. */
static size_t count_taken(int64_t (*address)(size_t), size_t most)
{
    plussi_fold_loops *loops = NULL;
    ck_assert_int_eq(plussi_fold_loops_new(&plussi_mem_libc, &loops), PLUSS_OK);
    size_t n = 0;
    while (n < most && !plussi_fold_loops_add(loops, (int32_t)(n % 3), address(n)))
        n++;
    plussi_fold_tree *tree = NULL;
    if (n < most) {
        ck_assert_int_eq(plussi_fold_loops_add(loops, 0, 0), PLUSS_ELIMIT);
        ck_assert_int_eq(plussi_fold_loops_end(loops, &tree), PLUSS_ELIMIT);
        ck_assert_ptr_null(tree);
    }
    plussi_fold_loops_free(loops);
    return n;
}

static int64_t gather(size_t i)
{
    return i % 3 == 2 ? 8 * draw(0, 100000) : (int64_t)(8 * i);
}
static int64_t everywhere(size_t i)
{
    (void)i;
    return draw(0, INT64_MAX / 2);
}
static int64_t coin(size_t i)
{
    (void)i;
    return 8 * draw(0, 1);
}
/* Runs of random lengths. */
static int64_t runs(size_t i)
{
    static int64_t at, left;
    if (i == 0 || left-- == 0) {
        at = 8 * draw(0, 1000000);
        left = draw(1, 30);
    }
    return at += 8;
}

START_TEST(random_streams)
{
    state = 5;
    ck_assert_uint_le(count_taken(gather, 1000000), 3 * PLUSSI_FOLD_TERMS);
    ck_assert_uint_le(count_taken(everywhere, 1000000), PLUSSI_FOLD_TERMS);
    ck_assert_uint_le(count_taken(coin, 1000000), 20 * PLUSSI_FOLD_TERMS);
    ck_assert_uint_le(count_taken(runs, 1000000), 40 * PLUSSI_FOLD_TERMS);
}
END_TEST

/* Numbers at the ends of their range are taken modulo 2^64. */
START_TEST(large_numbers)
{
    n_stream = 0;
    for (int64_t i = 0; i < 50; i++)
        for (int64_t k = 0; k < 6; k++) {
            emit(0, (int64_t)((uint64_t)i * 0x7fffffffffffffff));
            emit(1, INT64_MAX - k);
            emit(2, (int64_t)(0x7ffffffffffffff0u + (uint64_t)(k + i)));
        }
    ck_assert_uint_eq(fold_and_check(), 5);
}
END_TEST

START_TEST(nothing)
{
    n_stream = 0;
    ck_assert_uint_eq(fold_and_check(), 0);
    emit(3, 5);
    ck_assert_uint_eq(fold_and_check(), 1);
}
END_TEST

/* Loops in loops, deeper than a tree may be. */
START_TEST(deep_loops)
{
    n_stream = 0;
    for (int64_t i = 0; i < 1 << 19; i++) {
        int64_t address = 0;
        for (int k = 0; k < 19; k++)
            address += (i >> k & 1) << 3 * k;
        emit(0, address);
    }
    plussi_fold_tree *tree = NULL;
    pluss_status status = fold(&plussi_mem_libc, &tree);
    ck_assert(status == PLUSS_OK || status == PLUSS_ELIMIT);
    if (!status)
        check_unfolds(tree);
    plussi_free(&plussi_mem_libc, tree);
}
END_TEST

START_TEST(without_memory)
{
    const statement *program = random_program(11);
    int64_t iv[8];
    execute(program, iv, 0);
    ck_assert_uint_gt(n_stream, 100);
    for (long at = 0, ended = 0; !ended; at += suite_step()) {
        failing_mem f;
        failing_mem_init(&f, at);
        plussi_fold_tree *tree = NULL;
        pluss_status status = fold(&f.mem, &tree);
        ck_assert(status == PLUSS_OK || status == PLUSS_ENOMEM);
        ended = status == PLUSS_OK;
        if (ended)
            check_unfolds(tree);
        plussi_free(&f.mem, tree);
        ck_assert_int_eq(f.live, 0);
    }
}
END_TEST

static Suite *fold_loops_suite(void)
{
    Suite *suite = suite_create("fold_loops");
    TCase *properties = tcase_create("properties"), *limits = tcase_create("limits");
    tcase_set_timeout(properties, 120);
    tcase_set_timeout(limits, 120);
    tcase_add_test(properties, random_programs);
    tcase_add_test(properties, short_loops);
    tcase_add_test(properties, tiles);
    tcase_add_test(properties, parts_of_streams);
    tcase_add_test(limits, random_streams);
    tcase_add_test(limits, large_numbers);
    tcase_add_test(limits, nothing);
    tcase_add_test(limits, deep_loops);
    tcase_add_test(limits, without_memory);
    suite_add_tcase(suite, properties);
    suite_add_tcase(suite, limits);
    return suite;
}

SUITE_MAIN(fold_loops_suite())
