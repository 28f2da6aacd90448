distributed_tests += %D%/mpi.t
distributed_tests += %D%/parallel.t
distributed_tests += %D%/slurm.t

EXTRA_DIST += %D%/Cluster.pm
