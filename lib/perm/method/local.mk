libperm_a_SOURCES += %D%/log.c
libperm_a_SOURCES += %D%/method.h
libperm_a_SOURCES += %D%/names.c
libperm_a_SOURCES += %D%/precision.c
libperm_a_SOURCES += %D%/precision.h
libperm_a_SOURCES += %D%/prices.c
libperm_a_SOURCES += %D%/prices.h
libperm_a_SOURCES += %D%/weigh.c
