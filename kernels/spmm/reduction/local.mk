# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/body.h
libspmm_a_SOURCES += %D%/contract.h
libspmm_a_SOURCES += %D%/reduction.h

spmm_cuda_sources += %D%/gpu.cu
