# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/binary
unit_tests += %D%/binary_damage
unit_tests += %D%/boeing
unit_tests += %D%/compare
unit_tests += %D%/decimal
unit_tests += %D%/generate
unit_tests += %D%/generate_values
unit_tests += %D%/gzip_members
unit_tests += %D%/resident
unit_tests += %D%/resident_array
unit_tests += %D%/source
unit_tests += %D%/sparse
unit_tests += %D%/state
unit_tests += %D%/text
unit_tests += %D%/text_rules
unit_tests += %D%/unitary
unit_tests += %D%/value_distance
unit_tests += %D%/where

%C%_binary_SOURCES = %D%/binary.c tests/support/binary_stream.c tests/support/binary_stream.h
%C%_binary_damage_SOURCES = %D%/binary_damage.c tests/support/binary_stream.c tests/support/binary_stream.h
%C%_compare_SOURCES = %D%/compare.c tests/support/dense_record.c tests/support/dense_record.h
%C%_generate_SOURCES = %D%/generate.c tests/support/generated.c tests/support/generated.h
%C%_generate_values_SOURCES = %D%/generate_values.c tests/support/generated.c tests/support/generated.h
%C%_sparse_SOURCES = %D%/sparse.c tests/support/dense_record.c tests/support/dense_record.h
%C%_text_SOURCES = %D%/text.c tests/support/text_memory.c tests/support/text_memory.h
%C%_text_rules_SOURCES = %D%/text_rules.c tests/support/text_memory.c tests/support/text_memory.h
