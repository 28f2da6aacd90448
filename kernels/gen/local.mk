libmmpipe_a_SOURCES += %D%/gray.c
libmmpipe_a_SOURCES += %D%/sparse.c
