/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss simulate as a job of MPI: rank 0 reads, simulates and reports, the others take slices of
 * what it walks.
 */
#include "cli.h"
#include "mpi/mpi_ranks.h"

static int send_bytes(void *user, uint32_t rank, const void *data, size_t bytes)
{
    const pluss_mpi *mpi = user;
    mpi->send((int)rank, data, bytes);
    return 0;
}

static int probe(void *user, uint32_t *rank, size_t *bytes)
{
    const pluss_mpi *mpi = user;
    int from;
    if (!mpi->probe(-1, &from, bytes))
        return 0;
    *rank = (uint32_t)from;
    return 1;
}

static int receive(void *user, uint32_t rank, void *data, size_t bytes)
{
    const pluss_mpi *mpi = user;
    mpi->receive((int)rank, data, bytes);
    return 0;
}

static int give_up(void *user, const char *stage, double done, uint64_t steps)
{
    (void)user, (void)stage, (void)done, (void)steps;
    return cli_interrupted();
}

static int serve(const pluss_ranks *ranks)
{
    const pluss_context_options how = {
        .size = sizeof how, .log = cli_print_diagnostic, .ask = give_up};
    pluss_context *ctx = NULL;
    if (pluss_context_new(&how, &ctx))
        cli_no_memory();
    const int status = cli_exit_status(pluss_ranks_serve(ctx, ranks));
    pluss_context_free(ctx);
    return status;
}

void cli_use_ranks(cli_options *options, pluss_context *ctx)
{
    if (options->ranks)
        cli_must(pluss_context_set_ranks(ctx, options->ranks));
    options->ranks = NULL;
}

int cli_simulate_as_rank(cli_options *options, int rank, int (*simulate)(cli_options *options))
{
    const pluss_mpi *mpi = cli_load_ranks(options);
    int size, status;
    if (!mpi)
        return CLI_INPUT;
    mpi->begin(&rank, &size);
    const pluss_ranks ranks = {sizeof ranks, (uint32_t)size - 1, send_bytes, probe,
                               receive,      (void *)mpi};
    if (rank > 0) {
        status = serve(&ranks);
        if (status != CLI_OK)
            mpi->abort(status);
    } else {
        options->ranks = size > 1 ? &ranks : NULL;
        status = simulate(options);
        pluss_context *ctx = cli_context();
        cli_use_ranks(options, ctx); /* where nothing was simulated they still wait */
        pluss_context_free(ctx);
    }
    mpi->end();
    return status;
}
