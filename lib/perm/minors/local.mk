libperm_a_SOURCES += %D%/minors.c
libperm_a_SOURCES += %D%/minors.h
libperm_a_SOURCES += %D%/run.c
