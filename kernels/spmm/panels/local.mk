# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/body.h
libspmm_a_SOURCES += %D%/contract.h
libspmm_a_SOURCES += %D%/end.h
libspmm_a_SOURCES += %D%/entry.h
libspmm_a_SOURCES += %D%/long.h
libspmm_a_SOURCES += %D%/short.h
libspmm_a_SOURCES += %D%/variants.h
libspmm_a_SOURCES += %D%/wide.h
libspmm_a_SOURCES += lib/spmm/families/panels.c

spmm_cuda_sources += %D%/gpu.cu
