/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The machine file as JSON.
 */
#include "study/machine_file.h"

#ifndef PLUSS_WITHOUT_JSON
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/json_members.h"
#include "study/costs_json.h"

enum { VERSION = 1, TEAM_MOST = 65536 };

/* ---- reading ----------------------------------------------------------------------------------
 */

/* NULL: no memory, which ends the reading. */
static void *get_room(const plussi_json_object *o, plussi_arena *arena, size_t n, size_t size)
{
    void *room = plussi_arena_alloc(arena, n + 1, size);
    if (!room)
        plussi_json_keep(o, PLUSS_ENOMEM);
    return room;
}

static const char *get_text(const plussi_json_object *o, plussi_arena *arena, const char *key,
                            bool required)
{
    const char *text = plussi_json_text(o, key, required);
    char *copy = text ? get_room(o, arena, strlen(text), 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

static const double *get_numbers(const plussi_json_object *o, plussi_arena *arena, const char *key,
                                 size_t n, double least, double most)
{
    double *list = get_room(o, arena, n, sizeof *list);
    plussi_json_numbers(o, key, n, least, most, list);
    return list;
}

static plussi_machine_rates get_rates(const plussi_json_object *o)
{
    return (plussi_machine_rates){
        .sigma = plussi_json_number(o, "sigma", true, 0, 10),
        .skew = plussi_json_number(o, "skew", true, 0, 1e15),
        .skew_spread = plussi_json_number(o, "skew_spread", true, 0, 10),
        .stall_rate = plussi_json_number(o, "stall_rate", true, 0, 1),
        .stall = plussi_json_number(o, "stall", true, 0, 1e15),
        .access = plussi_json_number(o, "access", false, 1e-6, 1e15), /* not in older files */
    };
}

static void get_loop(const plussi_json_object *o, plussi_arena *arena, uint32_t team,
                     plussi_loop_rates *out)
{
    out->loop = (uint32_t)plussi_json_count(o, "loop", true, 0, UINT32_MAX);
    out->rate = get_numbers(o, arena, "rates", team, 1e-6, 1e6);
    out->cost = get_numbers(o, arena, "costs", (size_t)team * PLUSSI_RATES_PIECES, -50, 50);
}

static void get_region(const plussi_json_object *o, plussi_arena *arena,
                       plussi_calibrated_region *out)
{
    out->region = get_text(o, arena, "region", true);
    out->file = get_text(o, arena, "file", false);
    out->command = get_text(o, arena, "command", false);
    out->date = get_text(o, arena, "date", false);
    out->line = (uint32_t)plussi_json_count(o, "line", true, 0, UINT32_MAX);
    out->team = (uint32_t)plussi_json_count(o, "team", true, 1, TEAM_MOST);
    out->runs = plussi_json_count(o, "runs", true, 1, INT64_MAX);
    out->discarded = plussi_json_count(o, "discarded", true, 0, out->runs - 1);
    out->all = get_rates(o);
    out->rate = get_numbers(o, arena, "rates", out->team, 1e-6, 1e6);
    size_t n = plussi_json_length(o, "loops", true);
    plussi_loop_rates *list = get_room(o, arena, n, sizeof *list);
    out->loop = list;
    for (size_t i = 0; i < n && !o->file->status; i++) {
        plussi_json_object loop = plussi_json_element(o, "loops", i);
        get_loop(&loop, arena, out->team, &list[out->n_loops++]);
    }
}

static void get_pools(const plussi_json_object *o, plussi_machine_file *out)
{
    size_t n = plussi_json_length(o, "pools", true);
    plussi_calibrated_pool *list = get_room(o, &out->arena, n, sizeof *list);
    out->pool = list;
    for (size_t i = 0; i < n && !o->file->status; i++) {
        plussi_json_object pool = plussi_json_element(o, "pools", i);
        plussi_arena *arena = &out->arena;
        list[out->n_pools++] = (plussi_calibrated_pool){
            .region = get_text(&pool, arena, "region", true),
            .file = get_text(&pool, arena, "file", false),
            .command = get_text(&pool, arena, "command", false),
            .date = get_text(&pool, arena, "date", false),
            .team = (uint32_t)plussi_json_count(&pool, "team", true, 1, TEAM_MOST),
            .runs = plussi_json_count(&pool, "runs", true, 1, INT64_MAX),
            .wake = plussi_json_number(&pool, "wake", true, 1e-3, 1e12),
            .access = plussi_json_number(&pool, "access", true, 1e-6, 1e12),
        };
    }
}

static void get_calibration(const plussi_json_object *o, plussi_machine_file *out)
{
    out->all = get_rates(o);
    out->slice = plussi_json_number(o, "slice", false, PLUSSI_SLICE_LEAST, PLUSSI_SLICE_MOST);
    size_t n = plussi_json_length(o, "regions", true);
    out->region = get_room(o, &out->arena, n, sizeof *out->region);
    out->cap = n;
    for (size_t i = 0; i < n && !o->file->status; i++) {
        plussi_json_object region = plussi_json_element(o, "regions", i);
        get_region(&region, &out->arena, &out->region[out->n_regions++]);
    }
}

/* "full": one set; null, or missing: unknown. */
static void get_ways(const plussi_json_object *o, plussi_cache_level *out)
{
    const json_t *json = json_object_get(o->json, "ways");
    if (json_is_string(json) && strcmp(json_string_value(json), "full") == 0)
        return;
    if (!json || json_is_null(json))
        out->ways_from = PLUSSI_WAYS_UNKNOWN;
    else if (!json_is_integer(json))
        plussi_json_wrong(o, "ways", "not an integer, \"full\" or null");
    out->ways = (uint32_t)plussi_json_count(o, "ways", false, 1, UINT32_MAX);
}

static plussi_inclusion get_inclusion(const plussi_json_object *o)
{
    const char *text = plussi_json_text(o, "inclusion", false);
    for (plussi_inclusion i = 0; text && i <= PLUSSI_INCLUSION_EXCLUSIVE; i++)
        if (strcmp(text, plussi_inclusion_name(i)) == 0)
            return i;
    if (text)
        plussi_json_wrong(o, "inclusion", "'%.40s' is not inclusive, exclusive or neither", text);
    return PLUSSI_INCLUSION_FREE;
}

static void get_level(const plussi_json_object *o, plussi_cache_level *out, uint32_t *count)
{
    const char *name = plussi_json_text(o, "name", true);
    if (name && (!*name || strlen(name) >= PLUSSI_LEVEL_NAME))
        plussi_json_wrong(o, "name", "the name of a cache has 1 to %d characters",
                          PLUSSI_LEVEL_NAME - 1);
    if (o->file->status || !name)
        return;
    strcpy(out->name, name);
    out->bytes = plussi_json_count(o, "bytes", true, 1, INT64_MAX);
    get_ways(o, out);
    out->threads_per_cache = (uint32_t)plussi_json_count(o, "shared_by", true, 1, UINT32_MAX);
    *count = (uint32_t)plussi_json_count(o, "count", false, 1, UINT32_MAX);
    out->inclusion = get_inclusion(o);
    out->hashed = plussi_json_flag(o, "hashed", false);
    out->page_bytes = plussi_json_count(o, "page_bytes", false, 1, INT64_MAX);
    out->write_through = plussi_json_flag(o, "write_through", false);
    out->no_write_allocate = !plussi_json_flag(o, "write_allocate", true);
}

static void get_levels(const plussi_json_object *o, plussi_machine_caches *out)
{
    plussi_hierarchy *h = &out->hierarchy;
    size_t n = plussi_json_length(o, "levels", true), at;
    uint64_t line = plussi_json_count(o, "line_bytes", false, 1, 4096);
    char key[32], text[128];
    if (n == 0 || n > PLUSSI_LEVELS_MOST)
        plussi_json_wrong(o, "levels", "there are %zu, and can be 1 to %d", n, PLUSSI_LEVELS_MOST);
    h->line_bytes = line ? (uint32_t)line : 64;
    out->cores = (uint32_t)plussi_json_count(o, "cores", false, 1, UINT32_MAX);
    out->processors = (uint32_t)plussi_json_count(o, "processors", false, 1, UINT32_MAX);
    for (size_t i = 0; i < n && !o->file->status; i++) {
        plussi_json_object level = plussi_json_element(o, "levels", i);
        get_level(&level, &h->level[h->n++], &out->count[i]);
    }
    const char *why = o->file->status ? NULL : plussi_hierarchy_fault(h, &at, text);
    if (!why)
        return;
    snprintf(key, sizeof key, at < n ? "levels[%zu]" : "line_bytes", at);
    plussi_json_wrong(o, key, "%s", why);
}

static void get_file(const plussi_json_object *o, plussi_machine_file *out)
{
    const json_t *version = json_object_get(o->json, "version");
    if (!json_is_integer(version) || json_integer_value(version) != VERSION)
        plussi_json_wrong(o, "version", "this is not a machine file of version %d", VERSION);
    out->processor = get_text(o, &out->arena, "processor", false);
    out->date = get_text(o, &out->arena, "date", false);
    bool levels = json_object_get(o->json, "levels");
    if (levels)
        get_levels(o, &out->caches);
    bool costs = json_object_get(o->json, "costs");
    if (costs)
        plussi_read_costs(o, &out->caches, &out->costs);
    bool pools = json_object_get(o->json, "pools");
    if (pools)
        get_pools(o, out);
    out->calibrated = !(levels || costs || pools) || json_object_get(o->json, "sigma") ||
                      json_object_get(o->json, "regions");
    if (out->calibrated)
        get_calibration(o, out);
}

static pluss_status load(plussi_ctx *ctx, const char *path, json_t **out)
{
    json_error_t error;
    plussi_loc loc = {.file = path};
    FILE *file = fopen(path, "re");
    if (!file && (errno == ENOENT || errno == ENOTDIR))
        return plussi_fail(
            ctx, PLUSS_ENOTFOUND, &loc,
            "there is no such file; pluss calibrate and pluss machine --save make it");
    if (!file)
        return plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be read: %s", strerror(errno));
    *out = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (*out)
        return PLUSS_OK;
    if (json_error_code(&error) == json_error_out_of_memory)
        return PLUSS_ENOMEM;
    loc.line = error.line > 0 ? (uint32_t)error.line : 1;
    loc.col = error.column > 0 ? (uint32_t)error.column : 1;
    return plussi_fail(ctx, PLUSS_EFORMAT, &loc, "%s", error.text);
}

pluss_status plussi_machine_file_read(plussi_ctx *ctx, const char *path, plussi_machine_file **out)
{
    json_t *root = NULL;
    plussi_machine_file *file = NULL;
    pluss_status status = load(ctx, path, &root);
    if (!status)
        status = plussi_machine_file_new(ctx, &file);
    if (!status) {
        plussi_json_file read = {.ctx = ctx, .loc = {.file = path}};
        const char *last = strrchr(path, '/');
        last = last ? last + 1 : path;
        file->name = plussi_arena_strndup(&file->arena, last, strlen(last));
        read.status = file->name ? PLUSS_OK : PLUSS_ENOMEM;
        get_file(&(plussi_json_object){&read, root, ""}, file);
        status = read.status;
    }
    json_decref(root);
    if (status)
        plussi_machine_file_free(file);
    else
        *out = file;
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

/* Strings from the system may be anything; JSON is UTF-8. */
static json_t *text_or_null(const char *text)
{
    json_t *json = text ? json_string(text) : NULL;
    return json ? json : json_null();
}

/* Without memory for a value jansson's makers of objects and arrays give NULL, and take what they
 * are given. */
static json_t *numbers(const double *list, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n && array; i++)
        if (json_array_append_new(array, json_real(list[i])) != 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

/* Takes the element. */
static bool append(json_t *array, json_t *element)
{
    return json_array_append_new(array, element) == 0;
}

static bool put_rates(json_t *object, const plussi_machine_rates *t)
{
    json_t *rates =
        json_pack("{s:f, s:f, s:f, s:f, s:f}", "sigma", t->sigma, "skew", t->skew, "skew_spread",
                  t->skew_spread, "stall_rate", t->stall_rate, "stall", t->stall);
    bool good =
        rates && json_object_update(object, rates) == 0 &&
        (!(t->access > 0) || json_object_set_new(object, "access", json_real(t->access)) == 0);
    json_decref(rates);
    return good;
}

static bool put_region(json_t *regions, const plussi_calibrated_region *c)
{
    json_t *loops = json_array();
    json_t *name = json_string(c->region);
    json_t *object = json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:I, s:I}", "region",
                               name ? name : json_string("?"), "file", text_or_null(c->file),
                               "line", (json_int_t)c->line, "team", (json_int_t)c->team, "date",
                               text_or_null(c->date), "command", text_or_null(c->command), "runs",
                               (json_int_t)c->runs, "discarded", (json_int_t)c->discarded);
    bool good = object && put_rates(object, &c->all) &&
                json_object_set_new(object, "rates", numbers(c->rate, c->team)) == 0 &&
                json_object_set(object, "loops", loops) == 0;
    for (size_t i = 0; i < c->n_loops && good; i++)
        good = append(loops,
                      json_pack("{s:I, s:o, s:o}", "loop", (json_int_t)c->loop[i].loop, "rates",
                                numbers(c->loop[i].rate, c->team), "costs",
                                numbers(c->loop[i].cost, (size_t)c->team * PLUSSI_RATES_PIECES)));
    json_decref(loops);
    return append(regions, object) && good;
}

/* Takes the value. */
static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static json_t *ways_json(const plussi_cache_level *l)
{
    return l->ways_from == PLUSSI_WAYS_UNKNOWN ? json_null()
           : l->ways                           ? json_integer(l->ways)
                                               : json_string("full");
}

static bool put_level(json_t *levels, const plussi_cache_level *l, uint32_t count)
{
    json_t *object = json_pack(
        "{s:s, s:I, s:o, s:I, s:s, s:b, s:b, s:b}", "name", l->name, "bytes", (json_int_t)l->bytes,
        "ways", ways_json(l), "shared_by", (json_int_t)l->threads_per_cache, "inclusion",
        plussi_inclusion_name(l->inclusion), "hashed", l->hashed, "write_through", l->write_through,
        "write_allocate", !l->no_write_allocate);
    bool good =
        object && (!count || put(object, "count", json_integer(count))) &&
        (!l->page_bytes || put(object, "page_bytes", json_integer((json_int_t)l->page_bytes)));
    return append(levels, object) && good;
}

static bool put_levels(json_t *root, const plussi_machine_caches *c)
{
    json_t *levels = json_array();
    bool good = put(root, "line_bytes", json_integer(c->hierarchy.line_bytes)) &&
                (!c->cores || put(root, "cores", json_integer(c->cores))) &&
                (!c->processors || put(root, "processors", json_integer(c->processors))) &&
                json_object_set(root, "levels", levels) == 0;
    for (size_t i = 0; i < c->hierarchy.n && good; i++)
        good = put_level(levels, &c->hierarchy.level[i], c->count[i]);
    json_decref(levels);
    return good;
}

static bool put_pools(json_t *root, const plussi_machine_file *file)
{
    json_t *pools = json_array();
    bool good = json_object_set(root, "pools", pools) == 0;
    for (size_t i = 0; i < file->n_pools && good; i++) {
        const plussi_calibrated_pool *p = &file->pool[i];
        json_t *name = json_string(p->region);
        good = append(pools,
                      json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:f, s:f}", "region",
                                name ? name : json_string("?"), "file", text_or_null(p->file),
                                "team", (json_int_t)p->team, "runs", (json_int_t)p->runs, "date",
                                text_or_null(p->date), "command", text_or_null(p->command), "wake",
                                p->wake, "access", p->access));
    }
    json_decref(pools);
    return good;
}

static bool put_calibration(json_t *root, const plussi_machine_file *file)
{
    json_t *regions = json_array();
    bool good = put_rates(root, &file->all) &&
                (!(file->slice > 0) || put(root, "slice", json_real(file->slice))) &&
                json_object_set(root, "regions", regions) == 0;
    for (size_t i = 0; i < file->n_regions && good; i++)
        good = put_region(regions, &file->region[i]);
    json_decref(regions);
    return good;
}

/* NULL: no memory. */
static json_t *file_json(const plussi_machine_file *file)
{
    json_t *root =
        json_pack("{s:i, s:s, s:o, s:o}", "version", VERSION, "generator", "pluss " PLUSSI_VERSION,
                  "processor", text_or_null(file->processor), "date", text_or_null(file->date));
    bool levels = file->caches.hierarchy.n > 0, costs = file->costs.n > 0, pools = file->n_pools;
    bool good = root && (!levels || put_levels(root, &file->caches)) &&
                (!costs || put(root, "costs", plussi_costs_json(&file->costs))) &&
                (!pools || put_pools(root, file)) &&
                (((levels || costs || pools) && !file->calibrated) || put_calibration(root, file));
    if (!good)
        json_decref(root);
    return good ? root : NULL;
}

static int dump(const char *data, size_t length, void *sink)
{
    plussi_sink_bytes(sink, data, length);
    return 0;
}

pluss_status plussi_machine_file_write(plussi_ctx *ctx, const plussi_machine_file *file,
                                       plussi_sink *sink)
{
    json_t *root = file_json(file);
    bool good =
        root && json_dump_callback(root, dump, sink, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) == 0;
    json_decref(root);
    plussi_sink_bytes(sink, "\n", 1);
    return good ? plussi_sink_finish(ctx, sink) : PLUSS_ENOMEM;
}

#else

pluss_status plussi_machine_file_read(plussi_ctx *ctx, const char *path, plussi_machine_file **out)
{
    (void)out;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &(plussi_loc){.file = path},
                       "this library was built without JSON");
}

pluss_status plussi_machine_file_write(plussi_ctx *ctx, const plussi_machine_file *file,
                                       plussi_sink *sink)
{
    (void)file, (void)sink;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL, "this library was built without JSON");
}

#endif
