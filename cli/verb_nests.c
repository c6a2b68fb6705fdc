/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char *sharing_name(pluss_sharing sharing)
{
    switch (sharing) {
    case PLUSS_SHARING_NONE:
        return "none";
    case PLUSS_SHARING_SPATIAL:
        return "spatial";
    case PLUSS_SHARING_FULL:
        return "full";
    case PLUSS_SHARING_SPLIT:
        return "split";
    }
    return "?";
}

/* " gemm.c:42:5", as far as it is known. */
static void print_place(cli_output *out, const char *file, uint32_t line, uint32_t col)
{
    if (!line)
        return;
    cli_output_print(out, "  %s:%u", file ? file : "?", line);
    if (col)
        cli_output_print(out, ":%u", col);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Symbols of the region, and of the whole nest. */
static void print_symbols(cli_output *out, const pluss_nest *nest, uint32_t region)
{
    static const char *const title[] = {"needs", "has", "derives"};
    pluss_symbol_info s = {.size = sizeof s};
    for (int kind = PLUSS_SYMBOL_UNBOUND; kind <= PLUSS_SYMBOL_DERIVED; kind++) {
        bool first = true;
        for (uint32_t i = 0; !pluss_nest_get_symbol(nest, i, &s); i++) {
            if ((int)s.kind != kind || (s.region >= 0 && (uint32_t)s.region != region))
                continue;
            cli_output_print(out, first ? "  %s " : ", ", title[kind]);
            first = false;
            cli_output_print(out, s.value ? "%s = %s" : "%s", s.name, s.value);
            if (s.origin && strcmp(s.origin, s.name) != 0)
                cli_output_print(out, " (%s)", s.origin);
        }
        if (!first)
            cli_output_print(out, "\n");
    }
}

static void print_loops(cli_output *out, const pluss_nest *nest, uint32_t region)
{
    pluss_loop_info l = {.size = sizeof l};
    for (uint32_t i = 0; !pluss_nest_get_loop(nest, i, &l); i++) {
        if (l.region != region)
            continue;
        cli_output_print(out, "  %*s%sfor %s in %s..%s", 2 * (int)l.depth, "",
                         l.parallel ? "parallel " : "", l.iv, l.lo, l.hi);
        if (l.step != 1)
            cli_output_print(out, " step %lld", (long long)l.step);
        if (l.parallel) /* without a clause: what libgomp does */
            cli_output_print(out, " schedule(%s)", *l.schedule ? l.schedule : "static");
        if (l.collapse > 1)
            cli_output_print(out, " collapse(%u)", l.collapse);
        if (l.nowait)
            cli_output_print(out, " nowait");
        print_place(out, l.file, l.line, l.col);
        cli_output_print(out, "\n");
    }
}

static void print_refs(cli_output *out, const pluss_nest *nest, uint32_t region)
{
    pluss_ref_info r = {.size = sizeof r};
    int width = 0;
    for (uint32_t i = 0; !pluss_nest_get_ref(nest, i, &r); i++)
        if (r.region == region && (int)strlen(r.text) > width)
            width = (int)strlen(r.text);
    width = width > 40 ? 40 : width;
    for (uint32_t i = 0; !pluss_nest_get_ref(nest, i, &r); i++) {
        if (r.region != region)
            continue;
        cli_output_print(out, "  %-5s %-*s  shared: %s%s", r.write ? "write" : "read", width,
                         r.text, sharing_name(r.sharing), r.atomic ? "  atomic" : "");
        print_place(out, r.file, r.line, r.col);
        cli_output_print(out, "\n");
    }
}

static void print_unknowns(cli_output *out, const pluss_nest *nest, uint32_t region)
{
    pluss_unknown_info u = {.size = sizeof u};
    for (uint32_t i = 0; !pluss_nest_get_unknown(nest, i, &u); i++) {
        if (u.region != region)
            continue;
        cli_output_print(out, "  not described: %s%s%s: %s", u.kind, u.array ? " of " : "",
                         u.array ? u.array : "", u.reason);
        print_place(out, u.file, u.line, u.col);
        cli_output_print(out, "\n");
    }
}

static void print_region(cli_output *out, const pluss_nest *nest, uint32_t region,
                         const pluss_region_info *info)
{
    cli_output_print(out, "%s", info->name);
    if (info->file)
        cli_output_print(out, "  %s", info->file);
    if (info->file && info->line)
        cli_output_print(out, ":%u", info->line);
    cli_output_print(out, "\n");
    if (info->no_symbol)
        cli_output_print(out, "  not in the symbol table: %s (dropped, or wholly inlined)\n",
                         info->symbol);
    print_symbols(out, nest, region);
    print_loops(out, nest, region);
    print_refs(out, nest, region);
    print_unknowns(out, nest, region);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Names and paths may be anything; JSON is UTF-8. */
static json_t *text(const char *s)
{
    json_t *json = s ? json_string(s) : json_null();
    if (json)
        return json;
    char *ascii = cli_alloc(strlen(s) + 1, 1);
    for (size_t i = 0; s[i]; i++)
        ascii[i] = (unsigned char)s[i] < 0x80 ? s[i] : '?';
    json = json_string(ascii);
    free(ascii);
    return json;
}

static void set_place(json_t *object, const char *file, uint32_t line, uint32_t col)
{
    if (file)
        json_object_set_new(object, "file", text(file));
    if (line)
        json_object_set_new(object, "line", json_integer(line));
    if (col)
        json_object_set_new(object, "column", json_integer(col));
}

static json_t *symbols_json(const pluss_nest *nest, uint32_t region)
{
    static const char *const kind[] = {"unbound", "bound", "derived"};
    json_t *list = json_array();
    pluss_symbol_info s = {.size = sizeof s};
    for (uint32_t i = 0; !pluss_nest_get_symbol(nest, i, &s); i++)
        if (s.region < 0 || (uint32_t)s.region == region)
            json_array_append_new(list, json_pack("{s:o, s:s, s:o, s:o}", "name", text(s.name),
                                                  "kind", kind[s.kind], "value", text(s.value),
                                                  "origin", text(s.origin)));
    return list;
}

static json_t *loops_json(const pluss_nest *nest, uint32_t region)
{
    json_t *list = json_array();
    pluss_loop_info l = {.size = sizeof l};
    for (uint32_t i = 0; !pluss_nest_get_loop(nest, i, &l); i++) {
        if (l.region != region)
            continue;
        json_t *object =
            json_pack("{s:I, s:I, s:o, s:o, s:o, s:I, s:b, s:I, s:b}", "loop", (json_int_t)i,
                      "depth", (json_int_t)l.depth, "iv", text(l.iv), "from", text(l.lo), "to",
                      text(l.hi), "step", (json_int_t)l.step, "parallel", l.parallel, "collapse",
                      (json_int_t)l.collapse, "nowait", l.nowait);
        if (l.parallel)
            json_object_set_new(object, "schedule", text(l.schedule));
        set_place(object, l.file, l.line, l.col);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *refs_json(const pluss_nest *nest, uint32_t region)
{
    json_t *list = json_array();
    pluss_ref_info r = {.size = sizeof r};
    for (uint32_t i = 0; !pluss_nest_get_ref(nest, i, &r); i++) {
        if (r.region != region)
            continue;
        json_t *object =
            json_pack("{s:I, s:o, s:o, s:s, s:b, s:s, s:o}", "reference", (json_int_t)i, "text",
                      text(r.text), "array", text(r.array), "access", r.write ? "write" : "read",
                      "atomic", r.atomic, "sharing", sharing_name(r.sharing), "loop",
                      r.loop < 0 ? json_null() : json_integer(r.loop));
        set_place(object, r.file, r.line, r.col);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *unknowns_json(const pluss_nest *nest, uint32_t region)
{
    json_t *list = json_array();
    pluss_unknown_info u = {.size = sizeof u};
    for (uint32_t i = 0; !pluss_nest_get_unknown(nest, i, &u); i++) {
        if (u.region != region)
            continue;
        json_t *object = json_pack("{s:s, s:o, s:o}", "kind", u.kind, "array", text(u.array),
                                   "reason", text(u.reason));
        set_place(object, u.file, u.line, u.col);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *region_json(const pluss_nest *nest, uint32_t region, const pluss_region_info *info)
{
    pluss_nest_info whole = {.size = sizeof whole};
    (void)!pluss_nest_get_info(nest, &whole);
    json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "region", text(info->name),
                               "origin", text(whole.origin), "symbols", symbols_json(nest, region),
                               "loops", loops_json(nest, region), "references",
                               refs_json(nest, region), "unknown", unknowns_json(nest, region));
    set_place(object, info->file, info->line, info->col);
    if (info->symbol) {
        json_object_set_new(object, "symbol", text(info->symbol));
        json_object_set_new(object, "no_symbol", json_boolean(info->no_symbol));
    }
    return object;
}

static int dump(const char *data, size_t length, void *user)
{
    return cli_output_write(user, data, length);
}

static void print_json(cli_output *out, json_t *regions)
{
    json_t *root = json_pack("{s:i, s:s+, s:o}", "version", 1, "generator", "pluss ",
                             pluss_version(), "regions", regions);
    if ((!root || json_dump_callback(root, dump, out, JSON_INDENT(1)) != 0) && !out->error)
        out->error = EIO;
    json_decref(root);
    cli_output_print(out, "\n");
}

/* ---- the verb -------------------------------------------------------------------------------- */

/* Regions of one nest, as text or into the list. */
static void show_regions(cli_output *out, const cli_options *options, const pluss_nest *nest,
                         json_t *list, size_t *shown)
{
    pluss_region_info info = {.size = sizeof info};
    for (uint32_t r = 0; !pluss_nest_get_region(nest, r, &info); r++) {
        if (!cli_region_wanted(options, info.name))
            continue;
        if (list)
            json_array_append_new(list, region_json(nest, r, &info));
        else {
            if (*shown > 0)
                cli_output_print(out, "\n");
            print_region(out, nest, r, &info);
        }
        ++*shown;
    }
}

/* The description; of the regions asked for alone where some are. */
static pluss_status show_text(pluss_context *ctx, cli_output *out, const cli_options *options,
                              const pluss_nest *nest, size_t *shown)
{
    pluss_region_info info = {.size = sizeof info};
    pluss_status status = PLUSS_OK;
    for (uint32_t r = 0; !status && !pluss_nest_get_region(nest, r, &info); r++) {
        if (!cli_region_wanted(options, info.name))
            continue;
        pluss_nest *alone = NULL;
        if (options->n_regions)
            status = pluss_nest_extract(ctx, nest, r, &alone);
        if (!status)
            status = pluss_nest_write(ctx, alone ? alone : nest, cli_output_write, out);
        pluss_nest_free(alone);
        ++*shown;
        if (!options->n_regions)
            break; /* that was the whole nest */
    }
    return status;
}

static int show_all(pluss_context *ctx, const cli_options *options, const pluss_nests *nests)
{
    cli_output *out = options->report;
    json_t *list = options->format == CLI_JSON ? json_array() : NULL;
    size_t shown = 0;
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < pluss_nests_count(nests) && !status; i++) {
        const pluss_nest *nest = pluss_nests_get(nests, i);
        if (options->nest_text)
            status = show_text(ctx, out, options, nest, &shown);
        else
            show_regions(out, options, nest, list, &shown);
    }
    if (list)
        print_json(out, list);
    if (shown == 0)
        cli_error(options, "%s: no loop nests; was it compiled with pluss cc?", options->file[0]);
    int exit_status = status ? cli_exit_status(status) : shown ? CLI_OK : CLI_NO;
    return cli_output_close(options, out, exit_status);
}

int cli_nests(cli_options *options)
{
    if (options->nest_text && options->format == CLI_JSON)
        return cli_usage(options, "--text and --json exclude each other");
    pluss_context *ctx = cli_context();
    pluss_nests *nests = NULL;
    int status = CLI_INPUT;
    if (pluss_nests_read(ctx, options->file[0], &nests) == PLUSS_OK)
        status = pluss_nests_count(nests) > 0 && !cli_regions_exist(options, nests)
                     ? CLI_NO
                     : show_all(ctx, options, nests);
    pluss_nests_free(nests);
    pluss_context_free(ctx);
    return status;
}
