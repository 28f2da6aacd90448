# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/format.c
libspmm_a_SOURCES += %D%/format.h
libspmm_a_SOURCES += %D%/inspect.c
libspmm_a_SOURCES += %D%/inspect.h
libspmm_a_SOURCES += %D%/spmm.h
