/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * MPI, where the command is one of several processes that mpirun or srun has started: the module
 * that is linked with it is loaded then, and else it is not there.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "cli.h"
#include "mpi/mpi_ranks.h"

bool cli_is_rank(int *rank)
{
    /* Open MPI; MPICH and its kin; PMIx. (Slurm's own variables are there without MPI, too.) */
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        uint64_t number;
        if (text && cli_read_count(text, INT32_MAX, &number)) {
            *rank = (int)number;
            return true;
        }
    }
    return false;
}

const pluss_mpi *cli_load_ranks(const cli_options *options)
{
    static const char *const folders[] = {"", "/../lib/pluss", "/../lib64/pluss"};
    char *path = cli_find_beside(folders, sizeof folders / sizeof *folders, "pluss-mpi.so");
    if (!path) {
        cli_error(options, "this is a rank of MPI, but pluss-mpi.so is not there: pluss was built "
                           "without MPI (docs/sweep.md)");
        return NULL;
    }
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI's own modules need its symbols */
    const pluss_mpi *ranks = module ? dlsym(module, PLUSS_RANKS_SYMBOL) : NULL;
    if (!ranks)
        cli_error(options, "%s cannot be loaded: %s", path, dlerror());
    else if (ranks->version != PLUSS_RANKS_VERSION)
        cli_error(options, "%s is of another version of pluss", path);
    free(path);
    return ranks && ranks->version == PLUSS_RANKS_VERSION ? ranks : NULL;
}
