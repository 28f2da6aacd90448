libmmpipe_a_SOURCES += %D%/gpu.h
libmmpipe_a_SOURCES += %D%/group.h
libmmpipe_a_SOURCES += %D%/kernel.h
libmmpipe_a_SOURCES += %D%/matrix.h
libmmpipe_a_SOURCES += %D%/number.h
libmmpipe_a_SOURCES += %D%/place.h
libmmpipe_a_SOURCES += %D%/ring.h
libmmpipe_a_SOURCES += %D%/walk.h
