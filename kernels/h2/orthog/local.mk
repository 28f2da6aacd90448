libmmpipe_a_SOURCES += %D%/change_gpu_body.h
libmmpipe_a_SOURCES += %D%/gpu.h
libmmpipe_a_SOURCES += %D%/gpu_body.h
libmmpipe_a_SOURCES += %D%/reflect_gpu.h
libmmpipe_a_SOURCES += %D%/stack_gpu_body.h

cuda_sources += %D%/gpu.cu
