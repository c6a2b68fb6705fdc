/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * profilecheck RECORD OBJECT...
 *
 * What mode=profile recorded against what the nest says, with the record's symbol values and
 * addresses: the private reuse intervals of every reference and thread against those of the walked
 * nest, and the sums over the threads against the closed form (pluss_pri_collect), to the last
 * count. Prints how much was compared. Exit status 1: they differ; 2: usage; 3: the library
 * refuses.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ffi.h"

#include "base/linemap.h"
#include "walk/walk.h"

enum { MAX_NESTS = 64, BATCH = 1024 };

static pluss_context *ctx;

static void must(pluss_status status, const char *what)
{
    if (status == PLUSS_OK)
        return;
    for (size_t i = 0; i < ctx->ctx.n_diags; i++)
        fprintf(stderr, "%s\n", ctx->ctx.diags[i].text);
    fprintf(stderr, "profilecheck: %s: %s\n", what, plussi_status_text(status));
    exit(3);
}

/* One thread's intervals of one reference. */
typedef struct tally {
    plussi_histo interval;
    uint64_t first;
} tally;

typedef struct table {
    uint32_t team, refs;
    tally *at; /* thread by thread */
} table;

static table table_new(uint32_t team, uint32_t refs)
{
    table t = {team, refs, calloc((size_t)team * refs + 1, sizeof *t.at)};
    for (size_t i = 0; i < (size_t)team * refs; i++)
        plussi_histo_init(&t.at[i].interval, &ctx->ctx.mem);
    return t;
}

static void table_free(table *t)
{
    for (size_t i = 0; i < (size_t)t->team * t->refs; i++)
        plussi_histo_free(&t->at[i].interval);
    free(t->at);
}

/* ---- the record's -------------------------------------------------------------------------------
 */

static void read_intervals(table *t, char *line)
{
    uint32_t thread, ref;
    uint64_t first;
    int used;
    if (sscanf(line, "pri thread %" SCNu32 " ref %" SCNu32 " first %" SCNu64 "%n", &thread, &ref,
               &first, &used) != 3 ||
        thread >= t->team || ref >= t->refs) {
        fprintf(stderr, "profilecheck: not expected: %.60s\n", line);
        exit(3);
    }
    tally *at = &t->at[thread * t->refs + ref];
    at->first = first;
    uint64_t interval, count;
    for (char *p = line + used;
         sscanf(p, " %" SCNu64 ":%" SCNu64 "%n", &interval, &count, &used) == 2; p += used)
        must(plussi_histo_add(&at->interval, interval, (double)count), "histogram");
}

/* The intervals of block number `block`. */
static void read_block(table *t, const char *path, size_t block)
{
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, at = 0;
    if (!in) {
        perror(path);
        exit(2);
    }
    while (getline(&line, &room, in) > 0) {
        at += strncmp(line, "region ", 7) == 0;
        if (at == block + 1 && strncmp(line, "pri ", 4) == 0)
            read_intervals(t, line);
    }
    free(line);
    fclose(in);
}

/* ---- the nest's ---------------------------------------------------------------------------------
 */

static void walk_nest(table *t, const pluss_nest *nest)
{
    plussi_bind_options options = {.team = t->team, .line_bytes = 64};
    plussi_bound *bound;
    plussi_walk *walk;
    must(plussi_bind(&ctx->ctx, nest->nest, &options, &bound), "bind");
    must(plussi_walk_new(&ctx->ctx, bound, 1, &walk), "walk");
    plussi_linemap *last = calloc(t->team, sizeof *last);
    uint64_t *clock = calloc(t->team, sizeof *clock);
    static plussi_access batch[BATCH];
    for (uint32_t k = 0; k < t->team; k++)
        plussi_linemap_init(&last[k], &ctx->ctx.mem);
    do
        for (uint32_t k = 0; k < t->team; k++)
            for (size_t n; (n = plussi_walk_fill(walk, k, batch, BATCH)) > 0;)
                for (size_t i = 0; i < n; i++) {
                    tally *at = &t->at[k * t->refs + batch[i].ref];
                    uint64_t *before = plussi_linemap_at(&last[k], batch[i].line);
                    uint64_t now = ++clock[k];
                    if (*before == 0)
                        at->first++;
                    else
                        must(plussi_histo_add(&at->interval, now - *before, 1), "histogram");
                    *before = now;
                }
    while (plussi_walk_next_phase(walk));
    must(plussi_walk_status(walk), "walk");
    for (uint32_t k = 0; k < t->team; k++)
        plussi_linemap_free(&last[k]);
    free(last);
    free(clock);
    plussi_walk_free(walk);
    plussi_bound_free(bound);
}

/* ---- comparison ---------------------------------------------------------------------------------
 */

static void differ(uint32_t thread, uint32_t ref, const tally *got, const tally *want)
{
    printf("thread %u, reference %u: recorded %" PRIu64 " first touches and intervals of", thread,
           ref, got->first);
    for (int side = 0; side < 2; side++) {
        plussi_bin *bin;
        size_t n;
        must(plussi_histo_sorted(side ? &want->interval : &got->interval, &bin, &n), "histogram");
        if (side)
            printf("\nwalked: %" PRIu64 " and", want->first);
        for (size_t i = 0; i < n && i < 12; i++)
            printf(" %" PRIu64 ":%.0f", bin[i].key, bin[i].weight);
        plussi_free(&ctx->ctx.mem, bin);
    }
    printf("\n");
    exit(1);
}

static void compare_sums(const table *got, const pluss_nest *nest, uint32_t team)
{
    pluss_options options = {.size = sizeof options, .teams = &team, .n_teams = 1};
    pluss_pri *pri;
    must(pluss_pri_collect(ctx, nest, &options, &pri), "closed form");
    for (uint32_t r = 0; r < got->refs; r++) {
        pluss_pri_info info = {.size = sizeof info};
        must(pluss_pri_get(pri, r, &info), "closed form");
        tally sum = {0}, closed = {0};
        plussi_histo_init(&sum.interval, &ctx->ctx.mem);
        plussi_histo_init(&closed.interval, &ctx->ctx.mem);
        for (uint32_t k = 0; k < got->team; k++) {
            sum.first += got->at[k * got->refs + r].first;
            must(plussi_histo_merge(&sum.interval, &got->at[k * got->refs + r].interval, 1),
                 "histogram");
        }
        for (size_t i = 0; i < info.n_bins; i++)
            must(plussi_histo_add(&closed.interval, info.interval[i], info.weight[i]), "histogram");
        closed.first = (uint64_t)llround(info.cold + info.thread_first);
        if (sum.first != closed.first || !plussi_histo_equal(&sum.interval, &closed.interval, 0)) {
            printf("the closed form differs: all threads as \"thread %u\"\n", team);
            differ(team, r, &sum, &closed);
        }
        plussi_histo_free(&sum.interval);
        plussi_histo_free(&closed.interval);
    }
    pluss_pri_free(pri);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    must(pluss_context_new(NULL, &ctx), "context");
    const pluss_nest *nest[MAX_NESTS];
    size_t n = 0;
    for (int i = 2; i < argc; i++) {
        pluss_nests *nests;
        must(pluss_nests_read(ctx, argv[i], &nests), argv[i]);
        for (size_t k = 0; k < pluss_nests_count(nests) && n < MAX_NESTS; k++)
            nest[n++] = pluss_nests_get(nests, k);
    }
    pluss_record *record;
    must(pluss_record_read(ctx, argv[1], &record), argv[1]);
    pluss_record_info info = {.size = sizeof info};
    must(pluss_record_get_info(record, &info), "record");
    uint64_t accesses = 0;
    for (size_t b = 0; b < info.n_blocks; b++) {
        pluss_block_info block = {.size = sizeof block};
        must(pluss_record_get_block(record, b, &block), "block");
        if (block.lost) {
            printf("%s: %" PRIu64 " accesses lost\n", block.region, block.lost);
            return 1;
        }
        pluss_nest *own;
        must(pluss_record_nest(ctx, record, b, 0, nest, n, &own), block.region);
        uint32_t refs = own->nest->n_refs;
        table got = table_new(block.team, refs), want = table_new(block.team, refs);
        read_block(&got, argv[1], b);
        walk_nest(&want, own);
        for (uint32_t k = 0; k < block.team; k++)
            for (uint32_t r = 0; r < refs; r++) {
                const tally *x = &got.at[k * refs + r], *y = &want.at[k * refs + r];
                if (x->first != y->first || !plussi_histo_equal(&x->interval, &y->interval, 0))
                    differ(k, r, x, y);
            }
        compare_sums(&got, own, block.team);
        accesses += block.accesses;
        table_free(&got);
        table_free(&want);
        pluss_nest_free(own);
    }
    printf("%zu blocks, %" PRIu64 " accesses\n", info.n_blocks, accesses);
    return info.n_blocks == 0;
}
