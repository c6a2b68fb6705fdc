/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stack distances of traces that are cut into slices, against one stack after the other: the same
 * counts, for any number of workers and lengths of slices.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "failing_mem.h"
#include "study/slice_messages.h"
#include "study/slices.h"
#include "suite.h"

enum { TEAM = 6, REFS = 3, LENGTH = 20000, CACHES = 3 };
static const uint32_t threads_per_cache[CACHES] = {0, 1, 4};

/* Parts of lines drawn, of new lines, of lines in turn: a slice has many first touches, or none. */
static void make_trace(uint64_t seed, uint64_t lines, plussi_access *out)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, seed, 0);
    for (uint64_t i = 0; i < LENGTH; i++) {
        const uint64_t part = i / 4000 % 3, draw = plussi_rng_below(&rng, lines);
        out[i] = (plussi_access){.line = part == 1   ? i
                                         : part == 2 ? i % lines
                                                     : draw,
                                 .ref = (uint32_t)plussi_rng_below(&rng, REFS),
                                 .thread = (uint32_t)plussi_rng_below(&rng, TEAM)};
    }
}

typedef struct source {
    const plussi_access *access;
    uint64_t done, fail_at;
    uint64_t rounds;
    bool (*waits)(void); /* whether accesses come one by one, or NULL */
} source;

/* Pieces of several lengths. */
static pluss_status next(void *user, plussi_access *buf, size_t cap, size_t *n)
{
    source *s = user;
    if (s->done >= s->fail_at)
        return PLUSS_ECANCELLED;
    const bool slow = s->waits && s->waits();
    const uint64_t left = LENGTH - s->done, some = slow ? 1 : 1 + s->rounds++ * 37 % 700;
    if (slow)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    *n = left < some ? left : some;
    *n = *n < cap ? *n : cap;
    memcpy(buf, s->access + s->done, *n * sizeof *buf);
    s->done += *n;
    return PLUSS_OK;
}

static pluss_status make_caches(plussi_ctx *ctx, size_t n_d, plussi_caches *c)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < CACHES && !status; i++)
        status = plussi_caches_new(ctx, TEAM, threads_per_cache[i], n_d, &c[i]);
    return status;
}

static void free_caches(plussi_ctx *ctx, plussi_caches *c)
{
    for (size_t i = 0; i < CACHES; i++)
        plussi_caches_free(ctx, &c[i]);
}

static uint64_t count_at(const plussi_distances *d, size_t distance)
{
    return distance < d->n ? d->count[distance] : 0;
}

static void expect_same(const plussi_caches *a, const plussi_caches *b)
{
    for (size_t i = 0; i < CACHES; i++) {
        for (size_t k = 0; k < a[i].n_d; k++) {
            const plussi_distances *x = &a[i].d[k], *y = &b[i].d[k];
            ck_assert_uint_eq(x->cold, y->cold);
            for (size_t at = 0; at < x->n || at < y->n; at++)
                ck_assert_uint_eq(count_at(x, at), count_at(y, at));
        }
        for (size_t k = 0; k < a[i].n; k++)
            ck_assert_uint_eq(plussi_lru_footprint(a[i].lru[k]), plussi_lru_footprint(b[i].lru[k]));
    }
}

static const plussi_slicing cut[] = {
    {1, 100, 1000, 1 << 20, NULL}, {2, 1, 1, 2, NULL},           {2, 64, 4096, 1 << 20, NULL},
    {3, 500, 500, 1, NULL},        {4, 1000, 5000, 12000, NULL}, {7, 33, 100000, 50, NULL},
    {2, 30000, 30000, 1, NULL},
};
enum { CUTS = sizeof cut / sizeof *cut };

START_TEST(as_one_by_one)
{
    static const uint64_t lines[] = {1, 40, 3000};
    static plussi_access trace[LENGTH];
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    const size_t n_d = _i % 2 ? REFS : 1;
    plussi_caches whole[CACHES] = {0}, sliced[CACHES] = {0};
    ck_assert_int_eq(make_caches(&ctx, n_d, whole), PLUSS_OK);
    ck_assert_int_eq(make_caches(&ctx, n_d, sliced), PLUSS_OK);
    make_trace((uint64_t)_i, lines[_i % 3], trace);
    for (size_t i = 0; i < CACHES; i++)
        ck_assert_int_eq(plussi_count_batch(&ctx, &whole[i], trace, LENGTH), PLUSS_OK);
    source s = {.access = trace, .fail_at = UINT64_MAX};
    ck_assert_int_eq(plussi_slices_count(&ctx, &cut[_i % CUTS], next, &s, sliced, CACHES),
                     PLUSS_OK);
    expect_same(whole, sliced);
    free_caches(&ctx, whole);
    free_caches(&ctx, sliced);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* What the source says comes back, whatever the workers do at that time. */
START_TEST(source_fails)
{
    static plussi_access trace[LENGTH];
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_caches caches[CACHES] = {0};
    ck_assert_int_eq(make_caches(&ctx, 1, caches), PLUSS_OK);
    make_trace(1, 40, trace);
    source s = {.access = trace, .fail_at = (uint64_t)_i * 977};
    ck_assert_int_eq(plussi_slices_count(&ctx, &cut[_i % CUTS], next, &s, caches, CACHES),
                     PLUSS_ECANCELLED);
    free_caches(&ctx, caches);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* A slice ends after the step in which it has too many first touches. */
START_TEST(slice_ends_early)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_caches cache = {0};
    plussi_slice slice = {0};
    const plussi_meanwhile nobody = {0};
    ck_assert_int_eq(plussi_caches_new(&ctx, 1, 0, 1, &cache), PLUSS_OK);
    const plussi_slice_shape shape = plussi_slice_shape_of(&cache, 1);
    ck_assert_int_eq(plussi_slice_new(&ctx.mem, &shape, LENGTH, &slice), PLUSS_OK);
    slice.n = LENGTH;
    for (size_t i = 0; i < LENGTH; i++)
        slice.line[i] = i / 2; /* each second one is a first touch */
    const size_t most = (size_t)_i * 700, steps = 2 * most / PLUSSI_SLICE_STEP + 1,
                 done = steps * PLUSSI_SLICE_STEP;
    for (int round = 0; round < 2; round++) {
        ck_assert_int_eq(plussi_slice_run(&ctx, &cache, 1, most, &nobody, &slice), PLUSS_OK);
        ck_assert_uint_eq(slice.done, done < LENGTH ? done : LENGTH);
        ck_assert_uint_eq(slice.stack[0].n, slice.done / 2);
        ck_assert_uint_eq(cache.d[0].count[0], (uint64_t)(round + 1) * (slice.done / 2));
    }
    plussi_slice_free(&ctx.mem, &shape, &slice);
    plussi_caches_free(&ctx, &cache);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* ---- memory */

typedef struct counting_mem {
    plussi_mem mem;
    pthread_mutex_t lock;
    size_t bytes, most;
} counting_mem;

/* Before each block is its size. */
static void *count_resize(void *user, void *ptr, size_t size)
{
    enum { BEFORE = 16 };
    counting_mem *m = user;
    char *old = ptr ? (char *)ptr - BEFORE : NULL;
    pthread_mutex_lock(&m->lock);
    m->bytes += size - (old ? *(size_t *)old : 0);
    m->most = m->bytes > m->most ? m->bytes : m->most;
    pthread_mutex_unlock(&m->lock);
    if (size == 0) {
        free(old);
        return NULL;
    }
    char *p = realloc(old, BEFORE + size);
    ck_assert_ptr_nonnull(p);
    *(size_t *)p = size;
    return p + BEFORE;
}

enum { MANY = 1 << 19 /* lines */ };

/* Each of these lines in turn, twice. */
static pluss_status next_line(void *user, plussi_access *buf, size_t cap, size_t *n)
{
    uint64_t *done = user;
    for (*n = 0; *n < cap && *done < 2 * MANY; ++*n, ++*done)
        buf[*n] = (plussi_access){.line = *done % MANY};
    return PLUSS_OK;
}

/* The most bytes at a time, where nothing but first touches is in a slice. */
static size_t measure_memory(const plussi_slicing *how)
{
    counting_mem m = {.mem = {count_resize, &m}, .lock = PTHREAD_MUTEX_INITIALIZER};
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, &m.mem);
    plussi_caches cache = {0};
    uint64_t done = 0;
    ck_assert_int_eq(plussi_caches_new(&ctx, 1, 0, 1, &cache), PLUSS_OK);
    ck_assert_int_eq(plussi_slices_count(&ctx, how, next_line, &done, &cache, 1), PLUSS_OK);
    ck_assert_uint_eq(cache.d[0].cold, MANY);
    ck_assert_uint_eq(count_at(&cache.d[0], MANY - 1), MANY);
    plussi_caches_free(&ctx, &cache);
    plussi_ctx_clear(&ctx);
    ck_assert_uint_eq(m.bytes, 0);
    return m.most;
}

START_TEST(memory_of_slices)
{
    enum { LONG = 1 << 17, EACH = 30 /* bytes */ };
    const plussi_slicing one = {1, LONG, LONG, 1 << 20, NULL}, two = {2, LONG, LONG, 1 << 20, NULL};
    const size_t held = (size_t)3 * LONG;
    ck_assert_uint_le(measure_memory(&two), measure_memory(&one) + EACH * held);
}
END_TEST

/* Any allocation may fail, that one alone (odd numbers) or all from there on, in any of the
 * threads: then too the counts are right, or PLUSS_ENOMEM comes back. */
START_TEST(scarce)
{
    static plussi_access trace[LENGTH];
    static const uint32_t workers[] = {2, 3, 8};
    const plussi_slicing how = {workers[_i / 2], 64, 4096, 1 << 20, NULL};
    const long step = _i / 2 ? 29 : 13;
    plussi_ctx plenty;
    plussi_ctx_init(&plenty, NULL);
    plussi_caches whole[CACHES] = {0};
    ck_assert_int_eq(make_caches(&plenty, 1, whole), PLUSS_OK);
    make_trace(2, 3000, trace);
    for (size_t i = 0; i < CACHES; i++)
        ck_assert_int_eq(plussi_count_batch(&plenty, &whole[i], trace, LENGTH), PLUSS_OK);
    long done = 0, lacked = 0;
    bool failed = true;
    for (long budget = _i; failed; budget += step) {
        failing_mem m;
        failing_mem_init(&m, budget);
        m.alone = _i % 2;
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &m.mem);
        plussi_caches caches[CACHES] = {0};
        source s = {.access = trace, .fail_at = UINT64_MAX};
        pluss_status status = make_caches(&ctx, 1, caches);
        if (!status)
            status = plussi_slices_count(&ctx, &how, next, &s, caches, CACHES);
        ck_assert(status == PLUSS_OK || status == PLUSS_ENOMEM);
        if (!status)
            expect_same(whole, caches);
        done += !status;
        lacked += status == PLUSS_ENOMEM;
        free_caches(&ctx, caches);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(m.live, 0);
        failed = m.failed;
    }
    free_caches(&plenty, whole);
    plussi_ctx_clear(&plenty);
    ck_assert_int_gt(done, 0);
    ck_assert_int_gt(lacked, 0);
}
END_TEST

/* ---- ranks -------------------------------------------------------------------------------------
 *
 * Threads with contexts of their own, which messages alone reach.
 */

enum { RANKS = 3 };

typedef struct message {
    struct message *next;
    size_t bytes;
    char data[];
} message;

typedef struct queue {
    message *first, *last;
} queue;

typedef enum manner {
    WELL,
    IS_LOST,
    IS_NOT_REACHED,
    HAS_NO_MEMORY,
    TALKS_NONSENSE,
    MANNERS
} manner;

typedef struct member {
    queue to, from;
    manner manner;
    int left; /* messages from it, or to it, until it is so */
    bool dead, told;
    int slices; /* that it was given */
    pluss_status ended;
    pthread_t thread;
} member;

static member members[RANKS];
static pthread_mutex_t post = PTHREAD_MUTEX_INITIALIZER;

static void put(queue *q, const void *data, size_t bytes)
{
    message *m = malloc(sizeof *m + bytes);
    m->next = NULL;
    m->bytes = bytes;
    memcpy(m->data, data, bytes);
    *(q->first ? &q->last->next : &q->first) = m;
    q->last = m;
}

static void take(queue *q, void *to, size_t bytes)
{
    message *m = q->first;
    ck_assert_uint_eq(m->bytes, bytes);
    memcpy(to, m->data, bytes);
    q->first = m->next;
    free(m);
}

/* As rank 0 sees them. */

static int send_there(void *user, uint32_t rank, const void *data, size_t bytes)
{
    (void)user;
    member *m = &members[rank - 1];
    pthread_mutex_lock(&post);
    m->dead |= m->manner == IS_NOT_REACHED && m->left-- == 0;
    if (!m->dead)
        put(&m->to, data, bytes);
    const int failed = m->dead;
    m->slices += !failed && bytes == sizeof(plussi_rank_head) &&
                 ((const plussi_rank_head *)data)->what == PLUSSI_RANK_SLICE;
    pthread_mutex_unlock(&post);
    return failed;
}

static int probe_here(void *user, uint32_t *rank, size_t *bytes)
{
    (void)user;
    int there = 0;
    pthread_mutex_lock(&post);
    for (uint32_t i = 0; i < RANKS && !there; i++) {
        member *m = &members[i];
        *rank = i + 1;
        if (m->from.first) {
            *bytes = m->from.first->bytes;
            there = 1;
        } else if (m->dead && !m->told) {
            m->told = true;
            there = -1;
        }
    }
    pthread_mutex_unlock(&post);
    return there;
}

static int receive_here(void *user, uint32_t rank, void *data, size_t bytes)
{
    (void)user;
    pthread_mutex_lock(&post);
    take(&members[rank - 1].from, data, bytes);
    pthread_mutex_unlock(&post);
    return 0;
}

/* As they see rank 0. */

static int send_back(void *user, uint32_t rank, const void *data, size_t bytes)
{
    member *m = user;
    ck_assert_uint_eq(rank, 0);
    pthread_mutex_lock(&post);
    m->dead |= m->manner == IS_LOST && m->left-- == 0;
    if (!m->dead) {
        put(&m->from, data, bytes);
        if (m->manner == TALKS_NONSENSE && m->left-- <= 0)
            m->from.last->data[1] ^= 0x55; /* of what it is */
    }
    const int failed = m->dead;
    pthread_mutex_unlock(&post);
    return failed;
}

static int probe_there(void *user, uint32_t *rank, size_t *bytes)
{
    member *m = user;
    *rank = 0;
    pthread_mutex_lock(&post);
    const int there = m->dead ? -1 : m->to.first != NULL;
    *bytes = m->to.first ? m->to.first->bytes : 0;
    pthread_mutex_unlock(&post);
    return there;
}

static int receive_there(void *user, uint32_t rank, void *data, size_t bytes)
{
    member *m = user;
    ck_assert_uint_eq(rank, 0);
    pthread_mutex_lock(&post);
    take(&m->to, data, bytes);
    pthread_mutex_unlock(&post);
    return 0;
}

static void *be_rank(void *user)
{
    member *m = user;
    failing_mem mem;
    plussi_ctx ctx;
    const plussi_ask nobody = {0};
    const plussi_ranks rank = {0, send_back, probe_there, receive_there, m, NULL};
    failing_mem_init(&mem, m->manner == HAS_NO_MEMORY ? m->left : LONG_MAX);
    plussi_ctx_init(&ctx, &mem.mem);
    m->ended = plussi_ranks_serve(&ctx, &rank, &nobody);
    plussi_ctx_clear(&ctx);
    pthread_mutex_lock(&post);
    m->dead = true;
    pthread_mutex_unlock(&post);
    ck_assert_int_eq(mem.live, 0);
    return NULL;
}

static plussi_ranks begin_ranks(uint32_t n, manner how, int left, bool *gone)
{
    memset(members, 0, sizeof members);
    for (uint32_t i = 0; i < n; i++) {
        members[i].manner = i == 0 ? how : WELL;
        members[i].left = left;
        gone[i] = false;
        ck_assert_int_eq(pthread_create(&members[i].thread, NULL, be_rank, &members[i]), 0);
    }
    return (plussi_ranks){n, send_there, probe_here, receive_here, NULL, gone};
}

/* How many slices they were given. */
static int end_ranks(plussi_ranks *ranks)
{
    int slices = 0;
    plussi_ranks_end(ranks);
    for (uint32_t i = 0; i < ranks->n; i++) {
        pthread_mutex_lock(&post);
        members[i].dead |= ranks->gone[i]; /* nobody talks to it any more */
        pthread_mutex_unlock(&post);
        pthread_join(members[i].thread, NULL);
        slices += members[i].slices;
        for (queue *q = &members[i].to; q; q = q == &members[i].to ? &members[i].from : NULL)
            while (q->first) {
                message *m = q->first;
                q->first = m->next;
                free(m);
            }
    }
    return slices;
}

static void count_whole(plussi_ctx *ctx, const plussi_access *trace, size_t n_d, bool by_stack,
                        plussi_caches *whole)
{
    ck_assert_int_eq(make_caches(ctx, n_d, whole), PLUSS_OK);
    for (size_t i = 0; i < CACHES; i++) {
        whole[i].by_stack = by_stack;
        ck_assert_int_eq(plussi_count_batch(ctx, &whole[i], trace, LENGTH), PLUSS_OK);
    }
}

/* The same counts from any number of ranks and threads, by reference and by stack, twice with the
 * same ranks; each kind of rank that goes is missed by nobody. */
START_TEST(ranks_take_slices)
{
    static plussi_access trace[LENGTH];
    const uint32_t n = 1 + (uint32_t)_i % RANKS, workers = 1 + (uint32_t)_i / 3 % 2;
    const manner how = (manner)(_i / 2 % MANNERS);
    const int left = _i / 10 % 14;
    const bool by_stack = _i % 2;
    const size_t n_d = by_stack ? TEAM : _i % 4 ? REFS : 1;
    plussi_ctx ctx;
    bool gone[RANKS];
    plussi_ctx_init(&ctx, NULL);
    plussi_caches whole[CACHES] = {0};
    make_trace((uint64_t)_i, 40, trace);
    count_whole(&ctx, trace, n_d, by_stack, whole);
    plussi_ranks ranks = begin_ranks(n, how, how == HAS_NO_MEMORY ? 4 * left : left, gone);
    /* of the long ones ranks leave a part */
    const size_t length = _i % 4 == 3 ? 3000 : 200;
    const plussi_slicing cutting = {workers, length, 5 * length, 1 << 20, &ranks};
    for (int round = 0; round < 2; round++) {
        plussi_caches sliced[CACHES] = {0};
        ck_assert_int_eq(make_caches(&ctx, n_d, sliced), PLUSS_OK);
        for (size_t i = 0; i < CACHES; i++)
            sliced[i].by_stack = by_stack;
        source s = {.access = trace, .fail_at = UINT64_MAX};
        ck_assert_int_eq(plussi_slices_count(&ctx, &cutting, next, &s, sliced, CACHES), PLUSS_OK);
        expect_same(whole, sliced);
        free_caches(&ctx, sliced);
    }
    (void)end_ranks(&ranks);
    for (uint32_t i = 1; i < n; i++)
        ck_assert_int_eq(members[i].ended, PLUSS_OK);
    if (how == WELL)
        ck_assert_int_eq(members[0].ended, PLUSS_OK);
    free_caches(&ctx, whole);
    plussi_ctx_clear(&ctx);
}
END_TEST

static bool waits_for_ranks(void)
{
    bool some = false;
    pthread_mutex_lock(&post);
    for (uint32_t i = 0; i < RANKS; i++)
        some = some || members[i].slices > 0;
    pthread_mutex_unlock(&post);
    return !some;
}

/* They have some, where there is time. */
START_TEST(ranks_are_used)
{
    static plussi_access trace[LENGTH];
    plussi_ctx ctx;
    bool gone[RANKS];
    plussi_ctx_init(&ctx, NULL);
    plussi_caches whole[CACHES] = {0}, sliced[CACHES] = {0};
    make_trace(4, 40, trace);
    count_whole(&ctx, trace, 1, false, whole);
    ck_assert_int_eq(make_caches(&ctx, 1, sliced), PLUSS_OK);
    plussi_ranks ranks = begin_ranks(RANKS, WELL, 0, gone);
    const plussi_slicing cutting = {1, 50, 1000, 1 << 20, &ranks};
    source s = {.access = trace, .fail_at = UINT64_MAX, .waits = waits_for_ranks};
    ck_assert_int_eq(plussi_slices_count(&ctx, &cutting, next, &s, sliced, CACHES), PLUSS_OK);
    expect_same(whole, sliced);
    ck_assert(!waits_for_ranks());
    ck_assert_int_ge(end_ranks(&ranks), 1);
    free_caches(&ctx, whole);
    free_caches(&ctx, sliced);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* A source that fails leaves no rank at work: the next counting has them all. */
START_TEST(source_fails_with_ranks)
{
    static plussi_access trace[LENGTH];
    plussi_ctx ctx;
    bool gone[RANKS];
    plussi_ctx_init(&ctx, NULL);
    plussi_caches whole[CACHES] = {0};
    make_trace(1, 40, trace);
    count_whole(&ctx, trace, 1, false, whole);
    plussi_ranks ranks = begin_ranks(RANKS, WELL, 0, gone);
    const plussi_slicing cutting = {1, 200, 1000, 1 << 20, &ranks};
    for (int round = 0; round < 2; round++) {
        plussi_caches caches[CACHES] = {0};
        ck_assert_int_eq(make_caches(&ctx, 1, caches), PLUSS_OK);
        source s = {.access = trace, .fail_at = round ? UINT64_MAX : (uint64_t)_i * 977};
        ck_assert_int_eq(plussi_slices_count(&ctx, &cutting, next, &s, caches, CACHES),
                         round ? PLUSS_OK : PLUSS_ECANCELLED);
        if (round)
            expect_same(whole, caches);
        free_caches(&ctx, caches);
    }
    (void)end_ranks(&ranks);
    free_caches(&ctx, whole);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* Any allocation of rank 0 may fail. */
START_TEST(scarce_with_ranks)
{
    static plussi_access trace[LENGTH];
    plussi_ctx plenty;
    plussi_ctx_init(&plenty, NULL);
    plussi_caches whole[CACHES] = {0};
    make_trace(2, 40, trace);
    count_whole(&plenty, trace, 1, false, whole);
    long done = 0, lacked = 0;
    bool failed = true;
    for (long budget = _i; failed; budget += 61) {
        failing_mem m;
        plussi_ctx ctx;
        bool gone[RANKS];
        failing_mem_init(&m, budget);
        m.alone = _i % 2;
        plussi_ctx_init(&ctx, &m.mem);
        plussi_caches caches[CACHES] = {0};
        source s = {.access = trace, .fail_at = UINT64_MAX};
        plussi_ranks ranks = begin_ranks(2, WELL, 0, gone);
        const plussi_slicing cutting = {1, 2000, 2000, 1 << 20, &ranks};
        pluss_status status = make_caches(&ctx, 1, caches);
        if (!status)
            status = plussi_slices_count(&ctx, &cutting, next, &s, caches, CACHES);
        ck_assert(status == PLUSS_OK || status == PLUSS_ENOMEM);
        if (!status)
            expect_same(whole, caches);
        done += !status;
        lacked += status == PLUSS_ENOMEM;
        (void)end_ranks(&ranks);
        free_caches(&ctx, caches);
        plussi_ctx_clear(&ctx);
        ck_assert_int_eq(m.live, 0);
        failed = m.failed;
    }
    free_caches(&plenty, whole);
    plussi_ctx_clear(&plenty);
    ck_assert_int_gt(done, 0);
    ck_assert_int_gt(lacked, 0);
}
END_TEST

static Suite *slices_suite(void)
{
    Suite *s = suite_create("slices");
    TCase *t = tcase_create("slices");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, as_one_by_one, 0, 6 * CUTS);
    tcase_add_loop_test(t, source_fails, 0, 20);
    tcase_add_loop_test(t, slice_ends_early, 0, 16);
    tcase_add_test(t, memory_of_slices);
    tcase_add_loop_test(t, scarce, 0, 6);
    tcase_add_loop_test(t, ranks_take_slices, 0, 140);
    tcase_add_test(t, ranks_are_used);
    tcase_add_loop_test(t, source_fails_with_ranks, 0, 20);
    tcase_add_loop_test(t, scarce_with_ranks, 0, 2);
    return s;
}

SUITE_MAIN(slices_suite())
