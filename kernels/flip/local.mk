libflip_a_SOURCES += %D%/avx2.c
libflip_a_SOURCES += %D%/avx512.c
libflip_a_SOURCES += %D%/common_gpu.h
libflip_a_SOURCES += %D%/gpu.h
libflip_a_SOURCES += %D%/kernel.h
libflip_a_SOURCES += %D%/lane_gpu_body.h
libflip_a_SOURCES += %D%/lane_gpu_island.h
libflip_a_SOURCES += %D%/lane_gpu_moves.h
libflip_a_SOURCES += %D%/lane_gpu_step.h
libflip_a_SOURCES += %D%/portable.c
libflip_a_SOURCES += %D%/ref.c
libflip_a_SOURCES += %D%/walk_body.h
libflip_a_SOURCES += %D%/warp_gpu_body.h
libflip_a_SOURCES += %D%/warp_gpu_island.h
libflip_a_SOURCES += %D%/warp_gpu_moves.h

flip_cuda_sources += %D%/lane_gpu.cu
flip_cuda_sources += %D%/warp_gpu.cu
