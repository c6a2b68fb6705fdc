/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/request.h"

#include <string.h>

void plussi_request_init(plussi_request *request, const plussi_mem *mem)
{
    *request = (plussi_request){
        .line_bytes = 64, .gaps = {.loop = -1, .lap = 1, .interval = 1e5, .drop = .1, .bins = 20}};
    plussi_arena_init(&request->arena, mem);
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

void plussi_request_free(plussi_request *request)
{
    const plussi_mem mem = request->arena.mem;
    drop(&mem, request->held_record);
    drop(&mem, request->held_machine);
    plussi_arena_free(&request->arena);
    plussi_request_init(request, &mem);
}

/* With room for one more; NULL: no memory. */
static void *copy_list(plussi_request *request, const void *list, size_t n, size_t size)
{
    void *copy = plussi_arena_alloc(&request->arena, n + 1, size);
    if (copy && n)
        memcpy(copy, list, n * size);
    return copy;
}

/* false: no memory. */
static bool copy_text(plussi_request *request, const char **text)
{
    if (!*text)
        return true;
    *text = plussi_arena_strndup(&request->arena, *text, strlen(*text));
    return *text != NULL;
}

/* ---- lists -------------------------------------------------------------------------------------
 */

pluss_status plussi_request_set_teams(plussi_ctx *ctx, plussi_request *request,
                                      const uint32_t *team, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (team[i] == 0)
            return plussi_fail(ctx, PLUSS_ERANGE, NULL, "a team has at least one thread");
    uint32_t *copy = copy_list(request, team, n, sizeof *team);
    if (!copy)
        return PLUSS_ENOMEM;
    request->team = copy;
    request->n_teams = n;
    return PLUSS_OK;
}

/* Takes the name out of the lists. */
static pluss_status drop_from_lists(plussi_request *request, const char *name, size_t length)
{
    const size_t n = request->n_lists;
    plussi_value_list *kept = copy_list(request, request->list, n, sizeof *kept);
    size_t n_kept = 0;
    if (!kept)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const plussi_value_list *from = &request->list[i];
        const char **names = copy_list(request, from->name, from->n_names, sizeof *names);
        size_t n_names = 0;
        if (!names)
            return PLUSS_ENOMEM;
        for (size_t k = 0; k < from->n_names; k++)
            if (strlen(from->name[k]) != length || memcmp(from->name[k], name, length) != 0)
                names[n_names++] = from->name[k];
        kept[n_kept] = (plussi_value_list){names, n_names, from->value, from->n};
        n_kept += n_names > 0;
    }
    request->list = kept;
    request->n_lists = n_kept;
    return PLUSS_OK;
}

pluss_status plussi_request_bind_list(plussi_request *request, const char *const *name,
                                      size_t n_names, const int64_t *value, size_t n)
{
    plussi_request changed = *request; /* keeps what it puts into the arena */
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n_names && !status; i++)
        status = plussi_request_bind(&changed, name[i], strlen(name[i]), value[0]);
    plussi_value_list *lists =
        status || n < 2 ? NULL : copy_list(&changed, changed.list, changed.n_lists, sizeof *lists);
    const char **names = lists ? copy_list(&changed, name, n_names, sizeof *names) : NULL;
    int64_t *values = names ? copy_list(&changed, value, n, sizeof *values) : NULL;
    for (size_t i = 0; i < n_names && values; i++)
        if (!(names[i] = plussi_arena_strndup(&changed.arena, name[i], strlen(name[i]))))
            values = NULL;
    if (!status && n > 1 && !values)
        status = PLUSS_ENOMEM;
    if (values) {
        lists[changed.n_lists++] = (plussi_value_list){names, n_names, values, n};
        changed.list = lists;
    }
    request->arena = changed.arena;
    if (!status)
        *request = changed;
    return status;
}

pluss_status plussi_request_bind(plussi_request *request, const char *name, size_t length,
                                 int64_t value)
{
    if (request->n_lists && drop_from_lists(request, name, length))
        return PLUSS_ENOMEM;
    const size_t n = request->n_bindings;
    size_t at = 0;
    while (at < n && (strlen(request->binding[at].name) != length ||
                      memcmp(request->binding[at].name, name, length) != 0))
        at++;
    plussi_binding *list = copy_list(request, request->binding, n, sizeof *list);
    char *copy = plussi_arena_strndup(&request->arena, name, length);
    if (!list || !copy)
        return PLUSS_ENOMEM;
    list[at] = (plussi_binding){copy, value};
    request->binding = list;
    request->n_bindings += at == n;
    return PLUSS_OK;
}

pluss_status plussi_request_set_chunks(plussi_request *request, const plussi_chunk *chunk, size_t n)
{
    plussi_chunk *copy = copy_list(request, chunk, n, sizeof *chunk);
    if (!copy)
        return PLUSS_ENOMEM;
    request->recorded = copy;
    request->n_recorded = n;
    request->as_recorded = n > 0;
    request->schedule = PLUSSI_SCHED_NONE;
    request->chunk = 0;
    request->n_choices = 0;
    return PLUSS_OK;
}

pluss_status plussi_request_set_caches(plussi_request *request, const plussi_report_cache *cache,
                                       size_t n)
{
    plussi_report_cache *copy = copy_list(request, cache, n, sizeof *cache);
    bool good = copy != NULL;
    for (size_t i = 0; i < n && good; i++)
        good = copy_text(request, &copy[i].label);
    if (!good)
        return PLUSS_ENOMEM;
    request->cache = copy;
    request->n_caches = n;
    request->levels.hierarchy.n = 0;
    request->ways.ways.n = 0;
    request->machine_levels = false;
    return PLUSS_OK;
}

bool plussi_request_has_levels(const plussi_request *request)
{
    return request->machine_levels || request->levels.hierarchy.n;
}

pluss_status plussi_request_add_region(plussi_request *request, const char *name)
{
    const char **list = copy_list(request, request->region, request->n_regions, sizeof *list);
    if (!list || !copy_text(request, &name))
        return PLUSS_ENOMEM;
    list[request->n_regions++] = name;
    request->region = list;
    return PLUSS_OK;
}

pluss_status plussi_request_add_contents(plussi_request *request, const char *array, size_t length,
                                         const int64_t *values, size_t n)
{
    const plussi_contents new = {plussi_arena_strndup(&request->arena, array, length),
                                 copy_list(request, values, n, sizeof *values), n};
    plussi_contents *list =
        copy_list(request, request->contents, request->n_contents, sizeof *list);
    size_t at = 0;
    if (!list || !new.array || !new.values)
        return PLUSS_ENOMEM;
    while (at < request->n_contents && strcmp(list[at].array, new.array) != 0)
        at++;
    list[at] = new;
    request->contents = list;
    request->n_contents += at == request->n_contents;
    return PLUSS_OK;
}

/* ---- files -------------------------------------------------------------------------------------
 */

/* Takes what was read in place of what is held. */
static pluss_status keep(plussi_request *request, plussi_held **at, plussi_held read)
{
    const plussi_mem *mem = &request->arena.mem;
    plussi_held *held = plussi_alloc(mem, 1, sizeof *held);
    if (!held) {
        plussi_record_free(read.record);
        plussi_machine_file_free(read.machine);
        return PLUSS_ENOMEM;
    }
    *held = read;
    drop(mem, *at);
    *at = hold(held);
    return PLUSS_OK;
}

pluss_status plussi_request_read_record(plussi_ctx *ctx, plussi_request *request, const char *path)
{
    plussi_held read = {0};
    pluss_status status = plussi_record_read(ctx, path, &read.record);
    if (!status)
        status = keep(request, &request->held_record, read);
    if (!status)
        request->record = read.record;
    return status;
}

pluss_status plussi_request_read_machine(plussi_ctx *ctx, plussi_request *request, const char *path)
{
    plussi_held read = {0};
    pluss_status status = plussi_machine_file_read(ctx, path, &read.machine);
    if (!status)
        status = keep(request, &request->held_machine, read);
    if (!status)
        request->machine = read.machine;
    return status;
}

/* ---- how iterations are dispatched, how threads progress ---------------------------------------
 */

pluss_status plussi_request_set_schedule(plussi_ctx *ctx, plussi_request *request,
                                         plussi_schedule_kind kind, int64_t chunk, bool as_recorded)
{
    if (chunk < 0 || (chunk > 0 && kind == PLUSSI_SCHED_NONE))
        return plussi_fail(ctx, PLUSS_ERANGE, NULL, "a chunk of %lld iterations%s",
                           (long long)chunk, chunk > 0 ? " of no schedule" : "");
    if (!as_recorded)
        request->n_recorded = 0;
    request->as_recorded = as_recorded;
    request->schedule = kind;
    request->chunk = chunk;
    request->n_choices = 0;
    return PLUSS_OK;
}

pluss_status plussi_request_add_schedule(plussi_ctx *ctx, plussi_request *request,
                                         plussi_schedule_kind kind, int64_t chunk, bool as_recorded)
{
    const size_t n = request->n_choices;
    if (n == PLUSSI_SCHEDULES_MOST)
        return plussi_fail(ctx, PLUSS_ELIMIT, NULL, "there are at most %d schedules",
                           PLUSSI_SCHEDULES_MOST);
    pluss_status status =
        n ? PLUSS_OK : plussi_request_set_schedule(ctx, request, kind, chunk, as_recorded);
    if (status)
        return status;
    request->choice[n] = (plussi_schedule_choice){kind, chunk, as_recorded};
    request->n_choices = n + 1;
    return PLUSS_OK;
}

/* Puts what it points to, but for timelines, into the arena; false: no memory. */
static bool copy_progress(plussi_request *request, plussi_progress *p)
{
    const size_t n = p->n_rates, costs = n * PLUSSI_RATES_PIECES;
    plussi_loop_rates *loop = copy_list(request, p->loop, p->n_loops, sizeof *loop);
    bool good = loop && copy_text(request, &p->origin);
    for (size_t i = 0; i < p->n_loops && good; i++) {
        loop[i].rate = copy_list(request, loop[i].rate, n, sizeof *loop[i].rate);
        loop[i].cost = copy_list(request, loop[i].cost, costs, sizeof *loop[i].cost);
        good = loop[i].rate && loop[i].cost;
    }
    p->loop = loop;
    p->rate = good ? copy_list(request, p->rate, n, sizeof *p->rate) : NULL;
    return p->rate != NULL;
}

pluss_status plussi_request_set_progress(plussi_ctx *ctx, plussi_request *request,
                                         const plussi_progress *progress, bool by_default)
{
    plussi_progress taken = *progress;
    /* what RECORDED lacks is told where it is used */
    pluss_status status =
        progress->law == PLUSSI_PROGRESS_RECORDED ? PLUSS_OK : plussi_progress_check(ctx, progress);
    if (progress->law != PLUSSI_PROGRESS_RATES) /* not looked at */
        taken.n_rates = taken.n_loops = 0;
    if (!status && !copy_progress(request, &taken))
        status = PLUSS_ENOMEM;
    if (status)
        return status;
    request->progress = taken;
    request->progress_given = true;
    request->default_progress = by_default;
    return PLUSS_OK;
}

/* ---- copies ------------------------------------------------------------------------------------
 */

pluss_status plussi_request_copy(const plussi_request *request, plussi_request *out)
{
    const plussi_mem *mem = &request->arena.mem;
    plussi_request copy = *request;
    plussi_arena_init(&copy.arena, mem);
    (void)hold(copy.held_record);
    (void)hold(copy.held_machine);
    copy.n_bindings = copy.n_regions = copy.n_contents = copy.n_lists = 0;
    copy.team = copy_list(&copy, request->team, request->n_teams, sizeof *copy.team);
    copy.recorded = copy_list(&copy, request->recorded, request->n_recorded, sizeof *copy.recorded);
    bool good = copy.team && copy.recorded && copy_progress(&copy, &copy.progress);
    pluss_status status =
        good ? plussi_request_set_caches(&copy, request->cache, request->n_caches) : PLUSS_ENOMEM;
    copy.levels = request->levels;
    copy.ways = request->ways;
    copy.machine_levels = request->machine_levels;
    for (size_t i = 0; i < request->n_bindings && !status; i++)
        status = plussi_request_bind(&copy, request->binding[i].name,
                                     strlen(request->binding[i].name), request->binding[i].value);
    for (size_t i = 0; i < request->n_lists && !status; i++) {
        const plussi_value_list *l = &request->list[i];
        status = plussi_request_bind_list(&copy, l->name, l->n_names, l->value, l->n);
    }
    for (size_t i = 0; i < request->n_regions && !status; i++)
        status = plussi_request_add_region(&copy, request->region[i]);
    for (size_t i = 0; i < request->n_contents && !status; i++) {
        const plussi_contents *c = &request->contents[i];
        status = plussi_request_add_contents(&copy, c->array, strlen(c->array), c->values, c->n);
    }
    if (status)
        plussi_request_free(&copy);
    *out = copy;
    return status;
}
