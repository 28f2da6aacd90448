libmmpipe_a_SOURCES += %D%/common.h
libmmpipe_a_SOURCES += %D%/marks.h
libmmpipe_a_SOURCES += %D%/pack.h
libmmpipe_a_SOURCES += %D%/rows.h
libmmpipe_a_SOURCES += %D%/strips.h
libmmpipe_a_SOURCES += %D%/tca.h
libmmpipe_a_SOURCES += %D%/tiles.h
libmmpipe_a_SOURCES += %D%/windows.h

cuda_sources += %D%/gpu.cu
