libspmm_a_SOURCES += %D%/body.h
libspmm_a_SOURCES += %D%/depths.h
libspmm_a_SOURCES += %D%/types.h

spmm_cuda_sources += %D%/gpu.cu
