libmmpipe_a_SOURCES += %D%/avx2.c
libmmpipe_a_SOURCES += %D%/avx512.c
libmmpipe_a_SOURCES += %D%/body.h
libmmpipe_a_SOURCES += %D%/gpu.h
libmmpipe_a_SOURCES += %D%/gpu_body.h
libmmpipe_a_SOURCES += %D%/kernel.h
libmmpipe_a_SOURCES += %D%/portable.c
libmmpipe_a_SOURCES += %D%/ref.c
libmmpipe_a_SOURCES += %D%/sieve_avx2.c
libmmpipe_a_SOURCES += %D%/sieve_avx512.c
libmmpipe_a_SOURCES += %D%/sieve_body.h
libmmpipe_a_SOURCES += %D%/sieve_gpu.h
libmmpipe_a_SOURCES += %D%/sieve_gpu_body.h

cuda_sources += %D%/gpu.cu
