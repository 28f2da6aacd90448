# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/kernel.c
libspmm_a_SOURCES += %D%/kernel.h
libspmm_a_SOURCES += %D%/work.c
libspmm_a_SOURCES += %D%/work.h
