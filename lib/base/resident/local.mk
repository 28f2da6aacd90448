libcommon_a_SOURCES += %D%/giver.c
libcommon_a_SOURCES += %D%/giver.h
libcommon_a_SOURCES += %D%/memory.c
libcommon_a_SOURCES += %D%/memory.h
libcommon_a_SOURCES += %D%/resident.c
libcommon_a_SOURCES += %D%/resident.h
libcommon_a_SOURCES += %D%/taker.c
libcommon_a_SOURCES += %D%/taker.h
