libmmpipe_a_SOURCES += %D%/hash.c
libmmpipe_a_SOURCES += %D%/hash.h
libmmpipe_a_SOURCES += %D%/record.c
libmmpipe_a_SOURCES += %D%/record.h
libmmpipe_a_SOURCES += %D%/value.c
libmmpipe_a_SOURCES += %D%/value.h
libmmpipe_a_SOURCES += %D%/width.c
libmmpipe_a_SOURCES += %D%/width.h
