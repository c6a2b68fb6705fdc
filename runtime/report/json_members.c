/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/ctx.h"

#ifndef PLUSS_WITHOUT_JSON
#include <stdio.h>

#include "report/json_members.h"

void plussi_json_wrong(const plussi_json_object *o, const char *key, const char *format, ...)
{
    char what[160];
    va_list args;
    if (o->file->status)
        return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    o->file->status =
        plussi_fail(o->file->ctx, PLUSS_EFORMAT, &o->file->loc, "%s%s: %s", o->place, key, what);
}

void plussi_json_keep(const plussi_json_object *o, pluss_status status)
{
    if (!o->file->status)
        o->file->status = status;
}

/* Whether a member is there and as expected. */
static bool check(const plussi_json_object *o, const char *key, bool required, const json_t *json,
                  bool good, const char *expected)
{
    if (required ? !json : !json || json_is_null(json)) {
        if (required)
            plussi_json_wrong(o, key, "missing");
        return false;
    }
    if (!good)
        plussi_json_wrong(o, key, "not %s", expected);
    return good && !o->file->status;
}

const char *plussi_json_text(const plussi_json_object *o, const char *key, bool required)
{
    const json_t *json = json_object_get(o->json, key);
    return check(o, key, required, json, json_is_string(json), "a string") ? json_string_value(json)
                                                                           : NULL;
}

uint64_t plussi_json_count(const plussi_json_object *o, const char *key, bool required,
                           uint64_t least, uint64_t most)
{
    const json_t *json = json_object_get(o->json, key);
    json_int_t value = json_integer_value(json);
    if (!check(o, key, required, json, json_is_integer(json), "an integer"))
        return 0;
    if (value >= 0 && (uint64_t)value >= least && (uint64_t)value <= most)
        return (uint64_t)value;
    plussi_json_wrong(o, key, "%lld is not in %llu ... %llu", (long long)value,
                      (unsigned long long)least, (unsigned long long)most);
    return 0;
}

static double get_number(const plussi_json_object *o, const char *key, bool required,
                         const json_t *json, double least, double most)
{
    double value = json_number_value(json);
    if (!check(o, key, required, json, json_is_number(json), "a number"))
        return 0;
    if (value >= least && value <= most)
        return value;
    plussi_json_wrong(o, key, "%g is not in %g ... %g", value, least, most);
    return 0;
}

double plussi_json_number(const plussi_json_object *o, const char *key, bool required, double least,
                          double most)
{
    return get_number(o, key, required, json_object_get(o->json, key), least, most);
}

bool plussi_json_flag(const plussi_json_object *o, const char *key, bool otherwise)
{
    const json_t *json = json_object_get(o->json, key);
    return check(o, key, false, json, json_is_boolean(json), "true or false") ? json_is_true(json)
                                                                              : otherwise;
}

static plussi_json_object enter(const plussi_json_object *o, const char *key, bool required,
                                const json_t *json)
{
    plussi_json_object in = {o->file, NULL, ""};
    if (check(o, key, required, json, json_is_object(json), "an object"))
        in.json = json;
    snprintf(in.place, sizeof in.place, "%.60s%.30s.", o->place, key);
    return in;
}

plussi_json_object plussi_json_member(const plussi_json_object *o, const char *key, bool required)
{
    return enter(o, key, required, json_object_get(o->json, key));
}

size_t plussi_json_length(const plussi_json_object *o, const char *key, bool required)
{
    const json_t *json = json_object_get(o->json, key);
    return check(o, key, required, json, json_is_array(json), "an array") ? json_array_size(json)
                                                                          : 0;
}

plussi_json_object plussi_json_element(const plussi_json_object *o, const char *key, size_t index)
{
    char element[64];
    snprintf(element, sizeof element, "%s[%zu]", key, index);
    return enter(o, element, true, json_array_get(json_object_get(o->json, key), index));
}

void plussi_json_numbers(const plussi_json_object *o, const char *key, size_t n, double least,
                         double most, double *out)
{
    const json_t *array = json_object_get(o->json, key);
    size_t length = plussi_json_length(o, key, true);
    if (length != n)
        plussi_json_wrong(o, key, "%zu numbers, %zu expected", length, n);
    for (size_t i = 0; i < n && !o->file->status; i++) {
        char element[64];
        snprintf(element, sizeof element, "%s[%zu]", key, i);
        out[i] = get_number(o, element, true, json_array_get(array, i), least, most);
    }
}

#endif
