# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/handling.c
libspmm_a_SOURCES += %D%/handling.h
libspmm_a_SOURCES += %D%/plan.c
libspmm_a_SOURCES += %D%/plan.h
libspmm_a_SOURCES += %D%/table.c
