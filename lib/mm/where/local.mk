libmmpipe_a_SOURCES += %D%/describe.c
libmmpipe_a_SOURCES += %D%/describe.h
libmmpipe_a_SOURCES += %D%/node.h
libmmpipe_a_SOURCES += %D%/parse.c
libmmpipe_a_SOURCES += %D%/scan.c
libmmpipe_a_SOURCES += %D%/scan.h
libmmpipe_a_SOURCES += %D%/where.c
libmmpipe_a_SOURCES += %D%/where.h
