libspmm_a_SOURCES += %D%/cpu.c
libspmm_a_SOURCES += %D%/cpu.h
libspmm_a_SOURCES += %D%/slices.c
libspmm_a_SOURCES += %D%/slices.h
libspmm_a_SOURCES += %D%/slices_run.c
