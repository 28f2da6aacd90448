# SPDX-License-Identifier: BSD-3-Clause
# A library that looks like the CUDA driver, NVRTC and cuBLAS.
%C%_libcuda_so_CFLAGS = $(AM_CFLAGS) -fPIC -fvisibility=default
%C%_libcuda_so_LDADD =
%C%_libcuda_so_LDFLAGS = -shared
%C%_libcuda_so_SOURCES = \
	%D%/code.c %D%/cublas.c %D%/cuda.c %D%/driver.c %D%/driver.h %D%/flip.c %D%/h2.c %D%/h2_product.c %D%/kernels.c \
	%D%/kernels.h %D%/list.h %D%/memory.c %D%/nvrtc.c %D%/perm.c %D%/spmm.c
