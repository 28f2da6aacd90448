%C%_libtap_a_SOURCES = %D%/tap.c %D%/tap.h
