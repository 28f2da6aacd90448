libmmpipe_a_SOURCES += %D%/decimal.h
libmmpipe_a_SOURCES += %D%/powers.c
libmmpipe_a_SOURCES += %D%/powers.h
libmmpipe_a_SOURCES += %D%/read.c
libmmpipe_a_SOURCES += %D%/scan.h
libmmpipe_a_SOURCES += %D%/write.c
