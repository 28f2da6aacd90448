libmmpipe_a_SOURCES += %D%/format.c
libmmpipe_a_SOURCES += %D%/format.h
libmmpipe_a_SOURCES += %D%/inspect.c
libmmpipe_a_SOURCES += %D%/inspect.h
libmmpipe_a_SOURCES += %D%/spmm.h
