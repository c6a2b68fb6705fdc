/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The record as text, and its file.
 */
#include "rt/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_string(FILE *out, const char *s)
{
    fputc('"', out);
    for (; s && *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c < ' ' || c == 127)
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static int by_key(const void *a, const void *b)
{
    const struct plussi_tally_slot *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* " key:count" by ascending key. */
static bool write_tally(FILE *out, const plussi_tally *tally)
{
    struct plussi_tally_slot *sorted = malloc((tally->n + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < tally->cap; i++)
        if (tally->slot[i].count)
            sorted[n++] = tally->slot[i];
    qsort(sorted, n, sizeof *sorted, by_key);
    for (size_t i = 0; i < n; i++)
        fprintf(out, " %" PRIu64 ":%" PRIu64, sorted[i].key, sorted[i].count);
    fputc('\n', out);
    free(sorted);
    return true;
}

static bool write_intervals(FILE *out, uint32_t thread, uint32_t ref,
                            const struct plussi_ref_totals *tally)
{
    fprintf(out, "pri thread %" PRIu32 " ref %" PRIu32 " first %" PRIu64, thread, ref,
            tally->first);
    if (!write_tally(out, &tally->interval))
        return false;
    if (tally->shared.n == 0)
        return true;
    fprintf(out, "shared thread %" PRIu32 " ref %" PRIu32, thread, ref);
    return write_tally(out, &tally->shared);
}

static void write_chunks(FILE *out, uint32_t thread, const plussi_rt_chunks *chunks)
{
    for (size_t i = 0, next; i < chunks->n; i = next) {
        const plussi_rt_chunk *c = &chunks->chunk[i];
        fprintf(out, "chunks loop %" PRIu32 " time %" PRIu32 " thread %" PRIu32, c->loop, c->time,
                thread);
        for (next = i; next < chunks->n; next++) {
            const plussi_rt_chunk *piece = &chunks->chunk[next];
            if (piece->loop != c->loop || piece->time != c->time)
                break;
            fprintf(out, " %" PRIu64 "-%" PRIu64, piece->lo, piece->hi);
        }
        fputc('\n', out);
    }
}

static bool write_thread(FILE *out, const plussi_sum *sum, uint32_t k)
{
    const plussi_totals *t = sum->thread ? sum->thread[k] : NULL;
    fprintf(out, "thread %" PRIu32 " accesses %" PRIu64 " lost %" PRIu64 "\n", k,
            t ? t->accesses : 0, t ? t->lost : 0);
    for (uint32_t r = 0; t && r < t->n_refs; r++)
        if ((t->ref[r].first || t->ref[r].interval.n) && !write_intervals(out, k, r, &t->ref[r]))
            return false;
    if (sum->chunks)
        write_chunks(out, k, &sum->chunks[k]);
    return true;
}

static void write_bindings(FILE *out, const plussi_sum *sum)
{
    const pluss_rt_region *region = &sum->known->region;
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
    for (uint32_t p = 1; p < sum->n_places; p++) {
        fputs("place", out);
        for (uint32_t i = 0; i < region->n_arrays; i++)
            fprintf(out, " %" PRIu64, sum->bases[(size_t)p * region->n_arrays + i]);
        fputc('\n', out);
    }
}

static void write_picked(FILE *out, const plussi_sum *sum)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < sum->team; k++)
        n += sum->picks[k]->n;
    fprintf(out, "lines %" PRIu64 "\n", n);
}

static void write_region(FILE *out, const plussi_known *known)
{
    write_string(out, known->region.name);
    fputc(' ', out);
    write_string(out, known->region.file);
    fprintf(out, ":%" PRIu32, known->region.line);
}

static const char *const by_name[] = {"profile", "bind", "sample"};

static bool write_sum(FILE *out, const plussi_sum *sum, bool picks)
{
    fputs("region ", out);
    write_region(out, sum->known);
    fprintf(out, " team %" PRIu32 " runs %" PRIu64 " lost %" PRIu64 " by %s\n", sum->team,
            sum->runs, sum->lost, by_name[sum->by]);
    write_bindings(out, sum);
    if (sum->schedule)
        fprintf(out, "schedule %s %" PRId64 "\n", sum->schedule, sum->chunk);
    if (sum->picks && picks)
        write_picked(out, sum);
    for (uint32_t k = 0; k < sum->team; k++)
        if (!write_thread(out, sum, k))
            return false;
    fputs("end\n", out);
    return true;
}

static void write_nodes(FILE *out, const plussi_sequence_node *node, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (node[i].n) {
            fprintf(out, "repeat %" PRIu64 "\n", node[i].times);
            write_nodes(out, node[i].body, node[i].n);
            fputs("end\n", out);
            continue;
        }
        fprintf(out, "run %" PRIu32 " at ", node[i].sum);
        if (node[i].place == PLUSSI_PLACE_UNKNOWN)
            fputs("unknown", out);
        else
            fprintf(out, "%" PRIu32, node[i].place);
        fprintf(out, " times %" PRIu64 "\n", node[i].times);
    }
}

/* The files that regions come from, each once. */
static bool write_objects(FILE *out, const plussi_sums *sums)
{
    const char **seen = calloc(sums->n + 1u, sizeof *seen), *last = NULL;
    size_t n = 0, i;
    if (!seen)
        return false;
    for (const plussi_sum *sum = sums->first; sum; sum = sum->next) {
        const char *object = sum->known->object;
        if (!object || object == last)
            continue;
        last = object;
        for (i = 0; i < n && seen[i] != object; i++) {
        }
        if (i < n)
            continue;
        seen[n++] = object;
        fputs("object ", out);
        write_string(out, object);
        fputc('\n', out);
    }
    free(seen);
    return true;
}

static bool write_all(FILE *out, const plussi_sums *sums, bool picks)
{
    fprintf(out, "pluss-record 1\nline %d\nlost-runs %" PRIu64 "\n", PLUSS_RT_LINE_BYTES,
            sums->lost_runs);
    if (!write_objects(out, sums))
        return false;
    for (const plussi_left_out *l = sums->left_out; l; l = l->next) {
        fputs("left-out ", out);
        write_region(out, l->known);
        fprintf(out, " team %" PRIu32 " runs %" PRIu64 " accesses %" PRIu64 " by %s\n", l->team,
                l->runs, l->accesses, by_name[l->by]);
    }
    for (const plussi_sum *sum = sums->first; sum; sum = sum->next)
        if (!write_sum(out, sum, picks))
            return false;
    if (sums->sequence.n || sums->sequence.lost) {
        fprintf(out, "sequence lost %" PRIu64 "\n", sums->sequence.lost);
        write_nodes(out, sums->sequence.node, sums->sequence.n);
        fputs("end\n", out);
    }
    return true;
}

int plussi_sums_text(const plussi_sums *sums, char **text, size_t *length)
{
    char *own = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&own, &n);
    bool whole = out && write_all(out, sums, false) && !ferror(out);
    if (!out || fclose(out) != 0 || !whole) {
        free(own);
        return ENOMEM;
    }
    *text = own;
    *length = n;
    return 0;
}

/* ---- files -------------------------------------------------------------------------------------
 */

/* What samplers kept, beside the record, where they kept something. 0 or an errno; it is open. */
static int write_picks(plussi_outfile *file, const plussi_sums *sums, const char *path)
{
    for (const plussi_sum *sum = sums->first; sum; sum = sum->next) {
        if (!sum->picks)
            continue;
        if (!file->out && !plussi_picks_open(file, path))
            return file->error;
        for (uint32_t k = 0; k < sum->team; k++)
            plussi_picks_write(file, sum->number, k, sum->picks[k]);
    }
    return plussi_outfile_flush(file);
}

/* What an older record left beside itself is not this one's. */
static void remove_stale(const char *path)
{
    plussi_outfile_stale(path, "lines", "pluss-lines ");
    plussi_outfile_stale(path, "tsc", "pluss-trace ");
    plussi_outfile_stale(path, "stamps", "pluss-stamps ");
}

int plussi_sums_write(const plussi_sums *sums, const char *path)
{
    plussi_outfile picks = {0}, record = {0};
    int error = write_picks(&picks, sums, path);
    if (error) {
        plussi_tell("%s.lines cannot be written: %s: the order of accesses is left out", path,
                    strerror(error));
        plussi_outfile_drop(&picks);
    }
    if (!plussi_outfile_open(&record, path, "")) {
        plussi_outfile_drop(&picks);
        return record.error;
    }
    bool to_file = record.path != NULL;
    if (!write_all(record.out, sums, picks.out != NULL))
        record.error = ENOMEM;
    error = plussi_outfile_finish(&record);
    if (!error && to_file)
        remove_stale(path);
    if (error)
        plussi_outfile_drop(&picks);
    else if (plussi_outfile_finish(&picks))
        error = picks.error;
    return error;
}
