/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dynamic loops of very many chunks by their limit law, against loops of some thousand chunks that
 * are simulated event by event.
 */
#include <math.h>

#include "bind_fixture.h"
#include "model/clock_state.h"
#include "suite.h"

enum { TEAM = 8, N = 8192, SEEDS = 40 };

static const char *const nests[] = {
    "pluss-nest 1 region r array f64 A[8192] parallel for i in 0..8192 schedule(dynamic, 1) "
    "{ for j in 0..i { read A[j] } }",
    "pluss-nest 1 region r array f64 A[8192] parallel for i in 0..8192 schedule(dynamic, 2) "
    "{ for j in i..8192 { read A[j] read A[i] } }",
    "pluss-nest 1 region r array f64 A[8192] parallel for i in 0..8192 schedule(dynamic, 1) "
    "{ read A[i] for j in 0..100 { for k in i..8192 { read A[j] } } }",
};

static double count_work(void *user, uint64_t lo, uint64_t hi)
{
    const plussi_many_chunks *law = user;
    return (double)plussi_engine_work(law->engine, law->node, law->iv, lo, hi);
}

/* The time at which the thread makes an access, between moments. */
static double time_of(const plussi_moments *m, uint32_t thread, uint64_t access)
{
    size_t i = m->first[thread];
    while (i + 1 < m->first[thread + 1] && m->access[i + 1] <= access)
        i++;
    if (i + 1 == m->first[thread + 1])
        return m->time[i];
    return m->time[i] + (m->time[i + 1] - m->time[i]) * (double)(access - m->access[i]) /
                            (double)(m->access[i + 1] - m->access[i]);
}

/* Sum of squares, of the times at which the chunks of a round are begun, about their mean. */
static double spread_of(const plussi_many_chunks *law, const plussi_itersets *sets,
                        const plussi_moments *m, uint64_t round)
{
    double sum = 0, squares = 0;
    for (uint32_t t = 0; t < TEAM; t++) {
        uint64_t access = 0, pos;
        for (uint64_t c = round * TEAM; c < (round + 1) * TEAM; c++) {
            const plussi_iterset *set = &sets->set[t];
            if (!plussi_iterset_position(set, c * law->loop.chunk, &pos))
                continue;
            if (set->kind == PLUSSI_ITERSET_SEGMENTS)
                access =
                    sets->accesses[(size_t)(set->before - sets->before) + pos / law->loop.chunk];
            else
                access = plussi_engine_own_work(law->engine, law->node, law->iv, set, pos);
            const double time = time_of(m, t, access);
            sum += time;
            squares += time * time;
        }
    }
    return squares - sum * sum / TEAM;
}

typedef struct setting {
    bind_fixture f;
    plussi_clock_itersets *source;
    plussi_engine *engine;
    plussi_many_chunks law;
} setting;

/* A nest whose first loop has n iterations in chunks. */
static void open_nest(setting *s, const char *text, uint64_t n, uint64_t chunk)
{
    static const int64_t iv[PLUSSI_CURSOR_SLOTS];
    bind_open_with(&s->f, text, &(plussi_bind_options){.team = TEAM, .line_bytes = 64}, NULL);
    ck_assert_int_eq(plussi_clock_itersets_new(&s->f.ctx, s->f.bound, NULL, 0, false, &s->source),
                     PLUSS_OK);
    ck_assert_int_eq(plussi_engine_new(&s->f.ctx, s->f.bound,
                                       plussi_clock_itersets_source(s->source), &s->engine),
                     PLUSS_OK);
    const plussi_bound_node *loop = s->f.bound->loop[0];
    s->law =
        (plussi_many_chunks){.engine = s->engine,
                             .node = loop,
                             .iv = iv,
                             .loop = plussi_dispatch_of_loop(&loop->u.loop, iv, n, chunk, TEAM)};
}

static void close_nest(setting *s)
{
    plussi_engine_free(s->engine);
    plussi_clock_itersets_free(s->source);
    bind_close(&s->f);
}

START_TEST(as_event_by_event)
{
    setting s;
    const uint64_t chunk = _i == 1 ? 2 : 1;
    open_nest(&s, nests[_i], N, chunk);
    plussi_many_chunks law = s.law;
    ck_assert(plussi_engine_is_smooth(s.engine, law.node));
    const uint64_t rounds = N / chunk / TEAM, asked[] = {rounds / 8, rounds / 2, 7 * rounds / 8};
    double exact[3] = {0}, limit[3] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        plussi_itersets sets;
        plussi_moments m;
        const plussi_stage stage = {law.loop, count_work, &law, NULL};
        ck_assert_int_eq(plussi_simulate_dispatch(&s.f.ctx, &stage, 1, NULL, seed, &sets, &m),
                         PLUSS_OK);
        for (int i = 0; i < 3; i++)
            exact[i] += spread_of(&law, &sets, &m, asked[i]);
        plussi_itersets_free(&sets);
        plussi_moments_free(&m);
        law.seed = seed;
        ck_assert_int_eq(plussi_clock_many_chunks(&s.f.ctx, &law, NULL, &sets, &m), PLUSS_OK);
        for (int i = 0; i < 3; i++)
            limit[i] += spread_of(&law, &sets, &m, asked[i]);
        uint64_t all = 0;
        for (uint32_t t = 0; t < TEAM; t++)
            all += m.access[m.first[t + 1] - 1];
        ck_assert_uint_eq(all, plussi_engine_work(s.engine, law.node, law.iv, 0, N));
        plussi_itersets_free(&sets);
        plussi_moments_free(&m);
    }
    for (int i = 0; i < 3; i++)
        ck_assert_msg(limit[i] < 2 * exact[i] && exact[i] < 2 * limit[i],
                      "round %llu: %g, simulated %g", (unsigned long long)asked[i],
                      sqrt(limit[i] / SEEDS / TEAM), sqrt(exact[i] / SEEDS / TEAM));
    close_nest(&s);
}
END_TEST

/* A last round of 6 iterations for 8 threads, and so few rounds that most have several moments: no
 * work is asked for that there is not, which a sanitizer tells, and none is lost. */
START_TEST(last_round)
{
    enum { ODD = 8190, CHUNK = 3 };
    static const char text[] =
        "pluss-nest 1 region r array f64 A[8190] parallel for i in 0..8190 schedule(dynamic, 3) "
        "{ for j in 0..i { read A[j] } }";
    setting s;
    open_nest(&s, text, ODD, CHUNK);
    plussi_itersets sets;
    plussi_moments m;
    ck_assert_int_eq(plussi_clock_many_chunks(&s.f.ctx, &s.law, NULL, &sets, &m), PLUSS_OK);
    const uint64_t accesses = (uint64_t)ODD * (ODD - 1) / 2;
    uint64_t all = 0, iterations = 0;
    for (uint32_t t = 0; t < TEAM; t++) {
        const uint64_t end = m.first[t + 1] - 1;
        all += m.access[end];
        iterations += plussi_iterset_count(&sets.set[t]);
        ck_assert_double_eq(m.time[end], (double)accesses / TEAM);
        for (uint64_t i = m.first[t] + 1; i <= end; i++)
            ck_assert(m.access[i] > m.access[i - 1] && m.time[i] > m.time[i - 1]);
    }
    ck_assert_uint_eq(all, accesses);
    ck_assert_uint_eq(iterations, ODD);
    plussi_itersets_free(&sets);
    plussi_moments_free(&m);
    close_nest(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("many-chunks");
    TCase *t = tcase_create("many-chunks");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, as_event_by_event, 0, sizeof nests / sizeof *nests);
    tcase_add_test(t, last_round);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
