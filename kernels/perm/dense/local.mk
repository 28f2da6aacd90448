libmmpipe_a_SOURCES += %D%/avx2.c
libmmpipe_a_SOURCES += %D%/avx512.c
libmmpipe_a_SOURCES += %D%/body.h
libmmpipe_a_SOURCES += %D%/gpu.h
libmmpipe_a_SOURCES += %D%/gpu_body.h
libmmpipe_a_SOURCES += %D%/pairs_gpu.h
libmmpipe_a_SOURCES += %D%/portable.c
libmmpipe_a_SOURCES += %D%/ref.c
libmmpipe_a_SOURCES += %D%/tensor_gpu.h

cuda_sources += %D%/gpu.cu
cuda_sources += %D%/pairs_gpu.cu
cuda_sources += %D%/tensor_gpu.cu
