# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/certify
unit_tests += %D%/dense
unit_tests += %D%/pairs
unit_tests += %D%/superman

%C%_certify_SOURCES = %D%/certify.c tests/support/dense_changes.h tests/support/device_sum.h \
	tests/support/hard_matrices.c tests/support/hard_matrices.h
%C%_dense_SOURCES = %D%/dense.c tests/support/device_sum.h tests/support/exact.c tests/support/exact.h
%C%_pairs_SOURCES = %D%/pairs.c tests/support/device_sum.h tests/support/exact.c tests/support/exact.h
%C%_superman_SOURCES = %D%/superman.c tests/support/device_sum.h tests/support/exact.c tests/support/exact.h
