/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the sidecar file of a record: the exact curve of every block's touches and of all of
 * them; the timeline of every block's runs and that of the whole sequence, by which the nest is
 * predicted and walked, what a calibration makes of it, and the gaps between threads; the curves of
 * sampled traces; or a message.
 */
#include <math.h>
#include <stdint.h>

#include "../unit/option_text.h"
#include "public_target.h"

#define EFFORT "1000000"
enum { MAX_TEAM = 64, MAX_BLOCKS = 4 };

static void check_and_free(fuzz_run *r, pluss_status status, pluss_result *result)
{
    if (status)
        return;
    check_result(r->ctx, result);
    pluss_result_free(result);
}

static pluss_status rebuild(fuzz_run *r, size_t block)
{
    pluss_result *result = NULL;
    pluss_status status = pluss_record_simulate(r->ctx, r->record, block, &result);
    check_and_free(r, status, result);
    return status;
}

static pluss_options *of_team(fuzz_run *r, const char *words, uint32_t team)
{
    pluss_options *options;
    require(make_options(r->ctx, words, &options) == PLUSS_OK &&
                pluss_options_set_threads(r->ctx, options, &team, 1) == PLUSS_OK,
            "options are set");
    return options;
}

static pluss_status predict_sampled(fuzz_run *r, size_t block, uint32_t team)
{
    const pluss_nest *nests[] = {r->nest};
    pluss_options *options;
    pluss_nest *nest;
    pluss_result *result = NULL;
    pluss_status status = pluss_record_nest(r->ctx, r->record, block, -1, nests, 1, &nest);
    if (status)
        return status;
    options = of_team(r, "model=lines effort=" EFFORT, team);
    status = pluss_record_predict(r->ctx, r->record, block, nest, options, &result);
    pluss_options_free(options);
    check_and_free(r, status, result);
    pluss_nest_free(nest);
    return status;
}

static pluss_status follow(fuzz_run *r, const pluss_nest *nest, const pluss_timelines *timeline,
                           uint32_t team)
{
    const pluss_progress recorded = {
        .size = sizeof recorded, .law = "recorded", .timelines = timeline};
    pluss_options *options = of_team(r, "effort=" EFFORT, team);
    pluss_result *result = NULL;
    require(pluss_options_set_progress(r->ctx, options, &recorded) == PLUSS_OK, "progress is set");
    pluss_status status = pluss_predict(r->ctx, nest, options, &result);
    pluss_options_free(options);
    check_and_free(r, status, result);
    return status;
}

/* As two processes. */
static pluss_status calibrate(fuzz_run *r)
{
    const pluss_nest *nests[] = {r->nest};
    pluss_calibration *calibration;
    pluss_calibration_info info = {.size = sizeof info};
    require(pluss_calibration_new(r->ctx, NULL, &calibration) == PLUSS_OK &&
                pluss_calibration_add(calibration, r->record, nests, 1) == PLUSS_OK &&
                pluss_calibration_add(calibration, r->record, nests, 1) == PLUSS_OK,
            "what cannot be used is left out");
    pluss_status status = pluss_calibration_finish(calibration);
    for (size_t i = 0; !status && !pluss_calibration_get(calibration, i, &info); i++)
        require(info.discarded < info.runs && isfinite(info.progress->sigma) &&
                    info.progress->sigma >= 0 && isfinite(info.access_ns) && info.access_ns > 0 &&
                    info.progress->stall_rate >= 0 && info.progress->stall_rate <= 1 &&
                    info.progress->skew >= 0,
                "what is fitted are numbers");
    pluss_calibration_free(calibration);
    return status;
}

/* A block's (SIZE_MAX: the sequence's) timeline, and what is made of it. */
static pluss_status use_timelines(fuzz_run *r, size_t block, uint32_t team)
{
    const pluss_nest *nests[] = {r->nest};
    pluss_timelines *timeline = NULL;
    pluss_nest *nest = NULL;
    pluss_status status = pluss_timelines_read(r->ctx, r->record, block, nests, 1, &timeline);
    if (!status)
        status = block == SIZE_MAX
                     ? pluss_record_program(r->ctx, r->record, nests, 1, &nest)
                     : pluss_record_nest(r->ctx, r->record, block, -1, nests, 1, &nest);
    if (!status)
        status = follow(r, nest, timeline, team);
    pluss_nest_free(nest);
    pluss_timelines_free(timeline);
    return status;
}

static pluss_status find_gaps(fuzz_run *r)
{
    pluss_gaps *gaps;
    pluss_gaps_test test = {.size = sizeof test};
    require(pluss_gaps_new(r->ctx, NULL, &gaps) == PLUSS_OK, "memory");
    pluss_status status = pluss_gaps_add(gaps, r->record);
    if (!status)
        status = pluss_gaps_finish(gaps);
    if (!status) {
        require(pluss_gaps_get_test(gaps, SIZE_MAX, &test) == PLUSS_OK &&
                    test.samples <= test.stops * MAX_TEAM * 1024 && test.p >= 0 && test.p <= 1,
                "a test has a probability");
    }
    pluss_gaps_free(gaps);
    return status;
}

static pluss_status use_block(fuzz_run *r, size_t block, uint32_t team)
{
    pluss_status rebuilt = rebuild(r, block), timed = use_timelines(r, block, team),
                 sampled = block == SIZE_MAX ? PLUSS_OK : predict_sampled(r, block, team);
    return rebuilt ? rebuilt : timed ? timed : sampled;
}

static pluss_status use_trace(fuzz_run *r)
{
    pluss_trace_info trace = {.size = sizeof trace};
    pluss_block_info info = {.size = sizeof info};
    pluss_status status = pluss_record_get_trace(r->ctx, r->record, &trace);
    if (status)
        return status;
    status = find_gaps(r);
    pluss_status fitted = calibrate(r);
    status = status ? status : fitted;
    for (size_t i = 0; i < MAX_BLOCKS && !pluss_record_get_block(r->record, i, &info); i++)
        if (info.team <= MAX_TEAM) {
            pluss_status one = use_block(r, i, info.team);
            status = status ? status : one;
        }
    pluss_status all = use_block(r, SIZE_MAX, info.team <= MAX_TEAM ? info.team : 1);
    return status ? status : all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_run(data, size, use_trace);
    return 0;
}
