libmmpipe_a_SOURCES += %D%/build.c
libmmpipe_a_SOURCES += %D%/compress.c
libmmpipe_a_SOURCES += %D%/dispatch.c
libmmpipe_a_SOURCES += %D%/dispatch.h
libmmpipe_a_SOURCES += %D%/internal.h
libmmpipe_a_SOURCES += %D%/orthog.c
libmmpipe_a_SOURCES += %D%/product.c
