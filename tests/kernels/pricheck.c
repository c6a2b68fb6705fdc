/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pricheck FILE SYMBOL=VALUE...
 *
 * Walked private reuse interval histograms (plussi_pri_walk) of a description against brute force:
 * the accesses come from the oracle that executes the description statement by statement, each
 * interval from a search backwards. Teams of 1, 3 and 4; static, static,1 and static,3. Weights of
 * intervals must agree to the last count, reference by reference; cold and thread-first within
 * rounding. Prints how much was compared. Exit status 1: they differ; 2: usage; 3: the library
 * refuses.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle/naive.h"
#include "../unit/histo_tools.h"
#include "object/object.h"
#include "profile/pri.h"

enum { MAX_SYMBOLS = 32 };

static plussi_ctx ctx;
static plussi_binding binding[MAX_SYMBOLS];
static naive_symbol_value value[MAX_SYMBOLS];
static size_t n_symbols;

static void must(pluss_status status, const char *what)
{
    if (status == PLUSS_OK)
        return;
    for (size_t i = 0; i < ctx.n_diags; i++)
        fprintf(stderr, "%s:%u: %s\n", ctx.diags[i].file ? ctx.diags[i].file : "-",
                ctx.diags[i].line, ctx.diags[i].text);
    fprintf(stderr, "pricheck: %s: %s\n", what, plussi_status_text(status));
    exit(3);
}

/* Every worksharing loop static with this chunk, 0: a block a thread. */
static void set_schedule(plussi_nest *nest, int64_t chunk)
{
    for (plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            if (node->kind == PLUSSI_N_LOOP && node->u.loop.workshare)
                node->u.loop.schedule =
                    (plussi_schedule){.kind = PLUSSI_SCHED_STATIC,
                                      .chunk = chunk ? plussi_expr_int(nest, chunk) : NULL};
}

typedef struct sequence {
    uint64_t *line;
    uint32_t *ref;
    size_t n, cap;
} sequence;

static void push(sequence *s, naive_access a)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 1024;
        s->line = realloc(s->line, s->cap * sizeof *s->line);
        s->ref = realloc(s->ref, s->cap * sizeof *s->ref);
        if (!s->line || !s->ref)
            abort();
    }
    s->line[s->n] = a.line;
    s->ref[s->n++] = a.ref;
}

static bool touched(const sequence *s, uint64_t line)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->line[i] == line)
            return true;
    return false;
}

static void expect(const sequence *all, uint32_t team, plussi_histo *histo)
{
    for (uint32_t t = 0; t < team; t++)
        for (size_t i = 0; i < all[t].n; i++) {
            uint64_t interval = naive_interval(all[t].line, i);
            plussi_histo *h = &histo[all[t].ref[i]];
            if (interval) {
                must(plussi_histo_add(h, interval, 1), "histogram");
                continue;
            }
            unsigned k = 0; /* threads that touch this line at all */
            for (uint32_t other = 0; other < team; other++)
                k += touched(&all[other], all[t].line[i]);
            h->cold += 1.0 / k;
            h->thread_first += 1 - 1.0 / k;
        }
}

static size_t compare(plussi_nest *nest, uint32_t team, int64_t chunk)
{
    set_schedule(nest, chunk);
    plussi_bind_options options = {
        .team = team, .line_bytes = 64, .binding = binding, .n_bindings = n_symbols};
    plussi_bound *bound;
    must(plussi_bind(&ctx, nest, &options, &bound), "bind");
    plussi_pri pri;
    must(plussi_pri_walk(&ctx, bound, 1, NULL, &pri), "pri_walk");

    naive_options plain = {.team = team, .line_bytes = 64, .value = value, .n_values = n_symbols};
    naive *n = naive_run(nest, &plain);
    naive_cursor *c = naive_start(n);
    sequence *all = calloc(team, sizeof *all);
    plussi_histo *histo = calloc(nest->n_refs, sizeof *histo);
    for (uint32_t r = 0; r < nest->n_refs; r++)
        plussi_histo_init(&histo[r], &ctx.mem);
    naive_access a;
    do
        for (uint32_t t = 0; t < naive_team(c); t++)
            while (naive_next(c, t, &a))
                push(&all[t], a);
    while (naive_next_phase(c));
    expect(all, team, histo);

    size_t accesses = 0;
    for (uint32_t r = 0; r < nest->n_refs; r++) {
        const plussi_histo *got = &pri.ref[r].histo;
        if (fabs(got->cold - histo[r].cold) > 1e-6 ||
            fabs(got->thread_first - histo[r].thread_first) > 1e-6) {
            printf("reference %u, team %u, chunk %" PRId64 ": cold %g, thread-first %g; by brute "
                   "force %g, %g\n",
                   r, team, chunk, got->cold, got->thread_first, histo[r].cold,
                   histo[r].thread_first);
            exit(1);
        }
        plussi_histo intervals = *got, expected = histo[r];
        intervals.cold = intervals.thread_first = expected.cold = expected.thread_first = 0;
        if (!histo_equal(&intervals, &expected, 0)) {
            printf("reference %u, team %u, chunk %" PRId64 ": intervals differ\n", r, team, chunk);
            exit(1);
        }
        plussi_histo_free(&histo[r]);
    }
    for (uint32_t t = 0; t < team; t++) {
        accesses += all[t].n;
        free(all[t].line);
        free(all[t].ref);
    }
    free(all);
    free(histo);
    naive_stop(c);
    naive_free(n);
    plussi_pri_free(&pri);
    plussi_bound_free(bound);
    return accesses;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc - 2 > MAX_SYMBOLS)
        return 2;
    plussi_ctx_init(&ctx, NULL);
    for (int i = 2; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals)
            return 2;
        *equals = '\0';
        binding[n_symbols] = (plussi_binding){argv[i], strtoll(equals + 1, NULL, 10)};
        value[n_symbols] = (naive_symbol_value){argv[i], binding[n_symbols].value};
        n_symbols++;
    }
    plussi_texts texts;
    must(plussi_object_read(&ctx, argv[1], &texts), argv[1]);
    plussi_nest *nest;
    if (texts.n != 1)
        return 2;
    must(plussi_nest_parse(&ctx, texts.text[0].text, texts.text[0].length, argv[1], &nest),
         "parse");
    size_t accesses =
        compare(nest, 1, 0) + compare(nest, 4, 0) + compare(nest, 4, 1) + compare(nest, 3, 3);
    printf("%zu accesses\n", accesses);
    plussi_nest_free(nest);
    plussi_texts_free(&texts);
    plussi_ctx_clear(&ctx);
    return 0;
}
