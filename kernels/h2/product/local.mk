libmmpipe_a_SOURCES += %D%/fetch_gpu_body.h
libmmpipe_a_SOURCES += %D%/gpu.h
libmmpipe_a_SOURCES += %D%/gpu_body.h
libmmpipe_a_SOURCES += %D%/gpu_many.h

cuda_sources += %D%/gpu.cu
