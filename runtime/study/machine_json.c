/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The machine file as JSON.
 */
#include "study/machine_file.h"

#ifndef PLUSS_WITHOUT_JSON
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1, TEAM_MOST = 65536 };

/* ---- reading ----------------------------------------------------------------------------------
 */

typedef struct reader {
    plussi_ctx *ctx;
    plussi_loc loc;  /* of messages: the file */
    char within[96]; /* "regions[2].loops[0]." */
    plussi_arena *arena;
    pluss_status status; /* of the first fault */
} reader;

static void wrong(reader *r, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void wrong(reader *r, const char *key, const char *format, ...)
{
    char what[160];
    va_list args;
    if (r->status)
        return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    r->status = plussi_fail(r->ctx, PLUSS_EFORMAT, &r->loc, "%s%s: %s", r->within, key, what);
}

/* NULL: no memory, which ends the reading. */
static void *get_room(reader *r, size_t n, size_t size)
{
    void *room = plussi_arena_alloc(r->arena, n + 1, size);
    if (!room && !r->status)
        r->status = PLUSS_ENOMEM;
    return room;
}

static const char *get_text(reader *r, const json_t *object, const char *key, bool needed)
{
    const json_t *json = json_object_get(object, key);
    if (json_is_string(json)) {
        char *text = get_room(r, json_string_length(json), 1);
        return text ? strcpy(text, json_string_value(json)) : NULL;
    }
    if (json ? !json_is_null(json) : needed)
        wrong(r, key, json ? "not a string" : "missing");
    return NULL;
}

static uint64_t get_count(reader *r, const json_t *object, const char *key, uint64_t least,
                          uint64_t most)
{
    const json_t *json = json_object_get(object, key);
    json_int_t value = json_integer_value(json);
    if (!json_is_integer(json))
        wrong(r, key, json ? "not an integer" : "missing");
    else if (value < 0 || (uint64_t)value < least || (uint64_t)value > most)
        wrong(r, key, "%lld is not in %llu ... %llu", (long long)value, (unsigned long long)least,
              (unsigned long long)most);
    else
        return (uint64_t)value;
    return least;
}

static bool in_range(reader *r, const char *key, const json_t *json, double least, double most)
{
    if (!json_is_number(json))
        wrong(r, key, json ? "not a number" : "missing");
    else if (!(json_number_value(json) >= least && json_number_value(json) <= most))
        wrong(r, key, "%g is not in %g ... %g", json_number_value(json), least, most);
    return !r->status;
}

static double get_number(reader *r, const json_t *object, const char *key, double least,
                         double most)
{
    const json_t *json = json_object_get(object, key);
    return in_range(r, key, json, least, most) ? json_number_value(json) : 0;
}

/* 0 where it is missing: what older files do not have. */
static double get_optional(reader *r, const json_t *object, const char *key, double least,
                           double most)
{
    return json_object_get(object, key) ? get_number(r, object, key, least, most) : 0;
}

static const double *get_numbers(reader *r, const json_t *object, const char *key, size_t n,
                                 double least, double most)
{
    const json_t *array = json_object_get(object, key);
    double *list = get_room(r, n, sizeof *list);
    if (!json_is_array(array))
        wrong(r, key, array ? "not an array" : "missing");
    else if (json_array_size(array) != n)
        wrong(r, key, "%zu numbers, %zu expected", json_array_size(array), n);
    for (size_t i = 0; i < n && !r->status; i++) {
        char element[64];
        snprintf(element, sizeof element, "%s[%zu]", key, i);
        if (in_range(r, element, json_array_get(array, i), least, most))
            list[i] = json_number_value(json_array_get(array, i));
    }
    return list;
}

static plussi_machine_rates get_rates(reader *r, const json_t *object)
{
    plussi_machine_rates t = {0};
    t.sigma = get_number(r, object, "sigma", 0, 10);
    t.skew = get_number(r, object, "skew", 0, 1e15);
    t.skew_spread = get_number(r, object, "skew_spread", 0, 10);
    t.stall_rate = get_number(r, object, "stall_rate", 0, 1);
    t.stall = get_number(r, object, "stall", 0, 1e15);
    t.access = get_optional(r, object, "access", 1e-6, 1e15);
    return t;
}

static bool is_object(reader *r, const char *key, const json_t *json)
{
    if (!json_is_object(json))
        wrong(r, key, json ? "not an object" : "missing");
    return !r->status;
}

/* Elements of an array of objects; 0 where it is none. */
static size_t get_list(reader *r, const json_t *object, const char *key)
{
    const json_t *array = json_object_get(object, key);
    if (!json_is_array(array))
        wrong(r, key, array ? "not an array" : "missing");
    return r->status ? 0 : json_array_size(array);
}

static void get_loop(reader *r, const json_t *object, uint32_t team, plussi_loop_rates *out)
{
    out->loop = (uint32_t)get_count(r, object, "loop", 0, UINT32_MAX);
    out->rate = get_numbers(r, object, "rates", team, 1e-6, 1e6);
    out->cost = get_numbers(r, object, "costs", (size_t)team * PLUSSI_RATES_PIECES, -50, 50);
}

static void get_region(reader *r, const json_t *object, size_t number,
                       plussi_calibrated_region *out)
{
    snprintf(r->within, sizeof r->within, "regions[%zu].", number);
    out->region = get_text(r, object, "region", true);
    out->file = get_text(r, object, "file", false);
    out->command = get_text(r, object, "command", false);
    out->date = get_text(r, object, "date", false);
    out->line = (uint32_t)get_count(r, object, "line", 0, UINT32_MAX);
    out->team = (uint32_t)get_count(r, object, "team", 1, TEAM_MOST);
    out->runs = get_count(r, object, "runs", 1, INT64_MAX);
    out->discarded = get_count(r, object, "discarded", 0, out->runs - 1);
    out->all = get_rates(r, object);
    out->rate = get_numbers(r, object, "rates", r->status ? 0 : out->team, 1e-6, 1e6);
    size_t loops = get_list(r, object, "loops");
    plussi_loop_rates *list = get_room(r, loops, sizeof *list);
    out->loop = list;
    for (size_t i = 0; i < loops && !r->status; i++) {
        const json_t *loop = json_array_get(json_object_get(object, "loops"), i);
        char key[32];
        snprintf(key, sizeof key, "loops[%zu]", i);
        if (!is_object(r, key, loop))
            break;
        snprintf(r->within, sizeof r->within, "regions[%zu].loops[%zu].", number, i);
        get_loop(r, loop, out->team, &list[out->n_loops++]);
        snprintf(r->within, sizeof r->within, "regions[%zu].", number);
    }
}

static void get_file(reader *r, const json_t *root, plussi_machine_file *out)
{
    if (!is_object(r, "the file", root))
        return;
    const json_t *version = json_object_get(root, "version");
    if (!json_is_integer(version) || json_integer_value(version) != VERSION)
        wrong(r, "version", "this is not a machine file of version %d", VERSION);
    out->processor = get_text(r, root, "processor", false);
    out->date = get_text(r, root, "date", false);
    out->all = get_rates(r, root);
    out->slice = get_optional(r, root, "slice", PLUSSI_SLICE_LEAST, PLUSSI_SLICE_MOST);
    size_t n = get_list(r, root, "regions");
    out->region = get_room(r, n, sizeof *out->region);
    out->cap = n;
    for (size_t i = 0; i < n && !r->status; i++) {
        const json_t *region = json_array_get(json_object_get(root, "regions"), i);
        char key[32];
        snprintf(key, sizeof key, "regions[%zu]", i);
        if (is_object(r, key, region)) {
            get_region(r, region, i, &out->region[out->n_regions++]);
            r->within[0] = '\0';
        }
    }
}

static pluss_status load(plussi_ctx *ctx, const char *path, json_t **out)
{
    json_error_t error;
    plussi_loc loc = {.file = path};
    FILE *file = fopen(path, "re");
    if (!file && (errno == ENOENT || errno == ENOTDIR))
        return plussi_fail(ctx, PLUSS_ENOTFOUND, &loc,
                           "there is no such file; pluss calibrate makes it");
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
        reader r = {.ctx = ctx, .loc = {.file = path}, .arena = &file->arena};
        const char *last = strrchr(path, '/');
        last = last ? last + 1 : path;
        file->name = plussi_arena_strndup(&file->arena, last, strlen(last));
        r.status = file->name ? PLUSS_OK : PLUSS_ENOMEM;
        get_file(&r, root, file);
        status = r.status;
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
    json_t *object = json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:I, s:I}", "region",
                               text_or_null(c->region), "file", text_or_null(c->file), "line",
                               (json_int_t)c->line, "team", (json_int_t)c->team, "date",
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

/* NULL: no memory. */
static json_t *file_json(const plussi_machine_file *file)
{
    json_t *regions = json_array();
    json_t *root =
        json_pack("{s:i, s:s, s:o, s:o}", "version", VERSION, "generator", "pluss " PLUSSI_VERSION,
                  "processor", text_or_null(file->processor), "date", text_or_null(file->date));
    bool good = root && put_rates(root, &file->all);
    if (good && file->slice > 0)
        good = json_object_set_new(root, "slice", json_real(file->slice)) == 0;
    good = good && json_object_set(root, "regions", regions) == 0;
    for (size_t i = 0; i < file->n_regions && good; i++)
        good = put_region(regions, &file->region[i]);
    json_decref(regions);
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
