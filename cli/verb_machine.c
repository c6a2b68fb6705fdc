/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const char *type_name(char type)
{
    return type == 'u' ? "unified" : type == 'd' ? "data" : "instruction";
}

static void print_text(cli_output *out, const cli_machine *machine)
{
    if (machine->cpu)
        cli_output_print(out, "%s\n", machine->cpu);
    cli_output_print(out, "%u cores, %u processors\n", machine->cores, machine->processors);
    if (machine->n_caches == 0)
        return;
    cli_output_print(out, "\ncache  %10s  %5s  %5s  %9s  %5s\n", "size", "line", "ways",
                     "shared by", "count");
    for (size_t i = 0; i < machine->n_caches; i++) {
        const cli_cache *c = &machine->cache[i];
        char size[32], line[32] = "?", ways[16] = "?";
        cli_bytes_text(c->bytes, size);
        if (c->line_bytes)
            snprintf(line, sizeof line, "%u B", c->line_bytes);
        if (c->ways > 0)
            snprintf(ways, sizeof ways, "%d", c->ways);
        else if (c->ways < 0)
            strcpy(ways, "full");
        cli_output_print(out, "%-5s  %10s  %5s  %5s  %9u  %5u\n", c->label, size, line, ways,
                         c->shared_by, c->count);
    }
}

static int dump(const char *data, size_t length, void *user)
{
    return cli_output_write(user, data, length);
}

/* Strings from the system may be anything; JSON is UTF-8. */
static json_t *text_or_null(const char *text)
{
    json_t *json = text ? json_string(text) : NULL;
    return json ? json : json_null();
}

static void print_json(cli_output *out, const cli_machine *machine)
{
    json_t *caches = json_array();
    for (size_t i = 0; i < machine->n_caches; i++) {
        const cli_cache *c = &machine->cache[i];
        json_array_append_new(
            caches, json_pack("{s:s, s:i, s:s, s:I, s:i, s:i, s:i, s:i}", "name", c->label, "level",
                              (int)c->level, "type", type_name(c->type), "size_bytes",
                              (json_int_t)c->bytes, "line_bytes", (int)c->line_bytes, "ways",
                              c->ways, "shared_by", (int)c->shared_by, "count", (int)c->count));
    }
    json_t *root =
        json_pack("{s:i, s:s+, s:o, s:i, s:i, s:o}", "version", 1, "generator", "pluss ",
                  pluss_version(), "cpu", text_or_null(machine->cpu), "cores", (int)machine->cores,
                  "processors", (int)machine->processors, "caches", caches);
    if (!root || json_dump_callback(root, dump, out, JSON_INDENT(2)) != 0)
        out->error = out->error ? out->error : -1;
    json_decref(root);
    cli_output_print(out, "\n");
}

int cli_machine_verb(cli_options *options)
{
    cli_machine machine;
    if (!cli_machine_read(&machine)) {
        cli_error(options, "hwloc cannot read this machine's topology");
        return CLI_INPUT;
    }
    int status = machine.n_caches ? CLI_OK : CLI_NO;
    if (status == CLI_NO)
        cli_error(options, "the system does not tell about its caches");
    if (options->format == CLI_JSON)
        print_json(options->report, &machine);
    else
        print_text(options->report, &machine);
    cli_machine_free(&machine);
    return cli_output_close(options, options->report, status);
}
