/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles: the curves that are made from them against brute force, merging, the forms that can be
 * read again, damage to those, and lack of memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "byte_sink.h"
#include "failing_mem.h"
#include "report/report.h"
#include "report/writer.h"
#include "suite.h"

static void must(pluss_status status)
{
    ck_assert_int_eq(status, PLUSS_OK);
}

/* Two references of a loop, so many accesses of each, drawn with integer weights. */
static pluss_status draw(const plussi_mem *mem, uint64_t seed, plussi_metric metric,
                         plussi_profile *out)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, seed, 0);
    pluss_status status = plussi_profile_init(mem, metric, PLUSSI_SCOPE_CONCURRENT, 2, out);
    if (!status)
        status = plussi_copy_text(mem, "kernel", &out->id.region);
    if (!status)
        status = plussi_copy_text(mem, "uniform", &out->id.engine);
    if (!status)
        status = plussi_copy_text(mem, "", &out->id.schedule);
    for (int i = 0; i < 2 && !status; i++)
        status = plussi_copy_text(mem, i ? "B[k][j]" : "A[i]", &out->part[i].site.text);
    out->id.team = 4;
    out->id.line_bytes = 64;
    out->footprint_lines = 700;
    for (int i = 0; i < 300 && !status; i++) {
        uint64_t key = 1 + plussi_rng_below(&rng, 600), part = plussi_rng_below(&rng, 2);
        double weight = (double)(1 + plussi_rng_below(&rng, 9));
        status = plussi_histo_add(&out->histo, key, weight);
        if (!status)
            status = plussi_histo_add(&out->part[part].histo, key, weight);
    }
    if (status)
        return status;
    out->histo.cold = 700;
    out->part[0].histo.cold = 500;
    out->part[1].histo.cold = 200;
    return status;
}

static plussi_profile drawn(uint64_t seed, plussi_metric metric)
{
    plussi_profile profile;
    must(draw(&plussi_mem_libc, seed, metric, &profile));
    return profile;
}

/* At each size, accesses whose distance is not below it. */
START_TEST(curves_count_what_is_too_far)
{
    plussi_ctx ctx;
    plussi_mrc mrc;
    plussi_bin *bin;
    size_t n;
    plussi_ctx_init(&ctx, &plussi_mem_libc);
    plussi_profile p = drawn(3, PLUSSI_METRIC_DISTANCE);
    double all = plussi_histo_total(&p.histo);
    p.runs = 4;
    must(plussi_profile_curve(&ctx, &p, &mrc));
    ck_assert_double_eq(mrc.accesses, all / 4);
    must(plussi_histo_sorted(&p.histo, &bin, &n));
    for (uint64_t size = 0; size < 650; size++) {
        double misses = p.histo.cold;
        for (size_t i = 0; i < n; i++)
            misses += bin[i].key >= size ? bin[i].weight : 0;
        ck_assert_double_eq_tol(plussi_mrc_at(&mrc, (double)size), misses / all, 1e-12);
    }
    plussi_free(&plussi_mem_libc, bin);
    plussi_mrc_free(&mrc);
    plussi_profile_free(&p);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(merging_adds_runs_and_parts)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, &plussi_mem_libc);
    plussi_profile a = drawn(1, PLUSSI_METRIC_INTERVAL), b = drawn(2, PLUSSI_METRIC_INTERVAL);
    double total = plussi_histo_total(&a.histo) + plussi_histo_total(&b.histo);
    double at7 = plussi_histo_get(&a.part[1].histo, 7) + plussi_histo_get(&b.part[1].histo, 7);
    must(plussi_profile_merge(&ctx, &a, &b));
    ck_assert_double_eq(plussi_histo_total(&a.histo), total);
    ck_assert_double_eq(plussi_histo_get(&a.part[1].histo, 7), at7);
    ck_assert_double_eq(plussi_histo_total(&a.part[0].histo) + plussi_histo_total(&a.part[1].histo),
                        total);
    ck_assert_double_eq(a.runs, 2);
    /* other references: the sum of all alone is left */
    b.part[1].ref = 5;
    must(plussi_profile_merge(&ctx, &a, &b));
    ck_assert_uint_eq(a.n_parts, 0);
    ck_assert_double_eq(a.runs, 3);
    plussi_profile_free(&a);
    plussi_profile_free(&b);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(what_differs_is_not_merged)
{
    for (int what = 0; what < 7; what++) {
        plussi_ctx ctx;
        plussi_ctx_init(&ctx, &plussi_mem_libc);
        plussi_profile a = drawn(1, PLUSSI_METRIC_INTERVAL), b = drawn(2, PLUSSI_METRIC_INTERVAL);
        plussi_value *value = plussi_calloc(&plussi_mem_libc, 1, sizeof *value);
        must(plussi_copy_text(&plussi_mem_libc, "n", &value->name));
        static const char *const told[] = {"metrics", "scopes",  "threads", "per cache",
                                           "line",    "regions", "values"};
        double before = plussi_histo_total(&a.histo);
        b.metric = what == 0 ? PLUSSI_METRIC_DISTANCE : b.metric;
        b.scope = what == 1 ? PLUSSI_SCOPE_PRIVATE : b.scope;
        b.id.team += what == 2;
        b.id.threads_per_cache += what == 3;
        b.id.line_bytes *= what == 4 ? 2 : 1;
        b.id.region[0] = what == 5 ? 'x' : b.id.region[0];
        b.id.values = value;
        b.id.n_values = what == 6;
        ck_assert_int_eq(plussi_profile_merge(&ctx, &a, &b), PLUSS_EINVAL);
        ck_assert_msg(strstr(ctx.diags[0].text, told[what]) != NULL, "%s", ctx.diags[0].text);
        ck_assert_double_eq(plussi_histo_total(&a.histo), before);
        b.id.n_values = 1;
        plussi_profile_free(&a);
        plussi_profile_free(&b);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

/* ---- written and read ------------------------------------------------------------------------ */

static pluss_status write_profiles(plussi_ctx *ctx, const plussi_result *result, const char *format,
                                   bytes *out)
{
    plussi_document document;
    plussi_sink sink;
    *out = (bytes){0};
    plussi_document_init(&document, &ctx->mem);
    plussi_sink_init(&sink, add_bytes, out);
    plussi_report_profiles(result, &document);
    pluss_status status = plussi_document_write(ctx, &document, format, NULL, &sink);
    plussi_document_free(&document);
    return status;
}

static void expect_same(const plussi_histo *a, const plussi_histo *b)
{
    plussi_bin *x, *y;
    size_t n, m;
    must(plussi_histo_sorted(a, &x, &n));
    must(plussi_histo_sorted(b, &y, &m));
    ck_assert_uint_eq(n, m);
    for (size_t i = 0; i < n; i++)
        ck_assert(x[i].key == y[i].key && x[i].weight == y[i].weight);
    ck_assert(a->cold == b->cold && a->thread_first == b->thread_first);
    plussi_free(&a->mem, x);
    plussi_free(&b->mem, y);
}

START_TEST(both_forms_can_be_read)
{
    static const char *const format[] = {"json", "json.gz"};
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, &plussi_mem_libc);
    plussi_result result, back[2];
    bytes text[2];
    plussi_result_init(&result, &plussi_mem_libc);
    for (uint64_t seed = 0; seed < 3; seed++) {
        plussi_profile p = drawn(seed, seed ? PLUSSI_METRIC_DISTANCE : PLUSSI_METRIC_INTERVAL);
        must(plussi_result_add_profile(&result, &p));
    }
    for (int f = 0; f < 2; f++) {
        must(write_profiles(&ctx, &result, format[f], &text[f]));
        must(plussi_report_json_read(&ctx, text[f].at, text[f].n, "f", &back[f]));
        ck_assert_uint_eq(back[f].n_profiles, 3);
        ck_assert_uint_eq(back[f].n, 3); /* without curves in the text, those of the profiles */
        for (size_t i = 0; i < 3; i++) {
            const plussi_profile *a = &result.profile[i], *b = &back[f].profile[i];
            ck_assert(!plussi_profile_mergeable(a, b));
            ck_assert(a->runs == b->runs && a->footprint_lines == b->footprint_lines);
            expect_same(&a->histo, &b->histo);
            ck_assert_uint_eq(b->n_parts, 2);
            ck_assert_str_eq(b->part[1].site.text, "B[k][j]");
            expect_same(&a->part[1].histo, &b->part[1].histo);
            ck_assert(back[f].curve[i].mrc.accesses == plussi_histo_total(&a->histo));
        }
    }
    ck_assert_msg(2 * text[1].n < text[0].n, "%zu of %zu bytes", text[1].n, text[0].n);
    must(plussi_result_merge(&ctx, &back[0], &back[1]));
    ck_assert_uint_eq(back[0].n_profiles, 3);
    ck_assert_uint_eq(back[0].n, 3);
    ck_assert_uint_eq(back[1].n_profiles, 0);
    ck_assert(back[0].profile[0].runs == 2);
    ck_assert(back[0].curve[0].mrc.accesses == plussi_histo_total(&result.profile[0].histo));
    for (int f = 0; f < 2; f++) {
        free(text[f].at);
        plussi_result_free(&back[f]);
    }
    plussi_result_free(&result);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* Every beginning of the compressed form, and every damaged byte: an error, or (where the bit means
 * nothing) the same. */
START_TEST(damage_is_told)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, &plussi_mem_libc);
    plussi_result result, back;
    bytes text;
    size_t same = 0;
    plussi_result_init(&result, &plussi_mem_libc);
    plussi_profile p = drawn(1, PLUSSI_METRIC_DISTANCE);
    must(plussi_result_add_profile(&result, &p));
    must(write_profiles(&ctx, &result, "json.gz", &text));
    for (size_t n = 0; n < text.n; n++)
        ck_assert_int_eq(plussi_report_json_read(&ctx, text.at, n, "f", &back), PLUSS_EFORMAT);
    for (size_t i = 10; i < text.n; i++) {
        text.at[i] ^= 0x10;
        if (plussi_report_json_read(&ctx, text.at, text.n, "f", &back) == PLUSS_OK) {
            expect_same(&result.profile[0].histo, &back.profile[0].histo);
            plussi_result_free(&back);
            same++;
        }
        text.at[i] ^= 0x10;
    }
    ck_assert_uint_lt(10 * same, text.n);
    ck_assert_ptr_nonnull(strstr(ctx.diags[ctx.n_diags - 1].text, "damaged"));
    free(text.at);
    plussi_result_free(&result);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* A file of gzip may have several members; what is none, or no JSON, is told. */
START_TEST(what_stands_after_the_end)
{
    static const char empty_member[20] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x03";
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, &plussi_mem_libc);
    plussi_result result, back;
    bytes text;
    plussi_result_init(&result, &plussi_mem_libc);
    plussi_profile p = drawn(1, PLUSSI_METRIC_DISTANCE);
    must(plussi_result_add_profile(&result, &p));
    must(write_profiles(&ctx, &result, "json.gz", &text));
    char *more = malloc(2 * text.n + sizeof empty_member);
    ck_assert_ptr_nonnull(more);
    memcpy(more, text.at, text.n);

    memcpy(more + text.n, empty_member, sizeof empty_member);
    must(plussi_report_json_read(&ctx, more, text.n + sizeof empty_member, "f", &back));
    plussi_result_free(&back);
    memcpy(more + text.n, text.at, text.n);
    ck_assert_int_eq(plussi_report_json_read(&ctx, more, 2 * text.n, "f", &back), PLUSS_EFORMAT);
    ck_assert_ptr_null(strstr(ctx.diags[ctx.n_diags - 1].text, "damaged"));
    more[text.n] = 'x';
    ck_assert_int_eq(plussi_report_json_read(&ctx, more, text.n + 1, "f", &back), PLUSS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(ctx.diags[ctx.n_diags - 1].text, "damaged"));
    free(more);
    free(text.at);
    plussi_result_free(&result);
    plussi_ctx_clear(&ctx);
}
END_TEST

#define PROFILE(members)                                                                           \
    "{\"version\": 2, \"profiles\": [{\"region\": \"r\", \"engine\": \"e\", \"threads\": 2, "      \
    "\"method\": \"prediction\", \"line_bytes\": 64, \"footprint_lines\": 3, " members "}]}"
#define HISTO "\"cold\": 3, \"thread_first\": 0, \"keys\": [1, 4], \"weights\": [2, 0.5]"

START_TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *text, *message; /* NULL: nothing is wrong */
    } cases[] = {
        {PROFILE("\"metric\": \"distance\", \"scope\": \"concurrent\", " HISTO), NULL},
        {PROFILE("\"metric\": \"size\", \"scope\": \"concurrent\", " HISTO), "profiles[0].metric"},
        {PROFILE("\"metric\": \"distance\", " HISTO), "profiles[0].scope"},
        {PROFILE("\"metric\": \"interval\", \"scope\": \"private\", \"runs\": 0, " HISTO),
         "profiles[0].runs"},
        {PROFILE("\"metric\": \"interval\", \"scope\": \"private\""), "profiles[0].cold: missing"},
        {PROFILE("\"metric\": \"interval\", \"scope\": \"private\", \"cold\": -1, "
                 "\"thread_first\": 0, \"keys\": [], \"weights\": []"),
         "profiles[0].cold"},
        {PROFILE("\"metric\": \"interval\", \"scope\": \"private\", \"cold\": 1, "
                 "\"thread_first\": 0, \"keys\": [0], \"weights\": [1]"),
         "profiles[0].keys"},
        {PROFILE("\"metric\": \"distance\", \"scope\": \"private\", \"cold\": 1, "
                 "\"thread_first\": 0, \"keys\": [2, 1.5], \"weights\": [1, 1]"),
         "profiles[0].keys"},
        {PROFILE("\"metric\": \"distance\", \"scope\": \"private\", \"cold\": 1, "
                 "\"thread_first\": 0, \"keys\": [2], \"weights\": [1, 1]"),
         "profiles[0].weights: 1 numbers expected"},
        {PROFILE("\"metric\": \"distance\", \"scope\": \"private\", \"cold\": 1, "
                 "\"thread_first\": 0, \"keys\": [2], \"weights\": [0]"),
         "profiles[0].weights"},
        {PROFILE("\"metric\": \"distance\", \"scope\": \"private\", " HISTO
                 ", \"references\": [{\"number\": 0}]"),
         "profiles[0].references[0].cold: missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plussi_ctx ctx;
        plussi_result back;
        plussi_ctx_init(&ctx, &plussi_mem_libc);
        pluss_status status =
            plussi_report_json_read(&ctx, cases[i].text, strlen(cases[i].text), "f.json", &back);
        ck_assert_int_eq(status, cases[i].message ? PLUSS_EFORMAT : PLUSS_OK);
        if (cases[i].message)
            ck_assert_msg(strstr(ctx.diags[0].text, cases[i].message) != NULL, "%zu: %s", i,
                          ctx.diags[0].text);
        else
            plussi_result_free(&back);
        plussi_ctx_clear(&ctx);
    }
}
END_TEST

/* ---- lack of memory -------------------------------------------------------------------------- */

static pluss_status all_of_it(plussi_ctx *ctx, const char *format)
{
    plussi_result result, back = {.mem = ctx->mem};
    bytes text = {0};
    plussi_result_init(&result, &ctx->mem);
    plussi_profile p = {.mem = ctx->mem};
    pluss_status status = draw(&ctx->mem, 1, PLUSSI_METRIC_DISTANCE, &p);
    if (!status)
        status = plussi_result_add_profile(&result, &p);
    plussi_profile_free(&p);
    if (!status)
        status = write_profiles(ctx, &result, format, &text);
    if (!status)
        status = plussi_report_json_read(ctx, text.at, text.n, "f", &back);
    if (!status)
        status = plussi_result_merge(ctx, &result, &back);
    free(text.at);
    plussi_result_free(&result);
    plussi_result_free(&back);
    return status;
}

START_TEST(short_of_memory)
{
    static const char *const format[] = {"json", "json.gz"};
    for (int f = 0; f < 2; f++)
        for (long budget = 0;; budget++) {
            failing_mem memory;
            failing_mem_init(&memory, budget);
            plussi_ctx ctx;
            plussi_ctx_init(&ctx, &memory.mem);
            ck_assert_int_eq(all_of_it(&ctx, format[f]), memory.failed ? PLUSS_ENOMEM : PLUSS_OK);
            plussi_ctx_clear(&ctx);
            ck_assert_int_eq(memory.live, 0);
            if (!memory.failed)
                break;
        }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("profile");
    TCase *t = tcase_create("profile");
    tcase_add_test(t, curves_count_what_is_too_far);
    tcase_add_test(t, merging_adds_runs_and_parts);
    tcase_add_test(t, what_differs_is_not_merged);
    tcase_add_test(t, both_forms_can_be_read);
    tcase_add_test(t, damage_is_told);
    tcase_add_test(t, what_stands_after_the_end);
    tcase_add_test(t, what_is_wrong_is_named);
    tcase_add_test(t, short_of_memory);
    suite_add_tcase(s, t);
    return s;
}

SUITE_MAIN(suite())
