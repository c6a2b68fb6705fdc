/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The levels of a memory hierarchy in a result.
 */
#include "ffi.h"

static const plussi_level_result *find(const pluss_result *result, size_t i)
{
    return i < result->list.n_levels ? &result->list.level[i] : NULL;
}

static pluss_misses give_misses(const plussi_misses *m, uint32_t line_bytes)
{
    return (pluss_misses){.requests = m->requests,
                          .misses = m->all,
                          .error = m->error,
                          .cold = m->kind[PLUSSI_MISS_COLD],
                          .capacity = m->kind[PLUSSI_MISS_CAPACITY],
                          .conflict = m->kind[PLUSSI_MISS_CONFLICT],
                          .true_sharing = m->kind[PLUSSI_MISS_TRUE_SHARING],
                          .false_sharing = m->kind[PLUSSI_MISS_FALSE_SHARING],
                          .bytes_fetched = m->fetched * line_bytes,
                          .bytes_written_back = m->written_back * line_bytes,
                          .bytes_written_back_error = m->written_back_error * line_bytes,
                          .after_other_thread = m->after_other};
}

pluss_status pluss_result_get_level(const pluss_result *result, size_t i, pluss_level_info *out)
{
    if (!result || !out)
        return PLUSS_EINVAL;
    const plussi_level_result *l = find(result, i);
    if (!l)
        return PLUSS_ENOTFOUND;
    const plussi_hierarchy h = {.line_bytes = l->id.line_bytes, .n = 1, .level = {l->level}};
    pluss_level_info info = {.size = sizeof info,
                             .name = l->level.name,
                             .region = l->id.region,
                             .threads = l->id.team,
                             .threads_per_cache =
                                 l->id.threads_per_cache ? l->id.threads_per_cache : l->id.team,
                             .simulated = l->id.simulated,
                             .line_bytes = l->id.line_bytes,
                             .bytes = l->level.bytes,
                             .sets = plussi_level_sets(&h, 0),
                             .ways = plussi_level_ways(&h, 0),
                             .accesses = l->accesses,
                             .misses = give_misses(&l->misses, l->id.line_bytes),
                             .n_references = l->n_parts,
                             .ways_from = (pluss_ways_from)l->level.ways_from,
                             .point = l->point,
                             .n_threads = l->n_threads};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_result_get_level_reference(const pluss_result *result, size_t level, size_t i,
                                              pluss_level_reference *out)
{
    if (!result || !out)
        return PLUSS_EINVAL;
    const plussi_level_result *l = find(result, level);
    if (!l || i >= l->n_parts)
        return PLUSS_ENOTFOUND;
    const plussi_level_part *p = &l->part[i];
    pluss_level_reference info = {.size = sizeof info,
                                  .reference = p->site.text,
                                  .write = p->site.write,
                                  .atomic = p->site.atomic,
                                  .file = p->site.file,
                                  .line = p->site.line,
                                  .loop = p->loop,
                                  .misses = give_misses(&p->misses, l->id.line_bytes),
                                  .conflicts_with = p->rival,
                                  .conflicts = p->rival_misses,
                                  .row_bytes = p->row_bytes,
                                  .column_sets = p->column_sets,
                                  .pad_bytes = p->pad_bytes};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_result_get_level_thread(const pluss_result *result, size_t level, size_t i,
                                           pluss_level_thread *out)
{
    if (!result || !out)
        return PLUSS_EINVAL;
    const plussi_level_result *l = find(result, level);
    if (!l || i >= l->n_threads)
        return PLUSS_ENOTFOUND;
    pluss_level_thread info = {.size = sizeof info,
                               .thread = (uint32_t)i,
                               .misses = give_misses(&l->thread[i], l->id.line_bytes)};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_result_get_level_group(const pluss_result *result, size_t level,
                                          pluss_level_grouping by, size_t i, pluss_level_group *out)
{
    plussi_level_group group;
    if (!result || !out || (unsigned)by > PLUSS_BY_LOOP)
        return PLUSS_EINVAL;
    const plussi_level_result *l = find(result, level);
    if (!l || !plussi_level_get_group(l, (plussi_grouping)by, i, &group))
        return PLUSS_ENOTFOUND;
    const plussi_level_part *p = group.first;
    pluss_level_group info = {.size = sizeof info,
                              .n_references = group.n,
                              .misses = give_misses(&group.misses, l->id.line_bytes)};
    if (by == PLUSS_BY_ARRAY)
        info.array = p->array;
    else
        info.loop = p->loop, info.line = p->loop_line;
    if (info.line)
        info.file = p->site.file;
    return plussi_ffi_give(out, &info, sizeof info);
}
