/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss-mpi.so: the only part of pluss that is linked with MPI.
 */
#include <limits.h>
#include <mpi.h>

#include "mpi_ranks.h"

enum { TAG = 1 };

static void begin(int *rank, int *size)
{
    int provided; /* only the thread that begins calls MPI, but there are others */
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
}

static void abort_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

static void send_bytes(int rank, const void *data, size_t bytes)
{
    if (bytes > INT_MAX)
        abort_all(3);
    MPI_Send(data, (int)bytes, MPI_BYTE, rank, TAG, MPI_COMM_WORLD);
}

static bool probe(int rank, int *from, size_t *bytes)
{
    MPI_Status status;
    int there = 0, n = 0;
    MPI_Iprobe(rank < 0 ? MPI_ANY_SOURCE : rank, TAG, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &n);
    *from = status.MPI_SOURCE;
    *bytes = (size_t)n;
    return true;
}

static void receive(int from, void *data, size_t bytes)
{
    MPI_Recv(data, (int)bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end(void)
{
    MPI_Finalize();
}

extern const pluss_mpi pluss_ranks_of_mpi;
__attribute__((visibility("default"))) const pluss_mpi pluss_ranks_of_mpi = {
    PLUSS_RANKS_VERSION, begin, send_bytes, probe, receive, end, abort_all};
