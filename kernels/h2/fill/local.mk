libmmpipe_a_SOURCES += %D%/gpu.h
libmmpipe_a_SOURCES += %D%/gpu_body.h

cuda_sources += %D%/gpu.cu
