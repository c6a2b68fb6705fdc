/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the samplers of a program under pluss run are asked for: they read it from the environment.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* What libpluss-rt takes. */
enum { MAX_TEAMS = 64, MAX_TEAM = 4096 };

/* Numbers of threads as the library reads them; the caller frees. NULL: they are refused. */
static pluss_options *read_teams(pluss_context *ctx, const char *text)
{
    pluss_options *options = NULL;
    cli_must(pluss_options_new(ctx, &options));
    if (pluss_options_set(ctx, options, "threads", text) == PLUSS_OK)
        return options;
    pluss_options_free(options);
    return NULL;
}

static bool can_be_sampled(const pluss_options *options)
{
    size_t n;
    const uint32_t *team = pluss_options_get_threads(options, &n);
    bool good = n > 0 && n <= MAX_TEAMS;
    for (size_t i = 0; i < n; i++)
        good = good && team[i] <= MAX_TEAM;
    return good;
}

bool cli_check_sample_teams(const char *text, const char **why)
{
    static char said[256];
    pluss_context *ctx = NULL;
    pluss_diagnostic d = {.size = sizeof d};
    cli_must(pluss_context_new(NULL, &ctx));
    pluss_options *options = read_teams(ctx, text);
    bool good = options && can_be_sampled(options);
    *why = "samplers take up to 64 teams of up to 4096 threads";
    if (!options && pluss_context_diagnostic(ctx, 0, &d) == PLUSS_OK) {
        const char *reason = strstr(d.text, ": ");
        snprintf(said, sizeof said, "%s", reason ? reason + 2 : d.text);
        *why = said;
    }
    pluss_options_free(options);
    pluss_context_free(ctx);
    return good;
}

/* errno; 0: all is well. */
static int set_teams(const pluss_options *options)
{
    char text[MAX_TEAMS * 6], *at = text;
    size_t n;
    const uint32_t *team = pluss_options_get_threads(options, &n);
    for (size_t i = 0; i < n; i++)
        at += snprintf(at, (size_t)(text + sizeof text - at), "%s%u", i ? "," : "", team[i]);
    return setenv("PLUSS_SAMPLE_TEAMS", text, 1) ? errno : 0;
}

/* Those to be predicted, unless the samplers would not take them or the user has said otherwise. */
static int set_default_teams(const cli_options *options)
{
    if (getenv("PLUSS_SAMPLE_TEAMS") || !can_be_sampled(options->request))
        return 0;
    return set_teams(options->request);
}

static int set_given_teams(const cli_options *options)
{
    pluss_options *teams = read_teams(options->quiet, options->sample_teams);
    int error = set_teams(teams);
    pluss_options_free(teams);
    return error;
}

int cli_set_samplers(const cli_options *options)
{
    char text[40];
    const char *schedule = cli_given(options, "schedule");
    int error = options->sample_teams ? set_given_teams(options) : set_default_teams(options);
    if (!error && schedule && strcmp(schedule, "recorded") != 0 &&
        setenv("PLUSS_SAMPLE_SCHEDULE", schedule, 1))
        error = errno;
    snprintf(text, sizeof text, "%.17g", options->sample_rate);
    if (!error && options->sample_rate > 0 && setenv("PLUSS_SAMPLE_RATE", text, 1))
        error = errno;
    return error;
}
