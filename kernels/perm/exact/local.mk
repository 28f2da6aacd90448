# SPDX-License-Identifier: BSD-3-Clause
libperm_a_SOURCES += %D%/avx2.c
libperm_a_SOURCES += %D%/avx512.c
libperm_a_SOURCES += %D%/body.h
libperm_a_SOURCES += %D%/gpu.h
libperm_a_SOURCES += %D%/gpu_body.h
libperm_a_SOURCES += %D%/kernel.h
libperm_a_SOURCES += %D%/portable.c
libperm_a_SOURCES += %D%/ref.c
libperm_a_SOURCES += %D%/sieve_avx2.c
libperm_a_SOURCES += %D%/sieve_avx512.c
libperm_a_SOURCES += %D%/sieve_body.h
libperm_a_SOURCES += %D%/sieve_gpu.h
libperm_a_SOURCES += %D%/sieve_gpu_body.h

perm_cuda_sources += %D%/gpu.cu
