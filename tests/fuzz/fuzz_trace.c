/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the trace of a run, beside its record: the curve of every block's runs and that of
 * all of them, or a message.
 */
#include <stdint.h>

#include "public_target.h"

static pluss_status rebuild(fuzz_run *r, size_t block)
{
    pluss_result *result;
    pluss_status status = pluss_record_simulate(r->ctx, r->record, block, r->beside, &result);
    if (!status) {
        check_result(r->ctx, result);
        pluss_result_free(result);
    }
    return status;
}

static pluss_status rebuild_all(fuzz_run *r)
{
    pluss_block_info info = {.size = sizeof info};
    pluss_status status = rebuild(r, SIZE_MAX);
    for (size_t i = 0; !pluss_record_get_block(r->record, i, &info); i++) {
        pluss_status one = rebuild(r, i);
        status = status ? status : one;
    }
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_run(data, size, "tsc", rebuild_all);
    return 0;
}
