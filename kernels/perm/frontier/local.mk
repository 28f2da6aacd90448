# SPDX-License-Identifier: BSD-3-Clause
libperm_a_SOURCES += %D%/gpu.h

perm_cuda_sources += %D%/gpu.cu
