libspmm_a_SOURCES += %D%/common.h
libspmm_a_SOURCES += %D%/marks.h
libspmm_a_SOURCES += %D%/pack.h
libspmm_a_SOURCES += %D%/rows.h
libspmm_a_SOURCES += %D%/strips.h
libspmm_a_SOURCES += %D%/tca.h
libspmm_a_SOURCES += %D%/tiles.h
libspmm_a_SOURCES += %D%/windows.h

spmm_cuda_sources += %D%/gpu.cu
