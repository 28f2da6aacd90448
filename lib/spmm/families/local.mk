# SPDX-License-Identifier: BSD-3-Clause
# A family is a file here and a folder of kernels, which names both.
include kernels/spmm/bands/local.mk
include kernels/spmm/blocks/local.mk
include kernels/spmm/bstationary/local.mk
libspmm_a_SOURCES += %D%/bstationary.h
libspmm_a_SOURCES += %D%/dense.c
libspmm_a_SOURCES += %D%/dense.h
libspmm_a_SOURCES += %D%/families.c
libspmm_a_SOURCES += %D%/families.h
include kernels/spmm/merge/local.mk
include kernels/spmm/panels/local.mk
include kernels/spmm/rings/local.mk
include kernels/spmm/rowpairs/local.mk
include kernels/spmm/rows/local.mk
include kernels/spmm/rowstaged/local.mk
include kernels/spmm/rowwindows/local.mk
libspmm_a_SOURCES += %D%/rowwindows.h
libspmm_a_SOURCES += %D%/segments.c
libspmm_a_SOURCES += %D%/segments.h
include kernels/spmm/splits/local.mk
include kernels/spmm/tca/local.mk
libspmm_a_SOURCES += %D%/tca.h
libspmm_a_SOURCES += %D%/tiles.c
libspmm_a_SOURCES += %D%/tiles.h
