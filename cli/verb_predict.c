/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss predict, pluss simulate: from a file to a report.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct engine {
    pluss_status (*file)(pluss_context *ctx, const pluss_nests *nests, const pluss_options *options,
                         pluss_result **out);
    pluss_status (*corun)(pluss_context *ctx, const pluss_nests *const *programs, size_t n,
                          const pluss_options *options, pluss_result **out);
} engine;

/* What a trace has of its own, or has not. */
static const char *const of_nests[] = {"threads", "define",   "schedule", "progress", "record",
                                       "region",  "together", "contents", "seed"};

static int refuse_options(const cli_options *options)
{
    for (size_t i = 0; i < sizeof of_nests / sizeof *of_nests; i++)
        if (cli_given(options, of_nests[i]))
            return cli_usage(options, "%s is a trace, which --%s is not for", options->file[0],
                             of_nests[i]);
    return CLI_OK;
}

int cli_set_threads(cli_options *options)
{
    if (cli_given(options, "threads"))
        return -1;
    int status = cli_find_target(options);
    uint32_t processors = options->target.info.processors, team = processors ? processors : 1;
    if (options->corun)
        team = 1;
    if (status < 0)
        cli_must(pluss_options_set_threads(options->quiet, options->request, &team, 1));
    return status;
}

const char cli_how_to_bind[] = "Values are given with -D NAME=VALUE.\n";

static int run_file(pluss_context *ctx, const cli_options *options, const engine *run)
{
    pluss_nests *nests = NULL;
    pluss_result *result = NULL;
    if (pluss_nests_read(ctx, options->file[0], &nests))
        return CLI_INPUT;
    const bool trace = pluss_nests_is_trace(nests);
    int status = trace ? refuse_options(options) : CLI_OK;
    if (!status && !trace && !cli_holds_regions(options, nests))
        status = CLI_INPUT;
    if (!status) {
        pluss_status done = run->file(ctx, nests, options->request, &result);
        status = cli_tell_missing(done ? done : pluss_result_get_missing(result));
    }
    int reported = result ? cli_report(ctx, options, result) : CLI_OK;
    pluss_result_free(result);
    pluss_nests_free(nests);
    return status ? status : reported;
}

/* A nest, a trace, or, by its name, what --save-profile wrote. */
static pluss_status read_program(pluss_context *ctx, const char *path, pluss_nests **out)
{
    if (!cli_ends_with(path, ".json") && !cli_ends_with(path, ".json.gz"))
        return pluss_nests_read(ctx, path, out);
    pluss_result *result = cli_read_result(ctx, path);
    pluss_status status = result ? pluss_nests_of_profile(ctx, result, 0, out) : PLUSS_EFORMAT;
    pluss_result_free(result);
    return status;
}

static int run_corun(pluss_context *ctx, const cli_options *options, const engine *run)
{
    const size_t n = options->n_files;
    pluss_nests **program = cli_alloc(n, sizeof *program);
    pluss_result *result = NULL;
    int status = CLI_OK;
    for (size_t i = 0; i < n && !status; i++)
        if (read_program(ctx, options->file[i], &program[i])) {
            program[i] = NULL;
            status = CLI_INPUT;
        }
    if (!status) {
        pluss_status done =
            run->corun(ctx, (const pluss_nests *const *)program, n, options->request, &result);
        status = cli_exit_status(done);
        if (done == PLUSS_EUNBOUND)
            fputs(cli_how_to_bind, stderr);
    }
    int reported = result ? cli_report(ctx, options, result) : CLI_OK;
    pluss_result_free(result);
    for (size_t i = 0; i < n; i++)
        pluss_nests_free(program[i]);
    free(program);
    return status ? status : reported;
}

/* What co-runs have not. */
static int check_corun(const cli_options *options)
{
    static const char *const of_one[] = {"record",  "together",    "explain",     "spread",
                                         "collect", "each-thread", "each-object", "machine"};
    if (!options->corun && options->n_files > 1)
        return cli_usage(options, "'%s' is one too many", options->file[1]);
    if (!options->corun && cli_given(options, "rates"))
        return cli_usage(options, "--rates is for --corun");
    if (options->corun && options->n_files < 2)
        return cli_usage(options, "a co-run has two programs or more");
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one && options->corun; i++)
        if (cli_given(options, of_one[i]))
            return cli_usage(options, "--%s is not for --corun", of_one[i]);
    return -1;
}

static int run_engine(cli_options *options, engine run)
{
    int status = check_corun(options);
    if (status < 0)
        status = cli_store_pipes(options);
    if (status >= 0)
        return status;
    if (cli_given(options, "explain") && options->format && strcmp(options->format, "csv") == 0)
        return cli_usage(options, "--explain and --csv do not go together");
    bool replayed = cli_is_given(options, "schedule", "recorded");
    bool timed = cli_is_given(options, "progress", "recorded");
    if ((replayed || timed) != (cli_given(options, "record") != NULL))
        return cli_usage(options, "--schedule recorded or --progress recorded and --record FILE, "
                                  "whose they are, go together");
    if ((replayed || timed) && cli_given(options, "together"))
        return cli_usage(options, "--record and --together do not go together");
    if (timed && cli_given(options, "schedule"))
        return cli_usage(options, "--progress recorded and --schedule do not go together");
    status = cli_use_machine(options);
    status = status < 0 && !options->corun ? cli_use_levels(options) : status;
    status = status < 0 ? cli_set_threads(options) : status;
    if (status >= 0)
        return status;
    pluss_context *ctx = cli_context();
    cli_use_ranks(options, ctx);
    status = options->corun ? run_corun(ctx, options, &run) : run_file(ctx, options, &run);
    pluss_context_free(ctx);
    return status;
}

int cli_predict(cli_options *options)
{
    return run_engine(options, (engine){pluss_nests_predict, pluss_corun_predict});
}

static int simulate(cli_options *options)
{
    return run_engine(options, (engine){pluss_nests_simulate, pluss_corun_simulate});
}

int cli_simulate(cli_options *options)
{
    int rank;
    return cli_is_rank(&rank) ? cli_simulate_as_rank(options, rank, simulate) : simulate(options);
}
