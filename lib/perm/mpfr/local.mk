libmmpipe_a_SOURCES += %D%/multiprecision.c
libmmpipe_a_SOURCES += %D%/multiprecision.h
