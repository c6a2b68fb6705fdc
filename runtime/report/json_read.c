/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/gzip.h"
#include "report/report.h"
#include "report/writer.h"

#ifndef PLUSS_WITHOUT_JSON
#include <jansson.h>
#include <math.h>
#include <string.h>

/* Upper bound of sizes and counts, which are shown as integers. */
#define MOST 0x1p63

/* State of reading one curve. */
typedef struct reader {
    plussi_ctx *ctx;
    plussi_loc loc;                /* of messages: only the file, as jansson keeps no places */
    const char *list;              /* "curves" or "profiles" */
    size_t element;                /* its index there */
    const char *within;            /* prefix of keys: "" or "standard_error." */
    const char *threads_per_cache; /* the key in this version */
    const json_t *object;
} reader;

static pluss_status fail_key(reader *r, const char *key, const char *what)
{
    return plussi_fail(r->ctx, PLUSS_EFORMAT, &r->loc, "%s[%zu].%s%s: %s", r->list, r->element,
                       r->within, key, what);
}

static pluss_status get_text(reader *r, const char *key, bool required, char **out)
{
    const json_t *json = json_object_get(r->object, key);
    if (!json && !required)
        return PLUSS_OK;
    if (!json_is_string(json))
        return fail_key(r, key, json ? "not a string" : "missing");
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
        return fail_key(r, key, json ? "not an integer" : "missing");
    if (json_integer_value(json) < least || json_integer_value(json) > most)
        return fail_key(r, key, "out of range");
    *out = json_integer_value(json);
    return PLUSS_OK;
}

/* The caller owns *out, on failure too. */
static pluss_status get_numbers(reader *r, const char *key, double **out, size_t *n)
{
    const json_t *array = json_object_get(r->object, key);
    if (!json_is_array(array))
        return fail_key(r, key, array ? "not an array" : "missing");
    *n = json_array_size(array);
    *out = plussi_alloc(&r->ctx->mem, *n, sizeof **out);
    if (!*out)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < *n; i++) {
        const json_t *element = json_array_get(array, i);
        if (!json_is_number(element))
            return fail_key(r, key, "an element is not a number");
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
        return fail_key(r, "miss_ratio", "as many elements as in size_lines expected");
    if (mrc->n == 0)
        return fail_key(r, "size_lines", "not an array with elements");
    if (mrc->size[0] != 0 || mrc->miss[0] != 1)
        return fail_key(r, "miss_ratio", "a curve starts with size 0, miss ratio 1");
    for (size_t i = 0; i < mrc->n; i++) {
        if (i > 0 && !(mrc->size[i] > mrc->size[i - 1]))
            return fail_key(r, "size_lines", "does not ascend");
        if (mrc->size[i] > MOST)
            return fail_key(r, "size_lines", "an element is out of range");
        if (!(mrc->miss[i] >= 0) || (i > 0 && mrc->miss[i] > mrc->miss[i - 1]))
            return fail_key(r, "miss_ratio", "rises, or is negative");
    }
    const json_t *accesses = json_object_get(r->object, "accesses");
    mrc->accesses = json_number_value(accesses);
    if (!json_is_number(accesses) || !(mrc->accesses > 0 && mrc->accesses <= MOST))
        return fail_key(r, "accesses", accesses ? "not a positive number below 2^63" : "missing");
    return PLUSS_OK;
}

/* Checks the lengths of the arrays and the ranges of values. */
static pluss_status check_errors(reader *r, const plussi_curve *curve, size_t n_error)
{
    if (n_error != curve->n_error)
        return fail_key(r, "miss_ratio", "as many elements as in size_lines expected");
    if (n_error == 0)
        return fail_key(r, "size_lines", "not an array with elements");
    for (size_t i = 0; i < n_error; i++) {
        const double *size = curve->error_size, *error = curve->error;
        if (!(size[i] > (i > 0 ? size[i - 1] : 0)) || size[i] > MOST)
            return fail_key(r, "size_lines", "does not ascend, or is out of range");
        if (!(error[i] >= 0 && error[i] <= 1))
            return fail_key(r, "miss_ratio", "an element is out of range");
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
        return fail_key(outer, "standard_error", "not an object");
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
        return fail_key(&r, "mean", mean ? "not a number in 0 ... 1" : "missing");
    return PLUSS_OK;
}

/* At the sizes of standard_error, which has been read. */
static pluss_status get_spread(reader *r, plussi_curve *curve)
{
    size_t n = 0;
    if (!json_object_get(r->object, "spread"))
        return PLUSS_OK;
    pluss_status status = get_numbers(r, "spread", &curve->spread, &n);
    if (!status && n != curve->n_error)
        return fail_key(r, "spread", "as many elements as in standard_error expected");
    for (size_t i = 0; i < n && !status; i++)
        if (!(curve->spread[i] >= 0 && curve->spread[i] <= 1))
            return fail_key(r, "spread", "an element is out of range");
    return status;
}

static pluss_status get_values(reader *r, plussi_identity *id)
{
    json_t *object = json_object_get(r->object, "values");
    if (!object)
        return PLUSS_OK;
    if (!json_is_object(object))
        return fail_key(r, "values", "not an object");
    id->values = plussi_calloc(&r->ctx->mem, json_object_size(object), sizeof *id->values);
    if (!id->values)
        return PLUSS_ENOMEM;
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!json_is_integer(value))
            return fail_key(r, "values", "an element is not an integer");
        plussi_value *v = &id->values[id->n_values];
        v->name = plussi_strndup(&r->ctx->mem, name, strlen(name));
        if (!v->name)
            return PLUSS_ENOMEM;
        v->value = json_integer_value(value);
        id->n_values++;
    }
    return PLUSS_OK;
}

/* The law of thread progress; numbers of laws to come are read, too. */
static pluss_status get_progress(reader *outer, plussi_law_told *out)
{
    reader r = *outer;
    const char *name;
    json_t *value;
    r.object = json_object_get(outer->object, "progress");
    if (!r.object)
        return PLUSS_OK;
    if (!json_is_object(r.object))
        return fail_key(outer, "progress", "not an object");
    r.within = "progress.";
    pluss_status status;
    if ((status = get_text(&r, "law", true, &out->law)) ||
        (status = get_text(&r, "from", true, &out->from)) ||
        (status = get_text(&r, "source", false, &out->source)))
        return status;
    json_object_foreach((json_t *)r.object, name, value)
    {
        if (json_is_number(value) && !status)
            status = plussi_law_told_add(&r.ctx->mem, out, name, json_number_value(value));
    }
    return status;
}

static pluss_status get_method(reader *r, plussi_identity *id)
{
    const char *method = json_string_value(json_object_get(r->object, "method"));
    if (!method || (strcmp(method, "simulation") != 0 && strcmp(method, "prediction") != 0))
        return fail_key(r, "method", "neither \"prediction\" nor \"simulation\"");
    id->simulated = *method == 's';
    return PLUSS_OK;
}

/* On failure *id holds what has been read. */
static pluss_status read_identity(reader *r, plussi_identity *id)
{
    int64_t line = 0, team = 0, per_cache = 0, seed = 0, line_bytes = 0, unknowns = 0;
    pluss_status status;
    if ((status = get_text(r, "region", true, &id->region)) ||
        (status = get_text(r, "file", false, &id->file)) ||
        (status = get_text(r, "engine", true, &id->engine)) ||
        (status = get_text(r, "schedule", false, &id->schedule)) ||
        (status = get_integer(r, "line", false, 0, UINT32_MAX, &line)) ||
        (status = get_integer(r, "threads", true, 1, UINT32_MAX, &team)) ||
        (status = get_integer(r, r->threads_per_cache, false, 1, UINT32_MAX, &per_cache)) ||
        (status = get_integer(r, "seed", false, 0, INT64_MAX, &seed)) ||
        (status = get_integer(r, "line_bytes", true, 1, UINT32_MAX, &line_bytes)) ||
        (status = get_integer(r, "unknown_constructs", false, 0, UINT32_MAX, &unknowns)) ||
        (status = get_method(r, id)) || (status = get_values(r, id)) ||
        (status = get_progress(r, &id->progress)))
        return status;
    if ((line_bytes & (line_bytes - 1)) != 0)
        return fail_key(r, "line_bytes", "not a power of two");
    id->line = (uint32_t)line;
    id->team = (uint32_t)team;
    id->threads_per_cache = per_cache < team ? (uint32_t)per_cache : 0;
    id->seed = (uint64_t)seed;
    id->line_bytes = (uint32_t)line_bytes;
    id->unknowns = (uint32_t)unknowns;
    return id->schedule ? PLUSS_OK : plussi_copy_text(&r->ctx->mem, "", &id->schedule);
}

/* On failure *curve holds what has been read. */
static pluss_status read_curve(reader *r, plussi_curve *curve)
{
    int64_t footprint = 0, error = 0;
    pluss_status status;
    if ((status = read_identity(r, &curve->id)) ||
        (status = get_integer(r, "footprint_lines", true, 0, INT64_MAX, &footprint)) ||
        (status = get_integer(r, "footprint_error_lines", false, 0, INT64_MAX, &error)) ||
        (status = get_points(r, &curve->mrc)) || (status = get_standard_error(r, curve)) ||
        (status = get_spread(r, curve)))
        return status;
    curve->footprint_lines = (uint64_t)footprint;
    curve->footprint_error = (uint64_t)error;
    return PLUSS_OK;
}

static void free_half_read(const plussi_mem *mem, plussi_curve *curve)
{
    plussi_free(mem, curve->mrc.size);
    plussi_free(mem, curve->mrc.miss);
    curve->mrc = (plussi_mrc){0};
    plussi_curve_free(mem, curve);
}

static pluss_status add_curve(reader *r, plussi_result *result)
{
    plussi_curve curve = {.mrc.mem = r->ctx->mem};
    pluss_status status = read_curve(r, &curve);
    if (!status)
        status = plussi_result_add(result, &curve);
    if (status)
        free_half_read(&r->ctx->mem, &curve);
    return status;
}

/* ---- profiles -------------------------------------------------------------------------------- */

static pluss_status get_weight(reader *r, const char *key, bool required, double *out)
{
    const json_t *json = json_object_get(r->object, key);
    if (!json && !required)
        return PLUSS_OK;
    *out = json_number_value(json);
    if (!json_is_number(json) || !(*out >= 0 && *out <= MOST))
        return fail_key(r, key, json ? "not a number in 0 ... 2^63" : "missing");
    return PLUSS_OK;
}

static pluss_status fill_histo(reader *r, plussi_metric metric, const double *key,
                               const double *weight, size_t n, plussi_histo *out)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < n && !status; i++) {
        bool ascends = key[i] > (i > 0 ? key[i - 1] : -1) && key[i] < MOST;
        if (!ascends || key[i] != floor(key[i]) ||
            (metric == PLUSSI_METRIC_INTERVAL && key[i] == 0))
            return fail_key(r, "keys", "not ascending whole numbers (intervals: from 1)");
        if (!(weight[i] > 0 && weight[i] <= MOST))
            return fail_key(r, "weights", "an element is not in 0 ... 2^63");
        status = plussi_histo_add(out, (uint64_t)key[i], weight[i]);
    }
    return status;
}

static pluss_status get_histo(reader *r, plussi_metric metric, plussi_histo *out)
{
    double *key = NULL, *weight = NULL;
    size_t n = 0, n_weights = 0;
    pluss_status status = get_weight(r, "cold", true, &out->cold);
    if (!status)
        status = get_weight(r, "thread_first", true, &out->thread_first);
    if (!status)
        status = get_numbers(r, "keys", &key, &n);
    if (!status)
        status = get_numbers(r, "weights", &weight, &n_weights);
    if (!status && n != n_weights)
        status = fail_key(r, "weights", "as many elements as in keys expected");
    if (!status)
        status = fill_histo(r, metric, key, weight, n, out);
    plussi_free(&r->ctx->mem, key);
    plussi_free(&r->ctx->mem, weight);
    return status;
}

/* One of two texts: 0 or 1. */
static pluss_status get_choice(reader *r, const char *key, const char *const name[2], int *out)
{
    const char *text = json_string_value(json_object_get(r->object, key));
    for (*out = 0; *out < 2; ++*out)
        if (text && strcmp(text, name[*out]) == 0)
            return PLUSS_OK;
    return plussi_fail(r->ctx, PLUSS_EFORMAT, &r->loc, "%s[%zu].%s: neither \"%s\" nor \"%s\"",
                       r->list, r->element, key, name[0], name[1]);
}

static pluss_status read_part(reader *r, plussi_metric metric, plussi_profile_part *part)
{
    int64_t number = 0, line = 0;
    pluss_status status;
    if ((status = get_integer(r, "number", true, 0, UINT32_MAX, &number)) ||
        (status = get_text(r, "reference", false, &part->site.text)) ||
        (status = get_text(r, "file", false, &part->site.file)) ||
        (status = get_integer(r, "line", false, 0, UINT32_MAX, &line)) ||
        (status = get_text(r, "loop", false, &part->loop)))
        return status;
    part->ref = (uint32_t)number;
    part->site.line = (uint32_t)line;
    part->site.write = json_is_true(json_object_get(r->object, "write"));
    part->site.atomic = json_is_true(json_object_get(r->object, "atomic"));
    return get_histo(r, metric, &part->histo);
}

/* On failure *profile holds what has been read. */
static pluss_status read_profile(reader *r, plussi_profile *profile)
{
    const char *const metrics[] = {plussi_metric_name(0), plussi_metric_name(1)};
    const char *const scopes[] = {plussi_scope_name(0), plussi_scope_name(1)};
    const json_t *parts = json_object_get(r->object, "references");
    int metric = 0, scope = 0;
    int64_t footprint = 0;
    double runs = 1;
    pluss_status status;
    if ((status = get_choice(r, "metric", metrics, &metric)) ||
        (status = get_choice(r, "scope", scopes, &scope)) ||
        (status =
             plussi_profile_init(&r->ctx->mem, (plussi_metric)metric, (plussi_profile_scope)scope,
                                 json_array_size(parts), profile)) ||
        (status = read_identity(r, &profile->id)) ||
        (status = get_integer(r, "footprint_lines", true, 0, INT64_MAX, &footprint)) ||
        (status = get_weight(r, "runs", false, &runs)) ||
        (status = get_histo(r, profile->metric, &profile->histo)))
        return status;
    if (!(runs >= 1))
        return fail_key(r, "runs", "below 1");
    double accesses = plussi_histo_total(&profile->histo);
    if (!(accesses > 0 && accesses / runs <= MOST && accesses / runs > 0))
        return fail_key(r, "weights", "their sum is not above 0 and at most 2^63 a run");
    profile->runs = runs;
    profile->footprint_lines = (uint64_t)footprint;
    for (size_t i = 0; i < profile->n_parts && !status; i++) {
        reader part = *r;
        part.within = "references.";
        part.object = json_array_get(parts, i);
        status = read_part(&part, profile->metric, &profile->part[i]);
    }
    return status;
}

/* with_curve: also makes its curve. */
static pluss_status add_profile(reader *r, bool with_curve, plussi_result *result)
{
    plussi_profile profile = {.mem = r->ctx->mem};
    pluss_status status = read_profile(r, &profile);
    if (!status && with_curve)
        status = plussi_result_add_curve_of(r->ctx, result, &profile);
    if (!status)
        status = plussi_result_add_profile(result, &profile);
    plussi_profile_free(&profile);
    return status;
}

static pluss_status read_document(plussi_ctx *ctx, const json_t *root, const char *file,
                                  plussi_result *result)
{
    reader r = {.ctx = ctx, .loc = {.file = file}, .within = ""};
    const json_t *version = json_object_get(root, "version");
    const json_t *curves = json_object_get(root, "curves");
    const json_t *profiles = json_object_get(root, "profiles");
    if (!json_is_integer(version) || !(json_is_array(curves) || json_is_array(profiles)))
        return plussi_fail(ctx, PLUSS_EFORMAT, &r.loc,
                           "not a report of pluss: no \"version\", or neither \"curves\" nor "
                           "\"profiles\"");
    if (json_integer_value(version) < 1 || json_integer_value(version) > PLUSSI_JSON_VERSION)
        return plussi_fail(ctx, PLUSS_EFORMAT, &r.loc,
                           "unknown version %lld of the report; the latest known is %d",
                           (long long)json_integer_value(version), PLUSSI_JSON_VERSION);
    r.threads_per_cache = json_integer_value(version) == 1 ? "sharers" : "threads_per_cache";
    pluss_status status = PLUSS_OK;
    r.list = "curves";
    for (r.element = 0; r.element < json_array_size(curves) && !status; r.element++) {
        r.object = json_array_get(curves, r.element);
        status = add_curve(&r, result);
    }
    r.list = "profiles";
    for (r.element = 0; r.element < json_array_size(profiles) && !status; r.element++) {
        r.object = json_array_get(profiles, r.element);
        status = add_profile(&r, !curves, result);
    }
    return status;
}

static pluss_status read_text(plussi_ctx *ctx, const char *text, size_t length, const char *file,
                              plussi_result *out)
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

pluss_status plussi_report_json_read(plussi_ctx *ctx, const char *text, size_t length,
                                     const char *file, plussi_result *out)
{
    char *plain = NULL;
    size_t n = 0;
    if (!plussi_is_gzip(text, length))
        return read_text(ctx, text, length, file, out);
    pluss_status status = plussi_gunzip(ctx, text, length, file, &plain, &n);
    if (!status)
        status = read_text(ctx, plain, n, file, out);
    plussi_free(&ctx->mem, plain);
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
