libmmpipe_a_SOURCES += %D%/build.c
libmmpipe_a_SOURCES += %D%/build.h
libmmpipe_a_SOURCES += %D%/fill.c
libmmpipe_a_SOURCES += %D%/internal.h
