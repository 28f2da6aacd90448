# SPDX-License-Identifier: BSD-3-Clause
libperm_a_SOURCES += %D%/minors.c
libperm_a_SOURCES += %D%/minors.h
libperm_a_SOURCES += %D%/run.c
