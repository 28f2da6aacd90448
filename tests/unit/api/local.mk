# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/loading
unit_tests += %D%/matrices
unit_tests += %D%/permanents
unit_tests += %D%/products
unit_tests += %D%/threads

%C%_loading_LDADD = tests/support/libtap.a libapi.a libperm.a libspmm.a libh2.a libflip.a $(mm_libs)
%C%_matrices_LDADD = tests/support/libtap.a libapi.a libperm.a libspmm.a libh2.a libflip.a $(mm_libs)
%C%_permanents_LDADD = tests/support/libtap.a libapi.a libperm.a libspmm.a libh2.a libflip.a $(mm_libs)
%C%_products_LDADD = tests/support/libtap.a libapi.a libperm.a libspmm.a libh2.a libflip.a $(mm_libs)
%C%_threads_LDADD = tests/support/libtap.a libapi.a libperm.a libspmm.a libh2.a libflip.a $(mm_libs)
%C%_loading_SOURCES = %D%/loading.c %D%/context.h
%C%_matrices_SOURCES = %D%/matrices.c %D%/context.h
%C%_permanents_SOURCES = %D%/permanents.c %D%/context.h
%C%_products_SOURCES = %D%/products.c %D%/context.h
