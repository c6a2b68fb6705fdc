/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/gzip_magic.h"
#include "report/gzip.h"
#include "report/report.h"
#include "report/writer.h"

#ifndef PLUSS_WITHOUT_JSON
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/json_members.h"

/* Upper bound of sizes and counts, which are shown as integers. */
#define MOST 0x1p63

typedef plussi_json_object object;

static const plussi_mem *mem_of(const object *o)
{
    return &o->file->ctx->mem;
}

static void get_text(const object *o, const char *key, bool required, char **out)
{
    plussi_json_keep(o, plussi_copy_text(mem_of(o), plussi_json_text(o, key, required), out));
}

/* The caller owns *out, on failure too. */
static size_t get_numbers(const object *o, const char *key, double least, double most, double **out)
{
    size_t n = plussi_json_length(o, key, true);
    *out = plussi_calloc(mem_of(o), n, sizeof **out);
    if (*out)
        plussi_json_numbers(o, key, n, least, most, *out);
    else
        plussi_json_keep(o, PLUSS_ENOMEM);
    return n;
}

/* As many numbers as another array of the object has. */
static void get_as_many(const object *o, const char *key, size_t n, double most, double **out)
{
    if (get_numbers(o, key, 0, most, out) != n)
        plussi_json_wrong(o, key, "%zu numbers expected", n);
}

static void get_points(const object *o, plussi_mrc *mrc)
{
    mrc->n = get_numbers(o, "size_lines", 0, MOST, &mrc->size);
    get_as_many(o, "miss_ratio", mrc->n, 1, &mrc->miss);
    mrc->accesses = plussi_json_number(o, "accesses", true, 0, MOST);
    if (mrc->n == 0)
        plussi_json_wrong(o, "size_lines", "not an array with elements");
    if (mrc->accesses == 0)
        plussi_json_wrong(o, "accesses", "not above 0");
    for (size_t i = 0; i < mrc->n && !o->file->status; i++) {
        if (i == 0 && (mrc->size[0] != 0 || mrc->miss[0] != 1))
            plussi_json_wrong(o, "miss_ratio", "a curve starts with size 0, miss ratio 1");
        if (i > 0 && !(mrc->size[i] > mrc->size[i - 1]))
            plussi_json_wrong(o, "size_lines", "does not ascend");
        if (i > 0 && mrc->miss[i] > mrc->miss[i - 1])
            plussi_json_wrong(o, "miss_ratio", "rises");
    }
}

static void get_standard_error(const object *outer, plussi_curve *curve)
{
    object o = plussi_json_member(outer, "standard_error", false);
    if (!o.json)
        return;
    size_t n = curve->n_error = get_numbers(&o, "size_lines", 0, MOST, &curve->error_size);
    get_as_many(&o, "miss_ratio", n, 1, &curve->error);
    if (n == 0)
        plussi_json_wrong(&o, "size_lines", "not an array with elements");
    for (size_t i = 0; i < n && !o.file->status; i++)
        if (!(curve->error_size[i] > (i > 0 ? curve->error_size[i - 1] : 0)))
            plussi_json_wrong(&o, "size_lines", "does not ascend from 1");
    curve->mean_error = plussi_json_number(&o, "mean", true, 0, 1);
}

static void get_values(const object *outer, plussi_identity *id)
{
    object o = plussi_json_member(outer, "values", false);
    const char *name;
    json_t *value;
    id->values = plussi_calloc(mem_of(&o), json_object_size(o.json), sizeof *id->values);
    if (!id->values)
        plussi_json_keep(&o, PLUSS_ENOMEM);
    json_object_foreach((json_t *)o.json, name, value)
    {
        if (!json_is_integer(value))
            plussi_json_wrong(&o, name, "not an integer");
        if (o.file->status)
            return;
        plussi_value *v = &id->values[id->n_values++];
        v->value = json_integer_value(value);
        plussi_json_keep(&o, plussi_copy_text(mem_of(&o), name, &v->name));
    }
}

/* The law of thread progress; numbers of laws to come are read, too. */
static void get_progress(const object *outer, plussi_law_told *out)
{
    object o = plussi_json_member(outer, "progress", false);
    const char *name;
    json_t *value;
    if (!o.json)
        return;
    get_text(&o, "law", true, &out->law);
    get_text(&o, "from", true, &out->from);
    get_text(&o, "source", false, &out->source);
    json_object_foreach((json_t *)o.json, name, value)
    {
        if (json_is_number(value) && !o.file->status)
            plussi_json_keep(&o,
                             plussi_law_told_add(mem_of(&o), out, name, json_number_value(value)));
    }
}

/* One of two texts: 0 or 1. */
static int get_choice(const object *o, const char *key, const char *first, const char *second)
{
    const char *text = plussi_json_text(o, key, true);
    if (text && strcmp(text, first) != 0 && strcmp(text, second) != 0)
        plussi_json_wrong(o, key, "neither \"%s\" nor \"%s\"", first, second);
    return text && strcmp(text, second) == 0;
}

/* What it holds on failure is the caller's, too; so below. */
static void read_identity(const object *o, plussi_identity *id)
{
    get_text(o, "region", true, &id->region);
    get_text(o, "file", false, &id->file);
    get_text(o, "engine", true, &id->engine);
    get_text(o, "schedule", false, &id->schedule);
    id->line = (uint32_t)plussi_json_count(o, "line", false, 0, UINT32_MAX);
    id->team = (uint32_t)plussi_json_count(o, "threads", true, 1, UINT32_MAX);
    const char *key = json_object_get(o->json, "sharers") ? "sharers" /* in version 1 */
                                                          : "threads_per_cache";
    uint32_t per_cache = (uint32_t)plussi_json_count(o, key, false, 1, UINT32_MAX);
    id->threads_per_cache = per_cache < id->team ? per_cache : 0;
    id->seed = plussi_json_count(o, "seed", false, 0, INT64_MAX);
    id->line_bytes = (uint32_t)plussi_json_count(o, "line_bytes", true, 1, UINT32_MAX);
    id->unknowns = (uint32_t)plussi_json_count(o, "unknown_constructs", false, 0, UINT32_MAX);
    id->program = (uint32_t)plussi_json_count(o, "program", false, 1, UINT32_MAX);
    id->rate = plussi_json_number(o, "rate", false, 0, 1e6);
    id->simulated = get_choice(o, "method", "prediction", "simulation");
    get_values(o, id);
    get_progress(o, &id->progress);
    if ((id->line_bytes & (id->line_bytes - 1)) != 0)
        plussi_json_wrong(o, "line_bytes", "not a power of two");
    if (!id->schedule)
        plussi_json_keep(o, plussi_copy_text(mem_of(o), "", &id->schedule));
}

/* The number of a name; name gives NULL past the last one. What is missing is number 0. */
static int read_named(const object *o, const char *key, bool required, const char *(*name)(int),
                      const char *all)
{
    const char *text = plussi_json_text(o, key, required);
    int i = 0;
    while (text && name(i) && strcmp(text, name(i)) != 0)
        i++;
    if (text && !name(i))
        plussi_json_wrong(o, key, "'%.40s' is not %s", text, all);
    return text && name(i) ? i : 0;
}

static void read_curve(const object *o, plussi_curve *curve)
{
    read_identity(o, &curve->id);
    curve->footprint_lines = plussi_json_count(o, "footprint_lines", true, 0, INT64_MAX);
    curve->footprint_error = plussi_json_count(o, "footprint_error_lines", false, 0, INT64_MAX);
    get_points(o, &curve->mrc);
    get_standard_error(o, curve);
    if (json_object_get(o->json, "spread"))
        get_as_many(o, "spread", curve->n_error, 1, &curve->spread);
    curve->runs = (uint64_t)plussi_json_count(o, "runs", false, 0, INT64_MAX);
    if (curve->runs > 0)
        curve->recorded = (plussi_recording)read_named(o, "recorded", true, plussi_recording_name,
                                                       "values, sampler or accesses");
    curve->counted = json_is_number(json_object_get(o->json, "coverage"));
    if (curve->counted)
        curve->coverage = plussi_json_number(o, "coverage", true, 0, 1);
    curve->took_seconds = plussi_json_number(o, "took_seconds", false, 0, MOST);
}

static void free_half_read(const plussi_mem *mem, plussi_curve *curve)
{
    plussi_free(mem, curve->mrc.size);
    plussi_free(mem, curve->mrc.miss);
    curve->mrc = (plussi_mrc){0};
    plussi_curve_free(mem, curve);
}

static void add_curve(const object *o, plussi_result *result)
{
    plussi_curve curve = {.mrc.mem = *mem_of(o)};
    read_curve(o, &curve);
    if (!o->file->status)
        plussi_json_keep(o, plussi_result_add(result, &curve));
    if (o->file->status)
        free_half_read(mem_of(o), &curve);
}

/* ---- profiles -------------------------------------------------------------------------------- */

static void fill_histo(const object *o, plussi_metric metric, const double *key,
                       const double *weight, size_t n, plussi_histo *out)
{
    double last = metric == PLUSSI_METRIC_INTERVAL ? 0 : -1;
    for (size_t i = 0; i < n && !o->file->status; last = key[i++]) {
        if (!(key[i] > last && key[i] < MOST && key[i] == floor(key[i])))
            plussi_json_wrong(o, "keys", "not ascending whole numbers (intervals: from 1)");
        else if (weight[i] == 0)
            plussi_json_wrong(o, "weights", "an element is 0");
        else
            plussi_json_keep(o, plussi_histo_add(out, (uint64_t)key[i], weight[i]));
    }
}

static void get_histo(const object *o, plussi_metric metric, plussi_histo *out)
{
    double *key = NULL, *weight = NULL;
    out->cold = plussi_json_number(o, "cold", true, 0, MOST);
    out->thread_first = plussi_json_number(o, "thread_first", true, 0, MOST);
    out->coherence = plussi_json_number(o, "coherence", false, 0, MOST);
    size_t n = get_numbers(o, "keys", 0, MOST, &key);
    get_as_many(o, "weights", n, MOST, &weight);
    fill_histo(o, metric, key, weight, n, out);
    plussi_free(mem_of(o), key);
    plussi_free(mem_of(o), weight);
}

/* A reference, and the loop around it. */
static void get_site(const object *o, plussi_site *site, char **loop)
{
    get_text(o, "reference", false, &site->text);
    get_text(o, "file", false, &site->file);
    site->line = (uint32_t)plussi_json_count(o, "line", false, 0, UINT32_MAX);
    get_text(o, "loop", false, loop);
    site->write = json_is_true(json_object_get(o->json, "write"));
    site->atomic = json_is_true(json_object_get(o->json, "atomic"));
}

static void read_part(const object *o, plussi_metric metric, plussi_profile_part *part)
{
    part->ref = (uint32_t)plussi_json_count(o, "number", true, 0, UINT32_MAX);
    get_site(o, &part->site, &part->loop);
    get_histo(o, metric, &part->histo);
}

static void read_profile(const object *o, plussi_profile *profile)
{
    int metric = get_choice(o, "metric", plussi_metric_name(0), plussi_metric_name(1));
    int scope =
        read_named(o, "scope", true, plussi_scope_name, "private, concurrent, coherent or apart");
    size_t n = plussi_json_length(o, "references", false);
    plussi_json_keep(o, plussi_profile_init(mem_of(o), (plussi_metric)metric,
                                            (plussi_profile_scope)scope, n, profile));
    if (o->file->status)
        return;
    read_identity(o, &profile->id);
    profile->sharing = (plussi_profile_sharing)read_named(o, "sharing", false, plussi_sharing_name,
                                                          "any, private or shared");
    profile->phase = plussi_json_count(o, "phase", false, 0, INT64_MAX);
    profile->footprint_lines = plussi_json_count(o, "footprint_lines", true, 0, INT64_MAX);
    double runs = plussi_json_number(o, "runs", false, 1e-12, MOST);
    profile->runs = runs > 0 ? runs : 1;
    get_histo(o, profile->metric, &profile->histo);
    double accesses = plussi_histo_total(&profile->histo) / profile->runs;
    if (!(accesses > 0 && accesses <= MOST))
        plussi_json_wrong(o, "weights", "their sum is not above 0 and at most 2^63 a run");
    for (size_t i = 0; i < n && !o->file->status; i++) {
        object part = plussi_json_element(o, "references", i);
        read_part(&part, profile->metric, &profile->part[i]);
    }
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* null: not known. */
static double get_known(const object *o, const char *key)
{
    return json_is_null(json_object_get(o->json, key)) ? NAN
                                                       : plussi_json_number(o, key, true, 0, MOST);
}

static void read_misses(const object *o, double accesses, uint32_t line_bytes, plussi_misses *m)
{
    object kinds = plussi_json_member(o, "kinds", true);
    m->requests = plussi_json_number(o, "requests", true, 0, MOST);
    m->all = plussi_json_number(o, "misses", true, 0, MOST);
    bool exact = !json_object_get(o->json, "miss_ratio_error");
    m->error = exact ? -1 : accesses * plussi_json_number(o, "miss_ratio_error", true, 0, MOST);
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        m->kind[k] = get_known(&kinds, plussi_miss_kind_key((plussi_miss_kind)k));
    m->after_other = json_object_get(o->json, "misses_after_other_thread")
                         ? get_known(o, "misses_after_other_thread")
                         : NAN;
    m->fetched = get_known(o, "bytes_fetched") / line_bytes;
    m->written_back = get_known(o, "bytes_written_back") / line_bytes;
}

static const char *inclusion_name(int i)
{
    return i <= PLUSSI_INCLUSION_EXCLUSIVE ? plussi_inclusion_name((plussi_inclusion)i) : NULL;
}

static const char *ways_from_name(int i)
{
    return i <= PLUSSI_WAYS_UNKNOWN ? plussi_ways_from_name((plussi_ways_from)i) : NULL;
}

static void read_cache(const object *o, const plussi_identity *id, plussi_cache_level *level)
{
    const char *name = plussi_json_text(o, "name", true);
    plussi_hierarchy alone = {.line_bytes = id->line_bytes, .n = 1};
    char text[128];
    size_t at;
    snprintf(level->name, sizeof level->name, "%s", name ? name : "");
    level->bytes = plussi_json_count(o, "bytes", true, 1, INT64_MAX);
    uint64_t ways = plussi_json_count(o, "ways", true, 1, INT64_MAX);
    level->ways = plussi_json_count(o, "sets", true, 1, INT64_MAX) > 1 ? (uint32_t)ways : 0;
    level->threads_per_cache = id->threads_per_cache;
    level->ways_from = (plussi_ways_from)read_named(o, "ways_from", false, ways_from_name,
                                                    "given, machine or unknown");
    level->inclusion = (plussi_inclusion)read_named(o, "inclusion", true, inclusion_name,
                                                    "inclusive, exclusive or neither");
    level->hashed = plussi_json_flag(o, "hashed", false);
    level->page_bytes = plussi_json_count(o, "page_bytes", false, 1, INT64_MAX);
    level->write_through = plussi_json_flag(o, "write_through", false);
    level->no_write_allocate = !plussi_json_flag(o, "write_allocate", true);
    alone.level[0] = *level;
    alone.level[0].inclusion = PLUSSI_INCLUSION_FREE; /* its neighbours are not here */
    const char *why = o->file->status ? NULL : plussi_hierarchy_fault(&alone, &at, text);
    if (why)
        plussi_json_wrong(o, at ? "line_bytes" : "bytes", "%s", why);
}

static void read_level_part(const object *o, const plussi_level_result *level,
                            plussi_level_part *part)
{
    get_site(o, &part->site, &part->loop);
    get_text(o, "array", false, &part->array);
    part->loop_line = (uint32_t)plussi_json_count(o, "loop_line", false, 0, UINT32_MAX);
    read_misses(o, level->accesses, level->id.line_bytes, &part->misses);
}

/* What it holds on failure is the caller's, too. */
static void read_level(const object *o, plussi_level_result *level)
{
    size_t n = plussi_json_length(o, "by_reference", true);
    read_identity(o, &level->id);
    read_cache(o, &level->id, &level->level);
    level->accesses = plussi_json_number(o, "accesses", true, 0, MOST);
    level->instructions = plussi_json_number(o, "instructions", false, 0, MOST);
    level->point = (uint32_t)plussi_json_count(o, "point", false, 0, UINT32_MAX);
    if (!o->file->status && level->accesses == 0)
        plussi_json_wrong(o, "accesses", "not above 0");
    read_misses(o, level->accesses, level->id.line_bytes, &level->misses);
    level->part = plussi_calloc(mem_of(o), n, sizeof *level->part);
    if (!level->part)
        plussi_json_keep(o, PLUSS_ENOMEM);
    for (size_t i = 0; i < n && !o->file->status; i++) {
        object part = plussi_json_element(o, "by_reference", i);
        read_level_part(&part, level, &level->part[level->n_parts++]);
    }
}

static void add_level(const object *o, plussi_result *result)
{
    plussi_level_result level = {0};
    read_level(o, &level);
    if (!o->file->status)
        plussi_json_keep(o, plussi_result_add_level(result, &level));
    plussi_level_result_free(mem_of(o), &level);
}

/* with_curve: also makes its curve. */
static void add_profile(const object *o, bool with_curve, plussi_result *result)
{
    plussi_profile profile = {.mem = *mem_of(o)};
    read_profile(o, &profile);
    if (!o->file->status && with_curve && !profile.sharing)
        plussi_json_keep(o, plussi_result_add_curve_of(o->file->ctx, result, &profile));
    if (!o->file->status)
        plussi_json_keep(o, plussi_result_add_profile(result, &profile));
    plussi_profile_free(&profile);
}

static pluss_status read_document(plussi_ctx *ctx, const json_t *root, const char *file,
                                  plussi_result *result)
{
    plussi_json_file all = {.ctx = ctx, .loc = {.file = file}};
    object o = {&all, root, ""};
    const json_t *version = json_object_get(root, "version");
    const json_t *curves = json_object_get(root, "curves");
    const json_t *profiles = json_object_get(root, "profiles");
    if (!json_is_integer(version) || !(json_is_array(curves) || json_is_array(profiles)))
        return plussi_fail(ctx, PLUSS_EFORMAT, &all.loc,
                           "not a report of pluss: no \"version\", or neither \"curves\" nor "
                           "\"profiles\"");
    if (json_integer_value(version) < 1 || json_integer_value(version) > PLUSSI_JSON_VERSION)
        return plussi_fail(ctx, PLUSS_EFORMAT, &all.loc,
                           "unknown version %lld of the report; the latest known is %d",
                           (long long)json_integer_value(version), PLUSSI_JSON_VERSION);
    for (size_t i = 0; i < json_array_size(curves) && !all.status; i++) {
        object curve = plussi_json_element(&o, "curves", i);
        add_curve(&curve, result);
    }
    const json_t *coverage = json_object_get(root, "coverage");
    if (coverage && !all.status) {
        object part = plussi_json_member(&o, "coverage", true);
        result->coverage = (plussi_coverage){
            .counted = true,
            .covered = plussi_json_number(&part, "covered", true, 0, MOST),
            .outside = plussi_json_number(&part, "outside", true, 0, MOST),
            .serial = plussi_json_number(&part, "serial", true, 0, MOST),
            .took_seconds = plussi_json_number(&part, "took_seconds", false, 0, MOST),
            .serial_seconds = plussi_json_number(&part, "serial_seconds", false, 0, MOST)};
    }
    for (size_t i = 0, n = plussi_json_length(&o, "levels", false); i < n && !all.status; i++) {
        object level = plussi_json_element(&o, "levels", i);
        add_level(&level, result);
    }
    for (size_t i = 0; i < json_array_size(profiles) && !all.status; i++) {
        object profile = plussi_json_element(&o, "profiles", i);
        add_profile(&profile, !curves, result);
    }
    return all.status;
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
