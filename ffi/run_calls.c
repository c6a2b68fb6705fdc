/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A record as a whole: every region with every set of values that it ran with, and the sequence.
 */
#include "ffi.h"
#include "study/mixed_whole.h"
#include "study/points.h"
#include "study/recorded_whole.h"
#include "trace/fill_unknowns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_BLOCKS = 1024, /* of a sequence that is reported unasked */
    FEW_ACCESSES = 1000
};

#define NANOSECOND 1e-9 /* seconds */

typedef struct run {
    pluss_context *ctx;
    plussi_request request; /* its teams: those that are asked for, or none */
    const plussi_record *record;
    bool timed; /* progress is the run's, as time stamps tell */
    plussi_ffi_nests nests;
    const pluss_nest *const *given; /* in place of those of the record's objects; NULL: none */
    size_t n_given;
    pluss_nests *texts; /* nests in place of curves, or NULL */
    size_t texts_cap;
    pluss_result *result;
    plussi_recorded_whole *whole; /* all runs that are recorded one by one, by team */
    size_t n_whole, cap_whole;
    plussi_recorded_whole serial; /* those that one thread ran alone, which are part of each */
    plussi_mixed_whole mixed;     /* all runs, however they are recorded */
    double serial_left;           /* loads and stores of serial parts that are in no curve */
    bool uncovered;               /* a region has no figure, or its accesses are not counted */
    double sites;                 /* accesses in the regions' figures that no nest has */
    bool filled;       /* the nest at hand has what it had as unknowns out of the record */
    bool idle;         /* a team of the binding at hand made no access */
    bool told;         /* why it failed */
    char unbound[512]; /* the last note on a value that the run does not tell */
} run;

/* ---- nests -------------------------------------------------------------------------------------
 */

/* Takes the nest. */
static pluss_status add_text(run *r, plussi_nest *nest)
{
    pluss_nests *texts = r->texts;
    pluss_status status =
        plussi_grow(&texts->mem, &texts->nest, &r->texts_cap, texts->n, sizeof *texts->nest);
    if (status)
        plussi_nest_free(nest);
    else
        status = plussi_ffi_view(&r->ctx->ctx, nest, "record", &texts->nest[texts->n]);
    texts->n += !status;
    return status;
}

/* ---- curves ------------------------------------------------------------------------------------
 */

static bool is_recorded(const plussi_request *request)
{
    return request->progress.law == PLUSSI_PROGRESS_RECORDED;
}

/* The order that the run had, as its touches tell, rather than a walk of the nest. */
static bool is_rebuilt(const run *r)
{
    return r->request.simulate && is_recorded(&r->request) && !r->timed;
}

/* Without accesses there is no curve, which is no fault as long as there are others. */
static void drop_empty(plussi_ctx *ctx, size_t from)
{
    size_t kept = from;
    for (size_t i = from; i < ctx->n_diags; i++)
        if (ctx->diags[i].status == PLUSS_EEMPTY) {
            plussi_free(&ctx->mem, ctx->diags[i].file);
            plussi_free(&ctx->mem, ctx->diags[i].text);
        } else {
            ctx->diags[kept++] = ctx->diags[i];
        }
    ctx->n_diags = kept;
}

static pluss_status evaluate(run *r, const plussi_nest *nest, const plussi_request *request)
{
    return plussi_ffi_run(r->ctx, nest, request,
                          request->simulate ? plussi_pipeline_simulate : plussi_pipeline_predict,
                          r->result);
}

/* Its description is needed for levels alone. */
static pluss_status rebuild_block(run *r, size_t block, const plussi_request *request)
{
    plussi_ctx *ctx = &r->ctx->ctx;
    pluss_context quiet = {0};
    plussi_nest *nest = NULL;
    pluss_status status = PLUSS_OK;
    bool told = false;
    plussi_ctx_init(&quiet.ctx, &ctx->mem);
    if (plussi_request_has_levels(request) && !r->nests.read)
        status = plussi_ffi_take_nests(&quiet, r->record, r->given, r->n_given, &r->nests, &told);
    if (!status && plussi_request_has_levels(request))
        status =
            plussi_record_nest(&quiet.ctx, r->record, block, 0, r->nests.nest, r->nests.n, &nest);
    const plussi_diag *d = quiet.ctx.n_diags ? &quiet.ctx.diags[0] : NULL;
    char why[256];
    if (d)
        snprintf(why, sizeof why, "%s%s%s", d->file ? d->file : "", d->file ? ": " : "", d->text);
    if (status != PLUSS_ENOMEM)
        status = plussi_pipeline_simulate_touches(ctx, r->record, block, nest, d ? why : NULL,
                                                  request, &r->result->list);
    plussi_nest_free(nest);
    plussi_ctx_clear(&quiet.ctx);
    return status;
}

/* A symbol for which there is no value; NULL: none. */
static const char *find_unbound(const plussi_nest *nest, const plussi_request *request)
{
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next) {
        bool given = s->value;
        for (size_t i = 0; i < request->n_bindings && !given; i++)
            given = strcmp(request->binding[i].name, s->name) == 0;
        if (!given)
            return s->name;
    }
    return NULL;
}

/* A nest without values is replaced by one that has nothing, where the block has the accesses. */
static pluss_status drop_unbound(run *r, const plussi_request *request, plussi_nest **nest)
{
    const plussi_record_block *block = request->block;
    const char *unbound = request->simulate || request->model || !plussi_record_has_sites(block, 0)
                              ? NULL
                              : find_unbound(*nest, request);
    if (!unbound)
        return PLUSS_OK;
    char reason[320], note[512];
    snprintf(reason, sizeof reason, "the run does not tell the value of %s", unbound);
    snprintf(note, sizeof note, "%s: %s: only its recorded accesses are in the figure",
             block->region, reason);
    if (strcmp(note, r->unbound) != 0) /* bindings of a region are in a row */
        plussi_report(&r->ctx->ctx, PLUSSI_NOTE, PLUSS_EUNBOUND, &block->loc, "%s", note);
    memcpy(r->unbound, note, sizeof note);
    plussi_nest_free(*nest);
    *nest = NULL;
    return plussi_record_bare_nest(&r->ctx->ctx, block, reason, nest);
}

/* What the program did outside of regions: there is no description of it. */
static pluss_status run_serial(run *r, const plussi_request *request)
{
    plussi_nest *nest = NULL;
    pluss_status status = plussi_record_bare_nest(&r->ctx->ctx, request->block,
                                                  "the program outside of its regions", &nest);
    r->filled = false;
    if (!status)
        status = evaluate(r, nest, request);
    plussi_nest_free(nest);
    return status;
}

static pluss_status run_block(run *r, size_t block, uint32_t team)
{
    plussi_ctx *ctx = &r->ctx->ctx;
    plussi_request request = r->request;
    request.team = &team;
    request.n_teams = 1;
    request.record = r->record;
    request.block = &r->record->block[block];
    if (is_rebuilt(r))
        return rebuild_block(r, block, &request);
    if (plussi_record_is_serial(request.block))
        return run_serial(r, &request);
    plussi_nest *nest = NULL;
    pluss_status status =
        plussi_record_nest(ctx, r->record, block, 0, r->nests.nest, r->nests.n, &nest);
    if (status)
        return status;
    if (r->texts)
        return add_text(r, nest);
    status = drop_unbound(r, &request, &nest);
    r->filled = request.filled = !status && plussi_has_filled_unknowns(nest);
    if (!status)
        status = evaluate(r, nest, &request);
    plussi_nest_free(nest);
    return status;
}

static plussi_recording recording_of(plussi_recorded_by by)
{
    return by == PLUSSI_RECORDED_BIND     ? PLUSSI_RECORDING_VALUES
           : by == PLUSSI_RECORDED_SAMPLE ? PLUSSI_RECORDING_SAMPLER
                                          : PLUSSI_RECORDING_ACCESSES;
}

/* What the real runs of a binding load and store that their nest does not have. False: they do not
 * count it. */
static bool add_outside(const run *r, const plussi_recorded_binding *binding, double *outside,
                        double *filled)
{
    for (size_t i = 0; i < binding->n; i++) {
        const plussi_record_block *block = &r->record->block[binding->block[i]];
        if (block->by != PLUSSI_RECORDED_SAMPLE && !block->counted)
            return false;
        *outside += (double)block->outside;
        if (block->n_iterations) /* other runs are taken to be like these */
            *filled += (double)block->filled / (double)block->runs * (double)binding->runs;
    }
    return true;
}

/* Tells what share of its runs' loads and stores each of the new curves of a binding is of. first:
 * the program's coverage has them, too. */
static void cover(run *r, const plussi_recorded_binding *binding, size_t from, bool first)
{
    plussi_coverage all = {.counted = true};
    uint64_t took = 0;
    double filled = 0;
    for (size_t i = 0; i < binding->n; i++)
        took += r->record->block[binding->block[i]].took;
    all.counted = add_outside(r, binding, &all.outside, &filled);
    for (size_t i = from; i < r->result->list.n; i++) {
        plussi_curve *curve = &r->result->list.curve[i];
        double runs = (double)binding->runs;
        plussi_coverage one = all;
        one.covered = curve->mrc.accesses * runs;
        /* they are of the curve */
        one.outside -= r->filled ? filled : curve->site_accesses * runs;
        one.outside = one.outside > 0 ? one.outside : 0;
        curve->counted = one.counted;
        curve->coverage = plussi_coverage_share(&one);
        curve->took_seconds = NANOSECOND * (double)took;
        if (i > from || !first)
            continue;
        r->result->list.coverage.covered += one.covered;
        r->result->list.coverage.outside += one.outside;
        r->sites += curve->site_accesses * runs;
    }
    r->uncovered = r->uncovered || !all.counted;
}

/* The next larger team of those that ran; UINT32_MAX: there is none. */
static uint32_t next_team(const run *r, const plussi_recorded_binding *binding, uint32_t team)
{
    uint32_t next = UINT32_MAX;
    for (size_t i = 0; i < binding->n; i++) {
        const uint32_t ran = r->record->block[binding->block[i]].default_team;
        next = ran > team && ran < next ? ran : next;
    }
    return next;
}

/* Of the teams that really ran. */
static uint32_t largest_team(const plussi_record *record)
{
    uint32_t team = 1;
    for (size_t i = 0; i < record->n_blocks; i++)
        if (record->block[i].by != PLUSSI_RECORDED_SAMPLE && record->block[i].default_team > team)
            team = record->block[i].default_team;
    return team;
}

/* Was it one thread alone that ran it, in a program with teams? */
static bool is_alone(const run *r, const plussi_recorded_binding *binding)
{
    return plussi_record_is_serial(&r->record->block[binding->block[0]]) ||
           (!r->request.n_teams && next_team(r, binding, 1) == UINT32_MAX &&
            largest_team(r->record) > 1);
}

/* A curve of a region is part of all runs' with its team; of one thread alone, of those with any
 * team. What is recorded access by access makes a curve of its own, too. */
static pluss_status add_to_whole(run *r, size_t number, const plussi_recorded_binding *binding,
                                 const plussi_record_block *block)
{
    size_t i = 0;
    const plussi_curve *curve = &r->result->list.curve[number];
    const bool alone = is_alone(r, binding);
    const uint64_t runs = binding->runs;
    if (curve->id.threads_per_cache || curve->id.line_bytes != r->record->line_bytes ||
        r->request.simulate || plussi_has_points(&r->request)) /* a run has one point's curve */
        return PLUSS_OK;
    pluss_status status = plussi_mixed_whole_note(&r->ctx->ctx.mem, &r->mixed,
                                                  (plussi_mixed_part){number, binding, alone});
    if (status || curve->recorded != PLUSSI_RECORDING_ACCESSES)
        return status;
    if (alone)
        return plussi_recorded_whole_add(&r->ctx->ctx, &r->serial, curve, runs, block);
    while (i < r->n_whole && r->whole[i].profile.id.team != curve->id.team)
        i++;
    if (i == r->n_whole) {
        status =
            plussi_grow(&r->ctx->ctx.mem, &r->whole, &r->cap_whole, r->n_whole, sizeof *r->whole);
        if (status)
            return status;
        r->whole[r->n_whole++] = (plussi_recorded_whole){0};
    }
    return plussi_recorded_whole_add(&r->ctx->ctx, &r->whole[i], curve, runs, block);
}

/* The intervals of some lines stood for those of all. */
static pluss_status tell_error(const run *r, const plussi_record_block *block, plussi_curve *curve)
{
    const double accesses = curve->mrc.accesses * (double)block->runs;
    if (!block->passed || r->filled || r->request.simulate || curve->n_error || !(accesses > 0))
        return PLUSS_OK;
    return plussi_curve_set_error(&r->result->list.mem, curve,
                                  fmin((double)block->passed_error / accesses, 1));
}

static pluss_status run_team(run *r, const plussi_recorded_binding *binding, uint32_t team,
                             bool first)
{
    size_t block = plussi_choose_block(&r->request, r->record, binding, team);
    size_t from = r->ctx->ctx.n_diags, n_curves = r->texts ? 0 : r->result->list.n;
    pluss_status status = run_block(r, block, team);
    for (size_t i = n_curves; !r->texts && i < r->result->list.n; i++) {
        r->result->list.curve[i].runs = binding->runs;
        r->result->list.curve[i].recorded = recording_of(r->record->block[block].by);
        r->result->list.curve[i].serial = plussi_record_is_serial(&r->record->block[block]);
        if (!status)
            status = tell_error(r, &r->record->block[block], &r->result->list.curve[i]);
        if (!status)
            status = add_to_whole(r, i, binding, &r->record->block[block]);
    }
    if (!r->texts && r->result->list.n > n_curves)
        cover(r, binding, n_curves, first);
    else if (first && status != PLUSS_EEMPTY)
        r->uncovered = true;
    if (status == PLUSS_EEMPTY)
        drop_empty(&r->ctx->ctx, from);
    r->idle = r->idle || status == PLUSS_EEMPTY;
    return plussi_ffi_note(r->ctx, status == PLUSS_EEMPTY ? PLUSS_OK : status, r->result);
}

static void tell_idle(plussi_ctx *ctx, const plussi_record_block *block)
{
    char values[256] = "";
    for (size_t i = 0, used = 0; i < block->n_symbols && used < sizeof values; i++)
        if (plussi_record_has_value(&block->symbol[i]))
            used += (size_t)snprintf(values + used, sizeof values - used, "%s%s=%lld",
                                     used ? ", " : " with ", block->symbol[i].name,
                                     (long long)block->symbol[i].value);
    plussi_report(ctx, PLUSSI_NOTE, PLUSS_EEMPTY, &(plussi_loc){block->file, block->line, 0},
                  "%s made no access%s", block->region, values);
}

/* Part i of n of what the request was for is what it is for now. */
static void enter_part(run *r, const plussi_ask *whole, size_t i, size_t n, plussi_ask_part *part)
{
    r->request.ask = plussi_ask_of_part(whole, NULL, (double)i / (double)n, 1 / (double)n, part);
}

/* All teams of a binding: those that are asked for, else those that ran, ascending. */
static pluss_status run_teams(run *r, const plussi_recorded_binding *binding)
{
    const plussi_ask whole = r->request.ask;
    plussi_ask_part part;
    pluss_status status = PLUSS_OK;
    size_t n = r->request.n_teams;
    uint32_t team = 0;
    while (!r->request.n_teams && (team = next_team(r, binding, team)) != UINT32_MAX)
        n++;
    team = 0;
    for (size_t i = 0; i < n && !status; i++) {
        team = r->request.n_teams ? r->request.team[i] : next_team(r, binding, team);
        enter_part(r, &whole, i, n, &part);
        status = run_team(r, binding, team, i == 0);
    }
    r->request.ask = whole;
    return status;
}

/* They have no nest, which other engines need. A few accesses are not worth a curve. */
static pluss_status run_serial_parts(run *r, const plussi_recorded_binding *binding)
{
    uint64_t accesses = 0, outside = 0;
    for (size_t i = 0; i < binding->n; i++) {
        const plussi_record_block *block = &r->record->block[binding->block[i]];
        outside += block->outside;
        for (size_t k = 0; k < block->n_threads; k++)
            accesses += block->thread[k].accesses;
    }
    if (!r->texts && !r->request.simulate && accesses >= FEW_ACCESSES)
        return run_team(r, binding, 1, true);
    r->serial_left += (double)outside;
    return PLUSS_OK;
}

static pluss_status run_binding(run *r, const plussi_recorded_binding *binding)
{
    const plussi_record_block *block = r->record->block;
    r->idle = false;
    if (plussi_record_is_serial(&block[binding->block[0]]))
        return run_serial_parts(r, binding);
    if (r->texts) /* the nest is the same for all teams */
        return run_team(r, binding, block[binding->block[0]].default_team, true);
    pluss_status status = run_teams(r, binding);
    if (r->idle)
        tell_idle(&r->ctx->ctx, &block[binding->block[0]]);
    return status;
}

/* ---- the sequence ------------------------------------------------------------------------------
 */

/* All runs as one program. */
static pluss_status evaluate_sequence(run *r)
{
    plussi_ctx *ctx = &r->ctx->ctx;
    plussi_nest *nest = NULL;
    plussi_timelines *timelines = NULL;
    uint32_t team = largest_team(r->record);
    plussi_request request = r->request;
    if (is_rebuilt(r))
        return plussi_pipeline_simulate_touches(ctx, r->record, SIZE_MAX, NULL, NULL, &request,
                                                &r->result->list);
    pluss_status status = plussi_record_program(ctx, r->record, r->nests.nest, r->nests.n, &nest);
    if (status)
        return status;
    if (r->texts)
        return add_text(r, nest);
    if (!request.n_teams) {
        request.team = &team;
        request.n_teams = 1;
    }
    if (is_recorded(&request))
        status = plussi_pipeline_timelines(ctx, r->record, SIZE_MAX, r->nests.nest, r->nests.n,
                                           &timelines);
    request.progress.timelines = timelines;
    if (!status)
        status = evaluate(r, nest, &request);
    plussi_timelines_free(timelines);
    plussi_nest_free(nest);
    return status;
}

/* Below this share of all loads and stores there is no figure of the program. */
#define LEAST_COVERAGE 0.5

/* The nests alone, as one program: of what is recorded without them there is no order, nor of runs
 * with others nested in them, which are at their ends in it. */
static double find_described(const run *r)
{
    if (r->record->around && !is_rebuilt(r))
        return 0;
    plussi_coverage c = r->result->list.coverage;
    c.covered -= r->sites;
    c.outside += r->sites;
    return plussi_coverage_share(&c);
}

/* Of all loads and stores, those that all runs recorded access by access have. */
static double find_recorded(const run *r)
{
    plussi_coverage c = r->result->list.coverage;
    const double all = c.covered + c.outside + c.serial;
    if (!(all > 0))
        return 0;
    if (plussi_has_points(&r->request)) /* of which there is no such curve */
        return r->sites / all;
    return r->n_whole ? r->whole[0].accesses / all : 0;
}

/* The curves of all runs that are recorded access by access. */
static pluss_status add_recorded(run *r, double share)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < r->n_whole && !status; i++) {
        status = plussi_recorded_whole_finish(&r->ctx->ctx, &r->whole[i], &r->result->list);
        if (status)
            break;
        plussi_curve *curve = &r->result->list.curve[r->result->list.n - 1];
        curve->counted = true;
        curve->coverage = share;
    }
    return status;
}

static pluss_status add_serial(run *r)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < r->n_whole && !status; i++)
        status = plussi_recorded_whole_merge(&r->whole[i], &r->serial);
    return status;
}

/* What is described and what is recorded access by access together have a curve, if the record
 * tells the order of their runs, and the curve is of a hundredth more of all loads and stores than
 * the `most` of which one of the two would be, or there are runs inside of others, whose lines only
 * this curve has in order. *added: it has. */
static pluss_status add_mixed(run *r, double most, bool *added)
{
    const plussi_coverage *c = &r->result->list.coverage;
    const double all = c->covered + c->outside + c->serial;
    const double more = r->record->ordered_pieces ? -1e-9 : 0.01; /* sums are rounded */
    const double least = fmax(most + more, LEAST_COVERAGE);
    const size_t before = r->result->list.n;
    if (!c->counted || r->request.together || !r->record->ordered_runs ||
        plussi_coverage_share(c) < least)
        return PLUSS_OK;
    pluss_status status =
        plussi_mixed_whole_add(&r->ctx->ctx, r->record, r->nests.nest, r->nests.n, &r->request,
                               &r->mixed, least * all, &r->result->list);
    *added = r->result->list.n > before;
    for (size_t i = before; i < r->result->list.n; i++) {
        plussi_curve *curve = &r->result->list.curve[i];
        curve->counted = true;
        curve->coverage = curve->mrc.accesses / all;
    }
    return status;
}

/* Of what is recorded in order there is a curve of one point at a time. */
static bool tell_points(const run *r)
{
    const bool left = plussi_has_points(&r->request) && r->result->list.coverage.counted &&
                      !r->request.together && !is_rebuilt(r) &&
                      (r->record->ordered_runs || r->sites > 0);
    if (left)
        plussi_report(&r->ctx->ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, NULL,
                      "the curve of all runs, however they are recorded, is left out: it is of one "
                      "schedule and one value of each symbol at a time");
    return left;
}

/* One run of a region and what is around it. */
static pluss_status run_one_in_whole(run *r)
{
    bool missing = false, added = false;
    pluss_status status = add_serial(r);
    if (tell_points(r))
        return status;
    if (!status)
        status = add_mixed(r, find_recorded(r), &added);
    if (status || added)
        return status;
    for (size_t i = 0; i < r->n_whole; i++)
        missing = missing || r->whole[i].missing;
    const double recorded = find_recorded(r);
    return status || missing || recorded < LEAST_COVERAGE || !r->result->list.coverage.counted
               ? status
               : add_recorded(r, recorded);
}

/* Whether the figure of the program is that of the nests in order. If not there may be one of what
 * is recorded access by access: the one that stands for more. */
static bool is_covered(run *r, double share, pluss_status *status)
{
    const bool told = tell_points(r);
    if (!r->result->list.coverage.counted || r->request.together)
        return true;
    const double recorded = find_recorded(r);
    bool missing = false;
    for (size_t i = 0; i < r->n_whole; i++)
        missing = missing || r->whole[i].missing;
    if (share >= LEAST_COVERAGE && (missing || share >= recorded))
        return true;
    if (recorded >= LEAST_COVERAGE && !missing)
        *status = add_recorded(r, recorded);
    else if (told)
        return false;
    else if (r->record->around)
        plussi_report(&r->ctx->ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, NULL,
                      "the sequence of all runs is left out: other runs are nested in %llu, whose "
                      "accesses are not recorded in order",
                      (unsigned long long)r->record->around);
    else
        plussi_report(&r->ctx->ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, NULL,
                      "the sequence of all runs is left out: of the program's loads and stores "
                      "%.1f %% are described, and %.1f %% recorded access by access%s",
                      100 * share, 100 * recorded,
                      missing ? ", without what is between the runs" : "");
    return false;
}

/* What was wrong with the sequence of nests is no error where there is another curve. */
static void warn_instead(plussi_ctx *ctx, size_t from)
{
    for (size_t i = from; i < ctx->n_diags; i++)
        if (ctx->diags[i].severity == PLUSSI_ERROR)
            ctx->diags[i].severity = PLUSSI_WARNING;
}

/* Where the sequence has no curve it is told, and the regions on their own still have theirs. */
static pluss_status run_sequence(run *r)
{
    size_t from = r->ctx->ctx.n_diags, n_curves = r->texts ? 0 : r->result->list.n;
    const double share = r->texts ? 1 : find_described(r);
    bool added = false;
    pluss_status status = add_serial(r);
    if (!status && !r->texts)
        status = add_mixed(r, fmax(share, find_recorded(r)), &added);
    if (status || added)
        return status;
    if (!r->texts && !is_covered(r, share, &status))
        return status;
    if (r->record->around && !r->texts && !is_rebuilt(r))
        plussi_report(&r->ctx->ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, NULL,
                      "other runs are nested in %llu of the runs, and come before them here",
                      (unsigned long long)r->record->around);
    status = evaluate_sequence(r);
    for (size_t i = n_curves; !r->texts && i < r->result->list.n; i++) {
        r->result->list.curve[i].counted = r->result->list.coverage.counted;
        r->result->list.curve[i].coverage = share;
    }
    if (status == PLUSS_EEMPTY) {
        drop_empty(&r->ctx->ctx, from);
        return PLUSS_OK;
    }
    if (status == PLUSS_ECANCELLED || status == PLUSS_ENOMEM)
        return status;
    if (status && !r->texts) { /* run by run there may be a curve */
        const pluss_status without = add_mixed(r, find_recorded(r), &added);
        if (without)
            return without;
    }
    if (added) {
        warn_instead(&r->ctx->ctx, from);
        status = PLUSS_OK;
    }
    if (status)
        plussi_report(&r->ctx->ctx, PLUSSI_ERROR, status, NULL,
                      "the sequence of all runs is left out");
    (void)plussi_ffi_leave_part(r->ctx, PLUSS_OK);
    if (r->request.together && status)
        r->result->missing = status;
    return PLUSS_OK;
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static pluss_status check_regions(plussi_ctx *ctx, const plussi_request *request,
                                  const plussi_record *record)
{
    for (size_t r = 0; r < request->n_regions; r++) {
        bool found = false;
        for (size_t i = 0; i < record->n_blocks && !found; i++)
            found = strcmp(record->block[i].region, request->region[r]) == 0;
        if (!found)
            return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "no region '%s' is in the record",
                               request->region[r]);
    }
    return PLUSS_OK;
}

static void tell_losses(plussi_ctx *ctx, const plussi_record *record)
{
    if (record->lost_runs)
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_ENOMEM, NULL,
                      "%llu runs are not in the record: no memory was left",
                      (unsigned long long)record->lost_runs);
    if (record->sequence_lost)
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_ELIMIT, NULL,
                      "the sequence of runs is too long: %llu at its end are missing",
                      (unsigned long long)record->sequence_lost);
    uint64_t lost = 0; /* of neighbouring blocks of a region together */
    for (size_t i = 0; i < record->n_blocks; i++) {
        const plussi_record_block *b = &record->block[i];
        lost += b->lost;
        for (size_t k = 0; k < b->n_threads; k++)
            lost += b->thread[k].lost;
        bool last = i + 1 == record->n_blocks || strcmp(b[1].region, b->region) != 0;
        if (lost && last)
            plussi_report(ctx, PLUSSI_WARNING, PLUSS_ELIMIT, NULL,
                          "%llu accesses of %s could not be recorded", (unsigned long long)lost,
                          b->region);
        lost = last ? 0 : lost;
    }
}

/* Whether there is a sequence: of one run there is none. */
static bool has_sequence(const run *r, uint64_t runs)
{
    return r->request.together || (runs > 1 && !r->request.n_regions && !r->request.as_recorded);
}

/* A long one is asked for by name. */
static bool is_long(const run *r)
{
    return !r->request.together && r->record->n_blocks > MOST_BLOCKS;
}

static bool wants_sequence(run *r, uint64_t runs)
{
    if (!has_sequence(r, runs) || !is_long(r))
        return has_sequence(r, runs);
    plussi_report(&r->ctx->ctx, PLUSSI_WARNING, PLUSS_ELIMIT, NULL,
                  "the sequence of all runs, of %zu kinds, is left out: together asks for it",
                  r->record->n_blocks);
    return false;
}

/* Regions in which not all lines were followed once they had made enough accesses. Bindings of a
 * region are in a row. */
static void tell_cuts(plussi_ctx *ctx, const plussi_record *record,
                      const plussi_recorded_bindings *bindings)
{
    uint64_t followed = 0, error = 0, one_in = 0, all = 0;
    for (size_t i = 0; i < bindings->n; i++) {
        const plussi_recorded_binding *binding = &bindings->binding[i];
        const plussi_record_block *b = &record->block[binding->block[0]], *next = NULL;
        for (size_t k = 0; k < binding->n; k++) {
            const plussi_record_block *c = &record->block[binding->block[k]];
            for (size_t t = 0; t < c->n_threads; t++)
                all += c->thread[t].accesses;
            followed += c->passed;
            error += c->passed_error;
            one_in = c->one_in > one_in ? c->one_in : one_in;
        }
        if (i + 1 < bindings->n)
            next = &record->block[binding[1].block[0]];
        if (next && next->line == b->line && plussi_same_text(next->region, b->region) &&
            plussi_same_text(next->file, b->file))
            continue;
        if (followed && all)
            plussi_report(
                ctx, PLUSSI_NOTE, PLUSS_ELIMIT, &(plussi_loc){b->file, b->line, 0},
                "%s: of %.1f %% of its accesses the reuse intervals are those of one line "
                "in %llu, standard error %.2f points (PLUSS_RECORD_ACCESSES)",
                b->region, 100 * (double)followed / (double)all, (unsigned long long)one_in,
                100 * (double)error / (double)all);
        followed = error = one_in = all = 0;
    }
}

static pluss_status run_record(run *r, uint64_t runs)
{
    plussi_recorded_bindings bindings = {0};
    plussi_ctx *ctx = &r->ctx->ctx;
    pluss_status status = check_regions(ctx, &r->request, r->record);
    if (status)
        return status;
    tell_losses(ctx, r->record);
    if (!r->request.together)
        status = plussi_find_bindings(ctx, &r->request, r->record, &bindings);
    if (!status)
        tell_cuts(ctx, r->record, &bindings);
    const plussi_ask whole = r->request.ask;
    plussi_ask_part part;
    const size_t n = bindings.n + (has_sequence(r, runs) && !is_long(r));
    for (size_t i = 0; i < bindings.n && !status; i++) {
        enter_part(r, &whole, i, n, &part);
        status = run_binding(r, &bindings.binding[i]);
    }
    if (!r->texts) {
        r->result->list.coverage.counted =
            r->record->counted && bindings.n && !r->uncovered && !r->request.n_regions;
        r->result->list.coverage.serial = (double)r->record->serial + r->serial_left;
        r->result->list.coverage.took_seconds = NANOSECOND * (double)r->record->took;
        r->result->list.coverage.serial_seconds = NANOSECOND * (double)r->record->took_serial;
    }
    bool made = r->texts || r->result->list.n || r->result->missing || r->request.together;
    if (n > 0)
        enter_part(r, &whole, n - 1, n, &part);
    if (!status && made && wants_sequence(r, runs))
        status = run_sequence(r);
    else if (!status && made && runs == 1 && r->serial.runs && !r->request.n_regions &&
             !r->request.as_recorded)
        status = run_one_in_whole(r);
    r->request.ask = whole;
    plussi_free_bindings(&ctx->mem, &bindings);
    if (!status && !r->texts && !r->result->list.n && !r->result->missing)
        status = plussi_fail(ctx, PLUSS_EEMPTY, NULL, "no region made an access");
    return status;
}

/* Progress of a walked run is that of its time stamps, where it has some. */
static pluss_status look_for_stamps(run *r, const pluss_record *record)
{
    pluss_trace_info trace = {.size = sizeof trace};
    r->timed = is_recorded(&r->request);
    if (!r->timed || !r->request.simulate)
        return PLUSS_OK;
    pluss_status status = pluss_record_get_trace(r->ctx, record, &trace);
    r->told = status != PLUSS_OK;
    r->timed = trace.timed_runs > 0;
    return status;
}

static pluss_status begin(run *r, const pluss_record *record, const pluss_nest *const *nests,
                          size_t n, const pluss_options *options)
{
    plussi_ffi_request(r->ctx, options, &r->request);
    if (!options || !options->request.n_teams)
        r->request.n_teams = 0;
    r->record = record->record;
    r->given = nests;
    r->n_given = n;
    pluss_status status = plussi_ffi_result(r->ctx, &r->result);
    if (!status)
        status = look_for_stamps(r, record);
    if (!status && !is_rebuilt(r))
        status = plussi_ffi_take_nests(r->ctx, r->record, nests, n, &r->nests, &r->told);
    return status;
}

pluss_status pluss_record_run(pluss_context *ctx, const pluss_record *record,
                              const pluss_nest *const *nests, size_t n,
                              const pluss_options *options, pluss_result **out)
{
    run r = {.ctx = ctx};
    pluss_record_info info = {.size = sizeof info};
    if (!ctx)
        return PLUSS_EINVAL;
    if (!record || (n && !nests) || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = begin(&r, record, nests, n, options);
    if (!status)
        status = pluss_record_get_info(record, &info);
    if (!status)
        status = run_record(&r, info.runs);
    plussi_ffi_drop_nests(ctx, &r.nests);
    for (size_t i = 0; i < r.n_whole; i++)
        plussi_recorded_whole_free(&r.whole[i]);
    plussi_recorded_whole_free(&r.serial);
    plussi_mixed_whole_free(&ctx->ctx.mem, &r.mixed);
    plussi_free(&ctx->ctx.mem, r.whole);
    return plussi_ffi_give_result(ctx, status, r.told, r.result, out);
}

pluss_status pluss_record_nests(pluss_context *ctx, const pluss_record *record,
                                const pluss_nest *const *nests, size_t n,
                                const pluss_options *options, pluss_nests **out)
{
    run r = {.ctx = ctx};
    pluss_record_info info = {.size = sizeof info};
    if (!ctx)
        return PLUSS_EINVAL;
    if (!record || (n && !nests) || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    r.texts = plussi_calloc(&ctx->ctx.mem, 1, sizeof *r.texts);
    if (!r.texts)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    r.texts->mem = ctx->ctx.mem;
    pluss_status status = begin(&r, record, nests, n, options);
    if (!status)
        status = pluss_record_get_info(record, &info);
    if (!status)
        status = run_record(&r, info.runs);
    if (!status)
        r.texts->missing = r.result->missing;
    if (!status && !r.texts->n) {
        status = r.texts->missing;
        r.told = true;
    }
    plussi_ffi_drop_nests(ctx, &r.nests);
    pluss_result_free(r.result);
    if (status)
        pluss_nests_free(r.texts);
    else
        *out = r.texts;
    return r.told ? status : plussi_ffi_leave(ctx, status);
}
