/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns recorded private reuse intervals into the form that models take. First touches are divided
 * as in profile/pri_walk.c, with the same order of summation, so that equal counts give equal
 * numbers.
 */
#include "profile/record_intervals.h"

bool plussi_record_has_intervals(const plussi_record_block *block)
{
    return block->n_pri > 0 && block->runs > 0;
}

/* Sums the weights of all threads by reference: intervals into one histogram, first touches by the
 * number of threads that share the line into another. */
static pluss_status add_pri(const plussi_record_pri *pri, plussi_histo *intervals,
                            plussi_histo *first)
{
    uint64_t alone = pri->first;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < pri->n_intervals && !status; i++)
        status = plussi_histo_add(intervals, pri->interval[i].key, (double)pri->interval[i].count);
    for (size_t i = 0; i < pri->n_shared && !status; i++) {
        alone -= pri->shared[i].count;
        status = plussi_histo_add(first, pri->shared[i].key, (double)pri->shared[i].count);
    }
    return status || alone == 0 ? status : plussi_histo_add(first, 1, (double)alone);
}

/* Counts first touches: each of a line's k first touches is 1/k cold and 1 - 1/k thread-first.
 * Divides all weights by the number of runs. */
static pluss_status share_out(const plussi_histo *first, double runs, plussi_histo *histo)
{
    plussi_bin *bin = NULL;
    size_t n = 0;
    pluss_status status = plussi_histo_sorted(first, &bin, &n);
    for (size_t i = 0; i < n && !status; i++) {
        double weight = bin[i].weight / runs, cold = weight / (double)bin[i].key;
        histo->cold += cold;
        histo->thread_first += weight - cold;
    }
    plussi_free(&first->mem, bin);
    return status;
}

static pluss_status divide_runs(const plussi_histo *sum, double runs, plussi_histo *out)
{
    plussi_bin *bin = NULL;
    size_t n = 0;
    pluss_status status = plussi_histo_sorted(sum, &bin, &n);
    for (size_t i = 0; i < n && !status; i++)
        status = plussi_histo_add(out, bin[i].key, bin[i].weight / runs);
    plussi_free(&sum->mem, bin);
    return status;
}

static pluss_status fill_ref(const plussi_record_block *block, uint32_t ref, const plussi_mem *mem,
                             plussi_pri *out)
{
    plussi_histo intervals, first;
    plussi_histo_init(&intervals, mem);
    plussi_histo_init(&first, mem);
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < block->n_pri && !status; i++)
        if (block->pri[i].ref == ref)
            status = add_pri(&block->pri[i], &intervals, &first);
    plussi_histo *histo = &out->ref[ref].histo;
    if (!status)
        status = divide_runs(&intervals, (double)block->runs, histo);
    if (!status)
        status = share_out(&first, (double)block->runs, histo);
    plussi_histo_free(&intervals);
    plussi_histo_free(&first);
    return status;
}

/* A site shares lines as most of its first touches did: the nest does not tell. */
static void classify_site(const plussi_record_block *block, uint32_t ref, plussi_ref_pri *out)
{
    uint64_t first = 0, shared = 0;
    for (size_t i = 0; i < block->n_pri; i++) {
        const plussi_record_pri *pri = &block->pri[i];
        first += pri->ref == ref ? pri->first : 0;
        for (size_t k = 0; pri->ref == ref && k < pri->n_shared; k++)
            shared += pri->shared[k].count;
    }
    out->sharing = shared > first / 2 ? PLUSSI_SHARING_FULL : PLUSSI_SHARING_NONE;
    out->sharers = shared > first / 2 ? block->default_team : 1;
}

/* The references that are recorded, those of the nest among them. */
static uint32_t count_references(const plussi_record_block *block, uint32_t n_refs)
{
    for (size_t i = 0; i < block->n_pri; i++)
        n_refs = block->pri[i].ref >= n_refs ? block->pri[i].ref + 1 : n_refs;
    return n_refs;
}

bool plussi_record_has_sites(const plussi_record_block *block, uint32_t n_refs)
{
    return block->counted && count_references(block, n_refs) > n_refs;
}

static pluss_status check_block(plussi_ctx *ctx, const plussi_record_block *block,
                                const plussi_bound *bound)
{
    if (!plussi_record_has_intervals(block))
        return plussi_fail(ctx, PLUSS_ENOTFOUND, &block->loc,
                           "the record has no private reuse intervals of '%s'", block->region);
    for (size_t i = 0; i < block->n_pri; i++)
        if (block->pri[i].ref >= bound->n_refs && !block->counted)
            return plussi_fail(ctx, PLUSS_EINVAL, &block->loc,
                               "reference %u of '%s' is recorded; the description has %u",
                               block->pri[i].ref, block->region, bound->n_refs);
    return PLUSS_OK;
}

pluss_status plussi_record_intervals(plussi_ctx *ctx, const plussi_record_block *block,
                                     const plussi_bound *bound, plussi_pri *out)
{
    plussi_pri pri;
    pluss_status status = check_block(ctx, block, bound);
    const uint32_t n_refs = count_references(block, bound->n_refs);
    if (!status)
        status = plussi_pri_init(ctx, n_refs, block->default_team, &pri);
    if (status)
        return status;
    pri.n_sites = n_refs - bound->n_refs;
    status = plussi_sharing_classify(ctx, bound, &pri);
    for (uint32_t ref = bound->n_refs; ref < n_refs; ref++)
        classify_site(block, ref, &pri.ref[ref]);
    for (uint32_t ref = 0; ref < pri.n_refs && !status; ref++)
        status = fill_ref(block, ref, &ctx->mem, &pri);
    for (size_t k = 0; k < block->n_threads; k++)
        pri.accesses += (double)block->thread[k].accesses / (double)block->runs;
    if (status)
        plussi_pri_free(&pri);
    else
        *out = pri;
    return status;
}
