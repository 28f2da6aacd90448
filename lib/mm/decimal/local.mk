# SPDX-License-Identifier: BSD-3-Clause
libcommon_a_SOURCES += %D%/decimal.h
libcommon_a_SOURCES += %D%/powers.c
libcommon_a_SOURCES += %D%/powers.h
libcommon_a_SOURCES += %D%/read.c
libcommon_a_SOURCES += %D%/scan.h
libcommon_a_SOURCES += %D%/write.c
