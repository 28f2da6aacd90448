libmmpipe_a_SOURCES += %D%/body.h
libmmpipe_a_SOURCES += %D%/tca.h

cuda_sources += %D%/gpu.cu
