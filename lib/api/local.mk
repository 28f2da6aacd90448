# SPDX-License-Identifier: BSD-3-Clause
libapi_a_SOURCES += %D%/context.c
libapi_a_SOURCES += %D%/dm.c
libapi_a_SOURCES += %D%/h2.c
libapi_a_SOURCES += %D%/internal.h
libapi_a_SOURCES += %D%/look.c
libapi_a_SOURCES += %D%/order.c
libapi_a_SOURCES += %D%/permanent.c
libapi_a_SOURCES += %D%/record.c
libapi_a_SOURCES += %D%/scheme.c
libapi_a_SOURCES += %D%/spmm.c
libapi_a_SOURCES += %D%/stream.c

EXTRA_DIST += %D%/mmpipe.map
