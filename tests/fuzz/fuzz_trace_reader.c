/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the sidecar file of a record: no crash; what its sections hold is read whole, or
 * refused with one message.
 */
#include "any_target.h"
#include "trace/sampled_trace.h"
#include "trace/timed_run.h"
#include "trace/touches.h"

enum { MAX_SAMPLED = 4 /* blocks and threads of sampled traces */ };

static void check_timed_run(const plussi_timed_run *run)
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

static pluss_status read_timed_runs(plussi_trace_reader *trace)
{
    for (size_t i = 0; i < trace->n_runs; i++) {
        plussi_timed_run run;
        pluss_status status = plussi_timed_run_read(trace, &trace->run[i], &run);
        if (status)
            return status;
        check_timed_run(&run);
    }
    return PLUSS_OK;
}

static void read_touches(const plussi_trace_reader *trace)
{
    plussi_touches *touches;
    plussi_access access[64];
    size_t n, sections, all = 0, expected = 0;
    const plussi_indexed_section *s =
        plussi_trace_of_kind(trace, PLUSSI_SECTION_TOUCHES, &sections);
    for (size_t i = 0; i < sections; i++)
        expected += s[i].head.n;
    require(plussi_touches_new(trace, UINT32_MAX, &touches) == PLUSS_OK, "memory");
    do {
        require(plussi_trace_next(plussi_touches_trace(touches), access, 64, &n) == PLUSS_OK,
                "touches can be read");
        all += n;
    } while (n > 0);
    plussi_touches_free(touches);
    require(all == expected, "all touches are merged");
}

static void check_sampled(const plussi_sampled_trace *sampled)
{
    require(sampled->rate > 0 && sampled->rate <= 1, "a part of the lines is there");
    for (uint32_t k = 0; k < sampled->team; k++)
        for (size_t p = 0; p < sampled->thread[k].n_phases; p++) {
            const plussi_trace_phase *phase = &sampled->thread[k].phase[p];
            require(phase->first <= phase->end && phase->end <= sampled->thread[k].n,
                    "phases are of accesses");
            for (size_t i = phase->first; i < phase->end; i++)
                require(sampled->thread[k].access[i].ref < sampled->n_refs,
                        "accesses are of references");
        }
}

static pluss_status read_sampled(plussi_trace_reader *trace)
{
    pluss_status status = PLUSS_OK;
    for (uint32_t block = 0; block < MAX_SAMPLED && !status; block++)
        for (uint32_t team = 1; team <= MAX_SAMPLED; team++) {
            const plussi_record_block of = {.team = team, .line_bytes = trace->line_bytes};
            plussi_sampled_trace sampled;
            size_t n;
            (void)plussi_trace_of_run(trace, PLUSSI_SECTION_MADE, block, &n);
            if (n != team)
                continue;
            status = plussi_sampled_trace_read(trace, block, &of, &sampled);
            if (status)
                break;
            check_sampled(&sampled);
            plussi_sampled_trace_free(&sampled);
        }
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[PATH_ROOM];
    put_file("file", data, size, path);
    plussi_ctx ctx;
    plussi_trace_reader *trace = NULL;
    plussi_ctx_init(&ctx, NULL);
    pluss_status status = plussi_trace_open(&ctx, path, &trace);
    if (!status)
        read_touches(trace);
    if (!status)
        status = read_timed_runs(trace);
    if (!status)
        status = read_sampled(trace);
    require(status == PLUSS_OK || status == PLUSS_EFORMAT, "bad bytes are a bad format");
    require(ctx.n_diags == (status ? 1u : 0u), "one error says why");
    plussi_trace_close(trace);
    plussi_ctx_clear(&ctx);
    return 0;
}
