libmmpipe_a_SOURCES += %D%/minors.c
libmmpipe_a_SOURCES += %D%/minors.h
libmmpipe_a_SOURCES += %D%/run.c
