/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages between the ranks of a job, as pluss-mpi.so gives them to the command, which loads it
 * where it is started by mpirun and else knows nothing of MPI.
 */
#ifndef PLUSS_CLI_MPI_RANKS_H
#define PLUSS_CLI_MPI_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#define PLUSS_RANKS_VERSION 1
#define PLUSS_RANKS_SYMBOL "pluss_ranks_of_mpi"

/* A failure ends the job, as MPI does by default. */
typedef struct pluss_mpi {
    int version;
    /* Once, first. */
    void (*begin)(int *rank, int *size);
    void (*send)(int rank, const void *data, size_t bytes);
    /* Whether a message is there from that rank (-1: from any); if so, from whom, and its size. */
    bool (*probe)(int rank, int *from, size_t *bytes);
    void (*receive)(int from, void *data, size_t bytes);
    void (*end)(void);         /* all ranks, last */
    void (*abort)(int status); /* ends all ranks */
} pluss_mpi;

#endif
