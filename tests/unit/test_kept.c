/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a context keeps from one prediction to the next: the store by itself, and predictions of a
 * warm context, which are those of a cold one to the last bit.
 */
#include "pluss.h"

#include <math.h>
#include <pthread.h>

#include "base/kept.h"
#include "base/rng.h"

#include "byte_sink.h"
#include "failing_mem.h"
#include "option_text.h"
#include "suite.h"

/* ---- the store ------------------------------------------------------------------------------- */

static plussi_kept_key key_of(uint64_t number, const char *text)
{
    plussi_kept_key key;
    plussi_kept_key_init(&key, &plussi_mem_libc);
    plussi_kept_key_add_number(&key, number);
    plussi_kept_key_add(&key, text, strlen(text));
    return key;
}

static void add(plussi_kept *kept, uint64_t number, const char *text, const char *a, const char *b)
{
    plussi_kept_key key = key_of(number, text);
    plussi_kept_add(kept, &key, 1, (plussi_kept_piece[]){{a, strlen(a)}, {b, strlen(b) + 1}}, 2);
    plussi_kept_key_free(&key);
}

static const void *hold(plussi_kept *kept, uint64_t number, const char *text)
{
    size_t size = 0;
    plussi_kept_key key = key_of(number, text);
    const char *value = plussi_kept_hold(kept, &key, &size);
    ck_assert(!value || strlen(value) + 1 == size);
    plussi_kept_key_free(&key);
    return value;
}

static bool has(plussi_kept *kept, uint64_t number, const char *text, const char *expected)
{
    const char *value = hold(kept, number, text);
    const bool same = value && strcmp(value, expected) == 0;
    plussi_kept_release(kept, value);
    return same;
}

START_TEST(finds_what_was_added)
{
    plussi_kept *kept = NULL;
    ck_assert_int_eq(plussi_kept_new(&plussi_mem_libc, 1 << 16, &kept), PLUSS_OK);
    ck_assert_ptr_null(hold(kept, 1, "a"));
    add(kept, 1, "a", "one", " and a");
    add(kept, 1, "ab", "", "another");
    add(kept, 2, "a", "", "");
    add(kept, 1, "a", "never", "seen");
    ck_assert(has(kept, 1, "a", "one and a"));
    ck_assert(has(kept, 1, "ab", "another"));
    ck_assert(has(kept, 2, "a", ""));
    ck_assert_ptr_null(hold(kept, 2, "ab"));
    for (uint64_t i = 10; i < 200; i++)
        add(kept, i, "", "", "x");
    for (uint64_t i = 10; i < 200; i++)
        ck_assert(has(kept, i, "", "x"));
    ck_assert(has(kept, 1, "a", "one and a"));
    plussi_kept_free(kept);
    ck_assert_ptr_null(hold(NULL, 1, "a"));
    add(NULL, 1, "a", "", "");
}
END_TEST

/* What cost much is kept longer than what cost little, but not for ever. */
START_TEST(costly_values_stay)
{
    enum { MOST = 4096, EACH = 500, TIMES = 100 };
    plussi_kept *kept = NULL;
    char text[EACH + 1];
    memset(text, 'v', EACH);
    text[EACH] = 0;
    ck_assert_int_eq(plussi_kept_new(&plussi_mem_libc, MOST, &kept), PLUSS_OK);
    plussi_kept_key key = key_of(0, "dear");
    plussi_kept_add(kept, &key, TIMES, &(plussi_kept_piece){text, EACH + 1}, 1);
    plussi_kept_key_free(&key);
    for (uint64_t i = 0; i < TIMES; i++) {
        add(kept, i, "cheap", text, "");
        ck_assert(has(kept, i, "cheap", text));
    }
    ck_assert(has(kept, 0, "dear", text));
    for (uint64_t i = TIMES; i < TIMES * (2 + MOST / EACH); i++)
        add(kept, i, "cheap", text, "");
    ck_assert_ptr_null(hold(kept, 0, "dear"));
    plussi_kept_free(kept);
}
END_TEST

/* What was held when something of more worth was dropped is dropped later: what comes then is worth
 * no less than if it had been dropped first. */
START_TEST(worth_never_falls)
{
    enum { BYTES = 1000 };
    static char room[BYTES];
    plussi_kept *kept = NULL;
    ck_assert_int_eq(plussi_kept_new(&plussi_mem_libc, 3 * (BYTES + 200), &kept), PLUSS_OK);
    const uint64_t cost[] = {100, 50000, 50000, 50000, 60000, 30000, 30000};
    const void *held = NULL;
    for (uint64_t i = 0; i < 7; i++) {
        plussi_kept_key key = key_of(i, "");
        plussi_kept_add(kept, &key, cost[i], &(plussi_kept_piece){room, BYTES}, 1);
        if (i == 0)
            held = plussi_kept_hold(kept, &key, NULL);
        plussi_kept_key_free(&key);
        if (i == 3) /* 1 was dropped, as 0, of less worth, was held: 0 is dropped next */
            plussi_kept_release(kept, held);
    }
    const uint64_t left[] = {3, 4, 6}; /* not 5 in place of 4 */
    for (uint64_t i = 0, n = 0; i < 7; i++) {
        plussi_kept_key key = key_of(i, "");
        const void *value = plussi_kept_hold(kept, &key, NULL);
        ck_assert_int_eq(value != NULL, n < 3 && left[n] == i);
        n += value != NULL;
        plussi_kept_release(kept, value);
        plussi_kept_key_free(&key);
    }
    plussi_kept_free(kept);
}
END_TEST

/* ---- what is dropped, against all entries compared one by one -------------------------------- */

enum { NUMBERS = 40, ROOM = 16, EACH_BYTES = 1024 /* a power of two: worths are exact */ };

typedef struct plain_entry {
    bool there;
    int holders;
    double cost, worth;
    uint64_t used;
} plain_entry;

typedef struct plain_store {
    plain_entry e[NUMBERS];
    size_t n;
    double dropped;
    uint64_t uses;
} plain_store;

static void use_plain(plain_store *s, plain_entry *e)
{
    e->worth = s->dropped + e->cost;
    e->used = s->uses++;
}

static plain_entry *find_least_plain(plain_store *s)
{
    plain_entry *least = NULL;
    for (plain_entry *e = s->e; e < s->e + NUMBERS; e++)
        if (e->there && !e->holders &&
            (!least || e->worth < least->worth ||
             (e->worth == least->worth && e->used < least->used)))
            least = e;
    return least;
}

static void add_plain(plain_store *s, plain_entry *e, uint64_t cost)
{
    plain_entry *least = s->n == ROOM ? find_least_plain(s) : NULL;
    if (e->there || (s->n == ROOM && !least))
        return;
    if (least) {
        s->dropped = fmax(s->dropped, least->worth);
        least->there = false;
        s->n--;
    }
    s->n++;
    *e = (plain_entry){.there = true, .cost = (double)cost};
    use_plain(s, e);
}

START_TEST(least_is_dropped)
{
    enum { MOST = ROOM * EACH_BYTES, STEPS = 20000, AGAIN = 500, MOST_HELD = 100 };
    static const char value[EACH_BYTES];
    struct {
        const void *value;
        plain_entry *e;
    } held[MOST_HELD];
    plain_store plain = {.n = 0};
    plussi_rng rng;
    plussi_kept *kept = NULL;
    size_t head = 0, n_held = 0, full = 0;
    plussi_rng_seed(&rng, 5, (uint64_t)_i);
    ck_assert_int_eq(plussi_kept_new(&plussi_mem_libc, MOST, &kept), PLUSS_OK);
    while (!plussi_kept_has_room(kept, MOST - head))
        head++;
    for (int step = 0; step < STEPS; step++) {
        const uint64_t number = plussi_rng_below(&rng, NUMBERS);
        const bool more = step / AGAIN % 2 == 0; /* are held, until all are; then fewer */
        plussi_kept_key key = key_of(number, "");
        if (plussi_rng_below(&rng, 2)) {
            const uint64_t cost = 1 + plussi_rng_below(&rng, 6);
            plussi_kept_add(kept, &key, cost,
                            &(plussi_kept_piece){value, EACH_BYTES - head - key.n}, 1);
            full += plain.n == ROOM && !find_least_plain(&plain);
            add_plain(&plain, &plain.e[number], cost);
        } else if (n_held < MOST_HELD && (more || plussi_rng_below(&rng, 4) == 0)) {
            held[n_held].value = plussi_kept_hold(kept, &key, NULL);
            held[n_held].e = &plain.e[number];
            ck_assert_msg((held[n_held].value != NULL) == plain.e[number].there, "step %d", step);
            if (plain.e[number].there) {
                use_plain(&plain, &plain.e[number]);
                plain.e[number].holders++;
                n_held++;
            }
        } else if (n_held) {
            const size_t i = plussi_rng_below(&rng, n_held--);
            plussi_kept_release(kept, held[i].value);
            held[i].e->holders--;
            held[i] = held[n_held];
        }
        plussi_kept_key_free(&key);
    }
    ck_assert_uint_gt(full, 0); /* all were held, too */
    while (n_held)
        plussi_kept_release(kept, held[--n_held].value);
    plussi_kept_free(kept);
}
END_TEST

/* Keys of two lists are those of one only if the lists are. */
START_TEST(keys_are_whole)
{
    plussi_kept_key a, b;
    plussi_kept_key_init(&a, &plussi_mem_libc);
    plussi_kept_key_init(&b, &plussi_mem_libc);
    plussi_kept_key_add(&a, "xy", 2);
    plussi_kept_key_add(&a, "", 0);
    plussi_kept_key_add(&b, "x", 1);
    plussi_kept_key_add(&b, "y", 1);
    ck_assert(a.n != b.n || memcmp(a.bytes, b.bytes, a.n) != 0);
    plussi_kept_key_free(&a);
    plussi_kept_key_free(&b);
}
END_TEST

START_TEST(memory_is_bounded)
{
    enum { MOST = 4096, EACH = 500 };
    failing_mem m;
    plussi_kept *kept = NULL;
    char text[EACH + 1];
    memset(text, 'v', EACH);
    text[EACH] = 0;
    failing_mem_init(&m, 1 << 20);
    ck_assert_int_eq(plussi_kept_new(&m.mem, MOST, &kept), PLUSS_OK);
    add(kept, 0, "held", text, "");
    const char *held = hold(kept, 0, "held");
    ck_assert_ptr_nonnull(held);
    for (uint64_t i = 0; i < 100; i++) {
        add(kept, i, "", text, "");
        ck_assert(has(kept, i, "", text)); /* the newest is there, */
        ck_assert(has(kept, 0, "", text) || i > 0);
    }
    ck_assert_int_le(m.live, MOST / EACH + 2); /* as many as have room, */
    ck_assert(has(kept, 0, "", text));         /* what was used last, */
    ck_assert_ptr_null(hold(kept, 50, ""));
    ck_assert_str_eq(held, text); /* and what is held */
    ck_assert(!plussi_kept_has_room(kept, MOST));
    char large[MOST + 1];
    memset(large, 'w', MOST);
    large[MOST] = 0;
    add(kept, 7, "large", large, "");
    ck_assert_ptr_null(hold(kept, 7, "large"));
    ck_assert(has(kept, 0, "", text));
    plussi_kept_release(kept, held);
    for (uint64_t i = 0; i < 100; i++)
        add(kept, i, "more", text, "");
    ck_assert_ptr_null(hold(kept, 0, "held"));
    m.budget = 0; /* without memory there is nothing new */
    add(kept, 0, "late", text, "");
    m.budget = 1 << 20;
    ck_assert_ptr_null(hold(kept, 0, "late"));
    ck_assert(has(kept, 99, "more", text));
    plussi_kept_free(kept);
    ck_assert_int_eq(m.live, 0);
    failing_mem_init(&m, 1);
    ck_assert_int_eq(plussi_kept_new(&m.mem, MOST, &kept), PLUSS_ENOMEM);
    ck_assert_int_eq(m.live, 0);
}
END_TEST

static void *use_store(void *user)
{
    plussi_kept *kept = user;
    size_t *wrong = calloc(1, sizeof *wrong);
    for (uint64_t i = 0; i < 3000; i++) {
        char text[64];
        snprintf(text, sizeof text, "%60llu", (unsigned long long)(i * 7 % 100));
        add(kept, i * 7 % 100, "", text, "");
        const char *value = hold(kept, i * 7 % 100, "");
        *wrong += value && strcmp(value, text) != 0;
        plussi_kept_release(kept, value);
    }
    return wrong;
}

START_TEST(threads_share_it)
{
    plussi_kept *kept = NULL;
    pthread_t thread[3];
    ck_assert_int_eq(plussi_kept_new(&plussi_mem_libc, 4096, &kept), PLUSS_OK);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, use_store, kept), 0);
    for (int i = 0; i < 3; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        ck_assert_uint_eq(*(size_t *)wrong, 0);
        free(wrong);
    }
    plussi_kept_free(kept);
}
END_TEST

/* ---- predictions ----------------------------------------------------------------------------- */

static const char *const nests[] = {
    /* threads that are alike */
    "pluss-nest 1 symbol n=300 array f64 A[n][n] array f64 B[n][n] array f64 C[n][n] region r "
    "parallel for i in 0..n { for j in 0..n { write C[i][j] for k in 0..n { read A[i][k] read "
    "B[k][j] read C[i][j] write C[i][j] } } }",
    /* phases, triangular */
    "pluss-nest 1 symbol n=120 array f64 A[n][n] region r for k in 0..n { parallel for i in "
    "k+1..n { read A[i][k] write A[i][k] for j in k+1..i+1 { read A[i][k] read A[j][k] read "
    "A[i][j] write A[i][j] } } }",
    /* dynamic, private memory, and a team that the nest looks at */
    "pluss-nest 1 symbol n=400 array f64 A[n][n] array f64 p[n] private array f64 s[1000] region r "
    "parallel { workshare for i in 0..n schedule(dynamic, 3) { write s[$team] for j in 0..i+1 { "
    "read A[i][j] "
    "write p[j] } } }"};

/* The report of a prediction, every number of it. */
static char *predict(pluss_context *ctx, const pluss_nest *nest, const char *words)
{
    pluss_options *options = NULL;
    pluss_result *result = NULL;
    pluss_report *report = NULL;
    bytes text = {0};
    ck_assert_int_eq(make_options(ctx, words, &options), PLUSS_OK);
    ck_assert_int_eq(pluss_predict(ctx, nest, options, &result), PLUSS_OK);
    ck_assert_int_eq(pluss_result_report(ctx, result, NULL, &report), PLUSS_OK);
    ck_assert_int_eq(pluss_report_write(ctx, report, "json", NULL, add_bytes, &text), PLUSS_OK);
    text.at[text.n] = 0;
    for (size_t i = 0; i < pluss_context_diagnostic_count(ctx); i++) {
        pluss_diagnostic d = {.size = sizeof d};
        ck_assert_int_eq(pluss_context_diagnostic(ctx, i, &d), PLUSS_OK);
        add_bytes(&text, d.text, strlen(d.text));
        text.at[text.n] = 0;
    }
    pluss_context_clear(ctx);
    pluss_report_free(report);
    pluss_result_free(result);
    pluss_options_free(options);
    return text.at;
}

static pluss_context *context_of(size_t kept_bytes)
{
    const pluss_context_options options = {.size = sizeof options, .kept_bytes = kept_bytes};
    pluss_context *ctx = NULL;
    ck_assert_int_eq(pluss_context_new(&options, &ctx), PLUSS_OK);
    return ctx;
}

static pluss_nest *parse(pluss_context *ctx, const char *text)
{
    pluss_nest *nest = NULL;
    ck_assert_int_eq(pluss_nest_parse(ctx, text, strlen(text), "r.nest", &nest), PLUSS_OK);
    return nest;
}

/* What the controls of a page change, each a step from what was asked before, and back. */
static const char *const requests[] = {
    "threads=4",
    "threads=4",
    "threads=4 explain",
    "threads=1,3",
    "threads=4 cache=L1=2K:ways=4,L2=16K:ways=8:shared",
    "threads=4 cache=L1=2K:ways=8,L2=32K:ways=8:shared",
    "threads=4 cache=L1=2K,L2=16K:shared=2",
    "threads=4 cache=L1=4K,L2=32K:shared=2",
    "threads=2 cache=L1=2K:ways=1/2,L2=16K:ways=8:shared",
    "threads=4 schedule=static,2",
    "threads=4 schedule=dynamic,2",
    "threads=8 define=n=90",
    "threads=4 define=n=90 schedule=static,2",
    "threads=4 line=32",
    "threads=4 seed=7",
    "threads=4 error=0.2%",
    "threads=2 spread",
    "threads=4 progress=burst:8",
    "threads=4 progress=burst:9",
    "threads=4 model=clock-sd",
    "threads=4 effort=40000000",
    "threads=4 workers=1",
    "threads=4",
};
enum { REQUESTS = sizeof requests / sizeof *requests };

/* Number of times that a prediction asks whether to go on: samples that are known ask nobody. */
static int count_asked(void *user, const char *stage, double done, uint64_t steps)
{
    (void)stage;
    (void)done;
    (void)steps;
    ++*(int *)user;
    return 0;
}

START_TEST(samples_are_found_again)
{
    int asked = 0, before;
    const pluss_context_options options = {
        .size = sizeof options, .kept_bytes = 64 << 20, .ask = count_asked, .ask_user = &asked};
    pluss_context *ctx = NULL;
    ck_assert_int_eq(pluss_context_new(&options, &ctx), PLUSS_OK);
    pluss_nest *nest = parse(ctx, nests[0]);
    free(predict(ctx, nest, "threads=4"));
    before = asked;
    ck_assert_int_gt(before, 20);
    free(predict(ctx, nest, "threads=4 explain"));
    ck_assert_int_lt(asked - before, 5);
    before = asked;
    free(predict(ctx, nest, "threads=5"));
    ck_assert_int_gt(asked - before, 20);
    pluss_nest_free(nest);
    pluss_context_free(ctx);
}
END_TEST

/* In a context that keeps much; from a nest of the same text that was parsed again; and now and
 * then in a context that keeps so little that things are dropped all the time. */
START_TEST(warm_is_cold)
{
    pluss_context *much = context_of(64 << 20), *little = context_of(3 << 19);
    for (int s = 0; s < suite_turns(REQUESTS); s++) {
        const char *words = requests[suite_turn(s, REQUESTS)];
        pluss_context *none = context_of(1);
        pluss_nest *nest = parse(none, nests[_i]);
        char *cold = predict(none, nest, words);
        for (int i = 0; i < 2; i++) {
            pluss_context *ctx = i == 0 || s % 3 ? much : little;
            pluss_nest *own = parse(ctx, nests[_i]);
            char *warm = predict(ctx, own, words);
            ck_assert_str_eq(warm, cold);
            pluss_nest_free(own);
            free(warm);
        }
        pluss_nest_free(nest);
        pluss_context_free(none);
        free(cold);
    }
    pluss_context_free(much);
    pluss_context_free(little);
}
END_TEST

/* Nests that differ in what no option says are told apart. */
START_TEST(nests_are_told_apart)
{
    pluss_context *warm = context_of(64 << 20);
    char text[2][1000], *report[2];
    for (int i = 0; i < 2; i++) {
        snprintf(text[i], sizeof text[i], "%s", nests[0]);
        memcpy(strstr(text[i], "read B[k][j]"), i ? "read B[j][k]" : "read B[k][j]", 12);
        pluss_nest *nest = parse(warm, text[i]);
        report[i] = predict(warm, nest, requests[0]);
        pluss_nest_free(nest);
    }
    ck_assert_str_ne(report[0], report[1]);
    free(report[0]);
    free(report[1]);
    pluss_context_free(warm);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("kept");
    TCase *c = tcase_create("store");
    tcase_add_test(c, finds_what_was_added);
    tcase_add_test(c, costly_values_stay);
    tcase_add_test(c, worth_never_falls);
    tcase_add_loop_test(c, least_is_dropped, 0, 4);
    tcase_add_test(c, keys_are_whole);
    tcase_add_test(c, memory_is_bounded);
    tcase_add_test(c, threads_share_it);
    suite_add_tcase(s, c);
    c = tcase_create("predictions");
    tcase_add_loop_test(c, warm_is_cold, 0, sizeof nests / sizeof *nests);
    tcase_add_test(c, samples_are_found_again);
    tcase_add_test(c, nests_are_told_apart);
    suite_add_tcase(s, c);
    return s;
}

SUITE_MAIN(suite())
