# SPDX-License-Identifier: BSD-3-Clause
# Permanents against FLINT's arithmetic; ORACLE=1000000 draws so many matrices instead of 2000.
unit_tests += %D%/oracle

if HAVE_FLINT
%C%_oracle_SOURCES =
%C%_oracle_SOURCES += %D%/draw.c
%C%_oracle_SOURCES += %D%/draw.h
%C%_oracle_SOURCES += %D%/library.c
%C%_oracle_SOURCES += %D%/minors.c
%C%_oracle_SOURCES += %D%/number.c
%C%_oracle_SOURCES += %D%/number.h
%C%_oracle_SOURCES += %D%/oracle.c
%C%_oracle_SOURCES += %D%/products.c
%C%_oracle_SOURCES += %D%/programs.c
%C%_oracle_SOURCES += %D%/reference.c
%C%_oracle_SOURCES += %D%/reference.h
%C%_oracle_SOURCES += %D%/run.h
%C%_oracle_SOURCES += %D%/write.c
else
%C%_oracle_SOURCES = %D%/skip.c
endif
%C%_oracle_LDADD = $(LDADD) $(FLINT_LIBS) $(MPFR_LIBS) $(GMP_LIBS)
