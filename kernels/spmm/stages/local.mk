libspmm_a_SOURCES += %D%/body.h

spmm_cuda_sources += %D%/gpu.cu
