# SPDX-License-Identifier: BSD-3-Clause
EXTRA_DIST += %D%/Cluster.pm
distributed_tests += %D%/dead-rank.t
distributed_tests += %D%/mpi.t
distributed_tests += %D%/parallel.t
distributed_tests += %D%/slurm.t
