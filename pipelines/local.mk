# SPDX-License-Identifier: BSD-3-Clause
EXTRA_PROGRAMS += %D%/bench_dense
EXTRA_PROGRAMS += %D%/bench_dm
EXTRA_PROGRAMS += %D%/bench_exact
EXTRA_PROGRAMS += %D%/bench_flip
EXTRA_PROGRAMS += %D%/bench_gpu_dense
EXTRA_PROGRAMS += %D%/bench_gpu_flip
EXTRA_PROGRAMS += %D%/bench_gpu_h2
EXTRA_PROGRAMS += %D%/bench_gpu_sparse
EXTRA_PROGRAMS += %D%/bench_gpu_spmm
EXTRA_PROGRAMS += %D%/bench_h2
EXTRA_PROGRAMS += %D%/bench_h2_one
EXTRA_PROGRAMS += %D%/bench_precision
EXTRA_PROGRAMS += %D%/bench_sparse

EXTRA_DIST += %D%/Index.pm
EXTRA_DIST += %D%/Page.pm
EXTRA_DIST += %D%/Plot.pm
EXTRA_DIST += %D%/Where.pm
EXTRA_DIST += %D%/bench-gpu.mk
EXTRA_DIST += %D%/bench.mk
EXTRA_DIST += %D%/bench.py
EXTRA_DIST += %D%/bench_dense.py
EXTRA_DIST += %D%/bench_dm.py
EXTRA_DIST += %D%/bench_flip.sh
EXTRA_DIST += %D%/bench_formats.py
EXTRA_DIST += %D%/bench_frontier.py
EXTRA_DIST += %D%/bench_gpu_perm.py
EXTRA_DIST += %D%/bench_h2_pipe.py
EXTRA_DIST += %D%/bench_io.py
EXTRA_DIST += %D%/bench_memory.py
EXTRA_DIST += %D%/bench_optics.py
EXTRA_DIST += %D%/bench_permanents.py
EXTRA_DIST += %D%/bench_pipes.py
EXTRA_DIST += %D%/bench_planner.py
EXTRA_DIST += %D%/bench_small.py
EXTRA_DIST += %D%/bench_sparse.py
EXTRA_DIST += %D%/bench_spmm.py
EXTRA_DIST += %D%/collection
EXTRA_DIST += %D%/collection.mk
EXTRA_DIST += %D%/demo.mk
EXTRA_DIST += %D%/draw_spmm_matrices.py
EXTRA_DIST += %D%/fetch
EXTRA_DIST += %D%/fetch.mk
EXTRA_DIST += %D%/fit_spmm_prices.py
EXTRA_DIST += %D%/paper
EXTRA_DIST += %D%/paper-codegen.mk
EXTRA_DIST += %D%/paper-flipgraph.mk
EXTRA_DIST += %D%/paper-h2.mk
EXTRA_DIST += %D%/paper-superman.mk
EXTRA_DIST += %D%/paper-tca.mk
EXTRA_DIST += %D%/paper.mk
EXTRA_DIST += %D%/paper_peer.py
EXTRA_DIST += %D%/published.tsv
EXTRA_DIST += %D%/report
EXTRA_DIST += %D%/schemes.mk
EXTRA_DIST += %D%/suitesparse.py

%C%_bench_gpu_h2_LDADD = libh2.a libcommon.a
%C%_bench_gpu_h2_SOURCES = %D%/bench_gpu_h2.c %D%/bench_grid.h
%C%_bench_gpu_sparse_SOURCES = %D%/bench_gpu_sparse.c %D%/bench_matrix.h
%C%_bench_gpu_spmm_LDADD = libspmm.a $(mm_libs)
%C%_bench_gpu_spmm_SOURCES = \
	%D%/bench_gpu_spmm.c %D%/bench_gpu_spmm.h %D%/bench_spmm_chosen.c %D%/bench_spmm_cuda.c \
	%D%/bench_spmm_cuda.h %D%/bench_spmm_matrices.c %D%/bench_spmm_matrices.h %D%/bench_spmm_operands.c \
	%D%/bench_spmm_order.c %D%/bench_spmm_ours.c %D%/bench_spmm_report.c %D%/bench_spmm_time.c \
	%D%/bench_spmm_tuned.c
%C%_bench_h2_SOURCES = %D%/bench_grid.h %D%/bench_h2.c
%C%_bench_sparse_SOURCES = %D%/bench_matrix.h %D%/bench_sparse.c
