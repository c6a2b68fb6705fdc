/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * symbolic_accuracy OBJECTS KERNEL...
 *
 * Stack histograms as formulas against walks through an exact stack. For each kernel, with lines of
 * one element and of 64 bytes: what the derivation took, in how many classes; the share of accesses
 * that the formulas put at another distance than the walk, at three random bindings of the symbols;
 * and what it takes to tell the misses of a cache of 32 KB with all symbols near 1,000.
 *
 * Prints CSV: kernel,line,derivation_s,classes,accesses,wrong,evaluation_ms,why. accesses and wrong
 * are sums over the bindings; seconds are of the processor; "why" says what has no formulas.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ffi.h"

#include "base/rng.h"
#include "exact/lru.h"
#include "harness.h"
#include "symbolic/formula.h"
#include "trace/walk.h"

enum { MOST_DISTANCE = 1 << 22, MOST_SYMBOLS = 16, BINDINGS = 3, BATCH = 256 };
enum { LEAST_VALUE = 9, VALUES = 13, FEW_VALUES = 4, LARGE_VALUE = 1000, CACHE = 32768 };

typedef struct histogram {
    uint64_t count[MOST_DISTANCE + 1]; /* 0: cold; the last: and longer */
} histogram;

static histogram exact, derived;

static void count(histogram *h, uint64_t distance, uint64_t n)
{
    h->count[distance < MOST_DISTANCE ? distance : MOST_DISTANCE] += n;
}

static bool take(void *user, uint64_t distance, uint64_t n)
{
    count(user, distance, n);
    return true;
}

static void must(const plussi_ctx *ctx, pluss_status status)
{
    if (status)
        harness_die("%s", ctx->n_diags ? ctx->diags[ctx->n_diags - 1].text : "failed");
}

/* Accesses. */
static uint64_t walk(plussi_ctx *ctx, const plussi_nest *nest, const plussi_bind_options *options)
{
    plussi_bound *bound;
    plussi_walk *walk;
    plussi_lru *lru;
    plussi_access batch[BATCH];
    uint64_t accesses = 0;
    must(ctx, plussi_bind(ctx, nest, options, &bound));
    must(ctx, plussi_walk_new(ctx, bound, 0, &walk));
    must(ctx, plussi_lru_new(ctx, &lru));
    do
        for (size_t n; (n = plussi_walk_fill(walk, 0, batch, BATCH)) > 0; accesses += n)
            for (size_t i = 0; i < n; i++) {
                const uint64_t d = plussi_lru_touch(lru, batch[i].line);
                count(&exact, d == PLUSSI_LRU_COLD ? 0 : d + 1, 1);
            }
    while (plussi_walk_next_phase(walk));
    plussi_lru_free(lru);
    plussi_walk_free(walk);
    plussi_bound_free(bound);
    return accesses;
}

typedef struct comparison {
    uint64_t accesses, wrong;
} comparison;

/* No accesses: the formulas take too long to be evaluated. */
static comparison compare(plussi_ctx *ctx, const plussi_nest *nest, const plussi_formula *f,
                          const int64_t *values)
{
    plussi_binding binding[MOST_SYMBOLS];
    comparison c = {0};
    memset(&exact, 0, sizeof exact);
    memset(&derived, 0, sizeof derived);
    for (uint32_t i = 0; i < f->n_symbols; i++)
        binding[i] = (plussi_binding){f->symbol[i].symbol->name, values[i]};
    const plussi_bind_options options = {
        .team = 1, .line_bytes = (uint32_t)f->line, .binding = binding, .n_bindings = f->n_symbols};
    if (plussi_formula_histogram(ctx, f, values, take, &derived))
        return c;
    c.accesses = walk(ctx, nest, &options);
    uint64_t more = 0, fewer = 0;
    for (size_t d = 0; d <= MOST_DISTANCE; d++) {
        const uint64_t e = exact.count[d], g = derived.count[d];
        more += g > e ? g - e : 0;
        fewer += e > g ? e - g : 0;
    }
    c.wrong = more > fewer ? more : fewer;
    return c;
}

static double milliseconds_to_evaluate(plussi_ctx *ctx, const plussi_formula *f)
{
    int64_t values[MOST_SYMBOLS];
    plussi_formula_misses misses;
    for (uint32_t i = 0; i < f->n_symbols; i++)
        values[i] = LARGE_VALUE / f->symbol[i].unit * f->symbol[i].unit;
    const double start = harness_processor_seconds();
    if (plussi_formula_count_misses(ctx, f, values, CACHE / f->line, &misses))
        return -1;
    return 1e3 * (harness_processor_seconds() - start);
}

/* Fewer and smaller ones where five loops and more are nested. */
static uint64_t values_of(const plussi_nest *nest)
{
    uint32_t most = 0;
    for (plussi_node *n = plussi_nest_walk(&nest->first_region->body, NULL); n;
         n = plussi_nest_walk(&nest->first_region->body, n)) {
        uint32_t depth = 0;
        for (const plussi_node *up = n; up; up = up->parent)
            depth += up->kind == PLUSSI_N_LOOP;
        most = depth > most ? depth : most;
    }
    return most < 5 ? VALUES : FEW_VALUES;
}

static void draw(plussi_rng *rng, const plussi_formula *f, uint64_t among, int64_t *values)
{
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        const plussi_formula_symbol *s = &f->symbol[i];
        const int64_t v = LEAST_VALUE + (int64_t)plussi_rng_below(rng, among);
        values[i] = v * s->unit < s->least ? s->least : s->unit > 1 ? v / 4 * s->unit : v;
        values[i] = values[i] < s->least ? s->least : values[i];
    }
}

static void measure(plussi_ctx *ctx, const char *kernel, const plussi_nest *nest, uint64_t line)
{
    const plussi_formula_options options = {.line = line};
    plussi_formula *f = NULL;
    if (plussi_formula_derive(ctx, nest, nest->first_region, &options, &f)) {
        printf("%s,%d,,,,,,\"%s\"\n", kernel, (int)line,
               ctx->n_diags ? ctx->diags[ctx->n_diags - 1].text : "");
        return;
    }
    comparison all = {0};
    plussi_rng rng;
    plussi_rng_seed(&rng, 8, 0);
    if (f->n_symbols > MOST_SYMBOLS)
        harness_die("%s: more than %d symbols", kernel, MOST_SYMBOLS);
    for (int b = 0; b < BINDINGS; b++) {
        int64_t values[MOST_SYMBOLS];
        draw(&rng, f, values_of(nest), values);
        const comparison c = compare(ctx, nest, f, values);
        if (c.accesses == 0) {
            printf("%s,%d,%.2f,%zu,,,,\"%s\"\n", kernel, (int)line, f->seconds, f->classes.n,
                   ctx->n_diags ? ctx->diags[ctx->n_diags - 1].text : "");
            plussi_formula_free(f);
            return;
        }
        all.accesses += c.accesses;
        all.wrong += c.wrong;
    }
    printf("%s,%d,%.2f,%zu,%llu,%llu,", kernel, (int)line, f->seconds, f->classes.n,
           (unsigned long long)all.accesses, (unsigned long long)all.wrong);
    const double ms = milliseconds_to_evaluate(ctx, f);
    if (ms >= 0)
        printf("%.3f,\n", ms);
    else
        printf(",\"%s\"\n", ctx->n_diags ? ctx->diags[ctx->n_diags - 1].text : "");
    plussi_formula_free(f);
}

/* Lines of one element are as long as the largest one. */
static uint64_t element(const plussi_nest *nest)
{
    uint64_t most = 1;
    for (const plussi_array *a = nest->first_array; a; a = a->next)
        most = a->elem_bytes > most ? a->elem_bytes : most;
    return most;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        harness_die("usage: symbolic_accuracy OBJECTS KERNEL...");
    printf("kernel,line,derivation_s,classes,accesses,wrong,evaluation_ms,why\n");
    for (int i = 2; i < argc; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.o", argv[1], argv[i]);
        for (int wide = 0; wide < 2; wide++) {
            harness_case c = {.nest_path = path, .team = 1};
            harness_open(&c);
            const plussi_nest *nest = c.nest->nest;
            measure(&c.ctx->ctx, argv[i], nest, wide ? 64 : element(nest));
            fflush(stdout);
            harness_close(&c);
        }
    }
    return 0;
}
