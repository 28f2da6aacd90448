libmmpipe_a_SOURCES += %D%/log.c
libmmpipe_a_SOURCES += %D%/method.h
libmmpipe_a_SOURCES += %D%/names.c
libmmpipe_a_SOURCES += %D%/precision.c
libmmpipe_a_SOURCES += %D%/precision.h
libmmpipe_a_SOURCES += %D%/prices.c
libmmpipe_a_SOURCES += %D%/prices.h
libmmpipe_a_SOURCES += %D%/weigh.c
