/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/ctx.h"

#ifndef PLUSS_WITHOUT_JSON
#include <stdio.h>
#include <string.h>

#include "study/costs_json.h"

#define SPREAD "_spread"
enum { KEY = 40 };

/* ---- reading ----------------------------------------------------------------------------------
 */

/* KEY and KEY_spread. */
static plussi_measured get_measured(const plussi_json_object *o, const char *key, bool required)
{
    char spread[KEY];
    snprintf(spread, sizeof spread, "%s" SPREAD, key);
    return (plussi_measured){plussi_json_number(o, key, required, 0, PLUSSI_CYCLES_MOST),
                             plussi_json_number(o, spread, false, 0, PLUSSI_CYCLES_MOST)};
}

static bool is_known(const char *key, const char *const *names, size_t n)
{
    const size_t length = strlen(key), end = strlen(SPREAD);
    for (size_t i = 0; i < n; i++)
        if (strcmp(key, names[i]) == 0 ||
            (length > end && strcmp(key + length - end, SPREAD) == 0 &&
             length - end == strlen(names[i]) && strncmp(key, names[i], length - end) == 0))
            return true;
    return false;
}

static void refuse_others(const plussi_json_object *o, const char *const *names, size_t n)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)o->json, key, value)
    {
        if (!is_known(key, names, n)) {
            plussi_json_wrong(o, key, "there is no such cost");
            return;
        }
    }
}

static void get_operations(const plussi_json_object *costs, const char *key, bool required,
                           plussi_measured out[PLUSSI_N_OPERATIONS])
{
    const char *names[PLUSSI_N_OPERATIONS];
    const plussi_json_object o = plussi_json_member(costs, key, required);
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        names[g] = plussi_operation_name((plussi_operation)g);
    refuse_others(&o, names, PLUSSI_N_OPERATIONS);
    for (int g = 0; g < PLUSSI_N_OPERATIONS; g++)
        if (required || json_object_get(o.json, names[g]))
            out[g] = get_measured(&o, names[g], true);
}

static void get_server(const plussi_json_object *o, plussi_server_cost *out)
{
    static const char *const names[] = {"name",    "latency",   "stream",
                                        "strided", "scattered", "shared"};
    const char *name = plussi_json_text(o, "name", true);
    refuse_others(o, names, sizeof names / sizeof *names);
    if (name && (!*name || strlen(name) >= sizeof out->name))
        plussi_json_wrong(o, "name", "a name has 1 to %zu characters", sizeof out->name - 1);
    else if (name)
        strcpy(out->name, name);
    out->latency = get_measured(o, "latency", true);
    out->shared = get_measured(o, "shared", false);
    for (int p = PLUSSI_PATTERNS - 1; p >= 0; p--) {
        const char *pattern = plussi_access_pattern_name((plussi_access_pattern)p);
        out->line[p] = json_object_get(o->json, pattern) ? get_measured(o, pattern, true)
                       : p + 1 < PLUSSI_PATTERNS         ? out->line[p + 1]
                                                         : out->latency;
    }
}

/* The levels of the costs are those of the file, in order, and then memory. */
static void check_names(const plussi_json_object *costs, const plussi_hierarchy *h,
                        const plussi_machine_costs *out)
{
    char key[32];
    const size_t last = out->n - 1;
    if (h->n && h->n != last)
        plussi_json_wrong(costs, "levels", "there are %zu, and the file has %zu levels and memory",
                          out->n, h->n);
    for (size_t i = 0; i <= last && !costs->file->status; i++) {
        const char *expected = i == last ? "memory" : h->n ? h->level[i].name : NULL;
        snprintf(key, sizeof key, "levels[%zu].name", i);
        if (expected && strcmp(out->server[i].name, expected) != 0)
            plussi_json_wrong(costs, key, "'%s' stands where '%s' is expected", out->server[i].name,
                              expected);
    }
}

void plussi_read_costs(const plussi_json_object *root, const plussi_machine_caches *caches,
                       plussi_machine_costs *out)
{
    static const char *const names[] = {"cycle_ns",   "issue",     "window", "serial",
                                        "operations", "latencies", "levels"};
    const plussi_json_object o = plussi_json_member(root, "costs", true);
    *out = (plussi_machine_costs){0};
    refuse_others(&o, names, sizeof names / sizeof *names);
    out->cycle_ns = plussi_json_number(&o, "cycle_ns", true, PLUSSI_CYCLE_LEAST, PLUSSI_CYCLE_MOST);
    out->issue = get_measured(&o, "issue", false);
    out->window = plussi_json_number(&o, "window", false, 0, PLUSSI_CYCLES_MOST);
    out->serial = plussi_json_number(&o, "serial", false, 0, 1);
    get_operations(&o, "operations", true, out->operation);
    memcpy(out->latency, out->operation, sizeof out->latency);
    if (json_object_get(o.json, "latencies"))
        get_operations(&o, "latencies", false, out->latency);
    const size_t n = plussi_json_length(&o, "levels", true);
    if (n < 2 || n > PLUSSI_SERVERS_MOST)
        plussi_json_wrong(&o, "levels", "there are %zu, and can be 2 to %d with memory", n,
                          PLUSSI_SERVERS_MOST);
    for (size_t i = 0; i < n && !o.file->status; i++) {
        const plussi_json_object level = plussi_json_element(&o, "levels", i);
        get_server(&level, &out->server[out->n++]);
    }
    if (!o.file->status)
        check_names(&o, &caches->hierarchy, out);
}

/* ---- writing ----------------------------------------------------------------------------------
 */

/* Without memory jansson's functions take NULL, and say no. */
static bool put_measured(json_t *object, const char *key, const plussi_measured *m)
{
    char spread[KEY];
    snprintf(spread, sizeof spread, "%s" SPREAD, key);
    return json_object_set_new(object, key, json_real(m->value)) == 0 &&
           (!(m->spread > 0) || json_object_set_new(object, spread, json_real(m->spread)) == 0);
}

static bool put_operations(json_t *object, const char *key,
                           const plussi_measured operation[PLUSSI_N_OPERATIONS])
{
    json_t *list = json_object();
    bool good = json_object_set(object, key, list) == 0;
    for (int g = 0; g < PLUSSI_N_OPERATIONS && good; g++)
        good = put_measured(list, plussi_operation_name((plussi_operation)g), &operation[g]);
    json_decref(list);
    return good;
}

static bool put_server(json_t *levels, const plussi_server_cost *s)
{
    json_t *level = json_object();
    bool good = json_object_set_new(level, "name", json_string(s->name)) == 0 &&
                put_measured(level, "latency", &s->latency);
    for (int p = 0; p < PLUSSI_PATTERNS && good; p++)
        good =
            put_measured(level, plussi_access_pattern_name((plussi_access_pattern)p), &s->line[p]);
    if (good && s->shared.value > 0)
        good = put_measured(level, "shared", &s->shared);
    return json_array_append_new(levels, level) == 0 && good;
}

json_t *plussi_costs_json(const plussi_machine_costs *costs)
{
    json_t *object = json_object(), *levels = json_array();
    bool good = json_object_set_new(object, "cycle_ns", json_real(costs->cycle_ns)) == 0 &&
                (!(costs->issue.value > 0) || put_measured(object, "issue", &costs->issue)) &&
                (!(costs->window > 0) ||
                 json_object_set_new(object, "window", json_real(costs->window)) == 0) &&
                (!(costs->serial > 0) ||
                 json_object_set_new(object, "serial", json_real(costs->serial)) == 0) &&
                put_operations(object, "operations", costs->operation) &&
                put_operations(object, "latencies", costs->latency) &&
                json_object_set(object, "levels", levels) == 0;
    for (size_t i = 0; i < costs->n && good; i++)
        good = put_server(levels, &costs->server[i]);
    json_decref(levels);
    if (!good)
        json_decref(object);
    return good ? object : NULL;
}

#endif
