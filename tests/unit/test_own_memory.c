/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The recorder's memory: blocks keep what is in them, whoever allocates in between: other threads,
 * signal handlers that return and that jump, child processes; and mappings fail.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "rt/own_memory.h"
#include "suite.h"

/* ---- mappings that fail ------------------------------------------------------------------------
 */

static atomic_int until_failure = -1; /* mappings that are made before all others fail; -1: none */
static atomic_int made;

/* Sanitizers map memory before they have begun. */
#define PLAIN __attribute__((no_sanitize_thread, no_sanitize_address))

PLAIN static bool fails(void)
{
    made++;
    if (until_failure < 0 || until_failure-- > 0)
        return false;
    until_failure = 0;
    errno = ENOMEM;
    return true;
}

/* In place of the C library's, in this program. */
PLAIN void *mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset)
{
    return fails() ? MAP_FAILED : (void *)syscall(SYS_mmap, at, bytes, access, flags, fd, offset);
}

PLAIN void *mremap(void *at, size_t before, size_t bytes, int flags, ...)
{
    return fails() ? MAP_FAILED : (void *)syscall(SYS_mremap, at, before, bytes, flags, NULL);
}

/* ---- a plain model -----------------------------------------------------------------------------
 */

/* A block, and what is in it: its bytes are those of a sequence that begins at `seed`. */
typedef struct kept {
    unsigned char *block;
    size_t bytes;
    unsigned seed;
} kept;

static unsigned char byte_of(const kept *k, size_t i)
{
    return (unsigned char)(k->seed + i * 7 + i / 251);
}

static void fill(kept *k, unsigned seed)
{
    k->seed = seed;
    for (size_t i = 0; i < k->bytes; i++)
        k->block[i] = byte_of(k, i);
}

static bool is_whole(const kept *k, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (k->block[i] != byte_of(k, i))
            return false;
    return true;
}

static size_t any_size(plussi_rng *rng)
{
    unsigned log = (unsigned)plussi_rng_below(rng, 20);
    if (log > 12 && plussi_rng_below(rng, 16))
        log -= 8;
    return 1 + (size_t)plussi_rng_below(rng, (uint64_t)1 << log);
}

/* Allocates, resizes or frees the block; false: it does not have what was put into it, or is not
 * aligned. Where there is no memory it stays as it is. */
static bool change(plussi_rng *rng, kept *k)
{
    const size_t bytes = plussi_rng_below(rng, 3) ? any_size(rng) : 0, before = k->bytes;
    if (k->block && !is_whole(k, before))
        return false;
    unsigned char *block = plussi_own_resize(NULL, k->block, bytes);
    if (bytes && !block)
        return errno == ENOMEM && (!k->block || is_whole(k, before));
    k->block = block;
    k->bytes = bytes;
    if (!block)
        return true;
    const bool whole = is_whole(k, bytes < before ? bytes : before);
    fill(k, (unsigned)plussi_rng_next(rng));
    return whole && (uintptr_t)block % (bytes > 1024 ? 64 : 16) == 0;
}

static bool drop(kept *k)
{
    const bool whole = !k->block || is_whole(k, k->bytes);
    plussi_own_resize(NULL, k->block, 0);
    *k = (kept){0};
    return whole;
}

enum { BLOCKS = 200 };

START_TEST(blocks_keep_what_is_in_them)
{
    enum { STEPS = 6000 };
    static kept all[BLOCKS];
    plussi_rng rng;
    plussi_rng_seed(&rng, (uint64_t)_i + 1, 0);
    for (int i = 0; i < STEPS; i++)
        ck_assert(change(&rng, &all[plussi_rng_below(&rng, BLOCKS)]));
    for (int i = 0; i < BLOCKS; i++)
        ck_assert(drop(&all[i]));
}
END_TEST

START_TEST(rules_of_the_interface)
{
    ck_assert_ptr_null(plussi_own_resize(NULL, NULL, 0));
    errno = 0;
    ck_assert_ptr_null(plussi_own_resize(NULL, NULL, SIZE_MAX));
    ck_assert_int_eq(errno, ENOMEM);
    ck_assert_ptr_null(plussi_own_resize(NULL, NULL, SIZE_MAX / 2));
    ck_assert_int_eq(errno, ENOMEM);
    char *text = plussi_print(&plussi_own, "%d%s", 12, "ab");
    ck_assert_str_eq(text, "12ab");
    plussi_free(&plussi_own, text);
}
END_TEST

/* Each size at the limits of blocks that are cut from a piece; then again out of the free ones,
 * without another mapping. */
START_TEST(free_blocks_are_used_again)
{
    kept k = {0};
    for (int turn = 0; turn < 2; turn++) {
        const int before = made;
        for (size_t size = 16; size < PLUSSI_OWN_MAPPED; size += size < 1024 ? 16 : size / 16)
            for (size_t bytes = size - 1; bytes <= size + 1; bytes++) {
                k.block = plussi_own_resize(NULL, NULL, bytes);
                k.bytes = bytes;
                ck_assert_ptr_nonnull(k.block);
                fill(&k, (unsigned)bytes);
                ck_assert(drop(&k));
            }
        if (turn)
            ck_assert_int_eq(made, before);
    }
}
END_TEST

/* All mappings from each one on fail: what there is stays whole, and serves on. */
START_TEST(mappings_fail)
{
    enum { STEPS = 1500, MAPPINGS = 20 };
    static kept all[BLOCKS];
    for (int mappings = 0; mappings < MAPPINGS; mappings++) {
        plussi_rng rng;
        plussi_rng_seed(&rng, (uint64_t)mappings + 1, 0);
        bool whole = true;
        until_failure = mappings;
        for (int i = 0; i < STEPS && whole; i++)
            whole = change(&rng, &all[plussi_rng_below(&rng, BLOCKS)]);
        until_failure = -1;
        ck_assert(whole);
        for (int i = 0; i < BLOCKS; i++)
            ck_assert(drop(&all[i]));
    }
}
END_TEST

/* ---- at the same time --------------------------------------------------------------------------
 */

enum { THREADS = 4, SHARED = 64 };
static kept *_Atomic shared[SHARED]; /* blocks that threads hand to each other */
static atomic_bool damaged;

static void *exchange_blocks(void *number)
{
    enum { STEPS = 20000 };
    plussi_rng rng;
    plussi_rng_seed(&rng, (uint64_t)(uintptr_t)number, 0);
    for (int i = 0; i < STEPS / suite_step(); i++) {
        kept *k = plussi_own_resize(NULL, NULL, sizeof *k);
        if (!k)
            continue;
        *k = (kept){.bytes = 1 + plussi_rng_below(&rng, 2000)};
        k->block = plussi_own_resize(NULL, NULL, k->bytes);
        if (k->block)
            fill(k, (unsigned)i);
        k = atomic_exchange(&shared[plussi_rng_below(&rng, SHARED)], k);
        if (k && k->block && !drop(k))
            damaged = true;
        plussi_own_resize(NULL, k, 0);
    }
    return NULL;
}

static void exchange_in_threads(void)
{
    pthread_t thread[THREADS];
    for (uintptr_t t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&thread[t], NULL, exchange_blocks, (void *)(t + 1)), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (int i = 0; i < SHARED; i++) {
        kept *k = atomic_exchange(&shared[i], NULL);
        if (k && k->block && !drop(k))
            damaged = true;
        plussi_own_resize(NULL, k, 0);
    }
    ck_assert(!damaged);
}

/* Blocks that one thread allocates and another one frees. */
START_TEST(threads_exchange_blocks)
{
    exchange_in_threads();
}
END_TEST

static void *allocate_until_told(void *told)
{
    kept k = {0};
    plussi_rng rng;
    plussi_rng_seed(&rng, 7, 0);
    while (!atomic_load((atomic_bool *)told))
        if (!change(&rng, &k))
            damaged = true;
    drop(&k);
    return NULL;
}

/* Child processes, forked while other threads allocate, have memory. */
START_TEST(children_allocate)
{
    enum { CHILDREN = 40 };
    pthread_t thread[THREADS];
    atomic_bool told = false;
    for (int t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, allocate_until_told, &told);
    kept before = {plussi_own_resize(NULL, NULL, 5000), 5000, 0};
    fill(&before, 3);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0) {
            static kept all[BLOCKS];
            plussi_rng rng;
            plussi_rng_seed(&rng, (uint64_t)i, 0);
            alarm(60);
            bool whole = drop(&before);
            for (int step = 0; step < 500; step++)
                whole = change(&rng, &all[plussi_rng_below(&rng, BLOCKS)]) && whole;
            _exit(whole ? 0 : 1);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    atomic_store(&told, true);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    ck_assert(drop(&before) && !damaged);
}
END_TEST

static volatile sig_atomic_t handled;
static bool jumps;
static sigjmp_buf interrupted;
static kept of_handler[BLOCKS];
static plussi_rng handler_rng;

static void allocate_in_handler(int number)
{
    (void)number;
    handled++;
    for (int i = 0; i < 8; i++)
        if (!change(&handler_rng, &of_handler[plussi_rng_below(&handler_rng, BLOCKS)]))
            damaged = true;
    if (jumps)
        siglongjmp(interrupted, 1);
}

/* Handlers allocate, wherever they interrupt; and leave by a jump, so that what they interrupted is
 * never finished: the block that it changed is given up. */
START_TEST(handlers_allocate)
{
    enum { SIGNALS = 300 };
    static kept all[BLOCKS];
    static kept *volatile changed;
    static plussi_rng rng;
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = allocate_in_handler, .sa_flags = SA_RESTART};
    jumps = _i;
    plussi_rng_seed(&rng, 5, 0);
    plussi_rng_seed(&handler_rng, 6, 0);
    sigaction(SIGALRM, &action, NULL);
    changed = NULL;
    if (sigsetjmp(interrupted, 1) && changed)
        *changed = (kept){0};
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < SIGNALS / suite_step()) {
        changed = &all[plussi_rng_below(&rng, BLOCKS)];
        if (!change(&rng, changed))
            damaged = true;
        changed = NULL;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    for (int i = 0; i < BLOCKS; i++)
        ck_assert(drop(&all[i]) && drop(&of_handler[i]));
    ck_assert(!damaged);
}
END_TEST

static Suite *own_memory_suite(void)
{
    Suite *suite = suite_create("own memory");
    TCase *tcase = tcase_create("own memory");
    tcase_add_test(tcase, rules_of_the_interface);
    tcase_add_loop_test(tcase, blocks_keep_what_is_in_them, 0, 3);
    tcase_add_test(tcase, free_blocks_are_used_again);
    tcase_add_test(tcase, mappings_fail);
    tcase_add_test(tcase, threads_exchange_blocks);
    tcase_add_test(tcase, children_allocate);
    tcase_add_loop_test(tcase, handlers_allocate, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}

SUITE_MAIN(own_memory_suite())
