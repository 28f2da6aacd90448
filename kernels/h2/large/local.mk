# SPDX-License-Identifier: BSD-3-Clause
libh2_a_SOURCES += %D%/factor_gpu.h
libh2_a_SOURCES += %D%/gpu.h
libh2_a_SOURCES += %D%/multiply_gpu.h
libh2_a_SOURCES += %D%/panel_gpu.h
libh2_a_SOURCES += %D%/reveal_gpu.h
libh2_a_SOURCES += %D%/truncate_gpu.h

h2_cuda_sources += %D%/gpu.cu
