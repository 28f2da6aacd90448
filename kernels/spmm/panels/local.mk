libmmpipe_a_SOURCES += %D%/body.h
libmmpipe_a_SOURCES += %D%/end.h
libmmpipe_a_SOURCES += %D%/long.h
libmmpipe_a_SOURCES += %D%/short.h
libmmpipe_a_SOURCES += %D%/wide.h

cuda_sources += %D%/gpu.cu
