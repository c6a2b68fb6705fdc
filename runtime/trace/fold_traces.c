/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <sys/stat.h>

#include "trace/fold.h"
#include "trace/fold_coverage.h"
#include "trace/fold_limits.h"
#include "trace/fold_nest.h"
#include "trace/fold_refusal.h"

/* A tree with more nodes than these, and fewer accesses a node, says no more than the trace. */
enum { FEW_NODES = 64, ACCESSES_A_NODE = 8 };
/* With as many, two are held back. */
enum { MANY_RUNS = 6 };
enum { FEWEST_RUNS = 3 }; /* of one shape, where there are as many */
enum { MOST_TRACES = 2 * (PLUSSI_FOLD_RUNS + 1) };

typedef struct folding {
    plussi_ctx *ctx;
    const plussi_fold_request *request;
    plussi_fold_run *run; /* of each trace */
    plussi_team_sites sites;
    size_t end_fitted; /* traces from there on are held back */
    bool by_teams;     /* before that, too, those of one thread are only compared */
    size_t n_fitted;   /* the others */
    plussi_binding *binding;
    plussi_fold_runs chosen;
    uint64_t sums_left;
    int64_t tile;                                       /* of the nest that was found */
    int64_t size[PLUSSI_FOLD_RUNS * PLUSSI_FOLD_SIZES]; /* of those */
    plussi_ask ask;
    plussi_ask_forward forward; /* a second shape that is tried is compared again */
} folding;

/* ---- how far it is -----------------------------------------------------------------------------
 */

/* Each trace is read to find its threads and sites, to fold it, and to be compared. */
typedef enum reading { FINDING, FOLDING, COMPARING, READINGS } reading;

static double size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > 0 ? (double)info.st_size : 1;
}

/* This reading of a trace, after those of the traces before it (the last is compared first): by the
 * sizes of their files. */
static plussi_ask ask_of_reading(folding *f, reading which, size_t trace, plussi_ask_part *part)
{
    double before = 0, all = 0;
    for (size_t i = 0; i < f->request->n_traces; i++) {
        const double size = size_of(f->request->trace[i]);
        before += (which == COMPARING ? i > trace : i < trace) ? size : 0;
        all += size;
    }
    return plussi_ask_of_part(&f->ask, "fold", ((double)which + before / all) / READINGS,
                              size_of(f->request->trace[trace]) / all / READINGS, part);
}

static pluss_status refuse_number(plussi_ctx *ctx, size_t n)
{
    return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                       "%zu runs: 3 to %d are needed, of which the last is held back", n,
                       PLUSSI_FOLD_RUNS + 1);
}

static pluss_status check_request(plussi_ctx *ctx, const plussi_fold_request *r)
{
    if (r->n_traces == 0 || (r->n_symbols == 0 && r->n_traces > 1))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "traces of several runs need their sizes");
    if (r->n_symbols == 0)
        return PLUSS_OK;
    if (r->n_traces < FEWEST_RUNS || r->n_traces > MOST_TRACES)
        return refuse_number(ctx, r->n_traces);
    if (r->n_symbols > PLUSSI_FOLD_SIZES)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "more than %d sizes", PLUSSI_FOLD_SIZES);
    for (size_t i = 0; i < r->n_traces * r->n_symbols; i++)
        if (r->value[i] < 0)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a size is negative");
    return PLUSS_OK;
}

/* Finds the threads and sites of all runs, and which runs are fitted. */
static pluss_status divide_runs(folding *f)
{
    pluss_status status = PLUSS_OK;
    size_t n = f->request->n_traces, teams = 0;
    for (size_t i = 0; i < n && !status; i++) {
        plussi_ask_part part;
        const plussi_ask ask = ask_of_reading(f, FINDING, i, &part);
        f->run[i].sites = &f->sites;
        status =
            plussi_team_find(f->ctx, f->request->trace[i], &ask, &f->sites, &f->run[i].threads);
        teams += f->run[i].threads > 1;
    }
    f->by_teams = teams >= FEWEST_RUNS;
    f->end_fitted = n;
    if (f->request->n_symbols > 0)
        f->end_fitted -= (f->by_teams ? teams : n) < MANY_RUNS ? 1 : 2;
    for (size_t i = 0; i < f->end_fitted; i++)
        f->n_fitted += !f->by_teams || f->run[i].threads > 1;
    return !status && f->n_fitted > PLUSSI_FOLD_RUNS ? refuse_number(f->ctx, n) : status;
}

static pluss_status read_runs(folding *f)
{
    pluss_status status = divide_runs(f);
    size_t refused = f->end_fitted, folded = 0; /* of those that are fitted */
    for (size_t i = 0; i < f->request->n_traces && !status; i++) {
        const char *path = f->request->trace[i];
        plussi_fold_run *run = &f->run[i];
        plussi_ask_part part;
        run->ask = ask_of_reading(f, FOLDING, i, &part);
        status = plussi_fold_run_read(f->ctx, path, run);
        bool folds = run->tree && run->accesses > 0 &&
                     (run->tree->n <= FEW_NODES || run->accesses / ACCESSES_A_NODE >= run->tree->n);
        bool compared = i >= f->end_fitted || (f->by_teams && run->threads == 1);
        folded += folds && !compared;
        if (!status && (!folds || compared) && i < f->end_fitted) {
            plussi_free(&run->mem, run->tree);
            run->tree = NULL;
            refused = refused < f->end_fitted || compared ? refused : i;
        }
    }
    if (!status && refused < f->end_fitted && folded < FEWEST_RUNS)
        status = plussi_fold_refuse(f->ctx, &f->run[refused], f->request->trace[refused]);
    return status;
}

static void choose(folding *f, size_t run)
{
    size_t n_symbols = f->request->n_symbols;
    if (n_symbols > 0)
        memcpy(&f->size[f->chosen.n * n_symbols], &f->request->value[run * n_symbols],
               n_symbols * sizeof *f->size);
    f->chosen.run[f->chosen.n++] = &f->run[run];
}

/* Chooses the runs whose trees have the shape of this one's, then those that lack one part of it.
 * Whether no run before it has that shape. */
static bool choose_runs(folding *f, size_t like)
{
    const plussi_fold_run *a = &f->run[like];
    plussi_fold_part part;
    bool first = true;
    f->chosen = (plussi_fold_runs){.n = 0};
    for (size_t k = 0; k < f->end_fitted && a->tree; k++)
        if (f->run[k].tree && f->run[k].tree->n == a->tree->n &&
            plussi_fold_runs_match(a, &f->run[k], &part)) {
            first = first && k >= like;
            f->chosen.part = part;
            choose(f, k);
        }
    f->chosen.n_whole = f->chosen.n;
    for (size_t k = 0; k < f->end_fitted && a->tree; k++) {
        if (!f->run[k].tree || f->run[k].tree->n == a->tree->n ||
            !plussi_fold_runs_match(a, &f->run[k], &part))
            continue;
        if (f->chosen.n == f->chosen.n_whole)
            f->chosen.part = part;
        if (part.from == f->chosen.part.from && part.to == f->chosen.part.to)
            choose(f, k);
    }
    return first;
}

/* Iterations of tile loops; 0: there are none. */
static int64_t find_tile(const plussi_fold_tree *tree)
{
    int64_t tile = 0;
    for (uint32_t i = 0; i < tree->n; i++)
        for (uint32_t k = 1; tree->node[i].capped && k <= tree->node[i].depth; k++) {
            int64_t by = tree->number[tree->node[i].first + plussi_fold_row(&tree->node[i]) + k];
            if (by < 0 && by > INT64_MIN && (tile == 0 || -by < tile))
                tile = -by;
        }
    return tile;
}

/* What holds for the runs need not hold for smaller sizes. */
static void limit_sizes(const plussi_fold_request *r, plussi_nest *nest)
{
    for (plussi_symbol *s = nest->first_symbol; s; s = s->next)
        for (size_t k = 0; k < r->n_symbols; k++)
            for (size_t i = 0; i < r->n_traces && strcmp(s->name, r->symbol[k]) == 0; i++) {
                const int64_t value = r->value[i * r->n_symbols + k];
                s->least = i == 0 || value < s->least ? value : s->least;
            }
}

static pluss_status compare_runs(folding *f, plussi_ctx *ctx, plussi_nest *nest)
{
    const plussi_fold_request *r = f->request;
    pluss_status status = PLUSS_OK;
    for (size_t i = r->n_traces; i-- > 0 && !status;) {
        plussi_ask_part part;
        f->run[i].ask = ask_of_reading(f, COMPARING, i, &part);
        for (size_t k = 0; k < r->n_symbols; k++)
            f->binding[k] = (plussi_binding){r->symbol[k], r->value[i * r->n_symbols + k]};
        status = plussi_fold_compare(ctx, nest, f->binding, r->n_symbols, &f->run[i], r->trace[i]);
    }
    limit_sizes(r, nest);
    return status;
}

/* The nest of the chosen runs, if all runs are of it. */
static pluss_status try_shape(folding *f, plussi_ctx *ctx, plussi_nest **out)
{
    plussi_fold_fitter all = {.n_runs = 0}, whole = {.n_runs = 0};
    plussi_nest *nest = NULL;
    const plussi_mem *mem = &ctx->mem;
    uint32_t n_symbols = (uint32_t)f->request->n_symbols;
    int64_t tile = find_tile(f->chosen.run[0]->tree);
    f->tile = tile;
    pluss_status status =
        plussi_fold_fitter_init(mem, &all, f->size, f->chosen.n, n_symbols, tile, &f->sums_left);
    if (!status)
        status = plussi_fold_fitter_init(mem, &whole, f->size, f->chosen.n_whole, n_symbols, tile,
                                         &f->sums_left);
    f->chosen.fitter = &all;
    f->chosen.whole = &whole;
    if (!status)
        status = plussi_fold_build(ctx, &f->chosen, f->request->symbol, &nest);
    plussi_fold_fitter_clear(mem, &all);
    plussi_fold_fitter_clear(mem, &whole);
    if (!status)
        status = compare_runs(f, ctx, nest);
    if (status)
        plussi_nest_free(nest);
    else
        *out = nest;
    bool is_fatal = status == PLUSS_ENOMEM || status == PLUSS_EIO || status == PLUSS_EFORMAT ||
                    status == PLUSS_ECANCELLED;
    return status && !is_fatal ? PLUSS_EUNSUPPORTED : status;
}

/* Tries the shapes of as many runs. What is wrong with the first is kept in ctx. */
static pluss_status try_shapes(folding *f, const size_t *alike, size_t many, plussi_ctx *ctx,
                               bool *tried, plussi_nest **out)
{
    pluss_status status = PLUSS_EUNSUPPORTED;
    for (size_t i = 0; i < f->end_fitted && status == PLUSS_EUNSUPPORTED; i++) {
        plussi_ctx other;
        if (alike[i] != many)
            continue;
        choose_runs(f, i);
        plussi_ctx_init(&other, &ctx->mem);
        status = try_shape(f, *tried ? &other : ctx, out);
        plussi_ctx_clear(&other);
        *tried = true;
    }
    return status;
}

static pluss_status fold_runs(folding *f, plussi_nest **out)
{
    plussi_ctx ctx; /* what is wrong is told where no shape fits */
    bool tried = false;
    pluss_status status = read_runs(f);
    if (status)
        return status;
    size_t least = f->n_fitted < FEWEST_RUNS ? f->n_fitted : FEWEST_RUNS;
    size_t alike[MOST_TRACES] = {0}; /* runs of the shape of this one; 0: it is not tried */
    for (size_t i = 0; i < f->end_fitted; i++)
        if (choose_runs(f, i) && f->chosen.n_whole >= least)
            alike[i] = f->chosen.n;
    plussi_ctx_init(&ctx, &f->ctx->mem);
    status = PLUSS_EUNSUPPORTED;
    for (size_t many = f->n_fitted; many >= least && status == PLUSS_EUNSUPPORTED; many--)
        status = try_shapes(f, alike, many, &ctx, &tried, out);
    if (status)
        plussi_report_again(f->ctx, &ctx);
    plussi_ctx_clear(&ctx);
    return tried ? status
                 : plussi_fold_refuse_shapes(f->ctx, f->run, f->end_fitted, least, f->n_fitted,
                                             f->request->symbol, f->request->n_symbols,
                                             f->request->value);
}

static void clear_runs(folding *f)
{
    for (size_t i = 0; f->run && i < f->request->n_traces; i++) {
        plussi_fold_run_clear(&f->run[i]);
        f->run[i] = (plussi_fold_run){.n_tags = 0};
    }
    f->n_fitted = 0;
}

/* Where static schedules without chunks do not explain what threads share, but such with chunks
 * may: these. The other way round loops over columns are taken for chunks of rows. */
static pluss_status fold_twice(folding *f, plussi_nest **out)
{
    plussi_ctx first, *ctx = f->ctx;
    plussi_ctx_init(&first, &ctx->mem);
    f->ctx = &first;
    pluss_status status = fold_runs(f, out);
    f->ctx = ctx;
    bool again = status == PLUSS_EUNSUPPORTED && f->sites.may_cut;
    if (again) {
        f->sites.cuts = true;
        clear_runs(f);
        plussi_ctx second;
        plussi_ctx_init(&second, &ctx->mem);
        f->ctx = &second;
        status = fold_runs(f, out);
        f->ctx = ctx;
        if (status && status != PLUSS_EUNSUPPORTED)
            plussi_report_again(ctx, &second);
        plussi_ctx_clear(&second);
    }
    if (status && !(again && status != PLUSS_EUNSUPPORTED))
        plussi_report_again(ctx, &first);
    plussi_ctx_clear(&first);
    return status;
}

/* Says where nothing tells how threads share loops. */
static void note_one_thread(const folding *f)
{
    bool alone = true, has_regions = false;
    for (size_t i = 0; i < f->request->n_traces; i++) {
        alone = alone && f->run[i].threads == 1;
        has_regions = has_regions || f->run[i].region != SIZE_MAX;
    }
    if (alone && has_regions)
        plussi_report(f->ctx, PLUSSI_NOTE, PLUSS_EUNSUPPORTED, NULL,
                      "one thread executed the parallel regions: which of their loops a team "
                      "shares, and how, is a guess");
}

pluss_status plussi_fold(plussi_ctx *ctx, const plussi_fold_request *request, plussi_nest **out)
{
    pluss_status status = check_request(ctx, request);
    if (status)
        return status;
    folding f = {.ctx = ctx, .request = request, .sums_left = PLUSSI_FOLD_SUMS};
    f.ask = plussi_ask_going_forward(&request->ask, &f.forward);
    f.run = plussi_calloc(&ctx->mem, request->n_traces, sizeof *f.run);
    f.binding = plussi_calloc(&ctx->mem, request->n_symbols + 1, sizeof *f.binding);
    plussi_nest *nest = NULL;
    status = f.run && f.binding ? fold_twice(&f, &nest) : PLUSS_ENOMEM;
    if (!status) {
        note_one_thread(&f);
        status = plussi_fold_warn_of_gaps(ctx, f.run, request->n_traces, request->trace[0]);
        if (!status)
            status = plussi_fold_limit(ctx, request, f.tile, nest);
    }
    if (status)
        plussi_nest_free(nest);
    else
        *out = nest;
    clear_runs(&f);
    plussi_team_clear(&ctx->mem, &f.sites);
    plussi_free(&ctx->mem, f.run);
    plussi_free(&ctx->mem, f.binding);
    return status;
}
