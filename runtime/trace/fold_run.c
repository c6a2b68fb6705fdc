/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_run.h"

#include <string.h>

#include "base/map.h"
#include "trace/fold_objects.h"
#include "trace/fold_regions.h"

typedef struct tag_key {
    uint64_t site;
    uint32_t object;
    uint16_t bytes;
    uint8_t kind;
} tag_key;

typedef struct plussi_fold_slot {
    tag_key key;
    uint32_t tag; /* + 1; 0: free */
} plussi_fold_slot;

static bool slot_is_used(const plussi_fold_slot *slot)
{
    return slot->tag != 0;
}
static uint64_t hash_key(tag_key key)
{
    return (key.site * 31 + key.object) * 0xff51afd7ed558ccdu + key.bytes * 8 + key.kind;
}
static uint64_t hash_slot(const plussi_fold_slot *slot)
{
    return hash_key(slot->key);
}
static bool slot_has(const plussi_fold_slot *slot, tag_key key)
{
    return slot->key.site == key.site && slot->key.object == key.object &&
           slot->key.bytes == key.bytes && slot->key.kind == key.kind;
}
PLUSSI_MAP(tags, plussi_fold_slot, tag_key, slot_is_used, hash_slot, slot_has)

/* What the event has in common with others of its tag. */
static tag_key make_key(const plussi_fold_run *run, const plussi_event *event)
{
    tag_key key;
    memset(&key, 0, sizeof key);
    key.site = event->kind == PLUSSI_EVENT_REGION ? event->address : event->site;
    key.kind = event->kind;
    key.bytes = event->bytes;
    key.object = plussi_event_is_access(event)
                     ? (uint32_t)plussi_fold_find_named(run, event->address)
                     : (uint32_t)PLUSSI_FOLD_NOWHERE;
    return key;
}

static pluss_status find_tag(plussi_ctx *ctx, plussi_fold_run *run, const plussi_event *event,
                             uint32_t *out)
{
    tag_key key = make_key(run, event);
    if (!tags_reserve(&run->mem, &run->slot, &run->n_slots, 64, run->n_tags + 1))
        return PLUSS_ENOMEM;
    plussi_fold_slot *slot = tags_find(run->slot, run->n_slots, hash_key(key), key);
    if (!slot->tag) {
        if (run->n_tags == PLUSSI_FOLD_TAGS)
            return plussi_fail(ctx, PLUSS_ELIMIT, NULL, "more than %d sites", PLUSSI_FOLD_TAGS);
        if (plussi_grow(&run->mem, &run->tag, &run->cap_tags, run->n_tags, sizeof *run->tag))
            return PLUSS_ENOMEM;
        run->tag[run->n_tags++] = (plussi_fold_tag){.site = key.site,
                                                    .object = key.object,
                                                    .bytes = key.bytes,
                                                    .kind = key.kind,
                                                    .lo = UINT64_MAX};
        *slot = (plussi_fold_slot){key, (uint32_t)run->n_tags};
    }
    *out = slot->tag - 1;
    return PLUSS_OK;
}

const plussi_fold_tag *plussi_fold_find_tag(const plussi_fold_run *run, const plussi_event *event)
{
    tag_key key = make_key(run, event);
    const plussi_fold_slot *slot = tags_find(run->slot, run->n_slots, hash_key(key), key);
    return slot && slot->tag ? &run->tag[slot->tag - 1] : NULL;
}

/* Counts it, and whether its step from the latest of its tag is one of the two steps before. */
static void count_access(plussi_fold_tag *tag, uint64_t address)
{
    uint64_t step = address - tag->last;
    if (step != tag->step[0]) {
        tag->strange += step != tag->step[1];
        tag->step[1] = tag->step[0];
        tag->step[0] = step;
    }
    tag->last = address;
    tag->accesses++;
    if (address < tag->lo)
        tag->lo = address;
    if (address + tag->bytes > tag->hi)
        tag->hi = address + tag->bytes;
}

/* Chunks that one thread takes come in the order of the loop and do not change it; their lengths
 * tell the schedule. The last chunk of a loop may be shorter than others: where one after it is
 * shorter than the first, and none as long came between, chunks become shorter. */
static void count_chunk(plussi_fold_run *run, const plussi_event *event)
{
    plussi_fold_tag *region = run->region < run->n_tags ? &run->tag[run->region] : NULL;
    int64_t n = (int64_t)(event->site - event->address);
    if (!region)
        return;
    if (region->chunk == 0)
        region->chunk = n;
    else if (run->latest_chunk > 0 && run->latest_chunk < region->chunk && n < region->chunk)
        region->is_guided = true;
    run->latest_chunk = n;
}

static pluss_status take_event(plussi_ctx *ctx, plussi_fold_run *run, plussi_fold_loops *loops,
                               bool *folds, const plussi_event *event)
{
    if (event->kind == PLUSSI_EVENT_CHUNK) {
        count_chunk(run, event);
        return PLUSS_OK;
    }
    bool is_access = plussi_event_is_access(event);
    uint32_t tag = 0;
    pluss_status status = find_tag(ctx, run, event, &tag);
    if (status)
        return status;
    uint64_t address = is_access ? event->address : 0;
    if (is_access && run->tag[tag].object != (uint32_t)PLUSSI_FOLD_NOWHERE)
        address -= run->object[run->tag[tag].object].address;
    run->accesses += is_access;
    if (is_access)
        count_access(&run->tag[tag], event->address);
    if (event->kind == PLUSSI_EVENT_REGION) {
        run->region = tag;
        run->latest_chunk = 0;
    }
    if (!*folds)
        return PLUSS_OK;
    status = plussi_fold_loops_add(loops, (int32_t)tag, (int64_t)address);
    *folds = !status;
    return status == PLUSS_ELIMIT ? PLUSS_OK : status;
}

/* Makes addresses relative to objects that are known only after all accesses. */
static void subtract_bases(plussi_fold_run *run)
{
    for (uint32_t k = 0; run->tree && k < run->tree->n; k++) {
        const plussi_fold_node *node = &run->tree->node[k];
        const plussi_fold_tag *tag = node->tag >= 0 ? &run->tag[node->tag] : NULL;
        if (tag && tag->bytes && tag->object >= run->n_named)
            run->tree->number[node->first] -= (int64_t)run->object[tag->object].address;
    }
}

static pluss_status read_events(plussi_ctx *ctx, const char *path, plussi_fold_run *run,
                                plussi_fold_loops *loops)
{
    plussi_team_reader *trace = NULL;
    plussi_event event[256];
    size_t n = 1;
    bool folds = true;
    pluss_status status = plussi_team_open(ctx, path, run->sites, run->threads, NULL, NULL, &trace);
    if (!status)
        plussi_team_ask(trace, &run->ask);
    while (!status && n > 0) {
        status = plussi_team_next(trace, event, 256, &n);
        for (size_t i = 0; i < n && !status; i++)
            status = take_event(ctx, run, loops, &folds, &event[i]);
    }
    for (size_t i = 0; i < run->n_tags && !status && run->threads > 1; i++)
        if (run->tag[i].bytes) {
            run->tag[i].unit = plussi_team_unit(trace, run->tag[i].site);
            run->tag[i].share = plussi_team_chunk(trace, run->tag[i].site);
        }
    plussi_team_close(trace);
    if (!status && folds)
        status = plussi_fold_loops_end(loops, &run->tree);
    return status == PLUSS_ELIMIT && folds ? PLUSS_OK : status;
}

static void find_first_nodes(plussi_fold_run *run)
{
    for (uint32_t k = run->tree ? run->tree->n : 0; k-- > 0;) {
        int32_t tag = run->tree->node[k].tag;
        if (tag >= 0 && run->tag[tag].bytes)
            run->object[run->tag[tag].object].first = k;
    }
}

pluss_status plussi_fold_run_read(plussi_ctx *ctx, const char *path, plussi_fold_run *run)
{
    run->mem = ctx->mem;
    run->region = SIZE_MAX;
    plussi_fold_loops *loops = NULL;
    pluss_status status = plussi_fold_loops_new(&ctx->mem, &loops);
    if (!status)
        status = plussi_fold_read_objects(ctx, path, run);
    if (!status)
        status = read_events(ctx, path, run, loops);
    plussi_fold_loops_free(loops);
    if (!status)
        status = plussi_fold_find_ranges(run);
    if (!status)
        subtract_bases(run);
    if (!status && run->tree)
        status = plussi_fold_close_regions(run);
    if (!status && run->tree)
        status = plussi_fold_fit_iterations(run);
    if (!status)
        find_first_nodes(run);
    return status;
}

void plussi_fold_run_clear(plussi_fold_run *run)
{
    for (size_t i = 0; i < run->n_objects; i++)
        plussi_free(&run->mem, run->object[i].name);
    plussi_free(&run->mem, run->object);
    plussi_free(&run->mem, run->tag);
    plussi_free(&run->mem, run->slot);
    plussi_free(&run->mem, run->tree);
}
