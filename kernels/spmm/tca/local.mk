# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/body.h
libspmm_a_SOURCES += %D%/tca.h
libspmm_a_SOURCES += lib/spmm/families/tca.c

spmm_cuda_sources += %D%/gpu.cu
