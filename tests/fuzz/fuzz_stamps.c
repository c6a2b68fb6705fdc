/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the time stamps of a run: no crash; runs are read whole, or refused with one
 * message.
 */
#include "any_target.h"
#include "trace/stamped.h"

static void check_run(const plussi_stamped_run *run)
{
    require(run->team >= 1 && run->begin >= 0 && run->end >= run->begin, "a run has a team");
    for (uint32_t k = 0; k < run->team; k++)
        for (size_t i = 1; i < run->thread[k].n; i++) {
            const plussi_stamp *is = &run->thread[k].stamp[i], *was = is - 1;
            require(is->time >= was->time, "times ascend");
            require(is->kind != PLUSSI_STAMP_ITER ||
                        (is->begun > was->begun && is->loop == was->loop &&
                         is->execution == was->execution),
                    "iterations are counted");
            require(is->kind != PLUSSI_STAMP_GO || was->kind == PLUSSI_STAMP_BARRIER,
                    "who goes on has waited");
        }
    for (size_t i = 0; i < run->n_chunks; i++)
        require(run->chunk[i].thread < run->team && run->chunk[i].lo < run->chunk[i].hi,
                "chunks are not empty");
    for (size_t i = 1; i < run->n_stops; i++)
        require(run->stop[i].time >= run->stop[i - 1].time, "stops ascend");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[PATH_ROOM];
    put_file("file", data, size, path);
    plussi_ctx ctx;
    plussi_stamped *stamped = NULL;
    plussi_ctx_init(&ctx, NULL);
    pluss_status status = plussi_stamped_open(&ctx, path, &stamped);
    const plussi_stamped_run *run;
    size_t n = status ? 0 : plussi_stamped_runs(stamped, &run);
    for (size_t i = 0; i < n && !status; i++) {
        status = plussi_stamped_load(stamped, i, &run);
        if (!status)
            check_run(run);
    }
    require(status == PLUSS_OK || status == PLUSS_EFORMAT, "bad bytes are a bad format");
    require(ctx.n_diags == (status ? 1u : 0u), "one error says why");
    plussi_stamped_free(stamped);
    plussi_ctx_clear(&ctx);
    return 0;
}
