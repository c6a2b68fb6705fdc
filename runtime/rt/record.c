/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void sum_free(plussi_sum *sum)
{
    for (uint32_t k = 0; sum->thread && k < sum->team; k++)
        plussi_collector_free(sum->thread[k]);
    free(sum->thread);
    free(sum->symbols);
    free(sum->bases);
    free(sum);
}

static bool sum_is(const plussi_sum *sum, const pluss_rt_region *region, const int64_t *symbols,
                   const uint64_t *bases, uint32_t team)
{
    if (sum->region != region || sum->team != team)
        return false;
    for (uint32_t i = 0; i < region->n_symbols; i++)
        if (sum->symbols[i] != symbols[i])
            return false;
    for (uint32_t i = 0; i < region->n_arrays; i++)
        if (sum->bases[i] % PLUSS_RT_LINE_BYTES != bases[i] % PLUSS_RT_LINE_BYTES)
            return false;
    return true;
}

static plussi_sum *sum_new(const pluss_rt_region *region, const int64_t *symbols,
                           const uint64_t *bases, uint32_t team)
{
    plussi_sum *sum = calloc(1, sizeof *sum);
    if (!sum)
        return NULL;
    sum->region = region;
    sum->team = team;
    sum->symbols = calloc(region->n_symbols + 1u, sizeof *sum->symbols);
    sum->bases = calloc(region->n_arrays + 1u, sizeof *sum->bases);
    sum->thread = calloc(team, sizeof *sum->thread);
    bool ok = sum->symbols && sum->bases && sum->thread;
    for (uint32_t k = 0; ok && k < team; k++)
        ok = (sum->thread[k] = plussi_collector_new(region->n_refs)) != NULL;
    if (!ok) {
        sum_free(sum);
        return NULL;
    }
    memcpy(sum->symbols, symbols, region->n_symbols * sizeof *symbols);
    memcpy(sum->bases, bases, region->n_arrays * sizeof *bases);
    return sum;
}

plussi_sum *plussi_sums_find(plussi_sums *sums, const pluss_rt_region *region,
                             const int64_t *symbols, const uint64_t *bases, uint32_t team)
{
    for (plussi_sum *sum = sums->first; sum; sum = sum->next)
        if (sum_is(sum, region, symbols, bases, team))
            return sum;
    plussi_sum *sum = sum_new(region, symbols, bases, team);
    if (!sum)
        return NULL;
    if (sums->last)
        sums->last->next = sum;
    else
        sums->first = sum;
    sums->last = sum;
    return sum;
}

void plussi_sums_clear(plussi_sums *sums)
{
    while (sums->first) {
        plussi_sum *next = sums->first->next;
        sum_free(sums->first);
        sums->first = next;
    }
    *sums = (plussi_sums){0};
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_string(FILE *out, const char *s)
{
    fputc('"', out);
    for (; s && *s; s++) {
        if (*s == '"' || *s == '\\')
            fputc('\\', out);
        if (*s == '\n')
            fputs("\\n", out);
        else
            fputc(*s, out);
    }
    fputc('"', out);
}

static int by_key(const void *a, const void *b)
{
    const struct plussi_tally_slot *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static bool write_intervals(FILE *out, uint32_t thread, uint32_t ref, const plussi_ref_tally *tally)
{
    struct plussi_tally_slot *sorted = malloc((tally->interval.n + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < tally->interval.cap; i++)
        if (tally->interval.slot[i].count)
            sorted[n++] = tally->interval.slot[i];
    qsort(sorted, n, sizeof *sorted, by_key);
    fprintf(out, "pri thread %" PRIu32 " ref %" PRIu32 " first %" PRIu64, thread, ref,
            tally->first);
    for (size_t i = 0; i < n; i++)
        fprintf(out, " %" PRIu64 ":%" PRIu64, sorted[i].key, sorted[i].count);
    fputc('\n', out);
    free(sorted);
    return true;
}

static bool write_sum(FILE *out, const plussi_sum *sum)
{
    const pluss_rt_region *region = sum->region;
    fputs("region ", out);
    write_string(out, region->name);
    fputc(' ', out);
    write_string(out, region->file);
    fprintf(out, ":%" PRIu32 " team %" PRIu32 " runs %" PRIu64 " lost %" PRIu64 "\n", region->line,
            sum->team, sum->runs, sum->lost);
    for (uint32_t i = 0; i < region->n_symbols; i++) {
        fputs("symbol ", out);
        write_string(out, region->symbol[i]);
        fprintf(out, " %" PRId64 "\n", sum->symbols[i]);
    }
    for (uint32_t i = 0; i < region->n_arrays; i++) {
        fputs("array ", out);
        write_string(out, region->array[i]);
        fprintf(out, " %" PRIu64 "\n", sum->bases[i]);
    }
    for (uint32_t k = 0; k < sum->team; k++) {
        fprintf(out, "thread %" PRIu32 " accesses %" PRIu64 " lost %" PRIu64 "\n", k,
                sum->thread[k]->clock, sum->thread[k]->lost);
        for (uint32_t r = 0; r < region->n_refs; r++) {
            const plussi_ref_tally *tally = &sum->thread[k]->ref[r];
            if ((tally->first || tally->interval.n) && !write_intervals(out, k, r, tally))
                return false;
        }
    }
    fputs("end\n", out);
    return true;
}

int plussi_sums_write(const plussi_sums *sums, const char *path)
{
    size_t room = strlen(path) + 32;
    char *temporary = malloc(room);
    if (!temporary)
        return ENOMEM;
    snprintf(temporary, room, "%s.%ld.tmp", path, (long)getpid());
    FILE *out = fopen(temporary, "w");
    if (!out) {
        int error = errno;
        free(temporary);
        return error;
    }
    int error = 0;
    fprintf(out, "pluss-record 1\nline %d\nlost-runs %" PRIu64 "\n", PLUSS_RT_LINE_BYTES,
            sums->lost_runs);
    for (const plussi_sum *sum = sums->first; sum && !error; sum = sum->next)
        if (!write_sum(out, sum))
            error = ENOMEM;
    if (ferror(out))
        error = error ? error : EIO;
    if (fclose(out) != 0 && !error)
        error = errno;
    if (!error && rename(temporary, path) != 0)
        error = errno;
    if (error)
        unlink(temporary);
    free(temporary);
    return error;
}
