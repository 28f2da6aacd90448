# SPDX-License-Identifier: BSD-3-Clause
libh2_a_SOURCES += %D%/fetch_gpu_body.h
libh2_a_SOURCES += %D%/gpu.h
libh2_a_SOURCES += %D%/gpu_body.h
libh2_a_SOURCES += %D%/gpu_many.h

h2_cuda_sources += %D%/gpu.cu
