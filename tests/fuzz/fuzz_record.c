/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the record of a run: no crash; it is read whole, or refused with one message; what
 * is read becomes nests, a program and intervals, or is refused with a message.
 */
#include "any_target.h"
#include "profile/record_intervals.h"
#include "trace/recorded.h"

/* The regions that records of the corpus speak of. */
static const char text[] =
    "pluss-nest 1 symbol n array f64 A[n][n] "
    "region r \"k.c\":4 array f64 B[n] private symbol m = 3 parallel for i in 0..n { "
    "for j in 0..m { read A[i][j] write B[i] } } "
    "region s \"k.c\":9 array f64 A[8] parallel for i in 0..8 schedule(dynamic) { read A[i] } "
    "region t \"k.c\":12 parallel for i in 0..3 { unknown reference \"x\" "
    "for j in 0..i { unknown loop \"y\" } }";

static void check_block(const plussi_record_block *b)
{
    require(b->region && b->file && b->team >= 1 && b->n_places >= 1, "a block has its facts");
    require(b->n_threads <= b->team, "threads are in the team");
    for (size_t i = 0; i < b->n_pri; i++) {
        const plussi_record_pri *p = &b->pri[i];
        uint64_t sum = 0;
        require(p->thread < b->team, "intervals are of threads in the team");
        for (size_t k = 0; k < p->n_intervals; k++)
            require(p->interval[k].key > (k ? p->interval[k - 1].key : 0), "intervals ascend");
        for (size_t k = 0; k < p->n_shared; k++)
            sum += p->shared[k].count;
        require(sum <= p->first, "shared first touches are first touches");
    }
    for (size_t i = 0; i < b->n_chunks; i++)
        require(b->chunk[i].lo < b->chunk[i].hi && b->chunk[i].thread < b->team,
                "chunks are not empty");
}

static void check_sequence(const plussi_record *r, const plussi_record_node *node, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        require(node[i].times > 0, "something is done");
        if (node[i].n)
            check_sequence(r, node[i].body, node[i].n);
        else
            require(node[i].block < r->n_blocks &&
                        node[i].place < (int64_t)r->block[node[i].block].n_places,
                    "a run is of a block and a placement");
    }
}

static void use(plussi_ctx *ctx, const plussi_record *r, const plussi_nest *nest)
{
    plussi_nest *made = NULL;
    for (size_t b = 0; b < r->n_blocks && b < 16; b++) {
        plussi_bind_options options = {.team = r->block[b].team, .line_bytes = r->line_bytes};
        plussi_bound *bound = NULL;
        plussi_pri pri;
        if (plussi_record_nest(ctx, r, b, (int64_t)r->block[b].n_places - 1, &nest, 1, &made))
            continue;
        if (options.team <= 64 && plussi_bind(ctx, made, &options, &bound) == PLUSS_OK) {
            if (plussi_record_intervals(ctx, &r->block[b], bound, &pri) == PLUSS_OK)
                plussi_pri_free(&pri);
            plussi_bound_free(bound);
        }
        plussi_nest_free(made);
    }
    if (plussi_record_program(ctx, r, &nest, 1, &made) == PLUSS_OK)
        plussi_nest_free(made);
    else
        require(ctx->n_diags > 0, "no fault without a message");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plussi_ctx ctx;
    plussi_record *record = NULL;
    plussi_nest *nest = NULL;
    plussi_ctx_init(&ctx, NULL);
    pluss_status status = plussi_record_parse(&ctx, (const char *)data, size, "fuzz", &record);
    if (status == PLUSS_OK) {
        for (size_t b = 0; b < record->n_blocks; b++)
            check_block(&record->block[b]);
        check_sequence(record, record->sequence, record->n_sequence);
        require(plussi_nest_parse(&ctx, text, sizeof text - 1, NULL, &nest) == PLUSS_OK,
                "the regions parse");
        use(&ctx, record, nest);
        plussi_nest_free(nest);
        plussi_record_free(record);
    } else {
        require(status == PLUSS_EFORMAT && !record, "bad bytes are a bad format");
        require(ctx.n_diags == 1 && ctx.diags[0].severity == PLUSSI_ERROR, "one error says why");
    }
    plussi_ctx_clear(&ctx);
    return 0;
}
