/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the record of a run, beside any nest: every block's nest with the recorded chunks,
 * and the sequence of all, become curves, or are refused with a message.
 */
#include <stdint.h>

#include "../unit/option_text.h"
#include "public_target.h"

#define EFFORT "1000000"
enum { MAX_TEAM = 16, MAX_BLOCKS = 4 };

static pluss_status predict(fuzz_run *r, size_t block, const pluss_nest *nest,
                            const pluss_options *options)
{
    pluss_result *result;
    pluss_status status =
        block == SIZE_MAX ? pluss_predict(r->ctx, nest, options, &result)
                          : pluss_record_predict(r->ctx, r->record, block, nest, options, &result);
    if (!status) {
        check_result(r->ctx, result);
        pluss_result_free(result);
    }
    return status;
}

static pluss_status replay_block(fuzz_run *r, size_t block, const pluss_block_info *info)
{
    static const char *const models[] = {"clock", "cri", "cri-line"};
    const pluss_nest *nests[] = {r->nest};
    pluss_options *options;
    pluss_nest *nest;
    pluss_status status =
        pluss_record_nest(r->ctx, r->record, block, (int64_t)info->n_places - 1, nests, 1, &nest);
    if (status)
        return status;
    require(make_options(r->ctx, "schedule=recorded effort=" EFFORT, &options) == PLUSS_OK &&
                pluss_options_set_threads(r->ctx, options, &info->team, 1) == PLUSS_OK,
            "options are set");
    if (info->n_chunks)
        require(pluss_options_set_chunks(r->ctx, options, info->chunks, info->n_chunks) == PLUSS_OK,
                "chunks are set");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        require(pluss_options_set(r->ctx, options, "model", models[i]) == PLUSS_OK,
                "models have names");
        pluss_status one = predict(r, block, nest, options);
        status = status ? status : one;
    }
    pluss_options_free(options);
    pluss_nest_free(nest);
    return status;
}

/* All of it at once: curves, or a message; nothing of a team that is too large. */
static pluss_status run_all(fuzz_run *r)
{
    const pluss_nest *nests[] = {r->nest};
    pluss_options *options;
    pluss_result *result;
    require(make_options(r->ctx, "threads=1,2 effort=" EFFORT, &options) == PLUSS_OK,
            "options are set");
    pluss_status status = pluss_record_run(r->ctx, r->record, nests, 1, options, &result);
    pluss_options_free(options);
    if (!status) {
        check_result(r->ctx, result);
        pluss_result_free(result);
    }
    return status;
}

static pluss_status replay(fuzz_run *r)
{
    const pluss_nest *nests[] = {r->nest};
    pluss_options *options;
    pluss_block_info info = {.size = sizeof info};
    pluss_nest *program;
    pluss_status whole = run_all(r);
    pluss_status status = pluss_record_program(r->ctx, r->record, nests, 1, &program);
    if (!status) {
        require(make_options(r->ctx, "effort=" EFFORT, &options) == PLUSS_OK, "options are set");
        status = predict(r, SIZE_MAX, program, options);
        pluss_options_free(options);
        pluss_nest_free(program);
    }
    for (size_t i = 0; i < MAX_BLOCKS && !pluss_record_get_block(r->record, i, &info); i++)
        if (info.team <= MAX_TEAM) {
            pluss_status one = replay_block(r, i, &info);
            status = status ? status : one;
        }
    return status ? status : whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_run(data, size, replay);
    return 0;
}
