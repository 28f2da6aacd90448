libspmm_a_SOURCES += %D%/body.h
libspmm_a_SOURCES += %D%/dense.h
libspmm_a_SOURCES += %D%/end.h
libspmm_a_SOURCES += %D%/entries.h
libspmm_a_SOURCES += %D%/short.h
libspmm_a_SOURCES += %D%/store.h
libspmm_a_SOURCES += %D%/variant.h
libspmm_a_SOURCES += %D%/wide.h

spmm_cuda_sources += %D%/short_gpu.cu
spmm_cuda_sources += %D%/wide_gpu.cu
