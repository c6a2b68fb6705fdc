/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every function of the C interface that computes, without memory: one allocation after another
 * fails, that one alone or all from there on. Each call gives PLUSS_ENOMEM with a message, or what
 * it gives otherwise; nothing leaks. A sample of the positions, or with PLUSS_LONG=1 all of them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pluss.h"
#include "suite.h"

/* ---- an allocator that fails at a position ----------------------------------------------------
 */

typedef struct scarce {
    long made, fail_at, live; /* fail_at < 0: none fails */
    bool once, failed;
} scarce;

static void *scarce_resize(void *user, void *ptr, size_t bytes)
{
    scarce *s = user;
    if (bytes == 0) {
        if (ptr)
            __atomic_sub_fetch(&s->live, 1, __ATOMIC_RELAXED);
        free(ptr);
        return NULL;
    }
    long i = __atomic_fetch_add(&s->made, 1, __ATOMIC_RELAXED);
    if (s->fail_at >= 0 && (s->once ? i == s->fail_at : i >= s->fail_at)) {
        __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
        return NULL;
    }
    void *p = realloc(ptr, bytes);
    if (p && !ptr)
        __atomic_add_fetch(&s->live, 1, __ATOMIC_RELAXED);
    return p;
}

/* ---- what is computed -------------------------------------------------------------------------
 */

#define DYNAMIC_NEST                                                                               \
    "array f64 A[n][n], s[4]\n"                                                                    \
    "parallel {\n"                                                                                 \
    "  workshare for i in 0..n schedule(dynamic, 2) nowait { for j in 0..i { read A[j][i] } }\n"   \
    "  workshare for i in 0..n schedule(guided) { write A[i][0] }\n"                               \
    "  single { read s[0] }\n"                                                                     \
    "}\n"

static const char *const nests[] = {
    /* static, shared lines */
    "pluss-nest 1\nregion r\nsymbol n\narray i32 X[n]\narray f64 A[n][n]\n"
    "parallel for i in 0..n { for j in 0..n { read X[j] read A[i][j] write A[j][i] } }\n",
    /* work stealing */
    "pluss-nest 1\nregion r\nsymbol n\narray i32 X[n]\narray f64 A[n][n]\n"
    "parallel for i in 0..n schedule(rayon,1) { for j in 0..n { read X[j] write A[j][i] } }\n",
    /* dispatched chunks, phases, several regions, repetitions */
    "pluss-nest 1\nsymbol n\nregion first repeat 2\n" DYNAMIC_NEST "region second\n" DYNAMIC_NEST,
    /* guards, triangles, private memory, a swap */
    "pluss-nest 1\nregion r\nsymbol n\narray f64 A[n][n], B[n][n]\narray f64 p[n] private\n"
    "for t in 0..3 {\n"
    "  parallel for i in 0..n schedule(static, 3) {\n"
    "    for j in i..n { if (j % 3 == 0) { read A[i][j] } else { read B[j][i] } write p[j] }\n"
    "  }\n"
    "  swap A, B\n"
    "}\n",
    /* loads */
    "pluss-nest 1\nregion r\nsymbol n\n"
    "array i32 c[12] values(0,8,16,24,32,40,1,9,17,25,33,41)\narray f64 A[n][n]\n"
    "parallel for i in 0..12 { for j in 0..n { read A[c[i] % n][j] } }\n",
};
enum { N_NESTS = sizeof nests / sizeof *nests };

static const uint32_t teams[] = {1, 3}, pairs[] = {0, 2};
static const pluss_binding n12[] = {{"n", 12}};
static const double rates[] = {1, 1.5, 0.5};
static const pluss_speeds late = {.size = sizeof late,
                                  .skew = 30,
                                  .skew_spread = 1,
                                  .rates = rates,
                                  .n_rates = 3,
                                  .stall_rate = 0.01,
                                  .stall = 50};

#define OPTIONS(...)                                                                               \
    {                                                                                              \
        .size = sizeof(pluss_options), .teams = teams, .n_teams = 2, .bindings = n12,              \
        .n_bindings = 1, __VA_ARGS__                                                               \
    }

typedef pluss_status (*engine_fn)(pluss_context *, const pluss_nest *, const pluss_options *,
                                  pluss_result **);

static const struct {
    const char *name;
    engine_fn engine;
    pluss_options options;
} calls[] = {
    {"clock", pluss_predict, OPTIONS(.explain = 1)},
    {"clock-ri", pluss_predict, OPTIONS(.model = "clock-ri")},
    {"clock-sd", pluss_predict, OPTIONS(.model = "clock-sd")},
    {"clock, dynamic", pluss_predict, OPTIONS(.schedule = PLUSS_SCHEDULE_DYNAMIC, .chunk = 2)},
    {"clock, guided", pluss_predict, OPTIONS(.schedule = PLUSS_SCHEDULE_GUIDED)},
    {"clock, an error", pluss_predict, OPTIONS(.error_target = 0.05)},
    {"clock, pairs", pluss_predict, OPTIONS(.sharers = pairs, .n_sharers = 2)},
    {"clock, speeds", pluss_predict,
     OPTIONS(.progress = PLUSS_PROGRESS_SPEEDS, .progress_param = 0.1, .speeds = &late)},
    {"clock, bursts", pluss_predict,
     OPTIONS(.progress = PLUSS_PROGRESS_BURST, .progress_param = 8)},
    {"clock, lock step", pluss_predict, OPTIONS(.progress = PLUSS_PROGRESS_LOCKSTEP)},
    {"clock, mixed", pluss_predict, OPTIONS(.progress = PLUSS_PROGRESS_MIXED)},
    {"clock, slices", pluss_predict,
     OPTIONS(.progress = PLUSS_PROGRESS_SLICES, .progress_param = 20, .cores = 2)},
    {"cri", pluss_predict, OPTIONS(.model = "cri")},
    {"cri, scaled", pluss_predict, OPTIONS(.model = "cri", .collect_team = 2)},
    {"cri-line", pluss_predict, OPTIONS(.model = "cri-line")},
    {"ri-random", pluss_predict, OPTIONS(.model = "ri-random")},
    {"uniform", pluss_simulate, OPTIONS(.sharers = pairs, .n_sharers = 2)},
    {"speeds", pluss_simulate,
     OPTIONS(.interleave = PLUSS_INTERLEAVE_SPEEDS, .interleave_param = 0.1, .speeds = &late)},
    {"slices", pluss_simulate,
     OPTIONS(.interleave = PLUSS_INTERLEAVE_SLICES, .interleave_param = 20, .cores = 2)},
    {"sequential", pluss_simulate, OPTIONS(.interleave = PLUSS_INTERLEAVE_SEQUENTIAL)},
};
enum { N_CALLS = sizeof calls / sizeof *calls };

/* What a session gave, in short: to see that two gave the same. */
static uint64_t digest;

static int take(void *user, const char *data, size_t length)
{
    (void)user;
    for (size_t i = 0; i < length; i++)
        digest = (digest ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    return 0;
}

typedef struct session {
    pluss_context *ctx;
    pluss_nest *nest, *alone, *joined;
    pluss_result *result, *read;
    pluss_pri *pri;
} session;

static char json[1 << 20];
static size_t json_length;

static int keep(void *user, const char *data, size_t length)
{
    if (length > sizeof json - json_length)
        return 1;
    memcpy(json + json_length, data, length);
    json_length += length;
    return take(user, data, length);
}

static pluss_status predict(session *s, int nest, int call)
{
    pluss_status status = pluss_nest_parse(s->ctx, nests[nest], strlen(nests[nest]), "t", &s->nest);
    if (!status)
        status = calls[call].engine(s->ctx, s->nest, &calls[call].options, &s->result);
    for (int format = PLUSS_FORMAT_TEXT; format <= PLUSS_FORMAT_CSV && !status; format++)
        if (format != PLUSS_FORMAT_JSON) /* jansson has memory of its own */
            status = pluss_result_write(s->ctx, s->result, (pluss_format)format, NULL, take, NULL);
    return status;
}

/* Functions that are no engines. */
static pluss_status others(session *s, int nest, int call)
{
    const pluss_options options = OPTIONS(.seed = 1);
    pluss_difference d = {.size = sizeof d};
    (void)call;
    pluss_status status = pluss_nest_parse(s->ctx, nests[nest], strlen(nests[nest]), "t", &s->nest);
    if (!status)
        status = pluss_nest_extract(s->ctx, s->nest, 0, &s->alone);
    if (!status)
        status = pluss_nest_join(s->ctx, (const pluss_nest *const[]){s->nest}, 1, &s->joined);
    if (!status)
        status = pluss_nest_write(s->ctx, s->joined, take, NULL);
    if (!status)
        status = pluss_nest_codegen(s->ctx, s->alone, PLUSS_LANGUAGE_C, take, NULL);
    if (!status)
        status = pluss_nest_codegen(s->ctx, s->alone, PLUSS_LANGUAGE_RUST, take, NULL);
    if (!status)
        status = pluss_pri_collect(s->ctx, s->joined, &options, &s->pri);
    if (!status)
        status = pluss_simulate(s->ctx, s->joined, &options, &s->result);
    json_length = 0;
    if (!status)
        status = pluss_result_write(s->ctx, s->result, PLUSS_FORMAT_JSON, NULL, keep, NULL);
    if (!status)
        status = pluss_result_read(s->ctx, json, json_length, "j", &s->read);
    if (!status)
        status = pluss_curve_compare(s->ctx, pluss_result_get(s->result, 0),
                                     pluss_result_get(s->read, 0), PLUSS_GRID_STRICT, &d);
    if (!status)
        status = pluss_result_append(s->ctx, s->result, s->read);
    if (!status)
        digest += (uint64_t)pluss_result_count(s->result) + d.n;
    return status;
}

typedef pluss_status (*session_fn)(session *s, int nest, int call);

static char said[256];

/* The last message is an error, of this status. */
static bool is_told(const pluss_context *ctx, pluss_status status)
{
    pluss_diagnostic d = {.size = sizeof d};
    size_t n = pluss_context_diagnostic_count(ctx);
    if (n == 0 || pluss_context_diagnostic(ctx, n - 1, &d) != PLUSS_OK)
        d.text = "";
    snprintf(said, sizeof said, "%s", d.text);
    return *d.text && d.severity == PLUSS_ERROR && d.status == status;
}

static pluss_status run(scarce *memory, session_fn what, int nest, int call, bool *told)
{
    const pluss_context_options o = {
        .size = sizeof o, .resize = scarce_resize, .resize_user = memory};
    session s = {0};
    digest = 1;
    *told = true;
    pluss_status status = pluss_context_new(&o, &s.ctx);
    if (status)
        return status;
    status = what(&s, nest, call);
    *told = status == PLUSS_OK || is_told(s.ctx, status);
    pluss_pri_free(s.pri);
    pluss_result_free(s.read);
    pluss_result_free(s.result);
    pluss_nest_free(s.joined);
    pluss_nest_free(s.alone);
    pluss_nest_free(s.nest);
    pluss_context_free(s.ctx);
    return status;
}

static void sweep(session_fn what, int nest, int call, const char *name)
{
    enum { SAMPLED = 3 };
    const char *all = getenv("PLUSS_LONG");
    bool told;
    scarce whole = {.fail_at = -1};
    pluss_status normal = run(&whole, what, nest, call, &told);
    uint64_t wanted = digest;
    ck_assert_msg(whole.live == 0, "%s, nest %d: %ld leaked with memory", name, nest, whole.live);
    if (normal) { /* the model does not take the nest */
        ck_assert_msg(told && (normal == PLUSS_EUNSUPPORTED || normal == PLUSS_EINVAL),
                      "%s, nest %d: %s with memory: %s", name, nest, pluss_status_name(normal),
                      said);
        return;
    }
    long step = all && *all ? 1 : whole.made / SAMPLED + 1;
    for (long at = (nest + 3 * call) % step; at < whole.made; at += step)
        for (int once = 0; once < 2; once++) {
            scarce memory = {.fail_at = at, .once = once};
            pluss_status status = run(&memory, what, nest, call, &told);
            bool good = status == PLUSS_ENOMEM || (status == PLUSS_OK && digest == wanted);
            ck_assert_msg(good && told && memory.live == 0,
                          "%s, nest %d, allocation %ld of %ld%s: %s%s%s%s, %ld leaked", name, nest,
                          at, whole.made, once ? " alone" : "", pluss_status_name(status),
                          good ? "" : ", or other results",
                          told ? "" : ", but the message is: ", told ? "" : said, memory.live);
        }
}

START_TEST(engines)
{
    const char *all = getenv("PLUSS_LONG");
    if (!(all && *all) && (_i % N_NESTS + _i / N_NESTS) % 3 != 0)
        return; /* each with some nests */
    sweep(predict, _i % N_NESTS, _i / N_NESTS, calls[_i / N_NESTS].name);
}
END_TEST

START_TEST(not_engines)
{
    sweep(others, _i, 0, "others");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("scarce");
    TCase *t = tcase_create("scarce");
    tcase_set_timeout(t, 1800);
    tcase_add_loop_test(t, engines, 0, N_CALLS * N_NESTS);
    tcase_add_loop_test(t, not_engines, 0, N_NESTS);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
