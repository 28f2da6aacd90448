libmmpipe_a_SOURCES += %D%/draws.c
libmmpipe_a_SOURCES += %D%/fixed.c
libmmpipe_a_SOURCES += %D%/generate.c
libmmpipe_a_SOURCES += %D%/generate.h
libmmpipe_a_SOURCES += %D%/internal.h
libmmpipe_a_SOURCES += %D%/list.c
libmmpipe_a_SOURCES += %D%/trials.c
libmmpipe_a_SOURCES += %D%/values.c
