base_cuda_sources += %D%/probe.cu
