libmmpipe_a_SOURCES += %D%/giver.c
libmmpipe_a_SOURCES += %D%/giver.h
libmmpipe_a_SOURCES += %D%/memory.c
libmmpipe_a_SOURCES += %D%/memory.h
libmmpipe_a_SOURCES += %D%/resident.c
libmmpipe_a_SOURCES += %D%/resident.h
libmmpipe_a_SOURCES += %D%/taker.c
libmmpipe_a_SOURCES += %D%/taker.h
