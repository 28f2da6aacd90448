libmmpipe_a_SOURCES += %D%/list.c
libmmpipe_a_SOURCES += %D%/list.h
libmmpipe_a_SOURCES += %D%/metadata.c
libmmpipe_a_SOURCES += %D%/metadata.h
libmmpipe_a_SOURCES += %D%/origin.c
libmmpipe_a_SOURCES += %D%/origin.h
libmmpipe_a_SOURCES += %D%/piece.c
libmmpipe_a_SOURCES += %D%/piece.h
