libspmm_a_SOURCES += %D%/body.h
libspmm_a_SOURCES += %D%/meet.h

spmm_cuda_sources += %D%/gpu.cu
