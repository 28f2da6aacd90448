# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/body.h
libspmm_a_SOURCES += %D%/contract.h
libspmm_a_SOURCES += %D%/entry.h
libspmm_a_SOURCES += %D%/short.h
libspmm_a_SOURCES += %D%/variants.h
libspmm_a_SOURCES += lib/spmm/families/blocks.c

spmm_cuda_sources += %D%/gpu.cu

# Uses matrix instructions of four warps or barriers that exist for compute capability 9.0a alone.
only_90a += %D%/gpu
