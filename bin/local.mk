# SPDX-License-Identifier: BSD-3-Clause
bin_PROGRAMS += %D%/flip-check
bin_PROGRAMS += %D%/flip-combine
bin_PROGRAMS += %D%/flip-emit
bin_PROGRAMS += %D%/flip-lift
bin_PROGRAMS += %D%/flip-path
bin_PROGRAMS += %D%/flipwalk
bin_PROGRAMS += %D%/h2-build
bin_PROGRAMS += %D%/h2-compress
bin_PROGRAMS += %D%/h2-info
bin_PROGRAMS += %D%/h2-mv
bin_PROGRAMS += %D%/h2-orthog
bin_PROGRAMS += %D%/mm-cat
bin_PROGRAMS += %D%/mm-diff
bin_PROGRAMS += %D%/mm-dm
bin_PROGRAMS += %D%/mm-fmdecompose
bin_PROGRAMS += %D%/mm-gen
bin_PROGRAMS += %D%/mm-info
bin_PROGRAMS += %D%/mm-order
bin_PROGRAMS += %D%/mm-spy
bin_PROGRAMS += %D%/mmpipe
bin_PROGRAMS += %D%/perm-fold
bin_PROGRAMS += %D%/perm-gpu
bin_PROGRAMS += %D%/spmm-tc

# Programs that `make demo` runs link with no more than they need, so that no more is built for it.
%C%_mm_cat_LDADD = $(mm_libs)
%C%_mm_dm_LDADD = $(mm_libs)
%C%_mm_order_LDADD = libperm.a $(mm_libs)
%C%_mmpipe_LDADD =
%C%_perm_gpu_LDADD = libperm.a $(mm_libs)
