libmmpipe_a_SOURCES += %D%/body.h
libmmpipe_a_SOURCES += %D%/end.h
libmmpipe_a_SOURCES += %D%/short.h
libmmpipe_a_SOURCES += %D%/short_body.h
libmmpipe_a_SOURCES += %D%/wide.h

cuda_sources += %D%/gpu.cu

# Uses matrix instructions of four warps or barriers that exist for compute capability 9.0a alone.
only_90a += %D%/gpu
