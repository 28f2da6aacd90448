# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/bound
unit_tests += %D%/compress
unit_tests += %D%/error
unit_tests += %D%/gpu
unit_tests += %D%/gpu_change
unit_tests += %D%/gpu_compress
unit_tests += %D%/gpu_large
unit_tests += %D%/h2
unit_tests += %D%/kernels
unit_tests += %D%/resident

%C%_gpu_SOURCES = %D%/gpu.c tests/support/h2_numbers.h
%C%_gpu_change_SOURCES = %D%/gpu_change.c tests/support/h2_numbers.h
%C%_gpu_compress_SOURCES = %D%/gpu_compress.c tests/support/h2_numbers.h
%C%_gpu_large_SOURCES = %D%/gpu_large.c tests/support/h2_numbers.h
%C%_h2_SOURCES = %D%/h2.c tests/support/handover.c tests/support/handover.h
%C%_resident_SOURCES = %D%/resident.c tests/support/handover.c tests/support/handover.h
