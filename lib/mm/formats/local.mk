libmmpipe_a_SOURCES += %D%/boeing.c
libmmpipe_a_SOURCES += %D%/formats.h
libmmpipe_a_SOURCES += %D%/fortran.c
libmmpipe_a_SOURCES += %D%/fortran.h
libmmpipe_a_SOURCES += %D%/fortran_lines.c
libmmpipe_a_SOURCES += %D%/fortran_lines.h
libmmpipe_a_SOURCES += %D%/smtx.c
