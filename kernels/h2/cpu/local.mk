# SPDX-License-Identifier: BSD-3-Clause
libh2_a_SOURCES += %D%/avx2.c
libh2_a_SOURCES += %D%/avx512.c
libh2_a_SOURCES += %D%/body.h
libh2_a_SOURCES += %D%/factor_body.h
libh2_a_SOURCES += %D%/portable.c
libh2_a_SOURCES += %D%/product_body.h
libh2_a_SOURCES += %D%/singular_body.h
