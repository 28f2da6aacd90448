libmmpipe_a_SOURCES += %D%/check.c
libmmpipe_a_SOURCES += %D%/chunks.c
libmmpipe_a_SOURCES += %D%/double.c
libmmpipe_a_SOURCES += %D%/double.h
libmmpipe_a_SOURCES += %D%/multiplicities.c
libmmpipe_a_SOURCES += %D%/multiplicities.h
libmmpipe_a_SOURCES += %D%/run.c
