/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#ifndef PLUSS_WITHOUT_JSON
#include <jansson.h>
#include <math.h>
#include <string.h>

/* JSON is UTF-8; names and paths may be anything. */
static json_t *text(plussi_ctx *ctx, const char *s)
{
    json_t *json = json_string(s);
    if (json)
        return json;
    size_t n = strlen(s);
    char *ascii = plussi_strndup(&ctx->mem, s, n);
    for (size_t i = 0; ascii && i < n; i++)
        if ((unsigned char)ascii[i] >= 0x80)
            ascii[i] = '?';
    json = ascii ? json_string(ascii) : NULL;
    plussi_free(&ctx->mem, ascii);
    return json;
}

static json_t *number(double value)
{
    return value == floor(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value)
                                                         : json_real(value);
}

/* NULL where any of the elements is. */
static json_t *numbers(const double *value, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < n; i++)
        if (json_array_append_new(array, number(value[i])) != 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static json_t *values(plussi_ctx *ctx, const plussi_curve *curve)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < curve->n_values; i++) {
        json_t *name = text(ctx, curve->values[i].name);
        if (!name || json_object_set_new(object, json_string_value(name),
                                         json_integer(curve->values[i].value)) != 0) {
            json_decref(object);
            object = NULL;
        }
        json_decref(name);
    }
    return object;
}

static json_t *standard_error(const plussi_curve *curve)
{
    json_t *object = json_object();
    if (!object)
        return NULL;
    int bad = json_object_set_new(object, "mean", number(curve->mean_error));
    bad |= json_object_set_new(object, "size_lines", numbers(curve->error_size, curve->n_error));
    bad |= json_object_set_new(object, "miss_ratio", numbers(curve->error, curve->n_error));
    if (!bad)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *curve_object(plussi_ctx *ctx, const plussi_curve *curve)
{
    json_t *object = json_object();
    if (!object)
        return NULL;
    int bad = json_object_set_new(object, "region", text(ctx, curve->region));
    if (curve->file)
        bad |= json_object_set_new(object, "file", text(ctx, curve->file));
    if (curve->line)
        bad |= json_object_set_new(object, "line", json_integer(curve->line));
    bad |= json_object_set_new(object, "threads", json_integer(curve->team));
    bad |= json_object_set_new(object, "method",
                               json_string(curve->simulated ? "simulation" : "prediction"));
    bad |= json_object_set_new(object, "engine", text(ctx, curve->engine));
    bad |= json_object_set_new(object, "seed", json_integer((json_int_t)curve->seed));
    if (*curve->schedule)
        bad |= json_object_set_new(object, "schedule", text(ctx, curve->schedule));
    bad |= json_object_set_new(object, "values", values(ctx, curve));
    bad |= json_object_set_new(object, "line_bytes", json_integer(curve->line_bytes));
    bad |= json_object_set_new(object, "accesses", number(curve->mrc.accesses));
    bad |= json_object_set_new(object, "footprint_lines",
                               json_integer((json_int_t)curve->footprint_lines));
    bad |= json_object_set_new(object, "unknown_constructs", json_integer(curve->unknowns));
    bad |= json_object_set_new(object, "size_lines", numbers(curve->mrc.size, curve->mrc.n));
    bad |= json_object_set_new(object, "miss_ratio", numbers(curve->mrc.miss, curve->mrc.n));
    if (curve->n_error)
        bad |= json_object_set_new(object, "standard_error", standard_error(curve));
    if (!bad)
        return object;
    json_decref(object);
    return NULL;
}

static int dump(const char *data, size_t length, void *user)
{
    plussi_sink *sink = user;
    plussi_sink_bytes(sink, data, length);
    return sink->failed ? -1 : 0;
}

pluss_status plussi_report_json(plussi_ctx *ctx, const plussi_result *result, plussi_sink *sink)
{
    plussi_sink_text(sink, "{\"version\": ");
    plussi_sink_u64(sink, PLUSSI_JSON_VERSION);
    plussi_sink_text(sink, ", \"generator\": \"pluss " PLUSSI_VERSION "\", \"curves\": [");
    for (size_t i = 0; i < result->n && !sink->failed; i++) {
        plussi_sink_text(sink, i > 0 ? ",\n" : "\n");
        json_t *object = curve_object(ctx, &result->curve[i]);
        if (!object)
            return PLUSS_ENOMEM;
        /* 15 digits: what a double keeps of any decimal */
        int bad = json_dump_callback(object, dump, sink, JSON_COMPACT | JSON_REAL_PRECISION(15));
        json_decref(object);
        if (bad && !sink->failed)
            return PLUSS_ENOMEM;
    }
    plussi_sink_text(sink, "\n]}\n");
    return plussi_sink_finish(ctx, sink);
}

#else

pluss_status plussi_report_json(plussi_ctx *ctx, const plussi_result *result, plussi_sink *sink)
{
    (void)result, (void)sink;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL, "this library was built without JSON");
}

#endif
