cuda_sources += %D%/probe.cu
