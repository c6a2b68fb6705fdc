/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/record.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void sum_free(plussi_sum *sum)
{
    for (uint32_t k = 0; sum->thread && k < sum->team; k++)
        plussi_collector_free(sum->thread[k]);
    for (uint32_t k = 0; sum->chunks && k < sum->team; k++)
        free(sum->chunks[k].chunk);
    free(sum->thread);
    free(sum->chunks);
    for (uint32_t k = 0; sum->picks && k < sum->team; k++)
        plussi_picks_free(sum->picks[k]);
    free(sum->picks);
    free(sum->symbols);
    free(sum->bases);
    free(sum);
}

static bool sum_is(const plussi_sum *sum, const pluss_rt_region *region, const int64_t *symbols,
                   const uint64_t *bases, uint32_t team, plussi_by by)
{
    if (sum->region != region || sum->team != team || sum->by != by)
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
                           const uint64_t *bases, uint32_t team, plussi_by by)
{
    plussi_sum *sum = calloc(1, sizeof *sum);
    if (!sum)
        return NULL;
    sum->region = region;
    sum->team = team;
    sum->by = by;
    sum->n_places = 1;
    sum->symbols = calloc(region->n_symbols + 1u, sizeof *sum->symbols);
    sum->bases = calloc(region->n_arrays + 1u, sizeof *sum->bases);
    sum->thread = calloc(team, sizeof *sum->thread);
    sum->chunks = calloc(team, sizeof *sum->chunks);
    bool ok = sum->symbols && sum->bases && sum->thread && sum->chunks;
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
                             const int64_t *symbols, const uint64_t *bases, uint32_t team,
                             plussi_by by)
{
    for (plussi_sum *sum = sums->first; sum; sum = sum->next)
        if (sum_is(sum, region, symbols, bases, team, by))
            return sum;
    plussi_sum *sum = sum_new(region, symbols, bases, team, by);
    if (!sum)
        return NULL;
    sum->number = sums->n++;
    if (sums->last)
        sums->last->next = sum;
    else
        sums->first = sum;
    sums->last = sum;
    return sum;
}

/* Which set of addresses this is, made where there is room. */
static uint32_t place_of(plussi_sum *sum, const uint64_t *bases)
{
    size_t n = sum->region->n_arrays, bytes = n * sizeof *bases;
    for (uint32_t i = 0; i < sum->n_places; i++)
        if (bytes == 0 || memcmp(sum->bases + i * n, bases, bytes) == 0)
            return i;
    if (sum->n_places == PLUSSI_MAX_PLACES)
        return PLUSSI_PLACE_UNKNOWN;
    uint64_t *grown = realloc(sum->bases, (sum->n_places + 1u) * bytes);
    if (!grown)
        return PLUSSI_PLACE_UNKNOWN;
    sum->bases = grown;
    memcpy(grown + sum->n_places * n, bases, bytes);
    return sum->n_places++;
}

void plussi_sums_ran(plussi_sums *sums, plussi_sum *sum, const uint64_t *bases)
{
    plussi_sequence_add(&sums->sequence, sum->number, place_of(sum, bases));
}

static bool chunks_add(plussi_rt_chunks *chunks, const plussi_rt_chunk *chunk)
{
    plussi_rt_chunk *last = chunks->n ? &chunks->chunk[chunks->n - 1] : NULL;
    if (last && last->loop == chunk->loop && last->time == chunk->time && last->hi == chunk->lo) {
        last->hi = chunk->hi;
        return true;
    }
    if (chunks->n == chunks->cap) {
        size_t cap = chunks->cap ? 2 * chunks->cap : 16;
        plussi_rt_chunk *grown = realloc(chunks->chunk, cap * sizeof *grown);
        if (!grown)
            return false;
        chunks->chunk = grown;
        chunks->cap = cap;
    }
    chunks->chunk[chunks->n++] = *chunk;
    return true;
}

bool plussi_sum_chunks(plussi_sum *sum, uint32_t thread, const plussi_rt_chunk *chunk, size_t n)
{
    plussi_rt_chunks *chunks = &sum->chunks[thread];
    if (sum->runs != 0)
        return true;
    for (size_t i = 0; i < n; i++)
        if (chunk[i].lo < chunk[i].hi && !chunks_add(chunks, &chunk[i])) {
            chunks->n = 0;
            return false;
        }
    return true;
}

bool plussi_sums_picks(plussi_sums *sums, plussi_sum *sum, plussi_picks **picks)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < sum->team; k++) {
        if (!picks[k] || picks[k]->failed)
            return false;
        n += picks[k]->n;
    }
    if (sums->picks + n > PLUSSI_PICKS_ALL)
        return false;
    sums->picks += n;
    sum->picks = picks;
    return true;
}

void plussi_sums_clear(plussi_sums *sums)
{
    while (sums->first) {
        plussi_sum *next = sums->first->next;
        sum_free(sums->first);
        sums->first = next;
    }
    plussi_sequence_free(&sums->sequence);
    *sums = (plussi_sums){0};
}

/* ---- the file -------------------------------------------------------------------------------- */

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

static bool write_intervals(FILE *out, uint32_t thread, uint32_t ref, const plussi_ref_tally *tally)
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
    const plussi_collector *c = sum->thread[k];
    fprintf(out, "thread %" PRIu32 " accesses %" PRIu64 " lost %" PRIu64 "\n", k, c->clock,
            c->lost);
    for (uint32_t r = 0; r < sum->region->n_refs; r++) {
        const plussi_ref_tally *tally = &c->ref[r];
        if ((tally->first || tally->interval.n) && !write_intervals(out, k, r, tally))
            return false;
    }
    write_chunks(out, k, &sum->chunks[k]);
    return true;
}

static void write_bindings(FILE *out, const plussi_sum *sum)
{
    const pluss_rt_region *region = sum->region;
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

static bool write_sum(FILE *out, const plussi_sum *sum)
{
    static const char *const by[] = {"profile", "bind", "sample"};
    const pluss_rt_region *region = sum->region;
    fputs("region ", out);
    write_string(out, region->name);
    fputc(' ', out);
    write_string(out, region->file);
    fprintf(out, ":%" PRIu32 " team %" PRIu32 " runs %" PRIu64 " lost %" PRIu64 " by %s\n",
            region->line, sum->team, sum->runs, sum->lost, by[sum->by]);
    write_bindings(out, sum);
    if (sum->schedule)
        fprintf(out, "schedule %s %" PRId64 "\n", sum->schedule, sum->chunk);
    if (sum->picks)
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

/* The file that a region's description lies in, the program or a shared library, in path; and what
 * tells such files apart. */
static const void *object_of(const pluss_rt_region *region, char *path)
{
    Dl_info info = {0};
    struct link_map *map = NULL;
    bool known = dladdr1(region, &info, (void **)&map, RTLD_DL_LINKMAP) != 0;
    /* the program itself goes by the name that it was called by, which may be none of a file */
    const char *name = known && map && *map->l_name ? map->l_name : "/proc/self/exe";
    if (!realpath(name, path))
        *path = '\0';
    return known ? info.dli_fbase : NULL;
}

static bool write_objects(FILE *out, const plussi_sums *sums)
{
    const void **seen = calloc(sums->n + 1u, sizeof *seen);
    char path[PATH_MAX];
    size_t n = 0, i;
    if (!seen)
        return false;
    for (const plussi_sum *sum = sums->first; sum; sum = sum->next) {
        const void *object = object_of(sum->region, path);
        for (i = 0; i < n && seen[i] != object; i++) {
        }
        if (i < n || !*path)
            continue;
        seen[n++] = object;
        fputs("object ", out);
        write_string(out, path);
        fputc('\n', out);
    }
    free(seen);
    return true;
}

static bool write_all(FILE *out, const plussi_sums *sums)
{
    fprintf(out, "pluss-record 1\nline %d\nlost-runs %" PRIu64 "\n", PLUSS_RT_LINE_BYTES,
            sums->lost_runs);
    if (!write_objects(out, sums))
        return false;
    for (const plussi_sum *sum = sums->first; sum; sum = sum->next)
        if (!write_sum(out, sum))
            return false;
    if (sums->sequence.n || sums->sequence.lost) {
        fprintf(out, "sequence lost %" PRIu64 "\n", sums->sequence.lost);
        write_nodes(out, sums->sequence.node, sums->sequence.n);
        fputs("end\n", out);
    }
    return true;
}

static int write_to(const plussi_sums *sums, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return errno;
    int error = write_all(out, sums) ? 0 : ENOMEM;
    if (ferror(out))
        error = error ? error : EIO;
    if (fclose(out) != 0 && !error)
        error = errno;
    return error;
}

int plussi_sums_text(const plussi_sums *sums, char **text, size_t *length)
{
    char *own = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&own, &n);
    bool whole = out && write_all(out, sums) && !ferror(out);
    if (!out || fclose(out) != 0 || !whole) {
        free(own);
        return ENOMEM;
    }
    *text = own;
    *length = n;
    return 0;
}

/* Beside the record, where there are picks. */
static int write_picks(const plussi_sums *sums, const char *path)
{
    plussi_beside file = {0};
    for (const plussi_sum *sum = sums->first; sum; sum = sum->next) {
        if (!sum->picks)
            continue;
        if (!file.out && !plussi_picks_open(&file, path))
            break;
        for (uint32_t k = 0; k < sum->team; k++)
            plussi_picks_write(&file, sum->number, k, sum->picks[k]);
    }
    return plussi_beside_finish(&file);
}

int plussi_sums_write(const plussi_sums *sums, const char *path)
{
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return write_to(sums, path); /* a pipe or a device: must not be replaced */
    size_t room = strlen(path) + 32;
    char *temporary = malloc(room);
    if (!temporary)
        return ENOMEM;
    snprintf(temporary, room, "%s.%ld.tmp", path, (long)getpid());
    int error = write_to(sums, temporary);
    if (!error && rename(temporary, path) != 0)
        error = errno;
    if (error)
        unlink(temporary);
    free(temporary);
    return error ? error : write_picks(sums, path);
}
