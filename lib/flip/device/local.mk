# SPDX-License-Identifier: BSD-3-Clause
libflip_a_SOURCES += %D%/device.c
libflip_a_SOURCES += %D%/device.h
libflip_a_SOURCES += %D%/internal.h
libflip_a_SOURCES += %D%/open.c
libflip_a_SOURCES += %D%/state.c
libflip_a_SOURCES += %D%/variants.c
libflip_a_SOURCES += %D%/variants.h
