libmmpipe_a_SOURCES += %D%/gray_gpu.h
libmmpipe_a_SOURCES += %D%/problem.h
libmmpipe_a_SOURCES += %D%/residue_body.h
libmmpipe_a_SOURCES += %D%/sums_gpu.h
libmmpipe_a_SOURCES += %D%/vector_body.h
libmmpipe_a_SOURCES += %D%/walk_body.h
