/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"
#include "report/writer.h"

#ifndef PLUSS_WITHOUT_JSON
#include <jansson.h>
#include <math.h>
#include <string.h>

/* Sizes and counts are shown as integers. */
#define MOST 0x1p63

/* What every step of reading one curve needs. */
typedef struct reader {
    plussi_ctx *ctx;
    plussi_loc loc; /* of messages: the file alone, jansson keeps no places */
    size_t curve;
    const char *within;            /* of keys: "" or "standard_error." */
    const char *threads_per_cache; /* the key of this version */
    const json_t *object;
} reader;

static pluss_status wrong(reader *r, const char *key, const char *what)
{
    return plussi_fail(r->ctx, PLUSS_EFORMAT, &r->loc, "curves[%zu].%s%s: %s", r->curve, r->within,
                       key, what);
}

static pluss_status get_text(reader *r, const char *key, bool required, char **out)
{
    const json_t *json = json_object_get(r->object, key);
    if (!json && !required)
        return PLUSS_OK;
    if (!json_is_string(json))
        return wrong(r, key, json ? "not a string" : "missing");
    *out = plussi_strndup(&r->ctx->mem, json_string_value(json), json_string_length(json));
    return *out ? PLUSS_OK : PLUSS_ENOMEM;
}

static pluss_status get_integer(reader *r, const char *key, bool required, int64_t least,
                                int64_t most, int64_t *out)
{
    const json_t *json = json_object_get(r->object, key);
    if (!json && !required)
        return PLUSS_OK;
    if (!json_is_integer(json))
        return wrong(r, key, json ? "not an integer" : "missing");
    if (json_integer_value(json) < least || json_integer_value(json) > most)
        return wrong(r, key, "out of range");
    *out = json_integer_value(json);
    return PLUSS_OK;
}

static pluss_status get_numbers(reader *r, const char *key, double **out, size_t *n)
{
    const json_t *array = json_object_get(r->object, key);
    if (!json_is_array(array) || json_array_size(array) == 0)
        return wrong(r, key, array ? "not an array with elements" : "missing");
    *n = json_array_size(array);
    *out = plussi_alloc(&r->ctx->mem, *n, sizeof **out);
    if (!*out)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < *n; i++) {
        const json_t *element = json_array_get(array, i);
        if (!json_is_number(element))
            return wrong(r, key, "an element is not a number");
        (*out)[i] = json_number_value(element);
    }
    return PLUSS_OK;
}

static pluss_status get_points(reader *r, plussi_mrc *mrc)
{
    size_t n_miss = 0;
    pluss_status status = get_numbers(r, "size_lines", &mrc->size, &mrc->n);
    if (!status)
        status = get_numbers(r, "miss_ratio", &mrc->miss, &n_miss);
    if (status)
        return status;
    if (n_miss != mrc->n)
        return wrong(r, "miss_ratio", "not as many elements as size_lines");
    if (mrc->size[0] != 0 || mrc->miss[0] != 1)
        return wrong(r, "miss_ratio", "a curve starts with size 0, miss ratio 1");
    for (size_t i = 0; i < mrc->n; i++) {
        if (i > 0 && !(mrc->size[i] > mrc->size[i - 1]))
            return wrong(r, "size_lines", "does not ascend");
        if (mrc->size[i] > MOST)
            return wrong(r, "size_lines", "an element is out of range");
        if (!(mrc->miss[i] >= 0) || (i > 0 && mrc->miss[i] > mrc->miss[i - 1]))
            return wrong(r, "miss_ratio", "rises, or is negative");
    }
    const json_t *accesses = json_object_get(r->object, "accesses");
    mrc->accesses = json_number_value(accesses);
    if (!json_is_number(accesses) || !(mrc->accesses > 0 && mrc->accesses <= MOST))
        return wrong(r, "accesses", accesses ? "not a positive number below 2^63" : "missing");
    return PLUSS_OK;
}

/* The array's lengths agree and what it says can be. */
static pluss_status check_errors(reader *r, const plussi_curve *curve, size_t n_error)
{
    if (n_error != curve->n_error)
        return wrong(r, "miss_ratio", "not as many elements as size_lines");
    for (size_t i = 0; i < n_error; i++) {
        const double *size = curve->error_size, *error = curve->error;
        if (!(size[i] > (i > 0 ? size[i - 1] : 0)) || size[i] > MOST)
            return wrong(r, "size_lines", "does not ascend, or is out of range");
        if (!(error[i] >= 0 && error[i] <= 1))
            return wrong(r, "miss_ratio", "an element is out of range");
    }
    return PLUSS_OK;
}

static pluss_status get_standard_error(reader *outer, plussi_curve *curve)
{
    reader r = *outer;
    r.object = json_object_get(outer->object, "standard_error");
    if (!r.object)
        return PLUSS_OK;
    if (!json_is_object(r.object))
        return wrong(outer, "standard_error", "not an object");
    r.within = "standard_error.";
    size_t n_error = 0;
    pluss_status status = get_numbers(&r, "size_lines", &curve->error_size, &curve->n_error);
    if (!status)
        status = get_numbers(&r, "miss_ratio", &curve->error, &n_error);
    if (!status)
        status = check_errors(&r, curve, n_error);
    if (status)
        return status;
    const json_t *mean = json_object_get(r.object, "mean");
    curve->mean_error = json_number_value(mean);
    if (!json_is_number(mean) || !(curve->mean_error >= 0 && curve->mean_error <= 1))
        return wrong(&r, "mean", mean ? "not a number in 0 ... 1" : "missing");
    return PLUSS_OK;
}

/* At the sizes of standard_error, which is read before. */
static pluss_status get_spread(reader *r, plussi_curve *curve)
{
    size_t n = 0;
    if (!json_object_get(r->object, "spread"))
        return PLUSS_OK;
    pluss_status status = get_numbers(r, "spread", &curve->spread, &n);
    if (!status && n != curve->n_error)
        return wrong(r, "spread", "not as many elements as standard_error has");
    for (size_t i = 0; i < n && !status; i++)
        if (!(curve->spread[i] >= 0 && curve->spread[i] <= 1))
            return wrong(r, "spread", "an element is out of range");
    return status;
}

static pluss_status get_values(reader *r, plussi_curve *curve)
{
    json_t *object = json_object_get(r->object, "values");
    if (!object)
        return PLUSS_OK;
    if (!json_is_object(object))
        return wrong(r, "values", "not an object");
    curve->values = plussi_calloc(&r->ctx->mem, json_object_size(object), sizeof *curve->values);
    if (!curve->values)
        return PLUSS_ENOMEM;
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!json_is_integer(value))
            return wrong(r, "values", "an element is not an integer");
        plussi_value *v = &curve->values[curve->n_values];
        v->name = plussi_strndup(&r->ctx->mem, name, strlen(name));
        if (!v->name)
            return PLUSS_ENOMEM;
        v->value = json_integer_value(value);
        curve->n_values++;
    }
    return PLUSS_OK;
}

static pluss_status get_method(reader *r, plussi_curve *curve)
{
    const char *method = json_string_value(json_object_get(r->object, "method"));
    if (!method || (strcmp(method, "simulation") != 0 && strcmp(method, "prediction") != 0))
        return wrong(r, "method", "neither \"prediction\" nor \"simulation\"");
    curve->simulated = *method == 's';
    return PLUSS_OK;
}

/* What was read so far is in *curve, also on failure. */
static pluss_status read_curve(reader *r, plussi_curve *curve)
{
    int64_t line = 0, team = 0, sharers = 0, seed = 0, line_bytes = 0, footprint = 0, unknowns = 0;
    int64_t footprint_error = 0;
    pluss_status status;
    if ((status = get_text(r, "region", true, &curve->region)) ||
        (status = get_text(r, "file", false, &curve->file)) ||
        (status = get_text(r, "engine", true, &curve->engine)) ||
        (status = get_text(r, "schedule", false, &curve->schedule)) ||
        (status = get_integer(r, "line", false, 0, UINT32_MAX, &line)) ||
        (status = get_integer(r, "threads", true, 1, UINT32_MAX, &team)) ||
        (status = get_integer(r, r->threads_per_cache, false, 1, UINT32_MAX, &sharers)) ||
        (status = get_integer(r, "seed", false, 0, INT64_MAX, &seed)) ||
        (status = get_integer(r, "line_bytes", true, 1, UINT32_MAX, &line_bytes)) ||
        (status = get_integer(r, "footprint_lines", true, 0, INT64_MAX, &footprint)) ||
        (status = get_integer(r, "footprint_error_lines", false, 0, INT64_MAX, &footprint_error)) ||
        (status = get_integer(r, "unknown_constructs", false, 0, UINT32_MAX, &unknowns)) ||
        (status = get_method(r, curve)) || (status = get_values(r, curve)) ||
        (status = get_points(r, &curve->mrc)) || (status = get_standard_error(r, curve)) ||
        (status = get_spread(r, curve)))
        return status;
    if ((line_bytes & (line_bytes - 1)) != 0)
        return wrong(r, "line_bytes", "not a power of two");
    if (!curve->schedule && !(curve->schedule = plussi_strndup(&r->ctx->mem, "", 0)))
        return PLUSS_ENOMEM;
    curve->line = (uint32_t)line;
    curve->team = (uint32_t)team;
    curve->sharers = sharers < team ? (uint32_t)sharers : 0;
    curve->seed = (uint64_t)seed;
    curve->line_bytes = (uint32_t)line_bytes;
    curve->footprint_lines = (uint64_t)footprint;
    curve->footprint_error = (uint64_t)footprint_error;
    curve->unknowns = (uint32_t)unknowns;
    return PLUSS_OK;
}

static void free_half_read(const plussi_mem *mem, plussi_curve *curve)
{
    plussi_free(mem, curve->mrc.size);
    plussi_free(mem, curve->mrc.miss);
    curve->mrc = (plussi_mrc){0};
    plussi_curve_free(mem, curve);
}

static pluss_status read_document(plussi_ctx *ctx, const json_t *root, const char *file,
                                  plussi_result *result)
{
    reader r = {.ctx = ctx, .loc = {.file = file}, .within = ""};
    const json_t *version = json_object_get(root, "version");
    const json_t *curves = json_object_get(root, "curves");
    if (!json_is_integer(version) || !json_is_array(curves))
        return plussi_fail(ctx, PLUSS_EFORMAT, &r.loc,
                           "not a report of pluss: no \"version\" or no \"curves\"");
    if (json_integer_value(version) < 1 || json_integer_value(version) > PLUSSI_JSON_VERSION)
        return plussi_fail(ctx, PLUSS_EFORMAT, &r.loc,
                           "version %lld of the report is not known, only those up to %d",
                           (long long)json_integer_value(version), PLUSSI_JSON_VERSION);
    r.threads_per_cache = json_integer_value(version) == 1 ? "sharers" : "threads_per_cache";
    for (r.curve = 0; r.curve < json_array_size(curves); r.curve++) {
        r.object = json_array_get(curves, r.curve);
        plussi_curve curve = {.mrc.mem = ctx->mem};
        pluss_status status = read_curve(&r, &curve);
        if (!status)
            status = plussi_result_add(result, &curve);
        if (status) {
            free_half_read(&ctx->mem, &curve);
            return status;
        }
    }
    return PLUSS_OK;
}

pluss_status plussi_report_json_read(plussi_ctx *ctx, const char *text, size_t length,
                                     const char *file, plussi_result *out)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        if (json_error_code(&error) == json_error_out_of_memory)
            return PLUSS_ENOMEM;
        plussi_loc loc = {file, error.line > 0 ? (uint32_t)error.line : 0,
                          error.column > 0 ? (uint32_t)error.column : 0};
        return plussi_fail(ctx, PLUSS_EFORMAT, &loc, "not JSON: %s", error.text);
    }
    plussi_result result;
    plussi_result_init(&result, &ctx->mem);
    pluss_status status = read_document(ctx, root, file, &result);
    json_decref(root);
    if (status)
        plussi_result_free(&result);
    else
        *out = result;
    return status;
}

#else

pluss_status plussi_report_json_read(plussi_ctx *ctx, const char *text, size_t length,
                                     const char *file, plussi_result *out)
{
    plussi_loc loc = {.file = file};
    (void)text, (void)length, (void)out;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &loc, "this library was built without JSON");
}

#endif
