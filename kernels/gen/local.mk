# SPDX-License-Identifier: BSD-3-Clause
libperm_a_SOURCES += %D%/gray.c
libperm_a_SOURCES += %D%/sparse.c
libperm_a_SOURCES += %D%/superman.c
