libmmpipe_a_SOURCES += %D%/binary.h
libmmpipe_a_SOURCES += %D%/blocks.c
libmmpipe_a_SOURCES += %D%/compress.c
libmmpipe_a_SOURCES += %D%/compress.h
libmmpipe_a_SOURCES += %D%/frame.c
libmmpipe_a_SOURCES += %D%/plain.c
libmmpipe_a_SOURCES += %D%/read.c
libmmpipe_a_SOURCES += %D%/write.c
