libmmpipe_a_SOURCES += %D%/kernel.h
libmmpipe_a_SOURCES += %D%/tensor_gpu.h
