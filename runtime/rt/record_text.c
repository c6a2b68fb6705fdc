/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The record as text, and its file.
 */
#include "rt/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rt/follow.h"
#include "rt/own_memory.h"
#include "rt/sidecar.h"

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
    const plussi_tally_slot *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* " key:count" by ascending key. */
static bool write_tally(FILE *out, const plussi_tally *tally)
{
    plussi_tally_slot *sorted = plussi_alloc(&plussi_own, tally->n + 1, sizeof *sorted);
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
    plussi_free(&plussi_own, sorted);
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

static bool write_carried(FILE *out, const plussi_carried *carried)
{
    if (carried->groups)
        fprintf(out, "estimated one-in %" PRIu64 " error %" PRIu64 "\n",
                (uint64_t)1 << carried->shift, plussi_carried_error(carried));
    fprintf(out, "carried lines %" PRIu64, carried->lines);
    return write_tally(out, &carried->distance);
}

static void write_chunks(FILE *out, uint32_t thread, const plussi_rt_chunks *chunks)
{
    for (size_t i = 0, next; i < chunks->n; i = next) {
        const plussi_chunk_entry *c = &chunks->chunk[i];
        fprintf(out, "chunks loop %" PRIu32 " time %" PRIu32 " thread %" PRIu32, c->loop, c->time,
                thread);
        for (next = i; next < chunks->n; next++) {
            const plussi_chunk_entry *piece = &chunks->chunk[next];
            if (piece->loop != c->loop || piece->time != c->time)
                break;
            fprintf(out, " %" PRIu64 "-%" PRIu64, piece->lo, piece->hi);
        }
        fputc('\n', out);
    }
}

/* Some lines stand for all: far accesses, and first touches that threads share. */
static bool write_scaled(FILE *out, uint32_t thread, const plussi_totals *t, uint32_t ref)
{
    struct plussi_ref_totals scaled;
    if (!plussi_totals_scaled(t, ref, &scaled))
        return false;
    const bool written =
        (!scaled.first && !scaled.interval.n) || write_intervals(out, thread, ref, &scaled);
    plussi_tally_free(&scaled.interval);
    plussi_tally_free(&scaled.shared);
    return written;
}

static bool write_thread(FILE *out, const plussi_sum *sum, uint32_t k)
{
    const plussi_totals *t = sum->thread ? sum->thread[k] : NULL;
    fprintf(out, "thread %" PRIu32 " accesses %" PRIu64 " lost %" PRIu64 "\n", k,
            t ? t->accesses : 0, t ? plussi_totals_lost(t) : 0);
    for (uint32_t r = 0; t && r < t->n_refs; r++) {
        const struct plussi_ref_totals *ref = &t->ref[r];
        if (ref->passed || ref->shared.n
                ? !write_scaled(out, k, t, r)
                : (ref->first || ref->interval.n) && !write_intervals(out, k, r, ref))
            return false;
    }
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

static void write_n_sampled(FILE *out, const plussi_sum *sum)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < sum->team; k++)
        n += sum->sampled[k]->n;
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

static void write_followed(FILE *out, const plussi_sum *sum)
{
    uint64_t passed = 0;
    unsigned shift = 0;
    for (uint32_t k = 0; sum->thread && k < sum->team; k++) {
        const plussi_totals *t = sum->thread[k];
        passed += t ? plussi_totals_passed(t) : 0;
        shift = t && t->shift > shift ? t->shift : shift;
    }
    if (passed)
        fprintf(out, "followed one-in %" PRIu64 " accesses %" PRIu64 " error %" PRIu64 "\n",
                (uint64_t)1 << shift, passed, plussi_totals_error(sum->thread, sum->team));
}

static bool write_sum(FILE *out, const plussi_sum *sum, bool sampled)
{
    fputs("region ", out);
    write_region(out, sum->known);
    fprintf(out, " team %" PRIu32 " runs %" PRIu64 " lost %" PRIu64 " by %s\n", sum->team,
            sum->runs, sum->lost, by_name[sum->by]);
    if (sum->default_team < sum->team)
        fprintf(out, "default-team %" PRIu32 "\n", sum->default_team);
    if (sum->counted)
        fprintf(out, "outside %" PRIu64 "\ntook %" PRIu64 "\n", sum->outside, sum->took);
    write_followed(out, sum);
    if (sum->fill)
        fprintf(out, "filled %" PRIu64 "\n", sum->filled);
    if (sum->carried.known && !write_carried(out, &sum->carried))
        return false;
    write_bindings(out, sum);
    if (sum->schedule)
        fprintf(out, "schedule %s %" PRId64 "\n", sum->schedule, sum->chunk);
    if (sum->sampled && sampled)
        write_n_sampled(out, sum);
    for (uint32_t k = 0; k < sum->team; k++)
        if (!write_thread(out, sum, k))
            return false;
    for (uint32_t k = 0; sum->fill && k < sum->team; k++)
        if (sum->fill[k])
            plussi_fill_write(out, sum->fill[k]);
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

/* Lists the files of the regions, each once. */
static bool write_objects(FILE *out, const plussi_sums *sums)
{
    const char **seen = plussi_calloc(&plussi_own, sums->n + 1u, sizeof *seen), *last = NULL;
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
    plussi_free(&plussi_own, seen);
    return true;
}

/* sidecar: there is one, with what the record says to be in it. */
static bool write_all(FILE *out, const plussi_sums *sums, bool sidecar)
{
    fprintf(out, "pluss-record %d\nline %d\nlost-runs %" PRIu64 "\n", PLUSSI_RECORD_VERSION,
            PLUSS_RT_LINE_BYTES, sums->lost_runs);
    if (sums->counted)
        fprintf(out, "serial %" PRIu64 "\ntook %" PRIu64 " serial %" PRIu64 "\n",
                (uint64_t)atomic_load(&sums->serial), sums->took, sums->took_serial);
    if (sums->around)
        fprintf(out, "around %" PRIu64 "\n", sums->around);
    if (sidecar && plussi_order_is_needed(&sums->order))
        fprintf(out, "ordered runs %zu lines %zu lost %" PRIu64 " pieces %" PRIu64 "\n",
                sums->order.n_runs, sums->order.n_lines, sums->order.lost, sums->order.pieces);
    if (!write_objects(out, sums))
        return false;
    for (const plussi_left_out *l = sums->left_out; l; l = l->next) {
        fputs("left-out ", out);
        write_region(out, l->known);
        fprintf(out, " team %" PRIu32 " runs %" PRIu64 " accesses %" PRIu64 " by %s\n", l->team,
                l->runs, l->accesses, by_name[l->by]);
    }
    for (const plussi_sum *sum = sums->first; sum; sum = sum->next)
        if (!write_sum(out, sum, sidecar))
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

static bool is_ready(plussi_outfile *sidecar, const char *path)
{
    return sidecar->sink || plussi_sidecar_open(sidecar, path);
}

/* Adds the sampled traces and the order of all runs, if there are some. 0 or an errno; the file
 * stays open. */
static int add_to_sidecar(plussi_outfile *sidecar, const plussi_sums *sums, const char *path)
{
    for (const plussi_sum *sum = sums->first; sum; sum = sum->next) {
        if (!sum->sampled)
            continue;
        if (!is_ready(sidecar, path))
            return sidecar->error;
        for (uint32_t k = 0; k < sum->team; k++)
            plussi_sampled_thread_write(sidecar, sum->number, k, sum->sampled[k]);
    }
    if (!plussi_order_is_needed(&sums->order))
        return plussi_outfile_flush(sidecar);
    if (!is_ready(sidecar, path)) {
        const int error = sidecar->error;
        *sidecar = (plussi_outfile){0};
        return error == EINVAL ? 0 : error; /* a pipe or a device, where nobody asks for one */
    }
    plussi_order_write(&sums->order, sidecar);
    return plussi_outfile_flush(sidecar);
}

/* Reports a failure of the sidecar file, which is then absent. */
static void give_up(plussi_outfile *sidecar, const char *path, int error)
{
    plussi_tell("%s" PLUSSI_TRACE_SUFFIX " cannot be written: %s: the order of accesses and time "
                "stamps are left out",
                path, strerror(error));
    plussi_outfile_drop(sidecar);
}

int plussi_sums_write(const plussi_sums *sums, const char *path, plussi_outfile *sidecar)
{
    plussi_outfile record = {0};
    int error = add_to_sidecar(sidecar, sums, path);
    if (error)
        give_up(sidecar, path, error);
    if (!plussi_outfile_open(&record, path, "")) {
        plussi_outfile_drop(sidecar);
        return record.error;
    }
    bool to_file = record.path != NULL;
    FILE *out = plussi_outfile_text(&record);
    if (!out || !write_all(out, sums, sidecar->sink != NULL))
        record.error = ENOMEM;
    if (out && fclose(out) != 0 && !record.error)
        record.error = EIO;
    error = plussi_outfile_finish(&record);
    if (!error && to_file) /* an older record's does not belong to this one */
        plussi_outfile_stale(path, PLUSSI_TRACE_SUFFIX, PLUSSI_TRACE_MAGIC);
    if (error)
        plussi_outfile_drop(sidecar);
    else if (plussi_outfile_finish(sidecar))
        give_up(sidecar, path, sidecar->error);
    return error;
}
