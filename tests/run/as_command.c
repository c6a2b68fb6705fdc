/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the command does, through the C interface alone: as_command run RECORD, predict FILE or
 * simulate FILE, then NAME=TEXT..., the library's options. Prints the report as JSON.
 */
#include <stdio.h>
#include <string.h>

#include "pluss.h"

static int write_out(void *user, const char *data, size_t length)
{
    return fwrite(data, 1, length, user) != length;
}

static void tell(void *user, const pluss_diagnostic *d)
{
    (void)user;
    fprintf(stderr, "%s\n", d->text);
}

static pluss_status set_options(pluss_context *ctx, pluss_options *options, char **words)
{
    pluss_status status = PLUSS_OK;
    for (; *words && !status; words++) {
        char *text = strchr(*words, '=');
        if (text)
            *text++ = '\0';
        status = pluss_options_set(ctx, options, *words, text);
    }
    return status;
}

static pluss_status run(pluss_context *ctx, const char *verb, const char *path,
                        const pluss_options *options, pluss_result **out)
{
    pluss_record *record = NULL;
    pluss_nests *nests = NULL;
    pluss_status status;
    if (strcmp(verb, "run") == 0) {
        status = pluss_record_read(ctx, path, &record);
        if (!status)
            status = pluss_record_run(ctx, record, NULL, 0, options, out);
    } else {
        status = pluss_nests_read(ctx, path, &nests);
        if (!status)
            status = (strcmp(verb, "predict") == 0 ? pluss_nests_predict : pluss_nests_simulate)(
                ctx, nests, options, out);
    }
    pluss_record_free(record);
    pluss_nests_free(nests);
    return status;
}

int main(int argc, char **argv)
{
    const pluss_context_options log = {.size = sizeof log, .log = tell};
    pluss_context *ctx = NULL;
    pluss_options *options = NULL;
    pluss_result *result = NULL;
    pluss_report *report = NULL;
    if (argc < 3 || pluss_context_new(&log, &ctx) || pluss_options_new(ctx, &options))
        return 2;
    pluss_status status = set_options(ctx, options, argv + 3);
    if (!status)
        status = run(ctx, argv[1], argv[2], options, &result);
    if (!status)
        status = pluss_result_report(ctx, result, NULL, &report);
    if (!status)
        status = pluss_report_write(ctx, report, "json", NULL, write_out, stdout);
    pluss_report_free(report);
    pluss_result_free(result);
    pluss_options_free(options);
    pluss_context_free(ctx);
    return status != PLUSS_OK;
}
