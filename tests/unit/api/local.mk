# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/matrices
unit_tests += %D%/products
unit_tests += %D%/threads

%C%_matrices_LDADD = tests/support/libtap.a libapi.a libperm.a libspmm.a libh2.a libflip.a $(mm_libs)
%C%_products_LDADD = tests/support/libtap.a libapi.a libperm.a libspmm.a libh2.a libflip.a $(mm_libs)
%C%_threads_LDADD = tests/support/libtap.a libapi.a libperm.a libspmm.a libh2.a libflip.a $(mm_libs)
