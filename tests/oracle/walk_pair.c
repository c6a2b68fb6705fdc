/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk_pair.h"

#include "../unit/assertions.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

typedef struct pair {
    plussi_ctx ctx;
    const plussi_nest *nest;
    const walk_pair_options *options;
    plussi_bound *bound;
    naive *naive;
    bool *empty; /* by phase of the walk: it turned out to have no accesses */
    uint64_t n_phases;
    double done; /* what the walk has told so far */
} pair;

static void print_diags(const plussi_ctx *ctx)
{
    for (size_t i = 0; i < ctx->n_diags; i++)
        fprintf(stderr, "%s:%u:%u: %s\n", ctx->diags[i].file ? ctx->diags[i].file : "",
                ctx->diags[i].line, ctx->diags[i].col, ctx->diags[i].text);
}

static void differ(pair *p, const char *what)
{
    char *text = NULL;
    size_t length;
    print_diags(&p->ctx);
    if (plussi_nest_print(&p->ctx, p->nest, &text, &length) == PLUSS_OK)
        fprintf(stderr, "%s\n", text);
    ck_abort_msg("%s, %u threads, lines of %u, seed %llu: %s", p->options->name, p->options->team,
                 p->options->line_bytes, (unsigned long long)p->options->seed, what);
}

plussi_nest *walk_pair_parse(const char *text)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    plussi_nest *nest = NULL;
    pluss_status status = plussi_nest_parse(&ctx, text, strlen(text), "test", &nest);
    if (status) {
        print_diags(&ctx);
        ck_abort_msg("the nest cannot be parsed: %s", text);
    }
    plussi_ctx_clear(&ctx);
    return nest;
}

static void bind(pair *p)
{
    const walk_pair_options *o = p->options;
    plussi_bind_options options = {.team = o->team,
                                   .line_bytes = o->line_bytes,
                                   .binding = o->binding,
                                   .n_bindings = o->n_bindings,
                                   .schedule = o->runtime,
                                   .chunk = o->runtime_chunk};
    if (plussi_bind(&p->ctx, p->nest, &options, &p->bound))
        differ(p, "cannot be bound");
}

/* What is touched lies in what bind says, and no room of one array holds another's lines. */
static void check_ranges(pair *p)
{
    for (uint32_t id = 0; id < p->naive->n_arrays; id++) {
        const plussi_bound_array *a = &p->bound->array[id];
        if (p->naive->lo[id] == p->naive->hi[id])
            continue;
        if (p->naive->lo[id] < a->lo_byte || p->naive->hi[id] > a->hi_byte)
            differ(p, "bytes outside of the array's range are touched");
        if (p->options->same_places &&
            (p->naive->lo[id] != a->lo_byte || p->naive->hi[id] != a->hi_byte))
            differ(p, "the range of an array's references is not exact");
    }
}

/* By the placement rule; where bind could not know the exact ranges, at bind's addresses. */
static void run_naive(pair *p)
{
    const walk_pair_options *o = p->options;
    naive_symbol_value value[64];
    ck_assert_uint_le(o->n_bindings, 64);
    for (size_t i = 0; i < o->n_bindings; i++)
        value[i] = (naive_symbol_value){o->binding[i].name, o->binding[i].value};
    naive_options options = {.team = o->team,
                             .line_bytes = o->line_bytes,
                             .seed = o->seed,
                             .value = value,
                             .n_values = o->n_bindings,
                             .runtime = o->runtime,
                             .runtime_chunk = o->runtime_chunk};
    p->naive = naive_run(p->nest, &options);
    check_ranges(p);
    int64_t *base = calloc(p->naive->n_arrays + 1, sizeof *base);
    int64_t *copy = calloc(p->naive->n_arrays + 1, sizeof *copy);
    bool same = true;
    for (uint32_t id = 0; id < p->naive->n_arrays; id++) {
        base[id] = p->bound->array[id].base;
        copy[id] = p->bound->array[id].copy_bytes;
        same = same && base[id] == p->naive->base[id];
    }
    if (!same && p->options->same_places)
        differ(p, "arrays lie elsewhere");
    if (!p->options->same_places) {
        naive_free(p->naive);
        options.base = base;
        options.copy = copy;
        p->naive = naive_run(p->nest, &options);
    }
    free(base);
    free(copy);
}

static plussi_walk *new_walk(pair *p)
{
    plussi_walk *walk;
    if (plussi_walk_new(&p->ctx, p->bound, p->options->seed, &walk))
        differ(p, "cannot be walked");
    p->done = 0;
    return walk;
}

/* How far it tells to be goes forward only, and comes to 1 at the end. */
static void check_done(pair *p, plussi_walk *walk, bool ended)
{
    const double rounding = 1e-12, done = plussi_walk_done(walk);
    char text[80];
    snprintf(text, sizeof text, "it tells to be %.17g done after %.17g", done, p->done);
    if (!(done >= p->done - rounding && done <= 1) || (ended && done != 1))
        differ(p, text);
    p->done = done;
}

/* Which phases of the walk have accesses; sequential, in pieces of odd sizes. */
static void find_empty(pair *p)
{
    plussi_walk *walk = new_walk(p);
    plussi_access buf[37];
    size_t cap = 0, got;
    do {
        if (p->n_phases == cap) {
            cap = cap ? 2 * cap : 16;
            p->empty = realloc(p->empty, cap * sizeof *p->empty);
        }
        if (plussi_walk_phase(walk) != p->n_phases)
            differ(p, "phases are not counted one by one");
        p->empty[p->n_phases] = true;
        for (uint32_t t = 0; t < plussi_walk_team(walk); t++)
            while ((got = plussi_walk_fill(walk, t, buf, 1 + (t * 7 + p->n_phases) % 37)) > 0)
                p->empty[p->n_phases] = false;
        p->n_phases++;
        check_done(p, walk, false);
    } while (plussi_walk_next_phase(walk));
    if (plussi_walk_status(walk))
        differ(p, "the walk failed");
    check_done(p, walk, true);
    plussi_walk_free(walk);
}

/* ---- orders ------------------------------------------------------------------------------------
 */

typedef enum order { ONE_BY_ONE, IN_TURN, BACKWARDS, AT_RANDOM, N_ORDERS } order;

static bool same_access(const plussi_access *a, const naive_access *b, uint32_t thread)
{
    return a->line == b->line && a->ref == b->ref && a->thread == thread;
}

/* Both are asked for the thread's next access. false: it waits. */
static bool ask(pair *p, plussi_walk *walk, naive_cursor *cursor, uint32_t thread)
{
    plussi_access a = {0};
    naive_access b = {0};
    size_t got = plussi_walk_fill(walk, thread, &a, 1);
    bool expected = naive_next(cursor, thread, &b);
    check_done(p, walk, false);
    if (expected == (got == 1) && (!expected || same_access(&a, &b, thread)))
        return expected;
    char text[300];
    snprintf(text, sizeof text,
             "phase %llu, thread %u: line %llu of ref %u (%s), not line %llu of ref %u (%s)",
             (unsigned long long)plussi_walk_phase(walk), thread, (unsigned long long)a.line, a.ref,
             got ? "walked" : "nothing", (unsigned long long)b.line, b.ref,
             expected ? "expected" : "nothing");
    differ(p, text);
    return false;
}

static uint64_t compare_phase(pair *p, plussi_walk *walk, naive_cursor *cursor, order how,
                              plussi_rng *rng)
{
    uint32_t team = naive_team(cursor), left = team;
    uint64_t n = 0;
    if (plussi_walk_team(walk) > team)
        differ(p, "the team is larger");
    uint32_t *lane = calloc(team + 1, sizeof *lane);
    for (uint32_t t = 0; t < team; t++)
        lane[t] = how == BACKWARDS ? team - 1 - t : t;
    for (uint32_t turn = 0; left > 0;) {
        if (how == AT_RANDOM)
            turn = (uint32_t)plussi_rng_below(rng, left);
        turn = turn >= left ? 0 : turn;
        if (!ask(p, walk, cursor, lane[turn])) {
            left--;
            memmove(lane + turn, lane + turn + 1, (left - turn) * sizeof *lane);
            continue;
        }
        n++;
        turn += how == IN_TURN;
    }
    free(lane);
    return n;
}

static uint64_t compare(pair *p, order how)
{
    plussi_walk *walk = new_walk(p);
    naive_cursor *cursor = naive_start(p->naive);
    plussi_rng rng;
    plussi_rng_seed(&rng, p->options->seed, 17);
    uint64_t n = 0;
    bool expected = naive_team(cursor) > 0;
    while (plussi_walk_next_phase(walk)) {
        if (p->empty[plussi_walk_phase(walk)])
            continue;
        if (!expected)
            differ(p, "more phases than expected");
        n += compare_phase(p, walk, cursor, how, &rng);
        expected = naive_next_phase(cursor);
    }
    if (expected)
        differ(p, "fewer phases than expected");
    if (plussi_walk_status(walk))
        differ(p, "the walk failed");
    naive_stop(cursor);
    plussi_walk_free(walk);
    return n;
}

/* A merged order's batches against the oracle, asked for the same threads in the same order. */
static void compare_merge(pair *p, plussi_progress_law law, double number, size_t cap)
{
    plussi_walk *walk = new_walk(p);
    plussi_merge *merge;
    naive_cursor *cursor = naive_start(p->naive);
    plussi_access *buf = calloc(cap, sizeof *buf);
    naive_access b;
    if (plussi_merge_new(&p->ctx, walk,
                         &(plussi_progress){.law = law, .accesses = number, .sigma = number},
                         p->options->seed + 1, &merge))
        differ(p, "cannot be merged");
    uint64_t phase = 0, n = 0, total = 0;
    for (size_t got; (got = plussi_merge_next(merge, buf, cap)) > 0; total += got) {
        if (plussi_walk_phase(walk) != phase && n > 0)
            naive_next_phase(cursor);
        phase = plussi_walk_phase(walk);
        n = got;
        for (size_t i = 0; i < got; i++)
            if (!naive_next(cursor, buf[i].thread, &b) || !same_access(&buf[i], &b, buf[i].thread))
                differ(p, "a merged order has another access");
    }
    for (uint32_t t = 0; t < naive_team(cursor); t++)
        if (naive_next(cursor, t, &b))
            differ(p, "a merged order ends early");
    if (total > 0 && naive_next_phase(cursor))
        differ(p, "a merged order lacks phases");
    if (total == 0 && naive_team(cursor) > 0)
        differ(p, "a merged order is empty");
    free(buf);
    naive_stop(cursor);
    plussi_merge_free(merge);
    plussi_walk_free(walk);
}

uint64_t walk_pair_check(const plussi_nest *nest, const walk_pair_options *options)
{
    pair p = {.nest = nest, .options = options};
    plussi_ctx_init(&p.ctx, NULL);
    bind(&p);
    run_naive(&p);
    find_empty(&p);
    uint64_t n = 0;
    for (int how = 0; how < N_ORDERS; how++)
        n = compare(&p, how);
    compare_merge(&p, PLUSSI_PROGRESS_UNIFORM, 0, 100);
    compare_merge(&p, PLUSSI_PROGRESS_ROUND_ROBIN, 0, 7);
    compare_merge(&p, PLUSSI_PROGRESS_BURST, 5, 1000);
    compare_merge(&p, PLUSSI_PROGRESS_RATES, .3, 1);
    compare_merge(&p, PLUSSI_PROGRESS_SEQUENTIAL, 0, 64);
    naive_free(p.naive);
    plussi_bound_free(p.bound);
    free(p.empty);
    plussi_ctx_clear(&p.ctx);
    return n;
}
