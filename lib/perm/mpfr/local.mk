libmmpipe_a_SOURCES += %D%/chunks.c
libmmpipe_a_SOURCES += %D%/internal.h
libmmpipe_a_SOURCES += %D%/multiprecision.c
libmmpipe_a_SOURCES += %D%/multiprecision.h
libmmpipe_a_SOURCES += %D%/price.c
