# SPDX-License-Identifier: BSD-3-Clause
libspmm_a_SOURCES += %D%/common.h
libspmm_a_SOURCES += %D%/marks.h
libspmm_a_SOURCES += %D%/pack.h
libspmm_a_SOURCES += %D%/place.h
libspmm_a_SOURCES += %D%/rowpairs.h
libspmm_a_SOURCES += %D%/rows.h
libspmm_a_SOURCES += %D%/rowwindows.h
libspmm_a_SOURCES += %D%/tca.h
libspmm_a_SOURCES += %D%/tiles.h
libspmm_a_SOURCES += %D%/window_entries.h

spmm_cuda_sources += %D%/gpu.cu
