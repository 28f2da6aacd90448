libmmpipe_a_SOURCES += %D%/avx2.c
libmmpipe_a_SOURCES += %D%/avx512.c
libmmpipe_a_SOURCES += %D%/body.h
libmmpipe_a_SOURCES += %D%/factor_body.h
libmmpipe_a_SOURCES += %D%/portable.c
libmmpipe_a_SOURCES += %D%/product_body.h
libmmpipe_a_SOURCES += %D%/singular_body.h
