libmmpipe_a_SOURCES += %D%/body.h

cuda_sources += %D%/gpu.cu
