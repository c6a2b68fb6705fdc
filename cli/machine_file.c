/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine_file.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { VERSION = 1, TEAM_MOST = 65536 };

char *cli_machine_file_place(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && *config == '/')
        return cli_text("%s/pluss/machine.json", config);
    return home && *home ? cli_text("%s/.config/pluss/machine.json", home) : NULL;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

typedef struct reader {
    const char *path;
    char within[96]; /* "regions[2].loops[0]." */
    bool bad;        /* said already */
} reader;

static void wrong(reader *r, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void wrong(reader *r, const char *key, const char *format, ...)
{
    va_list args;
    if (r->bad)
        return;
    r->bad = true;
    cli_clear_status();
    fprintf(stderr, "%s: error: %s%s: ", r->path, r->within, key);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

static char *copy(const char *text)
{
    char *room = cli_alloc(strlen(text) + 1, 1);
    return strcpy(room, text);
}

static char *get_text(reader *r, const json_t *object, const char *key, bool needed)
{
    const json_t *json = json_object_get(object, key);
    if (json_is_string(json))
        return copy(json_string_value(json));
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
    return !r->bad;
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

static double *get_numbers(reader *r, const json_t *object, const char *key, size_t n, double least,
                           double most)
{
    const json_t *array = json_object_get(object, key);
    double *list = cli_alloc(n, sizeof *list);
    if (!json_is_array(array))
        wrong(r, key, array ? "not an array" : "missing");
    else if (json_array_size(array) != n)
        wrong(r, key, "%zu numbers, %zu expected", json_array_size(array), n);
    for (size_t i = 0; i < n && !r->bad; i++) {
        char element[64];
        snprintf(element, sizeof element, "%s[%zu]", key, i);
        if (in_range(r, element, json_array_get(array, i), least, most))
            list[i] = json_number_value(json_array_get(array, i));
    }
    return list;
}

static cli_rates get_rates(reader *r, const json_t *object)
{
    cli_rates t = {0};
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
    return !r->bad;
}

/* Elements of an array of objects; 0 where it is none. */
static size_t get_list(reader *r, const json_t *object, const char *key)
{
    const json_t *array = json_object_get(object, key);
    if (!json_is_array(array))
        wrong(r, key, array ? "not an array" : "missing");
    return r->bad ? 0 : json_array_size(array);
}

static void get_loop(reader *r, const json_t *object, uint32_t team, cli_loop_rates *out)
{
    out->loop = (uint32_t)get_count(r, object, "loop", 0, UINT32_MAX);
    out->rates = get_numbers(r, object, "rates", team, 1e-6, 1e6);
    out->costs = get_numbers(r, object, "costs", (size_t)team * CLI_PIECES, -50, 50);
}

static void get_region(reader *r, const json_t *object, size_t number, cli_calibrated *out)
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
    out->rates = get_numbers(r, object, "rates", r->bad ? 0 : out->team, 1e-6, 1e6);
    size_t loops = get_list(r, object, "loops");
    out->loop = cli_alloc(loops, sizeof *out->loop);
    for (size_t i = 0; i < loops && !r->bad; i++) {
        const json_t *loop = json_array_get(json_object_get(object, "loops"), i);
        char key[32];
        snprintf(key, sizeof key, "loops[%zu]", i);
        if (!is_object(r, key, loop))
            break;
        snprintf(r->within, sizeof r->within, "regions[%zu].loops[%zu].", number, i);
        get_loop(r, loop, out->team, &out->loop[out->n_loops++]);
        snprintf(r->within, sizeof r->within, "regions[%zu].", number);
    }
}

static void get_file(reader *r, const json_t *root, cli_machine_file *out)
{
    if (!is_object(r, "the file", root))
        return;
    const json_t *version = json_object_get(root, "version");
    if (!json_is_integer(version) || json_integer_value(version) != VERSION)
        wrong(r, "version", "this is not a machine file of version %d", VERSION);
    out->processor = get_text(r, root, "processor", false);
    out->date = get_text(r, root, "date", false);
    out->all = get_rates(r, root);
    out->slice = get_optional(r, root, "slice", 1e3, 1e12);
    size_t n = get_list(r, root, "regions");
    out->region = cli_alloc(n, sizeof *out->region);
    for (size_t i = 0; i < n && !r->bad; i++) {
        const json_t *region = json_array_get(json_object_get(root, "regions"), i);
        char key[32];
        snprintf(key, sizeof key, "regions[%zu]", i);
        if (is_object(r, key, region)) {
            get_region(r, region, i, &out->region[out->n_regions++]);
            r->within[0] = '\0';
        }
    }
}

/* What jansson cannot store it leaves out, and says so to nobody. */
static void *alloc_json(size_t bytes)
{
    return cli_alloc(bytes, 1);
}

cli_read cli_machine_file_read(const char *path, cli_machine_file *out)
{
    json_error_t error;
    reader r = {.path = path};
    *out = (cli_machine_file){0};
    json_set_alloc_funcs(alloc_json, free);
    FILE *file = fopen(path, "re");
    if (!file) {
        if (errno == ENOENT || errno == ENOTDIR)
            return CLI_READ_NONE;
        fprintf(stderr, "%s: error: cannot be read: %s\n", path, strerror(errno));
        return CLI_READ_BAD;
    }
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (!root) {
        fprintf(stderr, "%s:%d:%d: error: %s\n", path, error.line > 0 ? error.line : 1,
                error.column > 0 ? error.column : 1, error.text);
        return CLI_READ_BAD;
    }
    get_file(&r, root, out);
    json_decref(root);
    if (!r.bad)
        return CLI_READ;
    cli_machine_file_free(out);
    return CLI_READ_BAD;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

/* Strings from the system may be anything; JSON is UTF-8. */
static json_t *text_or_null(const char *text)
{
    json_t *json = text ? json_string(text) : NULL;
    return json ? json : json_null();
}

static json_t *numbers(const double *list, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_real(list[i]));
    return array;
}

static void put_rates(json_t *object, const cli_rates *t)
{
    json_object_set_new(object, "sigma", json_real(t->sigma));
    json_object_set_new(object, "skew", json_real(t->skew));
    json_object_set_new(object, "skew_spread", json_real(t->skew_spread));
    json_object_set_new(object, "stall_rate", json_real(t->stall_rate));
    json_object_set_new(object, "stall", json_real(t->stall));
    if (t->access > 0)
        json_object_set_new(object, "access", json_real(t->access));
}

static json_t *region_json(const cli_calibrated *c)
{
    json_t *loops = json_array();
    for (size_t i = 0; i < c->n_loops; i++)
        json_array_append_new(loops,
                              json_pack("{s:I, s:o, s:o}", "loop", (json_int_t)c->loop[i].loop,
                                        "rates", numbers(c->loop[i].rates, c->team), "costs",
                                        numbers(c->loop[i].costs, (size_t)c->team * CLI_PIECES)));
    json_t *object = json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:I, s:I}", "region",
                               text_or_null(c->region), "file", text_or_null(c->file), "line",
                               (json_int_t)c->line, "team", (json_int_t)c->team, "date",
                               text_or_null(c->date), "command", text_or_null(c->command), "runs",
                               (json_int_t)c->runs, "discarded", (json_int_t)c->discarded);
    put_rates(object, &c->all);
    json_object_set_new(object, "rates", numbers(c->rates, c->team));
    json_object_set_new(object, "loops", loops);
    return object;
}

static json_t *file_json(const cli_machine_file *file)
{
    json_t *regions = json_array();
    for (size_t i = 0; i < file->n_regions; i++)
        json_array_append_new(regions, region_json(&file->region[i]));
    json_t *root = json_pack("{s:i, s:s+, s:o, s:o}", "version", VERSION, "generator", "pluss ",
                             pluss_version(), "processor", text_or_null(file->processor), "date",
                             text_or_null(file->date));
    put_rates(root, &file->all);
    if (file->slice > 0)
        json_object_set_new(root, "slice", json_real(file->slice));
    json_object_set_new(root, "regions", regions);
    return root;
}

/* The folder of path, and the one around it. */
static void make_folders(const char *path)
{
    char *folder = copy(path);
    char *last = strrchr(folder, '/');
    if (last && last != folder) {
        *last = '\0';
        char *before = strrchr(folder, '/');
        if (before && before != folder) {
            *before = '\0';
            (void)mkdir(folder, 0777);
            *before = '/';
        }
        (void)mkdir(folder, 0777);
    }
    free(folder);
}

bool cli_machine_file_open(const cli_options *options, const char *path, cli_output *out)
{
    make_folders(path);
    return cli_output_open(options, path, out);
}

static int dump(const char *data, size_t length, void *user)
{
    return cli_output_write(user, data, length);
}

int cli_machine_file_write(const cli_options *options, const cli_machine_file *file,
                           cli_output *out)
{
    json_t *root = file_json(file);
    if (!root || json_dump_callback(root, dump, out, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) != 0)
        out->error = out->error ? out->error : ENOMEM;
    json_decref(root);
    (void)cli_output_write(out, "\n", 1);
    return cli_output_close(options, out, CLI_OK);
}

/* ---- regions ----------------------------------------------------------------------------------
 */

static void free_region(cli_calibrated *c)
{
    for (size_t i = 0; i < c->n_loops; i++) {
        free(c->loop[i].rates);
        free(c->loop[i].costs);
    }
    free(c->region);
    free(c->file);
    free(c->command);
    free(c->date);
    free(c->rates);
    free(c->loop);
}

void cli_machine_file_free(cli_machine_file *file)
{
    for (size_t i = 0; i < file->n_regions; i++)
        free_region(&file->region[i]);
    free(file->region);
    free(file->processor);
    free(file->date);
    *file = (cli_machine_file){0};
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

const cli_calibrated *cli_machine_file_find(const cli_machine_file *file, const char *region,
                                            const char *source, uint32_t team)
{
    for (size_t i = 0; i < file->n_regions; i++) {
        const cli_calibrated *c = &file->region[i];
        if (c->team == team && same_text(c->region, region) && same_text(c->file, source))
            return c;
    }
    return NULL;
}

static double times_apart(uint32_t a, uint32_t b)
{
    return a > b ? (double)a / b : (double)b / a;
}

const cli_calibrated *cli_machine_file_nearest(const cli_machine_file *file, const char *region,
                                               const char *source, uint32_t team)
{
    const cli_calibrated *best = NULL;
    for (size_t i = 0; i < file->n_regions; i++) {
        const cli_calibrated *c = &file->region[i];
        if (!(c->all.access > 0) || !same_text(c->region, region) || !same_text(c->file, source))
            continue;
        double nearer = best ? times_apart(best->team, team) - times_apart(c->team, team) : 1;
        if (nearer > 0 || (!(nearer < 0) && c->team < best->team))
            best = c;
    }
    return best;
}

/* Each region counts by its runs: squares and logarithms are averaged, stalls as they are. */
static cli_rates together(const cli_machine_file *file)
{
    cli_rates t = {0};
    double runs = 0, late = 0, lost = 0, timed = 0;
    for (size_t i = 0; i < file->n_regions; i++) {
        const cli_calibrated *c = &file->region[i];
        double n = (double)(c->runs - c->discarded);
        runs += n;
        t.sigma += n * c->all.sigma * c->all.sigma;
        t.stall_rate += n * c->all.stall_rate;
        lost += n * c->all.stall_rate * c->all.stall;
        if (c->all.skew > 0) {
            late += n;
            t.skew += n * log(c->all.skew);
            t.skew_spread += n * c->all.skew_spread * c->all.skew_spread;
        }
        if (c->all.access > 0) {
            timed += n;
            t.access += n * log(c->all.access);
        }
    }
    if (runs > 0) {
        t.sigma = sqrt(t.sigma / runs);
        t.stall = t.stall_rate > 0 ? lost / t.stall_rate : 0;
        t.stall_rate /= runs;
    }
    if (late > 0) {
        t.skew = exp(t.skew / late);
        t.skew_spread = sqrt(t.skew_spread / late);
    }
    if (timed > 0)
        t.access = exp(t.access / timed);
    return t;
}

void cli_machine_file_merge(cli_machine_file *file, cli_calibrated *region)
{
    const cli_calibrated *there =
        cli_machine_file_find(file, region->region, region->file, region->team);
    size_t at = there ? (size_t)(there - file->region) : file->n_regions;
    if (there) {
        free_region(&file->region[at]);
    } else {
        file->region = cli_grow(file->region, file->n_regions, sizeof *file->region);
        file->n_regions++;
    }
    file->region[at] = *region;
    *region = (cli_calibrated){0};
    file->all = together(file);
}
