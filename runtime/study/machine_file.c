/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/machine_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pluss_status plussi_machine_file_new(plussi_ctx *ctx, plussi_machine_file **out)
{
    plussi_machine_file *file = plussi_calloc(&ctx->mem, 1, sizeof *file);
    if (!file)
        return PLUSS_ENOMEM;
    plussi_arena_init(&file->arena, &ctx->mem);
    *out = file;
    return PLUSS_OK;
}

void plussi_machine_file_free(plussi_machine_file *file)
{
    if (!file)
        return;
    plussi_mem mem = file->arena.mem;
    plussi_arena_free(&file->arena);
    plussi_free(&mem, file);
}

/* ---- regions ----------------------------------------------------------------------------------
 */

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

const plussi_calibrated_region *plussi_machine_file_find(const plussi_machine_file *file,
                                                         const char *region, const char *source,
                                                         uint32_t team)
{
    for (size_t i = 0; i < file->n_regions; i++) {
        const plussi_calibrated_region *c = &file->region[i];
        if (c->team == team && same_text(c->region, region) && same_text(c->file, source))
            return c;
    }
    return NULL;
}

static double times_apart(uint32_t a, uint32_t b)
{
    return a > b ? (double)a / b : (double)b / a;
}

const plussi_calibrated_region *plussi_machine_file_nearest(const plussi_machine_file *file,
                                                            const char *region, const char *source,
                                                            uint32_t team)
{
    const plussi_calibrated_region *best = NULL;
    for (size_t i = 0; i < file->n_regions; i++) {
        const plussi_calibrated_region *c = &file->region[i];
        if (!(c->all.access > 0) || !same_text(c->region, region) || !same_text(c->file, source))
            continue;
        double nearer = best ? times_apart(best->team, team) - times_apart(c->team, team) : 1;
        if (nearer > 0 || (!(nearer < 0) && c->team < best->team))
            best = c;
    }
    return best;
}

/* Each region counts by its runs: squares and logarithms are averaged, stalls as they are. */
static plussi_machine_rates average(const plussi_machine_file *file)
{
    plussi_machine_rates t = {0};
    double runs = 0, late = 0, lost = 0, timed = 0;
    for (size_t i = 0; i < file->n_regions; i++) {
        const plussi_calibrated_region *c = &file->region[i];
        double n = (double)(c->runs - c->discarded);
        runs += n;
        t.sigma += n * c->all.sigma * c->all.sigma;
        t.stall_rate += n * c->all.stall_rate;
        lost += n * c->all.stall_rate * c->all.stall;
        if (c->all.skew > 0) {
            late += n;
            t.skew += n * log(c->all.skew);
            t.skew_spread += n * c->all.skew_spread * c->all.skew_spread;
        }
        if (c->all.access > 0) {
            timed += n;
            t.access += n * log(c->all.access);
        }
    }
    if (runs > 0) {
        t.sigma = sqrt(t.sigma / runs);
        t.stall = t.stall_rate > 0 ? lost / t.stall_rate : 0;
        t.stall_rate /= runs;
    }
    if (late > 0) {
        t.skew = exp(t.skew / late);
        t.skew_spread = sqrt(t.skew_spread / late);
    }
    if (timed > 0)
        t.access = exp(t.access / timed);
    return t;
}

static const double *copy_numbers(plussi_arena *arena, const double *list, size_t n)
{
    double *copy = plussi_arena_alloc(arena, n + 1, sizeof *copy);
    return copy ? memcpy(copy, list, n * sizeof *copy) : NULL;
}

/* false: no memory. */
static bool copy_text(plussi_arena *arena, const char **text)
{
    if (*text)
        *text = plussi_arena_strndup(arena, *text, strlen(*text));
    else
        return true;
    return *text != NULL;
}

static bool copy_region(plussi_arena *arena, plussi_calibrated_region *c)
{
    plussi_loop_rates *loop = plussi_arena_alloc(arena, c->n_loops + 1, sizeof *loop);
    bool good = loop && copy_text(arena, &c->region) && copy_text(arena, &c->file) &&
                copy_text(arena, &c->command) && copy_text(arena, &c->date) &&
                (c->rate = copy_numbers(arena, c->rate, c->team)) != NULL;
    for (size_t i = 0; i < c->n_loops && good; i++) {
        loop[i] = (plussi_loop_rates){
            c->loop[i].loop, copy_numbers(arena, c->loop[i].rate, c->team),
            copy_numbers(arena, c->loop[i].cost, (size_t)c->team * PLUSSI_RATES_PIECES)};
        good = loop[i].rate && loop[i].cost;
    }
    c->loop = loop;
    return good;
}

/* What is replaced stays in the arena. */
pluss_status plussi_machine_file_merge(plussi_machine_file *file,
                                       const plussi_calibrated_region *region)
{
    const plussi_calibrated_region *there =
        plussi_machine_file_find(file, region->region, region->file, region->team);
    plussi_calibrated_region copy = *region;
    size_t at = there ? (size_t)(there - file->region) : file->n_regions;
    if (!copy_region(&file->arena, &copy))
        return PLUSS_ENOMEM;
    if (at == file->cap) {
        size_t cap = 2 * file->cap + 4;
        plussi_calibrated_region *list = plussi_arena_alloc(&file->arena, cap, sizeof *list);
        if (!list)
            return PLUSS_ENOMEM;
        if (at)
            memcpy(list, file->region, at * sizeof *list);
        file->region = list;
        file->cap = cap;
    }
    file->region[at] = copy;
    file->n_regions += !there;
    file->calibrated = true;
    file->all = average(file);
    return PLUSS_OK;
}

/* ---- numbers for a region and a team -----------------------------------------------------------
 */

/* Nanoseconds of a slice and of an access where nobody measured them; the most accesses. */
static const double default_slice = 4e6, default_access = 1, most_slice = 1e9;

/* The time slice over the time of an access, whole accesses. The time is the region's with this
 * team, or with another, which is nearer than that of other code; or of all regions. */
static void fill_slices(const plussi_machine_file *file, const plussi_calibrated_region *c,
                        uint32_t team, plussi_progress *out, char origin[128])
{
    char with[32] = "";
    double access = c ? c->all.access : file->all.access;
    double length = round((file->slice > 0 ? file->slice : default_slice) /
                          (access > 0 ? access : default_access));
    out->accesses = fmin(fmax(length, 1), most_slice);
    if (!(access > 0) && !(file->slice > 0))
        return;
    if (c && c->team != team)
        snprintf(with, sizeof with, ", %u threads", c->team);
    const char *whose = c ? with : access > 0 ? ", all regions" : ", its slice alone";
    snprintf(origin, 128, "%s%s", file->name ? file->name : "", whose);
    out->origin = origin;
}

static void fill_rates(const plussi_machine_file *file, const plussi_calibrated_region *c,
                       plussi_progress *out, char origin[128])
{
    const plussi_machine_rates *r = c ? &c->all : &file->all;
    out->sigma = r->sigma;
    out->skew = r->skew;
    out->skew_spread = r->skew_spread;
    out->stall_rate = r->stall_rate;
    out->stall = r->stall;
    snprintf(origin, 128, "%s%s", file->name ? file->name : "", c ? "" : ", all regions");
    out->origin = origin;
    if (c) {
        out->rate = c->rate;
        out->n_rates = c->team;
        out->loop = c->loop;
        out->n_loops = c->n_loops;
    }
}

/* Those of the region with the team that is nearest; of all, the means of the logarithms. */
static void fill_pool(const plussi_machine_file *file, const char *region, const char *source,
                      uint32_t team, plussi_progress *out, char origin[128])
{
    const plussi_calibrated_pool *best = NULL;
    double wake = 0, access = 0;
    char with[32] = "";
    for (size_t i = 0; i < file->n_pools; i++) {
        const plussi_calibrated_pool *p = &file->pool[i];
        wake += log(p->wake) / (double)file->n_pools;
        access += log(p->access) / (double)file->n_pools;
        if (region && same_text(p->region, region) && (!p->file || same_text(p->file, source)) &&
            (!best || times_apart(p->team, team) < times_apart(best->team, team)))
            best = p;
    }
    if (!file->n_pools)
        return;
    out->wake = best ? best->wake : exp(wake);
    out->access = best ? best->access : exp(access);
    if (best && best->team != team)
        snprintf(with, sizeof with, ", %u threads", best->team);
    snprintf(origin, 128, "%s%s", file->name ? file->name : "", best ? with : ", all regions");
    out->origin = origin;
}

void plussi_machine_file_fill(const plussi_machine_file *file, const char *region,
                              const char *source, uint32_t team, const plussi_progress *progress,
                              plussi_progress *out, char origin[128])
{
    bool slices = progress->law == PLUSSI_PROGRESS_SLICES;
    const plussi_calibrated_region *c = NULL;
    if (region)
        c = (slices ? plussi_machine_file_nearest : plussi_machine_file_find)(file, region, source,
                                                                              team);
    *out = *progress;
    if (progress->law == PLUSSI_PROGRESS_POOL)
        fill_pool(file, region, source, team, out, origin);
    else if (slices)
        fill_slices(file, c, team, out, origin);
    else
        fill_rates(file, c, out, origin);
}
