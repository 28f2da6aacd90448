# SPDX-License-Identifier: BSD-3-Clause
libperm_a_SOURCES += %D%/avx2.c
libperm_a_SOURCES += %D%/avx512.c
libperm_a_SOURCES += %D%/body.h
libperm_a_SOURCES += %D%/kernel.h
libperm_a_SOURCES += %D%/portable.c
libperm_a_SOURCES += %D%/ref.c
