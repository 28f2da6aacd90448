# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/avx2.c
libspmm_a_SOURCES += %D%/avx512.c
libspmm_a_SOURCES += %D%/body.h
libspmm_a_SOURCES += %D%/portable.c
libspmm_a_SOURCES += %D%/ref.c
libspmm_a_SOURCES += %D%/sell_body.h
