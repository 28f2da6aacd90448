# SPDX-License-Identifier: BSD-3-Clause
libperm_a_SOURCES += %D%/gray_gpu.h
libperm_a_SOURCES += %D%/problem.h
libperm_a_SOURCES += %D%/residue_body.h
libperm_a_SOURCES += %D%/sums.h
libperm_a_SOURCES += %D%/sums_gpu.h
libperm_a_SOURCES += %D%/vector_body.h
libperm_a_SOURCES += %D%/walk_body.h
