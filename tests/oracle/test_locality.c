/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Locality profiles against stacks that are lists, and the worked examples of the literature.
 */
#include "study/locality.h"

#include <string.h>

#include "../unit/failing_mem.h"
#include "../unit/suite.h"
#include "base/rng.h"

enum { TEAM = 3, LINES = 40, LINE_BYTES = 64, PHASES = 3, MOST = TEAM * LINES, ACCESSES = 3000 };

static plussi_ctx ctx;
static plussi_result result;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    plussi_result_init(&result, &ctx.mem);
}
static void teardown(void)
{
    plussi_result_free(&result);
    plussi_ctx_clear(&ctx);
}
static void must(pluss_status status)
{
    ck_assert_int_eq(status, PLUSS_OK);
}

static pluss_status touch(plussi_locality *l, uint32_t thread, uint64_t line, bool write)
{
    const plussi_cache_access access = {
        .address = line * LINE_BYTES + 8, .bytes = 8, .thread = thread, .write = write};
    return plussi_locality_run(l, &access, 1);
}

static const plussi_profile *find(uint64_t phase, int scope, int sharing)
{
    for (size_t i = 0; i < result.n_profiles; i++) {
        const plussi_profile *p = &result.profile[i];
        if (p->phase == phase && (int)p->scope == scope && (int)p->sharing == sharing)
            return p;
    }
    return NULL;
}

/* ---- lists -------------------------------------------------------------------------------------
 */

enum { HOLE = -1 };
typedef struct list {
    int entry[MOST];
    int n;
} list;

/* The depth of a line, or where it would be: n. */
static int depth_of(const list *l, int line)
{
    int at = 0;
    while (at < l->n && l->entry[at] != line)
        at++;
    return at;
}

/* A line goes to the top. What is above it, or above the topmost hole if that is higher, moves
 * down; a hole that is filled is then where the line was. */
static int to_the_top(list *l, int line)
{
    const int at = depth_of(l, line), hole = depth_of(l, HOLE);
    const int room = hole < at ? hole : at;
    const bool had = at < l->n;
    if (had && hole < at)
        l->entry[at] = HOLE;
    if (room == l->n)
        l->n++;
    memmove(l->entry + 1, l->entry, (size_t)room * sizeof *l->entry);
    l->entry[0] = line;
    return had ? at : -1;
}

/* What an access is counted as, beyond distances. */
enum { COLD = MOST, FIRST, COHERENCE, KINDS };

typedef struct lists {
    list all, apart, own[TEAM], coherent[TEAM];
    bool touched[TEAM][LINES], lost[TEAM][LINES];
    /* of the phase */
    struct {
        int thread, line, kind[PLUSSI_SCOPES];
    } log[ACCESSES];
    int n;
    double count[PHASES][PLUSSI_SCOPES][2][KINDS];
} lists;

static void list_touch(lists *l, int thread, int line, bool write)
{
    bool anyone = false;
    for (int t = 0; t < TEAM; t++)
        anyone = anyone || l->touched[t][line];
    const int without = anyone ? FIRST : COLD;
    const int kind[PLUSSI_SCOPES] = {
        [PLUSSI_SCOPE_PRIVATE] = to_the_top(&l->own[thread], line),
        [PLUSSI_SCOPE_CONCURRENT] = to_the_top(&l->all, line),
        [PLUSSI_SCOPE_COHERENT] = to_the_top(&l->coherent[thread], line),
        [PLUSSI_SCOPE_APART] = to_the_top(&l->apart, thread * LINES + line)};
    l->log[l->n].thread = thread;
    l->log[l->n].line = line;
    for (int s = 0; s < PLUSSI_SCOPES; s++)
        l->log[l->n].kind[s] = kind[s] >= 0 ? kind[s] : without;
    if (l->lost[thread][line])
        l->log[l->n].kind[PLUSSI_SCOPE_COHERENT] = COHERENCE;
    l->n++;
    l->touched[thread][line] = true;
    l->lost[thread][line] = false;
    for (int t = 0; write && t < TEAM; t++) {
        const int at = depth_of(&l->coherent[t], line);
        if (t == thread || at == l->coherent[t].n)
            continue;
        l->coherent[t].entry[at] = HOLE;
        l->lost[t][line] = true;
    }
}

static void list_end_phase(lists *l, int phase)
{
    for (int i = 0; i < l->n; i++) {
        int by[TEAM] = {0}, all = 0, most = 0;
        for (int k = 0; k < l->n; k++)
            if (l->log[k].line == l->log[i].line)
                all++, by[l->log[k].thread]++;
        for (int t = 0; t < TEAM; t++)
            most = by[t] > most ? by[t] : most;
        for (int s = 0; s < PLUSSI_SCOPES; s++)
            l->count[phase][s][most < 0.9 * all][l->log[i].kind[s]]++;
    }
    l->n = 0;
}

static void list_empty(lists *l)
{
    l->all.n = l->apart.n = 0;
    for (int t = 0; t < TEAM; t++)
        l->own[t].n = l->coherent[t].n = 0;
    memset(l->touched, 0, sizeof l->touched);
    memset(l->lost, 0, sizeof l->lost);
}

static double check_profile(const plussi_profile *p, const double *count)
{
    double all = 0;
    for (int k = 0; k < KINDS; k++) {
        const double found = !p               ? 0
                             : k == COLD      ? p->histo.cold
                             : k == FIRST     ? p->histo.thread_first
                             : k == COHERENCE ? p->histo.coherence
                                              : plussi_histo_get(&p->histo, (uint64_t)k);
        if (found != count[k])
            ck_abort_msg("%g, not %g, at %d", found, count[k], k);
        all += count[k];
    }
    ck_assert(p ? plussi_histo_total(&p->histo) == all && all > 0 : all == 0);
    return all;
}

/* Lines mostly of one thread, and others; writes by some threads more than by others. */
START_TEST(equals_lists)
{
    static lists l;
    plussi_rng rng;
    plussi_locality *locality;
    plussi_identity id = {.team = TEAM, .line_bytes = LINE_BYTES};
    double seen[2][KINDS] = {{0}}, both[2] = {0};
    memset(&l, 0, sizeof l);
    plussi_rng_seed(&rng, 71, (uint64_t)_i);
    must(plussi_locality_new(&ctx, TEAM, LINE_BYTES, &locality));
    for (int round = 0, phase = 0; round < 12; round++) {
        const int n = (int)plussi_rng_below(&rng, 600);
        for (int k = 0; k < n; k++) {
            const int t = (int)plussi_rng_below(&rng, TEAM);
            const int range = 1 + (int)plussi_rng_below(&rng, LINES);
            int line = (int)plussi_rng_below(&rng, (uint64_t)range);
            if (plussi_rng_below(&rng, 10) && line % 2)
                line = line / 6 * 6 + 2 * t + 1 < LINES ? line / 6 * 6 + 2 * t + 1 : line;
            const bool write = plussi_rng_below(&rng, 2 + 5 * (uint64_t)_i) == 0;
            must(touch(locality, (uint32_t)t, (uint64_t)line, write));
            list_touch(&l, t, line, write);
        }
        list_end_phase(&l, phase);
        phase = (int)plussi_rng_below(&rng, PHASES);
        if (round == 7) {
            must(plussi_locality_empty(locality));
            list_empty(&l);
        }
        must(plussi_locality_begin_phase(locality, (uint64_t)phase));
    }
    must(plussi_locality_add_profiles(locality, &id, 2, &result));
    /* the first phase was given no number, and its references are all 0 */
    for (int p = 0; p < PHASES; p++)
        for (int s = 0; s < PLUSSI_SCOPES; s++)
            for (int shared = 0; shared < 2; shared++) {
                both[shared] +=
                    check_profile(find((uint64_t)p, s, 1 + shared), l.count[p][s][shared]);
                for (int k = 0; k < KINDS; k++)
                    seen[shared][k] += l.count[p][s][shared][k];
            }
    ck_assert(both[0] > 0 && both[1] > 0 && seen[0][FIRST] > 0 && seen[1][COHERENCE] > 0);
    ck_assert(result.profile[0].runs == 2 && result.profile[0].id.team == TEAM);
    plussi_locality_free(locality);
}
END_TEST

/* ---- sampling ----------------------------------------------------------------------------------
 */

typedef struct event {
    uint32_t thread;
    uint64_t line;
    bool write;
} event;

static void draw_events(plussi_rng *rng, event *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (event){(uint32_t)plussi_rng_below(rng, TEAM),
                         plussi_rng_below(rng, 1 + plussi_rng_below(rng, LINES)),
                         plussi_rng_below(rng, 4) == 0};
}

/* Where an interval that begins at `first` ends: after that many accesses, once the share of their
 * lines has been met again. */
static int end_of_interval(const event *e, int first, int n, int profiled, double pruned)
{
    int end = first + profiled;
    for (;; end++) {
        int lines = 0, again = 0;
        for (uint64_t line = 0; line < LINES; line++) {
            int met = 0;
            bool in_first = false;
            for (int i = first; i < end && i < n; i++) {
                met += e[i].line == line;
                in_first = in_first || (e[i].line == line && i < first + profiled);
            }
            lines += in_first;
            again += in_first && met > 1;
        }
        if (end >= n || again >= pruned * lines)
            return end < n ? end : n;
    }
}

static double total_at(const plussi_result *from, int scope, int sharing, uint64_t distance)
{
    double sum = 0;
    for (size_t i = 0; i < from->n_profiles; i++)
        if ((int)from->profile[i].scope == scope && (int)from->profile[i].sharing == sharing)
            sum += distance == UINT64_MAX ? plussi_histo_keyless(&from->profile[i].histo)
                                          : plussi_histo_get(&from->profile[i].histo, distance);
    return sum;
}

/* Each interval is as all accesses of a run of its own. */
START_TEST(samples)
{
    enum { N = 4000 };
    static event e[N];
    static const double share[] = {1, 0.9, 0.5};
    const int profiled = 50 + 30 * _i, every = 200 + 70 * _i;
    const plussi_sampling how = {(uint64_t)profiled, (uint64_t)every, share[_i % 3]};
    plussi_identity id = {.team = TEAM, .line_bytes = LINE_BYTES};
    plussi_locality *sampled, *apart;
    plussi_result intervals;
    plussi_rng rng;
    plussi_rng_seed(&rng, 83, (uint64_t)_i);
    draw_events(&rng, e, N);
    must(plussi_locality_new(&ctx, TEAM, LINE_BYTES, &sampled));
    plussi_locality_sample(sampled, &how);
    must(plussi_locality_new(&ctx, TEAM, LINE_BYTES, &apart));
    for (int i = 0; i < N; i++)
        must(touch(sampled, e[i].thread, e[i].line, e[i].write));
    int all = 0;
    for (int first = 0, end; first < N; first = end + every - profiled) {
        end = end_of_interval(e, first, N, profiled, how.pruned);
        for (int i = first; i < end; i++, all++)
            must(touch(apart, e[i].thread, e[i].line, e[i].write));
        must(plussi_locality_empty(apart));
    }
    plussi_result_init(&intervals, &ctx.mem);
    must(plussi_locality_add_profiles(sampled, &id, 2, &result));
    must(plussi_locality_add_profiles(apart, &id, 1, &intervals));
    ck_assert(all > N / 10 && all < N);
    for (int scope = 0; scope < PLUSSI_SCOPES; scope++)
        for (int sharing = PLUSSI_SHARING_PRIVATE; sharing <= PLUSSI_SHARING_SHARED; sharing++)
            for (uint64_t d = 0; d <= MOST; d++) {
                const uint64_t key = d < MOST ? d : UINT64_MAX;
                ck_assert_double_eq(total_at(&result, scope, sharing, key),
                                    total_at(&intervals, scope, sharing, key));
            }
    ck_assert_double_eq_tol(result.profile[0].runs, 2.0 * all / N, 1e-12);
    plussi_result_free(&intervals);
    plussi_locality_free(sampled);
    plussi_locality_free(apart);
}
END_TEST

/* ---- examples ----------------------------------------------------------------------------------
 */

/* Figure 2 of Wu and Yeung: thread 0 touches A, then B to E, and A again; thread 1 C and F to H
 * meanwhile. other: the time at which thread 1 touches A instead of what is there; 0: it never
 * does. The distance of A's reuse, which is the last access, in that scope. */
static uint64_t reuse_of_a(int other, bool write, plussi_profile_scope scope)
{
    enum { A, B, C, D, E, F, G, H };
    static const struct {
        uint32_t thread;
        uint64_t line;
    } order[] = {{0, A}, {0, B}, {0, C}, {1, F}, {0, D}, {1, C}, {1, G}, {0, E}, {1, H}, {0, A}};
    plussi_identity id = {.team = 2};
    plussi_locality *l;
    must(plussi_locality_new(&ctx, 2, LINE_BYTES, &l));
    for (int time = 1; time <= 10; time++) {
        const bool is_other = time == other;
        if (time == 10) /* alone in a phase, A is private */
            must(plussi_locality_begin_phase(l, 10));
        must(touch(l, is_other ? 1 : order[time - 1].thread, is_other ? A : order[time - 1].line,
                   write && time == 6));
    }
    plussi_result_free(&result);
    plussi_result_init(&result, &ctx.mem);
    must(plussi_locality_add_profiles(l, &id, 1, &result));
    plussi_locality_free(l);
    const plussi_profile *p = find(10, (int)scope, PLUSSI_SHARING_PRIVATE);
    ck_assert(p && p->histo.n == 1 && plussi_histo_total(&p->histo) == 1);
    for (uint64_t d = 0; d < 20; d++)
        if (plussi_histo_get(&p->histo, d) > 0)
            return d;
    return UINT64_MAX;
}

START_TEST(examples)
{
    ck_assert_uint_eq(reuse_of_a(0, false, PLUSSI_SCOPE_CONCURRENT), 7); /* dilation, overlap */
    ck_assert_uint_eq(reuse_of_a(6, false, PLUSSI_SCOPE_CONCURRENT), 3); /* intercepts */
    ck_assert_uint_eq(reuse_of_a(9, false, PLUSSI_SCOPE_CONCURRENT), 0);
    ck_assert_uint_eq(reuse_of_a(2, false, PLUSSI_SCOPE_CONCURRENT), 6);
    ck_assert_uint_eq(reuse_of_a(0, false, PLUSSI_SCOPE_PRIVATE), 4);
    ck_assert_uint_eq(reuse_of_a(0, false, PLUSSI_SCOPE_APART), 8);    /* no overlap */
    ck_assert_uint_eq(reuse_of_a(0, false, PLUSSI_SCOPE_COHERENT), 4); /* figure 3 b */
    ck_assert_uint_eq(reuse_of_a(0, true, PLUSSI_SCOPE_COHERENT), 3);  /* 3 c: E fills C's hole */
    ck_assert_uint_eq(reuse_of_a(0, true, PLUSSI_SCOPE_PRIVATE), 4);
}
END_TEST

/* Figure 3, scaled: of what size in all the two private caches must be so that A's reuse hits; a
 * stack of both would have one distance less than that. */
START_TEST(scaled_examples)
{
    static const struct {
        bool write;
        uint64_t scaled;
    } example[] = {{false, 8}, {true, 6}};
    for (size_t i = 0; i < 2; i++) {
        (void)reuse_of_a(0, example[i].write, PLUSSI_SCOPE_COHERENT);
        plussi_mrc mrc;
        must(plussi_mrc_from_rd(
            &ctx, &find(10, PLUSSI_SCOPE_COHERENT, PLUSSI_SHARING_PRIVATE)->histo, &mrc));
        for (uint64_t all = 2; all < 16; all += 2) /* lines, of both */
            ck_assert_double_eq(plussi_mrc_at(&mrc, all / 2), all <= example[i].scaled ? 1 : 0);
        plussi_mrc_free(&mrc);
    }
}
END_TEST

START_TEST(limits)
{
    plussi_locality *l = NULL;
    ck_assert_int_eq(plussi_locality_new(&ctx, 0, LINE_BYTES, &l), PLUSS_EINVAL);
    ck_assert_int_eq(plussi_locality_new(&ctx, 65537, LINE_BYTES, &l), PLUSS_EINVAL);
    ck_assert_ptr_null(l);
    plussi_locality_free(NULL);
}
END_TEST

/* Every allocation in turn fails once. */
START_TEST(short_of_memory)
{
    plussi_identity id = {.team = TEAM};
    bool whole = false;
    for (long budget = 0; !whole; budget += suite_step()) {
        failing_mem m;
        failing_mem_init(&m, budget);
        plussi_ctx short_ctx;
        plussi_ctx_init(&short_ctx, &m.mem);
        plussi_result few;
        plussi_result_init(&few, &m.mem);
        plussi_locality *l = NULL;
        pluss_status status = plussi_locality_new(&short_ctx, TEAM, LINE_BYTES, &l);
        if (!status && _i)
            plussi_locality_sample(l, &(plussi_sampling){300, 400, 0.9});
        for (uint64_t k = 0; k < 3000 && !status; k++) {
            status = touch(l, (uint32_t)(k % TEAM), k * k % 500, k % 7 == 0);
            if (!status && k % 1000 == 999)
                status = plussi_locality_empty(l);
        }
        if (!status)
            status = plussi_locality_add_profiles(l, &id, 1, &few);
        ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
        plussi_locality_free(l);
        plussi_result_free(&few);
        plussi_ctx_clear(&short_ctx);
        ck_assert_int_eq(m.live, 0);
        whole = !m.failed;
    }
}
END_TEST

static Suite *locality_suite(void)
{
    Suite *suite = suite_create("locality");
    TCase *tc = tcase_create("locality");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, equals_lists, 0, 5);
    tcase_add_loop_test(tc, samples, 0, 6);
    tcase_add_test(tc, examples);
    tcase_add_test(tc, scaled_examples);
    tcase_add_test(tc, limits);
    tcase_add_loop_test(tc, short_of_memory, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}

SUITE_MAIN(locality_suite())
