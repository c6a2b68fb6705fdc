/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/level_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/stage.h"

pluss_status plussi_levels_of_request(plussi_ctx *ctx, const plussi_request *request, uint32_t team,
                                      plussi_hierarchies *all)
{
    const plussi_machine_caches *caches = &request->levels;
    const plussi_sweep *ways = &request->ways.ways;
    plussi_hierarchy *out = &all->of[0];
    if (request->machine_levels) {
        const char *why = !request->machine                       ? "no machine file is given"
                          : !request->machine->caches.hierarchy.n ? "the machine file has no levels"
                                                                  : NULL;
        if (why)
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "cache 'machine': %s", why);
        caches = &request->machine->caches;
    }
    plussi_hierarchy_of_team(caches, team, out);
    if (out->line_bytes && out->line_bytes != request->line_bytes)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "lines of %u bytes: the machine's caches have lines of %u",
                           request->line_bytes, out->line_bytes);
    out->line_bytes = request->line_bytes;
    if (request->machine)
        plussi_hierarchy_take_ways(out, &request->machine->caches.hierarchy);
    plussi_hierarchy_take_ways(out, &request->known_ways);
    pluss_status status = plussi_hierarchy_check(ctx, out);
    for (all->n = 1; all->n < ways->n && !status; all->n++) {
        all->of[all->n] = *out;
        all->of[all->n].level[request->ways.level].ways = ways->value[all->n];
        status = plussi_hierarchy_check(ctx, &all->of[all->n]);
    }
    return status;
}

/* ---- results ----------------------------------------------------------------------------------
 */

/* A column of an array visits sets / gcd(row in lines, sets) of the sets. */
static void find_padding(const plussi_bound_array *array, uint64_t sets, uint64_t line,
                         plussi_level_part *out)
{
    uint64_t row = UINT64_MAX, lines = 1;
    for (uint32_t d = 0; d < array->rank; d++) {
        uint64_t stride = (uint64_t)(array->stride[d] < 0 ? -array->stride[d] : array->stride[d]);
        if (stride > array->elem_bytes && stride < row)
            row = stride;
    }
    if (row == UINT64_MAX || row % line != 0 || plussi_gcd(row / line, sets) == 1)
        return;
    while (plussi_gcd(row / line + lines, sets) != 1)
        lines++;
    out->columns = array->decl->column_order;
    out->row_bytes = row;
    out->column_sets = sets / plussi_gcd(row / line, sets);
    out->pad_bytes = lines * line;
}

static pluss_status name_rival(plussi_ctx *ctx, const plussi_bound *bound, uint32_t ref,
                               const plussi_rival *rival, const plussi_cache_level *level,
                               plussi_level_part *out)
{
    const plussi_hierarchy h = {.line_bytes = bound->line_bytes, .n = 1, .level = {*level}};
    if (!(rival->misses > 0))
        return PLUSS_OK;
    out->rival_misses = rival->misses;
    if (rival->array == bound->ref[ref]->u.ref.array)
        find_padding(rival->array, plussi_level_sets(&h, 0), h.line_bytes, out);
    return plussi_copy_text(&ctx->mem, rival->array->decl->name, &out->rival);
}

/* How far the reference moves from one iteration of a loop around it to the next. */
static pluss_status find_steps(plussi_ctx *ctx, const plussi_bound_node *ref,
                               plussi_level_part *out)
{
    const plussi_cexpr *offset = ref->u.ref.offset;
    const plussi_bound_node *least = NULL;
    bool innermost = true;
    if (offset->kind != PLUSSI_CEXPR_AFFINE)
        return PLUSS_OK;
    for (const plussi_bound_node *loop = ref->parent; loop; loop = loop->parent) {
        int64_t step = 0;
        if (loop->kind != PLUSSI_N_LOOP)
            continue;
        for (uint32_t i = 0; i < offset->n; i++)
            if (offset->slot[i] == loop->u.loop.slot &&
                __builtin_mul_overflow(offset->coef[i], loop->u.loop.step, &step))
                return PLUSS_OK;
        if (step == INT64_MIN)
            return PLUSS_OK;
        if (innermost)
            out->step_bytes = step;
        innermost = false;
        if (step && (!least || llabs(step) < llabs(out->least_step_bytes))) {
            out->least_step_bytes = step;
            least = loop;
        }
    }
    return least ? plussi_copy_text(&ctx->mem, least->decl->u.loop.iv, &out->least_step_loop)
                 : PLUSS_OK;
}

static pluss_status fill_parts(plussi_ctx *ctx, const plussi_bound *bound,
                               const plussi_level_estimate *counts, plussi_level_result *out)
{
    const plussi_misses *part = counts->part;
    pluss_status status = PLUSS_OK;
    out->part = plussi_calloc(&ctx->mem, bound->n_refs + 1, sizeof *out->part);
    if (!out->part)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < bound->n_refs && !status; i++) {
        if (!(part[i].requests > 0) || !bound->ref[i])
            continue;
        plussi_level_part *p = &out->part[out->n_parts++];
        p->ref = i;
        p->misses = part[i];
        plussi_misses_add(&out->misses, &part[i]);
        status = plussi_part_describe(ctx, bound, i, &p->site, &p->loop, &p->loop_line);
        if (!status)
            status = plussi_copy_text(&ctx->mem, bound->ref[i]->u.ref.array->decl->name, &p->array);
        if (!status)
            status = find_steps(ctx, bound->ref[i], p);
        if (!status && counts->rival)
            status = name_rival(ctx, bound, i, &counts->rival[i], &out->level, p);
    }
    return status;
}

/* Its identity: that of a curve, but for the threads per cache. */
static pluss_status begin_level(plussi_ctx *ctx, const plussi_identity *id,
                                const plussi_cache_level *level, plussi_sweep_point point,
                                double accesses, plussi_level_result *out)
{
    *out = (plussi_level_result){.level = *level,
                                 .accesses = accesses,
                                 .point = (uint32_t)point.number,
                                 .n_points = (uint32_t)point.n};
    pluss_status status = plussi_identity_copy(&ctx->mem, id, &out->id);
    out->id.threads_per_cache = level->threads_per_cache < id->team ? level->threads_per_cache : 0;
    return status;
}

pluss_status plussi_add_level(plussi_ctx *ctx, const plussi_bound *bound, const plussi_identity *id,
                              const plussi_cache_level *level, plussi_sweep_point point,
                              double accesses, const plussi_level_estimate *counts,
                              plussi_result *result)
{
    plussi_level_result made;
    pluss_status status = begin_level(ctx, id, level, point, accesses, &made);
    if (!status)
        status = fill_parts(ctx, bound, counts, &made);
    made.misses.error = counts->error;
    made.misses.written_back_error = counts->written_back_error;
    if (counts->written_back_error >= 0) {
        /* by other references than those whose misses they are */
        made.misses.written_back = counts->written_back;
        for (size_t i = 0; i < made.n_parts; i++)
            made.part[i].misses.written_back = NAN;
    }
    if (!status)
        status = plussi_result_add_level(result, &made);
    plussi_level_result_free(&ctx->mem, &made);
    return status;
}

/* ---- of a prediction --------------------------------------------------------------------------
 */

/* The reuses of the estimate over more lines than a level of the first hierarchy has. */
static pluss_status find_lost(plussi_ctx *ctx, const plussi_bound *bound,
                              plussi_predicted_levels *levels, const plussi_estimate *from,
                              size_t level)
{
    const plussi_hierarchy *h = &levels->hierarchies.of[0];
    const double runs = from->profile.runs > 1 ? from->profile.runs : 1;
    const double accesses = plussi_histo_total(&from->profile.histo) / runs;
    plussi_reuses_free(&ctx->mem, levels->lost[level], levels->n_lost[level]);
    return plussi_pipeline_lost(ctx, bound, from, h->level[level].bytes / h->line_bytes, accesses,
                                &levels->lost[level], &levels->n_lost[level]);
}

pluss_status plussi_take_levels(plussi_ctx *ctx, const plussi_bound *bound,
                                plussi_predicted_levels *levels, plussi_estimate *from)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < from->n_levels; i++) {
        const size_t hierarchy = from->level[i].hierarchy, level = from->level[i].level;
        plussi_level_estimate *to = &levels->estimate[hierarchy][level];
        plussi_level_estimate_free(&ctx->mem, to);
        *to = from->level[i];
        from->level[i] = (plussi_level_estimate){0};
        if (hierarchy == 0 && !status)
            status = find_lost(ctx, bound, levels, from, level);
    }
    return status;
}

void plussi_predicted_levels_free(plussi_ctx *ctx, plussi_predicted_levels *levels)
{
    for (size_t h = 0; h < levels->hierarchies.n; h++)
        for (size_t i = 0; i < levels->hierarchies.of[h].n; i++)
            plussi_level_estimate_free(&ctx->mem, &levels->estimate[h][i]);
    for (size_t i = 0; i < PLUSSI_LEVELS_MOST; i++)
        plussi_reuses_free(&ctx->mem, levels->lost[i], levels->n_lost[i]);
    memset(levels->n_lost, 0, sizeof levels->n_lost);
    memset(levels->lost, 0, sizeof levels->lost);
    levels->hierarchies.n = 0;
}

/* The level comes after caches of one thread each, and all of their sets are searched. */
static bool follows_own(const plussi_hierarchy *h, size_t level, uint32_t team)
{
    bool own = team == 1 || plussi_level_threads(h, 0, team) == 1;
    for (size_t i = 0; i <= level && own; i++)
        own = plussi_level_is_searched(h, i);
    return own;
}

/* What it writes back is what comes to it written, less what it gathers. */
static bool is_plain(const plussi_cache_level *level)
{
    return !level->write_through && !level->no_write_allocate &&
           level->inclusion != PLUSSI_INCLUSION_EXCLUSIVE;
}

/* Levels that others share are predicted one by one: what comes to one is what the level before
 * misses, or passes on, and it misses no more than that. */
static void limit_to(plussi_misses *m, double requests)
{
    double scale = m->all > requests ? requests / m->all : 1;
    m->requests = requests;
    m->all *= scale;
    m->error = m->error < 0 ? m->error : m->error * scale;
    m->fetched *= scale;
    m->after_other *= scale;
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        m->kind[k] *= scale;
}

/* What a level writes back, from what the one before it does. A line is written in
 * one of its stays there in d cases, and stays there n times for each stay here: dirty are d of the
 * stays here if all n are alike, and as many as n d if one of them is. All stays end but those of
 * the lines that the cache holds at the end. */
static void find_shared_writes(const plussi_bound *bound, const plussi_hierarchy *h, size_t l,
                               plussi_level_estimate *estimate)
{
    plussi_level_estimate *here = &estimate[l];
    const plussi_level_estimate *before = &estimate[l - 1];
    double lines = (double)h->level[l].bytes / h->line_bytes, misses = 0, cold = 0;
    double least = 0, most = 0;
    for (uint32_t a = 0; a < bound->n_arrays; a++) {
        double stays = 0, dirty = 0, there = 0;
        for (uint32_t r = 0; r < bound->n_refs; r++) {
            if (!bound->ref[r] || bound->ref[r]->u.ref.array != &bound->array[a])
                continue;
            there += before->part[r].all;
            dirty += before->part[r].written_back;
            stays += here->part[r].all;
            cold += here->part[r].kind[PLUSSI_MISS_COLD];
        }
        if (stays > 0 && there > 0) {
            least += fmin(dirty / there, 1) * stays;
            most += fmin(dirty / fmin(there, stays), 1) * stays;
        }
        misses += stays;
    }
    double ended = misses > 0 ? fmax(0, 1 - fmin(cold, lines) / misses) : 0;
    double error = before->written_back > 0 ? before->written_back_error / before->written_back : 0;
    here->written_back = ended * (least + most) / 2;
    here->written_back_error = hypot(ended * (most - least) / sqrt(12), here->written_back * error);
}

static pluss_status copy_estimate(plussi_ctx *ctx, const plussi_bound *bound,
                                  const plussi_level_estimate *from, plussi_level_estimate *to)
{
    const size_t n = bound->n_refs;
    *to = *from;
    to->part = plussi_alloc(&ctx->mem, n + 1, sizeof *to->part);
    to->rival = from->rival ? plussi_alloc(&ctx->mem, n + 1, sizeof *to->rival) : NULL;
    if (to->part && n)
        memcpy(to->part, from->part, n * sizeof *to->part);
    if (to->rival && n)
        memcpy(to->rival, from->rival, n * sizeof *to->rival);
    return to->part && (to->rival || !from->rival) ? PLUSS_OK : PLUSS_ENOMEM;
}

/* Levels that are the same in all hierarchies are predicted once. */
static pluss_status copy_to_all(plussi_ctx *ctx, const plussi_bound *bound,
                                plussi_predicted_levels *levels)
{
    pluss_status status = PLUSS_OK;
    for (size_t h = 1; h < levels->hierarchies.n; h++)
        for (size_t l = 0; l < levels->hierarchies.of[h].n && !status; l++)
            if (!levels->estimate[h][l].part)
                status =
                    copy_estimate(ctx, bound, &levels->estimate[0][l], &levels->estimate[h][l]);
    return status;
}

pluss_status plussi_add_predicted_levels(plussi_ctx *ctx, const plussi_bound *bound,
                                         const plussi_identity *id, double accesses, size_t n,
                                         plussi_predicted_levels *levels, plussi_result *result)
{
    const plussi_hierarchies *all = &levels->hierarchies;
    for (size_t l = 0; l < all->of[0].n; l++)
        if (!levels->estimate[0][l].part)
            return PLUSS_OK;
    pluss_status status = copy_to_all(ctx, bound, levels);
    for (size_t i = 0; i < all->n; i++)
        for (size_t l = 0; l < n && !status; l++) {
            plussi_level_estimate *e = &levels->estimate[i][l];
            const plussi_cache_level *level = &all->of[i].level[l];
            for (uint32_t r = 0; l > 0 && r < bound->n_refs; r++) {
                bool on = level[-1].write_through && bound->ref[r] && bound->ref[r]->u.ref.write;
                limit_to(&e->part[r], on ? e[-1].part[r].requests : e[-1].part[r].all);
            }
            if (l > 0 && isnan(e->written_back) && !isnan(e[-1].written_back) && is_plain(level))
                find_shared_writes(bound, &all->of[i], l, levels->estimate[i]);
            status = plussi_add_level(ctx, bound, id, level, (plussi_sweep_point){i, all->n},
                                      accesses, e, result);
            if (status)
                break;
            plussi_level_result *made = &result->level[result->n_levels - 1];
            made->without_inclusion = level->inclusion == PLUSSI_INCLUSION_INCLUSIVE &&
                                      !follows_own(&all->of[i], l, bound->max_team);
            if (i == 0) {
                made->lost = levels->lost[l];
                made->n_lost = levels->n_lost[l];
                levels->lost[l] = NULL;
                levels->n_lost[l] = 0;
            }
        }
    return status;
}

/* ---- of a simulation --------------------------------------------------------------------------
 */

static plussi_misses mean_of(const plussi_level_counts *counts, double runs)
{
    plussi_misses m = {.requests = (double)counts->requests / runs,
                       .all = (double)plussi_level_misses(counts) / runs,
                       .after_other = (double)counts->after_other / runs,
                       .error = -1,
                       .written_back_error = -1,
                       .fetched = (double)counts->fetched / runs,
                       .written_back = (double)counts->written_back / runs};
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        m.kind[k] = (double)counts->misses[k] / runs;
    return m;
}

/* What each thread of the team makes of a level of the simulator. */
static pluss_status fill_threads(plussi_ctx *ctx, const plussi_cache_simulator *simulator,
                                 size_t level, size_t runs, plussi_level_result *out)
{
    out->thread = plussi_calloc(&ctx->mem, out->id.team, sizeof *out->thread);
    if (!out->thread)
        return PLUSS_ENOMEM;
    for (; out->n_threads < out->id.team; out->n_threads++)
        out->thread[out->n_threads] = mean_of(
            plussi_cache_by_thread(simulator, level, (uint32_t)out->n_threads), (double)runs);
    return PLUSS_OK;
}

pluss_status plussi_add_simulated_levels(plussi_ctx *ctx, const plussi_level_counter *counter,
                                         const plussi_identity *id, double accesses, size_t runs,
                                         plussi_result *result)
{
    const plussi_bound *bound = counter->bound;
    const plussi_hierarchies *all = counter->hierarchies;
    plussi_level_estimate counts = {.error = -1, .written_back_error = -1};
    counts.part = plussi_calloc(&ctx->mem, bound->n_refs + 1, sizeof *counts.part);
    pluss_status status = counts.part ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < all->n; i++)
        for (size_t l = 0; l < all->of[i].n && !status; l++) {
            for (uint32_t r = 0; r < bound->n_refs; r++)
                counts.part[r] =
                    mean_of(plussi_cache_by_reference(counter->simulator[i], l, r), (double)runs);
            status = plussi_add_level(ctx, bound, id, &all->of[i].level[l],
                                      (plussi_sweep_point){i, all->n}, accesses, &counts, result);
            if (!status)
                status = fill_threads(ctx, counter->simulator[i], l, runs,
                                      &result->level[result->n_levels - 1]);
        }
    plussi_free(&ctx->mem, counts.part);
    if (!status && counter->locality)
        status = plussi_locality_add_profiles(counter->locality, id, (double)runs, result);
    return status;
}

pluss_status plussi_add_counted_level(plussi_ctx *ctx, const plussi_identity *id,
                                      const plussi_cache_level *level, plussi_sweep_point point,
                                      double accesses, const plussi_cache_simulator *simulator,
                                      size_t number, plussi_result *result)
{
    plussi_level_result made;
    pluss_status status = begin_level(ctx, id, level, point, accesses, &made);
    made.misses = mean_of(plussi_cache_by_reference(simulator, number, 0), 1);
    if (!status)
        status = fill_threads(ctx, simulator, number, 1, &made);
    if (!status)
        status = plussi_result_add_level(result, &made);
    plussi_level_result_free(&ctx->mem, &made);
    return status;
}

pluss_status plussi_level_counter_new(plussi_ctx *ctx, const plussi_bound *bound,
                                      const plussi_hierarchies *hierarchies,
                                      const plussi_request *request, uint32_t team, size_t most,
                                      plussi_level_counter *out)
{
    *out = (plussi_level_counter){
        .bound = bound,
        .hierarchies = hierarchies,
        .access = plussi_alloc(&ctx->mem, most, sizeof *out->access),
        .most = most,
    };
    while (UINT32_C(1) << out->line_shift < bound->line_bytes)
        out->line_shift++;
    pluss_status status = out->access ? PLUSS_OK : PLUSS_ENOMEM;
    if (!status && request->sharing)
        status = plussi_locality_new(ctx, team, bound->line_bytes, &out->locality);
    if (out->locality)
        plussi_locality_sample(out->locality, &request->sampling);
    for (size_t i = 0; i < hierarchies->n && !status; i++)
        status = plussi_cache_simulator_new(ctx, &hierarchies->of[i], team,
                                            bound->n_refs ? bound->n_refs : 1, &out->simulator[i]);
    return status;
}

pluss_status plussi_level_counter_empty(plussi_ctx *ctx, plussi_level_counter *counter)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < counter->hierarchies->n && !status; i++)
        status = plussi_cache_simulator_empty(ctx, counter->simulator[i]);
    if (!status && counter->locality)
        status = plussi_locality_empty(counter->locality);
    return status;
}

void plussi_level_counter_free(plussi_ctx *ctx, plussi_level_counter *counter)
{
    for (size_t i = 0; counter->hierarchies && i < counter->hierarchies->n; i++)
        plussi_cache_simulator_free(counter->simulator[i]);
    plussi_locality_free(counter->locality);
    plussi_free(&ctx->mem, counter->access);
    *counter = (plussi_level_counter){0};
}

static const plussi_bound_node *find_construct(const plussi_bound_node *ref)
{
    const plussi_bound_node *at = ref->parent;
    while (at && at->kind != PLUSSI_N_PARALLEL && !plussi_ends_in_barrier(at))
        at = at->parent;
    return at;
}

static pluss_status count_by_construct(plussi_level_counter *counter, size_t n)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0, end; i < n && !status; i = end) {
        const plussi_bound_node *now =
            find_construct(counter->bound->ref[counter->access[i].reference]);
        for (end = i + 1; end < n; end++)
            if (find_construct(counter->bound->ref[counter->access[end].reference]) != now)
                break;
        if (now != counter->construct)
            status = plussi_locality_begin_phase(counter->locality, UINT64_MAX);
        counter->construct = now;
        if (!status)
            status = plussi_locality_run(counter->locality, &counter->access[i], end - i);
    }
    return status;
}

/* Where a phase ends is seen when the next one makes accesses. */
static pluss_status count_locality(plussi_level_counter *counter, uint64_t phase, size_t n)
{
    pluss_status status = PLUSS_OK;
    if (counter->by_construct)
        return count_by_construct(counter, n);
    if (n && phase != counter->phase)
        status = plussi_locality_begin_phase(counter->locality, UINT64_MAX);
    counter->phase = phase;
    return status ? status : plussi_locality_run(counter->locality, counter->access, n);
}

pluss_status plussi_count_levels(plussi_level_counter *counter, uint64_t phase,
                                 plussi_access *access, size_t n)
{
    const uint64_t line_bytes = UINT64_C(1) << counter->line_shift;
    for (size_t i = 0; i < n; i++) {
        const plussi_bound_node *node =
            access[i].ref < counter->bound->n_refs ? counter->bound->ref[access[i].ref] : NULL;
        const plussi_bound_ref *ref = node ? &node->u.ref : NULL;
        uint64_t rest = line_bytes - (access[i].line & (line_bytes - 1));
        counter->unsure |= !node;
        if (counter->unsure) {
            access[i].line >>= counter->line_shift;
            continue;
        }
        counter->access[i] =
            (plussi_cache_access){.address = access[i].line,
                                  .reference = access[i].ref,
                                  .thread = access[i].thread,
                                  .bytes = (uint32_t)(ref->width < rest ? ref->width : rest),
                                  .write = ref->write};
        access[i].line >>= counter->line_shift;
    }
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < counter->hierarchies->n && !status && !counter->unsure; i++)
        status = plussi_cache_simulator_run(counter->simulator[i], counter->access, n);
    if (counter->locality && !status && !counter->unsure)
        status = count_locality(counter, phase, n);
    return status;
}
