# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/forms
unit_tests += %D%/gpu
unit_tests += %D%/gpu_moves
unit_tests += %D%/lift
unit_tests += %D%/scheme
unit_tests += %D%/walk

%C%_gpu_SOURCES = %D%/gpu.c tests/support/flip_standard.h
%C%_gpu_moves_SOURCES = %D%/gpu_moves.c tests/support/flip_standard.h
%C%_walk_SOURCES = %D%/walk.c tests/support/flip_standard.h
