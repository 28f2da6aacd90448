libmmpipe_a_SOURCES += %D%/device.c
libmmpipe_a_SOURCES += %D%/device.h
libmmpipe_a_SOURCES += %D%/exact.c
libmmpipe_a_SOURCES += %D%/exact.h
