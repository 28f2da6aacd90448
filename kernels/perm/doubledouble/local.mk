libmmpipe_a_SOURCES += %D%/avx2.c
libmmpipe_a_SOURCES += %D%/avx512.c
libmmpipe_a_SOURCES += %D%/body.h
libmmpipe_a_SOURCES += %D%/gpu.h
libmmpipe_a_SOURCES += %D%/kernel.h
libmmpipe_a_SOURCES += %D%/portable.c
libmmpipe_a_SOURCES += %D%/ref.c

cuda_sources += %D%/gpu.cu
