# SPDX-License-Identifier: BSD-3-Clause
libperm_a_SOURCES += %D%/avx2.c
libperm_a_SOURCES += %D%/avx512.c
libperm_a_SOURCES += %D%/body.h
libperm_a_SOURCES += %D%/gpu.h
libperm_a_SOURCES += %D%/gpu_body.h
libperm_a_SOURCES += %D%/neon.c
libperm_a_SOURCES += %D%/pairs_gpu.h
libperm_a_SOURCES += %D%/portable.c
libperm_a_SOURCES += %D%/ref.c
libperm_a_SOURCES += %D%/tensor_gpu.h

perm_cuda_sources += %D%/gpu.cu
perm_cuda_sources += %D%/pairs_gpu.cu
perm_cuda_sources += %D%/tensor_gpu.cu
