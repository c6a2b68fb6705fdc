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

bool cli_read_sample_teams(const char *text, cli_options *options, const char **why)
{
    free(options->sample_team);
    options->sample_team = NULL;
    options->n_sample_teams = 0;
    if (!cli_read_threads(text, &options->sample_team, &options->n_sample_teams, why))
        return false;
    *why = "samplers take up to 64 teams of up to 4096 threads";
    bool good = options->n_sample_teams <= MAX_TEAMS;
    for (size_t i = 0; i < options->n_sample_teams; i++)
        good = good && options->sample_team[i] <= MAX_TEAM;
    return good;
}

bool cli_read_rate(const char *text, double *out, const char **why)
{
    bool whole = strcmp(text, "1") == 0 || strcmp(text, "100%") == 0;
    if (whole)
        *out = 1;
    if (whole || cli_read_share(text, out, why))
        return true;
    *why = "a rate is above 0 and up to 1, as in 0.01 or 1%";
    return false;
}

/* errno; 0: all is well. */
static int set_teams(const uint32_t *team, size_t n)
{
    char text[MAX_TEAMS * 6], *at = text;
    for (size_t i = 0; i < n; i++)
        at += snprintf(at, (size_t)(text + sizeof text - at), "%s%u", i ? "," : "", team[i]);
    return setenv("PLUSS_SAMPLE_TEAMS", text, 1) ? errno : 0;
}

/* Those to be predicted, unless the samplers would not take them or the user has said otherwise. */
static int set_default_teams(const cli_options *options)
{
    if (options->n_teams == 0 || options->n_teams > MAX_TEAMS || getenv("PLUSS_SAMPLE_TEAMS"))
        return 0;
    for (size_t i = 0; i < options->n_teams; i++)
        if (options->team[i] > MAX_TEAM)
            return 0;
    return set_teams(options->team, options->n_teams);
}

static int set_schedule(const cli_options *options)
{
    char text[40];
    const char *name = options->schedule == PLUSS_SCHEDULE_STATIC    ? "static"
                       : options->schedule == PLUSS_SCHEDULE_DYNAMIC ? "dynamic"
                       : options->schedule == PLUSS_SCHEDULE_GUIDED  ? "guided"
                                                                     : NULL;
    if (!name)
        return 0;
    if (options->chunk > 0)
        snprintf(text, sizeof text, "%s,%lld", name, (long long)options->chunk);
    else
        snprintf(text, sizeof text, "%s", name);
    return setenv("PLUSS_SAMPLE_SCHEDULE", text, 1) ? errno : 0;
}

int cli_set_samplers(const cli_options *options)
{
    char text[40];
    int error = options->n_sample_teams ? set_teams(options->sample_team, options->n_sample_teams)
                                        : set_default_teams(options);
    if (!error)
        error = set_schedule(options);
    snprintf(text, sizeof text, "%.17g", options->sample_rate);
    if (!error && options->sample_rate > 0 && setenv("PLUSS_SAMPLE_RATE", text, 1))
        error = errno;
    return error;
}
