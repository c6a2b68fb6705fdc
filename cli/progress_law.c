/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Laws of thread progress, as the library has them.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* What the library says of the text. */
static const char *reason(const pluss_context *ctx)
{
    static char text[512];
    pluss_diagnostic d = {.size = sizeof d};
    bool told =
        pluss_context_diagnostic_count(ctx) && pluss_context_diagnostic(ctx, 0, &d) == PLUSS_OK;
    snprintf(text, sizeof text, "%s", told ? d.text : "it cannot be read");
    return text;
}

bool cli_read_progress(const char *text, pluss_progress *out, const char **why)
{
    pluss_context *ctx = NULL;
    if (pluss_context_new(NULL, &ctx))
        cli_no_memory();
    out->size = sizeof *out;
    bool good = pluss_progress_parse(ctx, text, out) == PLUSS_OK;
    *why = good ? NULL : reason(ctx);
    pluss_context_free(ctx);
    if (good && cli_progress_is(out, "slices") && out->cores == 0) {
        cli_machine machine = {0};
        (void)cli_machine_read(&machine);
        out->cores = machine.processors ? machine.processors : 1;
        cli_machine_free(&machine);
    }
    return good;
}

bool cli_progress_is(const pluss_progress *progress, const char *law)
{
    return progress->law && strcmp(progress->law, law) == 0;
}

bool cli_is_replayed(const cli_options *options)
{
    return options->simulate && cli_progress_is(&options->progress, "recorded");
}

void cli_print_progress(void)
{
    pluss_progress_info law = {.size = sizeof law};
    printf("\nThread progress:\n");
    for (size_t i = 0; pluss_progress_get(i, &law) == PLUSS_OK; i++)
        printf("  %-33s %s%s%s\n", law.syntax, law.summary, i == 0 ? " (default)" : "",
               !law.simulated   ? " (predicted only)"
               : !law.predicted ? " (simulated only)"
                                : "");
}
