libh2_a_SOURCES += %D%/build.c
libh2_a_SOURCES += %D%/compress.c
libh2_a_SOURCES += %D%/dispatch.c
libh2_a_SOURCES += %D%/dispatch.h
libh2_a_SOURCES += %D%/internal.h
libh2_a_SOURCES += %D%/orthog.c
libh2_a_SOURCES += %D%/phases.c
libh2_a_SOURCES += %D%/product.c
