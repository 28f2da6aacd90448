libmmpipe_a_SOURCES += %D%/body.h
libmmpipe_a_SOURCES += %D%/meet.h

cuda_sources += %D%/gpu.cu
