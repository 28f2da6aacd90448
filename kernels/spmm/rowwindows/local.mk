# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/body.h
libspmm_a_SOURCES += %D%/contract.h
libspmm_a_SOURCES += %D%/dense.h
libspmm_a_SOURCES += %D%/end.h
libspmm_a_SOURCES += %D%/entries.h
libspmm_a_SOURCES += %D%/entry.h
libspmm_a_SOURCES += %D%/short.h
libspmm_a_SOURCES += %D%/short_variants.h
libspmm_a_SOURCES += %D%/store.h
libspmm_a_SOURCES += %D%/variant.h
libspmm_a_SOURCES += %D%/walk.h
libspmm_a_SOURCES += %D%/wide.h
libspmm_a_SOURCES += %D%/wide_variants.h
libspmm_a_SOURCES += lib/spmm/families/rowwindows.c

spmm_cuda_sources += %D%/short_gpu.cu
spmm_cuda_sources += %D%/wide_gpu.cu
