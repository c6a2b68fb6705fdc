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

/* A pattern that is missing is as the next one, the last one as the latency. */
static void get_patterns(const plussi_json_object *o, const plussi_measured *latency,
                         plussi_measured out[PLUSSI_PATTERNS])
{
    for (int p = PLUSSI_PATTERNS - 1; p >= 0; p--) {
        const char *pattern = plussi_access_pattern_name((plussi_access_pattern)p);
        out[p] = json_object_get(o->json, pattern) ? get_measured(o, pattern, true)
                 : p + 1 < PLUSSI_PATTERNS         ? out[p + 1]
                                                   : *latency;
    }
}

/* The number of elements, 0 where there is no such list. */
static size_t get_length(const plussi_json_object *o, const char *key, size_t most)
{
    const size_t n = json_object_get(o->json, key) ? plussi_json_length(o, key, true) : 0;
    if (n > most)
        plussi_json_wrong(o, key, "there are %zu, and can be %zu at most", n, most);
    return n > most ? 0 : n;
}

/* An integer that is more than those of the elements before. */
static uint32_t get_more(const plussi_json_object *o, const char *key, uint32_t before)
{
    const uint32_t n = (uint32_t)plussi_json_count(o, key, true, 1, UINT32_MAX);
    if (!o->file->status && n <= before)
        plussi_json_wrong(o, key, "%u stands after %u, and they grow", n, before);
    return n;
}

static void get_bursts(const plussi_json_object *o, plussi_server_cost *out)
{
    static const char *const names[] = {"lines", "cycles"};
    const size_t n = get_length(o, "bursts", PLUSSI_BURSTS_MOST);
    for (size_t i = 0; i < n && !o->file->status; i++) {
        const plussi_json_object e = plussi_json_element(o, "bursts", i);
        plussi_burst_cost *b = &out->burst[i];
        refuse_others(&e, names, sizeof names / sizeof *names);
        b->lines = get_more(&e, "lines", i ? b[-1].lines : 0);
        b->cycles = get_measured(&e, "cycles", true);
        out->n_bursts++;
    }
}

static void get_server(const plussi_json_object *o, plussi_server_cost *out)
{
    static const char *const names[] = {"name",   "latency", "stream", "strided", "scattered",
                                        "shared", "written", "held",   "bursts"};
    const char *name = plussi_json_text(o, "name", true);
    refuse_others(o, names, sizeof names / sizeof *names);
    if (name && (!*name || strlen(name) >= sizeof out->name))
        plussi_json_wrong(o, "name", "a name has 1 to %zu characters", sizeof out->name - 1);
    else if (name)
        strcpy(out->name, name);
    out->latency = get_measured(o, "latency", true);
    out->shared = get_measured(o, "shared", false);
    get_patterns(o, &out->latency, out->line);
    out->written = json_object_get(o->json, "written") ? get_measured(o, "written", true)
                                                       : out->line[PLUSSI_PATTERN_STREAM];
    out->held = json_object_get(o->json, "held")
                    ? plussi_json_number(o, "held", true, PLUSSI_HELD_LEAST, 1)
                    : 1;
    get_bursts(o, out);
}

static void get_transfer(const plussi_json_object *costs, plussi_transfer_cost *out)
{
    static const char *const names[] = {"latency", "stream", "strided", "scattered", "upgrade"};
    if (!json_object_get(costs->json, "transfer"))
        return;
    const plussi_json_object o = plussi_json_member(costs, "transfer", true);
    refuse_others(&o, names, sizeof names / sizeof *names);
    out->latency = get_measured(&o, "latency", true);
    get_patterns(&o, &out->latency, out->line);
    out->upgrade = get_measured(&o, "upgrade", false);
}

static void get_pages(const plussi_json_object *costs, plussi_machine_costs *out)
{
    static const char *const names[] = {"bytes", "steps"}, *const step[] = {"reach", "cycles"};
    if (!json_object_get(costs->json, "pages"))
        return;
    const plussi_json_object o = plussi_json_member(costs, "pages", true);
    refuse_others(&o, names, sizeof names / sizeof *names);
    out->page_bytes = (uint32_t)plussi_json_count(&o, "bytes", true, 1, PLUSSI_PAGE_MOST);
    if (out->page_bytes & (out->page_bytes - 1))
        plussi_json_wrong(&o, "bytes", "%u is no power of two", out->page_bytes);
    const size_t n = get_length(&o, "steps", PLUSSI_PAGE_STEPS_MOST);
    for (size_t i = 0; i < n && !o.file->status; i++) {
        const plussi_json_object e = plussi_json_element(&o, "steps", i);
        plussi_page_step *s = &out->page_step[i];
        const plussi_page_step *before = i ? s - 1 : &(plussi_page_step){0};
        refuse_others(&e, step, sizeof step / sizeof *step);
        s->reach = get_more(&e, "reach", (uint32_t)before->reach);
        s->cycles = get_measured(&e, "cycles", true);
        if (!o.file->status && s->cycles.value < before->cycles.value)
            plussi_json_wrong(&e, "cycles", "%g stands after %g, and they grow", s->cycles.value,
                              before->cycles.value);
        out->n_page_steps++;
    }
}

static void get_teams(const plussi_json_object *costs, plussi_machine_costs *out)
{
    static const char *const names[] = {"threads", "start", "barrier"};
    const size_t n = get_length(costs, "teams", PLUSSI_TEAM_COSTS_MOST);
    for (size_t i = 0; i < n && !costs->file->status; i++) {
        const plussi_json_object e = plussi_json_element(costs, "teams", i);
        plussi_team_cost *t = &out->team_cost[i];
        refuse_others(&e, names, sizeof names / sizeof *names);
        t->threads = get_more(&e, "threads", i ? t[-1].threads : 0);
        t->start = get_measured(&e, "start", true);
        t->barrier = get_measured(&e, "barrier", true);
        out->n_team_costs++;
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
    static const char *const names[] = {"cycle_ns",  "issue",  "window", "serial", "operations",
                                        "latencies", "levels", "pages",  "teams",  "transfer"};
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
    get_pages(&o, out);
    get_teams(&o, out);
    get_transfer(&o, &out->transfer);
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

static bool put_patterns(json_t *object, const plussi_measured line[PLUSSI_PATTERNS])
{
    bool good = true;
    for (int p = 0; p < PLUSSI_PATTERNS && good; p++)
        good = put_measured(object, plussi_access_pattern_name((plussi_access_pattern)p), &line[p]);
    return good;
}

static bool put_bursts(json_t *level, const plussi_server_cost *s)
{
    json_t *bursts = json_array();
    bool good = json_object_set(level, "bursts", bursts) == 0;
    for (size_t i = 0; i < s->n_bursts && good; i++) {
        json_t *burst = json_object();
        good = json_object_set_new(burst, "lines", json_integer(s->burst[i].lines)) == 0 &&
               put_measured(burst, "cycles", &s->burst[i].cycles);
        good = json_array_append_new(bursts, burst) == 0 && good;
    }
    json_decref(bursts);
    return good;
}

static bool put_transfer(json_t *object, const plussi_transfer_cost *t)
{
    json_t *transfer = json_object();
    const bool good = json_object_set(object, "transfer", transfer) == 0 &&
                      put_measured(transfer, "latency", &t->latency) &&
                      put_patterns(transfer, t->line) &&
                      put_measured(transfer, "upgrade", &t->upgrade);
    json_decref(transfer);
    return good;
}

static bool put_server(json_t *levels, const plussi_server_cost *s)
{
    json_t *level = json_object();
    bool good = json_object_set_new(level, "name", json_string(s->name)) == 0 &&
                put_measured(level, "latency", &s->latency);
    good = good && put_patterns(level, s->line);
    if (good && s->shared.value > 0)
        good = put_measured(level, "shared", &s->shared);
    good = good && put_measured(level, "written", &s->written);
    if (good && s->held < 1)
        good = json_object_set_new(level, "held", json_real(s->held)) == 0;
    if (good && s->n_bursts)
        good = put_bursts(level, s);
    return json_array_append_new(levels, level) == 0 && good;
}

static bool put_pages(json_t *object, const plussi_machine_costs *costs)
{
    json_t *pages = json_object(), *steps = json_array();
    bool good = json_object_set(object, "pages", pages) == 0 &&
                json_object_set_new(pages, "bytes", json_integer(costs->page_bytes)) == 0 &&
                json_object_set(pages, "steps", steps) == 0;
    for (size_t i = 0; i < costs->n_page_steps && good; i++) {
        const plussi_page_step *s = &costs->page_step[i];
        json_t *step = json_object();
        good = json_object_set_new(step, "reach", json_integer((json_int_t)s->reach)) == 0 &&
               put_measured(step, "cycles", &s->cycles);
        good = json_array_append_new(steps, step) == 0 && good;
    }
    json_decref(pages);
    json_decref(steps);
    return good;
}

static bool put_teams(json_t *object, const plussi_machine_costs *costs)
{
    json_t *teams = json_array();
    bool good = json_object_set(object, "teams", teams) == 0;
    for (size_t i = 0; i < costs->n_team_costs && good; i++) {
        const plussi_team_cost *t = &costs->team_cost[i];
        json_t *team = json_object();
        good = json_object_set_new(team, "threads", json_integer(t->threads)) == 0 &&
               put_measured(team, "start", &t->start) && put_measured(team, "barrier", &t->barrier);
        good = json_array_append_new(teams, team) == 0 && good;
    }
    json_decref(teams);
    return good;
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
    good = good && (!costs->n_page_steps || put_pages(object, costs)) &&
           (!costs->n_team_costs || put_teams(object, costs)) &&
           (!(costs->transfer.latency.value > 0) || put_transfer(object, &costs->transfer));
    if (!good)
        json_decref(object);
    return good ? object : NULL;
}

#endif
