# SPDX-License-Identifier: BSD-3-Clause
libperm_a_SOURCES += %D%/chunks.c
libperm_a_SOURCES += %D%/internal.h
libperm_a_SOURCES += %D%/multiprecision.c
libperm_a_SOURCES += %D%/multiprecision.h
libperm_a_SOURCES += %D%/price.c
