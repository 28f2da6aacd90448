libmmpipe_a_SOURCES += %D%/gpu.h

cuda_sources += %D%/gpu.cu
