libmmpipe_a_SOURCES += %D%/exp.c
libmmpipe_a_SOURCES += %D%/formats.c
libmmpipe_a_SOURCES += %D%/formats.h
libmmpipe_a_SOURCES += %D%/internal.h
libmmpipe_a_SOURCES += %D%/json.c
libmmpipe_a_SOURCES += %D%/lists.c
libmmpipe_a_SOURCES += %D%/npz.c
libmmpipe_a_SOURCES += %D%/npz_write.c
