/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices of one process among several that MPI or Slurm have started on the same machine. */
#include "base/device/internal.h"

#include <stdlib.h>

/* What Open MPI, MPICH and Intel MPI, MVAPICH and Slurm call a process's number on its machine and how many
 * there are; Slurm writes "4" or "4(x2)". */
static const char *const local_variables[][2] = {{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                                 {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
                                                 {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
                                                 {"SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"}};

int base_device_share(int present, int *first) {
    int rank = 0, size = 1;
    for (size_t i = 0; i < sizeof local_variables / sizeof *local_variables; i++) {
        const char *rank_text = getenv(local_variables[i][0]), *size_text = getenv(local_variables[i][1]);
        if (rank_text == NULL || size_text == NULL)
            continue;
        rank = atoi(rank_text);
        size = atoi(size_text);
        break;
    }
    if (size < 1 || rank < 0 || rank >= size) {
        rank = 0;
        size = 1;
    }
    if (size >= present) {
        *first = rank % present;
        return 1;
    }
    *first = (int)((int64_t)rank * present / size);
    return (int)((int64_t)(rank + 1) * present / size) - *first;
}
