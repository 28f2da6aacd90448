libmmpipe_a_SOURCES += %D%/device.c
libmmpipe_a_SOURCES += %D%/device.h
libmmpipe_a_SOURCES += %D%/internal.h
libmmpipe_a_SOURCES += %D%/open.c
libmmpipe_a_SOURCES += %D%/state.c
libmmpipe_a_SOURCES += %D%/variants.c
libmmpipe_a_SOURCES += %D%/variants.h
