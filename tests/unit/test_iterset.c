/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Static shares and chunk dispatch against lists made by dealing iterations out one by one.
 */
#include "suite.h"
#include "team/iterset.h"

enum { MAX_N = 40 };

/* The share of one thread as a plain list, dealt as the OpenMP standard words it. */
static size_t deal(uint64_t n, uint64_t chunk, uint32_t team, uint32_t thread, uint64_t *list)
{
    size_t count = 0;
    if (chunk == 0) {
        uint64_t lo = 0;
        for (uint32_t t = 0; t < team; t++) {
            uint64_t length = n / team + (t < n % team);
            for (uint64_t i = lo; t == thread && i < lo + length; i++)
                list[count++] = i;
            lo += length;
        }
    } else {
        for (uint64_t i = 0; i < n; i++)
            if (i / chunk % team == thread)
                list[count++] = i;
    }
    return count;
}

/* Every query of a share against the list it stands for. */
static void check_share(const plussi_iterset *s, const uint64_t *list, size_t count)
{
    ck_assert_uint_eq(plussi_iterset_count(s), count);
    for (size_t p = 0; p < count; p++) {
        ck_assert_uint_eq(plussi_iterset_nth(s, p), list[p]);
        uint64_t lo, hi;
        plussi_iterset_run(s, p, &lo, &hi);
        ck_assert_uint_eq(lo, list[p]);
        ck_assert_uint_gt(hi, lo);
        for (uint64_t i = lo; i < hi; i++)
            ck_assert_uint_eq(list[p + (i - lo)], i);
    }
    for (uint64_t i = 0; i < s->n + 2; i++) {
        size_t at = 0;
        while (at < count && list[at] != i)
            at++;
        uint64_t pos = 12345;
        ck_assert_int_eq(plussi_iterset_position(s, i, &pos), at < count);
        ck_assert_uint_eq(pos, at < count ? at : 12345);
    }
    for (size_t before = 0; before <= count + 1; before++) {
        for (uint64_t a = 0; a < s->n + 2; a++) {
            for (uint64_t b = a ? a - 1 : 0; b < s->n + 3; b++) {
                size_t p = before < count ? before : count;
                while (p > 0 && !(a <= list[p - 1] && list[p - 1] <= b))
                    p--;
                uint64_t pos = 12345;
                bool found = plussi_iterset_latest(s, before, a, b, &pos);
                if (found != (p > 0) || pos != (p > 0 ? p - 1 : 12345))
                    ck_abort_msg("latest before %zu in [%lu, %lu]: %d %lu", before, a, b, found,
                                 pos);
            }
        }
    }
}

START_TEST(static_by_brute_force)
{
    uint64_t list[MAX_N];
    for (uint64_t n = 0; n <= 12; n++)
        for (uint32_t team = 1; team <= 6; team++)
            for (uint64_t chunk = 0; chunk <= 14; chunk++)
                for (uint32_t t = 0; t < team; t++) {
                    plussi_iterset s = plussi_iterset_static(n, chunk, team, t);
                    check_share(&s, list, deal(n, chunk, team, t, list));
                }
}
END_TEST

START_TEST(static_owner)
{
    for (uint64_t n = 1; n <= MAX_N; n++)
        for (uint32_t team = 1; team <= 9; team++)
            for (uint64_t chunk = 0; chunk <= 7; chunk++)
                for (uint64_t i = 0; i < n; i++) {
                    uint32_t owner = plussi_static_owner(n, chunk, team, i);
                    ck_assert_uint_lt(owner, team);
                    plussi_iterset s = plussi_iterset_static(n, chunk, team, owner);
                    uint64_t pos;
                    ck_assert(plussi_iterset_position(&s, i, &pos));
                }
}
END_TEST

START_TEST(one_thread_runs_through)
{
    uint64_t lo, hi;
    plussi_iterset s = plussi_iterset_static(1000, 3, 1, 0);
    plussi_iterset_run(&s, 10, &lo, &hi);
    ck_assert_uint_eq(lo, 10);
    ck_assert_uint_eq(hi, 1000);
}
END_TEST

/* Shares of loops as long as a program may have: counts add up, positions and iterations are each
 * other's inverse, the owner agrees. */
START_TEST(static_of_huge_loops)
{
    const uint64_t top = (uint64_t)1 << 62;
    const uint64_t ns[] = {top, top - 1, top - 12345, (uint64_t)1 << 33, 7};
    const uint64_t chunks[] = {0, 1, 2, 1000, (uint64_t)1 << 31, top - 1, top, UINT64_MAX};
    const uint32_t teams[] = {1, 2, 3, 64, 1000, UINT32_MAX};
    plussi_rng rng;
    plussi_rng_seed(&rng, 1, 0);
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 8; b++)
            for (size_t c = 0; c < 6; c++)
                for (int round = 0; round < 50; round++) {
                    uint64_t n = ns[a], chunk = chunks[b], pos, again;
                    uint64_t i = round == 0 ? n - 1 : plussi_rng_below(&rng, n);
                    uint32_t owner = plussi_static_owner(n, chunk, teams[c], i);
                    plussi_iterset s = plussi_iterset_static(n, chunk, teams[c], owner);
                    ck_assert(plussi_iterset_position(&s, i, &pos));
                    ck_assert_uint_lt(pos, plussi_iterset_count(&s));
                    ck_assert_uint_eq(plussi_iterset_nth(&s, pos), i);
                    ck_assert(plussi_iterset_latest(&s, pos + 1, 0, UINT64_MAX, &again));
                    ck_assert_uint_eq(again, pos);
                    ck_assert(plussi_iterset_latest(&s, UINT64_MAX, i, i, &again));
                    ck_assert_uint_eq(again, pos);
                    ck_assert(!plussi_iterset_latest(&s, pos, i, UINT64_MAX, &again));
                    uint64_t lo, hi;
                    plussi_iterset_run(&s, pos, &lo, &hi);
                    ck_assert(lo == i && hi > lo && hi <= n);
                    ck_assert(plussi_iterset_position(&s, hi - 1, &again));
                    ck_assert_uint_eq(again, pos + (hi - 1 - lo));
                }
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 8; b++)
            for (size_t c = 0; c < 5; c++) {
                uint64_t sum = 0;
                for (uint32_t t = 0; t < teams[c]; t++) {
                    plussi_iterset s = plussi_iterset_static(ns[a], chunks[b], teams[c], t);
                    sum += plussi_iterset_count(&s);
                }
                ck_assert_uint_eq(sum, ns[a]);
            }
}
END_TEST

/* A random partition of [0, n) into segments, a random half of which are the thread's. */
static size_t random_segments(plussi_rng *rng, uint64_t n, bool ascending, plussi_segment *segment)
{
    size_t count = 0;
    for (uint64_t lo = 0; lo < n;) {
        uint64_t hi = lo + 1 + plussi_rng_below(rng, 4);
        hi = hi < n ? hi : n;
        if (plussi_rng_below(rng, 2))
            segment[count++] = (plussi_segment){lo, hi};
        lo = hi;
    }
    for (size_t k = count; !ascending && k > 1; k--) {
        size_t other = plussi_rng_below(rng, k);
        plussi_segment swap = segment[k - 1];
        segment[k - 1] = segment[other];
        segment[other] = swap;
    }
    return count;
}

START_TEST(segments_by_brute_force)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 2, (uint64_t)_i);
    for (int round = 0; round < 150; round++) {
        plussi_segment segment[MAX_N];
        uint64_t before[MAX_N + 1] = {0}, list[MAX_N], n = plussi_rng_below(&rng, 24);
        size_t n_segments = random_segments(&rng, n, _i == 1, segment), count = 0;
        for (size_t k = 0; k < n_segments; k++) {
            for (uint64_t i = segment[k].lo; i < segment[k].hi; i++)
                list[count++] = i;
            before[k + 1] = count;
        }
        plussi_iterset s = {.kind = PLUSSI_ITERSET_SEGMENTS,
                            .team = 2,
                            .n = n,
                            .segment = segment,
                            .before = before,
                            .n_segments = n_segments,
                            .ascending = _i == 1};
        check_share(&s, list, count);
    }
}
END_TEST

START_TEST(empty_segment_share)
{
    plussi_iterset s = {.kind = PLUSSI_ITERSET_SEGMENTS, .team = 2, .n = 10, .ascending = _i == 1};
    check_share(&s, NULL, 0);
}
END_TEST

START_TEST(dynamic_chunks)
{
    for (uint64_t n = 0; n <= MAX_N; n++)
        for (uint64_t chunk = 1; chunk <= MAX_N + 2; chunk++) {
            plussi_dispatch d = {n, 0, chunk, 3, false, n % 2};
            plussi_segment part;
            uint64_t next = 0;
            while (plussi_dispatch_next(&d, &part)) {
                ck_assert_uint_eq(part.lo, next);
                ck_assert_uint_eq(part.hi, next + chunk < n ? next + chunk : n);
                next = part.hi;
            }
            ck_assert_uint_eq(next, n);
            ck_assert(!plussi_dispatch_next(&d, &part));
        }
}
END_TEST

START_TEST(guided_chunks)
{
    for (uint64_t n = 0; n <= 3 * MAX_N; n++)
        for (uint64_t chunk = 1; chunk <= 9; chunk++)
            for (uint32_t team = 1; team <= 7; team++) {
                plussi_dispatch d = {n, 0, chunk, team, true, _i};
                plussi_segment part;
                uint64_t next = 0;
                while (plussi_dispatch_next(&d, &part)) {
                    uint64_t left = n - next, want = (left - (uint64_t)_i + team - 1) / team;
                    want = want > chunk ? want : chunk;
                    ck_assert_uint_eq(part.lo, next);
                    ck_assert_uint_eq(part.hi - part.lo, want < left ? want : left);
                    next = part.hi;
                }
                ck_assert_uint_eq(next, n);
            }
}
END_TEST

START_TEST(dispatch_does_not_overflow)
{
    const uint64_t n = (uint64_t)1 << 62;
    plussi_segment part;
    plussi_dispatch d = {n, n - 3, UINT64_MAX, 2, false, false};
    ck_assert(plussi_dispatch_next(&d, &part));
    ck_assert(part.lo == n - 3 && part.hi == n);
    d = (plussi_dispatch){UINT64_MAX, 0, 1, UINT32_MAX, true, false};
    ck_assert(plussi_dispatch_next(&d, &part));
    ck_assert_uint_eq(part.hi, UINT64_MAX / UINT32_MAX); /* divides it */
    uint64_t chunks = 0;
    d = (plussi_dispatch){n, 0, 1, 4, true, false};
    while (plussi_dispatch_next(&d, &part))
        chunks++;
    ck_assert(d.next == n && chunks < 200);
}
END_TEST

static Suite *share_suite(void)
{
    Suite *suite = suite_create("share");
    TCase *tc = tcase_create("share");
    tcase_add_test(tc, static_by_brute_force);
    tcase_add_test(tc, static_owner);
    tcase_add_test(tc, one_thread_runs_through);
    tcase_add_test(tc, static_of_huge_loops);
    tcase_add_loop_test(tc, segments_by_brute_force, 0, 2);
    tcase_add_loop_test(tc, empty_segment_share, 0, 2);
    tcase_add_test(tc, dynamic_chunks);
    tcase_add_loop_test(tc, guided_chunks, 0, 2);
    tcase_add_test(tc, dispatch_does_not_overflow);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(share_suite())
