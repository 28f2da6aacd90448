libmmpipe_a_SOURCES += %D%/gpu.h
libmmpipe_a_SOURCES += %D%/gpu_body.h
libmmpipe_a_SOURCES += %D%/gram_gpu_body.h
libmmpipe_a_SOURCES += %D%/reveal_gpu.h
libmmpipe_a_SOURCES += %D%/singular_gpu.h

cuda_sources += %D%/gpu.cu
