# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/certify
unit_tests += %D%/dense
unit_tests += %D%/dense_bound
unit_tests += %D%/error_sample
unit_tests += %D%/estimate
unit_tests += %D%/exact
unit_tests += %D%/frontier
unit_tests += %D%/frontier_range
unit_tests += %D%/minors
unit_tests += %D%/multiplicities
unit_tests += %D%/multiplicities_double
unit_tests += %D%/parts
unit_tests += %D%/precision
unit_tests += %D%/reduce
unit_tests += %D%/solve
unit_tests += %D%/sparse_code
unit_tests += %D%/sparse_exact
unit_tests += %D%/sparse_permanent
unit_tests += %D%/sparse_size
unit_tests += %D%/sum
unit_tests += %D%/value
unit_tests += %D%/work

%C%_certify_SOURCES = %D%/certify.c tests/support/dense_changes.h tests/support/hard_matrices.c \
	tests/support/hard_matrices.h
%C%_dense_SOURCES = %D%/dense.c tests/support/exact.c tests/support/exact.h
%C%_dense_bound_SOURCES = %D%/dense_bound.c tests/support/exact.c tests/support/exact.h
%C%_error_sample_SOURCES = %D%/error_sample.c tests/support/exact.c tests/support/exact.h
%C%_error_sample_SOURCES += tests/support/hard_matrices.c tests/support/hard_matrices.h
%C%_exact_SOURCES = %D%/exact.c tests/support/exact.c tests/support/exact.h
%C%_frontier_SOURCES = %D%/frontier.c tests/support/frontier_matrix.c tests/support/frontier_matrix.h
%C%_frontier_range_SOURCES = %D%/frontier_range.c tests/support/frontier_matrix.c tests/support/frontier_matrix.h
%C%_minors_SOURCES = %D%/minors.c tests/support/exact.c tests/support/exact.h
%C%_multiplicities_SOURCES = %D%/multiplicities.c tests/support/exact.c tests/support/exact.h
%C%_precision_SOURCES = %D%/precision.c tests/support/exact.c tests/support/exact.h
%C%_sparse_exact_SOURCES = %D%/sparse_exact.c tests/support/exact.c tests/support/exact.h
%C%_sparse_permanent_SOURCES = %D%/sparse_permanent.c tests/support/exact.c tests/support/exact.h
