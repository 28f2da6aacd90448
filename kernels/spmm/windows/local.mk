libmmpipe_a_SOURCES += %D%/body.h
libmmpipe_a_SOURCES += %D%/dense.h
libmmpipe_a_SOURCES += %D%/end.h
libmmpipe_a_SOURCES += %D%/entries.h
libmmpipe_a_SOURCES += %D%/short.h
libmmpipe_a_SOURCES += %D%/store.h
libmmpipe_a_SOURCES += %D%/variant.h
libmmpipe_a_SOURCES += %D%/wide.h

cuda_sources += %D%/short_gpu.cu
cuda_sources += %D%/wide_gpu.cu
