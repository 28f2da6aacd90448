# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/gpu.h
libspmm_a_SOURCES += %D%/group.h
libspmm_a_SOURCES += %D%/kernel.h
libspmm_a_SOURCES += %D%/matrix.h
libspmm_a_SOURCES += %D%/number.h
libspmm_a_SOURCES += %D%/ring.h
libspmm_a_SOURCES += %D%/row.h
