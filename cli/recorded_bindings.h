/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The blocks of a record by binding: the same region with the same values and places in lines, run
 * by other teams or recorded otherwise.
 */
#ifndef CLI_RECORDED_BINDINGS_H
#define CLI_RECORDED_BINDINGS_H

#include "cli.h"

enum { CLI_BINDINGS = 64 /* of a region that are reported */ };

typedef struct cli_recorded_binding {
    const size_t *block; /* ascending */
    size_t n;
} cli_recorded_binding;

typedef struct cli_recorded_bindings {
    cli_recorded_binding *binding; /* in the order of their first blocks */
    size_t n;
    size_t *block; /* of all */
} cli_recorded_bindings;

/* Those of the regions that are asked for; of a region with more than CLI_BINDINGS, those that ran
 * most, and a warning tells of the others. O(blocks log blocks). */
cli_recorded_bindings cli_find_bindings(const cli_options *options, const pluss_record *record,
                                        uint32_t line_bytes);
void cli_free_bindings(cli_recorded_bindings *bindings);

#endif
