libmmpipe_a_SOURCES += %D%/combine.c
libmmpipe_a_SOURCES += %D%/combine.h
libmmpipe_a_SOURCES += %D%/emit.c
libmmpipe_a_SOURCES += %D%/emit.h
libmmpipe_a_SOURCES += %D%/lift.c
libmmpipe_a_SOURCES += %D%/lift.h
libmmpipe_a_SOURCES += %D%/linear.c
libmmpipe_a_SOURCES += %D%/linear.h
