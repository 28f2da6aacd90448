# SPDX-License-Identifier: BSD-3-Clause
base_cuda_sources += %D%/probe.cu
