/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * closed FILE : whether the histograms of a traced run (FILE.pri) are those that the closed-form
 * sampler gives for the nest (FILE.nest) under the assignment that the run had (FILE.chunks). Every
 * access of the nest is asked for; nothing is walked. The examples of the crate pluss write the
 * files. Intervals and first touches must agree to the last count, reference by reference. Exit
 * status 1: they differ; 3: something is wrong with the files.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/clock_state.h"
#include "object/object.h"

enum { MAX_SYMBOLS = 8, MAX_CHUNKS = 4096, MAX_REFS = 64, FIRST = 0 };

static plussi_ctx ctx;

static void must(bool good, const char *what)
{
    if (good)
        return;
    for (size_t i = 0; i < ctx.n_diags; i++)
        fprintf(stderr, "%s\n", ctx.diags[i].text);
    fprintf(stderr, "closed: %s\n", what);
    exit(3);
}

static FILE *open_file(const char *stem, const char *end)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.%s", stem, end);
    FILE *file = fopen(path, "r");
    must(file != NULL, path);
    return file;
}

typedef struct assignment {
    uint32_t team;
    char name[MAX_SYMBOLS][32];
    plussi_binding binding[MAX_SYMBOLS];
    size_t n_symbols, n_chunks;
    plussi_chunk chunk[MAX_CHUNKS];
} assignment;

static void read_assignment(const char *stem, assignment *a)
{
    FILE *file = open_file(stem, "chunks");
    must(fscanf(file, " team %" SCNu32, &a->team) == 1, "the team");
    char word[16];
    while (fscanf(file, "%15s", word) == 1) {
        if (strcmp(word, "symbol") == 0) {
            size_t i = a->n_symbols++;
            must(i < MAX_SYMBOLS &&
                     fscanf(file, "%31s %" SCNd64, a->name[i], &a->binding[i].value) == 2,
                 "a symbol");
            a->binding[i].name = a->name[i];
            continue;
        }
        plussi_chunk *c = &a->chunk[a->n_chunks++];
        must(a->n_chunks <= MAX_CHUNKS && strcmp(word, "chunk") == 0 &&
                 fscanf(file, "%" SCNu32 "%" SCNu32 "%" SCNu64 "%" SCNu64 "%" SCNu64, &c->loop,
                        &c->thread, &c->time, &c->lo, &c->hi) == 5,
             "a chunk");
    }
    fclose(file);
}

static plussi_nest *read_nest(const char *stem)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.nest", stem);
    plussi_texts texts;
    must(plussi_object_read(&ctx, path, &texts) == PLUSS_OK && texts.n == 1, path);
    plussi_nest *nest;
    must(plussi_nest_parse(&ctx, texts.text[0].text, texts.text[0].length, path, &nest) == PLUSS_OK,
         path);
    plussi_texts_free(&texts);
    return nest;
}

/* Intervals of one reference in any order; FIRST for a first touch. */
typedef struct intervals {
    uint64_t *at;
    size_t n, cap;
} intervals;

static void push(intervals *list, uint64_t interval)
{
    if (list->n == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 1024;
        list->at = realloc(list->at, list->cap * sizeof *list->at);
        must(list->at != NULL, "memory");
    }
    list->at[list->n++] = interval;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t collect(const plussi_bound *bound, intervals *list)
{
    plussi_clock_itersets *shares;
    plussi_engine *engine;
    plussi_workspace *scan;
    must(plussi_clock_itersets_new(&ctx, bound, NULL, 1, false, &shares) == PLUSS_OK, "shares");
    must(plussi_engine_new(&ctx, bound, plussi_clock_itersets_source(shares), &engine) == PLUSS_OK,
         "the closed-form sampler");
    must(plussi_clock_itersets_engine(shares, engine) == PLUSS_OK, "shares");
    must(plussi_workspace_new(&ctx, engine, &scan) == PLUSS_OK, "memory");
    uint64_t accesses = plussi_engine_accesses(engine);
    for (uint64_t i = 0; i < accesses; i++) {
        plussi_cursor spot, before;
        plussi_engine_nth(scan, i, &spot);
        uint64_t interval = FIRST;
        if (plussi_engine_prev(scan, &spot, plussi_engine_line(scan, &spot), NULL, &before))
            interval =
                plussi_engine_thread_rank(scan, &spot) - plussi_engine_thread_rank(scan, &before);
        push(&list[plussi_engine_ref(engine, spot.leaf)->id], interval);
    }
    must(!plussi_workspace_failed(scan) && plussi_clock_itersets_status(shares) == PLUSS_OK,
         "shares");
    plussi_workspace_free(scan);
    plussi_engine_free(engine);
    plussi_clock_itersets_free(shares);
    return accesses;
}

/* Takes all that are equal off the list's end, which is sorted. */
static uint64_t count_last(intervals *list, uint64_t *interval)
{
    uint64_t n = 0;
    *interval = list->at[list->n - 1];
    while (list->n > 0 && list->at[list->n - 1] == *interval)
        list->n--, n++;
    return n;
}

/* The traced histograms as lists of the same kind: each count is written out. */
static void read_traced(const char *stem, uint32_t n_refs, intervals *list)
{
    FILE *file = open_file(stem, "pri");
    for (uint32_t ref = 0; ref < n_refs; ref++) {
        uint32_t number;
        uint64_t interval, count;
        must(fscanf(file, " ref %" SCNu32 " first %" SCNu64, &number, &count) == 2 && number == ref,
             "a reference");
        for (; count > 0; count--)
            push(&list[ref], FIRST);
        while (fscanf(file, "%" SCNu64 ":%" SCNu64, &interval, &count) == 2)
            for (; count > 0; count--)
                push(&list[ref], interval);
    }
    fclose(file);
}

static int compare(intervals *closed, intervals *traced, uint32_t ref)
{
    qsort(closed->at, closed->n, sizeof *closed->at, by_size);
    qsort(traced->at, traced->n, sizeof *traced->at, by_size);
    while (closed->n > 0 && traced->n > 0) {
        uint64_t a, b, n = count_last(closed, &a), m = count_last(traced, &b);
        if (a != b || n != m) {
            printf("reference %" PRIu32 ": interval %" PRIu64 " %" PRIu64 " times in closed form, "
                   "%" PRIu64 " %" PRIu64 " times traced\n",
                   ref, a, n, b, m);
            return 1;
        }
    }
    if (closed->n == traced->n)
        return 0;
    printf("reference %" PRIu32 ": %zu more accesses in closed form, %zu traced\n", ref, closed->n,
           traced->n);
    return 1;
}

int main(int argc, char **argv)
{
    static assignment a;
    static intervals closed[MAX_REFS], traced[MAX_REFS];
    if (argc != 2)
        return 3;
    plussi_ctx_init(&ctx, NULL);
    read_assignment(argv[1], &a);
    plussi_nest *nest = read_nest(argv[1]);
    must(nest->n_refs <= MAX_REFS && a.n_chunks > 0, "too many references, or no chunks");
    plussi_bind_options options = {.team = a.team,
                                   .line_bytes = 64,
                                   .binding = a.binding,
                                   .n_bindings = a.n_symbols,
                                   .recorded = a.chunk,
                                   .n_recorded = a.n_chunks};
    plussi_bound *bound;
    must(plussi_bind(&ctx, nest, &options, &bound) == PLUSS_OK, "values");
    uint64_t accesses = collect(bound, closed);
    read_traced(argv[1], nest->n_refs, traced);
    int status = 0;
    for (uint32_t ref = 0; ref < nest->n_refs; ref++) {
        status |= compare(&closed[ref], &traced[ref], ref);
        free(closed[ref].at);
        free(traced[ref].at);
    }
    printf("%s: %" PRIu64 " accesses in %zu chunks %s\n", argv[1], accesses, a.n_chunks,
           status ? "differ" : "agree");
    plussi_bound_free(bound);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
    return status;
}
