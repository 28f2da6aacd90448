unit_tests += %D%/oracle

%C%_oracle_LDADD = $(LDADD) $(FLINT_LIBS) $(MPFR_LIBS) $(GMP_LIBS)
%C%_oracle_SOURCES = \
	%D%/draw.c %D%/draw.h %D%/library.c %D%/number.c %D%/number.h %D%/oracle.c %D%/products.c %D%/programs.c \
	%D%/reference.c %D%/reference.h %D%/run.h %D%/skip.c %D%/write.c
