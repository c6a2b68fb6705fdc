/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as what a sampler kept of the order of accesses, beside the record of a run: read whole
 * and merged into a curve, or refused with a message.
 */
#include "public_target.h"

enum { EFFORT = 1000000, MAX_TEAM = 64 };

static pluss_status predict_block(fuzz_run *r, size_t block, uint32_t team)
{
    const pluss_nest *nests[] = {r->nest};
    const pluss_options options = {
        .size = sizeof options, .teams = &team, .n_teams = 1, .model = "lines", .effort = EFFORT};
    pluss_nest *nest;
    pluss_result *result;
    pluss_status status = pluss_record_nest(r->ctx, r->record, block, -1, nests, 1, &nest);
    if (status)
        return status;
    status = pluss_record_predict(r->ctx, r->record, block, nest, &options, &result);
    if (!status) {
        check_result(r->ctx, result);
        pluss_result_free(result);
    }
    pluss_nest_free(nest);
    return status;
}

static pluss_status predict(fuzz_run *r)
{
    pluss_block_info info = {.size = sizeof info};
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; !pluss_record_get_block(r->record, i, &info); i++)
        if (info.team <= MAX_TEAM) {
            pluss_status one = predict_block(r, i, info.team);
            status = status ? status : one;
        }
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_run(data, size, "lines", predict);
    return 0;
}
