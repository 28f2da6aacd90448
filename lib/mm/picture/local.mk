libmmpipe_a_SOURCES += %D%/album.c
libmmpipe_a_SOURCES += %D%/picture.c
libmmpipe_a_SOURCES += %D%/picture.h
libmmpipe_a_SOURCES += %D%/spy.c
libmmpipe_a_SOURCES += %D%/spy.h
