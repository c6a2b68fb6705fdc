/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#ifndef PLUSS_WITHOUT_JSON
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 15 }; /* what every double keeps, read and written again */

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

/* A number that is whole in the digits that are written is an integer, as it is once it was read.
 */
static json_t *number(double value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.*g", DIGITS, value);
    double kept = value == floor(value) ? value : strtod(digits, NULL);
    return kept == floor(kept) && fabs(kept) < 0x1p53 ? json_integer((json_int_t)kept)
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

/* What was built, unless any part of it failed. */
static json_t *done(json_t *object, int bad)
{
    if (!bad)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *standard_error(const plussi_curve *curve)
{
    json_t *object = json_object();
    if (!object)
        return NULL;
    int bad = json_object_set_new(object, "mean", number(curve->mean_error));
    bad |= json_object_set_new(object, "size_lines", numbers(curve->error_size, curve->n_error));
    bad |= json_object_set_new(object, "miss_ratio", numbers(curve->error, curve->n_error));
    return done(object, bad);
}

/* Sets a member, where there is a value. */
static int set_text(plussi_ctx *ctx, json_t *object, const char *name, const char *value)
{
    return value ? json_object_set_new(object, name, text(ctx, value)) : 0;
}

static int set_place(plussi_ctx *ctx, json_t *object, const char *file, uint32_t line)
{
    int bad = set_text(ctx, object, "file", file);
    return line ? bad | json_object_set_new(object, "line", json_integer(line)) : bad;
}

static json_t *site(plussi_ctx *ctx, const plussi_site *s)
{
    json_t *object = json_object();
    if (!object)
        return NULL;
    int bad = set_text(ctx, object, "reference", s->text);
    bad |= json_object_set_new(object, "access", json_string(s->write ? "write" : "read"));
    bad |= json_object_set_new(object, "atomic", json_boolean(s->atomic));
    bad |= set_place(ctx, object, s->file, s->line);
    return done(object, bad);
}

static json_t *loop(plussi_ctx *ctx, const plussi_reuse *r)
{
    json_t *object = json_object();
    if (!object)
        return NULL;
    int bad = set_text(ctx, object, "iv", r->loop);
    bad |= set_place(ctx, object, r->loop_file, r->loop_line);
    return done(object, bad);
}

static json_t *reuse(plussi_ctx *ctx, const plussi_reuse *r)
{
    static const char *const carried[] = {[PLUSSI_BY_NOTHING] = "first touch",
                                          [PLUSSI_BY_LOOP] = "loop",
                                          [PLUSSI_BY_REPEAT] = "repetition",
                                          [PLUSSI_BY_NEST] = "other loop",
                                          [PLUSSI_BY_TURN] = "same turn"};
    json_t *object = site(ctx, &r->access);
    if (!object)
        return NULL;
    int bad = json_object_set_new(object, "share", number(r->share));
    bad |= set_text(ctx, object, "array", r->array);
    bad |= json_object_set_new(object, "carried_by", json_string(carried[r->by]));
    if (r->loop)
        bad |= json_object_set_new(object, "loop", loop(ctx, r));
    if (r->source.text) {
        bad |=
            json_object_set_new(object, "thread", json_string(r->other_thread ? "other" : "own"));
        bad |= json_object_set_new(object, "after", site(ctx, &r->source));
    }
    return done(object, bad);
}

static json_t *knee(plussi_ctx *ctx, const plussi_knee *k)
{
    json_t *object = json_object(), *reuses = json_array();
    int bad = !object || !reuses;
    for (size_t i = 0; i < k->n && !bad; i++)
        bad |= json_array_append_new(reuses, reuse(ctx, &k->reuse[i]));
    bad |= json_object_set_new(object, "size_lines", json_integer((json_int_t)k->size));
    bad |= json_object_set_new(object, "from_lines", json_integer((json_int_t)k->from));
    bad |= json_object_set_new(object, "to_lines", json_integer((json_int_t)k->to));
    bad |= json_object_set_new(object, "before", number(k->before));
    bad |= json_object_set_new(object, "after", number(k->after));
    bad |= json_object_set_new(object, "reuses", reuses); /* takes it, also on failure */
    return done(object, bad);
}

static json_t *knees(plussi_ctx *ctx, const plussi_curve *curve)
{
    json_t *array = json_array();
    int bad = !array;
    for (size_t i = 0; i < curve->n_knees && !bad; i++)
        bad |= json_array_append_new(array, knee(ctx, &curve->knee[i]));
    return done(array, bad);
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
    if (curve->sharers)
        bad |= json_object_set_new(object, "sharers", json_integer(curve->sharers));
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
    if (curve->footprint_error > 0)
        bad |= json_object_set_new(object, "footprint_error_lines",
                                   json_integer((json_int_t)curve->footprint_error));
    bad |= json_object_set_new(object, "unknown_constructs", json_integer(curve->unknowns));
    bad |= json_object_set_new(object, "size_lines", numbers(curve->mrc.size, curve->mrc.n));
    bad |= json_object_set_new(object, "miss_ratio", numbers(curve->mrc.miss, curve->mrc.n));
    if (curve->n_error)
        bad |= json_object_set_new(object, "standard_error", standard_error(curve));
    if (curve->n_error && curve->spread)
        bad |= json_object_set_new(object, "spread", numbers(curve->spread, curve->n_error));
    if (curve->n_knees)
        bad |= json_object_set_new(object, "knees", knees(ctx, curve));
    return done(object, bad);
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
        int bad =
            json_dump_callback(object, dump, sink, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
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
