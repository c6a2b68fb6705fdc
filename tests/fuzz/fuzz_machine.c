/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the machine file: read whole or refused; what was read is written, read again, and
 * written the same. All regions are found again, by name and by nearest team.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cli/machine_file.h"
#include "any_target.h"

static void check_rates(const cli_rates *t)
{
    require(t->sigma >= 0 && t->sigma <= 10 && t->skew >= 0 && t->skew <= 1e15 &&
                t->stall_rate >= 0 && t->stall_rate <= 1 && t->stall >= 0 && t->access >= 0,
            "numbers are in their ranges");
}

static void check_file(const cli_machine_file *file)
{
    check_rates(&file->all);
    for (size_t i = 0; i < file->n_regions; i++) {
        const cli_calibrated *c = &file->region[i];
        check_rates(&c->all);
        require(c->team >= 1 && c->runs > c->discarded, "a region was run");
        const cli_calibrated *same = cli_machine_file_find(file, c->region, c->file, c->team);
        require(same && same <= c && same->team == c->team, "a region is found");
        require(!(c->all.access > 0) ||
                    cli_machine_file_nearest(file, c->region, c->file, c->team)->team == c->team,
                "the nearest team is the same team");
    }
}

static char *write_file(const cli_machine_file *file, size_t *length)
{
    static const cli_options options = {.verb = "calibrate"};
    char *bytes = NULL;
    cli_output out = {.stream = open_memstream(&bytes, length), .name = "written"};
    require(out.stream && cli_machine_file_write(&options, file, &out) == CLI_OK && bytes,
            "what was read can be written");
    return bytes;
}

static void check_round_trip(const cli_machine_file *file)
{
    char path[PATH_ROOM];
    size_t n, n_again;
    char *first = write_file(file, &n);
    cli_machine_file again;
    put_file("file", (const uint8_t *)first, n, path);
    require(cli_machine_file_read(path, &again) == CLI_READ, "what was written can be read");
    char *second = write_file(&again, &n_again);
    require(n == n_again && memcmp(first, second, n) == 0, "a second round changes nothing");
    cli_machine_file_free(&again);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[PATH_ROOM];
    cli_machine_file file;
    put_file("file", data, size, path);
    if (cli_machine_file_read(path, &file) == CLI_READ) {
        check_file(&file);
        check_round_trip(&file);
        cli_calibrated new = {.team = 2, .runs = 1, .rates = calloc(2, sizeof *new.rates)};
        cli_machine_file_merge(&file, &new);
        check_rates(&file.all);
        cli_machine_file_free(&file);
    }
    return 0;
}
