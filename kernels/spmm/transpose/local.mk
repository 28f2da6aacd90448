# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/contract.h

spmm_cuda_sources += %D%/gpu.cu
