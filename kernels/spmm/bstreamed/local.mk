# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/body.h
libspmm_a_SOURCES += %D%/contract.h
libspmm_a_SOURCES += %D%/entry.h
libspmm_a_SOURCES += %D%/tiles.h
libspmm_a_SOURCES += %D%/variants.h
libspmm_a_SOURCES += lib/spmm/families/bstreamed.c

spmm_cuda_sources += %D%/gpu.cu
