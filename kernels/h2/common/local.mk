# SPDX-License-Identifier: BSD-3-Clause
libh2_a_SOURCES += %D%/kernel.h
libh2_a_SOURCES += %D%/tensor_gpu.h
libh2_a_SOURCES += %D%/types_gpu.h
