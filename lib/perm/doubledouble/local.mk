libmmpipe_a_SOURCES += %D%/chunks.c
libmmpipe_a_SOURCES += %D%/device.c
libmmpipe_a_SOURCES += %D%/device.h
libmmpipe_a_SOURCES += %D%/doubledouble.c
libmmpipe_a_SOURCES += %D%/doubledouble.h
