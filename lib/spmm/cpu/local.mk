libmmpipe_a_SOURCES += %D%/cpu.c
libmmpipe_a_SOURCES += %D%/cpu.h
libmmpipe_a_SOURCES += %D%/slices.c
libmmpipe_a_SOURCES += %D%/slices.h
libmmpipe_a_SOURCES += %D%/slices_run.c
