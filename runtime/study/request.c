/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/request.h"

#include <string.h>

void plussi_request_init(plussi_request *request, const plussi_mem *mem)
{
    *request = (plussi_request){.mem = *mem, .line_bytes = 64};
}

/* NULL: no memory. Of an empty list a place that holds nothing. */
static void *copy_list(const plussi_mem *mem, const void *list, size_t n, size_t size)
{
    void *copy = plussi_alloc(mem, n + 1, size);
    if (copy && n)
        memcpy(copy, list, n * size);
    return copy;
}

static void free_bindings(const plussi_mem *mem, const plussi_binding *binding, size_t n)
{
    for (size_t i = 0; i < n; i++)
        plussi_free(mem, (char *)binding[i].name);
    plussi_free(mem, (void *)binding);
}

static void free_caches(const plussi_mem *mem, const plussi_report_cache *cache, size_t n)
{
    for (size_t i = 0; i < n; i++)
        plussi_free(mem, (char *)cache[i].label);
    plussi_free(mem, (void *)cache);
}

static void free_progress(const plussi_mem *mem, const plussi_progress *p)
{
    for (size_t i = 0; i < p->n_loops; i++) {
        plussi_free(mem, (void *)p->loop[i].rate);
        plussi_free(mem, (void *)p->loop[i].cost);
    }
    plussi_free(mem, (void *)p->loop);
    plussi_free(mem, (void *)p->rate);
    plussi_free(mem, (char *)p->origin);
}

/* Copies may be made, and freed, by several threads. */
static plussi_held *hold(plussi_held *held)
{
    if (held)
        __atomic_add_fetch(&held->users, 1, __ATOMIC_RELAXED);
    return held;
}

static void drop(const plussi_mem *mem, plussi_held *held)
{
    if (!held || __atomic_sub_fetch(&held->users, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    plussi_record_free(held->record);
    plussi_machine_file_free(held->machine);
    plussi_free(mem, held);
}

static void free_regions(const plussi_mem *mem, const char *const *region, size_t n)
{
    for (size_t i = 0; i < n; i++)
        plussi_free(mem, (char *)region[i]);
    plussi_free(mem, (void *)region);
}

static void free_contents(const plussi_mem *mem, const plussi_contents *contents, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        plussi_free(mem, (char *)contents[i].array);
        plussi_free(mem, (void *)contents[i].values);
    }
    plussi_free(mem, (void *)contents);
}

void plussi_request_free(plussi_request *request)
{
    const plussi_mem mem = request->mem;
    drop(&mem, request->held_record);
    drop(&mem, request->held_machine);
    free_regions(&mem, request->region, request->n_regions);
    free_contents(&mem, request->contents, request->n_contents);
    plussi_free(&mem, (void *)request->team);
    free_bindings(&mem, request->binding, request->n_bindings);
    plussi_free(&mem, (void *)request->recorded);
    free_caches(&mem, request->cache, request->n_caches);
    free_progress(&mem, &request->progress);
    plussi_request_init(request, &mem);
}

/* ---- lists -------------------------------------------------------------------------------------
 */

pluss_status plussi_request_set_teams(plussi_ctx *ctx, plussi_request *request,
                                      const uint32_t *team, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (team[i] == 0)
            return plussi_fail(ctx, PLUSS_ERANGE, NULL, "a team has at least one thread");
    uint32_t *copy = copy_list(&request->mem, team, n, sizeof *team);
    if (!copy)
        return PLUSS_ENOMEM;
    plussi_free(&request->mem, (void *)request->team);
    request->team = copy;
    request->n_teams = n;
    return PLUSS_OK;
}

pluss_status plussi_request_bind(plussi_ctx *ctx, plussi_request *request, const char *name,
                                 size_t length, int64_t value)
{
    (void)ctx;
    const size_t n = request->n_bindings;
    for (size_t i = 0; i < n; i++)
        if (strlen(request->binding[i].name) == length &&
            memcmp(request->binding[i].name, name, length) == 0) {
            ((plussi_binding *)request->binding)[i].value = value;
            return PLUSS_OK;
        }
    char *copy = plussi_strndup(&request->mem, name, length);
    plussi_binding *list =
        copy ? plussi_realloc(&request->mem, (void *)request->binding, n + 1, sizeof *list) : NULL;
    if (!list) {
        plussi_free(&request->mem, copy);
        return PLUSS_ENOMEM;
    }
    list[n] = (plussi_binding){copy, value};
    request->binding = list;
    request->n_bindings++;
    return PLUSS_OK;
}

pluss_status plussi_request_set_chunks(plussi_request *request, const plussi_chunk *chunk, size_t n)
{
    plussi_chunk *copy = copy_list(&request->mem, chunk, n, sizeof *chunk);
    if (!copy)
        return PLUSS_ENOMEM;
    plussi_free(&request->mem, (void *)request->recorded);
    request->recorded = copy;
    request->n_recorded = n;
    request->as_recorded = n > 0;
    request->schedule = PLUSSI_SCHED_NONE;
    request->chunk = 0;
    return PLUSS_OK;
}

pluss_status plussi_request_set_caches(plussi_ctx *ctx, plussi_request *request,
                                       const plussi_report_cache *cache, size_t n)
{
    (void)ctx;
    plussi_report_cache *copy = copy_list(&request->mem, cache, n, sizeof *cache);
    pluss_status status = copy ? PLUSS_OK : PLUSS_ENOMEM;
    size_t made = 0;
    for (; made < n && !status; made++)
        status = plussi_copy_text(&request->mem, cache[made].label, (char **)&copy[made].label);
    if (status) {
        free_caches(&request->mem, copy, made);
        return status;
    }
    free_caches(&request->mem, request->cache, request->n_caches);
    request->cache = copy;
    request->n_caches = n;
    return PLUSS_OK;
}

pluss_status plussi_request_add_region(plussi_request *request, const char *name)
{
    char *copy = plussi_strndup(&request->mem, name, strlen(name));
    const char **list = copy ? plussi_realloc(&request->mem, (void *)request->region,
                                              request->n_regions + 1, sizeof *list)
                             : NULL;
    if (!list) {
        plussi_free(&request->mem, copy);
        return PLUSS_ENOMEM;
    }
    list[request->n_regions++] = copy;
    request->region = list;
    return PLUSS_OK;
}

pluss_status plussi_request_add_contents(plussi_request *request, const char *array, size_t length,
                                         const int64_t *values, size_t n)
{
    const plussi_mem *mem = &request->mem;
    plussi_contents new = {plussi_strndup(mem, array, length),
                           copy_list(mem, values, n, sizeof *values), n};
    plussi_contents *list =
        plussi_realloc(mem, (void *)request->contents, request->n_contents + 1, sizeof *list);
    if (list)
        request->contents = list;
    if (!list || !new.array || !new.values) {
        plussi_free(mem, (char *)new.array);
        plussi_free(mem, (void *)new.values);
        return PLUSS_ENOMEM;
    }
    size_t at = 0;
    while (at < request->n_contents && strcmp(list[at].array, new.array) != 0)
        at++;
    if (at < request->n_contents) {
        plussi_free(mem, (char *)list[at].array);
        plussi_free(mem, (void *)list[at].values);
    } else {
        request->n_contents++;
    }
    list[at] = new;
    return PLUSS_OK;
}

/* ---- files -------------------------------------------------------------------------------------
 */

pluss_status plussi_request_read_record(plussi_ctx *ctx, plussi_request *request, const char *path)
{
    plussi_held *held = plussi_calloc(&request->mem, 1, sizeof *held);
    if (!hold(held))
        return PLUSS_ENOMEM;
    pluss_status status = plussi_record_read(ctx, path, &held->record);
    if (status) {
        drop(&request->mem, held);
        return status;
    }
    drop(&request->mem, request->held_record);
    request->held_record = held;
    request->record = held->record;
    return PLUSS_OK;
}

pluss_status plussi_request_read_machine(plussi_ctx *ctx, plussi_request *request, const char *path)
{
    plussi_held *held = plussi_calloc(&request->mem, 1, sizeof *held);
    if (!hold(held))
        return PLUSS_ENOMEM;
    pluss_status status = plussi_machine_file_read(ctx, path, &held->machine);
    if (status) {
        drop(&request->mem, held);
        return status;
    }
    drop(&request->mem, request->held_machine);
    request->held_machine = held;
    request->machine = held->machine;
    return PLUSS_OK;
}

/* ---- how iterations are dispatched, how threads progress ---------------------------------------
 */

pluss_status plussi_request_set_schedule(plussi_ctx *ctx, plussi_request *request,
                                         plussi_schedule_kind kind, int64_t chunk, bool as_recorded)
{
    if (chunk < 0 || (chunk > 0 && kind == PLUSSI_SCHED_NONE))
        return plussi_fail(ctx, PLUSS_ERANGE, NULL, "a chunk of %lld iterations%s",
                           (long long)chunk, chunk > 0 ? " of no schedule" : "");
    if (!as_recorded) {
        plussi_free(&request->mem, (void *)request->recorded);
        request->recorded = NULL;
        request->n_recorded = 0;
    }
    request->as_recorded = as_recorded;
    request->schedule = kind;
    request->chunk = chunk;
    return PLUSS_OK;
}

static pluss_status copy_progress(const plussi_mem *mem, const plussi_progress *from,
                                  plussi_progress *out)
{
    const size_t costs = from->n_rates * PLUSSI_RATES_PIECES;
    *out = *from;
    out->n_loops = 0;
    out->rate = from->n_rates ? copy_list(mem, from->rate, from->n_rates, sizeof *out->rate) : NULL;
    plussi_loop_rates *loop =
        from->n_loops ? plussi_calloc(mem, from->n_loops, sizeof *loop) : NULL;
    out->loop = loop;
    pluss_status status = plussi_copy_text(mem, from->origin, (char **)&out->origin);
    if ((from->n_rates && !out->rate) || (from->n_loops && !loop))
        status = PLUSS_ENOMEM;
    for (size_t i = 0; i < from->n_loops && !status; i++) {
        out->n_loops = i + 1;
        loop[i].loop = from->loop[i].loop;
        loop[i].rate = copy_list(mem, from->loop[i].rate, from->n_rates, sizeof *loop[i].rate);
        loop[i].cost = copy_list(mem, from->loop[i].cost, costs, sizeof *loop[i].cost);
        status = loop[i].rate && loop[i].cost ? PLUSS_OK : PLUSS_ENOMEM;
    }
    if (status)
        free_progress(mem, out);
    return status;
}

pluss_status plussi_request_set_progress(plussi_ctx *ctx, plussi_request *request,
                                         const plussi_progress *progress, bool by_default)
{
    plussi_progress taken = *progress, copy;
    pluss_status status = PLUSS_OK;
    /* what RECORDED lacks is told where it is used */
    if (progress->law != PLUSSI_PROGRESS_RECORDED)
        status = plussi_progress_check(ctx, progress);
    if (progress->law != PLUSSI_PROGRESS_RATES) { /* not looked at */
        taken.rate = NULL;
        taken.loop = NULL;
        taken.n_rates = taken.n_loops = 0;
    }
    if (!status)
        status = copy_progress(&request->mem, &taken, &copy);
    if (status)
        return status;
    free_progress(&request->mem, &request->progress);
    request->progress = copy;
    request->default_progress = by_default;
    return PLUSS_OK;
}

/* ---- copies ------------------------------------------------------------------------------------
 */

pluss_status plussi_request_copy(const plussi_request *request, plussi_request *out)
{
    plussi_ctx quiet; /* nothing is refused: it was accepted before */
    plussi_request copy = *request;
    copy.team = NULL;
    copy.binding = NULL;
    copy.recorded = NULL;
    copy.cache = NULL;
    copy.region = NULL;
    copy.contents = NULL;
    copy.n_teams = copy.n_bindings = copy.n_recorded = copy.n_caches = 0;
    copy.n_regions = copy.n_contents = 0;
    (void)hold(copy.held_record);
    (void)hold(copy.held_machine);
    copy.progress = (plussi_progress){0};
    plussi_ctx_init(&quiet, &request->mem);
    pluss_status status = plussi_request_set_teams(&quiet, &copy, request->team, request->n_teams);
    for (size_t i = 0; i < request->n_bindings && !status; i++)
        status = plussi_request_bind(&quiet, &copy, request->binding[i].name,
                                     strlen(request->binding[i].name), request->binding[i].value);
    if (!status && request->n_recorded)
        status = plussi_request_set_chunks(&copy, request->recorded, request->n_recorded);
    if (!status)
        status = plussi_request_set_caches(&quiet, &copy, request->cache, request->n_caches);
    for (size_t i = 0; i < request->n_regions && !status; i++)
        status = plussi_request_add_region(&copy, request->region[i]);
    for (size_t i = 0; i < request->n_contents && !status; i++) {
        const plussi_contents *c = &request->contents[i];
        status = plussi_request_add_contents(&copy, c->array, strlen(c->array), c->values, c->n);
    }
    if (!status)
        status = copy_progress(&request->mem, &request->progress, &copy.progress);
    plussi_ctx_clear(&quiet);
    if (status) {
        copy.progress = (plussi_progress){0}; /* freed */
        plussi_request_free(&copy);
    }
    *out = copy;
    return status;
}
