libmmpipe_a_SOURCES += %D%/avx2.c
libmmpipe_a_SOURCES += %D%/avx512.c
libmmpipe_a_SOURCES += %D%/common_gpu.h
libmmpipe_a_SOURCES += %D%/gpu.h
libmmpipe_a_SOURCES += %D%/kernel.h
libmmpipe_a_SOURCES += %D%/lane_gpu_body.h
libmmpipe_a_SOURCES += %D%/lane_gpu_island.h
libmmpipe_a_SOURCES += %D%/lane_gpu_moves.h
libmmpipe_a_SOURCES += %D%/lane_gpu_step.h
libmmpipe_a_SOURCES += %D%/portable.c
libmmpipe_a_SOURCES += %D%/ref.c
libmmpipe_a_SOURCES += %D%/walk_body.h
libmmpipe_a_SOURCES += %D%/warp_gpu_body.h
libmmpipe_a_SOURCES += %D%/warp_gpu_island.h
libmmpipe_a_SOURCES += %D%/warp_gpu_moves.h

cuda_sources += %D%/lane_gpu.cu
cuda_sources += %D%/warp_gpu.cu
