/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The machine file: caches, and what calibrations found.
 */
#include "ffi.h"

#include <stdio.h>
#include <string.h>

/* ---- caches of a machine -----------------------------------------------------------------------
 */

pluss_status plussi_ffi_take_machine(plussi_ctx *ctx, const pluss_machine_info *given,
                                     pluss_machine_info *out)
{
    pluss_status status = plussi_ffi_take(ctx, out, sizeof *out, given);
    bool good = !out->n_caches || out->caches;
    for (size_t i = 0; i < out->n_caches && good; i++)
        good = out->caches[i].name && (unsigned)out->caches[i].type <= PLUSS_CACHE_INSTRUCTION;
    return status || good
               ? status
               : plussi_fail(ctx, PLUSS_EINVAL, NULL, "a cache has no name, or no such type");
}

static uint64_t count_processors(const pluss_machine_cache *c)
{
    return (uint64_t)c->shared_by * c->count;
}

/* Of the lowest level above this one, the caches that most processors have; NULL: none is left. */
static const pluss_machine_cache *find_level(const pluss_machine_info *m, uint32_t above)
{
    const pluss_machine_cache *best = NULL;
    for (size_t i = 0; i < m->n_caches; i++) {
        const pluss_machine_cache *c = &m->caches[i];
        if (c->type == PLUSS_CACHE_INSTRUCTION || c->level <= above || c->bytes < c->line_bytes)
            continue;
        if (!best || c->level < best->level ||
            (c->level == best->level && count_processors(c) > count_processors(best)))
            best = c;
    }
    return best;
}

/* Of a cache whose size is no multiple of its ways these are not known. */
static void add_level(const pluss_machine_cache *c, plussi_machine_caches *out)
{
    plussi_hierarchy *h = &out->hierarchy;
    plussi_cache_level *l = &h->level[h->n];
    const uint32_t before = h->n ? l[-1].threads_per_cache : 1;
    const uint32_t shared_by = c->shared_by ? c->shared_by : 1;
    bool whole = c->ways > 0 && c->bytes % ((uint64_t)c->ways * h->line_bytes) == 0;
    snprintf(l->name, sizeof l->name, "%s", c->name);
    l->bytes = c->bytes / h->line_bytes * h->line_bytes;
    l->ways = whole ? (uint32_t)c->ways : 0;
    l->ways_from = whole || c->ways < 0 ? PLUSSI_WAYS_GIVEN : PLUSSI_WAYS_UNKNOWN;
    l->threads_per_cache = (shared_by + before - 1) / before * before;
    out->count[h->n++] = c->count;
}

void plussi_ffi_levels(const pluss_machine_info *machine, plussi_machine_caches *out)
{
    const pluss_machine_cache *c = find_level(machine, 0);
    *out = (plussi_machine_caches){.cores = machine->cores, .processors = machine->processors};
    out->hierarchy.line_bytes = c && c->line_bytes ? c->line_bytes : 64;
    for (; c && out->hierarchy.n < PLUSSI_LEVELS_MOST; c = find_level(machine, c->level))
        add_level(c, out);
    char text[128];
    size_t level;
    if (plussi_hierarchy_fault(&out->hierarchy, &level, text))
        out->hierarchy.n = 0;
}

/* ---- files -------------------------------------------------------------------------------------
 */

static pluss_status give(plussi_ctx *ctx, plussi_machine_file *inner, pluss_machine_file **out)
{
    pluss_machine_file *file = plussi_calloc(&ctx->mem, 1, sizeof *file);
    if (!file) {
        plussi_machine_file_free(inner);
        return PLUSS_ENOMEM;
    }
    file->file = inner;
    *out = file;
    return PLUSS_OK;
}

pluss_status pluss_machine_file_read(pluss_context *ctx, const char *path, pluss_machine_file **out)
{
    plussi_machine_file *inner = NULL;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = path ? plussi_machine_file_read(&ctx->ctx, path, &inner)
                               : plussi_machine_file_new(&ctx->ctx, &inner);
    return plussi_ffi_leave(ctx, status ? status : give(&ctx->ctx, inner, out));
}

void pluss_machine_file_free(pluss_machine_file *file)
{
    if (!file)
        return;
    plussi_mem mem = file->file->arena.mem;
    plussi_machine_file_free(file->file);
    plussi_free(&mem, file);
}

/* Of the whole file; NULL keeps what there is. false: no memory. */
static bool set_text(plussi_machine_file *file, const char **at, const char *text)
{
    if (text)
        *at = plussi_arena_strndup(&file->arena, text, strlen(text));
    return !text || *at;
}

pluss_status pluss_machine_file_put(pluss_context *ctx, pluss_machine_file *file,
                                    const pluss_calibration *calibration,
                                    const pluss_calibrated_by *by)
{
    pluss_calibrated_by how;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!file || !calibration || !calibration->progress)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = plussi_ffi_take(&ctx->ctx, &how, sizeof how, by);
    bool fits = how.slice_ns >= PLUSSI_SLICE_LEAST && how.slice_ns <= PLUSSI_SLICE_MOST;
    if (!status && how.slice_ns != 0 && !fits)
        status = plussi_fail(&ctx->ctx, PLUSS_ERANGE, NULL, "a slice of %g ns", how.slice_ns);
    if (!status)
        status = plussi_calibrator_put(&calibration->all, how.command, how.date, file->file);
    if (!status && !(set_text(file->file, &file->file->date, how.date) &&
                     set_text(file->file, &file->file->processor, how.processor)))
        status = PLUSS_ENOMEM;
    if (!status && how.slice_ns > 0)
        file->file->slice = how.slice_ns;
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_machine_file_put_caches(pluss_context *ctx, pluss_machine_file *file,
                                           const pluss_machine_info *machine)
{
    pluss_machine_info m;
    plussi_machine_caches caches;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!file || !machine)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = plussi_ffi_take_machine(&ctx->ctx, machine, &m);
    if (!status) {
        plussi_ffi_levels(&m, &caches);
        if (!caches.hierarchy.n)
            status = plussi_fail(&ctx->ctx, PLUSS_EINVAL, NULL, "no cache holds data");
        else if (!set_text(file->file, &file->file->processor, m.cpu))
            status = PLUSS_ENOMEM;
    }
    if (!status)
        file->file->caches = caches;
    return plussi_ffi_leave(ctx, status);
}

/* ---- costs -------------------------------------------------------------------------------------
 */

static bool take_measured(const pluss_measured *given, plussi_measured *out)
{
    *out = (plussi_measured){given->value, given->spread};
    return given->value >= 0 && given->value <= PLUSSI_CYCLES_MOST && given->spread >= 0 &&
           given->spread <= PLUSSI_CYCLES_MOST;
}

static pluss_status take_operations(plussi_ctx *ctx, const pluss_machine_costs *given,
                                    plussi_machine_costs *out)
{
    bool there[PLUSSI_N_OPERATIONS] = {false};
    for (size_t i = 0; i < given->n_operations; i++) {
        const pluss_operation_cost *o = &given->operations[i];
        int g = 0;
        while (g < PLUSSI_N_OPERATIONS &&
               !(o->group && strcmp(o->group, plussi_operation_name((plussi_operation)g)) == 0))
            g++;
        if (g == PLUSSI_N_OPERATIONS || there[g])
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "operation %zu: %s", i,
                               g == PLUSSI_N_OPERATIONS ? "no such group" : "a group given twice");
        there[g] = true;
        if (!take_measured(&o->cycles, &out->operation[g]) ||
            !take_measured(&o->latency, &out->latency[g]))
            return plussi_fail(ctx, PLUSS_ERANGE, NULL, "operation %s: not a cost", o->group);
    }
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        if (!there[g])
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "operation %s is missing",
                               plussi_operation_name((plussi_operation)g));
    return PLUSS_OK;
}

static pluss_status take_lines(plussi_ctx *ctx, const pluss_machine_costs *given,
                               const plussi_hierarchy *h, plussi_machine_costs *out)
{
    const size_t n = given->n_levels;
    if (n < 2 || n > PLUSSI_SERVERS_MOST || (h->n && h->n + 1 != n))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%zu levels with memory", n);
    for (size_t i = 0; i < n; i++) {
        const pluss_line_cost *l = &given->levels[i];
        plussi_server_cost *s = &out->server[out->n++];
        const char *expected = i + 1 == n ? "memory" : h->n ? h->level[i].name : l->name;
        if (!l->name || !*l->name || strcmp(l->name, expected) != 0 ||
            strlen(l->name) >= sizeof s->name)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "level %zu has another name", i);
        strcpy(s->name, l->name);
        if (!take_measured(&l->latency, &s->latency) ||
            !take_measured(&l->stream, &s->line[PLUSSI_PATTERN_STREAM]) ||
            !take_measured(&l->strided, &s->line[PLUSSI_PATTERN_STRIDED]) ||
            !take_measured(&l->scattered, &s->line[PLUSSI_PATTERN_SCATTERED]) ||
            !take_measured(&l->shared, &s->shared) || !take_measured(&l->written, &s->written))
            return plussi_fail(ctx, PLUSS_ERANGE, NULL, "level %s: not a cost", l->name);
        s->held = l->held != 0 ? l->held : 1;
        if (!(s->held >= PLUSSI_HELD_LEAST && s->held <= 1))
            return plussi_fail(ctx, PLUSS_ERANGE, NULL, "level %s: a part of %g", l->name, l->held);
    }
    return PLUSS_OK;
}

static pluss_status take_pages(plussi_ctx *ctx, const pluss_machine_costs *given,
                               plussi_machine_costs *out)
{
    const uint32_t bytes = given->page_bytes;
    if (given->n_pages > PLUSSI_PAGE_STEPS_MOST)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%zu steps of pages", given->n_pages);
    if (given->n_pages && (!bytes || bytes > PLUSSI_PAGE_MOST || (bytes & (bytes - 1))))
        return plussi_fail(ctx, PLUSS_ERANGE, NULL, "pages of %u bytes", bytes);
    for (size_t i = 0; i < given->n_pages; i++) {
        plussi_page_step *s = &out->page_step[i];
        s->reach = given->pages[i].reach;
        if (!take_measured(&given->pages[i].cycles, &s->cycles))
            return plussi_fail(ctx, PLUSS_ERANGE, NULL, "step %zu of pages: not a cost", i);
        if (!s->reach || (i && (s->reach <= s[-1].reach || s->cycles.value < s[-1].cycles.value)))
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "step %zu of pages does not grow", i);
    }
    out->n_page_steps = given->n_pages;
    out->page_bytes = given->n_pages ? bytes : 0;
    return PLUSS_OK;
}

static pluss_status take_teams(plussi_ctx *ctx, const pluss_machine_costs *given,
                               plussi_machine_costs *out)
{
    if (given->n_teams > PLUSSI_TEAM_COSTS_MOST)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "costs of %zu teams", given->n_teams);
    for (size_t i = 0; i < given->n_teams; i++) {
        plussi_team_cost *t = &out->team_cost[i];
        t->threads = given->teams[i].threads;
        if (!take_measured(&given->teams[i].start, &t->start) ||
            !take_measured(&given->teams[i].barrier, &t->barrier))
            return plussi_fail(ctx, PLUSS_ERANGE, NULL, "team %zu: not a cost", i);
        if (!t->threads || (i && t->threads <= t[-1].threads))
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "team %zu: the teams' threads do not grow",
                               i);
    }
    out->n_team_costs = given->n_teams;
    return PLUSS_OK;
}

static pluss_status take_bursts(plussi_ctx *ctx, const pluss_machine_costs *given,
                                plussi_machine_costs *out)
{
    for (size_t i = 0; i < given->n_bursts; i++) {
        const pluss_burst_cost *g = &given->bursts[i];
        plussi_server_cost *s = g->level < out->n ? &out->server[g->level] : NULL;
        if (!s || s->n_bursts == PLUSSI_BURSTS_MOST || !g->lines ||
            (s->n_bursts && g->lines <= s->burst[s->n_bursts - 1].lines))
            return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                               "burst %zu: no such level, too many, or they do not grow", i);
        plussi_burst_cost *b = &s->burst[s->n_bursts++];
        b->lines = g->lines;
        if (!take_measured(&g->cycles, &b->cycles))
            return plussi_fail(ctx, PLUSS_ERANGE, NULL, "burst %zu: not a cost", i);
    }
    return PLUSS_OK;
}

static pluss_status take_transfer(plussi_ctx *ctx, const pluss_machine_costs *given,
                                  plussi_machine_costs *out)
{
    const pluss_transfer_cost *g = &given->transfer;
    plussi_transfer_cost *t = &out->transfer;
    if (take_measured(&g->latency, &t->latency) &&
        take_measured(&g->stream, &t->line[PLUSSI_PATTERN_STREAM]) &&
        take_measured(&g->strided, &t->line[PLUSSI_PATTERN_STRIDED]) &&
        take_measured(&g->scattered, &t->line[PLUSSI_PATTERN_SCATTERED]) &&
        take_measured(&g->upgrade, &t->upgrade))
        return PLUSS_OK;
    return plussi_fail(ctx, PLUSS_ERANGE, NULL, "transfer: not a cost");
}

pluss_status pluss_machine_file_put_costs(pluss_context *ctx, pluss_machine_file *file,
                                          const pluss_machine_costs *costs)
{
    pluss_machine_costs given;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!file || !costs)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_status status = plussi_ffi_take(&ctx->ctx, &given, sizeof given, costs);
    plussi_machine_costs taken = {
        .cycle_ns = given.cycle_ns, .window = given.window, .serial = given.serial};
    if (!status && ((given.n_operations && !given.operations) ||
                    (given.n_levels && !given.levels) || (given.n_pages && !given.pages) ||
                    (given.n_teams && !given.teams) || (given.n_bursts && !given.bursts)))
        status = PLUSS_EINVAL;
    if (!status && !(given.cycle_ns >= PLUSSI_CYCLE_LEAST && given.cycle_ns <= PLUSSI_CYCLE_MOST))
        status = plussi_fail(&ctx->ctx, PLUSS_ERANGE, NULL, "a cycle of %g ns", given.cycle_ns);
    if (!status && !(given.window >= 0 && given.window <= PLUSSI_CYCLES_MOST))
        status =
            plussi_fail(&ctx->ctx, PLUSS_ERANGE, NULL, "a window of %g operations", given.window);
    if (!status && !(given.serial >= 0 && given.serial <= 1))
        status = plussi_fail(&ctx->ctx, PLUSS_ERANGE, NULL, "a serial part of %g", given.serial);
    if (!status && !take_measured(&given.issue, &taken.issue))
        status = plussi_fail(&ctx->ctx, PLUSS_ERANGE, NULL, "issue: not a cost");
    if (!status)
        status = take_operations(&ctx->ctx, &given, &taken);
    if (!status)
        status = take_lines(&ctx->ctx, &given, &file->file->caches.hierarchy, &taken);
    if (!status)
        status = take_pages(&ctx->ctx, &given, &taken);
    if (!status)
        status = take_teams(&ctx->ctx, &given, &taken);
    if (!status)
        status = take_bursts(&ctx->ctx, &given, &taken);
    if (!status)
        status = take_transfer(&ctx->ctx, &given, &taken);
    if (!status)
        file->file->costs = taken;
    return plussi_ffi_leave(ctx, status);
}

pluss_status pluss_machine_file_get_level(const pluss_machine_file *file, size_t i,
                                          pluss_cache *out)
{
    if (!file || !out)
        return PLUSS_EINVAL;
    const plussi_hierarchy *h = &file->file->caches.hierarchy;
    if (i >= h->n)
        return PLUSS_ENOTFOUND;
    *out = (pluss_cache){h->level[i].bytes, h->level[i].name, h->level[i].threads_per_cache};
    return PLUSS_OK;
}

static const char no_levels[] = "the machine file has no levels of caches";

pluss_status pluss_machine_file_report(pluss_context *ctx, const pluss_machine_file *file,
                                       pluss_report **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!file || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    const plussi_machine_caches *caches = &file->file->caches;
    if (!caches->hierarchy.n && !file->file->costs.n)
        return plussi_ffi_leave(ctx, plussi_fail(&ctx->ctx, PLUSS_EEMPTY, NULL, "%s", no_levels));
    pluss_report *report = plussi_ffi_report(ctx);
    if (!report)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    plussi_ffi_report_processors(report->document.root, file->file->processor, caches->cores,
                                 caches->processors);
    plussi_report_machine_levels(caches, &report->document);
    plussi_report_machine_costs(&file->file->costs, &report->document);
    return plussi_ffi_give_report(ctx, report, out);
}

pluss_status pluss_options_set_levels(pluss_context *ctx, pluss_options *options,
                                      const pluss_machine_file *file)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!options)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    if (file && !file->file->caches.hierarchy.n)
        return plussi_ffi_leave(ctx, plussi_fail(&ctx->ctx, PLUSS_EEMPTY, NULL, "%s", no_levels));
    options->request.levels = file ? file->file->caches : (plussi_machine_caches){0};
    options->request.ways.ways.n = 0;
    options->request.machine_levels = options->request.levels_asked_for = false;
    return PLUSS_OK;
}

/* The hierarchy that the options ask for as it was described; NULL: none. */
static const plussi_hierarchy *described_levels(const plussi_request *request)
{
    if (!request->machine_levels)
        return &request->levels.hierarchy;
    return request->machine ? &request->machine->caches.hierarchy : NULL;
}

int pluss_options_lack_ways(const pluss_options *options)
{
    const plussi_hierarchy *h = options ? described_levels(&options->request) : NULL;
    const plussi_machine_file *machine = options ? options->request.machine : NULL;
    for (size_t i = 0; h && i < h->n; i++) {
        const plussi_cache_level *l = &h->level[i];
        if (l->ways_from == PLUSSI_WAYS_UNKNOWN &&
            !(machine && plussi_hierarchy_find_ways(&machine->caches.hierarchy, l->name)) &&
            !plussi_hierarchy_find_ways(&options->request.known_ways, l->name))
            return 1;
    }
    return 0;
}

pluss_status pluss_options_add_ways(pluss_context *ctx, pluss_options *options,
                                    const pluss_machine_file *file)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!options || !file)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    const plussi_hierarchy *from = &file->file->caches.hierarchy;
    plussi_hierarchy *to = &options->request.known_ways;
    for (size_t i = 0; i < from->n && to->n < PLUSSI_LEVELS_MOST; i++)
        if (from->level[i].ways_from != PLUSSI_WAYS_UNKNOWN &&
            !plussi_hierarchy_find_ways(to, from->level[i].name))
            to->level[to->n++] = from->level[i];
    return PLUSS_OK;
}

pluss_status pluss_machine_file_get_info(const pluss_machine_file *file,
                                         pluss_machine_file_info *out)
{
    if (!file || !out)
        return PLUSS_EINVAL;
    const plussi_machine_file *f = file->file;
    pluss_machine_file_info info = {.size = sizeof info,
                                    .n_regions = f->n_regions,
                                    .sigma = f->all.sigma,
                                    .skew = f->all.skew,
                                    .slice_ns = f->slice,
                                    .n_levels = f->caches.hierarchy.n,
                                    .line_bytes = f->caches.hierarchy.line_bytes,
                                    .cores = f->caches.cores,
                                    .processors = f->caches.processors};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_machine_file_write(pluss_context *ctx, const pluss_machine_file *file,
                                      pluss_write_fn write, void *user)
{
    plussi_sink sink;
    if (!ctx)
        return PLUSS_EINVAL;
    if (!file || !write)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    plussi_sink_init(&sink, write, user);
    return plussi_ffi_leave(ctx, plussi_machine_file_write(&ctx->ctx, file->file, &sink));
}
