# SPDX-License-Identifier: BSD-3-Clause
libh2_a_SOURCES += %D%/build.c
libh2_a_SOURCES += %D%/build.h
libh2_a_SOURCES += %D%/fill.c
libh2_a_SOURCES += %D%/internal.h
