# SPDX-License-Identifier: BSD-3-Clause
gpu_tests += %D%/dense
gpu_tests += %D%/device
gpu_tests += %D%/exact
gpu_tests += %D%/flip
gpu_tests += %D%/frontier
gpu_tests += %D%/h2
gpu_tests += %D%/sparse
gpu_tests += %D%/spmm_kernels
gpu_tests += %D%/spmm_large

# What is taken to a machine with a GPU needs no more installed there than it must.
%C%_dense_SOURCES = %D%/dense.c tests/support/gpu_devices.h
%C%_device_LDADD = tests/support/libtap.a libcommon.a
%C%_device_SOURCES = %D%/device.c tests/support/gpu_devices.h
%C%_exact_SOURCES = %D%/exact.c tests/support/gpu_devices.h
%C%_frontier_SOURCES = %D%/frontier.c tests/support/gpu_devices.h
%C%_h2_LDADD = tests/support/libtap.a libh2.a libcommon.a
%C%_h2_SOURCES = %D%/h2.c tests/support/gpu_devices.h tests/support/h2_numbers.h
%C%_sparse_SOURCES = %D%/sparse.c tests/support/gpu_devices.h
%C%_spmm_kernels_LDADD = tests/support/libtap.a libspmm.a libcommon.a
%C%_spmm_kernels_SOURCES = %D%/spmm_kernels.c tests/support/gpu_devices.h tests/support/spmm_matrix.h
%C%_spmm_large_LDADD = tests/support/libtap.a libspmm.a libcommon.a
