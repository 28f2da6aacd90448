# SPDX-License-Identifier: BSD-3-Clause
# A family is a file here and a folder of kernels.
libspmm_a_SOURCES += %D%/bands.c
include kernels/spmm/bands/local.mk
libspmm_a_SOURCES += %D%/blocks.c
include kernels/spmm/blocks/local.mk
libspmm_a_SOURCES += %D%/bstationary.c
include kernels/spmm/bstationary/local.mk
libspmm_a_SOURCES += %D%/dense.c
libspmm_a_SOURCES += %D%/dense.h
libspmm_a_SOURCES += %D%/families.c
libspmm_a_SOURCES += %D%/families.h
libspmm_a_SOURCES += %D%/merge.c
include kernels/spmm/merge/local.mk
libspmm_a_SOURCES += %D%/panels.c
include kernels/spmm/panels/local.mk
libspmm_a_SOURCES += %D%/rings.c
include kernels/spmm/rings/local.mk
libspmm_a_SOURCES += %D%/rowpairs.c
include kernels/spmm/rowpairs/local.mk
libspmm_a_SOURCES += %D%/rows.c
include kernels/spmm/rows/local.mk
libspmm_a_SOURCES += %D%/rowstaged.c
include kernels/spmm/rowstaged/local.mk
libspmm_a_SOURCES += %D%/rowwindows.c
include kernels/spmm/rowwindows/local.mk
libspmm_a_SOURCES += %D%/rowwindows.h
libspmm_a_SOURCES += %D%/segments.c
libspmm_a_SOURCES += %D%/segments.h
libspmm_a_SOURCES += %D%/splits.c
include kernels/spmm/splits/local.mk
libspmm_a_SOURCES += %D%/tca.c
include kernels/spmm/tca/local.mk
libspmm_a_SOURCES += %D%/tca.h
libspmm_a_SOURCES += %D%/tiles.c
libspmm_a_SOURCES += %D%/tiles.h
