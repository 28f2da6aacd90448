libflip_a_SOURCES += %D%/combine.c
libflip_a_SOURCES += %D%/combine.h
libflip_a_SOURCES += %D%/emit.c
libflip_a_SOURCES += %D%/emit.h
libflip_a_SOURCES += %D%/lift.c
libflip_a_SOURCES += %D%/lift.h
libflip_a_SOURCES += %D%/linear.c
libflip_a_SOURCES += %D%/linear.h
