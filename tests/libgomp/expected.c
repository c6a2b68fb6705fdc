/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of observed.c as this project has them:
 *     expected walk NEST             the exact walk
 *     expected closed NEST           the closed forms, with the chunks of the model clock
 *     expected sampler <LINES        a generated sampler, dealt: what owners.h or owners.rs prints
 * NEST has the loops of loops.h one after another (run.sh writes it), around them loops over the
 * team, the chunk and the range; iteration (i, j) touches the line [team][chunk][range][i][j] of
 * the loop's own array.
 */
#include <inttypes.h>
#include <string.h>

#include "ffi.h"

#include "loops.h"
#include "model/clock_state.h"
#include "trace/walk.h"

static pluss_context *ctx;

static void must(pluss_status status, const char *what)
{
    if (status == PLUSS_OK)
        return;
    for (size_t i = 0; i < ctx->ctx.n_diags; i++)
        fprintf(stderr, "%s\n", ctx->ctx.diags[i].text);
    fprintf(stderr, "%s: %s\n", what, plussi_status_text(status));
    exit(3);
}

/* ---- lines -------------------------------------------------------------------------------------
 */

enum { N_J = 4, N_I = FIRST + MOST_RANGE + 1, N_RANGE = MOST_RANGE + 1, N_CHUNK = MOST_CHUNK + 1 };

/* Line number `at` of array `id`: the loop, and which iteration of it. */
static loop *loop_of_line(uint32_t id, uint64_t at, int *number)
{
    uint64_t j = at % N_J, i = at / N_J % N_I, range = at / N_J / N_I % N_RANGE;
    uint64_t chunk = at / N_J / N_I / N_RANGE % N_CHUNK, team = at / N_J / N_I / N_RANGE / N_CHUNK;
    if (id >= N_LOOPS || chunk < 1 || team < 1 || team > MOST_TEAM) {
        fprintf(stderr, "no loop touches line %" PRIu64 " of array %" PRIu32 "\n", at, id);
        exit(3);
    }
    loop *l = &table[id][team - 1][chunk - 1][range];
    *number = number_of(l, (int)i, (int)j);
    return l;
}

static loop *loop_of_access(const plussi_bound *bound, uint32_t ref, uint64_t line, int *number)
{
    const plussi_bound_array *array = bound->ref[ref]->u.ref.array;
    return loop_of_line(array->id, line - (uint64_t)array->base / 64, number);
}

/* ---- the exact walk ----------------------------------------------------------------------------
 */

/* A batch ends with the chunk. */
static void note_batch(const plussi_bound *bound, const plussi_access *batch, size_t n)
{
    int first = 0, number;
    for (size_t i = 0; i < n; i++) {
        loop *l = loop_of_access(bound, batch[i].ref, batch[i].line, &number);
        first = i ? first : number;
        if (is_static(l))
            note_owner(l, number, batch[i].thread);
        else if (number == first + (int)i)
            l->at[first] = (uint8_t)(i + 1);
    }
}

static void walk(const plussi_bound *bound)
{
    plussi_walk *w;
    plussi_access batch[2 * MOST_ITERATIONS];
    must(plussi_walk_new(&ctx->ctx, bound, 1, &w), "walk");
    do
        for (uint32_t k = 0; k < plussi_walk_team(w); k++)
            for (size_t n; (n = plussi_walk_fill(w, k, batch, 2 * MOST_ITERATIONS)) > 0;)
                note_batch(bound, batch, n);
    while (plussi_walk_next_phase(w));
    must(plussi_walk_status(w), "walk");
    plussi_walk_free(w);
}

/* ---- closed forms ------------------------------------------------------------------------------
 */

static const plussi_iterset_source *source;
static const plussi_bound_node *workshare[N_LOOPS];

static void note_chunks(loop *l)
{
    const plussi_bound_node *node =
        workshare[(l - &table[0][0][0][0]) / (MOST_TEAM * MOST_CHUNK * N_RANGE)];
    int64_t iv[PLUSSI_CURSOR_SLOTS] = {0, l->team, l->chunk, l->range};
    if (is_static(l) || l->team == 1)
        return;
    for (uint32_t k = 0; k < (uint32_t)l->team; k++) {
        plussi_thread_set own;
        if (!source->set(source->user, node, iv, (uint64_t)l->n, (uint64_t)l->chunk,
                         (uint32_t)l->team, k, &own))
            return;
        uint64_t lo, hi, count = plussi_iterset_count(&own.set);
        for (uint64_t at = 0; at < count; at += hi - lo) {
            plussi_iterset_run(&own.set, at, &lo, &hi);
            l->at[lo] = (uint8_t)(hi - lo);
        }
    }
}

/* The thread's accesses in a phase. */
static void note_thread(const plussi_bound *bound, const plussi_engine *engine,
                        plussi_workspace *scan, uint64_t phase, uint32_t k)
{
    uint64_t n = plussi_engine_length(scan, k, phase);
    plussi_cursor spot;
    if (n > 0)
        plussi_engine_unrank(scan, k, phase, 0, &spot);
    for (uint64_t at = 0; at < n; plussi_engine_step(scan, phase, &at, &spot)) {
        int number;
        loop *l = loop_of_access(bound, plussi_engine_ref(engine, spot.leaf)->id,
                                 plussi_engine_line(scan, &spot), &number);
        if (is_static(l))
            note_owner(l, number, k);
    }
}

static void ask_closed_forms(const plussi_bound *bound)
{
    plussi_clock_itersets *shares;
    plussi_engine *engine;
    plussi_workspace *scan;
    uint32_t n = 0;
    for (uint32_t i = 0; i < bound->n_loops; i++)
        if (bound->loop[i] && bound->loop[i]->u.loop.workshare)
            workshare[n++] = bound->loop[i];
    must(plussi_clock_itersets_new(&ctx->ctx, bound, NULL, 1, false, &shares), "shares");
    source = plussi_clock_itersets_source(shares);
    must(plussi_engine_new(&ctx->ctx, bound, source, &engine), "closed form");
    must(plussi_clock_itersets_engine(shares, engine), "shares");
    must(plussi_workspace_new(&ctx->ctx, engine, &scan), "closed form");
    for (uint64_t phase = 0; phase < plussi_engine_phases(engine); phase++)
        for (uint32_t k = 0; k < MOST_TEAM; k++)
            note_thread(bound, engine, scan, phase, k);
    for_each_loop(note_chunks);
    must(plussi_clock_itersets_status(shares), "shares");
    plussi_workspace_free(scan);
    plussi_engine_free(engine);
    plussi_clock_itersets_free(shares);
}

/* ---- generated samplers ------------------------------------------------------------------------
 */

static void be_dealt(loop *l)
{
    l->dealt = !is_static(l);
}

static void read_owners(void)
{
    uint32_t thread, array;
    uint64_t line;
    int number;
    while (scanf("%" SCNu32 " %" SCNu32 " %" SCNu64, &thread, &array, &line) == 3) {
        loop *l = loop_of_line(array, line, &number);
        note_owner(l, number, thread);
    }
    for_each_loop(be_dealt);
}

/* ------------------------------------------------------------------------------------------------
 */

static void from_nest(const char *path, void (*engine)(const plussi_bound *bound))
{
    plussi_bind_options options = {.team = MOST_TEAM, .line_bytes = 64};
    plussi_bound *bound;
    pluss_nests *nests;
    must(pluss_context_new(NULL, &ctx), "context");
    must(pluss_nests_read(ctx, path, &nests), path);
    must(plussi_bind(&ctx->ctx, pluss_nests_get(nests, 0)->nest, &options, &bound), "bind");
    engine(bound);
    plussi_bound_free(bound);
    pluss_nests_free(nests);
    pluss_context_free(ctx);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    fill_table();
    if (strcmp(what, "walk") == 0 && argc == 3)
        from_nest(argv[2], walk);
    else if (strcmp(what, "closed") == 0 && argc == 3)
        from_nest(argv[2], ask_closed_forms);
    else if (strcmp(what, "sampler") == 0)
        read_owners();
    else
        return 2;
    for_each_loop(print_loop);
    return 0;
}
