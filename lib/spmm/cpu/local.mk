# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/cpu.c
libspmm_a_SOURCES += %D%/cpu.h
libspmm_a_SOURCES += %D%/sell.c
libspmm_a_SOURCES += %D%/sell.h
libspmm_a_SOURCES += %D%/sell_run.c
